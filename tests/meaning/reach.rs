//! What control says, against plain searches: random graphs step by step, random models by their explored states.

use std::collections::BTreeSet;

use proptest::prelude::*;
use tracewright::kernel::StepSystem;
use tracewright::model;
use tracewright::reach::{Control, Graph, Obstacle, dead_transitions};
use tracewright::search::{Limits, explore};
use tracewright::syntax::Sources;

use crate::loaded::system;
use crate::models::{component, sts};

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

/// Nothing that a run does is called dead.
fn what_happens_is_live(system: &StepSystem) -> Result<(), TestCaseError> {
    let control = Control::of(system);
    let graph = explore(system, &Default::default(), &Limits::default(), &mut ()).expect("finite");
    prop_assert_eq!(graph.cut, None);
    for state in &graph.states {
        for (machine, at) in state.control.iter().enumerate() {
            prop_assert!(control.is_live_state(machine, *at));
        }
        for step in system.all_steps(state, &Default::default(), None).expect("finite") {
            for (machine, transition) in step.fired {
                let Some(transition) = transition else { continue };
                prop_assert!(control.is_live(machine, transition));
                prop_assert_eq!(control.obstacle(machine, transition), None);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn what_happens_at_gates_is_live(
        l in sts("L", &["a", "b"], true), m in sts("M", &["b", "c"], true), r in sts("R", &["b", "c"], true)
    ) {
        let text = format!("{}{}{}system S = (L || M hide {{ c }}) || R\n", l.text(), m.text(), r.text());
        what_happens_is_live(&system(&text, "S"))?;
    }

    /// In a ring nothing comes from outside, so much of it never happens.
    #[test]
    fn what_happens_in_lock_step_is_live(a in component("A"), b in component("B"), c in component("C")) {
        let text = format!(
            "{}{}{}system S {{ a: A b: B c: C a.o -> b.i b.o -> c.i c.o -> a.i }}\n", a.text(), b.text(), c.text()
        );
        what_happens_is_live(&system(&text, "S"))?;
    }
}

/// Names of the transitions that can never fire, with what stands in their way.
fn obstacles(text: &str, name: &str) -> Vec<(String, Obstacle)> {
    let system = system(text, name);
    let control = Control::of(&system);
    let mut out = vec![];
    for (m, machine) in system.machines.iter().enumerate() {
        let dead = machine.transitions.iter().enumerate();
        out.extend(dead.filter_map(|(number, t)| Some((t.name.clone(), control.obstacle(m, number)?))));
    }
    out
}

#[test]
fn two_that_wait_for_each_other_are_both_dead() {
    let text = "
        component Polite {
          in heard: Bool
          out said: Bool
          initial state Silent
          state Talking
          Silent -> Talking : speak when heard?_ do said!true
          Talking -> Talking : go_on do said!true
        }
        system Pair { a: Polite b: Polite a.said -> b.heard b.said -> a.heard }";
    let dead = obstacles(text, "Pair");
    assert!(matches!(dead[..], [(_, Obstacle::Silence(0, _)), (_, Obstacle::Silence(0, _))]), "{dead:?}");
    assert_eq!(dead.iter().filter(|(name, _)| name == "speak").count(), 2);
    assert_eq!(obstacles(text, "Polite"), []);
}

#[test]
fn all_messages_of_a_guard_are_needed() {
    let text = "
        component Source {
          out one: 0..9, two: 0..9
          initial state S
          S -> S : send do one!1, two!2
        }
        component Sink {
          in one: 0..9, two: 0..9
          initial state S
          S -> S : both when one?1 && two?2
          S -> S : first when one?1 && two?1
          S -> S : second when one?2 && two?2
          S -> S : either when one?2 || two?1
          S -> S : none when one?absent && two?absent
        }
        system Line { a: Source b: Sink a.one -> b.one a.two -> b.two }";
    let dead = obstacles(text, "Line");
    let expected = [("first", 1), ("second", 0)];
    let found: Vec<(&str, usize)> = (dead.iter())
        .map(|(name, obstacle)| match obstacle {
            Obstacle::Messages(conjunct, _) => (name.as_str(), *conjunct),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn partners_are_needed_on_all_sides() {
    let machine = |name: &str, switches: &str| {
        format!("sts {name} {{ in a(), b(), c() initial location L location M L -> L : ?a {switches} }}\n")
    };
    let text = machine("X", "L -> M : ?b L -> L : ?c")
        + &machine("Y", "L -> M : ?b L -> L : ?c M -> M : ?a")
        + &machine("Z", "L -> L : ?c M -> M : ?b")
        + "system Two = X || Y\nsystem Three = X || Y || Z\nsystem Apart = X || Y ||| Z\n";
    assert_eq!(obstacles(&text, "Two"), []);
    let dead = obstacles(&text, "Three");
    assert_eq!(dead, ["L.b.1", "L.b.1"].map(|name| (name.to_owned(), Obstacle::Partners)));
    assert_eq!(obstacles(&text, "Apart"), []);
}

#[test]
fn a_gate_can_be_kept_closed_and_that_is_no_finding() {
    let text = "
        sts Door { in open(), close() initial location L location M L -> M : ?open M -> L : ?close }
        sts Locked { in open() initial location L }
        system S = Door || Locked";
    assert_eq!(obstacles(text, "S"), [("L.open.1".to_owned(), Obstacle::Closed)]);
    assert_eq!(dead_transitions(&[system(text, "S")], &[]), []);
}

#[test]
fn a_transition_is_dead_if_it_is_dead_wherever_it_stands() {
    let text = "
        component Lamp(bright: Bool) {
          in on: Bool
          initial state Off
          Off -> Off : glare when bright && on?_
          Off -> Off : dark when false
        }
        system Dim { a: Lamp(false) in on -> a.on }
        system Mixed { a: Lamp(false) b: Lamp(true) in on -> a.on, b.on }";
    let (dim, mixed) = (system(text, "Dim"), system(text, "Mixed"));
    let names = |systems: &[StepSystem], elsewhere: &[&model::Machine]| -> Vec<String> {
        dead_transitions(systems, elsewhere)
            .into_iter()
            .map(|dead| format!("{} in {}", dead.name, dead.model))
            .collect()
    };
    assert_eq!(names(std::slice::from_ref(&dim), &[]), ["glare in Dim", "dark in Dim"]);
    assert_eq!(names(std::slice::from_ref(&mixed), &[]), ["dark in Mixed"]);
    assert_eq!(names(&[dim.clone(), mixed], &[]), ["dark in Dim"]);
    let (checked, _) = model::check(&Sources::from_text("model.tw", text).0);
    let lamp = checked.machines_in(&checked.models[1]);
    assert_eq!(lamp.iter().map(|m| m.name.as_str()).collect::<Vec<_>>(), ["Lamp"]);
    assert!(names(&[dim], &lamp).is_empty());
}
