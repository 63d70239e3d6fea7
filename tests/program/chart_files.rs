//! Charts in files of their own: what is drawn of a run is read again, and errors point into the file.

use std::fs;
use std::path::{Path, PathBuf};

use tracewright::emit::{Chart, Drawing};
use tracewright::history::Known;
use tracewright::kernel::{Given, Run, StepSystem, Trace, lower};
use tracewright::search::simulate;
use tracewright::synth::Asked;
use tracewright::{model, syntax};

use crate::binary::tracewright;

/// A folder for the files of one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("chart_files").join(name);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).expect("writable");
    path.to_str().expect("a plain path").to_owned()
}

/// The purpose called `Again` with its model.
fn asked(path: &str) -> Asked {
    let (sources, errors) = syntax::load(path);
    assert!(errors.is_empty(), "{errors:#?}");
    let (checked, problems) = model::check(&sources);
    assert!(problems.iter().all(|p| p.severity != tracewright::diagnostic::Severity::Error), "{problems:#?}");
    let purpose = checked.purposes.iter().find(|purpose| purpose.tree.name.name == "Again").expect("it is declared");
    Asked::new(&checked, purpose, &[], Default::default(), None).unwrap_or_else(|error| panic!("{error:?}"))
}

/// Whether a run meets the purpose.
fn is_met(asked: &Asked, run: &Run) -> bool {
    let monitor = asked.purpose.monitor(&[0], None);
    assert!(monitor.open.is_empty());
    let known = Known { monitor: &monitor, definitions: &asked.lists.names.definitions, open: &[] };
    let mut live = known.start().expect("within limits");
    let mut before = &run.initial;
    for (number, step) in run.steps.iter().enumerate() {
        let observed = asked.lists.observe(&asked.system, before, step, number + 1);
        live = known.advance(&live, &observed).expect("within limits");
        before = &step.next;
    }
    known.hold_at_stop(&live).expect("within limits")
}

fn system(path: &str, name: &str) -> StepSystem {
    let (mut sources, errors) = syntax::load(path);
    assert!(errors.is_empty(), "{errors:#?}");
    let (checked, _) = model::check(&sources);
    let id = sources.add_fragment("name", name);
    let reference = syntax::parse_model_reference(id, name).expect("a reference");
    let assembled = model::assemble(&checked, Some(&reference), Default::default());
    lower(&assembled.unwrap_or_else(|rejected| panic!("{rejected:?}"))).expect("a small model")
}

#[test]
fn a_run_meets_the_chart_that_is_drawn_of_it_and_a_shorter_one_does_not() {
    let (mut longer, mut marked) = (0, 0);
    for (file, name, steps) in [
        ("blinker", "Blinking", 4),
        ("blinkers", "Blinkers(2)", 2),
        ("inres", "Inres", 6),
        ("atm", "ATM", 6),
        ("stopwatch", "Stopwatch", 4),
        ("supplier", "Supplier", 6),
    ] {
        let path = format!("{}/examples/{file}.tw", env!("CARGO_MANIFEST_DIR"));
        let system = system(&path, name);
        let folder = folder(file);
        for seed in 0..2 {
            let simulated = simulate(&system, &Trace::default(), steps, &Given::default(), seed);
            let (initial, steps, _) = simulated.unwrap_or_else(|error| panic!("{file}: {error}"));
            let mut run = Run { initial, steps };
            assert!(!run.steps.is_empty(), "{file}, {seed}: nothing happens");
            // Every other step is marked: marks change how something is drawn, and not what it means.
            let lists = system.lists();
            let all: Vec<usize> = (0..lists.sources.len()).collect();
            let marks = |step: usize| if step % 2 == seed as usize { all.clone() } else { vec![] };
            let marks = (0..run.steps.len()).map(marks).collect();
            let chart = Chart::of_run("again".to_owned(), &run, &system, &lists, &marks);
            marked += chart.rows.iter().filter(|row| row.is_marked).count();
            for drawing in [Drawing::Mermaid, Drawing::Plantuml] {
                let drawn = drawing.chart(&chart);
                let ending = drawing.extension();
                write(&folder, &format!("{seed}.{ending}"), &drawn);
                let again = format!("import \"{path}\"\nmsc Again for {name} from \"{seed}.{ending}\"\n");
                let asked = asked(&write(&folder, &format!("again{seed}.tw"), &again));
                assert!(is_met(&asked, &run), "{file}, {seed}:\n{drawn}");
            }
            // The last step alone makes the difference if something is drawn in it.
            let last = run.steps.pop();
            let shorter = Chart::of_run("again".to_owned(), &run, &system, &lists, &marks);
            let grew = chart.rows.len() > shorter.rows.len() + 1;
            if let (Some(_), true) = (last, grew) {
                let again = format!("import \"{path}\"\nmsc Again for {name} from \"{seed}.mmd\"\n");
                let asked = asked(&write(&folder, &format!("again{seed}.tw"), &again));
                assert!(!is_met(&asked, &run), "{file}, {seed}: a shorter run meets it, too");
                longer += 1;
            }
        }
    }
    assert!(longer >= 10, "only {longer} runs are drawn longer by their last step");
    assert!(marked > 50, "only {marked} marks");
}

#[test]
fn texts_that_look_like_comments_are_read_again() {
    let folder = folder("comments");
    let model = "\
component Say {
  in put: String
  initial state Empty
  state Full
  Empty -> Full : fill when put?_
}
purpose said for Say { member(\"a/'b'/ //'' %%c\") on put }
";
    let model = write(&folder, "model.tw", model);
    for (format, ending) in [("mermaid", "mmd"), ("plantuml", "puml")] {
        let drawn = tracewright(&["gen", &model, "-p", "said", "--format", format]);
        drawn.succeeds();
        write(&folder, &format!("said.{ending}"), &drawn.stdout);
        let again = format!("import \"model.tw\"\nmsc Again for Say from \"said.{ending}\"\n");
        let again = write(&folder, &format!("again_{ending}.tw"), &again);
        let output = tracewright(&["gen", &again, "-p", "Again", "--format", format]);
        output.succeeds();
        let messages = |text: &str| text.lines().find(|line| line.contains("put(")).map(str::to_owned);
        assert!(messages(&drawn.stdout).is_some(), "{}", drawn.stdout);
        assert_eq!(messages(&output.stdout), messages(&drawn.stdout));
    }
}

/// In a chart `env` is the environment, whatever machines are called.
#[test]
fn the_environment_keeps_its_name() {
    let folder = folder("environment");
    let model = format!(
        "{MODEL}system Sys {{ env: Box  in put -> env.put  env.got -> out got }}\npurpose p for Sys {{ member(3) on put }}\n"
    );
    let model = write(&folder, "model.tw", &model);
    for (format, ending) in [("mermaid", "mmd"), ("plantuml", "puml")] {
        let drawn = tracewright(&["gen", &model, "-p", "p", "--format", format]);
        drawn.succeeds();
        assert!(drawn.stdout.contains("env_ is a machine called env, which no chart can name\n"), "{}", drawn.stdout);
        assert!(!drawn.stdout.contains("lifeline"), "nobody else is the environment: {}", drawn.stdout);
        write(&folder, &format!("p.{ending}"), &drawn.stdout);
        let again = format!("import \"model.tw\"\nmsc Again for Sys from \"p.{ending}\"\n");
        let output = tracewright(&["gen", &write(&folder, "again.tw", &again), "-p", "Again"]);
        assert_eq!(output.code, 2);
        assert!(output.stderr.contains("E1002") && output.stderr.contains("`env_`"), "{}", output.stderr);
    }
}

const MODEL: &str = "\
component Box {
  in put: Int
  out got: Int
  initial state Empty
  state Full
  Empty -> Full : fill when put?n
  Full -> Empty : give do got!1
}
";

/// `file:line:column code` of every error of `check`.
fn wrong(name: &str, chart_file: &str, chart: &str) -> Vec<String> {
    let folder = folder(name);
    write(&folder, chart_file, chart);
    let path = write(&folder, "model.tw", &format!("{MODEL}msc Drawn for Box from \"{chart_file}\"\n"));
    let output = tracewright(&["gen", "-p", "Drawn", "--json", &path]);
    assert_eq!(output.code, 2, "{}{}", output.stdout, output.stderr);
    let json: serde_json::Value = serde_json::from_str(&output.stdout).expect("JSON");
    let errors = json["errors"].as_array().cloned().unwrap_or_default();
    let place = |error: &serde_json::Value| {
        let file = error["file"].as_str().unwrap_or_default().rsplit('/').next().unwrap_or_default().to_owned();
        format!("{file}:{}:{} {}", error["line"], error["column"], error["message"].as_str().unwrap_or_default())
    };
    errors.iter().map(place).collect()
}

#[test]
fn what_the_model_does_not_know_is_shown_in_the_chart() {
    let errors = wrong(
        "unknown",
        "a.mmd",
        "sequenceDiagram\n  env->>Box: putt(3)\n  Note over Box: Fulll\n  Box->>env: got(true)\n",
    );
    assert!(errors.iter().any(|e| e.starts_with("a.mmd:2:14 ")), "{errors:#?}");
    assert!(errors.iter().any(|e| e.starts_with("a.mmd:3:18 ")), "{errors:#?}");
    assert!(errors.iter().any(|e| e.starts_with("a.mmd:4:18 ")), "{errors:#?}");
    let errors = wrong("lifeline", "a.puml", "@startuml\nenv -> Bocks : put(3)\n@enduml\n");
    assert!(errors[0].starts_with("a.puml:2:8 "), "{errors:#?}");
}

#[test]
fn a_missing_file_is_shown_where_it_is_named() {
    let folder = folder("missing");
    let path = write(&folder, "model.tw", &format!("{MODEL}msc Drawn for Box from \"nowhere.mmd\"\n"));
    let output = tracewright(&["check", "--json", &path]);
    assert_eq!(output.code, 2);
    assert!(output.stdout.contains("\"code\":\"E0012\"") && output.stdout.contains("\"line\":9"), "{}", output.stdout);
}

/// The blinker goes from Off to On: written and drawn, all cases are the same.
#[test]
fn a_chart_that_is_drawn_gives_the_cases_of_the_one_that_is_written() {
    let cases = |purpose: &str| {
        let arguments = ["gen", "examples/blinker_charts.tw", "-p", purpose, "--all", "--depth", "11", "--json"];
        let output = tracewright(&arguments);
        output.succeeds();
        let json: serde_json::Value = serde_json::from_str(&output.stdout).expect("JSON");
        json["purposes"][0]["cases"].as_array().expect("cases").clone()
    };
    let written = cases("OffToOn");
    assert!(written.len() > 1, "{}", written.len());
    assert_eq!(written, cases("OffToOnDrawn"));
}

#[test]
fn a_chart_in_a_file_is_a_purpose() {
    let folder = folder("purpose");
    write(
        &folder,
        "twice.puml",
        "@startuml\n' some n: Int\n[-> Box : put(n)\nhnote over Box : Full\n... later ...\n[-> Box : put(n)\nnote over Box : [n > 4]\n@enduml\n",
    );
    let path = write(&folder, "model.tw", &format!("{MODEL}msc Twice for Box from \"twice.puml\"\n"));
    let output = tracewright(&["gen", "-p", "Twice", &path]);
    output.succeeds();
    assert!(output.stdout.contains("Twice: found in 2 steps"), "{}", output.stdout);
}

#[test]
fn formatting_leaves_the_file_out() {
    let folder = folder("format");
    write(&folder, "a.mmd", "sequenceDiagram\n  env->>Box: put(3)\n");
    let path = write(&folder, "model.tw", &format!("{MODEL}\nmsc Drawn for Box from \"a.mmd\"\n"));
    tracewright(&["fmt", &path]).succeeds();
    assert!(fs::read_to_string(&path).expect("readable").ends_with("msc Drawn for Box from \"a.mmd\"\n"));
}
