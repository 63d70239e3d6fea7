//! One model seen from outside: where it can be, what it takes, what it shows, and when it is silent.
//!
//! A place is a symbolic state. Between the inputs and the outputs of a tick it also holds what is still to be shown. Moves
//! are made by the same steps as in symbolic search; what they ask for is a condition over the data of the label, so that
//! one model can be asked about what the other one does.

use std::cell::RefCell;
use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::alphabet::{Alphabet, Label, Port};
use super::world::World;
use crate::kernel::{Completion, Part, SlotKind, StepSystem};
use crate::reach::Matters;
use crate::search::{Branch, MAX_COMBINED, Stepper};
use crate::syntax::tree::Direction;
use crate::term::{Range, Symbol, Term, Type, Value};

/// Most values of a hidden choice that are looked at one by one.
const MAX_HIDDEN: usize = 16;

/// Most places that internal moves lead to before an input.
const MAX_INTERNAL: usize = 64;

/// Where a model is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Place {
    At {
        control: Vec<u32>,
        values: Vec<Term>,
        /// Outputs of a tick that are still to be shown: their label, and data.
        pending: Option<(usize, Vec<Term>)>,
    },
    /// Where everything is possible.
    Chaos,
    /// The same after silence: nothing is shown before the next input.
    Hushed,
}

impl Place {
    /// Where a model is when it has been silent.
    pub fn after_silence(&self) -> Place {
        if *self == Place::Chaos { Place::Hushed } else { self.clone() }
    }

    /// Its terms.
    pub fn terms(&self) -> impl Iterator<Item = Term> + '_ {
        let (values, pending) = match self {
            Place::At { values, pending, .. } => (&values[..], pending.as_ref().map_or(&[][..], |(_, data)| data)),
            Place::Chaos | Place::Hushed => (&[][..], &[][..]),
        };
        values.iter().chain(pending).copied()
    }

    /// The same place with other terms, which come in the same order.
    pub fn with_terms(&self, terms: &mut impl Iterator<Item = Term>) -> Place {
        let mut next = |_: &Term| terms.next().expect("as many terms as the place has");
        match self {
            Place::Chaos | Place::Hushed => self.clone(),
            Place::At { control, values, pending } => Place::At {
                control: control.clone(),
                values: values.iter().map(&mut next).collect(),
                pending: pending.as_ref().map(|(label, data)| (*label, data.iter().map(&mut next).collect())),
            },
        }
    }

    /// The same place with what is known in a branch.
    pub fn applied(&self, branch: &Branch, world: &mut World) -> Place {
        let terms: Vec<Term> = self.terms().map(|term| branch.store.apply(&mut world.terms, term)).collect();
        self.with_terms(&mut terms.into_iter())
    }
}

/// What a model can do.
#[derive(Clone, Debug)]
pub(super) struct Move {
    /// Under which condition.
    pub condition: Term,
    /// Where it is then.
    pub next: Place,
}

/// One of the two models.
pub(super) struct Side<'a> {
    pub system: &'a StepSystem,
    labels: &'a [Label],
    pub ports: &'a [Option<Port>],
    /// Joints that nobody sees.
    pub internal: Vec<usize>,
    /// Those of them that may be taken again and again, as far as control goes.
    pub recurring: Vec<usize>,
    /// Control states in which hidden steps never end, whatever the data is, as far as somebody asked.
    pub always: RefCell<FxHashMap<Vec<u32>, bool>>,
    /// Joints of every label; none for the outputs of a tick.
    joints: Vec<Vec<usize>>,
    completion: Option<Completion>,
    /// Which variables still matter; all of them, if nothing is said.
    matters: Option<Matters>,
}

impl<'a> Side<'a> {
    pub fn implementation(system: &'a StepSystem, alphabet: &'a Alphabet, completion: Option<Completion>) -> Side<'a> {
        Side { completion, ..Side::new(system, &alphabet.labels, &alphabet.implementation) }
    }

    pub fn specification(system: &'a StepSystem, alphabet: &'a Alphabet) -> Side<'a> {
        Side::new(system, &alphabet.labels, &alphabet.specification)
    }

    fn new(system: &'a StepSystem, labels: &'a [Label], ports: &'a [Option<Port>]) -> Side<'a> {
        let joints_at = |gate: Option<usize>| -> Vec<usize> {
            (0..system.joints.len()).filter(|joint| system.joints[*joint].gate == gate).collect()
        };
        let joints = labels.iter().zip(ports).map(|(label, port)| match port {
            Some(port) if !(label.is_tick && label.direction == Direction::Out) => joints_at(Some(port.gate)),
            _ => vec![],
        });
        Side {
            system,
            labels,
            ports,
            internal: joints_at(None),
            recurring: system.recurring(),
            always: RefCell::default(),
            joints: joints.collect(),
            completion: None,
            matters: Some(Matters::new(system)),
        }
    }

    /// The same model, of which every variable is kept.
    pub fn with_all_variables(self) -> Side<'a> {
        Side { matters: None, ..self }
    }

    /// The type that this model declares for a parameter of a label.
    pub fn declared_type(&self, label: usize, param: usize) -> Option<Type> {
        let port = self.ports[label].as_ref()?;
        Some(self.system.gates[port.gate].params[port.places[param]].1.clone())
    }

    fn stepper<'s>(&'s self, world: &'s mut World) -> Stepper<'s> {
        Stepper {
            system: self.system,
            definitions: world.definitions,
            terms: &mut world.terms,
            oracle: &mut world.oracle,
            gaps: &mut world.gaps,
            most: MAX_COMBINED,
        }
    }

    /// A place without what no longer matters.
    fn place(&self, world: &mut World, control: Vec<u32>, mut values: Vec<Term>) -> Place {
        for (slot, value) in values.iter_mut().enumerate() {
            if self.matters.as_ref().is_some_and(|matters| !matters.is_read(&control, slot)) {
                *value = world.terms.constant(Value::Absent);
            }
        }
        Place::At { control, values, pending: None }
    }

    /// Where it begins; open variables are opened in the branch, and returned.
    pub fn start(&self, world: &mut World, branch: &mut Branch) -> Option<(Place, Vec<Term>)> {
        let (mut values, mut opened) = (vec![], vec![]);
        for slot in &self.system.slots {
            values.push(match &slot.init {
                Some(value) => world.terms.constant(value.clone()),
                None => {
                    let value = world.open(&slot.ty, branch)?;
                    opened.push(value);
                    value
                }
            });
        }
        let control = self.system.machines.iter().map(|machine| machine.initial).collect();
        Some((self.place(world, control, values), opened))
    }

    /// Some place with given control states; what its variables are is open.
    pub fn anywhere(&self, world: &mut World, branch: &mut Branch, control: &[u32]) -> Option<Place> {
        let place = Place::At { control: control.to_vec(), values: vec![], pending: None };
        self.opened(world, branch, &place)
    }

    /// The same place, where what still matters is open.
    pub fn opened(&self, world: &mut World, branch: &mut Branch, place: &Place) -> Option<Place> {
        let Place::At { control, pending, .. } = place else { return Some(place.clone()) };
        let absent = world.terms.constant(Value::Absent);
        let mut values = vec![absent; self.system.slots.len()];
        for (number, slot) in self.system.slots.iter().enumerate() {
            let matters = self.matters.as_ref().is_none_or(|matters| matters.is_read(control, number));
            if matters && slot.kind != SlotKind::Input {
                values[number] = world.open_message(&slot.ty, slot.kind == SlotKind::Channel, branch)?;
            }
        }
        let pending = match pending {
            None => None,
            Some((label, _)) => Some((*label, world.open_label(&self.labels[*label], branch)?)),
        };
        Some(Place::At { control: control.clone(), values, pending })
    }

    /// That the data of a label is in the types that this model declares; none if it does not have the label.
    pub fn declared(&self, world: &mut World, label: usize, data: &[Term]) -> Option<Term> {
        let port = self.ports[label].as_ref()?;
        let gate = &self.system.gates[port.gate];
        let mut rows: Vec<Vec<&Type>> = vec![port.places.iter().map(|place| &gate.params[*place].1).collect()];
        // Side by side, models may declare other types for one gate.
        for joint in self.system.joints.iter().filter(|joint| joint.gate == Some(port.gate)) {
            let alone = |place: &usize| match &joint.params[*place].1[..] {
                [ty] => Some(ty),
                _ => None,
            };
            rows.extend(port.places.iter().map(alone).collect::<Option<Vec<&Type>>>());
        }
        rows.dedup();
        let mut some = vec![];
        for row in rows {
            let mut parts = vec![];
            for (ty, value) in row.into_iter().zip(data) {
                parts.push(world.inside(ty, *value)?);
            }
            some.push(world.terms.all(parts));
        }
        Some(world.terms.any(some))
    }

    /// Data of a label in the order of the gate's own parameters, with other data for those the label does not have.
    fn own_order(&self, label: usize, data: &[Term]) -> Vec<Term> {
        let Some(port) = &self.ports[label] else { return vec![] };
        let first = port.places.iter().copied().min().unwrap_or(0);
        let mut own = data.to_vec();
        for (place, term) in port.places.iter().zip(data) {
            own[place - first] = *term;
        }
        own
    }

    /// Moves with a label that carries the given data, as far as they can be in a branch.
    pub fn moves(&self, world: &mut World, branch: &Branch, place: &Place, label: usize, data: &[Term]) -> Vec<Move> {
        let mut out = self.taken(world, branch, place, label, data);
        if self.labels[label].direction == Direction::In && matches!(place, Place::At { pending: None, .. }) {
            out.extend(self.completed(world, branch, place, &out, (label, data)));
        }
        out
    }

    /// The same without what is done with inputs that are not taken.
    fn taken(&self, world: &mut World, branch: &Branch, place: &Place, label: usize, data: &[Term]) -> Vec<Move> {
        let (control, values, pending) = match place {
            Place::Hushed if self.labels[label].direction == Direction::Out => return vec![],
            Place::Chaos | Place::Hushed => {
                let condition = self.shown_in_chaos(world, label, data);
                return condition.map(|condition| Move { condition, next: Place::Chaos }).into_iter().collect();
            }
            Place::At { control, values, pending } => (control, values, pending),
        };
        if let Some((owed, shown)) = pending {
            if *owed != label {
                return vec![];
            }
            let same = data.iter().zip(shown).map(|(a, b)| world.terms.equal(*a, *b)).collect();
            let condition = world.terms.all(same);
            let next = Place::At { control: control.clone(), values: values.clone(), pending: None };
            return vec![Move { condition, next }];
        }
        let own = self.own_order(label, data);
        let mut out = vec![];
        for joint in &self.joints[label] {
            out.extend(self.steps(world, branch, (control, values), *joint, &own));
        }
        out
    }

    /// That the data of a label is possible in chaos: what comes from outside may be anything, and what is shown is in the types of
    /// its gate. None for an output without a gate. Whoever allows everything, as no model does, allows that too.
    fn shown_in_chaos(&self, world: &mut World, label: usize, data: &[Term]) -> Option<Term> {
        if self.completion.is_none() {
            return Some(world.terms.bool(true));
        }
        let Some(port) = &self.ports[label] else {
            return (self.labels[label].direction == Direction::In).then(|| world.terms.bool(true));
        };
        let first = self.system.chosen_from(port.gate);
        let mut some = vec![];
        for row in self.system.carried_at(port.gate) {
            let mut parts = vec![];
            for (place, value) in port.places.iter().zip(data).filter(|(place, _)| **place >= first) {
                for ty in row[*place] {
                    parts.push(world.inside(ty, *value)?);
                }
            }
            some.push(world.terms.all(parts));
        }
        Some(world.terms.any(some))
    }

    /// Steps of a joint with given data; for a tick its inputs.
    fn steps(
        &self,
        world: &mut World,
        branch: &Branch,
        (control, values): (&[u32], &[Term]),
        joint: usize,
        data: &[Term],
    ) -> Vec<Move> {
        let described = &self.system.joints[joint];
        let tick = match described.parts[..] {
            [Part::Tick(tick)] => Some(tick),
            _ if !self.stepper(world).at_source(control, joint) => return vec![],
            _ => None,
        };
        let mut typed = vec![];
        for ((_, types), value) in described.params.iter().zip(data) {
            for ty in types {
                let Some(inside) = world.inside(ty, *value) else { return vec![] };
                typed.push(inside);
            }
        }
        let typed = world.terms.all(typed);
        let Some(within) = world.when(branch, typed) else { return vec![] };
        let taken = match tick {
            Some(tick) => {
                let machines = &self.system.ticks[tick].machines;
                self.stepper(world).ticks(control, values, tick, machines, data.to_vec(), within, None)
            }
            None => self.stepper(world).switches(control, values, joint, data.to_vec(), within).into_iter().collect(),
        };
        let mut out = vec![];
        for step in taken {
            let condition = world.terms.and(typed, step.condition);
            let mut next = self.place(world, step.control, step.values);
            if let (Some(gate), Some(tick), Place::At { pending, .. }) = (described.gate, tick, &mut next) {
                *pending = self.owed(gate, &step.data[self.system.ticks[tick].inputs.len()..]);
            }
            out.push(Move { condition, next });
        }
        out
    }

    /// The outputs of a tick as its label wants them.
    fn owed(&self, gate: usize, outputs: &[Term]) -> Option<(usize, Vec<Term>)> {
        let is_owed = |(label, port): (&Label, &Option<Port>)| {
            label.is_tick && label.direction == Direction::Out && port.as_ref().is_some_and(|port| port.gate == gate)
        };
        let label = self.labels.iter().zip(self.ports).position(is_owed)?;
        let places = &self.ports[label].as_ref()?.places;
        let first = places.iter().copied().min().unwrap_or(0);
        Some((label, places.iter().map(|place| outputs[place - first]).collect()))
    }

    /// What is done with an input where it is not taken.
    fn completed(
        &self,
        world: &mut World,
        branch: &Branch,
        place: &Place,
        taken: &[Move],
        label: (usize, &[Term]),
    ) -> Option<Move> {
        let next = match self.completion? {
            Completion::Ignore => place.clone(),
            Completion::Chaos => Place::Chaos,
        };
        let condition = self.not_taken(world, branch, place, taken, label);
        (!world.terms.is(condition, false)).then_some(Move { condition, next })
    }

    /// That a place waits for an input, perhaps in hidden steps for ever, and does not take it: it has none of these moves, and
    /// neither has any place that hidden steps lead to.
    pub fn not_taken(
        &self,
        world: &mut World,
        branch: &Branch,
        place: &Place,
        taken: &[Move],
        (label, data): (usize, &[Term]),
    ) -> Term {
        let mut parts: Vec<Term> = taken.iter().map(|step| world.terms.not(step.condition)).collect();
        let stable = self.is_stable(world, branch, place);
        let endless = self.endless(world, branch, place);
        // Where hidden steps come to an end there is a place at the end that waits.
        if world.terms.is(endless, false) {
            parts.push(stable);
        } else {
            match self.never_taken(world, branch, place, label, data) {
                Some(never) => parts.push(never),
                None => {
                    world.gaps.insert("too many hidden steps may come before an input".to_owned());
                    return world.terms.bool(false);
                }
            }
            parts.push(world.terms.or(stable, endless));
        }
        let condition = world.terms.all(parts);
        world.known(branch, condition)
    }

    /// That an input is not taken, whatever internal moves come first; none if there are too many of these.
    pub fn never_taken(
        &self,
        world: &mut World,
        branch: &Branch,
        place: &Place,
        label: usize,
        data: &[Term],
    ) -> Option<Term> {
        // Places, each with the condition under which hidden steps lead there.
        let mut places = vec![(world.terms.bool(true), place.clone())];
        let mut open = VecDeque::from([0]);
        let mut parts = vec![];
        let mut followed = 0;
        while let Some(number) = open.pop_front() {
            followed += 1;
            if places.len() > MAX_INTERNAL || followed > MAX_INTERNAL * 4 {
                return None;
            }
            let (condition, place) = places[number].clone();
            for step in self.taken(world, branch, &place, label, data) {
                let taken = world.terms.and(condition, step.condition);
                parts.push(world.terms.not(taken));
            }
            // Wherever hidden steps lead then.
            let never = world.terms.all(parts.clone());
            let never = world.known(branch, never);
            if world.terms.is(never, false) {
                return Some(never);
            }
            for step in self.internal_closed(world, branch, &place) {
                let condition = world.terms.and(condition, step.condition);
                let known = places.iter().position(|(_, known)| *known == step.next);
                let before = known.map(|known| places[known].0);
                let new = match before {
                    Some(before) => {
                        let not = world.terms.not(before);
                        world.terms.and(condition, not)
                    }
                    None => condition,
                };
                if world.when(branch, new).is_none() {
                    continue;
                }
                match known {
                    Some(known) => {
                        places[known].0 = world.terms.or(places[known].0, condition);
                        if !open.contains(&known) {
                            open.push_back(known);
                        }
                    }
                    None => {
                        open.push_back(places.len());
                        places.push((condition, step.next));
                    }
                }
            }
        }
        let never = world.terms.all(parts);
        Some(world.known(branch, never))
    }

    /// Internal moves, each in its branch: hidden data is opened there.
    pub fn internal(&self, world: &mut World, branch: &Branch, place: &Place) -> Vec<(Branch, Move)> {
        let Place::At { control, values, pending: None } = place else { return vec![] };
        let mut out = vec![];
        for joint in &self.internal {
            let mut branch = branch.clone();
            let Some(data) = self.hidden_data(world, &mut branch, control, *joint) else { continue };
            for step in self.steps(world, &branch, (control, values), *joint, &data) {
                if let Some(branch) = world.when(&branch, step.condition) {
                    out.push((branch, step));
                }
            }
        }
        out
    }

    /// Opens the data of a joint that can be taken from here.
    fn hidden_data(&self, world: &mut World, branch: &mut Branch, control: &[u32], joint: usize) -> Option<Vec<Term>> {
        let described = &self.system.joints[joint];
        let tick = match described.parts[..] {
            [Part::Tick(tick)] => Some(tick),
            _ if self.stepper(world).at_source(control, joint) => None,
            _ => return None,
        };
        let count = tick.map_or(described.params.len(), |tick| self.system.ticks[tick].inputs.len());
        let params = described.params[..count].iter();
        params.map(|(_, types)| world.open_message(&types[0].shape(), tick.is_some(), branch)).collect()
    }

    /// Internal moves over what a branch knows: hidden data is said by what it depends on, or by cases.
    pub fn internal_closed(&self, world: &mut World, branch: &Branch, place: &Place) -> Vec<Move> {
        let first = branch.store.ranges.len() as u32;
        let mut out = vec![];
        for (within, step) in self.internal(world, branch, place) {
            let next = step.next.applied(&within, world);
            let hidden: Vec<Symbol> = (first..within.store.ranges.len() as u32)
                .map(|number| Symbol { number, sort: within.store.ranges[number as usize].sort() })
                .collect();
            let mut left: Vec<Symbol> = vec![];
            for term in next.terms() {
                world.terms.each_symbol(term, &mut |symbol| {
                    if symbol.number >= first && !left.contains(&symbol) {
                        left.push(symbol);
                    }
                });
            }
            let mut cases: Vec<Vec<(Symbol, Term)>> = vec![vec![]];
            for symbol in left {
                let Some(values) = few(&within.store.ranges[symbol.number as usize]) else {
                    world.gaps.insert("the specification chooses data that nobody sees".to_owned());
                    return out;
                };
                let mut extended = vec![];
                for case in &cases {
                    for value in &values {
                        let value = world.terms.constant(value.clone());
                        extended.push(case.iter().copied().chain([(symbol, value)]).collect());
                    }
                }
                cases = extended;
            }
            let ranges = self.known_of(world, &within, &hidden);
            let condition = world.terms.and(step.condition, ranges);
            for case in cases {
                let known = |symbol: Symbol| case.iter().find(|(s, _)| *s == symbol).map(|(_, value)| *value);
                let condition = world.terms.substitute(condition, &known);
                let condition = world.terms.exists(&hidden, condition);
                let terms: Vec<Term> = next.terms().map(|term| world.terms.substitute(term, &known)).collect();
                let next = next.with_terms(&mut terms.into_iter());
                if !world.terms.is(condition, false) {
                    out.push(Move { condition, next });
                }
            }
        }
        out
    }

    /// What a branch knows of hidden symbols: what their types ask for, and no more than the steps themselves ask for.
    fn known_of(&self, world: &mut World, branch: &Branch, hidden: &[Symbol]) -> Term {
        let store = &branch.store;
        let mut parts = vec![];
        for symbol in hidden {
            let term = world.terms.symbol(*symbol);
            parts.extend(store.ranges[symbol.number as usize].conditions(&mut world.terms, term));
            let solved = store.apply(&mut world.terms, term);
            parts.push(world.terms.equal(term, solved));
        }
        for condition in &store.residual {
            let mut is_about = false;
            world.terms.each_symbol(*condition, &mut |symbol| is_about |= hidden.contains(&symbol));
            if is_about {
                parts.push(*condition);
            }
        }
        world.terms.all(parts)
    }

    /// That no internal move is possible.
    pub fn is_stable(&self, world: &mut World, branch: &Branch, place: &Place) -> Term {
        self.none_of(world, branch, place, &self.internal)
    }

    /// That nothing need be shown before the next input: nothing is shown and nothing happens unseen, or hidden steps go on for
    /// ever.
    pub fn is_quiet(&self, world: &mut World, branch: &Branch, place: &Place) -> Term {
        let outputs = (self.labels.iter().zip(&self.joints)).filter(|(label, _)| label.direction == Direction::Out);
        let joints: Vec<usize> = outputs.flat_map(|(_, joints)| joints).chain(&self.internal).copied().collect();
        let quiet = self.none_of(world, branch, place, &joints);
        if world.terms.is(quiet, true) {
            return quiet;
        }
        let endless = self.endless(world, branch, place);
        world.terms.or(quiet, endless)
    }

    fn none_of(&self, world: &mut World, branch: &Branch, place: &Place, joints: &[usize]) -> Term {
        match place {
            Place::Chaos | Place::Hushed => return world.terms.bool(true),
            Place::At { pending: Some(_), .. } => return world.terms.bool(false),
            Place::At { .. } => {}
        }
        let possible = self.possible_steps(world, branch, place, joints);
        let none = possible.into_iter().map(|(possible, _)| world.terms.not(possible)).collect();
        let none = world.terms.all(none);
        world.known(branch, none)
    }

    /// Steps of some joints, each with the condition that some data makes it possible; where it leads to speaks of that data.
    pub fn possible_steps(
        &self,
        world: &mut World,
        branch: &Branch,
        place: &Place,
        joints: &[usize],
    ) -> Vec<(Term, Place)> {
        let Place::At { control, values, .. } = place else { return vec![] };
        let first = branch.store.ranges.len() as u32;
        let mut out = vec![];
        for joint in joints {
            let mut within = branch.clone();
            let Some(data) = self.hidden_data(world, &mut within, control, *joint) else { continue };
            let hidden: Vec<Symbol> = (first..within.store.ranges.len() as u32)
                .map(|number| Symbol { number, sort: within.store.ranges[number as usize].sort() })
                .collect();
            let ranges = self.known_of(world, &within, &hidden);
            for step in self.steps(world, &within, (control, values), *joint, &data) {
                let condition = world.terms.and(step.condition, ranges);
                out.push((world.terms.exists(&hidden, condition), step.next));
            }
        }
        out
    }
}

/// The values of a range, if they are few.
fn few(range: &Range) -> Option<Vec<Value>> {
    match range {
        Range::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
        Range::Enum { ty, left } if left.len() <= MAX_HIDDEN => {
            Some(left.iter().map(|member| Value::Data(*ty, *member, [].into())).collect())
        }
        Range::Number { is_int: true, low: Some((low, _)), high: Some((high, _)), .. } => {
            let (low, high) = (low.to_integer(), high.to_integer());
            let count = usize::try_from(&high - &low).ok()? + 1;
            (count <= MAX_HIDDEN)
                .then(|| (0..count).map(|n| Value::Int(&low + n)).filter(|v| range.contains(v)).collect())
        }
        _ => None,
    }
}
