//! Which Z3 this is.

use std::sync::LazyLock;

use thiserror::Error;

/// Oldest version that gives right answers through this binding.
pub const OLDEST: (u32, u32) = (5, 3);

/// Why the solver cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SolverError {
    /// The library that was loaded is too old.
    #[error("Z3 {0} was loaded; at least 5.3 is needed: run ./setup, and check which library the loader finds")]
    TooOld(String),
}

/// The version of the solver, if it can be used. Loads the solver.
///
/// ```
/// let version = tracewright::solve::version().expect("the library that ./setup fetched");
/// assert!(version.starts_with("5."));
/// ```
pub fn version() -> Result<&'static str, SolverError> {
    static VERSION: LazyLock<Result<String, SolverError>> = LazyLock::new(loaded_version);
    VERSION.as_deref().map_err(Clone::clone)
}

fn loaded_version() -> Result<String, SolverError> {
    let text = z3::full_version().trim_start_matches("Z3 ").split_whitespace().next().unwrap_or_default().to_owned();
    let mut numbers = text.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let found = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if found < OLDEST { Err(SolverError::TooOld(text)) } else { Ok(text) }
}
