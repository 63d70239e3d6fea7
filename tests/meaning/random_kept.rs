//! Kept sequences of small random models that change: what `nearest` finds is compared with all runs there are.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tracewright::emit::run_json;
use tracewright::kernel::{Given, Run, Trace};
use tracewright::search::simulate;
use tracewright::solve::{Solver, Z3};
use tracewright::synth::{Asked, Options, nearest};

use crate::questions::{Bound, LONGEST, Model, Recorded, asked, constraints, models, runs};

fn recorded(asked: &Asked, run: &Run) -> Recorded {
    run.steps.iter().fold(Recorded::default(), |before, step| before.with(&asked.system, step))
}

/// In how many steps two runs get the same inputs, from the first on; at gates the gates count, too.
fn same_inputs(model: &Model, a: &Recorded, b: &Recorded) -> usize {
    let event = |run: &Recorded, at: usize| (run.input[at], model.is_sts && run.output[at].is_some());
    let most = a.input.len().min(b.input.len());
    (0..most).take_while(|at| event(a, *at) == event(b, *at)).count()
}

/// In how many steps after the first `from` two runs fire the same.
fn same_fired(a: &Recorded, b: &Recorded, from: usize) -> usize {
    let most = a.all_fired.len().min(b.all_fired.len());
    (from..most).take_while(|at| a.all_fired[*at] == b.all_fired[*at]).count()
}

#[test]
fn the_nearest_run_is_the_nearest_of_all_runs() {
    let mut runner = TestRunner::new(Config { cases: 80, failure_persistence: None, ..Config::default() });
    let cases = (models(), models(), constraints(), 1..=LONGEST, any::<u16>());
    let (found_ones, changed_ones) = (Cell::new(0), Cell::new(0));
    runner
        .run(&cases, |(model, other, constraint, steps, seed)| {
            let purpose = |model: &Model| {
                format!("{}purpose p for M {{ length <= {LONGEST} {} }}", model.text(), constraint.text(model))
            };
            let before = asked(&purpose(&model));
            let simulated = simulate(&before.system, &Trace::default(), steps, &Given::default(), seed.into());
            let (initial, taken, _) = simulated.expect("a run");
            let kept = Run { initial, steps: taken };
            // The same transitions, one of which is another one now.
            let mut changed = model.clone();
            changed.first[0] = other.first[0].clone();
            let text = purpose(&changed);
            let after = asked(&text);
            let kept_lists = recorded(&before, &kept);
            let all: Vec<Recorded> = runs(&after.system, Bound::AtMost(LONGEST))
                .into_iter()
                .filter(|run| constraint.holds(&changed, run))
                .collect();
            let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
            let options = Options::new(&solver);
            let trace = run_json(&kept, &before.system);
            let found = nearest(&after, &trace, &options, &mut ()).expect("no disagreement");
            prop_assert_eq!(found.is_some(), !all.is_empty(), "{}", text);
            let Some(found) = found else { return Ok(()) };
            let inputs = all.iter().map(|run| same_inputs(&changed, run, &kept_lists)).max().unwrap_or(0);
            let nearer: Vec<&Recorded> =
                all.iter().filter(|run| same_inputs(&changed, run, &kept_lists) >= inputs).collect();
            let fired = nearer.iter().map(|run| same_fired(run, &kept_lists, inputs)).max().unwrap_or(0);
            let nearest = nearer.iter().filter(|run| same_fired(run, &kept_lists, inputs) >= fired);
            let shortest = nearest.map(|run| run.fired.len()).min();
            let run = recorded(&after, &found.run);
            prop_assert!(constraint.holds(&changed, &run), "{text}");
            prop_assert_eq!((found.same_inputs, found.same_fired), (inputs, fired), "{}\n{:#}", text, trace);
            prop_assert_eq!(same_inputs(&changed, &run, &kept_lists), inputs);
            prop_assert!(same_fired(&run, &kept_lists, inputs) >= fired);
            prop_assert_eq!(Some(run.fired.len()), shortest, "{}\n{:#}", text, trace);
            found_ones.set(found_ones.get() + 1);
            changed_ones.set(
                changed_ones.get() + usize::from(inputs < kept.steps.len() || run.all_fired != kept_lists.all_fired),
            );
            Ok(())
        })
        .unwrap_or_else(|e| panic!("{e}"));
    assert!(found_ones.get() > 30 && changed_ones.get() > 15, "{} {}", found_ones.get(), changed_ones.get());
}
