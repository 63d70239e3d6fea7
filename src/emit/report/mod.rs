//! One page about everything that was found: for people, in one file, without a network.
//!
//! Purposes and suites are brought into one form here (`of_purposes`, `of_suite`), which is then written as HTML (`page`). Numbers
//! are read from the JSON that the same command prints. Everything that comes from a model is escaped where it is written.
//! Tested in a browser, and by pages for models that try to break out of their texts.

mod html;
mod of_purposes;
mod of_suite;
mod page;

use std::time::Duration;

use super::chart::Chart;
use super::graph::ModelGraph;

pub use of_purposes::generated_report;
pub use of_suite::suite_report;

/// How a report came to be: what only the command line knows.
#[derive(Clone, Debug, Default)]
pub struct Made {
    /// The command that gives the same answers again.
    pub command: String,
    /// How long everything took.
    pub took: Duration,
    /// What is known of each purpose.
    pub each: Vec<MadeFor>,
}

/// How the answer to one purpose came to be.
#[derive(Clone, Copy, Debug)]
pub struct MadeFor {
    /// How long it took.
    pub took: Duration,
    /// Whether the answer is what was wished for.
    pub is_wished: bool,
}

/// What a page shows.
struct Report {
    title: String,
    /// One sentence about the result.
    summary: String,
    /// Names and values: seed, command, counts.
    facts: Vec<(&'static str, String)>,
    took: Duration,
    coverage: Option<Coverage>,
    models: Vec<ModelGraph>,
    /// Purposes, or the one suite.
    groups: Vec<Group>,
}

/// A purpose with its answer, or a suite.
struct Group {
    name: String,
    /// As the contract writes it; none for a suite.
    answer: Option<String>,
    standing: Standing,
    made: Option<MadeFor>,
    /// What is to be said about the answer, each with its kind: proof, conflict, reason.
    said: Vec<(&'static str, String)>,
    /// How it is written in the model.
    written: String,
    entries: Vec<Entry>,
}

/// How an answer stands to what was wished for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// As wished.
    Wished,
    /// A limit ended the search: it may still become what was wished for.
    Open,
    /// Not as wished.
    Unlike,
}

/// A sequence.
struct Entry {
    title: String,
    /// How it stands to the purpose, if its data lies just outside.
    outside: Option<&'static str>,
    remarks: Vec<String>,
    /// Steps with their data, the header first.
    rows: Vec<Vec<String>>,
    chart: Chart,
}

/// What there was to cover.
struct Coverage {
    items: Vec<Covered>,
    covered: usize,
    impossible: usize,
    /// Neither covered nor impossible.
    open: usize,
}

/// An item.
struct Covered {
    name: String,
    /// `covered`, `impossible`, `not-found`, `unknown`
    status: String,
    /// Where it is covered, or why it is not.
    why: String,
    /// The first sequence that covers it, by number, and the step after which it does.
    at: Option<(usize, usize)>,
}
