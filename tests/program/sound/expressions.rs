//! The meaning of expressions: order, and when there is a value.

use super::Asked;

#[test]
fn the_upper_bound_of_a_range_matters_only_above_the_lower_one() {
    let asked = Asked::new(
        "the_upper_bound_of_a_range_matters_only_above_the_lower_one",
        "sts S {
           in go(x: Int)
           var y: Int = 0, hit: Bool = false
           initial location a
           a -> a : ?go(x) when !(x in 5..(10 / y)) do hit := true
         }
         property never for S { always (!hit) }
         sts Above {
           in go(x: Int)
           var y: Int = 0, hit: Bool = false
           initial location a
           a -> a : ?go(x) when x >= 5 && !(x in 5..(10 / y)) do hit := true
         }
         property never_above for Above { always (!hit) }
         sts Below {
           in go(x: Int)
           var y: Int = 0, hit: Bool = false
           initial location a
           a -> a : ?go(x) when !(x in (10 / y)..5) do hit := true
         }
         property never_below for Below { always (!hit) }
         sts Spec {
           in go(x: Int)
           out yes()
           var y: Int = 0
           initial location a
           location b
           a -> b : ?go(x) when true
           b -> a : !yes()
         }
         sts Imp {
           in go(x: Int)
           out yes(), no()
           var y: Int = 0
           initial location a
           location b
           location c
           a -> b : ?go(x) when x >= 5
           a -> c : ?go(x) when x < 5 && !(x in 5..(10 / y))
           b -> a : !yes()
           c -> a : !no()
         }",
    );
    asked.broken("never");
    asked.holds("never_above");
    asked.holds("never_below");
    asked.conforms("#Imp", "#Spec", &["--complete", "ignore"], false);
}

#[test]
fn quantifiers_over_open_sets_run_in_the_order_of_values() {
    let asked = Asked::new(
        "quantifiers_over_open_sets_run_in_the_order_of_values",
        "sts E {
           in go(a: Int, b: Int)
           var hit: Bool = false
           initial location l
           l -> l : ?go(a, b) when a == 0 && (exists x in {a, b}: 10 / x == -5) do hit := true
         }
         property never_e for E { always (!hit) }
         sts F {
           in go(a: Int, b: Int)
           var hit: Bool = false
           initial location l
           l -> l : ?go(a, b) when a == 0 && !(forall x in {a, b}: 10 / x != -5) do hit := true
         }
         property never_f for F { always (!hit) }
         sts After {
           in go(a: Int, b: Int)
           var hit: Bool = false
           initial location l
           l -> l : ?go(a, b) when a == 0 && (exists x in {a, b}: 10 / x == 5) do hit := true
         }
         property never_after for After { always (!hit) }
         sts Keys {
           in go(a: Int, b: Int)
           var hit: Bool = false
           initial location l
           l -> l : ?go(a, b) when a == 0 && (exists x in {a: 1, b: 2}: 10 / x == -5) do hit := true
         }
         property never_keys for Keys { always (!hit) }
         type Colour = Red | Green | Blue
         fun half(c: Colour): Int = match c { Red => 2, Green => 1 / 0, Blue => 3 }
         sts Colours {
           in go(a: Colour, b: Colour)
           var hit: Bool = false
           initial location l
           l -> l : ?go(a, b) when b == Green && (exists c in {b, a}: half(c) == 2) do hit := true
         }
         property never_red for Colours { always (!hit) }
         sts Blues {
           in go(a: Colour, b: Colour)
           var hit: Bool = false
           initial location l
           l -> l : ?go(a, b) when b == Green && (exists c in {b, a}: half(c) == 3) do hit := true
         }
         property never_blue for Blues { always (!hit) }",
    );
    asked.broken("never_e");
    asked.broken("never_f");
    asked.holds("never_after");
    asked.broken("never_keys");
    asked.broken("never_red");
    asked.holds("never_blue");
}

#[test]
fn of_equal_keys_over_an_open_set_the_greatest_member_counts() {
    let asked = Asked::new(
        "of_equal_keys_over_an_open_set_the_greatest_member_counts",
        "sts S {
           in go(a: Int, b: Int)
           var v: Int = 0, low: Bool = false, high: Bool = false
           initial location l
           location e
           l -> e : ?go(a, b) when a != b do
             low := {0: x for x in {a, b}}[0] == min(a, b),
             high := {0: x for x in {b, a}}[0] == max(a, b) && b < a
         }
         property never_low for S { always (!low) }
         property never_high for S { always (!high) }
         sts Filtered {
           in go(a: Int, b: Int)
           var low: Bool = false
           initial location l
           location e
           l -> e : ?go(a, b) when a != b do low := (let m = {0: x for x in {a, b} if x < 5}; 0 in m && m[0] == min(a, b))
         }
         property never_filtered for Filtered { always (!low) }
         sts Listed {
           in go(a: Int, b: Int)
           var l: List<Int> = [], m: List<Int> = []
           initial location at
           location e
           at -> e : ?go(a, b) do l := [x for x in {a, b}], m := values({a: 1, b: 2})
         }
         property ascending for Listed { always (size(l) < 2 || l[0] < l[1]) }
         property never_twice for Listed { always (size(l) == size(m)) }
         property one_then_two for Listed { always (m != [2, 1]) }",
    );
    asked.holds("never_low");
    asked.broken("never_high");
    asked.broken("never_filtered");
    asked.holds("ascending");
    asked.holds("never_twice");
    asked.broken("one_then_two");
}

#[test]
fn writes_to_maps_are_of_their_type_only_if_they_last() {
    let asked = Asked::new(
        "writes_to_maps_are_of_their_type_only_if_they_last",
        "sts S {
           in go(a: 0..9, b: 0..9)
           var m: Map<0..9, 0..9> = {}
           initial location l
           l -> l : equal ?go(a, b) when a == b do m := put(put(m, a, 100), b, 3)
         }
         purpose written for S { length 1 }
         sts Other {
           in go(a: 0..9, b: 0..9)
           var m: Map<0..9, 0..9> = {}
           initial location l
           l -> l : ?go(a, b) when a != b do m := put(put(m, a, 100), b, 3)
         }
         purpose outside for Other { length 1 }
         sts Removed {
           in go(a: 0..9, b: 0..9)
           var m: Map<0..9, 0..9> = {}
           initial location l
           l -> l : ?go(a, b) do m := remove(put(m, a, 100), b)
         }
         purpose removed for Removed { length 1 }
         sts Unlike {
           in go(a: 0..9, b: 0..9)
           var m: Map<0..9, 0..9> = {}
           initial location l
           l -> l : ?go(a, b) when a != b do m := remove(put(m, a, 100), b)
         }
         purpose unlike for Unlike { length 1 }
         sts Keys {
           in go(a: 0..20, b: 0..20)
           var m: Map<0..9, 0..9> = {}
           initial location l
           l -> l : ?go(a, b) when a > 9 do m := remove(put(m, a, 1), b)
         }
         purpose key for Keys { length 1 }",
    );
    asked.found("written", 1);
    asked.impossible("outside");
    asked.found("removed", 1);
    asked.impossible("unlike");
    asked.found("key", 1);
}

#[test]
fn functions_may_be_declared_after_the_types_that_use_them() {
    let asked = Asked::new(
        "functions_may_be_declared_after_the_types_that_use_them",
        "type One = Int where same(it) == 1
         const C: One = 1
         fun same(x: Int): Int = x
         sts S {
           in go()
           var v: One = 1
           initial location l
           l -> l : ?go() do v := C
         }
         purpose once for S { length 1 }",
    );
    asked.found("once", 1);
}

/// A command ends with exit code 3, and says that a limit of evaluation was hit.
fn hits_a_limit(asked: &Asked, command: &str, more: &[&str]) {
    let output = asked.run(command, more);
    let said = format!("{}{}", output.stdout, output.stderr);
    assert_eq!(output.code, 3, "{command} {more:?}: {said}");
    assert!(said.contains("grows beyond"), "{command} {more:?}: {said}");
}

#[test]
fn values_that_pass_a_limit_leave_the_answer_unknown() {
    let asked = Asked::new(
        "values_that_pass_a_limit_leave_the_answer_unknown",
        "sts S { in a()  var n: Int = 2  initial location I  I -> I : t0 ?a do n := n * n }
         sts Open { in a()  var n: Int = 2  var x: 2..9 = any  initial location I  I -> I : t0 ?a do n := n * n * x }
         sts Late { in a()  var n: Int = 2  var k: 0..18 = 0  initial location I  location J
           I -> I : t0 ?a when k < 17 do n := n * n, k := k + 1
           I -> J : t1 ?a when k == 17 }
         component L { in a: Bool  var l: List<Int> = [1]  initial state S  S -> S : t0 do l := l ++ l }
         purpose within for S { length 15 }
         purpose number for S { length 17 }
         purpose open for Open { length 15 }
         purpose list for L { length 22 }",
    );
    asked.found("within", 15);
    for purpose in ["number", "list"] {
        hits_a_limit(&asked, "gen", &["-p", purpose]);
    }
    hits_a_limit(&asked, "gen", &["-p", "open", "--engine", "symbolic"]);
    for engine in ["symbolic", "explicit", "unrolled"] {
        hits_a_limit(&asked, "gen", &["-p", "number", "--engine", engine]);
    }
    let late = Asked { path: asked.named("#Late").into() };
    for engine in ["symbolic", "explicit"] {
        hits_a_limit(&late, "cover", &["--of", "transitions", "--engine", engine]);
    }
}
