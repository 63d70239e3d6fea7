//! Pools: values that a person gave for an input, a parameter, a variable, an event or a type, with weights.
//!
//! A pool says which data is preferred, never what is possible: those who choose among what a model can do look here, those who
//! decide what it can do do not.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::checked::Checked;
use super::declare::constant;
use super::places::Places;
use super::problem::{Problem, near};
use super::scope::{BUILTIN_TYPES, Scope};
use crate::diagnostic::{Diagnostic, Severity};
use crate::syntax::Span;
use crate::syntax::tree::{self, ExprKind, Item, PoolEntry};
use crate::term::{Bound, Definitions, Env, Expr, Failure, Fuel, Shown, Type, Value, contains};

/// Most values of one pool.
pub const MAX_POOL: usize = 10_000;
/// Greatest weight.
pub const MAX_WEIGHT: u64 = 1_000_000;

/// The pools of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pools {
    /// By the name of an input, a parameter, a variable, an event.
    names: BTreeMap<String, Pool>,
    /// By the name of a type.
    types: BTreeMap<String, Pool>,
}

/// Values that are preferred.
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// What it is for, as written.
    pub name: String,
    /// The type of its values, without bounds and refinements.
    pub shape: Type,
    /// The values in the order in which they were written, each with its weight.
    pub values: Vec<(Value, u64)>,
}

impl Pools {
    /// Whether nothing is preferred.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.types.is_empty()
    }

    /// The pool for a place by its full name, `order.who` or `cell[2].left`: the one that says most of the name. Indices do
    /// not count.
    pub fn named(&self, name: &str, ty: &Type) -> Option<&Pool> {
        let plain = without_indices(name);
        let mut rest = plain.as_str();
        loop {
            match self.names.get(rest) {
                Some(pool) if pool.shape == ty.shape() => return Some(pool),
                _ => rest = rest.split_once('.')?.1,
            }
        }
    }

    /// The pool for values of a type: its own, that of the type it narrows, and for numbers without an end and for texts
    /// that of all of them.
    pub fn typed(&self, ty: &Type, definitions: &Definitions) -> Option<&Pool> {
        self.types.get(&ty.name(definitions)).or_else(|| match ty {
            Type::Refined(_, base) => self.typed(base, definitions),
            Type::Int { low: Some(_), high: Some(_) } => None,
            Type::Int { .. } => self.types.get("Int"),
            _ => None,
        })
    }

    /// Pools of types, by name.
    pub fn types(&self) -> impl Iterator<Item = (&String, &Pool)> {
        self.types.iter()
    }
}

/// `cell[2].left` without `[2]`.
fn without_indices(name: &str) -> String {
    let mut depth = 0usize;
    let mut outside = |c: char| {
        match c {
            '[' => depth += 1,
            ']' => {
                depth = depth.saturating_sub(1);
                return false;
            }
            _ => {}
        }
        depth == 0
    };
    name.chars().filter(|c| outside(*c)).collect()
}

/// The pools that are written, and what is wrong with them.
pub(super) fn check(checked: &Checked, items: &[&Item]) -> (Pools, Vec<Diagnostic>) {
    let mut checker = Checker { checked, places: Places::new(checked), seen: BTreeMap::new(), problems: vec![] };
    let mut pools = Pools::default();
    for item in items {
        if let Item::Pool(written) = item {
            checker.pool(written, &mut pools);
        }
    }
    (pools, checker.problems)
}

struct Checker<'a> {
    checked: &'a Checked,
    places: Places<'a>,
    /// Where each thing got its pool.
    seen: BTreeMap<(bool, String), Span>,
    problems: Vec<Diagnostic>,
}

impl Checker<'_> {
    fn report(&mut self, problem: Problem, span: Span) {
        self.problems.push(problem.at(span));
    }

    fn pool(&mut self, written: &tree::Pool, pools: &mut Pools) {
        let path: Vec<&str> = written.path.iter().map(|name| name.name.as_str()).collect();
        let name = path.join(".");
        let at = written.path.iter().map(|name| name.span).reduce(Span::to).unwrap_or(written.span);
        let of_type = match path[..] {
            [name] => self.checked.type_named(name),
            _ => None,
        };
        let is_type = of_type.is_some();
        // A plain alias is the type it stands for.
        let key = of_type.as_ref().map_or(name.clone(), |ty| ty.name(&self.checked.definitions));
        let types = of_type.map_or_else(|| self.places.types(&path), |ty| vec![ty]);
        if types.is_empty() {
            let mut known = self.places.names();
            let simple = BUILTIN_TYPES.iter().filter(|name| self.checked.type_named(name).is_some());
            known.extend(simple.map(|name| (*name).to_owned()).chain(self.checked.names.types.keys().cloned()));
            let near = near(&name, known.iter().map(String::as_str));
            self.report(Problem::UnknownData { name: name.clone(), near }, at);
        } else if let Some(first) = self.seen.insert((is_type, key.clone()), at) {
            let mut twice = Problem::PoolTwice { name: name.clone() }.at(at);
            twice.related.push((first, "the first pool is here".to_owned()));
            self.problems.push(twice);
        }
        if written.entries.is_empty() {
            self.report(Problem::EmptyPool { name: name.clone() }, written.span);
        }
        let weights: Vec<u64> = written.entries.iter().map(|entry| self.weight(entry)).collect();
        let Some((shape, values)) = self.values(written, &types) else { return };
        let mut pool = Pool { name, shape, values: vec![] };
        let mut places: BTreeMap<Value, usize> = BTreeMap::new();
        for (values, weight) in values.into_iter().zip(weights) {
            for value in values {
                match places.get(&value) {
                    // What is written twice counts twice.
                    Some(place) => pool.values[*place].1 += weight,
                    None => {
                        places.insert(value.clone(), pool.values.len());
                        pool.values.push((value, weight));
                    }
                }
            }
        }
        let of = if is_type { &mut pools.types } else { &mut pools.names };
        of.insert(key, pool);
    }

    fn weight(&mut self, entry: &PoolEntry) -> u64 {
        let Some(written) = &entry.weight else { return 1 };
        let mut problems = vec![];
        let value = self.value(written, &Type::INT, &mut problems);
        let weight = match &value {
            Some(Value::Int(n)) => n.to_u64().filter(|n| (1..=MAX_WEIGHT).contains(n)),
            _ => None,
        };
        match weight {
            Some(weight) => weight,
            None => {
                self.report(Problem::BadWeight { most: MAX_WEIGHT }, written.span);
                1
            }
        }
    }

    /// The values of all entries, and their shape. Things with one name may be of several types in several models; those
    /// are meant that the values fit.
    fn values(&mut self, written: &tree::Pool, types: &[Type]) -> Option<(Type, Vec<Vec<Value>>)> {
        let mut first_problems = None;
        for shape in types.iter().map(Type::shape).filter(|shape| !shape.has_unknown()) {
            let fitting: Vec<&Type> = types.iter().filter(|ty| ty.shape() == shape).collect();
            let mut problems = vec![];
            let values: Vec<Vec<Value>> =
                written.entries.iter().map(|entry| self.entry(entry, &shape, &fitting, &mut problems)).collect();
            if values.iter().map(Vec::len).sum::<usize>() > MAX_POOL {
                problems.push(Problem::PoolTooLarge { limit: MAX_POOL }.at(written.span));
            }
            if problems.is_empty() {
                return Some((shape, values));
            }
            first_problems.get_or_insert(problems);
        }
        self.problems.extend(first_problems.unwrap_or_default());
        None
    }

    fn entry(&self, entry: &PoolEntry, shape: &Type, types: &[&Type], problems: &mut Vec<Diagnostic>) -> Vec<Value> {
        let definitions = &self.checked.definitions;
        let values = match &entry.values.kind {
            ExprKind::Range(low, high) => self.range((low, high), shape, entry.values.span, problems),
            _ => self.value(&entry.values, shape, problems).into_iter().collect(),
        };
        let is_outside = |value: &&Value| types.iter().all(|ty| is_outside(ty, value, definitions));
        if let (Some(value), Some(ty)) = (values.iter().find(is_outside), types.first()) {
            let value = Shown { value, definitions }.to_string();
            problems.push(Problem::OutsideType { value, ty: ty.name(definitions) }.at(entry.values.span));
        }
        values
    }

    fn range(
        &self,
        (low, high): (&tree::Expr, &tree::Expr),
        shape: &Type,
        span: Span,
        problems: &mut Vec<Diagnostic>,
    ) -> Vec<Value> {
        if *shape != Type::INT {
            let (expected, found) = (shape.name(&self.checked.definitions), "Int".to_owned());
            problems.push(Problem::Mismatch { expected, found }.at(span));
            return vec![];
        }
        let mut end = |written| match self.value(written, &Type::INT, problems) {
            Some(Value::Int(n)) => Some(n),
            _ => None,
        };
        let (Some(low), Some(high)) = (end(low), end(high)) else { return vec![] };
        match (&high - &low + BigInt::from(1)).to_usize() {
            None | Some(0) if high < low => {
                problems.push(Problem::EmptyRange { low: low.to_string(), high: high.to_string() }.at(span));
                vec![]
            }
            Some(count) if count <= MAX_POOL => (0..count).map(|n| Value::Int(&low + n)).collect(),
            _ => {
                problems.push(Problem::PoolTooLarge { limit: MAX_POOL }.at(span));
                vec![]
            }
        }
    }

    /// The value of an expression; none if it has none, which is reported.
    fn value(&self, written: &tree::Expr, ty: &Type, problems: &mut Vec<Diagnostic>) -> Option<Value> {
        let mut own = vec![];
        let expr = Scope::new(&self.checked.names, &self.checked.definitions, &mut own).check(written, ty);
        own.retain(|problem| problem.severity == Severity::Error);
        if !own.is_empty() {
            problems.extend(own);
            return None;
        }
        match constant(&expr, &self.checked.definitions) {
            Ok(value) => Some(value),
            // A constant has no value: that was reported with the constant.
            Err(Failure::Unset(_)) => None,
            Err(failure) => {
                let what = "this value".to_owned();
                problems.push(Problem::ArgumentFails { what, reason: failure.to_string() }.at(written.span));
                None
            }
        }
    }
}

/// Whether a value is seen to be outside of a type; bounds that depend on parameters may be anything.
fn is_outside(ty: &Type, value: &Value, definitions: &Definitions) -> bool {
    let mut is_open = false;
    ty.map_bounds(&mut |bound| {
        if let Bound::Open(expr, _) = bound {
            expr.map_leaves(&mut |leaf| {
                is_open |= matches!(leaf, Expr::Param(_));
                None
            });
        }
        bound.clone()
    });
    let fuel = Fuel::new();
    let env = Env { definitions, slots: &[], fuel: &fuel };
    !is_open && contains(ty, value, env) == Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pool_that_says_most_of_a_name() {
        let pool = |name: &str| Pool { name: name.to_owned(), shape: Type::INT, values: vec![] };
        let names = ["n", "order.n", "cell.left"].map(|name| (name.to_owned(), pool(name)));
        let pools = Pools { names: names.into(), types: BTreeMap::new() };
        let named = |name: &str| pools.named(name, &Type::nat()).map(|pool| pool.name.as_str());
        assert_eq!(named("n"), Some("n"));
        assert_eq!(named("order.n"), Some("order.n"));
        assert_eq!(named("other.n"), Some("n"));
        assert_eq!(named("ring.cell[2].left"), Some("cell.left"));
        assert_eq!(named("left"), None);
        assert_eq!(pools.named("n", &Type::Text), None, "values of another type are none for it");
    }
}
