//! The graph of a machine as a drawing. Colours come from the page it stands on; what runs miss is dashed as well, and what is
//! impossible is dotted and struck through, so that nobody needs the colours.

use super::super::lettering::{BASE, LINE, escaped, lines, measured, stretched, widest};
use super::layers::{Edge, Layout, Point, layout};
use super::{GraphTransition, Known, MachineGraph};

/// Inside of boxes.
const PADDING: usize = 9;
const MARGIN: f64 = 12.0;
/// Room for the tip of an edge.
const TIP: usize = 12;
/// How far a loop goes out.
const LOOP: f64 = 26.0;
/// Texts at one edge; the others are counted.
const MAX_TEXTS: usize = 12;

/// How graphs look.
pub const GRAPH_STYLE: &str = "\
text { font-family: Helvetica, Arial, 'Liberation Sans', sans-serif; font-size: 13px; fill: var(--ink); }
.paper { fill: var(--paper); }
.state { fill: var(--box); stroke: var(--line); stroke-width: 1.3; }
.initial { stroke-width: 2.6; }
.edge { fill: none; stroke: var(--line); stroke-width: 1.3; }
.tip { fill: var(--line); }
.state.passed { fill: var(--good-soft); stroke: var(--good); }
.edge.passed { stroke: var(--good); stroke-width: 1.8; }
.tip.passed, text.passed { fill: var(--good); }
.state.missed, .edge.missed { stroke-dasharray: 5 4; }
text.missed { fill: var(--quiet); font-style: italic; }
.state.impossible, .edge.impossible { stroke: var(--never); stroke-dasharray: 1.5 3; }
.tip.impossible, text.impossible { fill: var(--never); }
text.impossible { text-decoration: line-through; }
";

/// Transitions with the same ends, which share an edge.
struct Bundle<'g> {
    source: usize,
    target: usize,
    transitions: Vec<&'g GraphTransition>,
    texts: Vec<(String, &'static str)>,
}

/// The machine, drawn; none if it is too large for that.
pub fn machine_svg(machine: &MachineGraph) -> Option<String> {
    let bundles = bundles(machine);
    let (loops, edges): (Vec<Bundle<'_>>, Vec<Bundle<'_>>) = bundles.into_iter().partition(|b| b.source == b.target);
    let loop_at = |state: usize| loops.iter().find(|bundle| bundle.source == state);
    let touching = |state: usize| edges.iter().filter(|edge| edge.source == state || edge.target == state).count();
    let boxes = machine.states.iter().enumerate().map(|(number, state)| box_size(&state.name, touching(number)));
    let boxes: Vec<(f64, f64)> = boxes.collect();
    let size = |state: usize| {
        let (width, height) = boxes[state];
        match loop_at(state).map(Bundle::size) {
            Some((wide, high)) => (width + LOOP + 6.0 + wide, height.max(high)),
            None => (width, height),
        }
    };
    let sizes: Vec<(f64, f64)> = (0..machine.states.len()).map(size).collect();
    let ends: Vec<Edge> = edges.iter().map(|b| Edge { source: b.source, target: b.target, text: b.size() }).collect();
    let initial = machine.states.iter().position(|state| state.is_initial)?;
    let layout = layout(&sizes, &ends, initial)?;
    let mut pen = Pen { out: String::new() };
    let ports = Ports::new(&boxes, &sizes, &ends, &layout);
    for (number, bundle) in edges.iter().enumerate() {
        let layers = (layout.layers[bundle.source], layout.layers[bundle.target]);
        pen.edge(bundle, (ports.begin[number], ports.end[number]), &layout.ways[number], layers);
        pen.texts(bundle, layout.texts[number], Anchor::Middle);
    }
    for (number, state) in machine.states.iter().enumerate() {
        let (left, middle) = (layout.nodes[number].0, layout.nodes[number].1 + sizes[number].1 / 2.0);
        let (width, height) = boxes[number];
        let look = look(state.known());
        let initial = if state.is_initial { " initial" } else { "" };
        pen.out.push_str(&format!(
            "<rect x=\"{left}\" y=\"{}\" width=\"{width}\" height=\"{height}\" rx=\"7\" class=\"state{initial}{look}\"/>\n",
            middle - height / 2.0
        ));
        let written = lines(&state.name);
        let top = middle - (written.len() * LINE) as f64 / 2.0;
        for (line, text) in written.iter().enumerate() {
            pen.text((left + width / 2.0, top + (line * LINE + BASE) as f64), Anchor::Middle, text, look);
        }
        if let Some(bundle) = loop_at(number) {
            pen.looped(bundle, (left + width, middle));
        }
    }
    let (width, height) = (layout.size.0 + 2.0 * MARGIN, layout.size.1 + 2.0 * MARGIN);
    let name = escaped(&machine.name);
    Some(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graph\" role=\"img\" aria-label=\"states and transitions of {name}\" \
         width=\"{width}\" height=\"{height}\" viewBox=\"{} {} {width} {height}\">\n{}</svg>\n",
        -MARGIN, -MARGIN, pen.out
    ))
}

/// Transitions by their ends, in the order of the first of each.
fn bundles(machine: &MachineGraph) -> Vec<Bundle<'_>> {
    let mut out: Vec<Bundle<'_>> = vec![];
    for transition in &machine.transitions {
        let same = |b: &&mut Bundle<'_>| (b.source, b.target) == (transition.source, transition.target);
        match out.iter_mut().find(same) {
            Some(bundle) => bundle.transitions.push(transition),
            None => {
                let (source, target) = (transition.source, transition.target);
                out.push(Bundle { source, target, transitions: vec![transition], texts: vec![] });
            }
        }
    }
    for bundle in &mut out {
        let texts = bundle.transitions.iter().take(MAX_TEXTS).flat_map(|transition| {
            let look = look(transition.known());
            lines(&transition.label).into_iter().map(move |line| (line, look))
        });
        bundle.texts = texts.collect();
        if bundle.transitions.len() > MAX_TEXTS {
            bundle.texts.push((format!("and {} more", bundle.transitions.len() - MAX_TEXTS), ""));
        }
    }
    out
}

fn look(known: Known) -> &'static str {
    match known {
        Known::Impossible => " impossible",
        Known::Nothing => "",
        Known::Missed => " missed",
        Known::Passed => " passed",
    }
}

/// As wide as its name, or as the tips of so many edges. Even, so that the middle is a whole number.
fn box_size(name: &str, edges: usize) -> (f64, f64) {
    let lines = lines(name);
    let width = (widest(&lines) + 2 * PADDING).max(36).max(TIP * edges.min(20)).next_multiple_of(2);
    (width as f64, (lines.len() * LINE + 12) as f64)
}

impl Bundle<'_> {
    fn size(&self) -> (f64, f64) {
        let width = self.texts.iter().map(|(text, _)| measured(text)).max().unwrap_or(0);
        ((width + 6).next_multiple_of(2) as f64, (self.texts.len() * LINE + 2) as f64)
    }

    /// An edge is passed if one of its transitions is, and impossible if all of them are.
    fn look(&self) -> &'static str {
        look(self.transitions.iter().map(|transition| transition.known()).max().unwrap_or(Known::Nothing))
    }
}

/// Where edges leave and enter boxes: side by side, in the order of where they come from.
struct Ports {
    begin: Vec<Point>,
    end: Vec<Point>,
}

impl Ports {
    fn new(boxes: &[(f64, f64)], sizes: &[(f64, f64)], edges: &[Edge], layout: &Layout) -> Ports {
        let mut ports = Ports { begin: vec![(0.0, 0.0); edges.len()], end: vec![(0.0, 0.0); edges.len()] };
        for node in 0..boxes.len() {
            for is_below in [true, false] {
                let (top, bottom) = layout.layers[node];
                let is_here = |point: Point| if is_below { point.1 >= bottom } else { point.1 <= top };
                let mut here: Vec<(f64, usize, bool)> = vec![];
                for (number, edge) in edges.iter().enumerate() {
                    let way = &layout.ways[number];
                    let (Some(first), Some(last)) = (way.first(), way.last()) else { continue };
                    if edge.source == node && is_here(*first) {
                        here.push((first.0, number, true));
                    }
                    if edge.target == node && is_here(*last) {
                        here.push((last.0, number, false));
                    }
                }
                here.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                let middle = layout.nodes[node].1 + sizes[node].1 / 2.0;
                let y = if is_below { middle + boxes[node].1 / 2.0 } else { middle - boxes[node].1 / 2.0 };
                for (place, (_, number, begins)) in here.iter().enumerate() {
                    let share = (place + 1) as f64 / (here.len() + 1) as f64;
                    let x = (layout.nodes[node].0 + boxes[node].0 * share).round();
                    let port = if *begins { &mut ports.begin[*number] } else { &mut ports.end[*number] };
                    *port = (x, y);
                }
            }
        }
        ports
    }
}

#[derive(Clone, Copy)]
enum Anchor {
    Start,
    Middle,
}

struct Pen {
    out: String,
}

impl Pen {
    fn text(&mut self, (x, y): Point, anchor: Anchor, text: &str, look: &str) {
        if text.is_empty() {
            return;
        }
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
        };
        self.out.push_str(&format!(
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\"{} class=\"{}\">{}</text>\n",
            stretched(text),
            look.trim(),
            escaped(text)
        ));
    }

    fn texts(&mut self, bundle: &Bundle<'_>, (x, y): Point, anchor: Anchor) {
        let (width, height) = bundle.size();
        let left = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - width / 2.0,
        };
        let top = y - height / 2.0;
        self.out.push_str(&format!(
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" class=\"paper\"/>\n"
        ));
        let x = if matches!(anchor, Anchor::Start) { x + 3.0 } else { x };
        for (number, (text, look)) in bundle.texts.iter().enumerate() {
            self.text((x, top + 1.0 + (number * LINE + BASE) as f64), anchor, text, look);
        }
    }

    /// Straight through layers, with a turn between them, and a tip at the end.
    fn edge(
        &mut self,
        bundle: &Bundle<'_>,
        (begin, end): (Point, Point),
        way: &[Point],
        (source, target): ((f64, f64), (f64, f64)),
    ) {
        let goes_up = begin.1 > end.1;
        let before = (end.0, if goes_up { end.1 + 8.0 } else { end.1 - 8.0 });
        let leave = (begin.0, if goes_up { source.0 } else { source.1 });
        let enter = (end.0, if goes_up { target.1.max(before.1) } else { target.0.min(before.1) });
        let mut path = format!("M{} {} L{} {}", begin.0, begin.1, leave.0, leave.1);
        let mut from = leave;
        for (number, to) in way.iter().copied().chain([enter, before]).enumerate() {
            // Between two points of one place the edge goes straight; between places it turns.
            match number % 2 {
                1 => path.push_str(&format!(" L{} {}", to.0, to.1)),
                _ => {
                    let half = (from.1 + to.1) / 2.0;
                    path.push_str(&format!(" C{} {half} {} {half} {} {}", from.0, to.0, to.0, to.1));
                }
            }
            from = to;
        }
        let look = bundle.look();
        self.out.push_str(&format!("<path d=\"{path}\" class=\"edge{look}\"/>\n"));
        let (x, y) = end;
        let back = before.1;
        let points = format!("{x},{y} {},{back} {},{back}", x - 4.0, x + 4.0);
        self.out.push_str(&format!("<polygon points=\"{points}\" class=\"tip{look}\"/>\n"));
    }

    /// An edge back to the state it comes from, on the right of its box, with its texts.
    fn looped(&mut self, bundle: &Bundle<'_>, (x, y): Point) {
        let (top, bottom, out) = (y - 7.0, y + 7.0, x + LOOP);
        let look = bundle.look();
        let path = format!("M{x} {top} C{out} {} {out} {} {} {bottom}", top - 8.0, bottom + 8.0, x + 8.0);
        self.out.push_str(&format!("<path d=\"{path}\" class=\"edge{look}\"/>\n"));
        let points = format!("{x},{bottom} {},{} {},{}", x + 8.0, bottom - 4.0, x + 8.0, bottom + 4.0);
        self.out.push_str(&format!("<polygon points=\"{points}\" class=\"tip{look}\"/>\n"));
        self.texts(bundle, (out, y), Anchor::Start);
    }
}
