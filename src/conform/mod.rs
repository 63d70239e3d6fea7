//! Conformance: whether an implementation shows nothing that a specification does not allow (ioco, lifted to symbolic
//! transition systems: sioco).
//!
//! Both are step systems, of any style. After every suspension trace of the specification, whatever the implementation
//! shows next, an output or silence, the specification must show as well. [`conform`] decides it; what it says is either a
//! counterexample that the interpreter has confirmed, or a proof for traces of every length, or a depth.

mod alphabet;
mod counterexample;
mod enabled;
mod matters;
mod pairs;
mod side;
mod words;
mod world;

use std::collections::BTreeSet;

use crate::kernel::{Completion, StepSystem};
use crate::search::{Limit, Limits, Progress};
use crate::solve::{NewSolver, Solver};
use crate::term::{Definitions, Shown};

pub use alphabet::{Alphabet, Label, Mismatch};
pub use counterexample::Counterexample;
pub use enabled::Refusing;
pub use pairs::Happened;
use pairs::{Found, Pairs, Question};
use side::Side;
use world::World;

/// Pairs that are looked at when nothing else is said.
const DEFAULT_PAIRS: usize = 50_000;

/// What is asked.
pub struct Options<'a> {
    /// Longest traces to look at; any if none.
    pub depth: Option<usize>,
    /// What the implementation does with inputs that it has no step for.
    pub completion: Option<Completion>,
    /// Whether only inputs count that no place of the specification refuses (uioco).
    pub is_universal: bool,
    /// What may be used up.
    pub limits: Limits,
    /// Makes solvers.
    pub new_solver: NewSolver<'a>,
}

/// Why an implementation conforms for traces of every length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// All pairs of places that traces can lead to were looked at.
    Exhaustion {
        /// Each of them in words.
        invariant: Vec<String>,
    },
}

/// The answer.
#[derive(Clone, Debug)]
pub struct Conformance {
    /// Whether it conforms; none if nobody can tell.
    pub conforms: Option<bool>,
    /// Length of the traces that were looked at; of the counterexample, if there is one.
    pub depth: usize,
    /// Whether the answer holds for traces of every length.
    pub is_complete: bool,
    /// Why it does.
    pub proof: Option<Proof>,
    /// Why it does not conform.
    pub counterexample: Option<Counterexample>,
    /// Why nobody can tell, or only up to a depth.
    pub reason: Option<String>,
    /// The limit that ended it.
    pub limit: Option<Limit>,
    /// Pairs that were met.
    pub pairs: usize,
    /// Checks by the solver.
    pub solver_calls: usize,
}

impl Options<'_> {
    /// A solver that stops when the limits say so.
    fn solver(&self) -> Box<dyn Solver> {
        let mut solver = (self.new_solver)();
        let limits = self.limits;
        solver.stop_when(std::sync::Arc::new(move || limits.used_up().is_some()));
        solver
    }
}

/// What happened, as an observer writes it: `?rq(1, 2)`, `delta`.
pub fn shown(happened: &Happened, alphabet: &Alphabet, definitions: &Definitions) -> String {
    match happened {
        Happened::Delta => "delta".to_owned(),
        Happened::Label(label, data) => {
            let data: Vec<String> = data.iter().map(|value| Shown { value, definitions }.to_string()).collect();
            format!("{}({})", alphabet.labels[*label], data.join(", "))
        }
    }
}

/// Decides conformance of two models over the same definitions. An error if the implementation refuses an input, and it
/// is not said what that means.
pub fn conform(
    implementation: &StepSystem,
    specification: &StepSystem,
    alphabet: &Alphabet,
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<Conformance, Refusing> {
    let mut doubt = None;
    if options.completion.is_none() {
        match enabled::refusing(implementation, specification, alphabet, options, progress) {
            Ok(None) => {}
            Ok(Some(refusing)) => return Err(refusing),
            Err(reason) => doubt = Some(reason),
        }
    }
    let mut pairs = Pairs::new(
        World::new(&implementation.definitions, options.solver()),
        alphabet,
        Side::implementation(implementation, alphabet, options.completion),
        Side::specification(specification, alphabet),
        if options.is_universal { Question::ConformsUniversally } else { Question::Conforms },
    );
    let mut counterexample = None;
    let found = pairs.search(options.depth, DEFAULT_PAIRS, &options.limits, progress, &mut |finding| {
        counterexample =
            counterexample::confirmed(implementation, specification, alphabet, options.completion, finding);
        counterexample.is_some()
    });
    let met = pairs.met.len();
    let mut answer = Conformance {
        conforms: Some(true),
        depth: 0,
        is_complete: false,
        proof: None,
        counterexample,
        reason: reason(&pairs.world.gaps, pairs.doubts).or(doubt),
        limit: None,
        pairs: met,
        solver_calls: pairs.world.oracle.calls(),
    };
    match found {
        Found::Wrong(finding) => {
            let depth = finding.trace.len();
            return Ok(Conformance { conforms: Some(false), depth, is_complete: true, reason: None, ..answer });
        }
        Found::Closed(depth) => {
            answer.depth = depth;
            answer.is_complete = answer.reason.is_none();
            answer.proof = answer.is_complete.then(|| Proof::Exhaustion { invariant: pairs.in_words() });
        }
        Found::Cut(depth, limit) => {
            answer.depth = if limit == Limit::Depth { depth } else { depth.saturating_sub(1) };
            answer.limit = Some(limit);
        }
    }
    if answer.reason.is_some() {
        answer.conforms = None;
    } else if let Some(limit) = answer.limit {
        answer.reason = Some(limit.to_string());
    }
    Ok(answer)
}

/// Why it cannot be said that everything was looked at.
fn reason(gaps: &BTreeSet<String>, doubts: usize) -> Option<String> {
    match gaps.first() {
        Some(gap) => Some(gap.clone()),
        None if doubts > 0 => Some("what may be wrong could not be confirmed".to_owned()),
        None => None,
    }
}
