//! Whether a run that is known meets a purpose, by the rules over known values.
//!
//! Values that exist once for the run are looked for: one after the other where they can be listed, otherwise by the engines,
//! who are asked for this run and no other; what they say is checked by the rules as well.

use super::answer::Answer;
use super::asked::Asked;
use super::begin::{Told, beginning_with};
use super::generate::{Options, search};
use super::sequence::{Disagreement, observations, open_values, within_limits};
use crate::history::{Constraint, Known, Length, Monitor};
use crate::kernel::Run;
use crate::search::{Progress, Question, combinations};
use crate::term::{LimitKind, Value};

/// What a purpose says of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Meets {
    /// It is met, with these values that exist once for the run.
    Yes(Vec<Value>),
    /// It is not.
    No,
    /// Nobody can tell, for this reason.
    Unknown(String),
}

impl Asked {
    /// The purpose for one of its classes, as one that has no classes.
    pub fn of_class(&self, class: usize) -> Asked {
        let mut out = self.clone();
        let class = self.purpose.classes[class].clone();
        out.purpose.classes.clear();
        out.purpose.constraints.push(Constraint {
            item: None,
            label: None,
            span: class.span,
            formula: class.formula,
            acceptor: None,
        });
        out
    }

    /// The purpose for runs whose length is inside these bounds, too.
    pub fn of_length(&self, length: Length) -> Asked {
        let mut out = self.clone();
        out.purpose.length.push((length, self.purpose.span));
        out
    }

    /// A monitor for all constraints.
    pub(super) fn monitor(&self) -> Monitor {
        self.purpose.monitor(&self.all_constraints(), None)
    }

    pub(super) fn all_constraints(&self) -> Vec<usize> {
        (0..self.purpose.constraints.len()).collect()
    }
}

/// Whether a run of the model meets a purpose that has no classes.
pub fn meets(
    asked: &Asked,
    run: &Run,
    options: &Options<'_>,
    progress: &mut dyn Progress,
) -> Result<Meets, Disagreement> {
    let mut limit = None;
    let meets = within_limits(meets_in_full(asked, run, options, progress), &mut limit)?;
    Ok(meets.unwrap_or_else(|| Meets::Unknown(limit.unwrap_or_default())))
}

fn meets_in_full(
    asked: &Asked,
    run: &Run,
    options: &Options<'_>,
    progress: &mut dyn Progress,
) -> Result<Meets, Disagreement> {
    let Asked { system, lists, purpose } = asked;
    let monitor = asked.monitor();
    let question = Question { system, lists, monitor: &monitor };
    let limited = |limit| Disagreement::Limit { model: system.name.clone(), limit };
    let length = purpose.lengths();
    if !length.contains(run.steps.len()) {
        return Ok(Meets::No);
    }
    if let Some(open) = open_values(&question, run) {
        let is_met = holds(&question, length, &open, run).map_err(limited)?;
        return Ok(if is_met { Meets::Yes(open) } else { Meets::No });
    }
    // All of them were tried.
    if (0..monitor.start.len()).all(|item| combinations(question, item).is_ok()) {
        return Ok(Meets::No);
    }
    let this_one = this_run(asked, run);
    let all = this_one.all_constraints();
    let answered = search(system, lists, &this_one.purpose, &all, None, options, progress)?;
    match (answered.answer, answered.cases.first()) {
        (Answer::Found, Some(case)) if holds(&question, length, &case.open, run).map_err(limited)? => {
            Ok(Meets::Yes(case.open.clone()))
        }
        (Answer::Found, _) => Err(Disagreement::Rules { model: system.name.clone() }),
        (Answer::Impossible, _) => Ok(Meets::No),
        _ => Ok(Meets::Unknown(answered.reason.unwrap_or_else(|| "the engines cannot tell".to_owned()))),
    }
}

/// The purpose for this run and no other.
fn this_run(asked: &Asked, run: &Run) -> Asked {
    let steps = run.steps.len();
    let observed = observations(&asked.system, &asked.lists, run);
    let told: Vec<Told> = observed.into_iter().map(|elements| elements.into_iter().enumerate().collect()).collect();
    beginning_with(&asked.of_length(Length { low: steps, high: Some(steps) }), &told)
}

/// Whether a run has one of the lengths, and all that is asked holds with these values.
pub(super) fn holds(question: &Question<'_>, length: Length, open: &[Value], run: &Run) -> Result<bool, LimitKind> {
    let known = Known { monitor: question.monitor, definitions: &question.lists.names.definitions, open };
    let mut live = known.start()?;
    for observed in observations(question.system, question.lists, run) {
        live = known.advance(&live, &observed)?;
    }
    Ok(length.contains(run.steps.len()) && known.hold_at_stop(&live)?)
}
