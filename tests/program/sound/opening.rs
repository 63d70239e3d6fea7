//! Open values that do not stand for every value of their type, and types without values.

use super::Asked;

const QUEUE: &str = "
sts Q { in push(x: Int)  var q: List<Int> = []  initial location a
  a -> a : ?push(x) when size(q) < 6 do q := append(q, x) }
purpose five for Q { last(size(q)) == 5 }
purpose seven for Q { last(size(q)) == 7 }
property short for Q { always (size(q) <= 4) }
property bounded for Q { always (size(q) <= 6) }
";

#[test]
fn bounded_lists_prove_nothing_beyond_their_bound() {
    let asked = Asked::new("bounded_lists", QUEUE);
    asked.found("five", 5);
    asked.broken("short");
    asked.holds("bounded");
    asked.impossible("seven");
}

#[test]
fn bounded_trees_prove_nothing_beyond_their_depth() {
    let asked = Asked::new(
        "bounded_trees",
        "
type T = Leaf | Node(l: T, n: Int)
fun depth(t: T): Int = match t { Leaf => 0, Node(l, _) => 1 + depth(l) }
sts G { in grow(n: Int)  var t: T = Leaf  initial location a
  a -> a : ?grow(n) when depth(t) < 5 do t := Node(t, n) }
purpose deep for G { last(depth(t)) == 4 }
purpose deeper for G { last(depth(t)) == 6 }
property shallow for G { always (depth(t) <= 3) }
",
    );
    asked.found("deep", 4);
    asked.broken("shallow");
    asked.impossible("deeper");
}

#[test]
fn suites_cover_what_lies_beyond_the_bound() {
    let asked = Asked::new("bounded_items", &format!("{QUEUE}items long for Q {{ five: last(size(q)) == 5 }}\n"));
    let output = asked.run("cover", &["--of", "long"]);
    assert_eq!(output.code, 0, "{}\n{}", output.stdout, output.stderr);
    let output = asked.run("check", &[]);
    assert!(!output.stdout.contains("W0108") && !output.stdout.contains("W0109"), "{}", output.stdout);
}

#[test]
fn gates_of_empty_types_are_never_taken_and_forbid_nothing_else() {
    let asked = Asked::new(
        "empty_gates",
        "
const n = 0
sts S { in a(x: 1..n), step()  var c: Int = 0  initial location l
  l -> l : ?a(x)
  l -> l : ?step() when c < 6000 do c := c + 1 }
purpose three for S { last(c) == 3 }
purpose taken for S { member(gate, a) }
property small for S { always (c < 5) }
",
    );
    asked.found("three", 3);
    asked.impossible("taken");
    asked.broken("small");
}

#[test]
fn inputs_of_empty_types_are_absent() {
    let asked = Asked::new(
        "empty_inputs",
        "
const n = 0
component C {
  in x: 1..n
  out y: 0..9
  var c: 0..9 = 0
  initial state s
  s -> s : up  when x?absent && c < 9 do c := c + 1, y!c
  s -> s : got when x?v do c := 0
}
purpose three for C { last(c) == 3 }
purpose got for C { member(fired, got) }
",
    );
    asked.found("three", 3);
    asked.impossible("got");
}

#[test]
fn what_holds_values_of_an_empty_type_holds_none() {
    let asked = Asked::new(
        "empty_inside",
        "
const n = 0
type D = A(x: 1..n) | B(y: 0..3)
type R = { x: 1..n, y: Int }
sts O { in a(x: Option<1..n>), b(l: List<1..n>), d(d: D), r(r: R), m(m: Map<1..n, Int>), o(o: Option<R>)
  var c: 0..3 = 0, k: 0..3 = 0  initial location l
  l -> l : ?a(x) when x == None && c < 3 do c := c + 1
  l -> l : ?b(x) when x == [] && c < 3 do c := c + 1
  l -> l : ?d(x) when c < 3 do c := c + 1, k := (match x { A(_) => 0, B(y) => y })
  l -> l : ?r(r)
  l -> l : ?m(m) when size(m) == 0 && c < 3 do c := c + 1
  l -> l : ?o(o) when o == None && c < 3 do c := c + 1
}
purpose of_a for O { member(gate, a) }
purpose of_b for O { member(gate, b) }
purpose of_d for O { member(gate, d)  last(k) == 3 }
purpose of_m for O { member(gate, m) }
purpose of_o for O { member(gate, o) }
property few for O { always (c < 3) }
",
    );
    for purpose in ["of_a", "of_b", "of_d", "of_m", "of_o"] {
        asked.found(purpose, 1);
    }
    asked.broken("few");
}

/// The same gap twice is a gap: what has no term may fire, so that idling is not certain.
#[test]
fn a_gap_that_is_met_again_is_a_gap() {
    let asked = Asked::new(
        "gap_twice",
        "
fun up(n: Int): Int = if n <= 0 then 0 else 1 + up(n - 1)
component C {
  in x: Int
  out y: Bool
  var c: Int = 0
  initial state s
  state t
  s -> t : go when x?v && v > 3 do c := v
  s -> s : one when x?v && up(v) == v + 1000
  t -> s : two when up(c) == c do y!true
}
purpose idles for C { last(fired) == idle  length 2 }
purpose works for C { last(fired) == two  length 2 }
",
    );
    for engine in [&[][..], &["--engine", "symbolic"], &["--engine", "unrolled"], &["--engine", "induction"]] {
        assert_eq!(asked.answer("idles", engine).0, "unknown", "{engine:?}");
        let (answer, _) = asked.answer("works", engine);
        assert!(["found", "unknown"].contains(&answer.as_str()), "{engine:?}: {answer}");
    }
}

/// Terms that grow are shared; walks over them, and the conflict of what is impossible, end.
#[test]
fn shared_terms_come_to_an_end() {
    let asked = Asked::new(
        "shared_terms",
        "
sts S { in g(b: -1..1)  var v: -4..4 = 0, q: List<Int> = [1, 2]  initial location l
  l -> l : ?g(b) when q == [x for x in q if b != v] do v := if b == 0 then v else v + b }
purpose r for S { length 2  last((q ++ [(-3), v]) == q) == true }
",
    );
    assert_eq!(asked.answer("r", &["--time", "2"]).0, "impossible");
}
