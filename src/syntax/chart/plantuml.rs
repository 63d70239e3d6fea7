//! PlantUML sequence diagrams, line by line.

use super::super::problem::SyntaxProblem;
use super::assemble::{Assembler, BlockKind};
use super::piece::Piece;

/// What a lifeline can be declared as.
const KINDS: [&str; 8] = ["participant", "actor", "boundary", "control", "entity", "database", "collections", "queue"];

/// Lines that are looked at for their layout only.
const LAYOUT: [&str; 17] = [
    "autonumber",
    "caption",
    "center",
    "deactivate",
    "footer",
    "header",
    "hide",
    "left",
    "mainframe",
    "newpage",
    "right",
    "scale",
    "show",
    "skin",
    "skinparam",
    "title",
    "!pragma",
];

/// Words with which other lines begin that are no messages.
const WORDS: [&str; 24] = [
    "activate",
    "also",
    "alt",
    "autoactivate",
    "box",
    "break",
    "create",
    "critical",
    "destroy",
    "else",
    "end",
    "endbox",
    "group",
    "hnote",
    "legend",
    "loop",
    "note",
    "opt",
    "par",
    "par2",
    "partition",
    "ref",
    "return",
    "rnote",
];

/// Texts of several lines that are layout, with what ends them.
const TEXTS: [(&str, &[&str]); 5] = [
    ("title", &["end title", "endtitle"]),
    ("legend", &["end legend", "endlegend"]),
    ("header", &["end header", "endheader"]),
    ("footer", &["end footer", "endfooter"]),
    ("<style>", &["</style>"]),
];

/// Where the diagram begins, if the file holds one: behind comments.
pub fn begins(text: &str) -> Option<usize> {
    let text = without_comments(text);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim().trim_start_matches('\u{feff}');
        if trimmed.starts_with("@startuml") {
            return Some(at);
        } else if !trimmed.is_empty() && !trimmed.starts_with('\'') {
            return None;
        }
        at += line.len();
    }
    None
}

/// Block comments as white space, so that all places stay.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("/'") {
        let end = rest[start + 2..].find("'/").map_or(rest.len(), |end| start + 2 + end + 2);
        out.push_str(&rest[..start]);
        let blank = |c: char| if c == '\n' { "\n".to_owned() } else { " ".repeat(c.len_utf8()) };
        out.extend(rest[start..end].chars().map(blank));
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// Reads the diagram that begins at `start`.
pub fn read(text: &str, start: usize, out: &mut Assembler) {
    let text = without_comments(text);
    let mut lines = vec![];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let piece = Piece::line(line, at);
        if let Some(comment) = piece.text().strip_prefix('\'') {
            out.comment(&piece.from(piece.text().len() - comment.len()));
        } else if at >= start && !piece.is_empty() {
            lines.push(piece);
        }
        at += line.len();
    }
    let mut reader = Reader { out, lines: &lines, at: 1, calls: vec![], last: None, activates: false };
    while reader.at < lines.len() {
        let line = &lines[reader.at];
        reader.at += 1;
        if line.text() == "@enduml" {
            break;
        }
        reader.line(line);
    }
    if let Some(more) = lines.get(reader.at) {
        let what = "something behind `@enduml`".to_owned();
        reader.out.wrong(SyntaxProblem::NotInCharts { what }, more);
    } else if lines.last().is_none_or(|last| last.text() != "@enduml") {
        let what = "`@startuml` is not closed by `@enduml`".to_owned();
        if let Some(first) = lines.first() {
            reader.out.wrong(SyntaxProblem::BadBlock { what }, &first.word().0);
        }
    }
}

/// A character by its number, or one that is escaped, at the beginning of a text. A line end in a text is a space.
fn escape(text: &str) -> Option<(usize, char)> {
    if let Some(rest) = text.strip_prefix("<U+") {
        let digits = &rest[..rest.find('>').filter(|end| (1..=6).contains(end))?];
        let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
        return Some((digits.len() + 4, c));
    }
    if let Some(rest) = text.strip_prefix("&#") {
        let digits = &rest[..rest.find(';').filter(|end| (1..=7).contains(end))?];
        return Some((digits.len() + 3, char::from_u32(digits.parse().ok()?)?));
    }
    if text.starts_with("\\n") {
        return Some((2, ' '));
    }
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some('~'), Some(escaped)) if !escaped.is_whitespace() => Some((1 + escaped.len_utf8(), escaped)),
        _ => None,
    }
}

fn decoded(piece: &Piece) -> Piece {
    piece.trim().decoded(escape)
}

struct Reader<'a> {
    out: &'a mut Assembler,
    lines: &'a [Piece],
    /// The next line.
    at: usize,
    /// Who called whom, as long as nothing was returned.
    calls: Vec<(Piece, Piece)>,
    /// The last message.
    last: Option<(Piece, Piece)>,
    /// Whether every message is a call.
    activates: bool,
}

impl Reader<'_> {
    /// A line, which may stand beside the one before.
    fn line(&mut self, line: &Piece) {
        match line.behind("/") {
            Some(beside) => self.statement(&beside),
            None => self.statement(line),
        }
    }

    fn statement(&mut self, line: &Piece) {
        let (word, rest) = line.word();
        let known = [&KINDS[..], &LAYOUT, &WORDS].iter().any(|words| words.contains(&word.text()));
        // Dots and lines in a label are no arrow.
        if let Some(drawn) = arrow(line).filter(|drawn| !known || drawn.is_message()) {
            return self.message(line, &drawn);
        }
        if self.text_of_several_lines(line) {
            return;
        }
        let label = decoded(&rest);
        match word.text() {
            kind if KINDS.contains(&kind) => self.participant(&rest),
            "alt" => self.out.open(BlockKind::Alt, &word, &label),
            "opt" => self.out.open(BlockKind::Opt, &word, &label),
            "loop" => self.out.open(BlockKind::Loop, &word, &label),
            "par" | "par2" => self.out.open(BlockKind::Par, &word, &label),
            "break" => self.out.open(BlockKind::Break, &word, &label),
            "group" | "critical" => self.out.open(BlockKind::Group, &word, &label),
            "partition" | "box" => self.out.open(BlockKind::Layout, &word, &label),
            "else" | "also" => {
                self.out.next(&word, &label, &[BlockKind::Alt, BlockKind::Par, BlockKind::Group]);
            }
            "end" => self.out.end(line, rest.text()),
            "endbox" => self.out.end(line, "box"),
            "return" => self.answer(&word, &label),
            "activate" => {
                if let Some((from, to)) = self.last.take().filter(|(_, to)| to.text() == rest.word().0.text()) {
                    self.calls.push((from, to));
                }
            }
            "autoactivate" => self.activates = label.text() == "on",
            "ref" => self.reference(&rest),
            "create" | "destroy" => {
                let what = format!("`{}`: instances exist from the first step to the last, so it", word.text());
                self.out.wrong(SyntaxProblem::NotInCharts { what }, &word);
            }
            "!theme" => {}
            directive if directive.starts_with('!') && directive != "!pragma" => {
                let what = "the preprocessor".to_owned();
                self.out.wrong(SyntaxProblem::NotInCharts { what }, &word);
            }
            "note" | "hnote" | "rnote" => self.note(&word, &rest),
            "@startuml" => {
                let what = "a second diagram in one file".to_owned();
                self.out.wrong(SyntaxProblem::NotInCharts { what }, &word);
            }
            word if LAYOUT.contains(&word) => {}
            _ => self.sign(line),
        }
    }

    /// Dividers, delays and spaces.
    fn sign(&mut self, line: &Piece) {
        let text = line.text();
        if text.len() >= 4 && text.starts_with("==") && text.ends_with("==") {
            let inside = line.slice(2, text.len() - 2).trim();
            if inside.word().0.text() == "tick" {
                self.out.note(&[], &inside);
            }
        } else if text.starts_with("...") && text.ends_with("...") {
            self.out.anything(line);
        } else if !(text.starts_with("||") && text.ends_with('|')) {
            self.out.wrong(SyntaxProblem::BadLine, line);
        }
    }

    /// Skips texts that are layout; says whether it is one.
    fn text_of_several_lines(&mut self, line: &Piece) -> bool {
        let (word, rest) = line.word();
        let known = TEXTS.iter().find(|(begin, _)| *begin == word.text());
        if let Some((begin, ends)) = known
            && (rest.is_empty() || matches!(*begin, "legend" | "<style>"))
        {
            self.skip_to(|text| ends.contains(&text));
            return true;
        }
        if word.text() == "skinparam" && rest.text().ends_with('{') {
            let mut depth = 1;
            self.skip_to(|text| {
                depth += usize::from(text.ends_with('{'));
                depth -= usize::from(text == "}");
                depth == 0
            });
            return true;
        }
        false
    }

    /// Skips lines up to one, and that one.
    fn skip_to(&mut self, mut is_last: impl FnMut(&str) -> bool) {
        let begin = self.at - 1;
        loop {
            match self.lines.get(self.at) {
                Some(line) if line.text() != "@enduml" => {
                    self.at += 1;
                    if is_last(line.text()) {
                        return;
                    }
                }
                _ => {
                    let word = self.lines[begin].word().0;
                    let what = format!("this `{}` is not closed", word.text());
                    return self.out.wrong(SyntaxProblem::BadBlock { what }, &word);
                }
            }
        }
    }

    /// `participant b`, `participant "The blinker" as b`, `participant b as "The blinker" #red order 2`
    fn participant(&mut self, rest: &Piece) {
        let Some((first, rest)) = name(rest) else { return self.out.wrong(SyntaxProblem::BadLine, rest) };
        let mut id = first.clone();
        let mut rest = rest.trim();
        if let Some(behind) = rest.behind("as") {
            let Some((second, more)) = name(&behind) else { return self.out.wrong(SyntaxProblem::BadLine, &behind) };
            // Of two names the second one is used, unless it is a text.
            if !second.text().starts_with('"') {
                id = second;
            }
            rest = more.trim();
        }
        let is_layout = |word: &str| word.starts_with(['#', '<']) || word == "order" || word.parse::<i64>().is_ok();
        if rest.text() == "[" {
            self.skip_to(|text| text == "]");
        } else if let Some(odd) = rest.text().split_whitespace().find(|word| !is_layout(word)) {
            let at = rest.text().find(odd).unwrap_or(0);
            return self.out.wrong(SyntaxProblem::BadLine, &rest.slice(at, at + odd.len()));
        }
        self.out.lifeline(&unquoted(&id));
    }

    /// `a -> b : set(5)` in all its forms.
    fn message(&mut self, line: &Piece, drawn: &Arrow) {
        let outside = |end: &Piece| if is_outside(end.text()) { Piece::instead("env", end) } else { unquoted(end) };
        let (left, right) = (outside(&drawn.left), outside(&drawn.right));
        let (from, to) = match (drawn.points_left, drawn.points_right) {
            (false, true) => (left, right),
            (true, false) => (right, left),
            _ => {
                let what = "an arrow in both directions, or in none,".to_owned();
                return self.out.wrong(SyntaxProblem::NotInCharts { what }, line);
            }
        };
        let (suffix, label) = match drawn.rest.split_once(":") {
            Some((suffix, label)) => (suffix.trim(), decoded(&label)),
            None => (drawn.rest.trim(), line.slice(0, 0)),
        };
        let (marks, _) = suffix.word();
        if suffix
            .text()
            .split_whitespace()
            .any(|word| !matches!(word, "++" | "--" | "--++" | "++--") && !word.starts_with('#'))
        {
            match suffix.text().contains("**") || suffix.text().contains("!!") {
                true => {
                    let what = "`**` and `!!`: instances exist from the first step to the last, so they".to_owned();
                    self.out.wrong(SyntaxProblem::NotInCharts { what }, &suffix);
                }
                false => self.out.wrong(SyntaxProblem::BadLine, &suffix),
            }
            return;
        }
        if marks.text().contains("--") {
            self.calls.pop();
        }
        if marks.text().contains("++") || (self.activates && !drawn.is_dotted) {
            self.calls.push((from.clone(), to.clone()));
        }
        self.last = Some((from.clone(), to.clone()));
        match label.is_empty() {
            true => self.out.wrong(SyntaxProblem::NotOneEvent, line),
            false => self.out.message(&from, &to, &label),
        }
    }

    /// `return x`: from the one that was called last.
    fn answer(&mut self, word: &Piece, label: &Piece) {
        let Some((from, to)) = self.calls.pop() else {
            let what = "`return` answers nothing: no message with `++`, or followed by `activate`, stands before it";
            return self.out.wrong(SyntaxProblem::BadBlock { what: what.to_owned() }, word);
        };
        if label.is_empty() {
            return self.out.wrong(SyntaxProblem::NotOneEvent, word);
        }
        let (callee, caller) = (Piece::instead(to.text(), word), Piece::instead(from.text(), word));
        self.out.message(&callee, &caller, label);
    }

    /// `note over a, b : text`, `note left : text`, or several lines up to `end note`.
    fn note(&mut self, word: &Piece, rest: &Piece) {
        let (place, text) = match rest.split_once(":") {
            Some((place, text)) => (place, Some(text)),
            None => (rest.clone(), None),
        };
        let (first, behind) = place.word();
        let behind = behind.split_once("#").map_or(behind.clone(), |(before, _)| before.trim());
        let over = match (first.text(), behind.behind("of")) {
            ("over", _) => behind.split(','),
            ("left" | "right", Some(lifeline)) => vec![lifeline],
            ("left", None) if behind.is_empty() => self.last.iter().map(|(from, _)| from.clone()).collect(),
            ("right", None) if behind.is_empty() => self.last.iter().map(|(_, to)| to.clone()).collect(),
            ("across", _) => vec![],
            _ => return self.out.wrong(SyntaxProblem::BadLine, word),
        };
        let over: Vec<Piece> = over.iter().map(unquoted).collect();
        match text {
            Some(text) => self.out.note(&over, &decoded(&text)),
            None => {
                for text in self.lines_up_to(word) {
                    self.out.note(&over, &decoded(&text));
                }
            }
        }
    }

    /// The lines of a text that is closed by `end` and its word.
    fn lines_up_to(&mut self, word: &Piece) -> Vec<Piece> {
        let first = self.at;
        let (spaced, plain) = (format!("end {}", word.text()), format!("end{}", word.text()));
        let is_last = |text: &str| text == spaced || text == plain || text == "end note" || text == "endnote";
        self.skip_to(is_last);
        self.lines[first..(self.at.max(first + 1) - 1)].to_vec()
    }

    /// `ref over a, b : Other(3)`
    fn reference(&mut self, rest: &Piece) {
        let Some(behind) = rest.behind("over") else { return self.out.wrong(SyntaxProblem::BadLine, rest) };
        let (over, text) = match behind.split_once(":") {
            Some((over, text)) => (over, vec![text]),
            None => (behind.clone(), self.lines_up_to(&Piece::instead("ref", &behind))),
        };
        over.split(',').iter().for_each(|lifeline| self.out.lifeline(&unquoted(lifeline)));
        for text in text {
            self.out.reference(&decoded(&text));
        }
    }
}

/// An arrow between two ends.
struct Arrow {
    left: Piece,
    right: Piece,
    points_left: bool,
    points_right: bool,
    is_dotted: bool,
    /// What stands behind it.
    rest: Piece,
}

impl Arrow {
    /// Whether somebody says something to somebody.
    fn is_message(&self) -> bool {
        self.points_left != self.points_right && self.rest.text().contains(':')
    }
}

/// The ends of arrows that lead out of the diagram.
fn is_outside(end: &str) -> bool {
    matches!(end, "[" | "]" | "?")
}

/// A name, or a text in quotes, and what follows it.
fn name(piece: &Piece) -> Option<(Piece, Piece)> {
    let piece = piece.trim();
    let text = piece.text();
    let end = match text.strip_prefix('"') {
        Some(rest) => rest.find('"')? + 2,
        None => text.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.' | '@')).unwrap_or(text.len()),
    };
    (end > 0).then(|| (piece.slice(0, end), piece.from(end)))
}

fn unquoted(piece: &Piece) -> Piece {
    let piece = piece.trim();
    let text = piece.text();
    match text.len() >= 2 && text.starts_with('"') && text.ends_with('"') {
        true => piece.slice(1, text.len() - 1),
        false => piece,
    }
}

/// One end of an arrow.
fn arrow_end(piece: &Piece) -> Option<(Piece, Piece)> {
    let piece = piece.trim();
    match piece.text().starts_with(['[', ']', '?']) {
        true => Some((piece.slice(0, 1), piece.from(1))),
        false => name(&piece),
    }
}

/// Reads `a -> b` and its relatives: dotted, coloured, open, crossed, from right to left.
fn arrow(line: &Piece) -> Option<Arrow> {
    let (left, rest) = arrow_end(line)?;
    let rest = rest.trim();
    let text = rest.text();
    let bytes = text.as_bytes();
    let is = |at: usize, known: &[u8]| bytes.get(at).is_some_and(|byte| known.contains(byte));
    let mut at = 0;
    if is(at, b"xo") && is(at + 1, b"<\\/") {
        at += 1;
    }
    let head = at;
    while is(at, b"<\\/") {
        at += 1;
    }
    let points_left = at > head;
    let shaft = at;
    let mut is_dotted = false;
    while is(at, b"-.[") {
        if is(at, b"[") {
            at += text[at..].find(']')? + 1;
        } else {
            is_dotted |= at > shaft && is(at, b"-.") && is(at - 1, b"-.");
            at += 1;
        }
    }
    if at == shaft {
        return None;
    }
    let tail = at;
    while is(at, b">\\/") {
        at += 1;
    }
    let points_right = at > tail;
    if points_right && is(at, b"xo") && is(at + 1, b" \t") {
        at += 1;
    }
    let (right, rest) = arrow_end(&rest.from(at))?;
    Some(Arrow { left, right, points_left, points_right, is_dotted, rest })
}
