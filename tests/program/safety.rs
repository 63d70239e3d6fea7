//! Tests for properties: two cards, and small models of every form that a property has.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use crate::binary::tracewright;

/// The answer to a property, and the exit code.
fn asked(model: &str, property: &str, more: &[&str]) -> (Json, i32) {
    let mut args = vec!["gen", model, "-p", property, "--json"];
    args.extend(more);
    let output = tracewright(&args);
    let answer: Json = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{}", output.stderr));
    (answer["purposes"][0].clone(), output.code)
}

/// A model of one's own in a file.
fn written(name: &str, text: &str) -> String {
    let path = format!("{}/{name}.tw", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&path, text).expect("a file");
    path
}

fn text(json: &Json) -> &str {
    json.as_str().unwrap_or_else(|| panic!("{json} is a text"))
}

/// The transitions that are covered, by the fewest steps to them; and those that cannot be.
fn by_depth(answer: &Json) -> (BTreeMap<u64, BTreeSet<String>>, BTreeSet<String>) {
    let (mut covered, mut impossible) = (BTreeMap::<u64, BTreeSet<String>>::new(), BTreeSet::new());
    for behaviour in answer["behaviours"].as_array().expect("a list") {
        let name = text(&behaviour["name"]).to_owned();
        match behaviour["depth"].as_u64() {
            Some(depth) => {
                covered.entry(depth).or_default().insert(name);
            }
            None => {
                assert_eq!(behaviour["answer"], "impossible", "{behaviour}");
                assert!(behaviour["proof"]["kind"].is_string(), "{behaviour}");
                impossible.insert(name);
            }
        }
    }
    (covered, impossible)
}

fn names(list: &[&str]) -> BTreeSet<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

fn case<'a>(answer: &'a Json, class: &str) -> &'a Json {
    let cases = answer["cases"].as_array().expect("a list");
    cases.iter().find(|case| case["class"] == class).unwrap_or_else(|| panic!("a case `{class}`"))
}

/// The gates of the steps of a case.
fn calls(case: &Json) -> Vec<&str> {
    case["sequence"]["steps"].as_array().expect("a list").iter().map(|step| text(&step["gate"])).collect()
}

const PRELUDE: [&str; 6] =
    ["initialize_update", "external_authenticate", "put_data", "put_data", "put_data", "store_data"];

#[test]
fn personalisation_ends_once() {
    let (answer, code) = asked("examples/demoney.tw", "stored_once", &[]);
    assert_eq!((code, text(&answer["verdict"]["answer"])), (0, "holds"));
    let (covered, impossible) = by_depth(&answer);
    let expected = [
        (1, names(&["iu", "vp_ok", "vp_wrong", "pc_change"])),
        (2, names(&["ea"])),
        (3, names(&["it_cash", "vp_block"])),
        (4, names(&["ct_cash", "it_bank", "pc_unblock"])),
        (5, names(&["ct_bank"])),
        (7, names(&["it_debit"])),
        (8, names(&["ct_debit"])),
    ];
    assert_eq!(covered, expected.into());
    assert_eq!(impossible, names(&["pd_maxbal", "pd_maxdebit", "pd_pin", "sd"]));
    // One test for each of the thirteen, and one that tries it at once; all of them begin in the same way.
    let cases = answer["cases"].as_array().expect("a list");
    assert_eq!(cases.len(), 14);
    for case in cases {
        assert_eq!(calls(case)[..6], PRELUDE, "{}", case["class"]);
        let step = &case["sequence"]["steps"][5]["vars"];
        assert_eq!(step["max_balance"]["Some"][0], 10_000);
        let last = &case["must_fail"];
        assert_eq!((text(&last["gate"]), &last["refused"]), ("store_data", &true.into()), "{case}");
        assert_eq!(last["needs"], serde_json::json!(["life == Personalisation"]));
        assert_eq!(last["after"], case["length"]);
        // Nothing else is in the way: an administrator tries it.
        let vars = &case["sequence"]["steps"].as_array().expect("a list").last().expect("steps")["vars"];
        assert_eq!(vars["at"], "Admin", "{case}");
    }
    let cash = calls(case(&answer, "ct_cash"));
    let after = ["initialize_update", "external_authenticate", "initialize_transaction", "complete_transaction"];
    let admin = ["initialize_update", "external_authenticate"];
    assert_eq!(cash[6..], [&after[..], &admin[..]].concat());
}

#[test]
fn a_blocked_card_takes_nothing_from_a_bank() {
    let (answer, code) = asked("examples/demoney.tw", "blocked", &[]);
    assert_eq!((code, text(&answer["verdict"]["answer"])), (0, "holds"));
    let (covered, impossible) = by_depth(&answer);
    let expected = [
        (1, names(&["iu", "pc_change", "pc_unblock"])),
        (2, names(&["ea"])),
        (3, names(&["it_cash"])),
        (4, names(&["ct_cash"])),
        (7, names(&["it_debit"])),
        (8, names(&["ct_debit"])),
    ];
    assert_eq!(covered, expected.into());
    let never = ["vp_ok", "vp_wrong", "vp_block", "it_bank", "ct_bank", "pd_maxbal", "pd_maxdebit", "pd_pin", "sd"];
    assert_eq!(impossible, names(&never));
    for case in answer["cases"].as_array().expect("a list") {
        assert_eq!(calls(case)[..9], [&PRELUDE[..], &["verify_pin"; 3]].concat());
        // Once the card is unblocked, nothing is forbidden any more.
        match text(&case["class"]) {
            "pc_unblock" => assert!(case["must_fail"].is_null(), "{case}"),
            _ => {
                assert_eq!(case["must_fail"]["needs"], serde_json::json!(["verified"]), "{case}");
                assert_eq!(case["must_fail"]["data"]["kind"], "Bank");
            }
        }
    }
}

#[test]
fn a_bound_on_what_is_covered() {
    let (answer, code) = asked("examples/demoney.tw", "stored_once", &["--depth", "2"]);
    let found = answer["behaviours"].as_array().expect("a list").iter().filter(|one| one["answer"] == "found");
    assert_eq!(found.count(), 5);
    let other = answer["behaviours"].as_array().expect("a list").iter().find(|one| one["name"] == "ct_debit");
    assert_eq!(other.map(|one| text(&one["answer"])), Some("not-found"));
    assert_eq!((code, answer["cases"].as_array().map(Vec::len)), (0, Some(6)));
}

#[test]
fn a_purse_with_one_transaction_at_a_time() {
    let (answer, code) = asked("examples/purse.tw", "one_at_a_time", &["--data", "boundary"]);
    assert_eq!((code, text(&answer["verdict"]["answer"])), (0, "holds"));
    let strategy = "Research(init normal); CoverStop(complete called); Active(init normal)";
    assert_eq!(answer["strategies"], serde_json::json!([strategy]));
    let (covered, impossible) = by_depth(&answer);
    assert_eq!((covered, impossible), ([(1, names(&["complete"]))].into(), names(&["credit", "debit"])));
    let mut data = BTreeSet::new();
    for case in answer["cases"].as_array().expect("a list") {
        if case["class"] == "complete" {
            assert!(case["must_fail"].is_null(), "after it nothing is forbidden: {case}");
            continue;
        }
        // Both calls are for a credit: a debit could not be taken anyway.
        assert_eq!((calls(case), text(&case["class"])), (vec!["init", "init"], "directly"));
        assert_eq!(case["sequence"]["steps"][1]["fired"]["Purse"], "init_exc");
        assert_eq!(case["must_fail"]["needs"], serde_json::json!(["trans == 0"]));
        let number = |json: &Json| json.as_i64().expect("a number");
        let step = |step: usize| &case["sequence"]["steps"][step]["data"];
        assert!((0..2).all(|one| step(one)["p1"] == 0));
        let max = number(&case["sequence"]["initial"]["vars"]["max"]);
        data.insert((max, number(&step(0)["a"]), number(&step(1)["a"])));
    }
    for (max, a, b) in &data {
        assert!((1..=*max).contains(a) && (1..=*max).contains(b), "{data:?}");
    }
    for edge in [(1, 1, 1), (32767, 1, 1), (32767, 32767, 1), (32767, 1, 32767)] {
        assert!(data.contains(&edge), "{edge:?} of {data:?}");
    }
}

#[test]
fn the_purse_as_it_was_meant_and_as_it_was_printed() {
    let meant = std::fs::read_to_string("examples/purse.tw").expect("the example");
    // The printed postcondition adds what is zero already.
    let printed = meant.replace("bal := bal + trans, trans := 0", "trans := 0");
    assert_ne!(meant, printed);
    for (name, text, states, has_debit) in [("meant", &meant, 16, true), ("printed", &printed, 4, false)] {
        let model = written(&format!("purse_{name}"), text);
        let values = ["--values", "max=3..3", "--values", "p1=-1..2", "--values", "a=-1..4"];
        let explored = tracewright(&[&["explore", &model, "--json"], &values[..]].concat());
        let explored: Json = serde_json::from_str(&explored.stdout).expect("JSON");
        assert_eq!(explored["states"], states, "{name}");
        let covered = tracewright(&["cover", &model, "--of", "transitions", "--json"]);
        let covered: Json = serde_json::from_str(&covered.stdout).expect("JSON");
        let impossible: Vec<&str> = covered["impossible"].as_array().expect("a list").iter().map(text_of).collect();
        assert_eq!(impossible, if has_debit { vec![] } else { vec!["debit"] }, "{name}");
    }
    let model = written("purse_debit", &format!("{meant}\npurpose paid for Purse {{ member(debit) on fired }}\n"));
    let (answer, _) = asked(&model, "paid", &[]);
    assert_eq!((answer["lower_bound"].as_u64(), &answer["optimal"]), (Some(3), &true.into()));
}

fn text_of(impossible: &Json) -> &str {
    text(&impossible["item"])
}

const DOOR: &str = "
sts Door {
  in open(), shut(), lock(code: Nat), knock(times: 1..3)
  var n: 0..3 = 0
  initial location Shut
  location Open, Locked
  Shut -> Open : opens ?open
  Open -> Shut : shuts ?shut do n := 0
  Shut -> Locked : locks ?lock(c) when c > 0
  Locked -> Shut : unlocks ?lock(c) when c == 7
  Locked -> Locked : wrong ?lock(c) when c != 7 @exceptional
  Shut -> Shut : knocks ?knock(t) when n + t <= 3 do n := n + t
}
";

#[test]
fn a_broken_property_has_a_shortest_run_that_shows_it() {
    let model =
        written("door_broken", &format!("{DOOR}property p for Door {{ after open normal never open enabled }}"));
    let (answer, code) = asked(&model, "p", &[]);
    assert_eq!((code, text(&answer["verdict"]["answer"])), (1, "broken"));
    assert_eq!(calls(case(&answer, "broken")), ["open", "shut", "open"]);
    let model = written("door_counts", &format!("{DOOR}property p for Door {{ always n < 3 unless shut called }}"));
    let (answer, code) = asked(&model, "p", &[]);
    assert_eq!((code, text(&answer["verdict"]["answer"])), (1, "broken"));
    assert_eq!(calls(case(&answer, "broken")), ["knock"]);
    assert_eq!(case(&answer, "broken")["sequence"]["steps"][0]["data"]["times"], 3);
}

#[test]
fn a_state_that_is_in_the_way_is_said() {
    let property = "property p for Door { after locks normal always open not enabled unless unlocks normal }";
    let model = written("door_state", &format!("{DOOR}{property}"));
    let (answer, code) = asked(&model, "p", &[]);
    assert_eq!((code, text(&answer["verdict"]["answer"])), (0, "holds"), "{answer}");
    let directly = case(&answer, "directly");
    assert_eq!(calls(directly), ["lock"]);
    assert_eq!(directly["must_fail"]["needs"], serde_json::json!(["Door in Shut"]));
    assert_eq!((text(&directly["must_fail"]["gate"]), &directly["must_fail"]["refused"]), ("open", &true.into()));
}

#[test]
fn what_is_tried_before_an_event_comes_before_it() {
    let model =
        written("door_before", &format!("{DOOR}property p for Door {{ before open called always shut not enabled }}"));
    let (answer, code) = asked(&model, "p", &[]);
    // After the first time it was opened, it can be shut, and opened again.
    assert_eq!((code, text(&answer["verdict"]["answer"])), (1, "broken"));
    assert_eq!(calls(case(&answer, "broken")), ["open", "shut", "open"]);
    let model = written(
        "door_lock",
        &format!("{DOOR}property p for Door {{ before open called always lock not enabled with code == 0 }}"),
    );
    let (answer, code) = asked(&model, "p", &[]);
    assert_eq!((code, text(&answer["verdict"]["answer"])), (0, "holds"), "{answer}");
    let directly = case(&answer, "directly");
    assert_eq!((calls(directly), &directly["must_fail"]["after"]), (vec!["open"], &0.into()), "{directly}");
    assert_eq!(directly["must_fail"]["data"]["code"], 0);
}

#[test]
fn properties_that_want_calls_to_be_taken() {
    let model = written(
        "door_enabled",
        &format!(
            "{DOOR}property p for Door {{ after lock normal with state == Locked always lock enabled with code == 7 unless lock called }}"
        ),
    );
    let (answer, code) = asked(&model, "p", &[]);
    assert_eq!((code, text(&answer["verdict"]["answer"])), (0, "holds"), "{answer}");
    assert_eq!(calls(case(&answer, "directly")), ["lock", "lock"]);
    assert!(case(&answer, "directly")["must_fail"].is_null());
}

#[test]
fn an_event_that_never_happens_leaves_nothing_to_test() {
    let model = written(
        "door_never",
        &format!("{DOOR}property p for Door {{ after knock normal with n > 3 always open not enabled }}"),
    );
    let (answer, code) = asked(&model, "p", &[]);
    assert_eq!((code, text(&answer["answer"])), (1, "impossible"), "{answer}");
    assert!(answer["proof"]["kind"].is_string() && answer["cases"] == serde_json::json!([]), "{answer}");
}

#[test]
fn kept_tests_of_a_property_turn_red_when_the_model_takes_what_is_forbidden() {
    let folder = format!("{}/kept_property", env!("CARGO_TARGET_TMPDIR"));
    let _ = std::fs::remove_dir_all(&folder);
    let property = "property p for Door { after locks normal always open not enabled unless unlocks normal }";
    let model = written("door_kept", &format!("{DOOR}{property}"));
    let tests = tracewright(&["gen", &model, "-p", "p", "--json"]);
    let file = format!("{}/door_kept.json", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&file, &tests.stdout).expect("a file");
    tracewright(&["keep", &model, &file, "--shrink", "--out", &folder]).succeeds();
    tracewright(&["replay", &model, &folder]).succeeds();
    let opens = "Locked -> Open : breaks ?open\n  Shut -> Open";
    written("door_kept", &format!("{}{property}", DOOR.replace("Shut -> Open", opens)));
    let output = tracewright(&["replay", &model, &folder, "--json"]);
    let replayed: Json = serde_json::from_str(&output.stdout).expect("JSON");
    // All but those after which nothing is forbidden any more.
    for one in replayed["traces"].as_array().expect("a list") {
        let path = text(&one["trace"]);
        let kept: Json = serde_json::from_str(&std::fs::read_to_string(path).expect("a file")).expect("JSON");
        assert_eq!(one["fits"], kept["refused"].is_null(), "{one}");
    }
    assert_eq!(output.code, 1);
}

#[test]
fn a_condition_without_a_value_does_not_hold() {
    let model = "sts U { in a(x: Int), b()  var n: 0..1 = 0  initial location L
          L -> L : a ?a(x) when x > 0
          L -> L : b ?b do n := 1 }
        property p for U { always 1 / n == 1 }
        property q for U { never 1 / n == 1 }";
    let model = written("undefined", model);
    let (answer, code) = asked(&model, "p", &[]);
    assert_eq!((code, calls(case(&answer, "broken"))), (1, vec!["a"]), "{answer}");
    let (answer, code) = asked(&model, "q", &[]);
    assert_eq!((code, calls(case(&answer, "broken"))), (1, vec!["b"]), "{answer}");
}

#[test]
fn a_call_that_is_taken_in_another_way_is_not_forbidden() {
    let model = "sts T { in go(), stop()  var n: 0..2 = 0  initial location L
          L -> L : low ?go when n < 2
          L -> L : high ?go when n >= 2
          L -> L : stop ?stop do n := 0 }
        property p for T { always high not enabled }";
    let (answer, _) = asked(&written("otherwise", model), "p", &[]);
    assert_eq!(text(&answer["verdict"]["answer"]), "holds", "{answer}");
    assert!(answer["cases"].as_array().expect("a list").iter().all(|case| case["must_fail"].is_null()), "{answer}");
}

#[test]
fn what_must_fail_does_so_in_the_very_run_that_is_shown() {
    // Only another beginning leads on to where the call can be tried, and only one of two ways leads on to the event.
    let model = "sts R { in p(), a(), t(), m(), close()  var g: 0..1 = 0  initial location S
          location S2, P, Q, End
          S -> P : fast ?a do g := 0
          S -> S2 : pre ?p
          S2 -> P : slow ?a
          P -> Q : t ?t
          Q -> Q : m ?m when g == 1
          Q -> End : close ?close }
        property p for R { after a called before close called always m not enabled }
        sts N { in go(), m(), close()  var g: 0..1 = 0  initial location L
          location A, B, End
          L -> A : left ?go
          L -> B : right ?go
          A -> A : ma ?m when g == 1
          B -> B : mb ?m @exceptional
          B -> End : close ?close }
        property q for N { before close called always m not enabled }";
    let model = written("beginnings", model);
    for property in ["p", "q"] {
        let (answer, _) = asked(&model, property, &[]);
        assert_eq!(text(&answer["verdict"]["answer"]), "holds", "{answer}");
        let cases = answer["cases"].as_array().expect("a list");
        assert!(!cases.is_empty(), "{answer}");
        for case in cases.iter().filter(|case| case["must_fail"].is_object()) {
            let (fails, steps) = (&case["must_fail"], case["sequence"]["steps"].as_array().expect("a list"));
            let after = fails["after"].as_u64().expect("a number") as usize;
            let mut trace: Vec<Json> = steps[..after].to_vec();
            trace.push(serde_json::json!({ "gate": fails["gate"], "data": fails["data"] }));
            let file = format!("{}/beginning.json", env!("CARGO_TARGET_TMPDIR"));
            std::fs::write(&file, serde_json::json!({ "steps": trace }).to_string()).expect("a file");
            let model = format!("{model}#{}", if property == "p" { "R" } else { "N" });
            // Refused, or taken by the exception that is the next step.
            let code = tracewright(&["replay", &model, &file]).code;
            assert_eq!(code == 1, fails["refused"] == true, "{case}");
            assert!(calls(case)[after..].contains(&"close"), "{case}");
        }
    }
}

#[test]
fn that_one_attempt_leads_nowhere_is_no_proof() {
    // The call is tried where nothing leads on to the event; other runs do, so that nothing is impossible.
    let model = "sts Q { in go(v: 0..9), m(), wait(), close()  var v: 0..9 = 0, g: 0..1 = 0  initial location J
          location K, End
          J -> K : go ?go(x) do v := x
          K -> K : m ?m when g == 1
          K -> K : fail ?m when v == 5 @exceptional
          K -> K : wait ?wait
          K -> End : close ?close when v == 5 }
        property shut for Q { before close called always m not enabled }";
    let (answer, _) = asked(&written("nowhere", model), "shut", &[]);
    assert_eq!(text(&answer["verdict"]["answer"]), "holds", "{answer}");
    assert_ne!(answer["answer"], "impossible", "{answer}");
    assert!(answer["proof"].is_null(), "{answer}");
    let closes = answer["behaviours"].as_array().expect("a list").iter().find(|one| one["name"] == "close");
    assert_eq!(closes.map(|one| text(&one["answer"])), Some("found"));
}
