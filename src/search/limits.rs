//! What a search may use up, and how it reports on the way.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A limit that was hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Steps from the start.
    Depth,
    /// Number of states.
    States,
    /// Work that nobody limited, but that must end some day.
    Work,
    /// Time.
    Time,
    /// Memory.
    Memory,
    /// The user asked to stop.
    Interrupted,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limit::Depth => "the bound on the depth was reached",
            Limit::States => "the limit on the number of states was reached (--states)",
            Limit::Work => "the default limit on the work was reached",
            Limit::Time => "the time was used up (--time)",
            Limit::Memory => "the memory was used up (--memory)",
            Limit::Interrupted => "it was interrupted",
        })
    }
}

/// Limits of a search.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most steps from the start.
    pub depth: Option<usize>,
    /// Most states.
    pub states: usize,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Most memory of the process.
    pub memory_mb: Option<u64>,
    /// Set when the user interrupts.
    pub interrupted: &'static AtomicBool,
}

/// States when nothing else is said.
pub const DEFAULT_STATES: usize = 5_000_000;

static NEVER: AtomicBool = AtomicBool::new(false);

impl Default for Limits {
    fn default() -> Self {
        Limits { depth: None, states: DEFAULT_STATES, deadline: None, memory_mb: None, interrupted: &NEVER }
    }
}

impl Limits {
    /// The same limits with a time from now on.
    pub fn within(self, time: Option<Duration>) -> Limits {
        Limits { deadline: time.map(|time| Instant::now() + time), ..self }
    }

    /// The time that is left, if there is a limit to it.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The limit that is used up, if any. Cheap enough for every hundredth step, not for every one.
    pub fn used_up(&self) -> Option<Limit> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Some(Limit::Interrupted);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(Limit::Time);
        }
        let most = self.memory_mb?;
        resident_mb().filter(|used| *used > most).map(|_| Limit::Memory)
    }
}

/// Memory of this process; none where the system does not tell.
fn resident_mb() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096 / (1024 * 1024))
}

/// Who hears of a running search.
pub trait Progress {
    /// Called now and then.
    fn at(&mut self, depth: usize, states: usize, open: usize, solver_calls: usize);

    /// Called when something else begins: who searches now, or what for.
    fn doing(&mut self, _what: &str) {}
}

impl Progress for () {
    fn at(&mut self, _: usize, _: usize, _: usize, _: usize) {}
}
