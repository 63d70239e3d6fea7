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

/// The longest word for which a column is kept wide enough.
const LONGEST_WORD: usize = 24;

/// The head of a column. The style keeps it as wide as the longest word of its cells, so that lines break between words.
pub fn column<'c>(name: &str, cells: impl IntoIterator<Item = &'c str>) -> String {
    let words = cells.into_iter().flat_map(str::split_whitespace).map(|word| word.chars().count());
    let longest = words.max().unwrap_or(0).min(LONGEST_WORD);
    format!("<th scope=\"col\" style=\"--word: {longest}\">{}</th>", text(name))
}

/// A table; the first row is the header. Columns without any text are left out. The other rows are called by their number, from
/// one, after `id`, if there is one.
pub fn table(caption: &str, rows: &[Vec<String>], id: Option<&str>) -> String {
    let Some((header, body)) = rows.split_first() else { return String::new() };
    let cells = |column: usize| body.iter().filter_map(move |row| row.get(column)).map(String::as_str);
    let is_used = |place: &usize| cells(*place).any(|cell| !cell.is_empty());
    let used: Vec<usize> = (0..header.len()).filter(is_used).collect();
    let mut out = format!("<table><caption>{}</caption>\n<thead><tr>", text(caption));
    out.extend(used.iter().map(|place| column(&header[*place], cells(*place))));
    out.push_str("</tr></thead>\n<tbody>\n");
    for (number, row) in body.iter().enumerate() {
        let id = id.map(|id| format!(" id=\"{id}{}\"", number + 1)).unwrap_or_default();
        let cells: String = used.iter().map(|place| format!("<td>{}</td>", text(&row[*place]))).collect();
        out.push_str(&format!("<tr{id}>{cells}</tr>\n"));
    }
    out.push_str("</tbody></table>\n");
    out
}

/// What stands in place of a list of which a filter leaves nothing; hidden until then.
pub const NOTHING_LEFT: &str = "<p class=\"note none\" hidden>Nothing here matches the filter.</p>\n";

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
