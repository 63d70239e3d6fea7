//! Connects the ports of a lock-step system: every input has one source, every output at most one reader, types agree.

use std::collections::BTreeMap;

use num_bigint::BigInt;

use super::assemble::{Assembler, Lockstep, Process};
use super::problem::{Problem, near};
use crate::diagnostic::Severity;
use crate::syntax::Span;
use crate::syntax::tree::{self, Connection, Direction, Endpoint, SystemMember};
use crate::term::{Type, Value};

/// A channel of a component: their numbers.
pub type PortRef = (usize, usize);

/// A channel that the environment writes.
#[derive(Clone, Debug)]
pub struct Input {
    /// Name.
    pub name: String,
    /// Type of its messages.
    pub ty: Type,
    /// Who reads it.
    pub readers: Vec<PortRef>,
}

/// A channel that the environment reads.
#[derive(Clone, Debug)]
pub struct Output {
    /// Name.
    pub name: String,
    /// Type of its messages.
    pub ty: Type,
    /// Who writes it.
    pub writer: PortRef,
}

/// A channel between two components.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Who writes it.
    pub writer: PortRef,
    /// Who reads it.
    pub reader: PortRef,
}

/// An instance inside a system, seen by its ports.
struct Child {
    model: String,
    span: Span,
    inputs: BTreeMap<String, (Type, Vec<PortRef>)>,
    outputs: BTreeMap<String, (Type, PortRef)>,
}

/// What an end of a connection means.
enum End {
    BorderIn(String),
    BorderOut(String),
    Input { child: (String, Option<BigInt>), name: String, ty: Type, readers: Vec<PortRef> },
    Output { name: String, ty: Type, writer: PortRef },
}

/// State of connecting one system.
struct Wiring {
    system: Lockstep,
    children: BTreeMap<(String, Option<BigInt>), Child>,
    /// Inputs that have a source, by instance and port.
    sourced: Vec<((String, Option<BigInt>), String)>,
    /// Outputs that have a reader.
    read: Vec<PortRef>,
    /// Instances that could not be built; that was reported where they stand.
    failed: Vec<String>,
}

impl Assembler<'_> {
    pub(super) fn system(&mut self, written: &tree::System, path: &str) -> Option<Lockstep> {
        let before = self.problems.len();
        let children = BTreeMap::new();
        let mut wiring =
            Wiring { system: Lockstep::default(), children, sourced: vec![], read: vec![], failed: vec![] };
        for member in &written.members {
            if let SystemMember::Instance(instance) = member {
                self.instance(instance, path, &mut wiring);
            }
        }
        for member in &written.members {
            match member {
                SystemMember::Instance(_) => {}
                SystemMember::Connection(connection) => self.connection(connection, &mut wiring),
                SystemMember::For { variable, over, connections, .. } => {
                    for value in self.members(over).unwrap_or_default() {
                        self.with_known(&variable.name, value, |a| {
                            connections.iter().for_each(|c| a.connection(c, &mut wiring));
                        });
                    }
                }
            }
        }
        let is_sound = |a: &Self| a.problems[before..].iter().all(|p| p.severity != Severity::Error);
        // Unconnected ports would only repeat an error in a connection.
        if is_sound(self) {
            self.loose_ends(&wiring);
        }
        is_sound(self).then_some(wiring.system)
    }

    fn instance(&mut self, written: &tree::Instance, path: &str, wiring: &mut Wiring) {
        let name = &written.name.name;
        if wiring.children.keys().any(|(known, _)| known == name) {
            self.report(Problem::Duplicate { name: name.clone() }, written.name.span);
            return;
        }
        match &written.index {
            None => self.child(written, None, path, wiring),
            Some((variable, over)) => {
                for value in self.members(over).unwrap_or_default() {
                    let Value::Int(n) = value.clone() else { continue };
                    if wiring.children.contains_key(&(name.clone(), Some(n.clone()))) {
                        self.report(Problem::Duplicate { name: format!("{name}[{n}]") }, over.span);
                        break;
                    }
                    self.with_known(&variable.name, value, |a| a.child(written, Some(n), path, wiring));
                }
            }
        }
    }

    fn child(&mut self, written: &tree::Instance, index: Option<BigInt>, path: &str, wiring: &mut Wiring) {
        let own = match &index {
            None => written.name.name.clone(),
            Some(n) => format!("{}[{n}]", written.name.name),
        };
        let path = if path.is_empty() { own } else { format!("{path}.{own}") };
        let model = &written.model;
        let inner = match self.model(&model.name, &model.args, model.span, &path, false) {
            Some(Process::Lockstep(inner)) => inner,
            Some(_) => {
                self.report(Problem::NotLockStep { name: model.name.name.clone() }, model.name.span);
                wiring.failed.push(written.name.name.clone());
                return;
            }
            None => {
                wiring.failed.push(written.name.name.clone());
                return;
            }
        };
        let offset = wiring.system.components.len();
        let moved = |(component, channel): PortRef| (component + offset, channel);
        let links = inner.links.iter().map(|l| Link { writer: moved(l.writer), reader: moved(l.reader) });
        wiring.system.links.extend(links);
        let inputs = inner.inputs.into_iter().map(|i| (i.name, (i.ty, i.readers.into_iter().map(moved).collect())));
        let outputs = inner.outputs.into_iter().map(|o| (o.name, (o.ty, moved(o.writer))));
        let child = Child {
            model: model.name.name.clone(),
            span: written.span,
            inputs: inputs.collect(),
            outputs: outputs.collect(),
        };
        wiring.system.components.extend(inner.components);
        wiring.children.insert((written.name.name.clone(), index), child);
    }

    fn connection(&mut self, written: &Connection, wiring: &mut Wiring) {
        let from = self.end(&written.from, wiring);
        let to: Vec<(Option<End>, Span)> = written.to.iter().map(|e| (self.end(e, wiring), e.span)).collect();
        let Some(from) = from else { return };
        if to.len() > 1 && !matches!(from, End::BorderIn(_)) {
            self.report(Problem::SeveralReaders, written.span);
            return;
        }
        for (to, to_span) in to {
            let Some(to) = to else { continue };
            self.connect(&from, to, written.from.span, to_span, wiring);
        }
    }

    fn connect(&mut self, from: &End, to: End, from_span: Span, to_span: Span, wiring: &mut Wiring) {
        match (from, to) {
            (End::BorderOut(name), _) | (End::Input { name, .. }, _) => {
                self.report(Problem::PortDirection { name: name.clone(), wanted: "output".into() }, from_span);
            }
            (_, End::BorderIn(name) | End::Output { name, .. }) => {
                self.report(Problem::PortDirection { name, wanted: "input".into() }, to_span);
            }
            (End::BorderIn(_), End::BorderOut(name)) => {
                self.report(Problem::PortDirection { name, wanted: "input of an instance".into() }, to_span);
            }
            (End::BorderIn(name), End::Input { child, name: port, ty, readers }) => {
                if !self.source(child, &port, to_span, wiring) {
                    return;
                }
                if wiring.system.outputs.iter().any(|o| o.name == *name) {
                    self.report(Problem::Duplicate { name: name.clone() }, from_span);
                    return;
                }
                match wiring.system.inputs.iter_mut().find(|i| i.name == *name) {
                    None => wiring.system.inputs.push(Input { name: name.clone(), ty, readers }),
                    Some(input) if input.ty == ty => input.readers.extend(readers),
                    Some(input) => {
                        let types = (input.ty.clone(), ty);
                        self.types_differ(&types.0, &types.1, to_span);
                    }
                }
            }
            (End::Output { name: port, ty, writer }, End::BorderOut(name)) => {
                if self.reader(*writer, port, from_span, wiring) {
                    if wiring.system.outputs.iter().any(|o| o.name == name) {
                        self.report(Problem::ConnectedTwice { name }, to_span);
                        return;
                    }
                    if wiring.system.inputs.iter().any(|i| i.name == name) {
                        self.report(Problem::Duplicate { name }, to_span);
                        return;
                    }
                    wiring.system.outputs.push(Output { name, ty: ty.clone(), writer: *writer });
                }
            }
            (End::Output { name: from_port, ty: from_ty, writer }, End::Input { child, name, ty, readers }) => {
                if *from_ty != ty {
                    self.types_differ(from_ty, &ty, to_span);
                    return;
                }
                if self.source(child, &name, to_span, wiring) && self.reader(*writer, from_port, from_span, wiring) {
                    // A nested system may hand one input to several components.
                    let links = readers.into_iter().map(|reader| Link { writer: *writer, reader });
                    wiring.system.links.extend(links);
                }
            }
        }
    }

    fn types_differ(&mut self, from: &Type, to: &Type, span: Span) {
        let definitions = &self.checked.definitions;
        let (from, to) = (from.name(definitions), to.name(definitions));
        self.report(Problem::PortTypes { from, to }, span);
    }

    fn source(&mut self, child: (String, Option<BigInt>), port: &str, span: Span, wiring: &mut Wiring) -> bool {
        let key = (child, port.to_owned());
        if wiring.sourced.contains(&key) {
            self.report(Problem::ConnectedTwice { name: port.to_owned() }, span);
            return false;
        }
        wiring.sourced.push(key);
        true
    }

    fn reader(&mut self, writer: PortRef, port: &str, span: Span, wiring: &mut Wiring) -> bool {
        if wiring.read.contains(&writer) {
            self.report(Problem::ReadTwice { name: port.to_owned() }, span);
            return false;
        }
        wiring.read.push(writer);
        true
    }

    /// What the end of a connection stands for.
    fn end(&mut self, written: &Endpoint, wiring: &Wiring) -> Option<End> {
        let mut path = vec![];
        for (name, index) in &written.path {
            let index = match index {
                None => None,
                Some(index) => match self.value(index, Some(&Type::INT))? {
                    Value::Int(n) => Some(n),
                    _ => return None,
                },
            };
            path.push((name, index));
        }
        match (written.border, path.as_slice()) {
            (Some(direction), [(name, index)]) => {
                let name = match index {
                    None => name.name.clone(),
                    Some(n) => format!("{}[{n}]", name.name),
                };
                Some(if direction == Direction::In { End::BorderIn(name) } else { End::BorderOut(name) })
            }
            (None, [(instance, index), (port, port_index)]) => {
                let key = (instance.name.clone(), index.clone());
                let Some(child) = wiring.children.get(&key) else {
                    if !wiring.failed.contains(&instance.name) {
                        self.no_instance(instance, index.as_ref(), wiring);
                    }
                    return None;
                };
                let name = match port_index {
                    None => port.name.clone(),
                    Some(n) => format!("{}[{n}]", port.name),
                };
                if let Some((ty, readers)) = child.inputs.get(&name) {
                    return Some(End::Input { child: key, name, ty: ty.clone(), readers: readers.clone() });
                }
                if let Some((ty, writer)) = child.outputs.get(&name) {
                    return Some(End::Output { name, ty: ty.clone(), writer: *writer });
                }
                let near = near(&name, child.inputs.keys().chain(child.outputs.keys()).map(String::as_str));
                self.report(Problem::UnknownPort { model: child.model.clone(), name, near }, port.span);
                None
            }
            _ => {
                let names: Vec<&str> = written.path.iter().map(|(name, _)| name.name.as_str()).collect();
                self.report(Problem::NotAPort { name: names.join(".") }, written.span);
                None
            }
        }
    }

    fn no_instance(&mut self, instance: &tree::Ident, index: Option<&BigInt>, wiring: &Wiring) {
        let family = wiring.children.keys().any(|(name, _)| *name == instance.name);
        let name = instance.name.clone();
        let problem = match (family, index) {
            (true, None) => Problem::NeedsIndex { name },
            (true, Some(n)) => Problem::NoSuchIndex { name, index: n.to_string() },
            (false, _) => {
                let near = near(&name, wiring.children.keys().map(|(n, _)| n.as_str()));
                Problem::UnknownInstance { name, near }
            }
        };
        self.report(problem, instance.span);
    }

    fn loose_ends(&mut self, wiring: &Wiring) {
        for ((name, index), child) in &wiring.children {
            let instance = match index {
                None => name.clone(),
                Some(n) => format!("{name}[{n}]"),
            };
            for port in child.inputs.keys() {
                if !wiring.sourced.contains(&((name.clone(), index.clone()), port.clone())) {
                    self.report(Problem::NoSource { name: format!("{instance}.{port}") }, child.span);
                }
            }
            for (port, (_, writer)) in &child.outputs {
                if !wiring.read.contains(writer) {
                    self.report(Problem::NoReader { name: format!("{instance}.{port}") }, child.span);
                }
            }
        }
    }
}
