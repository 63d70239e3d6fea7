//! Whether a model has a property: a run that breaks it, or a proof that there is none.

use super::super::answer::{Answer, Answered, Case, Verdict};
use super::super::asked::Asked;
use super::super::generate::Options;
use super::super::sequence::Disagreement;
use super::history::Asking;
use crate::history::{Constraint, Formula, NoRules};
use crate::search::Progress;

/// The verdict on a property, with a shortest run that breaks it if there is one.
pub fn property(
    asked: &Asked,
    options: &Options<'_>,
    progress: &mut dyn Progress,
) -> Result<(Verdict, Option<Case>), Disagreement> {
    decided(
        &Asking { system: &asked.system, lists: &asked.lists, property: &asked.purpose, options, never: None },
        asked,
        progress,
    )
}

/// The same with the model that is asked. A run breaks a property where it has begun in a way that no continuation can mend.
pub(super) fn decided(
    asking: &Asking<'_>,
    asked: &Asked,
    progress: &mut dyn Progress,
) -> Result<(Verdict, Option<Case>), Disagreement> {
    let (mut proofs, mut unknown, mut shortest) = (vec![], None, None::<Case>);
    for constraint in &asked.purpose.constraints {
        let mut question = asking.blank();
        // Rules see whole runs, and a run may end anywhere.
        let is_safety = match &constraint.acceptor {
            Some(acceptor) => {
                if let Err(none) = question.purpose.ask(acceptor.violation()) {
                    let reason = match none {
                        NoRules::SeveralVariables => "it is about some values of several variables",
                        NoRules::TooLarge => "there are more ways to break it than can be watched",
                    };
                    unknown = Some(reason.to_owned());
                    continue;
                }
                acceptor.is_safety
            }
            None if !asked.purpose.open.is_empty() => {
                unknown = Some("it is about some value of a whole run".to_owned());
                continue;
            }
            None => {
                let formula = Formula::Not(Box::new(constraint.formula.clone()));
                question.purpose.constraints.push(Constraint { formula, ..constraint.clone() });
                true
            }
        };
        let answered = asking.answer_open(&question, progress)?;
        let proof = answered.proved();
        let Answered { answer, reason, cases, .. } = answered;
        match (answer, proof, cases.into_iter().next()) {
            (Answer::Impossible, Some(proof), _) if is_safety => proofs.push(proof),
            (Answer::Impossible, ..) if !is_safety => {
                let reason = "it says what must happen one day, and no beginning of a run breaks it";
                unknown = unknown.or(Some(reason.to_owned()));
            }
            (Answer::Found, _, Some(case)) => {
                let steps = case.run.steps.len();
                if shortest.as_ref().is_none_or(|known| steps < known.run.steps.len()) {
                    shortest = Some(case);
                }
            }
            _ => {
                let reason = reason.unwrap_or_else(|| "nothing proves that no run breaks it".to_owned());
                unknown = unknown.or(Some(reason));
            }
        }
    }
    Ok(match (shortest, unknown) {
        (Some(case), _) => (Verdict::Broken, Some(case)),
        (None, Some(reason)) => (Verdict::Unknown(reason), None),
        (None, None) => (Verdict::Holds(proofs), None),
    })
}
