//! Conformance of whole models by the command line: known verdicts, shortest counterexamples, proofs, messages.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use crate::binary::{Output, tracewright};

const IMPLEMENTATIONS: &str = "examples/supplier_implementations.tw";
const SUPPLIER: &str = "examples/supplier.tw#Supplier";

fn conform(arguments: &[&str]) -> (Json, i32) {
    let output = tracewright(&[&["conform", "--json"], arguments].concat());
    let json = serde_json::from_str(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    (json, output.code)
}

fn file(name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("conformance");
    fs::create_dir_all(&folder).expect("a folder for models");
    let path = folder.join(name);
    fs::write(&path, text).expect("writable");
    path
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// `?rq(0, 1)` of a step.
fn shown(step: &Json) -> String {
    let gate = step["gate"].as_str().unwrap_or("tick");
    let mark = match step["dir"].as_str() {
        Some("in") => "?",
        Some("out") => "!",
        _ => "",
    };
    format!("{mark}{gate}")
}

/// The gates of a counterexample, the observation last.
fn gates(answer: &Json) -> String {
    let found = &answer["counterexample"];
    let steps = found["trace"].as_array().expect("a trace");
    steps.iter().chain([&found["observed"]]).map(shown).collect::<Vec<_>>().join(".")
}

/// The implementation has the run of a counterexample, and the specification does not.
fn replays(answer: &Json, implementation: &[&str], specification: &str, name: &str) {
    let trace = file(&format!("{name}.json"), &answer.to_string());
    let run = |model: &[&str]| tracewright(&[&["replay"], model, &[path(&trace)]].concat());
    assert_eq!(run(implementation).code, 0, "{name}: {answer}");
    assert_eq!(run(&[specification]).code, 1, "{name}: {answer}");
}

#[test]
fn implementations_of_the_supplier() {
    let expected = [
        ("I0", None),
        ("I1", None),
        ("I2", None),
        ("I3", None),
        ("M1", Some("?rq.!gq")),
        ("M2", Some("?rq.!gq")),
        ("M3", Some("?rq.!gq")),
        ("M4", Some("?rq.!gq.?ord.delta")),
        ("M5", Some("?rq.!gq.?ord.!confirm")),
        ("M6", Some("?rq.delta")),
        ("M7", Some("?rq.!gq.?ord.!confirm.?rq.delta")),
        ("M8", Some("!cancel")),
        ("M9", Some("?rq.delta")),
        ("M10", Some("?rq.!gq.?ord.!confirm.!cancel")),
    ];
    for (name, expected) in expected {
        let implementation = format!("{IMPLEMENTATIONS}#{name}");
        let (answer, code) = conform(&[&implementation, SUPPLIER]);
        match expected {
            None => {
                assert_eq!((&answer["conforms"], &answer["complete"], code), (&json!(true), &json!(true), 0), "{name}");
                assert_eq!(answer["proof"]["kind"], "exhaustion", "{name}");
            }
            Some(expected) => {
                assert_eq!((&answer["conforms"], code), (&json!(false), 1), "{name}");
                assert_eq!(gates(&answer), expected, "{name}");
                assert_eq!(answer["depth"], expected.split('.').count() - 1, "{name}");
                replays(&answer, &[&implementation], SUPPLIER, name);
            }
        }
    }
}

#[test]
fn what_is_wrong_after_five_steps_is_not_seen_after_four() {
    let deaf = format!("{IMPLEMENTATIONS}#M7");
    let (answer, code) = conform(&[&deaf, SUPPLIER, "--depth", "4"]);
    let expected = (&json!(true), &json!(4), &json!(false), &json!(null), 0);
    assert_eq!(
        (&answer["conforms"], &answer["depth"], &answer["complete"], &answer["proof"], code),
        expected,
        "{answer}"
    );
    let (answer, code) = conform(&[&deaf, SUPPLIER, "--depth", "5"]);
    assert_eq!((&answer["conforms"], &answer["depth"], code), (&json!(false), &json!(5), 1));
}

#[test]
fn silence_in_the_middle_of_a_trace_counts() {
    let (answer, code) = conform(&["examples/quiescence.tw#Wrong", "examples/quiescence.tw#Spec"]);
    assert_eq!((gates(&answer).as_str(), code), ("?a.delta.?a.!z", 1));
    replays(&answer, &["examples/quiescence.tw#Wrong"], "examples/quiescence.tw#Spec", "quiescence");
    let (answer, code) = conform(&["examples/quiescence.tw#Right", "examples/quiescence.tw#Spec"]);
    assert_eq!((&answer["complete"], code), (&json!(true), 0));
}

#[test]
fn a_counterexample_says_what_was_allowed_and_which_guard_forbids() {
    let (answer, _) = conform(&[&format!("{IMPLEMENTATIONS}#M5"), SUPPLIER]);
    let found = &answer["counterexample"];
    assert_eq!(found["allowed"], json!(["!confirm(ref) with ref == 1", "!cancel(ref) with ref == 1"]));
    assert_eq!(found["forbidden_by"][0]["transition"], "l4.confirm.1");
    assert_eq!(found["forbidden_by"][0]["part"], "ref == r");
    let chart = tracewright(&["conform", &format!("{IMPLEMENTATIONS}#M5"), SUPPLIER, "--format", "mermaid"]);
    assert_eq!(chart.code, 1);
    assert!(chart.stdout.contains("\nsequenceDiagram\n"), "{}", chart.stdout);
    assert!(chart.stdout.contains("    env->>M5: ord(1)\n"), "{}", chart.stdout);
}

/// Two models in one file, both called from it.
fn compared(name: &str, text: &str, arguments: &[&str]) -> Output {
    let file = file(&format!("{name}.tw"), text);
    let (implementation, specification) = (format!("{}#Impl", path(&file)), format!("{}#Spec", path(&file)));
    tracewright(&[&["conform", &implementation, &specification], arguments].concat())
}

const UNBOUNDED: &str = "
sts Spec {
  in inc()
  out total(n: Nat)
  var t: Nat = 0
  initial location l
  location m
  l -> m : ?inc do t := t + 1
  m -> l : !total(n) when n == t
}
";

#[test]
fn data_that_grows_is_proved_by_a_relation() {
    let same = UNBOUNDED.replace("Spec", "Impl").replace("m -> l", "m -> m : ?inc\n  m -> l");
    let twice = "
sts Impl {
  in inc()
  out total(n: Nat)
  var a: Nat = 0, b: Nat = 0
  initial location l
  location m
  l -> m : ?inc do a := a + 2, b := b + 1
  m -> m : ?inc
  m -> l : !total(n) when n + b == a
}
";
    for (name, implementation, kind) in [("same", same.as_str(), "simulation"), ("twice", twice, "induction")] {
        let output = compared(name, &format!("{UNBOUNDED}{implementation}"), &["--json"]);
        let answer: Json = serde_json::from_str(&output.stdout).expect("JSON");
        assert_eq!((&answer["complete"], output.code), (&json!(true), 0), "{name}");
        assert_eq!(answer["proof"]["kind"], kind, "{name}");
    }
}

#[test]
fn lock_step_systems_are_compared_tick_by_tick() {
    let blinker = fs::read_to_string("examples/blinker.tw").expect("the example");
    let (answer, code) = conform(&["examples/blinker.tw#Blinking", "examples/blinker.tw#Blinking"]);
    assert_eq!((&answer["complete"], code), (&json!(true), 0));
    // A driver that shows the new value at once.
    let eager = file(
        "eager.tw",
        &blinker.replace("lamp!last if seen\n  Ready -> Ready : transf", "lamp!v\n  Ready -> Ready : transf"),
    );
    let implementation = format!("{}#Blinking", path(&eager));
    let (answer, code) = conform(&[&implementation, "examples/blinker.tw#Blinking"]);
    assert_eq!(code, 1, "{answer}");
    // Two whole ticks before, and the inputs of the third.
    assert_eq!(answer["depth"], 3);
    assert!(answer["counterexample"]["observed"]["outputs"].is_object(), "{answer}");
    replays(&answer, &[&implementation], "examples/blinker.tw#Blinking", "eager");
}

const DOOR: &str = "
sts Spec {
  in open(), close()
  out bell()
  initial location Closed
  location Ringing
  Closed -> Ringing : ?open
  Ringing -> Closed : !bell
}
sts Impl {
  in open(), close()
  out bell()
  initial location Closed
  location Ringing
  Closed -> Ringing : ?open
  Closed -> Closed : ?close
  Ringing -> Closed : !bell
}
";

#[test]
fn an_implementation_takes_every_input() {
    let output = compared("door", DOOR, &[]);
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("E0803"), "{}", output.stderr);
    assert!(output.stderr.contains("`?close()` is refused in `Ringing`, after `?open()`"), "{}", output.stderr);
    assert!(output.stderr.contains("--complete ignore"), "{}", output.stderr);
    assert_eq!(compared("door", DOOR, &["--complete", "ignore"]).code, 0);
    // The specification says nothing of a second input while it rings, so chaos after it is allowed.
    assert_eq!(compared("door", DOOR, &["--complete", "chaos"]).code, 0);
    let strict = DOOR.replace(
        "  Ringing -> Closed : !bell\n}\nsts Impl",
        "  Ringing -> Closed : !bell\n  Ringing -> Ringing : ?open\n}\nsts Impl",
    );
    assert_eq!(compared("strict", &strict, &["--complete", "ignore"]).code, 0);
    let output = compared("strict", &strict, &["--complete", "chaos", "--json"]);
    assert_eq!(output.code, 1, "{}", output.stdout);
    let answer: Json = serde_json::from_str(&output.stdout).expect("JSON");
    let file = file("strict.tw", &strict);
    let (implementation, specification) = (format!("{}#Impl", path(&file)), format!("{}#Spec", path(&file)));
    replays(&answer, &[&implementation, "--complete", "chaos"], &specification, "strict");
}

/// In chaos anything may be shown that the gates of the implementation carry, and nothing else.
#[test]
fn chaos_shows_what_the_types_of_its_gates_allow() {
    let text = |shown: &str, allowed: &str| {
        format!(
            "
const NONE = 0
sts Spec {{
  in a()
  out e(n: Int)
  initial location l
  location m
  l -> m : ?a
  m -> m : !e(n) when {allowed}
  m -> m : tau
}}
sts Impl {{
  in a()
  out e(n: {shown})
  initial location l
}}
"
        )
    };
    let chaos = ["--complete", "chaos"];
    // Nothing is in the type: nothing is shown.
    assert_eq!(compared("chaos_none", &text("1..NONE", "false"), &chaos).code, 0);
    assert_eq!(compared("chaos_in", &text("1..3", "n > 0 && n < 4"), &chaos).code, 0);
    let output = compared("chaos_out", &text("1..3", "n > 0 && n < 3"), &chaos);
    assert_eq!((output.code, output.stdout.contains("!e(3)  <- wrong")), (1, true), "{}", output.stdout);
    let output = compared("chaos_open", &text("Int", "n > 0"), &chaos);
    assert_eq!(output.code, 1, "{}", output.stdout);
}

/// An input that the implementation has no gate for does not end its chaos.
#[test]
fn chaos_goes_on_after_unknown_inputs() {
    let text = "
sts Spec {
  in a(), b()
  out x()
  initial location l
  location m, n, o
  l -> m : ?a
  m -> m : !x
  m -> o : tau
  o -> n : ?b
}
sts Impl {
  in a()
  out x()
  initial location l
}
";
    assert_eq!(compared("chaos_unknown", text, &["--complete", "chaos"]).code, 1);
    let known = text.replace("sts Impl {\n  in a()", "sts Impl {\n  in a(), b()");
    assert_eq!(compared("chaos_known", &known, &["--complete", "chaos"]).code, 1);
}

/// After `?a` the specification may be where `?b` leads to `!x`, or where it says nothing of `?b`.
#[test]
fn underspecified_inputs_count_for_ioco_and_not_for_uioco() {
    let text = "
sts Spec {
  in a(), b()
  out x(), y()
  initial location s
  location t, u, v, e
  s -> t : ?a
  s -> u : ?a
  t -> v : ?b
  v -> e : !x
}
sts Impl {
  in a(), b()
  out x(), y()
  initial location s
  location t, v, e
  s -> t : ?a
  t -> v : ?b
  v -> e : !y
}
";
    assert_eq!(compared("uioco", text, &["--complete", "ignore"]).code, 1);
    assert_eq!(compared("uioco", text, &["--complete", "ignore", "--uioco"]).code, 0);
}

#[test]
fn models_without_a_common_border_are_told_why() {
    let spec = "sts Spec {\n  in a(x: Int)\n  out b()\n  initial location l\n  l -> l : ?a(x)\n}\n";
    let turned = "sts Impl {\n  in b()\n  initial location l\n  l -> l : ?b\n}\n";
    let output = compared("turned", &format!("{spec}{turned}"), &[]);
    assert_eq!((output.code, output.stderr.contains("E0801")), (2, true), "{}", output.stderr);
    let other = "sts Impl {\n  in a(x: Bool)\n  initial location l\n  l -> l : ?a(x)\n}\n";
    let output = compared("other", &format!("{spec}{other}"), &[]);
    assert_eq!((output.code, output.stderr.contains("E0802")), (2, true), "{}", output.stderr);
    assert!(output.stderr.contains("(x: Bool) here and (x: Int) in the specification"), "{}", output.stderr);
}

/// Types of two files are the same where they are declared alike.
#[test]
fn models_of_two_files_speak_of_the_same_types() {
    let text = |first: &str, name: &str, shown: &str| {
        format!(
            "{first}type Colour = Red | Green\nsts {name} {{\n  in go()\n  out light(c: Colour)\n  initial location l\n  \
             location m\n  l -> m : ?go\n  m -> l : !light({shown})\n  m -> m : ?go\n}}\n"
        )
    };
    let spec = file("colour_spec.tw", &text("", "Spec", "Red"));
    for (shown, code) in [("Red", 0), ("Green", 1)] {
        // Another type comes first, so that the numbers of types differ.
        let implementation = file("colour_impl.tw", &text("type Other = X | Y | Z\n", "Impl", shown));
        let (answer, exit) = conform(&[path(&implementation), path(&spec)]);
        assert_eq!(exit, code, "{answer}");
        if code == 1 {
            assert_eq!(answer["counterexample"]["observed"]["data"]["c"], "Green");
        }
    }
}

#[test]
fn a_system_without_components_conforms_to_itself() {
    let path_of = file("empty.tw", "system Empty { }\n");
    let (answer, code) = conform(&[path(&path_of), path(&path_of)]);
    assert_eq!((&answer["conforms"], code), (&json!(true), 0), "{answer}");
}

/// Whether some data can be shown keeps a quantifier here: `if` has no simple form.
#[test]
fn what_the_solver_says_of_a_quantifier_counts() {
    let text = "sts Impl { in i()  out o(x: 0..2, y: 0..1)  initial location L0  location L1  L0 -> L1 : !o(x, y) }\n\
        sts Spec { in i()  out o(x: 0..2, y: 0..1)  initial location L0  location L1  L0 -> L1 : !o(x, y)\n\
        L1 -> L1 : !o(x, y) when y != 0 && (if x < 2 then x else y) < x }\n";
    let path_of = file("quantified.tw", text);
    for engine in ["auto", "symbolic", "explicit"] {
        let [ours, theirs] = ["Impl", "Spec"].map(|name| format!("{}#{name}", path(&path_of)));
        let (answer, code) = conform(&[&ours, &theirs, "--complete", "ignore", "--engine", engine]);
        assert_eq!((&answer["conforms"], code), (&json!(false), 1), "{engine}: {answer}");
        assert_eq!(gates(&answer), "!o.delta", "{engine}: {answer}");
    }
}
