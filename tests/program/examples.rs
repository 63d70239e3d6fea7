//! What the examples must show: sizes of state spaces and runs that were computed independently, by hand or by other
//! programs. Each line is a claim.

use std::path::Path;

use serde_json::{Value as Json, json};

use crate::binary::tracewright;

/// The JSON that a command prints when it ends as wished.
fn json_of(args: &[&str]) -> Json {
    let output = tracewright(args);
    assert_eq!(output.code, 0, "{args:?}: {}", output.stderr);
    serde_json::from_str(&output.stdout).expect("one JSON object")
}

/// States and transitions of a model.
fn size(model: &str) -> (u64, u64) {
    let json = json_of(&["explore", model, "--json"]);
    assert_eq!(json["complete"], true, "{model}");
    (json["states"].as_u64().unwrap(), json["transitions"].as_u64().unwrap())
}

#[test]
fn publishers_and_subscribers() {
    assert_eq!(size("examples/pubsub.tw#PubSub(1)"), (4, 5));
    assert_eq!(size("examples/pubsub.tw#PubSub(2)"), (9, 16));
    assert_eq!(size("examples/pubsub.tw#PubSub(3)"), (16, 33));
    assert_eq!(size("examples/pubsub.tw#PubSub(3, 3)"), (64, 171));
    assert_eq!(size("examples/pubsub.tw#PubSub(bound: 1, subscribers: 3)"), (8, 13));
    assert_eq!(size("examples/pubsub.tw#PubSub(2, data: {\"foo\", \"bar\"})"), (27, 54));
    assert_eq!(size("examples/pubsub.tw#PubSub(3, data: {\"foo\", \"bar\"})"), (83, 190));
}

#[test]
fn cash_machine_and_bank() {
    assert_eq!(size("examples/atm.tw#ATM({10}, {1})"), (16, 18));
    assert_eq!(size("examples/atm.tw#ATM({10}, {1, 2})"), (18, 21));
    assert_eq!(size("examples/atm.tw#ATM({5, 10}, {1, 2})"), (29, 36));
    assert_eq!(size("examples/atm.tw#ATM({3}, {1})"), (30, 34));
}

#[test]
fn leader_in_a_ring() {
    assert_eq!(size("examples/leader_ring.tw#R1(10)"), (24, 52));
    assert_eq!(size("examples/leader_ring.tw#R1(15)"), (24, 52));
    assert_eq!(size("examples/leader_ring.tw#R1(20)"), (18, 39));
    assert_eq!(size("examples/leader_ring.tw#R2(10)"), (105, 259));
    assert_eq!(size("examples/leader_ring.tw#R2(20)"), (90, 222));
}

#[test]
fn counter_that_locks() {
    assert_eq!(size("examples/counter.tw#Counter"), (17, 25));
}

#[test]
fn lists_in_two_forms() {
    assert_eq!(size("examples/list.tw#AbstractList"), (40, 199));
    assert_eq!(size("examples/list.tw#AbstractList(2)"), (13, 51));
    assert_eq!(size("examples/list.tw#ArrayList"), (108, 675));
    assert_eq!(size("examples/list.tw#ArrayList(2)").0, 27);
}

#[test]
fn stopwatch_has_a_state_for_each_mode_and_time() {
    assert_eq!(size("examples/stopwatch.tw#Stopwatch(5, 3)").0, 4 * 5 * 3);
    assert_eq!(size("examples/stopwatch.tw#Stopwatch(10, 6)").0, 4 * 10 * 6);
}

/// The blinker with interval 1 at step 1, as the definition of the components says.
#[test]
fn blinker_with_interval_one() {
    let run = json_of(&["simulate", "examples/blinker.tw", "--inputs", "examples/blinker_interval1.json", "--json"]);
    let steps = run["steps"].as_array().unwrap();
    let fired = |instance: &str, name: &str| -> Vec<usize> {
        (1..=9).filter(|i| steps[i - 1]["fired"][instance] == name).collect()
    };
    assert_eq!(fired("b", "start"), [1]);
    assert_eq!(fired("t", "set"), [2, 6]);
    assert_eq!(fired("t", "tick"), [3, 7]);
    assert_eq!(fired("t", "timeout"), [4, 8]);
    assert_eq!(fired("b", "switchOff"), [5]);
    assert_eq!(fired("b", "switchOn"), [9]);
    let lamp: Vec<&Json> = steps.iter().map(|step| &step["outputs"]["lamp"]).collect();
    let (absent, on, off) = (json!(null), json!(true), json!(false));
    assert_eq!(lamp, [&absent, &absent, &on, &on, &on, &on, &off, &off, &off]);
}

/// Every example is in the one style, and reads the same after printing.
#[test]
fn examples_are_formatted_and_have_no_findings() {
    for file in models() {
        tracewright(&["fmt", "--check", &file]).succeeds();
        tracewright(&["check", "--strict", &file]).succeeds();
    }
}

/// Random runs of every example belong to it, under several seeds; the same seed gives the same run.
#[test]
fn random_runs_replay() {
    let folder = tempdir("random_runs");
    for file in models() {
        let models = json_of(&["check", &file, "--json"])["models"].as_array().unwrap().clone();
        for model in models {
            let name = match model.as_str().unwrap() {
                "PubSub" => "PubSub(2)",
                "Session" => "Session({10}, {1})",
                other => other,
            };
            let model = format!("{file}#{name}");
            for seed in ["1", "2"] {
                let args = ["simulate", &model, "--steps", "12", "--seed", seed, "--json"];
                let run = tracewright(&args);
                let again = tracewright(&args);
                assert_eq!(run.stdout, again.stdout, "{model}");
                let trace = folder.join("run.json");
                std::fs::write(&trace, &run.stdout).unwrap();
                let replay = tracewright(&["replay", &model, trace.to_str().unwrap()]);
                assert_eq!(replay.code, 0, "{model} seed {seed}: {}{}", replay.stdout, replay.stderr);
            }
        }
    }
}

fn models() -> Vec<String> {
    let mut files: Vec<String> = std::fs::read_dir("examples")
        .unwrap()
        .map(|entry| entry.unwrap().path().to_str().unwrap().to_owned())
        .filter(|path| path.ends_with(".tw"))
        .collect();
    files.sort();
    assert!(files.len() >= 10);
    files
}

fn tempdir(name: &str) -> std::path::PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}
