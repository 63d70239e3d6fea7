//! What the transitions of a system need and give, as numbers.

use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

use super::message::{may_fit, never_holds};
use crate::kernel::{Joint, Part, SlotKind, StepSystem, Target, Transition};
use crate::term::{Expr, Pattern};

/// All transitions with their machine and their number there.
pub fn transitions(system: &StepSystem) -> impl Iterator<Item = (usize, usize, &Transition)> {
    let machines = system.machines.iter().enumerate();
    machines.flat_map(|(machine, m)| m.transitions.iter().enumerate().map(move |(number, t)| (machine, number, t)))
}

/// States and transitions of all machines, numbered through.
#[derive(Clone, Debug)]
pub struct Numbering {
    /// For each machine, the numbers of its first state and its first transition.
    firsts: Vec<(u32, u32)>,
    /// How many states there are.
    pub states: u32,
    /// How many transitions there are.
    pub transitions: u32,
}

impl Numbering {
    /// The numbering of a system.
    pub fn of(system: &StepSystem) -> Numbering {
        let mut numbering = Numbering { firsts: vec![], states: 0, transitions: 0 };
        for machine in &system.machines {
            numbering.firsts.push((numbering.states, numbering.transitions));
            numbering.states += machine.states.len() as u32;
            numbering.transitions += machine.transitions.len() as u32;
        }
        numbering
    }

    /// Number of a state of a machine.
    pub fn state(&self, machine: usize, state: u32) -> u32 {
        self.firsts[machine].0 + state
    }

    /// Number of a transition of a machine.
    pub fn transition(&self, machine: usize, transition: usize) -> u32 {
        self.firsts[machine].1 + transition as u32
    }
}

/// A part of a guard that reads a channel.
pub struct Read {
    /// Which part.
    pub conjunct: usize,
    /// Slot of the channel.
    pub channel: usize,
    /// The pattern on this channel.
    pub demand: u32,
}

/// What transitions need and give. A pattern on a channel is a demand, a message on a channel is a supply; equal ones have
/// one number.
#[derive(Default)]
pub struct Facts {
    /// For each transition, the messages it needs.
    pub reads: Vec<Vec<Read>>,
    /// For each transition, the part of its guard that never holds.
    pub never: Vec<Option<usize>>,
    /// Transitions with supplies they may send.
    pub sends: Vec<(u32, u32)>,
    /// Supplies with demands they may meet.
    pub fits: Vec<(u32, u32)>,
    /// How many demands there are.
    pub demands: u32,
    /// For each supply, the slot of its channel.
    pub channels: Vec<usize>,
    /// Transitions of components.
    pub ticking: Vec<u32>,
    /// The switches of each joint.
    pub joints: Vec<Vec<u32>>,
    /// All switches that take part in a joint.
    pub meeting: FxHashSet<u32>,
}

impl Facts {
    /// The facts of a system.
    pub fn of(system: &StepSystem, numbering: &Numbering) -> Facts {
        let mut facts = Facts::default();
        let (mut demands, mut supplies) = (Numbers::default(), Numbers::default());
        for (machine, number, t) in transitions(system) {
            facts.reads.push(reads(t, system, &mut demands));
            facts.never.push(t.guard.iter().position(|part| never_holds(&part.expr, &system.definitions)));
            let number = numbering.transition(machine, number);
            facts.sends.extend(messages(t, system).map(|message| (number, supplies.number(message))));
        }
        facts.fits = fits(&supplies.items, &demands.items, system);
        facts.demands = demands.items.len() as u32;
        facts.channels = supplies.items.iter().map(|(channel, _)| *channel).collect();
        for machine in system.ticks.iter().flat_map(|tick| &tick.machines) {
            let count = system.machines[*machine].transitions.len();
            facts.ticking.extend((0..count).map(|number| numbering.transition(*machine, number)));
        }
        facts.joints = system.joints.iter().map(|joint| switches(joint, numbering)).collect();
        facts.meeting = facts.joints.iter().flatten().copied().collect();
        facts
    }
}

/// Things that were met, each with a number.
struct Numbers<T> {
    numbers: FxHashMap<T, u32>,
    items: Vec<T>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Numbers { numbers: FxHashMap::default(), items: vec![] }
    }
}

impl<T: Copy + Eq + Hash> Numbers<T> {
    fn number(&mut self, item: T) -> u32 {
        *self.numbers.entry(item).or_insert_with(|| {
            self.items.push(item);
            self.items.len() as u32 - 1
        })
    }
}

/// The messages that a transition needs. The environment can send anything, so what is read from it is not among them.
fn reads<'s>(t: &'s Transition, system: &StepSystem, demands: &mut Numbers<(usize, &'s Pattern)>) -> Vec<Read> {
    let mut reads = vec![];
    for (conjunct, part) in t.guard.iter().enumerate() {
        let Expr::Test(read, pattern) = &part.expr else { continue };
        let Expr::Slot(channel) = **read else { continue };
        if system.slots[channel].kind == SlotKind::Channel && *pattern != Pattern::Absent {
            reads.push(Read { conjunct, channel, demand: demands.number((channel, pattern)) });
        }
    }
    reads
}

/// The messages that a transition may send, with their channels.
fn messages<'s>(t: &'s Transition, system: &StepSystem) -> impl Iterator<Item = (usize, &'s Expr)> {
    t.sends.iter().filter_map(|send| {
        let Target::Channel(channel) = send.to else { return None };
        let is_never_sent = send.condition.as_ref().is_some_and(|c| never_holds(c, &system.definitions));
        (!is_never_sent).then_some((channel, &send.value))
    })
}

/// Which messages may fit which patterns on the same channel.
fn fits(supplies: &[(usize, &Expr)], demands: &[(usize, &Pattern)], system: &StepSystem) -> Vec<(u32, u32)> {
    let mut by_channel: FxHashMap<usize, Vec<(u32, &Pattern)>> = FxHashMap::default();
    for ((channel, pattern), demand) in demands.iter().zip(0..) {
        by_channel.entry(*channel).or_default().push((demand, pattern));
    }
    let mut fits = vec![];
    for ((channel, message), supply) in supplies.iter().zip(0..) {
        for (demand, pattern) in by_channel.get(channel).into_iter().flatten() {
            if may_fit(message, pattern, &system.definitions) {
                fits.push((supply, *demand));
            }
        }
    }
    fits
}

fn switches(joint: &Joint, numbering: &Numbering) -> Vec<u32> {
    let switches = joint.parts.iter().filter_map(|part| match part {
        Part::Switch { machine, transition } => Some(numbering.transition(*machine, *transition)),
        Part::Tick(_) => None,
    });
    switches.collect()
}
