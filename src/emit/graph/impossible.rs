//! States and transitions that no run can pass: items of a suite, with a proof.

use super::ModelGraph;
use crate::history::Formula;
use crate::kernel::Source;
use crate::synth::{Asked, Status};
use crate::term::{Expr, Value};

impl ModelGraph {
    /// Marks what was to be covered and is proved to be impossible; items that are neither states nor transitions mark nothing.
    pub fn mark_impossible(&mut self, asked: &Asked, items: &[Status]) {
        for (constraint, status) in asked.purpose.constraints.iter().zip(items) {
            if matches!(status, Status::Impossible(_)) && constraint.item.is_some() {
                self.exclude(&constraint.formula, asked);
            }
        }
    }

    fn exclude(&mut self, formula: &Formula, asked: &Asked) {
        match (formula, element(formula, asked)) {
            (Formula::Use(_), Some((Source::Fired(machine), number))) => {
                if let Some(transition) = self.machines[machine].transitions.get_mut(number) {
                    transition.is_impossible = true;
                }
            }
            (Formula::Any(_), Some((Source::State(machine, _), number))) => {
                if let Some(state) = self.machines[machine].states.get_mut(number) {
                    state.is_impossible = true;
                }
            }
            _ => {}
        }
    }
}

/// The element of a list that the formula of an item asks for, and where the list comes from. A transition is asked for by one
/// rule; a state by two, after some step or before the first one.
fn element(formula: &Formula, asked: &Asked) -> Option<(Source, usize)> {
    let rule = match formula {
        Formula::Any(rules) => rules.first()?,
        one => one,
    };
    let Formula::Use(rule) = rule else { return None };
    let ([list], [Expr::Const(Value::Data(_, number, _))]) = (&rule.lists[..], &rule.args[..]) else { return None };
    match asked.purpose.lists[*list] {
        Expr::Slot(list) => Some((asked.lists.sources[list], *number as usize)),
        _ => None,
    }
}
