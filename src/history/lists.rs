//! Names and types of the lists that purposes can talk about.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::term::{Definitions, Expr, Type, TypeId, Value};

/// The parameter of a gate that is its result.
pub const RESULT: &str = "result";

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
    /// Names of the machines, and what their lists are called: `state`, `b.state`.
    pub machines: Vec<MachineName>,
    /// What machines and the environment say to each other.
    pub messages: Vec<Message>,
    /// For lists of values before each step: the value before the first one, where the model says which.
    pub initial: BTreeMap<usize, Value>,
    /// Conditions on the elements of a step that have a name, over the lists by number.
    pub conditions: BTreeMap<String, Expr>,
    /// Whether every step is one event at a gate.
    pub one_event: bool,
    /// Names that two lists have, with what each of the two holds.
    pub twice: Vec<(String, [String; 2])>,
}

/// A machine as charts see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineName {
    /// Its name.
    pub name: String,
    /// The list of its control states; the one before each step has the next number.
    pub state: usize,
    /// The list of the transitions it fires.
    pub fired: usize,
}

/// A message as charts see it. Machines go by number; none is the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it is called by those who know it.
    pub names: Vec<String>,
    /// Who sends it.
    pub from: Vec<Option<usize>>,
    /// Who receives it.
    pub to: Vec<Option<usize>>,
    /// Where it is seen.
    pub seen: Seen,
}

/// Where a message is seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// As the element of a list, which is absent if there is none.
    List(usize),
    /// As an event: the list of gates, the gate, and the lists of its data.
    Gate {
        /// The list of gates.
        list: usize,
        /// The number of the gate among its members.
        member: usize,
        /// Lists of its parameters.
        params: Vec<usize>,
        /// Whether the last one is its result.
        has_result: bool,
    },
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
