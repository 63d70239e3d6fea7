//! Charts as drawings, self-contained and for light and dark.
//!
//! Every row has a band of its own, and lifelines stand as far apart as their texts need: no two texts overlap. Texts are
//! measured, and stretched to that width, so that this does not depend on the fonts of a machine; scripts whose letters are not in
//! the table have room, and keep their shape.

use super::super::lettering::{BASE, LINE, escaped, lines, measured, stretched, widest};
use super::layout::Room;
use super::{Chart, Drawn, Row, RowKind, bands};

/// Inside boxes, on the left and on the right.
const PADDING: usize = 8;
const GAP: usize = 12;
const MARGIN: usize = 16;
const HEAD: usize = 30;
/// How charts look. Colours are written out: not every program that draws such files knows variables.
pub const STYLE: &str = "\
text { font-family: Helvetica, Arial, 'Liberation Sans', sans-serif; font-size: 13px; fill: #1b1f24; }
.paper { fill: #ffffff; }
.life { stroke: #8c959f; stroke-dasharray: 4 4; fill: none; }
.tick { stroke: #8c959f; stroke-dasharray: 1 5; stroke-width: 2; fill: none; }
.box { fill: #f2f4f7; stroke: #8c959f; }
.arrow { stroke: #1b1f24; stroke-width: 1.3; fill: none; }
.tip { fill: #1b1f24; }
.hidden { stroke-dasharray: 5 4; }
.title { font-weight: bold; }
.quiet { fill: #6e7781; }
.marked.box { fill: #fff1d6; stroke: #b35900; }
.marked.arrow { stroke: #b35900; stroke-width: 2.6; }
.marked.tip, text.marked { fill: #b35900; }
@media screen and (prefers-color-scheme: dark) {
  text { fill: #e6e9ed; }
  .paper { fill: #15181c; }
  .box { fill: #242930; stroke: #6e7781; }
  .arrow { stroke: #e6e9ed; }
  .tip { fill: #e6e9ed; }
  .quiet { fill: #8c959f; }
  .marked.box { fill: #3d2f14; stroke: #ffb454; }
  .marked.arrow { stroke: #ffb454; }
  .marked.tip, text.marked { fill: #ffb454; }
}
";

/// One drawing of all charts, one below the other.
pub fn document(drawn: &[Drawn]) -> String {
    let mut body = String::new();
    let (mut width, mut height) = (0, 0);
    for drawn in drawn {
        let (part, wide, high) = match drawn {
            Drawn::Chart(chart) => draw(chart),
            Drawn::Said(text) => said(text),
        };
        body.push_str(&format!("<g transform=\"translate(0 {height})\">\n{part}</g>\n"));
        (width, height) = (width.max(wide), height + high);
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n<style>\n{STYLE}</style>\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n{body}</svg>\n"
    )
}

/// A chart for a page that has the style already.
pub fn part_of_page(chart: &Chart) -> String {
    let (body, width, height) = draw(chart);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" aria-label=\"sequence chart of {}\" \
         width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n{body}</svg>\n",
        escaped(&chart.title)
    )
}

fn said(text: &str) -> (String, usize, usize) {
    let mut pen = Pen { out: String::new(), y: MARGIN };
    let lines: Vec<&str> = text.trim_end().lines().collect();
    for line in &lines {
        pen.text(MARGIN, pen.y + BASE, Anchor::Start, line, "");
        pen.y += LINE;
    }
    let width = lines.iter().map(|line| measured(line)).max().unwrap_or(0) + 2 * MARGIN;
    (pen.out, width, pen.y + MARGIN)
}

#[derive(Clone, Copy)]
enum Anchor {
    Start,
    Middle,
}

struct Pen {
    out: String,
    y: usize,
}

impl Pen {
    fn text(&mut self, x: usize, y: usize, anchor: Anchor, text: &str, class: &str) {
        if text.is_empty() {
            return;
        }
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
        };
        self.out.push_str(&format!(
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\"{} class=\"{class}\">{}</text>\n",
            stretched(text),
            escaped(text)
        ));
    }

    /// A text over lines that were drawn before.
    fn over(&mut self, x: usize, y: usize, anchor: Anchor, text: &str, class: &str) {
        let width = measured(text) + 4;
        let left = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - (width / 2).min(x),
        };
        let top = y - BASE + 1;
        self.out.push_str(&format!(
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{}\" class=\"paper\"/>\n",
            LINE - 1
        ));
        self.text(x, y, anchor, text, class);
    }

    fn line(&mut self, (x1, y1): (usize, usize), (x2, y2): (usize, usize), class: &str) {
        self.out.push_str(&format!("<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" class=\"{class}\"/>\n"));
    }

    /// The tip of an arrow that ends here, coming from the left or from the right.
    fn tip(&mut self, x: usize, y: usize, from_left: bool, class: &str) {
        let back = if from_left { x.saturating_sub(9) } else { x + 9 };
        let points = format!("{x},{y} {back},{} {back},{}", y - 4, y + 4);
        self.out.push_str(&format!("<polygon points=\"{points}\" class=\"tip{class}\"/>\n"));
    }
}

/// Half of the width of a box on a lifeline.
fn half(text: &str) -> usize {
    widest(&lines(text)).div_ceil(2) + PADDING
}

/// What is written in a box.
fn content(row: &Row) -> Option<(usize, String)> {
    let (at, text) = row.boxed()?;
    Some((at, text.to_owned()))
}

fn draw(chart: &Chart) -> (String, usize, usize) {
    let bands = bands(&chart.rows);
    let mut room = Room::new(chart.lifelines.len());
    let heads: Vec<(usize, usize)> = chart.lifelines.iter().map(|name| half(name)).enumerate().collect();
    room.boxes(&heads, GAP);
    room.whole(measured(&chart.title));
    for band in &bands {
        let boxes = band.iter().filter_map(|row| content(row)).map(|(at, text)| (at, half(&text)));
        room.boxes(&boxes.collect::<Vec<_>>(), GAP);
        match &band[0].kind {
            RowKind::Message { from, to, text, .. } => {
                let width = widest(&lines(text)) + 2 * GAP;
                to.iter().for_each(|to| room.between(*from, *to, width));
                if to.contains(from) {
                    room.beside(*from, width + 2 * GAP);
                }
            }
            RowKind::Internal(at) => room.beside(*at, measured("tau") + 4 * GAP),
            RowKind::Note(text) => room.whole(widest(&lines(text)) + 2 * PADDING),
            _ => {}
        }
    }
    let (places, width) = room.places();
    let places: Vec<usize> = places.into_iter().map(|place| place + MARGIN).collect();
    let mut pen = Pen { out: String::new(), y: MARGIN };
    pen.text(MARGIN, pen.y + BASE, Anchor::Start, &chart.title, "title");
    pen.y += LINE + GAP;
    let tallest = chart.lifelines.iter().map(|name| lines(name).len()).max().unwrap_or(1);
    let top = pen.y;
    pen.y += HEAD + (tallest - 1) * LINE;
    let start = pen.y;
    pen.y += GAP;
    let mut rows = Pen { out: String::new(), y: pen.y };
    for band in &bands {
        rows.band(band, &places, MARGIN + width);
    }
    let end = rows.y + GAP / 2;
    for (place, name) in places.iter().zip(&chart.lifelines) {
        let half = half(name);
        pen.out.push_str(&format!(
            "<rect x=\"{}\" y=\"{top}\" width=\"{}\" height=\"{}\" class=\"box\"/>\n",
            place - half,
            2 * half,
            start - top
        ));
        for (number, line) in lines(name).iter().enumerate() {
            pen.text(*place, top + 7 + BASE + number * LINE, Anchor::Middle, line, "");
        }
        pen.line((*place, start), (*place, end), "life");
    }
    pen.out.push_str(&rows.out);
    (pen.out, width + 2 * MARGIN, end + MARGIN)
}

impl Pen {
    fn band(&mut self, band: &[&Row], places: &[usize], right: usize) {
        let marked = if band[0].is_marked { " marked" } else { "" };
        match &band[0].kind {
            RowKind::Message { from, to, text, is_hidden } => {
                for to in to {
                    self.message(places[*from], places[*to], text, *is_hidden, marked);
                }
            }
            RowKind::Internal(at) => self.message(places[*at], places[*at], "tau", false, marked),
            RowKind::Tick(number) => {
                self.line((MARGIN, self.y + 9), (right, self.y + 9), "tick");
                let text = format!("tick {number}");
                self.over((MARGIN + right) / 2, self.y + BASE + 1, Anchor::Middle, &text, "quiet");
                self.y += LINE + 8;
            }
            RowKind::Note(text) => {
                let lines = lines(text);
                let height = lines.len() * LINE + 6;
                self.out.push_str(&format!(
                    "<rect x=\"{MARGIN}\" y=\"{}\" width=\"{}\" height=\"{height}\" class=\"box{marked}\"/>\n",
                    self.y,
                    right - MARGIN
                ));
                for (number, line) in lines.iter().enumerate() {
                    let y = self.y + 3 + BASE + number * LINE;
                    self.text(MARGIN + PADDING, y, Anchor::Start, line, marked.trim());
                }
                self.y += height + 6;
            }
            RowKind::Fired(..) | RowKind::State(..) | RowKind::Remark(..) => self.boxes(band, places),
        }
    }

    /// The text above its arrow.
    fn message(&mut self, from: usize, to: usize, text: &str, is_hidden: bool, marked: &str) {
        let class = format!("arrow{}{marked}", if is_hidden { " hidden" } else { "" });
        let lines = lines(text);
        if from == to {
            let (top, bottom) = (self.y + 6, self.y + 6 + LINE);
            let out = from + 2 * GAP;
            let path = format!("M{from} {top} H{out} V{bottom} H{}", from + 8);
            self.out.push_str(&format!("<path d=\"{path}\" class=\"{class}\"/>\n"));
            self.tip(from, bottom, false, marked);
            for (number, line) in lines.iter().enumerate() {
                let y = self.y + 8 + BASE + number * LINE;
                self.over(out + 6, y, Anchor::Start, line, marked.trim());
            }
            self.y += 12 + LINE * lines.len().max(2);
            return;
        }
        for line in &lines {
            self.over((from + to) / 2, self.y + BASE, Anchor::Middle, line, marked.trim());
            self.y += LINE;
        }
        let y = self.y + 4;
        let stop = if from < to { to - 8 } else { to + 8 };
        self.line((from, y), (stop, y), &class);
        self.tip(to, y, from < to, marked);
        self.y += 14;
    }

    fn boxes(&mut self, band: &[&Row], places: &[usize]) {
        let mut tallest = 0;
        for row in band {
            let Some((at, text)) = content(row) else { continue };
            let lines = lines(&text);
            let (x, half, height) = (places[at], half(&text), lines.len() * LINE + 6);
            let (left, right, top, bottom) = (x - half, x + half, self.y, self.y + height);
            let marked = if row.is_marked { " marked" } else { "" };
            self.out.push_str(&match row.kind {
                // A condition is a hexagon.
                RowKind::State(..) => {
                    let middle = (top + bottom) / 2;
                    let (inner_left, inner_right) = (left + 5, right - 5);
                    format!(
                        "<polygon points=\"{left},{middle} {inner_left},{top} {inner_right},{top} {right},{middle} \
                         {inner_right},{bottom} {inner_left},{bottom}\" class=\"box{marked}\"/>\n"
                    )
                }
                _ => {
                    let width = 2 * half;
                    format!(
                        "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" class=\"box{marked}\"/>\n"
                    )
                }
            });
            for (number, line) in lines.iter().enumerate() {
                self.text(x, top + 3 + BASE + number * LINE, Anchor::Middle, line, marked.trim());
            }
            tallest = tallest.max(height);
        }
        self.y += tallest + 6;
    }
}
