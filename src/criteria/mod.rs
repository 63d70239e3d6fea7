//! Coverage criteria: what there is to cover in a model.
//!
//! Each criterion reads the step system and says, item by item, what a run must show over the history lists; what that means
//! as a rule, whether it can be shown, and by which runs, is for others to say. Nothing here searches or looks at runs.
//! Tested by the counts of known models and by coverage that is counted again from the runs.

mod control;
mod data;
mod guards;
mod services;

pub use data::classes_of;

use crate::history::{Criteria, Criterion, CriterionArg, Item, ListKind, NoItems};
use crate::kernel::{IDLE, Lists, Moment, Part, Source, StepSystem};
use crate::term::{Expr, Pattern, Value};

/// The criteria of a model.
#[derive(Clone, Copy, Debug)]
pub struct OfModel<'a> {
    /// The model.
    pub system: &'a StepSystem,
    /// Its lists.
    pub lists: &'a Lists,
}

/// Names of the criteria.
pub const CRITERIA: [&str; 16] = [
    "states",
    "transitions",
    "pairs",
    "triples",
    "switches",
    "event_flow",
    "tags",
    "messages",
    "inputs",
    "branches",
    "mcdc",
    "predicates",
    "violations",
    "corrections",
    "prompts",
    "transactions",
];

/// Longest tuples of transitions.
const MAX_SWITCHES: usize = 8;

const MACHINES: &str = "takes the names of machines, or nothing";

impl Criteria for OfModel<'_> {
    fn items(&self, criterion: &Criterion) -> Result<Vec<Item>, NoItems> {
        let args = &criterion.args;
        match criterion.name.as_str() {
            "states" => Ok(self.states(&self.machines(args)?)),
            "transitions" => Ok(self.transitions(&self.machines(args)?)),
            "pairs" => self.tuples(2, &self.machines(args)?),
            "triples" => self.tuples(3, &self.machines(args)?),
            "switches" => {
                let Some((CriterionArg::Number(k), machines)) = args.split_first() else {
                    return Err(NoItems::Arguments("takes a number, and may take names of machines after it"));
                };
                if *k > MAX_SWITCHES {
                    return Err(NoItems::Arguments("takes a number from 0 to 8"));
                }
                self.tuples(k + 1, &self.machines(machines)?)
            }
            "event_flow" => self.event_flow(args),
            "tags" if args.is_empty() => Ok(self.tags()),
            "messages" if args.is_empty() => Ok(self.messages()),
            "inputs" if args.is_empty() => Ok(self.inputs()),
            "predicates" if args.is_empty() => self.named_conditions(&["violated", "completed"]),
            "violations" if args.is_empty() => self.violation_targets(),
            "corrections" if args.is_empty() => self.named_conditions(&["corrected"]),
            "prompts" if args.is_empty() => self.named_conditions(&["prompted"]),
            "transactions" if args.is_empty() => self.transactions(),
            "predicates" | "violations" | "corrections" | "prompts" | "transactions" => {
                Err(NoItems::Arguments("takes no arguments"))
            }
            "tags" | "messages" | "inputs" => Err(NoItems::Arguments("takes no arguments")),
            "branches" => Ok(self.branches(&self.machines(args)?)),
            "mcdc" => Ok(self.mcdc(&self.machines(args)?)),
            _ => Err(NoItems::Unknown(CRITERIA.to_vec())),
        }
    }
}

impl OfModel<'_> {
    /// The machines that are meant: those with these names, or inside instances with these names; all if none are named.
    fn machines(&self, args: &[CriterionArg]) -> Result<Vec<usize>, NoItems> {
        let all = 0..self.system.machines.len();
        if args.is_empty() {
            return Ok(all.collect());
        }
        let mut meant = vec![];
        for arg in args {
            let CriterionArg::Name(name) = arg else { return Err(NoItems::Arguments(MACHINES)) };
            let is_meant = |machine: &usize| {
                let of = &self.system.machines[*machine].name;
                of == name || of.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(['.', '[']))
            };
            let found: Vec<usize> = all.clone().filter(is_meant).collect();
            if found.is_empty() {
                let known = self.system.machines.iter().map(|machine| machine.name.clone());
                return Err(NoItems::Name(name.clone(), known.collect()));
            }
            meant.extend(found);
        }
        meant.sort_unstable();
        meant.dedup();
        Ok(meant)
    }

    /// The number of a list.
    fn list(&self, source: Source) -> Option<usize> {
        self.lists.sources.iter().position(|known| *known == source)
    }

    /// What stands in front of the names of a machine; nothing if it is the whole model.
    fn prefix(&self, machine: usize) -> String {
        let fired = self.list(Source::Fired(machine)).map(|list| self.lists.names.entries[list].name.as_str());
        fired.and_then(|name| name.strip_suffix("fired")).unwrap_or_default().to_owned()
    }

    /// The transitions of a machine as elements of its list, and what the list holds where it idles.
    fn fired(&self, machine: usize) -> Option<(usize, Vec<Value>, Value)> {
        let list = self.list(Source::Fired(machine))?;
        debug_assert_eq!(self.lists.names.entries[list].kind, ListKind::Fired);
        let count = self.system.machines[machine].transitions.len();
        debug_assert_eq!(self.lists.names.members(list).last(), Some(&IDLE));
        let member = |number: usize| self.lists.names.member(list, number);
        Some((list, (0..count).map(member).collect(), member(count)))
    }

    /// That a machine is in a state before a step.
    fn begins_in(&self, machine: usize, state: u32) -> Option<Expr> {
        let list = self.list(Source::State(machine, Moment::Before))?;
        Some(Expr::slot_is(list, self.lists.names.member(list, state as usize)))
    }

    /// The visible gate of a transition, if it has one; those of its joints are all the same.
    fn gate_of(&self, machine: usize, transition: usize) -> Option<usize> {
        let takes_part = |part: &Part| *part == Part::Switch { machine, transition };
        self.system.joints.iter().find(|joint| joint.parts.iter().any(takes_part)).and_then(|joint| joint.gate)
    }

    /// The lock-step system that a machine is part of.
    fn tick_of(&self, machine: usize) -> Option<usize> {
        self.system.ticks.iter().position(|tick| tick.machines.contains(&machine))
    }
}

/// That an element of a list is there.
fn is_present(list: usize) -> Expr {
    Expr::Test(Box::new(Expr::Slot(list)), Pattern::Any)
}
