//! What people ask for: purposes of the examples, with the answers they must have.

use serde_json::Value as Json;

use crate::binary::tracewright as run;

fn generated(args: &[&str]) -> (i32, Json) {
    let output = run(&[&["gen"], args, &["--json"]].concat());
    let json =
        serde_json::from_str(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}{}", output.stdout, output.stderr));
    (output.code, json)
}

/// One purpose of the blinker: exit code and its part of the answer.
fn blinker(purpose: &str, more: &[&str]) -> (i32, Json) {
    let (code, json) = generated(&[&["examples/blinker.tw", "-p", purpose], more].concat());
    (code, json["purposes"][0].clone())
}

/// Step and value of the interval with which the blinker starts.
fn start(case: &Json) -> (usize, i64) {
    let steps = case["sequence"]["steps"].as_array().expect("steps");
    let step = steps.iter().position(|step| step["fired"]["b"] == "start").expect("a start");
    (step + 1, steps[step]["inputs"]["interval"].as_i64().expect("an interval"))
}

fn cases(purpose: &Json) -> &Vec<Json> {
    purpose["cases"].as_array().expect("cases")
}

#[test]
fn off_after_seven_steps_has_nine_cases() {
    let (code, purpose) = blinker("off_at(7)", &["--all"]);
    assert_eq!(code, 0);
    let starts: Vec<(usize, i64)> = cases(&purpose).iter().map(start).collect();
    assert_eq!(starts, [(1, 1), (1, 2), (1, 3), (2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (4, 0)]);
    for case in cases(&purpose) {
        let (step, interval) = start(case);
        let said: Vec<&str> = case["constraints"].as_array().expect("lines").iter().filter_map(Json::as_str).collect();
        assert_eq!(said[step - 1], format!("interval@{step}: {interval}"));
        // Later intervals are ignored, so anything will do.
        assert!(said[step..].iter().all(|line| line.ends_with(": _")), "{said:?}");
    }
}

#[test]
fn the_number_of_cases_grows_as_computed_elsewhere() {
    for (steps, count) in [(12, 36), (16, 70), (30, 276)] {
        let (_, purpose) = blinker(&format!("off_at({steps})"), &["--all"]);
        assert_eq!(cases(&purpose).len(), count, "off_at({steps})");
    }
}

#[test]
fn shortest_runs_are_shortest() {
    for (purpose, steps, interval) in [("shortest_off", 4, 0), ("everything", 9, 1), ("lamp_five", 13, 2)] {
        for engine in ["auto", "symbolic", "unrolled"] {
            let (code, found) = blinker(purpose, &["--engine", engine]);
            assert_eq!(
                (code, &found["answer"], &found["optimal"]),
                (0, &"found".into(), &true.into()),
                "{purpose} {engine}"
            );
            assert_eq!(found["cases"][0]["length"], steps, "{purpose} by {engine}");
            assert_eq!(start(&found["cases"][0]).1, interval, "{purpose} by {engine}");
        }
    }
}

#[test]
fn one_case_for_each_class() {
    let (code, purpose) = blinker("classes", &[]);
    assert_eq!(code, 0);
    let said: Vec<&Json> = cases(&purpose).iter().map(|case| &case["constraints"][0]).collect();
    assert_eq!(said, ["interval@1: -1", "interval@1: 0", "interval@1: 1", "interval@1: 2..10", "interval@1: > 10"]);
    let classes: Vec<&Json> = cases(&purpose).iter().map(|case| &case["class"]).collect();
    assert_eq!(classes, ["-1", "0", "1", "2..10", "> 10"]);
}

#[test]
fn impossible_is_proved_and_explained() {
    let (code, order) = blinker("wrong_order", &[]);
    assert_eq!((code, &order["answer"], &order["proof"]["kind"]), (0, &"impossible".into(), &"control".into()));
    assert_eq!(order["conflict"], serde_json::json!(["before(switchOn, switchOff) on b.fired"]));
    let (code, negative) = blinker("negative_timeout", &[]);
    assert_eq!(
        (code, &negative["answer"], &negative["proof"]["kind"]),
        (0, &"impossible".into(), &"exhaustion".into())
    );
    assert_eq!(negative["conflict"].as_array().map(Vec::len), Some(1));
    let (_, late) = blinker("late_negative", &[]);
    assert_eq!((&late["answer"], &late["cases"][0]["length"]), (&"found".into(), &3.into()));
}

#[test]
fn data_of_a_queue() {
    let (code, json) = generated(&["examples/queue.tw", "-p", "shown"]);
    assert_eq!(code, 0, "{json}");
    let steps = json["purposes"][0]["cases"][0]["sequence"]["steps"].as_array().expect("steps").clone();
    let record = &steps[1]["data"]["record"];
    let name = record["name"].as_str().expect("a name");
    assert!(name.len() >= 2 && name.starts_with(|c: char| c.is_ascii_uppercase()), "{name}");
    assert!(record["amount"].as_i64() > Some(100), "{record}");
    let (code, json) = generated(&["examples/queue.tw", "-p", "second_first"]);
    assert_eq!((code, &json["purposes"][0]["answer"]), (0, &"impossible".into()), "{json}");
}

#[test]
fn several_blinkers_cost_no_more_solver_calls() {
    let calls = |k: usize| {
        let (code, json) = generated(&["examples/blinkers.tw", "-p", &format!("all_of({k})"), "--engine", "unrolled"]);
        assert_eq!((code, &json["purposes"][0]["cases"][0]["length"]), (0, &9.into()), "{k} blinkers");
        json["stats"]["solver_calls"].as_u64().expect("a number")
    };
    let (one, two) = (calls(1), calls(2));
    assert!(two <= 2 * one, "{one} for one, {two} for two");
}

#[test]
fn unbounded_enumeration_asks_for_a_number() {
    let output = run(&["gen", "examples/blinker.tw", "-p", "shortest_off", "--all"]);
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("--max"), "{}", output.stderr);
    let (code, purpose) = blinker("shortest_off", &["--all", "--max", "5"]);
    assert_eq!((code, cases(&purpose).len()), (0, 5));
}

/// Numbers whose origin is forgotten: a timer on its own, and a total of open inputs.
const FORGETFUL: &str = "
component Timer {
  in set: Int
  out timeout: Bool
  var t: Int = 0
  initial state Wait
  state Run
  Wait -> Run : set when set?n do t := n
  Run -> Wait : timeout when t == 0 do timeout!true
  Run -> Run : tick when t > 0 do t := t - 1
}
sts Counter {
  in add(n: Nat)
  var sum: Nat = 0
  initial location S
  S -> S : ?add(n) do sum := sum + n
}
purpose runs_out for Timer { sequence([tick, tick, timeout]) on fired }
purpose below for Timer { member(t == -1 && fired == tick) }
purpose jump for Counter { length 3   last(sum) == 100   always(sum <= 50 || sum > 60) }
purpose gap for Counter { last(sum) == 100   always(sum <= 50) }
";

/// A model that never stops, and a purpose that it never meets: all cases are none, and that is known.
#[test]
fn enumerating_what_is_impossible_ends() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("all_of_none");
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let model = folder.join("l.tw");
    let text = "component L { in a: 0..3\n  initial state S\n  state T\n  S -> T : never when a?x && x > 5\n}\n\
                purpose p for L { member(never) on fired }\n";
    std::fs::write(&model, text).expect("a file");
    for engine in ["auto", "symbolic", "explicit"] {
        let args = [model.to_str().expect("a plain path"), "--all", "--max", "2", "--time", "60", "--engine", engine];
        let (code, json) = generated(&args);
        assert_eq!((code, &json["purposes"][0]["answer"]), (1, &Json::from("impossible")), "{engine}");
    }
}

#[test]
fn numbers_whose_origin_is_forgotten() {
    let file = std::env::temp_dir().join(format!("tracewright-forgetful-{}.tw", std::process::id()));
    std::fs::write(&file, FORGETFUL).expect("a temporary file");
    let path = file.to_str().expect("a path");
    for (purpose, answer, steps) in [
        ("runs_out", "found", Some(4)),
        ("below", "impossible", None),
        ("jump", "found", Some(3)),
        ("gap", "impossible", None),
    ] {
        let (_, json) = generated(&[path, "-p", purpose, "--engine", "symbolic"]);
        let purpose_json = &json["purposes"][0];
        assert_eq!(purpose_json["answer"], answer, "{purpose}: {json}");
        assert_eq!(purpose_json["cases"][0]["length"].as_u64(), steps, "{purpose}");
    }
    std::fs::remove_file(&file).expect("it is still there");
}
