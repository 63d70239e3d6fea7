//! Whether properties hold: proofs by their kind, and shortest runs that break them, as the command says it.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value as Json;

use crate::binary::tracewright;

fn decided(model: &str, property: &str) -> (Json, i32) {
    static FILES: AtomicUsize = AtomicUsize::new(0);
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("property-{number}.tw"));
    std::fs::write(&path, model).expect("writable");
    of_file(path.to_str().expect("a plain path"), property)
}

fn of_file(file: &str, property: &str) -> (Json, i32) {
    let output = tracewright(&["check", "--json", file, "--property", property]);
    let json: Json = serde_json::from_str(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    (json["properties"][0].clone(), output.code)
}

#[test]
fn a_timer_rings_only_after_it_was_set() {
    for property in ["ring_after_set", "ring_after_set_inside"] {
        let (answer, exit) = of_file("examples/blinker.tw", property);
        assert_eq!((answer["answer"].as_str(), exit), (Some("holds"), 0), "{answer}");
        assert_eq!(answer["proofs"][0]["kind"], "induction");
    }
}

/// Numbers that grow without end: no search sees all of them.
#[test]
fn what_no_search_ends_is_proved_by_induction() {
    let model = "
sts Twice {
  in inc(), ask()
  out right(), wrong()
  var x: Int = 0, y: Int = 0
  initial location Idle
  location Asked
  Idle -> Idle : ?inc do x := x + 1, y := y + 2
  Idle -> Asked : ?ask
  Asked -> Idle : !right when y == 2 * x
  Asked -> Idle : !wrong when y != 2 * x
}
property p for Twice { formula { never wrong } }
";
    let (answer, exit) = decided(model, "p");
    assert_eq!((answer["answer"].as_str(), exit), (Some("holds"), 0), "{answer}");
    assert_eq!(answer["proofs"][0]["kind"], "induction");
}

#[test]
fn a_timer_that_takes_its_time_breaks_a_property_in_two_steps() {
    let (answer, exit) = of_file("examples/blinker.tw", "ring_at_once");
    assert_eq!((answer["answer"].as_str(), exit), (Some("broken"), 1), "{answer}");
    let steps = answer["counterexample"]["sequence"]["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 2);
    assert!(steps[0]["inputs"]["set"].as_i64().expect("a number") > 0);
    assert_eq!(steps[1]["fired"]["Timer"], "tick");
}

const DESK: &str = "
sts Desk {
  in ask(n: Nat)
  out say(n: Nat)
  var last: Nat = 0
  initial location Idle
  location Busy
  Idle -> Busy : ?ask(n) do last := n
  Busy -> Idle : !say(n) when n == last
}
";

fn answer_of(property: &str) -> (String, i32) {
    let (answer, exit) = decided(&format!("{DESK}property p for Desk {{ {property} }}\n"), "p");
    (answer["answer"].as_str().expect("an answer").to_owned(), exit)
}

#[test]
fn formulas_with_values_for_a_whole_run_are_decided() {
    let is = |text: &str, exit| (text.to_owned(), exit);
    assert_eq!(answer_of("formula { for all n: always (say(n) -> yesterday ask(n)) }"), is("holds", 0));
    assert_eq!(answer_of("formula { for all n: always (ask(n) -> next never ask(n)) }"), is("broken", 1));
    // Several values at once: whoever asks for one is not told another.
    assert_eq!(
        answer_of("formula { for all n in 0..9, m in 10..19: always (ask(n) -> next !say(m)) }"),
        is("holds", 0)
    );
    assert_eq!(
        answer_of("formula { for all n, m: always (ask(n) -> next (say(m) -> next !ask(m))) }"),
        is("broken", 1)
    );
}

/// What must happen one day is broken by no beginning of a run: that is no proof.
#[test]
fn what_must_happen_one_day_is_not_proved_by_looking_at_beginnings() {
    assert_eq!(answer_of("formula { for all n: always (ask(n) -> eventually say(n)) }"), ("unknown".to_owned(), 3));
    assert_eq!(answer_of("formula { never say && eventually ask }"), ("broken".to_owned(), 1));
}

/// One of two properties is enough; which one may differ from run to run, but not within one.
#[test]
fn one_of_several_properties_is_decided() {
    let either = "always last <= 5 or never last == 3";
    assert_eq!(answer_of(either), ("broken".to_owned(), 1));
    assert_eq!(answer_of("always last >= 0 or never last == 3"), ("holds".to_owned(), 0));
    assert_eq!(answer_of("after ask normal always ask not enabled unless say normal"), ("holds".to_owned(), 0));
    assert_eq!(
        answer_of("before say normal always say not enabled or always ask not enabled"),
        ("broken".to_owned(), 1)
    );
}
