//! Declarations: types, functions, constants and models, in the order in which they depend on each other.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use super::checked::*;
use super::problem::{Problem, near};
use super::scope::{BUILTIN_TYPES, Binding, Scope};
use crate::diagnostic::{Diagnostic, each_once};
use crate::syntax::tree::{
    self, Arg, Drawn, ExprKind, FormulaKind, Ident, Item, ModelUse, Param, PurposeKind, TypeBody, TypeExpr,
    TypeExprKind,
};
use crate::syntax::{Sources, Span};
use crate::term::{
    Builtin, Constructor, DataType, Definitions, Env, Expr, Failure, Fuel, Function, Refinement, Type, TypeId, Value,
    contains, eval,
};

/// Checks everything that was read. The result is usable as far as it goes even when there are errors.
pub fn check(sources: &Sources) -> (Checked, Vec<Diagnostic>) {
    let items: Vec<&Item> = sources.files().iter().flat_map(|file| &file.tree.items).collect();
    let mut declarations = Declarations { items, checked: Checked::default(), problems: vec![] };
    declarations.collect();
    declarations.types();
    declarations.signatures();
    declarations.constants();
    declarations.bodies();
    declarations.models();
    declarations.pools();
    let Declarations { checked, mut problems, .. } = declarations;
    each_once(&mut problems);
    (checked, problems)
}

struct Declarations<'a> {
    items: Vec<&'a Item>,
    checked: Checked,
    problems: Vec<Diagnostic>,
}

impl<'a> Declarations<'a> {
    fn report(&mut self, problem: Problem, span: Span) {
        self.problems.push(problem.at(span));
    }

    /// Runs `f` in the global scope, then gives back what it used.
    fn scoped<T>(&mut self, f: impl FnOnce(&mut Scope<'_>) -> T) -> T {
        let mut scope = Scope::new(&self.checked.names, &self.checked.definitions, &mut self.problems);
        f(&mut scope)
    }

    /// Every global name is declared once. Types, models and purposes may share a name with a value.
    fn collect(&mut self) {
        let mut values: BTreeMap<String, Span> = BTreeMap::new();
        let mut types: BTreeMap<String, Span> = BTreeMap::new();
        let mut models: BTreeMap<String, Span> = BTreeMap::new();
        let mut purposes: BTreeMap<String, Span> = BTreeMap::new();
        for item in self.items.clone() {
            match item {
                Item::Const(c) => self.declare(&mut values, &c.name),
                Item::Fun(f) => self.declare(&mut values, &f.name),
                Item::Type(t) => {
                    self.declare(&mut types, &t.name);
                    match &t.body {
                        TypeBody::Variants(variants) => {
                            variants.iter().for_each(|v| self.declare(&mut values, &v.name));
                        }
                        TypeBody::Record(_) => self.declare(&mut values, &t.name),
                        TypeBody::Alias { .. } => {}
                    }
                }
                Item::Machine(m) => self.declare(&mut models, &m.name),
                Item::System(s) => self.declare(&mut models, &s.name),
                Item::Composition(c) => self.declare(&mut models, &c.name),
                Item::Service(s) => self.declare(&mut models, &s.name),
                Item::Purpose(p) => self.declare(&mut purposes, &p.name),
                Item::Rule(r) => self.declare(&mut purposes, &r.name),
                Item::Chart(c) => self.declare(&mut purposes, &c.name),
                Item::Scenario(s) => self.declare(&mut purposes, &s.name),
                Item::Import(_) | Item::Pool(_) => {}
            }
        }
    }

    fn declare(&mut self, known: &mut BTreeMap<String, Span>, name: &Ident) {
        let builtin = Builtin::NAMED.iter().any(|(n, ..)| *n == name.name)
            || BUILTIN_TYPES.contains(&name.name.as_str())
            || ["Some", "None", "it"].contains(&name.name.as_str());
        if builtin {
            self.report(Problem::BuiltinName { name: name.name.clone() }, name.span);
        }
        if let Some(first) = known.insert(name.name.clone(), name.span) {
            let mut diagnostic = Problem::Duplicate { name: name.name.clone() }.at(name.span);
            diagnostic.related.push((first, "first declared here".to_owned()));
            self.problems.push(diagnostic);
        }
    }

    fn types(&mut self) {
        let decls: Vec<&'a tree::TypeDecl> = (self.items.iter())
            .filter_map(|item| match item {
                Item::Type(t) => Some(t),
                _ => None,
            })
            .collect();
        let consts = self.items.iter().filter_map(|item| match item {
            Item::Const(c) => Some(c),
            _ => None,
        });
        // Bounds of ranges may name constants, whose own types are found later.
        for (id, c) in consts.enumerate() {
            self.checked.names.constants.insert(c.name.name.clone(), (id, Type::Unknown));
            self.checked.definitions.constants.push(None);
        }
        // Data types first, so that they can refer to each other and themselves.
        let mut data: Vec<(TypeId, &'a tree::TypeDecl)> = vec![];
        for decl in &decls {
            if !matches!(decl.body, TypeBody::Alias { .. }) {
                let id = self.checked.definitions.types.len();
                data.push((id, decl));
                let is_record = matches!(decl.body, TypeBody::Record(_));
                let name = decl.name.name.clone();
                self.checked.names.types.insert(name.clone(), Type::Data(id));
                self.checked.definitions.types.push(DataType {
                    name,
                    constructors: vec![],
                    is_record,
                    is_narrow: false,
                });
            }
        }
        self.aliases(&decls);
        for &(id, decl) in &data {
            let constructors = self.constructors(decl);
            for (number, constructor) in constructors.iter().enumerate() {
                self.checked.names.constructors.insert(constructor.name.clone(), (id, number as u32));
            }
            self.checked.definitions.types[id].constructors = constructors;
        }
        self.checked.definitions.find_narrow();
        self.inhabited(&data);
    }

    /// Aliases in an order in which each finds those it needs.
    fn aliases(&mut self, decls: &[&'a tree::TypeDecl]) {
        let aliases: Vec<(&Ident, &TypeExpr, bool)> = (decls.iter())
            .filter_map(|decl| match &decl.body {
                TypeBody::Alias { base, refinement } => Some((&decl.name, base, refinement.is_some())),
                _ => None,
            })
            .collect();
        let needs: Vec<_> = aliases.iter().map(|(name, base, _)| (name.name.as_str(), type_names(base))).collect();
        for group in in_order(&needs) {
            match group {
                Group::Cycle(numbers) => {
                    let names: Vec<&Ident> = numbers.iter().map(|number| aliases[*number].0).collect();
                    let (name, cycle) = (names[0].name.clone(), shown_cycle(&names));
                    self.report(Problem::CyclicType { name, cycle }, names[0].span);
                    for name in names {
                        self.checked.names.types.insert(name.name.clone(), Type::Unknown);
                    }
                }
                Group::One(number) => {
                    let (name, base, is_refined) = aliases[number];
                    let mut ty = self.scoped(|s| s.resolve(base));
                    if is_refined {
                        let refinement = Refinement { name: name.name.clone(), condition: Expr::UNKNOWN };
                        self.checked.definitions.refinements.push(refinement);
                        ty = Type::Refined(self.checked.definitions.refinements.len() - 1, Box::new(ty));
                    }
                    self.checked.names.types.insert(name.name.clone(), ty);
                }
            }
        }
    }

    fn constructors(&mut self, decl: &tree::TypeDecl) -> Vec<Constructor> {
        match &decl.body {
            TypeBody::Alias { .. } => vec![],
            TypeBody::Record(fields) => {
                let mut known = BTreeSet::new();
                let fields = fields.iter().map(|f| {
                    if !known.insert(f.name.name.clone()) {
                        self.report(Problem::Duplicate { name: f.name.name.clone() }, f.name.span);
                    }
                    (f.name.name.clone(), self.scoped(|s| s.resolve(&f.ty)))
                });
                let fields = fields.collect();
                vec![Constructor { name: decl.name.name.clone(), fields }]
            }
            TypeBody::Variants(variants) => variants
                .iter()
                .map(|v| {
                    let mut known = BTreeSet::new();
                    for name in v.fields.iter().filter_map(|f| f.name.as_ref()) {
                        if !known.insert(&name.name) {
                            self.report(Problem::Duplicate { name: name.name.clone() }, name.span);
                        }
                    }
                    let fields = v.fields.iter().enumerate().map(|(i, f)| {
                        let name = f.name.as_ref().map_or_else(|| (i + 1).to_string(), |n| n.name.clone());
                        (name, self.scoped(|s| s.resolve(&f.ty)))
                    });
                    Constructor { name: v.name.name.clone(), fields: fields.collect() }
                })
                .collect(),
        }
    }

    /// Every data type has a finite value: the least fixed point of "some constructor needs only types that have one".
    fn inhabited(&mut self, data: &[(TypeId, &'a tree::TypeDecl)]) {
        fn has_value(ty: &Type, known: &BTreeSet<usize>) -> bool {
            match ty {
                Type::Data(id) => known.contains(id),
                Type::Refined(_, inner) => has_value(inner, known),
                _ => true,
            }
        }
        let types = &self.checked.definitions.types;
        let mut known = BTreeSet::new();
        loop {
            let before = known.len();
            for (id, ty) in types.iter().enumerate() {
                if ty.constructors.iter().any(|c| c.fields.iter().all(|(_, t)| has_value(t, &known))) {
                    known.insert(id);
                }
            }
            if known.len() == before {
                break;
            }
        }
        for (_, decl) in data.iter().filter(|(id, _)| !known.contains(id)) {
            self.report(Problem::TypeWithoutBase { name: decl.name.name.clone() }, decl.name.span);
        }
    }

    fn signatures(&mut self) {
        for item in self.items.clone() {
            let Item::Fun(f) = item else { continue };
            let params = f.params.iter().map(|p| match &p.ty {
                Some(ty) => self.scoped(|s| s.resolve(ty)),
                None => Type::Unknown,
            });
            let params = params.collect();
            let result = self.scoped(|s| s.resolve(&f.result));
            let id = self.checked.definitions.functions.len();
            self.checked.names.functions.insert(f.name.name.clone(), id);
            let function = Function { name: f.name.name.clone(), params, result, body: Expr::UNKNOWN };
            self.checked.definitions.functions.push(function);
        }
    }

    /// Types of constants, each after those it mentions; their values need the functions and come later.
    fn constants(&mut self) {
        let decls: Vec<&'a tree::ConstDecl> = (self.items.iter())
            .filter_map(|item| match item {
                Item::Const(c) => Some(c),
                _ => None,
            })
            .collect();
        // Where a type is written, the value does not matter yet.
        let mentioned = |c: &tree::ConstDecl| if c.ty.is_some() { BTreeSet::new() } else { names_in(&c.value) };
        let needs: Vec<_> = decls.iter().map(|c| (c.name.name.as_str(), mentioned(c))).collect();
        for group in in_order(&needs) {
            match group {
                Group::Cycle(numbers) => {
                    let names: Vec<&Ident> = numbers.iter().map(|number| &decls[*number].name).collect();
                    let (name, cycle) = (names[0].name.clone(), shown_cycle(&names));
                    self.report(Problem::CyclicConstant { name, cycle }, names[0].span);
                }
                Group::One(number) => {
                    let c = decls[number];
                    let ty = match &c.ty {
                        Some(ty) => self.scoped(|s| s.resolve(ty)),
                        // What is wrong here is found again with the value, and reported once.
                        None => self.scoped(|s| s.infer(&c.value, None).1),
                    };
                    if let Some(entry) = self.checked.names.constants.get_mut(&c.name.name) {
                        entry.1 = ty;
                    }
                }
            }
        }
    }

    /// Bodies of functions, conditions of refinements, values of constants.
    fn bodies(&mut self) {
        let mut const_exprs: Vec<(usize, Ident, Expr, Type)> = vec![];
        // By number, not by name: of two functions with one name each has its own body.
        let mut functions = 0;
        for item in self.items.clone() {
            match item {
                Item::Fun(f) => {
                    self.function(functions, f);
                    functions += 1;
                }
                Item::Type(t) => {
                    if let TypeBody::Alias { refinement: Some(condition), .. } = &t.body
                        && let Some(Type::Refined(id, base)) = self.checked.names.types.get(&t.name.name).cloned()
                    {
                        let condition = self.scoped(|s| {
                            s.bind_local("it", *base);
                            s.condition(condition)
                        });
                        self.checked.definitions.refinements[id].condition = condition;
                    }
                }
                Item::Const(c) => {
                    let Some((id, ty)) = self.checked.names.constants.get(&c.name.name).cloned() else { continue };
                    let expr = self.scoped(|s| s.check(&c.value, &ty));
                    const_exprs.push((id, c.name.clone(), expr, ty));
                }
                _ => {}
            }
        }
        if !self.problems.iter().any(|p| p.severity == crate::diagnostic::Severity::Error) {
            let mut visits = Visits::default();
            for index in 0..const_exprs.len() {
                self.evaluate(index, &const_exprs, &mut visits);
            }
        }
    }

    fn function(&mut self, id: usize, f: &tree::FunDecl) {
        let Function { params, result, .. } = self.checked.definitions.functions[id].clone();
        let mut known = BTreeSet::new();
        for p in &f.params {
            if !known.insert(&p.name.name) {
                self.report(Problem::Duplicate { name: p.name.name.clone() }, p.name.span);
            }
            if let Some(default) = &p.default {
                let (what, machine) = ("a default value".to_owned(), "a function".to_owned());
                let mend = "give the value where the function is called".to_owned();
                self.report(Problem::WrongStyle { what, machine, mend }, default.span);
            }
        }
        let body = self.scoped(|s| {
            for (param, ty) in f.params.iter().zip(params) {
                s.bind_local(&param.name.name, ty);
            }
            s.check(&f.body, &result)
        });
        self.checked.definitions.functions[id].body = body;
    }

    /// The value of a constant, after those it needs.
    fn evaluate(&mut self, index: usize, all: &[(usize, Ident, Expr, Type)], visits: &mut Visits) {
        let (id, name, expr, ty) = &all[index];
        if self.checked.definitions.constants[*id].is_some() || visits.failed.contains(&index) {
            return;
        }
        if let Some(at) = visits.open.iter().position(|open| *open == index) {
            let names: Vec<&Ident> = visits.open[at..].iter().map(|index| &all[*index].1).collect();
            let (name, cycle) = (names[0].name.clone(), shown_cycle(&names));
            self.report(Problem::CyclicConstant { name, cycle }, names[0].span);
            return;
        }
        visits.open.push(index);
        loop {
            let fuel = Fuel::new();
            let env = Env { definitions: &self.checked.definitions, slots: &[], fuel: &fuel };
            let value = eval(expr, env, &mut vec![]).and_then(|value| match contains(ty, &value, env)? {
                true => Ok(value),
                false => {
                    let shown = crate::term::Shown { value: &value, definitions: env.definitions };
                    Err(Failure::Undefined(format!("{shown} is not in {}", ty.name(env.definitions))))
                }
            });
            match value {
                Ok(value) => {
                    self.checked.definitions.constants[*id] = Some(value);
                    break;
                }
                Err(Failure::Unset(other)) => {
                    let needed = all.iter().position(|(id, ..)| *id == other);
                    if let Some(needed) = needed {
                        // One constant may lead to the next a thousand times over.
                        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.evaluate(needed, all, visits));
                    }
                    if self.checked.definitions.constants[other].is_none() {
                        break;
                    }
                }
                Err(failure) => {
                    let problem = Problem::ConstantFails { name: name.name.clone(), reason: failure.to_string() };
                    self.report(problem, name.span);
                    break;
                }
            }
        }
        visits.open.pop();
        if self.checked.definitions.constants[*id].is_none() {
            visits.failed.insert(index);
        }
    }

    fn models(&mut self) {
        let services = (self.items.iter())
            .filter_map(|item| match item {
                Item::Service(service) => Some((service.name.name.as_str(), service)),
                _ => None,
            })
            .collect();
        for item in self.items.clone() {
            let (name, span, params): (&Ident, Span, &[Param]) = match item {
                Item::Machine(m) => (&m.name, m.span, &m.params),
                Item::System(s) => (&s.name, s.span, &s.params),
                Item::Composition(c) => (&c.name, c.span, &c.params),
                Item::Service(s) => (&s.name, s.span, &s.params),
                Item::Purpose(p) => {
                    let params = self.params(&p.params);
                    self.checked.purposes.push(DeclaredPurpose { params, tree: p.clone() });
                    continue;
                }
                Item::Rule(r) => {
                    self.checked.rules.push(r.clone());
                    continue;
                }
                Item::Chart(c) => {
                    self.drawn(Drawn::Chart, &c.name, &c.params, &c.model, c.span);
                    self.checked.charts.push(c.clone());
                    continue;
                }
                Item::Scenario(s) => {
                    let drawn = if s.free.is_empty() { Drawn::Scenario } else { Drawn::Match };
                    self.drawn(drawn, &s.name, &s.params, &s.model, s.span);
                    self.checked.scenarios.push(s.clone());
                    continue;
                }
                _ => continue,
            };
            let params = self.params(params);
            let body = match item {
                Item::Machine(m) => {
                    let machine = self.scoped(|s| {
                        s.bindings.extend(in_scope(&params));
                        s.machine(m)
                    });
                    ModelBody::Machine(machine)
                }
                Item::System(s) => ModelBody::System(s.clone()),
                Item::Composition(c) => ModelBody::Composition(c.clone()),
                Item::Service(service) => {
                    let machine = self.scoped(|s| {
                        s.bindings.extend(in_scope(&params));
                        s.service(service, &services)
                    });
                    ModelBody::Machine(machine)
                }
                _ => continue,
            };
            let number = self.checked.models.len();
            self.checked.names.models.insert(name.name.clone(), number);
            self.checked.models.push(Model { name: name.name.clone(), span, params, body });
        }
        self.used_models();
        for rule in &self.checked.rules {
            self.problems.extend(super::purpose::check_rule(&self.checked, rule));
        }
    }

    /// A chart or a pattern is a purpose as well: that of runs with it.
    fn drawn(&mut self, drawn: Drawn, name: &Ident, params: &[Param], model: &ModelUse, span: Span) {
        let args = params.iter().map(|param| Arg {
            name: None,
            value: tree::Expr { kind: ExprKind::Name(param.name.name.clone()), span: param.name.span, depth: 1 },
        });
        let used = ModelUse { name: name.clone(), args: args.collect(), span: name.span };
        let formula = tree::Formula { kind: FormulaKind::Drawn(drawn, used), span: name.span, depth: 2 };
        let tree = tree::Purpose {
            kind: PurposeKind::Purpose,
            name: name.clone(),
            params: params.to_vec(),
            model: model.clone(),
            constraints: vec![tree::Constraint::Formula { label: None, formula }],
            span,
        };
        let params = self.params(params);
        self.checked.purposes.push(DeclaredPurpose { params, tree });
    }

    fn pools(&mut self) {
        let (pools, problems) = super::pool::check(&self.checked, &self.items);
        self.checked.pools = Arc::new(pools);
        self.problems.extend(problems);
    }

    /// Models that others are made of exist. Everything else about a composition needs values for its parameters.
    fn used_models(&mut self) {
        let of_purposes = self.checked.purposes.iter().map(|p| &p.tree.model.name);
        let uses = self.checked.models.iter().flat_map(|m| m.body.uses()).chain(of_purposes);
        let unknown: Vec<Ident> =
            uses.filter(|name| !self.checked.names.models.contains_key(&name.name)).cloned().collect();
        for Ident { name, span } in unknown {
            let near = near(&name, self.checked.names.models.keys().map(String::as_str));
            self.report(Problem::UnknownModel { name, near }, span);
        }
    }

    /// Parameters of a model; later ones may use earlier ones in their types and defaults.
    fn params(&mut self, written: &[Param]) -> Vec<Parameter> {
        let mut out: Vec<Parameter> = vec![];
        for param in written {
            if out.iter().any(|p| p.name == param.name.name) {
                self.report(Problem::Duplicate { name: param.name.name.clone() }, param.name.span);
            }
            let (ty, default) = self.scoped(|s| {
                s.bindings.extend(in_scope(&out));
                let ty = param.ty.as_ref().map_or(Type::Unknown, |t| s.resolve(t));
                let default = param.default.as_ref().map(|d| s.check(d, &ty));
                (ty, default)
            });
            out.push(Parameter { name: param.name.name.clone(), ty, default, span: param.name.span });
        }
        out
    }
}

/// Parameters of a model, as names.
fn in_scope(params: &[Parameter]) -> impl Iterator<Item = (String, Binding)> {
    params.iter().enumerate().map(|(index, param)| (param.name.clone(), Binding::Param(index, param.ty.clone())))
}

/// All type names in a type.
fn type_names(ty: &TypeExpr) -> BTreeSet<String> {
    match &ty.kind {
        TypeExprKind::Named { name, args } => args.iter().flat_map(type_names).chain([name.name.clone()]).collect(),
        _ => BTreeSet::new(),
    }
}

/// All names that an expression takes from outside.
fn names_in(e: &tree::Expr) -> BTreeSet<String> {
    let without = |names: BTreeSet<String>, bound: &BTreeSet<String>| names.difference(bound).cloned().collect();
    let one = |name: &Ident| BTreeSet::from([name.name.clone()]);
    match &e.kind {
        ExprKind::Name(name) => BTreeSet::from([name.clone()]),
        ExprKind::Let(name, outer, inner) | ExprKind::Quantified(_, name, outer, inner) => {
            let inner: BTreeSet<String> = without(names_in(inner), &one(name));
            names_in(outer).union(&inner).cloned().collect()
        }
        ExprKind::Comprehension(c) => {
            let inner = e.children().into_iter().filter(|child| **child != c.over).flat_map(names_in).collect();
            let inner: BTreeSet<String> = without(inner, &one(&c.variable));
            names_in(&c.over).union(&inner).cloned().collect()
        }
        ExprKind::Match(scrutinee, arms) => {
            let in_arms = arms.iter().flat_map(|arm| {
                let inner = arm.guard.iter().chain([&arm.body]).flat_map(names_in).collect();
                let inner: BTreeSet<String> = without(inner, &names_in(&arm.pattern));
                inner
            });
            names_in(scrutinee).into_iter().chain(in_arms).collect()
        }
        _ => e.children().into_iter().flat_map(names_in).collect(),
    }
}

/// Constants on the way to a value.
#[derive(Default)]
struct Visits {
    /// Those whose values are being computed, each needed by the one before.
    open: Vec<usize>,
    /// Those that have no value; that has been reported.
    failed: BTreeSet<usize>,
}

/// A declaration that comes after those it needs, or some that need each other.
enum Group {
    One(usize),
    Cycle(Vec<usize>),
}

/// Brings declarations, each with its name and the names it needs, into an order in which each finds what it needs.
fn in_order(declarations: &[(&str, BTreeSet<String>)]) -> Vec<Group> {
    let numbers: BTreeMap<&str, usize> = declarations.iter().enumerate().map(|(i, (name, _))| (*name, i)).collect();
    let needs: Vec<Vec<usize>> = (declarations.iter())
        .map(|(_, needs)| needs.iter().filter_map(|name| numbers.get(name.as_str()).copied()).collect())
        .collect();
    let mut needed_by = vec![vec![]; needs.len()];
    for (user, needs) in needs.iter().enumerate() {
        needs.iter().for_each(|need| needed_by[*need].push(user));
    }
    let mut missing: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut done = vec![false; needs.len()];
    let mut ready: VecDeque<usize> = (0..needs.len()).filter(|i| missing[*i] == 0).collect();
    let mut out = vec![];
    for first in 0..needs.len() {
        loop {
            let group = match ready.pop_front() {
                Some(next) => Group::One(next),
                None if done[first] => break,
                // Everything left needs something that is left, so this way comes back to itself.
                None => {
                    let mut way = vec![first];
                    loop {
                        let last = way[way.len() - 1];
                        let next = needs[last].iter().copied().find(|need| !done[*need]).unwrap_or(last);
                        match way.iter().position(|seen| *seen == next) {
                            Some(at) => break Group::Cycle(way.split_off(at)),
                            None => way.push(next),
                        }
                    }
                }
            };
            let members = match &group {
                Group::One(one) => std::slice::from_ref(one),
                Group::Cycle(cycle) => cycle,
            };
            members.iter().for_each(|member| done[*member] = true);
            for user in members.iter().flat_map(|member| &needed_by[*member]) {
                missing[*user] -= 1;
                if missing[*user] == 0 && !done[*user] {
                    ready.push_back(*user);
                }
            }
            out.push(group);
        }
    }
    out
}

/// `A -> B -> A`
fn shown_cycle(names: &[&Ident]) -> String {
    let names: Vec<&str> = names.iter().chain(names.first()).map(|name| name.name.as_str()).collect();
    names.join(" -> ")
}

/// The value of an expression that needs no model.
pub(super) fn constant(expr: &Expr, definitions: &Definitions) -> Result<Value, Failure> {
    let fuel = Fuel::new();
    eval(expr, Env { definitions, slots: &[], fuel: &fuel }, &mut vec![])
}
