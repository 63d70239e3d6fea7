//! What a tree of tests comes to, as guards that are looked at in order.
//!
//! A few ways through a tree are one guard each: what is not true is clear from the guards before. But parts of a tree are
//! shared, and there can be as many ways as there are sets of atoms. Then each state that can be next has one guard, in which
//! the parts have names.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::explore::TooLarge;
use super::{Automaton, Node};
use crate::term::{Expr, Pattern, Value};

/// Most ways through one tree that become guards of their own.
const MAX_WAYS: usize = 64;
/// Most parts of a tree with more ways: its guards are nested as deeply.
const MAX_PARTS: usize = 400;
/// Most conditions in all guards of an automaton.
const MAX_CONDITIONS: usize = 500_000;

/// Makes guards over one list of truth values for each atom.
pub(super) struct Decider<'d> {
    automaton: &'d Automaton,
    atoms: usize,
    /// How many conditions there may still be.
    room: usize,
}

/// That the element of a list is true.
pub(super) fn is_true(list: usize) -> Expr {
    Expr::Test(Box::new(Expr::Local(list)), Pattern::Equal(Box::new(Expr::TRUE)))
}

impl Decider<'_> {
    pub fn new(automaton: &Automaton, atoms: usize) -> Decider<'_> {
        Decider { automaton, atoms, room: MAX_CONDITIONS }
    }

    /// Guards and next states from a node on. The first guard that is true counts; one of them always is.
    pub fn guards(&mut self, node: usize) -> Result<Vec<(Expr, usize)>, TooLarge> {
        let parts: Vec<usize> = self.automaton.below(node).into_iter().collect();
        let mut ways: FxHashMap<usize, usize> = FxHashMap::default();
        for part in &parts {
            let count = match self.automaton.nodes[*part] {
                Node::Leaf(_) => 1,
                Node::Test(_, yes, no) => ways[&yes].saturating_add(ways[&no]),
            };
            ways.insert(*part, count);
        }
        let mut out = vec![];
        if ways[&node] <= MAX_WAYS {
            self.each_way(node, &mut vec![], &mut out)?;
            return Ok(out);
        }
        if parts.len() > MAX_PARTS {
            return Err(TooLarge);
        }
        let targets = self.automaton.successors(node);
        for (number, target) in targets.iter().enumerate() {
            // Whoever has passed the guards of all others is there.
            let is_last = number + 1 == targets.len();
            self.take(if is_last { 0 } else { parts.len() })?;
            out.push((if is_last { Expr::TRUE } else { self.leads_to(*target, &parts) }, *target));
        }
        Ok(out)
    }

    fn take(&mut self, conditions: usize) -> Result<(), TooLarge> {
        self.room = self.room.checked_sub(1 + conditions).ok_or(TooLarge)?;
        Ok(())
    }

    fn each_way(
        &mut self,
        node: usize,
        positive: &mut Vec<usize>,
        out: &mut Vec<(Expr, usize)>,
    ) -> Result<(), TooLarge> {
        match self.automaton.nodes[node] {
            Node::Leaf(state) => {
                self.take(positive.len())?;
                out.push((Expr::all(positive.iter().map(|atom| is_true(*atom))), state));
            }
            Node::Test(atom, yes, no) => {
                positive.push(atom);
                self.each_way(yes, positive, out)?;
                positive.pop();
                self.each_way(no, positive, out)?;
            }
        }
        Ok(())
    }

    /// That the last of these parts leads to a state. Each has a name, after those that it leads to.
    fn leads_to(&self, target: usize, parts: &[usize]) -> Expr {
        let name = |place: usize| self.atoms + place;
        let value = |node: usize| match self.automaton.nodes[node] {
            Node::Leaf(state) => Expr::Const(Value::Bool(state == target)),
            Node::Test(..) => {
                Expr::Local(name(parts.binary_search(&node).expect("a part has a name before it is used")))
            }
        };
        let whole = parts.last().map_or(Expr::TRUE, |node| value(*node));
        parts.iter().enumerate().rev().fold(whole, |rest, (place, node)| match self.automaton.nodes[*node] {
            Node::Leaf(_) => rest,
            Node::Test(atom, yes, no) => {
                let [condition, yes, no] = [is_true(atom), value(yes), value(no)].map(Box::new);
                Expr::Let(name(place), Box::new(Expr::If(condition, yes, no)), Box::new(rest))
            }
        })
    }
}

impl Automaton {
    /// A node and all that it can lead to, in the order of their numbers: what is led to comes first.
    fn below(&self, node: usize) -> BTreeSet<usize> {
        let mut out = BTreeSet::from([node]);
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if let Node::Test(_, yes, no) = self.nodes[node] {
                open.extend([yes, no].into_iter().filter(|next| out.insert(*next)));
            }
        }
        out
    }

    /// States that a tree of tests can lead to.
    pub(super) fn successors(&self, node: usize) -> BTreeSet<usize> {
        let leaf = |node: usize| match self.nodes[node] {
            Node::Leaf(state) => Some(state),
            Node::Test(..) => None,
        };
        self.below(node).into_iter().filter_map(leaf).collect()
    }
}
