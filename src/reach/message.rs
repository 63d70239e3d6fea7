//! What can be said of guards and messages as they are written, before anything runs. The only file here that asks what an
//! expression means: of constants and constructors, never of places.

use crate::term::{BinaryOp, Definitions, Env, Expr, Failure, Fuel, Pattern, Value, eval, test};

/// Whether a condition is known to fail always.
pub fn never_holds(condition: &Expr, definitions: &Definitions) -> bool {
    let never = |condition: &Expr| never_holds(condition, definitions);
    match condition {
        Expr::Binary(BinaryOp::And, this, other) => never(this) || never(other),
        Expr::Binary(BinaryOp::Or, this, other) => never(this) && never(other),
        _ => match constant(condition, definitions) {
            Some(Ok(value)) => !value.is_true(),
            Some(Err(failure)) => always_fails(&failure),
            None => false,
        },
    }
}

/// Whether a message may fit a pattern: false only if it never does.
pub fn may_fit(message: &Expr, pattern: &Pattern, definitions: &Definitions) -> bool {
    let fit = |message: &Expr, pattern: &Pattern| may_fit(message, pattern, definitions);
    match (message, pattern) {
        (_, Pattern::Any | Pattern::Bind(_)) => true,
        (Expr::Narrow(inner, _), pattern) => fit(inner, pattern),
        (Expr::If(_, this, other), pattern) => fit(this, pattern) || fit(other, pattern),
        (Expr::Construct(_, sent, args), Pattern::Data(_, wanted, patterns)) => {
            sent == wanted && args.iter().zip(patterns).all(|(arg, pattern)| fit(arg, pattern))
        }
        (message, pattern) => match constant(message, definitions) {
            Some(Ok(value)) => value_may_fit(&value, pattern, definitions),
            // Without a value there is no message.
            Some(Err(failure)) => !always_fails(&failure),
            None => true,
        },
    }
}

fn value_may_fit(value: &Value, pattern: &Pattern, definitions: &Definitions) -> bool {
    let fuel = Fuel::new();
    match test(value, &decided(pattern), Env { definitions, slots: &[], fuel: &fuel }, &mut vec![]) {
        Ok(fits) => fits,
        Err(failure) => !always_fails(&failure),
    }
}

/// The part of a pattern that is known before anything runs.
fn decided(pattern: &Pattern) -> Pattern {
    let all = |patterns: &[Pattern]| patterns.iter().map(decided).collect();
    match pattern {
        Pattern::Equal(value) if !is_closed(value) => Pattern::Any,
        Pattern::Data(ty, constructor, patterns) => Pattern::Data(*ty, *constructor, all(patterns)),
        Pattern::List { elements, rest } => Pattern::List { elements: all(elements), rest: *rest },
        Pattern::Any | Pattern::Absent | Pattern::Bind(_) | Pattern::Equal(_) => pattern.clone(),
    }
}

/// The value of an expression that mentions no place, or why it has none.
fn constant(expr: &Expr, definitions: &Definitions) -> Option<Result<Value, Failure>> {
    let fuel = Fuel::new();
    is_closed(expr).then(|| eval(expr, Env { definitions, slots: &[], fuel: &fuel }, &mut vec![]))
}

/// Whether a failure would happen in every run. A limit says nothing.
fn always_fails(failure: &Failure) -> bool {
    matches!(failure, Failure::Undefined(_))
}

/// Whether an expression mentions no place. One that binds names of its own counts as if it did, which loses little.
fn is_closed(expr: &Expr) -> bool {
    let mut closed = true;
    expr.map_leaves(&mut |leaf| {
        closed &= !matches!(leaf, Expr::Slot(_) | Expr::Local(_) | Expr::Param(_));
        None
    });
    closed
}
