//! The steps of a model as conditions: for any moment, which transitions may fire, and what follows.
//!
//! A step is made of fresh symbols and of conditions that tie them to the moment before. Who takes the conditions decides
//! what they are for: the unrolled engine asserts them step after step, the inductive one makes them into clauses. How steps
//! are put together, which machines take part and what idles, is written independently of the symbolic engine's `step.rs`.
//! What an expression means (`term/symbolic.rs`), how a value is opened (`term/open.rs`), the monitors and the solver are shared:
//! where one of these is wrong, both agree on what is wrong.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::symbolic::Question;
use crate::kernel::{Moment, Part, SlotKind, Source, Target};
use crate::term::{
    Definitions, OpenFrame, OpenValue, Range, Sort, Store, Symbol, Symbolic, Term, Terms, Type, Unsupported, Value,
    open,
};

/// Conditions over symbols.
pub(super) struct Relation<'a> {
    question: Question<'a>,
    pub terms: Terms,
    pub store: Store,
    /// Conditions that nobody has taken yet.
    conditions: Vec<Term>,
    /// Symbols whose ranges are among the conditions.
    ranged: usize,
    /// Why some runs are left out.
    gaps: BTreeSet<String>,
}

/// Terms of a moment between steps.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub control: Vec<Term>,
    pub values: Vec<Term>,
}

/// Terms of a step.
#[derive(Clone, Debug)]
pub(super) struct StepTerms {
    pub joint: Term,
    /// What each machine fires, as a member of its transition list.
    pub fired: Vec<Term>,
    /// One element of every list.
    pub observed: Vec<Term>,
}

/// What one transition asks for and does, in any control state.
struct Effect {
    enabled: Term,
    writes: Vec<(usize, Term)>,
    messages: Vec<(Target, Term)>,
}

/// What was made, or why it cannot be.
pub(super) type Made<T> = Result<T, Unsupported>;

impl<'a> Relation<'a> {
    /// No symbols and no conditions yet.
    pub fn new(question: Question<'a>) -> Relation<'a> {
        Relation {
            question,
            terms: Terms::new(),
            store: Store::default(),
            conditions: vec![],
            ranged: 0,
            gaps: BTreeSet::new(),
        }
    }

    /// The moment before the first step.
    pub fn initial(&mut self) -> Made<Frame> {
        let mut values = vec![];
        for slot in &self.question.system.slots {
            values.push(match &slot.init {
                Some(value) => self.terms.constant(value.clone()),
                None => self.opened(&slot.ty)?,
            });
        }
        let mut control = vec![];
        for (number, machine) in self.question.system.machines.iter().enumerate() {
            let member = self.member(Source::State(number, Moment::After), machine.initial as usize);
            control.push(self.terms.constant(member));
        }
        Ok(Frame { control, values })
    }

    /// Any moment, and its symbols with what they stand for.
    pub fn any_moment(&mut self) -> Made<(Frame, Vec<(Symbol, String)>)> {
        let system = self.question.system;
        let first = self.store.ranges.len();
        let mut names: Vec<String> = vec![];
        let mut name = |relation: &Self, name: &str| {
            let mut part = 0;
            names.resize_with(relation.store.ranges.len() - first, || {
                part += 1;
                if part == 1 { name.to_owned() } else { format!("{name}#{part}") }
            });
        };
        let absent = self.terms.constant(Value::Absent);
        let mut values = vec![];
        for slot in &system.slots {
            let value = match slot.kind {
                SlotKind::Variable => self.opened(&slot.ty)?,
                SlotKind::Channel => {
                    let present = self.symbol(Range::Bool);
                    name(self, &format!("{}?", slot.name));
                    self.message(&slot.ty, present)?
                }
                SlotKind::Input => absent,
            };
            name(self, &slot.name);
            values.push(value);
        }
        let mut control = vec![];
        for (number, machine) in system.machines.iter().enumerate() {
            let sort = self.sort_of(Source::State(number, Moment::After))?;
            control.push(self.symbol(Range::all(sort, self.definitions())));
            name(self, &format!("{}.state", machine.name));
        }
        let symbols = (names.into_iter().zip(&self.store.ranges[first..]).zip(first as u32..))
            .map(|((name, range), number)| (Symbol { number, sort: range.sort() }, name))
            .collect();
        Ok((Frame { control, values }, symbols))
    }

    /// The values that exist once for a run.
    pub fn open_values(&mut self) -> Made<Vec<Term>> {
        self.question.monitor.open.iter().map(|ty| self.opened(ty)).collect()
    }

    /// All conditions that came up since they were taken last, ranges of symbols included.
    pub fn take_conditions(&mut self) -> Vec<Term> {
        for number in self.ranged..self.store.ranges.len() {
            let range = self.store.ranges[number].clone();
            let term = self.terms.symbol(Symbol { number: number as u32, sort: range.sort() });
            let conditions = range.conditions(&mut self.terms, term);
            self.conditions.extend(conditions);
        }
        self.ranged = self.store.ranges.len();
        std::mem::take(&mut self.conditions)
    }

    /// Why some runs are left out.
    pub fn gaps(&self) -> &BTreeSet<String> {
        &self.gaps
    }

    pub fn definitions(&self) -> &'a Definitions {
        &self.question.lists.names.definitions
    }

    /// A member of the enumeration of the list with this source.
    pub fn member(&self, source: Source, number: usize) -> Value {
        let list = self.question.lists.sources.iter().position(|s| *s == source);
        list.map_or(Value::Absent, |list| self.question.lists.names.member(list, number))
    }

    /// The sort of the enumeration of the list with this source.
    fn sort_of(&self, source: Source) -> Made<Sort> {
        let list = self.question.lists.sources.iter().position(|s| *s == source);
        match list.map(|list| &self.question.lists.names.entries[list].ty) {
            Some(Type::Data(ty)) => Ok(Sort::Enum(*ty)),
            _ => Err(Unsupported("a machine without a list".to_owned())),
        }
    }

    pub fn symbol(&mut self, range: Range) -> Term {
        let symbol = self.store.add(range);
        self.terms.symbol(symbol)
    }

    fn open(&mut self, ty: &Type) -> Made<OpenValue> {
        let definitions = self.definitions();
        Ok(open(ty, &mut self.store, &mut self.terms, definitions)?.noting(&mut self.gaps))
    }

    /// An open value that is there in any case, with what its type asks for.
    fn opened(&mut self, ty: &Type) -> Made<Term> {
        let opened = self.open(ty)?;
        opened.conditions.into_iter().for_each(|condition| self.assert(condition));
        Ok(opened.value)
    }

    /// An open value that is there where a condition holds; only there its type asks for something.
    fn opened_if(&mut self, ty: &Type, is_there: Term) -> Made<Term> {
        let opened = self.open(ty)?;
        let conditions = opened.conditions_if(is_there, &mut self.terms);
        conditions.into_iter().for_each(|condition| self.assert(condition));
        Ok(opened.value)
    }

    /// An open message, absent where it is not sent.
    fn message(&mut self, ty: &Type, is_sent: Term) -> Made<Term> {
        let (message, conditions) = self.open(ty)?.message(is_sent, &mut self.terms);
        conditions.into_iter().for_each(|condition| self.assert(condition));
        Ok(message)
    }

    fn assert(&mut self, condition: Term) {
        if !self.terms.is(condition, true) {
            self.conditions.push(condition);
        }
    }

    /// A symbol that is equal to a term, so that later terms stay small; structures stay as they are.
    pub fn named(&mut self, term: Term) -> Term {
        if self.terms.value(term).is_some() {
            return term;
        }
        let sort = self.terms.sort(term);
        if sort == Sort::Structure {
            return term;
        }
        let name = self.symbol(Range::all(sort, self.definitions()));
        let is = self.terms.equal(name, term);
        self.assert(is);
        name
    }

    /// A message whose presence and value have names.
    fn named_message(&mut self, term: Term) -> Term {
        let definitions = self.definitions();
        let mut symbolic = Symbolic::new(&mut self.terms, definitions, &[]);
        let present = symbolic.is_present(term);
        let Some(value) = symbolic.present(term) else { return term };
        let (present, value) = (self.named(present), self.named(value));
        let absent = self.terms.constant(Value::Absent);
        self.terms.choose(present, value, absent)
    }

    fn effect(&mut self, machine: usize, transition: usize, seen: &[Term], data: &[Term]) -> Made<Effect> {
        let t = &self.question.system.machines[machine].transitions[transition];
        let definitions = self.definitions();
        let mut frame: OpenFrame = data.iter().copied().map(Some).collect();
        let mut enabled = vec![];
        let mut symbolic = Symbolic::new(&mut self.terms, definitions, seen);
        for conjunct in &t.guard {
            let holds = symbolic.condition(&conjunct.expr, &mut frame)?;
            // What comes after it may read names that it would have bound.
            if symbolic.terms.is(holds, false) {
                return Ok(Effect { enabled: holds, writes: vec![], messages: vec![] });
            }
            enabled.push(holds);
        }
        let mut writes = vec![];
        for (slot, expr) in &t.updates {
            let value = symbolic.eval(expr, &mut frame)?;
            enabled.push(value.defined);
            writes.push((*slot, value.value));
        }
        let mut messages = vec![];
        for send in &t.sends {
            let sent = match &send.condition {
                None => symbolic.terms.bool(true),
                Some(condition) => {
                    let sent = symbolic.eval(condition, &mut frame)?;
                    enabled.push(sent.defined);
                    sent.value
                }
            };
            let absent = symbolic.terms.constant(Value::Absent);
            if symbolic.terms.is(sent, false) {
                messages.push((send.to, absent));
                continue;
            }
            let value = symbolic.eval(&send.value, &mut frame)?;
            let not_sent = symbolic.terms.not(sent);
            enabled.push(symbolic.terms.or(not_sent, value.defined));
            messages.push((send.to, symbolic.terms.choose(sent, value.value, absent)));
        }
        Ok(Effect { enabled: self.terms.all(enabled), writes, messages })
    }

    /// A step from a moment, and the moment after it; `clock` is its number.
    pub fn step(&mut self, before: &Frame, clock: Term) -> Made<(StepTerms, Frame)> {
        let system = self.question.system;
        let joints = system.joints.len();
        // A model without switches takes no step.
        if joints == 0 {
            let never = self.terms.bool(false);
            self.assert(never);
        }
        let joint = match joints {
            1 => self.terms.int(0),
            _ => {
                let mut range = Range::all(Sort::Int, self.definitions());
                if let Range::Number { low, high, .. } = &mut range {
                    let end = |n: usize| Some((num_bigint::BigInt::from(n).into(), true));
                    (*low, *high) = (end(0), end(joints.saturating_sub(1)));
                }
                self.symbol(range)
            }
        };
        let absent = self.terms.constant(Value::Absent);
        // One symbol for what each machine fires; absent if it takes no part.
        let mut fired = vec![];
        for number in 0..system.machines.len() {
            let sort = self.sort_of(Source::Fired(number))?;
            fired.push(self.symbol(Range::all(sort, self.definitions())));
        }
        let mut control = before.control.clone();
        let mut values = before.values.clone();
        let mut takes_part: Vec<Vec<Term>> = vec![vec![]; system.machines.len()];
        let mut data_of: FxHashMap<usize, Vec<Term>> = FxHashMap::default();
        for (number, described) in system.joints.iter().enumerate() {
            let n = self.terms.int(number);
            let here = self.terms.equal(joint, n);
            let (change, data) = match described.parts[..] {
                [Part::Tick(tick)] => self.tick(here, tick, before, &fired, &mut takes_part)?,
                _ => self.handshake(here, number, before, &fired, &mut takes_part)?,
            };
            for (machine, target) in change.0 {
                control[machine] = self.terms.choose(here, target, control[machine]);
            }
            for (slot, value) in change.1 {
                values[slot] = self.terms.choose(here, value, values[slot]);
            }
            data_of.insert(number, data);
        }
        let control: Vec<Term> = control.into_iter().map(|term| self.named(term)).collect();
        let mut named = vec![];
        for (slot, value) in system.slots.iter().zip(values) {
            named.push(match slot.kind {
                SlotKind::Variable => self.named(value),
                _ => self.named_message(value),
            });
        }
        let after = Frame { control, values: named };
        let mut fired_elements = vec![];
        for (machine, parts) in takes_part.into_iter().enumerate() {
            let any = self.terms.any(parts);
            fired_elements.push(self.terms.choose(any, fired[machine], absent));
        }
        let observed = self.observe(joint, (before, &after), &fired_elements, &data_of, clock);
        Ok((StepTerms { joint, fired: fired_elements, observed }, after))
    }

    /// A switch, or several at once. What changes if this joint is taken, and its data.
    fn handshake(
        &mut self,
        here: Term,
        number: usize,
        before: &Frame,
        fired: &[Term],
        takes_part: &mut [Vec<Term>],
    ) -> Made<(Change, Vec<Term>)> {
        let described = &self.question.system.joints[number];
        let not_here = self.terms.not(here);
        let mut data = vec![];
        for (_, types) in &described.params {
            let value = self.opened_if(&types[0], here)?;
            for ty in &types[1..] {
                let definitions = self.definitions();
                let inside = Symbolic::new(&mut self.terms, definitions, &[]).contains(ty, value)?;
                let implied = self.terms.or(not_here, inside);
                self.assert(implied);
            }
            data.push(value);
        }
        let mut change: Change = (vec![], vec![]);
        for part in &described.parts {
            let Part::Switch { machine, transition } = *part else {
                return Err(Unsupported("a lock-step system that shakes hands".to_owned()));
            };
            let t = &self.question.system.machines[machine].transitions[transition];
            let source = self.member(Source::State(machine, Moment::After), t.source as usize);
            let source = self.terms.constant(source);
            let at_source = self.terms.equal(before.control[machine], source);
            let effect = self.effect(machine, transition, &before.values, &data)?;
            if self.terms.is(at_source, false) || self.terms.is(effect.enabled, false) {
                self.assert(not_here);
                return Ok(((vec![], vec![]), data));
            }
            let fires = self.member(Source::Fired(machine), transition);
            let fires = self.terms.constant(fires);
            let fires = self.terms.equal(fired[machine], fires);
            for condition in [at_source, effect.enabled, fires] {
                let implied = self.terms.or(not_here, condition);
                self.assert(implied);
            }
            takes_part[machine].push(here);
            let target = self.member(Source::State(machine, Moment::After), t.target as usize);
            change.0.push((machine, self.terms.constant(target)));
            change.1.extend(effect.writes);
        }
        Ok((change, data))
    }

    /// One step of a lock-step system.
    fn tick(
        &mut self,
        here: Term,
        tick: usize,
        before: &Frame,
        fired: &[Term],
        takes_part: &mut [Vec<Term>],
    ) -> Made<(Change, Vec<Term>)> {
        let system = self.question.system;
        let group = &system.ticks[tick];
        let not_here = self.terms.not(here);
        let absent = self.terms.constant(Value::Absent);
        let mut seen = before.values.clone();
        let mut data = vec![];
        for (_, ty, slot) in &group.inputs {
            let present = self.symbol(Range::Bool);
            let input = self.message(ty, present)?;
            seen[*slot] = input;
            data.push(input);
        }
        let mut change: Change = (vec![], vec![]);
        let mut writes: FxHashMap<usize, Term> = group.channels.iter().map(|slot| (*slot, absent)).collect();
        let mut outputs = vec![absent; group.outputs.len()];
        for machine in &group.machines {
            takes_part[*machine].push(here);
            let mut may_fire = vec![];
            let mut target = before.control[*machine];
            for (number, t) in system.machines[*machine].transitions.iter().enumerate() {
                let source = self.member(Source::State(*machine, Moment::After), t.source as usize);
                let source = self.terms.constant(source);
                let at_source = self.terms.equal(before.control[*machine], source);
                let fires = self.member(Source::Fired(*machine), number);
                let fires = self.terms.constant(fires);
                let fires = self.terms.equal(fired[*machine], fires);
                let not_fires = self.terms.not(fires);
                let effect = match self.terms.is(at_source, false) {
                    true => None,
                    false => Some(self.effect(*machine, number, &seen, &[])?),
                };
                // What can never fire here has no effects that could be told.
                let Some(effect) = effect.filter(|effect| !self.terms.is(effect.enabled, false)) else {
                    let implied = self.terms.or(not_here, not_fires);
                    self.assert(implied);
                    continue;
                };
                let possible = self.terms.and(at_source, effect.enabled);
                let possible = self.named(possible);
                may_fire.push(possible);
                let implied = self.terms.any(vec![not_here, not_fires, possible]);
                self.assert(implied);
                let to = self.member(Source::State(*machine, Moment::After), t.target as usize);
                let to = self.terms.constant(to);
                target = self.terms.choose(fires, to, target);
                for (slot, value) in effect.writes {
                    let old = writes.get(&slot).copied().unwrap_or(before.values[slot]);
                    writes.insert(slot, self.terms.choose(fires, value, old));
                }
                for (to, message) in effect.messages {
                    match to {
                        Target::Channel(slot) => {
                            let old = writes.get(&slot).copied().unwrap_or(absent);
                            writes.insert(slot, self.terms.choose(fires, message, old));
                        }
                        Target::Output(output) => {
                            outputs[output] = self.terms.choose(fires, message, outputs[output]);
                        }
                        Target::Nowhere => {}
                    }
                }
            }
            // Idling needs that nothing could fire.
            let count = system.machines[*machine].transitions.len();
            let idle = self.member(Source::Fired(*machine), count);
            let idle = self.terms.constant(idle);
            let idles = self.terms.equal(fired[*machine], idle);
            let not_idles = self.terms.not(idles);
            let none: Vec<Term> = may_fire.iter().map(|possible| self.terms.not(*possible)).collect();
            let none = self.terms.all(none);
            let implied = self.terms.any(vec![not_here, not_idles, none]);
            self.assert(implied);
            change.0.push((*machine, target));
        }
        change.1 = writes.into_iter().collect();
        change.1.sort_unstable();
        let outputs: Vec<Term> = outputs.into_iter().map(|output| self.named_message(output)).collect();
        data.extend(outputs);
        Ok((change, data))
    }

    fn observe(
        &mut self,
        joint: Term,
        (before, after): (&Frame, &Frame),
        fired: &[Term],
        data: &FxHashMap<usize, Vec<Term>>,
        clock: Term,
    ) -> Vec<Term> {
        let (system, lists) = (self.question.system, self.question.lists);
        let absent = self.terms.constant(Value::Absent);
        let mut out = vec![];
        for (list, source) in lists.sources.iter().enumerate() {
            out.push(match *source {
                Source::State(machine, Moment::Before) => before.control[machine],
                Source::State(machine, Moment::After) => after.control[machine],
                Source::Value(slot, Moment::Before) => before.values[slot],
                Source::Value(slot, Moment::After) => after.values[slot],
                Source::Fired(machine) => fired[machine],
                Source::Clock => clock,
                Source::Gate | Source::Data(..) => {
                    let mut element = absent;
                    for (number, described) in system.joints.iter().enumerate() {
                        let value = match *source {
                            Source::Gate => {
                                let member = lists.names.member(list, described.gate.unwrap_or(system.gates.len()));
                                self.terms.constant(member)
                            }
                            Source::Data(gate, place) if described.gate == Some(gate) => data[&number][place],
                            _ => continue,
                        };
                        let n = self.terms.int(number);
                        let here = self.terms.equal(joint, n);
                        element = self.terms.choose(here, value, element);
                    }
                    element
                }
            });
        }
        out
    }
}

/// Where machines go, and new values of slots.
type Change = (Vec<(usize, Term)>, Vec<(usize, Term)>);
