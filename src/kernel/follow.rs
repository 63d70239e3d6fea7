//! The steps of a state that fit a step of a trace.

use super::choices::{ChoiceError, Given, Sampler};
use super::interpret::Step;
use super::system::*;
use super::trace::{Event, TraceStep};
use crate::term::Value;

/// What it means that a trace does not name an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// It may be anything.
    Open,
    /// It is absent.
    Absent,
}

impl StepSystem {
    /// Steps with the inputs, or the event and its data, of a trace step.
    pub fn steps_like(
        &self,
        state: &State,
        step: &TraceStep,
        missing: Missing,
        given: &Given,
        mut sampler: Option<&mut dyn Sampler>,
    ) -> Result<Vec<Step>, ChoiceError> {
        let mut out = vec![];
        for joint in 0..self.joints.len() {
            let Some(fixed) = self.fixed(joint, step, missing) else { continue };
            let sampler = sampler.as_deref_mut().map(|s| s as &mut dyn Sampler);
            out.extend(self.steps_with(joint, state, &fixed, given, sampler)?);
        }
        // Data of a handshake was fixed beforehand; outputs of a tick are seen only now.
        if let Some(Event::Gate(_, data)) = &step.event {
            out.retain(|found| data.iter().all(|(i, value)| found.data[*i] == *value));
        }
        Ok(out)
    }

    /// Internal steps of a state.
    pub fn internal_steps(
        &self,
        state: &State,
        given: &Given,
        sampler: Option<&mut dyn Sampler>,
    ) -> Result<Vec<Step>, ChoiceError> {
        let tau = TraceStep { event: Some(Event::Tau), ..TraceStep::default() };
        self.steps_like(state, &tau, Missing::Open, given, sampler)
    }

    /// Steps of a joint in which some parameters have known values.
    pub fn steps_with(
        &self,
        joint: usize,
        state: &State,
        fixed: &[Option<Value>],
        given: &Given,
        sampler: Option<&mut dyn Sampler>,
    ) -> Result<Vec<Step>, ChoiceError> {
        if !self.at_source(joint, state) {
            return Ok(vec![]);
        }
        let mut out = vec![];
        for data in self.tuples(joint, state, fixed, given, sampler)? {
            out.extend(self.steps(joint, state, &data)?);
        }
        Ok(out)
    }

    /// Steps of a joint with what a tester sends. What an input gives back is the choice of the system: first as it is here, then
    /// anything else.
    pub fn steps_of_input(&self, joint: usize, state: &State, data: &[Value]) -> Result<Vec<Step>, ChoiceError> {
        let mut steps = self.steps(joint, state, data)?;
        let sent = self.sent_to(joint);
        if steps.is_empty() && sent < data.len() {
            let fixed: Vec<Option<Value>> = data[..sent].iter().cloned().map(Some).chain([None]).collect();
            steps = self.steps_with(joint, state, &fixed, &Given::default(), None)?;
        }
        Ok(steps)
    }

    /// What a trace step says of the parameters of a joint; none if it is about something else.
    fn fixed(&self, joint: usize, step: &TraceStep, missing: Missing) -> Option<Vec<Option<Value>>> {
        let joint = &self.joints[joint];
        let inputs = match joint.parts[..] {
            [Part::Tick(tick)] => self.ticks[tick].inputs.len(),
            _ => 0,
        };
        let absent = |i: usize| (i < inputs && missing == Missing::Absent).then_some(Value::Absent);
        match (&step.event, joint.gate) {
            (None, _) if self.style == Style::Lockstep => {
                Some((0..inputs).map(|i| step.inputs.get(&i).cloned().or_else(|| absent(i))).collect())
            }
            (None, _) | (Some(Event::Tau), None) => Some(vec![]),
            (Some(Event::Gate(gate, data)), Some(own)) if *gate == own => {
                Some((0..joint.params.len()).map(|i| data.get(&i).cloned().or_else(|| absent(i))).collect())
            }
            _ => None,
        }
    }
}
