//! Runs drawn as charts: what stands in them, what is marked, and that texts keep clear of each other.

mod binary;

use std::fs;
use std::path::Path;

use binary::tracewright;
use tracewright::emit::{Chart, Drawing, Row, RowKind};

const BLINKER: &str = "examples/blinker.tw";

fn drawn(arguments: &[&str], format: &str) -> String {
    let output = tracewright(&[arguments, &["--format", format]].concat());
    output.stdout
}

/// A model in a file of its own.
fn file(name: &str, text: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("drawing");
    fs::create_dir_all(&folder).expect("a folder for the models");
    let path = folder.join(name);
    fs::write(&path, text).expect("writable");
    path.to_str().expect("a plain path").to_owned()
}

#[test]
fn a_lock_step_run_as_text() {
    let expected = "\
shortest_off, case 1

 env                 b                    t          d
  |               [Init]               [Wait]     [Ready]
  |-- interval(0) -->|                    |          |
  |                  |------ set(0) ----->|          |
  |                  |--------- pulse(true) -------->|
  |               (start)                 |      (transf)
  |                [On]                   |          |
-- tick 1 -------------------------------------------------
  |                  |                  (set)    (receive)
  |                  |                  [Run]        |
-- tick 2 -------------------------------------------------
  |                  |<- timeout(true) ---|          |
  |<------------------ lamp(true) -------------------|
  |                  |                (timeout)  (transf)
  |                  |                 [Wait]        |
-- tick 3 -------------------------------------------------
  |                  |------ set(0) ----->|          |
  |                  |-------- pulse(false) -------->|
  |<------------------ lamp(true) -------------------|
  |             (switchOff)               |      (transf)
  |               [*Off*]                 |          |
  |                  |                    |          |
";
    assert_eq!(drawn(&["gen", BLINKER, "-p", "shortest_off"], "chart"), expected);
}

#[test]
fn messages_that_a_purpose_asks_for_are_marked() {
    let model = file(
        "marked.tw",
        "import \"../../../examples/blinker.tw\"\n\
         purpose lit for Blinking { member(true) on lamp   follows(b.set == 3, pre(t.timeout) == true) }",
    );
    let model = model.replace("../../../examples", "examples");
    let text = fs::read_to_string(&model).expect("readable");
    let blinker = fs::canonicalize(BLINKER).expect("it is there");
    fs::write(&model, text.replace("../../../examples/blinker.tw", blinker.to_str().expect("plain")))
        .expect("writable");
    let chart = drawn(&["gen", &model, "-p", "lit"], "mermaid");
    let marked: Vec<&str> = chart.lines().filter(|line| line.starts_with("        ")).map(str::trim).collect();
    assert_eq!(marked, ["b->>t: set(3)", "d->>env: lamp(true)", "t->>b: timeout(true)"], "{chart}");
    let text = drawn(&["gen", &model, "-p", "lit"], "chart");
    assert!(text.contains("= set(3) =") && text.contains("<=") && !text.contains("= set(0) ="), "{text}");
    let plantuml = drawn(&["gen", &model, "-p", "lit"], "plantuml");
    assert!(plantuml.contains("b -[#C77700,bold]> t : set(3)\n"), "{plantuml}");
}

/// Two machines that meet at a gate, with a step of their own, and a gate that is hidden.
const SHOP: &str = "\
sts Clerk {
  in order(n: 0..9)
  out pass(n: 0..9), note(n: 0..9)
  var k: 0..9 = 0
  initial location Idle
  location Busy, Noting
  Idle -> Busy : ?order(n) do k := n
  Busy -> Noting : !pass(n) when n == k
  Noting -> Idle : !note(n) when n == k
}
sts Store {
  in pass(n: 0..9), note(n: 0..9)
  out done(n: 0..9)
  var k: 0..9 = 0
  initial location Waiting
  location Packing, Ready
  Waiting -> Packing : ?pass(n) do k := n
  Packing -> Ready : tau
  Ready -> Waiting : !done(n) when n == k
  Packing -> Packing : ?note(n)
  Ready -> Ready : ?note(n)
  Waiting -> Waiting : ?note(n)
}
system Shop = (clerk: Clerk || store: Store) hide { note }
purpose served for Shop { length 5   member(done.n == 4) }
";

#[test]
fn events_at_gates_go_from_the_one_that_gives_to_those_that_take() {
    let chart = drawn(&["gen", &file("shop.tw", SHOP), "-p", "served"], "mermaid");
    for line in [
        "    participant clerk\n",
        "    env->>clerk: order(4)\n    Note over clerk: Busy\n",
        "    clerk->>store: pass(4)\n",
        "    store->>store: tau\n    Note over store: Ready\n",
        "Note over clerk,store: tau: note(4)\n",
        "store->>env: done(4)\n",
    ] {
        assert!(chart.contains(line), "{line} is not in\n{chart}");
    }
}

#[test]
fn files_stand_beside_the_sequences() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("drawing").join("out");
    let _ = fs::remove_dir_all(&folder);
    let out = folder.to_str().expect("a plain path");
    let formats = ["--format", "mermaid", "--format", "plantuml", "--format", "svg", "--format", "chart"];
    tracewright(&[&["gen", BLINKER, "-p", "shortest_off", "--out", out][..], &formats].concat()).succeeds();
    tracewright(&[&["cover", BLINKER, "--of", "states", "--out", &format!("{out}/cover")][..], &formats].concat())
        .succeeds();
    for file in
        ["shortest_off-1.mmd", "shortest_off-1.puml", "shortest_off-1.svg", "shortest_off-1.txt", "cover/suite-1.mmd"]
    {
        assert!(folder.join(file).is_file(), "{file}");
    }
    let manifest = fs::read_to_string(folder.join("manifest.json")).expect("readable");
    assert!(manifest.contains("\"shortest_off-1.svg\""), "{manifest}");
}

#[test]
fn characters_with_a_meaning_stand_by_their_numbers() {
    let message = |text: &str| {
        let kind = RowKind::Message { from: 0, to: vec![1], text: text.to_owned(), is_hidden: false };
        Chart {
            title: "t".to_owned(),
            lifelines: vec!["env".to_owned(), "end".to_owned()],
            rows: vec![Row::plain(kind)],
        }
    };
    let chart = message("say(\"a;b#c<br/>\")");
    let mermaid = Drawing::Mermaid.chart(&chart);
    assert!(mermaid.contains("env->>end_: say(\"a#59;b#35;c#60;br/#62;\")\n"), "{mermaid}");
    assert!(mermaid.contains("participant end_ as end\n"), "{mermaid}");
    let plantuml = Drawing::Plantuml.chart(&message("say(\"**a**\\n<b>\")"));
    assert!(plantuml.contains("env -> end_ : say(\"*<U+002A>a*<U+002A><U+005C>n<U+003C>b>\")\n"), "{plantuml}");
    let svg = Drawing::Svg.chart(&chart);
    assert!(svg.contains(">say(&quot;a;b#c&lt;br/&gt;&quot;)</text>"), "{svg}");
}

/// Left, top, right and bottom of every text of a drawing, with the text.
fn texts(svg: &str) -> Vec<([f64; 4], String)> {
    let attribute = |tag: &str, name: &str| -> String {
        let (_, rest) = tag.split_once(&format!(" {name}=\"")).unwrap_or_else(|| panic!("no {name} in {tag}"));
        rest.split('"').next().unwrap_or_default().to_owned()
    };
    let number = |tag: &str, name: &str| attribute(tag, name).parse::<f64>().expect("a number");
    let one = |part: &str| {
        let (tag, rest) = part.split_once('>').expect("a tag");
        let (x, y, width) = (number(tag, "x"), number(tag, "y"), number(tag, "textLength"));
        let left = if attribute(tag, "text-anchor") == "middle" { x - width / 2.0 } else { x };
        ([left, y - 10.0, left + width, y + 3.0], rest.split('<').next().unwrap_or_default().to_owned())
    };
    svg.split("<text").skip(1).map(one).collect()
}

#[test]
fn no_two_texts_of_a_drawing_overlap() {
    for lifelines in [3, 8, 15] {
        let mut rows = vec![];
        for step in 0..40 {
            let (from, to) = (step * 7 % lifelines, step * 11 % lifelines);
            let data = format!("\"{}\"", "some long data, ".repeat(step % 6));
            let message = |to: Vec<usize>| RowKind::Message {
                from,
                to,
                text: format!("message{step}({data})"),
                is_hidden: step % 5 == 0,
            };
            rows.push(Row { kind: message(vec![to]), is_marked: step % 3 == 0 });
            rows.push(Row::plain(message(vec![(to + 1) % lifelines, (to + 2) % lifelines])));
            for at in 1..lifelines {
                rows.push(Row::plain(RowKind::Fired(at, format!("transition{}", "x".repeat(step * at % 30)))));
            }
            rows.push(Row::plain(RowKind::State(from, "A".repeat(step * 3))));
            rows.push(Row::plain(RowKind::Internal(to)));
            rows.push(Row::plain(RowKind::Remark(to, "a remark of some words ".repeat(step % 4))));
            rows.push(Row::plain(RowKind::Note("a note ".repeat(step))));
            rows.push(Row::plain(RowKind::Tick(step + 1)));
        }
        let names = (0..lifelines).map(|n| format!("lifeline{}", "n".repeat(n * 5))).collect();
        let svg = Drawing::Svg.chart(&Chart { title: "a title ".repeat(3), lifelines: names, rows });
        let texts = texts(&svg);
        let size = |name: &str| -> f64 {
            let (_, rest) = svg.split_once(&format!(" {name}=\"")).expect("it has a size");
            rest.split('"').next().unwrap_or_default().parse().expect("a number")
        };
        let (width, height) = (size("width"), size("height"));
        for (number, (a, text)) in texts.iter().enumerate() {
            assert!(a[0] >= 0.0 && a[1] >= 0.0 && a[2] <= width && a[3] <= height, "{text} is outside: {a:?}");
            for (b, other) in &texts[number + 1..] {
                let apart = a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
                assert!(apart, "{text:?} at {a:?} overlaps {other:?} at {b:?}");
            }
        }
    }
}

#[test]
fn a_chart_is_drawn_of_every_answer() {
    for format in ["chart", "mermaid", "plantuml", "svg"] {
        let impossible = drawn(&["gen", BLINKER, "-p", "wrong_order"], format);
        assert!(impossible.contains("wrong_order: impossible"), "{impossible}");
        let run = drawn(&["simulate", BLINKER, "--inputs", "examples/blinker_interval1.json"], format);
        assert!(run.contains("interval(1)") && run.contains("lamp(true)"), "{run}");
        let suite = drawn(&["cover", "examples/supplier.tw", "--of", "transitions"], format);
        assert!(suite.contains("sequence 1") && suite.contains("rq("), "{suite}");
    }
}
