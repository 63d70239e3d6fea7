//! The control of a model as a graph: states and transitions of every machine, with what some runs pass, and what no run can.
//!
//! There is one form for it; it is written for Graphviz, or drawn. Of items it knows only which of them are impossible: all else
//! that is shown is what the runs do. Tested by graphs whose marks are counted again from the JSON of the same runs.

mod dot;
mod impossible;
mod layers;
mod svg;

use crate::kernel::{Run, StepSystem};
use crate::syntax::tree::Direction;

pub use dot::model_dot;
pub use svg::{GRAPH_STYLE, machine_svg};

/// A model as graphs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelGraph {
    /// Name of the model.
    pub name: String,
    /// How many runs were followed.
    pub runs: usize,
    /// One graph for each machine.
    pub machines: Vec<MachineGraph>,
}

/// The graph of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineGraph {
    /// Name of the machine.
    pub name: String,
    /// Its states.
    pub states: Vec<GraphState>,
    /// Its transitions.
    pub transitions: Vec<GraphTransition>,
}

/// A state of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphState {
    /// Its name.
    pub name: String,
    /// Whether runs begin in it.
    pub is_initial: bool,
    /// How many runs pass it; none where there are no runs.
    pub passed: Option<usize>,
    /// Whether it is proved that no run can pass it.
    pub is_impossible: bool,
}

/// A transition of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphTransition {
    /// Its name.
    pub name: String,
    /// What is written beside it: its name, or its event where that says enough.
    pub label: String,
    /// The state it leaves.
    pub source: usize,
    /// The state it enters.
    pub target: usize,
    /// How many runs fire it; none where there are no runs.
    pub passed: Option<usize>,
    /// Whether it is proved that no run can fire it.
    pub is_impossible: bool,
}

/// What is known of a state or a transition. Of several that are drawn as one, the last counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    Impossible,
    Nothing,
    Missed,
    Passed,
}

impl Known {
    fn of(passed: Option<usize>, is_impossible: bool) -> Known {
        match passed {
            _ if is_impossible => Known::Impossible,
            None => Known::Nothing,
            Some(0) => Known::Missed,
            Some(_) => Known::Passed,
        }
    }
}

impl GraphState {
    fn known(&self) -> Known {
        Known::of(self.passed, self.is_impossible)
    }
}

impl GraphTransition {
    fn known(&self) -> Known {
        Known::of(self.passed, self.is_impossible)
    }
}

impl ModelGraph {
    /// Whether something in it is proved to be impossible.
    pub fn has_impossible(&self) -> bool {
        self.machines.iter().any(|machine| machine.impossible() != (0, 0))
    }

    /// The graph of a model, with what these runs pass.
    pub fn new<'r>(system: &StepSystem, runs: impl IntoIterator<Item = &'r Run>) -> ModelGraph {
        let mut graph = ModelGraph::plain(system);
        for run in runs {
            graph.pass(run);
        }
        graph
    }

    fn plain(system: &StepSystem) -> ModelGraph {
        let machine = |machine: &crate::kernel::Machine| {
            let state = |(number, name): (usize, &String)| GraphState {
                name: name.clone(),
                is_initial: number == machine.initial as usize,
                passed: None,
                is_impossible: false,
            };
            let transition = |transition: &crate::kernel::Transition| GraphTransition {
                name: transition.name.clone(),
                label: label(transition, &machine.states[transition.source as usize]),
                source: transition.source as usize,
                target: transition.target as usize,
                passed: None,
                is_impossible: false,
            };
            MachineGraph {
                name: machine.name.clone(),
                states: machine.states.iter().enumerate().map(state).collect(),
                transitions: machine.transitions.iter().map(transition).collect(),
            }
        };
        ModelGraph { name: system.name.clone(), runs: 0, machines: system.machines.iter().map(machine).collect() }
    }

    /// One more run of the same model. What it passes several times counts once.
    pub fn pass(&mut self, run: &Run) {
        self.runs += 1;
        for (number, machine) in self.machines.iter_mut().enumerate() {
            let mut states = vec![false; machine.states.len()];
            let mut transitions = vec![false; machine.transitions.len()];
            states[run.initial.control[number] as usize] = true;
            for step in &run.steps {
                states[step.next.control[number] as usize] = true;
                let fired = step.fired.iter().filter(|(of, _)| *of == number).filter_map(|(_, fired)| *fired);
                fired.for_each(|fired| transitions[fired] = true);
            }
            let count = |passed: &mut Option<usize>, now: bool| *passed = Some(passed.unwrap_or(0) + usize::from(now));
            machine.states.iter_mut().zip(states).for_each(|(state, now)| count(&mut state.passed, now));
            machine.transitions.iter_mut().zip(transitions).for_each(|(one, now)| count(&mut one.passed, now));
        }
    }
}

impl MachineGraph {
    /// How many states and how many transitions are passed by some run.
    pub fn passed(&self) -> (usize, usize) {
        self.count(Known::Passed)
    }

    /// How many states and how many transitions no run can pass, as far as that is proved.
    pub fn impossible(&self) -> (usize, usize) {
        self.count(Known::Impossible)
    }

    fn count(&self, known: Known) -> (usize, usize) {
        let states = self.states.iter().filter(|state| state.known() == known).count();
        (states, self.transitions.iter().filter(|transition| transition.known() == known).count())
    }
}

/// The event where the name was made from it, else the name; with the event if there is one.
fn label(transition: &crate::kernel::Transition, source: &str) -> String {
    let Some((gate, direction)) = &transition.gate else { return own_part(&transition.name, source).to_owned() };
    let event = format!("{}{gate}", if *direction == Direction::In { '?' } else { '!' });
    match own_part(&transition.name, source).strip_prefix(gate.as_str()) {
        Some("" | ".1") => event,
        Some(rest) if rest.starts_with('.') => format!("{event}{rest}"),
        _ => format!("{} {event}", transition.name),
    }
}

/// A name without the state that stands in front of names nobody gave: `l0.rq.1` is `rq.1`.
fn own_part<'n>(name: &'n str, source: &str) -> &'n str {
    name.strip_prefix(source).and_then(|rest| rest.strip_prefix('.')).unwrap_or(name)
}
