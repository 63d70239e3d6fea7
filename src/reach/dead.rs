//! Transitions that can never fire, as findings about what is written.
//!
//! What is written once may stand in several systems and several times in each. It is dead if it is dead in all of them.

use std::collections::BTreeMap;

use super::control::{Control, Obstacle};
use crate::kernel::StepSystem;
use crate::model::Machine;
use crate::syntax::{FileId, Span};

/// A transition that can never fire, although its source can be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadTransition {
    /// Its name.
    pub name: String,
    /// Where it is written.
    pub span: Span,
    /// The model in which this was found.
    pub model: String,
    /// What stands in its way.
    pub reason: String,
    /// The part of its guard that does.
    pub part: Option<Span>,
}

/// The transitions that can never fire in any of the systems, in the order of the text. One whose source can never be
/// reached is not among them, as it only follows from another, nor is one whose gate is closed. Nothing is said of machines
/// that stand elsewhere too, in models of which there is no system.
pub fn dead_transitions(systems: &[StepSystem], elsewhere: &[&Machine]) -> Vec<DeadTransition> {
    let place = |span: Span| (span.file, span.start);
    // None for one that may fire somewhere.
    let mut found: BTreeMap<(FileId, u32), Option<DeadTransition>> = BTreeMap::new();
    found.extend(elsewhere.iter().flat_map(|machine| &machine.transitions).map(|t| (place(t.span), None)));
    for system in systems {
        let control = Control::of(system);
        for (m, machine) in system.machines.iter().enumerate() {
            for (number, t) in machine.transitions.iter().enumerate() {
                if control.is_live(m, number) {
                    found.insert(place(t.span), None);
                } else if let Some(dead) = control.obstacle(m, number).and_then(|o| finding(system, m, number, o)) {
                    found.entry(place(t.span)).or_insert(Some(dead));
                }
            }
        }
    }
    found.into_values().flatten().collect()
}

fn finding(system: &StepSystem, machine: usize, number: usize, obstacle: Obstacle) -> Option<DeadTransition> {
    let t = &system.machines[machine].transitions[number];
    let channel = |slot: usize| &system.slots[slot].name;
    let (reason, conjunct) = match obstacle {
        Obstacle::Guard(conjunct) => ("a part of its guard never holds".to_owned(), Some(conjunct)),
        Obstacle::Silence(conjunct, slot) => (format!("nothing is ever sent on `{}`", channel(slot)), Some(conjunct)),
        Obstacle::Messages(conjunct, slot) => {
            (format!("no message that fits it is ever sent on `{}`", channel(slot)), Some(conjunct))
        }
        Obstacle::Partners => ("those it must meet at its gate are never ready".to_owned(), None),
        Obstacle::Closed => return None,
    };
    Some(DeadTransition {
        name: t.name.clone(),
        span: t.span,
        model: system.name.clone(),
        reason,
        part: conjunct.map(|conjunct| t.guard[conjunct].span),
    })
}
