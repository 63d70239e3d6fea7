//! All values of a type, when they are few; and some value of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use thiserror::Error;

use super::eval::{Env, Failure, Fuel, LimitKind, bound, contains, eval};
use super::expr::{BinaryOp, Expr};
use super::ty::{Bound, Definitions, Type};
use super::value::Value;

/// Largest domain that is listed.
pub const MAX_DOMAIN: usize = 100_000;

/// Why the values of a type cannot be listed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DomainError {
    /// There are infinitely many.
    #[error("the values of `{0}` are infinite")]
    Infinite(String),
    /// There are too many.
    #[error("the values of `{0}` are more than {MAX_DOMAIN}")]
    TooLarge(String),
    /// A bound or a refinement cannot be evaluated.
    #[error(transparent)]
    Failure(#[from] Failure),
}

/// Lists the values of a type. `given` holds values that stand for a whole type, by the type's name; for a range or
/// refinement of it they are filtered.
pub fn finite_values(ty: &Type, given: &BTreeMap<String, Vec<Value>>, env: Env<'_>) -> Result<Vec<Value>, DomainError> {
    values(ty, given, env, &mut vec![])
}

/// `open` holds the data types being listed: one that is met again has infinitely many values.
fn values(
    ty: &Type,
    given: &BTreeMap<String, Vec<Value>>,
    env: Env<'_>,
    open: &mut Vec<usize>,
) -> Result<Vec<Value>, DomainError> {
    if let Some(values) = given.get(&ty.name(env.definitions)) {
        return filtered(ty, values, env);
    }
    let infinite = || DomainError::Infinite(ty.name(env.definitions));
    let large = || DomainError::TooLarge(ty.name(env.definitions));
    let values = match ty {
        Type::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Type::Int { low: Some(low), high: Some(high) } => {
            let (low, high) = (bound(low, env)?, bound(high, env)?);
            if high < low {
                return Ok(vec![]);
            }
            let size = (&high - &low + BigInt::from(1)).to_i64().ok_or_else(large)?;
            if size > MAX_DOMAIN as i64 {
                return Err(large());
            }
            (0..size).map(|i| Value::Int(&low + BigInt::from(i))).collect()
        }
        Type::Int { .. } | Type::Real | Type::Text => {
            let shape = ty.shape().name(env.definitions);
            match given.get(&shape) {
                Some(values) => return filtered(ty, values, env),
                None => return Err(infinite()),
            }
        }
        Type::Data(id) => data_values(*id, given, env, open)?,
        Type::Option(inner) => {
            let none = Value::Data(Definitions::OPTION, 0, [].into());
            let some = values(inner, given, env, open)?.into_iter();
            std::iter::once(none).chain(some.map(|v| Value::Data(Definitions::OPTION, 1, [v].into()))).collect()
        }
        Type::Set(inner) => {
            let members = values(inner, given, env, open)?;
            if members.len() > 16 {
                return Err(large());
            }
            (0..1u32 << members.len())
                .map(|mask| {
                    let chosen = members.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1).map(|(_, v)| v.clone());
                    Value::Set(Arc::new(chosen.collect::<BTreeSet<_>>()))
                })
                .collect()
        }
        Type::Refined(id, base) => match values(base, given, env, open) {
            Ok(values) => return filtered(ty, &values, env),
            Err(DomainError::Infinite(_) | DomainError::TooLarge(_)) => {
                let listed = listed_in(&env.definitions.refinements[*id].condition, env)?;
                let candidates = match listed {
                    Some(values) => values,
                    None => between(ty, env)?.and_then(Ends::listed).ok_or_else(infinite)?,
                };
                return filtered(ty, &candidates, env);
            }
            Err(other) => return Err(other),
        },
        Type::List(_) | Type::Map(..) | Type::Unknown => return Err(infinite()),
    };
    if values.len() > MAX_DOMAIN { Err(large()) } else { Ok(values) }
}

fn filtered(ty: &Type, values: &[Value], env: Env<'_>) -> Result<Vec<Value>, DomainError> {
    let mut out = vec![];
    for value in values {
        if contains(ty, value, env)? {
            out.push(value.clone());
        }
    }
    Ok(out)
}

/// Candidates from a condition that says `it == e` or `it in e` among its conjuncts, where `e` does not mention `it`.
fn listed_in(condition: &Expr, env: Env<'_>) -> Result<Option<Vec<Value>>, DomainError> {
    let is_it = |e: &Expr| *e == Expr::Local(0);
    let value = |e: &Expr| match eval(e, env, &mut vec![Value::Absent]) {
        Ok(value) => Ok(Some(value)),
        // The condition holds of no value.
        Err(Failure::Undefined(_)) => Ok(None),
        Err(failure) => Err(failure),
    };
    Ok(match condition {
        Expr::Binary(BinaryOp::And, a, b) => match listed_in(a, env)? {
            Some(values) => Some(values),
            None => listed_in(b, env)?,
        },
        Expr::Binary(BinaryOp::Equal, a, b) if is_it(a) && !mentions_it(b) => Some(Vec::from_iter(value(b)?)),
        Expr::Binary(BinaryOp::Equal, a, b) if is_it(b) && !mentions_it(a) => Some(Vec::from_iter(value(a)?)),
        Expr::Binary(BinaryOp::In, a, b) if is_it(a) && !mentions_it(b) => match value(b) {
            Ok(Some(Value::List(list))) => Some(list.to_vec()),
            Ok(Some(Value::Set(set))) => Some(set.iter().cloned().collect()),
            Ok(Some(Value::Map(map))) => Some(map.keys().cloned().collect()),
            Ok(Some(other)) => unreachable!("{other:?} has no members"),
            Ok(None) => Some(vec![]),
            Err(Failure::Limit(LimitKind::Size)) => None,
            Err(failure) => return Err(failure.into()),
        },
        _ => None,
    })
}

/// Whole numbers between two ends, both inside; an end that is missing is infinite.
#[derive(Clone, Debug, Default)]
struct Ends {
    low: Option<BigInt>,
    high: Option<BigInt>,
}

impl Ends {
    fn at_least(&mut self, low: BigInt) {
        self.low = Some(self.low.take().map_or(low.clone(), |known| known.max(low)));
    }

    fn at_most(&mut self, high: BigInt) {
        self.high = Some(self.high.take().map_or(high.clone(), |known| known.min(high)));
    }

    /// All of them, if they are not too many.
    fn listed(self) -> Option<Vec<Value>> {
        let (low, high) = (self.low?, self.high?);
        let size = (&high - &low + BigInt::from(1)).max(BigInt::ZERO).to_usize()?;
        (size <= MAX_DOMAIN).then(|| (0..size).map(|n| Value::Int(&low + BigInt::from(n))).collect())
    }
}

/// Ends that no value of a type of whole numbers is outside of: its own, and those that refinements say in a conjunct. None for
/// other types.
fn between(ty: &Type, env: Env<'_>) -> Result<Option<Ends>, DomainError> {
    match ty {
        Type::Int { low, high } => {
            let end = |end: &Option<Bound>| end.as_ref().map(|end| bound(end, env)).transpose();
            Ok(Some(Ends { low: end(low)?, high: end(high)? }))
        }
        Type::Refined(id, base) => {
            let Some(mut ends) = between(base, env)? else { return Ok(None) };
            narrow(&mut ends, &env.definitions.refinements[*id].condition, env)?;
            Ok(Some(ends))
        }
        _ => Ok(None),
    }
}

fn narrow(ends: &mut Ends, condition: &Expr, env: Env<'_>) -> Result<(), DomainError> {
    let number = |e: &Expr| -> Result<Option<BigInt>, DomainError> {
        if mentions_it(e) {
            return Ok(None);
        }
        match eval(e, env, &mut vec![Value::Absent]) {
            Ok(Value::Int(n)) => Ok(Some(n)),
            Ok(_) | Err(Failure::Undefined(_)) => Ok(None),
            Err(failure) => Err(failure.into()),
        }
    };
    let is_it = |e: &Expr| *e == Expr::Local(0);
    let Expr::Binary(operator, a, b) = condition else { return Ok(()) };
    match operator {
        BinaryOp::And => {
            narrow(ends, a, env)?;
            narrow(ends, b, env)?;
        }
        BinaryOp::Less | BinaryOp::AtMost => {
            let beyond = i32::from(*operator == BinaryOp::Less);
            if is_it(a) {
                number(b)?.into_iter().for_each(|high| ends.at_most(high - beyond));
            } else if is_it(b) {
                number(a)?.into_iter().for_each(|low| ends.at_least(low + beyond));
            }
        }
        BinaryOp::In if is_it(a) => {
            if let Expr::Range(low, high) = &**b {
                number(low)?.into_iter().for_each(|low| ends.at_least(low));
                number(high)?.into_iter().for_each(|high| ends.at_most(high));
            }
        }
        _ => {}
    }
    Ok(())
}

/// Whether an expression reads the value that a refinement is about, which is the first local. Nothing inside binds it again.
pub(super) fn mentions_it(expr: &Expr) -> bool {
    let mut found = false;
    expr.map_leaves(&mut |leaf| {
        found |= *leaf == Expr::Local(0);
        None
    });
    found
}

/// Values of an algebraic type or a record.
fn data_values(
    id: usize,
    given: &BTreeMap<String, Vec<Value>>,
    env: Env<'_>,
    open: &mut Vec<usize>,
) -> Result<Vec<Value>, DomainError> {
    let ty = &env.definitions.types[id];
    if open.contains(&id) {
        return Err(DomainError::Infinite(ty.name.clone()));
    }
    open.push(id);
    let values = data_rows(id, given, env, open);
    open.pop();
    values
}

/// Values of a data type that is noted as open.
fn data_rows(
    id: usize,
    given: &BTreeMap<String, Vec<Value>>,
    env: Env<'_>,
    open: &mut Vec<usize>,
) -> Result<Vec<Value>, DomainError> {
    let ty = &env.definitions.types[id];
    let mut out = vec![];
    for (number, constructor) in ty.constructors.iter().enumerate() {
        let mut rows: Vec<Vec<Value>> = vec![vec![]];
        for (_, field) in &constructor.fields {
            let values = values(field, given, env, open)?;
            if rows.len() * values.len() > MAX_DOMAIN {
                return Err(DomainError::TooLarge(ty.name.clone()));
            }
            rows = rows
                .iter()
                .flat_map(|row| values.iter().map(move |v| row.iter().cloned().chain([v.clone()]).collect()))
                .collect();
        }
        out.extend(rows.into_iter().map(|row| Value::Data(id, number as u32, row.into())));
    }
    Ok(out)
}

/// Candidates that are tried for a refinement.
const MAX_CANDIDATES: usize = 64;

/// A value of a type, if one of a few candidates is one. None says nothing.
pub fn some_value(ty: &Type, definitions: &Definitions) -> Option<Value> {
    let fuel = Fuel::default();
    candidates(ty, 1, Env { definitions, slots: &[], fuel: &fuel }, &mut vec![]).into_iter().next()
}

/// Some values of a type, simple ones first: at most so many. `open` holds the data types around it.
fn candidates(ty: &Type, most: usize, env: Env<'_>, open: &mut Vec<usize>) -> Vec<Value> {
    let one_inside = |inner: &Type, open: &mut Vec<usize>, make: &dyn Fn(Value) -> Value| -> Vec<Value> {
        if most == 1 {
            return vec![];
        }
        candidates(inner, most - 1, env, open).into_iter().map(make).collect()
    };
    let (first, more) = match ty {
        Type::Unknown => return vec![],
        Type::Bool => (Value::Bool(false), vec![Value::Bool(true)]),
        Type::Int { low, high } => return numbers(low.as_ref(), high.as_ref(), most, env),
        Type::Real => (Value::real(BigRational::zero()), (1..8).flat_map(|n| [real(n), real(-n)]).collect()),
        Type::Text => (Value::text(""), ["a", "A", "0", "ab", "1", "a1"].map(Value::text).to_vec()),
        Type::Data(id) => return data_candidates(*id, most, env, open),
        Type::Option(inner) => {
            let some = one_inside(inner, open, &|value| Value::Data(Definitions::OPTION, 1, [value].into()));
            (Value::Data(Definitions::OPTION, 0, [].into()), some)
        }
        Type::List(inner) => {
            let one = one_inside(inner, open, &|value| Value::List(Arc::new(vec![value])));
            (Value::List(Arc::new(vec![])), one)
        }
        Type::Set(inner) => {
            let one = one_inside(inner, open, &|value| Value::Set(Arc::new([value].into())));
            (Value::Set(Arc::new(BTreeSet::new())), one)
        }
        Type::Map(..) => (Value::Map(Arc::new(BTreeMap::new())), vec![]),
        Type::Refined(_, base) => {
            let mut fitting = candidates(base, MAX_CANDIDATES, env, open);
            fitting.retain(|value| matches!(contains(ty, value, env), Ok(true)));
            fitting.truncate(most);
            return fitting;
        }
    };
    std::iter::once(first).chain(more).take(most).collect()
}

fn real(n: i64) -> Value {
    Value::real(BigRational::from_integer(n.into()))
}

/// Numbers near zero, or near the end that is nearest to it.
fn numbers(low: Option<&Bound>, high: Option<&Bound>, most: usize, env: Env<'_>) -> Vec<Value> {
    let (Ok(low), Ok(high)) =
        (low.map(|low| bound(low, env)).transpose(), high.map(|high| bound(high, env)).transpose())
    else {
        return vec![];
    };
    let zero = BigInt::from(0);
    let middle = match (&low, &high) {
        (Some(low), _) if *low > zero => low.clone(),
        (_, Some(high)) if *high < zero => high.clone(),
        _ => zero,
    };
    let near = (0..=most as i64).flat_map(|n| [BigInt::from(n), BigInt::from(-n - 1)]).map(|n| &middle + n);
    let is_inside = |n: &BigInt| low.as_ref().is_none_or(|low| low <= n) && high.as_ref().is_none_or(|high| n <= high);
    near.filter(is_inside).take(most).map(Value::Int).collect()
}

fn data_candidates(id: usize, most: usize, env: Env<'_>, open: &mut Vec<usize>) -> Vec<Value> {
    if open.contains(&id) {
        return vec![];
    }
    open.push(id);
    let mut out = vec![];
    for (number, constructor) in env.definitions.types[id].constructors.iter().enumerate() {
        let mut rows: Vec<Vec<Value>> = vec![vec![]];
        for (_, field) in &constructor.fields {
            let values = candidates(field, most.min(8), env, open);
            let longer =
                rows.iter().flat_map(|row| values.iter().map(|v| row.iter().cloned().chain([v.clone()]).collect()));
            rows = longer.take(most).collect();
        }
        out.extend(rows.into_iter().map(|row| Value::Data(id, number as u32, row.into())));
        if out.len() >= most {
            break;
        }
    }
    open.pop();
    out.truncate(most);
    out
}
