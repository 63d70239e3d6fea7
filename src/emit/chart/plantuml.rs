//! Charts for PlantUML: states are hexagons, transitions rectangles, steps end with a divider, what is marked is coloured.

use super::{Chart, Drawn, RowKind, copies, identifiers, said_of};

/// Words that begin something else than a message.
const WORDS: &[&str] = &[
    "activate",
    "actor",
    "also",
    "alt",
    "and",
    "as",
    "autonumber",
    "boundary",
    "box",
    "break",
    "collections",
    "control",
    "create",
    "critical",
    "database",
    "deactivate",
    "destroy",
    "else",
    "end",
    "entity",
    "footer",
    "group",
    "header",
    "hide",
    "hnote",
    "left",
    "loop",
    "newpage",
    "note",
    "of",
    "opt",
    "order",
    "over",
    "par",
    "participant",
    "queue",
    "ref",
    "return",
    "right",
    "rnote",
    "skin",
    "skinparam",
    "title",
];

/// The colour of what is marked.
const MARK: &str = "#C77700";

pub fn document(drawn: &[Drawn]) -> String {
    let part = |drawn: &Drawn| match drawn {
        Drawn::Said(text) => text.trim_end().lines().map(|line| format!("' {}\n", line.replace("/'", "/ '"))).collect(),
        Drawn::Chart(chart) => plantuml(chart),
    };
    drawn.iter().map(part).collect()
}

/// A text without marks of emphasis, escapes, tags and comments: such characters stand by their numbers.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    let mut last = None;
    for c in text.chars() {
        let is_doubled = last == Some(c) && "*/_-\"'=.^".contains(c);
        let begins_comment = c == '\'' && last == Some('/');
        match "\\<~&$%#|".contains(c) || c.is_control() || is_doubled || begins_comment {
            true => out.push_str(&format!("<U+{:04X}>", c as u32)),
            false => out.push(c),
        }
        last = Some(c);
    }
    out
}

fn plantuml(chart: &Chart) -> String {
    let ids = identifiers(&chart.lifelines, WORDS);
    let mut out = format!("@startuml\n' global order\ntitle {}\n", escaped(&chart.title));
    for (number, (id, name)) in ids.iter().zip(&chart.lifelines).enumerate() {
        let shown = if number == super::ENVIRONMENT { "Environment".to_owned() } else { escaped(name) };
        match id == name && number != super::ENVIRONMENT {
            true => out.push_str(&format!("participant {id}\n")),
            false => out.push_str(&format!("participant \"{shown}\" as {id}\n")),
        }
        if let Some(said) = said_of(number, id, name) {
            out.push_str(&format!("' {said}\n"));
        }
    }
    let whole = match &ids[..] {
        [first, .., last] => format!("{first}, {last}"),
        ids => ids.join(", "),
    };
    for row in &chart.rows {
        let mut line = |text: String| out.push_str(&format!("{text}\n"));
        let arrow = if row.is_marked { format!("-[{MARK},bold]>") } else { "->".to_owned() };
        let colour = if row.is_marked { " #FFE9B8" } else { "" };
        match &row.kind {
            RowKind::Message { from, to, text, is_hidden: false } => {
                line(format!("{} {arrow} {} : {}", ids[*from], ids[to[0]], escaped(text)));
                for (at, text) in copies(to, text) {
                    line(format!("note over {} : {}", ids[at], escaped(&text)));
                }
            }
            RowKind::Message { from, to, text, is_hidden: true } => {
                let over: Vec<&str> = [*from, to[to.len() - 1]].iter().map(|at| ids[*at].as_str()).collect();
                line(format!("note over {}{colour} : tau: {}", over.join(", "), escaped(text)));
            }
            RowKind::Internal(at) => line(format!("{} {arrow} {} : tau", ids[*at], ids[*at])),
            RowKind::Fired(at, name) => line(format!("rnote over {}{colour} : fires {}", ids[*at], escaped(name))),
            RowKind::State(at, name) => {
                line(format!("hnote over {}{colour} : {}", ids[*at], escaped(&super::state_note(name))))
            }
            RowKind::Tick(number) => line(format!("== tick {number} ==")),
            RowKind::Remark(at, text) => line(format!("note over {}{colour} : {}", ids[*at], escaped(text))),
            RowKind::Note(text) => line(format!("note over {whole}{colour} : {}", escaped(text))),
        }
    }
    out.push_str("@enduml\n");
    out
}
