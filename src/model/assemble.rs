//! Puts a model together for given arguments: parameters get values, families of instances are unrolled, connections and
//! gates are checked. The result has no parameters, and nothing about it can be wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::checked::*;
use super::connect::{Input, Link, Output};
use super::declare::constant;
use super::pool::Pools;
use super::problem::{Problem, near};
use super::scope::{Binding, Scope};
use crate::diagnostic::{Diagnostic, Rejected, Severity};
use crate::syntax::Span;
use crate::syntax::tree::{self, Arg, Direction, GateName, MachineKind, ModelUse, Parallel, ProcessKind};
use crate::term::{Bound, Collection, Definitions, Env, Expr, Fuel, Shown, Type, Value, contains};

/// Most instances in one model.
pub(super) const MAX_INSTANCES: usize = 10_000;

/// A model without parameters.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// Name of the model.
    pub name: String,
    /// Types, functions, constants.
    pub definitions: Arc<Definitions>,
    /// What it is made of.
    pub process: Process,
    /// Data that is preferred.
    pub pools: Arc<Pools>,
    /// Findings that are no errors.
    pub warnings: Vec<Diagnostic>,
}

/// What a model is made of.
#[derive(Clone, Debug)]
pub enum Process {
    /// An sts.
    Machine(MachineInstance),
    /// Components in lock-step.
    Lockstep(Lockstep),
    /// Two models together.
    Parallel(Parallel, Box<Process>, Box<Process>),
    /// Some gates become internal.
    Hide(Box<Process>, BTreeSet<String>),
    /// Some gates have other names.
    Rename(Box<Process>, BTreeMap<String, String>),
}

/// A machine with its place in the whole.
#[derive(Clone, Debug)]
pub struct MachineInstance {
    /// Path of instance names; the model's name if it stands alone.
    pub name: String,
    /// What its variables are called: empty if it stands alone, else its path and a dot.
    pub prefix: String,
    /// The machine, without parameters.
    pub machine: Machine,
}

/// Components in lock-step, with nested systems flattened: their borders add no delay.
#[derive(Clone, Debug, Default)]
pub struct Lockstep {
    /// The components.
    pub components: Vec<MachineInstance>,
    /// What the environment writes.
    pub inputs: Vec<Input>,
    /// What the environment reads.
    pub outputs: Vec<Output>,
    /// Channels between components.
    pub links: Vec<Link>,
}

/// What is known of a gate from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct GateSignature {
    /// Direction.
    pub direction: Direction,
    /// Names and types of its parameters.
    pub params: Vec<(String, Type)>,
    /// Whether it is the step of a lock-step system.
    pub is_tick: bool,
}

impl Process {
    /// The gates others can see.
    pub fn gates(&self) -> BTreeMap<String, GateSignature> {
        match self {
            Process::Machine(instance) => (instance.machine.gates.iter())
                .map(|g| {
                    let signature = GateSignature { direction: g.direction, params: g.params.clone(), is_tick: false };
                    (g.name.clone(), signature)
                })
                .collect(),
            Process::Lockstep(system) => {
                let inputs = system.inputs.iter().map(|i| (i.name.clone(), i.ty.clone()));
                let outputs = system.outputs.iter().map(|o| (o.name.clone(), o.ty.clone()));
                let params = inputs.chain(outputs).collect();
                BTreeMap::from([(TICK.to_owned(), GateSignature { direction: Direction::In, params, is_tick: true })])
            }
            Process::Parallel(_, left, right) => {
                let mut gates = left.gates();
                for (name, signature) in right.gates() {
                    let direction = signature.direction;
                    let known = gates.entry(name).or_insert(signature);
                    known.direction = known.direction.max(direction);
                }
                gates
            }
            Process::Hide(inner, hidden) => {
                inner.gates().into_iter().filter(|(name, _)| !hidden.contains(name)).collect()
            }
            Process::Rename(inner, names) => (inner.gates().into_iter())
                .map(|(name, signature)| (names.get(&name).cloned().unwrap_or(name), signature))
                .collect(),
        }
    }
}

/// What traces call it when nothing happens; no gate may have this name.
pub(super) const SILENCE: &str = "delta";

/// The gate of a lock-step system in a composition.
pub const TICK: &str = "tick";

/// Puts together the model that is named, or the only one there is.
pub fn assemble(checked: &Checked, reference: Option<&ModelUse>, at: Span) -> Result<Assembled, Rejected> {
    let name = match reference {
        Some(reference) => reference.name.clone(),
        None => tree::Ident { name: only_model(checked).map_err(|p| Rejected(vec![p.at(at)]))?, span: at },
    };
    let no_args = vec![];
    let args = reference.map_or(&no_args, |r| &r.args);
    assemble_named(checked, &name, args, reference.map_or(at, |r| r.span))
}

/// Puts together a model for arguments.
pub fn assemble_named(checked: &Checked, name: &tree::Ident, args: &[Arg], span: Span) -> Result<Assembled, Rejected> {
    let mut assembler = Assembler::new(checked);
    let process = assembler.model(name, args, span, "", true);
    assembled(assembler, &name.name, process)
}

/// A process that was put together, unless something was wrong with it.
pub(super) fn assembled(assembler: Assembler<'_>, name: &str, process: Option<Process>) -> Result<Assembled, Rejected> {
    let checked = assembler.checked;
    let (errors, warnings): (Vec<_>, Vec<_>) =
        assembler.problems.into_iter().partition(|p| p.severity == Severity::Error);
    match process {
        Some(process) if errors.is_empty() => Ok(Assembled {
            name: name.to_owned(),
            definitions: Arc::new(checked.definitions.clone()),
            process,
            pools: checked.pools.clone(),
            warnings,
        }),
        _ => Err(Rejected(errors)),
    }
}

/// The members of a list, set or range that stands outside any model, as values of a known shape.
pub fn given_values(checked: &Checked, written: &tree::Expr, ty: &Type) -> Result<Vec<Value>, Rejected> {
    let value = outside_value(checked, written, |scope| {
        // The wanted type helps where a member does not show its own, as `None`.
        let (over, found) = scope.infer(written, Some(&Type::Set(Box::new(ty.shape()))));
        let element = match found {
            Type::List(element) | Type::Set(element) => *element,
            Type::Unknown => Type::Unknown,
            other => {
                scope.report(Problem::NotCollection { ty: scope.show(&other) }, written.span);
                Type::Unknown
            }
        };
        let local = scope.bind_local("it", element.clone());
        let member = Box::new(scope.coerce(Expr::Local(local), &element, &ty.shape(), written.span));
        let (makes, over) = (Collection::List, Box::new(over));
        Expr::Comprehension { makes, local, over, condition: None, key: None, element: member }
    })?;
    match value {
        Value::List(list) => Ok(list.to_vec()),
        _ => Ok(vec![]),
    }
}

/// The value of an expression that stands outside any model, of a known type.
pub fn given_value(checked: &Checked, written: &tree::Expr, ty: &Type) -> Result<Value, Rejected> {
    outside_value(checked, written, |scope| scope.check(written, ty))
}

fn outside_value(
    checked: &Checked,
    written: &tree::Expr,
    typed: impl FnOnce(&mut Scope<'_>) -> Expr,
) -> Result<Value, Rejected> {
    let mut problems = vec![];
    let mut scope = Scope::new(&checked.names, &checked.definitions, &mut problems);
    let expr = typed(&mut scope);
    problems.retain(|p| p.severity == Severity::Error);
    if !problems.is_empty() {
        return Err(Rejected(problems));
    }
    let bad = |failure: crate::term::Failure| Problem::BadValues { reason: failure.to_string() }.at(written.span);
    constant(&expr, &checked.definitions).map_err(|failure| Rejected(vec![bad(failure)]))
}

/// The model meant when none is named: the only one, or the only one that no other model contains.
fn only_model(checked: &Checked) -> Result<String, Problem> {
    let wholes: Vec<&str> = checked.wholes().into_iter().map(|m| m.name.as_str()).collect();
    match (wholes.as_slice(), checked.models.as_slice()) {
        (_, []) => Err(Problem::NoModel),
        ([only], _) => Ok((*only).to_owned()),
        (names, _) => Err(Problem::WhichModel { names: names.join(", ") }),
    }
}

/// State of putting a model together.
pub(super) struct Assembler<'a> {
    pub checked: &'a Checked,
    pub problems: Vec<Diagnostic>,
    /// Parameters and indices whose values are known here.
    pub known: Vec<(String, Value, Type)>,
    /// Models being put together, to find one that contains itself.
    open: Vec<String>,
    instances: usize,
}

impl<'a> Assembler<'a> {
    pub fn new(checked: &'a Checked) -> Assembler<'a> {
        Assembler { checked, problems: vec![], known: vec![], open: vec![], instances: 0 }
    }

    pub fn report(&mut self, problem: Problem, span: Span) {
        self.problems.push(problem.at(span));
    }

    /// The value of an expression over known parameters.
    pub fn value(&mut self, written: &tree::Expr, ty: Option<&Type>) -> Option<Value> {
        let mut problems = vec![];
        let mut scope = Scope::new(&self.checked.names, &self.checked.definitions, &mut problems);
        for (name, value, ty) in &self.known {
            scope.bindings.push((name.clone(), Binding::Known(value.clone(), ty.clone())));
        }
        let expr = match ty {
            Some(ty) => scope.check(written, ty),
            None => scope.infer(written, None).0,
        };
        problems.retain(|p| p.severity == Severity::Error);
        if !problems.is_empty() {
            self.problems.extend(problems);
            return None;
        }
        match constant(&expr, &self.checked.definitions) {
            Ok(value) => Some(value),
            Err(failure) => {
                let problem = Problem::ArgumentFails { what: "this value".into(), reason: failure.to_string() };
                self.report(problem, written.span);
                None
            }
        }
    }

    /// Values of an index: `i in 1..3`.
    pub fn members(&mut self, over: &tree::Expr) -> Option<Vec<Value>> {
        // The ends of a range say how many there are before they are listed.
        let too_many = match &over.kind {
            tree::ExprKind::Range(low, high) => {
                let (low, high) = (self.value(low, Some(&Type::INT))?, self.value(high, Some(&Type::INT))?);
                matches!((low, high), (Value::Int(low), Value::Int(high)) if &high - &low >= MAX_INSTANCES.into())
            }
            _ => false,
        };
        if too_many {
            self.report(Problem::TooManyInstances { limit: MAX_INSTANCES }, over.span);
            return None;
        }
        let values: Option<Vec<Value>> = match self.value(over, None)? {
            Value::List(list) => Some(list.to_vec()),
            Value::Set(set) => Some(set.iter().cloned().collect()),
            _ => None,
        };
        let values = values.filter(|values| values.iter().all(|v| matches!(v, Value::Int(_))));
        if values.is_none() {
            self.report(Problem::NotWhole, over.span);
        }
        values
    }

    /// Runs `f` with one more known name.
    pub fn with_known<T>(&mut self, name: &str, value: Value, f: impl FnOnce(&mut Self) -> T) -> T {
        self.known.push((name.to_owned(), value, Type::INT));
        let result = f(self);
        self.known.pop();
        result
    }

    /// A model for arguments. `path` is where it stands; at the top a machine's own name serves.
    pub fn model(&mut self, name: &tree::Ident, args: &[Arg], span: Span, path: &str, top: bool) -> Option<Process> {
        let Some(number) = self.checked.names.models.get(&name.name) else {
            let near = near(&name.name, self.checked.names.models.keys().map(String::as_str));
            self.report(Problem::UnknownModel { name: name.name.clone(), near }, name.span);
            return None;
        };
        let model = &self.checked.models[*number];
        if self.open.contains(&model.name) {
            self.report(Problem::RecursiveModel { name: model.name.clone() }, name.span);
            return None;
        }
        self.instances += 1;
        if self.instances > MAX_INSTANCES {
            if self.instances == MAX_INSTANCES + 1 {
                self.report(Problem::TooManyInstances { limit: MAX_INSTANCES }, span);
            }
            return None;
        }
        let values = self.arguments(&model.name, &model.params, args, span)?;
        let outer = std::mem::take(&mut self.known);
        let types = model.params.iter().map(|p| p.ty.clone());
        self.known =
            (model.params.iter().zip(&values).zip(types)).map(|((p, v), t)| (p.name.clone(), v.clone(), t)).collect();
        self.open.push(model.name.clone());
        let process = match &model.body {
            ModelBody::Machine(machine) => self.closed(machine, &values).map(|machine| {
                let (name, prefix) =
                    if top { (model.name.clone(), String::new()) } else { (path.to_owned(), format!("{path}.")) };
                let kind = machine.kind;
                let instance = MachineInstance { name, prefix, machine };
                match kind {
                    MachineKind::Sts => Process::Machine(instance),
                    MachineKind::Component => Process::Lockstep(Lockstep::of_one(instance)),
                }
            }),
            ModelBody::System(system) => self.system(system, path).map(Process::Lockstep),
            ModelBody::Composition(composition) => self.composition(composition, path),
        };
        self.open.pop();
        self.known = outer;
        process
    }

    /// A machine with values for its parameters, and values for its variables to start with.
    fn closed(&mut self, machine: &Machine, values: &[Value]) -> Option<Machine> {
        let definitions = &self.checked.definitions;
        let mut machine = close(machine, values, definitions);
        let before = self.problems.len();
        for var in &mut machine.vars {
            let Some(init) = &var.init else { continue };
            let fuel = Fuel::new();
            let env = Env { definitions, slots: &[], fuel: &fuel };
            let value = constant(init, definitions).and_then(|value| Ok((contains(&var.ty, &value, env)?, value)));
            let problem = match value {
                Ok((true, value)) => {
                    var.init = Some(Expr::Const(value));
                    continue;
                }
                Ok((false, value)) => {
                    let value = Shown { value: &value, definitions }.to_string();
                    Problem::OutsideType { value, ty: var.ty.name(definitions) }
                }
                Err(failure) => {
                    let what = format!("the value of `{}`", var.name);
                    Problem::ArgumentFails { what, reason: failure.to_string() }
                }
            };
            self.problems.push(problem.at(var.span));
        }
        for argument in machine.service.iter().flat_map(|shape| &shape.arguments) {
            if let Err(failure) = constant(&argument.value, definitions) {
                let what = format!("the value of `{}`", argument.name);
                self.problems.push(Problem::ArgumentFails { what, reason: failure.to_string() }.at(argument.span));
            }
        }
        (self.problems.len() == before).then_some(machine)
    }

    /// Values of a model's parameters, from arguments and defaults.
    pub fn arguments(&mut self, what: &str, params: &[Parameter], args: &[Arg], span: Span) -> Option<Vec<Value>> {
        let mut given: Vec<Option<&tree::Expr>> = vec![None; params.len()];
        for (position, arg) in args.iter().enumerate() {
            let index = match &arg.name {
                None => position,
                Some(name) => match params.iter().position(|p| p.name == name.name) {
                    Some(index) => index,
                    None => {
                        let near = near(&name.name, params.iter().map(|p| p.name.as_str()));
                        let what = what.to_owned();
                        self.report(Problem::UnknownArgument { what, name: name.name.clone(), near }, name.span);
                        return None;
                    }
                },
            };
            if index >= given.len() {
                let (expected, found) = (params.len(), args.len());
                self.report(Problem::ArgumentCount { what: what.to_owned(), expected, found }, span);
                return None;
            }
            if given[index].replace(&arg.value).is_some() {
                self.report(Problem::GivenTwice { name: params[index].name.clone() }, arg.value.span);
                return None;
            }
        }
        let mut values: Vec<Value> = vec![];
        for (param, written) in params.iter().zip(given) {
            let definitions = &self.checked.definitions;
            let ty = close_type(&param.ty, &values, definitions);
            let value = match (written, &param.default) {
                (Some(written), _) => self.value(written, Some(&ty.shape()))?,
                (None, Some(default)) => match constant(&substituted(default, &values), definitions) {
                    Ok(value) => value,
                    Err(failure) => {
                        let what = format!("the value of `{}`", param.name);
                        let problem = Problem::ArgumentFails { what, reason: failure.to_string() };
                        self.report(problem, param.span);
                        return None;
                    }
                },
                (None, None) => {
                    let problem = Problem::MissingArgument { what: what.to_owned(), name: param.name.clone() };
                    self.report(problem, span);
                    return None;
                }
            };
            let fuel = Fuel::new();
            let env = Env { definitions, slots: &[], fuel: &fuel };
            let at = written.map_or(param.span, |w| w.span);
            let problem = match contains(&ty, &value, env) {
                Ok(true) => {
                    values.push(value);
                    continue;
                }
                Ok(false) => {
                    let value = Shown { value: &value, definitions }.to_string();
                    Problem::OutsideType { value, ty: ty.name(definitions) }
                }
                Err(failure) => {
                    Problem::ArgumentFails { what: format!("`{}`", param.name), reason: failure.to_string() }
                }
            };
            self.report(problem, at);
            return None;
        }
        Some(values)
    }

    fn composition(&mut self, composition: &tree::Composition, path: &str) -> Option<Process> {
        let mut names = BTreeSet::new();
        self.process(&composition.process, path, "", &mut names)
    }

    fn process(
        &mut self,
        written: &tree::Process,
        path: &str,
        index: &str,
        names: &mut BTreeSet<String>,
    ) -> Option<Process> {
        match &written.kind {
            ProcessKind::Error => None,
            ProcessKind::Model { label, model } => {
                let own = label.as_ref().map_or(&model.name.name, |l| &l.name);
                let own = format!("{own}{index}");
                if !names.insert(own.clone()) {
                    self.report(Problem::InstanceName { name: own }, written.span);
                    return None;
                }
                let path = if path.is_empty() { own } else { format!("{path}.{own}") };
                self.model(&model.name, &model.args, model.span, &path, false)
            }
            ProcessKind::Parallel(operator, left, right) => {
                let left = self.process(left, path, index, names);
                let right = self.process(right, path, index, names);
                self.parallel(*operator, left?, right?, written.span)
            }
            ProcessKind::Replicated { operator, variable, over, body } => {
                let mut parts = vec![];
                for value in self.members(over)? {
                    let Value::Int(n) = &value else { continue };
                    let index = format!("{index}[{n}]");
                    parts.push(self.with_known(&variable.name, value, |a| a.process(body, path, &index, names))?);
                }
                if parts.is_empty() {
                    self.report(Problem::NothingToCompose, over.span);
                    return None;
                }
                self.all_parallel(*operator, parts, written.span)
            }
            ProcessKind::Hide(inner, gates) => {
                let inner = self.process(inner, path, index, names)?;
                let known = inner.gates();
                let mut hidden = BTreeSet::new();
                for gate in gates {
                    hidden.insert(self.gate(gate, &known)?);
                }
                Some(Process::Hide(Box::new(inner), hidden))
            }
            ProcessKind::Rename(inner, pairs) => {
                let inner = self.process(inner, path, index, names)?;
                let known = inner.gates();
                let mut renamed = BTreeMap::new();
                for (from, to) in pairs {
                    let from_name = self.gate(from, &known)?;
                    let to_name = self.gate_name(to)?;
                    if to_name == SILENCE {
                        self.report(Problem::BuiltinName { name: to_name }, to.name.span);
                        return None;
                    }
                    if renamed.insert(from_name.clone(), to_name).is_some() {
                        self.report(Problem::GivenTwice { name: from_name }, from.name.span);
                    }
                }
                self.renaming_fits(&known, &renamed, written.span)?;
                Some(Process::Rename(Box::new(inner), renamed))
            }
        }
    }

    /// Many processes together. Both operators are associative; halving keeps the tree of a large family shallow.
    fn all_parallel(&mut self, operator: Parallel, mut parts: Vec<Process>, span: Span) -> Option<Process> {
        if parts.len() <= 1 {
            return parts.pop();
        }
        let right = parts.split_off(parts.len() / 2);
        let left = self.all_parallel(operator, parts, span)?;
        let right = self.all_parallel(operator, right, span)?;
        self.parallel(operator, left, right, span)
    }

    fn parallel(&mut self, operator: Parallel, left: Process, right: Process, span: Span) -> Option<Process> {
        let (left_gates, right_gates) = (left.gates(), right.gates());
        for (name, l) in &left_gates {
            let Some(r) = right_gates.get(name) else { continue };
            let shapes = |s: &GateSignature| s.params.iter().map(|(_, t)| t.shape()).collect::<Vec<_>>();
            if operator == Parallel::Handshake && (l.is_tick || r.is_tick) {
                self.report(Problem::TickShared, span);
                return None;
            }
            if shapes(l) != shapes(r) || l.is_tick != r.is_tick {
                let show = |s: &GateSignature| {
                    let params = s.params.iter().map(|(n, t)| format!("{n}: {}", t.name(&self.checked.definitions)));
                    format!("`{name}({})`", params.collect::<Vec<_>>().join(", "))
                };
                let (left, right) = (show(l), show(r));
                self.report(Problem::GatesDiffer { name: name.clone(), left, right }, span);
                return None;
            }
        }
        Some(Process::Parallel(operator, Box::new(left), Box::new(right)))
    }

    fn gate_name(&mut self, gate: &GateName) -> Option<String> {
        Some(match &gate.index {
            None => gate.name.name.clone(),
            Some(index) => {
                let value = self.value(index, Some(&Type::INT))?;
                format!("{}[{}]", gate.name.name, Shown { value: &value, definitions: &self.checked.definitions })
            }
        })
    }

    fn gate(&mut self, gate: &GateName, known: &BTreeMap<String, GateSignature>) -> Option<String> {
        let name = self.gate_name(gate)?;
        if !known.contains_key(&name) {
            let near = near(&name, known.keys().map(String::as_str));
            self.report(Problem::UnknownGate { name, near }, gate.name.span);
            return None;
        }
        Some(name)
    }

    /// Gates that get one name must be alike: in direction, and in what they carry.
    fn renaming_fits(
        &mut self,
        known: &BTreeMap<String, GateSignature>,
        renamed: &BTreeMap<String, String>,
        span: Span,
    ) -> Option<()> {
        let mut seen: BTreeMap<&str, &GateSignature> = BTreeMap::new();
        for (name, signature) in known {
            let new = renamed.get(name).unwrap_or(name);
            let Some(other) = seen.insert(new, signature) else { continue };
            let types = |s: &GateSignature| s.params.iter().map(|(_, ty)| ty.clone()).collect::<Vec<_>>();
            let differs = if types(other) != types(signature) {
                "parameters"
            } else if other.direction != signature.direction || other.is_tick != signature.is_tick {
                "directions"
            } else {
                continue;
            };
            self.report(Problem::RenamedTogether { name: new.clone(), differs }, span);
            return None;
        }
        Some(())
    }
}

impl Lockstep {
    /// A component alone: all its channels lead to the environment.
    fn of_one(instance: MachineInstance) -> Lockstep {
        let mut system = Lockstep::default();
        for (number, channel) in instance.machine.channels.iter().enumerate() {
            let (name, ty) = (channel.name.clone(), channel.ty.clone());
            match channel.direction {
                Direction::In => system.inputs.push(Input { name, ty, readers: vec![(0, number)] }),
                Direction::Out => system.outputs.push(Output { name, ty, writer: (0, number) }),
            }
        }
        system.components.push(instance);
        system
    }
}

fn substituted(expr: &Expr, values: &[Value]) -> Expr {
    expr.map_leaves(&mut |leaf| match leaf {
        Expr::Param(index) => Some(Expr::Const(values[*index].clone())),
        _ => None,
    })
}

/// A type whose bounds are numbers. A bound that has no value stays open, and nothing belongs to the type.
fn close_type(ty: &Type, values: &[Value], definitions: &Definitions) -> Type {
    ty.map_bounds(&mut |bound| match bound {
        Bound::Known(_) => bound.clone(),
        Bound::Open(expr, written) => {
            let expr = substituted(expr, values);
            match constant(&expr, definitions) {
                Ok(Value::Int(n)) => Bound::Known(n),
                _ => Bound::Open(Box::new(expr), written.clone()),
            }
        }
    })
}

/// A machine with values for its parameters.
fn close(machine: &Machine, values: &[Value], definitions: &Definitions) -> Machine {
    let mut out = machine.clone();
    let expr = |e: &Expr| substituted(e, values);
    let ty = |t: &Type| close_type(t, values, definitions);
    for var in &mut out.vars {
        var.ty = ty(&var.ty);
        var.init = var.init.as_ref().map(expr);
    }
    for channel in &mut out.channels {
        channel.ty = ty(&channel.ty);
    }
    for gate in &mut out.gates {
        for (_, param) in &mut gate.params {
            *param = ty(param);
        }
    }
    for transition in &mut out.transitions {
        for conjunct in &mut transition.guard {
            conjunct.expr = expr(&conjunct.expr);
        }
        for (_, update) in &mut transition.updates {
            *update = expr(update);
        }
        for send in &mut transition.sends {
            send.value = expr(&send.value);
            send.condition = send.condition.as_ref().map(expr);
        }
    }
    out.service = machine.service.as_ref().map(|shape| shape.mapped(&expr, &|var| var));
    out
}
