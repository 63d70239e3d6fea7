//! Terms as a person would write them, with names for their symbols.

use rustc_hash::FxHashMap;

use super::rational::Rational;
use super::show::Shown;
use super::terms::{Node, Sort, Sum, Symbol, Term, Terms};
use super::ty::Definitions;
use super::value::Value;

/// How to write terms.
#[derive(Clone, Debug)]
pub struct Written<'a> {
    /// Where the terms are.
    pub terms: &'a Terms,
    /// Types and their constructors.
    pub definitions: &'a Definitions,
    /// Names of symbols.
    pub names: FxHashMap<Symbol, String>,
}

impl Written<'_> {
    /// A value.
    pub fn value(&self, value: &Value) -> String {
        Shown { value, definitions: self.definitions }.to_string()
    }

    /// A term; a symbol without a name is `_`.
    pub fn term(&self, term: Term) -> String {
        match self.terms.node(term) {
            Node::Const(Value::Absent) => "absent".to_owned(),
            Node::Const(value) => self.value(value),
            Node::Symbol(symbol) => self.names.get(symbol).cloned().unwrap_or_else(|| "_".to_owned()),
            Node::Sum(sum) => self.sum(sum),
            Node::AtMostZero(sum) => self.comparison(*sum, "<=", ">="),
            Node::BelowZero(sum) => self.comparison(*sum, "<", ">"),
            Node::IsZero(sum) => self.comparison(*sum, "==", "=="),
            Node::Same(a, b) => format!("{} == {}", self.term(*a), self.term(*b)),
            Node::Not(inner) => match self.terms.node(*inner) {
                Node::IsZero(sum) => self.comparison(*sum, "!=", "!="),
                Node::Same(a, b) => format!("{} != {}", self.term(*a), self.term(*b)),
                _ => format!("not ({})", self.term(*inner)),
            },
            Node::And(parts) => self.joined(parts, " and "),
            Node::Or(parts) => self.joined(parts, " or "),
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
                format!("exists {}: {}", names.join(", "), self.term(*body))
            }
        }
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
        let sum = match self.terms.node(sum) {
            Node::Sum(sum) => sum.clone(),
            _ => return format!("{} {relation} 0", self.term(sum)),
        };
        let (left, right): (Vec<_>, Vec<_>) = sum.parts.iter().cloned().partition(|(_, factor)| factor.is_positive());
        let right: Vec<_> = right.into_iter().map(|(term, factor)| (term, -factor)).collect();
        let constant = -&sum.constant;
        if left.is_empty() {
            let right = Sum { sort: sum.sort, parts: right, constant: Rational::ZERO };
            return format!("{} {mirrored} {}", self.sum(&right), -constant);
        }
        let left = Sum { sort: sum.sort, parts: left, constant: Rational::ZERO };
        if sum.sort == Sort::Int && relation == "<=" && constant == -&one && !right.is_empty() {
            let right = Sum { sort: sum.sort, parts: right, constant: Rational::ZERO };
            return format!("{} < {}", self.sum(&left), self.sum(&right));
        }
        let right = Sum { sort: sum.sort, parts: right, constant };
        format!("{} {relation} {}", self.sum(&left), self.sum(&right))
    }

    fn sum(&self, sum: &Sum) -> String {
        let mut out = String::new();
        for (term, factor) in &sum.parts {
            let text = self.factor(*term);
            let part = if factor.abs().is_one() { text } else { format!("{} * {text}", factor.abs()) };
            match (out.is_empty(), factor.is_negative()) {
                (true, true) => out = format!("-{part}"),
                (true, false) => out = part,
                (false, true) => out.push_str(&format!(" - {part}")),
                (false, false) => out.push_str(&format!(" + {part}")),
            }
        }
        let constant = &sum.constant;
        match (out.is_empty(), constant.is_zero()) {
            (true, _) => constant.to_string(),
            (false, true) => out,
            (false, false) if constant.is_negative() => format!("{out} - {}", -constant),
            (false, false) => format!("{out} + {constant}"),
        }
    }
}
