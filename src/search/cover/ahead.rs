//! What is left to do at least: lower bounds on the steps to an end.
//!
//! A table holds, for every row and every set of a few items, the least cost of covering the other ones of these items. Rows are
//! nodes of the graph itself, or of a smaller graph that every run of the model is a run of as well: the control states of one
//! machine. Tables of different items may be compared, and the greatest counts. Tables that count different steps may be
//! added: steps that leave every machine in its state, as in a counting loop, and all others. So a loop that has to be run
//! through a thousand times adds a thousand to whatever else is to be done.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::graph::{Graph, Steps};
use super::prices::Prices;
use super::sets::ItemSet;
use crate::history::Live;
use crate::term::Value;

/// Knows what is left to do at least.
pub trait Ahead<S> {
    /// The least number of steps to an end from a node, with these wanted items covered; none if there is no way.
    fn left(&mut self, graph: &Graph<S>, node: u32, covered: &[u64]) -> Option<u32>;
}

/// Most entries of a table.
pub const MAX_ENTRIES: usize = 1 << 22;

/// No way.
const NEVER: u32 = u32::MAX;

/// Which steps are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// All.
    All,
    /// Those that leave every machine in its state.
    Loops,
    /// All others.
    Others,
}

/// Least costs.
#[derive(Debug)]
pub struct Table {
    /// The items, by their numbers among those that are wanted.
    items: Vec<usize>,
    /// For each row, and each set of the items that are covered.
    left: Vec<u32>,
}

impl Table {
    /// The table of a graph of which everything is known, for some of its items; `numbers` are those of the items among all
    /// that are wanted. With `restarts` a new run may be begun anywhere, for nothing.
    pub fn new<S: Steps>(
        graph: &mut Graph<S>,
        items: &[usize],
        numbers: Vec<usize>,
        counted: Counted,
        restarts: bool,
    ) -> Table {
        let bits = items.len();
        let all = (1usize << bits) - 1;
        let rows = graph.len();
        let bits_of = |set: &ItemSet| -> usize {
            (items.iter().enumerate()).filter(|(_, item)| set.contains(**item)).map(|(bit, _)| 1 << bit).sum()
        };
        let ends: Vec<Option<usize>> = (0..rows as u32)
            .map(|node| {
                let ends = graph.ends(node);
                ends.map(|ends| bits_of(graph.sets.get(ends)))
            })
            .collect();

        // Steps into each node: from where, what they cover, what they cost.
        let mut into: Vec<Vec<(u32, usize, u32)>> = vec![vec![]; rows];
        for node in 0..rows as u32 {
            for place in graph.edges(node) {
                let edge = graph.edge(place);
                let is_loop = graph.steps.keeps_control(node, edge.target);
                let cost = match counted {
                    Counted::All => 1,
                    Counted::Loops => u32::from(is_loop),
                    Counted::Others => u32::from(!is_loop),
                };
                into[edge.target as usize].push((node, bits_of(graph.sets.get(edge.marks)), cost));
            }
        }
        let mut left = vec![NEVER; rows << bits];
        let mut open: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
        // A step covers no less than before, so sets are done from the greatest down.
        for covered in (0..=all).rev() {
            let at = |node: u32, covered: usize| ((node as usize) << bits) | covered;
            let offer = |node: u32, cost: u32, left: &mut Vec<u32>, open: &mut BinaryHeap<_>| {
                let known = &mut left[at(node, covered)];
                if cost < *known {
                    *known = cost;
                    open.push(Reverse((cost, node)));
                }
            };
            for node in 0..rows as u32 {
                // Where no run may end, nothing is covered by an end, and none can be begun.
                let at_end = ends[node as usize].map_or(covered, |ends| covered | ends);
                if at_end == all && ends[node as usize].is_some() {
                    offer(node, 0, &mut left, &mut open);
                } else if restarts && at_end != covered {
                    let least = graph.starts().iter().map(|start| left[at(*start, at_end)]).min();
                    offer(node, least.unwrap_or(NEVER), &mut left, &mut open);
                }
                for (from, marks, cost) in &into[node as usize] {
                    if covered | marks != covered {
                        let after = left[at(node, covered | marks)];
                        if after != NEVER {
                            offer(*from, after + cost, &mut left, &mut open);
                        }
                    }
                }
            }
            while let Some(Reverse((cost, node))) = open.pop() {
                if left[at(node, covered)] < cost {
                    continue;
                }
                for (from, marks, step) in &into[node as usize] {
                    if covered | marks == covered {
                        offer(*from, cost + step, &mut left, &mut open);
                    }
                }
            }
            // A new run may be begun only where one may end, but it does no harm to think it may be anywhere.
            if restarts {
                let least = graph.starts().iter().map(|start| left[at(*start, covered)]).min().unwrap_or(NEVER);
                for node in 0..rows as u32 {
                    let known = &mut left[at(node, covered)];
                    *known = least.min(*known);
                }
            }
        }
        Table { items: numbers, left }
    }

    /// What is left in a row; none if there is no way.
    fn left(&self, row: u32, covered: &[u64]) -> Option<u32> {
        let mut place = 0;
        for (bit, item) in self.items.iter().enumerate() {
            place |= ((covered[item / 64] >> (item % 64)) as usize & 1) << bit;
        }
        let left = self.left[((row as usize) << self.items.len()) | place];
        (left != NEVER).then_some(left)
    }
}

/// Control states of a machine with what is left to show of some items.
pub type ControlRow = (u32, Vec<Live<Value>>);

/// A node seen as control states.
pub trait ControlView {
    /// The control state of a machine in a node.
    fn control_of(&self, node: u32, machine: usize) -> u32;
    /// What is left to show of an item in a node; none if that cannot be said in values.
    fn live_of(&self, node: u32, item: usize) -> Option<Live<Value>>;
}

/// Tables whose rows are control states of one machine.
#[derive(Debug)]
pub struct ControlTables {
    machine: usize,
    /// Items whose places are part of a row.
    items: Vec<usize>,
    rows: FxHashMap<ControlRow, u32>,
    /// Rows of the nodes that were looked at.
    known: Vec<Option<Option<u32>>>,
    /// All steps counted; steps that are no loops counted.
    all: Vec<Table>,
    others: Vec<Table>,
    prices: Option<Prices>,
}

impl ControlTables {
    /// Tables of a machine, with what its rows are.
    pub fn new(
        machine: usize,
        items: Vec<usize>,
        rows: FxHashMap<ControlRow, u32>,
        [all, others]: [Vec<Table>; 2],
        prices: Option<Prices>,
    ) -> ControlTables {
        ControlTables { machine, items, rows, known: vec![], all, others, prices }
    }

    fn row<S: ControlView>(&mut self, graph: &Graph<S>, node: u32) -> Option<u32> {
        let place = node as usize;
        if self.known.len() <= place {
            self.known.resize(place + 1, None);
        }
        if let Some(known) = self.known[place] {
            return known;
        }
        let live: Option<Vec<Live<Value>>> = self.items.iter().map(|item| graph.steps.live_of(node, *item)).collect();
        let control = graph.steps.control_of(node, self.machine);
        let row = live.and_then(|live| self.rows.get(&(control, live)).copied());
        self.known[place] = Some(row);
        row
    }
}

/// What is known of the way to an end.
#[derive(Debug, Default)]
pub struct Bounds {
    /// By the control states of machines.
    pub by_control: Vec<ControlTables>,
    /// By nodes: loops counted.
    pub loops: Option<Table>,
    /// By nodes: all items together.
    pub prices: Option<Prices>,
}

impl Bounds {
    /// How much is left by prices, to compare nodes by; nothing if there are none.
    pub fn priced<S: ControlView>(&mut self, graph: &Graph<S>, node: u32, covered: &[u64]) -> i64 {
        if let Some(prices) = &self.prices {
            return prices.in_parts(node, covered);
        }
        let mut sum = 0;
        for machine in &mut self.by_control {
            let row = machine.row(graph, node);
            sum += machine.prices.as_ref().zip(row).map_or(0, |(prices, row)| prices.in_parts(row, covered));
        }
        sum
    }
}

impl<S: ControlView> Ahead<S> for Bounds {
    fn left(&mut self, graph: &Graph<S>, node: u32, covered: &[u64]) -> Option<u32> {
        let (mut most, mut others) = (0, 0);
        for machine in &mut self.by_control {
            let Some(row) = machine.row(graph, node) else { continue };
            for table in &machine.all {
                most = most.max(table.left(row, covered)?);
            }
            for table in &machine.others {
                others = others.max(table.left(row, covered)?);
            }
            if let Some(prices) = &machine.prices {
                most = most.max(prices.left(row, covered));
            }
        }
        if let Some(loops) = &self.loops {
            most = most.max(others + loops.left(node, covered)?);
        }
        if let Some(prices) = &self.prices {
            most = most.max(prices.left(node, covered));
        }
        Some(most)
    }
}
