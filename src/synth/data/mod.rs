//! Data of test cases: from one run to others of the same kind.
//!
//! A run is taken once more with its data opened ([`crate::search::Along`]); what its data must meet is a region (`region`), in
//! which values are chosen: at its edges (`boundary`), all over it (`random`), all of them (`exhaustive`), or so that any two
//! values that go together do so once (`pairwise`). Values that a person gave come first where they fit (`pooled`). Whatever is chosen is run by the reference interpreter before anyone
//! sees it (`follow`).

mod boundary;
mod classes;
mod draw;
mod elsewhere;
mod exhaustive;
mod follow;
mod negative;
mod pairwise;
mod pooled;
mod random;
mod region;
mod simple;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::answer::{Answered, Case, Origin};
use super::asked::Asked;
use super::describe::Description;
use super::explicit::known_data;
use super::generate::Options;
use super::sequence::{Disagreement, Planned, is_controllable, open_values, replayed, within_limits};
use crate::history::Length;
use crate::kernel::{Run, Step, StepSystem};
use crate::search::{Along, DATA_SIZES, Limits, Question};
use crate::solve::Solver;
use crate::term::{Shown, Type, Value};
use classes::Class;
use exhaustive::NotAll;
use follow::{Followed, follow};
use negative::Negative;
use pooled::{Block, Order, Success};
use region::{Point, Region};

/// Which data a test case gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// That of the run which was found.
    One,
    /// The least and the greatest value of everything that is open, and both sides of whatever decided the path.
    Boundary,
    /// One value of every class of every input.
    Classes,
    /// Any two values of different inputs together.
    Pairwise,
    /// So many by chance, all over the region.
    Random(usize),
    /// All there are.
    Exhaustive,
}

/// Which sequences a test case gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// The data of those that meet the purpose.
    pub data: Choice,
    /// Whether negative tests are wanted as well: data just outside, refused events, events in the wrong order.
    pub negative: bool,
}

impl Wish {
    /// One sequence for each case.
    pub const ONE: Wish = Wish { data: Choice::One, negative: false };
}

/// A run with other data.
struct Chosen {
    followed: Followed,
    open: Vec<Value>,
    /// Why it was chosen.
    reasons: Vec<String>,
    meets: bool,
}

impl Chosen {
    /// The run that was found, which has been replayed already.
    fn found(run: &Run, open: &[Value]) -> Chosen {
        let followed = Followed { run: run.clone(), leaves_at: None, refused: None };
        Chosen { followed, open: open.to_vec(), reasons: vec![], meets: true }
    }

    /// More reasons why it was chosen.
    fn is_also(&mut self, reasons: Vec<String>) {
        let new = reasons.into_iter().filter(|reason| !self.reasons.contains(reason));
        self.reasons.extend(new.collect::<Vec<_>>());
    }

    /// Whether it is the same test as another one that leaves the run it was made from: the same events happen, and the same is refused.
    fn is_same_test(&self, other: &Chosen, system: &StepSystem) -> bool {
        let seen = |chosen: &Chosen| -> Vec<(Option<usize>, Vec<Value>)> {
            let steps = chosen.followed.run.steps.iter();
            steps.map(|step| (system.joints[step.joint].gate, step.data.clone())).collect()
        };
        let refused = |chosen: &Chosen| {
            let refused = chosen.followed.refused.as_ref();
            refused.map(|one| (system.joints[one.joint].gate, one.data[..system.sent_to(one.joint)].to_vec()))
        };
        let leaves = |chosen: &Chosen| chosen.followed.leaves_at.is_some();
        leaves(self)
            && leaves(other)
            && self.open == other.open
            && self.followed.run.initial == other.followed.run.initial
            && refused(self) == refused(other)
            && seen(self) == seen(other)
    }
}

/// What was chosen, and what could not be.
#[derive(Default)]
struct Choices {
    /// Runs, all different.
    chosen: Vec<Chosen>,
    /// What is not among them, and why.
    notes: Vec<String>,
    /// Why that is so, if it is because nobody could tell, or because a limit was hit.
    cut: Option<String>,
}

impl Choices {
    /// Nothing but the run that was found, for this reason.
    fn found_only(run: &Run, open: &[Value], reason: &str) -> Choices {
        let notes = vec![format!("only the data that was found: {reason}")];
        Choices { chosen: vec![Chosen::found(run, open)], notes, cut: Some(reason.to_owned()) }
    }

    /// That not all of something was done, for this reason.
    fn not_all(&mut self, what: &str, reason: impl ToString) {
        self.notes.push(format!("not all {what}: {}", reason.to_string()));
        self.cut_by(reason);
    }

    /// One more run, or one more reason for a test that is there; its number.
    fn add(&mut self, chosen: Chosen, system: &StepSystem) -> usize {
        match self.chosen.iter().position(|known| known.is_same_test(&chosen, system)) {
            Some(place) => {
                self.chosen[place].is_also(chosen.reasons);
                place
            }
            None => {
                self.chosen.push(chosen);
                self.chosen.len() - 1
            }
        }
    }

    fn cut_by(&mut self, reason: impl ToString) {
        self.cut.get_or_insert_with(|| reason.to_string());
    }
}

/// The same answer with the data that is wanted: each of its cases becomes as many as there are choices.
pub fn with_data(
    answered: Answered,
    Asked { system, lists, purpose }: &Asked,
    wish: Wish,
    options: &Options<'_>,
) -> Result<Answered, Disagreement> {
    if wish == Wish::ONE && system.pools.is_empty() {
        return Ok(answered);
    }
    let constraints: Vec<usize> = (0..purpose.constraints.len()).collect();
    let mut cases = vec![];
    let (mut notes, mut reason, mut is_complete) = (vec![], answered.reason, answered.is_complete);
    let is_only = answered.cases.len() == 1;
    for (number, case) in answered.cases.into_iter().enumerate() {
        let monitor = purpose.monitor(&constraints, case.class);
        let question = Question { system, lists, monitor: &monitor };
        let choosing = || {
            let mut solver = (options.solver)();
            solver.spend(SOLVER_EFFORT);
            let limits = options.limits;
            solver.stop_when(Arc::new(move || limits.used_up().is_some()));
            let (run, open) = (&case.run, &case.open[..]);
            let choose = || choose(question, purpose.lengths(), (run, open), (wish, options.seed), &limits, solver);
            let mut hit = None;
            let choices = match limits.attempt(choose) {
                Ok(choices) => within_limits(choices, &mut hit)?,
                Err(limit) => {
                    hit = Some(limit.to_string());
                    None
                }
            };
            Ok::<_, Disagreement>(choices.unwrap_or_else(|| Choices::found_only(run, open, &hit.unwrap_or_default())))
        };
        // A solver remembers what its thread has asked before; in one of its own the same seed gives the same data.
        let choices = std::thread::scope(|scope| scope.spawn(choosing).join());
        let choices = choices.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        is_complete &= choices.cut.is_none();
        reason = reason.or(choices.cut);
        let about = if is_only { String::new() } else { format!("case {}: ", number + 1) };
        notes.extend(choices.notes.into_iter().map(|note| format!("{about}{note}")));
        for Chosen { followed: Followed { run, leaves_at, refused }, open, reasons, meets } in choices.chosen {
            cases.push(Case {
                class: case.class,
                is_controllable: is_controllable(system, &run),
                description: described(&question, &case, wish, &run),
                run,
                open,
                attempt: None,
                origin: (wish != Wish::ONE).then_some(Origin { case: number, reasons, leaves_at, meets, refused }),
            });
        }
    }
    Ok(Answered { cases, notes, reason, is_complete, ..answered })
}

/// What is said of the data of a case. Where nothing but the data of its one sequence was said, the sequence still says it.
fn described(question: &Question<'_>, case: &Case, wish: Wish, run: &Run) -> Description {
    match (wish == Wish::ONE, &case.description.gap) {
        (true, gap @ Some(_)) => {
            let known = known_data(question.system, &variables_of(*question, run), &plan_of(run));
            Description { gap: gap.clone(), ..known }
        }
        _ => case.description.clone(),
    }
}

/// Work of the solver in a check, in its own units.
const SOLVER_EFFORT: u32 = 5_000_000;

/// Chooses data for a run that meets a question; `open` are the values that exist once for it.
fn choose(
    question: Question<'_>,
    length: Length,
    (run, open): (&Run, &[Value]),
    (wish, seed): (Wish, u64),
    limits: &Limits,
    solver: Box<dyn Solver>,
) -> Result<Choices, Disagreement> {
    let mut notes = vec![];
    // All there are meet the purpose in any way.
    let along = match wish.data {
        Choice::Exhaustive => Along::in_every_way(question, run, open, DATA_SIZES).or_else(|reason| {
            notes.push(format!("only data that meets the purpose in the same way: {reason}"));
            Along::new(question, run, open, DATA_SIZES)
        }),
        _ => Along::new(question, run, open, DATA_SIZES),
    };
    let in_one_way = notes.first().cloned();
    let along = match along {
        Ok(along) => along,
        Err(reason) => {
            let choices = Choices::found_only(run, open, &reason.to_string());
            // One sequence is all that was asked for, even if no pool was looked at.
            let cut = choices.cut.filter(|_| wish != Wish::ONE);
            return Ok(Choices { cut, ..choices });
        }
    };
    let definitions = &question.lists.names.definitions;
    let mut region = Region::new(along, definitions, solver);
    let show = |value: &Value| Shown { value, definitions }.to_string();
    let mut choices = Choices { cut: in_one_way, notes, ..Choices::default() };
    let mut points: Vec<(Point, Vec<String>, bool)> = vec![];
    let inside = |point: Point| (point, vec![], false);
    let mut go_on = || limits.used_up().is_none();
    let blocks = pooled::blocks(&region, &question.system.pools, definitions);
    match wish.data {
        Choice::One => {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut order = if seed == 0 { Order::Written } else { Order::Weight(&mut random) };
            choices.notes = preferred(&mut region, &blocks, &mut order, &mut go_on);
            points.push(inside(region.witness.clone()));
        }
        Choice::Boundary => {
            let (edges, notes) = boundary::edges(&mut region, question.system, definitions, &mut go_on);
            points.push(inside(region.witness.clone()));
            points.extend(edges.into_iter().map(|edge| (edge.point, vec![edge.reason], edge.is_outside)));
            choices.notes = notes;
        }
        Choice::Classes => {
            for (name, class) in classes::points(&mut region, definitions, &mut go_on) {
                match class {
                    Class::Point(point) => points.push((point, vec![name], false)),
                    Class::Impossible => choices.notes.push(format!("impossible: {name}")),
                    Class::NotFound => choices.notes.push(format!("not found: {name}")),
                }
            }
        }
        Choice::Pairwise => {
            choices.notes = preferred(&mut region, &blocks, &mut Order::Written, &mut go_on);
            let pairs = pairwise::pairs(&mut region, &blocks, question.system, seed, &show, &mut go_on);
            for point in pairs.points {
                // What is there only in this point, as a further element of a list, has had no value of its pool yet.
                let kept = pooled::prefer(&mut region, &blocks, &point, &mut Order::Kept, &mut go_on);
                points.push(inside(kept.point));
            }
            choices.notes.extend(pairs.missing);
        }
        Choice::Random(count) => {
            let (drawn, notes) = random::points(&mut region, &blocks, count, seed, &mut go_on);
            points = drawn.into_iter().map(inside).collect();
            choices.notes = notes;
            if points.len() < count {
                choices.notes.push(format!("no more than {} different ones were met", points.len()));
            }
        }
        Choice::Exhaustive => match exhaustive::points(&mut region, &mut go_on) {
            Ok(all) => points = all.into_iter().map(inside).collect(),
            Err(why) => {
                let (note, reason) = match why {
                    NotAll::Infinite(name) => ("not all of them can be listed", format!("{name} has too many values")),
                    NotAll::TooMany => ("not all of them can be listed", "there are too many".to_owned()),
                    NotAll::Stopped => {
                        let limit = limits.used_up().map(|limit| limit.to_string());
                        ("not all of them were listed", limit.unwrap_or_else(|| "it was stopped".to_owned()))
                    }
                };
                choices.notes.push(format!("{note}: {reason}"));
                choices.cut_by(reason);
            }
        },
    }
    // Both sides of what decided the path are boundaries anyway.
    if wish.negative && wish.data != Choice::Boundary {
        let (edges, _) = boundary::edges(&mut region, question.system, definitions, &mut go_on);
        let outside = edges.into_iter().filter(|edge| edge.is_outside);
        points.extend(outside.map(|edge| (edge.point, vec![edge.reason], true)));
    }
    if let Some(limit) = limits.used_up() {
        choices.cut_by(limit);
    } else if region.doubts > 0 {
        choices.cut_by("the solver gave up");
    }
    // Where there is nothing to choose, the run is what there is; tests of what lies outside come beside it.
    if points.iter().all(|(.., is_outside)| *is_outside) {
        points.insert(0, inside(region.witness.clone()));
    }
    let model = || question.system.name.clone();
    let limited = |limit| Disagreement::Limit { model: model(), limit };
    let mut known: BTreeMap<Vec<Value>, usize> = BTreeMap::new();
    for (point, reasons, is_outside) in points {
        if let Some(limit) = limits.used_up() {
            choices.not_all("that was chosen was replayed", limit);
            break;
        }
        let given = region.given(&point);
        // The same data for another reason.
        if let Some(place) = known.get(&given) {
            choices.chosen[*place].is_also(reasons);
            continue;
        }
        let replay = || -> Result<Chosen, Disagreement> {
            let followed = follow(question.system, &mut region, run, &point).map_err(limited)?;
            let once = region.once(&point);
            // Whatever lies inside is a run of the same kind, by the interpreter and by the rules.
            if let (false, Some(step)) = (is_outside, followed.leaves_at) {
                return Err(Disagreement::Step { model: model(), step });
            }
            let meets = is_met(&question, length, &followed.run, &once, is_outside)?;
            Ok(Chosen { followed, open: once, reasons, meets })
        };
        let chosen = match limits.attempt(replay) {
            Ok(chosen) => chosen,
            Err(limit) => {
                choices.not_all("that was chosen was replayed", limit);
                break;
            }
        };
        let mut limit = None;
        if let Some(chosen) = within_limits(chosen, &mut limit)? {
            known.insert(given, choices.add(chosen, question.system));
        }
        if let Some(limit) = limit {
            choices.not_all("that was chosen was replayed", limit);
        }
    }
    if wish.negative && limits.used_up().is_none() {
        let mut value = |ty: &Type| region.value_of(ty, definitions);
        let negatives = || -> Result<Vec<Chosen>, Disagreement> {
            let found = negative::negatives(question.system, run, &mut value, &mut go_on).map_err(limited)?;
            let chosen = |Negative { followed, reason }| {
                let meets = is_met(&question, length, &followed.run, open, true)?;
                Ok(Chosen { followed, open: open.to_vec(), reasons: vec![reason], meets })
            };
            found.into_iter().map(chosen).collect()
        };
        let (mut limit, negatives) = (None, limits.attempt(negatives));
        match negatives {
            Ok(negatives) => {
                for negative in within_limits(negatives, &mut limit)?.unwrap_or_default() {
                    choices.add(negative, question.system);
                }
            }
            Err(hit) => limit = Some(hit.to_string()),
        }
        if let Some(limit) = limit.or_else(|| limits.used_up().map(|limit| limit.to_string())) {
            choices.not_all("negative tests were looked for", limit);
        }
    }
    if choices.chosen.is_empty() {
        choices.chosen.push(Chosen::found(run, open));
    }
    Ok(choices)
}

/// Lets the run of a region have values of pools; notes say where none fits.
fn preferred(
    region: &mut Region,
    blocks: &[Block],
    order: &mut Order<'_>,
    go_on: &mut dyn FnMut() -> bool,
) -> Vec<String> {
    let witness = region.witness.clone();
    let kept = pooled::prefer(region, blocks, &witness, order, go_on);
    let mut success = Success::default();
    success.count(&kept);
    region.witness = kept.point;
    success.notes(blocks)
}

/// Whether a run meets the question, with values that exist once for it. One that lies outside may need other ones; inside it
/// must be met.
fn is_met(
    question: &Question<'_>,
    length: Length,
    run: &Run,
    once: &[Value],
    is_outside: bool,
) -> Result<bool, Disagreement> {
    let (variables, plan) = (variables_of(*question, run), plan_of(run));
    match replayed(question, length, &variables, once, &plan) {
        Ok(_) => Ok(true),
        Err(Disagreement::Rules { .. }) if is_outside => {
            Ok(open_values(question, run)
                .is_some_and(|open| replayed(question, length, &variables, &open, &plan).is_ok()))
        }
        Err(disagreement) => Err(disagreement),
    }
}

/// The same path with data that is as simple as can be had, if it can be opened and there is something else than it has;
/// `open` are the values that exist once for the run.
pub fn simpler(
    question: Question<'_>,
    length: Length,
    (run, open): (&Run, &[Value]),
    options: &Options<'_>,
) -> Result<Option<(Run, Vec<Value>)>, Disagreement> {
    let choosing = || {
        let limits = options.limits;
        let mut solver = (options.solver)();
        solver.spend(SOLVER_EFFORT);
        solver.stop_when(Arc::new(move || limits.used_up().is_some()));
        let Ok(along) = Along::new(question, run, open, DATA_SIZES) else { return Ok(None) };
        let definitions = &question.lists.names.definitions;
        let mut region = Region::new(along, definitions, solver);
        let point = simple::point(&mut region, definitions, &mut || limits.used_up().is_none());
        let limited = |limit| Disagreement::Limit { model: question.system.name.clone(), limit };
        let followed = follow(question.system, &mut region, run, &point).map_err(limited)?;
        if let Some(step) = followed.leaves_at {
            return Err(Disagreement::Step { model: question.system.name.clone(), step });
        }
        let once = region.once(&point);
        let (variables, plan) = (variables_of(question, &followed.run), plan_of(&followed.run));
        replayed(&question, length, &variables, &once, &plan)?;
        Ok((followed.run != *run).then_some((followed.run, once)))
    };
    // As above: the same seed gives the same data in a thread of its own.
    let chosen = std::thread::scope(|scope| scope.spawn(choosing).join());
    chosen.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Initial values of the open variables of a run.
fn variables_of(question: Question<'_>, run: &Run) -> Vec<Value> {
    question.system.open_slots().iter().map(|slot| run.initial.values[*slot].clone()).collect()
}

/// The steps of a run, ready to be replayed.
fn plan_of(run: &Run) -> Vec<Planned> {
    let planned = |step: &Step| Planned { joint: step.joint, fired: step.fired.clone(), data: step.data.clone() };
    run.steps.iter().map(planned).collect()
}
