//! Executions of a service: which events a driver can send, until the service halts or so many were sent.
//!
//! A driver never corrects. *Simple*: it sends any event that is still missing, with any value. *Set at a time*: on entering
//! a node that collects it chooses all values, and then sends only what leads out of the node, in one order as far as nobody
//! observes it (`sets.rs`). Executions are counted level by level, for all that have come to the same place together; none is
//! ever written out. What an event does is asked of the interpreter. Tested by the counts of a known service and against
//! drivers that walk every order (`tests/meaning/random_services.rs`).

mod chosen;
mod entered;
mod observed;
mod reduced;
mod sets;

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use num_traits::{One, Zero};
use rustc_hash::FxHashMap;

use self::chosen::Chooser;
use self::entered::Entered;
pub use self::observed::observed_events;
pub use self::reduced::{Reduced, reduced};
pub use self::sets::{NodeRun, runs};
use super::{Limit, Limits, Progress};
use crate::kernel::{ChoiceError, Given, State, StepSystem};
use crate::model::{Collect, Node, Outcome, Shape};
use crate::solve::Solver;
use crate::term::Value;

/// How a service is driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Any missing event with any value.
    Simple,
    /// All values of a node at once, in one order unless that is observed.
    Sets,
}

/// What a driver saw.
#[derive(Clone, Debug, Default)]
pub struct Driven {
    /// Executions.
    pub executions: BigUint,
    /// Nodes that were entered, by number.
    pub nodes: BTreeSet<usize>,
    /// Predicates, by node and number, that were the first to be violated.
    pub violated: BTreeSet<(usize, usize)>,
    /// Nodes in which all predicates were satisfied.
    pub completed: BTreeSet<usize>,
    /// How many states of the data and nodes were entered.
    pub states: usize,
    /// Events whose values were chosen by the solver.
    pub chosen: BTreeSet<String>,
    /// What was not decided while values were chosen.
    pub gaps: BTreeSet<String>,
    /// Whether a limit ended it early.
    pub cut: Option<Limit>,
}

/// The service that a model is, if it is one.
pub fn service_of(system: &StepSystem) -> Option<&Shape> {
    match &system.machines[..] {
        [machine] if system.ticks.is_empty() => machine.service.as_ref(),
        _ => None,
    }
}

/// How often limits are looked at.
const SPOTS_BETWEEN_LOOKS: usize = 64;

/// Where a driver is: in a state, and in a node that collects with these values so far (one more than their number; zero
/// for those that are missing).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Spot {
    state: usize,
    given: Vec<u32>,
}

/// Counts the executions of a service that end after at most `depth` events. Values are the given ones, all of a type that
/// has few, or chosen by the solver from the predicates.
pub fn drive(
    system: &StepSystem,
    (given, solver): (&Given, &mut dyn FnMut() -> Box<dyn Solver>),
    (algorithm, observed): (Algorithm, &BTreeSet<String>),
    depth: usize,
    (limits, progress): (&Limits, &mut dyn Progress),
) -> Result<Driven, ChoiceError> {
    let Some(shape) = service_of(system) else { return Ok(Driven::default()) };
    let mut driver = Driver {
        system,
        shape,
        given,
        chooser: None,
        new_solver: solver,
        observed,
        states: vec![],
        numbers: FxHashMap::default(),
        entered: FxHashMap::default(),
        levels: BTreeMap::new(),
        driven: Driven::default(),
        depth,
    };
    for initial in system.initial_states(given, None)? {
        let state = driver.number(initial);
        driver.arrive(0, state, BigUint::one());
    }
    while let Some((sent, spots)) = driver.levels.pop_first() {
        for (number, (spot, ways)) in spots.into_iter().enumerate() {
            if number % SPOTS_BETWEEN_LOOKS == 0
                && let Some(limit) = limits.used_up()
            {
                driver.driven.cut = Some(limit);
                return Ok(driver.finished());
            }
            driver.from(algorithm, sent, &spot, &ways)?;
        }
        progress.at(sent, driver.states.len(), 0, 0);
    }
    Ok(driver.finished())
}

struct Driver<'a> {
    system: &'a StepSystem,
    shape: &'a Shape,
    given: &'a Given,
    chooser: Option<Chooser>,
    new_solver: &'a mut dyn FnMut() -> Box<dyn Solver>,
    observed: &'a BTreeSet<String>,
    states: Vec<State>,
    numbers: FxHashMap<State, usize>,
    /// What is known of the nodes that were entered, by state.
    entered: FxHashMap<usize, Entered>,
    /// In how many ways each spot is reached, by the number of events sent.
    levels: BTreeMap<usize, FxHashMap<Spot, BigUint>>,
    driven: Driven,
    depth: usize,
}

impl Driver<'_> {
    fn finished(mut self) -> Driven {
        self.driven.states = self.states.len();
        self.driven
    }

    fn number(&mut self, state: State) -> usize {
        if let Some(number) = self.numbers.get(&state) {
            return *number;
        }
        let number = self.states.len();
        self.driven.nodes.insert(state.control[0] as usize);
        self.numbers.insert(state.clone(), number);
        self.states.push(state);
        number
    }

    fn halt(&mut self, ways: &BigUint) {
        self.driven.executions += ways;
    }

    fn arrive(&mut self, sent: usize, state: usize, ways: BigUint) {
        self.put(sent, Spot { state, given: vec![] }, ways);
    }

    fn put(&mut self, sent: usize, spot: Spot, ways: BigUint) {
        if sent >= self.depth {
            self.driven.executions += ways;
            return;
        }
        *self.levels.entry(sent).or_default().entry(spot).or_insert_with(BigUint::zero) += ways;
    }

    fn from(&mut self, algorithm: Algorithm, sent: usize, spot: &Spot, ways: &BigUint) -> Result<(), ChoiceError> {
        let shape = self.shape;
        match &shape.nodes[self.states[spot.state].control[0] as usize] {
            Node::End => self.halt(ways),
            Node::Choose => self.choose(sent, spot.state, ways)?,
            Node::Collect(collect) => {
                if !self.entered.contains_key(&spot.state) {
                    let entered = self.enter(collect, spot.state)?;
                    self.entered.insert(spot.state, entered);
                }
                match algorithm {
                    Algorithm::Simple => self.send_one(collect, sent, spot, ways)?,
                    Algorithm::Sets => self.send_sets(collect, sent, spot.state, ways)?,
                }
            }
        }
        Ok(())
    }

    /// One event of a choice.
    fn choose(&mut self, sent: usize, state: usize, ways: &BigUint) -> Result<(), ChoiceError> {
        let mut next = vec![];
        for gate in 0..self.system.gates.len() {
            if !self.awaits(gate, state) {
                continue;
            }
            let values = match self.system.gates[gate].params.is_empty() {
                true => vec![None],
                false => self.system.event_values(gate, self.given)?.into_iter().map(Some).collect(),
            };
            for value in values {
                next.extend(self.after(&self.states[state].clone(), gate, value)?);
            }
        }
        if next.is_empty() {
            self.halt(ways);
        }
        for state in next {
            let state = self.number(state);
            self.arrive(sent + 1, state, ways.clone());
        }
        Ok(())
    }

    /// Whether some transition from the node of a state is at a gate.
    fn awaits(&self, gate: usize, state: usize) -> bool {
        let joints = self.system.joints.iter().enumerate().filter(|(_, joint)| joint.gate == Some(gate));
        joints.into_iter().any(|(joint, _)| self.system.at_source(joint, &self.states[state]))
    }

    /// The state after an event; none if it is refused.
    fn after(&self, state: &State, gate: usize, value: Option<Value>) -> Result<Option<State>, ChoiceError> {
        let data: Vec<Value> = value.into_iter().collect();
        for (joint, described) in self.system.joints.iter().enumerate() {
            if described.gate == Some(gate)
                && self.system.at_source(joint, state)
                && let Some(step) = self.system.steps(joint, state, &data)?.pop()
            {
                return Ok(Some(step.next));
            }
        }
        Ok(None)
    }

    /// What is known of a node that collects, in the state in which it is entered.
    fn enter(&mut self, collect: &Collect, state: usize) -> Result<Entered, ChoiceError> {
        let mut domains: Vec<Option<Vec<Option<Value>>>> = vec![];
        let mut is_open = false;
        for event in &collect.events {
            let gate = self.gate(&event.event);
            let values = match (event.has_value, self.system.event_values(gate, self.given)) {
                (false, _) => Some(vec![None]),
                (true, Ok(values)) => Some(values.into_iter().map(Some).collect()),
                (true, Err(ChoiceError::NoValues { .. })) => {
                    is_open = true;
                    self.driven.chosen.insert(event.event.clone());
                    None
                }
                (true, Err(error)) => return Err(error),
            };
            domains.push(values);
        }
        let state = &self.states[state];
        if !is_open {
            let domains: Vec<Vec<Option<Value>>> = domains.into_iter().flatten().collect();
            return Entered::listed(self.system, collect, state, domains);
        }
        let chooser = self.chooser.get_or_insert_with(|| Chooser::new((self.new_solver)()));
        chooser.entered(self.system, collect, state, &domains, &mut self.driven.gaps)
    }

    fn gate(&self, event: &str) -> usize {
        self.system.gates.iter().position(|gate| gate.name == event).expect("each event is a gate")
    }

    /// Any event that is missing, with any of its values.
    fn send_one(&mut self, collect: &Collect, sent: usize, spot: &Spot, ways: &BigUint) -> Result<(), ChoiceError> {
        let node = self.states[spot.state].control[0] as usize;
        let given = if spot.given.is_empty() { vec![0; collect.events.len()] } else { spot.given.clone() };
        let mut is_halted = true;
        for event in (0..given.len()).filter(|event| given[*event] == 0) {
            for value in 0..self.entered[&spot.state].domains[event].len() {
                let mut more = given.clone();
                more[event] = value as u32 + 1;
                let outcome = self.entered[&spot.state].outcome(collect, &more);
                self.note(node, outcome);
                let stays = match outcome {
                    Outcome::Violated(number) => collect.predicates[number].targets.is_empty(),
                    outcome => outcome == Outcome::Collected,
                };
                if stays {
                    is_halted = false;
                    self.put(sent + 1, Spot { state: spot.state, given: more }, ways.clone());
                } else if let Some(next) = self.left(collect, spot.state, &more, event)? {
                    is_halted = false;
                    self.arrive(sent + 1, next, ways.clone());
                }
            }
        }
        if is_halted {
            self.halt(ways);
        }
        Ok(())
    }

    /// All values at once, and then what leads out of the node.
    fn send_sets(&mut self, collect: &Collect, sent: usize, state: usize, ways: &BigUint) -> Result<(), ChoiceError> {
        let node = self.states[state].control[0] as usize;
        let observed: Vec<bool> = collect.events.iter().map(|event| self.observed.contains(&event.event)).collect();
        let left = self.depth - sent;
        let mut known: FxHashMap<Vec<bool>, Vec<NodeRun>> = FxHashMap::default();
        for number in 0..self.entered[&state].assignments() {
            let given = self.entered[&state].assignment(number);
            let truths = self.entered[&state].truths(collect, &given);
            self.note(node, truths.iter().position(|truth| !truth).map_or(Outcome::Completed, Outcome::Violated));
            if !known.contains_key(&truths) {
                known.insert(truths.clone(), sets::runs(collect, &truths, &observed)?);
            }
            let runs = known[&truths].clone();
            if runs.is_empty() {
                self.halt(ways);
            }
            let mut cut: BTreeSet<(Outcome, Vec<usize>)> = BTreeSet::new();
            for NodeRun { outcome, events } in runs {
                if events.len() > left {
                    cut.insert((outcome, events[..left].to_vec()));
                    continue;
                }
                let mut sent_values = vec![0; given.len()];
                events.iter().for_each(|event| sent_values[*event] = given[*event]);
                let last = events.last().copied().unwrap_or(0);
                match self.left(collect, state, &sent_values, last)? {
                    Some(next) => self.arrive(sent + events.len(), next, ways.clone()),
                    None => self.halt(ways),
                }
            }
            self.driven.executions += ways * cut.len();
        }
        Ok(())
    }

    fn note(&mut self, node: usize, outcome: Outcome) {
        match outcome {
            Outcome::Violated(number) => {
                self.driven.violated.insert((node, number));
            }
            Outcome::Completed => {
                self.driven.completed.insert(node);
            }
            Outcome::Collected | Outcome::Chosen => {}
        }
    }

    /// The state in which an event that comes last leaves a node; none if it is refused.
    fn left(
        &mut self,
        collect: &Collect,
        state: usize,
        given: &[u32],
        last: usize,
    ) -> Result<Option<usize>, ChoiceError> {
        let key = (given.to_vec(), last);
        if let Some(known) = self.entered[&state].exits.get(&key) {
            return Ok(*known);
        }
        let entered = &self.entered[&state];
        let mut before = self.states[state].clone();
        for (event, place) in collect.events.iter().zip(0..).filter(|(_, place)| given[*place] > 0 && *place != last) {
            before.values[event.given] = entered.kept(place, given[place]);
        }
        let value = entered.domains[last][given[last] as usize - 1].clone();
        let next = self.after(&before, self.gate(&collect.events[last].event), value)?;
        let next = next.map(|next| self.number(next));
        if let Some(entered) = self.entered.get_mut(&state) {
            entered.exits.insert(key, next);
        }
        Ok(next)
    }
}
