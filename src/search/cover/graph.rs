//! The graph that is searched: nodes are situations of a run, edges are steps, and each edge says which items it covers.
//!
//! A node holds all that decides how a run can go on and which items it will cover, except which are covered already. Nodes
//! are expanded when somebody asks for their edges, each once; of edges to the same node those that cover less are left out.

use rustc_hash::FxHashMap;

use super::sets::{ItemSet, SetId, Sets};
use crate::search::limits::Limits;

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
    /// What expanding nodes has cost so far, in units of about a microsecond; the same for the same nodes, on every machine.
    fn work(&self) -> usize;
    /// Why some nodes may have steps that were left out, if they may.
    fn gap(&self) -> Option<String>;
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
    /// Which step of its node each edge is.
    numbers: Vec<u32>,
    /// Items covered by an end in each node, and items that have failed there.
    ends: Vec<Option<(Option<SetId>, SetId)>>,
    expanded: usize,
    /// Whether every step has an edge, those too that are worth nothing.
    keeps_all: bool,
    /// What expanding nodes may cost altogether.
    allowed: usize,
    /// What the user allows.
    limits: Limits,
    /// Whether nodes were not expanded because of that.
    is_cut: bool,
}

/// Nodes that are expanded between two looks at the limits.
const LOOK_EVERY: usize = 16;

impl<S: Steps> Graph<S> {
    /// A graph of which nothing is known but where runs begin.
    pub fn new(mut steps: S) -> Graph<S> {
        let starts = steps.starts();
        let mut graph = Graph {
            steps,
            sets: Sets::default(),
            starts,
            places: vec![],
            edges: vec![],
            numbers: vec![],
            ends: vec![],
            expanded: 0,
            keeps_all: false,
            allowed: usize::MAX,
            limits: Limits::default(),
            is_cut: false,
        };
        let most = graph.starts.iter().copied().max();
        most.into_iter().for_each(|node| graph.meet(node));
        graph
    }

    /// Nodes in which a run can begin.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// The same with an edge for every step.
    pub fn with_all_steps(steps: S) -> Graph<S> {
        Graph { keeps_all: true, ..Graph::new(steps) }
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

    /// From now on, nodes may be expanded as long as that costs no more than so much.
    pub fn allow(&mut self, work: usize) {
        self.allowed = self.steps.work().saturating_add(work);
        self.is_cut = false;
    }

    /// Expands nodes only as long as the limits of the user allow it.
    pub fn keep_to(&mut self, limits: Limits) {
        self.limits = limits;
    }

    fn may_expand(&self) -> bool {
        self.steps.work() < self.allowed
            && (!self.expanded.is_multiple_of(LOOK_EVERY) || self.limits.used_up().is_none())
    }

    /// Whether nodes were asked for that may not be expanded any more. What is said of their edges is not true.
    pub fn is_cut(&self) -> bool {
        self.is_cut
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
            None if !self.may_expand() => {
                self.is_cut = true;
                (0, 0)
            }
            None => {
                let (steps, sets) = (&mut self.steps, &mut self.sets);
                let Ok(edges) = self.limits.attempt(|| steps.expand(node, sets)) else {
                    self.is_cut = true;
                    return 0..0;
                };
                let kept = match self.keeps_all {
                    true => (0..edges.len() as u32).collect(),
                    false => undominated(&edges, &self.sets),
                };
                let place = (self.edges.len() as u32, kept.len() as u32);
                for number in &kept {
                    self.meet(edges[*number as usize].target);
                    self.edges.push(edges[*number as usize]);
                }
                self.numbers.extend(kept);
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

    /// Which step of its node an edge is.
    pub fn step_of(&self, place: u32) -> u32 {
        self.numbers[place as usize]
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

    /// Which items some edge covers, or some end, as far as the graph is known; where all of it is, on ways to an end only.
    pub fn seen(&mut self) -> ItemSet {
        let ends: Vec<Option<SetId>> = (0..self.len() as u32).map(|node| self.ends(node)).collect();
        let leads_on = self.leads_to_end(&ends);
        let mut all = ItemSet::default();
        let mut done = vec![false; self.sets.len()];
        let edges = self.edges.iter().filter(|edge| leads_on[edge.target as usize]).map(|edge| edge.marks);
        for set in edges.chain(ends.into_iter().flatten()) {
            if !std::mem::replace(&mut done[set.0 as usize], true) {
                all = all.union(self.sets.get(set));
            }
        }
        all
    }

    /// For each node, whether a run in it can go on to an end, or might.
    fn leads_to_end(&self, ends: &[Option<SetId>]) -> Vec<bool> {
        let mut leads: Vec<bool> = ends.iter().map(|end| end.is_some() || !self.is_complete()).collect();
        let mut is_new = !leads.iter().all(|leads| *leads);
        while is_new {
            is_new = false;
            // Later nodes are further from the start, and nearer to an end.
            for node in (0..leads.len()).rev().filter(|node| ends[*node].is_none()) {
                let (first, count) = self.places[node].unwrap_or_default();
                let mut edges = self.edges[first as usize..(first + count) as usize].iter();
                if !leads[node] && edges.any(|edge| leads[edge.target as usize]) {
                    (leads[node], is_new) = (true, true);
                }
            }
        }
        leads
    }
}

/// The numbers of the edges that are worth taking, in order: another one to the same node that covers as much is as good.
fn undominated(edges: &[Edge], sets: &Sets) -> Vec<u32> {
    let mut best: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (number, edge) in edges.iter().enumerate() {
        let marks = |other: &u32| edges[*other as usize].marks;
        let kept = best.entry(edge.target).or_default();
        if kept.iter().any(|other| marks(other) == edge.marks || sets.get(marks(other)).includes(sets.get(edge.marks)))
        {
            continue;
        }
        kept.retain(|other| !sets.get(edge.marks).includes(sets.get(marks(other))));
        kept.push(number as u32);
    }
    let mut all: Vec<u32> = best.into_values().flatten().collect();
    all.sort_unstable();
    all
}
