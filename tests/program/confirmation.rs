//! What a second way says of proofs: confirmed, attacked, or why not.

use serde_json::{Value as Json, json};

use crate::binary::{Output, tracewright};

/// A counter of any number of steps: one that ends, or one that counts on.
const COUNTERS: &str = "
sts Counter(n: Nat) {
  in up()
  var c: 0..1000000 = 0
  initial location l
  l -> l : ?up when c < n do c := c + 1
}
sts Adder {
  in add(x: Int)
  var sum: Int = 0
  initial location l
  l -> l : ?add(x) when x > 7 do sum := sum + x
}
purpose above(n: Nat) for Counter(n) { last(c) > n }
purpose seven for Adder { last(sum) == 7 }
property small for Counter(5) { always c <= 5 }
";

fn file(name: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("confirmation");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(format!("{name}.tw"));
    std::fs::write(&path, COUNTERS).expect("a file");
    path.to_str().expect("a plain path").to_owned()
}

fn json_of(output: &Output) -> Json {
    serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", output.stdout, output.stderr))
}

/// The proof that a purpose is impossible.
fn proof(name: &str, purpose: &str, flags: &[&str]) -> Json {
    let output = tracewright(&[&["gen", &file(name), "-p", purpose, "--json"][..], flags].concat());
    let json = json_of(&output);
    assert_eq!(json["purposes"][0]["answer"], "impossible", "{json}");
    json["purposes"][0]["proof"].clone()
}

#[test]
fn small_models_are_walked_through() {
    let proof = proof("small", "above(9)", &[]);
    assert_eq!(proof["confirmed_by"], json!({ "kind": "exhaustion", "states": 10 }));
    assert_eq!((&proof["attacked"], &proof["not_confirmed"]), (&Json::Null, &Json::Null));
}

#[test]
fn values_that_cannot_be_listed_are_tried() {
    let proof = proof("values", "seven", &[]);
    assert_eq!(proof["confirmed_by"], Json::Null);
    assert!(proof["attacked"]["states"].as_u64().expect("a number") > 10, "{proof}");
    assert_eq!(proof["not_confirmed"]["code"], "values");
}

#[test]
fn large_models_are_walked_through_on_request() {
    let small = proof("large", "above(20000)", &[]);
    assert_eq!(small["attacked"], json!({ "states": 10_001 }));
    assert_eq!(small["not_confirmed"]["code"], "states");
    let all = proof("larger", "above(20000)", &["--recheck"]);
    assert_eq!(all["confirmed_by"]["states"], 20_001);
    let none = proof("largest", "above(20000)", &["--no-recheck"]);
    assert_eq!((&none["confirmed_by"], &none["attacked"]), (&Json::Null, &Json::Null));
    assert_eq!(none["not_confirmed"]["code"], "off");
}

#[test]
fn both_flags_at_once_are_refused() {
    let output = tracewright(&["gen", &file("both"), "-p", "above(1)", "--recheck", "--no-recheck"]);
    assert_eq!(output.code, 2, "{}", output.stderr);
}

#[test]
fn it_is_said_to_people() {
    let said = |flags: &[&str]| tracewright(&[&["gen", &file("said"), "-p", "above(9)"][..], flags].concat()).stdout;
    assert!(said(&[]).contains("\n  confirmed by exhaustion of 10 states\n"), "{}", said(&[]));
    assert!(!said(&["--no-recheck"]).contains("confirmed"));
    let output = tracewright(&["gen", &file("said_too"), "-p", "seven"]);
    assert!(output.stdout.contains("\n  not contradicted by "), "{}", output.stdout);
}

#[test]
fn properties_comparisons_and_suites_are_confirmed_as_well() {
    let path = file("others");
    let property = json_of(&tracewright(&["check", &path, "--property", "small", "--json"]));
    assert_eq!(property["properties"][0]["proofs"][0]["confirmed_by"]["states"], 6, "{property}");
    let sides = [format!("{path}#Counter(3)"), format!("{path}#Counter(3)")];
    let comparison = json_of(&tracewright(&["conform", &sides[0], &sides[1], "--complete", "ignore", "--json"]));
    assert_eq!(comparison["proof"]["confirmed_by"]["states"], 4, "{comparison}");
    let suite = json_of(&tracewright(&["cover", &format!("{path}#Counter(0)"), "--of", "transitions", "--json"]));
    assert_eq!(suite["impossible"][0]["proof"]["confirmed_by"]["states"], 1, "{suite}");
}
