//! Cases that went wrong once. Each says what must hold.

use std::path::{Path, PathBuf};

use crate::binary::{Output, tracewright};

/// Writes files into a folder of the test's own; returns the path of the first.
fn files(test: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("regressions").join(test);
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.join(name), text).expect("a file");
    }
    folder.join(files[0].0)
}

fn run(command: &str, model: &Path, name: &str, more: &[&str]) -> Output {
    let model = format!("{}{name}", model.display());
    tracewright(&[&[command, &model][..], more].concat())
}

/// Replays a trace beside the model.
fn replay(model: &Path, name: &str, trace: &str) -> i32 {
    let path = model.with_file_name("trace.json");
    std::fs::write(&path, trace).expect("a file");
    run("replay", model, name, &[path.to_str().expect("a plain path")]).code
}

fn simulate(model: &Path, name: &str, trace: &str, seed: &str) -> i32 {
    let path = model.with_file_name("trace.json");
    std::fs::write(&path, trace).expect("a file");
    run("simulate", model, name, &["--inputs", path.to_str().expect("a plain path"), "--seed", seed]).code
}

/// A warning inside a nested system is no reason to overlook a missing source outside.
#[test]
fn loose_ends_are_seen_beside_warnings() {
    let text = "component C { in a: Bool out b: Bool initial state S S -> S : t when a?true do b!true }
        system In { x: C in a -> x.a }
        system Out { i: In y: C in q -> y.a y.b -> out r }";
    let model = files("loose_ends", &[("m.tw", text)]);
    let output = run("explore", &model, "#Out", &[]);
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("E0405"), "{}", output.stderr);
}

#[test]
fn an_index_stands_once() {
    let text = "component C { in a: Bool initial state S S -> S : t when a?true }
        system E { c[i in [1, 1]]: C in a -> c[1].a }";
    let output = run("check", &files("index_once", &[("m.tw", text)]), "", &[]);
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("`c[1]` is declared twice"), "{}", output.stderr);
}

/// Types that contain themselves through others have infinitely many values.
#[test]
fn recursion_through_other_types_is_infinite() {
    for (test, types) in [
        ("option", "type T = | Node(Option<T>)"),
        ("set", "type T = A | B(Set<T>)"),
        ("refined", "type T = A | B(U)\ntype U = T where it != A"),
    ] {
        let text = format!("{types}\ncomponent C {{ in a: T initial state S S -> S : t when a?_ }}");
        let output = run("explore", &files(test, &[("m.tw", &text)]), "", &[]);
        assert_eq!(output.code, 2, "{test}");
        assert!(output.stderr.contains("E0607"), "{}", output.stderr);
    }
}

/// A variable and a parameter of the same name are two things.
#[test]
fn initial_values_do_not_bind_parameters() {
    let text = "sts S { in g(x: 0..2) var x: 0..2 = 0 initial location L L -> L : ?g(y) when y != x do x := y }";
    let model = files("same_name", &[("m.tw", text)]);
    assert_eq!(replay(&model, "", r#"{"steps": [{"gate": "g"}]}"#), 0);
    assert_eq!(replay(&model, "", r#"{"initial": {"vars": {"x": 0}}, "steps": [{"gate": "g"}]}"#), 0);
    assert_eq!(replay(&model, "", r#"{"initial": {"vars": {"x": 1}}, "steps": [{"gate": "g"}]}"#), 1);
    assert_eq!(replay(&model, "", r#"{"initial": {"state": {"S": "L"}}, "steps": []}"#), 0);
}

const CHOICE: &str = "sts H {
    in a() out b()
    initial location L location M, N
    L -> M : ?a
    L -> N : ?a
    M -> N : tau
    N -> L : !b
}";

/// Saying more that is true does not make a run foreign.
#[test]
fn true_details_are_accepted() {
    let model = files("details", &[("m.tw", CHOICE)]);
    assert_eq!(replay(&model, "", r#"{"steps": [{"gate": "a"}, {"gate": "b", "fired": {"H": "N.b.1"}}]}"#), 0);
    assert_eq!(replay(&model, "", r#"{"steps": [{"gate": "a", "state": {"H": "M"}}, {"gate": "b"}]}"#), 0);
}

#[test]
fn silence_and_internal_steps_carry_nothing() {
    let model = files("nothing", &[("m.tw", CHOICE)]);
    assert_eq!(replay(&model, "", r#"{"steps": [{"gate": "delta"}]}"#), 0);
    assert_eq!(replay(&model, "", r#"{"steps": [{"gate": "a"}, {"gate": "delta"}]}"#), 1);
    for step in [
        r#"{"gate": "delta", "fired": {"H": "L.a.1"}}"#,
        r#"{"gate": "delta", "data": {"z": 1}}"#,
        r#"{"gate": "tau", "dir": "out"}"#,
    ] {
        assert_eq!(replay(&model, "", &format!(r#"{{"steps": [{step}]}}"#)), 2, "{step}");
    }
}

/// Whether a trace can be simulated does not depend on the seed.
#[test]
fn simulation_finds_the_way_a_trace_needs() {
    let model = files("way", &[("m.tw", CHOICE)]);
    for seed in ["0", "1", "2", "3", "4", "5"] {
        assert_eq!(simulate(&model, "", r#"{"steps": [{"gate": "a"}, {"gate": "tau"}]}"#, seed), 0);
        assert_eq!(simulate(&model, "", r#"{"steps": [{"gate": "a"}, {"gate": "b"}, {"gate": "a"}]}"#, seed), 0);
        assert_eq!(simulate(&model, "", r#"{"steps": [{"gate": "a"}, {"gate": "a"}]}"#, seed), 1);
    }
    assert_eq!(simulate(&model, "", r#"{"steps": [{"gate": "delta"}]}"#, "0"), 2);
}

/// A limit in a refinement is neither yes nor no.
#[test]
fn limits_are_no_answers() {
    let text = "fun loop(n: Int): Int = loop(n + 1)
        type T = Int where it > 5 || loop(it) > 0
        sts S { in g() var x: T = any initial location L L -> L : ?g }";
    let model = files("limit", &[("m.tw", text)]);
    assert_eq!(run("explore", &model, "", &["--values", "x={1, 7}"]).code, 3);
    assert_eq!(run("explore", &model, "", &["--values", "x={7, 8}"]).code, 0);
}

#[test]
fn values_of_an_alias_are_values_of_its_type() {
    let text = "type Id = Int sts S { in g(x: Id) var v: Id = 0 initial location L L -> L : ?g(x) do v := x }";
    let output = run("explore", &files("alias", &[("m.tw", text)]), "", &["--values", "Id=0..1"]);
    assert!(output.stdout.starts_with("2 states, 4 transitions"), "{}{}", output.stdout, output.stderr);
}

#[test]
fn silence_is_no_name_of_a_gate() {
    let text = "sts S { in delta() initial location L L -> L : ?delta }";
    assert_eq!(run("check", &files("delta", &[("m.tw", text)]), "", &[]).code, 2);
}

#[test]
fn a_border_has_one_direction_for_a_name() {
    let text = "component F { in d: Bool out o: Bool initial state S S -> S : t when d?x do o!x }
        system E { f: F in x -> f.d f.o -> out x }";
    assert_eq!(run("check", &files("border", &[("m.tw", text)]), "", &[]).code, 2);
}

/// Random inputs are drawn one by one, however many combinations there are.
#[test]
fn many_inputs_can_be_simulated() {
    let channels: Vec<String> = (0..20).map(|i| format!("i{i}: Bool")).collect();
    let text = format!("component C {{ in {} initial state S S -> S : t }}", channels.join(", "));
    run("simulate", &files("inputs", &[("m.tw", &text)]), "", &["--steps", "3"]).succeeds();
}

/// Nothing in a trace's surroundings is mistaken for it.
#[test]
fn a_trace_is_found_where_its_steps_are() {
    let model = files("surroundings", &[("m.tw", CHOICE)]);
    let suite = r#"{"of": "states", "steps": 3, "suite": [{"steps": [{"gate": "a"}]}]}"#;
    assert_eq!(replay(&model, "", suite), 0);
}

/// What simulate writes replay reads, however deep the data is; what is deeper than any data is refused.
#[test]
fn deep_values_can_be_replayed() {
    let text =
        "type N = Zero | Next(N) sts S { in g() var n: N = Zero initial location L L -> L : ?g do n := Next(n) }";
    let model = files("deep", &[("m.tw", text)]);
    let run = run("simulate", &model, "", &["--steps", "300", "--json"]);
    assert_eq!(replay(&model, "", &run.stdout), 0);
    assert_eq!(replay(&model, "", &"[".repeat(1_000_000)), 2);
}

/// One slip gives one message, with the help that people need.
#[test]
fn slips_are_explained_once() {
    for (test, transition, help) in [
        ("is", "S -> S : t when n = 2 do o!true", "write `==`"),
        ("assign", "S -> S : t do n = n + 1, o!true", "write `:=`"),
        ("and", "S -> S : t when n > 1 and n < 3 do o!true", "`&&`"),
        ("chain", "S -> S : t when 0 <= n < 3 do o!true", "do not chain"),
        ("if", "S -> S : t if n > 1 do o!true", "`when`"),
    ] {
        let text = format!("component C {{ out o: Bool var n: Int = 0 initial state S\n  {transition}\n}}");
        let output = run("check", &files(test, &[("m.tw", &text)]), "", &["--json"]);
        let json: serde_json::Value = serde_json::from_str(&output.stdout).expect("JSON");
        let errors = json["errors"].as_array().expect("errors");
        assert_eq!(errors.len(), 1, "{test}: {json}");
        assert!(errors[0]["help"].as_str().is_some_and(|h| h.contains(help)), "{test}: {json}");
    }
}

/// Answers a purpose for a counter of inputs; returns the first line and the exit code.
fn answer(test: &str, rest: &str, purpose: &str) -> (String, i32) {
    let counter = "component Counter {
        in add: Int
        var sum: Int = 0
        initial state S
        S -> S : add when add?n do sum := sum + n
    }";
    let model = files(test, &[("m.tw", &format!("{counter}\n{rest}"))]);
    let output = run("gen", &model, "", &["-p", purpose]);
    (output.stdout.lines().next().unwrap_or_default().to_owned(), output.code)
}

/// A rule that remembers more and more has no finite graph of control.
#[test]
fn what_grows_without_end_is_left_to_the_search() {
    let (line, code) = answer("unique", "purpose p for Counter { length 3   unique(add)   always(add?_) }", "p");
    assert_eq!((line.as_str(), code), ("p: found in 3 steps, no shorter run exists", 0));
}

/// `stop` is a condition like others: false at an element, true at the end.
#[test]
fn stop_stands_anywhere_in_a_guard() {
    let rules = "rule within(n: Int, x) {
            n >= 0 && h == x && !stop => holds
            stop || n <= 0            => fails
            else                      => within(n - 1, x)
        }
        purpose early for Counter { within(2, 5) on sum   never(fired, idle)   first(add) == 1   first(sum) == 1 }
        purpose late for Counter { within(0, 5) on sum   first(add) == 1 }";
    assert_eq!(answer("stop", rules, "early"), ("early: found in 2 steps, no shorter run exists".to_owned(), 0));
    assert_eq!(answer("stop", rules, "late"), ("late: impossible".to_owned(), 1));
}

/// The default of a parameter is written with the rule; names of the purpose do not get into it.
#[test]
fn a_default_does_not_see_the_place_of_use() {
    let rules = "const limit = 3
        rule reaches(x = limit) { h == x => holds stop => fails else => reaches(x) }
        purpose p(limit: Int) for Counter { length 1   reaches on sum   last(sum) == limit }";
    assert_eq!(answer("default", rules, "p(2)"), ("p(2): impossible".to_owned(), 1));
    assert_eq!(answer("default", rules, "p(3)"), ("p(3): found in 1 step, no shorter run exists".to_owned(), 0));
}

/// A test for presence has a value on an absent element, also inside a comparison.
#[test]
fn presence_can_be_compared() {
    let purpose = "purpose p(b: Bool) for Counter { first(add?_) == b }";
    assert_eq!(
        answer("presence", purpose, "p(true)"),
        ("p(true): found in 1 step, no shorter run exists".to_owned(), 0)
    );
    assert_eq!(
        answer("presence", purpose, "p(false)"),
        ("p(false): found in 1 step, no shorter run exists".to_owned(), 0)
    );
}

/// A clause may begin with a test for presence; states, gates and `tau` are named like other values.
#[test]
fn elements_are_tested_and_named() {
    let door = "sts Door {
            in open(n: Int), close()
            initial location Closed
            location Open
            Closed -> Open : ?open(n)
            Open -> Closed : ?close
            Open -> Open : tau
        }
        rule present { h?_ => holds stop => fails else => present }
        purpose q for Door { present on open.n   member(gate, tau)   initial(state) == Closed   last(state) == Closed }";
    assert_eq!(answer("elements", door, "q"), ("q: found in 3 steps, no shorter run exists".to_owned(), 0));
}

/// All that is printed for a purpose, with its exit code.
fn gen_text(model: &Path, more: &[&str]) -> (i32, String) {
    // Where a search has no end again, the limit makes the test fail instead of wait.
    let output = run("gen", model, "", &[more, &["--time", "30"]].concat());
    (output.code, output.stdout)
}

/// A tick in a composition has outputs among its data; only its inputs are given to the interpreter.
#[test]
fn a_tick_with_outputs_is_replayed_in_a_composition() {
    let text = "component E { in i: 0..1 out o: 0..1 initial state S S -> S : echo when i?x do o!x }
        sts B { in press() initial location L L -> L : ?press }
        system Both = E || B
        purpose ticks for Both { member(tick.o, 1) }";
    let model = files("tick_in_composition", &[("m.tw", text)]);
    for engine in ["auto", "symbolic", "explicit", "unrolled"] {
        let (code, text) = gen_text(&model, &["--engine", engine]);
        assert!(code == 0 && text.contains("found in 1 step"), "{engine}: {code} {text}");
    }
}

/// A hidden gate shows no data; what the switch says of it is all there is to know.
#[test]
fn data_of_a_hidden_gate_is_found_inside_constructors() {
    let text = "sts C { out g(o: Option<Int>) initial location L location M L -> M : !g(Some(3)) }
        system S = C hide { g }
        purpose steps for S { member(gate, tau) }";
    let model = files("hidden_constructor", &[("m.tw", text)]);
    let output = run("gen", &model, "", &["--json"]);
    output.succeeds();
    assert_eq!(replay(&model, "#S", &output.stdout), 0);
}

/// An input that would leave the range may have been absent as well: idling tells nothing of the variable.
#[test]
fn idling_does_not_make_states_without_end() {
    let text = "component X { in a: -1..3 var s: 0..4 = 1 initial state P P -> P : add when a?x do s := s + x }
        purpose outside for X { member(s > 4)   expect impossible }
        purpose least for X { last(s) == 0   count(2, add) on fired }";
    let model = files("idling", &[("m.tw", text)]);
    let (code, text) = gen_text(&model, &["--engine", "symbolic"]);
    assert!(code == 0 && text.contains("all 2 symbolic states"), "{code} {text}");
}

/// Where the solver gives up again and again, another engine gets its turn.
#[test]
fn products_and_quotients_do_not_keep_the_other_engines_waiting() {
    let text = "component X { in a: -1..3 out y: Int var s: 0..4 = 1 initial state P
          P -> P : add when a?x do s := s + x, y!(s * x) }
        purpose d for X { length <= 3   member(y / (s - 1) == 2)   expect impossible }";
    let model = files("products", &[("m.tw", text)]);
    let (code, text) = gen_text(&model, &[]);
    assert!(code == 0 && text.contains("impossible"), "{code} {text}");
}

/// Parts that know nothing of each other need runs of one length: here of 6 steps, for one is ready every second step, the other every third.
#[test]
fn independent_parts_agree_on_a_length() {
    let text = "component Two { out o: Bool initial state A state B A -> B : b B -> A : a do o!true }
        component Three { out o: Bool initial state A state B, C A -> B : b B -> C : c C -> A : a do o!true }
        system Both { x: Two y: Three x.o -> out x y.o -> out y }
        purpose together for Both { last(x.fired) == a   last(y.fired) == a }
        purpose never for Both { last(x.fired) == a   last(y.fired) == a   length 7 }";
    let model = files("independent", &[("m.tw", text)]);
    let (code, text) = gen_text(&model, &["-p", "together"]);
    assert!(code == 0 && text.contains("found in 6 steps, no shorter run exists"), "{code} {text}");
    let (code, text) = gen_text(&model, &["-p", "never"]);
    assert!(code == 1 && text.contains("impossible"), "{code} {text}");
}

/// Where an event is possible and a recorded value is not the one after it, the value is what is wrong.
#[test]
fn a_recorded_value_that_differs_is_said() {
    let text = "sts M {
          out b()
          var n: Nat = 0
          initial location I
          location K
          I -> K : go tau do n := 5
          K -> K : kb !b
        }";
    let model = files("recorded_value", &[("m.tw", text)]);
    let trace = model.with_file_name("trace.json");
    std::fs::write(&trace, r#"{"steps": [{"gate": "b", "vars": {"n": 4}}]}"#).expect("a file");
    let output = run("replay", &model, "", &[trace.to_str().expect("a plain path")]);
    assert_eq!(output.code, 1);
    assert!(output.stdout.contains("`n` is recorded as 4, and is 5 here"), "{}", output.stdout);
    assert!(!output.stdout.contains("leaves state"), "{}", output.stdout);
}
