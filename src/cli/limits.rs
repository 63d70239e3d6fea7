//! Limits from the command line, and the line that shows how a search goes on.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::args::LimitArgs;
use super::outcome::Failure;
use crate::budget::Budget;
use crate::emit::visible;
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
    let budget = Budget { deadline: None, memory_mb: args.memory.or_else(half_of_memory), interrupted: &INTERRUPTED }
        .within(time);
    Ok(Limits { depth, states: states.unwrap_or(DEFAULT_STATES), budget })
}

/// Half of the memory of the machine; none where the system does not tell.
fn half_of_memory() -> Option<u64> {
    let all = std::fs::read_to_string("/proc/meminfo").ok()?;
    let total = all.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = total.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes / 1024 / 2)
}

/// A line on standard error, if somebody can see it: what is asked, who searches, how far it is.
pub struct Bar {
    bar: ProgressBar,
    deadline: Option<Instant>,
    about: String,
    doing: String,
    far: String,
}

impl Bar {
    /// A line that is not there yet.
    pub fn new(limits: &Limits) -> Bar {
        let bar = if std::io::stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        Bar { bar, deadline: limits.budget.deadline, about: String::new(), doing: String::new(), far: String::new() }
    }

    /// What is asked now: one of several questions.
    pub fn about(&mut self, name: &str, number: usize, of: usize) {
        self.about = if of > 1 { format!("{name} ({number} of {of})") } else { name.to_owned() };
        self.doing.clear();
        self.far.clear();
        self.show();
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    fn show(&self) {
        self.bar.set_message(self.line());
        self.bar.tick();
    }

    fn line(&self) -> String {
        let mut parts: Vec<String> =
            [&self.about, &self.doing, &self.far].into_iter().filter(|part| !part.is_empty()).cloned().collect();
        if let Some(deadline) = self.deadline {
            parts.push(format!("{} s left", deadline.saturating_duration_since(Instant::now()).as_secs()));
        }
        visible(&parts.join(": "))
    }
}

impl Progress for Bar {
    fn at(&mut self, depth: usize, states: usize, open: usize, solver_calls: usize) {
        self.far = format!("depth {depth}, {states} states, {open} to look at");
        if solver_calls > 0 {
            self.far.push_str(&format!(", {solver_calls} solver calls"));
        }
        self.show();
    }

    fn doing(&mut self, what: &str) {
        what.clone_into(&mut self.doing);
        self.far.clear();
        self.show();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_what_is_asked_who_searches_and_how_far_it_is() {
        let mut bar = Bar::new(&Limits::default());
        assert_eq!(bar.line(), "");
        bar.about("order", 2, 7);
        bar.doing("symbolic states");
        bar.at(3, 40, 5, 6);
        assert_eq!(bar.line(), "order (2 of 7): symbolic states: depth 3, 40 states, 5 to look at, 6 solver calls");
        bar.about("only", 1, 1);
        assert_eq!(bar.line(), "only");
    }
}
