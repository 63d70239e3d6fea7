//! Logs of runs, judged while they are read.
//!
//! Each purpose is judged event by event, and the model is followed beside. Nothing of the past is kept but what may still
//! matter: what rules have left to show, the bindings of formulas for which something is open, the states in which the model
//! may be. Knows neither files nor how answers are shown. Tested by `tests/program/monitoring.rs`.

mod elements;
mod judge;
mod model;
mod witness;

use crate::history::{Looks, Observed};
use crate::kernel::{ChoiceError, Explanation, Given, Kind, Lists, LogEvent, StepSystem, Trace};
use crate::synth::Asked;
use crate::term::Value;

use elements::Elements;
use judge::{Judge, Now};
use model::{Model, Said};

/// How a log is judged.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether formulas decide only by what explains itself.
    pub is_informative: bool,
    /// Most bindings of a formula that may be open.
    pub max_open: usize,
    /// Values for what is open in the model; none if it is not followed.
    pub model: Option<Given>,
}

/// Values of variables by name.
pub type Found = Vec<(String, Value)>;

/// What a log has been judged to be.
#[derive(Clone, Debug)]
pub struct Monitored {
    /// Events.
    pub events: usize,
    /// Whether the run has ended.
    pub is_finished: bool,
    /// Whether it belongs to the model; none if nobody asked, or nobody can tell.
    pub accepted: Option<bool>,
    /// Where and why it left the model, with the line.
    pub rejected: Option<(Box<Explanation>, usize)>,
    /// Why nobody can tell whether it belongs to the model.
    pub reason: Option<String>,
    /// The purposes.
    pub purposes: Vec<Judged>,
}

/// What a purpose says of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is met, however the run goes on.
    Holds,
    /// It is not, however the run goes on.
    Fails,
    /// That is not decided yet.
    Open,
    /// Nobody can tell.
    Unknown,
}

/// A purpose that was judged.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Its name, with arguments.
    pub name: String,
    /// Whether the wish is that it is not met.
    pub expects_impossible: bool,
    /// What it says.
    pub verdict: Verdict,
    /// What decided that.
    pub decided: Option<Decided>,
    /// Matches of its patterns: the first ones.
    pub matches: Vec<Match>,
    /// How many there are.
    pub matched: usize,
    /// Whether it looks for matches.
    pub has_matches: bool,
    /// Why nobody can tell.
    pub reason: Option<String>,
}

/// What decided a verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    /// The event, from one; zero for what is so before the first.
    pub event: usize,
    /// Its line.
    pub line: usize,
    /// Whether it was the end of the run, after that event.
    pub at_stop: bool,
    /// The values of variables that decided, if some did.
    pub binding: Option<Found>,
}

/// A match of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// The event that ends it.
    pub event: usize,
    /// Its line.
    pub line: usize,
    /// The values of its variables, if it has some.
    pub binding: Option<Found>,
}

/// Judges a log.
pub struct Monitoring<'a> {
    system: &'a StepSystem,
    lists: &'a Lists,
    elements: Elements<'a>,
    looks: Looks,
    judges: Vec<Judge>,
    has_matches: Vec<bool>,
    given: Option<Given>,
    model: Followed<'a>,
    now: Now,
    /// Steps: events but silence.
    steps: usize,
    is_finished: bool,
}

/// What became of the model.
enum Followed<'a> {
    /// Nobody asked.
    Not,
    /// Nothing was seen yet.
    Before(Trace),
    Is(Box<Model<'a>>),
    Left(Box<Explanation>, usize),
    Unknown(String),
}

impl<'a> Monitoring<'a> {
    /// A model and purposes for it, before the first event.
    pub fn new(system: &'a StepSystem, lists: &'a Lists, asked: &[Asked], options: &Options) -> Monitoring<'a> {
        let mut looks = Looks::default();
        let mut judges = vec![];
        for one in asked {
            let informative = (options.is_informative, options.max_open);
            let judge = Judge::new(system, lists, &one.purpose, informative, &mut looks);
            judges.push(judge);
        }
        let has_matches = (asked.iter())
            .map(|one| one.purpose.constraints.iter().any(|c| c.acceptor.as_ref().is_some_and(|a| a.is_match)))
            .collect();
        let mut wanted: Vec<usize> = judges.iter().flat_map(|judge| judge.lists.iter().copied()).collect();
        wanted.sort_unstable();
        wanted.dedup();
        Monitoring {
            system,
            lists,
            elements: Elements::new(system, lists, wanted),
            looks,
            judges,
            has_matches,
            model: if options.model.is_some() { Followed::Before(Trace::default()) } else { Followed::Not },
            given: options.model.clone(),
            now: Now { event: 0, line: 0 },
            steps: 0,
            is_finished: false,
        }
    }

    /// What the log says of the time before the first event.
    pub fn begin(&mut self, initial: &Trace) {
        self.elements.begin(initial);
        if let Followed::Before(known) = &mut self.model {
            *known = initial.clone();
        }
    }

    /// One more event.
    pub fn event(&mut self, event: &LogEvent, line: usize) {
        self.now = Now { event: self.now.event + 1, line };
        let is_step = event.kind != Kind::Delta;
        if is_step {
            self.steps += 1;
            self.elements.see(event, self.steps);
        }
        let missing = (is_step && self.elements.has_missing).then_some(&self.elements.missing[..]);
        let needs_ways = self.judges.iter().any(|judge| judge.needs_model(missing));
        self.enter();
        let said = match &mut self.model {
            Followed::Is(model) => Some(model.event(event, needs_ways)),
            _ => None,
        };
        let said = match said {
            None => None,
            Some(Err(error)) => {
                self.model = Followed::Unknown(unlisted(&error));
                None
            }
            Some(Ok(Said::Left(explanation))) => {
                self.model = Followed::Left(explanation, line);
                None
            }
            Some(Ok(said)) => Some(said),
        };
        self.looks.begin();
        let observed = Observed { elements: &self.elements.values, definitions: &self.lists.names.definitions };
        let missing = (is_step && self.elements.has_missing).then_some(&self.elements.missing[..]);
        for judge in self.judges.iter_mut().filter(|judge| !judge.is_done) {
            match (judge.needs_model(missing), &said, is_step) {
                (false, _, true) => judge.step(&mut self.looks, observed, self.now),
                (true, Some(Said::Ways(ways)), true) => {
                    let model = (self.system, self.lists);
                    judge.step_along(&mut self.looks, model, ways, self.steps, self.now);
                    self.looks.begin();
                }
                (true, Some(Said::Silent(ways)), false) => judge.silent(ways),
                (false, _, false) => {}
                (true, ..) => {
                    let what = judge.lists.iter().find(|list| self.elements.missing[**list]);
                    let what = what.map_or("what it looks at", |list| &self.lists.names.entries[*list].name);
                    let why = match &self.model {
                        Followed::Not => "the model is not followed".to_owned(),
                        Followed::Left(..) => "the log has left the model".to_owned(),
                        Followed::Unknown(reason) => format!("the model cannot be followed: {reason}"),
                        _ => "the model does not tell".to_owned(),
                    };
                    let event = self.now.event;
                    judge.give_up(format!("event {event} does not record `{what}`, and {why}"));
                }
            }
        }
    }

    /// Begins to follow the model.
    fn enter(&mut self) {
        let Followed::Before(initial) = &self.model else { return };
        let given = self.given.take().unwrap_or_default();
        self.model = match Model::new(self.system, initial, given) {
            Ok(Ok(model)) => Followed::Is(Box::new(model)),
            Ok(Err(explanation)) => Followed::Left(explanation, self.now.line),
            Err(error) => Followed::Unknown(unlisted(&error)),
        };
    }

    /// The run has ended.
    pub fn stop(&mut self, line: usize) {
        self.now.line = line;
        self.is_finished = true;
        self.judges.iter_mut().for_each(|judge| judge.stop(self.now, &self.lists.names.definitions));
    }

    /// What all of it comes to.
    pub fn finish(mut self) -> Monitored {
        self.enter();
        if !self.is_finished {
            self.judges.iter_mut().for_each(|judge| judge.pause(&self.lists.names.definitions));
        }
        let (mut accepted, mut rejected, mut reason) = (None, None, None);
        match self.model {
            Followed::Not | Followed::Before(_) => {}
            Followed::Is(_) => accepted = Some(true),
            Followed::Left(explanation, line) => {
                accepted = Some(false);
                rejected = Some((explanation, line));
            }
            Followed::Unknown(why) => reason = Some(why),
        }
        let purposes = self.judges.into_iter().zip(self.has_matches).map(|(judge, has_matches)| {
            // The end of a run may have changed a verdict; without it that is not known.
            let is_certain = judge.unknown.is_none() || !self.is_finished;
            let (verdict, decided) = match judge.decided {
                Some((truth, decided)) if is_certain => {
                    (if truth { Verdict::Holds } else { Verdict::Fails }, Some(decided))
                }
                _ if judge.unknown.is_some() => (Verdict::Unknown, None),
                _ => (Verdict::Open, None),
            };
            Judged {
                name: judge.purpose,
                expects_impossible: judge.expects_impossible,
                verdict,
                decided,
                matches: judge.matches,
                matched: judge.matched,
                has_matches,
                reason: judge.unknown,
            }
        });
        Monitored {
            events: self.now.event,
            is_finished: self.is_finished,
            accepted,
            rejected,
            reason,
            purposes: purposes.collect(),
        }
    }
}

fn unlisted(error: &ChoiceError) -> String {
    match error {
        ChoiceError::NoValues { .. } => format!("{error}; record it in the log, or give some with --values"),
        other => other.to_string(),
    }
}
