//! Open values of any type, made of symbols of simple sorts.
//!
//! A record is opened field by field; a value with several constructors is a choice by an open number; lists, sets and
//! maps are opened up to a length, recursive types up to a depth. What lies beyond is left out: such a value is
//! [`Opened::Bounded`], and is had only together with the gap that it leaves.
//!
//! What a type asks for, it asks only of what is there: of the fields of the constructor that was chosen, of the elements
//! up to the length, of a message that is sent. So a type without values leaves `None`, `[]` and absent.

use std::collections::BTreeSet;

use num_bigint::BigInt;

use super::domain::some_value;
use super::store::{Range, Store};
use super::symbolic::{Symbolic, Unsupported};
use super::terms::{Sort, Term, Terms};
use super::ty::{Bound, Definitions, Type};
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
pub struct OpenValue {
    /// The value.
    pub value: Term,
    /// What its type asks for, if it is there.
    pub conditions: Vec<Term>,
    /// Its parts, each before those inside it; only of values that are opened around one that is known.
    pub parts: Vec<OpenPart>,
    /// That the members of its sets, and the keys of its maps, are different and, where they are numbers, in their order: so they are in
    /// some reading of every value. Only of values that are opened around one that is known.
    pub each_once: Vec<Term>,
    /// Whether the conditions can surely be met; they are about nothing but the symbols of this value.
    has_values: bool,
}

impl OpenValue {
    /// What its type asks for where the value need not be there. What can be met anyway is asked for in any case: nobody looks
    /// at the symbols of a value that is not there, and conditions that stand alone are simpler.
    pub fn conditions_if(&self, is_there: Term, terms: &mut Terms) -> Vec<Term> {
        if self.has_values {
            return self.conditions.clone();
        }
        let not_there = terms.not(is_there);
        self.conditions.iter().map(|condition| terms.or(not_there, *condition)).collect()
    }

    /// A message of this value, absent where it is not sent, and what its type asks for.
    pub fn message(&self, is_sent: Term, terms: &mut Terms) -> (Term, Vec<Term>) {
        let absent = terms.constant(Value::Absent);
        (terms.choose(is_sent, self.value, absent), self.conditions_if(is_sent, terms))
    }
}

/// A value that was opened: exactly, or up to some size only.
#[derive(Clone, Debug)]
pub enum Opened {
    /// It stands for every value of its type.
    Exact(OpenValue),
    /// It does not.
    Bounded(Bounded),
}

/// An open value that stands for the small values of its type only: what is found with it is real, and what is not found with
/// it may still be.
#[derive(Clone, Debug)]
pub struct Bounded {
    value: OpenValue,
    gap: String,
}

impl Opened {
    /// The value, if it stands for all of its type.
    pub fn exact(self) -> Result<OpenValue, Unsupported> {
        match self {
            Opened::Exact(value) => Ok(value),
            Opened::Bounded(bounded) => Err(Unsupported(bounded.gap)),
        }
    }

    /// The value, with a note of the gap that it leaves.
    pub fn noting(self, gaps: &mut BTreeSet<String>) -> OpenValue {
        match self {
            Opened::Exact(value) => value,
            Opened::Bounded(bounded) => {
                gaps.insert(bounded.gap);
                bounded.value
            }
        }
    }

    /// The value, for whoever looks for some value and concludes nothing if there is none.
    pub fn as_example(self) -> OpenValue {
        match self {
            Opened::Exact(value) | Opened::Bounded(Bounded { value, .. }) => value,
        }
    }
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
    opener.asks(ty, value)?;
    let Opener { conditions, is_exact, parts, each_once, doubts, .. } = opener;
    let value = OpenValue { value, conditions, parts, each_once, has_values: doubts == 0 };
    if is_exact {
        return Ok(Opened::Exact(value));
    }
    let gap = format!("open values of `{}` were tried up to a small size only", ty.name(definitions));
    Ok(Opened::Bounded(Bounded { value, gap }))
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
    /// What types ask for.
    conditions: Vec<Term>,
    /// How many of the conditions may be such that nothing meets them.
    doubts: usize,
    is_exact: bool,
    parts: Vec<OpenPart>,
    each_once: Vec<Term>,
}

/// What was asked for while some part was opened: from which condition to which, and whether that can surely be met.
struct Asked {
    conditions: std::ops::Range<usize>,
    has_values: bool,
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
            doubts: 0,
            is_exact: true,
            parts: vec![],
            each_once: vec![],
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
                let (some, asked) = self.asking(|opener| opener.open(inner, inside))?;
                let some = self.terms.data(Definitions::OPTION, 1, vec![some]);
                let none = self.terms.data(Definitions::OPTION, 0, vec![]);
                let is_some = known.map(|_| Value::Bool(inside.is_some()));
                let is_some = self.symbol(Range::Bool, Role::Presence, is_some);
                self.only_if(is_some, &asked);
                self.terms.choose(is_some, some, none)
            }
            Type::List(element) => {
                let known = match known {
                    Some(Value::List(list)) => Some(list.iter().collect::<Vec<_>>()),
                    _ => None,
                };
                let (elements, asked) = self.several(element, known.as_deref(), None)?;
                let list = |terms: &mut Terms, n: usize| terms.list(elements[..n].to_vec());
                self.by_length(known.map(|known| known.len()), list, &[asked]).0
            }
            Type::Set(element) => {
                let known: Option<Vec<&Value>> = match known {
                    Some(Value::Set(set)) => Some(set.iter().collect()),
                    _ => None,
                };
                let most = self.most_values(element);
                let (elements, asked) = self.several(element, known.as_deref(), most)?;
                let set = |terms: &mut Terms, n: usize| terms.set(elements[..n].to_vec());
                let (value, size) = self.by_length(known.map(|known| known.len()), set, &[asked]);
                self.differ(&elements, size);
                value
            }
            Type::Map(key, value) => {
                let known: Option<(Vec<&Value>, Vec<&Value>)> = match known {
                    Some(Value::Map(map)) => Some(map.iter().unzip()),
                    _ => None,
                };
                let most = self.most_values(key);
                let (keys, of_keys) = self.several(key, known.as_ref().map(|(keys, _)| &keys[..]), most)?;
                let (values, of_values) = self.several(value, known.as_ref().map(|(_, values)| &values[..]), most)?;
                let map = |terms: &mut Terms, n: usize| {
                    terms.map(keys[..n].iter().copied().zip(values[..n].iter().copied().map(Some)).collect())
                };
                let (value, size) = self.by_length(known.map(|(keys, _)| keys.len()), map, &[of_keys, of_values]);
                self.differ(&keys, size);
                value
            }
        })
    }

    /// Opens something, and says what was asked for on the way.
    fn asking(
        &mut self,
        open: impl FnOnce(&mut Self) -> Result<Term, Unsupported>,
    ) -> Result<(Term, Asked), Unsupported> {
        let (first, doubts) = (self.conditions.len(), self.doubts);
        let term = open(self)?;
        Ok((term, Asked { conditions: first..self.conditions.len(), has_values: self.doubts == doubts }))
    }

    /// What was asked for is asked for only where a condition holds, unless it can be met anyway.
    fn only_if(&mut self, is_there: Term, asked: &Asked) {
        if asked.has_values {
            return;
        }
        let not_there = self.terms.not(is_there);
        for condition in &mut self.conditions[asked.conditions.clone()] {
            *condition = self.terms.or(not_there, *condition);
        }
    }

    /// Asks that a value is of its type.
    fn asks(&mut self, ty: &Type, value: Term) -> Result<(), Unsupported> {
        if !ty.is_narrow() {
            return Ok(());
        }
        let inside = Symbolic::new(self.terms, self.definitions, &[]).contains(ty, value)?;
        self.conditions.push(inside);
        if some_value(ty, self.definitions).is_none() {
            self.doubts += 1;
        }
        Ok(())
    }

    /// As many as there may be, and what is asked of each. If there are never more than `most`, these are all.
    fn several(
        &mut self,
        ty: &Type,
        known: Option<&[&Value]>,
        most: Option<usize>,
    ) -> Result<(Vec<Term>, Vec<Asked>), Unsupported> {
        let most = most.filter(|most| *most <= self.sizes.length);
        self.is_exact &= most.is_some();
        if known.is_some_and(|known| known.len() > self.sizes.length) {
            return Err(Unsupported(format!("a value with more than {} elements", self.sizes.length)));
        }
        let known = |place: usize| known.and_then(|known| known.get(place)).copied();
        let all: Result<Vec<(Term, Asked)>, Unsupported> = (0..most.unwrap_or(self.sizes.length))
            .map(|place| self.asking(|opener| opener.inside(&|| format!("[{place}]"), ty, known(place))))
            .collect();
        Ok(all?.into_iter().unzip())
    }

    /// A number of values that a type never has more of, if that is easily seen.
    fn most_values(&self, ty: &Type) -> Option<usize> {
        match ty {
            Type::Bool => Some(2),
            Type::Int { low: Some(Bound::Known(low)), high: Some(Bound::Known(high)) } => {
                let most: BigInt = high - low + 1;
                usize::try_from(most.max(BigInt::ZERO)).ok()
            }
            Type::Refined(_, base) => self.most_values(base),
            Type::Option(of) => self.most_values(of)?.checked_add(1),
            Type::Data(id) if self.definitions.types[*id].is_enum() => {
                Some(self.definitions.types[*id].constructors.len())
            }
            _ => None,
        }
    }

    /// Notes what the members of a set, or the keys of a map, are if each is there once, where somebody wants to know what they are.
    fn differ(&mut self, members: &[Term], size: Option<Term>) {
        let Some(size) = size.filter(|_| self.leaves.is_some()) else { return };
        for (place, member) in members.iter().enumerate().skip(1) {
            let most = self.terms.int(place);
            let is_left_out = self.terms.at_most(size, most);
            let is_number = matches!(self.terms.sort(*member), Sort::Int | Sort::Real);
            // Numbers stand in their order, so that each is different from all before it.
            let others = if is_number { &members[place - 1..place] } else { &members[..place] };
            for other in others {
                let is_other = match is_number {
                    true => self.terms.less(*other, *member),
                    false => {
                        let same = self.terms.equal(*member, *other);
                        self.terms.not(same)
                    }
                };
                let condition = self.terms.or(is_left_out, is_other);
                self.each_once.push(condition);
            }
        }
    }

    /// A choice between lengths, with the length if it is open; what is asked of an element is asked only of lists that have it.
    fn by_length(
        &mut self,
        known: Option<usize>,
        make: impl Fn(&mut Terms, usize) -> Term,
        asked: &[Vec<Asked>],
    ) -> (Term, Option<Term>) {
        let longest = asked.iter().map(Vec::len).min().unwrap_or(0);
        let cases: Vec<Term> = (0..=longest).map(|n| make(self.terms, n)).collect();
        let (value, length) = self.choice(cases, Role::Size, known);
        if let Some(length) = length {
            for (place, asked) in asked.iter().flat_map(|asked| asked.iter().enumerate()) {
                let least = self.terms.int(place + 1);
                let is_there = self.terms.at_most(least, length);
                self.only_if(is_there, asked);
            }
        }
        (value, length)
    }

    /// One of several, chosen by an open number, and that number; none if there is but one.
    fn choice(&mut self, cases: Vec<Term>, role: Role, known: Option<usize>) -> (Term, Option<Term>) {
        let [before @ .., last] = &cases[..] else { unreachable!("a choice between nothing") };
        if before.is_empty() {
            return (*last, None);
        }
        let mut range = Range::all(Sort::Int, self.definitions);
        if let Range::Number { low, high, .. } = &mut range {
            let end = |n: usize| Some((BigInt::from(n).into(), true));
            (*low, *high) = (end(0), end(before.len()));
        }
        let which = self.symbol(range, role, known.map(Value::int));
        let mut result = *last;
        for (n, case) in before.iter().enumerate().rev() {
            let is = self.is_case(which, n);
            result = self.terms.choose(is, *case, result);
        }
        (result, Some(which))
    }

    fn is_case(&mut self, which: Term, n: usize) -> Term {
        let n = self.terms.int(n);
        self.terms.equal(which, n)
    }

    fn data(&mut self, id: usize, known: Option<&Value>) -> Result<Term, Unsupported> {
        let ty = &self.definitions.types[id];
        if ty.is_enum() && ty.constructors.len() > 1 {
            return Ok(self.simple(Sort::Enum(id), known));
        }
        let depth = self.nesting.iter().filter(|outer| **outer == id).count();
        self.nesting.push(id);
        let (mut cases, mut asked, mut chosen) = (vec![], vec![], None);
        for (number, constructor) in ty.constructors.iter().enumerate() {
            let own = match known {
                Some(Value::Data(_, made_by, fields)) if *made_by as usize == number => Some(fields),
                _ => None,
            };
            // At the deepest level only constructors without the type itself are left.
            if depth >= self.sizes.depth
                && constructor.fields.iter().any(|(_, field)| self.reaches(field, id, &mut vec![]))
            {
                self.is_exact = false;
                if own.is_some() {
                    self.nesting.pop();
                    return Err(Unsupported(format!("a value nested more than {} times", self.sizes.depth)));
                }
                continue;
            }
            let made = self.asking(|opener| {
                let fields = constructor.fields.iter().enumerate();
                let fields: Result<Vec<Term>, Unsupported> = fields
                    .map(|(place, (name, field))| opener.field(name, field, own.map(|own| &own[place])))
                    .collect();
                Ok(opener.terms.data(id, number as u32, fields?))
            });
            chosen = chosen.or(own.map(|_| cases.len()));
            match made {
                Ok((case, asked_of_case)) => {
                    cases.push(case);
                    asked.push(asked_of_case);
                }
                Err(unsupported) => {
                    self.nesting.pop();
                    return Err(unsupported);
                }
            }
        }
        self.nesting.pop();
        // Nothing is so small.
        if cases.is_empty() {
            self.conditions.push(self.terms.bool(false));
            self.doubts += 1;
            return Ok(self.terms.constant(Value::Absent));
        }
        let (value, which) = self.choice(cases, Role::Constructor, chosen);
        if let Some(which) = which {
            for (n, asked) in asked.iter().enumerate() {
                let is = self.is_case(which, n);
                self.only_if(is, asked);
            }
        }
        Ok(value)
    }

    /// A field; what its type asks for is noted here, since the type around it does not repeat it.
    fn field(&mut self, name: &str, ty: &Type, known: Option<&Value>) -> Result<Term, Unsupported> {
        let value = self.inside(&|| format!(".{name}"), ty, known)?;
        self.asks(ty, value)?;
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
