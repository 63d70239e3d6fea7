//! What people and programs read: text, JSON, graphs. Decides nothing.

mod diagnostics;
mod dot;
mod generated;
mod run;

pub use diagnostics::{diagnostics_json, render};
pub use dot::dot;
pub use generated::{Generated, conflict, generated_files, generated_json, generated_mermaid, generated_text};
pub use run::{fired, label, run_json, run_table, step_json};
