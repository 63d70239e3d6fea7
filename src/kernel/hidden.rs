//! Endless paths of hidden steps: where a model can be busy for ever and nobody sees anything of it.
//!
//! Whoever waits there sees silence, as long as he likes. Which joints can be on such a path at all is said by control
//! alone, and most models have none of these. For the rest the hidden steps of a state are followed until one of them
//! leads back; data that grows without end is a limit, and no answer.

use std::collections::{BTreeMap, BTreeSet};

use super::choices::{ChoiceError, Given};
use super::follow::Missing;
use super::interpret::Step;
use super::replay::internal_closure;
use super::system::*;
use super::trace::TraceStep;

/// Most states that hidden steps are followed to.
const MAX_HIDDEN: usize = 20_000;

impl StepSystem {
    /// Hidden joints that may be taken again and again without anything visible in between, whatever the data is: each of
    /// their switches lies on a circle of such switches. A path of hidden steps that never ends has no others from some
    /// step on.
    pub fn recurring(&self) -> Vec<usize> {
        let mut left: Vec<usize> = (0..self.joints.len()).filter(|joint| self.joints[*joint].gate.is_none()).collect();
        loop {
            let switches: BTreeSet<(usize, usize)> = left.iter().flat_map(|joint| self.switches_of(*joint)).collect();
            let on_circle = |(machine, transition): (usize, usize)| {
                let t = &self.machines[machine].transitions[transition];
                self.leads(machine, &switches, t.target, t.source)
            };
            let kept: Vec<usize> =
                left.iter().copied().filter(|joint| self.switches_of(*joint).all(on_circle)).collect();
            if kept.len() == left.len() {
                return kept;
            }
            left = kept;
        }
    }

    fn switches_of(&self, joint: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.joints[joint].parts.iter().filter_map(|part| match part {
            Part::Switch { machine, transition } => Some((*machine, *transition)),
            // A tick is always possible.
            Part::Tick(_) => None,
        })
    }

    /// Whether switches of a machine lead from one of its states to another one.
    fn leads(&self, machine: usize, switches: &BTreeSet<(usize, usize)>, from: u32, to: u32) -> bool {
        let mut seen = BTreeSet::from([from]);
        let mut open = vec![from];
        while let Some(state) = open.pop() {
            if state == to {
                return true;
            }
            for (_, transition) in switches.iter().filter(|(m, _)| *m == machine) {
                let t = &self.machines[machine].transitions[*transition];
                if t.source == state && seen.insert(t.target) {
                    open.push(t.target);
                }
            }
        }
        false
    }

    /// Whether silence may be seen in a state for as long as one likes: nothing but inputs is possible, or hidden steps go on
    /// for ever.
    pub fn may_be_silent(&self, state: &State, given: &Given) -> Result<bool, ChoiceError> {
        Ok(self.is_quiescent(state, given)? || self.is_endless(state, given)?)
    }

    /// Whether an endless path of hidden steps begins in a state.
    pub fn is_endless(&self, state: &State, given: &Given) -> Result<bool, ChoiceError> {
        Ok(self.hidden_circle(state, given)?.is_some())
    }

    /// The steps of a circle of hidden steps that hidden steps lead to from a state, if there is one.
    pub fn hidden_circle(&self, state: &State, given: &Given) -> Result<Option<Vec<Step>>, ChoiceError> {
        if self.recurring().is_empty() {
            return Ok(None);
        }
        // States on the way, each with its steps that are still to be taken; those that are done lead to no circle.
        let mut way: Vec<(State, Vec<Step>)> = vec![(state.clone(), self.internal_steps(state, given, None)?)];
        let mut taken: Vec<Step> = vec![];
        let mut places: BTreeMap<State, usize> = BTreeMap::from([(state.clone(), 0)]);
        let mut done: BTreeSet<State> = BTreeSet::new();
        while let Some((at, steps)) = way.last_mut() {
            let Some(step) = steps.pop() else {
                places.remove(at);
                done.insert(at.clone());
                way.pop();
                taken.pop();
                continue;
            };
            let next = step.next.clone();
            if let Some(place) = places.get(&next) {
                let mut circle = taken.split_off(*place);
                circle.push(step);
                return Ok(Some(circle));
            }
            if done.contains(&next) {
                continue;
            }
            if done.len() + way.len() > MAX_HIDDEN {
                return Err(ChoiceError::TooManyStates(MAX_HIDDEN));
            }
            places.insert(next.clone(), way.len());
            let more = self.internal_steps(&next, given, None)?;
            taken.push(step);
            way.push((next, more));
        }
        Ok(None)
    }

    /// Whether a state waits, perhaps in hidden steps for ever, and does not take an input: neither there nor wherever hidden
    /// steps lead to. None is an input that the model does not have.
    pub fn refuses(&self, state: &State, input: Option<&TraceStep>, given: &Given) -> Result<bool, ChoiceError> {
        let takes = |state: &State| -> Result<bool, ChoiceError> {
            match input {
                Some(input) => Ok(!self.steps_like(state, input, Missing::Open, given, None)?.is_empty()),
                None => Ok(false),
            }
        };
        if self.internal_steps(state, given, None)?.is_empty() {
            return Ok(!takes(state)?);
        }
        if !self.is_endless(state, given)? {
            return Ok(false);
        }
        for state in &internal_closure(self, &BTreeSet::from([state.clone()]), given)? {
            if takes(state)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
