//! Lock-step systems and compositions.

use super::{Direction, Expr, Ident, Param};
use crate::span::Span;

/// A lock-step system.
#[derive(Clone, Debug, PartialEq)]
pub struct System {
    /// Name.
    pub name: Ident,
    /// Parameters.
    pub params: Vec<Param>,
    /// Instances and connections in order.
    pub members: Vec<SystemMember>,
    /// Place.
    pub span: Span,
}

/// A member of a system.
#[derive(Clone, Debug, PartialEq)]
pub enum SystemMember {
    /// `b: Blinker(3)` or `n[i in 1..3]: Node(i)`
    Instance(Instance),
    /// `a.x -> b.y`
    Connection(Connection),
    /// `for i in 1..3 { ... }`
    For {
        /// The index.
        variable: Ident,
        /// Its values.
        over: Expr,
        /// Connections for each of them.
        connections: Vec<Connection>,
        /// Place.
        span: Span,
    },
}

/// An instance, or an indexed family of instances, of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Name.
    pub name: Ident,
    /// Index variable and its values.
    pub index: Option<(Ident, Expr)>,
    /// The model and its arguments.
    pub model: ModelUse,
    /// Place.
    pub span: Span,
}

/// A model's name with arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelUse {
    /// Name.
    pub name: Ident,
    /// Arguments.
    pub args: Vec<Arg>,
    /// Place.
    pub span: Span,
}

/// An argument, by position or by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Arg {
    /// Name, if written.
    pub name: Option<Ident>,
    /// Value.
    pub value: Expr,
}

/// A connection from one port to others.
#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    /// The writer.
    pub from: Endpoint,
    /// The readers.
    pub to: Vec<Endpoint>,
    /// Place.
    pub span: Span,
}

/// An end of a connection.
#[derive(Clone, Debug, PartialEq)]
pub struct Endpoint {
    /// `in` or `out` for a port of the system itself.
    pub border: Option<Direction>,
    /// Names with indices: `n[i].port`.
    pub path: Vec<(Ident, Option<Expr>)>,
    /// Place.
    pub span: Span,
}

/// `system S = A || B`
#[derive(Clone, Debug, PartialEq)]
pub struct Composition {
    /// Name.
    pub name: Ident,
    /// Parameters.
    pub params: Vec<Param>,
    /// What it is made of.
    pub process: Process,
    /// Place.
    pub span: Span,
}

/// A composition of models.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// What it is.
    pub kind: ProcessKind,
    /// Place.
    pub span: Span,
    /// Nesting depth.
    pub depth: u32,
}

/// How two models run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parallel {
    /// `||`: together on the gates both know, alone on the others.
    Handshake,
    /// `|||`: each on its own.
    Interleave,
}

/// Forms of a composition.
#[derive(Clone, Debug, PartialEq)]
pub enum ProcessKind {
    /// `name: Model(args)`
    Model {
        /// Name of the instance.
        label: Option<Ident>,
        /// The model.
        model: ModelUse,
    },
    /// `A || B`
    Parallel(Parallel, Box<Process>, Box<Process>),
    /// `|| i in 1..3: P`
    Replicated {
        /// How the copies run together.
        operator: Parallel,
        /// Index.
        variable: Ident,
        /// Its values.
        over: Expr,
        /// What is copied.
        body: Box<Process>,
    },
    /// `P hide { a, b }`
    Hide(Box<Process>, Vec<GateName>),
    /// `P rename { a -> b }`
    Rename(Box<Process>, Vec<(GateName, GateName)>),
    /// Nested too deeply; reported already.
    Error,
}

/// A gate's name, perhaps with an index: `rq[i]`.
#[derive(Clone, Debug, PartialEq)]
pub struct GateName {
    /// Name.
    pub name: Ident,
    /// Index.
    pub index: Option<Expr>,
}
