//! Items that others bring with them.
//!
//! If every step and every end that covers one item covers another one too, the other one need not be looked for. That is
//! known only where the whole graph is.

use rustc_hash::FxHashSet;

use super::graph::{Graph, Steps};
use super::sets::{ItemSet, SetId};

/// The wanted items without those that others bring with them: who covers what is left covers all.
pub fn without_implied<S: Steps>(graph: &mut Graph<S>, wanted: &ItemSet) -> ItemSet {
    if !graph.is_complete() {
        return wanted.clone();
    }
    let mut ids: FxHashSet<SetId> = graph.known_edges().iter().map(|edge| edge.marks).collect();
    ids.extend((0..graph.len() as u32).filter_map(|node| graph.ends(node)));
    let mut ids: Vec<SetId> = ids.into_iter().collect();
    ids.sort_unstable();
    // What all sets with an item have in common comes with it.
    let items: Vec<usize> = wanted.iter().collect();
    let brings: Vec<ItemSet> = (items.iter())
        .map(|item| {
            let with = ids.iter().map(|id| graph.sets.get(*id)).filter(|set| set.contains(*item));
            let common = with.fold(None, |common: Option<ItemSet>, set| {
                Some(common.map_or_else(|| set.clone(), |common| common.intersection(set)))
            });
            common.unwrap_or_default()
        })
        .collect();
    let mut left = wanted.clone();
    for (place, item) in items.iter().enumerate() {
        // Of items that bring each other, one stays.
        let is_implied =
            items.iter().zip(&brings).enumerate().any(|(other, (bringer, brought))| {
                other != place && left.contains(*bringer) && brought.contains(*item)
            });
        if is_implied && !brings[place].is_empty() {
            left = left.minus(&[*item].into_iter().collect());
        }
    }
    left
}
