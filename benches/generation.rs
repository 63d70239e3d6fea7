//! How fast test cases are found, as ratios against what one would otherwise run: the same model as a constraint logic
//! program under SWI-Prolog, and one incremental unrolling of it given to Z3. Each pair does the same work in one run.
//!
//! `cargo bench --bench generation`; without `swipl` the first part is left out.

mod timing;

use std::process::Command;
use std::time::Duration;

use tracewright::history::{Known, Length, Purpose};
use tracewright::kernel::{Lists, StepSystem};
use tracewright::search::{AllPaths, OpenSpace, Question};
use tracewright::solve::{Solver, Z3};
use tracewright::synth::Asked;
use tracewright::term::Value;
use tracewright::{model, syntax};
use z3::ast::{Bool, Int};

use timing::best_of;

fn main() {
    println!("all cases of off_at(n), engine against engine");
    println!(
        "{:>4} {:>6} {:>12} {:>12} {:>8} {:>12} {:>8}",
        "n", "cases", "tracewright", "swi-prolog", "ratio", "z3", "ratio"
    );
    for n in [7, 16, 30, 60] {
        // The peer tells its processor time; many runs keep other work on the machine out of ours.
        let (ours, cases) = best_of(20, || tracewright_cases(n));
        let prolog = (0..3).filter_map(|_| prolog_seconds(n, cases)).min();
        // The plain unrolling is given as long as it needs only where that is not too long.
        let z3 = (n <= 30).then(|| best_of(1, || unrolled_cases(n)));
        if let Some((_, found)) = z3 {
            assert_eq!(found, cases, "both find the same number of cases");
        }
        let ratio = |peer: Option<Duration>| {
            peer.map_or("-".into(), |p| format!("{:.1}x", p.as_secs_f64() / ours.as_secs_f64()))
        };
        let shown = |time: Option<Duration>| time.map_or("-".into(), |t| format!("{:.2} ms", t.as_secs_f64() * 1e3));
        let z3 = z3.map(|(time, _)| time);
        println!(
            "{n:>4} {cases:>6} {:>12} {:>12} {:>8} {:>12} {:>8}",
            shown(Some(ours)),
            shown(prolog),
            ratio(prolog),
            shown(z3),
            ratio(z3)
        );
    }
    println!("\nthe whole command for off_at(7) --all, beside a start that does nothing");
    for (what, time) in whole_command() {
        println!("{what:>28} {:>8.2} ms", time.as_secs_f64() * 1e3);
    }
    println!("\nrules over known elements: time for each element should not grow");
    for elements in [1_000, 10_000, 100_000] {
        for rule in ["member(timeout)", "before(timeout, set)"] {
            let (time, ()) = best_of(3, || watch(rule, elements));
            let each = time.as_secs_f64() * 1e9 / elements as f64;
            println!("{rule:>22} {elements:>8} elements {:>10.2} ms {each:>8.0} ns each", time.as_secs_f64() * 1e3);
        }
    }
}

fn blinker(purpose: &str, args: &str) -> (StepSystem, Lists, Purpose) {
    let text = format!("{}\n{purpose}", include_str!("../examples/blinker.tw"));
    let (sources, errors) = syntax::Sources::from_text("blinker.tw", &text);
    assert!(errors.is_empty(), "{errors:?}");
    let (checked, _) = model::check(&sources);
    let wanted = syntax::parse_model_reference(syntax::FileId(0), args).expect("a purpose");
    let declared = model::purpose_named(&checked, &wanted.name).expect("the purpose");
    let Asked { system, lists, purpose } =
        Asked::new(&checked, declared, &wanted.args, wanted.span, None).expect("a sound purpose");
    (system, lists, purpose)
}

/// Searches for all cases, each with the constraints on its data: what the other two do as well.
fn tracewright_cases(n: usize) -> usize {
    let (system, lists, purpose) = blinker("", &format!("off_at({n})"));
    let monitor = purpose.monitor(&[0], None);
    let question = Question { system: &system, lists: &lists, monitor: &monitor };
    let mut space = OpenSpace::new(question, Box::new(Z3::new(0)) as Box<dyn Solver>);
    let mut paths = vec![];
    AllPaths::new(Length { low: n, high: Some(n) }).run(&mut space, None, &mut paths, &mut |_, _, _| true);
    paths.iter().filter(|path| space.recover(path).is_some()).count()
}

/// The time that the Prolog program reports for itself, without its start.
fn prolog_seconds(n: usize, cases: usize) -> Option<Duration> {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/peers/blinker.pl");
    let output = Command::new("swipl").args(["-O", program, "--", "off", &n.to_string()]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    assert!(text.contains(&format!("cases {cases}\n")), "{text}");
    let seconds = text.lines().find_map(|line| line.strip_prefix("cpu_s "))?.parse().ok()?;
    Some(Duration::from_secs_f64(seconds))
}

/// The blinker written by hand as formulas for one incremental solver with its default options: control states as
/// integers, one variable for each transition choice, all steps asserted once, each model blocked by what fired.
fn unrolled_cases(n: usize) -> usize {
    let solver = z3::Solver::new();
    let int = |name: &str, i: usize| Int::new_const(format!("{name}{i}"));
    let bool = |name: &str, i: usize| Bool::new_const(format!("{name}{i}"));
    let k = Int::from_i64;
    // States: blinker 0 Init, 1 On, 2 Off; timer 0 Wait, 1 Run. Messages: present and value.
    solver.assert(Bool::and(&[
        int("b", 0).eq(k(0)),
        int("t", 0).eq(k(0)),
        int("ival", 0).eq(k(0)),
        int("clock", 0).eq(k(0)),
    ]));
    solver.assert(Bool::and(&[bool("set", 0).not(), bool("out", 0).not(), bool("pulse", 0).not()]));
    let mut fired = vec![];
    for i in 0..n {
        let j = i + 1;
        // Blinker: 0 start, 1 switchOff, 2 switchOn, 3 idle.
        let f = int("fb", i);
        let starts = Bool::and(&[int("b", i).eq(k(0)), bool("in", i)]);
        let off = Bool::and(&[int("b", i).eq(k(1)), bool("out", i)]);
        let on = Bool::and(&[int("b", i).eq(k(2)), bool("out", i)]);
        let same = |a: &Int, b: &Int| a.eq(b);
        let branch = |which: i64, when: &Bool, state: i64, ival: &Int, sends: bool| {
            let effect = Bool::and(&[
                when.clone(),
                int("b", j).eq(k(state)),
                same(&int("ival", j), ival),
                bool("set", j).eq(Bool::from_bool(sends)),
                bool("pulse", j).eq(Bool::from_bool(sends)),
                Bool::from_bool(sends).implies(int("setv", j).eq(ival)),
            ]);
            f.eq(k(which)).implies(&effect)
        };
        solver.assert(branch(0, &starts, 1, &int("inv", i), true));
        solver.assert(branch(1, &off, 2, &int("ival", i), true));
        solver.assert(branch(2, &on, 1, &int("ival", i), true));
        let idles = Bool::and(&[
            Bool::or(&[starts, off, on]).not(),
            int("b", j).eq(int("b", i)),
            int("ival", j).eq(int("ival", i)),
            bool("set", j).not(),
            bool("pulse", j).not(),
        ]);
        solver.assert(f.eq(k(3)).implies(&idles));
        solver.assert(Bool::and(&[f.ge(k(0)), f.le(k(3))]));
        // Timer: 0 set, 1 timeout, 2 tick, 3 idle.
        let g = int("ft", i);
        let (wait, run) = (int("t", i).eq(k(0)), int("t", i).eq(k(1)));
        let clock = int("clock", i);
        let sets = Bool::and(&[wait, bool("set", i)]);
        let ends = Bool::and(&[run.clone(), clock.eq(k(0))]);
        let ticks = Bool::and(&[run, clock.gt(k(0))]);
        let timer = |which: i64, when: &Bool, state: i64, clock: Int, out: bool| {
            let effect = Bool::and(&[
                when.clone(),
                int("t", j).eq(k(state)),
                int("clock", j).eq(clock),
                bool("out", j).eq(Bool::from_bool(out)),
            ]);
            g.eq(k(which)).implies(&effect)
        };
        solver.assert(timer(0, &sets, 1, int("setv", i), false));
        solver.assert(timer(1, &ends, 0, clock.clone(), true));
        solver.assert(timer(2, &ticks, 1, Int::sub(&[clock.clone(), k(1)]), false));
        let idles = Bool::and(&[
            Bool::or(&[sets, ends, ticks]).not(),
            int("t", j).eq(int("t", i)),
            int("clock", j).eq(clock),
            bool("out", j).not(),
        ]);
        solver.assert(g.eq(k(3)).implies(&idles));
        solver.assert(Bool::and(&[g.ge(k(0)), g.le(k(3))]));
        fired.extend([f, g]);
    }
    solver.assert(int("b", n).eq(k(2)));
    let mut cases = 0;
    while solver.check() == z3::SatResult::Sat {
        let model = solver.get_model().expect("a model");
        let other: Vec<Bool> = (fired.iter())
            .map(|f| f.eq(k(model.eval(f, true).and_then(|v| v.as_i64()).expect("a number"))).not())
            .collect();
        solver.assert(Bool::or(&other));
        cases += 1;
    }
    cases
}

/// What a user waits for at 7 steps: the command, its start alone, and what loading Z3 and making a solver would add.
fn whole_command() -> Vec<(&'static str, Duration)> {
    let program = env!("CARGO_BIN_EXE_tracewright");
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/blinker.tw");
    let timed = |args: &[&str]| {
        best_of(20, || assert!(Command::new(program).args(args).output().expect("it starts").status.success())).0
    };
    let (whole, start) = (timed(&["gen", model, "-p", "off_at(7)", "--all", "--json"]), timed(&["--version"]));
    // With the solver the same search is begun in a fresh thread, which makes a context of its own.
    let solver = best_of(5, || std::thread::spawn(|| drop(z3::Solver::new())).join().expect("a solver")).0;
    vec![("whole command", whole), ("start alone", start), ("a solver, not made here", solver)]
}

/// Runs a rule over a list of so many elements, all of them ticks.
fn watch(rule: &str, elements: usize) {
    let (_, lists, purpose) = blinker(&format!("purpose watched for Blinking {{ {rule} on t.fired }}"), "watched");
    let monitor = purpose.monitor(&[0], None);
    let known = Known { monitor: &monitor, definitions: &lists.names.definitions, open: &[] };
    let list = lists.names.numbers["t.fired"];
    let mut observed = vec![Value::Absent; lists.sources.len()];
    // The third transition of the timer: neither what is looked for nor the end.
    observed[list] = lists.names.member(list, 2);
    let mut live = known.start().expect("no limit");
    for _ in 0..elements {
        live = known.advance(&live, &observed).expect("no limit");
    }
    assert!(!known.hold_at_stop(&live).expect("no limit"));
}
