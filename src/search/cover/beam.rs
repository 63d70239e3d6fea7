//! Many partial results side by side.
//!
//! Level by level, only the most promising states are kept: those that have covered most, and among these the ones with
//! something new near by. Finds better results than always going to the nearest item, and is not known to find the best.

use rustc_hash::FxHashSet;

use super::ahead::{Bounds, ControlView};
use super::distances::Distances;
use super::graph::{Graph, Steps};
use super::product::{Numbering, Product, Sparse};
use super::sets::ItemSet;
use super::{Found, Shape};
use crate::search::levels::Path;

/// A search for a good result.
pub struct Beam<'a> {
    /// What may be used.
    pub shape: Shape,
    /// What is to be covered.
    pub wanted: &'a ItemSet,
    /// How many states are kept.
    pub width: usize,
    /// What is known of the way to an end.
    pub bounds: &'a mut Bounds,
    /// How far items are, if that is known.
    pub distances: Option<&'a Distances>,
    /// Results with this many steps are of no use.
    pub below: usize,
    /// Asked for every level whether to go on.
    pub go_on: &'a mut dyn FnMut(usize) -> bool,
}

/// How a state was reached: from which one, and by which edge; none for a new run.
#[derive(Clone, Copy)]
struct Reached {
    state: u64,
    from: u32,
    step: Option<u32>,
}

/// What is left: by prices, in items, steps to the nearest and to the farthest of them.
type Score = (i64, u64, u32, u32);

impl Beam<'_> {
    /// Searches a graph; none if nothing better was found.
    pub fn run<S: Steps + ControlView>(mut self, graph: &mut Graph<S>) -> Option<Found> {
        let mut product = Sparse::new(Numbering { items: self.wanted.iter().collect() });
        let starts = graph.starts().to_vec();
        let first = |start: &u32| Reached { state: product.pack(*start, 0), from: u32::MAX, step: None };
        let mut levels: Vec<Vec<Reached>> = vec![starts.iter().map(first).collect()];
        let mut seen: FxHashSet<u64> = FxHashSet::default();
        for steps in 0..self.below {
            if !(self.go_on)(steps) {
                return None;
            }
            // Runs that end here may be followed by new ones.
            if self.shape != Shape::One {
                self.begin(graph, &mut product, &starts, &mut levels[steps], &mut seen);
            }
            for place in 0..levels[steps].len() {
                let (node, covered) = product.unpack(levels[steps][place].state);
                let Some(ends) = graph.ends(node) else { continue };
                let at_end = product.with(covered, ends, &graph.sets);
                if product.is_all(at_end) {
                    return Some(ways_to(&levels, steps, place, &product));
                }
            }
            let mut next: Vec<(Score, Reached)> = vec![];
            for (place, reached) in levels[steps].iter().enumerate() {
                let (node, covered) = product.unpack(reached.state);
                for edge_at in graph.edges(node) {
                    let edge = graph.edge(edge_at);
                    let covered = product.with(covered, edge.marks, &graph.sets);
                    let state = product.pack(edge.target, covered);
                    if !seen.insert(state) {
                        continue;
                    }
                    let Some(score) = self.score(graph, product.words(covered), edge.target, &starts) else {
                        continue;
                    };
                    next.push((score, Reached { state, from: place as u32, step: Some(graph.step_of(edge_at)) }));
                }
            }
            if next.is_empty() {
                return None;
            }
            if next.len() > self.width {
                next.select_nth_unstable_by_key(self.width - 1, |(score, reached)| {
                    (*score, reached.from, reached.step)
                });
                next.truncate(self.width);
            }
            next.sort_unstable_by_key(|(score, reached)| (*score, reached.from, reached.step));
            levels.push(next.into_iter().map(|(_, reached)| reached).collect());
        }
        None
    }

    fn begin<S: Steps>(
        &self,
        graph: &mut Graph<S>,
        product: &mut Sparse,
        starts: &[u32],
        level: &mut Vec<Reached>,
        seen: &mut FxHashSet<u64>,
    ) {
        for place in 0..level.len() {
            let (node, covered) = product.unpack(level[place].state);
            let Some(ends) = graph.ends(node) else { continue };
            let at_end = product.with(covered, ends, &graph.sets);
            for start in starts {
                let state = product.pack(*start, at_end);
                if at_end != 0 && seen.insert(state) {
                    level.push(Reached { state, from: place as u32, step: None });
                }
            }
        }
    }

    /// What is promising is small: little is left by prices, few items, the nearest of them near. None if something cannot be
    /// covered any more.
    fn score<S: Steps + ControlView>(
        &mut self,
        graph: &Graph<S>,
        covered: &[u64],
        node: u32,
        starts: &[u32],
    ) -> Option<Score> {
        let (mut left, mut nearest, mut farthest) = (0u64, u32::MAX, 0);
        for number in 0..self.wanted.len() {
            if covered[number / 64] >> (number % 64) & 1 == 1 {
                continue;
            }
            left += 1;
            let Some(distances) = self.distances else { continue };
            let distance = match (distances.to(number, node), self.shape) {
                (None, Shape::One) => return None,
                (None, _) => starts.iter().filter_map(|start| distances.to(number, *start)).min()?,
                (Some(here), _) => here,
            };
            nearest = nearest.min(distance);
            farthest = farthest.max(distance);
        }
        Some((self.bounds.priced(graph, node, covered), left, nearest, farthest))
    }
}

/// The paths to a state.
fn ways_to(levels: &[Vec<Reached>], mut level: usize, mut place: usize, product: &Sparse) -> Found {
    let mut paths = vec![];
    let mut steps = vec![];
    loop {
        let Reached { state, from, step } = levels[level][place];
        match step {
            Some(step) => {
                steps.push(step);
                level -= 1;
            }
            None => {
                steps.reverse();
                paths.push(Path { start: product.unpack(state).0, steps: std::mem::take(&mut steps) });
            }
        }
        if from == u32::MAX {
            break;
        }
        place = from as usize;
    }
    paths.reverse();
    paths
}
