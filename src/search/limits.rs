//! What a search may use up, and how it reports on the way.

use std::time::Duration;

use crate::budget::{Budget, Limit};

/// Limits of a search.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most steps from the start.
    pub depth: Option<usize>,
    /// Most states.
    pub states: usize,
    /// Time, memory and patience.
    pub budget: Budget,
}

/// States when nothing else is said.
pub const DEFAULT_STATES: usize = 5_000_000;

impl Default for Limits {
    fn default() -> Self {
        Limits { depth: None, states: DEFAULT_STATES, budget: Budget::default() }
    }
}

impl Limits {
    /// The same limits with a time from now on.
    pub fn within(self, time: Option<Duration>) -> Limits {
        Limits { budget: self.budget.within(time), ..self }
    }

    /// Does some work, which is [abandoned](Budget::attempt) if it goes on for too long after a limit was hit.
    pub fn attempt<T>(&self, work: impl FnOnce() -> T) -> Result<T, Limit> {
        self.budget.attempt(work)
    }

    /// The limit of time, memory or patience that is used up, if any.
    pub fn used_up(&self) -> Option<Limit> {
        self.budget.used_up()
    }
}

/// Who hears of a running search.
pub trait Progress {
    /// Called now and then.
    fn at(&mut self, depth: usize, states: usize, open: usize, solver_calls: usize);

    /// Called when something else begins: who searches now, or what for.
    fn doing(&mut self, _what: &str) {}
}

impl Progress for () {
    fn at(&mut self, _: usize, _: usize, _: usize, _: usize) {}
}
