//! A second way to every proof: a plain walk of the reference interpreter.
//!
//! Shares with the engines: evaluation of expressions, the history lists, compiled monitors, the interpreter's steps, and, where
//! the combinations of data of a gate or tick are many, the data that guards propose (`kernel/choices.rs`). Shares none of
//! their states, reductions, bounds and opened values, no symbolic meaning and no solver; nothing is packed, pruned or guided.
//! It is slow and simple on purpose. A run that it finds against a proof is an internal error, never an answer.
//!
//! Where all values can be listed and few states are reachable, the walk sees everything and *confirms* the proof. Where it
//! cannot, it *attacks* it: values come from small domains (`domains.rs`), and what is found there is a real run all the same.
//! Tested by laws over random models, and by proofs that are false on purpose.

mod domains;
mod steps;
mod walk;

use thiserror::Error;

use crate::search::Limit;
use crate::term::LimitKind;

pub(crate) use domains::Domains;
pub(crate) use steps::{Allowance, Stepper};
pub use walk::{Contradiction, Walker, walk};

/// Whether proofs are to be confirmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recheck {
    /// Where the model is small.
    #[default]
    Small,
    /// At any size, as far as the limits on time and memory allow.
    Always,
    /// Not at all.
    Never,
}

/// What a walk says of a proof. Whatever it is, the proof stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Confirmation {
    /// No walk was made.
    #[default]
    NotAsked,
    /// All states were visited.
    Confirmed {
        /// How many, each with what is left to show there.
        states: usize,
    },
    /// Some states were visited, and none was found that contradicts it.
    Attacked {
        /// How many.
        states: usize,
        /// Why not all.
        why: Beyond,
    },
}

impl Confirmation {
    /// What is said of two proofs that are needed together.
    pub fn and(self, other: Confirmation) -> Confirmation {
        use Confirmation::{Attacked, Confirmed, NotAsked};
        match (self, other) {
            (NotAsked, _) | (_, NotAsked) => NotAsked,
            (Confirmed { states: a }, Confirmed { states: b }) => Confirmed { states: a + b },
            (Attacked { states: a, why }, Confirmed { states: b } | Attacked { states: b, .. })
            | (Confirmed { states: b }, Attacked { states: a, why }) => Attacked { states: a + b, why },
        }
    }
}

/// Why a walk did not see everything.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Beyond {
    /// There are too many states.
    #[error("more than {0} states")]
    States(usize),
    /// There are too many steps.
    #[error("more than {0} steps")]
    Steps(usize),
    /// The values of all states have too many elements.
    #[error("more than {0} elements in the values of all states")]
    Elements(usize),
    /// Values cannot be listed.
    #[error("{0}")]
    Values(String),
    /// A limit of the user.
    #[error("{0}")]
    Limit(Limit),
    /// A limit of evaluation.
    #[error("{0}")]
    Evaluation(LimitKind),
}

impl Beyond {
    /// Its name in JSON.
    pub fn code(&self) -> &'static str {
        match self {
            Beyond::States(_) => "states",
            Beyond::Steps(_) => "steps",
            Beyond::Elements(_) => "elements",
            Beyond::Values(_) => "values",
            Beyond::Limit(_) => "limit",
            Beyond::Evaluation(_) => "evaluation",
        }
    }
}
