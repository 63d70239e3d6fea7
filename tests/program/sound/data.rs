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
