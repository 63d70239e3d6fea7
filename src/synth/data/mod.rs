//! Data of test cases: from one run to others of the same kind.
//!
//! A run is taken once more with its data opened ([`crate::search::Along`]); what its data must meet is a region (`region`), in
//! which values are chosen: at its edges (`boundary`), all over it (`random`), all of them (`exhaustive`), or so that any two
//! values that go together do so once (`pairwise`). Whatever is chosen is run by the reference interpreter before anyone
//! sees it (`follow`).

mod boundary;
mod classes;
mod draw;
mod exhaustive;
mod follow;
mod pairwise;
mod random;
mod region;
mod simple;
mod text;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use super::answer::{Answered, Case, Origin};
use super::asked::Asked;
use super::generate::Options;
use super::sequence::{Disagreement, Planned, is_controllable, open_values, replayed};
use crate::history::Length;
use crate::kernel::{Run, Step};
use crate::search::{Along, Limits, Question};
use crate::solve::Solver;
use crate::term::{Shown, Value};
use classes::Class;
use exhaustive::NotAll;
use follow::{Followed, follow};
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
}

/// What was chosen, and what could not be.
#[derive(Default)]
struct Choices {
    /// Runs, all different.
    chosen: Vec<Chosen>,
    /// What is not among them, and why.
    notes: Vec<String>,
    /// Whether that is because nobody could tell, or because a limit was hit.
    is_cut: bool,
}

/// The same answer with the data that is wanted: each of its cases becomes as many as there are choices.
pub fn with_data(
    answered: Answered,
    Asked { system, lists, purpose }: &Asked,
    choice: Choice,
    options: &Options<'_>,
) -> Result<Answered, Disagreement> {
    if choice == Choice::One {
        return Ok(answered);
    }
    let constraints: Vec<usize> = (0..purpose.constraints.len()).collect();
    let mut cases = vec![];
    let (mut notes, mut is_complete) = (vec![], answered.is_complete);
    let is_only = answered.cases.len() == 1;
    for (number, case) in answered.cases.into_iter().enumerate() {
        let monitor = purpose.monitor(&constraints, case.class);
        let question = Question { system, lists, monitor: &monitor };
        let choosing = || {
            let mut solver = (options.solver)();
            solver.spend(SOLVER_EFFORT);
            let limits = options.limits;
            solver.stop_when(Arc::new(move || limits.used_up().is_some()));
            let run = (&case.run, &case.open[..]);
            choose(question, purpose.lengths(), run, (choice, options.seed), &limits, solver)
        };
        // A solver remembers what its thread has asked before; in one of its own the same seed gives the same data.
        let choices = std::thread::scope(|scope| scope.spawn(choosing).join());
        let choices = choices.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        is_complete &= !choices.is_cut;
        let about = if is_only { String::new() } else { format!("case {}: ", number + 1) };
        notes.extend(choices.notes.into_iter().map(|note| format!("{about}{note}")));
        for Chosen { followed: Followed { run, leaves_at, refused }, open, reasons, meets } in choices.chosen {
            cases.push(Case {
                class: case.class,
                is_controllable: is_controllable(system, &run),
                description: case.description.clone(),
                run,
                open,
                origin: Some(Origin { case: number, reasons, leaves_at, meets, refused }),
            });
        }
    }
    Ok(Answered { cases, notes, is_complete, ..answered })
}

/// Work of the solver in a check, in its own units.
const SOLVER_EFFORT: u32 = 5_000_000;

/// Chooses data for a run that meets a question; `open` are the values that exist once for it.
fn choose(
    question: Question<'_>,
    length: Length,
    (run, open): (&Run, &[Value]),
    (choice, seed): (Choice, u64),
    limits: &Limits,
    solver: Box<dyn Solver>,
) -> Result<Choices, Disagreement> {
    let along = match Along::new(question, run, open) {
        Ok(along) => along,
        Err(reason) => {
            let notes = vec![format!("only the data that was found: {reason}")];
            let chosen = vec![Chosen::found(run, open)];
            return Ok(Choices { chosen, notes, is_cut: true });
        }
    };
    let mut region = Region::new(along, solver);
    let definitions = &question.lists.names.definitions;
    let show = |value: &Value| Shown { value, definitions }.to_string();
    let mut choices = Choices::default();
    let mut points: Vec<(Point, Vec<String>, bool)> = vec![];
    let inside = |point: Point| (point, vec![], false);
    let mut go_on = || limits.used_up().is_none();
    match choice {
        Choice::One => points.push(inside(region.witness.clone())),
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
            let pairs = pairwise::pairs(&mut region, seed, &show, &mut go_on);
            points.extend(pairs.points.into_iter().map(inside));
            choices.notes = pairs.missing;
        }
        Choice::Random(count) => {
            points = random::points(&mut region, count, seed, &mut go_on).into_iter().map(inside).collect();
            if points.len() < count {
                choices.notes.push(format!("no more than {} different ones were met", points.len()));
            }
        }
        Choice::Exhaustive => match exhaustive::points(&mut region, &mut go_on) {
            Ok(all) => points = all.into_iter().map(inside).collect(),
            Err(why) => {
                choices.is_cut = true;
                choices.notes.push(match why {
                    NotAll::Infinite(name) => format!("not all of them can be listed: {name} has too many values"),
                    NotAll::TooMany => "not all of them can be listed: there are too many".to_owned(),
                    NotAll::Stopped => "it was stopped".to_owned(),
                });
            }
        },
    }
    choices.is_cut |= limits.used_up().is_some() || region.doubts > 0;
    // Where there is nothing to choose, the run is what there is.
    if points.is_empty() && !choices.is_cut {
        points.push(inside(region.witness.clone()));
    }
    let mut known: BTreeMap<Vec<Value>, usize> = BTreeMap::new();
    for (point, reasons, is_outside) in points {
        if let Some(limit) = limits.used_up() {
            choices.is_cut = true;
            choices.notes.push(format!("not all that was chosen was replayed: {limit}"));
            break;
        }
        match known.entry(region.given(&point)) {
            // The same data for another reason.
            Entry::Occupied(place) => {
                choices.chosen[*place.get()].reasons.extend(reasons);
                continue;
            }
            Entry::Vacant(place) => place.insert(choices.chosen.len()),
        };
        let limited = |limit| Disagreement::Limit { model: question.system.name.clone(), limit };
        let followed = follow(question.system, &mut region, run, &point).map_err(limited)?;
        let once = region.once(&point);
        // Whatever lies inside is a run of the same kind, by the interpreter and by the rules.
        if let (false, Some(step)) = (is_outside, followed.leaves_at) {
            return Err(Disagreement::Step { model: question.system.name.clone(), step });
        }
        let (variables, plan) = (variables_of(question, &followed.run), plan_of(&followed.run));
        let meets = match replayed(&question, length, &variables, &once, &plan) {
            Ok(_) => true,
            // Outside, it may be met with other values that exist once for the run.
            Err(Disagreement::Rules { .. }) if is_outside => open_values(&question, &followed.run)
                .is_some_and(|open| replayed(&question, length, &variables, &open, &plan).is_ok()),
            Err(disagreement) => return Err(disagreement),
        };
        choices.chosen.push(Chosen { followed, open: once, reasons, meets });
    }
    if choices.chosen.is_empty() {
        choices.chosen.push(Chosen::found(run, open));
    }
    Ok(choices)
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
        let Ok(along) = Along::new(question, run, open) else { return Ok(None) };
        let mut region = Region::new(along, solver);
        let definitions = &question.lists.names.definitions;
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
