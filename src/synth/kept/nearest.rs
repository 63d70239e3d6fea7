//! Mending a kept sequence: of all runs that meet what it was made for, the one nearest to it.
//!
//! Nearest is what gets the same inputs for as many steps as possible, then fires the same transitions for as many further
//! steps as possible, then is shortest. Runs that are alike for some steps are alike for fewer, so how many are possible is
//! found by halving, with one question to the engines for each.

use serde_json::{Map, Value as Json, json};

use crate::kernel::{Event, IDLE, Moment, Run, Source, Style, Trace};
use crate::search::Progress;
use crate::syntax::tree::Direction;
use crate::synth::answer::Answer;
use crate::synth::asked::Asked;
use crate::synth::begin::{Told, beginning_with};
use crate::synth::generate::{Options, search};
use crate::synth::sequence::Disagreement;

/// A run that is near to a kept one.
#[derive(Clone, Debug)]
pub struct Nearest {
    /// The run.
    pub run: Run,
    /// Steps from the first on that get the same inputs.
    pub same_inputs: usize,
    /// Steps after them that fire the same transitions.
    pub same_fired: usize,
}

/// The nearest run that answers a question; none if none was found.
pub fn nearest(
    asked: &Asked,
    trace: &Json,
    options: &Options<'_>,
    progress: &mut dyn Progress,
) -> Result<Option<Nearest>, Disagreement> {
    let inputs = inputs(asked, trace);
    let fired = fired(asked, trace);
    let mut ask = |told: &[Told]| -> Result<Option<Run>, Disagreement> {
        let asked = beginning_with(asked, told);
        let all = asked.all_constraints();
        let answered = search(&asked.system, &asked.lists, &asked.purpose, &all, None, options, progress)?;
        let is_found = answered.answer == Answer::Found;
        Ok(answered.cases.into_iter().next().map(|case| case.run).filter(|_| is_found))
    };
    let Some((same_inputs, run)) = greatest(inputs.len(), &mut |steps| ask(&inputs[..steps]))? else {
        return Ok(None);
    };
    let after = fired.get(same_inputs..).unwrap_or_default();
    let mut with_fired = |steps: usize| match steps {
        0 => Ok(Some(run.clone())),
        steps => ask(&[&inputs[..same_inputs], &after[..steps]].concat()),
    };
    let further = greatest(after.len(), &mut with_fired)?;
    Ok(further.map(|(same_fired, run)| Nearest { run, same_inputs, same_fired }))
}

/// The greatest number for which there is a run, if there is one for zero. What exists for a number exists for all below it.
fn greatest(
    most: usize,
    run_for: &mut dyn FnMut(usize) -> Result<Option<Run>, Disagreement>,
) -> Result<Option<(usize, Run)>, Disagreement> {
    let Some(run) = run_for(0)? else { return Ok(None) };
    let (mut found, mut none) = ((0, run), most + 1);
    while found.0 + 1 < none {
        let middle = found.0 + (none - found.0) / 2;
        match run_for(middle)? {
            Some(run) => found = (middle, run),
            None => none = middle,
        }
    }
    Ok(Some(found))
}

/// The steps of a trace with some keys only, as far as they have a meaning for the model.
fn steps_with(asked: &Asked, trace: &Json, keys: &[&str]) -> Trace {
    let only = |step: &Json| -> Json {
        let fields = step.as_object().into_iter().flatten();
        let mut fields: Map<String, Json> = fields
            .filter(|(key, _)| keys.contains(&key.as_str()))
            .map(|(key, part)| (key.clone(), part.clone()))
            .collect();
        // What the system says is for the system to choose.
        if step.get("dir").is_some_and(|dir| dir == "out") {
            fields.remove("data");
        }
        Json::Object(fields)
    };
    let steps = trace.get("steps").and_then(Json::as_array).into_iter().flatten().map(only);
    let stripped = json!({ "steps": steps.collect::<Vec<_>>() });
    Trace::beginning_from_json(&stripped, &asked.system).map(|(trace, _)| trace).unwrap_or_default()
}

/// What whoever runs the test gives in each step.
fn inputs(asked: &Asked, trace: &Json) -> Vec<Told> {
    let Asked { system, lists, .. } = asked;
    let list = |source: Source| lists.sources.iter().position(|known| *known == source);
    let mut out: Vec<Told> = vec![];
    for step in steps_with(asked, trace, &["inputs", "gate", "data"]).steps {
        let mut told: Told = vec![];
        match (system.style, &step.event) {
            (Style::Lockstep, _) => {
                let inputs = step.inputs.into_iter();
                told.extend(inputs.filter_map(|(place, value)| Some((list(Source::Data(0, place))?, value))));
            }
            (Style::Gates, Some(Event::Gate(gate, data))) => {
                told.extend(list(Source::Gate).map(|list| (list, lists.names.member(list, *gate))));
                if system.gates[*gate].direction == Direction::In {
                    let data = data
                        .iter()
                        .filter_map(|(place, value)| Some((list(Source::Data(*gate, *place))?, value.clone())));
                    told.extend(data);
                }
            }
            (Style::Gates, Some(Event::Tau)) => {
                told.extend(list(Source::Gate).map(|list| (list, lists.names.member(list, system.gates.len()))));
            }
            (Style::Gates, _) => {}
        }
        out.push(told);
    }
    if let Some(first) = out.first_mut() {
        first.extend(initial_values(asked, trace));
    }
    out
}

/// Initial values of variables that are open, as far as they are known.
fn initial_values(asked: &Asked, trace: &Json) -> Told {
    let Asked { system, lists, .. } = asked;
    let mut told = vec![];
    for slot in system.open_slots() {
        let name = &system.slots[slot].name;
        let Some(value) = trace.get("initial").and_then(|i| i.get("vars")).and_then(|vars| vars.get(name)) else {
            continue;
        };
        let vars = Map::from_iter([(name.clone(), value.clone())]);
        let alone = json!({ "initial": { "vars": vars }, "steps": [] });
        let list = lists.sources.iter().position(|known| *known == Source::Value(slot, Moment::Before));
        let value = Trace::from_json(&alone, system).ok().and_then(|trace| trace.initial.get(&slot).cloned());
        told.extend(list.zip(value));
    }
    told
}

/// The transitions that fire in each step.
fn fired(asked: &Asked, trace: &Json) -> Vec<Told> {
    let Asked { system, lists, .. } = asked;
    let steps = steps_with(asked, trace, &["fired"]).steps.into_iter();
    let told = steps.map(|step| {
        let element = |machine: usize| {
            let list = lists.sources.iter().position(|known| *known == Source::Fired(machine))?;
            let Some(name) = step.fired.get(&machine) else {
                // Who is not named took no part, where there are gates.
                return (system.style == Style::Gates).then_some((list, crate::term::Value::Absent));
            };
            let transitions = &system.machines[machine].transitions;
            let number = match name.as_str() {
                IDLE => transitions.len(),
                name => transitions.iter().position(|transition| transition.name == name)?,
            };
            Some((list, lists.names.member(list, number)))
        };
        (0..system.machines.len()).filter_map(element).collect()
    });
    told.collect()
}
