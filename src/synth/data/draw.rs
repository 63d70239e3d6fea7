//! A value of a range, by chance: evenly where the range has two ends, mostly near its end where it has one.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use crate::term::{Node, Range, Rational, Store, Term, Terms, Value, matching};

/// How far from its end a range without a second end is looked at, and how often.
const REACH: [(u32, i64); 3] = [(6, 10), (9, 1_000), (10, 1_000_000)];
/// Parts of one in which numbers that are not whole are chosen.
const PARTS: i64 = 100;
/// Draws until one fits.
const TRIES: usize = 40;

/// A value of a range.
pub fn of_range(range: &Range, random: &mut fastrand::Rng) -> Value {
    match range {
        Range::Bool => Value::Bool(random.bool()),
        Range::Number { is_int, low, high, .. } => {
            for _ in 0..TRIES {
                let value = number(*is_int, low.as_ref(), high.as_ref(), random);
                if range.contains(&value) {
                    return value;
                }
            }
            range.simple()
        }
        Range::Text { .. } => {
            let word: String = (0..random.usize(0..=8)).map(|_| random.lowercase()).collect();
            let word = Value::text(&word);
            if range.contains(&word) { word } else { range.simple() }
        }
        Range::Enum { ty, left } => {
            let place = random.usize(..left.len().max(1));
            Value::Data(*ty, left.iter().nth(place).copied().unwrap_or(0), [].into())
        }
    }
}

type End<'e> = Option<&'e (Rational, bool)>;

fn number(is_int: bool, low: End<'_>, high: End<'_>, random: &mut fastrand::Rng) -> Value {
    let scale = if is_int { 1 } else { PARTS };
    let scaled = |end: End<'_>, up: bool| {
        let end = &end?.0 * &Rational::from(scale);
        Some(if up { end.ceil() } else { end.floor() }.to_integer())
    };
    let (low, high) = (scaled(low, true), scaled(high, false));
    let dice = random.u32(1..=10);
    let reach = REACH.iter().find(|(up_to, _)| dice <= *up_to).map_or(0, |(_, reach)| *reach);
    let reach = BigInt::from(reach * scale);
    let (low, high) = match (low, high) {
        (Some(low), Some(high)) => (low, high),
        (Some(low), None) => (low.clone(), low + reach),
        (None, Some(high)) => (&high - reach, high),
        (None, None) => (-reach.clone(), reach),
    };
    let n = evenly(&low, &high, random);
    if is_int { Value::Int(n) } else { Value::real(num_rational::BigRational::new(n, PARTS.into())) }
}

/// A whole number between two ends, each as likely as any other.
fn evenly(low: &BigInt, high: &BigInt, random: &mut fastrand::Rng) -> BigInt {
    let width: BigInt = high - low;
    match width.to_u64() {
        _ if width < BigInt::from(0) => low.clone(),
        Some(u64::MAX) => low + random.u64(..),
        Some(width) => low + random.u64(..=width),
        None => {
            let digits: Vec<u32> = (0..width.bits().div_ceil(32) + 1).map(|_| random.u32(..)).collect();
            low + BigInt::new(num_bigint::Sign::Plus, digits) % (width + 1)
        }
    }
}

/// A value for the only symbol of a store, which has number zero: one that also meets its conditions; none if none was met
/// by chance.
pub fn of_store(terms: &mut Terms, store: &Store, random: &mut fastrand::Rng) -> Option<Value> {
    let patterns: Vec<String> = store.residual.iter().filter_map(|condition| pattern(terms, *condition)).collect();
    let conditions: Vec<Term> = store.residual.iter().copied().collect();
    for _ in 0..TRIES {
        let value = match patterns.as_slice() {
            [] => of_range(&store.ranges[0], random),
            patterns => Value::text(&matching(&patterns[random.usize(..patterns.len())], random)?),
        };
        let fits = store.ranges[0].contains(&value)
            && conditions.iter().all(|condition| {
                terms.value_under(*condition, std::slice::from_ref(&value)) == Some(Value::Bool(true))
            });
        if fits {
            return Some(value);
        }
    }
    None
}

/// The pattern that a text must match.
fn pattern(terms: &Terms, condition: Term) -> Option<String> {
    match terms.node(condition) {
        Node::Matches(text, pattern) if matches!(terms.node(*text), Node::Symbol(_)) => Some(pattern.source.clone()),
        _ => None,
    }
}
