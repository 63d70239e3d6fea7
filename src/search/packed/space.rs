//! Packed states as a space for searches of exact lengths, and of all runs.

use rustc_hash::FxHashMap;

use super::Packed;
use crate::search::control::control_tables;
use crate::search::cover::{Ahead, Bounds, Graph, ItemSet, Numbering, Product, Sparse};
use crate::search::levels::{Acceptance, Path, Space, SpaceStep};
use crate::search::limits::Limits;
use crate::search::symbolic::{Fired, Question};

/// States are nodes with the constraints that are met so far.
pub struct PackedSpace<'a> {
    graph: Graph<Packed<'a>>,
    product: Sparse,
    states: Vec<u64>,
    numbers: FxHashMap<u64, u32>,
    labels: FxHashMap<Fired, u32>,
    /// Labels of the edges of each node, where they were asked for.
    edge_labels: FxHashMap<u32, Vec<u32>>,
    bounds: Bounds,
}

impl<'a> PackedSpace<'a> {
    /// The space of a question.
    pub fn new(question: Question<'a>, packed: Packed<'a>, limits: &Limits) -> PackedSpace<'a> {
        let all = ItemSet::first(question.monitor.start.len());
        PackedSpace {
            graph: Graph::with_all_steps(packed),
            product: Sparse::new(Numbering { items: all.iter().collect() }),
            states: vec![],
            numbers: FxHashMap::default(),
            labels: FxHashMap::default(),
            edge_labels: FxHashMap::default(),
            bounds: Bounds { by_control: control_tables(question, &all, false, limits), ..Bounds::default() },
        }
    }

    /// How many states were met.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether none was met.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The graph of packed states.
    pub fn into_graph(self) -> Graph<Packed<'a>> {
        self.graph
    }

    /// A path through the states as one through the nodes.
    pub fn path(&self, path: &Path) -> Path {
        Path { start: self.product.unpack(self.states[path.start as usize]).0, steps: path.steps.clone() }
    }

    fn number(&mut self, state: u64) -> u32 {
        let next = self.states.len() as u32;
        let number = *self.numbers.entry(state).or_insert(next);
        if number == next {
            self.states.push(state);
        }
        number
    }
}

impl Space for PackedSpace<'_> {
    fn initial(&mut self) -> Vec<u32> {
        let starts: Vec<u64> = self.graph.starts().iter().map(|start| self.product.pack(*start, 0)).collect();
        starts.into_iter().map(|start| self.number(start)).collect()
    }

    fn steps(&mut self, state: u32) -> Vec<SpaceStep> {
        let (node, covered) = self.product.unpack(self.states[state as usize]);
        let edges = self.graph.edges(node);
        if !self.edge_labels.contains_key(&node) {
            let mut labels = vec![];
            for fired in self.graph.steps.fired(node) {
                let next = self.labels.len() as u32;
                labels.push(*self.labels.entry(fired).or_insert(next));
            }
            self.edge_labels.insert(node, labels);
        }
        let mut out = vec![];
        for (number, place) in edges.enumerate() {
            let edge = self.graph.edge(place);
            let covered = self.product.with(covered, edge.marks, &self.graph.sets);
            let target = self.number(self.product.pack(edge.target, covered));
            out.push(SpaceStep { label: self.edge_labels[&node][number], target });
        }
        out
    }

    fn accepts(&mut self, state: u32) -> Acceptance {
        let (node, covered) = self.product.unpack(self.states[state as usize]);
        let Some(ends) = self.graph.ends(node) else { return Acceptance::No };
        let at_end = self.product.with(covered, ends, &self.graph.sets);
        if self.product.is_all(at_end) { Acceptance::Yes } else { Acceptance::No }
    }

    fn distance(&mut self, state: u32) -> Option<usize> {
        let (node, covered) = self.product.unpack(self.states[state as usize]);
        let failed = self.graph.failed(node);
        if self.product.with(covered, failed, &self.graph.sets) != covered {
            return None;
        }
        self.bounds.left(&self.graph, node, self.product.words(covered)).map(|left| left as usize)
    }
}
