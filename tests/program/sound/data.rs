//! Descriptions of data, and data that is chosen.

use serde_json::Value;

use super::Asked;

/// What is said of the only case of a purpose.
fn said(asked: &Asked, purpose: &str) -> Vec<String> {
    let answer = asked.json("gen", &["-p", purpose]);
    let lines = answer["purposes"][0]["cases"][0]["constraints"].as_array().expect("a list");
    lines.iter().map(|line| line.as_str().expect("a text").to_owned()).collect()
}

/// The cases of a purpose.
fn cases(asked: &Asked, purpose: &str, more: &[&str]) -> Vec<Value> {
    let answer = asked.json("gen", &[&["-p", purpose][..], more].concat());
    answer["purposes"][0]["cases"].as_array().expect("a list").clone()
}

/// The events of a case as text.
fn events(case: &Value) -> String {
    case["sequence"]["steps"].to_string()
}

#[test]
fn fixed_fields_of_constructors_are_said() {
    let model = "type Shape = Dot | Circle(r: Int)
        sts M { in g(z: Option<Int>), h(l: List<Int>), k(s: Shape)  initial location L  location K
        L -> K : a ?g(z) when (match z { None => true, Some(n) => n == 5 })
        L -> K : b ?h(l) when forall x in l: x == 7
        L -> K : c ?k(s) when (match s { Dot => true, Circle(r) => r == 1 })
        L -> K : d ?g(z) when (match z { None => false, Some(n) => n == 5 }) }
        purpose pa for M { last(fired) == a }
        purpose pb for M { last(fired) == b }
        purpose pc for M { last(fired) == c }
        purpose pd for M { last(fired) == d }";
    let asked = Asked::new("fixed_fields_of_constructors_are_said", model);
    assert_eq!(said(&asked, "pa"), ["g.z@1: None or Some(5)"]);
    assert_eq!(said(&asked, "pb"), ["h.l@1: any number of elements, each 7"]);
    assert_eq!(said(&asked, "pc"), ["k.s@1: Dot or Circle(1)"]);
    assert_eq!(said(&asked, "pd"), ["g.z@1: Some(5)"]);
}

#[test]
fn the_type_of_an_input_that_others_determine_is_not_said() {
    let model =
        "sts M { in put(a: 0..3, b: 0..3)  out say(y: 0..7)  var v: Int = 1  initial location A  location B, C, D
        A -> B : one ?put(a, b) when v <= b do v := a + b
        B -> C : two !say(y) when y == v do v := y
        C -> D : three ?put(a, b) when b == v + 1 }
        purpose p for M { last(state) == D }";
    let asked = Asked::new("the_type_of_an_input_that_others_determine_is_not_said", model);
    let said = said(&asked, "p");
    assert!(!said.iter().any(|line| line.contains("<= 2")), "{said:?}");
}

#[test]
fn what_is_taken_after_a_hidden_step_is_not_refused() {
    let model = "sts M { in a(x: 0..3), b()  initial location L  location K, J
        L -> K : t0 tau  L -> J : t1 ?b  K -> J : t2 ?a(x) when x > 1 }
        purpose q for M { last(fired) == t1 }";
    let asked = Asked::new("what_is_taken_after_a_hidden_step_is_not_refused", model);
    for case in cases(&asked, "q", &["--negative"]) {
        let is_first = case["sequence"]["steps"].as_array().expect("steps").is_empty();
        assert!(!is_first || !case["refused"].to_string().contains("\"a\""), "{case}");
    }
}

#[test]
fn pairs_and_boundaries_have_each_constructor() {
    let model = "sts M { in g(z: Option<0..2>, b: Bool)  initial location L  location K  L -> K : a ?g(z, b) }
        purpose p for M { last(fired) == a }";
    let asked = Asked::new("pairs_and_boundaries_have_each_constructor", model);
    assert_eq!(cases(&asked, "p", &["--data", "pairwise"]).len(), 8);
    let boundary = cases(&asked, "p", &["--data", "boundary"]);
    assert!(boundary.iter().any(|case| events(case).contains("Some")), "{boundary:?}");
    assert!(boundary.iter().any(|case| events(case).contains("None")), "{boundary:?}");
}

#[test]
fn exhaustive_data_meets_the_purpose_in_every_way() {
    let model =
        "component C { in x: Bool  var v: 0..3 = 0  initial state S  S -> S : g when x?y do v := if y then v else 2 }
        purpose p for C { length 2  exactly([g, g]) on fired  last(v) == 2 }";
    let asked = Asked::new("exhaustive_data_meets_the_purpose_in_every_way", model);
    // Of four pairs all but the one in which nothing sets the variable.
    assert_eq!(cases(&asked, "p", &["--data", "exhaustive", "--all"]).len(), 3);
}

#[test]
fn all_maps_over_few_keys_are_listed() {
    let model = "component C { in a: Map<0..1, Bool> initial state S  S -> S : t0 when a?m }
        sts G { in a(m: Map<0..1, Bool>)  initial location I  I -> I : t0 ?a(m) }
        sts V { in a()  var m: Map<0..1, Bool> = any  initial location I  I -> I : t0 ?a }
        purpose of_component for C { length 1 member(fired, t0) }
        purpose gate for G { length 1 }
        purpose variable for V { length 1 }";
    let asked = Asked::new("all_maps_over_few_keys_are_listed", model);
    // Each of two keys is missing, false or true.
    for purpose in ["of_component", "gate", "variable"] {
        let answer = asked.json("gen", &["-p", purpose, "--data", "exhaustive"]);
        let answer = &answer["purposes"][0];
        assert_eq!(answer["cases"].as_array().map(Vec::len), Some(9), "{purpose}: {answer}");
        assert_eq!((&answer["notes"], &answer["reason"]), (&Value::Null, &Value::Null), "{purpose}");
    }
}

/// A switch with many parameters of five values each, whose sum is given.
fn many_parameters(count: usize, sum: usize) -> String {
    let named = |text: &dyn Fn(usize) -> String| (0..count).map(text).collect::<Vec<_>>();
    let (typed, plain) = (named(&|n| format!("x{n}: 0..4")).join(", "), named(&|n| format!("x{n}")));
    format!(
        "sts S {{ in a({typed})  out o(y: 0..9)  initial location I  location J, K
         I -> J : t0 ?a({}) when {} == {sum}
         J -> K : t1 !o(y) when y == 3 }}
         purpose q for S {{ member(fired, t1) }}",
        plain.join(", "),
        plain.join(" + ")
    )
}

#[test]
fn data_that_time_does_not_suffice_for_is_not_all_there_is() {
    let asked = Asked::new("data_that_time_does_not_suffice_for_is_not_all_there_is", &many_parameters(60, 100));
    let output = asked.run("gen", &["--data", "exhaustive", "--negative", "--time", "1", "--json"]);
    let answer: Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(output.code, 3, "{}", output.stderr);
    let reason = answer["purposes"][0]["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("--time"), "{answer}");
}

#[test]
fn combinations_that_are_too_many_are_counted_before_they_are_made() {
    let asked = Asked::new("combinations_that_are_too_many_are_counted_before_they_are_made", &many_parameters(40, 40));
    let output = asked.run("gen", &["--data", "one", "--negative", "--time", "60", "--json"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
}

/// The inputs of a case, and what is refused after them.
fn test_of(case: &Value) -> String {
    format!("{} {}", case["sequence"]["steps"], case["refused"])
}

#[test]
fn what_an_input_gives_back_is_not_chosen() {
    let model = "sts M { in g(x: 0..1): 0..2, h(x: 0..1): 0..2  initial location L  location K, J
        L -> K : t ?g(x): y when y <= x
        L -> J : u ?h(x): y when y == x }
        purpose p for M { last(fired) == t }
        purpose q for M { last(fired) == u }";
    let asked = Asked::new("what_an_input_gives_back_is_not_chosen", model);
    for purpose in ["p", "q"] {
        for data in ["boundary", "classes", "pairwise", "random=5", "exhaustive"] {
            let cases = cases(&asked, purpose, &["--data", data, "--negative"]);
            let inside = cases.iter().filter(|case| case["leaves_at"].is_null() && case["refused"].is_null());
            let mut inputs: Vec<i64> =
                inside.map(|case| case["sequence"]["steps"][0]["data"]["x"].as_i64().expect("an input")).collect();
            inputs.sort_unstable();
            assert_eq!(inputs, [0, 1], "{purpose}, {data}");
            // Every value is taken, so that nothing lies outside.
            assert!(cases.iter().all(|case| case["leaves_at"] != 1 || !case["refused"].is_null()), "{purpose}, {data}");
        }
    }
}

#[test]
fn a_negative_test_with_several_reasons_comes_once() {
    let model = "sts M { in h(x: 0..1)  initial location A  location B, C
        A -> B : t ?h(x) when x > 0
        B -> C : u ?h(0) }
        purpose p for M { last(fired) == u }";
    let asked = Asked::new("a_negative_test_with_several_reasons_comes_once", model);
    let tests: Vec<String> = cases(&asked, "p", &["--negative"]).iter().map(test_of).collect();
    let different: std::collections::BTreeSet<&String> = tests.iter().collect();
    assert!(tests.len() > 2 && different.len() == tests.len(), "{tests:#?}");
}

#[test]
fn reasons_for_data_are_true_of_sets_and_maps() {
    let model = "sts M { in g(m: Set<0..1>), h(m: Map<0..1, 0..1>)  initial location L  location K
        L -> K : one ?g(m) when size(m) == 1
        L -> K : two ?h(m) when 0 in m && m[0] == 1 }
        purpose p for M { last(fired) == one }
        purpose q for M { last(fired) == two }";
    let asked = Asked::new("reasons_for_data_are_true_of_sets_and_maps", model);
    let output = asked.run("gen", &["--data", "boundary"]);
    for wrong in
        ["size(g.m@1) == 2, where `one` fires", "g.m[0]@1 == g.m[1]@1,", "value0@1 == 2", "no least", "no greatest"]
    {
        assert!(!output.stdout.contains(wrong), "{wrong}\n{}", output.stdout);
    }
}

#[test]
fn pairs_have_both_ends_and_something_between() {
    let model = "sts M { in g(x: 0..9, b: Bool), h(x: Int, y: 0..9)  initial location L  location K
        L -> K : one ?g(x, b)
        L -> K : two ?h(x, y) when x % 3 == 2 && x * x < 30 }
        purpose p for M { last(fired) == one }
        purpose q for M { last(fired) == two }";
    let asked = Asked::new("pairs_have_both_ends_and_something_between", model);
    for (purpose, ends) in [("p", [0, 9]), ("q", [-4, 5])] {
        for seed in ["0", "1", "2"] {
            let cases = cases(&asked, purpose, &["--data", "pairwise", "--seed", seed]);
            let values: std::collections::BTreeSet<i64> =
                cases.iter().map(|case| case["sequence"]["steps"][0]["data"]["x"].as_i64().expect("x")).collect();
            let (least, greatest) = (values.first().copied(), values.last().copied());
            assert_eq!([least, greatest], ends.map(Some), "{purpose}, seed {seed}");
            assert_eq!(values.len(), 3, "{purpose}, seed {seed}: {values:?}");
        }
    }
}

#[test]
fn data_by_chance_meets_every_shape() {
    let model = "sts M { in h(w: Option<0..1>, k: List<0..1>)  initial location L
        L -> L : c ?h(w, k) when size(k) <= 2 }
        purpose p for M { length 1 }";
    let asked = Asked::new("data_by_chance_meets_every_shape", model);
    // Three options, and seven lists.
    assert_eq!(cases(&asked, "p", &["--data", "exhaustive"]).len(), 21);
    for seed in ["0", "1", "2"] {
        let shape = |case: &Value| {
            let data = &case["sequence"]["steps"][0]["data"];
            (data["w"].to_string(), data["k"].as_array().map(Vec::len))
        };
        let shapes: std::collections::BTreeSet<_> =
            cases(&asked, "p", &["--data", "random=30", "--seed", seed]).iter().map(shape).collect();
        assert_eq!(shapes.len(), 9, "seed {seed}: {shapes:?}");
    }
}

#[test]
fn constructors_with_data_that_the_first_run_lacks_are_drawn() {
    let model = "type Sh = P | Q(i: Int) | W
        sts M { in h(x: Sh), k(x: List<Int>)  initial location A
        A -> A : t ?h(x) when match x { P => true, Q(i) => i > 100 && i < 103, W => true }
        A -> A : u ?k(x) when size(x) <= 1 && (forall i in x: i > 100 && i < 103) }
        purpose p for M { length 1  last(fired) == t }
        purpose q for M { length 1  last(fired) == u }";
    let asked = Asked::new("constructors_with_data_that_the_first_run_lacks_are_drawn", model);
    for seed in ["0", "1", "2", "3"] {
        for (purpose, count) in [("p", 4), ("q", 3)] {
            let drawn = cases(&asked, purpose, &["--data", "random=30", "--seed", seed]);
            assert_eq!(
                drawn.len(),
                count,
                "{purpose}, seed {seed}: {:?}",
                drawn.iter().map(events).collect::<Vec<_>>()
            );
        }
    }
}

#[test]
fn negative_tests_come_beside_the_run_that_meets_the_purpose() {
    let model = "sts M { in h(x: 0..9)  initial location A  location B
        A -> B : t0 ?h(x) when x == 1
        A -> A : t4 ?h(x) }
        purpose p for M { member(t0) on fired }";
    let asked = Asked::new("negative_tests_come_beside_the_run_that_meets_the_purpose", model);
    for data in ["one", "boundary", "classes", "pairwise", "random=3", "exhaustive"] {
        let cases = cases(&asked, "p", &["--data", data, "--negative"]);
        assert_eq!(cases[0]["sequence"]["steps"][0]["data"]["x"], 1, "{data}: {cases:?}");
        assert!(cases[0]["leaves_at"].is_null() && cases.len() == 3, "{data}: {cases:?}");
    }
}

#[test]
fn members_of_sets_are_named_in_their_order() {
    let model = "sts M { in g(s: Set<0..1>, y: 0..1)  initial location A  location B, C
        A -> B : t ?g(s, y) when size(s) != 1
        A -> C : u ?g(s, y) when y in s && size(s) == 2 }
        purpose p for M { last(fired) == t }
        purpose q for M { last(fired) == u }";
    let asked = Asked::new("members_of_sets_are_named_in_their_order", model);
    let output = asked.run("gen", &["--data", "boundary"]);
    for wrong in ["g.s[0]@1 == g.s[1]@1 + 1", "greatest g.s[0]@1; greatest g.s[1]@1"] {
        assert!(!output.stdout.contains(wrong), "{wrong}\n{}", output.stdout);
    }
    // The first of two members is the smaller one.
    assert!(!output.stdout.lines().any(|line| line.contains("{0, 1}") && line.contains("g.s[0]@1 == g.y@1 + 1")));
}
