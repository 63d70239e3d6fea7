//! How many values a type has: what may be concluded from a value that a run never mentions.
//!
//! A type counts as endless only if that is certain, or if it has more values than are ever listed. Refinements of types that
//! cannot be listed are untold, unless they say nothing but on which side of some numbers a value is and what remainders it
//! has. Tested by a table of types, and by the answers of quantified formulas over such types.

use std::collections::BTreeMap;

use num_integer::Integer;
use num_traits::ToPrimitive;

use super::domain::{DomainError, finite_values, mentions_it, some_value};
use super::eval::{Env, eval};
use super::expr::{BinaryOp, Expr, UnaryOp};
use super::ty::Type;
use super::value::Value;

/// How many values a type has.
#[derive(Clone, Debug, PartialEq)]
pub enum Extent {
    /// These.
    Listed(Vec<Value>),
    /// However many are taken away, some are left.
    Endless,
    /// It is not known.
    Untold,
}

/// How many values a type has.
pub fn extent(ty: &Type, env: Env<'_>) -> Extent {
    match finite_values(ty, &BTreeMap::new(), env) {
        Ok(values) => Extent::Listed(values),
        Err(DomainError::Failure(_)) => Extent::Untold,
        Err(DomainError::Infinite(_) | DomainError::TooLarge(_)) => match is_endless(ty, env, &mut vec![]) {
            true => Extent::Endless,
            false => Extent::Untold,
        },
    }
}

/// Whether a type certainly has more values than can be listed. `open` holds the data types around it.
fn is_endless(ty: &Type, env: Env<'_>, open: &mut Vec<usize>) -> bool {
    let has_some = |ty: &Type| some_value(ty, env.definitions).is_some();
    match ty {
        Type::Bool | Type::Unknown => false,
        Type::Int { .. } => {
            let listed = finite_values(ty, &BTreeMap::new(), env);
            matches!(listed, Err(DomainError::Infinite(_) | DomainError::TooLarge(_)))
        }
        Type::Real | Type::Text => true,
        Type::List(of) => has_some(of),
        Type::Set(of) => {
            is_endless(of, env, open) || finite_values(of, &BTreeMap::new(), env).is_ok_and(|all| all.len() > 16)
        }
        Type::Map(key, value) => {
            let (keys, values) = (is_endless(key, env, open), is_endless(value, env, open));
            keys && (values || has_some(value)) || values && has_some(key)
        }
        Type::Option(of) => is_endless(of, env, open),
        Type::Data(id) => {
            if open.contains(id) {
                // A value inside a value of its own type: every one makes a larger one.
                return has_some(ty);
            }
            open.push(*id);
            let constructors = &env.definitions.types[*id].constructors;
            let mut is_one = false;
            for constructor in constructors {
                let is_made = constructor.fields.iter().all(|(_, field)| has_some(field));
                is_one |= is_made && constructor.fields.iter().any(|(_, field)| is_endless(field, env, open));
            }
            open.pop();
            is_one
        }
        Type::Refined(..) => Numbers::of(ty, env).is_some_and(|numbers| numbers.is_endless(env)),
    }
}

/// Numbers of a refined type, as far as single numbers do not matter: those between two ends whose remainders satisfy conditions.
#[derive(Default)]
struct Numbers<'a> {
    is_above: bool,
    is_below: bool,
    /// Conditions that look at nothing but remainders.
    periodic: Vec<&'a Expr>,
    /// They are the same for numbers that are so far apart.
    period: u32,
}

/// Longest period that is looked at.
const MAX_PERIOD: u32 = 1_000;

impl<'a> Numbers<'a> {
    /// The numbers of a type, if they can be said that way.
    fn of(ty: &Type, env: Env<'a>) -> Option<Numbers<'a>> {
        match ty {
            Type::Int { low, high } => {
                Some(Numbers { is_above: low.is_some(), is_below: high.is_some(), periodic: vec![], period: 1 })
            }
            Type::Real => Some(Numbers { period: 1, ..Numbers::default() }),
            Type::Refined(id, base) => {
                let mut numbers = Numbers::of(base, env)?;
                numbers.keep(&env.definitions.refinements[*id].condition, env)?;
                Some(numbers)
            }
            _ => None,
        }
    }

    /// Keeps those that satisfy a condition.
    fn keep(&mut self, condition: &'a Expr, env: Env<'_>) -> Option<()> {
        let is_number = |e: &Expr| number(e, env).is_some();
        match condition {
            Expr::Unary(UnaryOp::Holds, inner) => self.keep(inner, env)?,
            Expr::Binary(BinaryOp::And, a, b) => {
                self.keep(a, env)?;
                self.keep(b, env)?;
            }
            Expr::Binary(BinaryOp::NotEqual, a, b) if is_it(a) && is_number(b) || is_number(a) && is_it(b) => {}
            Expr::Binary(BinaryOp::Less | BinaryOp::AtMost, a, b) if is_it(a) && is_number(b) => self.is_below = true,
            Expr::Binary(BinaryOp::Less | BinaryOp::AtMost, a, b) if is_number(a) && is_it(b) => self.is_above = true,
            _ => {
                self.period = common_period(self.period, period_of(condition, env)?)?;
                self.periodic.push(condition);
            }
        }
        Some(())
    }

    fn is_endless(&self, env: Env<'_>) -> bool {
        let fits = |n: u32| {
            self.periodic.iter().all(|condition| {
                let truth = eval(condition, env, &mut vec![Value::int(n)]);
                truth.is_ok_and(|truth| truth.is_true())
            })
        };
        !(self.is_above && self.is_below) && (0..self.period).any(fits)
    }
}

fn is_it(e: &Expr) -> bool {
    *e == Expr::Local(0)
}

/// A number that a condition says, whatever value it is about.
fn number(e: &Expr, env: Env<'_>) -> Option<Value> {
    let value = if mentions_it(e) { None } else { eval(e, env, &mut vec![Value::Absent]).ok() };
    value.filter(|value| matches!(value, Value::Int(_) | Value::Real(_)))
}

/// A period that both are multiples of, if it is not too long.
fn common_period(a: u32, b: u32) -> Option<u32> {
    Some(a.lcm(&b)).filter(|period| *period <= MAX_PERIOD)
}

/// How far apart numbers are for which a condition is certainly the same: it looks at them through remainders only.
fn period_of(condition: &Expr, env: Env<'_>) -> Option<u32> {
    let mut period = Some(1);
    condition.map_leaves(&mut |part| match part {
        Expr::Binary(BinaryOp::Modulo, a, b) if is_it(a) && !mentions_it(b) => {
            let divisor = match number(b, env) {
                Some(Value::Int(n)) => n.to_u32().filter(|n| (1..=MAX_PERIOD).contains(n)),
                _ => None,
            };
            period = period.zip(divisor).and_then(|(period, divisor)| common_period(period, divisor));
            Some(part.clone())
        }
        Expr::Local(0) => {
            period = None;
            None
        }
        _ => None,
    });
    period
}
