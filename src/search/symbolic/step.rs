//! The steps of a symbolic state: the reference interpreter's rules, over terms.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::{Branch, Edge, Fired, OpenSpace, OpenState, Oracle};
use crate::kernel::{Moment, Part, Source, StepSystem, Target, Transition};
use crate::search::apart::machines_in;
use crate::search::watch::Judge;
use crate::term::{Definitions, OpenFrame, Symbolic, Term, Terms, Unsupported, Value};

/// What one transition asks for and does.
pub(crate) struct Effect {
    /// Its number.
    pub transition: usize,
    /// When it can fire.
    pub enabled: Term,
    /// New values of slots.
    pub writes: Vec<(usize, Term)>,
    /// Messages, absent where none is sent.
    pub messages: Vec<(Target, Term)>,
}

/// What a transition, given with its number, asks for and does over the values it sees; none if it cannot fire.
pub(crate) fn effect(
    terms: &mut Terms,
    definitions: &Definitions,
    (transition, t): (usize, &Transition),
    seen: &[Term],
    data: &[Term],
) -> Result<Option<Effect>, Unsupported> {
    let mut frame: OpenFrame = data.iter().copied().map(Some).collect();
    let mut symbolic = Symbolic::new(terms, definitions, seen);
    let mut enabled = vec![];
    for conjunct in &t.guard {
        let holds = symbolic.condition(&conjunct.expr, &mut frame)?;
        if symbolic.terms.is(holds, false) {
            return Ok(None);
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
        // The value may read names that the condition would have bound.
        if symbolic.terms.is(sent, false) {
            messages.push((send.to, absent));
            continue;
        }
        let value = symbolic.eval(&send.value, &mut frame)?;
        let not_sent = symbolic.terms.not(sent);
        enabled.push(symbolic.terms.or(not_sent, value.defined));
        messages.push((send.to, symbolic.terms.choose(sent, value.value, absent)));
    }
    Ok(Some(Effect { transition, enabled: terms.all(enabled), writes, messages }))
}

/// Why a state was not looked at.
const STOPPED: &str = "a limit was reached before everything was looked at";

/// A transition that has no term; why, is noted among the gaps.
struct Gap;

/// A step whose conditions are met.
pub(crate) struct Taken {
    /// What is known if it is taken.
    pub branch: Branch,
    /// All that it asks for.
    pub condition: Term,
    /// What fires.
    pub fired: Fired,
    /// Control states after it.
    pub control: Vec<u32>,
    /// Values after it.
    pub values: Vec<Term>,
    /// Inputs and outputs, or data of a gate.
    pub data: Vec<Term>,
}

/// Takes steps of a system over terms.
pub(crate) struct Stepper<'s> {
    pub system: &'s StepSystem,
    pub definitions: &'s Definitions,
    pub terms: &'s mut Terms,
    pub oracle: &'s mut Oracle,
    /// Why some steps were not looked at.
    pub gaps: &'s mut BTreeSet<String>,
    /// Most combinations of the moves of machines that are looked at.
    pub most: usize,
}

/// Most combinations of the moves of machines: where some good steps will do, and elsewhere.
const SOME_COMBINED: usize = 64;
pub(crate) const MAX_COMBINED: usize = 4_096;

/// Moves of some machines of a lock-step system.
struct Combined {
    branch: Branch,
    conditions: Vec<Term>,
    fired: Vec<Option<usize>>,
    /// How many of them are not the first thing that the machine could do, and not the last.
    others: (usize, usize),
}

impl Stepper<'_> {
    /// What one transition of a machine asks for and does, over the values it sees; none if it cannot fire. An error, which is
    /// a gap as well, if that has no term.
    fn effect(
        &mut self,
        control: &[u32],
        (machine, transition): (usize, usize),
        seen: &[Term],
        data: &[Term],
    ) -> Result<Option<Effect>, Gap> {
        let t = &self.system.machines[machine].transitions[transition];
        if control[machine] != t.source {
            return Ok(None);
        }
        effect(self.terms, self.definitions, (transition, t), seen, data).map_err(|Unsupported(reason)| {
            self.gaps.insert(reason);
            Gap
        })
    }

    /// Whether the machines of a joint are where its switches begin.
    pub fn at_source(&self, control: &[u32], joint: usize) -> bool {
        self.system.joints[joint].parts.iter().all(|part| match part {
            Part::Tick(_) => false,
            Part::Switch { machine, transition } => {
                self.system.machines[*machine].transitions[*transition].source == control[*machine]
            }
        })
    }

    /// The step in which several switches meet, if they can agree.
    pub fn switches(
        &mut self,
        control: &[u32],
        values: &[Term],
        joint: usize,
        data: Vec<Term>,
        mut branch: Branch,
    ) -> Option<Taken> {
        let (mut next, mut after) = (values.to_vec(), control.to_vec());
        let (mut fired, mut conditions) = (vec![], vec![]);
        for part in &self.system.joints[joint].parts {
            let Part::Switch { machine, transition } = *part else { return None };
            let effect = self.effect(control, (machine, transition), values, &data).ok()??;
            if !self.oracle.assume(self.terms, &mut branch, effect.enabled) {
                return None;
            }
            conditions.push(effect.enabled);
            after[machine] = self.system.machines[machine].transitions[transition].target;
            for (slot, value) in effect.writes {
                next[slot] = value;
            }
            fired.push((machine, Some(transition)));
        }
        let condition = self.terms.all(conditions);
        Some(Taken { branch, condition, fired, control: after, values: next, data })
    }

    /// Steps of a lock-step system, or of some of its machines: each fires an enabled transition, or idles if there is none.
    #[allow(clippy::too_many_arguments)]
    pub fn ticks(
        &mut self,
        control: &[u32],
        values: &[Term],
        tick: usize,
        machines: &[usize],
        inputs: Vec<Term>,
        branch: Branch,
        only: Option<&Fired>,
    ) -> Vec<Taken> {
        let system = self.system;
        let group = &system.ticks[tick];
        let absent = self.terms.constant(Value::Absent);
        let mut seen = values.to_vec();
        for ((_, _, slot), input) in group.inputs.iter().zip(&inputs) {
            seen[*slot] = *input;
        }
        let mut partial = vec![Combined { branch, conditions: vec![], fired: vec![], others: (0, 0) }];
        let mut effects: Vec<Vec<Effect>> = vec![];
        for machine in machines {
            let count = system.machines[*machine].transitions.len();
            let mut options: Vec<Effect> = vec![];
            // A transition without a term may be enabled, so idling is not certain either; the gap is noted.
            let mut has_gap = false;
            for transition in 0..count {
                match self.effect(control, (*machine, transition), &seen, &[]) {
                    Ok(effect) => options.extend(effect),
                    Err(Gap) => has_gap = true,
                }
            }
            let disabled: Vec<Term> = options.iter().map(|option| self.terms.not(option.enabled)).collect();
            let idles = self.terms.all(disabled);
            let wanted = only.map(|fired| fired.iter().find(|(m, _)| m == machine).and_then(|(_, t)| *t));
            let mut extended = vec![];
            let may_idle = !has_gap && wanted.is_none_or(|wanted| wanted.is_none());
            let fires = options.iter().enumerate().map(|(option, effect)| (Some(option), effect.enabled));
            let wanted = fires.filter(|(option, _)| match (wanted, option) {
                (Some(wanted), Some(option)) => wanted == Some(options[*option].transition),
                _ => true,
            });
            let ways: Vec<(Option<usize>, Term)> = wanted.chain(may_idle.then_some((None, idles))).collect();
            for so_far in partial {
                let first = extended.len();
                for (option, enabled) in &ways {
                    let mut branch = so_far.branch.clone();
                    if self.oracle.assume(self.terms, &mut branch, *enabled) {
                        let conditions = so_far.conditions.iter().copied().chain([*enabled]).collect();
                        let fired = so_far.fired.iter().copied().chain([*option]).collect();
                        extended.push(Combined { branch, conditions, fired, others: so_far.others });
                    }
                }
                let last = extended.len().saturating_sub(1);
                for (place, combined) in extended.iter_mut().enumerate().skip(first) {
                    combined.others.0 += usize::from(place > first);
                    combined.others.1 += usize::from(place < last);
                }
            }
            if extended.len() > self.most {
                self.gaps.insert("not all combinations of moves were tried".to_owned());
                extended.retain(|combined| combined.others.0.min(combined.others.1) <= 1);
            }
            partial = extended;
            effects.push(options);
        }
        let mut rest = values.to_vec();
        for slot in &group.channels {
            rest[*slot] = absent;
        }
        let mut out = vec![];
        for Combined { branch, conditions, fired: chosen, .. } in partial {
            let (mut values, mut control) = (rest.clone(), control.to_vec());
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
            let condition = self.terms.all(conditions);
            let data = inputs.iter().copied().chain(outputs).collect();
            out.push(Taken { branch, condition, fired, control, values, data });
        }
        out
    }
}

impl OpenSpace<'_> {
    /// The state before the first step.
    pub(super) fn start(&mut self) -> Option<Edge> {
        let question = self.question;
        let mut branch = Branch::default();
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
        Some(self.settle(&branch, control, &values, &open, &live, clock, 0, (0, 0, &opened), vec![]))
    }

    /// All steps from a state, or only those in which certain transitions fire.
    pub(super) fn expand(&mut self, number: u32, only: Option<&(usize, Fired)>) -> Vec<Edge> {
        let state = self.states[number as usize].clone();
        let mut edges = vec![];
        if self.stop.as_ref().is_some_and(|stop| stop()) {
            self.gap(STOPPED);
            return edges;
        }
        for joint in 0..self.question.system.joints.len() {
            let is_apart = self.part.as_ref().is_some_and(|part| !part.joints.contains(&joint));
            if is_apart || only.is_some_and(|(wanted, _)| *wanted != joint) {
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
        let Taken { branch, fired, control, values, data, .. } = step;
        let observed = self.observe(state, joint, &fired, &control, &values, &data, clock);
        let label = self.label(fired);
        let ways = self.watcher().advance(branch, &state.live, &state.open, &observed);
        for (branch, live) in self.noted(ways).unwrap_or_default() {
            let carried = state.ranges.len();
            let about = (label, joint, &data[..]);
            let (live, covers) = if self.covers { self.covered(live, &state.open) } else { (live, vec![]) };
            let (control, open) = (control.clone(), &state.open);
            edges.push(self.settle(&branch, control, &values, open, &live, clock, carried, about, covers));
        }
    }

    fn stepper(&mut self) -> Stepper<'_> {
        Stepper {
            system: self.question.system,
            definitions: &self.question.lists.names.definitions,
            terms: &mut self.terms,
            oracle: &mut self.oracle,
            gaps: &mut self.gaps,
            most: if self.covers { SOME_COMBINED } else { MAX_COMBINED },
        }
    }

    /// The step in which several switches meet, if they can agree.
    fn handshake(&mut self, number: u32, state: &OpenState, joint: usize) -> Option<Taken> {
        if !self.stepper().at_source(&state.control, joint) {
            return None;
        }
        let described = &self.question.system.joints[joint];
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
        self.stepper().switches(&state.control, &state.values, joint, data, branch)
    }

    fn inside(&mut self, ty: &crate::term::Type, value: Term) -> Option<Term> {
        let definitions = &self.question.lists.names.definitions;
        match Symbolic::new(&mut self.terms, definitions, &[]).contains(ty, value) {
            Ok(inside) => Some(inside),
            Err(unsupported) => {
                self.gap(unsupported.0);
                None
            }
        }
    }

    /// Steps of a lock-step system: every component fires an enabled transition, or idles if there is none.
    fn tick(&mut self, number: u32, state: &OpenState, tick: usize, only: Option<&Fired>) -> Vec<Taken> {
        let group = &self.question.system.ticks[tick];
        let mut branch = self.branch(number);
        let mut inputs = vec![];
        let absent = self.terms.constant(Value::Absent);
        let part = self.part.clone();
        for (place, (_, ty, _)) in group.inputs.iter().enumerate() {
            if part.as_ref().is_some_and(|part| !part.inputs.contains(&place)) {
                inputs.push(absent);
                continue;
            }
            let Some(input) = self.open_message(ty, &mut branch) else { return vec![] };
            inputs.push(input);
        }
        let machines = machines_in(group, part.as_ref());
        self.stepper().ticks(&state.control, &state.values, tick, &machines, inputs, branch, only)
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
