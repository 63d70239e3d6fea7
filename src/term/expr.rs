//! Typed expressions with all names resolved to numbers.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use regex_automata::meta::Regex;
use regex_syntax::hir::{Hir, Look};

use super::ty::{Type, TypeId};
use super::value::Value;
use crate::budget::tick;
use crate::syntax::tree::Quantifier;

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A value.
    Const(Value),
    /// A place of the state vector: a variable or a channel.
    Slot(usize),
    /// A place of the frame: a parameter or a bound name.
    Local(usize),
    /// A parameter of the model; replaced by its value when the model is put together.
    Param(usize),
    /// A constant of the definitions.
    Global(usize),
    /// `-a`, `!a`
    Unary(UnaryOp, Box<Expr>),
    /// `a + b`; `And` and `Or` are lazy.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Lazy choice.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// First arm that fits.
    Match(Box<Expr>, Vec<Arm>),
    /// Binds a local.
    Let(usize, Box<Expr>, Box<Expr>),
    /// A user's function.
    Call(usize, Vec<Expr>),
    /// A function of the language.
    Builtin(Builtin, Vec<Expr>),
    /// A constructor.
    Construct(TypeId, u32, Vec<Expr>),
    /// A field of a type with one constructor.
    Field(Box<Expr>, usize),
    /// The same record with some fields changed.
    With(Box<Expr>, Vec<(usize, Expr)>),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `{a, b}`
    Set(Vec<Expr>),
    /// `{k: v}`
    Map(Vec<(Expr, Expr)>),
    /// `a..b` as the list of its members.
    Range(Box<Expr>, Box<Expr>),
    /// `forall x in s: p`
    Quantified(Quantifier, usize, Box<Expr>, Box<Expr>),
    /// A list, set or map made by a loop.
    Comprehension {
        /// What is made.
        makes: Collection,
        /// The loop's variable.
        local: usize,
        /// What it runs over.
        over: Box<Expr>,
        /// Which members count.
        condition: Option<Box<Expr>>,
        /// The key, for a map.
        key: Option<Box<Expr>>,
        /// The element.
        element: Box<Expr>,
    },
    /// Whether a value or message fits a pattern; binds the pattern's locals if so.
    Test(Box<Expr>, Pattern),
    /// Whether a text matches a regular expression as a whole.
    Matches(Box<Expr>, TextPattern),
    /// The same value, which must belong to the type.
    Narrow(Box<Expr>, Type),
    /// A whole number as a rational one.
    ToReal(Box<Expr>),
}

/// Prefix operators; their table in `operation.rs` says what they mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Not,
    Negate,
    /// That a condition is true; it is not where it has no value.
    Holds,
}

/// Infix operators; their table in `operation.rs` says what they mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    And,
    Or,
    Equal,
    NotEqual,
    Less,
    AtMost,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Concat,
    /// Membership in a list, a set, or the keys of a map.
    In,
}

/// Functions of the language; their table in `operation.rs` says what they mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Builtin {
    Size,
    Head,
    Tail,
    Last,
    Append,
    Reverse,
    Take,
    Drop,
    /// `xs[i]` and `m[k]`
    Index,
    Get,
    Put,
    Insert,
    Remove,
    Union,
    Intersect,
    Minus,
    Subset,
    Keys,
    Values,
    ToSet,
    Floor,
    Abs,
    Min,
    Max,
}

impl Builtin {
    /// All of them with their names; `Index` has none, it is written with brackets.
    pub const NAMED: &'static [(&'static str, Builtin, usize)] = &[
        ("size", Builtin::Size, 1),
        ("head", Builtin::Head, 1),
        ("tail", Builtin::Tail, 1),
        ("last", Builtin::Last, 1),
        ("append", Builtin::Append, 2),
        ("reverse", Builtin::Reverse, 1),
        ("take", Builtin::Take, 2),
        ("drop", Builtin::Drop, 2),
        ("get", Builtin::Get, 2),
        ("put", Builtin::Put, 3),
        ("insert", Builtin::Insert, 2),
        ("remove", Builtin::Remove, 2),
        ("union", Builtin::Union, 2),
        ("intersect", Builtin::Intersect, 2),
        ("minus", Builtin::Minus, 2),
        ("subset", Builtin::Subset, 2),
        ("keys", Builtin::Keys, 1),
        ("values", Builtin::Values, 1),
        ("toSet", Builtin::ToSet, 1),
        ("floor", Builtin::Floor, 1),
        ("abs", Builtin::Abs, 1),
        ("min", Builtin::Min, 2),
        ("max", Builtin::Max, 2),
    ];
}

/// What a comprehension makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Collection {
    List,
    Set,
    Map,
}

/// An arm of a match.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Arm {
    /// The pattern.
    pub pattern: Pattern,
    /// A condition more.
    pub guard: Option<Expr>,
    /// The value.
    pub body: Expr,
}

/// A pattern. Only `Absent` fits an absent message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// Fits everything that is present.
    Any,
    /// Fits an absent message.
    Absent,
    /// Fits everything that is present, and binds it.
    Bind(usize),
    /// Fits one value.
    Equal(Box<Expr>),
    /// Fits a constructor.
    Data(TypeId, u32, Vec<Pattern>),
    /// Fits a list of this length, or a longer one if `rest` is there, which may bind the remaining list.
    List {
        /// The first elements.
        elements: Vec<Pattern>,
        /// What follows them.
        rest: Option<Option<usize>>,
    },
}

/// A regular expression that a text matches as a whole.
#[derive(Clone, Debug)]
pub struct TextPattern {
    /// As written.
    pub source: String,
    regex: Arc<Regex>,
}

impl TextPattern {
    /// Compiles a regular expression; the error says what is wrong with it.
    pub fn new(source: &str) -> Result<TextPattern, String> {
        // It is read alone: inside another text, its brackets could close those around it.
        let whole = regex_syntax::parse(source).map_err(|error| {
            let text = error.to_string();
            text.lines().last().unwrap_or(&text).trim_start_matches("error: ").to_owned()
        })?;
        let anchored = Hir::concat(vec![Hir::look(Look::Start), whole, Hir::look(Look::End)]);
        // The size limit bounds both time and memory of what a hostile pattern can ask for.
        Regex::builder()
            .configure(Regex::config().nfa_size_limit(Some(1 << 20)))
            .build_from_hir(&anchored)
            .map(|regex| TextPattern { source: source.to_owned(), regex: Arc::new(regex) })
            .map_err(|_| "it is too large".to_owned())
    }

    /// Whether the whole text matches.
    pub fn matches(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

impl PartialEq for TextPattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for TextPattern {}

impl Hash for TextPattern {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.source.hash(state);
    }
}

/// A user's function; its parameters are the first locals of its frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Name.
    pub name: String,
    /// Types of the parameters.
    pub params: Vec<Type>,
    /// Type of the result.
    pub result: Type,
    /// Body.
    pub body: Expr,
}

impl Expr {
    /// `true`
    pub const TRUE: Expr = Expr::Const(Value::Bool(true));

    /// A body that is not known yet: its value is not either.
    pub const UNKNOWN: Expr = Expr::Global(usize::MAX);

    /// That there is something in a slot, and it is a value.
    pub fn slot_is(slot: usize, value: Value) -> Expr {
        Expr::Test(Box::new(Expr::Slot(slot)), Pattern::Equal(Box::new(Expr::Const(value))))
    }

    /// All conditions, in order.
    pub fn all(conditions: impl IntoIterator<Item = Expr>) -> Expr {
        joined(BinaryOp::And, conditions).unwrap_or(Expr::TRUE)
    }

    /// One of the conditions, looked at in order; none if there are none.
    pub fn any(conditions: impl IntoIterator<Item = Expr>) -> Option<Expr> {
        joined(BinaryOp::Or, conditions)
    }

    /// The same expression with every leaf changed by `f`, also inside patterns and types.
    pub fn map_leaves(&self, f: &mut impl FnMut(&Expr) -> Option<Expr>) -> Expr {
        self.mapped(f, &|local| local)
    }

    /// The same expression with other numbers for its locals, also for those that it binds.
    pub fn renumber_locals(&self, number: &impl Fn(usize) -> usize) -> Expr {
        let mut read = |leaf: &Expr| match leaf {
            Expr::Local(local) => Some(Expr::Local(number(*local))),
            _ => None,
        };
        self.mapped(&mut read, number)
    }

    /// The same expression, in which what it binds itself is numbered from `first` on. Locals from outside have smaller numbers.
    pub fn binding_from(&self, first: usize) -> Expr {
        let bound = RefCell::new(BTreeSet::new());
        let found = |local: usize| {
            bound.borrow_mut().insert(local);
            local
        };
        self.mapped(&mut |_| None, &found);
        let bound = bound.into_inner();
        match bound.first() {
            Some(least) if *least < first => {
                self.renumber_locals(&|local| if bound.contains(&local) { local + first } else { local })
            }
            _ => self.clone(),
        }
    }

    /// The same expression with every leaf changed by `f`, and locals that it binds renumbered.
    fn mapped(&self, f: &mut impl FnMut(&Expr) -> Option<Expr>, number: &impl Fn(usize) -> usize) -> Expr {
        tick();
        if let Some(changed) = f(self) {
            return changed;
        }
        let mut sub = |e: &Expr| Box::new(e.mapped(f, number));
        match self {
            Expr::Const(_) | Expr::Slot(_) | Expr::Local(_) | Expr::Param(_) | Expr::Global(_) => self.clone(),
            Expr::Unary(op, a) => Expr::Unary(*op, sub(a)),
            Expr::Binary(op, a, b) => Expr::Binary(*op, sub(a), sub(b)),
            Expr::If(a, b, c) => Expr::If(sub(a), sub(b), sub(c)),
            Expr::Match(e, arms) => {
                let e = sub(e);
                let arms = arms.iter().map(|arm| Arm {
                    pattern: arm.pattern.mapped(f, number),
                    guard: arm.guard.as_ref().map(|g| g.mapped(f, number)),
                    body: arm.body.mapped(f, number),
                });
                Expr::Match(e, arms.collect())
            }
            Expr::Let(local, a, b) => Expr::Let(number(*local), sub(a), sub(b)),
            Expr::Call(id, args) => Expr::Call(*id, map_all(args, f, number)),
            Expr::Builtin(id, args) => Expr::Builtin(*id, map_all(args, f, number)),
            Expr::Construct(ty, c, args) => Expr::Construct(*ty, *c, map_all(args, f, number)),
            Expr::Field(e, i) => Expr::Field(sub(e), *i),
            Expr::With(e, fields) => {
                let e = sub(e);
                Expr::With(e, fields.iter().map(|(i, x)| (*i, x.mapped(f, number))).collect())
            }
            Expr::List(es) => Expr::List(map_all(es, f, number)),
            Expr::Set(es) => Expr::Set(map_all(es, f, number)),
            Expr::Map(es) => Expr::Map(es.iter().map(|(k, v)| (k.mapped(f, number), v.mapped(f, number))).collect()),
            Expr::Range(a, b) => Expr::Range(sub(a), sub(b)),
            Expr::Quantified(q, local, a, b) => Expr::Quantified(*q, number(*local), sub(a), sub(b)),
            Expr::Comprehension { makes, local, over, condition, key, element } => Expr::Comprehension {
                makes: *makes,
                local: number(*local),
                over: sub(over),
                condition: condition.as_ref().map(|e| sub(e)),
                key: key.as_ref().map(|e| sub(e)),
                element: sub(element),
            },
            Expr::Test(e, pattern) => {
                let e = sub(e);
                Expr::Test(e, pattern.mapped(f, number))
            }
            Expr::Matches(e, pattern) => Expr::Matches(sub(e), pattern.clone()),
            Expr::Narrow(e, ty) => {
                let e = sub(e);
                Expr::Narrow(e, ty.map_leaves(f))
            }
            Expr::ToReal(e) => Expr::ToReal(sub(e)),
        }
    }
}

fn map_all(exprs: &[Expr], f: &mut impl FnMut(&Expr) -> Option<Expr>, number: &impl Fn(usize) -> usize) -> Vec<Expr> {
    exprs.iter().map(|e| e.mapped(f, number)).collect()
}

impl Pattern {
    /// The same pattern with every leaf of its expressions changed by `f`.
    pub fn map_leaves(&self, f: &mut impl FnMut(&Expr) -> Option<Expr>) -> Pattern {
        self.mapped(f, &|local| local)
    }

    /// The same pattern with other numbers for its locals, also for those that it binds.
    pub fn renumber_locals(&self, number: &impl Fn(usize) -> usize) -> Pattern {
        let mut read = |leaf: &Expr| match leaf {
            Expr::Local(local) => Some(Expr::Local(number(*local))),
            _ => None,
        };
        self.mapped(&mut read, number)
    }

    /// The same pattern with every leaf of its expressions changed, and what it binds renumbered.
    fn mapped(&self, f: &mut impl FnMut(&Expr) -> Option<Expr>, number: &impl Fn(usize) -> usize) -> Pattern {
        match self {
            Pattern::Any | Pattern::Absent => self.clone(),
            Pattern::Bind(local) => Pattern::Bind(number(*local)),
            Pattern::Equal(e) => Pattern::Equal(Box::new(e.mapped(f, number))),
            Pattern::Data(ty, c, ps) => Pattern::Data(*ty, *c, ps.iter().map(|p| p.mapped(f, number)).collect()),
            Pattern::List { elements, rest } => Pattern::List {
                elements: elements.iter().map(|p| p.mapped(f, number)).collect(),
                rest: rest.map(|local| local.map(number)),
            },
        }
    }
}

impl Type {
    /// The same type with every leaf of its bounds changed.
    pub fn map_leaves(&self, f: &mut impl FnMut(&Expr) -> Option<Expr>) -> Type {
        self.map_bounds(&mut |bound| match bound {
            super::ty::Bound::Known(_) => bound.clone(),
            super::ty::Bound::Open(e, written) => super::ty::Bound::Open(Box::new(e.map_leaves(f)), written.clone()),
        })
    }
}

fn joined(op: BinaryOp, conditions: impl IntoIterator<Item = Expr>) -> Option<Expr> {
    conditions.into_iter().reduce(|a, b| Expr::Binary(op, Box::new(a), Box::new(b)))
}
