//! Charts: what they mean on runs of all kinds, and in questions about models.

use tracewright::history::Known;
use tracewright::synth::Asked;
use tracewright::term::Value;
use tracewright::{model, syntax};

use crate::binary::tracewright as run;
use crate::placed::{Arg, Chart, Message, Part, Run, Step, contains};

const LOCKSTEP: &str = "
component A {
  in i: Int
  out m: Int, q: Int
  initial state S0
  state S1
  S0 -> S1 : t0 when i?x do m!x, q!x
  S1 -> S0 : t1 when i?x do m!x
}
component B {
  in m: Int
  out k: Int
  initial state T
  T -> T : pass when m?x do k!x
}
component C {
  in k: Int, q: Int
  out o: Int
  initial state U
  U -> U : say when k?x do o!x
}
system S {
  a: A  b: B  c: C
  in i -> a.i
  a.m -> b.m  a.q -> c.q  b.k -> c.k
  c.o -> out o
}
";

const GATES: &str = "
sts A {
  in i(x: Int)
  out m(x: Int), q(x: Int)
  initial location S0
  location S1
  S0 -> S1 : t0 ?i(x)
  S1 -> S0 : t1 !m(x)
  S1 -> S1 : t2 !q(x)
}
sts B {
  in m(x: Int)
  out k(x: Int)
  initial location T
  T -> T : ?m(x)
  T -> T : !k(x)
}
sts C {
  in k(x: Int), q(x: Int)
  out o(x: Int)
  initial location U
  U -> U : ?k(x)
  U -> U : ?q(x)
  U -> U : !o(x)
}
system S = a: A || b: B || c: C
";

const MESSAGES: [Message; 5] =
    [("i", "env", "a"), ("m", "a", "b"), ("q", "a", "c"), ("k", "b", "c"), ("o", "c", "env")];
const LISTS: [&str; 5] = ["i", "a.m", "a.q", "b.k", "o"];

fn asked(text: &str, name: &str) -> Asked {
    let (sources, errors) = syntax::Sources::from_text("chart.tw", text);
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    let (checked, problems) = model::check(&sources);
    let errors: Vec<_> = problems.iter().filter(|p| p.severity == tracewright::diagnostic::Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    let purpose = checked.purposes.iter().find(|p| p.tree.name.name == name).expect("the purpose");
    Asked::new(&checked, purpose, &[], Default::default(), None).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// Whether the rules say that a run meets the purpose.
fn meets(asked: &Asked, run: &Run, one_event: bool) -> bool {
    let names = &asked.lists.names;
    let all: Vec<usize> = (0..asked.purpose.constraints.len()).collect();
    let monitor = asked.purpose.monitor(&all, None);
    // Values that exist once for the run: one of them will do.
    let choices = 1 << monitor.open.len();
    (0..choices).any(|choice| {
        let open: Vec<Value> = (0..monitor.open.len()).map(|number| Value::int(choice >> number & 1)).collect();
        holds(asked, &Known { monitor: &monitor, definitions: &names.definitions, open: &open }, run, one_event)
    })
}

fn holds(asked: &Asked, known: &Known<'_>, run: &Run, one_event: bool) -> bool {
    let names = &asked.lists.names;
    let mut live = known.start().expect("no limit");
    let mut state = run.initial;
    for (number, step) in run.steps.iter().enumerate() {
        let observed: Vec<Value> = (names.entries.iter().enumerate())
            .map(|(list, entry)| {
                let message = |n: usize| step.messages[n].map_or(Value::Absent, Value::int);
                match entry.name.as_str() {
                    "a.state" => names.member(list, step.state),
                    "pre(a.state)" => names.member(list, state),
                    "a.fired" => step.fired.map_or(Value::Absent, |fired| names.member(list, fired)),
                    "clock" => Value::int(number + 1),
                    "gate" => {
                        let gate = step.messages.iter().position(Option::is_some).map(|n| MESSAGES[n].0);
                        let members = names.members(list);
                        let member = members.iter().position(|name| *name == gate.unwrap_or("tau"));
                        names.member(list, member.expect("a gate"))
                    }
                    name => {
                        let of_list = LISTS.iter().position(|known| *known == name);
                        let of_gate = MESSAGES.iter().position(|known| format!("{}.x", known.0) == name);
                        match if one_event { of_gate } else { of_list } {
                            Some(number) => message(number),
                            None => Value::Absent,
                        }
                    }
                }
            })
            .collect();
        live = known.advance(&live, &observed).expect("no limit");
        state = step.state;
    }
    known.hold_at_stop(&live).expect("no limit")
}

/// Numbers that look random, the same in every test.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }

    fn leaf(&mut self, plain: bool) -> Part {
        match self.below(if plain { 8 } else { 13 }) {
            0..=7 => {
                let arg = match self.below(5) {
                    0 => Arg::Value(0),
                    1 => Arg::Value(1),
                    2 if !plain => Arg::Variable(self.below(2)),
                    _ => Arg::Anything,
                };
                Part::Message(self.below(5), arg)
            }
            8 => Part::Fires(self.below(2)),
            9 | 10 => Part::State(self.below(2)),
            11 => Part::Tick,
            _ => Part::Any,
        }
    }

    /// Parts with about `size` leaves.
    fn parts(&mut self, size: &mut usize, depth: usize, unmet: bool) -> Vec<Part> {
        let mut out = vec![];
        for _ in 0..1 + self.below(3) {
            if *size == 0 {
                break;
            }
            out.push(self.part(size, depth, unmet));
        }
        out
    }

    fn part(&mut self, size: &mut usize, depth: usize, unmet: bool) -> Part {
        if depth == 0 || self.below(2) == 0 {
            *size -= 1;
            // What has no value yet fits everything in a `not`, so there are no variables there.
            return self.leaf(unmet);
        }
        match self.below(9) {
            0 => Part::Alt((0..2).map(|_| self.parts(size, depth - 1, unmet)).collect()),
            1 => Part::Opt(self.parts(size, depth - 1, unmet)),
            2 => {
                let low = self.below(3);
                Part::Loop(low, Some(low + self.below(2)), self.parts(size, depth - 1, unmet))
            }
            // Not inside other loops: they would be slow to place.
            3 if depth == 2 => {
                *size -= 1;
                let mut body = vec![self.leaf(true)];
                if self.below(3) == 0 {
                    body.push(self.leaf(true));
                }
                Part::Loop(self.below(2), None, body)
            }
            4 => Part::Par((0..2).map(|_| self.parts(size, depth - 1, unmet)).collect()),
            5 | 6 if !unmet => Part::Not(self.parts(size, depth - 1, true)),
            7 => Part::Box(true, self.parts(size, depth - 1, unmet)),
            _ => Part::Box(false, self.parts(size, depth - 1, unmet)),
        }
    }

    fn chart(&mut self) -> Chart {
        let mut size = 1 + self.below(5);
        let (is_exact, is_global) = (self.below(2) == 0, self.below(4) == 0);
        Chart { is_exact, is_global, parts: self.parts(&mut size, 2, false) }
    }

    fn run(&mut self, one_event: bool) -> Run {
        let steps = (0..self.below(5)).map(|_| {
            let density = 2 + self.below(4);
            let mut messages: Vec<Option<i64>> =
                (0..5).map(|_| (self.below(density) == 0).then(|| self.below(2) as i64)).collect();
            if one_event {
                let gate = self.below(6);
                messages = (0..5).map(|n| (n == gate).then(|| self.below(2) as i64)).collect();
            }
            let fired = Some(self.below(3)).filter(|n| *n < 2);
            Step { messages, fired, state: self.below(2) }
        });
        let steps: Vec<Step> = steps.collect();
        // A run without steps begins as the model does, and shows nothing else.
        let initial = if steps.is_empty() { 0 } else { self.below(2) };
        Run { initial, steps }
    }
}

fn random_charts(model: &str, one_event: bool, seed: u64, charts: usize) {
    let mut dice = Dice(seed);
    let mut met = 0;
    for number in 0..charts {
        let chart = dice.chart();
        let msc = format!("msc M for S {{\n{}}}\n", chart.text(&MESSAGES));
        let text = format!("{model}\n{msc}purpose N for S {{ not chart M }}");
        let (asked, contrary) = (asked(&text, "M"), asked(&text, "N"));
        for _ in 0..8 {
            let run = dice.run(one_event);
            let expected = contains(&chart, &MESSAGES, one_event, &run);
            met += usize::from(expected);
            let found = (meets(&asked, &run, one_event), !meets(&contrary, &run, one_event));
            assert_eq!(found, (expected, expected), "chart {number}\n{}\n{run:?}", chart.text(&MESSAGES));
        }
    }
    assert!(met > charts, "most runs say nothing: {met}");
}

#[test]
fn random_charts_of_a_lock_step_system_mean_what_the_reference_says() {
    random_charts(LOCKSTEP, false, 0x9e3779b97f4a7c15, 1200);
}

#[test]
fn random_charts_over_gates_mean_what_the_reference_says() {
    random_charts(GATES, true, 0x2545f4914f6cdd1d, 1200);
}

#[test]
fn the_blinker_goes_from_off_to_on() {
    let output = run(&["gen", "examples/blinker_charts.tw", "-p", "OffToOn", "--json"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let json: serde_json::Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(json["purposes"][0]["cases"][0]["length"], 7);
}

/// The answer to a purpose of a file with this text.
fn answer(name: &str, text: &str, purpose: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("writable");
    let output = run(&["gen", path.to_str().expect("a plain path"), "-p", purpose, "--json"]);
    let json: serde_json::Value = serde_json::from_str(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    let one = &json["purposes"][0];
    match one["cases"][0]["length"].as_u64() {
        Some(length) => format!("{} in {length}", one["answer"].as_str().unwrap_or_default()),
        None => one["answer"].as_str().unwrap_or_default().to_owned(),
    }
}

/// A message at a gate that several machines share is from the one that took part.
#[test]
fn machines_at_one_gate_are_told_apart() {
    let model = "
sts Client(id: 1..3) {
  out req(x: 1..9)
  initial location Idle
  location Wait
  Idle -> Wait : ask !req(x)
}
sts Server {
  in req(x: 1..9)
  initial location L
  L -> L : take ?req(x)
}
system Net = (||| i in 1..2: c: Client(i)) || s: Server
msc Same for Net { c[1] -> s : req  tick c[1] -> s : req }
msc Both for Net { c[1] -> s : req  tick c[2] -> s : req }
msc Exact for Net { exactly lifeline c[1], s  c[1] -> s : req  c[1] -> s : req }
msc Others for Net { exactly lifeline c[1], s  c[1] -> s : req }
msc First for Net { c[1] -> s : req  not { c[2] fires ask }  c[1] in Idle }
purpose between for Net { chart Others  length 2 }
";
    for (purpose, expected) in [
        ("Same", "impossible"),
        ("Both", "found in 2"),
        ("Exact", "impossible"),
        ("First", "impossible"),
        // What the other client sends is nothing between these two.
        ("between", "found in 2"),
    ] {
        assert_eq!(answer(&format!("shared_gate_{purpose}.tw"), model, purpose), expected, "{purpose}");
    }
}

/// One tick of a lock-step system inside a composition says all that is said in it.
#[test]
fn a_tick_in_a_composition_has_several_messages() {
    let model = "
component Echo {
  in i: 0..1
  out o: 0..1
  initial state S
  S -> S : echo when i?x do o!x
}
sts Button {
  in press()
  initial location L
  L -> L : ?press
}
system Both = Echo || Button
msc Once for Both { env -> Echo : i(1)  Echo -> env : o(1) }
msc All for Both { exactly env -> Echo : i(1)  Echo -> env : o(1)  env -> Button : press }
";
    assert_eq!(answer("tick_once.tw", model, "Once"), "found in 1");
    assert_eq!(answer("tick_all.tw", model, "All"), "found in 2");
}

/// A chart with variables is followed along a log, however long that is.
#[test]
fn variables_of_charts_are_kept_along_a_log() {
    let model = "
sts M {
  in a(x: Int), b(), c()
  initial location L
  L -> L : ?a(x)
  L -> L : ?b
  L -> L : ?c
}
msc Twice for M { some n  env -> M : a(n)  env -> M : a(n) }
purpose quiet for M { chart Twice  never(b) on gate }
purpose not_twice for M { not chart Twice }
";
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join("chart_log.tw");
    std::fs::write(&path, model).expect("writable");
    let a = |x: i64| format!("{{\"gate\":\"a\",\"data\":{{\"x\":{x}}}}}\n");
    let (b, c) = ("{\"gate\":\"b\"}\n".to_owned(), "{\"gate\":\"c\"}\n".to_owned());
    let cases = [
        ([&c, &a(1), &a(2), &a(1)].map(String::as_str).concat(), ["holds 4", "open", "fails 4"]),
        ([&b, &a(1), &a(2)].map(String::as_str).concat(), ["open", "fails 1", "open"]),
        (format!("{}{}{}", a(1), a(1), c.repeat(5_000)), ["holds 2", "open", "fails 2"]),
    ];
    for (number, (log, expected)) in cases.into_iter().enumerate() {
        let log_path = folder.join(format!("chart_log_{number}.jsonl"));
        std::fs::write(&log_path, log).expect("writable");
        let args = ["monitor", path.to_str().expect("plain"), log_path.to_str().expect("plain"), "--json"];
        let output = run(&args);
        let json: serde_json::Value =
            serde_json::from_str(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
        let purposes = json["purposes"].as_array().expect("purposes");
        let said = purposes.iter().map(|one| match (one["answer"].as_str(), one["decided"]["event"].as_u64()) {
            (Some(verdict), Some(event)) => format!("{verdict} {event}"),
            (verdict, _) => verdict.unwrap_or_default().to_owned(),
        });
        assert_eq!(said.collect::<Vec<_>>(), expected, "{json}");
    }
}
