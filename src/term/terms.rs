//! Hash-consed terms: values in which some parts are still open.
//!
//! A term is a number in an arena; equal terms have equal numbers. Terms are built only through the functions of
//! [`Terms`], which simplify as they build, so that what is concrete stays concrete and a condition that is decided is a
//! constant. Open parts are symbols of the four simple sorts and of enumerations: an open record, list or tree is opened
//! up into simple symbols before it gets here. The evaluator of [`super::eval`] is the judge: a term under an assignment
//! of its symbols means what the expression it came from means.

use std::sync::Arc;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use rustc_hash::FxHashMap;

use super::expr::TextPattern;
use super::rational::Rational;
use super::ty::TypeId;
use super::value::Value;
use crate::budget::tick;

/// A term; meaningful only together with the [`Terms`] it was made by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(u32);

/// An open value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol {
    /// Its number among the symbols of one state.
    pub number: u32,
    /// What it ranges over.
    pub sort: Sort,
}

/// What a symbol ranges over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Whole numbers.
    Int,
    /// Rational numbers.
    Real,
    /// Texts.
    Text,
    /// Constructors without arguments of a data type.
    Enum(TypeId),
    /// Anything else: never a symbol.
    Structure,
}

/// What a term is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A value; every term without symbols is one.
    Const(Value),
    /// An open value.
    Symbol(Symbol),
    /// A sum of at least one open term; a lone term with factor one and nothing added is that term itself.
    Sum(Sum),
    /// A product of two open numbers.
    Product(Term, Term),
    /// A quotient: of whole numbers Euclid's, of rational ones exact.
    Quotient(Term, Term),
    /// Euclid's remainder.
    Remainder(Term, Term),
    /// The greatest whole number that is not above.
    Floor(Term),
    /// Whether a sum is at most zero.
    AtMostZero(Term),
    /// Whether a sum is below zero; of rational numbers only.
    BelowZero(Term),
    /// Whether a sum is zero.
    IsZero(Term),
    /// Whether two terms that are no numbers are equal.
    Same(Term, Term),
    /// Negation.
    Not(Term),
    /// Conjunction, in order of the terms.
    And(Vec<Term>),
    /// Disjunction, in order of the terms.
    Or(Vec<Term>),
    /// A choice.
    If(Term, Term, Term),
    /// A constructor with open arguments.
    Data(TypeId, u32, Vec<Term>),
    /// A list of known length.
    List(Vec<Term>),
    /// A set of members that may coincide.
    Set(Vec<Term>),
    /// A map as the writes that made it, the last one counting; none for a removal.
    Map(Vec<(Term, Option<Term>)>),
    /// Texts one after the other.
    Joined(Vec<Term>),
    /// Characters of a text.
    TextSize(Term),
    /// Whether a text matches a regular expression as a whole.
    Matches(Term, TextPattern),
    /// A value that the quantifier around it speaks of.
    Bound(Symbol),
    /// Whether some values of these bound symbols satisfy a condition: what could not be said without them.
    Exists(Vec<Symbol>, Term),
}

impl Node {
    fn parts(&self) -> Vec<Term> {
        match self {
            Node::Const(_) | Node::Symbol(_) | Node::Bound(_) => vec![],
            Node::Sum(sum) => sum.parts.iter().map(|(part, _)| *part).collect(),
            Node::Product(a, b) | Node::Quotient(a, b) | Node::Remainder(a, b) | Node::Same(a, b) => vec![*a, *b],
            Node::Floor(a)
            | Node::AtMostZero(a)
            | Node::BelowZero(a)
            | Node::IsZero(a)
            | Node::Not(a)
            | Node::TextSize(a)
            | Node::Matches(a, _)
            | Node::Exists(_, a) => vec![*a],
            Node::And(parts)
            | Node::Or(parts)
            | Node::List(parts)
            | Node::Set(parts)
            | Node::Joined(parts)
            | Node::Data(_, _, parts) => parts.clone(),
            Node::If(c, a, b) => vec![*c, *a, *b],
            Node::Map(writes) => writes.iter().flat_map(|(k, v)| [*k].into_iter().chain(*v)).collect(),
        }
    }
}

/// Terms with factors, and a number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sum {
    /// Whether it is a whole number: whole numbers may be added up as rational ones.
    pub sort: Sort,
    /// Open terms with their factors, in order of the terms.
    pub parts: Vec<(Term, Rational)>,
    /// What is added.
    pub constant: Rational,
}

/// The arena.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    nodes: Vec<Node>,
    sorts: Vec<Sort>,
    /// Least and greatest number of the symbols in each term.
    symbols: Vec<Option<(u32, u32)>>,
    numbers: FxHashMap<Node, Term>,
    /// How large each term is written out: parts are shared, so that there may be many more ways through a term than terms.
    sizes: Vec<u32>,
    /// How many constructors stand inside each other in each term.
    nestings: Vec<u32>,
    /// Degree of each term as a polynomial.
    degrees: Vec<u32>,
    /// Contraries of terms with parts.
    contraries: FxHashMap<Term, Term>,
    /// Steps that the elimination of quantifiers may still take, if somebody limits them.
    steps_left: Option<usize>,
    /// What comparisons with zero of choices have become.
    compared: FxHashMap<(Term, Comparison), Term>,
    /// What equations of terms with parts have become.
    equations: FxHashMap<(Term, Term), Term>,
    /// Cases that may still be looked at for the quantifier that is being eliminated.
    pub(super) cases_left: Option<usize>,
}

/// How a number is compared with zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Comparison {
    AtMost,
    Below,
    Equal,
}

/// From this size on, what a walk finds out of a term is kept for the next time that the walk meets it: a smaller term is
/// walked again in less time.
const LARGE: u32 = 32;

impl Terms {
    /// Limits the elimination of quantifiers from now on: what cannot be done in so many steps keeps its quantifier.
    pub fn eliminate_within(&mut self, steps: usize) {
        self.steps_left = Some(steps);
    }

    /// Whether so many more steps of the elimination may be taken.
    pub(super) fn may_eliminate(&mut self, steps: usize) -> bool {
        match &mut self.steps_left {
            None => true,
            Some(left) if *left < steps => {
                *left = 0;
                false
            }
            Some(left) => {
                *left -= steps;
                true
            }
        }
    }

    /// An empty arena.
    pub fn new() -> Terms {
        Terms::default()
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What a term is made of.
    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    /// What a term ranges over.
    pub fn sort(&self, term: Term) -> Sort {
        self.sorts[term.0 as usize]
    }

    /// The value of a term without symbols.
    pub fn value(&self, term: Term) -> Option<&Value> {
        match self.node(term) {
            Node::Const(value) => Some(value),
            _ => None,
        }
    }

    /// Whether the term is the given truth value.
    pub fn is(&self, term: Term, truth: bool) -> bool {
        self.value(term) == Some(&Value::Bool(truth))
    }

    /// The only place where an arena grows: work that is abandoned leaves it whole.
    pub(super) fn intern(&mut self, node: Node, sort: Sort) -> Term {
        tick();
        if let Some(term) = self.numbers.get(&node) {
            return *term;
        }
        let parts = node.parts();
        let both = |a: (u32, u32), b: (u32, u32)| (a.0.min(b.0), a.1.max(b.1));
        let symbols = match &node {
            Node::Symbol(symbol) => Some((symbol.number, symbol.number)),
            _ => parts.iter().filter_map(|part| self.symbols_between(*part)).reduce(both),
        };
        let size = parts.iter().fold(1u32, |size, part| size.saturating_add(self.size(*part)));
        let deepest = parts.iter().map(|part| self.nestings[part.0 as usize]).max().unwrap_or(0);
        let nesting = match &node {
            Node::Const(value) => value.constructors().map(|depth| depth as u32 + 1).max().unwrap_or(0),
            Node::Data(..) => deepest + 1,
            _ => deepest,
        };
        let degrees = parts.iter().map(|part| self.degree(*part));
        let degree = match &node {
            Node::Const(_) => 0,
            Node::Product(..) => degrees.fold(0, u32::saturating_add),
            Node::Sum(_) | Node::If(..) | Node::Quotient(..) | Node::Remainder(..) | Node::Floor(_) => {
                degrees.max().unwrap_or(0)
            }
            _ => 1,
        };
        let term = Term(self.nodes.len() as u32);
        self.nestings.push(nesting);
        self.degrees.push(degree);
        self.nodes.push(node.clone());
        self.sorts.push(sort);
        self.symbols.push(symbols);
        self.sizes.push(size);
        self.numbers.insert(node, term);
        term
    }

    /// The least and the greatest number of the symbols in a term; none if there are none.
    pub fn symbols_between(&self, term: Term) -> Option<(u32, u32)> {
        self.symbols[term.0 as usize]
    }

    /// How many constructors stand inside each other in a term.
    pub fn nesting(&self, term: Term) -> usize {
        self.nestings[term.0 as usize] as usize
    }

    /// The degree of a term as a polynomial: of what is multiplied with what.
    pub fn degree(&self, term: Term) -> u32 {
        self.degrees[term.0 as usize]
    }

    /// How large a term is written out, as far as that can be counted.
    pub fn size(&self, term: Term) -> u32 {
        self.sizes[term.0 as usize]
    }

    /// Whether a term is so large that a walk should keep what it found out of it.
    pub fn is_large(&self, term: Term) -> bool {
        self.size(term) >= LARGE
    }

    /// A value.
    pub fn constant(&mut self, value: Value) -> Term {
        let sort = match &value {
            Value::Bool(_) => Sort::Bool,
            Value::Int(_) => Sort::Int,
            Value::Real(_) => Sort::Real,
            Value::Text(_) => Sort::Text,
            Value::Data(ty, _, args) if args.is_empty() => Sort::Enum(*ty),
            _ => Sort::Structure,
        };
        self.intern(Node::Const(value), sort)
    }

    /// A truth value.
    pub fn bool(&mut self, truth: bool) -> Term {
        self.constant(Value::Bool(truth))
    }

    /// A whole number.
    pub fn int(&mut self, n: impl Into<BigInt>) -> Term {
        self.constant(Value::Int(n.into()))
    }

    /// A symbol.
    pub fn symbol(&mut self, symbol: Symbol) -> Term {
        self.intern(Node::Symbol(symbol), symbol.sort)
    }

    // ---- numbers

    pub(super) fn as_sum(&self, term: Term) -> Sum {
        match self.node(term) {
            Node::Sum(sum) => sum.clone(),
            Node::Const(Value::Int(n)) => Sum { sort: Sort::Int, parts: vec![], constant: n.clone().into() },
            Node::Const(Value::Real(x)) => Sum { sort: Sort::Real, parts: vec![], constant: x.clone().into() },
            _ => Sum { sort: self.sort(term), parts: vec![(term, Rational::ONE)], constant: Rational::ZERO },
        }
    }

    pub(super) fn make_sum(&mut self, sum: Sum) -> Term {
        match sum.parts.as_slice() {
            [] if sum.sort == Sort::Int => self.constant(Value::Int(sum.constant.to_integer())),
            [] => self.constant(Value::real(sum.constant.to_big())),
            [(only, factor)] if factor.is_one() && sum.constant.is_zero() && self.sort(*only) == sum.sort => *only,
            _ => {
                let sort = sum.sort;
                self.intern(Node::Sum(sum), sort)
            }
        }
    }

    /// `a + k * b`
    pub fn add_scaled(&mut self, a: Term, b: Term, k: &Rational) -> Term {
        let sort = if self.sort(a) == Sort::Real || self.sort(b) == Sort::Real { Sort::Real } else { Sort::Int };
        let (left, right) = (self.as_sum(a), self.as_sum(b));
        let constant = left.constant + right.constant * k;
        let mut parts = Vec::with_capacity(left.parts.len() + right.parts.len());
        let (mut left, mut right) = (left.parts.into_iter().peekable(), right.parts.into_iter().peekable());
        loop {
            match (left.peek(), right.peek()) {
                (Some((l, _)), Some((r, _))) if l == r => {
                    if let (Some((term, x)), Some((_, y))) = (left.next(), right.next()) {
                        let factor = x + y * k;
                        if !factor.is_zero() {
                            parts.push((term, factor));
                        }
                    }
                }
                (Some((l, _)), Some((r, _))) if l < r => parts.extend(left.next()),
                (Some(_), None) => parts.extend(left.next()),
                (_, Some(_)) => parts.extend(right.next().map(|(term, y)| (term, y * k))),
                (None, None) => break,
            }
        }
        parts.retain(|(_, factor)| !factor.is_zero());
        self.make_sum(Sum { sort, parts, constant })
    }

    /// `a + b`
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        self.add_scaled(a, b, &Rational::ONE)
    }

    /// `a - b`
    pub fn subtract(&mut self, a: Term, b: Term) -> Term {
        self.add_scaled(a, b, &-Rational::ONE)
    }

    /// `-a`
    pub fn negate(&mut self, a: Term) -> Term {
        let zero = if self.sort(a) == Sort::Real { Value::real(BigRational::zero()) } else { Value::Int(BigInt::ZERO) };
        let zero = self.constant(zero);
        self.subtract(zero, a)
    }

    fn number(&self, term: Term) -> Option<Rational> {
        match self.value(term)? {
            Value::Int(n) => Some(n.clone().into()),
            Value::Real(x) => Some(x.clone().into()),
            _ => None,
        }
    }

    /// `a * b`
    pub fn multiply(&mut self, a: Term, b: Term) -> Term {
        let sort = if self.sort(a) == Sort::Real || self.sort(b) == Sort::Real { Sort::Real } else { Sort::Int };
        let (a, b) = if self.number(b).is_some() { (b, a) } else { (a, b) };
        match self.number(a) {
            Some(k) => {
                let zero = self.make_sum(Sum { sort, parts: vec![], constant: Rational::ZERO });
                self.add_scaled(zero, b, &k)
            }
            None => self.intern(Node::Product(a.min(b), a.max(b)), sort),
        }
    }

    /// `a / b` for a divisor that is not zero.
    pub fn divide(&mut self, a: Term, b: Term) -> Term {
        let sort = self.sort(a);
        match (self.value(a), self.value(b)) {
            (Some(Value::Int(x)), Some(Value::Int(y))) if !y.is_zero() => {
                let rest = x.mod_floor(&y.abs());
                let quotient = (x - rest) / y;
                self.int(quotient)
            }
            (_, Some(Value::Real(y))) if !y.is_zero() => {
                let inverse = self.constant(Value::real(y.recip()));
                self.multiply(inverse, a)
            }
            (_, Some(Value::Int(y))) if y.is_one() => a,
            _ => self.intern(Node::Quotient(a, b), sort),
        }
    }

    /// `a % b` for a divisor that is not zero.
    pub fn modulo(&mut self, a: Term, b: Term) -> Term {
        match (self.value(a), self.value(b)) {
            (Some(Value::Int(x)), Some(Value::Int(y))) if !y.is_zero() => {
                let rest = x.mod_floor(&y.abs());
                self.int(rest)
            }
            (_, Some(Value::Int(y))) if y.abs().is_one() => self.int(0),
            _ => self.intern(Node::Remainder(a, b), Sort::Int),
        }
    }

    /// The greatest whole number that is not above a rational one.
    pub fn floor(&mut self, a: Term) -> Term {
        match self.value(a) {
            Some(Value::Real(x)) => {
                let whole = x.floor().to_integer();
                self.int(whole)
            }
            _ => self.intern(Node::Floor(a), Sort::Int),
        }
    }

    /// A whole number as a rational one.
    pub fn to_real(&mut self, a: Term) -> Term {
        let sum = Sum { sort: Sort::Real, ..self.as_sum(a) };
        self.make_sum(sum)
    }

    /// `a <= b` of numbers
    pub fn at_most(&mut self, a: Term, b: Term) -> Term {
        let difference = self.subtract(a, b);
        self.at_most_zero(difference)
    }

    /// `a < b` of numbers
    pub fn less(&mut self, a: Term, b: Term) -> Term {
        let difference = self.subtract(a, b);
        self.below_zero(difference)
    }

    pub(super) fn at_most_zero(&mut self, difference: Term) -> Term {
        if let Some(n) = self.number(difference) {
            return self.bool(!n.is_positive());
        }
        if let Some(choice) = self.lone_choice(difference) {
            return self.compared_choice(difference, choice, Comparison::AtMost);
        }
        let mut sum = self.as_sum(difference);
        let scale = scale(&sum);
        sum.parts.iter_mut().for_each(|(_, factor)| *factor = &*factor / &scale);
        sum.constant = &sum.constant / &scale;
        if sum.sort == Sort::Int {
            sum.constant = sum.constant.ceil();
        }
        let sum = self.make_sum(sum);
        self.intern(Node::AtMostZero(sum), Sort::Bool)
    }

    pub(super) fn below_zero(&mut self, difference: Term) -> Term {
        if let Some(n) = self.number(difference) {
            return self.bool(n.is_negative());
        }
        if self.sort(difference) == Sort::Int {
            let one = self.int(1);
            let shifted = self.add(difference, one);
            return self.at_most_zero(shifted);
        }
        if let Some(choice) = self.lone_choice(difference) {
            return self.compared_choice(difference, choice, Comparison::Below);
        }
        let mut sum = self.as_sum(difference);
        let scale = scale(&sum);
        sum.parts.iter_mut().for_each(|(_, factor)| *factor = &*factor / &scale);
        sum.constant = &sum.constant / &scale;
        let sum = self.make_sum(sum);
        self.intern(Node::BelowZero(sum), Sort::Bool)
    }

    fn is_zero(&mut self, difference: Term) -> Term {
        if let Some(n) = self.number(difference) {
            return self.bool(n.is_zero());
        }
        if let Some(choice) = self.lone_choice(difference) {
            return self.compared_choice(difference, choice, Comparison::Equal);
        }
        let mut sum = self.as_sum(difference);
        let mut scale = scale(&sum);
        if sum.parts[0].1.is_negative() {
            scale = -scale;
        }
        sum.parts.iter_mut().for_each(|(_, factor)| *factor = &*factor / &scale);
        sum.constant = &sum.constant / &scale;
        if sum.sort == Sort::Int && !sum.constant.is_integer() {
            return self.bool(false);
        }
        let sum = self.make_sum(sum);
        self.intern(Node::IsZero(sum), Sort::Bool)
    }

    /// A choice between sums compared with zero.
    fn compared_choice(&mut self, sum: Term, (c, a, b): (Term, Term, Term), how: Comparison) -> Term {
        let key = (sum, how);
        if let Some(known) = self.compared.get(&key) {
            return *known;
        }
        let (a, b) = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            let mut compare = |sum: Term| match how {
                Comparison::AtMost => self.at_most_zero(sum),
                Comparison::Below => self.below_zero(sum),
                Comparison::Equal => self.is_zero(sum),
            };
            (compare(a), compare(b))
        });
        let result = self.choose(c, a, b);
        if self.is_large(sum) {
            self.compared.insert(key, result);
        }
        result
    }

    /// A sum whose only open part is a choice: the condition, and the sum in both cases.
    fn lone_choice(&mut self, sum: Term) -> Option<(Term, Term, Term)> {
        let Sum { sort, parts, constant } = self.as_sum(sum);
        let [(part, factor)] = parts.as_slice() else { return None };
        let Node::If(c, a, b) = *self.node(*part) else { return None };
        let base = self.make_sum(Sum { sort, parts: vec![], constant });
        Some((c, self.add_scaled(base, a, factor), self.add_scaled(base, b, factor)))
    }

    // ---- truth

    /// `!a`
    pub fn not(&mut self, a: Term) -> Term {
        if let Some(known) = self.contraries.get(&a) {
            return *known;
        }
        let contrary = match self.node(a).clone() {
            Node::Const(Value::Bool(truth)) => return self.bool(!truth),
            Node::Not(inner) => return inner,
            Node::AtMostZero(sum) => {
                let negative = self.negate(sum);
                return self.below_zero(negative);
            }
            Node::BelowZero(sum) => {
                let negative = self.negate(sum);
                return self.at_most_zero(negative);
            }
            Node::And(parts) => {
                let parts = parts.into_iter().map(|part| self.not(part)).collect();
                self.any(parts)
            }
            Node::Or(parts) => {
                let parts = parts.into_iter().map(|part| self.not(part)).collect();
                self.all(parts)
            }
            Node::If(c, a, b) => {
                let (a, b) = (self.not(a), self.not(b));
                self.choose(c, a, b)
            }
            _ => return self.intern(Node::Not(a), Sort::Bool),
        };
        self.contraries.insert(a, contrary);
        contrary
    }

    /// Whether all hold.
    pub fn all(&mut self, parts: Vec<Term>) -> Term {
        self.junction(parts, true)
    }

    /// Whether one holds.
    pub fn any(&mut self, parts: Vec<Term>) -> Term {
        self.junction(parts, false)
    }

    /// `a && b`
    pub fn and(&mut self, a: Term, b: Term) -> Term {
        self.all(vec![a, b])
    }

    /// `a || b`
    pub fn or(&mut self, a: Term, b: Term) -> Term {
        self.any(vec![a, b])
    }

    fn junction(&mut self, parts: Vec<Term>, all: bool) -> Term {
        let mut flat: Vec<Term> = vec![];
        for part in parts {
            match self.node(part) {
                Node::Const(Value::Bool(truth)) if *truth == all => {}
                Node::Const(_) => return self.bool(!all),
                Node::And(inner) if all => flat.extend(inner),
                Node::Or(inner) if !all => flat.extend(inner),
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        if self.has_complements(&flat) {
            return self.bool(!all);
        }
        self.drop_implied(&mut flat, all);
        match flat.as_slice() {
            [] => self.bool(all),
            [only] => *only,
            _ if all => self.intern(Node::And(flat), Sort::Bool),
            _ => self.intern(Node::Or(flat), Sort::Bool),
        }
    }

    /// Whether a term stands beside its negation.
    fn has_complements(&self, parts: &[Term]) -> bool {
        parts.iter().any(|part| matches!(self.node(*part), Node::Not(inner) if parts.binary_search(inner).is_ok()))
    }

    /// Where one part says what a term is equal to, other equations of that term with other values say nothing new: in
    /// a conjunction `x == 1` makes `x != 0` needless, in a disjunction `x != 1` makes `x == 0` needless.
    fn drop_implied(&mut self, parts: &mut Vec<Term>, all: bool) {
        let fixed: Vec<(Term, Value)> = parts
            .iter()
            .filter_map(|part| {
                let equation = match (all, self.node(*part)) {
                    (true, _) => *part,
                    (false, Node::Not(inner)) => *inner,
                    _ => return None,
                };
                self.equation(equation)
            })
            .collect();
        if fixed.is_empty() {
            return;
        }
        let needless: Vec<Term> = (parts.iter().copied())
            .filter(|part| {
                let equation = match (all, self.node(*part)) {
                    (true, Node::Not(inner)) => *inner,
                    (false, _) => *part,
                    _ => return false,
                };
                (self.equation(equation))
                    .is_some_and(|(term, value)| fixed.iter().any(|(t, v)| *t == term && *v != value))
            })
            .collect();
        parts.retain(|part| !needless.contains(part));
    }

    /// A term and the value it is said to be equal to.
    fn equation(&self, part: Term) -> Option<(Term, Value)> {
        match self.node(part) {
            Node::Same(a, b) => {
                let value = self.value(*a).map(|value| (*b, value.clone()));
                value.or_else(|| self.value(*b).map(|value| (*a, value.clone())))
            }
            Node::IsZero(sum) => match self.node(*sum) {
                Node::Sum(Sum { parts, constant, .. }) => match parts.as_slice() {
                    [(term, factor)] => Some((*term, Value::real((-constant / factor).to_big()))),
                    _ => None,
                },
                _ => Some((*sum, Value::real(BigRational::zero()))),
            },
            _ => None,
        }
    }

    /// `if c then a else b`
    pub fn choose(&mut self, c: Term, a: Term, b: Term) -> Term {
        if a == b || self.is(c, true) {
            return a;
        }
        if self.is(c, false) {
            return b;
        }
        if let Node::Not(inner) = *self.node(c) {
            return self.choose(inner, b, a);
        }
        if self.sort(a) == Sort::Bool && self.sort(b) == Sort::Bool {
            // (c && a) || (!c && b), and what it becomes where one side is decided.
            let not_c = self.not(c);
            return match (self.value(a), self.value(b)) {
                (Some(Value::Bool(true)), _) => self.or(c, b),
                (Some(Value::Bool(false)), _) => self.and(not_c, b),
                (_, Some(Value::Bool(true))) => self.or(not_c, a),
                (_, Some(Value::Bool(false))) => self.and(c, a),
                _ => {
                    let (left, right) = (self.and(c, a), self.and(not_c, b));
                    self.or(left, right)
                }
            };
        }
        // Branches under the same condition see it decided.
        let a = match *self.node(a) {
            Node::If(inner, x, _) if inner == c => x,
            _ => a,
        };
        let b = match *self.node(b) {
            Node::If(inner, _, y) if inner == c => y,
            _ => b,
        };
        if a == b {
            return a;
        }
        let sort = match (self.sort(a), self.sort(b)) {
            (x, y) if x == y => x,
            _ => Sort::Structure,
        };
        self.intern(Node::If(c, a, b), sort)
    }

    /// Applies a function below all choices of a term: once to each leaf, whatever leads to it.
    pub fn below_choices(&mut self, term: Term, f: &mut dyn FnMut(&mut Terms, Term) -> Term) -> Term {
        let result = self.projected(term, &mut |terms, leaf| Some(f(terms, leaf)));
        result.expect("every leaf has a result, so that their choice has one")
    }

    /// As [`Self::below_choices`], where some leaves have nothing: these take on what the others have. None if no leaf has
    /// anything.
    pub fn projected(&mut self, term: Term, f: &mut dyn FnMut(&mut Terms, Term) -> Option<Term>) -> Option<Term> {
        self.projected_with(term, f, &mut FxHashMap::default())
    }

    fn projected_with(
        &mut self,
        term: Term,
        f: &mut dyn FnMut(&mut Terms, Term) -> Option<Term>,
        done: &mut FxHashMap<Term, Option<Term>>,
    ) -> Option<Term> {
        let is_large = self.is_large(term);
        if is_large && let Some(known) = done.get(&term) {
            return *known;
        }
        let result = match *self.node(term) {
            Node::If(c, a, b) => stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
                match (self.projected_with(a, f, done), self.projected_with(b, f, done)) {
                    (Some(a), Some(b)) => Some(self.choose(c, a, b)),
                    (a, b) => a.or(b),
                }
            }),
            _ => f(self, term),
        };
        if is_large {
            done.insert(term, result);
        }
        result
    }

    /// `a == b`
    pub fn equal(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.bool(true);
        }
        if self.size(a).saturating_add(self.size(b)) < LARGE {
            return self.compared_by_parts(a, b);
        }
        if let Some(known) = self.equations.get(&(a, b)) {
            return *known;
        }
        let result = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.compared_by_parts(a, b));
        self.equations.insert((a, b), result);
        result
    }

    fn compared_by_parts(&mut self, a: Term, b: Term) -> Term {
        match (self.node(a).clone(), self.node(b).clone()) {
            (Node::Const(x), Node::Const(y)) => self.bool(x == y),
            (Node::Const(Value::Absent), other) | (other, Node::Const(Value::Absent))
                if !matches!(other, Node::If(..)) =>
            {
                self.bool(false)
            }
            _ if self.is_number(a) && self.is_number(b) => {
                let difference = self.subtract(a, b);
                self.is_zero(difference)
            }
            (Node::If(c, x, y), _) => {
                let (x, y) = (self.equal(x, b), self.equal(y, b));
                self.choose(c, x, y)
            }
            (_, Node::If(c, x, y)) => {
                let (x, y) = (self.equal(a, x), self.equal(a, y));
                self.choose(c, x, y)
            }
            _ if self.sort(a) == Sort::Bool && self.sort(b) == Sort::Bool => {
                let not_b = self.not(b);
                self.choose(a, b, not_b)
            }
            _ if self.sort(a) == Sort::Structure || self.sort(b) == Sort::Structure => self.equal_structures(a, b),
            _ => self.intern(Node::Same(a.min(b), a.max(b)), Sort::Bool),
        }
    }

    fn is_number(&self, term: Term) -> bool {
        matches!(self.sort(term), Sort::Int | Sort::Real)
    }

    fn equal_structures(&mut self, a: Term, b: Term) -> Term {
        if let (Some((_, c, xs)), Some((_, d, ys))) = (self.as_data(a), self.as_data(b)) {
            return if c == d { self.equal_all(&xs, &ys) } else { self.bool(false) };
        }
        if let (Some(xs), Some(ys)) = (self.as_list(a), self.as_list(b)) {
            return if xs.len() == ys.len() { self.equal_all(&xs, &ys) } else { self.bool(false) };
        }
        if let (Some(xs), Some(ys)) = (self.as_set(a), self.as_set(b)) {
            let (left, right) = (self.subset(&xs, &ys), self.subset(&ys, &xs));
            return self.and(left, right);
        }
        if let (Some(xs), Some(ys)) = (self.as_map(a), self.as_map(b)) {
            let keys: Vec<Term> = xs.iter().chain(&ys).map(|(key, _)| *key).collect();
            let parts = keys.into_iter().map(|key| {
                let (in_a, in_b) = (self.map_contains(&xs, key), self.map_contains(&ys, key));
                let (of_a, of_b) = (self.map_value(&xs, key), self.map_value(&ys, key));
                let values = match (of_a, of_b) {
                    (Some(x), Some(y)) => self.equal(x, y),
                    _ => self.bool(true),
                };
                let same = self.equal(in_a, in_b);
                let not_in = self.not(in_a);
                let fits = self.or(not_in, values);
                self.and(same, fits)
            });
            let parts = parts.collect();
            return self.all(parts);
        }
        // A structure beside something that has no value of that structure.
        self.bool(false)
    }

    fn equal_all(&mut self, xs: &[Term], ys: &[Term]) -> Term {
        let parts = xs.iter().zip(ys).map(|(x, y)| self.equal(*x, *y)).collect();
        self.all(parts)
    }

    // ---- data

    /// A constructor.
    pub fn data(&mut self, ty: TypeId, constructor: u32, args: Vec<Term>) -> Term {
        match self.values(&args) {
            Some(values) => self.constant(Value::Data(ty, constructor, values.into())),
            None => self.intern(Node::Data(ty, constructor, args), Sort::Structure),
        }
    }

    fn values(&self, terms: &[Term]) -> Option<Vec<Value>> {
        terms.iter().map(|term| self.value(*term).cloned()).collect()
    }

    /// Constructor and arguments of a term that has one known constructor.
    pub fn as_data(&mut self, term: Term) -> Option<(TypeId, u32, Vec<Term>)> {
        match self.node(term).clone() {
            Node::Data(ty, constructor, args) => Some((ty, constructor, args)),
            Node::Const(Value::Data(ty, constructor, args)) => {
                let args = args.iter().map(|arg| self.constant(arg.clone())).collect();
                Some((ty, constructor, args))
            }
            _ => None,
        }
    }

    // ---- collections

    /// A list.
    pub fn list(&mut self, elements: Vec<Term>) -> Term {
        match self.values(&elements) {
            Some(values) => self.constant(Value::List(Arc::new(values))),
            None => self.intern(Node::List(elements), Sort::Structure),
        }
    }

    /// The elements of a list of known length.
    pub fn as_list(&mut self, term: Term) -> Option<Vec<Term>> {
        match self.node(term).clone() {
            Node::List(elements) => Some(elements),
            Node::Const(Value::List(list)) => Some(list.iter().map(|v| self.constant(v.clone())).collect()),
            _ => None,
        }
    }

    /// A set.
    pub fn set(&mut self, mut members: Vec<Term>) -> Term {
        members.sort_unstable();
        members.dedup();
        match self.values(&members) {
            Some(values) => self.constant(Value::Set(Arc::new(values.into_iter().collect()))),
            None => self.intern(Node::Set(members), Sort::Structure),
        }
    }

    /// Members of a set; some may be equal.
    pub fn as_set(&mut self, term: Term) -> Option<Vec<Term>> {
        match self.node(term).clone() {
            Node::Set(members) => Some(members),
            Node::Const(Value::Set(set)) => Some(set.iter().map(|v| self.constant(v.clone())).collect()),
            _ => None,
        }
    }

    /// Whether all of the first are among the second.
    pub fn subset(&mut self, xs: &[Term], ys: &[Term]) -> Term {
        let parts = xs.iter().map(|x| self.is_among(*x, ys)).collect();
        self.all(parts)
    }

    /// Whether a term is equal to one of some.
    pub fn is_among(&mut self, x: Term, ys: &[Term]) -> Term {
        let parts = ys.iter().map(|y| self.equal(x, *y)).collect();
        self.any(parts)
    }

    /// How many different terms there are.
    pub fn count_distinct(&mut self, members: &[Term]) -> Term {
        let (zero, one) = (self.int(0), self.int(1));
        let mut count = zero;
        for (i, member) in members.iter().enumerate() {
            let seen = self.is_among(*member, &members[..i]);
            let counts = self.choose(seen, zero, one);
            count = self.add(count, counts);
        }
        count
    }

    /// A map from the writes that make it.
    pub fn map(&mut self, writes: Vec<(Term, Option<Term>)>) -> Term {
        let mut kept: Vec<(Term, Option<Term>)> = vec![];
        for (key, value) in writes {
            // The same key written again: the earlier write is seen by nobody.
            kept.retain(|(other, _)| *other != key);
            kept.push((key, value));
        }
        // A removal is needed only where an earlier key may be equal to the removed one.
        let mut needed: Vec<(Term, Option<Term>)> = vec![];
        for (key, value) in kept {
            let may_hit = value.is_some() || {
                let earlier: Vec<Term> = needed.iter().map(|(other, _)| *other).collect();
                let hit = self.is_among(key, &earlier);
                !self.is(hit, false)
            };
            if may_hit {
                needed.push((key, value));
            }
        }
        let known: Option<Vec<(Value, Option<Value>)>> = (needed.iter())
            .map(|(key, value)| {
                let value = match value {
                    Some(value) => Some(self.value(*value)?.clone()),
                    None => None,
                };
                Some((self.value(*key)?.clone(), value))
            })
            .collect();
        match known {
            Some(writes) => {
                let mut map = std::collections::BTreeMap::new();
                for (key, value) in writes {
                    match value {
                        Some(value) => map.insert(key, value),
                        None => map.remove(&key),
                    };
                }
                self.constant(Value::Map(Arc::new(map)))
            }
            None => {
                // Keys that are values are different keys: their order says nothing.
                if needed.iter().all(|(key, _)| self.value(*key).is_some()) {
                    needed.sort_unstable();
                }
                self.intern(Node::Map(needed), Sort::Structure)
            }
        }
    }

    /// The writes that make a map.
    pub fn as_map(&mut self, term: Term) -> Option<Vec<(Term, Option<Term>)>> {
        match self.node(term).clone() {
            Node::Map(writes) => Some(writes),
            Node::Const(Value::Map(map)) => {
                Some(map.iter().map(|(k, v)| (self.constant(k.clone()), Some(self.constant(v.clone())))).collect())
            }
            _ => None,
        }
    }

    /// Whether a key is in the map.
    pub fn map_contains(&mut self, writes: &[(Term, Option<Term>)], key: Term) -> Term {
        let mut result = self.bool(false);
        for (other, value) in writes {
            let hit = self.equal(key, *other);
            let there = self.bool(value.is_some());
            result = self.choose(hit, there, result);
        }
        result
    }

    /// The value at a key that is in the map; none if no key could be equal to it.
    pub fn map_value(&mut self, writes: &[(Term, Option<Term>)], key: Term) -> Option<Term> {
        let mut result = None;
        for (other, value) in writes {
            let Some(value) = value else { continue };
            let hit = self.equal(key, *other);
            result = match result {
                _ if self.is(hit, false) => result,
                None => Some(*value),
                Some(before) => Some(self.choose(hit, *value, before)),
            };
        }
        result
    }

    // ---- texts

    /// Texts one after the other.
    pub fn join(&mut self, parts: Vec<Term>) -> Term {
        let mut flat: Vec<Term> = vec![];
        for part in parts {
            let inner = match self.node(part) {
                Node::Joined(inner) => inner.clone(),
                _ => vec![part],
            };
            for part in inner {
                let both = match (flat.last().and_then(|last| self.value(*last)), self.value(part)) {
                    (Some(Value::Text(a)), Some(Value::Text(b))) => Some(Value::text(&format!("{a}{b}"))),
                    _ => None,
                };
                match both {
                    Some(text) => {
                        flat.pop();
                        flat.push(self.constant(text));
                    }
                    None => flat.push(part),
                }
            }
        }
        flat.retain(|part| self.value(*part) != Some(&Value::text("")));
        match flat.as_slice() {
            [] => self.constant(Value::text("")),
            [only] => *only,
            _ => self.intern(Node::Joined(flat), Sort::Text),
        }
    }

    /// Characters of a text.
    pub fn text_size(&mut self, text: Term) -> Term {
        match self.node(text).clone() {
            Node::Const(Value::Text(text)) => self.int(text.chars().count()),
            Node::Joined(parts) => {
                let mut size = self.int(0);
                for part in parts {
                    let more = self.text_size(part);
                    size = self.add(size, more);
                }
                size
            }
            _ => self.intern(Node::TextSize(text), Sort::Int),
        }
    }

    /// Whether a text matches.
    pub fn matches(&mut self, text: Term, pattern: &TextPattern) -> Term {
        match self.value(text) {
            Some(Value::Text(text)) => {
                let matches = pattern.matches(text);
                self.bool(matches)
            }
            _ => self.intern(Node::Matches(text, pattern.clone()), Sort::Bool),
        }
    }

    // ---- walking

    /// A sum with one part that is a symbol: the symbol, its factor, and what is added.
    pub fn lone_symbol(&self, sum: Term) -> Option<(Symbol, Rational, Rational)> {
        match self.node(sum) {
            Node::Symbol(symbol) => Some((*symbol, Rational::ONE, Rational::ZERO)),
            Node::Sum(Sum { parts, constant, sort }) => match parts.as_slice() {
                [(part, factor)] => match self.node(*part) {
                    Node::Symbol(symbol) if symbol.sort == *sort => Some((*symbol, factor.clone(), constant.clone())),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    /// The terms directly inside a term.
    pub fn parts(&self, term: Term) -> Vec<Term> {
        tick();
        self.node(term).parts()
    }

    /// The term with symbols replaced.
    pub fn substitute(&mut self, term: Term, replace: &dyn Fn(Symbol) -> Option<Term>) -> Term {
        self.substituted(term, replace, &mut FxHashMap::default())
    }

    /// The value of a term for values of its symbols; none if some are missing.
    pub fn value_under(&mut self, term: Term, values: &[Value]) -> Option<Value> {
        let mut symbols = vec![];
        self.each_symbol(term, &mut |symbol| symbols.push(symbol));
        let mut known = FxHashMap::default();
        for symbol in symbols {
            let value = values.get(symbol.number as usize)?.clone();
            known.insert(symbol, self.constant(value));
        }
        let result = self.substitute(term, &|symbol| known.get(&symbol).copied());
        self.value(result).cloned()
    }

    /// As [`Self::substitute`], with results kept between calls that replace the same.
    pub fn substituted(
        &mut self,
        term: Term,
        replace: &dyn Fn(Symbol) -> Option<Term>,
        done: &mut FxHashMap<Term, Term>,
    ) -> Term {
        match self.node(term) {
            Node::Const(_) => return term,
            Node::Symbol(symbol) => return replace(*symbol).unwrap_or(term),
            _ => {}
        }
        if let Some(result) = done.get(&term) {
            return *result;
        }
        let result = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.rebuilt(term, replace, done));
        done.insert(term, result);
        result
    }

    fn rebuilt(
        &mut self,
        term: Term,
        replace: &dyn Fn(Symbol) -> Option<Term>,
        done: &mut FxHashMap<Term, Term>,
    ) -> Term {
        let node = self.node(term).clone();
        let mut sub = |terms: &mut Terms, part: Term| terms.substituted(part, replace, done);
        match node {
            Node::Const(_) | Node::Symbol(_) | Node::Bound(_) => term,
            Node::Exists(bound, body) => {
                let body = sub(self, body);
                self.without(&bound, body)
            }
            Node::Sum(sum) => {
                // The sort of the beginning is the sort of the whole.
                let mut result = self.make_sum(Sum { sort: sum.sort, parts: vec![], constant: sum.constant });
                for (part, factor) in sum.parts {
                    let part = sub(self, part);
                    result = self.add_scaled(result, part, &factor);
                }
                result
            }
            Node::Product(a, b) => {
                let (a, b) = (sub(self, a), sub(self, b));
                self.multiply(a, b)
            }
            Node::Quotient(a, b) => {
                let (a, b) = (sub(self, a), sub(self, b));
                self.divide(a, b)
            }
            Node::Remainder(a, b) => {
                let (a, b) = (sub(self, a), sub(self, b));
                self.modulo(a, b)
            }
            Node::Floor(a) => {
                let a = sub(self, a);
                self.floor(a)
            }
            Node::AtMostZero(a) => {
                let a = sub(self, a);
                self.at_most_zero(a)
            }
            Node::BelowZero(a) => {
                let a = sub(self, a);
                self.below_zero(a)
            }
            Node::IsZero(a) => {
                let a = sub(self, a);
                self.is_zero(a)
            }
            Node::Same(a, b) => {
                let (a, b) = (sub(self, a), sub(self, b));
                self.equal(a, b)
            }
            Node::Not(a) => {
                let a = sub(self, a);
                self.not(a)
            }
            Node::And(parts) => {
                let parts = parts.into_iter().map(|part| sub(self, part)).collect();
                self.all(parts)
            }
            Node::Or(parts) => {
                let parts = parts.into_iter().map(|part| sub(self, part)).collect();
                self.any(parts)
            }
            Node::If(c, a, b) => {
                let c = sub(self, c);
                // Only the branch that is taken is looked at.
                match self.value(c) {
                    Some(Value::Bool(true)) => sub(self, a),
                    Some(_) => sub(self, b),
                    None => {
                        let (a, b) = (sub(self, a), sub(self, b));
                        self.choose(c, a, b)
                    }
                }
            }
            Node::Data(ty, constructor, args) => {
                let args = args.into_iter().map(|arg| sub(self, arg)).collect();
                self.data(ty, constructor, args)
            }
            Node::List(elements) => {
                let elements = elements.into_iter().map(|e| sub(self, e)).collect();
                self.list(elements)
            }
            Node::Set(members) => {
                let members = members.into_iter().map(|e| sub(self, e)).collect();
                self.set(members)
            }
            Node::Map(writes) => {
                let writes = writes.into_iter().map(|(k, v)| (sub(self, k), v.map(|v| sub(self, v)))).collect();
                self.map(writes)
            }
            Node::Joined(parts) => {
                let parts = parts.into_iter().map(|part| sub(self, part)).collect();
                self.join(parts)
            }
            Node::TextSize(a) => {
                let a = sub(self, a);
                self.text_size(a)
            }
            Node::Matches(a, pattern) => {
                let a = sub(self, a);
                self.matches(a, &pattern)
            }
        }
    }
}

/// What to divide a sum by so that equal conditions look equal: its factors become whole numbers without a common divisor
/// where they are rational multiples of such.
fn scale(sum: &Sum) -> Rational {
    sum.parts.iter().fold(Rational::ZERO, |all, (_, factor)| all.common_divisor(factor))
}
