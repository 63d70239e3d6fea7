//! One purpose: which engine, which cases, which answer.

use super::answer::{Answer, Answered, Case, Proof, Statistics};
use super::describe::describe;
use super::sequence::{Disagreement, Planned, is_controllable, replayed};
use crate::history::{Length, Purpose};
use crate::kernel::{Lists, StepSystem};
use crate::search::{AllPaths, Enumerated, Levels, Limit, Limits, OpenSpace, Path, Progress, Question, Status};
use crate::solve::NewSolver;
use crate::term::{Range, Value};

/// How runs are searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Chosen by the question.
    Auto,
    /// Symbolic states.
    Symbolic,
    /// Concrete states.
    Explicit,
    /// One formula for each length.
    Unrolled,
}

/// What is asked for.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// All cases that differ in what fires.
    pub all: bool,
    /// At most so many cases.
    pub max: Option<usize>,
    /// Seed of the data.
    pub seed: u64,
    /// How to search.
    pub engine: Engine,
    /// Limits; `depth` is the user's bound on the length.
    pub limits: Limits,
    /// Makes solvers.
    pub solver: NewSolver<'a>,
}

/// Expansions between two looks at the limits.
const WORK: usize = 256;
/// Symbolic states when nothing else is said.
const MOST_STATES: usize = 400_000;

/// Answers a purpose.
pub fn answer(
    system: &StepSystem,
    lists: &Lists,
    purpose: &Purpose,
    options: &Options<'_>,
    progress: &mut dyn Progress,
) -> Result<Answered, Disagreement> {
    let mut all =
        Answered { answer: Answer::Found, is_optimal: Some(true), lower_bound: usize::MAX, ..Answered::impossible() };
    let classes: Vec<Option<usize>> = match purpose.classes.len() {
        0 => vec![None],
        n => (0..n).map(Some).collect(),
    };
    let constraints: Vec<usize> = (0..purpose.constraints.len()).collect();
    for class in classes {
        let one = search(system, lists, purpose, &constraints, class, options, progress)?;
        all.answer = all.answer.max(one.answer);
        all.reason = all.reason.or(one.reason);
        all.proof = all.proof.or(one.proof);
        all.is_optimal = all.is_optimal.zip(one.is_optimal).map(|(a, b)| a && b);
        all.lower_bound = all.lower_bound.min(one.lower_bound);
        all.is_complete &= one.is_complete;
        if let (Some(class), true) = (class, one.cases.is_empty()) {
            all.empty_classes.push(class);
        }
        all.cases.extend(one.cases);
        all.statistics.states += one.statistics.states;
        all.statistics.solver_calls += one.statistics.solver_calls;
        all.statistics.depth = all.statistics.depth.max(one.statistics.depth);
    }
    if all.answer == Answer::Impossible && all.cases.is_empty() {
        minimise(system, lists, purpose, options, &mut all, progress)?;
    }
    Ok(all)
}

/// Leaves out constraints without which it is still impossible; what is left is in conflict.
fn minimise(
    system: &StepSystem,
    lists: &Lists,
    purpose: &Purpose,
    options: &Options<'_>,
    all: &mut Answered,
    progress: &mut dyn Progress,
) -> Result<(), Disagreement> {
    let quick = Options { all: false, max: Some(1), limits: Limits { states: 2_000, ..options.limits }, ..*options };
    let mut unbounded = purpose.clone();
    unbounded.length.clear();
    let mut kept: Vec<usize> = (0..purpose.constraints.len()).collect();
    let mut with_length = purpose.clone();
    all.length_conflicts = !purpose.length.is_empty();
    let class = all.empty_classes.first().copied();
    if all.length_conflicts {
        let without = search(system, lists, &unbounded, &kept, class, &quick, progress)?;
        if without.answer == Answer::Impossible {
            all.length_conflicts = false;
            with_length = unbounded;
        }
    }
    for constraint in kept.clone() {
        let fewer: Vec<usize> = kept.iter().copied().filter(|other| *other != constraint).collect();
        let without = search(system, lists, &with_length, &fewer, class, &quick, progress)?;
        if without.answer == Answer::Impossible {
            kept = fewer;
        }
    }
    all.conflict = kept;
    Ok(())
}

fn search(
    system: &StepSystem,
    lists: &Lists,
    purpose: &Purpose,
    constraints: &[usize],
    class: Option<usize>,
    options: &Options<'_>,
    progress: &mut dyn Progress,
) -> Result<Answered, Disagreement> {
    let monitor = purpose.monitor(constraints, class);
    let question = Question { system, lists, monitor: &monitor };
    let asked = purpose.lengths();
    let length = match options.limits.depth {
        Some(depth) => asked.and(Length { low: 0, high: Some(depth) }),
        None => asked,
    };
    let mut space = OpenSpace::new(question, (options.solver)());
    if let Some((refuted, machines)) = space.guide().refuted()
        && !length.is_empty()
    {
        let machines = machines.iter().map(|machine| system.machines[*machine].name.clone()).collect();
        return Ok(Answered {
            proof: Some(Proof::Control { machines }),
            conflict: refuted.iter().filter_map(|place| constraints.get(*place).copied()).collect(),
            ..Answered::impossible()
        });
    }
    let mut hit = None;
    let most = options.limits.states.min(MOST_STATES);
    let (paths, status, unknown_at, depth) = if options.all {
        let mut paths = AllPaths::new(length);
        let mut count = 0usize;
        let (found, end) = paths.run(&mut space, options.max, &mut |depth, frontier| {
            count += 1;
            if count.is_multiple_of(WORK) {
                progress.at(depth, count, frontier, 0);
                hit = options.limits.used_up();
            }
            if count > most {
                hit = hit.or(Some(Limit::States));
            }
            hit.is_none()
        });
        let status = match end {
            Enumerated::All if found.is_empty() => Status::Exhausted,
            Enumerated::Cut => Status::Paused,
            Enumerated::All | Enumerated::Enough => Status::Found(Path { start: 0, steps: vec![] }),
        };
        let depth = found.last().map_or(0, |path| path.steps.len());
        (found, status, paths.unknown_at(), depth)
    } else {
        let mut levels = Levels::new(length);
        let status = loop {
            let status = levels.shortest(&mut space, WORK);
            if status != Status::Paused {
                break status;
            }
            progress.at(levels.depth(), space.len(), levels.frontier(), space.solver_calls());
            hit = options.limits.used_up();
            if space.len() > most {
                hit = hit.or(Some(Limit::States));
            }
            if hit.is_some() {
                break Status::Paused;
            }
        };
        let found = match &status {
            Status::Found(path) => vec![path.clone()],
            _ => vec![],
        };
        (found, status, levels.unknown_at(), levels.depth())
    };
    let mut cases = vec![];
    let mut random = fastrand::Rng::with_seed(options.seed);
    for path in &paths {
        match case(&question, asked, &mut space, path, class, options.seed, &mut random)? {
            Some(case) => cases.push(case),
            None => {}
        }
    }
    let has_gap = unknown_at.is_some() || !space.gaps().is_empty();
    let statistics = Statistics { states: space.len(), solver_calls: space.solver_calls(), depth };
    let shortest = cases.first().map(|case| case.run.steps.len());
    let lost = paths.len() - cases.len();
    let answer = match (&status, shortest) {
        (_, Some(_)) => Answer::Found,
        (Status::Exhausted, None) if has_gap || lost > 0 => Answer::Unknown,
        (Status::Exhausted, None) if length.high == asked.high => Answer::Impossible,
        (Status::Exhausted, None) => Answer::NotFound,
        _ => Answer::Unknown,
    };
    let reason = match (answer, hit) {
        (Answer::NotFound, _) => options.limits.depth.map(|depth| format!("up to {depth} steps")),
        (_, Some(limit)) => Some(limit.to_string()),
        (Answer::Unknown, None) => Some(match space.gaps().first() {
            Some(gap) => gap.clone(),
            None => "the solver gave up".to_owned(),
        }),
        _ => None,
    };
    let proof = (answer == Answer::Impossible).then(|| match length.is_empty() {
        true => Proof::Length,
        false => Proof::Exhaustion { states: space.len(), depth: length.high },
    });
    let lower_bound = match (shortest, &status) {
        (Some(steps), _) if !has_gap => steps,
        (_, Status::Paused) => depth,
        _ => length.low,
    };
    Ok(Answered {
        answer,
        reason,
        proof,
        conflict: vec![],
        length_conflicts: false,
        is_optimal: shortest.map(|steps| !has_gap && steps == lower_bound),
        lower_bound,
        empty_classes: vec![],
        is_complete: hit.is_none() && !has_gap && lost == 0,
        cases,
        statistics,
    })
}

/// The case of a path; none if no data for it can be had.
fn case(
    question: &Question<'_>,
    length: Length,
    space: &mut OpenSpace<'_>,
    path: &Path,
    class: Option<usize>,
    seed: u64,
    random: &mut fastrand::Rng,
) -> Result<Option<Case>, Disagreement> {
    let Some(recovered) = space.recover(path) else { return Ok(None) };
    let mut prefer = |range: &Range| if seed == 0 { range.simple() } else { varied(range, random) };
    let Some(values) = space.values(&recovered.store, &mut prefer) else { return Ok(None) };
    let mut concrete = |terms: &[crate::term::Term]| -> Option<Vec<Value>> {
        terms.iter().map(|term| space.value_of(*term, &values)).collect()
    };
    let Some(opened) = concrete(&recovered.opened) else { return Ok(None) };
    let mut plan = vec![];
    for step in &recovered.steps {
        let Some(data) = concrete(&step.data) else { return Ok(None) };
        plan.push(Planned { joint: step.joint, fired: step.fired.clone(), data });
    }
    let (variables, open) = opened.split_at(question.system.open_slots().len());
    let run = replayed(question, length, variables, open, &plan)?;
    let description = describe(&recovered, space.terms(), question.system, &question.lists.names.definitions);
    Ok(Some(Case { class, is_controllable: is_controllable(question.system, &run), description, run }))
}

/// A value of a range by chance.
fn varied(range: &Range, random: &mut fastrand::Rng) -> Value {
    match range {
        Range::Bool => Value::Bool(random.bool()),
        Range::Number { is_int: true, low, high, .. } => {
            let end = |end: &Option<(num_rational::BigRational, bool)>| {
                end.as_ref().and_then(|(n, _)| num_traits::ToPrimitive::to_i64(&n.to_integer()))
            };
            let simple = range.simple();
            let (low, high) = match (end(low), end(high)) {
                (Some(low), Some(high)) => (low, high),
                (Some(low), None) => (low, low.saturating_add(20)),
                (None, Some(high)) => (high.saturating_sub(20), high),
                (None, None) => (-20, 20),
            };
            let value = Value::int(random.i64(low..=high.max(low)));
            if range.contains(&value) { value } else { simple }
        }
        Range::Enum { ty, left } => {
            let place = random.usize(..left.len());
            let member = left.iter().nth(place).copied().unwrap_or(0);
            Value::Data(*ty, member, [].into())
        }
        _ => range.simple(),
    }
}
