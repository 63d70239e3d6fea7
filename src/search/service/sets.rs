//! Set at a time: with the values of all events of a node chosen, what is sent to leave it.
//!
//! A violated predicate that leads somewhere is a way out if its events can be given in an order in which it is the first
//! one violated when the last of them comes, and no other one has led out before. So
//! - no earlier predicate that is violated reads nothing but events that it reads, and
//! - the last event is one that every violated predicate with a target reads which reads fewer events than it does.
//!
//! Events that nobody observes come first, in one order; those that are observed come in every order. Ways that show the
//! same and lead to the same nodes are one. If every predicate holds, all events are sent.

use std::collections::BTreeSet;

use crate::model::{Collect, Outcome};

/// Most observed events of one way: their orders are written out.
const MAX_OBSERVED: usize = 8;

/// A way out of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRun {
    /// What it ends with.
    pub outcome: Outcome,
    /// The events that are sent, by their place in the node.
    pub events: Vec<usize>,
}

/// The ways out of a node for given values of all events: which predicates hold for them, and which events are observed.
pub fn runs(collect: &Collect, truths: &[bool], observed: &[bool]) -> Vec<NodeRun> {
    let set = |number: usize| -> BTreeSet<usize> { collect.predicates[number].reads.iter().copied().collect() };
    let violated: Vec<usize> = (0..truths.len()).filter(|number| !truths[*number]).collect();
    if violated.is_empty() {
        let all: BTreeSet<usize> = (0..collect.events.len()).collect();
        let orders = orders(&all, None, observed);
        return orders.into_iter().map(|events| NodeRun { outcome: Outcome::Completed, events }).collect();
    }
    let mut out: Vec<NodeRun> = vec![];
    let mut shown: BTreeSet<(&[usize], Vec<usize>)> = BTreeSet::new();
    for number in &violated {
        let predicate = &collect.predicates[*number];
        let reads = set(*number);
        if predicate.targets.is_empty() || violated.iter().any(|v| v < number && set(*v).is_subset(&reads)) {
            continue;
        }
        let sooner = violated
            .iter()
            .filter(|v| !collect.predicates[**v].targets.is_empty() && set(**v).is_subset(&reads) && set(**v) != reads);
        let last = sooner.map(|v| set(*v)).reduce(|a, b| &a & &b);
        for events in orders(&reads, last.as_ref(), observed) {
            let word = events.iter().copied().filter(|event| observed[*event]).collect();
            if shown.insert((&predicate.targets, word)) {
                out.push(NodeRun { outcome: Outcome::Violated(*number), events });
            }
        }
    }
    out
}

/// Orders of some events: those that are not observed first, in one order, and the others in every order; the last one is
/// among `last`.
fn orders(events: &BTreeSet<usize>, last: Option<&BTreeSet<usize>>, observed: &[bool]) -> Vec<Vec<usize>> {
    let (shown, mut hidden): (Vec<usize>, Vec<usize>) = events.iter().partition(|event| observed[**event]);
    if shown.len() > MAX_OBSERVED {
        return vec![];
    }
    let hidden_last = last.and_then(|last| hidden.iter().position(|event| last.contains(event)));
    let ends_hidden = hidden_last.map(|place| hidden.remove(place));
    let mut out = vec![];
    let mut permuted = vec![];
    permutations(&shown, &mut vec![], &mut permuted);
    for order in permuted {
        let fits = match (ends_hidden, last, order.last()) {
            (Some(_), ..) | (None, None, _) => true,
            (None, Some(last), Some(event)) => last.contains(event),
            (None, Some(_), None) => false,
        };
        if fits {
            out.push(hidden.iter().copied().chain(order).chain(ends_hidden).collect());
        }
    }
    out
}

fn permutations(left: &[usize], begun: &mut Vec<usize>, out: &mut Vec<Vec<usize>>) {
    if left.is_empty() {
        out.push(begun.clone());
        return;
    }
    for (place, event) in left.iter().enumerate() {
        let rest: Vec<usize> =
            left.iter().copied().enumerate().filter(|(at, _)| *at != place).map(|(_, e)| e).collect();
        begun.push(*event);
        permutations(&rest, begun, out);
        begun.pop();
    }
}
