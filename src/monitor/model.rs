//! Whether a log belongs to the model: all states that fit what was seen are followed side by side.
//!
//! The reference interpreter decides every step. What it said of a set of states and an event is remembered for a while: logs
//! repeat themselves.

use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

use crate::kernel::{
    ChoiceError, Explanation, Follower, Given, Kind, LogEvent, Silence, State, StepSystem, Trace, TraceStep, Way,
};

/// Events that are remembered.
const MAX_REMEMBERED: usize = 10_000;

/// A model that is followed.
pub struct Model<'a> {
    system: &'a StepSystem,
    follower: Follower<'a>,
    /// Sets of states, with those that events lead to.
    sets: Vec<(BTreeSet<State>, FxHashMap<LogEvent, usize>)>,
    numbers: FxHashMap<BTreeSet<State>, usize>,
    remembered: usize,
    /// The set it is in, if that is one of those; then the follower may be elsewhere.
    at: Option<usize>,
    events: usize,
}

/// What the model says of an event.
pub enum Said {
    /// It is possible.
    Taken,
    /// It is possible, in these ways.
    Ways(Vec<Way>),
    /// It is silence, which these states lead to.
    Silent(Vec<Silence>),
    /// It is not.
    Left(Box<Explanation>),
}

impl<'a> Model<'a> {
    /// Before the first event. The inner error says that the model does not begin like that.
    pub fn new(
        system: &'a StepSystem,
        initial: &Trace,
        given: Given,
    ) -> Result<Result<Model<'a>, Box<Explanation>>, ChoiceError> {
        let follower = match Follower::new(system, initial, given, None)? {
            Ok(follower) => follower,
            Err(explanation) => return Ok(Err(explanation)),
        };
        let (sets, numbers) = (vec![], FxHashMap::default());
        Ok(Ok(Model { system, follower, sets, numbers, remembered: 0, at: None, events: 0 }))
    }

    /// One more event; `with_ways` if somebody wants to know how it is possible.
    pub fn event(&mut self, event: &LogEvent, with_ways: bool) -> Result<Said, ChoiceError> {
        self.events += 1;
        if !with_ways && let Some(next) = self.at.and_then(|number| self.sets[number].1.get(event)) {
            self.at = Some(*next);
            return Ok(Said::Taken);
        }
        let from = match (self.at, with_ways) {
            (Some(number), _) => {
                self.follower.resume(self.sets[number].0.clone(), self.events - 1);
                Some(number)
            }
            (None, true) => None,
            (None, false) => Some(self.number()),
        };
        self.at = None;
        let step: TraceStep = event.step(self.system);
        if with_ways {
            let said = match event.kind {
                Kind::Delta => self.follower.silences(&step)?.map(Said::Silent),
                _ => self.follower.ways(&step)?.map(Said::Ways),
            };
            return Ok(said.unwrap_or_else(Said::Left));
        }
        if let Some(explanation) = self.follower.step(&step)? {
            return Ok(Said::Left(explanation));
        }
        if self.remembered > MAX_REMEMBERED {
            (self.sets, self.numbers, self.remembered) = (vec![], FxHashMap::default(), 0);
            self.at = Some(self.number());
            return Ok(Said::Taken);
        }
        let to = self.number();
        if let Some(from) = from {
            self.sets[from].1.insert(event.clone(), to);
            self.remembered += 1;
        }
        self.at = Some(to);
        Ok(Said::Taken)
    }

    /// The number of the set the follower is in.
    fn number(&mut self) -> usize {
        let states = self.follower.states();
        if let Some(known) = self.numbers.get(states) {
            return *known;
        }
        self.sets.push((states.clone(), FxHashMap::default()));
        self.numbers.insert(states.clone(), self.sets.len() - 1);
        self.sets.len() - 1
    }
}
