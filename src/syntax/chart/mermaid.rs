//! Mermaid sequence diagrams, line by line.

use super::super::problem::SyntaxProblem;
use super::assemble::{Assembler, BlockKind};
use super::piece::{Piece, is_name};

/// Arrows, each before those that it begins with.
const ARROWS: [&str; 10] = ["<<-->>", "<<->>", "-->>", "->>", "--x", "--)", "-->", "-x", "-)", "->"];

/// Lines that are looked at for their layout only.
const LAYOUT: [&str; 10] =
    ["autonumber", "title", "acctitle", "accdescr", "link", "links", "properties", "details", "activate", "deactivate"];

const DIAGRAM: &str = "sequenceDiagram";

/// Where the diagram begins, if the file holds one: behind comments and what says how it is shown.
pub fn begins(text: &str) -> Option<usize> {
    let mut at = 0;
    let mut in_front = false;
    let mut in_directive = false;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim().trim_start_matches('\u{feff}');
        if in_directive || trimmed.starts_with("%%{") {
            in_directive = !trimmed.ends_with("}%%");
        } else if trimmed == "---" && (in_front || text[..at].trim().is_empty()) {
            in_front = !in_front;
        } else if trimmed.split([' ', '\t', ';', '%']).next() == Some(DIAGRAM) {
            return Some(at);
        } else if !in_front && !trimmed.is_empty() && !trimmed.starts_with("%%") {
            return None;
        }
        at += line.len();
    }
    None
}

/// Reads the diagram that begins at `start`.
pub fn read(text: &str, start: usize, out: &mut Assembler) {
    let mut lines = vec![];
    let mut at = 0;
    let mut in_directive = false;
    for line in text.split_inclusive('\n') {
        let piece = Piece::line(line, at);
        let is_before = at < start;
        at += line.len();
        if in_directive || piece.text().starts_with("%%{") {
            in_directive = !piece.text().ends_with("}%%");
        } else if let Some(comment) = piece.text().strip_prefix("%%") {
            out.comment(&piece.from(piece.text().len() - comment.len()));
        } else if !is_before {
            lines.extend(statements(&piece));
        }
    }
    let mut in_description = false;
    for (number, line) in lines.iter().enumerate() {
        if number == 0 {
            let (_, rest) = line.word();
            if !rest.is_empty() {
                out.wrong(SyntaxProblem::BadLine, &rest);
            }
        } else if in_description {
            in_description = !line.text().contains('}');
        } else {
            in_description = line.text().to_lowercase().starts_with("accdescr")
                && line.text().contains('{')
                && !line.text().contains('}');
            if !in_description {
                statement(line, out);
            }
        }
    }
}

/// A semicolon ends a statement, unless it ends a character that is written by its number.
fn statements(line: &Piece) -> Vec<Piece> {
    let text = line.text();
    let mut out = vec![];
    let mut start = 0;
    for (at, _) in text.match_indices(';') {
        let is_entity = text[start..at].rfind('#').is_some_and(|hash| {
            entity(&text[start + hash..]).is_some_and(|(length, _)| start + hash + length == at + 1)
        });
        if !is_entity {
            out.push(line.slice(start, at).trim());
            start = at + 1;
        }
    }
    out.push(line.from(start).trim());
    out.retain(|statement| !statement.is_empty());
    out
}

/// A character by its number or its name, `#59;` or `#lt;`, at the beginning of a text.
fn entity(text: &str) -> Option<(usize, char)> {
    let rest = text.strip_prefix('#')?;
    let name = &rest[..rest.find(';').filter(|end| (1..=8).contains(end))?];
    let c = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        "num" => '#',
        "semi" => ';',
        "colon" => ':',
        "nbsp" => ' ',
        digits => char::from_u32(digits.parse().ok()?)?,
    };
    Some((name.len() + 2, c))
}

fn decoded(piece: &Piece) -> Piece {
    piece.trim().decoded(entity)
}

fn statement(line: &Piece, out: &mut Assembler) {
    let text = line.text();
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let (word, rest) = (line.slice(0, end), line.from(end));
    let keyword = match rest.text().chars().next() {
        Some(_) if is_sent(&rest) => String::new(),
        None | Some(' ' | '\t' | ':' | '{') => word.text().to_lowercase(),
        Some(_) => String::new(),
    };
    let label = decoded(&rest);
    match keyword.as_str() {
        "participant" | "actor" => participant(&rest, out),
        "note" => note(&word, &rest, out),
        "alt" => out.open(BlockKind::Alt, &word, &label),
        "opt" => out.open(BlockKind::Opt, &word, &label),
        "loop" => out.open(BlockKind::Loop, &word, &label),
        "par" | "par_over" => out.open(BlockKind::Par, &word, &label),
        "critical" => out.open(BlockKind::Group, &word, &label),
        "break" => out.open(BlockKind::Break, &word, &label),
        "rect" | "box" => out.open(BlockKind::Layout, &word, &label),
        "else" => out.next(&word, &label, &[BlockKind::Alt]),
        "and" => out.next(&word, &label, &[BlockKind::Par]),
        "option" => out.next(&word, &label, &[BlockKind::Group]),
        "end" if label.is_empty() => out.end(&word, ""),
        "create" | "destroy" => {
            let what = format!("`{}`: instances exist from the first step to the last, so it", word.text());
            out.wrong(SyntaxProblem::NotInCharts { what }, &word);
        }
        "sequencediagram" => {
            let what = "a second diagram in one file".to_owned();
            out.wrong(SyntaxProblem::NotInCharts { what }, &word);
        }
        keyword if LAYOUT.contains(&keyword) => {}
        _ => message(line, out),
    }
}

/// Whether what follows the first word of a line makes it a message of the lifeline with that name: `->> b: x`.
fn is_sent(rest: &Piece) -> bool {
    let rest = rest.trim();
    let Some(arrow) = ARROWS.iter().find(|arrow| rest.text().starts_with(**arrow)) else { return false };
    let to = rest.from(arrow.len()).split_once(":").map(|(to, _)| to.trim());
    to.is_some_and(|to| is_name(to.text().trim_start_matches(['+', '-']).trim_start()))
}

/// `participant b`, `actor u as The user`, `participant b@{ "type": "queue" }`
fn participant(rest: &Piece, out: &mut Assembler) {
    let rest = rest.trim();
    let end = rest.text().find([' ', '\t', '@']).unwrap_or(rest.text().len());
    let behind = rest.from(end).trim();
    let is_sound = behind.is_empty() || behind.behind("as").is_some() || behind.text().starts_with("@{");
    match is_sound {
        true => out.lifeline(&rest.slice(0, end)),
        false => out.wrong(SyntaxProblem::BadLine, &behind),
    }
}

/// `Note over a,b: text`, `Note left of a: text`
fn note(word: &Piece, rest: &Piece, out: &mut Assembler) {
    let Some((place, text)) = rest.split_once(":") else { return out.wrong(SyntaxProblem::BadLine, word) };
    let (first, behind) = place.word();
    let over = match first.text().to_lowercase().as_str() {
        "over" => behind.split(','),
        "left" | "right" => match behind.behind("of") {
            Some(lifeline) => vec![lifeline],
            None => return out.wrong(SyntaxProblem::BadLine, &behind),
        },
        _ => return out.wrong(SyntaxProblem::BadLine, &first),
    };
    out.note(&over, &decoded(&text));
}

/// `a->>+b: set(5)`
fn message(line: &Piece, out: &mut Assembler) {
    let text = line.text();
    let found = ARROWS.iter().filter_map(|arrow| Some((text.find(arrow)?, *arrow)));
    let Some((at, arrow)) = found.min_by_key(|(at, arrow)| (*at, std::cmp::Reverse(arrow.len()))) else {
        return out.wrong(SyntaxProblem::BadLine, line);
    };
    let from = line.slice(0, at).trim();
    let behind = line.from(at + arrow.len());
    if arrow.starts_with('<') {
        let what = "an arrow in both directions".to_owned();
        return out.wrong(SyntaxProblem::NotInCharts { what }, &line.slice(at, at + arrow.len()));
    }
    let Some((to, label)) = behind.split_once(":") else { return out.wrong(SyntaxProblem::NotOneEvent, line) };
    let to = to.trim();
    let to = if to.text().starts_with(['+', '-']) { to.from(1).trim() } else { to };
    let label = decoded(&label);
    match label.is_empty() {
        true => out.wrong(SyntaxProblem::NotOneEvent, line),
        false => out.message(&from, &to, &label),
    }
}
