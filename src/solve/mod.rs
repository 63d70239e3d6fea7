//! Solving: whether conditions on open values can hold together, and with which values.
//!
//! The only module that knows Z3, and no type of Z3 leaves it. Everybody else sees a [`Solver`]: conditions are asserted
//! for good or until the next `pop`, or assumed for one check only. A check may give up, and then it says so: `unknown` is
//! an answer of its own. Tested by random conditions whose models are evaluated, and by solvers that fail on purpose.

mod faulty;
mod gave_up;
mod horn;
mod regex;
mod version;
mod z3;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::term::{Symbol, Term, Terms, Value};

pub use faulty::{Fault, Faulty};
pub use gave_up::GaveUp;
pub use horn::{Applied, Clause, Meaning, Predicate};
pub use version::version;
pub use z3::Z3;

/// Whether to stop.
pub type Stop = Arc<dyn Fn() -> bool + Send + Sync>;

/// Decides conditions.
pub trait Solver {
    /// From now on, gives up soon after this says so.
    fn stop_when(&mut self, stop: Stop);
    /// From now on, spends about so much on a check, in the solver's own units.
    fn spend(&mut self, effort: u32);
    /// What is asserted from here on is forgotten by the next [`Solver::pop`].
    fn push(&mut self);
    /// Forgets what was asserted since the last [`Solver::push`].
    fn pop(&mut self);
    /// Adds a condition.
    fn assert(&mut self, terms: &Terms, condition: Term);
    /// Whether everything asserted and the assumptions can hold together.
    fn check(&mut self, terms: &Terms, assumptions: &[Term]) -> Verdict;
    /// Whether predicates can be given a meaning that satisfies clauses; what was asserted does not matter here.
    fn satisfy(&mut self, terms: &Terms, predicates: &[Predicate], clauses: &[Clause], effort: u32) -> Meaning;
}

/// What a solver says.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// They can, with these values; symbols that do not matter may be missing.
    Satisfiable(Model),
    /// They cannot; these assumptions are enough for that.
    Unsatisfiable(Vec<Term>),
    /// It gave up, for this reason.
    Unknown(GaveUp),
}

/// Values of symbols.
pub type Model = BTreeMap<Symbol, Value>;

/// Makes solvers, one for each engine that needs one.
pub type NewSolver<'a> = &'a (dyn Fn() -> Box<dyn Solver> + Sync);
