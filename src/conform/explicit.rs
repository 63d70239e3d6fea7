//! The same search over concrete states, for models whose values can be listed: the suspension automaton of the specification
//! is determinised as it is visited. All steps are the reference interpreter's. Exact, and it always ends when there are
//! finitely many states.

use std::collections::{BTreeSet, VecDeque};

use rustc_hash::FxHashSet;

use super::Options;
use super::alphabet::{Alphabet, Port};
use super::observed::{Happened, trace_for};
use super::pairs::{Finding, Found};
use crate::kernel::{
    ChoiceError, Completion, Given, Missing, Part, State, Step, StepSystem, TraceStep, internal_closure,
};
use crate::search::Limit;
use crate::syntax::tree::Direction;
use crate::term::{Env, Fuel, Value, finite_values};

/// Most values of what one input carries.
const MAX_INPUTS: usize = 4_096;

/// Where a model is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Spot {
    At(State),
    /// Between the inputs and the outputs of a tick: the outputs are still to be shown.
    Owing(State, usize, Vec<Value>),
    /// Where everything is possible.
    Chaos,
}

/// One of the models.
struct Model<'a> {
    system: &'a StepSystem,
    ports: &'a [Option<Port>],
    alphabet: &'a Alphabet,
    completion: Option<Completion>,
    given: Given,
}

type Listed<T> = Result<T, ChoiceError>;

impl Model<'_> {
    fn start(&self) -> Listed<BTreeSet<Spot>> {
        let states = self.system.initial_states(&self.given, None)?.into_iter().collect();
        Ok(self.closed(states)?.into_iter().map(Spot::At).collect())
    }

    fn closed(&self, states: BTreeSet<State>) -> Listed<BTreeSet<State>> {
        internal_closure(self.system, &states, &self.given)
    }

    /// All spots, with what internal steps lead to.
    fn settled(&self, spots: Vec<Spot>) -> Listed<BTreeSet<Spot>> {
        let mut states = BTreeSet::new();
        let mut out = BTreeSet::new();
        for spot in spots {
            match spot {
                Spot::At(state) => {
                    states.insert(state);
                }
                other => {
                    out.insert(other);
                }
            }
        }
        out.extend(self.closed(states)?.into_iter().map(Spot::At));
        Ok(out)
    }

    fn is_quiet(&self, spot: &Spot) -> Listed<bool> {
        match spot {
            Spot::At(state) => self.system.may_be_silent(state, &self.given),
            Spot::Owing(..) => Ok(false),
            Spot::Chaos => Ok(true),
        }
    }

    fn step_of(&self, happened: &Happened) -> Option<TraceStep> {
        trace_for(self.system, self.ports, self.alphabet, std::slice::from_ref(happened))?.steps.into_iter().next()
    }

    /// Where a step leads; a tick leaves its outputs to be shown.
    fn after(&self, step: Step) -> Spot {
        let described = &self.system.joints[step.joint];
        let (Some(gate), [Part::Tick(tick)]) = (described.gate, &described.parts[..]) else {
            return Spot::At(step.next);
        };
        let first = self.system.ticks[*tick].inputs.len();
        let is_end = |label: &usize| {
            let described = &self.alphabet.labels[*label];
            let own = self.ports[*label].as_ref().is_some_and(|port| port.gate == gate);
            described.is_tick && described.direction == Direction::Out && own
        };
        match (0..self.alphabet.labels.len()).find(is_end) {
            None => Spot::At(step.next),
            Some(label) => {
                let places = self.ports[label].as_ref().map_or(&[][..], |port| &port.places);
                debug_assert!(places.iter().all(|place| *place >= first));
                let data = places.iter().map(|place| step.data[*place].clone()).collect();
                Spot::Owing(step.next, label, data)
            }
        }
    }

    /// Where something that happens leads from a spot.
    fn moves(&self, spot: &Spot, happened: &Happened) -> Listed<Vec<Spot>> {
        let Happened::Label(label, data) = happened else {
            return Ok(if self.is_quiet(spot)? { vec![spot.clone()] } else { vec![] });
        };
        let state = match spot {
            Spot::Chaos => return Ok(vec![Spot::Chaos]),
            Spot::Owing(state, owed, shown) => {
                return Ok(if owed == label && shown == data { vec![Spot::At(state.clone())] } else { vec![] });
            }
            Spot::At(state) => state,
        };
        let described = &self.alphabet.labels[*label];
        let mut out = vec![];
        if !(described.is_tick && described.direction == Direction::Out)
            && let Some(step) = self.step_of(happened)
        {
            let steps = self.system.steps_like(state, &step, Missing::Open, &self.given, None)?;
            out.extend(steps.into_iter().map(|step| self.after(step)));
        }
        if let Some(completion) = self.completion
            && described.direction == Direction::In
            && out.is_empty()
            && self.system.refuses(state, self.step_of(happened).as_ref(), &self.given)?
        {
            out.push(match completion {
                Completion::Ignore => spot.clone(),
                Completion::Chaos => Spot::Chaos,
            });
        }
        Ok(out)
    }

    /// Whether a spot waits, and does not take an input.
    fn refuses(&self, spot: &Spot, happened: &Happened) -> Listed<bool> {
        match spot {
            Spot::At(state) => self.system.refuses(state, self.step_of(happened).as_ref(), &self.given),
            Spot::Owing(..) | Spot::Chaos => Ok(false),
        }
    }

    /// Everything that can be shown from a spot, apart from silence.
    fn shown(&self, spot: &Spot) -> Listed<Vec<Happened>> {
        let state = match spot {
            // What chaos shows cannot be listed.
            Spot::Chaos => return Err(ChoiceError::TooMany),
            Spot::Owing(_, label, data) => return Ok(vec![Happened::Label(*label, data.clone())]),
            Spot::At(state) => state,
        };
        let mut out: Vec<Happened> = vec![];
        for label in self.alphabet.of_direction(Direction::Out) {
            let Some(port) = &self.ports[label] else { continue };
            for joint in (0..self.system.joints.len()).filter(|j| self.system.joints[*j].gate == Some(port.gate)) {
                if matches!(self.system.joints[joint].parts[..], [Part::Tick(_)]) {
                    continue;
                }
                for step in self.system.steps_with(joint, state, &[], &self.given, None)? {
                    let data = port.places.iter().map(|place| step.data[*place].clone()).collect();
                    let happened = Happened::Label(label, data);
                    if !out.contains(&happened) {
                        out.push(happened);
                    }
                }
            }
        }
        Ok(out)
    }

    /// Values that a label may carry by the types declared here; none if this model does not have it.
    fn listed(&self, label: usize) -> Option<Option<Vec<Vec<Value>>>> {
        let port = self.ports[label].as_ref()?;
        let fuel = Fuel::new();
        let definitions = &self.system.definitions;
        let env = Env { definitions, slots: &[], fuel: &fuel };
        let mut rows: Vec<Vec<Value>> = vec![vec![]];
        for place in &port.places {
            // Side by side, models may declare other types for one gate.
            let joints = self.system.joints.iter().filter(|joint| joint.gate == Some(port.gate));
            let mut types = vec![&self.system.gates[port.gate].params[*place].1];
            types.extend(joints.map(|joint| &joint.params[*place].1[0]));
            types.dedup();
            let mut values: Vec<Value> = vec![];
            for ty in types {
                let Ok(more) = finite_values(ty, &self.given.types, env) else { return Some(None) };
                let more: Vec<Value> = more.into_iter().filter(|value| !values.contains(value)).collect();
                values.extend(more);
            }
            if self.alphabet.labels[label].is_tick {
                values.push(Value::Absent);
            }
            if rows.len() * values.len() > MAX_INPUTS {
                return Some(None);
            }
            let extend = |row: &Vec<Value>| -> Vec<Vec<Value>> {
                values.iter().map(|value| row.iter().cloned().chain([value.clone()]).collect()).collect()
            };
            rows = rows.iter().flat_map(extend).collect();
        }
        Some(Some(rows))
    }
}

/// A pair that was met, and how.
struct Met {
    implementation: Spot,
    specification: BTreeSet<Spot>,
    /// The pair before it, and what happened in between.
    parent: Option<(usize, Happened)>,
    initial: Vec<Value>,
    depth: usize,
}

/// Searches; none if the values of the models cannot be listed.
pub(super) fn search(
    implementation: &StepSystem,
    specification: &StepSystem,
    alphabet: &Alphabet,
    options: &Options,
    most: usize,
) -> Option<(Found, usize)> {
    let ours = Model {
        system: implementation,
        ports: &alphabet.implementation,
        alphabet,
        completion: options.completion,
        given: Given::default(),
    };
    let theirs = Model {
        system: specification,
        ports: &alphabet.specification,
        alphabet,
        completion: None,
        given: Given::default(),
    };
    let mut inputs: Vec<Happened> = vec![];
    for label in alphabet.of_direction(Direction::In) {
        let mut rows: Vec<Vec<Value>> = vec![];
        for model in [&ours, &theirs] {
            if let Some(listed) = model.listed(label) {
                rows.extend(listed?);
            }
        }
        rows.sort();
        rows.dedup();
        inputs.extend(rows.into_iter().map(|data| Happened::Label(label, data)));
    }
    walk(&ours, &theirs, &inputs, options, most).ok()
}

fn walk(ours: &Model, theirs: &Model, inputs: &[Happened], options: &Options, most: usize) -> Listed<(Found, usize)> {
    let start = theirs.start()?;
    let mut met: Vec<Met> = vec![];
    let mut known: FxHashSet<(Spot, BTreeSet<Spot>)> = FxHashSet::default();
    let mut open = VecDeque::new();
    for state in ours.system.initial_states(&ours.given, None)? {
        let initial: Vec<Value> = ours.system.open_slots().into_iter().map(|slot| state.values[slot].clone()).collect();
        for spot in ours.settled(vec![Spot::At(state)])? {
            if known.insert((spot.clone(), start.clone())) {
                open.push_back(met.len());
                let specification = start.clone();
                met.push(Met { implementation: spot, specification, parent: None, initial: initial.clone(), depth: 0 });
            }
        }
    }
    let mut deepest = 0;
    while let Some(number) = open.pop_front() {
        let depth = met[number].depth;
        deepest = depth;
        if met.len() > most {
            return Ok((Found::Cut(depth, Limit::Work), met.len()));
        }
        if let Some(limit) = options.limits.used_up() {
            return Ok((Found::Cut(depth, limit), met.len()));
        }
        let (spot, places) = (met[number].implementation.clone(), met[number].specification.clone());
        let may_go_on = options.depth.is_none_or(|most| depth < most);
        let mut happens = ours.shown(&spot)?;
        if ours.is_quiet(&spot)? {
            happens.push(Happened::Delta);
        }
        let outputs = happens.len();
        if may_go_on {
            happens.extend_from_slice(inputs);
        }
        for (place, happened) in happens.into_iter().enumerate() {
            let is_input = place >= outputs;
            let mut next = vec![];
            for place in &places {
                next.extend(theirs.moves(place, &happened)?);
            }
            if next.is_empty() {
                if is_input {
                    continue;
                }
                let finding = finding(&met, number, happened);
                return Ok((Found::Wrong(finding), met.len()));
            }
            if !may_go_on {
                continue;
            }
            if is_input && options.is_universal {
                let mut refused = false;
                for place in &places {
                    refused |= theirs.refuses(place, &happened)?;
                }
                if refused {
                    continue;
                }
            }
            let next = theirs.settled(next)?;
            for spot in ours.settled(ours.moves(&spot, &happened)?)? {
                if known.insert((spot.clone(), next.clone())) {
                    open.push_back(met.len());
                    let parent = Some((number, happened.clone()));
                    met.push(Met {
                        implementation: spot,
                        specification: next.clone(),
                        parent,
                        initial: vec![],
                        depth: depth + 1,
                    });
                }
            }
        }
    }
    let found = match options.depth {
        Some(most) if deepest >= most => Found::Cut(most, Limit::Depth),
        _ => Found::Closed(deepest),
    };
    Ok((found, met.len()))
}

fn finding(met: &[Met], mut number: usize, observed: Happened) -> Finding {
    let mut trace = vec![];
    while let Some((before, happened)) = &met[number].parent {
        trace.push(happened.clone());
        number = *before;
    }
    trace.reverse();
    Finding { initial: met[number].initial.clone(), trace, observed }
}
