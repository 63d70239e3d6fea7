//! Services: nodes that collect events in any order, or wait for one of several.
//!
//! A service becomes a machine with gates. A node is a state, an event a gate whose parameter has its name, and what a node
//! has collected so far is kept in one variable for each event, empty outside of the node. A service that is run by another
//! one is a part of its machine. What each transition means for the service is kept beside the machine (`Shape`), for those
//! who count or choose by it; nobody needs it to run the machine.

use std::collections::{BTreeMap, BTreeSet};

use super::checked::*;
use super::problem::{Problem, near};
use super::scope::{Binding, Scope};
use crate::diagnostic::Severity;
use crate::reach::Graph;
use crate::syntax::tree::{self, Direction, Effect, Ident, Init, MachineKind, NodeKind, ServiceMember, ServiceNode};
use crate::syntax::{Span, print_expr};
use crate::term::{Arm, BinaryOp, Definitions, Expr, Pattern, Type, UnaryOp, Value};

/// The node in which nothing happens any more.
pub const END: &str = "end";

/// Slots from here on stand for the values of events, until it is known where these are.
const EVENTS: usize = 1 << 40;

/// Most ways in which one event can lead on, with all conditions on the way.
const MAX_ARRIVALS: usize = 1_000;

/// What a service is made of, beside its machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Nodes, by the number of their state.
    pub nodes: Vec<Node>,
    /// What each transition means.
    pub roles: Vec<Role>,
    /// Other services that are parts of it, where they are named.
    pub runs: Vec<Ident>,
}

impl Shape {
    /// The same shape with other expressions and other numbers for variables.
    pub fn mapped(&self, expr: &impl Fn(&Expr) -> Expr, var: &impl Fn(usize) -> usize) -> Shape {
        let mut shape = self.clone();
        for node in &mut shape.nodes {
            let Node::Collect(collect) = node else { continue };
            collect.events.iter_mut().for_each(|event| event.given = var(event.given));
            collect.predicates.iter_mut().for_each(|predicate| predicate.condition = expr(&predicate.condition));
        }
        shape
    }
}

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// Waits for one of several events.
    Choose,
    /// Collects events.
    Collect(Collect),
    /// The end.
    End,
}

/// A node that collects events.
#[derive(Clone, Debug, PartialEq)]
pub struct Collect {
    /// Its events, in the order in which they are declared.
    pub events: Vec<Collected>,
    /// Its predicates, in order.
    pub predicates: Vec<Predicate>,
}

/// An event that is collected.
#[derive(Clone, Debug, PartialEq)]
pub struct Collected {
    /// Its gate, by name.
    pub event: String,
    /// The variable that keeps it: an option of its value, or whether it came if it has none.
    pub given: usize,
    /// Whether it carries a value.
    pub has_value: bool,
    /// Whether it may be corrected.
    pub correctable: bool,
}

/// A predicate of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicate {
    /// Its label, or `p` and its number.
    pub name: String,
    /// As written.
    pub text: String,
    /// The condition, over the variables; has a value only if its events were given.
    pub condition: Expr,
    /// The events that it reads, by their place in the node.
    pub reads: Vec<usize>,
    /// The states that its violation leads to; none if it has no target.
    pub targets: Vec<usize>,
}

/// What a transition means for the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Role {
    /// The place of the event in its node, if that collects events.
    pub event: Option<usize>,
    /// Whether the event had been given before.
    pub correction: bool,
    /// What comes of it.
    pub outcome: Outcome,
}

/// What comes of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It is one of a choice.
    Chosen,
    /// Others are missing.
    Collected,
    /// All are there, and all predicates hold.
    Completed,
    /// This predicate is the first one that does not hold.
    Violated(usize),
}

/// The services of a file, by name.
pub(super) type Services<'t> = BTreeMap<&'t str, &'t tree::Service>;

/// A service, or one that another one runs.
struct Part<'t> {
    tree: &'t tree::Service,
    /// What stands before its names.
    prefix: String,
    /// Its parameters and variables, by name.
    bindings: Vec<(String, Binding)>,
    /// The events that it declares, by number.
    events: Vec<usize>,
    /// Its variables, with the values they begin with.
    fresh: Vec<(usize, Expr)>,
    /// Its nodes.
    nodes: Vec<PartNode<'t>>,
    /// Where its end leads; none if that is the end of all.
    after: Option<After>,
}

#[derive(Clone, Copy)]
enum After {
    /// Into another part.
    Part(usize),
    /// Out of a node of another part.
    Node(usize, usize),
}

struct PartNode<'t> {
    tree: &'t ServiceNode,
    /// The state, or the first part that is run.
    place: Place,
    entry: Updates,
    /// Events of the node, by number, with whether they may be corrected.
    events: Vec<(usize, bool)>,
    predicates: Vec<PartPredicate>,
    /// Where it leads, and for a choice where each event leads.
    ways: Vec<Leading>,
}

enum Place {
    State(usize),
    /// None if what is run is unknown.
    Run(Option<usize>),
}

struct PartPredicate {
    condition: Expr,
    reads: BTreeSet<usize>,
    violation: Option<Leading>,
    span: Span,
}

type Updates = Vec<(usize, Expr)>;

/// A way that was checked.
#[derive(Clone, Default)]
struct Leading {
    updates: Updates,
    cases: Vec<(Expr, String)>,
    otherwise: String,
    event: usize,
    span: Span,
}

/// The values of all variables after some effects, over those before them; and values that were overwritten on the way, which
/// must have been there all the same.
#[derive(Clone)]
struct World {
    values: Vec<Expr>,
    overwritten: Vec<Expr>,
}

impl World {
    fn new(values: Vec<Expr>) -> World {
        World { values, overwritten: vec![] }
    }
}

/// One way to arrive somewhere.
struct Arrival {
    conditions: Vec<Expr>,
    world: World,
    state: usize,
}

struct Build<'t> {
    machine: Machine,
    services: &'t Services<'t>,
    parts: Vec<Part<'t>>,
    /// For each event the variable that keeps it, if some node collects it.
    given: Vec<Option<usize>>,
    /// For each event a local that unpacks it.
    unpacked: Vec<usize>,
    spans: Vec<Span>,
    nodes: Vec<Node>,
    roles: Vec<Role>,
    runs: Vec<Ident>,
    /// What does not go together with services that are run: it is said where the outermost of them is named.
    clashes: Vec<Problem>,
    /// Services on the way to the one that is looked at.
    open: Vec<&'t str>,
}

impl Scope<'_> {
    /// Checks a service; its parameters are in scope already.
    pub(super) fn service<'t>(&mut self, written: &'t tree::Service, services: &'t Services<'t>) -> Machine {
        let mut build = Build {
            machine: Machine {
                kind: MachineKind::Sts,
                name: written.name.name.clone(),
                vars: vec![],
                channels: vec![],
                gates: vec![],
                states: vec![],
                initial: 0,
                transitions: vec![],
                service: None,
            },
            services,
            parts: vec![],
            given: vec![],
            unpacked: vec![],
            spans: vec![],
            nodes: vec![],
            roles: vec![],
            runs: vec![],
            clashes: vec![],
            open: vec![],
        };
        // The first local is the value of an event.
        self.locals = 1;
        let params = self.bindings.clone();
        self.part(&mut build, written, String::new(), params);
        build.machine.states.push(END.to_owned());
        build.nodes.push(Node::End);
        build.unpacked = (0..build.machine.gates.len()).map(|_| self.fresh_local()).collect();
        for part in 0..build.parts.len() {
            self.nodes_of(&mut build, part);
        }
        if self.problems.iter().all(|problem| problem.severity != Severity::Error) {
            self.begin(&mut build, written);
            self.transitions_of(&mut build);
            self.service_findings(&build);
        }
        build.machine.service = Some(Shape { nodes: build.nodes, roles: build.roles, runs: build.runs });
        build.machine
    }

    fn fresh_local(&mut self) -> usize {
        self.locals += 1;
        self.locals - 1
    }

    /// Declares a service and those that it runs: events, variables, states.
    fn part<'t>(
        &mut self,
        build: &mut Build<'t>,
        tree: &'t tree::Service,
        prefix: String,
        params: Vec<(String, Binding)>,
    ) -> usize {
        let number = build.parts.len();
        build.open.push(&tree.name.name);
        build.parts.push(Part {
            tree,
            prefix: prefix.clone(),
            bindings: vec![],
            events: vec![],
            fresh: vec![],
            nodes: vec![],
            after: None,
        });
        let outer = std::mem::replace(&mut self.bindings, params);
        let mut names: BTreeSet<String> = self.bindings.iter().map(|(name, _)| name.clone()).collect();
        self.events_of(build, number, &mut names);
        self.vars_of(build, number, &mut names);
        build.parts[number].bindings = std::mem::replace(&mut self.bindings, outer);
        let mut known = BTreeSet::new();
        for node in nodes_in(tree) {
            if node.name.name == END {
                self.report(Problem::BuiltinName { name: END.to_owned() }, node.name.span);
            }
            if !known.insert(node.name.name.as_str()) {
                self.report(Problem::Duplicate { name: node.name.name.clone() }, node.name.span);
                continue;
            }
            let (entry, events, predicates, ways) = (vec![], vec![], vec![], vec![]);
            let index = build.parts[number].nodes.len();
            let place = match &node.kind {
                NodeKind::Run { services, .. } => {
                    build.parts[number].nodes.push(PartNode {
                        tree: node,
                        place: Place::Run(None),
                        entry,
                        events,
                        predicates,
                        ways,
                    });
                    let first = self.run_by(build, number, index, services);
                    build.parts[number].nodes[index].place = Place::Run(first);
                    continue;
                }
                _ => {
                    build.machine.states.push(format!("{prefix}{}", node.name.name));
                    build.nodes.push(Node::Choose);
                    Place::State(build.machine.states.len() - 1)
                }
            };
            build.parts[number].nodes.push(PartNode { tree: node, place, entry, events, predicates, ways });
        }
        if prefix.is_empty() && build.parts[number].nodes.is_empty() {
            let (name, place) = (tree.name.name.clone(), "node".to_owned());
            self.report(Problem::NoStates { name, place }, tree.name.span);
        }
        build.open.pop();
        number
    }

    /// The services that a node runs, one after the other; the first of their parts.
    fn run_by<'t>(
        &mut self,
        build: &mut Build<'t>,
        part: usize,
        node: usize,
        uses: &'t [tree::ModelUse],
    ) -> Option<usize> {
        let mut parts: Vec<usize> = vec![];
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for used in uses {
            let name = used.name.name.as_str();
            let Some(service) = build.services.get(name).copied() else {
                let near = near(name, build.services.keys().copied());
                self.report(Problem::UnknownService { name: name.to_owned(), near }, used.name.span);
                continue;
            };
            if build.open.contains(&name) {
                build.clashes.push(Problem::RecursiveModel { name: name.to_owned() });
                if build.open.len() == 1 {
                    build.clashes.clear();
                    self.report(Problem::RecursiveModel { name: name.to_owned() }, used.name.span);
                }
                continue;
            }
            if !names.insert(name) {
                self.report(Problem::Duplicate { name: name.to_owned() }, used.name.span);
                continue;
            }
            build.runs.push(used.name.clone());
            let at = build.parts[part].nodes[node].tree.name.name.as_str();
            let inside = if uses.len() > 1 { format!("{name}.") } else { String::new() };
            let prefix = format!("{}{at}.{inside}", build.parts[part].prefix);
            let outer = std::mem::replace(&mut self.bindings, build.parts[part].bindings.clone());
            let params = self.arguments_of(used, &service.params);
            self.bindings = outer;
            // What is wrong with that service itself is said where it is declared.
            let before = self.problems.len();
            let next = self.part(build, service, prefix, params);
            self.problems.truncate(before);
            if build.open.len() == 1 {
                let clashes = std::mem::take(&mut build.clashes);
                clashes.into_iter().for_each(|clash| self.report(clash, used.span));
            }
            if let Some(last) = parts.last() {
                build.parts[*last].after = Some(After::Part(next));
            }
            parts.push(next);
        }
        if let Some(last) = parts.last() {
            build.parts[*last].after = Some(After::Node(part, node));
        }
        parts.first().copied()
    }

    /// Parameters of a service that is run, with the values they have there.
    fn arguments_of(&mut self, used: &tree::ModelUse, params: &[tree::Param]) -> Vec<(String, Binding)> {
        let mut bound: Vec<(String, Binding)> = vec![];
        let what = &used.name.name;
        for (index, arg) in used.args.iter().enumerate() {
            let fits = match &arg.name {
                Some(name) => params.iter().any(|param| param.name.name == name.name),
                None => index < params.len(),
            };
            match (&arg.name, fits) {
                (_, true) => {}
                (Some(name), _) => {
                    let near = near(&name.name, params.iter().map(|param| param.name.name.as_str()));
                    let (what, name_) = (what.clone(), name.name.clone());
                    self.report(Problem::UnknownArgument { what, name: name_, near }, name.span);
                }
                (None, _) => {
                    let (expected, found) = (params.len(), used.args.len());
                    self.report(Problem::ArgumentCount { what: what.clone(), expected, found }, used.span);
                    break;
                }
            }
        }
        for (index, param) in params.iter().enumerate() {
            let named = |arg: &&tree::Arg| arg.name.as_ref().is_some_and(|name| name.name == param.name.name);
            let by_place = used.args.get(index).filter(|arg| arg.name.is_none());
            let written = used.args.iter().find(named).or(by_place);
            let inner = bound.clone();
            let ty = self.nested(|s| {
                s.bindings.extend(inner);
                param.ty.as_ref().map_or(Type::Unknown, |ty| s.resolve(ty))
            });
            let value = match (written, &param.default) {
                (Some(arg), _) => self.check(&arg.value, &ty),
                (None, Some(default)) => {
                    let inner = bound.clone();
                    self.nested(|s| {
                        s.bindings.extend(inner);
                        s.check(default, &ty)
                    })
                }
                (None, None) => {
                    let problem = Problem::MissingArgument { what: what.clone(), name: param.name.name.clone() };
                    self.report(problem, used.span);
                    Expr::TRUE
                }
            };
            if reads_slot(&value) {
                let what = format!("the value of `{}`", param.name.name);
                let reason = "it reads a variable".to_owned();
                self.report(Problem::ArgumentFails { what, reason }, used.span);
            }
            bound.push((param.name.name.clone(), Binding::Means(value, ty)));
        }
        bound
    }

    /// Events of a service; one that is run shares those that have the same name, and the same type.
    fn events_of(&mut self, build: &mut Build<'_>, part: usize, names: &mut BTreeSet<String>) {
        let tree = build.parts[part].tree;
        let declared = tree.members.iter().filter_map(|member| match member {
            ServiceMember::Events { events, .. } => Some(events),
            _ => None,
        });
        for (name, ty) in declared.flatten() {
            if !names.insert(name.name.clone()) {
                self.report(Problem::Duplicate { name: name.name.clone() }, name.span);
                continue;
            }
            if name.name == super::assemble::SILENCE {
                self.report(Problem::BuiltinName { name: name.name.clone() }, name.span);
            }
            let params = ty.iter().map(|ty| (name.name.clone(), self.resolve(ty))).collect();
            let gate = Gate { name: name.name.clone(), direction: Direction::In, params };
            let known = build.machine.gates.iter().position(|known| known.name == gate.name);
            match known.map(|number| &build.machine.gates[number]) {
                Some(known) if *known != gate => {
                    let say = |gate: &Gate| match gate.params.first() {
                        Some((_, ty)) => format!("`{}`", self.show(ty)),
                        None => "no value".to_owned(),
                    };
                    let (here, there) = (say(known), say(&gate));
                    build.clashes.push(Problem::EventsDiffer { name: name.name.clone(), here, there });
                }
                _ => {}
            }
            let number = known.unwrap_or_else(|| {
                build.machine.gates.push(gate);
                build.given.push(None);
                build.spans.push(name.span);
                build.machine.gates.len() - 1
            });
            build.parts[part].events.push(number);
        }
    }

    fn vars_of(&mut self, build: &mut Build<'_>, part: usize, names: &mut BTreeSet<String>) {
        let tree = build.parts[part].tree;
        let prefix = build.parts[part].prefix.clone();
        let decls = tree.members.iter().filter_map(|member| match member {
            ServiceMember::Vars { vars, .. } => Some(vars),
            _ => None,
        });
        let mut bound = vec![];
        for decl in decls.flatten() {
            let written = decl.ty.as_ref().map(|ty| self.resolve(ty));
            let (init, ty) = match (&decl.init, written) {
                (Init::Value(value), Some(ty)) => (Some(self.check(value, &ty)), ty),
                (Init::Value(value), None) => {
                    let (expr, ty) = self.infer(value, None);
                    (Some(expr), ty)
                }
                (Init::Any(_), Some(ty)) => (None, ty),
                (Init::Any(span), None) => {
                    self.report(Problem::OpenNeedsType { name: decl.name.name.clone() }, *span);
                    (None, Type::Unknown)
                }
            };
            if !names.insert(decl.name.name.clone()) {
                self.report(Problem::Duplicate { name: decl.name.name.clone() }, decl.name.span);
                continue;
            }
            if init.is_none() && part > 0 {
                build.clashes.push(Problem::OpenWhereRun { name: decl.name.name.clone() });
            }
            let index = build.machine.vars.len();
            build.parts[part].fresh.extend(init.clone().map(|init| (index, init)));
            bound.push((decl.name.name.clone(), Binding::Slot(index, ty.clone())));
            let name = format!("{prefix}{}", decl.name.name);
            build.machine.vars.push(Var { name, ty, init, span: decl.name.span });
        }
        // Initial values do not see the variables.
        self.bindings.extend(bound);
    }

    /// Checks the nodes of a part: effects, predicates, ways.
    fn nodes_of(&mut self, build: &mut Build<'_>, part: usize) {
        let before = self.problems.len();
        let mut bindings = build.parts[part].bindings.clone();
        // What a node runs is known by the node's name.
        let prefix = build.parts[part].prefix.clone();
        for (number, var) in build.machine.vars.iter().enumerate() {
            if let Some(inner) = var.name.strip_prefix(&prefix).filter(|inner| inner.contains('.')) {
                bindings.push((inner.to_owned(), Binding::Slot(number, var.ty.clone())));
            }
        }
        let outer = std::mem::replace(&mut self.bindings, bindings);
        for node in 0..build.parts[part].nodes.len() {
            self.node(build, part, node);
        }
        self.bindings = outer;
        if part > 0 {
            // What is wrong with a service that is run is said where it is declared.
            self.problems.truncate(before);
        }
    }

    fn node(&mut self, build: &mut Build<'_>, part: usize, node: usize) {
        let tree = build.parts[part].nodes[node].tree;
        let entry = self.updates(build, &tree.entry);
        let (mut events, mut predicates, mut ways) = (vec![], vec![], vec![]);
        match &tree.kind {
            NodeKind::Choose(choices) => {
                if choices.is_empty() {
                    self.report(Problem::NothingToWaitFor { name: tree.name.name.clone() }, tree.span);
                }
                for choice in choices {
                    let Some(event) = self.event_named(build, part, &choice.event) else { continue };
                    if ways.iter().any(|way: &Leading| way.event == event) {
                        self.report(Problem::ChosenTwice { name: choice.event.name.clone() }, choice.event.span);
                        continue;
                    }
                    let way = self.way(build, part, &choice.way, &BTreeSet::from([event]));
                    ways.push(Leading { event, ..way });
                }
            }
            NodeKind::Run { next, .. } => ways.push(self.way(build, part, next, &BTreeSet::new())),
            NodeKind::Collect { events: more, predicates: written, once, next } => {
                let mut read: BTreeSet<usize> = BTreeSet::new();
                let mut labels = BTreeSet::new();
                for name in more {
                    read.extend(self.event_named(build, part, name));
                }
                let facts = self.facts.len();
                for predicate in written {
                    if let Some(label) = &predicate.label
                        && !labels.insert(label.name.as_str())
                    {
                        self.report(Problem::Duplicate { name: label.name.clone() }, label.span);
                    }
                    let all = build.parts[part].events.iter().copied().collect();
                    let problems = self.problems.len();
                    let condition = self.with_events(build, &all, |s| s.condition(&predicate.condition));
                    let reads = events_in(&condition);
                    let is_sound = self.problems[problems..].iter().all(|p| p.severity != Severity::Error);
                    if reads.is_empty() && is_sound {
                        let text = print_expr(&predicate.condition);
                        self.report(Problem::ReadsNoEvent { text }, predicate.condition.span);
                    }
                    let violation = predicate.violation.as_ref().map(|way| self.way(build, part, way, &reads));
                    self.facts.push(predicate.condition.clone());
                    read.extend(&reads);
                    predicates.push(PartPredicate { condition, reads, violation, span: predicate.condition.span });
                }
                if read.is_empty() && written.is_empty() && more.is_empty() {
                    self.report(Problem::NothingToWaitFor { name: tree.name.name.clone() }, tree.span);
                }
                ways.push(self.way(build, part, next, &read));
                self.facts.truncate(facts);
                let mut fixed = BTreeSet::new();
                for name in once {
                    match self.event_named(build, part, name) {
                        Some(event) if read.contains(&event) => {
                            fixed.insert(event);
                        }
                        Some(_) => {
                            let near = near(&name.name, read.iter().map(|e| build.machine.gates[*e].name.as_str()));
                            self.report(Problem::NotCollected { name: name.name.clone(), near }, name.span);
                        }
                        None => {}
                    }
                }
                events = read.iter().map(|event| (*event, !fixed.contains(event))).collect();
                for event in read {
                    self.keep(build, event);
                }
            }
        }
        let known = &mut build.parts[part].nodes[node];
        (known.entry, known.events, known.predicates, known.ways) = (entry, events, predicates, ways);
    }

    /// The variable that keeps an event.
    fn keep(&mut self, build: &mut Build<'_>, event: usize) {
        if build.given[event].is_some() {
            return;
        }
        let gate = &build.machine.gates[event];
        let (ty, init) = match gate.params.first() {
            Some((_, ty)) => (Type::Option(Box::new(ty.clone())), nothing()),
            None => (Type::Bool, Value::Bool(false)),
        };
        let (name, span) = (format!("{}.given", gate.name), build.spans[event]);
        // Names of what is collected, and of what is sent, have a dot as those of services that are run.
        let own = format!("{0}.{0}", gate.name);
        if let Some(var) = build.machine.vars.iter().find(|var| var.name == name || var.name == own) {
            self.report(Problem::Duplicate { name: var.name.clone() }, span);
        }
        build.given[event] = Some(build.machine.vars.len());
        build.machine.vars.push(Var { name, ty, init: Some(Expr::Const(init)), span });
    }

    fn event_named(&mut self, build: &Build<'_>, part: usize, name: &Ident) -> Option<usize> {
        let events = || build.parts[part].events.iter().copied();
        let found = events().find(|event| build.machine.gates[*event].name == name.name);
        if found.is_none() {
            let near = near(&name.name, events().map(|event| build.machine.gates[event].name.as_str()));
            self.report(Problem::UnknownServiceEvent { name: name.name.clone(), near }, name.span);
        }
        found
    }

    /// Runs `f` where these events are known by their names.
    fn with_events<T>(&mut self, build: &Build<'_>, events: &BTreeSet<usize>, f: impl FnOnce(&mut Self) -> T) -> T {
        let at = self.bindings.len();
        for event in events {
            let gate = &build.machine.gates[*event];
            let ty = gate.params.first().map_or(Type::Bool, |(_, ty)| ty.clone());
            self.bindings.push((gate.name.clone(), Binding::Slot(EVENTS + event, ty)));
        }
        let result = f(self);
        self.bindings.truncate(at);
        result
    }

    fn updates(&mut self, build: &Build<'_>, effects: &[Effect]) -> Updates {
        self.effects(effects, &build.machine).0
    }

    /// A way, with the events that are known on it.
    fn way(&mut self, build: &Build<'_>, part: usize, way: &tree::Way, events: &BTreeSet<usize>) -> Leading {
        let (updates, cases) = self.with_events(build, events, |s| {
            let updates = s.updates(build, &way.effects);
            let conditions: Vec<Expr> = way.cases.iter().map(|(condition, _)| s.condition(condition)).collect();
            (updates, conditions)
        });
        let mut node = |name: &Ident| {
            let nodes = &build.parts[part].nodes;
            if name.name != END && nodes.iter().all(|node| node.tree.name.name != name.name) {
                let near = near(&name.name, nodes.iter().map(|n| n.tree.name.name.as_str()).chain([END]));
                self.report(
                    Problem::UnknownState { place: "node".to_owned(), name: name.name.clone(), near },
                    name.span,
                );
            }
            name.name.clone()
        };
        let cases = cases.into_iter().zip(&way.cases).map(|(condition, (_, name))| (condition, node(name))).collect();
        Leading { updates, cases, otherwise: node(&way.otherwise), event: 0, span: way.span }
    }

    /// Where the service begins: the effects of entering its first node are done before the first event.
    fn begin(&mut self, build: &mut Build<'_>, written: &tree::Service) {
        let initial: Vec<Expr> = (build.machine.vars.iter().enumerate())
            .map(|(number, var)| var.init.clone().unwrap_or(Expr::Slot(number)))
            .collect();
        let arrivals = build.enter(0, World::new(initial.clone()));
        let problem = match &arrivals[..] {
            [] => Some(Problem::NeverWaits { name: written.name.name.clone() }),
            [arrival] if arrival.conditions.is_empty() => {
                build.machine.initial = arrival.state;
                let mut depends = false;
                for (number, (var, value)) in build.machine.vars.iter_mut().zip(&arrival.world.values).enumerate() {
                    if *value != initial[number] {
                        depends |= reads_slot(value);
                        var.init = Some(value.clone());
                    }
                }
                depends.then(|| Problem::BeginsOpen { name: written.name.name.clone() })
            }
            _ => Some(Problem::BeginsOpen { name: written.name.name.clone() }),
        };
        if let Some(problem) = problem {
            self.report(problem, written.name.span);
        }
    }

    fn transitions_of(&mut self, build: &mut Build<'_>) {
        for part in 0..build.parts.len() {
            for node in 0..build.parts[part].nodes.len() {
                let Place::State(state) = build.parts[part].nodes[node].place else { continue };
                let endless = match &build.parts[part].nodes[node].tree.kind {
                    NodeKind::Choose(_) => build.choose(part, node, state),
                    _ => build.collect(part, node, state),
                };
                if endless {
                    let name = &build.parts[part].nodes[node].tree.name;
                    self.report(Problem::NeverWaits { name: name.name.clone() }, name.span);
                }
            }
        }
    }

    fn service_findings(&mut self, build: &Build<'_>) {
        let machine = &build.machine;
        let control = Graph {
            nodes: machine.states.len(),
            edges: machine.transitions.iter().map(|t| (t.source as u32, t.target as u32)).collect(),
            initial: vec![machine.initial as u32],
            goals: vec![],
        };
        let reach = control.analyse();
        for node in &build.parts[0].nodes {
            let is_reached = match node.place {
                Place::State(state) => reach.is_reachable(state as u32),
                Place::Run(None) => true,
                Place::Run(Some(first)) => {
                    let prefix = &build.parts[first].prefix;
                    let inside = |(_, state): &(usize, &String)| state.starts_with(prefix.as_str());
                    let mut states = machine.states.iter().enumerate().filter(inside).peekable();
                    states.peek().is_none() || states.any(|(number, _)| reach.is_reachable(number as u32))
                }
            };
            if !is_reached {
                self.report(Problem::DeadState { name: node.tree.name.name.clone() }, node.tree.name.span);
            }
        }
        for (number, gate) in machine.gates.iter().enumerate() {
            if machine.transitions.iter().all(|t| t.event != Event::Gate(number)) {
                self.report(Problem::NeverUsed { name: gate.name.clone() }, build.spans[number]);
            }
        }
        let changed = |var: usize| machine.transitions.iter().any(|t| t.updates.iter().any(|(v, _)| *v == var));
        for (number, var) in machine.vars.iter().enumerate() {
            let is_used = self.used.contains(&var.name) || var.name.contains('.');
            if !is_used && !changed(number) {
                self.report(Problem::NeverUsed { name: var.name.clone() }, var.span);
            }
        }
    }
}

impl Build<'_> {
    /// Every way to go on from a state of the world into a part.
    fn enter(&self, part: usize, world: World) -> Vec<Arrival> {
        let mut out = vec![];
        let mut steps = 0;
        self.enter_part(part, vec![], world, &mut steps, &mut out);
        if steps > MAX_ARRIVALS { vec![] } else { out }
    }

    fn enter_part(&self, part: usize, conditions: Vec<Expr>, world: World, steps: &mut usize, out: &mut Vec<Arrival>) {
        let fresh = &self.parts[part].fresh;
        // The whole service begins once, with its variables as they are.
        let world = if part == 0 { world } else { after(&world, fresh, &|_| None) };
        match self.parts[part].nodes.first() {
            Some(first) => self.arrive(part, &first.tree.name.name, conditions, world, steps, out),
            None => self.arrive(part, END, conditions, world, steps, out),
        }
    }

    fn arrive(
        &self,
        part: usize,
        node: &str,
        conditions: Vec<Expr>,
        world: World,
        steps: &mut usize,
        out: &mut Vec<Arrival>,
    ) {
        *steps += 1;
        if *steps > MAX_ARRIVALS {
            return;
        }
        let Some(known) = self.parts[part].nodes.iter().find(|known| known.tree.name.name == node) else {
            match self.parts[part].after {
                None => out.push(Arrival { conditions, world, state: self.machine.states.len() - 1 }),
                Some(After::Part(next)) => self.enter_part(next, conditions, world, steps, out),
                Some(After::Node(outer, at)) => {
                    let way = &self.parts[outer].nodes[at].ways[0];
                    self.follow(outer, way, conditions, world, &|_| None, steps, out);
                }
            }
            return;
        };
        let world = after(&world, &known.entry, &|_| None);
        match known.place {
            Place::State(state) => out.push(Arrival { conditions, world, state }),
            Place::Run(Some(first)) => self.enter_part(first, conditions, world, steps, out),
            Place::Run(None) => self.follow(part, &known.ways[0], conditions, world, &|_| None, steps, out),
        }
    }

    /// Every way to go on by a way, with the values that events have on it.
    #[allow(clippy::too_many_arguments)]
    fn follow(
        &self,
        part: usize,
        way: &Leading,
        conditions: Vec<Expr>,
        world: World,
        event: &dyn Fn(usize) -> Option<Expr>,
        steps: &mut usize,
        out: &mut Vec<Arrival>,
    ) {
        let effects_done = after(&world, &way.updates, event);
        let mut before = conditions;
        for (condition, node) in &way.cases {
            let condition = holds(seen(condition, &effects_done, event));
            let with = before.iter().cloned().chain([condition.clone()]).collect();
            self.arrive(part, node, with, effects_done.clone(), steps, out);
            before.push(not(condition));
        }
        self.arrive(part, &way.otherwise, before, effects_done, steps, out);
    }

    /// All ways of a way out of a node that has collected something; nothing if one of them never comes to wait.
    fn leave(
        &self,
        part: usize,
        way: &Leading,
        collected: &[(usize, bool)],
        event: &dyn Fn(usize) -> Option<Expr>,
    ) -> Option<Vec<Arrival>> {
        let world = World::new((0..self.machine.vars.len()).map(Expr::Slot).collect());
        let (mut out, mut steps) = (vec![], 0);
        self.follow(part, way, vec![], world, event, &mut steps, &mut out);
        for arrival in &mut out {
            for given in collected.iter().filter_map(|(event, _)| self.given[*event]) {
                arrival.world.values[given] = self.machine.vars[given].init.clone().unwrap_or(Expr::TRUE);
            }
        }
        (steps <= MAX_ARRIVALS).then_some(out)
    }

    /// The transitions of a choice; whether one of them never comes to wait.
    fn choose(&mut self, part: usize, node: usize, state: usize) -> bool {
        let ways = self.parts[part].nodes[node].ways.clone();
        for way in &ways {
            let value = |event: usize| (event == way.event).then(|| self.value_of(event));
            let Some(arrivals) = self.leave(part, way, &[], &value) else { return true };
            let name = format!("{}.{}", self.machine.states[state], self.machine.gates[way.event].name);
            let role = Role { event: None, correction: false, outcome: Outcome::Chosen };
            self.push_all(state, way.event, &name, vec![], arrivals, role, way.span);
        }
        false
    }

    /// The transitions of a node that collects; whether one of them never comes to wait.
    fn collect(&mut self, part: usize, node: usize, state: usize) -> bool {
        let events = self.parts[part].nodes[node].events.clone();
        let mut targets = vec![vec![]; self.parts[part].nodes[node].predicates.len()];
        for (place, (event, correctable)) in events.iter().enumerate() {
            for correction in [false, true] {
                if correction && !correctable {
                    continue;
                }
                match self.outcomes(part, node, *event, correction) {
                    None => return true,
                    Some(outcomes) => {
                        for (outcome, guard, arrivals, span) in outcomes {
                            if let (Outcome::Violated(number), false) =
                                (outcome, arrivals.iter().all(|a| a.state == state))
                            {
                                targets[number] = arrivals.iter().map(|arrival| arrival.state).collect();
                            }
                            let name = self.name_of(part, node, *event, correction, outcome);
                            let role = Role { event: Some(place), correction, outcome };
                            self.push_all(state, *event, &name, guard, arrivals, role, span);
                        }
                    }
                }
            }
        }
        for (number, predicate) in self.parts[part].nodes[node].predicates.iter().enumerate() {
            if let Some(way) = &predicate.violation {
                let arrivals = self.leave(part, way, &events, &|event| Some(self.unwrapped(event)));
                targets[number] = arrivals.unwrap_or_default().iter().map(|arrival| arrival.state).collect();
            }
        }
        self.nodes[state] = Node::Collect(self.shape_of(part, node, targets));
        false
    }

    fn shape_of(&self, part: usize, node: usize, targets: Vec<Vec<usize>>) -> Collect {
        let node = &self.parts[part].nodes[node];
        let place = |event: &usize| node.events.iter().position(|(known, _)| known == event).unwrap_or(0);
        let world = World::new((0..self.machine.vars.len()).map(Expr::Slot).collect());
        let collected = |(event, correctable): &(usize, bool)| Collected {
            event: self.machine.gates[*event].name.clone(),
            given: self.given[*event].unwrap_or(0),
            has_value: !self.machine.gates[*event].params.is_empty(),
            correctable: *correctable,
        };
        let predicate = |(number, (known, targets)): (usize, (&PartPredicate, Vec<usize>))| Predicate {
            name: self.predicate_name(node, number),
            text: match &node.tree.kind {
                NodeKind::Collect { predicates, .. } => print_expr(&predicates[number].condition),
                _ => String::new(),
            },
            condition: seen(&known.condition, &world, &|event| Some(self.unwrapped(event))),
            reads: known.reads.iter().map(place).collect(),
            targets,
        };
        Collect {
            events: node.events.iter().map(collected).collect(),
            predicates: node.predicates.iter().zip(targets).enumerate().map(predicate).collect(),
        }
    }

    fn predicate_name(&self, node: &PartNode<'_>, number: usize) -> String {
        match &node.tree.kind {
            NodeKind::Collect { predicates, .. } => {
                predicates[number].label.as_ref().map_or_else(|| format!("p{}", number + 1), |label| label.name.clone())
            }
            _ => String::new(),
        }
    }

    fn name_of(&self, part: usize, node: usize, event: usize, correction: bool, outcome: Outcome) -> String {
        let node = &self.parts[part].nodes[node];
        let prefix = &self.parts[part].prefix;
        let again = if correction { ".again" } else { "" };
        let outcome = match outcome {
            Outcome::Chosen | Outcome::Collected => String::new(),
            Outcome::Completed => ".done".to_owned(),
            Outcome::Violated(number) => format!(".fails.{}", self.predicate_name(node, number)),
        };
        format!("{prefix}{}.{}{again}{outcome}", node.tree.name.name, self.machine.gates[event].name)
    }

    /// What can come of an event in a node that collects: guards, and where each leads.
    #[allow(clippy::type_complexity)]
    fn outcomes(
        &self,
        part: usize,
        node: usize,
        event: usize,
        correction: bool,
    ) -> Option<Vec<(Outcome, Vec<Conjunct>, Vec<Arrival>, Span)>> {
        let PartNode { events, predicates, ways, tree, place, .. } = &self.parts[part].nodes[node];
        let Place::State(state) = *place else { return Some(vec![]) };
        let value = |known: usize| Some(if known == event { self.value_of(event) } else { self.unwrapped(known) });
        let world = World::new((0..self.machine.vars.len()).map(Expr::Slot).collect());
        let name = |event: usize| self.machine.gates[event].name.as_str();
        let conjunct = |expr: Expr, text: String, span: Span| Conjunct { expr, conditions: vec![text], span };
        let was_given = match correction {
            true => conjunct(self.is_given(event), format!("`{}` was given", name(event)), tree.span),
            false => conjunct(not(self.is_given(event)), format!("`{}` was not given yet", name(event)), tree.span),
        };
        let others = |of: &mut dyn Iterator<Item = usize>| -> Vec<Expr> {
            of.filter(|other| *other != event).map(|other| self.is_given(other)).collect()
        };
        let missing = others(&mut events.iter().map(|(event, _)| *event));
        let text = |number: usize| match &tree.kind {
            NodeKind::Collect { predicates, .. } => print_expr(&predicates[number].condition),
            _ => String::new(),
        };
        let condition = |number: usize| holds(seen(&predicates[number].condition, &world, &value));
        let readable = |number: usize| {
            let needed = others(&mut predicates[number].reads.iter().copied());
            (!needed.is_empty()).then(|| Expr::all(needed))
        };
        // A predicate that cannot be evaluated yet says nothing.
        let not_violated = |number: usize| {
            let span = predicates[number].span;
            let expr = match readable(number) {
                None => condition(number),
                Some(readable) => {
                    holds(Expr::Binary(BinaryOp::Or, Box::new(not(readable)), Box::new(condition(number))))
                }
            };
            conjunct(expr, text(number), span)
        };
        let stay = || {
            let mut next = world.clone();
            if let Some(given) = self.given[event] {
                next.values[given] = match self.machine.gates[event].params.is_empty() {
                    true => Expr::TRUE,
                    false => Expr::Construct(Definitions::OPTION, 1, vec![Expr::Local(0)]),
                };
            }
            vec![Arrival { conditions: vec![], world: next, state }]
        };
        let mut out = vec![];
        if !missing.is_empty() {
            let mut guard = vec![was_given.clone()];
            let text = "an event is missing".to_owned();
            guard.push(conjunct(holds(not(Expr::all(missing.clone()))), text, tree.span));
            guard.extend((0..predicates.len()).map(not_violated));
            out.push((Outcome::Collected, guard, stay(), tree.span));
        }
        let mut guard = vec![was_given.clone()];
        if !missing.is_empty() {
            let text = "no other event is missing".to_owned();
            guard.push(conjunct(holds(Expr::all(missing)), text, tree.span));
        }
        guard.extend(
            (0..predicates.len()).map(|number| conjunct(condition(number), text(number), predicates[number].span)),
        );
        out.push((Outcome::Completed, guard, self.leave(part, &ways[0], events, &value)?, ways[0].span));
        for (number, predicate) in predicates.iter().enumerate() {
            let mut guard = vec![was_given.clone()];
            guard.extend(readable(number).map(|readable| {
                conjunct(holds(readable), format!("all of `{}` is there", text(number)), predicate.span)
            }));
            guard.extend((0..number).map(not_violated));
            guard.push(conjunct(not(condition(number)), text(number), predicate.span));
            let arrivals = match &predicate.violation {
                Some(way) => self.leave(part, way, events, &value)?,
                None => stay(),
            };
            out.push((Outcome::Violated(number), guard, arrivals, predicate.span));
        }
        Some(out)
    }

    #[allow(clippy::too_many_arguments)]
    fn push_all(
        &mut self,
        source: usize,
        event: usize,
        name: &str,
        guard: Vec<Conjunct>,
        arrivals: Vec<Arrival>,
        role: Role,
        span: Span,
    ) {
        let several = arrivals.len() > 1;
        for Arrival { conditions, world, state: target } in arrivals {
            let mut full = guard.clone();
            let text = format!("goes to `{}`", self.machine.states[target]);
            full.extend(conditions.into_iter().map(|expr| Conjunct { expr, conditions: vec![text.clone()], span }));
            for value in world.overwritten {
                let is_there = Expr::Binary(BinaryOp::Equal, Box::new(value.clone()), Box::new(value));
                let text = "every effect on the way has a value".to_owned();
                full.push(Conjunct { expr: holds(is_there), conditions: vec![text], span });
            }
            let updates =
                world.values.into_iter().enumerate().filter(|(var, value)| *value != Expr::Slot(*var)).collect();
            let mut name = if several { format!("{name}.{}", self.machine.states[target]) } else { name.to_owned() };
            let same = self.machine.transitions.iter().filter(|t| t.name == name).count();
            if same > 0 {
                name = format!("{name}.{}", same + 1);
            }
            self.machine.transitions.push(Transition {
                step: name.clone(),
                name,
                source,
                target,
                event: Event::Gate(event),
                guard: full,
                updates,
                sends: vec![],
                tags: vec![],
                span,
            });
            self.roles.push(role);
        }
    }

    /// The value of the event that comes.
    fn value_of(&self, event: usize) -> Expr {
        if self.machine.gates[event].params.is_empty() { Expr::TRUE } else { Expr::Local(0) }
    }

    /// The value of an event that was given.
    fn unwrapped(&self, event: usize) -> Expr {
        let slot = Box::new(Expr::Slot(self.given[event].unwrap_or(0)));
        if self.machine.gates[event].params.is_empty() {
            return *slot;
        }
        let local = self.unpacked[event];
        let pattern = Pattern::Data(Definitions::OPTION, 1, vec![Pattern::Bind(local)]);
        Expr::Match(slot, vec![Arm { pattern, guard: None, body: Expr::Local(local) }])
    }

    /// That an event was given.
    fn is_given(&self, event: usize) -> Expr {
        let slot = Expr::Slot(self.given[event].unwrap_or(0));
        match self.machine.gates[event].params.is_empty() {
            true => slot,
            false => Expr::Test(Box::new(slot), Pattern::Data(Definitions::OPTION, 1, vec![Pattern::Any])),
        }
    }
}

/// The nodes of a service as written.
fn nodes_in(service: &tree::Service) -> impl Iterator<Item = &ServiceNode> {
    service.members.iter().filter_map(|member| match member {
        ServiceMember::Node(node) => Some(node),
        _ => None,
    })
}

/// No value.
fn nothing() -> Value {
    Value::Data(Definitions::OPTION, 0, vec![].into())
}

/// The events that a condition reads.
fn events_in(expr: &Expr) -> BTreeSet<usize> {
    let mut out = BTreeSet::new();
    expr.map_leaves(&mut |leaf| {
        if let Expr::Slot(slot) = leaf {
            out.extend(slot.checked_sub(EVENTS));
        }
        None
    });
    out
}

fn reads_slot(expr: &Expr) -> bool {
    let mut reads = false;
    expr.map_leaves(&mut |leaf| {
        reads |= matches!(leaf, Expr::Slot(_));
        None
    });
    reads
}

/// An expression over the values that variables have after some effects, and over the values of events.
fn seen(expr: &Expr, world: &World, event: &dyn Fn(usize) -> Option<Expr>) -> Expr {
    expr.map_leaves(&mut |leaf| match leaf {
        Expr::Slot(slot) if *slot >= EVENTS => event(slot - EVENTS),
        Expr::Slot(slot) => Some(world.values[*slot].clone()),
        _ => None,
    })
}

/// The values of all variables after some more effects.
fn after(world: &World, updates: &Updates, event: &dyn Fn(usize) -> Option<Expr>) -> World {
    let mut next = world.clone();
    for (var, value) in updates {
        let old = std::mem::replace(&mut next.values[*var], seen(value, world, event));
        if !matches!(old, Expr::Slot(_) | Expr::Const(_)) {
            next.overwritten.push(old);
        }
    }
    next
}

/// That a condition is true; it is not where it has no value.
fn holds(condition: Expr) -> Expr {
    Expr::Unary(UnaryOp::Holds, Box::new(condition))
}

fn not(condition: Expr) -> Expr {
    Expr::Unary(UnaryOp::Not, Box::new(condition))
}
