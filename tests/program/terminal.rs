//! The program among others: at a terminal, in a pipe, in a shell, and where nothing can be written.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::binary::{Output, tracewright};

const BINARY: &str = env!("CARGO_BIN_EXE_tracewright");

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("terminal").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("examples")).expect("a folder");
    for entry in fs::read_dir("examples").expect("examples") {
        let path = entry.expect("readable").path();
        fs::copy(&path, folder.join("examples").join(path.file_name().expect("a name"))).expect("a copy");
    }
    let run =
        tracewright(&["simulate", "examples/blinker.tw", "--inputs", "examples/blinker_interval1.json", "--json"]);
    fs::write(folder.join("run.json"), run.stdout).expect("a file");
    folder
}

/// Runs a script in a folder; `tracewright` is the built program.
fn bash(folder: &Path, script: &str) -> Output {
    let path = std::env::var("PATH").unwrap_or_default();
    let bin = Path::new(BINARY).parent().expect("a folder");
    let output = Command::new("bash")
        .args(["-c", script])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", bin.display()))
        .env_remove("NO_COLOR")
        .output()
        .expect("bash starts");
    Output {
        code: output.status.code().expect("it ends by itself"),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// What a command shows at a terminal that is so wide.
fn at_terminal(folder: &Path, columns: usize, command: &str) -> String {
    let output = bash(folder, &format!("script -qec 'stty rows 24 cols {columns}; {command}' /dev/null </dev/null"));
    output.stdout.replace("\r\n", "\n")
}

/// All files below a folder, with what they hold.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut out = vec![];
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("readable").path();
        match path.is_dir() {
            true => out.extend(contents(&path)),
            false => out.push((path.clone(), fs::read(&path).expect("readable"))),
        }
    }
    out.sort();
    out
}

const CHECK: &str = "tracewright check examples/blinker.tw";

#[test]
fn colours_are_for_terminals_and_for_those_who_ask() {
    let folder = folder("colours");
    let green = "\u{1b}[32mno findings\u{1b}[0m";
    assert!(at_terminal(&folder, 80, CHECK).contains(green));
    assert!(!at_terminal(&folder, 80, &format!("NO_COLOR=1 {CHECK}")).contains('\u{1b}'));
    assert!(!at_terminal(&folder, 80, &format!("{CHECK} --color never")).contains('\u{1b}'));
    assert!(at_terminal(&folder, 80, &format!("NO_COLOR= {CHECK}")).contains(green));
    assert!(!bash(&folder, CHECK).stdout.contains('\u{1b}'));
    assert!(bash(&folder, &format!("{CHECK} --color always")).stdout.contains(green));
    // What the user says in the command counts more than what is set for all programs.
    assert!(bash(&folder, &format!("NO_COLOR=1 {CHECK} --color always")).stdout.contains(green));
    // Messages are coloured, or not, like answers.
    let wrong = "tracewright check examples/blinker.tw#Blinkin";
    assert!(!bash(&folder, wrong).stderr.contains('\u{1b}'));
    assert!(bash(&folder, &format!("{wrong} --color always")).stderr.contains('\u{1b}'));
}

#[test]
fn json_and_charts_are_never_coloured() {
    let gen_order = ["gen", "examples/blinker.tw", "-p", "order", "--color", "always"];
    for format in ["json", "chart", "mermaid", "plantuml", "svg"] {
        let output = tracewright(&[&gen_order[..], &["--format", format]].concat());
        output.succeeds();
        assert!(!output.stdout.contains('\u{1b}'), "{format}");
    }
    let output = tracewright(&[
        "replay",
        "examples/blinker.tw",
        "examples/blinker_interval1.json",
        "--format",
        "junit",
        "--color",
        "always",
    ]);
    assert!(!output.stdout.contains('\u{1b}'));
}

#[test]
fn tables_keep_to_the_width_of_a_terminal_and_are_complete_in_a_pipe() {
    let folder = folder("width");
    let simulate = "tracewright simulate examples/blinker.tw --inputs examples/blinker_interval1.json --color never";
    let complete = bash(&folder, simulate).stdout;
    let widest = complete.lines().map(|line| line.chars().count()).max().expect("lines");
    assert!(widest > 64 && !complete.contains('…'));
    assert_eq!(at_terminal(&folder, 200, simulate), complete, "there is room for everything");
    let narrow = at_terminal(&folder, 64, simulate);
    assert!(narrow.contains('…'));
    assert!(narrow.lines().all(|line| line.chars().count() <= 64), "{narrow}");
    assert_eq!(narrow.lines().count(), complete.lines().count());
}

#[test]
fn nothing_in_a_file_or_its_name_is_obeyed_by_the_terminal() {
    let folder = folder("controls");
    let clear = "\u{1b}[2J";
    let trace = r#"{"steps": [{"inputs": {"set": 0}}]}"#;
    fs::write(folder.join(format!("a{clear}.json")), trace).expect("a file");
    fs::write(folder.join("bad.json"), format!("{{\"steps\": [{clear}\u{9b}5m]}}")).expect("a file");
    fs::write(folder.join("log.jsonl"), format!("{{\"inputs\": {{\"set\": 0}}}}\nx{clear}\n")).expect("a file");
    fs::write(folder.join("odd.tw"), format!("sts A {{ {clear} }}")).expect("a file");
    let commands = [
        "tracewright replay examples/blinker.tw#Timer a*.json",
        "tracewright replay examples/blinker.tw#Timer bad.json",
        "tracewright monitor examples/blinker.tw#Timer log.jsonl",
        "tracewright monitor examples/blinker.tw#Timer a*.json",
        "tracewright check odd.tw",
        "tracewright replay examples/blinker.tw#Timer $'no\\e[2J.json'",
    ];
    for command in commands {
        let Output { stdout, stderr, .. } = bash(&folder, command);
        assert!(!stdout.is_empty() || !stderr.is_empty());
        let obeyed = |text: &str| text.chars().any(|c| c.is_control() && c != '\n');
        assert!(!obeyed(&stdout) && !obeyed(&stderr), "{command}: {stdout:?} {stderr:?}");
    }
}

#[test]
fn values_are_harmless_at_a_terminal_and_complete_in_a_pipe() {
    let folder = folder("values");
    let echo = "component Echo { in s: String out t: String initial state S S -> S : go when s?x do t!x }";
    fs::write(folder.join("echo.tw"), echo).expect("a file");
    fs::write(folder.join("odd.json"), r#"{"steps": [{"inputs": {"s": "\u001b[2J\u009b"}}]}"#).expect("a file");
    for format in ["text", "json", "chart", "mermaid", "plantuml", "svg"] {
        let command = format!("tracewright simulate echo.tw --inputs odd.json --format {format} --color never");
        let seen = at_terminal(&folder, 120, &command);
        assert!(seen.contains("[2J"), "{format}: {seen}");
        assert!(!seen.chars().any(|c| c.is_control() && c != '\n'), "{format}: {seen:?}");
        // Diagrams for other programs have codes of their own.
        if matches!(format, "json" | "chart") {
            assert!(bash(&folder, &command).stdout.contains('\u{9b}'), "{format}");
        }
        if format == "json" {
            let json: serde_json::Value = serde_json::from_str(&seen).expect("JSON at a terminal as well");
            assert_eq!(json["steps"][0]["inputs"]["s"], "\u{1b}[2J\u{9b}");
        }
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = Command::new(BINARY)
        .args(["simulate", "examples/counter.tw", "--steps", "4000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut out = child.stdout.take().expect("a pipe");
    out.read_exact(&mut [0; 16]).expect("a beginning");
    drop(out);
    let mut said = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
    assert_eq!((child.wait().expect("it ends").code(), said.as_str()), (Some(0), ""));
}

#[test]
fn an_output_that_is_full_is_one_error() {
    let folder = folder("full");
    let output = bash(&folder, &format!("{CHECK} >/dev/full"));
    assert_eq!(
        (output.code, output.stderr.as_str()),
        (2, "error: standard output: No space left on device (os error 28)\n")
    );
    let output = bash(&folder, "tracewright gen examples/blinker.tw -p order --json >/dev/full");
    assert_eq!((output.code, output.stderr.lines().count()), (2, 1), "{}", output.stderr);
}

/// Commands that write files, each with the path that its error names.
const WRITERS: [(&str, &str); 4] = [
    ("tracewright gen examples/blinker.tw -p order -p shortest_off --out PLACE", "PLACE"),
    ("tracewright cover examples/blinker.tw#Timer --of pairs --out PLACE", "PLACE"),
    ("tracewright keep examples/blinker.tw run.json --out PLACE", "PLACE"),
    ("tracewright fmt examples/blinker.tw", "examples/blinker.tw"),
];

/// A file that `fmt` changes.
fn unformatted(folder: &Path) {
    let path = folder.join("examples/blinker.tw");
    let text = fs::read_to_string(&path).expect("the example");
    fs::write(&path, text.replace("component", "\n\n\ncomponent")).expect("a file");
}

/// The disk is full in the middle of a file: the size of files is limited to a block, which binds root as well.
#[test]
fn a_full_disk_leaves_nothing_half_written() {
    for (number, (command, path)) in WRITERS.iter().enumerate() {
        let folder = folder(&format!("disk-{number}"));
        unformatted(&folder);
        let before = contents(&folder);
        let command = command.replace("PLACE", "out");
        let output = bash(&folder, &format!("trap '' XFSZ; ulimit -f 1; {command}"));
        assert_eq!(output.code, 2, "{command}: {}", output.stderr);
        assert_eq!(output.stderr.lines().count(), 1, "{command}: {}", output.stderr);
        assert!(output.stderr.starts_with(&format!("error: {}", path.replace("PLACE", "out"))), "{}", output.stderr);
        assert_eq!(contents(&folder), before, "{command}");
        assert!(!folder.join("out").exists(), "{command}");
        // An answer that has been found is not lost.
        let is_answer = command.contains(" gen ") || command.contains(" cover ");
        assert_eq!(output.stdout.contains("found") || output.stdout.contains("covered"), is_answer, "{command}");
        // The same with room for it.
        bash(&folder, &command).succeeds();
        assert_ne!(contents(&folder), before, "{command}");
    }
}

/// A place where root cannot write either: below something that is a file.
#[test]
fn a_place_that_cannot_be_written_is_one_error() {
    for (number, (command, _)) in WRITERS.iter().enumerate().take(3) {
        let folder = folder(&format!("place-{number}"));
        let before = contents(&folder);
        let command = command.replace("PLACE", "examples/blinker.tw/out");
        let output = bash(&folder, &command);
        assert_eq!(output.code, 2, "{command}: {}", output.stderr);
        let said = output.stderr.to_lowercase();
        assert!(said.starts_with("error: examples/blinker.tw/out: not a directory"), "{command}: {said}");
        assert_eq!(said.lines().count(), 1, "{command}: {said}");
        assert_eq!(contents(&folder), before, "{command}");
    }
    let output = tracewright(&["fmt", "examples/blinker.tw/out"]);
    assert_eq!(output.code, 2);
}

/// Messages that nobody can read are no reason to fail otherwise than without them.
#[test]
fn messages_without_a_reader_change_no_exit_code() {
    let folder = folder("mute");
    let rejected = "tracewright gen examples/blinker.tw -p nothing 2>/dev/full";
    assert_eq!(bash(&folder, rejected).code, 2);
    assert_eq!(bash(&folder, "tracewright fmt none.tw >/dev/full 2>/dev/full").code, 2);
    assert_eq!(bash(&folder, "tracewright --help >/dev/full").code, 2);
    fs::write(folder.join("warned.tw"), "sts A { in go()\n  initial location B\n  B -> B : ?go when false\n}\n")
        .expect("a file");
    let plain = bash(&folder, "tracewright check warned.tw");
    assert!(!plain.stderr.is_empty(), "there is something to say");
    assert_eq!(bash(&folder, "tracewright check warned.tw 2>/dev/full").code, plain.code);
}

/// A device or a pipe is written to and stays what it is, and what was read is not replaced.
#[test]
fn a_report_replaces_nothing_but_files() {
    let folder = folder("report-places");
    let report = |place: &str| format!("tracewright gen examples/blinker.tw -p shortest_off --report {place}");
    let output = bash(
        &folder,
        &format!("mkfifo pipe; cat pipe >page & {} >/dev/null; wait; test -p pipe && rm pipe", report("pipe")),
    );
    output.succeeds();
    assert!(fs::read_to_string(folder.join("page")).expect("a page").starts_with("<!doctype html>"));
    let output = bash(&folder, &report("/dev/full"));
    assert_eq!(output.code, 2);
    assert!(output.stdout.contains("shortest_off: found"), "the answer is there: {}", output.stdout);
    let output = bash(&folder, &format!("{} --format pytest --out out", report("/dev/full")));
    assert_eq!((output.code, output.stdout.as_str()), (2, ""), "no file is named that is not there");
    assert!(!folder.join("out").exists());
    assert!(fs::metadata("/dev/full").is_ok_and(|there| !there.is_file()));
    let before = contents(&folder);
    let output = bash(&folder, &report("./examples/../examples/blinker.tw"));
    assert_eq!((output.code, output.stdout.as_str()), (2, ""));
    assert!(output.stderr.contains("which is read"), "{}", output.stderr);
    assert_eq!(contents(&folder), before);
}

/// What is read is not replaced by what is made of it, and no two files go to one place. Nothing is written then.
#[test]
fn what_is_read_stays_as_it_is() {
    let folder = folder("read");
    let model = "sts A { in go()\n  initial location B\n  B -> B : ?go }\npurpose p for A { length 1 }\n";
    fs::write(folder.join("a.tw"), model).expect("a file");
    fs::write(folder.join("t.j2"), "{{ model }}").expect("a file");
    bash(&folder, "mkdir out; cp a.tw out/p-1.json; cp t.j2 out/manifest.json; mkdir -p made/a_adapter.py").succeeds();
    let before = contents(&folder);
    for (command, reason) in [
        ("gen a.tw --template t.j2 --report t.j2", "which is read"),
        ("gen a.tw --template out/manifest.json --out out", "which is read"),
        ("gen out/p-1.json --out out", "which is read"),
        ("gen a.tw --out other --report other/p-1.json", "two files would be written there"),
        ("gen a.tw --out other --report ./other/../other/manifest.json", "other"),
        ("gen a.tw --format pytest --out made", "a_adapter.py"),
        ("gen a.tw --report ''", "--report needs a name"),
        ("gen a.tw --out ''", "--out needs a name"),
    ] {
        let output = bash(&folder, &format!("tracewright {command}"));
        assert_eq!(output.code, 2, "{command}: {}", output.stderr);
        assert!(output.stderr.contains(reason), "{command}: {}", output.stderr);
        assert_eq!(contents(&folder), before, "{command}");
    }
    bash(&folder, "tracewright gen a.tw --out new --report new/page.html && test -s new/page.html").succeeds();
}

/// Each flag is quoted where it is wrong.
#[test]
fn errors_in_several_flags_quote_their_own_text() {
    let folder = folder("flags");
    fs::write(folder.join("a.tw"), "sts A { in go()\n  initial location B\n  B -> B : ?go }\n").expect("a file");
    let output = bash(&folder, "tracewright gen a.tw -p missing -p wrong");
    assert_eq!(output.code, 2);
    assert!(["1 │ missing\n", "1 │ wrong\n"].iter().all(|line| output.stderr.contains(line)), "{}", output.stderr);
}

/// Purposes of which the names differ in signs only have files of their own.
#[test]
fn files_of_different_purposes_have_different_names() {
    let folder = folder("names");
    let purposes = "purpose p(n: Nat) for A { length n }\npurpose p_2 for A { length 2 }\n";
    let model = format!("sts A {{ in go()\n  initial location B\n  B -> B : ?go }}\n{purposes}");
    fs::write(folder.join("a.tw"), model).expect("a file");
    bash(&folder, "tracewright gen a.tw -p 'p(2)' -p p_2 -p 'p(2)' --format dot --out out").succeeds();
    let mut names: Vec<String> = fs::read_dir(folder.join("out"))
        .expect("a folder")
        .map(|file| file.expect("a file").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["A.dot", "manifest.json", "p_2-1.json", "p_2_2-1.json", "p_2_3-1.json"]);
}

/// Several files are formatted together or not at all.
#[test]
fn one_file_that_cannot_be_written_keeps_the_others_as_they_are() {
    let folder = folder("several");
    unformatted(&folder);
    // Its formatted text has no room; that of the other has.
    fs::write(folder.join("small.tw"), "sts A {   initial location B   }").expect("a file");
    let before = contents(&folder);
    let output = bash(&folder, "trap '' XFSZ; ulimit -f 1; tracewright fmt small.tw examples/blinker.tw");
    assert_eq!((output.code, output.stderr.lines().count()), (2, 1), "{}", output.stderr);
    assert_eq!(contents(&folder), before);
}

#[test]
fn completions_load_in_bash_and_complete() {
    let folder = folder("completions");
    for shell in ["bash", "zsh", "fish"] {
        let output = tracewright(&["completions", shell]);
        output.succeeds();
        assert!(output.stdout.contains("monitor") && output.stdout.contains("minimise"), "{shell}");
    }
    bash(&folder, "tracewright completions bash >it && bash -n it").succeeds();
    let complete = |words: &str, last: &str| {
        let number = words.split(' ').count() - 1;
        let script = format!(
            "source <(tracewright completions bash); COMP_WORDS=({words}); COMP_CWORD={number}; \
             _tracewright tracewright '{last}' before; echo \"${{COMPREPLY[@]}}\""
        );
        bash(&folder, &script).stdout.trim().to_owned()
    };
    assert_eq!(complete("tracewright ge", "ge"), "gen");
    assert_eq!(complete("tracewright cover --minim", "--minim"), "--minimise");
    assert_eq!(complete("tracewright cont", "cont"), "");
}

/// The commands, as the program lists them.
fn commands() -> Vec<String> {
    let help = tracewright(&["--help"]).stdout;
    let listed = help.split_once("Commands:\n").expect("a list").1.split_once("\n\n").expect("its end").0;
    let names = listed.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

#[test]
fn every_command_has_a_manual_page() {
    let commands = commands();
    assert!(commands.len() >= 13, "{commands:?}");
    let all = tracewright(&["man"]).stdout;
    assert!(all.contains(".TH tracewright 1"));
    for command in &commands {
        assert!(all.contains(&format!("tracewright\\-{command}(1)")), "{command}");
        let page = tracewright(&["man", command]).stdout;
        assert!(page.contains(&format!(".TH tracewright-{command} 1")), "{page}");
        assert!(page.contains("\\-\\-color"), "{command} says which flags all commands have");
    }
    let output = tracewright(&["man", "covr"]);
    assert_eq!(
        (output.code, output.stderr.as_str()),
        (2, "error: there is no command `covr`; did you mean `cover`?\n")
    );
}

#[test]
fn the_examples_of_every_help_run() {
    let folder = folder("help");
    for command in commands() {
        for flag in ["--help", "-h"] {
            let help = tracewright(&[&command, flag]).stdout;
            let shown = help.split_once("Examples:\n").unwrap_or_else(|| panic!("{command} has examples")).1;
            assert!(shown.lines().all(|line| line.starts_with(&format!("  tracewright {command}"))), "{shown}");
            for example in shown.lines().filter(|_| flag == "-h") {
                let output = bash(&folder, example);
                assert_eq!(output.code, 0, "{example}: {}", output.stderr);
                assert!(command == "fmt" || !output.stdout.is_empty(), "{example}");
            }
        }
    }
}

#[test]
fn progress_is_shown_at_a_terminal_only() {
    let folder = folder("progress");
    let long = "tracewright gen examples/blinker.tw -p 'off_at(40)' -p shortest_off";
    assert_eq!(bash(&folder, long).stderr, "");
    let seen = at_terminal(&folder, 120, &long.replace('\'', "\""));
    assert!(seen.contains("off_at(40) (1 of 2): symbolic states"), "{seen:?}");
}
