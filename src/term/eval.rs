//! The plain meaning of an expression.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use thiserror::Error;

use super::expr::{BinaryOp, Collection, Expr, Pattern, UnaryOp};
use super::operation::{Meaning, Operation, until};
use super::ty::{Bound, Definitions, Type};
use super::value::Value;
use crate::budget::tick;

/// Deepest nesting of function calls.
const MAX_CALLS: u32 = 10_000;
/// Largest whole number, in bits.
const MAX_BITS: u64 = 1 << 16;
/// Longest list, set, map or text; most constructors in one value.
const MAX_SIZE: usize = 1 << 20;
/// Deepest nesting of constructors in one value. Values are compared, shown and dropped by recursion.
pub(super) const MAX_NESTING: usize = 2_000;
/// What is left of a stack for that, in bytes, wherever a function is called.
pub(super) const LEFT_FOR_VALUES: usize = 1 << 20;
/// A stack for more calls, in bytes.
pub(super) const STACK: usize = 8 << 20;
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
    /// The checker refuses such operands. It may evaluate what it has not checked; nobody else may.
    #[error("`{0}` of operands of other types")]
    IllTyped(&'static str),
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
        tick();
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

pub(super) fn undefined(what: impl Into<String>) -> Failure {
    Failure::Undefined(what.into())
}

/// Evaluates an expression: operators by their table in `operation.rs`, and of everything else only what decides.
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
        Expr::Global(id) => env.definitions.constants.get(*id).cloned().flatten().ok_or(Failure::Unset(*id))?,
        Expr::Unary(UnaryOp::Holds, a) => match eval(a, env, frame).and_then(truth) {
            Ok(holds) => Value::Bool(holds),
            Err(Failure::Undefined(_)) => Value::Bool(false),
            Err(failure) => return Err(failure),
        },
        Expr::Unary(op, a) => operation(&op.operation(), [&**a], env, frame)?,
        Expr::Binary(BinaryOp::In, x, over) if let Expr::Range(low, high) = &**over => {
            let x = eval(x, env, frame)?;
            let is_above = compared(eval(low, env, frame)?, x.clone(), env)?;
            Value::Bool(is_above && compared(x, eval(high, env, frame)?, env)?)
        }
        Expr::Binary(op, a, b) => match op.meaning() {
            Meaning::Until(until) => {
                let left = truth(eval(a, env, frame)?)?;
                Value::Bool(if left == until { left } else { truth(eval(b, env, frame)?)? })
            }
            Meaning::Of(meaning) => operation(&meaning, [&**a, &**b], env, frame)?,
        },
        Expr::If(c, t, e) => {
            let branch = if truth(eval(c, env, frame)?)? { t } else { e };
            eval(branch, env, frame)?
        }
        Expr::Match(e, arms) => {
            let value = eval(e, env, frame)?;
            for arm in arms {
                if !test(&value, &arm.pattern, env, frame)? {
                    continue;
                }
                if holds(arm.guard.as_ref(), env, frame)? {
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
        Expr::Builtin(id, args) => operation(&id.function().operation, args, env, frame)?,
        Expr::Construct(ty, constructor, args) => {
            tree(Value::Data(*ty, *constructor, eval_all(args, env, frame)?.into()), env.fuel)?
        }
        Expr::Field(e, index) => match eval(e, env, frame)? {
            Value::Data(_, _, fields) => fields[*index].clone(),
            other => return Err(not_taken(".", &other)),
        },
        Expr::With(e, changes) => match eval(e, env, frame)? {
            Value::Data(ty, constructor, fields) => {
                let mut fields = fields.to_vec();
                for (index, value) in changes {
                    fields[*index] = eval(value, env, frame)?;
                }
                tree(Value::Data(ty, constructor, fields.into()), env.fuel)?
            }
            other => return Err(not_taken("with", &other)),
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
            let until = until(*quantifier);
            for member in members(over, env, frame)? {
                bind(frame, *local, member);
                if truth(eval(body, env, frame)?)? == until {
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
                if holds(condition.as_deref(), env, frame)? {
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
            other => return Err(not_taken("matches", &other)),
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
            Value::Int(n) => Value::real(n),
            other => return Err(not_taken("a number", &other)),
        },
    })
}

/// What an operator makes of its operands.
fn operation<'e>(
    operation: &Operation,
    exprs: impl IntoIterator<Item = &'e Expr>,
    env: Env<'_>,
    frame: &mut Frame,
) -> Result<Value, Failure> {
    let mut operands = [Value::Absent, Value::Absent, Value::Absent];
    let mut count = 0;
    for expr in exprs {
        operands[count] = eval(expr, env, frame)?;
        count += 1;
    }
    applied(operation, operands, count, env)
}

/// What an operator makes of the values of its operands, of which there are so many.
fn applied(operation: &Operation, operands: [Value; 3], count: usize, env: Env<'_>) -> Result<Value, Failure> {
    if let Some(missing) = operation.needs.missing(&operands[..count]) {
        return Err(undefined(missing));
    }
    if operation.copies {
        env.fuel.copied(operands.iter().map(elements).sum())?;
    }
    (operation.eval)(operands)
}

/// Whether one number is at most another one.
fn compared(a: Value, b: Value, env: Env<'_>) -> Result<bool, Failure> {
    let Meaning::Of(at_most) = BinaryOp::AtMost.meaning() else { unreachable!("it looks at both operands") };
    truth(applied(&at_most, [a, b, Value::Absent], 2, env)?)
}

/// A condition that may be missing.
fn holds(condition: Option<&Expr>, env: Env<'_>, frame: &mut Frame) -> Result<bool, Failure> {
    condition.map_or(Ok(true), |condition| truth(eval(condition, env, frame)?))
}

fn truth(value: Value) -> Result<bool, Failure> {
    match value {
        Value::Bool(truth) => Ok(truth),
        other => Err(not_taken("a condition", &other)),
    }
}

/// Why there is no value: the operand is a message that is not there, or it is of another type.
fn not_taken(op: &'static str, operand: &Value) -> Failure {
    match operand {
        Value::Absent => undefined("a message that is not there"),
        _ => Failure::IllTyped(op),
    }
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
    let result = stacker::maybe_grow(LEFT_FOR_VALUES, STACK, || eval(&function.body, env, &mut frame));
    env.fuel.calls.set(depth);
    result
}

/// The members of a collection in their order: of a list as it stands, of a set ascending, of a map its keys.
fn members(over: &Expr, env: Env<'_>, frame: &mut Frame) -> Result<Vec<Value>, Failure> {
    if let Expr::Range(low, high) = over {
        let (low, high) = (int(eval(low, env, frame)?)?, int(eval(high, env, frame)?)?);
        if high < low {
            return Ok(vec![]);
        }
        let size = (&high - &low).to_usize().filter(|size| *size < MAX_SIZE);
        env.fuel.copied(size.ok_or(Failure::Limit(LimitKind::Size))?)?;
        return Ok(num_iter(low, high));
    }
    let over = eval(over, env, frame)?;
    env.fuel.copied(elements(&over))?;
    Ok(match over {
        Value::List(list) => list.to_vec(),
        Value::Set(set) => set.iter().cloned().collect(),
        Value::Map(map) => map.keys().cloned().collect(),
        other => return Err(not_taken("in", &other)),
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

/// A result of numbers with so many bits is within its limits.
pub(super) fn within_bits(bits: u64) -> Result<(), Failure> {
    if bits > MAX_BITS { Err(Failure::Limit(LimitKind::Bits)) } else { Ok(()) }
}

pub(super) fn bounded(size: usize) -> Result<(), Failure> {
    if size > MAX_SIZE { Err(Failure::Limit(LimitKind::Size)) } else { Ok(()) }
}

/// A value that is known, and how many elements a structure has, within the limits of values.
pub(super) fn within_limits(value: Option<&Value>, size: usize) -> Result<(), Failure> {
    let bits = match value {
        Some(Value::Int(n)) => n.bits(),
        Some(Value::Real(x)) => x.numer().bits() + x.denom().bits(),
        _ => 0,
    };
    within_bits(bits)?;
    bounded(size.max(value.map_or(0, elements)))
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
    let mut seen = 0;
    for depth in value.constructors() {
        seen += 1;
        bounded(seen)?;
        if depth > MAX_NESTING {
            return Err(Failure::Limit(LimitKind::Nesting));
        }
    }
    fuel.copied(seen)?;
    Ok(value)
}

fn int(value: Value) -> Result<BigInt, Failure> {
    match value {
        Value::Int(n) => Ok(n),
        other => Err(not_taken("a number", &other)),
    }
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
            match eval(&refinement.condition, env, &mut vec![value.clone()]).and_then(truth) {
                Ok(holds) => holds,
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
        Bound::Open(e, _) => int(eval(e, env, &mut vec![])?),
    }
}
