//! Rules over known elements: one look per element and live rule.

use super::live::Live;
use super::rule::{Formula, Instance, Monitor, When};
use crate::term::{Definitions, Env, Expr, Failure, Frame, Fuel, LimitKind, Value, eval};

/// Rules that become each other at the end of the list without deciding are cut off here, and fail.
const MAX_AT_STOP: u32 = 1_000;

/// A monitor that sees everything, with the definitions its expressions refer to.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The monitor.
    pub monitor: &'a Monitor,
    /// Types, functions, constants.
    pub definitions: &'a Definitions,
    /// Values of the monitor's open ones, the same for the whole run.
    pub open: &'a [Value],
}

/// What is looked at in one step.
struct Looked<'s> {
    observed: &'s [Value],
    /// Elements of the lists, once somebody asked for them.
    elements: Vec<Option<Value>>,
    /// Places in `observed` that were read, if somebody wants to know.
    reads: Option<Vec<usize>>,
}

impl Known<'_> {
    /// What is to be shown before the first element.
    pub fn start(&self) -> Result<Vec<Live<Value>>, LimitKind> {
        self.monitor.start.iter().map(|formula| self.start_of(formula)).collect()
    }

    /// What one formula asks for before the first element.
    pub fn start_of(&self, formula: &Formula) -> Result<Live<Value>, LimitKind> {
        let lists: Vec<usize> = (0..self.monitor.lists.len()).collect();
        self.instantiate(formula, &lists, &mut self.open.to_vec())
    }

    /// What is to be shown after one more element of every list; `observed` is what could be observed in the step.
    pub fn advance(&self, live: &[Live<Value>], observed: &[Value]) -> Result<Vec<Live<Value>>, LimitKind> {
        let mut looked = Looked { observed, elements: vec![None; self.monitor.lists.len()], reads: None };
        live.iter().map(|live| self.advanced(live, &mut looked)).collect()
    }

    /// The same for one formula, with what it looked at: the places in `observed`, added in the order of their first reading.
    /// What is read next, and what comes out, depends on what was read before and on nothing else.
    pub fn advance_reading(
        &self,
        live: &Live<Value>,
        observed: &[Value],
        reads: &mut Vec<usize>,
    ) -> Result<Live<Value>, LimitKind> {
        let elements = vec![None; self.monitor.lists.len()];
        let mut looked = Looked { observed, elements, reads: Some(std::mem::take(reads)) };
        let next = self.advanced(live, &mut looked);
        *reads = looked.reads.unwrap_or_default();
        next
    }

    /// Whether everything that is left holds at the end of the lists.
    pub fn hold_at_stop(&self, live: &[Live<Value>]) -> Result<bool, LimitKind> {
        for live in live {
            if !self.stopped(live, 0)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn advanced(&self, live: &Live<Value>, looked: &mut Looked<'_>) -> Result<Live<Value>, LimitKind> {
        match live {
            Live::Decided(_) => Ok(live.clone()),
            Live::Rule(instance, positive) => {
                let next = self.look(instance, looked)?;
                Ok(if *positive { next } else { next.not() })
            }
            Live::All(parts) => {
                let mut next = vec![];
                for part in parts {
                    match self.advanced(part, looked)? {
                        Live::Decided(false) => return Ok(Live::Decided(false)),
                        part => next.push(part),
                    }
                }
                Ok(Live::all(next))
            }
            Live::Any(parts) => {
                let mut next = vec![];
                for part in parts {
                    match self.advanced(part, looked)? {
                        Live::Decided(true) => return Ok(Live::Decided(true)),
                        part => next.push(part),
                    }
                }
                Ok(Live::any(next))
            }
        }
    }

    /// One rule looks at one element of its lists.
    fn look(&self, instance: &Instance<Value>, looked: &mut Looked<'_>) -> Result<Live<Value>, LimitKind> {
        let mut frame: Frame = vec![];
        for list in &instance.lists {
            let element = match &looked.elements[*list] {
                Some(element) => element.clone(),
                None => {
                    let element = self.element(*list, looked)?;
                    looked.elements[*list] = Some(element.clone());
                    element
                }
            };
            frame.push(element);
        }
        frame.extend(instance.args.iter().cloned());
        self.decide(instance, &frame, |when| when != When::Stop)
    }

    /// The element of a list; absent where it has no value.
    fn element(&self, list: usize, looked: &mut Looked<'_>) -> Result<Value, LimitKind> {
        let fuel = looked.reads.take().map_or_else(Fuel::new, Fuel::keeping_reads);
        let env = Env { definitions: self.definitions, slots: looked.observed, fuel: &fuel };
        let element = eval(&self.monitor.lists[list], env, &mut self.open.to_vec());
        looked.reads = fuel.into_reads();
        match element {
            Ok(value) => Ok(value),
            Err(Failure::Limit(limit)) => Err(limit),
            Err(_) => Ok(Value::Absent),
        }
    }

    /// The result of the first clause that matches.
    fn decide(
        &self,
        instance: &Instance<Value>,
        frame: &Frame,
        looked_at: impl Fn(When) -> bool,
    ) -> Result<Live<Value>, LimitKind> {
        for clause in &self.monitor.rules[instance.rule].clauses {
            if !looked_at(clause.when) {
                continue;
            }
            let mut frame = frame.clone();
            if self.test(&clause.guard, &mut frame)? {
                return self.instantiate(&clause.becomes, &instance.lists, &mut frame);
            }
        }
        Ok(Live::Decided(false))
    }

    fn test(&self, guard: &Expr, frame: &mut Frame) -> Result<bool, LimitKind> {
        let fuel = Fuel::new();
        let env = Env { definitions: self.definitions, slots: &[], fuel: &fuel };
        match eval(guard, env, frame) {
            Ok(value) => Ok(value.is_true()),
            Err(Failure::Limit(limit)) => Err(limit),
            Err(_) => Ok(false),
        }
    }

    /// A formula with its arguments evaluated; one that has no value is absent.
    fn instantiate(&self, formula: &Formula, lists: &[usize], frame: &mut Frame) -> Result<Live<Value>, LimitKind> {
        let mut all = |parts: &[Formula]| -> Result<Vec<Live<Value>>, LimitKind> {
            parts.iter().map(|part| self.instantiate(part, lists, frame)).collect()
        };
        Ok(match formula {
            Formula::Decided(truth) => Live::Decided(*truth),
            Formula::All(parts) => Live::all(all(parts)?),
            Formula::Any(parts) => Live::any(all(parts)?),
            Formula::Not(inner) => self.instantiate(inner, lists, frame)?.not(),
            Formula::Use(used) => {
                let mut args = vec![];
                for arg in &used.args {
                    let fuel = Fuel::new();
                    let env = Env { definitions: self.definitions, slots: &[], fuel: &fuel };
                    args.push(match eval(arg, env, frame) {
                        Ok(value) => value,
                        Err(Failure::Limit(limit)) => return Err(limit),
                        Err(_) => Value::Absent,
                    });
                }
                let lists = used.lists.iter().map(|list| lists[*list]).collect();
                Live::Rule(Instance { rule: used.rule, lists, args }, true)
            }
        })
    }

    fn stopped(&self, live: &Live<Value>, depth: u32) -> Result<bool, LimitKind> {
        match live {
            Live::Decided(truth) => Ok(*truth),
            Live::Rule(..) if depth > MAX_AT_STOP => Ok(false),
            Live::Rule(instance, positive) => {
                let mut frame: Frame = vec![Value::Absent; instance.lists.len()];
                frame.extend(instance.args.iter().cloned());
                let result = self.decide(instance, &frame, |when| when != When::Element)?;
                Ok(self.stopped(&result, depth + 1)? == *positive)
            }
            Live::All(parts) => {
                for part in parts {
                    if !self.stopped(part, depth)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Live::Any(parts) => {
                for part in parts {
                    if self.stopped(part, depth)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }
}
