//! Suites for small random models: what they claim to cover is counted again from their runs by an independent reading, and
//! how good they claim to be is compared with all runs there are.

use std::cell::RefCell;
use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tracewright::confirm::Recheck;
use tracewright::kernel::{Run, StepSystem};
use tracewright::search::Limits;
use tracewright::solve::{Solver, Z3};
use tracewright::synth::{Asked, CoverOptions, Engine, Minimise, Status, Suite, cover};

use crate::questions::{Bound, Constraint, Model, Recorded, asked, bounds, constraints, models, runs};

/// Most items that are compared with brute force.
const MOST_ITEMS: usize = 14;

/// What is to be covered, and what it means for a run.
struct Items<'a> {
    model: &'a Model,
    system: &'a StepSystem,
    constraints: &'a [Constraint],
    names: Vec<Option<String>>,
}

impl<'a> Items<'a> {
    fn new(model: &'a Model, constraints: &'a [Constraint], asked: &'a Asked) -> Items<'a> {
        let names = asked.purpose.constraints.iter().map(|constraint| constraint.item.clone()).collect();
        Items { model, system: &asked.system, constraints, names }
    }

    /// The items that a run covers, one bit each.
    fn covered(&self, run: &Recorded) -> u32 {
        let tuples = self.tuples_of(run);
        let mut constraints = self.constraints.iter();
        let mut all = 0;
        for (number, name) in self.names.iter().enumerate() {
            let is_covered = match name {
                Some(name) => tuples.contains(name),
                None => constraints.next().expect("one for each").holds(self.model, run),
            };
            all |= u32::from(is_covered) << number;
        }
        all
    }

    /// Names of all transitions, pairs and triples of a run: what each machine fires, without idling.
    fn tuples_of(&self, run: &Recorded) -> Vec<String> {
        let mut out = vec![];
        for (number, machine) in self.system.machines.iter().enumerate() {
            let prefix = if self.system.machines.len() == 1 { String::new() } else { format!("{}.", machine.name) };
            let of_machine = |fired: &Vec<(usize, Option<usize>)>| {
                fired
                    .iter()
                    .find(|(m, _)| *m == number)
                    .and_then(|(_, t)| *t)
                    .map(|t| machine.transitions[t].name.clone())
            };
            let fired: Vec<String> = run.all_fired.iter().filter_map(of_machine).collect();
            out.extend(fired.iter().map(|name| format!("{prefix}{name}")));
            for length in 2..=3 {
                out.extend(fired.windows(length).map(|names| format!("{prefix}({})", names.join(","))));
            }
        }
        out
    }
}

/// Steps and runs of the best suites that cover all that runs cover: by steps, and by runs. Each run is what it covers and its
/// length.
fn best_suites(found: &BTreeMap<u32, usize>, all: u32) -> ((usize, usize), (usize, usize)) {
    // Least costs of what is covered, as it grows: adding a run never takes anything away.
    let mut by_steps: BTreeMap<u32, (usize, usize)> = BTreeMap::from([(0, (0, 0))]);
    let mut by_runs = by_steps.clone();
    for covered in 0..=all {
        let (steps, runs) = (by_steps.get(&covered).copied(), by_runs.get(&covered).copied());
        for (more, length) in found {
            let next = covered | more;
            if next == covered {
                continue;
            }
            let keep = |costs: &mut BTreeMap<u32, (usize, usize)>, cost: (usize, usize)| {
                let known = costs.entry(next).or_insert(cost);
                *known = (*known).min(cost);
            };
            if let Some((steps, runs)) = steps {
                keep(&mut by_steps, (steps + length, runs + 1));
            }
            if let Some((runs, steps)) = runs {
                keep(&mut by_runs, (runs + 1, steps + length));
            }
        }
    }
    let ((steps, runs), (fewest, then)) = (by_steps[&all], by_runs[&all]);
    ((steps, runs), (then, fewest))
}

fn suite(asked: &Asked, engine: Engine, minimise: Minimise, seed: u64, threads: usize, depth: Option<usize>) -> Suite {
    let solver = move || -> Box<dyn Solver> { Box::new(Z3::new(seed)) };
    let limits = Limits { depth, ..Limits::default() };
    let options = CoverOptions { minimise, seed, engine, limits, solver: &solver, threads, recheck: Recheck::Small };
    cover(&asked.system, &asked.lists, &asked.purpose, &options, &mut ()).expect("engines and interpreter agree")
}

fn recorded(system: &StepSystem, run: &Run) -> Recorded {
    run.steps.iter().fold(Recorded::default(), |so_far, step| so_far.with(system, step))
}

/// Criteria that are covered along with constraints.
fn criteria() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "",
        "",
        "cover transitions",
        "cover pairs",
        "cover triples",
        "cover transitions  cover pairs",
    ])
}

#[derive(Default)]
struct Mix {
    suites: usize,
    optimal: usize,
    several: usize,
    partly: usize,
}

#[test]
fn suites_cover_what_they_claim_and_are_as_good_as_they_claim() {
    let cases = std::env::var("COVERAGE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(600);
    let mix = RefCell::new(Mix::default());
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let question = (models(), prop::collection::vec(constraints(), 1..4), criteria(), bounds(), any::<bool>());
    let result = runner.run(&question, |(m, wanted, criteria, bound, is_option)| {
        let lines: Vec<String> = wanted.iter().map(|constraint| constraint.word(&m)).collect();
        // A bound may be a part of the question, or an option.
        let (length, depth) = match (bound, is_option) {
            (Bound::AtMost(depth), true) => (String::new(), Some(depth)),
            _ => (bound.text(), None),
        };
        let text = format!("{}\nitems p for M {{\n  {length}\n  {}\n  {criteria}\n}}\n", m.text(), lines.join("\n  "));
        let asked = asked(&text);
        let items = Items::new(&m, &wanted, &asked);
        if items.names.len() > MOST_ITEMS {
            return Ok(());
        }
        let mut found: BTreeMap<u32, usize> = BTreeMap::new();
        for run in runs(&asked.system, bound) {
            let length = found.entry(items.covered(&run)).or_insert(usize::MAX);
            *length = (*length).min(run.all_fired.len());
        }
        let all = found.keys().fold(0, |all, covered| all | covered);
        let (by_steps, by_runs) = best_suites(&found, all);
        for (engine, minimise, seed, threads) in [
            (Engine::Auto, Minimise::Steps, 0, 1),
            (Engine::Explicit, Minimise::Sequences, 7, 2),
            (Engine::Symbolic, Minimise::Steps, 7, 2),
            (Engine::Symbolic, Minimise::Sequences, 0, 1),
        ] {
            let about = format!("{engine:?} {minimise:?} seed {seed}:\n{text}");
            let suite = suite(&asked, engine, minimise, seed, threads, depth);
            let mut together = 0;
            for sequence in &suite.sequences {
                let covered = items.covered(&recorded(&asked.system, &sequence.run));
                let claimed = sequence.covers.iter().fold(0, |all, (item, _)| all | 1u32 << item);
                prop_assert_eq!(claimed, covered, "{}", about);
                let length = sequence.run.steps.len();
                let fits = match bound {
                    Bound::AtMost(most) => length <= most,
                    Bound::Exactly(exactly) => length == exactly,
                };
                prop_assert!(fits, "{} steps: {}", length, about);
                together |= covered;
            }
            for (item, status) in suite.items.iter().enumerate() {
                let (is_covered, can_be) = (together >> item & 1 == 1, all >> item & 1 == 1);
                prop_assert_eq!(*status == Status::Covered, is_covered, "item {}: {:?}, {}", item, status, about);
                match status {
                    Status::Covered => prop_assert!(can_be),
                    Status::Impossible(_) => prop_assert!(!can_be, "item {} can be covered: {}", item, about),
                    Status::NotFound(_) => prop_assert!(!can_be && depth.is_some(), "item {}: {}", item, about),
                    Status::Unknown(reason) => prop_assert!(false, "item {}: {}: {}", item, reason, about),
                }
            }
            let (steps, sequences) = (suite.steps(), suite.sequences.len());
            let best = if minimise == Minimise::Steps { by_steps } else { by_runs };
            prop_assert!(suite.lower_bound <= best.0, "{} instead of {:?}: {}", suite.lower_bound, best, about);
            prop_assert!(steps >= by_steps.0 && sequences >= by_runs.1, "{} in {}: {}", steps, sequences, about);
            if suite.is_optimal {
                let is_best = steps == best.0 && (minimise == Minimise::Steps || sequences == best.1);
                prop_assert!(is_best, "{} in {} instead of {:?}: {}", steps, sequences, best, about);
            }
            let mut mix = mix.borrow_mut();
            mix.suites += 1;
            mix.optimal += usize::from(suite.is_optimal);
            mix.several += usize::from(sequences > 1);
            mix.partly += usize::from(suite.items.iter().any(|status| *status != Status::Covered));
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let Mix { suites, optimal, several, partly } = mix.into_inner();
    println!("{suites} suites: {optimal} optimal, {several} of several sequences, {partly} with items left out");
    assert!(optimal * 100 >= suites * 99, "{optimal} optimal of {suites}");
    assert!(several * 10 >= suites && partly * 10 >= suites, "{several} of several sequences, {partly} partly");
}
