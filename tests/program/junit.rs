//! `--format junit`: the document is read by an XML reader, and says the same as `--json`.

use std::fs;
use std::path::{Path, PathBuf};

use roxmltree::{Document, Node};
use serde_json::{Value as Json, json};

use crate::binary::tracewright;

const LAMP: &str = "component Lamp {
  in press: Bool
  out bulb: 0..2
  var n: 0..2 = 0
  initial state S
  S -> S : up    when press?true && n < 2  do n := n + 1, bulb!(n + 1)
  S -> S : reset when press?true && n == 2 do n := 0, bulb!0
}
purpose bright for Lamp { member(bulb, 2) }
purpose dark for Lamp { never(bulb, 1) }
purpose reset_first for Lamp { first(fired) == reset   expect impossible }
";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("junit").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("lamp.tw"), LAMP).expect("a file");
    folder
}

fn write(folder: &Path, name: &str, json: &Json) -> String {
    let path = folder.join(name);
    fs::write(&path, json.to_string()).expect("a file");
    path.to_str().expect("a plain path").to_owned()
}

/// A test case of a report: its name, and the element inside it with its message and text.
type Reported = (String, Option<(String, String, String)>);

/// Reads a report; what its counts say is what it contains.
fn read(xml: &str) -> Vec<Reported> {
    let document = Document::parse(xml).unwrap_or_else(|error| panic!("{error}\n{xml}"));
    let suites = document.root_element();
    assert_eq!(suites.tag_name().name(), "testsuites");
    let elements = |node: Node<'_, '_>| node.children().filter(Node::is_element).count();
    assert_eq!(elements(suites), 1);
    let suite = suites.first_element_child().expect("a suite");
    let cases: Vec<Reported> = (suite.children().filter(Node::is_element))
        .map(|case| {
            assert_eq!(case.tag_name().name(), "testcase");
            assert!(case.attribute("classname").is_some_and(|class| class.starts_with("tracewright.")));
            let inside = case.first_element_child().map(|inside| {
                let message = inside.attribute("message").expect("a message").to_owned();
                (inside.tag_name().name().to_owned(), message, inside.text().unwrap_or_default().to_owned())
            });
            (case.attribute("name").expect("a name").to_owned(), inside)
        })
        .collect();
    let having = |name: &str| cases.iter().filter(|(_, inside)| inside.as_ref().is_some_and(|i| i.0 == name)).count();
    for node in [suites, suite] {
        let count = |name: &str| node.attribute(name).expect("a count").parse::<usize>().expect("a number");
        assert_eq!(count("tests"), cases.len());
        assert_eq!(count("failures"), having("failure"));
        assert_eq!(count("errors"), having("error"));
        assert_eq!(count("skipped"), having("skipped"));
    }
    cases
}

/// The report and the object of the same command, and the exit code, which is the same for both.
fn both(args: &[&str]) -> (Vec<Reported>, Json, i32) {
    let report = tracewright(&[args, &["--format", "junit"]].concat());
    let json = tracewright(&[args, &["--json"]].concat());
    assert_eq!(report.code, json.code, "{}", report.stderr);
    (read(&report.stdout), serde_json::from_str(&json.stdout).expect("JSON"), report.code)
}

fn element(reported: &Reported) -> &str {
    reported.1.as_ref().map_or("passed", |(name, ..)| name)
}

#[test]
fn a_test_case_for_each_trace() {
    let folder = folder("replay");
    let good = write(&folder, "good.json", &json!({ "steps": [{ "inputs": { "press": true } }] }));
    let name = "odd <&\"'> name.json";
    let bad =
        write(&folder, name, &json!({ "steps": [{}, { "inputs": { "press": true }, "fired": { "Lamp": "reset" } }] }));
    let model = folder.join("lamp.tw").display().to_string();
    let (cases, json, code) = both(&["replay", &model, &good, &bad]);
    assert_eq!(code, 1);
    assert_eq!(cases.len(), json["traces"].as_array().expect("traces").len());
    for (case, trace) in cases.iter().zip(json["traces"].as_array().expect("traces")) {
        assert_eq!(trace["trace"], case.0);
        let expected = if trace["accepted"] == true { "passed" } else { "failure" };
        assert_eq!(element(case), expected, "{trace}");
    }
    let (_, message, details) = cases[1].1.clone().expect("a failure");
    assert_eq!(message, "rejected at step 2");
    assert!(details.contains("`reset` of `Lamp` needs `n == 2` (n is 0)"), "{details}");
}

#[test]
fn what_cannot_be_decided_is_an_error() {
    let folder = folder("unknown");
    let file = folder.join("open.tw");
    fs::write(
        &file,
        "sts Any { out x(n: Int) var m: Int = any initial location A A -> A : !x(n) when n * n == m + 7 }",
    )
    .expect("a file");
    let trace = write(&folder, "trace.json", &json!({ "steps": [{ "gate": "x", "dir": "out" }] }));
    let (cases, json, code) = both(&["replay", file.to_str().expect("plain"), &trace]);
    assert_eq!((code, &json["traces"][0]["accepted"]), (3, &Json::Null));
    assert_eq!(element(&cases[0]), "error");
    let (_, message, _) = cases[0].1.clone().expect("an error");
    assert_eq!(message, format!("unknown: {}", json["traces"][0]["reason"].as_str().expect("a reason")));
}

#[test]
fn kept_sequences_are_test_cases() {
    let folder = folder("kept");
    let model = folder.join("lamp.tw").display().to_string();
    let trace = write(&folder, "up.json", &json!({ "steps": [{ "inputs": { "press": true } }] }));
    let kept = folder.join("kept").display().to_string();
    tracewright(&["keep", &model, &trace, "--out", &kept]).succeeds();
    let (cases, _, code) = both(&["replay", &model, &kept]);
    assert_eq!((code, element(&cases[0])), (0, "passed"));
    fs::write(folder.join("lamp.tw"), LAMP.replace("bulb!(n + 1)", "bulb!n")).expect("a file");
    let (cases, json, code) = both(&["replay", &model, &kept]);
    assert_eq!((code, element(&cases[0]), &json["traces"][0]["fits"]), (1, "failure", &json!(false)));
    let (_, message, details) = cases[0].1.clone().expect("a failure");
    assert_eq!(message, "broken at step 1");
    assert!(details.contains("differs: bulb was 1, is 0"), "{details}");
}

#[test]
fn a_test_case_for_the_model_and_each_purpose() {
    let folder = folder("monitor");
    let model = folder.join("lamp.tw").display().to_string();
    let press = json!({ "inputs": { "press": true }, "outputs": { "bulb": 1 }, "fired": { "Lamp": "up" } });
    let log = write(&folder, "log.jsonl", &press);
    let (cases, json, code) = both(&["monitor", &model, &log]);
    let purposes = json["purposes"].as_array().expect("purposes");
    assert_eq!(cases.len(), 1 + purposes.len());
    assert_eq!((cases[0].0.as_str(), element(&cases[0]), code), (log.as_str(), "passed", 1));
    let found: Vec<(&str, &str)> = cases[1..].iter().map(|case| (case.0.as_str(), element(case))).collect();
    // A purpose that is expected to fail, and does, passes.
    assert_eq!(found, [("bright", "skipped"), ("dark", "failure"), ("reset_first", "passed")]);
    let answers: Vec<&Json> = purposes.iter().map(|purpose| &purpose["answer"]).collect();
    assert_eq!(answers, ["open", "fails", "fails"]);
    assert_eq!(cases[2].1.as_ref().map(|(_, message, _)| message.as_str()), Some("fails at event 1 (line 1)"));
    let (cases, ..) = both(&["monitor", &model, &log, "--no-model", "-p", "dark"]);
    assert_eq!(cases.len(), 1);
}

#[test]
fn a_log_that_leaves_the_model_fails_with_its_event() {
    let folder = folder("rejected");
    let model = folder.join("lamp.tw").display().to_string();
    // A control character in the log must not break the document.
    let log = folder.join("l\u{1b}[31mog.jsonl").display().to_string();
    fs::write(&log, "{\"inputs\": {\"press\": true}, \"outputs\": {\"bulb\": 2}}\n").expect("a file");
    let (cases, json, code) = both(&["monitor", &model, &log, "-p", "bright"]);
    assert_eq!((code, json["accepted"].as_bool()), (1, Some(false)));
    assert!(cases[0].0.ends_with("l\\u{1b}[31mog.jsonl"), "{}", cases[0].0);
    let (name, message, _) = cases[0].1.clone().expect("a failure");
    assert_eq!(name, "failure");
    assert!(message.ends_with("rejected by `Lamp` at event 1 (line 1)"), "{message}");
}

#[test]
fn a_comparison_is_a_test_case() {
    let spec = "examples/quiescence.tw#Spec";
    let (cases, json, code) = both(&["conform", "examples/quiescence.tw#Wrong", spec]);
    assert_eq!((code, cases.len(), json["conforms"].as_bool()), (1, 1, Some(false)));
    assert_eq!(cases[0].0, "Wrong conforms to Spec");
    let (name, message, details) = cases[0].1.clone().expect("a failure");
    assert_eq!((name.as_str(), message.as_str()), ("failure", "Wrong does not conform to Spec"));
    assert!(details.contains("<- wrong"), "{details}");
    let (cases, _, code) = both(&["conform", "examples/quiescence.tw#Right", spec]);
    assert_eq!((code, element(&cases[0])), (0, "passed"));
}
