//! What is said about a wrong observation: the trace to it, what was allowed instead, what forbids it. Nothing is said that
//! the reference interpreter has not confirmed: the implementation has this run, the specification has the trace, but not
//! with this end.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::Options;
use super::alphabet::Alphabet;
use super::observed::{Happened, shown, trace_for};
use super::pairs::Finding;
use crate::kernel::{
    Explanation, Given, Joint, Part, Replay, State, StepSystem, replay, replay_completed, states_after,
};
use crate::search::effect;
use crate::syntax::tree::Direction;
use crate::term::{Assumed, Node, Store, Symbol, Term, Terms, Value, Written, open};

/// A trace and a wrong observation after it.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// Values of the implementation's open variables before the first step, by slot.
    pub initial: Vec<(usize, Value)>,
    /// The trace, which both models have.
    pub trace: Vec<Happened>,
    /// What the implementation shows after it.
    pub observed: Happened,
    /// What the specification allows there.
    pub allowed: Vec<String>,
    /// Transitions of the specification that can still happen there without an input.
    pub pending: Vec<(usize, usize)>,
    /// Why the specification does not.
    pub forbidden: Box<Explanation>,
}

/// The finding, if the interpreter agrees.
pub(super) fn confirmed(
    implementation: &StepSystem,
    specification: &StepSystem,
    alphabet: &Alphabet,
    options: &Options,
    finding: &Finding,
) -> Option<Counterexample> {
    let completion = options.completion;
    let whole: Vec<Happened> = finding.trace.iter().cloned().chain([finding.observed.clone()]).collect();
    let given = Default::default();
    let initial: Vec<(usize, Value)> =
        implementation.open_slots().into_iter().zip(finding.initial.iter().cloned()).collect();
    let mut run = trace_for(implementation, &alphabet.implementation, alphabet, &whole)?;
    run.initial = initial.iter().cloned().collect();
    if replay_completed(implementation, &run, &given, completion).ok()? != Replay::Accepted {
        return None;
    }
    let prefix = trace_for(specification, &alphabet.specification, alphabet, &finding.trace)?;
    if replay(specification, &prefix, &given).ok()? != Replay::Accepted {
        return None;
    }
    if options.is_universal && is_refused(specification, alphabet, &finding.trace)? {
        return None;
    }
    // A label that the specification does not have is wrong wherever it is seen.
    let forbidden = match trace_for(specification, &alphabet.specification, alphabet, &whole) {
        None => Box::new(Explanation::at(prefix.steps.len() + 1)),
        Some(run) => match replay(specification, &run, &given).ok()? {
            Replay::Accepted => return None,
            Replay::Rejected(explanation) => explanation,
        },
    };
    let (allowed, pending) = match owed(specification, alphabet, &finding.trace) {
        Some(outputs) => (outputs?, vec![]),
        None => possible(specification, &states_after(specification, &prefix, &given).ok()??),
    };
    let Finding { trace, observed, .. } = finding.clone();
    Some(Counterexample { initial, trace, observed, allowed, pending, forbidden })
}

/// What the outputs of a tick may be, if a trace ends between its inputs and its outputs; nothing inside where this cannot be
/// told.
fn owed(specification: &StepSystem, alphabet: &Alphabet, trace: &[Happened]) -> Option<Option<Vec<String>>> {
    let Some((Happened::Label(first, inputs), before)) = trace.split_last() else { return None };
    let described = &alphabet.labels[*first];
    if !described.is_tick || described.direction != Direction::In {
        return None;
    }
    Some(outputs_of(specification, alphabet, before, (*first, inputs)))
}

/// The outputs with which a tick may end, in words.
fn outputs_of(
    specification: &StepSystem,
    alphabet: &Alphabet,
    before: &[Happened],
    (first, inputs): (usize, &[Value]),
) -> Option<Vec<String>> {
    let ports = &alphabet.specification;
    let port = ports[first].as_ref()?;
    let end = (0..ports.len()).find(|label| {
        alphabet.labels[*label].direction == Direction::Out
            && ports[*label].as_ref().is_some_and(|other| other.gate == port.gate)
    })?;
    let places = &ports[end].as_ref()?.places;
    let mut data = vec![Value::Absent; port.places.len()];
    for (place, value) in port.places.iter().zip(inputs) {
        data[*place] = value.clone();
    }
    let prefix = trace_for(specification, ports, alphabet, before)?;
    let mut out = BTreeSet::new();
    for state in states_after(specification, &prefix, &Given::default()).ok()?? {
        for (joint, described) in specification.joints.iter().enumerate() {
            let is_tick = matches!(described.parts[..], [Part::Tick(_)]);
            if !is_tick || described.gate != Some(port.gate) || !specification.at_source(joint, &state) {
                continue;
            }
            for step in specification.steps(joint, &state, &data).ok()? {
                let outputs = places.iter().map(|place| step.data[*place].clone()).collect();
                out.insert(shown(&Happened::Label(end, outputs), alphabet, &specification.definitions));
            }
        }
    }
    Some(out.into_iter().collect())
}

/// Whether some input of a trace is refused in one of the states that the specification may be in before it.
fn is_refused(specification: &StepSystem, alphabet: &Alphabet, trace: &[Happened]) -> Option<bool> {
    let given = Default::default();
    for (number, happened) in trace.iter().enumerate() {
        let Happened::Label(label, _) = happened else { continue };
        if alphabet.labels[*label].direction != Direction::In {
            continue;
        }
        let ports = &alphabet.specification;
        let before = trace_for(specification, ports, alphabet, &trace[..number])?;
        let input = trace_for(specification, ports, alphabet, std::slice::from_ref(happened))?;
        for state in states_after(specification, &before, &given).ok()?? {
            if specification.refuses(&state, input.steps.first(), &given).ok()? {
                return Some(true);
            }
        }
    }
    Some(false)
}

/// What states may show, in words, and the transitions that may happen without an input.
fn possible(system: &StepSystem, states: &BTreeSet<State>) -> (Vec<String>, Vec<(usize, usize)>) {
    let (mut shown, mut pending) = (vec![], vec![]);
    let mut is_silent = false;
    for state in states {
        let before = pending.len();
        for joint in &system.joints {
            let is_input = joint.gate.is_some_and(|gate| system.gates[gate].direction == Direction::In);
            let Some(text) = (if is_input { None } else { in_words(system, joint, state) }) else { continue };
            if joint.gate.is_some() && !shown.contains(&text) {
                shown.push(text);
            }
            let parts = joint.parts.iter().filter_map(|part| match part {
                Part::Switch { machine, transition } => Some((*machine, *transition)),
                Part::Tick(_) => None,
            });
            pending.extend(parts);
        }
        is_silent |= pending.len() == before || system.is_endless(state, &Given::default()).unwrap_or(false);
    }
    pending.sort_unstable();
    pending.dedup();
    if is_silent {
        shown.push("delta".to_owned());
    }
    (shown, pending)
}

/// A step from a state, with what is asked of its data: `!gq(ref, prod, quant) with prod == 0 and quant < 1`.
fn in_words(system: &StepSystem, joint: &Joint, state: &State) -> Option<String> {
    let definitions = &system.definitions;
    let (mut terms, mut store) = (Terms::new(), Store::default());
    let mut names = FxHashMap::default();
    let mut data = vec![];
    let mut left_out = BTreeSet::new();
    for (name, types) in &joint.params {
        let first = store.ranges.len() as u32;
        let opened = open(&types[0], &mut store, &mut terms, definitions).ok()?.noting(&mut left_out);
        for condition in opened.conditions {
            store.assume(&mut terms, condition);
        }
        for (number, range) in store.ranges.iter().enumerate().skip(first as usize) {
            names.insert(Symbol { number: number as u32, sort: range.sort() }, name.clone().into());
        }
        data.push(opened.value);
    }
    let values: Vec<Term> = state.values.iter().map(|value| terms.constant(value.clone())).collect();
    let mut conditions = vec![];
    for part in &joint.parts {
        let Part::Switch { machine, transition } = *part else { return None };
        let t = &system.machines[machine].transitions[transition];
        if state.control[machine] != t.source {
            return None;
        }
        conditions.push(effect(&mut terms, definitions, (transition, t), &values, &data).ok()??.enabled);
    }
    let condition = terms.all(conditions);
    let is_open = store.decide(&terms, condition) != Some(true);
    if store.clone().assume(&mut terms, condition) == Assumed::Impossible && left_out.is_empty() {
        return None;
    }
    let Some(gate) = joint.gate else { return Some("tau".to_owned()) };
    let params: Vec<&str> = joint.params.iter().map(|(name, _)| name.as_str()).collect();
    let label = format!("!{}({})", system.gates[gate].name, params.join(", "));
    // What the types ask for anyway is not worth a word.
    let parts = match terms.node(condition).clone() {
        Node::And(parts) => parts,
        _ => vec![condition],
    };
    let parts: Vec<Term> = parts.into_iter().filter(|part| store.decide(&terms, *part) != Some(true)).collect();
    let written = Written { terms: &terms, definitions, names, met: FxHashMap::default() };
    let parts: Vec<String> = parts.into_iter().map(|part| written.term(part)).collect();
    Some(if is_open { format!("{label} with {}", parts.join(" and ")) } else { label })
}
