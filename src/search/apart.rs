//! Parts of a model that know nothing of each other, and that no constraint looks at together.
//!
//! In a lock-step system a run of the whole is one run of each part, side by side and of the same length. At gates each step
//! is a step of one part, and runs of the parts can be mixed in any order. So parts are searched one by one: the states of
//! the whole are all combinations of theirs.
//!
//! Every list has an element for every step of the whole. At gates a constraint therefore belongs to a part only if steps of
//! others leave it as it is, wherever a run is; one that the first step shows, whoever takes it, belongs to no part; any
//! other one ties all machines together.

use std::collections::{BTreeMap, BTreeSet};

use super::control::{Attention, attention};
use super::guide::slots_of;
use super::symbolic::Question;
use crate::history::{Formula, Known, Live, RuleUse, When};
use crate::kernel::{Part, Source, StepSystem, Style, Target, Tick};
use crate::term::{Expr, Value};

/// A part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Apart {
    /// Its machines, in order.
    pub machines: Vec<usize>,
    /// Its joints, in order. The one tick of a lock-step system is a joint of every part.
    pub joints: Vec<usize>,
    /// Places of the inputs of a lock-step system that it reads, or that its constraints look at.
    pub inputs: Vec<usize>,
    /// Its constraints, in order.
    pub constraints: Vec<usize>,
}

/// The parts of a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// The parts, more than one.
    pub parts: Vec<Apart>,
    /// Constraints that the first step of any run shows; they belong to no part.
    pub first: Vec<usize>,
    /// Constraints of parts that steps of other parts may make a difference to: what is found in the part has to be looked at
    /// in the whole, and nothing is proved by the part.
    pub loose: Vec<usize>,
}

/// The parts of a question; none if there is only one.
pub fn parts_of(question: &Question<'_>) -> Option<Parts> {
    parted(question, false)
}

/// The parts of a question at gates, where a constraint is tied to the machines it looks at and to no others, though steps of
/// others may make a difference to it; none if there is only one, or if there is no such constraint.
pub fn loose_parts_of(question: &Question<'_>) -> Option<Parts> {
    parted(question, true).filter(|parts| !parts.loose.is_empty())
}

fn parted(question: &Question<'_>, may_be_loose: bool) -> Option<Parts> {
    let system = question.system;
    // A value that exists once for the run ties everything that looks at it.
    if !question.monitor.open.is_empty() || system.machines.len() < 2 {
        return None;
    }
    let mut ties = Ties::new(question);
    for machine in 0..system.machines.len() {
        ties.machine(system, machine);
    }
    if system.style == Style::Gates {
        (0..system.joints.len()).for_each(|joint| ties.joint(system, joint));
    }
    let is_one = |ties: &Ties| (1..system.machines.len()).all(|machine| ties.root(machine) == ties.root(0));
    if is_one(&ties) {
        return None;
    }
    let (mut first, mut loose) = (vec![], vec![]);
    for constraint in 0..question.monitor.start.len() {
        match if system.style == Style::Gates { looked_at(question, constraint) } else { Attention::Own } {
            Attention::First => {
                first.push(constraint);
                continue;
            }
            Attention::Own => {}
            Attention::Every if may_be_loose => loose.push(constraint),
            Attention::Every => return None,
        }
        ties.constraint(question, constraint);
    }
    let mut parts: BTreeMap<usize, Apart> = BTreeMap::new();
    for machine in 0..system.machines.len() {
        parts.entry(ties.root(machine)).or_default().machines.push(machine);
    }
    for constraint in (0..question.monitor.start.len()).filter(|constraint| !first.contains(constraint)) {
        parts.entry(ties.root(ties.constraints + constraint)).or_default().constraints.push(constraint);
    }
    for (joint, described) in system.joints.iter().enumerate() {
        match (system.style, described.parts.first()) {
            (Style::Lockstep, _) => parts.values_mut().for_each(|part| part.joints.push(joint)),
            (Style::Gates, Some(part)) => {
                let machine = match part {
                    Part::Switch { machine, .. } => Some(*machine),
                    Part::Tick(tick) => system.ticks[*tick].machines.first().copied(),
                };
                let root = machine.map(|machine| ties.root(machine));
                root.and_then(|root| parts.get_mut(&root)).into_iter().for_each(|part| part.joints.push(joint));
            }
            (Style::Gates, None) => {}
        }
    }
    for tick in &system.ticks {
        for (place, (_, _, slot)) in tick.inputs.iter().enumerate() {
            if let Some(part) = parts.get_mut(&ties.root(ties.slots + slot)) {
                part.inputs.push(place);
            }
        }
    }
    (parts.len() > 1).then(|| Parts { parts: parts.into_values().collect(), first, loose })
}

/// The machines of a tick that are in a part: in a composition a part may have other machines beside them.
pub fn machines_in(tick: &Tick, part: Option<&Apart>) -> Vec<usize> {
    let is_in = |machine: &usize| part.is_none_or(|part| part.machines.contains(machine));
    tick.machines.iter().copied().filter(is_in).collect()
}

/// Whether the first step shows a constraint, whoever takes it.
pub fn is_shown_first(question: &Question<'_>, constraint: usize) -> bool {
    looked_at(question, constraint) == Attention::First
}

/// Which steps of a composition make a difference to a constraint.
fn looked_at(question: &Question<'_>, constraint: usize) -> Attention {
    let slots = slots_of(question, &[constraint]);
    let mut machines = BTreeSet::new();
    let (mut is_control, mut is_own) = (true, true);
    for slot in slots {
        match question.lists.sources[slot] {
            Source::Fired(machine) => drop(machines.insert(machine)),
            Source::State(machine, _) => {
                machines.insert(machine);
                is_own = false;
            }
            Source::Data(..) => is_control = false,
            Source::Value(..) | Source::Gate | Source::Clock => (is_control, is_own) = (false, false),
        }
    }
    match machines.first() {
        Some(machine) if is_control && machines.len() == 1 => attention(*question, *machine, constraint),
        // In steps of others there are no elements of these lists.
        _ if is_own && is_kept(question, constraint) => Attention::Own,
        _ => Attention::Every,
    }
}

/// Whether a constraint is one rule that becomes itself until it is decided, and does so in a step in which no list it looks
/// at has an element.
fn is_kept(question: &Question<'_>, constraint: usize) -> bool {
    let formula = &question.monitor.start[constraint];
    let Formula::Use(used) = formula else { return false };
    let rule = &question.monitor.rules[used.rule];
    let is_same = |becomes: &RuleUse| {
        let params = (rule.lists..rule.lists + rule.params).map(Expr::Local);
        becomes.rule == used.rule
            && becomes.lists.iter().copied().eq(0..rule.lists)
            && becomes.args.iter().cloned().eq(params)
    };
    let mut clauses = rule.clauses.iter().filter(|clause| clause.when != When::Stop);
    let is_steady = clauses.all(|clause| match &clause.becomes {
        Formula::Decided(_) => true,
        Formula::Use(becomes) => is_same(becomes),
        _ => false,
    });
    let definitions = &question.lists.names.definitions;
    let known = Known { monitor: question.monitor, definitions, open: &[] };
    let absent = vec![Value::Absent; question.lists.sources.len()];
    let stays =
        |live: Live<Value>| known.advance(std::slice::from_ref(&live), &absent).is_ok_and(|next| next == [live]);
    is_steady && known.start_of(formula).is_ok_and(stays)
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
    fn new(question: &Question<'_>) -> Ties {
        let slots = question.system.machines.len();
        let outputs = slots + question.system.slots.len();
        let most = question.system.ticks.iter().map(|tick| tick.outputs.len()).max().unwrap_or(0);
        let constraints = outputs + most;
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
    fn machine(&mut self, system: &StepSystem, machine: usize) {
        for t in &system.machines[machine].transitions {
            for slot in t.reads().into_iter().filter(|slot| *slot < system.slots.len()) {
                self.tie(machine, self.slots + slot);
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

    /// Machines that meet in a step at a gate.
    fn joint(&mut self, system: &StepSystem, joint: usize) {
        let machines = machines_of(system, joint);
        machines.windows(2).for_each(|pair| self.tie(pair[0], pair[1]));
        for part in &system.joints[joint].parts {
            if let (Part::Tick(tick), Some(first)) = (part, machines.first()) {
                system.ticks[*tick].inputs.iter().for_each(|(_, _, slot)| self.tie(*first, self.slots + slot));
            }
        }
    }

    /// A constraint with what it looks at.
    fn constraint(&mut self, question: &Question<'_>, constraint: usize) {
        let (system, own) = (question.system, self.constraints + constraint);
        for list in slots_of(question, &[constraint]) {
            match (question.lists.sources[list], system.style) {
                (Source::State(machine, _) | Source::Fired(machine), _) => self.tie(own, machine),
                (Source::Value(slot, _), _) => self.tie(own, self.slots + slot),
                (Source::Data(_, place), Style::Lockstep) => {
                    let inputs = &system.ticks[0].inputs;
                    let seen = match inputs.get(place) {
                        Some((_, _, slot)) => self.slots + slot,
                        None => self.outputs + place - inputs.len(),
                    };
                    self.tie(own, seen);
                }
                (Source::Data(gate, _), Style::Gates) => {
                    for joint in (0..system.joints.len()).filter(|joint| system.joints[*joint].gate == Some(gate)) {
                        machines_of(system, joint).into_iter().for_each(|machine| self.tie(own, machine));
                    }
                }
                // The same for everybody.
                (Source::Gate | Source::Clock, Style::Lockstep) => {}
                // About every step, whoever takes it.
                (Source::Gate | Source::Clock, Style::Gates) => {
                    (0..system.machines.len()).for_each(|machine| self.tie(own, machine));
                }
            }
        }
    }
}

/// The machines that take part in a joint.
fn machines_of(system: &StepSystem, joint: usize) -> Vec<usize> {
    let of_part = |part: &Part| match part {
        Part::Switch { machine, .. } => vec![*machine],
        Part::Tick(tick) => system.ticks[*tick].machines.clone(),
    };
    system.joints[joint].parts.iter().flat_map(of_part).collect()
}
