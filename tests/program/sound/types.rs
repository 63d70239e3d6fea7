//! Values outside their types.

use super::Asked;
use crate::binary::tracewright;

#[test]
fn a_record_changed_by_with_stays_in_its_refinement() {
    let asked = Asked::new(
        "with",
        "type P = { x: Int, y: Int }
         type R = P where it.x <= it.y
         sts A { in go(n: 0..9)
           var p: R = P(x: 0, y: 3)
           initial location L
           L -> L : ?go(n) do p := p with (x: n) }
         sts B { in go(), swap()
           var p: R = P(x: 0, y: 3), c: Bool = false
           initial location L
           L -> L : ?go() do p := (if c then p else P(x: 9, y: 1)) with (x: 1)
           L -> L : ?swap() do c := true }
         purpose seven for A { length 1  last(p.x) == 7 }
         purpose three for A { length 1  last(p.x) == 3 }
         purpose between for B { last(p.x) == 1 }
         property small for A { always p.x <= 3 }
         property smaller for A { always p.x <= 2 }",
    );
    asked.impossible("seven");
    asked.found("three", 1);
    // What is changed may be outside the refinement; what comes of it is not.
    asked.found("between", 1);
    asked.holds("small");
    asked.broken("smaller");
}

#[test]
fn a_field_inside_a_record_is_written_only_within_its_refinement() {
    let asked = Asked::new(
        "nested",
        "type P = { x: Int, y: Int }
         type R = P where it.x <= it.y
         type Q = { r: R, n: 0..3 }
         type W = { qs: List<Q>, m: Map<0..2, Q> }
         sts A { in go(n: 0..9)
           var q: Q = Q(r: P(x: 0, y: 3), n: 0)
           initial location L
           L -> L : ?go(n) do q.r.x := n + 1 }
         sts B { in both(n: 0..9)
           var q: Q = Q(r: P(x: 0, y: 3), n: 0)
           initial location L
           L -> L : ?both(n) do q.r.x := n, q.r.y := n }
         sts C { in list(n: 0..9), map(n: 0..9)
           var w: W = W(qs: [Q(r: P(x: 0, y: 3), n: 0)], m: {1: Q(r: P(x: 0, y: 2), n: 0)})
           initial location L
           L -> L : ?list(n) do w.qs[0].r.x := n
           L -> L : ?map(n) do w.m[1].r.x := n }
         purpose seven for A { length 1  last(q.r.x) == 7 }
         purpose three for A { length 1  last(q.r.x) == 3 }
         purpose together for B { last(q.r.x) == 7  last(q.r.y) == 7 }
         purpose list for C { length 1  last(w.qs[0].r.x) == 4 }
         purpose map for C { length 1  last(w.m[1].r.x) == 3 }
         purpose listed for C { length 1  last(w.qs[0].r.x) == 3 }
         purpose mapped for C { length 1  last(w.m[1].r.x) == 2 }
         property small for A { always q.r.x <= 3 }",
    );
    asked.impossible("seven");
    asked.found("three", 1);
    // Only what is there in the end counts.
    asked.found("together", 1);
    asked.impossible("list");
    asked.impossible("map");
    asked.found("listed", 1);
    asked.found("mapped", 1);
    asked.holds("small");
}

#[test]
fn data_of_an_output_has_its_fields_in_their_types() {
    let asked = Asked::new(
        "proposed",
        "type D = Big(n: 0..3) | Pair(l: D, r: Option<0..1>) | Small
         sts Spec { in go(v: 0..10)  out put(d: D)
           var v: 0..10 = 0
           initial location L  location M
           L -> M : ?go(x) do v := x
           M -> L : !put(Big(v)) }
         sts Impl { in go(v: 0..10)  out put(d: D)
           var v: 0..10 = 0
           initial location L  location M
           L -> M : ?go(x) do v := x
           M -> L : !put(Big(v)) when v < 4 }
         sts Deep { in go(v: 0..10)  out put(d: D)
           var v: 0..10 = 0
           initial location L  location M
           L -> M : ?go(x) do v := x
           M -> L : !put(Pair(Big(1), Some(v))) }
         purpose ten for Spec { last(gate) == put  member(v, 10) }
         purpose three for Spec { last(gate) == put  member(v, 3) }
         purpose two for Deep { last(gate) == put  member(v, 2) }
         purpose one for Deep { last(gate) == put  member(v, 1) }",
    );
    asked.impossible("ten");
    asked.found("three", 2);
    asked.impossible("two");
    asked.found("one", 2);
    asked.conforms("#Impl", "#Spec", &["--complete", "ignore"], true);
    asked.conforms("#Spec", "#Impl", &["--complete", "ignore"], true);
}

#[test]
fn what_is_put_into_a_collection_is_checked_unless_that_is_proven() {
    let asked = Asked::new(
        "collections",
        "const N = 3
         type Even = Int where it % 2 == 0
         sts Refined { in go()
           var l: List<Even> = [], s: Set<Even> = {}, m: Map<Even, Even> = {}
           initial location L
           L -> L : append ?go() when l == [] do l := append(l, 3)
           L -> L : insert ?go() when s == {} do s := insert(s, 3)
           L -> L : put ?go() when m == {} do m := put(m, 2, 3)
           L -> L : keyed ?go() when m == {} do m := put(m, 3, 2) }
         sts Shadowed { in go(x: 0..9)
           var l: List<0..3> = [], k: List<0..N> = []
           initial location L
           L -> L : hidden ?go(x) when x < 3 && x > 0 do l := (let x = 100; append(l, x))
           L -> L : constant ?go(x) do k := (let N = 100; append(k, N))
           L -> L : looped ?go(x) when x < 3 do l := [head(append(l, x)) for x in [100]]
           L -> L : member ?go(x) when (exists x in (x + 1)..9: append(l, x) == [x]) do l := l }
         sts Circular { in go()
           var l: List<0..3> = []
           initial location L
           L -> L : ?go() do l := append(l, head(append(l, 100))) }
         sts Fraction { in go(i: 0..9)
           var r: Real = 2.5, l: List<0..1> = []
           initial location L
           L -> L : ?go(i) when i < r && r < 3 do l := append(l, i) }
         sts Right { in go(x: 0..9)
           var l: List<0..3> = []
           initial location L
           L -> L : ?go(x) when x < 3 && l == [] do l := append(l, x + 1) }
         purpose appended for Refined { length 1  member(fired, append) }
         purpose inserted for Refined { length 1  member(fired, insert) }
         purpose given_to for Refined { length 1  member(fired, put) }
         purpose keyed for Refined { length 1  member(fired, keyed) }
         purpose hidden for Shadowed { length 1  member(fired, hidden) }
         purpose constant for Shadowed { length 1  member(fired, constant) }
         purpose circular for Circular { length 1 }
         purpose two for Fraction { length 1  last(l) == [2] }
         purpose one for Fraction { length 1  last(l) == [1] }
         purpose right for Right { length 1  last(l) == [3] }
         property none for Refined { always (l == [] && s == {} && m == {}) }
         property empty for Shadowed { always (l == [] && k == []) }",
    );
    for purpose in ["appended", "inserted", "given_to", "keyed", "hidden", "constant", "circular", "two"] {
        // Lists may grow without end, so one engine alone seldom knows.
        asked.impossible(purpose);
    }
    asked.found("one", 1);
    asked.found("right", 1);
    asked.holds("none");
    asked.holds("empty");
}

#[test]
fn messages_of_components_are_in_their_types() {
    let asked = Asked::new(
        "messages",
        "type P = { x: 0..9, y: 0..9 }
         type R = P where it.x <= it.y
         component A { in n: 0..9  out r: R
           var p: R = P(x: 0, y: 3)
           state S  initial state I
           I -> I : send when n?k do r!(p with (x: k))
           I -> S : end when n?absent }
         purpose four for A { member(fired, send)  first(n) == 4  length 1 }
         purpose three for A { member(fired, send)  first(n) == 3  length 1 }",
    );
    asked.impossible("four");
    asked.found("three", 1);
}

#[test]
fn a_bound_without_a_value_is_outside() {
    let asked = Asked::new(
        "bounds",
        "sts A(n: Int = 0) { in go(x: 0..(10 / n)), other()
           var c: 0..5 = 0
           initial location L
           L -> L : ?go(x) do c := 1
           L -> L : ?other() when c < 2 do c := 2 }
         purpose go for A { last(c) == 1 }
         purpose other for A { last(c) == 2 }",
    );
    let (answer, _) = asked.answer("go", &[]);
    assert!(["impossible", "unknown"].contains(&answer.as_str()), "{answer}");
    assert_eq!(asked.answer("other", &[]), ("found".to_owned(), Some(1)));
}

#[test]
fn a_type_found_by_an_equation_about_itself_is_not_listed() {
    let asked = Asked::new(
        "square",
        "type Sq = Int where it == it * it
         type Five = Int where 5 == it
         type Never = Int where it == 1 / 0
         sts A { in go(s: Sq)
           var v: Sq = 0
           initial location L
           L -> L : ?go(s) do v := s }
         sts B { in go(s: Five)
           var v: Int = 0
           initial location L
           L -> L : ?go(s) do v := s }
         sts C { in no(n: Never), go()
           var v: Int = 0
           initial location L
           L -> L : ?no(n) do v := 7
           L -> L : ?go() do v := 1 }
         purpose one for A { last(v) == 1 }
         purpose two for A { length 1  last(v) == 2 }
         purpose five for B { length 1  last(v) == 5 }
         purpose seven for C { last(v) == 7 }",
    );
    asked.found("one", 1);
    asked.impossible("two");
    asked.found("five", 1);
    asked.impossible("seven");
    let explored = tracewright(&["explore", &asked.named("#A")]);
    assert_eq!(explored.code, 2, "{}", explored.stderr);
    assert!(explored.stderr.contains("the values of `Sq` are infinite"), "{}", explored.stderr);
    let simulated = tracewright(&["simulate", &asked.named("#A"), "--steps", "3"]);
    assert_eq!(simulated.code, 0, "{}", simulated.stderr);
    for listed in ["#B", "#C"] {
        let explored = tracewright(&["explore", &asked.named(listed)]);
        assert_eq!(explored.code, 0, "{}", explored.stderr);
    }
}

#[test]
fn a_regular_expression_is_read_alone() {
    let text = |pattern: &str| {
        format!(
            "sts A {{ in go(s: String)
               var v: Bool = false
               initial location L
               L -> L : ?go(s) when s == \"axx\" do v := s matches \"{pattern}\" }}
             purpose whole for A {{ last(v) == true }}"
        )
    };
    for pattern in ["a)|(?:b", "a)(?:", "(a", "a)"] {
        let checked = Asked::new("unbalanced", &text(pattern)).run("check", &[]);
        assert_eq!(checked.code, 2, "{pattern}: {}", checked.stdout);
    }
    Asked::new("alternatives", &text("a|b")).impossible("whole");
    Asked::new("commented", &text("(?x)axx # all of it")).found("whole", 1);
    Asked::new("folded", &text("(?i)A|b.*|AXX")).found("whole", 1);
}

#[test]
fn what_a_service_that_is_run_is_given_belongs_to_its_type() {
    let text = |argument: &str| {
        format!(
            "const MOST = 3
             service Outer(limit: Int = 2) {{
               node a: run Inner({argument}) -> end
             }}
             service Inner(n: 0..MOST) {{
               event e: 0..9
               node b: collect {{ valid: e <= n }} -> end
             }}"
        )
    };
    for wrong in ["7", "limit + 5", "limit * 2", "10 / (limit - 2)"] {
        let checked = Asked::new("argument", &text(wrong)).run("check", &[]);
        assert_eq!(checked.code, 2, "{wrong}: {}{}", checked.stdout, checked.stderr);
    }
    let checked = Asked::new("argument", &text("limit + 1")).run("check", &[]);
    assert_eq!(checked.code, 0, "{}{}", checked.stdout, checked.stderr);
}

#[test]
fn numbers_in_logs_are_digits_with_a_sign() {
    let asked = Asked::new(
        "numbers",
        "sts A { in go(n: Int, r: Real)
           var v: Int = 5
           initial location L
           L -> L : ?go(n, r) do v := n }",
    );
    let replayed = |n: &str, r: &str| {
        let run = format!(r#"{{"steps": [{{"gate": "go", "dir": "in", "data": {{"n": {n}, "r": {r}}}}}]}}"#);
        let run = asked.beside("run.json", &run);
        tracewright(&["replay", &asked.named("#A"), &run]).code
    };
    for wrong in ["\"1_0\"", "\"_1\"", "\"\"", "\"-\"", "\"1 0\"", "0.0", "1.0", "\"--1\""] {
        assert_eq!(replayed(wrong, "1"), 2, "{wrong}");
    }
    for right in ["-0", "0", "10", "\"10\"", "\"-10\"", "\"-0\"", "\"123456789012345678901234567890\""] {
        assert_eq!(replayed(right, "1"), 0, "{right}");
    }
    for wrong in ["\"1_0/3\"", "\"1/0\"", "\"1/_3\""] {
        assert_eq!(replayed("1", wrong), 2, "{wrong}");
    }
    for right in ["-0", "\"1/3\"", "\"-1/3\"", "7"] {
        assert_eq!(replayed("1", right), 0, "{right}");
    }
}

#[test]
fn the_next_related_element_is_one_that_is_related() {
    let asked = Asked::new(
        "related",
        "sts A { in a(n: 1..4)
           var v: 0..4 = 0
           initial location L
           L -> L : ?a(n) do v := n }
         purpose skips for A { next_related(v, [1], [3], [2])  length 2  first(v) == 1  last(v) == 3 }
         purpose next for A { next_related(v, [1], [3], [2, 3])  length 3  first(v) == 1  last(v) == 3 }
         purpose between for A { next_related(v, [1], [3], [2, 3])  length 3  first(v) == 1  member(v, 2)  last(v) == 3 }",
    );
    asked.impossible("skips");
    asked.found("next", 3);
    asked.impossible("between");
}

#[test]
fn a_value_that_may_leave_its_type_is_warned_of() {
    let warnings = |switch: &str| {
        let text = format!(
            "const N = 3
             type Even = Int where it % 2 == 0
             type Small = Int where it >= 0 && it <= 3
             sts A {{ in go(x: 0..9)
               var e: Even = 0, s: Small = 0, r: 0..3 = 0, k: 0..N = 0, d: Real = 2.5
               initial location L
               L -> L : ?go(x) {switch} }}"
        );
        let checked = Asked::new("warned", &text).run("check", &[]);
        assert_eq!(checked.code, 0, "{switch}: {}{}", checked.stdout, checked.stderr);
        format!("{}{}", checked.stdout, checked.stderr).matches("[W0103]").count()
    };
    for wrong in [
        "do e := x",
        "do s := x",
        "when x <= 4 do s := x",
        "when x < 3 do r := (let x = x + 5; x)",
        "when (x < 3 && (exists x in {7}: x > r)) do r := (match 7 { y => y })",
        "when x <= 3 do r := head([x for x in {7}])",
        "do k := (let N = 7; N)",
        "when d < 3 && x < d do r := x + 1",
    ] {
        assert_ne!(warnings(wrong), 0, "{wrong}");
    }
    for right in [
        "when x % 2 == 0 do e := x",
        "when x <= 3 do s := x",
        "when x < 3 do r := x + 1",
        "when x < 3 do r := (let y = x; x)",
        "when x <= N do k := x",
        "do e := e, s := s",
    ] {
        assert_eq!(warnings(right), 0, "{right}");
    }
}
