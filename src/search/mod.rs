//! Searches over step systems: one technique, one file. Never prints; what a search has to say while it runs goes to a
//! [`Progress`].

mod explicit;
mod limits;
mod simulate;

pub use explicit::{Edge, Graph, explore};
pub use limits::{DEFAULT_STATES, Limit, Limits, Progress};
pub use simulate::{Halt, Samples, simulate};
