//! A run that is known, with its data opened again: the other data with which the same transitions fire in the same order
//! and the purpose is met in the same way.
//!
//! The steps are taken once more over symbols, and wherever data decides something, it is decided as in the run; what was
//! decided is kept, one condition after the other, with the reason. So any values of the symbols that meet the conditions
//! make a run of the same kind, whichever engine found the first one.

use rustc_hash::FxHashSet;

use super::symbolic::{Effect, Question, effect};
use super::watch::{Judge, Watcher};
use crate::history::Live;
use crate::kernel::{Moment, Part, Run, SlotKind, Source, Step, Style, Target};
use crate::syntax::tree::Direction;
use crate::term::{
    Definitions, Leaf, Node, OpenPart, Range, Role, Sizes, Store, Symbolic, Term, Terms, Type, Unsupported, Value,
    open_around,
};

/// Lists and trees of test data may be larger than those that searches look at.
pub const DATA_SIZES: Sizes = Sizes { length: 8, depth: 3 };

/// An open value of a run.
#[derive(Clone, Debug)]
pub struct Place {
    /// The step, from one; zero for what is there before the first.
    pub step: usize,
    /// The input, the parameter of a gate, or the variable.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its value.
    pub term: Term,
    /// Its symbols, by number.
    pub symbols: std::ops::Range<usize>,
    /// Its parts, each before those inside it; the first is the whole.
    pub parts: Vec<OpenPart>,
    /// Other types that its value has, if several machines take part.
    pub also: Vec<Type>,
    /// Whether whoever runs the test gives it.
    pub is_given: bool,
}

impl Place {
    /// `amt@3`
    pub fn text(&self) -> String {
        self.named("")
    }

    /// A part of it: `order.items[2]@1`
    pub fn named(&self, path: &str) -> String {
        let name = &self.name;
        if self.step == 0 { format!("initial {name}{path}") } else { format!("{name}{path}@{}", self.step) }
    }
}

/// Why a condition must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The type of a value asks for it: number of the place.
    Type(usize),
    /// A transition of a machine fires.
    Fires(usize, usize),
    /// A machine idles, though it has this transition.
    Idles(usize, usize),
    /// The purpose looks at it.
    Purpose,
}

/// Something that was decided by data.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The step.
    pub step: usize,
    /// What holds.
    pub condition: Term,
    /// Why it must.
    pub why: Why,
}

/// A run with its data opened.
#[derive(Debug)]
pub struct Along<'a> {
    question: Question<'a>,
    sizes: Sizes,
    /// Where terms are made.
    pub terms: Terms,
    /// Symbols with the ranges of their sorts; no condition is assumed.
    pub store: Store,
    /// Values of the symbols in the run.
    pub witness: Vec<Value>,
    /// What the symbols are.
    pub leaves: Vec<Leaf>,
    /// Open values in the order of their steps.
    pub places: Vec<Place>,
    /// What was decided, in order.
    pub decisions: Vec<Decision>,
    /// The values that exist once for the run.
    pub once: Vec<Term>,
    /// That members of sets and keys of maps are different: their size is the number of them then.
    pub each_once: Vec<Term>,
    known: FxHashSet<Term>,
    /// Values between steps.
    values: Vec<Term>,
}

/// Decides as in the run.
struct AsBefore<'w> {
    witness: &'w [Value],
}

impl Judge for AsBefore<'_> {
    type Branch = Vec<Term>;

    fn known(&mut self, _: &mut Terms, _: &Vec<Term>, condition: Term) -> Term {
        condition
    }

    fn assume(&mut self, terms: &mut Terms, branch: &mut Vec<Term>, condition: Term) -> bool {
        let holds = terms.value_under(condition, self.witness) == Some(Value::Bool(true));
        if holds {
            branch.push(condition);
        }
        holds
    }
}

/// Goes every way that is not impossible on the path.
struct AnyWay<'s> {
    store: &'s Store,
}

impl Judge for AnyWay<'_> {
    type Branch = Vec<Term>;

    fn known(&mut self, terms: &mut Terms, _: &Vec<Term>, condition: Term) -> Term {
        match self.store.decide(terms, condition) {
            Some(truth) => terms.bool(truth),
            None => condition,
        }
    }

    fn assume(&mut self, terms: &mut Terms, branch: &mut Vec<Term>, condition: Term) -> bool {
        let condition = self.known(terms, branch, condition);
        branch.push(condition);
        !terms.is(condition, false)
    }
}

impl<'a> Along<'a> {
    /// Opens the data of a run that meets the question, up to some sizes; `open` are the values that exist once for it. An
    /// error if its values have no terms, or are larger.
    pub fn new(question: Question<'a>, run: &Run, open: &[Value], sizes: Sizes) -> Result<Along<'a>, Unsupported> {
        let mut along = Along::begun(question, run, open, sizes)?;
        let once = along.once.clone();
        let mut live = along.watched(0, |watcher| Ok(vec![(vec![], watcher.start(&once)?)]))?;
        for (number, step) in run.steps.iter().enumerate() {
            let observed = along.step(number + 1, control_before(run, number), step)?;
            let watched = live.clone();
            live = along.watched(number + 1, |watcher| watcher.advance(vec![], &watched, &once, &observed))?;
        }
        let ends = along.watcher(&mut AsBefore { witness: &[] }).at_stop(&live)?;
        along.decide(run.steps.len(), ends, Why::Purpose);
        Ok(along)
    }

    /// The same, where the purpose may be met in any way. An error also if there are too many ways.
    pub fn in_every_way(
        question: Question<'a>,
        run: &Run,
        open: &[Value],
        sizes: Sizes,
    ) -> Result<Along<'a>, Unsupported> {
        let mut along = Along::begun(question, run, open, sizes)?;
        let mut observed = vec![];
        for (number, step) in run.steps.iter().enumerate() {
            observed.push(along.step(number + 1, control_before(run, number), step)?);
        }
        let once = along.once.clone();
        let mut store = along.store.clone();
        for decision in &along.decisions {
            store.assume(&mut along.terms, decision.condition);
        }
        let mut judge = AnyWay { store: &store };
        let start = along.watcher(&mut judge).start(&once)?;
        let mut ways: Vec<(Term, Vec<Live<Term>>)> = vec![(along.terms.bool(true), start)];
        for observed in &observed {
            let mut next: Vec<(Term, Vec<Live<Term>>)> = vec![];
            for (condition, live) in ways {
                for (more, live) in along.watcher(&mut judge).advance(vec![], &live, &once, observed)? {
                    let more = along.terms.all(more);
                    let condition = along.terms.and(condition, more);
                    match next.iter_mut().find(|(_, known)| *known == live) {
                        Some((known, _)) => *known = along.terms.or(*known, condition),
                        None => next.push((condition, live)),
                    }
                }
            }
            if next.len() > super::symbolic::MAX_WAYS {
                return Err(Unsupported("a purpose that is met in so many ways".to_owned()));
            }
            ways = next;
        }
        let mut any = vec![];
        for (condition, live) in ways {
            let ends = along.watcher(&mut judge).at_stop(&live)?;
            any.push(along.terms.and(condition, ends));
        }
        let met = along.terms.any(any);
        along.decide(run.steps.len(), met, Why::Purpose);
        Ok(along)
    }

    /// What is there before the first step.
    fn begun(question: Question<'a>, run: &Run, open: &[Value], sizes: Sizes) -> Result<Along<'a>, Unsupported> {
        let mut along = Along {
            question,
            sizes,
            terms: Terms::new(),
            store: Store::default(),
            witness: vec![],
            leaves: vec![],
            places: vec![],
            decisions: vec![],
            once: vec![],
            each_once: vec![],
            known: FxHashSet::default(),
            values: vec![],
        };
        along.begin(run)?;
        let monitor = question.monitor;
        for (number, ty) in monitor.open.iter().enumerate() {
            let (value, _) = along.opened(0, ty, open.get(number).unwrap_or(&Value::Absent), Why::Purpose)?;
            along.once.push(value);
        }
        Ok(along)
    }

    fn definitions(&self) -> &'a Definitions {
        &self.question.lists.names.definitions
    }

    fn watcher<'w, J: Judge>(&'w mut self, judge: &'w mut J) -> Watcher<'w, J> {
        let definitions = &self.question.lists.names.definitions;
        Watcher {
            monitor: self.question.monitor,
            definitions,
            terms: &mut self.terms,
            judge,
            keeps_failed: false,
            most: super::symbolic::MAX_WAYS,
        }
    }

    /// Lets the monitor look at something, and keeps what it decided on the way.
    fn watched(
        &mut self,
        step: usize,
        look: impl FnOnce(&mut Watcher<'_, AsBefore<'_>>) -> Result<Vec<(Vec<Term>, Vec<Live<Term>>)>, Unsupported>,
    ) -> Result<Vec<Live<Term>>, Unsupported> {
        let witness = std::mem::take(&mut self.witness);
        let ways = look(&mut self.watcher(&mut AsBefore { witness: &witness }));
        self.witness = witness;
        let Some((decided, live)) = ways?.into_iter().next() else {
            return Err(otherwise());
        };
        for condition in decided {
            self.decide(step, condition, Why::Purpose);
        }
        Ok(live)
    }

    /// Keeps a condition that holds in the run; parts that are always true say nothing.
    fn decide(&mut self, step: usize, condition: Term, why: Why) {
        let parts = match self.terms.node(condition) {
            Node::And(parts) => parts.clone(),
            _ => vec![condition],
        };
        for part in parts {
            if !self.terms.is(part, true) && self.known.insert(part) {
                self.decisions.push(Decision { step, condition: part, why: why.clone() });
            }
        }
    }

    fn opened(
        &mut self,
        step: usize,
        ty: &Type,
        known: &Value,
        why: Why,
    ) -> Result<(Term, Vec<OpenPart>), Unsupported> {
        let is_there = self.terms.bool(true);
        self.opened_if(step, ty, known, is_there, why)
    }

    /// An open value that is there where a condition holds. Larger values than the sizes allow are left out: what is said of
    /// the run is said of the values that are looked at.
    fn opened_if(
        &mut self,
        step: usize,
        ty: &Type,
        known: &Value,
        is_there: Term,
        why: Why,
    ) -> Result<(Term, Vec<OpenPart>), Unsupported> {
        let definitions = self.definitions();
        let symbols = (&mut self.store, &mut self.leaves);
        let opened = open_around(ty, known, self.sizes, symbols, &mut self.terms, definitions)?.as_example();
        self.witness.extend(self.leaves[self.witness.len()..].iter().map(|leaf| leaf.value.clone()));
        for condition in opened.conditions_if(is_there, &mut self.terms) {
            self.decide(step, condition, why.clone());
        }
        self.each_once.extend(opened.each_once);
        Ok((opened.value, opened.parts))
    }

    /// The moment before the first step.
    fn begin(&mut self, run: &Run) -> Result<(), Unsupported> {
        let system = self.question.system;
        for (slot, value) in system.slots.iter().zip(&run.initial.values) {
            let term = match &slot.init {
                Some(init) => self.terms.constant(init.clone()),
                None => {
                    let first = self.leaves.len();
                    let (term, parts) = self.opened(0, &slot.ty, value, Why::Type(self.places.len()))?;
                    let (name, ty, symbols) = (slot.name.clone(), slot.ty.clone(), first..self.leaves.len());
                    let also = vec![];
                    self.places.push(Place { step: 0, name, ty, term, symbols, parts, also, is_given: true });
                    term
                }
            };
            self.values.push(term);
        }
        Ok(())
    }

    /// One step; what can be observed in it.
    fn step(&mut self, number: usize, before: &[u32], step: &Step) -> Result<Vec<Term>, Unsupported> {
        let system = self.question.system;
        let joint = &system.joints[step.joint];
        let old = self.values.clone();
        let data = match joint.parts[..] {
            [Part::Tick(tick)] => self.tick(number, tick, before, step)?,
            _ => self.handshake(number, step)?,
        };
        let lists = self.question.lists;
        let mut observed = vec![];
        for (list, source) in lists.sources.iter().enumerate() {
            let mut member = |n: usize| self.terms.constant(lists.names.member(list, n));
            observed.push(match *source {
                Source::State(machine, Moment::Before) => member(before[machine] as usize),
                Source::State(machine, Moment::After) => member(step.next.control[machine] as usize),
                Source::Fired(machine) => match step.fired.iter().find(|(m, _)| *m == machine) {
                    Some((_, Some(transition))) => member(*transition),
                    Some((_, None)) => member(system.machines[machine].transitions.len()),
                    None => self.terms.constant(Value::Absent),
                },
                Source::Value(slot, Moment::Before) => old[slot],
                Source::Value(slot, Moment::After) => self.values[slot],
                Source::Data(gate, place) if joint.gate == Some(gate) => data[place],
                Source::Data(..) => self.terms.constant(Value::Absent),
                Source::Gate => member(joint.gate.unwrap_or(system.gates.len())),
                Source::Clock => self.terms.int(number),
            });
        }
        Ok(observed)
    }

    /// Switches meet; the data of their gate.
    fn handshake(&mut self, number: usize, step: &Step) -> Result<Vec<Term>, Unsupported> {
        let system = self.question.system;
        let joint = &system.joints[step.joint];
        let gate = joint.gate.map(|gate| &system.gates[gate]);
        let mut data = vec![];
        for (parameter, ((name, types), value)) in joint.params.iter().zip(&step.data).enumerate() {
            let (place, first) = (self.places.len(), self.leaves.len());
            let (term, parts) = self.opened(number, &types[0], value, Why::Type(place))?;
            for ty in &types[1..] {
                let definitions = self.definitions();
                let inside = Symbolic::new(&mut self.terms, definitions, &[]).contains(ty, term)?;
                self.decide(number, inside, Why::Type(place));
            }
            let name = gate.map_or_else(|| name.clone(), |gate| format!("{}.{name}", gate.name));
            // What an input gives back is the choice of the system.
            let is_input = gate.is_some_and(|gate| gate.direction == Direction::In);
            let is_given = is_input && parameter < system.sent_to(step.joint);
            let symbols = first..self.leaves.len();
            let (ty, also) = (types[0].clone(), types[1..].to_vec());
            self.places.push(Place { step: number, name, ty, term, symbols, parts, also, is_given });
            data.push(term);
        }
        let old = self.values.clone();
        for (machine, transition) in &step.fired {
            let Some(transition) = transition else { continue };
            let Some(effect) = self.fires(*machine, *transition, &old, &data)? else { return Err(otherwise()) };
            self.decide(number, effect.enabled, Why::Fires(*machine, *transition));
            effect.writes.into_iter().for_each(|(slot, value)| self.values[slot] = value);
        }
        Ok(data)
    }

    /// One step of a lock-step system; its inputs and outputs.
    fn tick(&mut self, number: usize, tick: usize, before: &[u32], step: &Step) -> Result<Vec<Term>, Unsupported> {
        let system = self.question.system;
        let group = &system.ticks[tick];
        let absent = self.terms.constant(Value::Absent);
        let mut seen = self.values.clone();
        let mut data = vec![];
        for ((name, ty, slot), value) in group.inputs.iter().zip(&step.data) {
            let first = self.leaves.len();
            let is_there = Value::Bool(*value != Value::Absent);
            let known = is_there.clone();
            self.leaves.push(Leaf { path: String::new(), role: Role::Presence, value: known, is_known: true });
            self.witness.push(is_there);
            let symbol = self.store.add(Range::Bool);
            let is_present = self.terms.symbol(symbol);
            let (inside, parts) = self.opened_if(number, ty, value, is_present, Why::Type(self.places.len()))?;
            let term = self.terms.choose(is_present, inside, absent);
            let is_given = system.style == Style::Lockstep;
            let symbols = first..self.leaves.len();
            let (name, ty, also) = (name.clone(), ty.clone(), vec![]);
            self.places.push(Place { step: number, name, ty, term, symbols, parts, also, is_given });
            seen[*slot] = term;
            data.push(term);
        }
        let mut outputs = vec![absent; group.outputs.len()];
        let mut next = self.values.clone();
        group.channels.iter().for_each(|slot| next[*slot] = absent);
        for (machine, transition) in &step.fired {
            let Some(transition) = transition else {
                self.idles(number, *machine, before[*machine], &seen)?;
                continue;
            };
            let Some(effect) = self.fires(*machine, *transition, &seen, &[])? else { return Err(otherwise()) };
            self.decide(number, effect.enabled, Why::Fires(*machine, *transition));
            effect.writes.into_iter().for_each(|(slot, value)| next[slot] = value);
            for (to, message) in effect.messages {
                match to {
                    Target::Channel(slot) => next[slot] = message,
                    Target::Output(output) => outputs[output] = message,
                    Target::Nowhere => {}
                }
            }
        }
        for (slot, kind) in system.slots.iter().map(|slot| slot.kind).enumerate() {
            if kind == SlotKind::Input {
                next[slot] = absent;
            }
        }
        self.values = next;
        data.extend(outputs);
        Ok(data)
    }

    /// Nothing can fire in a machine.
    fn idles(&mut self, step: usize, machine: usize, control: u32, seen: &[Term]) -> Result<(), Unsupported> {
        let transitions = &self.question.system.machines[machine].transitions;
        for transition in (0..transitions.len()).filter(|t| transitions[*t].source == control) {
            if let Some(effect) = self.fires(machine, transition, seen, &[])? {
                let not = self.terms.not(effect.enabled);
                self.decide(step, not, Why::Idles(machine, transition));
            }
        }
        Ok(())
    }

    /// What a transition asks for and does; none if it cannot fire whatever the data is.
    fn fires(
        &mut self,
        machine: usize,
        transition: usize,
        seen: &[Term],
        data: &[Term],
    ) -> Result<Option<Effect>, Unsupported> {
        let t = &self.question.system.machines[machine].transitions[transition];
        let definitions = self.definitions();
        effect(&mut self.terms, definitions, (transition, t), seen, data)
    }
}

/// Control states before a step, given by its place in the run.
fn control_before(run: &Run, step: usize) -> &[u32] {
    let before = if step == 0 { &run.initial } else { &run.steps[step - 1].next };
    &before.control
}

/// Terms that say something else than the run does.
fn otherwise() -> Unsupported {
    Unsupported("a run that terms do not follow".to_owned())
}
