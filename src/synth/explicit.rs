//! The explicit engine on one question: all constraints of a purpose, met by one run, are items to be covered by it.

use super::answer::{Answered, Statistics};
use super::describe::{Description, MakeSolver, Said, describe_run};
use super::engine::{Task, Walked};
use super::sequence::{Disagreement, Planned, open_values, steps_along, within_limits};
use crate::kernel::{Run, StepSystem, Style};
use crate::search::cover::{Graph, ItemSet, Shape, Steps, Wish, best};
use crate::search::{Limit, Packed, PackedSpace, Path, Progress, control_tables};
use crate::solve::Stop;
use crate::term::{Shown, Unsupported, Value};

/// States that may be visited, for each step between states that other engines are allowed.
const STATES_PER_STEP: usize = 10;
/// Nodes that are looked at before the search begins, for each such step.
const NODES_PER_STEP: usize = 20;
/// States that are visited before anything is prepared: most answers are near.
const NEAR: usize = 1_000;

/// Searches concrete states; none if values cannot be listed.
pub(super) fn explicit(
    task: &Task<'_>,
    is_beaten: &Stop,
    progress: &mut dyn Progress,
) -> Result<Option<Answered>, Disagreement> {
    let packed = match task.options.limits.attempt(|| Packed::new(task.question, None, None)) {
        Ok(Ok(packed)) => packed,
        Ok(Err(_)) => return Ok(None),
        Err(limit) => return Ok(Some(task.cut(limit))),
    };
    let (walked, states, mut graph);
    if task.options.all || task.length.low > 0 {
        let mut space = PackedSpace::new(task.question, packed, &task.options.limits);
        let mut found = task.walk(&mut space, |space| (space.len(), 0), is_beaten, progress);
        found.paths = found.paths.iter().map(|path| space.path(path)).collect();
        (walked, states) = (found, space.len());
        graph = space.into_graph();
    } else {
        graph = Graph::new(packed);
        graph.keep_to(task.options.limits);
        (walked, states) = shortest(task, &mut graph, is_beaten, progress);
    }
    let gap = graph.steps.gap();
    let (mut cases, mut limit) = (vec![], None);
    for path in &walked.paths {
        let variables = graph.steps.opened(path.start);
        let plan = planned(&mut graph, path);
        let steps = steps_along(task.question.system, &variables, &plan);
        let Some(steps) = within_limits(steps, &mut limit)? else { continue };
        let Some(open) = open_values(&task.question, &steps) else { continue };
        let describe = |run: &Run, open: &[Value], solver: MakeSolver<'_>| {
            let known = |gap| Description { gap, ..known_data(task.question.system, &variables, &plan) };
            match task.question.is_closed() {
                true => known(None),
                false => describe_run(task.question, run, open, solver)
                    .unwrap_or_else(|Unsupported(reason)| known(Some(reason))),
            }
        };
        cases.extend(within_limits(task.case(&variables, &open, &plan, describe), &mut limit)?);
    }
    let statistics = Statistics { states, solver_calls: 0, depth: walked.depth };
    let answered = task.answered(&walked, cases, limit.or(gap), statistics);
    Ok(Some(Answered { proof: answered.proof.map(|proof| proof.of_concrete_states()), ..answered }))
}

/// A shortest run, and how many states were looked at.
fn shortest(
    task: &Task<'_>,
    graph: &mut Graph<Packed<'_>>,
    is_beaten: &Stop,
    progress: &mut dyn Progress,
) -> (Walked, usize) {
    let wanted = ItemSet::first(task.question.monitor.start.len());
    let mut hit = None;
    let limits = task.options.limits;
    let used_up = || limits.used_up().or(is_beaten().then_some(Limit::Interrupted));
    let mut tables = |wanted: &ItemSet| control_tables(task.question, wanted, false, &limits);
    let wish =
        Wish { shape: Shape::One, wanted: &wanted, most: task.length.high, effort: NEAR, work: usize::MAX, limits };
    let mut go_on = |depth: usize, open: usize, states: usize| {
        progress.at(depth, states, open, 0);
        hit = used_up();
        hit.is_none()
    };
    let mut result = best(graph, wish, &mut tables, &mut go_on);
    if !(result.is_optimal || result.is_exhausted) {
        let nodes = task.work.saturating_mul(NODES_PER_STEP);
        explore(graph, nodes, &mut go_on);
        let effort = task.work.saturating_mul(STATES_PER_STEP);
        let further = best(graph, Wish { effort, ..wish }, &mut tables, &mut go_on);
        // What was known before is still true.
        result = crate::search::cover::Best { lower_bound: further.lower_bound.max(result.lower_bound), ..further };
    }
    let states = graph.len().max(result.states);
    if graph.is_cut() {
        hit = hit.or_else(used_up).or(Some(Limit::Work));
    }
    // Nothing is said of what was looked at by half.
    let is_whole = !graph.is_cut();
    let never_met = result.impossible.iter().next().filter(|_| is_whole);
    let is_too_long = task.length.high.is_some_and(|high| result.lower_bound > high);
    let is_exhausted = is_whole && (result.is_exhausted || is_too_long);
    let paths: Vec<Path> = result.found.unwrap_or_default();
    let depth =
        paths.first().map_or(0, |path| path.steps.len()).max(task.length.high.filter(|_| is_exhausted).unwrap_or(0));
    let hit = hit.or((paths.is_empty() && !is_exhausted).then_some(Limit::Work));
    let at_least = Some(result.lower_bound).filter(|_| is_whole && !paths.is_empty());
    (Walked { paths, is_exhausted, hit, unknown_at: None, depth, at_least, never_met }, states)
}

/// Looks at nodes breadth first, as many as there are or as allowed; whether that was all.
pub(super) fn explore<S: Steps>(
    graph: &mut Graph<S>,
    most: usize,
    go_on: &mut dyn FnMut(usize, usize, usize) -> bool,
) -> bool {
    const ASK_EVERY: usize = 256;
    let mut at = 0;
    while at < graph.len() && at < most {
        graph.edges(at as u32);
        at += 1;
        if at.is_multiple_of(ASK_EVERY) && !go_on(0, graph.len() - at, graph.len()) {
            break;
        }
    }
    graph.is_complete()
}

/// The steps of a path, ready to be replayed.
pub(super) fn planned(graph: &mut Graph<Packed<'_>>, path: &Path) -> Vec<Planned> {
    let steps = graph.run(path).into_iter();
    steps.map(|(joint, fired, data)| Planned { joint, fired, data }).collect()
}

/// Everything is known.
pub(super) fn known_data(system: &StepSystem, variables: &[Value], plan: &[Planned]) -> Description {
    let show = |value: &Value| match value {
        Value::Absent => "absent".to_owned(),
        value => Shown { value, definitions: &system.definitions }.to_string(),
    };
    let mut inputs = vec![];
    for (slot, value) in system.open_slots().into_iter().zip(variables) {
        inputs.push(Said { step: 0, name: system.slots[slot].name.clone(), text: show(value) });
    }
    for (number, step) in plan.iter().enumerate() {
        let joint = &system.joints[step.joint];
        for ((name, _), value) in joint.params.iter().zip(&step.data).take(system.given_to(step.joint)) {
            let name = match (system.style, joint.gate) {
                (Style::Gates, Some(gate)) => format!("{}.{name}", system.gates[gate].name),
                _ => name.clone(),
            };
            inputs.push(Said { step: number + 1, name, text: show(value) });
        }
    }
    Description { inputs, ..Description::default() }
}
