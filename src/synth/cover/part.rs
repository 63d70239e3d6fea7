//! One part of a model: a graph of its states, and the best suite in it.

use std::collections::BTreeMap;

use super::{CoverOptions, Minimise};
use crate::history::Length;
use crate::search::cover::{
    Ahead, Best, Bounds, ControlView, Graph, Greedy, ItemSet, Shape, Steps, Wish, best, least_steps, steps_of,
};
use crate::search::{Apart, Limit, OpenSpace, Packed, Path, Progress, Question, control_tables, is_shown_first};
use crate::synth::answer::{Proof, Statistics};
use crate::synth::engine::{Choose, concrete_plan};
use crate::synth::explicit::planned;
use crate::synth::generate::Engine;
use crate::synth::sequence::{Disagreement, Planned};
use crate::term::Value;

/// What looking at nodes may cost, in about microseconds: near the start, along a run from item to item, and everywhere.
const NEAR_WORK: usize = 2_000_000;
const WANDER_WORK: usize = 6_000_000;
const LOOK_WORK: usize = 4_000_000;
/// What nodes that are met later may cost, in each of the searches.
const SEARCH_WORK: usize = 2_000_000;
/// Attempts to prove that no run covers an item, which lead to nothing.
const MAX_IN_VAIN: usize = 4;
/// When everything was seen, so many times as many nodes are looked at as it took, in the hope that these are all.
const LOOK_FURTHER: usize = 4;
const LOOK_AT_LEAST: usize = 200;
/// States of a node with what is covered.
const CONCRETE_EFFORT: usize = 1_000_000;
const SYMBOLIC_EFFORT: usize = 300_000;
/// Work of the solver in a check, in its own units.
const SOLVER_EFFORT: u32 = 5_000_000;
/// Nodes between two looks at the limits.
const LOOK_EVERY: usize = 64;

/// What is asked of a part.
pub struct Part<'a> {
    /// Its items are the constraints of the monitor.
    pub question: Question<'a>,
    /// The part; none for a whole model.
    pub apart: Option<&'a Apart>,
    /// Lengths of sequences.
    pub length: Length,
    /// How to search.
    pub options: &'a CoverOptions<'a>,
    /// Tries to prove that no run, however long, covers an item.
    pub refute: &'a dyn Fn(usize) -> Option<Proof>,
}

/// A sequence as it is found.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Initial values of the open variables.
    pub variables: Vec<Value>,
    /// The steps.
    pub steps: Vec<Planned>,
}

/// What came of a part. Items go by their place in the monitor.
#[derive(Clone, Debug, Default)]
pub struct OfPart {
    /// Sequences.
    pub plans: Vec<Plan>,
    /// What they cover.
    pub covered: ItemSet,
    /// What no run covers.
    pub impossible: BTreeMap<usize, Proof>,
    /// What is neither covered nor impossible, and why.
    pub open: BTreeMap<usize, String>,
    /// No suite that covers the same with as few sequences has fewer steps; where steps are made few, none at all.
    pub lower_bound: usize,
    /// No suite that covers the same has fewer steps, with however many sequences.
    pub least_steps: usize,
    /// Whether there is no better one.
    pub is_optimal: bool,
    /// Why not.
    pub reason: Option<String>,
    /// Whether some item is covered by the end of a sequence.
    pub has_ends: bool,
    /// Counts.
    pub statistics: Statistics,
}

impl OfPart {
    /// A limit was hit before anything was known of so many items.
    pub fn cut(items: usize, limit: Limit) -> OfPart {
        let reason = limit.to_string();
        let open = (0..items).map(|item| (item, reason.clone())).collect();
        OfPart { open, reason: Some(reason), ..OfPart::default() }
    }

    /// Steps of all sequences together.
    pub fn steps(&self) -> usize {
        self.plans.iter().map(|plan| plan.steps.len()).sum()
    }

    /// The same with the numbers that items have in the whole.
    pub fn numbered(self, own: &[usize]) -> OfPart {
        OfPart { covered: self.covered.iter().map(|item| own[item]).collect(), ..self }
    }
}

/// Items that a graph shows, and what is known of the others.
struct Shown {
    seen: ItemSet,
    /// Items that are not there, whatever the graph is like further on.
    refuted: BTreeMap<usize, Proof>,
    /// Whether all nodes were looked at.
    is_complete: bool,
    /// Why nodes may have steps, or cover items by an end, that were left out, if they may.
    gap: Option<String>,
    /// Why not everything was looked at.
    reason: String,
}

/// How far nodes were looked at.
#[derive(Clone, Copy, Default)]
struct Looked {
    /// The next one.
    at: usize,
    /// Sets of items that were met.
    sets: usize,
    /// Where the last of them was.
    last_new: usize,
    /// How many of them there were when it was last looked what is missing.
    counted: usize,
}

impl Part<'_> {
    /// Looks for the best suite.
    pub fn cover(&self, progress: &mut dyn Progress) -> Result<OfPart, Disagreement> {
        let items = self.question.monitor.start.len();
        if items == 0 {
            return Ok(OfPart { is_optimal: true, ..OfPart::default() });
        }
        let may_be_explicit = !matches!(self.options.engine, Engine::Symbolic);
        let may_be_symbolic = !matches!(self.options.engine, Engine::Explicit);
        if may_be_explicit && let Some(found) = self.explicit(progress)? {
            return Ok(found);
        }
        match may_be_symbolic {
            true => self.symbolic(progress),
            false => {
                let reason = "this engine cannot search this model: its values cannot be listed";
                Ok(OfPart { open: (0..items).map(|item| (item, reason.to_owned())).collect(), ..OfPart::default() })
            }
        }
    }

    /// Lengths that the graph itself must keep.
    fn length(&self) -> Option<Length> {
        (self.length != Length::ANY).then_some(self.length)
    }

    /// By concrete states; none if values cannot be listed.
    fn explicit(&self, progress: &mut dyn Progress) -> Result<Option<OfPart>, Disagreement> {
        let Ok(packed) = Packed::new(self.question, self.apart, self.length()) else { return Ok(None) };
        let mut graph = Graph::new(packed);
        graph.keep_to(self.options.limits);
        let mut shown = self.explore(&mut graph, progress);
        if graph.steps.trouble().is_some() {
            return Ok(None);
        }
        shown.gap = graph.steps.gap();
        let states = graph.len();
        let proof = Proof::Exhaustion { states, depth: self.length.high, is_symbolic: false };
        let mut found = self.decided(&shown, &ItemSet::default(), &proof);
        let gap = |packed: &Packed<'_>, _: &ItemSet| packed.gap();
        let result = self.best(&mut graph, &mut shown, self.is_all(&found), CONCRETE_EFFORT, &gap, progress);
        found.statistics = Statistics { states: states.max(result.0.states), solver_calls: 0, depth: 0 };
        let plan = |graph: &mut Graph<Packed<'_>>, path: &Path| Plan {
            variables: graph.steps.opened(path.start),
            steps: planned(graph, path),
        };
        let paths = result.0.found.clone().unwrap_or_default();
        let plans = paths.iter().map(|path| Some(plan(&mut graph, path))).collect();
        Ok(Some(self.with_suite(found, &mut graph, result, &shown, plans)))
    }

    /// By symbolic states.
    fn symbolic(&self, progress: &mut dyn Progress) -> Result<OfPart, Disagreement> {
        let mut solver = (self.options.solver)();
        solver.spend(SOLVER_EFFORT);
        let limits = self.options.limits;
        solver.stop_when(std::sync::Arc::new(move || limits.used_up().is_some()));
        let mut graph = Graph::new(OpenSpace::covering(self.question, self.apart.cloned(), self.length(), solver));
        graph.keep_to(self.options.limits);
        let mut shown = self.explore(&mut graph, progress);
        shown.gap = graph.steps.gap();
        let proof = Proof::Exhaustion { states: graph.len(), depth: self.length.high, is_symbolic: true };
        let doubtful = graph.steps.doubtful().clone();
        let mut found = self.decided(&shown, &doubtful, &proof);
        // An end that was not counted on may make a suite shorter.
        let gap = |space: &OpenSpace<'_>, seen: &ItemSet| {
            let is_doubtful = !space.doubtful().intersection(seen).is_empty();
            space.gap().or_else(|| is_doubtful.then(|| "whether an end covers an item depends on open data".to_owned()))
        };
        let result = self.best(&mut graph, &mut shown, self.is_all(&found), SYMBOLIC_EFFORT, &gap, progress);
        let mut choose = Choose::new(self.options.seed);
        let mut plans = vec![];
        for path in result.0.found.clone().unwrap_or_default() {
            plans.push(concrete_plan(&mut graph.steps, &path, &mut choose).map(|(_, opened, steps)| {
                let variables = opened[..self.question.system.open_slots().len()].to_vec();
                Plan { variables, steps }
            }));
        }
        let solver_calls = graph.steps.solver_calls();
        found.statistics = Statistics { states: graph.len().max(result.0.states), solver_calls, depth: 0 };
        Ok(self.with_suite(found, &mut graph, result, &shown, plans))
    }

    /// Looks at nodes as long as there may be something new to see: first near the start, then, for items that no proof rules
    /// out, further along a run that goes from item to item, then at all of them.
    fn explore<S: Steps>(&self, graph: &mut Graph<S>, progress: &mut dyn Progress) -> Shown {
        let mut missing = ItemSet::first(self.question.monitor.start.len());
        let mut looked = Looked::default();
        graph.allow(NEAR_WORK);
        let mut reason = self.look(graph, &mut looked, &mut missing, progress);
        let mut refuted = BTreeMap::new();
        if reason.is_none() && graph.is_cut() {
            refuted = self.refuted(&missing);
            missing = missing.minus(&refuted.keys().copied().collect());
        }
        if reason.is_none() && graph.is_cut() && !missing.is_empty() {
            graph.allow(WANDER_WORK);
            let limits = self.options.limits;
            let mut go_on = || limits.used_up().is_none();
            let wanted = ItemSet::first(self.question.monitor.start.len());
            let greedy =
                Greedy { shape: Shape::Fewest, wanted: &wanted, reachable: None, most: usize::MAX, go_on: &mut go_on };
            greedy.wander(graph);
            missing = missing.minus(&graph.seen());
        }
        if reason.is_none() && !graph.is_complete() && !(graph.is_cut() && missing.is_empty()) {
            graph.allow(LOOK_WORK);
            reason = self.look(graph, &mut looked, &mut missing, progress);
        }
        let is_complete = graph.is_complete();
        let reason = reason.unwrap_or_else(|| "the default limit on the work was reached".to_owned());
        Shown { seen: graph.seen(), refuted, is_complete, gap: None, reason }
    }

    /// Proofs for items that were not met near the start.
    fn refuted(&self, missing: &ItemSet) -> BTreeMap<usize, Proof> {
        let (mut refuted, mut in_vain) = (BTreeMap::new(), 0);
        for item in missing.iter() {
            if in_vain >= MAX_IN_VAIN || self.options.limits.used_up().is_some() {
                break;
            }
            match (self.refute)(item) {
                Some(proof) => {
                    refuted.insert(item, proof);
                }
                None => in_vain += 1,
            }
        }
        refuted
    }

    /// Looks at nodes breadth first; a limit that was hit.
    fn look<S: Steps>(
        &self,
        graph: &mut Graph<S>,
        looked: &mut Looked,
        missing: &mut ItemSet,
        progress: &mut dyn Progress,
    ) -> Option<String> {
        while looked.at < graph.len() {
            graph.ends(looked.at as u32);
            graph.edges(looked.at as u32);
            if graph.is_cut() {
                *missing = missing.minus(&graph.seen());
                return None;
            }
            looked.at += 1;
            if looked.sets < graph.sets.len() {
                // A set stands for something that was seen, or for what ends would cover, or for what has failed.
                *looked = Looked { sets: graph.sets.len(), last_new: looked.at, ..*looked };
            }
            if looked.at.is_multiple_of(LOOK_EVERY) {
                progress.at(0, graph.len(), graph.len() - looked.at, 0);
                let is_far = looked.at > LOOK_AT_LEAST.max(looked.last_new.saturating_mul(LOOK_FURTHER));
                // Without a new set there is nothing new.
                if is_far && !missing.is_empty() && looked.counted < graph.sets.len() {
                    *missing = missing.minus(&graph.seen());
                    looked.counted = graph.sets.len();
                }
                let reason = self.options.limits.used_up().map(|limit| limit.to_string());
                if reason.is_some() || is_far && missing.is_empty() {
                    return reason;
                }
            }
        }
        None
    }

    /// What is known of the items that no graph shows.
    fn decided(&self, shown: &Shown, doubtful: &ItemSet, proof: &Proof) -> OfPart {
        let mut found = OfPart::default();
        for item in (0..self.question.monitor.start.len()).filter(|item| !shown.seen.contains(*item)) {
            if let Some(proof) = shown.refuted.get(&item) {
                found.impossible.insert(item, proof.clone());
            } else if shown.is_complete && shown.gap.is_none() && !doubtful.contains(item) {
                found.impossible.insert(item, proof.clone());
            } else {
                found.open.insert(item, shown.gap.as_ref().unwrap_or(&shown.reason).clone());
            }
        }
        found
    }

    /// The best suite for what a graph shows; whether that is all there is.
    fn best<S: Steps + ControlView>(
        &self,
        graph: &mut Graph<S>,
        shown: &mut Shown,
        is_all: bool,
        effort: usize,
        gap: &dyn Fn(&S, &ItemSet) -> Option<String>,
        progress: &mut dyn Progress,
    ) -> (Best, usize) {
        if shown.seen.is_empty() {
            return (Best { found: Some(vec![]), is_optimal: true, ..Best::default() }, 0);
        }
        let limits = self.options.limits;
        let mut go_on = |depth: usize, open: usize, states: usize| {
            progress.at(depth, states, open, 0);
            limits.used_up().is_none()
        };
        let mut of_shape = |graph: &mut Graph<S>, shape: Shape| {
            let wish = Wish { shape, wanted: &shown.seen, most: None, effort, work: SEARCH_WORK, limits };
            let mut tables = |wanted: &ItemSet| control_tables(self.question, wanted, shape != Shape::One, &limits);
            best(graph, wish, &mut tables, &mut go_on)
        };
        let result = match self.options.minimise {
            Minimise::Steps => of_shape(graph, Shape::Steps),
            Minimise::Sequences => {
                let one = of_shape(graph, Shape::One);
                if one.found.is_some() { one } else { of_shape(graph, Shape::Fewest) }
            }
        };
        // Nodes that were met only now may have steps that were left out, too.
        shown.gap = gap(&graph.steps, &shown.seen);
        let runs = result.found.as_ref().map_or(0, Vec::len);
        // With more sequences than these, fewer steps may do. How many the whole needs is not known here.
        let least = match self.options.minimise {
            Minimise::Sequences if result.found.is_some() && !is_all => {
                let by_control = control_tables(self.question, &shown.seen, true, &limits);
                least_steps(graph, &shown.seen, by_control, shown.gap.is_none(), &limits)
            }
            Minimise::Sequences => 0,
            Minimise::Steps => result.lower_bound,
        };
        if shown.gap.is_none() {
            return (result, least);
        }
        // There may be shorter ways that were left out; control leaves out none.
        let restarts = self.options.minimise == Minimise::Steps || runs != 1;
        let by_control = control_tables(self.question, &shown.seen, restarts, &limits);
        let mut bounds = Bounds { by_control, ..Bounds::default() };
        let nothing = vec![0; shown.seen.len().div_ceil(64)];
        let starts = graph.starts().to_vec();
        let lower_bound =
            starts.iter().filter_map(|start| bounds.left(graph, *start, &nothing)).min().unwrap_or(0) as usize;
        // That there are no fewer runs is known of one run only.
        let is_fewest = self.options.minimise == Minimise::Steps || runs == 1;
        let is_least = result.found.as_ref().is_some_and(|found| steps_of(found) <= lower_bound);
        let least = least.min(lower_bound);
        (Best { lower_bound, is_optimal: is_least && is_fewest, ..result }, least)
    }

    /// Whether the suite of the whole will be about nothing but what the graph shows.
    fn is_all(&self, found: &OfPart) -> bool {
        self.apart.is_none() && found.open.is_empty()
    }

    /// Adds a suite to what is known.
    fn with_suite<S: Steps>(
        &self,
        mut found: OfPart,
        graph: &mut Graph<S>,
        (result, least): (Best, usize),
        shown: &Shown,
        plans: Vec<Option<Plan>>,
    ) -> OfPart {
        let is_lost = plans.iter().any(Option::is_none);
        let by_end = (0..graph.len() as u32).fold(ItemSet::default(), |all, node| match graph.ends(node) {
            Some(ends) => all.union(graph.sets.get(ends)),
            None => all,
        });
        // What a run without steps shows as any step does is not about the end.
        found.has_ends = by_end.iter().any(|item| !is_shown_first(&self.question, item));
        found.plans = plans.into_iter().flatten().collect();
        match (result.found.is_some(), is_lost) {
            (true, false) => found.covered = shown.seen.clone(),
            // They are asked for one by one.
            _ => {
                let reason = if is_lost { "no data was found" } else { "no suite was found" };
                found.open.extend(shown.seen.iter().map(|item| (item, reason.to_owned())));
            }
        }
        found.lower_bound = if result.found.is_none() || is_lost { 0 } else { result.lower_bound };
        found.least_steps = least.min(found.lower_bound);
        found.is_optimal = result.is_optimal && !is_lost;
        found.reason = (!found.is_optimal).then(|| match self.options.limits.used_up() {
            Some(limit) => limit.to_string(),
            None => shown.gap.clone().unwrap_or_else(|| "the default limit on the work was reached".to_owned()),
        });
        found
    }
}
