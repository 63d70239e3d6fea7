//! Shrinking: a run that meets a purpose becomes shorter, then its data simpler, and it still meets it.
//!
//! First with the interpreter and the rules alone (`again`), which is always possible; then the engines are asked for a shorter
//! run, and where they prove that there is none the result says so; then the data of the path is made simple with
//! its region ([`super::data`]). All of it again until nothing changes. Only what is shorter, or as long and simpler
//! (`order`), is ever taken, so the result is never worse than what was given, and shrinking it once more changes nothing.
//! Knows nothing of where runs come from. Tested against known shortest runs, and on random models by an independent reading.

mod again;
pub mod order;

use super::answer::{Answer, Proof};
use super::asked::Asked;
use super::begin::beginning;
use super::data;
use super::generate::{Engine, Options, search};
use super::meet::{Meets, holds, meets};
use super::sequence::Disagreement;
use crate::history::Length;
use crate::kernel::Run;
use crate::search::{Progress, Question};
use crate::term::Value;
use again::Again;

/// What became of a run.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The run.
    pub run: Run,
    /// Values that exist once for it, with which it meets the purpose.
    pub open: Vec<Value>,
    /// Whether a shorter one exists.
    pub shortest: Shortest,
}

/// Whether a shorter run exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shortest {
    /// None that meets the purpose, for this reason.
    Proved(Proof),
    /// Nobody can tell, for this reason.
    Unknown(String),
}

/// Why a run cannot be shrunk.
#[derive(Clone, Debug)]
pub enum NotShrunk {
    /// It does not meet the purpose.
    NotMet,
    /// Nobody can tell whether it does, for this reason.
    Unknown(String),
    /// A run is not what it was said to be.
    Disagreement(Disagreement),
}

impl From<Disagreement> for NotShrunk {
    fn from(disagreement: Disagreement) -> NotShrunk {
        match disagreement {
            Disagreement::Limit { limit, .. } => NotShrunk::Unknown(limit.to_string()),
            disagreement => NotShrunk::Disagreement(disagreement),
        }
    }
}

/// Most times that everything is tried once more. Each time something has become shorter or simpler, so it rarely takes more
/// than three.
const MAX_ROUNDS: usize = 50;

/// Shrinks a run of the model that meets a purpose, which has no classes ([`Asked::of_class`]).
pub fn shrink(
    asked: &Asked,
    run: &Run,
    options: &Options<'_>,
    progress: &mut dyn Progress,
) -> Result<Shrunk, NotShrunk> {
    let open = match meets(asked, run, options, progress)? {
        Meets::Yes(open) => open,
        Meets::No => return Err(NotShrunk::NotMet),
        Meets::Unknown(reason) => return Err(NotShrunk::Unknown(reason)),
    };
    let monitor = asked.monitor();
    let question = Question { system: &asked.system, lists: &asked.lists, monitor: &monitor };
    let length = asked.purpose.lengths();
    let mut best = Best { run: run.clone(), open };
    let mut shortest = None;
    for _ in 0..MAX_ROUNDS {
        let before = best.clone();
        Again::new(question, length, options.limits).improve(&mut best);
        if best.run.steps.len() < before.run.steps.len() || shortest.is_none() {
            shortest = Some(shorten(asked, &mut best, options, progress)?);
        }
        if let Some((run, open)) = data::simpler(question, length, (&best.run, &best.open), options)? {
            best.take_if_better(question, run, open);
        }
        if best.run == before.run || options.limits.used_up().is_some() {
            break;
        }
    }
    let limited = |limit| Disagreement::Limit { model: asked.system.name.clone(), limit };
    if !holds(&question, length, &best.open, &best.run).map_err(limited)? {
        return Err(Disagreement::Rules { model: asked.system.name.clone() }.into());
    }
    let shortest = shortest.unwrap_or_else(|| Shortest::Unknown("nobody looked".to_owned()));
    Ok(Shrunk { run: best.run, open: best.open, shortest })
}

/// Takes shorter runs from the engines, until they find none.
fn shorten(
    asked: &Asked,
    best: &mut Best,
    options: &Options<'_>,
    progress: &mut dyn Progress,
) -> Result<Shortest, Disagreement> {
    let given = best.run.clone();
    let shortest = loop {
        let Some(most) = best.run.steps.len().checked_sub(1) else { break Shortest::Proved(Proof::Length) };
        let shorter = asked.of_length(Length { low: 0, high: Some(most) });
        let all = shorter.all_constraints();
        let answered = search(&asked.system, &asked.lists, &shorter.purpose, &all, None, options, progress)?;
        let reason = answered.reason.unwrap_or_else(|| "the engines cannot tell".to_owned());
        match (answered.answer, answered.cases.into_iter().next(), answered.proof) {
            (Answer::Found, Some(case), _) => *best = Best { run: case.run, open: case.open },
            (Answer::Impossible, _, Some(proof)) => break Shortest::Proved(proof),
            _ => break Shortest::Unknown(reason),
        }
    };
    if best.run.steps.len() < given.steps.len() {
        come_nearer(asked, best, &given, options, progress)?;
    }
    Ok(shortest)
}

/// Among runs that are as short, takes one that fires the same transitions as a given one for as many steps as possible; as
/// far as that is found with little work, since any of them will do.
fn come_nearer(
    asked: &Asked,
    best: &mut Best,
    given: &Run,
    options: &Options<'_>,
    progress: &mut dyn Progress,
) -> Result<(), Disagreement> {
    let length = best.run.steps.len();
    let as_short = asked.of_length(Length { low: length, high: Some(length) });
    let monitor = asked.monitor();
    let question = Question { system: &asked.system, lists: &asked.lists, monitor: &monitor };
    // One engine, the first that is asked anyway.
    let engine = if question.is_closed() { Engine::Explicit } else { Engine::Symbolic };
    let little = Options { engine, rounds: 1, first_round: options.first_round / 10, ..*options };
    let (mut alike, mut too_many) = (0, length + 1);
    while alike + 1 < too_many {
        let middle = alike + (too_many - alike) / 2;
        let near = beginning(&as_short, given, middle);
        let all = near.all_constraints();
        let answered = search(&asked.system, &asked.lists, &near.purpose, &all, None, &little, progress)?;
        match (answered.answer, answered.cases.into_iter().next()) {
            (Answer::Found, Some(case)) => (alike, *best) = (middle, Best { run: case.run, open: case.open }),
            _ => too_many = middle,
        }
    }
    Ok(())
}

/// The best run so far.
#[derive(Clone, Debug)]
struct Best {
    run: Run,
    open: Vec<Value>,
}

impl Best {
    /// Takes another run that meets the purpose if it is shorter, or as long and simpler.
    fn take_if_better(&mut self, question: Question<'_>, run: Run, open: Vec<Value>) -> bool {
        let by_data = || order::compare_all(&given(question, &run), &given(question, &self.run));
        let is_better = run.steps.len().cmp(&self.run.steps.len()).then_with(by_data).is_lt();
        if is_better {
            *self = Best { run, open };
        }
        is_better
    }
}

/// What whoever runs the test gives: initial values of open variables, then step by step.
fn given(question: Question<'_>, run: &Run) -> Vec<Value> {
    let system = question.system;
    let mut out: Vec<Value> = system.open_slots().iter().map(|slot| run.initial.values[*slot].clone()).collect();
    for step in run.steps.iter().filter(|step| system.takes_input(step.joint)) {
        out.extend_from_slice(&step.data[..system.given_to(step.joint)]);
    }
    out
}
