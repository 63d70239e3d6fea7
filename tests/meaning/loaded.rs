//! From text to a step system.

use tracewright::kernel::{StepSystem, lower};
use tracewright::model;
use tracewright::syntax::{Sources, parse_model_reference};

/// One of the models of a text, which has no errors; the name may have arguments.
pub fn system(text: &str, name: &str) -> StepSystem {
    let (mut sources, errors) = Sources::from_text("model.tw", text);
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    let (checked, problems) = model::check(&sources);
    assert!(problems.iter().all(|p| p.severity == tracewright::diagnostic::Severity::Warning), "{problems:?}\n{text}");
    let id = sources.add_fragment("name", name);
    let reference = parse_model_reference(id, name).expect("a reference");
    let assembled = model::assemble(&checked, Some(&reference), Default::default())
        .unwrap_or_else(|rejected| panic!("{rejected:?}\n{text}"));
    lower(&assembled).expect("a small model")
}
