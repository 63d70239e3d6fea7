//! Searches over step systems: one technique, one file. Never prints; what a search has to say while it runs goes to a
//! [`Progress`].

mod explicit;
mod levels;
mod limits;
mod simulate;
mod symbolic;

pub use explicit::{Edge, Graph, explore};
pub use limits::{DEFAULT_STATES, Limit, Limits, Progress};
pub use simulate::{Halt, Samples, simulate};
pub use levels::{Acceptance, AllPaths, Enumerated, Levels, Path, Space, SpaceStep, Status};
pub use symbolic::{Fired, OpenSpace, OpenState, OpenStep, Question, Recovered};
