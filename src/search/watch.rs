//! The monitor over open elements: where an element does not decide a clause, the look splits.
//!
//! Who watches says what is known: a [`Judge`] decides conditions and keeps what was assumed. The symbolic engine knows a
//! constraint store; the guide knows nothing, and so sees every way the monitor could go.

use rustc_hash::FxHashMap;

use crate::history::{Formula, Instance, Live, Monitor, When};
use crate::term::{Definitions, Expr, OpenFrame, Partial, Symbolic, Term, Terms, Unsupported, Value};

/// Rules that become each other at the end of the list without deciding are cut off here, and fail.
const MAX_AT_STOP: u32 = 1_000;

/// Knows what is assumed.
pub(crate) trait Judge {
    /// What was assumed so far.
    type Branch: Clone;
    /// The condition as far as it is not decided.
    fn known(&mut self, terms: &mut Terms, branch: &Self::Branch, condition: Term) -> Term;
    /// Adds a condition; false if it cannot hold.
    fn assume(&mut self, terms: &mut Terms, branch: &mut Self::Branch, condition: Term) -> bool;
}

/// Watches steps for a monitor.
pub(super) struct Watcher<'a, J> {
    pub monitor: &'a Monitor,
    pub definitions: &'a Definitions,
    pub terms: &'a mut Terms,
    pub judge: &'a mut J,
    /// Whether a formula that has failed is kept as such.
    pub keeps_failed: bool,
    /// Most ways to go on from one element; more of them are not looked at.
    pub most: usize,
}

/// Ways to go on: what was assumed, and what is left to show.
type Ways<B> = Vec<(B, Live<Term>)>;

/// A way for several formulas to go on together.
type WayOfAll<B> = (B, Vec<Live<Term>>);

/// Elements of lists that were looked at.
type Elements = FxHashMap<usize, Term>;

impl<J: Judge> Watcher<'_, J> {
    fn eval(&mut self, expr: &Expr, slots: &[Term], frame: &mut OpenFrame) -> Result<Partial, Unsupported> {
        Symbolic::new(self.terms, self.definitions, slots).eval(expr, frame)
    }

    /// The value, absent where it is not defined.
    fn value(&mut self, expr: &Expr, slots: &[Term], frame: &mut OpenFrame) -> Result<Term, Unsupported> {
        let Partial { value, defined } = self.eval(expr, slots, frame)?;
        let absent = self.terms.constant(Value::Absent);
        Ok(self.terms.choose(defined, value, absent))
    }

    fn condition(&mut self, expr: &Expr, frame: &mut OpenFrame) -> Result<Term, Unsupported> {
        Symbolic::new(self.terms, self.definitions, &[]).condition(expr, frame)
    }

    /// What is to be shown before the first element.
    pub fn start(&mut self, open: &[Term]) -> Result<Vec<Live<Term>>, Unsupported> {
        let monitor = self.monitor;
        let lists: Vec<usize> = (0..monitor.lists.len()).collect();
        let frame = open.iter().copied().map(Some).collect();
        monitor.start.iter().map(|formula| self.instantiate(formula, &lists, &frame)).collect()
    }

    /// Ways in which several formulas can go on over one step; without those in which one fails, unless these are kept.
    pub fn advance(
        &mut self,
        branch: J::Branch,
        live: &[Live<Term>],
        open: &[Term],
        observed: &[Term],
    ) -> Result<Vec<WayOfAll<J::Branch>>, Unsupported> {
        let mut elements = Elements::default();
        let mut ways = vec![(branch, vec![])];
        for one in live {
            let mut next = vec![];
            for (branch, done) in ways {
                for (branch, result) in self.advanced(branch, one, open, observed, &mut elements)? {
                    if self.keeps_failed || result != Live::Decided(false) {
                        let mut done: Vec<Live<Term>> = done.clone();
                        done.push(result);
                        next.push((branch, done));
                    }
                }
            }
            ways = next;
        }
        Ok(ways)
    }

    fn advanced(
        &mut self,
        branch: J::Branch,
        live: &Live<Term>,
        open: &[Term],
        observed: &[Term],
        elements: &mut Elements,
    ) -> Result<Ways<J::Branch>, Unsupported> {
        match live {
            Live::Decided(_) => Ok(vec![(branch, live.clone())]),
            Live::Rule(instance, positive) => {
                let mut frame: OpenFrame = vec![];
                for list in &instance.lists {
                    frame.push(Some(self.element(*list, open, observed, elements)?));
                }
                frame.extend(instance.args.iter().copied().map(Some));
                let ways = self.look(branch, instance, &frame)?;
                let signed = |live: Live<Term>| if *positive { live } else { live.not() };
                Ok(ways.into_iter().map(|(branch, live)| (branch, signed(live))).collect())
            }
            Live::All(parts) | Live::Any(parts) => {
                let all = matches!(live, Live::All(_));
                let join = |parts: Vec<Live<Term>>| if all { Live::all(parts) } else { Live::any(parts) };
                // A part that decides the whole ends the look at the others.
                let mut decided = vec![];
                let mut ways = vec![(branch, vec![])];
                for part in parts {
                    let mut next = vec![];
                    for (branch, done) in ways {
                        for (branch, result) in self.advanced(branch, part, open, observed, elements)? {
                            if result == Live::Decided(!all) {
                                decided.push((branch, result));
                            } else {
                                let mut done: Vec<Live<Term>> = done.clone();
                                done.push(result);
                                next.push((branch, done));
                            }
                        }
                    }
                    ways = next;
                    if ways.len() + decided.len() > self.most {
                        return Err(too_many_ways());
                    }
                }
                decided.extend(ways.into_iter().map(|(branch, done)| (branch, join(done))));
                Ok(decided)
            }
        }
    }

    fn element(
        &mut self,
        list: usize,
        open: &[Term],
        observed: &[Term],
        elements: &mut Elements,
    ) -> Result<Term, Unsupported> {
        if let Some(element) = elements.get(&list) {
            return Ok(*element);
        }
        let monitor = self.monitor;
        let element = self.value(&monitor.lists[list], observed, &mut open.iter().copied().map(Some).collect())?;
        elements.insert(list, element);
        Ok(element)
    }

    /// The clauses of a rule, over one element.
    fn look(
        &mut self,
        mut branch: J::Branch,
        instance: &Instance<Term>,
        frame: &OpenFrame,
    ) -> Result<Ways<J::Branch>, Unsupported> {
        let monitor = self.monitor;
        let mut ways = vec![];
        for clause in monitor.rules[instance.rule].clauses.iter().filter(|clause| clause.when != When::Stop) {
            let mut bound = frame.clone();
            let guard = self.condition(&clause.guard, &mut bound)?;
            let guard = self.judge.known(self.terms, &branch, guard);
            if self.terms.is(guard, false) {
                continue;
            }
            if self.terms.is(guard, true) {
                ways.push((branch, self.instantiate(&clause.becomes, &instance.lists, &bound)?));
                return Ok(ways);
            }
            let mut matching = branch.clone();
            if self.judge.assume(self.terms, &mut matching, guard) {
                ways.push((matching, self.instantiate(&clause.becomes, &instance.lists, &bound)?));
            }
            let contrary = self.terms.not(guard);
            if !self.judge.assume(self.terms, &mut branch, contrary) {
                return Ok(ways);
            }
            if ways.len() > self.most {
                return Err(too_many_ways());
            }
        }
        ways.push((branch, Live::Decided(false)));
        Ok(ways)
    }

    fn instantiate(
        &mut self,
        formula: &Formula,
        lists: &[usize],
        frame: &OpenFrame,
    ) -> Result<Live<Term>, Unsupported> {
        let mut all = |parts: &[Formula]| -> Result<Vec<Live<Term>>, Unsupported> {
            parts.iter().map(|part| self.instantiate(part, lists, frame)).collect()
        };
        Ok(match formula {
            Formula::Decided(truth) => Live::Decided(*truth),
            Formula::All(parts) => Live::all(all(parts)?),
            Formula::Any(parts) => Live::any(all(parts)?),
            Formula::Not(inner) => self.instantiate(inner, lists, frame)?.not(),
            Formula::Use(used) => {
                let args: Result<Vec<Term>, Unsupported> =
                    used.args.iter().map(|arg| self.value(arg, &[], &mut frame.clone())).collect();
                let lists = used.lists.iter().map(|list| lists[*list]).collect();
                Live::Rule(Instance { rule: used.rule, lists, args: args? }, true)
            }
        })
    }

    /// Under which condition everything that is left holds at the end.
    pub fn at_stop(&mut self, live: &[Live<Term>]) -> Result<Term, Unsupported> {
        let parts: Result<Vec<Term>, Unsupported> = live.iter().map(|live| self.stopped(live, 0)).collect();
        Ok(self.terms.all(parts?))
    }

    fn stopped(&mut self, live: &Live<Term>, depth: u32) -> Result<Term, Unsupported> {
        let mut all = |parts: &[Live<Term>]| -> Result<Vec<Term>, Unsupported> {
            parts.iter().map(|part| self.stopped(part, depth)).collect()
        };
        Ok(match live {
            Live::Decided(truth) => self.terms.bool(*truth),
            Live::Rule(..) if depth > MAX_AT_STOP => self.terms.bool(false),
            Live::Rule(instance, positive) => {
                let absent = self.terms.constant(Value::Absent);
                let mut frame: OpenFrame = vec![Some(absent); instance.lists.len()];
                frame.extend(instance.args.iter().copied().map(Some));
                let holds = self.stop_clauses(instance, 0, &frame, depth)?;
                if *positive { holds } else { self.terms.not(holds) }
            }
            Live::All(parts) => {
                let parts = all(parts)?;
                self.terms.all(parts)
            }
            Live::Any(parts) => {
                let parts = all(parts)?;
                self.terms.any(parts)
            }
        })
    }

    fn stop_clauses(
        &mut self,
        instance: &Instance<Term>,
        from: usize,
        frame: &OpenFrame,
        depth: u32,
    ) -> Result<Term, Unsupported> {
        let monitor = self.monitor;
        let clauses = &monitor.rules[instance.rule].clauses;
        for (number, clause) in clauses.iter().enumerate().skip(from) {
            if clause.when == When::Element {
                continue;
            }
            let mut bound = frame.clone();
            let guard = self.condition(&clause.guard, &mut bound)?;
            if self.terms.is(guard, false) {
                continue;
            }
            let live = self.instantiate(&clause.becomes, &instance.lists, &bound)?;
            let holds = self.stopped(&live, depth + 1)?;
            if self.terms.is(guard, true) {
                return Ok(holds);
            }
            let otherwise = self.stop_clauses(instance, number + 1, frame, depth)?;
            return Ok(self.terms.choose(guard, holds, otherwise));
        }
        Ok(self.terms.bool(false))
    }
}

fn too_many_ways() -> Unsupported {
    Unsupported("too many ways to go on".to_owned())
}
