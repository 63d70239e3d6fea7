//! Points in which any two values of different inputs occur together, where they can.
//!
//! Every input has a few values that stand for all: those of its pool, each of them where there are few, otherwise the ends and one between. A
//! point is put together input by input, so that it has as many new pairs as possible; several are tried, and the best one
//! is kept. Every pair that can be is known to be from a point of its own, which is taken if nothing better is found.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::boundary::extreme;
use super::draw;
use super::exhaustive::values;
use super::pooled::{Block, Preferred};
use super::region::{Point, Region};
use crate::kernel::StepSystem;
use crate::term::{Range, Role, Store, Value};

/// Values of a range that are all taken.
const FEW: usize = 5;
/// Values that stand for a range with more of them.
const FEW_OF_MANY: usize = 3;
/// Values that are drawn until one fits between the ends.
const DRAWS: usize = 10;
/// Values of a pool that are taken, at most.
const MAX_OF_POOL: usize = 50;
/// Points that are tried for each one that is taken.
const TRIES: usize = 30;

/// An input with the values that stand for all of its values.
struct Factor {
    name: String,
    values: Vec<Standing>,
}

/// A value that stands for others.
struct Standing {
    value: Value,
    /// What its symbols must be.
    pins: Vec<(usize, Value)>,
}

impl Standing {
    fn pins(&self) -> impl Iterator<Item = (usize, &Value)> {
        self.pins.iter().map(|(number, value)| (*number, value))
    }

    fn is_in(&self, point: &Point) -> bool {
        self.pins.iter().all(|(number, value)| point[*number] == *value)
    }
}

/// A value of a factor.
type Level = (usize, usize);

/// Points, and pairs that cannot be.
pub struct Pairs {
    /// The points.
    pub points: Vec<Point>,
    /// Pairs that are in none of them, as a person would say it: impossible, or not found.
    pub missing: Vec<String>,
}

/// That a factor has a value, as a person would say it.
fn said(region: &Region, factor: &Factor, standing: &Standing, show: &dyn Fn(&Value) -> String) -> String {
    match &standing.pins[..] {
        [(number, value)] => region.said(*number, value, show),
        _ => format!("{} = {}", factor.name, show(&standing.value)),
    }
}

/// Points for all pairs.
pub fn pairs(
    region: &mut Region,
    blocks: &[Block],
    system: &StepSystem,
    seed: u64,
    show: &dyn Fn(&Value) -> String,
    go_on: &mut dyn FnMut() -> bool,
) -> Pairs {
    let mut random = fastrand::Rng::with_seed(seed);
    let (factors, missing) = factors(region, blocks, system, &mut random);
    let mut found = Pairs { points: vec![], missing };
    // Pairs that are still to be covered, each with a point that has it.
    let mut open: FxHashMap<(Level, Level), Point> = FxHashMap::default();
    let mut order: Vec<(Level, Level)> = vec![];
    for (i, first) in factors.iter().enumerate() {
        for (j, second) in factors.iter().enumerate().skip(i + 1) {
            for (a, x) in first.values.iter().enumerate() {
                for (b, y) in second.values.iter().enumerate() {
                    if !go_on() {
                        return found;
                    }
                    let doubts = region.doubts;
                    match region.with(&x.pins().chain(y.pins()).collect::<Vec<_>>()) {
                        Some((_, point)) => {
                            open.insert(((i, a), (j, b)), point);
                            order.push(((i, a), (j, b)));
                        }
                        None => found.missing.push(format!(
                            "{}: {} with {}",
                            if region.doubts > doubts { "not found" } else { "impossible" },
                            said(region, first, x, show),
                            said(region, second, y, show)
                        )),
                    }
                }
            }
        }
    }
    // One input alone has no pairs, but all its values count.
    if let [only] = factors.as_slice() {
        for value in &only.values {
            found.points.extend(region.with(&value.pins().collect::<Vec<_>>()).map(|(_, point)| point));
        }
        return found;
    }
    while let Some(pair) = order.iter().find(|pair| open.contains_key(pair)).copied() {
        if !go_on() {
            return found;
        }
        let fallback = open[&pair].clone();
        let mut best: Option<(usize, Point)> = None;
        for _ in 0..TRIES {
            let Some(point) = candidate(region, &factors, &open, pair, &mut random) else { continue };
            let gain = gained(&factors, &open, &point).len();
            if best.as_ref().is_none_or(|(most, _)| gain > *most) {
                best = Some((gain, point));
            }
        }
        let point = best.map_or(fallback, |(_, point)| point);
        for pair in gained(&factors, &open, &point) {
            open.remove(&pair);
        }
        // Whatever was found has the pair it was made for.
        open.remove(&pair);
        found.points.push(point);
    }
    found
}

/// An input with the values of its pool that are possible; none if there are none.
fn of_pool(region: &mut Region, block: &Block, missing: &mut Vec<String>) -> Option<Factor> {
    let mut values = vec![];
    for Preferred { value, pins, .. } in &block.values {
        if values.len() == MAX_OF_POOL {
            missing.push(format!("{}: no more than {MAX_OF_POOL} values of its pool were taken", block.name));
            break;
        }
        let standing = Standing { value: value.clone(), pins: pins.clone() };
        if region.with(&standing.pins().collect::<Vec<_>>()).is_some() {
            values.push(standing);
        }
    }
    (!values.is_empty()).then(|| Factor { name: block.name.clone(), values })
}

/// The values that stand for a place as a whole; none if its parts are inputs of their own.
fn of_whole(
    region: &mut Region,
    place: usize,
    blocks: &[Block],
    system: &StepSystem,
    random: &mut fastrand::Rng,
) -> Option<Vec<Standing>> {
    let is_shaped = is_shaped(region, place, system);
    let symbols = region.places[place].symbols.clone();
    let is_pooled = blocks.iter().any(|block| symbols.contains(&block.symbols.start));
    if symbols.len() == 1 || is_pooled && !is_shaped {
        return None;
    }
    let (mut all, store) = (vec![], region.store.clone());
    if of_place(region, place, &store, &mut vec![], &mut all) {
        return Some(all);
    }
    is_shaped.then(|| of_shapes(region, place, system, random))
}

/// Whether some values of a place are made by one constructor and some by another one, and nothing else than that and simple values is
/// open in it.
fn is_shaped(region: &Region, place: usize, system: &StepSystem) -> bool {
    let symbols = region.places[place].symbols.clone();
    let is_plain = |n: &usize| region.leaves[*n].role == Role::Value;
    let has_shapes = symbols.clone().any(|n| region.is_shape(n, system));
    has_shapes && symbols.clone().all(|n| is_plain(&n) || region.is_shape(n, system))
}

/// Each constructor, with a few values of what it has.
fn of_shapes(region: &mut Region, place: usize, system: &StepSystem, random: &mut fastrand::Rng) -> Vec<Standing> {
    let mut out: Vec<Standing> = vec![];
    let mut known: BTreeSet<Vec<(usize, Value)>> = BTreeSet::new();
    let mut open: Vec<Point> = vec![region.witness.clone()];
    while let Some(point) = open.pop() {
        let symbols = region.places[place].symbols.clone();
        let mut shapes = region.shapes(&point, system);
        shapes.retain(|(number, _)| symbols.contains(number));
        if known.len() >= MAX_OF_POOL || !known.insert(shapes.clone()) {
            continue;
        }
        let matter: Vec<usize> = region.that_matter(&point).into_iter().filter(|n| symbols.contains(n)).collect();
        let inner: Vec<usize> = matter.iter().copied().filter(|n| region.leaves[*n].role == Role::Value).collect();
        let mut pinned: Vec<Vec<(usize, Value)>> = vec![];
        let of_shapes: Vec<(usize, &Value)> = shapes.iter().map(|(number, value)| (*number, value)).collect();
        if let Some((store, near)) = region.with(&of_shapes) {
            let (whole, witness) = (region.store.clone(), region.witness.clone());
            (region.store, region.witness) = (store, near);
            for number in inner {
                for value in standing_for(region, number, random) {
                    pinned.push([&shapes[..], &[(number, value)]].concat());
                }
            }
            (region.store, region.witness) = (whole, witness);
        }
        if pinned.is_empty() {
            pinned.push(shapes.clone());
        }
        for pins in pinned {
            let of_pins: Vec<(usize, &Value)> = pins.iter().map(|(number, value)| (*number, value)).collect();
            if let Some((_, point)) = region.with(&of_pins) {
                let value = region.values(&point)[place].clone();
                out.push(Standing { value, pins });
            }
        }
        // Other constructors, at each place where there is a choice.
        for (number, _) in shapes.clone() {
            for other in values(&region.store.ranges[number]).unwrap_or_default() {
                let of_pins: Vec<(usize, &Value)> = vec![(number, &other)];
                open.extend(region.with(&of_pins).map(|(_, point)| point));
            }
        }
    }
    out.sort_by(|a, b| a.value.cmp(&b.value));
    out.dedup_by(|a, b| a.value == b.value);
    out
}

/// All values of a place that a store allows, each with its pins; false if they are more than a few.
fn of_place(
    region: &mut Region,
    place: usize,
    store: &Store,
    pins: &mut Vec<(usize, Value)>,
    out: &mut Vec<Standing>,
) -> bool {
    let term = store.apply(&mut region.terms, region.places[place].term);
    let mut symbols: Vec<usize> = vec![];
    region.terms.each_symbol(term, &mut |symbol| symbols.push(symbol.number as usize));
    symbols.sort_by_key(|number| (region.leaves[*number].role == Role::Value, *number));
    let Some(number) = symbols.first().copied() else {
        let witness = region.witness.clone();
        if let Some(point) = region.point(store, &witness) {
            let value = region.values(&point)[place].clone();
            // Members of a set may coincide.
            if !out.iter().any(|known| known.value == value) {
                out.push(Standing { value, pins: pins.clone() });
            }
        }
        return out.len() <= FEW;
    };
    let Some(all) = values(&store.ranges[number]).filter(|all| all.len() <= MAX_OF_POOL) else { return false };
    for value in all {
        let conditions = region.conditions([(number, &value)]);
        let Some(narrower) = region.narrower(store, &conditions) else { continue };
        pins.push((number, value));
        let is_few = of_place(region, place, &narrower, pins, out);
        pins.pop();
        if !is_few {
            return false;
        }
    }
    true
}

/// Values that stand for those of a symbol: all where they are few, otherwise its ends and one between; the one it has if nothing else
/// is known. Where there is no end, there is one more between.
fn standing_for(region: &mut Region, number: usize, random: &mut fastrand::Rng) -> Vec<Value> {
    let (range, known) = (region.store.ranges[number].clone(), region.witness[number].clone());
    let is_int = match (values(&range), &range) {
        (Some(all), _) if all.len() <= FEW => return all,
        (_, Range::Number { is_int, .. }) => *is_int,
        _ => return vec![known],
    };
    let mut out: Vec<Value> = vec![];
    if is_int {
        let ends = [false, true].into_iter().filter_map(|greatest| extreme(region, number, greatest));
        out.extend(ends.map(|point| point[number].clone()));
        out.dedup();
    }
    let mut left = (FEW_OF_MANY - out.len()).min(2);
    let drawn: Vec<Value> = (0..DRAWS).map(|_| draw::of_range(&range, random)).collect();
    for value in std::iter::once(known).chain(drawn) {
        if left > 0 && !out.contains(&value) && region.with(&[(number, &value)]).is_some() {
            out.push(value);
            left -= 1;
        }
    }
    out.sort();
    out
}

/// Inputs, and what shapes them, with their values; and which values were left out.
fn factors(
    region: &mut Region,
    blocks: &[Block],
    system: &StepSystem,
    random: &mut fastrand::Rng,
) -> (Vec<Factor>, Vec<String>) {
    let witness = region.witness.clone();
    let (mut out, mut missing) = (vec![], vec![]);
    let mut done = 0;
    for number in region.that_matter(&witness) {
        if number < done || region.store.is_solved(number as u32) {
            continue;
        }
        // A value that is made in several ways stands as a whole: what it has depends on how it is made. So does one of few.
        let place = region.places.iter().position(|place| place.is_given && place.symbols.contains(&number));
        if let Some(place) = place
            && let Some(values) = of_whole(region, place, blocks, system, random)
        {
            done = region.places[place].symbols.end;
            let name = region.places[place].text();
            if values.len() > 1 {
                out.push(Factor { name, values });
            }
            continue;
        }
        let block = blocks.iter().find(|block| block.symbols.contains(&number));
        if let Some(block) = block
            && let Some(factor) = of_pool(region, block, &mut missing)
        {
            out.push(factor);
            done = block.symbols.end;
            continue;
        }
        let range = region.store.ranges[number].clone();
        let known = region.witness[number].clone();
        let mut of_factor = match values(&range) {
            Some(all) if all.len() <= FEW => all,
            _ if region.leaves[number].role == Role::Size => {
                let few = [0, 1, 3].into_iter().map(Value::int);
                few.chain([known.clone()]).collect::<BTreeSet<Value>>().into_iter().collect()
            }
            _ => standing_for(region, number, random),
        };
        of_factor.retain(|value| range.contains(value));
        let standing = |value: Value| Standing { pins: vec![(number, value.clone())], value };
        out.push(Factor { name: region.name(number), values: of_factor.into_iter().map(standing).collect() });
    }
    (out, missing)
}

/// A point with a pair, and with as many others as a greedy choice finds.
fn candidate(
    region: &mut Region,
    factors: &[Factor],
    open: &FxHashMap<(Level, Level), Point>,
    (first, second): (Level, Level),
    random: &mut fastrand::Rng,
) -> Option<Point> {
    let mut chosen: Vec<Level> = vec![first, second];
    let pins: Vec<(usize, &Value)> =
        chosen.iter().flat_map(|(factor, level)| factors[*factor].values[*level].pins()).collect();
    let (mut store, mut point) = region.with(&pins)?;
    let mut rest: Vec<usize> = (0..factors.len()).filter(|factor| *factor != first.0 && *factor != second.0).collect();
    random.shuffle(&mut rest);
    for factor in rest {
        let gain = |level: usize| {
            let with = |other: &Level| {
                let pair = if *other < (factor, level) { (*other, (factor, level)) } else { ((factor, level), *other) };
                open.contains_key(&pair)
            };
            chosen.iter().filter(|other| with(other)).count()
        };
        let mut levels: Vec<(usize, u32, usize)> =
            (0..factors[factor].values.len()).map(|level| (gain(level), random.u32(..), level)).collect();
        levels.sort_unstable_by(|a, b| b.cmp(a));
        for (_, _, level) in levels {
            let is = region.conditions(factors[factor].values[level].pins());
            if let Some(narrower) = region.narrower(&store, &is)
                && let Some(next) = region.point(&narrower, &point)
            {
                (store, point) = (narrower, next);
                chosen.push((factor, level));
                break;
            }
        }
    }
    Some(point)
}

/// The open pairs that a point has.
fn gained(factors: &[Factor], open: &FxHashMap<(Level, Level), Point>, point: &Point) -> Vec<(Level, Level)> {
    let levels: Vec<Level> = factors
        .iter()
        .enumerate()
        .filter_map(|(number, factor)| {
            let level = factor.values.iter().position(|value| value.is_in(point))?;
            Some((number, level))
        })
        .collect();
    let mut out = vec![];
    for (place, first) in levels.iter().enumerate() {
        out.extend(levels[place + 1..].iter().map(|second| (*first, *second)).filter(|pair| open.contains_key(pair)));
    }
    out
}
