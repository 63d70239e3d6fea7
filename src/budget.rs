//! What a question may use up, and how work ends that uses up more.
//!
//! Loops that can end with what they have found so far ask [`Budget::used_up`] now and then. Work deep below them, on terms and
//! expressions that grow, has nothing to show before it is done: it only says that it goes on ([`tick`]). When a limit was hit
//! and the loops above have had a quarter of a second to end by themselves, such work is abandoned as a whole, up to the [`Budget::attempt`]
//! around it. Nothing is ever made of work that was done by half, so that a limit can never become part of an answer.
//!
//! Work is abandoned by unwinding, as if it had panicked, but silently. Outside of an attempt a tick does nothing.

use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
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

/// How long loops may take to end by themselves after a limit was hit.
const GRACE: Duration = Duration::from_millis(250);
/// Ticks between two looks at the clock.
const BETWEEN_LOOKS: u32 = 64;
/// How long a measured memory counts: the system has to be asked for it.
const MEASURED_FOR: Duration = Duration::from_millis(5);

static NEVER: AtomicBool = AtomicBool::new(false);

/// Time and memory for a question, and whether the user has had enough.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Most memory of the process.
    pub memory_mb: Option<u64>,
    /// Set when the user interrupts.
    pub interrupted: &'static AtomicBool,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { deadline: None, memory_mb: None, interrupted: &NEVER }
    }
}

impl Budget {
    /// The same budget with a time from now on.
    pub fn within(self, time: Option<Duration>) -> Budget {
        Budget { deadline: time.map(|time| Instant::now() + time), ..self }
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

    /// Does some work, which is abandoned if it goes on for too long after a limit was hit. What it was changing then must not be
    /// used any more.
    pub fn attempt<T>(self, work: impl FnOnce() -> T) -> Result<T, Limit> {
        let around = UNDERWAY.replace(Some(Underway { budget: self, over_since: None }));
        let result = catch_unwind(AssertUnwindSafe(work));
        UNDERWAY.set(around);
        result.map_err(|payload| match payload.downcast::<Abandoned>() {
            Ok(abandoned) => abandoned.0,
            Err(panic) => resume_unwind(panic),
        })
    }
}

/// Memory of this process, a moment ago at most; none where the system does not tell.
fn resident_mb() -> Option<u64> {
    let now = Instant::now();
    if let Some((when, used)) = MEASURED.get()
        && now - when < MEASURED_FOR
    {
        return used;
    }
    let used = measured_mb();
    MEASURED.set(Some((now, used)));
    used
}

fn measured_mb() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096 / (1024 * 1024))
}

/// What unwinding work carries.
struct Abandoned(Limit);

/// An attempt.
#[derive(Clone, Copy)]
struct Underway {
    budget: Budget,
    /// When a limit was found to be hit.
    over_since: Option<Instant>,
}

thread_local! {
    static UNDERWAY: Cell<Option<Underway>> = const { Cell::new(None) };
    static UNTIL_LOOK: Cell<u32> = const { Cell::new(BETWEEN_LOOKS) };
    static MEASURED: Cell<Option<(Instant, Option<u64>)>> = const { Cell::new(None) };
}

/// Says that work goes on: one more term, one more call. Does not return if the attempt around it has used up too much.
#[inline]
pub fn tick() {
    match UNTIL_LOOK.get() {
        0 => look(),
        left => UNTIL_LOOK.set(left - 1),
    }
}

#[cold]
#[inline(never)]
fn look() {
    UNTIL_LOOK.set(BETWEEN_LOOKS);
    let Some(mut underway) = UNDERWAY.get() else { return };
    let Some(limit) = underway.budget.used_up() else { return };
    let now = Instant::now();
    // Of a deadline it is known when it was.
    let deadline = underway.budget.deadline.filter(|_| limit == Limit::Time);
    let since = *underway.over_since.get_or_insert(deadline.unwrap_or(now));
    UNDERWAY.set(Some(underway));
    if now - since >= GRACE && !std::thread::panicking() {
        resume_unwind(Box::new(Abandoned(limit)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endless() -> u32 {
        loop {
            tick();
        }
    }

    fn in_the_past() -> Budget {
        Budget { deadline: Some(Instant::now()), ..Budget::default() }
    }

    #[test]
    fn endless_work_is_abandoned_and_only_that() {
        assert_eq!(in_the_past().attempt(endless), Err(Limit::Time));
        assert_eq!(in_the_past().attempt(|| 1), Ok(1));
        static STOP: AtomicBool = AtomicBool::new(true);
        let interrupted = Budget { interrupted: &STOP, ..Budget::default() };
        assert_eq!(interrupted.attempt(endless), Err(Limit::Interrupted));
        (0..1000).for_each(|_| tick());
    }

    #[test]
    fn the_attempt_nearest_to_the_work_is_abandoned() {
        let inner = || in_the_past().attempt(endless);
        assert_eq!(Budget::default().attempt(inner), Ok(Err(Limit::Time)));
        let outer = || Budget::default().attempt(|| 1).map(|_| endless());
        assert_eq!(in_the_past().attempt(outer), Err(Limit::Time));
    }

    #[test]
    fn panics_are_not_taken_for_limits() {
        let panics = || in_the_past().attempt(|| resume_unwind(Box::new("a bug")));
        assert!(catch_unwind(panics).is_err());
    }
}
