//! What is known of open values: a range for each symbol, and conditions that ranges cannot express.
//!
//! Assuming a condition narrows ranges, solves equations for a symbol where that loses nothing, and keeps the rest as
//! *residual*. Without residual conditions the store is satisfiable as it stands, for its symbols are independent and no
//! range is empty; with some, a solver decides.

use std::collections::BTreeSet;

use num_bigint::BigInt;
use num_traits::{One, Signed};

use rustc_hash::FxHashMap;

use super::rational::Rational;
use super::terms::{Node, Sort, Sum, Symbol, Term, Terms};
use super::ty::{Definitions, TypeId};
use super::value::Value;
use crate::budget::tick;

/// Values that a symbol may still have.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Range {
    /// Both truth values.
    Bool,
    /// Numbers between two ends, some excepted.
    Number {
        /// Whole numbers, or rational ones.
        is_int: bool,
        /// The lower end; whether it belongs to the range.
        low: Option<(Rational, bool)>,
        /// The upper end; whether it belongs to the range.
        high: Option<(Rational, bool)>,
        /// Exceptions.
        holes: BTreeSet<Rational>,
    },
    /// Texts, some excepted.
    Text {
        /// Exceptions.
        holes: BTreeSet<String>,
    },
    /// Constructors of an enumeration.
    Enum {
        /// The enumeration.
        ty: TypeId,
        /// Those that are left.
        left: BTreeSet<u32>,
    },
}

impl Range {
    /// Everything of a sort.
    pub fn all(sort: Sort, definitions: &Definitions) -> Range {
        match sort {
            Sort::Bool => Range::Bool,
            Sort::Int | Sort::Real => {
                Range::Number { is_int: sort == Sort::Int, low: None, high: None, holes: BTreeSet::new() }
            }
            Sort::Text | Sort::Structure => Range::Text { holes: BTreeSet::new() },
            Sort::Enum(ty) => Range::Enum { ty, left: (0..definitions.types[ty].constructors.len() as u32).collect() },
        }
    }

    /// The sort of its values.
    pub fn sort(&self) -> Sort {
        match self {
            Range::Bool => Sort::Bool,
            Range::Number { is_int: true, .. } => Sort::Int,
            Range::Number { .. } => Sort::Real,
            Range::Text { .. } => Sort::Text,
            Range::Enum { ty, .. } => Sort::Enum(*ty),
        }
    }

    /// Whether the other range has no value that this one lacks.
    pub fn includes(&self, other: &Range) -> bool {
        match (self, other) {
            (
                Range::Number { low, high, holes, .. },
                Range::Number { low: other_low, high: other_high, holes: other_holes, .. },
            ) => {
                let above = match (low, other_low) {
                    (None, _) => true,
                    (Some(_), None) => false,
                    (Some((a, a_in)), Some((b, b_in))) => a < b || a == b && (*a_in || !b_in),
                };
                let below = match (high, other_high) {
                    (None, _) => true,
                    (Some(_), None) => false,
                    (Some((a, a_in)), Some((b, b_in))) => a > b || a == b && (*a_in || !b_in),
                };
                above && below && holes.iter().all(|hole| other_holes.contains(hole) || !other.contains_number(hole))
            }
            (Range::Text { holes }, Range::Text { holes: other }) => holes.is_subset(other),
            (Range::Enum { left, .. }, Range::Enum { left: other, .. }) => other.is_subset(left),
            (a, b) => a == b,
        }
    }

    fn contains_number(&self, n: &Rational) -> bool {
        let Range::Number { is_int, low, high, holes } = self else { return false };
        (!is_int || n.is_integer())
            && low.as_ref().is_none_or(|(end, inside)| end < n || (end == n && *inside))
            && high.as_ref().is_none_or(|(end, inside)| n < end || (end == n && *inside))
            && !holes.contains(n)
    }

    /// Whether a value is in the range.
    pub fn contains(&self, value: &Value) -> bool {
        match (self, value) {
            (Range::Bool, Value::Bool(_)) => true,
            (Range::Number { .. }, Value::Int(n)) => self.contains_number(&n.clone().into()),
            (Range::Number { .. }, Value::Real(x)) => self.contains_number(&x.clone().into()),
            (Range::Text { holes }, Value::Text(text)) => !holes.contains(&**text),
            (Range::Enum { ty, left }, Value::Data(actual, constructor, _)) => {
                ty == actual && left.contains(constructor)
            }
            _ => false,
        }
    }

    /// The only value, if there is but one.
    fn only(&self) -> Option<Value> {
        match self {
            Range::Number { is_int, low: Some((low, true)), high: Some((high, true)), .. } if low == high => {
                Some(number(low.clone(), *is_int))
            }
            Range::Enum { ty, left } if left.len() == 1 => {
                left.first().map(|constructor| Value::Data(*ty, *constructor, [].into()))
            }
            _ => None,
        }
    }

    /// Whether nothing is left. Ends of whole numbers have been moved to whole numbers that are no exceptions.
    fn is_empty(&self) -> bool {
        match self {
            Range::Number { low: Some((low, low_in)), high: Some((high, high_in)), holes, .. } => {
                low > high || (low == high && (!low_in || !high_in || holes.contains(low)))
            }
            Range::Enum { left, .. } => left.is_empty(),
            _ => false,
        }
    }

    /// Moves the ends of a range of whole numbers to members of it, and forgets exceptions outside.
    fn tidy(&mut self) {
        let Range::Number { is_int, low, high, holes } = self else { return };
        if *is_int {
            if let Some((end, inside)) = low {
                if !end.is_integer() {
                    (*end, *inside) = (end.ceil(), true);
                }
                if !*inside {
                    (*end, *inside) = (&*end + Rational::ONE, true);
                }
                while holes.contains(end) {
                    *end = &*end + Rational::ONE;
                }
            }
            if let Some((end, inside)) = high {
                if !end.is_integer() {
                    (*end, *inside) = (end.floor(), true);
                }
                if !*inside {
                    (*end, *inside) = (&*end - Rational::ONE, true);
                }
                while holes.contains(end) {
                    *end = &*end - Rational::ONE;
                }
            }
        }
        holes.retain(|hole| {
            low.as_ref().is_none_or(|(end, _)| end <= hole) && high.as_ref().is_none_or(|(end, _)| hole <= end)
        });
    }
}

fn number(n: Rational, is_int: bool) -> Value {
    if is_int { Value::Int(n.to_integer()) } else { Value::real(n.to_big()) }
}

/// An interval of numbers; ends that are missing are infinite, and whether an end belongs to it is not told apart.
#[derive(Clone, Debug, Default)]
struct Interval {
    low: Option<Rational>,
    high: Option<Rational>,
}

/// What is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Store {
    /// Ranges of the symbols by number.
    pub ranges: Vec<Range>,
    /// What symbols were found to be equal to.
    solved: Vec<Option<Term>>,
    /// How many of them there are.
    solved_count: usize,
    /// Conditions that ranges cannot express.
    pub residual: BTreeSet<Term>,
}

/// How many symbols are looked at one by one before a term is taken apart.
const NEAR: u32 = 16;

/// What came of an assumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumed {
    /// It contradicts what is known.
    Impossible,
    /// It is now known, and nothing else needs to be asked.
    Settled,
    /// It is now known; there are residual conditions that it may contradict.
    Open,
}

impl Store {
    /// A store over symbols with these ranges.
    pub fn new(ranges: Vec<Range>) -> Store {
        let solved = vec![None; ranges.len()];
        Store { ranges, solved, ..Store::default() }
    }

    /// An empty store in which so many symbols find room without moving the others.
    pub fn with_room_for(symbols: usize) -> Store {
        let (ranges, solved) = (Vec::with_capacity(symbols), Vec::with_capacity(symbols));
        Store { ranges, solved, ..Store::default() }
    }

    /// One more symbol.
    pub fn add(&mut self, range: Range) -> Symbol {
        let symbol = Symbol { number: self.ranges.len() as u32, sort: range.sort() };
        self.ranges.push(range);
        self.solved.push(None);
        symbol
    }

    /// The term with solved symbols replaced.
    pub fn apply(&self, terms: &mut Terms, term: Term) -> Term {
        self.apply_with(terms, term, &mut FxHashMap::default())
    }

    /// As [`Self::apply`], with results kept between calls on the same store.
    pub fn apply_with(&self, terms: &mut Terms, term: Term, done: &mut FxHashMap<Term, Term>) -> Term {
        let Some((least, greatest)) = terms.symbols_between(term) else { return term };
        let near = greatest - least < NEAR;
        let is_solved = |(least, greatest): (u32, u32)| (least..=greatest).any(|number| self.is_solved(number));
        if self.solved_count == 0 || near && !is_solved((least, greatest)) {
            return term;
        }
        terms.substituted(term, &|symbol| self.solved[symbol.number as usize], done)
    }

    /// Whether a symbol was solved.
    pub fn is_solved(&self, symbol: u32) -> bool {
        self.solved[symbol as usize].is_some()
    }

    /// Adds a condition.
    pub fn assume(&mut self, terms: &mut Terms, condition: Term) -> Assumed {
        let mut todo = vec![condition];
        while let Some(condition) = todo.pop() {
            let condition = self.apply(terms, condition);
            let Some(changed) = self.assume_one(terms, condition, &mut todo) else { return Assumed::Impossible };
            if let Some(symbol) = changed
                && !self.look_again(terms, symbol, &mut todo)
            {
                return Assumed::Impossible;
            }
        }
        if self.residual.is_empty() { Assumed::Settled } else { Assumed::Open }
    }

    /// After news of a symbol: residual conditions that mention it are looked at again, and a range with one value is
    /// that value. False if nothing is left of it.
    fn look_again(&mut self, terms: &mut Terms, symbol: u32, todo: &mut Vec<Term>) -> bool {
        let range = &mut self.ranges[symbol as usize];
        range.tidy();
        if range.is_empty() {
            return false;
        }
        if self.solved[symbol as usize].is_none()
            && let Some(value) = range.only()
        {
            let value = terms.constant(value);
            self.solve(terms, symbol, value);
        }
        let again: Vec<Term> =
            self.residual.iter().copied().filter(|term| terms.mentions_symbol(*term, symbol)).collect();
        for term in &again {
            self.residual.remove(term);
        }
        todo.extend(again);
        true
    }

    /// Replaces a symbol from here on. Nothing is checked: its range is the caller's business.
    pub fn solve(&mut self, terms: &mut Terms, symbol: u32, value: Term) {
        let number = symbol;
        for other in 0..self.solved.len() {
            if let Some(term) = self.solved[other] {
                let changed = terms.substitute(term, &|s| (s.number == number).then_some(value));
                self.solved[other] = Some(changed);
            }
        }
        self.solved_count += usize::from(self.solved[symbol as usize].replace(value).is_none());
    }

    /// Adds one condition without conjunctions. The symbol about which there is news; none at all if it is impossible.
    #[allow(clippy::option_option)]
    fn assume_one(&mut self, terms: &mut Terms, condition: Term, todo: &mut Vec<Term>) -> Option<Option<u32>> {
        match terms.node(condition).clone() {
            Node::Const(Value::Bool(true)) => Some(None),
            Node::Const(_) => None,
            Node::And(parts) => {
                todo.extend(parts);
                Some(None)
            }
            Node::Symbol(symbol) => {
                let value = terms.bool(true);
                self.solve(terms, symbol.number, value);
                Some(Some(symbol.number))
            }
            Node::AtMostZero(sum) => self.at_most_zero(terms, condition, sum, true),
            Node::BelowZero(sum) => self.at_most_zero(terms, condition, sum, false),
            Node::IsZero(sum) => self.is_zero(terms, condition, sum, todo),
            Node::Same(a, b) => self.same(terms, condition, a, b, todo),
            Node::Not(inner) => match terms.node(inner).clone() {
                Node::Symbol(symbol) => {
                    let value = terms.bool(false);
                    self.solve(terms, symbol.number, value);
                    Some(Some(symbol.number))
                }
                Node::IsZero(sum) => self.is_not_zero(terms, condition, sum),
                Node::Same(a, b) => self.not_same(terms, condition, a, b),
                _ => self.keep(terms, condition),
            },
            Node::Or(parts) => {
                let mut left = vec![];
                for part in parts {
                    match self.decide(terms, part) {
                        Some(true) => return Some(None),
                        Some(false) => {}
                        None => left.push(part),
                    }
                }
                match left.as_slice() {
                    [] => None,
                    [only] => {
                        todo.push(*only);
                        Some(None)
                    }
                    _ => {
                        let rest = terms.any(left);
                        self.keep(terms, rest)
                    }
                }
            }
            _ => self.keep(terms, condition),
        }
    }

    /// Keeps a condition that ranges cannot express; none if its negation is kept already.
    #[allow(clippy::option_option)]
    fn keep(&mut self, terms: &mut Terms, condition: Term) -> Option<Option<u32>> {
        if !self.residual.is_empty() && self.residual.contains(&terms.not(condition)) {
            return None;
        }
        self.residual.insert(condition);
        Some(None)
    }

    #[allow(clippy::option_option)]
    fn at_most_zero(&mut self, terms: &mut Terms, condition: Term, sum: Term, with_zero: bool) -> Option<Option<u32>> {
        if let Some((symbol, factor, constant)) = lone_number(terms, sum) {
            let end = -constant / &factor;
            if let Range::Number { low, high, .. } = &mut self.ranges[symbol as usize] {
                if factor.is_positive() {
                    if high.as_ref().is_none_or(|(old, inside)| end < *old || (end == *old && *inside && !with_zero)) {
                        *high = Some((end, with_zero));
                        return Some(Some(symbol));
                    }
                } else if low.as_ref().is_none_or(|(old, inside)| end > *old || (end == *old && *inside && !with_zero))
                {
                    *low = Some((end, with_zero));
                    return Some(Some(symbol));
                }
            }
            return Some(None);
        }
        match self.decide(terms, condition) {
            Some(true) => Some(None),
            Some(false) => None,
            None => self.keep(terms, condition),
        }
    }

    #[allow(clippy::option_option)]
    fn is_zero(&mut self, terms: &mut Terms, condition: Term, sum: Term, todo: &mut Vec<Term>) -> Option<Option<u32>> {
        if let Some((symbol, factor, constant)) = lone_number(terms, sum) {
            let range = &self.ranges[symbol as usize];
            let value = -constant / &factor;
            if !range.contains_number(&value) {
                return None;
            }
            let is_int = range.sort() == Sort::Int;
            let value = terms.constant(number(value, is_int));
            self.solve(terms, symbol, value);
            return Some(Some(symbol));
        }
        if self.decide(terms, condition) == Some(false) {
            return None;
        }
        // Solve for the newest symbol that stands alone with a factor whose inverse is whole.
        let Node::Sum(Sum { sort, parts, .. }) = terms.node(sum).clone() else { return self.keep(terms, condition) };
        let candidate = parts.iter().rev().find_map(|(part, factor)| match terms.node(*part) {
            Node::Symbol(symbol) if symbol.sort == sort && (sort == Sort::Real || factor.abs().is_one()) => {
                let elsewhere =
                    parts.iter().any(|(other, _)| other != part && terms.mentions_symbol(*other, symbol.number));
                (!elsewhere).then(|| (*symbol, factor.clone()))
            }
            _ => None,
        });
        let Some((symbol, factor)) = candidate else { return self.keep(terms, condition) };
        let x = terms.symbol(symbol);
        // factor * x + rest == 0, so x == x - (factor * x + rest) / factor.
        let value = terms.add_scaled(x, sum, &(-Rational::ONE / factor));
        todo.extend(self.ranges[symbol.number as usize].conditions(terms, value));
        self.solve(terms, symbol.number, value);
        Some(Some(symbol.number))
    }

    #[allow(clippy::option_option)]
    fn is_not_zero(&mut self, terms: &mut Terms, condition: Term, sum: Term) -> Option<Option<u32>> {
        if let Some((symbol, factor, constant)) = lone_number(terms, sum) {
            let value = -constant / &factor;
            if self.ranges[symbol as usize].contains_number(&value)
                && let Range::Number { holes, .. } = &mut self.ranges[symbol as usize]
            {
                holes.insert(value);
                return Some(Some(symbol));
            }
            return Some(None);
        }
        match self.decide(terms, condition) {
            Some(true) => Some(None),
            Some(false) => None,
            None => self.keep(terms, condition),
        }
    }

    #[allow(clippy::option_option)]
    fn same(
        &mut self,
        terms: &mut Terms,
        condition: Term,
        a: Term,
        b: Term,
        todo: &mut Vec<Term>,
    ) -> Option<Option<u32>> {
        let (symbol, other) = match (terms.node(a), terms.node(b)) {
            (Node::Symbol(x), Node::Symbol(y)) if x.number < y.number => (*y, a),
            (Node::Symbol(x), _) => (*x, b),
            (_, Node::Symbol(y)) => (*y, a),
            _ => return self.keep(terms, condition),
        };
        if let Some(value) = terms.value(other) {
            if !self.ranges[symbol.number as usize].contains(value) {
                return None;
            }
        } else {
            if terms.mentions_symbol(other, symbol.number) {
                return self.keep(terms, condition);
            }
            todo.extend(self.ranges[symbol.number as usize].conditions(terms, other));
        }
        self.solve(terms, symbol.number, other);
        Some(Some(symbol.number))
    }

    #[allow(clippy::option_option)]
    fn not_same(&mut self, terms: &mut Terms, condition: Term, a: Term, b: Term) -> Option<Option<u32>> {
        let (symbol, value) = match (terms.node(a), terms.node(b)) {
            (Node::Symbol(symbol), Node::Const(value)) | (Node::Const(value), Node::Symbol(symbol)) => {
                (symbol.number, value.clone())
            }
            _ => return self.keep(terms, condition),
        };
        match (&mut self.ranges[symbol as usize], value) {
            (Range::Enum { left, .. }, Value::Data(_, member, _)) => {
                left.remove(&member);
            }
            (Range::Text { holes }, Value::Text(text)) => {
                holes.insert(text.to_string());
            }
            _ => return self.keep(terms, condition),
        }
        Some(Some(symbol))
    }

    /// Whether ranges alone decide a condition.
    pub fn decide(&self, terms: &Terms, condition: Term) -> Option<bool> {
        Decider { store: self, terms, decided: FxHashMap::default(), intervals: FxHashMap::default() }.decide(condition)
    }

    /// The condition without what ranges decide; a bound that leaves one value is an equation.
    pub fn simplified(&self, terms: &mut Terms, condition: Term) -> Term {
        self.simplified_with(terms, condition, &mut FxHashMap::default())
    }

    fn simplified_with(&self, terms: &mut Terms, condition: Term, done: &mut FxHashMap<Term, Term>) -> Term {
        if let Some(known) = done.get(&condition) {
            return *known;
        }
        let mut all = |terms: &mut Terms, parts: Vec<Term>| -> Vec<Term> {
            stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
                parts.into_iter().map(|part| self.simplified_with(terms, part, done)).collect()
            })
        };
        let result = match terms.node(condition).clone() {
            Node::And(parts) => {
                let parts = all(terms, parts);
                terms.all(parts)
            }
            Node::Or(parts) => {
                let parts = all(terms, parts);
                terms.any(parts)
            }
            node => match self.decide(terms, condition) {
                Some(truth) => terms.bool(truth),
                None => self.as_equation(terms, &node).unwrap_or(condition),
            },
        };
        if terms.is_large(condition) {
            done.insert(condition, result);
        }
        result
    }

    /// `x <= 0` as `x == 0` where no smaller number is in the range of x.
    fn as_equation(&self, terms: &mut Terms, node: &Node) -> Option<Term> {
        let Node::AtMostZero(sum) = node else { return None };
        let (symbol, factor, constant) = lone_number(terms, *sum)?;
        let Range::Number { is_int, low, high, .. } = &self.ranges[symbol as usize] else { return None };
        let end = -constant / &factor;
        let last = if factor.is_positive() { low } else { high };
        let is_last = last.as_ref().is_some_and(|(last, inside)| *inside && *last == end);
        if !is_last {
            return None;
        }
        let value = terms.constant(number(end, *is_int));
        let symbol = terms.symbol(Symbol { number: symbol, sort: if *is_int { Sort::Int } else { Sort::Real } });
        Some(terms.equal(symbol, value))
    }
}

/// Walks conditions with the ranges of a store; what it found out of a large term is kept, since many ways may lead to it.
struct Decider<'a> {
    store: &'a Store,
    terms: &'a Terms,
    decided: FxHashMap<Term, Option<bool>>,
    intervals: FxHashMap<Term, Interval>,
}

impl Decider<'_> {
    fn decide(&mut self, condition: Term) -> Option<bool> {
        let is_large = self.terms.is_large(condition);
        if is_large && let Some(known) = self.decided.get(&condition) {
            return *known;
        }
        let result = match is_large {
            true => stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.decide_by_parts(condition)),
            false => self.decide_by_parts(condition),
        };
        if is_large {
            self.decided.insert(condition, result);
        }
        result
    }

    /// The truth value if some part has it, the contrary if all parts have that.
    fn one_of(&mut self, parts: &[Term], truth: bool) -> Option<bool> {
        let mut are_decided = true;
        for part in parts {
            match self.decide(*part) {
                Some(decided) if decided == truth => return Some(truth),
                decided => are_decided &= decided.is_some(),
            }
        }
        are_decided.then_some(!truth)
    }

    fn decide_by_parts(&mut self, condition: Term) -> Option<bool> {
        tick();
        let (store, terms) = (self.store, self.terms);
        match terms.node(condition) {
            Node::Const(value) => Some(value.is_true()),
            Node::AtMostZero(sum) => {
                let Interval { low, high } = self.interval(*sum);
                if high.is_some_and(|high| !high.is_positive()) {
                    return Some(true);
                }
                low.is_some_and(|low| low.is_positive()).then_some(false)
            }
            Node::BelowZero(sum) => {
                let Interval { low, high } = self.interval(*sum);
                if high.is_some_and(|high| high.is_negative()) {
                    return Some(true);
                }
                low.is_some_and(|low| !low.is_negative()).then_some(false)
            }
            Node::IsZero(sum) => {
                if let Some((symbol, factor, constant)) = lone_number(terms, *sum) {
                    let value = -constant / &factor;
                    return (!store.ranges[symbol as usize].contains_number(&value)).then_some(false);
                }
                let Interval { low, high } = self.interval(*sum);
                let outside = low.is_some_and(|low| low.is_positive()) || high.is_some_and(|high| high.is_negative());
                outside.then_some(false)
            }
            Node::Same(a, b) => {
                let (symbol, value) = match (terms.node(*a), terms.node(*b)) {
                    (Node::Symbol(s), Node::Const(value)) | (Node::Const(value), Node::Symbol(s)) => (s.number, value),
                    _ => return None,
                };
                (!store.ranges[symbol as usize].contains(value)).then_some(false)
            }
            Node::Not(inner) => self.decide(*inner).map(|truth| !truth),
            Node::And(parts) => self.one_of(parts, false),
            Node::Or(parts) => self.one_of(parts, true),
            _ => None,
        }
    }

    fn interval(&mut self, term: Term) -> Interval {
        let is_large = self.terms.is_large(term);
        if is_large && let Some(known) = self.intervals.get(&term) {
            return known.clone();
        }
        let result = match is_large {
            true => stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.interval_by_parts(term)),
            false => self.interval_by_parts(term),
        };
        if is_large {
            self.intervals.insert(term, result.clone());
        }
        result
    }

    fn interval_by_parts(&mut self, term: Term) -> Interval {
        tick();
        let (store, terms) = (self.store, self.terms);
        let zero = || Some(Rational::ZERO);
        match terms.node(term) {
            Node::Const(Value::Int(n)) => {
                let n = Rational::from(n.clone());
                Interval { low: Some(n.clone()), high: Some(n) }
            }
            Node::Const(Value::Real(x)) => Interval { low: Some(x.clone().into()), high: Some(x.clone().into()) },
            Node::Symbol(symbol) => match &store.ranges[symbol.number as usize] {
                Range::Number { low, high, .. } => Interval {
                    low: low.as_ref().map(|(end, _)| end.clone()),
                    high: high.as_ref().map(|(end, _)| end.clone()),
                },
                _ => Interval::default(),
            },
            Node::Sum(Sum { parts, constant, .. }) => {
                let mut total = Interval { low: Some(constant.clone()), high: Some(constant.clone()) };
                for (part, factor) in parts {
                    let Interval { low, high } = self.interval(*part);
                    let (low, high) = if factor.is_negative() { (high, low) } else { (low, high) };
                    total.low = total.low.zip(low).map(|(a, b)| a + b * factor);
                    total.high = total.high.zip(high).map(|(a, b)| a + b * factor);
                }
                total
            }
            Node::If(_, a, b) => {
                let (a, b) = (self.interval(*a), self.interval(*b));
                Interval {
                    low: a.low.zip(b.low).map(|(a, b)| a.min(b)),
                    high: a.high.zip(b.high).map(|(a, b)| a.max(b)),
                }
            }
            Node::Remainder(_, divisor) => {
                let high = match terms.value(*divisor) {
                    Some(Value::Int(n)) => Some(Rational::from(n.abs() - BigInt::one())),
                    _ => None,
                };
                Interval { low: zero(), high }
            }
            Node::TextSize(_) => Interval { low: zero(), high: None },
            Node::Floor(inner) => {
                let Interval { low, high } = self.interval(*inner);
                Interval { low: low.map(|end| end.floor()), high: high.map(|end| end.floor()) }
            }
            _ => Interval::default(),
        }
    }
}

/// A sum with one part that is a symbol: the symbol's number, its factor, and what is added.
fn lone_number(terms: &Terms, sum: Term) -> Option<(u32, Rational, Rational)> {
    terms.lone_symbol(sum).map(|(symbol, factor, constant)| (symbol.number, factor, constant))
}

impl Range {
    /// A value of the range that a person would write: small, near zero, a short text.
    pub fn simple(&self) -> Value {
        match self {
            Range::Bool => Value::Bool(false),
            Range::Number { is_int, low, high, holes } => {
                let zero = Rational::ZERO;
                let one = Rational::ONE;
                let mut n = match (low, high) {
                    (Some((end, inside)), _) if *end > zero || (*end == zero && !inside) => match (inside, high) {
                        (true, _) => end.clone(),
                        (false, Some((high, _))) if end + &one >= *high => (end + high) / Rational::from(2),
                        (false, _) => (end + &one).floor(),
                    },
                    (_, Some((end, inside))) if *end < zero || (*end == zero && !inside) => match (inside, low) {
                        (true, _) => end.clone(),
                        (false, Some((low, _))) if end - &one <= *low => (end + low) / Rational::from(2),
                        (false, _) => (end - &one).ceil(),
                    },
                    _ => zero.clone(),
                };
                // Exceptions are stepped over, upwards and then downwards.
                let start = n.clone();
                let step = if *is_int { one.clone() } else { &Rational::ONE / &Rational::from(7) };
                while holes.contains(&n) {
                    n = n + &step;
                }
                if !self.contains_number(&n) {
                    n = start;
                    while holes.contains(&n) {
                        n = n - &step;
                    }
                }
                number(n, *is_int)
            }
            Range::Text { holes } => {
                let mut text = String::new();
                while holes.contains(&text) {
                    text.push('a');
                }
                Value::text(&text)
            }
            Range::Enum { ty, left } => Value::Data(*ty, left.first().copied().unwrap_or(0), [].into()),
        }
    }

    /// That a term is in the range.
    pub fn conditions(&self, terms: &mut Terms, value: Term) -> Vec<Term> {
        let mut out = vec![];
        match self.clone() {
            Range::Bool => {}
            Range::Number { is_int, low, high, holes } => {
                if let Some((end, inside)) = low {
                    let end = terms.constant(number(end, is_int));
                    out.push(if inside { terms.at_most(end, value) } else { terms.less(end, value) });
                }
                if let Some((end, inside)) = high {
                    let end = terms.constant(number(end, is_int));
                    out.push(if inside { terms.at_most(value, end) } else { terms.less(value, end) });
                }
                for hole in holes {
                    let hole = terms.constant(number(hole, is_int));
                    let equal = terms.equal(value, hole);
                    out.push(terms.not(equal));
                }
            }
            Range::Text { holes } => {
                for hole in holes {
                    let hole = terms.constant(Value::text(&hole));
                    let equal = terms.equal(value, hole);
                    out.push(terms.not(equal));
                }
            }
            Range::Enum { ty, left } => {
                let members: Vec<Term> =
                    left.iter().map(|member| terms.constant(Value::Data(ty, *member, [].into()))).collect();
                out.push(terms.is_among(value, &members));
            }
        }
        out
    }
}

impl Store {
    /// Residual conditions, and the ranges of the symbols in them as conditions.
    pub fn conditions(&self, terms: &mut Terms) -> Vec<Term> {
        let mut symbols = BTreeSet::new();
        for condition in &self.residual {
            terms.each_symbol(*condition, &mut |symbol| {
                symbols.insert(symbol);
            });
        }
        let mut out: BTreeSet<Term> = self.residual.clone();
        for symbol in symbols {
            let term = terms.symbol(symbol);
            out.extend(self.ranges[symbol.number as usize].conditions(terms, term));
        }
        out.into_iter().filter(|condition| !terms.is(*condition, true)).collect()
    }
}
