//! Charts and patterns: names of machines, messages and transitions become conditions on lists.

mod chart;
mod event;
mod matched;
mod scenario;

use std::cell::Cell;
use std::collections::BTreeSet;

use super::{AskedBy, Checker, Surroundings};
use crate::history::drawn::{ALL, Compiled, Condition, Drawing, Event, Other, Term, compile};
use crate::history::{Formula, RuleUse};
use crate::model::assemble::Assembler;
use crate::model::problem::{Problem, near};
use crate::model::scope::Binding;
use crate::syntax::tree::{self, Drawn, ExprKind, ModelUse, Param, Times};
use crate::syntax::{Span, print_expr};
use crate::term::{Env, Expr, Failure, Fuel, Type, Value, eval};

/// Most rounds of a loop with a bound.
const MAX_ROUNDS: u32 = 1_000;
/// Most uses of charts and patterns inside each other.
const MAX_USES: usize = 1_000;
/// What expressions bind is numbered from here, until the number of variables is known.
const BOUND: usize = 1 << 20;

/// A chart or a pattern while it is being read.
struct Drawer<'d, 'a> {
    checker: &'d mut Checker<'a>,
    /// Lists that it looks at, with their types.
    lists: Vec<(Expr, Type)>,
    /// Variables: their types, and the values of those that have one from the beginning.
    variables: Vec<(Type, Option<Expr>)>,
    events: Vec<Event>,
    conditions: Vec<Condition>,
    closed: Vec<Vec<Other>>,
    /// Charts and patterns that are being read, each inside the one before.
    open: Vec<String>,
    /// How many have been read so far.
    uses: usize,
}

/// Names of one chart or pattern.
type Names = Vec<(String, Binding)>;

impl<'a> Checker<'a> {
    /// A chart or pattern that is asked for.
    pub(super) fn drawn(
        &mut self,
        drawn: Drawn,
        used: &ModelUse,
        place: &Surroundings<'_>,
        known: &[(String, Binding)],
        positive: bool,
    ) -> Formula {
        if place.lists.is_some() {
            let name = format!("{} {}", drawn.word(), used.name.name);
            self.report(Problem::UnknownRule { name, near: None }, used.span);
            return Formula::Decided(true);
        }
        let problems = self.problems.len();
        let mut drawer = Drawer {
            checker: self,
            lists: vec![],
            variables: vec![],
            events: vec![],
            conditions: vec![],
            closed: vec![],
            open: vec![],
            uses: 0,
        };
        let term = match drawn {
            Drawn::Chart => drawer.chart_used(used, known).map(|term| (term, None)),
            Drawn::Scenario => drawer.scenario_used(used, known).map(|(term, whole)| (term, Some(whole))),
            Drawn::Match => return drawer.matched_used(used, known, positive).unwrap_or(Formula::Decided(true)),
        };
        let Some((term, whole)) = term else { return Formula::Decided(true) };
        if drawer.checker.problems.len() > problems {
            return Formula::Decided(true);
        }
        if positive && drawer.checker.asked_by == AskedBy::Search {
            drawer.once_for_all(&term);
        }
        drawer.formula(&used.name.name, term, whole, used.span)
    }
}

impl Drawer<'_, '_> {
    /// The rules for a term, and the formula that begins with them.
    fn formula(self, name: &str, term: Term, whole: Option<usize>, span: Span) -> Formula {
        let variables = self.variables.len();
        let placed = |e: &Expr| e.renumber_locals(&|local| local.checked_sub(BOUND).map_or(local, |n| variables + n));
        let event = |event: Event| Event {
            guard: event.guard.iter().map(placed).collect(),
            values: event.values.iter().map(|(element, variable)| (placed(element), *variable)).collect(),
            ..event
        };
        let condition = |condition: Condition| Condition {
            after: placed(&condition.after),
            before: placed(&condition.before),
            initially: condition.initially.as_ref().map(placed),
            ..condition
        };
        let given = |(number, (_, value)): (usize, &(Type, Option<Expr>))| value.is_some().then_some(number);
        let drawing = Drawing {
            name: name.to_owned(),
            lists: self.lists.len(),
            variables,
            given: self.variables.iter().enumerate().filter_map(given).collect(),
            events: self.events.into_iter().map(event).collect(),
            conditions: self.conditions.into_iter().map(condition).collect(),
            closed: self.closed,
            whole,
            one_event: self.checker.histories.one_event,
            term,
            work: Cell::new(0),
        };
        let first = self.checker.rules.len();
        let Ok(Compiled { rules, start, needs }) = compile(&drawing, first) else {
            let problem = Problem::DrawingTooLarge { name: name.to_owned() };
            self.checker.report(problem, span);
            return Formula::Decided(true);
        };
        self.checker.rules.extend(rules.into_iter().map(Some));
        match start {
            Err(truth) => Formula::Decided(truth),
            Ok(rule) => {
                let lists = self.lists.into_iter().map(|(list, ty)| self.checker.add_list(list, ty)).collect();
                let args = needs.iter().filter_map(|variable| self.variables[*variable].1.clone()).collect();
                Formula::Use(RuleUse { rule, lists, args })
            }
        }
    }

    /// Variables that have one value for the whole run, whatever happens, become values that exist once for it: engines look
    /// for these, where they would have to keep all that an event could have given.
    fn once_for_all(&mut self, term: &Term) {
        let mut registers = BTreeSet::new();
        self.bound_after(term, &BTreeSet::new(), &mut registers);
        for (number, (ty, value)) in self.variables.iter_mut().enumerate() {
            if value.is_none() && !registers.contains(&number) {
                *value = Some(Expr::Local(self.checker.open.len()));
                self.checker.open.push(ty.clone());
            }
        }
    }

    /// Variables that certainly have a value after a part. Those that are looked at where they may have none, and those that lose
    /// theirs, need registers.
    fn bound_after(&self, term: &Term, before: &BTreeSet<usize>, registers: &mut BTreeSet<usize>) -> BTreeSet<usize> {
        let mut bound = before.clone();
        match term {
            Term::Done | Term::Tick | Term::Bar | Term::Any { .. } => {}
            Term::Event(number) => {
                let event = &self.events[*number];
                // What is read may not be there yet where events overtake each other.
                let is_ordered = event.lifelines == ALL;
                let read = event.guard.iter().flat_map(variables_in);
                registers.extend(read.filter(|variable| !(is_ordered && before.contains(variable))));
                bound.extend(event.values.iter().map(|(_, variable)| *variable));
            }
            Term::Condition(number) | Term::Guard(number) => {
                let read = variables_in(&self.conditions[*number].after);
                registers.extend(read.into_iter().filter(|variable| !before.contains(variable)));
            }
            Term::Not(body, _) => {
                // Inside, what has no value fits everything.
                let mut inside = BTreeSet::new();
                self.mentioned(body, &mut inside);
                registers.extend(inside.into_iter().filter(|variable| !before.contains(variable)));
            }
            Term::Sequence(parts) => {
                for part in parts {
                    bound = self.bound_after(part, &bound, registers);
                }
            }
            Term::Then(a, b) => {
                bound = self.bound_after(a, &bound, registers);
                bound = self.bound_after(b, &bound, registers);
            }
            Term::Par(parts) => {
                for part in parts {
                    bound.extend(self.bound_after(part, before, registers));
                }
            }
            Term::Alt(parts) => {
                let ways: Vec<_> = parts.iter().map(|part| self.bound_after(part, before, registers)).collect();
                bound = ways.into_iter().reduce(|a, b| &a & &b).unwrap_or(bound);
            }
            Term::Loop(body, least, _) => {
                let after = self.bound_after(body, before, registers);
                if *least > 0 {
                    bound = after;
                }
            }
            Term::Read { body, .. } => bound = self.bound_after(body, before, registers),
            Term::Scope(variable, body) => {
                registers.insert(*variable);
                bound = self.bound_after(body, before, registers);
            }
        }
        bound
    }

    /// Variables that are looked at in a part.
    fn mentioned(&self, term: &Term, out: &mut BTreeSet<usize>) {
        match term {
            Term::Done | Term::Tick | Term::Bar | Term::Any { .. } => {}
            Term::Event(number) => {
                let event = &self.events[*number];
                out.extend(event.guard.iter().flat_map(variables_in));
                out.extend(event.values.iter().map(|(_, variable)| *variable));
            }
            Term::Condition(number) | Term::Guard(number) => {
                out.extend(variables_in(&self.conditions[*number].after));
            }
            Term::Sequence(parts) | Term::Alt(parts) | Term::Par(parts) => {
                parts.iter().for_each(|part| self.mentioned(part, out));
            }
            Term::Then(a, b) => [a, b].into_iter().for_each(|part| self.mentioned(part, out)),
            Term::Loop(body, ..) | Term::Read { body, .. } | Term::Scope(_, body) | Term::Not(body, _) => {
                self.mentioned(body, out);
            }
        }
    }

    fn report(&mut self, problem: Problem, span: Span) {
        self.checker.report(problem, span);
    }

    /// A list of the model, as a list of the chart.
    fn list(&mut self, number: usize) -> Expr {
        let ty = self.checker.histories.entries[number].ty.clone();
        self.list_of(Expr::Slot(number), ty)
    }

    fn list_of(&mut self, list: Expr, ty: Type) -> Expr {
        let number = self.lists.iter().position(|(known, _)| *known == list).unwrap_or_else(|| {
            self.lists.push((list, ty));
            self.lists.len() - 1
        });
        Expr::Slot(number)
    }

    fn new_variable(&mut self, ty: Type, value: Option<Expr>) -> usize {
        self.variables.push((ty, value));
        self.variables.len() - 1
    }

    /// Names of the parameters of what is used: known values, or variables of whoever uses it.
    fn parameters(&mut self, used: &ModelUse, params: &[Param], outside: &[(String, Binding)]) -> Option<Names> {
        let name = &used.name.name;
        let declared = self.checker.checked.purposes.iter().find(|p| p.tree.name.name == *name)?;
        let local = |e: &tree::Expr| match &e.kind {
            ExprKind::Name(name) => match outside.iter().rev().find(|(known, _)| known == name) {
                Some((_, binding @ Binding::Local(..))) => Some(binding.clone()),
                _ => None,
            },
            _ => None,
        };
        let mut names: Names = vec![];
        let mut left = vec![];
        for (position, arg) in used.args.iter().enumerate() {
            let by_name = |given: &tree::Ident| params.iter().position(|param| param.name.name == given.name);
            let index = arg.name.as_ref().map_or(Some(position), by_name);
            match (index.and_then(|index| params.get(index)), local(&arg.value)) {
                (Some(param), Some(Binding::Local(number, ty))) => {
                    let variable = self.variable_outside(number, ty);
                    names.push((param.name.name.clone(), variable));
                }
                (Some(param), _) => {
                    left.push(tree::Arg { name: Some(param.name.clone()), value: arg.value.clone() });
                }
                (None, _) => left.push(arg.clone()),
            }
        }
        let missing: Vec<_> =
            declared.params.iter().filter(|p| !names.iter().any(|(known, _)| *known == p.name)).cloned().collect();
        let mut assembler = Assembler::new(self.checker.checked);
        assembler.known = known_of(outside);
        let Some(values) = assembler.arguments(name, &missing, &left, used.span) else {
            let problems = assembler.problems;
            problems.into_iter().for_each(|problem| self.checker.add(problem));
            return None;
        };
        names
            .extend(missing.iter().zip(values).map(|(p, value)| (p.name.clone(), Binding::Known(value, p.ty.clone()))));
        Some(names)
    }

    /// A variable of whoever uses a chart: one of the purpose, which has its value from the beginning, or one of a chart.
    fn variable_outside(&mut self, number: usize, ty: Type) -> Binding {
        if !self.open.is_empty() {
            return Binding::Local(number, ty);
        }
        let value = Some(Expr::Local(number));
        let variable = self.variables.iter().position(|(_, known)| *known == value);
        let variable = variable.unwrap_or_else(|| self.new_variable(ty.clone(), value));
        Binding::Local(variable, ty)
    }

    /// A condition on a moment between two steps.
    fn condition(&mut self, written: &tree::Expr, names: &Names, lifelines: u128) -> Option<usize> {
        let (expr, ty) = self.checker.list_expr_with(written, names, BOUND)?;
        if *crate::model::expr::base(&ty) != Type::Bool {
            let (expected, found) = ("Bool".to_owned(), ty.name(&self.checker.histories.definitions));
            self.report(Problem::Mismatch { expected, found }, written.span);
            return None;
        }
        let histories = self.checker.histories;
        let mut missing = None;
        let before = expr.map_leaves(&mut |leaf| match leaf {
            Expr::Slot(list) => {
                let name = &histories.entries[*list].name;
                match histories.numbers.get(&format!("pre({name})")) {
                    Some(before) => Some(Expr::Slot(*before)),
                    None => {
                        missing.get_or_insert_with(|| name.clone());
                        None
                    }
                }
            }
            _ => None,
        });
        if let Some(name) = missing {
            self.report(Problem::NotBetweenSteps { name }, written.span);
            return None;
        }
        let initially = self.initially(&before);
        let [after, before] = [expr, before].map(|expr| self.truth(expr));
        self.conditions.push(Condition { lifelines, after, before, initially });
        Some(self.conditions.len() - 1)
    }

    /// A condition on the values before the first step, where these are known: its value, unless it needs variables.
    fn initially(&self, before: &Expr) -> Option<Expr> {
        let histories = self.checker.histories;
        let mut is_known = true;
        let condition = before.map_leaves(&mut |leaf| match leaf {
            Expr::Slot(list) => {
                let value = histories.initial.get(list).cloned();
                is_known &= value.is_some();
                value.map(Expr::Const)
            }
            _ => None,
        });
        if !is_known || !variables_in(&condition).is_empty() {
            return is_known.then_some(condition);
        }
        let fuel = Fuel::new();
        let env = Env { definitions: &histories.definitions, slots: &[], fuel: &fuel };
        match eval(&condition.renumber_locals(&|local| local - BOUND), env, &mut vec![]) {
            Ok(value) => Some(Expr::Const(Value::Bool(value.is_true()))),
            Err(Failure::Limit(_)) => Some(condition),
            Err(_) => Some(Expr::Const(Value::Bool(false))),
        }
    }

    /// A condition over lists of the model as one over lists of the chart: a list of its own, unless it needs variables.
    fn truth(&mut self, condition: Expr) -> Expr {
        if !variables_in(&condition).is_empty() {
            return condition.map_leaves(&mut |leaf| match leaf {
                Expr::Slot(list) => Some(self.list(*list)),
                _ => None,
            });
        }
        let first = self.checker.open.len();
        let list = condition.renumber_locals(&|local| local - BOUND + first);
        let list = self.list_of(list, Type::Bool);
        is(list, Expr::TRUE)
    }

    /// The bounds of a repetition.
    fn times(&mut self, times: &Times, names: &Names, span: Span) -> Option<(u32, Option<u32>)> {
        let outside = std::mem::replace(&mut self.checker.bindings, names.clone());
        let mut number = |e: &tree::Expr| self.checker.number(e, "a number of rounds");
        let (low, high) = match times {
            Times::Any => (Some(0.into()), Some(None)),
            Times::Exactly(n) => {
                let n = number(n);
                (n.clone(), n.map(Some))
            }
            Times::Between(low, high) => (number(low), high.as_ref().map_or(Some(None), |high| number(high).map(Some))),
        };
        self.checker.bindings = outside;
        let (low, high) = (low?, high?);
        let fits = |n: &num_bigint::BigInt| u32::try_from(n).ok().filter(|n| *n <= MAX_ROUNDS);
        match (fits(&low), high.as_ref().map(fits)) {
            (Some(low), None) => Some((low, None)),
            (Some(low), Some(Some(high))) if low <= high => Some((low, Some(high))),
            _ => {
                let high = high.map_or_else(|| "any number of".to_owned(), |high| high.to_string());
                self.report(Problem::LoopBounds { low: low.to_string(), high, most: MAX_ROUNDS }, span);
                None
            }
        }
    }

    /// Reports a name that is unknown.
    fn unknown<'n>(&mut self, what: &'static str, used: &ModelUse, known: impl Iterator<Item = &'n str>) {
        let near = near(&used.name.name, known);
        self.report(Problem::UnknownDrawing { what, name: used.name.name.clone(), near }, used.name.span);
    }

    /// Begins to read a chart or pattern, unless it is being read already, or is about another model.
    fn enter(&mut self, used: &ModelUse, model: &ModelUse) -> bool {
        let name = &used.name.name;
        if self.open.contains(name) {
            self.report(Problem::DrawnInItself { name: name.clone() }, used.name.span);
            return false;
        }
        if model.name.name != self.checker.model {
            let (purpose, model) = (name.clone(), model.name.name.clone());
            self.report(Problem::OtherModel { purpose, model }, used.name.span);
            return false;
        }
        self.uses += 1;
        if self.uses > MAX_USES {
            if self.uses == MAX_USES + 1 {
                let name = self.open.first().unwrap_or(name).clone();
                self.report(Problem::DrawingTooLarge { name }, used.name.span);
            }
            return false;
        }
        self.open.push(name.clone());
        true
    }
}

/// Variables that an expression looks at.
fn variables_in(e: &Expr) -> BTreeSet<usize> {
    let mut out = BTreeSet::new();
    e.map_leaves(&mut |leaf| {
        if let Expr::Local(local) = leaf
            && *local < BOUND
        {
            out.insert(*local);
        }
        None
    });
    out
}

/// That an element is a value.
fn is(element: Expr, value: Expr) -> Expr {
    Expr::Test(Box::new(element), crate::term::Pattern::Equal(Box::new(value)))
}

/// That an element is there.
fn is_there(element: Expr) -> Expr {
    Expr::Test(Box::new(element), crate::term::Pattern::Any)
}

fn known_of(names: &[(String, Binding)]) -> super::KnownValues {
    let known = names.iter().filter_map(|(name, binding)| match binding {
        Binding::Known(value, ty) => Some((name.clone(), value.clone(), ty.clone())),
        _ => None,
    });
    known.collect()
}

/// A name with its instances, as it is written.
fn path_of(e: &tree::Expr) -> String {
    crate::model::scope::path(e).unwrap_or_else(|| print_expr(e))
}
