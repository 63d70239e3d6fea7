//! What there is to cover in a model, as purposes see it: items with what it means to cover them, over the model's lists.

use crate::term::{Expr, Value};

/// A criterion with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Criterion {
    /// Its name.
    pub name: String,
    /// Arguments in order.
    pub args: Vec<CriterionArg>,
}

/// An argument of a criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CriterionArg {
    /// A number: how long tuples are, how deep to go.
    Number(usize),
    /// A machine, a gate or a channel.
    Name(String),
}

/// Why a criterion has no meaning for a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoItems {
    /// There is no such criterion; these are the known ones.
    Unknown(Vec<&'static str>),
    /// Its arguments are not what it needs.
    Arguments(&'static str),
    /// An argument is the name of nothing; these are the known ones.
    Name(String, Vec<String>),
}

/// Something to cover.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Its name, unique in its criterion.
    pub name: String,
    /// What it means to cover it.
    pub wanted: Wanted,
}

/// What a run must show to cover an item. Lists go by number; expressions are over the elements of one step, and locals that
/// they bind are numbered from 0.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// An element of a list.
    Element(usize, Value),
    /// A state, also the one before the first step: the list, that of the states before, the state.
    Visit(usize, usize, Value),
    /// Elements of a list in turn, with only the last value given, and absent ones, between them.
    InTurn(usize, Vec<Value>, Value),
    /// Of the elements of a list that are related, one of the first values and next one of the second.
    Next(usize, [Vec<Value>; 2], Vec<Value>),
    /// A condition that holds in some step.
    Condition(Expr),
    /// In some step the first condition holds and the second does not: it is false or has no value.
    Without(Expr, Expr),
}

/// Knows what there is to cover.
pub trait Criteria {
    /// The items of a criterion.
    fn items(&self, criterion: &Criterion) -> Result<Vec<Item>, NoItems>;
}
