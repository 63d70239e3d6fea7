//! Events: messages and transitions, with what is asked of their data.

use super::super::temporal::taken;
use super::{BOUND, Drawer, Names, is, is_there};
use crate::history::Seen;
use crate::history::drawn::{ALL, Event, Lifelines, Other};
use crate::model::pattern::{NameMeans, names_taken};
use crate::model::problem::{Problem, near};
use crate::model::scope::{Binding, Capture, Scope};
use crate::syntax::tree::{self, EventPattern, ExprKind, Ident};
use crate::term::{Expr, Pattern, Type, UnaryOp, Value};

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
        self.message_with(message, event, names, NameMeans::Event, lifelines)
    }

    /// A message of an alphabet: what is a variable in the pattern may be anything here.
    pub(super) fn message_of_alphabet(&mut self, message: usize, event: &EventPattern) -> Option<Event> {
        self.message_with(message, event, &vec![], NameMeans::Alphabet, ALL)
    }

    fn message_with(
        &mut self,
        message: usize,
        event: &EventPattern,
        names: &Names,
        means: NameMeans,
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
            self.argument(list, written, names, means, &mut out);
        }
        (self.checker.problems.len() == before).then_some(out)
    }

    /// What is asked of one element: that it fits a pattern, in which variables stand for their values.
    fn argument(&mut self, list: usize, written: &tree::Expr, names: &Names, means: NameMeans, event: &mut Event) {
        if written.kind == ExprKind::Wildcard {
            return;
        }
        let ty = self.checker.histories.entries[list].ty.clone();
        let element = self.list(list);
        let (pattern, captures, equal) = self.checker.scoped(false, None, None, names.clone(), BOUND, |scope| {
            let pattern = scope.pattern(written, &ty, means);
            (pattern, std::mem::take(&mut scope.captures), scope.equalities())
        });
        for Capture { variable, bound, .. } in captures {
            let value = taken(&element, &pattern, bound);
            let Some((ty, _)) = self.variables.get(variable) else { continue };
            if ty.is_narrow() {
                // What has another type is no value of the variable.
                let inside = Expr::Narrow(Box::new(value.clone()), ty.clone());
                let is_one = [is_there(value.clone()), is_there(inside)];
                event.guard.push(Expr::Unary(UnaryOp::Holds, Box::new(Expr::all(is_one))));
            }
            event.values.push((value, variable));
        }
        if !fits_all(&pattern) {
            event.guard.push(Expr::Test(Box::new(element), pattern));
            event.guard.extend(equal);
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

    /// The type of the first place that a variable stands for.
    pub(super) fn type_of(&self, variable: &str, messages: &[(usize, &EventPattern)]) -> Option<Type> {
        messages.iter().flat_map(|(message, event)| self.asked(*message, event)).find_map(|(list, written)| {
            if !names_taken(written).iter().any(|(name, _)| *name == variable) {
                return None;
            }
            let mut problems = vec![];
            let checker = &self.checker;
            let mut scope = Scope::new(&checker.checked.names, &checker.histories.definitions, &mut problems);
            scope.bindings = vec![(variable.to_owned(), Binding::Local(0, Type::Unknown))];
            scope.locals = 1;
            scope.pattern(written, &checker.histories.entries[list].ty, NameMeans::Event);
            scope.captures.into_iter().next().map(|capture| capture.ty)
        })
    }
}

/// Whether everything that is there fits.
fn fits_all(pattern: &Pattern) -> bool {
    matches!(pattern, Pattern::Any | Pattern::Bind(_))
}
