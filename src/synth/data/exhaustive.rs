//! All points of a region that differ in what whoever runs the test gives.

use super::boundary::extreme;
use super::region::{Point, Region};
use crate::term::{Range, Rational, Role, Store, Value};

/// Most points.
const MAX_POINTS: usize = 100_000;
/// Most values of one symbol.
const MAX_VALUES: u64 = 100_000;

/// Why not all points can be listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotAll {
    /// Something has no end.
    Infinite(String),
    /// There are too many.
    TooMany,
    /// It was stopped.
    Stopped,
}

/// All points, or why they cannot be listed.
pub fn points(region: &mut Region, go_on: &mut dyn FnMut() -> bool) -> Result<Vec<Point>, NotAll> {
    let mut all = All { found: vec![], go_on };
    let store = region.store.clone();
    all.below(region, &store)?;
    Ok(all.found)
}

struct All<'g> {
    found: Vec<Point>,
    go_on: &'g mut dyn FnMut() -> bool,
}

impl All<'_> {
    /// All points that a store allows.
    fn below(&mut self, region: &mut Region, store: &Store) -> Result<(), NotAll> {
        if !(self.go_on)() {
            return Err(NotAll::Stopped);
        }
        let Some(number) = next(region, store) else {
            let witness = region.witness.clone();
            self.found.extend(region.point(store, &witness));
            return if self.found.len() > MAX_POINTS { Err(NotAll::TooMany) } else { Ok(()) };
        };
        let range = store.ranges[number].clone();
        let values = values(&range).or_else(|| between_ends(region, store, number));
        let Some(values) = values else { return Err(NotAll::Infinite(region.name(number))) };
        for value in values {
            let (symbol, value) = (region.symbol(number), region.terms.constant(value));
            let is = region.terms.equal(symbol, value);
            if let Some(narrower) = region.narrower(store, &[is]) {
                stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.below(region, &narrower))?;
            }
        }
        Ok(())
    }
}

/// A symbol that given values still depend on; first those that shape them.
fn next(region: &mut Region, store: &Store) -> Option<usize> {
    for place in region.places.clone().into_iter().filter(|place| place.is_given) {
        let term = store.apply(&mut region.terms, place.term);
        let mut symbols: Vec<usize> = vec![];
        region.terms.each_symbol(term, &mut |symbol| symbols.push(symbol.number as usize));
        symbols.sort_by_key(|number| (region.leaves[*number].role == Role::Value, *number));
        if let Some(first) = symbols.first() {
            return Some(*first);
        }
    }
    None
}

/// The values between the least and the greatest one that a store allows a whole number, whose range does not say so; none if it has no ends.
fn between_ends(region: &mut Region, store: &Store, number: usize) -> Option<Vec<Value>> {
    let Range::Number { is_int: true, holes, .. } = store.ranges[number].clone() else { return None };
    let witness = region.witness.clone();
    let Some(point) = region.point(store, &witness) else { return Some(vec![]) };
    let whole = std::mem::replace(&mut region.store, store.clone());
    region.witness = point;
    let ends = [false, true].map(|is_greatest| extreme(region, number, is_greatest));
    (region.store, region.witness) = (whole, witness);
    let end = |point: Option<Point>| match &point?[number] {
        Value::Int(end) => Some((Rational::from(end.clone()), true)),
        _ => None,
    };
    let [low, high] = ends.map(end);
    values(&Range::Number { is_int: true, low, high, holes })
}

/// The values of a range, if it has ends.
pub fn values(range: &Range) -> Option<Vec<Value>> {
    match range {
        Range::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
        Range::Number { is_int: true, low: Some((low, _)), high: Some((high, _)), .. } => {
            let (low, high) = (low.ceil().to_integer(), high.floor().to_integer());
            let count = u64::try_from(&high - &low).ok().filter(|count| *count < MAX_VALUES)?;
            let all = (0..=count).map(|n| Value::Int(&low + n));
            Some(all.filter(|value| range.contains(value)).collect())
        }
        Range::Enum { ty, left } => Some(left.iter().map(|member| Value::Data(*ty, *member, [].into())).collect()),
        Range::Number { .. } | Range::Text { .. } => None,
    }
}
