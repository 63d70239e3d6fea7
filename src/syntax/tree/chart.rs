//! Message sequence charts and scenario patterns.

use super::{Expr, Ident, ModelUse, Param, TypeExpr};
use crate::span::Span;

/// A message sequence chart: `msc Name(params) for Model { ... }`, or with its body in a file of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Name.
    pub name: Ident,
    /// Parameters.
    pub params: Vec<Param>,
    /// The model.
    pub model: ModelUse,
    /// The file its body is drawn in: `from "setup.mmd"`. Only then `members` are not printed.
    pub source: Option<ChartSource>,
    /// What stands in it, in order. Empty for a chart in a file, until somebody has read that file.
    pub members: Vec<ChartMember>,
    /// Place.
    pub span: Span,
}

/// The file a chart is drawn in.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartSource {
    /// The path as written.
    pub path: String,
    /// Its place.
    pub span: Span,
}

/// What stands in a chart.
#[derive(Clone, Debug, PartialEq)]
pub enum ChartMember {
    /// `lifeline env, b, n[1]`: what takes part. An expression of names, fields and indices.
    Lifelines {
        /// The lifelines.
        lifelines: Vec<Expr>,
        /// Place.
        span: Span,
    },
    /// `some n: Int`: a variable of the chart.
    Some {
        /// Its name.
        variable: Ident,
        /// Its type, if written.
        ty: Option<TypeExpr>,
        /// Place.
        span: Span,
    },
    /// `exactly`, `among others`: how the chart is read.
    Reading(Reading, Span),
    /// `global order`, `local order`: which events of the chart are ordered.
    Order(ChartOrder, Span),
    /// Something that happens.
    Part(ChartPart),
}

/// Whether other messages may come between those of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reading {
    /// `exactly`: no other ones between its lifelines.
    Exactly,
    /// `among others`: any.
    AmongOthers,
}

/// Which events of a chart are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChartOrder {
    /// `global order`: as they stand.
    Global,
    /// `local order`: those that share a lifeline.
    Local,
}

/// A part of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartPart {
    /// What it is.
    pub kind: ChartPartKind,
    /// Place.
    pub span: Span,
    /// Nesting depth: one more than that of the deepest part inside it.
    pub depth: u32,
}

/// Forms of a part of a chart.
#[derive(Clone, Debug, PartialEq)]
pub enum ChartPartKind {
    /// `t -> b : timeout(true)`
    Message {
        /// The lifeline it leaves: names, fields and indices.
        from: Expr,
        /// The lifeline it reaches.
        to: Expr,
        /// What is sent: a channel or a gate.
        event: EventPattern,
    },
    /// `b fires switchOn`
    Fires {
        /// The lifeline.
        lifeline: Expr,
        /// The transition.
        transition: Ident,
    },
    /// `b in Off`
    State {
        /// The lifeline.
        lifeline: Expr,
        /// The control state.
        state: Ident,
    },
    /// `when n > 0`
    When(Expr),
    /// `tick`: what follows happens in a later step.
    Tick,
    /// `any`: anything may happen here.
    Any,
    /// `alt { ... } or { ... }`
    Alt(Vec<Vec<ChartPart>>),
    /// `opt { ... }`
    Opt(Vec<ChartPart>),
    /// `loop 2..5 { ... }`
    Loop(Times, Vec<ChartPart>),
    /// `par { ... } and { ... }`
    Par(Vec<Vec<ChartPart>>),
    /// `not { ... }`
    Not(Vec<ChartPart>),
    /// `exactly { ... }`, `among others { ... }`
    Read(Reading, Vec<ChartPart>),
    /// `ref Other(3)`
    Ref(ModelUse),
    /// Nested too deeply; reported already.
    Error,
}

/// An event with what is asked of its data.
#[derive(Clone, Debug, PartialEq)]
pub struct EventPattern {
    /// The channel, the gate, or a pattern with a name.
    pub name: Ident,
    /// What is asked of the data: expressions, `_`, variables. `None` if no brackets are written.
    pub args: Option<Vec<Expr>>,
    /// What is asked of the result.
    pub result: Option<Expr>,
    /// Place.
    pub span: Span,
}

/// How often something happens.
#[derive(Clone, Debug, PartialEq)]
pub enum Times {
    /// Any number of times, also never.
    Any,
    /// So often.
    Exactly(Expr),
    /// Between these bounds; without the second one, at least so often.
    Between(Expr, Option<Expr>),
}

/// A scenario pattern: `pattern Name(params) for Model { ... }`, a regular expression over events.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Name.
    pub name: Ident,
    /// Parameters.
    pub params: Vec<Param>,
    /// The model.
    pub model: ModelUse,
    /// `free ds, e: Int`: variables of a match, with their types if written.
    pub free: Vec<(Ident, Option<TypeExpr>)>,
    /// `alphabet { a, b(x) }`: events that count; those that are mentioned if nothing is written.
    pub alphabet: Option<Vec<Symbol>>,
    /// The pattern.
    pub pattern: EventsPattern,
    /// Place.
    pub span: Span,
}

/// An event of a pattern, or of its alphabet.
#[derive(Clone, Debug, PartialEq)]
pub enum Symbol {
    /// `gate(args): result`, `channel(value)`, `t.channel(value)`, or a pattern with a name.
    Event {
        /// The machine whose channel it is, if written: names, fields and indices.
        machine: Option<Expr>,
        /// The event.
        event: EventPattern,
    },
    /// `t fires x`
    Fires {
        /// The machine: names, fields and indices.
        machine: Expr,
        /// The transition.
        transition: Ident,
    },
}

/// A regular expression over events.
#[derive(Clone, Debug, PartialEq)]
pub struct EventsPattern {
    /// What it is.
    pub kind: EventsPatternKind,
    /// Place.
    pub span: Span,
    /// Nesting depth.
    pub depth: u32,
}

/// Forms of a regular expression over events.
#[derive(Clone, Debug, PartialEq)]
pub enum EventsPatternKind {
    /// An event.
    Symbol(Symbol),
    /// `any`: an event of the alphabet.
    Any,
    /// `when n > 0`
    When(Expr),
    /// `a ; b`
    Sequence(Vec<EventsPattern>),
    /// `a | b`
    Choice(Vec<EventsPattern>),
    /// `a*`, `a+`, `a?`, `a[3]`, `a[2..5]`
    Repeat(Box<EventsPattern>, Times),
    /// `some x in Int: a`
    Some {
        /// The variable.
        variable: Ident,
        /// Its type, if written.
        ty: Option<TypeExpr>,
        /// The pattern.
        body: Box<EventsPattern>,
    },
    /// Nested too deeply; reported already.
    Error,
}
