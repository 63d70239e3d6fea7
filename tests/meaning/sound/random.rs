//! Random types, expressions and models, as text of the language.
//!
//! Expressions are well typed and often partial: they divide, index, take heads, look up keys and leave ranges. Bound names
//! are new, unless a test asks for names that are taken. Whoever reads the text gives it its meaning; nothing here does.

// Each law uses what it needs.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::fmt;

use fastrand::Rng;

/// A type. Ranges and refinements are `Int` or a record in expressions, and bind where a value is stored.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ty {
    Bool,
    Int,
    /// From the first number to the second; empty if that is smaller.
    Range(i64, i64),
    /// Even numbers.
    Even,
    Real,
    Text,
    /// Red, Green, Blue.
    Colour,
    /// A record of `x: 0..3` and `y: Int`.
    Point,
    /// A point whose x is not above its y.
    Ordered,
    /// `Leaf` or `Node(left, value)`.
    Tree,
    Option(Box<Ty>),
    List(Box<Ty>),
    Set(Box<Ty>),
    Map(Box<Ty>, Box<Ty>),
}

/// Declarations that every text with these types and expressions begins with.
pub const DECLARATIONS: &str = "\
const NONE = 0
type Colour = Red | Green | Blue
type Point = { x: 0..3, y: Int }
type Ordered = Point where it.x <= it.y
type Tree = Leaf | Node(left: Tree, value: Int)
type Even = Int where it % 2 == 0
fun ratio(n: Int): Int = 12 / n
fun depth(t: Tree): Int = match t { Leaf => 0, Node(l, _) => 1 + depth(l) }
fun sum(l: List<Int>): Int = match l { [] => 0, [x, ..rest] => x + sum(rest) }
";

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Bool => f.write_str("Bool"),
            Ty::Int => f.write_str("Int"),
            // A range that is empty as written would be an error.
            Ty::Range(low, high) if high < low => write!(f, "1..NONE"),
            Ty::Range(low, high) => write!(f, "{low}..{high}"),
            Ty::Even => f.write_str("Even"),
            Ty::Real => f.write_str("Real"),
            Ty::Text => f.write_str("String"),
            Ty::Colour => f.write_str("Colour"),
            Ty::Point => f.write_str("Point"),
            Ty::Ordered => f.write_str("Ordered"),
            Ty::Tree => f.write_str("Tree"),
            Ty::Option(of) => write!(f, "Option<{of}>"),
            Ty::List(of) => write!(f, "List<{of}>"),
            Ty::Set(of) => write!(f, "Set<{of}>"),
            Ty::Map(key, value) => write!(f, "Map<{key}, {value}>"),
        }
    }
}

impl Ty {
    /// The type of an expression over values of this type.
    pub fn base(&self) -> Ty {
        let of = |ty: &Ty| Box::new(ty.base());
        match self {
            Ty::Range(..) | Ty::Even => Ty::Int,
            Ty::Ordered => Ty::Point,
            Ty::Option(ty) => Ty::Option(of(ty)),
            Ty::List(ty) => Ty::List(of(ty)),
            Ty::Set(ty) => Ty::Set(of(ty)),
            Ty::Map(key, value) => Ty::Map(of(key), of(value)),
            other => other.clone(),
        }
    }

    /// Whether it has finitely many values, few enough to list.
    pub fn is_small(&self) -> bool {
        match self {
            Ty::Bool | Ty::Colour | Ty::Range(..) => true,
            Ty::Option(of) => of.is_small(),
            Ty::Set(of) => of.is_small() && !matches!(**of, Ty::Option(_) | Ty::Set(_)),
            _ => false,
        }
    }
}

/// Names that may be used, with their types.
pub type Scope = Vec<(String, Ty)>;

/// A source of random texts.
pub struct Random {
    pub rng: Rng,
    /// Constants for empty collections: `[]` alone shows no type.
    empty: BTreeMap<Ty, String>,
    bound: usize,
    /// Whether numbers are written as literals.
    is_literal: bool,
    /// Names that binders take now and then, though something else has them already.
    pub taken: Vec<String>,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random { rng: Rng::with_seed(seed), empty: BTreeMap::new(), bound: 0, is_literal: true, taken: vec![] }
    }

    /// One of these.
    pub fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.rng.usize(..of.len())]
    }

    /// One of these words.
    pub fn word(&mut self, of: &[&'static str]) -> &'static str {
        of[self.rng.usize(..of.len())]
    }

    /// One time in so many.
    pub fn rarely(&mut self, times: usize) -> bool {
        self.rng.usize(..times) == 0
    }

    /// All declarations that the texts made so far need.
    pub fn declarations(&self) -> String {
        let mut out = DECLARATIONS.to_owned();
        for (ty, name) in &self.empty {
            let value = match ty {
                Ty::List(_) => "[]",
                Ty::Option(_) => "None",
                _ => "{}",
            };
            out.push_str(&format!("const {name}: {ty} = {value}\n"));
        }
        out
    }

    fn empty(&mut self, ty: &Ty) -> String {
        let number = self.empty.len();
        self.empty.entry(ty.clone()).or_insert_with(|| format!("EMPTY{number}")).clone()
    }

    fn bound(&mut self) -> String {
        if !self.taken.is_empty() && self.rarely(3) {
            let taken = self.taken.clone();
            return self.one(&taken).clone();
        }
        self.bound += 1;
        format!("b{}", self.bound)
    }

    // ---- types

    /// A type of expressions.
    pub fn ty(&mut self, depth: usize) -> Ty {
        let of = |s: &mut Random| Box::new(s.ty(depth - 1));
        match self.rng.usize(..if depth == 0 { 9 } else { 16 }) {
            0 | 1 => Ty::Bool,
            2..=4 => Ty::Int,
            5 => Ty::Colour,
            6 => Ty::Point,
            7 => Ty::Tree,
            8 => self.one(&[Ty::Real, Ty::Text]).clone(),
            9 | 10 => Ty::Option(of(self)),
            11 | 12 => Ty::List(of(self)),
            13 | 14 => Ty::Set(of(self)),
            _ => Ty::Map(of(self), of(self)),
        }
    }

    /// A type of stored values: ranges and refinements too.
    pub fn stored(&mut self, depth: usize) -> Ty {
        let ty = self.ty(depth);
        self.narrowed(ty)
    }

    /// The same with ranges and refinements.
    pub fn narrowed(&mut self, ty: Ty) -> Ty {
        match ty {
            Ty::Int => match self.rng.usize(..8) {
                0 => Ty::Int,
                1 => Ty::Even,
                2 => {
                    let only = self.rng.i64(-1..3);
                    Ty::Range(only, only)
                }
                _ => {
                    let low = self.rng.i64(-2..2);
                    Ty::Range(low, low + self.rng.i64(1..4))
                }
            },
            Ty::Point if self.rarely(3) => Ty::Ordered,
            Ty::Option(of) => Ty::Option(Box::new(self.narrowed(*of))),
            Ty::List(of) => Ty::List(Box::new(self.narrowed(*of))),
            Ty::Set(of) => Ty::Set(Box::new(self.narrowed(*of))),
            Ty::Map(key, value) => Ty::Map(Box::new(self.narrowed(*key)), Box::new(self.narrowed(*value))),
            other => other,
        }
    }

    /// A type with few values. One in so many is empty, if `may_be_empty`.
    pub fn small(&mut self, may_be_empty: bool) -> Ty {
        if may_be_empty && self.rarely(20) {
            return Ty::Range(1, 0);
        }
        match self.rng.usize(..10) {
            0 | 1 => Ty::Bool,
            2 => Ty::Colour,
            3 => Ty::Option(Box::new(self.one(&[Ty::Bool, Ty::Range(0, 2), Ty::Colour]).clone())),
            4 => {
                let only = self.rng.i64(-1..3);
                Ty::Range(only, only)
            }
            5 => Ty::Set(Box::new(self.one(&[Ty::Bool, Ty::Range(0, 1)]).clone())),
            _ => {
                let low = self.rng.i64(-2..2);
                Ty::Range(low, low + self.rng.i64(1..4))
            }
        }
    }

    // ---- values

    /// A value of a type, as text; none if the type is empty.
    pub fn value(&mut self, ty: &Ty) -> Option<String> {
        Some(match ty {
            Ty::Bool => self.rng.bool().to_string(),
            Ty::Int => {
                let n = self.rng.i64(-3..6);
                self.whole(n)
            }
            Ty::Range(low, high) if high < low => return None,
            Ty::Range(low, high) => number(self.rng.i64(*low..=*high)),
            Ty::Even => number(2 * self.rng.i64(-2..3)),
            Ty::Real => self.one(&["0.0", "1.0", "2.5", "(-1.5)", "0.5"]).to_string(),
            Ty::Text => self.one(&["\"\"", "\"a\"", "\"ab\"", "\"é\"", "\"ba\""]).to_string(),
            Ty::Colour => self.one(&["Red", "Green", "Blue"]).to_string(),
            Ty::Point => {
                let (x, y) = (self.rng.i64(0..4), self.rng.i64(-2..5));
                format!("Point(x: {x}, y: {})", self.whole(y))
            }
            Ty::Ordered => {
                let x = self.rng.i64(0..4);
                format!("Point(x: {x}, y: {})", x + self.rng.i64(0..3))
            }
            Ty::Tree if self.rng.bool() => "Leaf".to_owned(),
            Ty::Tree => {
                let n = self.rng.i64(-2..4);
                format!("Node({}, {})", self.value(ty)?, self.whole(n))
            }
            Ty::Option(of) => match self.rng.bool().then(|| self.value(of)).flatten() {
                Some(value) => format!("Some({value})"),
                None => self.empty(ty),
            },
            Ty::List(of) => match self.values(of) {
                values if values.is_empty() => self.empty(ty),
                values => format!("[{}]", values.join(", ")),
            },
            Ty::Set(of) => match self.values(of) {
                values if values.is_empty() => self.empty(ty),
                values => format!("{{{}}}", values.join(", ")),
            },
            Ty::Map(key, value) => {
                let keys = self.values(key);
                let entries: Option<Vec<String>> =
                    keys.into_iter().map(|key| Some(format!("{key}: {}", self.value(value)?))).collect();
                match entries {
                    Some(entries) if !entries.is_empty() => format!("{{{}}}", entries.join(", ")),
                    _ => self.empty(ty),
                }
            }
        })
    }

    fn values(&mut self, of: &Ty) -> Vec<String> {
        (0..self.rng.usize(..3)).filter_map(|_| self.value(of)).collect()
    }

    // ---- expressions

    /// An expression of a type, in brackets where it needs them. The type is a base type.
    pub fn expr(&mut self, ty: &Ty, scope: &Scope, depth: usize) -> String {
        if depth == 0 || self.rarely(6) {
            return self.leaf(ty, scope);
        }
        // What every type has.
        match self.rng.usize(..14) {
            0 => {
                let c = self.expr(&Ty::Bool, scope, depth - 1);
                let (a, b) = (self.expr(ty, scope, depth - 1), self.expr(ty, scope, depth - 1));
                return format!("(if {c} then {a} else {b})");
            }
            1 => {
                let bound_to = self.ty(1);
                let value = self.expr(&bound_to, scope, depth - 1);
                let name = self.bound();
                let body = self.expr(ty, &within(scope, &name, bound_to), depth - 1);
                return format!("(let {name} = {value}; {body})");
            }
            2 => return self.matched(ty, scope, depth),
            3 => {
                let list = self.expr(&Ty::List(Box::new(ty.clone())), scope, depth - 1);
                return match self.rng.usize(..3) {
                    0 => format!("head({list})"),
                    1 => format!("last({list})"),
                    _ => format!("{list}[{}]", self.expr(&Ty::Int, scope, depth - 1)),
                };
            }
            4 => {
                let key = self.one(&[Ty::Int, Ty::Colour, Ty::Bool]).clone();
                let map = self.expr(&Ty::Map(Box::new(key.clone()), Box::new(ty.clone())), scope, depth - 1);
                return format!("{map}[{}]", self.expr(&key, scope, depth - 1));
            }
            _ => {}
        }
        match ty {
            Ty::Bool => self.condition(scope, depth),
            Ty::Int => self.int(scope, depth),
            Ty::Real => self.real(scope, depth),
            Ty::Text => format!("({} ++ {})", self.expr(ty, scope, depth - 1), self.expr(ty, scope, depth - 1)),
            Ty::Point => match self.rng.usize(..2) {
                0 => format!(
                    "Point(x: {}, y: {})",
                    self.expr(&Ty::Int, scope, depth - 1),
                    self.expr(&Ty::Int, scope, depth - 1)
                ),
                _ => {
                    let field = *self.one(&["x", "y"]);
                    let point = self.expr(ty, scope, depth - 1);
                    format!("({point} with ({field}: {}))", self.expr(&Ty::Int, scope, depth - 1))
                }
            },
            Ty::Tree => format!("Node({}, {})", self.expr(ty, scope, depth - 1), self.expr(&Ty::Int, scope, depth - 1)),
            Ty::Option(of) => match self.rng.usize(..2) {
                0 => format!("Some({})", self.expr(of, scope, depth - 1)),
                _ => {
                    let map = Ty::Map(Box::new(Ty::Int), of.clone());
                    format!("get({}, {})", self.expr(&map, scope, depth - 1), self.expr(&Ty::Int, scope, depth - 1))
                }
            },
            Ty::List(of) => self.list(ty, of, scope, depth),
            Ty::Set(of) => self.set(ty, of, scope, depth),
            Ty::Map(key, value) => self.map(ty, key, value, scope, depth),
            _ => self.leaf(ty, scope),
        }
    }

    /// A name in the scope, or a value.
    fn leaf(&mut self, ty: &Ty, scope: &Scope) -> String {
        let mut fitting: Vec<String> = vec![];
        for (place, (name, known)) in scope.iter().enumerate() {
            let is_hidden = scope[place + 1..].iter().any(|(later, _)| later == name);
            if known.base() == *ty && !is_hidden {
                fitting.push(name.clone());
            }
        }
        if !fitting.is_empty() && !self.rarely(4) {
            return self.one(&fitting).clone();
        }
        // A literal outside the type it is needed for would be an error; a sum outside it is just undefined.
        self.is_literal = false;
        let value = self.value(ty).expect("base types have values");
        self.is_literal = true;
        value
    }

    fn whole(&self, n: i64) -> String {
        if self.is_literal { number(n) } else { format!("({n} + NONE)") }
    }

    fn condition(&mut self, scope: &Scope, depth: usize) -> String {
        let sub = depth - 1;
        match self.rng.usize(..15) {
            0 | 1 => format!("({} && {})", self.expr(&Ty::Bool, scope, sub), self.expr(&Ty::Bool, scope, sub)),
            2 | 3 => format!("({} || {})", self.expr(&Ty::Bool, scope, sub), self.expr(&Ty::Bool, scope, sub)),
            4 => format!("!({})", self.expr(&Ty::Bool, scope, sub)),
            5 | 6 => {
                let op = *self.one(&["<", "<=", ">", ">=", "==", "!="]);
                let of = if self.rarely(5) { Ty::Real } else { Ty::Int };
                format!("({} {op} {})", self.expr(&of, scope, sub), self.expr(&of, scope, sub))
            }
            7 => {
                let of = self.ty(1);
                let op = *self.one(&["==", "!="]);
                format!("({} {op} {})", self.expr(&of, scope, sub), self.expr(&of, scope, sub))
            }
            8 => {
                let (low, mut high) = (self.expr(&Ty::Int, scope, sub), self.expr(&Ty::Int, scope, sub));
                // Whether there is an end does not matter below the beginning.
                if self.rarely(3) {
                    high = format!("(1 / ({high} - {high}))");
                }
                format!("({} in {low}..{high})", self.expr(&Ty::Int, scope, sub))
            }
            9 | 10 => {
                let (over, of) = self.loop_over(scope, sub);
                let word = *self.one(&["forall", "exists"]);
                let name = self.bound();
                let body = self.expr(&Ty::Bool, &within(scope, &name, of), sub);
                format!("({word} {name} in {over}: {body})")
            }
            11 => {
                let of = self.ty(0);
                let kind: fn(Box<Ty>) -> Ty = if self.rng.bool() { Ty::List } else { Ty::Set };
                format!("({} in {})", self.expr(&of, scope, sub), self.expr(&kind(Box::new(of.clone())), scope, sub))
            }
            12 => {
                let (key, value) = (self.ty(0), self.ty(0));
                let map = Ty::Map(Box::new(key.clone()), Box::new(value));
                format!("({} in {})", self.expr(&key, scope, sub), self.expr(&map, scope, sub))
            }
            13 => {
                let set = Ty::Set(Box::new(self.ty(0)));
                format!("subset({}, {})", self.expr(&set, scope, sub), self.expr(&set, scope, sub))
            }
            _ => {
                let pattern = *self.one(&["a*", "[ab]+", "a?b.", ".", "(a|b)b*"]);
                format!("({} matches \"{pattern}\")", self.expr(&Ty::Text, scope, sub))
            }
        }
    }

    fn int(&mut self, scope: &Scope, depth: usize) -> String {
        let sub = depth - 1;
        match self.rng.usize(..14) {
            0..=4 => {
                let op = *self.one(&["+", "-", "*", "/", "%", "+", "-"]);
                format!("({} {op} {})", self.expr(&Ty::Int, scope, sub), self.expr(&Ty::Int, scope, sub))
            }
            5 => format!("(-{})", self.expr(&Ty::Int, scope, sub)),
            6 => format!("abs({})", self.expr(&Ty::Int, scope, sub)),
            7 => {
                let op = *self.one(&["min", "max"]);
                format!("{op}({}, {})", self.expr(&Ty::Int, scope, sub), self.expr(&Ty::Int, scope, sub))
            }
            8 | 9 => {
                let of = self.ty(0);
                let sized = match self.rng.usize(..4) {
                    0 => Ty::Set(Box::new(of)),
                    1 => Ty::Map(Box::new(of), Box::new(Ty::Int)),
                    2 => Ty::Text,
                    _ => Ty::List(Box::new(of)),
                };
                format!("size({})", self.expr(&sized, scope, sub))
            }
            10 => {
                let field = *self.one(&["x", "y"]);
                format!("{}.{field}", self.expr(&Ty::Point, scope, sub))
            }
            11 => format!("floor({})", self.expr(&Ty::Real, scope, sub)),
            12 => format!("ratio({})", self.expr(&Ty::Int, scope, sub)),
            _ => match self.rng.bool() {
                true => format!("depth({})", self.expr(&Ty::Tree, scope, sub)),
                false => format!("sum({})", self.expr(&Ty::List(Box::new(Ty::Int)), scope, sub)),
            },
        }
    }

    fn real(&mut self, scope: &Scope, depth: usize) -> String {
        let sub = depth - 1;
        let other = if self.rarely(3) { Ty::Int } else { Ty::Real };
        let op = *self.one(&["+", "-", "*", "/"]);
        match self.rng.usize(..3) {
            0 => format!("abs({})", self.expr(&Ty::Real, scope, sub)),
            _ => format!("({} {op} {})", self.expr(&Ty::Real, scope, sub), self.expr(&other, scope, sub)),
        }
    }

    /// A collection to loop over, and the type of its members.
    fn loop_over(&mut self, scope: &Scope, depth: usize) -> (String, Ty) {
        let of = self.ty(0);
        let over = match self.rng.usize(..4) {
            0 => {
                let low = number(self.rng.i64(-1..2));
                return (format!("{low}..{}", number(self.rng.i64(-2..4))), Ty::Int);
            }
            1 => Ty::List(Box::new(of.clone())),
            2 => Ty::Map(Box::new(of.clone()), Box::new(Ty::Int)),
            _ => Ty::Set(Box::new(of.clone())),
        };
        (self.expr(&over, scope, depth), of)
    }

    /// The loop of a comprehension: `for x in s if p`, and the scope of what it makes.
    fn looped(&mut self, scope: &Scope, depth: usize) -> (String, Scope) {
        let (over, of) = self.loop_over(scope, depth);
        let name = self.bound();
        let inner = within(scope, &name, of);
        let condition = match self.rng.bool() {
            true => format!(" if {}", self.expr(&Ty::Bool, &inner, depth)),
            false => String::new(),
        };
        (format!("for {name} in {over}{condition}"), inner)
    }

    fn list(&mut self, ty: &Ty, of: &Ty, scope: &Scope, depth: usize) -> String {
        let sub = depth - 1;
        let list = |s: &mut Random| s.expr(ty, scope, sub);
        match self.rng.usize(..10) {
            0 => format!("tail({})", list(self)),
            1 => format!("reverse({})", list(self)),
            2 => format!("append({}, {})", list(self), self.expr(of, scope, sub)),
            3 => {
                let op = *self.one(&["take", "drop"]);
                format!("{op}({}, {})", list(self), self.expr(&Ty::Int, scope, sub))
            }
            4 => format!("({} ++ {})", list(self), list(self)),
            5 => format!("put({}, {}, {})", list(self), self.expr(&Ty::Int, scope, sub), self.expr(of, scope, sub)),
            6 => {
                let map = Ty::Map(Box::new(Ty::Int), Box::new(of.clone()));
                format!("values({})", self.expr(&map, scope, sub))
            }
            7 => {
                let (looped, inner) = self.looped(scope, sub);
                format!("[{} {looped}]", self.expr(of, &inner, sub))
            }
            _ => {
                let elements: Vec<String> = (0..self.rng.usize(1..4)).map(|_| self.expr(of, scope, sub)).collect();
                format!("[{}]", elements.join(", "))
            }
        }
    }

    fn set(&mut self, ty: &Ty, of: &Ty, scope: &Scope, depth: usize) -> String {
        let sub = depth - 1;
        let set = |s: &mut Random| s.expr(ty, scope, sub);
        match self.rng.usize(..8) {
            0 => {
                let op = *self.one(&["union", "intersect", "minus"]);
                format!("{op}({}, {})", set(self), set(self))
            }
            1 => {
                let op = *self.one(&["insert", "remove"]);
                format!("{op}({}, {})", set(self), self.expr(of, scope, sub))
            }
            2 => format!("toSet({})", self.expr(&Ty::List(Box::new(of.clone())), scope, sub)),
            3 => {
                let map = Ty::Map(Box::new(of.clone()), Box::new(Ty::Int));
                format!("keys({})", self.expr(&map, scope, sub))
            }
            4 | 5 => {
                let (looped, inner) = self.looped(scope, sub);
                format!("{{{} {looped}}}", self.expr(of, &inner, sub))
            }
            _ => {
                let members: Vec<String> = (0..self.rng.usize(1..4)).map(|_| self.expr(of, scope, sub)).collect();
                format!("{{{}}}", members.join(", "))
            }
        }
    }

    fn map(&mut self, ty: &Ty, key: &Ty, value: &Ty, scope: &Scope, depth: usize) -> String {
        let sub = depth - 1;
        let map = |s: &mut Random| s.expr(ty, scope, sub);
        match self.rng.usize(..6) {
            0 | 1 => {
                format!("put({}, {}, {})", map(self), self.expr(key, scope, sub), self.expr(value, scope, sub))
            }
            2 => format!("remove({}, {})", map(self), self.expr(key, scope, sub)),
            3 => {
                let (looped, inner) = self.looped(scope, sub);
                format!("{{{}: {} {looped}}}", self.expr(key, &inner, sub), self.expr(value, &inner, sub))
            }
            _ => {
                let entry = |s: &mut Random| format!("{}: {}", s.expr(key, scope, sub), s.expr(value, scope, sub));
                let entries: Vec<String> = (0..self.rng.usize(1..3)).map(|_| entry(self)).collect();
                format!("{{{}}}", entries.join(", "))
            }
        }
    }

    fn matched(&mut self, ty: &Ty, scope: &Scope, depth: usize) -> String {
        let sub = depth - 1;
        let on = match self.rng.usize(..6) {
            0 => Ty::Int,
            1 => Ty::Tree,
            2 => Ty::Point,
            3 => Ty::List(Box::new(self.ty(0))),
            4 => Ty::Colour,
            _ => Ty::Option(Box::new(self.ty(0))),
        };
        let scrutinee = self.expr(&on, scope, sub);
        let mut arms = vec![];
        for _ in 0..self.rng.usize(1..3) {
            let mut inner = scope.clone();
            let pattern = self.pattern(&on, &mut inner, 1);
            let guard = match self.rarely(3) {
                true => format!(" if {}", self.expr(&Ty::Bool, &inner, sub)),
                false => String::new(),
            };
            arms.push(format!("{pattern}{guard} => {}", self.expr(ty, &inner, sub)));
        }
        arms.push(format!("_ => {}", self.expr(ty, scope, sub)));
        format!("(match {scrutinee} {{ {} }})", arms.join(", "))
    }

    fn pattern(&mut self, ty: &Ty, scope: &mut Scope, depth: usize) -> String {
        let bind = |s: &mut Random, scope: &mut Scope| {
            s.bound += 1;
            let name = format!("b{}", s.bound);
            scope.push((name.clone(), ty.clone()));
            name
        };
        match (ty, self.rng.usize(..4)) {
            (_, 0) => "_".to_owned(),
            (_, 1) => bind(self, scope),
            (Ty::Int | Ty::Bool | Ty::Colour | Ty::Text, _) => self.value(ty).expect("a value").replace(['(', ')'], ""),
            (Ty::Point, _) => {
                format!("Point(x: {}, y: {})", self.pattern(&Ty::Int, scope, 0), self.pattern(&Ty::Int, scope, 0))
            }
            (Ty::Tree, 2) => "Leaf".to_owned(),
            (Ty::Tree, _) if depth > 0 => {
                format!("Node({}, {})", self.pattern(ty, scope, depth - 1), self.pattern(&Ty::Int, scope, 0))
            }
            (Ty::Option(_), 2) => "None".to_owned(),
            (Ty::Option(of), _) => format!("Some({})", self.pattern(of, scope, 0)),
            (Ty::List(of), 2) => {
                let elements: Vec<String> = (0..self.rng.usize(..3)).map(|_| self.pattern(of, scope, 0)).collect();
                format!("[{}]", elements.join(", "))
            }
            (Ty::List(of), _) => {
                let element = self.pattern(of, scope, 0);
                match self.rng.bool() {
                    true => format!("[{element}, ..]"),
                    false => format!("[{element}, ..{}]", bind(self, scope)),
                }
            }
            _ => bind(self, scope),
        }
    }
}

/// A scope with one more name, which hides others of that name.
pub fn within(scope: &Scope, name: &str, ty: Ty) -> Scope {
    let mut inner = scope.clone();
    inner.push((name.to_owned(), ty));
    inner
}

/// A number as it can stand anywhere in an expression.
pub fn number(n: i64) -> String {
    if n < 0 { format!("({n})") } else { n.to_string() }
}
