//! One question: what the program says, and what the definition says.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use fastrand::Rng;
use tracewright::confirm::Recheck;
use tracewright::conform::{Alphabet, Engine, Happened, Options, conform};
use tracewright::kernel::Completion;
use tracewright::search::Limits;
use tracewright::solve::{Solver, Z3};
use tracewright::term::Value;

use super::lockstep::Component;
use super::models::*;
use super::steps::{label, rows, unfolded};
use crate::loaded;
use crate::pairs::Completed;
use crate::pairs::oracle::{Label, Lts, Oracle};

/// Longest time for one question, and for one engine alone.
const LONGEST: Duration = Duration::from_secs(5);
const LONGEST_ALONE: Duration = Duration::from_millis(200);
/// Longest time to look for a smaller question.
const LONGEST_SHRINKING: Duration = Duration::from_secs(40);

/// Two models.
#[derive(Clone, Debug)]
pub enum Models {
    Gates { gates: Gates, implementation: Model, specification: Model },
    Lockstep { implementation: Component, specification: Component },
}

/// The gates of both models: they differ in the types of what they carry.
#[derive(Clone, Debug)]
pub struct Gates {
    implementation: Vec<Gate>,
    specification: Vec<Gate>,
}

impl Gates {
    /// The same gates on both sides, with other types of numbers on one of them now and then.
    fn random(gates: Vec<Gate>, random: &mut Rng) -> Gates {
        let mut both = Gates { implementation: gates.clone(), specification: gates };
        if random.usize(..3) == 0 {
            let side = if random.bool() { &mut both.implementation } else { &mut both.specification };
            let numbers = side.iter_mut().flat_map(|gate| &mut gate.params).filter_map(|ty| match ty {
                Ty::Int(top) => Some(top),
                _ => None,
            });
            if let Some(top) = random.choice(numbers.collect::<Vec<_>>()) {
                // Without any number in it, too.
                *top = random.i64(-1..=2);
            }
        }
        both
    }

    /// All data that a gate carries on one side or the other.
    fn rows(&self, gate: usize) -> Vec<Vec<V>> {
        let mut all = rows(&self.implementation[gate].params);
        all.extend(rows(&self.specification[gate].params));
        all.sort();
        all.dedup();
        all
    }
}

/// A question.
#[derive(Clone, Debug)]
pub struct Asked {
    pub models: Models,
    pub completed: Completed,
    pub is_universal: bool,
    pub depth: usize,
}

/// What was asked about.
#[derive(Debug, Default)]
pub struct Seen {
    pub conforming: u64,
    pub wrong: u64,
    pub refused: u64,
    /// With hidden steps that may go on for ever.
    pub endless: u64,
    /// Where the specification may be in several places at once.
    pub several: u64,
    pub universal: u64,
    pub lockstep: u64,
    pub too_large: u64,
    /// Not decided by default.
    pub unknown: u64,
    /// Proved and not decided by each engine alone.
    pub alone: [[u64; 2]; 3],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    Panic,
    Refused,
    Verdict,
    Counterexample,
    Length,
}

#[derive(Debug)]
pub struct Difference {
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

impl Asked {
    pub fn random(seed: u64) -> Asked {
        let mut random = Rng::with_seed(seed);
        let completed = match random.usize(..8) {
            0..=1 => Completed::No,
            2 => Completed::Chaos,
            _ => Completed::Ignores,
        };
        let is_universal = random.usize(..4) == 0;
        let depth = random.usize(..5);
        let models = match random.usize(..6) {
            0 => Asked::lockstep(&mut random),
            _ => Asked::gates(&mut random, completed),
        };
        Asked { models, completed, is_universal, depth }
    }

    fn gates(random: &mut Rng, completed: Completed) -> Models {
        let machines = if random.usize(..3) == 0 { 2 } else { 1 };
        let meets = machines == 2 && random.usize(..3) > 0;
        let mut gates = vec![];
        for number in 0..random.usize(2..=4) {
            let is_input = number == 0 || (number > 1 && random.bool());
            let params = (0..[0, 0, 1, 1, 2][random.usize(..5)])
                .map(|_| [Ty::Int(1), Ty::Int(1), Ty::Int(2), Ty::Option][random.usize(..4)]);
            gates.push(Gate { is_input, params: params.collect(), owner: random.usize(..machines) });
        }
        let mut maker = Maker { random, gates };
        let mut specification = maker.model(machines, meets);
        let mut implementation = specification.clone();
        match maker.random.usize(..10) {
            0 => {}
            1..=3 => (0..maker.random.usize(1..=3)).for_each(|_| maker.make_less(&mut implementation)),
            4..=5 => (0..maker.random.usize(1..=3)).for_each(|_| maker.make_more(&mut specification)),
            6..=8 => (0..maker.random.usize(1..=2)).for_each(|_| maker.change(&mut implementation)),
            _ => implementation = maker.model(machines, meets),
        }
        if completed == Completed::No && maker.random.usize(..5) > 0 {
            maker.enable(&mut implementation);
        }
        let Maker { random, gates } = maker;
        Models::Gates { gates: Gates::random(gates, random), implementation, specification }
    }

    fn lockstep(random: &mut Rng) -> Models {
        let specification = Component::random(random);
        let mut implementation = specification.clone();
        let mut specification = specification;
        match random.usize(..4) {
            0 => {}
            1 => implementation.change(random),
            2 => specification.add(random),
            _ => {
                implementation.change(random);
                specification.add(random);
            }
        }
        Models::Lockstep { implementation, specification }
    }

    fn text(&self) -> String {
        match &self.models {
            Models::Gates { gates, implementation, specification } => {
                // A range that is empty as written would be an error.
                let declared = "const NONE = 0\n".to_owned() + &implementation.text("Impl", &gates.implementation);
                declared + &specification.text("Spec", &gates.specification)
            }
            Models::Lockstep { implementation, specification } => {
                implementation.text("Impl") + &specification.text("Spec")
            }
        }
    }

    pub fn described(&self) -> String {
        let relation = if self.is_universal { "uioco" } else { "ioco" };
        format!("{relation}, completed: {:?}, depth {}\n{}", self.completed, self.depth, self.text())
    }

    /// Both models as states and steps, with all data of inputs, and of outputs in chaos; none if that is too much.
    fn meaning(&self) -> Option<(Lts, Lts, Vec<Label>, Vec<Label>)> {
        match &self.models {
            Models::Gates { gates, implementation, specification } => {
                let (mut inputs, mut outputs) = (vec![], vec![]);
                for (number, gate) in gates.implementation.iter().enumerate() {
                    let labels = |rows: Vec<Vec<V>>| {
                        rows.into_iter().map(|data| label(&gates.implementation, number, &data)).collect::<Vec<_>>()
                    };
                    match gate.is_input {
                        true => inputs.extend(labels(gates.rows(number))),
                        // Chaos sends anything that its own gates carry.
                        false => outputs.extend(labels(rows(&gate.params))),
                    }
                }
                let ours = unfolded(implementation, &gates.implementation)?;
                Some((ours, unfolded(specification, &gates.specification)?, inputs, outputs))
            }
            Models::Lockstep { implementation, specification } => {
                Some((implementation.unfolded()?, specification.unfolded()?, Component::inputs(), vec![]))
            }
        }
    }

    /// A label of the program.
    fn label(&self, alphabet: &Alphabet, happened: &Happened) -> Label {
        let Happened::Label(number, data) = happened else { return Label::Delta };
        let data: Vec<i64> = data.iter().map(number_of).collect();
        let label = &alphabet.labels[*number];
        match &self.models {
            Models::Gates { gates: Gates { implementation: gates, .. }, .. } => {
                let gate = (0..gates.len()).find(|gate| gates[*gate].name(*gate) == label.name).expect("a gate");
                if !gates[gate].is_input {
                    return Label::Out(gate, data);
                }
                Label::In(gate, data)
            }
            Models::Lockstep { .. } => match label.direction {
                tracewright::syntax::tree::Direction::In => Label::In(0, data),
                tracewright::syntax::tree::Direction::Out => Label::Out(0, data),
            },
        }
    }

    fn smaller(&self) -> Vec<Asked> {
        let mut out = vec![];
        if let Models::Gates { gates, implementation, specification } = &self.models {
            // The same change of both, then of each.
            let of = |implementation: &Model, specification: &Model| Asked {
                models: Models::Gates {
                    gates: gates.clone(),
                    implementation: implementation.clone(),
                    specification: specification.clone(),
                },
                ..self.clone()
            };
            out.extend(implementation.smaller().iter().map(|less| of(less, specification)));
            out.extend(specification.smaller().iter().map(|less| of(implementation, less)));
            for same in [&gates.implementation, &gates.specification] {
                if gates.implementation != gates.specification {
                    let gates = Gates { implementation: same.clone(), specification: same.clone() };
                    let models = Models::Gates {
                        gates,
                        implementation: implementation.clone(),
                        specification: specification.clone(),
                    };
                    out.push(Asked { models, ..self.clone() });
                }
            }
        }
        if let Models::Lockstep { implementation, specification } = &self.models {
            let of = |implementation: &Component, specification: &Component| Asked {
                models: Models::Lockstep {
                    implementation: implementation.clone(),
                    specification: specification.clone(),
                },
                ..self.clone()
            };
            out.extend(implementation.smaller().iter().map(|less| of(less, specification)));
            out.extend(specification.smaller().iter().map(|less| of(implementation, less)));
        }
        if self.is_universal {
            out.push(Asked { is_universal: false, ..self.clone() });
        }
        if self.completed == Completed::Chaos {
            out.push(Asked { completed: Completed::Ignores, ..self.clone() });
        }
        out
    }
}

fn number_of(value: &Value) -> i64 {
    match value {
        // All data outside of the types is alike.
        Value::Int(n) => i64::try_from(n).expect("a small number"),
        Value::Absent => -1,
        Value::Data(_, _, fields) => fields.first().map_or(-1, number_of),
        other => panic!("{other:?} is not sent"),
    }
}

/// Asks every engine, and compares with the definition.
pub fn compare(asked: &Asked, seen: &mut Seen) -> Result<(), Difference> {
    let Some((ours, theirs, inputs, outputs)) = asked.meaning() else {
        seen.too_large += 1;
        return Ok(());
    };
    let is_endless = |lts: &Lts| (0..lts.internal.len()).any(|state| lts.is_endless(state));
    seen.endless += u64::from(is_endless(&ours) || is_endless(&theirs));
    seen.universal += u64::from(asked.is_universal);
    seen.lockstep += u64::from(matches!(asked.models, Models::Lockstep { .. }));
    let branches = |lts: &Lts| lts.steps.iter().flat_map(|steps| steps.values()).any(|all| all.len() > 1);
    seen.several += u64::from(branches(&theirs) || theirs.internal.iter().any(|all| !all.is_empty()));
    let oracle = Oracle::of((ours, theirs), inputs, &outputs, asked.completed, asked.is_universal);
    let is_refused = asked.completed == Completed::No && !oracle.is_enabled();
    let whole = oracle.verdict(None);
    match (is_refused, whole.conforms) {
        (true, _) => seen.refused += 1,
        (_, true) => seen.conforming += 1,
        (_, false) => seen.wrong += 1,
    }
    let text = asked.text();
    let (implementation, specification) = (loaded::system(&text, "Impl"), loaded::system(&text, "Spec"));
    let alphabet = Alphabet::new(&implementation, &specification).expect("the gates are the same");
    let completion = match asked.completed {
        Completed::No => None,
        Completed::Ignores => Some(Completion::Ignore),
        Completed::Chaos => Some(Completion::Chaos),
    };
    let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
    let all = [
        (Engine::Auto, None),
        (Engine::Symbolic, None),
        (Engine::Explicit, None),
        (Engine::Induction, None),
        (Engine::Auto, Some(asked.depth)),
        (Engine::Symbolic, Some(asked.depth)),
    ];
    for (number, (engine, depth)) in all.into_iter().enumerate() {
        // Slow, and seldom an answer of its own.
        if engine == Engine::Induction && asked.depth > 0 {
            continue;
        }
        let said = format!("{engine:?} to depth {depth:?}");
        let longest = if engine == Engine::Auto { LONGEST } else { LONGEST_ALONE };
        let options = Options {
            engine,
            depth,
            completion,
            is_universal: asked.is_universal,
            limits: Limits::default().within(Some(longest)),
            recheck: Recheck::Never,
            new_solver: &solver,
        };
        let answer =
            catch_unwind(AssertUnwindSafe(|| conform(&implementation, &specification, &alphabet, &options, &mut ())));
        let Ok(answer) = answer else { return differs(About::Panic, said) };
        let Ok(answer) = answer else {
            if !is_refused {
                return differs(About::Refused, format!("{said} an input is refused, but all are taken: {answer:?}"));
            }
            continue;
        };
        if is_refused {
            if answer.conforms.is_some() {
                return differs(About::Refused, format!("{said} no input is refused, but one is"));
            }
            continue;
        }
        let expected = if depth.is_none() { whole.clone() } else { oracle.verdict(depth) };
        let is_decided = match answer.conforms {
            Some(true) => answer.is_complete || depth.is_some_and(|depth| answer.depth >= depth),
            Some(false) => true,
            None => false,
        };
        if number == 0 {
            seen.unknown += u64::from(!is_decided);
        } else if number < 4 {
            seen.alone[number - 1][usize::from(!is_decided)] += 1;
        }
        if answer.conforms == Some(true) {
            // It holds as far as it says.
            let truth = if answer.is_complete { whole.clone() } else { oracle.verdict(Some(answer.depth)) };
            if !truth.conforms {
                return differs(About::Verdict, format!("{said} conforms, but there is {:?}", truth.counterexample));
            }
        }
        if answer.conforms == Some(false) {
            let Some(found) = &answer.counterexample else {
                return differs(About::Counterexample, format!("{said} does not conform, without an example"));
            };
            let read = |happened: &Happened| asked.label(&alphabet, happened);
            let trace: Vec<Label> = found.trace.iter().map(read).collect();
            let observed = read(&found.observed);
            if expected.conforms {
                return differs(About::Verdict, format!("{said} does not conform: {trace:?}, then {observed:?}"));
            }
            if let Err(why) = oracle.confirm(&trace, &observed) {
                return differs(About::Counterexample, format!("{said} {trace:?}, then {observed:?}: {why}"));
            }
            // Of parts, and after what could not be confirmed, it may be another one.
            if expected.shortest != Some(trace.len()) {
                let known = format!("{said} {trace:?}, then {observed:?}, should be {:?}", expected.counterexample);
                return differs(About::Length, known);
            }
        }
    }
    Ok(())
}

/// The smallest question on which both still differ.
pub fn shrunk(mut asked: Asked, mut difference: Difference) -> (Asked, Difference) {
    let start = Instant::now();
    'again: loop {
        for candidate in asked.smaller() {
            if start.elapsed() > LONGEST_SHRINKING {
                break 'again;
            }
            if let Err(still) = compare(&candidate, &mut Seen::default())
                && still.about == difference.about
            {
                (asked, difference) = (candidate, still);
                continue 'again;
            }
        }
        break;
    }
    (asked, difference)
}
