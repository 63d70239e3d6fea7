//! The steps of a state as the interpreter takes them, counted.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::kernel::{ChoiceError, Given, Part, State, Step, StepSystem};
use crate::search::Limits;
use crate::term::{Env, Fuel, Type, Value, finite_values};

use super::{Beyond, Recheck};

/// Most combinations of data that are all tried, whatever guards say; beyond that, equations in guards propose data.
const MAX_PRODUCT: usize = 256;
/// Steps between two looks at the user's limits.
const LOOK_EVERY: usize = 256;

/// States of a walk that confirms, unless it is asked for at any size.
const MOST_STATES: usize = 10_000;
/// Steps of the interpreter in a walk that confirms.
const MOST_STEPS: usize = 200_000;
/// States of all walks of an attack.
const ATTACK_STATES: usize = 2_000;
/// Steps of the interpreter in all walks of an attack.
const ATTACK_STEPS: usize = 20_000;
/// Values of each type in the walks of an attack. The smallest first: what grows needs depth more than variety.
const ATTACK_SIZES: [usize; 5] = [1, 2, 4, 9, 20];

/// What a walk may use up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance<'a> {
    limits: &'a Limits,
    states: usize,
    steps: usize,
}

impl<'a> Allowance<'a> {
    /// For a walk that sees everything; none if it is not wanted.
    pub fn of(recheck: Recheck, limits: &'a Limits) -> Option<Allowance<'a>> {
        match recheck {
            Recheck::Never => None,
            Recheck::Small => Some(Allowance { limits, states: MOST_STATES, steps: MOST_STEPS }),
            Recheck::Always => Some(Allowance { limits, states: usize::MAX, steps: usize::MAX }),
        }
    }

    /// For the walks of an attack, with the number of values of each type.
    pub fn attack(limits: &'a Limits) -> [(usize, Allowance<'a>); ATTACK_SIZES.len()] {
        let (states, steps) = (ATTACK_STATES / ATTACK_SIZES.len(), ATTACK_STEPS / ATTACK_SIZES.len());
        ATTACK_SIZES.map(|size| (size, Allowance { limits, states, steps }))
    }

    /// That so many states are not too many.
    pub fn allows_states(&self, states: usize) -> Result<(), Beyond> {
        if states > self.states { Err(Beyond::States(self.states)) } else { Ok(()) }
    }
}

/// The steps of one model.
pub(crate) struct Stepper<'a> {
    system: &'a StepSystem,
    given: Given,
    /// All data of a joint, where there is little.
    products: Vec<Option<Rc<[Vec<Value>]>>>,
    allowance: Allowance<'a>,
    /// Steps that were looked at, also again.
    taken: usize,
    known: FxHashMap<State, Rc<[Step]>>,
}

impl<'a> Stepper<'a> {
    /// Steps with all values, or with those that are given for some places.
    pub fn new(system: &'a StepSystem, given: Given, allowance: Allowance<'a>) -> Stepper<'a> {
        let products = (0..system.joints.len()).map(|joint| product(system, joint, &given)).collect();
        Stepper { system, given, products, allowance, taken: 0, known: FxHashMap::default() }
    }

    /// What it may use up.
    pub fn allowance(&self) -> Allowance<'a> {
        self.allowance
    }

    /// All initial states.
    pub fn initial(&self) -> Result<Vec<State>, Beyond> {
        self.system.initial_states(&self.given, None).map_err(beyond)
    }

    /// All steps from a state.
    pub fn steps(&mut self, state: &State) -> Result<Rc<[Step]>, Beyond> {
        if let Some(steps) = self.known.get(state).cloned() {
            self.look(steps.len())?;
            return Ok(steps);
        }
        let steps: Rc<[Step]> = self.found(state)?.into();
        self.known.insert(state.clone(), steps.clone());
        Ok(steps)
    }

    /// Counts steps that are looked at.
    fn look(&mut self, steps: usize) -> Result<(), Beyond> {
        let before = self.taken / LOOK_EVERY;
        self.taken += steps;
        if self.taken > self.allowance.steps {
            return Err(Beyond::Steps(self.allowance.steps));
        }
        if self.taken / LOOK_EVERY == before {
            return Ok(());
        }
        self.allowance.limits.used_up().map_or(Ok(()), |limit| Err(Beyond::Limit(limit)))
    }

    fn found(&mut self, state: &State) -> Result<Vec<Step>, Beyond> {
        let mut out = vec![];
        for joint in 0..self.system.joints.len() {
            if !self.system.at_source(joint, state) {
                continue;
            }
            let tuples = match &self.products[joint] {
                Some(all) => all.clone(),
                None => self.system.tuples(joint, state, &[], &self.given, None).map_err(beyond)?.into(),
            };
            for data in tuples.iter() {
                self.look(1)?;
                out.extend(self.system.steps(joint, state, data).map_err(Beyond::Evaluation)?);
            }
        }
        Ok(out)
    }
}

/// All combinations of data of a joint; none if there are many, or if some values are given instead.
fn product(system: &StepSystem, joint: usize, given: &Given) -> Option<Rc<[Vec<Value>]>> {
    let listed = |name: &str, ty: &Type| -> Option<Vec<Value>> {
        let fuel = Fuel::new();
        let env = Env { definitions: &system.definitions, slots: &[], fuel: &fuel };
        if given.names.contains_key(&system.name_of(joint, name)) {
            return None;
        }
        finite_values(ty, &given.types, env).ok()
    };
    let mut rows: Vec<Vec<Value>> = vec![vec![]];
    let mut extend = |values: Vec<Value>| {
        let more = rows
            .iter()
            .flat_map(|row| values.iter().map(move |value| [&row[..], std::slice::from_ref(value)].concat()));
        rows = more.collect();
        rows.len() <= MAX_PRODUCT
    };
    match system.joints[joint].parts[..] {
        [Part::Tick(tick)] => {
            for (name, ty, _) in &system.ticks[tick].inputs {
                let values = [Value::Absent].into_iter().chain(listed(name, ty)?).collect();
                extend(values).then_some(())?;
            }
        }
        _ => {
            for (name, types) in &system.joints[joint].params {
                extend(listed(name, types.first()?)?).then_some(())?;
            }
        }
    }
    Some(rows.into())
}

pub(super) fn beyond(error: ChoiceError) -> Beyond {
    match error {
        ChoiceError::Limit(limit) => Beyond::Evaluation(limit),
        other => Beyond::Values(other.to_string()),
    }
}
