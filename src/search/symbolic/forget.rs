//! Forgetting how a number came about.
//!
//! A sum of whole numbers that nothing else mentions can be any number of an interval: it becomes one symbol with that
//! range. So a timer that counts down from an open value is in the same state after two steps as after three, and a total
//! of many inputs is one number. The edge keeps what ties the new symbol to the old ones, from which a path recovers them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Branch;
use crate::term::{Node, Range, Rational, Sort, Symbol, Term, Terms, Value};

/// A sum to forget: its term, and its symbols with their factors of one or minus one.
type Candidate = (Term, Vec<(Symbol, Rational)>, Rational);

/// The branch with sums replaced by symbols, and what ties these to the symbols they replace; none if there is no such sum.
pub(super) fn forget_sums(terms: &mut Terms, branch: &Branch, roots: &[Term]) -> Option<(Branch, Vec<Term>)> {
    let candidates = candidates(terms, branch, roots);
    if candidates.is_empty() {
        return None;
    }
    let mut branch = branch.clone();
    let mut ties = vec![];
    for (sum, parts, constant) in candidates {
        let range = image(&branch.store.ranges, &parts, &constant);
        let total = total(&branch.witness, &parts, &constant);
        let symbol = branch.store.add(range);
        branch.witness.push(total);
        let whole = terms.symbol(symbol);
        let (first, factor) = &parts[0];
        // sum == factor * first + rest, so first == first - factor * (sum - whole).
        let difference = terms.subtract(sum, whole);
        let old = terms.symbol(*first);
        let value = terms.add_scaled(old, difference, &-factor);
        if parts.len() > 1 {
            ties.extend(branch.store.ranges[first.number as usize].conditions(terms, value));
        }
        branch.store.solve(terms, first.number, value);
    }
    // Conditions on the sums now narrow the ranges of their symbols.
    for condition in std::mem::take(&mut branch.store.residual) {
        branch.store.assume(terms, condition);
    }
    Some((branch, ties))
}

/// Sums whose symbols stand nowhere else.
fn candidates(terms: &Terms, branch: &Branch, roots: &[Term]) -> Vec<Candidate> {
    // Where each symbol stands: in one sum, or elsewhere.
    let mut stands_in: FxHashMap<Symbol, Option<Term>> = FxHashMap::default();
    let mut sums: Vec<Term> = vec![];
    let mut seen = FxHashSet::default();
    let mut open: Vec<Term> = vec![];
    let meet =
        |term: Term, parent: Option<Term>, stands_in: &mut FxHashMap<Symbol, Option<Term>>, open: &mut Vec<Term>| {
            match terms.node(term) {
                Node::Symbol(symbol) => {
                    let place = stands_in.entry(*symbol).or_insert(parent);
                    if *place != parent {
                        *place = None;
                    }
                }
                Node::Const(_) => {}
                _ => open.push(term),
            }
        };
    roots.iter().for_each(|root| meet(*root, None, &mut stands_in, &mut open));
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        let parent = match terms.node(term) {
            Node::Sum(sum) if sum.sort == Sort::Int => {
                sums.push(term);
                Some(term)
            }
            _ => None,
        };
        terms.parts(term).into_iter().for_each(|part| meet(part, parent, &mut stands_in, &mut open));
    }
    let shapes: FxHashSet<Shape> = sums.iter().filter_map(|sum| shape(terms, *sum)).collect();
    for condition in &branch.store.residual {
        // A condition on the very same sum is one on the symbol that replaces it.
        if compared(terms, *condition).and_then(|sum| shape(terms, sum)).is_some_and(|shape| shapes.contains(&shape)) {
            continue;
        }
        terms.each_symbol(*condition, &mut |symbol| {
            stands_in.insert(symbol, None);
        });
    }
    sums.sort_unstable();
    let fits = |sum: &Term| {
        let Node::Sum(found) = terms.node(*sum) else { return None };
        let mut parts = vec![];
        for (part, factor) in &found.parts {
            let Node::Symbol(symbol) = terms.node(*part) else { return None };
            let Range::Number { holes, .. } = &branch.store.ranges[symbol.number as usize] else { return None };
            if stands_in.get(symbol) != Some(&Some(*sum)) || !factor.abs().is_one() || !holes.is_empty() {
                return None;
            }
            parts.push((*symbol, factor.clone()));
        }
        Some((*sum, parts, found.constant.clone()))
    };
    sums.iter().filter_map(fits).collect()
}

/// A sum without what is added, and without its sign.
type Shape = Vec<(Term, Rational)>;

fn shape(terms: &Terms, sum: Term) -> Option<Shape> {
    let Node::Sum(sum) = terms.node(sum) else { return None };
    let is_negative = sum.parts[0].1.is_negative();
    let signed = |factor: &Rational| if is_negative { -factor } else { factor.clone() };
    Some(sum.parts.iter().map(|(part, factor)| (*part, signed(factor))).collect())
}

/// The sum that a condition compares with zero.
fn compared(terms: &Terms, condition: Term) -> Option<Term> {
    match terms.node(condition) {
        Node::AtMostZero(sum) | Node::IsZero(sum) => Some(*sum),
        Node::Not(inner) => match terms.node(*inner) {
            Node::IsZero(sum) => Some(*sum),
            _ => None,
        },
        _ => None,
    }
}

/// All numbers that a sum can be: an interval, for its parts are intervals and count once each.
fn image(ranges: &[Range], parts: &[(Symbol, Rational)], constant: &Rational) -> Range {
    let (mut least, mut most) = (Some(constant.clone()), Some(constant.clone()));
    for (symbol, factor) in parts {
        let Range::Number { low, high, .. } = &ranges[symbol.number as usize] else { continue };
        let (low, high) = (low.as_ref().map(|(end, _)| end.clone()), high.as_ref().map(|(end, _)| end.clone()));
        let (low, high) = if factor.is_negative() { (high.map(|end| -end), low.map(|end| -end)) } else { (low, high) };
        least = least.zip(low).map(|(a, b)| a + b);
        most = most.zip(high).map(|(a, b)| a + b);
    }
    let end = |end: Option<Rational>| end.map(|end| (end, true));
    Range::Number { is_int: true, low: end(least), high: end(most), holes: Default::default() }
}

/// The sum for the values that are known to work.
fn total(witness: &[Value], parts: &[(Symbol, Rational)], constant: &Rational) -> Value {
    let mut total = constant.clone();
    for (symbol, factor) in parts {
        if let Value::Int(n) = &witness[symbol.number as usize] {
            total = total + Rational::from(n.clone()) * factor;
        }
    }
    Value::Int(total.to_integer())
}
