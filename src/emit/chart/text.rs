//! Charts as text: one column for each lifeline, arrows between them.

use super::layout::Room;
use super::{Chart, Drawn, Row, RowKind, bands};

pub fn document(drawn: &[Drawn]) -> String {
    let parts: Vec<String> = drawn
        .iter()
        .map(|drawn| match drawn {
            Drawn::Said(text) => format!("{}\n", text.trim_end()),
            Drawn::Chart(chart) => text(chart),
        })
        .collect();
    parts.join("\n")
}

/// Signs around a text on one lifeline.
fn boxed(row: &Row, text: &str) -> String {
    let mark = if row.is_marked { "*" } else { "" };
    match row.kind {
        RowKind::State(..) => format!("[{mark}{text}{mark}]"),
        RowKind::Fired(..) => format!("({mark}{text}{mark})"),
        _ => format!("{mark}{text}{mark}"),
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

fn text(chart: &Chart) -> String {
    let mut room = Room::new(chart.lifelines.len());
    let halves = |text: &str| length(text).div_ceil(2);
    let heads: Vec<(usize, usize)> = chart.lifelines.iter().map(|name| halves(name)).enumerate().collect();
    room.boxes(&heads, 2);
    for band in bands(&chart.rows) {
        let boxes = band.iter().filter_map(|row| row.boxed().map(|(at, text)| (at, halves(&boxed(row, text)))));
        room.boxes(&boxes.collect::<Vec<_>>(), 2);
        match &band[0].kind {
            RowKind::Message { from, to, text, .. } => {
                to.iter().for_each(|to| room.between(*from, *to, length(text) + 8));
                if to.contains(from) {
                    room.beside(*from, length(text) + 8);
                }
            }
            RowKind::Internal(at) => room.beside(*at, length(TAU) + 2),
            _ => {}
        }
    }
    let (places, width) = room.places();
    let mut canvas = Canvas { places, width: width + 1, lines: vec![] };
    let mut head = vec![' '; canvas.width];
    for (place, name) in canvas.places.iter().zip(&chart.lifelines) {
        put(&mut head, place - length(name) / 2, name);
    }
    canvas.lines.push(head);
    for band in bands(&chart.rows) {
        canvas.band(&band);
    }
    let last = canvas.empty();
    canvas.lines.push(last);
    let mut out = format!("{}\n\n", chart.title);
    for line in canvas.lines {
        out.push_str(line.into_iter().collect::<String>().trim_end());
        out.push('\n');
    }
    out
}

const TAU: &str = " tau";

struct Canvas {
    places: Vec<usize>,
    width: usize,
    lines: Vec<Vec<char>>,
}

/// Writes over a line.
fn put(line: &mut Vec<char>, at: usize, text: &str) {
    for (offset, c) in text.chars().enumerate() {
        match line.get_mut(at + offset) {
            Some(place) => *place = c,
            None => line.push(c),
        }
    }
}

impl Canvas {
    /// A line with nothing but lifelines.
    fn empty(&self) -> Vec<char> {
        let mut line = vec![' '; self.width];
        for place in &self.places {
            line[*place] = '|';
        }
        line
    }

    fn band(&mut self, band: &[&Row]) {
        let mut line = self.empty();
        match &band[0].kind {
            RowKind::Message { from, to, text, is_hidden } => {
                for to in to {
                    let line = self.arrow(*from, *to, text, *is_hidden, band[0].is_marked);
                    self.lines.push(line);
                }
                return;
            }
            RowKind::Internal(at) => {
                let mark = if band[0].is_marked { "*" } else { "" };
                put(&mut line, self.places[*at] + 1, &format!("{TAU}{mark}"));
            }
            RowKind::Tick(number) => {
                let said = format!("-- tick {number} ");
                let rest = self.width.saturating_sub(length(&said));
                line = format!("{said}{}", "-".repeat(rest)).chars().collect();
            }
            RowKind::Note(text) => {
                line = text.chars().collect();
            }
            RowKind::Fired(..) | RowKind::State(..) | RowKind::Remark(..) => {
                for row in band {
                    if let Some((at, text)) = row.boxed() {
                        let text = boxed(row, text);
                        put(&mut line, self.places[at] - length(&text) / 2, &text);
                    }
                }
            }
        }
        self.lines.push(line);
    }

    /// `|--- set(5) -->|`; doubled where it is marked, with gaps where nobody sees it.
    fn arrow(&self, from: usize, to: usize, text: &str, is_hidden: bool, is_marked: bool) -> Vec<char> {
        let mut line = self.empty();
        let stroke = match (is_marked, is_hidden) {
            (true, _) => "=",
            (false, true) => ".",
            (false, false) => "-",
        };
        if from == to {
            put(&mut line, self.places[from] + 1, &format!("{stroke} {text} {stroke}>"));
            return line;
        }
        let (left, right) = (self.places[from.min(to)], self.places[from.max(to)]);
        let between = right - left - 1;
        put(&mut line, left + 1, &stroke.repeat(between));
        put(&mut line, left + 1 + (between - length(text) - 2) / 2, &format!(" {text} "));
        match from < to {
            true => put(&mut line, right - 1, ">"),
            false => put(&mut line, left + 1, "<"),
        }
        line
    }
}
