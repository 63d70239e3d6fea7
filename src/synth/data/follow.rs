//! Runs with chosen data, taken by the reference interpreter.

use std::collections::{BTreeSet, VecDeque};

use super::elsewhere::{hidden_steps, states_after};
use super::region::{Point, Region};
use crate::kernel::{ChoiceError, Given, Run, State, Step, StepSystem, Style};
use crate::syntax::tree::Direction;
use crate::synth::answer::Refused;
use crate::term::{LimitKind, Value};

/// Most states that are looked at behind hidden steps.
const MAX_HIDDEN: usize = 500;

/// What became of the data.
#[derive(Clone, Debug)]
pub struct Followed {
    /// The run.
    pub run: Run,
    /// The first step that is another one than in the run it was made from: something else fires, or nothing can.
    pub leaves_at: Option<usize>,
    /// What the model can do nothing with after the run.
    pub refused: Option<Refused>,
}

/// Gives the data of a point to the interpreter, step by step. Where the same transitions cannot fire, the first thing that
/// the model can do with the same inputs is done; where it can do nothing with them, the run ends.
pub fn follow(system: &StepSystem, region: &mut Region, run: &Run, point: &Point) -> Result<Followed, LimitKind> {
    let values = region.values(point);
    let of_step = |step: usize| -> Vec<Value> {
        let places = region.places.iter().zip(&values).filter(|(place, _)| place.step == step);
        places.map(|(_, value)| value.clone()).collect()
    };
    let initial = system.initial(&of_step(0));
    let mut followed = Followed { run: Run { initial, steps: vec![] }, leaves_at: None, refused: None };
    for (number, old) in run.steps.iter().enumerate() {
        let state = followed.run.steps.last().map_or(&followed.run.initial, |step: &Step| &step.next).clone();
        let given = of_step(number + 1);
        let same = system.steps(old.joint, &state, &given)?.into_iter().find(|step| step.fired == old.fired);
        let next = match same {
            Some(same) => Instead::Step(same),
            None => {
                let leaves_at = followed.run.steps.len() + 1;
                followed.leaves_at.get_or_insert(leaves_at);
                match instead(system, &state, old, &given)? {
                    Instead::Nothing => after_hidden_steps(system, &mut followed, &state, (old, &given))?,
                    other => other,
                }
            }
        };
        match next {
            Instead::Step(next) => followed.run.steps.push(next),
            Instead::Unknown => break,
            Instead::Nothing => {
                // Only what comes from outside can be refused; what the system was to say is just not said.
                let gate = system.joints[old.joint].gate.map(|gate| &system.gates[gate]);
                let is_input = gate.is_some_and(|gate| gate.direction == Direction::In);
                if system.style == Style::Lockstep || is_input && is_refused_everywhere(system, &followed, old, &given)?
                {
                    followed.refused = Some(Refused { joint: old.joint, data: given });
                }
                break;
            }
        }
    }
    Ok(followed)
}

/// What the model does after hidden steps, which are taken then; nothing if that is nothing either.
fn after_hidden_steps(
    system: &StepSystem,
    followed: &mut Followed,
    state: &State,
    (old, given): (&Step, &[Value]),
) -> Result<Instead, LimitKind> {
    if system.style == Style::Lockstep {
        return Ok(Instead::Nothing);
    }
    let mut known = BTreeSet::from([state.clone()]);
    let mut open: VecDeque<Vec<Step>> = VecDeque::from([vec![]]);
    while let Some(way) = open.pop_front() {
        let here = way.last().map_or(state, |step: &Step| &step.next);
        let next = if way.is_empty() { Instead::Nothing } else { instead(system, here, old, given)? };
        if !matches!(next, Instead::Nothing) {
            followed.run.steps.extend(way);
            return Ok(next);
        }
        for step in hidden_steps(system, here)?.into_iter().flatten() {
            if known.len() < MAX_HIDDEN && known.insert(step.next.clone()) {
                open.push_back([&way[..], &[step]].concat());
            }
        }
    }
    Ok(Instead::Nothing)
}

/// Whether an input is refused wherever the model may be after the same visible events; not if nobody can tell.
fn is_refused_everywhere(
    system: &StepSystem,
    followed: &Followed,
    old: &Step,
    given: &[Value],
) -> Result<bool, LimitKind> {
    let run = &followed.run;
    let Some(states) = states_after(system, run, run.steps.len())? else { return Ok(false) };
    for state in &states {
        if !matches!(instead(system, state, old, given)?, Instead::Nothing) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What the model does instead of a step that it cannot take.
enum Instead {
    Step(Step),
    Nothing,
    /// Nobody can list what the system may answer.
    Unknown,
}

fn instead(system: &StepSystem, state: &State, old: &Step, given: &[Value]) -> Result<Instead, LimitKind> {
    let mut is_known = true;
    if system.style == Style::Lockstep {
        let step = system.steps(old.joint, state, given)?.into_iter().next();
        return Ok(step.map_or(Instead::Nothing, Instead::Step));
    }
    let gate = system.joints[old.joint].gate;
    let is_input = gate.is_some_and(|gate| system.gates[gate].direction == Direction::In);
    for (number, joint) in system.joints.iter().enumerate().filter(|(number, _)| system.at_source(*number, state)) {
        let step = match is_input {
            true if joint.gate == gate => match system.steps_of_input(number, state, given) {
                Ok(steps) => steps.into_iter().next(),
                Err(ChoiceError::Limit(limit)) => return Err(limit),
                Err(_) => {
                    is_known = false;
                    None
                }
            },
            true => None,
            // Where the system was to say something, it says something else.
            false if joint.gate.is_some_and(|gate| system.gates[gate].direction == Direction::In) => None,
            false => {
                system.steps_with(number, state, &[], &Given::default(), None).unwrap_or_default().into_iter().next()
            }
        };
        if let Some(step) = step {
            return Ok(Instead::Step(step));
        }
    }
    Ok(if is_known { Instead::Nothing } else { Instead::Unknown })
}
