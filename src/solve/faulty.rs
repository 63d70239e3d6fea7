//! A solver that fails on purpose, to see what becomes of the answers.

use super::{Clause, GaveUp, Meaning, Predicate, Solver, Stop, Verdict};
use crate::term::{Term, Terms};

/// When to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// At the check with this number, from one.
    At(usize),
    /// From the check with this number on.
    From(usize),
}

/// Gives up at certain checks, and otherwise does what another solver does.
pub struct Faulty<S> {
    inner: S,
    fault: Fault,
    checks: usize,
}

impl<S: Solver> Faulty<S> {
    /// A solver that fails as told.
    pub fn new(inner: S, fault: Fault) -> Faulty<S> {
        Faulty { inner, fault, checks: 0 }
    }

    /// Counts one more check.
    fn fails(&mut self) -> bool {
        self.checks += 1;
        match self.fault {
            Fault::At(n) => self.checks == n,
            Fault::From(n) => self.checks >= n,
        }
    }
}

impl<S: Solver> Solver for Faulty<S> {
    fn stop_when(&mut self, stop: Stop) {
        self.inner.stop_when(stop);
    }

    fn spend(&mut self, effort: u32) {
        self.inner.spend(effort);
    }

    fn push(&mut self) {
        self.inner.push();
    }

    fn pop(&mut self) {
        self.inner.pop();
    }

    fn assert(&mut self, terms: &Terms, condition: Term) {
        self.inner.assert(terms, condition);
    }

    fn check(&mut self, terms: &Terms, assumptions: &[Term]) -> Verdict {
        match self.fails() {
            true => Verdict::Unknown(GaveUp::Told),
            false => self.inner.check(terms, assumptions),
        }
    }

    fn satisfy(&mut self, terms: &Terms, predicates: &[Predicate], clauses: &[Clause], effort: u32) -> Meaning {
        match self.fails() {
            true => Meaning::Unknown(GaveUp::Told),
            false => self.inner.satisfy(terms, predicates, clauses, effort),
        }
    }
}
