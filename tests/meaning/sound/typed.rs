//! Every value is in its type, and all engines have the same steps.
//!
//! Random machines write, send and propose values at the edges of narrow types: refined records inside records, lists, options,
//! sets and maps of narrow elements, ranges with constants and parameters as bounds. What is in a type is judged by a walk over
//! types and values as they are known here, with no word of the program's; data is enumerated by lists of values that are
//! written here, inside and outside of each type. What each step does is the interpreter's word: the law is about which steps
//! there are, and says nothing about evaluation.

mod served;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};
use tracewright::confirm::Recheck;
use tracewright::conform::{self, Alphabet, Happened};
use tracewright::kernel::{ChoiceError, Completion, Given, Run, State, Step, StepSystem, Trace};
use tracewright::search::{Limits, explore, simulate};
use tracewright::solve::{Solver, Z3};
use tracewright::synth::{Answer, Engine, Options, answer};
use tracewright::term::{Definitions, Value};

use super::random::number;
use crate::loaded::system;
use crate::questions::asked;

/// The number of this law among those that choose questions.
const LAW: u64 = 6;
/// Most tuples of data of one joint.
const MAX_TUPLES: usize = 600;

const DECLARATIONS: &str = "\
const NONE = 0
const TOP = 3
type Colour = Red | Green
type Point = { x: 0..TOP, y: Int }
type Nested = { o: Ordered, n: 0..2 }
type Shape = Dot | Big(n: 0..TOP) | Both(o: Ordered, e: Option<Even>)
type Even = Int where it % 2 == 0
type Small = Int where it >= 0 && it <= TOP
type Ordered = Point where it.x <= it.y
type Short = List<0..TOP> where size(it) <= 2
type Low = Shape where match it { Big(n) => n <= 1, _ => true }
type Never = Int where it < 0 && it > 0
type Positive = Real where it > 0.0
";

/// A type as it is known here.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum T {
    Bool,
    Int,
    /// A range, with how its upper bound is written.
    Range(i64, i64, &'static str),
    Even,
    Small,
    Colour,
    Point,
    Ordered,
    Nested,
    Shape,
    Low,
    Short,
    /// Without any value.
    Never,
    Real,
    Positive,
    Option(Box<T>),
    List(Box<T>),
    Set(Box<T>),
    Map(Box<T>, Box<T>),
}

impl fmt::Display for T {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            T::Range(low, _, high) => write!(f, "{low}..{high}"),
            T::Option(of) => write!(f, "Option<{of}>"),
            T::List(of) => write!(f, "List<{of}>"),
            T::Set(of) => write!(f, "Set<{of}>"),
            T::Map(key, value) => write!(f, "Map<{key}, {value}>"),
            named => write!(f, "{named:?}"),
        }
    }
}

impl T {
    fn base(&self) -> T {
        let of = |ty: &T| Box::new(ty.base());
        match self {
            T::Range(..) | T::Even | T::Small | T::Never => T::Int,
            T::Positive => T::Real,
            T::Ordered => T::Point,
            T::Low => T::Shape,
            T::Short => T::List(Box::new(T::Int)),
            T::Option(ty) => T::Option(of(ty)),
            T::List(ty) => T::List(of(ty)),
            T::Set(ty) => T::Set(of(ty)),
            T::Map(key, value) => T::Map(of(key), of(value)),
            other => other.clone(),
        }
    }

    fn random(rng: &mut Rng, depth: usize) -> T {
        let of = |rng: &mut Rng| Box::new(T::random(rng, depth - 1));
        match rng.usize(..if depth == 0 { 18 } else { 25 }) {
            0 => T::Bool,
            1 => T::Int,
            2 => T::Range(0, 3, "TOP"),
            3 => T::Range(0, 2, "most"),
            4 | 5 => T::Range(-1, 1, "1"),
            6 => T::Even,
            7 => T::Small,
            8 => T::Colour,
            9 => T::Point,
            10 | 11 => T::Ordered,
            12 => T::Nested,
            13 => T::Shape,
            14 => T::Low,
            15 => T::Never,
            16 => T::Real,
            17 => T::Positive,
            18 => T::Short,
            19 => T::Option(of(rng)),
            20 | 21 => T::List(of(rng)),
            22 => T::Set(of(rng)),
            _ => {
                let key = rng.choice([T::Range(0, 2, "most"), T::Even, T::Colour]).expect("one of them");
                T::Map(Box::new(key), of(rng))
            }
        }
    }
}

/// Names of the data types, with their numbers in the program.
struct Types(BTreeMap<String, usize>);

impl Types {
    fn of(definitions: &Definitions) -> Types {
        Types(definitions.types.iter().enumerate().map(|(id, ty)| (ty.name.clone(), id)).collect())
    }

    fn data(&self, ty: &str, constructor: u32, fields: Vec<Value>) -> Value {
        Value::Data(self.0[ty], constructor, fields.into())
    }
}

fn some(value: Value) -> Value {
    Value::Data(Definitions::OPTION, 1, [value].into())
}

/// So many halves.
fn halves(n: i64) -> Value {
    Value::real(BigRational::new(n.into(), 2.into()))
}

fn none() -> Value {
    Value::Data(Definitions::OPTION, 0, [].into())
}

/// Whether a value is in a type: the judge.
fn inside(ty: &T, value: &Value, types: &Types) -> bool {
    let all = |ty: &T, values: Vec<&Value>| values.into_iter().all(|value| inside(ty, value, types));
    let within =
        |low: i64, high: i64| matches!(value, Value::Int(n) if n.to_i64().is_some_and(|n| low <= n && n <= high));
    let data = |name: &str| match value {
        Value::Data(id, constructor, fields) if *id == types.0[name] => Some((*constructor, &fields[..])),
        _ => None,
    };
    match (ty, value) {
        (T::Bool, value) => matches!(value, Value::Bool(_)),
        (T::Int, value) => matches!(value, Value::Int(_)),
        (T::Range(low, high, _), _) => within(*low, *high),
        (T::Even, Value::Int(n)) => !n.bit(0),
        (T::Small, _) => within(0, 3),
        (T::Never, _) => false,
        (T::Real, value) => matches!(value, Value::Real(_)),
        (T::Positive, Value::Real(r)) => r.is_positive(),
        (T::Colour, _) => data("Colour").is_some_and(|(constructor, fields)| constructor < 2 && fields.is_empty()),
        (T::Point, _) => match data("Point") {
            Some((0, [x, y])) => inside(&T::Range(0, 3, "TOP"), x, types) && inside(&T::Int, y, types),
            _ => false,
        },
        (T::Ordered, _) => match data("Point") {
            Some((0, [Value::Int(x), Value::Int(y)])) => inside(&T::Point, value, types) && x <= y,
            _ => false,
        },
        (T::Nested, _) => match data("Nested") {
            Some((0, [o, n])) => inside(&T::Ordered, o, types) && inside(&T::Range(0, 2, ""), n, types),
            _ => false,
        },
        (T::Shape, _) => match data("Shape") {
            Some((0, [])) => true,
            Some((1, [n])) => inside(&T::Range(0, 3, "TOP"), n, types),
            Some((2, [o, e])) => inside(&T::Ordered, o, types) && inside(&T::Option(Box::new(T::Even)), e, types),
            _ => false,
        },
        (T::Low, _) => {
            inside(&T::Shape, value, types)
                && match data("Shape") {
                    Some((1, [n])) => inside(&T::Range(0, 1, ""), n, types),
                    _ => true,
                }
        }
        (T::Short, Value::List(list)) => list.len() <= 2 && all(&T::Range(0, 3, ""), list.iter().collect()),
        (T::Option(of), Value::Data(Definitions::OPTION, constructor, fields)) => match (constructor, &fields[..]) {
            (0, []) => true,
            (1, [value]) => inside(of, value, types),
            _ => false,
        },
        (T::List(of), Value::List(list)) => all(of, list.iter().collect()),
        (T::Set(of), Value::Set(set)) => all(of, set.iter().collect()),
        (T::Map(key, of), Value::Map(map)) => all(key, map.keys().collect()) && all(of, map.values().collect()),
        _ => false,
    }
}

/// Values of the shape of a type, inside and outside of it.
fn values(ty: &T, types: &Types) -> Vec<Value> {
    let ints = |of: &[i64]| of.iter().map(|n| Value::int(*n)).collect::<Vec<_>>();
    let few = |ty: &T| {
        let (mut inner, all): (Vec<Value>, Vec<Value>) =
            values(ty, types).into_iter().partition(|v| inside(ty, v, types));
        inner.truncate(3);
        inner.extend(all.into_iter().take(1));
        inner
    };
    match ty {
        T::Bool => vec![Value::Bool(false), Value::Bool(true)],
        T::Int | T::Even | T::Small | T::Range(..) => ints(&[-2, -1, 0, 1, 2, 3, 4, 100]),
        T::Never => ints(&[-1, 0, 1]),
        T::Real | T::Positive => [-2, -1, 0, 1, 2, 5].map(halves).into(),
        T::Colour => vec![types.data("Colour", 0, vec![]), types.data("Colour", 1, vec![])],
        T::Point | T::Ordered => {
            let mut out = vec![];
            for x in [0, 2, 3, 4] {
                out.extend([0, 2].map(|y| types.data("Point", 0, ints(&[x, y]))));
            }
            out
        }
        T::Nested => {
            let mut out = vec![];
            for o in few(&T::Ordered) {
                out.extend(ints(&[0, 2, 3]).into_iter().map(|n| types.data("Nested", 0, vec![o.clone(), n])));
            }
            out
        }
        T::Shape | T::Low => {
            let mut out = vec![types.data("Shape", 0, vec![])];
            out.extend([0, 1, 2, 3, 4].map(|n| types.data("Shape", 1, ints(&[n]))));
            for o in few(&T::Ordered) {
                let options = [none(), some(Value::int(2)), some(Value::int(1))];
                out.extend(options.map(|e| types.data("Shape", 2, vec![o.clone(), e])));
            }
            out
        }
        T::Short => [&[][..], &[0], &[3, 1], &[4], &[1, 1, 1]].map(|l| Value::List(Arc::new(ints(l)))).into(),
        T::Option(of) => std::iter::once(none()).chain(few(of).into_iter().map(some)).collect(),
        T::List(of) => {
            let mut out = vec![Value::List(Arc::new(vec![]))];
            let few = few(of);
            out.extend(few.iter().map(|value| Value::List(Arc::new(vec![value.clone()]))));
            out.extend(few.first().map(|first| Value::List(Arc::new(vec![first.clone(), few[few.len() - 1].clone()]))));
            out
        }
        T::Set(of) => {
            let few = few(of);
            let mut out = BTreeSet::from([
                Value::Set(Arc::new(BTreeSet::new())),
                Value::Set(Arc::new(few.iter().cloned().collect())),
            ]);
            out.extend(few.into_iter().map(|value| Value::Set(Arc::new(BTreeSet::from([value])))));
            out.into_iter().collect()
        }
        T::Map(key, of) => {
            let mut out = vec![Value::Map(Arc::new(BTreeMap::new()))];
            for key in few(key) {
                out.extend(
                    few(of).into_iter().take(2).map(|v| Value::Map(Arc::new(BTreeMap::from([(key.clone(), v)])))),
                );
            }
            out
        }
    }
}

/// A value as text; empty collections and `None` take their types from where they stand.
fn text(ty: &T, value: &Value) -> String {
    let all = |ty: &T, values: &mut dyn Iterator<Item = &Value>| {
        values.map(|value| text(ty, value)).collect::<Vec<_>>().join(", ")
    };
    match (ty, value) {
        (_, Value::Bool(b)) => b.to_string(),
        // A literal outside of its type would be an error.
        (_, Value::Int(n)) => format!("({} + NONE)", number(n.to_i64().expect("a small number"))),
        (_, Value::Real(r)) => format!("(({} + NONE) / {}.0)", number(r.numer().to_i64().expect("small")), r.denom()),
        (T::Colour, Value::Data(_, constructor, _)) => ["Red", "Green"][*constructor as usize].to_owned(),
        (T::Point | T::Ordered, Value::Data(_, _, fields)) => {
            format!("Point(x: {}, y: {})", text(&T::Int, &fields[0]), text(&T::Int, &fields[1]))
        }
        (T::Nested, Value::Data(_, _, fields)) => {
            format!("Nested(o: {}, n: {})", text(&T::Point, &fields[0]), text(&T::Int, &fields[1]))
        }
        (T::Shape | T::Low, Value::Data(_, constructor, fields)) => match constructor {
            0 => "Dot".to_owned(),
            1 => format!("Big({})", text(&T::Int, &fields[0])),
            _ => {
                let option = T::Option(Box::new(T::Int));
                format!("Both({}, {})", text(&T::Point, &fields[0]), text(&option, &fields[1]))
            }
        },
        (T::Option(of), Value::Data(_, constructor, fields)) => match constructor {
            0 => "None".to_owned(),
            _ => format!("Some({})", text(of, &fields[0])),
        },
        (T::Short, Value::List(list)) => format!("[{}]", all(&T::Int, &mut list.iter())),
        (T::List(of), Value::List(list)) => format!("[{}]", all(of, &mut list.iter())),
        (T::Set(of), Value::Set(set)) => format!("{{{}}}", all(of, &mut set.iter())),
        (T::Map(key, of), Value::Map(map)) => {
            let entries: Vec<String> = map.iter().map(|(k, v)| format!("{}: {}", text(key, k), text(of, v))).collect();
            format!("{{{}}}", entries.join(", "))
        }
        other => panic!("{other:?} do not fit"),
    }
}

type Scope = Vec<(String, T)>;

/// Expressions of base types that often leave narrow ones.
struct Expressions<'r> {
    rng: &'r mut Rng,
    bound: usize,
}

impl Expressions<'_> {
    fn leaf(&mut self, ty: &T, scope: &Scope) -> String {
        let known: Vec<&String> = scope.iter().filter(|(_, known)| known.base() == *ty).map(|(name, _)| name).collect();
        if !known.is_empty() && self.rng.usize(..4) > 0 {
            return known[self.rng.usize(..known.len())].clone();
        }
        let int = |s: &mut Self| format!("({} + NONE)", number(s.rng.i64(-1..5)));
        match ty {
            T::Bool => self.rng.bool().to_string(),
            T::Int => int(self),
            T::Real => format!("({} / 2.0)", int(self)),
            T::Colour => self.rng.choice(["Red", "Green"]).expect("a colour").to_owned(),
            T::Point => format!("Point(x: {}, y: {})", int(self), int(self)),
            T::Nested => format!("Nested(o: {}, n: {})", self.leaf(&T::Point, scope), int(self)),
            T::Shape => match self.rng.usize(..3) {
                0 => "Dot".to_owned(),
                1 => format!("Big({})", self.leaf(&T::Int, scope)),
                _ => format!("Both({}, Some({}))", self.leaf(&T::Point, scope), self.leaf(&T::Int, scope)),
            },
            T::Option(of) => match self.rng.usize(..3) {
                0 => format!("(if false then Some({}) else None)", self.leaf(of, scope)),
                _ => format!("Some({})", self.leaf(of, scope)),
            },
            T::List(of) => match self.rng.usize(..3) {
                0 => format!("tail([{}])", self.leaf(of, scope)),
                _ => format!("[{}]", self.leaf(of, scope)),
            },
            T::Set(of) => format!("{{{}}}", self.leaf(of, scope)),
            T::Map(key, of) => format!("{{{}: {}}}", self.leaf(key, scope), self.leaf(of, scope)),
            narrow => unreachable!("{narrow} is not a base type"),
        }
    }

    fn bound(&mut self) -> String {
        self.bound += 1;
        // Some hide names that are known already.
        match self.rng.usize(..3) {
            0 => self.rng.choice(["p0", "v0", "TOP", "most"]).expect("a name").to_owned(),
            _ => format!("b{}", self.bound),
        }
    }

    fn expr(&mut self, ty: &T, scope: &Scope, depth: usize) -> String {
        if depth == 0 || self.rng.usize(..6) == 0 {
            return self.leaf(ty, scope);
        }
        let sub = depth - 1;
        let list = T::List(Box::new(ty.clone()));
        match self.rng.usize(..14) {
            0 => {
                let condition = self.expr(&T::Bool, scope, sub);
                return format!(
                    "(if {condition} then {} else {})",
                    self.expr(ty, scope, sub),
                    self.expr(ty, scope, sub)
                );
            }
            1 => {
                let of = self.rng.choice([T::Int, T::Point, ty.clone()]).expect("a type");
                let (value, name) = (self.expr(&of, scope, sub), self.bound());
                let mut inner: Scope = scope.iter().filter(|(known, _)| *known != name).cloned().collect();
                inner.push((name.clone(), of));
                return format!("(let {name} = {value}; {})", self.expr(ty, &inner, sub));
            }
            2 => return format!("head({})", self.expr(&list, scope, sub)),
            3 => return format!("{}[{}]", self.expr(&list, scope, sub), self.expr(&T::Int, scope, 0)),
            4 => {
                let option = T::Option(Box::new(ty.clone()));
                let (on, otherwise) = (self.expr(&option, scope, sub), self.expr(ty, scope, sub));
                return format!("(match {on} {{ Some(m{depth}) => m{depth}, None => {otherwise} }})");
            }
            _ => {}
        }
        let int = |s: &mut Self| s.expr(&T::Int, scope, sub);
        match ty {
            T::Bool => match self.rng.usize(..6) {
                0 => format!("({} && {})", self.expr(ty, scope, sub), self.expr(ty, scope, sub)),
                1 => format!("!({})", self.expr(ty, scope, sub)),
                2 => format!("({} in 0..{})", int(self), self.rng.i64(0..4)),
                3 => {
                    let of = self.rng.choice([T::Point, T::Nested, T::Shape, T::Colour]).expect("a type");
                    format!("({} == {})", self.expr(&of, scope, sub), self.expr(&of, scope, sub))
                }
                other => {
                    let op = self.rng.choice(["<", "<=", "==", "!="]).expect("an operator");
                    let of = if other == 4 { T::Real } else { T::Int };
                    format!("({} {op} {})", self.expr(&of, scope, sub), self.expr(&of, scope, sub))
                }
            },
            T::Real => match self.rng.usize(..4) {
                // A whole number becomes one.
                0 => format!("({} + {})", self.expr(ty, scope, sub), int(self)),
                1 => format!("({} / {})", self.expr(ty, scope, sub), int(self)),
                _ => {
                    let op = self.rng.choice(["+", "-", "*"]).expect("an operator");
                    format!("({} {op} {})", self.expr(ty, scope, sub), self.expr(ty, scope, sub))
                }
            },
            T::Int => match self.rng.usize(..6) {
                0 | 1 => format!("({} + {})", int(self), int(self)),
                2 => format!("({} - {})", int(self), int(self)),
                3 => format!("{}.{}", self.expr(&T::Point, scope, sub), self.rng.choice(["x", "y"]).expect("a field")),
                4 => format!("{}.n", self.expr(&T::Nested, scope, sub)),
                _ => format!("size({})", self.expr(&T::List(Box::new(T::Int)), scope, sub)),
            },
            T::Point => match self.rng.usize(..5) {
                0 => format!("Point(x: {}, y: {})", int(self), int(self)),
                1 => format!("({} with (x: {}, y: {}))", self.expr(ty, scope, sub), int(self), int(self)),
                2 => format!("{}.o", self.expr(&T::Nested, scope, sub)),
                _ => {
                    let field = self.rng.choice(["x", "y"]).expect("a field");
                    format!("({} with ({field}: {}))", self.expr(ty, scope, sub), int(self))
                }
            },
            T::Nested => match self.rng.usize(..3) {
                0 => format!("Nested(o: {}, n: {})", self.expr(&T::Point, scope, sub), int(self)),
                1 => format!("({} with (o: {}))", self.expr(ty, scope, sub), self.expr(&T::Point, scope, sub)),
                _ => format!("({} with (n: {}))", self.expr(ty, scope, sub), int(self)),
            },
            T::Shape => match self.rng.usize(..2) {
                0 => format!("Big({})", int(self)),
                _ => format!("Both({}, Some({}))", self.expr(&T::Point, scope, sub), int(self)),
            },
            T::Option(of) => format!("Some({})", self.expr(of, scope, sub)),
            T::List(of) => match self.rng.usize(..8) {
                0..=2 => format!("append({}, {})", self.expr(ty, scope, sub), self.expr(of, scope, sub)),
                3 => format!("put({}, {}, {})", self.expr(ty, scope, sub), int(self), self.expr(of, scope, sub)),
                4 => format!("({} ++ {})", self.expr(ty, scope, sub), self.expr(ty, scope, sub)),
                5 => format!("tail({})", self.expr(ty, scope, sub)),
                6 => {
                    let (over, name) = (self.expr(ty, scope, sub), self.bound());
                    let mut inner: Scope = scope.iter().filter(|(known, _)| *known != name).cloned().collect();
                    inner.push((name.clone(), (**of).clone()));
                    let condition = self.expr(&T::Bool, &inner, sub);
                    format!("[{} for {name} in {over} if {condition}]", self.expr(of, &inner, sub))
                }
                _ => format!("[{}, {}]", self.expr(of, scope, sub), self.expr(of, scope, sub)),
            },
            T::Set(of) => match self.rng.usize(..4) {
                0 | 1 => format!("insert({}, {})", self.expr(ty, scope, sub), self.expr(of, scope, sub)),
                2 => format!("union({}, {})", self.expr(ty, scope, sub), self.expr(ty, scope, sub)),
                _ => format!("toSet({})", self.expr(&T::List(of.clone()), scope, sub)),
            },
            T::Map(key, of) => match self.rng.usize(..4) {
                0 => format!("remove({}, {})", self.expr(ty, scope, sub), self.expr(key, scope, sub)),
                _ => {
                    let (map, key) = (self.expr(ty, scope, sub), self.expr(key, scope, sub));
                    format!("put({map}, {key}, {})", self.expr(of, scope, sub))
                }
            },
            _ => self.leaf(ty, scope),
        }
    }

    /// A place inside a variable, with the type that it has there.
    fn place(&mut self, name: &str, ty: &T, scope: &Scope) -> (String, T) {
        let (mut place, mut ty) = (name.to_owned(), ty.clone());
        while self.rng.usize(..5) > 0 {
            (place, ty) = match ty {
                T::Point | T::Ordered if self.rng.bool() => (format!("{place}.x"), T::Range(0, 3, "TOP")),
                T::Point | T::Ordered => (format!("{place}.y"), T::Int),
                T::Nested if self.rng.usize(..3) == 0 => (format!("{place}.n"), T::Range(0, 2, "2")),
                T::Nested => (format!("{place}.o"), T::Ordered),
                T::Short => (format!("{place}[{}]", self.expr(&T::Int, scope, 1)), T::Range(0, 3, "TOP")),
                T::List(of) => (format!("{place}[{}]", self.expr(&T::Int, scope, 1)), *of),
                T::Map(key, of) => (format!("{place}[{}]", self.expr(&key.base(), scope, 1)), *of),
                other => return (place, other),
            };
        }
        (place, ty)
    }
}

#[derive(Clone, Debug)]
struct Switch {
    source: usize,
    target: usize,
    gate: usize,
    args: Vec<String>,
    guard: Vec<String>,
    updates: Vec<String>,
}

#[derive(Clone, Debug)]
struct Machine {
    /// Direction and types of parameters.
    gates: Vec<(bool, Vec<T>)>,
    vars: Vec<(T, String)>,
    locations: usize,
    switches: Vec<Switch>,
}

impl Machine {
    fn random(rng: &mut Rng, types: &Types) -> Machine {
        let mut gates = vec![];
        for gate in 0..rng.usize(1..4) {
            let params = (0..rng.usize(..3)).map(|_| T::random(rng, 1)).collect();
            gates.push((gate == 0 || rng.bool(), params));
        }
        let mut vars = vec![];
        for _ in 0..rng.usize(1..4) {
            let ty = T::random(rng, 2);
            let inner: Vec<Value> = values(&ty, types).into_iter().filter(|v| inside(&ty, v, types)).collect();
            if let Some(value) = rng.choice(&inner) {
                vars.push((ty.clone(), text(&ty, value)));
            }
        }
        let locations = rng.usize(1..3);
        let mut switches = vec![];
        for _ in 0..rng.usize(1..5) {
            switches.push(Machine::switch(rng, &gates, &vars, locations));
        }
        Machine { gates, vars, locations, switches }
    }

    fn switch(rng: &mut Rng, gates: &[(bool, Vec<T>)], vars: &[(T, String)], locations: usize) -> Switch {
        let (source, target, gate) = (rng.usize(..locations), rng.usize(..locations), rng.usize(..gates.len()));
        let mut scope: Scope = vec![("most".to_owned(), T::Int), ("TOP".to_owned(), T::Int)];
        scope.extend(vars.iter().enumerate().map(|(number, (ty, _))| (format!("v{number}"), ty.clone())));
        let mut expressions = Expressions { rng, bound: 0 };
        let mut args = vec![];
        let mut bound: Scope = vec![];
        for (number, ty) in gates[gate].1.iter().enumerate() {
            if expressions.rng.usize(..4) > 0 {
                bound.push((format!("p{number}"), ty.clone()));
                args.push(format!("p{number}"));
                continue;
            }
            let value = |s: &mut Expressions<'_>, ty: &T| s.expr(ty, &scope, 2);
            // Constructors are patterns, and what is inside is compared.
            args.push(match ty.base() {
                T::Shape => format!("Big({})", value(&mut expressions, &T::Int)),
                T::Option(of) => format!("Some({})", value(&mut expressions, &of)),
                other => value(&mut expressions, &other),
            });
        }
        scope.extend(bound);
        let guard = (0..expressions.rng.usize(..3)).map(|_| expressions.expr(&T::Bool, &scope, 2)).collect();
        let mut updates = vec![];
        for (number, (ty, _)) in vars.iter().enumerate() {
            let name = format!("v{number}");
            match expressions.rng.usize(..4) {
                0 => {}
                1 => updates.push(format!("{name} := {}", expressions.expr(&ty.base(), &scope, 3))),
                _ => {
                    for _ in 0..expressions.rng.usize(1..3) {
                        let (place, ty) = expressions.place(&name, ty, &scope);
                        if place == name {
                            continue;
                        }
                        updates.push(format!("{place} := {}", expressions.expr(&ty.base(), &scope, 2)));
                    }
                }
            }
        }
        Switch { source, target, gate, args, guard, updates }
    }

    fn text(&self) -> String {
        let mut out = format!("{DECLARATIONS}sts M(most: Int = 2) {{\n");
        for (gate, (is_input, params)) in self.gates.iter().enumerate() {
            let params: Vec<String> = params.iter().enumerate().map(|(p, ty)| format!("p{p}: {ty}")).collect();
            out.push_str(&format!("  {} g{gate}({})\n", if *is_input { "in" } else { "out" }, params.join(", ")));
        }
        for (number, (ty, value)) in self.vars.iter().enumerate() {
            out.push_str(&format!("  var v{number}: {ty} = {value}\n"));
        }
        out.push_str("  initial location L0\n");
        (1..self.locations).for_each(|location| out.push_str(&format!("  location L{location}\n")));
        for (number, s) in self.switches.iter().enumerate() {
            let sign = if self.gates[s.gate].0 { '?' } else { '!' };
            let args = s.args.join(", ");
            out.push_str(&format!("  L{} -> L{} : t{number} {sign}g{}({args})", s.source, s.target, s.gate));
            if !s.guard.is_empty() {
                out.push_str(&format!(" when {}", s.guard.join(" && ")));
            }
            if !s.updates.is_empty() {
                out.push_str(&format!(" do {}", s.updates.join(", ")));
            }
            out.push('\n');
        }
        out.push_str("}\n");
        out
    }

    fn smaller(&self) -> Vec<Machine> {
        let mut out = vec![];
        for number in 0..self.switches.len() {
            let mut fewer = self.clone();
            fewer.switches.remove(number);
            out.push(fewer);
            for part in 0..self.switches[number].guard.len() {
                let mut fewer = self.clone();
                fewer.switches[number].guard.remove(part);
                out.push(fewer);
            }
            for part in 0..self.switches[number].updates.len() {
                let mut fewer = self.clone();
                fewer.switches[number].updates.remove(part);
                out.push(fewer);
            }
        }
        out
    }
}

/// A broken law, in words.
type Broken = String;

/// A machine that is asked about.
struct Question<'m> {
    machine: &'m Machine,
    system: StepSystem,
    types: Types,
    rng: Rng,
    counted: &'m mut Counted,
}

/// What was looked at.
#[derive(Debug, Default)]
struct Counted {
    states: usize,
    steps: usize,
    refused: usize,
    asked: usize,
    unknown: usize,
}

impl Question<'_> {
    fn state(&mut self, state: &State, of: &str) -> Result<(), Broken> {
        self.counted.states += 1;
        for (number, (ty, _)) in self.machine.vars.iter().enumerate() {
            if !inside(ty, &state.values[number], &self.types) {
                return Err(format!("{of}: v{number} is {:?}, not in {ty}", state.values[number]));
            }
        }
        Ok(())
    }

    fn data(&self, gate: Option<usize>, data: &[Value], of: &str) -> Result<(), Broken> {
        let Some(gate) = gate else { return Ok(()) };
        for (number, (ty, value)) in self.params(gate).iter().zip(data).enumerate() {
            if !inside(ty, value, &self.types) {
                return Err(format!("{of}: p{number} of g{gate} is {value:?}, not in {ty}"));
            }
        }
        Ok(())
    }

    fn step(&mut self, step: &Step, of: &str) -> Result<(), Broken> {
        self.counted.steps += 1;
        self.data(self.system.joints[step.joint].gate, &step.data, of)?;
        self.state(&step.next, of)
    }

    fn params(&self, gate: usize) -> &[T] {
        let name = &self.system.gates[gate].name;
        let number: usize = name[1..].parse().expect("gates have numbers");
        &self.machine.gates[number].1
    }

    /// All tuples of data of a gate, as they are listed here.
    fn tuples(&self, gate: usize) -> Vec<Vec<Value>> {
        let mut rows: Vec<Vec<Value>> = vec![vec![]];
        for ty in self.params(gate) {
            let values = values(ty, &self.types);
            rows = rows
                .iter()
                .flat_map(|row| values.iter().map(|v| [&row[..], std::slice::from_ref(v)].concat()))
                .collect();
        }
        rows.truncate(MAX_TUPLES);
        rows
    }

    /// All steps of a state with data that is listed here; none with data outside of its types.
    fn listed(&mut self, state: &State) -> Result<Vec<Step>, Broken> {
        let mut out = vec![];
        for joint in 0..self.system.joints.len() {
            let gate = self.system.joints[joint].gate.expect("no step is internal");
            if !self.system.at_source(joint, state) {
                continue;
            }
            for data in self.tuples(gate) {
                let steps = self.system.steps(joint, state, &data).map_err(|limit| limit.to_string())?;
                self.counted.refused += usize::from(steps.is_empty());
                for step in steps {
                    self.step(&step, "a step with listed data")?;
                    out.push(step);
                }
            }
        }
        Ok(out)
    }

    /// The data that is listed here, for the program.
    fn given(&self) -> Given {
        let mut given = Given::default();
        for gate in 0..self.system.gates.len() {
            for (number, ty) in self.params(gate).iter().enumerate() {
                given.names.insert(format!("{}.p{number}", self.system.gates[gate].name), values(ty, &self.types));
            }
        }
        given
    }

    /// The interpreter finds the listed steps, whether it is given the data or makes it up.
    fn compare(&mut self, state: &State, listed: &[Step]) -> Result<(), Broken> {
        for (given, whose) in [(self.given(), "given"), (Given::default(), "its own")] {
            let found = match self.system.all_steps(state, &given, None) {
                Ok(found) => found,
                Err(ChoiceError::NoValues { .. } | ChoiceError::TooMany) => continue,
                Err(other) => return Err(other.to_string()),
            };
            for step in &found {
                self.step(step, "a step of the interpreter")?;
                let gate = self.system.joints[step.joint].gate.expect("no step is internal");
                let tuples = self.tuples(gate);
                if tuples.len() < MAX_TUPLES && tuples.contains(&step.data) && !listed.contains(step) {
                    return Err(format!("with {whose} data there is a step that is not listed: {step:?}"));
                }
            }
            if let Some(missing) = listed.iter().find(|step| !found.contains(step)) {
                return Err(format!("with {whose} data a step is missing: {missing:?}"));
            }
        }
        Ok(())
    }

    /// What an event is called in a purpose that asks for it in one of the steps.
    fn pinned(&self, place: &str, gate: usize, data: &[Value]) -> String {
        let name = &self.system.gates[gate].name;
        let mut out = format!("  {place}(gate) == {name}\n");
        for (number, (ty, value)) in self.params(gate).iter().zip(data).enumerate() {
            out.push_str(&format!("  {place}({name}.p{number}) == {}\n", text(ty, value)));
        }
        out
    }

    fn ask(&mut self, pins: &str, length: usize, is_possible: bool) -> Result<(), Broken> {
        for run in ask(&self.machine.text(), pins, length, is_possible, self.counted)? {
            self.state(&run.initial, "the start of a case")?;
            run.steps.iter().try_for_each(|step| self.step(step, "a step of a case"))?;
        }
        Ok(())
    }

    /// Whether engines agree on one event, possible or not, after none or one that is known.
    fn events(&mut self, before: Option<&Step>, listed: &[Step]) -> Result<(), Broken> {
        let gate = self.rng.usize(..self.system.gates.len());
        let tuples = self.tuples(gate);
        let mut wanted: Vec<(usize, Vec<Value>)> = vec![];
        wanted.extend(self.rng.choice(&tuples).map(|data| (gate, data.clone())));
        if let Some(step) = self.rng.choice(listed) {
            wanted.push((self.system.joints[step.joint].gate.expect("no step is internal"), step.data.clone()));
        }
        let (length, first) = match before {
            None => (1, String::new()),
            Some(step) => {
                let gate = self.system.joints[step.joint].gate.expect("no step is internal");
                (2, self.pinned("first", gate, &step.data))
            }
        };
        for (gate, data) in wanted {
            let nexts: Vec<&Step> = listed
                .iter()
                .filter(|step| self.system.joints[step.joint].gate == Some(gate) && step.data == data)
                .collect();
            let mut pins = format!("{first}{}", self.pinned("last", gate, &data));
            let mut is_possible = !nexts.is_empty();
            if !self.machine.vars.is_empty() && self.rng.bool() {
                let var = self.rng.usize(..self.machine.vars.len());
                let (ty, _) = &self.machine.vars[var];
                let value = match self.rng.choice(&nexts) {
                    Some(step) if self.rng.bool() => step.next.values[var].clone(),
                    _ => self.rng.choice(values(ty, &self.types)).expect("some value"),
                };
                is_possible = nexts.iter().any(|step| step.next.values[var] == value);
                if self.is_short(&value) {
                    pins.push_str(&format!("  last(v{var}) == {}\n", text(ty, &value)));
                } else {
                    is_possible = !nexts.is_empty();
                }
            }
            self.ask(&pins, length, is_possible)?;
        }
        Ok(())
    }

    /// Numbers that were added up are not written.
    fn is_short(&self, value: &Value) -> bool {
        format!("{value:?}").len() < 2_000
    }
}

/// Asks every engine for a run of some steps with what is pinned; the runs that were found.
fn ask(model: &str, pins: &str, length: usize, is_possible: bool, counted: &mut Counted) -> Result<Vec<Run>, Broken> {
    let asked = asked(&format!("{model}purpose q for M {{\n  length {length}\n{pins}}}\n"));
    let mut runs = vec![];
    for engine in [Engine::Explicit, Engine::Symbolic, Engine::Unrolled, Engine::Induction, Engine::Auto] {
        counted.asked += 1;
        let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
        let limits = Limits::default().within(Some(Duration::from_secs(5)));
        let options = Options { engine, limits, ..Options::new(&solver) };
        let answered = answer(&asked.system, &asked.lists, &asked.purpose, &options, &mut ())
            .map_err(|disagreement| format!("{engine:?}: {disagreement:?}\n{pins}"))?;
        match (&answered.answer, is_possible) {
            (Answer::Found, true) | (Answer::Impossible, false) => {}
            (Answer::Found | Answer::Impossible, _) => {
                let truth = if is_possible { "possible" } else { "impossible" };
                let says = &answered.answer;
                return Err(format!("{engine:?} says {says:?}, but it is {truth}: length {length}\n{pins}"));
            }
            _ => counted.unknown += 1,
        }
        runs.extend(answered.cases.into_iter().map(|case| case.run));
    }
    Ok(runs)
}

fn judged(machine: &Machine, seed: u64, counted: &mut Counted) -> Result<(), Broken> {
    let system = system(&machine.text(), "M");
    let types = Types::of(&system.definitions);
    let mut question = Question { machine, system, types, rng: Rng::with_seed(seed), counted };
    let q = &mut question;
    let initial = q.system.initial_states(&Given::default(), None).map_err(|error| error.to_string())?.remove(0);
    q.state(&initial, "the start")?;
    // A walk over steps with listed data.
    let mut state = initial.clone();
    let mut before: Option<(Step, bool)> = None;
    for taken in 0..4 {
        let listed = q.listed(&state)?;
        q.compare(&state, &listed)?;
        match &before {
            None => q.events(None, &listed)?,
            Some((step, true)) if taken == 1 => q.events(Some(step), &listed)?,
            Some(_) => {}
        }
        let Some(step) = q.rng.choice(&listed).cloned() else { break };
        // With two ways to take an event, another state may lead on.
        let gate = |step: &Step| q.system.joints[step.joint].gate;
        let ways = listed.iter().filter(|other| gate(other) == gate(&step) && other.data == step.data).count();
        state = step.next.clone();
        before = Some((step, ways == 1));
    }
    // Runs that the program makes.
    let given = q.given();
    if let Ok((start, steps, _)) = simulate(&q.system, &Trace::default(), 6, &Given::default(), seed) {
        q.state(&start, "the start of a simulation")?;
        steps.iter().try_for_each(|step| q.step(step, "a simulated step"))?;
    }
    if let Ok((start, steps, _)) = simulate(&q.system, &Trace::default(), 6, &given, seed) {
        q.state(&start, "the start of a simulation")?;
        steps.iter().try_for_each(|step| q.step(step, "a simulated step with given data"))?;
    }
    let limits = Limits { states: 60, ..Limits::default() };
    if let Ok(graph) = explore(&q.system, &given, &limits, &mut ()) {
        graph.states.iter().try_for_each(|state| q.state(state, "an explored state"))?;
        graph.edges.iter().try_for_each(|edge| q.data(edge.gate, &edge.data, "an explored step"))?;
    }
    counterexample(q, seed)
}

/// What an implementation with one condition or effect less shows is data of its gates.
fn counterexample(q: &mut Question<'_>, seed: u64) -> Result<(), Broken> {
    if !seed.is_multiple_of(4) {
        return Ok(());
    }
    let Some(other) = q.rng.choice(q.machine.smaller()) else { return Ok(()) };
    if other.switches.len() < q.machine.switches.len() {
        return Ok(());
    }
    let implementation = system(&other.text(), "M");
    let Ok(alphabet) = Alphabet::new(&implementation, &q.system) else { return Ok(()) };
    for engine in [conform::Engine::Explicit, conform::Engine::Symbolic] {
        let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
        let options = conform::Options {
            engine,
            depth: Some(3),
            completion: Some(Completion::Ignore),
            is_universal: false,
            limits: Limits::default().within(Some(Duration::from_secs(1))),
            recheck: Recheck::Never,
            new_solver: &solver,
        };
        let Ok(answer) = conform::conform(&implementation, &q.system, &alphabet, &options, &mut ()) else { continue };
        for happened in answer.counterexample.iter().flat_map(|found| found.trace.iter().chain([&found.observed])) {
            if let Happened::Label(label, data) = happened {
                let name = &alphabet.labels[*label].name;
                let gate = q.system.gates.iter().position(|gate| gate.name == *name);
                q.data(gate, data, "a counterexample")?;
            }
        }
    }
    Ok(())
}

/// A law in which a panic breaks it too.
fn loud(law: impl FnOnce() -> Result<(), Broken>) -> Result<(), Broken> {
    catch_unwind(AssertUnwindSafe(law)).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().cloned();
        let words = words.or(panic.downcast_ref::<&str>().map(|words| (*words).to_owned()));
        Err(format!("a panic: {}", words.expect("words")))
    })
}

/// Most subjects that are shown to break a law.
const MOST_SHOWN: usize = 5;

/// Asks a law of random subjects, which are made with the types of the models; shows the smallest ones that break it.
fn upheld<S>(
    numbers: impl Iterator<Item = u64>,
    random: impl Fn(&mut Rng, &Types) -> S,
    judged: impl Fn(&S, u64, &mut Counted) -> Result<(), Broken>,
    smaller: impl Fn(&S) -> Vec<S>,
    text: impl Fn(&S) -> String,
) {
    let none =
        system(&Machine { gates: vec![(true, vec![])], vars: vec![], locations: 1, switches: vec![] }.text(), "M");
    let types = Types::of(&none.definitions);
    let mut counted = Counted::default();
    let mut broken = 0;
    for number in numbers {
        let seed = super::seed(LAW, number);
        let law = |subject: &S, counted: &mut Counted| loud(|| judged(subject, seed, counted));
        let mut least = random(&mut Rng::with_seed(seed), &types);
        let Err(mut words) = law(&least, &mut counted) else { continue };
        let still = |subject: S| law(&subject, &mut Counted::default()).err().map(|why| (subject, why));
        while let Some((subject, why)) = smaller(&least).into_iter().find_map(still) {
            (least, words) = (subject, why);
        }
        eprintln!("seed {seed}: {words}\n{}", text(&least));
        broken += 1;
        assert!(broken < MOST_SHOWN, "there are more");
    }
    eprintln!("{counted:?}");
    assert_eq!(broken, 0);
}

#[test]
fn values_are_in_their_types_and_engines_have_the_same_steps() {
    upheld(0..super::questions(12), Machine::random, judged, Machine::smaller, Machine::text);
}

/// A component of two in a row: what the first one sends, the second one receives a step later.
#[derive(Clone, Debug)]
struct Component {
    input: T,
    output: T,
    var: (T, String),
    /// Guards, effects.
    transitions: Vec<(Vec<String>, Vec<String>)>,
}

impl Component {
    fn random(rng: &mut Rng, types: &Types, input: T, output: T) -> Component {
        let (ty, value) = loop {
            let ty = T::random(rng, 2);
            let inner: Vec<Value> = values(&ty, types).into_iter().filter(|v| inside(&ty, v, types)).collect();
            if let Some(value) = rng.choice(&inner) {
                break (ty.clone(), text(&ty, value));
            }
        };
        let mut transitions = vec![];
        for _ in 0..rng.usize(1..4) {
            let mut scope: Scope = ["most", "TOP"].map(|name| (name.to_owned(), T::Int)).into();
            scope.push(("v0".to_owned(), ty.clone()));
            let mut expressions = Expressions { rng, bound: 0 };
            let mut guard = vec![];
            match (expressions.rng.usize(..4), input.base()) {
                (0, _) => {}
                (1, T::Shape) => guard.push(format!("c?Big({})", expressions.expr(&T::Int, &scope, 2))),
                _ => {
                    guard.push("c?p0".to_owned());
                    scope.push(("p0".to_owned(), input.clone()));
                }
            }
            guard.extend((0..expressions.rng.usize(..2)).map(|_| expressions.expr(&T::Bool, &scope, 2)));
            let mut effects = vec![];
            let (place, inner) = expressions.place("v0", &ty, &scope);
            if expressions.rng.usize(..3) > 0 {
                effects.push(format!("{place} := {}", expressions.expr(&inner.base(), &scope, 3)));
            }
            if expressions.rng.usize(..3) > 0 {
                effects.push(format!("d!({})", expressions.expr(&output.base(), &scope, 3)));
            }
            transitions.push((guard, effects));
        }
        Component { input, output, var: (ty, value), transitions }
    }

    fn text(&self, name: &str) -> String {
        let mut out = format!("component {name}(most: Int = 2) {{\n  in c: {}\n  out d: {}\n", self.input, self.output);
        out.push_str(&format!("  var v0: {} = {}\n  initial state S\n", self.var.0, self.var.1));
        for (number, (guard, effects)) in self.transitions.iter().enumerate() {
            out.push_str(&format!("  S -> S : t{number}"));
            if !guard.is_empty() {
                out.push_str(&format!(" when {}", guard.join(" && ")));
            }
            if !effects.is_empty() {
                out.push_str(&format!(" do {}", effects.join(", ")));
            }
            out.push('\n');
        }
        out + "}\n"
    }

    fn smaller(&self) -> Vec<Component> {
        let mut out = vec![];
        for number in 0..self.transitions.len() {
            let mut fewer = self.clone();
            fewer.transitions.remove(number);
            out.push(fewer);
            let (guard, effects) = &self.transitions[number];
            for part in 0..guard.len() {
                let mut fewer = self.clone();
                fewer.transitions[number].0.remove(part);
                out.push(fewer);
            }
            for part in 0..effects.len() {
                let mut fewer = self.clone();
                fewer.transitions[number].1.remove(part);
                out.push(fewer);
            }
        }
        out
    }
}

#[derive(Clone, Debug)]
struct Row {
    first: Component,
    second: Component,
}

impl Row {
    fn text(&self) -> String {
        let system = "system M {\n  a: A\n  b: B\n  in c -> a.c\n  a.d -> b.c\n  b.d -> out d\n}\n";
        format!("{DECLARATIONS}{}{}{system}", self.first.text("A"), self.second.text("B"))
    }

    fn smaller(&self) -> Vec<Row> {
        let first = self.first.smaller().into_iter().map(|first| Row { first, ..self.clone() });
        first.chain(self.second.smaller().into_iter().map(|second| Row { second, ..self.clone() })).collect()
    }

    /// Whether everything after a step is in its type: variables, the channel between the components, input and output.
    fn step(&self, system: &StepSystem, types: &Types, step: &Step) -> Result<(), Broken> {
        let is_sent = |ty: &T, value: &Value| *value == Value::Absent || inside(ty, value, types);
        for (slot, value) in system.slots.iter().zip(&step.next.values) {
            let fits = match slot.name.as_str() {
                "a.v0" => inside(&self.first.var.0, value, types),
                "b.v0" => inside(&self.second.var.0, value, types),
                "a.d" => is_sent(&self.first.output, value),
                _ => *value == Value::Absent,
            };
            if !fits {
                return Err(format!("{} is {value:?}", slot.name));
            }
        }
        if !is_sent(&self.first.input, &step.data[0]) || !is_sent(&self.second.output, &step.data[1]) {
            return Err(format!("input and output are {:?}", step.data));
        }
        Ok(())
    }
}

fn judged_row(row: &Row, seed: u64, counted: &mut Counted) -> Result<(), Broken> {
    let system = system(&row.text(), "M");
    let types = Types::of(&system.definitions);
    let mut rng = Rng::with_seed(seed);
    let inputs: Vec<Value> = std::iter::once(Value::Absent).chain(values(&row.first.input, &types)).collect();
    let mut given = Given::default();
    given.names.insert("c".to_owned(), inputs[1..].to_vec());
    let mut state = system.initial_states(&Given::default(), None).map_err(|error| error.to_string())?.remove(0);
    let mut before: Option<(Value, bool)> = None;
    for taken in 0..4 {
        let mut listed: Vec<Step> = vec![];
        for input in &inputs {
            let steps = system.steps(0, &state, std::slice::from_ref(input)).map_err(|limit| limit.to_string())?;
            counted.refused += usize::from(steps.is_empty());
            listed.extend(steps);
        }
        counted.steps += listed.len();
        listed.iter().try_for_each(|step| row.step(&system, &types, step))?;
        for given in [&given, &Given::default()] {
            let Ok(found) = system.all_steps(&state, given, None) else { continue };
            found.iter().try_for_each(|step| row.step(&system, &types, step))?;
            if let Some(missing) = listed.iter().find(|step| !found.contains(step)) {
                return Err(format!("a step is missing: {missing:?}"));
            }
        }
        let first = match &before {
            None => Some(String::new()),
            Some((input, true)) if taken == 1 => Some(format!("  first(c) == {}\n", text(&row.first.input, input))),
            Some(_) => None,
        };
        if let Some(first) = first {
            let input = rng.choice(&inputs[1..]).expect("some input").clone();
            let nexts: Vec<&Step> = listed.iter().filter(|step| step.data[0] == input).collect();
            let mut pins = format!("{first}  last(c) == {}\n", text(&row.first.input, &input));
            let (list, ty) = match rng.usize(..4) {
                0 => ("a.v0", &row.first.var.0),
                1 => ("b.v0", &row.second.var.0),
                2 => ("a.d", &row.first.output),
                _ => ("d", &row.second.output),
            };
            let seen = |step: &Step| match list {
                "d" => step.data[1].clone(),
                _ => step.next.values[system.slots.iter().position(|s| s.name == list).expect("a slot")].clone(),
            };
            let value = match rng.choice(&nexts) {
                Some(step) if rng.usize(..3) > 0 && seen(step) != Value::Absent => seen(step),
                _ => rng.choice(values(ty, &types)).expect("some value"),
            };
            if format!("{value:?}").len() < 2_000 {
                pins.push_str(&format!("  last({list}) == {}\n", text(ty, &value)));
                let is_possible = nexts.iter().any(|step| seen(step) == value);
                let cases = ask(&row.text(), &pins, taken + 1, is_possible, counted)?;
                cases.iter().flat_map(|run| &run.steps).try_for_each(|step| row.step(&system, &types, step))?;
            }
        }
        let present: Vec<&Step> = listed.iter().filter(|step| step.data[0] != Value::Absent).collect();
        let Some(step) = rng.choice(present).cloned() else { break };
        let ways = listed.iter().filter(|other| other.data[0] == step.data[0]).count();
        state = step.next.clone();
        before = Some((step.data[0].clone(), ways == 1));
    }
    for given in [&given, &Given::default()] {
        if let Ok((_, steps, _)) = simulate(&system, &Trace::default(), 6, given, seed) {
            steps.iter().try_for_each(|step| row.step(&system, &types, step))?;
        }
    }
    Ok(())
}

#[test]
fn messages_are_in_their_types_and_engines_have_the_same_steps() {
    let numbers = (0..super::questions(6)).map(|question| 1 << 30 | question);
    let random = |rng: &mut Rng, types: &Types| {
        let [c, d, e] = [0; 3].map(|_| T::random(rng, 1));
        let first = Component::random(rng, types, c, d.clone());
        Row { first, second: Component::random(rng, types, d, e) }
    };
    upheld(numbers, random, judged_row, Row::smaller, Row::text);
}
