//! Which variables still matter: a value that will be overwritten before anybody reads it is as good as any other.

use rustc_hash::FxHashSet;

use crate::kernel::{SlotKind, StepSystem, Transition};
use crate::term::Expr;

/// For every machine and control state, the slots that it may still read.
#[derive(Clone, Debug)]
pub(super) struct Matters {
    read: Vec<Vec<FxHashSet<usize>>>,
}

impl Matters {
    pub fn new(system: &StepSystem) -> Matters {
        let is_variable = |slot: &usize| system.slots[*slot].kind == SlotKind::Variable;
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
                    here.extend(slots_read(t, system.slots.len()));
                }
                if before == read.iter().map(FxHashSet::len).sum::<usize>() {
                    return read;
                }
            }
        });
        Matters { read: read.collect() }
    }

    /// Whether a slot may still be read from these control states.
    pub fn is_read(&self, control: &[u32], slot: usize) -> bool {
        self.read.iter().zip(control).any(|(read, state)| read[*state as usize].contains(&slot))
    }
}

/// Slots that a transition reads.
fn slots_read(t: &Transition, count: usize) -> Vec<usize> {
    let mut out = vec![];
    let mut look = |expr: &Expr| {
        expr.map_leaves(&mut |leaf| {
            if let Expr::Slot(slot) = leaf
                && *slot < count
            {
                out.push(*slot);
            }
            None
        });
    };
    t.guard.iter().for_each(|conjunct| look(&conjunct.expr));
    t.updates.iter().for_each(|(_, expr)| look(expr));
    for send in &t.sends {
        send.condition.iter().for_each(&mut look);
        look(&send.value);
    }
    out
}
