//! Symbolic search: states whose data is open as far as nothing has decided it.
//!
//! A symbolic state stands for all concrete states that agree with it: control states are known, values are terms over the
//! state's own symbols, and a store says what is known of these. Symbols are numbered by their first occurrence and
//! what no longer matters is let go, so that equal situations are equal states, and the states of a model form a graph
//! that is often finite where the data is not. Every step is taken once, whatever paths lead to it. Each edge remembers how
//! the symbols of its source continue in its target; from that a path gets its data back (see `recover`).

mod forget;
mod oracle;
mod project;
mod recover;
mod step;

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::apart::Apart;
use super::guide::Guide;
use super::levels::{Acceptance, Path, Space, SpaceStep};
use super::watch::{Judge, Watcher};
use crate::history::{Live, Monitor};
use crate::kernel::{Lists, Source, StepSystem};
use crate::solve::Solver;
use crate::term::{Expr, OpenFrame, Partial, Range, Store, Symbol, Symbolic, Term, Terms, Unsupported, Value, open};

pub use oracle::Oracle;
pub use recover::{OpenStep, Recovered};

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
    /// Whether the monitor looks at the number of the step.
    pub(super) fn looks_at_clock(&self) -> bool {
        let mut found = false;
        for list in &self.monitor.lists {
            list.map_leaves(&mut |leaf| {
                found |= matches!(leaf, Expr::Slot(slot) if self.lists.sources[*slot] == Source::Clock);
                None
            });
        }
        found
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

/// A step between symbolic states. Its terms are over the symbols of its target and, numbered after these, the symbols
/// that it lets go.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    label: u32,
    target: u32,
    /// The joint of the model.
    joint: usize,
    /// Data of the gate, or inputs and outputs.
    data: Vec<Term>,
    /// What has become of the symbols of its source.
    carried: Vec<Term>,
    /// Ranges of the symbols let go.
    released: Vec<Range>,
    /// Conditions on them, and what ties them to numbers that stay.
    released_residual: Vec<Term>,
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
}

/// A state on its way: what is assumed, and values that satisfy it, if some are known.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    store: Store,
    /// Values by symbol; trusted only after a look.
    witness: Vec<Value>,
    /// Conditions whose satisfiability nobody could tell.
    is_doubtful: bool,
}

impl<'a> OpenSpace<'a> {
    /// The space of a question.
    pub fn new(question: Question<'a>, solver: Box<dyn Solver>) -> OpenSpace<'a> {
        let mut terms = Terms::new();
        let guide = Guide::new(&question, &mut terms);
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
        }
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

    /// Evaluates an expression; a gap if it has no term.
    fn eval(&mut self, expr: &Expr, slots: &[Term], frame: &mut OpenFrame) -> Option<Partial> {
        let definitions = &self.question.lists.names.definitions;
        match Symbolic::new(&mut self.terms, definitions, slots).eval(expr, frame) {
            Ok(partial) => Some(partial),
            Err(Unsupported(reason)) => {
                self.gap(reason);
                None
            }
        }
    }

    fn condition(&mut self, expr: &Expr, slots: &[Term], frame: &mut OpenFrame) -> Option<Term> {
        let Partial { value, defined } = self.eval(expr, slots, frame)?;
        Some(self.terms.and(defined, value))
    }

    /// Opens a value of a type in a branch.
    fn open(&mut self, ty: &crate::term::Type, branch: &mut Branch) -> Option<Term> {
        let definitions = &self.question.lists.names.definitions;
        match open(ty, &mut branch.store, &mut self.terms, definitions) {
            Ok(opened) => {
                if !opened.complete {
                    let name = ty.name(definitions);
                    self.gap(format!("open values of `{name}` were tried up to a small size only"));
                }
                for range in &branch.store.ranges[branch.witness.len()..] {
                    branch.witness.push(range.simple());
                }
                for condition in opened.conditions {
                    if !self.assume(branch, condition) {
                        return None;
                    }
                }
                Some(opened.value)
            }
            Err(Unsupported(reason)) => {
                self.gap(reason);
                None
            }
        }
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
    ) -> Edge {
        let mut roots: Vec<Term> = values.iter().chain(open).copied().collect();
        live.iter().for_each(|live| live.each_arg(&mut |arg| roots.push(*arg)));
        for root in &mut roots {
            *root = branch.store.apply(&mut self.terms, *root);
        }
        let forgotten = forget::forget_sums(&mut self.terms, branch, &roots);
        let (branch, mut ties) = forgotten.as_ref().map_or((branch, vec![]), |(branch, ties)| (branch, ties.clone()));
        let projected = project::project(&mut self.terms, branch, &roots);
        let branch = projected.as_ref().map_or(branch, |(branch, _)| branch);
        ties.extend(projected.iter().flat_map(|(_, was)| was));
        let store = &branch.store;
        let mut applied = FxHashMap::default();
        let apply =
            |terms: &mut Terms, term: Term, done: &mut FxHashMap<Term, Term>| store.apply_with(terms, term, done);
        let values: Vec<Term> = values.iter().map(|v| apply(&mut self.terms, *v, &mut applied)).collect();
        let open: Vec<Term> = open.iter().map(|v| apply(&mut self.terms, *v, &mut applied)).collect();
        let live: Vec<Live<Term>> = {
            let terms = &mut self.terms;
            live.iter().map(|live| live.map(&mut |arg| store.apply_with(terms, *arg, &mut applied))).collect()
        };
        // Symbols in the order of their first occurrence, then those that conditions tie to them.
        let mut order: Vec<u32> = vec![];
        let mut place: Vec<Option<u32>> = vec![None; store.ranges.len()];
        let mut note = |terms: &Terms, term: Term| {
            terms.each_symbol(term, &mut |symbol| {
                let place = &mut place[symbol.number as usize];
                if place.is_none() {
                    *place = Some(order.len() as u32);
                    order.push(symbol.number);
                }
            });
        };
        values.iter().chain(&open).for_each(|term| note(&self.terms, *term));
        live.iter().for_each(|live| live.each_arg(&mut |arg| note(&self.terms, *arg)));
        let mut residual = vec![];
        let mut rest: Vec<Term> = store.residual.iter().copied().collect();
        loop {
            let (tied, free): (Vec<Term>, Vec<Term>) = rest.iter().partition(|term| {
                let mut tied = false;
                self.terms.each_symbol(**term, &mut |symbol| tied |= order.contains(&symbol.number));
                tied
            });
            if tied.is_empty() {
                break;
            }
            for term in tied {
                self.terms.each_symbol(term, &mut |symbol| {
                    if !order.contains(&symbol.number) {
                        place[symbol.number as usize] = Some(order.len() as u32);
                        order.push(symbol.number);
                    }
                });
                residual.push(term);
            }
            rest = free;
        }
        rest.extend(ties.iter().map(|term| apply(&mut self.terms, *term, &mut applied)));
        // What is let go comes after what stays.
        let kept = order.len();
        for number in 0..store.ranges.len() as u32 {
            if place[number as usize].is_none() && !store.is_solved(number) {
                place[number as usize] = Some(order.len() as u32);
                order.push(number);
            }
        }
        let mut renamed = FxHashMap::default();
        let replaced: Vec<Option<Term>> = (place.iter().zip(&store.ranges))
            .map(|(place, range)| place.map(|number| self.terms.symbol(Symbol { number, sort: range.sort() })))
            .collect();
        let mut all = |terms: &mut Terms, list: &[Term]| -> Vec<Term> {
            let mut rename = |term: &Term| terms.substituted(*term, &|s| replaced[s.number as usize], &mut renamed);
            list.iter().map(&mut rename).collect()
        };
        let values = all(&mut self.terms, &values);
        let open = all(&mut self.terms, &open);
        let live = {
            let terms = &mut self.terms;
            live.iter().map(|live| live.map(&mut |arg| all(terms, &[*arg])[0])).collect()
        };
        let mut residual = all(&mut self.terms, &residual);
        residual.sort_unstable();
        let released_residual = all(&mut self.terms, &rest);
        let data: Vec<Term> = data.iter().map(|term| apply(&mut self.terms, *term, &mut applied)).collect();
        let data = all(&mut self.terms, &data);
        let sources: Vec<Term> = (0..carried as u32)
            .map(|number| {
                let sort = store.ranges[number as usize].sort();
                let symbol = self.terms.symbol(Symbol { number, sort });
                apply(&mut self.terms, symbol, &mut applied)
            })
            .collect();
        let carried = all(&mut self.terms, &sources);
        let range = |number: &u32| store.ranges[*number as usize].clone();
        let state = OpenState {
            control,
            values,
            open,
            live,
            ranges: order[..kept].iter().map(range).collect(),
            residual,
            clock,
        };
        let released = order[kept..].iter().map(range).collect();
        let witness = order[..kept].iter().map(|number| branch.witness[*number as usize].clone()).collect();
        let target = self.number(state, witness, branch.is_doubtful);
        Edge { label, target, joint, data, carried, released, released_residual }
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
        let mut store = Store::new(known.ranges.clone());
        store.residual = known.residual.iter().copied().collect();
        let (witness, is_doubtful) = self.oracle.recall(state);
        Branch { store, witness, is_doubtful }
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
        let edges = self.edges[state as usize].as_deref().unwrap_or_default();
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
}
