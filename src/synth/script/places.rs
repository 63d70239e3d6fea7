//! All states of a model after the same visible events, over terms: control, values, and the condition under which it is there.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::kernel::{Part, StepSystem};
use crate::search::effect;
use crate::syntax::tree::Direction;
use crate::term::{Definitions, Node, Store, Symbol, Symbolic, Term, Terms, Type, Unsupported, Value, open};

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
    /// Data of steps that nobody saw.
    hidden: FxHashSet<Symbol>,
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
        let mut places = Places { system, definitions, places, is_all: !has_ticks, hidden: FxHashSet::default() };
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
                let Ok((data, symbols)) = fresh(&types, terms, store, self.definitions) else {
                    self.is_all = false;
                    continue;
                };
                self.hidden.extend(symbols);
                match self.taken(&place, *joint, &data, terms) {
                    Ok(Some(step)) => {
                        let next = self.without_forgotten(step.next, terms, store);
                        if !self.is_known(&next, terms, store) {
                            self.places.push(next);
                        }
                    }
                    Ok(None) => {}
                    Err(_) => self.is_all = false,
                }
            }
            if self.places.len() > MAX_PLACES {
                self.is_all = false;
                self.places.truncate(MAX_PLACES);
            }
        }
    }

    /// A place that does not speak of hidden data of which nothing is left in its values: only that there was some.
    fn without_forgotten(&self, mut place: Place, terms: &mut Terms, store: &Store) -> Place {
        let kept: FxHashSet<Symbol> = place.values.iter().flat_map(|value| terms.symbols(*value)).collect();
        let is_forgotten = |symbol: &Symbol| self.hidden.contains(symbol) && !kept.contains(symbol);
        let forgotten: Vec<Symbol> = terms.symbols(place.when).into_iter().filter(is_forgotten).collect();
        place.when = some(&forgotten, place.when, terms, store);
        place
    }

    /// Whether a place is known already; it does not matter what hidden data is called.
    fn is_known(&self, place: &Place, terms: &mut Terms, store: &Store) -> bool {
        self.places.iter().any(|known| {
            let mut called = FxHashMap::default();
            for (one, other) in place.values.iter().zip(&known.values) {
                if let (Node::Symbol(one), Node::Symbol(other)) = (terms.node(*one), terms.node(*other))
                    && [one, other].iter().all(|symbol| self.hidden.contains(symbol))
                    && store.ranges[one.number as usize] == store.ranges[other.number as usize]
                {
                    called.insert(*one, *other);
                }
            }
            let is_one_to_one = called.values().collect::<FxHashSet<_>>().len() == called.len();
            let mut same = |one: Term, other: Term| {
                let names: FxHashMap<Symbol, Term> =
                    called.iter().map(|(one, other)| (*one, terms.symbol(*other))).collect();
                terms.substitute(one, &|symbol| names.get(&symbol).copied()) == other
            };
            is_one_to_one
                && place.control == known.control
                && same(place.when, known.when)
                && place.values.iter().zip(&known.values).all(|(one, other)| same(*one, *other))
        })
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

    /// Whether some place has a step at a gate, whatever its data is.
    pub fn may_reach(&self, gate: usize) -> bool {
        let joints = self.joints(|of| of == Some(gate));
        self.places.iter().any(|place| joints.iter().any(|joint| self.at_source(place, *joint)))
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

    /// That the model may be in a place in which it says nothing before it is told something; none if nobody can tell. Of data that may have
    /// any size only some sizes are looked at: what the model can say with these it can say.
    pub fn silence(&self, terms: &mut Terms, store: &mut Store) -> Option<Term> {
        let own = self.joints(|gate| gate.is_none_or(|gate| self.system.gates[gate].direction == Direction::Out));
        let mut any = vec![];
        for place in &self.places {
            let mut all = vec![place.when];
            let here = Place { when: terms.bool(true), ..place.clone() };
            for joint in own.iter().filter(|joint| self.at_source(place, **joint)) {
                let types: Vec<Type> =
                    self.system.joints[*joint].params.iter().map(|(_, types)| types[0].clone()).collect();
                let (data, symbols) = some_fresh(&types, terms, store, self.definitions).ok()?.0;
                if let Some(step) = self.taken(&here, *joint, &data, terms).ok()? {
                    let possible = some(&symbols, step.when, terms, store);
                    all.push(terms.not(possible));
                }
            }
            any.push(terms.all(all));
        }
        Some(terms.any(any))
    }
}

/// That some values of symbols satisfy a condition.
pub(super) fn some(symbols: &[Symbol], condition: Term, terms: &mut Terms, store: &Store) -> Term {
    let mut all = vec![condition];
    for symbol in symbols {
        let term = terms.symbol(*symbol);
        all.extend(store.ranges[symbol.number as usize].conditions(terms, term));
    }
    let condition = terms.all(all);
    terms.exists(symbols, condition)
}

/// Open values, with their symbols.
type Opened = (Vec<Term>, Vec<Symbol>);

/// Open values of some types.
pub(super) fn fresh(
    types: &[Type],
    terms: &mut Terms,
    store: &mut Store,
    definitions: &Definitions,
) -> Result<Opened, Unsupported> {
    match some_fresh(types, terms, store, definitions)? {
        (opened, true) => Ok(opened),
        (_, false) => Err(Unsupported("values of any size".to_owned())),
    }
}

/// Open values of some types, and whether these are all.
fn some_fresh(
    types: &[Type],
    terms: &mut Terms,
    store: &mut Store,
    definitions: &Definitions,
) -> Result<(Opened, bool), Unsupported> {
    let first = store.ranges.len();
    let mut data = vec![];
    let mut is_all = true;
    for ty in types {
        let opened = open(ty, store, terms, definitions)?;
        is_all &= opened.complete;
        data.push(opened.value);
    }
    let symbols = (first..store.ranges.len()).map(|n| Symbol { number: n as u32, sort: store.ranges[n].sort() });
    Ok(((data, symbols.collect()), is_all))
}
