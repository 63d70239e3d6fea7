//! The steps of a symbolic state: the reference interpreter's rules, over terms.

use rustc_hash::FxHashMap;

use super::{Branch, Edge, Fired, OpenSpace, OpenState};
use crate::kernel::{Moment, Part, Source, Target};
use crate::term::{OpenFrame, Store, Term, Value};

/// What one transition asks for and does.
struct Effect {
    transition: usize,
    enabled: Term,
    writes: Vec<(usize, Term)>,
    messages: Vec<(Target, Term)>,
}

/// A step whose conditions are met.
struct Taken {
    branch: Branch,
    fired: Fired,
    control: Vec<u32>,
    values: Vec<Term>,
    /// Inputs and outputs, or data of a gate.
    data: Vec<Term>,
}

impl OpenSpace<'_> {
    /// The state before the first step.
    pub(super) fn start(&mut self) -> Option<Edge> {
        let question = self.question;
        let mut branch = Branch { store: Store::default(), witness: vec![], is_doubtful: false };
        let mut values = vec![];
        let mut opened = vec![];
        for slot in &question.system.slots {
            let value = match &slot.init {
                Some(value) => self.terms.constant(value.clone()),
                None => {
                    let value = self.open(&slot.ty, &mut branch)?;
                    opened.push(value);
                    value
                }
            };
            values.push(value);
        }
        let mut open = vec![];
        for ty in &question.monitor.open {
            open.push(self.open(ty, &mut branch)?);
        }
        let live = self.watcher().start(&open);
        let live = self.noted(live)?;
        let control = question.system.machines.iter().map(|machine| machine.initial).collect();
        let clock = self.uses_clock.then_some(0);
        opened.extend(&open);
        Some(self.settle(&branch, control, &values, &open, &live, clock, 0, (0, 0, &opened)))
    }

    /// All steps from a state, or only those in which certain transitions fire.
    pub(super) fn expand(&mut self, number: u32, only: Option<&(usize, Fired)>) -> Vec<Edge> {
        let state = self.states[number as usize].clone();
        let mut edges = vec![];
        for joint in 0..self.question.system.joints.len() {
            if only.is_some_and(|(wanted, _)| *wanted != joint) {
                continue;
            }
            let taken = match self.question.system.joints[joint].parts[..] {
                [Part::Tick(tick)] => self.tick(number, &state, tick, only.map(|(_, fired)| fired)),
                _ => self.handshake(number, &state, joint).into_iter().collect(),
            };
            for step in taken {
                self.finish(&state, joint, step, &mut edges);
            }
        }
        edges
    }

    /// The monitor looks at the step; what it becomes decides between states.
    fn finish(&mut self, state: &OpenState, joint: usize, step: Taken, edges: &mut Vec<Edge>) {
        let clock = state.clock.map(|clock| clock + 1);
        let Taken { branch, fired, control, values, data } = step;
        let observed = self.observe(state, joint, &fired, &control, &values, &data, clock);
        let label = self.label(fired);
        let ways = self.watcher().advance(branch, &state.live, &state.open, &observed);
        for (branch, live) in self.noted(ways).unwrap_or_default() {
            let carried = state.ranges.len();
            let about = (label, joint, &data[..]);
            edges.push(self.settle(&branch, control.clone(), &values, &state.open, &live, clock, carried, about));
        }
    }

    /// What one transition of a machine asks for and does, over the values it sees; none if it starts elsewhere.
    fn effect(
        &mut self,
        state: &OpenState,
        machine: usize,
        transition: usize,
        seen: &[Term],
        data: &[Term],
    ) -> Option<Effect> {
        let t = &self.question.system.machines[machine].transitions[transition];
        if state.control[machine] != t.source {
            return None;
        }
        let mut frame: OpenFrame = data.iter().copied().map(Some).collect();
        let mut enabled = vec![];
        for conjunct in &t.guard {
            let holds = self.condition(&conjunct.expr, seen, &mut frame)?;
            if self.terms.is(holds, false) {
                return None;
            }
            enabled.push(holds);
        }
        let mut writes = vec![];
        for (slot, expr) in &t.updates {
            let value = self.eval(expr, seen, &mut frame)?;
            enabled.push(value.defined);
            writes.push((*slot, value.value));
        }
        let mut messages = vec![];
        for send in &t.sends {
            let sent = match &send.condition {
                None => self.terms.bool(true),
                Some(condition) => {
                    let sent = self.eval(condition, seen, &mut frame)?;
                    enabled.push(sent.defined);
                    sent.value
                }
            };
            let value = self.eval(&send.value, seen, &mut frame)?;
            let not_sent = self.terms.not(sent);
            enabled.push(self.terms.or(not_sent, value.defined));
            let absent = self.terms.constant(Value::Absent);
            messages.push((send.to, self.terms.choose(sent, value.value, absent)));
        }
        Some(Effect { transition, enabled: self.terms.all(enabled), writes, messages })
    }

    /// The step in which several switches meet, if they can agree.
    fn handshake(&mut self, number: u32, state: &OpenState, joint: usize) -> Option<Taken> {
        let described = &self.question.system.joints[joint];
        let here = |part: &Part| match part {
            Part::Tick(_) => false,
            Part::Switch { machine, transition } => {
                let t = &self.question.system.machines[*machine].transitions[*transition];
                t.source == state.control[*machine]
            }
        };
        if !described.parts.iter().all(here) {
            return None;
        }
        let mut branch = self.branch(number);
        let mut data = vec![];
        for (_, types) in &described.params {
            let (first, others) = types.split_first()?;
            let value = self.open(first, &mut branch)?;
            for ty in others {
                let inside = self.inside(ty, value)?;
                if !self.assume(&mut branch, inside) {
                    return None;
                }
            }
            data.push(value);
        }
        let mut next = state.values.clone();
        let mut control = state.control.clone();
        let mut fired = vec![];
        for part in &described.parts {
            let Part::Switch { machine, transition } = *part else { return None };
            let effect = self.effect(state, machine, transition, &state.values, &data)?;
            if !self.assume(&mut branch, effect.enabled) {
                return None;
            }
            control[machine] = self.question.system.machines[machine].transitions[transition].target;
            for (slot, value) in effect.writes {
                next[slot] = value;
            }
            fired.push((machine, Some(transition)));
        }
        Some(Taken { branch, fired, control, values: next, data })
    }

    fn inside(&mut self, ty: &crate::term::Type, value: Term) -> Option<Term> {
        let definitions = &self.question.lists.names.definitions;
        match crate::term::Symbolic::new(&mut self.terms, definitions, &[]).contains(ty, value) {
            Ok(inside) => Some(inside),
            Err(unsupported) => {
                self.gap(unsupported.0);
                None
            }
        }
    }

    /// Steps of a lock-step system: every component fires an enabled transition, or idles if there is none.
    fn tick(&mut self, number: u32, state: &OpenState, tick: usize, only: Option<&Fired>) -> Vec<Taken> {
        let system = self.question.system;
        let group = &system.ticks[tick];
        let mut branch = self.branch(number);
        let mut seen = state.values.clone();
        let mut data = vec![];
        let absent = self.terms.constant(Value::Absent);
        let part = self.part.clone();
        for (place, (_, ty, slot)) in group.inputs.iter().enumerate() {
            if part.as_ref().is_some_and(|part| !part.inputs.contains(&place)) {
                seen[*slot] = absent;
                data.push(absent);
                continue;
            }
            let symbol = branch.store.add(crate::term::Range::Bool);
            branch.witness.push(Value::Bool(false));
            let present = self.terms.symbol(symbol);
            let Some(value) = self.open(ty, &mut branch) else { return vec![] };
            let input = self.terms.choose(present, value, absent);
            seen[*slot] = input;
            data.push(input);
        }
        let mut partial: Vec<(Branch, Vec<Option<usize>>)> = vec![(branch, vec![])];
        let mut effects: Vec<Vec<Effect>> = vec![];
        let machines = part.as_ref().map_or(&group.machines, |part| &part.machines);
        for machine in machines {
            let count = system.machines[*machine].transitions.len();
            let gaps = self.gaps.len();
            let options: Vec<Effect> = (0..count).filter_map(|t| self.effect(state, *machine, t, &seen, &[])).collect();
            // A transition without a term may be enabled, so idling is not certain either; the gap is noted.
            let has_gap = self.gaps.len() > gaps;
            let disabled: Vec<Term> = options.iter().map(|option| self.terms.not(option.enabled)).collect();
            let idles = self.terms.all(disabled);
            let wanted = only.map(|fired| fired.iter().find(|(m, _)| m == machine).and_then(|(_, t)| *t));
            let mut extended = vec![];
            for (branch, fired) in partial {
                for (option, effect) in options.iter().enumerate() {
                    if wanted.is_some_and(|wanted| wanted != Some(effect.transition)) {
                        continue;
                    }
                    let mut branch = branch.clone();
                    if self.assume(&mut branch, effect.enabled) {
                        let fired = fired.iter().copied().chain([Some(option)]).collect();
                        extended.push((branch, fired));
                    }
                }
                let mut branch = branch;
                let may_idle = !has_gap && wanted.is_none_or(|wanted| wanted.is_none());
                if may_idle && self.assume(&mut branch, idles) {
                    extended.push((branch, fired.into_iter().chain([None]).collect()));
                }
            }
            partial = extended;
            effects.push(options);
        }
        let mut rest = state.values.clone();
        for slot in &group.channels {
            rest[*slot] = absent;
        }
        let mut out = vec![];
        for (branch, chosen) in partial {
            let (mut values, mut control) = (rest.clone(), state.control.clone());
            let mut outputs = vec![absent; group.outputs.len()];
            let mut fired = vec![];
            for ((machine, option), options) in machines.iter().zip(chosen).zip(&effects) {
                let Some(option) = option else {
                    fired.push((*machine, None));
                    continue;
                };
                let effect = &options[option];
                fired.push((*machine, Some(effect.transition)));
                control[*machine] = system.machines[*machine].transitions[effect.transition].target;
                for (slot, value) in &effect.writes {
                    values[*slot] = *value;
                }
                for (target, message) in &effect.messages {
                    match target {
                        Target::Channel(slot) => values[*slot] = *message,
                        Target::Output(number) => outputs[*number] = *message,
                        Target::Nowhere => {}
                    }
                }
            }
            let data = data.iter().copied().chain(outputs).collect();
            out.push(Taken { branch, fired, control, values, data });
        }
        out
    }

    /// One element of every list.
    #[allow(clippy::too_many_arguments)]
    fn observe(
        &mut self,
        state: &OpenState,
        joint: usize,
        fired: &Fired,
        control: &[u32],
        values: &[Term],
        data: &[Term],
        clock: Option<usize>,
    ) -> Vec<Term> {
        let system = self.question.system;
        let lists = self.question.lists;
        let fired: FxHashMap<usize, Option<usize>> = fired.iter().copied().collect();
        let gate = system.joints[joint].gate;
        (0..lists.sources.len())
            .map(|list| match lists.sources[list] {
                Source::Value(slot, Moment::Before) => state.values[slot],
                Source::Value(slot, Moment::After) => values[slot],
                Source::Data(g, place) if gate == Some(g) => data[place],
                source => {
                    let member = |number: usize| lists.names.member(list, number);
                    let value = match source {
                        Source::State(machine, Moment::Before) => member(state.control[machine] as usize),
                        Source::State(machine, Moment::After) => member(control[machine] as usize),
                        Source::Fired(machine) => match fired.get(&machine) {
                            Some(Some(transition)) => member(*transition),
                            Some(None) => member(system.machines[machine].transitions.len()),
                            None => Value::Absent,
                        },
                        Source::Gate => member(gate.unwrap_or(system.gates.len())),
                        Source::Clock => Value::int(clock.unwrap_or(0)),
                        Source::Data(..) | Source::Value(..) => Value::Absent,
                    };
                    self.terms.constant(value)
                }
            })
            .collect()
    }
}
