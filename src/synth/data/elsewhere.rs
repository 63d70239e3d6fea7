//! Where a model may be after the same visible events, by the reference interpreter: hidden steps come and go unseen.

use std::collections::BTreeSet;

use crate::kernel::{ChoiceError, Given, Run, State, Step, StepSystem};
use crate::term::{LimitKind, Value};

/// Most states that are looked at; beyond that nobody can tell.
const MAX_STATES: usize = 500;

/// All states in which a model may be; nothing if nobody can tell.
pub type States = Option<BTreeSet<State>>;

/// All states after the visible events of the first steps of a run.
pub fn states_after(system: &StepSystem, run: &Run, steps: usize) -> Result<States, LimitKind> {
    let mut states = with_hidden_steps(system, BTreeSet::from([run.initial.clone()]))?;
    for step in &run.steps[..steps] {
        let Some(before) = &states else { return Ok(None) };
        if system.joints[step.joint].gate.is_some() {
            let next = after_event(system, before, step.joint, &step.data)?;
            states = with_hidden_steps(system, next)?;
        }
    }
    Ok(states)
}

/// States right after an event at the gate of a joint.
fn after_event(
    system: &StepSystem,
    states: &BTreeSet<State>,
    joint: usize,
    data: &[Value],
) -> Result<BTreeSet<State>, LimitKind> {
    let gate = system.joints[joint].gate;
    let mut next = BTreeSet::new();
    for state in states {
        let alike = (0..system.joints.len()).filter(|other| system.joints[*other].gate == gate);
        for joint in alike.filter(|joint| system.at_source(*joint, state)) {
            next.extend(system.steps(joint, state, data)?.into_iter().map(|step| step.next));
        }
    }
    Ok(next)
}

/// Hidden steps from a state; nothing if nobody can tell.
pub fn hidden_steps(system: &StepSystem, state: &State) -> Result<Option<Vec<Step>>, LimitKind> {
    let mut steps = vec![];
    let hidden = (0..system.joints.len()).filter(|joint| system.joints[*joint].gate.is_none());
    for joint in hidden.filter(|joint| system.at_source(*joint, state)) {
        match system.steps_with(joint, state, &[], &Given::default(), None) {
            Ok(more) => steps.extend(more),
            Err(ChoiceError::Limit(limit)) => return Err(limit),
            Err(_) => return Ok(None),
        }
    }
    Ok(Some(steps))
}

fn with_hidden_steps(system: &StepSystem, states: BTreeSet<State>) -> Result<States, LimitKind> {
    let mut open: Vec<State> = states.iter().cloned().collect();
    let mut all = states;
    while let Some(state) = open.pop() {
        let Some(steps) = hidden_steps(system, &state)? else { return Ok(None) };
        for step in steps {
            if all.insert(step.next.clone()) {
                open.push(step.next);
            }
        }
        if all.len() > MAX_STATES {
            return Ok(None);
        }
    }
    Ok(Some(all))
}
