//! Pairs in words: where both models are, and what is known of their variables.

use rustc_hash::FxHashMap;

use super::pairs::Pair;
use super::side::Place;
use crate::kernel::StepSystem;
use crate::term::{Definitions, Named, Node, Range, Symbol, Term, Terms, Value, Written};

/// Most pairs that are written down.
const MAX_LINES: usize = 200;

/// One line for each pair: `p1 with l1: a == rp and b == q`.
pub(super) fn in_words<'p>(
    pairs: impl ExactSizeIterator<Item = &'p Pair>,
    implementation: &StepSystem,
    specification: &StepSystem,
    terms: &mut Terms,
    definitions: &Definitions,
) -> Vec<String> {
    let count = pairs.len();
    let mut lines: Vec<String> =
        pairs.take(MAX_LINES).map(|pair| line(pair, implementation, specification, terms, definitions)).collect();
    if count > MAX_LINES {
        lines.push(format!("and {} more", count - MAX_LINES));
    }
    lines
}

/// Where both models are: `p3 with l3, l4, l5`.
pub(super) fn places_in_words(pair: &Pair, [implementation, specification]: [&StepSystem; 2]) -> String {
    let places: Vec<String> = pair.specification.iter().map(|place| name(place, specification)).collect();
    format!("{} with {}", name(&pair.implementation, implementation), places.join(", "))
}

fn name(place: &Place, system: &StepSystem) -> String {
    match place {
        Place::Chaos => "anything".to_owned(),
        Place::Hushed => "anything after an input".to_owned(),
        Place::At { control, pending, .. } => {
            let names: Vec<&str> =
                system.machines.iter().zip(control).map(|(m, s)| m.states[*s as usize].as_str()).collect();
            format!("{}{}", names.join(" "), if pending.is_some() { " (in a tick)" } else { "" })
        }
    }
}

fn line(
    pair: &Pair,
    implementation: &StepSystem,
    specification: &StepSystem,
    terms: &mut Terms,
    definitions: &Definitions,
) -> String {
    let mut held: Vec<(String, Term)> = vec![];
    // Models of the same name are told apart by what they are here.
    let (ours, theirs) = match implementation.name == specification.name {
        true => ("implementation", "specification"),
        false => (implementation.name.as_str(), specification.name.as_str()),
    };
    hold(&mut held, &pair.implementation, implementation, &format!("{ours}."));
    for place in &pair.specification {
        let prefix = match pair.specification.len() {
            1 => format!("{theirs}."),
            _ => format!("{theirs}[{}].", name(place, specification)),
        };
        hold(&mut held, place, specification, &prefix);
    }
    // What is open is called by the first variable that holds it; the others are equal to it.
    let mut names: FxHashMap<Symbol, Named> = FxHashMap::default();
    let mut holders: FxHashMap<Term, String> = FxHashMap::default();
    let mut said: Vec<(String, Result<String, Term>)> = vec![];
    for (name, term) in held {
        let mut is_named = true;
        terms.each_symbol(term, &mut |symbol| is_named &= names.contains_key(&symbol));
        match (terms.node(term), holders.get(&term)) {
            (Node::Const(Value::Absent), _) => {}
            (Node::Const(_), _) => said.push((name, Err(term))),
            (_, Some(holder)) => said.push((name, Ok(holder.clone()))),
            (Node::Symbol(symbol), None) => {
                names.insert(*symbol, name.clone().into());
                holders.insert(term, name);
            }
            (_, None) => {
                holders.insert(term, name.clone());
                if is_named {
                    said.push((name, Err(term)));
                }
            }
        }
    }
    let mut known = vec![];
    for (number, range) in pair.ranges.iter().enumerate() {
        if !matches!(range, Range::Bool) {
            let symbol = terms.symbol(Symbol { number: number as u32, sort: range.sort() });
            known.extend(range.conditions(terms, symbol));
        }
    }
    known.extend(&pair.residual);
    let written = Written { terms, definitions, names, met: FxHashMap::default() };
    let equal = said.iter().map(|(name, what)| match what {
        Ok(holder) => format!("{name} == {holder}"),
        Err(term) => format!("{name} == {}", written.term(*term)),
    });
    let is_named = |term: &&Term| {
        let mut is_named = !written.terms.is(**term, true);
        written.terms.each_symbol(**term, &mut |symbol| is_named &= written.names.contains_key(&symbol));
        is_named
    };
    let known = known.iter().filter(is_named).map(|term| written.term(*term));
    let facts: Vec<String> = equal.chain(known).collect();
    let facts = if facts.is_empty() { String::new() } else { format!(": {}", facts.join(" and ")) };
    format!("{}{facts}", places_in_words(pair, [implementation, specification]))
}

/// The variables of a place with their values.
fn hold(held: &mut Vec<(String, Term)>, place: &Place, system: &StepSystem, prefix: &str) {
    if let Place::At { values, pending, .. } = place {
        held.extend(system.slots.iter().zip(values).map(|(slot, term)| (format!("{prefix}{}", slot.name), *term)));
        for (number, term) in pending.iter().flat_map(|(_, data)| data).enumerate() {
            held.push((format!("{prefix}output{number}"), *term));
        }
    }
}
