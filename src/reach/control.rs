//! Which control states and transitions of a system can take part in a run.
//!
//! A transition needs its source, for each channel it reads a message that fits, and at its gate partners that are ready. All
//! three are derived together, as one fixed point: a message comes only from a transition that fires. Each is looked at by
//! itself, not with the others at the same time, so what is found live need not be; what is found dead is.

use rustc_hash::{FxHashMap, FxHashSet};

use super::facts::{Facts, Numbering, transitions};
use super::ground::GroundRules;
use crate::kernel::StepSystem;

/// What can take part in a run of a system, as far as control says.
#[derive(Clone, Debug)]
pub struct Control {
    numbering: Numbering,
    live_states: Vec<bool>,
    live_transitions: Vec<bool>,
    obstacles: FxHashMap<u32, Obstacle>,
}

/// Why a transition can never fire although its source can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// This part of its guard, by number, never holds.
    Guard(usize),
    /// This part of its guard reads a channel, by slot, on which nothing is ever sent.
    Silence(usize, usize),
    /// This part of its guard reads a channel, by slot, on which nothing that fits is ever sent.
    Messages(usize, usize),
    /// Those whom it must meet at its gate are never ready.
    Partners,
    /// Somebody whom it must meet knows its gate and has no transition there, which closes the gate. A way to keep a part
    /// from doing something, and so most likely meant.
    Closed,
}

impl Control {
    /// What can take part in a run of the system.
    pub fn of(system: &StepSystem) -> Control {
        let numbering = Numbering::of(system);
        let facts = Facts::of(system, &numbering);
        let derived = Derived::of(system, &numbering, &facts);
        let obstacles = transitions(system).filter_map(|(machine, number, t)| {
            let number = numbering.transition(machine, number);
            let source = derived.atoms.live(numbering.state(machine, t.source));
            let stopped = derived.holds(source) && !derived.holds(derived.atoms.fires(number));
            stopped.then(|| (number, derived.obstacle(number, &facts)))
        });
        Control {
            obstacles: obstacles.collect(),
            live_states: (0..numbering.states).map(|s| derived.holds(derived.atoms.live(s))).collect(),
            live_transitions: (0..numbering.transitions).map(|t| derived.holds(derived.atoms.fires(t))).collect(),
            numbering,
        }
    }

    /// Whether a run may come to a state of a machine.
    pub fn is_live_state(&self, machine: usize, state: u32) -> bool {
        self.live_states[self.numbering.state(machine, state) as usize]
    }

    /// Whether a transition of a machine may fire.
    pub fn is_live(&self, machine: usize, transition: usize) -> bool {
        self.live_transitions[self.numbering.transition(machine, transition) as usize]
    }

    /// Why a transition can never fire; none if it may, and none if its source is dead already.
    pub fn obstacle(&self, machine: usize, transition: usize) -> Option<Obstacle> {
        self.obstacles.get(&self.numbering.transition(machine, transition)).copied()
    }
}

/// What follows from the facts.
struct Derived {
    atoms: Atoms,
    holds: Vec<bool>,
    /// Channels on which something is sent.
    used: FxHashSet<usize>,
}

impl Derived {
    fn of(system: &StepSystem, numbering: &Numbering, facts: &Facts) -> Derived {
        let atoms = Atoms::of(numbering, facts);
        let holds = rules(system, numbering, facts, &atoms).derive(atoms.end as usize);
        let sent = facts.channels.iter().zip(0..).filter(|(_, supply)| holds[atoms.sent(*supply) as usize]);
        Derived { used: sent.map(|(channel, _)| *channel).collect(), atoms, holds }
    }

    fn holds(&self, atom: u32) -> bool {
        self.holds[atom as usize]
    }

    /// Why a transition out of a live state does not fire.
    fn obstacle(&self, transition: u32, facts: &Facts) -> Obstacle {
        let mut reads = facts.reads[transition as usize].iter();
        match (facts.never[transition as usize], reads.find(|read| !self.holds(self.atoms.supplied(read.demand)))) {
            (Some(conjunct), _) => Obstacle::Guard(conjunct),
            (None, Some(read)) if self.used.contains(&read.channel) => Obstacle::Messages(read.conjunct, read.channel),
            (None, Some(read)) => Obstacle::Silence(read.conjunct, read.channel),
            (None, None) if facts.meeting.contains(&transition) => Obstacle::Partners,
            (None, None) => Obstacle::Closed,
        }
    }
}

/// The atoms of the derivation: where the numbers of each kind begin.
struct Atoms {
    ready: u32,
    fires: u32,
    joined: u32,
    sent: u32,
    supplied: u32,
    end: u32,
}

impl Atoms {
    fn of(numbering: &Numbering, facts: &Facts) -> Atoms {
        let ready = numbering.states;
        let fires = ready + numbering.transitions;
        let joined = fires + numbering.transitions;
        let sent = joined + facts.joints.len() as u32;
        let supplied = sent + facts.channels.len() as u32;
        Atoms { ready, fires, joined, sent, supplied, end: supplied + facts.demands }
    }

    /// A state may be entered.
    fn live(&self, state: u32) -> u32 {
        state
    }

    /// A transition lacks partners at most.
    fn ready(&self, transition: u32) -> u32 {
        self.ready + transition
    }

    /// A transition may fire.
    fn fires(&self, transition: u32) -> u32 {
        self.fires + transition
    }

    /// All parts of a joint may be ready.
    fn joined(&self, joint: u32) -> u32 {
        self.joined + joint
    }

    /// A supply may be sent.
    fn sent(&self, supply: u32) -> u32 {
        self.sent + supply
    }

    /// A demand may be met.
    fn supplied(&self, demand: u32) -> u32 {
        self.supplied + demand
    }
}

fn rules(system: &StepSystem, numbering: &Numbering, facts: &Facts, atoms: &Atoms) -> GroundRules {
    let mut rules = GroundRules::default();
    for (machine, m) in system.machines.iter().enumerate() {
        rules.add(atoms.live(numbering.state(machine, m.initial)), []);
    }
    for (machine, number, t) in transitions(system) {
        let number = numbering.transition(machine, number);
        rules.add(atoms.live(numbering.state(machine, t.target)), [atoms.fires(number)]);
        if facts.never[number as usize].is_none() {
            let source = atoms.live(numbering.state(machine, t.source));
            let demands = facts.reads[number as usize].iter().map(|read| atoms.supplied(read.demand));
            rules.add(atoms.ready(number), demands.chain([source]));
        }
    }
    for transition in &facts.ticking {
        rules.add(atoms.fires(*transition), [atoms.ready(*transition)]);
    }
    for (switches, joint) in facts.joints.iter().zip(0..) {
        rules.add(atoms.joined(joint), switches.iter().map(|switch| atoms.ready(*switch)));
        for switch in switches {
            rules.add(atoms.fires(*switch), [atoms.joined(joint)]);
        }
    }
    for (transition, supply) in &facts.sends {
        rules.add(atoms.sent(*supply), [atoms.fires(*transition)]);
    }
    for (supply, demand) in &facts.fits {
        rules.add(atoms.supplied(*demand), [atoms.sent(*supply)]);
    }
    rules
}
