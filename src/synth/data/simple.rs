//! The simplest point of a region: values are made simple one after the other, in the order of their steps.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use num_bigint::BigInt;
use num_traits::Signed;

use super::region::{Point, Region};
use crate::synth::shrink::order;
use crate::term::{Definitions, Range, Role, Store, Type, Value};

/// Most questions about one region.
const MAX_TRIES: usize = 5_000;

/// A point in which nothing that is given can be simpler, as far as all that comes before it stays as it is.
pub fn point(region: &mut Region, definitions: &Definitions, go_on: &mut dyn FnMut() -> bool) -> Point {
    let (store, point) = (region.store.clone(), region.witness.clone());
    let mut simple = Simple { store, point, definitions, tries: 0, go_on };
    for place in region.places.clone().into_iter().filter(|place| place.is_given) {
        let mut done: BTreeSet<usize> = BTreeSet::new();
        // What is pinned no longer stands in the term; a shape that is known takes others with it.
        while simple.may_try() {
            let term = simple.store.apply(&mut region.terms, place.term);
            let mut symbols: Vec<usize> = vec![];
            region.terms.each_symbol(term, &mut |symbol| symbols.push(symbol.number as usize));
            symbols.retain(|number| !done.contains(number));
            symbols.sort_by_key(|number| (region.leaves[*number].role == Role::Value, *number));
            let Some(number) = symbols.first().copied() else { break };
            simple.symbol(region, number);
            done.insert(number);
        }
    }
    simple.point
}

struct Simple<'g> {
    /// What is known, with everything that was chosen so far.
    store: Store,
    /// A point that it allows.
    point: Point,
    definitions: &'g Definitions,
    tries: usize,
    go_on: &'g mut dyn FnMut() -> bool,
}

impl Simple<'_> {
    fn may_try(&mut self) -> bool {
        self.tries < MAX_TRIES && (self.go_on)()
    }

    /// Gives a symbol its simplest value.
    fn symbol(&mut self, region: &mut Region, number: usize) {
        let range = self.store.ranges[number].clone();
        let now = self.point[number].clone();
        let simplest = range.simple();
        if simplest != now && self.pin(region, number, &simplest) {
            return;
        }
        match (&range, &now) {
            (Range::Number { is_int: true, .. }, Value::Int(now)) => self.nearest(region, number, now.clone()),
            (Range::Enum { ty, left }, _) => {
                for member in left {
                    if self.pin(region, number, &Value::Data(*ty, *member, [].into())) {
                        return;
                    }
                }
            }
            (Range::Text { .. }, _) => self.descend(region, number, &Type::Text),
            (Range::Number { .. }, _) => self.descend(region, number, &Type::Real),
            (Range::Bool, _) => {}
        }
        let now = self.point[number].clone();
        self.pin(region, number, &now);
    }

    /// The whole number nearest to zero: whether there is one within some distance depends on nothing but the distance.
    fn nearest(&mut self, region: &mut Region, number: usize, now: BigInt) {
        let (mut none, mut some) = (BigInt::from(-1), now.abs());
        while &none + 1 < some && self.may_try() {
            let middle = (&none + &some) >> 1;
            match self.within(region, number, &middle) {
                Some(point) => {
                    let Value::Int(found) = &point[number] else { return };
                    some = found.abs().min(middle);
                    self.point = point;
                }
                None => none = middle,
            }
        }
        // Of two that are as near the positive one.
        self.pin(region, number, &Value::Int(some));
    }

    fn within(&mut self, region: &mut Region, number: usize, distance: &BigInt) -> Option<Point> {
        self.tries += 1;
        let symbol = region.symbol(number);
        let (low, high) = (-distance, distance.clone());
        let [low, high] = [low, high].map(|end| region.terms.constant(Value::Int(end)));
        let conditions = [region.terms.at_most(low, symbol), region.terms.at_most(symbol, high)];
        let store = region.narrower(&self.store, &conditions)?;
        let point = self.point.clone();
        region.point(&store, &point)
    }

    /// Takes simpler values as long as there are some.
    fn descend(&mut self, region: &mut Region, number: usize, ty: &Type) {
        'simpler: while self.may_try() {
            let now = self.point[number].clone();
            for other in order::simpler(&now, ty, self.definitions) {
                if let Some((_, point)) = self.with(region, number, &other) {
                    self.point = point;
                    continue 'simpler;
                }
            }
            return;
        }
    }

    fn with(&mut self, region: &mut Region, number: usize, value: &Value) -> Option<(Store, Point)> {
        self.tries += 1;
        let (symbol, value) = (region.symbol(number), region.terms.constant(value.clone()));
        let is = region.terms.equal(symbol, value);
        let store = region.narrower(&self.store, &[is])?;
        let near = self.point.clone();
        let point = region.point(&store, &near)?;
        Some((store, point))
    }

    /// Gives a symbol a value, unless it is less simple than the one it has; from then on it has this one.
    fn pin(&mut self, region: &mut Region, number: usize, value: &Value) -> bool {
        if order::compare(value, &self.point[number]) == Ordering::Greater {
            return false;
        }
        match self.with(region, number, value) {
            Some((store, point)) => {
                (self.store, self.point) = (store, point);
                true
            }
            None => false,
        }
    }
}
