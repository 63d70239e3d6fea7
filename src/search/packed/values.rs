//! Values, each stored once and known by a number.

use rustc_hash::FxHashMap;

use crate::term::Value;

/// The number of what is absent, and of what does not matter.
pub const ABSENT: u32 = 0;

/// Values with their numbers.
#[derive(Debug)]
pub struct Values {
    list: Vec<Value>,
    numbers: FxHashMap<Value, u32>,
    elements: usize,
}

impl Default for Values {
    fn default() -> Values {
        Values { list: vec![Value::Absent], numbers: FxHashMap::from_iter([(Value::Absent, ABSENT)]), elements: 0 }
    }
}

impl Values {
    /// The number of a value.
    pub fn code(&mut self, value: &Value) -> u32 {
        match self.numbers.get(value) {
            Some(code) => *code,
            None => {
                let code = self.list.len() as u32;
                self.list.push(value.clone());
                self.elements += value.elements();
                self.numbers.insert(value.clone(), code);
                code
            }
        }
    }

    /// How many elements all values have together.
    pub fn elements(&self) -> usize {
        self.elements
    }

    /// The value with a number.
    pub fn get(&self, code: u32) -> &Value {
        &self.list[code as usize]
    }
}
