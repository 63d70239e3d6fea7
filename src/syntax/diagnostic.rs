//! A problem at a place in the source, ready to be shown. Every layer has its own enum of problems; this is what they become.

use crate::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// No meaning can be given.
    Error,
    /// Worth a look; the model has a meaning.
    Warning,
}

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Stable code, explained by `tracewright explain`.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Other places that matter, with what they have to do with it.
    pub related: Vec<(Span, String)>,
    /// How to mend it.
    pub help: Option<String>,
}

/// Several messages, at least one of them an error.
#[derive(Debug)]
pub struct Rejected(pub Vec<Diagnostic>);

/// Puts messages in the order of their places, each of them once: what is used in several ways is checked several times.
pub fn each_once(messages: &mut Vec<Diagnostic>) {
    let place = |m: &Diagnostic| (m.span.file, m.span.start, m.span.end, m.code);
    messages.sort_by(|a, b| place(a).cmp(&place(b)).then_with(|| a.message.cmp(&b.message)));
    messages.dedup_by(|a, b| place(a) == place(b) && a.message == b.message);
}
