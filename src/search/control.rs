//! The control of one machine, with the items that look at nothing else: data is left out, guards may hold or not. Every run of
//! the model is a run of this small graph, so that what is far here is far there.

use rustc_hash::FxHashMap;

use super::cover::{
    ControlRow, ControlTables, Counted, Edge, Graph, ItemSet, MAX_ENTRIES, Prices, SetId, Sets, Steps, Table,
};
use super::guide::slots_of;
use super::limits::Limits;
use super::symbolic::Question;
use crate::history::{Known, Live};
use crate::kernel::{Moment, Part, Source, Style};
use crate::term::{LimitKind, Value};

/// Most nodes of the graph of one machine.
const MAX_NODES: usize = 4_000;
/// Nodes between two looks at the limits.
const LOOK_EVERY: usize = 64;
/// Most items of one table.
const MAX_TOGETHER: usize = 14;
/// Most entries, and edges between them, of all tables of a machine; items for which there is none are priced only.
const MAX_IN_ALL: usize = 8 * MAX_ENTRIES;

/// Control states of a machine with what is left to show of its items.
struct ControlSteps<'a> {
    question: Question<'a>,
    machine: usize,
    items: Vec<usize>,
    nodes: Vec<ControlRow>,
    numbers: FxHashMap<ControlRow, u32>,
    is_too_large: bool,
}

/// Tables for every machine that has wanted items of its own, as far as limits allow: without some of them less is known.
pub fn control_tables(question: Question<'_>, wanted: &ItemSet, restarts: bool, limits: &Limits) -> Vec<ControlTables> {
    let machines = (0..question.system.machines.len()).take_while(|_| limits.used_up().is_none());
    machines.filter_map(|machine| of_machine(question, machine, wanted, restarts, limits).ok().flatten()).collect()
}

fn of_machine(
    question: Question<'_>,
    machine: usize,
    wanted: &ItemSet,
    restarts: bool,
    limits: &Limits,
) -> Result<Option<ControlTables>, LimitKind> {
    let is_own = |item: &usize| {
        slots_of(&question, &[*item]).into_iter().all(|list| match question.lists.sources[list] {
            Source::State(m, _) | Source::Fired(m) => m == machine,
            _ => false,
        })
    };
    let items: Vec<usize> = wanted.iter().filter(is_own).collect();
    // Values that exist once for a run may be anything, so items that look at them say nothing here.
    if items.is_empty() || !question.monitor.open.is_empty() {
        return Ok(None);
    }
    let mut steps = ControlSteps {
        question,
        machine,
        items: items.clone(),
        nodes: vec![],
        numbers: FxHashMap::default(),
        is_too_large: false,
    };
    let live = steps.first(&items)?;
    steps.number((question.system.machines[machine].initial, live));
    let mut graph = Graph::new(steps);
    let mut at = 0;
    while at < graph.len() {
        graph.edges(at as u32);
        at += 1;
        if graph.steps.is_too_large || at.is_multiple_of(LOOK_EVERY) && limits.used_up().is_some() {
            return Ok(None);
        }
    }
    let numbers: FxHashMap<usize, usize> = wanted.iter().enumerate().map(|(number, item)| (item, number)).collect();
    let room = (MAX_ENTRIES / graph.len()).ilog2() as usize;
    let (mut all, mut others) = (vec![], vec![]);
    let together = room.min(MAX_TOGETHER);
    let most = MAX_IN_ALL / ((graph.len() + graph.known_edges().len()) << together);
    for together in items.chunks(together).take(most).take_while(|_| limits.used_up().is_none()) {
        let of_table: Vec<usize> = together.iter().map(|item| numbers[item]).collect();
        all.push(Table::new(&mut graph, together, of_table.clone(), Counted::All, restarts));
        others.push(Table::new(&mut graph, together, of_table, Counted::Others, restarts));
    }
    let prices = Prices::new(&mut graph, &items, wanted, restarts, limits);
    Ok(Some(ControlTables::new(machine, items, graph.steps.numbers, [all, others], prices)))
}

/// Which steps of a composition at gates make a difference to an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attention {
    /// Those of the machines it looks at: what others do leaves it as it is, wherever a run is.
    Own,
    /// The first one covers it, whoever takes it.
    First,
    /// All, as far as is known.
    Every,
}

/// Which steps make a difference to an item that looks at one machine: asked of all that its control can do.
pub fn attention(question: Question<'_>, machine: usize, item: usize) -> Attention {
    attention_of(question, machine, item).unwrap_or(Attention::Every)
}

/// The same; none if there is too much to look at, or evaluation met a limit.
fn attention_of(question: Question<'_>, machine: usize, item: usize) -> Option<Attention> {
    let (nodes, numbers) = (vec![], FxHashMap::default());
    let mut steps = ControlSteps { question, machine, items: vec![item], nodes, numbers, is_too_large: false };
    let live = steps.first(&[item]).ok()?;
    steps.number((question.system.machines[machine].initial, live));
    let mut sets = Sets::default();
    let mut node = 0;
    while node < steps.nodes.len() as u32 {
        let others = steps.take(node, Fired::Not, &mut sets).ok()?;
        let own = steps.all(node, &mut sets).ok()?;
        if node == 0 && others.marks != SetId::EMPTY && own.iter().all(|edge| edge.marks != SetId::EMPTY) {
            return Some(Attention::First);
        }
        if others.marks != SetId::EMPTY || others.target != node || steps.is_too_large {
            return Some(Attention::Every);
        }
        node += 1;
    }
    Some(Attention::Own)
}

impl ControlSteps<'_> {
    fn known(&self) -> Known<'_> {
        Known { monitor: self.question.monitor, definitions: &self.question.lists.names.definitions, open: &[] }
    }

    fn first(&self, items: &[usize]) -> Result<Vec<Live<Value>>, LimitKind> {
        items.iter().map(|item| self.known().start_of(&self.question.monitor.start[*item])).collect()
    }

    fn number(&mut self, row: ControlRow) -> u32 {
        let next = self.nodes.len() as u32;
        let number = *self.numbers.entry(row.clone()).or_insert(next);
        if number == next {
            self.is_too_large |= self.nodes.len() >= MAX_NODES;
            self.nodes.push(row);
        }
        number
    }

    /// One step of the machine: a transition, idling, or none at all.
    fn take(&mut self, node: u32, fired: Fired, sets: &mut Sets) -> Result<Edge, LimitKind> {
        let (control, live) = self.nodes[node as usize].clone();
        let (question, machine) = (self.question, self.machine);
        let transitions = &question.system.machines[machine].transitions;
        let after = match fired {
            Fired::Transition(number) => transitions[number].target,
            Fired::Idle | Fired::Not => control,
        };
        let mut observed = vec![Value::Absent; question.lists.sources.len()];
        for (list, source) in question.lists.sources.iter().enumerate() {
            let member = |number: usize| question.lists.names.member(list, number);
            observed[list] = match (source, fired) {
                (Source::State(m, Moment::Before), _) if *m == machine => member(control as usize),
                (Source::State(m, Moment::After), _) if *m == machine => member(after as usize),
                (Source::Fired(m), Fired::Transition(number)) if *m == machine => member(number),
                (Source::Fired(m), Fired::Idle) if *m == machine => member(transitions.len()),
                _ => continue,
            };
        }
        let mut next = self.known().advance(&live, &observed)?;
        let mut covered = ItemSet::default();
        for (place, item) in self.items.iter().enumerate() {
            if next[place] == Live::Decided(true) {
                covered.insert(*item);
                next[place] = self.known().start_of(&question.monitor.start[*item])?;
            }
        }
        Ok(Edge { target: self.number((after, next)), marks: sets.number(covered) })
    }

    /// What the machine can do in a step from a node.
    fn ways(&self, node: u32) -> Vec<Fired> {
        let system = self.question.system;
        let control = self.nodes[node as usize].0;
        let transitions = &system.machines[self.machine].transitions;
        let mut ways: Vec<Fired> =
            (0..transitions.len()).filter(|t| transitions[*t].source == control).map(Fired::Transition).collect();
        let is_ticked = system.ticks.iter().any(|tick| tick.machines.contains(&self.machine));
        if is_ticked {
            ways.push(Fired::Idle);
        }
        // Others may move without it.
        let moves_alone = |part: &[Part]| !part.iter().any(|part| matches!(part, Part::Tick(_)));
        if system.style == Style::Gates
            && (system.machines.len() > 1 || !system.joints.iter().all(|j| moves_alone(&j.parts)))
        {
            ways.push(Fired::Not);
        }
        ways
    }

    fn all(&mut self, node: u32, sets: &mut Sets) -> Result<Vec<Edge>, LimitKind> {
        self.ways(node).into_iter().map(|fired| self.take(node, fired, sets)).collect()
    }
}

#[derive(Clone, Copy)]
enum Fired {
    Not,
    Idle,
    Transition(usize),
}

impl Steps for ControlSteps<'_> {
    fn starts(&mut self) -> Vec<u32> {
        vec![0]
    }

    fn expand(&mut self, node: u32, sets: &mut Sets) -> Vec<Edge> {
        match self.all(node, sets) {
            Ok(edges) => edges,
            Err(_) => {
                self.is_too_large = true;
                vec![]
            }
        }
    }

    fn ends(&mut self, node: u32, sets: &mut Sets) -> Option<SetId> {
        let live = &self.nodes[node as usize].1;
        let mut ends = ItemSet::default();
        for (item, live) in self.items.iter().zip(live) {
            // Where it cannot be told, it may be.
            if self.known().hold_at_stop(std::slice::from_ref(live)).unwrap_or(true) {
                ends.insert(*item);
            }
        }
        Some(sets.number(ends))
    }

    fn failed(&mut self, node: u32, sets: &mut Sets) -> SetId {
        let live = self.nodes[node as usize].1.iter().zip(&self.items);
        sets.number(live.filter(|(live, _)| **live == Live::Decided(false)).map(|(_, item)| *item).collect())
    }

    fn work(&self) -> usize {
        self.nodes.len()
    }

    fn gap(&self) -> Option<String> {
        None
    }

    fn keeps_control(&self, from: u32, to: u32) -> bool {
        self.nodes[from as usize].0 == self.nodes[to as usize].0
    }
}
