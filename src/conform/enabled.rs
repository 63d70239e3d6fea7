//! Whether an implementation takes every input: what the relation asks of it before anything else.
//!
//! Internal steps may come first; a place refuses an input that no place takes to which they lead. Between the inputs and the
//! outputs of a tick nothing is refused: the step is under way.

use std::collections::BTreeSet;

use super::Options;
use super::alphabet::Alphabet;
use super::observed::{Happened, shown, trace_for};
use super::pairs::{Finding, Found, Pairs, Question};
use super::side::Side;
use super::world::World;
use crate::kernel::{Missing, StepSystem, internal_closure, states_after};
use crate::search::Progress;

/// Most pairs that are looked at.
const MAX_PAIRS: usize = 5_000;

/// An input that is not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusing {
    /// The input with its data.
    pub input: String,
    /// Where.
    pub place: String,
    /// The trace that leads there.
    pub after: Vec<String>,
}

/// The answer: an input that is refused, if there is one; an error if nobody can tell.
pub(super) fn refusing(
    implementation: &StepSystem,
    specification: &StepSystem,
    alphabet: &Alphabet,
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<Option<Refusing>, String> {
    let pairs = || {
        Pairs::new(
            World::new(&implementation.definitions, options.solver()),
            alphabet,
            Side::implementation(implementation, alphabet, None),
            Side::specification(specification, alphabet),
            Question::TakesInputs,
        )
    };
    match options.limits.attempt(|| pairs().takes_inputs_anyhow()) {
        Ok(true) => return Ok(None),
        Ok(false) => {}
        Err(limit) => return Err(limit.to_string()),
    }
    let mut refused = None;
    let mut pairs = pairs();
    let found = pairs.search(None, MAX_PAIRS, &options.limits, progress, &mut |finding| {
        refused = confirmed(implementation, alphabet, finding);
        refused.is_some()
    });
    match found {
        Found::Wrong(_) => Ok(refused),
        Found::Closed(_) if pairs.world.gaps.is_empty() && pairs.doubts == 0 => Ok(None),
        _ => Err(format!("whether {} takes every input could not be decided", implementation.name)),
    }
}

/// The input is refused if the trace can lead to a state that does not take it.
fn confirmed(implementation: &StepSystem, alphabet: &Alphabet, finding: &Finding) -> Option<Refusing> {
    let given = Default::default();
    let initial = implementation.open_slots().into_iter().zip(finding.initial.iter().cloned());
    let mut prefix = trace_for(implementation, &alphabet.implementation, alphabet, &finding.trace)?;
    prefix.initial = initial.collect();
    let states = states_after(implementation, &prefix, &given).ok()??;
    let Happened::Label(label, _) = &finding.observed else { return None };
    let mut refusing = vec![];
    for state in &states {
        let mut takes = false;
        if alphabet.implementation[*label].is_some() {
            let happened = std::slice::from_ref(&finding.observed);
            let step = trace_for(implementation, &alphabet.implementation, alphabet, happened)?;
            let from = internal_closure(implementation, &BTreeSet::from([state.clone()]), &given).ok()?;
            for state in &from {
                let steps = implementation.steps_like(state, step.steps.first()?, Missing::Open, &given, None);
                takes |= !steps.ok()?.is_empty();
            }
        }
        if !takes {
            refusing.push(state);
        }
    }
    let state = refusing.first()?;
    let places: Vec<&str> =
        implementation.machines.iter().zip(&state.control).map(|(m, s)| m.states[*s as usize].as_str()).collect();
    let definitions = &implementation.definitions;
    Some(Refusing {
        input: format!("`{}`", shown(&finding.observed, alphabet, definitions)),
        place: format!("`{}`", places.join(" ")),
        after: finding.trace.iter().map(|h| format!("`{}`", shown(h, alphabet, definitions))).collect(),
    })
}
