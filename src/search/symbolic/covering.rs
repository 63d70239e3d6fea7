//! Symbolic states as a graph in which steps cover items.
//!
//! Every path through symbolic states is a run with some data, so what the edges say of items holds for that run. Where it
//! depends on open data whether an end covers an item, it is not counted on, and the item is noted as doubtful.

use super::{Edge, OpenSpace, Oracle};
use crate::history::{Length, Live};
use crate::search::apart::Apart;
use crate::search::cover::{self, ControlView, ItemSet, SetId, Sets, Steps};
use crate::search::levels::Space;
use crate::search::watch::Judge;
use crate::solve::Solver;
use crate::term::{Term, Terms, Value};

/// What it costs, about, to look at one machine, one variable and one item of a step.
const UNITS_OF_LOOK: usize = 16;

impl<'a> OpenSpace<'a> {
    /// The graph of a question, or of a part of it, each of whose constraints is an item of its own. With a length, every
    /// run keeps it.
    pub fn covering(
        question: super::Question<'a>,
        part: Option<Apart>,
        length: Option<Length>,
        solver: Box<dyn Solver>,
    ) -> OpenSpace<'a> {
        let space = OpenSpace::with_guide(question, solver, Default::default(), Terms::new());
        let uses_clock = space.uses_clock || length.is_some();
        OpenSpace { covers: true, part, length, uses_clock, ..space }
    }

    /// Items that some end may cover, depending on data that is open.
    pub fn doubtful(&self) -> &ItemSet {
        &self.doubtful
    }

    /// What is covered by a step, and what is left to show after it: an item that is covered begins anew.
    pub(super) fn covered(&mut self, live: Vec<Live<Term>>, open: &[Term]) -> (Vec<Live<Term>>, Vec<u32>) {
        let covered: Vec<u32> =
            (0..live.len() as u32).filter(|item| live[*item as usize] == Live::Decided(true)).collect();
        if covered.is_empty() {
            return (live, covered);
        }
        let first = self.watcher().start(open);
        let Some(first) = self.noted(first) else { return (live, vec![]) };
        let mut live = live;
        for item in &covered {
            live[*item as usize] = first[*item as usize].clone();
        }
        (live, covered)
    }

    /// Whether an end in a state covers an item; none if that depends on open data.
    fn ends_item(&mut self, node: u32, item: usize) -> Option<bool> {
        let live = self.states[node as usize].live[item].clone();
        if let Live::Decided(truth) = live {
            return Some(truth);
        }
        let condition = self.watcher().at_stop(&[live]);
        let condition = self.noted(condition)?;
        let branch = self.branch(node);
        let known = Judge::known(&mut self.oracle, &mut self.terms, &branch, condition);
        match () {
            () if self.terms.is(known, true) => Some(true),
            () if self.terms.is(known, false) => Some(false),
            () => None,
        }
    }
}

impl Steps for OpenSpace<'_> {
    fn starts(&mut self) -> Vec<u32> {
        self.initial()
    }

    fn expand(&mut self, node: u32, sets: &mut Sets) -> Vec<cover::Edge> {
        let taken = self.states[node as usize].clock;
        let most = self.length.and_then(|length| length.high);
        if taken.zip(most).is_some_and(|(taken, most)| taken >= most) {
            return vec![];
        }
        if self.edges[node as usize].is_none() {
            let edges = OpenSpace::expand(self, node, None);
            let system = self.question.system;
            let looked_at = self.question.monitor.start.len() + system.machines.len() + system.slots.len();
            self.work += (1 + edges.len()) * looked_at * UNITS_OF_LOOK;
            // What nobody could tell is not counted on.
            let doubtful = |edge: &Edge, oracle: &Oracle| oracle.recall(edge.target).1;
            let (bad, good): (Vec<Edge>, Vec<Edge>) = edges.into_iter().partition(|edge| doubtful(edge, &self.oracle));
            if !bad.is_empty() {
                self.gap("the solver gave up");
            }
            self.edges[node as usize] = Some(good);
        }
        let edges = self.edges[node as usize].as_deref().expect("it was expanded");
        let edge = |edge: &Edge| cover::Edge {
            target: edge.target,
            marks: sets.number(edge.covers.iter().map(|item| *item as usize).collect()),
        };
        edges.iter().map(edge).collect()
    }

    fn ends(&mut self, node: u32, sets: &mut Sets) -> Option<SetId> {
        let taken = self.states[node as usize].clock;
        if taken.is_some_and(|taken| self.length.is_some_and(|length| taken < length.low)) {
            return None;
        }
        let mut ends = ItemSet::default();
        for item in 0..self.states[node as usize].live.len() {
            match self.ends_item(node, item) {
                Some(true) => ends.insert(item),
                Some(false) => {}
                None => self.doubtful.insert(item),
            }
        }
        Some(sets.number(ends))
    }

    fn failed(&mut self, node: u32, sets: &mut Sets) -> SetId {
        let live = self.states[node as usize].live.iter().enumerate();
        sets.number(live.filter(|(_, live)| **live == Live::Decided(false)).map(|(item, _)| item).collect())
    }

    fn work(&self) -> usize {
        self.work
    }

    fn gap(&self) -> Option<String> {
        self.gaps.first().cloned()
    }

    fn keeps_control(&self, from: u32, to: u32) -> bool {
        self.states[from as usize].control == self.states[to as usize].control
    }
}

impl ControlView for OpenSpace<'_> {
    fn control_of(&self, node: u32, machine: usize) -> u32 {
        self.states[node as usize].control[machine]
    }

    fn live_of(&self, node: u32, item: usize) -> Option<Live<Value>> {
        let live = &self.states[node as usize].live[item];
        let mut is_known = true;
        live.each_arg(&mut |arg| is_known &= self.terms.value(*arg).is_some());
        is_known.then(|| live.map(&mut |arg| self.terms.value(*arg).cloned().unwrap_or(Value::Absent)))
    }
}
