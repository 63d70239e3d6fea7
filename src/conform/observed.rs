//! What an observer notes: labels with their data, and silence; and the same as a trace of one of the models.

use std::collections::BTreeMap;

use super::alphabet::{Alphabet, Port};
use crate::kernel::{Event, Step, StepSystem, Style, Trace, TraceStep};
use crate::syntax::tree::Direction;
use crate::term::{Definitions, Shown, Value};

/// Something that happened, with its data.
#[derive(Clone, Debug, PartialEq)]
pub enum Happened {
    /// Nothing, for a while.
    Delta,
    /// A label, by number, and what it carried.
    Label(usize, Vec<Value>),
}

/// What happened, as an observer writes it: `?rq(1, 2)`, `delta`.
pub fn shown(happened: &Happened, alphabet: &Alphabet, definitions: &Definitions) -> String {
    match happened {
        Happened::Delta => "delta".to_owned(),
        Happened::Label(label, data) => {
            let data: Vec<String> = data.iter().map(|value| Shown { value, definitions }.to_string()).collect();
            format!("{}({})", alphabet.labels[*label], data.join(", "))
        }
    }
}

/// What an observer of a model's own alphabet notes of a trace. An error if the trace leaves something open.
pub fn observed_in(trace: &Trace, system: &StepSystem, alphabet: &Alphabet) -> Result<Vec<Happened>, String> {
    let mut out = vec![];
    for (number, step) in trace.steps.iter().enumerate() {
        let missing = |name: &str| format!("steps[{number}]: the value of `{name}` is not known");
        let (gate, data) = match (&step.event, system.style) {
            (Some(Event::Tau), _) => continue,
            (Some(Event::Delta), _) => {
                out.push(Happened::Delta);
                continue;
            }
            (Some(Event::Gate(gate, data)), _) => (*gate, data.clone()),
            (None, Style::Lockstep) => {
                let first = system.ticks[0].inputs.len();
                let outputs = step.outputs.iter().map(|(place, value)| (first + place, value.clone()));
                (0, step.inputs.iter().map(|(place, value)| (*place, value.clone())).chain(outputs).collect())
            }
            (None, Style::Gates) => return Err(format!("steps[{number}]: the gate is not known")),
        };
        for (label, port) in alphabet.specification.iter().enumerate() {
            let Some(port) = port.as_ref().filter(|port| port.gate == gate) else { continue };
            let value = |place: &usize| {
                let name = &system.gates[gate].params[*place].0;
                data.get(place).cloned().ok_or_else(|| missing(name))
            };
            out.push(Happened::Label(label, port.places.iter().map(value).collect::<Result<_, _>>()?));
        }
    }
    Ok(out)
}

/// What an observer of a model's own alphabet notes of a step: nothing if it is internal, both halves of a tick.
pub(super) fn observed_at(step: &Step, system: &StepSystem, alphabet: &Alphabet) -> Vec<Happened> {
    let gate = match system.style {
        Style::Lockstep => Some(0),
        Style::Gates => system.joints[step.joint].gate,
    };
    let ports = alphabet.specification.iter().enumerate();
    let own =
        ports.filter_map(|(label, port)| port.as_ref().filter(|port| Some(port.gate) == gate).map(|p| (label, p)));
    own.map(|(label, port)| Happened::Label(label, port.places.iter().map(|place| step.data[*place].clone()).collect()))
        .collect()
}

/// A trace of what happened, as one of the models calls it. Both parts of a tick are one step.
pub(super) fn trace_for(
    system: &StepSystem,
    ports: &[Option<Port>],
    alphabet: &Alphabet,
    happened: &[Happened],
) -> Option<Trace> {
    let mut steps: Vec<TraceStep> = vec![];
    for event in happened {
        let Happened::Label(label, data) = event else {
            steps.push(TraceStep { event: Some(Event::Delta), ..TraceStep::default() });
            continue;
        };
        let described = &alphabet.labels[*label];
        let Some(port) = ports[*label].as_ref() else {
            // An input that the model has no gate for is not noticed.
            if described.direction == Direction::In {
                continue;
            }
            return None;
        };
        let known: BTreeMap<usize, Value> = port.places.iter().copied().zip(data.iter().cloned()).collect();
        let is_end = described.is_tick && described.direction == Direction::Out;
        match (system.style, is_end) {
            (Style::Lockstep, false) => steps.push(TraceStep { inputs: known, ..TraceStep::default() }),
            (Style::Lockstep, true) => {
                let first = system.ticks[0].inputs.len();
                steps.last_mut()?.outputs = known.into_iter().map(|(place, value)| (place - first, value)).collect();
            }
            (Style::Gates, true) => match &mut steps.last_mut()?.event {
                Some(Event::Gate(_, data)) => data.extend(known),
                _ => return None,
            },
            (Style::Gates, false) => {
                steps.push(TraceStep { event: Some(Event::Gate(port.gate, known)), ..TraceStep::default() });
            }
        }
    }
    // A lock-step system that waits for a tick is silent: there is nothing to see, and no step.
    if system.style == Style::Lockstep {
        steps.retain(|step| step.event != Some(Event::Delta));
    }
    Some(Trace { steps, ..Trace::default() })
}
