//! What every command prints for people, in a pipe and in colour. The snapshots are in `tests/program/snapshots/`;
//! `INSTA_UPDATE=always cargo test --test output` writes them anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const LAMP: &str = "component Lamp {
  in press: Bool
  out bulb: 0..2
  var n: 0..2 = 0
  initial state S
  S -> S : up when press?true && n < 2 do n := n + 1, bulb!(n + 1)
  S -> S : reset when press?true && n == 2 do n := 0, bulb!0
}
purpose bright for Lamp { member(bulb, 2) }
purpose quick for Lamp { length <= 4   at_least(fired, 2, reset)   expect impossible }
purpose far for Lamp { count(fired, 9, reset) }
property low for Lamp { formula { always !(bulb == 2) } }
property bounded for Lamp { formula { always (n <= 2) } }

sts Spec {
  in ask()
  out yes(), no()
  initial location A
  location B
  A -> B : ?ask
  B -> A : !yes
}
sts Wrong {
  in ask()
  out yes(), no()
  initial location A
  location B
  A -> B : ?ask
  B -> B : ?ask
  B -> A : !yes
  B -> A : !no
}
service Form {
  event name: 0..1, pin: 0..1
  node auth: collect { name == pin } -> end
}
";

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("output");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
    write("lamp.tw", LAMP);
    write("untidy.tw", "sts A {   initial location B   }");
    write("dead.tw", "sts A {\n  initial location B\n  location C\n}\n");
    write("wrong.tw", "sts A {\n  initial location B\n  B -> C : tau\n}\n");
    write("good.json", r#"{"steps": [{"inputs": {"press": true}}, {"inputs": {"press": null}}]}"#);
    write("bad.json", r#"{"steps": [{"inputs": {"press": true}, "fired": {"Lamp": "reset"}}]}"#);
    write("log.jsonl", "{\"inputs\": {\"press\": true}, \"outputs\": {\"bulb\": 1}, \"fired\": {\"Lamp\": \"up\"}}\n");
    folder
}

/// One snapshot: each command with what it prints and how it ends.
fn session(folder: &Path, commands: &[&str], colour: bool) -> String {
    let mut out = String::new();
    for command in commands {
        let mut args: Vec<&str> = command.split(' ').collect();
        if colour {
            args.extend(["--color", "always"]);
        }
        let output = Command::new(env!("CARGO_BIN_EXE_tracewright")).args(args).current_dir(folder).output();
        let output = output.expect("the program starts");
        let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        // Escapes are written so that they can be read.
        let shown = format!("{stdout}{stderr}").replace('\u{1b}', "␛");
        out.push_str(&format!("$ {command}\n{shown}[exit {}]\n\n", output.status.code().expect("it ends by itself")));
    }
    out
}

#[test]
fn every_command_for_people() {
    let folder = folder();
    let sessions: [(&str, &[&str]); 12] = [
        ("check", &["check lamp.tw", "check dead.tw", "check dead.tw --strict", "check wrong.tw"]),
        ("property", &["check lamp.tw --property low --property bounded"]),
        (
            "gen",
            &[
                "gen lamp.tw -p bright -p quick",
                "gen lamp.tw -p far --depth 3",
                "gen lamp.tw -p bright --data boundary",
            ],
        ),
        ("cover", &["cover lamp.tw#Lamp --of transitions", "cover lamp.tw#Lamp --of pairs --depth 2"]),
        ("simulate", &["simulate lamp.tw#Lamp --inputs good.json"]),
        (
            "explore",
            &[
                "explore lamp.tw#Lamp",
                "explore lamp.tw#Lamp --states 1",
                "explore lamp.tw#Spec --symbolic --depth 2",
                "explore lamp.tw#Form --algorithm sets --depth 4",
            ],
        ),
        ("conform", &["conform lamp.tw#Wrong lamp.tw#Spec", "conform lamp.tw#Wrong lamp.tw#Wrong"]),
        ("replay", &["replay lamp.tw#Lamp good.json bad.json"]),
        ("monitor", &["monitor lamp.tw#Lamp log.jsonl", "monitor lamp.tw#Lamp log.jsonl --stop -p bright -p quick"]),
        ("keep", &["keep lamp.tw#Lamp good.json", "keep lamp.tw#Lamp bad.json", "replay lamp.tw#Lamp lamp.kept"]),
        ("fmt", &["fmt --check untidy.tw", "fmt --check lamp.tw dead.tw"]),
        ("explain", &["explain E0007"]),
    ];
    for (name, commands) in sessions {
        insta::assert_snapshot!(name, session(&folder, commands, false));
        let _ = fs::remove_dir_all(folder.join("lamp.kept"));
        insta::assert_snapshot!(format!("{name}_in_colour"), session(&folder, commands, true));
        let _ = fs::remove_dir_all(folder.join("lamp.kept"));
    }
}

/// Colours change nothing else.
#[test]
fn without_its_colours_an_answer_is_the_same() {
    let snapshots = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/snapshots");
    let body = |name: &str| {
        let text = fs::read_to_string(snapshots.join(format!("program__output__{name}.snap"))).expect("a snapshot");
        text.splitn(3, "---\n").nth(2).expect("what was printed").to_owned()
    };
    for name in ["gen", "cover", "simulate", "conform", "replay", "monitor", "keep", "explore", "property"] {
        let mut plain = body(&format!("{name}_in_colour"));
        for code in ["␛[0m", "␛[1m", "␛[31m", "␛[32m", "␛[33m"] {
            plain = plain.replace(code, "");
        }
        assert_eq!(plain, body(name), "{name}");
    }
}
