//! All reachable states, breadth first.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::limits::{Limits, Progress};
use crate::budget::Limit;
use crate::kernel::{ChoiceError, Given, State, Step, StepSystem, Style};
use crate::term::Value;

/// How many states are expanded between two looks at the limits.
const LOOK_EVERY: usize = 64;

/// The reachable part of a model.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// States in the order they were found.
    pub states: Vec<State>,
    /// How many of them are initial; they come first.
    pub initial: usize,
    /// Distinct labelled transitions.
    pub edges: Vec<Edge>,
    /// States without a step; in a lock-step system, states in which all components idle on all inputs.
    pub deadlocks: Vec<usize>,
    /// Why the search ended before everything was seen.
    pub cut: Option<Limit>,
}

/// A labelled transition. Which machines fired is not part of its identity: an observer sees the label.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// State it leaves.
    pub source: usize,
    /// Gate; none for an internal step.
    pub gate: Option<usize>,
    /// Data of the gate, or inputs and outputs of a tick; none for an internal step.
    pub data: Vec<Value>,
    /// State it enters.
    pub target: usize,
}

/// Explores a model. The error means that the steps of some state cannot be listed.
pub fn explore(
    system: &StepSystem,
    given: &Given,
    limits: &Limits,
    progress: &mut dyn Progress,
) -> Result<Graph, ChoiceError> {
    let mut graph = Graph::default();
    let mut numbers: FxHashMap<State, usize> = FxHashMap::default();
    for state in system.initial_states(given, None)? {
        number(&mut graph, &mut numbers, state);
    }
    graph.initial = graph.states.len();
    let mut edges: BTreeSet<Edge> = BTreeSet::new();
    let mut depth = 0;
    let mut level_end = graph.states.len();
    let mut at = 0;
    while at < graph.states.len() {
        if at == level_end {
            depth += 1;
            level_end = graph.states.len();
        }
        if limits.depth.is_some_and(|most| depth >= most) {
            graph.cut = Some(Limit::Depth);
            break;
        }
        if at.is_multiple_of(LOOK_EVERY) {
            progress.at(depth, graph.states.len(), graph.states.len() - at, 0);
            graph.cut = limits.used_up();
        }
        if graph.cut.is_some() {
            break;
        }
        let state = graph.states[at].clone();
        let steps = system.all_steps(&state, given, None)?;
        if is_stuck(system, &state, &steps) {
            graph.deadlocks.push(at);
        }
        for step in steps {
            let gate = system.joints[step.joint].gate;
            let data = if gate.is_some() { step.data } else { vec![] };
            if graph.states.len() >= limits.states && !numbers.contains_key(&step.next) {
                graph.cut = Some(Limit::States);
                break;
            }
            let target = number(&mut graph, &mut numbers, step.next);
            edges.insert(Edge { source: at, gate, data, target });
        }
        if graph.cut.is_some() {
            break;
        }
        at += 1;
    }
    graph.edges = edges.into_iter().collect();
    Ok(graph)
}

fn number(graph: &mut Graph, numbers: &mut FxHashMap<State, usize>, state: State) -> usize {
    *numbers.entry(state).or_insert_with_key(|state| {
        graph.states.push(state.clone());
        graph.states.len() - 1
    })
}

fn is_stuck(system: &StepSystem, state: &State, steps: &[Step]) -> bool {
    match system.style {
        Style::Gates => steps.is_empty(),
        Style::Lockstep => {
            steps.iter().all(|step| step.fired.iter().all(|(_, fired)| fired.is_none()) && step.next == *state)
        }
    }
}
