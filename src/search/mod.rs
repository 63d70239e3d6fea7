//! Searches over step systems: one technique, one file. Never prints; what a search has to say while it runs goes to a
//! [`Progress`].

mod explicit;
mod guide;
mod levels;
mod limits;
mod simulate;
mod symbolic;
mod watch;

pub use explicit::{Edge, Graph, explore};
pub use limits::{DEFAULT_STATES, Limit, Limits, Progress};
pub use simulate::{Halt, Samples, simulate};
pub use guide::Guide;
pub use levels::{Acceptance, AllPaths, Enumerated, Levels, Path, Space, SpaceStep, Status};
pub use symbolic::{Fired, OpenSpace, OpenState, OpenStep, Question, Recovered};
