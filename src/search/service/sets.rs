//! Set at a time: with the values of all events of a node chosen, what is sent to leave it.
//!
//! A violated predicate that leads somewhere is a way out if it can be the first one violated when the last of some events
//! comes, and no other one has led out before. Its own events are enough, unless a violated predicate that reads fewer of them
//! may lead out sooner: only then orders are looked at, with events by which a predicate without a target keeps the service in
//! the node. Of these ways, those with the fewest events count: with any of them left out, no order leads out like that.
//!
//! Events that nobody observes come first, in one order; those that are observed come in every order. Ways that show the
//! same and lead to the same nodes are one. If every predicate holds, all events are sent.

use std::collections::{BTreeMap, BTreeSet};

use crate::kernel::ChoiceError;
use crate::model::{Collect, Outcome};

/// Most observed events of one node: their orders are written out.
const MAX_OBSERVED: usize = 8;
/// Most events of one node whose orders are looked at because predicates may lead out sooner.
const MAX_ORDERED: usize = 10;

/// A way out of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRun {
    /// What it ends with.
    pub outcome: Outcome,
    /// The events that are sent, by their place in the node.
    pub events: Vec<usize>,
}

/// The ways out of a node for given values of all events: which predicates hold for them, and which events are observed. An
/// error if these are too many.
pub fn runs(collect: &Collect, truths: &[bool], observed: &[bool]) -> Result<Vec<NodeRun>, ChoiceError> {
    if observed.iter().filter(|is_observed| **is_observed).count() > MAX_OBSERVED {
        return Err(ChoiceError::TooManyOrders);
    }
    let set = |number: usize| -> BTreeSet<usize> { collect.predicates[number].reads.iter().copied().collect() };
    let violated: Vec<usize> = (0..truths.len()).filter(|number| !truths[*number]).collect();
    if violated.is_empty() {
        let all: BTreeSet<usize> = (0..collect.events.len()).collect();
        let orders = orders(&all, observed);
        return Ok(orders.into_iter().map(|events| NodeRun { outcome: Outcome::Completed, events }).collect());
    }
    let mut out: Vec<NodeRun> = vec![];
    let mut shown: BTreeSet<(&[usize], Vec<usize>)> = BTreeSet::new();
    for number in &violated {
        let predicate = &collect.predicates[*number];
        let reads = set(*number);
        if predicate.targets.is_empty() || violated.iter().any(|v| v < number && set(*v).is_subset(&reads)) {
            continue;
        }
        let leads_sooner =
            |v: &usize| !collect.predicates[*v].targets.is_empty() && set(*v).is_subset(&reads) && set(*v) != reads;
        let orders = match violated.iter().any(leads_sooner) {
            true => orders_that_lead(collect, &violated, *number, observed)?,
            false => orders(&reads, observed),
        };
        for events in orders {
            let word = events.iter().copied().filter(|event| observed[*event]).collect();
            if shown.insert((&predicate.targets, word)) {
                out.push(NodeRun { outcome: Outcome::Violated(*number), events });
            }
        }
    }
    Ok(out)
}

/// Orders of some events: those that are not observed first, in one order, and the others in every order.
fn orders(events: &BTreeSet<usize>, observed: &[bool]) -> Vec<Vec<usize>> {
    let (shown, hidden): (Vec<usize>, Vec<usize>) = events.iter().partition(|event| observed[**event]);
    let mut permuted = vec![];
    permutations(&shown, &mut vec![], &mut permuted);
    permuted.into_iter().map(|order| hidden.iter().copied().chain(order).collect()).collect()
}

/// Orders of events, one for each order of what is observed, in which nothing leads out before the last of them, and a violated
/// predicate does then; with as few events as can be.
fn orders_that_lead(
    collect: &Collect,
    violated: &[usize],
    number: usize,
    observed: &[bool],
) -> Result<Vec<Vec<usize>>, ChoiceError> {
    let reads = |v: usize| collect.predicates[v].reads.iter().copied();
    let leads = |v: usize| !collect.predicates[v].targets.is_empty();
    let first = |given: &[usize]| violated.iter().copied().find(|v| reads(*v).all(|event| given.contains(&event)));
    let keeping = violated.iter().filter(|v| **v > number && !leads(**v)).flat_map(|v| reads(*v));
    let useful: BTreeSet<usize> = reads(number).chain(keeping).collect();
    if useful.len() > MAX_ORDERED {
        return Err(ChoiceError::TooManyOrders);
    }
    let (shown, hidden): (Vec<usize>, Vec<usize>) = useful.iter().partition(|event| observed[**event]);
    let by_use: Vec<usize> = hidden.into_iter().chain(shown).collect();
    // For each set of events that were given, in each order of those that are observed, one way to have given them.
    type Given = (BTreeSet<usize>, Vec<usize>);
    let mut level: BTreeMap<Given, Vec<usize>> = BTreeMap::from([((BTreeSet::new(), vec![]), vec![])]);
    let mut out: BTreeMap<Given, Vec<usize>> = BTreeMap::new();
    while !level.is_empty() {
        let mut next = BTreeMap::new();
        for ((given, word), way) in level {
            for event in by_use.iter().filter(|event| !given.contains(event)) {
                let way: Vec<usize> = way.iter().copied().chain([*event]).collect();
                let word = word.iter().copied().chain(observed[*event].then_some(*event)).collect();
                let given: BTreeSet<usize> = given.iter().copied().chain([*event]).collect();
                match first(&way) {
                    Some(v) if v == number => out.entry((given, word)).or_insert(way),
                    Some(v) if leads(v) => continue,
                    _ => next.entry((given, word)).or_insert(way),
                };
            }
        }
        level = next;
    }
    let sets: BTreeSet<BTreeSet<usize>> = out.keys().map(|(given, _)| given.clone()).collect();
    let is_least = |given: &BTreeSet<usize>| !sets.iter().any(|set| set != given && set.is_subset(given));
    Ok(out.into_iter().filter(|((given, _), _)| is_least(given)).map(|(_, way)| way).collect())
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
