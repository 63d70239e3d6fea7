//! One purpose: which engine, which cases, which answer.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::answer::{Answer, Answered, Case, Proof};
use super::engine::{self, Task};
use super::sequence::{Disagreement, is_controllable, replayed_run, within_limits};
use crate::confirm::{self, Confirmation, Recheck};
use crate::history::{Length, Purpose};
use crate::kernel::{Lists, StepSystem};
use crate::search::{Guide, Limits, Progress, Question, reduced};
use crate::solve::{NewSolver, Stop};
use crate::term::Terms;

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
    /// Proofs for all lengths; finds no runs.
    Induction,
}

impl Engine {
    /// What it does, for whoever waits for it.
    fn doing(self) -> &'static str {
        match self {
            Engine::Auto | Engine::Symbolic => "symbolic states",
            Engine::Explicit => "concrete states",
            Engine::Unrolled => "one formula for each length",
            Engine::Induction => "proofs for all lengths",
        }
    }

    /// Why it may be of no use for a question.
    fn why_not(self) -> &'static str {
        match self {
            Engine::Explicit => "this engine cannot search this model: its values cannot be listed",
            Engine::Induction => "this engine cannot put this question into clauses",
            Engine::Auto | Engine::Symbolic | Engine::Unrolled => "this engine cannot put this question into formulas",
        }
    }
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
    /// Work of each engine in the first round; every further round allows more.
    pub first_round: usize,
    /// How often to try harder before giving up.
    pub rounds: u32,
    /// Engines that may run at the same time.
    pub threads: usize,
    /// Whether a proof is to be confirmed.
    pub recheck: Recheck,
}

impl<'a> Options<'a> {
    /// One shortest case, with everything else as usual. Proofs are not confirmed: most questions are asked on the way to others.
    pub fn new(solver: NewSolver<'a>) -> Options<'a> {
        let (engine, limits) = (Engine::Auto, Limits::default());
        Options {
            all: false,
            max: None,
            seed: 0,
            engine,
            limits,
            solver,
            first_round: FIRST_ROUND,
            rounds: ROUNDS,
            threads: 1,
            recheck: Recheck::Never,
        }
    }
}

/// Work for the conflict of an impossible answer, in first rounds.
const MINIMISING: usize = 4;
/// Steps between states in the first round when nothing else is said.
const FIRST_ROUND: usize = 3_000;
/// Factor from round to round.
const MORE: usize = 8;
/// Rounds when nothing else is said.
const ROUNDS: u32 = 3;

/// Answers a purpose.
pub fn answer(
    system: &StepSystem,
    lists: &Lists,
    purpose: &Purpose,
    options: &Options<'_>,
    progress: &mut dyn Progress,
) -> Result<Answered, Disagreement> {
    let mut all = Answered {
        answer: Answer::Found,
        bound: looked_at(purpose, &options.limits).high,
        is_optimal: Some(true),
        lower_bound: usize::MAX,
        ..Answered::impossible()
    };
    let mut confirmation: Option<Confirmation> = None;
    let classes: Vec<Option<usize>> = match purpose.classes.len() {
        0 => vec![None],
        n => (0..n).map(Some).collect(),
    };
    let constraints: Vec<usize> = (0..purpose.constraints.len()).collect();
    for class in classes {
        let one = search(system, lists, purpose, &constraints, class, options, progress)?;
        if one.answer == Answer::Impossible {
            let of_class = confirmed(system, lists, purpose, class, options, progress)?;
            confirmation = Some(match confirmation {
                Some(earlier) => earlier.and(of_class),
                None => of_class,
            });
        }
        all.answer = all.answer.max(one.answer);
        all.reason = all.reason.or(one.reason);
        all.proof = all.proof.or(one.proof);
        // Places in the monitor, the last of which is the class, are constraints here.
        if class.is_none() && all.conflict.is_empty() {
            all.conflict = one.conflict;
        }
        all.is_optimal = all.is_optimal.zip(one.is_optimal).map(|(a, b)| a && b);
        all.lower_bound = all.lower_bound.min(one.lower_bound);
        // One run is all that is asked for, even if nobody knows whether it is a shortest one; unless a limit kept us from knowing.
        let is_enough = !options.all && one.answer == Answer::Found && options.limits.used_up().is_none();
        all.is_complete &= one.is_complete || is_enough;
        if let (Some(class), true) = (class, one.cases.is_empty()) {
            all.empty_classes.push(class);
        }
        all.cases.extend(one.cases);
        all.statistics.states += one.statistics.states;
        all.statistics.solver_calls += one.statistics.solver_calls;
        all.statistics.depth = all.statistics.depth.max(one.statistics.depth);
    }
    all.confirmation = confirmation.unwrap_or_default();
    if all.answer == Answer::Impossible && all.cases.is_empty() {
        minimise(system, lists, purpose, options, &mut all, progress)?;
    }
    Ok(all)
}

/// Lengths that the purpose allows and the user wants to have looked at.
fn looked_at(purpose: &Purpose, limits: &Limits) -> Length {
    purpose.lengths().and(Length { low: 0, high: limits.depth })
}

/// Asks the reference interpreter, by a plain walk, for a run that is said not to exist.
fn confirmed(
    system: &StepSystem,
    lists: &Lists,
    purpose: &Purpose,
    class: Option<usize>,
    options: &Options<'_>,
    progress: &mut dyn Progress,
) -> Result<Confirmation, Disagreement> {
    progress.doing("a second way");
    let constraints: Vec<usize> = (0..purpose.constraints.len()).collect();
    let monitor = purpose.monitor(&constraints, class);
    let question = Question { system, lists, monitor: &monitor };
    let walked = confirm::walk(question, purpose.lengths(), options.recheck, &options.limits);
    walked.map_err(|found| Disagreement::contradicted(system, found.run))
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
    let quick = Options { all: false, max: Some(1), rounds: 1, first_round: options.first_round / 10, ..*options };
    let mut unbounded = purpose.clone();
    unbounded.length.clear();
    let mut kept: Vec<usize> = match &all.conflict[..] {
        [] => (0..purpose.constraints.len()).collect(),
        known => known.to_vec(),
    };
    let mut with_length = purpose.clone();
    all.length_conflicts = !purpose.length.is_empty();
    let class = all.empty_classes.first().copied();
    // What was left out so far is of use whenever the limits, or the work for this, are used up.
    let mut left = options.first_round.saturating_mul(MINIMISING);
    if all.length_conflicts {
        let without = search(system, lists, &unbounded, &kept, class, &quick, progress)?;
        if without.answer == Answer::Impossible {
            all.length_conflicts = false;
            with_length = unbounded;
        }
        left = left.saturating_sub(without.statistics.work());
    }
    for constraint in kept.clone() {
        if left == 0 || options.limits.used_up().is_some() {
            break;
        }
        let fewer: Vec<usize> = kept.iter().copied().filter(|other| *other != constraint).collect();
        let without = search(system, lists, &with_length, &fewer, class, &quick, progress)?;
        if without.answer == Answer::Impossible {
            kept = fewer;
        }
        left = left.saturating_sub(without.statistics.work());
    }
    all.conflict = kept;
    Ok(())
}

/// One question; about a service first with the orders left out at which it does not look.
pub(super) fn search(
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
    if asked.is_empty() {
        return Ok(Answered { proof: Some(Proof::Length), ..Answered::impossible() });
    }
    // All cases are all orders.
    if !options.all
        && let Ok(Some(reduced)) = options.limits.attempt(|| reduced(&question))
    {
        let fewer = Question { system: &reduced.system, ..question };
        let mut answered = search_one(fewer, purpose, constraints, class, options, progress)?;
        let is_real = |case: &Case| reduced.is_real(case.run.steps.iter().map(|step| &step.fired));
        let is_of_use = answered.is_settled() && answered.cases.iter().all(is_real);
        if is_of_use || options.limits.used_up().is_some() && answered.cases.iter().all(is_real) {
            let mut limit = None;
            for case in &mut answered.cases {
                if let Some(run) = within_limits(replayed_run(&question, asked, case), &mut limit)? {
                    case.is_controllable = is_controllable(system, &run);
                }
            }
            return Ok(match limit {
                Some(limit) => Answered { reason: Some(limit), ..Answered::unknown() },
                None => answered,
            });
        }
    }
    search_one(question, purpose, constraints, class, options, progress)
}

/// Control first, then the engines in rounds of growing effort. In a round the first engine in order that has an answer gives
/// it, so that the answer does not depend on which of them is faster.
fn search_one(
    question: Question<'_>,
    purpose: &Purpose,
    constraints: &[usize],
    class: Option<usize>,
    options: &Options<'_>,
    progress: &mut dyn Progress,
) -> Result<Answered, Disagreement> {
    let (system, asked) = (question.system, purpose.lengths());
    let guide = match options.limits.attempt(|| Guide::within(&question, &mut Terms::new(), &options.limits)) {
        Ok(guide) => guide,
        Err(limit) => return Ok(Answered { reason: Some(limit.to_string()), ..Answered::unknown() }),
    };
    if let Some((refuted, machines)) = guide.refuted() {
        let machines = machines.iter().map(|machine| system.machines[*machine].name.clone()).collect();
        let conflict = refuted.iter().filter_map(|place| constraints.get(*place).copied()).collect();
        return Ok(Answered { proof: Some(Proof::Control { machines }), conflict, ..Answered::impossible() });
    }
    let length = looked_at(purpose, &options.limits);
    let mut engines = match options.engine {
        // Where nothing is open, concrete states are as few as symbolic ones, and much cheaper.
        Engine::Auto if question.is_closed() => {
            vec![Engine::Explicit, Engine::Symbolic, Engine::Unrolled, Engine::Induction]
        }
        Engine::Auto => vec![Engine::Symbolic, Engine::Explicit, Engine::Unrolled, Engine::Induction],
        one => vec![one],
    };
    let lower_bound = guide.lower_bound().unwrap_or(0).max(length.low);
    let mut best: Option<Answered> = None;
    for round in 0..options.rounds {
        let work = options.first_round.saturating_mul(MORE.saturating_pow(round));
        let task = Task { question, asked, length, class, options, work, lower_bound };
        // Most questions end in the first round, before it pays to have company.
        let results = match engines.len() > 1 && options.threads > 1 && round > 0 {
            true => side_by_side(&engines, &task, progress)?,
            false => one_by_one(&engines, &task, progress)?,
        };
        let mut of_round = None;
        for (place, answered) in results.into_iter().enumerate() {
            let Some(answered) = answered else { continue };
            if answered.is_final() {
                return Ok(answered);
            }
            // A run is known, and this engine may find a shorter one, or that there is none.
            if answered.is_settled() {
                engines = vec![engines[place]];
                of_round = Some(answered);
                break;
            }
            // As many cases as anyone found, and the reason of the first engine in the newest round.
            if of_round.as_ref().is_none_or(|best: &Answered| answered.cases.len() > best.cases.len()) {
                of_round = Some(answered);
            }
        }
        best = match (of_round, best) {
            (Some(newer), Some(older)) if older.cases.len() > newer.cases.len() => Some(older),
            (newer, older) => newer.or(older),
        };
        // Whatever kept an engine from an answer, more of this would have helped.
        if let Some(limit) = options.limits.used_up() {
            let cut = best.unwrap_or_else(Answered::unknown);
            return Ok(Answered { reason: Some(limit.to_string()), ..cut });
        }
    }
    Ok(best.unwrap_or_else(|| Answered { reason: Some(options.engine.why_not().to_owned()), ..Answered::unknown() }))
}

/// What an engine says; nothing if it cannot be used.
type EngineResult = Result<Option<Answered>, Disagreement>;

/// What the engines of a round say, in their order; what comes after a final answer is not asked for.
type Results = Result<Vec<Option<Answered>>, Disagreement>;

fn one_by_one(engines: &[Engine], task: &Task<'_>, progress: &mut dyn Progress) -> Results {
    let never: Stop = Arc::new(|| false);
    let mut results = vec![];
    for engine in engines {
        progress.doing(engine.doing());
        let result = engine::run(*engine, task, &never, progress)?;
        let is_settled = result.as_ref().is_some_and(Answered::is_settled);
        results.push(result);
        if is_settled {
            break;
        }
    }
    Ok(results)
}

/// All engines at once. One that cannot win any more, because an engine before it has a final answer, is told to stop.
fn side_by_side(engines: &[Engine], task: &Task<'_>, progress: &mut dyn Progress) -> Results {
    let winner = Arc::new(AtomicUsize::new(usize::MAX));
    let results: Vec<Mutex<Option<EngineResult>>> = engines.iter().map(|_| Mutex::new(None)).collect();
    let run = |place: usize, progress: &mut dyn Progress| {
        let ahead = winner.clone();
        let is_beaten: Stop = Arc::new(move || ahead.load(Ordering::Relaxed) < place);
        let result = engine::run(engines[place], task, &is_beaten, progress);
        if let Ok(Some(answered)) = &result
            && answered.is_settled()
        {
            winner.fetch_min(place, Ordering::Relaxed);
        }
        if let Ok(mut slot) = results[place].lock() {
            *slot = Some(result);
        }
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(task.options.threads.min(engines.len())).build();
    let Ok(pool) = pool else { return one_by_one(engines, task, progress) };
    progress.doing("all engines at once");
    pool.in_place_scope(|scope| {
        for place in 1..engines.len() {
            let run = &run;
            scope.spawn(move |_| run(place, &mut ()));
        }
        run(0, progress);
    });
    let last = winner.load(Ordering::Relaxed).min(engines.len() - 1);
    let taken = results.into_iter().take(last + 1);
    taken.map(|slot| slot.into_inner().ok().flatten().unwrap_or(Ok(None))).collect()
}
