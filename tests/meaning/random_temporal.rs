//! Runs for random temporal formulas, against all runs of a small model and an evaluation of formulas that shares no code with
//! the program: positions and values are tried one by one. What `gen` finds is judged by `monitor` as well.

use std::cell::RefCell;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tracewright::emit::run_json;
use tracewright::kernel::{Entry, LogEvent, LogNames, LogReader, Run, StepSystem};
use tracewright::monitor::{self, Monitoring, Verdict};
use tracewright::solve::{Solver, Z3};
use tracewright::synth::{Answer, Engine, Options, answer};
use tracewright::term::Value;

use crate::questions::asked;

const MODEL: &str = "
sts M {
  in a(x: 0..2), b(x: 0..2)
  out c()
  initial location L0
  location L1
  L0 -> L1 : ?a(x)
  L1 -> L1 : ?a(x) when x > 0
  L1 -> L0 : ?b(x)
  L0 -> L0 : !c
}
";

/// A step: the gate, its data, and the location after it.
type Step = (char, i64, usize);

/// What the model can do, written down once more.
fn steps(at: usize) -> Vec<Step> {
    match at {
        0 => (0..3).map(|x| ('a', x, 1)).chain([('c', 0, 0)]).collect(),
        _ => (1..3).map(|x| ('a', x, 1)).chain((0..3).map(|x| ('b', x, 0))).collect(),
    }
}

fn runs(length: usize) -> Vec<Vec<Step>> {
    let mut all = vec![vec![]];
    for _ in 0..length {
        let longer = |run: &Vec<Step>| {
            let at = run.last().map_or(0, |step| step.2);
            let run = run.clone();
            steps(at).into_iter().map(move |step| [&run[..], &[step]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

#[derive(Clone, Debug)]
enum F {
    /// An event, whatever its data.
    Gate(char),
    /// An event with the value of a variable.
    Of(char, usize),
    /// An event with a value.
    With(char, i64),
    State(usize),
    Not(Box<F>),
    One(&'static str, Box<F>),
    Two(&'static str, Box<F>, Box<F>),
}

impl F {
    fn text(&self) -> String {
        match self {
            F::Gate(gate) => gate.to_string(),
            F::Of(gate, variable) => format!("{gate}({})", ["x", "y"][*variable]),
            F::With(gate, value) => format!("{gate}({value})"),
            F::State(state) => format!("state == L{state}"),
            F::Not(f) => format!("!({})", f.text()),
            F::One(op, f) => format!("{op} ({})", f.text()),
            F::Two(op, f, g) => format!("({}) {op} ({})", f.text(), g.text()),
        }
    }

    /// The same with the first variable wherever there is the second one.
    fn with_one_variable(self) -> F {
        match self {
            F::Of(gate, _) => F::Of(gate, 0),
            F::Not(f) => F::Not(Box::new(f.with_one_variable())),
            F::One(op, f) => F::One(op, Box::new(f.with_one_variable())),
            F::Two(op, f, g) => F::Two(op, Box::new(f.with_one_variable()), Box::new(g.with_one_variable())),
            other => other,
        }
    }

    fn holds(&self, run: &[Step], at: usize, values: [i64; 2]) -> bool {
        let n = run.len();
        let is = |f: &F, at: usize| f.holds(run, at, values);
        match self {
            F::Gate(gate) => run[at].0 == *gate,
            F::Of(gate, variable) => run[at].0 == *gate && run[at].1 == values[*variable],
            F::With(gate, value) => run[at].0 == *gate && run[at].1 == *value,
            F::State(state) => run[at].2 == *state,
            F::Not(f) => !is(f, at),
            F::One(op, f) => match *op {
                "X" => at + 1 < n && is(f, at + 1),
                "WX" => at + 1 >= n || is(f, at + 1),
                "eventually" => (at..n).any(|i| is(f, i)),
                "always" => (at..n).all(|i| is(f, i)),
                "never" => (at..n).all(|i| !is(f, i)),
                "Y" => at > 0 && is(f, at - 1),
                "Z" => at == 0 || is(f, at - 1),
                "once" => (0..=at).any(|i| is(f, i)),
                "H" => (0..=at).all(|i| is(f, i)),
                other => panic!("{other}"),
            },
            F::Two(op, f, g) => match *op {
                "&&" => is(f, at) && is(g, at),
                "||" => is(f, at) || is(g, at),
                "->" => !is(f, at) || is(g, at),
                "until" => (at..n).any(|i| is(g, i) && (at..i).all(|j| is(f, j))),
                "W" => (at..n).all(|i| is(f, i)) || (at..n).any(|i| is(g, i) && (at..i).all(|j| is(f, j))),
                "R" => (at..n).all(|i| is(g, i) || (at..i).any(|j| is(f, j))),
                "since" => (0..=at).any(|i| is(g, i) && (i + 1..=at).all(|j| is(f, j))),
                other => panic!("{other}"),
            },
        }
    }
}

/// A formula with its variables: how they are bound, and the values that are tried for each. One that no step shows stands for
/// all others, and where there are two variables, two of them.
#[derive(Clone, Debug)]
struct Asked {
    bound: (&'static str, bool, [&'static [i64]; 2]),
    body: F,
}

impl Asked {
    fn holds(&self, run: &[Step]) -> bool {
        let (_, for_all, [x, y]) = self.bound;
        let mut pairs = x.iter().flat_map(|x| y.iter().map(move |y| [*x, *y]));
        let is = |values: [i64; 2]| self.body.holds(run, 0, values);
        if for_all { pairs.all(is) } else { pairs.any(is) }
    }
}

fn formula() -> impl Strategy<Value = Asked> {
    let leaf = prop_oneof![
        2 => prop::sample::select(vec!['a', 'b', 'c']).prop_map(F::Gate),
        5 => (prop::sample::select(vec!['a', 'b']), 0usize..2).prop_map(|(gate, variable)| F::Of(gate, variable)),
        1 => (prop::sample::select(vec!['a', 'b']), 0i64..3).prop_map(|(gate, value)| F::With(gate, value)),
        1 => (0usize..2).prop_map(F::State),
    ];
    let one = prop::sample::select(vec!["X", "WX", "eventually", "always", "never", "Y", "Z", "once", "H"]);
    let two = prop::sample::select(vec!["&&", "||", "->", "until", "W", "R", "since"]);
    let body = leaf.prop_recursive(4, 8, 2, move |inner| {
        prop_oneof![
            inner.clone().prop_map(|f| F::Not(Box::new(f))),
            (one.clone(), inner.clone()).prop_map(|(op, f)| F::One(op, Box::new(f))),
            (two.clone(), inner.clone(), inner).prop_map(|(op, f, g)| F::Two(op, Box::new(f), Box::new(g))),
        ]
    });
    let (all, few, large) = (&[0, 1, 2, 98, 99][..], &[0, 1][..], &[1, 2, 99][..]);
    // The second variable is the first one where only one is bound.
    let bound = prop::sample::select(vec![
        ("for all x in Int:", true, [all, &[]]),
        ("some x in Int:", false, [all, &[]]),
        ("for all x in 0..1:", true, [few, &[]]),
        ("some x in 0..1:", false, [few, &[]]),
        ("for all x in 1..1000:", true, [large, &[]]),
        ("for all x in 0..1, y in 0..1:", true, [few, few]),
        ("some x in Int, y in Int:", false, [all, all]),
        ("some x in 0..1, y in 1..9:", false, [few, &[1, 2, 9]]),
    ]);
    (bound, body).prop_map(|(mut bound, body)| {
        if !bound.2[1].is_empty() {
            return Asked { bound, body };
        }
        bound.2[1] = &[0];
        Asked { bound, body: body.with_one_variable() }
    })
}

fn taken(run: &Run, system: &StepSystem) -> Vec<Step> {
    let step = |step: &tracewright::kernel::Step| {
        let gate = system.joints[step.joint].gate.map(|gate| &system.gates[gate].name).expect("a gate");
        let value = match step.data.first() {
            Some(Value::Int(value)) => i64::try_from(value).expect("small"),
            _ => 0,
        };
        (gate.chars().next().expect("a name"), value, step.next.control[0] as usize)
    };
    run.steps.iter().map(step).collect()
}

/// What `monitor` says of a run that has ended, given as a log.
fn monitored(run: &Run, asked: &tracewright::synth::Asked) -> Verdict {
    let json = run_json(run, &asked.system);
    let lines = json["steps"].as_array().expect("steps").iter().map(|step| format!("{step}\n"));
    let log = lines.chain(["{\"stop\": true}\n".to_owned()]).collect::<String>();
    let names = LogNames::new(&asked.system);
    let mut reader = LogReader::json(&names, log.as_bytes());
    let options = monitor::Options { is_informative: false, max_open: 1_000, model: None };
    let mut monitoring = Monitoring::new(&asked.system, &asked.lists, std::slice::from_ref(asked), &options);
    let mut event = LogEvent::default();
    loop {
        match reader.next(&mut event).expect("a sound log") {
            None => return monitoring.finish().purposes[0].verdict,
            Some(Entry::Event) => monitoring.event(&event, reader.line()),
            Some(Entry::Initial(initial)) => monitoring.begin(&initial),
            Some(Entry::Stop) => monitoring.stop(reader.line()),
        }
    }
}

const LONGEST: usize = 4;

#[test]
fn runs_for_formulas_are_those_of_the_definition() {
    let cases = std::env::var("TEMPORAL_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(250);
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let all: Vec<Vec<Vec<Step>>> = (1..=LONGEST).map(runs).collect();
    let answers = RefCell::new([0; 2]);
    let engine = prop::sample::select(vec![Engine::Auto, Engine::Symbolic, Engine::Explicit, Engine::Unrolled]);
    let result = runner.run(&(formula(), any::<bool>(), engine), |(formula, is_negated, engine)| {
        // What is to hold for all values of two variables is followed only where these are few.
        let is_negated = is_negated && !(formula.bound.0.starts_with("some") && formula.bound.0.contains('y'));
        let not = if is_negated { "not " } else { "" };
        let text = format!(
            "{MODEL}purpose p for M {{ length > 0   length <= {LONGEST}   {not}formula {{ {} {} }} }}\n",
            formula.bound.0,
            formula.body.text()
        );
        let asked = asked(&text);
        let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
        // An open number is nothing to be listed.
        let is_open = formula.bound.0.starts_with("some x in Int") && !is_negated;
        let engine = if is_open && engine == Engine::Explicit { Engine::Auto } else { engine };
        let options = Options { engine, ..Options::new(&solver) };
        let answered = answer(&asked.system, &asked.lists, &asked.purpose, &options, &mut ()).expect("no disagreement");
        let meets = |run: &Vec<Step>| formula.holds(run) != is_negated;
        let shortest = all.iter().position(|runs| runs.iter().any(meets)).map(|place| place + 1);
        match answered.answer {
            Answer::Found => {
                let run = taken(&answered.cases[0].run, &asked.system);
                prop_assert_eq!(Some(run.len()), shortest, "{}", text);
                prop_assert!(meets(&run), "{:?}\n{}", run, text);
                let verdict = monitored(&answered.cases[0].run, &asked);
                prop_assert_eq!(verdict, Verdict::Holds, "{:?}\n{}", run, text);
                answers.borrow_mut()[0] += 1;
            }
            Answer::Impossible => {
                prop_assert_eq!(shortest, None, "{}", text);
                answers.borrow_mut()[1] += 1;
            }
            other => prop_assert!(false, "{other:?} {:?}\n{}", answered.reason, text),
        }
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    let [found, impossible] = answers.into_inner();
    assert!(found > cases as usize / 4 && impossible > 5, "{found} found, {impossible} impossible");
}
