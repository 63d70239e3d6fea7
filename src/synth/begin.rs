//! Runs that begin as a known one: one more constraint on a purpose.
//!
//! Each step that is to be alike is a rule of its own, which becomes the rule of the next one; so the constraint is a plain
//! automaton, and every engine treats it like any other.

use super::asked::Asked;
use super::sequence::observations;
use crate::history::{Clause, Constraint, Formula, Rule, RuleUse, When};
use crate::kernel::{Moment, Run, Source, StepSystem, Style};
use crate::syntax::tree::Direction;
use crate::term::{BinaryOp, Expr, Pattern, Value};

/// In what steps are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alike {
    /// The same transitions fire; data is open.
    Fired,
    /// Whoever runs the test gives the same, initial values of open variables included; what the system does is open.
    Inputs,
}

/// The same purpose for runs whose first steps are like those of a run of its model.
pub fn beginning(asked: &Asked, run: &Run, steps: usize, alike: Alike) -> Asked {
    let Asked { system, lists, .. } = asked;
    let observed = observations(system, lists, run);
    let told = observed.iter().take(steps).enumerate().map(|(number, elements)| {
        let is_told = |list: &usize| tells(system, &lists.sources[*list], alike, number == 0);
        (0..elements.len()).filter(is_told).map(|list| (list, elements[list].clone())).collect()
    });
    beginning_with(asked, &told.collect::<Vec<_>>())
}

/// Elements of some lists in one step, by the number of the list.
pub type Told = Vec<(usize, Value)>;

/// The same purpose for runs in whose first steps these elements are seen.
pub fn beginning_with(asked: &Asked, told: &[Told]) -> Asked {
    let mut out = asked.clone();
    let purpose = &mut out.purpose;
    let first_rule = purpose.rules.len();
    // All rules look at the lists of all steps, by the same numbers.
    let mut top: Vec<usize> = vec![];
    for (number, elements) in told.iter().enumerate() {
        for (list, _) in elements {
            if !top.contains(list) {
                top.push(*list);
            }
        }
        let tests = elements.iter().map(|(list, value)| {
            let place = top.iter().position(|known| known == list).unwrap_or(0);
            is(place, value)
        });
        let guard = tests.reduce(|a, b| Expr::Binary(BinaryOp::And, Box::new(a), Box::new(b)));
        let next = RuleUse { rule: first_rule + number + 1, lists: vec![], args: vec![] };
        let becomes = if number + 1 == told.len() { Formula::Decided(true) } else { Formula::Use(next) };
        let clause = |when, guard, becomes| Clause { when, guard, becomes };
        let clauses = vec![
            clause(When::Stop, Expr::TRUE, Formula::Decided(false)),
            clause(When::Element, guard.unwrap_or(Expr::TRUE), becomes),
            clause(When::Element, Expr::TRUE, Formula::Decided(false)),
        ];
        let name = format!("begins at step {}", number + 1);
        purpose.rules.push(Rule { name, lists: 0, params: 0, clauses });
    }
    if purpose.rules.len() == first_rule {
        return out;
    }
    let own: Vec<usize> = (0..top.len()).collect();
    for rule in &mut purpose.rules[first_rule..] {
        rule.lists = top.len();
        for clause in &mut rule.clauses {
            if let Formula::Use(next) = &mut clause.becomes {
                next.lists = own.clone();
            }
        }
    }
    let lists = top.into_iter().map(|list| number_of(&mut purpose.lists, Expr::Slot(list))).collect();
    let formula = Formula::Use(RuleUse { rule: first_rule, lists, args: vec![] });
    purpose.constraints.push(Constraint { item: None, label: None, span: purpose.span, formula });
    out
}

/// Whether a list says in what steps are alike.
fn tells(system: &StepSystem, source: &Source, alike: Alike, is_first: bool) -> bool {
    match (alike, *source) {
        (Alike::Fired, Source::Fired(_)) => true,
        (Alike::Inputs, Source::Gate) => true,
        (Alike::Inputs, Source::Data(gate, place)) => match system.style {
            Style::Lockstep => place < system.ticks[0].inputs.len(),
            Style::Gates => system.gates[gate].direction == Direction::In,
        },
        (Alike::Inputs, Source::Value(slot, Moment::Before)) => is_first && system.slots[slot].init.is_none(),
        _ => false,
    }
}

/// That the element at a place is a value, or absent.
fn is(place: usize, value: &Value) -> Expr {
    let pattern = match value {
        Value::Absent => Pattern::Absent,
        value => Pattern::Equal(Box::new(Expr::Const(value.clone()))),
    };
    Expr::Test(Box::new(Expr::Local(place)), pattern)
}

/// The number of a list of a purpose, which gets it if it does not have it yet.
fn number_of(lists: &mut Vec<Expr>, list: Expr) -> usize {
    lists.iter().position(|known| *known == list).unwrap_or_else(|| {
        lists.push(list);
        lists.len() - 1
    })
}
