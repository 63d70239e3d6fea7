//! Suites: what is covered, what is impossible, how good a suite is.

use serde_json::Value;

use super::Asked;
use crate::binary::tracewright;

/// What `cover` says of a model: items covered, items impossible, sequences, steps, the lower bound, whether none is better.
type Said = (usize, usize, usize, u64, u64, bool);

/// Covers items of a model of a file by one engine, or by default.
fn said(asked: &Asked, model: &str, of: &str, more: &[&str]) -> Said {
    let output = tracewright(&[&["cover", &asked.named(model), "--of", of, "--json"][..], more].concat());
    assert!([0, 1, 3].contains(&output.code), "{of} {more:?}: exit {}\n{}", output.code, output.stderr);
    let result: Value = serde_json::from_str(&output.stdout).expect("JSON");
    let count = |field: &str| result[field].as_array().map_or(0, Vec::len);
    let number = |field: &str| result[field].as_u64().expect("a number");
    let is_optimal = result["optimal"].as_bool().expect("a truth");
    (count("covered"), count("impossible"), count("suite"), number("steps"), number("lower_bound"), is_optimal)
}

/// The items of a suite for a model of a file: all of them, and those that are impossible. The others are covered.
fn listed(asked: &Asked, model: &str, of: &[&str]) -> (Vec<String>, Vec<String>) {
    let model = asked.named(model);
    let of: Vec<&str> = of.iter().flat_map(|of| ["--of", of]).collect();
    let output = tracewright(&[&["cover", &model, "--json"][..], &of].concat());
    let result: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{}", output.stderr));
    let name = |item: &Value| item.as_str().expect("a name").to_owned();
    let all = |field: &str| result[field].as_array().expect("a list").clone();
    let items: Vec<String> = all("items").iter().map(name).collect();
    let impossible: Vec<String> = all("impossible").iter().map(|item| name(&item["item"])).collect();
    assert_eq!(all("covered").len() + impossible.len(), items.len(), "{result}");
    (items, impossible)
}

/// Items that can be covered, and items that cannot; sequences and steps of the best suite.
fn best(
    asked: &Asked,
    model: &str,
    of: &str,
    more: &[&str],
    (covered, impossible, runs, steps): (usize, usize, usize, u64),
) {
    let truth = (covered, impossible, runs, steps, steps, true);
    assert_eq!(said(asked, model, of, more), truth, "{of} {more:?}, by default");
    for engine in ["explicit", "symbolic"] {
        let answer = said(asked, model, of, &[more, &["--engine", engine]].concat());
        assert!(answer.0 <= covered && answer.1 <= impossible, "{of} {more:?}, {engine}: {answer:?}, not {truth:?}");
        assert!(answer == truth || !answer.5, "{of} {more:?}, {engine}: {answer:?}, not {truth:?}");
        assert!(answer.4 <= steps, "{of} {more:?}, {engine}: {answer:?}, not {truth:?}");
    }
}

const APART: &str = "
sts A { in a()  initial location A0  A0 -> A0 : at ?a }
sts B { in b()  initial location B0  location B1  B0 -> B1 : bt ?b }
sts C { in c(x: 0..1)  initial location C0  location C1  C0 -> C1 : ct ?c(x) when x == 1 }
system S = A || B
system T = A ||| C
items counted for S { three: at_least(B.state, 3, B1)  once: member(A.fired, at) }
items stays for S { row: lasts(B.state, 2, B1)  begins: first(B.state) == B0  ends: last(A.fired) == at }
items later for S { second: member(pre(B.state) == B1 && A.fired == at)  tick: at_least(gate, 2, a) }
";

#[test]
fn items_of_one_machine_see_the_steps_of_the_others() {
    let asked = Asked::new("items_of_one_machine_see_the_steps_of_the_others", APART);
    best(&asked, "", "counted", &[], (2, 0, 1, 3));
    best(&asked, "", "stays", &[], (3, 0, 1, 3));
    best(&asked, "", "later", &[], (2, 0, 1, 3));
}

#[test]
fn a_first_step_visits_the_initial_states_of_all_machines() {
    let text = "
sts A { in a()  initial location A0  location A1  A0 -> A1 : at ?a }
sts B { in b()  initial location B0  B0 -> B0 : bt ?b }
sts C { in c()  initial location C0  location C1, C2  C0 -> C1 : c1 ?c  C1 -> C2 : c2 ?c }
system S = A || B
system T = A ||| B ||| C
";
    let asked = Asked::new("a_first_step_visits_the_initial_states_of_all_machines", text);
    best(&asked, "#S", "states", &[], (3, 0, 1, 1));
    best(&asked, "#S", "states", &["--minimise", "steps"], (3, 0, 1, 1));
    // No step is needed for the initial state of one of them.
    best(&asked, "#S", "states(B)", &[], (1, 0, 1, 0));
    best(&asked, "#T", "states", &[], (6, 0, 1, 3));
}

#[test]
fn guards_that_do_not_hold_are_seen_in_steps_of_others() {
    let asked = Asked::new("guards_that_do_not_hold_are_seen_in_steps_of_others", APART);
    // The guard of `ct` looks at data of its gate, at which nobody else takes a step.
    let guarded = "
sts A { in a()  initial location A0  A0 -> A0 : at ?a }
sts D { in d()  var v: 0..1 = 0  initial location D0  D0 -> D0 : dt ?d when v == 0 do v := 1 }
system S = A || D
";
    let with_guard = Asked::new("guards_that_do_not_hold_are_seen_in_steps_of_others_too", guarded);
    best(&with_guard, "#S", "branches", &[], (2, 0, 1, 2));
    best(&asked, "#T", "branches", &[], (1, 1, 1, 1));
}

#[test]
fn a_part_in_more_sequences_may_take_fewer_steps() {
    let text = "
component P {
  in i: 0..2
  initial state S0
  state S1, S2
  S0 -> S1 : p1 when i?0 @t1
  S0 -> S2 : p2 when i?1 @t2
  S1 -> S0 : back
}
component Q {
  in j: Bool
  initial state T0
  state T1, T2
  T0 -> T1 : q1 when j?true @u1
  T0 -> T2 : q2 when j?false @u2
}
system W { p: P q: Q  in i -> p.i  in j -> q.j }
sts M { in m0(), m1()  initial location M0  location M1, M2  M0 -> M1 : m1 ?m0 @t1  M0 -> M2 : m2 ?m1 @t2  M1 -> M0 : m3 ?m0 }
sts N { in n0(), n1()  initial location N0  location N1, N2  N0 -> N1 : n1 ?n0 @u1  N0 -> N2 : n2 ?n1 @u2 }
system V = M ||| N
";
    let asked = Asked::new("a_part_in_more_sequences_may_take_fewer_steps", text);
    for (model, steps) in [("#W", 2), ("#V", 4)] {
        for more in [&[][..], &["--engine", "explicit"], &["--engine", "symbolic"]] {
            let (covered, _, runs, taken, lower_bound, is_optimal) = said(&asked, model, "tags", more);
            assert_eq!((covered, runs), (4, 2), "{model} {more:?}");
            assert!(lower_bound <= steps, "{model} {more:?}: {lower_bound} steps are not needed");
            assert!(!is_optimal || taken == steps, "{model} {more:?}: {taken} steps are not best");
        }
        best(&asked, model, "tags", &["--minimise", "steps"], (4, 0, 2, steps));
    }
}

#[test]
fn a_run_ends_for_what_its_end_covers() {
    let text = "
sts D { in a(), b()  initial location L  location M  L -> M : a ?a  M -> L : b ?b }
sts E { in a(), b()  initial location L  location M, N  L -> M : a ?a  M -> L : b ?b  M -> N : c ?a  N -> M : d ?b }
items k for D { e: last(state) == M  f: last(state) == L }
items k3 for E { e: last(state) == M  f: last(state) == L  g: last(state) == N  cover transitions }
items kept for D { e: never(fired, b)  f: last(fired) == b  g: at_most(fired, 1, a) }
";
    let asked = Asked::new("a_run_ends_for_what_its_end_covers", text);
    for more in [&[][..], &["--minimise", "steps"]] {
        best(&asked, "", "k", more, (2, 0, 2, 3));
        assert_eq!(said(&asked, "", "k3", more).0, 7);
        assert_eq!(said(&asked, "", "kept", more).0, 3);
    }
}

/// A switch whose gate a partner blocks is in no step, so that nothing is known of the data its guard reads.
#[test]
fn guards_of_blocked_switches_are_impossible() {
    let asked = Asked::new(
        "blocked_guards",
        "sts M { in a(x: 0..1)  initial location A  A -> A : t ?a(0)  A -> A : u ?a(x) when x > 0 && x < 9 }\n\
         sts N { in a(x: 0..1)  initial location B }\n\
         system S = M || N\n",
    );
    for of in ["branches", "mcdc"] {
        let suite = asked.json("cover", &["--of", of]);
        assert_eq!(suite["impossible"].as_array().map(Vec::len), suite["items"].as_array().map(Vec::len), "{suite}");
        assert_eq!(suite["covered"], serde_json::json!([]), "{suite}");
    }
}

/// The run without steps is a run, and it is in the initial state.
#[test]
fn a_run_without_steps_visits_the_initial_state() {
    let text = "
sts A { in s()  initial location A0  location A1  A0 -> A1 : at ?s }
sts B { in s()  initial location B0 }
system S = A || B
sts M { in a()  initial location M0  location M1  M0 -> M1 : mt ?a  M1 -> M0 : back ?a }
purpose empty for M { length 0   cover states }
items none for M { never(fired, mt)  cover states }
purpose begin for S { length 0   cover states(B) }
purpose all for M { cover states(M) }
";
    let asked = Asked::new("a_run_without_steps_visits_the_initial_state", text);
    best(&asked, "#S", "states", &[], (2, 1, 1, 0));
    best(&asked, "#S", "states", &["--minimise", "steps"], (2, 1, 1, 0));
    best(&asked, "", "empty", &[], (1, 1, 1, 0));
    best(&asked, "", "none", &["--minimise", "steps"], (3, 0, 2, 1));
    asked.found("begin", 0);
    asked.impossible("empty");
    asked.found("all", 1);
}

/// Steps first, and then sequences: what one sequence covers takes no second one.
#[test]
fn fewest_steps_are_taken_in_few_sequences() {
    let text = "
sts M {
  in a(), b()
  initial location M0
  location M1
  M0 -> M0 : stay ?a
  M0 -> M1 : go ?b
  M1 -> M0 : back ?b
}
items ends for M { never(fired, back)  never(fired, go)  at_most(fired, 1, stay)  member(fired, stay) }
items three for M { member(fired, stay)  member(fired, go)  last(state) == M1  last(fired) == stay }
";
    let asked = Asked::new("fewest_steps_are_taken_in_few_sequences", text);
    best(&asked, "", "ends", &["--minimise", "steps"], (4, 0, 1, 1));
    best(&asked, "", "three", &["--minimise", "steps"], (4, 0, 2, 2));
    best(&asked, "", "transitions", &["--minimise", "steps"], (3, 0, 1, 3));
}

/// A gate that is declared is known, also if nothing can come there.
#[test]
fn gates_at_which_nothing_comes_are_known() {
    let text = "
sts A { in s(), a()  out r(x: Int)  initial location A0  A0 -> A0 : at ?a }
sts B { in s()  initial location B0  B0 -> B0 : bt ?s }
system S = (A || B) rename { r -> answer }
msc said for S { A -> env : answer(3) }
pattern silent for S { alphabet { s, a } a; a }
pattern comes for S { a; s }
purpose heard for S { scenario silent }
purpose met for S { scenario comes }
";
    let asked = Asked::new("gates_at_which_nothing_comes_are_known", text);
    best(&asked, "#S", "event_flow(a)", &[], (1, 0, 1, 2));
    best(&asked, "#S", "event_flow(s, a)", &[], (1, 0, 1, 2));
    assert_eq!(said(&asked, "#S", "event_flow(answer)", &[]), (0, 0, 0, 0, 0, true));
    asked.found("heard", 2);
    asked.impossible("met");
    asked.impossible("said");
}

/// What a hidden component reads of the environment nobody observes; what it knows itself counts whenever something happens.
#[test]
fn guards_of_hidden_components_are_left_out_where_they_read_inputs() {
    let text = "
component E { in i: 0..1  initial state S  S -> S : echo when i?1 }
component V {
  in i: 0..1
  out o: 0..1
  var n: 0..1 = 0
  initial state S
  S -> S : up when n == 0 do n := 1, o!1
  S -> S : hear when n == 1 && i?_ do n := 0
}
component W { in i: 0..1  initial state S  S -> S : told when i?1 }
sts B { in b()  initial location L  L -> L : ring ?b }
system FG { x: E  in i -> x.i }
system VW { v: V  w: W  in i -> v.i  v.o -> w.i }
system H = E hide { tick }
system HB = (E hide { tick }) || b: B
system K = (x: FG) hide { tick }
system KV = (V hide { tick }) ||| b: B
system KW = (x: VW) hide { tick }
purpose p for H { cover branches  member(E.fired, echo) }
purpose q for KV { cover branches }
";
    let asked = Asked::new("guards_of_hidden_components_are_left_out_where_they_read_inputs", text);
    for (model, transitions) in [("#H", 1), ("#HB", 2), ("#K", 1)] {
        for of in ["branches", "mcdc"] {
            assert_eq!(listed(&asked, model, &[of]), (vec![], vec![]), "{model}, {of}");
        }
        let (items, impossible) = listed(&asked, model, &["branches", "mcdc", "transitions"]);
        assert_eq!((items.len(), impossible.len()), (transitions, 0), "{model}: {items:?}");
    }
    // Two steps of `V`.
    best(&asked, "#KV", "branches", &[], (2, 0, 1, 2));
    let (items, impossible) = listed(&asked, "#KW", &["branches"]);
    let told = ["x.v.up true", "x.v.up false", "x.w.told true", "x.w.told false"];
    assert_eq!((items, impossible), (told.map(str::to_owned).to_vec(), vec![]));
    asked.found("p", 1);
    asked.found("q", 2);
}

/// A guard counts whether its transition fires or not, so also where the transition never can.
#[test]
fn guards_of_blocked_switches_count_in_steps_of_others() {
    let text = "
sts A {
  in a(), b()
  var v: 0..1 = 1
  initial location L
  L -> L : go ?a when v == 1
  L -> L : other ?b do v := 1 - v
}
sts B { in a()  initial location M }
sts C {
  in g(x: 0..1), b()
  var v: 0..1 = 1
  initial location L
  L -> L : data ?g(x) when x == 1
  L -> L : both ?g(_) when exists k in [1, 1]: k == v
  L -> L : other ?b do v := 1 - v
}
sts D { in g(x: 0..1)  initial location M }
system M = a: A || b: B
system N = (a: A || b: B) hide { a }
system R = (a: A || b: B) rename { a -> c }
system X = c: C || d: D
system Y = (c: C || d: D) hide { g }
system Z = (c: C || d: D) ||| e: C
";
    let asked = Asked::new("guards_of_blocked_switches_count_in_steps_of_others", text);
    for model in ["#M", "#N", "#R"] {
        best(&asked, model, "branches", &[], (2, 0, 1, 2));
        best(&asked, model, "mcdc", &[], (2, 0, 1, 2));
        assert_eq!(listed(&asked, model, &["transitions"]).1, ["a.go"], "{model}");
    }
    let both = ["c.both true", "c.both false"];
    let data = ["c.data true", "c.data false"];
    assert_eq!(
        listed(&asked, "#X", &["branches"]),
        ([data, both].concat().iter().map(|n| n.to_string()).collect(), data.map(str::to_owned).to_vec())
    );
    assert_eq!(listed(&asked, "#Y", &["branches"]), (both.map(str::to_owned).to_vec(), vec![]));
    best(&asked, "#Y", "mcdc", &[], (2, 0, 1, 2));
    // What another one is sent at a gate of that name is not for `c`.
    assert_eq!(listed(&asked, "#Z", &["branches(c)"]).1, data);
    assert_eq!(listed(&asked, "#Z", &["branches(e)"]).1, [] as [&str; 0]);
}

/// Side by side, each hears what is sent to it and nothing else.
#[test]
fn guards_over_data_count_in_steps_of_their_own() {
    let text = "
sts A { in a(x: 0..1)  initial location L  location M  L -> L : one ?a(x) when x == 1  L -> M : zero ?a(0) }
sts O { in a(x: 0..1)  initial location L  L -> L : one ?a(x) when x == 1 }
component E { in i: 0..1  var n: 0..1 = 0  initial state S  S -> S : echo when i?1 do n := 1  S -> S : full when n == 1 && i?0 }
component G { in i: 0..1  var n: 0..1 = 0  initial state S  S -> S : up when n == 0 do n := 1 }
sts B { in b()  initial location L  L -> L : ring ?b }
system S = x: A ||| y: O
system T = x: O ||| y: O
system V = g: G ||| b: B
system U = g: G ||| h: G
purpose either for V { cover branches  length 2  first(gate) == tick  last(gate) == b }
";
    let asked = Asked::new("guards_over_data_count_in_steps_of_their_own", text);
    assert_eq!(listed(&asked, "#S", &["branches"]).1, ["y.one false"]);
    assert_eq!(listed(&asked, "#T", &["branches"]).1, ["x.one false", "y.one false"]);
    // What only looks at variables is seen in all steps.
    best(&asked, "#V", "branches", &[], (2, 0, 1, 2));
    best(&asked, "#U", "branches", &[], (4, 0, 1, 3));
    asked.found("either", 2);
}

/// Items of several criteria that ask for the same thing by the same name are one item.
#[test]
fn an_item_is_listed_once() {
    let text = "
sts A { in g(b: Bool)  initial location L  L -> L : go ?g(_) @go }
component E { in i: Bool  out o: Bool  initial state S  S -> S : on when i?true do o!false  S -> S : off when i?false do o!true }
system T = e: E ||| a: A
";
    let asked = Asked::new("an_item_is_listed_once", text);
    let names = |model: &str, of: &[&str]| listed(&asked, model, of).0;
    assert_eq!(names("#A", &["messages", "inputs"]), ["g.b=true", "g.b=false"]);
    assert_eq!(names("#A", &["inputs", "messages"]), ["g.b=true", "g.b=false"]);
    assert_eq!(names("#A", &["tags", "transitions"]), ["go"]);
    assert_eq!(names("#E", &["messages", "inputs"]), ["i=true", "i=false", "o=true", "o=false"]);
    let all = ["g.b=true", "g.b=false", "tick.i=true", "tick.i=false", "tick.o=true", "tick.o=false"];
    assert_eq!(names("#T", &["messages", "inputs"]), all);
}

/// Inputs are what the environment sends; outputs and results are not.
#[test]
fn inputs_are_what_the_environment_sends() {
    let text = "
sts B { in g(x: 0..1): Bool  initial location L  L -> L : go ?g(x): true }
sts N { in g(x: 0..1): Bool  initial location L }
component E { in i: 0..1  out o: 0..1  initial state S  S -> S : on when i?1 do o!0 }
component F { in i: 0..1, o: 0..1  initial state S }
system T = e: E ||| b: B
system U = e: E ||| f: F
system V = e: E ||| g: E
system W = b: B || n: N
";
    let asked = Asked::new("inputs_are_what_the_environment_sends", text);
    let said = |model: &str| listed(&asked, model, &["inputs"]);
    assert_eq!(said("#B").0, ["g.x == 0", "g.x == 1"]);
    assert_eq!(said("#T").0, ["g.x == 0", "g.x == 1", "tick.i == 0", "tick.i == 1"]);
    assert_eq!(said("#W").1, ["g.x == 0", "g.x == 1"]);
    assert_eq!(said("#V").0, ["tick.i == 0", "tick.i == 1"]);
    // To one of them `o` is sent, and `e` never sends 1.
    assert_eq!(
        said("#U"),
        (["tick.i == 0", "tick.i == 1", "tick.o == 0", "tick.o == 1"].map(str::to_owned).to_vec(), vec![])
    );
}

/// In a tick of a component only components of that tick take part, also where an item ties a gate model to it.
#[test]
fn a_part_has_machines_beside_those_of_a_tick() {
    let text = "
sts A { in a()  initial location A0  A0 -> A0 : ?a }
component B { in i: 0..1  initial state B0  state B1  B1 -> B1 : t0 @r0 }
sts C { in c()  initial location C0  C0 -> C0 : t1 ?c  C0 -> C0 : t3 ?c @r0 }
system S = (A || (B hide { tick })) || C
";
    let asked = Asked::new("a_part_has_machines_beside_those_of_a_tick", text);
    best(&asked, "#S", "tags", &[], (1, 0, 1, 1));
}
