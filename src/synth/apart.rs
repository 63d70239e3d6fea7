//! Parts of a model that know nothing of each other: each is searched for itself, for runs of the same length, and their runs
//! are put side by side.

use std::rc::Rc;

use super::answer::{Answered, Statistics};
use super::engine::{Choose, Task, Walked};
use super::sequence::{Disagreement, within_limits};
use crate::history::{Length, Monitor};
use crate::kernel::Style;
use crate::search::{Apart, Fired, OpenSpace, Parts, Progress, Question, parts_of};
use crate::solve::Stop;

/// The answer part by part; none if there are no such parts, if all cases are wanted, or if a part leaves something in
/// doubt.
pub(super) fn apart(
    task: &Task<'_>,
    is_beaten: &Stop,
    progress: &mut dyn Progress,
) -> Result<Option<Answered>, Disagreement> {
    let is_wanted = !task.options.all && task.question.system.style == Style::Lockstep;
    let parts = if is_wanted { parts_of(&task.question) } else { None };
    // In a lock-step system every constraint belongs to a part.
    let Some(Parts { parts, .. }) = parts else { return Ok(None) };
    let monitors: Vec<Monitor> = parts.iter().map(|part| monitor_of(task.question.monitor, part)).collect();
    let questions = monitors.iter().map(|monitor| Question { monitor, ..task.question });
    let mut spaces: Vec<OpenSpace<'_>> =
        (questions.zip(parts)).map(|(question, part)| task.space(question, is_beaten).only(part)).collect();
    // The least length that suits the parts looked at so far; one that needs more makes all of them look again.
    let mut least = task.length.low;
    let mut fired: Vec<Vec<Rc<Fired>>> = vec![];
    while fired.len() < spaces.len() {
        let space = &mut spaces[fired.len()];
        let from = |length: Length| Length { low: least, ..length };
        let of_part = Task { length: from(task.length), asked: from(task.asked), ..*task };
        let walked = of_part.walk(space, |space| (space.len(), space.solver_calls()), is_beaten, progress);
        if walked.hit.is_some() || walked.unknown_at.is_some() || !space.gaps().is_empty() {
            return Ok(None);
        }
        let Some(path) = walked.paths.first() else {
            return Ok(Some(of_part.answered(&walked, vec![], None, statistics(&spaces, walked.depth))));
        };
        let steps = space.fired_along(path);
        if steps.len() > least {
            least = steps.len();
            fired.clear();
        } else {
            fired.push(steps);
        }
    }
    // The whole follows what its parts do, and gets its data from that.
    let plan: Vec<(usize, Fired)> = (0..least)
        .map(|step| {
            let mut all: Fired = fired.iter().flat_map(|steps| steps[step].iter().copied()).collect();
            all.sort_unstable();
            (0, all)
        })
        .collect();
    let mut space = task.space(task.question, is_beaten);
    let Some(path) = space.follow(&plan) else { return Ok(None) };
    let mut choose = Choose::new(task.options.seed);
    let case = within_limits(task.open_case(&mut space, &path, &mut choose), &mut None)?.flatten();
    let Some(case) = case else { return Ok(None) };
    spaces.push(space);
    let walked = Walked {
        paths: vec![path],
        is_exhausted: false,
        hit: None,
        unknown_at: None,
        depth: least,
        at_least: None,
        never_met: None,
    };
    Ok(Some(task.answered(&walked, vec![case], None, statistics(&spaces, least))))
}

/// The constraints of one part.
fn monitor_of(whole: &Monitor, part: &Apart) -> Monitor {
    Monitor { start: part.constraints.iter().map(|number| whole.start[*number].clone()).collect(), ..whole.clone() }
}

/// What several spaces took together.
fn statistics(spaces: &[OpenSpace<'_>], depth: usize) -> Statistics {
    Statistics {
        states: spaces.iter().map(OpenSpace::len).sum(),
        solver_calls: spaces.iter().map(OpenSpace::solver_calls).sum(),
        depth,
    }
}
