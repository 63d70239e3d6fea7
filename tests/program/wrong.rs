//! Every file in `tests/wrong` has something wrong with it, and the exact diagnostics beside it in `.expected`.
//!
//! With `UPDATE_EXPECTED=1` the expected diagnostics are written anew; read them before you believe them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

use serde_json::Value as Json;
use tracewright::model::Problem;
use tracewright::syntax::SyntaxProblem;

/// Codes that `check` cannot give for a file in the folder; what gives them is tested where this list says.
const ELSEWHERE: &[(&str, &str)] = &[
    ("E0010", "the file is not text: tests/program/hostile.rs"),
    ("E0011", "the file is too large to keep here: tests/program/hostile.rs"),
    ("E0014", "thirty errors, then this: tests/program/hostile.rs"),
    ("E0601", "a model is needed only to run it: below"),
    ("E0602", "which model is meant matters only to run it: below"),
    ("E0605", "about traces: below"),
    ("E0606", "about --values: below"),
    ("E0607", "about --values: below"),
    ("E0608", "about logs: below"),
    ("E0709", "which purpose is meant matters only to `gen`: below"),
    ("E0714", "which purpose is meant matters only to `gen`: below"),
    ("E0717", "about --all: below"),
    ("E0737", "about tests of a property: below"),
    ("E0738", "about --property: below"),
    ("E0801", "about two models: tests/program/conformance.rs"),
    ("E0802", "about two models: tests/program/conformance.rs"),
    ("E0803", "about two models: tests/program/conformance.rs"),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrong")
}

/// Runs the program inside the folder, so that messages show short paths.
fn tracewright(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tracewright"))
        .args(arguments)
        .current_dir(folder())
        .env("NO_COLOR", "1")
        .output()
        .expect("the program starts")
}

fn json(output: &Output) -> Json {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

/// `line:column code message`, with the help on a line of its own.
fn listing(diagnostics: &Json) -> String {
    let one = |d: &Json| {
        let text = |key: &str| d[key].as_str().unwrap_or_default().to_owned();
        let help = d["help"].as_str().map(|help| format!("  help: {help}\n")).unwrap_or_default();
        format!("{}:{} {} {}\n{help}", d["line"], d["column"], text("code"), text("message"))
    };
    diagnostics.as_array().into_iter().flatten().map(one).collect()
}

/// Names of the models in the folder, without their ending.
fn models() -> Vec<String> {
    let files = fs::read_dir(folder()).expect("the folder exists").map(|entry| entry.expect("readable").path());
    let mut names: Vec<String> = files
        .filter(|path| path.extension().is_some_and(|e| e == "tw"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    names
}

#[test]
fn every_wrong_model_gets_exactly_the_expected_messages() {
    let update = env::var_os("UPDATE_EXPECTED").is_some();
    let mut different = vec![];
    for name in models() {
        let output = tracewright(&["check", "--json", &format!("{name}.tw")]);
        let json = json(&output);
        let warns = name.starts_with("warns_");
        let (key, exit) = if warns { ("findings", 0) } else { ("errors", 2) };
        assert_eq!(output.status.code(), Some(exit), "{name}: {json}");
        let found = listing(&json[key]);
        assert!(!found.is_empty(), "{name}: nothing is reported");
        let expected = folder().join(format!("{name}.expected"));
        if update {
            fs::write(&expected, &found).expect("writable");
        } else if fs::read_to_string(&expected).unwrap_or_default() != found {
            different.push(format!("---- {name}.tw\n{found}"));
        }
    }
    assert!(different.is_empty(), "these differ from what is expected:\n{}", different.concat());
}

#[test]
fn expected_messages_have_a_model() {
    let models: BTreeSet<String> = models().into_iter().collect();
    for entry in fs::read_dir(folder()).expect("the folder exists") {
        let path = entry.expect("readable").path();
        let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
        assert!(models.contains(stem), "{} belongs to no model", path.display());
    }
}

#[test]
fn every_code_is_given_by_some_model() {
    let mut given = BTreeSet::new();
    for name in models() {
        let json = json(&tracewright(&["check", "--json", &format!("{name}.tw")]));
        let diagnostics = ["errors", "findings"].into_iter().flat_map(|key| json[key].as_array().cloned());
        given.extend(diagnostics.flatten().filter_map(|d| Some(d["code"].as_str()?.to_owned())));
    }
    let all = Problem::CODES.iter().chain(SyntaxProblem::CODES);
    let missing: Vec<&&str> =
        all.filter(|code| !given.contains(**code) && ELSEWHERE.iter().all(|(known, _)| known != *code)).collect();
    assert!(missing.is_empty(), "no model gives {missing:?}");
    let needless: Vec<_> = ELSEWHERE.iter().filter(|(code, _)| given.contains(*code)).collect();
    assert!(needless.is_empty(), "a model gives {needless:?}");
}

/// The codes and the exit code of a command.
fn codes(arguments: &[&str]) -> (Vec<String>, Option<i32>) {
    let output = tracewright(arguments);
    let errors = json(&output)["errors"].as_array().cloned().unwrap_or_default();
    (errors.iter().map(|e| e["code"].as_str().unwrap_or_default().to_owned()).collect(), output.status.code())
}

#[test]
fn codes_of_commands_that_run_a_model() {
    let one = |code: &str| (vec![code.to_owned()], Some(2));
    assert_eq!(codes(&["simulate", "--json", "--steps", "1", "warns_unreachable_case.tw"]), one("E0601"));
    assert_eq!(codes(&["simulate", "--json", "--steps", "1", "warns_unreachable_node.tw"]), one("E0602"));
    assert_eq!(codes(&["replay", "--json", "warns_never_used.tw", "warns_never_used.tw"]), one("E0605"));
    assert_eq!(codes(&["monitor", "--json", "warns_never_used.tw", "warns_never_used.tw"]), one("E0608"));
    assert_eq!(codes(&["explore", "--json", "--values", "Int=[1 / 0]", "warns_never_used.tw"]), one("E0606"));
    assert_eq!(codes(&["explore", "--json", "warns_never_used.tw"]), one("E0607"));
    let of_property = ["check", "--json", "warns_property_of_a_formula.tw", "--property"];
    assert_eq!(codes(&["gen", "--json", "warns_property_of_a_formula.tw", "-p", "in_turn"]), one("E0737"));
    assert_eq!(codes(&[&of_property[..], &["lit"]].concat()), one("E0738"));
    assert_eq!(codes(&[&of_property[..], &["in_tur"]].concat()), one("E0709"));
}

#[test]
fn codes_of_gen() {
    let one = |code: &str| (vec![code.to_owned()], Some(2));
    assert_eq!(codes(&["gen", "--json", "-p", "arrives", "warns_unreachable_node.tw"]), one("E0709"));
    assert_eq!(codes(&["gen", "--json", "warns_never_used.tw"]), one("E0714"));
    assert_eq!(codes(&["gen", "--json", "-p", "leaves", "warns_unreachable_node.tw#Lamp"]), one("E0715"));
    assert_eq!(codes(&["gen", "--json", "-p", "shortest_off", "--all", "../../examples/blinker.tw"]), one("E0717"));
}

#[test]
fn a_message_shows_the_place() {
    let output = tracewright(&["check", "unknown_name.tw"]);
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stderr), @r#"
    [E0101] Error: `summ` is not declared
       ╭─[ unknown_name.tw:6:45 ]
       │
     6 │   Ready -> Ready : add when add?n do sum := summ + n, total!sum
       │                                             ──┬─
       │                                               ╰─── `summ` is not declared
       │
       │ Help: did you mean `sum`?
    ───╯
    "#);
}

#[test]
fn a_second_declaration_shows_the_first() {
    let output = tracewright(&["check", "same_function_twice.tw"]);
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stderr), @r#"
    [E0102] Error: `f` is declared twice
       ╭─[ same_function_twice.tw:2:5 ]
       │
     2 │ fun f(x: Bool): Bool = !x
       │     ┬
       │     ╰── `f` is declared twice
       │
       ├─[ same_function_twice.tw:2:5 ]
       │
     1 │ fun f(x: Int): Int = x + 1
       │     ┬
       │     ╰── first declared here
       │
       │ Help: rename one of them
    ───╯
    "#);
}
