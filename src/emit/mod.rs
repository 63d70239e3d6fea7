//! What people and programs read: text, JSON, graphs. Decides nothing.

mod diagnostics;
mod dot;
mod run;

pub use diagnostics::{diagnostics_json, render};
pub use dot::dot;
pub use run::{Run, fired, label, run_json, run_table, step_json};
