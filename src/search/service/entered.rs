//! A node that collects, in one state: the values of its events, and which predicates hold for which of them.

use rustc_hash::FxHashMap;

use crate::kernel::{ChoiceError, State, StepSystem};
use crate::model::{Collect, Outcome};
use crate::term::{Definitions, Env, Failure, Fuel, Value, eval};

/// Most combinations of values of one node.
const MAX_ASSIGNMENTS: usize = 1_000_000;

/// What is known of a node that was entered.
pub(super) struct Entered {
    /// Values of each event; none for one that carries none.
    pub domains: Vec<Vec<Option<Value>>>,
    /// Combinations that are looked at, by one more than the numbers of the values; all if there is no list.
    listed: Option<Vec<Vec<u32>>>,
    /// For each predicate the values of what it reads for which it holds.
    truth: Vec<FxHashMap<Vec<u32>, bool>>,
    /// States that events lead to, by what was given with them and which came last.
    pub exits: FxHashMap<(Vec<u32>, usize), Option<usize>>,
}

impl Entered {
    /// With all combinations of listed values.
    pub fn listed(
        system: &StepSystem,
        collect: &Collect,
        state: &State,
        domains: Vec<Vec<Option<Value>>>,
    ) -> Result<Entered, ChoiceError> {
        let all = domains.iter().try_fold(1usize, |all, values| all.checked_mul(values.len()));
        if all.is_none_or(|all| all > MAX_ASSIGNMENTS) {
            return Err(ChoiceError::TooMany);
        }
        Entered::new(system, collect, state, domains, None)
    }

    /// With these combinations only.
    pub fn new(
        system: &StepSystem,
        collect: &Collect,
        state: &State,
        domains: Vec<Vec<Option<Value>>>,
        listed: Option<Vec<Vec<u32>>>,
    ) -> Result<Entered, ChoiceError> {
        let mut entered = Entered { domains, listed, truth: vec![], exits: FxHashMap::default() };
        for predicate in &collect.predicates {
            let mut table = FxHashMap::default();
            let mut values = state.values.clone();
            let mut row = vec![1; predicate.reads.len()];
            'rows: loop {
                if predicate
                    .reads
                    .iter()
                    .zip(&row)
                    .any(|(event, value)| *value as usize > entered.domains[*event].len())
                {
                    break;
                }
                for (event, value) in predicate.reads.iter().zip(&row) {
                    values[collect.events[*event].given] = entered.kept(*event, *value);
                }
                let fuel = Fuel::new();
                let env = Env { definitions: &system.definitions, slots: &values, fuel: &fuel };
                let holds = match eval(&predicate.condition, env, &mut vec![]) {
                    Ok(value) => value.is_true(),
                    Err(Failure::Limit(limit)) => return Err(limit.into()),
                    Err(_) => false,
                };
                table.insert(row.clone(), holds);
                for place in (0..row.len()).rev() {
                    row[place] += 1;
                    if row[place] as usize <= entered.domains[predicate.reads[place]].len() {
                        continue 'rows;
                    }
                    row[place] = 1;
                }
                break;
            }
            entered.truth.push(table);
        }
        Ok(entered)
    }

    /// The variable of an event that was given with one of its values.
    pub fn kept(&self, event: usize, value: u32) -> Value {
        match &self.domains[event][value as usize - 1] {
            Some(value) => Value::Data(Definitions::OPTION, 1, vec![value.clone()].into()),
            None => Value::Bool(true),
        }
    }

    /// How many combinations are looked at.
    pub fn assignments(&self) -> usize {
        self.listed.as_ref().map_or_else(|| self.domains.iter().map(Vec::len).product(), Vec::len)
    }

    /// One of them.
    pub fn assignment(&self, mut number: usize) -> Vec<u32> {
        if let Some(listed) = &self.listed {
            return listed[number].clone();
        }
        let mut out = vec![0; self.domains.len()];
        for (place, values) in out.iter_mut().zip(&self.domains).rev() {
            *place = (number % values.len()) as u32 + 1;
            number /= values.len();
        }
        out
    }

    /// Which predicates hold when everything was given.
    pub fn truths(&self, collect: &Collect, given: &[u32]) -> Vec<bool> {
        let holds = |(number, predicate): (usize, &crate::model::Predicate)| {
            let row: Vec<u32> = predicate.reads.iter().map(|event| given[*event]).collect();
            self.truth[number].get(&row).copied().unwrap_or(false)
        };
        collect.predicates.iter().enumerate().map(holds).collect()
    }

    /// What comes of having given these values.
    pub fn outcome(&self, collect: &Collect, given: &[u32]) -> Outcome {
        for (number, predicate) in collect.predicates.iter().enumerate() {
            let row: Vec<u32> = predicate.reads.iter().map(|event| given[*event]).collect();
            if !row.contains(&0) && !self.truth[number].get(&row).copied().unwrap_or(false) {
                return Outcome::Violated(number);
            }
        }
        if given.contains(&0) { Outcome::Collected } else { Outcome::Completed }
    }
}
