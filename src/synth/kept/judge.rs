//! Whether a kept sequence is still right: a run of the model that meets what it was made for, after which what must be refused is
//! refused.

use serde_json::{Value as Json, json};

use super::{ForClass, Kept};
use crate::kernel::{
    Explanation, Given, Missing, Replay, Run, Step, StepSystem, Style, Trace, Unreadable, replay, retrace,
};
use crate::search::Progress;
use crate::synth::answer::{Answer, Proved};
use crate::synth::asked::Asked;
use crate::synth::generate::{Options, search};
use crate::synth::meet::{Meets, meets};
use crate::synth::sequence::Disagreement;

/// Most runs that are looked at for one trace which leaves something open.
const MAX_RUNS: usize = 200;

/// What became of a sequence.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The run, if it is one.
    pub run: Option<Run>,
    /// The class that it belongs to, if the purpose has classes.
    pub class: Option<String>,
    /// Whether it meets what it was made for; none if nobody can tell, or if nothing was asked.
    pub meets: Option<bool>,
    /// What is wrong with it.
    pub broken: Option<Broken>,
    /// Why nobody can tell.
    pub unknown: Option<String>,
}

/// What is wrong with a sequence.
#[derive(Clone, Debug)]
pub enum Broken {
    /// The model does not take one of its steps.
    Left(Box<Explanation>),
    /// It speaks of something that the model does not have.
    Unreadable(Unreadable),
    /// What must be refused after it is taken.
    Takes(Box<Step>),
    /// It does not meet what it was made for.
    NotMet,
}

/// Judges a sequence by the questions it was made for, which are about one model.
pub fn judge(
    kept: &Kept,
    asked: &[ForClass],
    options: &Options<'_>,
    progress: &mut dyn Progress,
) -> Result<Judged, Disagreement> {
    let mut judged = Judged { run: None, class: None, meets: None, broken: None, unknown: None };
    let Some((_, first)) = asked.first() else { return Ok(judged) };
    let system = &first.system;
    let read = Trace::beginning_from_json(&kept.trace, system);
    let (trace, unreadable) = match read {
        Ok(read) => read,
        Err(reason) => (Trace::default(), Some(Unreadable { step: 0, reason })),
    };
    let given = Given::default();
    match replay(system, &trace, &given) {
        Err(error) => judged.unknown = Some(error.to_string()),
        Ok(Replay::Rejected(explanation)) => judged.broken = Some(Broken::Left(explanation)),
        Ok(Replay::Accepted) => judged.broken = unreadable.map(Broken::Unreadable),
    }
    if judged.broken.is_some() || judged.unknown.is_some() {
        judged.meets = judged.broken.as_ref().map(|_| false);
        return Ok(judged);
    }
    let mut seen: Vec<Result<Met, Disagreement>> = vec![];
    let retraced = retrace(system, &trace, &given, &mut |run| {
        let found = met_by(asked, run, options, progress);
        let is_enough = !matches!(found, Ok((None, _))) || seen.len() >= MAX_RUNS;
        seen.push(found);
        is_enough
    });
    let run = match retraced {
        Ok(Some((run, _))) => run,
        Ok(None) => {
            judged.unknown = Some("it speaks of silence, which is no step of a run".to_owned());
            return Ok(judged);
        }
        Err(error) => {
            judged.unknown = Some(error.to_string());
            return Ok(judged);
        }
    };
    let seen = seen.into_iter().collect::<Result<Vec<Met>, _>>()?;
    let met = seen.last().and_then(|(met, _)| *met);
    // Another run that fits the trace might have been the one.
    let too_many = (seen.len() > MAX_RUNS).then(|| format!("more than {MAX_RUNS} runs fit the trace"));
    let doubt = seen.into_iter().find_map(|(_, doubt)| doubt).or(too_many).filter(|_| met.is_none());
    judged.class = met.and_then(|number| asked[number].0.clone());
    judged.meets = if doubt.is_some() { None } else { Some(met.is_some()) };
    if let Some(refused) = &kept.refused {
        match taken(system, &run, refused) {
            Ok(Some(Taken::Step(step))) => judged.broken = Some(Broken::Takes(step)),
            Ok(Some(Taken::Unreadable(reason))) => {
                let step = run.steps.len() + 1;
                judged.broken = Some(Broken::Unreadable(Unreadable { step, reason }));
            }
            Ok(None) => {}
            Err(reason) => judged.unknown = Some(reason),
        }
    }
    if kept.meets && judged.broken.is_none() {
        match doubt {
            Some(doubt) => judged.unknown = Some(doubt),
            None if met.is_none() => judged.broken = Some(Broken::NotMet),
            None => {}
        }
    }
    judged.run = Some(run);
    Ok(judged)
}

/// The number of a question that is answered, and why nobody can tell.
type Met = (Option<usize>, Option<String>);

/// The first of the questions that a run answers, or a reason why nobody can tell.
fn met_by(
    asked: &[ForClass],
    run: &Run,
    options: &Options<'_>,
    progress: &mut dyn Progress,
) -> Result<Met, Disagreement> {
    let mut doubt = None;
    for (number, (_, asked)) in asked.iter().enumerate() {
        match meets(asked, run, options, progress)? {
            Meets::Yes(_) => return Ok((Some(number), None)),
            Meets::No => {}
            Meets::Unknown(reason) => doubt = doubt.or(Some(reason)),
        }
    }
    Ok((None, doubt))
}

enum Taken {
    Step(Box<Step>),
    Unreadable(String),
}

/// What the model does with an event after a run; nothing if it refuses it.
fn taken(system: &StepSystem, run: &Run, event: &Json) -> Result<Option<Taken>, String> {
    let trace = match Trace::from_json(&json!({ "steps": [event] }), system) {
        Ok(trace) => trace,
        // Data that no longer is in its type cannot be taken.
        Err(_) if has_names(system, event) => return Ok(None),
        Err(reason) => return Ok(Some(Taken::Unreadable(reason))),
    };
    let state = run.steps.last().map_or(&run.initial, |step| &step.next);
    let Some(event) = trace.steps.first() else { return Ok(None) };
    let steps = system.steps_like(state, event, Missing::Open, &Given::default(), None);
    let steps = steps.map_err(|error| error.to_string())?;
    Ok(steps.into_iter().next().map(|step| Taken::Step(Box::new(step))))
}

/// Whether the model knows everything that an event names.
fn has_names(system: &StepSystem, event: &Json) -> bool {
    let known = |names: &mut dyn Iterator<Item = &String>, data: Option<&Json>| {
        let names: Vec<&String> = names.collect();
        let data = data.and_then(Json::as_object);
        data.is_none_or(|data| data.keys().all(|key| names.contains(&key)))
    };
    match system.style {
        Style::Lockstep => known(&mut system.ticks[0].inputs.iter().map(|(name, ..)| name), event.get("inputs")),
        Style::Gates => {
            let gate = system.gates.iter().find(|gate| event.get("gate").is_some_and(|name| *name == *gate.name));
            gate.is_some_and(|gate| known(&mut gate.params.iter().map(|(name, _)| name), event.get("data")))
        }
    }
}

/// Whether what a sequence was made for still has a test.
#[derive(Clone, Debug)]
pub struct Test {
    /// The answer.
    pub answer: Answer,
    /// Steps of a test that was found.
    pub length: Option<usize>,
    /// Why there is none.
    pub proof: Option<Proved>,
    /// Why nobody can tell.
    pub reason: Option<String>,
}

/// Asks whether one of the questions still has an answer.
pub fn test_for(asked: &[ForClass], options: &Options<'_>, progress: &mut dyn Progress) -> Result<Test, Disagreement> {
    let mut best: Option<Test> = None;
    for (_, Asked { system, lists, purpose }) in asked {
        let all: Vec<usize> = (0..purpose.constraints.len()).collect();
        let answered = search(system, lists, purpose, &all, None, options, progress)?;
        let length = answered.cases.first().map(|case| case.run.steps.len());
        let test = Test { answer: answered.answer, length, proof: answered.proved(), reason: answered.reason };
        if test.answer == Answer::Found {
            return Ok(test);
        }
        // Of several classes none has a test only if each of them has none.
        if best.as_ref().is_none_or(|best| best.answer < test.answer) {
            best = Some(test);
        }
    }
    let nothing = || Test { answer: Answer::Unknown, length: None, proof: None, reason: None };
    Ok(best.unwrap_or_else(nothing))
}
