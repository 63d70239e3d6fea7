//! Symbolic search: states whose data is open as far as nothing has decided it.
//!
//! A symbolic state stands for all concrete states that agree with it: control states are known, values are terms over the
//! state's own symbols, and a store says what is known of these. Symbols are numbered by their first occurrence and
//! what no longer matters is let go, so that equal situations are equal states, and the states of a model form a graph
//! that is often finite where the data is not. Every step is taken once, whatever paths lead to it. Each edge remembers how
//! the symbols of its source continue in its target; from that a path gets its data back (see `recover`).

mod covering;
mod forget;
mod normal;
mod oracle;
mod project;
mod recover;
mod step;

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::apart::Apart;
use super::cover::ItemSet;
use super::guide::Guide;
use super::levels::{Acceptance, Path, Space, SpaceStep};
use super::watch::{Judge, Watcher};
use crate::history::{Length, Live, Monitor};
use crate::kernel::{Lists, SlotKind, Source, StepSystem};
use crate::reach::Matters;
use crate::solve::{Solver, Stop};
use crate::term::{Definitions, Expr, Opened, Range, Store, Symbol, Term, Terms, Type, Unsupported, Value, open};

/// Most ways in which what is left to show can go on after one element.
pub(super) const MAX_WAYS: usize = 20_000;

pub(crate) use normal::{Normal, Passage, normal};
pub use oracle::Oracle;
pub(crate) use oracle::{moved, works};
pub(crate) use recover::{Fit, Way, fit, fitting};
pub use recover::{OpenStep, Recovered};
pub(crate) use step::{Effect, MAX_COMBINED, Stepper, effect};

/// What is looked for: runs of a model that a monitor accepts.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The model.
    pub system: &'a StepSystem,
    /// Its lists.
    pub lists: &'a Lists,
    /// What the run must show.
    pub monitor: &'a Monitor,
}

impl Question<'_> {
    /// Whether no value is left open: none that the environment sends, none at the start, none for the run.
    pub fn is_closed(&self) -> bool {
        let joints = 0..self.system.joints.len();
        self.monitor.open.is_empty()
            && self.system.open_slots().is_empty()
            && joints.into_iter().all(|joint| self.system.given_to(joint) == 0)
    }

    /// Where the elements that the monitor looks at come from.
    fn watched(&self) -> Vec<Source> {
        let mut watched = vec![];
        for list in &self.monitor.lists {
            list.map_leaves(&mut |leaf| {
                if let Expr::Slot(slot) = leaf {
                    watched.push(self.lists.sources[*slot]);
                }
                None
            });
        }
        watched
    }

    /// The slots whose values the monitor looks at.
    pub(super) fn watched_slots(&self) -> FxHashSet<usize> {
        let slot = |source: Source| match source {
            Source::Value(slot, _) => Some(slot),
            _ => None,
        };
        self.watched().into_iter().filter_map(slot).collect()
    }

    /// Whether the monitor looks at an input of a lock-step system, or at data of a gate.
    pub(super) fn watches_input(&self, joint: usize, place: usize) -> bool {
        let gate = self.system.joints[joint].gate;
        gate.is_some_and(|gate| self.watched().contains(&Source::Data(gate, place)))
    }

    /// Whether the monitor looks at the number of the step.
    pub(super) fn looks_at_clock(&self) -> bool {
        self.watched().contains(&Source::Clock)
    }
}

/// A symbolic state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpenState {
    /// Control state of every machine.
    pub control: Vec<u32>,
    /// Values of all slots.
    pub values: Vec<Term>,
    /// Values that exist once for the run.
    pub open: Vec<Term>,
    /// What is still to be shown, constraint by constraint.
    pub live: Vec<Live<Term>>,
    /// Ranges of the symbols.
    pub ranges: Vec<Range>,
    /// What ranges cannot express.
    pub residual: Vec<Term>,
    /// Steps taken, where the monitor looks at the clock.
    pub clock: Option<usize>,
}

/// A step between symbolic states.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    label: u32,
    target: u32,
    /// The joint of the model.
    joint: usize,
    /// What has become of its data: that of the gate, or inputs and outputs.
    passage: Passage,
    /// Items that it covers, where constraints are items.
    covers: Vec<u32>,
}

/// What fired in a step: machines that took part, with their transitions; none for idling.
pub type Fired = Vec<(usize, Option<usize>)>;

/// The graph of symbolic states, as far as it is known.
pub struct OpenSpace<'a> {
    question: Question<'a>,
    terms: Terms,
    oracle: Oracle,
    states: Vec<OpenState>,
    numbers: FxHashMap<OpenState, u32>,
    edges: Vec<Option<Vec<Edge>>>,
    /// Lower bounds on the steps left, by state.
    distances: Vec<Option<usize>>,
    accepted: FxHashMap<u32, Acceptance>,
    labels: FxHashMap<Fired, u32>,
    fired: Vec<Rc<Fired>>,
    /// How the initial states came about.
    starts: Vec<Edge>,
    /// Why some runs were not looked at.
    gaps: BTreeSet<String>,
    guide: Guide,
    uses_clock: bool,
    /// The part of the model that moves; all of it if nothing is said.
    part: Option<Apart>,
    /// Which variables are still read.
    matters: Matters,
    /// Slots that the monitor looks at.
    watched: FxHashSet<usize>,
    /// Whether every constraint is an item, to be covered once.
    covers: bool,
    /// Items that some end may cover, depending on open data.
    doubtful: ItemSet,
    /// Lengths of runs, where steps are counted for them.
    length: Option<Length>,
    /// What expanding states as nodes of a graph has cost.
    work: usize,
    /// Whether to stop, if somebody may want that.
    stop: Option<Stop>,
}

/// A state on its way: what is assumed, and values that satisfy it, if some are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Branch {
    pub store: Store,
    /// Values by symbol; trusted only after a look.
    pub witness: Vec<Value>,
    /// Conditions whose satisfiability nobody could tell.
    pub is_doubtful: bool,
}

impl Branch {
    /// A branch that begins with what is known of some symbols.
    pub fn new(ranges: &[Range], residual: &[Term], witness: Vec<Value>, is_doubtful: bool) -> Branch {
        let mut store = Store::new(ranges.to_vec());
        store.residual = residual.iter().copied().collect();
        Branch { store, witness, is_doubtful }
    }

    /// One more symbol.
    pub fn add(&mut self, range: Range) -> Symbol {
        self.witness.push(range.simple());
        self.store.add(range)
    }

    /// Opens a value of a type; what its type asks for is still to be assumed.
    pub fn open(&mut self, ty: &Type, terms: &mut Terms, definitions: &Definitions) -> Result<Opened, Unsupported> {
        let opened = open(ty, &mut self.store, terms, definitions);
        for range in &self.store.ranges[self.witness.len()..] {
            self.witness.push(range.simple());
        }
        opened
    }
}

impl<'a> OpenSpace<'a> {
    /// The space of a question.
    pub fn new(question: Question<'a>, solver: Box<dyn Solver>) -> OpenSpace<'a> {
        let mut terms = Terms::new();
        let guide = Guide::new(&question, &mut terms);
        OpenSpace::with_guide(question, solver, guide, terms)
    }

    fn with_guide(question: Question<'a>, solver: Box<dyn Solver>, guide: Guide, terms: Terms) -> OpenSpace<'a> {
        OpenSpace {
            question,
            terms,
            oracle: Oracle::new(solver),
            states: vec![],
            numbers: FxHashMap::default(),
            edges: vec![],
            distances: vec![],
            accepted: FxHashMap::default(),
            labels: FxHashMap::default(),
            fired: vec![],
            starts: vec![],
            gaps: BTreeSet::new(),
            guide,
            uses_clock: question.looks_at_clock(),
            part: None,
            matters: Matters::new(question.system),
            watched: question.watched_slots(),
            covers: false,
            doubtful: ItemSet::default(),
            length: None,
            work: 0,
            stop: None,
        }
    }

    /// The same space, which looks at nothing more once this says so; what it does not look at then is a gap.
    pub fn stopping_when(mut self, stop: Stop) -> Self {
        self.oracle.stop_when(stop.clone());
        self.stop = Some(stop);
        self
    }

    /// The same space with one part of the model only: the others stand still.
    pub fn only(self, part: Apart) -> Self {
        OpenSpace { part: Some(part), ..self }
    }

    /// Why some runs were not looked at; empty if all were.
    pub fn gaps(&self) -> &BTreeSet<String> {
        &self.gaps
    }

    /// How often the solver was asked.
    pub fn solver_calls(&self) -> usize {
        self.oracle.calls()
    }

    /// How many states were met.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether none was met.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    fn gap(&mut self, reason: impl Into<String>) {
        self.gaps.insert(reason.into());
    }

    /// Opens a value of a type in a branch; none if there is none, or it has no term, which is a gap.
    fn open(&mut self, ty: &Type, branch: &mut Branch) -> Option<Term> {
        let opened = branch.open(ty, &mut self.terms, &self.question.lists.names.definitions);
        let opened = self.noted(opened)?.noting(&mut self.gaps);
        self.assume_all(branch, &opened.conditions).then_some(opened.value)
    }

    /// Opens a message of a type in a branch: it is absent, or a value of the type.
    fn open_message(&mut self, ty: &Type, branch: &mut Branch) -> Option<Term> {
        let symbol = branch.add(Range::Bool);
        let is_sent = self.terms.symbol(symbol);
        let opened = branch.open(ty, &mut self.terms, &self.question.lists.names.definitions);
        let (message, conditions) = self.noted(opened)?.noting(&mut self.gaps).message(is_sent, &mut self.terms);
        self.assume_all(branch, &conditions).then_some(message)
    }

    fn assume_all(&mut self, branch: &mut Branch, conditions: &[Term]) -> bool {
        conditions.iter().all(|condition| self.assume(branch, *condition))
    }

    /// Adds a condition to a branch; false if it cannot hold there.
    fn assume(&mut self, branch: &mut Branch, condition: Term) -> bool {
        self.oracle.assume(&mut self.terms, branch, condition)
    }

    /// A path in which given transitions fire, if one ends well. Only its steps are looked at, so the space is of no use
    /// for anything else afterwards.
    pub fn follow(&mut self, plan: &[(usize, Fired)]) -> Option<Path> {
        let starts = self.initial().into_iter();
        let mut group: Vec<(u32, Path)> = starts.map(|start| (start, Path { start, steps: vec![] })).collect();
        for step in plan {
            let mut next: Vec<(u32, Path)> = vec![];
            for (state, path) in group {
                let edges = self.expand(state, Some(step));
                let known = self.edges[state as usize].get_or_insert_default();
                for edge in edges {
                    let mut path = path.clone();
                    path.steps.push(known.len() as u32);
                    if !next.iter().any(|(other, _)| *other == edge.target) {
                        next.push((edge.target, path));
                    }
                    known.push(edge);
                }
            }
            group = next;
        }
        group.into_iter().find(|(state, _)| self.accepts(*state) == Acceptance::Yes).map(|(_, path)| path)
    }

    fn watcher(&mut self) -> Watcher<'_, Oracle> {
        Watcher {
            monitor: self.question.monitor,
            definitions: &self.question.lists.names.definitions,
            terms: &mut self.terms,
            judge: &mut self.oracle,
            keeps_failed: self.covers,
            most: MAX_WAYS,
        }
    }

    /// The result, or a gap.
    fn noted<T>(&mut self, result: Result<T, Unsupported>) -> Option<T> {
        result.map_err(|Unsupported(reason)| self.gap(reason)).ok()
    }

    /// Under which condition a run may end in a state.
    fn end_condition(&mut self, state: u32) -> Option<Term> {
        let live = self.states[state as usize].live.clone();
        let condition = self.watcher().at_stop(&live);
        self.noted(condition)
    }

    fn acceptance(&mut self, state: u32) -> Acceptance {
        let Some(condition) = self.end_condition(state) else { return Acceptance::Unknown };
        let mut branch = self.branch(state);
        if !self.assume(&mut branch, condition) {
            return Acceptance::No;
        }
        if branch.is_doubtful { Acceptance::Unknown } else { Acceptance::Yes }
    }

    /// The number of a state in its normal form, with the edge that leads to it.
    #[allow(clippy::too_many_arguments)]
    fn settle(
        &mut self,
        branch: &Branch,
        control: Vec<u32>,
        values: &[Term],
        open: &[Term],
        live: &[Live<Term>],
        clock: Option<usize>,
        carried: usize,
        (label, joint, data): (u32, usize, &[Term]),
        covers: Vec<u32>,
    ) -> Edge {
        let values = &self.without_forgotten(&control, values)[..];
        let mut roots: Vec<Term> = values.iter().chain(open).copied().collect();
        live.iter().for_each(|live| live.each_arg(&mut |arg| roots.push(*arg)));
        let Normal { roots, ranges, residual, witness, passage } =
            normal(&mut self.terms, branch, &roots, data, carried);
        let (values, rest) = roots.split_at(values.len());
        let (open, args) = rest.split_at(open.len());
        let mut args = args.iter().copied();
        // Every argument is met in the order in which it was collected.
        let live = live.iter().map(|live| live.map(&mut |arg| args.next().unwrap_or(*arg))).collect();
        let (values, open) = (values.to_vec(), open.to_vec());
        let state = OpenState { control, values, open, live, ranges, residual, clock };
        let target = self.number(state, witness, branch.is_doubtful);
        Edge { label, target, joint, passage, covers }
    }

    /// Values without those of variables that nobody reads any more: they are all alike.
    fn without_forgotten(&mut self, control: &[u32], values: &[Term]) -> Vec<Term> {
        let absent = self.terms.constant(Value::Absent);
        let slots = self.question.system.slots.iter().enumerate().zip(values);
        let kept = slots.map(|((number, slot), value)| {
            let is_forgotten = slot.kind == SlotKind::Variable
                && !self.watched.contains(&number)
                && !self.matters.is_read(control, number);
            if is_forgotten { absent } else { *value }
        });
        kept.collect()
    }

    fn number(&mut self, state: OpenState, witness: Vec<Value>, is_doubtful: bool) -> u32 {
        if let Some(number) = self.numbers.get(&state) {
            return *number;
        }
        let number = self.states.len() as u32;
        self.oracle.remember(number, witness, is_doubtful);
        self.distances.push(self.guide.distance(&state.control, &state.live, &mut self.terms));
        self.states.push(state.clone());
        self.edges.push(None);
        self.numbers.insert(state, number);
        number
    }

    fn label(&mut self, fired: Fired) -> u32 {
        let next = self.fired.len() as u32;
        let label = *self.labels.entry(fired.clone()).or_insert(next);
        if label == next {
            self.fired.push(Rc::new(fired));
        }
        label
    }

    /// A branch that begins in a state.
    fn branch(&self, state: u32) -> Branch {
        let known = &self.states[state as usize];
        let (witness, is_doubtful) = self.oracle.recall(state);
        Branch::new(&known.ranges, &known.residual, witness, is_doubtful)
    }
}

impl Space for OpenSpace<'_> {
    fn initial(&mut self) -> Vec<u32> {
        if self.starts.is_empty() {
            let start = self.start();
            self.starts.extend(start);
        }
        self.starts.iter().map(|edge| edge.target).collect()
    }

    fn steps(&mut self, state: u32) -> Vec<SpaceStep> {
        if self.edges[state as usize].is_none() {
            let edges = self.expand(state, None);
            self.edges[state as usize] = Some(edges);
        }
        let edges = self.edges[state as usize].as_deref().expect("it was expanded");
        edges.iter().map(|edge| SpaceStep { label: edge.label, target: edge.target }).collect()
    }

    fn accepts(&mut self, state: u32) -> Acceptance {
        if let Some(known) = self.accepted.get(&state) {
            return *known;
        }
        let acceptance = self.acceptance(state);
        self.accepted.insert(state, acceptance);
        acceptance
    }

    fn distance(&mut self, state: u32) -> Option<usize> {
        self.distances[state as usize]
    }

    fn made(&self) -> usize {
        self.terms.len()
    }
}
