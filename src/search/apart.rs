//! Parts of a lock-step system that know nothing of each other, and that no constraint looks at together.
//!
//! A run of the whole is one run of each part, side by side and of the same length, so parts are searched one by one: the
//! states of the whole are all combinations of theirs.

use std::collections::BTreeMap;

use super::guide::slots_of;
use super::symbolic::Question;
use crate::kernel::{Part, Source, Target, Tick};
use crate::term::Expr;

/// A part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Apart {
    /// Its machines, in order.
    pub machines: Vec<usize>,
    /// Places of the inputs that it reads, or that its constraints look at.
    pub inputs: Vec<usize>,
    /// Its constraints, in order.
    pub constraints: Vec<usize>,
}

/// The parts of a question; none if there is only one, or if its runs are not made of ticks alone.
pub fn parts_of(question: &Question<'_>) -> Option<Vec<Apart>> {
    let system = question.system;
    let [joint] = &system.joints[..] else { return None };
    let [Part::Tick(tick)] = joint.parts[..] else { return None };
    let tick = &system.ticks[tick];
    // A value that exists once for the run ties everything that looks at it.
    if !question.monitor.open.is_empty() || tick.machines.len() != system.machines.len() {
        return None;
    }
    let mut ties = Ties::new(question, tick);
    for machine in 0..system.machines.len() {
        ties.machine(question, machine);
    }
    for constraint in 0..question.monitor.start.len() {
        ties.constraint(question, tick, constraint);
    }
    let mut parts: BTreeMap<usize, Apart> = BTreeMap::new();
    for machine in 0..system.machines.len() {
        parts.entry(ties.root(machine)).or_default().machines.push(machine);
    }
    for constraint in 0..question.monitor.start.len() {
        parts.entry(ties.root(ties.constraints + constraint)).or_default().constraints.push(constraint);
    }
    for (place, (_, _, slot)) in tick.inputs.iter().enumerate() {
        if let Some(part) = parts.get_mut(&ties.root(ties.slots + slot)) {
            part.inputs.push(place);
        }
    }
    (parts.len() > 1).then(|| parts.into_values().collect())
}

/// What belongs together: machines, slots, outputs and constraints, each known by a number.
struct Ties {
    /// Another one of the same part, up to one that stands for it.
    to: Vec<usize>,
    slots: usize,
    outputs: usize,
    constraints: usize,
}

impl Ties {
    fn new(question: &Question<'_>, tick: &Tick) -> Ties {
        let slots = question.system.machines.len();
        let outputs = slots + question.system.slots.len();
        let constraints = outputs + tick.outputs.len();
        let all = constraints + question.monitor.start.len();
        Ties { to: (0..all).collect(), slots, outputs, constraints }
    }

    fn root(&self, mut at: usize) -> usize {
        while self.to[at] != at {
            at = self.to[at];
        }
        at
    }

    fn tie(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.to[a.max(b)] = a.min(b);
    }

    /// A machine with what it reads and writes.
    fn machine(&mut self, question: &Question<'_>, machine: usize) {
        for t in &question.system.machines[machine].transitions {
            let guards = t.guard.iter().map(|conjunct| &conjunct.expr);
            let sends = t.sends.iter().flat_map(|send| send.condition.iter().chain([&send.value]));
            for expr in guards.chain(t.updates.iter().map(|(_, expr)| expr)).chain(sends) {
                expr.map_leaves(&mut |leaf| {
                    if let Expr::Slot(slot) = leaf {
                        self.tie(machine, self.slots + slot);
                    }
                    None
                });
            }
            t.updates.iter().for_each(|(slot, _)| self.tie(machine, self.slots + slot));
            for send in &t.sends {
                match send.to {
                    Target::Channel(slot) => self.tie(machine, self.slots + slot),
                    Target::Output(output) => self.tie(machine, self.outputs + output),
                    Target::Nowhere => {}
                }
            }
        }
    }

    /// A constraint with what it looks at.
    fn constraint(&mut self, question: &Question<'_>, tick: &Tick, constraint: usize) {
        for list in slots_of(question, &[constraint]) {
            let seen = match question.lists.sources[list] {
                Source::State(machine, _) | Source::Fired(machine) => machine,
                Source::Value(slot, _) => self.slots + slot,
                Source::Data(_, place) => match tick.inputs.get(place) {
                    Some((_, _, slot)) => self.slots + slot,
                    None => self.outputs + place - tick.inputs.len(),
                },
                // The same for everybody.
                Source::Gate | Source::Clock => continue,
            };
            self.tie(self.constraints + constraint, seen);
        }
    }
}
