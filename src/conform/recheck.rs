//! A second way to *conforms*: pairs of concrete states by the definition, with the interpreter's steps.
//!
//! Shares with the engines: evaluation, the interpreter's steps, the alphabet. Shares neither pairs, places, reductions, symbolic
//! meaning nor a solver. Inputs are those that the specification takes; outputs are those that the implementation has. What
//! one side does is asked of the other with the same data, so that small domains lead to no false alarm.

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::alphabet::{Alphabet, Port};
use super::observed::Happened;
use super::pairs::Finding;
use super::{Comparison, Options};
use crate::confirm::{Allowance, Beyond, Confirmation, Domains, Stepper};
use crate::kernel::{Completion, Given, Part, State, Step, StepSystem};
use crate::syntax::tree::Direction;
use crate::term::Value;

/// Something that can be observed: a label with its data.
type Event = (usize, Vec<Value>);

/// Where a model is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Spot {
    At(State),
    /// Between the inputs and the outputs of a tick, which are still to be shown.
    Owing(State, Event),
}

/// Looks for something that the implementation shows and the specification does not allow.
pub(super) fn recheck(compared: &Comparison<'_>, options: &Options<'_>) -> Result<Confirmation, Box<Finding>> {
    let Some(allowance) = Allowance::of(options.recheck, &options.limits) else { return Ok(Confirmation::NotAsked) };
    let walk = || Walk::new(compared, options, allowance, &Given::default(), &Given::default()).run();
    let (found, states) = options.limits.attempt(walk).unwrap_or_else(|limit| (Err(Beyond::Limit(limit)), 0));
    match found {
        Ok(None) => Ok(Confirmation::Confirmed { states }),
        Ok(Some(finding)) => Err(Box::new(finding)),
        Err(why @ Beyond::Values(_)) => attack(compared, options, states, why),
        Err(why) => Ok(Confirmation::Attacked { states, why }),
    }
}

/// The same over small domains.
fn attack(
    compared: &Comparison<'_>,
    options: &Options<'_>,
    mut visited: usize,
    why: Beyond,
) -> Result<Confirmation, Box<Finding>> {
    let ours = Domains::of_models(compared.implementation, compared.specification);
    let theirs = Domains::of_models(compared.specification, compared.implementation);
    for (size, allowance) in Allowance::attack(&options.limits) {
        let (given, also) = (ours.given(size), theirs.given(size));
        let walk = || Walk::new(compared, options, allowance, &given, &also).run();
        let Ok((found, states)) = options.limits.attempt(walk) else { break };
        visited += states;
        // Silence may be missed, and hidden steps too, where not all values are tried.
        if let Ok(Some(finding)) = found
            && compared.confirmed(options, &finding).is_some()
        {
            return Err(Box::new(finding));
        }
    }
    Ok(Confirmation::Attacked { states: visited, why })
}

/// One of the models.
struct Model<'a> {
    system: &'a StepSystem,
    ports: &'a [Option<Port>],
    alphabet: &'a Alphabet,
    completion: Option<Completion>,
    stepper: Stepper<'a>,
    /// Whether all values are tried.
    is_exact: bool,
}

impl Model<'_> {
    /// All steps with values that are tried.
    fn steps(&mut self, state: &State) -> Result<Rc<[Step]>, Beyond> {
        self.stepper.steps(state)
    }

    /// What is observed first of a step; nothing if it is hidden.
    fn event(&self, step: &Step) -> Option<Event> {
        let gate = self.system.joints[step.joint].gate?;
        let is_tick = self.is_tick(step);
        let label = (0..self.ports.len()).find(|label| {
            let is_first = !is_tick || self.alphabet.labels[*label].direction == Direction::In;
            is_first && self.ports[*label].as_ref().is_some_and(|port| port.gate == gate)
        })?;
        Some((label, self.data(label, step)))
    }

    fn is_tick(&self, step: &Step) -> bool {
        matches!(self.system.joints[step.joint].parts[..], [Part::Tick(_)])
    }

    fn data(&self, label: usize, step: &Step) -> Vec<Value> {
        let places = self.ports[label].as_ref().map_or(&[][..], |port| &port.places);
        places.iter().map(|place| step.data[*place].clone()).collect()
    }

    /// Where a step leads; a tick leaves its outputs to be shown.
    fn after(&self, step: &Step) -> Spot {
        let gate = self.system.joints[step.joint].gate;
        let end = (0..self.ports.len()).find(|label| {
            self.alphabet.labels[*label].direction == Direction::Out
                && self.ports[*label].as_ref().is_some_and(|port| Some(port.gate) == gate)
        });
        match end {
            Some(label) if self.is_tick(step) => Spot::Owing(step.next.clone(), (label, self.data(label, step))),
            _ => Spot::At(step.next.clone()),
        }
    }

    /// All spots that hidden steps lead to.
    fn closed(&mut self, spots: BTreeSet<Spot>) -> Result<BTreeSet<Spot>, Beyond> {
        let mut out = spots;
        let mut open: Vec<Spot> = out.iter().cloned().collect();
        while let Some(spot) = open.pop() {
            for next in self.hidden(&spot)? {
                if out.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        Ok(out)
    }

    fn hidden(&mut self, spot: &Spot) -> Result<Vec<Spot>, Beyond> {
        let Spot::At(state) = spot else { return Ok(vec![]) };
        let steps = self.steps(state)?;
        Ok(steps.iter().filter(|step| self.event(step).is_none()).map(|step| self.after(step)).collect())
    }

    /// Whether nothing may be seen for ever: no output and no hidden step, or hidden steps without end.
    fn is_silent(&mut self, spot: &Spot) -> Result<bool, Beyond> {
        let Spot::At(state) = spot else { return Ok(false) };
        if !self.is_exact {
            return Ok(self.system.is_quiescent(state, &Given::default()) == Ok(true));
        }
        let steps = self.steps(state)?;
        let is_input = |event: &Event| self.alphabet.labels[event.0].direction == Direction::In;
        if steps.iter().all(|step| self.event(step).is_some_and(|event| is_input(&event))) {
            return Ok(true);
        }
        self.has_endless_path(spot)
    }

    /// Whether hidden steps go on for ever from here: whether they lead to a cycle, since spots are finitely many.
    fn has_endless_path(&mut self, spot: &Spot) -> Result<bool, Beyond> {
        let mut left: Vec<(Spot, Vec<Spot>)> = vec![];
        for spot in self.closed([spot.clone()].into())? {
            let next = self.hidden(&spot)?;
            left.push((spot, next));
        }
        // What leads nowhere is taken away until nothing more does; what is left goes on for ever.
        loop {
            let ends: FxHashSet<Spot> =
                left.iter().filter(|(_, next)| next.is_empty()).map(|(spot, _)| spot.clone()).collect();
            if ends.is_empty() {
                return Ok(left.iter().any(|(of, _)| of == spot));
            }
            left.retain(|(spot, _)| !ends.contains(spot));
            left.iter_mut().for_each(|(_, next)| next.retain(|spot| !ends.contains(spot)));
        }
    }

    /// Where an event with this data leads, by the interpreter's steps with just this data.
    fn moves(&mut self, spot: &Spot, (label, data): &Event) -> Result<Vec<Spot>, Beyond> {
        let state = match spot {
            Spot::Owing(state, owed) => {
                let is_owed = *owed == (*label, data.clone());
                return Ok(if is_owed { vec![Spot::At(state.clone())] } else { vec![] });
            }
            Spot::At(state) => state,
        };
        let mut out = vec![];
        if let Some(port) = &self.ports[*label] {
            for joint in 0..self.system.joints.len() {
                let described = &self.system.joints[joint];
                let is_tick = matches!(described.parts[..], [Part::Tick(_)]);
                let is_end = is_tick && self.alphabet.labels[*label].direction == Direction::Out;
                if described.gate != Some(port.gate) || is_end || !self.system.at_source(joint, state) {
                    continue;
                }
                let mut full = vec![Value::Absent; port.places.len()];
                for (place, value) in port.places.iter().zip(data) {
                    full[*place] = value.clone();
                }
                let steps = self.system.steps(joint, state, &full).map_err(Beyond::Evaluation)?;
                out.extend(steps.iter().map(|step| self.after(step)));
            }
        }
        let is_input = self.alphabet.labels[*label].direction == Direction::In;
        if out.is_empty() && is_input && self.completion.is_some() && self.hidden(spot)?.is_empty() {
            match self.completion {
                Some(Completion::Ignore) => out.push(spot.clone()),
                _ => return Err(Beyond::Values("after chaos anything is possible".to_owned())),
            }
        }
        Ok(out)
    }

    /// Events of a direction that can happen next, with values that are tried.
    fn events(&mut self, spot: &Spot, direction: Direction) -> Result<Vec<Event>, Beyond> {
        let events = match spot {
            Spot::Owing(_, event) => vec![event.clone()],
            Spot::At(state) => self.steps(state)?.iter().filter_map(|step| self.event(step)).collect(),
        };
        Ok(events.into_iter().filter(|(label, _)| self.alphabet.labels[*label].direction == direction).collect())
    }
}

struct Walk<'a> {
    ours: Model<'a>,
    theirs: Model<'a>,
    is_universal: bool,
    allowance: Allowance<'a>,
    known: FxHashSet<(Spot, BTreeSet<Spot>)>,
    met: Vec<Met>,
    queue: VecDeque<usize>,
}

/// A pair with the way to it.
struct Met {
    spot: Spot,
    places: BTreeSet<Spot>,
    before: Before,
}

/// How a pair was met.
#[derive(Clone)]
enum Before {
    /// At the start, with these values of open variables.
    Start(Vec<Value>),
    /// After another pair.
    Pair(usize, Happened),
}

impl<'a> Walk<'a> {
    fn new(
        compared: &Comparison<'a>,
        options: &'a Options<'a>,
        allowance: Allowance<'a>,
        ours: &Given,
        theirs: &Given,
    ) -> Walk<'a> {
        let Comparison { implementation, specification, alphabet } = *compared;
        let model = |system: &'a StepSystem, ports: &'a [Option<Port>], completion, given: &Given| Model {
            system,
            ports,
            alphabet,
            completion,
            stepper: Stepper::new(system, given.clone(), allowance),
            is_exact: *given == Given::default(),
        };
        Walk {
            ours: model(implementation, &alphabet.implementation, options.completion, ours),
            theirs: model(specification, &alphabet.specification, None, theirs),
            is_universal: options.is_universal,
            allowance,
            known: FxHashSet::default(),
            met: vec![],
            queue: VecDeque::new(),
        }
    }

    /// What is found, and the pairs that were met.
    fn run(mut self) -> (Result<Option<Finding>, Beyond>, usize) {
        let found = self.walk();
        (found, self.met.len())
    }

    fn walk(&mut self) -> Result<Option<Finding>, Beyond> {
        let start = self.theirs.stepper.initial()?.into_iter().map(Spot::At).collect();
        let start = self.theirs.closed(start)?;
        for state in self.ours.stepper.initial()? {
            let open = self.ours.system.open_slots();
            let values = open.into_iter().map(|slot| state.values[slot].clone()).collect();
            self.meet([Spot::At(state)].into(), &start, Before::Start(values))?;
        }
        while let Some(number) = self.queue.pop_front() {
            let (spot, places) = (self.met[number].spot.clone(), self.met[number].places.clone());
            let mut shown: Vec<Happened> = self
                .ours
                .events(&spot, Direction::Out)?
                .into_iter()
                .map(|(l, data)| Happened::Label(l, data))
                .collect();
            if self.ours.is_silent(&spot)? {
                shown.push(Happened::Delta);
            }
            let count = shown.len();
            for place in &places {
                for (label, data) in self.theirs.events(place, Direction::In)? {
                    let input = Happened::Label(label, data);
                    if !shown.contains(&input) {
                        shown.push(input);
                    }
                }
            }
            for (position, happened) in shown.into_iter().enumerate() {
                let next = self.after(&places, &happened)?;
                if next.is_empty() && position < count {
                    return Ok(Some(self.finding(number, happened)));
                }
                if position >= count && self.is_universal && !self.all_take(&places, &happened)? {
                    continue;
                }
                let reached = match &happened {
                    Happened::Delta => vec![spot.clone()],
                    Happened::Label(label, data) => self.ours.moves(&spot, &(*label, data.clone()))?,
                };
                self.meet(reached.into_iter().collect(), &next, Before::Pair(number, happened))?;
            }
        }
        Ok(None)
    }

    /// The places of the specification after something happened.
    fn after(&mut self, places: &BTreeSet<Spot>, happened: &Happened) -> Result<BTreeSet<Spot>, Beyond> {
        let mut next = BTreeSet::new();
        for place in places {
            match happened {
                Happened::Delta if self.theirs.is_silent(place)? => drop(next.insert(place.clone())),
                Happened::Delta => {}
                Happened::Label(label, data) => next.extend(self.theirs.moves(place, &(*label, data.clone()))?),
            }
        }
        self.theirs.closed(next)
    }

    /// Whether every place takes an input, after hidden steps at the latest.
    fn all_take(&mut self, places: &BTreeSet<Spot>, input: &Happened) -> Result<bool, Beyond> {
        let Happened::Label(label, data) = input else { return Ok(true) };
        let event = (*label, data.clone());
        for place in places {
            let mut is_taken = false;
            for spot in self.theirs.closed([place.clone()].into())? {
                is_taken |= !self.theirs.moves(&spot, &event)?.is_empty();
            }
            if !is_taken {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn meet(&mut self, spots: BTreeSet<Spot>, places: &BTreeSet<Spot>, before: Before) -> Result<(), Beyond> {
        for spot in self.ours.closed(spots)? {
            if self.known.insert((spot.clone(), places.clone())) {
                self.allowance.allows_states(self.known.len())?;
                self.queue.push_back(self.met.len());
                self.met.push(Met { spot, places: places.clone(), before: before.clone() });
            }
        }
        Ok(())
    }

    fn finding(&self, mut number: usize, observed: Happened) -> Finding {
        let mut trace = vec![];
        loop {
            match &self.met[number].before {
                Before::Start(initial) => {
                    trace.reverse();
                    return Finding { initial: initial.clone(), trace, observed };
                }
                Before::Pair(before, happened) => {
                    trace.push(happened.clone());
                    number = *before;
                }
            }
        }
    }
}
