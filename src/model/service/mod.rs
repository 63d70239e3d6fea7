//! Services: nodes that collect events in any order, or wait for one of several.
//!
//! A service becomes a machine with gates. A node is a state, an event a gate whose parameter has its name, and what a node
//! has collected so far is kept in one variable for each event, empty outside of the node. A service that is run by another
//! one is a part of its machine. What each transition means for the service is kept beside the machine (`Shape`), for those
//! who count or choose by it; nobody needs it to run the machine.

mod nodes;
mod parts;
mod transitions;
mod ways;

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::Severity;
use crate::model::checked::*;
use crate::model::problem::Problem;
use crate::model::scope::{Binding, Scope};
use crate::syntax::Span;
use crate::syntax::tree::{self, Direction, Effect, Ident, MachineKind, NodeKind, ServiceNode};
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
    /// What these are given: nothing of it may be without a value.
    pub arguments: Vec<Argument>,
}

/// The value of a parameter of a service that is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The parameter.
    pub name: String,
    /// The value, which has none outside of the parameter's type.
    pub value: Expr,
    /// Where the service is run.
    pub span: Span,
}

impl Shape {
    /// The same shape with other expressions and other numbers for variables.
    pub fn mapped(&self, expr: &impl Fn(&Expr) -> Expr, var: &impl Fn(usize) -> usize) -> Shape {
        let mut shape = self.clone();
        shape.arguments.iter_mut().for_each(|argument| argument.value = expr(&argument.value));
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
    arguments: Vec<Argument>,
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
            arguments: vec![],
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
        build.machine.service =
            Some(Shape { nodes: build.nodes, roles: build.roles, runs: build.runs, arguments: build.arguments });
        build.machine
    }

    pub(super) fn fresh_local(&mut self) -> usize {
        self.locals += 1;
        self.locals - 1
    }
}

/// That a condition is true; it is not where it has no value.
fn holds(condition: Expr) -> Expr {
    Expr::Unary(UnaryOp::Holds, Box::new(condition))
}

fn not(condition: Expr) -> Expr {
    Expr::Unary(UnaryOp::Not, Box::new(condition))
}

fn reads_slot(expr: &Expr) -> bool {
    let mut reads = false;
    expr.map_leaves(&mut |leaf| {
        reads |= matches!(leaf, Expr::Slot(_));
        None
    });
    reads
}
