//! Services of n unordered events with five predicates: what it costs to look at all executions, a set of events at a time
//! beside the simple way, which sends every event in every order. Then the executions of a known service, by depth.
//!
//! `cargo bench --bench services`

mod timing;

use std::collections::BTreeSet;
use std::time::Duration;

use timing::best_of;
use tracewright::kernel::{Given, StepSystem, lower};
use tracewright::model;
use tracewright::search::{Algorithm, Driven, Limits, Progress, drive};
use tracewright::solve::{Solver, Z3};
use tracewright::syntax::{Sources, parse_model_reference};

/// Events that a simple driver is asked for: for one more it takes ten times as long.
const MOST_SIMPLE: usize = 8;

struct Silent;

impl Progress for Silent {
    fn at(&mut self, _: usize, _: usize, _: usize, _: usize) {}
}

fn main() {
    println!("n unordered events, five predicates, values chosen from the predicates");
    println!("{:>4}{:>14}{:>12}{:>10}{:>16}{:>12}", "n", "executions", "sets", "to n = 6", "executions", "simple");
    let mut at_six = None;
    for n in 4..=12 {
        let system = system(&form(n), "Form");
        let (time, sets) = timed(&system, Algorithm::Sets, n, 5);
        if n == 6 {
            at_six = Some(time);
        }
        let ratio =
            at_six.map_or("-".to_owned(), |six: Duration| format!("{:.1}x", time.as_secs_f64() / six.as_secs_f64()));
        let simple = (n <= MOST_SIMPLE).then(|| timed(&system, Algorithm::Simple, n, 1));
        let (count, took) = simple
            .map_or(("-".to_owned(), "-".to_owned()), |(time, driven)| (driven.executions.to_string(), shown(time)));
        println!("{n:>4}{:>14}{:>12}{ratio:>10}{count:>16}{took:>12}", sets.executions.to_string(), shown(time));
    }
    println!("\nexecutions of the teller, with the values of its pool");
    println!("{:>6}{:>10}{:>12}{:>14}{:>10}{:>18}", "depth", "driver", "time", "to depth 11", "states", "executions");
    let text = std::fs::read_to_string("examples/teller.tw").expect("the example");
    let teller = system(&text, "Teller");
    for (algorithm, word) in [(Algorithm::Simple, "simple"), (Algorithm::Sets, "sets")] {
        let (first, _) = timed(&teller, algorithm, 11, 9);
        for depth in [11, 20, 30, 40] {
            let (time, driven) = timed(&teller, algorithm, depth, 5);
            let ratio = time.as_secs_f64() / first.as_secs_f64();
            println!(
                "{depth:>6}{word:>10}{:>12}{ratio:>13.1}x{:>10}{:>18}",
                shown(time),
                driven.states,
                driven.executions.to_string()
            );
        }
    }
}

fn shown(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}

/// A form with n fields.
fn form(n: usize) -> String {
    let fields: Vec<String> = (1..=n).map(|field| format!("f{field}")).collect();
    let declared: Vec<String> = fields.iter().map(|field| format!("{field}: Int")).collect();
    format!(
        "service Form {{
  event {}
  node fill: collect {} {{ f1 > 0, f2 > f1, f3 != f2, f{n} <= 100, f{} + f{n} > 10 }} -> end
}}",
        declared.join(", "),
        fields.join(", "),
        n - 1,
    )
}

fn timed(system: &StepSystem, algorithm: Algorithm, depth: usize, times: usize) -> (Duration, Driven) {
    let given = system.preferring(&Given::default());
    let observed = BTreeSet::new();
    let limits = Limits { states: usize::MAX, ..Limits::default() };
    best_of(times, || {
        let mut solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
        let driven = drive(system, (&given, &mut solver), (algorithm, &observed), depth, (&limits, &mut Silent));
        driven.expect("values")
    })
}

fn system(text: &str, name: &str) -> StepSystem {
    let (mut sources, errors) = Sources::from_text("bench.tw", text);
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    let (checked, _) = model::check(&sources);
    let id = sources.add_fragment("name", name);
    let reference = parse_model_reference(id, name).expect("a reference");
    let assembled = model::assemble(&checked, Some(&reference), Default::default());
    lower(&assembled.unwrap_or_else(|e| panic!("{e:?}"))).expect("a small model")
}
