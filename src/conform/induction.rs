//! Proofs by induction: a relation between the variables of both models, for each combination of places, that the beginning
//! has, every step keeps, and that allows nothing wrong. For models whose data grows without end, so that no exhaustion
//! gets to it: two counters that count alike. The steps are those of the search for pairs, from places of which nothing is
//! known; the relation is found by the Horn engine and confirmed by the plain solver. Finds no counterexample.

use rustc_hash::FxHashMap;

use super::pairs::{Beginning, Pair, Pairs, Shape, shape};
use super::words::places_in_words;
use crate::search::{Branch, Limits};
use crate::solve::{Applied, Clause, Meaning, Predicate, Solver};
use crate::term::{Node, Sort, Symbol, Term};

/// Most combinations of places.
const MAX_SHAPES: usize = 128;
/// Most clauses.
const MAX_CLAUSES: usize = 4_000;
/// Work of the Horn engine, in its own units.
const EFFORT: u32 = 5_000_000;

/// The relation for each combination of places, in words; none if there is none that could be found.
pub(super) fn prove(pairs: &mut Pairs, solver: &mut dyn Solver, limits: &Limits) -> Option<Vec<String>> {
    let mut clauses = vec![];
    let mut predicates: Vec<Predicate> = vec![];
    let mut numbers: FxHashMap<Shape, usize> = FxHashMap::default();
    let mut open: Vec<Pair> = vec![];
    let mut names = vec![];
    let begun = pairs.successors(None);
    let mut todo = vec![(None, begun)];
    let mut at = 0;
    loop {
        for (from, Beginning { next, wrong }) in todo.drain(..) {
            for (branch, pair) in next {
                let key = shape(&pair);
                let number = match numbers.get(&key) {
                    Some(number) => *number,
                    None => {
                        let generic = pairs.generic(&pair)?;
                        let symbols = symbols_of(pairs, &generic)?;
                        let args = symbols.iter().map(|s| (format!("v{}", s.number), s.sort)).collect();
                        predicates.push(Predicate { args });
                        names.push(places_in_words(&generic, pairs.systems()));
                        numbers.insert(key, open.len());
                        open.push(generic);
                        open.len() - 1
                    }
                };
                let args = matched(pairs, &open[number], &pair)?;
                let then = Some(Applied { predicate: number, args });
                clauses.push(clause(pairs, from, &open, &branch, then)?);
            }
            for branch in wrong {
                clauses.push(clause(pairs, from, &open, &branch, None)?);
            }
        }
        let is_too_much = open.len() > MAX_SHAPES || clauses.len() > MAX_CLAUSES || limits.used_up().is_some();
        if !pairs.world.gaps.is_empty() || is_too_much {
            return None;
        }
        if at == open.len() {
            break;
        }
        let generic = open[at].clone();
        todo.push((Some(at), pairs.successors(Some(&generic))));
        at += 1;
    }
    match solver.satisfy(&pairs.world.terms, &predicates, &clauses, EFFORT) {
        Meaning::Found(formulas) => {
            Some(names.into_iter().zip(formulas).map(|(name, formula)| format!("{name}: {formula}")).collect())
        }
        Meaning::None | Meaning::Unknown(_) => None,
    }
}

/// The symbols of a pair in which every value is open; none if some values are structures of open size.
fn symbols_of(pairs: &mut Pairs, pair: &Pair) -> Option<Vec<Symbol>> {
    let mut out: Vec<Symbol> = vec![];
    for term in pair.terms() {
        pairs.world.terms.each_symbol(term, &mut |symbol| {
            if !out.contains(&symbol) {
                out.push(symbol);
            }
        });
    }
    out.sort_by_key(|symbol| symbol.number);
    (out.iter().all(|symbol| symbol.sort != Sort::Structure)).then_some(out)
}

/// What the symbols of an open pair are in another one of the same shape.
fn matched(pairs: &mut Pairs, generic: &Pair, pair: &Pair) -> Option<Vec<Term>> {
    let mut known: FxHashMap<Symbol, Term> = FxHashMap::default();
    for (pattern, term) in generic.terms().zip(pair.terms()) {
        fit(pairs, pattern, term, &mut known)?;
    }
    let symbols = symbols_of(pairs, generic)?;
    symbols.iter().map(|symbol| known.get(symbol).copied()).collect()
}

/// Fits an open value to a term.
fn fit(pairs: &mut Pairs, pattern: Term, term: Term, known: &mut FxHashMap<Symbol, Term>) -> Option<()> {
    let terms = &mut pairs.world.terms;
    match terms.node(pattern).clone() {
        Node::Symbol(symbol) if terms.sort(term) == symbol.sort => {
            known.insert(symbol, term);
            Some(())
        }
        Node::Const(_) if pattern == term => Some(()),
        // A message: whether it is there, and what it says.
        Node::If(c, value, absent) => {
            let Node::Symbol(present) = terms.node(c).clone() else { return None };
            terms.value(absent)?;
            let definitions = pairs.world.definitions;
            let mut symbolic = crate::term::Symbolic::new(&mut pairs.world.terms, definitions, &[]);
            let is_present = symbolic.is_present(term);
            let said = symbolic.present(term);
            known.insert(present, is_present);
            match said {
                Some(said) => fit(pairs, value, said, known),
                // Nothing is said; any value will do.
                None => fit(pairs, value, value, known),
            }
        }
        Node::Data(id, constructor, args) => {
            let (other_id, other, values) = terms.as_data(term)?;
            if (id, constructor) != (other_id, other) {
                return None;
            }
            for (arg, value) in args.into_iter().zip(values) {
                fit(pairs, arg, value, known)?;
            }
            Some(())
        }
        _ => None,
    }
}

/// A clause from an open pair, or from the beginning.
fn clause(
    pairs: &mut Pairs,
    from: Option<usize>,
    open: &[Pair],
    branch: &Branch,
    then: Option<Applied>,
) -> Option<Clause> {
    let when = match from {
        None => None,
        Some(number) => {
            let symbols = symbols_of(pairs, &open[number])?;
            let terms = &mut pairs.world.terms;
            let args = symbols.into_iter().map(|symbol| {
                let term = terms.symbol(symbol);
                branch.store.apply(terms, term)
            });
            Some(Applied { predicate: number, args: args.collect() })
        }
    };
    let terms = &mut pairs.world.terms;
    let mut conditions: Vec<Term> = branch.store.residual.iter().copied().collect();
    for (number, range) in branch.store.ranges.iter().enumerate() {
        if !branch.store.is_solved(number as u32) {
            let symbol = terms.symbol(Symbol { number: number as u32, sort: range.sort() });
            conditions.extend(range.conditions(terms, symbol));
        }
    }
    if conditions.iter().any(|condition| terms.has_quantifier(*condition)) {
        return None;
    }
    Some(Clause { when, conditions, then })
}
