//! Which values the parameters of a step can take.
//!
//! Values come, in this order, from equations and memberships in the guards (`x == e`, `x in s`), from what the user gave,
//! and from types with few values. Each tuple is then tried by the interpreter, so too many candidates do no harm, and a
//! parameter with none of these sources is an error, unless the caller has a sampler, who is content with some values.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use thiserror::Error;

use super::interpret::Step;
use super::system::*;
use crate::budget::tick;
use crate::model::Pool;
use crate::term::{
    BinaryOp, DomainError, Env, Expr, Failure, Fuel, LimitKind, Pattern, Type, Value, contains, eval, finite_values,
};

/// Most tuples of data tried for one step.
const MAX_TUPLES: usize = 1_000_000;
/// Most elements of the values of all states that a search keeps.
pub const MAX_ELEMENTS: usize = 5_000_000;

/// Values given by the user.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    /// By the name of a type.
    pub types: BTreeMap<String, Vec<Value>>,
    /// By the name of an input, a parameter, or `gate.parameter`.
    pub names: BTreeMap<String, Vec<Value>>,
    /// Initial values, by the name of an open variable.
    pub variables: BTreeMap<String, Vec<Value>>,
}

/// Why the steps of a state cannot be listed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ChoiceError {
    /// A parameter has no list of values.
    #[error("{what}: {reason}")]
    NoValues {
        /// The input or parameter.
        what: String,
        /// What is missing.
        reason: DomainError,
    },
    /// No value of the open variables was found.
    #[error("no initial values were found among those tried; give some with --values")]
    NoInitial,
    /// Too many combinations.
    #[error("one step has more than {MAX_TUPLES} combinations of values")]
    TooMany,
    /// Too many orders of events.
    #[error("the events of one node come in too many orders")]
    TooManyOrders,
    /// Too many states.
    #[error("more than {0} states fit what is known")]
    TooManyStates(usize),
    /// Values that grow and grow.
    #[error("the values of the states that were met have more than {MAX_ELEMENTS} elements together")]
    TooManyElements,
    /// An expression hit a limit.
    #[error(transparent)]
    Limit(#[from] LimitKind),
}

/// Values for types that have too many, where a few will do.
pub trait Sampler {
    /// Some values of the type.
    fn sample(&mut self, ty: &Type, state: &State) -> Vec<Value>;
}

impl StepSystem {
    /// The same values, and those of pools where none are given.
    pub fn preferring(&self, given: &Given) -> Given {
        let values = |pool: &Pool| -> Vec<Value> { pool.values.iter().map(|(value, _)| value.clone()).collect() };
        let mut all = Given::default();
        all.types.extend(self.pools.types().map(|(name, pool)| (name.clone(), values(pool))));
        for joint in 0..self.joints.len() {
            for (name, types) in &self.joints[joint].params {
                let what = self.name_of(joint, name);
                if let Some(pool) = types.first().and_then(|ty| self.pools.named(&what, ty)) {
                    all.names.insert(what, values(pool));
                }
            }
        }
        for slot in self.open_slots().into_iter().map(|slot| &self.slots[slot]) {
            if let Some(pool) = self.pools.named(&slot.name, &slot.ty) {
                all.variables.insert(slot.name.clone(), values(pool));
            }
        }
        // A parameter that is given by its bare name is given at every gate.
        all.names.retain(|name, _| name.rsplit_once('.').is_none_or(|(_, bare)| !given.names.contains_key(bare)));
        all.types.extend(given.types.clone());
        all.names.extend(given.names.clone());
        all.variables.extend(given.variables.clone());
        all
    }

    /// How often a value is chosen for a place, compared with others.
    pub fn weight(&self, name: &str, types: &[Type], value: &Value) -> u64 {
        let of_type = || types.iter().find_map(|ty| self.pools.typed(ty, &self.definitions));
        let pool = types.first().and_then(|ty| self.pools.named(name, ty)).or_else(of_type);
        let weight = pool.and_then(|pool| pool.values.iter().find(|(known, _)| known == value));
        weight.map_or(1, |(_, weight)| *weight)
    }

    /// The name of a parameter with its gate, or of an input.
    pub fn name_of(&self, joint: usize, parameter: &str) -> String {
        let gate = self.joints[joint].gate.map_or("tau", |gate| self.gates[gate].name.as_str());
        if self.style == Style::Gates { format!("{gate}.{parameter}") } else { parameter.to_owned() }
    }

    /// All steps from a state, in the order of the joints.
    pub fn all_steps(
        &self,
        state: &State,
        given: &Given,
        mut sampler: Option<&mut dyn Sampler>,
    ) -> Result<Vec<Step>, ChoiceError> {
        let mut out: Vec<Step> = vec![];
        for joint in 0..self.joints.len() {
            let sampler = sampler.as_deref_mut().map(|s| s as &mut dyn Sampler);
            out.extend(self.steps_with(joint, state, &[], given, sampler)?);
        }
        Ok(out)
    }

    /// Whether every switch of a joint leaves the state its machine is in.
    pub fn at_source(&self, joint: usize, state: &State) -> bool {
        self.joints[joint].parts.iter().all(|part| match part {
            Part::Tick(_) => true,
            Part::Switch { machine, transition } => {
                self.machines[*machine].transitions[*transition].source == state.control[*machine]
            }
        })
    }

    /// Tuples of data worth trying for a joint; for a tick, tuples of inputs. Those that are `fixed` have one value.
    pub fn tuples(
        &self,
        joint: usize,
        state: &State,
        fixed: &[Option<Value>],
        given: &Given,
        sampler: Option<&mut dyn Sampler>,
    ) -> Result<Vec<Vec<Value>>, ChoiceError> {
        let mut search = Search { system: self, joint, state, given, sampler, is_counted: false, out: vec![] };
        if let [Part::Tick(tick)] = self.joints[joint].parts[..] {
            search.inputs(&self.ticks[tick].inputs, fixed)?;
        } else {
            let conditions = self.conditions(joint);
            let mut known = fixed.to_vec();
            known.resize(self.joints[joint].params.len(), None);
            search.parameters(&conditions, &mut known)?;
        }
        Ok(search.out)
    }

    fn conditions(&self, joint: usize) -> Vec<&Expr> {
        let guards = self.joints[joint].parts.iter().map(|part| match part {
            Part::Tick(_) => &[][..],
            Part::Switch { machine, transition } => &self.machines[*machine].transitions[*transition].guard,
        });
        guards.flatten().map(|conjunct| &conjunct.expr).collect()
    }

    /// All initial states.
    pub fn initial_states(
        &self,
        given: &Given,
        mut sampler: Option<&mut dyn Sampler>,
    ) -> Result<Vec<State>, ChoiceError> {
        let mut rows: Vec<Vec<Value>> = vec![vec![]];
        for slot in self.open_slots() {
            let Slot { name, ty, .. } = &self.slots[slot];
            let values = match given.variables.get(name) {
                Some(values) => values.clone(),
                None => {
                    self.domain(name, std::slice::from_ref(ty), None, given, sampler.as_deref_mut().map(|s| s as _))?
                }
            };
            let values = self.inside(ty, values)?;
            rows = extended(&rows, &values)?;
        }
        Ok(rows.iter().map(|row| self.initial(row)).collect())
    }

    /// Those of the values that are in the type.
    fn inside(&self, ty: &Type, values: Vec<Value>) -> Result<Vec<Value>, ChoiceError> {
        let mut out = vec![];
        for value in values {
            let fuel = Fuel::new();
            let env = Env { definitions: &self.definitions, slots: &[], fuel: &fuel };
            match contains(ty, &value, env) {
                Ok(true) => out.push(value),
                Err(Failure::Limit(limit)) => return Err(limit.into()),
                _ => {}
            }
        }
        Ok(out)
    }

    /// What an input of a lock-step system, at a joint of its own, can be: absent, or one of its values.
    pub fn input_values(
        &self,
        (joint, tick): (usize, usize),
        input: usize,
        state: &State,
        given: &Given,
        sampler: Option<&mut dyn Sampler>,
    ) -> Result<Vec<Value>, ChoiceError> {
        let (name, ty, _) = &self.ticks[tick].inputs[input];
        let mut search = Search { system: self, joint, state, given, sampler, is_counted: false, out: vec![] };
        let values = search.values(name, std::slice::from_ref(ty))?;
        Ok(std::iter::once(Value::Absent).chain(self.inside(ty, values)?).collect())
    }

    /// What the parameter of a gate that has one can be, whatever guards say: given values, or all of its type.
    pub fn event_values(&self, gate: usize, given: &Given) -> Result<Vec<Value>, ChoiceError> {
        let joint = self.joints.iter().position(|joint| joint.gate == Some(gate));
        let Some((joint, (name, types))) = joint.and_then(|joint| Some((joint, self.joints[joint].params.first()?)))
        else {
            return Ok(vec![]);
        };
        let what = self.name_of(joint, name);
        let values = match given.names.get(&what).or_else(|| given.names.get(name)) {
            Some(values) => values.clone(),
            None => self.domain(&what, types, None, given, None)?,
        };
        self.inside(&types[0], values)
    }

    /// All that may be sent at a gate where some of it is known: values by parameter, those that are given back as they are known.
    pub(super) fn data_like(
        &self,
        gate: usize,
        known: &BTreeMap<usize, Value>,
        given: &Given,
    ) -> Result<BTreeSet<BTreeMap<usize, Value>>, ChoiceError> {
        let open: Vec<usize> = (0..self.chosen_from(gate)).filter(|place| !known.contains_key(place)).collect();
        let mut all = BTreeSet::new();
        for types in self.carried_at(gate) {
            let mut rows = vec![vec![]];
            for place in &open {
                let name = &self.gates[gate].params[*place].0;
                let what = format!("{}.{name}", self.gates[gate].name);
                let values = match given.names.get(&what).or_else(|| given.names.get(name)) {
                    Some(values) => values.clone(),
                    None => self.domain(&what, types[*place], None, given, None)?,
                };
                rows = extended(&rows, &values)?;
            }
            let data = |row: Vec<Value>| known.clone().into_iter().chain(open.iter().copied().zip(row)).collect();
            all.extend(rows.into_iter().map(data).collect::<Vec<BTreeMap<usize, Value>>>());
        }
        Ok(all)
    }

    /// The values of a place without equations: given ones, all of its type, or samples.
    fn domain(
        &self,
        what: &str,
        types: &[Type],
        state: Option<&State>,
        given: &Given,
        sampler: Option<&mut dyn Sampler>,
    ) -> Result<Vec<Value>, ChoiceError> {
        let fuel = Fuel::new();
        let env = Env { definitions: &self.definitions, slots: &[], fuel: &fuel };
        let mut error = None;
        for ty in types {
            match finite_values(ty, &given.types, env) {
                Ok(values) => return Ok(values),
                Err(DomainError::Failure(Failure::Limit(limit))) => return Err(limit.into()),
                Err(reason) => error = Some(reason),
            }
        }
        let initial;
        let state = match state {
            Some(state) => state,
            None => {
                initial = self.initial(&[]);
                &initial
            }
        };
        match (sampler, types.first(), error) {
            (Some(sampler), Some(ty), _) => Ok(sampler.sample(ty, state)),
            (_, _, Some(reason)) => Err(ChoiceError::NoValues { what: what.to_owned(), reason }),
            _ => Ok(vec![]),
        }
    }
}

struct Search<'a, 's> {
    system: &'a StepSystem,
    joint: usize,
    state: &'a State,
    given: &'a Given,
    sampler: Option<&'s mut dyn Sampler>,
    /// Whether it is known that there are not too many tuples.
    is_counted: bool,
    out: Vec<Vec<Value>>,
}

impl Search<'_, '_> {
    fn push(&mut self, tuple: Vec<Value>) -> Result<(), ChoiceError> {
        tick();
        self.out.push(tuple);
        if self.out.len() > MAX_TUPLES { Err(ChoiceError::TooMany) } else { Ok(()) }
    }

    /// Every combination of absent and present inputs.
    fn inputs(&mut self, inputs: &[(String, Type, usize)], fixed: &[Option<Value>]) -> Result<(), ChoiceError> {
        let mut rows: Vec<Vec<Value>> = vec![vec![]];
        for (number, (name, ty, _)) in inputs.iter().enumerate() {
            let values = match fixed.get(number) {
                Some(Some(value)) => vec![value.clone()],
                _ => {
                    let mut values = vec![Value::Absent];
                    values.extend(self.values(name, std::slice::from_ref(ty))?);
                    values
                }
            };
            rows = extended(&rows, &values)?;
        }
        rows.into_iter().try_for_each(|row| self.push(row))
    }

    /// Extends the known parameters one at a time, those with equations first.
    fn parameters(&mut self, conditions: &[&Expr], known: &mut Vec<Option<Value>>) -> Result<(), ChoiceError> {
        let Some(first_open) = known.iter().position(Option::is_none) else {
            let tuple = known.iter().flatten().cloned().collect();
            return self.push(tuple);
        };
        let (parameter, values) = match self.determined(conditions, known)? {
            Some(found) => found,
            None => {
                self.count(conditions, known)?;
                let (name, types) = self.system.joints[self.joint].params[first_open].clone();
                (first_open, self.values(&name, &types)?)
            }
        };
        for value in values {
            known[parameter] = Some(value);
            self.parameters(conditions, known)?;
        }
        known[parameter] = None;
        Ok(())
    }

    /// Counts the tuples before they are made, where no condition will say what a parameter is.
    fn count(&mut self, conditions: &[&Expr], known: &[Option<Value>]) -> Result<(), ChoiceError> {
        let is_open = |parameter: &usize| known.get(*parameter).is_some_and(Option::is_none);
        let may_be_determined = || conditions.iter().flat_map(|condition| listed_by(condition)).any(|p| is_open(&p));
        // What is drawn by chance is drawn once.
        if self.is_counted || self.sampler.is_some() || may_be_determined() {
            return Ok(());
        }
        let mut count = 1usize;
        for parameter in (0..known.len()).filter(is_open) {
            let (name, types) = self.system.joints[self.joint].params[parameter].clone();
            count = count.saturating_mul(self.values(&name, &types)?.len());
            if count == 0 {
                break;
            }
        }
        self.is_counted = true;
        if count > MAX_TUPLES { Err(ChoiceError::TooMany) } else { Ok(()) }
    }

    /// A parameter whose values a condition lists.
    fn determined(
        &self,
        conditions: &[&Expr],
        known: &[Option<Value>],
    ) -> Result<Option<(usize, Vec<Value>)>, ChoiceError> {
        for condition in conditions {
            let open = |e: &Expr| match e {
                Expr::Local(i) if known.get(*i).is_some_and(Option::is_none) => Some(*i),
                _ => None,
            };
            let (parameter, expr, is_member) = match condition {
                Expr::Binary(BinaryOp::Equal, a, b) if open(a).is_some() => (open(a), Cow::Borrowed(&**b), false),
                Expr::Binary(BinaryOp::Equal, a, b) => (open(b), Cow::Borrowed(&**a), false),
                Expr::Binary(BinaryOp::In, a, b) => (open(a), Cow::Borrowed(&**b), true),
                Expr::Test(a, pattern) => match only_fit(pattern) {
                    Some(only) => (open(a), Cow::Owned(only), false),
                    None => continue,
                },
                _ => continue,
            };
            let Some(parameter) = parameter else { continue };
            if !is_closed(&expr, known) {
                continue;
            }
            let fuel = Fuel::new();
            let env = Env { definitions: &self.system.definitions, slots: &self.state.values, fuel: &fuel };
            let mut frame: Vec<Value> = known.iter().map(|v| v.clone().unwrap_or(Value::Absent)).collect();
            let values = match (eval(&expr, env, &mut frame), is_member) {
                (Ok(value), false) => vec![value],
                (Ok(Value::List(list)), true) => list.to_vec(),
                (Ok(Value::Set(set)), true) => set.iter().cloned().collect(),
                (Ok(Value::Map(map)), true) => map.keys().cloned().collect(),
                (Err(Failure::Limit(LimitKind::Size)), true) => continue,
                (Err(Failure::Limit(limit)), _) => return Err(limit.into()),
                // Undefined: the guard is false whatever the parameter is.
                _ => vec![],
            };
            return Ok(Some((parameter, values)));
        }
        Ok(None)
    }

    fn values(&mut self, name: &str, types: &[Type]) -> Result<Vec<Value>, ChoiceError> {
        let what = self.system.name_of(self.joint, name);
        let named = self.given.names.get(&what).or_else(|| self.given.names.get(name));
        if let Some(values) = named {
            return Ok(values.clone());
        }
        let sampler = self.sampler.as_deref_mut().map(|s| s as &mut dyn Sampler);
        self.system.domain(&what, types, Some(self.state), self.given, sampler)
    }
}

/// Parameters whose values a condition may list once others are known.
fn listed_by(condition: &Expr) -> Vec<usize> {
    let sides = match condition {
        Expr::Binary(BinaryOp::Equal, a, b) => vec![a, b],
        Expr::Binary(BinaryOp::In, a, _) | Expr::Test(a, _) => vec![a],
        _ => vec![],
    };
    let local = |side: &Expr| if let Expr::Local(local) = side { Some(*local) } else { None };
    sides.into_iter().filter_map(|side| local(side)).collect()
}

/// Every row with every value at its end.
fn extended(rows: &[Vec<Value>], values: &[Value]) -> Result<Vec<Vec<Value>>, ChoiceError> {
    if rows.len() * values.len() > MAX_TUPLES {
        return Err(ChoiceError::TooMany);
    }
    let longer = |row: &Vec<Value>, value: &Value| [&row[..], std::slice::from_ref(value)].concat();
    Ok(rows.iter().flat_map(|row| values.iter().map(move |value| longer(row, value))).collect())
}

/// The only value that fits a pattern, if there is but one.
fn only_fit(pattern: &Pattern) -> Option<Expr> {
    match pattern {
        Pattern::Equal(value) => Some((**value).clone()),
        Pattern::Data(ty, constructor, fields) => {
            let fields: Option<Vec<Expr>> = fields.iter().map(only_fit).collect();
            Some(Expr::Construct(*ty, *constructor, fields?))
        }
        Pattern::List { elements, rest: None } => {
            elements.iter().map(only_fit).collect::<Option<Vec<Expr>>>().map(Expr::List)
        }
        Pattern::Any | Pattern::Absent | Pattern::Bind(_) | Pattern::List { .. } => None,
    }
}

/// Whether an expression mentions only known parameters.
fn is_closed(expr: &Expr, known: &[Option<Value>]) -> bool {
    mentions_only(expr, &|local| known.get(local).is_some_and(Option::is_some))
}

/// Whether an expression mentions only some of the parameters.
pub(crate) fn mentions_only(expr: &Expr, is_known: &dyn Fn(usize) -> bool) -> bool {
    let mut bound = vec![];
    binders(expr, &mut bound);
    let mut closed = true;
    expr.map_leaves(&mut |leaf| {
        if let Expr::Local(i) = leaf {
            closed &= bound.contains(i) || is_known(*i);
        }
        None
    });
    closed
}

/// Locals that an expression binds itself.
fn binders(expr: &Expr, out: &mut Vec<usize>) {
    expr.map_leaves(&mut |leaf| {
        match leaf {
            Expr::Let(local, ..) | Expr::Quantified(_, local, ..) | Expr::Comprehension { local, .. } => {
                out.push(*local)
            }
            Expr::Match(_, arms) => arms.iter().for_each(|arm| pattern_binders(&arm.pattern, out)),
            Expr::Test(_, pattern) => pattern_binders(pattern, out),
            _ => {}
        }
        None
    });
}

fn pattern_binders(pattern: &Pattern, out: &mut Vec<usize>) {
    match pattern {
        Pattern::Bind(local) => out.push(*local),
        Pattern::Data(_, _, patterns) => patterns.iter().for_each(|p| pattern_binders(p, out)),
        Pattern::List { elements, rest } => {
            elements.iter().for_each(|p| pattern_binders(p, out));
            out.extend(rest.iter().flatten());
        }
        Pattern::Any | Pattern::Absent | Pattern::Equal(_) => {}
    }
}
