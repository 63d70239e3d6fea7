//! Points with values that a person gave, where they fit.
//!
//! A block is a part of an open value for which there is a pool. Blocks get their values one after the other, in the order of
//! the run and what is given first, each one that fits with those before it. So no pool makes anything impossible: a block
//! for which nothing fits is left as it is. What is there at all (messages, elements of lists) is not for pools to decide.

use std::collections::BTreeSet;

use super::random::Walk;
use super::region::{Point, Region};
use crate::model::{Pool, Pools};
use crate::search::{DATA_SIZES, Place};
use crate::term::{Definitions, OpenPart, Role, Store, Term, Value};

/// Values that are tried one by one before it is asked whether any other fits.
const TRIED_ALONE: usize = 30;

/// A part of an open value for which there is a pool.
pub struct Block {
    /// As a person would name it: `order.who@1`.
    pub name: String,
    /// What the pool is for.
    pool: String,
    /// Whether whoever runs the test gives it.
    pub is_given: bool,
    /// Its symbols.
    pub symbols: std::ops::Range<usize>,
    /// The values of the pool, as they were written.
    pub values: Vec<Preferred>,
}

/// A value of a pool.
pub struct Preferred {
    /// The value.
    pub value: Value,
    weight: u64,
    /// What the symbols must be.
    pub pins: Vec<(usize, Value)>,
}

impl Preferred {
    fn pins(&self) -> impl Iterator<Item = (usize, &Value)> {
        self.pins.iter().map(|(number, value)| (*number, value))
    }

    fn is_in(&self, point: &Point) -> bool {
        self.pins().all(|(number, value)| point[number] == *value)
    }
}

/// Which value comes first.
pub enum Order<'r> {
    /// The one that is written first.
    Written,
    /// By chance, according to the weights.
    Weight(&'r mut fastrand::Rng),
    /// By chance, each like any other.
    Even(&'r mut fastrand::Rng),
    /// The one that is there already, if it is one of them; whatever has no pool stays as it is.
    Kept,
}

impl Order<'_> {
    /// Numbers of the values in the order in which they are tried.
    fn of(&mut self, values: &[Preferred], near: &Point) -> Vec<usize> {
        let mut order: Vec<usize> = (0..values.len()).collect();
        match self {
            Order::Written => {}
            Order::Kept => order.sort_by_key(|number| !values[*number].is_in(near)),
            Order::Even(random) => random.shuffle(&mut order),
            // The first of many clocks that ring at these rates is each with a chance that goes by its rate, and so is the
            // second among those that are left.
            Order::Weight(random) => {
                let rings: Vec<f64> =
                    values.iter().map(|value| -(1.0 - random.f64()).ln() / value.weight as f64).collect();
                order.sort_by(|a, b| rings[*a].total_cmp(&rings[*b]));
            }
        }
        order
    }
}

/// All parts of open values for which there is a pool: what is given first.
pub fn blocks(region: &Region, pools: &Pools, definitions: &Definitions) -> Vec<Block> {
    let mut out = vec![];
    for is_given in [true, false] {
        for place in region.places.iter().filter(|place| place.is_given == is_given) {
            for (part, pool) in pooled_parts(place, pools, definitions) {
                out.extend(block(place, part, pool, definitions));
            }
        }
    }
    out
}

/// The outermost parts of a place that have a pool.
fn pooled_parts<'p>(place: &'p Place, pools: &'p Pools, definitions: &Definitions) -> Vec<(&'p OpenPart, &'p Pool)> {
    let Some(whole) = place.parts.first() else { return vec![] };
    let of_type = || [&place.ty].into_iter().chain(&place.also).find_map(|ty| pools.typed(ty, definitions));
    if let Some(pool) = pools.named(&place.name, &place.ty).or_else(of_type) {
        return vec![(whole, pool)];
    }
    let mut out: Vec<(&OpenPart, &Pool)> = vec![];
    for part in &place.parts {
        let is_inside = out.last().is_some_and(|(outer, _)| part.symbols.start < outer.symbols.end);
        if !is_inside && let Some(pool) = pools.typed(&part.ty, definitions) {
            out.push((part, pool));
        }
    }
    out
}

fn block(place: &Place, part: &OpenPart, pool: &Pool, definitions: &Definitions) -> Option<Block> {
    let preferred = |(value, weight): &(Value, u64)| {
        let symbols = part.symbols_for(value, DATA_SIZES, definitions)?;
        let pins = part.symbols.clone().zip(symbols).filter_map(|(number, value)| Some((number, value?))).collect();
        Some(Preferred { value: value.clone(), weight: *weight, pins })
    };
    let name = place.named(&part.path);
    let (pool, values) = (pool.name.clone(), pool.values.iter().filter_map(preferred).collect());
    let block = Block { name, pool, is_given: place.is_given, symbols: part.symbols.clone(), values };
    // A value that is always the same is no choice.
    Some(block).filter(|block| !block.symbols.is_empty())
}

/// A point with values of pools.
pub struct Kept {
    /// What is known when all of them are as they are.
    pub store: Store,
    /// The point.
    pub point: Point,
    /// Numbers of blocks that have a value of their pool.
    fitted: Vec<usize>,
    /// Numbers of blocks for which none fits.
    missed: Vec<usize>,
}

/// A point with as many values of pools as fit, otherwise near another one.
pub fn prefer(
    region: &mut Region,
    blocks: &[Block],
    near: &Point,
    order: &mut Order<'_>,
    go_on: &mut dyn FnMut() -> bool,
) -> Kept {
    // Whether a preference can be kept is no question that must have an answer.
    let doubts = region.doubts;
    let matter: BTreeSet<usize> = region.that_matter(near).into_iter().collect();
    let mut kept =
        Kept { store: held(region, blocks, near, order), point: near.clone(), fitted: vec![], missed: vec![] };
    for (number, block) in blocks.iter().enumerate() {
        if !go_on() {
            break;
        }
        let is_there = !block.is_given || block.symbols.clone().any(|symbol| matter.contains(&symbol));
        if !is_there {
            continue;
        }
        let values = order.of(&block.values, near);
        match fitting(region, (&kept.store, &kept.point), block, &values) {
            Some((store, point)) => {
                (kept.store, kept.point) = (store, point);
                kept.fitted.push(number);
            }
            None => kept.missed.push(number),
        }
    }
    region.doubts = doubts;
    kept
}

/// What is known when everything outside of blocks has the shape that it has in a point, or is all as it is there.
fn held(region: &mut Region, blocks: &[Block], near: &Point, order: &Order<'_>) -> Store {
    let is_held = |number: &usize| {
        let in_block = blocks.iter().any(|block| block.symbols.contains(number));
        !in_block && (matches!(order, Order::Kept) || region.leaves[*number].role != Role::Value)
    };
    let held: Vec<usize> = (0..region.leaves.len()).filter(is_held).collect();
    let conditions = region.conditions(held.into_iter().map(|number| (number, &near[number])));
    region.narrowed(&conditions).unwrap_or_else(|| region.store.clone())
}

/// The first value of a block that fits, with what is then known and a point.
fn fitting(
    region: &mut Region,
    (store, near): (&Store, &Point),
    block: &Block,
    order: &[usize],
) -> Option<(Store, Point)> {
    let in_range = |value: &&Preferred| {
        let fits =
            |(number, value): &(usize, Value)| store.is_solved(*number as u32) || store.ranges[*number].contains(value);
        value.pins.iter().all(fits)
    };
    let values: Vec<&Preferred> = order.iter().map(|number| &block.values[*number]).filter(in_range).collect();
    let (alone, others) = values.split_at(values.len().min(TRIED_ALONE));
    for value in alone {
        let conditions = region.conditions(value.pins());
        if let Some(found) = narrowed(region, store, near, &conditions) {
            return Some(found);
        }
    }
    // Among many that do not fit, the first that does is found by asking whether it is in the first half.
    let mut left = others;
    any_of(region, (store, near), left)?;
    while left.len() > 1 {
        let (first, second) = left.split_at(left.len() / 2);
        left = if any_of(region, (store, near), first).is_some() { first } else { second };
    }
    any_of(region, (store, near), left)
}

/// A point with one of several values.
fn any_of(region: &mut Region, (store, near): (&Store, &Point), values: &[&Preferred]) -> Option<(Store, Point)> {
    let mut any = vec![];
    for value in values {
        let conditions = region.conditions(value.pins());
        any.push(region.terms.all(conditions));
    }
    let any = region.terms.any(any);
    narrowed(region, store, near, &[any])
}

fn narrowed(region: &mut Region, store: &Store, near: &Point, conditions: &[Term]) -> Option<(Store, Point)> {
    let narrower = region.narrower(store, conditions)?;
    let point = region.point(&narrower, near)?;
    Some((narrower, point))
}

/// Which blocks got values of their pools, over several points.
#[derive(Default)]
pub struct Success {
    fitted: BTreeSet<usize>,
    missed: BTreeSet<usize>,
}

impl Success {
    /// Counts a point.
    pub fn count(&mut self, kept: &Kept) {
        self.fitted.extend(&kept.fitted);
        self.missed.extend(&kept.missed);
    }

    /// What was given and is not from its pool. What the system says follows from what it is given.
    pub fn notes(&self, blocks: &[Block]) -> Vec<String> {
        let note = |number: &usize| {
            let Block { name, pool, .. } = &blocks[*number];
            match self.fitted.contains(number) {
                true => format!("{name}: sometimes no value of the pool `{pool}` fits"),
                false => format!("{name}: no value of the pool `{pool}` fits"),
            }
        };
        self.missed.iter().filter(|number| blocks[**number].is_given).map(note).collect()
    }
}

/// A point by chance: values of pools by their weights, others all over what these leave them.
pub fn drawn(
    region: &mut Region,
    blocks: &[Block],
    near: &Point,
    (is_weighted, random): (bool, &mut fastrand::Rng),
    go_on: &mut dyn FnMut() -> bool,
) -> Kept {
    let mut order = if is_weighted { Order::Weight(random) } else { Order::Even(random) };
    let kept = prefer(region, blocks, near, &mut order, go_on);
    let point = Walk::new(region, &kept.store, kept.point, random.fork()).settled(region);
    Kept { point, ..kept }
}
