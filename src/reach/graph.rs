//! Reachability and distances in a finite graph.

use std::collections::VecDeque;

/// A finite graph of control: nodes by number, from 0 to `nodes - 1`.
///
/// Its methods panic if an edge, an initial node or a goal has a number that is not below `nodes`.
///
/// ```
/// use tracewright::reach::Graph;
///
/// // 0 -> 1 -> 3 and 0 -> 2 -> 3; 4 is never entered.
/// let graph = Graph { nodes: 5, edges: vec![(0, 1), (0, 2), (1, 3), (2, 3), (4, 3)], initial: vec![0], goals: vec![3] };
/// let reach = graph.analyse();
/// assert!(reach.is_reachable(2) && !reach.is_reachable(4));
/// assert_eq!(reach.distance(1), Some(1));
/// assert_eq!(reach.lower_bound(), Some(2));
/// assert_eq!(graph.must_pass(), [0, 3]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// How many nodes there are.
    pub nodes: usize,
    /// Steps from node to node; the same one may stand there several times.
    pub edges: Vec<(u32, u32)>,
    /// Where runs start.
    pub initial: Vec<u32>,
    /// Where they should get to.
    pub goals: Vec<u32>,
}

/// What can be reached in a graph, and how far the goals are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    reached: Vec<bool>,
    distances: Vec<Option<u32>>,
    lower_bound: Option<u32>,
}

impl Graph {
    /// What can be reached, and how far the goals are.
    pub fn analyse(&self) -> Reach {
        let (after, before) = (self.after(), self.before());
        self.analyse_along(&after, &before)
    }

    /// The same with the edges in order already.
    pub(super) fn analyse_along(&self, after: &Adjacency, before: &Adjacency) -> Reach {
        let mut program = rules::Crepe::new();
        program.extend([rules::Edges(after, before)]);
        program.extend(self.initial.iter().map(|node| rules::Initial(*node)));
        program.extend(self.goals.iter().map(|node| rules::Goal(*node)));
        let (reached, useful) = program.run();
        let reached = marked(self.nodes, reached.into_iter().map(|rules::Reached(node)| node));
        let useful = marked(self.nodes, useful.into_iter().map(|rules::Useful(node)| node));
        let distances = distances(&self.goals, &useful, before);
        let lower_bound = self.initial.iter().filter_map(|node| distances[*node as usize]).min();
        Reach { reached, distances, lower_bound }
    }

    /// What follows each node.
    pub(super) fn after(&self) -> Adjacency {
        Adjacency::new(self.nodes, || self.edges.iter().copied())
    }

    /// What precedes each node.
    pub(super) fn before(&self) -> Adjacency {
        Adjacency::new(self.nodes, || self.edges.iter().map(|(from, to)| (*to, *from)))
    }
}

impl Reach {
    /// Whether a run can be in the node.
    pub fn is_reachable(&self, node: u32) -> bool {
        self.reached.get(node as usize).copied().unwrap_or(false)
    }

    /// Least number of steps from the node to a goal; none if no goal can be reached from it, or no run can be in it.
    pub fn distance(&self, node: u32) -> Option<u32> {
        self.distances.get(node as usize).copied().flatten()
    }

    /// Least number of steps from the start to a goal; none if no run gets to a goal.
    pub fn lower_bound(&self) -> Option<u32> {
        self.lower_bound
    }
}

/// Least steps to a goal, level by level backwards through the useful nodes.
fn distances(goals: &[u32], useful: &[bool], before: &Adjacency) -> Vec<Option<u32>> {
    let mut distances = vec![None; useful.len()];
    let mut open = VecDeque::new();
    let mut meet = |node: u32, distance: u32, open: &mut VecDeque<(u32, u32)>| {
        if useful[node as usize] && distances[node as usize].is_none() {
            distances[node as usize] = Some(distance);
            open.push_back((node, distance));
        }
    };
    goals.iter().for_each(|goal| meet(*goal, 0, &mut open));
    while let Some((node, distance)) = open.pop_front() {
        before.of(node).for_each(|earlier| meet(earlier, distance + 1, &mut open));
    }
    distances
}

fn marked(nodes: usize, numbers: impl Iterator<Item = u32>) -> Vec<bool> {
    let mut marks = vec![false; nodes];
    numbers.for_each(|number| marks[number as usize] = true);
    marks
}

/// The neighbours of every node, in two flat lists.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Adjacency {
    /// Where the neighbours of each node start in `neighbours`, and behind the last node where they end.
    starts: Vec<usize>,
    neighbours: Vec<u32>,
}

impl Adjacency {
    /// The edges are looked through twice.
    pub fn new<I: Iterator<Item = (u32, u32)>>(nodes: usize, edges: impl Fn() -> I) -> Adjacency {
        let mut starts = vec![0; nodes + 1];
        let mut count = 0;
        for (from, _) in edges() {
            starts[from as usize + 1] += 1;
            count += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut free = starts.clone();
        let mut neighbours = vec![0; count];
        for (from, to) in edges() {
            neighbours[free[from as usize]] = to;
            free[from as usize] += 1;
        }
        Adjacency { starts, neighbours }
    }

    /// The neighbours of one node.
    pub fn of(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let node = node as usize;
        self.neighbours[self.starts[node]..self.starts[node + 1]].iter().copied()
    }
}

/// The edges stand in lists and are no relation: to index a million pairs takes ten times as long as all else here.
mod rules {
    use super::Adjacency;

    crepe::crepe! {
        @input
        /// What follows each node, and what precedes it. One fact.
        pub struct Edges<'a>(pub &'a Adjacency, pub &'a Adjacency);
        @input
        pub struct Initial(pub u32);
        @input
        pub struct Goal(pub u32);

        @output
        pub struct Reached(pub u32);
        @output
        /// Reached, and on the way to a goal.
        pub struct Useful(pub u32);
        struct LeadsToGoal(u32);

        Reached(x) <- Initial(x);
        Reached(y) <- Reached(x), Edges(after, _), for y in after.of(x);

        LeadsToGoal(x) <- Goal(x);
        LeadsToGoal(x) <- LeadsToGoal(y), Edges(_, before), for x in before.of(y);

        // Every node between a reached one and a goal is reached, so both derivations can be made apart. A relation after
        // `for` would not do: crepe binds the variable of the loop anew there.
        Useful(x) <- LeadsToGoal(x), Reached(x);
    }
}
