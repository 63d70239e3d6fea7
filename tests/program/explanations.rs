//! Every code has a page in `docs/errors`, and the models on it do what the page says.
//!
//! A block marked `tw error` or `tw warning` gives exactly the code of its page; a block marked `tw` is sound and does not
//! give it. A block marked `mermaid FILE` is a file beside them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

use serde_json::Value as Json;
use tracewright::model::Problem;
use tracewright::syntax::SyntaxProblem;

fn tracewright(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tracewright")).args(arguments).output().expect("the program starts")
}

fn codes() -> BTreeSet<String> {
    Problem::CODES.iter().chain(SyntaxProblem::CODES).map(|code| (*code).to_owned()).collect()
}

/// The pages by code.
fn pages() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/errors");
    let paths = fs::read_dir(folder).expect("the folder exists").map(|entry| entry.expect("readable").path());
    let page = |path: PathBuf| {
        let code = path.file_stem()?.to_str()?.to_owned();
        Some((code, fs::read_to_string(&path).ok()?))
    };
    paths.filter_map(page).collect()
}

/// The fenced blocks of a page: what is written behind the fence, and the text.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = vec![];
    let mut open = false;
    for line in page.lines() {
        match line.strip_prefix("```") {
            Some(_) if open => open = false,
            Some(mark) => {
                out.push((mark.to_owned(), String::new()));
                open = true;
            }
            None if open => {
                let (_, text) = out.last_mut().expect("a block is open");
                text.push_str(line);
                text.push('\n');
            }
            None => {}
        }
    }
    assert!(!open, "a block is not closed");
    out
}

/// A file in the folder of the models.
fn file(name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explanations");
    fs::create_dir_all(&folder).expect("a folder for the models");
    let path = folder.join(name);
    fs::write(&path, text).expect("writable");
    path
}

/// The codes that `check` gives for a model, and its exit code.
fn given(name: &str, model: &str) -> (Vec<String>, Option<i32>) {
    let path = file(&format!("{name}.tw"), model);
    let output = tracewright(&["check", "--json", path.to_str().expect("a plain path")]);
    let json: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    let diagnostics = ["errors", "findings"].into_iter().flat_map(|key| json[key].as_array().cloned());
    (diagnostics.flatten().filter_map(|d| Some(d["code"].as_str()?.to_owned())).collect(), output.status.code())
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let pages: BTreeSet<String> = pages().into_iter().map(|(code, _)| code).collect();
    assert_eq!(pages, codes());
}

#[test]
fn a_page_begins_with_its_code_and_says_something() {
    for (code, page) in pages() {
        let title = page.lines().next().unwrap_or_default();
        assert!(title.starts_with(&format!("# {code}: ")), "{code}: {title}");
        assert!(page.lines().count() >= 5, "{code}: too short");
    }
}

#[test]
fn models_on_the_pages_do_what_the_pages_say() {
    let mut wrong = vec![];
    for (code, page) in pages() {
        let (charts, blocks): (Vec<_>, Vec<_>) =
            blocks(&page).into_iter().partition(|(mark, _)| mark.starts_with("mermaid "));
        for (mark, chart) in charts {
            file(mark.trim_start_matches("mermaid "), &chart);
        }
        for (number, (mark, model)) in blocks.iter().enumerate() {
            let (found, exit) = given(&format!("{code}_{number}"), model);
            let fits = match mark.as_str() {
                "tw error" => exit == Some(2) && found == [code.as_str()],
                "tw warning" => exit == Some(0) && found == [code.as_str()],
                "tw" => exit == Some(0) && !found.contains(&code),
                "console" | "json" => true,
                other => panic!("{code}: unknown mark {other}"),
            };
            if !fits {
                wrong.push(format!("{code}, {mark}: exit {exit:?} with {found:?}\n{model}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn warnings_have_a_model() {
    for (code, page) in pages() {
        let has = |mark: &str| blocks(&page).iter().any(|(m, _)| m == mark);
        assert_eq!(code.starts_with('W'), has("tw warning"), "{code}");
    }
}

#[test]
fn explain_prints_the_page() {
    for (code, page) in pages() {
        let output = tracewright(&["explain", &code.to_lowercase()]);
        assert_eq!(String::from_utf8_lossy(&output.stdout), page);
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn an_unknown_code_is_bad_input() {
    let output = tracewright(&["explain", "E9999"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no code `E9999`"));
}
