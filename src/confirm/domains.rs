//! A few values of every type, where there are too many to list: constants of the model and the question with their
//! neighbours, ends of ranges, short lists, shallow data.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::kernel::{Given, Part, StepSystem};
use crate::search::Question;
use crate::term::{Bound, Definitions, Env, Expr, Fuel, Type, Value, contains, eval};

/// Deepest data.
const MAX_DEPTH: usize = 2;
/// Elements of the longest list.
const LONG: usize = 6;

/// Small domains for one question.
pub(crate) struct Domains<'a> {
    system: &'a StepSystem,
    definitions: &'a Definitions,
    /// Constants, and their neighbours behind them.
    ints: Vec<BigInt>,
    reals: Vec<BigRational>,
    texts: Vec<String>,
}

impl<'a> Domains<'a> {
    /// Domains for a question.
    pub fn of(question: Question<'a>) -> Domains<'a> {
        let Question { system, lists, monitor } = question;
        let mut constants = in_model(system);
        let mut look = |expr: &Expr| each_constant(expr, &mut constants);
        monitor.lists.iter().for_each(&mut look);
        for rule in &monitor.rules {
            for clause in &rule.clauses {
                look(&clause.guard);
                clause.becomes.each_use(&mut |used| used.args.iter().for_each(&mut look));
            }
        }
        for formula in &monitor.start {
            formula.each_use(&mut |used| used.args.iter().for_each(&mut look));
        }
        Domains::from(system, &lists.names.definitions, &constants)
    }

    /// Domains for a model that is compared with another one.
    pub fn of_models(system: &'a StepSystem, other: &StepSystem) -> Domains<'a> {
        let constants = in_model(system).union(&in_model(other)).cloned().collect();
        Domains::from(system, &system.definitions, &constants)
    }

    fn from(system: &'a StepSystem, definitions: &'a Definitions, constants: &BTreeSet<Value>) -> Domains<'a> {
        let (mut ints, mut reals, mut texts) = (vec![BigInt::zero(), BigInt::one()], vec![BigRational::zero()], vec![]);
        let (mut near_ints, mut near_reals) = ([-1, 2, -2].map(BigInt::from).to_vec(), vec![BigRational::one()]);
        for constant in constants {
            match constant {
                Value::Int(n) => {
                    ints.push(n.clone());
                    near_ints.extend([n + 1, n - 1, -n]);
                }
                Value::Real(x) => {
                    reals.push((**x).clone());
                    near_reals.extend([&**x + BigRational::one(), &**x - BigRational::one()]);
                }
                Value::Text(text) => texts.push(text.to_string()),
                _ => {}
            }
        }
        ints.extend(near_ints);
        reals.extend(near_reals);
        texts.extend([String::new(), "a".to_owned(), "ab".to_owned()]);
        Domains { system, definitions, ints: each_once(ints), reals: each_once(reals), texts: each_once(texts) }
    }

    /// Values for all data that the environment chooses, and for open variables.
    pub fn given(&self, size: usize) -> Given {
        let mut given = Given::default();
        for (joint, described) in self.system.joints.iter().enumerate() {
            if let [Part::Tick(tick)] = described.parts[..] {
                for (name, ty, _) in &self.system.ticks[tick].inputs {
                    given.names.insert(self.system.name_of(joint, name), self.values(ty, size));
                }
                continue;
            }
            for (name, types) in &described.params {
                if let Some(ty) = types.first() {
                    given.names.insert(self.system.name_of(joint, name), self.values(ty, size));
                }
            }
        }
        for slot in self.system.open_slots() {
            let slot = &self.system.slots[slot];
            given.variables.insert(slot.name.clone(), self.values(&slot.ty, size));
        }
        given
    }

    /// At most so many values of a type.
    pub fn values(&self, ty: &Type, size: usize) -> Vec<Value> {
        let mut values = self.some(ty, size, MAX_DEPTH);
        values.truncate(size);
        values
    }

    fn some(&self, ty: &Type, size: usize, depth: usize) -> Vec<Value> {
        let below = |ty: &Type| if depth == 0 { vec![] } else { self.some(ty, size, depth - 1) };
        let values = match ty {
            Type::Bool => vec![Value::Bool(true), Value::Bool(false)],
            Type::Int { low, high } => {
                let ends = [low, high].into_iter().flatten().filter_map(|end| self.bound(end));
                each_once(self.ints.iter().cloned().chain(ends).collect()).into_iter().map(Value::Int).collect()
            }
            Type::Real => self.reals.iter().cloned().map(Value::real).collect(),
            Type::Text => self.texts.iter().map(|text| Value::text(text)).collect(),
            Type::Data(id) => self.data(*id, size, depth),
            Type::Option(of) => {
                let some = below(of).into_iter().map(|value| Value::Data(Definitions::OPTION, 1, [value].into()));
                some.chain([Value::Data(Definitions::OPTION, 0, [].into())]).collect()
            }
            Type::List(of) => {
                let list = |values: &[Value]| Value::List(Arc::new(values.to_vec()));
                let of = below(of);
                let mut lists: Vec<Value> = of.iter().map(|value| list(std::slice::from_ref(value))).collect();
                lists.insert(lists.len().min(1), list(&[]));
                lists.extend(of.windows(2).map(list));
                lists.extend(of.first().map(|value| list(&vec![value.clone(); LONG])));
                lists
            }
            Type::Set(of) => {
                let set = |values: &[Value]| Value::Set(Arc::new(values.iter().cloned().collect()));
                let of = below(of);
                let ones = of.iter().map(|value| set(std::slice::from_ref(value)));
                [set(&[])].into_iter().chain(ones).chain(of.windows(2).map(set)).collect()
            }
            Type::Map(key, value) => {
                let (keys, values) = (below(key), below(value));
                let map = |entries: BTreeMap<Value, Value>| Value::Map(Arc::new(entries));
                let mut maps = vec![map(BTreeMap::new())];
                for key in &keys {
                    maps.extend(values.iter().map(|value| map([(key.clone(), value.clone())].into())));
                }
                maps
            }
            Type::Refined(_, base) => self.some(base, size, depth),
            Type::Unknown => vec![],
        };
        values.into_iter().filter(|value| self.is_in(ty, value)).take(size.max(2)).collect()
    }

    /// Each constructor, with its fields one after the other.
    fn data(&self, id: usize, size: usize, depth: usize) -> Vec<Value> {
        let mut by_constructor: Vec<Vec<Value>> = vec![];
        for (number, constructor) in self.definitions.types[id].constructors.iter().enumerate() {
            let make = |fields: Vec<Value>| Value::Data(id, number as u32, fields.into());
            if constructor.fields.is_empty() {
                by_constructor.push(vec![make(vec![])]);
                continue;
            }
            if depth == 0 {
                continue;
            }
            let fields: Vec<Vec<Value>> =
                constructor.fields.iter().map(|(_, ty)| self.some(ty, size, depth - 1)).collect();
            if fields.iter().any(Vec::is_empty) {
                continue;
            }
            let longest = fields.iter().map(Vec::len).max().unwrap_or(0);
            let row = |place: usize| make(fields.iter().map(|of| of[place % of.len()].clone()).collect());
            by_constructor.push((0..longest).map(row).collect());
        }
        let longest = by_constructor.iter().map(Vec::len).max().unwrap_or(0);
        (0..longest).flat_map(|place| by_constructor.iter().filter_map(move |of| of.get(place).cloned())).collect()
    }

    fn bound(&self, bound: &Bound) -> Option<BigInt> {
        let fuel = Fuel::new();
        match bound {
            Bound::Known(n) => Some(n.clone()),
            Bound::Open(expr, _) => match eval(expr, self.env(&fuel), &mut vec![]) {
                Ok(Value::Int(n)) => Some(n),
                _ => None,
            },
        }
    }

    fn is_in(&self, ty: &Type, value: &Value) -> bool {
        let fuel = Fuel::new();
        contains(ty, value, self.env(&fuel)) == Ok(true)
    }

    fn env<'f>(&'f self, fuel: &'f Fuel) -> Env<'f> {
        Env { definitions: self.definitions, slots: &[], fuel }
    }
}

/// The constants of a model.
fn in_model(system: &StepSystem) -> BTreeSet<Value> {
    let mut constants = BTreeSet::new();
    let mut look = |expr: &Expr| each_constant(expr, &mut constants);
    for machine in &system.machines {
        machine.transitions.iter().for_each(|transition| transition.expressions().for_each(&mut look));
    }
    system.definitions.functions.iter().for_each(|function| look(&function.body));
    system.definitions.refinements.iter().for_each(|refinement| look(&refinement.condition));
    constants.extend(system.definitions.constants.iter().flatten().cloned());
    constants.extend(system.slots.iter().filter_map(|slot| slot.init.clone()));
    let inputs = system.ticks.iter().flat_map(|tick| tick.inputs.iter().map(|(_, ty, _)| ty));
    let params = system.joints.iter().flat_map(|joint| joint.params.iter().flat_map(|(_, types)| types));
    for ty in system.slots.iter().map(|slot| &slot.ty).chain(inputs).chain(params) {
        ty.map_bounds(&mut |bound| {
            if let Bound::Known(end) = bound {
                constants.insert(Value::Int(end.clone()));
            }
            bound.clone()
        });
    }
    constants
}

fn each_constant(expr: &Expr, constants: &mut BTreeSet<Value>) {
    expr.map_leaves(&mut |leaf| {
        if let Expr::Const(value) = leaf {
            constants.insert(value.clone());
        }
        None
    });
}

/// Without repetitions, in the order of the first occurrence.
fn each_once<T: Clone + Ord>(values: Vec<T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    values.into_iter().filter(|value| seen.insert(value.clone())).collect()
}
