//! Shrinking: from long runs to the shortest ones with the simplest data; what comes out replays, meets the purpose, is never worse
//! than what was given, and does not shrink any further.

use std::fs;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tracewright::history::Length;
use tracewright::kernel::{Given, Run, Step, Trace};
use tracewright::model;
use tracewright::search::simulate;
use tracewright::solve::{Solver, Z3};
use tracewright::syntax::{Sources, parse_model_reference};
use tracewright::synth::{Answer, Asked, Meets, NotShrunk, Options, Proof, Shortest, Shrunk, answer, meets, shrink};
use tracewright::term::Value;

use crate::questions;

/// A purpose of an example; the model may have other arguments.
fn example(file: &str, purpose: &str, model: Option<&str>) -> Asked {
    let text = fs::read_to_string(format!("{}/examples/{file}", env!("CARGO_MANIFEST_DIR"))).expect("an example");
    of_text(&text, purpose, model)
}

fn of_text(text: &str, purpose: &str, model: Option<&str>) -> Asked {
    let (mut sources, errors) = Sources::from_text("model.tw", text);
    assert!(errors.is_empty(), "{errors:?}");
    let (checked, _) = model::check(&sources);
    let instead = model.map(|model| {
        let id = sources.add_fragment("model", model);
        parse_model_reference(id, model).expect("a reference")
    });
    let declared = checked.purposes.iter().find(|p| p.tree.name.name == purpose).expect("a purpose");
    Asked::new(&checked, declared, &[], declared.tree.span, instead.as_ref()).expect("a question")
}

fn with_options<T>(f: impl FnOnce(&Options<'_>) -> T) -> T {
    let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
    f(&Options::new(&solver))
}

fn shrunk(asked: &Asked, run: &Run) -> Shrunk {
    with_options(|options| shrink(asked, run, options, &mut ())).unwrap_or_else(|e| panic!("{e:?}"))
}

fn is_met(asked: &Asked, run: &Run) -> bool {
    with_options(|options| meets(asked, run, options, &mut ())).expect("no disagreement") != Meets::No
}

/// Random runs that meet a purpose: whatever `simulate` does, up to the last moment at which it is met.
fn long_runs(asked: &Asked, steps: usize, seeds: std::ops::Range<u64>) -> Vec<Run> {
    let mut out = vec![];
    for seed in seeds {
        let simulated = simulate(&asked.system, &Trace::default(), steps, &Given::default(), seed);
        let (initial, mut taken, _) = simulated.expect("a run");
        while !taken.is_empty() {
            let run = Run { initial: initial.clone(), steps: taken.clone() };
            if is_met(asked, &run) {
                out.push(run);
                break;
            }
            taken.pop();
        }
    }
    out
}

fn inputs(asked: &Asked, run: &Run) -> Vec<Vec<Value>> {
    run.steps.iter().map(|step| step.data[..asked.system.given_to(step.joint)].to_vec()).collect()
}

#[test]
fn blinker_ends_at_four_steps_with_interval_zero() {
    let asked = example("blinker.tw", "shortest_off", None);
    let runs = long_runs(&asked, 60, 0..12);
    assert!(runs.len() >= 3 && runs.iter().any(|run| run.steps.len() > 40), "{}", runs.len());
    for run in &runs {
        let Shrunk { run, shortest, .. } = shrunk(&asked, run);
        let absent = || vec![Value::Absent];
        assert_eq!(inputs(&asked, &run), [vec![Value::int(0)], absent(), absent(), absent()]);
        assert!(matches!(shortest, Shortest::Proved(_)), "{shortest:?}");
    }
}

/// The length that the engines find for the purpose itself.
fn known_shortest(asked: &Asked) -> usize {
    let found = with_options(|options| answer(&asked.system, &asked.lists, &asked.purpose, options, &mut ()));
    let found = found.expect("no disagreement");
    assert_eq!((found.answer, found.is_optimal), (Answer::Found, Some(true)));
    found.cases[0].run.steps.len()
}

#[test]
fn stopwatch_ends_at_the_shortest_that_presses_everything() {
    let asked = example("stopwatch.tw", "everything", Some("Stopwatch(cents: 3, secs: 2)"));
    let shortest_length = known_shortest(&asked);
    let runs = long_runs(&asked, 150, 0..6);
    assert!(runs.len() >= 3, "{}", runs.len());
    for run in &runs {
        let Shrunk { run, shortest, .. } = shrunk(&asked, run);
        assert_eq!(run.steps.len(), shortest_length);
        assert!(matches!(shortest, Shortest::Proved(_)), "{shortest:?}");
    }
}

/// A run of the queue with more records, and more in them, than anyone needs.
fn busy_queue() -> (Asked, Run) {
    let asked = example("queue.tw", "shown", None);
    let record = |name: &str, amount: i64| serde_json::json!({ "record": { "name": name, "amount": amount } });
    let records = [("abc", 3), ("Zebra", 7000), ("QQQ", 500), ("Anna", 101)];
    let mut steps = vec![];
    for pair in records.chunks(2) {
        for gate in ["put", "get"] {
            steps.extend(
                pair.iter().map(|(name, amount)| serde_json::json!({ "gate": gate, "data": record(name, *amount) })),
            );
        }
    }
    let trace = Trace::from_json(&serde_json::json!({ "steps": steps }), &asked.system).expect("a trace");
    let (initial, steps, halt) =
        simulate(&asked.system, &trace, trace.steps.len(), &Given::default(), 0).expect("a run");
    assert_eq!(halt, None);
    let run = Run { initial, steps };
    assert!(is_met(&asked, &run));
    (asked, run)
}

#[test]
fn queue_ends_at_put_and_get_of_a_plain_record() {
    let (asked, run) = busy_queue();
    let Shrunk { run, shortest, .. } = shrunk(&asked, &run);
    assert!(matches!(shortest, Shortest::Proved(_)), "{shortest:?}");
    let gates: Vec<&str> = run
        .steps
        .iter()
        .map(|s| asked.system.joints[s.joint].gate.map_or("tau", |g| &asked.system.gates[g].name))
        .collect();
    assert_eq!(gates, ["put", "get"]);
    let Value::Data(_, 0, fields) = &run.steps[0].data[0] else { panic!("a record") };
    // A capital letter and a small one, and an amount above a hundred: there is nothing simpler.
    assert_eq!(fields[..], [Value::text("Aa"), Value::int(101)]);
}

#[test]
fn the_interpreter_alone_shrinks_and_says_that_nobody_looked_for_less() {
    let (asked, run) = busy_queue();
    let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
    let without_engines = Options { rounds: 0, ..Options::new(&solver) };
    let Shrunk { run, shortest, .. } = shrink(&asked, &run, &without_engines, &mut ()).expect("a run");
    assert_eq!(run.steps.len(), 2);
    assert!(matches!(shortest, Shortest::Unknown(_)), "{shortest:?}");
    let asked = example("blinker.tw", "shortest_off", None);
    for run in long_runs(&asked, 60, 0..12) {
        let Shrunk { run, .. } = shrink(&asked, &run, &without_engines, &mut ()).expect("a run");
        assert_eq!(inputs(&asked, &run)[0], [Value::int(0)]);
        assert_eq!(run.steps.len(), 4);
    }
}

#[test]
fn lengths_and_classes_of_a_purpose_are_kept() {
    let asked = example("blinker.tw", "classes", None).of_class(3);
    let mut run = with_options(|options| answer(&asked.system, &asked.lists, &asked.purpose, options, &mut ()))
        .expect("no disagreement")
        .cases
        .remove(0)
        .run;
    let joint = run.steps[0].joint;
    run.steps = asked.system.steps(joint, &run.initial, &[Value::int(9)]).expect("a step");
    let shrunk_run = shrunk(&asked, &run).run;
    // The class is `2..10`, the length is one.
    assert_eq!(inputs(&asked, &shrunk_run), [vec![Value::int(2)]]);
    let long = example("blinker.tw", "shortest_off", None).of_length(Length { low: 9, high: None });
    for run in long_runs(&long, 60, 0..6) {
        let Shrunk { run, shortest, .. } = shrunk(&long, &run);
        assert_eq!(run.steps.len(), 9);
        assert!(matches!(shortest, Shortest::Proved(Proof::Length | Proof::Control { .. } | Proof::Exhaustion { .. })));
    }
}

#[test]
fn the_empty_run_is_the_shortest_of_all_and_what_is_not_met_is_not_shrunk() {
    let text = "sts S { in a(n: Int)  initial location L  L -> L : a ?a(n) }
        purpose anything for S { always(a.n > 3) }
        purpose small for S { member(a.n < 3)   length >= 1 }";
    let asked = of_text(text, "anything", None);
    let run = {
        let initial = asked.system.initial(&[]);
        let steps = asked.system.steps(0, &initial, &[Value::int(7)]).expect("a step");
        Run { initial, steps }
    };
    let Shrunk { run: empty, shortest, .. } = shrunk(&asked, &run);
    assert!(empty.steps.is_empty());
    assert_eq!(shortest, Shortest::Proved(Proof::Length));
    let small = of_text(text, "small", None);
    let refused = with_options(|options| shrink(&small, &run, options, &mut ()));
    assert!(matches!(refused, Err(NotShrunk::NotMet)));
}

#[test]
fn data_that_belongs_together_becomes_simple_together() {
    // Neither number can change alone, and no step can be left out.
    let text = "sts S { in a(n: Int), b(n: Int)  var x: Int = 0  initial location L  location M, N
        L -> M : a ?a(n) when n > 12 do x := n
        M -> N : b ?b(n) when n == 2 * x + 1 }
        purpose both for S { last(state) == N }";
    let asked = of_text(text, "both", None);
    let initial = asked.system.initial(&[]);
    let first = asked.system.steps(0, &initial, &[Value::int(900)]).expect("a step").remove(0);
    let second = asked.system.steps(1, &first.next, &[Value::int(1801)]).expect("a step").remove(0);
    let run = Run { initial, steps: vec![first, second] };
    assert_eq!(inputs(&asked, &shrunk(&asked, &run).run), [vec![Value::int(13)], vec![Value::int(27)]]);
}

#[test]
fn parts_of_values_keep_their_types() {
    // Where the interpreter alone shrinks, nobody else looks at the types of fields.
    let text = "type Name = String where it matches \"[b-y]+\"
        type Item = { name: Name, count: 5..9, more: List<3..4> }
        sts S { in a(item: Item)  initial location L  L -> L : a ?a(i) }
        purpose some_item for S { member(a.item.count > 0) }";
    let asked = of_text(text, "some_item", None);
    let event = serde_json::json!({ "gate": "a", "data": { "item": { "name": "xyx", "count": 8, "more": [4, 4] } } });
    let trace = Trace::from_json(&serde_json::json!({ "steps": [event] }), &asked.system).expect("a trace");
    let (initial, steps, _) = simulate(&asked.system, &trace, 1, &Given::default(), 0).expect("a run");
    let run = Run { initial, steps };
    let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
    for rounds in [0, 3] {
        let options = Options { rounds, ..Options::new(&solver) };
        let run = shrink(&asked, &run, &options, &mut ()).expect("a run").run;
        let written = tracewright::emit::run_json(&run, &asked.system);
        let read = Trace::from_json(&written, &asked.system).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(read.steps.len(), 1);
        assert_eq!(written["steps"][0]["data"]["item"]["count"], 5);
        assert_eq!(written["steps"][0]["data"]["item"]["more"], serde_json::json!([]));
    }
}

#[test]
fn of_runs_that_are_as_short_the_one_that_begins_as_before_is_taken() {
    // Two ways of the same length, and a run that goes the second one, with a detour that no single step can leave.
    let text = "sts S { in a(), b(), c()  initial location L  location P, Q, R, U, V
        L -> P : first ?a   P -> R : first_end ?a
        L -> Q : second ?b  Q -> U : away ?b   U -> V : on ?b  V -> R : back ?c   Q -> R : second_end ?a }
        purpose there for S { last(state) == R }";
    let asked = of_text(text, "there", None);
    let mut run = Run { initial: asked.system.initial(&[]), steps: vec![] };
    for name in ["second", "away", "on", "back"] {
        let state = run.steps.last().map_or(&run.initial, |step| &step.next).clone();
        let steps = asked.system.all_steps(&state, &Given::default(), None).expect("steps");
        let named = |step: &Step| asked.system.machines[0].transitions[step.fired[0].1.expect("one")].name == name;
        run.steps.push(steps.into_iter().find(named).expect("this step"));
    }
    let names = |run: &Run| -> Vec<String> {
        let transitions = &asked.system.machines[0].transitions;
        run.steps.iter().map(|step| transitions[step.fired[0].1.expect("one")].name.clone()).collect()
    };
    assert_eq!(names(&shrunk(&asked, &run).run), ["second", "second_end"]);
}

#[test]
fn values_that_exist_once_for_a_run_are_found_also_where_they_cannot_be_listed() {
    let text = "sts S { in a(n: Int)  initial location L  L -> L : a ?a(n) }
        purpose twice for S { some k in Int: (count(a.n, 2, k) and k > 4) }";
    let asked = of_text(text, "twice", None);
    let run_of = |data: &[i64]| {
        let mut run = Run { initial: asked.system.initial(&[]), steps: vec![] };
        for n in data {
            let step = asked.system.steps(0, &run.initial, &[Value::int(*n)]).expect("a step").remove(0);
            run.steps.push(step);
        }
        run
    };
    assert!(is_met(&asked, &run_of(&[3, 9, 1, 9])));
    assert!(!is_met(&asked, &run_of(&[3, 9, 1, 3])));
    assert_eq!(inputs(&asked, &shrunk(&asked, &run_of(&[3, 9, 1, 9])).run), [vec![Value::int(5)], vec![Value::int(5)]]);
}

/// Takes the steps of a run again, one by one.
fn replays(asked: &Asked, run: &Run) -> bool {
    let mut state = run.initial.clone();
    run.steps.iter().all(|step| {
        let given = asked.system.given_to(step.joint);
        let possible = asked.system.steps(step.joint, &state, &step.data[..given]).expect("no limit");
        state = step.next.clone();
        possible.contains(step)
    })
}

#[test]
fn runs_of_random_models_shrink_to_runs_that_meet_the_same_and_shrink_no_further() {
    let mut runner = TestRunner::new(Config { cases: 60, failure_persistence: None, ..Config::default() });
    let cases = (questions::models(), questions::constraints(), 0..3usize, any::<u64>());
    let shrunk_ones = std::cell::Cell::new(0);
    runner
        .run(&cases, |(model, constraint, low, seed)| {
            let text = format!("{}purpose p for M {{ length >= {low} {} }}", model.text(), constraint.text(&model));
            let asked = questions::asked(&text);
            for run in long_runs(&asked, 14, seed % 1000..seed % 1000 + 2) {
                shrunk_ones.set(shrunk_ones.get() + 1);
                let once = shrunk(&asked, &run);
                prop_assert!(replays(&asked, &once.run), "{text}");
                let recorded =
                    once.run.steps.iter().fold(questions::Recorded::default(), |r, s| r.with(&asked.system, s));
                prop_assert!(constraint.holds(&model, &recorded), "{text}\n{recorded:?}");
                prop_assert!((low..=run.steps.len()).contains(&once.run.steps.len()), "{text}");
                let given = |run: &Run| {
                    run.steps.iter().fold(questions::Recorded::default(), |r, s| r.with(&asked.system, s)).input
                };
                // Nothing comes before zero, and zero before one, also here.
                if !model.is_sts && once.run.steps.len() == run.steps.len() {
                    prop_assert!(given(&once.run) <= given(&run), "{text}");
                }
                // Few enough to look at all of them.
                if matches!(once.shortest, Shortest::Proved(_)) && once.run.steps.len() <= questions::LONGEST {
                    let shorter = once.run.steps.len().checked_sub(1).map(questions::Bound::AtMost);
                    let shorter = shorter.map(|bound| questions::runs(&asked.system, bound)).unwrap_or_default();
                    let is_one = |r: &questions::Recorded| r.fired.len() >= low && constraint.holds(&model, r);
                    prop_assert!(!shorter.iter().any(is_one), "{text}\n{:?}", once.run);
                }
                let twice = shrunk(&asked, &once.run);
                prop_assert_eq!(&twice.run, &once.run, "{}", text);
                prop_assert_eq!(shrunk(&asked, &run).run, once.run);
            }
            Ok(())
        })
        .unwrap_or_else(|e| panic!("{e}"));
    assert!(shrunk_ones.get() > 30, "{}", shrunk_ones.get());
}
