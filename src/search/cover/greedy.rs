//! The nearest item first.
//!
//! From where a run is, the nearest step that covers something new is taken, and so on. Never far from the best, and never
//! known to be it. Where everything is known, no step is taken after which something could not be covered any more.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::graph::{Graph, Steps};
use super::reachable::Reachable;
use super::sets::ItemSet;
use super::{Found, Shape};
use crate::search::levels::Path;

/// A search for some result.
pub struct Greedy<'a> {
    /// What may be used.
    pub shape: Shape,
    /// What is to be covered.
    pub wanted: &'a ItemSet,
    /// What is within reach, if that is known.
    pub reachable: Option<&'a Reachable>,
    /// Most nodes looked at for one item.
    pub most: usize,
    /// Asked for every item whether to go on.
    pub go_on: &'a mut dyn FnMut() -> bool,
}

/// How each node was met: from which one, by which edge.
type Met = FxHashMap<u32, Option<(u32, u32)>>;

/// A way to something new.
struct Way {
    /// Numbers of the edges.
    steps: Vec<u32>,
    /// Where it leads.
    node: u32,
    /// What it covers on the way.
    covers: ItemSet,
    /// Whether a run covers something new by ending there.
    is_end: bool,
}

impl Greedy<'_> {
    /// Searches a graph; none if nothing was found.
    pub fn run<S: Steps>(mut self, graph: &mut Graph<S>) -> Option<Found> {
        let starts = graph.starts().to_vec();
        let mut left = self.wanted.clone();
        let mut paths: Found = vec![];
        while !left.is_empty() || paths.is_empty() {
            let (path, covered) = self.one_run(graph, &starts, &left)?;
            if !left.is_empty() && covered.intersection(&left).is_empty() {
                return None;
            }
            left = left.minus(&covered);
            paths.push(path);
            if self.shape == Shape::One {
                break;
            }
        }
        left.is_empty().then_some(paths)
    }

    /// Goes from item to item, from the start again where it cannot go on, for what it meets on the way: the graph knows it
    /// afterwards.
    pub fn wander<S: Steps>(self, graph: &mut Graph<S>) {
        let mut left = self.wanted.clone();
        loop {
            let before = left.len();
            let mut froms = graph.starts().to_vec();
            while let Some((_, way)) = self.nearest(graph, &froms, &left, true) {
                let ends = graph.ends(way.node).map(|ends| graph.sets.get(ends));
                left = left.minus(&ends.map_or(way.covers.clone(), |ends| way.covers.union(ends)));
                froms = vec![way.node];
                if left.is_empty() || graph.is_cut() || !(self.go_on)() {
                    return;
                }
            }
            if left.len() == before || graph.is_cut() || !(self.go_on)() {
                return;
            }
        }
    }

    /// A run that covers some of what is left, with what it covers.
    fn one_run<S: Steps>(&mut self, graph: &mut Graph<S>, starts: &[u32], left: &ItemSet) -> Option<(Path, ItemSet)> {
        let mut run: Option<(Path, u32)> = None;
        let mut covered = ItemSet::default();
        loop {
            if !(self.go_on)() {
                return None;
            }
            let open = left.minus(&covered);
            let froms = run.as_ref().map_or(starts.to_vec(), |(_, node)| vec![*node]);
            // An end covers what it covers only if the run does end there.
            if let Some((path, node)) = &run
                && let Some(ends) = graph.ends(*node)
                && graph.sets.get(ends).includes(&open)
            {
                return Some((path.clone(), covered.union(graph.sets.get(ends))));
            }
            // Where runs are to be few, a run ends only where it has nothing new before it.
            let way = match self.nearest(graph, &froms, &open, self.shape != Shape::Fewest) {
                None if self.shape == Shape::Fewest => {
                    let new_here = |node: u32, graph: &mut Graph<S>| {
                        graph.ends(node).is_some_and(|ends| !graph.sets.get(ends).intersection(&open).is_empty())
                    };
                    match &run {
                        Some((_, node)) if new_here(*node, graph) => None,
                        _ => self.nearest(graph, &froms, &open, true),
                    }
                }
                way => way,
            };
            // A new run may be nearer to something new.
            let is_nearer = |length: usize, this: &mut Self, graph: &mut Graph<S>| {
                let way = this.nearest(graph, starts, &open, true);
                way.is_some_and(|(_, way)| way.steps.len() < length)
            };
            match (way, run.take()) {
                (Some((_, way)), Some((path, node)))
                    if self.shape == Shape::Steps && is_nearer(way.steps.len(), self, graph) =>
                {
                    return ended(graph, path, node, &covered);
                }
                (Some((start, way)), so_far) => {
                    let mut path = so_far.map_or(Path { start, steps: vec![] }, |(path, _)| path);
                    path.steps.extend(way.steps);
                    covered = covered.union(&way.covers);
                    // What only the end of a run covers is covered by ending there.
                    if way.is_end && self.shape != Shape::One {
                        return ended(graph, path, way.node, &covered);
                    }
                    run = Some((path, way.node));
                }
                (None, Some((path, node))) => {
                    let (path, all) = ended(graph, path, node, &covered)?;
                    return (self.shape != Shape::One || all.includes(left)).then_some((path, all));
                }
                (None, None) => return None,
            }
        }
    }

    /// The nearest step that covers something open, or with `or_end` the nearest node in which an end does, with the start it
    /// begins at.
    fn nearest<S: Steps>(
        &self,
        graph: &mut Graph<S>,
        froms: &[u32],
        open: &ItemSet,
        or_end: bool,
    ) -> Option<(u32, Way)> {
        let one = self.shape == Shape::One;
        let can_go_on = |graph: &Graph<S>, node: u32, open: &ItemSet| {
            !one || self.reachable.is_none_or(|reachable| reachable.from(node, &graph.sets).includes(open))
        };
        let mut met = Met::default();
        let mut queue = VecDeque::new();
        for from in froms {
            if can_go_on(graph, *from, open) && met.insert(*from, None).is_none() {
                queue.push_back(*from);
            }
        }
        while let Some(node) = queue.pop_front() {
            let ends = graph.ends(node).map(|ends| graph.sets.get(ends));
            let is_end =
                ends.is_some_and(|ends| if one { ends.includes(open) } else { !ends.intersection(open).is_empty() });
            if or_end && is_end && met[&node].is_some() {
                let (start, steps) = way_to(&met, node);
                return Some((start, Way { steps, node, covers: ItemSet::default(), is_end: true }));
            }
            if met.len() > self.most {
                return None;
            }
            let mut most_new: Option<(usize, u32)> = None;
            for place in graph.edges(node) {
                let edge = graph.edge(place);
                let new = graph.sets.get(edge.marks).intersection(open);
                let is_more = most_new.is_none_or(|(most, _)| new.len() > most);
                if !new.is_empty() && is_more && can_go_on(graph, edge.target, &open.minus(&new)) {
                    most_new = Some((new.len(), place));
                }
                if can_go_on(graph, edge.target, open) && !met.contains_key(&edge.target) {
                    met.insert(edge.target, Some((node, graph.step_of(place))));
                    queue.push_back(edge.target);
                }
            }
            if let Some((_, place)) = most_new {
                let (start, mut steps) = way_to(&met, node);
                steps.push(graph.step_of(place));
                let edge = graph.edge(place);
                let covers = graph.sets.get(edge.marks).clone();
                return Some((start, Way { steps, node: edge.target, covers, is_end: false }));
            }
        }
        None
    }
}

/// A run that goes on to the nearest node in which it may end, with all that it covers.
fn ended<S: Steps>(graph: &mut Graph<S>, mut path: Path, from: u32, covered: &ItemSet) -> Option<(Path, ItemSet)> {
    let mut met: Met = Met::from_iter([(from, None)]);
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        if let Some(ends) = graph.ends(node) {
            let (_, steps) = way_to(&met, node);
            // What is covered on the way is found when the run is looked at again.
            path.steps.extend(steps);
            return Some((path, covered.union(graph.sets.get(ends))));
        }
        for place in graph.edges(node) {
            let target = graph.edge(place).target;
            if let std::collections::hash_map::Entry::Vacant(entry) = met.entry(target) {
                entry.insert(Some((node, graph.step_of(place))));
                queue.push_back(target);
            }
        }
    }
    None
}

/// Where a way began, and its edges.
fn way_to(met: &Met, mut node: u32) -> (u32, Vec<u32>) {
    let mut steps = vec![];
    while let Some((before, number)) = met[&node] {
        steps.push(number);
        node = before;
    }
    steps.reverse();
    (node, steps)
}
