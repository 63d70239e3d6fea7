//! Why there is no answer.

use std::fmt;

use serde_json::Value as Json;

use crate::diagnostic::{Diagnostic, Rejected};
use crate::emit::{TemplateError, render, run_json, visible};
use crate::syntax::{Sources, SyntaxProblem};
use crate::synth::Disagreement;

/// At most this many errors are shown.
const MAX_ERRORS: usize = 30;

/// Why a question has no answer. It prints as the command prints it, with the source beside each message.
///
/// ```
/// let error = tracewright::Model::parse("sts Door { initial location Closed  Closed -> Opn : tau }").err().unwrap();
/// let [message] = &error.messages()[..] else { panic!("one message") };
/// assert_eq!((message.line, message.column), (1, 47));
/// assert!(error.to_string().contains("Closed -> Opn : tau"));
/// ```
pub enum Error {
    /// The input has no meaning.
    Rejected(Vec<Diagnostic>, Box<Sources>),
    /// What is asked has no meaning.
    Usage(String),
    /// A file cannot be read or written.
    Io {
        /// The file.
        path: String,
        /// What the system says.
        reason: String,
    },
    /// A template has no meaning.
    Template(TemplateError),
    /// A limit was hit before there was anything to say.
    Limit(String),
    /// Something that must not happen.
    Internal {
        /// What happened.
        message: String,
        /// The run that shows it, as a trace.
        run: Option<Box<Json>>,
    },
}

/// One message, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Stable code, explained by `tracewright explain`.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// The file, if there is one.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// How to mend it.
    pub help: Option<String>,
}

impl Message {
    pub(super) fn of(diagnostic: &Diagnostic, sources: &Sources) -> Message {
        let (line, column) = sources.position(diagnostic.span);
        Message {
            code: diagnostic.code.to_owned(),
            message: diagnostic.message.clone(),
            file: sources.get(diagnostic.span.file).path.clone(),
            line,
            column,
            help: diagnostic.help.clone(),
        }
    }

    pub(crate) fn plain(code: &str, message: &str, file: &str) -> Message {
        let (message, file) = (message.to_owned(), file.to_owned());
        Message { code: code.to_owned(), message, file, line: 1, column: 1, help: None }
    }
}

impl Error {
    pub(crate) fn rejected(Rejected(mut diagnostics): Rejected, sources: Sources) -> Error {
        if diagnostics.len() > MAX_ERRORS {
            let more = SyntaxProblem::TooMany { more: diagnostics.len() - MAX_ERRORS };
            diagnostics.truncate(MAX_ERRORS);
            diagnostics.extend(diagnostics.last().map(|last| last.span).map(|span| more.at(span)));
        }
        Error::Rejected(diagnostics, Box::new(sources))
    }

    /// That something happened that must not.
    pub(crate) fn internal(what: impl fmt::Display) -> Error {
        Error::Internal { message: what.to_string(), run: None }
    }

    /// That two ways to an answer do not agree, or that a limit of evaluation keeps us from knowing.
    pub(crate) fn disagreement(disagreement: &Disagreement) -> Error {
        if let Disagreement::Limit { .. } = disagreement {
            return Error::Limit(disagreement.to_string());
        }
        let run = match disagreement {
            Disagreement::Contradicted { system, run } => Some(Box::new(run_json(run, system))),
            _ => None,
        };
        Error::Internal { message: disagreement.to_string(), run }
    }

    /// The messages one by one.
    pub fn messages(&self) -> Vec<Message> {
        match self {
            Error::Rejected(diagnostics, sources) => {
                diagnostics.iter().map(|diagnostic| Message::of(diagnostic, sources)).collect()
            }
            Error::Usage(message) => vec![Message::plain("usage", message, "")],
            Error::Io { path, reason } => vec![Message::plain("io", reason, path)],
            Error::Template(TemplateError { file, line, message }) => {
                vec![Message { line: *line, ..Message::plain("template", message, file) }]
            }
            Error::Limit(message) => vec![Message::plain("limit", message, "")],
            Error::Internal { message, .. } => vec![Message::plain("internal", message, "")],
        }
    }

    /// As text, in colour if wished.
    pub(crate) fn text(&self, colour: bool) -> String {
        match self {
            Error::Rejected(diagnostics, sources) => render(diagnostics, sources, colour),
            Error::Usage(message) => visible(&format!("error: {message}\n")),
            Error::Io { path, reason } => visible(&format!("error: {path}: {reason}\n")),
            Error::Template(TemplateError { file, line, message }) => {
                visible(&format!("error: {file}:{line}: {message}\n"))
            }
            Error::Limit(message) => visible(&format!("unknown: {message}\n")),
            Error::Internal { message, run } => {
                let run = run.as_ref().map_or(String::new(), |run| format!("the run: {run}\n"));
                visible(&format!(
                    "internal error: {message}\n{run}this is a bug in tracewright; please report it with the model\n"
                ))
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text(false).trim_end())
    }
}

/// What `expect` and `unwrap` show is meant for people as well.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl std::error::Error for Error {}
