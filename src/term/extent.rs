//! How many values a type has: what may be concluded from a value that a run never mentions.
//!
//! A type counts as endless only if that is certain, or if it has more values than are ever listed. Refinements of types that
//! cannot be listed are untold, unless they say nothing but on which side of some numbers a value is. Tested by a table
//! of types, and by the answers of quantified formulas over such types.

use std::collections::BTreeMap;

use super::domain::{DomainError, finite_values, some_value};
use super::eval::Env;
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
        Type::Refined(..) => sides_of(ty, env).is_some_and(|sides| !(sides.above && sides.below)),
    }
}

/// On which sides of some numbers values must be.
#[derive(Clone, Copy, PartialEq)]
struct Sides {
    above: bool,
    below: bool,
}

/// The sides for a type of numbers, if nothing else is said of its values.
fn sides_of(ty: &Type, env: Env<'_>) -> Option<Sides> {
    match ty {
        Type::Int { low, high } => Some(Sides { above: low.is_some(), below: high.is_some() }),
        Type::Real => Some(Sides { above: false, below: false }),
        Type::Refined(id, base) => {
            let (outer, inner) = (sides_of(base, env)?, sides(&env.definitions.refinements[*id].condition)?);
            Some(Sides { above: outer.above || inner.above, below: outer.below || inner.below })
        }
        _ => None,
    }
}

/// The sides, if a condition says nothing else but which single numbers are excepted.
fn sides(condition: &Expr) -> Option<Sides> {
    let is_it = |e: &Expr| *e == Expr::Local(0);
    let is_number = |e: &Expr| matches!(e, Expr::Const(Value::Int(_) | Value::Real(_)));
    match condition {
        Expr::Unary(UnaryOp::Holds, inner) => sides(inner),
        Expr::Binary(BinaryOp::And, a, b) => {
            let (a, b) = (sides(a)?, sides(b)?);
            Some(Sides { above: a.above || b.above, below: a.below || b.below })
        }
        Expr::Binary(BinaryOp::NotEqual, a, b) if is_it(a) && is_number(b) || is_number(a) && is_it(b) => {
            Some(Sides { above: false, below: false })
        }
        Expr::Binary(BinaryOp::Less | BinaryOp::AtMost, a, b) if is_it(a) && is_number(b) => {
            Some(Sides { above: false, below: true })
        }
        Expr::Binary(BinaryOp::Less | BinaryOp::AtMost, a, b) if is_number(a) && is_it(b) => {
            Some(Sides { above: true, below: false })
        }
        _ => None,
    }
}
