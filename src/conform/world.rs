//! Where conditions are made and judged: terms, the solver behind its caches, and what could not be looked at.

use std::collections::BTreeSet;

use super::alphabet::Label;
use crate::search::{Branch, Judge, Oracle};
use crate::solve::Solver;
use crate::term::{Definitions, Range, Symbolic, Term, Terms, Type, Unsupported};

/// Most groups that alternatives are split into.
const MAX_GROUPS: usize = 128;

/// Terms and their judge.
pub(super) struct World<'a> {
    pub terms: Terms,
    pub oracle: Oracle,
    pub definitions: &'a Definitions,
    /// Why something was not looked at.
    pub gaps: BTreeSet<String>,
}

impl<'a> World<'a> {
    pub fn new(definitions: &'a Definitions, solver: Box<dyn Solver>) -> World<'a> {
        World { terms: Terms::new(), oracle: Oracle::new(solver), definitions, gaps: BTreeSet::new() }
    }

    /// Adds a condition to a branch; false if it cannot hold there.
    pub fn assume(&mut self, branch: &mut Branch, condition: Term) -> bool {
        self.oracle.assume(&mut self.terms, branch, condition)
    }

    /// The branch in which a condition holds, if it can.
    pub fn when(&mut self, branch: &Branch, condition: Term) -> Option<Branch> {
        let mut branch = branch.clone();
        self.assume(&mut branch, condition).then_some(branch)
    }

    /// A condition as it looks in a branch.
    pub fn known(&mut self, branch: &Branch, condition: Term) -> Term {
        let condition = branch.store.apply(&mut self.terms, condition);
        branch.store.simplified(&mut self.terms, condition)
    }

    /// The result, or a gap.
    pub fn noted<T>(&mut self, result: Result<T, Unsupported>) -> Option<T> {
        result.map_err(|Unsupported(reason)| self.gaps.insert(reason)).ok()
    }

    /// Opens a value of a type.
    pub fn open(&mut self, ty: &Type, branch: &mut Branch) -> Option<Term> {
        let opened = branch.open(ty, &mut self.terms, self.definitions);
        let opened = self.noted(opened)?.noting(&mut self.gaps);
        opened.conditions.into_iter().all(|condition| self.assume(branch, condition)).then_some(opened.value)
    }

    /// Opens what a label carries: any value of its shape.
    pub fn open_label(&mut self, label: &Label, branch: &mut Branch) -> Option<Vec<Term>> {
        let params = label.params.iter().map(|(_, ty)| self.open_message(ty, label.is_tick, branch));
        params.collect()
    }

    /// Opens a value that may be absent.
    pub fn open_message(&mut self, ty: &Type, may_be_absent: bool, branch: &mut Branch) -> Option<Term> {
        if !may_be_absent {
            return self.open(ty, branch);
        }
        let symbol = branch.add(Range::Bool);
        let present = self.terms.symbol(symbol);
        let opened = branch.open(ty, &mut self.terms, self.definitions);
        let (message, conditions) = self.noted(opened)?.noting(&mut self.gaps).message(present, &mut self.terms);
        conditions.into_iter().all(|condition| self.assume(branch, condition)).then_some(message)
    }

    /// That a value, or a message that may be absent, belongs to a type.
    pub fn inside(&mut self, ty: &Type, value: Term) -> Option<Term> {
        if !ty.is_narrow() {
            return Some(self.terms.bool(true));
        }
        let mut symbolic = Symbolic::new(&mut self.terms, self.definitions, &[]);
        let Some(there) = symbolic.present(value) else { return Some(self.terms.bool(true)) };
        let present = symbolic.is_present(value);
        let inside = symbolic.contains(ty, there);
        let inside = self.noted(inside)?;
        let absent = self.terms.not(present);
        Some(self.terms.or(absent, inside))
    }

    /// The branch split by which of some alternatives are there; those that are equal are one.
    pub fn split<T: Clone + Eq>(&mut self, branch: &Branch, alternatives: Vec<(Term, T)>) -> Vec<(Branch, Vec<T>)> {
        let mut merged: Vec<(Term, T)> = vec![];
        for (condition, what) in alternatives {
            match merged.iter_mut().find(|(_, known)| *known == what) {
                Some((known, _)) => *known = self.terms.or(*known, condition),
                None => merged.push((condition, what)),
            }
        }
        let mut groups = vec![(branch.clone(), vec![])];
        for (condition, what) in merged {
            let not = self.terms.not(condition);
            let mut next = vec![];
            for (branch, chosen) in groups {
                if let Some(with) = self.when(&branch, condition) {
                    next.push((with, chosen.iter().cloned().chain([what.clone()]).collect()));
                }
                let mut without = branch;
                if self.assume(&mut without, not) {
                    next.push((without, chosen));
                }
            }
            groups = next;
            if groups.len() > MAX_GROUPS {
                self.gaps.insert("the specification branches in too many ways at once".to_owned());
                groups.truncate(MAX_GROUPS);
            }
        }
        groups
    }
}
