//! Charts and patterns: what is still to happen, as terms, and rules that watch it.
//!
//! A [`Drawing`] has a [`Term`] over events and conditions. In every step some of its events happen, none or several, and in
//! the moment after the step conditions are looked at; what is left is another term. So terms are the states of an automaton,
//! with registers for the values that variables have got, and each becomes a rule ([`compile`]). Knows lists by number only.
//! Tested against placements of events written straight from the reference (`tests/program/charts.rs`, `tests/program/patterns.rs`).

mod compile;
mod prune;
mod step;
mod term;

pub use compile::{Compiled, TooLarge, compile};
pub use term::{ALL, Lifelines, Term, Unmet};

use std::cell::Cell;

use crate::term::Expr;

/// Most work on one chart or pattern: parts of terms that are looked at.
const MAX_WORK: usize = 20_000_000;

/// A chart or a pattern over the elements of some lists.
///
/// In its expressions slots are its own lists by number; locals are its variables, and then what expressions bind.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// A name for its rules.
    pub name: String,
    /// How many lists it looks at.
    pub lists: usize,
    /// How many variables it has.
    pub variables: usize,
    /// Variables that have a value from the beginning.
    pub given: Vec<usize>,
    /// Events.
    pub events: Vec<Event>,
    /// Conditions.
    pub conditions: Vec<Condition>,
    /// For each way to be closed: what must not be there, unless an event takes it.
    pub closed: Vec<Vec<Other>>,
    /// Whether it is closed all the time, in which way, and a run must end where it may.
    pub whole: Option<usize>,
    /// Whether a step is one event at most.
    pub one_event: bool,
    /// What is to happen.
    pub term: Term,
    /// What it has cost to look at it.
    pub work: Cell<usize>,
}

impl Drawing {
    fn charge(&self, work: usize) {
        self.work.set(self.work.get().saturating_add(work));
    }

    /// Whether it has cost more than anybody waits for. From then on what is said of it is of no use.
    fn is_too_much(&self) -> bool {
        self.work.get() > MAX_WORK
    }
}

/// Something that happens in a step.
#[derive(Clone, Debug)]
pub struct Event {
    /// What it takes: two events of one step take different things.
    pub takes: usize,
    /// Who is concerned.
    pub lifelines: Lifelines,
    /// Conditions on the elements of the step, in order.
    pub guard: Vec<Expr>,
    /// Elements that are values of variables: those that have none yet get it.
    pub values: Vec<(Expr, usize)>,
}

/// A condition on a moment between two steps.
#[derive(Clone, Debug)]
pub struct Condition {
    /// Who is concerned.
    pub lifelines: Lifelines,
    /// It holds after the step that is looked at.
    pub after: Expr,
    /// It holds before that step.
    pub before: Expr,
    /// It holds in the one moment of a run without steps; none if that is not known. It looks at no lists.
    pub initially: Option<Expr>,
}

/// Something that may not be there while a chart is closed.
#[derive(Clone, Debug)]
pub struct Other {
    /// What an event that is allowed takes.
    pub takes: usize,
    /// That it is there.
    pub present: Expr,
}
