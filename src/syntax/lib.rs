//! From text to tree and back.
//!
//! Knows what is written, never what a name means. Parsing does not fail: it returns a tree *and* the errors, and leaves
//! out what could not be read. Tested by round trips of the printer (`tests/`), by hostile input, and by the wrong models
//! in `tests/wrong`.

mod build;
mod chart;
mod chart_words;
pub mod diagnostic;
mod parse;
mod print;
mod problem;
mod sources;
mod span;
mod token;
pub mod tree;

pub use chart::read_chart;
pub use parse::{parse_expr, parse_file, parse_model_reference};
pub use print::{print_expr, print_file, print_text, print_type};
pub use problem::SyntaxProblem;
pub use sources::{Source, Sources, load, load_one};
pub use span::{FileId, Span};
