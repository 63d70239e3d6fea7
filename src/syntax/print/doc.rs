//! Text that knows where it may be broken.
//!
//! A document is printed flat if it fits into the width of a line. If not, its outermost brackets and chains are broken
//! first, and what stands in them is tried flat again. Breaking adds line ends, spaces and trailing commas only.

/// No line is longer, unless it has nowhere to break.
pub(super) const WIDTH: usize = 120;

/// How far members, and elements of a broken list, are indented.
pub(super) const STEP: usize = 2;

/// What may stand between a line and the one before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Gap {
    /// Nothing.
    Never,
    /// A blank line, if the source has one there.
    Kept,
    /// A blank line in any case.
    Wanted,
}

/// A line of the output, before comments are added.
#[derive(Debug)]
pub(super) struct Line {
    pub indent: usize,
    pub text: String,
    pub gap: Gap,
}

impl Line {
    /// Whether a block or list begins behind this line.
    pub fn opens(&self) -> bool {
        self.text.ends_with(['{', '(', '['])
    }

    /// Whether a block or list ends with this line.
    pub fn closes(&self) -> bool {
        self.text.starts_with(['}', ')', ']'])
    }
}

/// A sequence of texts, lists in brackets, and chains.
#[derive(Debug, Default)]
pub(super) struct Doc {
    parts: Vec<Part>,
    width: usize,
    /// Whether some part cannot be printed flat.
    pub forced: bool,
}

#[derive(Debug)]
enum Part {
    Text(String),
    List { brackets: Brackets, items: Vec<Doc>, width: usize, forced: bool },
    Chain { pieces: Vec<Doc>, hang: Hang, width: usize, forced: bool },
}

/// The brackets around a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Brackets {
    open: &'static str,
    close: &'static str,
    /// Written between bracket and element in a flat list.
    padding: &'static str,
    /// Whether the grammar reads a comma after the last element.
    trailing_comma: bool,
}

impl Brackets {
    pub const ROUND: Brackets = Brackets { open: "(", close: ")", padding: "", trailing_comma: true };
    pub const SQUARE: Brackets = Brackets { open: "[", close: "]", padding: "", trailing_comma: true };
    pub const SET: Brackets = Brackets { open: "{", close: "}", padding: "", trailing_comma: true };
    pub const MAP: Brackets = Brackets { open: "{", close: "}", padding: "", trailing_comma: false };
    pub const BLOCK: Brackets = Brackets { open: "{", close: "}", padding: " ", trailing_comma: true };
}

/// How far the later pieces of a broken chain are indented.
#[derive(Clone, Copy, Debug)]
pub(super) enum Hang {
    /// By this many spaces.
    By(usize),
    /// Not at all if the chain begins its line; otherwise one step.
    Flush,
}

impl From<&str> for Doc {
    fn from(text: &str) -> Doc {
        Doc::from(text.to_owned())
    }
}

impl From<String> for Doc {
    fn from(text: String) -> Doc {
        Doc { width: width(&text), parts: vec![Part::Text(text)], forced: false }
    }
}

impl Doc {
    /// A list; `forced` if it has to be broken.
    pub fn list(brackets: Brackets, items: Vec<Doc>, forced: bool) -> Doc {
        let separators = 2 * items.len().saturating_sub(1);
        let padding = if items.is_empty() { 0 } else { 2 * brackets.padding.len() };
        let width = 2 + padding + separators + items.iter().map(|item| item.width).sum::<usize>();
        let forced = forced || items.iter().any(|item| item.forced);
        Doc { parts: vec![Part::List { brackets, items, width, forced }], width, forced }
    }

    /// Pieces with a space between them, or each on a line of its own; `forced` if they have to be.
    pub fn chain(pieces: Vec<Doc>, hang: Hang, forced: bool) -> Doc {
        let width = pieces.len().saturating_sub(1) + pieces.iter().map(|piece| piece.width).sum::<usize>();
        let forced = forced || pieces.iter().any(|piece| piece.forced);
        Doc { parts: vec![Part::Chain { pieces, hang, width, forced }], width, forced }
    }

    /// This, followed by more.
    pub fn then(mut self, more: impl Into<Doc>) -> Doc {
        let more = more.into();
        self.width += more.width;
        self.forced |= more.forced;
        self.parts.extend(more.parts);
        self
    }

    /// Whether it can stand on one line that is indented so far.
    pub fn fits(&self, indent: usize) -> bool {
        !self.forced && indent + self.width <= WIDTH
    }

    /// Whether its text begins with this character.
    pub fn starts_with(&self, c: char) -> bool {
        self.flat().starts_with(c)
    }

    /// All on one line.
    pub fn flat(&self) -> String {
        let mut out = String::with_capacity(self.width);
        self.write_flat(&mut out);
        out
    }

    fn write_flat(&self, out: &mut String) {
        for part in &self.parts {
            part.write_flat(out);
        }
    }

    /// As many lines as it takes; `gap` is for the first.
    pub fn lines(&self, indent: usize, gap: Gap) -> Vec<Line> {
        let mut layout = Layout { done: vec![], line: Line { indent, text: String::new(), gap } };
        layout.put(self, indent, 0);
        layout.done.push(layout.line);
        layout.done
    }
}

impl Part {
    fn write_flat(&self, out: &mut String) {
        match self {
            Part::Text(text) => out.push_str(text),
            Part::List { brackets, items, .. } => {
                let padding = if items.is_empty() { "" } else { brackets.padding };
                out.push_str(brackets.open);
                out.push_str(padding);
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { ", " });
                    item.write_flat(out);
                }
                out.push_str(padding);
                out.push_str(brackets.close);
            }
            Part::Chain { pieces, .. } => {
                for (i, piece) in pieces.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { " " });
                    piece.write_flat(out);
                }
            }
        }
    }
}

/// Width of what comes before the first place to break, and whether there is such a place.
fn lead(parts: &[Part]) -> (usize, bool) {
    let mut sum = 0;
    for part in parts {
        match part {
            Part::Text(text) => sum += width(text),
            Part::List { items, width, .. } if items.is_empty() => sum += width,
            Part::List { .. } => return (sum + 1, true),
            Part::Chain { pieces, .. } => {
                return (sum + pieces.first().map_or(0, |first| lead(&first.parts).0), true);
            }
        }
    }
    (sum, false)
}

/// Lines that are finished and the one that grows.
struct Layout {
    done: Vec<Line>,
    line: Line,
}

impl Layout {
    fn new_line(&mut self, indent: usize, gap: Gap) {
        let next = Line { indent, text: String::new(), gap };
        self.done.push(std::mem::replace(&mut self.line, next));
    }

    /// Appends a document that belongs to a line indented by `indent`; `after` is the width of what must follow it.
    fn put(&mut self, doc: &Doc, indent: usize, after: usize) {
        for (i, part) in doc.parts.iter().enumerate() {
            let rest = &doc.parts[i + 1..];
            let (following, can_break) = lead(rest);
            let after = following + if can_break { 0 } else { after };
            let column = self.line.indent + width(&self.line.text);
            match part {
                Part::List { brackets, items, width, forced }
                    if !items.is_empty() && (*forced || column + width + after > WIDTH) =>
                {
                    self.put_list(*brackets, items, indent);
                }
                Part::Chain { pieces, hang, width, forced } if *forced || column + width + after > WIDTH => {
                    self.put_chain(pieces, *hang, indent, after);
                }
                flat => flat.write_flat(&mut self.line.text),
            }
        }
    }

    fn put_list(&mut self, brackets: Brackets, items: &[Doc], indent: usize) {
        self.line.text.push_str(brackets.open);
        for (i, item) in items.iter().enumerate() {
            let comma = i + 1 < items.len() || brackets.trailing_comma;
            self.new_line(indent + STEP, Gap::Kept);
            self.put(item, indent + STEP, usize::from(comma));
            self.line.text.push_str(if comma { "," } else { "" });
        }
        self.new_line(indent, Gap::Never);
        self.line.text.push_str(brackets.close);
    }

    fn put_chain(&mut self, pieces: &[Doc], hang: Hang, indent: usize, after: usize) {
        let inner = match hang {
            Hang::By(n) => indent + n,
            Hang::Flush if self.line.text.is_empty() => indent,
            Hang::Flush => indent + STEP,
        };
        for (i, piece) in pieces.iter().enumerate() {
            if i > 0 {
                self.new_line(inner, Gap::Never);
            }
            let after = if i + 1 == pieces.len() { after } else { 0 };
            self.put(piece, if i == 0 { indent } else { inner }, after);
        }
    }
}

/// Columns a text takes.
pub(super) fn width(text: &str) -> usize {
    text.chars().count()
}
