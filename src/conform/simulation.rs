//! Proofs by a relation between both models: which of their variables are always equal, or always the same value.
//!
//! The relation begins with what is equal at the start. Every step from places of which no more is known than that may make
//! it weaker, until it is kept by all steps. If nothing wrong can be seen in it, the implementation conforms for traces of
//! every length. What such a relation can express is little, but it is what most implementations have: copies of the
//! variables of their specification. Finds no counterexample, and asks the solver little.

use rustc_hash::FxHashMap;

use super::pairs::{Beginning, Pair, Pairs, Shape, shape};
use super::words::in_words;
use crate::search::Limits;
use crate::term::Term;

/// Most combinations of places.
const MAX_SHAPES: usize = 2_000;
/// Most steps towards a relation that is kept.
const MAX_ROUNDS: usize = 20_000;

/// What a value is: the same in every situation, or equal to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Always(Term),
    Class(usize),
}

/// What is known of all values of a pair.
type Pattern = Vec<Kind>;

/// The relation, in words; none if there is none of this kind.
pub(super) fn prove(pairs: &mut Pairs, limits: &Limits) -> Option<Vec<String>> {
    let mut known: Vec<(Pair, Pattern)> = vec![];
    let mut numbers: FxHashMap<Shape, usize> = FxHashMap::default();
    let mut todo: Vec<usize> = vec![];
    let mut found = pairs.successors(None);
    for _ in 0..MAX_ROUNDS {
        let Beginning { next, wrong } = found;
        if !wrong.is_empty() || !pairs.world.gaps.is_empty() || limits.used_up().is_some() {
            return None;
        }
        for (_, pair) in next {
            let pattern = pattern(pairs, &pair);
            match numbers.get(&shape(&pair)) {
                None => {
                    numbers.insert(shape(&pair), known.len());
                    todo.push(known.len());
                    known.push((pair, pattern));
                }
                Some(number) => {
                    let joined = common(&known[*number].1, &pattern);
                    if joined != known[*number].1 {
                        known[*number].1 = joined;
                        if !todo.contains(number) {
                            todo.push(*number);
                        }
                    }
                }
            }
        }
        if known.len() > MAX_SHAPES {
            return None;
        }
        let Some(number) = todo.pop() else {
            let all: Option<Vec<Pair>> = known.iter().map(|(pair, pattern)| situation(pairs, pair, pattern)).collect();
            let [implementation, specification] = pairs.systems();
            let definitions = pairs.world.definitions;
            return Some(in_words(all?.iter(), implementation, specification, &mut pairs.world.terms, definitions));
        };
        let (pair, pattern) = known[number].clone();
        let situation = situation(pairs, &pair, &pattern)?;
        found = pairs.successors(Some(&situation));
    }
    None
}

/// Which values of a pair are equal by themselves.
fn pattern(pairs: &Pairs, pair: &Pair) -> Pattern {
    let mut classes: Vec<Term> = vec![];
    let kind = |term: Term| match pairs.world.terms.value(term) {
        Some(_) => Kind::Always(term),
        None => Kind::Class(classes.iter().position(|known| *known == term).unwrap_or_else(|| {
            classes.push(term);
            classes.len() - 1
        })),
    };
    pair.terms().map(kind).collect()
}

/// What two patterns have in common.
fn common(a: &Pattern, b: &Pattern) -> Pattern {
    let mut classes: Vec<(Kind, Kind)> = vec![];
    let kinds = a.iter().zip(b).map(|(a, b)| match (a, b) {
        (Kind::Always(x), Kind::Always(y)) if x == y => Kind::Always(*x),
        (a, b) => Kind::Class(classes.iter().position(|known| known == &(*a, *b)).unwrap_or_else(|| {
            classes.push((*a, *b));
            classes.len() - 1
        })),
    });
    kinds.collect()
}

/// The pair of which no more is known than a pattern says.
fn situation(pairs: &mut Pairs, pair: &Pair, pattern: &Pattern) -> Option<Pair> {
    let open = pairs.generic(pair)?;
    let mut members: Vec<Option<Term>> = vec![None; pattern.len()];
    let terms: Vec<Term> = (open.terms().zip(pattern))
        .map(|(term, kind)| match kind {
            Kind::Always(value) => *value,
            Kind::Class(class) => *members[*class].get_or_insert(term),
        })
        .collect();
    Some(open.with_terms(terms))
}
