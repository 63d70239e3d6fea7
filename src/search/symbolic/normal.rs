//! The normal form of a state: what no longer matters is let go, and symbols are numbered by their first occurrence.
//!
//! What is let go is kept beside it, as a [`Passage`], from which a path gets its data back (see `recover`).

use rustc_hash::FxHashMap;

use super::{Branch, forget, project};
use crate::term::{Range, Symbol, Term, Terms, Value};

/// What matters of a branch.
#[derive(Clone, Debug)]
pub(crate) struct Normal {
    /// The terms that matter.
    pub roots: Vec<Term>,
    /// Ranges of their symbols.
    pub ranges: Vec<Range>,
    /// What ranges cannot express.
    pub residual: Vec<Term>,
    /// Values of the symbols that are known to work.
    pub witness: Vec<Value>,
    /// How the symbols came about.
    pub passage: Passage,
}

/// How data passes from one state to the next. Its terms are over the symbols of the later state and, numbered after
/// these, the symbols that are let go in between.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passage {
    /// Data of the step.
    pub data: Vec<Term>,
    /// What has become of the symbols of the earlier state.
    pub carried: Vec<Term>,
    /// Ranges of the symbols let go.
    pub released: Vec<Range>,
    /// Conditions on them, and what ties them to numbers that stay.
    pub released_residual: Vec<Term>,
}

/// The normal form of a branch of which only some terms matter. The first `carried` symbols are those of the state it came
/// from.
pub(crate) fn normal(terms: &mut Terms, branch: &Branch, roots: &[Term], data: &[Term], carried: usize) -> Normal {
    let applied_roots: Vec<Term> = roots.iter().map(|root| branch.store.apply(terms, *root)).collect();
    let forgotten = forget::forget_sums(terms, branch, &applied_roots);
    let (branch, mut ties) = forgotten.as_ref().map_or((branch, vec![]), |(branch, ties)| (branch, ties.clone()));
    let projected = project::project(terms, branch, &applied_roots);
    let branch = projected.as_ref().map_or(branch, |(branch, _)| branch);
    ties.extend(projected.iter().flat_map(|(_, was)| was));
    let store = &branch.store;
    let mut applied = FxHashMap::default();
    let roots: Vec<Term> = roots.iter().map(|root| store.apply_with(terms, *root, &mut applied)).collect();
    // Symbols in the order of their first occurrence, then those that conditions tie to them.
    let mut order: Vec<u32> = vec![];
    let mut place: Vec<Option<u32>> = vec![None; store.ranges.len()];
    for root in &roots {
        terms.each_symbol(*root, &mut |symbol| {
            let place = &mut place[symbol.number as usize];
            if place.is_none() {
                *place = Some(order.len() as u32);
                order.push(symbol.number);
            }
        });
    }
    let mut residual = vec![];
    let mut rest: Vec<Term> = store.residual.iter().copied().collect();
    loop {
        let (tied, free): (Vec<Term>, Vec<Term>) = rest.iter().partition(|term| {
            let mut tied = false;
            terms.each_symbol(**term, &mut |symbol| tied |= place[symbol.number as usize].is_some());
            tied
        });
        if tied.is_empty() {
            break;
        }
        for term in tied {
            terms.each_symbol(term, &mut |symbol| {
                if place[symbol.number as usize].is_none() {
                    place[symbol.number as usize] = Some(order.len() as u32);
                    order.push(symbol.number);
                }
            });
            residual.push(term);
        }
        rest = free;
    }
    rest.extend(ties.iter().map(|term| store.apply_with(terms, *term, &mut applied)));
    // What is let go comes after what stays.
    let kept = order.len();
    for number in 0..store.ranges.len() as u32 {
        if place[number as usize].is_none() && !store.is_solved(number) {
            place[number as usize] = Some(order.len() as u32);
            order.push(number);
        }
    }
    let replaced: Vec<Option<Term>> = (place.iter().zip(&store.ranges))
        .map(|(place, range)| place.map(|number| terms.symbol(Symbol { number, sort: range.sort() })))
        .collect();
    let mut renamed = FxHashMap::default();
    let mut all = |terms: &mut Terms, list: &[Term]| -> Vec<Term> {
        let mut rename = |term: &Term| terms.substituted(*term, &|s| replaced[s.number as usize], &mut renamed);
        list.iter().map(&mut rename).collect()
    };
    let roots = all(terms, &roots);
    let mut residual = all(terms, &residual);
    residual.sort_unstable();
    let released_residual = all(terms, &rest);
    let data: Vec<Term> = data.iter().map(|term| store.apply_with(terms, *term, &mut applied)).collect();
    let data = all(terms, &data);
    let sources: Vec<Term> = (0..carried as u32)
        .map(|number| {
            let sort = store.ranges[number as usize].sort();
            let symbol = terms.symbol(Symbol { number, sort });
            store.apply_with(terms, symbol, &mut applied)
        })
        .collect();
    let carried = all(terms, &sources);
    let range = |number: &u32| store.ranges[*number as usize].clone();
    let released = order[kept..].iter().map(range).collect();
    Normal {
        roots,
        ranges: order[..kept].iter().map(range).collect(),
        residual,
        witness: order[..kept].iter().map(|number| branch.witness[*number as usize].clone()).collect(),
        passage: Passage { data, carried, released, released_residual },
    }
}
