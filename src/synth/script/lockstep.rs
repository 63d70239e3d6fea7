//! Scripts of lock-step systems. Their outputs follow from states and inputs, so that the interpreter can list everything that
//! is allowed: in each step, for all states in which the system may be after what was observed.

use super::{Act, Acts, Allowed, Attempt, Expression, Lenience, Seen};
use crate::kernel::{Run, State, Step, StepSystem};
use crate::search::Limits;
use crate::synth::answer::Refused;
use crate::term::{LimitKind, Value};

/// Most states in which a system may be; beyond that nothing is certainly wrong.
const MAX_STATES: usize = 1_000;

pub(super) fn acts(
    system: &StepSystem,
    run: &Run,
    refused: Option<(usize, Refused)>,
    limits: &Limits,
) -> Result<Acts, LimitKind> {
    let outputs = system.ticks[0].outputs.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>();
    let inputs = system.ticks[0].inputs.iter().map(|(name, ..)| name.clone()).collect::<Vec<_>>();
    let mut states = vec![run.initial.clone()];
    let mut is_all = true;
    let mut acts: Vec<Act> = vec![];
    let mut attempts = None;
    for number in 0..=run.steps.len() {
        if let Some((after, refused)) = refused.as_ref().filter(|(after, _)| *after == number) {
            let steps = after_states(system, &states, refused.joint, &refused.data)?;
            let taken = match is_all {
                true => Lenience::exactly(Expression::Value(Value::Bool(!steps.is_empty()))),
                false => Lenience::UNKNOWN,
            };
            let given = inputs.iter().cloned().zip(refused.data.iter().cloned()).collect();
            attempts = Some((*after, Attempt { gate: None, given, taken }));
        }
        let Some(step) = run.steps.get(number) else { break };
        let (given, expected) = step.data.split_at(inputs.len());
        let steps = after_states(system, &states, step.joint, given)?;
        let act = acts.len();
        let mut other: Vec<&[Value]> = steps.iter().map(|step| &step.data[inputs.len()..]).collect();
        other.sort_unstable();
        other.dedup();
        let is_free = other.len() > 1;
        let mut allowed = vec![];
        for data in other.into_iter().filter(|data| *data != expected) {
            allowed.push(Allowed { gate: None, when: Lenience::exactly(as_seen(act, &outputs, data)) });
        }
        acts.push(Act {
            step: number + 1,
            gate: None,
            given: inputs.iter().cloned().zip(given.iter().cloned().map(Expression::Value)).collect(),
            fits: Expression::TRUE,
            observed: outputs.iter().map(|name| (*name).to_owned()).zip(expected.iter().cloned()).collect(),
            expected: as_seen(act, &outputs, expected),
            allowed,
            is_all,
            nothing: if is_all { Lenience::exactly(Expression::FALSE) } else { Lenience::UNKNOWN },
        });
        let mut next: Vec<State> =
            steps.into_iter().filter(|step| &step.data[inputs.len()..] == expected).map(|step| step.next).collect();
        if is_free || next.len() > 1 {
            next.sort_unstable();
            next.dedup();
        }
        if next.len() > MAX_STATES || limits.used_up().is_some() {
            is_all = false;
            next = vec![step.next.clone()];
        }
        states = next;
    }
    Ok((acts, Expression::TRUE, attempts))
}

fn after_states(system: &StepSystem, states: &[State], joint: usize, given: &[Value]) -> Result<Vec<Step>, LimitKind> {
    let mut steps = vec![];
    for state in states {
        steps.extend(system.steps(joint, state, given)?);
    }
    Ok(steps)
}

/// That these are the outputs.
fn as_seen(act: usize, outputs: &[&str], data: &[Value]) -> Expression {
    Expression::all(outputs.iter().zip(data).map(|(name, value)| {
        let seen = Seen { act, name: (*name).to_owned(), path: vec![] };
        Expression::equal(Expression::Seen(seen), Expression::Value(value.clone()))
    }))
}
