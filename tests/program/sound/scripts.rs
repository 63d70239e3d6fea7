//! Tests as code.

use std::process::Command;

use super::Asked;

/// The tests that a command makes for pytest, from the first one on.
fn tests(asked: &Asked, command: &str, more: &[&str]) -> (String, String) {
    let output = asked.run(command, &[more, &["--format", "pytest"]].concat());
    assert_eq!(output.code, 0, "{}", output.stderr);
    let at = output.stdout.find("\ndef test_").expect("a test");
    (output.stdout[..at].to_owned(), output.stdout[at..].to_owned())
}

/// The lines of one call, up to its end.
fn call<'t>(tests: &'t str, begin: &str) -> &'t str {
    let from = tests.find(begin).unwrap_or_else(|| panic!("`{begin}` in {tests}"));
    let rest = &tests[from..];
    &rest[..rest.find("        # ").or(rest.find("    finally")).unwrap_or(rest.len())]
}

#[test]
fn a_limit_is_never_a_reason_to_fail() {
    let model = "sts M { in i(x: 0..2), j(x: 0..2)  out o(x: 0..2), p(x: 0..2)  var c: 0..2 = 0  initial location L0
        L0 -> L0 : t0 ?i(x) when c > 0  L0 -> L0 : t1 ?j(x) when x == c do c := c + 1  L0 -> L0 : t2 tau do c := 0
        L0 -> L0 : t3 !p(x) do c := x  L0 -> L0 : t4 !o(x) when c == 1  L0 -> L0 : t5 ?j(x) when x >= c do c := x }";
    let asked = Asked::new("a_limit_is_never_a_reason_to_fail", model);
    let (_, tests) = tests(&asked, "cover", &["--of", "pairs"]);
    // A hidden step or an early output may always lead to where `i` is refused.
    for line in tests.lines().filter(|line| line.contains("send(") && line.contains("\"i\"")) {
        assert!(line.contains("lenient=True"), "{line}");
    }
}

#[test]
fn scripts_keep_the_limits_of_the_user() {
    let model = "sts M { in i()  out p(x: -1..1)  var v: 0..2 = 1  initial location L  L -> L : t0 ?i
        L -> L : t1 !p(x) do v := v + x  L -> L : t2 !p(x) when v < v + v do v := 0 }
        purpose q for M { member(fired, t0) }";
    let asked = Asked::new("scripts_keep_the_limits_of_the_user", model);
    let (_, tests) = tests(&asked, "gen", &["--time", "20"]);
    assert!(tests.contains("send(sut, 1, \"i\""), "{tests}");
}

#[test]
fn what_time_does_not_allow_to_say_is_inconclusive() {
    let model = "sts M { in i(x: 0..2)  out o(x: 0..2)  var v: 0..2 = 0  initial location L  location K
        L -> K : a ?i(x) do v := x  K -> L : b !o(x) when x >= v }
        purpose q for M { last(fired) == b }";
    let asked = Asked::new("what_time_does_not_allow_to_say_is_inconclusive", model);
    // Without limits something else certainly fails.
    let (_, tests) = tests(&asked, "gen", &[]);
    assert!(!tests.contains("others=True") && !tests.contains("lenient"), "{tests}");
}

const COMPOSITE: &str =
    "sts M { in i(x: 0..2)  out m(m: Map<0..2, Bool>), s(s: Set<0..2>), l(l: List<0..9>), o(z: Option<0..2>)
    var v: 0..2 = 1
    initial location L  location K, J, I, H
    L -> K : t0 ?i(x) do v := x
    K -> J : t1 !s(s) when s == {v, 2}
    J -> I : t2 !m(m) when m == {v: true}
    I -> H : t3 !l(l) when l == [v, 0]
    H -> L : t4 !o(z) when z == Some(v) }
    purpose q for M { last(fired) == t4 }";

#[test]
fn sets_and_maps_that_the_model_forbids_fail() {
    let asked = Asked::new("sets_and_maps_that_the_model_forbids_fail", COMPOSITE);
    let (_, tests) = tests(&asked, "gen", &[]);
    for gate in ["s", "m", "l", "o"] {
        let begin = tests.find(&format!("\"{gate}\", {{")).expect("a call");
        let line = tests[begin..].lines().next().expect("a line");
        assert!(!line.contains("otherwise") && !line.contains("others"), "{line}");
    }
    assert!(!call(&tests, "expect(sut, 2").contains("lambda e: True"), "{tests}");
}

#[test]
fn kinds_inside_lists_options_and_maps_are_looked_at() {
    let asked = Asked::new("kinds_inside_lists_options_and_maps_are_looked_at", COMPOSITE);
    let (harness, _) = tests(&asked, "gen", &[]);
    let at = harness.find("def is_bool").expect("kinds");
    let kinds = &harness[at..harness.find("class Unordered").expect("their end")];
    let wrong = [
        ("l", "{'l': [True, False]}"),
        ("o", "{'z': ('Some', True)}"),
        ("o", "{'z': ('None', 1)}"),
        ("m", "{'m': {1: 1}}"),
        ("m", "{'m': {True: True}}"),
        ("s", "{'s': {True, 2}}"),
        ("s", "{'s': 1}"),
    ];
    let right = [
        ("l", "{'l': [1, 0]}"),
        ("o", "{'z': ('Some', 1)}"),
        ("o", "{'z': ('None',)}"),
        ("m", "{'m': {1: True}}"),
        ("s", "{'s': {1, 2}}"),
    ];
    let mut script = format!("from fractions import Fraction\n{kinds}\n");
    for (all, truth) in [(&wrong[..], "not "), (&right[..], "")] {
        for (gate, data) in all {
            script.push_str(&format!("assert {truth}fits_kinds(OBSERVED['{gate}'], {data}), {data:?}\n"));
        }
    }
    let output = Command::new("python3").args(["-c", &script]).output().expect("python3");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
