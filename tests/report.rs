//! Reports and graphs of models, as texts: what stands in them, and what happens where they cannot be written.

mod binary;

use std::fs;
use std::path::{Path, PathBuf};

use binary::tracewright;
use serde_json::Value;

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
