//! Interactive services.

use super::{Effect, Expr, Ident, Param, TypeExpr, VarDecl};
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
    /// `node n : collect { ... } do ... -> next`
    Collect {
        /// Name.
        name: Ident,
        /// Predicates in order, each with an optional violation target.
        predicates: Vec<(Expr, Option<Ident>)>,
        /// Effects when it is left.
        effects: Vec<Effect>,
        /// Next node.
        target: Ident,
        /// Place.
        span: Span,
    },
    /// `node n : choose { e -> m, ... }`
    Choose {
        /// Name.
        name: Ident,
        /// Events and next nodes.
        choices: Vec<(Ident, Ident)>,
        /// Place.
        span: Span,
    },
}
