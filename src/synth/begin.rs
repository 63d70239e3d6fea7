//! Runs that begin as a known one: one more constraint on a purpose.

use super::asked::Asked;
use super::chain::Chain;
use super::sequence::observations;
use crate::kernel::{Moment, Run, Source, StepSystem, Style};
use crate::syntax::tree::Direction;
use crate::term::{Expr, Value};

/// In what steps are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alike {
    /// The same transitions fire; data is open.
    Fired,
    /// Whoever runs the test gives the same, initial values of open variables included; what the system does is open.
    Inputs,
}

/// The same purpose for runs whose first steps are like those of a run of its model.
pub fn beginning(asked: &Asked, run: &Run, steps: usize, alike: Alike) -> Asked {
    let Asked { system, lists, .. } = asked;
    let observed = observations(system, lists, run);
    let told = observed.iter().take(steps).enumerate().map(|(number, elements)| {
        let is_told = |list: &usize| tells(system, lists.sources[*list], alike, number == 0);
        (0..elements.len()).filter(is_told).map(|list| (list, elements[list].clone())).collect()
    });
    beginning_with(asked, &told.collect::<Vec<_>>())
}

/// Elements of some lists in one step, by the number of the list.
pub type Told = Vec<(usize, Value)>;

/// The same purpose for runs in whose first steps these elements are seen.
pub fn beginning_with(asked: &Asked, told: &[Told]) -> Asked {
    let mut out = asked.clone();
    let mut chain = Chain::default();
    for elements in told {
        let conditions: Vec<Expr> = elements.iter().map(|(list, value)| chain.is(&Expr::Slot(*list), value)).collect();
        chain.step(conditions);
    }
    chain.ask_of(&mut out.purpose);
    out
}

/// Whether a list says in what steps are alike.
pub(super) fn tells(system: &StepSystem, source: Source, alike: Alike, is_first: bool) -> bool {
    match (alike, source) {
        (Alike::Fired, Source::Fired(_)) => true,
        (Alike::Inputs, Source::Gate) => true,
        (Alike::Inputs, Source::Data(gate, place)) => match system.style {
            Style::Lockstep => place < system.ticks[0].inputs.len(),
            Style::Gates => system.gates[gate].direction == Direction::In,
        },
        (Alike::Inputs, Source::Value(slot, Moment::Before)) => is_first && system.slots[slot].init.is_none(),
        _ => false,
    }
}
