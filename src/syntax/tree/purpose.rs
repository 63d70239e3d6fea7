//! Purposes and rules.

use super::{BinaryOp, Expr, Ident, ModelUse, Param, TypeExpr};
use crate::span::Span;

/// What constraints are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PurposeKind {
    /// `purpose`: runs that meet all of them.
    Purpose,
    /// `items`: a suite whose sequences meet each of them.
    Items,
}

/// A purpose, or a block of items: constraints on the history lists of one model.
#[derive(Clone, Debug, PartialEq)]
pub struct Purpose {
    /// Which of the two.
    pub kind: PurposeKind,
    /// Name.
    pub name: Ident,
    /// Parameters.
    pub params: Vec<Param>,
    /// The model.
    pub model: ModelUse,
    /// Constraints in order.
    pub constraints: Vec<Constraint>,
    /// Place.
    pub span: Span,
}

/// A constraint of a purpose.
#[derive(Clone, Debug, PartialEq)]
pub enum Constraint {
    /// `length <= 12`, `length 7`
    Length {
        /// The relation; equality if none is written.
        relation: BinaryOp,
        /// The bound.
        bound: Expr,
        /// Place.
        span: Span,
    },
    /// `cover transitions`, `cover switches(3)`
    Cover {
        /// The criterion, or a block of items, with arguments.
        criterion: ModelUse,
        /// Place.
        span: Span,
    },
    /// `classes interval { -1, 2..10, > 10 }`
    Classes {
        /// The list.
        list: Expr,
        /// The classes.
        classes: Vec<Class>,
        /// Place.
        span: Span,
    },
    /// `expect impossible`
    Expect {
        /// The answer that is wished.
        answer: Ident,
        /// Place.
        span: Span,
    },
    /// A formula over rules, which may have a name: `rollover: member(...)`
    Formula {
        /// The name.
        label: Option<Ident>,
        /// The formula.
        formula: Formula,
    },
}

/// A class of values.
#[derive(Clone, Debug, PartialEq)]
pub enum Class {
    /// One value, or a range.
    Value(Expr),
    /// `> 10`
    Relation(BinaryOp, Expr),
}

/// A Boolean combination of rules and conditions.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// What it is.
    pub kind: FormulaKind,
    /// Place.
    pub span: Span,
    /// Nesting depth.
    pub depth: u32,
}

/// Forms of a formula.
#[derive(Clone, Debug, PartialEq)]
pub enum FormulaKind {
    /// `before(a, b) on t.fired`, or a condition
    Atom {
        /// Rule use or condition.
        expr: Expr,
        /// The lists it looks at.
        on: Vec<Expr>,
    },
    /// `a and b`
    And(Box<Formula>, Box<Formula>),
    /// `a or b`
    Or(Box<Formula>, Box<Formula>),
    /// `not a`
    Not(Box<Formula>),
    /// `some n: Int: f`
    Some {
        /// The variable.
        variable: Ident,
        /// Its type.
        ty: Option<TypeExpr>,
        /// The formula.
        body: Box<Formula>,
    },
    /// Nested too deeply; reported already.
    Error,
}

/// A history rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Name.
    pub name: Ident,
    /// Parameters.
    pub params: Vec<Param>,
    /// Names for the elements of the lists it looks at; none written means `h`.
    pub lists: Vec<Ident>,
    /// Clauses in order.
    pub clauses: Vec<Clause>,
    /// Place.
    pub span: Span,
}

/// A clause of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// The condition on the element; none for `else`.
    pub guard: Option<Expr>,
    /// What the rule becomes.
    pub becomes: Formula,
    /// Place.
    pub span: Span,
}
