//! The front of the library: a model, and the questions the commands ask of it. What is answered prints as the command
//! prints it. Nothing here searches or decides; it puts the modules below together, and the command line uses it, too.
//!
//! Tested by the examples in its documentation, and by `tests/program/library.rs`.

mod compare;
mod error;
mod find;
mod findings;
mod macros;
mod model;
mod replay;

pub use compare::Comparison;
pub(crate) use compare::{Comparing, compare};
pub use error::{Error, Message};
pub use find::Found;
pub(crate) use find::{meant, prepare};
pub(crate) use findings::findings;
pub use macros::{Meant, must_replay};
pub use model::Model;
pub use replay::Replayed;
pub(crate) use replay::{DEEP_STACK_BYTES, replayed};
