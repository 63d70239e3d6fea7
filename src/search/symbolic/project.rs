//! Conditions without symbols that stand in no other place.
//!
//! A symbol that only one condition mentions can be whatever suits that condition, so all that the condition asks of the
//! others is that something suits: it is replaced by that, exactly. Most often nothing is left: an input that could not be
//! taken may simply have been absent. The edge keeps the condition itself, so that a path gets its data back.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Branch;
use crate::term::{Node, Range, Rational, Symbol, Term, Terms, Value};

/// Most terms in a condition that replaces another one.
const MAX_TERMS: usize = 2_000;

/// The branch with such conditions replaced, and what they were; none if there are none.
pub(super) fn project(terms: &mut Terms, branch: &Branch, roots: &[Term]) -> Option<(Branch, Vec<Term>)> {
    if branch.store.residual.is_empty() {
        return None;
    }
    let mut needed = FxHashSet::default();
    for root in roots {
        let root = branch.store.apply(terms, *root);
        terms.each_symbol(root, &mut |symbol| {
            needed.insert(symbol);
        });
    }
    // Each condition as it was and as it is by now.
    let mut conditions: Vec<(Term, Term)> = branch.store.residual.iter().map(|term| (*term, *term)).collect();
    while let Some((place, projected)) = next(terms, &conditions, &branch.store.ranges, &needed) {
        conditions[place].1 = projected;
    }
    let (same, changed): (Vec<_>, Vec<_>) = conditions.into_iter().partition(|(was, is)| was == is);
    if changed.is_empty() {
        return None;
    }
    let mut branch = branch.clone();
    branch.store.residual = same.into_iter().map(|(was, _)| was).collect();
    for (_, is) in &changed {
        branch.store.assume(terms, *is);
    }
    Some((branch, changed.into_iter().map(|(was, _)| was).collect()))
}

/// A condition that can be replaced, and by what.
fn next(
    terms: &mut Terms,
    conditions: &[(Term, Term)],
    ranges: &[Range],
    needed: &FxHashSet<Symbol>,
) -> Option<(usize, Term)> {
    // The only condition that mentions each symbol; none if there are several.
    let mut stands_in: FxHashMap<Symbol, Option<usize>> = FxHashMap::default();
    for (place, (_, condition)) in conditions.iter().enumerate() {
        terms.each_symbol(*condition, &mut |symbol| {
            let known = stands_in.entry(symbol).or_insert(Some(place));
            if *known != Some(place) {
                *known = None;
            }
        });
    }
    let mut lone: Vec<(usize, Symbol)> = (stands_in.into_iter())
        .filter(|(symbol, _)| !needed.contains(symbol))
        .filter_map(|(symbol, place)| place.map(|place| (place, symbol)))
        .collect();
    lone.sort_unstable();
    lone.into_iter().find_map(|(place, symbol)| {
        let projected = without(terms, conditions[place].1, symbol, &ranges[symbol.number as usize])?;
        Some((place, projected))
    })
}

/// That some value of a symbol satisfies a condition, said without it; none if that has no simple form.
fn without(terms: &mut Terms, condition: Term, symbol: Symbol, range: &Range) -> Option<Term> {
    match range {
        Range::Bool => {
            let mut with = |value: bool| {
                let value = terms.bool(value);
                terms.substitute(condition, &|other| (other == symbol).then_some(value))
            };
            let (yes, no) = (with(true), with(false));
            let either = terms.or(yes, no);
            // Each symbol may double a condition.
            (terms.count(either, MAX_TERMS) < MAX_TERMS).then_some(either)
        }
        Range::Number { is_int: true, low, high, .. } => {
            let Node::AtMostZero(sum) = terms.node(condition) else { return None };
            let Node::Sum(sum) = terms.node(*sum) else { return None };
            let is_symbol = |part: &Term| *terms.node(*part) == Node::Symbol(symbol);
            let (_, factor) = sum.parts.iter().find(|(part, _)| is_symbol(part))?;
            let mut elsewhere = false;
            for (part, _) in sum.parts.iter().filter(|(part, _)| !is_symbol(part)) {
                terms.each_symbol(*part, &mut |other| elsewhere |= other == symbol);
            }
            if elsewhere {
                return None;
            }
            // The least that the symbol can add; without an end it can add as little as one likes.
            let end: &Option<(Rational, bool)> = if factor.is_positive() { low } else { high };
            let Some((end, true)) = end else { return end.is_none().then(|| terms.bool(true)) };
            let value = terms.constant(Value::Int(end.to_integer()));
            Some(terms.substitute(condition, &|other| (other == symbol).then_some(value)))
        }
        _ => None,
    }
}
