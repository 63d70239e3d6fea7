//! Which variables still matter: a value that will be overwritten before anybody reads it is as good as any other.

use rustc_hash::FxHashSet;

use crate::kernel::{SlotKind, StepSystem};

/// For every machine and control state, the slots that it may still read.
#[derive(Clone, Debug)]
pub struct Matters {
    read: Vec<Vec<FxHashSet<usize>>>,
}

impl Matters {
    /// Looks at all machines of a system.
    pub fn new(system: &StepSystem) -> Matters {
        let is_variable = |slot: &usize| system.slots.get(*slot).is_some_and(|s| s.kind == SlotKind::Variable);
        let read = system.machines.iter().map(|machine| {
            let mut read: Vec<FxHashSet<usize>> = vec![FxHashSet::default(); machine.states.len()];
            loop {
                let before: usize = read.iter().map(FxHashSet::len).sum();
                for t in &machine.transitions {
                    let written: FxHashSet<usize> = t.updates.iter().map(|(slot, _)| *slot).collect();
                    // Messages live for one step, so only variables outlast it.
                    let later: Vec<usize> = (read[t.target as usize].iter().copied())
                        .filter(|slot| is_variable(slot) && !written.contains(slot))
                        .collect();
                    let here = &mut read[t.source as usize];
                    here.extend(later);
                    here.extend(t.reads());
                }
                if before == read.iter().map(FxHashSet::len).sum::<usize>() {
                    return read;
                }
            }
        });
        Matters { read: read.collect() }
    }

    /// Whether a machine may still read a slot, from one of its control states.
    pub fn reads(&self, machine: usize, state: u32, slot: usize) -> bool {
        self.read[machine][state as usize].contains(&slot)
    }

    /// Whether a slot may still be read from these control states.
    pub fn is_read(&self, control: &[u32], slot: usize) -> bool {
        self.read.iter().zip(control).any(|(read, state)| read[*state as usize].contains(&slot))
    }
}
