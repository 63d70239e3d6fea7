//! Events: messages and transitions, with what is asked of their data.

use super::{BOUND, Drawer, Names, is, is_there};
use crate::history::Seen;
use crate::history::drawn::{Event, Lifelines, Other};
use crate::model::pattern::NameMeans;
use crate::model::problem::{Problem, near};
use crate::model::scope::Binding;
use crate::syntax::tree::{self, EventPattern, ExprKind, Ident};
use crate::term::{Expr, Pattern, Type, Value};

impl Drawer<'_, '_> {
    /// Lists of the data of a message, and whether the last one is a result.
    pub(super) fn data_of(&self, message: usize) -> (Vec<usize>, bool) {
        match &self.checker.histories.messages[message].seen {
            Seen::List(list) => (vec![*list], false),
            Seen::Gate { params, has_result, .. } => (params.clone(), *has_result),
        }
    }

    /// What a message is asked for, with the lists of the data.
    pub(super) fn asked<'e>(&self, message: usize, event: &'e EventPattern) -> Vec<(usize, &'e tree::Expr)> {
        let (mut data, has_result) = self.data_of(message);
        let result = if has_result { data.pop() } else { None };
        let args = event.args.iter().flatten().zip(data).map(|(arg, list)| (list, arg));
        args.chain(result.zip(event.result.as_ref())).collect()
    }

    /// That a message is there, whatever it carries.
    pub(super) fn present(&mut self, message: usize) -> Other {
        match self.checker.histories.messages[message].seen.clone() {
            Seen::List(list) => Other { takes: list, present: is_there(self.list(list)) },
            Seen::Gate { list, member, .. } => {
                let gate = Expr::Const(self.checker.histories.member(list, member));
                Other { takes: list, present: is(self.list(list), gate) }
            }
        }
    }

    /// Who must take part in an event at a gate for it to go between certain ends: at a gate that several machines share,
    /// one of those that are meant.
    pub(super) fn between_ends(&mut self, message: usize, from: &[Option<usize>], to: &[Option<usize>]) -> Vec<Expr> {
        let histories = self.checker.histories;
        let message = &histories.messages[message];
        if matches!(message.seen, Seen::List(_)) {
            return vec![];
        }
        let mut out = vec![];
        for (ends, meant) in [(&message.from, from), (&message.to, to)] {
            if ends.iter().all(|end| meant.contains(end)) {
                continue;
            }
            let machines = ends.iter().filter(|end| meant.contains(end)).flatten();
            let fired: Vec<usize> = machines.map(|machine| histories.machines[*machine].fired).collect();
            out.push(match fired[..] {
                [fired] => is_there(self.list(fired)),
                _ => {
                    let any = Expr::any(fired.into_iter().map(|fired| is_there(Expr::Slot(fired))));
                    let list = self.list_of(any.unwrap_or(Expr::Const(Value::Bool(false))), Type::Bool);
                    is(list, Expr::TRUE)
                }
            });
        }
        out
    }

    /// A message with what is asked of its data.
    pub(super) fn message(
        &mut self,
        message: usize,
        event: &EventPattern,
        names: &Names,
        lifelines: Lifelines,
    ) -> Option<Event> {
        let (data, has_result) = self.data_of(message);
        let expected = data.len() - usize::from(has_result);
        let what = || event.name.name.clone();
        if let Some(args) = &event.args
            && args.len() != expected
        {
            let problem = Problem::ArgumentCount { what: what(), expected, found: args.len() };
            self.report(problem, event.span);
            return None;
        }
        if let Some(result) = &event.result
            && !has_result
        {
            let problem = Problem::ArgumentCount { what: what(), expected, found: expected + 1 };
            self.report(problem, result.span);
            return None;
        }
        let Other { takes, present } = self.present(message);
        let mut out = Event { takes, lifelines, guard: vec![present], values: vec![] };
        let before = self.checker.problems.len();
        for (list, written) in self.asked(message, event) {
            self.argument(list, written, names, &mut out);
        }
        (self.checker.problems.len() == before).then_some(out)
    }

    /// What is asked of one element: a value, a pattern, or that it is the value of a variable.
    fn argument(&mut self, list: usize, written: &tree::Expr, names: &Names, event: &mut Event) {
        if written.kind == ExprKind::Wildcard {
            return;
        }
        let ty = self.checker.histories.entries[list].ty.clone();
        let element = self.list(list);
        let globals = &self.checker.checked.names;
        if let ExprKind::Name(name) = &written.kind
            && name != "None"
            && !names.iter().any(|(known, _)| known == name)
            && !globals.constants.contains_key(name)
            && !globals.constructors.contains_key(name)
        {
            let known = names.iter().map(|(known, _)| known).chain(globals.constants.keys());
            let near = near(name, known.map(String::as_str));
            return self.report(Problem::UnknownName { name: name.clone(), near }, written.span);
        }
        let variable = match &written.kind {
            ExprKind::Name(name) => match names.iter().rev().find(|(known, _)| known == name) {
                Some((_, Binding::Local(variable, _))) => Some(*variable),
                _ => None,
            },
            _ => None,
        };
        let pattern = self.checker.scoped(false, None, None, names.clone(), BOUND, |scope| match variable {
            Some(_) => Pattern::Equal(Box::new(scope.check(written, &ty.shape()))),
            None => scope.pattern(written, &ty, NameMeans::Nothing),
        });
        match variable {
            Some(variable) => event.values.push((element, variable)),
            None if pattern == Pattern::Any => {}
            None => event.guard.push(Expr::Test(Box::new(element), pattern)),
        }
    }

    /// A transition that a machine fires.
    pub(super) fn fires(&mut self, machine: usize, transition: &Ident, lifelines: Lifelines) -> Option<Event> {
        let histories = self.checker.histories;
        let list = histories.machines[machine].fired;
        let members = histories.members(list);
        let Some(member) = members.iter().position(|name| *name == transition.name) else {
            let near = near(&transition.name, members);
            let machine = histories.machines[machine].name.clone();
            self.report(Problem::UnknownFiring { machine, name: transition.name.clone(), near }, transition.span);
            return None;
        };
        let guard = vec![is(self.list(list), Expr::Const(histories.member(list, member)))];
        Some(Event { takes: list, lifelines, guard, values: vec![] })
    }

    /// The type of the first element that a variable stands for.
    pub(super) fn type_of(&self, variable: &str, messages: &[(usize, &EventPattern)]) -> Option<Type> {
        messages.iter().find_map(|(message, event)| {
            let asked = self.asked(*message, event);
            let stands = |e: &tree::Expr| matches!(&e.kind, ExprKind::Name(name) if name == variable);
            let (list, _) = asked.into_iter().find(|(_, e)| stands(e))?;
            Some(self.checker.histories.entries[list].ty.clone())
        })
    }
}
