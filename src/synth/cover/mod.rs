//! Suites: sequences chosen together to cover items, as few steps or as few sequences as can be had.
//!
//! Control is asked first, item by item. Parts of the model that know nothing of each other are covered one by one (`part`) and
//! put together (`assemble`). What a graph does not show near its start may be impossible, which induction can prove; what it
//! did not show at all is asked item by item, like a purpose. Every sequence is replayed, and what it covers is counted again from the replay
//! by the rules alone (`count`): what is reported is what was counted.

mod assemble;
mod attained;
mod count;
mod names;
mod part;

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::answer::{Answer, Answered, Proof, Statistics};
use super::generate::{Engine, Options, answer};
use super::sequence::{Disagreement, within_limits};
use crate::confirm::{Confirmation, Contradiction, Recheck, Walker};
use crate::history::{Length, Purpose};
use crate::kernel::{Lists, Run, StepSystem};
use crate::search::cover::ItemSet;
use crate::search::{
    Apart, Guide, Induction, Limits, Parts, Progress, Question, loose_parts_of, parts_of, prove, reduced,
};
use crate::solve::NewSolver;
use crate::term::Terms;
pub use attained::{NotAttained, take_symbolic_states, with_symbolic_states};
use count::{Counted, count};
pub use names::item_names;
use part::{OfPart, Part};

/// What is made small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Minimise {
    /// Steps of all sequences together, however many these are.
    Steps,
    /// The number of sequences, and then their steps.
    Sequences,
}

/// How a suite is searched for.
#[derive(Clone, Copy)]
pub struct CoverOptions<'a> {
    /// What is made small.
    pub minimise: Minimise,
    /// Seed of the data.
    pub seed: u64,
    /// How to search.
    pub engine: Engine,
    /// Limits; `depth` is the user's bound on the length of a sequence.
    pub limits: Limits,
    /// Makes solvers.
    pub solver: NewSolver<'a>,
    /// Items that may be asked for at the same time.
    pub threads: usize,
    /// Whether proofs are to be confirmed.
    pub recheck: Recheck,
}

/// What became of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// A sequence of the suite covers it.
    Covered,
    /// No run covers it.
    Impossible(Proof),
    /// No run covers it up to a bound that the user gave.
    NotFound(String),
    /// Nobody can tell, for this reason.
    Unknown(String),
}

/// A sequence of a suite.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// The run.
    pub run: Run,
    /// The items it covers, in order, with the step after which each of them is covered; that of the last step, where it
    /// takes the end of the run.
    pub covers: Vec<(usize, usize)>,
}

/// A suite, and what it covers.
#[derive(Clone, Debug)]
pub struct Suite {
    /// Item by item: the constraints of the purpose.
    pub items: Vec<Status>,
    /// What a second way says of the proofs of impossible items, by number.
    pub confirmations: BTreeMap<usize, Confirmation>,
    /// The sequences.
    pub sequences: Vec<Sequence>,
    /// No suite that covers the same has fewer steps; where sequences are to be few, none with as few sequences.
    pub lower_bound: usize,
    /// No suite that covers the same has fewer steps, with however many sequences.
    least_steps: usize,
    /// Whether none is better, in what was to be made small.
    pub is_optimal: bool,
    /// Why it may not be the best.
    pub reason: Option<String>,
    /// Counts.
    pub statistics: Statistics,
}

impl Suite {
    /// Steps of all sequences together.
    pub fn steps(&self) -> usize {
        self.sequences.iter().map(|sequence| sequence.run.steps.len()).sum()
    }
}

/// Looks for a suite that covers the constraints of a purpose, each for itself.
pub fn cover(
    system: &StepSystem,
    lists: &Lists,
    purpose: &Purpose,
    options: &CoverOptions<'_>,
    progress: &mut dyn Progress,
) -> Result<Suite, Disagreement> {
    let asked = purpose.lengths();
    let length = asked.and(Length { low: 0, high: options.limits.depth });
    let all: Vec<usize> = (0..purpose.constraints.len()).collect();
    let monitor = purpose.monitor(&all, None);
    let question = Question { system, lists, monitor: &monitor };
    let mut items: BTreeMap<usize, Status> = BTreeMap::new();
    if length.is_empty() {
        items.extend(all.iter().map(|item| (*item, Status::Impossible(Proof::Length))));
    } else {
        items.extend(refuted(&question, purpose, &options.limits));
    }
    let wanted: ItemSet = all.iter().copied().filter(|item| !items.contains_key(item)).collect();
    let covering = Covering { question, purpose, asked, length, options };
    let mut found = covering.found(&wanted, progress)?;
    let mut limit = None;
    let runs = within_limits(assemble::runs(system, &found.parts), &mut limit)?.unwrap_or_default();
    let counted = match limit {
        None => within_limits(covering.counted(&runs, &found), &mut limit)?.unwrap_or_default(),
        Some(_) => vec![],
    };
    if let Some(limit) = limit {
        found.give_up(limit);
    }
    let mut sequences: Vec<Sequence> = runs.into_iter().zip(counted).map(sequence).collect();
    // What no graph showed is asked item by item.
    let mut left: Vec<(usize, Status)> = found.open.into_iter().collect();
    left.retain(|(item, _)| !sequences.iter().any(|sequence| sequence.has(*item)));
    let (mut has_more, in_graph) = (false, sequences.len());
    for (item, status, run) in covering.one_by_one(left) {
        items.insert(item, status);
        let is_needed = !sequences.iter().any(|sequence| sequence.has(item));
        if let (Some(run), true) = (run, is_needed) {
            let mut limit = None;
            has_more = true;
            match within_limits(count(&question, &run), &mut limit)? {
                Some(counted) => sequences.push(sequence((run, counted))),
                None => drop(items.insert(item, Status::Unknown(limit.unwrap_or_default()))),
            }
        }
    }
    if has_more {
        without_needless(&mut sequences);
        found.is_optimal = false;
        found.reason.get_or_insert_with(|| "some items were searched for one by one".to_owned());
        // With more sequences, what the graph showed may take fewer steps.
        if sequences.len() > in_graph {
            found.lower_bound = found.least_steps;
        }
    }
    items.extend(found.impossible.into_iter().map(|(item, proof)| (item, Status::Impossible(proof))));
    items.extend(found.not_found.into_iter().map(|(item, reason)| (item, Status::NotFound(reason))));
    for sequence in &sequences {
        for (item, _) in &sequence.covers {
            let earlier = items.insert(*item, Status::Covered);
            // What was proved to be impossible has happened.
            if matches!(earlier, Some(Status::Impossible(_))) {
                return Err(Disagreement::Rules { model: system.name.clone() });
            }
        }
    }
    let suite = Suite {
        confirmations: covering.confirmed(&items)?,
        items: all.iter().map(|item| items.remove(item).expect("every item was looked for")).collect(),
        least_steps: found.least_steps,
        lower_bound: found.lower_bound,
        is_optimal: found.is_optimal,
        reason: found.reason.filter(|_| !found.is_optimal),
        statistics: found.statistics,
        sequences,
    };
    Ok(suite)
}

/// Parts with their constraints.
fn split(parts: Vec<Apart>) -> Vec<(Option<Apart>, Vec<usize>)> {
    parts.into_iter().map(|part| (Some(part.clone()), part.constraints)).collect()
}

fn sequence((run, counted): (Run, Counted)) -> Sequence {
    Sequence { run, covers: counted }
}

impl Sequence {
    fn has(&self, item: usize) -> bool {
        self.covers.iter().any(|(covered, _)| *covered == item)
    }
}

/// Items that control alone makes impossible.
fn refuted(question: &Question<'_>, purpose: &Purpose, limits: &Limits) -> Vec<(usize, Status)> {
    let mut out = vec![];
    for item in 0..purpose.constraints.len() {
        if limits.used_up().is_some() {
            break;
        }
        let monitor = purpose.monitor(&[item], None);
        let asked = Question { monitor: &monitor, ..*question };
        let Ok(guide) = limits.attempt(|| Guide::within(&asked, &mut Terms::new(), limits)) else { break };
        if let Some((_, machines)) = guide.refuted() {
            let machines = machines.iter().map(|machine| question.system.machines[*machine].name.clone()).collect();
            out.push((item, Status::Impossible(Proof::Control { machines })));
        }
    }
    out
}

/// Leaves out sequences whose items others cover as well, the longest first.
fn without_needless(sequences: &mut Vec<Sequence>) {
    let mut order: Vec<usize> = (0..sequences.len()).collect();
    order.sort_by_key(|place| std::cmp::Reverse(sequences[*place].run.steps.len()));
    let mut needless = vec![false; sequences.len()];
    for place in order {
        let is_elsewhere = |item: usize| {
            let others = (0..sequences.len()).filter(|other| *other != place && !needless[*other]);
            others.into_iter().any(|other| sequences[other].has(item))
        };
        needless[place] = sequences[place].covers.iter().all(|(item, _)| is_elsewhere(*item));
    }
    let mut places = needless.into_iter();
    sequences.retain(|_| !places.next().expect("one for each"));
}

/// What came of the graphs of all parts.
#[derive(Default)]
struct Found {
    parts: Vec<(Option<Apart>, OfPart)>,
    impossible: BTreeMap<usize, Proof>,
    not_found: BTreeMap<usize, String>,
    open: BTreeMap<usize, Status>,
    lower_bound: usize,
    least_steps: usize,
    is_optimal: bool,
    reason: Option<String>,
    statistics: Statistics,
}

impl Found {
    /// The sequences could not be replayed: what they cover is asked for item by item.
    fn give_up(&mut self, limit: String) {
        let parts = std::mem::take(&mut self.parts);
        let covered = parts.iter().flat_map(|(_, of_part)| of_part.covered.iter());
        self.open.extend(covered.map(|item| (item, Status::Unknown(limit.clone()))));
        (self.lower_bound, self.least_steps, self.is_optimal) = (0, 0, false);
        self.reason = Some(limit);
    }
}

/// A question about items.
struct Covering<'a> {
    question: Question<'a>,
    purpose: &'a Purpose,
    /// Lengths that the purpose allows.
    asked: Length,
    /// Lengths that are looked at.
    length: Length,
    options: &'a CoverOptions<'a>,
}

impl Covering<'_> {
    /// Covers what can be covered; in a service first with the orders left out at which no item looks.
    fn found(&self, wanted: &ItemSet, progress: &mut dyn Progress) -> Result<Found, Disagreement> {
        let own: Vec<usize> = wanted.iter().collect();
        let monitor = self.purpose.monitor(&own, None);
        let asked = Question { monitor: &monitor, ..self.question };
        if let Ok(Some(reduced)) = self.options.limits.attempt(|| reduced(&asked)) {
            let fewer = Question { system: &reduced.system, ..self.question };
            let found = Covering { question: fewer, ..*self }.parts(wanted, progress)?;
            let mut plans = found.parts.iter().flat_map(|(_, of_part)| &of_part.plans);
            if plans.all(|plan| reduced.is_real(plan.steps.iter().map(|step| &step.fired))) {
                return Ok(found);
            }
        }
        self.parts(wanted, progress)
    }

    /// Covers what can be covered, part by part where there are parts.
    fn parts(&self, wanted: &ItemSet, progress: &mut dyn Progress) -> Result<Found, Disagreement> {
        // Lengths hold for runs of the whole.
        let may_part = self.length == Length::ANY && self.question.system.open_slots().is_empty();
        if may_part && let Some(Parts { parts, first, .. }) = parts_of(&self.question) {
            let found = self.each(split(parts), wanted, progress)?;
            // What the end of a run covers is about the whole of it.
            let has_ends = found.parts.iter().any(|(_, of_part)| of_part.has_ends);
            // What the first step covers comes with any sequence that has one.
            let mut plans = found.parts.iter().flat_map(|(_, of_part)| &of_part.plans);
            let has_steps = plans.any(|plan| !plan.steps.is_empty());
            if !has_ends && (has_steps || !first.iter().any(|item| wanted.contains(*item))) {
                return Ok(found);
            }
        }
        let whole = self.each(vec![(None, (0..self.purpose.constraints.len()).collect())], wanted, progress)?;
        if whole.open.is_empty() || !may_part || self.options.limits.used_up().is_some() {
            return Ok(whole);
        }
        match loose_parts_of(&self.question) {
            Some(parts) => self.loosely(parts, whole, wanted, progress),
            None => Ok(whole),
        }
    }

    /// Where the whole was too large to see everything: what parts cover, though steps of others may make a difference to it.
    /// Only what the runs of the whole turn out to cover counts, and nothing is known of how good they are.
    fn loosely(
        &self,
        parts: Parts,
        whole: Found,
        wanted: &ItemSet,
        progress: &mut dyn Progress,
    ) -> Result<Found, Disagreement> {
        let mut found = self.each(split(parts.parts), wanted, progress)?;
        let mut limit = None;
        let runs = within_limits(assemble::runs(self.question.system, &found.parts), &mut limit)?.unwrap_or_default();
        let mut covered = ItemSet::default();
        for run in &runs {
            let counted = within_limits(count(&self.question, run), &mut limit)?.unwrap_or_default();
            covered = covered.union(&counted.into_iter().map(|(item, _)| item).collect());
        }
        if limit.is_some() {
            return Ok(whole);
        }
        let in_whole: usize = whole.parts.iter().map(|(_, of_part)| of_part.covered.len()).sum();
        if covered.intersection(wanted).len() <= in_whole {
            return Ok(whole);
        }
        for (_, of_part) in &mut found.parts {
            of_part.covered = of_part.covered.intersection(&covered);
        }
        let reason = || "the model was too large to be looked at as a whole".to_owned();
        found.impossible.retain(|item, _| !parts.loose.contains(item) || whole.impossible.contains_key(item));
        let is_known = |found: &Found, item: usize| covered.contains(item) || found.impossible.contains_key(&item);
        let left: Vec<usize> = wanted.iter().filter(|item| !is_known(&found, *item)).collect();
        for item in left {
            match whole.impossible.get(&item) {
                Some(proof) => drop(found.impossible.insert(item, proof.clone())),
                None => drop(found.open.insert(item, Status::Unknown(reason()))),
            }
        }
        (found.lower_bound, found.least_steps, found.is_optimal) = (0, 0, false);
        found.reason = Some(reason());
        Ok(found)
    }

    fn each(
        &self,
        split: Vec<(Option<Apart>, Vec<usize>)>,
        wanted: &ItemSet,
        progress: &mut dyn Progress,
    ) -> Result<Found, Disagreement> {
        let mut found = Found::default();
        for (apart, constraints) in split {
            let own: Vec<usize> = constraints.into_iter().filter(|item| wanted.contains(*item)).collect();
            let monitor = self.purpose.monitor(&own, None);
            let refute = |item: usize| self.refuted(own[item]);
            let part = Part {
                question: Question { monitor: &monitor, ..self.question },
                apart: apart.as_ref(),
                length: self.length,
                options: self.options,
                refute: &refute,
            };
            let of_part = match self.options.limits.attempt(|| part.cover(progress)) {
                Ok(of_part) => of_part?,
                Err(limit) => OfPart::cut(own.len(), limit),
            };
            self.merge(&own, &of_part, &mut found);
            found.parts.push((apart, of_part.numbered(&own)));
        }
        self.shorten(&mut found, progress)?;
        assemble::bounds(self.question.system, self.options.minimise, &mut found);
        Ok(found)
    }

    /// Where one part needs more sequences than another one, that one may have as many, too, if it takes fewer steps then.
    fn shorten(&self, found: &mut Found, progress: &mut dyn Progress) -> Result<(), Disagreement> {
        let count = found.parts.iter().map(|(_, of_part)| of_part.plans.len()).max().unwrap_or(0);
        if self.options.minimise == Minimise::Steps {
            return Ok(());
        }
        for (apart, of_part) in &mut found.parts {
            let is_least = of_part.steps() <= of_part.least_steps;
            if of_part.plans.len() >= count || is_least || self.options.limits.used_up().is_some() {
                continue;
            }
            let own: Vec<usize> = of_part.covered.iter().collect();
            let monitor = self.purpose.monitor(&own, None);
            let part = Part {
                question: Question { monitor: &monitor, ..self.question },
                apart: apart.as_ref(),
                length: self.length,
                options: &CoverOptions { minimise: Minimise::Steps, ..*self.options },
                refute: &|_| None,
            };
            let Ok(other) = self.options.limits.attempt(|| part.cover(progress)) else { continue };
            let other = other?.numbered(&own);
            if other.covered == of_part.covered && other.plans.len() <= count && other.steps() < of_part.steps() {
                of_part.least_steps = of_part.least_steps.max(other.least_steps);
                // Nothing is known that holds for just so many sequences.
                of_part.lower_bound = of_part.least_steps;
                of_part.is_optimal = false;
                of_part.plans = other.plans;
            }
        }
        Ok(())
    }

    fn merge(&self, own: &[usize], of_part: &OfPart, found: &mut Found) {
        for (item, proof) in &of_part.impossible {
            let item = own[*item];
            match (self.length == self.asked, self.length.high) {
                // What was proved by induction was proved for all lengths.
                (false, Some(high)) if !matches!(proof, Proof::Induction { .. }) => {
                    found.not_found.insert(item, format!("up to {high} steps"));
                }
                _ => {
                    found.impossible.insert(item, proof.clone());
                }
            }
        }
        for (item, reason) in &of_part.open {
            found.open.insert(own[*item], Status::Unknown(reason.clone()));
        }
        found.statistics.states += of_part.statistics.states;
        found.statistics.solver_calls += of_part.statistics.solver_calls;
        found.statistics.depth = found.statistics.depth.max(of_part.statistics.depth);
        found.reason = found.reason.take().or(of_part.reason.clone());
    }

    /// A proof that no run covers an item; none if that could not be had for little.
    fn refuted(&self, item: usize) -> Option<Proof> {
        if matches!(self.options.engine, Engine::Explicit) {
            return None;
        }
        let monitor = self.purpose.monitor(&[item], None);
        let mut solver = (self.options.solver)();
        let limits = self.options.limits;
        solver.stop_when(Arc::new(move || limits.used_up().is_some()));
        let question = Question { monitor: &monitor, ..self.question };
        match limits.attempt(|| prove(question, self.asked, &mut *solver, REFUTING_EFFORT)) {
            Ok(Ok(Induction::Proved(invariant))) => Some(Proof::Induction { invariant }),
            _ => None,
        }
    }

    /// Asks the reference interpreter for runs that cover what is said to be impossible.
    fn confirmed(&self, items: &BTreeMap<usize, Status>) -> Result<BTreeMap<usize, Confirmation>, Disagreement> {
        let impossible: Vec<usize> =
            items.iter().filter(|(_, status)| matches!(status, Status::Impossible(_))).map(|(item, _)| *item).collect();
        let mut confirmations = BTreeMap::new();
        if impossible.is_empty() {
            return Ok(confirmations);
        }
        let walker = Walker::new(self.question, self.asked, self.options.recheck, &self.options.limits);
        let Some(mut walker) = walker else { return Ok(confirmations) };
        for item in impossible {
            let confirmation = walker.walk(&self.purpose.monitor(&[item], None));
            let contradicted = |found: Box<Contradiction>| Disagreement::contradicted(self.question.system, found.run);
            confirmations.insert(item, confirmation.map_err(contradicted)?);
        }
        Ok(confirmations)
    }

    /// What runs cover, counted from the runs alone; everything that was claimed must be there.
    fn counted(&self, runs: &[Run], found: &Found) -> Result<Vec<Counted>, Disagreement> {
        let counted: Vec<Counted> = runs.iter().map(|run| count(&self.question, run)).collect::<Result<_, _>>()?;
        let claimed = found.parts.iter().flat_map(|(_, of_part)| of_part.covered.iter());
        for item in claimed {
            if !counted.iter().any(|counted| counted.iter().any(|(covered, _)| *covered == item)) {
                return Err(Disagreement::Rules { model: self.question.system.name.clone() });
            }
        }
        Ok(counted)
    }

    /// Asks for items one by one, several at the same time: what became of each, with a run if there is one.
    fn one_by_one(&self, left: Vec<(usize, Status)>) -> Vec<(usize, Status, Option<Run>)> {
        let alone = |(item, before): (usize, Status)| {
            let purpose = Purpose {
                constraints: vec![self.purpose.constraints[item].clone()],
                classes: vec![],
                ..self.purpose.clone()
            };
            let CoverOptions { seed, engine, limits, solver, .. } = *self.options;
            if let Some(limit) = limits.used_up() {
                return (item, Status::Unknown(limit.to_string()), None);
            }
            // The depth of a part is no bound on a question of its own.
            let options = Options { seed, engine, limits, threads: 1, rounds: ALONE_ROUNDS, ..Options::new(solver) };
            let Question { system, lists, .. } = self.question;
            match answer(system, lists, &purpose, &options, &mut ()) {
                Ok(answered) => self.alone(item, before, answered),
                Err(disagreement) => (item, Status::Unknown(disagreement.to_string()), None),
            }
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.options.threads.max(1)).build();
        match pool {
            Ok(pool) => pool.install(|| left.into_par_iter().map(alone).collect()),
            Err(_) => left.into_iter().map(alone).collect(),
        }
    }

    fn alone(&self, item: usize, before: Status, answered: Answered) -> (usize, Status, Option<Run>) {
        let run = answered.cases.into_iter().next().map(|case| case.run);
        let reason = || answered.reason.clone().unwrap_or_default();
        let status = match answered.answer {
            Answer::Found => Status::Covered,
            Answer::Impossible => match answered.proof {
                Some(proof) => Status::Impossible(proof),
                None => before,
            },
            Answer::NotFound => Status::NotFound(reason()),
            Answer::Unknown => Status::Unknown(reason()),
        };
        (item, status, run)
    }
}

/// Work of the solver in one attempt to prove that no run covers an item, in its own units.
const REFUTING_EFFORT: u32 = 2_000_000;
/// Rounds of growing effort for one item.
const ALONE_ROUNDS: u32 = 2;
