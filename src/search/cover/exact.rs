//! Shortest results, level by level.
//!
//! States are visited in the order of what they cost, so that the first that covers everything costs least. Those from which
//! even the least that is left to do would cost more than is allowed are left out. With one run, states of equal cost stand in
//! the order of the paths to them: the result is the least in the order of transitions among the shortest. How a state was
//! reached is not stored: the levels are kept, and the way back is found by looking for it.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::ahead::Ahead;
use super::graph::{Graph, Steps};
use super::product::{Dense, Numbering, Product, Sparse};
use super::sets::ItemSet;
use super::{Found, Shape};
use crate::search::levels::Path;

/// What a search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Searched {
    /// A least result.
    Found(Found),
    /// There is none that costs no more than is allowed.
    None,
    /// It was cut off; no result has fewer steps than this.
    Cut(usize),
}

/// A search for the least result.
pub struct Exact<'a, S> {
    /// What may be used.
    pub shape: Shape,
    /// What is to be covered.
    pub wanted: &'a ItemSet,
    /// Most steps altogether.
    pub most: Option<usize>,
    /// Most states, where sets of items have to be stored.
    pub effort: usize,
    /// What is left to do at least.
    pub ahead: &'a mut dyn Ahead<S>,
    /// Asked now and then, with the steps of the states that are looked at, how many of these there are, and how many states
    /// were visited; the search ends when it says no.
    pub go_on: &'a mut dyn FnMut(usize, usize, usize) -> bool,
}

/// Edges between two questions whether to go on.
const ASK_EVERY: usize = 32_768;
/// So many items take as long as a state with none.
const ITEMS_FOR_ONE: usize = 16;
/// So many edges take as long as a state.
const EDGES_FOR_ONE: usize = 16;

impl<S: Steps> Exact<'_, S> {
    /// Searches a graph.
    pub fn run(self, graph: &mut Graph<S>) -> Searched {
        let numbering = Numbering { items: self.wanted.iter().collect() };
        match Dense::new(graph, &numbering) {
            Some(product) => Search::new(self, graph, product).run(),
            None => Search::new(self, graph, Sparse::new(numbering)).run(),
        }
    }
}

/// Runs that ended before, and steps altogether.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cost {
    runs: u32,
    steps: u32,
}

impl Shape {
    /// What is made small, first and second.
    fn order(self, cost: Cost) -> Order {
        match self {
            Shape::One | Shape::Fewest => (cost.runs, cost.steps),
            Shape::Steps => (cost.steps, cost.runs),
        }
    }

    fn cost(self, (first, second): Order) -> Cost {
        match self {
            Shape::One | Shape::Fewest => Cost { runs: first, steps: second },
            Shape::Steps => Cost { runs: second, steps: first },
        }
    }
}

/// States of one cost.
struct Level<T> {
    /// Reached by a step: visited.
    stepped: Vec<T>,
    /// New runs: they may turn out to have been visited.
    begun: Vec<T>,
}

impl<T> Default for Level<T> {
    fn default() -> Level<T> {
        Level { stepped: vec![], begun: vec![] }
    }
}

/// What is made small, first and second.
type Order = (u32, u32);

/// A level that was looked at.
type Closed<T> = (Order, Vec<T>);

struct Search<'a, 'g, S, P: Product> {
    asked: Exact<'a, S>,
    graph: &'g mut Graph<S>,
    product: P,
    open: BTreeMap<Order, Level<P::State>>,
    /// Levels that were looked at, in order.
    closed: Vec<Closed<P::State>>,
    /// The least cost at which a new run was begun, by what was covered.
    begun: FxHashMap<u32, Order>,
    /// What steps back to where runs begin cost: these states are visited before their level is looked at, and a new run may
    /// be there for less.
    returned: FxHashMap<P::State, Order>,
    /// The best end so far.
    best: Option<(Order, P::State)>,
}

impl<'a, 'g, S: Steps, P: Product> Search<'a, 'g, S, P> {
    fn new(asked: Exact<'a, S>, graph: &'g mut Graph<S>, product: P) -> Self {
        let (open, begun, returned) = (BTreeMap::new(), FxHashMap::default(), FxHashMap::default());
        Search { asked, graph, product, open, closed: vec![], begun, returned, best: None }
    }

    fn run(mut self) -> Searched {
        let shape = self.asked.shape;
        let first = shape.order(Cost { runs: 0, steps: 0 });
        for node in self.graph.starts().to_vec() {
            let state = self.product.pack(node, 0);
            if self.product.visit(state) {
                self.reach(state, first);
            }
        }
        // More items take longer.
        let ask_every = ASK_EVERY / (1 + self.asked.wanted.len() / ITEMS_FOR_ONE);
        let (mut looked_at, mut ask_at) = (0, ask_every);
        while let Some((key, level)) = self.open.pop_first() {
            if self.best.is_some_and(|(best, _)| best <= key) {
                break;
            }
            let cost = shape.cost(key);
            let mut states = level.stepped;
            for state in level.begun {
                let is_nearer = self.returned.get(&state).is_some_and(|known| key < *known);
                if self.product.visit(state) || is_nearer {
                    self.end(state, key);
                    states.push(state);
                }
            }
            if self.best.is_some_and(|(best, _)| best <= key) {
                self.closed.push((key, states));
                break;
            }
            for (place, state) in states.iter().enumerate() {
                looked_at += 1 + self.graph.edges(self.product.unpack(*state).0).len();
                if looked_at >= ask_at {
                    ask_at = looked_at + ask_every;
                    let visited = self.product.visited();
                    let work = visited.max(looked_at / EDGES_FOR_ONE);
                    let is_enough = work / P::FOR_ONE > self.asked.effort;
                    if is_enough || !(self.asked.go_on)(cost.steps as usize, states.len(), visited) {
                        return Searched::Cut(cost.steps as usize + 1);
                    }
                }
                self.leave(*state, cost);
                if self.graph.is_cut() {
                    return Searched::Cut(cost.steps as usize + 1);
                }
                // With one run nothing that comes later is better.
                if shape == Shape::One && self.best.is_some() {
                    states.truncate(place + 1);
                    break;
                }
            }
            self.closed.push((key, states));
        }
        match self.best {
            Some((key, state)) => Searched::Found(self.way_back(key, state)),
            None => Searched::None,
        }
    }

    /// Notes a state that was visited for the first time.
    fn reach(&mut self, state: P::State, key: Order) {
        let cost = self.asked.shape.cost(key);
        let (node, covered) = self.product.unpack(state);
        let words = self.product.words(covered);
        let Some(left) = self.asked.ahead.left(self.graph, node, words) else { return };
        if self.asked.most.is_some_and(|most| cost.steps as usize + left as usize > most) {
            return;
        }
        if self.asked.shape == Shape::One {
            let failed = self.graph.failed(node);
            let others = self.product.with(covered, failed, &self.graph.sets);
            if others != covered {
                return;
            }
        }
        self.end(state, key);
        self.open.entry(key).or_default().stepped.push(state);
    }

    /// Notes that everything is covered if the last run ends in a state.
    fn end(&mut self, state: P::State, key: Order) {
        let (node, covered) = self.product.unpack(state);
        if let Some(ends) = self.graph.ends(node) {
            let at_end = self.product.with(covered, ends, &self.graph.sets);
            if self.product.is_all(at_end) && self.best.is_none_or(|(best, _)| key < best) {
                self.best = Some((key, state));
            }
        }
    }

    /// All that can follow a state.
    fn leave(&mut self, state: P::State, cost: Cost) {
        let shape = self.asked.shape;
        let (node, covered) = self.product.unpack(state);
        let key = shape.order(Cost { steps: cost.steps + 1, ..cost });
        for place in self.graph.edges(node) {
            let edge = self.graph.edge(place);
            let next = self.product.with(covered, edge.marks, &self.graph.sets);
            let next = self.product.pack(edge.target, next);
            if self.product.visit(next) {
                if shape == Shape::Steps && self.graph.starts().contains(&edge.target) {
                    self.returned.insert(next, key);
                }
                self.reach(next, key);
                if shape == Shape::One && self.best.is_some() {
                    return;
                }
            }
        }
        if shape != Shape::One
            && let Some(ends) = self.graph.ends(node)
        {
            let at_end = self.product.with(covered, ends, &self.graph.sets);
            let key = shape.order(Cost { runs: cost.runs + 1, ..cost });
            if at_end != 0 && self.begun.get(&at_end).is_none_or(|known| key < *known) {
                self.begun.insert(at_end, key);
                let starts: Vec<u32> = self.graph.starts().to_vec();
                let begun = starts.into_iter().map(|start| self.product.pack(start, at_end));
                self.open.entry(key).or_default().begun.extend(begun);
            }
        }
    }

    /// The paths to a state.
    fn way_back(mut self, key: Order, state: P::State) -> Found {
        let shape = self.asked.shape;
        let mut paths = vec![];
        let (mut cost, mut at) = (shape.cost(key), state);
        let mut steps = vec![];
        loop {
            if let Some((before, step)) = self.step_to(cost, at) {
                steps.push(step);
                (cost.steps, at) = (cost.steps - 1, before);
                continue;
            }
            let (node, covered) = self.product.unpack(at);
            steps.reverse();
            paths.push(Path { start: node, steps: std::mem::take(&mut steps) });
            match self.end_before(cost, covered) {
                Some(before) => (cost.runs, at) = (cost.runs - 1, before),
                None => break,
            }
        }
        paths.reverse();
        paths
    }

    fn level(&self, cost: Cost) -> usize {
        let key = self.asked.shape.order(cost);
        self.closed.binary_search_by_key(&key, |(key, _)| *key).unwrap_or(usize::MAX)
    }

    /// The first state of the level before with a step to a state, and the number of that step.
    fn step_to(&mut self, cost: Cost, state: P::State) -> Option<(P::State, u32)> {
        let level = self.level(Cost { steps: cost.steps.checked_sub(1)?, ..cost });
        let (node, covered) = self.product.unpack(state);
        for place in 0..self.closed.get(level)?.1.len() {
            let before = self.closed[level].1[place];
            let (from, earlier) = self.product.unpack(before);
            for place in self.graph.edges(from) {
                let edge = self.graph.edge(place);
                if edge.target == node && self.product.with(earlier, edge.marks, &self.graph.sets) == covered {
                    return Some((before, self.graph.step_of(place)));
                }
            }
        }
        None
    }

    /// The first state in which a run of the same cost can end with these items covered.
    fn end_before(&mut self, cost: Cost, covered: u32) -> Option<P::State> {
        let level = self.level(Cost { runs: cost.runs.checked_sub(1)?, ..cost });
        for place in 0..self.closed.get(level)?.1.len() {
            let before = self.closed[level].1[place];
            let (node, earlier) = self.product.unpack(before);
            if let Some(ends) = self.graph.ends(node)
                && self.product.with(earlier, ends, &self.graph.sets) == covered
            {
                return Some(before);
            }
        }
        None
    }
}
