//! Rules, formulas, charts and patterns, and what monitors make of them.

use super::Asked;

/// Events with data, and a variable that may be any number.
const EVENTS: &str = "\
sts M {
  in a(x: 0..2), n(i: 0..9), u(), stop()
  var v: Int = 0
  initial location L
  L -> L : ?a(x) do v := x
  L -> L : ?n(i) do v := i
  L -> L : ?u
  L -> L : ?stop
}
";

impl Asked {
    /// What `monitor` says of a log for a purpose or a property, after the end of the run or before.
    fn monitored(&self, log: &str, purpose: &str, has_ended: bool) -> String {
        let log = self.beside("log.jsonl", log);
        let end: &[&str] = if has_ended { &["--stop"] } else { &[] };
        let said = self.json("monitor", &[&[&log, "-p", purpose][..], end].concat());
        said["purposes"][0]["answer"].as_str().expect("an answer").to_owned()
    }

    /// Every run has a property. An engine that only makes runs longer never ends.
    fn is_kept(&self, property: &str) {
        for engine in ["auto", "symbolic", "explicit", "induction"] {
            let said = self.json("check", &["--property", property, "--engine", engine]);
            let answer = said["properties"][0]["answer"].as_str().expect("a verdict");
            assert!(answer == "holds" || answer == "unknown" && engine != "auto", "{property}, {engine}: {answer}");
        }
    }

    /// `monitor` says of the run that `gen` found that it meets the purpose.
    fn is_met_by_what_is_found(&self, purpose: &str) {
        let found = self.json("gen", &["-p", purpose]);
        assert_eq!(found["purposes"][0]["answer"], "found", "{purpose}");
        assert_eq!(self.monitored(&format!("{found}\n"), purpose, false), "holds", "{purpose}");
    }
}

const LOG: &str = "\
{\"gate\": \"a\", \"data\": {\"x\": 0}}
{\"gate\": \"n\", \"data\": {\"i\": 5}}
{\"gate\": \"stop\"}
";

#[test]
fn monitors_look_at_the_right_list_beside_values_of_a_run() {
    let asked = Asked::new(
        "monitors_look_at_the_right_list",
        &format!(
            "{EVENTS}
purpose low_first for M {{ last(n.i) < 5   some x in 0..2: member(a.x, x) }}
purpose low_last for M {{ some x in 0..2: member(a.x, x)   last(n.i) < 5 }}
purpose high_first for M {{ member(n.i > 4)   some x in 0..2: member(a.x, x) }}
purpose high_last for M {{ some x in 0..2: member(a.x, x)   member(n.i > 4) }}
purpose never_came for M {{ formula {{ eventually n(0) }} and formula {{ some x in 0..0: a(x) }} }}
purpose argument for M {{ member(n.i, (let z = 5; z)) and some x in 0..2: member(a.x, x) }}
purpose argument_last for M {{ some x in 0..2: (member(a.x, x) and member(n.i, (let z = 5; z))) }}
purpose two for M {{ member(n.i > 4) and some x in 0..2: (member(a.x, x) and some y in 0..9: member(n.i, y + x)) }}
purpose pattern for M {{ formula {{ eventually n.i > 4 }}   match P   some x in 0..2: member(a.x, x) }}
pattern P for M {{ free i  a(_); n(i) }}
purpose groups for M {{ some x in 0..2: member(a.x, x)   classes n.i {{ 0, > 4 }} }}
"
        ),
    );
    for (purpose, truth) in [
        ("low_first", "fails"),
        ("low_last", "fails"),
        ("high_first", "holds"),
        ("high_last", "holds"),
        ("never_came", "fails"),
        ("argument", "holds"),
        ("argument_last", "holds"),
        ("two", "holds"),
        ("pattern", "holds"),
    ] {
        assert_eq!(asked.monitored(LOG, purpose, true), truth, "{purpose}");
    }
    for purpose in ["high_first", "high_last", "argument", "argument_last", "two", "pattern", "groups"] {
        asked.is_met_by_what_is_found(purpose);
    }
    asked.found("high_first", 2);
    asked.found("argument", 2);
    asked.found("two", 2);
}

#[test]
fn what_is_no_value_of_a_variable_differs_from_all_of_them() {
    let asked = Asked::new(
        "what_is_no_value_of_a_variable_differs",
        &format!(
            "{EVENTS}
type Even = Int where it % 2 == 0
purpose other for M {{ length 1  first(v) == 5   formula {{ some x in 0..2: v != x }} }}
purpose not_equal for M {{ length 1  first(v) == 5   formula {{ some x in 0..2: !(v == x) }} }}
purpose odd for M {{ length 1  first(v) == 5   formula {{ some x: always v != x }} }}
purpose refined for M {{ length 1  formula {{ some x in Even: n.i != x && n(5) }} }}
purpose lacking for M {{ length 1  member(u) on gate  formula {{ some x in 0..2: n.i != x }} }}
purpose message for M {{ length 1  formula {{ for all x in 3..4: always n.i != x }}   member(n.i, 7) }}
property all_differ for M {{ formula {{ for all x in 3..4: always (a(2) -> v != x) }} }}
property none_differs for M {{ formula {{ for all x in 1..2: always (a(2) -> v != x) }} }}
"
        ),
    );
    asked.found("other", 1);
    asked.found("not_equal", 1);
    asked.found("odd", 1);
    asked.found("refined", 1);
    asked.impossible("lacking");
    asked.found("message", 1);
    asked.is_kept("all_differ");
    asked.broken("none_differs");
    for purpose in ["other", "not_equal", "odd", "refined", "message"] {
        asked.is_met_by_what_is_found(purpose);
    }
}

#[test]
fn a_comparison_without_a_value_is_false_and_nothing_around_it() {
    let asked = Asked::new(
        "a_comparison_without_a_value_is_false",
        &format!(
            "{EVENTS}
fun inverse(n: Int): Int = 12 / n
fun is_inverse(n: Int): Bool = 12 / n == 3
rule guarded {{
  h == 0 && !(1 / h == 7) => holds
  stop => fails
  else => fails
}}
rule guarded_by(k: Int) {{
  k == 9 || 1 / k == 7 || k == 0 => holds
  stop => fails
  else => fails
}}
purpose negated for M {{ length 1  last(v) == 0  member(!(1 / v == 7)) }}
purpose either for M {{ length 1  member((1 / v == 7) || v == 0) }}
purpose other for M {{ length 1  last(v) == 0  first(!(1 / v == 7)) }}
purpose both for M {{ length 1  last(v) == 0  last(!(1 / v == 7 && v == 0)) }}
purpose call for M {{ length 1  last(v) == 0  member(!(inverse(v) > 0) && !is_inverse(v)) }}
purpose formed for M {{ length 1  last(v) == 0  formula {{ !(inverse(v) == 7) }} }}
purpose formed_or for M {{ length 1  last(v) == 0  formula {{ v > 3 || inverse(v) == 7 || v == 0 }} }}
purpose by_rule for M {{ length 1  last(v) == 0  guarded on v }}
purpose by_parameter for M {{ guarded_by(0) on v }}
purpose false_is_one for M {{ length 1  last(v) == 0  member(1 / v == 7, false) }}
purpose inside_let for M {{ length 1  last(v) == 0  member(let z = 0; !(1 / v == 7 + z)) }}
purpose inside_match for M {{ length 1  last(v) == 0  member(v in 0..9 && (match 0 {{ _ => !(1 / v == 7) }})) }}
purpose inside_if for M {{ length 1  last(v) == 0  member(v == 0 && (if v == 0 then !(1 / v == 7) else false)) }}
purpose inside_list for M {{ length 1  last(v) == 0  member(size([x for x in [0] if !(1 / v == 7)]) == 1) }}
purpose inside_each for M {{ length 1  last(v) == 0  member(size([0]) == 1 && (exists x in [0]: !(1 / v == 7))) }}
purpose whole_let for M {{ length 1  last(v) == 0  member(let z = 1 / v; !(z == 7)) }}
purpose absent_inside for M {{ length 1  member(gate == u && (let z = 0; !(n.i == z))) }}
purpose classed for M {{ length 1  last(v) == 0  classes inverse(v) {{ 3 }} }}
property kept for M {{ always !(1 / v == 7) }}
property formed_too for M {{ formula {{ always !(inverse(v) == 7) }} }}
property never_so for M {{ never 1 / v == 7 || v < 0 }}
property broken_so for M {{ never 1 / v == 7 || v == 0 }}
"
        ),
    );
    for purpose in [
        "negated",
        "either",
        "other",
        "both",
        "call",
        "formed",
        "formed_or",
        "by_rule",
        "false_is_one",
        "inside_let",
        "inside_match",
        "inside_if",
        "inside_list",
        "inside_each",
        "absent_inside",
    ] {
        asked.found(purpose, 1);
        asked.is_met_by_what_is_found(purpose);
    }
    asked.found("by_parameter", 0);
    asked.impossible("whole_let");
    asked.impossible("classed");
    for property in ["kept", "formed_too", "never_so"] {
        asked.is_kept(property);
    }
    asked.broken("broken_so");
}

#[test]
fn an_undefined_comparison_in_a_chart_is_false() {
    let asked = Asked::new(
        "an_undefined_comparison_in_a_chart",
        &format!(
            "{EVENTS}
msc Drawn for M {{ env -> M : u   when !(1 / v == 7) }}
msc Either for M {{ env -> M : u   when 1 / v == 7 || v == 0 }}
msc Never for M {{ env -> M : u   when 1 / v == 7 }}
pattern Seen for M {{ u; when !(1 / v == 7); u }}
purpose never for M {{ length 1  chart Never }}
"
        ),
    );
    asked.found("Drawn", 1);
    asked.found("Either", 1);
    asked.impossible("never");
    asked.found("Seen", 2);
}

#[test]
fn only_events_and_open_times_end_what_must_not_happen() {
    let asked = Asked::new(
        "only_events_and_open_times_end",
        "\
sts M {
  in a(), b(), u()
  initial location L
  location A, U, B
  L -> A : ?a
  A -> U : ?u
  U -> B : ?b
}
msc Plain for M { env -> M : a   not { env -> M : u }   env -> M : b }
msc Ticked for M { env -> M : a   not { env -> M : u }   tick   env -> M : b }
msc Twice for M { env -> M : a   not { env -> M : u }   tick   tick   env -> M : b }
msc Timed for M { env -> M : a   not { env -> M : u }   M in U   env -> M : b }
msc When for M { env -> M : a   not { env -> M : u }   when state == U   env -> M : b }
msc Chosen for M { env -> M : a   not { env -> M : u }   opt { tick }   env -> M : b }
msc Rounds for M { env -> M : a   loop { not { env -> M : u }  tick }   env -> M : b }
msc Last for M { env -> M : a   not { env -> M : u }   tick }
msc Later for M { env -> M : a   tick   tick   not { env -> M : u }   env -> M : b }
msc Open for M { env -> M : a   not { env -> M : u }   any   env -> M : b }
msc Before for M { not { env -> M : u }   tick   env -> M : b }
purpose whole for M { length 3   chart Last }
",
    );
    for chart in ["Plain", "Ticked", "Twice", "Timed", "When", "Chosen", "Before", "whole"] {
        asked.impossible(chart);
    }
    // Without a round nothing is forbidden.
    asked.found("Rounds", 3);
    asked.found("Later", 3);
    asked.found("Open", 3);
}

#[test]
fn what_is_said_of_all_steps_holds_of_a_run_without_steps() {
    let asked = Asked::new(
        "what_is_said_of_all_steps_holds_of_none",
        &format!(
            "{EVENTS}
purpose always_formed for M {{ length 0  formula {{ always v == 7 }} }}
purpose always_ruled for M {{ length 0  always(v, 7) }}
purpose never_formed for M {{ length 0  formula {{ never v == 0 }} }}
purpose never_ruled for M {{ length 0  never(v, 0) }}
purpose universal for M {{ length 0  formula {{ universality(v == 7) }} }}
purpose for_all for M {{ length 0  formula {{ for all x: always (v == x -> next v == 7) }} }}
purpose weak for M {{ length 0  formula {{ (v == 7) weak_until (v == 8) }} }}
purpose released for M {{ length 0  formula {{ (v == 7) release (v == 8) }} }}
purpose later_formed for M {{ length 0  formula {{ eventually v == 0 }} }}
purpose later_denied for M {{ length 0  formula {{ eventually !(v == 7) }} }}
purpose later_ruled for M {{ length 0  member(v, 0) }}
purpose until for M {{ length 0  formula {{ (v == 0) until (v == 0) }} }}
purpose first_formed for M {{ length 0  formula {{ v == 0 }} }}
purpose first_ruled for M {{ length 0  first(v) == 0 }}
purpose none_first for M {{ length 0  not first(v) == 0  formula {{ !(v == 0) }} }}
purpose next_one for M {{ length 0  formula {{ next v == 0 }} }}
purpose contrary for M {{ length 0  not formula {{ eventually !(v == 7) }} }}
"
        ),
    );
    for purpose in [
        "always_formed",
        "always_ruled",
        "never_formed",
        "never_ruled",
        "universal",
        "for_all",
        "weak",
        "released",
        "none_first",
        "contrary",
    ] {
        asked.found(purpose, 0);
        assert_eq!(asked.monitored("", purpose, true), "holds", "{purpose}");
    }
    let never = ["later_formed", "later_denied", "later_ruled", "until", "first_formed", "first_ruled", "next_one"];
    for purpose in never {
        asked.impossible(purpose);
        assert_eq!(asked.monitored("", purpose, true), "fails", "{purpose}");
    }
}

#[test]
fn patterns_of_several_variables_are_not_left_out() {
    let asked = Asked::new(
        "patterns_of_several_variables",
        "\
sts V {
  in create(v: 1..2, e: 1..2), step(e: 1..2), update(v: 1..2), other()
  initial location On
  On -> On : ?create(v, e)
  On -> On : ?step(e)
  On -> On : ?update(v)
  On -> On : ?other
}
pattern U for V { free v, e  create(v, e); step(e)*; update(v)+; step(e) }
pattern One for V { free v  create(v, _); update(v) }
pattern Others for V { other; other }
pattern Away for V { free v, e  create(v, e); (create(v, e) | step(e)); any[2..3]; update(v) }
property safe for V { never match U }
property safe_one for V { never match One }
property safe_none for V { never match Others }
property safe_away for V { never match Away }
property formed for V { formula { for all v, e: always (create(v, e) -> never (step(e) && update(v))) } }
property formed_broken for V { formula { for all v, e: always (create(v, e) -> next never step(e)) } }
",
    );
    asked.found("U", 3);
    asked.broken("safe");
    asked.broken("safe_one");
    asked.broken("safe_none");
    asked.broken("safe_away");
    asked.broken("formed_broken");
    let log = "\
{\"gate\": \"create\", \"data\": {\"v\": 1, \"e\": 2}}
{\"gate\": \"update\", \"data\": {\"v\": 1}}
{\"gate\": \"step\", \"data\": {\"e\": 1}}
{\"gate\": \"step\", \"data\": {\"e\": 2}}
{\"gate\": \"other\"}
";
    for (lines, open, ended) in
        [(0, "open", "holds"), (3, "open", "holds"), (4, "fails", "fails"), (5, "fails", "fails")]
    {
        let log: String = log.lines().take(lines).map(|line| format!("{line}\n")).collect();
        assert_eq!(asked.monitored(&log, "safe", false), open, "{lines}");
        assert_eq!(asked.monitored(&log, "safe", true), ended, "{lines}");
    }
    for (property, truth) in [("safe_one", "fails"), ("safe_none", "open"), ("formed_broken", "fails")] {
        assert_eq!(asked.monitored(log, property, false), truth, "{property}");
    }
}

#[test]
fn patterns_of_several_variables_hold_where_nothing_matches() {
    let asked = Asked::new(
        "patterns_of_several_variables_hold",
        "\
sts V {
  in create(v: 1..2, e: 1..2), step(e: 1..2), update(v: 1..2)
  initial location Off
  location On
  Off -> On : ?create(v, e)
  On -> On : ?step(e)
  Off -> Off : ?update(v)
}
pattern U for V { free v, e  create(v, e); step(e)*; update(v)+; step(e) }
property safe for V { never match U }
",
    );
    asked.is_kept("safe");
}

/// All of no values have whatever is asked, and none of them has it: the rest of a purpose stands.
#[test]
fn values_of_an_empty_type_decide_nothing_else() {
    let asked = Asked::new(
        "empty_quantifiers",
        "type No = 0..3 where it > 5\n\
         sts M { in e(z: 0..1)  initial location A  A -> A : t ?e(z) }\n\
         purpose either for M { length 1  member(fired, t) or some x in No: (member(e.z, x)) }\n\
         purpose formulas for M { length 1  member(fired, t) or formula { some x in No: eventually e(x) } }\n\
         purpose none for M { some x in No: (member(e.z, x)) }\n\
         purpose all for M { length 1  formula { for all x in No: e(x) } }\n\
         property nothing for M { formula { some x in No: never e(x) } }\n\
         property everything for M { formula { for all x in No: false } }\n",
    );
    asked.found("either", 1);
    asked.found("formulas", 1);
    asked.impossible("none");
    asked.found("all", 1);
    asked.broken("nothing");
    asked.holds("everything");
}

#[test]
fn values_that_no_step_mentions_are_only_those_of_the_type() {
    let asked = Asked::new(
        "unmentioned_values",
        "type Four = Int where it > 3 && it < 5\n\
         type Zero = Nat where it < 1\n\
         type Either = Int where it in 2..9 && it != 4 && it <= 5 && 4 <= it\n\
         type Other = Int where it != 3\n\
         sts M { in e(z: Int)  initial location A  A -> A : t ?e(z) }\n\
         purpose four for M { length 1  member(e.z, 4)  formula { for all x in Four: e(x) } }\n\
         purpose zero for M { length 1  formula { for all x in Zero: eventually e(x) } }\n\
         purpose either for M { length 1  formula { for all x in Either: eventually e(x) } }\n\
         purpose other for M { length 3  formula { for all x in Other: eventually e(x) } }\n\
         purpose some_other for M { length 1  formula { some x in Other: never e(x) } }\n\
         property never_all for M { formula { some x in Four: never e(x) } }\n\
         property never_all_others for M { formula { some x in Other: never e(x) } }\n",
    );
    for purpose in ["four", "zero", "either", "some_other"] {
        asked.found(purpose, 1);
    }
    asked.impossible("other");
    asked.broken("never_all");
    asked.holds("never_all_others");
}

#[test]
fn a_run_may_mention_all_of_many_values() {
    let asked = Asked::new(
        "all_of_many_values",
        "sts M { in e(x: 0..69)  var next: 0..70 = 0\n\
         initial location A  A -> A : ?e(x) when x == next do next := next + 1 }\n\
         purpose all for M { length 70  formula { for all x in 0..69: eventually e(x) } }\n\
         purpose less for M { length 69  formula { for all x in 0..69: eventually e(x) } }\n",
    );
    asked.found("all", 70);
    asked.impossible("less");
    let asked = Asked::new(
        "monitor_all_of_many_values",
        "sts M { in e(x: 0..299)  initial location A  A -> A : ?e(x) }\n\
         purpose all for M { formula { for all x in 0..299: eventually e(x) } }\n\
         purpose one_missing for M { formula { some x in 0..299: never e(x) } }\n",
    );
    let log = |values: std::ops::Range<usize>| -> String {
        values.map(|x| format!("{{\"gate\": \"e\", \"data\": {{\"x\": {x}}}}}\n")).collect()
    };
    for (values, all, one_missing) in [(0..300, "holds", "fails"), (1..300, "fails", "holds")] {
        assert_eq!(asked.monitored(&log(values.clone()), "all", true), all, "{values:?}");
        assert_eq!(asked.monitored(&log(values.clone()), "one_missing", true), one_missing, "{values:?}");
    }
}

/// Each event shows the value of one variable, and one step has both.
#[test]
fn values_that_one_step_shows_together_are_followed_together() {
    let asked = Asked::new(
        "values_that_one_step_shows_together",
        "sts M {
  in put(x: 0..1), p(x: Int, y: Int)
  initial location L
  L -> L : ?put(x)
  L -> L : ?p(x, y)
}
purpose never_both for M { length == 1  member(gate, put)  formula { for all a, b: put(a) -> !put(b) } }
purpose not_never for M { length == 1  member(gate, put)  not formula { for all a, b: put(a) -> !put(b) } }
purpose no_two for M { length == 1  member(gate, put)  not formula { some a, b: put(a) && put(b) } }
purpose parts for M { length == 1  member(gate, p)  formula { for all a, b: always !(p(a, _) && p(_, b)) } }
purpose once_before for M { length == 1  member(gate, put)  not formula { for all a, b in 0..1: always (put(b) -> !(O put(a))) } }
",
    );
    for purpose in ["not_never", "once_before"] {
        asked.found(purpose, 1);
        assert_eq!(asked.monitored(PUT, purpose, true), "holds", "{purpose}");
    }
    for purpose in ["never_both", "no_two", "parts"] {
        asked.impossible(purpose);
        assert_eq!(asked.monitored(PUT, purpose, true), "fails", "{purpose}");
    }
}

const PUT: &str = "{\"gate\": \"put\", \"data\": {\"x\": 0}}\n";

#[test]
fn the_contrary_of_a_formula_is_judged_as_a_formula() {
    let asked = Asked::new(
        "the_contrary_of_a_formula",
        "sts M { in a() in b() initial location L  L -> L : ?a  L -> L : ?b }
purpose goes_on for M { formula { F (WX a) } }
purpose contrary for M { not formula { F (WX a) } }
purpose inside for M { formula { !(F (WX a)) } }
purpose never_then for M { not formula { G (X !a) } }
purpose both_next for M { not formula { WX (a && b) } }
",
    );
    let log = "{\"gate\": \"b\"}\n";
    for (purpose, running, ended) in [
        ("goes_on", "open", "holds"),
        ("contrary", "open", "fails"),
        ("inside", "open", "fails"),
        ("never_then", "open", "holds"),
        ("both_next", "holds", "fails"),
    ] {
        assert_eq!(asked.monitored(log, purpose, false), running, "{purpose}");
        assert_eq!(asked.monitored(log, purpose, true), ended, "{purpose}");
    }
}
