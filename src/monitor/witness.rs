//! Values that exist once for a run, where there are too many to try them all.
//!
//! The steps of a run that is not too long are kept, and at its end the values that were seen in it are tried. One that fits is
//! an answer; that none of them does is not.

use std::collections::BTreeSet;

use super::judge::Now;
use crate::history::{Known, Live, Monitor};
use crate::term::{Definitions, Env, Fuel, LimitKind, Type, Value, contains};

/// Most steps that are kept.
const MAX_STEPS: usize = 2_000;
/// Most choices that are tried, and steps that are taken for that.
const MAX_CHOICES: usize = 5_000;
const MAX_WORK: usize = 2_000_000;

/// Constraints that share open values.
pub(super) struct Witness {
    monitor: Monitor,
    /// Lists that are looked at.
    lists: Vec<usize>,
    /// Elements of these lists, step by step, and when they were seen.
    history: Vec<(Now, Vec<Value>)>,
    count: usize,
    /// Why not all values can be tried.
    pub reason: String,
}

impl Witness {
    pub fn new(monitor: Monitor, lists: Vec<usize>, count: usize, reason: String) -> Witness {
        Witness { monitor, lists, history: vec![], count, reason }
    }

    /// Keeps a step. Says whether there is room for it.
    pub fn keep(&mut self, elements: &[Value], now: Now) -> bool {
        self.history.push((now, self.lists.iter().map(|list| elements[*list].clone()).collect()));
        self.history.len() <= MAX_STEPS
    }

    /// When a step was seen, from one.
    pub fn moment(&self, step: usize) -> Now {
        let moment = self.history.get(step.wrapping_sub(1)).map(|(now, _)| *now);
        moment.unwrap_or(Now { event: 0, line: 0 })
    }

    /// Whether some choice of values that were seen fits: the least number of steps after which one does, however the run goes
    /// on, or at its end.
    pub fn found(&self, at_stop: bool, definitions: &Definitions) -> Result<Option<usize>, LimitKind> {
        let mut seen = BTreeSet::new();
        self.history.iter().flat_map(|(_, row)| row).for_each(|value| parts(value, &mut seen));
        let mut choices: Vec<Vec<Value>> = vec![vec![]];
        for ty in &self.monitor.open {
            let fitting: Vec<&Value> = seen.iter().filter(|value| has_type(value, ty, definitions)).collect();
            if choices.len().saturating_mul(fitting.len()) > MAX_CHOICES {
                return Ok(None);
            }
            let longer = |row: &Vec<Value>, value: &Value| [&row[..], std::slice::from_ref(value)].concat();
            choices = choices.iter().flat_map(|row| fitting.iter().map(move |value| longer(row, value))).collect();
        }
        if choices.len().saturating_mul(self.history.len()) > MAX_WORK {
            return Ok(None);
        }
        let mut least = None;
        for open in &choices {
            let steps = self.fits(open, at_stop, definitions)?;
            least = steps.into_iter().chain(least).min();
            // At the end it does not matter which of them it was.
            if least.is_some() && at_stop {
                break;
            }
        }
        Ok(least)
    }

    fn fits(&self, open: &[Value], at_stop: bool, definitions: &Definitions) -> Result<Option<usize>, LimitKind> {
        let known = Known { monitor: &self.monitor, definitions, open };
        let mut live = known.start()?;
        let mut elements = vec![Value::Absent; self.count];
        for (number, (_, row)) in self.history.iter().enumerate() {
            for (list, value) in self.lists.iter().zip(row) {
                elements[*list] = value.clone();
            }
            live = known.advance(&live, &elements)?;
            if live.contains(&Live::Decided(false)) {
                return Ok(None);
            }
            if live.iter().all(|one| *one == Live::Decided(true)) {
                return Ok(Some(number + 1));
            }
        }
        let holds = at_stop && known.hold_at_stop(&live)?;
        Ok(holds.then_some(self.history.len()))
    }
}

/// A value and everything inside it.
fn parts(value: &Value, out: &mut BTreeSet<Value>) {
    match value {
        Value::Absent => return,
        Value::Data(_, _, fields) => fields.iter().for_each(|field| parts(field, out)),
        Value::List(list) => list.iter().for_each(|element| parts(element, out)),
        Value::Set(set) => set.iter().for_each(|element| parts(element, out)),
        Value::Map(map) => map.iter().for_each(|(key, element)| {
            parts(key, out);
            parts(element, out);
        }),
        Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Text(_) => {}
    }
    out.insert(value.clone());
}

fn has_type(value: &Value, ty: &Type, definitions: &Definitions) -> bool {
    let fuel = Fuel::new();
    has_shape(value, ty) && contains(ty, value, Env { definitions, slots: &[], fuel: &fuel }).is_ok_and(|fits| fits)
}

/// Whether a value is of the same kind as those of a type.
fn has_shape(value: &Value, ty: &Type) -> bool {
    match (value, ty) {
        (value, Type::Refined(_, base)) => has_shape(value, base),
        (Value::Data(id, ..), Type::Data(other)) => id == other,
        (Value::Data(id, ..), Type::Option(_)) => *id == Definitions::OPTION,
        (Value::Bool(_), Type::Bool)
        | (Value::Int(_), Type::Int { .. })
        | (Value::Real(_), Type::Real)
        | (Value::Text(_), Type::Text)
        | (Value::List(_), Type::List(_))
        | (Value::Set(_), Type::Set(_))
        | (Value::Map(_), Type::Map(..)) => true,
        _ => false,
    }
}
