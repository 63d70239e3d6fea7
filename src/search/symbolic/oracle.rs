//! Whether a branch can be: by ranges, by values known to work, and only then by the solver.

use std::collections::BTreeSet;

use num_traits::Signed;
use rustc_hash::FxHashMap;

use super::Branch;
use crate::search::watch::Judge;
use crate::solve::{Model, Solver, Stop, Verdict};
use crate::term::{Assumed, Node, Sort, Store, Sum, Symbol, Term, Terms, Value};

/// When the solver has given up so often, it is not asked any more: it would take most of the time, for nothing.
const MAX_DOUBTS: usize = 20;

/// Assumptions between two looks at whether to stop.
const LOOK_EVERY: usize = 16;

/// Asks as little as it can.
pub struct Oracle {
    solver: Box<dyn Solver>,
    calls: usize,
    /// How often the solver gave up.
    doubts: usize,
    /// Answers by conditions; values by symbol.
    known: FxHashMap<Vec<Term>, Answer>,
    /// Whether to stop, if somebody may want that; how often that was not asked; and whether it was said.
    stop: Option<Stop>,
    looks: usize,
    is_stopped: bool,
    /// Values that satisfy the stores of states, and whether that is in doubt.
    witnesses: FxHashMap<u32, (Vec<Value>, bool)>,
}

#[derive(Clone, Debug)]
enum Answer {
    Yes(Model),
    No,
    Unknown,
}

impl Oracle {
    pub(crate) fn new(solver: Box<dyn Solver>) -> Oracle {
        Oracle {
            solver,
            calls: 0,
            doubts: 0,
            known: FxHashMap::default(),
            stop: None,
            looks: 0,
            is_stopped: false,
            witnesses: FxHashMap::default(),
        }
    }

    /// From now on, once this says so, nobody asks whether conditions can be met: every branch that has some is in doubt.
    pub(crate) fn stop_when(&mut self, stop: Stop) {
        self.stop = Some(stop);
    }

    fn is_stopped(&mut self) -> bool {
        self.looks += 1;
        if !self.is_stopped && self.looks.is_multiple_of(LOOK_EVERY) {
            self.is_stopped = self.stop.as_ref().is_some_and(|stop| stop());
        }
        self.is_stopped
    }

    /// How often the solver was asked.
    pub(crate) fn calls(&self) -> usize {
        self.calls
    }

    pub(super) fn remember(&mut self, state: u32, witness: Vec<Value>, is_doubtful: bool) {
        self.witnesses.insert(state, (witness, is_doubtful));
    }

    pub(super) fn recall(&self, state: u32) -> (Vec<Value>, bool) {
        self.witnesses.get(&state).cloned().expect("each state has values that were found, or is in doubt")
    }

    /// Whether what is assumed can be; if so the branch has values for it, or is in doubt.
    pub(crate) fn satisfiable(&mut self, terms: &mut Terms, branch: &mut Branch) -> bool {
        if works(terms, &branch.store, &branch.witness) {
            return true;
        }
        // Values that have left their ranges may be all that is wrong.
        let mended: Vec<Value> = (branch.store.ranges.iter().zip(&branch.witness))
            .map(|(range, value)| if range.contains(value) { value.clone() } else { range.simple() })
            .collect();
        if works(terms, &branch.store, &mended) {
            branch.witness = mended;
            return true;
        }
        if let Some(moved) = moved(terms, &branch.store, mended) {
            branch.witness = moved;
            return true;
        }
        match self.solve(terms, &branch.store) {
            Some(Some(values)) => {
                for (place, value) in branch.witness.iter_mut().zip(values) {
                    if let Some(value) = value {
                        *place = value;
                    }
                }
                true
            }
            Some(None) => {
                branch.is_doubtful = true;
                true
            }
            None => false,
        }
    }

    /// Values for the symbols of a store: none if there are none; nothing in them if nobody could tell.
    ///
    /// Conditions that share no symbol are independent, and each group is asked about for itself, under numbers of its
    /// own: the same situation elsewhere is then known already.
    #[allow(clippy::option_option)]
    pub(crate) fn solve(&mut self, terms: &mut Terms, store: &Store) -> Option<Option<Vec<Option<Value>>>> {
        let mut values = vec![None; store.ranges.len()];
        let mut is_known = true;
        let conditions = store.conditions(terms);
        for (symbols, conditions) in groups(terms, conditions) {
            let renumbered: Vec<Term> = (symbols.iter().enumerate())
                .map(|(number, symbol)| terms.symbol(Symbol { number: number as u32, ..*symbol }))
                .collect();
            let place =
                |symbol: Symbol| symbols.iter().position(|known| *known == symbol).map(|place| renumbered[place]);
            let mut done = FxHashMap::default();
            let mut key: Vec<Term> =
                conditions.iter().map(|condition| terms.substituted(*condition, &place, &mut done)).collect();
            key.sort_unstable();
            match self.ask(terms, key) {
                Answer::No => return None,
                Answer::Unknown => is_known = false,
                Answer::Yes(model) => {
                    for (number, symbol) in symbols.iter().enumerate() {
                        let value = model.get(&Symbol { number: number as u32, ..*symbol });
                        values[symbol.number as usize] = value.cloned();
                    }
                }
            }
        }
        Some(is_known.then_some(values))
    }

    fn ask(&mut self, terms: &Terms, conditions: Vec<Term>) -> Answer {
        if let Some(answer) = self.known.get(&conditions) {
            return answer.clone();
        }
        if self.doubts >= MAX_DOUBTS {
            return Answer::Unknown;
        }
        self.calls += 1;
        let answer = match self.solver.check(terms, &conditions) {
            Verdict::Satisfiable(model) => Answer::Yes(model),
            Verdict::Unsatisfiable(_) => Answer::No,
            Verdict::Unknown(_) => {
                self.doubts += 1;
                Answer::Unknown
            }
        };
        self.known.insert(conditions, answer.clone());
        answer
    }
}

/// Conditions in groups that share no symbol, each with its symbols in order.
fn groups(terms: &Terms, conditions: Vec<Term>) -> Vec<(Vec<Symbol>, Vec<Term>)> {
    let mut groups: Vec<(BTreeSet<Symbol>, Vec<Term>)> = vec![];
    for condition in conditions {
        let mut symbols = BTreeSet::new();
        terms.each_symbol(condition, &mut |symbol| {
            symbols.insert(symbol);
        });
        let mut members = vec![condition];
        groups.retain_mut(|(others, conditions)| {
            let is_apart = others.is_disjoint(&symbols);
            if !is_apart {
                symbols.append(others);
                members.append(conditions);
            }
            is_apart
        });
        groups.push((symbols, members));
    }
    groups.into_iter().map(|(symbols, members)| (symbols.into_iter().collect(), members)).collect()
}

impl Judge for Oracle {
    type Branch = Branch;

    fn known(&mut self, terms: &mut Terms, branch: &Branch, condition: Term) -> Term {
        let condition = branch.store.apply(terms, condition);
        match branch.store.decide(terms, condition) {
            Some(truth) => terms.bool(truth),
            None => condition,
        }
    }

    /// Where nobody can tell, the branch goes on in doubt.
    fn assume(&mut self, terms: &mut Terms, branch: &mut Branch, condition: Term) -> bool {
        match branch.store.assume(terms, condition) {
            Assumed::Impossible => false,
            Assumed::Settled => true,
            Assumed::Open if self.is_stopped() => {
                branch.is_doubtful = true;
                true
            }
            Assumed::Open => self.satisfiable(terms, branch),
        }
    }
}

/// Rounds of moving values.
const MAX_ROUNDS: usize = 4;

/// Values that satisfy a store, from some that do not: each condition that fails moves one of its symbols just as far as it
/// needs. Often that is enough, and then nobody has to be asked.
pub(crate) fn moved(terms: &mut Terms, store: &Store, mut values: Vec<Value>) -> Option<Vec<Value>> {
    for _ in 0..MAX_ROUNDS {
        let mut is_changed = false;
        for condition in &store.residual {
            if terms.value_under(*condition, &values) == Some(Value::Bool(true)) {
                continue;
            }
            let (place, value) = way_out(terms, store, *condition, &values)?;
            values[place] = value;
            is_changed = true;
        }
        if !is_changed {
            return works(terms, store, &values).then_some(values);
        }
    }
    None
}

/// A symbol of a condition that fails, and a value of its range with which the condition may hold.
fn way_out(terms: &mut Terms, store: &Store, condition: Term, values: &[Value]) -> Option<(usize, Value)> {
    match *terms.node(condition) {
        Node::AtMostZero(sum) => linear(terms, store, sum, false, values),
        Node::IsZero(sum) => linear(terms, store, sum, true, values),
        _ => of_text(terms, store, condition),
    }
}

/// A text with which a condition on it holds, also as one case of several. Solvers are slow at nothing else as they are at texts.
fn of_text(terms: &Terms, store: &Store, condition: Term) -> Option<(usize, Value)> {
    let (text, value) = match terms.node(condition) {
        Node::Or(parts) => return parts.iter().find_map(|part| of_text(terms, store, *part)),
        Node::Matches(text, pattern) => (*text, pattern.short_text()?),
        Node::Not(inner) => match terms.node(*inner) {
            Node::Matches(text, pattern) => {
                let other = ["", "a", "0", "-"].into_iter().find(|other| !pattern.matches(other))?;
                (*text, other.to_owned())
            }
            _ => return None,
        },
        _ => return None,
    };
    let Node::Symbol(symbol) = terms.node(text) else { return None };
    let (place, value) = (symbol.number as usize, Value::text(&value));
    store.ranges[place].contains(&value).then_some((place, value))
}

/// A symbol of a sum of whole numbers, and a value of its range with which the sum is zero, or at most zero.
fn linear(terms: &mut Terms, store: &Store, sum: Term, is_equation: bool, values: &[Value]) -> Option<(usize, Value)> {
    let Node::Sum(Sum { sort: Sort::Int, parts, .. }) = terms.node(sum).clone() else { return None };
    let Some(Value::Int(excess)) = terms.value_under(sum, values) else { return None };
    if !is_equation && !excess.is_positive() {
        return None;
    }
    parts.iter().rev().find_map(|(part, factor)| {
        let Node::Symbol(symbol) = terms.node(*part) else { return None };
        let (true, Value::Int(old)) = (factor.abs().is_one(), &values[symbol.number as usize]) else { return None };
        let new = Value::Int(if factor.is_positive() { old - &excess } else { old + &excess });
        let place = symbol.number as usize;
        store.ranges[place].contains(&new).then_some((place, new))
    })
}

/// Whether values satisfy a store. Symbols that were solved are not looked at: conditions do not mention them.
pub(crate) fn works(terms: &mut Terms, store: &Store, values: &[Value]) -> bool {
    holds(terms, store, values, false)
}

/// Whether values that a solver gave satisfy a store, as far as that can be seen: what keeps a quantifier is its word.
pub(crate) fn works_if_solved(terms: &mut Terms, store: &Store, values: &[Value]) -> bool {
    holds(terms, store, values, true)
}

fn holds(terms: &mut Terms, store: &Store, values: &[Value], is_solved: bool) -> bool {
    let open = (0..store.ranges.len()).filter(|number| !store.is_solved(*number as u32));
    for number in open {
        if !store.ranges[number].contains(&values[number]) {
            return false;
        }
    }
    let constants: Vec<Term> = values.iter().map(|value| terms.constant(value.clone())).collect();
    let mut done = FxHashMap::default();
    store.residual.iter().all(|condition| {
        let value = terms.substituted(*condition, &|symbol| constants.get(symbol.number as usize).copied(), &mut done);
        terms.is(value, true) || is_solved && terms.has_quantifier(value)
    })
}
