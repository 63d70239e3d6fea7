//! Diagnostics as text with the source beside it, and as JSON.

use ariadne::{Color, Config, IndexType, Label, Report, ReportKind, sources};
use serde_json::{Value as Json, json};

use super::paint::{visible, visible_in_place};
use crate::diagnostic::{Diagnostic, Severity};
use crate::syntax::{FileId, Sources, Span};

/// Lines longer than this are not shown: a message must stay readable whatever the input.
const MAX_LINE: usize = 300;
/// Places after so many lines are told, but not shown: all that is before them would have to be looked at.
const MAX_LINES: usize = 100_000;

/// All messages as text, in the order of the source.
pub fn render(diagnostics: &[Diagnostic], files: &Sources, colour: bool) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        if shows_source(diagnostic, files) {
            out.push_str(&with_source(diagnostic, files, colour));
        } else {
            out.push_str(&plain(diagnostic, files));
        }
    }
    out
}

fn shows_source(diagnostic: &Diagnostic, files: &Sources) -> bool {
    let places = diagnostic.related.iter().map(|(span, _)| *span).chain([diagnostic.span]);
    places.into_iter().all(|span| {
        let text = &files.get(span.file).text;
        let (start, end) = (span.start as usize, (span.end as usize).min(text.len()));
        if start > end || text.is_empty() || text[..start].matches('\n').count() > MAX_LINES {
            return false;
        }
        let from = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let to = text[end..].find('\n').map_or(text.len(), |at| end + at);
        text[from..to].split('\n').all(|line| line.len() <= MAX_LINE)
    })
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn plain(diagnostic: &Diagnostic, files: &Sources) -> String {
    let (line, column) = files.position(diagnostic.span);
    let path = &files.get(diagnostic.span.file).path;
    let mut out =
        format!("{path}:{line}:{column}: {}[{}]: {}\n", word(diagnostic.severity), diagnostic.code, diagnostic.message);
    if let Some(help) = &diagnostic.help {
        out.push_str(&format!("  help: {help}\n"));
    }
    visible(&out)
}

/// A file in a message. Two texts may have one name: what two flags say.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Named {
    file: FileId,
    path: String,
}

impl std::fmt::Display for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.path)
    }
}

fn with_source(diagnostic: &Diagnostic, files: &Sources, colour: bool) -> String {
    let (kind, paint) = match diagnostic.severity {
        Severity::Error => (ReportKind::Error, Color::Red),
        Severity::Warning => (ReportKind::Warning, Color::Yellow),
    };
    let named = |file: FileId| Named { file, path: visible(&files.get(file).path) };
    let message = visible(&diagnostic.message);
    // An empty place, such as the end of the file, is shown as one character if there is one.
    let place = |span: Span| {
        let text = &files.get(span.file).text;
        let mut range = span.range();
        if range.is_empty() {
            let next = text[range.start.min(text.len())..].chars().next().filter(|c| *c != '\n');
            range.end += next.map_or(0, char::len_utf8);
        }
        (named(span.file), range)
    };
    let mut report = Report::build(kind, place(diagnostic.span))
        .with_config(Config::default().with_index_type(IndexType::Byte).with_color(colour).with_compact(false))
        .with_code(diagnostic.code)
        .with_message(&message)
        .with_label(Label::new(place(diagnostic.span)).with_color(paint).with_message(&message));
    for (span, note) in &diagnostic.related {
        report = report.with_label(Label::new(place(*span)).with_color(Color::Blue).with_message(visible(note)));
    }
    if let Some(help) = &diagnostic.help {
        report = report.with_help(visible(help));
    }
    let numbered = files.files().iter().zip(0..).map(|(file, number)| (named(FileId(number)), &file.text));
    let texts = sources(numbered.map(|(name, text)| (name, visible_in_place(text))));
    let mut bytes = vec![];
    match report.finish().write(texts, &mut bytes) {
        Ok(()) => String::from_utf8_lossy(&bytes).lines().map(|l| format!("{}\n", l.trim_end())).collect(),
        Err(_) => plain(diagnostic, files),
    }
}

/// `{"errors": [...]}`
pub fn diagnostics_json(diagnostics: &[Diagnostic], files: &Sources) -> Vec<Json> {
    let one = |d: &Diagnostic| {
        let (line, column) = files.position(d.span);
        let mut json = json!({
            "code": d.code,
            "message": d.message,
            "file": files.get(d.span.file).path,
            "line": line,
            "column": column,
        });
        if let Some(help) = &d.help {
            json["help"] = json!(help);
        }
        json
    };
    diagnostics.iter().map(one).collect()
}
