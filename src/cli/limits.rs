//! Limits from the command line, and the line that shows how a search goes on.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::args::LimitArgs;
use super::outcome::Failure;
use crate::search::{DEFAULT_STATES, Limits, Progress};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The limits of a search that begins now. The first interrupt ends the search, not the program.
pub fn limits(args: &LimitArgs, depth: Option<usize>, states: Option<usize>) -> Result<Limits, Failure> {
    // A second handler cannot be set; one is enough.
    let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
    let time = match args.time.map(Duration::try_from_secs_f64) {
        None => None,
        Some(Ok(time)) => Some(time),
        Some(Err(_)) => return Err(Failure::Usage("--time is a number of seconds, not negative".to_owned())),
    };
    let limits = Limits {
        depth,
        states: states.unwrap_or(DEFAULT_STATES),
        deadline: None,
        memory_mb: args.memory,
        interrupted: &INTERRUPTED,
    };
    Ok(limits.within(time))
}

/// A line on standard error, if somebody can see it.
pub struct Bar {
    bar: ProgressBar,
    deadline: Option<Instant>,
}

impl Bar {
    /// A line that is not there yet.
    pub fn new(limits: &Limits) -> Bar {
        let bar = if std::io::stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
            bar.set_style(style);
        }
        Bar { bar, deadline: limits.deadline }
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Bar {
    fn at(&mut self, depth: usize, states: usize, open: usize, solver_calls: usize) {
        let mut line = format!("depth {depth}, {states} states, {open} to look at");
        if solver_calls > 0 {
            line.push_str(&format!(", {solver_calls} solver calls"));
        }
        if let Some(deadline) = self.deadline {
            line.push_str(&format!(", {} s left", deadline.saturating_duration_since(Instant::now()).as_secs()));
        }
        self.bar.set_message(line);
        self.bar.tick();
    }
}
