//! Types, and the declarations they refer to.

use num_bigint::BigInt;

use super::expr::{Expr, Function};
use super::value::Value;

/// Number of a data type in [`Definitions`].
pub type TypeId = usize;

/// A type. Bounds and refinements narrow a shape; two types fit together when their shapes are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `Bool`
    Bool,
    /// `Int`, `Nat`, `0..9`
    Int {
        /// Least value.
        low: Option<Bound>,
        /// Greatest value.
        high: Option<Bound>,
    },
    /// `Real`
    Real,
    /// `String`
    Text,
    /// An algebraic type or a record.
    Data(TypeId),
    /// `List<T>`
    List(Box<Type>),
    /// `Set<T>`
    Set(Box<Type>),
    /// `Map<K, V>`
    Map(Box<Type>, Box<Type>),
    /// `Option<T>`
    Option(Box<Type>),
    /// A type narrowed by a condition; the number of its [`Refinement`].
    Refined(usize, Box<Type>),
    /// Reported already; fits everything.
    Unknown,
}

/// A bound of a range: known, or an expression over constants and parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// A number.
    Known(BigInt),
    /// To be computed, and how it is written.
    Open(Box<Expr>, String),
}

impl Type {
    /// All whole numbers.
    pub const INT: Type = Type::Int { low: None, high: None };

    /// Whole numbers from zero.
    pub fn nat() -> Type {
        Type::Int { low: Some(Bound::Known(BigInt::ZERO)), high: None }
    }

    /// The type without bounds and refinements.
    pub fn shape(&self) -> Type {
        match self {
            Type::Int { .. } => Type::INT,
            Type::List(t) => Type::List(Box::new(t.shape())),
            Type::Set(t) => Type::Set(Box::new(t.shape())),
            Type::Map(k, v) => Type::Map(Box::new(k.shape()), Box::new(v.shape())),
            Type::Option(t) => Type::Option(Box::new(t.shape())),
            Type::Refined(_, t) => t.shape(),
            other => other.clone(),
        }
    }

    /// Whether some value of the shape is not a value of the type; fields of data are not looked at.
    pub fn is_narrow(&self) -> bool {
        *self != self.shape()
    }

    /// Whether an unknown type is part of it.
    pub fn has_unknown(&self) -> bool {
        match self {
            Type::Unknown => true,
            Type::List(t) | Type::Set(t) | Type::Option(t) | Type::Refined(_, t) => t.has_unknown(),
            Type::Map(k, v) => k.has_unknown() || v.has_unknown(),
            _ => false,
        }
    }

    /// The same type with every bound changed by `f`.
    pub fn map_bounds(&self, f: &mut impl FnMut(&Bound) -> Bound) -> Type {
        match self {
            Type::Int { low, high } => Type::Int { low: low.as_ref().map(&mut *f), high: high.as_ref().map(&mut *f) },
            Type::List(t) => Type::List(Box::new(t.map_bounds(f))),
            Type::Set(t) => Type::Set(Box::new(t.map_bounds(f))),
            Type::Map(k, v) => Type::Map(Box::new(k.map_bounds(f)), Box::new(v.map_bounds(f))),
            Type::Option(t) => Type::Option(Box::new(t.map_bounds(f))),
            Type::Refined(id, t) => Type::Refined(*id, Box::new(t.map_bounds(f))),
            other => other.clone(),
        }
    }
}

/// An algebraic type or a record.
#[derive(Clone, Debug, PartialEq)]
pub struct DataType {
    /// Name.
    pub name: String,
    /// Constructors in order.
    pub constructors: Vec<Constructor>,
    /// Whether it was declared as a record, which is shown without a constructor.
    pub is_record: bool,
    /// Whether the type of some field, or of a field of that, has fewer values than its shape.
    pub is_narrow: bool,
}

impl DataType {
    /// Whether no constructor has arguments.
    pub fn is_enum(&self) -> bool {
        self.constructors.iter().all(|c| c.fields.is_empty())
    }
}

/// A constructor of a data type.
#[derive(Clone, Debug, PartialEq)]
pub struct Constructor {
    /// Name.
    pub name: String,
    /// Arguments: names (numbers where none were given) and types.
    pub fields: Vec<(String, Type)>,
}

/// A condition that narrows a type; the value is local 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Refinement {
    /// Name of the type.
    pub name: String,
    /// The condition.
    pub condition: Expr,
}

/// What expressions refer to by number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Definitions {
    /// Data types. `Option` values use [`Definitions::OPTION`].
    pub types: Vec<DataType>,
    /// Refinements.
    pub refinements: Vec<Refinement>,
    /// Functions.
    pub functions: Vec<Function>,
    /// Constants, once their values are known.
    pub constants: Vec<Option<Value>>,
}

impl Definitions {
    /// The number under which values of `Option<T>` are stored, with constructors `None` (0) and `Some` (1).
    pub const OPTION: TypeId = usize::MAX;

    /// Whether some value of the shape is not a value of the type, because of the type or of a field inside it.
    pub fn narrows(&self, ty: &Type) -> bool {
        match ty {
            Type::Data(id) => self.types[*id].is_narrow,
            Type::List(t) | Type::Set(t) | Type::Option(t) => self.narrows(t),
            Type::Map(k, v) => self.narrows(k) || self.narrows(v),
            other => other.is_narrow(),
        }
    }

    /// Finds out which data types are narrow: the least fixed point of "some field has a narrow type".
    pub fn find_narrow(&mut self) {
        loop {
            let is_new = |ty: &DataType| {
                !ty.is_narrow && ty.constructors.iter().flat_map(|c| &c.fields).any(|(_, field)| self.narrows(field))
            };
            let found: Vec<TypeId> = (0..self.types.len()).filter(|id| is_new(&self.types[*id])).collect();
            if found.is_empty() {
                return;
            }
            found.into_iter().for_each(|id| self.types[id].is_narrow = true);
        }
    }

    /// Name of a constructor.
    pub fn constructor_name(&self, ty: TypeId, constructor: u32) -> &str {
        match (ty, constructor) {
            (Self::OPTION, 0) => "None",
            (Self::OPTION, _) => "Some",
            _ => &self.types[ty].constructors[constructor as usize].name,
        }
    }
}
