//! A test sequence: concrete data for a path, replayed by the reference interpreter and re-checked by the rules.

use thiserror::Error;

use super::answer::Case;
use crate::history::{Formula, Known, Length, Live};
use crate::kernel::{Given, Lists, Run, State, Step, StepSystem, Style};
use crate::search::{Fired, Question, combinations};
use crate::syntax::tree::Direction;
use crate::term::{LimitKind, Value};

/// Two ways that do not agree: a sequence that is none, or a proof that a run contradicts. Always a fault of the program, unless a limit of
/// evaluation keeps us from knowing.
#[derive(Clone, Debug, Error)]
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
    /// There is a proof that there is no such run.
    #[error("the reference interpreter finds a run of `{}` that a proof says does not exist", .system.name)]
    Contradicted {
        /// The model.
        system: Box<StepSystem>,
        /// The run.
        run: Run,
    },
    /// A limit of evaluation was hit on the way: nothing can be said.
    #[error("a sequence for `{model}` could not be replayed: {limit}")]
    Limit {
        /// The model.
        model: String,
        /// The limit.
        limit: LimitKind,
    },
}

impl Disagreement {
    /// That a run contradicts a proof.
    pub(super) fn contradicted(system: &StepSystem, run: Run) -> Disagreement {
        Disagreement::Contradicted { system: Box::new(system.clone()), run }
    }
}

/// What came of something, unless a limit of evaluation was hit on the way: then nothing, and the limit is noted if none was before.
pub(super) fn within_limits<T>(
    result: Result<T, Disagreement>,
    hit: &mut Option<String>,
) -> Result<Option<T>, Disagreement> {
    match result {
        Ok(result) => Ok(Some(result)),
        Err(Disagreement::Limit { limit, .. }) => {
            hit.get_or_insert_with(|| limit.to_string());
            Ok(None)
        }
        Err(disagreement) => Err(disagreement),
    }
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

/// The steps of a plan, as the interpreter takes them.
pub fn steps_along(system: &StepSystem, variables: &[Value], plan: &[Planned]) -> Result<Run, Disagreement> {
    let model = || system.name.clone();
    let initial = system.initial(variables);
    let mut state = initial.clone();
    let mut steps = vec![];
    for (number, planned) in plan.iter().enumerate() {
        let given = system.given_to(planned.joint);
        let taken = system.steps(planned.joint, &state, &planned.data[..given]);
        let taken = taken.map_err(|limit| Disagreement::Limit { model: model(), limit })?;
        let fits = |step: &Step| step.data == planned.data && step.fired == planned.fired;
        let step = taken.into_iter().find(fits);
        let step = step.ok_or_else(|| Disagreement::Step { model: model(), step: number + 1 })?;
        state = step.next.clone();
        steps.push(step);
    }
    Ok(Run { initial, steps })
}

/// What could be observed in each step of a run.
pub fn observations(system: &StepSystem, lists: &Lists, run: &Run) -> Vec<Vec<Value>> {
    let before = std::iter::once(&run.initial).chain(run.steps.iter().map(|step| &step.next));
    let seen = before.zip(&run.steps).enumerate();
    seen.map(|(number, (state, step))| lists.observe(system, state, step, number + 1)).collect()
}

/// Replays a plan, and checks what it was made for.
pub fn replayed(
    question: &Question<'_>,
    length: Length,
    variables: &[Value],
    open: &[Value],
    plan: &[Planned],
) -> Result<Run, Disagreement> {
    let run = steps_along(question.system, variables, plan)?;
    let model = || question.system.name.clone();
    let limited = |limit: LimitKind| Disagreement::Limit { model: model(), limit };
    let known = Known { monitor: question.monitor, definitions: &question.lists.names.definitions, open };
    let mut live = known.start().map_err(limited)?;
    for observed in observations(question.system, question.lists, &run) {
        live = known.advance(&live, &observed).map_err(limited)?;
    }
    if !length.contains(run.steps.len()) || !known.hold_at_stop(&live).map_err(limited)? {
        return Err(Disagreement::Rules { model: model() });
    }
    Ok(run)
}

/// Replays the run of a case that was found in another form of the model.
pub fn replayed_run(question: &Question<'_>, length: Length, case: &Case) -> Result<Run, Disagreement> {
    let planned = |step: &Step| Planned { joint: step.joint, fired: step.fired.clone(), data: step.data.clone() };
    let plan: Vec<Planned> = case.run.steps.iter().map(planned).collect();
    let variables: Vec<Value> =
        question.system.open_slots().into_iter().map(|slot| case.run.initial.values[slot].clone()).collect();
    replayed(question, length, &variables, &case.open, &plan)
}

/// Values that exist once for the run with which it meets every constraint, constraint by constraint; what no constraint
/// looks at is absent. None if there are none, or too many to try.
pub fn open_values(question: &Question<'_>, run: &Run) -> Option<Vec<Value>> {
    let mut open = vec![Value::Absent; question.monitor.open.len()];
    if open.is_empty() {
        return Some(open);
    }
    let observed = observations(question.system, question.lists, run);
    for (item, formula) in question.monitor.start.iter().enumerate() {
        let fits = |values: &Vec<Value>| covers(question, formula, values, &observed).unwrap_or(false);
        let values = combinations(*question, item).ok()?.into_iter().find(fits)?;
        for (place, value) in open.iter_mut().zip(values) {
            if value != Value::Absent {
                *place = value;
            }
        }
    }
    Some(open)
}

/// Whether a formula holds over a whole run, by the rules alone.
pub fn covers(
    question: &Question<'_>,
    formula: &Formula,
    open: &[Value],
    observed: &[Vec<Value>],
) -> Result<bool, LimitKind> {
    let known = Known { monitor: question.monitor, definitions: &question.lists.names.definitions, open };
    let mut live = [known.start_of(formula)?];
    for elements in observed {
        if let Live::Decided(truth) = live[0] {
            return Ok(truth);
        }
        let [next] = &known.advance(&live, elements)?[..] else { return Ok(false) };
        live = [next.clone()];
    }
    known.hold_at_stop(&live)
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
