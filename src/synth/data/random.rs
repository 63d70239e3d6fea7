//! Points by chance, all over a region.
//!
//! From the run that is known, one symbol after the other gets a new value, evenly chosen among those that the others leave
//! it; after some rounds the point says little of where it began. Where symbols determine each other so closely that none
//! can move alone, the solver is asked for a point in some other part of the region.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::draw;
use super::pooled::{self, Block, Success};
use super::region::{Point, Region};
use crate::term::{Range, Role, Store, Symbol, Term, Value};

/// Rounds between two points, where symbols depend on each other.
const ROUNDS: usize = 12;
/// Points that were there already, one after the other, before it is thought that there are no others.
const MAX_ALIKE: usize = 150;
/// Of these, so many with values of pools by weight; then each value is as likely as any other.
const ALIKE_BY_WEIGHT: usize = 10;
/// Questions to the solver for one point.
const MAX_JUMPS: usize = 3;

/// Moves through a region.
pub struct Walk<'s> {
    store: &'s Store,
    at: Point,
    free: Vec<usize>,
    /// For each symbol, the conditions that mention it.
    mentions: FxHashMap<usize, Vec<Term>>,
    /// Symbols that could not move when it was tried last.
    stuck: Vec<usize>,
    random: fastrand::Rng,
}

impl Walk<'_> {
    /// Through the points that a store allows, beginning at one of them.
    pub fn new<'s>(region: &Region, store: &'s Store, at: Point, random: fastrand::Rng) -> Walk<'s> {
        let mut mentions: FxHashMap<usize, Vec<Term>> = FxHashMap::default();
        for condition in &store.residual {
            let mut symbols = BTreeSet::new();
            region.terms.each_symbol(*condition, &mut |symbol| {
                symbols.insert(symbol.number as usize);
            });
            symbols.into_iter().for_each(|symbol| mentions.entry(symbol).or_default().push(*condition));
        }
        let free = (0..store.ranges.len()).filter(|number| !store.is_solved(*number as u32)).collect();
        Walk { store, at, free, mentions, stuck: vec![], random }
    }

    /// Some other point.
    pub fn next(&mut self, region: &mut Region) -> Point {
        let stuck = std::mem::take(&mut self.stuck);
        for _ in 0..MAX_JUMPS.min(stuck.len()) {
            let number = stuck[self.random.usize(..stuck.len())];
            self.jump(region, number);
        }
        self.settled(region)
    }

    /// Some other point that is reached by moving one symbol after the other.
    pub fn settled(&mut self, region: &mut Region) -> Point {
        for number in self.free.clone() {
            if !self.mentions.contains_key(&number) {
                self.at[number] = draw::of_range(&self.store.ranges[number], &mut self.random);
            }
        }
        let shapes = self.free.iter().copied().filter(|number| region.leaves[*number].role != Role::Value);
        for number in shapes.filter(|number| self.mentions.contains_key(number)).collect::<Vec<_>>() {
            let other = draw::of_range(&self.store.ranges[number], &mut self.random);
            self.reshape(region, number, other);
        }
        for round in 0..if self.mentions.is_empty() { 0 } else { ROUNDS } {
            let idle = self.idle(region);
            for number in self.free.clone().into_iter().filter(|number| !idle.contains(number)) {
                let Some(conditions) = self.mentions.get(&number).cloned() else { continue };
                let has_moved = self.move_one(region, number, &conditions);
                if round == 0 && !has_moved {
                    self.stuck.push(number);
                }
            }
        }
        region.completed(self.store, self.at.clone())
    }

    /// What makes no difference where it is, as an element beyond the length of a list. It stays what it is: anything would fit it now,
    /// and most of that would not once it is there, so that it would never be there.
    fn idle(&self, region: &mut Region) -> BTreeSet<usize> {
        if region.leaves.iter().all(|leaf| leaf.role == Role::Value) {
            return BTreeSet::new();
        }
        let given = region.places.iter().filter(|place| place.is_given).flat_map(|place| place.symbols.clone());
        let mut idle: BTreeSet<usize> = given.collect();
        let at = region.completed(self.store, self.at.clone());
        for number in region.that_matter(&at) {
            idle.remove(&number);
        }
        idle
    }

    /// Gives a symbol another value that fits the values of the others; whether it has.
    fn move_one(&mut self, region: &mut Region, number: usize, conditions: &[Term]) -> bool {
        let range = self.store.ranges[number].clone();
        let constants: Vec<Term> = self.at.iter().map(|value| region.terms.constant(value.clone())).collect();
        let alone = region.terms.symbol(Symbol { number: 0, sort: range.sort() });
        let place = |symbol: Symbol| match symbol.number as usize == number {
            true => Some(alone),
            false => constants.get(symbol.number as usize).copied(),
        };
        let mut done = FxHashMap::default();
        let mut store = Store::new(vec![range]);
        for condition in conditions {
            let condition = region.terms.substituted(*condition, &place, &mut done);
            store.assume(&mut region.terms, condition);
        }
        // The only value that the others leave it is the one it has.
        if store.is_solved(0) {
            return false;
        }
        match draw::of_store(&mut region.terms, &store, &mut self.random) {
            Some(value) => {
                let is_new = value != self.at[number];
                self.at[number] = value;
                is_new
            }
            None => false,
        }
    }

    /// Makes a value by another constructor, or of another length, and gives what it has then values that fit: those it would keep are
    /// none that anything was asked of.
    fn reshape(&mut self, region: &mut Region, number: usize, shape: Value) {
        let (symbol, shape) = (region.symbol(number), region.terms.constant(shape));
        let condition = region.terms.equal(symbol, shape);
        if let Some(store) = region.narrower(self.store, &[condition])
            && let Some(point) = region.point(&store, &self.at)
        {
            self.at = point;
        }
    }

    /// Asks for a point in which a symbol is above, or below, some value.
    fn jump(&mut self, region: &mut Region, number: usize) {
        let range = self.store.ranges[number].clone();
        let split = draw::of_range(&range, &mut self.random);
        let (symbol, split) = (region.symbol(number), region.terms.constant(split));
        let condition = match (&range, self.random.bool()) {
            (Range::Number { .. }, true) => region.terms.at_most(split, symbol),
            (Range::Number { .. }, false) => region.terms.at_most(symbol, split),
            _ => region.terms.equal(symbol, split),
        };
        // Symbols that have conditions go along; what else was chosen stays.
        if let Some(store) = region.narrower(self.store, &[condition])
            && let Some(point) = region.point(&store, &self.at)
        {
            self.at = point;
        }
    }
}

/// So many points with different data, or as many as are met; with values of pools where they fit. Notes say where not.
pub fn points(
    region: &mut Region,
    blocks: &[Block],
    count: usize,
    seed: u64,
    go_on: &mut dyn FnMut() -> bool,
) -> (Vec<Point>, Vec<String>) {
    let store = region.store.clone();
    let mut walk = Walk::new(region, &store, region.witness.clone(), fastrand::Rng::with_seed(seed));
    let mut random = fastrand::Rng::with_seed(seed.wrapping_add(1));
    let mut known: BTreeSet<Vec<Value>> = BTreeSet::new();
    let mut success = Success::default();
    let (mut out, mut alike) = (vec![], 0);
    while out.len() < count && alike < MAX_ALIKE && go_on() {
        let mut point = walk.next(region);
        if !blocks.is_empty() {
            // A rare value would be missed if the others came again and again.
            let by_weight = (alike < ALIKE_BY_WEIGHT, &mut random);
            let kept = pooled::drawn(region, blocks, &point, by_weight, go_on);
            success.count(&kept);
            point = kept.point;
        }
        let values = region.given(&point);
        alike = if known.insert(values) {
            out.push(point);
            0
        } else {
            alike + 1
        };
    }
    (out, success.notes(blocks))
}
