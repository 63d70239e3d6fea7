//! How far each item is from each node, in a graph of which everything is known.

use super::graph::{Graph, Steps};
use super::sets::ItemSet;

const NEVER: u32 = u32::MAX;

/// Least steps to a step that covers an item, that one counted, or to an end that does.
pub struct Distances {
    nodes: usize,
    far: Vec<u32>,
}

impl Distances {
    /// Looks at a whole graph, for each of the wanted items.
    pub fn new<S: Steps>(graph: &mut Graph<S>, wanted: &ItemSet) -> Distances {
        let nodes = graph.len();
        let mut into: Vec<Vec<u32>> = vec![vec![]; nodes];
        let mut far = vec![NEVER; nodes * wanted.len()];
        let mut queues: Vec<Vec<u32>> = vec![vec![]; wanted.len()];
        let items: Vec<usize> = wanted.iter().collect();
        for node in 0..nodes as u32 {
            let ends = graph.ends(node);
            for (number, item) in items.iter().enumerate() {
                if ends.is_some_and(|ends| graph.sets.get(ends).contains(*item)) {
                    far[number * nodes + node as usize] = 0;
                    queues[number].push(node);
                }
            }
            for place in graph.edges(node) {
                into[graph.edge(place).target as usize].push(node);
            }
        }
        for (number, item) in items.iter().enumerate() {
            let mut level = std::mem::take(&mut queues[number]);
            let far = &mut far[number * nodes..(number + 1) * nodes];
            let covers: Vec<u32> = (0..nodes as u32)
                .filter(|node| {
                    let edges = graph.edges(*node);
                    edges.into_iter().any(|place| graph.sets.get(graph.edge(place).marks).contains(*item))
                })
                .collect();
            let mut distance = 0;
            while !level.is_empty() || distance == 0 {
                distance += 1;
                let mut next = vec![];
                let mut reach = |node: u32, next: &mut Vec<u32>| {
                    let known = &mut far[node as usize];
                    if *known > distance {
                        *known = distance;
                        next.push(node);
                    }
                };
                if distance == 1 {
                    covers.iter().for_each(|node| reach(*node, &mut next));
                }
                for node in &level {
                    into[*node as usize].iter().for_each(|from| reach(*from, &mut next));
                }
                level = next;
            }
        }
        Distances { nodes, far }
    }

    /// The distance of an item, by its number among those wanted; none if it is out of reach.
    pub fn to(&self, number: usize, node: u32) -> Option<u32> {
        let far = self.far[number * self.nodes + node as usize];
        (far != NEVER).then_some(far)
    }
}
