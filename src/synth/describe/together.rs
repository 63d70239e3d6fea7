//! Relations that a person would say together, or in other words than they were found in: that many values all differ, that a
//! collection contains something.

use std::collections::BTreeSet;

use super::unsaid::Spot;
use crate::term::{Named, Node, Store, Symbol, Term, Terms, Value, Written};

/// The relations in words.
pub(super) fn in_words(relations: &[Term], contained: &[Option<String>], written: &Written<'_>) -> Vec<String> {
    let unequal: Vec<Option<[Symbol; 2]>> = relations.iter().map(|one| differ(written, *one)).collect();
    let mut left: BTreeSet<[Symbol; 2]> = unequal.iter().flatten().copied().collect();
    let mut out = vec![];
    for ((relation, pair), contains) in relations.iter().zip(unequal).zip(contained) {
        match (pair, contains) {
            (Some(pair), _) if !left.contains(&pair) => {}
            (Some(pair), _) => {
                let all = all_apart(pair, &left, written);
                left.retain(|pair| !pair.iter().all(|one| all.contains(one)));
                out.push(match &all[..] {
                    [before @ .., last] if before.len() > 1 => {
                        let before: Vec<String> = before.iter().map(|one| name(written, *one)).collect();
                        format!("{} and {} all differ", before.join(", "), name(written, *last))
                    }
                    _ => written.term(*relation),
                });
            }
            (None, Some(text)) => out.push(text.clone()),
            (None, None) => out.push(written.term(*relation)),
        }
    }
    out
}

fn name(written: &Written<'_>, symbol: Symbol) -> String {
    match written.names.get(&symbol) {
        Some(Named::Value(name)) => name.clone(),
        _ => "_".to_owned(),
    }
}

/// Two symbols that are said to be different, in the order in which they are met.
fn differ(written: &Written<'_>, relation: Term) -> Option<[Symbol; 2]> {
    let terms = written.terms;
    let Node::Not(inner) = terms.node(relation) else { return None };
    let symbol = |term: Term| match terms.node(term) {
        Node::Symbol(symbol) => Some(*symbol),
        _ => None,
    };
    let (a, b) = match terms.node(*inner) {
        Node::Same(a, b) => (symbol(*a)?, symbol(*b)?),
        Node::IsZero(sum) => match terms.node(*sum) {
            Node::Sum(sum) if sum.constant.is_zero() => match &sum.parts[..] {
                [(a, one), (b, other)] if *one == -other => (symbol(*a)?, symbol(*b)?),
                _ => return None,
            },
            _ => return None,
        },
        _ => return None,
    };
    let met = |symbol: Symbol| written.met.get(&symbol).copied().unwrap_or(usize::MAX);
    Some(if (met(b), b) < (met(a), a) { [b, a] } else { [a, b] })
}

/// Symbols that all differ from each other, among them two that do.
fn all_apart(pair: [Symbol; 2], left: &BTreeSet<[Symbol; 2]>, written: &Written<'_>) -> Vec<Symbol> {
    let mut all = pair.to_vec();
    let mut others: Vec<Symbol> = left.iter().flatten().copied().filter(|one| !pair.contains(one)).collect();
    let met = |symbol: &Symbol| (written.met.get(symbol).copied().unwrap_or(usize::MAX), *symbol);
    others.sort_by_key(met);
    others.dedup();
    for other in others {
        if all.iter().all(|one| left.contains(&[*one, other]) || left.contains(&[other, *one])) {
            all.push(other);
        }
    }
    all.sort_by_key(met);
    all
}

/// That a set or a list contains a value, or does not, if that is what a relation says.
pub(super) fn contained(
    terms: &mut Terms,
    store: &Store,
    relation: Term,
    spots: &[Spot],
    show: &dyn Fn(&Value) -> String,
) -> Option<String> {
    let own = terms.symbols(relation);
    let spot = spots.iter().find(|spot| own.is_subset(&terms.symbols(spot.term)))?;
    let not = terms.not(relation);
    let mut values = BTreeSet::new();
    compared(terms, relation, &mut values);
    for value in values {
        let wanted = terms.constant(value.clone());
        let has = terms.below_choices(spot.term, &mut |terms, collection| {
            let members = terms.as_set(collection).or_else(|| terms.as_list(collection)).unwrap_or_default();
            terms.is_among(wanted, &members)
        });
        let is_said = |terms: &Terms, relation: Term| match terms.node(has) {
            Node::And(parts) => parts.iter().all(|part| *part == relation || store.decide(terms, *part) == Some(true)),
            _ => has == relation,
        };
        if is_said(terms, relation) {
            return Some(format!("{} contains {}", spot.stand.text(), show(&value)));
        }
        if is_said(terms, not) {
            return Some(format!("{} does not contain {}", spot.stand.text(), show(&value)));
        }
    }
    None
}

/// Values that something is compared with.
fn compared(terms: &Terms, condition: Term, out: &mut BTreeSet<Value>) {
    for atom in terms.atoms(condition) {
        match terms.node(atom) {
            Node::IsZero(sum) => {
                if let Some((_, factor, constant)) = terms.lone_symbol(*sum) {
                    out.insert(Value::Int((-constant / factor).to_integer()));
                }
            }
            Node::Same(a, b) => out.extend([a, b].into_iter().filter_map(|side| terms.value(*side).cloned())),
            _ => {}
        }
    }
}
