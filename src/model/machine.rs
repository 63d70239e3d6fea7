//! Components and symbolic transition systems.

use std::collections::BTreeSet;

use super::assemble::SILENCE;
use super::checked::*;
use super::pattern::NameMeans;
use super::problem::{Problem, near};
use super::scope::{Binding, Scope};
use crate::diagnostic::Severity;
use crate::reach::Graph;
use crate::syntax::tree::{
    self, BinaryOp, Direction, Effect, EventUse, ExprKind, GateDecl, Ident, Init, MachineKind, Member, Port, UnaryOp,
    VarDecl,
};
use crate::syntax::{Span, print_expr};
use crate::term::{self, Builtin, Expr, Type};

/// Name of the one location of an sts that has only actions.
const ONLY_LOCATION: &str = "ready";

impl Scope<'_> {
    /// Checks a machine; its parameters are in scope already.
    pub fn machine(&mut self, written: &tree::Machine) -> Machine {
        let mut machine = Machine {
            kind: written.kind,
            name: written.name.name.clone(),
            vars: vec![],
            channels: vec![],
            gates: vec![],
            states: vec![],
            initial: 0,
            transitions: vec![],
            service: None,
        };
        if !self.ports(written, &mut machine) {
            // Without its channels or gates, every transition would only repeat what is wrong.
            return machine;
        }
        self.states(written, &mut machine);
        self.vars(written, &mut machine);
        for (index, channel) in machine.channels.iter().enumerate() {
            let slot = machine.vars.len() + index;
            self.bindings.push((channel.name.clone(), Binding::Channel(slot, channel.direction, channel.ty.clone())));
        }
        let mut names = BTreeSet::new();
        for member in &written.members {
            let (transitions, named) = match member {
                Member::Transition(t) => (self.transition(t, &machine), t.name.as_ref()),
                Member::Action(a) => (self.action(a, &machine).into_iter().collect(), None),
                _ => continue,
            };
            for mut transition in transitions {
                if transition.name.is_empty() {
                    transition.name = switch_name(&transition, &machine);
                }
                if transition.step.is_empty() {
                    transition.step = transition.name.clone();
                }
                if !names.insert(transition.name.clone()) {
                    let at = named.map_or(transition.span, |name| name.span);
                    self.report(Problem::Duplicate { name: transition.name.clone() }, at);
                }
                machine.transitions.push(transition);
            }
        }
        self.machine_findings(written, &machine);
        machine
    }

    fn unique(&mut self, name: &Ident, known: &BTreeSet<String>) -> bool {
        if known.contains(&name.name) {
            self.report(Problem::Duplicate { name: name.name.clone() }, name.span);
        }
        !known.contains(&name.name)
    }

    /// Channels and gates; false if there are some of the wrong style.
    fn ports(&mut self, written: &tree::Machine, machine: &mut Machine) -> bool {
        let mut known = self.parameter_names();
        let mut sound = true;
        let actions = written.members.iter().filter_map(|m| match m {
            Member::Action(a) => Some((a.direction, &a.gate, a.span)),
            _ => None,
        });
        for member in &written.members {
            let Member::Ports { direction, ports, .. } = member else { continue };
            for port in ports {
                match (port, written.kind) {
                    (Port::Channel(field), MachineKind::Component) => {
                        let ty = self.resolve(&field.ty);
                        if self.unique(&field.name, &known) {
                            known.insert(field.name.name.clone());
                            let name = field.name.name.clone();
                            machine.channels.push(Channel { name, direction: *direction, ty, span: field.name.span });
                        }
                    }
                    (Port::Gate(gate), MachineKind::Sts) => {
                        let params = self.gate_params(gate);
                        if self.unique(&gate.name, &known) {
                            known.insert(gate.name.name.clone());
                            machine.gates.push(Gate { name: gate.name.name.clone(), direction: *direction, params });
                        }
                    }
                    (Port::Channel(field), MachineKind::Sts) => {
                        self.wrong_style("a channel", "an sts", "write a gate: `in g(x: T)`", field.name.span);
                        sound = false;
                    }
                    (Port::Gate(gate), MachineKind::Component) => {
                        self.wrong_style("a gate", "a component", "write a channel: `in c: T`", gate.name.span);
                        sound = false;
                    }
                }
            }
        }
        for (direction, gate, span) in actions {
            if written.kind == MachineKind::Component {
                self.wrong_style("an action", "a component", "actions stand in an `sts`", span);
                sound = false;
                continue;
            }
            let params = self.gate_params(gate);
            let declared = Gate { name: gate.name.name.clone(), direction, params };
            match machine.gates.iter().find(|g| g.name == declared.name) {
                None => machine.gates.push(declared),
                Some(other) if *other == declared => {}
                Some(_) => self.report(Problem::Duplicate { name: declared.name }, gate.name.span),
            }
        }
        sound
    }

    fn wrong_style(&mut self, what: &str, machine: &str, mend: &str, span: Span) {
        self.report(Problem::WrongStyle { what: what.into(), machine: machine.into(), mend: mend.into() }, span);
    }

    /// Names that the machine's own channels and variables may not take.
    fn parameter_names(&self) -> BTreeSet<String> {
        self.bindings.iter().map(|(name, _)| name.clone()).collect()
    }

    fn gate_params(&mut self, gate: &GateDecl) -> Vec<(String, Type)> {
        if gate.name.name == SILENCE {
            self.report(Problem::BuiltinName { name: SILENCE.to_owned() }, gate.name.span);
        }
        let mut params: Vec<(String, Type)> = vec![];
        for param in &gate.params {
            if params.iter().any(|(name, _)| *name == param.name.name) {
                self.report(Problem::Duplicate { name: param.name.name.clone() }, param.name.span);
            }
            params.push((param.name.name.clone(), self.resolve(&param.ty)));
        }
        if let Some(result) = &gate.result {
            if params.iter().any(|(name, _)| name == "result") {
                self.report(Problem::Duplicate { name: "result".to_owned() }, gate.name.span);
            }
            params.push(("result".to_owned(), self.resolve(result)));
        }
        params
    }

    fn states(&mut self, written: &tree::Machine, machine: &mut Machine) {
        let mut initial = None;
        let mut known = BTreeSet::new();
        for member in &written.members {
            let Member::States { initial: is_initial, kind, names, span } = member else { continue };
            if *kind != written.kind {
                match kind {
                    MachineKind::Component => self.wrong_style("`state`", "an sts", "write `location`", *span),
                    MachineKind::Sts => self.wrong_style("`location`", "a component", "write `state`", *span),
                }
            }
            for (position, name) in names.iter().enumerate() {
                if !self.unique(name, &known) {
                    continue;
                }
                known.insert(name.name.clone());
                if *is_initial && initial.is_some() {
                    self.report(Problem::SeveralInitialStates { place: place(written.kind) }, name.span);
                } else if *is_initial && position == 0 {
                    initial = Some(machine.states.len());
                }
                machine.states.push(name.name.clone());
            }
        }
        let has_actions = written.members.iter().any(|m| matches!(m, Member::Action(_)));
        if has_actions && machine.states.is_empty() {
            machine.states.push(ONLY_LOCATION.to_owned());
            return;
        }
        if let (true, Some(Member::Action(action))) =
            (has_actions, written.members.iter().find(|m| matches!(m, Member::Action(_))))
        {
            self.report(Problem::ActionsAndLocations, action.span);
        }
        match initial {
            Some(initial) => machine.initial = initial,
            None => {
                let (name, place) = (written.name.name.clone(), place(written.kind));
                let problem = if machine.states.is_empty() {
                    Problem::NoStates { name, place }
                } else {
                    Problem::NoInitialState { name, place }
                };
                self.report(problem, written.name.span);
            }
        }
    }

    fn vars(&mut self, written: &tree::Machine, machine: &mut Machine) {
        let mut known = self.parameter_names();
        known.extend(machine.channels.iter().map(|c| c.name.clone()));
        let decls = written.members.iter().filter_map(|m| match m {
            Member::Vars { vars, .. } => Some(vars),
            _ => None,
        });
        for decl in decls.flatten() {
            let (init, ty) = self.declared(decl);
            if self.unique(&decl.name, &known) {
                known.insert(decl.name.name.clone());
                machine.vars.push(Var { name: decl.name.name.clone(), ty, init, span: decl.name.span });
            }
        }
        // Initial values do not see the variables.
        for (index, var) in machine.vars.iter().enumerate() {
            self.bindings.push((var.name.clone(), Binding::Slot(index, var.ty.clone())));
        }
    }

    /// The initial value of a variable, if it has one, and its type.
    pub(super) fn declared(&mut self, decl: &VarDecl) -> (Option<Expr>, Type) {
        let written = decl.ty.as_ref().map(|ty| self.resolve(ty));
        match (&decl.init, written) {
            (Init::Value(value), Some(ty)) => (Some(self.initial_value(value, &ty)), ty),
            (Init::Value(value), None) => {
                let (expr, ty) = self.infer(value, None);
                (Some(expr), ty)
            }
            (Init::Any(_), Some(ty)) => (None, ty),
            (Init::Any(span), None) => {
                self.report(Problem::OpenNeedsType { name: decl.name.name.clone() }, *span);
                (None, Type::Unknown)
            }
        }
    }

    /// An initial value. Where its type depends on parameters, it is judged when the machine is put together.
    fn initial_value(&mut self, value: &tree::Expr, ty: &Type) -> Expr {
        let expr = self.check(value, &ty.shape());
        if let Expr::Const(constant) = &expr {
            self.is_decided(constant, ty, value.span);
        }
        expr
    }

    fn state(&mut self, name: &Ident, machine: &Machine) -> Option<usize> {
        let found = machine.states.iter().position(|s| *s == name.name);
        // That there are none at all has been said.
        if found.is_none() && !machine.states.is_empty() {
            let near = near(&name.name, machine.states.iter().map(String::as_str));
            let place = place(machine.kind);
            self.report(Problem::UnknownState { place, name: name.name.clone(), near }, name.span);
        }
        found
    }

    /// The transitions that are written as one: one from each of the states it leaves.
    fn transition(&mut self, written: &tree::Transition, machine: &Machine) -> Vec<Transition> {
        let mut sources: Vec<usize> = vec![];
        for name in &written.sources {
            match self.state(name, machine) {
                Some(source) if sources.contains(&source) => {
                    self.report(Problem::Duplicate { name: name.name.clone() }, name.span);
                }
                source => sources.extend(source),
            }
        }
        let target = self.state(&written.target, machine);
        let name = written.name.as_ref().map(|n| n.name.clone()).unwrap_or_default();
        self.locals = 0;
        let (event, guard, updates, sends) = self.nested(|s| {
            let mut guard = vec![];
            let event = s.event(written, machine, &mut guard);
            if let Some(condition) = &written.guard {
                s.guard(condition, &mut guard);
            }
            let (updates, sends) = s.effects(&written.effects, machine);
            (event, guard, updates, sends)
        });
        if name == "idle" {
            let span = written.name.as_ref().map_or(written.span, |n| n.span);
            self.report(Problem::ReservedTransition { name: name.clone() }, span);
        }
        let (Some(target), Some(event)) = (target, event) else { return vec![] };
        let tags = names_of(&written.tags);
        let span = written.span;
        let several = written.sources.len() > 1;
        let of_source = |source: usize| {
            // Each has a name of its own.
            let own = match several && !name.is_empty() {
                true => format!("{name}.{}", machine.states[source]),
                false => name.clone(),
            };
            let (guard, updates, sends, tags) = (guard.clone(), updates.clone(), sends.clone(), tags.clone());
            let step = if several { step_name(&name, &written.sources, event, machine) } else { String::new() };
            Transition { name: own, step, source, target, event, guard, updates, sends, tags, span }
        };
        sources.into_iter().map(of_source).collect()
    }

    /// What a transition does; for a gate, its parameters become the first locals and its arguments conditions on them.
    fn event(&mut self, written: &tree::Transition, machine: &Machine, guard: &mut Vec<Conjunct>) -> Option<Event> {
        match (&written.event, machine.kind) {
            (None, MachineKind::Component) => {
                if written.name.is_none() {
                    self.report(Problem::TransitionWithoutName, written.span);
                }
                Some(Event::Tick)
            }
            (Some(EventUse::Tau(_)), MachineKind::Sts) => Some(Event::Tau),
            (Some(EventUse::Gate { direction, gate, args, result, span }), MachineKind::Sts) => {
                let Some(number) = machine.gates.iter().position(|g| g.name == gate.name) else {
                    let near = near(&gate.name, machine.gates.iter().map(|g| g.name.as_str()));
                    self.report(Problem::UnknownGate { name: gate.name.clone(), near }, gate.span);
                    args.iter().chain(result).for_each(|arg| self.bind_names(arg));
                    return None;
                };
                let declared = &machine.gates[number];
                if declared.direction != *direction {
                    let word = if declared.direction == Direction::In { "in" } else { "out" };
                    let problem = Problem::GateDirection { name: gate.name.clone(), declared: word.into() };
                    self.report(problem, *span);
                }
                let has_result = declared.params.last().is_some_and(|(name, _)| name == "result");
                let given = args.len() + usize::from(result.is_some());
                let wanted = declared.params.len();
                if given != wanted && !(has_result && result.is_none() && given + 1 == wanted) {
                    let problem = Problem::ArgumentCount { what: gate.name.clone(), expected: wanted, found: given };
                    self.report(problem, *span);
                    args.iter().chain(result).for_each(|arg| self.bind_names(arg));
                    return None;
                }
                self.locals = wanted;
                for (index, (arg, param)) in args.iter().chain(result).zip(&declared.params).enumerate() {
                    self.gate_argument(index, arg, param, guard);
                }
                Some(Event::Gate(number))
            }
            (Some(EventUse::Tau(span)), MachineKind::Component) => {
                self.wrong_style("`tau`", "a component", "write the name of the transition: `A -> B : name`", *span);
                None
            }
            (Some(EventUse::Gate { span, args, result, .. }), MachineKind::Component) => {
                args.iter().chain(result).for_each(|arg| self.bind_names(arg));
                self.wrong_style(
                    "a gate",
                    "a component",
                    "read channels with `when c?x`, write them with `do c!e`",
                    *span,
                );
                None
            }
            (None, MachineKind::Sts) => {
                let mend = "write `A -> B : ?gate(x)`, `A -> B : !gate(x)` or `A -> B : tau`";
                self.wrong_style("a transition without a gate", "an sts", mend, written.span);
                None
            }
        }
    }

    /// A fresh name stands for the parameter; anything else is a condition on it.
    fn gate_argument(
        &mut self,
        index: usize,
        arg: &tree::Expr,
        (param, ty): &(String, Type),
        guard: &mut Vec<Conjunct>,
    ) {
        if let ExprKind::Name(name) = &arg.kind {
            let known = self.bindings.iter().any(|(n, _)| n == name)
                || self.names.constants.contains_key(name)
                || self.names.constructors.contains_key(name)
                || name == "None";
            if !known {
                self.bindings.push((name.clone(), Binding::Local(index, ty.clone())));
                return;
            }
        }
        let local = Box::new(Expr::Local(index));
        let expr = match self.pattern(arg, ty, NameMeans::FreshBinds) {
            term::Pattern::Any => return,
            term::Pattern::Equal(value) => Expr::Binary(term::BinaryOp::Equal, local, value),
            pattern => Expr::Test(local, pattern),
        };
        guard.push(Conjunct { expr, conditions: vec![format!("{param}?{}", print_expr(arg))], span: arg.span });
        self.rests_behind(arg, guard);
    }

    /// What the pattern that was just read says of the ends of lists.
    fn rests_behind(&mut self, pattern: &tree::Expr, guard: &mut Vec<Conjunct>) {
        for expr in self.equalities() {
            let conditions = vec![format!("the end of {}", print_expr(pattern))];
            guard.push(Conjunct { expr, conditions, span: pattern.span });
        }
    }

    /// Splits a guard at `&&`, so that a message bound in one part is known in the next, and a refusal can name the part.
    fn guard(&mut self, condition: &tree::Expr, out: &mut Vec<Conjunct>) {
        let expr = match &condition.kind {
            ExprKind::Binary(BinaryOp::And, left, right) => {
                self.guard(left, out);
                self.guard(right, out);
                return;
            }
            ExprKind::Receive(channel, pattern) => self.receive(channel, pattern, true, condition.span),
            _ => self.condition(condition),
        };
        self.suppose(condition.clone());
        let mut conditions = vec![];
        conditions_in(condition, &mut conditions);
        out.push(Conjunct { expr, conditions, span: condition.span });
        if let ExprKind::Receive(_, pattern) = &condition.kind {
            self.rests_behind(pattern, out);
        }
    }

    pub(super) fn effects(&mut self, effects: &[Effect], machine: &Machine) -> (Vec<(usize, Expr)>, Vec<Send>) {
        let mut updates: Vec<(usize, Expr)> = vec![];
        let mut whole: Vec<usize> = vec![];
        let mut sends: Vec<Send> = vec![];
        for effect in effects {
            match effect {
                Effect::Assign { target, value, span } => {
                    let Some((var, path)) = self.target(target, machine) else {
                        self.infer(value, None);
                        continue;
                    };
                    let name = machine.vars[var].name.clone();
                    let earlier = updates.iter().position(|(v, _)| *v == var);
                    if whole.contains(&var) || (path.is_empty() && earlier.is_some()) {
                        self.report(Problem::AssignedTwice { name }, *span);
                        continue;
                    }
                    if path.is_empty() {
                        whole.push(var);
                    }
                    let current = earlier.map_or(Expr::Slot(var), |at| updates[at].1.clone());
                    let ty = machine.vars[var].ty.clone();
                    let new = self.assigned(current, &ty, &path, value);
                    match earlier {
                        Some(at) => updates[at].1 = new,
                        None => updates.push((var, new)),
                    }
                }
                Effect::Send { channel, value, condition, span } => {
                    if let Some(send) = self.send(channel, value, condition.as_ref(), *span, machine) {
                        if sends.iter().any(|s| s.channel == send.channel) {
                            self.report(Problem::SentTwice { name: channel.name.clone() }, *span);
                        }
                        sends.push(send);
                    }
                }
            }
        }
        for (var, expr) in &mut updates {
            let ty = &machine.vars[*var].ty;
            // A whole value was checked against the type where it stands. What is written inside belongs to its own type, and
            // what stands around it is checked once everything is written.
            if self.definitions.narrows(ty) && !whole.contains(var) {
                *expr = Expr::Narrow(Box::new(expr.clone()), ty.clone());
            }
        }
        (updates, sends)
    }

    /// The variable an assignment changes, and the way to the place inside it.
    fn target<'t>(&mut self, target: &'t tree::Expr, machine: &Machine) -> Option<(usize, Vec<Place<'t>>)> {
        let mut path = vec![];
        let mut at = target;
        loop {
            match &at.kind {
                ExprKind::Index(inner, index) => {
                    path.push(Place::Index(index));
                    at = inner;
                }
                ExprKind::Field(inner, field) => {
                    path.push(Place::Field(field));
                    at = inner;
                }
                ExprKind::Name(name) => {
                    path.reverse();
                    // The name of a variable where it stands, which may be that of a part of the machine.
                    let bound = self.bindings.iter().rev().find(|(known, _)| known == name);
                    if let Some((_, Binding::Slot(var, _))) = bound
                        && *var < machine.vars.len()
                    {
                        return Some((*var, path));
                    }
                    if self.bindings.iter().any(|(n, _)| n == name) || self.names.constants.contains_key(name) {
                        self.report(Problem::NotAssignable, target.span);
                    } else {
                        let near = near(name, machine.vars.iter().map(|v| v.name.as_str()));
                        self.report(Problem::UnknownName { name: name.clone(), near }, at.span);
                    }
                    return None;
                }
                _ => {
                    self.report(Problem::NotAssignable, target.span);
                    return None;
                }
            }
        }
    }

    /// `current` with the place at the end of `path` replaced by a value.
    fn assigned(&mut self, current: Expr, ty: &Type, path: &[Place<'_>], value: &tree::Expr) -> Expr {
        let Some((first, rest)) = path.split_first() else {
            return self.check(value, ty);
        };
        match (first, super::expr::base(ty).clone()) {
            (Place::Index(index), Type::Map(key, element)) => {
                let key = self.check(index, &key);
                if !rest.is_empty() {
                    self.can_fail("the key may be missing from the map", index.span);
                }
                let inner = Expr::Builtin(Builtin::Index, vec![current.clone(), key.clone()]);
                let new = self.assigned(inner, &element, rest, value);
                Expr::Builtin(Builtin::Put, vec![current, key, new])
            }
            (Place::Index(index), Type::List(element)) => {
                let position = self.check(index, &Type::INT);
                self.can_fail("this index may be outside the list", index.span);
                let inner = Expr::Builtin(Builtin::Index, vec![current.clone(), position.clone()]);
                let new = self.assigned(inner, &element, rest, value);
                Expr::Builtin(Builtin::Put, vec![current, position, new])
            }
            (Place::Field(field), ty) => match self.field_of(&ty, field) {
                Some((index, field_ty)) => {
                    let inner = Expr::Field(Box::new(current.clone()), index);
                    let new = self.assigned(inner, &field_ty, rest, value);
                    Expr::With(Box::new(current), vec![(index, new)])
                }
                None => current,
            },
            (_, Type::Unknown) => current,
            (Place::Index(index), other) => {
                self.report(Problem::NotCollection { ty: self.show(&other) }, index.span);
                current
            }
        }
    }

    fn send(
        &mut self,
        channel: &Ident,
        value: &tree::Expr,
        condition: Option<&tree::Expr>,
        span: Span,
        machine: &Machine,
    ) -> Option<Send> {
        if machine.kind == MachineKind::Sts {
            self.wrong_style("a message", "an sts", "write an output gate: `A -> B : !gate(x)`", span);
            return None;
        }
        let Some(number) = machine.channels.iter().position(|c| c.name == channel.name) else {
            let near = near(&channel.name, machine.channels.iter().map(|c| c.name.as_str()));
            self.report(Problem::UnknownChannel { name: channel.name.clone(), near }, channel.span);
            return None;
        };
        self.used.push(channel.name.clone());
        let declared = &machine.channels[number];
        if declared.direction == Direction::In {
            self.report(Problem::ChannelDirection { name: channel.name.clone(), uses: "written".into() }, span);
        }
        self.nested(|s| {
            let condition = condition.map(|c| {
                let expr = s.condition(c);
                s.assume(c);
                expr
            });
            Some(Send { channel: number, condition, value: s.check(value, &declared.ty) })
        })
    }

    fn action(&mut self, written: &tree::Action, machine: &Machine) -> Option<Transition> {
        let number = machine.gates.iter().position(|g| g.name == written.gate.name.name)?;
        let params = machine.gates[number].params.clone();
        self.locals = params.len();
        let (guard, updates) = self.nested(|s| {
            for (index, (name, ty)) in params.iter().enumerate() {
                s.bindings.push((name.clone(), Binding::Local(index, ty.clone())));
            }
            let mut guard = vec![];
            if let Some(condition) = &written.guard {
                s.guard(condition, &mut guard);
            }
            match (&written.result, &written.gate.result) {
                (Some(result), Some(_)) => {
                    let last = params.len() - 1;
                    let value = Box::new(s.check(result, &params[last].1.shape()));
                    let expr = Expr::Binary(term::BinaryOp::Equal, Box::new(Expr::Local(last)), value);
                    let conditions = vec![format!("result == {}", print_expr(result))];
                    guard.push(Conjunct { expr, conditions, span: result.span });
                }
                (Some(result), None) => {
                    let mend = "write `action g(x: T): U = ...`, where `U` is the type of the value";
                    s.wrong_style("a value", "an action without a result", mend, result.span);
                }
                (None, _) => {}
            }
            let (updates, _) = s.effects(&written.effects, machine);
            (guard, updates)
        });
        let earlier = machine.transitions.iter().filter(|t| t.event == Event::Gate(number)).count();
        let gate = &machine.gates[number].name;
        let name = if earlier == 0 { gate.clone() } else { format!("{gate}.{}", earlier + 1) };
        Some(Transition {
            name,
            step: String::new(),
            source: 0,
            target: 0,
            event: Event::Gate(number),
            guard,
            updates,
            sends: vec![],
            tags: names_of(&written.tags),
            span: written.span,
        })
    }

    fn dead_states(&mut self, written: &tree::Machine, machine: &Machine) {
        let control = Graph {
            nodes: machine.states.len(),
            edges: machine.transitions.iter().map(|t| (t.source as u32, t.target as u32)).collect(),
            initial: vec![machine.initial as u32],
            goals: vec![],
        };
        let reach = control.analyse();
        // Without errors, the states are the names in their order.
        let names = written.members.iter().filter_map(|m| match m {
            Member::States { names, .. } => Some(names),
            _ => None,
        });
        for (number, name) in names.flatten().enumerate() {
            if !reach.is_reachable(number as u32) {
                self.report(Problem::DeadState { name: name.name.clone() }, name.span);
            }
        }
    }

    fn machine_findings(&mut self, written: &tree::Machine, machine: &Machine) {
        // What was wrong may be the very transition that leads there.
        if !self.problems.iter().any(|p| p.severity == Severity::Error) {
            self.dead_states(written, machine);
        }
        // A variable that is only written is fine: its history list is there for purposes to look at.
        let changed = |var: usize| machine.transitions.iter().any(|t| t.updates.iter().any(|(v, _)| *v == var));
        for (number, var) in machine.vars.iter().enumerate() {
            if !self.used.contains(&var.name) && !changed(number) {
                self.report(Problem::NeverUsed { name: var.name.clone() }, var.span);
            }
        }
        for channel in &machine.channels {
            if !self.used.contains(&channel.name) {
                self.report(Problem::NeverUsed { name: channel.name.clone() }, channel.span);
            }
        }
    }
}

/// What stands between `&&`, `||` and `!` in a condition, from left to right.
fn conditions_in(condition: &tree::Expr, out: &mut Vec<String>) {
    match &condition.kind {
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, right) => {
            conditions_in(left, out);
            conditions_in(right, out);
        }
        ExprKind::Unary(UnaryOp::Not, inner) => conditions_in(inner, out),
        _ => out.push(print_expr(condition)),
    }
}

fn names_of(tags: &[Ident]) -> Vec<String> {
    let mut names: Vec<String> = vec![];
    for tag in tags {
        if !names.contains(&tag.name) {
            names.push(tag.name.clone());
        }
    }
    names
}

/// What the places of a machine are called.
fn place(kind: MachineKind) -> String {
    match kind {
        MachineKind::Component => "state".into(),
        MachineKind::Sts => "location".into(),
    }
}

/// A step into a variable.
#[derive(Debug)]
enum Place<'t> {
    Index(&'t tree::Expr),
    Field(&'t Ident),
}

/// What a transition from several states is called as one: by its name, or by states and gate.
fn step_name(name: &str, sources: &[Ident], event: Event, machine: &Machine) -> String {
    if !name.is_empty() {
        return name.to_owned();
    }
    let sources: Vec<&str> = sources.iter().map(|source| source.name.as_str()).collect();
    format!("{}.{}", sources.join("|"), gate_name(event, machine))
}

fn gate_name(event: Event, machine: &Machine) -> &str {
    match event {
        Event::Gate(number) => machine.gates[number].name.as_str(),
        _ => "tau",
    }
}

/// `source.gate.k`
fn switch_name(transition: &Transition, machine: &Machine) -> String {
    let same = |t: &&Transition| t.source == transition.source && t.event == transition.event;
    let k = machine.transitions.iter().filter(same).count() + 1;
    format!("{}.{}.{k}", machine.states[transition.source], gate_name(transition.event, machine))
}
