//! All runs of a model, breadth first, and a monitor beside them.

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::domains::Domains;
use super::steps::{Allowance, Stepper, beyond};
use super::{Beyond, Confirmation, Recheck};
use crate::history::{Known, Length, Live, Monitor};
use crate::kernel::{ChoiceError, Given, MAX_ELEMENTS, Run, Source, State, Step};
use crate::search::{Limits, Question};
use crate::term::{Env, Expr, Fuel, Type, Value, finite_values};

/// A run that a proof says does not exist.
#[derive(Clone, Debug, PartialEq)]
pub struct Contradiction {
    /// The run.
    pub run: Run,
    /// Values that exist once for it, with which it meets the question.
    pub open: Vec<Value>,
}

/// Walks all runs that a question asks for, of which there should be none.
pub fn walk(
    question: Question<'_>,
    length: Length,
    recheck: Recheck,
    limits: &Limits,
) -> Result<Confirmation, Box<Contradiction>> {
    Walker::new(question, length, recheck, limits)
        .map_or(Ok(Confirmation::NotAsked), |mut walker| walker.walk(question.monitor))
}

/// Walks through the runs of one model for several questions about it, within one allowance.
pub struct Walker<'a> {
    question: Question<'a>,
    length: Length,
    exact: Stepper<'a>,
    /// What is tried where values cannot be listed; found out by the first walk.
    small: Option<Small<'a>>,
    limits: &'a Limits,
}

/// Steps with a few values of each type.
struct Small<'a> {
    /// Why not with all of them.
    why: Beyond,
    domains: Domains<'a>,
    /// For each number of values.
    steppers: Vec<(usize, Stepper<'a>)>,
}

impl<'a> Walker<'a> {
    /// A walker for questions that together mention what this one does; none if none is wanted.
    pub fn new(question: Question<'a>, length: Length, recheck: Recheck, limits: &'a Limits) -> Option<Walker<'a>> {
        let exact = Stepper::new(question.system, Given::default(), Allowance::of(recheck, limits)?);
        Some(Walker { question, length, exact, small: None, limits })
    }

    /// Looks for a run that meets what a monitor watches.
    pub fn walk(&mut self, monitor: &Monitor) -> Result<Confirmation, Box<Contradiction>> {
        let question = Question { monitor, ..self.question };
        let mut visited = 0;
        if self.small.is_none() {
            let mut all = Walk::new(question, self.length, &mut self.exact);
            let ran = self.limits.attempt(|| all.run(&|ty| listed(question, ty)));
            match ran.unwrap_or_else(|limit| Err(Beyond::Limit(limit))) {
                Ok(None) => return Ok(Confirmation::Confirmed { states: all.places.len() }),
                Ok(Some(found)) => return Err(Box::new(found)),
                Err(why @ Beyond::Values(_)) => {
                    visited = all.places.len();
                    self.small = Some(Small::new(self.question, why, self.limits));
                }
                Err(why) => return Ok(Confirmation::Attacked { states: all.places.len(), why }),
            }
        }
        let Small { why, domains, steppers } = self.small.as_mut().expect("set where values cannot be listed");
        for (size, stepper) in steppers {
            let mut part = Walk::new(question, self.length, stepper);
            let ran = self.limits.attempt(|| part.run(&|ty| Ok(domains.values(ty, *size))));
            if let Ok(Ok(Some(found))) = ran {
                return Err(Box::new(found));
            }
            visited += part.places.len();
        }
        Ok(Confirmation::Attacked { states: visited, why: why.clone() })
    }
}

impl<'a> Small<'a> {
    fn new(question: Question<'a>, why: Beyond, limits: &'a Limits) -> Small<'a> {
        let domains = Domains::of(question);
        let stepper = |(size, allowance)| (size, Stepper::new(question.system, domains.given(size), allowance));
        let steppers = Allowance::attack(limits).into_iter().map(stepper).collect();
        Small { why, domains, steppers }
    }
}

fn listed(question: Question<'_>, ty: &Type) -> Result<Vec<Value>, Beyond> {
    let fuel = Fuel::new();
    let env = Env { definitions: &question.lists.names.definitions, slots: &[], fuel: &fuel };
    let what = "a value that the purpose leaves open".to_owned();
    finite_values(ty, &Default::default(), env).map_err(|reason| beyond(ChoiceError::NoValues { what, reason }))
}

/// Where a run is.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Place {
    state: State,
    /// What is left to show.
    live: Vec<Live<Value>>,
    /// Which values exist once for the run, by number.
    open: usize,
    /// Steps taken, as far as they matter.
    counted: usize,
}

/// A place with the way to it.
struct Met {
    place: Rc<Place>,
    depth: usize,
    before: Option<(usize, Step)>,
}

struct Walk<'a, 's, 'q> {
    question: Question<'q>,
    length: Length,
    stepper: &'s mut Stepper<'a>,
    places: FxHashSet<Rc<Place>>,
    met: Vec<Met>,
    queue: VecDeque<usize>,
    /// Elements of the values of all places.
    elements: usize,
    looks_at_clock: bool,
}

impl<'a, 's, 'q> Walk<'a, 's, 'q> {
    fn new(question: Question<'q>, length: Length, stepper: &'s mut Stepper<'a>) -> Walk<'a, 's, 'q> {
        let mut looks_at_clock = false;
        for list in &question.monitor.lists {
            each_slot(list, &mut |slot| looks_at_clock |= question.lists.sources[slot] == Source::Clock);
        }
        let (places, met, queue) = Default::default();
        Walk { question, length, stepper, places, met, queue, elements: 0, looks_at_clock }
    }

    /// A run that meets the question; none if there is none among those with these values.
    fn run(&mut self, values: &dyn Fn(&Type) -> Result<Vec<Value>, Beyond>) -> Result<Option<Contradiction>, Beyond> {
        let Question { system, lists, monitor } = self.question;
        let combinations = self.combinations(values)?;
        let known = |open: usize| Known { monitor, definitions: &lists.names.definitions, open: &combinations[open] };
        for state in self.stepper.initial()? {
            for open in 0..combinations.len() {
                let live = known(open).start().map_err(Beyond::Evaluation)?;
                self.meet(state.clone(), live, open, None)?;
            }
        }
        while let Some(number) = self.queue.pop_front() {
            let (place, depth) = (self.met[number].place.clone(), self.met[number].depth);
            let known = known(place.open);
            if self.length.contains(depth) && known.hold_at_stop(&place.live).map_err(Beyond::Evaluation)? {
                let run = self.run_to(number);
                return Ok(Some(Contradiction { run, open: combinations[place.open].clone() }));
            }
            if self.length.high.is_some_and(|high| depth >= high) {
                continue;
            }
            for step in self.stepper.steps(&place.state)?.iter() {
                let observed = lists.observe(system, &place.state, step, depth + 1);
                let live = known.advance(&place.live, &observed).map_err(Beyond::Evaluation)?;
                self.meet(step.next.clone(), live, place.open, Some((number, step.clone())))?;
            }
        }
        Ok(None)
    }

    /// All combinations of values that exist once for a run; absent where no rule looks at one.
    fn combinations(&self, values: &dyn Fn(&Type) -> Result<Vec<Value>, Beyond>) -> Result<Vec<Vec<Value>>, Beyond> {
        let monitor = self.question.monitor;
        let mut used = vec![false; monitor.open.len()];
        let mut look = |expr: &Expr| {
            expr.map_leaves(&mut |leaf| {
                if let Expr::Local(local) = leaf
                    && let Some(used) = used.get_mut(*local)
                {
                    *used = true;
                }
                None
            });
        };
        monitor.lists.iter().for_each(&mut look);
        for formula in &monitor.start {
            formula.each_use(&mut |rule| rule.args.iter().for_each(&mut look));
        }
        let mut rows: Vec<Vec<Value>> = vec![vec![]];
        for (ty, used) in monitor.open.iter().zip(used) {
            let values = if used { values(ty)? } else { vec![Value::Absent] };
            self.stepper.allowance().allows_states(rows.len().saturating_mul(values.len()))?;
            let longer = |row: &Vec<Value>, value: &Value| [&row[..], std::slice::from_ref(value)].concat();
            rows = rows.iter().flat_map(|row| values.iter().map(move |value| longer(row, value))).collect();
        }
        Ok(rows)
    }

    fn meet(
        &mut self,
        state: State,
        live: Vec<Live<Value>>,
        open: usize,
        before: Option<(usize, Step)>,
    ) -> Result<(), Beyond> {
        if live.contains(&Live::Decided(false)) {
            return Ok(());
        }
        let depth = before.as_ref().map_or(0, |(number, _)| self.met[*number].depth + 1);
        let counted = if self.looks_at_clock { depth } else { depth.min(self.length.low) };
        let place = Rc::new(Place { state, live, open, counted });
        if !self.places.insert(place.clone()) {
            return Ok(());
        }
        self.stepper.allowance().allows_states(self.places.len())?;
        let remembered = place.live.iter().map(Live::elements);
        self.elements += place.state.values.iter().map(Value::elements).chain(remembered).sum::<usize>();
        if self.elements > MAX_ELEMENTS {
            return Err(Beyond::Elements(MAX_ELEMENTS));
        }
        self.queue.push_back(self.met.len());
        self.met.push(Met { place, depth, before });
        Ok(())
    }

    fn run_to(&self, mut number: usize) -> Run {
        let mut steps = vec![];
        while let Some((before, step)) = &self.met[number].before {
            steps.push(step.clone());
            number = *before;
        }
        steps.reverse();
        Run { initial: self.met[number].place.state.clone(), steps }
    }
}

/// Calls `f` with every slot that an expression reads.
fn each_slot(expr: &Expr, f: &mut dyn FnMut(usize)) {
    expr.map_leaves(&mut |leaf| {
        if let Expr::Slot(slot) = leaf {
            f(*slot);
        }
        None
    });
}
