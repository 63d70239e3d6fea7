//! What control says, against plain searches: random graphs step by step, random models by their explored states.

use std::collections::BTreeSet;

use proptest::prelude::*;
use tracewright::reach::Graph;

/// A random graph, sparse enough that much of it cannot be reached.
fn graph() -> impl Strategy<Value = Graph> {
    (1..14u32).prop_flat_map(|nodes| {
        let node = 0..nodes;
        let edges = prop::collection::vec((node.clone(), node.clone()), 0..2 * nodes as usize);
        let initial = prop::collection::vec(node.clone(), 0..3);
        (edges, initial, prop::collection::vec(node, 0..3)).prop_map(move |(edges, initial, goals)| Graph {
            nodes: nodes as usize,
            edges,
            initial,
            goals,
        })
    })
}

/// Everything that can be reached from some nodes without entering the one that is avoided.
fn reached(graph: &Graph, from: &[u32], avoided: Option<u32>) -> BTreeSet<u32> {
    let mut seen: BTreeSet<u32> = from.iter().copied().filter(|node| Some(*node) != avoided).collect();
    let mut open: Vec<u32> = seen.iter().copied().collect();
    while let Some(node) = open.pop() {
        for (_, next) in graph.edges.iter().filter(|(source, _)| *source == node) {
            if Some(*next) != avoided && seen.insert(*next) {
                open.push(*next);
            }
        }
    }
    seen
}

/// Least steps from a node to a goal: the first level that holds one.
fn steps_to_goal(graph: &Graph, node: u32) -> Option<u32> {
    let mut level = BTreeSet::from([node]);
    for steps in 0..graph.nodes as u32 {
        if graph.goals.iter().any(|goal| level.contains(goal)) {
            return Some(steps);
        }
        level = graph.edges.iter().filter(|(source, _)| level.contains(source)).map(|(_, next)| *next).collect();
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn reached_nodes_and_distances_are_those_of_a_plain_search(graph in graph()) {
        let reach = graph.analyse();
        let seen = reached(&graph, &graph.initial, None);
        for node in 0..graph.nodes as u32 {
            prop_assert_eq!(reach.is_reachable(node), seen.contains(&node));
            let steps = seen.contains(&node).then(|| steps_to_goal(&graph, node)).flatten();
            prop_assert_eq!(reach.distance(node), steps);
        }
        let least = graph.initial.iter().filter_map(|node| steps_to_goal(&graph, *node)).min();
        prop_assert_eq!(reach.lower_bound(), least);
    }

    #[test]
    fn every_run_passes_what_cuts_the_goals_off_when_removed(graph in graph()) {
        let gets_there = |avoided| {
            let seen = reached(&graph, &graph.initial, avoided);
            graph.goals.iter().any(|goal| seen.contains(goal))
        };
        let cuts = |node: &u32| gets_there(None) && !gets_there(Some(*node));
        let expected: BTreeSet<u32> = (0..graph.nodes as u32).filter(cuts).collect();
        let found = graph.must_pass();
        prop_assert_eq!(found.iter().copied().collect::<BTreeSet<u32>>(), expected);
        // In the order of every run: what comes later is nearer to the goals.
        let reach = graph.analyse();
        prop_assert!(found.windows(2).all(|pair| reach.distance(pair[0]) > reach.distance(pair[1])), "{:?}", found);
    }
}

#[test]
fn without_initial_nodes_or_goals_nothing_is_said() {
    let graph = Graph { nodes: 2, edges: vec![(0, 1)], initial: vec![0], goals: vec![] };
    assert_eq!((graph.analyse().lower_bound(), graph.must_pass()), (None, vec![]));
    let graph = Graph { nodes: 2, edges: vec![(0, 1)], initial: vec![], goals: vec![1] };
    assert!(!graph.analyse().is_reachable(1));
    assert_eq!((graph.analyse().distance(0), graph.must_pass()), (None, vec![]));
    assert!(Graph::default().must_pass().is_empty());
}

#[test]
fn a_start_that_is_a_goal_is_all_that_is_passed() {
    let graph = Graph { nodes: 2, edges: vec![(0, 1)], initial: vec![0], goals: vec![0, 1] };
    assert_eq!((graph.analyse().lower_bound(), graph.must_pass()), (Some(0), vec![0]));
}

/// A hundred thousand nodes, a million edges, ten thousand levels.
#[test]
fn a_large_graph_is_analysed() {
    let last = 99_999u32;
    let edges = (0..=last).flat_map(|at| (1..=10).map(move |by| (at, (at + by).min(last)))).collect();
    let graph = Graph { nodes: last as usize + 1, edges, initial: vec![0], goals: vec![last] };
    assert_eq!(graph.analyse().lower_bound(), Some(last.div_ceil(10)));
    assert_eq!(graph.must_pass(), [0, last]);
}
