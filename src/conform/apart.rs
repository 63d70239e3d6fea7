//! Parts of two models that have nothing to do with each other: no machine, variable or gate in common. Side by side they
//! conform exactly when each part does, as far as silence goes: the whole is silent only when all parts are. So parts are
//! compared one by one, and what is wrong with one of them is confirmed for the whole. With endless paths of hidden steps this is
//! not so: the whole may be silent because one part is busy, and then it is not split.

use super::alphabet::Alphabet;
use crate::kernel::{Part, StepSystem, Transition};
use crate::syntax::tree::Direction;

/// A part: both models with the steps of this part only, and its labels by their numbers in the whole alphabet.
pub(super) struct Portion {
    pub implementation: StepSystem,
    pub specification: StepSystem,
    pub alphabet: Alphabet,
    pub labels: Vec<usize>,
    /// Whether something can happen in it. If not, it has nothing but inputs that nobody takes.
    pub is_live: bool,
}

/// Sets that are joined step by step.
struct Sets(Vec<usize>);

impl Sets {
    fn of(&mut self, mut member: usize) -> usize {
        while self.0[member] != member {
            self.0[member] = self.0[self.0[member]];
            member = self.0[member];
        }
        member
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b)] = a.min(b);
    }
}

/// The portions of two models; none if there is only one.
pub(super) fn portions(
    implementation: &StepSystem,
    specification: &StepSystem,
    alphabet: &Alphabet,
) -> Option<Vec<Portion>> {
    let has_idle_ticks = |system: &StepSystem| system.ticks.iter().any(|tick| tick.machines.is_empty());
    if [implementation, specification].iter().any(|system| !system.recurring().is_empty() || has_idle_ticks(system)) {
        return None;
    }
    // Members are labels, then machines and slots of one model and of the other.
    let labels = alphabet.labels.len();
    let sizes = [implementation, specification].map(|system| system.machines.len() + system.slots.len());
    let mut sets = Sets((0..labels + sizes[0] + sizes[1]).collect());
    join_all(&mut sets, implementation, labels, alphabet, true);
    join_all(&mut sets, specification, labels + sizes[0], alphabet, false);
    let mut roots: Vec<usize> = (0..labels).map(|label| sets.of(label)).collect();
    let mut of_joints = |system: &StepSystem, first: usize| -> Vec<usize> {
        system.joints.iter().map(|joint| sets.of(first + machine_of(system, joint.parts[0]))).collect()
    };
    let ours = of_joints(implementation, labels);
    let theirs = of_joints(specification, labels + sizes[0]);
    let of_labels = roots.clone();
    roots.extend(ours.iter().chain(&theirs));
    roots.sort_unstable();
    roots.dedup();
    // Where nothing can happen, there is nothing to compare; but inputs may be refused.
    let is_live = |root: &usize| ours.contains(root) || theirs.contains(root);
    if roots.iter().filter(|root| is_live(root)).count() < 2 {
        return None;
    }
    let is_input = |label: usize| alphabet.labels[label].direction == Direction::In;
    roots.retain(|root| is_live(root) || (0..labels).any(|label| of_labels[label] == *root && is_input(label)));
    let portion = |root: &usize| {
        let only = |system: &StepSystem, roots: &[usize]| {
            let mut system = system.clone();
            let mut kept = roots.iter().map(|other| other == root);
            system.joints.retain(|_| kept.next().expect("a root for every joint"));
            system
        };
        let labels: Vec<usize> = (0..labels).filter(|label| of_labels[*label] == *root).collect();
        Portion {
            implementation: only(implementation, &ours),
            specification: only(specification, &theirs),
            alphabet: alphabet.only(&labels),
            labels,
            is_live: is_live(root),
        }
    };
    Some(roots.iter().map(portion).collect())
}

fn machine_of(system: &StepSystem, part: Part) -> usize {
    match part {
        Part::Switch { machine, .. } => machine,
        Part::Tick(tick) => system.ticks[tick].machines.first().copied().expect("a tick has machines"),
    }
}

/// Joins what the steps of a model bring together.
fn join_all(sets: &mut Sets, system: &StepSystem, first: usize, alphabet: &Alphabet, is_implementation: bool) {
    let slot = |slot: usize| first + system.machines.len() + slot;
    for (number, machine) in system.machines.iter().enumerate() {
        for used in machine.transitions.iter().flat_map(used) {
            if used < system.slots.len() {
                sets.join(first + number, slot(used));
            }
        }
    }
    for tick in &system.ticks {
        for pair in tick.machines.windows(2) {
            sets.join(first + pair[0], first + pair[1]);
        }
    }
    let ports = if is_implementation { &alphabet.implementation } else { &alphabet.specification };
    for joint in &system.joints {
        let machine = first + machine_of(system, joint.parts[0]);
        for part in &joint.parts {
            sets.join(machine, first + machine_of(system, *part));
        }
        for (label, port) in ports.iter().enumerate() {
            if joint.gate.is_some() && port.as_ref().map(|port| port.gate) == joint.gate {
                sets.join(label, machine);
            }
        }
    }
}

/// Slots that a transition reads or writes.
fn used(t: &Transition) -> Vec<usize> {
    t.updates.iter().map(|(slot, _)| *slot).chain(t.reads()).collect()
}
