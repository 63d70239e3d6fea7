//! All states of a model after the same visible events, over terms: control, values, and the condition under which it is there.
//!
//! A system does not wait until somebody listens: before it gets an input it may have sent outputs that are received only later. These
//! are pending, in their order.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::kernel::{Joint, Part, StepSystem, mentions_only};
use crate::search::effect;
use crate::syntax::tree::Direction;
use crate::term::{
    BinaryOp, Definitions, Env, Expr, Fuel, Node, OpenFrame, Opened, Store, Symbol, Symbolic, Term, Terms, Type,
    Unsupported, Value, finite_values, open,
};

/// Most places that are looked at; beyond that nothing is certainly wrong.
const MAX_PLACES: usize = 48;

/// Most pending outputs that are known; after these nobody can tell what is received.
const MAX_PENDING: usize = 3;

/// Most values of a composite type that are looked at one by one.
const MAX_LISTED: usize = 16;

/// Most members of sets that are looked at one by one.
const MAX_MEMBERS: usize = 4;

/// Most combinations of data of one step.
const MAX_OPENED: usize = 32;

/// Where a model may be.
#[derive(Clone, PartialEq)]
pub(super) struct Place {
    control: Vec<u32>,
    values: Vec<Term>,
    /// Outputs that were sent and are not received yet: gates with their data.
    pending: Vec<(usize, Vec<Term>)>,
    /// Whether others may be pending after these.
    has_more: bool,
    /// What must hold of the data so far.
    pub when: Term,
}

impl Place {
    /// All terms that say what comes of it.
    fn terms(&self) -> impl Iterator<Item = Term> {
        self.values.iter().chain(self.pending.iter().flat_map(|(_, data)| data)).copied()
    }

    fn pending_gates(&self) -> impl Iterator<Item = usize> {
        self.pending.iter().map(|(gate, _)| *gate)
    }
}

/// A step that is possible from a place.
pub(super) struct Move {
    /// What it asks for, together with its place.
    pub when: Term,
    /// Its data.
    pub data: Vec<Term>,
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
        let places = vec![Place { control, values, pending: vec![], has_more: false, when }];
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

    /// Steps that it makes by itself.
    fn own_joints(&self) -> Vec<usize> {
        self.joints(|gate| gate.is_none_or(|gate| self.system.gates[gate].direction == Direction::Out))
    }

    /// Where it may be if it has said something already that nobody has received yet, whatever that was.
    pub fn ahead(&self, terms: &mut Terms, store: &mut Store) -> Places<'a> {
        let mut ahead = self.clone();
        ahead.places.iter_mut().for_each(|place| place.pending.clear());
        ahead.close_by(&self.own_joints(), None, terms, store);
        ahead
    }

    /// It may say something before it is told something; of that, so many outputs will be looked at. As many of them are known as there is
    /// room for.
    pub fn run_ahead(&mut self, most: usize, terms: &mut Terms, store: &mut Store) {
        let own = self.own_joints();
        for known in (0..=most.min(MAX_PENDING)).rev() {
            let mut ahead = self.clone();
            let has_room = ahead.close_by(&own, Some((known, most)), terms, store);
            if has_room || known == 0 {
                *self = ahead;
                return;
            }
        }
    }

    /// Internal steps, as many as there are.
    fn close(&mut self, terms: &mut Terms, store: &mut Store) {
        let internal = self.joints(|gate| gate.is_none());
        self.close_by(&internal, None, terms, store);
    }

    /// Steps of some joints with data that nobody sees, as many as there are, and whether there is room for all of them. Outputs are pending if
    /// that is asked for: so many are known, of so many that will be looked at.
    fn close_by(
        &mut self,
        joints: &[usize],
        pending: Option<(usize, usize)>,
        terms: &mut Terms,
        store: &mut Store,
    ) -> bool {
        let mut number = 0;
        while let Some(place) = self.places.get(number).cloned() {
            number += 1;
            for joint in joints {
                if !self.at_source(&place, *joint) {
                    continue;
                }
                let data = vec![None; self.system.joints[*joint].params.len()];
                let Ok((ways, symbols)) = self.opened(&place, *joint, &data, terms, store) else {
                    self.is_all = false;
                    continue;
                };
                self.hidden.extend(symbols);
                for data in ways {
                    match self.taken(&place, *joint, &data, terms) {
                        Ok(Some(mut step)) => {
                            if let (Some((known, most)), Some(gate)) = (pending, self.system.joints[*joint].gate) {
                                match place.pending.len() < known && !place.has_more {
                                    true => step.next.pending.push((gate, data)),
                                    false => step.next.has_more |= place.pending.len() < most,
                                }
                            }
                            let next = self.without_forgotten(step.next, terms, store);
                            if !self.is_known(&next, terms, store) {
                                self.places.push(next);
                            }
                        }
                        Ok(None) => {}
                        Err(_) => self.is_all = false,
                    }
                }
            }
            if self.places.len() > MAX_PLACES {
                self.is_all = false;
                self.places.truncate(MAX_PLACES);
                return false;
            }
        }
        true
    }

    /// A place that does not speak of hidden data of which nothing is left in its values: only that there was some.
    fn without_forgotten(&self, mut place: Place, terms: &mut Terms, store: &Store) -> Place {
        let kept: FxHashSet<Symbol> = place.terms().flat_map(|value| terms.symbols(value)).collect();
        let is_forgotten = |symbol: &Symbol| self.hidden.contains(symbol) && !kept.contains(symbol);
        let forgotten: Vec<Symbol> = terms.symbols(place.when).into_iter().filter(is_forgotten).collect();
        place.when = some(&forgotten, place.when, terms, store);
        place
    }

    /// Whether a place is known already; it does not matter what hidden data is called.
    fn is_known(&self, place: &Place, terms: &mut Terms, store: &Store) -> bool {
        self.places.iter().any(|known| {
            let is_alike = place.control == known.control && place.has_more == known.has_more;
            if !is_alike || !place.pending_gates().eq(known.pending_gates()) {
                return false;
            }
            let mut called = FxHashMap::default();
            for (one, other) in place.terms().zip(known.terms()) {
                if let (Node::Symbol(one), Node::Symbol(other)) = (terms.node(one), terms.node(other))
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
                && same(place.when, known.when)
                && place.terms().zip(known.terms()).all(|(one, other)| same(one, other))
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
        Ok((!terms.is(when, false)).then_some(Move { when, data: data.to_vec(), next }))
    }

    /// All data with which a step may be taken, with the symbols that are new in it; an error if that has no terms. Data that is given
    /// stays. What may have any size is known where a condition says what it is.
    fn opened(
        &self,
        place: &Place,
        joint: usize,
        given: &[Option<Term>],
        terms: &mut Terms,
        store: &mut Store,
    ) -> Result<(Vec<Vec<Term>>, Vec<Symbol>), Unsupported> {
        let first = store.ranges.len();
        let joint = &self.system.joints[joint];
        let mut frame: OpenFrame = given.to_vec();
        let mut ways: Vec<Vec<(usize, Term)>> = vec![vec![]];
        let mut put_off = vec![];
        for (place, (_, types)) in joint.params.iter().enumerate().filter(|(place, _)| given[*place].is_none()) {
            match is_simple(&types[0], self.definitions) {
                true => frame[place] = Some(fresh(&types[..1], terms, store, self.definitions)?.0[0]),
                false => put_off.push(place),
            }
        }
        // What is said by an equation may say what something else is.
        while let Some((number, value)) = put_off
            .iter()
            .enumerate()
            .find_map(|(number, open)| Some((number, self.equation(place, joint, *open, &frame, terms)?)))
        {
            frame[put_off.remove(number)] = Some(value);
        }
        for open in put_off {
            let ty = &joint.params[open].1[0];
            let values = match self.listed(ty) {
                Some(values) => values.into_iter().map(|value| terms.constant(value)).collect(),
                None => fresh(std::slice::from_ref(ty), terms, store, self.definitions)?.0,
            };
            ways = ways
                .iter()
                .flat_map(|way| values.iter().map(move |value| [&way[..], &[(open, *value)]].concat()))
                .collect();
            if ways.len() > MAX_OPENED {
                return Err(Unsupported("so many values".to_owned()));
            }
        }
        let filled = |way: Vec<(usize, Term)>| {
            let mut data = frame.clone();
            way.into_iter().for_each(|(place, value)| data[place] = Some(value));
            data.into_iter().map(|value| value.expect("every parameter has a value")).collect()
        };
        let symbols = (first..store.ranges.len()).map(|n| Symbol { number: n as u32, sort: store.ranges[n].sort() });
        Ok((ways.into_iter().map(filled).collect(), symbols.collect()))
    }

    /// What a parameter is by a condition of a joint, `x == e`, where everything else in it is known.
    fn equation(
        &self,
        place: &Place,
        joint: &Joint,
        parameter: usize,
        frame: &OpenFrame,
        terms: &mut Terms,
    ) -> Option<Term> {
        for part in &joint.parts {
            let Part::Switch { machine, transition } = *part else { return None };
            for conjunct in &self.system.machines[machine].transitions[transition].guard {
                let Expr::Binary(BinaryOp::Equal, a, b) = &conjunct.expr else { continue };
                for (one, other) in [(a, b), (b, a)] {
                    let is_other_known =
                        || mentions_only(other, &|local| frame.get(local).is_some_and(Option::is_some));
                    if !matches!(**one, Expr::Local(local) if local == parameter) || !is_other_known() {
                        continue;
                    }
                    let value = Symbolic::new(terms, self.definitions, &place.values).eval(other, &mut frame.clone());
                    if let Ok(value) = value {
                        return Some(value.value);
                    }
                }
            }
        }
        None
    }

    /// The values of a type, if they are few.
    fn listed(&self, ty: &Type) -> Option<Vec<Value>> {
        let fuel = Fuel::new();
        let env = Env { definitions: self.definitions, slots: &[], fuel: &fuel };
        let values = |ty: &Type| finite_values(ty, &BTreeMap::new(), env).ok();
        // Of the members of a set there are many combinations.
        if let Type::Set(of) = ty {
            values(of).filter(|of| of.len() <= MAX_MEMBERS)?;
        }
        values(ty).filter(|values| values.len() <= MAX_LISTED)
    }

    /// The output that is received next, whatever else the system does, if it was sent already.
    fn first_pending<'p>(&self, place: &'p Place, gate: usize) -> Option<&'p (usize, Vec<Term>)> {
        place.pending.first().filter(|_| self.system.gates[gate].direction == Direction::Out)
    }

    /// Whether some place has a step at a gate, whatever its data is.
    pub fn may_reach(&self, gate: usize) -> bool {
        let joints = self.joints(|of| of == Some(gate));
        self.places.iter().any(|place| match self.first_pending(place, gate) {
            Some((pending, _)) => *pending == gate,
            None if place.has_more => true,
            None => joints.iter().any(|joint| self.at_source(place, *joint)),
        })
    }

    /// What can happen at a gate, from each place; none for a place of which nobody can tell. Data that is given is the data of the event.
    pub fn moves(
        &self,
        gate: usize,
        given: &[Option<Term>],
        terms: &mut Terms,
        store: &mut Store,
    ) -> Vec<Option<Vec<Move>>> {
        let joints = self.joints(|of| of == Some(gate));
        let of_place = |place: &Place, terms: &mut Terms, store: &mut Store| {
            let mut moves = vec![];
            if let Some((pending, sent)) = self.first_pending(place, gate) {
                if *pending == gate {
                    moves.extend(received(place, sent, given, terms));
                }
                return Some(moves);
            }
            if place.has_more && self.system.gates[gate].direction == Direction::Out {
                return None;
            }
            for joint in joints.iter().filter(|joint| self.at_source(place, **joint)) {
                for data in self.opened(place, *joint, given, terms, store).ok()?.0 {
                    moves.extend(self.taken(place, *joint, &data, terms).ok()?);
                }
            }
            Some(moves)
        };
        self.places.iter().map(|place| of_place(place, terms, store)).collect()
    }

    /// The event happens.
    pub fn advance(&mut self, gate: usize, data: &[Term], terms: &mut Terms, store: &mut Store) {
        let mut next: Vec<Place> = vec![];
        for moves in self.moves(gate, &given(data), terms, store) {
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
            let pending = place.pending.iter_mut().flat_map(|(_, data)| data);
            place.values.iter_mut().chain(pending).for_each(|value| *value = terms.substitute(*value, known));
        }
        self.places.retain(|place| !terms.is(place.when, false));
    }

    /// That hidden steps may go on for ever from a place; none if nobody can tell.
    fn endless(&self, place: &Place, way: &mut Vec<Place>, terms: &mut Terms, store: &mut Store) -> Option<Term> {
        let here = Place { when: terms.bool(true), ..place.clone() };
        if way.contains(&here) {
            return Some(here.when);
        }
        if way.len() > MAX_PLACES {
            return None;
        }
        way.push(here.clone());
        let mut any = vec![];
        for joint in self.joints(|gate| gate.is_none()).into_iter().filter(|joint| self.at_source(place, *joint)) {
            let types: Vec<Type> = self.system.joints[joint].params.iter().map(|(_, types)| types[0].clone()).collect();
            let (data, symbols) = fresh(&types, terms, store, self.definitions).ok()?;
            let Some(step) = self.taken(&here, joint, &data, terms).ok()? else { continue };
            let then = self.endless(&step.next, way, terms, store)?;
            let both = terms.and(step.when, then);
            any.push(some(&symbols, both, terms, store));
        }
        way.pop();
        Some(terms.any(any))
    }

    /// That the model may be in a place in which it says nothing before it is told something; none if nobody can tell. Of data that may have
    /// any size only some sizes are looked at: what the model can say with these it can say.
    /// The planned data is possible where everything that it depends on is known.
    pub fn silence(&self, (gate, planned): (usize, &[Value]), terms: &mut Terms, store: &mut Store) -> Option<Term> {
        let planned: Vec<Term> = planned.iter().map(|value| terms.constant(value.clone())).collect();
        let own = self.own_joints();
        let has_circles = !self.system.recurring().is_empty();
        let mut any = vec![];
        // What is pending is heard.
        for place in self.places.iter().filter(|place| place.pending.is_empty() && !place.has_more) {
            let mut all = vec![place.when];
            let here = Place { when: terms.bool(true), ..place.clone() };
            for joint in own.iter().filter(|joint| self.at_source(place, **joint)) {
                if self.system.joints[*joint].gate == Some(gate)
                    && self.taken(&here, *joint, &planned, terms).ok()?.is_some_and(|step| terms.is(step.when, true))
                {
                    all.push(terms.bool(false));
                    break;
                }
                let types: Vec<Type> =
                    self.system.joints[*joint].params.iter().map(|(_, types)| types[0].clone()).collect();
                let (data, symbols) = some_fresh(&types, terms, store, self.definitions).ok()?.0;
                if let Some(step) = self.taken(&here, *joint, &data, terms).ok()? {
                    let possible = some(&symbols, step.when, terms, store);
                    all.push(terms.not(possible));
                }
            }
            any.push(terms.all(all));
            if has_circles {
                let endless = self.endless(place, &mut vec![], terms, store)?;
                any.push(terms.and(place.when, endless));
            }
        }
        Some(terms.any(any))
    }
}

/// Data that is known.
pub(super) fn given(data: &[Term]) -> Vec<Option<Term>> {
    data.iter().copied().map(Some).collect()
}

/// Whether a value of a type is one that is compared, or a record of such values.
pub(super) fn is_simple(ty: &Type, definitions: &Definitions) -> bool {
    match ty.shape() {
        Type::Data(id) => {
            let data = &definitions.types[id];
            let is_record = data.is_record && data.constructors.len() == 1;
            data.is_enum() || is_record && data.constructors[0].fields.iter().all(|(_, ty)| is_simple(ty, definitions))
        }
        Type::Bool | Type::Int { .. } | Type::Real | Type::Text => true,
        _ => false,
    }
}

/// The first of the pending outputs is received with some data, if it can be that data.
fn received(place: &Place, sent: &[Term], given: &[Option<Term>], terms: &mut Terms) -> Option<Move> {
    let mut when = vec![place.when];
    for (sent, given) in sent.iter().zip(given) {
        if let Some(given) = given {
            when.push(terms.equal(*sent, *given));
        }
    }
    let when = terms.all(when);
    let next = Place { pending: place.pending[1..].to_vec(), when, ..place.clone() };
    (!terms.is(when, false)).then_some(Move { when, data: sent.to_vec(), next })
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
type Fresh = (Vec<Term>, Vec<Symbol>);

/// Open values of some types.
pub(super) fn fresh(
    types: &[Type],
    terms: &mut Terms,
    store: &mut Store,
    definitions: &Definitions,
) -> Result<Fresh, Unsupported> {
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
) -> Result<(Fresh, bool), Unsupported> {
    let first = store.ranges.len();
    let mut data = vec![];
    let mut is_all = true;
    for ty in types {
        let opened = open(ty, store, terms, definitions)?;
        is_all &= matches!(opened, Opened::Exact(_));
        data.push(opened.as_example().value);
    }
    let symbols = (first..store.ranges.len()).map(|n| Symbol { number: n as u32, sort: store.ranges[n].sort() });
    Ok(((data, symbols.collect()), is_all))
}
