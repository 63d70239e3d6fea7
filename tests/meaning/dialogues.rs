//! Random services of several nodes, as text and as tables.

use std::collections::BTreeSet;

use proptest::prelude::*;

/// Greatest value of an event.
pub const MOST: i64 = 1;

/// A predicate: the sum of what it reads, and of all that was completed before, stays below a bound.
#[derive(Clone, Debug)]
pub struct Predicate {
    pub reads: BTreeSet<usize>,
    pub bound: i64,
    /// The node to which its violation leads.
    pub target: Option<usize>,
}

/// A node that collects events; completed, it adds their values to the sum and leads to another node.
#[derive(Clone, Debug)]
pub struct Node {
    pub events: usize,
    pub predicates: Vec<Predicate>,
    /// Whether its first event cannot be corrected.
    pub is_first_once: bool,
    pub next: usize,
}

/// Nodes `n0`, `n1`, ...; a node with the number of nodes is the end.
#[derive(Clone, Debug)]
pub struct Dialogue {
    pub nodes: Vec<Node>,
}

/// Services of up to three nodes. Where nodes lead only onwards, every execution ends.
pub fn dialogues(only_onwards: bool) -> impl Strategy<Value = Dialogue> {
    (1usize..4).prop_flat_map(move |count| {
        let nodes: Vec<_> = (0..count).map(|number| node(number, count, only_onwards)).collect();
        nodes.prop_map(|nodes| Dialogue { nodes })
    })
}

fn node(number: usize, count: usize, only_onwards: bool) -> impl Strategy<Value = Node> {
    let first = if only_onwards { number + 1 } else { 0 };
    (1usize..4).prop_flat_map(move |events| {
        let reads = prop::collection::btree_set(0..events, 1..=events);
        let predicate = (reads, 1i64..5, prop::option::of(first..=count));
        let predicate = predicate.prop_map(|(reads, bound, target)| Predicate { reads, bound, target });
        let predicates = prop::collection::vec(predicate, 0..4);
        (predicates, prop::bool::weighted(0.2), first..=count).prop_map(move |(predicates, is_first_once, next)| Node {
            events,
            predicates,
            is_first_once,
            next,
        })
    })
}

impl Dialogue {
    /// As a service `S`, whose sum is never more than `highest`.
    pub fn text(&self, highest: i64) -> String {
        let most = self.nodes.iter().map(|node| node.events).max().unwrap_or(0);
        let events: Vec<String> = (0..most).map(|event| format!("e{event}: 0..{MOST}")).collect();
        let nodes: Vec<String> = (0..self.nodes.len()).map(|number| self.node(number, highest)).collect();
        format!("service S {{\n  event {}\n  var sum: Int = 0\n{}}}\n", events.join(", "), nodes.concat())
    }

    pub fn name(&self, node: usize) -> String {
        if node == self.nodes.len() { "end".to_owned() } else { format!("n{node}") }
    }

    fn node(&self, number: usize, highest: i64) -> String {
        let node = &self.nodes[number];
        let events: Vec<String> = (0..node.events).map(|event| format!("e{event}")).collect();
        let predicate = |predicate: &Predicate| {
            let read: Vec<&str> = predicate.reads.iter().map(|event| events[*event].as_str()).collect();
            let target = predicate.target.map(|target| format!(" -> {}", self.name(target))).unwrap_or_default();
            format!("sum + {} < {}{target}", read.join(" + "), predicate.bound)
        };
        let predicates: Vec<String> = node.predicates.iter().map(predicate).collect();
        let (all, added) = (events.join(", "), events.join(" + "));
        let once = if node.is_first_once { " once e0" } else { "" };
        format!(
            "  node n{number}: collect {all} {{ {} }}{once} do sum := if sum + {added} > {highest} then {highest} else sum + {added} -> {}\n",
            predicates.join(", "),
            self.name(node.next),
        )
    }
}
