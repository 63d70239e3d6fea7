//! Unrolling: one formula for all runs of a length, given to the solver as a whole.
//!
//! For goals that conjoin many conditions, where a search would have to try which of them to meet first. The steps are
//! asserted once and for good; what must be shown within a length is assumed for one check. Which transition fires in
//! which step is read from the model; the data is left to the symbolic engine, which follows that path.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::relation::{Frame, Made, Relation, StepTerms};
use super::symbolic::{Fired, Question};
use crate::history::{Formula, Instance, When};
use crate::kernel::{Part, Source};
use crate::solve::{GaveUp, Model, Solver, Verdict};
use crate::term::{Expr, OpenFrame, Partial, Symbolic, Term, Unsupported, Value};

/// What was found for one length.
#[derive(Clone, Debug, PartialEq)]
pub enum Unrolling {
    /// A run: what fires in each step, and in which joint.
    Found(Vec<(usize, Fired)>),
    /// There is none of this length.
    None,
    /// Nobody can tell.
    Unknown(GaveUp),
}

/// The unrolled model, as far as it was needed.
pub struct Unrolled<'a> {
    question: Question<'a>,
    relation: Relation<'a>,
    solver: Box<dyn Solver>,
    steps: Vec<StepTerms>,
    /// The moment after the last of them.
    last: Frame,
    open: Vec<Term>,
    calls: usize,
}

impl<'a> Unrolled<'a> {
    /// The model before its first step. An error if its values have no terms.
    pub fn new(question: Question<'a>, solver: Box<dyn Solver>) -> Result<Unrolled<'a>, Unsupported> {
        let mut relation = Relation::new(question);
        let last = relation.initial()?;
        let open = relation.open_values()?;
        Ok(Unrolled { question, relation, solver, steps: vec![], last, open, calls: 0 })
    }

    /// Why some runs are left out.
    pub fn gaps(&self) -> &BTreeSet<String> {
        self.relation.gaps()
    }

    /// How often the solver was asked.
    pub fn solver_calls(&self) -> usize {
        self.calls
    }

    /// Looks for a run of exactly this many steps that differs in what fires from those already known.
    pub fn of_length(
        &mut self,
        length: usize,
        others: &[Vec<(usize, Fired)>],
        stop: &dyn Fn() -> bool,
    ) -> Result<Unrolling, Unsupported> {
        while self.steps.len() < length {
            if stop() {
                return Ok(Unrolling::Unknown(GaveUp::Stopped));
            }
            let clock = self.relation.terms.int(self.steps.len() + 1);
            let (step, after) = self.relation.step(&self.last, clock)?;
            self.steps.push(step);
            self.last = after;
        }
        let goal = self.goal(length)?;
        if self.relation.terms.is(goal, false) {
            return Ok(Unrolling::None);
        }
        let mut assumed = vec![goal];
        for other in others.iter().filter(|other| other.len() == length) {
            assumed.push(self.differs(other));
        }
        self.assert_conditions();
        self.calls += 1;
        Ok(match self.solver.check(&self.relation.terms, &assumed) {
            Verdict::Unsatisfiable(_) => Unrolling::None,
            Verdict::Unknown(reason) => Unrolling::Unknown(reason),
            Verdict::Satisfiable(model) => match self.read(&model, length) {
                Some(fired) => Unrolling::Found(fired),
                None => Unrolling::Unknown("a model that cannot be read".into()),
            },
        })
    }

    /// That something else fires.
    fn differs(&mut self, plan: &[(usize, Fired)]) -> Term {
        let mut parts = vec![];
        for (step, (joint, fired)) in plan.iter().enumerate() {
            let n = self.relation.terms.int(*joint);
            let same = self.relation.terms.equal(self.steps[step].joint, n);
            parts.push(self.relation.terms.not(same));
            for (machine, transition) in fired {
                let idle = self.question.system.machines[*machine].transitions.len();
                let member = self.relation.member(Source::Fired(*machine), transition.unwrap_or(idle));
                let member = self.relation.terms.constant(member);
                let same = self.relation.terms.equal(self.steps[step].fired[*machine], member);
                parts.push(self.relation.terms.not(same));
            }
        }
        self.relation.terms.any(parts)
    }

    fn assert_conditions(&mut self) {
        for condition in self.relation.take_conditions() {
            self.solver.assert(&self.relation.terms, condition);
        }
    }

    /// That all constraints hold over the first steps.
    fn goal(&mut self, length: usize) -> Made<Term> {
        let monitor = self.question.monitor;
        let lists: Vec<usize> = (0..monitor.lists.len()).collect();
        let frame: OpenFrame = self.open.iter().copied().map(Some).collect();
        let mut known = Shown { length, holds: FxHashMap::default(), elements: FxHashMap::default() };
        let mut parts = vec![];
        for formula in &monitor.start {
            parts.push(self.shows(formula, &lists, &frame, 0, &mut known)?);
        }
        Ok(self.relation.terms.all(parts))
    }

    /// Under which condition a formula holds from a step on.
    fn shows(
        &mut self,
        formula: &Formula,
        lists: &[usize],
        frame: &OpenFrame,
        at: usize,
        known: &mut Shown,
    ) -> Made<Term> {
        Ok(match formula {
            Formula::Decided(truth) => self.relation.terms.bool(*truth),
            Formula::All(parts) => {
                let parts: Made<Vec<Term>> =
                    parts.iter().map(|part| self.shows(part, lists, frame, at, known)).collect();
                self.relation.terms.all(parts?)
            }
            Formula::Any(parts) => {
                let parts: Made<Vec<Term>> =
                    parts.iter().map(|part| self.shows(part, lists, frame, at, known)).collect();
                self.relation.terms.any(parts?)
            }
            Formula::Not(inner) => {
                let inner = self.shows(inner, lists, frame, at, known)?;
                self.relation.terms.not(inner)
            }
            Formula::Use(used) => {
                let mut args = vec![];
                for arg in &used.args {
                    args.push(self.value(arg, &[], &mut frame.clone())?);
                }
                let lists = used.lists.iter().map(|list| lists[*list]).collect();
                self.holds(&Instance { rule: used.rule, lists, args }, at, known)?
            }
        })
    }

    fn value(&mut self, expr: &Expr, slots: &[Term], frame: &mut OpenFrame) -> Made<Term> {
        let definitions = self.relation.definitions();
        let Partial { value, defined } =
            Symbolic::new(&mut self.relation.terms, definitions, slots).eval(expr, frame)?;
        let absent = self.relation.terms.constant(Value::Absent);
        Ok(self.relation.terms.choose(defined, value, absent))
    }

    /// Under which condition a rule holds from a step on.
    fn holds(&mut self, instance: &Instance<Term>, at: usize, known: &mut Shown) -> Made<Term> {
        let key = (instance.clone(), at);
        if let Some(term) = known.holds.get(&key) {
            return Ok(*term);
        }
        // A rule that comes back to itself at the end without deciding fails.
        if at > known.length + MAX_AT_STOP {
            return Ok(self.relation.terms.bool(false));
        }
        let is_end = at >= known.length;
        let mut frame: OpenFrame = vec![];
        for list in &instance.lists {
            let element =
                if is_end { self.relation.terms.constant(Value::Absent) } else { self.element(*list, at, known)? };
            frame.push(Some(element));
        }
        frame.extend(instance.args.iter().copied().map(Some));
        let monitor = self.question.monitor;
        let skipped = if is_end { When::Element } else { When::Stop };
        let mut cases = vec![];
        for clause in monitor.rules[instance.rule].clauses.iter().filter(|clause| clause.when != skipped) {
            let mut bound = frame.clone();
            let definitions = self.relation.definitions();
            let guard =
                Symbolic::new(&mut self.relation.terms, definitions, &[]).condition(&clause.guard, &mut bound)?;
            if self.relation.terms.is(guard, false) {
                continue;
            }
            let becomes = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
                self.shows(&clause.becomes, &instance.lists, &bound, at + 1, known)
            })?;
            cases.push((guard, becomes));
            if self.relation.terms.is(guard, true) {
                break;
            }
        }
        let mut result = self.relation.terms.bool(false);
        for (guard, becomes) in cases.into_iter().rev() {
            result = self.relation.terms.choose(guard, becomes, result);
        }
        let result = self.relation.named(result);
        known.holds.insert(key, result);
        Ok(result)
    }

    fn element(&mut self, list: usize, at: usize, known: &mut Shown) -> Made<Term> {
        if let Some(element) = known.elements.get(&(list, at)) {
            return Ok(*element);
        }
        let observed = self.steps[at].observed.clone();
        let mut frame: OpenFrame = self.open.iter().copied().map(Some).collect();
        let monitor = self.question.monitor;
        let element = self.value(&monitor.lists[list], &observed, &mut frame)?;
        known.elements.insert((list, at), element);
        Ok(element)
    }

    /// What fires in each step of a model.
    fn read(&mut self, model: &Model, length: usize) -> Option<Vec<(usize, Fired)>> {
        let mut out = vec![];
        for step in 0..length {
            let StepTerms { joint, fired, .. } = self.steps[step].clone();
            let Value::Int(joint) = self.in_model(joint, model)? else { return None };
            let joint = usize::try_from(joint).ok()?;
            let mut all = vec![];
            for part in self.machines_of(joint) {
                let Value::Data(_, member, _) = self.in_model(fired[part], model)? else { return None };
                let count = self.question.system.machines[part].transitions.len();
                all.push((part, Some(member as usize).filter(|member| *member < count)));
            }
            out.push((joint, all));
        }
        Some(out)
    }

    /// Machines that take part in a joint, in the interpreter's order.
    fn machines_of(&self, joint: usize) -> Vec<usize> {
        let system = self.question.system;
        let parts = system.joints[joint].parts.iter();
        parts
            .flat_map(|part| match part {
                Part::Tick(tick) => system.ticks[*tick].machines.clone(),
                Part::Switch { machine, .. } => vec![*machine],
            })
            .collect()
    }

    fn in_model(&mut self, term: Term, model: &Model) -> Option<Value> {
        let mut symbols = vec![];
        self.relation.terms.each_symbol(term, &mut |symbol| symbols.push(symbol));
        let mut known = FxHashMap::default();
        for symbol in symbols {
            let value = model.get(&symbol).cloned();
            let value = value.unwrap_or_else(|| self.relation.store.ranges[symbol.number as usize].simple());
            known.insert(symbol, self.relation.terms.constant(value));
        }
        let result = self.relation.terms.substitute(term, &|symbol| known.get(&symbol).copied());
        self.relation.terms.value(result).cloned()
    }
}

/// Steps beyond the end after which a rule is cut off.
const MAX_AT_STOP: usize = 100;

/// What was made for one length.
struct Shown {
    length: usize,
    holds: FxHashMap<(Instance<Term>, usize), Term>,
    elements: FxHashMap<(usize, usize), Term>,
}
