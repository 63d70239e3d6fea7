//! What people and programs read: text, JSON, graphs. Decides nothing.

mod chart;
mod conformance;
mod data;
mod decided;
mod diagnostics;
mod dot;
mod executions;
mod generated;
mod graph;
mod junit;
mod kept;
mod lettering;
mod monitored;
mod paint;
mod proof;
mod refusal;
mod report;
mod run;
mod safety;
mod suite;
mod symbolic;
mod tests;
mod width;

pub use chart::{Chart, Drawing, Drawn, Marks, Row, RowKind, marks};
pub use conformance::{Compared, conformance_chart, conformance_json, conformance_text, observed_json};
pub use decided::{Decided, decided_json, decided_text};
pub use diagnostics::{diagnostics_json, render};
pub use dot::dot;
pub use executions::{Executions, executions_json, executions_text};
pub use generated::{
    Generated, conflict, file_stem, generated_charts, generated_files, generated_graphs, generated_json, generated_text,
};
pub use graph::{GraphState, GraphTransition, MachineGraph, ModelGraph, machine_svg, model_dot};
pub use junit::{Judgement, Status, junit};
pub use kept::{
    broken_text, explanation_json, explanation_text, judged_json, kept_json, kept_stem, shrunk_text, test_json,
    test_text,
};
pub use monitored::{judged_lines, model_lines, monitored_json, monitored_text};
pub use paint::{paint, visible};
pub use refusal::{refusal_json, refusal_text};
pub use report::{Made, MadeFor, generated_report, suite_report};
pub use run::{fired, label, run_json, run_table, step_json};
pub use suite::{CoveredSuite, suite_charts, suite_files, suite_graph, suite_json, suite_text};
pub use symbolic::{Symbolic, symbolic_json, symbolic_text};
pub use tests::{Files, Form, TemplateError, TestLanguage, check_template, generated_forms, rendered, suite_form};
pub use width::keep_to_width;
