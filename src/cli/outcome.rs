//! How a command ends: the one mapping from answers and failures to exit codes.

use serde_json::json;

use super::{colour, print};
use crate::diagnostic::{Diagnostic, Rejected};
use crate::emit::{TemplateError, diagnostics_json, render};
use crate::syntax::{Sources, SyntaxProblem};

/// At most this many errors are shown.
const MAX_ERRORS: usize = 30;

/// What a command answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// As wished.
    Wished,
    /// A negative answer.
    Negative,
    /// Nothing can be said.
    Unknown,
}

impl Outcome {
    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Outcome::Wished => 0,
            Outcome::Negative => 1,
            Outcome::Unknown => 3,
        }
    }

    /// The outcome of several answers: unknown if any is, else negative if any is.
    pub fn of_all(outcomes: impl IntoIterator<Item = Outcome>) -> Outcome {
        outcomes.into_iter().max().unwrap_or(Outcome::Wished)
    }
}

/// Why a command gave no answer.
#[derive(Debug)]
pub enum Failure {
    /// The input has no meaning.
    Rejected(Vec<Diagnostic>, Box<Sources>),
    /// The arguments have no meaning.
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
    Internal(String),
}

impl Failure {
    pub fn rejected(Rejected(mut diagnostics): Rejected, sources: Sources) -> Failure {
        if diagnostics.len() > MAX_ERRORS {
            let more = SyntaxProblem::TooMany { more: diagnostics.len() - MAX_ERRORS };
            diagnostics.truncate(MAX_ERRORS);
            diagnostics.extend(diagnostics.last().map(|last| last.span).map(|span| more.at(span)));
        }
        Failure::Rejected(diagnostics, Box::new(sources))
    }

    /// Says what went wrong, and returns the exit code.
    pub fn report(self, json: bool) -> u8 {
        let (code, errors, text) = match self {
            Failure::Rejected(diagnostics, sources) => {
                (2, diagnostics_json(&diagnostics, &sources), render(&diagnostics, &sources, colour()))
            }
            Failure::Usage(message) => (2, vec![error_json("usage", &message, "")], format!("error: {message}\n")),
            Failure::Io { path, reason } => {
                (2, vec![error_json("io", &reason, &path)], format!("error: {path}: {reason}\n"))
            }
            Failure::Template(TemplateError { file, line, message }) => {
                let mut error = error_json("template", &message, &file);
                error["line"] = json!(line);
                (2, vec![error], format!("error: {file}:{line}: {message}\n"))
            }
            Failure::Limit(message) => (3, vec![error_json("limit", &message, "")], format!("unknown: {message}\n")),
            Failure::Internal(message) => {
                (70, vec![error_json("internal", &message, "")], format!("internal error: {message}\n"))
            }
        };
        if json {
            // Nothing more can be done about an output that cannot be written.
            let _ = print(&format!("{}\n", json!({ "errors": errors })));
        }
        eprint!("{text}");
        code
    }
}

fn error_json(code: &str, message: &str, file: &str) -> serde_json::Value {
    json!({ "code": code, "message": message, "file": file, "line": 1, "column": 1 })
}

/// A command line that cannot be understood, or a request for help.
pub fn usage(error: &clap::Error, json: bool) -> u8 {
    if error.use_stderr() && json {
        let message = error.to_string();
        let message = message.lines().next().unwrap_or_default().trim_start_matches("error: ");
        let _ = print(&format!("{}\n", json!({ "errors": [error_json("usage", message, "")] })));
    }
    let _ = error.print();
    if error.use_stderr() { 2 } else { 0 }
}
