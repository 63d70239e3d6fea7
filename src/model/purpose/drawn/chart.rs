//! Charts: lifelines, readings and orders.

use std::collections::{BTreeMap, BTreeSet};

use super::{Drawer, Names, is, path_of};
use crate::history::drawn::{ALL, Condition, Lifelines, Other, Term};
use crate::model::pattern::names_taken;
use crate::model::problem::{Problem, near};
use crate::model::scope::Binding;
use crate::syntax::Span;
use crate::syntax::tree::{
    self, ChartMember, ChartOrder, ChartPart, ChartPartKind, EventPattern, Ident, ModelUse, Reading,
};
use crate::term::{Expr, Value};

/// The lifeline of the environment.
const ENVIRONMENT: &str = "env";
/// The bit of the last machines, which share it: so many are ordered as they stand.
const LAST_BIT: usize = 127;

/// What holds for a part of a chart.
#[derive(Clone)]
struct Frame<'c> {
    names: &'c Names,
    /// Names of the lifelines; their numbers are those of their bits.
    lifelines: &'c BTreeMap<String, Vec<Option<usize>>>,
    order: ChartOrder,
    /// How to be closed.
    closed: usize,
    /// Whether the part is inside one that is.
    is_closed: bool,
    /// Whether it matters when an `any` begins and ends.
    has_time: bool,
    /// Whether it is inside a `not`.
    is_unmet: bool,
}

/// What is said for a whole chart and handed on to those it refers to.
#[derive(Clone, Copy)]
struct Said {
    order: ChartOrder,
    /// Whether the chart stands inside one that is closed.
    is_closed: bool,
    has_time: bool,
    is_unmet: bool,
}

impl Drawer<'_, '_> {
    /// A chart with arguments.
    pub(super) fn chart_used(&mut self, used: &ModelUse, outside: &[(String, Binding)]) -> Option<Term> {
        self.chart(used, outside, Said { order: ChartOrder::Local, is_closed: false, has_time: false, is_unmet: false })
    }

    fn chart(&mut self, used: &ModelUse, outside: &[(String, Binding)], said: Said) -> Option<Term> {
        let checked = self.checker.checked;
        let Some(chart) = checked.charts.iter().find(|chart| chart.name.name == used.name.name) else {
            self.unknown("chart", used, checked.charts.iter().map(|chart| chart.name.name.as_str()));
            return None;
        };
        let mut names = self.parameters(used, &chart.params, outside)?;
        if !self.enter(used, &chart.model) {
            return None;
        }
        let term = self.chart_body(chart, &mut names, said);
        self.open.pop();
        term
    }

    fn chart_body(&mut self, chart: &tree::Chart, names: &mut Names, said: Said) -> Option<Term> {
        let mut reading = None;
        let mut order = said.order;
        let mut declared: Option<Vec<&tree::Expr>> = None;
        let mut variables = vec![];
        let mut parts = vec![];
        for member in &chart.members {
            match member {
                ChartMember::Lifelines { lifelines, .. } => declared.get_or_insert_default().extend(lifelines),
                ChartMember::Some { variable, ty, .. } => variables.push((variable, ty)),
                ChartMember::Reading(written, _) => reading = Some(*written),
                ChartMember::Order(written, _) => order = *written,
                ChartMember::Part(part) => parts.push(part),
            }
        }
        let mut mentioned = vec![];
        parts.iter().for_each(|part| mentioned_in(part, &mut mentioned));
        let before = self.checker.problems.len();
        let lifelines = self.lifelines(declared.as_deref(), &mentioned);
        if self.checker.problems.len() > before {
            return None;
        }
        let mut messages = vec![];
        parts.iter().for_each(|part| self.messages_in(part, &lifelines, &mut messages));
        for (variable, ty) in variables {
            let ty = match ty {
                Some(ty) => {
                    let names = names.clone();
                    Some(self.checker.scoped(false, None, None, names, 0, |scope| scope.resolve(ty)))
                }
                None => self.type_of(&variable.name, &messages),
            };
            let Some(ty) = ty else {
                self.report(Problem::CannotInfer, variable.span);
                continue;
            };
            let number = self.new_variable(ty.clone(), None);
            names.push((variable.name.clone(), Binding::Local(number, ty)));
        }
        if self.checker.problems.len() > before {
            return None;
        }
        let closed = self.others(&lifelines);
        let is_closed = match reading {
            Some(Reading::Exactly) => true,
            Some(Reading::AmongOthers) => false,
            None => said.is_closed,
        };
        let names = &*names;
        // Nothing but what is closed, and what must not happen, depends on an `any`.
        let has_time = said.has_time || is_closed || parts.iter().any(|part| needs_time(part));
        let frame = Frame { names, lifelines: &lifelines, order, closed, is_closed, has_time, is_unmet: said.is_unmet };
        let body = self.parts(parts, &frame);
        Some(match reading {
            Some(Reading::Exactly) => Term::read(Some(closed), body),
            Some(Reading::AmongOthers) if said.is_closed => Term::read(None, body),
            _ => body,
        })
    }

    /// The lifelines of a chart with their machines; none is the environment.
    fn lifelines(
        &mut self,
        declared: Option<&[&tree::Expr]>,
        mentioned: &[&tree::Expr],
    ) -> BTreeMap<String, Vec<Option<usize>>> {
        let mut out = BTreeMap::new();
        for written in declared.unwrap_or(mentioned) {
            let name = path_of(written);
            if out.contains_key(&name) {
                continue;
            }
            match self.machines(&name) {
                Some(machines) => {
                    out.insert(name, machines);
                }
                None => self.unknown_lifeline(name, written.span),
            }
        }
        if declared.is_some() {
            for written in mentioned {
                let name = path_of(written);
                if !out.contains_key(&name) {
                    match self.machines(&name) {
                        Some(_) => self.report(Problem::UndeclaredLifeline { name }, written.span),
                        None => self.unknown_lifeline(name, written.span),
                    }
                }
            }
        }
        out
    }

    fn unknown_lifeline(&mut self, name: String, span: Span) {
        let known = self.checker.histories.machines.iter().map(|machine| machine.name.as_str());
        let near = near(&name, known.chain([ENVIRONMENT]));
        self.report(Problem::UnknownLifeline { name, near }, span);
    }

    /// The machines of a lifeline: one, all of a part, or the environment.
    pub(super) fn machines(&self, name: &str) -> Option<Vec<Option<usize>>> {
        if name == ENVIRONMENT {
            return Some(vec![None]);
        }
        let inside = format!("{name}.");
        let machines = self.checker.histories.machines.iter().enumerate();
        let found: Vec<Option<usize>> = machines
            .filter(|(_, machine)| machine.name == name || machine.name.starts_with(&inside))
            .map(|(number, _)| Some(number))
            .collect();
        (!found.is_empty()).then_some(found)
    }

    /// Everything that is said between the lifelines.
    fn others(&mut self, lifelines: &BTreeMap<String, Vec<Option<usize>>>) -> usize {
        let drawn: BTreeSet<Option<usize>> = lifelines.values().flatten().copied().collect();
        let is_drawn = |ends: &[Option<usize>]| ends.iter().any(|end| drawn.contains(end));
        let messages = &self.checker.histories.messages;
        let between: Vec<usize> =
            (0..messages.len()).filter(|n| is_drawn(&messages[*n].from) && is_drawn(&messages[*n].to)).collect();
        let drawn: Vec<Option<usize>> = drawn.into_iter().collect();
        let mut others = vec![];
        for message in between {
            let Other { takes, present } = self.present(message);
            let conditions = self.between_ends(message, &drawn, &drawn);
            others.push(Other { takes, present: Expr::all(std::iter::once(present).chain(conditions)) });
        }
        self.closed.push(others);
        self.closed.len() - 1
    }

    /// The message between two lifelines.
    fn between(&self, from: &[Option<usize>], to: &[Option<usize>], name: &str) -> Option<usize> {
        self.checker.histories.messages.iter().position(|message| {
            message.names.iter().any(|known| known == name)
                && message.from.iter().any(|end| from.contains(end))
                && message.to.iter().any(|end| to.contains(end))
        })
    }

    /// Messages that can be read, for the types of variables.
    fn messages_in<'p>(
        &self,
        part: &'p ChartPart,
        lifelines: &BTreeMap<String, Vec<Option<usize>>>,
        out: &mut Vec<(usize, &'p EventPattern)>,
    ) {
        if let ChartPartKind::Message { from, to, event } = &part.kind
            && let (Some(from), Some(to)) = (lifelines.get(&path_of(from)), lifelines.get(&path_of(to)))
            && let Some(message) = self.between(from, to, &event.name.name)
        {
            out.push((message, event));
        }
        inside(part).into_iter().for_each(|part| self.messages_in(part, lifelines, out));
    }

    fn parts<'p>(&mut self, parts: impl IntoIterator<Item = &'p ChartPart>, frame: &Frame<'_>) -> Term {
        let parts: Vec<Term> = parts.into_iter().filter_map(|part| self.part(part, frame)).collect();
        Term::sequence(parts)
    }

    fn part(&mut self, part: &ChartPart, frame: &Frame<'_>) -> Option<Term> {
        Some(match &part.kind {
            ChartPartKind::Error => return None,
            ChartPartKind::Message { from, to, event } => {
                let concerned = self.concerned(&[from, to], frame);
                let message = self.drawn_message(from, to, &event.name, frame)?;
                let mut event = self.message(message, event, frame.names, concerned)?;
                let ends = |e: &tree::Expr| frame.lifelines.get(&path_of(e)).cloned().unwrap_or_default();
                event.guard.extend(self.between_ends(message, &ends(from), &ends(to)));
                self.events.push(event);
                Term::Event(self.events.len() - 1)
            }
            ChartPartKind::Fires { lifeline, transition } => {
                let machine = self.machine(lifeline)?;
                let event = self.fires(machine, transition, self.concerned(&[lifeline], frame))?;
                self.events.push(event);
                Term::Event(self.events.len() - 1)
            }
            ChartPartKind::State { lifeline, state } => {
                let machine = self.machine(lifeline)?;
                self.state(machine, state, self.concerned(&[lifeline], frame))?
            }
            ChartPartKind::When(condition) => Term::Condition(self.condition(condition, frame.names, ALL)?),
            ChartPartKind::Tick => Term::Tick,
            ChartPartKind::Any if frame.has_time => Term::Any { is_open: false },
            ChartPartKind::Any => Term::Bar,
            ChartPartKind::Alt(blocks) => {
                let blocks: Vec<Term> = blocks.iter().map(|block| self.parts(block, frame)).collect();
                Term::alt(blocks)
            }
            ChartPartKind::Opt(body) => Term::alt([Term::Done, self.parts(body, frame)]),
            ChartPartKind::Par(blocks) => {
                let blocks: Vec<Term> = blocks.iter().map(|block| self.parts(block, frame)).collect();
                Term::par(blocks)
            }
            ChartPartKind::Loop(times, body) => {
                let times = self.times(times, frame.names, part.span);
                let body = self.parts(body, frame);
                let (least, most) = times?;
                Term::rounds(body, least, most)
            }
            ChartPartKind::Not(_) if frame.is_unmet => {
                self.report(Problem::NotInsideNot, part.span);
                return None;
            }
            ChartPartKind::Not(body) => {
                self.named_once(body, part.span, frame);
                let frame = Frame { is_closed: false, is_unmet: true, ..frame.clone() };
                Term::unmet(self.parts(body, &frame))
            }
            ChartPartKind::Read(Reading::Exactly, body) => {
                let body = self.parts(body, &Frame { is_closed: true, ..frame.clone() });
                Term::read(Some(frame.closed), body)
            }
            ChartPartKind::Read(Reading::AmongOthers, body) => {
                let inner = self.parts(body, &Frame { is_closed: false, ..frame.clone() });
                if frame.is_closed { Term::read(None, inner) } else { inner }
            }
            ChartPartKind::Ref(used) => {
                let Frame { order, is_closed, has_time, is_unmet, .. } = *frame;
                let said = Said { order, is_closed, has_time, is_unmet };
                self.chart(used, frame.names, said)?
            }
        })
    }

    /// Whom a part concerns.
    fn concerned(&self, written: &[&tree::Expr], frame: &Frame<'_>) -> Lifelines {
        if frame.order == ChartOrder::Global {
            return ALL;
        }
        // A lifeline stands for its machines, which other lifelines may stand for, too; the environment has the first bit.
        let numbers = written.iter().filter_map(|e| frame.lifelines.get(&path_of(e))).flatten();
        numbers.fold(0, |all, machine| all | 1 << machine.map_or(0, |machine| (1 + machine).min(LAST_BIT)))
    }

    /// The one machine of a lifeline.
    fn machine(&mut self, lifeline: &tree::Expr) -> Option<usize> {
        let name = path_of(lifeline);
        match self.machines(&name)?[..] {
            [Some(machine)] => Some(machine),
            _ => {
                self.unknown_lifeline(name, lifeline.span);
                None
            }
        }
    }

    fn state(&mut self, machine: usize, state: &Ident, lifelines: Lifelines) -> Option<Term> {
        let histories = self.checker.histories;
        let list = histories.machines[machine].state;
        let members = histories.members(list);
        let Some(member) = members.iter().position(|name| *name == state.name) else {
            let near = near(&state.name, members);
            let machine = histories.machines[machine].name.clone();
            self.report(Problem::UnknownMember { machine, name: state.name.clone(), near }, state.span);
            return None;
        };
        let value = Expr::Const(histories.member(list, member));
        // The list of the states before each step comes next.
        let initially = histories.initial.get(&(list + 1)).map(|initial| {
            let is_there = *initial == histories.member(list + 1, member);
            Expr::Const(Value::Bool(is_there))
        });
        let [after, before] = [list, list + 1].map(|list| is(self.list(list), value.clone()));
        self.conditions.push(Condition { lifelines, after, before, initially });
        Some(Term::Condition(self.conditions.len() - 1))
    }

    /// The message that is drawn, or what is wrong with it.
    fn drawn_message(&mut self, from: &tree::Expr, to: &tree::Expr, name: &Ident, frame: &Frame<'_>) -> Option<usize> {
        let ends = |e: &tree::Expr| frame.lifelines.get(&path_of(e)).cloned().unwrap_or_default();
        let (senders, receivers) = (ends(from), ends(to));
        let found = self.between(&senders, &receivers, &name.name);
        if found.is_none() {
            let histories = self.checker.histories;
            let machine = |end: &Option<usize>| {
                end.map_or(ENVIRONMENT.to_owned(), |machine| histories.machines[machine].name.clone())
            };
            let listed = |ends: &[Option<usize>]| ends.iter().map(machine).collect::<Vec<_>>().join(", ");
            let called = histories.messages.iter().find(|message| message.names.contains(&name.name));
            let hint = match called {
                Some(message) => {
                    Some(format!("`{}` goes from {} to {}", name.name, listed(&message.from), listed(&message.to)))
                }
                None => {
                    let known = histories.messages.iter().flat_map(|message| &message.names);
                    near(&name.name, known.map(String::as_str)).map(|near| format!("did you mean `{near}`?"))
                }
            };
            let [from, to] = [from, to].map(path_of);
            self.report(Problem::UnknownMessage { name: name.name.clone(), from, to, hint }, name.span);
        }
        found
    }

    /// A variable that has no value before a `not` fits everything in it, so it may stand there only once.
    fn named_once(&mut self, body: &[ChartPart], span: Span, frame: &Frame<'_>) {
        let mut used: BTreeMap<usize, (String, usize)> = BTreeMap::new();
        let mut events = vec![];
        body.iter().for_each(|part| self.messages_in(part, frame.lifelines, &mut events));
        for (_, event) in events {
            for written in event.args.iter().flatten().chain(&event.result) {
                for (name, _) in names_taken(written) {
                    if let Some((_, Binding::Local(variable, _))) = frame.names.iter().rev().find(|(n, _)| n == name) {
                        used.entry(*variable).or_insert((name.to_owned(), 0)).1 += 1;
                    }
                }
            }
        }
        let has_value = |drawer: &Self, variable: usize| {
            drawer.variables[variable].1.is_some()
                || drawer.events.iter().any(|event| event.values.iter().any(|(_, bound)| *bound == variable))
        };
        for (variable, (name, count)) in used {
            if count > 1 && !has_value(self, variable) {
                self.report(Problem::VariableInsideNot { name }, span);
            }
        }
    }
}

/// Parts directly inside a part.
fn inside(part: &ChartPart) -> Vec<&ChartPart> {
    match &part.kind {
        ChartPartKind::Alt(blocks) | ChartPartKind::Par(blocks) => blocks.iter().flatten().collect(),
        ChartPartKind::Opt(body)
        | ChartPartKind::Loop(_, body)
        | ChartPartKind::Not(body)
        | ChartPartKind::Read(_, body) => body.iter().collect(),
        _ => vec![],
    }
}

/// Whether it matters when an `any` beside a part begins and ends.
fn needs_time(part: &ChartPart) -> bool {
    matches!(part.kind, ChartPartKind::Not(_) | ChartPartKind::Read(..) | ChartPartKind::Ref(_))
        || inside(part).into_iter().any(needs_time)
}

/// Lifelines that a part mentions.
fn mentioned_in<'p>(part: &'p ChartPart, out: &mut Vec<&'p tree::Expr>) {
    match &part.kind {
        ChartPartKind::Message { from, to, .. } => out.extend([from, to]),
        ChartPartKind::Fires { lifeline, .. } | ChartPartKind::State { lifeline, .. } => out.push(lifeline),
        _ => {}
    }
    inside(part).into_iter().for_each(|part| mentioned_in(part, out));
}
