//! Test code: what `gen` and `cover` found, as tests that people run.
//!
//! There is one form for all of it (`form`, made by `of_results`), one walk over it for all programming languages (`code`), and one
//! file for each of them (`languages`). A language gets a file of tests, and an adapter that is written once and belongs to the user. Decides
//! nothing: what is sent, expected and allowed was decided by the script. Tested with the real runners.

mod code;
mod form;
mod gherkin;
mod languages;
mod of_results;
mod syntax;
mod table;
mod template;
mod words;

pub use form::Form;
pub use of_results::{generated_forms, suite_form};
pub use template::{TemplateError, check_template, rendered};

/// What is written for a model in one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// Name and text of the tests.
    pub tests: (String, String),
    /// Name and text of the adapter, which is written only if it is not there.
    pub adapter: Option<(String, String)>,
}

/// Languages that tests are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TestLanguage {
    Pytest,
    Rust,
    Vitest,
    Junit5,
    Go,
    Gherkin,
    Table,
}

impl TestLanguage {
    /// The files for a model.
    pub fn files(self, form: &Form) -> Files {
        match self {
            TestLanguage::Pytest => code::files(&languages::Python, form),
            TestLanguage::Rust => code::files(&languages::Rust, form),
            TestLanguage::Vitest => code::files(&languages::JavaScript, form),
            TestLanguage::Junit5 => code::files(&languages::Java, form),
            TestLanguage::Go => code::files(&languages::Go, form),
            TestLanguage::Gherkin => gherkin::files(form),
            TestLanguage::Table => table::files(form),
        }
    }
}

/// A plain name of files for a model: `Supplier` is `supplier`, `TokenRing` is `token_ring`.
fn stem(model: &str) -> String {
    let mut out = String::new();
    let mut is_small = false;
    for c in of_results::word(model).chars() {
        if c.is_ascii_uppercase() && is_small {
            out.push('_');
        }
        is_small = c.is_ascii_lowercase() || c.is_ascii_digit();
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// What stands at the head of a file of tests.
fn about(form: &Form) -> Vec<String> {
    let Form { model, command, seed, tests, missing, .. } = form;
    let count = super::generated::counted(tests.len(), "test");
    let mut out = vec![format!("{count} of {model}, made by `tracewright {command}` with seed {seed}. Do not edit.")];
    out.extend(missing.iter().map(|one| format!("Not here: {one}")));
    out
}

/// What a test is for, line by line.
fn purpose_lines(test: &form::Test) -> Vec<String> {
    let mut out = match test.meets {
        true => test.constraints.clone(),
        false => vec![format!("does not meet {}", test.constraints.join(" and "))],
    };
    out.extend(test.class.iter().map(|class| format!("class {class}")));
    out.extend(test.reasons.iter().map(|reason| format!("data: {reason}")));
    if !test.covers.is_empty() {
        out.push(format!("covers {}", test.covers.join(", ")));
    }
    out
}

/// What the author of an adapter has to know of a model, line by line.
fn interface(form: &Form) -> Vec<String> {
    let ports = |ports: &[form::Port]| {
        ports.iter().map(|port| format!("{}: {}", port.name, port.ty)).collect::<Vec<_>>().join(", ")
    };
    let mut out = vec![];
    if form.style == "lockstep" {
        out.push(format!("inputs: {}", ports(&form.inputs)));
        out.push(format!("outputs: {}", ports(&form.outputs)));
    }
    for gate in &form.gates {
        let results =
            if gate.results.is_empty() { String::new() } else { format!(", returns {}", ports(&gate.results)) };
        let what = if gate.direction == "in" { "input" } else { "output" };
        out.push(format!("{what} {}({}){results}", gate.name, ports(&gate.params)));
    }
    if !form.initial.is_empty() {
        out.push(format!("before the first step: {}", ports(&form.initial)));
    }
    out
}
