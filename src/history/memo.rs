//! Rules over known elements as an automaton whose states are found as they are met.
//!
//! What a rule does depends on what is left to show and on the elements that it reads, and what it reads next on those it has
//! read. So each state has a tree of readings, and the rules are asked once for each way through it. Elements that rules
//! only compare with their arguments are all alike unless they are one of those. What is remembered is bounded: it may be
//! forgotten at any time, and is found again.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::live::Live;
use super::looks::{Looks, Observed};
use super::monitor::Known;
use super::rule::{Formula, Monitor};
use crate::term::{BinaryOp, Definitions, Expr, LimitKind, Pattern, UnaryOp, Value};

/// Readings and states that are remembered.
const MAX_REMEMBERED: usize = 20_000;

/// One formula of a monitor, run over known elements.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The monitor; its lists are numbers of looks.
    monitor: Arc<Monitor>,
    formula: Formula,
    definitions: Arc<Definitions>,
    open: Vec<Value>,
    /// The looks it may need.
    lists: Vec<usize>,
    /// By look: whether its values are only compared with arguments.
    is_compared: FxHashSet<usize>,
    /// Values in the rules themselves.
    constants: FxHashSet<Value>,
    states: Vec<State>,
    numbers: FxHashMap<Live<Value>, u32>,
    readings: Vec<Reading>,
}

#[derive(Clone, Debug)]
struct State {
    left: Live<Value>,
    /// Where its readings begin, once there was one.
    first: Option<u32>,
    /// Arguments, with which elements are compared.
    args: FxHashSet<Value>,
}

/// One reading, and what comes after it.
#[derive(Clone, Debug)]
enum Reading {
    /// A look; what comes next, by its value, or for all that are compared and are none of the arguments.
    Look { look: usize, next: FxHashMap<Value, u32>, other: Option<u32> },
    /// Everything is read: the next state.
    Done(u32),
}

impl Rules {
    /// A formula of a monitor with values for what is open, over the looks that are added for it.
    pub fn new(
        monitor: &Monitor,
        formula: &Formula,
        definitions: &Arc<Definitions>,
        open: &[Value],
        looks: &mut Looks,
    ) -> Rules {
        let mut used = vec![];
        formula.each_use(&mut |rule| used.extend(rule.lists.iter().copied()));
        used.sort_unstable();
        used.dedup();
        let mut moved = monitor.clone();
        let mut lists = vec![];
        for list in &used {
            let known = moved.lists[*list].map_leaves(&mut |leaf| match leaf {
                Expr::Local(local) if *local < open.len() => Some(Expr::Const(open[*local].clone())),
                _ => None,
            });
            let look = looks.number(&known);
            moved.lists[*list] = Expr::Slot(look);
            lists.push(look);
        }
        let compared = compared(&moved);
        let mut other = FxHashSet::default();
        formula.each_use(&mut |rule| {
            for (place, list) in rule.lists.iter().enumerate() {
                if !compared[rule.rule][place] {
                    other.extend(looked_at(&moved, *list));
                }
            }
        });
        let is_compared = lists.iter().copied().filter(|look| !other.contains(look)).collect();
        let mut constants = FxHashSet::default();
        for clause in moved.rules.iter().flat_map(|rule| &rule.clauses) {
            constants_in(&clause.guard, &mut constants);
        }
        Rules {
            monitor: Arc::new(moved),
            formula: formula.clone(),
            definitions: definitions.clone(),
            open: open.to_vec(),
            lists,
            is_compared,
            constants,
            states: vec![],
            numbers: FxHashMap::default(),
            readings: vec![],
        }
    }

    fn known(&self) -> Known<'_> {
        Known { monitor: &self.monitor, definitions: &self.definitions, open: &self.open }
    }

    /// The state before the first step.
    pub fn start(&mut self) -> Result<u32, LimitKind> {
        let left = self.known().start_of(&self.formula)?;
        Ok(self.number(left))
    }

    fn number(&mut self, left: Live<Value>) -> u32 {
        let next = self.states.len() as u32;
        if let Some(known) = self.numbers.get(&left) {
            return *known;
        }
        let mut args = FxHashSet::default();
        if !self.is_compared.is_empty() {
            left.each_arg(&mut |arg| {
                args.insert(arg.clone());
            });
        }
        self.numbers.insert(left.clone(), next);
        self.states.push(State { left, first: None, args });
        next
    }

    /// The state after one more step.
    pub fn next(&mut self, state: u32, looks: &mut Looks, observed: Observed<'_>) -> Result<u32, LimitKind> {
        let mut at = self.states[state as usize].first;
        while let Some(reading) = at {
            match &self.readings[reading as usize] {
                Reading::Done(next) => return Ok(*next),
                Reading::Look { look, next, other } => {
                    let value = looks.value(*look, observed)?;
                    at = next.get(value).copied();
                    if at.is_none() && other.is_some() && self.is_other(state, *look, value) {
                        at = *other;
                    }
                }
            }
        }
        self.ask(state, looks, observed)
    }

    /// Whether a value is like any other that is none of the arguments.
    fn is_other(&self, state: u32, look: usize, value: &Value) -> bool {
        *value != Value::Absent
            && self.is_compared.contains(&look)
            && !self.constants.contains(value)
            && !self.states[state as usize].args.contains(value)
    }

    /// Asks the rules, and remembers what they said.
    fn ask(&mut self, state: u32, looks: &mut Looks, observed: Observed<'_>) -> Result<u32, LimitKind> {
        let values = looks.values(&self.lists, observed)?;
        let mut reads = vec![];
        let left = self.known().advance_reading(&self.states[state as usize].left, values, &mut reads)?;
        let result = self.number(left);
        let mut at = self.states[state as usize].first;
        // Where the number of the next reading is to be written: in the state, or in the reading before.
        let mut from: Option<(usize, Value, bool)> = None;
        for look in reads.iter().map(Some).chain([None]) {
            let reading = match at {
                Some(known) => known,
                None => {
                    let new = self.readings.len() as u32;
                    self.readings.push(match look {
                        Some(look) => Reading::Look { look: *look, next: FxHashMap::default(), other: None },
                        None => Reading::Done(result),
                    });
                    match from.take() {
                        None => self.states[state as usize].first = Some(new),
                        Some((before, value, is_other)) => {
                            if let Reading::Look { next, other, .. } = &mut self.readings[before] {
                                match is_other {
                                    true => *other = Some(new),
                                    false => drop(next.insert(value, new)),
                                }
                            }
                        }
                    }
                    new
                }
            };
            let (Some(look), Reading::Look { next, other, .. }) = (look, &self.readings[reading as usize]) else {
                break;
            };
            let value = values[*look].clone();
            let is_other = self.is_other(state, *look, &value);
            at = if is_other { *other } else { next.get(&value).copied() };
            from = Some((reading as usize, value, is_other));
        }
        Ok(result)
    }

    /// What is certain in a state, if anything is.
    pub fn decided(&self, state: u32) -> Option<bool> {
        match self.states[state as usize].left {
            Live::Decided(truth) => Some(truth),
            _ => None,
        }
    }

    /// Whether what is left holds at the end of the lists.
    pub fn holds_at_stop(&self, state: u32) -> Result<bool, LimitKind> {
        self.known().hold_at_stop(std::slice::from_ref(&self.states[state as usize].left))
    }

    /// Whether so much is remembered that it should be forgotten.
    pub fn is_full(&self) -> bool {
        self.readings.len() + self.states.len() > MAX_REMEMBERED
    }

    /// Forgets everything but some states, and gives them new numbers.
    pub fn forget<'s>(&mut self, kept: impl Iterator<Item = &'s mut u32>) {
        let states = std::mem::take(&mut self.states);
        self.numbers.clear();
        self.readings.clear();
        for state in kept {
            *state = self.number(states[*state as usize].left.clone());
        }
    }
}

fn looked_at(monitor: &Monitor, list: usize) -> Option<usize> {
    match monitor.lists[list] {
        Expr::Slot(look) => Some(look),
        _ => None,
    }
}

/// For each rule and each of its lists: whether elements are only compared with arguments, here and in all rules that it
/// becomes.
fn compared(monitor: &Monitor) -> Vec<Vec<bool>> {
    let mut out: Vec<Vec<bool>> = vec![];
    for rule in &monitor.rules {
        let is_compared = |list: usize| {
            rule.clauses.iter().all(|clause| {
                let names = |from: &dyn Fn(usize) -> bool| names(&clause.guard, from);
                let own = names(&|local| local == list);
                let elements = names(&|local| local < rule.lists);
                let mut passed = false;
                clause.becomes.each_use(&mut |used| passed |= used.args.iter().any(|arg| reads(arg, &own)));
                !passed && only_compares(&clause.guard, &own, &elements)
            })
        };
        out.push((0..rule.lists).map(is_compared).collect());
    }
    loop {
        let mut changed = false;
        for (number, rule) in monitor.rules.iter().enumerate() {
            for clause in &rule.clauses {
                let mut lost = vec![];
                clause.becomes.each_use(&mut |used| {
                    let places = used.lists.iter().enumerate();
                    lost.extend(places.filter(|(place, _)| !out[used.rule][*place]).map(|(_, own)| *own));
                });
                for own in lost {
                    changed |= std::mem::replace(&mut out[number][own], false);
                }
            }
        }
        if !changed {
            return out;
        }
    }
}

/// Locals of a kind, and those that a test for presence binds to them.
fn names(guard: &Expr, from: &dyn Fn(usize) -> bool) -> FxHashSet<usize> {
    let mut out = FxHashSet::default();
    loop {
        let known = out.len();
        guard.map_leaves(&mut |leaf| {
            let (local, name) = match leaf {
                Expr::Local(local) => (*local, *local),
                Expr::Test(inner, Pattern::Bind(name)) => match **inner {
                    Expr::Local(local) => (local, *name),
                    _ => return None,
                },
                _ => return None,
            };
            if from(local) || out.contains(&local) {
                out.insert(name);
            }
            None
        });
        if out.len() == known {
            return out;
        }
    }
}

fn reads(expr: &Expr, locals: &FxHashSet<usize>) -> bool {
    let mut found = false;
    expr.map_leaves(&mut |leaf| {
        found |= matches!(leaf, Expr::Local(local) if locals.contains(local));
        None
    });
    found
}

/// Whether an element, under any of its names, stands in an expression only where it is compared with something that is no
/// element, or where it only matters that it is there.
fn only_compares(expr: &Expr, own: &FxHashSet<usize>, elements: &FxHashSet<usize>) -> bool {
    let is_own = |e: &Expr| matches!(e, Expr::Local(local) if own.contains(local));
    let is_plain = |e: &Expr| match e {
        Expr::Const(_) => true,
        Expr::Local(other) => !elements.contains(other),
        _ => false,
    };
    match expr {
        Expr::Binary(BinaryOp::Equal | BinaryOp::NotEqual, a, b)
            if (is_own(a) && is_plain(b)) || (is_own(b) && is_plain(a)) =>
        {
            true
        }
        Expr::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
            only_compares(a, own, elements) && only_compares(b, own, elements)
        }
        Expr::Unary(UnaryOp::Not, inner) => only_compares(inner, own, elements),
        Expr::Test(inner, Pattern::Absent | Pattern::Any | Pattern::Bind(_)) if is_own(inner) => true,
        other => !reads(other, own),
    }
}

fn constants_in(expr: &Expr, out: &mut FxHashSet<Value>) {
    expr.map_leaves(&mut |leaf| {
        if let Expr::Const(value) = leaf {
            out.insert(value.clone());
        }
        None
    });
}
