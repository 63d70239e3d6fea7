//! The step system that every style of model lowers to, and the reference interpreter.
//!
//! A state is the control state of every machine and the values of variables and channels. A step fires transitions of
//! one machine, of several that meet at a gate, or of all components of a lock-step system. The interpreter works on
//! concrete values only and is never clever: no caching, no solver, no reordering. It is the oracle by which every engine
//! is judged. Tested by the counts of known models, by laws of composition on random models, and through every example.

mod choices;
mod follow;
mod hidden;
mod interpret;
mod lists;
mod log;
mod lower;
mod possible;
mod replay;
mod retrace;
mod service;
mod system;
mod trace;

pub(crate) use choices::mentions_only;
pub use choices::{ChoiceError, Given, MAX_ELEMENTS, Sampler};
pub use follow::Missing;
pub use interpret::{Change, Inputs, Refusal, Run, Step};
pub use lists::{IDLE, Lists, Moment, RESULT, Source};
pub use log::{BadLog, BadMapping, Entry, Kind, LogEvent, LogNames, LogReader, Mapping, Nesting, nesting};
pub use lower::{LowerError, lower};
pub use replay::{
    Completion, Differs, Explanation, Follower, Refused, Replay, Silence, Way, internal_closure, replay,
    replay_completed, states_after,
};
pub use retrace::retrace;
pub use service::{collecting, transitions_with};
pub use system::*;
pub use trace::{Event, Trace, TraceStep, Unreadable};
