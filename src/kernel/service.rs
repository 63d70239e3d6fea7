//! What can be said of a step of a service: which predicate was violated, which node was completed, what is missing.

use std::collections::{BTreeMap, BTreeSet};

use super::lists::{Moment, Source, position};
use super::system::*;
use crate::history::ListNames;
use crate::model::{Collect, Collected, Node, Outcome, Shape};
use crate::term::{Definitions, Expr, Pattern, UnaryOp, Value};

impl StepSystem {
    /// Slots that keep the events which the nodes of services have collected.
    pub fn collected_slots(&self) -> BTreeSet<usize> {
        let shapes = self.machines.iter().filter_map(|machine| machine.service.as_ref());
        shapes.flat_map(collecting).flat_map(|(_, collect)| &collect.events).map(|event| event.given).collect()
    }
}

/// The nodes of a service that collect events, by number.
pub fn collecting(shape: &Shape) -> impl Iterator<Item = (usize, &Collect)> {
    shape.nodes.iter().enumerate().filter_map(|(number, node)| match node {
        Node::Collect(collect) => Some((number, collect)),
        _ => None,
    })
}

/// The transitions of a service from a node with a certain outcome.
pub fn transitions_with<'m>(
    machine: &'m Machine,
    shape: &'m Shape,
    node: usize,
    is_meant: impl Fn(Outcome) -> bool + 'm,
) -> impl Iterator<Item = usize> + 'm {
    let of_node = machine.transitions.iter().zip(&shape.roles).enumerate();
    of_node.filter(move |(_, (t, role))| t.source as usize == node && is_meant(role.outcome)).map(|(number, _)| number)
}

/// `completed.NODE`, `violated.NODE.PREDICATE`, `corrected.NODE.EVENT` and `prompted.NODE.EVENT`, for every service.
pub(super) fn conditions(system: &StepSystem, names: &ListNames, sources: &[Source]) -> BTreeMap<String, Expr> {
    let mut out = BTreeMap::new();
    for (number, machine) in system.machines.iter().enumerate() {
        let Some(shape) = &machine.service else { continue };
        let fired = position(sources, Source::Fired(number));
        let state = position(sources, Source::State(number, Moment::After));
        let prefix = names.entries[fired].name.strip_suffix("fired");
        let prefix = prefix.expect("the list of transitions is called `fired`").to_owned();
        let one_of = |transitions: &mut dyn Iterator<Item = usize>| {
            Expr::any(transitions.map(|t| Expr::slot_is(fired, names.member(fired, t))))
        };
        for (node, collect) in collecting(shape) {
            let name = &machine.states[node];
            let mut say = |what: String, condition: Option<Expr>| {
                out.extend(condition.map(|condition| (format!("{prefix}{what}"), condition)));
            };
            let completed =
                one_of(&mut transitions_with(machine, shape, node, |outcome| outcome == Outcome::Completed));
            say(format!("completed.{name}"), completed);
            for (place, predicate) in collect.predicates.iter().enumerate() {
                let violated = move |outcome| outcome == Outcome::Violated(place);
                let violated = one_of(&mut transitions_with(machine, shape, node, violated));
                say(format!("violated.{name}.{}", predicate.name), violated);
            }
            for (place, event) in collect.events.iter().enumerate() {
                let corrects = |t: &usize| {
                    machine.transitions[*t].source as usize == node
                        && shape.roles[*t].correction
                        && shape.roles[*t].event == Some(place)
                };
                say(format!("corrected.{name}.{}", event.event), one_of(&mut (0..shape.roles.len()).filter(corrects)));
                let given = position(sources, Source::Value(event.given, Moment::After));
                let waits = Expr::slot_is(state, names.member(state, node));
                say(format!("prompted.{name}.{}", event.event), Some(Expr::all([waits, is_missing(event, given)])));
            }
        }
    }
    out
}

/// That an event has not been given.
fn is_missing(event: &Collected, list: usize) -> Expr {
    match event.has_value {
        true => Expr::Test(Box::new(Expr::Slot(list)), Pattern::Data(Definitions::OPTION, 0, vec![])),
        false => Expr::Unary(UnaryOp::Not, Box::new(Expr::slot_is(list, Value::Bool(true)))),
    }
}
