//! What runs of generated tests mean: whether a system showed something that its model forbids.
//!
//! A model is a graph of concrete states here. Whoever runs a test says what was sent, what was heard and how the test ended; this
//! follows the graph along, and shares nothing with the tests.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

/// Most places where a model may be.
const MAX_PLACES: usize = 20_000;
/// Most outputs that a system has ahead of what was heard.
const MAX_AHEAD: usize = 4;

/// A step that can be seen.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub is_input: bool,
    /// A gate with its data, by number.
    pub label: usize,
    pub target: usize,
}

/// All concrete states of a model with their steps.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub initial: Vec<usize>,
    /// What can be seen, from each state.
    pub steps: Vec<Vec<Step>>,
    /// Where hidden steps lead, from each state.
    pub hidden: Vec<Vec<usize>>,
}

/// Something that happened in a run.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// An input, and whether it was taken; no label if it is one of no system.
    Sent(Option<usize>, bool),
    /// An output, or that there was none.
    Heard(Option<usize>),
    /// The system had hidden steps for so long that nobody waited for their end.
    Busy,
}

/// What a test said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Pass,
    Inconclusive,
    Fail,
}

/// A run of a test.
#[derive(Clone, Debug)]
pub struct Run {
    pub test: String,
    /// The system by number; the model itself is the first.
    pub system: usize,
    pub events: Vec<Event>,
    pub verdict: Verdict,
    /// What the test said about it.
    pub why: String,
}

/// What a run was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judged {
    /// Nothing was forbidden.
    Allowed,
    /// Something was: what was it.
    Forbidden(String),
    /// Hidden steps may have gone on for ever, or there is too much to follow.
    Doubtful,
}

/// Where a model may be, each with what it has said and nobody has heard.
type Places = BTreeSet<(usize, Vec<usize>)>;

impl Graph {
    /// As the systems that walk along it read it.
    pub fn json(&self) -> Json {
        let steps = |steps: &Vec<Step>| -> Vec<Json> {
            steps.iter().map(|step| json!([step.is_input, step.label, step.target])).collect()
        };
        let steps: Vec<Vec<Json>> = self.steps.iter().map(steps).collect();
        json!({ "initial": self.initial, "steps": steps, "hidden": self.hidden })
    }

    /// The same in lines: the initial states, then for each state its hidden steps and the others.
    pub fn text(&self) -> String {
        let line = |numbers: &mut dyn Iterator<Item = usize>| {
            numbers.map(|n| n.to_string()).collect::<Vec<_>>().join(" ") + "\n"
        };
        let mut text = line(&mut self.initial.iter().copied());
        for (hidden, steps) in self.hidden.iter().zip(&self.steps) {
            text.push_str(&line(&mut hidden.iter().copied()));
            let numbers = steps.iter().flat_map(|step| [usize::from(step.is_input), step.label, step.target]);
            text.push_str(&line(&mut numbers.into_iter()));
        }
        text
    }

    /// The states with all that hidden steps lead to.
    fn closed(&self, states: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        let mut done: BTreeSet<usize> = states.into_iter().collect();
        let mut open: Vec<usize> = done.iter().copied().collect();
        while let Some(state) = open.pop() {
            open.extend(self.hidden[state].iter().filter(|next| done.insert(**next)));
        }
        done
    }

    fn is_quiet(&self, state: usize) -> bool {
        self.hidden[state].is_empty() && self.steps[state].iter().all(|step| step.is_input)
    }

    /// Whether hidden steps may go on for ever.
    fn may_be_busy(&self, states: impl IntoIterator<Item = usize>) -> bool {
        let leads_back = |state: &usize| self.closed(self.hidden[*state].iter().copied()).contains(state);
        self.closed(states).iter().any(leads_back)
    }

    fn after(&self, state: usize, label: usize) -> impl Iterator<Item = usize> {
        self.steps[state].iter().filter(move |step| step.label == label).map(|step| step.target)
    }

    /// What becomes of places when the system says things that nobody hears yet; nothing if that is too much.
    fn ahead(&self, places: &Places) -> Option<Places> {
        let mut done = places.clone();
        let mut open: Vec<(usize, Vec<usize>)> = done.iter().cloned().collect();
        while let Some((state, said)) = open.pop() {
            for step in self.steps[state].iter().filter(|step| !step.is_input) {
                for after in self.closed([step.target]) {
                    let said: Vec<usize> = said.iter().copied().chain([step.label]).take(MAX_AHEAD).collect();
                    if done.insert((after, said.clone())) {
                        open.push((after, said));
                    }
                }
            }
            if done.len() > MAX_PLACES {
                return None;
            }
        }
        Some(done)
    }

    /// What a run means. `attempts` says of each input that the test sends whether it must be refused. An error if the test
    /// sends what the model does not take.
    pub fn judge(
        &self,
        events: &[Event],
        attempts: &[bool],
        named: &dyn Fn(usize) -> String,
    ) -> Result<Judged, String> {
        let mut places: Places = self.closed(self.initial.iter().copied()).into_iter().map(|at| (at, vec![])).collect();
        let mut forbidden: Option<String> = None;
        let mut sent = attempts.iter();
        for event in events {
            let wrong = match event {
                Event::Busy => return Ok(Judged::Doubtful),
                Event::Sent(label, is_taken) => {
                    let is_attempt = *sent.next().ok_or("more is sent than the test says")?;
                    let named = label.map_or("something else".to_owned(), named);
                    let after = |state: usize| label.iter().flat_map(move |label| self.after(state, *label));
                    let takes = |state: usize| after(state).next().is_some();
                    if !is_attempt && forbidden.is_none() && !places.iter().any(|(state, _)| takes(*state)) {
                        return Err(format!("{named} is sent where the model does not take it"));
                    }
                    let Some(ahead) = self.ahead(&places) else { return Ok(Judged::Doubtful) };
                    match is_taken {
                        true => {
                            places = ahead
                                .iter()
                                .flat_map(|(state, said)| {
                                    self.closed(after(*state)).into_iter().map(|at| (at, said.clone()))
                                })
                                .collect();
                            places.is_empty().then(|| format!("{named} is taken"))
                        }
                        false => ahead.iter().all(|(state, _)| takes(*state)).then(|| format!("{named} is refused")),
                    }
                }
                Event::Heard(None) => {
                    let silent: Vec<usize> =
                        places.iter().filter(|(_, said)| said.is_empty()).map(|(state, _)| *state).collect();
                    if !silent.iter().any(|state| self.is_quiet(*state)) && self.may_be_busy(silent.iter().copied()) {
                        return Ok(Judged::Doubtful);
                    }
                    (!silent.iter().any(|state| self.is_quiet(*state))).then(|| "silence".to_owned())
                }
                Event::Heard(Some(label)) => {
                    let mut next = Places::new();
                    for (state, said) in &places {
                        match said.split_first() {
                            Some((first, rest)) if first == label => drop(next.insert((*state, rest.to_vec()))),
                            Some(_) => {}
                            None => {
                                next.extend(self.closed(self.after(*state, *label)).into_iter().map(|at| (at, vec![])))
                            }
                        }
                    }
                    places = next;
                    places.is_empty().then(|| format!("{} is said", named(*label)))
                }
            };
            forbidden = forbidden.or(wrong);
        }
        Ok(forbidden.map_or(Judged::Allowed, Judged::Forbidden))
    }
}

/// The runs of each question, as those who run tests print them.
pub fn read(said: &str) -> Vec<(u64, Vec<Run>)> {
    let mut all: Vec<(u64, Vec<Run>)> = vec![];
    for line in said.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word == "question" {
            all.push((rest.parse().expect("a number"), vec![]));
            continue;
        }
        let Some((_, runs)) = all.last_mut() else { continue };
        if word == "run" {
            let (test, system) = rest.split_once(' ').expect("a test and a system");
            runs.push(Run {
                test: test.to_owned(),
                system: system.parse().expect("a number"),
                events: vec![],
                verdict: Verdict::Pass,
                why: String::new(),
            });
            continue;
        }
        let Some(run) = runs.last_mut() else { continue };
        let label = |text: &str| text.parse().ok();
        match word {
            "sent" => {
                let (sent, what) = rest.split_once(' ').expect("a label, and whether it was taken");
                run.events.push(Event::Sent(label(sent), what == "taken"));
            }
            "heard" => run.events.push(Event::Heard(label(rest))),
            "busy" => run.events.push(Event::Busy),
            "inconclusive:" => (run.verdict, run.why) = (Verdict::Inconclusive, rest.to_owned()),
            "failed" => (run.verdict, run.why) = (Verdict::Fail, rest.to_owned()),
            // The runner has things to say, too.
            _ => {}
        }
    }
    all
}
