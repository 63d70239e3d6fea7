//! Two models, compared.

use std::fmt;

use serde_json::{Value as Json, json};

use super::error::Error;
use super::model::{Model, copied};
use crate::confirm::Recheck;
use crate::conform::{Alphabet, Conformance, Engine, Mismatch, NotCompared, Options, Refusing, conform};
use crate::diagnostic::Rejected;
use crate::emit::{Compared, conformance_json, conformance_text, observed_json};
use crate::kernel::{Completion, StepSystem};
use crate::model::Problem;
use crate::search::{Limits, Progress};
use crate::solve::{Solver, Z3};
use crate::syntax::{Sources, Span};
use crate::term::join;

/// How to compare.
pub(crate) struct Comparing {
    pub engine: Engine,
    pub depth: Option<usize>,
    pub completion: Option<Completion>,
    pub is_universal: bool,
    pub limits: Limits,
    pub recheck: Recheck,
    pub seed: u64,
}

impl Default for Comparing {
    fn default() -> Comparing {
        let limits = Limits::default();
        let recheck = Recheck::default();
        Comparing { engine: Engine::Auto, depth: None, completion: None, is_universal: false, limits, recheck, seed: 0 }
    }
}

/// Whether one model conforms to another. It prints as `conform` prints it.
pub struct Comparison {
    implementation: StepSystem,
    specification: StepSystem,
    alphabet: Alphabet,
    pub(crate) answer: Conformance,
    sources: Sources,
}

impl Comparison {
    /// Whether the implementation conforms; none if that is unknown.
    pub fn conforms(&self) -> Option<bool> {
        self.answer.conforms
    }

    /// Whether this is known for traces of every length.
    pub fn is_complete(&self) -> bool {
        self.answer.is_complete
    }

    /// Everything, in the form of `conform --json`.
    pub fn to_json(&self) -> Json {
        conformance_json(&self.compared())
    }

    pub(crate) fn compared(&self) -> Compared<'_> {
        let Comparison { implementation, specification, alphabet, answer, sources } = self;
        Compared { implementation, specification, alphabet, answer, sources }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&conformance_text(&self.compared()))
    }
}

/// Compares an implementation with a specification.
pub(crate) fn compare(
    implementing: &Model,
    specifying: &Model,
    how: &Comparing,
    progress: &mut dyn Progress,
) -> Result<Comparison, Error> {
    let (implementation, specification) = (implementing.step_system()?, specifying.step_system()?);
    // What a service shows are its prompts and nodes, and these are no outputs at gates.
    for system in [&implementation, &specification] {
        if let Some(service) = system.machines.iter().find(|machine| machine.service.is_some()) {
            return Err(Error::Limit(format!("what the service `{}` shows cannot be compared yet", service.name)));
        }
    }
    let (definitions, renumbered) = join(&implementation.definitions, &specification.definitions);
    let definitions = std::sync::Arc::new(definitions);
    let specification = specification.renumbered(&definitions, &renumbered);
    let implementation = StepSystem { definitions, ..implementation };
    let place = declared(implementing, &implementation);
    let alphabet = Alphabet::new(&implementation, &specification).map_err(|mismatches| {
        let problems = mismatches.into_iter().map(|mismatch| problem(mismatch).at(place)).collect();
        implementing.rejected(Rejected(problems))
    })?;
    let seed = how.seed;
    let new_solver = move || -> Box<dyn Solver> { Box::new(Z3::new(seed)) };
    let options = Options {
        engine: how.engine,
        depth: how.depth,
        completion: how.completion,
        is_universal: how.is_universal,
        limits: how.limits,
        recheck: how.recheck,
        new_solver: &new_solver,
    };
    let answer = conform(&implementation, &specification, &alphabet, &options, progress);
    let answer = answer.map_err(|not| match not {
        NotCompared::Refusing(Refusing { input, place: at, after }) => {
            let after = if after.is_empty() { String::new() } else { format!(", after {}", after.join(" ")) };
            let problem = Problem::RefusesInput { model: implementation.name.clone(), input, place: at, after };
            implementing.rejected(Rejected(vec![problem.at(place)]))
        }
        NotCompared::Contradicted(found) => {
            let trace = [&found.trace[..], std::slice::from_ref(&found.observed)].concat();
            let names = (&implementation.name, &specification.name);
            Error::Internal {
                message: format!(
                    "`{}` is proved to conform to `{}`, and a walk of the reference interpreter contradicts it",
                    names.0, names.1
                ),
                run: Some(Box::new(json!({ "steps": observed_json(&trace, &alphabet, &specification) }))),
            }
        }
    })?;
    let sources = copied(&specifying.sources);
    Ok(Comparison { implementation, specification, alphabet, answer, sources })
}

/// The line on which a model is declared.
fn declared(model: &Model, system: &StepSystem) -> Span {
    let span = model.checked.models.iter().find(|m| m.name == system.name).map_or(Span::default(), |m| m.span);
    let text = model.sources.text(span);
    Span { end: span.start + text.find('\n').unwrap_or(text.len()) as u32, ..span }
}

fn problem(mismatch: Mismatch) -> Problem {
    match mismatch {
        Mismatch::Direction { gate } => Problem::DirectionsDiffer { gate },
        Mismatch::Params { gate, implementation, specification } => {
            Problem::ParametersDiffer { gate, here: implementation, there: specification }
        }
    }
}
