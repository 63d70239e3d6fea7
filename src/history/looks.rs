//! Expressions over what is observed in a step, each of them evaluated once in a step, and only if somebody asks.

use rustc_hash::FxHashMap;

use crate::term::{Definitions, Env, Expr, Failure, Fuel, LimitKind, Value, eval};

/// The expressions that a set of judges looks at.
#[derive(Clone, Debug, Default)]
pub struct Looks {
    exprs: Vec<Expr>,
    numbers: FxHashMap<Expr, usize>,
    /// Their values, where `at` says that they are those of this step.
    values: Vec<Value>,
    at: Vec<u64>,
    step: u64,
}

/// What is observed in a step: one element of every list.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    /// The elements.
    pub elements: &'a [Value],
    /// Types, functions, constants.
    pub definitions: &'a Definitions,
}

impl Looks {
    /// The number of an expression over the lists.
    pub fn number(&mut self, expr: &Expr) -> usize {
        let next = self.exprs.len();
        let number = *self.numbers.entry(expr.clone()).or_insert(next);
        if number == next {
            self.exprs.push(expr.clone());
            self.values.push(Value::Absent);
            self.at.push(0);
        }
        number
    }

    /// What is asked for next is about another step.
    pub fn begin(&mut self) {
        self.step += 1;
    }

    /// The value of an expression; absent where it has none.
    pub fn value<'v>(&'v mut self, number: usize, observed: Observed<'v>) -> Result<&'v Value, LimitKind> {
        if let Expr::Slot(list) = self.exprs[number] {
            return Ok(&observed.elements[list]);
        }
        if self.at[number] != self.step {
            self.values[number] = observed.value(&self.exprs[number], &mut vec![])?;
            self.at[number] = self.step;
        }
        Ok(&self.values[number])
    }

    /// The values of all expressions, of which those with these numbers are of this step.
    pub fn values(&mut self, numbers: &[usize], observed: Observed<'_>) -> Result<&[Value], LimitKind> {
        for number in numbers {
            match self.exprs[*number] {
                Expr::Slot(list) => self.values[*number] = observed.elements[list].clone(),
                _ => drop(self.value(*number, observed)?),
            }
        }
        Ok(&self.values)
    }
}

impl Observed<'_> {
    /// The value of an expression over the elements and some locals; absent where it has none.
    pub fn value(self, expr: &Expr, frame: &mut Vec<Value>) -> Result<Value, LimitKind> {
        let fuel = Fuel::new();
        match eval(expr, Env { definitions: self.definitions, slots: self.elements, fuel: &fuel }, frame) {
            Ok(value) => Ok(value),
            Err(Failure::Limit(limit)) => Err(limit),
            Err(_) => Ok(Value::Absent),
        }
    }
}
