//! Conformance against its definition: thousands of random pairs of small models, each judged by the program and by brute
//! force over concrete states, which shares no code with it.
//!
//! Pairs come from fixed seeds. `CONFORM_CASES` is how many, `CONFORM_FIRST` the first of them.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use tracewright::confirm::Recheck;
use tracewright::conform::{Alphabet, Conformance, Counterexample, Engine, Happened, Options, conform};
use tracewright::kernel::{Completion, StepSystem, lower};
use tracewright::model;
use tracewright::search::Limits;
use tracewright::solve::{Solver, Z3};
use tracewright::syntax::tree::Direction;
use tracewright::syntax::{FileId, Sources, parse_model_reference};
use tracewright::term::Value;

use crate::pairs::oracle::{Label, Oracle};
use crate::pairs::random::pair;
use crate::pairs::smaller::smaller;
use crate::pairs::{Completed, Event, INPUTS, OUTPUTS, Pair, Sts, Switch};

/// Longest time for one question. Most take a few milliseconds.
const LONGEST: Duration = Duration::from_secs(30);
/// Longest time for one engine alone.
const LONGEST_ALONE: Duration = Duration::from_secs(1);
/// Longest time to look for a smaller pair, and for one question about it.
const LONGEST_SHRINKING: Duration = Duration::from_secs(20);
const LONGEST_SMALLER: Duration = Duration::from_secs(2);
/// Differences after which nothing more is asked.
const ENOUGH: usize = 10;

/// How the program and the definition differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    /// The text is no model.
    Text,
    Panic,
    /// Whether the implementation takes every input.
    Enabled,
    /// No answer, or one that is not for all traces.
    Unknown,
    Verdict,
    /// The counterexample is not a shortest one.
    Length,
    /// The counterexample shows nothing.
    Counterexample,
}

struct Difference {
    about: About,
    words: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.about, self.words)
    }
}

fn differs<T>(about: About, words: impl Into<String>) -> Result<T, Difference> {
    Err(Difference { about, words: words.into() })
}

/// What was seen of a pair on which both agree.
struct Agreed {
    is_refused: bool,
    conforms: bool,
    shortest: Option<usize>,
    /// Questions without a bound that the symbolic engine alone did not decide.
    undecided: usize,
}

/// The step systems of both models.
fn systems(text: &str) -> Result<(StepSystem, StepSystem), String> {
    let (mut sources, errors) = Sources::from_text("pair.tw", text);
    if !errors.is_empty() {
        return Err(format!("{errors:?}"));
    }
    let (checked, problems) = model::check(&sources);
    if let Some(error) = problems.iter().find(|p| p.code.starts_with('E')) {
        return Err(format!("{error:?}"));
    }
    let mut system = |name: &str, file: FileId| {
        sources.add_fragment("name", name);
        let reference = parse_model_reference(file, name).expect("a name");
        let assembled = model::assemble(&checked, Some(&reference), Default::default()).expect("a sound model");
        lower(&assembled).expect("a small model")
    };
    Ok((system("Impl", FileId(1)), system("Spec", FileId(2))))
}

fn label(alphabet: &Alphabet, happened: &Happened) -> Label {
    let Happened::Label(number, data) = happened else { return Label::Delta };
    let gate = &alphabet.labels[*number];
    let number = |names: &[&str]| names.iter().position(|name| *name == gate.name).expect("a gate of the pair");
    let of = |value: &Value| match value {
        Value::Int(n) => i64::try_from(n).expect("a small number"),
        _ => panic!("only numbers are sent"),
    };
    let data = data.iter().map(of).collect();
    match gate.direction {
        Direction::In => Label::In(number(&INPUTS), data),
        Direction::Out => Label::Out(number(&OUTPUTS), data),
    }
}

/// The questions: engine and bound. Every one must be answered but those without a bound to one engine alone.
fn questions(depth: usize) -> [(Engine, Option<usize>); 4] {
    [(Engine::Symbolic, Some(depth)), (Engine::Symbolic, None), (Engine::Explicit, None), (Engine::Auto, None)]
}

/// Asks both sides with a bound and without.
fn compare(pair: &Pair, longest: Duration) -> Result<Agreed, Difference> {
    let oracle = Oracle::new(pair);
    let (implementation, specification) = systems(&pair.text()).or_else(|why| differs(About::Text, why))?;
    let Ok(alphabet) = Alphabet::new(&implementation, &specification) else {
        return differs(About::Text, "the gates do not fit");
    };
    let completion = match pair.completed {
        Completed::No => None,
        Completed::Ignores => Some(Completion::Ignore),
        Completed::Chaos => Some(Completion::Chaos),
    };
    let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
    // With completion only a state that has internal steps for ever may not take an input, and no answer is refused.
    let is_refused = pair.completed == Completed::No && !oracle.is_enabled();
    let whole = oracle.verdict(None);
    let mut undecided = 0;
    for (engine, depth) in questions(pair.depth) {
        let bound = depth.map_or("without a bound".to_owned(), |depth| format!("to depth {depth}"));
        let bound = format!("{engine:?} {bound}");
        // What one engine cannot decide soon, another one may.
        let longest = if engine == Engine::Auto { longest } else { longest.min(LONGEST_ALONE) };
        let options = Options {
            engine,
            depth,
            completion,
            is_universal: pair.is_universal,
            limits: Limits::default().within(Some(longest)),
            recheck: Recheck::Never,
            new_solver: &solver,
        };
        let asked =
            catch_unwind(AssertUnwindSafe(|| conform(&implementation, &specification, &alphabet, &options, &mut ())));
        let Ok(answer) = asked else { return differs(About::Panic, bound) };
        if answer.is_err() != is_refused {
            let says = if is_refused { "is not refused, but should be" } else { "is refused, but takes every input" };
            return differs(About::Enabled, format!("{bound} the implementation {says}"));
        }
        let Ok(answer) = answer else { continue };
        let expected = if depth.is_none() { whole.clone() } else { oracle.verdict(depth) };
        let Conformance { conforms, is_complete, reason, .. } = &answer;
        let is_undecided = conforms.is_none() || (depth.is_none() && !is_complete);
        if is_undecided && depth.is_none() && engine != Engine::Auto {
            undecided += usize::from(engine == Engine::Symbolic);
            continue;
        }
        if is_undecided {
            let known = format!("conforms is {conforms:?} to depth {} ({reason:?})", answer.depth);
            return differs(About::Unknown, format!("{bound} {known}, should be {}", expected.conforms));
        }
        let found = answer.counterexample.as_ref().map(|Counterexample { trace, observed, .. }| {
            let trace: Vec<Label> = trace.iter().map(|happened| label(&alphabet, happened)).collect();
            (trace, label(&alphabet, observed))
        });
        if *conforms != Some(expected.conforms) || found.is_some() == expected.conforms {
            let known = format!("conforms is {conforms:?} with counterexample {found:?}");
            return differs(About::Verdict, format!("{bound} {known}, should be {:?}", expected.counterexample));
        }
        if expected.conforms && *is_complete && !whole.conforms {
            return differs(About::Verdict, format!("{bound} complete, but there is {:?}", whole.counterexample));
        }
        if let Some((trace, observed)) = &found {
            if let Err(why) = oracle.confirm(trace, observed) {
                return differs(About::Counterexample, format!("{bound} {trace:?}, then {observed:?}: {why}"));
            }
            if expected.shortest != Some(trace.len()) || answer.depth != trace.len() {
                let known = format!("{trace:?}, then {observed:?} at depth {}", answer.depth);
                return differs(About::Length, format!("{bound} {known}, should be {:?}", expected.counterexample));
            }
        }
    }
    Ok(Agreed { is_refused, conforms: whole.conforms, shortest: whole.shortest, undecided })
}

/// The smallest pair found on which both still differ in this way.
fn shrunk(mut pair: Pair, mut difference: Difference) -> (Pair, Difference) {
    let start = Instant::now();
    'again: loop {
        for candidate in smaller(&pair) {
            if start.elapsed() > LONGEST_SHRINKING {
                break 'again;
            }
            match compare(&candidate, LONGEST_SMALLER) {
                Err(still) if still.about == difference.about => {
                    (pair, difference) = (candidate, still);
                    continue 'again;
                }
                _ => {}
            }
        }
        break;
    }
    (pair, difference)
}

/// How often what occurs.
#[derive(Debug, Default)]
struct Mix {
    refused: usize,
    conforming: usize,
    wrong: usize,
    /// Wrong ones that need a trace of at least two steps.
    wrong_later: usize,
    /// Conforming and wrong ones with chaos, without completion, and with uioco.
    chaos: [usize; 2],
    not_completed: [usize; 2],
    universal: [usize; 2],
    /// Pairs with an internal step in the specification.
    internal: usize,
    /// Pairs that the symbolic engine alone did not decide for all traces.
    undecided: usize,
}

#[test]
fn the_program_and_the_definition_agree() {
    let number =
        |name: &str, otherwise: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise);
    let (first, cases) = (number("CONFORM_FIRST", 0), number("CONFORM_CASES", 2_000));
    let mut mix = Mix::default();
    let mut differences = vec![];
    for seed in first..first + cases {
        let pair = pair(seed);
        match compare(&pair, LONGEST) {
            Ok(Agreed { is_refused: true, .. }) => mix.refused += 1,
            Ok(Agreed { conforms, shortest, undecided, .. }) => {
                mix.undecided += undecided;
                mix.conforming += usize::from(conforms);
                mix.wrong += usize::from(!conforms);
                mix.wrong_later += usize::from(shortest.is_some_and(|shortest| shortest >= 2));
                let at = usize::from(!conforms);
                mix.chaos[at] += usize::from(pair.completed == Completed::Chaos);
                mix.not_completed[at] += usize::from(pair.completed == Completed::No);
                mix.universal[at] += usize::from(pair.is_universal);
                mix.internal += usize::from(pair.specification.switches.iter().any(|s| s.event == Event::Tau));
            }
            Err(difference) => {
                let (pair, difference) = shrunk(pair, difference);
                differences.push(format!("seed {seed}, {difference}\n{}", pair.described()));
                if differences.len() == ENOUGH {
                    break;
                }
            }
        }
    }
    assert!(differences.is_empty(), "{} differences\n\n{}", differences.len(), differences.join("\n"));
    println!("{cases} pairs: {mix:?}");
    // A few pairs say nothing about the mix.
    if cases >= 1_000 {
        let (all, asked) = (cases as usize, mix.conforming + mix.wrong);
        assert!(mix.conforming * 10 >= asked * 3 && mix.wrong * 10 >= asked * 3, "{mix:?}");
        assert!(mix.wrong_later * 20 >= asked, "{mix:?}");
        assert!(mix.undecided * 20 <= asked, "{mix:?}");
        assert!(mix.refused * 50 >= all && mix.internal * 4 >= asked, "{mix:?}");
        let rare = [mix.chaos, mix.not_completed, mix.universal].concat();
        assert!(rare.iter().all(|count| count * 50 >= all), "{mix:?}");
    }
}

/// A model without data, from its switches: source, event, target.
fn plain(inputs: usize, outputs: usize, locations: usize, switches: &[(usize, Event, usize)]) -> Sts {
    let switch = |&(source, event, target): &(usize, Event, usize)| Switch {
        source,
        target,
        event,
        arguments: vec![],
        guard: None,
        updates: vec![],
    };
    Sts {
        inputs: vec![vec![]; inputs],
        outputs: vec![vec![]; outputs],
        locations,
        variables: vec![],
        switches: switches.iter().map(switch).collect(),
        undeclared: vec![],
    }
}

/// Pairs with a known verdict, judged by brute force and by the program.
fn is_known(implementation: Sts, specification: Sts, is_universal: bool, shortest: Option<usize>) {
    let pair = Pair { implementation, specification, completed: Completed::Ignores, is_universal, depth: 3 };
    let verdict = Oracle::new(&pair).verdict(None);
    assert_eq!(verdict.shortest, shortest, "{:?}\n{}", verdict.counterexample, pair.described());
    if let Err(difference) = compare(&pair, LONGEST) {
        panic!("{difference}\n{}", pair.described());
    }
}

#[test]
fn silence_between_inputs_counts() {
    use Event::{In, Out};
    let specification = plain(
        1,
        3,
        6,
        &[(0, In(0), 1), (0, In(0), 2), (1, In(0), 3), (3, Out(0), 5), (2, Out(1), 5), (2, In(0), 4), (4, Out(2), 5)],
    );
    let implementation = |last: usize| plain(1, 3, 4, &[(0, In(0), 1), (1, In(0), 2), (2, Out(last), 3)]);
    // Only after silence is it known which of the two inputs was taken.
    is_known(implementation(2), specification.clone(), false, Some(3));
    is_known(implementation(0), specification, false, None);
}

#[test]
fn refused_inputs_count_for_ioco_only() {
    use Event::{In, Out};
    let specification = plain(1, 2, 4, &[(0, In(0), 1), (0, In(0), 2), (1, In(0), 3), (3, Out(0), 3)]);
    let implementation = plain(1, 2, 3, &[(0, In(0), 1), (1, In(0), 2), (2, Out(1), 2)]);
    is_known(implementation.clone(), specification.clone(), false, Some(2));
    is_known(implementation, specification, true, None);
}
