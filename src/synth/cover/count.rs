//! What a run covers, by the rules over what the interpreter's steps show.

use std::collections::BTreeMap;

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
    // Items that see the same values of those that exist once for a run are looked at together.
    let mut together: BTreeMap<Vec<Value>, Vec<usize>> = BTreeMap::new();
    for item in 0..question.monitor.start.len() {
        for open in combinations(*question, item).unwrap_or_default() {
            together.entry(open).or_default().push(item);
        }
    }
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    for (open, items) in together {
        let covered = covered(question, &open, &items, &observed);
        let covered = covered.map_err(|limit| Disagreement::Limit { model: question.system.name.clone(), limit })?;
        // An item is covered if it is for some of the values.
        for (item, step) in covered {
            first.entry(item).and_modify(|first| *first = step.min(*first)).or_insert(step);
        }
    }
    Ok(first.into_iter().collect())
}

/// Which items are covered, each with the first step after which it is; the last one if by the end of the run.
fn covered(
    question: &Question<'_>,
    open: &[Value],
    items: &[usize],
    observed: &[Vec<Value>],
) -> Result<Counted, LimitKind> {
    let known = Known { monitor: question.monitor, definitions: &question.lists.names.definitions, open };
    let starts = items.iter().map(|item| known.start_of(&question.monitor.start[*item]));
    let (mut items, mut live) = (items.to_vec(), starts.collect::<Result<Vec<_>, _>>()?);
    let mut covered = vec![];
    for (number, elements) in observed.iter().enumerate() {
        let next = known.advance(&live, elements)?;
        live.clear();
        let mut left = vec![];
        for (item, next) in items.into_iter().zip(next) {
            match next {
                Live::Decided(true) => covered.push((item, number + 1)),
                Live::Decided(false) => {}
                next => {
                    left.push(item);
                    live.push(next);
                }
            }
        }
        items = left;
    }
    for (item, live) in items.into_iter().zip(live) {
        if known.hold_at_stop(std::slice::from_ref(&live))? {
            covered.push((item, observed.len()));
        }
    }
    Ok(covered)
}
