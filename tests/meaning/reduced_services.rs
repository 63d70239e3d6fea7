//! What `gen` says of services, where orders that nobody looks at are left out, against the service itself: every run, by the
//! reference interpreter, breadth first.

use std::cell::RefCell;
use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use tracewright::confirm::Recheck;
use tracewright::history::{Known, Live};
use tracewright::kernel::{Given, State};
use tracewright::search::{Limits, Question, reduced};
use tracewright::solve::{Solver, Z3};
use tracewright::synth::{Answer, Answered, Asked, CoverOptions, Engine, Minimise, Options, Status, answer, cover};
use tracewright::term::Value;

use crate::dialogues::{Dialogue, dialogues};
use crate::questions::asked;

/// The sum of a service stays below this, so that its states are few.
const HIGHEST: i64 = 4;
/// Runs are followed up to so many steps; what they have not shown by then is not asked.
const DEEPEST: usize = 40;

/// Something to ask, by numbers that are made to fit the service.
#[derive(Clone, Debug)]
struct Wish {
    kind: usize,
    nodes: [usize; 2],
    event: usize,
    number: usize,
}

fn wishes() -> impl Strategy<Value = Wish> {
    (0usize..18, [0usize..4, 0usize..4], 0usize..3, 0usize..4).prop_map(|(kind, nodes, event, number)| Wish {
        kind,
        nodes,
        event,
        number,
    })
}

/// As a constraint; some look at the order of events, most do not.
fn constraint(service: &Dialogue, wish: &Wish) -> String {
    let count = service.nodes.len();
    let [a, b] = wish.nodes.map(|node| node % count);
    let ends = wish.nodes.map(|node| service.name(node % (count + 1)));
    let event = wish.event % service.nodes[a].events;
    let number = wish.number;
    let predicate = service.nodes[a].predicates.len().checked_sub(1).map(|last| wish.number.min(last) + 1);
    match (wish.kind, predicate) {
        (0, _) => format!("member(completed.n{a})"),
        (1, _) => format!("last(state) == {}", ends[0]),
        (2, _) => format!("last(sum) == {number}"),
        (3, _) => format!("before(completed.n{a}, completed.n{b})"),
        (4, _) => format!("count(completed.n{a}, {number}, true)"),
        (5, _) => format!("count({number}, n{a}) on state"),
        (6, _) => format!("never(completed.n{a})   last(state) == {}", ends[0]),
        (7, Some(p)) => format!("member(violated.n{a}.p{p})"),
        (8, Some(p)) => format!("before(violated.n{a}.p{p}, completed.n{b})"),
        (9, _) => format!("member(e{event}) on gate"),
        (10, _) => format!("last(gate) == e{event}"),
        (11, _) => format!("member(prompted.n{a}.e{event})"),
        (12, _) => format!("member(e{event}.e{event} == 1)"),
        (13, _) => format!("formula {{ eventually (completed.n{a} && next state == {}) }}", ends[0]),
        (14, _) => {
            format!("formula {{ always (state == n{a} -> sum <= {number}) && eventually state == {} }}", ends[1])
        }
        (15, _) if event > 0 || !service.nodes[a].is_first_once => format!("member(corrected.n{a}.e{event})"),
        (16, _) => format!("length {}   last(state) == {}", number + 3, ends[0]),
        (17, _) => format!("length <= {}   member(completed.n{a})", number + 1),
        _ => format!("member(state == {})", ends[1]),
    }
}

/// The length of a shortest run that meets a purpose; none if there is none. No answer if it takes too long to tell.
fn shortest(asked: &Asked) -> Option<Option<usize>> {
    let Asked { system, lists, purpose, .. } = asked;
    let all: Vec<usize> = (0..purpose.constraints.len()).collect();
    let monitor = purpose.monitor(&all, None);
    let known = Known { monitor: &monitor, definitions: &lists.names.definitions, open: &[] };
    let lengths = purpose.lengths();
    let mut level: BTreeSet<(State, Vec<Live<Value>>)> =
        BTreeSet::from([(system.initial(&[]), known.start().expect("no limit"))]);
    let mut seen = level.clone();
    for steps in 0..=DEEPEST {
        let ends = |(_, live): &(State, Vec<Live<Value>>)| known.hold_at_stop(live).expect("no limit");
        if lengths.contains(steps) && level.iter().any(ends) {
            return Some(Some(steps));
        }
        let mut next = BTreeSet::new();
        for (state, live) in &level {
            for step in system.all_steps(state, &Given::default(), None).expect("few values") {
                let observed = lists.observe(system, state, &step, steps + 1);
                next.insert((step.next.clone(), known.advance(live, &observed).expect("no limit")));
            }
        }
        // Where every length is asked for, what was seen before leads to nothing new.
        if purpose.length.is_empty() {
            next.retain(|one| seen.insert(one.clone()));
        }
        if next.is_empty() || lengths.high.is_some_and(|high| steps >= high) {
            return Some(None);
        }
        level = next;
    }
    None
}

/// Work for symbolic states; what they cannot settle with it is left to concrete ones.
const LITTLE: usize = 200;

fn ask(asked: &Asked, engine: Engine, first_round: usize, rounds: u32) -> Answered {
    let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
    let options = Options { engine, first_round, rounds, ..Options::new(&solver) };
    answer(&asked.system, &asked.lists, &asked.purpose, &options, &mut ()).expect("engines and interpreter agree")
}

fn is_reduced(asked: &Asked) -> bool {
    let all: Vec<usize> = (0..asked.purpose.constraints.len()).collect();
    let monitor = asked.purpose.monitor(&all, None);
    reduced(&Question { system: &asked.system, lists: &asked.lists, monitor: &monitor }).is_some()
}

#[derive(Default, Debug)]
struct Mix {
    asked: usize,
    reduced: usize,
    found: usize,
    impossible: usize,
    unknown: usize,
}

#[test]
fn fewer_orders_give_the_same_answers() {
    let cases = std::env::var("REDUCED_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    let mix = RefCell::new(Mix::default());
    // The same services each time, so that it takes the same time; more of them with the variable above.
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, rng);
    let result = runner.run(&(dialogues(false), wishes(), prop::option::of(wishes())), |(service, one, other)| {
        let mut wanted = constraint(&service, &one);
        // A second constraint makes the first one harder to meet.
        if let Some(other) =
            other.filter(|other| ![13, 14, 16, 17].contains(&other.kind) && ![13, 14].contains(&one.kind))
        {
            wanted = format!("{wanted}   {}", constraint(&service, &other));
        }
        let text = format!("{}purpose p for S {{ {wanted} }}\n", service.text(HIGHEST));
        let asked = asked(&text);
        let Some(expected) = shortest(&asked) else { return Ok(()) };
        let mut mix = mix.borrow_mut();
        mix.asked += 1;
        mix.reduced += usize::from(is_reduced(&asked));
        for (engine, first_round, rounds) in [(Engine::Explicit, 10_000, 3), (Engine::Symbolic, LITTLE, 1)] {
            let answered = ask(&asked, engine, first_round, rounds);
            match (expected, answered.answer) {
                (Some(steps), Answer::Found) => {
                    mix.found += 1;
                    let is_optimal = answered.is_optimal == Some(true);
                    prop_assert!(is_optimal || engine == Engine::Symbolic, "{engine:?}\n{text}");
                    let length = answered.cases[0].run.steps.len();
                    prop_assert!(if is_optimal { length == steps } else { length >= steps }, "{engine:?}\n{text}");
                }
                (None, Answer::Impossible) => mix.impossible += 1,
                (_, Answer::Unknown) if engine == Engine::Symbolic => mix.unknown += 1,
                (expected, given) => prop_assert!(false, "{engine:?}: {given:?}, expected {expected:?}\n{text}"),
            }
        }
        Ok(())
    });
    let mix = mix.into_inner();
    if let Err(error) = result {
        panic!("{error}\n{mix:?}");
    }
    // All kinds of answers were there, and most services were reduced.
    assert!(mix.reduced * 3 > mix.asked && mix.found * 3 > mix.asked && mix.impossible * 20 > mix.asked, "{mix:?}");
    assert!(mix.unknown * 2 < mix.asked, "{mix:?}");
}

/// A form with so many fields, each of which must be larger than the one before, and a way back if the last one is too large.
fn form(fields: usize) -> String {
    let names: Vec<String> = (0..fields).map(|field| format!("e{field}")).collect();
    let events: Vec<String> = names.iter().map(|name| format!("{name}: Int")).collect();
    let mut predicates: Vec<String> = names.windows(2).map(|pair| format!("{} < {}", pair[0], pair[1])).collect();
    predicates.push(format!("small: {} < 1000 -> start", names[fields - 1]));
    format!(
        "service Form {{\n  event go, {}\n  node start: choose {{ go -> ask }}\n  node ask: collect {{ {} }} -> start\n}}\n",
        events.join(", "),
        predicates.join(", "),
    )
}

/// Twelve fields have more orders, and more sets of fields that may be given, than could be looked at.
#[test]
fn a_long_form_is_filled_in_one_order() {
    let states = |fields: usize| {
        let asked = asked(&format!("{}purpose p for Form {{ member(completed.ask) }}\n", form(fields)));
        let answered = ask(&asked, Engine::Symbolic, 3_000, 3);
        assert_eq!((answered.answer, answered.is_optimal), (Answer::Found, Some(true)));
        assert_eq!(answered.cases[0].run.steps.len(), fields + 1);
        answered.statistics.states
    };
    let (six, twelve) = (states(6), states(12));
    assert!(twelve <= 3 * six, "{six} states for six fields, {twelve} for twelve");
}

/// A suite that no item makes look at orders is as short as can be, and found for long forms.
#[test]
fn suites_of_long_forms() {
    let asked = asked(&format!("{}purpose p for Form {{ cover transactions   cover violations }}\n", form(10)));
    let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
    let options = CoverOptions {
        minimise: Minimise::Sequences,
        seed: 0,
        engine: Engine::Auto,
        limits: Limits::default(),
        solver: &solver,
        threads: 1,
        recheck: Recheck::Small,
    };
    let suite = cover(&asked.system, &asked.lists, &asked.purpose, &options, &mut ()).expect("agreement");
    assert!(suite.items.iter().all(|status| *status == Status::Covered), "{:?}", suite.items);
    // Filled in twice, with ten fields each, and one more visit that is refused at its only field that matters.
    assert_eq!((suite.sequences.len(), suite.steps(), suite.is_optimal), (1, 24, true));
}

/// Who looks at the order gets it.
#[test]
fn an_order_that_is_asked_for() {
    let text = "service S {
  event a: 0..1, b: 0..1, c
  node ask: collect c { a < b } -> end
}
purpose p for S { before(c, b) on gate   before(b, a) on gate   last(state) == end }
";
    let asked = asked(text);
    let answered = ask(&asked, Engine::Auto, 3_000, 3);
    let gates = answered.cases[0].run.steps.iter().filter_map(|step| asked.system.joints[step.joint].gate);
    let events: Vec<&str> = gates.map(|gate| asked.system.gates[gate].name.as_str()).collect();
    assert_eq!(events, ["c", "b", "a"]);
}
