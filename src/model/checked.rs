//! A checked model: names resolved, types known, every expression over numbered places.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::pool::Pools;
use super::service::Shape;
use crate::syntax::Span;
use crate::syntax::tree::{self, Direction, MachineKind, ProcessKind, SystemMember};
use crate::term::{Definitions, Expr, Type, TypeId};

/// Everything declared in a file and its imports.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// Types, functions, constants.
    pub definitions: Definitions,
    /// What names stand for.
    pub names: Names,
    /// Models in the order of their declaration.
    pub models: Vec<Model>,
    /// Purposes in the order of their declaration.
    pub purposes: Vec<DeclaredPurpose>,
    /// The user's rules.
    pub rules: Vec<tree::Rule>,
    /// Charts.
    pub charts: Vec<tree::Chart>,
    /// Scenario patterns.
    pub scenarios: Vec<tree::Scenario>,
    /// Data that is preferred.
    pub pools: Arc<Pools>,
}

/// A purpose. What it says is checked when its model is put together, which gives the lists their types.
#[derive(Clone, Debug)]
pub struct DeclaredPurpose {
    /// Parameters.
    pub params: Vec<Parameter>,
    /// As written.
    pub tree: tree::Purpose,
}

impl Checked {
    /// The type with this name, unless it needs arguments.
    pub fn type_named(&self, name: &str) -> Option<Type> {
        match name {
            "Bool" => Some(Type::Bool),
            "Int" => Some(Type::INT),
            "Nat" => Some(Type::nat()),
            "Real" => Some(Type::Real),
            "String" => Some(Type::Text),
            _ => self.names.types.get(name).cloned(),
        }
    }

    /// The models that no other model contains.
    pub fn wholes(&self) -> Vec<&Model> {
        let used: BTreeSet<&str> = self.models.iter().flat_map(|m| m.body.uses()).map(|n| n.name.as_str()).collect();
        self.models.iter().filter(|m| !used.contains(m.name.as_str())).collect()
    }

    /// The machines that a model is made of, each once.
    pub fn machines_in<'a>(&'a self, model: &'a Model) -> Vec<&'a Machine> {
        let mut seen = BTreeSet::from([model.name.clone()]);
        let mut open = vec![&model.body];
        let mut machines = vec![];
        while let Some(body) = open.pop() {
            if let ModelBody::Machine(machine) = body {
                machines.push(machine);
            }
            for part in body.uses() {
                if let (true, Some(number)) = (seen.insert(part.name.clone()), self.names.models.get(&part.name)) {
                    open.push(&self.models[*number].body);
                }
            }
        }
        machines
    }
}

/// What global names stand for.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Types.
    pub types: BTreeMap<String, Type>,
    /// Constructors and records.
    pub constructors: BTreeMap<String, (TypeId, u32)>,
    /// Functions.
    pub functions: BTreeMap<String, usize>,
    /// Constants: number and type.
    pub constants: BTreeMap<String, (usize, Type)>,
    /// Models.
    pub models: BTreeMap<String, usize>,
}

/// A model that can be named.
#[derive(Clone, Debug)]
pub struct Model {
    /// Name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Parameters.
    pub params: Vec<Parameter>,
    /// What it is.
    pub body: ModelBody,
}

/// A parameter of a model.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Name.
    pub name: String,
    /// Type.
    pub ty: Type,
    /// Value when none is given.
    pub default: Option<Expr>,
    /// Where it is declared.
    pub span: Span,
}

/// The kinds of models. Systems and compositions are put together for given parameters, so they stay trees until then.
#[derive(Clone, Debug)]
pub enum ModelBody {
    /// A component, an sts or a service.
    Machine(Machine),
    /// A lock-step system.
    System(tree::System),
    /// A composition on gates.
    Composition(tree::Composition),
}

impl ModelBody {
    /// The models it is made of, where they are named.
    pub fn uses(&self) -> Vec<&tree::Ident> {
        fn in_process(process: &tree::Process) -> Vec<&tree::Ident> {
            match &process.kind {
                ProcessKind::Model { model, .. } => vec![&model.name],
                ProcessKind::Parallel(_, a, b) => in_process(a).into_iter().chain(in_process(b)).collect(),
                ProcessKind::Replicated { body: inner, .. }
                | ProcessKind::Hide(inner, _)
                | ProcessKind::Rename(inner, _) => in_process(inner),
                ProcessKind::Error => vec![],
            }
        }
        match self {
            ModelBody::System(system) => (system.members.iter())
                .filter_map(|member| match member {
                    SystemMember::Instance(instance) => Some(&instance.model.name),
                    _ => None,
                })
                .collect(),
            ModelBody::Composition(composition) => in_process(&composition.process),
            ModelBody::Machine(machine) => machine.service.iter().flat_map(|shape| &shape.runs).collect(),
        }
    }
}

/// A component or an sts. In its expressions, slots are its variables followed by its channels.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Which of the two.
    pub kind: MachineKind,
    /// Name of the model.
    pub name: String,
    /// Variables.
    pub vars: Vec<Var>,
    /// Channels of a component.
    pub channels: Vec<Channel>,
    /// Gates of an sts: its alphabet, whether used or not.
    pub gates: Vec<Gate>,
    /// Names of states or locations.
    pub states: Vec<String>,
    /// Number of the initial one.
    pub initial: usize,
    /// Transitions or switches.
    pub transitions: Vec<Transition>,
    /// What else a service is made of.
    pub service: Option<Shape>,
}

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Var {
    /// Name.
    pub name: String,
    /// Type.
    pub ty: Type,
    /// Initial value; none if open.
    pub init: Option<Expr>,
    /// Where it is declared.
    pub span: Span,
}

/// A channel.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Name.
    pub name: String,
    /// Direction.
    pub direction: Direction,
    /// Type of its messages.
    pub ty: Type,
    /// Where it is declared.
    pub span: Span,
}

/// A gate.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// Name.
    pub name: String,
    /// Direction.
    pub direction: Direction,
    /// Names and types of its parameters; a result is the last one.
    pub params: Vec<(String, Type)>,
}

/// What a switch does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A step of a component, driven by the clock.
    Tick,
    /// At a gate, by number; its parameters are the first locals.
    Gate(usize),
    /// Internal.
    Tau,
}

/// A transition or switch.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// Name, unique in its machine.
    pub name: String,
    /// Name of what is written in the model, which may be a transition from several states.
    pub step: String,
    /// State it leaves.
    pub source: usize,
    /// State it enters.
    pub target: usize,
    /// What it does.
    pub event: Event,
    /// Conditions, all of which must hold; earlier ones may bind locals of later ones.
    pub guard: Vec<Conjunct>,
    /// New values of variables; all read the old ones.
    pub updates: Vec<(usize, Expr)>,
    /// Messages.
    pub sends: Vec<Send>,
    /// What it is there for.
    pub tags: Vec<String>,
    /// Where it is written.
    pub span: Span,
}

/// A part of a guard.
#[derive(Clone, Debug, PartialEq)]
pub struct Conjunct {
    /// The condition.
    pub expr: Expr,
    /// Its conditions as written, from left to right: what stands between `&&`, `||` and `!`.
    pub conditions: Vec<String>,
    /// Where it is written.
    pub span: Span,
}

/// A message to send.
#[derive(Clone, Debug, PartialEq)]
pub struct Send {
    /// The channel, by number.
    pub channel: usize,
    /// Only if this holds.
    pub condition: Option<Expr>,
    /// The message.
    pub value: Expr,
}
