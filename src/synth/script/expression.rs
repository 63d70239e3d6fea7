//! The small language in which scripts speak of observed data. Whoever executes a script evaluates it over concrete values.

use crate::term::{TypeId, Value};

/// A value that was observed, or a field of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Seen {
    /// Number of the act, from zero.
    pub act: usize,
    /// The parameter or output.
    pub name: String,
    /// Fields of records, from the outside in.
    pub path: Vec<String>,
}

/// Ways to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Comparison {
    Equal,
    Different,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// An expression over observed data.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A value.
    Value(Value),
    /// Something that was observed.
    Seen(Seen),
    /// A sum of at least two numbers.
    Sum(Vec<Expression>),
    /// A product.
    Product(Box<Expression>, Box<Expression>),
    /// A comparison; of values that are no numbers, only whether they are equal.
    Compare(Comparison, Box<Expression>, Box<Expression>),
    /// Negation.
    Not(Box<Expression>),
    /// Conjunction of at least two.
    And(Vec<Expression>),
    /// Disjunction of at least two.
    Or(Vec<Expression>),
    /// A constructor with arguments.
    Made(TypeId, u32, Vec<Expression>),
    /// A list.
    List(Vec<Expression>),
}

impl Expression {
    /// What always holds.
    pub const TRUE: Expression = Expression::Value(Value::Bool(true));
    /// What never holds.
    pub const FALSE: Expression = Expression::Value(Value::Bool(false));

    /// Whether it is one of these two.
    pub fn is(&self, truth: bool) -> bool {
        matches!(self, Expression::Value(Value::Bool(value)) if *value == truth)
    }

    /// Whether two conditions have the same parts.
    pub fn is_same(&self, other: &Expression) -> bool {
        match (self, other) {
            (Expression::And(a), Expression::And(b)) => a.len() == b.len() && a.iter().all(|part| b.contains(part)),
            _ => self == other,
        }
    }

    /// That two values are equal.
    pub fn equal(a: Expression, b: Expression) -> Expression {
        Expression::Compare(Comparison::Equal, Box::new(a), Box::new(b))
    }

    /// That all of some conditions hold.
    pub fn all(parts: impl IntoIterator<Item = Expression>) -> Expression {
        let mut out: Vec<Expression> = vec![];
        for part in parts {
            match part {
                Expression::And(parts) => out.extend(parts),
                part if part.is(true) || out.contains(&part) => {}
                part => out.push(part),
            }
        }
        match out.len() {
            0 => Expression::TRUE,
            1 => out.remove(0),
            _ if out.iter().any(|part| part.is(false)) => Expression::FALSE,
            _ => Expression::And(out),
        }
    }

    /// That some condition holds.
    pub fn any(parts: impl IntoIterator<Item = Expression>) -> Expression {
        let mut out: Vec<Expression> = vec![];
        for part in parts {
            match part {
                Expression::Or(parts) => out.extend(parts),
                part if part.is(false) || out.contains(&part) => {}
                part => out.push(part),
            }
        }
        // What asks for more than another part adds nothing.
        let mut number = 0;
        while number < out.len() {
            let one = out.remove(number);
            if !out.iter().any(|other| other.is_part_of(&one)) {
                out.insert(number, one);
                number += 1;
            }
        }
        match out.len() {
            0 => Expression::FALSE,
            1 => out.remove(0),
            _ if out.iter().any(|part| part.is(true)) => Expression::TRUE,
            _ => Expression::Or(out),
        }
    }

    /// Whether it asks for some of what another condition asks for.
    fn is_part_of(&self, other: &Expression) -> bool {
        fn parts(of: &Expression) -> &[Expression] {
            match of {
                Expression::And(parts) => parts,
                one => std::slice::from_ref(one),
            }
        }
        parts(self).iter().all(|part| parts(other).contains(part))
    }

    /// All that it speaks of.
    pub fn each_seen<'e>(&'e self, f: &mut dyn FnMut(&'e Seen)) {
        match self {
            Expression::Value(_) => {}
            Expression::Seen(seen) => f(seen),
            Expression::Product(a, b) | Expression::Compare(_, a, b) => {
                a.each_seen(f);
                b.each_seen(f);
            }
            Expression::Not(a) => a.each_seen(f),
            Expression::Sum(parts)
            | Expression::And(parts)
            | Expression::Or(parts)
            | Expression::Made(_, _, parts)
            | Expression::List(parts) => parts.iter().for_each(|part| part.each_seen(f)),
        }
    }
}
