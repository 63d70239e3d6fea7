//! What a run covers, by the rules over what the interpreter's steps show.

use crate::history::{Known, Live};
use crate::kernel::Run;
use crate::search::{Question, combinations};
use crate::synth::sequence::{Disagreement, observations};
use crate::term::{LimitKind, Value};

/// Items, in order, with the step after which each is covered.
pub type Counted = Vec<(usize, usize)>;

/// Counts what a run covers.
pub fn count(question: &Question<'_>, run: &Run) -> Result<Counted, Disagreement> {
    let observed = observations(question.system, question.lists, run);
    let mut covered = vec![];
    for item in 0..question.monitor.start.len() {
        let step = covered_at(question, item, &observed);
        let step = step.map_err(|limit| Disagreement::Limit { model: question.system.name.clone(), limit })?;
        covered.extend(step.map(|step| (item, step)));
    }
    Ok(covered)
}

/// The first step after which an item is covered; the last one if it is covered by the end of the run.
fn covered_at(question: &Question<'_>, item: usize, observed: &[Vec<Value>]) -> Result<Option<usize>, LimitKind> {
    let definitions = &question.lists.names.definitions;
    // Values that exist once for the run: the item is covered if it is for some of them.
    let mut first = None;
    for open in combinations(*question, item).unwrap_or_default() {
        let known = Known { monitor: question.monitor, definitions, open: &open };
        let mut live = known.start_of(&question.monitor.start[item])?;
        let mut at = None;
        for (number, elements) in observed.iter().enumerate() {
            live = match known.advance(std::slice::from_ref(&live), elements)?.pop() {
                Some(next) => next,
                None => break,
            };
            if let Live::Decided(truth) = live {
                at = truth.then_some(number + 1);
                break;
            }
        }
        if !matches!(live, Live::Decided(_)) && known.hold_at_stop(std::slice::from_ref(&live))? {
            at = Some(observed.len());
        }
        first = match (first, at) {
            (Some(a), Some(b)) => Some(std::cmp::min(a, b)),
            (a, b) => a.or(b),
        };
    }
    Ok(first)
}
