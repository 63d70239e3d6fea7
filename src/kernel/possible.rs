//! Whether a step is possible at all where its data cannot be listed.
//!
//! With the state known, what a joint asks for is a condition on its data alone, and whether some data satisfies it can
//! often be said exactly, by eliminating one parameter after the other. No solver is asked; where elimination does not get
//! to the end, there is no answer.

use std::collections::BTreeSet;

use super::choices::{ChoiceError, Given};
use super::system::*;
use crate::syntax::tree::Direction;
use crate::term::{OpenFrame, Store, Symbol, Symbolic, Term, Terms, Unsupported, open};

impl StepSystem {
    /// Whether neither an output nor an internal step is possible.
    pub fn is_quiescent(&self, state: &State, given: &Given) -> Result<bool, ChoiceError> {
        for joint in 0..self.joints.len() {
            let input = self.joints[joint].gate.is_some_and(|g| self.gates[g].direction == Direction::In);
            if !input && self.is_possible(joint, state, given)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a joint has a step from a state with some data.
    pub fn is_possible(&self, joint: usize, state: &State, given: &Given) -> Result<bool, ChoiceError> {
        match self.steps_with(joint, state, &[], given, None) {
            Ok(steps) => Ok(!steps.is_empty()),
            Err(error @ ChoiceError::NoValues { .. }) => self.has_data(joint, state).ok().flatten().ok_or(error),
            Err(error) => Err(error),
        }
    }

    /// Whether some data satisfies what switches that meet ask for; none if that cannot be said.
    fn has_data(&self, joint: usize, state: &State) -> Result<Option<bool>, Unsupported> {
        let described = &self.joints[joint];
        let (mut terms, mut store) = (Terms::new(), Store::default());
        let definitions = &self.definitions;
        let mut conditions: Vec<Term> = vec![];
        let mut data = OpenFrame::new();
        // Larger values than those that are looked at.
        let mut left_out = BTreeSet::new();
        for (_, types) in &described.params {
            let opened = open(&types[0], &mut store, &mut terms, definitions)?.noting(&mut left_out);
            conditions.extend(opened.conditions);
            for ty in &types[1..] {
                conditions.push(Symbolic::new(&mut terms, definitions, &[]).contains(ty, opened.value)?);
            }
            data.push(Some(opened.value));
        }
        let values: Vec<Term> = state.values.iter().map(|value| terms.constant(value.clone())).collect();
        let mut symbolic = Symbolic::new(&mut terms, definitions, &values);
        for part in &described.parts {
            let Part::Switch { machine, transition } = *part else { return Ok(None) };
            let t = &self.machines[machine].transitions[transition];
            let mut frame = data.clone();
            for conjunct in &t.guard {
                conditions.push(symbolic.condition(&conjunct.expr, &mut frame)?);
            }
            for (_, expr) in &t.updates {
                conditions.push(symbolic.eval(expr, &mut frame)?.defined);
            }
        }
        let symbols: Vec<Symbol> = (store.ranges.iter().enumerate())
            .map(|(number, range)| Symbol { number: number as u32, sort: range.sort() })
            .collect();
        for (symbol, range) in symbols.iter().zip(&store.ranges) {
            let term = terms.symbol(*symbol);
            conditions.extend(range.conditions(&mut terms, term));
        }
        let all = terms.all(conditions);
        let exists = terms.exists(&symbols, all);
        Ok(match (terms.is(exists, true), terms.is(exists, false)) {
            (true, _) => Some(true),
            (_, true) if left_out.is_empty() => Some(false),
            _ => None,
        })
    }
}
