//! Runs that begin as a known one: one more constraint on a purpose.

use super::asked::Asked;
use super::chain::Chain;
use super::sequence::observations;
use crate::kernel::{Run, Source};
use crate::term::{Expr, Value};

/// The same purpose for runs whose first steps fire what those of a run of its model do; data is open.
pub fn beginning(asked: &Asked, run: &Run, steps: usize) -> Asked {
    let Asked { system, lists, .. } = asked;
    let fired: Vec<usize> =
        (0..lists.sources.len()).filter(|list| matches!(lists.sources[*list], Source::Fired(_))).collect();
    let observed = observations(system, lists, run);
    let told = observed.iter().take(steps).map(|elements| fired.iter().map(|list| (*list, elements[*list].clone())));
    beginning_with(asked, &told.map(Iterator::collect).collect::<Vec<_>>())
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
