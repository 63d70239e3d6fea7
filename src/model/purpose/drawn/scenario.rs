//! Scenario patterns: regular expressions over the events of an alphabet.

use super::{Drawer, Names};
use crate::history::drawn::{ALL, Event, Other, Term};
use crate::model::problem::{Problem, near};
use crate::model::scope::Binding;
use crate::syntax::tree::{
    self, Arg, EventPattern, EventsPattern, EventsPatternKind, ExprKind, Ident, ModelUse, Scenario, Symbol, TypeExpr,
};
use crate::term::{Expr, Type};

/// What a symbol stands for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Meant<'s> {
    /// A message, by its number.
    Message(usize, &'s EventPattern),
    /// A transition of a machine.
    Fires(usize, &'s Ident),
    /// Another pattern.
    Pattern(&'s EventPattern),
}

impl<'a> Drawer<'_, 'a> {
    /// A pattern for whole runs: what is to happen, and what else may not.
    pub(super) fn scenario_used(&mut self, used: &ModelUse, outside: &[(String, Binding)]) -> Option<(Term, usize)> {
        let scenario = self.scenario_named(used)?;
        let alphabet = self.alphabet(scenario, &mut vec![])?;
        self.closed.push(alphabet.iter().map(|event| self.other(event)).collect());
        let term = self.scenario(used, outside, &alphabet)?;
        Some((term, self.closed.len() - 1))
    }

    /// That an event of an alphabet happens.
    fn other(&self, event: &Event) -> Other {
        Other { takes: event.takes, present: Expr::all(event.guard.iter().cloned()) }
    }

    pub(super) fn scenario_named(&mut self, used: &ModelUse) -> Option<&'a Scenario> {
        let checked = self.checker.checked;
        let found = checked.scenarios.iter().find(|scenario| scenario.name.name == used.name.name);
        if found.is_none() {
            self.unknown("pattern", used, checked.scenarios.iter().map(|scenario| scenario.name.name.as_str()));
        }
        found
    }

    fn scenario(&mut self, used: &ModelUse, outside: &[(String, Binding)], alphabet: &[Event]) -> Option<Term> {
        let scenario = self.scenario_named(used)?;
        let mut names = self.parameters(used, &scenario.params, outside)?;
        if !self.enter(used, &scenario.model) {
            return None;
        }
        for (variable, ty) in &scenario.free {
            self.declared(variable, ty.as_ref(), &scenario.pattern, &mut names);
        }
        let term = self.pattern(&scenario.pattern, &names, alphabet);
        self.open.pop();
        term
    }

    /// A new variable of a pattern.
    pub(super) fn declared(
        &mut self,
        variable: &Ident,
        ty: Option<&TypeExpr>,
        body: &EventsPattern,
        names: &mut Names,
    ) -> Option<usize> {
        let ty = match ty {
            Some(ty) => {
                let names = names.clone();
                Some(self.checker.scoped(false, None, None, names, 0, |scope| scope.resolve(ty)))
            }
            None => self.type_in(&variable.name, body),
        };
        let Some(ty) = ty else {
            self.report(Problem::CannotInfer, variable.span);
            return None;
        };
        let number = self.new_variable(ty.clone(), None);
        names.push((variable.name.clone(), Binding::Local(number, ty)));
        Some(number)
    }

    /// The type of the first thing that a variable stands for.
    fn type_in(&self, variable: &str, pattern: &EventsPattern) -> Option<Type> {
        match &pattern.kind {
            EventsPatternKind::Symbol(symbol) => match self.meant(symbol)? {
                Meant::Message(message, event) => self.type_of(variable, &[(message, event)]),
                Meant::Fires(..) => None,
                Meant::Pattern(event) => {
                    let stands = |e: &tree::Expr| matches!(&e.kind, ExprKind::Name(name) if name == variable);
                    let place = event.args.iter().flatten().position(stands)?;
                    let purposes = &self.checker.checked.purposes;
                    let declared = purposes.iter().find(|p| p.tree.name.name == event.name.name)?;
                    Some(declared.params.get(place)?.ty.clone())
                }
            },
            EventsPatternKind::Sequence(parts) | EventsPatternKind::Choice(parts) => {
                parts.iter().find_map(|part| self.type_in(variable, part))
            }
            EventsPatternKind::Repeat(inner, _) | EventsPatternKind::Some { body: inner, .. } => {
                self.type_in(variable, inner)
            }
            EventsPatternKind::Any | EventsPatternKind::When(_) | EventsPatternKind::Error => None,
        }
    }

    /// What a symbol stands for, if that is clear.
    fn meant<'s>(&self, symbol: &'s Symbol) -> Option<Meant<'s>> {
        match symbol {
            Symbol::Fires { machine, transition } => match self.machines(&super::path_of(machine))?[..] {
                [Some(machine)] => Some(Meant::Fires(machine, transition)),
                _ => None,
            },
            Symbol::Event { machine, event } => {
                if let [message] = self.messages_named(machine.as_ref(), &event.name.name)[..] {
                    return Some(Meant::Message(message, event));
                }
                let is_pattern = |s: &Scenario| machine.is_none() && s.name.name == event.name.name;
                self.checker.checked.scenarios.iter().any(is_pattern).then_some(Meant::Pattern(event))
            }
        }
    }

    /// Messages with a name, of a machine if one is given. Without one, those of the environment come first.
    fn messages_named(&self, machine: Option<&tree::Expr>, name: &str) -> Vec<usize> {
        let machines = machine.map(|machine| self.machines(&super::path_of(machine)).unwrap_or_default());
        let messages = self.checker.histories.messages.iter().enumerate();
        let is_meant = |message: &crate::history::Message| {
            let ends = || message.from.iter().chain(&message.to);
            message.names.iter().any(|known| known == name)
                && machines.as_ref().is_none_or(|machines| ends().any(|end| machines.contains(end)))
        };
        let found: Vec<usize> = messages.filter(|(_, message)| is_meant(message)).map(|(number, _)| number).collect();
        let of_environment: Vec<usize> = (found.iter().copied())
            .filter(|number| {
                let message = &self.checker.histories.messages[*number];
                message.names.first().is_some_and(|first| first == name)
                    && (message.from.contains(&None) || message.to.contains(&None))
            })
            .collect();
        if machine.is_none() && of_environment.len() == 1 { of_environment } else { found }
    }

    /// What a symbol stands for; what is wrong with it is reported.
    pub(super) fn resolved<'s>(&mut self, symbol: &'s Symbol) -> Option<Meant<'s>> {
        let found = self.meant(symbol);
        if found.is_none() {
            let histories = self.checker.histories;
            match symbol {
                Symbol::Fires { machine, .. } => {
                    let name = super::path_of(machine);
                    let near = near(&name, histories.machines.iter().map(|machine| machine.name.as_str()));
                    self.report(Problem::UnknownLifeline { name, near }, machine.span);
                }
                Symbol::Event { machine, event } => {
                    let name = event.name.name.clone();
                    let several = self.messages_named(machine.as_ref(), &name);
                    if several.is_empty() {
                        let messages = histories.messages.iter().flat_map(|message| &message.names);
                        let patterns = self.checker.checked.scenarios.iter().map(|scenario| &scenario.name.name);
                        let near = near(&name, messages.chain(patterns).map(String::as_str));
                        self.report(Problem::UnknownDrawing { what: "event", name, near }, event.name.span);
                    } else {
                        let owner = |number: &usize| {
                            let ends = histories.messages[*number].from.iter().chain(&histories.messages[*number].to);
                            let machine = ends.flatten().next().map(|machine| &histories.machines[*machine].name);
                            machine.map_or_else(|| name.clone(), |machine| format!("`{machine}.{name}`"))
                        };
                        let machines = several.iter().map(owner).collect::<Vec<_>>().join(" or ");
                        self.report(Problem::SeveralMessages { name: name.clone(), machines }, event.name.span);
                    }
                }
            }
        }
        found
    }

    /// The events that count: those that are declared, or else all that are mentioned, whatever they carry.
    fn alphabet(&mut self, scenario: &'a Scenario, seen: &mut Vec<&'a str>) -> Option<Vec<Event>> {
        if seen.contains(&scenario.name.name.as_str()) {
            return Some(vec![]);
        }
        seen.push(&scenario.name.name);
        let mut out = vec![];
        for symbol in scenario.alphabet.iter().flatten() {
            match self.resolved(symbol)? {
                Meant::Message(message, event) => out.push(self.message_of_alphabet(message, event)?),
                Meant::Fires(machine, transition) => out.push(self.fires(machine, transition, ALL)?),
                Meant::Pattern(event) => {
                    let problem = Problem::UnknownDrawing { what: "event", name: event.name.name.clone(), near: None };
                    self.report(problem, event.name.span);
                    return None;
                }
            }
        }
        let mut mentioned = vec![];
        symbols_in(&scenario.pattern, &mut mentioned);
        for symbol in mentioned {
            match self.resolved(symbol)? {
                Meant::Pattern(event) => {
                    let checked = self.checker.checked;
                    let inner = checked.scenarios.iter().find(|s| s.name.name == event.name.name)?;
                    out.extend(self.alphabet(inner, seen)?);
                }
                _ if scenario.alphabet.is_some() => {}
                Meant::Message(message, _) => {
                    let Other { takes, present } = self.present(message);
                    out.push(Event { takes, lifelines: ALL, guard: vec![present], values: vec![] });
                }
                Meant::Fires(machine, transition) => out.push(self.fires(machine, transition, ALL)?),
            }
        }
        let mut each: Vec<Event> = vec![];
        for event in out {
            if !each.iter().any(|known| known.takes == event.takes && known.guard == event.guard) {
                each.push(event);
            }
        }
        Some(each)
    }

    fn pattern(&mut self, pattern: &EventsPattern, names: &Names, alphabet: &[Event]) -> Option<Term> {
        Some(match &pattern.kind {
            EventsPatternKind::Error => return None,
            EventsPatternKind::Symbol(symbol) => {
                let event = match self.resolved(symbol)? {
                    Meant::Message(message, event) => self.message(message, event, names, ALL)?,
                    Meant::Fires(machine, transition) => self.fires(machine, transition, ALL)?,
                    Meant::Pattern(event) => {
                        let used = self.used_by(event)?;
                        return self.scenario(&used, names, alphabet);
                    }
                };
                self.happens(event)
            }
            EventsPatternKind::Any => {
                let events: Vec<Term> = alphabet.iter().map(|event| self.happens(event.clone())).collect();
                Term::alt(events)
            }
            EventsPatternKind::When(condition) => Term::Guard(self.condition(condition, names, ALL)?),
            EventsPatternKind::Sequence(parts) => {
                let parts: Vec<Option<Term>> = parts.iter().map(|part| self.pattern(part, names, alphabet)).collect();
                Term::sequence(parts.into_iter().collect::<Option<Vec<Term>>>()?)
            }
            EventsPatternKind::Choice(parts) => {
                let parts: Vec<Option<Term>> = parts.iter().map(|part| self.pattern(part, names, alphabet)).collect();
                Term::alt(parts.into_iter().collect::<Option<Vec<Term>>>()?)
            }
            EventsPatternKind::Repeat(inner, times) => {
                let times = self.times(times, names, pattern.span);
                let inner = self.pattern(inner, names, alphabet)?;
                let (least, most) = times?;
                Term::rounds(inner, least, most)
            }
            EventsPatternKind::Some { variable, ty, body } => {
                let mut names = names.clone();
                let number = self.declared(variable, ty.as_ref(), body, &mut names)?;
                Term::Scope(number, Box::new(self.pattern(body, &names, alphabet)?))
            }
        })
    }

    /// The use of a pattern inside another one.
    pub(super) fn used_by(&mut self, event: &EventPattern) -> Option<ModelUse> {
        if let Some(result) = &event.result {
            let found = event.args.as_ref().map_or(0, Vec::len);
            let what = event.name.name.clone();
            self.report(Problem::ArgumentCount { what, expected: found, found: found + 1 }, result.span);
            return None;
        }
        let args = event.args.iter().flatten().map(|value| Arg { name: None, value: value.clone() }).collect();
        Some(ModelUse { name: event.name.clone(), args, span: event.span })
    }

    fn happens(&mut self, event: Event) -> Term {
        self.events.push(event);
        Term::Event(self.events.len() - 1)
    }
}

/// Symbols of a pattern, in order.
pub(super) fn symbols_in<'p>(pattern: &'p EventsPattern, out: &mut Vec<&'p Symbol>) {
    match &pattern.kind {
        EventsPatternKind::Symbol(symbol) => out.push(symbol),
        EventsPatternKind::Sequence(parts) | EventsPatternKind::Choice(parts) => {
            parts.iter().for_each(|part| symbols_in(part, out));
        }
        EventsPatternKind::Repeat(inner, _) | EventsPatternKind::Some { body: inner, .. } => symbols_in(inner, out),
        EventsPatternKind::Any | EventsPatternKind::When(_) | EventsPatternKind::Error => {}
    }
}
