//! Which items can still be covered from a node, in a graph of which everything is known.

use super::graph::{Graph, Steps};
use super::sets::{SetId, Sets};

/// Items within reach, by node.
pub struct Reachable {
    /// The strongly connected part of each node.
    parts: Vec<u32>,
    /// Items within reach of each part.
    items: Vec<SetId>,
}

impl Reachable {
    /// Looks at a whole graph.
    pub fn new<S: Steps>(graph: &mut Graph<S>) -> Reachable {
        let parts = parts(graph);
        let count = parts.iter().copied().max().map_or(0, |most| most as usize + 1);
        let mut nodes: Vec<Vec<u32>> = vec![vec![]; count];
        for (node, part) in parts.iter().enumerate() {
            nodes[*part as usize].push(node as u32);
        }
        let mut items: Vec<SetId> = vec![];
        // Parts are numbered so that those within reach come first.
        for part in nodes {
            let mut all = SetId::EMPTY;
            for node in part {
                if let Some(ends) = graph.ends(node) {
                    all = graph.sets.union(all, ends);
                }
                for place in graph.edges(node) {
                    let edge = graph.edge(place);
                    all = graph.sets.union(all, edge.marks);
                    if let Some(known) = items.get(parts[edge.target as usize] as usize) {
                        all = graph.sets.union(all, *known);
                    }
                }
            }
            items.push(all);
        }
        Reachable { parts, items }
    }

    /// The items that can still be covered from a node.
    pub fn from<'s>(&self, node: u32, sets: &'s Sets) -> &'s super::sets::ItemSet {
        sets.get(self.items[self.parts[node as usize] as usize])
    }
}

/// The strongly connected part of each node (Tarjan 1972), numbered so that edges lead to smaller numbers or stay.
fn parts<S: Steps>(graph: &mut Graph<S>) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let count = graph.len();
    let (mut order, mut low, mut part) = (vec![NONE; count], vec![0; count], vec![NONE; count]);
    let (mut next_order, mut next_part) = (0, 0);
    let mut stack: Vec<u32> = vec![];
    for root in 0..count as u32 {
        if order[root as usize] != NONE {
            continue;
        }
        let mut calls = vec![(root, graph.edges(root))];
        (order[root as usize], low[root as usize]) = (next_order, next_order);
        next_order += 1;
        stack.push(root);
        while let Some((node, edges)) = calls.last_mut() {
            let node = *node;
            match edges.next() {
                Some(place) => {
                    let target = graph.edge(place).target;
                    if order[target as usize] == NONE {
                        (order[target as usize], low[target as usize]) = (next_order, next_order);
                        next_order += 1;
                        stack.push(target);
                        let edges = graph.edges(target);
                        calls.push((target, edges));
                    } else if part[target as usize] == NONE {
                        low[node as usize] = low[node as usize].min(order[target as usize]);
                    }
                }
                None => {
                    calls.pop();
                    if let Some((caller, _)) = calls.last() {
                        low[*caller as usize] = low[*caller as usize].min(low[node as usize]);
                    }
                    if low[node as usize] == order[node as usize] {
                        while let Some(member) = stack.pop() {
                            part[member as usize] = next_part;
                            if member == node {
                                break;
                            }
                        }
                        next_part += 1;
                    }
                }
            }
        }
    }
    part
}
