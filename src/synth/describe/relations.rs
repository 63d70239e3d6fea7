//! Relations between open values, none of which follows from the others and the ranges.

use crate::search::{Fit, Oracle, fit, moved, works};
use crate::solve::Solver;
use crate::term::{Assumed, Node, Range, Store, Term, Terms, Value};

/// Most relations among which needless ones are looked for.
const MAX_COMPARED: usize = 120;
/// Most questions to the solver for one description.
const MAX_QUESTIONS: usize = 30;

/// Makes a solver.
pub(in crate::synth) type MakeSolver<'s> = &'s (dyn Fn() -> Box<dyn Solver> + Sync);

/// What is known beside the relations.
pub(super) struct Known<'k> {
    pub ranges: &'k [Range],
    /// Conditions that are said elsewhere, or that types ask for.
    pub conditions: &'k [Term],
    /// Values that are known to work, or nothing.
    pub witness: &'k [Value],
}

/// Leaves out relations that follow from the rest, the weakest first. What is too hard to tell stays.
pub(super) fn needed(terms: &mut Terms, relations: &[Term], known: &Known<'_>, solver: MakeSolver<'_>) -> Vec<Term> {
    let mut kept = relations.to_vec();
    if kept.len() > MAX_COMPARED {
        return kept;
    }
    let mut order = relations.to_vec();
    order.sort_by_key(|relation| std::cmp::Reverse(weakness(terms, *relation)));
    let mut doubtful = vec![];
    for relation in order {
        match follows(terms, relation, &kept, known) {
            Ok(true) => kept.retain(|other| *other != relation),
            Ok(false) => {}
            Err(open) => doubtful.push((relation, open)),
        }
    }
    if doubtful.is_empty() {
        return kept;
    }
    // A solver remembers what its thread has asked before; in one of its own nobody else is disturbed.
    let asked = std::thread::scope(|scope| {
        let terms = &mut *terms;
        let kept = kept.clone();
        scope.spawn(move || asked(terms, doubtful, kept, known, solver)).join()
    });
    asked.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The same with the help of a solver, for relations that ranges and known values do not decide.
fn asked(
    terms: &mut Terms,
    doubtful: Vec<(Term, Box<Store>)>,
    mut kept: Vec<Term>,
    known: &Known<'_>,
    solver: MakeSolver<'_>,
) -> Vec<Term> {
    let mut oracle = Oracle::new(solver());
    for (relation, mut open) in doubtful.into_iter().take(MAX_QUESTIONS) {
        // Something else may have been left out since.
        match follows(terms, relation, &kept, known) {
            Ok(true) => kept.retain(|other| *other != relation),
            Ok(false) => continue,
            Err(newer) => open = newer,
        }
        if matches!(fit(&mut oracle, terms, &open, &mut Range::simple), Fit::None) {
            kept.retain(|other| *other != relation);
        }
    }
    kept
}

/// How little a relation says: an exception less than a choice, that less than a comparison, that less than an equation.
fn weakness(terms: &Terms, relation: Term) -> u8 {
    match terms.node(relation) {
        Node::Not(inner) if matches!(terms.node(*inner), Node::IsZero(_) | Node::Same(..)) => 3,
        Node::Or(_) => 2,
        Node::IsZero(_) | Node::Same(..) => 0,
        _ => 1,
    }
}

/// Whether a relation follows from all others; where that is open, what would hold if it did not.
fn follows(terms: &mut Terms, relation: Term, all: &[Term], known: &Known<'_>) -> Result<bool, Box<Store>> {
    let mut store = Store::new(known.ranges.to_vec());
    let not = terms.not(relation);
    if store.assume(terms, not) == Assumed::Impossible {
        return Ok(true);
    }
    let others: Vec<Term> = all.iter().chain(known.conditions).copied().filter(|other| *other != relation).collect();
    for condition in related(terms, relation, others) {
        if store.assume(terms, condition) == Assumed::Impossible {
            return Ok(true);
        }
    }
    if store.residual.is_empty() {
        return Ok(false);
    }
    let near = |place: usize, range: &Range| match known.witness.get(place) {
        Some(value) if range.contains(value) => value.clone(),
        _ => range.simple(),
    };
    let values: Vec<Value> = store.ranges.iter().enumerate().map(|(place, range)| near(place, range)).collect();
    if works(terms, &store, &values) || moved(terms, &store, values).is_some() {
        return Ok(false);
    }
    Err(Box::new(store))
}

/// Conditions that have to do with a relation, directly or through others.
fn related(terms: &Terms, relation: Term, mut others: Vec<Term>) -> Vec<Term> {
    let (mut reached, mut out) = (terms.symbols(relation), vec![]);
    loop {
        let (near, far): (Vec<Term>, Vec<Term>) =
            others.into_iter().partition(|other| !terms.symbols(*other).is_disjoint(&reached));
        if near.is_empty() {
            return out;
        }
        near.iter().for_each(|other| reached.extend(terms.symbols(*other)));
        out.extend(near);
        others = far;
    }
}
