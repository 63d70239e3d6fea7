//! Logs: runs as they were recorded, one event after the other.
//!
//! A line of JSON, or a row of a table, is one event in the form of a step of a trace. Names and values are checked against the
//! model, by the same rules as those of traces, and every error has its place in the line. A message that is not mentioned is
//! absent. Events are read into one place that is used again, so that reading takes no more memory than one of them.

mod csv;
mod lines;
mod scan;

use std::borrow::Cow;
use std::io::{BufRead, Read};

use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use serde_json::Value as Json;

use self::csv::Table;
use self::scan::{Scan, Wrong, deep};
use super::lists::IDLE;
use super::system::*;
use super::trace::{self, Event, Trace, TraceStep};
use crate::model::near;
use crate::syntax::tree::Direction;
use crate::term::{Bound, Definitions, Env, Failure, Fuel, Type, Value, contains};

pub use self::csv::{BadMapping, Mapping};

/// Longest line of a log.
const MAX_LINE_BYTES: u64 = 256 * 1024 * 1024;

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A step of a lock-step system.
    Tick,
    /// An event at a gate.
    Gate(usize),
    /// An internal step.
    Tau,
    /// Nothing happens and nothing can.
    Delta,
}

/// A recorded event.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LogEvent {
    /// What it is.
    pub kind: Kind,
    /// Its data by parameter, as far as it is recorded; inputs and then outputs for a tick.
    pub data: Vec<Option<Value>>,
    /// Machines with the numbers of the transitions they fired, beyond the last for idling.
    pub fired: Vec<(usize, usize)>,
    /// Whether it was recorded what fired. At gates, who is not mentioned then took no part.
    pub has_fired: bool,
    /// Machines with their states afterwards.
    pub state: Vec<(usize, u32)>,
    /// Values of variables and channels afterwards, by slot.
    pub values: Vec<(usize, Value)>,
    /// Whether channels were recorded; those that are not mentioned are then absent.
    pub has_channels: bool,
}

impl Default for LogEvent {
    fn default() -> LogEvent {
        LogEvent {
            kind: Kind::Tau,
            data: vec![],
            fired: vec![],
            has_fired: false,
            state: vec![],
            values: vec![],
            has_channels: false,
        }
    }
}

/// What a line of a log says.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// Something about the time before the first event.
    Initial(Box<Trace>),
    /// An event.
    Event,
    /// The run has ended.
    Stop,
}

/// Why a log cannot be read on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadLog {
    /// A line has no meaning.
    Line {
        /// Its number, from one.
        line: usize,
        /// The line itself.
        text: String,
        /// Where in it, in bytes.
        at: usize,
        /// What is wrong.
        reason: String,
    },
    /// It cannot be read.
    Io(String),
}

/// What names in a log mean.
#[derive(Clone, Debug)]
pub struct LogNames<'a> {
    system: &'a StepSystem,
    gates: FxHashMap<&'a str, usize>,
    /// By gate: its parameters, each with the types of which a value must have one, and whether it may be absent.
    params: Vec<Vec<Param<'a>>>,
    /// Parameters of gates by name; for a lock-step system those of its one gate.
    numbers: Vec<FxHashMap<&'a str, usize>>,
    inputs: usize,
    machines: FxHashMap<&'a str, usize>,
    states: Vec<FxHashMap<&'a str, u32>>,
    transitions: Vec<FxHashMap<&'a str, usize>>,
    slots: FxHashMap<&'a str, usize>,
    /// By type of an enumeration: its members.
    members: FxHashMap<usize, FxHashMap<&'a str, Value>>,
}

/// A parameter of a gate, or a message of a lock-step system.
#[derive(Clone, Debug)]
struct Param<'a> {
    name: String,
    types: Vec<&'a Type>,
    is_message: bool,
}

/// A log that is read.
pub struct LogReader<'a, R> {
    names: &'a LogNames<'a>,
    input: Input<R>,
    /// The line that is read, or was read last.
    line: usize,
    text: Vec<u8>,
    /// Steps of a trace, if that is what the log is, last first.
    steps: Option<Vec<Json>>,
    stopped: Option<usize>,
    /// Whether it was said how the run begins.
    begun: bool,
    events: usize,
}

/// How events are written.
enum Input<R> {
    Json(R),
    Table(Box<Table<R>>),
}

impl LogEvent {
    fn clear(&mut self) {
        self.kind = Kind::Tau;
        self.data.clear();
        self.fired.clear();
        self.has_fired = false;
        self.state.clear();
        self.values.clear();
        self.has_channels = false;
    }

    /// The event as a step of a trace.
    pub fn step(&self, system: &StepSystem) -> TraceStep {
        let mut step = TraceStep::default();
        let data = || self.data.iter().enumerate().filter_map(|(i, value)| Some((i, value.clone()?)));
        match self.kind {
            Kind::Tick => {
                let inputs = inputs_of(system);
                step.inputs = data().filter(|(i, _)| *i < inputs).collect();
                step.outputs = data().filter(|(i, _)| *i >= inputs).map(|(i, value)| (i - inputs, value)).collect();
            }
            Kind::Gate(gate) => step.event = Some(Event::Gate(gate, data().collect())),
            Kind::Tau => step.event = Some(Event::Tau),
            Kind::Delta => step.event = Some(Event::Delta),
        }
        for (machine, transition) in &self.fired {
            let name = system.machines[*machine].transitions.get(*transition).map_or(IDLE, |t| t.name.as_str());
            step.fired.insert(*machine, name.to_owned());
        }
        step.fired_is_all = self.has_fired && system.style == Style::Gates;
        step.state = self.state.iter().copied().collect();
        step.values = self.values.iter().cloned().collect();
        step
    }
}

fn inputs_of(system: &StepSystem) -> usize {
    system.ticks.first().map_or(0, |tick| tick.inputs.len())
}

impl<'a> LogNames<'a> {
    /// The names of a model.
    pub fn new(system: &'a StepSystem) -> LogNames<'a> {
        fn numbered<'n>(names: impl Iterator<Item = &'n str>) -> FxHashMap<&'n str, usize> {
            let mut out = FxHashMap::default();
            for (number, name) in names.enumerate() {
                out.entry(name).or_insert(number);
            }
            out
        }
        let mut members: FxHashMap<usize, FxHashMap<&str, Value>> = FxHashMap::default();
        for (id, ty) in system.definitions.types.iter().enumerate().filter(|(_, ty)| ty.is_enum() && !ty.is_record) {
            let names = ty.constructors.iter().enumerate();
            let values = names.map(|(number, c)| (c.name.as_str(), Value::Data(id, number as u32, [].into())));
            members.insert(id, values.collect());
        }
        let mut params = vec![];
        for (gate, declared) in system.gates.iter().enumerate() {
            let joints: Vec<&Joint> = system.joints.iter().filter(|joint| joint.gate == Some(gate)).collect();
            let is_tick = joints.iter().any(|joint| matches!(joint.parts[..], [Part::Tick(_)]));
            let of_gate = declared.params.iter().enumerate().map(|(number, (name, ty))| {
                // Switches of one gate may differ in their ranges, and so may the sides of a handshake: one that takes
                // the value is enough. A gate that no switch uses has the type it was declared with.
                let mut types: Vec<&Type> = vec![];
                for ty in joints.iter().flat_map(|joint| &joint.params[number].1) {
                    if !types.contains(&ty) {
                        types.push(ty);
                    }
                }
                if types.is_empty() {
                    types.push(ty);
                }
                let name = match system.style {
                    Style::Lockstep => name.clone(),
                    Style::Gates => format!("{}.{name}", declared.name),
                };
                Param { name, types, is_message: is_tick }
            });
            params.push(of_gate.collect::<Vec<_>>());
        }
        let params_of = |gate: &'a Gate| numbered(gate.params.iter().map(|(name, _)| name.as_str()));
        LogNames {
            system,
            gates: numbered(system.gates.iter().map(|gate| gate.name.as_str())),
            params,
            numbers: system.gates.iter().map(params_of).collect(),
            inputs: inputs_of(system),
            machines: numbered(system.machines.iter().map(|machine| machine.name.as_str())),
            states: (system.machines.iter())
                .map(|m| {
                    numbered(m.states.iter().map(String::as_str)).into_iter().map(|(n, s)| (n, s as u32)).collect()
                })
                .collect(),
            transitions: (system.machines.iter())
                .map(|m| numbered(m.transitions.iter().map(|t| t.name.as_str()).chain([IDLE])))
                .collect(),
            slots: numbered(system.slots.iter().map(|slot| slot.name.as_str())),
            members,
        }
    }

    fn is_gates(&self) -> bool {
        self.system.style == Style::Gates
    }

    /// Reads a line into `event`.
    fn line(&self, text: &str, event: &mut LogEvent) -> Result<Entry, Wrong> {
        event.clear();
        let mut scan = Scan::new(text);
        let mut seen: u32 = 0;
        let mut gate: Option<(usize, Cow<'_, str>)> = None;
        let mut data: Option<Scan<'_>> = None;
        let mut direction: Option<(usize, Cow<'_, str>)> = None;
        let (mut initial, mut stop) = (None, false);
        let (mut says_event, mut last) = (false, 0);
        scan.object("an event", |scan, key, at| {
            last = at;
            let number = KEYS.iter().position(|known| *known == key).filter(|n| self.is_key(KEYS[*n]));
            let Some(number) = number else {
                let known = KEYS.iter().copied().filter(|key| self.is_key(key));
                return Err(Wrong { at, reason: format!("unknown key `{key}`{}", trace::hint(near(key, known))) });
            };
            if seen & (1 << number) != 0 {
                return Err(twice(at, key));
            }
            seen |= 1 << number;
            says_event |= !matches!(key, "at" | "note" | "initial" | "stop");
            match key {
                "gate" => gate = Some((scan.place(), scan.name("the name of a gate")?)),
                "dir" => direction = Some((scan.place(), scan.name("a direction")?)),
                "data" => {
                    // What parameters there are depends on the gate, which may come later.
                    match gate.as_ref().and_then(|(_, name)| self.gates.get(&**name)) {
                        Some(number) => self.data(scan, *number, event)?,
                        None => {
                            data = Some(scan.clone());
                            scan.skip()?;
                        }
                    }
                }
                "inputs" => self.messages(scan, 0..self.inputs, event)?,
                "outputs" => self.messages(scan, self.inputs..usize::MAX, event)?,
                "fired" => {
                    event.has_fired = true;
                    self.by_machine(scan, "`fired`", |machine, name, at| {
                        let number = self.transitions[machine].get(name).copied();
                        let known = self.transitions[machine].keys().copied();
                        let number = number.ok_or_else(|| unknown(at, "transition", name, known))?;
                        Ok(once(&mut event.fired, machine, number))
                    })?;
                }
                "state" => self.by_machine(scan, "`state`", |machine, name, at| {
                    let number = self.states[machine].get(name).copied();
                    let known = self.states[machine].keys().copied();
                    let number = number.ok_or_else(|| unknown(at, "state", name, known))?;
                    Ok(once(&mut event.state, machine, number))
                })?,
                "vars" => self.slots(scan, SlotKind::Variable, event)?,
                "channels" => {
                    event.has_channels = true;
                    self.slots(scan, SlotKind::Channel, event)?;
                }
                "initial" => {
                    let raw = scan.raw()?;
                    let json = raw.json()?;
                    let read = deep(raw.nesting, || trace::initial(&json, self.system));
                    initial = Some(read.map_err(|reason| Wrong { at: raw.at, reason })?);
                }
                "stop" => {
                    if !scan.word("true") {
                        return Err(scan.wrong("`stop` is `true`, or is not there"));
                    }
                    stop = true;
                }
                _ => scan.skip()?,
            }
            Ok(())
        })?;
        scan.end()?;
        match (initial, stop, says_event) {
            (None, false, _) => {}
            (Some(initial), false, false) => return Ok(Entry::Initial(Box::new(initial))),
            (None, true, false) => return Ok(Entry::Stop),
            (_, true, _) => return Err(Wrong { at: last, reason: "`stop` stands on a line of its own".to_owned() }),
            _ => return Err(Wrong { at: last, reason: "`initial` stands on a line of its own".to_owned() }),
        }
        if !self.is_gates() {
            event.kind = Kind::Tick;
            self.complete(0, event);
            return Ok(Entry::Event);
        }
        let Some((at, name)) = gate else {
            return Err(Wrong { at: 0, reason: "an event has a `gate`".to_owned() });
        };
        let carries = |what: &str| -> Result<(), Wrong> {
            let Some(data) = &data else { return Ok(()) };
            data.clone().object("`data`", |_, _, at| Err(Wrong { at, reason: format!("`{what}` carries no data") }))
        };
        let expected = match &*name {
            "tau" => {
                carries("tau")?;
                event.kind = Kind::Tau;
                "internal"
            }
            "delta" => {
                carries("delta")?;
                if event.has_fired {
                    return Err(Wrong { at, reason: "in `delta` nothing fires".to_owned() });
                }
                event.kind = Kind::Delta;
                ""
            }
            _ => {
                let number = self.gates.get(&*name).copied();
                let number = number.ok_or_else(|| unknown(at, "gate", &name, self.gates.keys().copied()))?;
                event.kind = Kind::Gate(number);
                if let Some(mut data) = data {
                    self.data(&mut data, number, event)?;
                }
                self.complete(number, event);
                match self.system.gates[number].direction {
                    Direction::In => "in",
                    Direction::Out => "out",
                }
            }
        };
        match direction {
            Some((at, found)) if found != expected => {
                let reason = match expected {
                    "" => format!("`{name}` has no direction"),
                    _ => format!("the direction of `{name}` is `{expected}`"),
                };
                Err(Wrong { at, reason })
            }
            _ => Ok(Entry::Event),
        }
    }

    /// Whether a key has a meaning for events of this model.
    fn is_key(&self, key: &str) -> bool {
        match key {
            "gate" | "dir" | "data" => self.is_gates(),
            "inputs" | "outputs" => !self.is_gates(),
            _ => true,
        }
    }

    /// Messages that are not mentioned are absent.
    fn complete(&self, gate: usize, event: &mut LogEvent) {
        let Some(params) = self.params.get(gate) else { return };
        event.data.resize(params.len(), None);
        for (value, param) in event.data.iter_mut().zip(params) {
            if value.is_none() && param.is_message {
                *value = Some(Value::Absent);
            }
        }
    }

    fn data(&self, scan: &mut Scan<'_>, gate: usize, event: &mut LogEvent) -> Result<(), Wrong> {
        let params = &self.params[gate];
        event.data.resize(params.len(), None);
        scan.object("`data`", |scan, key, at| {
            let number = self.numbers[gate].get(key).copied();
            let number = number.ok_or_else(|| {
                let known = self.system.gates[gate].params.iter().map(|(name, _)| name.as_str());
                let gate = &self.system.gates[gate].name;
                Wrong { at, reason: format!("`{gate}` has no parameter `{key}`{}", trace::hint(near(key, known))) }
            })?;
            if event.data[number].is_some() {
                return Err(twice(at, key));
            }
            event.data[number] = Some(self.value(scan, &params[number])?);
            Ok(())
        })
    }

    fn messages(
        &self,
        scan: &mut Scan<'_>,
        numbers: std::ops::Range<usize>,
        event: &mut LogEvent,
    ) -> Result<(), Wrong> {
        let Some(params) = self.params.first() else { return scan.skip() };
        event.data.resize(params.len(), None);
        let (what, all) = if numbers.start == 0 { ("input", "`inputs`") } else { ("output", "`outputs`") };
        scan.object(all, |scan, key, at| {
            let number = self.numbers[0].get(key).copied().filter(|number| numbers.contains(number));
            let known = params.iter().enumerate().filter(|(n, _)| numbers.contains(n)).map(|(_, p)| p.name.as_str());
            let number = number.ok_or_else(|| unknown(at, what, key, known))?;
            if event.data[number].is_some() {
                return Err(twice(at, key));
            }
            event.data[number] = Some(self.value(scan, &params[number])?);
            Ok(())
        })
    }

    fn by_machine(
        &self,
        scan: &mut Scan<'_>,
        what: &str,
        mut f: impl FnMut(usize, &str, usize) -> Result<bool, Wrong>,
    ) -> Result<(), Wrong> {
        scan.object(what, |scan, key, at| {
            let machine = self.machines.get(key).copied();
            let machine = machine.ok_or_else(|| unknown(at, "instance", key, self.machines.keys().copied()))?;
            let place = scan.place();
            match f(machine, &scan.name("a name")?, place)? {
                true => Ok(()),
                false => Err(twice(at, key)),
            }
        })
    }

    fn slots(&self, scan: &mut Scan<'_>, kind: SlotKind, event: &mut LogEvent) -> Result<(), Wrong> {
        let what = if kind == SlotKind::Variable { "variable" } else { "channel" };
        let of_kind = |slot: &&Slot| slot.kind == kind;
        scan.object(if kind == SlotKind::Variable { "`vars`" } else { "`channels`" }, |scan, key, at| {
            let slot = self.slots.get(key).copied().filter(|slot| self.system.slots[*slot].kind == kind);
            let known = self.system.slots.iter().filter(of_kind).map(|slot| slot.name.as_str());
            let slot = slot.ok_or_else(|| unknown(at, what, key, known))?;
            let declared = &self.system.slots[slot];
            let value = self.typed(scan, &declared.name, &[&declared.ty], kind == SlotKind::Channel)?;
            match once(&mut event.values, slot, value) {
                true => Ok(()),
                false => Err(twice(at, key)),
            }
        })
    }

    fn value(&self, scan: &mut Scan<'_>, param: &Param<'_>) -> Result<Value, Wrong> {
        self.typed(scan, &param.name, &param.types, param.is_message)
    }

    /// A value of one of some types; `null` where it may be absent.
    fn typed(&self, scan: &mut Scan<'_>, name: &str, types: &[&Type], may_be_absent: bool) -> Result<Value, Wrong> {
        if may_be_absent && scan.word("null") {
            return Ok(Value::Absent);
        }
        let start = scan.clone();
        for ty in types {
            match self.plain(scan, ty) {
                Some(value) if self.contains(ty, &value) => return Ok(value),
                _ => *scan = start.clone(),
            }
        }
        let raw = scan.raw()?;
        let json = raw.json()?;
        let read = deep(raw.nesting, || {
            let read = trace::first_fitting(&json, types.iter().copied(), self.system, &format!("`{name}`"));
            drop(json);
            read
        });
        read.map_err(|reason| Wrong { at: raw.at, reason })
    }

    /// A value that needs no JSON library.
    fn plain(&self, scan: &mut Scan<'_>, ty: &Type) -> Option<Value> {
        match ty {
            Type::Refined(_, base) => self.plain(scan, base),
            Type::Int { .. } => scan.small_number().map(Value::int),
            Type::Bool if scan.word("true") => Some(Value::Bool(true)),
            Type::Bool if scan.word("false") => Some(Value::Bool(false)),
            Type::Text => scan.plain_text().map(Value::text),
            Type::Data(id) => {
                let members = self.members.get(id)?;
                members.get(scan.plain_text()?).cloned()
            }
            _ => None,
        }
    }

    fn contains(&self, ty: &Type, value: &Value) -> bool {
        match (ty, value) {
            (Type::Int { low, high }, Value::Int(n)) => {
                let known = |bound: &Option<Bound>, fits: &dyn Fn(&BigInt) -> bool| match bound {
                    None => Some(true),
                    Some(Bound::Known(bound)) => Some(fits(bound)),
                    Some(Bound::Open(..)) => None,
                };
                match (known(low, &|low| low <= n), known(high, &|high| n <= high)) {
                    (Some(low), Some(high)) => low && high,
                    _ => contains_slowly(ty, value, &self.system.definitions),
                }
            }
            (Type::Bool | Type::Text | Type::Data(_), _) => true,
            _ => contains_slowly(ty, value, &self.system.definitions),
        }
    }
}

/// What may stand in a line.
const KEYS: [&str; 13] =
    ["gate", "dir", "data", "inputs", "outputs", "state", "vars", "fired", "channels", "at", "note", "initial", "stop"];

fn contains_slowly(ty: &Type, value: &Value, definitions: &Definitions) -> bool {
    let fuel = Fuel::new();
    // A limit is no answer: whoever looks at the value meets it again, and says so.
    matches!(contains(ty, value, Env { definitions, slots: &[], fuel: &fuel }), Ok(true) | Err(Failure::Limit(_)))
}

/// Keeps what is said of something, unless something was said before; says whether it is.
fn once<T>(said: &mut Vec<(usize, T)>, of: usize, what: T) -> bool {
    let is_new = said.iter().all(|(known, _)| *known != of);
    if is_new {
        said.push((of, what));
    }
    is_new
}

fn twice(at: usize, key: &str) -> Wrong {
    Wrong { at, reason: format!("`{key}` stands here twice") }
}

fn unknown<'k>(at: usize, what: &str, name: &str, known: impl IntoIterator<Item = &'k str>) -> Wrong {
    let mut known: Vec<&str> = known.into_iter().collect();
    known.sort_unstable();
    Wrong { at, reason: format!("there is no {what} `{name}`{}", trace::hint(near(name, known))) }
}

impl<'a, R: BufRead> LogReader<'a, R> {
    /// A log with a JSON object on each line, or a trace.
    pub fn json(names: &'a LogNames<'a>, input: R) -> LogReader<'a, R> {
        LogReader::new(names, Input::Json(input))
    }

    /// A log with a row on each line, read as a mapping says.
    pub fn table(names: &'a LogNames<'a>, input: R, mapping: Mapping) -> LogReader<'a, R> {
        LogReader::new(names, Input::Table(Box::new(Table::new(input, mapping))))
    }

    fn new(names: &'a LogNames<'a>, input: Input<R>) -> LogReader<'a, R> {
        LogReader { names, input, line: 0, text: vec![], steps: None, stopped: None, begun: false, events: 0 }
    }

    /// The line that was read last.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Reads on, into `event` if that is what comes next; none at the end of the log.
    pub fn next(&mut self, event: &mut LogEvent) -> Result<Option<Entry>, BadLog> {
        if let Input::Table(table) = &mut self.input {
            let line = table.next(self.names, event)?;
            self.line = line.unwrap_or(self.line);
            return Ok(line.map(|_| Entry::Event));
        }
        loop {
            if let Some(steps) = &mut self.steps {
                let Some(step) = steps.pop() else { return Ok(self.stop_once().then_some(Entry::Stop)) };
                self.events += 1;
                let text = deep(usize::MAX, || {
                    let text = step.to_string();
                    drop(step);
                    text
                });
                let read = self.names.line(&text, event);
                return match read {
                    Ok(Entry::Event) => Ok(Some(Entry::Event)),
                    Ok(_) => {
                        Err(self.wrong(Wrong { at: 0, reason: format!("steps[{}]: expected a step", self.events - 1) }))
                    }
                    Err(Wrong { reason, .. }) => {
                        Err(self.wrong(Wrong { at: 0, reason: format!("steps[{}]: {reason}", self.events - 1) }))
                    }
                };
            }
            let first = self.events == 0 && self.stopped.is_none();
            if !self.read_line()? {
                return Ok(None);
            }
            let blank = self.text.iter().all(u8::is_ascii_whitespace);
            if blank {
                continue;
            }
            if let Some(line) = self.stopped {
                let reason = format!("the run has ended on line {line}; nothing follows that");
                return Err(self.wrong(Wrong { at: 0, reason }));
            }
            let text = match std::str::from_utf8(&self.text) {
                Ok(text) => text,
                Err(error) => {
                    let wrong = Wrong { at: error.valid_up_to(), reason: "this is not UTF-8 text".to_owned() };
                    return Err(self.wrong(wrong));
                }
            };
            match self.names.line(text, event) {
                Ok(Entry::Event) => {
                    self.events += 1;
                    return Ok(Some(Entry::Event));
                }
                Ok(Entry::Stop) => {
                    self.stopped = Some(self.line);
                    return Ok(Some(Entry::Stop));
                }
                Ok(Entry::Initial(_)) if !first => {
                    let reason = "`initial` stands before the first event".to_owned();
                    return Err(self.wrong(Wrong { at: 0, reason }));
                }
                Ok(Entry::Initial(_)) if self.begun => return Err(self.wrong(twice(0, "initial"))),
                Ok(initial) => {
                    self.begun = true;
                    return Ok(Some(initial));
                }
                Err(wrong) => match if first { self.trace()? } else { None } {
                    Some(initial) => return Ok(Some(initial)),
                    None => return Err(self.wrong(wrong)),
                },
            }
        }
    }

    fn stop_once(&mut self) -> bool {
        self.stopped.replace(self.line).is_none()
    }

    /// The next line, without its end.
    fn read_line(&mut self) -> Result<bool, BadLog> {
        self.text.clear();
        let Input::Json(input) = &mut self.input else { return Ok(false) };
        match input.take(MAX_LINE_BYTES).read_until(b'\n', &mut self.text) {
            Err(error) => Err(BadLog::Io(error.to_string())),
            Ok(0) => Ok(false),
            Ok(read) => {
                self.line += 1;
                if read as u64 == MAX_LINE_BYTES {
                    self.text.clear();
                    let reason = format!("this line has more than {MAX_LINE_BYTES} bytes");
                    return Err(self.wrong(Wrong { at: 0, reason }));
                }
                while matches!(self.text.last(), Some(b'\n' | b'\r')) {
                    self.text.pop();
                }
                // Some programs begin a file with a mark.
                if self.line == 1 && self.text.starts_with(b"\xef\xbb\xbf") {
                    self.text.drain(..3);
                }
                Ok(true)
            }
        }
    }

    /// Whether the log is a trace in one object; then its steps are what is read on.
    fn trace(&mut self) -> Result<Option<Entry>, BadLog> {
        let mut rest = vec![];
        let line = std::str::from_utf8(&self.text).unwrap_or_default();
        let mut depth = nesting(line);
        // A trace may stand on several lines. An event does not, so that a log is not read as a whole for nothing.
        if !depth.is_closed
            && let Input::Json(input) = &mut self.input
        {
            let read = input.take(MAX_LINE_BYTES).read_to_end(&mut rest);
            read.map_err(|error| BadLog::Io(error.to_string()))?;
        }
        let Ok(rest) = std::str::from_utf8(&rest) else { return Ok(None) };
        let whole = if rest.is_empty() { Cow::Borrowed(line) } else { Cow::Owned(format!("{line}\n{rest}")) };
        depth.deepest = nesting(&whole).deepest;
        let names = self.names;
        let found = deep(depth.deepest, || {
            let raw = Scan::new(&whole).raw().ok()?;
            if !whole[raw.at + raw.text.len()..].trim().is_empty() {
                return None;
            }
            let json = raw.json().ok()?;
            let mut object = trace::find(&json)?;
            drop(json);
            let initial = object.get("initial").map(|initial| trace::initial(initial, names.system));
            let Some(Json::Array(mut steps)) = object.remove("steps") else { return None };
            steps.reverse();
            Some((initial.unwrap_or(Ok(Trace::default())), steps))
        });
        match found {
            None => Ok(None),
            Some((Err(reason), _)) => Err(self.wrong(Wrong { at: 0, reason })),
            Some((Ok(initial), steps)) => {
                self.steps = Some(steps);
                Ok(Some(Entry::Initial(Box::new(initial))))
            }
        }
    }

    fn wrong(&self, Wrong { at, reason }: Wrong) -> BadLog {
        BadLog::Line { line: self.line, text: String::from_utf8_lossy(&self.text).into_owned(), at, reason }
    }
}

/// How lists and objects are nested in a JSON text.
#[derive(Clone, Copy, Debug)]
pub struct Nesting {
    /// How deeply.
    pub deepest: usize,
    /// Whether everything that is opened is closed.
    pub is_closed: bool,
}

/// Looks at the brackets of a JSON text, whatever else is wrong with it.
pub fn nesting(text: &str) -> Nesting {
    let (mut depth, mut deepest, mut in_text, mut escaped) = (0usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Nesting { deepest, is_closed: depth == 0 && !in_text }
}
