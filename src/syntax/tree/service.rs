//! Interactive services.

use super::{Effect, Expr, Ident, ModelUse, Param, TypeExpr, VarDecl};
use crate::span::Span;

/// An interactive service.
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    /// Name.
    pub name: Ident,
    /// Parameters.
    pub params: Vec<Param>,
    /// Members in order.
    pub members: Vec<ServiceMember>,
    /// Place.
    pub span: Span,
}

/// A member of a service.
#[derive(Clone, Debug, PartialEq)]
pub enum ServiceMember {
    /// `event name: T, quit`
    Events {
        /// Names, with the type of the value if they carry one.
        events: Vec<(Ident, Option<TypeExpr>)>,
        /// Place.
        span: Span,
    },
    /// `var x: T = e`
    Vars {
        /// The variables.
        vars: Vec<VarDecl>,
        /// Place.
        span: Span,
    },
    /// A node.
    Node(ServiceNode),
}

/// `node n do ... : ...`
#[derive(Clone, Debug, PartialEq)]
pub struct ServiceNode {
    /// Name.
    pub name: Ident,
    /// Effects when it is entered.
    pub entry: Vec<Effect>,
    /// What it waits for.
    pub kind: NodeKind,
    /// Place.
    pub span: Span,
}

/// What a node waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    /// `collect a, b { ... } once b do ... -> next`: events in any order, until all predicates hold.
    Collect {
        /// Events besides those that the predicates read.
        events: Vec<Ident>,
        /// Predicates in order.
        predicates: Vec<Predicate>,
        /// Events that cannot be corrected.
        once: Vec<Ident>,
        /// Where it leads.
        next: Way,
    },
    /// `choose { e -> m, ... }`: one of several events.
    Choose(Vec<Choice>),
    /// `run A(1), B -> next`: other services, one after the other.
    Run {
        /// The services.
        services: Vec<ModelUse>,
        /// Where it leads when they have ended.
        next: Way,
    },
}

/// `label: condition do ... -> target`
#[derive(Clone, Debug, PartialEq)]
pub struct Predicate {
    /// What it is called.
    pub label: Option<Ident>,
    /// What must hold.
    pub condition: Expr,
    /// Where its violation leads, if not to a correction.
    pub violation: Option<Way>,
}

/// `event do ... -> target`
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The event.
    pub event: Ident,
    /// Where it leads.
    pub way: Way,
}

/// `do ... -> target`
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    /// Effects on the way.
    pub effects: Vec<Effect>,
    /// `if c then a else if d then b else`: conditions on the data after the effects, with nodes.
    pub cases: Vec<(Expr, Ident)>,
    /// The node it leads to otherwise.
    pub otherwise: Ident,
    /// Place of the nodes.
    pub span: Span,
}
