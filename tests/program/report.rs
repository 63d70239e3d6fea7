//! Reports and graphs of models, as texts: what stands in them, and what happens where they cannot be written.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::binary::{Output, tracewright};

const BLINKER: &str = "examples/blinker.tw";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn plain(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

#[test]
fn a_report_says_what_the_text_says() {
    let file = folder("says").join("blinker.html");
    let arguments =
        ["gen", BLINKER, "-p", "shortest_off", "-p", "wrong_order", "-p", "off_at(7)", "--report", plain(&file)];
    let output = tracewright(&arguments);
    let page = fs::read_to_string(&file).expect("a page");
    for line in output.stdout.lines().filter_map(|line| line.trim().strip_prefix("conflict: ")) {
        assert!(page.contains(&format!("<dt>conflict</dt><dd>{line}</dd>")), "{line}");
    }
    assert!(output.stdout.contains("conflict: "), "{}", output.stdout);
    for part in
        ["shortest_off", "<dt>proof</dt>", "no shorter run exists", "interval=0 / -", "<svg", "<dt>seed</dt><dd>0</dd>"]
    {
        assert!(page.contains(part), "{part} is not in the page");
    }
    let command =
        format!("tracewright gen {BLINKER} -p shortest_off -p wrong_order -p 'off_at(7)' --report {}", plain(&file));
    assert!(page.contains(&format!("<dd>{command}</dd>")), "{command}");
    assert!(!page.contains("http:") || page.matches("http:").count() == page.matches("xmlns=\"http:").count());
    assert!(!page.contains("https:"), "nothing is linked from elsewhere");
}

/// Runs a command on a model, with a report: what it printed, and the page.
fn reported(name: &str, model: &str, arguments: &[&str]) -> (Output, String) {
    let folder = folder(name);
    let (file, page) = (folder.join("model.tw"), folder.join("report.html"));
    fs::write(&file, model).expect("writable");
    let (command, rest) = arguments.split_first().expect("a command");
    let output = tracewright(&[&[*command, plain(&file)][..], rest, &["--report", plain(&page)]].concat());
    let page = fs::read_to_string(&page).unwrap_or_else(|error| panic!("{error}: {}", output.stderr));
    (output, page)
}

const COUNTER: &str = "\
sts Counter {
  in up(), down(), say(k: Int)
  var n: Int = 0
  initial location Idle
  location Below
  Idle -> Idle  : up ?up do n := n + 1
  Idle -> Below : down ?down when n < 0
  Idle -> Idle  : say ?say(k)
}
purpose below for Counter { last(state) == Below }
purpose raised for Counter { length 1   member(up) on fired   expect impossible }
purpose between for Counter { length >= 2   length <= 3   count(2, up) on fired }
purpose said for Counter { length <= 2   member(say) on fired }
";

#[test]
fn what_a_limit_ended_is_not_called_unlike_the_wish() {
    let (output, page) = reported("unknown", COUNTER, &["gen", "-p", "below", "--engine", "explicit"]);
    assert_eq!(output.code, 3, "{}", output.stdout);
    assert!(page.contains("<p class=\"summary\">1 purpose, 0 sequences: 1 unknown</p>"), "the summary says no more");
    assert!(!page.contains("not as wished</span>"), "an answer that is open is not called unlike the wish");
    let (output, page) = reported("incomplete", COUNTER, &["gen", "-p", "said", "--data", "exhaustive"]);
    assert_eq!(output.code, 3, "{}", output.stdout);
    assert!(page.contains("1 found; 1 incomplete</p>") && !page.contains("not as wished</span>"));
    assert!(page.contains("data-status=\"found incomplete\""));
}

#[test]
fn what_is_not_as_wished_is_counted_and_can_be_chosen() {
    let (output, page) = reported("unlike", COUNTER, &["gen", "-p", "raised", "-p", "between"]);
    assert_eq!(output.code, 1, "{}", output.stdout);
    assert!(page.contains("<p class=\"summary\">2 purposes, 2 sequences: 2 found; 1 not as wished</p>"));
    assert!(page.contains("<option value=\"unlike\">not as wished</option>"));
    assert!(page.contains("data-status=\"found unlike\" data-group=\"p0\""));
    assert!(page.contains("<dd>runs of exactly 1 step were asked for</dd>"));
    assert!(page.contains("<dd>runs of 2 to 3 steps were asked for</dd>"));
    assert!(page.contains("<span class=\"key marked\">"), "the colour of the charts is explained");
}

#[test]
fn data_just_outside_is_not_shown_as_if_it_met_the_purpose() {
    let transfer = "\
sts Transfer {
  in deposit(d: Int), transfer(amt: Int)
  var balance: Int = 0
  initial location Empty
  location Full, Sent
  Empty -> Full : deposit ?deposit(d) when 0 <= d && d <= 100 do balance := d
  Full -> Sent : transfer ?transfer(amt) when 0 <= amt && amt <= balance
}
purpose sent for Transfer { last(state) == Sent }
";
    let (output, page) = reported("outside", transfer, &["gen", "--data", "boundary", "--json"]);
    let said: Value = serde_json::from_str(&output.stdout).expect("JSON");
    let cases = said["purposes"][0]["cases"].as_array().expect("cases");
    let unmet = cases.iter().filter(|case| case["meets"] == false).count();
    assert!(0 < unmet && unmet < cases.len(), "some lie inside, some outside: {unmet} of {}", cases.len());
    let (outside, inside): (Vec<&str>, Vec<&str>) = page
        .split("<details class=\"entry\"")
        .skip(1)
        .partition(|entry| entry.contains("just outside: does not meet the purpose</span>"));
    assert_eq!((outside.len(), inside.len()), (unmet, cases.len() - unmet));
    // What is open, and what holds of it, is said of the others.
    assert!(inside.iter().all(|entry| entry.contains("where transfer.amt@2 &lt;= deposit.d@1")));
    assert!(!outside.iter().any(|entry| entry.contains("&lt;= deposit.d@1") || entry.contains(">open</th>")));
    assert!(outside.iter().any(|entry| entry.contains("then ?deposit(-1) must be refused")));
    let counts = format!("<td data-label=\"sequences\">{}, {unmet} outside</td>", cases.len() - unmet);
    assert!(page.contains(&counts), "{counts}");
    assert!(page.contains("<td data-label=\"shortest\">2 steps</td>"), "only those that meet it are compared");
}

/// A gate that cannot jam.
const GATE: &str = "\
sts Gate {
  in go(), jam(n: 0..3), back()
  initial location Closed
  location Open, Jammed
  Closed -> Open   : go ?go
  Open   -> Jammed : jam ?jam(n) when n > 3
  Open   -> Closed : back ?back
}
";

#[test]
fn a_link_leads_to_the_step_that_covers_an_item() {
    let (output, page) = reported("steps", GATE, &["cover", "--of", "transitions"]);
    output.succeeds();
    assert!(page.contains("<a href=\"#p0s0t2\">sequence 1, step 2</a>"));
    assert!(page.contains("<tr id=\"p0s0t2\">"));
}

#[test]
fn what_is_impossible_looks_different_from_what_is_missed() {
    let file = folder("impossible").join("gate.tw");
    fs::write(&file, GATE).expect("writable");
    let looks = |arguments: &[&str]| {
        let dot = tracewright(&[&["cover", plain(&file), "--format", "dot"][..], arguments].concat());
        let look = |label: &str| {
            let line = dot.stdout.lines().find(|line| line.contains(&format!("[label=\"{label}\"")));
            let line = line.unwrap_or_else(|| panic!("{label} is not in {}", dot.stdout));
            ["dotted", "dashed"].into_iter().find(|look| line.contains(look)).unwrap_or("passed")
        };
        (["?go", "?back", "?jam", "Jammed"].map(look), dot.stdout.contains("dotted: impossible"))
    };
    // Only items have a proof, and only within no bound.
    assert_eq!(looks(&["--of", "transitions"]), (["passed", "passed", "dotted", "dashed"], true));
    assert_eq!(looks(&["--of", "states"]), (["passed", "dashed", "dashed", "dotted"], true));
    assert_eq!(looks(&["--of", "states", "--of", "transitions"]), (["passed", "passed", "dotted", "dotted"], true));
    assert_eq!(looks(&["--of", "transitions", "--depth", "1"]), (["passed", "dashed", "dashed", "dashed"], false));
    let (_, page) = reported("impossible_page", GATE, &["cover", "--of", "transitions"]);
    assert!(page.contains("class=\"edge impossible\"") && page.contains("<span class=\"key impossible\">"));
    assert!(page.contains("2 of 3 states and 2 of 3 transitions passed, 1 impossible"));
}

#[test]
fn a_place_that_cannot_be_written_is_one_error_and_leaves_nothing() {
    let folder = folder("nowhere");
    let missing = folder.join("missing/report.html");
    for file in [missing.as_path(), folder.as_path()] {
        for arguments in [&["gen", BLINKER, "-p", "shortest_off"][..], &["cover", BLINKER, "--of", "states"]] {
            let output = tracewright(&[arguments, &["--report", plain(file)]].concat());
            assert_eq!(output.code, 2, "{}{}", output.stdout, output.stderr);
            assert_eq!(output.stdout, "");
            assert!(output.stderr.starts_with(&format!("error: {}: ", plain(file))), "{}", output.stderr);
            assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
        }
    }
    assert_eq!(fs::read_dir(&folder).expect("readable").count(), 0, "nothing is left behind");
    assert_eq!(
        fs::read_dir(folder.parent().expect("a folder"))
            .expect("readable")
            .filter(|entry| {
                entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().ends_with(".partial"))
            })
            .count(),
        0
    );
}

#[test]
fn a_report_that_was_there_is_kept_if_the_model_is_wrong() {
    let folder = folder("kept");
    let (file, model) = (folder.join("report.html"), folder.join("wrong.tw"));
    fs::write(&file, "what was there").expect("writable");
    fs::write(&model, "component {").expect("writable");
    assert_eq!(tracewright(&["gen", plain(&model), "--report", plain(&file)]).code, 2);
    assert_eq!(fs::read_to_string(&file).expect("readable"), "what was there");
}

/// States and transitions that a graph shows as passed, by the names of their states and labels.
fn passed(dot: &str) -> Vec<String> {
    let green = dot.lines().filter(|line| line.contains("color=\"#1a7f37\""));
    green
        .map(|line| line.split("label=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("").to_owned())
        .collect()
}

#[test]
fn a_graph_shows_what_the_runs_pass() {
    let dot = tracewright(&["gen", BLINKER, "-p", "shortest_off", "--format", "dot"]);
    dot.succeeds();
    let json = tracewright(&["gen", BLINKER, "-p", "shortest_off", "--json"]).stdout;
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let sequence = &json["purposes"][0]["cases"][0]["sequence"];
    let mut expected: Vec<String> = vec![];
    let mut note = |value: &Value| {
        let values = value.as_object().expect("an object").iter();
        for (machine, name) in values.filter(|(_, name)| *name != "idle") {
            expected.push(format!("{machine}.{}", name.as_str().expect("a name")));
        }
    };
    note(&sequence["initial"]["state"]);
    for step in sequence["steps"].as_array().expect("steps") {
        note(&step["state"]);
        note(&step["fired"]);
    }
    expected.sort();
    expected.dedup();
    let mut names: Vec<&str> = expected.iter().filter_map(|name| name.split('.').nth(1)).collect();
    names.sort_unstable();
    let mut passed = passed(&dot.stdout);
    passed.sort_unstable();
    assert_eq!(passed, names, "{}", dot.stdout);
    assert!(dot.stdout.starts_with("digraph \"Blinking\" {\n") && dot.stdout.ends_with("}\n"));
}

#[test]
fn a_graph_without_runs_has_no_marks_and_conform_has_none() {
    let dot = tracewright(&["gen", BLINKER, "-p", "wrong_order", "--format", "dot"]);
    assert!(dot.stdout.contains("label=\"switchOff\"") && !dot.stdout.contains("dashed"), "{}", dot.stdout);
    let supplier = "examples/supplier.tw";
    let refused = tracewright(&["conform", supplier, supplier, "--format", "dot"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.starts_with("error: invalid value 'dot'"), "{}", refused.stderr);
}

#[test]
fn models_of_one_name_with_other_parameters_are_graphs_of_their_own() {
    let file = folder("parameters").join("rows.tw");
    let text = "\
component Lamp { in go: Bool  initial state Dark  state Lit  Dark -> Lit : up when go?b  Lit -> Dark : down when go?b }
system Row(k: Nat) { l[i in 1..k]: Lamp  for i in 1..k { in go[i] -> l[i].go } }
purpose one for Row(1) { length 1   member(up) on l[1].fired }
purpose two for Row(2) { length 1   member(up) on l[2].fired }
purpose three for Row(1) { length 2   member(down) on l[1].fired }
";
    fs::write(&file, text).expect("writable");
    let output = tracewright(&["gen", plain(&file), "--format", "dot"]);
    output.succeeds();
    let graphs: Vec<&str> = output.stdout.split("digraph").skip(1).collect();
    assert_eq!(graphs.len(), 2, "{}", output.stdout);
    // The row of one lamp has the runs of both of its purposes.
    assert_eq!(passed(graphs[0]), ["Dark", "Lit", "up", "down"], "{}", graphs[0]);
    assert!(graphs[1].contains("label=\"l[2]\"") && passed(graphs[1]).contains(&"Lit".to_owned()), "{}", graphs[1]);
}
