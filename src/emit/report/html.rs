//! Pieces of HTML. Every text that is given here is escaped here.

use super::super::lettering::escaped;

/// A text inside of an element or an attribute; its lines stay lines.
pub fn text(text: &str) -> String {
    let tabs = text.replace('\t', "  ").replace('\r', "");
    tabs.split('\n').map(escaped).collect::<Vec<_>>().join("\n")
}

/// An element with a class around a text.
pub fn element(name: &str, class: &str, inside: &str) -> String {
    format!("<{name} class=\"{class}\">{}</{name}>", text(inside))
}

/// A coloured word: an answer, a status.
pub fn badge(word: &str) -> String {
    format!("<span class=\"badge {0}\">{0}</span>", text(word))
}

/// A table; the first row is the header. Columns without any text are left out.
pub fn table(caption: &str, rows: &[Vec<String>]) -> String {
    let Some((header, body)) = rows.split_first() else { return String::new() };
    let is_used = |column: &usize| body.iter().any(|row| row.get(*column).is_some_and(|cell| !cell.is_empty()));
    let columns: Vec<usize> = (0..header.len()).filter(is_used).collect();
    let cells = |row: &[String], open: &str, close: &str| -> String {
        columns.iter().map(|column| format!("<{open}>{}</{close}>", text(&row[*column]))).collect()
    };
    let mut out = format!("<table><caption>{}</caption>\n<thead><tr>", text(caption));
    out.push_str(&cells(header, "th scope=\"col\"", "th"));
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in body {
        out.push_str(&format!("<tr>{}</tr>\n", cells(row, "td", "td")));
    }
    out.push_str("</tbody></table>\n");
    out
}

/// Something wide that scrolls for itself, by keyboard as well.
pub fn wide(label: &str, inside: &str) -> String {
    format!("<div class=\"wide\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">\n{inside}</div>\n", text(label))
}

/// A part that can be folded. What is in a folded one is a plain text until it is opened, and costs nothing; that it ends where
/// it should is certain, since no text of a model has a `<` left.
pub fn fold(head: &str, summary: &str, is_open: bool, parts: &[String]) -> String {
    let open = if is_open { " open" } else { "" };
    let mut out = format!("<details {head}{open}><summary>{summary}</summary>\n");
    for part in parts {
        out.push_str(&match is_open {
            true => part.clone(),
            false => format!("<script type=\"text/plain\" class=\"later\">{part}</script>\n"),
        });
    }
    out.push_str("</details>\n");
    out
}

/// Pairs of a name and a text.
pub fn pairs<'p>(class: &str, pairs: impl IntoIterator<Item = (&'p str, &'p str)>) -> String {
    let pairs =
        pairs.into_iter().map(|(name, said)| format!("<div><dt>{}</dt><dd>{}</dd></div>\n", text(name), text(said)));
    let inside: String = pairs.collect();
    if inside.is_empty() { inside } else { format!("<dl class=\"{class}\">\n{inside}</dl>\n") }
}
