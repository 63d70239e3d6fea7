//! Does a run belong to the model? If not: the first step that does not fit, what was allowed there, and which part of
//! which guard refused.
//!
//! What the trace leaves open is searched: all states that fit the steps so far are followed side by side. Internal
//! steps may happen before any event, since an observer does not see them.

use std::collections::{BTreeMap, BTreeSet};

use super::choices::{ChoiceError, Given};
use super::follow::Missing;
use super::interpret::{Refusal, Step};
use super::lists::IDLE;
use super::system::*;
use super::trace::{Event, Trace, TraceStep};
use crate::syntax::Span;
use crate::syntax::tree::Direction;
use crate::term::{LimitKind, Value};

/// Most states followed side by side.
const MAX_STATES: usize = 100_000;
/// Allowed steps kept for an explanation.
const MAX_ALLOWED: usize = 12;

/// The answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Replay {
    /// The run belongs to the model.
    Accepted,
    /// It does not.
    Rejected(Box<Explanation>),
}

/// Where and why a run leaves the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Number of the step, from 1; 0 if the initial values do not fit.
    pub step: usize,
    /// Steps that were possible there on the same inputs (for gates: all), as far as they are few.
    pub allowed: Vec<Step>,
    /// Gates at which more may have been allowed, with data that cannot be listed; none for an internal step.
    pub unlisted: Vec<Option<usize>>,
    /// Transitions that the trace asked for, or could have meant, and why they did not fire.
    pub refused: Vec<Refused>,
    /// What the trace says of the time after its step, and is otherwise after a step that it could have meant.
    pub differs: Vec<Differs>,
}

impl Explanation {
    /// That nothing is known but the step.
    pub fn at(step: usize) -> Explanation {
        Explanation { step, allowed: vec![], unlisted: vec![], refused: vec![], differs: vec![] }
    }
}

/// Something that is otherwise than a trace says.
#[derive(Clone, Debug, PartialEq)]
pub enum Differs {
    /// The value of a slot: as recorded, and as it is.
    Value(usize, Value, Value),
    /// The state of a machine: as recorded, and as it is.
    State(usize, u32, u32),
}

/// A transition that did not fire.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// The machine.
    pub machine: usize,
    /// The transition.
    pub transition: usize,
    /// Why.
    pub refusal: Refusal,
    /// Where the part that refused is written.
    pub span: Span,
    /// Values of the variables that the refusing part reads: slot and value.
    pub reads: Vec<(usize, Value)>,
}

/// What a model does with an input that it has no step for, while it waits for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// Nothing: it stays as it is.
    Ignore,
    /// Anything from then on.
    Chaos,
}

/// Replays a trace. The error means that nothing can be said: an open value has infinitely many candidates, or a limit.
pub fn replay(system: &StepSystem, trace: &Trace, given: &Given) -> Result<Replay, ChoiceError> {
    replay_completed(system, trace, given, None)
}

/// As [`replay`], for a model that takes every input.
pub fn replay_completed(
    system: &StepSystem,
    trace: &Trace,
    given: &Given,
    completion: Option<Completion>,
) -> Result<Replay, ChoiceError> {
    match follow(system, trace, given, completion)? {
        Followed::Left(explanation) => Ok(Replay::Rejected(explanation)),
        Followed::To(_) | Followed::Chaos => Ok(Replay::Accepted),
    }
}

/// The states in which a trace may end, with what internal steps lead to from there; none if the model does not have it.
pub fn states_after(system: &StepSystem, trace: &Trace, given: &Given) -> Result<Option<BTreeSet<State>>, ChoiceError> {
    match follow(system, trace, given, None)? {
        Followed::To(states) => internal_closure(system, &states, given).map(Some),
        Followed::Left(_) | Followed::Chaos => Ok(None),
    }
}

/// Where a trace leads.
enum Followed {
    To(BTreeSet<State>),
    /// Where everything is possible.
    Chaos,
    Left(Box<Explanation>),
}

fn follow(
    system: &StepSystem,
    trace: &Trace,
    given: &Given,
    completion: Option<Completion>,
) -> Result<Followed, ChoiceError> {
    let mut follower = match Follower::new(system, trace, given.clone(), completion)? {
        Ok(follower) => follower,
        Err(explanation) => return Ok(Followed::Left(explanation)),
    };
    for step in &trace.steps {
        if let Some(explanation) = follower.step(step)? {
            return Ok(Followed::Left(explanation));
        }
    }
    Ok(match follower.chaos {
        Some(_) => Followed::Chaos,
        None => Followed::To(follower.states),
    })
}

/// All states in which a model may be after the steps that were seen so far.
#[derive(Debug)]
pub struct Follower<'a> {
    system: &'a StepSystem,
    given: Given,
    completion: Option<Completion>,
    states: BTreeSet<State>,
    /// Whether everything is possible as well; then, whether silence was seen last.
    chaos: Option<bool>,
    /// Why some state may have been missed that is there for data which the trace does not tell.
    missed: Option<ChoiceError>,
    steps: usize,
}

/// A state as the step before left it, and one that internal steps lead to, in which the model is silent.
pub type Silence = (State, State);

/// A way from one state to another, along a step that was seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    /// The state before, as the step before left it.
    pub from: State,
    /// The state in which the step was taken: internal steps that were not seen may lie between.
    pub before: State,
    /// The step.
    pub step: Step,
}

impl<'a> Follower<'a> {
    /// Before the first step; of the trace only what it says of that time is looked at. The inner error says that the model
    /// does not begin like that.
    pub fn new(
        system: &'a StepSystem,
        trace: &Trace,
        given: Given,
        completion: Option<Completion>,
    ) -> Result<Result<Follower<'a>, Box<Explanation>>, ChoiceError> {
        let states = initial_states(system, trace, &given)?;
        if states.is_empty() {
            let explanation = Explanation::at(0);
            return Ok(Err(Box::new(explanation)));
        }
        Ok(Ok(Follower { system, given, completion, states, chaos: None, missed: None, steps: 0 }))
    }

    /// The states that are possible now.
    pub fn states(&self) -> &BTreeSet<State> {
        &self.states
    }

    /// Steps that were seen.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Puts it where it was, or would be, after so many steps.
    pub fn resume(&mut self, states: BTreeSet<State>, steps: usize) {
        (self.states, self.steps) = (states, steps);
    }

    /// One more step; says why the model does not take it, if so. After that it is of no use any more.
    pub fn step(&mut self, step: &TraceStep) -> Result<Option<Box<Explanation>>, ChoiceError> {
        self.steps += 1;
        // Chaos takes what its gates and types allow; only silence is followed by nothing but inputs. States go on beside it: they may
        // speak after a silence that they share with it.
        let mut chaos = None;
        if let Some(was_silent) = self.chaos {
            let is_possible = match &step.event {
                Some(Event::Gate(gate, data)) => {
                    let is_output = self.system.gates[*gate].direction == Direction::Out;
                    !(was_silent && is_output) && self.system.may_show(*gate, data)?
                }
                Some(Event::Tau) => !was_silent,
                Some(Event::Delta) | None => true,
            };
            chaos = is_possible.then_some(step.event == Some(Event::Delta));
        }
        let mut next = successors(self.system, &self.states, step, &self.given)?;
        if let Some(completion) = self.completion {
            let Refusing { states, missed } = refusing(self.system, &self.states, step, &self.given)?;
            self.missed = self.missed.take().or(missed);
            match completion {
                Completion::Ignore => next.extend(states),
                Completion::Chaos if !states.is_empty() => chaos = Some(false),
                Completion::Chaos => {}
            }
        }
        if next.is_empty() && chaos.is_none() {
            if let Some(error) = &self.missed {
                return Err(error.clone());
            }
            let explanation = explain(self.system, &self.states, step, self.steps, &self.given)?;
            return Ok(Some(Box::new(explanation)));
        }
        self.chaos = chaos;
        self.states = bounded(next)?;
        Ok(None)
    }

    /// As [`Self::step`] for a step that is none of silence, in a model that is not completed; with all ways that lead on.
    pub fn ways(&mut self, step: &TraceStep) -> Result<Result<Vec<Way>, Box<Explanation>>, ChoiceError> {
        self.steps += 1;
        let mut ways = vec![];
        for from in &self.states {
            let alone = BTreeSet::from([from.clone()]);
            for before in places(self.system, &alone, step, &self.given)? {
                for taken in self.system.steps_like(&before, step, Missing::Open, &self.given, None)? {
                    if fits(self.system, step, &taken) {
                        ways.push(Way { from: from.clone(), before: before.clone(), step: taken });
                    }
                }
            }
            if ways.len() > MAX_STATES {
                return Err(ChoiceError::TooManyStates(MAX_STATES));
            }
        }
        if ways.is_empty() {
            return Ok(Err(Box::new(explain(self.system, &self.states, step, self.steps, &self.given)?)));
        }
        self.states = ways.iter().map(|way| way.step.next.clone()).collect();
        Ok(Ok(ways))
    }

    /// As [`Self::step`] for silence, in a model that is not completed: the states before, each with a state in which it is
    /// silent.
    pub fn silences(&mut self, step: &TraceStep) -> Result<Result<Vec<Silence>, Box<Explanation>>, ChoiceError> {
        self.steps += 1;
        let mut ways = vec![];
        for from in &self.states {
            let quiet = successors(self.system, &BTreeSet::from([from.clone()]), step, &self.given)?;
            ways.extend(quiet.into_iter().map(|to| (from.clone(), to)));
        }
        if ways.is_empty() {
            return Ok(Err(Box::new(explain(self.system, &self.states, step, self.steps, &self.given)?)));
        }
        self.states = bounded(ways.iter().map(|(_, to)| to.clone()).collect())?;
        Ok(Ok(ways))
    }
}

fn bounded(states: BTreeSet<State>) -> Result<BTreeSet<State>, ChoiceError> {
    if states.len() > MAX_STATES {
        return Err(ChoiceError::TooManyStates(MAX_STATES));
    }
    Ok(states)
}

/// States in which a step may be taken: an observer does not see internal steps.
fn places(
    system: &StepSystem,
    states: &BTreeSet<State>,
    step: &TraceStep,
    given: &Given,
) -> Result<BTreeSet<State>, ChoiceError> {
    match step.event {
        Some(Event::Gate(..) | Event::Delta) => internal_closure(system, states, given),
        _ => Ok(states.clone()),
    }
}

/// The initial states that a trace allows.
pub(super) fn initial_states(
    system: &StepSystem,
    trace: &Trace,
    given: &Given,
) -> Result<BTreeSet<State>, ChoiceError> {
    let mut given = given.clone();
    for (slot, value) in &trace.initial {
        given.variables.insert(system.slots[*slot].name.clone(), vec![value.clone()]);
    }
    let mut states: BTreeSet<State> = system.initial_states(&given, None)?.into_iter().collect();
    states.retain(|state| {
        trace.initial.iter().all(|(slot, value)| state.values[*slot] == *value)
            && trace.initial_state.iter().all(|(machine, name)| state.control[*machine] == *name)
    });
    Ok(states)
}

fn successors(
    system: &StepSystem,
    states: &BTreeSet<State>,
    step: &TraceStep,
    given: &Given,
) -> Result<BTreeSet<State>, ChoiceError> {
    let from = places(system, states, step, given)?;
    if step.event == Some(Event::Delta) {
        let mut quiet = BTreeSet::new();
        for state in from {
            if system.may_be_silent(&state, given)? && fits_after(step, &state) {
                quiet.insert(state);
            }
        }
        return Ok(quiet);
    }
    let mut out = BTreeSet::new();
    for state in &from {
        for candidate in system.steps_like(state, step, Missing::Open, given, None)? {
            if fits(system, step, &candidate) {
                out.insert(candidate.next);
            }
        }
    }
    Ok(out)
}

/// States that wait for an input and do not take one.
struct Refusing {
    states: BTreeSet<State>,
    /// Why there may be more of them.
    missed: Option<ChoiceError>,
}

/// States that wait for an input and do not take the one of a trace step, with some data that the trace does not tell.
fn refusing(
    system: &StepSystem,
    states: &BTreeSet<State>,
    step: &TraceStep,
    given: &Given,
) -> Result<Refusing, ChoiceError> {
    let mut out = Refusing { states: BTreeSet::new(), missed: None };
    // What is refused fires nothing.
    if system.style == Style::Lockstep || !step.fired.is_empty() {
        return Ok(out);
    }
    let nothing = BTreeMap::new();
    let asked: Vec<(usize, &BTreeMap<usize, Value>)> = match &step.event {
        Some(Event::Gate(gate, data)) => vec![(*gate, data)],
        None => (0..system.gates.len()).map(|gate| (gate, &nothing)).collect(),
        Some(Event::Tau | Event::Delta) => vec![],
    };
    let mut inputs: Vec<TraceStep> = vec![];
    for (gate, data) in asked.into_iter().filter(|(gate, _)| system.gates[*gate].direction == Direction::In) {
        let rows = match system.data_like(gate, data, given) {
            Ok(rows) => rows,
            Err(ChoiceError::Limit(limit)) => return Err(limit.into()),
            Err(error) => {
                out.missed = Some(error);
                BTreeSet::from([data.clone()])
            }
        };
        let event = |row| TraceStep { event: Some(Event::Gate(gate, row)), ..step.clone() };
        inputs.extend(rows.into_iter().map(event));
    }
    let waiting = match step.event {
        Some(_) => internal_closure(system, states, given)?,
        // A step of any kind is one step.
        None => states.clone(),
    };
    for state in waiting {
        if !fits_after(step, &state) {
            continue;
        }
        for input in &inputs {
            if system.refuses(&state, Some(input), given)? {
                out.states.insert(state);
                break;
            }
        }
    }
    Ok(out)
}

/// All states reachable by internal steps alone.
pub fn internal_closure(
    system: &StepSystem,
    states: &BTreeSet<State>,
    given: &Given,
) -> Result<BTreeSet<State>, ChoiceError> {
    let mut closed = states.clone();
    let mut open: Vec<State> = states.iter().cloned().collect();
    while let Some(state) = open.pop() {
        for step in system.internal_steps(&state, given, None)? {
            if closed.insert(step.next.clone()) {
                open.push(step.next);
            }
        }
        if closed.len() > MAX_STATES {
            return Err(ChoiceError::TooManyStates(MAX_STATES));
        }
    }
    Ok(closed)
}

/// Whether a step shows everything the trace says of it.
pub(super) fn fits(system: &StepSystem, known: &TraceStep, step: &Step) -> bool {
    let outputs = || {
        let first = system.ticks.first().map_or(0, |tick| tick.inputs.len());
        known.outputs.iter().all(|(i, value)| step.data[first + i] == *value)
    };
    let fired = || {
        known.fired.iter().all(|(machine, name)| {
            let transition = step.fired.iter().find(|(m, _)| m == machine).and_then(|(_, t)| *t);
            transition.map_or(IDLE, |t| &system.machines[*machine].transitions[t].name) == name
        })
    };
    let is_told = |machine: &usize| known.fired.contains_key(machine) || system.is_component(*machine);
    let names_all = || !known.fired_is_all || step.fired.iter().all(|(machine, _)| is_told(machine));
    outputs() && fired() && names_all() && fits_after(known, &step.next)
}

fn fits_after(known: &TraceStep, state: &State) -> bool {
    known.state.iter().all(|(machine, name)| state.control[*machine] == *name)
        && known.values.iter().all(|(slot, value)| state.values[*slot] == *value)
}

fn explain(
    system: &StepSystem,
    states: &BTreeSet<State>,
    step: &TraceStep,
    number: usize,
    given: &Given,
) -> Result<Explanation, ChoiceError> {
    let from = match system.style {
        Style::Gates => internal_closure(system, states, given)?,
        Style::Lockstep => states.clone(),
    };
    let mut allowed: Vec<Step> = vec![];
    let mut unlisted: Vec<Option<usize>> = vec![];
    let mut refused: Vec<Refused> = vec![];
    let mut differs: Vec<Differs> = vec![];
    for state in &from {
        for like in system.steps_like(state, step, Missing::Open, given, None).unwrap_or_default() {
            differs.extend(
                differences(step, &like.next).into_iter().filter(|one| !differs.contains(one)).collect::<Vec<_>>(),
            );
        }
        let possible = match system.style {
            Style::Lockstep => system.steps_like(state, step, Missing::Open, given, None)?,
            Style::Gates => {
                let mut possible = vec![];
                for joint in 0..system.joints.len() {
                    // Data that cannot be listed is no reason to withhold the rest of the explanation.
                    match system.steps_with(joint, state, &[], given, None) {
                        Ok(steps) => possible.extend(steps),
                        Err(_) => unlisted.push(system.joints[joint].gate),
                    }
                }
                // The event itself may be possible, and lead elsewhere.
                possible.extend(system.steps_like(state, step, Missing::Open, given, None).unwrap_or_default());
                possible
            }
        };
        for step in possible {
            if !allowed.contains(&step) {
                allowed.push(step);
            }
        }
        allowed.truncate(MAX_ALLOWED);
        refusals(system, state, step, given, &mut refused)?;
        if refused.len() >= MAX_ALLOWED {
            break;
        }
    }
    if !differs.is_empty() {
        // The event itself was possible.
        refused.retain(|one| one.refusal != Refusal::Source);
        differs.truncate(MAX_ALLOWED);
    }
    unlisted.sort_unstable();
    unlisted.dedup();
    Ok(Explanation { step: number, allowed, unlisted, refused, differs })
}

/// What a trace says of a state, and is otherwise.
fn differences(known: &TraceStep, state: &State) -> Vec<Differs> {
    let states = known.state.iter().filter(|(machine, name)| state.control[**machine] != **name);
    let values = known.values.iter().filter(|(slot, value)| state.values[**slot] != **value);
    let state_differs = |(machine, name): (&usize, &u32)| Differs::State(*machine, *name, state.control[*machine]);
    let value_differs =
        |(slot, value): (&usize, &Value)| Differs::Value(*slot, value.clone(), state.values[*slot].clone());
    states.map(state_differs).chain(values.map(value_differs)).collect()
}

/// Values by slot.
type SlotValues = Vec<(usize, Value)>;

/// The refusal that comes last among all inputs, with these inputs; none if some inputs are not refused.
fn last_refusal<'i>(
    system: &StepSystem,
    machine: usize,
    transition: usize,
    state: &State,
    all_inputs: &'i [SlotValues],
    data: &[Value],
) -> Result<Option<(Refusal, &'i SlotValues)>, LimitKind> {
    let progress = |refusal: &Refusal| match refusal {
        Refusal::Source | Refusal::Parameter(_) => 0,
        Refusal::Guard(part, _) => part + 1,
        Refusal::Effect(_) => usize::MAX,
    };
    let mut last: Option<(Refusal, &SlotValues)> = None;
    for inputs in all_inputs {
        let Some(refusal) = system.refusal(machine, transition, state, inputs, data)? else { return Ok(None) };
        if last.as_ref().is_none_or(|(known, _)| progress(known) < progress(&refusal)) {
            last = Some((refusal, inputs));
        }
    }
    Ok(last)
}

/// Why the transitions that the trace asks for, or that its event could have fired, do not fire in a state.
fn refusals(
    system: &StepSystem,
    state: &State,
    step: &TraceStep,
    given: &Given,
    out: &mut Vec<Refused>,
) -> Result<(), ChoiceError> {
    // Inputs that the trace leaves open are unknown, not absent: all their values are tried.
    let all_inputs: Vec<SlotValues> = match system.style {
        Style::Lockstep => {
            let inputs = &system.ticks[0].inputs;
            let fixed: Vec<_> = (0..inputs.len()).map(|i| step.inputs.get(&i).cloned()).collect();
            let rows = system.tuples(0, state, &fixed, given, None)?;
            rows.into_iter().map(|row| inputs.iter().map(|(_, _, slot)| *slot).zip(row).collect()).collect()
        }
        Style::Gates => vec![vec![]],
    };
    let asked = step.fired.iter().filter_map(|(machine, name)| {
        let transition = system.machines[*machine].transitions.iter().position(|t| t.name == *name)?;
        Some((*machine, transition, vec![]))
    });
    let meant = system.joints.iter().flat_map(|joint| {
        let data = match &step.event {
            Some(Event::Gate(gate, data)) if joint.gate == Some(*gate) => {
                (0..joint.params.len()).map(|i| data.get(&i).cloned()).collect::<Option<Vec<Value>>>()
            }
            _ => None,
        };
        let parts = if data.is_some() { &joint.parts[..] } else { &[] };
        parts.iter().filter_map(move |part| match part {
            Part::Switch { machine, transition } => Some((*machine, *transition, data.clone().unwrap_or_default())),
            Part::Tick(_) => None,
        })
    });
    let wanted: Vec<_> = if step.event.is_some() { meant.collect() } else { asked.collect() };
    for (machine, transition, data) in wanted {
        let Some((refusal, inputs)) = last_refusal(system, machine, transition, state, &all_inputs, &data)? else {
            continue;
        };
        let t = &system.machines[machine].transitions[transition];
        let (span, part) = match &refusal {
            Refusal::Guard(part, _) => (t.guard[*part].span, Some(&t.guard[*part].expr)),
            _ => (t.span, None),
        };
        let mut reads = vec![];
        if let Some(expr) = part {
            expr.map_leaves(&mut |leaf| {
                if let crate::term::Expr::Slot(slot) = leaf {
                    let input = inputs.iter().find(|(s, _)| s == slot).map(|(_, value)| value);
                    let value = input.unwrap_or(&state.values[*slot]).clone();
                    if !reads.contains(&(*slot, value.clone())) {
                        reads.push((*slot, value));
                    }
                }
                None
            });
        }
        let found = Refused { machine, transition, refusal, span, reads };
        if !out.contains(&found) {
            out.push(found);
        }
    }
    // A transition in another state says less than one whose guard refused.
    if out.iter().any(|r| r.refusal != Refusal::Source) {
        out.retain(|r| r.refusal != Refusal::Source);
    }
    Ok(())
}
