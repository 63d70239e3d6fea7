//! What control alone says of the way to a goal: a lower bound on the steps, or that there is no way.
//!
//! For each constraint the machines it looks at are multiplied with its monitor, with everything else open: guards may hold
//! or not, data may be anything. Datalog gives the distances in this small graph. A run of the model is a path in each of
//! these graphs, so the greatest of the distances bounds the steps from below, and where one graph has no way the model has
//! none.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::limits::Limits;
use super::symbolic::Question;
use super::watch::{Judge, Watcher};
use crate::history::{Formula, Live, Monitor, Purpose, RuleUse};
use crate::kernel::{Lists, Moment, Part, Source, StepSystem};
use crate::reach::{Graph, Reach};
use crate::term::{Expr, Opened, Range, Store, Symbol, Term, Terms, Type, Unsupported, Value, open};

/// Most nodes of a graph for one constraint; a larger one says nothing.
const MAX_NODES: usize = 4_000;
/// Most nodes of the graph for several constraints together.
const MAX_NODES_TOGETHER: usize = 400;
/// Most steps of a graph, for each of the nodes it may have: machines that move independently have many.
const MAX_STEPS_PER_NODE: usize = 16;

/// Most clauses of rules that are looked at for one graph.
const MAX_LOOKS: usize = 200_000;

/// Most open values and rules in what is left to show; where it grows beyond that, it grows without end.
const MAX_SIZE: usize = 128;
/// Most ways in which what is left to show can go on after one element.
const MAX_WAYS: usize = 200;
/// Most rules with open values in what is left to show: each may take its own way at every element.
const MAX_FOLLOWED: usize = 6;

/// Numbers of symbols that formulas do not get to.
const FAR: usize = 1_024;

/// Lower bounds from control.
#[derive(Clone, Debug, Default)]
pub struct Guide {
    tables: Vec<Table>,
}

/// Distances for some constraints.
#[derive(Clone, Debug)]
struct Table {
    /// The constraints, by number.
    constraints: Vec<usize>,
    /// The machines they look at.
    machines: Vec<usize>,
    nodes: FxHashMap<Node, u32>,
    reach: Reach,
}

/// Control states of the machines, and what is left to show.
type Node = (Vec<u32>, Vec<Live<Term>>);

impl Guide {
    /// Looks at the control of a question.
    pub fn new(question: &Question<'_>, terms: &mut Terms) -> Guide {
        Guide::within(question, terms, &Limits::default())
    }

    /// The same within limits: a graph that is not finished says nothing.
    pub fn within(question: &Question<'_>, terms: &mut Terms, limits: &Limits) -> Guide {
        let mut sets: Vec<(Vec<usize>, usize)> = (0..question.monitor.start.len())
            .filter(|constraint| is_any(question, *constraint))
            .map(|constraint| (vec![constraint], MAX_NODES))
            .collect();
        // Constraints on the same machines, and all of them, say more together than each for itself.
        let mut by_machines: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        let looked_at: Vec<usize> = sets.iter().map(|(constraints, _)| constraints[0]).collect();
        for constraint in looked_at.iter().copied() {
            by_machines.entry(machines_of(question, &slots_of(question, &[constraint]))).or_default().push(constraint);
        }
        let groups = by_machines.into_values().filter(|group| group.len() > 1 && group.len() < sets.len());
        let groups: Vec<Vec<usize>> = groups.collect();
        if sets.len() > 1 {
            sets.extend(groups.into_iter().chain([looked_at]).map(|group| (group, MAX_NODES_TOGETHER)));
        }
        let tables = sets.into_iter().filter_map(|(constraints, most)| {
            // What has no terms, or is too large, is left to the search.
            Builder::new(question, terms, constraints, most).ok()?.table(limits).ok().flatten()
        });
        Guide { tables: tables.collect() }
    }

    /// A constraint, or several, that control alone makes impossible, with the machines that were looked at.
    pub fn refuted(&self) -> Option<(&[usize], &[usize])> {
        let none = self.tables.iter().find(|table| table.reach.lower_bound().is_none())?;
        Some((&none.constraints, &none.machines))
    }

    /// No run that ends well has fewer steps; none if there is no such run.
    pub fn lower_bound(&self) -> Option<usize> {
        let bounds = self.tables.iter().map(|table| table.reach.lower_bound());
        bounds.collect::<Option<Vec<u32>>>().map(|bounds| bounds.into_iter().max().unwrap_or(0) as usize)
    }

    /// A lower bound on the steps to an end from here; none if there is no way.
    pub fn distance(&self, control: &[u32], live: &[Live<Term>], terms: &mut Terms) -> Option<usize> {
        let mut most = 0;
        for table in &self.tables {
            let at: Vec<u32> = table.machines.iter().map(|machine| control[*machine]).collect();
            let live = table.constraints.iter().map(|constraint| live[*constraint].clone()).collect();
            if let Some(node) = table.nodes.get(&(at, canonical(live, terms))) {
                most = most.max(table.reach.distance(*node)?);
            }
        }
        Some(most as usize)
    }
}

/// What control alone says of one constraint of a purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByControl {
    /// No run meets it.
    Never,
    /// Every run meets it.
    Always,
    /// It takes data to tell.
    Open,
}

/// Whether a constraint of a purpose is met by no run, or by every run, whatever the data is.
pub fn by_control(system: &StepSystem, lists: &Lists, purpose: &Purpose, constraint: usize) -> ByControl {
    let mut monitor = purpose.monitor(&[constraint], None);
    let is_refuted =
        |monitor: &Monitor| Guide::new(&Question { system, lists, monitor }, &mut Terms::new()).refuted().is_some();
    if is_refuted(&monitor) {
        return ByControl::Never;
    }
    // The contrary of `some value has it` is not that some value does not.
    if !monitor.open.is_empty() {
        return ByControl::Open;
    }
    monitor.start = monitor.start.into_iter().map(|formula| Formula::Not(Box::new(formula))).collect();
    if is_refuted(&monitor) { ByControl::Always } else { ByControl::Open }
}

/// Formulas with their symbols numbered by first occurrence: what is known of them does not matter here.
fn canonical(live: Vec<Live<Term>>, terms: &mut Terms) -> Vec<Live<Term>> {
    let mut symbols: Vec<Symbol> = vec![];
    for one in &live {
        one.each_arg(&mut |arg| {
            terms.each_symbol(*arg, &mut |symbol| {
                if !symbols.contains(&symbol) {
                    symbols.push(symbol);
                }
            });
        });
    }
    if symbols.is_empty() {
        return live;
    }
    let renamed: FxHashMap<Symbol, Term> = (symbols.into_iter().enumerate())
        .map(|(number, symbol)| (symbol, terms.symbol(Symbol { number: number as u32, ..symbol })))
        .collect();
    live.iter().map(|one| one.map(&mut |arg| terms.substitute(*arg, &|symbol| renamed.get(&symbol).copied()))).collect()
}

/// Whether every element that a constraint may look at has a term. Where lists or trees are known up to a size only, a step
/// that is missing may be one with a larger value, so that control says nothing.
fn is_any(question: &Question<'_>, constraint: usize) -> bool {
    let (mut terms, mut store) = (Terms::new(), Store::default());
    let mut has_term = |ty: &Type| {
        let opened = open(ty, &mut store, &mut terms, &question.lists.names.definitions);
        opened.and_then(Opened::exact).is_ok()
    };
    let is_control =
        |slot: &usize| matches!(question.lists.sources[*slot], Source::State(..) | Source::Fired(_) | Source::Gate);
    slots_of(question, &[constraint])
        .iter()
        .all(|slot| is_control(slot) || has_term(&question.lists.names.entries[*slot].ty))
}

/// How many arguments formulas have, and open values in them.
fn size(live: &[Live<Term>], terms: &Terms) -> usize {
    let mut count = 0;
    for one in live {
        one.each_arg(&mut |arg| {
            count += 1;
            terms.each_symbol(*arg, &mut |_| count += 1);
        });
    }
    count
}

/// How many rules have open values.
fn followed(live: &[Live<Term>], terms: &Terms) -> usize {
    fn of(live: &Live<Term>, terms: &Terms) -> usize {
        match live {
            Live::Decided(_) => 0,
            Live::Rule(instance, _) => {
                let mut is_open = false;
                instance.args.iter().for_each(|arg| terms.each_symbol(*arg, &mut |_| is_open = true));
                usize::from(is_open)
            }
            Live::All(parts) | Live::Any(parts) => parts.iter().map(|part| of(part, terms)).sum(),
        }
    }
    live.iter().map(|live| of(live, terms)).sum()
}

/// Knows nothing: every condition that is not decided may hold or not.
struct Anything {
    /// Clauses that may still be looked at; when there are none left, what is said of them is of no use.
    looks_left: usize,
}

impl Judge for Anything {
    type Branch = ();

    fn known(&mut self, terms: &mut Terms, (): &(), condition: Term) -> Term {
        self.looks_left = self.looks_left.saturating_sub(1);
        if self.looks_left == 0 { terms.bool(false) } else { condition }
    }

    fn assume(&mut self, terms: &mut Terms, (): &mut (), condition: Term) -> bool {
        !terms.is(condition, false)
    }
}

struct Builder<'a, 'q> {
    question: &'a Question<'q>,
    terms: &'a mut Terms,
    constraints: Vec<usize>,
    machines: Vec<usize>,
    /// Open elements for what is not control.
    anything: BTreeMap<usize, Term>,
    open: Vec<Term>,
    most: usize,
    /// Steps that may still be looked at.
    steps_left: usize,
    judge: Anything,
}

impl<'a, 'q> Builder<'a, 'q> {
    fn new(
        question: &'a Question<'q>,
        terms: &'a mut Terms,
        constraints: Vec<usize>,
        most: usize,
    ) -> Result<Builder<'a, 'q>, Unsupported> {
        let definitions = &question.lists.names.definitions;
        let slots = slots_of(question, &constraints);
        let machines = machines_of(question, &slots);
        // Symbols far from those of the formulas, so that the two are never taken for each other.
        let mut store = Store::new(vec![Range::Bool; FAR]);
        // Every value that there may be, and more: what a type asks for is left out.
        let mut open_one = |ty: &Type, terms: &mut Terms| Ok(open(ty, &mut store, terms, definitions)?.exact()?.value);
        let mut anything = BTreeMap::new();
        for slot in slots {
            let list = &question.lists.names.entries[slot];
            if matches!(question.lists.sources[slot], Source::State(..) | Source::Fired(_) | Source::Gate) {
                continue;
            }
            let element = open_one(&list.ty, terms)?;
            let element = if list.is_message {
                let present = open_one(&Type::Bool, terms)?;
                let absent = terms.constant(Value::Absent);
                terms.choose(present, element, absent)
            } else {
                element
            };
            anything.insert(slot, element);
        }
        let mut opened = vec![];
        for ty in &question.monitor.open {
            opened.push(open_one(ty, terms)?);
        }
        Ok(Builder {
            question,
            terms,
            constraints,
            machines,
            anything,
            open: opened,
            most,
            steps_left: most * MAX_STEPS_PER_NODE,
            judge: Anything { looks_left: MAX_LOOKS },
        })
    }

    fn watcher(&mut self) -> Watcher<'_, Anything> {
        Watcher {
            monitor: self.question.monitor,
            definitions: &self.question.lists.names.definitions,
            terms: self.terms,
            judge: &mut self.judge,
            keeps_failed: false,
            most: MAX_WAYS,
        }
    }

    /// The graph and its distances; none if it is too large.
    fn table(mut self, limits: &Limits) -> Result<Option<Table>, Unsupported> {
        let system = self.question.system;
        let open = self.open.clone();
        let live = self.watcher().start(&open)?;
        let live: Vec<Live<Term>> = self.constraints.iter().map(|constraint| live[*constraint].clone()).collect();
        let control: Vec<u32> = self.machines.iter().map(|machine| system.machines[*machine].initial).collect();
        let mut nodes: FxHashMap<Node, u32> = FxHashMap::default();
        let mut order: Vec<Node> = vec![];
        let mut graph = Graph { nodes: 0, edges: vec![], initial: vec![0], goals: vec![] };
        let first = (control, canonical(live, self.terms));
        nodes.insert(first.clone(), 0);
        order.push(first);
        let mut at = 0;
        while at < order.len() {
            if limits.used_up().is_some() {
                return Ok(None);
            }
            let (control, live) = order[at].clone();
            let ends = self.watcher().at_stop(&live)?;
            if !self.terms.is(ends, false) {
                graph.goals.push(at as u32);
            }
            let Some(steps) = self.steps(&control, &live)? else { return Ok(None) };
            for next in steps {
                let number = match nodes.get(&next) {
                    Some(number) => *number,
                    None => {
                        let number = order.len() as u32;
                        if order.len() >= self.most
                            || size(&next.1, self.terms) > MAX_SIZE
                            || followed(&next.1, self.terms) > MAX_FOLLOWED
                        {
                            return Ok(None);
                        }
                        nodes.insert(next.clone(), number);
                        order.push(next);
                        number
                    }
                };
                graph.edges.push((at as u32, number));
            }
            at += 1;
        }
        graph.nodes = order.len();
        let reach = graph.analyse();
        Ok(Some(Table { constraints: self.constraints, machines: self.machines, nodes, reach }))
    }

    /// Where a step may lead; none if there are too many of them.
    fn steps(&mut self, control: &[u32], live: &[Live<Term>]) -> Result<Option<BTreeSet<Node>>, Unsupported> {
        let mut seen: BTreeSet<(Option<usize>, Vec<u32>, Vec<Fired>)> = BTreeSet::new();
        let mut out = BTreeSet::new();
        for joint in 0..self.question.system.joints.len() {
            let Some(moves) = self.moves(joint, control) else { return Ok(None) };
            for (next, fired) in moves {
                self.steps_left = match self.steps_left.checked_sub(1) {
                    None => return Ok(None),
                    Some(left) => left,
                };
                let gate = self.question.system.joints[joint].gate;
                if !seen.insert((gate, next.clone(), fired.clone())) {
                    continue;
                }
                let observed = self.observed(gate, control, &next, &fired);
                let open = self.open.clone();
                for ((), live) in self.watcher().advance((), live, &open, &observed)? {
                    out.insert((next.clone(), canonical(live, self.terms)));
                }
                if self.judge.looks_left == 0 {
                    return Ok(None);
                }
            }
        }
        Ok(Some(out))
    }

    /// How the machines may move in a step of a joint; none if there are too many ways.
    fn moves(&self, joint: usize, control: &[u32]) -> Option<Vec<(Vec<u32>, Vec<Fired>)>> {
        let system = self.question.system;
        let mut moves = vec![(control.to_vec(), vec![Fired::Not; control.len()])];
        for part in &system.joints[joint].parts {
            let (machines, only) = match part {
                Part::Tick(tick) => (system.ticks[*tick].machines.clone(), None),
                Part::Switch { machine, transition } => (vec![*machine], Some(*transition)),
            };
            for machine in machines {
                let Some(place) = self.machines.iter().position(|m| *m == machine) else { continue };
                let transitions = &system.machines[machine].transitions;
                let mut next = vec![];
                for (control, fired) in moves {
                    let mut take = |target: u32, what: Fired| {
                        let (mut control, mut fired): (Vec<u32>, Vec<Fired>) = (control.clone(), fired.clone());
                        (control[place], fired[place]) = (target, what);
                        next.push((control, fired));
                    };
                    for (number, t) in transitions.iter().enumerate() {
                        if t.source == control[place] && only.is_none_or(|only| only == number) {
                            take(t.target, Fired::Transition(number));
                        }
                    }
                    if only.is_none() {
                        take(control[place], Fired::Idle);
                    }
                }
                if next.len() > self.steps_left {
                    return None;
                }
                moves = next;
            }
        }
        Some(moves)
    }

    fn observed(&mut self, gate: Option<usize>, before: &[u32], after: &[u32], fired: &[Fired]) -> Vec<Term> {
        let (system, lists) = (self.question.system, self.question.lists);
        let mut out = vec![];
        for (list, source) in lists.sources.iter().enumerate() {
            let place = |machine: &usize| self.machines.iter().position(|m| m == machine);
            let member = |number: usize| lists.names.member(list, number);
            let known = match source {
                Source::State(machine, Moment::Before) => place(machine).map(|p| member(before[p] as usize)),
                Source::State(machine, Moment::After) => place(machine).map(|p| member(after[p] as usize)),
                Source::Fired(machine) => place(machine).map(|p| match fired[p] {
                    Fired::Transition(transition) => member(transition),
                    Fired::Idle => member(system.machines[*machine].transitions.len()),
                    Fired::Not => Value::Absent,
                }),
                Source::Gate => Some(member(gate.unwrap_or(system.gates.len()))),
                // Data of another gate is absent.
                Source::Data(other, _) if gate != Some(*other) => Some(Value::Absent),
                _ => None,
            };
            out.push(match (known, self.anything.get(&list)) {
                (Some(value), _) => self.terms.constant(value),
                (None, Some(anything)) => *anything,
                // Nobody looks at it.
                (None, None) => self.terms.constant(Value::Absent),
            });
        }
        out
    }
}

/// What a machine did in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fired {
    Not,
    Idle,
    Transition(usize),
}

/// What constraints observe.
pub(super) fn slots_of(question: &Question<'_>, constraints: &[usize]) -> BTreeSet<usize> {
    let mut slots = BTreeSet::new();
    for constraint in constraints {
        for list in lists_in(&question.monitor.start[*constraint]) {
            question.monitor.lists[list].map_leaves(&mut |leaf| {
                if let Expr::Slot(slot) = leaf {
                    slots.insert(*slot);
                }
                None
            });
        }
    }
    slots
}

/// The machines whose control is observed, in order.
fn machines_of(question: &Question<'_>, slots: &BTreeSet<usize>) -> Vec<usize> {
    let machines: BTreeSet<usize> = (slots.iter())
        .filter_map(|slot| match question.lists.sources[*slot] {
            Source::State(machine, _) | Source::Fired(machine) => Some(machine),
            // What is seen at the gates of one machine depends on where it is.
            Source::Gate | Source::Data(..) if question.system.machines.len() == 1 => Some(0),
            _ => None,
        })
        .collect();
    machines.into_iter().collect()
}

/// The lists that a formula looks at.
pub(super) fn lists_in(formula: &Formula) -> BTreeSet<usize> {
    let mut lists = BTreeSet::new();
    formula.each_use(&mut |used: &RuleUse| lists.extend(&used.lists));
    lists
}
