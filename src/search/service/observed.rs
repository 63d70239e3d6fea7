//! Which events of a service a purpose looks at: only the order of those matters to it.

use std::collections::BTreeSet;

use crate::history::{Formula, Purpose};
use crate::kernel::{Lists, Source, StepSystem};
use crate::model::{Outcome, Shape};
use crate::term::{BinaryOp, Expr, Pattern, Value};

/// The events that are looked at, by name.
pub fn observed_events(system: &StepSystem, lists: &Lists, purpose: &Purpose) -> BTreeSet<String> {
    let mut look = Look { system, lists, all: false, gates: BTreeSet::new() };
    for constraint in &purpose.constraints {
        if let Some(acceptor) = &constraint.acceptor {
            for atom in &acceptor.atoms {
                look.at(&atom.condition);
                atom.fixes.iter().for_each(|(_, value)| look.at(value));
            }
        } else {
            look.formula(&constraint.formula, purpose);
        }
    }
    purpose.classes.iter().for_each(|class| look.formula(&class.formula, purpose));
    let is_seen = |gate: &usize| look.all || look.gates.contains(gate);
    (0..system.gates.len()).filter(is_seen).map(|gate| system.gates[gate].name.clone()).collect()
}

struct Look<'a> {
    system: &'a StepSystem,
    lists: &'a Lists,
    /// Whether every event may be looked at.
    all: bool,
    gates: BTreeSet<usize>,
}

impl Look<'_> {
    /// What rules look at: their lists are all that they see.
    fn formula(&mut self, formula: &Formula, purpose: &Purpose) {
        match formula {
            Formula::Decided(_) => {}
            Formula::Not(inner) => self.formula(inner, purpose),
            Formula::All(parts) | Formula::Any(parts) => parts.iter().for_each(|part| self.formula(part, purpose)),
            Formula::Use(used) => used.lists.iter().for_each(|list| self.at(&purpose.lists[*list])),
        }
    }

    fn at(&mut self, expr: &Expr) {
        if let Some(fired) = self.fired_among(expr) {
            self.fired(&fired);
            return;
        }
        match expr {
            Expr::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
                self.at(a);
                self.at(b);
            }
            Expr::Unary(_, inner) => self.at(inner),
            Expr::Test(of, pattern) => match (&**of, pattern) {
                (Expr::Slot(list), Pattern::Equal(value)) => match (self.lists.sources[*list], &**value) {
                    (Source::Gate, Expr::Const(Value::Data(_, member, _))) => {
                        self.gates.insert(*member as usize);
                    }
                    _ => self.anything(expr),
                },
                _ => self.anything(expr),
            },
            _ => self.anything(expr),
        }
    }

    /// The transitions, if a condition says that one of several fired.
    fn fired_among(&self, expr: &Expr) -> Option<BTreeSet<usize>> {
        match expr {
            Expr::Binary(BinaryOp::Or, a, b) => {
                let mut all = self.fired_among(a)?;
                all.extend(self.fired_among(b)?);
                Some(all)
            }
            Expr::Test(of, Pattern::Equal(value)) => match (&**of, &**value) {
                (Expr::Slot(list), Expr::Const(Value::Data(_, member, _)))
                    if matches!(self.lists.sources[*list], Source::Fired(_)) =>
                {
                    Some(BTreeSet::from([*member as usize]))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Transitions that are looked at together. Whichever event completes a node, or shows that a predicate is violated, is
    /// the same to whom looks for all of them.
    fn fired(&mut self, transitions: &BTreeSet<usize>) {
        let [machine] = &self.system.machines[..] else {
            self.all = true;
            return;
        };
        let Some(shape) = &machine.service else {
            self.all = true;
            return;
        };
        for transition in transitions {
            let Some(t) = machine.transitions.get(*transition) else { continue };
            if !is_whichever(shape, machine, *transition, transitions) {
                let gate = t.gate.as_ref().and_then(|(name, _)| self.system.gates.iter().position(|g| g.name == *name));
                self.gates.extend(gate);
            }
        }
    }

    /// Whatever is read.
    fn anything(&mut self, expr: &Expr) {
        let mut read = vec![];
        expr.map_leaves(&mut |leaf| {
            if let Expr::Slot(list) = leaf {
                read.push(*list);
            }
            None
        });
        for list in read {
            match self.lists.sources[list] {
                Source::Data(gate, _) => {
                    self.gates.insert(gate);
                }
                Source::Gate | Source::Fired(_) | Source::Clock => self.all = true,
                Source::Value(slot, _) => {
                    let collected = self.system.collected_slots();
                    self.all |= collected.contains(&slot);
                }
                Source::State(..) => {}
            }
        }
    }
}

/// Whether all transitions of a node with the same outcome are among those that are looked at.
fn is_whichever(shape: &Shape, machine: &crate::kernel::Machine, transition: usize, among: &BTreeSet<usize>) -> bool {
    let role = shape.roles[transition];
    if !matches!(role.outcome, Outcome::Completed | Outcome::Violated(_)) {
        return false;
    }
    let source = machine.transitions[transition].source;
    (0..shape.roles.len()).all(|other| {
        machine.transitions[other].source != source
            || shape.roles[other].outcome != role.outcome
            || among.contains(&other)
    })
}
