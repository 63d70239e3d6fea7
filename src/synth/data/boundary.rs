//! Points at the edges of a region: the least and the greatest value of everything that is open, and both sides of every
//! comparison that decided the path. The far side lies outside: there the model does something else, and what it does is
//! what is expected.
//!
//! Beside an edge of whole numbers there is a next number. Rational ones have none, so one at a small distance is taken.

use std::collections::{BTreeSet, VecDeque};

use num_bigint::BigInt;

use super::region::{Point, Region};
use crate::kernel::StepSystem;
use crate::search::{DATA_SIZES, Why};
use crate::term::{Definitions, Node, Range, Rational, Role, Shown, Sort, Store, Term, Value};

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
    region.count_each_once();
    let (whole, witness) = (region.store.clone(), region.witness.clone());
    let mut known: BTreeSet<usize> = BTreeSet::new();
    let mut bases: VecDeque<(Store, Point)> = VecDeque::from([(whole.clone(), witness.clone())]);
    // What only another constructor has is looked at where a value is made by that one.
    while let Some((store, base)) = bases.pop_front() {
        for number in region.that_matter(&base) {
            if !go_on() {
                (region.store, region.witness) = (whole, witness);
                return (out, notes);
            }
            if !known.insert(number) {
                continue;
            }
            // What has but one value has no edges, nor has it one whether something is there that nobody looks at.
            let symbol = region.symbol(number);
            let there = region.is_there(symbol);
            let symbol = store.apply(&mut region.terms, symbol);
            let is_idle = region.is_message(number, system) && !region.is_looked_at(number);
            if region.terms.value(symbol).is_some() || is_idle {
                continue;
            }
            let before = out.len();
            // Where it is not there, anything would fit it.
            let known = region.narrower(&store, &[there]);
            (region.store, region.witness) = (known.unwrap_or_else(|| store.clone()), base.clone());
            ends(region, number, definitions, &mut out, &mut notes);
            (region.store, region.witness) = (whole.clone(), witness.clone());
            if region.is_shape(number, system) {
                for edge in &out[before..] {
                    let point = edge.point.clone();
                    let shapes = region.shapes(&point, system);
                    let pins: Vec<(usize, &Value)> = shapes.iter().map(|(number, value)| (*number, value)).collect();
                    bases.extend(region.with(&pins).map(|(store, _)| (store, point)));
                }
            }
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
fn ends(region: &mut Region, number: usize, definitions: &Definitions, out: &mut Vec<Edge>, notes: &mut Vec<String>) {
    let name = region.name(number);
    let range = region.store.ranges[number].clone();
    if !matches!(range, Range::Number { .. }) || region.leaves[number].role == Role::Constructor {
        let show = |value: &Value| Shown { value, definitions }.to_string();
        for value in super::exhaustive::values(&range).unwrap_or_default() {
            if let Some((_, point)) = region.with(&[(number, &value)]) {
                out.push(Edge { point, reason: region.said(number, &value, &show), is_outside: false });
            }
        }
        return;
    }
    for is_greatest in [false, true] {
        let end = if is_greatest { "greatest" } else { "least" };
        let doubts = region.doubts;
        if matches!(range, Range::Number { is_int: false, .. }) {
            match real_extreme(region, number, is_greatest) {
                Some((point, is_exact)) => {
                    let reason = match is_exact && region.doubts == doubts {
                        true => format!("{end} {name}"),
                        false => format!("{name} near its {end}"),
                    };
                    out.push(Edge { point, reason, is_outside: false });
                }
                None => notes.push(format!("no {end} {name} was found")),
            }
            continue;
        }
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
pub fn extreme(region: &mut Region, number: usize, is_greatest: bool) -> Option<Point> {
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
        match beyond(region, number, &Value::Int(goal), is_greatest, &best) {
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
        _ => Value::real(end.to_big()),
    }
}

/// A point in which a number is at least as great, or as small, as another one.
fn beyond(region: &mut Region, number: usize, goal: &Value, is_greatest: bool, near: &Point) -> Option<Point> {
    let (symbol, goal) = (region.symbol(number), region.terms.constant(goal.clone()));
    let condition = match is_greatest {
        true => region.terms.at_most(goal, symbol),
        false => region.terms.at_most(symbol, goal),
    };
    let store = region.narrowed(&[condition])?;
    region.point(&store, near)
}

/// Distances from an edge of rational numbers: the first one at which there is something.
const DISTANCES: [i64; 3] = [100, 10_000, 1_000_000];
/// An end of rational numbers is looked for until it is known up to a part of one.
const PARTS: i64 = 1 << 20;

/// The same of a rational number, and whether it is the end itself: otherwise it is near one that is not attained.
fn real_extreme(region: &mut Region, number: usize, is_greatest: bool) -> Option<(Point, bool)> {
    let outwards = |n: &Rational, step: &Rational| if is_greatest { n + step } else { n - step };
    let mut best = region.witness.clone();
    let mut step = Rational::ONE;
    let (mut doublings, mut is_growing) = (0, true);
    while &step * &Rational::from(PARTS) >= Rational::ONE {
        let goal = outwards(&real(&best[number])?, &step);
        match beyond(region, number, &Value::real(goal.to_big()), is_greatest, &best) {
            Some(point) if is_growing => {
                (best, step, doublings) = (point, &step * &Rational::from(2), doublings + 1);
                if doublings > MAX_DOUBLINGS {
                    return None;
                }
            }
            Some(point) => best = point,
            None => (is_growing, step) = (false, &step / &Rational::from(2)),
        }
    }
    let at = real(&best[number])?;
    // An end is mostly a number with few digits; if it is not attained, one at a distance is.
    for parts in DISTANCES {
        let scaled = &at * &Rational::from(parts);
        let round = |scaled: Rational| scaled / Rational::from(parts);
        let (outer, inner) = match is_greatest {
            true => (round(scaled.ceil()), round(scaled.floor())),
            false => (round(scaled.floor()), round(scaled.ceil())),
        };
        for end in [outer, inner] {
            let Some((_, point)) = region.with(&[(number, &Value::real(end.to_big()))]) else { continue };
            let (symbol, end) = (region.symbol(number), region.terms.constant(Value::real(end.to_big())));
            let further = if is_greatest { region.terms.less(end, symbol) } else { region.terms.less(symbol, end) };
            let is_last = region.narrowed(&[further]).and_then(|store| region.point(&store, &point)).is_none();
            return Some((point, is_last));
        }
    }
    Some((best, false))
}

fn real(value: &Value) -> Option<Rational> {
    match value {
        Value::Real(x) => Some(x.clone().into()),
        _ => None,
    }
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
        for side in [-1, 0, 1] {
            let distances: Vec<Rational> = match region.terms.sort(sum) {
                Sort::Real if side != 0 => {
                    DISTANCES.iter().map(|n| Rational::from(side) / Rational::from(*n)).collect()
                }
                _ => vec![Rational::from(side)],
            };
            let beside = distances.iter().find_map(|distance| beside(region, decision, sum, distance));
            out.extend(beside.map(|(point, side, is_outside)| {
                let written = region.written(side, definitions);
                let reason = format!("{written}, where {}", because(region, decision, system, !is_outside));
                Edge { point, reason, is_outside }
            }));
        }
    }
}

/// A point in which a sum that decided something is at a distance from zero, the condition for that, and whether it lies
/// outside.
fn beside(region: &mut Region, decision: usize, sum: Term, distance: &Rational) -> Option<(Point, Term, bool)> {
    let condition = region.decisions[decision].condition;
    let is_real = region.terms.sort(sum) == Sort::Real;
    let number = |n: &Rational| if is_real { Value::real(n.to_big()) } else { Value::Int(n.to_integer()) };
    let at = region.terms.constant(number(distance));
    let side = region.terms.equal(sum, at);
    if region.terms.is(side, false) {
        return None;
    }
    let witness = region.witness.clone();
    // Values that are not there make no difference.
    let there = region.is_there(sum);
    let inside = region.narrowed(&[there, side]).and_then(|store| region.point(&store, &witness));
    if let Some(point) = inside {
        return Some((point, side, false));
    }
    let not = region.terms.not(condition);
    let store: Option<Store> = region.after(decision, &[there, side, not]);
    let point = store.and_then(|store| region.point(&store, &witness))?;
    Some((point, side, true))
}

/// Sums of numbers that are compared with zero in a condition.
fn compared(region: &Region, condition: Term, out: &mut Vec<Term>) {
    for atom in region.terms.atoms(condition) {
        if let Node::AtMostZero(sum) | Node::BelowZero(sum) | Node::IsZero(sum) = region.terms.node(atom)
            && !out.contains(sum)
        {
            out.push(*sum);
        }
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
