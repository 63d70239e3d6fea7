//! The plain meaning of an expression.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};
use thiserror::Error;

use super::expr::{BinaryOp, Builtin, Collection, Expr, Pattern, UnaryOp};
use super::ty::{Bound, Definitions, Type};
use super::value::Value;
use crate::syntax::tree::Quantifier;

/// Deepest nesting of function calls.
const MAX_CALLS: u32 = 10_000;
/// Largest whole number, in bits.
const MAX_BITS: u64 = 1 << 16;
/// Longest list, set, map or text; most constructors in one value.
const MAX_SIZE: usize = 1 << 20;
/// Deepest nesting of constructors in one value. Values are compared, shown and dropped by recursion.
const MAX_NESTING: usize = 2_000;
/// So many elements are copied, or constructors counted, for one step of the fuel.
const COPIED_PER_STEP: usize = 2;

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// The expression is undefined here: in a guard it counts as false, in an update the transition is not enabled.
    #[error("{0}")]
    Undefined(String),
    /// A limit was hit: nothing can be said.
    #[error("{0}")]
    Limit(LimitKind),
    /// A constant is needed whose value is not known yet.
    #[error("constant {0} is not known yet")]
    Unset(usize),
}

/// Which limit was hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LimitKind {
    /// Recursion.
    #[error("functions call each other more than {MAX_CALLS} levels deep")]
    Calls,
    /// Work.
    #[error("evaluating one expression takes more than {} steps", Fuel::DEFAULT)]
    Steps,
    /// Numbers.
    #[error("a number grows beyond {MAX_BITS} bits")]
    Bits,
    /// Collections and trees.
    #[error("a list, set, map, text or tree grows beyond {MAX_SIZE} elements")]
    Size,
    /// Trees.
    #[error("the constructors of a value are nested more than {MAX_NESTING} levels deep")]
    Nesting,
}

/// How much work one evaluation may still do; on request it also keeps what was looked at.
#[derive(Debug)]
pub struct Fuel {
    steps: Cell<u64>,
    calls: Cell<u32>,
    /// Slots that were read, in the order of their first reading.
    reads: Option<RefCell<Vec<usize>>>,
}

impl Fuel {
    /// Steps of one evaluation.
    pub const DEFAULT: u64 = 5_000_000;

    /// A full tank.
    pub fn new() -> Fuel {
        Fuel { steps: Cell::new(Fuel::DEFAULT), calls: Cell::new(0), reads: None }
    }

    /// A full tank that keeps which slots are read; some may have been before.
    pub fn keeping_reads(reads: Vec<usize>) -> Fuel {
        Fuel { reads: Some(RefCell::new(reads)), ..Fuel::new() }
    }

    /// The slots that were read, in the order of their first reading, if they were kept.
    pub fn into_reads(self) -> Option<Vec<usize>> {
        self.reads.map(RefCell::into_inner)
    }

    fn read(&self, slot: usize) {
        if let Some(reads) = &self.reads {
            let mut reads = reads.borrow_mut();
            if !reads.contains(&slot) {
                reads.push(slot);
            }
        }
    }

    fn step(&self) -> Result<(), Failure> {
        self.steps(1)
    }

    /// Pays for work that grows with a value, so that large values cannot be copied for nothing.
    fn copied(&self, elements: usize) -> Result<(), Failure> {
        self.steps((elements / COPIED_PER_STEP) as u64)
    }

    fn steps(&self, steps: u64) -> Result<(), Failure> {
        match self.steps.get().checked_sub(steps) {
            Some(left) => {
                self.steps.set(left);
                Ok(())
            }
            None => Err(Failure::Limit(LimitKind::Steps)),
        }
    }
}

impl Default for Fuel {
    fn default() -> Self {
        Fuel::new()
    }
}

/// What an expression is evaluated in.
#[derive(Clone, Copy, Debug)]
pub struct Env<'a> {
    /// Functions, types and constants.
    pub definitions: &'a Definitions,
    /// The state vector.
    pub slots: &'a [Value],
    /// The work it may do.
    pub fuel: &'a Fuel,
}

/// Values of the locals; it grows as names are bound.
pub type Frame = Vec<Value>;

fn bind(frame: &mut Frame, local: usize, value: Value) {
    if frame.len() <= local {
        frame.resize(local + 1, Value::Absent);
    }
    frame[local] = value;
}

fn undefined(what: impl Into<String>) -> Failure {
    Failure::Undefined(what.into())
}

/// Evaluates an expression; operands from left to right, `&&`, `||` and `if` only as far as needed.
pub fn eval(expr: &Expr, env: Env<'_>, frame: &mut Frame) -> Result<Value, Failure> {
    env.fuel.step()?;
    Ok(match expr {
        Expr::Const(value) => value.clone(),
        Expr::Slot(slot) => {
            env.fuel.read(*slot);
            env.slots[*slot].clone()
        }
        Expr::Local(local) => frame[*local].clone(),
        Expr::Param(_) => unreachable!("parameters are replaced when a model is put together"),
        Expr::Global(id) => env.definitions.constants[*id].clone().ok_or(Failure::Unset(*id))?,
        Expr::Unary(UnaryOp::Not, a) => Value::Bool(!eval(a, env, frame)?.is_true()),
        Expr::Unary(UnaryOp::Holds, a) => match eval(a, env, frame) {
            Ok(value) => Value::Bool(value.is_true()),
            Err(Failure::Undefined(_)) => Value::Bool(false),
            Err(failure) => return Err(failure),
        },
        Expr::Unary(UnaryOp::Negate, a) => match eval(a, env, frame)? {
            Value::Int(n) => Value::Int(-n),
            Value::Real(x) => Value::Real(-x),
            other => other,
        },
        Expr::Binary(op, a, b) => binary(*op, a, b, env, frame)?,
        Expr::If(c, t, e) => {
            let branch = if eval(c, env, frame)?.is_true() { t } else { e };
            eval(branch, env, frame)?
        }
        Expr::Match(e, arms) => {
            let value = eval(e, env, frame)?;
            for arm in arms {
                if !test(&value, &arm.pattern, env, frame)? {
                    continue;
                }
                let holds = arm.guard.as_ref().map_or(Ok(true), |g| eval(g, env, frame).map(|v| v.is_true()))?;
                if holds {
                    return eval(&arm.body, env, frame);
                }
            }
            return Err(undefined("no case of a match fits"));
        }
        Expr::Let(local, value, body) => {
            let value = eval(value, env, frame)?;
            bind(frame, *local, value);
            eval(body, env, frame)?
        }
        Expr::Call(id, args) => {
            let args = eval_all(args, env, frame)?;
            call(*id, args, env)?
        }
        Expr::Builtin(id, args) => {
            let args = eval_all(args, env, frame)?;
            let copies = !matches!(id, Builtin::Size | Builtin::Head | Builtin::Last | Builtin::Index | Builtin::Get);
            if copies {
                env.fuel.copied(args.iter().map(elements).sum())?;
            }
            builtin(*id, args)?
        }
        Expr::Construct(ty, constructor, args) => {
            tree(Value::Data(*ty, *constructor, eval_all(args, env, frame)?.into()), env.fuel)?
        }
        Expr::Field(e, index) => match eval(e, env, frame)? {
            Value::Data(_, _, fields) => fields[*index].clone(),
            other => other,
        },
        Expr::With(e, changes) => match eval(e, env, frame)? {
            Value::Data(ty, constructor, fields) => {
                let mut fields = fields.to_vec();
                for (index, value) in changes {
                    fields[*index] = eval(value, env, frame)?;
                }
                tree(Value::Data(ty, constructor, fields.into()), env.fuel)?
            }
            other => other,
        },
        Expr::List(es) => Value::List(Arc::new(eval_all(es, env, frame)?)),
        Expr::Set(es) => Value::Set(Arc::new(eval_all(es, env, frame)?.into_iter().collect())),
        Expr::Map(entries) => {
            let mut map = BTreeMap::new();
            for (k, v) in entries {
                map.insert(eval(k, env, frame)?, eval(v, env, frame)?);
            }
            Value::Map(Arc::new(map))
        }
        Expr::Range(..) => Value::List(Arc::new(members(expr, env, frame)?)),
        Expr::Quantified(quantifier, local, over, body) => {
            let until = *quantifier == Quantifier::Exists;
            for member in members(over, env, frame)? {
                bind(frame, *local, member);
                if eval(body, env, frame)?.is_true() == until {
                    return Ok(Value::Bool(until));
                }
            }
            Value::Bool(!until)
        }
        Expr::Comprehension { makes, local, over, condition, key, element } => {
            let mut keys = vec![];
            let mut elements = vec![];
            for member in members(over, env, frame)? {
                bind(frame, *local, member);
                let counts = condition.as_ref().map_or(Ok(true), |c| eval(c, env, frame).map(|v| v.is_true()))?;
                if counts {
                    if let Some(key) = key {
                        keys.push(eval(key, env, frame)?);
                    }
                    elements.push(eval(element, env, frame)?);
                }
            }
            match makes {
                Collection::List => Value::List(Arc::new(elements)),
                Collection::Set => Value::Set(Arc::new(elements.into_iter().collect())),
                Collection::Map => Value::Map(Arc::new(keys.into_iter().zip(elements).collect())),
            }
        }
        Expr::Test(e, pattern) => {
            let value = eval(e, env, frame)?;
            Value::Bool(test(&value, pattern, env, frame)?)
        }
        Expr::Matches(e, pattern) => match eval(e, env, frame)? {
            Value::Text(text) => Value::Bool(pattern.matches(&text)),
            other => other,
        },
        Expr::Narrow(e, ty) => {
            let value = eval(e, env, frame)?;
            if !contains(ty, &value, env)? {
                let shown = super::show::Shown { value: &value, definitions: env.definitions };
                return Err(undefined(format!("{shown} is not in {}", ty.name(env.definitions))));
            }
            value
        }
        Expr::ToReal(e) => match eval(e, env, frame)? {
            Value::Int(n) => Value::Real(n.into()),
            other => other,
        },
    })
}

fn eval_all(exprs: &[Expr], env: Env<'_>, frame: &mut Frame) -> Result<Vec<Value>, Failure> {
    exprs.iter().map(|e| eval(e, env, frame)).collect()
}

fn call(id: usize, args: Vec<Value>, env: Env<'_>) -> Result<Value, Failure> {
    let function = &env.definitions.functions[id];
    let depth = env.fuel.calls.get();
    if depth >= MAX_CALLS {
        return Err(Failure::Limit(LimitKind::Calls));
    }
    env.fuel.calls.set(depth + 1);
    let mut frame = args;
    // A user's recursion may be deeper than the thread's stack.
    let result = stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || eval(&function.body, env, &mut frame));
    env.fuel.calls.set(depth);
    result
}

/// The members of a collection in their order: of a list as it stands, of a set ascending, of a map its keys.
fn members(over: &Expr, env: Env<'_>, frame: &mut Frame) -> Result<Vec<Value>, Failure> {
    if let Expr::Range(low, high) = over {
        let (low, high) = (int(eval(low, env, frame)?), int(eval(high, env, frame)?));
        if (&high - &low).to_usize().is_some_and(|n| n >= MAX_SIZE)
            || (high > low && (&high - &low).to_usize().is_none())
        {
            return Err(Failure::Limit(LimitKind::Size));
        }
        env.fuel.copied((&high - &low).to_usize().unwrap_or(0))?;
        return Ok(num_iter(low, high));
    }
    let over = eval(over, env, frame)?;
    env.fuel.copied(elements(&over))?;
    Ok(match over {
        Value::List(list) => list.to_vec(),
        Value::Set(set) => set.iter().cloned().collect(),
        Value::Map(map) => map.keys().cloned().collect(),
        _ => vec![],
    })
}

fn num_iter(low: BigInt, high: BigInt) -> Vec<Value> {
    let mut out = vec![];
    let mut n = low;
    while n <= high {
        out.push(Value::Int(n.clone()));
        n += 1;
    }
    out
}

fn binary(op: BinaryOp, a: &Expr, b: &Expr, env: Env<'_>, frame: &mut Frame) -> Result<Value, Failure> {
    if let (BinaryOp::In, Expr::Range(low, high)) = (op, b) {
        let value = eval(a, env, frame)?;
        return Ok(Value::Bool(eval(low, env, frame)? <= value && value <= eval(high, env, frame)?));
    }
    let left = eval(a, env, frame)?;
    match (op, &left) {
        (BinaryOp::And, Value::Bool(false)) | (BinaryOp::Or, Value::Bool(true)) => return Ok(left),
        (BinaryOp::And | BinaryOp::Or, _) => return eval(b, env, frame),
        _ => {}
    }
    let right = eval(b, env, frame)?;
    Ok(match op {
        BinaryOp::And | BinaryOp::Or => unreachable!("decided above"),
        BinaryOp::Equal => Value::Bool(left == right),
        BinaryOp::NotEqual => Value::Bool(left != right),
        BinaryOp::Less => Value::Bool(left < right),
        BinaryOp::AtMost => Value::Bool(left <= right),
        BinaryOp::Concat => {
            env.fuel.copied(elements(&left) + elements(&right))?;
            concat(left, right)?
        }
        BinaryOp::In => Value::Bool(match &right {
            Value::List(list) => list.contains(&left),
            Value::Set(set) => set.contains(&left),
            Value::Map(map) => map.contains_key(&left),
            _ => false,
        }),
        BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo => {
            arithmetic(op, left, right)?
        }
    })
}

fn arithmetic(op: BinaryOp, left: Value, right: Value) -> Result<Value, Failure> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => {
            if a.bits() + b.bits() > MAX_BITS {
                return Err(Failure::Limit(LimitKind::Bits));
            }
            let divisible = || if b.is_zero() { Err(undefined("division by zero")) } else { Ok(()) };
            Ok(Value::Int(match op {
                BinaryOp::Add => a + b,
                BinaryOp::Subtract => a - b,
                BinaryOp::Multiply => a * b,
                BinaryOp::Divide => {
                    divisible()?;
                    let rest = a.mod_floor(&b.abs());
                    (a - rest) / b
                }
                _ => {
                    divisible()?;
                    a.mod_floor(&b.abs())
                }
            }))
        }
        (Value::Real(a), Value::Real(b)) => {
            if a.numer().bits() + a.denom().bits() + b.numer().bits() + b.denom().bits() > MAX_BITS {
                return Err(Failure::Limit(LimitKind::Bits));
            }
            Ok(Value::Real(match op {
                BinaryOp::Add => a + b,
                BinaryOp::Subtract => a - b,
                BinaryOp::Multiply => a * b,
                _ if b.is_zero() => return Err(undefined("division by zero")),
                _ => a / b,
            }))
        }
        (left, _) => Ok(left),
    }
}

fn concat(left: Value, right: Value) -> Result<Value, Failure> {
    let value = match (left, right) {
        (Value::Text(a), Value::Text(b)) => {
            bounded(a.len() + b.len())?;
            Value::text(&format!("{a}{b}"))
        }
        (Value::List(a), Value::List(b)) => {
            bounded(a.len() + b.len())?;
            Value::List(Arc::new(a.iter().chain(b.iter()).cloned().collect()))
        }
        (left, _) => left,
    };
    Ok(value)
}

fn bounded(size: usize) -> Result<(), Failure> {
    if size > MAX_SIZE { Err(Failure::Limit(LimitKind::Size)) } else { Ok(()) }
}

/// Elements that a copy of the value copies.
fn elements(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::List(list) => list.len(),
        Value::Set(set) => set.len(),
        Value::Map(map) => map.len(),
        _ => 0,
    }
}

/// A value of an algebraic type within its limits. Parts may be shared, so that a small program makes a huge tree.
fn tree(value: Value, fuel: &Fuel) -> Result<Value, Failure> {
    fn count(value: &Value, depth: usize, seen: &mut usize) -> Result<(), Failure> {
        let Value::Data(_, _, fields) = value else { return Ok(()) };
        *seen += 1;
        bounded(*seen)?;
        if depth > MAX_NESTING {
            return Err(Failure::Limit(LimitKind::Nesting));
        }
        fields.iter().try_for_each(|field| count(field, depth + 1, seen))
    }
    let mut seen = 0;
    count(&value, 0, &mut seen)?;
    fuel.copied(seen)?;
    Ok(value)
}

fn int(value: Value) -> BigInt {
    match value {
        Value::Int(n) => n,
        _ => BigInt::ZERO,
    }
}

fn some(value: Value) -> Value {
    Value::Data(Definitions::OPTION, 1, [value].into())
}

fn none() -> Value {
    Value::Data(Definitions::OPTION, 0, [].into())
}

fn builtin(id: Builtin, args: Vec<Value>) -> Result<Value, Failure> {
    use Value::{Int, List, Map, Real, Set, Text};
    let mut args = args.into_iter();
    let mut next = || args.next().unwrap_or(Value::Absent);
    let (first, second, third) = (next(), next(), next());
    Ok(match (id, first, second) {
        (Builtin::Size, List(list), _) => Value::int(list.len()),
        (Builtin::Size, Set(set), _) => Value::int(set.len()),
        (Builtin::Size, Map(map), _) => Value::int(map.len()),
        (Builtin::Size, Text(text), _) => Value::int(text.chars().count()),
        (Builtin::Head, List(list), _) => {
            list.first().cloned().ok_or_else(|| undefined("the head of an empty list"))?
        }
        (Builtin::Last, List(list), _) => {
            list.last().cloned().ok_or_else(|| undefined("the last element of an empty list"))?
        }
        (Builtin::Tail, List(list), _) => {
            let tail = list.get(1..).ok_or_else(|| undefined("the tail of an empty list"))?;
            List(Arc::new(tail.to_vec()))
        }
        (Builtin::Append, List(mut list), element) => {
            bounded(list.len() + 1)?;
            Arc::make_mut(&mut list).push(element);
            List(list)
        }
        (Builtin::Reverse, List(list), _) => List(Arc::new(list.iter().rev().cloned().collect())),
        (Builtin::Take, List(list), Int(n)) => List(Arc::new(list[..clamped(&n, list.len())].to_vec())),
        (Builtin::Drop, List(list), Int(n)) => List(Arc::new(list[clamped(&n, list.len())..].to_vec())),
        (Builtin::Index, List(list), Int(n)) => {
            let element = n.to_usize().and_then(|i| list.get(i)).cloned();
            element.ok_or_else(|| undefined(format!("index {n} of a list of {}", list.len())))?
        }
        (Builtin::Index, Map(map), key) => map.get(&key).cloned().ok_or_else(|| undefined("a missing key"))?,
        (Builtin::Get, Map(map), key) => map.get(&key).cloned().map_or_else(none, some),
        (Builtin::Put, Map(mut map), key) => {
            Arc::make_mut(&mut map).insert(key, third);
            bounded(map.len())?;
            Map(map)
        }
        // Assigning to an element of a list: the index must exist.
        (Builtin::Put, List(mut list), Int(n)) => {
            let size = list.len();
            let place = n.to_usize().and_then(|i| Arc::make_mut(&mut list).get_mut(i));
            *place.ok_or_else(|| undefined(format!("index {n} of a list of {size}")))? = third;
            List(list)
        }
        (Builtin::Insert, Set(mut set), element) => {
            Arc::make_mut(&mut set).insert(element);
            bounded(set.len())?;
            Set(set)
        }
        (Builtin::Remove, Set(mut set), element) => {
            Arc::make_mut(&mut set).remove(&element);
            Set(set)
        }
        (Builtin::Remove, Map(mut map), key) => {
            Arc::make_mut(&mut map).remove(&key);
            Map(map)
        }
        (Builtin::Union, Set(a), Set(b)) => {
            bounded(a.len() + b.len())?;
            Set(Arc::new(a.union(&b).cloned().collect()))
        }
        (Builtin::Intersect, Set(a), Set(b)) => Set(Arc::new(a.intersection(&b).cloned().collect())),
        (Builtin::Minus, Set(a), Set(b)) => Set(Arc::new(a.difference(&b).cloned().collect())),
        (Builtin::Subset, Set(a), Set(b)) => Value::Bool(a.is_subset(&b)),
        (Builtin::Keys, Map(map), _) => Set(Arc::new(map.keys().cloned().collect())),
        (Builtin::Values, Map(map), _) => List(Arc::new(map.values().cloned().collect())),
        (Builtin::ToSet, List(list), _) => Set(Arc::new(list.iter().cloned().collect::<BTreeSet<_>>())),
        (Builtin::Floor, Real(x), _) => Int(x.floor().to_integer()),
        (Builtin::Abs, Int(n), _) => Int(n.abs()),
        (Builtin::Abs, Real(x), _) => Real(x.abs()),
        (Builtin::Min, a, b) => a.min(b),
        (Builtin::Max, a, b) => a.max(b),
        (id, ..) => return Err(undefined(format!("{id:?} of values it does not take"))),
    })
}

/// `n` as a position in a list of `size`.
fn clamped(n: &BigInt, size: usize) -> usize {
    if n.is_negative() { 0 } else { n.to_usize().unwrap_or(size).min(size) }
}

/// Whether a value fits a pattern; binds the pattern's locals as far as it does.
pub fn test(value: &Value, pattern: &Pattern, env: Env<'_>, frame: &mut Frame) -> Result<bool, Failure> {
    if *value == Value::Absent {
        return Ok(*pattern == Pattern::Absent);
    }
    Ok(match (pattern, value) {
        (Pattern::Any, _) => true,
        (Pattern::Absent, _) => false,
        (Pattern::Bind(local), value) => {
            bind(frame, *local, value.clone());
            true
        }
        (Pattern::Equal(e), value) => eval(e, env, frame)? == *value,
        (Pattern::Data(_, constructor, patterns), Value::Data(_, actual, fields)) => {
            if constructor != actual {
                return Ok(false);
            }
            for (pattern, field) in patterns.iter().zip(fields.iter()) {
                if !test(field, pattern, env, frame)? {
                    return Ok(false);
                }
            }
            true
        }
        (Pattern::List { elements, rest }, Value::List(list)) => {
            if list.len() < elements.len() || (rest.is_none() && list.len() > elements.len()) {
                return Ok(false);
            }
            for (pattern, element) in elements.iter().zip(list.iter()) {
                if !test(element, pattern, env, frame)? {
                    return Ok(false);
                }
            }
            if let Some(Some(local)) = rest {
                bind(frame, *local, Value::List(Arc::new(list[elements.len()..].to_vec())));
            }
            true
        }
        _ => false,
    })
}

/// Whether a value of the type's shape belongs to the type, with all fields inside it.
pub fn contains(ty: &Type, value: &Value, env: Env<'_>) -> Result<bool, Failure> {
    if !env.definitions.narrows(ty) {
        return Ok(true);
    }
    Ok(match (ty, value) {
        (Type::Int { low, high }, Value::Int(n)) => {
            let at_least = low.as_ref().map_or(Ok(true), |low| bound(low, env).map(|low| low <= *n))?;
            at_least && high.as_ref().map_or(Ok(true), |high| bound(high, env).map(|high| *n <= high))?
        }
        (Type::Refined(id, base), value) => {
            let refinement = &env.definitions.refinements[*id];
            if !contains(base, value, env)? {
                return Ok(false);
            }
            match eval(&refinement.condition, env, &mut vec![value.clone()]) {
                Ok(holds) => holds.is_true(),
                Err(Failure::Undefined(_)) => false,
                Err(failure) => return Err(failure),
            }
        }
        (Type::List(element), Value::List(list)) => all(element, list.iter(), env)?,
        (Type::Set(element), Value::Set(set)) => all(element, set.iter(), env)?,
        (Type::Map(k, v), Value::Map(map)) => all(k, map.keys(), env)? && all(v, map.values(), env)?,
        (Type::Option(element), Value::Data(_, _, args)) => all(element, args.iter(), env)?,
        (Type::Data(id), Value::Data(_, constructor, args)) => {
            let fields = &env.definitions.types[*id].constructors[*constructor as usize].fields;
            for ((_, field), value) in fields.iter().zip(args.iter()) {
                if !contains(field, value, env)? {
                    return Ok(false);
                }
            }
            true
        }
        _ => true,
    })
}

fn all<'v>(ty: &Type, mut values: impl Iterator<Item = &'v Value>, env: Env<'_>) -> Result<bool, Failure> {
    values.try_fold(true, |holds, value| Ok(holds && contains(ty, value, env)?))
}

/// The value of a bound.
pub(super) fn bound(bound: &Bound, env: Env<'_>) -> Result<BigInt, Failure> {
    match bound {
        Bound::Known(n) => Ok(n.clone()),
        Bound::Open(e, _) => eval(e, env, &mut vec![]).map(int),
    }
}
