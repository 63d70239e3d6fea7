//! Prices: what each item costs at least, for all of them together.
//!
//! Give every item a price. A step costs one, and earns the prices of the items that it covers; what remains must not be
//! earned by going round in circles. Then every run costs at least the prices of the items it covers, plus the least that any
//! way on from where it is costs net of what it earns. The best prices are the dual of a linear program, the flow of runs
//! through the graph with every item covered; a solver of such programs, which works in floating point, proposes them. They
//! are not trusted: prices are rounded to whole parts, and what holds for them is found by shortest ways in whole numbers.

use microlp::{ComparisonOp, LinearExpr, OptimizationDirection, Problem, SolveOutcome, Variable};

use super::graph::{Graph, Steps};
use super::sets::ItemSet;
use crate::search::limits::Limits;

/// Parts of a step in which prices are counted.
const SCALE: i64 = 1 << 20;
/// Most edges of a graph for which prices are looked for.
pub const MAX_PRICED_EDGES: usize = 12_000;
/// Most edges times nodes and items: how long a program takes grows with its size, and nobody can interrupt it.
const MAX_PROGRAM: usize = 25_000_000;
/// The share of the time left that is spent on proposing prices.
const TIME_SHARE: u32 = 4;
/// How often prices are lowered when they turn out to be too high.
const LOWERED: usize = 8;

/// Prices of the wanted items, and what every way on from a node costs at least, net of them.
#[derive(Clone, Debug)]
pub struct Prices {
    /// By the number of the item among the wanted.
    prices: Vec<i64>,
    /// By node; never more than nothing.
    ways: Vec<i64>,
}

/// An edge with what it costs net.
struct Priced {
    from: u32,
    to: u32,
    items: Vec<usize>,
}

impl Prices {
    /// Prices of some of the wanted items, for a graph of which everything is known; none if it is too large, or nothing good
    /// was found. With `restarts` new runs may be begun, for nothing.
    pub fn new<S: Steps>(
        graph: &mut Graph<S>,
        items: &[usize],
        wanted: &ItemSet,
        restarts: bool,
        limits: &Limits,
    ) -> Option<Prices> {
        let (columns, rows) = (graph.known_edges().len(), graph.len() + items.len());
        if !graph.is_complete() || columns > MAX_PRICED_EDGES || columns * rows > MAX_PROGRAM {
            return None;
        }
        // Other items cost nothing here.
        let numbers: Vec<Option<usize>> = wanted.iter().map(|item| items.contains(&item).then_some(item)).collect();
        let number = |set: &ItemSet| -> Vec<usize> {
            (0..numbers.len()).filter(|number| numbers[*number].is_some_and(|item| set.contains(item))).collect()
        };
        let mut edges = vec![];
        let mut ends = vec![];
        for node in 0..graph.len() as u32 {
            let end = graph.ends(node);
            // To end where no run may is worth nothing.
            ends.push(end.map_or_else(Vec::new, |end| number(graph.sets.get(end))));
            for place in graph.edges(node) {
                let edge = graph.edge(place);
                let items = number(graph.sets.get(edge.marks));
                // Standing still for nothing is never of use.
                if edge.target != node || !items.is_empty() {
                    edges.push(Priced { from: node, to: edge.target, items });
                }
            }
        }
        let starts = graph.starts().to_vec();
        let priced: Vec<bool> = numbers.iter().map(Option::is_some).collect();
        let proposed = propose(&edges, &ends, &starts, &priced, restarts, limits)?;
        let mut prices: Vec<i64> = proposed.iter().map(|price| (price * SCALE as f64).floor() as i64).collect();
        for _ in 0..LOWERED {
            if let Some(ways) = least_ways(&edges, &ends, &prices, graph.len())
                && (!restarts || starts.iter().all(|start| ways[*start as usize] >= 0))
            {
                return Some(Prices { prices, ways });
            }
            // Rounding has made a circle, or a run, earn something.
            prices.iter_mut().for_each(|price| *price -= (*price >> 16) + 1);
            prices.iter_mut().for_each(|price| *price = (*price).max(0));
        }
        None
    }

    /// The least number of steps from a node that cover all wanted items but these.
    pub fn left(&self, node: u32, covered: &[u64]) -> u32 {
        ((self.in_parts(node, covered).max(0) + SCALE - 1) / SCALE) as u32
    }

    /// The same in parts of a step, for comparison.
    pub fn in_parts(&self, node: u32, covered: &[u64]) -> i64 {
        let open = |(number, price): (usize, &i64)| {
            if covered[number / 64] >> (number % 64) & 1 == 0 { *price } else { 0 }
        };
        self.ways[node as usize] + self.prices.iter().enumerate().map(open).sum::<i64>()
    }
}

/// Good prices, in floating point.
fn propose(
    edges: &[Priced],
    ends: &[Vec<usize>],
    starts: &[u32],
    priced: &[bool],
    restarts: bool,
    limits: &Limits,
) -> Option<Vec<f64>> {
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    if let Some(left) = limits.budget.time_left() {
        problem.set_time_limit(left / TIME_SHARE);
    }
    let most = |is_priced: &bool| if *is_priced { f64::INFINITY } else { 0.0 };
    let prices: Vec<Variable> = priced.iter().map(|is_priced| problem.add_var(1.0, (0.0, most(is_priced)))).collect();
    // A run begins where it costs least, so the cheapest start counts.
    let least = problem.add_var(if restarts { 0.0 } else { 1.0 }, (f64::NEG_INFINITY, 0.0));
    let ways: Vec<Variable> = ends.iter().map(|_| problem.add_var(0.0, (f64::NEG_INFINITY, 0.0))).collect();
    for start in starts {
        let mut row = LinearExpr::empty();
        row.add(ways[*start as usize], 1.0);
        match restarts {
            true => problem.add_constraint(row, ComparisonOp::Ge, 0.0),
            false => {
                row.add(least, -1.0);
                problem.add_constraint(row, ComparisonOp::Ge, 0.0)
            }
        };
    }
    for (node, covered) in ends.iter().enumerate().filter(|(_, covered)| !covered.is_empty()) {
        let mut row = LinearExpr::empty();
        row.add(ways[node], 1.0);
        covered.iter().for_each(|item| row.add(prices[*item], 1.0));
        problem.add_constraint(row, ComparisonOp::Le, 0.0);
    }
    for edge in edges {
        let mut row = LinearExpr::empty();
        if edge.from != edge.to {
            row.add(ways[edge.from as usize], 1.0);
            row.add(ways[edge.to as usize], -1.0);
        }
        edge.items.iter().for_each(|item| row.add(prices[*item], 1.0));
        problem.add_constraint(row, ComparisonOp::Le, 1.0);
    }
    match problem.solve() {
        Ok(SolveOutcome::Solution(solution)) => Some(prices.iter().map(|price| solution[*price]).collect()),
        _ => None,
    }
}

/// What the cheapest way on from each node costs, net of prices; none if going round in a circle earns something.
fn least_ways(edges: &[Priced], ends: &[Vec<usize>], prices: &[i64], nodes: usize) -> Option<Vec<i64>> {
    let earned = |items: &[usize]| items.iter().map(|item| prices[*item]).sum::<i64>();
    let mut ways: Vec<i64> = ends.iter().map(|covered| -earned(covered)).collect();
    let costs: Vec<i64> = edges.iter().map(|edge| SCALE - earned(&edge.items)).collect();
    let mut into: Vec<Vec<u32>> = vec![vec![]; nodes];
    for (number, edge) in edges.iter().enumerate() {
        into[edge.to as usize].push(number as u32);
    }
    // Bellman and Ford, with a queue; a node that is mended too often lies on a circle.
    let mut queue: std::collections::VecDeque<u32> = (0..nodes as u32).collect();
    let mut is_queued = vec![true; nodes];
    let mut mended = vec![0usize; nodes];
    while let Some(node) = queue.pop_front() {
        is_queued[node as usize] = false;
        for number in &into[node as usize] {
            let from = edges[*number as usize].from as usize;
            let cost = costs[*number as usize] + ways[node as usize];
            if cost < ways[from] {
                ways[from] = cost;
                mended[from] += 1;
                if mended[from] > nodes {
                    return None;
                }
                if !std::mem::replace(&mut is_queued[from], true) {
                    queue.push_back(from as u32);
                }
            }
        }
    }
    Some(ways)
}
