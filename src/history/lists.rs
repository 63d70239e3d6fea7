//! Names and types of the lists that purposes can talk about.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::term::{Definitions, Type, TypeId, Value};

/// The lists of a model, as purposes see them.
#[derive(Clone, Debug)]
pub struct ListNames {
    /// The model's definitions and the enumerations of the lists.
    pub definitions: Arc<Definitions>,
    /// Number of the first of these enumerations.
    pub first_type: TypeId,
    /// The lists in order.
    pub entries: Vec<ListName>,
    /// Their numbers by name.
    pub numbers: BTreeMap<String, usize>,
}

/// A history list.
#[derive(Clone, Debug)]
pub struct ListName {
    /// Name; `pre(x)` for the values before each step.
    pub name: String,
    /// Type of its elements.
    pub ty: Type,
    /// Whether an element may be absent.
    pub is_message: bool,
    /// What it holds.
    pub kind: ListKind,
}

/// What a list holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// Control states of one machine.
    State,
    /// Transitions fired by one machine; the last member of its enumeration is idling.
    Fired,
    /// Anything else.
    Data,
}

impl ListNames {
    /// A member of the enumeration of a list.
    pub fn member(&self, list: usize, number: usize) -> Value {
        match self.entries[list].ty {
            Type::Data(ty) => Value::Data(ty, number as u32, [].into()),
            _ => Value::Absent,
        }
    }

    /// Names of the members of the enumeration of a list.
    pub fn members(&self, list: usize) -> Vec<&str> {
        match self.entries[list].ty {
            Type::Data(ty) => self.definitions.types[ty].constructors.iter().map(|c| c.name.as_str()).collect(),
            _ => vec![],
        }
    }
}
