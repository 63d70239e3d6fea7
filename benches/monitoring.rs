//! How fast a log is judged, as a ratio against what it takes to parse it: `serde_json` reads every line of the same file
//! into a value. Each side is a whole program. Memory is the most that a process had.
//!
//! `cargo bench --bench monitoring`

mod timing;

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use timing::best_of;

const TRACEWRIGHT: &str = env!("CARGO_BIN_EXE_tracewright");

/// A shop with many orders at once, and what is asked of it.
const SHOP: &str = "
sts Shop {
  in order(ref: Nat, amount: 0..99), pay(ref: Nat)
  out ship(ref: Nat), note(text: String)
  var stock: 0..9 = 9
  initial location Open
  Open -> Open : ?order(ref, amount)
  Open -> Open : ?pay(ref)
  Open -> Open : !ship(ref)
  Open -> Open : !note(text)
}
purpose answered  for Shop { responds(order, ship) on gate }
purpose paid      for Shop { precedes(pay, ship) on gate }
purpose ordered   for Shop { before(order, ship) on gate }
purpose never_100 for Shop { never(order.amount == 100) }
purpose no_tau    for Shop { never(tau) on gate }
purpose three     for Shop { at_least(1000, note) on gate }
purpose large     for Shop { responds(order.amount > 90, gate == pay) }
purpose ref       for Shop { never(7) on ship.ref }
purpose in_a_row  for Shop { not lasts(9, note) on gate }
purpose small     for Shop { always(gate != order || order.amount < 100) }
purpose f_answer  for Shop { formula { always (order -> eventually ship) } }
purpose f_paid    for Shop { formula { always (ship -> once pay) } }
purpose f_each    for Shop { formula { for all r: always (order(r, _) -> eventually ship(r)) } }
purpose f_once    for Shop { formula { for all r: always (ship(r) -> yesterday (!ship(r) since order(r, _))) } }
";

const RULES: [&str; 10] =
    ["answered", "paid", "ordered", "never_100", "no_tau", "three", "large", "ref", "in_a_row", "small"];
const FORMULAS: [&str; 4] = ["f_answer", "f_paid", "f_each", "f_once"];

fn main() {
    let args: Vec<String> = std::env::args().collect();
    // The benchmark starts itself for what is measured alone.
    if let [_, "parse", log] = args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        return parse(log);
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let model = folder.join("shop.tw");
    std::fs::write(&model, SHOP).expect("a file");
    println!("whole programs, beside serde_json that parses the same lines");
    println!(
        "{:>9} {:>22} {:>12} {:>8} {:>12} {:>8} {:>8} {:>10}",
        "events", "judged by", "tracewright", "memory", "serde_json", "memory", "ratio", "to before"
    );
    let mut before: Vec<Option<Duration>> = vec![None; 3];
    for events in [100_000, 1_000_000] {
        let log = write(&folder, events);
        let text = |path: &Path| path.to_str().expect("a plain path").to_owned();
        let own = std::env::current_exe().expect("a program");
        let asked =
            |purposes: &[&str]| purposes.iter().flat_map(|name| ["-p".to_owned(), (*name).to_owned()]).collect();
        let command = |purposes: &Vec<String>, is_alone: bool| {
            let mut command = Command::new(TRACEWRIGHT);
            command.args(["monitor", &text(&model), &text(&log)]).args(purposes).stdout(Stdio::null());
            if is_alone {
                command.arg("--no-model");
            }
            command
        };
        let mine = |what: &str| {
            let mut command = Command::new(&own);
            command.args([what, &text(&log)]).stdout(Stdio::null());
            command
        };
        let (parsing, _) = best_of(5, || run(mine("parse")));
        let memory = megabytes(mine("parse"));
        let rows = [
            ("10 rules", command(&asked(&RULES), true)),
            ("6 rules, 4 formulas", command(&asked(&[&RULES[..6], &FORMULAS].concat()), true)),
            ("10 rules and the model", command(&asked(&RULES), false)),
        ];
        for (number, (what, command)) in rows.into_iter().enumerate() {
            let again = || {
                let mut same = Command::new(command.get_program());
                same.args(command.get_args()).stdout(Stdio::null());
                same
            };
            let (time, ()) = best_of(5, || run(again()));
            let factor =
                before[number].map_or("-".to_owned(), |b| format!("{:.1}x", time.as_secs_f64() / b.as_secs_f64()));
            before[number] = Some(time);
            println!(
                "{events:>9} {what:>22} {:>9.1} ms {:>8} {:>9.1} ms {memory:>8} {:>7.2}x {factor:>10}",
                time.as_secs_f64() * 1e3,
                megabytes(again()),
                parsing.as_secs_f64() * 1e3,
                time.as_secs_f64() / parsing.as_secs_f64(),
            );
        }
    }
}

/// A log in which orders are paid and shipped a little later.
fn write(folder: &Path, events: usize) -> PathBuf {
    let path = folder.join(format!("shop_{events}.jsonl"));
    let mut file = std::io::BufWriter::new(File::create(&path).expect("a file"));
    let mut random = fastrand::Rng::with_seed(7);
    let (mut open, mut next) = (std::collections::VecDeque::new(), 1_000u64);
    let mut text = String::new();
    for number in 0..events {
        text.clear();
        // As many are shipped as are ordered, so that few are open.
        match if open.len() > 40 { 0 } else { random.u8(0..4) } {
            0 if open.len() > 20 => {
                let reference: u64 = open.pop_front().unwrap_or(0);
                writeln!(text, r#"{{"gate":"ship","dir":"out","data":{{"ref":{reference}}},"at":{number}}}"#)
            }
            1 => {
                let reference = open.back().copied().unwrap_or(1);
                writeln!(text, r#"{{"gate":"pay","dir":"in","data":{{"ref":{reference}}},"at":{number}}}"#)
            }
            2 => writeln!(text, r#"{{"gate":"note","dir":"out","data":{{"text":"nothing new"}},"at":{number}}}"#),
            _ => {
                next += 1;
                open.push_back(next);
                let amount = random.u8(0..99);
                writeln!(
                    text,
                    r#"{{"gate":"order","dir":"in","data":{{"ref":{next},"amount":{amount}}},"at":{number}}}"#
                )
            }
        }
        .expect("text");
        file.write_all(text.as_bytes()).expect("room");
    }
    path
}

fn run(mut command: Command) {
    let status = command.status().expect("it starts");
    assert!(matches!(status.code(), Some(0 | 1)), "{status}");
}

/// Parses every line, as one would without this program.
fn parse(log: &str) {
    let mut reader = BufReader::with_capacity(1 << 18, File::open(log).expect("a log"));
    let (mut line, mut objects) = (String::new(), 0usize);
    while reader.read_line(&mut line).expect("text") > 0 {
        let value: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        objects += usize::from(value.is_object());
        line.clear();
    }
    println!("{objects}");
}

/// The most memory that a command had, looked at every millisecond; where there is no `/proc`, nothing.
fn megabytes(mut command: Command) -> String {
    let mut child = command.spawn().expect("it starts");
    let status = format!("/proc/{}/status", child.id());
    let mut most = None;
    while child.try_wait().expect("it ends").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let now = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        most = most.max(now);
        std::thread::sleep(Duration::from_millis(1));
    }
    most.map_or("-".into(), |most| format!("{} MB", most.div_ceil(1024)))
}
