//! Terms in the small language of scripts, where it can say them.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Zero};
use rustc_hash::FxHashMap;

use super::{Comparison, Expression, Seen};
use crate::term::{Definitions, Node, Rational, Sort, Sum, Symbol, Term, Terms, Value};

/// Parts of an expression: a longer one is not said.
const MAX_PARTS: usize = 400;

/// What can be said.
pub(super) struct Saying<'a> {
    pub terms: &'a Terms,
    /// Symbols that were observed.
    pub seen: &'a FxHashMap<Symbol, Seen>,
    /// Parts that may still be said.
    pub left: usize,
}

impl<'a> Saying<'a> {
    pub fn new(terms: &'a Terms, seen: &'a FxHashMap<Symbol, Seen>) -> Saying<'a> {
        Saying { terms, seen, left: MAX_PARTS }
    }

    /// A term; none if it cannot be said.
    pub fn term(&mut self, term: Term) -> Option<Expression> {
        self.left = self.left.checked_sub(1)?;
        match self.terms.node(term) {
            Node::Const(value) => Some(Expression::Value(value.clone())),
            Node::Symbol(symbol) => self.seen.get(symbol).cloned().map(Expression::Seen),
            Node::Sum(sum) => self.sum(sum),
            Node::Product(a, b) => Some(Expression::Product(Box::new(self.term(*a)?), Box::new(self.term(*b)?))),
            Node::AtMostZero(sum) => self.compared(*sum, Comparison::AtMost),
            Node::BelowZero(sum) => self.compared(*sum, Comparison::Less),
            Node::IsZero(sum) => self.compared(*sum, Comparison::Equal),
            Node::Same(a, b) => {
                let (a, b) = if matches!(self.terms.node(*a), Node::Const(_)) { (*b, *a) } else { (*a, *b) };
                Some(Expression::equal(self.term(a)?, self.term(b)?))
            }
            Node::Not(part) => Some(match self.term(*part)? {
                Expression::Compare(Comparison::Equal, a, b) => Expression::Compare(Comparison::Different, a, b),
                other => Expression::Not(Box::new(other)),
            }),
            Node::And(parts) => Some(Expression::all(self.each(parts)?)),
            Node::Or(parts) => Some(Expression::any(self.each(parts)?)),
            Node::If(c, a, b) if self.terms.sort(*a) == Sort::Bool => {
                let (c, a, b) = (self.term(*c)?, self.term(*a)?, self.term(*b)?);
                let not_c = Expression::Not(Box::new(c.clone()));
                Some(Expression::any([Expression::all([c, a]), Expression::all([not_c, b])]))
            }
            Node::Data(ty, constructor, parts) => Some(Expression::Made(*ty, *constructor, self.each(parts)?)),
            Node::List(parts) => Some(Expression::List(self.each(parts)?)),
            _ => None,
        }
    }

    fn each(&mut self, parts: &[Term]) -> Option<Vec<Expression>> {
        parts.iter().map(|part| self.term(*part)).collect()
    }

    fn sum(&mut self, sum: &Sum) -> Option<Expression> {
        let mut parts = vec![];
        for (term, factor) in &sum.parts {
            let term = self.term(*term)?;
            parts.push(scaled(term, factor, sum.sort)?);
        }
        if !sum.constant.is_zero() {
            parts.push(number(&sum.constant, sum.sort)?);
        }
        Some(added(parts, sum.sort))
    }

    /// How a sum compares with zero: what is subtracted stands on the other side.
    fn compared(&mut self, sum: Term, how: Comparison) -> Option<Expression> {
        let Node::Sum(sum) = self.terms.node(sum) else {
            let zero = number(&Rational::ZERO, self.terms.sort(sum))?;
            return Some(Expression::Compare(how, Box::new(self.term(sum)?), Box::new(zero)));
        };
        // `3.0 * x == 2.0` is `x == 2.0 / 3.0`; whole numbers stay whole.
        let whole = match &sum.parts[..] {
            [(_, factor)] if sum.sort == Sort::Real => Rational::from(factor.abs().to_big().recip()),
            _ => common_denominator(sum),
        };
        let (mut left, mut right) = (vec![], vec![]);
        for (term, factor) in &sum.parts {
            let said = self.term(*term)?;
            let factor = factor * &whole;
            match factor.is_negative() {
                true => right.push(scaled(said, &factor.abs(), sum.sort)?),
                false => left.push(scaled(said, &factor, sum.sort)?),
            }
        }
        let mut constant = &sum.constant * &whole;
        let mut how = how;
        // Of whole numbers, `x + 1 <= y` is `x < y`.
        if how == Comparison::AtMost
            && sum.sort == Sort::Int
            && constant.is_one()
            && !left.is_empty()
            && !right.is_empty()
        {
            (constant, how) = (Rational::ZERO, Comparison::Less);
        }
        if left.is_empty() {
            std::mem::swap(&mut left, &mut right);
            constant = -constant;
            how = match how {
                Comparison::AtMost => Comparison::AtLeast,
                Comparison::Less => Comparison::Greater,
                other => other,
            };
        }
        if !constant.is_zero() {
            // The constant goes where it stands alone, or where it is positive.
            match right.is_empty() || constant.is_negative() {
                true => right.push(number(&-constant, sum.sort)?),
                false => left.push(number(&constant, sum.sort)?),
            }
        }
        Some(Expression::Compare(how, Box::new(added(left, sum.sort)), Box::new(added(right, sum.sort))))
    }
}

fn common_denominator(sum: &Sum) -> Rational {
    let all = sum.parts.iter().map(|(_, factor)| factor).chain([&sum.constant]);
    let common = all.fold(BigInt::one(), |common, factor| common.lcm(factor.to_big().denom()));
    common.into()
}

fn added(mut parts: Vec<Expression>, sort: Sort) -> Expression {
    match parts.len() {
        0 if sort == Sort::Int => Expression::Value(Value::Int(BigInt::ZERO)),
        0 => Expression::Value(Value::real(BigRational::zero())),
        1 => parts.remove(0),
        _ => Expression::Sum(parts),
    }
}

fn number(n: &Rational, sort: Sort) -> Option<Expression> {
    match sort {
        Sort::Int if n.is_integer() => Some(Expression::Value(Value::Int(n.to_integer()))),
        Sort::Int => None,
        _ => Some(Expression::Value(Value::real(n.to_big()))),
    }
}

fn scaled(term: Expression, factor: &Rational, sort: Sort) -> Option<Expression> {
    if factor.is_one() {
        return Some(term);
    }
    Some(Expression::Product(Box::new(number(factor, sort)?), Box::new(term)))
}

/// Finds the symbols of an observed value that are values of their own: the whole, or fields of records. Whether these are all.
pub(super) fn name_seen(
    terms: &Terms,
    definitions: &Definitions,
    term: Term,
    place: Seen,
    seen: &mut FxHashMap<Symbol, Seen>,
) -> bool {
    match terms.node(term) {
        Node::Const(_) => true,
        Node::Symbol(symbol) => {
            seen.insert(*symbol, place);
            true
        }
        Node::Data(ty, _, parts) if definitions.types.get(*ty).is_some_and(|data| data.is_record) => {
            let fields = &definitions.types[*ty].constructors[0].fields;
            let mut all = true;
            for ((name, _), part) in fields.iter().zip(parts) {
                let mut path = place.path.clone();
                path.push(name.clone());
                all &= name_seen(terms, definitions, *part, Seen { path, ..place.clone() }, seen);
            }
            all
        }
        _ => false,
    }
}
