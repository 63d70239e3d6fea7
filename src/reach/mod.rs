//! What control alone says of a model: what can be reached, how far a goal is at least, what can never happen.
//!
//! Reachability in a graph is Datalog (crepe); what has a minimum in it, which Datalog has not, is a plain pass over what
//! was derived. What needs several things at once is derived by rules without variables. Graphs know nothing but numbers.
//! Systems are seen as control states, transitions and messages: values of variables are never looked at, so what is said
//! to be dead is dead whatever the data, and the converse does not hold. Tested in `tests/meaning/reach.rs` against plain searches
//! on random graphs and against the explored states of random models.

mod control;
mod dead;
mod facts;
mod graph;
mod ground;
mod matters;
mod message;
mod must_pass;
mod tuples;

pub use control::{Control, Obstacle};
pub use dead::{DeadTransition, dead_transitions};
pub use graph::{Graph, Reach};
pub use matters::Matters;
pub use tuples::tuples;
