//! Every proof about a small model is confirmed, and nothing that exists is confirmed not to: what engines prove against the
//! plain walk of the reference interpreter, in both directions.
//!
//! Types may be empty or have one value, lists grow longer than 4 and data deeper than 3, functions are partial.

use std::time::{Duration, Instant};

use tracewright::confirm::{Beyond, Confirmation, Recheck, walk};
use tracewright::conform::{self, Alphabet, NotCompared, conform};
use tracewright::history::Purpose;
use tracewright::kernel::{Completion, StepSystem};
use tracewright::search::{Limits, Question};
use tracewright::solve::{Solver, Z3};
use tracewright::synth::{
    Answer, Asked, CoverOptions, Engine, Minimise, Options, Status, Verdict, answer, cover, property,
};

use super::machines::{Data, Machine};
use super::random::{Random, Ty};
use super::{kept, questions, seed};
use crate::{loaded, questions as texts};

/// Longest time for one question; what takes longer is unknown.
const LONGEST: Duration = Duration::from_secs(2);
/// Pieces of a purpose or a property.
const ENGINES: [Engine; 5] = [Engine::Auto, Engine::Symbolic, Engine::Explicit, Engine::Unrolled, Engine::Induction];

fn limits() -> Limits {
    Limits::default().within(Some(LONGEST))
}

fn solver() -> Box<dyn Solver> {
    Box::new(Z3::new(0))
}

/// What is wrong with an answer; the text that shows it.
type Wrong = Option<String>;

/// A machine with a question about it.
struct Case {
    machine: Machine,
    /// Constraints, or the condition of a property.
    parts: Vec<String>,
    is_property: bool,
    engine: Engine,
    data: Data,
}

impl Case {
    fn random(seed: u64) -> Case {
        let mut random = Random::new(seed);
        let data = if random.rarely(4) { Data::Wide } else { Data::Small };
        let machine = Machine::random(&mut random, data);
        let is_property = random.rarely(3);
        let scope = machine.scope();
        let condition = |random: &mut Random| {
            let depth = random.rng.usize(1..3);
            // A condition of a rule is about a list.
            format!("v0 == v0 && {}", random.expr(&Ty::Bool, &scope, depth))
        };
        let mut parts = vec![];
        if is_property {
            let operator = *random.one(&["always", "never"]);
            parts.push(format!("{operator} ({})", condition(&mut random)));
        } else {
            for _ in 0..random.rng.usize(1..4) {
                let state = random.rng.usize(..machine.locations);
                let fired = random.rng.usize(..machine.switches.len());
                parts.push(match random.rng.usize(..8) {
                    0 => format!("last({}) == true", condition(&mut random)),
                    1 | 2 => format!("member({})", condition(&mut random)),
                    3 => format!("never({})", condition(&mut random)),
                    4 => format!("last(state) == L{state}"),
                    5 => format!("member(fired, t{fired})"),
                    6 => format!("count(fired, {}, t{fired})", random.rng.usize(..4)),
                    _ => format!("length <= {}", random.rng.usize(..8)),
                });
            }
        }
        let machine = Machine { declarations: random.declarations(), ..machine };
        Case { machine, parts, is_property, engine: *random.one(&ENGINES), data }
    }

    fn text(&self) -> String {
        let kind = if self.is_property { "property" } else { "purpose" };
        format!("{}{kind} p for M {{ {} }}\n", self.machine.text(), self.parts.join("  "))
    }

    fn smaller(&self) -> Vec<Case> {
        let with = |machine: Machine, parts: Vec<String>| Case { machine, parts, ..*self };
        let mut out: Vec<Case> = vec![];
        for part in 0..self.parts.len() {
            if self.parts.len() > 1 {
                let mut parts = self.parts.clone();
                parts.remove(part);
                out.push(with(self.machine.clone(), parts));
            }
        }
        // Names of switches change when one is left out.
        let machines = self.machine.smaller().into_iter().filter(|m| m.switches.len() == self.machine.switches.len());
        out.extend(machines.map(|machine| with(machine, self.parts.clone())));
        out
    }

    fn wrong(&self) -> Wrong {
        let asked = texts::asked(&self.text());
        let options =
            Options { engine: self.engine, limits: limits(), recheck: Recheck::Small, ..Options::new(&solver) };
        if self.is_property {
            of_property(&asked, &options, self.data)
        } else {
            of_purpose(&asked, &options, self.data)
        }
    }
}

fn of_purpose(asked: &Asked, options: &Options<'_>, data: Data) -> Wrong {
    let Asked { system, lists, purpose } = asked;
    let answered = match answer(system, lists, purpose, options, &mut ()) {
        Ok(answered) => answered,
        Err(disagreement) => return Some(disagreement.to_string()),
    };
    match answered.answer {
        Answer::Impossible => unconfirmed(&answered.confirmation, data),
        // The walk must not confirm that there is none of what there is.
        Answer::Found => {
            let all: Vec<usize> = (0..purpose.constraints.len()).collect();
            confirms_too_much(asked, purpose, &all)
        }
        _ => None,
    }
}

fn confirms_too_much(asked: &Asked, purpose: &Purpose, constraints: &[usize]) -> Wrong {
    let monitor = purpose.monitor(constraints, None);
    let question = Question { system: &asked.system, lists: &asked.lists, monitor: &monitor };
    match walk(question, purpose.lengths(), Recheck::Small, &Limits::default()) {
        Ok(Confirmation::Confirmed { states }) => Some(format!("the walk through {states} states misses a run")),
        _ => None,
    }
}

fn of_property(asked: &Asked, options: &Options<'_>, data: Data) -> Wrong {
    match property(asked, options, &mut ()) {
        Err(disagreement) => Some(disagreement.to_string()),
        Ok((Verdict::Holds(proofs), _)) => proofs.iter().find_map(|proved| unconfirmed(&proved.confirmation, data)),
        Ok(_) => None,
    }
}

/// A proof about a model whose values can all be listed is confirmed, unless there are too many states or steps.
fn unconfirmed(confirmation: &Confirmation, data: Data) -> Wrong {
    match confirmation {
        Confirmation::NotAsked => Some("a proof was not looked at".to_owned()),
        Confirmation::Attacked { why: Beyond::Values(why), .. } if data == Data::Small => {
            Some(format!("a proof was not confirmed: {why}"))
        }
        _ => None,
    }
}

/// The smallest question that is wrong, with its seed.
fn shrunk(case: Case, seed: u64) -> String {
    let mut case = case;
    let until = Instant::now() + Duration::from_secs(60);
    while Instant::now() < until {
        match case.smaller().into_iter().find(|smaller| smaller.wrong().is_some()) {
            Some(smaller) => case = smaller,
            None => break,
        }
    }
    let wrong = case.wrong().unwrap_or_default();
    format!("seed {seed}, {:?}: {wrong}\n{}", case.engine, case.text())
}

#[test]
fn proofs_about_small_models_are_confirmed() {
    for question in 0..questions(60) {
        let seed = seed(2, question);
        let case = Case::random(seed);
        kept(seed, &case.text());
        if case.wrong().is_some() {
            panic!("{}", shrunk(case, seed));
        }
    }
}

#[test]
fn impossible_items_of_small_models_are_confirmed() {
    for question in 0..questions(15) {
        let seed = seed(12, question);
        let mut random = Random::new(seed);
        let machine = Machine::random(&mut random, Data::Small);
        let of = *random.one(&["transitions", "pairs", "states", "mcdc"]);
        let text = format!("{}purpose p for M {{ cover {of} }}\n", machine.text());
        let asked = texts::asked(&text);
        let options = CoverOptions {
            minimise: Minimise::Steps,
            seed: 0,
            engine: Engine::Auto,
            limits: limits(),
            solver: &solver,
            threads: 1,
            recheck: Recheck::Small,
        };
        let suite = cover(&asked.system, &asked.lists, &asked.purpose, &options, &mut ());
        let suite = suite.unwrap_or_else(|disagreement| panic!("seed {seed}: {disagreement}\n{text}"));
        for (item, status) in suite.items.iter().enumerate() {
            let wrong = match status {
                Status::Impossible(_) => unconfirmed(&suite.confirmations[&item], Data::Small),
                Status::Covered => confirms_too_much(&asked, &asked.purpose, &[item]),
                _ => None,
            };
            assert_eq!(wrong, None, "seed {seed}, item {item}\n{text}");
        }
    }
}

#[test]
fn conforming_small_models_are_confirmed() {
    for question in 0..questions(25) {
        let seed = seed(22, question);
        let mut random = Random::new(seed);
        let machine = Machine::random(&mut random, Data::Small);
        let mutants = machine.smaller();
        let implementation = if random.rarely(3) { machine.clone() } else { random.one(&mutants).clone() };
        let texts = [implementation.text(), machine.text()];
        let [implementation, specification] = texts.each_ref().map(|text| loaded::system(text, "M"));
        // Both have the same definitions, made from the same text.
        let specification = StepSystem { definitions: implementation.definitions.clone(), ..specification };
        let alphabet = Alphabet::new(&implementation, &specification).expect("the same gates");
        let engines =
            [conform::Engine::Auto, conform::Engine::Symbolic, conform::Engine::Explicit, conform::Engine::Induction];
        let options = conform::Options {
            engine: *random.one(&engines),
            depth: None,
            completion: Some(Completion::Ignore),
            is_universal: random.rarely(3),
            limits: limits(),
            recheck: Recheck::Small,
            new_solver: &solver,
        };
        match conform(&implementation, &specification, &alphabet, &options, &mut ()) {
            Ok(answer) if answer.proof.is_some() => {
                assert_eq!(
                    unconfirmed(&answer.confirmation, Data::Small),
                    None,
                    "seed {seed}\n{}\n{}",
                    texts[0],
                    texts[1]
                );
            }
            Ok(_) => {}
            Err(NotCompared::Contradicted(found)) => {
                let found = conform::shown(&found.observed, &alphabet, &specification.definitions);
                panic!(
                    "seed {seed}, {:?}, uioco {}: {found}\n{}\n{}",
                    options.engine, options.is_universal, texts[0], texts[1]
                );
            }
            Err(NotCompared::Refusing(refusing)) => panic!("seed {seed}: {refusing:?}\n{}", texts[0]),
        }
    }
}

/// A walk is worth something only if it finds what there is: where values can be listed, and where they cannot.
#[test]
fn a_walk_contradicts_a_proof_that_is_false() {
    let machine = |guard: &str| {
        format!(
            "sts S {{ in go(x: Int, y: 0..3)  var n: 0..9 = 0  initial location l\n\
             l -> l : ?go(x, y) when {guard} do n := n + y }}\npurpose p for S {{ length <= 3  last(n) == 7 }}\n"
        )
    };
    // 17 and 4 stand in the model; 6 is a neighbour of a constant of the purpose, 21 is nothing that would be tried.
    for (guard, is_found) in [("x == y", true), ("x > 17 && y < 4", true), ("x == 6", true), ("x * 3 == 63", false)] {
        let asked = texts::asked(&machine(guard));
        let monitor = asked.purpose.monitor(&[0], None);
        let question = Question { system: &asked.system, lists: &asked.lists, monitor: &monitor };
        let walked = walk(question, asked.purpose.lengths(), Recheck::Small, &Limits::default());
        match walked {
            Err(found) => assert!(is_found && found.run.steps.len() == 3, "{guard}: {:?}", found.run),
            Ok(said) => assert!(!is_found && matches!(said, Confirmation::Attacked { .. }), "{guard}: {said:?}"),
        }
    }
}
