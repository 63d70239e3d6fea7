//! What only a browser can judge: reports are opened and used in Chromium, and charts are read by Mermaid's own parser.
//!
//! Needs Chromium, Node, and the packages of `tests/browser/package.json` (`npm ci --prefix tests/browser`). Where they are not
//! installed these tests say so and pass; with `TRACEWRIGHT_BROWSER=1` they fail then.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tracewright::emit::{Chart, Drawing, Row, RowKind};

use crate::binary::tracewright;

/// Runs a script of the folder `tests/browser` and fails if it does. Says whether it was run.
fn in_browser(script: &str, arguments: &[&Path]) -> bool {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    if !folder.join("node_modules").is_dir() || !Path::new("/usr/bin/chromium").exists() {
        assert!(
            std::env::var_os("TRACEWRIGHT_BROWSER").is_none(),
            "Chromium or the packages of tests/browser are missing"
        );
        eprintln!("skipped: Chromium or the packages of tests/browser are not installed");
        return false;
    }
    let output = Command::new("node").arg(folder.join(script)).args(arguments).output().expect("node starts");
    let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{script} failed:\n{out}{errors}");
    println!("{out}");
    true
}

/// An empty folder.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Runs a command with a report, and opens it with what is expected of it beside what its JSON says.
fn opened(name: &str, arguments: &[&str], filters: &Value) {
    let folder = folder(name);
    let page = folder.join("report.html");
    let report = ["--json", "--report", page.to_str().expect("a plain path")];
    let output = tracewright(&[arguments, &report].concat());
    assert!(page.is_file(), "{}{}", output.stdout, output.stderr);
    let said: Value = serde_json::from_str(&output.stdout).expect("JSON");
    let count = |list: &Value| list.as_array().map_or(0, Vec::len);
    let purposes = said["purposes"].as_array().cloned().unwrap_or_default();
    let sequences = count(&said["suite"]) + purposes.iter().map(|purpose| count(&purpose["cases"])).sum::<usize>();
    let counts = match said.get("items") {
        Some(items) => json!({
            "items": count(items),
            "covered": count(&said["covered"]),
            "impossible": count(&said["impossible"]),
            "open": count(&said["unknown"]),
        }),
        None => json!({}),
    };
    let names: Vec<&Value> = purposes.iter().map(|purpose| &purpose["name"]).collect();
    let expected = json!({ "purposes": names, "sequences": sequences, "counts": counts, "filters": filters });
    let file = folder.join("expected.json");
    fs::write(&file, expected.to_string()).expect("writable");
    in_browser("report.mjs", &[&page, &file]);
}

fn model(name: &str, text: &str) -> String {
    let file = folder(&format!("models-{name}")).join(format!("{name}.tw"));
    fs::write(&file, text).expect("writable");
    file.to_str().expect("a plain path").to_owned()
}

const TIMER: &str = "\
component Timer {
  in set: Int
  out timeout: Bool
  var t: Int = 0
  initial state Wait
  state Run
  Wait -> Run  : set     when set?n  do t := n
  Run  -> Wait : timeout when t == 0 do timeout!true
  Run  -> Run  : tick    when t > 0  do t := t - 1
  Run  -> Wait : never   when t < t
}
purpose late for Timer { length <= 6   last(fired) == timeout   count(4, tick) on fired }
purpose soon for Timer { length <= 6   last(fired) == timeout   first(set) == 1 }
purpose below for Timer { first(set) < 0   member(timeout) on fired   expect impossible }
purpose at_once for Timer { length <= 2   last(fired) == timeout }
purpose never_fires for Timer { length <= 3   member(never) on fired }
";

#[test]
fn a_report_of_purposes_is_used_in_a_browser() {
    let filters = json!([
        { "text": "late", "left": 1, "groups": ["late"] },
        { "text": "SET=4", "left": 1, "groups": ["late"] },
        { "text": "exhaustion", "left": 0, "groups": ["below", "never_fires"] },
        { "text": "tick timeout", "left": 2 },
        { "text": "nothing has this", "left": 0, "groups": [] },
        // The table says `set=4`, the chart `set(4)`.
        { "text": "set(4)", "left": 1, "groups": ["late"] },
        { "status": "impossible", "left": 0, "groups": ["below", "never_fires"] },
        { "status": "unlike", "left": 0, "groups": ["never_fires"] },
        { "status": "unlike", "text": "set", "left": 0, "groups": [] },
    ]);
    opened("purposes", &["gen", &model("timer", TIMER)], &filters);
}

#[test]
fn a_report_of_a_suite_is_used_in_a_browser() {
    opened(
        "suite",
        &["cover", &model("covered", TIMER), "--of", "transitions"],
        &json!([
            { "text": "tick", "left": 1, "items": ["tick"] },
            { "text": "set=", "left": 1, "items": [] },
            { "status": "impossible", "left": 1, "items": ["never"] },
        ]),
    );
}

#[test]
fn a_report_with_a_thousand_sequences_is_filtered_while_typing() {
    let echo = "\
sts Echo {
  in say(n: 0..999)
  out echo(n: 0..999)
  var k: 0..999 = 0
  initial location Idle
  location Heard
  Idle -> Heard : ?say(n) do k := n
  Heard -> Idle : !echo(n) when n == k
}
purpose heard for Echo { length 2 }
";
    let filters =
        json!([{ "text": "say(417)", "left": 1 }, { "text": "say(41", "left": 11 }, { "text": "heard", "left": 1000 }]);
    opened("thousand", &["gen", &model("echo", echo), "--data", "exhaustive"], &filters);
}

#[test]
fn texts_of_a_model_stay_texts() {
    let hostile = "\
sts Hostile {
  in say(t: String)
  initial location A
  A -> A : ?say(t) when t == \"</script><b class=planted>x</b><img src=x onerror=alert(1)><!--<script>\"
}
purpose said for Hostile { length 1 }
";
    let filters = json!([{ "text": "</script><b", "left": 1 }]);
    opened("hostile", &["gen", &model("hostile", hostile)], &filters);
}

/// Charts of an example: of what its purposes find, and of a run of each of its models.
fn charts_of(example: &Path, folder: &Path) {
    let (path, out) = (example.to_str().expect("plain"), folder.to_str().expect("plain"));
    fs::create_dir_all(folder).expect("a folder");
    // Whatever the answers are, what is found in time is drawn; some examples have no purposes.
    tracewright(&["gen", path, "--format", "mermaid", "--out", out, "--time", "2"]);
    let text = fs::read_to_string(example).expect("readable");
    for line in text.lines() {
        let Some((kind, rest)) = line.split_once(' ') else { continue };
        if ["component", "sts", "service", "system"].contains(&kind) {
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            // Some models have a parameter.
            for model in [name.clone(), format!("{name}(2)")] {
                let run =
                    ["simulate", &format!("{path}#{model}"), "--steps", "8", "--seed", "1", "--format", "mermaid"];
                let chart = tracewright(&run).stdout;
                if !chart.is_empty() {
                    fs::write(folder.join(format!("{name}-run.mmd")), chart).expect("writable");
                }
            }
        }
    }
    let is_chart = |entry: std::io::Result<fs::DirEntry>| entry.is_ok_and(|entry| plain_name(&entry).ends_with(".mmd"));
    assert!(fs::read_dir(folder).expect("readable").any(is_chart), "{path} has no chart");
}

fn plain_name(entry: &fs::DirEntry) -> String {
    entry.file_name().to_string_lossy().into_owned()
}

#[test]
fn mermaid_reads_the_charts_of_all_examples() {
    let charts = folder("mermaid");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for entry in fs::read_dir(examples).expect("examples") {
        let path = entry.expect("readable").path();
        if path.extension().is_some_and(|extension| extension == "tw") {
            charts_of(&path, &charts.join(path.file_stem().expect("a name")));
        }
    }
    let everything: String = (' '..='~').collect();
    let directive = "%%{init: {\"theme\": \"dark\"}}%% x";
    let mut texts = vec!["end", "a;b", "%% no comment", "x:y", "über → 漢字", "#35;", "{}", "()", "+a", "-b", " "];
    texts.extend([everything.as_str(), directive, "pay $$5 or $$6 now", "50%% x", "a<br/>b", "\\n"]);
    let row = |text: &&str| {
        let message = RowKind::Message { from: 0, to: vec![1], text: (*text).to_owned(), is_hidden: false };
        let rest = [RowKind::State(1, (*text).to_owned()), RowKind::Note((*text).to_owned())];
        [message].into_iter().chain(rest).map(Row::plain)
    };
    let rows = texts.iter().flat_map(|text| row(text).collect::<Vec<_>>()).collect();
    let lifelines = ["env", "end", "loop", "a.b[1]", &everything].map(str::to_owned).to_vec();
    let strange = Chart { title: format!("strange {directive}"), lifelines, rows };
    fs::write(charts.join("strange.texts.json"), json!(texts).to_string()).expect("writable");
    fs::write(charts.join("strange.mmd"), Drawing::Mermaid.chart(&strange)).expect("writable");
    in_browser("mermaid.mjs", &[&charts]);
}
