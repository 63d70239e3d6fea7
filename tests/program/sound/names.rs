//! Names: what is bound hides what is declared outside, wherever an expression stands, and patterns look inside of values.

use super::Asked;

const JOBS: &str = "
type Got = Done(code: Int, n: Int) | Failed
type Pair = Pair(x: Int, y: Int)
type Deep = Deep(o: Option<Pair>, l: List<Int>)
sts Few {
  in job(n: 0..2), opt(o: Option<0..2>), pair(p: Small)
  out finish(g: Told)
  initial location On
  On -> On : ?job(n)
  On -> On : ?opt(o)
  On -> On : ?pair(p) when p != Small(2, 2)
  On -> On : !finish(g) when g != Told(1, Some(2))
}
type Small = Small(x: 0..2, y: 0..2)
type Told = Told(n: 0..2, o: Option<0..2>)
sts Jobs {
  in job(n: 0..100), opt(o: Option<Int>), pair(p: Pair), list(l: List<Int>), deep(d: Deep)
  out finish(g: Got)
  var last_job: Int = 0, q: List<Int> = []
  initial location On
  On -> On : ?job(n) do last_job := n
  On -> On : !finish(g) when g == Done(last_job, 7)
  On -> On : ?opt(o)
  On -> On : ?pair(p)
  On -> On : ?list(l) when size(l) < 3
  On -> On : ?deep(d) when d == Deep(Some(Pair(1, 4)), [2, 4])
}
";

/// A variable of a pattern takes its value where it stands, also inside of a value.
#[test]
fn pattern_variables_inside_constructors() {
    let asked = Asked::new(
        "pattern_variables_inside_constructors",
        &format!(
            "{JOBS}
pattern one for Jobs {{ job(82); some p in Int: finish(Done(82, p)) }}
pattern in_option for Jobs {{ some p: (opt(Some(p)); finish(Done(82, p))) }}
pattern in_record for Jobs {{ some p: (opt(Some(p)); pair(Pair(y: p, x: 3))) }}
pattern in_list for Jobs {{ some p: (list([p, _]); list([5, p])) }}
pattern in_rest for Jobs {{ some r: (list([1, ..r]); list(r)) }}
pattern nested for Jobs {{ some p: (deep(Deep(Some(Pair(1, p)), [_, p])); opt(Some(p))) }}
pattern unequal for Few {{ some p: (finish(Told(1, Some(p))); pair(Small(p, 2)); job(p); pair(Small(2, p))) }}
purpose not_two for Few {{ length 4  scenario unequal  last(pair.p) == Small(2, 2) }}
purpose not_three for Few {{ length 4  scenario unequal  first(finish.g) == Told(1, Some(2)) }}
pattern twice for Few {{ some p: pair(Small(p, p)) }}
purpose small for Few {{ length 2  scenario below  first(finish.g) == Told(0, Some(2)) }}
pattern below for Few {{ some p in 0..1: (finish(Told(_, Some(p))); job(p)) }}
purpose not_alike for Few {{ length 1  scenario twice  first(pair.p) == Small(1, 2) }}
"
        ),
    );
    asked.found("one", 2);
    asked.found("in_option", 3);
    asked.found("in_record", 2);
    asked.found("in_list", 2);
    asked.found("in_rest", 2);
    asked.found("nested", 2);
    asked.found("unequal", 4);
    asked.impossible("not_two");
    asked.impossible("not_three");
    asked.found("twice", 1);
    asked.impossible("small");
    asked.impossible("not_alike");
}

#[test]
fn pattern_variables_inside_constructors_of_matches() {
    let asked = Asked::new(
        "pattern_variables_inside_constructors_of_matches",
        &format!(
            "{JOBS}
pattern answered for Jobs {{ free p alphabet {{ job(p), finish(Done(p, _)) }} job(p); finish(Done(p, _)) }}
pattern other for Jobs {{ free p alphabet {{ opt(Some(p)), finish(Done(_, p)) }} opt(Some(p)); opt(Some(p)); finish(Done(_, p)) }}
property never_other for Few {{ never match others }}
property never_two for Few {{ never match two }}
pattern others for Few {{ free p alphabet {{ opt(Some(p)), finish(Told(_, Some(p))) }} opt(Some(p)); finish(Told(_, Some(p))) }}
pattern two for Few {{ free p alphabet {{ finish(Told(1, Some(p))), pair(Small(p, p)) }} finish(Told(1, Some(p))); pair(Small(2, 2)) }}
"
        ),
    );
    asked.found("answered", 2);
    asked.found("other", 3);
    asked.broken("never_other");
    asked.holds("never_two");
}

#[test]
fn variables_inside_constructors_in_charts_and_formulas() {
    let asked = Asked::new(
        "variables_inside_constructors_in_charts_and_formulas",
        &format!(
            "{JOBS}
msc drawn for Jobs {{ some p  env -> Jobs : opt(Some(p))  Jobs -> env : finish(Done(9, p)) }}
msc undrawn for Jobs {{ some p  env -> Jobs : opt(Some(p))  not {{ env -> Jobs : job(_) }}  Jobs -> env : finish(Done(9, p)) }}
purpose said for Jobs {{ formula {{ some p: eventually (opt(Some(p)) && next finish(Done(3, p))) }} }}
purpose unsaid for Few {{ length 2  formula {{ some p: (opt(Some(p)) && next finish(Told(1, Some(p)))) }}  first(opt.o) == Some(2) }}
purpose tested for Jobs {{ formula {{ some p: eventually (opt.o?Some(p) && next list.l?[_, p]) }} }}
property all for Few {{ formula {{ for all p: always (pair(Small(p, 2)) -> !pair(Small(2, p))) }} }}
property none for Few {{ formula {{ for all p: always (finish(Told(1, Some(p))) -> !finish(Told(_, Some(2)))) }} }}
property some_do for Few {{ formula {{ for all p: always (opt(Some(p)) -> never finish(Told(1, Some(p)))) }} }}
"
        ),
    );
    asked.found("drawn", 3);
    asked.found("undrawn", 3);
    asked.found("said", 3);
    asked.impossible("unsaid");
    asked.found("tested", 2);
    asked.holds("none");
    asked.holds("all");
    asked.broken("some_do");
}

const LOCK: &str = "
sts Lock {
  in lock(code: 0..9), set(n: 0..9)
  var code: 0..9 = 0
  initial location Open
  location Shut
  Open -> Shut : ?lock(c) when c > 5
  Shut -> Open : ?set(n) do code := n
}
";

/// The names of a condition behind `with` are those of the call, then those of the model, wherever they stand.
#[test]
fn names_behind_with_are_resolved_in_their_scopes() {
    let asked = Asked::new(
        "names_behind_with_are_resolved_in_their_scopes",
        &format!(
            "{LOCK}
property plain for Lock {{ after lock terminates with code > 5 always false }}
property in_arm for Lock {{ after lock terminates with (match 1 {{ _ => code > 5 }}) always false }}
property in_let for Lock {{ after lock called with (let z = 0; code > 5) always false }}
property in_set for Lock {{ after lock called with (true in {{code > 5 for z in {{0}}}}) always false }}
property hidden for Lock {{ after lock called with (let code = 1; code == 2) always false }}
property quantified for Lock {{ after lock called with (exists code in {{1, 2}}: code > 5) always false }}
property matched for Lock {{ never lock enabled with (match 1 {{ c => code < 6 && c == 1 }}) }}
property small for Lock {{ after lock called with code <= 5 always false }}
"
        ),
    );
    for broken in ["plain", "in_arm", "in_let", "in_set"] {
        asked.broken(broken);
    }
    for holds in ["hidden", "quantified", "matched", "small"] {
        asked.holds(holds);
    }
}

/// A moment and the end of a rule's list are what they are in every part of an expression.
#[test]
fn moments_and_ends_inside_arms() {
    let asked = Asked::new(
        "moments_and_ends_inside_arms",
        "
sts M {
  in a(x: 0..3)
  var v: 0..3 = 0, w: 0..3 = 0, q: List<Int> = [1, 2]
  initial location L
  L -> L : ?a(x) do w := x
}
rule ends(n: Int) {
  h == 9 || (match 0 { _ => stop }) => holds
  h == (let n = 3; n)               => fails
  else                              => ends(n)
}
rule late { h == 9 || (let z = 0; stop) => fails   h == 2 && !(match 0 { _ => stop }) => holds   else => late }
rule hidden(x: Int) { h == (let x = 2; x) => fails   stop || (let late = false; late) => holds   else => hidden(x) }
purpose in_arm for M { length 1  v == (match 0 { _ => last(w) - 2 }) }
purpose matched for M { length 1  last(match w { 2 => true, n => n == 3 && v == 3 }) }
purpose several for M { length 1  v == (match 0 { n => last(w) + n }) }
purpose element for M { length 1  last(last(q)) == 2 }
purpose no_moment for M { length 1  some r in List<Int>: (last(r) == 2 and last(q) == r) }
purpose ending for M { length 2  ends(0) on w  last(w) == 3 }
purpose ended for M { length 2  ends(0) on w  last(w) == 2 }
purpose lately for M { length 2  late on w  first(w) == 0 }
purpose unhidden for M { length 2  hidden(3) on w  member(w, 2) }
purpose is_hidden for M { length 2  hidden(2) on w  member(w, 3) }
",
    );
    asked.found("in_arm", 1);
    asked.found("matched", 1);
    asked.found("several", 1);
    asked.found("element", 1);
    asked.found("no_moment", 1);
    asked.impossible("ending");
    asked.found("ended", 2);
    asked.found("lately", 2);
    asked.impossible("unhidden");
    asked.found("is_hidden", 2);
}

/// What is bound hides the lists of the model, its states and its gates.
#[test]
fn bound_names_hide_the_lists_of_the_model() {
    let asked = Asked::new(
        "bound_names_hide_the_lists_of_the_model",
        "
const five: Int = 5
type Box = Box(n: 0..3)
sts M {
  in a(x: 0..3)
  var v: 0..3 = 0, w: 0..3 = 0, b: Box = Box(0)
  initial location L
  location K
  L -> L : ?a(x) do w := x, b := Box(x)
  L -> K : tau
}
rule below(L) { h == L => fails   stop => holds   else => below(L) }
purpose in_rule for M { length 1  last(w) == 2  always(w <= (let v = w; v)) }
property in_let for M { always w <= (let v = w; v) }
property in_match for M { always w <= (match w { v => v }) }
property in_exists for M { always (exists v in {w}: v == w) }
property in_comprehension for M { always ([v for v in {w}] == [w]) }
property in_field for M { always (let v = b; v.n == w) }
property of_constant for M { always (let five = w; five < 4) }
property in_formula for M { formula { always (five == (let v = w; v - w + five)) } }
property of_variable for M { formula { for all w in 0..3: always (a(w) -> !(w != a.x)) } }
purpose of_value for M { length 1  some v in 0..3: last(w) == v + 2 }
purpose of_parameter(v: 0..3 = 2) for M { length 1  last(w) == v }
purpose of_state for M { length 2  below(K) on state }
purpose moments for M { length 1  last(w) == (let v = 2; v)  first(w) == (match 2 { v => v }) }
msc waits for M { env -> M : a(_)  when w == 2 && (let v = w; v == 2) }
pattern scene for M { a(_); when (exists v in {w}: v == 2) && w == 2; a(0) }
",
    );
    asked.found("in_rule", 1);
    for property in
        ["in_let", "in_match", "in_exists", "in_comprehension", "in_field", "of_constant", "in_formula", "of_variable"]
    {
        asked.holds(property);
    }
    asked.found("of_value", 1);
    asked.found("of_parameter", 1);
    asked.found("of_state", 2);
    asked.found("moments", 1);
    asked.found("waits", 1);
    asked.found("scene", 2);
}

/// A condition that reads what is absent is false there, however deep it stands, and what is put around it changes nothing.
#[test]
fn conditions_mean_the_same_inside_of_others() {
    let asked = Asked::new(
        "conditions_mean_the_same_inside_of_others",
        "
sts M {
  in a(x: 0..3), n()
  var v: 0..3 = 0
  initial location L
  L -> L : ?a(x) do v := x
  L -> L : ?n
}
purpose plain for M { length 1  first(!(a.x == 1))  member(gate, n) }
purpose in_arm for M { length 1  first(match 0 { _ => !(a.x == 1) })  member(gate, n) }
purpose in_let for M { length 1  first(let z = 0; !(a.x == 1))  member(gate, n) }
purpose in_if for M { length 1  first(v == v && (if true then !(a.x == 1) else a.x == 2))  member(gate, n) }
purpose in_set for M { length 1  first(true in {!(a.x == 1) for z in {0}})  member(gate, n) }
purpose in_division for M { length 1  first(true in {!(a.x / v == 1) for z in {0}})  member(gate, n) }
purpose not_there for M { length 1  first(match 0 { _ => a.x == 1 })  member(gate, n) }
",
    );
    for found in ["plain", "in_arm", "in_let", "in_if", "in_set", "in_division"] {
        asked.found(found, 1);
    }
    asked.impossible("not_there");
}

/// The end of a list is compared where it has a name that is known.
#[test]
fn the_end_of_a_list_is_compared() {
    let asked = Asked::new(
        "the_end_of_a_list_is_compared",
        "
type Inside = Inside(l: List<Int>, n: Int)
sts M {
  in put(l: List<Int>), wrap(i: Inside), maybe(o: Option<List<Int>>)
  var rest: List<Int> = [2], got: List<Int> = [], n: Int = 0
  initial location L
  L -> L : put ?put([1, ..rest]) do n := 1
  L -> L : more ?put([x, 3, ..rest]) do n := x
  L -> L : wrap ?wrap(Inside([k, ..rest], 4)) do n := k
  L -> L : maybe ?maybe(Some([..rest])) do n := 9
}
purpose right for M { length 1  first(put.l) == [1, 2] }
purpose wrong for M { length 1  first(put.l) == [1, 5, 5] }
purpose bound for M { length 1  first(put.l) == [8, 3, 2]  last(n) == 8 }
purpose unbound for M { length 1  first(put.l) == [8, 3, 2, 2] }
purpose inside for M { length 1  first(wrap.i) == Inside([7, 2], 4) }
purpose outside for M { length 1  first(wrap.i) == Inside([7, 3], 4) }
purpose whole for M { length 1  first(maybe.o) == Some([2]) }
purpose part for M { length 1  first(maybe.o) == Some([2, 2]) }
",
    );
    for found in ["right", "bound", "inside", "whole"] {
        asked.found(found, 1);
    }
    for wrong in ["wrong", "unbound", "outside", "part"] {
        not_found(&asked, wrong);
    }
}

#[test]
fn the_end_of_a_message_is_compared() {
    let asked = Asked::new(
        "the_end_of_a_message_is_compared",
        "
component C {
  in put: List<Int>
  var rest: List<Int> = [2], n: Int = 0
  initial state S
  S -> S : take when put?[x, ..rest] && x > 0 do n := x
}
purpose right for C { length 1  first(put) == [4, 2]  last(n) == 4 }
purpose wrong for C { length 1  first(put) == [4, 3]  last(n) == 4 }
",
    );
    asked.found("right", 1);
    not_found(&asked, "wrong");
}

/// No engine finds a run; where lists may be of any length it need not be sure that there is none.
fn not_found(asked: &Asked, purpose: &str) {
    for engine in ["auto", "symbolic", "explicit", "unrolled"] {
        let (answer, _) = asked.answer(purpose, &["--engine", engine, "--time", "5"]);
        assert_ne!(answer, "found", "{purpose}, {engine}");
    }
}

/// A name of two lists is an error that names both.
#[test]
fn a_name_of_two_lists_is_an_error() {
    let asked = Asked::new(
        "a_name_of_two_lists_is_an_error",
        "
sts M {
  in a()
  var clock: 0..3 = 0
  initial location L
  L -> L : ?a do clock := 3
}
purpose p for M { last(clock) == 1 }
",
    );
    let output = asked.run("gen", &["-p", "p"]);
    assert_ne!(output.code, 0);
    assert!(
        output.stderr.contains("E0721") && output.stderr.contains("a variable, and the number of each step"),
        "{}",
        output.stderr
    );
}
