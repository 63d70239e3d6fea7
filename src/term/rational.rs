//! Rational numbers that are fast while they are small and whole, which in models they almost always are.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Add, Deref, Div, Mul, Neg, Sub};

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};

/// A number with the order and the hash of its parts in lowest terms: those of `BigRational` call themselves as often as it has
/// partial quotients, which of long numbers is too often for a stack.
#[derive(Clone, Debug)]
pub struct Fraction(BigRational);

impl Fraction {
    /// The number itself.
    pub fn into_big(self) -> BigRational {
        self.0
    }
}

impl From<BigRational> for Fraction {
    fn from(x: BigRational) -> Fraction {
        Fraction(x)
    }
}

impl Deref for Fraction {
    type Target = BigRational;
    fn deref(&self) -> &BigRational {
        &self.0
    }
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Fraction) -> bool {
        self.numer() == other.numer() && self.denom() == other.denom()
    }
}

impl Eq for Fraction {}

impl Hash for Fraction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.numer(), self.denom()).hash(state);
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Fraction) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Fraction) -> Ordering {
        if self.denom() == other.denom() {
            return self.numer().cmp(other.numer());
        }
        (self.numer() * other.denom()).cmp(&(other.numer() * self.denom()))
    }
}

/// A rational number. Every number has one form: `Small` whenever it fits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rational(Form);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Form {
    Small(i64),
    Large(Box<Fraction>),
}

/// Most digits after the point of a number that is written with one.
const MAX_DIGITS: usize = 6;

impl Rational {
    /// Zero.
    pub const ZERO: Rational = Rational(Form::Small(0));
    /// One.
    pub const ONE: Rational = Rational(Form::Small(1));

    fn large(&self) -> BigRational {
        match &self.0 {
            Form::Small(n) => BigRational::from_integer((*n).into()),
            Form::Large(x) => (***x).clone(),
        }
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.0 == Form::Small(0)
    }

    /// Whether it is one.
    pub fn is_one(&self) -> bool {
        self.0 == Form::Small(1)
    }

    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Form::Small(n) => *n < 0,
            Form::Large(x) => x.is_negative(),
        }
    }

    /// Whether it is above zero.
    pub fn is_positive(&self) -> bool {
        !self.is_negative() && !self.is_zero()
    }

    /// Whether it is a whole number.
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Form::Small(_) => true,
            Form::Large(x) => x.is_integer(),
        }
    }

    /// The number without its sign.
    pub fn abs(&self) -> Rational {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// The greatest whole number that is not above.
    pub fn floor(&self) -> Rational {
        match &self.0 {
            Form::Small(_) => self.clone(),
            Form::Large(x) => x.floor().into(),
        }
    }

    /// The least whole number that is not below.
    pub fn ceil(&self) -> Rational {
        match &self.0 {
            Form::Small(_) => self.clone(),
            Form::Large(x) => x.ceil().into(),
        }
    }

    /// The whole part.
    pub fn to_integer(&self) -> BigInt {
        match &self.0 {
            Form::Small(n) => (*n).into(),
            Form::Large(x) => x.to_integer(),
        }
    }

    /// As a number of the standard kind.
    pub fn to_big(&self) -> BigRational {
        self.large()
    }

    /// With a decimal point where that is short, as a fraction otherwise: `3`, `0.25`, `1/3`.
    pub fn decimal(&self) -> String {
        let mut scaled = self.abs();
        for digits in 0..=MAX_DIGITS {
            if scaled.is_integer() {
                let text = format!("{:0>width$}", scaled.to_integer().to_string(), width = digits + 1);
                let (whole, part) = text.split_at(text.len() - digits);
                let sign = if self.is_negative() { "-" } else { "" };
                return if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") };
            }
            scaled = scaled * Rational::from(10);
        }
        self.to_string()
    }

    /// The greatest number of which both are whole multiples.
    pub fn common_divisor(&self, other: &Rational) -> Rational {
        match (&self.0, &other.0) {
            (Form::Small(a), Form::Small(b)) if *a != i64::MIN && *b != i64::MIN => Rational(Form::Small(a.gcd(b))),
            _ => {
                let (a, b) = (self.large(), other.large());
                BigRational::new(a.numer().gcd(b.numer()), a.denom().lcm(b.denom())).into()
            }
        }
    }
}

impl From<BigRational> for Rational {
    fn from(x: BigRational) -> Rational {
        match x.numer().to_i64() {
            Some(n) if x.is_integer() => Rational(Form::Small(n)),
            _ => Rational(Form::Large(Box::new(x.into()))),
        }
    }
}

impl From<Fraction> for Rational {
    fn from(x: Fraction) -> Rational {
        x.0.into()
    }
}

impl From<BigInt> for Rational {
    fn from(n: BigInt) -> Rational {
        match n.to_i64() {
            Some(n) => Rational(Form::Small(n)),
            None => Rational(Form::Large(Box::new(BigRational::from_integer(n).into()))),
        }
    }
}

impl From<i64> for Rational {
    fn from(n: i64) -> Rational {
        Rational(Form::Small(n))
    }
}

macro_rules! operation {
    ($trait:ident, $method:ident, $checked:ident) => {
        impl $trait<&Rational> for &Rational {
            type Output = Rational;
            fn $method(self, other: &Rational) -> Rational {
                if let (Form::Small(a), Form::Small(b)) = (&self.0, &other.0)
                    && let Some(n) = a.$checked(*b)
                {
                    return Rational(Form::Small(n));
                }
                $trait::$method(self.large(), other.large()).into()
            }
        }
        impl $trait<Rational> for Rational {
            type Output = Rational;
            fn $method(self, other: Rational) -> Rational {
                $trait::$method(&self, &other)
            }
        }
        impl $trait<&Rational> for Rational {
            type Output = Rational;
            fn $method(self, other: &Rational) -> Rational {
                $trait::$method(&self, other)
            }
        }
        impl $trait<Rational> for &Rational {
            type Output = Rational;
            fn $method(self, other: Rational) -> Rational {
                $trait::$method(self, &other)
            }
        }
    };
}

operation!(Add, add, checked_add);
operation!(Sub, sub, checked_sub);
operation!(Mul, mul, checked_mul);
operation!(Div, div, divided_evenly);

/// Division of small numbers where nothing is left over.
trait DividedEvenly: Sized {
    fn divided_evenly(self, other: Self) -> Option<Self>;
}

impl DividedEvenly for i64 {
    fn divided_evenly(self, other: i64) -> Option<i64> {
        (other != 0 && self.checked_rem(other) == Some(0)).then(|| self / other)
    }
}

impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        &Rational::ZERO - self
    }
}

impl Neg for Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        -&self
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Rational) -> Ordering {
        match (&self.0, &other.0) {
            (Form::Small(a), Form::Small(b)) => a.cmp(b),
            _ => Fraction(self.large()).cmp(&Fraction(other.large())),
        }
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Small(n) => n.fmt(f),
            Form::Large(x) => x.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::hash::DefaultHasher;

    use super::*;

    /// Neighbours among the Fibonacci numbers have the most partial quotients of all fractions of their length.
    #[test]
    fn fractions_with_many_partial_quotients_are_compared_and_hashed() {
        let (mut a, mut b) = (BigInt::from(0), BigInt::from(1));
        for _ in 0..60_000 {
            let next = &a + &b;
            (a, b) = (b, next);
        }
        let below = Fraction(BigRational::new_raw(a.clone(), b.clone()));
        let above = Fraction(BigRational::new_raw(b.clone(), &a + &b));
        let hash = |x: &Fraction| {
            let mut hasher = DefaultHasher::new();
            x.hash(&mut hasher);
            hasher.finish()
        };
        assert_eq!(hash(&below), hash(&below.clone()));
        assert!(below == below.clone() && below != above);
        // They lie on both sides of their limit.
        assert_ne!(below.cmp(&above), Ordering::Equal);
        assert_eq!(below.cmp(&above), above.cmp(&below).reverse());
    }
}
