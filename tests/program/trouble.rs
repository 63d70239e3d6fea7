//! A solver that fails, time that runs out: what is unknown is said to be unknown, and nothing else changes.

use std::process::{Command, Stdio};
use std::time::Duration;

use tracewright::solve::{Fault, Faulty, Solver, Z3};
use tracewright::synth::{Answer, Asked, Engine, Options, answer};
use tracewright::{model, syntax};

use crate::binary::tracewright as command;

/// Data that ranges alone do not decide: the solver is needed.
const TRANSFER: &str = "
sts Transfer {
  in deposit(n: 1..50), transfer(n: 1..99)
  out refused()
  var balance: Nat = 0, asked: Nat = 0
  initial location Idle
  location Asked
  Idle -> Idle : pay ?deposit(n) when n != 7 do balance := balance + n
  Idle -> Asked : ask ?transfer(n) when n * 2 != balance do asked := n
  Asked -> Idle : refuse !refused when asked > balance
}
purpose twice for Transfer { length <= 5   count(2, refuse) on fired   last(balance * balance) == 9 }
purpose never for Transfer { length <= 4   member(refuse) on fired   last(balance * balance) == 8 }
";

fn ask(purpose: &str, engine: Engine, fault: Option<Fault>) -> (Answer, Option<usize>, usize) {
    let (sources, errors) = syntax::Sources::from_text("transfer.tw", TRANSFER);
    assert!(errors.is_empty(), "{errors:?}");
    let (checked, _) = model::check(&sources);
    let declared = checked.purposes.iter().find(|p| p.tree.name.name == purpose).expect("a purpose");
    let Asked { system, lists, purpose } =
        Asked::new(&checked, declared, &[], declared.tree.span, None).expect("a sound purpose");
    let solver = move || -> Box<dyn Solver> {
        match fault {
            Some(fault) => Box::new(Faulty::new(Z3::new(0), fault)),
            None => Box::new(Z3::new(0)),
        }
    };
    let options = Options { engine, rounds: 1, ..Options::new(&solver) };
    let answered = answer(&system, &lists, &purpose, &options, &mut ()).expect("engines and interpreter agree");
    let shortest = answered.cases.first().map(|case| case.run.steps.len());
    (answered.answer, shortest, answered.statistics.solver_calls)
}

#[test]
fn answers_with_a_sound_solver() {
    for engine in [Engine::Symbolic, Engine::Unrolled] {
        let (found, steps, calls) = ask("twice", engine, None);
        assert_eq!((found, steps), (Answer::Found, Some(5)), "{engine:?}");
        assert!(calls > 0, "{engine:?} needs the solver here");
        assert_eq!(ask("never", engine, None).0, Answer::Impossible, "{engine:?}");
    }
}

#[test]
fn a_failing_solver_makes_no_wrong_answers() {
    for engine in [Engine::Symbolic, Engine::Unrolled] {
        for n in 1..=6 {
            for fault in [Fault::At(n), Fault::From(n)] {
                let (answer, steps, _) = ask("twice", engine, Some(fault));
                assert!(matches!(answer, Answer::Found | Answer::Unknown), "{engine:?} {fault:?}: {answer:?}");
                // What is found was replayed, so it is a run; one of another length than the shortest is no wrong answer.
                assert!(steps.is_none_or(|steps| steps <= 5), "{engine:?} {fault:?}");
                let (answer, ..) = ask("never", engine, Some(fault));
                assert!(matches!(answer, Answer::Impossible | Answer::Unknown), "{engine:?} {fault:?}: {answer:?}");
            }
        }
        assert_eq!(ask("twice", engine, Some(Fault::From(1))).0, Answer::Unknown, "{engine:?}");
        assert_eq!(ask("never", engine, Some(Fault::From(1))).0, Answer::Unknown, "{engine:?}");
    }
}

/// Some questions exceed the solver's work, others its methods; it has words of its own for that, which change.
#[test]
fn a_solver_that_gives_up_is_reported_in_our_words() {
    let text = "
sts Grow {
  in step(k: Int)
  var x: Int = 2, y: Int = 3, z: Real = 0.5
  initial location L
  L -> L : t ?step(k) when k * k * k == x * y + 1 do x := x * y + k, y := y * y * x - k
  L -> L : u ?step(k) when k > 0 do z := z * z + 0.25
}
purpose product for Grow { last(x * y) == 4   member(t) on fired   never(u) on fired }
purpose square for Grow { last(z) > 1.0   member(u) on fired   never(t) on fired }
";
    let path = format!("{}/gives_up.tw", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&path, text).expect("a file");
    let output = command(&["gen", &path, "--engine", "induction", "--json"]);
    assert_eq!(output.code, 3, "{}{}", output.stdout, output.stderr);
    let json: serde_json::Value = serde_json::from_str(&output.stdout).expect("one object");
    for purpose in json["purposes"].as_array().expect("purposes") {
        let reason = purpose["reason"].as_str().expect("a reason");
        assert!(reason.starts_with("the solver gave up"), "{reason}");
    }
}

#[test]
fn time_that_runs_out_is_exit_3() {
    let output = command(&["gen", "examples/blinkers.tw", "-p", "all_of(3)", "--time", "0", "--json"]);
    assert_eq!(output.code, 3, "{}{}", output.stdout, output.stderr);
    assert!(output.stdout.contains("\"unknown\"") && output.stdout.contains("--time"), "{}", output.stdout);
}

#[test]
fn an_interrupt_is_exit_3_with_what_was_found() {
    let purposes = ["-p", "everything", "-p", "off_at(20000)"];
    let process = Command::new(env!("CARGO_BIN_EXE_tracewright"))
        .args([&["gen", "examples/blinker.tw", "--engine", "unrolled", "--json"][..], &purposes].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    // The first is found at once; for the second the solver takes very long.
    std::thread::sleep(Duration::from_secs(2));
    let sent = Command::new("kill").args(["-INT", &process.id().to_string()]).status().expect("kill can be run");
    assert!(sent.success(), "it still runs");
    let output = process.wait_with_output().expect("it ends");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one object");
    assert_eq!(output.status.code(), Some(3), "{json}");
    let [first, second] = [0, 1].map(|number| &json["purposes"][number]);
    assert_eq!((&first["answer"], &first["cases"][0]["length"]), (&"found".into(), &9.into()));
    assert_eq!((&second["answer"], &second["reason"]), (&"unknown".into(), &"it was interrupted".into()));
}
