//! Points at the edges of a region: the least and the greatest value of everything that is open, and both sides of every
//! comparison that decided the path. The far side lies outside: there the model does something else, and what it does is
//! what is expected.

use num_bigint::BigInt;

use super::region::{Point, Region};
use crate::kernel::StepSystem;
use crate::search::{DATA_SIZES, Why};
use crate::term::{Definitions, Node, Range, Rational, Role, Sort, Store, Term, Value};

/// A point with the reason why it was chosen.
pub struct Edge {
    /// The point.
    pub point: Point,
    /// Why.
    pub reason: String,
    /// Whether it lies outside of the region.
    pub is_outside: bool,
}

/// Points at the edges, and notes about edges that are not there.
pub fn edges(
    region: &mut Region,
    system: &StepSystem,
    definitions: &Definitions,
    go_on: &mut dyn FnMut() -> bool,
) -> (Vec<Edge>, Vec<String>) {
    let (mut out, mut notes) = (vec![], vec![]);
    let witness = region.witness.clone();
    for number in region.that_matter(&witness) {
        if !go_on() {
            return (out, notes);
        }
        // What has but one value has no edges, nor has it one whether something is there that nobody looks at.
        let symbol = region.symbol(number);
        let symbol = region.store.apply(&mut region.terms, symbol);
        let is_idle = region.leaves[number].role == Role::Presence && !region.is_looked_at(number);
        if region.terms.value(symbol).is_none() && !is_idle {
            ends(region, number, &mut out, &mut notes);
        }
    }
    for decision in 0..region.decisions.len() {
        if !go_on() {
            return (out, notes);
        }
        sides(region, decision, system, definitions, &mut out);
    }
    (out, notes)
}

/// The least and the greatest value of a symbol, or each of a few.
fn ends(region: &mut Region, number: usize, out: &mut Vec<Edge>, notes: &mut Vec<String>) {
    let name = region.name(number);
    if !matches!(region.store.ranges[number], Range::Number { .. }) {
        let Some(values) = super::exhaustive::values(&region.store.ranges[number].clone()) else { return };
        for value in values {
            if let Some((_, point)) = region.with(&[(number, &value)]) {
                let is = match (region.leaves[number].role, &value) {
                    (Role::Presence, Value::Bool(true)) => format!("{name}: there"),
                    (Role::Presence, _) => format!("{name}: absent"),
                    _ => format!("{name}: one of its values"),
                };
                out.push(Edge { point, reason: is, is_outside: false });
            }
        }
        return;
    }
    for is_greatest in [false, true] {
        let end = if is_greatest { "greatest" } else { "least" };
        let doubts = region.doubts;
        match (extreme(region, number, is_greatest), region.doubts > doubts) {
            // Longer ones are not looked at.
            (Some(point), _) if is_greatest && is_as_long_as_can_be(region, number, &point) => {
                out.push(Edge { point, reason: format!("{name} as great as is tried"), is_outside: false });
            }
            (Some(point), false) => out.push(Edge { point, reason: format!("{end} {name}"), is_outside: false }),
            (Some(point), true) => {
                out.push(Edge { point, reason: format!("{end} {name} that was found"), is_outside: false });
            }
            (None, _) => notes.push(format!("no {end} {name} was found")),
        }
    }
}

fn is_as_long_as_can_be(region: &Region, number: usize, point: &Point) -> bool {
    region.leaves[number].role == Role::Size && point[number] == Value::int(DATA_SIZES.length)
}

/// Doublings after which a number is thought to have no end.
const MAX_DOUBLINGS: u32 = 70;

/// A point in which a number is as small, or as great, as it can be; none if no end to it was found.
fn extreme(region: &mut Region, number: usize, is_greatest: bool) -> Option<Point> {
    // Solved symbols have no range of their own; others may have one that is too wide.
    let range = match region.store.is_solved(number as u32) {
        true => None,
        false => Some(region.store.ranges[number].clone()),
    };
    let end = match &range {
        Some(Range::Number { low, high, .. }) => {
            if is_greatest {
                high.clone()
            } else {
                low.clone()
            }
        }
        _ => None,
    };
    if let Some((end, true)) = &end
        && let Some((_, point)) = region.with(&[(number, &value_of(end, range.as_ref()))])
    {
        return Some(point);
    }
    let mut best = region.witness.clone();
    let mut step = BigInt::from(1);
    let mut doublings = 0;
    // First further and further, then nearer and nearer.
    let mut is_growing = true;
    loop {
        let Value::Int(at) = &best[number] else { return None };
        let goal = if is_greatest { at + &step } else { at - &step };
        match beyond(region, number, &goal, is_greatest, &best) {
            Some(point) => {
                best = point;
                if is_growing {
                    doublings += 1;
                    step = &step * 2;
                    if doublings > MAX_DOUBLINGS {
                        return None;
                    }
                }
            }
            None if step == BigInt::from(1) => return Some(best),
            None => {
                is_growing = false;
                step = &step / 2;
            }
        }
    }
}

fn value_of(end: &Rational, range: Option<&Range>) -> Value {
    match range {
        Some(Range::Number { is_int: true, .. }) => Value::Int(end.to_integer()),
        _ => Value::Real(end.to_big()),
    }
}

/// A point in which a number is at least as great, or as small, as another one.
fn beyond(region: &mut Region, number: usize, goal: &BigInt, is_greatest: bool, near: &Point) -> Option<Point> {
    let (symbol, goal) = (region.symbol(number), region.terms.constant(Value::Int(goal.clone())));
    let condition = match is_greatest {
        true => region.terms.at_most(goal, symbol),
        false => region.terms.at_most(symbol, goal),
    };
    let store = region.narrowed(&[condition])?;
    region.point(&store, near)
}

/// Both sides of the comparisons in something that was decided.
fn sides(region: &mut Region, decision: usize, system: &StepSystem, definitions: &Definitions, out: &mut Vec<Edge>) {
    let condition = region.decisions[decision].condition;
    // Types are edges of their own, and what lies beyond them cannot be written down.
    if matches!(region.decisions[decision].why, Why::Type(_)) {
        return;
    }
    let mut comparisons = vec![];
    compared(region, condition, &mut comparisons);
    // What the system says is not for whoever runs the test to choose.
    comparisons.retain(|sum| region.is_given(*sum));
    for sum in comparisons {
        let zero = region.terms.int(0);
        for distance in [-1, 0, 1] {
            let at = region.terms.int(distance);
            let difference = region.terms.subtract(sum, at);
            let side = region.terms.equal(difference, zero);
            if region.terms.is(side, false) {
                continue;
            }
            let witness = region.witness.clone();
            let inside = region.narrowed(&[side]).and_then(|store| region.point(&store, &witness));
            let written = region.written(side, definitions);
            if let Some(point) = inside {
                out.push(Edge {
                    point,
                    reason: format!("{written}, where {}", because(region, decision, system, true)),
                    is_outside: false,
                });
                continue;
            }
            let not = region.terms.not(condition);
            let store: Option<Store> = region.after(decision, &[side, not]);
            if let Some(point) = store.and_then(|store| region.point(&store, &witness)) {
                out.push(Edge {
                    point,
                    reason: format!("{written}, where {}", because(region, decision, system, false)),
                    is_outside: true,
                });
            }
        }
    }
}

/// Sums of whole numbers that are compared with zero in a condition.
fn compared(region: &Region, condition: Term, out: &mut Vec<Term>) {
    match region.terms.node(condition) {
        Node::AtMostZero(sum) | Node::IsZero(sum) if region.terms.sort(*sum) == Sort::Int && !out.contains(sum) => {
            out.push(*sum);
        }
        Node::Not(_) | Node::And(_) | Node::Or(_) => {
            for part in region.terms.parts(condition) {
                compared(region, part, out);
            }
        }
        _ => {}
    }
}

/// What a decision decides, and whether that is still so.
fn because(region: &Region, decision: usize, system: &StepSystem, holds: bool) -> String {
    let decision = &region.decisions[decision];
    let named = |machine: usize, transition: usize| {
        let machine = &system.machines[machine];
        let name = &machine.transitions[transition].name;
        if system.machines.len() == 1 { name.clone() } else { format!("{}.{name}", machine.name) }
    };
    match decision.why {
        Why::Fires(machine, transition) | Why::Idles(machine, transition) => {
            let verb = match (matches!(decision.why, Why::Fires(..)), holds) {
                (true, true) => "fires",
                (true, false) => "no longer fires",
                (false, true) => "does not fire",
                (false, false) => "can fire",
            };
            format!("`{}` {verb} in step {}", named(machine, transition), decision.step)
        }
        Why::Purpose if holds => "the purpose is met".to_owned(),
        Why::Purpose => "the purpose is met in another way or not at all".to_owned(),
        Why::Type(place) => format!("{} has its type", region.places[place].text()),
    }
}
