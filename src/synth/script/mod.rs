//! What a test does and what it allows: a run as a script for whoever executes it.
//!
//! The plan is one run, but a system that is free to choose its data must not fail because it chose other data. So a script says
//! for each step which data it sends, in terms of what was observed before; when what is observed lets the run go on as planned;
//! and what the model would have allowed instead. Lock-step systems are asked through the interpreter (`lockstep`), events at gates over terms
//! (`gates`, with all states that the same events may have led to in `places`); `said` puts terms into the small language of
//! scripts. What that language cannot say is never a reason to fail. Knows no test runner. Tested through the tests that are made of it.

mod expression;
mod gates;
mod lockstep;
mod places;
mod said;

pub use expression::{Comparison, Expression, Seen};

use super::answer::{Case, Refused};
use crate::history::{Monitor, Purpose};
use crate::kernel::{Lists, Run, StepSystem, Style};
use crate::search::{Limit, Limits, Question};
use crate::term::{LimitKind, Unsupported, Value};

/// A run as a script.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// Values of the variables that are open before the first step, by name.
    pub initial: Vec<(String, Value)>,
    /// What is done and observed, in order; internal steps are not seen.
    pub acts: Vec<Act>,
    /// What must hold of all data at the end for the purpose to be met.
    pub end: Expression,
    /// An event that must be refused, and the number of acts before it.
    pub refused: Option<(usize, Attempt)>,
    /// The limit that was used up before all that the model allows was known; then other things than the plan are inconclusive.
    pub cut: Option<Limit>,
}

/// One visible step.
#[derive(Clone, Debug, PartialEq)]
pub struct Act {
    /// The step of the run, from one.
    pub step: usize,
    /// The gate; none for a step of a lock-step system.
    pub gate: Option<usize>,
    /// Data that is sent.
    pub given: Vec<(String, Expression)>,
    /// Whether the data that is sent fits what was observed before; if not, the plan cannot be followed.
    pub fits: Expression,
    /// Data that is observed, as planned.
    pub observed: Vec<(String, Value)>,
    /// Whether the run goes on as planned.
    pub expected: Expression,
    /// What the model allows instead.
    pub allowed: Vec<Allowed>,
    /// Whether these are all; otherwise nothing else is certainly wrong.
    pub is_all: bool,
    /// When the model allows that nothing is observed, or that what is sent is refused.
    pub nothing: Lenience,
}

/// When something else than the plan is no failure.
#[derive(Clone, Debug, PartialEq)]
pub struct Lenience {
    /// Where this does not hold the model certainly forbids it.
    pub when: Expression,
    /// Whether the model allows it wherever the condition holds. Otherwise it asks for more, which cannot be said.
    pub is_exact: bool,
}

impl Lenience {
    /// Nothing is known of what the model allows.
    pub const UNKNOWN: Lenience = Lenience { when: Expression::TRUE, is_exact: false };

    /// The model allows it if and only if this holds.
    pub fn exactly(when: Expression) -> Lenience {
        Lenience { when, is_exact: true }
    }

    /// The model allows it in one of several ways.
    fn any(ways: Vec<Lenience>) -> Lenience {
        let is_exact = ways.iter().all(|way| way.is_exact) || ways.iter().any(|way| way.is_exact && way.when.is(true));
        Lenience { when: Expression::any(ways.into_iter().map(|way| way.when)), is_exact }
    }
}

/// Something that the model allows at some point.
#[derive(Clone, Debug, PartialEq)]
pub struct Allowed {
    /// The gate; none for a step of a lock-step system.
    pub gate: Option<usize>,
    /// With which data.
    pub when: Lenience,
}

/// An event that must be refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// The gate; none for a step of a lock-step system.
    pub gate: Option<usize>,
    /// Its data.
    pub given: Vec<(String, Value)>,
    /// When the model may take it all the same, as far as was observed.
    pub taken: Lenience,
}

/// The script of a test case.
pub fn script_of_case(
    system: &StepSystem,
    lists: &Lists,
    purpose: &Purpose,
    case: &Case,
    limits: &Limits,
) -> Result<Script, LimitKind> {
    let constraints: Vec<usize> = (0..purpose.constraints.len()).collect();
    let is_met = !purpose.is_property && case.origin.as_ref().is_none_or(|origin| origin.meets);
    let monitor = match is_met {
        true => purpose.monitor(&constraints, case.class),
        false => nothing_asked(purpose),
    };
    let by_data = case.origin.as_ref().and_then(|origin| origin.refused.clone());
    let by_property = case.attempt.as_ref().filter(|attempt| attempt.is_refused && !attempt.is_taken);
    let refused = match (by_data, by_property) {
        (Some(refused), _) => Some((case.run.steps.len(), refused)),
        (None, Some(attempt)) => Some((attempt.after, Refused { joint: attempt.joint, data: attempt.data.clone() })),
        (None, None) => None,
    };
    script((system, lists), (&monitor, &nothing_asked(purpose)), (&case.run, &case.open), refused, limits)
}

/// The script of a run that was made for no purpose.
pub fn script_of_run(
    system: &StepSystem,
    lists: &Lists,
    purpose: &Purpose,
    run: &Run,
    limits: &Limits,
) -> Result<Script, LimitKind> {
    let monitor = nothing_asked(purpose);
    script((system, lists), (&monitor, &monitor), (run, &[]), None, limits)
}

fn nothing_asked(purpose: &Purpose) -> Monitor {
    Monitor { open: vec![], ..purpose.monitor(&[], None) }
}

fn script(
    (system, lists): (&StepSystem, &Lists),
    (monitor, nothing): (&Monitor, &Monitor),
    (run, open): (&Run, &[Value]),
    refused: Option<(usize, Refused)>,
    limits: &Limits,
) -> Result<Script, LimitKind> {
    let initial = system.open_slots().into_iter();
    let initial = initial.map(|slot| (system.slots[slot].name.clone(), run.initial.values[slot].clone())).collect();
    let (acts, end, refused) = match system.style {
        Style::Lockstep => lockstep::acts(system, run, refused, limits)?,
        Style::Gates => {
            let asked = Question { system, lists, monitor };
            let plain = Question { system, lists, monitor: nothing };
            let acts = |question: Question<'_>, open: &[Value]| {
                let acts = limits.attempt(|| gates::acts(question, (run, open), refused.as_ref(), limits));
                acts.unwrap_or_else(|limit| Err(Unsupported(limit.to_string())))
            };
            acts(asked, open)
                .or_else(|_| acts(plain, &[]))
                .unwrap_or_else(|_| gates::as_planned(system, run, refused.as_ref()))
        }
    };
    Ok(Script { initial, acts, end, refused, cut: limits.used_up() })
}

/// Acts, what must hold at the end, and what must be refused.
type Acts = (Vec<Act>, Expression, Option<(usize, Attempt)>);
