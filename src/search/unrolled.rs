//! Unrolling: one formula for all runs of a length, given to the solver as a whole.
//!
//! For goals that conjoin many conditions, where a search would have to try which of them to meet first. The steps are
//! asserted once and for good; what must be shown within a length is assumed for one check. Which transition fires in
//! which step is read from the model; the data is left to the symbolic engine, which follows that path.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::symbolic::{Fired, Question};
use crate::history::{Formula, Instance, When};
use crate::kernel::{Moment, Part, Source, Target};
use crate::solve::{Model, Solver, Verdict};
use crate::term::{
    Definitions, Expr, OpenFrame, Partial, Range, Sort, Store, Symbol, Symbolic, Term, Terms, Type, Unsupported, Value,
    open,
};

/// What was found for one length.
#[derive(Clone, Debug, PartialEq)]
pub enum Unrolling {
    /// A run: what fires in each step, and in which joint.
    Found(Vec<(usize, Fired)>),
    /// There is none of this length.
    None,
    /// Nobody can tell.
    Unknown(String),
}

/// The unrolled model, as far as it was needed.
pub struct Unrolled<'a> {
    question: Question<'a>,
    terms: Terms,
    solver: Box<dyn Solver>,
    store: Store,
    /// Symbols whose ranges were asserted.
    asserted: usize,
    frames: Vec<Frame>,
    steps: Vec<StepTerms>,
    open: Vec<Term>,
    /// Why some runs are left out.
    gaps: BTreeSet<String>,
    calls: usize,
}

/// Terms of a moment between steps.
#[derive(Clone, Debug)]
struct Frame {
    control: Vec<Term>,
    values: Vec<Term>,
}

/// Terms of a step.
#[derive(Clone, Debug)]
struct StepTerms {
    joint: Term,
    /// What each machine fires, as a member of its transition list.
    fired: Vec<Term>,
    /// One element of every list.
    observed: Vec<Term>,
}

/// What one transition asks for and does, in any control state.
struct Effect {
    enabled: Term,
    writes: Vec<(usize, Term)>,
    messages: Vec<(Target, Term)>,
}

type Made<T> = Result<T, Unsupported>;

impl<'a> Unrolled<'a> {
    /// The model before its first step. An error if its values have no terms.
    pub fn new(question: Question<'a>, solver: Box<dyn Solver>) -> Made<Unrolled<'a>> {
        let mut unrolled = Unrolled {
            question,
            terms: Terms::new(),
            solver,
            store: Store::default(),
            asserted: 0,
            frames: vec![],
            steps: vec![],
            open: vec![],
            gaps: BTreeSet::new(),
            calls: 0,
        };
        let mut values = vec![];
        for slot in &question.system.slots {
            values.push(match &slot.init {
                Some(value) => unrolled.terms.constant(value.clone()),
                None => unrolled.opened(&slot.ty)?,
            });
        }
        for ty in &question.monitor.open {
            let value = unrolled.opened(ty)?;
            unrolled.open.push(value);
        }
        let mut control = vec![];
        for (number, machine) in question.system.machines.iter().enumerate() {
            let member = unrolled.member(Source::State(number, Moment::After), machine.initial as usize);
            control.push(unrolled.terms.constant(member));
        }
        unrolled.frames.push(Frame { control, values });
        Ok(unrolled)
    }

    /// Why some runs are left out.
    pub fn gaps(&self) -> &BTreeSet<String> {
        &self.gaps
    }

    /// How often the solver was asked.
    pub fn solver_calls(&self) -> usize {
        self.calls
    }

    fn definitions(&self) -> &'a Definitions {
        &self.question.lists.names.definitions
    }

    /// A member of the enumeration of the list with this source.
    fn member(&self, source: Source, number: usize) -> Value {
        let list = self.question.lists.sources.iter().position(|s| *s == source);
        list.map_or(Value::Absent, |list| self.question.lists.names.member(list, number))
    }

    fn symbol(&mut self, range: Range) -> Term {
        let symbol = self.store.add(range);
        self.terms.symbol(symbol)
    }

    /// An open value with what its type asks for.
    fn opened(&mut self, ty: &Type) -> Made<Term> {
        let definitions = self.definitions();
        let opened = open(ty, &mut self.store, &mut self.terms, definitions)?;
        if !opened.complete {
            self.gaps.insert(format!("open values of `{}` were tried up to a small size only", ty.name(definitions)));
        }
        for condition in opened.conditions {
            self.assert(condition);
        }
        Ok(opened.value)
    }

    fn assert(&mut self, condition: Term) {
        if !self.terms.is(condition, true) {
            self.solver.assert(&self.terms, condition);
        }
    }

    /// A symbol that is equal to a term, so that later terms stay small; structures stay as they are.
    fn named(&mut self, term: Term) -> Term {
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

    // ---- steps

    fn effect(&mut self, machine: usize, transition: usize, seen: &[Term], data: &[Term]) -> Made<Effect> {
        let t = &self.question.system.machines[machine].transitions[transition];
        let definitions = self.definitions();
        let mut frame: OpenFrame = data.iter().copied().map(Some).collect();
        let mut enabled = vec![];
        let mut symbolic = Symbolic::new(&mut self.terms, definitions, seen);
        for conjunct in &t.guard {
            enabled.push(symbolic.condition(&conjunct.expr, &mut frame)?);
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
            let value = symbolic.eval(&send.value, &mut frame)?;
            let not_sent = symbolic.terms.not(sent);
            enabled.push(symbolic.terms.or(not_sent, value.defined));
            let absent = symbolic.terms.constant(Value::Absent);
            messages.push((send.to, symbolic.terms.choose(sent, value.value, absent)));
        }
        Ok(Effect { enabled: self.terms.all(enabled), writes, messages })
    }

    /// Adds one more step.
    fn unroll(&mut self) -> Made<()> {
        let system = self.question.system;
        let before = self.frames[self.frames.len() - 1].clone();
        let joints = system.joints.len();
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
        for (number, _) in system.machines.iter().enumerate() {
            let list = self.question.lists.sources.iter().position(|source| *source == Source::Fired(number));
            let ty = list.map(|list| self.question.lists.names.entries[list].ty.clone());
            let Some(Type::Data(ty)) = ty else { return Err(Unsupported("a machine without a list".to_owned())) };
            fired.push(self.symbol(Range::all(Sort::Enum(ty), self.definitions())));
        }
        let mut control = before.control.clone();
        let mut values = before.values.clone();
        let mut takes_part: Vec<Vec<Term>> = vec![vec![]; system.machines.len()];
        let mut data_of: FxHashMap<usize, Vec<Term>> = FxHashMap::default();
        for (number, described) in system.joints.iter().enumerate() {
            let n = self.terms.int(number);
            let here = self.terms.equal(joint, n);
            let (change, data) = match described.parts[..] {
                [Part::Tick(tick)] => self.tick(here, tick, &before, &fired, &mut takes_part)?,
                _ => self.handshake(here, number, &before, &fired, &mut takes_part)?,
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
                crate::kernel::SlotKind::Variable => self.named(value),
                _ => self.named_message(value),
            });
        }
        let after = Frame { control, values: named };
        let mut fired_elements = vec![];
        for (machine, parts) in takes_part.into_iter().enumerate() {
            let any = self.terms.any(parts);
            fired_elements.push(self.terms.choose(any, fired[machine], absent));
        }
        let observed = self.observe(joint, &before, &after, &fired_elements, &data_of);
        self.steps.push(StepTerms { joint, fired: fired_elements, observed });
        self.frames.push(after);
        Ok(())
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
            let value = self.opened(&types[0])?;
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
            let value = self.opened(ty)?;
            let input = self.terms.choose(present, value, absent);
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
        before: &Frame,
        after: &Frame,
        fired: &[Term],
        data: &FxHashMap<usize, Vec<Term>>,
    ) -> Vec<Term> {
        let (system, lists) = (self.question.system, self.question.lists);
        let absent = self.terms.constant(Value::Absent);
        let clock = self.steps.len() + 1;
        let mut out = vec![];
        for (list, source) in lists.sources.iter().enumerate() {
            out.push(match *source {
                Source::State(machine, Moment::Before) => before.control[machine],
                Source::State(machine, Moment::After) => after.control[machine],
                Source::Value(slot, Moment::Before) => before.values[slot],
                Source::Value(slot, Moment::After) => after.values[slot],
                Source::Fired(machine) => fired[machine],
                Source::Clock => self.terms.int(clock),
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

    // ---- goals

    /// Looks for a run of exactly this many steps that differs in what fires from those already known.
    pub fn of_length(&mut self, length: usize, others: &[Vec<(usize, Fired)>]) -> Made<Unrolling> {
        while self.steps.len() < length {
            self.unroll()?;
        }
        let goal = self.goal(length)?;
        if self.terms.is(goal, false) {
            return Ok(Unrolling::None);
        }
        let mut assumed = vec![goal];
        for other in others.iter().filter(|other| other.len() == length) {
            assumed.push(self.differs(other));
        }
        self.assert_ranges();
        self.calls += 1;
        Ok(match self.solver.check(&self.terms, &assumed) {
            Verdict::Unsatisfiable(_) => Unrolling::None,
            Verdict::Unknown(reason) => Unrolling::Unknown(reason),
            Verdict::Satisfiable(model) => match self.read(&model, length) {
                Some(fired) => Unrolling::Found(fired),
                None => Unrolling::Unknown("a model that cannot be read".to_owned()),
            },
        })
    }

    /// That something else fires.
    fn differs(&mut self, plan: &[(usize, Fired)]) -> Term {
        let mut parts = vec![];
        for (step, (joint, fired)) in plan.iter().enumerate() {
            let n = self.terms.int(*joint);
            let same = self.terms.equal(self.steps[step].joint, n);
            parts.push(self.terms.not(same));
            for (machine, transition) in fired {
                let idle = self.question.system.machines[*machine].transitions.len();
                let member = self.member(Source::Fired(*machine), transition.unwrap_or(idle));
                let member = self.terms.constant(member);
                let same = self.terms.equal(self.steps[step].fired[*machine], member);
                parts.push(self.terms.not(same));
            }
        }
        self.terms.any(parts)
    }

    fn assert_ranges(&mut self) {
        for number in self.asserted..self.store.ranges.len() {
            let range = self.store.ranges[number].clone();
            let term = self.terms.symbol(Symbol { number: number as u32, sort: range.sort() });
            for condition in range.conditions(&mut self.terms, term) {
                self.assert(condition);
            }
        }
        self.asserted = self.store.ranges.len();
    }

    /// That all constraints hold over the first steps.
    fn goal(&mut self, length: usize) -> Made<Term> {
        let monitor = self.question.monitor;
        let lists: Vec<usize> = (0..monitor.lists.len()).collect();
        let frame: OpenFrame = self.open.iter().copied().map(Some).collect();
        let mut known = Shown { length, holds: FxHashMap::default(), elements: FxHashMap::default() };
        let mut parts = vec![];
        for formula in &monitor.start {
            parts.push(self.shows(formula, &lists, &frame, 0, &mut known)?);
        }
        Ok(self.terms.all(parts))
    }

    /// Under which condition a formula holds from a step on.
    fn shows(
        &mut self,
        formula: &Formula,
        lists: &[usize],
        frame: &OpenFrame,
        at: usize,
        known: &mut Shown,
    ) -> Made<Term> {
        Ok(match formula {
            Formula::Decided(truth) => self.terms.bool(*truth),
            Formula::All(parts) => {
                let parts: Made<Vec<Term>> =
                    parts.iter().map(|part| self.shows(part, lists, frame, at, known)).collect();
                self.terms.all(parts?)
            }
            Formula::Any(parts) => {
                let parts: Made<Vec<Term>> =
                    parts.iter().map(|part| self.shows(part, lists, frame, at, known)).collect();
                self.terms.any(parts?)
            }
            Formula::Not(inner) => {
                let inner = self.shows(inner, lists, frame, at, known)?;
                self.terms.not(inner)
            }
            Formula::Use(used) => {
                let mut args = vec![];
                for arg in &used.args {
                    args.push(self.value(arg, &[], &mut frame.clone())?);
                }
                let lists = used.lists.iter().map(|list| lists[*list]).collect();
                self.holds(&Instance { rule: used.rule, lists, args }, at, known)?
            }
        })
    }

    fn value(&mut self, expr: &Expr, slots: &[Term], frame: &mut OpenFrame) -> Made<Term> {
        let definitions = self.definitions();
        let Partial { value, defined } = Symbolic::new(&mut self.terms, definitions, slots).eval(expr, frame)?;
        let absent = self.terms.constant(Value::Absent);
        Ok(self.terms.choose(defined, value, absent))
    }

    /// Under which condition a rule holds from a step on.
    fn holds(&mut self, instance: &Instance<Term>, at: usize, known: &mut Shown) -> Made<Term> {
        let key = (instance.clone(), at);
        if let Some(term) = known.holds.get(&key) {
            return Ok(*term);
        }
        // A rule that comes back to itself at the end without deciding fails.
        if at > known.length + MAX_AT_STOP {
            return Ok(self.terms.bool(false));
        }
        let is_end = at >= known.length;
        let mut frame: OpenFrame = vec![];
        for list in &instance.lists {
            let element = if is_end { self.terms.constant(Value::Absent) } else { self.element(*list, at, known)? };
            frame.push(Some(element));
        }
        frame.extend(instance.args.iter().copied().map(Some));
        let monitor = self.question.monitor;
        let skipped = if is_end { When::Element } else { When::Stop };
        let mut cases = vec![];
        for clause in monitor.rules[instance.rule].clauses.iter().filter(|clause| clause.when != skipped) {
            let mut bound = frame.clone();
            let definitions = self.definitions();
            let guard = Symbolic::new(&mut self.terms, definitions, &[]).condition(&clause.guard, &mut bound)?;
            if self.terms.is(guard, false) {
                continue;
            }
            let becomes = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
                self.shows(&clause.becomes, &instance.lists, &bound, at + 1, known)
            })?;
            cases.push((guard, becomes));
            if self.terms.is(guard, true) {
                break;
            }
        }
        let mut result = self.terms.bool(false);
        for (guard, becomes) in cases.into_iter().rev() {
            result = self.terms.choose(guard, becomes, result);
        }
        let result = self.named(result);
        known.holds.insert(key, result);
        Ok(result)
    }

    fn element(&mut self, list: usize, at: usize, known: &mut Shown) -> Made<Term> {
        if let Some(element) = known.elements.get(&(list, at)) {
            return Ok(*element);
        }
        let observed = self.steps[at].observed.clone();
        let mut frame: OpenFrame = self.open.iter().copied().map(Some).collect();
        let monitor = self.question.monitor;
        let element = self.value(&monitor.lists[list], &observed, &mut frame)?;
        known.elements.insert((list, at), element);
        Ok(element)
    }

    /// What fires in each step of a model.
    fn read(&mut self, model: &Model, length: usize) -> Option<Vec<(usize, Fired)>> {
        let mut out = vec![];
        for step in 0..length {
            let StepTerms { joint, fired, .. } = self.steps[step].clone();
            let Value::Int(joint) = self.in_model(joint, model)? else { return None };
            let joint = usize::try_from(joint).ok()?;
            let mut all = vec![];
            for part in self.machines_of(joint) {
                let Value::Data(_, member, _) = self.in_model(fired[part], model)? else { return None };
                let count = self.question.system.machines[part].transitions.len();
                all.push((part, Some(member as usize).filter(|member| *member < count)));
            }
            out.push((joint, all));
        }
        Some(out)
    }

    /// Machines that take part in a joint, in the interpreter's order.
    fn machines_of(&self, joint: usize) -> Vec<usize> {
        let system = self.question.system;
        let parts = system.joints[joint].parts.iter();
        parts
            .flat_map(|part| match part {
                Part::Tick(tick) => system.ticks[*tick].machines.clone(),
                Part::Switch { machine, .. } => vec![*machine],
            })
            .collect()
    }

    fn in_model(&mut self, term: Term, model: &Model) -> Option<Value> {
        let mut symbols = vec![];
        self.terms.each_symbol(term, &mut |symbol| symbols.push(symbol));
        let mut known = FxHashMap::default();
        for symbol in symbols {
            let value = model.get(&symbol).cloned();
            let value = value.unwrap_or_else(|| self.store.ranges[symbol.number as usize].simple());
            known.insert(symbol, self.terms.constant(value));
        }
        let result = self.terms.substitute(term, &|symbol| known.get(&symbol).copied());
        self.terms.value(result).cloned()
    }
}

/// Where machines go, and new values of slots.
type Change = (Vec<(usize, Term)>, Vec<(usize, Term)>);

/// Steps beyond the end after which a rule is cut off.
const MAX_AT_STOP: usize = 100;

/// What was made for one length.
struct Shown {
    length: usize,
    holds: FxHashMap<(Instance<Term>, usize), Term>,
    elements: FxHashMap<(usize, usize), Term>,
}
