//! Symbolic states as items, beside those of a suite.

use std::collections::BTreeSet;

use num_traits::ToPrimitive;

use super::count::count;
use super::{CoverOptions, Minimise, Sequence, Status, Suite, without_needless};
use crate::conform::definitions::{self, Definitions};
use crate::conform::{Alphabet, ToAttain};
use crate::diagnostic::Rejected;
use crate::model::{Checked, Problem};
use crate::search::{Progress, Question};
use crate::syntax::tree::{Arg, ExprKind, ModelUse};
use crate::synth::asked::Asked;
use crate::synth::sequence::Disagreement;

/// The criterion of symbolic states up to a length.
const SYMBOLIC_STATES: &str = "symbolic_states";

/// Why symbolic states cannot be covered.
#[derive(Debug)]
pub enum NotAttained {
    /// They cannot be listed, for this reason.
    Unlisted(String),
    /// A run is not what it was said to be.
    Disagreement(Disagreement),
}

/// A suite that covers symbolic states up to a length as well: they come after the other items, with these names.
pub fn with_symbolic_states(
    asked: &Asked,
    suite: Suite,
    depth: usize,
    options: &CoverOptions<'_>,
    progress: &mut dyn Progress,
) -> Result<(Suite, Vec<String>), NotAttained> {
    let system = &asked.system;
    let alphabet = Alphabet::of(system);
    let unlisted = |reason: &str| NotAttained::Unlisted(reason.to_owned());
    let mut definitions = Definitions::new(system, &alphabet, (options.solver)())
        .ok_or_else(|| unlisted("the variables of this model cannot be left open"))?;
    let mut cut = None;
    let explored = definitions::explore(&mut definitions, depth, &mut |found| {
        progress.at(depth, found, 0, 0);
        cut = options.limits.used_up();
        cut.is_none()
    });
    if let Some(limit) = cut {
        return Err(NotAttained::Unlisted(limit.to_string()));
    }
    let mut states = ToAttain::new(system, &alphabet, &mut definitions, explored);
    let names = states.names();
    let all: BTreeSet<usize> = (0..names.len()).collect();
    let first = suite.items.len();
    let Suite {
        mut items,
        confirmations,
        mut sequences,
        mut lower_bound,
        least_steps,
        mut is_optimal,
        mut reason,
        statistics,
    } = suite;
    let in_suite = sequences.len();
    let mut left = all.clone();
    for sequence in &mut sequences {
        for (state, step) in states.attained_by(&sequence.run) {
            left.remove(&state);
            sequence.covers.push((first + state, step));
        }
    }
    let (runs, lost) = states.runs(left, &mut || options.limits.used_up().is_none());
    let constraints: Vec<usize> = (0..first).collect();
    let monitor = asked.purpose.monitor(&constraints, None);
    let question = Question { system, lists: &asked.lists, monitor: &monitor };
    for (run, attains) in runs {
        let mut covers = count(&question, &run).map_err(NotAttained::Disagreement)?;
        covers.extend(attains.into_iter().map(|(state, step)| (first + state, step)));
        sequences.push(Sequence { run, covers });
    }
    without_needless(&mut sequences);
    let attained: BTreeSet<usize> = all.difference(&lost).copied().collect();
    let (steps, runs) = states.at_least(&attained);
    let taken: usize = sequences.iter().map(|sequence| sequence.run.steps.len()).sum();
    let is_least = taken == steps && (options.minimise == Minimise::Steps || sequences.len() == runs);
    // With more sequences, what the suite covered before may take fewer steps.
    if sequences.len() > in_suite {
        lower_bound = least_steps;
    }
    lower_bound = lower_bound.max(steps);
    let least_steps = least_steps.max(steps);
    is_optimal &= is_least || sequences.is_empty();
    if !is_optimal {
        reason.get_or_insert_with(|| "symbolic states were attained one by one".to_owned());
    }
    items.extend(all.iter().map(|state| match lost.contains(state) {
        true => Status::Unknown("no run was found".to_owned()),
        false => Status::Covered,
    }));
    if let Some(gap) = definitions.gaps().into_iter().next() {
        (is_optimal, reason) = (false, Some(gap));
    }
    Ok((Suite { items, confirmations, sequences, lower_bound, least_steps, is_optimal, reason, statistics }, names))
}

/// Takes `symbolic_states(n)` out of what is wanted: these are no constraints on lists. The greatest length, if there are any.
pub fn take_symbolic_states(checked: &Checked, wanted: &mut Vec<ModelUse>) -> Result<Option<usize>, Rejected> {
    let is_declared = checked.purposes.iter().any(|purpose| purpose.tree.name.name == SYMBOLIC_STATES);
    let (mut most, mut errors) = (None, vec![]);
    wanted.retain(|one| {
        if one.name.name != SYMBOLIC_STATES || is_declared {
            return true;
        }
        match length_in(&one.args) {
            Some(length) => most = most.max(Some(length)),
            None => {
                let expected = "takes a number, the length of the sequences that lead there".to_owned();
                let problem = Problem::CriterionArguments { name: one.name.name.clone(), expected };
                errors.push(problem.at(one.span));
            }
        }
        false
    });
    if errors.is_empty() { Ok(most) } else { Err(Rejected(errors)) }
}

/// The only argument, if it is a number.
fn length_in(args: &[Arg]) -> Option<usize> {
    match args {
        [Arg { name: None, value }] => match &value.kind {
            ExprKind::Int(number) => number.to_usize(),
            _ => None,
        },
        _ => None,
    }
}
