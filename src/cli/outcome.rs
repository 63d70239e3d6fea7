//! How a command ends: the one mapping from answers and failures to exit codes.

use serde_json::{Value as Json, json};

use super::{colour, print, warn};
use crate::api::Message;
use crate::emit::Status;

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

    /// The same in a test report.
    pub fn status(self) -> Status {
        match self {
            Outcome::Wished => Status::Passed,
            Outcome::Negative => Status::Failed,
            Outcome::Unknown => Status::Unknown,
        }
    }

    /// The outcome of several answers: unknown if any is, else negative if any is.
    pub fn of_all(outcomes: impl IntoIterator<Item = Outcome>) -> Outcome {
        outcomes.into_iter().max().unwrap_or(Outcome::Wished)
    }
}

/// Why a command gave no answer.
pub use crate::api::Error as Failure;

impl Failure {
    /// Says what went wrong, and returns the exit code.
    pub fn report(self, json: bool) -> u8 {
        let code = match self {
            Failure::Rejected(..) | Failure::Usage(_) | Failure::Io { .. } | Failure::Template(_) => 2,
            Failure::Limit(_) => 3,
            Failure::Internal { .. } => 70,
        };
        let mut errors: Vec<Json> = self.messages().iter().map(message_json).collect();
        if let (Failure::Internal { run: Some(run), .. }, [error]) = (&self, &mut errors[..]) {
            error["run"] = (**run).clone();
        }
        let text = self.text(colour());
        if json {
            // Nothing more can be done about an output that cannot be written.
            let _ = print(&format!("{}\n", json!({ "errors": errors })));
        }
        warn(&text);
        code
    }
}

fn message_json(message: &Message) -> Json {
    let Message { code, message, file, line, column, help } = message;
    let mut json = json!({ "code": code, "message": message, "file": file, "line": line, "column": column });
    if let Some(help) = help {
        json["help"] = json!(help);
    }
    json
}

/// A command line that cannot be understood, or a request for help.
pub fn usage(error: &clap::Error, json: bool) -> u8 {
    if error.use_stderr() && json {
        let message = error.to_string();
        let message = message.lines().next().unwrap_or_default().trim_start_matches("error: ");
        let _ = print(&format!("{}\n", json!({ "errors": [message_json(&Message::plain("usage", message, ""))] })));
    }
    let is_shown = match error.print() {
        Ok(()) => true,
        Err(error) => error.kind() == std::io::ErrorKind::BrokenPipe,
    };
    if error.use_stderr() || !is_shown { 2 } else { 0 }
}
