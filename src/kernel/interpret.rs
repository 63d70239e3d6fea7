//! The reference interpreter: what a state can do.
//!
//! Whatever is written, sent or given as data belongs to its type, with all fields inside it, or there is no step. Where the
//! types of a model show that, it is checked here all the same: the other engines rely on what was shown.

use std::collections::BTreeMap;

use super::system::*;
use crate::term::{Env, Expr, Failure, Frame, Fuel, LimitKind, Shown, Type, Value, contains, eval};

/// Values of the inputs of a lock-step step, in the order of [`Tick::inputs`]; absent ones are [`Value::Absent`].
pub type Inputs = [Value];

/// A step that was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Which joint step.
    pub joint: usize,
    /// Values of its parameters; for a tick the inputs and then the outputs.
    pub data: Vec<Value>,
    /// Machines that took part, with the transition they fired; none for idling.
    pub fired: Vec<(usize, Option<usize>)>,
    /// The state after it.
    pub next: State,
}

/// A run: where it started and what happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The state before the first step.
    pub initial: State,
    /// The steps.
    pub steps: Vec<Step>,
}

/// Why a transition does not fire.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// The machine is in another state.
    Source,
    /// A part of the guard, by number, does not hold; with the reason if it has no value.
    Guard(usize, Option<String>),
    /// An update, or a message, has no value.
    Effect(String),
    /// A parameter's value is not in its type.
    Parameter(usize),
}

/// What one transition changes.
#[derive(Clone, Debug)]
pub struct Change {
    machine: usize,
    transition: usize,
    /// New values of slots.
    pub writes: Vec<(usize, Value)>,
    /// Messages, and where they go.
    pub messages: Vec<(Target, Value)>,
}

impl StepSystem {
    fn env<'a>(&'a self, values: &'a [Value], fuel: &'a Fuel) -> Env<'a> {
        Env { definitions: &self.definitions, slots: values, fuel }
    }

    /// All steps of a joint from a state with given parameters; several if components have a choice.
    pub fn steps(&self, joint: usize, state: &State, data: &[Value]) -> Result<Vec<Step>, LimitKind> {
        match self.joints[joint].parts[..] {
            [Part::Tick(tick)] => self.tick(joint, tick, state, data),
            _ => Ok(self.handshake(joint, state, data)?.into_iter().collect()),
        }
    }

    /// The step in which several switches meet, if all of them agree.
    fn handshake(&self, joint: usize, state: &State, data: &[Value]) -> Result<Option<Step>, LimitKind> {
        if self.parameter_outside(joint, data)?.is_some() {
            return Ok(None);
        }
        let mut next = state.clone();
        let mut fired = vec![];
        for part in &self.joints[joint].parts {
            let Part::Switch { machine, transition } = *part else { return Ok(None) };
            match self.fire(machine, transition, state, &state.values, data)? {
                Err(_) => return Ok(None),
                Ok(change) => {
                    self.apply(&mut next, &change);
                    fired.push((machine, Some(transition)));
                }
            }
        }
        Ok(Some(Step { joint, data: data.to_vec(), fired, next }))
    }

    /// The first parameter whose value is not in its types.
    pub fn parameter_outside(&self, joint: usize, data: &[Value]) -> Result<Option<usize>, LimitKind> {
        for (number, ((_, types), value)) in self.joints[joint].params.iter().zip(data).enumerate() {
            if !self.is_in_all(types, value)? {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    /// Whether some joint of a gate, by its types alone, may show this data: values by parameter, as far as they are known. What
    /// comes from outside is not looked at.
    pub fn may_show(&self, gate: usize, known: &BTreeMap<usize, Value>) -> Result<bool, LimitKind> {
        let shown = known.range(self.chosen_from(gate)..).filter(|(_, value)| **value != Value::Absent);
        'rows: for row in self.carried_at(gate) {
            for (place, value) in shown.clone() {
                if !self.is_in_all(row[*place], value)? {
                    continue 'rows;
                }
            }
            return Ok(true);
        }
        Ok(false)
    }

    fn is_in_all(&self, types: &[Type], value: &Value) -> Result<bool, LimitKind> {
        for ty in types {
            let fuel = Fuel::new();
            match contains(ty, value, self.env(&[], &fuel)) {
                Ok(true) => {}
                Ok(false) | Err(Failure::Undefined(_) | Failure::Unset(_)) => return Ok(false),
                Err(Failure::Limit(limit)) => return Err(limit),
                Err(failure @ Failure::IllTyped(_)) => unreachable!("checked models are well typed: {failure}"),
            }
        }
        Ok(true)
    }

    /// All steps of a lock-step system for given inputs: every component fires an enabled transition, or idles if there
    /// is none. All read the state before the step.
    fn tick(&self, joint: usize, tick: usize, state: &State, inputs: &Inputs) -> Result<Vec<Step>, LimitKind> {
        let group = &self.ticks[tick];
        let mut seen = state.values.clone();
        for ((_, ty, slot), value) in group.inputs.iter().zip(inputs) {
            let fuel = Fuel::new();
            match contains(ty, value, self.env(&[], &fuel)) {
                _ if *value == Value::Absent => {}
                Ok(true) => {}
                Err(Failure::Limit(limit)) => return Err(limit),
                _ => return Ok(vec![]),
            }
            seen[*slot] = value.clone();
        }
        let mut rest = state.clone();
        for slot in &group.channels {
            rest.values[*slot] = Value::Absent;
        }
        let outputs = vec![Value::Absent; group.outputs.len()];
        let mut partial = vec![(rest, outputs, vec![])];
        for machine in &group.machines {
            let mut options = vec![];
            for transition in 0..self.machines[*machine].transitions.len() {
                if let Ok(change) = self.fire(*machine, transition, state, &seen, &[])? {
                    options.push(change);
                }
            }
            let mut extended = vec![];
            for (next, outputs, fired) in partial {
                if options.is_empty() {
                    let idle = fired.iter().copied().chain([(*machine, None)]).collect();
                    extended.push((next, outputs, idle));
                    continue;
                }
                for change in &options {
                    let (mut next, mut outputs) = (next.clone(), outputs.clone());
                    self.apply(&mut next, change);
                    for (target, message) in &change.messages {
                        match target {
                            Target::Channel(slot) => next.values[*slot] = message.clone(),
                            Target::Output(number) => outputs[*number] = message.clone(),
                            Target::Nowhere => {}
                        }
                    }
                    let fired = fired.iter().copied().chain([(*machine, Some(change.transition))]).collect();
                    extended.push((next, outputs, fired));
                }
            }
            partial = extended;
        }
        let steps = partial.into_iter().map(|(next, outputs, fired)| {
            let data = inputs.iter().cloned().chain(outputs).collect();
            Step { joint, data, fired, next }
        });
        Ok(steps.collect())
    }

    fn apply(&self, next: &mut State, change: &Change) {
        next.control[change.machine] = self.machines[change.machine].transitions[change.transition].target;
        for (slot, value) in &change.writes {
            next.values[*slot] = value.clone();
        }
    }

    /// Why a transition cannot fire from a state, or nothing if it can.
    pub fn refusal(
        &self,
        machine: usize,
        transition: usize,
        state: &State,
        inputs: &[(usize, Value)],
        data: &[Value],
    ) -> Result<Option<Refusal>, LimitKind> {
        let mut seen = state.values.clone();
        for (slot, value) in inputs {
            seen[*slot] = value.clone();
        }
        Ok(self.fire(machine, transition, state, &seen, data)?.err())
    }

    /// Fires one transition: the conditions of its guard in order, then its effects, all over the values seen.
    pub fn fire(
        &self,
        machine: usize,
        transition: usize,
        state: &State,
        seen: &[Value],
        data: &[Value],
    ) -> Result<Result<Change, Refusal>, LimitKind> {
        let t = &self.machines[machine].transitions[transition];
        if state.control[machine] != t.source {
            return Ok(Err(Refusal::Source));
        }
        let mut frame: Frame = data.to_vec();
        for (number, conjunct) in t.guard.iter().enumerate() {
            match self.evaluate(&conjunct.expr, seen, &mut frame)? {
                Ok(value) if value.is_true() => {}
                Ok(_) => return Ok(Err(Refusal::Guard(number, None))),
                Err(reason) => return Ok(Err(Refusal::Guard(number, Some(reason)))),
            }
        }
        let mut change = Change { machine, transition, writes: vec![], messages: vec![] };
        for (slot, expr) in &t.updates {
            match self.typed(expr, Some(&self.slots[*slot].ty), seen, &mut frame)? {
                Ok(value) => change.writes.push((*slot, value)),
                Err(reason) => return Ok(Err(Refusal::Effect(reason))),
            }
        }
        for send in &t.sends {
            if let Some(condition) = &send.condition {
                match self.evaluate(condition, seen, &mut frame)? {
                    Ok(value) if value.is_true() => {}
                    Ok(_) => continue,
                    Err(reason) => return Ok(Err(Refusal::Effect(reason))),
                }
            }
            match self.typed(&send.value, self.sent_type(machine, send.to), seen, &mut frame)? {
                Ok(value) => change.messages.push((send.to, value)),
                Err(reason) => return Ok(Err(Refusal::Effect(reason))),
            }
        }
        Ok(Ok(change))
    }

    /// The type of a message; none if nobody reads it.
    fn sent_type(&self, machine: usize, to: Target) -> Option<&Type> {
        match to {
            Target::Channel(slot) => Some(&self.slots[slot].ty),
            Target::Output(number) => {
                let tick = self.ticks.iter().find(|tick| tick.machines.contains(&machine));
                Some(&tick.expect("a machine that sends belongs to a tick").outputs[number].1)
            }
            Target::Nowhere => None,
        }
    }

    /// As [`Self::evaluate`], for a value that must belong to a type.
    fn typed(
        &self,
        expr: &Expr,
        ty: Option<&Type>,
        seen: &[Value],
        frame: &mut Frame,
    ) -> Result<Result<Value, String>, LimitKind> {
        let value = match self.evaluate(expr, seen, frame)? {
            Ok(value) => value,
            Err(reason) => return Ok(Err(reason)),
        };
        let Some(ty) = ty else { return Ok(Ok(value)) };
        // That was part of the evaluation.
        if matches!(expr, Expr::Narrow(_, checked) if checked == ty) {
            return Ok(Ok(value));
        }
        let fuel = Fuel::new();
        match contains(ty, &value, self.env(&[], &fuel)) {
            Ok(true) => Ok(Ok(value)),
            Err(Failure::Limit(limit)) => Err(limit),
            Err(failure @ Failure::IllTyped(_)) => unreachable!("checked models are well typed: {failure}"),
            Ok(false) | Err(Failure::Undefined(_) | Failure::Unset(_)) => {
                let shown = Shown { value: &value, definitions: &self.definitions };
                Ok(Err(format!("{shown} is not in {}", ty.name(&self.definitions))))
            }
        }
    }

    /// The value of an expression, or why it has none; a limit is neither.
    fn evaluate(&self, expr: &Expr, seen: &[Value], frame: &mut Frame) -> Result<Result<Value, String>, LimitKind> {
        let fuel = Fuel::new();
        match eval(expr, self.env(seen, &fuel), frame) {
            Ok(value) => Ok(Ok(value)),
            Err(Failure::Limit(limit)) => Err(limit),
            Err(failure @ Failure::IllTyped(_)) => unreachable!("checked models are well typed: {failure}"),
            Err(failure) => Ok(Err(failure.to_string())),
        }
    }
}
