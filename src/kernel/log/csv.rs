//! Tables as logs: a mapping says which column of a row tells what of an event.

use std::io::Read;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json};

use super::super::system::*;
use super::super::trace;
use super::lines::Lines;
use super::scan::Wrong;
use super::{BadLog, Kind, LogEvent, LogNames, Param, unknown};
use crate::model::near;
use crate::term::{Type, Value};

/// What the columns of a table mean. Columns go by the names in its first row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mapping {
    gate: Option<Column>,
    /// Names of gates by what the table has instead; none where the row is no event.
    names: FxHashMap<String, Option<String>>,
    cells: Vec<(Place, String)>,
    /// By name of what is told: values by what the table has instead.
    values: FxHashMap<String, FxHashMap<String, Json>>,
    delimiter: u8,
}

/// Why a mapping has no meaning for a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadMapping(pub String);

#[derive(Clone, Debug, PartialEq)]
enum Column {
    /// The column with this name.
    Named(String),
    /// Always the same.
    Fixed(String),
}

/// What a cell tells.
#[derive(Clone, Debug, PartialEq)]
enum Place {
    /// A parameter of a gate, or a message of a lock-step system.
    Data(usize, usize),
    State(usize),
    Fired(usize),
    /// A variable or a channel.
    Value(usize),
}

impl Mapping {
    /// Reads a mapping for a model.
    pub fn from_json(json: &Json, names: &LogNames<'_>) -> Result<Mapping, BadMapping> {
        let bad = |reason: String| Err(BadMapping(reason));
        let Json::Object(fields) = json else { return bad("a mapping is an object".to_owned()) };
        let mut mapping = Mapping { delimiter: b',', ..Mapping::default() };
        let known: &[&str] = match names.is_gates() {
            true => &["gate", "names", "data", "state", "fired", "vars", "channels", "values", "delimiter"],
            false => &["inputs", "outputs", "state", "fired", "vars", "channels", "values", "delimiter"],
        };
        for (key, part) in fields {
            match key.as_str() {
                other if !known.contains(&other) => {
                    let hint = trace::hint(near(other, known.iter().copied()));
                    return bad(format!("a mapping for this model has no key `{other}`{hint}"));
                }
                "gate" => {
                    mapping.gate = Some(match part {
                        Json::String(column) => Column::Named(column.clone()),
                        Json::Object(fixed) => match (fixed.len(), fixed.get("is").and_then(Json::as_str)) {
                            (1, Some(name)) => Column::Fixed(name.to_owned()),
                            _ => return bad("`gate` is the name of a column, or `{\"is\": \"NAME\"}`".to_owned()),
                        },
                        _ => return bad("`gate` is the name of a column, or `{\"is\": \"NAME\"}`".to_owned()),
                    });
                }
                "names" => {
                    for (written, name) in object(part, key)? {
                        let name = match name {
                            Json::Null => None,
                            Json::String(name) => Some(names.gate_named(name, "names")?),
                            _ => return bad(format!("names: expected the name of a gate for `{written}`, or `null`")),
                        };
                        mapping.names.insert(written.clone(), name);
                    }
                }
                "values" => {
                    for (name, table) in object(part, key)? {
                        let table = object(table, "values")?.iter();
                        mapping.values.insert(name.clone(), table.map(|(k, v)| (k.clone(), v.clone())).collect());
                    }
                }
                "delimiter" => match part.as_str().map(str::as_bytes) {
                    Some([byte]) if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => {
                        mapping.delimiter = *byte;
                    }
                    _ => return bad("`delimiter` is one character".to_owned()),
                },
                _ => {
                    for (name, column) in object(part, key)? {
                        let Json::String(column) = column else {
                            return bad(format!("{key}: expected the name of a column for `{name}`"));
                        };
                        mapping.cells.push((names.told(key, name)?, column.clone()));
                    }
                }
            }
        }
        if names.is_gates() && mapping.gate.is_none() {
            return bad("a mapping says which column holds the `gate`".to_owned());
        }
        if let Some(Column::Fixed(name)) = &mapping.gate {
            names.gate_named(name, "gate")?;
        }
        for (place, _) in mapping.cells.iter().filter(|(place, _)| matches!(place, Place::State(_) | Place::Fired(_))) {
            let name = names.name_of(place);
            let odd = mapping.values.get(name).into_iter().flatten().filter(|(_, value)| !value.is_string());
            if let Some(written) = odd.map(|(written, _)| written).min() {
                return bad(format!("values: expected a name for `{written}` of `{name}`"));
            }
        }
        let told: Vec<&str> = mapping.cells.iter().map(|(place, _)| names.name_of(place)).collect();
        if let Some(name) = mapping.values.keys().filter(|name| !told.contains(&name.as_str())).min() {
            let hint = trace::hint(near(name, told.iter().copied()));
            return bad(format!("values: no column tells `{name}`{hint}"));
        }
        Ok(mapping)
    }

    /// Whether there is a column for what each machine fired, and for each channel. Only then an empty cell says something
    /// where another one is filled.
    fn has_all(&self, names: &LogNames<'_>) -> (bool, bool) {
        let has = |told: Place| self.cells.iter().any(|(place, _)| *place == told);
        let mut slots = names.system.slots.iter().enumerate().filter(|(_, slot)| slot.kind == SlotKind::Channel);
        let mut machines = 0..names.system.machines.len();
        (machines.all(|machine| has(Place::Fired(machine))), slots.all(|(slot, _)| has(Place::Value(slot))))
    }
}

fn object<'j>(json: &'j Json, key: &str) -> Result<&'j Map<String, Json>, BadMapping> {
    json.as_object().ok_or_else(|| BadMapping(format!("{key}: expected an object")))
}

impl LogNames<'_> {
    /// The same name, if it is one that a gate column may have.
    fn gate_named(&self, name: &str, key: &str) -> Result<String, BadMapping> {
        if matches!(name, "tau" | "delta") || self.gates.contains_key(name) {
            return Ok(name.to_owned());
        }
        let wrong = unknown(0, "gate", name, self.gates.keys().copied());
        Err(BadMapping(format!("{key}: {}", wrong.reason)))
    }

    /// What is told by a key of a mapping and a name under it.
    fn told(&self, key: &str, name: &str) -> Result<Place, BadMapping> {
        let missing =
            |what: &str, known: Vec<&str>| BadMapping(format!("{key}: {}", unknown(0, what, name, known).reason));
        let params =
            || self.params.iter().enumerate().flat_map(|(g, ps)| ps.iter().enumerate().map(move |(p, x)| (g, p, x)));
        match key {
            "data" | "inputs" | "outputs" => {
                let fits = |place: usize| match key {
                    "inputs" => place < self.inputs,
                    "outputs" => place >= self.inputs,
                    _ => true,
                };
                let found = params().find(|(_, place, param)| param.name == name && fits(*place));
                let what = if key == "data" { "parameter" } else { key.trim_end_matches('s') };
                let known = params().filter(|(_, place, _)| fits(*place)).map(|(_, _, param)| param.name.as_str());
                found.map(|(gate, place, _)| Place::Data(gate, place)).ok_or_else(|| missing(what, known.collect()))
            }
            "state" | "fired" => {
                let machine = self.machines.get(name).copied();
                let machine = machine.ok_or_else(|| missing("instance", self.machines.keys().copied().collect()))?;
                Ok(if key == "state" { Place::State(machine) } else { Place::Fired(machine) })
            }
            _ => {
                let (kind, what) = match key {
                    "vars" => (SlotKind::Variable, "variable"),
                    _ => (SlotKind::Channel, "channel"),
                };
                let slots = self.system.slots.iter();
                let slot = slots.clone().position(|slot| slot.kind == kind && slot.name == name);
                let known = slots.filter(|slot| slot.kind == kind).map(|slot| slot.name.as_str());
                slot.map(Place::Value).ok_or_else(|| missing(what, known.collect()))
            }
        }
    }

    /// Whether a cell holds a text, in which white space counts.
    fn is_text(&self, place: &Place) -> bool {
        match place {
            Place::Data(gate, place) => are_texts(&self.params[*gate][*place].types),
            Place::Value(slot) => are_texts(&[&self.system.slots[*slot].ty]),
            Place::State(_) | Place::Fired(_) => false,
        }
    }

    fn name_of(&self, place: &Place) -> &str {
        match place {
            Place::Data(gate, place) => &self.params[*gate][*place].name,
            Place::State(machine) | Place::Fired(machine) => &self.system.machines[*machine].name,
            Place::Value(slot) => &self.system.slots[*slot].name,
        }
    }
}

/// A table that is read.
pub struct Table<R> {
    reader: csv::Reader<Lines<R>>,
    mapping: Mapping,
    row: csv::StringRecord,
    /// How many columns there are.
    width: usize,
    /// Numbers of the columns: of the gate, and of everything else that is told.
    columns: Option<(Option<usize>, Vec<usize>)>,
    /// Whether there is a column for what each machine fired, and for each channel.
    has_all: (bool, bool),
}

impl<R: Read> Table<R> {
    pub fn new(input: R, mapping: Mapping) -> Table<R> {
        let mut builder = csv::ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(mapping.delimiter);
        let reader = builder.from_reader(Lines::new(input));
        Table { reader, mapping, row: csv::StringRecord::new(), columns: None, width: 0, has_all: (false, false) }
    }

    /// Reads the next event; none at the end. With it, the line where it begins.
    pub fn next(&mut self, names: &LogNames<'_>, event: &mut LogEvent) -> Result<Option<usize>, BadLog> {
        loop {
            match self.reader.read_record(&mut self.row) {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(error) => {
                    let line = self.line(error.position());
                    return Err(unreadable(&error, line));
                }
            }
            let line = self.line(self.row.position().cloned().as_ref());
            if self.columns.is_none() {
                self.width = self.row.len();
                self.columns = Some(self.header(names).map_err(|wrong| self.bad(line, wrong))?);
                self.has_all = self.mapping.has_all(names);
                continue;
            }
            self.is_whole().map_err(|wrong| self.bad(line, wrong))?;
            match self.event(names, event) {
                Ok(true) => return Ok(Some(line)),
                Ok(false) => {}
                Err(wrong) => return Err(self.bad(line, wrong)),
            }
        }
    }

    /// The line on which a record begins. The library counts lines behind the last record, before empty ones.
    fn line(&mut self, position: Option<&csv::Position>) -> usize {
        position.map_or(0, |position| self.reader.get_mut().line(position.byte()))
    }

    /// A row with more cells than the header, or with fewer, has no meaning. One with fewer, and a cell that goes on in the next line,
    /// is a sign that a quote is not closed.
    fn is_whole(&self) -> Result<(), Wrong> {
        let goes_on = self.row.iter().position(|cell| cell.contains(['\n', '\r']));
        if let Some(column) = goes_on.filter(|_| self.row.len() != self.width) {
            return Err(wrong(
                column,
                "this cell goes on in the next line, and cells are missing; is a quote not closed?",
            ));
        }
        if self.row.len() > self.width {
            return Err(wrong(self.width, "there are more cells in this row than columns in the first line"));
        }
        if self.row.len() < self.width {
            let last = self.row.len().saturating_sub(1);
            return Err(wrong(last, "cells are missing behind this one: the first line has more columns"));
        }
        Ok(())
    }

    fn header(&self, names: &LogNames<'_>) -> Result<(Option<usize>, Vec<usize>), Wrong> {
        let clean = |cell: &'_ str| cell.trim_start_matches('\u{feff}').trim().to_owned();
        let header: Vec<String> = self.row.iter().map(clean).collect();
        if let Some(twice) = (1..header.len()).find(|n| !header[*n].is_empty() && header[..*n].contains(&header[*n])) {
            return Err(wrong(twice, "this column is named twice"));
        }
        let column = |name: &str| {
            let found = header.iter().position(|cell| cell == name);
            found.ok_or_else(|| unknown(0, "column", name, header.iter().map(String::as_str)))
        };
        let gate = match &self.mapping.gate {
            Some(Column::Named(name)) => Some(column(name)?),
            _ => None,
        };
        let cells = self.mapping.cells.iter().map(|(_, name)| column(name)).collect::<Result<_, _>>()?;
        debug_assert!(gate.is_some() || self.mapping.gate.is_some() || !names.is_gates());
        Ok((gate, cells))
    }

    /// Reads a row; says whether it is an event.
    fn event(&self, names: &LogNames<'_>, event: &mut LogEvent) -> Result<bool, Wrong> {
        event.clear();
        let Some((gate, columns)) = &self.columns else { return Ok(false) };
        let cell = |column: usize| self.row.get(column).map(str::trim).unwrap_or_default();
        event.kind = match (&self.mapping.gate, gate) {
            (None, _) => Kind::Tick,
            (Some(Column::Fixed(name)), _) => named(name, names).ok_or_else(|| wrong(0, "there is no such gate"))?,
            (Some(Column::Named(column_name)), column) => {
                let column = column.expect("a named column was looked for");
                let written = cell(column);
                let name = match self.mapping.names.get(written) {
                    Some(None) => return Ok(false),
                    Some(Some(name)) => name,
                    None => written,
                };
                named(name, names).ok_or_else(|| {
                    let known = names.gates.keys().copied().chain(self.mapping.names.keys().map(String::as_str));
                    let Wrong { at, reason } = unknown(column, "gate", name, known);
                    Wrong { at, reason: format!("column `{column_name}`: {reason}") }
                })?
            }
        };
        let own = match event.kind {
            Kind::Tick => Some(0),
            Kind::Gate(gate) => Some(gate),
            Kind::Tau | Kind::Delta => None,
        };
        if let Some(own) = own {
            event.data.resize(names.params.get(own).map_or(0, Vec::len), None);
        }
        for ((place, column_name), column) in self.mapping.cells.iter().zip(columns) {
            let (whole, written) = (self.row.get(*column).unwrap_or_default(), cell(*column));
            let is_empty = if names.is_text(place) { whole.is_empty() } else { written.is_empty() };
            if is_empty || matches!(place, Place::Data(gate, _) if Some(*gate) != own) {
                continue;
            }
            let instead = self.mapping.values.get(names.name_of(place));
            let instead = instead.and_then(|values| values.get(whole).or_else(|| values.get(written)));
            let value = |types: &[&Type], may_be_absent: bool| -> Result<Value, Wrong> {
                if may_be_absent && instead.is_some_and(Json::is_null) {
                    return Ok(Value::Absent);
                }
                let value = of_cell(whole, instead, types, names, names.name_of(place));
                value.map_err(|reason| wrong(*column, format!("column `{column_name}`: {reason}")))
            };
            let name = instead.and_then(Json::as_str).unwrap_or(written);
            let member = |known: &mut dyn Iterator<Item = &str>, what: &str| {
                let Wrong { at, reason } = unknown(*column, what, name, known);
                Wrong { at, reason: format!("column `{column_name}`: {reason}") }
            };
            match *place {
                Place::Data(gate, number) => {
                    let Param { types, is_message, .. } = &names.params[gate][number];
                    event.data[number] = Some(value(types, *is_message)?);
                }
                Place::State(machine) => {
                    let states = &names.states[machine];
                    let state = states.get(name).ok_or_else(|| member(&mut states.keys().copied(), "state"))?;
                    event.state.push((machine, *state));
                }
                Place::Fired(machine) => {
                    let known = &names.transitions[machine];
                    let fired = known.get(name).ok_or_else(|| member(&mut known.keys().copied(), "transition"))?;
                    if event.kind == Kind::Delta {
                        return Err(wrong(*column, format!("column `{column_name}`: in `delta` nothing fires")));
                    }
                    event.fired.push((machine, *fired));
                    event.has_fired = self.has_all.0;
                }
                Place::Value(slot) => {
                    let Slot { ty, kind, .. } = &names.system.slots[slot];
                    let is_channel = *kind == SlotKind::Channel;
                    event.values.push((slot, value(&[ty], is_channel)?));
                    event.has_channels |= is_channel && self.has_all.1;
                }
            }
        }
        if let Some(own) = own {
            names.complete(own, event);
        }
        Ok(true)
    }

    /// An error in a cell of the row, or at its beginning.
    fn bad(&self, line: usize, Wrong { at: column, reason }: Wrong) -> BadLog {
        let mut text = String::new();
        let mut at = 0;
        for (number, cell) in self.row.iter().enumerate() {
            if number > 0 {
                text.push(self.mapping.delimiter as char);
            }
            if number == column {
                at = text.len();
            }
            let quoted = cell.contains(['"', '\n', '\r', self.mapping.delimiter as char]);
            if quoted { text.push_str(&format!("{cell:?}")) } else { text.push_str(cell) }
        }
        BadLog::Line { line, text: text.replace(['\n', '\r'], " "), at, reason }
    }
}

fn wrong(column: usize, reason: impl Into<String>) -> Wrong {
    Wrong { at: column, reason: reason.into() }
}

fn are_texts(types: &[&Type]) -> bool {
    types.iter().all(|ty| ty.shape() == Type::Text)
}

fn named(name: &str, names: &LogNames<'_>) -> Option<Kind> {
    match name {
        "tau" => Some(Kind::Tau),
        "delta" => Some(Kind::Delta),
        _ => names.gates.get(name).map(|gate| Kind::Gate(*gate)),
    }
}

/// The value of a cell: what stands for it, or the JSON that it is, or its text. White space counts in texts only.
fn of_cell(
    whole: &str,
    instead: Option<&Json>,
    types: &[&Type],
    names: &LogNames<'_>,
    name: &str,
) -> Result<Value, String> {
    let read = |json: &Json| trace::first_fitting(json, types.iter().copied(), names.system, &format!("`{name}`"));
    if let Some(json) = instead {
        return read(json);
    }
    if are_texts(types) {
        return read(&Json::String(whole.to_owned()));
    }
    let written = whole.trim();
    let text = Json::String(written.to_owned());
    match serde_json::from_str::<Json>(written) {
        Ok(Json::Null) | Err(_) => read(&text),
        Ok(json) => read(&json).or_else(|reason| read(&text).map_err(|_| reason)),
    }
}

fn unreadable(error: &csv::Error, line: usize) -> BadLog {
    match error.kind() {
        csv::ErrorKind::Io(error) => BadLog::Io(error.to_string()),
        csv::ErrorKind::Utf8 { .. } => {
            BadLog::Line { line, text: String::new(), at: 0, reason: "this is not UTF-8 text".to_owned() }
        }
        other => BadLog::Line { line, text: String::new(), at: 0, reason: format!("this is no table: {other:?}") },
    }
}
