//! Names and types of expressions.
//!
//! One checker serves every place where an expression may stand. It reports what is wrong and goes on with an unknown
//! type, which fits everything, so that one mistake gives one message.

use num_bigint::BigInt;

use super::checked::Names;
use super::problem::{Problem, near};
use crate::diagnostic::Diagnostic;
use crate::history::ListNames;
use crate::syntax::tree::{self, Direction, TypeExpr, TypeExprKind};
use crate::syntax::{Span, print_expr};
use crate::term::{Bound, Definitions, Expr, Type, TypeId, Value};

/// What a name in scope stands for.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    /// A place of the frame.
    Local(usize, Type),
    /// A variable of the machine.
    Slot(usize, Type),
    /// A channel of the machine.
    Channel(usize, Direction, Type),
    /// A parameter of the model.
    Param(usize, Type),
    /// A parameter whose value is known.
    Known(Value, Type),
    /// A parameter of a service that is run by another one.
    Means(Expr, Type),
}

/// What is known inside a purpose or a rule.
#[derive(Clone, Debug)]
pub(super) struct Histories<'a> {
    /// The lists of the purpose's model; none in a rule.
    pub lists: Option<&'a ListNames>,
    /// Number of the first enumeration of states, transitions or gates: their members go by their bare names.
    pub first_type: TypeId,
    /// The type of the elements of a rule's first list.
    pub element: Option<Type>,
}

/// A condition that holds from some place on, with what its names meant there.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    condition: tree::Expr,
    names: Vec<(String, Option<Meaning>)>,
}

/// What tells a name from others that are written alike.
#[derive(Clone, Debug, PartialEq)]
enum Meaning {
    Local(usize),
    Slot(usize),
    Channel(usize),
    Param(usize),
    Value(Expr),
}

/// A moment of a run that a condition of a purpose may look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instant {
    First,
    Last,
    Initial,
}

/// A place of an event that gives a variable its value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Capture {
    /// The variable, by its place of the frame.
    pub variable: usize,
    /// The local that the pattern binds there.
    pub bound: usize,
    /// The type of what stands there.
    pub ty: Type,
}

/// Checks expressions in a scope.
#[derive(Debug)]
pub(super) struct Scope<'a> {
    pub names: &'a Names,
    pub definitions: &'a Definitions,
    pub problems: &'a mut Vec<Diagnostic>,
    pub bindings: Vec<(String, Binding)>,
    /// Number of locals used so far.
    pub locals: usize,
    /// Conditions known to hold at the current place, as written; they silence warnings, and show that what is put into a
    /// collection belongs there.
    pub facts: Vec<Fact>,
    /// Names of the scope that were looked up.
    pub used: Vec<String>,
    /// The lists that names may stand for; in a rule there are none, but elements may be absent all the same.
    pub histories: Option<Histories<'a>>,
    /// Above zero while types are looked up for a proof, which asks for no further proofs.
    pub proving: u32,
    /// The moments that were named, where `first(x)`, `last(x)` and `initial(x)` name one.
    pub moments: Option<Vec<Instant>>,
    /// Locals that were read by their names, with the places.
    pub reads: Vec<(usize, Span)>,
    /// Locals that were compared by their names.
    pub compared: Vec<(usize, usize)>,
    /// Variables that stand in the pattern of an event.
    pub captures: Vec<Capture>,
    /// What patterns say beside what they look like: locals that they bind, and the values these must have.
    pub equal: Vec<(usize, Expr)>,
}

impl<'a> Scope<'a> {
    pub fn new(names: &'a Names, definitions: &'a Definitions, problems: &'a mut Vec<Diagnostic>) -> Self {
        Scope {
            names,
            definitions,
            problems,
            bindings: vec![],
            locals: 0,
            facts: vec![],
            used: vec![],
            histories: None,
            proving: 0,
            moments: None,
            reads: vec![],
            compared: vec![],
            captures: vec![],
            equal: vec![],
        }
    }

    /// Whether a name is bound here, and hides what the model calls so.
    pub fn binds(&self, name: &str) -> bool {
        self.bindings.iter().any(|(bound, _)| bound == name)
    }

    /// The history list that an expression names.
    pub fn list(&self, e: &tree::Expr) -> Option<(usize, Type)> {
        let lists = self.histories.as_ref()?.lists?;
        if root(e).is_some_and(|name| self.binds(name)) {
            return None;
        }
        let number = *lists.numbers.get(&path(e)?)?;
        Some((number, lists.entries[number].ty.clone()))
    }

    pub fn report(&mut self, problem: Problem, span: Span) {
        self.problems.push(problem.at(span));
    }

    pub fn show(&self, ty: &Type) -> String {
        ty.name(self.definitions)
    }

    pub fn bind_local(&mut self, name: &str, ty: Type) -> usize {
        let index = self.locals;
        self.locals += 1;
        self.bindings.push((name.to_owned(), Binding::Local(index, ty)));
        index
    }

    pub fn lookup(&mut self, name: &str) -> Option<Binding> {
        let found = self.bindings.iter().rev().find(|(n, _)| n == name).map(|(_, binding)| binding.clone());
        if found.is_some() {
            self.used.push(name.to_owned());
        }
        found
    }

    fn meaning(&self, name: &str) -> Option<Meaning> {
        let (_, binding) = self.bindings.iter().rev().find(|(known, _)| known == name)?;
        Some(match binding {
            Binding::Local(index, _) => Meaning::Local(*index),
            Binding::Slot(index, _) => Meaning::Slot(*index),
            Binding::Channel(slot, ..) => Meaning::Channel(*slot),
            Binding::Param(index, _) => Meaning::Param(*index),
            Binding::Known(value, _) => Meaning::Value(Expr::Const(value.clone())),
            Binding::Means(expr, _) => Meaning::Value(expr.clone()),
        })
    }

    /// Notes a condition that holds from here on.
    pub fn suppose(&mut self, condition: tree::Expr) {
        let mut names = vec![];
        names_in(&condition, &mut names);
        names.sort_unstable();
        names.dedup();
        let names = names.into_iter().map(|name| {
            let meaning = self.meaning(&name);
            (name, meaning)
        });
        self.facts.push(Fact { names: names.collect(), condition });
    }

    /// The conditions that hold here. One with a name that was bound again since says nothing about what is called so now.
    pub fn supposed(&self) -> impl Iterator<Item = &tree::Expr> {
        let means_the_same = |(name, meaning): &(String, Option<Meaning>)| self.meaning(name) == *meaning;
        self.facts.iter().filter(move |fact| fact.names.iter().all(means_the_same)).map(|fact| &fact.condition)
    }

    /// Whether a name stands for a parameter of the model or, if none is given, for what is declared outside of it.
    pub fn is_parameter(&self, name: &str, parameter: Option<usize>) -> bool {
        self.meaning(name) == parameter.map(Meaning::Param)
    }

    /// Whether a path of names is bound as a whole.
    pub fn is_bound(&self, e: &tree::Expr) -> bool {
        path(e).is_some_and(|path| self.bindings.iter().any(|(name, _)| *name == path))
    }

    /// Runs `f` and forgets the names it bound.
    pub fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let (bindings, facts) = (self.bindings.len(), self.facts.len());
        let result = f(self);
        self.bindings.truncate(bindings);
        self.facts.truncate(facts);
        result
    }

    /// All names that could be meant where a value is expected.
    pub fn near(&self, name: &str) -> Option<String> {
        // Each look compares all names; among so many problems nobody reads the answer.
        if self.problems.len() > MAX_SUGGESTIONS {
            return None;
        }
        let local = self.bindings.iter().map(|(n, _)| n.as_str());
        let global = self.names.constants.keys().chain(self.names.constructors.keys()).map(String::as_str);
        let lists = self.histories.iter().filter_map(|h| h.lists).flat_map(|lists| lists.numbers.keys());
        near(name, local.chain(global).chain(lists.map(String::as_str)))
    }

    /// The type that is written.
    pub fn resolve(&mut self, written: &TypeExpr) -> Type {
        match &written.kind {
            TypeExprKind::Error => Type::Unknown,
            TypeExprKind::Range(low, high) => {
                let (low_bound, high_bound) = (self.bound(low), self.bound(high));
                if let (Bound::Known(l), Bound::Known(h)) = (&low_bound, &high_bound)
                    && l > h
                {
                    self.report(Problem::EmptyRange { low: l.to_string(), high: h.to_string() }, written.span);
                }
                Type::Int { low: Some(low_bound), high: Some(high_bound) }
            }
            TypeExprKind::Named { name, args } => {
                let args: Vec<Type> = args.iter().map(|a| self.resolve(a)).collect();
                let expected = match name.name.as_str() {
                    "List" | "Set" | "Option" => 1,
                    "Map" => 2,
                    _ => 0,
                };
                if args.len() != expected && (expected > 0 || self.is_type(&name.name)) {
                    let problem = Problem::TypeArguments { name: name.name.clone(), expected, found: args.len() };
                    self.report(problem, written.span);
                    return Type::Unknown;
                }
                let mut args = args.into_iter().map(Box::new);
                let mut next = || args.next().unwrap_or(Box::new(Type::Unknown));
                match name.name.as_str() {
                    "Bool" => Type::Bool,
                    "Int" => Type::INT,
                    "Nat" => Type::nat(),
                    "Real" => Type::Real,
                    "String" => Type::Text,
                    "List" => Type::List(next()),
                    "Set" => Type::Set(next()),
                    "Option" => Type::Option(next()),
                    "Map" => {
                        let key = next();
                        Type::Map(key, next())
                    }
                    "Element" if self.histories.as_ref().is_some_and(|h| h.element.is_some()) => {
                        self.histories.as_ref().and_then(|h| h.element.clone()).unwrap_or(Type::Unknown)
                    }
                    other => match self.names.types.get(other) {
                        Some(ty) => ty.clone(),
                        None => {
                            let known =
                                BUILTIN_TYPES.iter().copied().chain(self.names.types.keys().map(String::as_str));
                            let near = near(other, known);
                            self.report(Problem::UnknownType { name: other.to_owned(), near }, name.span);
                            Type::Unknown
                        }
                    },
                }
            }
        }
    }

    fn is_type(&self, name: &str) -> bool {
        BUILTIN_TYPES.contains(&name) || self.names.types.contains_key(name)
    }

    /// A bound of a range type: a number, or something to compute once constants and parameters are known.
    fn bound(&mut self, written: &tree::Expr) -> Bound {
        let literal = match &written.kind {
            tree::ExprKind::Int(n) => Some(n.clone()),
            tree::ExprKind::Unary(tree::UnaryOp::Negate, inner) => match &inner.kind {
                tree::ExprKind::Int(n) => Some(-n.clone()),
                _ => None,
            },
            _ => None,
        };
        match literal {
            Some(n) => Bound::Known(n),
            None => match self.check(written, &Type::INT) {
                Expr::Const(Value::Int(n)) => Bound::Known(n),
                Expr::Const(_) => Bound::Known(BigInt::ZERO),
                expr => Bound::Open(Box::new(expr), print_expr(written)),
            },
        }
    }
}

/// All names in an expression, bound ones too, and paths of names.
pub(super) fn names_in(e: &tree::Expr, out: &mut Vec<String>) {
    match &e.kind {
        tree::ExprKind::Name(name) => out.push(name.clone()),
        tree::ExprKind::Rest(name) => out.extend(name.iter().map(|name| name.name.clone())),
        _ => {}
    }
    if matches!(e.kind, tree::ExprKind::Field(..)) {
        out.extend(path(e));
    }
    e.children().into_iter().for_each(|child| names_in(child, out));
}

/// The name under which a list is known: `b.state`, `cell[2].value`, `pre(x)`.
pub(super) fn path(e: &tree::Expr) -> Option<String> {
    match &e.kind {
        tree::ExprKind::Name(name) => Some(name.clone()),
        tree::ExprKind::Field(base, field) => Some(format!("{}.{}", path(base)?, field.name)),
        tree::ExprKind::Index(base, index) => Some(format!("{}[{}]", path(base)?, print_expr(index))),
        tree::ExprKind::Call(name, args) if name.name == "pre" && args.len() == 1 => {
            Some(format!("pre({})", path(&args[0].value)?))
        }
        _ => None,
    }
}

/// The first name of a path.
pub(super) fn root(e: &tree::Expr) -> Option<&str> {
    match &e.kind {
        tree::ExprKind::Name(name) => Some(name),
        tree::ExprKind::Field(base, _) | tree::ExprKind::Index(base, _) => root(base),
        tree::ExprKind::Call(name, args) if name.name == "pre" && args.len() == 1 => root(&args[0].value),
        _ => None,
    }
}

/// Problems after which no names are suggested any more.
const MAX_SUGGESTIONS: usize = 200;

/// Types of the language.
pub(super) const BUILTIN_TYPES: &[&str] = &["Bool", "Int", "Nat", "Real", "String", "List", "Set", "Map", "Option"];
