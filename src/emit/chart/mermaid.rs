//! Charts for Mermaid. What is written here is what the reader of such charts reads: states and transitions are notes on
//! one lifeline, steps end with `tick`, what is marked stands in a coloured rectangle.

use super::{Chart, Drawn, RowKind, copies, identifiers, said_of};

/// Words that begin something else than a message.
const WORDS: &[&str] = &[
    "activate",
    "actor",
    "alt",
    "and",
    "as",
    "autonumber",
    "box",
    "break",
    "create",
    "critical",
    "deactivate",
    "destroy",
    "details",
    "else",
    "end",
    "link",
    "links",
    "loop",
    "note",
    "off",
    "opt",
    "option",
    "over",
    "par",
    "par_over",
    "participant",
    "properties",
    "rect",
    "sequencediagram",
    "title",
];

pub fn document(drawn: &[Drawn]) -> String {
    let part = |drawn: &Drawn| match drawn {
        Drawn::Said(text) => text.trim_end().lines().map(comment).collect(),
        Drawn::Chart(chart) => format!("{}{}", comment(&chart.title), mermaid(chart)),
    };
    drawn.iter().map(part).collect()
}

/// A line that is not drawn. Two percent signs and a brace would be a directive, wherever they stand.
fn comment(text: &str) -> String {
    format!("%% {}\n", text.replace("%%{", "%% {"))
}

/// A text that ends with its line. A hash begins a character by its number; two dollar signs would begin a formula, and two
/// percent signs a comment or a directive.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '#' | ';' | '<' | '>' | '$' | '%' => out.push_str(&format!("#{};", c as u32)),
            c if c.is_control() => out.push_str(&format!("#{};", c as u32)),
            c => out.push(c),
        }
    }
    out
}

fn mermaid(chart: &Chart) -> String {
    let ids = identifiers(&chart.lifelines, WORDS);
    let mut out = String::from("sequenceDiagram\n    %% global order\n");
    for (number, (id, name)) in ids.iter().zip(&chart.lifelines).enumerate() {
        let shown = if number == super::ENVIRONMENT { "Environment".to_owned() } else { escaped(name) };
        match id == name && number != super::ENVIRONMENT {
            true => out.push_str(&format!("    participant {id}\n")),
            false => out.push_str(&format!("    participant {id} as {shown}\n")),
        }
        if let Some(said) = said_of(number, id, name) {
            out.push_str(&format!("    {}", comment(&said)));
        }
    }
    let whole = match &ids[..] {
        [first, .., last] => format!("{first},{last}"),
        ids => ids.join(","),
    };
    let mut is_open = false;
    for row in &chart.rows {
        if row.is_marked != is_open {
            out.push_str(if is_open { "    end\n" } else { "    rect rgba(255, 193, 7, 0.3)\n" });
            is_open = row.is_marked;
        }
        let mut line = |text: String| {
            out.push_str(if is_open { "        " } else { "    " });
            out.push_str(&text);
            out.push('\n');
        };
        match &row.kind {
            RowKind::Message { from, to, text, is_hidden: false } => {
                line(format!("{}->>{}: {}", ids[*from], ids[to[0]], escaped(text)));
                for (at, text) in copies(to, text) {
                    line(format!("Note over {}: {}", ids[at], escaped(&text)));
                }
            }
            RowKind::Message { from, to, text, is_hidden: true } => {
                let mut over: Vec<&str> = vec![&ids[*from]];
                over.extend(to.iter().map(|to| ids[*to].as_str()));
                over.dedup();
                let over = if over.len() > 2 { vec![over[0], over[over.len() - 1]] } else { over };
                line(format!("Note over {}: tau: {}", over.join(","), escaped(text)));
            }
            RowKind::Internal(at) => line(format!("{}->>{}: tau", ids[*at], ids[*at])),
            RowKind::Fired(at, name) => line(format!("Note over {}: fires {}", ids[*at], escaped(name))),
            RowKind::State(at, name) => line(format!("Note over {}: {}", ids[*at], escaped(&super::state_note(name)))),
            RowKind::Tick(number) => line(format!("Note over {whole}: tick {number}")),
            RowKind::Remark(at, text) => line(format!("Note over {}: {}", ids[*at], escaped(text))),
            RowKind::Note(text) => line(format!("Note over {whole}: {}", escaped(text))),
        }
    }
    if is_open {
        out.push_str("    end\n");
    }
    out
}
