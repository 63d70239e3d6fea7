//! The monitor over open elements: where an element does not decide a clause, the branch splits.

use std::collections::HashMap;

use super::{Branch, OpenSpace};
use crate::history::{Formula, Instance, Live, When};
use crate::search::levels::Acceptance;
use crate::term::{OpenFrame, Partial, Term, Value};

/// Rules that become each other at the end of the list without deciding are cut off here, and fail.
const MAX_AT_STOP: u32 = 1_000;

/// Elements of lists that were looked at.
type Elements = HashMap<usize, Term>;

impl OpenSpace<'_> {
    /// What is to be shown before the first element.
    pub(super) fn first_live(&mut self, open: &[Term]) -> Option<Live<Term>> {
        let monitor = self.question.monitor;
        let lists: Vec<usize> = (0..monitor.lists.len()).collect();
        self.instantiate(&monitor.start, &lists, &open.iter().copied().map(Some).collect())
    }

    /// Ways in which the monitor can go on over one step.
    pub(super) fn advance(
        &mut self,
        branch: Branch,
        live: &Live<Term>,
        open: &[Term],
        observed: &[Term],
    ) -> Vec<(Branch, Live<Term>)> {
        let mut elements = Elements::new();
        self.advanced(branch, live, open, observed, &mut elements)
    }

    fn advanced(
        &mut self,
        branch: Branch,
        live: &Live<Term>,
        open: &[Term],
        observed: &[Term],
        elements: &mut Elements,
    ) -> Vec<(Branch, Live<Term>)> {
        match live {
            Live::Decided(_) => vec![(branch, live.clone())],
            Live::Rule(instance, positive) => {
                let mut frame: OpenFrame = vec![];
                for list in &instance.lists {
                    let Some(element) = self.element(*list, open, observed, elements) else { return vec![] };
                    frame.push(Some(element));
                }
                frame.extend(instance.args.iter().copied().map(Some));
                let next = self.look(branch, instance, 0, &frame);
                let signed = |(branch, live): (Branch, Live<Term>)| (branch, if *positive { live } else { live.not() });
                next.into_iter().map(signed).collect()
            }
            Live::All(parts) | Live::Any(parts) => {
                let all = matches!(live, Live::All(_));
                // A part that decides the whole ends the look at the others.
                let mut ways: Vec<(Branch, Vec<Live<Term>>, bool)> = vec![(branch, vec![], false)];
                for part in parts {
                    let mut next = vec![];
                    for (branch, mut done, decided) in ways {
                        if decided {
                            next.push((branch, done, true));
                            continue;
                        }
                        for (branch, result) in self.advanced(branch, part, open, observed, elements) {
                            if result == Live::Decided(!all) {
                                next.push((branch, vec![result], true));
                            } else {
                                let mut done = done.clone();
                                done.push(result);
                                next.push((branch, done, false));
                            }
                        }
                        done.clear();
                    }
                    ways = next;
                }
                let join = |parts: Vec<Live<Term>>| if all { Live::all(parts) } else { Live::any(parts) };
                ways.into_iter().map(|(branch, done, _)| (branch, join(done))).collect()
            }
        }
    }

    fn element(&mut self, list: usize, open: &[Term], observed: &[Term], elements: &mut Elements) -> Option<Term> {
        if let Some(element) = elements.get(&list) {
            return Some(*element);
        }
        let expr = &self.question.monitor.lists[list];
        let Partial { value, defined } = self.eval(expr, observed, &mut open.iter().copied().map(Some).collect())?;
        let absent = self.terms.constant(Value::Absent);
        let element = self.terms.choose(defined, value, absent);
        elements.insert(list, element);
        Some(element)
    }

    /// The clauses of a rule from one on, over one element.
    fn look(
        &mut self,
        branch: Branch,
        instance: &Instance<Term>,
        from: usize,
        frame: &OpenFrame,
    ) -> Vec<(Branch, Live<Term>)> {
        let monitor = self.question.monitor;
        let clauses = &monitor.rules[instance.rule].clauses;
        for (number, clause) in clauses.iter().enumerate().skip(from) {
            if clause.when == When::Stop {
                continue;
            }
            let mut bound = frame.clone();
            let Some(guard) = self.condition(&clause.guard, &[], &mut bound) else { return vec![] };
            let guard = branch.store.apply(&mut self.terms, guard);
            match branch.store.decide(&self.terms, guard) {
                Some(false) => continue,
                Some(true) => {
                    let becomes = self.instantiate(&clause.becomes, &instance.lists, &bound);
                    return becomes.map(|live| (branch, live)).into_iter().collect();
                }
                None => {}
            }
            let mut out = vec![];
            let mut matching = branch.clone();
            if self.assume(&mut matching, guard)
                && let Some(live) = self.instantiate(&clause.becomes, &instance.lists, &bound)
            {
                out.push((matching, live));
            }
            let mut other = branch;
            let contrary = self.terms.not(guard);
            if self.assume(&mut other, contrary) {
                out.extend(self.look(other, instance, number + 1, frame));
            }
            return out;
        }
        vec![(branch, Live::Decided(false))]
    }

    fn instantiate(&mut self, formula: &Formula, lists: &[usize], frame: &OpenFrame) -> Option<Live<Term>> {
        Some(match formula {
            Formula::Decided(truth) => Live::Decided(*truth),
            Formula::All(parts) => {
                let parts: Option<Vec<_>> = parts.iter().map(|part| self.instantiate(part, lists, frame)).collect();
                Live::all(parts?)
            }
            Formula::Any(parts) => {
                let parts: Option<Vec<_>> = parts.iter().map(|part| self.instantiate(part, lists, frame)).collect();
                Live::any(parts?)
            }
            Formula::Not(inner) => self.instantiate(inner, lists, frame)?.not(),
            Formula::Use(used) => {
                let mut args = vec![];
                for arg in &used.args {
                    let Partial { value, defined } = self.eval(arg, &[], &mut frame.clone())?;
                    let absent = self.terms.constant(Value::Absent);
                    args.push(self.terms.choose(defined, value, absent));
                }
                let lists = used.lists.iter().map(|list| lists[*list]).collect();
                Live::Rule(Instance { rule: used.rule, lists, args }, true)
            }
        })
    }

    /// Under which condition what is left holds at the end.
    pub(super) fn at_stop(&mut self, live: &Live<Term>, depth: u32) -> Option<Term> {
        Some(match live {
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
                let parts: Option<Vec<Term>> = parts.iter().map(|part| self.at_stop(part, depth)).collect();
                self.terms.all(parts?)
            }
            Live::Any(parts) => {
                let parts: Option<Vec<Term>> = parts.iter().map(|part| self.at_stop(part, depth)).collect();
                self.terms.any(parts?)
            }
        })
    }

    fn stop_clauses(&mut self, instance: &Instance<Term>, from: usize, frame: &OpenFrame, depth: u32) -> Option<Term> {
        let monitor = self.question.monitor;
        let clauses = &monitor.rules[instance.rule].clauses;
        for (number, clause) in clauses.iter().enumerate().skip(from) {
            if clause.when == When::Element {
                continue;
            }
            let mut bound = frame.clone();
            let guard = self.condition(&clause.guard, &[], &mut bound)?;
            if self.terms.is(guard, false) {
                continue;
            }
            let live = self.instantiate(&clause.becomes, &instance.lists, &bound)?;
            let holds = self.at_stop(&live, depth + 1)?;
            if self.terms.is(guard, true) {
                return Some(holds);
            }
            let otherwise = self.stop_clauses(instance, number + 1, frame, depth)?;
            return Some(self.terms.choose(guard, holds, otherwise));
        }
        Some(self.terms.bool(false))
    }

    /// Whether a run may end in a state.
    pub(super) fn acceptance(&mut self, state: u32) -> Acceptance {
        let live = self.states[state as usize].live.clone();
        let Some(condition) = self.at_stop(&live, 0) else { return Acceptance::Unknown };
        let mut branch = self.branch(state);
        if !self.assume(&mut branch, condition) {
            return Acceptance::No;
        }
        if branch.is_doubtful { Acceptance::Unknown } else { Acceptance::Yes }
    }
}
