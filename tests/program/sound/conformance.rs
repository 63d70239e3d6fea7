//! Conformance: its premises, its parts, and hidden steps that never end.

use super::Asked;
use crate::binary::tracewright;

/// What `conform` says of two models of a file, as text, with its exit code.
fn said(asked: &Asked, implementation: &str, specification: &str, more: &[&str]) -> (i32, String) {
    let sides = [asked.named(implementation), asked.named(specification)];
    let output = tracewright(&[&["conform", &sides[0], &sides[1]][..], more].concat());
    (output.code, output.stdout + &output.stderr)
}

/// A queue that takes more while it is asked, and a specification that may lose what it has, unseen, and takes more only while it
/// has some.
const LOSSY: &str = "
sts Queue {
  in enq(), deq()
  out item(), empty()
  var n: 0..24 = 0
  initial location L
  location Asked, Stuck
  L -> L : ?enq when n < 24 do n := n + 1
  L -> Asked : ?deq
  Asked -> Stuck : ?enq
  Asked -> L : !item when n > 0 do n := n - 1
  Asked -> L : !empty when n == 0
}
sts Lossy {
  in enq(), deq()
  out item(), empty()
  var n: 0..24 = 0
  initial location L
  location Asked
  L -> L : ?enq when n < 24 do n := n + 1
  L -> L : ?enq when n == 24
  L -> Asked : ?deq
  Asked -> Asked : tau when n > 0 do n := n - 1
  Asked -> Asked : ?enq when n > 3 do n := n - 1
  Asked -> L : !item when n > 0 do n := n - 1
  Asked -> L : !empty when n == 0
}
";

/// After 22 inputs the symbolic engine does not know all the places that the specification may be in.
#[test]
fn inputs_that_some_place_refuses_are_no_obligation() {
    let asked = Asked::new("lossy_queue", LOSSY);
    let universally = ["--complete", "ignore", "--uioco"];
    asked.conforms("#Queue", "#Lossy", &universally, true);
    // Without the premise it is stuck where the specification goes on.
    asked.conforms("#Queue", "#Lossy", &["--complete", "ignore"], false);
}

/// The same with data, and with a place that refuses only for some of it.
#[test]
fn places_refuse_inputs_by_their_data() {
    let text = "
sts Impl {
  in a(), b(x: 0..3)
  out r(), s()
  initial location L0
  location L1, L2
  L0 -> L1 : ?a
  L1 -> L2 : ?b(x)
  L2 -> L2 : !s
}
sts Spec {
  in a(), b(x: 0..3)
  out r(), s()
  var v: 0..3 = 0
  initial location L0
  location L1, L2, L3
  L0 -> L1 : ?a
  L0 -> L1 : ?a do v := 2
  L1 -> L2 : ?b(x) when x < v
  L1 -> L3 : ?b(x) when x >= LIMIT
  L2 -> L2 : !s
  L3 -> L3 : !r
}
";
    let universally = ["--complete", "ignore", "--uioco"];
    // In one of both places nothing below 2 is taken, and from there on !r must be shown.
    let asked = Asked::new("refused_by_data", &text.replace("LIMIT", "2"));
    asked.conforms("#Impl", "#Spec", &universally, false);
    let asked = Asked::new("refused_by_no_data", &text.replace("LIMIT", "2 && v == 0"));
    asked.conforms("#Impl", "#Spec", &universally, true);
    asked.conforms("#Impl", "#Spec", &["--complete", "ignore"], false);
}

/// Busy for ever, the specification takes no input in one of its places.
#[test]
fn a_place_that_is_busy_for_ever_refuses_what_it_never_takes() {
    let asked = Asked::new(
        "busy_refuses",
        "
sts Impl {
  in a(), b()
  out r(), s()
  initial location L0
  location L1, L2
  L0 -> L1 : ?a
  L1 -> L2 : ?b
  L2 -> L2 : !s
}
sts Spec {
  in a(), b()
  out r(), s()
  initial location L0
  location L1, L2, L3
  L0 -> L1 : ?a
  L0 -> L2 : ?a
  L1 -> L1 : tau
  L2 -> L3 : ?b
  L3 -> L3 : !r
}
",
    );
    asked.conforms("#Impl", "#Spec", &["--complete", "ignore", "--uioco"], true);
    asked.conforms("#Impl", "#Spec", &["--complete", "ignore"], false);
}

/// Parts that share nothing: one without outputs, one with an input that nobody takes, one that is fine.
const PARTS: &str = "
sts Sink { in put()  initial location S  S -> S : ?put }
sts Deaf { in call(n: 0..2)  out ring()  initial location D  D -> D : !ring }
sts Lamp { in push()  out light()  initial location Off  location On  Off -> On : ?push  On -> On : ?push  On -> Off : !light }
sts Mute { in call(n: 0..2)  initial location M }
system Two = Sink || Deaf
system Three = Sink || Deaf || Lamp
system Silent = Sink || Lamp || Mute
system Fine = Sink || Lamp
";

#[test]
fn an_input_that_nobody_takes_is_an_error_whether_split_or_not() {
    let asked = Asked::new("parts_that_refuse", PARTS);
    for model in ["#Two", "#Three", "#Silent"] {
        for engine in ["auto", "symbolic", "explicit", "induction"] {
            let more: &[&str] = if engine == "auto" { &[] } else { &["--engine", engine] };
            let (code, text) = said(&asked, model, model, more);
            assert!(code == 2 && text.contains("E0803") && text.contains("`?call(0)`"), "{model}, {engine}: {text}");
        }
        asked.conforms(model, model, &["--complete", "ignore"], true);
    }
    asked.conforms("#Fine", "#Fine", &[], true);
}

/// A part that is wrong at once does not hide that another one refuses an input.
#[test]
fn a_wrong_part_hides_no_error_of_another_one() {
    let text = PARTS.to_owned()
        + "
sts Loud { in put()  out cry()  initial location S  S -> S : ?put  S -> S : !cry }
sts Calm { in put()  out cry()  initial location S  S -> S : ?put }
system Bad = Loud || Deaf || Lamp
system Good = Calm || Deaf || Lamp
";
    let asked = Asked::new("wrong_part", &text);
    let (code, text) = said(&asked, "#Bad", "#Good", &[]);
    assert!(code == 2 && text.contains("E0803"), "{text}");
    asked.conforms("#Bad", "#Good", &["--complete", "ignore"], false);
}

/// The whole may be silent because one part is busy, though another part has something to show.
#[test]
fn parts_that_are_busy_for_ever_are_not_compared_apart() {
    let asked = Asked::new(
        "busy_part",
        "
sts Busy { in a()  initial location L  L -> L : tau  L -> L : ?a }
sts Still { in a()  initial location L  L -> L : ?a }
sts Shown { in b()  out r()  initial location L  L -> L : ?b  L -> L : !r }
system Impl = Busy || Shown
system Spec = Still || Shown
",
    );
    asked.conforms("#Impl", "#Spec", &[], false);
    asked.conforms("#Spec", "#Impl", &[], true);
    asked.conforms("#Busy", "#Still", &[], true);
}

/// Hidden steps that go round, or come to an end, over one location or several.
fn poll(loops: &str) -> String {
    format!(
        "
sts Poll {{
  in stop()
  out ready()
  var n: 0..3 = 0, c: Nat = 0
  initial location Waiting
  location Looking, Ready
  {loops}
  Waiting -> Ready : see tau
  Waiting -> Waiting : ?stop
  Looking -> Looking : ?stop
  Ready -> Ready : ?stop
  Ready -> Waiting : !ready
}}
sts Quiet {{
  in stop()
  out ready()
  initial location Q
  Q -> Q : ?stop
}}
sts Prompt {{
  in stop()
  out ready()
  initial location P
  P -> P : ?stop
  P -> P : !ready
}}
"
    )
}

/// What the three readers of silence say of `Poll`: `conform`, both ways; `replay` and `monitor`; and `check`.
fn is_silent(test: &str, loops: &str, truth: bool) {
    let asked = Asked::new(test, &poll(loops));
    asked.conforms("#Quiet", "#Poll", &[], truth);
    asked.conforms("#Prompt", "#Poll", &[], true);
    // Whoever allows no silence allows none of a model that may be busy.
    asked.conforms("#Poll", "#Prompt", &[], !truth);
    let log = asked.beside("silence.jsonl", "{\"gate\": \"delta\"}\n{\"gate\": \"stop\"}\n");
    let trace = asked.beside("silence.json", "{\"steps\": [{\"gate\": \"delta\"}, {\"gate\": \"stop\"}]}");
    for (command, file) in [("monitor", &log), ("replay", &trace)] {
        let output = tracewright(&[command, &asked.named("#Poll"), file]);
        assert_eq!(output.code == 0, truth, "{command}: {}{}", output.stdout, output.stderr);
    }
    let output = tracewright(&["check", &asked.named("#Poll")]);
    assert_eq!((output.stdout + &output.stderr).contains("W0110"), truth);
}

#[test]
fn silence_is_allowed_where_hidden_steps_never_end() {
    is_silent("busy_alone", "Waiting -> Waiting : look tau", true);
    is_silent("busy_around", "Waiting -> Looking : go tau  Looking -> Waiting : back tau", true);
    is_silent("busy_by_data", "Waiting -> Waiting : look tau do n := 3 - n", true);
    is_silent(
        "busy_after_a_while",
        "Waiting -> Waiting : look tau when n < 3 do n := n + 1  Waiting -> Waiting : stay tau when n == 3",
        true,
    );
}

#[test]
fn silence_is_not_allowed_where_hidden_steps_come_to_an_end() {
    is_silent("not_busy", "", false);
    is_silent("not_busy_by_data", "Waiting -> Waiting : look tau when n < 3 do n := n + 1", false);
    is_silent(
        "not_busy_around",
        "Waiting -> Looking : go tau when n < 2 do n := n + 1  Looking -> Waiting : back tau",
        false,
    );
}

/// Data that grows is no end; what is not decided is not said.
#[test]
fn silence_is_allowed_where_hidden_steps_make_data_grow() {
    for (test, loops) in [
        ("busy_growing", "Waiting -> Waiting : look tau do c := c + 1"),
        ("busy_growing_around", "Waiting -> Looking : go tau do c := c + 2  Looking -> Waiting : back tau when c > 0"),
    ] {
        let asked = Asked::new(test, &poll(loops));
        for engine in ["symbolic", "induction"] {
            let more = ["--engine", engine, "--time", "2", "--json"];
            let (code, text) = said(&asked, "#Quiet", "#Poll", &more);
            assert!(code == 0 || code == 3, "{test}, {engine}: {text}");
            // It may be silent at once, and that it conforms is not said of any depth.
            let (code, text) = said(&asked, "#Poll", "#Prompt", &more);
            assert!((code == 1 || code == 3) && !text.contains("\"conforms\":true"), "{test}, {engine}: {text}");
        }
        let output = tracewright(&["check", &asked.named("#Poll")]);
        assert_eq!((output.stdout + &output.stderr).contains("W0110"), test == "busy_growing");
    }
}

/// Two machines that talk for ever, unseen; and a lock-step system whose ticks are hidden.
#[test]
fn hidden_meetings_and_ticks_are_hidden_steps() {
    let asked = Asked::new(
        "hidden_meetings",
        "
sts Left { out a(x: 0..1), r()  initial location L0  location L1  L0 -> L1 : !a(x)  L1 -> L0 : !a(x)  L0 -> L0 : !r }
sts Right { in a(x: 0..1)  var v: 0..1 = 0  initial location R0  R0 -> R0 : ?a(x) when x == v do v := 1 - v }
system Talk = (Left || Right) hide { a }
sts Once { out r()  initial location L  L -> L : !r }
sts Never { out r()  initial location L }
component Clock { var n: 0..1 = 0  initial state S  S -> S : t do n := 1 - n }
system Ticking = (Clock || Once) hide { tick }
",
    );
    for busy in ["#Talk", "#Ticking"] {
        asked.conforms("#Never", busy, &[], true);
        asked.conforms("#Once", busy, &[], true);
        asked.conforms(busy, "#Once", &[], false);
        let output = tracewright(&["check", &asked.named(busy)]);
        assert!((output.stdout + &output.stderr).contains("W0110"), "{busy}");
    }
    asked.conforms("#Never", "#Once", &[], false);
}

/// Silence does not fail a generated test where the model may be busy for ever.
#[test]
fn scripts_allow_silence_where_hidden_steps_never_end() {
    let purpose = "purpose p for Poll { length 2  last(gate) == ready }\n";
    for (test, loops, truth) in [
        ("script_busy", "Waiting -> Waiting : look tau when n <= 3 do n := 3 - n", true),
        ("script_not_busy", "Waiting -> Waiting : look tau when n < 3 do n := n + 1", false),
    ] {
        let asked = Asked::new(test, &(poll(loops) + purpose));
        let output = asked.run("gen", &["-p", "p", "--format", "table"]);
        let silent = output.stdout.lines().find(|line| line.contains("? nothing")).map(str::to_owned);
        let verdict = if truth { "inconclusive" } else { "fail" };
        assert!(
            silent.as_ref().is_some_and(|line| line.contains(verdict)) || (!truth && silent.is_none()),
            "{test}: {}",
            output.stdout
        );
    }
}

#[test]
fn gates_of_different_direction_are_not_renamed_to_one() {
    let asked = Asked::new(
        "renamed_directions",
        "
sts Echo { in ask(x: 0..3)  out answer(x: 0..3)  initial location l  l -> l : ?ask(x)  l -> l : !answer(x) }
system Mixed = Echo rename { ask -> talk, answer -> talk }
system Onto = Echo rename { answer -> ask }
system Swapped = Echo rename { ask -> answer, answer -> ask }
",
    );
    let trace = asked.beside("delta.json", "{\"steps\": [{\"gate\": \"delta\"}]}");
    for model in ["#Mixed", "#Onto"] {
        let output = tracewright(&["replay", &asked.named(model), &trace]);
        assert!(output.code == 2 && output.stderr.contains("E0504"), "{model}: {}{}", output.stdout, output.stderr);
    }
    asked.conforms("#Swapped", "#Swapped", &[], true);
}

/// Side by side, two models may declare one gate with different types: an input is in one of them, not in the first.
#[test]
fn inputs_of_all_declared_types_are_looked_at() {
    let asked = Asked::new(
        "declared_types",
        "
sts Narrow { in g(x: 0..1)  out r()  initial location L  L -> L : ?g(x) }
sts Wide {
  in g(x: 0..5)
  out r()
  initial location L
  location M
  L -> L : ?g(x) when x < 4
  L -> M : ?g(x) when x >= 4
  M -> M : !r
  M -> M : ?g(x)
}
sts Calm { in g(x: 0..5)  out r()  initial location L  L -> L : ?g(x) }
sts Deaf { in g(x: 0..5)  out r()  initial location L  L -> L : ?g(x) when x < 4 }
system Impl = Narrow ||| Wide
system Spec = Narrow ||| Calm
system Half = Narrow ||| Deaf
",
    );
    asked.conforms("#Impl", "#Spec", &["--complete", "ignore"], false);
    asked.conforms("#Impl", "#Spec", &[], false);
    asked.conforms("#Spec", "#Spec", &[], true);
    let (code, text) = said(&asked, "#Half", "#Spec", &[]);
    assert!(code == 2 && text.contains("E0803"), "{text}");
}

/// Two outputs at one gate are two events, also where the second is the wrong one of a counterexample.
#[test]
fn the_wrong_event_of_a_counterexample_is_an_event_of_its_own() {
    let asked = Asked::new(
        "same_gate_again",
        "sts Twice { out z()  initial location L  location M  location N  L -> M : !z  M -> N : !z }\n\
         sts Once { out z()  initial location L  location M  L -> M : !z }\n",
    );
    let output = tracewright(&["conform", &asked.named("#Twice"), &asked.named("#Once"), "--json"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let found = asked.beside("found.json", &output.stdout);
    for (model, code) in [("#Twice", 0), ("#Once", 1)] {
        let replayed = tracewright(&["replay", &asked.named(model), &found]);
        assert_eq!(replayed.code, code, "{model}: {}", replayed.stdout);
    }
}

/// Between the inputs and the outputs of a tick nothing but outputs is allowed.
#[test]
fn outputs_of_a_tick_are_allowed_instead_of_others() {
    let asked = Asked::new(
        "allowed_outputs",
        "component Two { in i: 0..1  out o: 0..2  initial state S  S -> S : e when i?x do o!2 }\n\
         component Other { in i: 0..1  out o: 0..2  initial state S  S -> S : e when i?x do o!x  S -> S : f when i?_ do o!1 }\n",
    );
    let output = tracewright(&["conform", &asked.named("#Two"), &asked.named("#Other"), "--json"]);
    let found: serde_json::Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(found["counterexample"]["allowed"], serde_json::json!(["!tick(0)", "!tick(1)"]), "{found}");
}

/// What `replay` says of a trace.
fn replayed(asked: &Asked, steps: &str, more: &[&str]) -> i32 {
    let trace = asked.beside("trace.json", &format!("{{\"steps\": [{steps}]}}"));
    tracewright(&[&["replay", &asked.named(""), &trace][..], more].concat()).code
}

/// A completion only adds runs: chaos that one state leads to is no reason to forget another one, which may speak again after a
/// silence.
#[test]
fn chaos_goes_on_beside_the_states_that_are_left() {
    let asked = Asked::new(
        "chaos_beside_states",
        "sts M { in a()  out p()  initial location A  location B
           A -> A : tau  A -> A : !p  A -> B : !p  B -> A : ?a }
         sts S { in a()  out p()  initial location A  location B, C, Q
           A -> A : tau  A -> A : !p  A -> B : !p  B -> C : ?a
           C -> C : !p  C -> Q : tau  C -> C : ?a  Q -> C : ?a }",
    );
    let trace = r#"{"gate":"p"},{"gate":"a"},{"gate":"delta"},{"gate":"p"}"#;
    let path = asked.beside("trace.json", &format!("{{\"steps\": [{trace}]}}"));
    for more in [&[][..], &["--complete", "ignore"], &["--complete", "chaos"]] {
        let output = tracewright(&[&["replay", &asked.named("#M"), &path][..], more].concat());
        assert_eq!(output.code, 0, "{more:?}: {}", output.stdout);
    }
    asked.conforms("#M", "#S", &["--complete", "chaos"], false);
}

/// Data that a trace does not tell may be such that the input is refused.
#[test]
fn an_input_without_its_data_may_be_one_that_is_refused() {
    let asked = Asked::new(
        "input_without_data",
        "sts M { in a(k: Bool)  out p()  initial location A  location B  A -> B : ?a(true)  B -> A : !p  B -> B : !p }",
    );
    let silence = r#"{"gate":"a"},{"gate":"delta"}"#;
    let output = r#"{"gate":"a","data":{"k":false}},{"gate":"p"}"#;
    assert_eq!(replayed(&asked, silence, &[]), 1);
    for completion in ["ignore", "chaos"] {
        assert_eq!(replayed(&asked, silence, &["--complete", completion]), 0, "{completion}");
        // What is refused fires nothing.
        let fired = r#"{"gate":"a","data":{"k":false},"fired":{"M":"A.a.1"}}"#;
        assert_eq!(replayed(&asked, fired, &["--complete", completion]), 1, "{completion}");
    }
    assert_eq!(replayed(&asked, output, &["--complete", "ignore"]), 1);
    assert_eq!(replayed(&asked, output, &["--complete", "chaos"]), 0);
}

/// A step of any kind may be an input that is refused; and after silence chaos waits for an input.
#[test]
fn steps_of_any_kind_may_be_refused_inputs() {
    let asked = Asked::new("steps_of_any_kind", "sts M { in g()  out o()  initial location A }");
    let (g, delta, o, tau) = (r#"{"gate":"g"}"#, r#"{"gate":"delta"}"#, r#"{"gate":"o"}"#, r#"{"gate":"tau"}"#);
    let of = |steps: &[&str], completion: &str| replayed(&asked, &steps.join(","), &["--complete", completion]);
    for completion in ["ignore", "chaos"] {
        for steps in [&[g][..], &["{}"], &[r#"{"state":{"M":"A"}}"#], &[g, "{}"], &[g, delta, "{}"]] {
            assert_eq!(of(steps, completion), 0, "{completion}: {steps:?}");
        }
        for steps in [&[g, delta, o][..], &[g, delta, tau], &[g, delta, tau, o]] {
            assert_eq!(of(steps, completion), 1, "{completion}: {steps:?}");
        }
    }
    assert_eq!(of(&[g, delta, "{}", o], "chaos"), 0);
}
