//! Data for runs of small random models, against brute force: whatever is chosen belongs to a run that does the same and meets
//! the purpose, by an independent reading; and where the purpose looks at transitions only, all of them are found.

use std::cell::Cell;
use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tracewright::kernel::{Run, StepSystem};
use tracewright::solve::{Solver, Z3};
use tracewright::synth::{Answered, Asked, Choice, Engine, Options, Wish, answer, with_data};

use crate::questions::{Recorded, asked, bounds, constraints, models, runs};

/// What happens in a run: what fires, what comes in and what goes out.
type Seen = (Vec<Vec<(usize, Option<usize>)>>, Vec<Option<i64>>, Vec<Option<i64>>);

fn seen(run: &Recorded) -> Seen {
    (run.all_fired.clone(), run.input.clone(), run.output.clone())
}

fn recorded(system: &StepSystem, run: &Run) -> Recorded {
    run.steps.iter().fold(Recorded::default(), |before, step| before.with(system, step))
}

fn chosen(asked: &Asked, found: &Answered, choice: Choice, seed: u64) -> Answered {
    let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
    let options = Options { seed, ..Options::new(&solver) };
    with_data(found.clone(), asked, Wish { data: choice, negative: false }, &options)
        .expect("whatever is chosen is followed")
}

#[test]
fn data_and_brute_force_agree() {
    let cases = std::env::var("DATA_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(400);
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let question = (models(), prop::collection::vec(constraints(), 1..3), bounds(), any::<bool>());
    let (found, complete, outside) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let result = runner.run(&question, |(m, wanted, bound, is_explicit)| {
        let parts: Vec<String> = wanted.iter().map(|constraint| constraint.word(&m)).collect();
        let asked = asked(&format!("{}purpose p for M {{ {}\n{} }}\n", m.text(), bound.text(), parts.join("\n")));
        let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
        let engine = if is_explicit { Engine::Explicit } else { Engine::Symbolic };
        let options = Options { engine, ..Options::new(&solver) };
        let answered = answer(&asked.system, &asked.lists, &asked.purpose, &options, &mut ()).expect("no disagreement");
        let [case] = &answered.cases[..] else { return Ok(()) };
        found.set(found.get() + 1);
        let meets = |run: &Recorded| wanted.iter().all(|constraint| constraint.holds(&m, run));
        let same = recorded(&asked.system, &case.run).all_fired;
        let all: BTreeSet<Seen> =
            runs(&asked.system, bound).iter().filter(|run| run.all_fired == same && meets(run)).map(seen).collect();

        for choice in [Choice::Exhaustive, Choice::Random(8), Choice::Boundary, Choice::Classes, Choice::Pairwise] {
            let with_data = chosen(&asked, &answered, choice, 7);
            let mut met: BTreeSet<Seen> = BTreeSet::new();
            for one in &with_data.cases {
                let run = recorded(&asked.system, &one.run);
                let origin = one.origin.as_ref().expect("where the data comes from");
                if origin.refused.is_none() {
                    // Hidden steps that are taken first make it longer.
                    let is_met = meets(&run) && bound.allows(run.all_fired.len());
                    prop_assert_eq!(origin.meets, is_met, "{:?}", origin);
                }
                match origin.leaves_at {
                    // Outside, the run goes the same way up to a step, and then it does not.
                    Some(step) => {
                        outside.set(outside.get() + 1);
                        prop_assert_eq!(choice, Choice::Boundary);
                        prop_assert_eq!(&run.all_fired[..step - 1], &same[..step - 1]);
                        prop_assert!(run.all_fired.get(step - 1) != Some(&same[step - 1]));
                    }
                    None if run.all_fired == same && !meets(&run) => {
                        // The path is the same, and the purpose is not met: data beyond an edge of the purpose.
                        prop_assert_eq!(choice, Choice::Boundary);
                    }
                    None => {
                        prop_assert!(all.contains(&seen(&run)), "{:?} is not a run of the case", seen(&run));
                        prop_assert!(met.insert(seen(&run)), "{choice:?} chose the same twice");
                    }
                }
            }
            if choice == Choice::Exhaustive {
                complete.set(complete.get() + 1);
                // What the system says is its own choice, and not listed.
                let inputs =
                    |all: &BTreeSet<Seen>| all.iter().map(|(_, inputs, _)| inputs.clone()).collect::<BTreeSet<_>>();
                prop_assert_eq!(inputs(&met), inputs(&all));
            }
            if let Choice::Random(_) = choice {
                let again = chosen(&asked, &answered, choice, 7);
                let of = |answered: &Answered| answered.cases.iter().map(|one| one.run.clone()).collect::<Vec<_>>();
                prop_assert_eq!(of(&again), of(&with_data), "the same seed gives the same data");
            }
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(found.get() * 5 > cases && complete.get() * 20 > cases && outside.get() > 0, "enough was compared");
}
