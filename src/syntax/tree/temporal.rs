//! Formulas of linear-time logic.

use super::{Expr, Ident, TypeExpr};
use crate::span::Span;

/// `formula { for all x: always (req(x) -> eventually ack(x)) }`
#[derive(Clone, Debug, PartialEq)]
pub struct Logic {
    /// Whether the formula holds for all values of its variables; otherwise for some.
    pub for_all: bool,
    /// Variables that have one value for the whole run.
    pub variables: Vec<(Ident, Option<TypeExpr>)>,
    /// What holds at the first position.
    pub body: Ltl,
}

/// What holds at a position of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Ltl {
    /// What it is.
    pub kind: LtlKind,
    /// Place.
    pub span: Span,
    /// Nesting depth.
    pub depth: u32,
}

/// Forms of a temporal formula.
#[derive(Clone, Debug, PartialEq)]
pub enum LtlKind {
    /// An event, a condition on a step, or a pattern by its name: `response(order, ship)`
    Atom(Expr),
    /// A pattern in a part of the run: `absence(p) between (q, r)`
    Scoped {
        /// The pattern.
        pattern: Expr,
        /// Which part.
        scope: Scope,
        /// Where it begins and ends.
        bounds: Vec<Expr>,
    },
    /// `!f`
    Not(Box<Ltl>),
    /// `f && g`
    And(Box<Ltl>, Box<Ltl>),
    /// `f || g`
    Or(Box<Ltl>, Box<Ltl>),
    /// `f -> g`
    Implies(Box<Ltl>, Box<Ltl>),
    /// `always f`
    Unary(Spelled<LtlUnary>, Box<Ltl>),
    /// `f until g`
    Binary(Spelled<LtlBinary>, Box<Ltl>, Box<Ltl>),
    /// Nested too deeply; reported already.
    Error,
}

/// An operator as it was written: by a letter or a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spelled<T> {
    /// The operator.
    pub operator: T,
    /// The letter, or the word.
    pub text: &'static str,
}

/// Operators on one formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum LtlUnary {
    Next,
    WeakNext,
    Eventually,
    Always,
    Never,
    Yesterday,
    WeakYesterday,
    Once,
    Historically,
}

/// Operators on two formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum LtlBinary {
    Until,
    WeakUntil,
    Release,
    Since,
}

/// Parts of a run in which a pattern holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Scope {
    Globally,
    Before,
    After,
    Between,
    AfterUntil,
}

impl Scope {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Scope::Globally => "globally",
            Scope::Before => "before",
            Scope::After => "after",
            Scope::Between => "between",
            Scope::AfterUntil => "after_until",
        }
    }

    /// How many bounds it has.
    pub fn bounds(self) -> usize {
        match self {
            Scope::Globally => 0,
            Scope::Before | Scope::After => 1,
            Scope::Between | Scope::AfterUntil => 2,
        }
    }
}

/// Operators on one formula, by letter and word.
pub const LTL_UNARY: [(&str, LtlUnary); 17] = [
    ("X", LtlUnary::Next),
    ("next", LtlUnary::Next),
    ("WX", LtlUnary::WeakNext),
    ("F", LtlUnary::Eventually),
    ("eventually", LtlUnary::Eventually),
    ("G", LtlUnary::Always),
    ("always", LtlUnary::Always),
    ("never", LtlUnary::Never),
    ("Y", LtlUnary::Yesterday),
    ("yesterday", LtlUnary::Yesterday),
    ("Z", LtlUnary::WeakYesterday),
    ("O", LtlUnary::Once),
    ("once", LtlUnary::Once),
    ("H", LtlUnary::Historically),
    ("historically", LtlUnary::Historically),
    ("weak_next", LtlUnary::WeakNext),
    ("weak_yesterday", LtlUnary::WeakYesterday),
];

/// Operators on two formulas, by letter and word.
pub const LTL_BINARY: [(&str, LtlBinary); 8] = [
    ("U", LtlBinary::Until),
    ("until", LtlBinary::Until),
    ("W", LtlBinary::WeakUntil),
    ("weak_until", LtlBinary::WeakUntil),
    ("R", LtlBinary::Release),
    ("release", LtlBinary::Release),
    ("S", LtlBinary::Since),
    ("since", LtlBinary::Since),
];

/// Parts of a run, by their words.
pub const SCOPES: [Scope; 5] = [Scope::Globally, Scope::Before, Scope::After, Scope::Between, Scope::AfterUntil];
