//! The transitions of a service: what can come of each event.

use super::ways::seen;
use super::*;
use crate::reach::Graph;
use crate::syntax::print_expr;

impl Scope<'_> {
    /// Where the service begins: the effects of entering its first node are done before the first event.
    pub(super) fn begin(&mut self, build: &mut Build<'_>, written: &tree::Service) {
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

    pub(super) fn transitions_of(&mut self, build: &mut Build<'_>) {
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

    pub(super) fn service_findings(&mut self, build: &Build<'_>) {
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
    /// The transitions of a choice; whether one of them never comes to wait.
    pub(super) fn choose(&mut self, part: usize, node: usize, state: usize) -> bool {
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
    pub(super) fn collect(&mut self, part: usize, node: usize, state: usize) -> bool {
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

    pub(super) fn shape_of(&self, part: usize, node: usize, targets: Vec<Vec<usize>>) -> Collect {
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

    pub(super) fn predicate_name(&self, node: &PartNode<'_>, number: usize) -> String {
        match &node.tree.kind {
            NodeKind::Collect { predicates, .. } => {
                predicates[number].label.as_ref().map_or_else(|| format!("p{}", number + 1), |label| label.name.clone())
            }
            _ => String::new(),
        }
    }

    pub(super) fn name_of(&self, part: usize, node: usize, event: usize, correction: bool, outcome: Outcome) -> String {
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
    pub(super) fn outcomes(
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
    pub(super) fn push_all(
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
    pub(super) fn value_of(&self, event: usize) -> Expr {
        if self.machine.gates[event].params.is_empty() { Expr::TRUE } else { Expr::Local(0) }
    }

    /// The value of an event that was given.
    pub(super) fn unwrapped(&self, event: usize) -> Expr {
        let slot = Box::new(Expr::Slot(self.given[event].unwrap_or(0)));
        if self.machine.gates[event].params.is_empty() {
            return *slot;
        }
        let local = self.unpacked[event];
        let pattern = Pattern::Data(Definitions::OPTION, 1, vec![Pattern::Bind(local)]);
        Expr::Match(slot, vec![Arm { pattern, guard: None, body: Expr::Local(local) }])
    }

    /// That an event was given.
    pub(super) fn is_given(&self, event: usize) -> Expr {
        let slot = Expr::Slot(self.given[event].unwrap_or(0));
        match self.machine.gates[event].params.is_empty() {
            true => slot,
            false => Expr::Test(Box::new(slot), Pattern::Data(Definitions::OPTION, 1, vec![Pattern::Any])),
        }
    }
}
