//! From `FILE#Name(args)` to a step system.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;

use super::args::ValueArgs;
use super::outcome::Failure;
use crate::api::{DEEP_STACK_BYTES, Model};
use crate::diagnostic::Rejected;
use crate::kernel::{Given, StepSystem, Trace, nesting};
use crate::model::{self, Problem};
use crate::syntax::{self, Sources, Span};
use crate::term::{Type, Value};

/// A file that was read and checked.
pub type Loaded = Model;

/// Splits `FILE#Name(args)`, reads and checks the file.
pub fn load(argument: &str) -> Result<Loaded, Failure> {
    Model::read(argument)
}

impl Loaded {
    /// The model that was named.
    pub fn reference(&self) -> Option<&syntax::tree::ModelUse> {
        self.reference.as_ref()
    }

    /// Whether a model was named.
    pub fn names_model(&self) -> bool {
        self.reference.is_some()
    }

    /// The model that is meant, as a step system.
    pub fn system(self) -> Result<(StepSystem, Loaded), Failure> {
        Ok((self.step_system()?, self))
    }

    /// Values from the command line. Returns the sources inside the failure if they make no sense.
    pub fn given(mut self, args: &ValueArgs, system: &StepSystem) -> Result<(Given, Loaded), Failure> {
        let mut given = Given::default();
        for text in &args.values {
            let (name, set) = match text.split_once('=') {
                Some((name, set)) => (name.trim(), set),
                None => return Err(Failure::Usage(format!("--values {text}: expected NAME=SET"))),
            };
            let id = self.sources.add_fragment("--values", set);
            let known = known_names(system);
            let named_type = self.checked.type_named(name);
            let ty = match &named_type {
                Some(ty) => ty.clone(),
                None => {
                    place_type(name, &known).map_err(|reason| Failure::Usage(format!("--values {text}: {reason}")))?
                }
            };
            let values = syntax::parse_expr(id, set).map_err(Rejected);
            let values = match values.and_then(|expr| model::given_values(&self.checked, &expr, &ty)) {
                Ok(values) => values,
                Err(rejected) => return Err(Failure::rejected(rejected, self.sources)),
            };
            let is_variable = system.open_slots().iter().any(|slot| system.slots[*slot].name == name);
            match named_type {
                // A plain alias is the type it stands for.
                Some(ty) => given.types.insert(ty.name(&self.checked.definitions), values),
                None if is_variable => given.variables.insert(name.to_owned(), values),
                None => given.names.insert(name.to_owned(), values),
            };
        }
        Ok((given, self))
    }
}

/// The type of an input, variable or parameter.
fn place_type(name: &str, known: &[(String, Type)]) -> Result<Type, String> {
    let mut shapes = known.iter().filter(|(n, _)| n == name).map(|(_, ty)| ty.shape());
    match shapes.next() {
        Some(first) if shapes.all(|shape| shape == first) => Ok(first),
        Some(_) => Err(format!("`{name}` has several types; write `gate.{name}`")),
        None => {
            let near = model::near(name, known.iter().map(|(n, _)| n.as_str()));
            let hint = near.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
            Err(format!("there is no type, input, variable or parameter `{name}`{hint}"))
        }
    }
}

/// Inputs, parameters of gates (also as `gate.parameter`), and open variables, with their types.
fn known_names(system: &StepSystem) -> Vec<(String, Type)> {
    let inputs = system.ticks.iter().flat_map(|t| t.inputs.iter().map(|(name, ty, _)| (name.clone(), ty.clone())));
    let params = system.joints.iter().flat_map(|joint| {
        let gate = joint.gate.map_or("tau", |gate| system.gates[gate].name.as_str());
        joint.params.iter().flat_map(move |(name, types)| {
            [name.clone(), format!("{gate}.{name}")].map(|name| (name, types[0].clone()))
        })
    });
    let open =
        system.open_slots().into_iter().map(|slot| (system.slots[slot].name.clone(), system.slots[slot].ty.clone()));
    inputs.chain(params).chain(open).collect()
}

/// Reads a trace for a model.
pub fn trace(path: &str, system: &StepSystem) -> Result<Trace, Failure> {
    TraceFile::read(path)?.trace(system)
}

/// A JSON file that was read.
#[derive(Debug)]
pub struct TraceFile {
    pub path: String,
    text: String,
    pub json: Json,
}

impl TraceFile {
    /// Reads a file; an error says where it is no JSON.
    pub fn read(path: &str) -> Result<TraceFile, Failure> {
        let io = |e: std::io::Error| Failure::Io { path: path.to_owned(), reason: e.to_string() };
        let text = String::from_utf8(std::fs::read(path).map_err(io)?)
            .map_err(|_| Failure::Io { path: path.to_owned(), reason: "the file is not UTF-8 text".to_owned() })?;
        let mut file = TraceFile { path: path.to_owned(), text, json: Json::Null };
        if nesting(&file.text).deepest > MAX_NESTING {
            return Err(file.rejected(format!("this is nested more than {MAX_NESTING} levels deep"), 1, 1));
        }
        // Values may be nested more deeply than the stack of a thread allows.
        file.json = stacker::grow(DEEP_STACK_BYTES, || {
            let mut reader = serde_json::Deserializer::from_str(&file.text);
            reader.disable_recursion_limit();
            let json = Json::deserialize(&mut reader).and_then(|json| reader.end().map(|()| json));
            json.map_err(|e| file.rejected(format!("this is no JSON: {e}"), e.line(), e.column()))
        })?;
        Ok(file)
    }

    /// What it says, as a trace for a model.
    pub fn trace(&self, system: &StepSystem) -> Result<Trace, Failure> {
        self.trace_in(&self.json, system)
    }

    /// What a part of it says, as a trace for a model.
    pub fn trace_in(&self, json: &Json, system: &StepSystem) -> Result<Trace, Failure> {
        stacker::grow(DEEP_STACK_BYTES, || {
            Trace::from_json(json, system).map_err(|reason| self.without_meaning(reason))
        })
    }

    /// That it has no meaning.
    pub fn without_meaning(&self, reason: String) -> Failure {
        self.rejected(reason, 1, 1)
    }

    fn rejected(&self, reason: String, line: usize, column: usize) -> Failure {
        let mut sources = Sources::default();
        let text = &self.text;
        let id = sources.add_fragment(&self.path, text);
        let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
        let at = (start + column.saturating_sub(1)).min(text.len());
        let at = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        Failure::rejected(Rejected(vec![Problem::BadTrace { reason }.at(Span::new(id, at, at))]), sources)
    }
}

/// Deepest nesting of a trace: twice that of values, and a little for the trace itself.
const MAX_NESTING: usize = 5_000;

/// Initial values of a trace as given values.
pub fn initial_values(trace: &Trace, system: &StepSystem) -> BTreeMap<String, Vec<Value>> {
    trace.initial.iter().map(|(slot, value)| (system.slots[*slot].name.clone(), vec![value.clone()])).collect()
}
