//! Why a solver has no answer, in words of our own: those of the library speak of its insides, and change with it.

use thiserror::Error;

/// Why a solver gave up.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GaveUp {
    /// A limit on its work.
    #[error("the solver gave up: its limit on work was reached")]
    Work,
    /// It was asked to stop.
    #[error("the solver was stopped")]
    Stopped,
    /// No method that it has decides the question.
    #[error("the solver gave up")]
    Undecided,
    /// The question cannot be put to it, or its answer cannot be used.
    #[error("{0}")]
    Unfit(String),
    /// It fails on purpose.
    #[error("it was told to fail")]
    Told,
}

impl GaveUp {
    /// What the library's own words mean, where it was not asked to stop.
    pub(super) fn read(words: Option<&str>) -> GaveUp {
        // A limit on work ends most of its parts as an interrupt does.
        let limits = ["canceled", "interrupted", "timeout", "resource limit", "memory", "memout"];
        match words {
            Some(words) if limits.iter().any(|limit| words.contains(limit)) => GaveUp::Work,
            _ => GaveUp::Undecided,
        }
    }
}

impl From<&str> for GaveUp {
    fn from(words: &str) -> GaveUp {
        GaveUp::Unfit(words.to_owned())
    }
}
