//! Texts of drawings: how wide they are, where their lines break, and how they stand in XML and HTML.
//!
//! Widths come from a table, so that a drawing does not depend on the fonts of a machine. Tested by the drawings in which no two
//! texts overlap.

/// Widths of the printable characters of ASCII in Helvetica, in thousandths of the size of the font.
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
    722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
    556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
    260, 334, 584,
];
/// The width of any other character.
const OTHER: usize = 1000;
const FONT: usize = 13;
/// From one line to the next.
pub const LINE: usize = 16;
/// From the top of a line to where its letters stand.
pub const BASE: usize = 12;
/// Characters of a line before it is broken.
const LONGEST: usize = 48;

fn known_width(c: char) -> Option<usize> {
    let place = (c as usize).checked_sub(32)?;
    WIDTHS.get(place).map(|width| *width as usize)
}

/// Width of a line of text, rounded up. Titles are bold, and no wider than this either: they are stretched to it.
pub fn measured(text: &str) -> usize {
    let width = |c: char| known_width(c).unwrap_or(OTHER);
    (text.chars().map(width).sum::<usize>() * FONT).div_ceil(1000)
}

/// The attributes that make a line as wide as it is measured to be. Other scripts have room enough, and letters that must not be
/// stretched.
pub fn stretched(text: &str) -> String {
    match text.chars().all(|c| known_width(c).is_some()) {
        true => format!(" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"", measured(text)),
        false => String::new(),
    }
}

/// Breaks a text into lines, at spaces if there are any.
pub fn lines(text: &str) -> Vec<String> {
    let mut out = vec![];
    let mut rest: Vec<char> = text.chars().collect();
    while rest.len() > LONGEST {
        let space = rest[..LONGEST].iter().rposition(|c| *c == ' ').filter(|at| *at > LONGEST / 3);
        let after = rest.split_off(space.map_or(LONGEST, |at| at + 1));
        out.push(rest.into_iter().collect::<String>().trim_end().to_owned());
        rest = after;
    }
    out.push(rest.into_iter().collect());
    out
}

/// Width of the widest of some lines.
pub fn widest(lines: &[String]) -> usize {
    lines.iter().map(|line| measured(line)).max().unwrap_or(0)
}

/// Text inside of XML, which has no place for control characters.
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
