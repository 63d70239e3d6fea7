//! Expressions and patterns.

use num_bigint::BigInt;

use super::{Arg, Ident};
use crate::span::Span;

/// An expression or pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Place.
    pub span: Span,
    /// Nesting depth.
    pub depth: u32,
}

/// Forms of an expression. Patterns are written as expressions; which names bind is decided where they stand.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A name.
    Name(String),
    /// A whole number.
    Int(BigInt),
    /// A decimal number, as written.
    Decimal(String),
    /// A text.
    Text(String),
    /// `true`, `false`
    Bool(bool),
    /// `absent`
    Absent,
    /// `_`
    Wildcard,
    /// `..rest` at the end of a list pattern; no name for `..`.
    Rest(Option<Ident>),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `{a, b}`; `{}` is the empty set or the empty map
    Set(Vec<Expr>),
    /// `{k: v}`
    Map(Vec<(Expr, Expr)>),
    /// `f(a, name: b)`: a function, constructor, record or rule.
    Call(Ident, Vec<Arg>),
    /// `r with (f: e)`
    With(Box<Expr>, Vec<Arg>),
    /// `m[k]`
    Index(Box<Expr>, Box<Expr>),
    /// `r.f`
    Field(Box<Expr>, Ident),
    /// `-a`, `!a`
    Unary(UnaryOp, Box<Expr>),
    /// `a + b`
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a..b`
    Range(Box<Expr>, Box<Expr>),
    /// `if a then b else c`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `match e { p => a, q if g => b }`
    Match(Box<Expr>, Vec<Arm>),
    /// `let x = a; b`
    Let(Ident, Box<Expr>, Box<Expr>),
    /// `forall x in s: p`
    Quantified(Quantifier, Ident, Box<Expr>, Box<Expr>),
    /// `[e for x in s if g]`, and with braces a set or a map
    Comprehension(Box<Comprehension>),
    /// `c?p`
    Receive(Box<Expr>, Box<Expr>),
    /// Nested too deeply; reported already.
    Error,
}

/// An arm of a `match`.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// The pattern.
    pub pattern: Expr,
    /// The condition after `if`.
    pub guard: Option<Expr>,
    /// The value.
    pub body: Expr,
}

/// `forall` or `exists`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// All members.
    Forall,
    /// Some member.
    Exists,
}

/// A list, set or map described by a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Comprehension {
    /// What is made.
    pub makes: Made,
    /// The loop's variable.
    pub variable: Ident,
    /// What it runs over.
    pub over: Expr,
    /// Which members count.
    pub condition: Option<Expr>,
}

/// What a comprehension makes.
#[derive(Clone, Debug, PartialEq)]
pub enum Made {
    /// `[e for ...]`
    List(Expr),
    /// `{e for ...}`
    Set(Expr),
    /// `{k: v for ...}`
    Map(Expr, Expr),
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Negate,
    Not,
}

/// Infix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
    In,
    Matches,
    Add,
    Subtract,
    Concat,
    Multiply,
    Divide,
    Modulo,
}

impl BinaryOp {
    /// The operator as written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Or => "||",
            BinaryOp::And => "&&",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::Less => "<",
            BinaryOp::AtMost => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::AtLeast => ">=",
            BinaryOp::In => "in",
            BinaryOp::Matches => "matches",
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Concat => "++",
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Modulo => "%",
        }
    }

    /// How tightly it binds; comparisons (3) do not chain, the others group to the left.
    pub fn precedence(self) -> u8 {
        match self {
            BinaryOp::Or => 1,
            BinaryOp::And => 2,
            BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::AtMost
            | BinaryOp::Greater
            | BinaryOp::AtLeast
            | BinaryOp::In
            | BinaryOp::Matches => 3,
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Concat => 4,
            BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo => 5,
        }
    }
}

impl Expr {
    /// The expressions directly inside this one.
    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Name(_)
            | ExprKind::Int(_)
            | ExprKind::Decimal(_)
            | ExprKind::Text(_)
            | ExprKind::Bool(_)
            | ExprKind::Absent
            | ExprKind::Wildcard
            | ExprKind::Rest(_)
            | ExprKind::Error => vec![],
            ExprKind::List(es) | ExprKind::Set(es) => es.iter().collect(),
            ExprKind::Map(entries) => entries.iter().flat_map(|(k, v)| [k, v]).collect(),
            ExprKind::Call(_, args) => args.iter().map(|a| &a.value).collect(),
            ExprKind::With(e, args) => std::iter::once(&**e).chain(args.iter().map(|a| &a.value)).collect(),
            ExprKind::Index(a, b)
            | ExprKind::Binary(_, a, b)
            | ExprKind::Range(a, b)
            | ExprKind::Let(_, a, b)
            | ExprKind::Quantified(_, _, a, b)
            | ExprKind::Receive(a, b) => vec![a, b],
            ExprKind::Field(e, _) | ExprKind::Unary(_, e) => vec![e],
            ExprKind::If(a, b, c) => vec![a, b, c],
            ExprKind::Match(e, arms) => {
                let in_arms = arms.iter().flat_map(|a| [Some(&a.pattern), a.guard.as_ref(), Some(&a.body)]).flatten();
                std::iter::once(&**e).chain(in_arms).collect()
            }
            ExprKind::Comprehension(c) => {
                let mut out = vec![&c.over];
                out.extend(&c.condition);
                match &c.makes {
                    Made::List(e) | Made::Set(e) => out.push(e),
                    Made::Map(k, v) => out.extend([k, v]),
                }
                out
            }
        }
    }

    /// The same expression with the expressions directly inside it changed by `f`. Arms of a match are left alone.
    pub fn map_children(&self, f: &mut dyn FnMut(&Expr) -> Expr) -> Expr {
        let mut out = self.clone();
        let children: Vec<&mut Expr> = match &mut out.kind {
            ExprKind::List(es) | ExprKind::Set(es) => es.iter_mut().collect(),
            ExprKind::Map(entries) => entries.iter_mut().flat_map(|(k, v)| [k, v]).collect(),
            ExprKind::Call(_, args) => args.iter_mut().map(|a| &mut a.value).collect(),
            ExprKind::With(e, args) => std::iter::once(&mut **e).chain(args.iter_mut().map(|a| &mut a.value)).collect(),
            ExprKind::Index(a, b)
            | ExprKind::Binary(_, a, b)
            | ExprKind::Range(a, b)
            | ExprKind::Let(_, a, b)
            | ExprKind::Quantified(_, _, a, b)
            | ExprKind::Receive(a, b) => vec![a, b],
            ExprKind::Field(e, _) | ExprKind::Unary(_, e) | ExprKind::Match(e, _) => vec![e],
            ExprKind::If(a, b, c) => vec![a, b, c],
            _ => vec![],
        };
        for child in children {
            *child = f(child);
        }
        out
    }
}
