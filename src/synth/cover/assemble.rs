//! From the suites of parts to one of the whole.
//!
//! At gates every step is a step of one part, so sequences of different parts are simply taken one after the other. In a
//! lock-step system they are laid over each other, the longest with the longest; where one has ended its part goes on as it
//! will.

use super::part::{OfPart, Plan};
use super::{Found, Minimise};
use crate::kernel::{Run, Step, StepSystem, Style};
use crate::search::Apart;
use crate::synth::sequence::{Disagreement, Planned, steps_along};
use crate::term::{LimitKind, Value};

/// The sequences of the whole.
pub fn runs(system: &StepSystem, parts: &[(Option<Apart>, OfPart)]) -> Result<Vec<Run>, Disagreement> {
    if let [(None, whole)] = parts {
        return whole.plans.iter().map(|plan| steps_along(system, &plan.variables, &plan.steps)).collect();
    }
    let ordered: Vec<(&Apart, Vec<&Plan>)> = parts.iter().filter_map(in_order).collect();
    let count = ordered.iter().map(|(_, plans)| plans.len()).max().unwrap_or(0);
    let of_one = |number: usize| {
        let together = ordered.iter().filter_map(|(part, plans)| Some((*part, *plans.get(number)?))).collect();
        match system.style {
            Style::Gates => in_turn(system, together),
            Style::Lockstep => side_by_side(system, together),
        }
    };
    (0..count).map(of_one).collect()
}

/// The sequences of a part, the longest first.
fn in_order((part, of_part): &(Option<Apart>, OfPart)) -> Option<(&Apart, Vec<&Plan>)> {
    let mut plans: Vec<&Plan> = of_part.plans.iter().collect();
    plans.sort_by_key(|plan| std::cmp::Reverse(plan.steps.len()));
    part.as_ref().map(|part| (part, plans))
}

fn in_turn(system: &StepSystem, plans: Vec<(&Apart, &Plan)>) -> Result<Run, Disagreement> {
    let steps: Vec<Planned> = plans.into_iter().flat_map(|(_, plan)| plan.steps.iter().cloned()).collect();
    steps_along(system, &[], &steps)
}

fn side_by_side(system: &StepSystem, plans: Vec<(&Apart, &Plan)>) -> Result<Run, Disagreement> {
    let limited = |limit: LimitKind| Disagreement::Limit { model: system.name.clone(), limit };
    let initial = system.initial(&[]);
    let mut run = Run { initial: initial.clone(), steps: vec![] };
    let mut state = initial;
    let longest = plans.iter().map(|(_, plan)| plan.steps.len()).max().unwrap_or(0);
    for number in 0..longest {
        let mut inputs = vec![Value::Absent; system.ticks[0].inputs.len()];
        let here: Vec<(&Apart, &Planned)> =
            plans.iter().filter_map(|(part, plan)| Some((*part, plan.steps.get(number)?))).collect();
        for (part, planned) in &here {
            part.inputs.iter().for_each(|place| inputs[*place] = planned.data[*place].clone());
        }
        let fits =
            |step: &Step| here.iter().all(|(_, planned)| planned.fired.iter().all(|one| step.fired.contains(one)));
        let step = system.steps(0, &state, &inputs).map_err(limited)?.into_iter().find(fits);
        let step = step.ok_or_else(|| Disagreement::Step { model: system.name.clone(), step: number + 1 })?;
        state = step.next.clone();
        run.steps.push(step);
    }
    Ok(run)
}

/// What is known of the suite of the whole, from what is known of those of the parts.
pub fn bounds(system: &StepSystem, minimise: Minimise, found: &mut Found) {
    let parts = || found.parts.iter().map(|(_, of_part)| of_part);
    let all_optimal = parts().all(|of_part| of_part.is_optimal);
    if let [(None, whole)] = &found.parts[..] {
        (found.lower_bound, found.is_optimal) = (whole.lower_bound, whole.is_optimal);
        return;
    }
    match system.style {
        Style::Gates => {
            found.lower_bound = parts().map(|of_part| of_part.lower_bound).sum();
            // With as many sequences as another part needs, one may do with fewer steps.
            let mut counts: Vec<usize> = parts().map(|of_part| of_part.plans.len()).filter(|n| *n > 0).collect();
            counts.dedup();
            found.is_optimal = all_optimal && (minimise == Minimise::Steps || counts.len() <= 1);
        }
        Style::Lockstep => {
            found.lower_bound = parts().map(|of_part| of_part.lower_bound).max().unwrap_or(0);
            let lengths = |of_part: &OfPart| {
                let mut lengths: Vec<usize> = of_part.plans.iter().map(|plan| plan.steps.len()).collect();
                lengths.sort_unstable_by(|a, b| b.cmp(a));
                lengths
            };
            let all: Vec<Vec<usize>> = parts().map(lengths).collect();
            let count = all.iter().map(Vec::len).max().unwrap_or(0);
            let longest = |number: usize| all.iter().filter_map(|of_part| of_part.get(number)).max().copied();
            let steps: usize = (0..count).filter_map(longest).sum();
            found.is_optimal = steps <= found.lower_bound;
        }
    }
    if !found.is_optimal {
        found.reason.get_or_insert_with(|| "suites of separate parts were laid over each other".to_owned());
    }
}
