//! Engines against each other, and all of them against brute force: every run of a small random model, taken by the
//! reference interpreter, and judged by an independent reading of the purpose over the recorded lists.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tracewright::kernel::StepSystem;
use tracewright::search::{Induction, Question, prove};
use tracewright::solve::{Solver, Z3};
use tracewright::synth::{Answer, Answered, Asked, Engine, Options, answer};

use crate::questions::{Bound, Constraint, Model, asked, bounds, constraints, models, runs};

/// One question in so many is asked by induction as well.
const PROVED_AGAIN: usize = 8;

/// All fired lists of runs that meet the purpose, by length.
fn brute_force(
    system: &StepSystem,
    m: &Model,
    wanted: &[Constraint],
    bound: Bound,
) -> BTreeMap<usize, BTreeSet<String>> {
    let mut found: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for run in runs(system, bound) {
        if wanted.iter().all(|constraint| constraint.holds(m, &run)) {
            found.entry(run.all_fired.len()).or_default().insert(format!("{:?}", run.all_fired));
        }
    }
    found
}

fn ask(asked: &Asked, engine: Engine, seed: u64, threads: usize, all: bool) -> Answered {
    let solver = move || -> Box<dyn Solver> { Box::new(Z3::new(seed)) };
    let options = Options { engine, seed, threads, all, ..Options::new(&solver) };
    answer(&asked.system, &asked.lists, &asked.purpose, &options, &mut ()).expect("engines and interpreter agree")
}

#[derive(Default)]
struct Mix {
    all: usize,
    found: usize,
    impossible: usize,
    with_data: usize,
    /// Impossible ones that were asked by induction too, and those of them that it proved.
    asked_again: usize,
    proved_again: usize,
}

#[test]
fn engines_and_brute_force_agree() {
    let cases = std::env::var("ENGINE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(2_000);
    let mix = RefCell::new(Mix::default());
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let question = (models(), prop::collection::vec(constraints(), 1..3), bounds());
    let result = runner.run(&question, |(m, wanted, bound)| {
        let length = bound.text();
        let lines: Vec<String> = wanted.iter().map(|constraint| constraint.word(&m)).collect();
        let text = format!("{}\npurpose p for M {{\n  {length}\n  {}\n}}\n", m.text(), lines.join("\n  "));
        let asked = asked(&text);
        let expected = brute_force(&asked.system, &m, &wanted, bound);
        let shortest = expected.keys().next().copied();
        let engines = [Engine::Symbolic, Engine::Explicit, Engine::Unrolled, Engine::Auto];
        for engine in engines {
            for (seed, threads) in [(0, 1), (7, 2)] {
                let answered = ask(&asked, engine, seed, threads, false);
                let found = answered.cases.first().map(|case| case.run.steps.len());
                prop_assert_eq!(found, shortest, "{:?} with seed {}:\n{}", engine, seed, text);
                let wanted = if shortest.is_some() { Answer::Found } else { Answer::Impossible };
                prop_assert_eq!(
                    answered.answer,
                    wanted,
                    "{:?} with seed {}: {:?}\n{}",
                    engine,
                    seed,
                    answered.reason,
                    text
                );
                if shortest.is_some() {
                    prop_assert_eq!(answered.is_optimal, Some(true), "{:?}:\n{}", engine, text);
                }
            }
        }
        // Open values do not make different cases, but each may make others.
        if !wanted.iter().any(Constraint::has_some) {
            let count: usize = expected.values().map(BTreeSet::len).sum();
            for engine in [Engine::Symbolic, Engine::Explicit] {
                let answered = ask(&asked, engine, 0, 1, true);
                prop_assert_eq!(answered.cases.len(), count, "all cases by {:?}:\n{}", engine, text);
            }
        }
        let mut mix = mix.borrow_mut();
        // A proof in quite another way, for some of them: it takes longer.
        if mix.all.is_multiple_of(PROVED_AGAIN) {
            mix.asked_again += usize::from(shortest.is_none());
            let constraints: Vec<usize> = (0..asked.purpose.constraints.len()).collect();
            let monitor = asked.purpose.monitor(&constraints, None);
            let question = Question { system: &asked.system, lists: &asked.lists, monitor: &monitor };
            match prove(question, asked.purpose.lengths(), &mut Z3::new(0), 200_000) {
                Ok(Induction::Proved(_)) => {
                    prop_assert!(shortest.is_none(), "a proof of what is false:\n{}", text);
                    mix.proved_again += 1;
                }
                Ok(Induction::Refuted) => prop_assert!(shortest.is_some(), "no proof of what is true:\n{}", text),
                Ok(Induction::Unknown(_)) | Err(_) => {}
            }
        }
        mix.all += 1;
        mix.found += usize::from(shortest.is_some());
        mix.impossible += usize::from(shortest.is_none());
        let reads_data = |guard: &str| guard.contains('?') || guard.contains('v') || guard.contains('w');
        mix.with_data += usize::from(m.first.iter().chain(&m.second).any(|t| reads_data(&t.guard)));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let Mix { all, found, impossible, with_data, asked_again, proved_again } = mix.into_inner();
    println!(
        "{all} questions: {found} found, {impossible} impossible ({proved_again} of {asked_again} proved by induction too), \
         {with_data} with guards on data"
    );
    assert!(proved_again * 2 >= asked_again, "{proved_again} of {asked_again} proved by induction");
    assert!(found * 4 >= all && impossible * 4 >= all, "{found} found, {impossible} impossible of {all}");
    assert!(with_data * 3 >= all, "{with_data} with guards on data of {all}");
}
