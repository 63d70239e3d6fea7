//! Components and symbolic transition systems.

use super::{Expr, Field, Ident, Param, TypeExpr};
use crate::span::Span;

/// Which kind of machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineKind {
    /// Channels, lock-step.
    Component,
    /// Gates with data.
    Sts,
}

/// A component or a symbolic transition system.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Which of the two.
    pub kind: MachineKind,
    /// Name.
    pub name: Ident,
    /// Parameters.
    pub params: Vec<Param>,
    /// Declarations, states and transitions in order.
    pub members: Vec<Member>,
    /// Place of the whole declaration.
    pub span: Span,
}

/// Direction of a channel or gate, seen from the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// From the environment.
    In,
    /// To the environment.
    Out,
}

/// A member of a machine.
#[derive(Clone, Debug, PartialEq)]
pub enum Member {
    /// `in set: Int` or `out rq(prod: Nat)`.
    Ports {
        /// Direction.
        direction: Direction,
        /// What is declared.
        ports: Vec<Port>,
        /// Place.
        span: Span,
    },
    /// `var t: Int = 0`
    Vars {
        /// The variables.
        vars: Vec<VarDecl>,
        /// Place.
        span: Span,
    },
    /// `initial state A`, `location B, C`
    States {
        /// Whether the word `initial` stands there.
        initial: bool,
        /// `state` or `location`.
        kind: MachineKind,
        /// Names.
        names: Vec<Ident>,
        /// Place.
        span: Span,
    },
    /// `A -> B : label when guard do updates`
    Transition(Transition),
    /// `action ?gate(x: T): R = e when guard do updates`
    Action(Action),
}

/// A channel (no parameters in brackets, a type) or a gate.
#[derive(Clone, Debug, PartialEq)]
pub enum Port {
    /// `set: Int`
    Channel(Field),
    /// `rq(prod: Nat, quant: Nat): Bool`
    Gate(GateDecl),
}

/// A gate with its parameters and perhaps a result.
#[derive(Clone, Debug, PartialEq)]
pub struct GateDecl {
    /// Name.
    pub name: Ident,
    /// Parameters.
    pub params: Vec<Field>,
    /// Type of the result, which is one more parameter called `result`.
    pub result: Option<TypeExpr>,
}

/// A variable with its initial value.
#[derive(Clone, Debug, PartialEq)]
pub struct VarDecl {
    /// Name.
    pub name: Ident,
    /// Type, if written.
    pub ty: Option<TypeExpr>,
    /// Initial value.
    pub init: Init,
}

/// Initial value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// A value.
    Value(Expr),
    /// `any`: open.
    Any(Span),
}

/// A transition of a component or a switch of an sts.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// States it leaves: from each of them, it is a transition.
    pub sources: Vec<Ident>,
    /// State it enters.
    pub target: Ident,
    /// Its name, if given.
    pub name: Option<Ident>,
    /// For an sts: the gate or `tau`.
    pub event: Option<EventUse>,
    /// The guard.
    pub guard: Option<Expr>,
    /// Updates and messages.
    pub effects: Vec<Effect>,
    /// What it is there for, such as requirements.
    pub tags: Vec<Ident>,
    /// Place.
    pub span: Span,
}

/// What a switch does at its gate.
#[derive(Clone, Debug, PartialEq)]
pub enum EventUse {
    /// `?gate(args): result`
    Gate {
        /// `?` or `!`.
        direction: Direction,
        /// The gate.
        gate: Ident,
        /// Arguments: fresh names bind, everything else is compared.
        args: Vec<Expr>,
        /// The argument for the result.
        result: Option<Expr>,
        /// Place.
        span: Span,
    },
    /// An internal step.
    Tau(Span),
}

/// A guarded action of a machine without locations: gate and switch in one.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// `?` (default) or `!`.
    pub direction: Direction,
    /// Gate with parameters and type of the result.
    pub gate: GateDecl,
    /// The result's value.
    pub result: Option<Expr>,
    /// The guard.
    pub guard: Option<Expr>,
    /// Updates.
    pub effects: Vec<Effect>,
    /// What it is there for, such as requirements.
    pub tags: Vec<Ident>,
    /// Place.
    pub span: Span,
}

/// One effect after `do`.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// `x := e`, `m[k] := e`, `r.f := e`
    Assign {
        /// The place that changes: a name with indices and fields.
        target: Expr,
        /// New value.
        value: Expr,
        /// Place.
        span: Span,
    },
    /// `c!e if g`
    Send {
        /// The channel.
        channel: Ident,
        /// The message.
        value: Expr,
        /// Send only if this holds.
        condition: Option<Expr>,
        /// Place.
        span: Span,
    },
}
