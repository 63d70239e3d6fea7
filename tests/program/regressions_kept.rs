//! Kept sequences: what is kept is right and readable, all of it or nothing; when a model changes, those that broke are named with the step
//! and the reason, and are mended by the nearest run there is.

use std::fs;
use std::path::PathBuf;

use serde_json::Value as Json;

use crate::binary::{Output, tracewright};

/// An empty folder for one test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("kept").join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.0.join(name), text).expect("a file");
        self.path(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).expect("a file")
    }

    fn json(&self, name: &str) -> Json {
        serde_json::from_str(&self.text(name)).expect("JSON")
    }

    /// Names of the files of a folder in it.
    fn names(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.0.join(folder)) else { return vec![] };
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// What a command prints as JSON, as a file.
    fn printed(&self, name: &str, args: &[&str]) -> String {
        let output = tracewright(&[args, &["--json"]].concat());
        assert!(output.code < 2, "{output:?}");
        self.write(name, &output.stdout)
    }

    /// A copy of the blinking lamp.
    fn blinker(&self) -> String {
        let text = fs::read_to_string(format!("{}/examples/blinker.tw", env!("CARGO_MANIFEST_DIR"))).expect("a model");
        self.write("blinker.tw", &text)
    }

    /// Changes a text in a file.
    fn change(&self, name: &str, old: &str, new: &str) {
        let text = self.text(name);
        assert!(text.contains(old), "{old}");
        self.write(name, &text.replace(old, new));
    }
}

fn json(output: &Output) -> Json {
    serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

/// What `replay --json` says of the sequence whose file has this name.
fn said<'j>(replayed: &'j Json, name: &str) -> &'j Json {
    let all = replayed["traces"].as_array().expect("a list");
    let is_it = |one: &&Json| one["trace"].as_str().is_some_and(|path| path.ends_with(&format!("/{name}")));
    all.iter().find(is_it).unwrap_or_else(|| panic!("{name} in {replayed:#}"))
}

#[test]
fn what_gen_prints_is_kept_beside_the_model_and_not_twice() {
    let folder = Folder::new("gen");
    let model = folder.blinker();
    let found =
        folder.printed("found.json", &["gen", &model, "-p", "shortest_off", "-p", "classes", "-p", "off_at(7)"]);
    tracewright(&["keep", &model, &found]).succeeds();
    let names = folder.names("blinker.kept");
    let expected = ["classes-1", "classes-2", "classes-3", "classes-4", "classes-5", "off_at_7-1", "shortest_off-1"];
    assert_eq!(names, expected.map(|name| format!("{name}.json")));
    let one = folder.json("blinker.kept/classes-4.json");
    assert_eq!(
        (&one["model"], &one["purpose"], &one["class"]),
        (&"Blinking".into(), &"classes".into(), &"2..10".into())
    );
    assert_eq!(folder.json("blinker.kept/off_at_7-1.json")["purpose"], "off_at(7)");
    assert_eq!(one["steps"].as_array().map(Vec::len), Some(1));
    assert!(folder.text("blinker.kept/classes-4.json").lines().count() > 10, "it can be read");
    // The file is itself a trace.
    let plain = tracewright(&["replay", &model, &folder.path("blinker.kept/off_at_7-1.json")]);
    assert!(plain.code == 0 && plain.stdout.ends_with("accepted, 7 steps\n"), "{plain:?}");
    let again = tracewright(&["keep", &model, &found]);
    assert_eq!(again.stdout.matches("kept already").count(), 7, "{again:?}");
    assert_eq!(folder.names("blinker.kept"), names);
    // Another sequence for the same purpose gets another name.
    let longer = folder.printed("longer.json", &["simulate", &model, "--steps", "60", "--seed", "3"]);
    let kept = json(&tracewright(&["keep", &model, &longer, "-p", "off_at(60)", "--json"]));
    assert_eq!((kept["kept"][0]["length"].as_i64(), kept["kept"][0]["new"].as_bool()), (Some(60), Some(true)));
    tracewright(&["replay", &model, &folder.path("blinker.kept")]).succeeds();
}

#[test]
fn every_form_in_which_sequences_are_written_can_be_kept() {
    let folder = Folder::new("forms");
    let model = folder.blinker();
    let (gen_out, cover_out) = (folder.path("gen"), folder.path("cover"));
    tracewright(&["gen", &model, "-p", "order", "-p", "off_at(5)", "--out", &gen_out]).succeeds();
    tracewright(&["cover", &model, "--of", "transitions", "--out", &cover_out]).succeeds();
    let covered = folder.printed("covered.json", &["cover", &model, "--of", "transitions", "--of", "states(b)"]);
    let run = folder.printed("run.json", &["simulate", &model, "--steps", "6", "--seed", "2"]);
    let part =
        folder.write("part.json", r#"{"steps": [{"inputs": {"interval": 0}}, {}, {}, {"state": {"b": "Off"}}]}"#);
    let keep = |traces: &[&str], more: &[&str]| tracewright(&[&["keep", &model], traces, more].concat()).succeeds();
    keep(&[&folder.path("gen/manifest.json")], &["--out", &folder.path("a")]);
    assert_eq!(folder.names("a"), ["off_at_5-1.json", "order-1.json"]);
    keep(&[&folder.path("gen/order-1.json"), &folder.path("cover/suite-1.json")], &["--out", &folder.path("b")]);
    keep(&[&folder.path("cover/manifest.json")], &["--out", &folder.path("b")]);
    assert_eq!(folder.names("b"), ["order-1.json", "transitions-1.json"]);
    keep(&[&covered, &run], &["--out", &folder.path("c")]);
    assert_eq!(folder.names("c"), ["run-1.json", "transitions_states_b-1.json"]);
    let suite = folder.json("c/transitions_states_b-1.json");
    assert_eq!(suite["of"], serde_json::json!(["transitions", "states(b)"]));
    assert!(suite["covers"].as_array().is_some_and(|items| items.contains(&"b.Off".into()) && items.len() == 11));
    assert_eq!(folder.json("c/run-1.json").get("purpose"), None);
    // What a plain trace leaves open is filled in.
    let absent = folder.write("open.json", r#"{"steps": [{"inputs": {"interval": 0}}, {"inputs": {"interval": null}}, {"inputs": {"interval": null}}, {"inputs": {"interval": null}}]}"#);
    keep(&[&absent], &["-p", "shortest_off", "--out", &folder.path("d")]);
    assert_eq!(folder.json("d/shortest_off-1.json")["steps"][3]["state"]["b"], "Off");
    // A kept sequence can be kept elsewhere.
    keep(&[&folder.path("c/transitions_states_b-1.json")], &["--out", &folder.path("d")]);
    for kept in ["a", "b", "c", "d"] {
        tracewright(&["replay", &model, &folder.path(kept)]).succeeds();
    }
    // An input that the trace leaves open has no end of values.
    let open = tracewright(&["keep", &model, &part, "--out", &folder.path("e")]);
    assert!(open.code == 3 && folder.names("e").is_empty(), "{open:?}");
}

#[test]
fn what_is_wrong_is_not_kept_and_nothing_else_either() {
    let folder = Folder::new("wrong");
    let model = folder.blinker();
    let kept = folder.path("kept");
    let good = folder.printed("good.json", &["gen", &model, "-p", "shortest_off"]);
    let short = folder.write("short.json", r#"{"steps": [{"inputs": {"interval": 0}}]}"#);
    let left = folder.write("left.json", r#"{"steps": [{"inputs": {"interval": 0}, "fired": {"b": "switchOn"}}]}"#);
    let refused = |args: &[&str], code: i32, words: &[&str]| {
        let output = tracewright(&[&["keep", &model], args, &["--out", &kept]].concat());
        assert_eq!(output.code, code, "{output:?}");
        let text = format!("{}{}", output.stdout, output.stderr);
        words.iter().for_each(|word| assert!(text.contains(word), "{word}: {text}"));
        assert!(!PathBuf::from(&kept).exists());
    };
    refused(&[&good, &short, "-p", "shortest_off"], 1, &["short.json: not kept", "does not meet shortest_off"]);
    refused(&[&good, &left], 1, &["wrong at step 1", "`switchOn` of `b` leaves state `Off`", "allowed:"]);
    let broken = folder.write("broken.json", "{\"steps\": [\n  {\"inputs\": }]}");
    refused(&[&good, &broken], 2, &["broken.json:2:14", "this is no JSON"]);
    refused(&[&folder.write("none.json", "{}")], 2, &["there is no object with a list `steps`"]);
    refused(&[&folder.write("name.json", r#"{"steps": [{"fired": {"b": "stat"}}]}"#)], 2, &["did you mean `start`?"]);
}

#[test]
fn symbolic_states_are_not_what_a_sequence_is_kept_for() {
    let folder = Folder::new("symbolic");
    let model = folder.write("sum.tw", SUM);
    let suite = folder.printed("suite.json", &["cover", &model, "--of", "symbolic_states(2)", "--of", "transitions"]);
    tracewright(&["keep", &model, &suite]).succeeds();
    for name in folder.names("sum.kept") {
        let one = folder.json(&format!("sum.kept/{name}"));
        let items = ["add", "stop", "say"].map(Json::from);
        let covers = one["covers"].as_array().map(Vec::as_slice).unwrap_or_default();
        assert!(covers.iter().all(|item| items.contains(item)), "{one:#}");
        assert!(one.get("of").is_none_or(|of| *of == serde_json::json!(["transitions"])), "{one:#}");
    }
    tracewright(&["replay", &model, &folder.path("sum.kept")]).succeeds();
}

#[test]
fn purposes_that_do_not_exist_and_folders_that_cannot_be_written_are_said() {
    let folder = Folder::new("no_folder");
    let model = folder.blinker();
    let found = folder.printed("found.json", &["gen", &model, "-p", "shortest_off", "-p", "order"]);
    let file = folder.write("file", "not a folder");
    let output = tracewright(&["keep", &model, &found, "--out", &file]);
    assert!(output.code == 2 && output.stderr.lines().count() == 1, "{output:?}");
    assert_eq!(folder.text("file"), "not a folder");
    let run = folder.printed("run.json", &["simulate", &model, "--steps", "3"]);
    let unknown = tracewright(&["keep", &model, &run, "-p", "shortest_of"]);
    assert!(unknown.code == 2 && unknown.stderr.contains("shortest_off"), "{unknown:?}");
    let not_needed = tracewright(&["keep", &model, &found, "-p", "order"]);
    assert!(not_needed.code == 2 && not_needed.stderr.contains("-p is for traces"), "{not_needed:?}");
    assert!(folder.names("blinker.kept").is_empty());
}

#[test]
fn shrunk_sequences_are_kept_with_the_certificate() {
    let folder = Folder::new("shrunk");
    let model = folder.blinker();
    let run = folder.printed("run.json", &["simulate", &model, "--steps", "60", "--seed", "3"]);
    let kept = tracewright(&["keep", &model, &run, "-p", "shortest_off", "--shrink"]);
    assert!(kept.stdout.ends_with("shortest_off-1.json: 60 -> 4 steps, no shorter run exists\n"), "{kept:?}");
    assert_eq!(folder.json("blinker.kept/shortest_off-1.json")["steps"][0]["inputs"]["interval"], 0);
    let plain = tracewright(&["keep", &model, &run, "--shrink", "--out", &folder.path("plain")]);
    assert!(plain.stdout.ends_with("60 steps, not shrunk: it has no purpose\n"), "{plain:?}");
    // The arguments of the model are kept, too.
    let watch = folder.write("watch.tw", include_str!("../../examples/stopwatch.tw"));
    let of_three = format!("{watch}#Stopwatch(cents: 3, secs: 2)");
    let suite = folder.printed("suite.json", &["cover", &of_three, "--of", "everything"]);
    let kept = tracewright(&["keep", &of_three, &suite, "--shrink"]);
    assert!(kept.stdout.ends_with("everything-1.json: 17 steps, no shorter run exists\n"), "{kept:?}");
    assert_eq!(folder.json("watch.kept/everything-1.json")["model"], "Stopwatch(cents: 3, secs: 2)");
    tracewright(&["replay", &watch, &folder.path("watch.kept")]).succeeds();
    // With other arguments it takes more ticks: the run is one, and says less.
    let other =
        tracewright(&["replay", &format!("{watch}#Stopwatch(cents: 9)"), &folder.path("watch.kept"), "--time", "0"]);
    assert!(other.code == 3 && other.stdout.contains("broken at step"), "{other:?}");
}

#[test]
fn a_changed_guard_turns_sequences_red_at_the_step_and_update_mends_them() {
    let folder = Folder::new("guard");
    let model = folder.blinker();
    let kept = folder.path("blinker.kept");
    let purposes = ["gen", &model, "-p", "order", "-p", "lamp_five", "-p", "off_at(8)", "-p", "shortest_off"];
    tracewright(&["keep", &model, &folder.printed("found.json", &purposes)]).succeeds();
    folder.change("blinker.tw", "when t > 0 ", "when t > 1 ");
    let output = tracewright(&["replay", &model, &kept, "--json"]);
    assert_eq!(output.code, 1, "{output:?}");
    let replayed = json(&output);
    for fits in ["order-1.json", "shortest_off-1.json"] {
        let said = said(&replayed, fits);
        assert_eq!((&said["accepted"], &said["fits"], &said["meets"]), (&true.into(), &true.into(), &true.into()));
        assert_eq!(said["test"], Json::Null);
    }
    // The first tick that finds one left: the steps are those of the sequences as they were kept.
    for broken in ["lamp_five-1.json", "off_at_8-1.json"] {
        let steps = folder.json(&format!("blinker.kept/{broken}"))["steps"].as_array().expect("steps").clone();
        let left = |number: usize| if number == 0 { 0 } else { steps[number - 1]["vars"]["t.t"].as_i64().unwrap_or(0) };
        let first = (0..steps.len()).find(|n| steps[*n]["fired"]["t"] == "tick" && left(*n) == 1).expect("such a tick");
        let said = said(&replayed, broken);
        assert_eq!((&said["accepted"], &said["step"]), (&false.into(), &(first + 1).into()), "{said:#}");
        let refused = &said["refused"][0];
        assert_eq!((&refused["transition"], &refused["part"]), (&"tick".into(), &"t > 1".into()));
        assert_eq!(refused["values"]["t.t"], 1);
        assert!(said["allowed"].as_array().is_some_and(|allowed| !allowed.is_empty()));
    }
    assert_eq!(said(&replayed, "lamp_five-1.json")["test"]["answer"], "impossible");
    assert_eq!(said(&replayed, "lamp_five-1.json")["test"]["proof"]["kind"], "exhaustion");
    let off = said(&replayed, "off_at_8-1.json");
    assert_eq!((&off["purpose"], &off["meets"]), (&"off_at(8)".into(), &false.into()));
    assert_eq!((&off["test"]["answer"], &off["test"]["length"]), (&"found".into(), &8.into()));
    // Only what broke and can be mended is touched.
    let before: Vec<String> =
        ["order-1", "shortest_off-1", "lamp_five-1"].map(|n| folder.text(&format!("blinker.kept/{n}.json"))).into();
    let update = tracewright(&["replay", &model, &kept, "--update"]);
    assert_eq!(update.code, 1, "{update:?}");
    assert!(update.stdout.contains("replaced: 8 steps") && update.stdout.contains("the file stays"), "{update:?}");
    let after: Vec<String> =
        ["order-1", "shortest_off-1", "lamp_five-1"].map(|n| folder.text(&format!("blinker.kept/{n}.json"))).into();
    assert_eq!(before, after);
    fs::remove_file(folder.path("blinker.kept/lamp_five-1.json")).expect("a file");
    tracewright(&["replay", &model, &kept]).succeeds();
}

const SUM: &str = "sts Sum {
  in add(n: Int), stop()
  out total(n: Int)
  var s: Int = 0
  initial location Open
  location Closed, Done
  Open -> Open : add ?add(n) do s := s + n
  Open -> Closed : stop ?stop when s > 10
  Closed -> Done : say !total(n) when n == s
}

purpose told for Sum { last(state) == Done }
";

const SUM_RUN: &str = r#"{"steps": [{"gate": "add", "data": {"n": 3}}, {"gate": "add", "data": {"n": 9}},
    {"gate": "stop"}, {"gate": "total", "data": {"n": 12}}]}"#;

fn kept_sum(name: &str) -> (Folder, String, String) {
    let folder = Folder::new(name);
    let model = folder.write("sum.tw", SUM);
    let run = folder.write("run.json", SUM_RUN);
    tracewright(&["keep", &model, &run, "-p", "told"]).succeeds();
    let kept = folder.path("sum.kept");
    (folder, model, kept)
}

fn events(sequence: &Json) -> Vec<(String, Option<i64>)> {
    let event = |step: &Json| (step["gate"].as_str().expect("a gate").to_owned(), step["data"]["n"].as_i64());
    sequence["steps"].as_array().expect("steps").iter().map(event).collect()
}

#[test]
fn the_nearest_has_the_same_inputs_as_long_as_can_be_and_is_then_shortest() {
    let (folder, model, kept) = kept_sum("nearest");
    folder.change("sum.tw", "s > 10", "s > 20");
    let update = tracewright(&["replay", &model, &kept, "--update"]);
    assert_eq!(update.code, 0, "{update:?}");
    assert!(update.stdout.contains("broken at step 3") && update.stdout.contains("`s > 20` (s is 12)"), "{update:?}");
    assert!(update.stdout.contains("told: found in 3 steps"), "{update:?}");
    assert!(update.stdout.contains("replaced: 5 steps; the same inputs in 2 steps\n"), "{update:?}");
    let mended = folder.json("sum.kept/told-1.json");
    let events = events(&mended);
    let gates: Vec<&str> = events.iter().map(|(gate, _)| gate.as_str()).collect();
    assert_eq!(gates, ["add", "add", "add", "stop", "total"]);
    assert_eq!((events[0].1, events[1].1), (Some(3), Some(9)));
    assert_eq!((&mended["model"], &mended["purpose"]), (&"Sum".into(), &"told".into()));
    tracewright(&["replay", &model, &kept]).succeeds();
}

#[test]
fn what_the_system_says_may_change_while_the_inputs_stay() {
    let (folder, model, kept) = kept_sum("outputs");
    folder.change("sum.tw", "s := s + n", "s := s + 2 * n");
    let broken = tracewright(&["replay", &model, &kept]);
    assert_eq!(broken.code, 1);
    assert!(
        broken.stdout.contains("broken at step 1") && broken.stdout.contains("differs: s was 3, is 6"),
        "{broken:?}"
    );
    let update = tracewright(&["replay", &model, &kept, "--update"]);
    assert!(update.code == 0 && update.stdout.contains("4 steps; the same inputs in 4 steps"), "{update:?}");
    let expected = [("add", Some(3)), ("add", Some(9)), ("stop", None), ("total", Some(24))];
    assert_eq!(events(&folder.json("sum.kept/told-1.json")), expected.map(|(gate, n)| (gate.to_owned(), n)));
}

#[test]
fn further_steps_fire_the_same_transitions() {
    let (folder, model, kept) = kept_sum("fired");
    // Nine is no longer taken, but another number is.
    folder.change("sum.tw", "?add(n) do", "?add(n) when n < 9 || n > 30 do");
    let update = tracewright(&["replay", &model, &kept, "--update"]);
    let like = "replaced: 4 steps; the same inputs in 1 step, the same transitions in the next 3\n";
    assert!(update.code == 0 && update.stdout.ends_with(like), "{update:?}");
    assert_eq!(events(&folder.json("sum.kept/told-1.json"))[0], ("add".to_owned(), Some(3)));
}

#[test]
fn a_purpose_that_lost_its_behaviour_is_impossible_and_the_file_stays() {
    let (folder, model, kept) = kept_sum("removed");
    let before = folder.text("sum.kept/told-1.json");
    folder.change("sum.tw", "when n == s", "when n == s && s < 5");
    let update = tracewright(&["replay", &model, &kept, "--update"]);
    assert_eq!(update.code, 1, "{update:?}");
    for line in ["broken at step 4", "needs `s < 5` (s is 12)", "told: impossible", "proof: ", "the file stays: "] {
        assert!(update.stdout.contains(line), "{line}: {}", update.stdout);
    }
    assert_eq!(folder.text("sum.kept/told-1.json"), before);
}

#[test]
fn names_that_are_gone_break_a_sequence_at_their_step() {
    let at = |name: &str, old: &str, new: &str, step: i64, reason: &str| {
        let (folder, model, kept) = kept_sum(name);
        folder.change("sum.tw", old, new);
        let output = tracewright(&["replay", &model, &kept, "--json"]);
        assert_eq!(output.code, 1, "{output:?}");
        let replayed = json(&output);
        let said = said(&replayed, "told-1.json");
        assert_eq!((&said["accepted"], &said["step"]), (&false.into(), &step.into()), "{said:#}");
        assert!(said["reason"].as_str().is_some_and(|text| text.contains(reason)), "{said:#}");
        assert_eq!(said["test"]["answer"], "found");
        assert!(tracewright(&["replay", &model, &kept, "--update"]).code == 0);
        tracewright(&["replay", &model, &kept]).succeeds();
    };
    at("no_transition", ": stop ?stop", ": halt ?stop", 3, "there is no transition `stop`");
    at("no_state", "Closed", "Shut", 3, "there is no state `Closed`");
    at("no_gate", "total(n", "sum(n", 4, "there is no gate `total`");
    at("no_value", "add(n: Int)", "add(n: 0..8)", 2, "9 is not a value of");
    let (folder, model, kept) = kept_sum("no_variable");
    let renamed = folder.text("sum.tw").replace("s: Int", "sum: Int").replace("s := s", "sum := sum");
    folder.write("sum.tw", &renamed.replace("when s >", "when sum >").replace("n == s", "n == sum"));
    let gone = tracewright(&["replay", &model, &kept]);
    assert!(gone.code == 1 && gone.stdout.contains("broken before the first step"), "{gone:?}");
}

#[test]
fn a_purpose_or_a_model_that_is_gone_is_no_bad_input() {
    let (folder, model, kept) = kept_sum("gone");
    folder.change("sum.tw", "purpose told", "purpose said");
    let output = tracewright(&["replay", &model, &kept, "--json"]);
    let replayed = json(&output);
    let one = said(&replayed, "told-1.json");
    assert_eq!((output.code, &one["accepted"], &one["fits"]), (1, &true.into(), &false.into()));
    assert!(one["reason"].as_str().is_some_and(|reason| reason.contains("`told`")), "{one:#}");
    folder.change("sum.tw", "Sum {", "Total {");
    let output = tracewright(&["replay", &model, &kept]);
    assert!(output.code == 1 && output.stdout.contains("broken"), "{output:?}");
}

#[test]
fn what_must_be_refused_and_is_taken_is_broken() {
    let folder = Folder::new("negative");
    let text = "sts Transfer {
  in deposit(d: Int)
  initial location Empty
  location Full
  Empty -> Full : deposit ?deposit(d) when 0 <= d && d <= 100
}
purpose full for Transfer { last(state) == Full }
";
    let model = folder.write("transfer.tw", text);
    let found = folder.printed("found.json", &["gen", &model, "--data", "boundary"]);
    let kept = folder.path("transfer.kept");
    let output = tracewright(&["keep", &model, &found, "--shrink"]);
    assert!(output.code == 0 && output.stdout.contains("not shrunk: a negative test"), "{output:?}");
    let negative: Vec<String> = (folder.names("transfer.kept").into_iter())
        .filter(|name| folder.json(&format!("transfer.kept/{name}"))["refused"]["data"]["d"] == 101)
        .collect();
    assert_eq!(negative.len(), 1);
    tracewright(&["replay", &model, &kept]).succeeds();
    folder.change("transfer.tw", "d <= 100", "d <= 200");
    let output = tracewright(&["replay", &model, &kept, "--json"]);
    let replayed = json(&output);
    let broken: Vec<&Json> =
        replayed["traces"].as_array().expect("a list").iter().filter(|one| one["fits"] == false).collect();
    assert_eq!((output.code, broken.len()), (1, 1), "{replayed:#}");
    assert_eq!((&broken[0]["accepted"], &broken[0]["takes"]["data"]["d"]), (&true.into(), &101.into()));
    let update = tracewright(&["replay", &model, &kept, "--update"]);
    assert!(update.code == 1 && update.stdout.contains("?deposit(101) must be refused, and is taken"), "{update:?}");
    // A claim that something is refused is not believed.
    folder.write("wrong.json", r#"{"steps": [], "refused": {"gate": "deposit", "dir": "in", "data": {"d": 7}}}"#);
    let wrong = tracewright(&["keep", &model, &folder.path("wrong.json"), "--out", &folder.path("other")]);
    assert!(wrong.code == 1 && folder.names("other").is_empty(), "{wrong:?}");
    // Data that is outside of its type now is refused all the more.
    folder.change("transfer.tw", "deposit(d: Int)", "deposit(d: 0..100)");
    tracewright(&["replay", &model, &kept]).succeeds();
}

#[test]
fn other_files_in_the_folder_are_bad_input() {
    let (folder, model, kept) = kept_sum("foreign");
    assert_eq!(tracewright(&["replay", &model, &kept, "--complete", "ignore"]).code, 2);
    assert_eq!(tracewright(&["replay", &model, &folder.path("sum.kept/told-1.json"), "--update"]).code, 2);
    folder.write("sum.kept/notes.json", r#"{"steps": []}"#);
    let foreign = tracewright(&["replay", &model, &kept]);
    assert!(foreign.code == 2 && foreign.stderr.contains("this is no kept sequence"), "{foreign:?}");
    folder.write("sum.kept/notes.json", "[");
    let broken = json(&tracewright(&["replay", &model, &kept, "--json"]));
    assert_eq!((&broken["errors"][0]["line"], &broken["errors"][0]["code"]), (&1.into(), &"E0605".into()));
    fs::create_dir_all(folder.path("empty")).expect("a folder");
    assert_eq!(tracewright(&["replay", &model, &folder.path("empty")]).code, 2);
}

#[test]
fn the_same_seed_gives_the_same_files() {
    let folder = Folder::new("seed");
    let model = folder.blinker();
    let run = folder.printed("run.json", &["simulate", &model, "--steps", "60", "--seed", "3"]);
    let kept = ["a", "b"].map(|name| {
        let out = folder.path(name);
        tracewright(&["keep", &model, &run, "-p", "shortest_off", "--shrink", "--seed", "5", "--out", &out]).succeeds();
        folder.text(&format!("{name}/shortest_off-1.json"))
    });
    assert_eq!(kept[0], kept[1]);
}
