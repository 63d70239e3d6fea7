//! Traces: what is known of a run. Reading one checks names and values against the model.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use super::lists::IDLE;
use super::system::*;
use crate::model::near;
use crate::syntax::tree::Direction;
use crate::term::{Env, Failure, Fuel, Type, Value, contains, from_json};

/// What is known of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Values of variables before the first step, by slot.
    pub initial: BTreeMap<usize, Value>,
    /// Control states before the first step, by machine.
    pub initial_state: BTreeMap<usize, u32>,
    /// The steps.
    pub steps: Vec<TraceStep>,
}

/// What is known of a step. What is missing is unknown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceStep {
    /// Inputs by number.
    pub inputs: BTreeMap<usize, Value>,
    /// Outputs by number.
    pub outputs: BTreeMap<usize, Value>,
    /// The event at a gate.
    pub event: Option<Event>,
    /// Names of fired transitions, by machine.
    pub fired: BTreeMap<usize, String>,
    /// Whether these are all machines that took part, but for components of lock-step systems.
    pub fired_is_all: bool,
    /// Control states after the step, by machine.
    pub state: BTreeMap<usize, u32>,
    /// Values of variables and channels after the step, by slot.
    pub values: BTreeMap<usize, Value>,
}

/// An event at a gate.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A gate with what is known of its data, by parameter.
    Gate(usize, BTreeMap<usize, Value>),
    /// An internal step.
    Tau,
    /// Nothing happens and nothing can.
    Delta,
}

/// Something in a trace that has no meaning for a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The step, from one; zero for what is said of the time before the first.
    pub step: usize,
    /// What is wrong, with its place inside the JSON.
    pub reason: String,
}

impl Trace {
    /// Reads a trace, or an object that contains one. The error names the place inside the JSON.
    pub fn from_json(json: &Json, system: &StepSystem) -> Result<Trace, String> {
        match Trace::beginning_from_json(json, system)? {
            (trace, None) => Ok(trace),
            (_, Some(unreadable)) => Err(unreadable.reason),
        }
    }

    /// Reads as much of a trace as has a meaning for the model, and says where that ends: it may have been recorded with
    /// another model. The error says that there is no trace at all.
    pub fn beginning_from_json(json: &Json, system: &StepSystem) -> Result<(Trace, Option<Unreadable>), String> {
        let object = find(json).ok_or("there is no object with a list `steps` in this file")?;
        let mut trace = Trace::default();
        if let Err(reason) = trace.read_initial(object.get("initial"), system) {
            return Ok((Trace::default(), Some(Unreadable { step: 0, reason })));
        }
        let steps = object["steps"].as_array().ok_or("steps: expected a list")?;
        for (number, step) in steps.iter().enumerate() {
            match read_step(step, system, &format!("steps[{number}]")) {
                Ok(step) => trace.steps.push(step),
                Err(reason) => return Ok((trace, Some(Unreadable { step: number + 1, reason }))),
            }
        }
        Ok((trace, None))
    }

    fn read_initial(&mut self, json: Option<&Json>, system: &StepSystem) -> Result<(), String> {
        let fields = match json {
            None => return Ok(()),
            Some(Json::Object(fields)) => fields,
            Some(_) => return Err("initial: expected an object".to_owned()),
        };
        for (key, part) in fields {
            match key.as_str() {
                "vars" | "channels" => self.initial.extend(slots(part, key, system, "initial")?),
                "state" => self.initial_state = states(part, system, "initial.state")?,
                other => return Err(format!("initial: unknown key `{other}`")),
            }
        }
        Ok(())
    }
}

/// What is said of the time before the first step, as a trace without steps.
pub(super) fn initial(json: &Json, system: &StepSystem) -> Result<Trace, String> {
    let mut trace = Trace::default();
    trace.read_initial(Some(json), system)?;
    Ok(trace)
}

/// The first object that has a list called `steps`, or is a counterexample, looking inside objects and lists.
pub(super) fn find(json: &Json) -> Option<Map<String, Json>> {
    match json {
        Json::Object(object) if object.get("steps").is_some_and(Json::is_array) => Some(object.clone()),
        Json::Object(object) => counterexample(object).or_else(|| object.values().find_map(find)),
        Json::Array(items) => items.iter().find_map(find),
        _ => None,
    }
}

/// A trace and what was observed after it, as one run. Outputs of a tick belong to the step that its inputs began.
fn counterexample(object: &Map<String, Json>) -> Option<Map<String, Json>> {
    let (Some(Json::Array(trace)), Some(Json::Object(observed))) = (object.get("trace"), object.get("observed")) else {
        return None;
    };
    let mut steps = trace.clone();
    let last = steps.last_mut().and_then(Json::as_object_mut);
    match last {
        Some(last) if observed.contains_key("outputs") && last.contains_key("inputs") => {
            last.extend(observed.clone());
        }
        // Only the two halves of a tick are an input and an output of one gate.
        Some(last)
            if last.get("dir").is_some_and(|dir| dir == "in")
                && observed.get("dir").is_some_and(|dir| dir == "out")
                && last.get("gate") == observed.get("gate") =>
        {
            if let (Some(Json::Object(data)), Some(Json::Object(more))) = (last.get_mut("data"), observed.get("data")) {
                data.extend(more.clone());
            }
        }
        _ => steps.push(Json::Object(observed.clone())),
    }
    let mut run = Map::from_iter([("steps".to_owned(), Json::Array(steps))]);
    run.extend(object.get("initial").map(|initial| ("initial".to_owned(), initial.clone())));
    Some(run)
}

fn read_step(json: &Json, system: &StepSystem, at: &str) -> Result<TraceStep, String> {
    let Json::Object(fields) = json else { return Err(format!("{at}: expected an object")) };
    let mut step = TraceStep::default();
    for (key, part) in fields {
        let at = format!("{at}.{key}");
        match key.as_str() {
            "inputs" | "outputs" if system.style == Style::Lockstep => {
                let tick = &system.ticks[0];
                if key == "inputs" {
                    let known: Vec<(&str, &Type)> = tick.inputs.iter().map(|(n, t, _)| (n.as_str(), t)).collect();
                    step.inputs = messages(part, &known, system, &at)?;
                } else {
                    let known: Vec<(&str, &Type)> = tick.outputs.iter().map(|(n, t)| (n.as_str(), t)).collect();
                    step.outputs = messages(part, &known, system, &at)?;
                }
            }
            "gate" if system.style == Style::Gates => step.event = Some(read_event(fields, system, &at)?),
            "dir" | "data" if system.style == Style::Gates && fields.contains_key("gate") => {}
            "fired" => {
                for (machine, name) in by_machine(part, system, &at)? {
                    let known = system.machines[machine].transitions.iter().map(|t| t.name.as_str()).chain([IDLE]);
                    let name = name.as_str().ok_or(format!("{at}: expected a name"))?;
                    if !known.clone().any(|k| k == name) {
                        return Err(format!("{at}: there is no transition `{name}`{}", hint(near(name, known))));
                    }
                    step.fired.insert(machine, name.to_owned());
                }
            }
            "state" => step.state = states(part, system, &at)?,
            "vars" | "channels" => step.values.extend(slots(part, key, system, &at)?),
            other => return Err(format!("{at}: unknown key `{other}`")),
        }
    }
    Ok(step)
}

pub(super) fn hint(near: Option<String>) -> String {
    near.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

fn read_event(fields: &Map<String, Json>, system: &StepSystem, at: &str) -> Result<Event, String> {
    let name = fields["gate"].as_str().ok_or(format!("{at}: expected a name"))?;
    match name {
        "tau" => return without_data(fields, &["internal"], at).map(|()| Event::Tau),
        "delta" if fields.contains_key("fired") => return Err(format!("{at}: in `delta` nothing fires")),
        "delta" => return without_data(fields, &[], at).map(|()| Event::Delta),
        _ => {}
    }
    let known = system.gates.iter().map(|g| g.name.as_str());
    let gate = known.clone().position(|g| g == name);
    let gate = gate.ok_or_else(|| format!("{at}: there is no gate `{name}`{}", hint(near(name, known))))?;
    let direction = match system.gates[gate].direction {
        Direction::In => "in",
        Direction::Out => "out",
    };
    if fields.get("dir").is_some_and(|dir| *dir != direction) {
        return Err(format!("{at}: the direction of `{name}` is `{direction}`"));
    }
    let joints: Vec<&Joint> = system.joints.iter().filter(|j| j.gate == Some(gate)).collect();
    let mut data = BTreeMap::new();
    match fields.get("data") {
        None => {}
        Some(Json::Object(values)) => {
            for (key, json) in values {
                let names = system.gates[gate].params.iter().map(|(name, _)| name.as_str());
                let param = names.clone().position(|p| p == key);
                let param = param
                    .ok_or_else(|| format!("{at}: `{name}` has no parameter `{key}`{}", hint(near(key, names))))?;
                // Switches of one gate may differ in their ranges: one that takes the value is enough. A gate that no
                // switch uses is never taken, whatever its data.
                let mut values = joints.iter().map(|joint| match json {
                    Json::Null if matches!(joint.parts[..], [Part::Tick(_)]) => Ok(Value::Absent),
                    json => first_fitting(json, &joint.params[param].1, system, &format!("{at}: {key}")),
                });
                if let Some(first) = values.next() {
                    let value = values.fold(first, |found, next| found.or_else(|error| next.map_err(|_| error)))?;
                    data.insert(param, value);
                }
            }
        }
        Some(_) => return Err(format!("{at}: expected an object for `data`")),
    }
    Ok(Event::Gate(gate, data))
}

/// A value of one of the types; each side of a handshake has its own, and the interpreter asks for all of them.
pub(super) fn first_fitting<'t>(
    json: &Json,
    types: impl IntoIterator<Item = &'t Type>,
    system: &StepSystem,
    at: &str,
) -> Result<Value, String> {
    let mut values = types.into_iter().map(|ty| read_value(json, ty, system, at));
    let first = values.next().unwrap_or_else(|| Err(format!("{at}: it has no type")));
    values.fold(first, |found, next| found.or_else(|error| next.map_err(|_| error)))
}

/// `tau` and `delta` carry nothing.
fn without_data(fields: &Map<String, Json>, directions: &[&str], at: &str) -> Result<(), String> {
    if let Some(dir) = fields.get("dir")
        && !directions.iter().any(|known| dir == known)
    {
        return Err(format!("{at}: {dir} is not its direction"));
    }
    match fields.get("data") {
        None => Ok(()),
        Some(Json::Object(data)) if data.is_empty() => Ok(()),
        Some(_) => Err(format!("{at}: it carries no data")),
    }
}

fn read_value(json: &Json, ty: &Type, system: &StepSystem, at: &str) -> Result<Value, String> {
    let value = from_json(json, ty, &system.definitions).map_err(|reason| format!("{at}: {reason}"))?;
    let fuel = Fuel::new();
    let env = Env { definitions: &system.definitions, slots: &[], fuel: &fuel };
    match contains(ty, &value, env) {
        // A limit is no answer: the interpreter will meet it again and say so.
        Ok(true) | Err(Failure::Limit(_)) => Ok(value),
        _ => Err(format!("{at}: {json} is not a value of `{}`", ty.name(&system.definitions))),
    }
}

/// Values by name, `null` for absent.
fn messages(
    json: &Json,
    known: &[(&str, &Type)],
    system: &StepSystem,
    at: &str,
) -> Result<BTreeMap<usize, Value>, String> {
    let Json::Object(fields) = json else { return Err(format!("{at}: expected an object")) };
    let mut out = BTreeMap::new();
    for (key, json) in fields {
        let names = known.iter().map(|(name, _)| *name);
        let number = names.clone().position(|name| name == key);
        let number = number.ok_or_else(|| format!("{at}: there is no `{key}`{}", hint(near(key, names))))?;
        let value = match json {
            Json::Null => Value::Absent,
            json => read_value(json, known[number].1, system, &format!("{at}.{key}"))?,
        };
        out.insert(number, value);
    }
    Ok(out)
}

fn by_machine<'j>(json: &'j Json, system: &StepSystem, at: &str) -> Result<Vec<(usize, &'j Json)>, String> {
    let Json::Object(fields) = json else { return Err(format!("{at}: expected an object")) };
    let find = |(key, json): (&String, &'j Json)| {
        let names = system.machines.iter().map(|m| m.name.as_str());
        match names.clone().position(|name| name == key) {
            Some(machine) => Ok((machine, json)),
            None => Err(format!("{at}: there is no instance `{key}`{}", hint(near(key, names)))),
        }
    };
    fields.iter().map(find).collect()
}

fn states(json: &Json, system: &StepSystem, at: &str) -> Result<BTreeMap<usize, u32>, String> {
    let mut out = BTreeMap::new();
    for (machine, json) in by_machine(json, system, at)? {
        let name = json.as_str().ok_or(format!("{at}: expected a name"))?;
        let names = system.machines[machine].states.iter().map(String::as_str);
        let state = names.clone().position(|s| s == name);
        let state = state.ok_or_else(|| format!("{at}: there is no state `{name}`{}", hint(near(name, names))))?;
        out.insert(machine, state as u32);
    }
    Ok(out)
}

/// Variables or channels by the names of their lists.
fn slots(json: &Json, key: &str, system: &StepSystem, at: &str) -> Result<BTreeMap<usize, Value>, String> {
    let kind = if key == "vars" { SlotKind::Variable } else { SlotKind::Channel };
    let numbers: Vec<usize> = (0..system.slots.len()).filter(|i| system.slots[*i].kind == kind).collect();
    let known: Vec<(&str, &Type)> =
        numbers.iter().map(|i| (system.slots[*i].name.as_str(), &system.slots[*i].ty)).collect();
    let values = messages(json, &known, system, at)?;
    Ok(values.into_iter().map(|(i, value)| (numbers[i], value)).collect())
}
