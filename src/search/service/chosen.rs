//! Values that matter, chosen by the solver: for a node in one state, one combination with which every predicate holds, and
//! for each predicate one for which it is the first that does not.

use std::collections::BTreeSet;

use super::entered::Entered;
use crate::kernel::{ChoiceError, State, StepSystem};
use crate::model::{Collect, Collected};
use crate::search::{Branch, Judge, Oracle};
use crate::solve::Solver;
use crate::term::{Definitions, OpenFrame, Symbolic, Term, Terms, Type, Unsupported, Value};

/// Chooses values.
pub(super) struct Chooser {
    terms: Terms,
    oracle: Oracle,
}

impl Chooser {
    pub fn new(solver: Box<dyn Solver>) -> Chooser {
        Chooser { terms: Terms::new(), oracle: Oracle::new(solver) }
    }

    /// What is known of a node, with values that are chosen where none are listed.
    pub fn entered(
        &mut self,
        system: &StepSystem,
        collect: &Collect,
        state: &State,
        domains: &[Option<Vec<Option<Value>>>],
        gaps: &mut BTreeSet<String>,
    ) -> Result<Entered, ChoiceError> {
        let mut values: Vec<Vec<Option<Value>>> = vec![vec![]; collect.events.len()];
        let mut listed: Vec<Vec<u32>> = vec![];
        for class in [None].into_iter().chain((0..collect.predicates.len()).map(Some)) {
            let found = match self.witness(system, collect, state, domains, class) {
                Ok(Some(found)) => found,
                Ok(None) => continue,
                Err(Unsupported(reason)) => {
                    gaps.insert(reason);
                    continue;
                }
            };
            let mut row = vec![];
            for (event, value) in found.into_iter().enumerate() {
                let place = values[event].iter().position(|known| *known == value).unwrap_or_else(|| {
                    values[event].push(value);
                    values[event].len() - 1
                });
                row.push(place as u32 + 1);
            }
            if !listed.contains(&row) {
                listed.push(row);
            }
        }
        Entered::new(system, collect, state, values, Some(listed))
    }

    /// Values with which a predicate is the first one violated, or none is.
    fn witness(
        &mut self,
        system: &StepSystem,
        collect: &Collect,
        state: &State,
        domains: &[Option<Vec<Option<Value>>>],
        class: Option<usize>,
    ) -> Result<Option<Vec<Option<Value>>>, Unsupported> {
        let Chooser { terms, oracle } = self;
        let definitions = &system.definitions;
        let mut branch = Branch::new(&[], &[], vec![], false);
        let mut slots: Vec<Term> = state.values.iter().map(|value| terms.constant(value.clone())).collect();
        let mut conditions: Vec<Term> = vec![];
        let mut opened: Vec<Option<Term>> = vec![];
        // Larger values than those that are looked at.
        let mut left_out = BTreeSet::new();
        for (event, domain) in collect.events.iter().zip(domains) {
            if !event.has_value {
                slots[event.given] = terms.bool(true);
                opened.push(None);
                continue;
            }
            let value = branch.open(&type_of(system, event), terms, definitions)?.noting(&mut left_out);
            conditions.extend(value.conditions);
            if let Some(domain) = domain {
                let members: Vec<Term> = domain.iter().flatten().map(|value| terms.constant(value.clone())).collect();
                conditions.push(terms.is_among(value.value, &members));
            }
            slots[event.given] = terms.data(Definitions::OPTION, 1, vec![value.value]);
            opened.push(Some(value.value));
        }
        let asked = class.map_or(collect.predicates.len(), |class| class + 1);
        for (number, predicate) in collect.predicates[..asked].iter().enumerate() {
            let mut symbolic = Symbolic::new(terms, definitions, &slots);
            let truth = symbolic.condition(&predicate.condition, &mut OpenFrame::new())?;
            conditions.push(if Some(number) == class { terms.not(truth) } else { truth });
        }
        for condition in conditions {
            let condition = oracle.known(terms, &branch, condition);
            if !oracle.assume(terms, &mut branch, condition) {
                return none(left_out);
            }
        }
        if !oracle.satisfiable(terms, &mut branch) {
            return none(left_out);
        }
        if branch.is_doubtful {
            return Err(Unsupported("the solver gave up on a choice of values".to_owned()));
        }
        let mut value_of = |term: &Option<Term>| match term {
            None => Ok(None),
            Some(term) => {
                let term = branch.store.apply(terms, *term);
                let value = terms.value_under(term, &branch.witness);
                value.map(Some).ok_or_else(|| Unsupported("a value that is not known".to_owned()))
            }
        };
        opened.iter().map(&mut value_of).collect::<Result<_, _>>().map(Some)
    }
}

/// No values; where larger ones were left out, nobody knows.
fn none<T>(left_out: BTreeSet<String>) -> Result<Option<T>, Unsupported> {
    left_out.into_iter().next().map_or(Ok(None), |gap| Err(Unsupported(gap)))
}

/// The type of the values of an event.
fn type_of(system: &StepSystem, event: &Collected) -> Type {
    match &system.slots[event.given].ty {
        Type::Option(inner) => (**inner).clone(),
        other => other.clone(),
    }
}
