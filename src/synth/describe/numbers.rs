//! Sets of numbers, as a person would say them: `1, 3 or 5`, `2..10 except 7`, `< 0 or > 10`.
//!
//! Comparisons of one number with others change their truth only at those others, so a set is found by looking at each of
//! them, and once at what lies between two of them: that is exact, for whole and for rational numbers.

use std::collections::BTreeSet;

use super::phrase::Phrase;
use crate::term::{Node, Range, Rational, Symbol, Term, Terms, Value, from, one_of, up_to};

/// Whole numbers of a range that are tried one by one, where comparisons are not all there is.
const MAX_TRIED: i64 = 64;
/// Most numbers that are listed one by one.
const MAX_LISTED: usize = 6;
/// Most parts of a set that is said at all.
const MAX_PIECES: usize = 8;

type End = Option<(Rational, bool)>;

/// Numbers between two ends; a missing end is infinitely far.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    low: End,
    high: End,
}

impl Piece {
    fn only(n: Rational) -> Piece {
        Piece { low: Some((n.clone(), true)), high: Some((n, true)) }
    }

    /// The only number in it, if there is but one.
    fn single(&self) -> Option<&Rational> {
        match (&self.low, &self.high) {
            (Some((low, _)), Some((high, _))) if low == high => Some(low),
            _ => None,
        }
    }

    /// How many whole numbers are in it.
    fn count(&self) -> Option<usize> {
        let (low, high) = (&self.low.as_ref()?.0, &self.high.as_ref()?.0);
        usize::try_from((high - low).to_integer()).ok().map(|n| n + 1)
    }
}

/// A set of numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    is_int: bool,
    /// In order, none of them empty, none of them touching another.
    pieces: Vec<Piece>,
}

impl Numbers {
    /// The numbers of a range for which conditions on that one symbol hold; none if they are of another kind.
    pub fn of(terms: &mut Terms, range: &Range, symbol: Symbol, conditions: &[Term]) -> Option<Numbers> {
        let Range::Number { is_int, low, high, holes } = range else { return None };
        let mut at: BTreeSet<Rational> = holes.clone();
        at.extend([low, high].into_iter().flatten().map(|(end, _)| end.clone()));
        for condition in conditions {
            if !ends(terms, *condition, symbol, &mut at) {
                return Numbers::tried(terms, range, symbol, conditions);
            }
        }
        let at: Vec<Rational> = at.into_iter().collect();
        let mut found = Numbers { is_int: *is_int, pieces: vec![] };
        let mut before: Option<Rational> = None;
        for end in at.iter().map(Some).chain([None]) {
            let between =
                Piece { low: before.clone().map(|end| (end, false)), high: end.cloned().map(|end| (end, false)) };
            if let Some(sample) = sample(&between, *is_int)
                && holds(terms, range, symbol, conditions, &sample)
            {
                found.add(between);
            }
            if let Some(end) = end
                && holds(terms, range, symbol, conditions, end)
            {
                found.add(Piece::only(end.clone()));
            }
            before = end.cloned();
        }
        Some(found)
    }

    /// The same by trying each of a few whole numbers.
    fn tried(terms: &mut Terms, range: &Range, symbol: Symbol, conditions: &[Term]) -> Option<Numbers> {
        let Range::Number { is_int: true, low: Some((low, _)), high: Some((high, _)), .. } = range else { return None };
        if high - low >= Rational::from(MAX_TRIED) {
            return None;
        }
        let mut found = Numbers { is_int: true, pieces: vec![] };
        let mut at = low.clone();
        while at <= *high {
            if holds(terms, range, symbol, conditions, &at) {
                found.add(Piece::only(at.clone()));
            }
            at = at + Rational::ONE;
        }
        (found.pieces.len() <= MAX_PIECES).then_some(found)
    }

    /// Adds a piece above all others, and joins it with the last one if nothing lies between them.
    fn add(&mut self, mut piece: Piece) {
        if self.is_int {
            let inner = |end: End, step: Rational| {
                end.map(|(end, inside)| {
                    let end = if inside { end } else { end + step };
                    (end, true)
                })
            };
            let up = |end: Rational| if end.is_integer() { end } else { end.ceil() - Rational::ONE };
            let down = |end: Rational| if end.is_integer() { end } else { end.floor() + Rational::ONE };
            piece.low = inner(piece.low.map(|(end, inside)| (up(end), inside)), Rational::ONE);
            piece.high = inner(piece.high.map(|(end, inside)| (down(end), inside)), -Rational::ONE);
        }
        if let Some(last) = self.pieces.last_mut() {
            let touches = match (&last.high, &piece.low) {
                (Some((a, _)), Some((b, _))) if self.is_int => &(a + &Rational::ONE) >= b,
                (Some((a, a_in)), Some((b, b_in))) => a == b && (*a_in || *b_in),
                _ => true,
            };
            if touches {
                last.high = piece.high;
                return;
            }
        }
        self.pieces.push(piece);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// As a person would say it, where a type allows all of some others; none if it is not worth saying.
    pub fn said(&self, of_type: &Numbers) -> Option<Phrase> {
        if self == of_type {
            return Some(Phrase::all());
        }
        let [first, .., last] = &self.pieces[..] else {
            return self.pieces.first().map(|only| Phrase::some(self.piece(only, of_type)));
        };
        let counts: Option<Vec<usize>> = self.pieces.iter().map(Piece::count).collect();
        if self.is_int && counts.is_some_and(|counts| counts.iter().sum::<usize>() <= MAX_LISTED) {
            return Some(Phrase::some(one_of(&self.listed())));
        }
        if let Some(holes) = self.holes() {
            let hull = Piece { low: first.low.clone(), high: last.high.clone() };
            let is_all = of_type.pieces == [hull.clone()];
            let holes: Vec<String> = holes.iter().map(Rational::decimal).collect();
            return Some(Phrase::some(match is_all || hull.low.is_none() && hull.high.is_none() {
                true => format!("not {}", holes.join(", ")),
                false => format!("{} except {}", self.piece(&hull, of_type), holes.join(", ")),
            }));
        }
        let pieces: Vec<String> = self.pieces.iter().map(|piece| self.piece(piece, of_type)).collect();
        (pieces.len() <= MAX_PIECES).then(|| Phrase::some(one_of(&pieces)))
    }

    /// All numbers, one by one.
    fn listed(&self) -> Vec<String> {
        let mut out = vec![];
        for piece in &self.pieces {
            if let (Some((low, _)), Some((high, _))) = (&piece.low, &piece.high) {
                let mut at = low.clone();
                while at <= *high {
                    out.push(at.decimal());
                    at = at + Rational::ONE;
                }
            }
        }
        out
    }

    /// What is missing between the first and the last number, if these are single numbers.
    fn holes(&self) -> Option<Vec<Rational>> {
        let gap = |pair: &[Piece]| match (&pair[0].high, &pair[1].low) {
            (Some((a, _)), Some((b, _))) if self.is_int => (b - a == Rational::from(2)).then(|| a + &Rational::ONE),
            (Some((a, _)), Some((b, _))) => (a == b).then(|| a.clone()),
            _ => None,
        };
        self.pieces.windows(2).map(gap).collect()
    }

    /// A piece; an end that the type has anyway is not said if there is no other one.
    fn piece(&self, piece: &Piece, of_type: &Numbers) -> String {
        let type_low = of_type.pieces.first().and_then(|piece| piece.low.clone());
        let type_high = of_type.pieces.last().and_then(|piece| piece.high.clone());
        if let Some(only) = piece.single() {
            return only.decimal();
        }
        let low = piece.low.clone().filter(|low| Some(low) != type_low.as_ref() || piece.high.is_some());
        let high = piece.high.clone().filter(|high| Some(high) != type_high.as_ref() || piece.low.is_some());
        match (&low, &high) {
            (None, None) => "_".to_owned(),
            (Some((a, true)), Some((b, true))) if self.is_int => format!("{}..{}", a.decimal(), b.decimal()),
            (Some((a, inside)), None) => from(a, *inside, self.is_int),
            (None, Some((b, inside))) => up_to(b, *inside, self.is_int),
            (Some((a, a_in)), Some((b, b_in))) => {
                format!("{} and {}", from(a, *a_in, self.is_int), up_to(b, *b_in, self.is_int))
            }
        }
    }
}

/// Numbers at which the truth of a condition may change; whether that is all there is to it.
fn ends(terms: &Terms, condition: Term, symbol: Symbol, out: &mut BTreeSet<Rational>) -> bool {
    terms.atoms(condition).all(|atom| match terms.node(atom) {
        Node::Const(_) => true,
        Node::AtMostZero(sum) | Node::BelowZero(sum) | Node::IsZero(sum) => match terms.lone_symbol(*sum) {
            Some((own, factor, constant)) if own == symbol => {
                out.insert(-constant / factor);
                true
            }
            _ => false,
        },
        _ => false,
    })
}

/// A number between two ends; none if there is none.
fn sample(piece: &Piece, is_int: bool) -> Option<Rational> {
    let one = Rational::ONE;
    Some(match (&piece.low, &piece.high) {
        (None, None) => Rational::ZERO,
        (Some((low, _)), None) => low.floor() + one,
        (None, Some((high, _))) => high.ceil() - one,
        (Some((low, _)), Some((high, _))) if is_int => {
            return Some(low.floor() + one).filter(|n| n < high);
        }
        (Some((low, _)), Some((high, _))) => (low + high) / Rational::from(2),
    })
}

fn holds(terms: &mut Terms, range: &Range, symbol: Symbol, conditions: &[Term], n: &Rational) -> bool {
    let value = match range {
        Range::Number { is_int: true, .. } if n.is_integer() => Value::Int(n.to_integer()),
        Range::Number { is_int: true, .. } => return false,
        _ => Value::real(n.to_big()),
    };
    if !range.contains(&value) {
        return false;
    }
    let value = terms.constant(value);
    conditions.iter().all(|condition| {
        let known = terms.substitute(*condition, &|other| (other == symbol).then_some(value));
        terms.is(known, true)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Definitions, Sort, Store};

    /// What is said of a whole number for which one of some ranges holds.
    fn said(ranges: &[(i64, i64)], except: &[i64], of_type: (Option<i64>, Option<i64>)) -> String {
        let mut terms = Terms::new();
        let mut store = Store::default();
        let symbol = store.add(Range::all(Sort::Int, &Definitions::default()));
        let x = terms.symbol(symbol);
        let mut typed = store.clone();
        for (end, is_low) in [(of_type.0, true), (of_type.1, false)] {
            let Some(end) = end else { continue };
            let end = terms.int(end);
            let condition = if is_low { terms.at_most(end, x) } else { terms.at_most(x, end) };
            store.assume(&mut terms, condition);
            typed.assume(&mut terms, condition);
        }
        let mut parts = vec![];
        for (low, high) in ranges {
            let (low, high) = (terms.int(*low), terms.int(*high));
            let (above, below) = (terms.at_most(low, x), terms.at_most(x, high));
            parts.push(terms.and(above, below));
        }
        let mut conditions = vec![terms.any(parts)];
        for hole in except {
            let hole = terms.int(*hole);
            let is = terms.equal(x, hole);
            conditions.push(terms.not(is));
        }
        let numbers = Numbers::of(&mut terms, &store.ranges[0], symbol, &conditions).expect("comparisons");
        let of_type = Numbers::of(&mut terms, &typed.ranges[0], symbol, &[]).expect("a range");
        numbers.said(&of_type).expect("few pieces").text
    }

    #[test]
    fn sets_of_numbers() {
        let any = (None, None);
        assert_eq!(said(&[(1, 1), (3, 3), (5, 5)], &[], any), "1, 3 or 5");
        assert_eq!(said(&[(1, 5)], &[2, 4], any), "1, 3 or 5");
        assert_eq!(said(&[(1, 3), (2, 4)], &[], any), "1..4");
        assert_eq!(said(&[(1, 2), (3, 4)], &[], any), "1..4");
        assert_eq!(said(&[(0, 20)], &[7], any), "0..20 except 7");
        assert_eq!(said(&[(0, 9)], &[7], (Some(0), Some(9))), "not 7");
        assert_eq!(said(&[(0, 9)], &[], (Some(0), Some(9))), "_");
        assert_eq!(said(&[(-5, 9)], &[], (Some(0), None)), "0..9");
        assert_eq!(said(&[(0, 9), (20, 30)], &[], any), "0..9 or 20..30");
        assert_eq!(said(&[(0, 9), (15, 15), (20, 30)], &[], any), "0..9, 15 or 20..30");
    }
}
