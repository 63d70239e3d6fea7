//! All states of a model after the same visible events, over terms: control, values, and the condition under which it is there.

use crate::kernel::{Part, StepSystem};
use crate::search::effect;
use crate::syntax::tree::Direction;
use crate::term::{Definitions, Store, Symbol, Symbolic, Term, Terms, Type, Unsupported, Value, open};

/// Most places that are looked at; beyond that nothing is certainly wrong.
const MAX_PLACES: usize = 48;

/// Where a model may be.
#[derive(Clone, PartialEq)]
pub(super) struct Place {
    control: Vec<u32>,
    values: Vec<Term>,
    /// What must hold of the data so far.
    pub when: Term,
}

/// A step that is possible from a place.
pub(super) struct Move {
    /// What it asks for, together with its place.
    pub when: Term,
    next: Place,
}

/// Where a model may be after some events.
#[derive(Clone)]
pub(super) struct Places<'a> {
    system: &'a StepSystem,
    definitions: &'a Definitions,
    pub places: Vec<Place>,
    /// Whether no place is missing.
    pub is_all: bool,
}

impl<'a> Places<'a> {
    pub fn new(
        system: &'a StepSystem,
        definitions: &'a Definitions,
        initial: &[Value],
        terms: &mut Terms,
        store: &mut Store,
    ) -> Places<'a> {
        let control = system.machines.iter().map(|machine| machine.initial).collect();
        let values = initial.iter().map(|value| terms.constant(value.clone())).collect();
        let when = terms.bool(true);
        let has_ticks = system.joints.iter().any(|joint| matches!(joint.parts[..], [Part::Tick(_)]));
        let places = vec![Place { control, values, when }];
        let mut places = Places { system, definitions, places, is_all: !has_ticks };
        places.close(terms, store);
        places
    }

    fn joints(&self, is_wanted: impl Fn(Option<usize>) -> bool) -> Vec<usize> {
        (0..self.system.joints.len()).filter(|joint| is_wanted(self.system.joints[*joint].gate)).collect()
    }

    /// Gates at which the system can say something.
    pub fn output_gates(&self) -> Vec<usize> {
        let gates = self.system.gates.iter().enumerate();
        gates.filter(|(_, gate)| gate.direction == Direction::Out).map(|(number, _)| number).collect()
    }

    /// Where it may be if it has said something already that nobody has received yet.
    pub fn ahead(&self, terms: &mut Terms, store: &mut Store) -> Places<'a> {
        let mut ahead = self.clone();
        let own = self.joints(|gate| gate.is_none_or(|gate| self.system.gates[gate].direction == Direction::Out));
        ahead.close_by(&own, terms, store);
        ahead
    }

    /// Internal steps, as many as there are.
    fn close(&mut self, terms: &mut Terms, store: &mut Store) {
        let internal = self.joints(|gate| gate.is_none());
        self.close_by(&internal, terms, store);
    }

    /// Steps of some joints with data that nobody sees, as many as there are.
    fn close_by(&mut self, joints: &[usize], terms: &mut Terms, store: &mut Store) {
        let mut number = 0;
        while let Some(place) = self.places.get(number).cloned() {
            number += 1;
            for joint in joints {
                if !self.at_source(&place, *joint) {
                    continue;
                }
                let types: Vec<Type> =
                    self.system.joints[*joint].params.iter().map(|(_, types)| types[0].clone()).collect();
                let Ok((data, _)) = fresh(&types, terms, store, self.definitions) else {
                    self.is_all = false;
                    continue;
                };
                match self.taken(&place, *joint, &data, terms) {
                    Ok(Some(step)) if !self.places.contains(&step.next) => self.places.push(step.next),
                    Ok(_) => {}
                    Err(_) => self.is_all = false,
                }
            }
            if self.places.len() > MAX_PLACES {
                self.is_all = false;
                self.places.truncate(MAX_PLACES);
            }
        }
    }

    fn at_source(&self, place: &Place, joint: usize) -> bool {
        self.system.joints[joint].parts.iter().all(|part| match part {
            Part::Tick(_) => false,
            Part::Switch { machine, transition } => {
                self.system.machines[*machine].transitions[*transition].source == place.control[*machine]
            }
        })
    }

    /// A step of one place, if it is not impossible.
    fn taken(
        &self,
        place: &Place,
        joint: usize,
        data: &[Term],
        terms: &mut Terms,
    ) -> Result<Option<Move>, Unsupported> {
        let joint = &self.system.joints[joint];
        let mut next = place.clone();
        let mut when = vec![place.when];
        for ((_, types), value) in joint.params.iter().zip(data) {
            for ty in types {
                when.push(Symbolic::new(terms, self.definitions, &[]).contains(ty, *value)?);
            }
        }
        for part in &joint.parts {
            let Part::Switch { machine, transition } = *part else { return Ok(None) };
            let t = &self.system.machines[machine].transitions[transition];
            let Some(effect) = effect(terms, self.definitions, (transition, t), &place.values, data)? else {
                return Ok(None);
            };
            when.push(effect.enabled);
            next.control[machine] = t.target;
            effect.writes.into_iter().for_each(|(slot, value)| next.values[slot] = value);
        }
        let when = terms.all(when);
        next.when = when;
        Ok((!terms.is(when, false)).then_some(Move { when, next }))
    }

    /// What can happen at a gate with some data, from each place; none for a place of which nobody can tell.
    pub fn moves(&self, gate: usize, data: &[Term], terms: &mut Terms) -> Vec<Option<Vec<Move>>> {
        let joints = self.joints(|of| of == Some(gate));
        let of_place = |place: &Place, terms: &mut Terms| {
            let mut moves = vec![];
            for joint in joints.iter().filter(|joint| self.at_source(place, **joint)) {
                moves.extend(self.taken(place, *joint, data, terms).ok()?);
            }
            Some(moves)
        };
        self.places.iter().map(|place| of_place(place, terms)).collect()
    }

    /// The event happens.
    pub fn advance(&mut self, gate: usize, data: &[Term], terms: &mut Terms, store: &mut Store) {
        let mut next: Vec<Place> = vec![];
        for moves in self.moves(gate, data, terms) {
            match moves {
                None => self.is_all = false,
                Some(moves) => {
                    for step in moves {
                        if !next.contains(&step.next) {
                            next.push(step.next);
                        }
                    }
                }
            }
        }
        self.places = next;
        self.close(terms, store);
    }

    /// Changes what the conditions and values say of symbols that are known now.
    pub fn substitute(&mut self, terms: &mut Terms, known: &dyn Fn(Symbol) -> Option<Term>) {
        for place in &mut self.places {
            place.when = terms.substitute(place.when, known);
            place.values.iter_mut().for_each(|value| *value = terms.substitute(*value, known));
        }
        self.places.retain(|place| !terms.is(place.when, false));
    }

    /// That the model may be in a place in which it says nothing before it is told something; none if nobody can tell.
    pub fn silence(&self, terms: &mut Terms, store: &mut Store) -> Option<Term> {
        let own = self.joints(|gate| gate.is_none_or(|gate| self.system.gates[gate].direction == Direction::Out));
        let mut any = vec![];
        for place in &self.places {
            let mut all = vec![place.when];
            let here = Place { when: terms.bool(true), ..place.clone() };
            for joint in own.iter().filter(|joint| self.at_source(place, **joint)) {
                let types: Vec<Type> =
                    self.system.joints[*joint].params.iter().map(|(_, types)| types[0].clone()).collect();
                let (data, symbols) = fresh(&types, terms, store, self.definitions).ok()?;
                if let Some(step) = self.taken(&here, *joint, &data, terms).ok()? {
                    let mut asked = vec![step.when];
                    for symbol in &symbols {
                        let term = terms.symbol(*symbol);
                        asked.extend(store.ranges[symbol.number as usize].conditions(terms, term));
                    }
                    let asked = terms.all(asked);
                    let possible = terms.exists(&symbols, asked);
                    all.push(terms.not(possible));
                }
            }
            any.push(terms.all(all));
        }
        Some(terms.any(any))
    }
}

/// Open values of some types, with their symbols.
pub(super) fn fresh(
    types: &[Type],
    terms: &mut Terms,
    store: &mut Store,
    definitions: &Definitions,
) -> Result<(Vec<Term>, Vec<Symbol>), Unsupported> {
    let first = store.ranges.len();
    let mut data = vec![];
    for ty in types {
        let opened = open(ty, store, terms, definitions)?;
        if !opened.complete {
            return Err(Unsupported("values of any size".to_owned()));
        }
        data.push(opened.value);
    }
    let symbols = (first..store.ranges.len()).map(|n| Symbol { number: n as u32, sort: store.ranges[n].sort() });
    Ok((data, symbols.collect()))
}
