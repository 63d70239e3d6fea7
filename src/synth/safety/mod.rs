//! Tests for a property of every run: into the part of a run that it speaks of, on to each transition that can fire there, and
//! then to where what it forbids is tried, with everything else as the call wants it.
//!
//! Phases follow each other (`history::Phase`); each of them makes runs longer, as short as can be, by questions to the engines
//! like those of any purpose (`history`). Forbidden calls are tried in a model made for it (`attempt`); whether they fail is
//! for the reference interpreter to say, over the model itself. One that it takes breaks the property.

mod attempt;
mod history;
mod verdict;

use super::answer::{Answer, Answered, Attempted, Behaviour, Case, Origin, Safety, Verdict};
use super::asked::Asked;
use super::data::{Wish, with_data};
use super::generate::Options;
use super::sequence::{Disagreement, is_controllable};
use crate::history::{Call, Class, Event, Formula, Phase, Property, Purpose};
use crate::kernel::{Run, Source, Step, Transition};
use crate::model::EXCEPTIONAL;
use crate::search::Progress;
use crate::term::{Expr, LimitKind};
pub use attempt::Lifted;
use attempt::{Attempt, Attempting, Without, takes_arguments};
use history::{Asking, Goal, History, Leg};
use verdict::decided;
pub use verdict::property;

/// The class of tests that try the forbidden at once.
const DIRECTLY: &str = "directly";

/// A test in the making.
#[derive(Clone)]
struct Growing {
    history: History,
    /// What was covered, by the number of its transition; none where nothing was.
    covers: Option<usize>,
    /// Whether the part of the run that the property speaks of has ended.
    is_closed: bool,
    /// What was tried, and after how many steps.
    tried: Option<Attempted>,
    /// The question whose answer the run is, with the model in which it was asked if that is not the original one.
    found: Option<(Asked, Case, Option<usize>)>,
}

/// The tests for a property, as answers to a purpose with a class for each transition that is covered.
pub fn safety(
    asked: &Asked,
    property: &Property,
    wish: Wish,
    options: &Options<'_>,
    progress: &mut dyn Progress,
) -> Result<(Purpose, Answered), Disagreement> {
    // A bound on the depth is one on each part that covers.
    let most = options.limits.depth;
    let mut options = *options;
    options.limits.depth = None;
    let asking =
        Asking { system: &asked.system, lists: &asked.lists, property: &asked.purpose, options: &options, never: None };
    let mut maker = Maker {
        asking,
        asked,
        wish,
        most,
        models: vec![],
        out: Answered::impossible(),
        missed: None,
        strategy: 0,
        classes: vec![],
    };
    (maker.out.answer, maker.out.reason) = (Answer::Unknown, Some("no test was found".to_owned()));
    let strategies = property.strategies();
    let verdict = maker.verdict(progress)?;
    let is_broken = matches!(verdict, Verdict::Broken);
    let text = |phases: &Vec<Phase>| phases.iter().map(Phase::text).collect::<Vec<_>>().join("; ");
    let strategies_text = strategies.iter().map(text).collect();
    maker.out.safety = Some(Safety { strategies: strategies_text, verdict, behaviours: vec![] });
    for (number, phases) in strategies.iter().enumerate() {
        let about = if strategies.len() == 1 { String::new() } else { format!("{}: ", number + 1) };
        maker.strategy = number;
        if !is_broken {
            maker.tests(phases, &about, progress)?;
        }
    }
    let Maker { mut out, missed, classes, .. } = maker;
    if let Some(missed) = missed {
        (out.answer, out.proof, out.reason) = (missed.answer, missed.proof, missed.reason);
        out.confirmation = missed.confirmation;
    }
    if !out.cases.is_empty() {
        (out.answer, out.proof, out.reason) = (Answer::Found, None, None);
    }
    out.lower_bound = out.cases.iter().map(|case| case.run.steps.len()).min().unwrap_or(0);
    Ok((Purpose { classes, ..asked.purpose.clone() }, out))
}

struct Maker<'a> {
    asking: Asking<'a>,
    asked: &'a Asked,
    wish: Wish,
    /// Most steps of a part that covers.
    most: Option<usize>,
    /// Models in which calls are tried, each with the call.
    models: Vec<(Attempting, Call)>,
    out: Answered,
    /// What did not happen, with the weakest answer.
    missed: Option<Answered>,
    /// The number of the strategy that is followed.
    strategy: usize,
    classes: Vec<Class>,
}

impl Maker<'_> {
    /// Whether the model has the property.
    fn verdict(&mut self, progress: &mut dyn Progress) -> Result<Verdict, Disagreement> {
        let (verdict, case) = decided(&self.asking, self.asked, progress)?;
        self.out.is_complete &= !matches!(verdict, Verdict::Unknown(_));
        if let Some(case) = case {
            let class = self.class("broken".to_owned());
            self.out.cases.push(Case { class: Some(class), ..case });
        }
        Ok(verdict)
    }

    fn class(&mut self, text: String) -> usize {
        let span = self.asked.purpose.span;
        self.classes.push(Class { text, span, formula: Formula::Decided(true) });
        self.classes.len() - 1
    }

    /// The tests that a strategy makes.
    fn tests(&mut self, phases: &[Phase], about: &str, progress: &mut dyn Progress) -> Result<(), Disagreement> {
        let start = History { legs: vec![], run: None, is_fixed: false };
        let mut growing = vec![Growing { history: start, covers: None, is_closed: false, tried: None, found: None }];
        let mut stop: Option<&Event> = None;
        for phase in phases {
            growing = match phase {
                Phase::Research(event) => self.research(growing, event, progress)?,
                Phase::Cover => self.cover(growing, None, progress)?,
                Phase::CoverStop(event) => {
                    stop = Some(event);
                    self.cover(growing, stop, progress)?
                }
                Phase::Active(call) => self.active(growing, call, stop, progress)?,
                Phase::Observe(..) => growing,
            };
        }
        for test in growing {
            self.finish(test, about)?;
        }
        Ok(())
    }

    fn research(
        &mut self,
        growing: Vec<Growing>,
        event: &Event,
        progress: &mut dyn Progress,
    ) -> Result<Vec<Growing>, Disagreement> {
        let leg = Leg { goal: Goal::of(&event.list), never: None, again: true };
        let mut out = vec![];
        for test in growing {
            match self.asking.extended(&test.history, &leg, None, progress)? {
                Ok((history, asked, case)) => {
                    out.push(Growing { history, found: Some((asked, case, None)), ..test });
                }
                // After what was tried there is but one way to begin: that says nothing about other runs.
                Err(answered) if test.history.is_fixed => {
                    self.out.is_complete &= answered.answer != Answer::Unknown;
                    self.out.notes.push(format!("{}: no way on to it was found after what was tried", event.text));
                }
                Err(answered) => self.missing(&format!("{} is", event.text), answered),
            }
        }
        Ok(out)
    }

    /// Notes that something does not happen; where nothing was found, that is the answer.
    fn missing(&mut self, what: &str, answered: Answered) {
        self.out.is_complete &= answered.answer != Answer::Unknown;
        let known = self.missed.as_ref().map(|known| known.answer);
        if known.is_none_or(|known| known < answered.answer) {
            self.missed = Some(answered.clone());
        }
        let why = answered.reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
        self.out.notes.push(format!("{what} {}{why}", answered.answer.text()));
    }

    /// The runs so far, and one more for each transition that can fire after one of them.
    fn cover(
        &mut self,
        growing: Vec<Growing>,
        stop: Option<&Event>,
        progress: &mut dyn Progress,
    ) -> Result<Vec<Growing>, Disagreement> {
        let mut out = growing.clone();
        let asking = &self.asking;
        for test in growing {
            for (number, (list, member, name)) in behaviours(asking).into_iter().enumerate() {
                let fires = Expr::slot_is(list, asking.lists.names.member(list, member));
                let never = stop.map(|event| event.list.clone());
                let leg = |goal: Goal| Leg { goal, never: never.clone(), again: false };
                let first = asking.extended(&test.history, &leg(Goal::of(&fires)), self.most, progress)?;
                let mut behaviour = Behaviour {
                    strategy: self.strategy,
                    name,
                    depth: None,
                    answer: Answer::Found,
                    proof: None,
                    reason: None,
                };
                match first {
                    Ok((mut history, mut asked, mut case)) => {
                        behaviour.depth = Some(history.last_leg());
                        let mut is_closed =
                            never.as_ref().is_some_and(|never| asking.is_true(never, &asking.last(&case.run)));
                        if is_closed {
                            // The same may happen without the end of that part.
                            let inside = never.iter().fold(Goal::of(&fires), |goal, never| goal.and(never, false));
                            let inside = leg(inside);
                            if let Ok(found) = asking.extended(&test.history, &inside, self.most, progress)? {
                                (history, asked, case) = found;
                                is_closed = false;
                            }
                        }
                        let found = Some((asked, case, None));
                        out.push(Growing { history, covers: Some(number), is_closed, found, tried: None });
                    }
                    Err(answered) => {
                        self.out.is_complete &= answered.answer != Answer::Unknown;
                        behaviour.answer = match (answered.answer, self.most) {
                            // Only so many steps were looked at.
                            (Answer::Impossible, Some(_)) => Answer::NotFound,
                            (other, _) => other,
                        };
                        let proved = answered.proved();
                        behaviour.reason = match (behaviour.answer, self.most) {
                            (Answer::NotFound, Some(1)) => Some("up to 1 step".to_owned()),
                            (Answer::NotFound, Some(most)) => Some(format!("up to {most} steps")),
                            _ => answered.reason,
                        };
                        behaviour.proof = proved.filter(|_| behaviour.answer == Answer::Impossible);
                    }
                }
                self.out.safety.iter_mut().for_each(|safety| safety.behaviours.push(behaviour.clone()));
            }
        }
        Ok(out)
    }

    /// On to where the call is made that is to be taken, or to fail.
    fn active(
        &mut self,
        growing: Vec<Growing>,
        call: &Call,
        stop: Option<&Event>,
        progress: &mut dyn Progress,
    ) -> Result<Vec<Growing>, Disagreement> {
        let mut out = vec![];
        for test in growing {
            if test.is_closed {
                out.push(test);
                continue;
            }
            let never = stop.map(|event| event.list.clone());
            let grown = match call.is_enabled {
                true => {
                    let goal = Goal::of(&call.made).and(&call.normal, true).and(&call.with, true);
                    let leg = Leg { goal, never, again: false };
                    let found = self.asking.extended(&test.history, &leg, None, progress)?;
                    match found {
                        Ok((history, asked, case)) => {
                            Some(Growing { history, found: Some((asked, case, None)), ..test.clone() })
                        }
                        Err(answered) => {
                            self.out.is_complete &= answered.answer != Answer::Unknown;
                            None
                        }
                    }
                }
                false => self.tried(&test, call, never, progress)?,
            };
            match grown {
                Some(grown) => out.push(grown),
                None => {
                    let after = test.covers.map(|number| behaviours(&self.asking)[number].2.clone());
                    let after = after.map(|name| format!(" after {name}")).unwrap_or_default();
                    self.out.notes.push(format!("{}: no way to try it was found{after}", call.text));
                }
            }
        }
        Ok(out)
    }

    /// A forbidden call, tried with as few conditions left out as can be.
    fn tried(
        &mut self,
        test: &Growing,
        call: &Call,
        never: Option<Expr>,
        progress: &mut dyn Progress,
    ) -> Result<Option<Growing>, Disagreement> {
        let (list, member) = call.called;
        let Asking { system, lists, property, options, .. } = self.asking;
        let is_exceptional = |t: &Transition| t.tags.iter().any(|tag| tag == EXCEPTIONAL);
        let mut is_unknown = false;
        for without in [Without::State(1), Without::Arguments, Without::State(2)] {
            let source = lists.sources[list];
            let Some(model) = Attempting::new(system, lists, source, member, &is_exceptional, without) else {
                continue;
            };
            let tried = model.is_tried();
            let asking =
                Asking { system: &model.system, lists: &model.lists, property, options, never: Some(tried.clone()) };
            let of_model = |leg: &Leg| Leg {
                goal: leg.goal.map(&|list| model.list(list)),
                never: leg.never.as_ref().map(|never| model.list(never)),
                again: leg.again,
            };
            let legs = test.history.legs.iter().map(|(leg, end)| (of_model(leg), *end)).collect();
            let history = History { legs, ..test.history.clone() };
            let goal = Goal::of(&tried).and(&model.list(&call.with), true);
            let leg = Leg { goal, never: never.as_ref().map(|never| model.list(never)), again: false };
            let (grown, asked, case) = match asking.extended(&history, &leg, None, progress)? {
                Ok(found) => found,
                Err(answered) => {
                    is_unknown |= answered.answer == Answer::Unknown;
                    continue;
                }
            };
            let Some((run, tried)) = self.judged(&model, &case.run, call)? else { continue };
            // A call that would be taken elsewhere does not fail for its arguments.
            let is_other = takes_arguments(system, tried.joint, &tried.data, &is_exceptional);
            if without == Without::Arguments && is_other {
                continue;
            }
            // The run may begin differently, so its legs may end elsewhere.
            let ends = grown.legs.iter().map(|(_, end)| *end);
            let own = test.history.legs.iter().map(|(leg, _)| leg.clone());
            let mut legs: Vec<(Leg, usize)> = own.zip(ends).collect();
            // Whatever comes next starts with the very data of the call.
            legs.push((Leg { goal: Goal::default(), never: None, again: false }, run.steps.len()));
            self.models.push((model, call.clone()));
            let found = Some((asked, case, Some(self.models.len() - 1)));
            let history = History { legs, run: Some(run), is_fixed: true };
            return Ok(Some(Growing { history, tried: Some(tried), found, ..test.clone() }));
        }
        self.out.is_complete &= !is_unknown;
        Ok(None)
    }

    /// A run that ends with an attempt, over the model itself: what is done before it, the call, and the exception if the
    /// model has a step for that. None if the call is taken in another way, which is not forbidden.
    fn judged(&self, model: &Attempting, run: &Run, call: &Call) -> Result<Option<(Run, Attempted)>, Disagreement> {
        let Asking { system, lists, .. } = self.asking;
        let limited = |limit: LimitKind| Disagreement::Limit { model: system.name.clone(), limit };
        let Some((last, before)) = run.steps.split_last() else { return Ok(None) };
        let Some(Attempt { joint, lifted, .. }) = model.attempt(last.joint) else { return Ok(None) };
        let mut run = Run { initial: run.initial.clone(), steps: before.to_vec() };
        let state = run.steps.last().map_or(&run.initial, |step| &step.next).clone();
        let mut taken: Vec<Step> = vec![];
        for (number, other) in system.joints.iter().enumerate() {
            if other.gate == system.joints[*joint].gate && system.at_source(number, &state) {
                taken.extend(system.steps(number, &state, &last.data).map_err(limited)?);
            }
        }
        let is_exceptional = |step: &&Step| {
            let fired =
                step.fired.iter().filter_map(|(machine, t)| Some(&system.machines[*machine].transitions[(*t)?]));
            fired.flat_map(|t| &t.tags).any(|tag| tag == EXCEPTIONAL)
        };
        let after = run.steps.len();
        let breaks = |step: &&Step| {
            let observed = lists.observe(system, &state, step, after + 1);
            self.asking.shows(&breaking(call), &observed)
        };
        let attempted = |is_refused, is_taken| {
            let (joint, data, lifted) = (*joint, last.data.clone(), lifted.clone());
            Attempted { after, joint, data, lifted, is_refused, is_taken }
        };
        if let Some(step) = taken.iter().find(breaks) {
            run.steps.push(step.clone());
            return Ok(Some((run, attempted(false, true))));
        }
        if taken.iter().any(|step| !is_exceptional(&step)) {
            return Ok(None);
        }
        let exception = taken.iter().find(is_exceptional).cloned();
        let is_refused = exception.is_none();
        run.steps.extend(exception);
        Ok(Some((run, attempted(is_refused, false))))
    }

    /// Makes cases of a test, with the data that is wanted.
    fn finish(&mut self, test: Growing, about: &str) -> Result<(), Disagreement> {
        let Some((asked, case, model)) = test.found else { return Ok(()) };
        let name = test.covers.map_or(DIRECTLY.to_owned(), |number| behaviours(&self.asking)[number].2.clone());
        let class = self.class(format!("{about}{name}"));
        let one = Answered { answer: Answer::Found, cases: vec![case], ..Answered::impossible() };
        let chosen = with_data(one, &asked, self.wish, self.asking.options)?;
        self.out.is_complete &= chosen.is_complete;
        self.out.notes.extend(chosen.notes.into_iter().map(|note| format!("{about}{name}: {note}")));
        let number = self.out.cases.iter().filter_map(|case| case.origin.as_ref()).map(|origin| origin.case + 1).max();
        for case in chosen.cases {
            // Data just outside makes no test of the property.
            if case.origin.as_ref().is_some_and(|origin| origin.leaves_at.is_some() || !origin.meets) {
                continue;
            }
            let (run, attempt) = match model {
                Some(model) => {
                    let (model, call) = &self.models[model];
                    let Some((run, attempt)) = self.judged(model, &case.run, call)? else { continue };
                    (run, Some(attempt))
                }
                None => (case.run.clone(), test.tried.clone()),
            };
            if let (true, Some(safety)) = (attempt.as_ref().is_some_and(|one| one.is_taken), &mut self.out.safety) {
                // What is proved cannot be broken.
                if matches!(safety.verdict, Verdict::Holds(_)) {
                    return Err(Disagreement::Rules { model: self.asking.system.name.clone() });
                }
                safety.verdict = Verdict::Broken;
            }
            let origin = case.origin.map(|origin| Origin { case: number.unwrap_or(0), ..origin });
            let is_controllable = is_controllable(self.asking.system, &run);
            self.out.cases.push(Case { class: Some(class), is_controllable, run, attempt, origin, ..case });
        }
        Ok(())
    }
}

/// Transitions that end no call with an exception: the list they are seen in, their number in it, and their name.
fn behaviours(asking: &Asking<'_>) -> Vec<(usize, usize, String)> {
    let mut out = vec![];
    for (machine, described) in asking.system.machines.iter().enumerate() {
        let fired = Source::Fired(machine);
        let Some(list) = asking.lists.sources.iter().position(|source| *source == fired) else { continue };
        let prefix = asking.lists.names.entries[list].name.strip_suffix("fired").unwrap_or_default();
        for (number, t) in described.transitions.iter().enumerate() {
            if !t.tags.iter().any(|tag| tag == EXCEPTIONAL) {
                out.push((list, number, format!("{prefix}{}", t.name)));
            }
        }
    }
    out
}

/// A step that does with a call what is forbidden.
fn breaking(call: &Call) -> Goal {
    Goal::of(&call.made).and(&call.normal, !call.is_enabled).and(&call.with, true)
}
