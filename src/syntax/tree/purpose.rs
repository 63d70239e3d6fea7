//! Purposes and rules.

use super::{BinaryOp, Expr, Ident, Logic, ModelUse, Param, TypeExpr};
use crate::span::Span;

/// What constraints are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PurposeKind {
    /// `purpose`: runs that meet all of them.
    Purpose,
    /// `items`: a suite whose sequences meet each of them.
    Items,
    /// `property`: what holds in every run.
    Property,
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
    /// `after a normal always b not enabled`
    Temporal(Temporal),
}

/// What holds in a part of every run, between events.
#[derive(Clone, Debug, PartialEq)]
pub struct Temporal {
    /// What it is.
    pub kind: TemporalKind,
    /// Place.
    pub span: Span,
    /// Nesting depth.
    pub depth: u32,
}

/// Forms of a temporal property.
#[derive(Clone, Debug, PartialEq)]
pub enum TemporalKind {
    /// From every one of these events on.
    After(Vec<CallEvent>, Box<Temporal>),
    /// Up to every one of these events.
    Before(Vec<CallEvent>, Box<Temporal>),
    /// Until the first of these events, if there is one.
    Unless(Box<Temporal>, Vec<CallEvent>),
    /// Both.
    And(Box<Temporal>, Box<Temporal>),
    /// One of them.
    Or(Box<Temporal>, Box<Temporal>),
    /// In every moment.
    Always(Held),
    /// In no moment.
    Never(Held),
    /// Nested too deeply; reported already.
    Error,
}

/// What a moment is asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Held {
    /// A condition on the state.
    Condition(Expr),
    /// `m enabled with p`, `m not enabled`
    Enabled {
        /// The gate, or the transition.
        call: Ident,
        /// Whether it is.
        is_enabled: bool,
        /// Calls that are meant.
        with: Option<Expr>,
    },
}

/// `m normal with p`
#[derive(Clone, Debug, PartialEq)]
pub struct CallEvent {
    /// The gate, or the transition.
    pub call: Ident,
    /// How it ends.
    pub kind: CallKind,
    /// What else must hold.
    pub with: Option<Expr>,
    /// Place.
    pub span: Span,
}

/// How a call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// It begins; what else must hold is about the state before it.
    Called,
    /// As it should.
    Normal,
    /// With an exception.
    Exceptional,
    /// In either way.
    Terminates,
}

impl CallKind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            CallKind::Called => "called",
            CallKind::Normal => "normal",
            CallKind::Exceptional => "exceptional",
            CallKind::Terminates => "terminates",
        }
    }
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
    /// `chart A`, `scenario A(1)`, `match A`
    Drawn(Drawn, ModelUse),
    /// `some n: Int: f`
    Some {
        /// The variable.
        variable: Ident,
        /// Its type.
        ty: Option<TypeExpr>,
        /// The formula.
        body: Box<Formula>,
    },
    /// `formula { always p }`
    Temporal(Box<Logic>),
    /// Nested too deeply; reported already.
    Error,
}

/// In which way a chart or a pattern is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Drawn {
    /// `chart`: a run contains the chart.
    Chart,
    /// `scenario`: the events of a run are as the pattern says.
    Scenario,
    /// `match`: some events of a run that follow each other are.
    Match,
}

impl Drawn {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Drawn::Chart => "chart",
            Drawn::Scenario => "scenario",
            Drawn::Match => "match",
        }
    }
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
