//! Open values of any type, made of symbols of simple sorts.
//!
//! A record is opened field by field; a value with several constructors is a choice by an open number; lists, sets and
//! maps are opened up to a length, recursive types up to a depth. What lies beyond is left out, and [`Opened::complete`]
//! says so.

use super::store::{Range, Store};
use super::symbolic::{Symbolic, Unsupported};
use super::terms::{Sort, Term, Terms};
use super::ty::{Definitions, Type};
use super::value::Value;

/// Longest open list, set or map.
pub const MAX_LENGTH: usize = 4;
/// Deepest nesting of one recursive type in itself.
pub const MAX_DEPTH: usize = 3;

/// An open value.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The value.
    pub value: Term,
    /// What its type asks for.
    pub conditions: Vec<Term>,
    /// Whether every value of the type is covered.
    pub complete: bool,
}

/// Opens a value of a type, with its symbols in the store.
pub fn open(ty: &Type, store: &mut Store, terms: &mut Terms, definitions: &Definitions) -> Result<Opened, Unsupported> {
    let mut opener = Opener { store, terms, definitions, nesting: vec![], conditions: vec![], complete: true };
    let value = opener.open(ty)?;
    let Opener { mut conditions, complete, .. } = opener;
    let inside = Symbolic::new(terms, definitions, &[]).contains(ty, value)?;
    conditions.push(inside);
    Ok(Opened { value, conditions, complete })
}

struct Opener<'a> {
    store: &'a mut Store,
    terms: &'a mut Terms,
    definitions: &'a Definitions,
    /// Data types around the current place.
    nesting: Vec<usize>,
    /// What the types of fields ask for.
    conditions: Vec<Term>,
    complete: bool,
}

impl Opener<'_> {
    fn simple(&mut self, sort: Sort) -> Term {
        let symbol = self.store.add(Range::all(sort, self.definitions));
        self.terms.symbol(symbol)
    }

    fn open(&mut self, ty: &Type) -> Result<Term, Unsupported> {
        Ok(match ty {
            Type::Bool => self.simple(Sort::Bool),
            Type::Int { .. } => self.simple(Sort::Int),
            Type::Real => self.simple(Sort::Real),
            Type::Text => self.simple(Sort::Text),
            Type::Refined(_, base) => self.open(base)?,
            Type::Unknown => return Err(Unsupported("a value of unknown type".to_owned())),
            Type::Data(id) => self.data(*id)?,
            Type::Option(inner) => {
                let some = self.open(inner)?;
                let some = self.terms.data(Definitions::OPTION, 1, vec![some]);
                let none = self.terms.data(Definitions::OPTION, 0, vec![]);
                let is_some = self.simple(Sort::Bool);
                self.terms.choose(is_some, some, none)
            }
            Type::List(element) => {
                self.complete = false;
                let elements = self.several(element)?;
                self.by_length(|terms, n| terms.list(elements[..n].to_vec()))
            }
            Type::Set(element) => {
                self.complete = false;
                let elements = self.several(element)?;
                self.by_length(|terms, n| terms.set(elements[..n].to_vec()))
            }
            Type::Map(key, value) => {
                self.complete = false;
                let (keys, values) = (self.several(key)?, self.several(value)?);
                self.by_length(|terms, n| {
                    terms.map(keys[..n].iter().copied().zip(values[..n].iter().copied().map(Some)).collect())
                })
            }
        })
    }

    fn several(&mut self, ty: &Type) -> Result<Vec<Term>, Unsupported> {
        (0..MAX_LENGTH).map(|_| self.open(ty)).collect()
    }

    /// A choice between lengths.
    fn by_length(&mut self, mut make: impl FnMut(&mut Terms, usize) -> Term) -> Term {
        let cases: Vec<Term> = (0..=MAX_LENGTH).map(|n| make(self.terms, n)).collect();
        self.choice(cases)
    }

    /// One of several, chosen by an open number.
    fn choice(&mut self, cases: Vec<Term>) -> Term {
        if let [only] = cases[..] {
            return only;
        }
        let mut range = Range::all(Sort::Int, self.definitions);
        if let Range::Number { low, high, .. } = &mut range {
            let end = |n: usize| Some((num_bigint::BigInt::from(n).into(), true));
            (*low, *high) = (end(0), end(cases.len() - 1));
        }
        let symbol = self.store.add(range);
        let which = self.terms.symbol(symbol);
        let mut cases = cases.into_iter().enumerate().rev();
        let Some((_, mut result)) = cases.next() else { return which };
        for (n, case) in cases {
            let n = self.terms.int(n);
            let is = self.terms.equal(which, n);
            result = self.terms.choose(is, case, result);
        }
        result
    }

    fn data(&mut self, id: usize) -> Result<Term, Unsupported> {
        let ty = &self.definitions.types[id];
        if ty.is_enum() && ty.constructors.len() > 1 {
            return Ok(self.simple(Sort::Enum(id)));
        }
        let depth = self.nesting.iter().filter(|outer| **outer == id).count();
        self.nesting.push(id);
        let mut cases = vec![];
        for (number, constructor) in ty.constructors.iter().enumerate() {
            // At the deepest level only constructors without the type itself are left.
            if depth >= MAX_DEPTH && constructor.fields.iter().any(|(_, field)| self.reaches(field, id, &mut vec![])) {
                self.complete = false;
                continue;
            }
            let fields: Result<Vec<Term>, Unsupported> =
                constructor.fields.iter().map(|(_, field)| self.field(field)).collect();
            cases.push(match fields {
                Ok(fields) => self.terms.data(id, number as u32, fields),
                Err(unsupported) => {
                    self.nesting.pop();
                    return Err(unsupported);
                }
            });
        }
        self.nesting.pop();
        if cases.is_empty() {
            return Ok(self.terms.constant(Value::Absent));
        }
        Ok(self.choice(cases))
    }

    /// A field; what its type asks for is noted here, since the type around it does not repeat it.
    fn field(&mut self, ty: &Type) -> Result<Term, Unsupported> {
        let value = self.open(ty)?;
        if ty.is_narrow() {
            let inside = Symbolic::new(self.terms, self.definitions, &[]).contains(ty, value)?;
            self.conditions.push(inside);
        }
        Ok(value)
    }

    /// Whether values of a type contain values of a data type.
    fn reaches(&self, ty: &Type, id: usize, seen: &mut Vec<usize>) -> bool {
        match ty {
            Type::Data(other) if *other == id => true,
            Type::Data(other) if seen.contains(other) => false,
            Type::Data(other) => {
                seen.push(*other);
                let constructors = &self.definitions.types[*other].constructors;
                constructors.iter().flat_map(|c| &c.fields).any(|(_, field)| self.reaches(field, id, seen))
            }
            Type::List(t) | Type::Set(t) | Type::Option(t) | Type::Refined(_, t) => self.reaches(t, id, seen),
            Type::Map(k, v) => self.reaches(k, id, seen) || self.reaches(v, id, seen),
            _ => false,
        }
    }
}
