//! The runs that a trace may be about, step by step.
//!
//! Replay says whether there is one; here it is spelled out, with everything that the trace leaves open and with the
//! internal steps that nobody wrote down. Silence is no step: a trace that speaks of it is about no run.

use std::collections::BTreeSet;

use super::choices::{ChoiceError, Given};
use super::follow::Missing;
use super::interpret::{Run, Step};
use super::replay::{fits, initial_states};
use super::system::{State, StepSystem};
use super::trace::{Event, Trace, TraceStep};

/// Most internal steps in a row before an event.
const MAX_INTERNAL: usize = 50;
/// Most steps that are looked at.
const MAX_TRIES: usize = 100_000;

/// A point of the search: what can be done next, and how many steps of the trace are done before it.
struct Point {
    options: Vec<(Step, usize)>,
    done: usize,
    internal: usize,
}

/// A run that shows everything a trace says. Those there are, in the order of transitions, are shown to `wanted` until it
/// takes one; if it takes none, the first of them is returned with `false`. None if no run fits the trace.
pub fn retrace(
    system: &StepSystem,
    trace: &Trace,
    given: &Given,
    wanted: &mut dyn FnMut(&Run) -> bool,
) -> Result<Option<(Run, bool)>, ChoiceError> {
    let mut tries = 0;
    let mut first: Option<Run> = None;
    for initial in initial_states(system, trace, given)? {
        // From these places nothing was found before.
        let mut dead: BTreeSet<(usize, usize, State)> = BTreeSet::new();
        let mut run = Run { initial: initial.clone(), steps: vec![] };
        let mut stack = vec![point(system, trace, given, &initial, 0, 0)?];
        while let Some(top) = stack.last_mut() {
            if top.done == trace.steps.len() {
                if wanted(&run) {
                    return Ok(Some((run, true)));
                }
                first.get_or_insert_with(|| run.clone());
                stack.pop();
                run.steps.pop();
                continue;
            }
            let Some((step, taken)) = top.options.pop() else {
                let state = run.steps.last().map_or(&run.initial, |step| &step.next).clone();
                // A place that led to runs which nobody wanted may do so again.
                if first.is_none() {
                    dead.insert((top.done, top.internal, state));
                }
                stack.pop();
                run.steps.pop();
                continue;
            };
            let (done, internal) = (top.done + taken, if taken == 0 { top.internal + 1 } else { 0 });
            if dead.contains(&(done, internal, step.next.clone())) {
                continue;
            }
            tries += 1;
            if tries > MAX_TRIES {
                return Err(ChoiceError::TooManyStates(MAX_TRIES));
            }
            let next = point(system, trace, given, &step.next, done, internal)?;
            run.steps.push(step);
            stack.push(next);
        }
    }
    Ok(first.map(|run| (run, false)))
}

fn point(
    system: &StepSystem,
    trace: &Trace,
    given: &Given,
    state: &State,
    done: usize,
    internal: usize,
) -> Result<Point, ChoiceError> {
    let mut options = vec![];
    if let Some(wanted) = trace.steps.get(done) {
        // The last option is tried first: the event itself, then what may happen before it unseen.
        if matches!(wanted.event, Some(Event::Gate(..))) && internal < MAX_INTERNAL {
            let unseen = system.internal_steps(state, given, None)?;
            options.extend(unseen.into_iter().rev().filter(|step| step.next != *state).map(|step| (step, 0)));
        }
        let seen = steps_of(system, state, wanted, given)?;
        options.extend(seen.into_iter().rev().map(|step| (step, 1)));
    }
    Ok(Point { options, done, internal })
}

fn steps_of(system: &StepSystem, state: &State, wanted: &TraceStep, given: &Given) -> Result<Vec<Step>, ChoiceError> {
    if wanted.event == Some(Event::Delta) {
        return Ok(vec![]);
    }
    let mut steps = system.steps_like(state, wanted, Missing::Open, given, None)?;
    steps.retain(|step| fits(system, wanted, step));
    Ok(steps)
}
