//! Text for a terminal: answers in colour, headings in bold, and nothing in it that the terminal would obey. Knows the lines that
//! the other files here write, not what they mean. Without colour the text stays as it is.

const BOLD: &str = "\u{1b}[1m";
const RED: &str = "\u{1b}[31m";
const GREEN: &str = "\u{1b}[32m";
const YELLOW: &str = "\u{1b}[33m";
const PLAIN: &str = "\u{1b}[0m";

/// Words that answer something, with their colours.
const ANSWERS: [(&str, &str); 14] = [
    ("found", GREEN),
    ("accepted", GREEN),
    ("holds", GREEN),
    ("fits", GREEN),
    ("no findings", GREEN),
    ("impossible", RED),
    ("not-found", RED),
    ("rejected", RED),
    ("broken", RED),
    ("fails", RED),
    ("not kept", RED),
    ("not formatted", RED),
    ("unknown", YELLOW),
    ("open", YELLOW),
];

/// First columns of tables.
const HEADINGS: [&str; 3] = ["step  ", "sequence  ", "data  "];

/// Replaces characters that a terminal would obey, or that turn text around, by their codes.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match is_obeyed(c) {
            true => out.extend(c.escape_unicode()),
            false => out.push(c),
        }
    }
    out
}

/// The same, of the same length in bytes: for text that places point into.
pub(super) fn visible_in_place(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match (is_obeyed(c), c.len_utf8()) {
            (false, _) => out.push(c),
            (true, 1) => out.push('?'),
            (true, 2) => out.push('\u{b7}'),
            (true, _) => out.push('\u{fffd}'),
        }
    }
    out
}

fn is_obeyed(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Colours answers and headings.
pub fn paint(text: &str) -> String {
    text.split_inclusive('\n').map(painted).collect()
}

fn painted(line: &str) -> String {
    let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
    let text = line.trim_start();
    let indent = &line[..line.len() - text.len()];
    let painted = match indent.len() {
        0 => answered(text).or_else(|| compared(text)),
        _ => numbered(text).or_else(|| listed(text)),
    };
    let heading = || HEADINGS.iter().any(|heading| text.starts_with(heading)).then(|| format!("{BOLD}{text}{PLAIN}"));
    format!("{indent}{}{end}", painted.or_else(heading).unwrap_or_else(|| wrong(text)))
}

/// The word at the beginning of a text, if it is an answer.
fn answer(text: &str) -> Option<(&'static str, &'static str)> {
    let ends =
        |word: &str| text[word.len()..].chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '-' && c != '_');
    ANSWERS.into_iter().find(|(word, _)| text.starts_with(word) && ends(word))
}

/// `name: answer, more`: also where the answer stands in brackets or after a semicolon.
fn answered(text: &str) -> Option<String> {
    let (name, rest) = text.split_once(": ")?;
    let starts = std::iter::once(0).chain(rest.match_indices(['(', ';']).map(|(at, mark)| at + mark.len()));
    let mut places = starts.map(|at| at + rest[at..].len() - rest[at..].trim_start().len());
    let (at, (word, colour)) = places.find_map(|at| Some((at, answer(&rest[at..])?)))?;
    let (before, after) = (&rest[..at], &rest[at + word.len()..]);
    Some(format!("{BOLD}{name}{PLAIN}: {before}{colour}{word}{PLAIN}{after}"))
}

/// The answer of a comparison.
fn compared(text: &str) -> Option<String> {
    let words = [(" does not conform to ", RED), ("unknown whether ", YELLOW), (" conforms to ", GREEN)];
    let (words, colour) = words.into_iter().find(|(words, _)| text.contains(words))?;
    let (before, after) = text.split_once(words)?;
    let inside = words.trim();
    let (left, right) = words.split_once(inside)?;
    Some(format!("{before}{left}{colour}{inside}{PLAIN}{right}{after}"))
}

/// `case 1: more`
fn numbered(text: &str) -> Option<String> {
    let (name, rest) = text.split_once(": ")?;
    let number = name.strip_prefix("case ").or_else(|| name.strip_prefix("sequence "))?;
    number.parse::<usize>().ok()?;
    Some(format!("{BOLD}{name}{PLAIN}: {rest}"))
}

/// `impossible: item`, or a row with an answer in its second column.
fn listed(text: &str) -> Option<String> {
    if let Some((word, colour)) = answer(text).filter(|(word, _)| text[word.len()..].starts_with(':')) {
        return Some(format!("{colour}{word}{PLAIN}{}", &text[word.len()..]));
    }
    let at = text.find("  ")?;
    let start = at + text[at..].len() - text[at..].trim_start().len();
    let (word, colour) = answer(&text[start..])?;
    let after = &text[start + word.len()..];
    let is_cell = after.is_empty() || after.starts_with("  ");
    is_cell.then(|| format!("{}{colour}{word}{PLAIN}{after}", &text[..start]))
}

/// The observation that shows it.
fn wrong(text: &str) -> String {
    match text.strip_suffix("<- wrong") {
        Some(before) => format!("{before}{RED}<- wrong{PLAIN}"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Colours as letters, so that expectations can be read.
    fn seen(text: &str) -> String {
        let letters = [(BOLD, "<b>"), (RED, "<r>"), (GREEN, "<g>"), (YELLOW, "<y>"), (PLAIN, "</>")];
        letters.iter().fold(paint(text), |text, (code, letter)| text.replace(code, letter))
    }

    #[test]
    fn answers_and_headings() {
        assert_eq!(seen("order: found in 3 steps\n"), "<b>order</>: <g>found</> in 3 steps\n");
        assert_eq!(seen("wrong_order: impossible\n"), "<b>wrong_order</>: <r>impossible</>\n");
        assert_eq!(seen("a.json: unknown: why"), "<b>a.json</>: <y>unknown</>: why");
        assert_eq!(seen("log: 2 events; rejected by `M`"), "<b>log</>: 2 events; <r>rejected</> by `M`");
        assert_eq!(seen("t.tw: Timer (no findings)"), "<b>t.tw</>: Timer (<g>no findings</>)");
        assert_eq!(seen("  case 1: 3 steps"), "  <b>case 1</>: 3 steps");
        assert_eq!(seen("    step  event"), "    <b>step  event</>");
        assert_eq!(seen("  bright  holds    at event 2"), "  bright  <g>holds</>    at event 2");
        assert_eq!(seen("  impossible: S.x"), "  <r>impossible</>: S.x");
        assert_eq!(seen("A does not conform to B"), "A <r>does not conform to</> B");
        assert_eq!(seen("unknown whether A conforms to B"), "<y>unknown whether</> A conforms to B");
    }

    #[test]
    fn other_words_stay_as_they_are() {
        for text in ["  1     found / -  founder", "order: foundation", "note: this was found", "\n", ""] {
            assert_eq!(paint(text), text);
        }
    }

    #[test]
    fn nothing_is_obeyed() {
        assert_eq!(visible("a\u{1b}[2Jb\tc\n\u{9b}d\u{202e}"), "a\\u{1b}[2Jb\tc\n\\u{9b}d\\u{202e}");
        let odd = "a\u{1b}b\u{9b}c\u{202e}d";
        assert_eq!(visible_in_place(odd).len(), odd.len());
        assert!(!visible_in_place(odd).chars().any(is_obeyed));
    }
}
