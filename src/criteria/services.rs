//! Criteria of services: predicates, corrections, prompts, and what follows what.

use super::OfModel;
use crate::history::{Item, NoItems, Wanted};
use crate::kernel::{collecting, transitions_with};
use crate::model::Outcome;
use crate::term::Value;

/// What is said of a model without services.
const NO_SERVICE: &str = "is for services, and there is none in this model";

impl OfModel<'_> {
    /// Every condition that a service has names for, and that begins with one of these words: `violated.transfer.enough`.
    pub(super) fn named_conditions(&self, words: &[&str]) -> Result<Vec<Item>, NoItems> {
        self.has_service()?;
        let is_meant = |name: &str| name.split('.').any(|word| words.contains(&word));
        let conditions = self.lists.names.conditions.iter().filter(|(name, _)| is_meant(name));
        let item = |(name, condition): (&String, &_)| Item {
            name: name.clone(),
            wanted: Wanted::Condition(Clone::clone(condition)),
        };
        Ok(conditions.map(item).collect())
    }

    /// Every predicate whose violation leads somewhere is violated first.
    pub(super) fn violation_targets(&self) -> Result<Vec<Item>, NoItems> {
        let mut items = self.named_conditions(&["violated"])?;
        let mut leading = vec![];
        for machine in 0..self.system.machines.len() {
            let described = &self.system.machines[machine];
            for (node, collect) in described.service.iter().flat_map(collecting) {
                let targets = collect.predicates.iter().filter(|predicate| !predicate.targets.is_empty());
                let name = |p: &str| format!("{}violated.{}.{p}", self.prefix(machine), described.states[node]);
                leading.extend(targets.map(|predicate| name(&predicate.name)));
            }
        }
        items.retain(|item| leading.contains(&item.name));
        Ok(items)
    }

    /// Every pair of nodes that are completed one after the other, with no other node completed between them.
    pub(super) fn transactions(&self) -> Result<Vec<Item>, NoItems> {
        self.has_service()?;
        let mut items = vec![];
        for machine in 0..self.system.machines.len() {
            let described = &self.system.machines[machine];
            let (Some(shape), Some((list, fired, _))) = (&described.service, self.fired(machine)) else { continue };
            let completing = |node: usize| -> Vec<Value> {
                let transitions = transitions_with(described, shape, node, |outcome| outcome == Outcome::Completed);
                transitions.map(|t| fired[t].clone()).collect()
            };
            let nodes: Vec<(&str, Vec<Value>)> =
                collecting(shape).map(|(node, _)| (described.states[node].as_str(), completing(node))).collect();
            let related: Vec<Value> = nodes.iter().flat_map(|(_, values)| values.clone()).collect();
            for (from, first) in &nodes {
                for (to, second) in &nodes {
                    let name = format!("{}{from} -> {to}", self.prefix(machine));
                    let pair = [first.clone(), second.clone()];
                    items.push(Item { name, wanted: Wanted::Next(list, pair, related.clone()) });
                }
            }
        }
        Ok(items)
    }

    fn has_service(&self) -> Result<(), NoItems> {
        match self.system.machines.iter().any(|machine| machine.service.is_some()) {
            true => Ok(()),
            false => Err(NoItems::Arguments(NO_SERVICE)),
        }
    }
}
