//! Searches over step systems: one technique, one file. Never prints; what a search has to say while it runs goes to a
//! [`Progress`].

mod along;
mod apart;
mod control;
pub mod cover;
mod explicit;
mod guide;
mod induction;
mod levels;
mod limits;
mod packed;
mod relation;
mod service;
mod simulate;
mod symbolic;
mod unrolled;
mod watch;

pub use crate::budget::Limit;
pub use along::{Along, DATA_SIZES, Decision, Place, Why};
pub use apart::{Apart, Parts, is_shown_first, loose_parts_of, parts_of};
pub use control::control_tables;
pub use explicit::{Edge, Graph, explore};
pub use guide::{ByControl, Guide, by_control};
pub use induction::{Induction, prove};
pub use levels::{Acceptance, AllPaths, Enumerated, Levels, Path, Space, SpaceStep, Status};
pub use limits::{DEFAULT_STATES, Limits, Progress};
pub use packed::{Packed, PackedSpace, combinations};
pub use service::{Algorithm, Driven, NodeRun, Reduced, drive, observed_events, reduced, runs, service_of};
pub use simulate::{Halt, Samples, simulate};
pub(crate) use symbolic::{
    Branch, Fit, MAX_COMBINED, Normal, Oracle, Passage, Stepper, Way, effect, fit, fitting, moved, normal, works,
};
pub use symbolic::{Fired, OpenSpace, OpenState, OpenStep, Question, Recovered};
pub use unrolled::{Unrolled, Unrolling};
pub(crate) use watch::Judge;
