//! Negative tests made from a run: what the model has no step for at some moment of it, and inputs in the wrong order. The
//! interpreter says what becomes of each; the expected refusal is the verdict.

use std::collections::BTreeSet;

use super::elsewhere::states_after;
use super::follow::Followed;
use crate::kernel::{ChoiceError, Given, Run, State, Step, StepSystem, Style};
use crate::syntax::tree::Direction;
use crate::synth::answer::Refused;
use crate::term::{LimitKind, Type, Value};

/// A negative test, with what it is about.
pub struct Negative {
    /// The run, and what must be refused after it.
    pub followed: Followed,
    /// Why it was made.
    pub reason: String,
}

/// The negative tests of a run; `value` gives some value of a type.
pub fn negatives(
    system: &StepSystem,
    run: &Run,
    value: &mut dyn FnMut(&Type) -> Option<Value>,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Vec<Negative>, LimitKind> {
    match system.style {
        Style::Lockstep => exchanged(system, run, go_on),
        Style::Gates => {
            let mut refusals = Refusals { system, run, known: BTreeSet::new(), out: vec![] };
            refusals.of_gates(value, go_on)?;
            refusals.out_of_order(go_on)?;
            Ok(refusals.out)
        }
    }
}

/// Events that are refused.
struct Refusals<'a> {
    system: &'a StepSystem,
    run: &'a Run,
    /// States of control with gates that are refused there.
    known: BTreeSet<(Vec<u32>, usize)>,
    out: Vec<Negative>,
}

impl Refusals<'_> {
    fn state(&self, after: usize) -> &State {
        after.checked_sub(1).map_or(&self.run.initial, |last| &self.run.steps[last].next)
    }

    /// Gates at which nothing is taken, whatever its data, in each state of control that the run passes.
    fn of_gates(
        &mut self,
        value: &mut dyn FnMut(&Type) -> Option<Value>,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), LimitKind> {
        let system = self.system;
        for after in 0..=self.run.steps.len() {
            for (gate, described) in system.gates.iter().enumerate() {
                if described.direction != Direction::In || !go_on() {
                    continue;
                }
                let state = self.state(after).clone();
                let is_known = self.known.contains(&(state.control.clone(), gate));
                // Whoever runs the test does not see hidden steps, so that all states after the same events must refuse it.
                if is_known || !self.is_refused(gate, &state) || !self.refuse_all(after, gate)? {
                    continue;
                }
                let data: Option<Vec<Value>> = described.params.iter().map(|(_, ty)| value(ty)).collect();
                if let Some(data) = data {
                    let reason = format!("nothing at `{}` is taken here", described.name);
                    self.refuse(after, gate, data, reason);
                }
            }
        }
        Ok(())
    }

    /// Whether no data is taken at a gate in any state after the same events; not if nobody can tell.
    fn refuse_all(&self, after: usize, gate: usize) -> Result<bool, LimitKind> {
        let states = states_after(self.system, self.run, after)?;
        Ok(states.is_some_and(|states| states.iter().all(|state| self.is_refused(gate, state))))
    }

    /// Whether an event is taken in some state after the same events; also if nobody can tell.
    fn takes_somewhere(&self, after: usize, gate: usize, data: &[Value]) -> Result<bool, LimitKind> {
        let Some(states) = states_after(self.system, self.run, after)? else { return Ok(true) };
        for state in &states {
            if self.takes(gate, state, data)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether no data is taken at a gate; not if nobody can tell.
    fn is_refused(&self, gate: usize, state: &State) -> bool {
        let mut joints = (0..self.system.joints.len()).filter(|joint| self.system.joints[*joint].gate == Some(gate));
        joints.all(|joint| matches!(self.system.is_possible(joint, state, &Given::default()), Ok(false)))
    }

    fn refuse(&mut self, after: usize, gate: usize, data: Vec<Value>, reason: String) {
        let Some(joint) = self.system.joints.iter().position(|joint| joint.gate == Some(gate)) else { return };
        self.known.insert((self.state(after).control.clone(), gate));
        let run = Run { initial: self.run.initial.clone(), steps: self.run.steps[..after].to_vec() };
        let refused = Some(Refused { joint, data });
        self.out.push(Negative { followed: Followed { run, leaves_at: Some(after + 1), refused }, reason });
    }

    /// Each input before the one that comes before it, and each a second time, where that is refused.
    fn out_of_order(&mut self, go_on: &mut dyn FnMut() -> bool) -> Result<(), LimitKind> {
        let system = self.system;
        let gate_of =
            |step: &Step| system.joints[step.joint].gate.filter(|gate| system.gates[*gate].direction == Direction::In);
        let inputs: Vec<(usize, usize)> =
            self.run.steps.iter().enumerate().filter_map(|(number, step)| Some((number, gate_of(step)?))).collect();
        let neighbours = inputs.windows(2).map(|pair| (pair[0].0, pair[1], "too early"));
        let again = inputs.iter().map(|(number, gate)| (number + 1, (*number, *gate), "a second time"));
        for (after, (number, gate), what) in neighbours.chain(again) {
            if !go_on() {
                break;
            }
            let state = self.state(after).clone();
            let data = self.run.steps[number].data.clone();
            let is_known = self.known.contains(&(state.control.clone(), gate));
            if is_known || self.takes(gate, &state, &data)? || self.takes_somewhere(after, gate, &data)? {
                continue;
            }
            let reason = format!("the event of step {} {what}", number + 1);
            self.refuse(after, gate, data, reason);
        }
        Ok(())
    }

    fn takes(&self, gate: usize, state: &State, data: &[Value]) -> Result<bool, LimitKind> {
        for (number, joint) in self.system.joints.iter().enumerate().filter(|(_, joint)| joint.gate == Some(gate)) {
            let fits = joint.params.len() == data.len() && self.system.at_source(number, state);
            if !fits {
                continue;
            }
            match self.system.steps_of_input(number, state, data) {
                Ok(steps) if steps.is_empty() => {}
                Err(ChoiceError::Limit(limit)) => return Err(limit),
                // Where nobody can tell, it is not said to be refused.
                Ok(_) | Err(_) => return Ok(true),
            }
        }
        Ok(false)
    }
}

/// Runs of a lock-step system with the inputs of two neighbouring steps exchanged, if something else fires then.
fn exchanged(system: &StepSystem, run: &Run, go_on: &mut dyn FnMut() -> bool) -> Result<Vec<Negative>, LimitKind> {
    let mut out = vec![];
    let inputs = |step: &Step| step.data[..system.given_to(step.joint)].to_vec();
    for number in 1..run.steps.len() {
        let mut given: Vec<Vec<Value>> = run.steps.iter().map(inputs).collect();
        if given[number - 1] == given[number] || !go_on() {
            continue;
        }
        given.swap(number - 1, number);
        let mut other = Run { initial: run.initial.clone(), steps: vec![] };
        let mut leaves_at = None;
        for (place, (old, given)) in run.steps.iter().zip(&given).enumerate() {
            let state = other.steps.last().map_or(&other.initial, |step| &step.next);
            let mut steps = system.steps(old.joint, state, given)?;
            let same = steps.iter().position(|step| step.fired == old.fired);
            if same.is_none() {
                leaves_at.get_or_insert(place + 1);
            }
            if steps.is_empty() {
                break;
            }
            other.steps.push(steps.swap_remove(same.unwrap_or(0)));
        }
        if leaves_at.is_some() {
            let reason = format!("inputs of steps {number} and {} exchanged", number + 1);
            out.push(Negative { followed: Followed { run: other, leaves_at, refused: None }, reason });
        }
    }
    Ok(out)
}
