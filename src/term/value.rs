//! Concrete values.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::BigRational;

use super::rational::Fraction;
use super::ty::TypeId;

/// A value of some type. Values are cheap to copy: what is large is shared.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// Nothing on a channel. Not a value of any type: it stands only where a message could.
    Absent,
    /// `true`, `false`
    Bool(bool),
    /// A whole number.
    Int(BigInt),
    /// A rational number.
    Real(Fraction),
    /// A text.
    Text(Arc<str>),
    /// A constructor with its arguments; records have the one constructor 0.
    Data(TypeId, u32, Arc<[Value]>),
    /// A list.
    List(Arc<Vec<Value>>),
    /// A set.
    Set(Arc<BTreeSet<Value>>),
    /// A map.
    Map(Arc<BTreeMap<Value, Value>>),
}

impl Value {
    /// The text value.
    pub fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    /// The rational number.
    pub fn real(x: impl Into<BigRational>) -> Value {
        Value::Real(x.into().into())
    }

    /// The whole number.
    pub fn int(n: impl Into<BigInt>) -> Value {
        Value::Int(n.into())
    }

    /// How many elements, members, entries, arguments or characters it has itself; what is inside of these may be shared.
    pub fn elements(&self) -> usize {
        match self {
            Value::Absent | Value::Bool(_) | Value::Int(_) | Value::Real(_) => 0,
            Value::Text(text) => text.len(),
            Value::Data(_, _, args) => args.len(),
            Value::List(list) => list.len(),
            Value::Set(set) => set.len(),
            Value::Map(map) => map.len(),
        }
    }

    /// The constructors in a value, each by how many others it stands inside. Walks without recursion: this is asked of values that may
    /// be too deep for it.
    pub fn constructors(&self) -> impl Iterator<Item = usize> {
        let mut open = vec![(self, 0)];
        std::iter::from_fn(move || {
            while let Some((value, depth)) = open.pop() {
                match value {
                    Value::Absent | Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Text(_) => {}
                    Value::Data(_, _, args) => {
                        open.extend(args.iter().map(|arg| (arg, depth + 1)));
                        return Some(depth);
                    }
                    Value::List(list) => open.extend(list.iter().map(|element| (element, depth))),
                    Value::Set(set) => open.extend(set.iter().map(|member| (member, depth))),
                    Value::Map(map) => open.extend(map.iter().flat_map(|(key, value)| [(key, depth), (value, depth)])),
                }
            }
            None
        })
    }

    /// Whether this is `true`.
    pub fn is_true(&self) -> bool {
        *self == Value::Bool(true)
    }
}
