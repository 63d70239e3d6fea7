//! What is said of open data. Small models with the exact words; and random models, whose descriptions are read again here and
//! compared with all runs: what is said must hold for every run of the case, and for nothing else.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tracewright::kernel::{Run, StepSystem};
use tracewright::solve::{Solver, Z3};
use tracewright::synth::{Description, Engine, Options, answer};
use tracewright::term::Value;

use crate::binary::tracewright;
use crate::questions::{Constraint, Recorded, asked, bounds, constraints, models, runs};

/// What is said of the only case of the only purpose of a model.
fn said(name: &str, model: &str, more: &[&str]) -> Vec<String> {
    let file = format!("{}/said_{name}.tw", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&file, model).expect("a file");
    let output = tracewright(&[&["gen", &file, "--json"], more].concat());
    output.succeeds();
    let answer: serde_json::Value = serde_json::from_str(&output.stdout).expect("JSON");
    let lines = answer["purposes"][0]["cases"][0]["constraints"].as_array().expect("a list");
    lines.iter().map(|line| line.as_str().expect("a text").to_owned()).collect()
}

/// The same for one input event `put` with some parameters and a guard.
fn put(name: &str, params: &str, guard: &str) -> Vec<String> {
    let model = format!(
        "type Shape = Dot | Circle(r: Nat) | Box(w: Int, h: Int)
         type Colour = Red | Green | Blue | Grey
         sts M {{ in put({params})  initial location A  location B
           A -> B : go ?put({}) when {guard} }}
         purpose p for M {{ member(go) on fired }}",
        params.split(", ").map(|param| param.split(':').next().expect("a name")).collect::<Vec<_>>().join(", ")
    );
    said(name, &model, &[])
}

#[test]
fn sets_of_values() {
    assert_eq!(put("set", "a: Int", "a == 1 || a == 3 || a == 5"), ["put.a@1: 1, 3 or 5"]);
    assert_eq!(put("holes", "a: Int", "a >= 1 && a <= 5 && a != 2 && a != 4"), ["put.a@1: 1, 3 or 5"]);
    assert_eq!(put("outside", "a: Int", "a < 0 || a > 10"), ["put.a@1: < 0 or > 10"]);
    assert_eq!(put("even", "a: Int", "a % 2 == 0 && a >= 0 && a <= 6"), ["put.a@1: 0, 2, 4 or 6"]);
    assert_eq!(
        put("sum", "a: Nat, b: Nat", "a + b == 1 || a + b == 3"),
        ["put.a@1: _", "put.b@1: _", "put.a@1 + put.b@1 is 1 or 3"]
    );
    assert_eq!(put("text", "t: String", r#"t == "a" || t == "b""#), [r#"put.t@1: "a" or "b""#]);
    assert_eq!(put("enum", "c: Colour", "c == Red || c == Blue"), ["put.c@1: Red or Blue"]);
    assert_eq!(put("most", "c: Colour", "c != Red"), ["put.c@1: not Red"]);
    assert_eq!(put("real", "x: Real", "x > 0.5 && x <= 2.25"), ["put.x@1: > 0.5 and <= 2.25"]);
}

#[test]
fn values_by_their_constructors() {
    assert_eq!(
        put("option", "o: Option<Int>", "match o { Some(x) => x > 9, None => true }"),
        ["put.o@1: None or Some(>= 10)"]
    );
    assert_eq!(put("some", "o: Option<Int>", "match o { Some(x) => true, None => false }"), ["put.o@1: Some(_)"]);
    assert_eq!(put("any", "o: Option<Int>", "true"), ["put.o@1: _"]);
    assert_eq!(
        put("shape", "s: Shape", "match s { Dot => false, Circle(r) => r > 9, Box(w, h) => w == h }"),
        ["put.s@1: Circle(>= 10) or Box(_, put.s.w@1)"]
    );
    assert_eq!(
        put("other", "s: Shape, n: Int", "match s { Dot => n > 0, Circle(r) => r > n, Box(w, h) => true }"),
        [
            "put.s@1: _",
            "put.n@1: _",
            "(put.s@1 is Dot and put.n@1 > 0) or (put.s@1 is not Dot and (put.s@1 is not Circle or put.n@1 < put.s.r@1))"
        ]
    );
    assert_eq!(put("list", "xs: List<Int>", "size(xs) >= 2"), ["put.xs@1: at least 2 elements"]);
    assert_eq!(put("head", "xs: List<Int>", "size(xs) >= 2 && head(xs) > 9"), ["put.xs@1: [>= 10, _, ..]"]);
    assert_eq!(put("member", "s: Set<0..3>", "1 in s"), ["put.s@1: at least 1 element", "put.s@1 contains 1"]);
    assert_eq!(put("members", "s: Set<0..3>", "!(1 in s)"), ["put.s@1: any number of elements, each 0, 2 or 3"]);
}

#[test]
fn loops_over_ranges() {
    assert_eq!(put("loop", "p: 0..2", "forall q in p..p: true"), ["put.p@1: _"]);
    assert_eq!(put("loop_of_two", "p: 0..5", "exists q in p..(p + 1): q == 4"), ["put.p@1: 3..4"]);
    assert_eq!(
        put("loop_over_places", "xs: List<Int>", "forall q in 1..size(xs): q < 3"),
        ["put.xs@1: at most 2 elements"]
    );
    // How many loops there are is open: other values were not looked at, and this is said.
    assert_eq!(
        put("open_loop", "p: 0..2", "exists q in p..2: q == 1"),
        ["put.p@1: 0", "other data was not looked at: a loop over a range with open ends"]
    );
}

#[test]
fn no_relation_that_follows() {
    let falling = "sts M { in put(a: Int)  var last: Int = 0  initial location A
          A -> A : first ?put(a) do last := a
          A -> A : down ?put(a) when a < last do last := a }
        purpose p for M { length 3   exactly([first, down, down]) on fired   unique on put.a }";
    // a@3 < a@1, and that they all differ, is clear from the rest.
    assert_eq!(
        said("falling", falling, &[]),
        ["put.a@1: _", "put.a@2: _", "put.a@3: _", "put.a@2 < put.a@1", "put.a@3 < put.a@2"]
    );
    assert_eq!(put("by_range", "a: 0..3, b: 5..9", "a < b && a + 1 <= b"), ["put.a@1: _", "put.b@1: _"]);
    assert_eq!(
        put("transitive", "a: Int, b: Int, c: Int", "a < c && a < b && b < c"),
        ["put.a@1: _", "put.b@1: _", "put.c@1: _", "put.a@1 < put.b@1", "put.b@1 < put.c@1"]
    );
    assert_eq!(put("nonlinear", "a: Nat, b: Nat", "2 * a + 3 * b <= 12 && a + b <= 6 && a <= b").len(), 4);
    // That the later `b` is in its type asks something of the earlier values, and nothing else needs to say so.
    let determined = "sts M { in put(a: 0..3, b: 0..3)  out say(y: 0..7)  var v: Int = 1
          initial location A  location B, C, D
          A -> B : one ?put(a, b) when v <= b do v := a + b
          B -> C : two !say(y) when y == v
          C -> D : three ?put(a, b) when b == v + 1 }
        purpose p for M { last(state) == D }";
    assert_eq!(
        said("determined", determined, &[]),
        ["put.a@1: _", "put.b@1: 1..3", "say.y@2: put.a@1 + put.b@1", "put.a@3: _", "put.b@3: put.a@1 + put.b@1 + 1"]
    );
    let unique = "sts M { in put(a: Int)  initial location A  A -> A : go ?put(a) }
        purpose p for M { length 4   unique on put.a }";
    assert_eq!(said("unique", unique, &[])[4..], ["put.a@1, put.a@2, put.a@3 and put.a@4 all differ"]);
}

#[test]
fn inputs_are_said_in_terms_of_earlier_inputs() {
    let model = "sts M { in deposit(d: Int), transfer(amt: Int)  out done(rest: Int)
          var balance: Int = 0
          initial location A  location B, C
          A -> B : deposit ?deposit(d) when d >= 0 && d <= 100 do balance := d
          B -> C : transfer ?transfer(amt) when amt >= 0 && amt <= balance do balance := balance - amt
          C -> A : report !done(rest) when rest == balance }
        purpose p for M { member(report) on fired }";
    let expected = [
        "deposit.d@1: 0..100",
        "transfer.amt@2: >= 0",
        "done.rest@3: deposit.d@1 - transfer.amt@2",
        "transfer.amt@2 <= deposit.d@1",
    ];
    for engine in ["symbolic", "unrolled"] {
        assert_eq!(said("deposit", model, &["--engine", engine]), expected, "{engine}");
    }
    // What the system says first can only be repeated; after that it is what was given.
    let echo = "sts M { in a(x: Int), b(x: Int)  out offer(x: Int)  var v: Int = 0
          initial location A  location B, C, D
          A -> B : offer !offer(x) do v := x
          B -> C : first ?a(x) when x == v + 1
          C -> D : second ?b(x) when x == v + 1 }
        purpose p for M { member(second) on fired }";
    assert_eq!(said("echo", echo, &[]), ["offer.x@1: _", "a.x@2: offer.x@1 + 1", "b.x@3: a.x@2"]);
    let hidden = "sts M { in put(a: Int)  initial location A  A -> A : go ?put(a) }
        purpose p for M { length 2   some n in Int: (n > 3 and first(put.a) == n + 1 and last(put.a) > n) }";
    assert_eq!(said("hidden", hidden, &[]), ["put.a@1: >= 5", "put.a@2: _", "put.a@1 <= put.a@2"]);
}

#[test]
fn messages_that_need_not_be_there() {
    let model = "component M { in x: Int, lit: Bool  out y: Bool  var last: Int = 0
          initial state A
          A -> A : go when x?n && n > last do last := n }
        purpose p for M { length 2   exactly([go, idle]) on fired   never(lit, true)   first(lit?_) == true }";
    assert_eq!(
        said("presence", model, &[]),
        ["x@1: > 0", "lit@1: false", "x@2: _", "lit@2: absent or false", "x@2 is absent or x@2 <= x@1"]
    );
    let any = "component M { in x: Int  initial state A  A -> A : go when x?_ }
        purpose p for M { length 2   exactly([go, idle]) on fired }";
    assert_eq!(said("any_message", any, &[]), ["x@1: present", "x@2: absent"]);
    let not_zero = "component M { in x: Int  initial state A  A -> A : go when x?0 }
        purpose p for M { length 1   last(fired) == idle }";
    assert_eq!(said("not_zero", not_zero, &[]), ["x@1: absent or not 0"]);
}

#[test]
fn engines_say_the_same() {
    let model = "component M { in x: 0..9  var last: 0..9 = 0
          initial state A  state B
          A -> A : up when x?n && n > last do last := n
          A -> B : stop when x?n && n == last }
        purpose p for M { length 3   exactly([idle, up, stop]) on fired }";
    let expected = ["x@1: absent", "x@2: 1..9", "x@3: x@2"];
    for engine in ["symbolic", "explicit", "unrolled"] {
        assert_eq!(said("engines", model, &["--engine", engine]), expected, "{engine}");
    }
}

// ---- descriptions read again

/// Values by name and step; nothing for a message that is absent.
type Data = BTreeMap<String, Option<i64>>;

/// A number: `x@1 + 2 * y@2 - 3`, `(x@1 + 1) % 3`. None if something in it is absent.
fn sum(text: &str, data: &Data) -> Option<i64> {
    let spaced = text.replace('(', "( ").replace(')', " )");
    let mut words = spaced.split(' ').peekable();
    let value = terms(&mut words, data);
    assert!(words.next().is_none(), "what does `{text}` mean?");
    value
}

type Words<'t> = std::iter::Peekable<std::str::Split<'t, char>>;

fn terms(words: &mut Words<'_>, data: &Data) -> Option<i64> {
    let mut total = factors(words, data);
    while let Some(sign) = words.next_if(|word| ["+", "-"].contains(word)) {
        let next = factors(words, data);
        total = total.zip(next).map(|(a, b)| if sign == "+" { a + b } else { a - b });
    }
    total
}

fn factors(words: &mut Words<'_>, data: &Data) -> Option<i64> {
    let mut product = factor(words, data);
    while let Some(sign) = words.next_if(|word| ["*", "%"].contains(word)) {
        let next = factor(words, data);
        product = product.zip(next).map(|(a, b)| if sign == "*" { a * b } else { a.rem_euclid(b) });
    }
    product
}

fn factor(words: &mut Words<'_>, data: &Data) -> Option<i64> {
    let word = words.next().expect("a number");
    if word == "(" {
        let value = terms(words, data);
        assert_eq!(words.next(), Some(")"));
        return value;
    }
    if let Ok(number) = word.parse() {
        return Some(number);
    }
    let (sign, name) = word.strip_prefix('-').map_or((1, word), |name| (-1, name));
    data.get(name).unwrap_or_else(|| panic!("what is `{name}`?")).map(|value| sign * value)
}

fn numbers(text: &str) -> Option<Vec<i64>> {
    text.split(", ").flat_map(|part| part.split(" or ")).map(|number| number.parse().ok()).collect()
}

/// Whether a value is what is said: `_`, `absent or 1..3`, `not 0`, `x@1 + 1`.
fn is_as_said(value: Option<i64>, text: &str, data: &Data) -> bool {
    if let Some((then, otherwise)) = text.split_once(", else ") {
        let (then, condition) = then.split_once(" if ").expect("a condition");
        let text = if holds(condition, data) { then } else { otherwise };
        return is_as_said(value, text, data);
    }
    if let Some(rest) = text.strip_prefix("absent or ") {
        return value.is_none() || is_as_said(value, rest, data);
    }
    match text {
        "_" => return true,
        "present" => return value.is_some(),
        "absent" => return value.is_none(),
        _ => {}
    }
    if let Some(others) = text.strip_prefix("not ") {
        return value.is_some_and(|value| !numbers(others).expect("numbers").contains(&value));
    }
    if let Some((range, others)) = text.split_once(" except ") {
        return is_as_said(value, range, data)
            && value.is_some_and(|value| !numbers(others).expect("numbers").contains(&value));
    }
    text.split(", ").flat_map(|part| part.split(" or ")).any(|one| match (one, value) {
        ("absent", value) => value.is_none(),
        (_, None) => sum_or_none(one, data),
        (one, Some(value)) => {
            if let Some((low, high)) = one.split_once("..") {
                return low.parse::<i64>().expect("low") <= value && value <= high.parse().expect("high");
            }
            match one.split_once(' ') {
                Some(("<", end)) => value < end.parse().expect("a number"),
                Some(("<=", end)) => value <= end.parse().expect("a number"),
                Some((">", end)) => value > end.parse().expect("a number"),
                Some((">=", end)) => value >= end.parse().expect("a number"),
                _ => sum(one, data) == Some(value),
            }
        }
    })
}

/// Whether something said to be absent along with something else is.
fn sum_or_none(text: &str, data: &Data) -> bool {
    data.get(text).is_some_and(Option::is_none)
}

/// Splits at a word that stands in no brackets.
fn split<'t>(text: &'t str, word: &str) -> Vec<&'t str> {
    let (mut out, mut depth, mut start) = (vec![], 0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if depth == 0 && text[at..].starts_with(word) => {
                out.push(&text[start..at]);
                start = at + word.len();
            }
            _ => {}
        }
    }
    out.push(&text[start..]);
    out
}

/// Whether a relation holds.
fn holds(text: &str, data: &Data) -> bool {
    if let Some(all) = text.strip_suffix(" all differ") {
        let all: Vec<Option<i64>> =
            all.split(", ").flat_map(|part| part.split(" and ")).map(|name| sum(name, data)).collect();
        return all.iter().collect::<BTreeSet<_>>().len() == all.len();
    }
    if let Some((left, values)) = text.split_once(" is ")
        && let Some(values) = numbers(values)
    {
        return sum(left, data).is_some_and(|left| values.contains(&left));
    }
    let parts = split(text, " or ");
    if parts.len() > 1 {
        return parts.iter().any(|part| holds(part, data));
    }
    let parts = split(text, " and ");
    if parts.len() > 1 {
        return parts.iter().all(|part| holds(part, data));
    }
    if let Some(name) = text.strip_suffix(" is absent") {
        return data[name].is_none();
    }
    if let Some(name) = text.strip_suffix(" is present") {
        return data[name].is_some();
    }
    for (word, compare) in COMPARISONS {
        if let [left, right] = split(text, word)[..] {
            return sum(left, data).zip(sum(right, data)).is_some_and(|(left, right)| compare(left, right));
        }
    }
    match text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        Some(inside) => holds(inside, data),
        None => panic!("what does `{text}` mean?"),
    }
}

type Compare = fn(i64, i64) -> bool;

const COMPARISONS: [(&str, Compare); 6] = [
    (" <= ", |a, b| a <= b),
    (" >= ", |a, b| a >= b),
    (" == ", |a, b| a == b),
    (" != ", |a, b| a != b),
    (" < ", |a, b| a < b),
    (" > ", |a, b| a > b),
];

/// Whether data is as described; `n` is any number that is named only there.
fn fits(description: &Description, data: &Data) -> bool {
    let texts = description.inputs.iter().map(|said| &said.text).chain(&description.relations);
    let has_n = texts.flat_map(|text| text.split([' ', '(', ')', ':'])).any(|word| word == "n");
    let candidates = if has_n { -6..=9 } else { 0..=0 };
    candidates.into_iter().any(|n| {
        let mut data = data.clone();
        data.insert("n".to_owned(), Some(n));
        description.inputs.iter().all(|said| {
            let name = format!("{}@{}", said.name, said.step);
            is_as_said(data[&name], &said.text, &data)
        }) && description.relations.iter().all(|relation| match relation.strip_prefix("n: ") {
            Some(text) => is_as_said(Some(n), text, &data),
            None => holds(relation, &data),
        })
    })
}

/// All data for what is described.
fn all_data(description: &Description) -> Vec<Data> {
    let mut all = vec![Data::new()];
    for said in &description.inputs {
        let values: Vec<Option<i64>> = match said.name.as_str() {
            "x" => [None].into_iter().chain((0..=2).map(Some)).collect(),
            "x.n" => (0..=2).map(Some).collect(),
            "say.y" => (0..=7).map(Some).collect(),
            _ => (0..=3).map(Some).collect(),
        };
        let name = format!("{}@{}", said.name, said.step);
        let with = |data: &Data, value: &Option<i64>| {
            let mut data = data.clone();
            data.insert(name.clone(), *value);
            data
        };
        all = all.iter().flat_map(|data| values.iter().map(|value| with(data, value)).collect::<Vec<_>>()).collect();
    }
    all
}

/// Data of a run, under the names of a description.
fn data_of(description: &Description, run: &Recorded) -> Data {
    let of = |name: &str, step: usize| match name {
        "z.n" => run.output[step - 1],
        _ => run.input[step - 1],
    };
    let named = |said: &tracewright::synth::Said| (format!("{}@{}", said.name, said.step), of(&said.name, said.step));
    description.inputs.iter().map(named).collect()
}

fn recorded(system: &StepSystem, run: &Run) -> Recorded {
    run.steps.iter().fold(Recorded::default(), |before, step| before.with(system, step))
}

#[test]
fn what_is_said_is_what_is_open() {
    let cases = std::env::var("DATA_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(600);
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let question = (models(), prop::collection::vec(constraints(), 1..3), bounds(), 0..3usize);
    let (found, exact) = (Cell::new(0), Cell::new(0));
    let result = runner.run(&question, |(m, wanted, bound, engine)| {
        let parts: Vec<String> = wanted.iter().map(|constraint| constraint.word(&m)).collect();
        let asked = asked(&format!("{}purpose p for M {{ {}\n{} }}\n", m.text(), bound.text(), parts.join("\n")));
        let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
        let engine = [Engine::Symbolic, Engine::Explicit, Engine::Unrolled][engine];
        let options = Options { engine, ..Options::new(&solver) };
        let answered = answer(&asked.system, &asked.lists, &asked.purpose, &options, &mut ()).expect("no disagreement");
        let [case] = &answered.cases[..] else { return Ok(()) };
        let description = &case.description;
        found.set(found.get() + 1);
        let same = recorded(&asked.system, &case.run).all_fired;
        let meets = |run: &Recorded| wanted.iter().all(|constraint| constraint.holds(&m, run));
        let of_case: BTreeSet<Data> = (runs(&asked.system, bound).iter())
            .filter(|run| run.all_fired == same && meets(run))
            .map(|run| data_of(description, run))
            .collect();
        let described: BTreeSet<Data> =
            all_data(description).into_iter().filter(|data| fits(description, data)).collect();
        prop_assert!(described.contains(&data_of(description, &recorded(&asked.system, &case.run))));
        let too_much: Vec<&Data> = described.difference(&of_case).collect();
        prop_assert!(too_much.is_empty(), "{:?} describes {:?}", description.lines(), too_much);
        if wanted.iter().all(Constraint::is_about_control) {
            exact.set(exact.get() + 1);
            let too_little: Vec<&Data> = of_case.difference(&described).collect();
            prop_assert!(too_little.is_empty(), "{:?} lacks {:?}", description.lines(), too_little);
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(found.get() * 5 > cases && exact.get() * 20 > cases, "enough was compared");
}

/// Guards over two numbers and what is remembered of earlier ones.
fn guards() -> impl Strategy<Value = String> {
    let atom = prop::sample::select(vec![
        "a <= b",
        "a != b",
        "a < v",
        "v <= b",
        "a != v",
        "b == v + 1",
        "a + b == 3",
        "a + b <= v + 2",
        "2 * a <= b + v",
        "a == 1 || a == 3",
        "a == 1 || b == 2",
        "a == v || a == b",
        "!(a == b && b == v)",
        "b % 2 == 0",
        "true",
    ]);
    prop::collection::vec(atom, 1..4).prop_map(|atoms| {
        let atoms: Vec<String> = atoms.iter().map(|atom| format!("({atom})")).collect();
        atoms.join(" && ")
    })
}

/// What the interpreter does with data on the only path there is; whether it takes all steps.
fn is_taken(system: &StepSystem, data: &[Vec<i64>]) -> bool {
    let mut state = system.initial(&[]);
    for given in data {
        let given: Vec<Value> = given.iter().copied().map(Value::int).collect();
        let joints = (0..system.joints.len()).filter(|joint| system.at_source(*joint, &state));
        let next = joints.flat_map(|joint| system.steps(joint, &state, &given).expect("no limit")).next();
        let Some(next) = next else { return false };
        state = next.next;
    }
    true
}

#[test]
fn relations_are_all_there_is_and_none_is_needless() {
    let cases = std::env::var("DATA_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(150);
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let updates = prop::sample::select(vec!["v := a", "v := b", "v := a + b", "v := 3 - a"]);
    let says = prop::sample::select(vec!["y == v + 1", "y <= v", "y == v", "y != v"]);
    let question = (guards(), updates, says, guards());
    let (found, related) = (Cell::new(0), Cell::new(0));
    let result = runner.run(&question, |(first, update, says, second)| {
        let asked = asked(&format!(
            "sts M {{ in put(a: 0..3, b: 0..3)  out say(y: 0..7)  var v: Int = 1
               initial location A  location B, C, D
               A -> B : one ?put(a, b) when {first} do {update}
               B -> C : two !say(y) when {says} do v := y
               C -> D : three ?put(a, b) when {second} }}
             purpose p for M {{ last(state) == D }}"
        ));
        let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
        let options = Options::new(&solver);
        let answered = answer(&asked.system, &asked.lists, &asked.purpose, &options, &mut ()).expect("no disagreement");
        let [case] = &answered.cases[..] else { return Ok(()) };
        let description = &case.description;
        found.set(found.get() + 1);
        related.set(related.get() + u32::from(!description.relations.is_empty()));
        let all = all_data(description);
        let is_run = |data: &Data| {
            let of = |name: &str| data[name].expect("a number");
            is_taken(
                &asked.system,
                &[vec![of("put.a@1"), of("put.b@1")], vec![of("say.y@2")], vec![of("put.a@3"), of("put.b@3")]],
            )
        };
        let is_run: Vec<bool> = all.iter().map(is_run).collect();
        for (data, is_run) in all.iter().zip(&is_run) {
            prop_assert_eq!(fits(description, data), *is_run, "{:?} of {:?}", description.lines(), data);
        }
        for place in 0..description.relations.len() {
            let mut fewer = description.clone();
            fewer.relations.remove(place);
            let is_needed = all.iter().zip(&is_run).any(|(data, is_run)| fits(&fewer, data) && !is_run);
            prop_assert!(is_needed, "{} of {:?}", description.relations[place], description.lines());
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let seen = (found.get(), related.get());
    assert!(seen.0 * 3 > cases && seen.1 * 5 > cases, "enough was compared: {seen:?}");
}

#[test]
fn what_the_system_says_asks_something_of_inputs() {
    // The change is a natural number: that is why enough was paid, and nothing else says so.
    let model = "
        type Coin = Five | Ten | Fifty
        fun worth(c: Coin): Int = match c { Five => 5, Ten => 10, Fifty => 50 }
        sts Vend { in coin(c: Coin), buy()  out change(amt: Nat)  var paid: Int = 0  initial location A  location B, C
          A -> A : coin ?coin(c) do paid := paid + worth(c)
          A -> B : buy ?buy
          B -> C : change !change(a) when a == paid - 60 }
        purpose two for Vend { member(change) on fired   count(2, coin) on fired }";
    let path = format!("{}/change.tw", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&path, model).expect("a file");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_tracewright"))
        .args(["gen", &path, "--json"])
        .output()
        .expect("the program starts");
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let said = answer["purposes"][0]["cases"][0]["constraints"].to_string();
    assert!(said.contains(">= 60") || said.contains("Fifty"), "{said}");
}
