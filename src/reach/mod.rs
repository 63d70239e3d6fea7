//! What control alone says of a model: what can be reached, how far a goal is at least, what can never happen.
//!
//! The derivations are Datalog rules (crepe), each in the file that gives them their facts; what has a minimum in it, which
//! Datalog has not, is a plain pass over what was derived. Graphs know nothing but numbers. Systems are seen as control
//! states, transitions and messages: values of variables are never looked at, so what is said to be dead is dead whatever
//! the data, and the converse does not hold. Tested in `tests/reach.rs` against plain searches on random graphs and against
//! the explored states of random models.

mod graph;
mod must_pass;

pub use graph::{Graph, Reach};
