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
///
/// A suite of the whole is one of each part, in as many sequences; some of them may be empty there. So a part that needs fewer
/// sequences than another one may do with fewer steps than by itself.
pub fn bounds(system: &StepSystem, minimise: Minimise, found: &mut Found) {
    if let [(None, whole)] = &found.parts[..] {
        found.lower_bound = whole.lower_bound;
        found.least_steps = whole.least_steps;
        found.is_optimal = whole.is_optimal;
        return;
    }
    let parts = || found.parts.iter().map(|(_, of_part)| of_part);
    let count = parts().map(|of_part| of_part.plans.len()).max().unwrap_or(0);
    let least_of = |of_part: &OfPart| match minimise {
        Minimise::Sequences if of_part.plans.len() < count => of_part.least_steps,
        _ => of_part.lower_bound,
    };
    let (least, least_steps, steps) = match system.style {
        Style::Gates => {
            let steps = parts().flat_map(|of_part| &of_part.plans).map(|plan| plan.steps.len()).sum::<usize>();
            (parts().map(least_of).sum(), parts().map(|of_part| of_part.least_steps).sum(), steps)
        }
        Style::Lockstep => {
            let lengths = |of_part: &OfPart| {
                let mut lengths: Vec<usize> = of_part.plans.iter().map(|plan| plan.steps.len()).collect();
                lengths.sort_unstable_by(|a, b| b.cmp(a));
                lengths
            };
            let all: Vec<Vec<usize>> = parts().map(lengths).collect();
            let longest = |number: usize| all.iter().filter_map(|of_part| of_part.get(number)).max().copied();
            let steps = (0..count).filter_map(longest).sum::<usize>();
            let most = |least: &dyn Fn(&OfPart) -> usize| parts().map(least).max().unwrap_or(0);
            (most(&least_of), most(&|of_part| of_part.least_steps), steps)
        }
    };
    // Some part is known to need as many sequences as there are.
    let is_fewest = count <= 1 || parts().any(|of_part| of_part.plans.len() == count && of_part.is_optimal);
    let is_optimal = steps <= least && (minimise == Minimise::Steps || is_fewest);
    (found.lower_bound, found.least_steps, found.is_optimal) = (least, least_steps, is_optimal);
    if !is_optimal {
        found.reason.get_or_insert_with(|| "suites of separate parts were laid over each other".to_owned());
    }
}
