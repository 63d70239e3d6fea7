//! Runs drawn as charts: what stands in them, what is marked, and that texts keep clear of each other.

use std::fs;
use std::path::Path;

use tracewright::emit::{Chart, Drawing, GraphState, GraphTransition, MachineGraph, Row, RowKind, machine_svg};

use crate::binary::tracewright;

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

/// Left, top, right and bottom.
type Area = [f64; 4];

fn attribute(tag: &str, name: &str) -> String {
    let (_, rest) = tag.split_once(&format!(" {name}=\"")).unwrap_or_else(|| panic!("no {name} in {tag}"));
    rest.split('"').next().unwrap_or_default().to_owned()
}

fn number(tag: &str, name: &str) -> f64 {
    attribute(tag, name).parse().expect("a number")
}

/// Tags with a name, each with what follows it.
fn tags<'s>(svg: &'s str, name: &str) -> Vec<(&'s str, &'s str)> {
    let begin = format!("<{name}");
    let parts = svg.split(&begin).skip(1).filter(|part| part.starts_with(' '));
    parts.map(|part| part.split_once('>').expect("a tag")).collect()
}

/// Every text of a drawing.
fn texts(svg: &str) -> Vec<(Area, String)> {
    let one = |(tag, rest): &(&str, &str)| {
        let (x, y, width) = (number(tag, "x"), number(tag, "y"), number(tag, "textLength"));
        let left = if attribute(tag, "text-anchor") == "middle" { x - width / 2.0 } else { x };
        ([left, y - 10.0, left + width, y + 3.0], rest.split('<').next().unwrap_or_default().to_owned())
    };
    tags(svg, "text").iter().map(one).collect()
}

/// Everything in a drawing that has a border.
fn boxes(svg: &str) -> Vec<Area> {
    let is_box = |tag: &str| ["box", "state"].contains(&attribute(tag, "class").split(' ').next().unwrap_or_default());
    let rectangles = tags(svg, "rect").into_iter().filter(|(tag, _)| is_box(tag)).map(|(tag, _)| {
        let (x, y) = (number(tag, "x"), number(tag, "y"));
        [x, y, x + number(tag, "width"), y + number(tag, "height")]
    });
    let polygons = tags(svg, "polygon").into_iter().filter(|(tag, _)| is_box(tag)).map(|(tag, _)| {
        let points = attribute(tag, "points");
        let points: Vec<f64> = points.split([' ', ',']).map(|part| part.parse().expect("a number")).collect();
        points.chunks(2).fold([f64::MAX, f64::MAX, 0.0, 0.0], |[left, top, right, bottom], point| {
            [left.min(point[0]), top.min(point[1]), right.max(point[0]), bottom.max(point[1])]
        })
    });
    rectangles.chain(polygons).collect()
}

/// No two texts overlap, no two boxes do, a text is inside of a box or outside, and everything is on the paper.
fn keeps_apart(svg: &str) {
    let (texts, boxes) = (texts(svg), boxes(svg));
    let paper = attribute(svg, "viewBox");
    let paper: Vec<f64> = paper.split(' ').map(|part| part.parse().expect("a number")).collect();
    let paper = [paper[0], paper[1], paper[0] + paper[2], paper[1] + paper[3]];
    let apart = |a: &Area, b: &Area| a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
    let inside = |a: &Area, b: &Area| a[0] >= b[0] && a[1] >= b[1] && a[2] <= b[2] && a[3] <= b[3];
    for (number, (a, text)) in texts.iter().enumerate() {
        assert!(inside(a, &paper), "{text} is outside: {a:?}");
        for (b, other) in &texts[number + 1..] {
            assert!(apart(a, b), "{text:?} at {a:?} overlaps {other:?} at {b:?}");
        }
        for b in &boxes {
            assert!(apart(a, b) || inside(a, b), "{text:?} at {a:?} crosses a box at {b:?}");
        }
    }
    for (number, a) in boxes.iter().enumerate() {
        assert!(inside(a, &paper), "a box is outside: {a:?}");
        for b in &boxes[number + 1..] {
            assert!(apart(a, b), "boxes at {a:?} and {b:?} overlap");
        }
    }
}

/// A machine with some states, and transitions all over it: loops, several with the same ends, ways back.
fn machine(states: usize) -> MachineGraph {
    let state = |number: usize| GraphState {
        name: format!("State{number}{}", "x".repeat(number * 7 % 23)),
        is_initial: number == 0,
        passed: [None, Some(0), Some(2)][number % 3],
        is_impossible: number % 8 == 7,
    };
    let transition = |number: usize| GraphTransition {
        name: format!("t{number}"),
        label: format!("transition {number} {}", "of some length ".repeat(number % 5)),
        source: number * 7 % states,
        target: (number * number + number / 3) % states,
        passed: [Some(1), Some(0), None][number % 3],
        is_impossible: number % 8 == 7,
    };
    MachineGraph {
        name: "m".to_owned(),
        states: (0..states).map(state).collect(),
        transitions: (0..3 * states).map(transition).collect(),
    }
}

#[test]
fn nothing_overlaps_in_a_graph() {
    for states in [1, 3, 8, 15, 40] {
        let machine = machine(states);
        let svg = machine_svg(&machine).expect("it is small enough");
        keeps_apart(&svg);
        assert_eq!(boxes(&svg).len(), states, "every state has a box");
        let paths = tags(&svg, "path").len();
        let mut ends: Vec<(usize, usize)> = machine.transitions.iter().map(|t| (t.source, t.target)).collect();
        ends.sort_unstable();
        ends.dedup();
        assert_eq!(paths, ends.len(), "transitions with the same ends share an edge");
    }
}

#[test]
fn what_runs_miss_and_what_is_impossible_look_different_in_a_graph() {
    let svg = machine_svg(&machine(8)).expect("it is small enough");
    let looks: Vec<String> = tags(&svg, "rect").iter().map(|(tag, _)| attribute(tag, "class")).collect();
    for look in ["state initial", "state missed", "state passed", "state impossible"] {
        assert!(looks.iter().any(|known| known == look), "{look} is not in {looks:?}");
    }
}

#[test]
fn a_machine_that_nobody_could_read_is_not_drawn() {
    assert_eq!(machine_svg(&machine(900)), None);
}

#[test]
fn nothing_overlaps_in_a_chart() {
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
        keeps_apart(&svg);
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

/// Only letters of which the width is known are brought to it; others have room, and stay as they are.
#[test]
fn other_scripts_are_not_stretched() {
    let rows = ["plain", "\u{627}\u{644}\u{639}"].map(|text| Row::plain(RowKind::Note(text.to_owned())));
    let chart = Chart { title: "t".to_owned(), lifelines: vec!["env".to_owned()], rows: rows.to_vec() };
    let svg = Drawing::Svg.chart(&chart);
    let of = |text: &str| svg.lines().find(|line| line.contains(text)).expect("the text").contains("textLength");
    assert!(of(">plain<") && !of(">\u{627}\u{644}\u{639}<"), "{svg}");
}
