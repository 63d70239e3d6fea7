//! From a path through symbolic states back to its data.
//!
//! The path is walked backwards. Each edge says what has become of the symbols of its source, and which symbols it lets
//! go; so the data of all steps is expressed in terms of the symbols that were let go somewhere, or were left at the end,
//! and one store says all that is known of them.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::oracle::{works, works_if_solved};
use super::{Fired, OpenSpace, Oracle, Passage};
use crate::search::levels::Path;
use crate::term::{Range, Store, Term, Terms, Value};

/// The data of a path, as far as it is decided.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// Initial values of the open variables, then values that exist once for the run.
    pub opened: Vec<Term>,
    /// The steps.
    pub steps: Vec<OpenStep>,
    /// Data of all steps, in one list because there are so many of them.
    data: Vec<Term>,
    /// What is known of the symbols.
    pub store: Store,
}

/// A step of a path.
#[derive(Clone, Debug)]
pub struct OpenStep {
    /// The joint of the model.
    pub joint: usize,
    /// What fired.
    pub fired: Rc<Fired>,
    /// Places of its data.
    data: std::ops::Range<usize>,
}

impl Recovered {
    /// Data of the gate, or inputs and outputs, of a step.
    pub fn data(&self, step: &OpenStep) -> &[Term] {
        &self.data[step.data.clone()]
    }
}

/// How many symbols a step lets go, as a guess at the room they need.
const SYMBOLS_OF_A_STEP: usize = 2;

impl OpenSpace<'_> {
    /// Where terms are made.
    pub fn terms(&mut self) -> &mut Terms {
        &mut self.terms
    }

    /// What fires along a path.
    pub fn fired_along(&self, path: &Path) -> Vec<Rc<Fired>> {
        let mut at = path.start;
        let mut out = Vec::with_capacity(path.steps.len());
        for step in &path.steps {
            let edges = self.edges[at as usize].as_deref().expect("a path takes edges that were found");
            let edge = &edges[*step as usize];
            out.push(self.fired[edge.label as usize].clone());
            at = edge.target;
        }
        out
    }

    /// The data of a path that ends well; none if nobody can tell that it does.
    pub fn recover(&mut self, path: &Path) -> Option<Recovered> {
        let mut states = Vec::with_capacity(path.steps.len() + 1);
        states.push(path.start);
        for step in &path.steps {
            let edges = self.edges[states[states.len() - 1] as usize].as_ref()?;
            states.push(edges.get(*step as usize)?.target);
        }
        let last = *states.last()?;
        let mut store = Store::with_room_for(path.steps.len() * SYMBOLS_OF_A_STEP);
        let mut way = Way::default();
        way.meet(&mut self.terms, &mut store, &self.states[last as usize].ranges);
        let mut conditions = self.states[last as usize].residual.clone();
        // Items are covered by steps, or by ends whatever the data is.
        if !self.covers {
            conditions.push(self.end_condition(last)?);
        }
        way.assume(&mut self.terms, &mut store, &conditions);
        let mut steps = Vec::with_capacity(path.steps.len());
        for (state, step) in states.iter().zip(&path.steps).rev() {
            let edge = &self.edges[*state as usize].as_ref()?[*step as usize];
            let data = way.back_over(&mut self.terms, &edge.passage, &mut store);
            steps.push(OpenStep { joint: edge.joint, fired: self.fired[edge.label as usize].clone(), data });
        }
        steps.reverse();
        let start = self.starts.iter().find(|edge| edge.target == path.start)?;
        let opened = way.back_over(&mut self.terms, &start.passage, &mut store);
        let mut done = FxHashMap::default();
        let mut data = way.data;
        for term in &mut data {
            *term = store.apply_with(&mut self.terms, *term, &mut done);
        }
        let opened = data[opened].to_vec();
        Some(Recovered { opened, steps, data, store })
    }

    /// Values for the symbols of a path, among those that fit; none if none could be found.
    pub fn values(&mut self, store: &Store, prefer: &mut dyn FnMut(&Range) -> Value) -> Option<Vec<Value>> {
        fitting(&mut self.oracle, &mut self.terms, store, prefer)
    }

    /// The value of a term for values of its symbols.
    pub fn value_of(&mut self, term: Term, values: &[Value]) -> Option<Value> {
        self.terms.value_under(term, values)
    }
}

/// Values for the symbols of a store, preferred ones if they fit; none if none could be found.
pub(crate) fn fitting(
    oracle: &mut Oracle,
    terms: &mut Terms,
    store: &Store,
    prefer: &mut dyn FnMut(&Range) -> Value,
) -> Option<Vec<Value>> {
    match fit(oracle, terms, store, prefer) {
        Fit::Values(values) => Some(values),
        Fit::None | Fit::Unknown => None,
    }
}

/// Whether there are values for the symbols of a store.
pub(crate) enum Fit {
    /// These.
    Values(Vec<Value>),
    /// There are none.
    None,
    /// Nobody can tell.
    Unknown,
}

/// Values for the symbols of a store, preferred ones if they fit.
pub(crate) fn fit(
    oracle: &mut Oracle,
    terms: &mut Terms,
    store: &Store,
    prefer: &mut dyn FnMut(&Range) -> Value,
) -> Fit {
    let preferred: Vec<Value> = store.ranges.iter().map(&mut *prefer).collect();
    if works(terms, store, &preferred) {
        return Fit::Values(preferred);
    }
    let simple: Vec<Value> = store.ranges.iter().map(Range::simple).collect();
    if works(terms, store, &simple) {
        return Fit::Values(simple);
    }
    let solved = match oracle.solve(terms, store) {
        Some(Some(solved)) => solved,
        Some(None) => return Fit::Unknown,
        None => return Fit::None,
    };
    // What the conditions do not mention is free to be what is preferred.
    let values: Vec<Value> =
        solved.into_iter().zip(preferred).map(|(value, preferred)| value.unwrap_or(preferred)).collect();
    if works_if_solved(terms, store, &values) { Fit::Values(values) } else { Fit::Unknown }
}

/// A way back from the end of a path.
#[derive(Default)]
pub(crate) struct Way {
    /// Symbols of the state it has come to, in terms of the path.
    symbols: Vec<Term>,
    /// Data of all steps so far.
    pub data: Vec<Term>,
    /// Room for the next symbols, and for what was replaced already.
    next: Vec<Term>,
    done: FxHashMap<Term, Term>,
}

impl Way {
    /// Goes back over a step, from the symbols of its target to those of its source; where its data is.
    pub fn back_over(&mut self, terms: &mut Terms, passage: &Passage, store: &mut Store) -> std::ops::Range<usize> {
        self.meet(terms, store, &passage.released);
        self.assume(terms, store, &passage.released_residual);
        let Way { symbols, data, next, done } = self;
        done.clear();
        let mut in_path =
            |term: &Term| terms.substituted(*term, &|s| symbols.get(s.number as usize).copied(), &mut *done);
        let first = data.len();
        data.extend(passage.data.iter().map(&mut in_path));
        next.clear();
        next.extend(passage.carried.iter().map(&mut in_path));
        std::mem::swap(symbols, next);
        first..data.len()
    }

    /// Adds symbols with these ranges.
    pub fn meet(&mut self, terms: &mut Terms, store: &mut Store, ranges: &[Range]) {
        for range in ranges {
            let symbol = store.add(range.clone());
            self.symbols.push(terms.symbol(symbol));
        }
    }

    pub fn assume(&self, terms: &mut Terms, store: &mut Store, conditions: &[Term]) {
        for condition in conditions {
            let condition = terms.substitute(*condition, &|s| self.symbols.get(s.number as usize).copied());
            store.assume(terms, condition);
        }
    }
}
