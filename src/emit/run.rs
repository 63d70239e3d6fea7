//! Runs as JSON and as a table.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json, json};

use super::width::{cut, fit};
use crate::kernel::{IDLE, Run, Slot, SlotKind, State, Step, StepSystem, Style};
use crate::syntax::tree::Direction;
use crate::term::{Definitions, Shown, Value, to_json};

/// A run in the form of a trace.
pub fn run_json(run: &Run, system: &StepSystem) -> Json {
    let mut out = Map::new();
    out.insert("initial".into(), Json::Object(state_json(&run.initial, system)));
    // Moved into place: `json!` would copy every step.
    out.insert("steps".into(), Json::Array(run.steps.iter().map(|step| step_json(step, system)).collect()));
    Json::Object(out)
}

fn state_json(state: &State, system: &StepSystem) -> Map<String, Json> {
    let control = system.machines.iter().zip(&state.control);
    let control: Map<String, Json> =
        control.map(|(machine, s)| (machine.name.clone(), json!(machine.states[*s as usize]))).collect();
    let of_kind = |kind: SlotKind| -> Map<String, Json> {
        let slots = system.slots.iter().zip(&state.values).filter(|(slot, _)| slot.kind == kind);
        slots.map(|(slot, value)| (slot.name.clone(), to_json(value, &system.definitions))).collect()
    };
    let mut out = Map::new();
    out.insert("state".into(), Json::Object(control));
    out.insert("vars".into(), Json::Object(of_kind(SlotKind::Variable)));
    let channels = of_kind(SlotKind::Channel);
    if system.style == Style::Lockstep || !channels.is_empty() {
        out.insert("channels".into(), Json::Object(channels));
    }
    out
}

/// A step of a trace.
pub fn step_json(step: &Step, system: &StepSystem) -> Json {
    let mut out = event_json(step.joint, &step.data, system);
    let fired: Map<String, Json> = (step.fired.iter())
        .map(|(machine, transition)| {
            let machine = &system.machines[*machine];
            (machine.name.clone(), json!(transition.map_or(IDLE, |t| &machine.transitions[t].name)))
        })
        .collect();
    out.insert("fired".into(), Json::Object(fired));
    out.extend(state_json(&step.next, system));
    Json::Object(out)
}

/// What an observer sees of a step, in the form of a trace.
pub(super) fn event_json(joint: usize, data: &[Value], system: &StepSystem) -> Map<String, Json> {
    let named = |pairs: &mut dyn Iterator<Item = (&String, &Value)>| -> Json {
        Json::Object(pairs.map(|(name, v)| (name.clone(), to_json(v, &system.definitions))).collect())
    };
    let joint = &system.joints[joint];
    let names = joint.params.iter().map(|(name, _)| name);
    let mut out = Map::new();
    match (system.style, joint.gate) {
        (Style::Lockstep, _) => {
            let inputs = system.ticks[0].inputs.len();
            out.insert("inputs".into(), named(&mut names.clone().zip(data).take(inputs)));
            out.insert("outputs".into(), named(&mut names.zip(data).skip(inputs)));
        }
        (Style::Gates, Some(gate)) => {
            let gate = &system.gates[gate];
            out.insert("gate".into(), json!(gate.name));
            out.insert("dir".into(), json!(if gate.direction == Direction::In { "in" } else { "out" }));
            out.insert("data".into(), named(&mut gate.params.iter().map(|(name, _)| name).zip(data)));
        }
        (Style::Gates, None) => {
            out.insert("gate".into(), json!("tau"));
            out.insert("dir".into(), json!("internal"));
            out.insert("data".into(), json!({}));
        }
    }
    out
}

/// What an observer sees of a step: `?rq(1, 2)`, `tau`, or `interval=1 / lamp=true`.
pub fn label(step: &Step, system: &StepSystem) -> String {
    event_label(system, system.joints[step.joint].gate, &step.data, &system.joints[step.joint].params)
}

/// Who fired what: `b: start, t: idle`.
pub fn fired(step: &Step, system: &StepSystem) -> String {
    let parts = step.fired.iter().map(|(machine, transition)| {
        let machine = &system.machines[*machine];
        format!("{}: {}", machine.name, transition.map_or(IDLE, |t| &machine.transitions[t].name))
    });
    parts.collect::<Vec<_>>().join(", ")
}

pub(super) fn event_label<T>(
    system: &StepSystem,
    gate: Option<usize>,
    data: &[Value],
    params: &[(String, T)],
) -> String {
    let show = |value: &Value| Shown { value, definitions: &system.definitions }.to_string();
    match (system.style, gate) {
        (Style::Gates, None) => "tau".to_owned(),
        (Style::Gates, Some(gate)) => {
            let gate = &system.gates[gate];
            let mark = if gate.direction == Direction::In { '?' } else { '!' };
            format!("{mark}{}({})", gate.name, data.iter().map(show).collect::<Vec<_>>().join(", "))
        }
        (Style::Lockstep, _) => {
            let inputs = system.ticks[0].inputs.len();
            let part = |from: usize, to: usize| {
                let present = (from..to).filter(|i| data[*i] != Value::Absent);
                let shown: Vec<String> = present.map(|i| format!("{}={}", params[i].0, show(&data[i]))).collect();
                if shown.is_empty() { "-".to_owned() } else { shown.join(" ") }
            };
            format!("{} / {}", part(0, inputs), part(inputs, data.len()))
        }
    }
}

/// A run as a table: one line per step.
pub fn run_table(run: &Run, system: &StepSystem) -> String {
    let mut rows = vec![["step", "event", "fired", "state", "variables"].map(str::to_owned)];
    let state = |s: &State| {
        let names = system.machines.iter().zip(&s.control).map(|(m, c)| m.states[*c as usize].clone());
        names.collect::<Vec<_>>().join(" ")
    };
    let collected = system.collected_slots();
    let vars = |s: &State| variables(s, system, &collected);
    rows.push(["0".into(), "(initial)".into(), String::new(), state(&run.initial), vars(&run.initial)]);
    for (number, step) in run.steps.iter().enumerate() {
        let fired = step.fired.iter().map(|(machine, transition)| {
            let machine = &system.machines[*machine];
            transition.map_or("-", |t| &machine.transitions[t].name).to_owned()
        });
        rows.push([
            (number + 1).to_string(),
            label(step, system),
            fired.collect::<Vec<_>>().join(" "),
            state(&step.next),
            vars(&step.next),
        ]);
    }
    table(&rows)
}

/// What variables hold: `t=0 q=3`. Those that collect events are left out where they hold none.
pub(super) fn variables(state: &State, system: &StepSystem, collected: &BTreeSet<usize>) -> String {
    let slots = system.slots.iter().zip(&state.values).enumerate();
    // What was not collected is most of the time most of what could be.
    let is_shown = |(number, (slot, value)): &(usize, (&Slot, &Value))| {
        slot.kind == SlotKind::Variable && !(collected.contains(number) && is_nothing(value))
    };
    let shown = slots
        .filter(is_shown)
        .map(|(_, (slot, value))| format!("{}={}", slot.name, Shown { value, definitions: &system.definitions }));
    shown.collect::<Vec<_>>().join(" ")
}

/// Whether a slot that keeps an event holds none.
fn is_nothing(value: &Value) -> bool {
    matches!(value, Value::Bool(false) | Value::Data(Definitions::OPTION, 0, _))
}

pub(super) fn table<const N: usize>(rows: &[[String; N]]) -> String {
    columns(rows)
}

/// A text with spaces behind it up to a width. Widths of `format!` end at 65,535.
pub(super) fn padded(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    format!("{text}{}", " ".repeat(missing))
}

/// Rows of the same length, with their columns below each other.
pub(super) fn columns<R: AsRef<[String]>>(rows: &[R]) -> String {
    let width = |column: usize| rows.iter().map(|row| row.as_ref()[column].chars().count()).max().unwrap_or(0);
    let mut widths: Vec<usize> = (0..rows.first().map_or(0, |row| row.as_ref().len())).map(width).collect();
    fit(&mut widths);
    let line = |row: &R| {
        let row = row.as_ref();
        let cells = row.iter().zip(&widths).map(|(cell, width)| padded(&cut(cell, *width), *width));
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}
