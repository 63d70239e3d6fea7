//! The engines, each on one question: from what it finds to cases and an answer.

use std::sync::Arc;

use super::answer::{Answer, Answered, Case, Proof, Statistics};
use super::apart::apart;
use super::describe::{Description, MakeSolver, describe_path};
use super::explicit::{explicit, known_data};
use super::generate::{Engine, Options};
use super::sequence::{Disagreement, Planned, is_controllable, replayed, within_limits};
use crate::history::Length;
use crate::kernel::Run;
use crate::search::{
    AllPaths, Enumerated, Fired, Induction, Levels, Limit, OpenSpace, Path, Progress, Question, Recovered, Space,
    Status, Unrolled, Unrolling, prove,
};
use crate::solve::{Solver, Stop};
use crate::term::{Range, Term, Unsupported, Value};

/// Work of the solver in a check, in its own units, for each step between states that is allowed.
const EFFORT_PER_STEP: usize = 250;

/// Terms that may be made, for each step between states that is allowed.
const TERMS_PER_STEP: usize = 1_000;

/// Steps between two looks at the limits.
const LOOK_EVERY: usize = 64;

/// A question, and how much may be done for it.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub question: Question<'a>,
    /// Lengths that the purpose allows.
    pub asked: Length,
    /// Lengths that are looked at.
    pub length: Length,
    pub class: Option<usize>,
    pub options: &'a Options<'a>,
    /// Steps between states allowed.
    pub work: usize,
    /// No run has fewer steps.
    pub lower_bound: usize,
}

/// Runs an engine; none if it cannot be used here. `is_beaten` says that nobody waits for it any more.
pub(super) fn run(
    engine: Engine,
    task: &Task<'_>,
    is_beaten: &Stop,
    progress: &mut dyn Progress,
) -> Result<Option<Answered>, Disagreement> {
    match engine {
        Engine::Explicit => explicit(task, is_beaten, progress),
        Engine::Unrolled => unrolled(task, is_beaten, progress),
        Engine::Induction => Ok(induction(task, is_beaten)),
        Engine::Symbolic | Engine::Auto => symbolic(task, is_beaten, progress).map(Some),
    }
}

/// What a walk through a space came to.
pub(super) struct Walked {
    pub paths: Vec<Path>,
    /// Whether everything was seen.
    pub is_exhausted: bool,
    pub hit: Option<Limit>,
    /// The least depth at which it could not be told whether a run may end.
    pub unknown_at: Option<usize>,
    pub depth: usize,
    /// No run has fewer steps, where the paths are not known to be shortest.
    pub at_least: Option<usize>,
    /// A constraint that no run meets, whatever its length, by its place.
    pub never_met: Option<usize>,
}

impl Task<'_> {
    /// What the solver may spend on a check, in its own units: more in every round.
    fn effort(&self) -> u32 {
        u32::try_from(self.work.saturating_mul(EFFORT_PER_STEP)).unwrap_or(u32::MAX)
    }

    /// A solver that gives up when the limits are used up, or nobody waits for it any more.
    pub fn solver(&self, is_beaten: &Stop) -> Box<dyn Solver> {
        let mut solver = (self.options.solver)();
        solver.spend(self.effort());
        solver.stop_when(self.stop(is_beaten));
        solver
    }

    /// Whether the limits are used up, or nobody waits for an answer any more.
    fn stop(&self, is_beaten: &Stop) -> Stop {
        let (limits, is_beaten) = (self.options.limits, is_beaten.clone());
        Arc::new(move || is_beaten() || limits.used_up().is_some())
    }

    /// That nobody can tell, for this reason.
    fn unknown(&self, reason: String) -> Answered {
        Answered { reason: Some(reason), lower_bound: self.lower_bound, ..Answered::unknown() }
    }

    /// That a limit was hit before anything was found.
    pub fn cut(&self, limit: Limit) -> Answered {
        self.unknown(limit.to_string())
    }

    /// The space of symbolic states of a question.
    pub fn space<'q>(&self, question: Question<'q>, is_beaten: &Stop) -> OpenSpace<'q> {
        OpenSpace::new(question, self.solver(is_beaten)).stopping_when(self.stop(is_beaten))
    }

    /// Looks for paths.
    pub fn walk<S: Space>(
        &self,
        space: &mut S,
        calls: impl Fn(&S) -> (usize, usize),
        is_beaten: &Stop,
        progress: &mut dyn Progress,
    ) -> Walked {
        let used_up = || self.options.limits.used_up().or(is_beaten().then_some(Limit::Interrupted));
        let mut hit = None;
        if self.options.all {
            let mut paths = AllPaths::new(self.length);
            let mut count = 0usize;
            let mut found = vec![];
            let end = self.options.limits.attempt(|| {
                paths.run(space, self.options.max, &mut found, &mut |depth, frontier, work| {
                    count += 1;
                    if count.is_multiple_of(LOOK_EVERY) {
                        progress.at(depth, count, frontier, 0);
                        hit = used_up();
                    }
                    if work > self.work {
                        hit = hit.or(Some(Limit::Work));
                    }
                    hit.is_none()
                })
            });
            let end = end.unwrap_or_else(|limit| {
                hit = Some(limit);
                Enumerated::Cut
            });
            let depth = found.last().map_or(0, |path| path.steps.len());
            return Walked {
                paths: found,
                is_exhausted: end != Enumerated::Cut,
                hit,
                unknown_at: paths.unknown_at(),
                depth,
                at_least: None,
                never_met: None,
            };
        }
        let mut levels = Levels::new(self.length);
        let mut left = self.work;
        let status = loop {
            let status = match self.options.limits.attempt(|| levels.shortest(space, LOOK_EVERY)) {
                Ok(status) => status,
                Err(limit) => {
                    hit = Some(limit);
                    break Status::Paused;
                }
            };
            if status != Status::Paused {
                break status;
            }
            let (states, calls) = calls(space);
            progress.at(levels.depth(), states, levels.frontier(), calls);
            left = left.saturating_sub(LOOK_EVERY);
            // Steps over terms that grow and grow take longer and longer.
            let is_too_much = left == 0 || space.made() > self.work.saturating_mul(TERMS_PER_STEP);
            hit = used_up().or(is_too_much.then_some(Limit::Work));
            if hit.is_some() {
                break Status::Paused;
            }
        };
        let is_exhausted = status == Status::Exhausted;
        let paths = match status {
            Status::Found(path) => vec![path],
            _ => vec![],
        };
        let (unknown_at, depth) = (levels.unknown_at(), levels.depth());
        Walked { paths, is_exhausted, hit, unknown_at, depth, at_least: None, never_met: None }
    }

    /// The answer that cases, or their absence, give.
    pub fn answered(&self, walked: &Walked, cases: Vec<Case>, gap: Option<String>, statistics: Statistics) -> Answered {
        let shortest = cases.first().map(|case| case.run.steps.len());
        let lost = walked.paths.len() - cases.len();
        // Something shorter, or more of them, may have been overlooked.
        let has_gap = gap.is_some() || walked.unknown_at.is_some() || lost > 0;
        let answer = match shortest {
            Some(_) => Answer::Found,
            None if !walked.is_exhausted || has_gap => Answer::Unknown,
            None if self.length == self.asked => Answer::Impossible,
            None => Answer::NotFound,
        };
        let reason = match (answer, walked.hit) {
            (_, Some(limit)) => Some(limit.to_string()),
            (Answer::NotFound, None) => self.length.high.map(|depth| format!("up to {depth} steps")),
            (Answer::Unknown, None) => Some(gap.unwrap_or_else(|| "the solver gave up".to_owned())),
            (Answer::Found, None) if has_gap => gap,
            _ => None,
        };
        let proof = (answer == Answer::Impossible).then_some(Proof::Exhaustion {
            states: statistics.states,
            depth: self.asked.high,
            is_symbolic: true,
        });
        let lower_bound = match shortest {
            Some(steps) if !has_gap => walked.at_least.unwrap_or(steps),
            _ if has_gap => self.lower_bound,
            _ if walked.is_exhausted => self.length.high.map_or(self.lower_bound, |high| high + 1),
            _ => walked.depth.max(self.lower_bound),
        };
        let is_optimal = shortest.map(|steps| steps == lower_bound);
        // One run that is known to be shortest is all that was asked for, whatever was overlooked.
        let is_enough = !self.options.all && is_optimal == Some(true);
        Answered {
            answer,
            reason,
            proof,
            is_optimal,
            lower_bound,
            is_complete: is_enough || walked.hit.is_none() && !has_gap,
            conflict: walked.never_met.filter(|_| answer == Answer::Impossible).into_iter().collect(),
            cases,
            statistics,
            ..Answered::impossible()
        }
    }

    /// Replays a plan and makes a case of it, with what is said of the run and the values that exist once for it.
    pub fn case(
        &self,
        variables: &[Value],
        open: &[Value],
        plan: &[Planned],
        describe: impl FnOnce(&Run, &[Value], MakeSolver<'_>) -> Description,
    ) -> Result<Case, Disagreement> {
        let run = replayed(&self.question, self.asked, variables, open, plan)?;
        let is_controllable = is_controllable(self.question.system, &run);
        let open = open.to_vec();
        let never: Stop = Arc::new(|| false);
        let described = self.options.limits.attempt(|| describe(&run, &open, &|| self.solver(&never)));
        let description = described.unwrap_or_else(|_| known_data(self.question.system, variables, plan));
        Ok(Case { class: self.class, is_controllable, description, run, open, origin: None, attempt: None })
    }

    /// The case of a path through symbolic states; none if no data for it can be had.
    pub fn open_case(
        &self,
        space: &mut OpenSpace<'_>,
        path: &Path,
        choose: &mut Choose,
    ) -> Result<Option<Case>, Disagreement> {
        let found = self.options.limits.attempt(|| concrete_plan(space, path, choose));
        let Ok(Some((recovered, opened, plan))) = found else { return Ok(None) };
        let (variables, open) = opened.split_at(self.question.system.open_slots().len());
        let describe = |run: &Run, open: &[Value], solver: MakeSolver<'_>| {
            describe_path(self.question, (&recovered, space.terms()), (run, open), solver)
        };
        self.case(variables, open, &plan, describe).map(Some)
    }
}

/// Searches symbolic states.
fn symbolic(task: &Task<'_>, is_beaten: &Stop, progress: &mut dyn Progress) -> Result<Answered, Disagreement> {
    match task.options.limits.attempt(|| apart(task, is_beaten, progress)) {
        Ok(answered) => {
            if let Some(answered) = answered? {
                return Ok(answered);
            }
        }
        Err(limit) => return Ok(task.cut(limit)),
    }
    let space = task.options.limits.attempt(|| task.space(task.question, is_beaten));
    let mut space = match space {
        Ok(space) => space,
        Err(limit) => return Ok(task.cut(limit)),
    };
    let walked = task.walk(&mut space, |space| (space.len(), space.solver_calls()), is_beaten, progress);
    let mut choose = Choose::new(task.options.seed);
    let (mut cases, mut limit) = (vec![], None);
    for path in &walked.paths {
        cases.extend(within_limits(task.open_case(&mut space, path, &mut choose), &mut limit)?.flatten());
    }
    let statistics = Statistics { states: space.len(), solver_calls: space.solver_calls(), depth: walked.depth };
    let gap = limit.or_else(|| space.gaps().first().cloned());
    Ok(task.answered(&walked, cases, gap, statistics))
}

/// Steps between states that other engines are allowed, for each step of a formula.
const STEPS_PER_LENGTH: usize = 4;

/// Asks the solver about one length after the other; none if the model has no terms.
fn unrolled(task: &Task<'_>, is_beaten: &Stop, progress: &mut dyn Progress) -> Result<Option<Answered>, Disagreement> {
    let unrolled = task.options.limits.attempt(|| Unrolled::new(task.question, task.solver(is_beaten)));
    let mut unrolled = match unrolled {
        Ok(Ok(unrolled)) => unrolled,
        Ok(Err(_)) => return Ok(None),
        Err(limit) => return Ok(Some(task.cut(limit))),
    };
    let stop = || is_beaten() || task.options.limits.used_up().is_some();
    let mut plans: Vec<Vec<(usize, Fired)>> = vec![];
    let mut hit = None;
    let mut unknown_at = None;
    let mut trouble: Option<String> = None;
    let mut length = task.lower_bound;
    // Effort grows with the length much faster than with the number of states.
    let longest = task.lower_bound + task.work.isqrt() / 4;
    let mut is_exhausted = false;
    let enough = |plans: &[Vec<(usize, Fired)>]| match task.options.all {
        true => task.options.max.is_some_and(|max| plans.len() >= max),
        false => !plans.is_empty(),
    };
    while !enough(&plans) {
        if task.length.high.is_some_and(|high| length > high) {
            is_exhausted = true;
            break;
        }
        hit = task
            .options
            .limits
            .used_up()
            .or(is_beaten().then_some(Limit::Interrupted))
            .or((length > longest || length > task.work / STEPS_PER_LENGTH).then_some(Limit::Work));
        if hit.is_some() {
            break;
        }
        progress.at(length, 0, 0, unrolled.solver_calls());
        let of_length = match task.options.limits.attempt(|| unrolled.of_length(length, &plans, &stop)) {
            Ok(of_length) => of_length,
            Err(limit) => {
                hit = Some(limit);
                break;
            }
        };
        match of_length {
            Ok(Unrolling::Found(plan)) => plans.push(plan),
            Ok(Unrolling::None) => length += 1,
            Ok(Unrolling::Unknown(reason)) => {
                trouble.get_or_insert(reason.to_string());
                unknown_at = unknown_at.or(Some(length));
                length += 1;
            }
            Err(Unsupported(reason)) => {
                trouble.get_or_insert(reason);
                break;
            }
        }
    }
    let (mut cases, mut limit) = (vec![], None);
    let mut choose = Choose::new(task.options.seed);
    let mut calls = unrolled.solver_calls();
    for plan in &plans {
        let mut space = task.space(task.question, is_beaten);
        if let Ok(Some(path)) = task.options.limits.attempt(|| space.follow(plan)) {
            cases.extend(within_limits(task.open_case(&mut space, &path, &mut choose), &mut limit)?.flatten());
        }
        calls += space.solver_calls();
    }
    let statistics = Statistics { states: 0, solver_calls: calls, depth: length };
    let gap = limit.or_else(|| unrolled.gaps().first().cloned()).or(trouble);
    let paths = plans.iter().map(|_| Path { start: 0, steps: vec![] }).collect();
    let walked = Walked { paths, is_exhausted, hit, unknown_at, depth: length, at_least: None, never_met: None };
    Ok(Some(task.answered(&walked, cases, gap, statistics)))
}

/// Looks for a proof that holds for all lengths; none if the question cannot be put that way.
fn induction(task: &Task<'_>, is_beaten: &Stop) -> Option<Answered> {
    let statistics = Statistics { solver_calls: 1, ..Statistics::default() };
    let unknown = |reason: String| Answered { statistics, ..task.unknown(reason) };
    if let Some(limit) = task.options.limits.used_up() {
        return Some(task.cut(limit));
    }
    let mut solver = task.solver(is_beaten);
    let induction = task.options.limits.attempt(|| prove(task.question, task.asked, &mut *solver, task.effort()));
    let induction = match induction {
        Ok(induction) => induction.ok()?,
        Err(limit) => return Some(task.cut(limit)),
    };
    Some(match induction {
        Induction::Proved(invariant) => {
            Answered { proof: Some(Proof::Induction { invariant }), statistics, ..Answered::impossible() }
        }
        Induction::Refuted => unknown("there is a run, but this engine only finds proofs".to_owned()),
        Induction::Unknown(reason) => {
            unknown(task.options.limits.used_up().map_or(reason.to_string(), |limit| limit.to_string()))
        }
    })
}

/// The data of a path through symbolic states, with its initial and open values and its steps; none if none can be had.
pub(super) fn concrete_plan(
    space: &mut OpenSpace<'_>,
    path: &Path,
    choose: &mut Choose,
) -> Option<(Recovered, Vec<Value>, Vec<Planned>)> {
    let recovered = space.recover(path)?;
    let values = space.values(&recovered.store, &mut |range| choose.value(range))?;
    let mut concrete =
        |terms: &[Term]| -> Option<Vec<Value>> { terms.iter().map(|term| space.value_of(*term, &values)).collect() };
    let opened = concrete(&recovered.opened)?;
    let mut plan = vec![];
    for step in &recovered.steps {
        let data = concrete(recovered.data(step))?;
        plan.push(Planned { joint: step.joint, fired: (*step.fired).clone(), data });
    }
    Some((recovered, opened, plan))
}

/// Chooses values: without a seed the simplest, otherwise varied ones.
pub(super) struct Choose {
    random: Option<fastrand::Rng>,
}

impl Choose {
    pub fn new(seed: u64) -> Choose {
        Choose { random: (seed != 0).then(|| fastrand::Rng::with_seed(seed)) }
    }

    fn value(&mut self, range: &Range) -> Value {
        match &mut self.random {
            None => range.simple(),
            Some(random) => varied(range, random),
        }
    }
}

/// A value of a range by chance.
fn varied(range: &Range, random: &mut fastrand::Rng) -> Value {
    match range {
        Range::Bool => Value::Bool(random.bool()),
        Range::Number { is_int: true, low, high, .. } => {
            let end = |end: &Option<(crate::term::Rational, bool)>| {
                end.as_ref().and_then(|(n, _)| num_traits::ToPrimitive::to_i64(&n.to_integer()))
            };
            let (low, high) = match (end(low), end(high)) {
                (Some(low), Some(high)) => (low, high),
                (Some(low), None) => (low, low.saturating_add(20)),
                (None, Some(high)) => (high.saturating_sub(20), high),
                (None, None) => (-20, 20),
            };
            let value = Value::int(random.i64(low..=high.max(low)));
            if range.contains(&value) { value } else { range.simple() }
        }
        Range::Enum { ty, left } => {
            let place = random.usize(..left.len());
            let member = left.iter().nth(place).copied().unwrap_or(0);
            Value::Data(*ty, member, [].into())
        }
        _ => range.simple(),
    }
}
