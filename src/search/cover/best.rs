//! The best result that can be had for some effort, and how good it is known to be.
//!
//! First bounds, then a run that meets them exactly, if there is one; otherwise some result, better ones, and at last the search
//! that ends with a certificate.

use super::ahead::{Ahead, Bounds, ControlTables, ControlView, Counted, MAX_ENTRIES, Table};
use super::beam::Beam;
use super::distances::Distances;
use super::dive::{Dived, dive};
use super::exact::{Exact, Searched};
use super::graph::{Graph, Steps};
use super::greedy::Greedy;
use super::implied::without_implied;
use super::prices::Prices;
use super::reachable::Reachable;
use super::sets::{ItemSet, SetId};
use super::{Found, Shape, steps_of};
use crate::search::levels::Path;
use crate::search::limits::Limits;

/// Effort for fewer runs with as few steps, where these are known to be the fewest: what was asked for is found by then.
const FOR_FEWER: usize = 20_000;
/// Steps that are tried on the way straight to an end.
const DIVE: usize = 400_000;
/// The share of the work that may be spent on that.
const DIVE_SHARE: usize = 4;
/// Nodes that are looked at for one item, where not everything is known.
const GREEDY: usize = 50_000;
/// How many states are kept side by side, one after the other.
const WIDTHS: [usize; 3] = [100, 1_000, 10_000];
/// States kept side by side, altogether, for each state that may be visited.
const BEAM_SHARE: usize = 4;
/// So many edges of a state take as long as the state.
const EDGES_FOR_ONE: usize = 4;
/// Most items of the table of loops.
const MAX_LOOPS: usize = 8;
/// Most entries of the distances of all items.
const MAX_DISTANCES: usize = 1 << 24;

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Wish<'a> {
    /// What may be used.
    pub shape: Shape,
    /// What is to be covered.
    pub wanted: &'a ItemSet,
    /// Most steps altogether.
    pub most: Option<usize>,
    /// States that may be visited, where that takes much.
    pub effort: usize,
    /// What each of the searches may spend on nodes that were not expanded before.
    pub work: usize,
    /// What ends the making of bounds.
    pub limits: Limits,
}

/// Hears how far a search is, and says whether it may go on: steps, states to look at, states visited.
pub type GoOn<'a> = &'a mut dyn FnMut(usize, usize, usize) -> bool;

/// The best result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Best {
    /// Runs that cover everything; none if nothing was found.
    pub found: Option<Found>,
    /// No result has fewer steps.
    pub lower_bound: usize,
    /// Whether there is none better: with fewer steps, or where runs are to be few, with fewer runs.
    pub is_optimal: bool,
    /// Whether everything was looked at.
    pub is_exhausted: bool,
    /// Items that no run covers, if that is why there is no result.
    pub impossible: ItemSet,
    /// States that were visited.
    pub states: usize,
}

/// Looks for the best result in a graph; `by_control` makes tables for the items that are really looked for.
pub fn best<S: Steps + ControlView>(
    graph: &mut Graph<S>,
    wish: Wish<'_>,
    by_control: &mut dyn FnMut(&ItemSet) -> Vec<ControlTables>,
    go_on: GoOn<'_>,
) -> Best {
    // What no step and no end covers cannot be covered.
    if graph.is_complete() {
        let impossible = wish.wanted.minus(&graph.seen());
        if !impossible.is_empty() {
            return Best { is_exhausted: true, lower_bound: usize::MAX, impossible, ..Best::default() };
        }
    }
    let wanted = without_implied(graph, wish.wanted);
    let wish = Wish { wanted: &wanted, ..wish };
    let bounds = bounds(graph, &wish, by_control(&wanted));
    Searching { graph, wish, bounds, go_on, best: Best::default() }.run()
}

/// Steps that all runs of any result have at least, however many runs these are: by the graph, where everything is known of it and its
/// ends may be trusted, and by control.
pub fn least_steps<S: Steps + ControlView>(
    graph: &mut Graph<S>,
    wanted: &ItemSet,
    by_control: Vec<ControlTables>,
    trusts_graph: bool,
    limits: &Limits,
) -> usize {
    let mut bounds = Bounds { by_control, ..Bounds::default() };
    if trusts_graph && graph.is_complete() {
        let items: Vec<usize> = wanted.iter().collect();
        bounds.prices = Prices::new(graph, &items, wanted, true, limits);
    }
    let nothing = vec![0; wanted.len().div_ceil(64).max(1)];
    let starts = graph.starts().to_vec();
    let of_starts = starts.iter().filter_map(|start| bounds.left(graph, *start, &nothing));
    of_starts.min().map_or(0, |least| least as usize)
}

struct Searching<'a, 'g, S> {
    graph: &'g mut Graph<S>,
    wish: Wish<'a>,
    bounds: Bounds,
    go_on: GoOn<'a>,
    best: Best,
}

impl<S: Steps + ControlView> Searching<'_, '_, S> {
    fn run(mut self) -> Best {
        let Some(lower) = self.lower_bound() else {
            return Best { is_exhausted: true, lower_bound: usize::MAX, ..self.best };
        };
        self.best.lower_bound = lower;
        if self.wish.shape == Shape::One {
            self.dive();
        }
        if !self.is_done() {
            self.greedy();
        }
        if !self.is_done() {
            self.beam();
        }
        if !self.is_done() {
            self.exact(self.wish.effort);
        } else if self.may_be_fewer() {
            self.exact(self.wish.effort.min(FOR_FEWER));
        }
        self.best
    }

    /// Whether what has as few steps as can be may have as many with fewer runs.
    fn may_be_fewer(&self) -> bool {
        let runs = self.best.found.as_ref().map_or(0, Vec::len);
        self.wish.shape == Shape::Steps && self.best.is_optimal && runs > 1
    }

    fn is_done(&self) -> bool {
        let is_too_long = self.wish.most.is_some_and(|most| self.best.lower_bound > most);
        self.best.is_optimal || self.best.is_exhausted || is_too_long
    }

    /// What the cheapest beginning costs at least; none if there is no way to an end.
    fn lower_bound(&mut self) -> Option<usize> {
        let nothing = vec![0; self.wish.wanted.len().div_ceil(64).max(1)];
        let starts = self.graph.starts().to_vec();
        let of_starts = starts.iter().map(|start| self.bounds.left(self.graph, *start, &nothing));
        let least = of_starts.flatten().min();
        // With several runs, what one of them cannot do another one can.
        let unknown = (self.wish.shape != Shape::One).then_some(0);
        least.or(unknown).map(|least| least as usize)
    }

    /// Keeps a result that is better than what there was.
    fn keep(&mut self, found: Found) {
        let found = needed(self.graph, found, self.wish.wanted);
        let size = |found: &Found| match self.wish.shape {
            Shape::One | Shape::Steps => (steps_of(found), found.len()),
            Shape::Fewest => (found.len(), steps_of(found)),
        };
        if self.best.found.as_ref().is_none_or(|old| size(&found) < size(old)) {
            let is_one = found.len() <= 1;
            let is_least = steps_of(&found) <= self.best.lower_bound;
            self.best.is_optimal |= is_least && (is_one || self.wish.shape == Shape::Steps);
            self.best.found = Some(found);
        }
    }

    /// As long as it costs little: is there a run that is as short as the bound?
    fn dive(&mut self) {
        let mut work = DIVE.min(self.wish.effort);
        self.graph.allow(self.wish.work / DIVE_SHARE);
        while !self.is_done() {
            let limit = self.best.lower_bound;
            match dive(self.graph, self.wish.wanted, limit, &mut self.bounds, &mut work) {
                Dived::Found(path) => {
                    self.keep(vec![path]);
                    return;
                }
                Dived::None => self.best.lower_bound += 1,
                Dived::Nowhere => self.best.is_exhausted = true,
                Dived::Unknown => return,
            }
            if !(self.go_on)(limit, 0, 0) {
                return;
            }
        }
    }

    fn greedy(&mut self) {
        self.graph.allow(self.wish.work);
        let is_complete = self.graph.is_complete();
        let reachable = is_complete.then(|| Reachable::new(self.graph));
        let go_on = &mut self.go_on;
        let greedy = Greedy {
            shape: self.wish.shape,
            wanted: self.wish.wanted,
            reachable: reachable.as_ref(),
            most: if is_complete { usize::MAX } else { GREEDY },
            go_on: &mut || go_on(0, 0, 0),
        };
        if let Some(found) = greedy.run(self.graph)
            && self.wish.most.is_none_or(|most| steps_of(&found) <= most)
        {
            self.keep(found);
        }
    }

    fn beam(&mut self) {
        if self.best.found.is_none() {
            return;
        }
        self.graph.allow(self.wish.work);
        let entries = self.graph.len().saturating_mul(self.wish.wanted.len());
        let is_known = self.graph.is_complete() && entries <= MAX_DISTANCES;
        let distances = is_known.then(|| Distances::new(self.graph, self.wish.wanted));
        let fan = (self.graph.known_edges().len() / self.graph.len().max(1) / EDGES_FOR_ONE).max(1);
        for width in WIDTHS {
            let Some(found) = &self.best.found else { return };
            let below = steps_of(found);
            let states = width.saturating_mul(below).saturating_mul(fan);
            if self.is_done() || states > self.wish.effort.saturating_mul(BEAM_SHARE) {
                return;
            }
            let go_on = &mut self.go_on;
            let beam = Beam {
                // Where several runs are needed, few steps may need few of them.
                shape: match (self.wish.shape, found.len()) {
                    (Shape::Fewest, 1) => Shape::One,
                    (Shape::Fewest, _) => Shape::Steps,
                    (shape, _) => shape,
                },
                wanted: self.wish.wanted,
                width,
                bounds: &mut self.bounds,
                distances: distances.as_ref(),
                below,
                go_on: &mut |steps| go_on(steps, width, 0),
            };
            if let Some(found) = beam.run(self.graph) {
                self.keep(found);
            }
        }
    }

    fn exact(&mut self, effort: usize) {
        let most = match &self.best.found {
            // With fewer runs more steps may be needed.
            Some(found) if self.wish.shape != Shape::Fewest || found.len() == 1 => Some(steps_of(found)),
            _ => self.wish.most,
        };
        self.graph.allow(self.wish.work);
        let go_on = &mut self.go_on;
        let mut states = 0;
        let exact = Exact {
            shape: self.wish.shape,
            wanted: self.wish.wanted,
            most,
            effort,
            ahead: &mut self.bounds,
            go_on: &mut |steps, open, visited| {
                states = visited;
                go_on(steps, open, visited)
            },
        };
        let searched = exact.run(self.graph);
        self.best.states = states;
        match searched {
            Searched::Found(found) => {
                let is_known = |old: &Found| self.best.is_optimal && old.len() <= found.len();
                if !self.best.found.as_ref().is_some_and(is_known) {
                    self.best.lower_bound = steps_of(&found);
                    self.best.is_optimal = true;
                    self.best.found = Some(found);
                }
            }
            Searched::None => self.best.is_exhausted = true,
            Searched::Cut(steps) if self.wish.shape != Shape::Fewest => {
                self.best.lower_bound = self.best.lower_bound.max(steps);
                let is_least = self.best.found.as_ref().is_some_and(|found| steps_of(found) <= self.best.lower_bound);
                self.best.is_optimal |= is_least;
            }
            Searched::Cut(_) => {}
        }
    }
}

/// Leaves out runs whose items others cover as well, the longest first; one stays.
fn needed<S: Steps>(graph: &mut Graph<S>, mut found: Found, wanted: &ItemSet) -> Found {
    let covers: Vec<ItemSet> = found.iter().map(|path| covered_by(graph, path)).collect();
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|place| std::cmp::Reverse(found[*place].steps.len()));
    let mut is_needed = vec![true; found.len()];
    for place in order {
        is_needed[place] = false;
        let others = covers.iter().zip(&is_needed).filter(|(_, is_needed)| **is_needed);
        let is_enough = others.fold(ItemSet::default(), |all, (covers, _)| all.union(covers)).includes(wanted);
        is_needed[place] = !is_enough || !is_needed.contains(&true);
    }
    let mut places = is_needed.into_iter();
    found.retain(|_| places.next().expect("one for each"));
    found
}

/// What a run covers, with its end.
fn covered_by<S: Steps>(graph: &mut Graph<S>, path: &Path) -> ItemSet {
    let (mut node, mut covered) = (path.start, ItemSet::default());
    for step in &path.steps {
        let place = graph.edges(node).find(|place| graph.step_of(*place) == *step).expect("a path of the graph");
        let edge = graph.edge(place);
        covered = covered.union(graph.sets.get(edge.marks));
        node = edge.target;
    }
    graph.ends(node).map_or(covered.clone(), |ends| covered.union(graph.sets.get(ends)))
}

/// What can be said of the way to an end.
fn bounds<S: Steps>(graph: &mut Graph<S>, wish: &Wish<'_>, by_control: Vec<ControlTables>) -> Bounds {
    let mut bounds = Bounds { by_control, ..Bounds::default() };
    if !graph.is_complete() {
        return bounds;
    }
    let restarts = wish.shape != Shape::One;
    let items: Vec<usize> = wish.wanted.iter().collect();
    bounds.prices = Prices::new(graph, &items, wish.wanted, restarts, &wish.limits);
    if bounds.prices.is_none() {
        bounds.loops = loops(graph, wish.wanted, restarts);
    }
    bounds
}

/// A table of the steps that change no control state, for items that only such steps cover.
fn loops<S: Steps>(graph: &mut Graph<S>, wanted: &ItemSet, restarts: bool) -> Option<Table> {
    let room = (MAX_ENTRIES / graph.len().max(1)).checked_ilog2()? as usize;
    // Items that some other step, or an end, covers as well.
    let mut others = vec![false; graph.sets.len()];
    for node in 0..graph.len() as u32 {
        let ends = graph.ends(node);
        others.resize(graph.sets.len(), false);
        others[ends.unwrap_or(SetId::EMPTY).0 as usize] = true;
        for place in graph.edges(node) {
            let edge = graph.edge(place);
            if !graph.steps.keeps_control(node, edge.target) {
                others[edge.marks.0 as usize] = true;
            }
        }
    }
    let mut elsewhere = ItemSet::default();
    for (number, _) in others.iter().enumerate().filter(|(_, is_other)| **is_other) {
        elsewhere = elsewhere.union(graph.sets.get(SetId(number as u32)));
    }
    let mut items: Vec<usize> = wanted.minus(&elsewhere).iter().collect();
    if items.is_empty() {
        return None;
    }
    // The farthest say most.
    if items.len() > room.min(MAX_LOOPS) {
        let distances = Distances::new(graph, &items.iter().copied().collect());
        let starts = graph.starts().to_vec();
        let far = |number: usize| starts.iter().filter_map(|start| distances.to(number, *start)).min();
        let mut by_distance: Vec<(Option<u32>, usize)> =
            items.iter().enumerate().map(|(number, item)| (far(number), *item)).collect();
        by_distance.sort_unstable_by(|a, b| b.cmp(a));
        items = by_distance.into_iter().take(room.min(MAX_LOOPS)).map(|(_, item)| item).collect();
        items.sort_unstable();
    }
    let number = |item: &usize| wanted.iter().position(|other| other == *item).expect("loops are of wanted items");
    let numbers = items.iter().map(number).collect();
    Some(Table::new(graph, &items, numbers, Counted::Loops, restarts))
}
