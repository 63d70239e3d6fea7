//! From `FILE#Name(args)` to a step system.

use std::collections::BTreeMap;

use super::args::ValueArgs;
use super::outcome::Failure;
use crate::diagnostic::{Diagnostic, Rejected, Severity};
use crate::kernel::{Given, StepSystem, Trace, lower};
use crate::model::{self, Assembled, Checked, Problem};
use crate::syntax::{self, FileId, Sources, Span};
use crate::term::Value;

/// A file that was read and checked.
pub struct Loaded {
    pub sources: Sources,
    pub checked: Checked,
    pub warnings: Vec<Diagnostic>,
    reference: Option<syntax::tree::ModelUse>,
}

/// Splits `FILE#Name(args)`, reads and checks the file.
pub fn load(argument: &str) -> Result<Loaded, Failure> {
    let (path, reference) = match argument.split_once('#') {
        Some((path, reference)) => (path, Some(reference)),
        None => (argument, None),
    };
    let (mut sources, mut problems) = syntax::load(path);
    let (checked, findings) = model::check(&sources);
    // What could not be read is missing from the model; errors about that would only be echoes.
    if problems.is_empty() {
        problems = findings;
    }
    let (errors, warnings): (Vec<_>, Vec<_>) = problems.into_iter().partition(|p| p.severity == Severity::Error);
    if !errors.is_empty() {
        return Err(Failure::rejected(Rejected(errors), sources));
    }
    let reference = match reference {
        None => None,
        Some(text) => {
            let id = sources.add_fragment(&format!("{path}#"), text);
            match syntax::parse_model_reference(id, text) {
                Ok(reference) => Some(reference),
                Err(errors) => return Err(Failure::rejected(Rejected(errors), sources)),
            }
        }
    };
    Ok(Loaded { sources, checked, warnings, reference })
}

impl Loaded {
    /// Whether a model was named.
    pub fn names_model(&self) -> bool {
        self.reference.is_some()
    }

    /// The model that is meant, put together.
    pub fn assemble(self) -> Result<(Assembled, Loaded), Failure> {
        let start = Span::new(FileId(0), 0, 0);
        match model::assemble(&self.checked, self.reference.as_ref(), start) {
            Ok(assembled) => Ok((assembled, self)),
            Err(rejected) => Err(Failure::rejected(rejected, self.sources)),
        }
    }

    /// The model that is meant, as a step system.
    pub fn system(self) -> Result<(StepSystem, Loaded), Failure> {
        let (assembled, loaded) = self.assemble()?;
        let system = lower(&assembled).map_err(|error| Failure::Limit(error.to_string()))?;
        Ok((system, loaded))
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
            let value = syntax::parse_expr(id, set).map_err(Rejected);
            let value = value.and_then(|expr| {
                let value = model::given_values(&self.checked, &expr)?;
                members(value).ok_or_else(|| {
                    let reason = "a set, a list or a range is expected".to_owned();
                    Rejected(vec![Problem::BadValues { reason }.at(expr.span)])
                })
            });
            let values = match value {
                Ok(values) => values,
                Err(rejected) => return Err(Failure::rejected(rejected, self.sources)),
            };
            let known = known_names(system);
            if is_type(name, &self.checked) {
                given.types.insert(name.to_owned(), values);
            } else if known.iter().any(|n| n == name) {
                given.names.insert(name.to_owned(), values);
            } else {
                let near = model::near(name, known.iter().map(String::as_str));
                let hint = near.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
                return Err(Failure::Usage(format!(
                    "--values {text}: there is no type, input, variable or parameter `{name}`{hint}"
                )));
            }
        }
        Ok((given, self))
    }
}

fn members(value: Value) -> Option<Vec<Value>> {
    match value {
        Value::List(list) => Some(list.to_vec()),
        Value::Set(set) => Some(set.iter().cloned().collect()),
        _ => None,
    }
}

fn is_type(name: &str, checked: &Checked) -> bool {
    ["Int", "Nat", "Real", "String"].contains(&name) || checked.names.types.contains_key(name)
}

/// Inputs, parameters of gates (also as `gate.parameter`), and open variables.
fn known_names(system: &StepSystem) -> Vec<String> {
    let inputs = system.ticks.iter().flat_map(|t| t.inputs.iter().map(|(name, ..)| name.clone()));
    let params =
        system.gates.iter().flat_map(|g| g.params.iter().flat_map(move |p| [p.clone(), format!("{}.{p}", g.name)]));
    let open = system.open_slots().into_iter().map(|slot| system.slots[slot].name.clone());
    inputs.chain(params).chain(open).collect()
}

/// Reads a trace for a model.
pub fn trace(path: &str, system: &StepSystem) -> Result<Trace, Failure> {
    let io = |e: std::io::Error| Failure::Io { path: path.to_owned(), reason: e.to_string() };
    let text = String::from_utf8(std::fs::read(path).map_err(io)?)
        .map_err(|_| Failure::Io { path: path.to_owned(), reason: "the file is not UTF-8 text".to_owned() })?;
    let reject = |reason: String, line: usize, column: usize| {
        let mut sources = Sources::default();
        let id = sources.add_fragment(path, &text);
        let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
        let at = (start + column.saturating_sub(1)).min(text.len());
        let at = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        Failure::rejected(Rejected(vec![Problem::BadTrace { reason }.at(Span::new(id, at, at))]), sources)
    };
    let json =
        serde_json::from_str(&text).map_err(|e| reject(format!("this is no JSON: {e}"), e.line(), e.column()))?;
    Trace::from_json(&json, system).map_err(|reason| reject(reason, 1, 1))
}

/// Initial values of a trace as given values.
pub fn initial_values(trace: &Trace, system: &StepSystem) -> BTreeMap<String, Vec<Value>> {
    trace.initial.iter().map(|(slot, value)| (system.slots[*slot].name.clone(), vec![value.clone()])).collect()
}
