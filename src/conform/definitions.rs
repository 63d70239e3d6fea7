//! The symbolic framework, as it is defined: history variables, symbolic states, suspension traces, sioco.
//!
//! Every position of a trace has its own copy of the interaction variables, `prod_1`, `prod_2`, ...; silence takes a position
//! and has no variables. A symbolic state is a place, a condition on the variables of its past (*attainment*), and what each
//! variable of the model is in terms of them. Nothing is forgotten and nothing is pruned here, so it is exact and slow: the
//! measure for what is clever elsewhere, and what coverage of symbolic states is counted in. Types are the ranges of the
//! variables, also of those that quantifiers bind, and are no part of any condition.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::alphabet::Alphabet;
use super::observed::Happened;
use super::side::{Move, Place, Side};
use super::world::World;
use crate::kernel::{Completion, StepSystem};
use crate::search::{Branch, fitting};
use crate::solve::Solver;
use crate::syntax::tree::Direction;
use crate::term::{Named, Node, Range, Symbol, Term, Terms, Type, Value, Written};

/// Most places that internal steps may lead to after one sequence.
const MAX_INTERNAL: usize = 1_000;

/// Numbers of the models.
const SPECIFICATION: usize = 0;
const IMPLEMENTATION: usize = 1;

/// One position of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Event {
    /// Nothing happens for a while.
    Delta,
    /// A label, by its number in the alphabet.
    Label(usize),
}

/// A symbolic state `(l, phi, rho)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolicState {
    /// Which of the models.
    who: usize,
    place: Place,
    /// The attainment constraint.
    pub attainment: Term,
}

impl SymbolicState {
    /// The control states of the machines: its location.
    pub fn location(&self) -> &[u32] {
        match &self.place {
            Place::At { control, .. } => control,
            Place::Chaos | Place::Hushed => &[],
        }
    }

    /// What the variables of the model are.
    pub fn values(&self) -> Vec<Term> {
        self.place.terms().collect()
    }
}

/// A symbolic observation `(g, phi, psi)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// What is observed.
    pub event: Event,
    /// The attainment constraint of the state.
    pub attainment: Term,
    /// The condition on what is observed; its data are the variables of position 0, which are written without a number.
    pub condition: Term,
}

/// Models, seen through the definitions: one, or an implementation and a specification, which share interaction
/// variables, but no others.
pub struct Definitions<'a> {
    world: World<'a>,
    sides: Vec<Side<'a>>,
    alphabet: &'a Alphabet,
    /// Ranges of all variables; no path is assumed here.
    branch: Branch,
    /// Initial values of the models' variables, as variables.
    variables: Vec<Vec<Term>>,
    /// Copies of the interaction variables, by position, name and type.
    copies: FxHashMap<(usize, String, Type), Term>,
    /// What each symbol is a copy of.
    places: BTreeMap<Symbol, (usize, String, Type)>,
}

impl<'a> Definitions<'a> {
    /// A model with its alphabet.
    pub fn new(system: &'a StepSystem, alphabet: &'a Alphabet, solver: Box<dyn Solver>) -> Option<Definitions<'a>> {
        Definitions::of(vec![Side::specification(system, alphabet)], alphabet, solver)
    }

    /// A specification, and an implementation over the same definitions.
    pub fn pair(
        specification: &'a StepSystem,
        implementation: &'a StepSystem,
        alphabet: &'a Alphabet,
        completion: Option<Completion>,
        solver: Box<dyn Solver>,
    ) -> Option<Definitions<'a>> {
        let implementation = Side::implementation(implementation, alphabet, completion);
        Definitions::of(vec![Side::specification(specification, alphabet), implementation], alphabet, solver)
    }

    fn of(sides: Vec<Side<'a>>, alphabet: &'a Alphabet, solver: Box<dyn Solver>) -> Option<Definitions<'a>> {
        let mut world = World::new(&sides.first()?.system.definitions, solver);
        let sides: Vec<Side> = sides.into_iter().map(Side::with_all_variables).collect();
        let mut branch = Branch::default();
        let mut variables = vec![];
        for side in &sides {
            let control: Vec<u32> = side.system.machines.iter().map(|machine| machine.initial).collect();
            variables.push(side.anywhere(&mut world, &mut branch, &control)?.terms().collect());
        }
        let (copies, places) = (FxHashMap::default(), BTreeMap::new());
        Some(Definitions { world, sides, alphabet, branch, variables, copies, places })
    }

    /// Where terms are made.
    pub fn terms(&mut self) -> &mut Terms {
        &mut self.world.terms
    }

    /// Why something was not looked at.
    pub fn gaps(&self) -> Vec<String> {
        self.world.gaps.iter().cloned().collect()
    }

    /// The initial values of the variables of the specification, or of the only model, as variables.
    pub fn variables(&self) -> &[Term] {
        &self.variables[SPECIFICATION]
    }

    /// The type of an interaction variable: as declared, or its shape where models differ.
    fn type_of(&self, label: usize, param: usize) -> Type {
        let mut declared = self.sides.iter().filter_map(|side| side.declared_type(label, param));
        match declared.next() {
            Some(first) if declared.all(|other| other == first) => first,
            _ => self.alphabet.labels[label].params[param].1.clone(),
        }
    }

    /// The copy of an interaction variable for a position.
    pub fn copy(&mut self, position: usize, label: usize, param: usize) -> Option<Term> {
        let described = &self.alphabet.labels[label];
        let name = described.params[param].0.clone();
        let key = (position, name, self.type_of(label, param));
        if let Some(known) = self.copies.get(&key) {
            return Some(*known);
        }
        let first = self.branch.store.ranges.len() as u32;
        let term = self.world.open_message(&key.2, described.is_tick, &mut self.branch)?;
        for number in first..self.branch.store.ranges.len() as u32 {
            let sort = self.branch.store.ranges[number as usize].sort();
            self.places.insert(Symbol { number, sort }, key.clone());
        }
        self.copies.insert(key, term);
        Some(term)
    }

    /// All copies that a label has at a position.
    pub fn data(&mut self, position: usize, label: usize) -> Option<Vec<Term>> {
        (0..self.alphabet.labels[label].params.len()).map(|param| self.copy(position, label, param)).collect()
    }

    /// The state `(l, T, id)`.
    pub fn identity(&mut self, location: &[u32]) -> SymbolicState {
        let values = self.variables[SPECIFICATION].clone();
        let place = Place::At { control: location.to_vec(), values, pending: None };
        SymbolicState { who: SPECIFICATION, place, attainment: self.world.terms.bool(true) }
    }

    /// The state before the first step, with the initial values of the model.
    fn initial(&mut self, who: usize) -> Option<SymbolicState> {
        let (place, _) = self.sides[who].start(&mut self.world, &mut self.branch)?;
        Some(SymbolicState { who, place, attainment: self.world.terms.bool(true) })
    }

    /// A condition without what the types say anyway.
    fn tidy(&mut self, condition: Term) -> Term {
        self.branch.store.simplified(&mut self.world.terms, condition)
    }

    fn then(&mut self, state: &SymbolicState, condition: Term, place: Place) -> SymbolicState {
        let attainment = self.world.terms.and(state.attainment, condition);
        SymbolicState { who: state.who, place, attainment: self.tidy(attainment) }
    }

    /// The states and all that internal switches lead to, as far as they can be attained.
    fn closed(&mut self, states: Vec<SymbolicState>) -> Vec<SymbolicState> {
        let mut out: Vec<SymbolicState> = vec![];
        let mut open: Vec<SymbolicState> = states.into_iter().rev().collect();
        while let Some(state) = open.pop() {
            if out.contains(&state) || !self.is_feasible(&[state.attainment]) {
                continue;
            }
            if out.len() >= MAX_INTERNAL {
                self.world.gaps.insert("internal steps without end".to_owned());
                break;
            }
            let moves = self.sides[state.who].internal_closed(&mut self.world, &self.branch, &state.place);
            for Move { condition, next } in moves.into_iter().rev() {
                open.push(self.then(&state, condition, next));
            }
            out.push(state);
        }
        out
    }

    /// Whether conditions can hold together; what nobody can tell may be.
    pub fn is_feasible(&mut self, conditions: &[Term]) -> bool {
        let all = self.world.terms.all(conditions.to_vec());
        self.world.when(&self.branch.clone(), all).is_some()
    }

    /// The condition `Delta(l)` for the values that the variables have.
    pub fn quiescence(&mut self, state: &SymbolicState) -> Term {
        let quiet = self.sides[state.who].is_quiet(&mut self.world, &self.branch, &state.place);
        self.tidy(quiet)
    }

    /// `C after_s g` where the state has an index: the position of the event is the one after it.
    pub fn after(&mut self, states: &[SymbolicState], index: usize, event: Event) -> Vec<SymbolicState> {
        let mut out = vec![];
        for state in self.closed(states.to_vec()) {
            match event {
                Event::Delta => {
                    let quiet = self.quiescence(&state);
                    out.push(self.then(&state, quiet, state.place.after_silence()));
                }
                Event::Label(label) => {
                    let Some(data) = self.data(index + 1, label) else { continue };
                    let moves = self.sides[state.who].moves(&mut self.world, &self.branch, &state.place, label, &data);
                    for Move { condition, next } in moves {
                        out.push(self.then(&state, condition, next));
                    }
                }
            }
        }
        out.retain(|state| !self.world.terms.is(state.attainment, false));
        out.dedup();
        self.closed(out)
    }

    /// `C after_s (sg, chi)`: the condition is over the variables of the model and of the positions of the sequence, which
    /// come after the index.
    pub fn after_trace(
        &mut self,
        states: &[SymbolicState],
        index: usize,
        sequence: &[Event],
        condition: Term,
    ) -> Vec<SymbolicState> {
        let mut out = vec![];
        for from in states {
            let mut group = self.closed(vec![from.clone()]);
            for (step, event) in sequence.iter().enumerate() {
                group = self.after(&group, index + step, *event);
            }
            let Some(shifted) = self.shifted(condition, index) else { continue };
            let values = from.values();
            let now = self.placed(shifted, from.who, &values);
            for state in group {
                let with = self.then(&state, now, state.place.clone());
                if !self.world.terms.is(with.attainment, false) {
                    out.push(with);
                }
            }
        }
        out
    }

    /// A term over the variables of positions, moved by so many positions.
    pub fn shifted(&mut self, term: Term, by: usize) -> Option<Term> {
        let mut symbols = vec![];
        self.world.terms.each_symbol(term, &mut |symbol| symbols.push(symbol));
        let mut moved: FxHashMap<Symbol, Term> = FxHashMap::default();
        for symbol in symbols {
            let Some((position, name, ty)) = self.places.get(&symbol).cloned() else { continue };
            let labels = &self.alphabet.labels;
            let (label, param) = (0..labels.len()).find_map(|label| {
                let param = labels[label].params.iter().position(|(n, _)| *n == name)?;
                (self.type_of(label, param) == ty).then_some((label, param))
            })?;
            let from = self.copies[&(position, name.clone(), ty.clone())];
            let to = self.copy(position + by, label, param)?;
            // Copies are opened alike, so their symbols correspond.
            let (mut before, mut after) = (vec![], vec![]);
            self.world.terms.each_symbol(from, &mut |s| before.push(s));
            self.world.terms.each_symbol(to, &mut |s| after.push(s));
            for (before, after) in before.into_iter().zip(after) {
                moved.insert(before, self.world.terms.symbol(after));
            }
        }
        Some(self.world.terms.substitute(term, &|symbol| moved.get(&symbol).copied()))
    }

    /// A term over the initial values of the model's variables, for other values.
    fn placed(&mut self, term: Term, who: usize, values: &[Term]) -> Term {
        let mut known: FxHashMap<Symbol, Term> = FxHashMap::default();
        for (variable, value) in self.variables[who].iter().zip(values) {
            if let Node::Symbol(symbol) = self.world.terms.node(*variable) {
                known.insert(*symbol, *value);
            }
        }
        self.world.terms.substitute(term, &|symbol| known.get(&symbol).copied())
    }

    /// `out_s(C)`, without what is impossible whatever the data.
    pub fn observations(&mut self, states: &[SymbolicState]) -> Vec<Observation> {
        let mut out = vec![];
        for state in self.closed(states.to_vec()) {
            let attainment = state.attainment;
            let condition = self.quiescence(&state);
            out.push(Observation { event: Event::Delta, attainment, condition });
            for label in self.alphabet.of_direction(Direction::Out).collect::<Vec<_>>() {
                let Some(data) = self.data(0, label) else { continue };
                for step in self.sides[state.who].moves(&mut self.world, &self.branch, &state.place, label, &data) {
                    let condition = self.tidy(step.condition);
                    out.push(Observation { event: Event::Label(label), attainment, condition });
                }
            }
        }
        out
    }

    /// `Phi(l, g, sg)`: under which condition something is observed after a sequence.
    pub fn observed(&mut self, states: &[SymbolicState], event: Event) -> Term {
        let observations = self.observations(states).into_iter().filter(|o| o.event == event);
        let cases: Vec<(Term, Term)> = observations.map(|o| (o.attainment, o.condition)).collect();
        let cases = cases.into_iter().map(|(a, b)| self.world.terms.and(a, b)).collect();
        self.world.terms.any(cases)
    }

    /// A term with the names of variables: `prod_2`, `rp`.
    pub fn written(&self, term: Term) -> String {
        let mut names: FxHashMap<Symbol, Named> = FxHashMap::default();
        let slots = self.sides.iter().flat_map(|side| &side.system.slots);
        for (slot, variable) in slots.zip(self.variables.iter().flatten()) {
            self.world.terms.each_symbol(*variable, &mut |symbol| {
                names.insert(symbol, slot.name.clone().into());
            });
        }
        for (symbol, (position, name, _)) in &self.places {
            let name = if *position == 0 { name.clone() } else { format!("{name}_{position}") };
            names.insert(*symbol, name.into());
        }
        Written { terms: &self.world.terms, definitions: self.world.definitions, names, met: FxHashMap::default() }
            .term(term)
    }

    /// What may happen along a sequence such that a condition on its data holds, simple values first; none if nobody knows any.
    pub fn example(&mut self, sequence: &[Event], condition: Term) -> Option<Vec<Happened>> {
        let mut copies = vec![];
        for (position, event) in sequence.iter().enumerate() {
            copies.push(match event {
                Event::Delta => None,
                Event::Label(label) => Some((*label, self.data(position + 1, *label)?)),
            });
        }
        let branch = self.world.when(&self.branch.clone(), condition)?;
        let World { oracle, terms, .. } = &mut self.world;
        let values = fitting(oracle, terms, &branch.store, &mut Range::simple)?;
        let mut happens = |of_event: Option<(usize, Vec<Term>)>| {
            let Some((label, copies)) = of_event else { return Some(Happened::Delta) };
            let value = |copy: Term| {
                let known = branch.store.apply(terms, copy);
                terms.value_under(known, &values)
            };
            Some(Happened::Label(label, copies.into_iter().map(value).collect::<Option<_>>()?))
        };
        copies.into_iter().map(&mut happens).collect()
    }

    /// Whether a condition holds for the data of a concrete trace, whose first event has position 1.
    pub fn holds_for(&mut self, condition: Term, trace: &[Happened]) -> bool {
        let mut known: FxHashMap<Symbol, Term> = FxHashMap::default();
        let mut also = vec![];
        for (position, happened) in trace.iter().enumerate() {
            let Happened::Label(label, data) = happened else { continue };
            let Some(copies) = self.data(position + 1, *label) else { return false };
            for (copy, value) in copies.into_iter().zip(data) {
                let value = self.world.terms.constant(value.clone());
                match self.world.terms.node(copy) {
                    Node::Symbol(symbol) => {
                        known.insert(*symbol, value);
                    }
                    // A structure is equal to its value part by part.
                    _ => also.push(self.world.terms.equal(copy, value)),
                }
            }
        }
        let condition = self.world.terms.substitute(condition, &|symbol| known.get(&symbol).copied());
        if let Some(value) = self.world.terms.value(condition) {
            return *value == Value::Bool(true) && (also.is_empty() || self.is_feasible(&also));
        }
        also.push(condition);
        self.is_feasible(&also)
    }
}

/// A gate sequence with the symbolic states it leads to.
#[derive(Clone, Debug)]
pub struct Explored {
    /// The sequence.
    pub sequence: Vec<Event>,
    /// The states that can be attained.
    pub states: Vec<SymbolicState>,
}

/// All feasible sequences up to a length, in order of their length, with their states.
pub fn explore(definitions: &mut Definitions, depth: usize, go_on: &mut dyn FnMut(usize) -> bool) -> Vec<Explored> {
    let Some(initial) = definitions.initial(SPECIFICATION) else { return vec![] };
    let states = definitions.closed(vec![initial]);
    let mut out = vec![Explored { sequence: vec![], states }];
    let events: Vec<Event> =
        [Event::Delta].into_iter().chain((0..definitions.alphabet.labels.len()).map(Event::Label)).collect();
    let mut at = 0;
    while at < out.len() {
        let Explored { sequence, states } = out[at].clone();
        at += 1;
        if sequence.len() >= depth {
            continue;
        }
        if !go_on(out.len()) {
            return out;
        }
        for event in &events {
            let next = definitions.after(&states, sequence.len(), *event);
            if !next.is_empty() {
                let sequence = sequence.iter().copied().chain([*event]).collect();
                out.push(Explored { sequence, states: next });
            }
        }
    }
    out
}

/// Whether sioco holds on a set of symbolic traces, by its definition: the first sequence after which something can be
/// observed of the implementation, and not of the specification, and what. The conditions of the traces are over the
/// variables of their positions.
pub fn sioco(definitions: &mut Definitions, traces: &[(Vec<Event>, Term)]) -> Option<(Vec<Event>, Event)> {
    let outputs = definitions.alphabet.of_direction(Direction::Out).map(Event::Label);
    let events: Vec<Event> = [Event::Delta].into_iter().chain(outputs).collect();
    let starts = [IMPLEMENTATION, SPECIFICATION].map(|who| definitions.initial(who));
    let [Some(implementation), Some(specification)] = starts else { return None };
    let yes = definitions.world.terms.bool(true);
    for (sequence, condition) in traces {
        let ours = definitions.after_trace(std::slice::from_ref(&implementation), 0, sequence, yes);
        let theirs = definitions.after_trace(std::slice::from_ref(&specification), 0, sequence, yes);
        for event in &events {
            let (shown, allowed) = (definitions.observed(&ours, *event), definitions.observed(&theirs, *event));
            let forbidden = definitions.world.terms.not(allowed);
            if definitions.is_feasible(&[shown, *condition, forbidden]) {
                return Some((sequence.clone(), *event));
            }
        }
    }
    None
}

/// All suspension traces of the specification up to a length, in order of their length.
pub fn suspension_traces(definitions: &mut Definitions, depth: usize) -> Vec<(Vec<Event>, Term)> {
    let explored = explore(definitions, depth, &mut |_| true);
    let trace = |Explored { sequence, states }: Explored| {
        let attainments = states.iter().map(|state| state.attainment).collect();
        (sequence, definitions.world.terms.any(attainments))
    };
    explored.into_iter().map(trace).collect()
}
