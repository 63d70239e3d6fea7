//! What can be given to the models of a file, by its name: inputs, parameters of gates, open variables; events of services are gates.
//!
//! Nothing is put together for this, so parameters of models have no values yet and bounds of types may be open; indices of
//! families do not count.

use super::checked::*;
use crate::syntax::tree::{self, Connection, Direction, Endpoint, Process, ProcessKind, SystemMember};
use crate::term::Type;

/// The places of all models.
pub(super) struct Places<'a> {
    checked: &'a Checked,
}

impl<'a> Places<'a> {
    pub fn new(checked: &'a Checked) -> Places<'a> {
        Places { checked }
    }

    /// Types of everything with this name in some model: `who`, `order.who`, `lamp.left`.
    pub fn types(&self, path: &[&str]) -> Vec<Type> {
        let mut types: Vec<Type> = vec![];
        for ty in self.checked.models.iter().flat_map(|model| self.in_model(model, path)) {
            if !types.contains(&ty) {
                types.push(ty);
            }
        }
        types
    }

    /// Names that may have been meant.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = vec![];
        for model in &self.checked.models {
            match &model.body {
                ModelBody::Machine(machine) => names.extend(names_of(machine)),
                ModelBody::System(system) => {
                    let borders = connections(system).filter_map(|connection| border(&connection.from));
                    names.extend(borders.map(str::to_owned));
                }
                ModelBody::Composition(_) => {}
            }
            for (name, part) in instances(&model.body) {
                if let Some(ModelBody::Machine(machine)) = self.body(part) {
                    names.extend(open(machine).map(|var| format!("{name}.{}", var.name)));
                }
            }
        }
        names
    }

    fn body(&self, name: &str) -> Option<&'a ModelBody> {
        let checked = self.checked;
        checked.names.models.get(name).map(|number| &checked.models[*number].body)
    }

    fn in_model(&self, model: &Model, path: &[&str]) -> Vec<Type> {
        let mut types = self.variables(&model.body, path);
        match (&model.body, path) {
            (ModelBody::Machine(machine), [name]) => {
                types.extend(self.input(&model.body, name, self.checked.models.len()));
                let params = machine.gates.iter().flat_map(|gate| &gate.params);
                types.extend(params.filter(|(param, _)| param == name).map(|(_, ty)| ty.clone()));
            }
            (ModelBody::System(_), [name]) => {
                types.extend(self.input(&model.body, name, self.checked.models.len()));
            }
            (body, [gate, name]) => {
                let params = self.gates(body, gate, self.checked.models.len());
                types.extend(params.into_iter().filter(|(param, _)| param == name).map(|(_, ty)| ty));
            }
            _ => {}
        }
        types
    }

    /// Open variables: the path leads through instances.
    fn variables(&self, body: &ModelBody, path: &[&str]) -> Vec<Type> {
        match (body, path) {
            (ModelBody::Machine(machine), [name]) => {
                open(machine).filter(|var| var.name == *name).map(|var| var.ty.clone()).collect()
            }
            (_, [instance, rest @ ..]) if !rest.is_empty() => {
                let parts = instances(body).into_iter().filter(|(name, _)| name == instance);
                let bodies = parts.filter_map(|(_, part)| self.body(part));
                bodies.flat_map(|body| self.variables(body, rest)).collect()
            }
            _ => vec![],
        }
    }

    /// The type of an input; `levels` keeps models that contain themselves from going on for ever.
    fn input(&self, body: &ModelBody, name: &str, levels: usize) -> Option<Type> {
        match body {
            ModelBody::Machine(machine) => {
                let is_input = |channel: &&Channel| channel.direction == Direction::In && channel.name == name;
                machine.channels.iter().find(is_input).map(|channel| channel.ty.clone())
            }
            ModelBody::System(system) if levels > 0 => {
                let readers = connections(system).filter(|c| border(&c.from) == Some(name)).flat_map(|c| &c.to);
                let parts = instances(body);
                readers.into_iter().find_map(|reader| {
                    let [(instance, _), (port, _)] = &reader.path[..] else { return None };
                    let (_, part) = parts.iter().find(|(name, _)| *name == instance.name)?;
                    self.input(self.body(part)?, &port.name, levels - 1)
                })
            }
            _ => None,
        }
    }

    /// Parameters of the gates with this name.
    fn gates(&self, body: &ModelBody, gate: &str, levels: usize) -> Vec<(String, Type)> {
        match body {
            ModelBody::Machine(machine) => {
                machine.gates.iter().filter(|g| g.name == gate).flat_map(|g| g.params.clone()).collect()
            }
            ModelBody::Composition(composition) if levels > 0 => self.gates_in(&composition.process, gate, levels - 1),
            _ => vec![],
        }
    }

    fn gates_in(&self, process: &Process, gate: &str, levels: usize) -> Vec<(String, Type)> {
        match &process.kind {
            ProcessKind::Model { model, .. } => {
                self.body(&model.name.name).map(|body| self.gates(body, gate, levels)).unwrap_or_default()
            }
            ProcessKind::Parallel(_, left, right) => {
                let mut params = self.gates_in(left, gate, levels);
                params.extend(self.gates_in(right, gate, levels));
                params
            }
            ProcessKind::Replicated { body, .. } => self.gates_in(body, gate, levels),
            ProcessKind::Hide(inner, hidden) => match hidden.iter().any(|g| g.index.is_none() && g.name.name == gate) {
                true => vec![],
                false => self.gates_in(inner, gate, levels),
            },
            ProcessKind::Rename(inner, pairs) => {
                let sources = pairs.iter().filter(|(_, to)| to.name.name == gate).map(|(from, _)| from);
                let mut params: Vec<(String, Type)> =
                    sources.flat_map(|from| self.gates_in(inner, &from.name.name, levels)).collect();
                if pairs.iter().all(|(from, _)| from.name.name != gate) {
                    params.extend(self.gates_in(inner, gate, levels));
                }
                params
            }
            ProcessKind::Error => vec![],
        }
    }
}

/// Inputs, parameters of gates and open variables of a machine.
fn names_of(machine: &Machine) -> Vec<String> {
    let inputs = machine.channels.iter().filter(|channel| channel.direction == Direction::In);
    let mut names: Vec<String> = inputs.map(|channel| channel.name.clone()).collect();
    names.extend(open(machine).map(|var| var.name.clone()));
    for gate in &machine.gates {
        names.extend(gate.params.iter().flat_map(|(name, _)| [name.clone(), format!("{}.{name}", gate.name)]));
    }
    names
}

fn open(machine: &Machine) -> impl Iterator<Item = &Var> {
    machine.vars.iter().filter(|var| var.init.is_none())
}

fn connections(system: &tree::System) -> impl Iterator<Item = &Connection> {
    system.members.iter().flat_map(|member| match member {
        SystemMember::Connection(connection) => std::slice::from_ref(connection),
        SystemMember::For { connections, .. } => connections,
        SystemMember::Instance(_) => &[],
    })
}

/// The name of an input of a system.
fn border(end: &Endpoint) -> Option<&str> {
    match (&end.border, &end.path[..]) {
        (Some(Direction::In), [(name, _)]) => Some(&name.name),
        _ => None,
    }
}

/// Names of instances, each with its model.
fn instances(body: &ModelBody) -> Vec<(&str, &str)> {
    fn in_process<'p>(process: &'p Process, out: &mut Vec<(&'p str, &'p str)>) {
        match &process.kind {
            ProcessKind::Model { label, model } => {
                let name = label.as_ref().unwrap_or(&model.name);
                out.push((&name.name, &model.name.name));
            }
            ProcessKind::Parallel(_, left, right) => {
                in_process(left, out);
                in_process(right, out);
            }
            ProcessKind::Replicated { body: inner, .. }
            | ProcessKind::Hide(inner, _)
            | ProcessKind::Rename(inner, _) => in_process(inner, out),
            ProcessKind::Error => {}
        }
    }
    let mut out: Vec<(&str, &str)> = vec![];
    match body {
        ModelBody::System(system) => {
            for member in &system.members {
                if let SystemMember::Instance(instance) = member {
                    out.push((&instance.name.name, &instance.model.name.name));
                }
            }
        }
        ModelBody::Composition(composition) => in_process(&composition.process, &mut out),
        ModelBody::Machine(_) => {}
    }
    out
}
