//! The nodes of a service: effects, predicates, ways.

use std::collections::BTreeSet;

use super::*;
use crate::model::problem::near;
use crate::syntax::print_expr;

impl Scope<'_> {
    /// Checks the nodes of a part: effects, predicates, ways.
    pub(super) fn nodes_of(&mut self, build: &mut Build<'_>, part: usize) {
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

    pub(super) fn node(&mut self, build: &mut Build<'_>, part: usize, node: usize) {
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
                    self.with_events(build, &all, |s| s.suppose(predicate.condition.clone()));
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
    pub(super) fn keep(&mut self, build: &mut Build<'_>, event: usize) {
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

    pub(super) fn event_named(&mut self, build: &Build<'_>, part: usize, name: &Ident) -> Option<usize> {
        let events = || build.parts[part].events.iter().copied();
        let found = events().find(|event| build.machine.gates[*event].name == name.name);
        if found.is_none() {
            let near = near(&name.name, events().map(|event| build.machine.gates[event].name.as_str()));
            self.report(Problem::UnknownServiceEvent { name: name.name.clone(), near }, name.span);
        }
        found
    }

    /// Runs `f` where these events are known by their names.
    pub(super) fn with_events<T>(
        &mut self,
        build: &Build<'_>,
        events: &BTreeSet<usize>,
        f: impl FnOnce(&mut Self) -> T,
    ) -> T {
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

    pub(super) fn updates(&mut self, build: &Build<'_>, effects: &[Effect]) -> Updates {
        self.effects(effects, &build.machine).0
    }

    /// A way, with the events that are known on it.
    pub(super) fn way(&mut self, build: &Build<'_>, part: usize, way: &tree::Way, events: &BTreeSet<usize>) -> Leading {
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
