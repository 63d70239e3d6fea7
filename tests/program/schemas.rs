//! What `--json` prints has the published shape: every command, on every example and on inputs chosen for the rare fields. The
//! schemas are strict, so that a field that is renamed, added or dropped fails here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::{Registry, Validator};
use serde_json::{Value as Json, json};

use crate::binary::{Output, tracewright};

const SCHEMAS: &str = "docs/schema";

/// The schemas by name. References between them are resolved as they are for whoever reads the folder.
struct Schemas(BTreeMap<String, Validator>);

impl Schemas {
    fn read() -> Schemas {
        let mut texts = BTreeMap::new();
        for entry in fs::read_dir(SCHEMAS).expect("schemas are there") {
            let path = entry.expect("a readable folder").path();
            let json: Json = serde_json::from_str(&fs::read_to_string(&path).expect("readable")).expect("JSON");
            assert!(jsonschema::meta::is_valid(&json), "{} is a schema", path.display());
            texts.insert(path.file_stem().unwrap().to_string_lossy().into_owned(), json);
        }
        let uri = |name: &str| format!("json-schema:///{name}.json");
        let mut registry = Registry::new();
        for (name, json) in &texts {
            registry = registry.add(uri(name), json.clone()).expect("a plain address");
        }
        let registry = registry.prepare().expect("references between schemas");
        let validator = |name: &String| {
            let start = json!({ "$ref": uri(name) });
            let built = jsonschema::options().offline().with_registry(&registry).build(&start);
            (name.clone(), built.expect("every reference leads somewhere"))
        };
        Schemas(texts.keys().map(validator).collect())
    }

    /// Whether an object has the shape of a schema; if not, the first reason.
    fn judge(&self, schema: &str, json: &Json) -> Result<(), String> {
        self.0[schema].validate(json).map_err(|error| format!("{error} at {}", error.instance_path()))
    }
}

/// The object that a command printed, with the schema that it must have: its own, or the one of errors.
fn printed<'a>(args: &[&str], own: &'a str, output: &Output) -> (&'a str, Json) {
    let json: Json = serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{args:?}: {error}"));
    match output.code {
        0 | 1 => (own, json),
        2 => ("error", json),
        // Unknown is an answer, or a limit that was hit before there was one.
        3 if json.get("errors").is_none() => (own, json),
        3 => ("error", json),
        code => panic!("{args:?}: exit {code}: {}", output.stderr),
    }
}

/// A folder of this test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("schemas").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// Runs a command, judges what it printed, and gives the schema that was used with the object.
fn judged(schemas: &Schemas, args: &[&str], own: &'static str) -> (&'static str, Json) {
    let (schema, json) = printed(args, own, &tracewright(args));
    if let Err(reason) = schemas.judge(schema, &json) {
        panic!("{args:?} has not the shape of {schema}: {reason}\n{json}");
    }
    (schema, json)
}

/// Every example, and every model in one of them; what several import is taken once.
fn models() -> Vec<String> {
    let mut files: Vec<String> = (fs::read_dir("examples").expect("examples"))
        .map(|entry| entry.expect("readable").path().display().to_string())
        .filter(|path| path.ends_with(".tw"))
        .collect();
    files.sort();
    let (mut models, mut known) = (vec![], BTreeSet::new());
    for file in files {
        let json: Json = serde_json::from_str(&tracewright(&["check", &file, "--json"]).stdout).expect("JSON");
        let names = json["models"].as_array().expect("models").iter().map(|name| name.as_str().expect("a name"));
        let new = names.filter(|name| known.insert(name.to_string()));
        models.extend(new.map(|name| format!("{file}#{name}")));
        models.push(file);
    }
    models
}

/// What is asked of every model. Bounds are low: shapes do not depend on them.
fn every_command(schemas: &Schemas, model: &str, number: usize) -> BTreeSet<&'static str> {
    let folder = folder(&format!("model-{number}"));
    let trace = folder.join("trace.json");
    let kept = folder.join("kept");
    let mut used = BTreeSet::new();
    let mut ask = |own: &'static str, args: &[&str]| {
        let (schema, json) = judged(schemas, args, own);
        used.insert(schema);
        json
    };
    ask("check", &["check", model, "--json"]);
    ask("gen", &["gen", model, "--depth", "2", "--time", "2", "--json"]);
    ask("cover", &["cover", model, "--of", "states", "--depth", "2", "--time", "2", "--json"]);
    ask("explore", &["explore", model, "--depth", "2", "--states", "50", "--json"]);
    ask("explore-symbolic", &["explore", model, "--symbolic", "--depth", "1", "--json"]);
    ask("explore-executions", &["explore", model, "--algorithm", "sets", "--depth", "2", "--json"]);
    ask("conform", &["conform", model, model, "--complete", "ignore", "--depth", "1", "--json"]);
    let run = ask("simulate", &["simulate", model, "--steps", "3", "--json"]);
    fs::write(&trace, run.to_string()).expect("a file");
    ask("replay", &["replay", model, text(&trace), "--json"]);
    ask("monitor", &["monitor", model, text(&trace), "--json"]);
    ask("keep", &["keep", model, text(&trace), "--out", text(&kept), "--json"]);
    if kept.is_dir() {
        ask("replay", &["replay", model, text(&kept), "--json"]);
    }
    used
}

#[test]
fn every_command_on_every_example() {
    let schemas = &Schemas::read();
    let models: Vec<(usize, String)> = models().into_iter().enumerate().collect();
    assert!(models.len() > 30, "there are examples");
    // Two at a time: most of the time is spent in starting programs.
    let (left, right) = models.split_at(models.len() / 2);
    let all = |models: &[(usize, String)]| -> BTreeSet<&'static str> {
        models.iter().flat_map(|(number, model)| every_command(schemas, model, *number)).collect()
    };
    let used = std::thread::scope(|scope| {
        let other = scope.spawn(|| all(left));
        let mut used = all(right);
        used.extend(other.join().expect("the first half"));
        used
    });
    let expected = [
        "check",
        "conform",
        "cover",
        "error",
        "explore",
        "explore-executions",
        "explore-symbolic",
        "gen",
        "keep",
        "monitor",
        "replay",
        "simulate",
    ];
    assert_eq!(used, BTreeSet::from(expected), "each command gave an answer somewhere");
}

const LAMP: &str = "component Lamp {
  in press: Bool
  out bulb: 0..2
  var n: 0..2 = 0
  initial state S
  S -> S : up    when press?true && n < 2  do n := n + 1, bulb!(n + 1)
  S -> S : reset when press?true && n == 2 do n := 0, bulb!0
}
purpose bright for Lamp { length <= 3   member(bulb, 2) }
purpose twice for Lamp { length <= 4   at_least(fired, 2, reset)   expect impossible }
purpose late for Lamp { classes press { true, false }   member(bulb, 1) }
property never_bright for Lamp { formula { always !(bulb == 2) } }
property stays_low for Lamp { formula { always (n <= 2) } }
";

/// A folder with a model and traces that bring out fields which few answers have.
fn lamp(name: &str) -> (PathBuf, String) {
    let folder = folder(name);
    fs::write(folder.join("lamp.tw"), LAMP).expect("a file");
    let write = |name: &str, json: Json| fs::write(folder.join(name), json.to_string()).expect("a file");
    write("wrong.json", json!({ "steps": [{ "inputs": { "press": true }, "fired": { "Lamp": "reset" } }] }));
    write("values.json", json!({ "steps": [{ "inputs": { "press": true }, "vars": { "n": 2 } }] }));
    write("one.json", json!({ "steps": [{ "inputs": { "press": true } }] }));
    let log =
        [json!({ "inputs": { "press": true }, "outputs": { "bulb": 2 } }), json!({ "inputs": { "press": null } })];
    fs::write(folder.join("wrong.jsonl"), format!("{}\n{}\n", log[0], log[1])).expect("a file");
    let model = text(&folder.join("lamp.tw")).to_owned();
    (folder, model)
}

/// Commands whose answers have fields that the examples do not show, with the schema and a field that must be there.
fn rare_answers(schemas: &Schemas) -> Vec<(&'static str, Json)> {
    let (folder, lamp) = lamp("rare");
    let path = |name: &str| text(&folder.join(name)).to_owned();
    let (wrong, values, one) = (path("wrong.json"), path("values.json"), path("one.json"));
    let (log, kept) = (path("wrong.jsonl"), path("kept"));
    let supplier = "examples/supplier.tw";
    let implementation = "examples/supplier_implementations.tw#M7";
    let commands: Vec<(&'static str, Vec<&str>, &str)> = vec![
        (
            "property",
            vec!["check", &lamp, "--property", "never_bright", "--property", "stays_low"],
            "/properties/0/counterexample/length",
        ),
        ("gen", vec!["gen", &lamp], "/purposes/1/proof/core"),
        (
            "gen",
            vec!["gen", &lamp, "--all", "--max", "2", "--data", "boundary", "--negative"],
            "/purposes/0/cases/0/reasons",
        ),
        ("gen", vec!["gen", "examples/purse.tw", "-p", "one_at_a_time"], "/purposes/0/behaviours/0/strategy"),
        ("cover", vec!["cover", &lamp, "--of", "transitions", "--of", "bright"], "/suite/0/covers/0"),
        ("cover", vec!["cover", "examples/quiescence.tw#Wrong", "--of", "pairs", "--depth", "1"], "/unknown"),
        ("conform", vec!["conform", implementation, supplier], "/counterexample/forbidden_by/0/message"),
        ("conform", vec!["conform", "examples/supplier_implementations.tw#I0", supplier], "/proof/kind"),
        (
            "conform",
            vec!["conform", "examples/quiescence.tw#Wrong", "examples/quiescence.tw#Spec"],
            "/counterexample/observed",
        ),
        ("replay", vec!["replay", &lamp, &wrong, &values, &one], "/traces/1/differs/0/what"),
        ("monitor", vec!["monitor", &lamp, &log, "--stop"], "/rejected/refused"),
        ("keep", vec!["keep", &lamp, &one, "--out", &kept], "/folder"),
        ("keep", vec!["keep", &lamp, &wrong, "--out", &kept], "/traces/0/accepted"),
        ("explore", vec!["explore", &lamp, "--states", "1"], "/limit"),
        ("fmt", vec!["fmt", "--check", &lamp], "/changed/0"),
        ("explain", vec!["explain", "e0201"], "/text"),
        ("error", vec!["check", "missing.tw"], "/errors/0/code"),
        ("error", vec!["gen", &lamp, "-p", "brigt"], "/errors/0/help"),
        ("error", vec!["gen", "--no-such-flag"], "/errors/0/message"),
    ];
    let mut answers = vec![];
    for (own, mut args, field) in commands {
        args.push("--json");
        let (schema, json) = judged(schemas, &args, own);
        assert_eq!(schema, own, "{args:?}: {json}");
        assert!(json.pointer(field).is_some(), "{args:?} shows {field}: {json}");
        answers.push((schema, json));
    }
    answers.extend(files(schemas, &lamp, &folder));
    // The model changes, and what was kept is wrong.
    fs::write(folder.join("lamp.tw"), LAMP.replace("bulb!(n + 1)", "bulb!n")).expect("a file");
    let (schema, json) = judged(schemas, &["replay", &lamp, &kept, "--update", "--json"], "replay");
    assert_eq!(json.pointer("/traces/0/updated"), Some(&json!(true)), "{json}");
    answers.push((schema, json));
    answers
}

/// What `--out` writes, with charts, a graph and tests.
fn files(schemas: &Schemas, model: &str, folder: &Path) -> Vec<(&'static str, Json)> {
    let mut all = vec![];
    let asked: [(&str, &[&str], _, _); 2] = [
        ("gen", &["--data", "boundary"], "gen-manifest", "gen-sequence"),
        ("cover", &["--of", "transitions"], "cover-manifest", "cover-sequence"),
    ];
    for (command, more, manifest, sequence) in asked {
        let out = folder.join(command);
        let formats = ["--out", text(&out), "--format", "mermaid", "--format", "dot", "--format", "pytest"];
        tracewright(&[&[command, model], more, &formats].concat()).succeeds();
        for entry in fs::read_dir(&out).expect("files") {
            let path = entry.expect("readable").path();
            let schema = match path.file_name().and_then(|name| name.to_str()) {
                Some("manifest.json") => manifest,
                Some(name) if name.ends_with(".json") => sequence,
                _ => continue,
            };
            let json: Json = serde_json::from_str(&fs::read_to_string(&path).expect("readable")).expect("JSON");
            assert_eq!(schemas.judge(schema, &json), Ok(()), "{}", path.display());
            if schema == manifest {
                assert!(json["graphs"].is_array() && json["tests"].is_array(), "{json}");
            }
            all.push((schema, json));
        }
    }
    let schemas: BTreeSet<&str> = all.iter().map(|(schema, _)| *schema).collect();
    assert_eq!(schemas.len(), 4, "sequences and manifests: {schemas:?}");
    all
}

/// All objects that differ from this one in one place: a field that has another name, or one more. Fields whose names are
/// the user's own are left alone.
fn spoiled(json: &Json) -> Vec<Json> {
    const NAMES_OF_THE_USER: [&str; 9] =
        ["inputs", "outputs", "data", "fired", "state", "vars", "channels", "values", "binding"];
    let mut out = vec![];
    match json {
        Json::Object(fields) => {
            let mut more = fields.clone();
            more.insert("surprise".to_owned(), json!(1));
            out.push(Json::Object(more));
            for (name, value) in fields {
                let mut renamed = fields.clone();
                renamed.shift_remove(name);
                renamed.insert(format!("{name}_"), value.clone());
                out.push(Json::Object(renamed));
                if NAMES_OF_THE_USER.contains(&name.as_str()) {
                    continue;
                }
                for inside in spoiled(value) {
                    let mut changed = fields.clone();
                    changed.insert(name.clone(), inside);
                    out.push(Json::Object(changed));
                }
            }
        }
        // One element shows what all are like.
        Json::Array(elements) => {
            if let Some(first) = elements.first() {
                for inside in spoiled(first) {
                    let mut changed = elements.clone();
                    changed[0] = inside;
                    out.push(Json::Array(changed));
                }
            }
        }
        _ => {}
    }
    out
}

#[test]
fn rare_fields_are_described_and_no_others_are_allowed() {
    let schemas = Schemas::read();
    let mut count = 0;
    for (schema, json) in rare_answers(&schemas) {
        for wrong in spoiled(&json) {
            count += 1;
            assert!(schemas.judge(schema, &wrong).is_err(), "{schema} lets this pass: {wrong}");
        }
    }
    assert!(count > 300, "{count} wrong objects were tried");
}

#[test]
fn values_are_what_the_manual_says() {
    let schemas = Schemas::read();
    let with = |value: Json| {
        json!({
            "model": "M", "seed": 0, "initial": { "state": { "M": "S" }, "vars": { "x": value } }, "steps": [],
        })
    };
    let good =
        [json!(3), json!("12345678901234567890"), json!("1/3"), json!({ "Some": [1] }), json!([[1, "a"], [2, "b"]])];
    for value in good {
        assert_eq!(schemas.judge("simulate", &with(value.clone())), Ok(()), "{value}");
    }
    // A variable is never absent, and no number is a fraction.
    for value in [json!(null), json!(0.5), json!([null])] {
        assert!(schemas.judge("simulate", &with(value.clone())).is_err(), "{value}");
    }
}

#[test]
fn the_manual_lists_every_schema() {
    let page = fs::read_to_string("docs/reference/json.md").expect("the page");
    for name in Schemas::read().0.keys() {
        assert!(page.contains(&format!("(../schema/{name}.json)")), "{name} is missing");
    }
}
