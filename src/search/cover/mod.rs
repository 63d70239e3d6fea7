//! Several goals at once: runs that cover items, as few steps or as few runs as possible.
//!
//! All of it works on a [`Graph`] whose edges say which items they cover; who made the graph, and from what kind of states, does
//! not matter. A state of the search is a node with the set of items that are covered so far.
//!
//! - `greedy`: the nearest item first, for a first result; `beam`: many partial results side by side, for a better one;
//! - `exact`: shortest by levels, with a certificate; `dive`: straight to an end that is as near as it can be;
//! - `ahead`: what is left to do at least, from `prices` of all items together and from tables for some of them;
//! - `best`: all of these, one after the other.

mod ahead;
mod beam;
mod best;
mod distances;
mod dive;
mod exact;
mod graph;
mod greedy;
mod implied;
mod prices;
mod product;
mod reachable;
mod sets;

pub use ahead::{Ahead, Bounds, ControlRow, ControlTables, ControlView, Counted, MAX_ENTRIES, Table};
pub use best::{Best, GoOn, Wish, best, least_steps};
pub use graph::{Edge, Graph, Steps};
pub use greedy::Greedy;
pub use prices::Prices;
pub use product::{Numbering, Product, Sparse};
pub use sets::{ItemSet, SetId, Sets};

use super::levels::Path;

/// What a result may be made of, and what is made small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One run that covers everything, with as few steps as possible.
    One,
    /// As few runs as possible; among these, as few steps as possible.
    Fewest,
    /// Any number of runs, with as few steps as possible altogether.
    Steps,
}

/// Runs that cover everything together, as paths in the graph.
pub type Found = Vec<Path>;

/// Steps of all runs together.
pub fn steps_of(found: &Found) -> usize {
    found.iter().map(|path| path.steps.len()).sum()
}
