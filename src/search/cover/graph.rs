//! The graph that is searched: nodes are situations of a run, edges are steps, and each edge says which items it covers.
//!
//! A node holds all that decides how a run can go on and which items it will cover, except which are covered already. Nodes
//! are expanded when somebody asks for their edges, each once.

use super::sets::{ItemSet, SetId, Sets};

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it leads.
    pub target: u32,
    /// The items that it covers, whatever comes later.
    pub marks: SetId,
}

/// Who knows the steps.
pub trait Steps {
    /// Nodes in which a run can begin.
    fn starts(&mut self) -> Vec<u32>;
    /// The steps from a node, in the order of transitions.
    fn expand(&mut self, node: u32, sets: &mut Sets) -> Vec<Edge>;
    /// The items that are covered if a run ends in a node, beside those covered on the way; none if no run may end there.
    fn ends(&mut self, node: u32, sets: &mut Sets) -> Option<SetId>;
    /// The items that this run cannot cover any more, if it has not covered them yet.
    fn failed(&mut self, node: u32, sets: &mut Sets) -> SetId;
    /// Whether a step from one node to another leaves every machine in its state.
    fn keeps_control(&self, from: u32, to: u32) -> bool;
}

/// A graph as far as it is known.
pub struct Graph<S> {
    /// Who knows the rest.
    pub steps: S,
    /// Sets of items.
    pub sets: Sets,
    starts: Vec<u32>,
    /// Place of the first edge of each node, and how many it has; none if it was not expanded.
    places: Vec<Option<(u32, u32)>>,
    edges: Vec<Edge>,
    /// Items covered by an end in each node, and items that have failed there.
    ends: Vec<Option<(Option<SetId>, SetId)>>,
    expanded: usize,
}

impl<S: Steps> Graph<S> {
    /// A graph of which nothing is known but where runs begin.
    pub fn new(mut steps: S) -> Graph<S> {
        let starts = steps.starts();
        let mut graph =
            Graph { steps, sets: Sets::default(), starts, places: vec![], edges: vec![], ends: vec![], expanded: 0 };
        let most = graph.starts.iter().copied().max();
        most.into_iter().for_each(|node| graph.meet(node));
        graph
    }

    /// Nodes in which a run can begin.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// How many nodes were met.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether none was met.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether every node that was met was expanded.
    pub fn is_complete(&self) -> bool {
        self.expanded == self.places.len()
    }

    fn meet(&mut self, node: u32) {
        if self.places.len() <= node as usize {
            self.places.resize(node as usize + 1, None);
            self.ends.resize(node as usize + 1, None);
        }
    }

    /// The edges of a node as a range of [`Graph::edge`].
    pub fn edges(&mut self, node: u32) -> std::ops::Range<u32> {
        let (first, count) = match self.places[node as usize] {
            Some(place) => place,
            None => {
                let edges = self.steps.expand(node, &mut self.sets);
                let place = (self.edges.len() as u32, edges.len() as u32);
                for edge in &edges {
                    self.meet(edge.target);
                }
                self.edges.extend(edges);
                self.places[node as usize] = Some(place);
                self.expanded += 1;
                place
            }
        };
        first..first + count
    }

    /// An edge by its place.
    pub fn edge(&self, place: u32) -> Edge {
        self.edges[place as usize]
    }

    /// Whether the edges of a node are known.
    pub fn is_expanded(&self, node: u32) -> bool {
        self.places[node as usize].is_some()
    }

    /// All edges that are known.
    pub fn known_edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The items that are covered if a run ends in a node; none if no run may end there.
    pub fn ends(&mut self, node: u32) -> Option<SetId> {
        self.at(node).0
    }

    /// The items that a run in a node cannot cover any more, if it has not covered them yet.
    pub fn failed(&mut self, node: u32) -> SetId {
        self.at(node).1
    }

    fn at(&mut self, node: u32) -> (Option<SetId>, SetId) {
        match self.ends[node as usize] {
            Some(known) => known,
            None => {
                let found = (self.steps.ends(node, &mut self.sets), self.steps.failed(node, &mut self.sets));
                self.ends[node as usize] = Some(found);
                found
            }
        }
    }

    /// Which items some edge covers, or some end, as far as the graph is known.
    pub fn seen(&mut self) -> ItemSet {
        let mut all = ItemSet::default();
        let mut done = vec![false; self.sets.len()];
        let ends: Vec<SetId> = (0..self.len() as u32).filter_map(|node| self.ends(node)).collect();
        done.resize(self.sets.len(), false);
        for set in self.edges.iter().map(|edge| edge.marks).chain(ends) {
            if !std::mem::replace(&mut done[set.0 as usize], true) {
                all = all.union(self.sets.get(set));
            }
        }
        all
    }
}
