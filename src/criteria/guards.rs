//! Criteria of guards: their outcomes, and the conditions in them.
//!
//! A guard counts in every step that begins in the source state of its transition: whether it holds for the values before the
//! step and the messages and data of the step. One that reads messages or data counts only in steps that its machine takes part
//! in, and one that reads data of a gate only in those at that gate; if the gate or tick is hidden, what comes there cannot be
//! observed and the guard has no items.

use super::{OfModel, is_present};
use crate::history::{Item, Wanted};
use crate::kernel::{Moment, Part, SlotKind, Source, Style, Transition};
use crate::term::{BinaryOp, Expr, UnaryOp, Value};

/// That a guard counts in no step.
const NEVER: Expr = Expr::Const(Value::Bool(false));

/// A guard over what can be observed of a step.
struct Guard<'a> {
    name: String,
    /// Where it counts.
    here: Expr,
    /// Its parts in order; all must hold.
    parts: Vec<(Expr, &'a [String])>,
}

impl OfModel<'_> {
    /// Every guard holds once and does not hold once.
    pub(super) fn branches(&self, machines: &[usize]) -> Vec<Item> {
        let mut items = vec![];
        for guard in self.guards(machines) {
            // A guard that counts nowhere is not looked at: it may read data that is in no step.
            let whole = match guard.here {
                NEVER => NEVER,
                _ => Expr::all(guard.parts.into_iter().map(|(part, _)| part)),
            };
            let holds = Wanted::Condition(Expr::all([guard.here.clone(), whole.clone()]));
            items.push(Item { name: format!("{} true", guard.name), wanted: holds });
            items.push(Item { name: format!("{} false", guard.name), wanted: Wanted::Without(guard.here, whole) });
        }
        items
    }

    /// Every condition of every guard is once true and once false while it decides the guard (masking MC/DC).
    ///
    /// It decides the guard if no other condition masks it. Operators are lazy: what is not evaluated masks nothing.
    pub(super) fn mcdc(&self, machines: &[usize]) -> Vec<Item> {
        let mut items = vec![];
        for guard in self.guards(machines) {
            for place in 0..guard.parts.len() {
                let (part, texts) = &guard.parts[place];
                for (number, conditions) in deciding(part).into_iter().enumerate() {
                    for Deciding { truth, outcome, conditions } in conditions {
                        // Earlier parts hold; later ones are looked at only if this one does.
                        let plain = |(part, _): &(Expr, &[String])| part.clone();
                        let before = guard.parts[..place].iter().map(plain);
                        let after = guard.parts[place + 1..].iter().filter(|_| outcome).map(plain);
                        let text = texts.get(number).map_or("?", String::as_str);
                        let name = format!("{}: {text} {truth}", guard.name);
                        let wanted = match &guard.here {
                            &NEVER => NEVER,
                            here => Expr::all([here.clone()].into_iter().chain(before).chain(conditions).chain(after)),
                        };
                        items.push(Item { name, wanted: Wanted::Condition(wanted) });
                    }
                }
            }
        }
        unique(items)
    }

    /// The guards of the transitions that have one.
    fn guards(&self, machines: &[usize]) -> Vec<Guard<'_>> {
        let mut guards = vec![];
        for machine in machines {
            for (number, t) in self.system.machines[*machine].transitions.iter().enumerate() {
                if !t.guard.is_empty() {
                    guards.extend(self.guard(*machine, number, t));
                }
            }
        }
        guards
    }

    /// A guard where it counts; none if it reads what nobody observes.
    fn guard<'t>(&self, machine: usize, number: usize, t: &'t Transition) -> Option<Guard<'t>> {
        let mut parts = vec![];
        let (mut data_at, mut is_hidden, mut has_message) = (None, false, false);
        for conjunct in &t.guard {
            let seen = conjunct.expr.map_leaves(&mut |leaf| match leaf {
                Expr::Slot(slot) => {
                    has_message |= !self.is_variable(*slot);
                    let seen = self.read(machine, *slot);
                    is_hidden |= seen.is_none();
                    seen
                }
                Expr::Local(local) if *local < t.params => {
                    let list = t.seen_at.and_then(|gate| self.list(Source::Data(gate, *local)));
                    is_hidden |= list.is_none();
                    data_at = data_at.or(list);
                    list.map(Expr::Slot)
                }
                _ => None,
            });
            if is_hidden {
                return None;
            }
            parts.push((seen.renumber_locals(&|local| local - t.params), &conjunct.conditions[..]));
        }
        let mut here = vec![self.begins_in(machine, t.source)?];
        // Messages are read and data is there in the steps of the machine, and not in those that others take without it.
        if has_message && self.system.style == Style::Gates || data_at.is_some() && self.is_left_out(machine, t) {
            here.push(is_present(self.list(Source::Fired(machine))?));
        }
        here.extend(data_at.map(is_present));
        // Where a partner never takes part there is no data.
        let is_never = data_at.is_some() && !self.is_in_a_joint(machine, number);
        let here = if is_never { NEVER } else { Expr::all(here) };
        Some(Guard { name: format!("{}{}", self.prefix(machine), t.name), here, parts })
    }

    fn is_variable(&self, slot: usize) -> bool {
        self.system.slots.get(slot).is_some_and(|slot| slot.kind == SlotKind::Variable)
    }

    fn is_in_a_joint(&self, machine: usize, transition: usize) -> bool {
        let part = Part::Switch { machine, transition };
        self.system.joints.iter().any(|joint| joint.parts.contains(&part))
    }

    /// Whether others take steps without a machine at the gate of one of its transitions.
    fn is_left_out(&self, machine: usize, t: &Transition) -> bool {
        let is_own = |part: &Part| matches!(part, Part::Switch { machine: taking, .. } if *taking == machine);
        let mut joints = self.system.joints.iter().filter(|joint| joint.gate == t.seen_at);
        joints.any(|joint| !joint.parts.iter().any(is_own))
    }

    /// What a machine reads in a step where its guard reads a slot: a value before the step, or an input of the step; none if
    /// that is an input of a hidden tick.
    fn read(&self, machine: usize, slot: usize) -> Option<Expr> {
        let tick = self.tick_of(machine);
        let input = tick.and_then(|tick| self.system.ticks[tick].inputs.iter().position(|(_, _, at)| *at == slot));
        if let (Some(tick), Some(place)) = (tick, input) {
            let part = Part::Tick(tick);
            let gate = self.system.joints.iter().find(|joint| joint.parts.contains(&part))?.gate?;
            return self.list(Source::Data(gate, place)).map(Expr::Slot);
        }
        let list = self.list(Source::Value(slot, Moment::Before));
        // A channel that nobody writes is always empty.
        Some(list.map_or(Expr::Const(Value::Absent), Expr::Slot))
    }
}

/// One way for a condition to decide what it stands in.
struct Deciding {
    /// Whether the condition holds.
    truth: bool,
    /// Whether what it stands in holds then.
    outcome: bool,
    /// What is to hold for that, in the order of evaluation; the condition itself among it.
    conditions: Vec<Expr>,
}

/// For every condition of an expression, from left to right, how it decides the expression when it is true and when it is
/// false.
fn deciding(expr: &Expr) -> Vec<[Deciding; 2]> {
    match expr {
        Expr::Unary(UnaryOp::Not, inner) => {
            let flipped = |one: Deciding| Deciding { outcome: !one.outcome, ..one };
            deciding(inner).into_iter().map(|ways| ways.map(flipped)).collect()
        }
        Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
            // The value of one side with which the other decides.
            let neutral = *op == BinaryOp::And;
            let first = deciding(left).into_iter().map(|ways| {
                ways.map(|mut one| {
                    // Otherwise the right side is not evaluated.
                    if one.outcome == neutral {
                        one.conditions.push(with_value(right, neutral));
                    }
                    one
                })
            });
            let second = deciding(right).into_iter().map(|ways| {
                ways.map(|mut one| {
                    one.conditions.insert(0, with_value(left, neutral));
                    one
                })
            });
            first.chain(second).collect()
        }
        condition => {
            let way = |truth| Deciding { truth, outcome: truth, conditions: vec![with_value(condition, truth)] };
            vec![[way(true), way(false)]]
        }
    }
}

fn with_value(condition: &Expr, truth: bool) -> Expr {
    if truth { condition.clone() } else { Expr::Unary(UnaryOp::Not, Box::new(condition.clone())) }
}

/// A condition that stands twice in a guard is told apart by a number.
fn unique(mut items: Vec<Item>) -> Vec<Item> {
    for place in 0..items.len() {
        let earlier = items[..place].iter().filter(|item| item.name == items[place].name).count();
        if earlier > 0 {
            let again = format!("{} #{}", items[place].name, earlier + 1);
            items[place].name = again;
        }
    }
    items
}
