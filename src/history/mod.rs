//! History rules: what a purpose says about the lists of a run.
//!
//! A rule looks at one element of the lists it stands on and holds, fails, or becomes a Boolean combination of rules on
//! the tails. What is still to be shown after some elements is a [`Live`] formula over rule instances, and the instances
//! with their arguments are the states of an automaton with registers. [`Known::advance`] runs it over known elements;
//! engines that know less of a run bring their own way to look at an element, and the same formulas. Knows lists by number
//! and type only, never a model. Tested by the laws of the standard library and through every generated sequence.

mod acceptor;
pub mod drawn;
mod item;
mod lists;
mod live;
mod looks;
mod memo;
mod monitor;
mod property;
mod purpose;
mod rule;
mod running;

pub use acceptor::{
    Acceptor, AsRules, Atom, Automaton, Exclusion, MAX_LISTED, NoRules, Node, Nodes, State, Strength, Temporal,
    TooLarge, Variable, automaton, informative, is_safety,
};
pub use item::{Criteria, Criterion, CriterionArg, Item, NoItems, Wanted};
pub use lists::{ListKind, ListName, ListNames, MachineName, Message, RESULT, Seen};
pub use live::Live;
pub use looks::{Looks, Observed};
pub use memo::Rules;
pub use monitor::Known;
pub use property::{Call, Event, Phase, Property};
pub use purpose::{Class, Constraint, Length, Purpose};
pub use rule::{Clause, Formula, Instance, Monitor, Rule, RuleUse, When};
pub use running::{Binding, Bindings, Running, Stuck};
