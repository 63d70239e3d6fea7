//! Names, types and checks: from trees to a checked model, and from a checked model with arguments to one that is put
//! together.
//!
//! Knows no solver and runs nothing but constant expressions. All problems of a model are declared in `problem.rs`. Tested
//! by the wrong models in `tests/wrong`, each with its expected diagnostics beside it.

mod assemble;
mod call;
mod checked;
mod connect;
mod declare;
mod expr;
mod linear;
mod machine;
mod pattern;
mod places;
mod pool;
mod problem;
mod purpose;
mod scope;
mod service;

pub use assemble::{
    Assembled, GateSignature, Lockstep, MachineInstance, Process, TICK, assemble, assemble_named, given_value,
    given_values,
};
pub use checked::*;
pub use connect::{Input, Link, Output};
pub use declare::check;
pub use pool::{MAX_POOL, MAX_WEIGHT, Pool, Pools};
pub use problem::Problem;
pub(crate) use problem::near;
pub use purpose::{AskedBy, EXCEPTIONAL, KnownValues, assemble_for, check_purpose, needs_no_argument, purpose_named};
pub use service::{Collect, Collected, END, Node, Outcome, Predicate, Role, Shape};
