//! How fast suites are found, as ratios against a search written by hand for one model and against Spin, which is given the
//! same models with a trap bit for each item and searches breadth first. All find sequences of the same length in one run.
//! Then how the time grows with longer items, with copies side by side, and with a longer ring.
//!
//! `cargo bench --bench coverage`; without `spin` and `gcc` the second part has no peer.

mod timing;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tracewright::confirm::Recheck;
use tracewright::search::Limits;
use tracewright::solve::{Solver, Z3};
use tracewright::syntax::{FileId, Span};
use tracewright::synth::{Asked, CoverOptions, Engine, Minimise, Status, Suite, cover};
use tracewright::{model, syntax};

use timing::best_of;

const STOPWATCH: &str = include_str!("../examples/stopwatch.tw");
const INRES: &str = include_str!("../examples/inres.tw");
const RING: &str = include_str!("../examples/token_ring.tw");

fn main() {
    by_hand();
    against_spin();
    longer_items();
    copies();
    ring();
}

fn shown(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

/// How many times as long as the other it took.
fn ratio(time: Duration, other: Duration) -> String {
    let ratio = time.as_secs_f64() / other.as_secs_f64();
    if ratio < 1.0 { format!("{ratio:.2}x") } else { format!("{ratio:.1}x") }
}

fn growth(time: Duration, before: Option<Duration>) -> String {
    before.map_or("-".into(), |before| ratio(time, before))
}

// ---- suites through the library

/// What is to be covered, of a model with its arguments.
fn asked(text: &str, model: &str, of: &str) -> Asked {
    let (mut sources, errors) = syntax::Sources::from_text("models.tw", text);
    assert!(errors.is_empty(), "{errors:?}");
    let (checked, _) = model::check(&sources);
    let mut reference = |text: &str| {
        let id = sources.add_fragment("name", text);
        syntax::parse_model_reference(id, text).expect("a name")
    };
    let (model, of) = (reference(model), reference(of));
    Asked::covering(&checked, &[of], Some(&model), Span::new(FileId(0), 0, 0)).expect("sound items")
}

fn suite(asked: &Asked, minimise: Minimise) -> Suite {
    let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
    let options = CoverOptions {
        minimise,
        seed: 0,
        engine: Engine::Auto,
        limits: Limits::default(),
        solver: &solver,
        recheck: Recheck::Never,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
    };
    cover(&asked.system, &asked.lists, &asked.purpose, &options, &mut ()).expect("the replay agrees")
}

/// Items that are covered; the others are impossible.
fn covered(suite: &Suite) -> usize {
    let is_decided = |status: &Status| matches!(status, Status::Covered | Status::Impossible(_));
    assert!(suite.items.iter().all(is_decided), "every item is covered or impossible: {:?}", suite.items);
    suite.items.iter().filter(|status| **status == Status::Covered).count()
}

/// The time of a suite whose numbers are known: items that are covered, and the fewest steps of one sequence.
fn optimal(times: usize, asked: &Asked, items: usize, steps: usize) -> (Duration, Suite) {
    let (time, suite) = best_of(times, || suite(asked, Minimise::Sequences));
    assert_eq!(covered(&suite), items, "items that are covered");
    assert_eq!((suite.steps(), suite.sequences.len()), (steps, 1), "steps and sequences");
    assert!(suite.is_optimal, "the best, and known to be: {:?}", suite.reason);
    (time, suite)
}

// ---- a search by hand

fn by_hand() {
    println!("stopwatch, all of a purpose in one sequence, against a search written for this model");
    println!(
        "{:>12} {:>6} {:>6} {:>12} {:>10} {:>12} {:>10} {:>14} {:>10}",
        "purpose", "items", "steps", "tracewright", "states", "its length", "slower by", "the sequence", "slower by"
    );
    for (purpose, items, steps) in [("everything", 12, 6011), ("both_modes", 14, 12011)] {
        let asked = asked(STOPWATCH, "Stopwatch", purpose);
        let (ours, _) = optimal(5, &asked, items, steps);
        let watch = Packed { items: items as u32 };
        let (length, (found, states)) = best_of(5, || watch.search(None));
        assert_eq!(found, steps, "the search by hand finds the same");
        let (sequence, found) = best_of(5, || watch.sequence().len());
        assert_eq!(found, steps, "the sequence has that length");
        println!(
            "{purpose:>12} {items:>6} {steps:>6} {:>12} {states:>10} {:>12} {:>10} {:>14} {:>10}",
            shown(ours),
            shown(length),
            ratio(ours, length),
            shown(sequence),
            ratio(ours, sequence)
        );
    }
}

/// The stopwatch with the items seen so far as one number: 13 bits of hundredths since the minute began, 2 bits of mode, and
/// a bit for each of 12 or 14 items.
struct Packed {
    items: u32,
}

impl Packed {
    /// The states after one step.
    fn after(&self, state: u32, mut reach: impl FnMut(u32)) {
        const BUTTONS: [[(u32, u32); 2]; 4] = [[(0, 0), (1, 1)], [(0, 2), (2, 3)], [(3, 4), (1, 5)], [(0, 6), (2, 7)]];
        let (tick, mode, seen) = (state & 0x1fff, state >> 13 & 3, state >> 15);
        let packed = |tick: u32, mode: u32, seen: u32| tick | mode << 13 | seen << 15;
        for (target, item) in BUTTONS[mode as usize] {
            reach(packed(if item == 0 { 0 } else { tick }, target, seen | 1 << item));
        }
        if mode == 1 || mode == 2 {
            let tick = (tick + 1) % 6000;
            let second = if self.items == 14 { 8 + 2 * mode } else { 10 };
            let rolled = u32::from(tick % 100 == 0) << second | u32::from(tick == 0) << (second + 1);
            reach(packed(tick, mode, seen | 1 << (7 + mode) | rolled));
        }
    }

    /// Breadth first up to the first state that has seen everything, with a bit set of those that were visited: how many
    /// steps, and how many states. All levels but the last are kept for somebody who wants them.
    fn search(&self, mut levels: Option<&mut Vec<Vec<u32>>>) -> (usize, usize) {
        let all = (1 << self.items) - 1;
        let mut visited = vec![0u64; 1 << (self.items + 15 - 6)];
        visited[0] = 1;
        let (mut steps, mut states) = (0, 1);
        let (mut level, mut next) = (vec![0], vec![]);
        while !level.is_empty() {
            for state in &level {
                if state >> 15 == all {
                    return (steps, states);
                }
                self.after(*state, |state| {
                    let (word, bit) = (&mut visited[(state >> 6) as usize], 1 << (state & 63));
                    if *word & bit == 0 {
                        *word |= bit;
                        states += 1;
                        next.push(state);
                    }
                });
            }
            steps += 1;
            match &mut levels {
                Some(levels) => levels.push(std::mem::replace(&mut level, std::mem::take(&mut next))),
                None => {
                    std::mem::swap(&mut level, &mut next);
                    next.clear();
                }
            }
        }
        panic!("everything can be covered")
    }

    /// The states of a shortest sequence without its last, from the last level back.
    fn sequence(&self) -> Vec<u32> {
        let mut levels = vec![];
        self.search(Some(&mut levels));
        let all = (1 << self.items) - 1;
        let mut target = None;
        let mut states = vec![];
        for level in levels.iter().rev() {
            let leads = |state: &u32| {
                let mut is_there = false;
                self.after(*state, |next| is_there |= target.map_or(next >> 15 == all, |target| next == target));
                is_there
            };
            target = level.iter().copied().find(leads);
            states.extend(target);
        }
        states.reverse();
        states
    }
}

// ---- Spin

/// A model as both are given it.
struct Pair {
    name: String,
    /// The file of examples, with the model and its arguments.
    model: String,
    of: &'static str,
    steps: usize,
    /// The file of peers, and what is defined for it.
    peer: &'static str,
    defines: [String; 2],
    /// Bits of Spin's hash table: enough, for a large one takes longer to clear than small models to search.
    table: &'static str,
    times: usize,
}

fn against_spin() {
    println!("\nwhole command against the search of Spin, and against Spin with the making of its program");
    println!(
        "{:>18} {:>6} {:>12} {:>8} {:>12} {:>8} {:>10} {:>8} {:>12} {:>10}",
        "model", "steps", "tracewright", "memory", "spin", "memory", "states", "ratio", "made in", "with that"
    );
    let watch = |cents: u32, secs: u32, steps: usize| Pair {
        name: format!("Stopwatch({cents}, {secs})"),
        model: format!("stopwatch.tw#Stopwatch({cents}, {secs})"),
        of: "both_modes",
        steps,
        peer: "stopwatch.pml",
        defines: [format!("-DCENTS={cents}"), format!("-DSECS={secs}")],
        table: if cents == 100 { "-w24" } else { "-w18" },
        times: if cents == 100 { 2 } else { 10 },
    };
    let inres = |n: u32, b: u32, steps: usize| Pair {
        name: format!("Inres({n}, {b})"),
        model: format!("inres.tw#Inres({n}, {b})"),
        of: "transitions",
        steps,
        peer: "inres.pml",
        defines: [format!("-DN={n}"), format!("-DB={b}")],
        table: "-w16",
        times: 10,
    };
    let pairs = [
        inres(1, 1, 27),
        inres(2, 1, 28),
        inres(3, 2, 31),
        inres(5, 3, 35),
        inres(10, 5, 44),
        watch(10, 6, 131),
        watch(100, 60, 12011),
    ];
    for pair in pairs {
        let text = if pair.of == "both_modes" { STOPWATCH } else { INRES };
        optimal(1, &asked(text, &pair.name, pair.of), 14, pair.steps);
        let ours = || {
            let model = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/").to_owned() + &pair.model;
            let mut command = Command::new(env!("CARGO_BIN_EXE_tracewright"));
            command.args(["cover", &model, "--of", pair.of]).stdout(Stdio::null()).stderr(Stdio::null());
            command
        };
        let run = || assert!(ours().status().expect("it starts").success(), "everything is covered");
        let (time, ()) = best_of(pair.times, run);
        print!("{:>18} {:>6} {:>12} {:>8}", pair.name, pair.steps, shown(time), megabytes(ours()));
        match Spin::made(&pair) {
            None => println!(" {:>12}", "not installed"),
            Some(spin) => {
                let (theirs, states) = best_of(pair.times, || spin.run(&pair));
                println!(
                    " {:>12} {:>8} {states:>10} {:>8} {:>12} {:>10}",
                    shown(theirs),
                    megabytes(spin.command(&pair)),
                    ratio(theirs, time),
                    shown(spin.made_in),
                    ratio(theirs + spin.made_in, time)
                );
            }
        }
    }
}

/// The program that Spin makes of a model.
struct Spin {
    folder: PathBuf,
    made_in: Duration,
}

impl Spin {
    fn made(pair: &Pair) -> Option<Spin> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("spin");
        std::fs::create_dir_all(&folder).ok()?;
        let model = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/peers/").to_owned() + pair.peer;
        let does = |program: &str, args: &[&str]| {
            let output = Command::new(program).args(args).current_dir(&folder).output().ok()?;
            assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stdout));
            Some(())
        };
        // Spin itself calls the compiler.
        does("gcc", &["--version"])?;
        let start = Instant::now();
        does("spin", &["-a", &pair.defines[0], &pair.defines[1], &model])?;
        does("gcc", &["-O2", "-w", "-DSAFETY", "-DBFS", "-DNOREDUCE", "-o", "pan", "pan.c"])?;
        let made_in = start.elapsed();
        Some(Spin { folder, made_in })
    }

    fn command(&self, pair: &Pair) -> Command {
        let mut command = Command::new(self.folder.join("pan"));
        command.args(["-m20000", pair.table]).current_dir(&self.folder).stdout(Stdio::null());
        command
    }

    /// Searches, and counts the steps of the trail: one line for each, after lines that begin with a minus. The states that
    /// were visited.
    fn run(&self, pair: &Pair) -> String {
        let trail = self.folder.join(pair.peer.to_owned() + ".trail");
        let _ = std::fs::remove_file(&trail);
        let output = self.command(pair).stdout(Stdio::piped()).output().expect("it starts");
        let text = String::from_utf8_lossy(&output.stdout);
        let trail = std::fs::read_to_string(&trail).unwrap_or_else(|_| panic!("no trail: {text}"));
        let steps = trail.lines().filter(|line| !line.starts_with('-')).count();
        assert_eq!(steps, pair.steps, "Spin finds the same: {text}");
        let stored = text.lines().find_map(|line| line.strip_suffix(" states, stored"));
        stored.unwrap_or("-").trim().to_owned()
    }
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

// ---- growth

fn longer_items() {
    println!("\nswitches(k) of Inres(5, 3), as few steps as can be had");
    println!(
        "{:>4} {:>6} {:>11} {:>10} {:>6} {:>12} {:>8} {:>12} {:>16}",
        "k", "items", "impossible", "sequences", "steps", "lower bound", "optimal", "tracewright", "to k before"
    );
    let mut before = None;
    // The last is not proved to be the best: what is known of it is a bound.
    let known = [(0, 14, Some(34)), (1, 29, Some(65)), (2, 64, Some(161)), (3, 144, None)];
    for (k, items, steps) in known {
        let asked = asked(INRES, "Inres(5, 3)", &format!("switches({k})"));
        let (time, suite) = best_of(if k < 2 { 5 } else { 1 }, || suite(&asked, Minimise::Steps));
        assert_eq!(covered(&suite), items, "items that are covered");
        assert!(suite.lower_bound <= suite.steps(), "no suite has fewer steps than are needed");
        if let Some(steps) = steps {
            assert_eq!((suite.steps(), suite.is_optimal), (steps, true), "steps, and whether they are the fewest");
        }
        println!(
            "{k:>4} {items:>6} {:>11} {:>10} {:>6} {:>12} {:>8} {:>12} {:>16}",
            suite.items.len() - items,
            suite.sequences.len(),
            suite.steps(),
            suite.lower_bound,
            if suite.is_optimal { "yes" } else { "unknown" },
            shown(time),
            growth(time, before)
        );
        before = Some(time);
    }
}

fn copies() {
    println!("\ncopies of Inres(5, 3) side by side, all transitions in one sequence");
    println!(
        "{:>8} {:>6} {:>6} {:>8} {:>12} {:>16}",
        "copies", "items", "steps", "optimal", "tracewright", "to half of them"
    );
    let mut before = None;
    for n in [1, 2, 4, 8] {
        let text = format!("{INRES}\nsystem Copies = (||| i in 1..{n}: c: Inres(5, 3))\n");
        let asked = asked(&text, "Copies", "transitions");
        let (time, suite) = optimal(5, &asked, 14 * n, 35 * n);
        println!(
            "{n:>8} {:>6} {:>6} {:>8} {:>12} {:>16}",
            suite.items.len(),
            suite.steps(),
            "yes",
            shown(time),
            growth(time, before)
        );
        before = Some(time);
    }
}

fn ring() {
    println!("\na ring of k stations, all transitions in one sequence");
    println!(
        "{:>4} {:>6} {:>6} {:>8} {:>8} {:>12} {:>16}",
        "k", "items", "steps", "optimal", "states", "tracewright", "to k before"
    );
    let mut before = None;
    for (k, items, steps) in [(5, 18, 34), (10, 38, 74), (20, 78, 154), (30, 118, 234)] {
        let asked = asked(RING, &format!("Ring({k})"), "transitions");
        let (time, suite) = optimal(3, &asked, items, steps);
        println!(
            "{k:>4} {items:>6} {steps:>6} {:>8} {:>8} {:>12} {:>16}",
            "yes",
            suite.statistics.states,
            shown(time),
            growth(time, before)
        );
        before = Some(time);
    }
}
