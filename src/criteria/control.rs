//! Criteria of control: states, transitions, tuples of transitions, the flow of events, tags.
//!
//! Items are of one machine each, except tags. Idling is nothing to cover and does not count between transitions, and neither
//! do steps that a machine takes no part in.

use std::collections::BTreeSet;

use super::OfModel;
use crate::history::{CriterionArg, Item, NoItems, Wanted};
use crate::kernel::{Moment, Part, SlotKind, Source, Target};
use crate::reach::tuples;
use crate::term::{Expr, Value};

/// Most tuples of one machine.
const MAX_TUPLES: usize = 1_000;

impl OfModel<'_> {
    /// Every state is visited; the one before the first step counts.
    pub(super) fn states(&self, machines: &[usize]) -> Vec<Item> {
        let mut items = vec![];
        for machine in machines {
            let after = self.list(Source::State(*machine, Moment::After));
            let before = self.list(Source::State(*machine, Moment::Before));
            let (Some(after), Some(before)) = (after, before) else { continue };
            for (number, state) in self.system.machines[*machine].states.iter().enumerate() {
                let name = format!("{}{state}", self.prefix(*machine));
                let value = self.lists.names.member(after, number);
                items.push(Item { name, wanted: Wanted::Visit(after, before, value) });
            }
        }
        items
    }

    /// Every transition fires.
    pub(super) fn transitions(&self, machines: &[usize]) -> Vec<Item> {
        let mut items = vec![];
        for machine in machines {
            let Some((list, fired, _)) = self.fired(*machine) else { continue };
            for (transition, value) in self.system.machines[*machine].transitions.iter().zip(fired) {
                let name = format!("{}{}", self.prefix(*machine), transition.name);
                items.push(Item { name, wanted: Wanted::Element(list, value) });
            }
        }
        items
    }

    /// Every tuple of transitions of a machine that follow each other in its states.
    pub(super) fn tuples(&self, length: usize, machines: &[usize]) -> Result<Vec<Item>, NoItems> {
        if length == 1 {
            return Ok(self.transitions(machines));
        }
        let mut items = vec![];
        for machine in machines {
            let Some((list, fired, idle)) = self.fired(*machine) else { continue };
            let transitions = &self.system.machines[*machine].transitions;
            let ends: Vec<(u32, u32)> = transitions.iter().map(|t| (t.source, t.target)).collect();
            let too_many = NoItems::Arguments("asks for more than 1000 tuples of one machine: take a smaller number");
            for tuple in tuples(&ends, length, MAX_TUPLES).ok_or(too_many)? {
                let names: Vec<&str> = tuple.iter().map(|t| transitions[*t].name.as_str()).collect();
                let name = format!("{}({})", self.prefix(*machine), names.join(","));
                let values = tuple.iter().map(|t| fired[*t].clone()).collect();
                items.push(Item { name, wanted: Wanted::InTurn(list, values, idle.clone()) });
            }
        }
        Ok(items)
    }

    /// Every ordered pair of transitions of a machine that interact at the gates and channels named, with no other such
    /// transition between them; at all gates and channels if none are named.
    pub(super) fn event_flow(&self, args: &[CriterionArg]) -> Result<Vec<Item>, NoItems> {
        let mut wanted = BTreeSet::new();
        for arg in args {
            match arg {
                CriterionArg::Name(name) => wanted.insert(name.clone()),
                CriterionArg::Number(_) => {
                    return Err(NoItems::Arguments("takes the names of gates and channels, or nothing"));
                }
            };
        }
        let mut items = vec![];
        for machine in 0..self.system.machines.len() {
            let Some((list, fired, _)) = self.fired(machine) else { continue };
            let transitions = &self.system.machines[machine].transitions;
            // What is written once is one step, from how many states it may be.
            let mut steps: Vec<(&str, Vec<Value>)> = vec![];
            for (number, transition) in transitions.iter().enumerate() {
                let names = self.interactions(machine, number);
                if names.iter().any(|name| wanted.is_empty() || wanted.contains(name)) {
                    let value = fired[number].clone();
                    match steps.iter_mut().find(|(step, _)| *step == transition.step) {
                        Some((_, values)) => values.push(value),
                        None => steps.push((&transition.step, vec![value])),
                    }
                }
            }
            let related: Vec<Value> = steps.iter().flat_map(|(_, values)| values.clone()).collect();
            for (from, first) in &steps {
                for (to, second) in &steps {
                    let name = format!("{}{from} -> {to}", self.prefix(machine));
                    let pair = [first.clone(), second.clone()];
                    items.push(Item { name, wanted: Wanted::Next(list, pair, related.clone()) });
                }
            }
        }
        let known = self.borders();
        match wanted.iter().find(|name| !known.contains(*name)) {
            Some(name) => Err(NoItems::Name(name.clone(), known.into_iter().collect())),
            None => Ok(items),
        }
    }

    /// All gates and channels by name, also those at which no transition interacts.
    fn borders(&self) -> BTreeSet<String> {
        let channels = self.system.slots.iter().filter(|slot| slot.kind != SlotKind::Variable);
        let outputs = self.system.ticks.iter().flat_map(|tick| tick.outputs.iter().map(|(name, _)| name));
        // What a lock-step system shows is known by its inputs and outputs.
        let is_tick = |gate: usize| {
            let joints = self.system.joints.iter().filter(|joint| joint.gate == Some(gate));
            joints.flat_map(|joint| &joint.parts).any(|part| matches!(part, Part::Tick(_)))
        };
        let gates = self.system.gates.iter().enumerate().filter(|(number, _)| !is_tick(*number));
        let gates = gates.map(|(_, gate)| &gate.name);
        channels.map(|slot| &slot.name).chain(outputs).chain(gates).cloned().collect()
    }

    /// The gates and channels at which a transition interacts.
    fn interactions(&self, machine: usize, transition: usize) -> Vec<String> {
        if let Some(gate) = self.gate_of(machine, transition) {
            return vec![self.system.gates[gate].name.clone()];
        }
        let t = &self.system.machines[machine].transitions[transition];
        let is_message = |slot: &usize| self.system.slots.get(*slot).is_some_and(|s| s.kind != SlotKind::Variable);
        let read = t.reads().into_iter().filter(is_message).map(|slot| self.system.slots[slot].name.clone());
        let outputs = self.tick_of(machine).map(|tick| &self.system.ticks[tick].outputs);
        let written = t.sends.iter().filter_map(|send| match send.to {
            Target::Channel(slot) => Some(self.system.slots[slot].name.clone()),
            Target::Output(number) => outputs.and_then(|outputs| outputs.get(number)).map(|(name, _)| name.clone()),
            Target::Nowhere => None,
        });
        read.chain(written).collect()
    }

    /// Every tag: some transition that has it fires.
    pub(super) fn tags(&self) -> Vec<Item> {
        let mut tags: Vec<&String> = vec![];
        for tag in self.system.machines.iter().flat_map(|m| m.transitions.iter().flat_map(|t| &t.tags)) {
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        let mut items = vec![];
        for tag in tags {
            let mut ways = vec![];
            for machine in 0..self.system.machines.len() {
                let Some((list, fired, _)) = self.fired(machine) else { continue };
                let transitions = self.system.machines[machine].transitions.iter().zip(fired);
                ways.extend(transitions.filter(|(t, _)| t.tags.contains(tag)).map(|(_, value)| (list, value)));
            }
            // A tag of one transition asks for what the transition does, which may have the same name.
            let wanted = match &ways[..] {
                [(list, value)] => Some(Wanted::Element(*list, value.clone())),
                _ => Expr::any(ways.into_iter().map(|(list, value)| Expr::slot_is(list, value))).map(Wanted::Condition),
            };
            items.extend(wanted.map(|wanted| Item { name: tag.clone(), wanted }));
        }
        items
    }
}
