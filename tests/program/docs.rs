//! Every example of the reference and the tutorials runs: files are written, commands are run, outputs are compared.
//!
//! Blocks of a page are taken in order, in one temporary folder per page:
//!
//! - `tw name.tw`, `json name.json`, `csv name.csv`, `mermaid name.mmd` and `plantuml name.puml` write a file; `tw` without a name writes
//!   `example.tw`, which must pass `check`;
//! - `console` holds `$ command` lines, each followed by what it prints (standard output, then standard error) and by
//!   `[exit N]` unless N is 0. A line `...` stands for any lines, ` ...` at the end of a line for the rest of it.
//!
//! `UPDATE_DOCS=1 cargo test --test docs` writes the outputs that were seen into the pages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tracewright::term::Builtin;

const BINARY: &str = env!("CARGO_BIN_EXE_tracewright");

#[test]
fn every_example_of_the_manual_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages: Vec<PathBuf> = ["docs/reference", "docs/tutorials"]
        .into_iter()
        .flat_map(|folder| fs::read_dir(root.join(folder)).expect("the manual is there"))
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect();
    pages.push(root.join("README.md"));
    pages.retain(|path| path.is_file());
    pages.sort();
    assert!(pages.len() > 1, "pages were found");
    let update = std::env::var_os("UPDATE_DOCS").is_some();
    let wrong: Vec<String> = pages.iter().flat_map(|page| run_page(page, update)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_reference_lists_every_function() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/expressions.md");
    let page = fs::read_to_string(page).expect("the page is there");
    let mut table = "| function | type | value |\n|---|---|---|\n".to_owned();
    for (_, builtin, _) in Builtin::NAMED {
        for row in builtin.function().reference {
            table.push_str(&format!("| {} |\n", row.join(" | ")).replace("|  |", "| |"));
        }
    }
    assert!(page.contains(&format!("{table}\n")), "the page has another table than\n{table}");
}

/// Runs the blocks of a page and says what is wrong with it.
fn run_page(page: &Path, update: bool) -> Vec<String> {
    let text = fs::read_to_string(page).expect("a readable page");
    let name = page.file_name().and_then(|n| n.to_str()).expect("a plain name");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("docs").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the page");
    let mut wrong = vec![];
    let mut consoles = 0;
    let mut written = String::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        written.push_str(&format!("{line}\n"));
        let Some(info) = line.strip_prefix("```").filter(|info| !info.is_empty()) else { continue };
        let block: Vec<&str> = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
        let place = format!("{name}:{}", number + 1);
        let shown = match info.split_whitespace().collect::<Vec<_>>()[..] {
            ["tw" | "json" | "csv" | "mermaid" | "plantuml", file] => write_file(&folder, file, &block),
            ["tw"] => {
                write_file(&folder, "example.tw", &block);
                let (output, code) = run("tracewright check example.tw", &folder);
                if code != 0 {
                    wrong.push(format!("{place}: the example does not pass check\n{output}"));
                }
                block.iter().map(|line| format!("{line}\n")).collect()
            }
            // Set-up and builds from the very beginning: for a fresh machine, not for a test. Rust is tested with its documentation.
            ["sh" | "rust"] => block.iter().map(|line| format!("{line}\n")).collect(),
            ["console"] => {
                consoles += 1;
                run_console(&block, &folder, &place, update, &mut wrong)
            }
            _ => {
                wrong.push(format!("{place}: unknown kind of block `{info}`"));
                continue;
            }
        };
        written.push_str(&format!("{shown}```\n"));
    }
    if consoles == 0 {
        wrong.push(format!("{name}: no example is run"));
    }
    if update && written != text {
        fs::write(page, written).expect("a writable page");
    }
    wrong
}

fn write_file(folder: &Path, file: &str, block: &[&str]) -> String {
    assert!(!file.contains('/'), "{file} stays in its folder");
    let text: String = block.iter().map(|line| format!("{line}\n")).collect();
    fs::write(folder.join(file), &text).expect("a writable folder");
    text
}

/// Runs the commands of a block; returns the block as it should be written.
fn run_console(block: &[&str], folder: &Path, place: &str, update: bool, wrong: &mut Vec<String>) -> String {
    let mut written = String::new();
    let mut at = 0;
    if !block.first().is_some_and(|line| line.starts_with("$ ")) {
        wrong.push(format!("{place}: a console block begins with a command"));
    }
    while at < block.len() {
        let command = block[at].strip_prefix("$ ").unwrap_or(block[at]);
        let expected: Vec<&str> = block[at + 1..].iter().take_while(|l| !l.starts_with("$ ")).copied().collect();
        at += 1 + expected.len();
        if !is_allowed(command) {
            wrong.push(format!("{place}: `{command}` may not be run here"));
            continue;
        }
        let (mut output, code) = run(command, folder);
        if code != 0 {
            output.push_str(&format!("[exit {code}]\n"));
        }
        let seen: Vec<&str> = output.lines().collect();
        let fits = matches(&expected, &seen);
        let keep = if fits { &expected } else { &seen };
        written.push_str(&format!("$ {command}\n"));
        written.extend(keep.iter().map(|line| format!("{line}\n")));
        if !fits && !update {
            wrong.push(format!("{place}: `{command}`\nexpected:\n{}\nseen:\n{output}", expected.join("\n")));
        }
    }
    written
}

fn is_allowed(command: &str) -> bool {
    let program = |part: &str| part.split_whitespace().next().unwrap_or_default().to_owned();
    match command.split_once(" | ") {
        None => ["tracewright", "cat"].contains(&program(command).as_str()),
        Some((left, right)) => {
            let is_known = ["printf", "tracewright"].contains(&program(left).as_str());
            is_known && program(right) == "tracewright" && !right.contains(" | ")
        }
    }
}

/// What a command prints, standard output first, and its exit code.
fn run(command: &str, folder: &Path) -> (String, i32) {
    let binaries = Path::new(BINARY).parent().expect("a folder of binaries").to_path_buf();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([binaries].into_iter().chain(std::env::split_paths(&path))).expect("a search path");
    let output = Command::new("sh").arg("-c").arg(command).current_dir(folder).env("PATH", path).output();
    let output = output.expect("a shell");
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    (text, output.status.code().unwrap_or(-1))
}

/// Whether the lines are as expected; `...` stands for any number of lines, ` ...` for the rest of a line.
fn matches(expected: &[&str], seen: &[&str]) -> bool {
    match expected.split_first() {
        None => seen.is_empty(),
        Some((&"...", rest)) => (0..=seen.len()).any(|skipped| matches(rest, &seen[skipped..])),
        Some((first, rest)) => seen.first().is_some_and(|line| fits(first, line)) && matches(rest, &seen[1..]),
    }
}

fn fits(expected: &str, seen: &str) -> bool {
    expected == seen || expected.strip_suffix(" ...").is_some_and(|beginning| seen.starts_with(beginning))
}

#[test]
fn only_dots_stand_for_any_lines() {
    assert!(matches(&["a", "...", "d"], &["a", "b", "c", "d"]));
    assert!(matches(&["..."], &[]));
    assert!(matches(&["a ..."], &["a b"]));
    assert!(!matches(&["a ..."], &["b a"]));
    assert!(!matches(&["a"], &["a", "b"]));
    assert!(!matches(&["a", "...", "d"], &["a", "b"]));
    assert!(!matches(&["a."], &["ab"]));
}
