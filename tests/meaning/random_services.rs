//! Random services: nodes by their definition, the ways out of a node that a set at a time shows against all orders of all
//! events, and the executions of whole services.
//!
//! What is expected is computed here from tables of truth values, without a machine: events come one after the other, each
//! predicate speaks as soon as all it reads is there, and the first one that is violated decides.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use tracewright::kernel::{State, StepSystem};
use tracewright::model::{Collect, Collected, Outcome, Predicate};
use tracewright::search::{Algorithm, Limits, drive, runs};
use tracewright::solve::{Solver, Z3};
use tracewright::term::{Definitions, Expr, Value};

use crate::dialogues::{Dialogue, MOST, dialogues};
use crate::loaded;

/// A node with truth values for one choice of values of its events.
#[derive(Clone, Debug)]
struct Table {
    events: usize,
    /// For each predicate: what it reads, the node its violation leads to, whether it holds.
    predicates: Vec<(BTreeSet<usize>, Option<usize>, bool)>,
    observed: Vec<bool>,
}

fn table() -> impl Strategy<Value = Table> {
    (1usize..5).prop_flat_map(|events| {
        let reads = prop::collection::btree_set(0..events, 1..=events);
        let predicate = (reads, prop::option::of(1usize..4), prop::bool::weighted(0.35));
        let predicates = prop::collection::vec(predicate, 0..5);
        let observed = prop::collection::vec(any::<bool>(), events);
        (predicates, observed).prop_map(move |(predicates, observed)| Table { events, predicates, observed })
    })
}

/// What comes of having given some events: nothing yet, or the predicate that leads out of the node, none if it is completed,
/// with the node that is entered then; zero is the next node.
fn exit(table: &Table, given: &[usize]) -> Option<(Option<usize>, usize)> {
    let is_given = |event: &usize| given.contains(event);
    let mut speaking = table.predicates.iter().enumerate().filter(|(_, (reads, ..))| reads.iter().all(is_given));
    match speaking.find(|(_, (.., holds))| !holds) {
        Some((number, (_, target, _))) => target.map(|target| (Some(number), target)),
        None => (given.len() == table.events).then_some((None, 0)),
    }
}

/// A way out of a node: events in their order, the predicate that leads out, and where.
type Exit = (Vec<usize>, Option<usize>, usize);

/// All orders of events that leave the node, each up to the event that does.
fn all_exits(table: &Table) -> Vec<Exit> {
    let mut out = vec![];
    let mut open: Vec<Vec<usize>> = vec![vec![]];
    while let Some(given) = open.pop() {
        for event in (0..table.events).filter(|event| !given.contains(event)) {
            let mut more = given.clone();
            more.push(event);
            match exit(table, &more) {
                Some((by, target)) => out.push((more, by, target)),
                None => open.push(more),
            }
        }
    }
    out
}

/// What is seen of the ways out of a node in which every event is needed: with any of them left out, the others do not lead
/// out by the same predicate, in whichever order.
fn needed(table: &Table) -> BTreeSet<(usize, Vec<usize>)> {
    let all = all_exits(table);
    let set = |events: &[usize]| -> BTreeSet<usize> { events.iter().copied().collect() };
    let is_needed = |(events, by, _): &&Exit| {
        let events = set(events);
        !all.iter().any(|(fewer, other, _)| other == by && fewer.len() < events.len() && set(fewer).is_subset(&events))
    };
    let word = |events: &[usize]| events.iter().copied().filter(|event| table.observed[*event]).collect();
    all.iter().filter(is_needed).map(|(events, _, target)| (*target, word(events))).collect()
}

fn shape(table: &Table) -> Collect {
    let event =
        |number: usize| Collected { event: format!("e{number}"), given: number, has_value: false, correctable: true };
    let predicate = |(reads, target, _): &(BTreeSet<usize>, Option<usize>, bool)| Predicate {
        name: "p".to_owned(),
        text: String::new(),
        condition: Expr::TRUE,
        reads: reads.iter().copied().collect(),
        targets: target.iter().copied().collect(),
    };
    Collect {
        events: (0..table.events).map(event).collect(),
        predicates: table.predicates.iter().map(predicate).collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// The two theorems on sets at a time: the same as all orders show, and each of it once.
    #[test]
    fn a_set_at_a_time_shows_every_way_out_once(table in table()) {
        let truths: Vec<bool> = table.predicates.iter().map(|(.., holds)| *holds).collect();
        let mut seen = BTreeMap::new();
        for run in runs(&shape(&table), &truths, &table.observed).expect("few events") {
            let target = match run.outcome {
                Outcome::Violated(number) => table.predicates[number].1.expect("a way out"),
                _ => 0,
            };
            // What is sent leads there, and nowhere else before.
            for sent in 1..run.events.len() {
                prop_assert_eq!(exit(&table, &run.events[..sent]), None, "{:?}", run);
            }
            prop_assert_eq!(exit(&table, &run.events).map(|(_, target)| target), Some(target), "{:?}", run);
            let word: Vec<usize> = run.events.iter().copied().filter(|event| table.observed[*event]).collect();
            *seen.entry((target, word)).or_insert(0) += 1;
        }
        prop_assert!(seen.values().all(|times| *times == 1), "{:?}", seen);
        prop_assert_eq!(seen.into_keys().collect::<BTreeSet<_>>(), needed(&table));
    }
}

/// A service of one node over numbers, as text, with the conditions as tables.
#[derive(Clone, Debug)]
struct Written {
    events: usize,
    /// For each predicate: what it reads, the sum that must not be reached, the node its violation leads to.
    predicates: Vec<(BTreeSet<usize>, i64, Option<usize>)>,
}

fn written() -> impl Strategy<Value = Written> {
    (1usize..4).prop_flat_map(|events| {
        let reads = prop::collection::btree_set(0..events, 1..=events);
        let predicate = (reads, 1i64..5, prop::option::of(1usize..3));
        prop::collection::vec(predicate, 0..4).prop_map(move |predicates| Written { events, predicates })
    })
}

fn text(service: &Written) -> String {
    let events: Vec<String> = (0..service.events).map(|event| format!("e{event}")).collect();
    let predicate = |(reads, bound, target): &(BTreeSet<usize>, i64, Option<usize>)| {
        let sum: Vec<&str> = reads.iter().map(|event| events[*event].as_str()).collect();
        let target = target.map_or_else(String::new, |target| format!(" -> n{target}"));
        format!("{} < {bound}{target}", sum.join(" + "))
    };
    let predicates: Vec<String> = service.predicates.iter().map(predicate).collect();
    let declared: Vec<String> = events.iter().map(|event| format!("{event}: 0..2")).collect();
    format!(
        "service S {{
  event {}, go
  var sum: Int = 0
  node n0: collect {} {{ {} }} do sum := {} -> n3
  node n1: choose {{ go -> end }}
  node n2: choose {{ go -> end }}
  node n3: choose {{ go -> end }}
}}",
        declared.join(", "),
        events.join(", "),
        predicates.join(", "),
        events.join(" + "),
    )
}

/// The state after an event, and how many steps there are: a service leaves no choice.
fn sent(system: &StepSystem, state: &State, event: usize, value: i64) -> Vec<State> {
    let gate = system.gates.iter().position(|gate| gate.name == format!("e{event}")).expect("the gate");
    let joints = (0..system.joints.len()).filter(|joint| system.joints[*joint].gate == Some(gate));
    let steps = joints.flat_map(|joint| system.steps(joint, state, &[Value::int(value)]).expect("no limit"));
    steps.map(|step| step.next).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// The machine of a node is its definition: partial maps, corrections too.
    #[test]
    fn a_node_is_what_its_definition_says(
        service in written(),
        events in prop::collection::vec((0usize..4, 0i64..3), 1..12),
    ) {
        let system = loaded::system(&text(&service), "S");
        let mut state = system.initial(&[]);
        let mut given: BTreeMap<usize, i64> = BTreeMap::new();
        for (event, value) in events {
            let event = event % service.events;
            given.insert(event, value);
            let violated = service.predicates.iter().find(|(reads, bound, _)| {
                let values: Option<Vec<i64>> = reads.iter().map(|event| given.get(event).copied()).collect();
                values.is_some_and(|values| values.iter().sum::<i64>() >= *bound)
            });
            let target = match violated {
                Some((.., target)) => target.map(|target| format!("n{target}")),
                None => (given.len() == service.events).then(|| "n3".to_owned()),
            };
            let next = sent(&system, &state, event, value);
            prop_assert_eq!(next.len(), 1, "{}", text(&service));
            state = next[0].clone();
            let at = &system.machines[0].states[state.control[0] as usize];
            let named = |name: &str| system.slots.iter().position(|slot| slot.name == name).expect("a slot");
            let kept = |event: usize| state.values[named(&format!("e{event}.given"))].clone();
            match target {
                None => {
                    prop_assert_eq!(at, "n0");
                    for event in 0..service.events {
                        let fields: Vec<Value> = given.get(&event).map(|value| Value::int(*value)).into_iter().collect();
                        let expected = Value::Data(Definitions::OPTION, fields.len() as u32, fields.into());
                        prop_assert_eq!(kept(event), expected);
                    }
                }
                Some(target) => {
                    prop_assert_eq!(at, &target);
                    for event in 0..service.events {
                        prop_assert_eq!(kept(event), Value::Data(Definitions::OPTION, 0, [].into()));
                    }
                    let sum = if target == "n3" { given.values().sum::<i64>() } else { 0 };
                    prop_assert_eq!(&state.values[named("sum")], &Value::int(sum));
                    break;
                }
            }
        }
    }
}

/// The table of a node for values of its events and of what was summed up before.
fn truths(service: &Dialogue, node: usize, values: &[i64], sum: i64, observed: &[bool]) -> Table {
    let node = &service.nodes[node];
    let holds =
        |reads: &BTreeSet<usize>, bound: i64| sum + reads.iter().map(|event| values[*event]).sum::<i64>() < bound;
    let predicates =
        node.predicates.iter().map(|p| (p.reads.clone(), p.target.map(|t| t + 1), holds(&p.reads, p.bound))).collect();
    Table { events: node.events, predicates, observed: observed[..node.events].to_vec() }
}

/// All choices of values for some events.
fn choices(events: usize) -> Vec<Vec<i64>> {
    (0..events).fold(vec![vec![]], |begun, _| {
        let longer = |values: Vec<i64>| (0..=MOST).map(move |value| [values.clone(), vec![value]].concat());
        begun.into_iter().flat_map(longer).collect()
    })
}

/// Executions from a node on, a set at a time: for each choice of values, what is seen of the ways out, and what follows.
fn by_sets(service: &Dialogue, node: usize, sum: i64, observed: &[bool]) -> u64 {
    let Some(shape) = service.nodes.get(node) else { return 1 };
    let of_choice = |values: Vec<i64>| {
        let ways = needed(&truths(service, node, &values, sum, observed));
        // A table numbers nodes from one, and calls the next one zero.
        let follow = |target: usize| match target {
            0 => by_sets(service, shape.next, sum + values.iter().sum::<i64>(), observed),
            target => by_sets(service, target - 1, sum, observed),
        };
        if ways.is_empty() { 1 } else { ways.iter().map(|(target, _)| follow(*target)).sum() }
    };
    choices(shape.events).into_iter().map(of_choice).sum()
}

/// Executions from a node on, one event after the other, in every order and with every value.
fn one_by_one(service: &Dialogue, node: usize, sum: i64, given: &BTreeMap<usize, i64>) -> u64 {
    let Some(shape) = service.nodes.get(node) else { return 1 };
    let missing: Vec<usize> = (0..shape.events).filter(|event| !given.contains_key(event)).collect();
    if missing.is_empty() {
        return 1;
    }
    let mut count = 0;
    for (event, value) in missing.into_iter().flat_map(|event| (0..=MOST).map(move |value| (event, value))) {
        let mut more = given.clone();
        more.insert(event, value);
        let all: Vec<i64> = (0..shape.events).map(|event| more.get(&event).copied().unwrap_or(0)).collect();
        let table = truths(service, node, &all, sum, &[false; 3]);
        let events: Vec<usize> = more.keys().copied().collect();
        count += match exit(&table, &events) {
            None => one_by_one(service, node, sum, &more),
            Some((None, _)) => one_by_one(service, shape.next, sum + all.iter().sum::<i64>(), &BTreeMap::new()),
            Some((Some(_), target)) => one_by_one(service, target - 1, sum, &BTreeMap::new()),
        };
    }
    count
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// What is counted level by level is what there is, of both algorithms, whatever is observed.
    #[test]
    fn executions_of_whole_services(service in dialogues(true), observed in prop::collection::vec(any::<bool>(), 3)) {
        let text = service.text(1_000);
        let system = loaded::system(&text, "S");
        let names: BTreeSet<String> =
            observed.iter().enumerate().filter(|(_, seen)| **seen).map(|(event, _)| format!("e{event}")).collect();
        let mut solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
        let mut counted = |algorithm| {
            let limits = Limits::default();
            // Each node is entered at most once, and has three events at most.
            let driven = drive(&system, (&Default::default(), &mut solver), (algorithm, &names), 9, (&limits, &mut ()));
            driven.expect("few values").executions
        };
        prop_assert_eq!(counted(Algorithm::Sets), by_sets(&service, 0, 0, &observed).into(), "{}", text);
        prop_assert_eq!(counted(Algorithm::Simple), one_by_one(&service, 0, 0, &BTreeMap::new()).into(), "{}", text);
    }
}
