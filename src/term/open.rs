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

/// How large open values may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Longest list, set or map.
    pub length: usize,
    /// Deepest nesting of one recursive type in itself.
    pub depth: usize,
}

impl Sizes {
    /// Small ones, for searches.
    pub const SMALL: Sizes = Sizes { length: 4, depth: 3 };
}

/// What a symbol of an open value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A simple value.
    Value,
    /// How many elements there are.
    Size,
    /// Which constructor made it.
    Constructor,
    /// Whether there is anything.
    Presence,
}

/// A symbol of an open value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Where it stands in the value: `.name`, `[2].amount`, nothing for the value itself.
    pub path: String,
    /// What it is.
    pub role: Role,
    /// Its value, where that of the whole is known; otherwise some value.
    pub value: Value,
    /// Whether it has this value because the whole is known.
    pub is_known: bool,
}

/// A part of an open value that has a type of its own: the whole, a field, an element.
#[derive(Clone, Debug)]
pub struct OpenPart {
    /// Its type.
    pub ty: Type,
    /// Its symbols, by number; they follow each other.
    pub symbols: std::ops::Range<usize>,
    /// Where it stands in the value, as in [`Leaf::path`].
    pub path: String,
    /// Data types around it.
    nesting: Vec<usize>,
}

impl OpenPart {
    /// What its symbols must be for it to have a value; nothing for symbols that make no difference then. None if the value
    /// is too large.
    pub fn symbols_for(&self, value: &Value, sizes: Sizes, definitions: &Definitions) -> Option<Vec<Option<Value>>> {
        if matches!(self.ty.shape(), Type::Bool | Type::Int { .. } | Type::Real | Type::Text) {
            return Some(vec![Some(value.clone())]);
        }
        let (mut store, mut leaves, mut terms) = (Store::default(), vec![], Terms::new());
        let mut opener = Opener::new((&mut store, Some(&mut leaves)), &mut terms, definitions, sizes);
        opener.nesting = self.nesting.clone();
        opener.open(&self.ty, Some(value)).ok()?;
        let of_leaves = leaves.into_iter().map(|leaf| leaf.is_known.then_some(leaf.value));
        Some(of_leaves.collect::<Vec<_>>()).filter(|values| values.len() == self.symbols.len())
    }
}

/// An open value.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The value.
    pub value: Term,
    /// What its type asks for.
    pub conditions: Vec<Term>,
    /// Whether every value of the type is covered.
    pub complete: bool,
    /// Its parts, each before those inside it; only of values that are opened around one that is known.
    pub parts: Vec<OpenPart>,
}

/// Opens a value of a type, with its symbols in the store.
pub fn open(ty: &Type, store: &mut Store, terms: &mut Terms, definitions: &Definitions) -> Result<Opened, Unsupported> {
    opened(ty, None, Sizes::SMALL, (store, None), terms, definitions)
}

/// The same around a value that is known: `leaves` gets the symbols, with the values for which the open value is that one.
/// Nothing is known of an absent value. An error if the value is too large.
pub fn open_around(
    ty: &Type,
    known: &Value,
    sizes: Sizes,
    (store, leaves): (&mut Store, &mut Vec<Leaf>),
    terms: &mut Terms,
    definitions: &Definitions,
) -> Result<Opened, Unsupported> {
    let known = Some(known).filter(|known| **known != Value::Absent);
    opened(ty, known, sizes, (store, Some(leaves)), terms, definitions)
}

fn opened(
    ty: &Type,
    known: Option<&Value>,
    sizes: Sizes,
    (store, leaves): (&mut Store, Option<&mut Vec<Leaf>>),
    terms: &mut Terms,
    definitions: &Definitions,
) -> Result<Opened, Unsupported> {
    let mut opener = Opener::new((store, leaves), terms, definitions, sizes);
    let value = opener.open(ty, known)?;
    let Opener { mut conditions, complete, parts, .. } = opener;
    let inside = Symbolic::new(terms, definitions, &[]).contains(ty, value)?;
    conditions.push(inside);
    Ok(Opened { value, conditions, complete, parts })
}

struct Opener<'a> {
    store: &'a mut Store,
    /// What the symbols are, if somebody wants to know.
    leaves: Option<&'a mut Vec<Leaf>>,
    terms: &'a mut Terms,
    definitions: &'a Definitions,
    sizes: Sizes,
    /// Where the current place is.
    path: String,
    /// Data types around the current place.
    nesting: Vec<usize>,
    /// What the types of fields ask for.
    conditions: Vec<Term>,
    complete: bool,
    parts: Vec<OpenPart>,
}

impl<'a> Opener<'a> {
    fn new(
        (store, leaves): (&'a mut Store, Option<&'a mut Vec<Leaf>>),
        terms: &'a mut Terms,
        definitions: &'a Definitions,
        sizes: Sizes,
    ) -> Opener<'a> {
        Opener {
            store,
            leaves,
            terms,
            definitions,
            sizes,
            path: String::new(),
            nesting: vec![],
            conditions: vec![],
            complete: true,
            parts: vec![],
        }
    }

    fn simple(&mut self, sort: Sort, known: Option<&Value>) -> Term {
        self.symbol(Range::all(sort, self.definitions), Role::Value, known.cloned())
    }

    fn symbol(&mut self, range: Range, role: Role, known: Option<Value>) -> Term {
        if let Some(leaves) = &mut self.leaves {
            let is_known = known.is_some();
            let value = known.unwrap_or_else(|| range.simple());
            leaves.push(Leaf { path: self.path.clone(), role, value, is_known });
        }
        let symbol = self.store.add(range);
        self.terms.symbol(symbol)
    }

    /// Opens a part of the current place.
    fn inside(&mut self, part: &dyn Fn() -> String, ty: &Type, known: Option<&Value>) -> Result<Term, Unsupported> {
        let outside = self.path.len();
        if self.leaves.is_some() {
            self.path.push_str(&part());
        }
        let term = self.open(ty, known);
        self.path.truncate(outside);
        term
    }

    fn open(&mut self, ty: &Type, known: Option<&Value>) -> Result<Term, Unsupported> {
        let Some(first) = self.leaves.as_ref().map(|leaves| leaves.len()) else { return self.opened(ty, known) };
        let place = self.parts.len();
        let (path, nesting) = (self.path.clone(), self.nesting.clone());
        self.parts.push(OpenPart { ty: ty.clone(), symbols: first..first, path, nesting });
        let term = self.opened(ty, known)?;
        self.parts[place].symbols.end = self.leaves.as_ref().map_or(first, |leaves| leaves.len());
        Ok(term)
    }

    fn opened(&mut self, ty: &Type, known: Option<&Value>) -> Result<Term, Unsupported> {
        Ok(match ty {
            Type::Bool => self.simple(Sort::Bool, known),
            Type::Int { .. } => self.simple(Sort::Int, known),
            Type::Real => self.simple(Sort::Real, known),
            Type::Text => self.simple(Sort::Text, known),
            Type::Refined(_, base) => self.open(base, known)?,
            Type::Unknown => return Err(Unsupported("a value of unknown type".to_owned())),
            Type::Data(id) => self.data(*id, known)?,
            Type::Option(inner) => {
                let inside = match known {
                    Some(Value::Data(_, 1, fields)) => fields.first(),
                    _ => None,
                };
                let some = self.open(inner, inside)?;
                let some = self.terms.data(Definitions::OPTION, 1, vec![some]);
                let none = self.terms.data(Definitions::OPTION, 0, vec![]);
                let is_some = known.map(|_| Value::Bool(inside.is_some()));
                let is_some = self.symbol(Range::Bool, Role::Presence, is_some);
                self.terms.choose(is_some, some, none)
            }
            Type::List(element) => {
                let known = match known {
                    Some(Value::List(list)) => Some(list.iter().collect::<Vec<_>>()),
                    _ => None,
                };
                let elements = self.several(element, known.as_deref())?;
                self.by_length(known.map(|known| known.len()), |terms, n| terms.list(elements[..n].to_vec()))
            }
            Type::Set(element) => {
                let known: Option<Vec<&Value>> = match known {
                    Some(Value::Set(set)) => Some(set.iter().collect()),
                    _ => None,
                };
                let elements = self.several(element, known.as_deref())?;
                self.by_length(known.map(|known| known.len()), |terms, n| terms.set(elements[..n].to_vec()))
            }
            Type::Map(key, value) => {
                let known: Option<(Vec<&Value>, Vec<&Value>)> = match known {
                    Some(Value::Map(map)) => Some(map.iter().unzip()),
                    _ => None,
                };
                let keys = self.several(key, known.as_ref().map(|(keys, _)| &keys[..]))?;
                let values = self.several(value, known.as_ref().map(|(_, values)| &values[..]))?;
                self.by_length(known.map(|(keys, _)| keys.len()), |terms, n| {
                    terms.map(keys[..n].iter().copied().zip(values[..n].iter().copied().map(Some)).collect())
                })
            }
        })
    }

    /// As many as there may be.
    fn several(&mut self, ty: &Type, known: Option<&[&Value]>) -> Result<Vec<Term>, Unsupported> {
        self.complete = false;
        if known.is_some_and(|known| known.len() > self.sizes.length) {
            return Err(Unsupported(format!("a value with more than {} elements", self.sizes.length)));
        }
        let known = |place: usize| known.and_then(|known| known.get(place)).copied();
        (0..self.sizes.length).map(|place| self.inside(&|| format!("[{place}]"), ty, known(place))).collect()
    }

    /// A choice between lengths.
    fn by_length(&mut self, known: Option<usize>, mut make: impl FnMut(&mut Terms, usize) -> Term) -> Term {
        let cases: Vec<Term> = (0..=self.sizes.length).map(|n| make(self.terms, n)).collect();
        self.choice(cases, Role::Size, known)
    }

    /// One of several, chosen by an open number.
    fn choice(&mut self, cases: Vec<Term>, role: Role, known: Option<usize>) -> Term {
        if let [only] = cases[..] {
            return only;
        }
        let mut range = Range::all(Sort::Int, self.definitions);
        if let Range::Number { low, high, .. } = &mut range {
            let end = |n: usize| Some((num_bigint::BigInt::from(n).into(), true));
            (*low, *high) = (end(0), end(cases.len() - 1));
        }
        let which = self.symbol(range, role, known.map(Value::int));
        let mut cases = cases.into_iter().enumerate().rev();
        let Some((_, mut result)) = cases.next() else { return which };
        for (n, case) in cases {
            let n = self.terms.int(n);
            let is = self.terms.equal(which, n);
            result = self.terms.choose(is, case, result);
        }
        result
    }

    fn data(&mut self, id: usize, known: Option<&Value>) -> Result<Term, Unsupported> {
        let ty = &self.definitions.types[id];
        if ty.is_enum() && ty.constructors.len() > 1 {
            return Ok(self.simple(Sort::Enum(id), known));
        }
        let depth = self.nesting.iter().filter(|outer| **outer == id).count();
        self.nesting.push(id);
        let (mut cases, mut which) = (vec![], None);
        for (number, constructor) in ty.constructors.iter().enumerate() {
            let own = match known {
                Some(Value::Data(_, made_by, fields)) if *made_by as usize == number => Some(fields),
                _ => None,
            };
            // At the deepest level only constructors without the type itself are left.
            if depth >= self.sizes.depth
                && constructor.fields.iter().any(|(_, field)| self.reaches(field, id, &mut vec![]))
            {
                self.complete = false;
                if own.is_some() {
                    self.nesting.pop();
                    return Err(Unsupported(format!("a value nested more than {} times", self.sizes.depth)));
                }
                continue;
            }
            let fields = constructor.fields.iter().enumerate();
            let fields: Result<Vec<Term>, Unsupported> =
                fields.map(|(place, (name, field))| self.field(name, field, own.map(|own| &own[place]))).collect();
            which = which.or(own.map(|_| cases.len()));
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
        Ok(self.choice(cases, Role::Constructor, which))
    }

    /// A field; what its type asks for is noted here, since the type around it does not repeat it.
    fn field(&mut self, name: &str, ty: &Type, known: Option<&Value>) -> Result<Term, Unsupported> {
        let value = self.inside(&|| format!(".{name}"), ty, known)?;
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
