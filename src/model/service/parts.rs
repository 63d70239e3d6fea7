//! A service and those that it runs: events, variables, states.

use std::collections::BTreeSet;

use super::*;
use crate::model::problem::near;
use crate::syntax::tree::ServiceMember;

impl Scope<'_> {
    /// Declares a service and those that it runs: events, variables, states.
    pub(super) fn part<'t>(
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
    pub(super) fn run_by<'t>(
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
            build.arguments.extend(params.iter().filter_map(|(name, binding)| match binding {
                Binding::Means(value, ty) => {
                    let value = match ty.is_narrow() {
                        true => Expr::Narrow(Box::new(value.clone()), ty.clone()),
                        false => value.clone(),
                    };
                    Some(Argument { name: name.clone(), value, span: used.span })
                }
                _ => None,
            }));
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
    pub(super) fn arguments_of(&mut self, used: &tree::ModelUse, params: &[tree::Param]) -> Vec<(String, Binding)> {
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
    pub(super) fn events_of(&mut self, build: &mut Build<'_>, part: usize, names: &mut BTreeSet<String>) {
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
            if name.name == crate::model::assemble::SILENCE {
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

    pub(super) fn vars_of(&mut self, build: &mut Build<'_>, part: usize, names: &mut BTreeSet<String>) {
        let tree = build.parts[part].tree;
        let prefix = build.parts[part].prefix.clone();
        let decls = tree.members.iter().filter_map(|member| match member {
            ServiceMember::Vars { vars, .. } => Some(vars),
            _ => None,
        });
        let mut bound = vec![];
        for decl in decls.flatten() {
            let (init, ty) = self.declared(decl);
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
}

/// The nodes of a service as written.
fn nodes_in(service: &tree::Service) -> impl Iterator<Item = &ServiceNode> {
    service.members.iter().filter_map(|member| match member {
        ServiceMember::Node(node) => Some(node),
        _ => None,
    })
}
