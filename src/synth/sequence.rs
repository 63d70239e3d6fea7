//! A test sequence: concrete data for a path, replayed by the reference interpreter and re-checked by the rules.

use thiserror::Error;

use crate::history::{Known, Length};
use crate::kernel::{Given, Run, State, Step, StepSystem, Style};
use crate::search::{Fired, Question};
use crate::syntax::tree::Direction;
use crate::term::{LimitKind, Value};

/// Why a sequence that was found is not one. Always a fault of the engine that found it.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Disagreement {
    /// The interpreter does not take the step.
    #[error("the reference interpreter does not take step {step} of a sequence for `{model}`")]
    Step {
        /// The model.
        model: String,
        /// The step.
        step: usize,
    },
    /// The rules do not hold.
    #[error("a sequence for `{model}` does not meet the purpose")]
    Rules {
        /// The model.
        model: String,
    },
    /// A limit was hit on the way.
    #[error("a sequence for `{model}` could not be replayed: {limit}")]
    Limit {
        /// The model.
        model: String,
        /// The limit.
        limit: LimitKind,
    },
}

/// What is to be replayed: a step of the model with its data.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The joint.
    pub joint: usize,
    /// What fires.
    pub fired: Fired,
    /// Data of the gate, or inputs and outputs.
    pub data: Vec<Value>,
}

/// Replays a plan, and checks what it was made for.
pub fn replayed(
    question: &Question<'_>,
    length: Length,
    variables: &[Value],
    open: &[Value],
    plan: &[Planned],
) -> Result<Run, Disagreement> {
    let system = question.system;
    let model = || system.name.clone();
    let limited = |limit: LimitKind| Disagreement::Limit { model: model(), limit };
    let known = Known { monitor: question.monitor, definitions: &question.lists.names.definitions, open };
    let initial = system.initial(variables);
    let mut live = known.start().map_err(limited)?;
    let mut state = initial.clone();
    let mut steps = vec![];
    for (number, planned) in plan.iter().enumerate() {
        let given = system.given_to(planned.joint);
        let taken = system.steps(planned.joint, &state, &planned.data[..given]).map_err(limited)?;
        let fits = |step: &Step| step.data == planned.data && step.fired == planned.fired;
        let step = taken.into_iter().find(fits);
        let step = step.ok_or_else(|| Disagreement::Step { model: model(), step: number + 1 })?;
        let observed = question.lists.observe(system, &state, &step, number + 1);
        live = known.advance(&live, &observed).map_err(limited)?;
        state = step.next.clone();
        steps.push(step);
    }
    if !length.contains(steps.len()) || !known.hold_at_stop(&live).map_err(limited)? {
        return Err(Disagreement::Rules { model: model() });
    }
    Ok(Run { initial, steps })
}

/// Whether the system can do nothing else on the inputs of the run.
pub fn is_controllable(system: &StepSystem, run: &Run) -> bool {
    let mut state = &run.initial;
    for step in &run.steps {
        let alternatives = match system.style {
            Style::Lockstep => {
                let given = system.given_to(step.joint);
                system.steps(step.joint, state, &step.data[..given]).map_or(2, |steps| steps.len())
            }
            Style::Gates => alternatives(system, state, step),
        };
        if alternatives != 1 {
            return false;
        }
        state = &step.next;
    }
    true
}

/// How many steps are possible where this one was taken, other inputs not counted.
fn alternatives(system: &StepSystem, state: &State, taken: &Step) -> usize {
    let is_input =
        |joint: usize| system.joints[joint].gate.is_some_and(|gate| system.gates[gate].direction == Direction::In);
    let mut count = 0;
    for joint in 0..system.joints.len() {
        if !system.at_source(joint, state) {
            continue;
        }
        if is_input(joint) {
            // The same input may be taken in another way.
            if is_input(taken.joint) && system.joints[joint].gate == system.joints[taken.joint].gate {
                let given = system.given_to(joint);
                count += system.steps(joint, state, &taken.data[..given]).map_or(2, |steps| steps.len());
            }
            continue;
        }
        match system.steps_with(joint, state, &[], &Given::default(), None) {
            Ok(steps) => count += steps.len(),
            // Too many values to list is more than one.
            Err(_) => count += 2,
        }
    }
    count
}
