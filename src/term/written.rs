//! Terms as a person would write them, with names for their symbols.

use rustc_hash::FxHashMap;

use super::rational::Rational;
use super::show::Shown;
use super::terms::{Node, Sort, Sum, Symbol, Term, Terms};
use super::ty::Definitions;
use super::value::Value;

/// Largest term that is written: parts that are shared are written each time.
const MAX_WRITTEN: u32 = 20_000;

/// What is written in its place.
const TOO_LONG: &str = "(a term too long to write)";

/// What a symbol is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// A value: `amt@3`.
    Value(String),
    /// Whether something is so: what, and what it is if it is not so and if it is. `people@5`, `absent`, `present`.
    Shape(String, [&'static str; 2]),
    /// Which constructor made something: what, and the names of the constructors by number.
    Constructor(String, Vec<String>),
}

impl From<String> for Named {
    fn from(name: String) -> Named {
        Named::Value(name)
    }
}

/// How to write terms.
#[derive(Clone, Debug)]
pub struct Written<'a> {
    /// Where the terms are.
    pub terms: &'a Terms,
    /// Types and their constructors.
    pub definitions: &'a Definitions,
    /// Names of symbols.
    pub names: FxHashMap<Symbol, Named>,
    /// The order in which symbols are met, where that is not the order of the terms.
    pub met: FxHashMap<Symbol, usize>,
}

/// `1`, `1 or 3`, `1, 3 or 5`
pub fn one_of(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [only] => only.clone(),
        [before @ .., last] => format!("{} or {last}", before.join(", ")),
    }
}

/// How round a whole number looks: zero most, then by its zeros at the end.
fn roundness(n: &Rational) -> usize {
    if n.is_zero() {
        return usize::MAX;
    }
    let text = n.to_integer().to_string();
    text.len() - text.trim_end_matches('0').len()
}

/// `>= 3` or `> 10`, whichever has the rounder number.
pub fn from(end: &Rational, inside: bool, is_int: bool) -> String {
    let below = end - Rational::ONE;
    match inside {
        true if is_int && roundness(&below) > roundness(end) => format!("> {}", below.decimal()),
        true => format!(">= {}", end.decimal()),
        false => format!("> {}", end.decimal()),
    }
}

/// `<= 3` or `< 10`, whichever has the rounder number.
pub fn up_to(end: &Rational, inside: bool, is_int: bool) -> String {
    let above = end + Rational::ONE;
    match inside {
        true if is_int && roundness(&above) > roundness(end) => format!("< {}", above.decimal()),
        true => format!("<= {}", end.decimal()),
        false => format!("< {}", end.decimal()),
    }
}

impl Written<'_> {
    /// A value.
    pub fn value(&self, value: &Value) -> String {
        match value {
            Value::Real(x) => Rational::from(x.clone()).decimal(),
            value => Shown { value, definitions: self.definitions }.to_string(),
        }
    }

    /// A condition on a symbol that says how something is made: that it is, or is not, so.
    fn shape(&self, condition: Term, holds: bool) -> Option<String> {
        match self.terms.node(condition) {
            Node::Not(inner) => self.shape(*inner, !holds),
            Node::Symbol(symbol) => match self.names.get(symbol)? {
                Named::Shape(what, words) => Some(format!("{what} is {}", words[usize::from(holds)])),
                _ => None,
            },
            Node::IsZero(sum) | Node::AtMostZero(sum) => {
                let (symbol, factor, constant) = self.terms.lone_symbol(*sum)?;
                let Named::Constructor(what, names) = self.names.get(&symbol)? else { return None };
                let is_equation = matches!(self.terms.node(condition), Node::IsZero(_));
                let is_so = |number: usize| {
                    let value = &(&factor * &Rational::from(number as i64)) + &constant;
                    if is_equation { value.is_zero() } else { !value.is_positive() }
                };
                let named = (0..names.len()).filter(|number| !names[*number].is_empty());
                let (those, others): (Vec<_>, Vec<_>) = named.partition(|number| is_so(*number));
                let (those, others) = if holds { (those, others) } else { (others, those) };
                let named = |numbers: Vec<usize>| {
                    one_of(&numbers.into_iter().map(|number| names[number].clone()).collect::<Vec<_>>())
                };
                match (those.len(), others.len()) {
                    (0, _) | (_, 0) => None,
                    (n, 1) if n > 1 => Some(format!("{what} is not {}", named(others))),
                    _ => Some(format!("{what} is {}", named(those))),
                }
            }
            _ => None,
        }
    }

    /// Several values of one term: `a@1 + b@1 is 1, 3 or 5`.
    fn values_of_one(&self, parts: &[Term]) -> Option<String> {
        let equation = |part: &Term| match self.terms.node(*part) {
            Node::IsZero(sum) => {
                let Node::Sum(sum) = self.terms.node(*sum) else {
                    return Some((self.term(*sum), Rational::ZERO.decimal()));
                };
                let (_, factor) = sum.parts.first()?;
                let scaled = sum.parts.iter().map(|(part, own)| (*part, own / factor)).collect();
                let left = Sum { sort: sum.sort, parts: scaled, constant: Rational::ZERO };
                Some((self.sum(&left), (-&sum.constant / factor).decimal()))
            }
            Node::Same(a, b) => match (self.terms.value(*a), self.terms.value(*b)) {
                (Some(value), None) => Some((self.term(*b), self.value(value))),
                (None, Some(value)) => Some((self.term(*a), self.value(value))),
                _ => None,
            },
            _ => None,
        };
        let (lefts, values): (Vec<String>, Vec<String>) =
            parts.iter().map(equation).collect::<Option<Vec<_>>>()?.into_iter().unzip();
        let first = lefts.first()?;
        lefts.iter().all(|left| left == first).then(|| format!("{first} is {}", one_of(&values)))
    }

    /// A term; a symbol without a name is `_`.
    pub fn term(&self, term: Term) -> String {
        if self.terms.size(term) > MAX_WRITTEN {
            return TOO_LONG.to_owned();
        }
        if let Some(text) = self.shape(term, true) {
            return text;
        }
        match self.terms.node(term) {
            Node::Const(Value::Absent) => "absent".to_owned(),
            Node::Const(value) => self.value(value),
            Node::Symbol(symbol) => match self.names.get(symbol) {
                Some(Named::Value(name)) => name.clone(),
                Some(Named::Shape(what, _) | Named::Constructor(what, _)) => format!("the kind of {what}"),
                None => "_".to_owned(),
            },
            Node::Sum(sum) => self.sum(sum),
            Node::AtMostZero(sum) => self.comparison(*sum, "<=", ">="),
            Node::BelowZero(sum) => self.comparison(*sum, "<", ">"),
            Node::IsZero(sum) => self.comparison(*sum, "==", "=="),
            Node::Same(a, b) => self.same(*a, *b, "=="),
            Node::Not(inner) => match self.terms.node(*inner) {
                Node::IsZero(sum) => self.comparison(*sum, "!=", "!="),
                Node::Same(a, b) => self.same(*a, *b, "!="),
                Node::Symbol(_) => format!("not {}", self.term(*inner)),
                _ => format!("not ({})", self.term(*inner)),
            },
            Node::And(parts) => self.joined(parts, " and "),
            Node::Or(parts) => self.values_of_one(parts).unwrap_or_else(|| {
                // That something is not there comes before what it is otherwise.
                let mut parts = parts.clone();
                parts.sort_by_key(|part| (self.shape(*part, true).is_none(), self.first_met(*part)));
                self.joined(&parts, " or ")
            }),
            Node::If(c, a, b) => {
                format!("if {} then {} else {}", self.term(*c), self.term(*a), self.term(*b))
            }
            Node::Product(a, b) => format!("{} * {}", self.factor(*a), self.factor(*b)),
            Node::Quotient(a, b) => format!("{} / {}", self.factor(*a), self.factor(*b)),
            Node::Remainder(a, b) => format!("{} % {}", self.factor(*a), self.factor(*b)),
            Node::Floor(a) => format!("floor({})", self.term(*a)),
            Node::Joined(parts) => self.joined(parts, " ++ "),
            Node::TextSize(text) => format!("size({})", self.term(*text)),
            Node::Matches(text, pattern) => format!("{} matches \"{}\"", self.term(*text), pattern.source),
            Node::Data(ty, constructor, args) => {
                let args: Vec<String> = args.iter().map(|arg| self.term(*arg)).collect();
                format!("{}({})", self.definitions.constructor_name(*ty, *constructor), args.join(", "))
            }
            Node::List(parts) => {
                format!("[{}]", parts.iter().map(|part| self.term(*part)).collect::<Vec<_>>().join(", "))
            }
            Node::Set(parts) => {
                format!("{{{}}}", parts.iter().map(|part| self.term(*part)).collect::<Vec<_>>().join(", "))
            }
            Node::Map(_) => "a map".to_owned(),
            Node::Bound(symbol) => format!("x{}", symbol.number),
            Node::Exists(bound, body) => {
                let names: Vec<String> = bound.iter().map(|symbol| format!("x{}", symbol.number)).collect();
                format!("{} for some {}", self.term(*body), names.join(", "))
            }
        }
    }

    /// When the first symbol of a term is met; what has none comes last.
    fn first_met(&self, term: Term) -> usize {
        if self.met.is_empty() {
            return 0;
        }
        let symbols = self.terms.symbols(term);
        symbols.iter().filter_map(|symbol| self.met.get(symbol).copied()).min().unwrap_or(usize::MAX)
    }

    fn same(&self, a: Term, b: Term, relation: &str) -> String {
        let (a, b) = if self.first_met(b) < self.first_met(a) { (b, a) } else { (a, b) };
        format!("{} {relation} {}", self.term(a), self.term(b))
    }

    /// The parts of a sum in the order in which they are met.
    fn ordered(&self, sum: &Sum) -> Sum {
        let mut parts = sum.parts.clone();
        parts.sort_by_key(|(part, _)| self.first_met(*part));
        Sum { sort: sum.sort, parts, constant: sum.constant.clone() }
    }

    fn joined(&self, parts: &[Term], word: &str) -> String {
        let parts: Vec<String> = parts
            .iter()
            .map(|part| match self.terms.node(*part) {
                Node::And(_) | Node::Or(_) => format!("({})", self.term(*part)),
                _ => self.term(*part),
            })
            .collect();
        parts.join(word)
    }

    fn factor(&self, term: Term) -> String {
        match self.terms.node(term) {
            Node::Sum(_) | Node::If(..) => format!("({})", self.term(term)),
            _ => self.term(term),
        }
    }

    /// `a - b + 1 <= 0` as `a < b`, with what is positive on its side.
    fn comparison(&self, sum: Term, relation: &str, mirrored: &str) -> String {
        let one = Rational::ONE;
        let mut sum = match self.terms.node(sum) {
            Node::Sum(sum) => self.ordered(sum),
            _ => return format!("{} {relation} 0", self.term(sum)),
        };
        // What is met first stands on the left where both sides are alike.
        if relation == mirrored && sum.parts.first().is_some_and(|(_, factor)| factor.is_negative()) {
            sum.parts.iter_mut().for_each(|(_, factor)| *factor = -&*factor);
            sum.constant = -&sum.constant;
        }
        let (left, right): (Vec<_>, Vec<_>) = sum.parts.iter().cloned().partition(|(_, factor)| factor.is_positive());
        let right: Vec<_> = right.into_iter().map(|(term, factor)| (term, -factor)).collect();
        let constant = -&sum.constant;
        if left.is_empty() {
            let right = Sum { sort: sum.sort, parts: right, constant: Rational::ZERO };
            return match mirrored {
                ">=" => format!("{} {}", self.sum(&right), from(&-constant, true, sum.sort == Sort::Int)),
                _ => format!("{} {mirrored} {}", self.sum(&right), (-constant).decimal()),
            };
        }
        let left = Sum { sort: sum.sort, parts: left, constant: Rational::ZERO };
        if sum.sort == Sort::Int && relation == "<=" && constant == -&one && !right.is_empty() {
            let right = Sum { sort: sum.sort, parts: right, constant: Rational::ZERO };
            return format!("{} < {}", self.sum(&left), self.sum(&right));
        }
        if right.is_empty() && relation == "<=" {
            return format!("{} {}", self.sum(&left), up_to(&constant, true, sum.sort == Sort::Int));
        }
        let right = Sum { sort: sum.sort, parts: right, constant };
        format!("{} {relation} {}", self.sum(&left), self.sum(&right))
    }

    fn sum(&self, sum: &Sum) -> String {
        let sum = &self.ordered(sum);
        let mut out = String::new();
        for (term, factor) in &sum.parts {
            let text = self.factor(*term);
            let part = if factor.abs().is_one() { text } else { format!("{} * {text}", factor.abs().decimal()) };
            match (out.is_empty(), factor.is_negative()) {
                (true, true) => out = format!("-{part}"),
                (true, false) => out = part,
                (false, true) => out.push_str(&format!(" - {part}")),
                (false, false) => out.push_str(&format!(" + {part}")),
            }
        }
        let constant = &sum.constant;
        match (out.is_empty(), constant.is_zero()) {
            (true, _) => constant.decimal(),
            (false, true) => out,
            (false, false) if constant.is_negative() => format!("{out} - {}", (-constant).decimal()),
            (false, false) => format!("{out} + {}", constant.decimal()),
        }
    }
}
