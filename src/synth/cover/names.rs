//! What items are called.

use crate::history::{Constraint, Purpose};
use crate::syntax::Sources;

/// Names of the constraints of a purpose as items, and of others after them, each different.
pub fn item_names(purpose: &Purpose, others: &[String], sources: &Sources) -> Vec<String> {
    let of_constraint = |constraint: &Constraint| {
        let written = || sources.text(constraint.span).split_whitespace().collect::<Vec<_>>().join(" ");
        constraint.item.clone().or(constraint.label.clone()).unwrap_or_else(written)
    };
    let mut names: Vec<String> = vec![];
    for name in purpose.constraints.iter().map(of_constraint).chain(others.iter().cloned()) {
        let same = names.iter().filter(|other| **other == name || other.starts_with(&format!("{name} #"))).count();
        names.push(if same == 0 { name } else { format!("{name} #{}", same + 1) });
    }
    names
}
