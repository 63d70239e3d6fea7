//! What people and programs read: text, JSON, graphs. Decides nothing.

mod conformance;
mod data;
mod diagnostics;
mod dot;
mod generated;
mod kept;
mod refusal;
mod run;
mod safety;
mod suite;
mod symbolic;

pub use conformance::{Compared, conformance_json, conformance_mermaid, conformance_text};
pub use diagnostics::{diagnostics_json, render};
pub use dot::dot;
pub use generated::{Generated, conflict, generated_files, generated_json, generated_mermaid, generated_text};
pub use kept::{
    broken_text, explanation_json, explanation_text, judged_json, kept_json, kept_stem, shrunk_text, test_json,
    test_text,
};
pub use refusal::{refusal_json, refusal_text};
pub use run::{fired, label, run_json, run_table, step_json};
pub use suite::{CoveredSuite, suite_files, suite_json, suite_mermaid, suite_text};
pub use symbolic::{Symbolic, symbolic_json, symbolic_text};
