//! Straight to an end that is as near as the bound allows.
//!
//! If the lower bound is good, a run that never falls behind it is found without looking left or right, however long it is;
//! then it is a shortest one, and because steps are tried in their order, the least in the order of transitions. If there is
//! no such run, or it is not found soon, nothing is lost.

use rustc_hash::FxHashMap;

use super::ahead::Ahead;
use super::graph::{Graph, Steps};
use super::product::{Numbering, Product, Sparse};
use super::sets::ItemSet;
use crate::search::levels::Path;

/// What came of it.
pub enum Dived {
    /// A run of exactly as many steps as the bound.
    Found(Path),
    /// There is none with as few steps.
    None,
    /// There is none at all.
    Nowhere,
    /// It was not found soon.
    Unknown,
}

/// One run that covers everything with no more steps than given; `work` is how many steps may still be tried.
pub fn dive<S: Steps>(
    graph: &mut Graph<S>,
    wanted: &ItemSet,
    most: usize,
    ahead: &mut dyn Ahead<S>,
    work: &mut usize,
) -> Dived {
    let mut product = Sparse::new(Numbering { items: wanted.iter().collect() });
    // The least steps at which a state was left in vain.
    let mut left_at: FxHashMap<u64, usize> = FxHashMap::default();
    // Whether the number of steps ended some way.
    let mut is_cut = false;
    for start in graph.starts().to_vec() {
        // States on the way, with the edges that are still to be tried.
        let mut way: Vec<(u64, std::ops::Range<u32>)> = vec![];
        let mut steps: Vec<u32> = vec![];
        let mut next = Some(product.pack(start, 0));
        loop {
            if let Some(state) = next.take() {
                let (node, covered) = product.unpack(state);
                let taken = way.len();
                let left = ahead.left(graph, node, product.words(covered));
                let failed = graph.failed(node);
                let can_go_on = product.with(covered, failed, &graph.sets) == covered;
                let is_near = can_go_on && left.is_some_and(|left| taken + left as usize <= most);
                is_cut |= can_go_on && left.is_some() && !is_near;
                let is_new = left_at.get(&state).is_none_or(|earlier| taken < *earlier);
                if is_near && is_new {
                    let ends = graph.ends(node);
                    if ends.is_some_and(|ends| {
                        let at_end = product.with(covered, ends, &graph.sets);
                        product.is_all(at_end)
                    }) {
                        return Dived::Found(Path { start, steps });
                    }
                    left_at.insert(state, taken);
                    way.push((state, graph.edges(node)));
                    if graph.is_cut() {
                        return Dived::Unknown;
                    }
                } else {
                    steps.pop();
                }
            }
            let Some((state, edges)) = way.last_mut() else { break };
            let (_, covered) = product.unpack(*state);
            match edges.next() {
                Some(place) => {
                    *work = match work.checked_sub(1) {
                        Some(work) => work,
                        None => return Dived::Unknown,
                    };
                    let edge = graph.edge(place);
                    let covered = product.with(covered, edge.marks, &graph.sets);
                    steps.push(graph.step_of(place));
                    next = Some(product.pack(edge.target, covered));
                }
                None => {
                    way.pop();
                    steps.pop();
                }
            }
        }
    }
    if is_cut { Dived::None } else { Dived::Nowhere }
}
