//! The data of sequences that belong to one test case, as a table: what differs, and why it was chosen.

use super::run::{columns, event_label};
use crate::kernel::{StepSystem, Style};
use crate::syntax::tree::Direction;
use crate::synth::Case;
use crate::term::{Shown, Value};

/// One line for each sequence, with the inputs that are not the same in all of them.
pub fn data_text(cases: &[Case], system: &StepSystem) -> String {
    let of_cases: Vec<Vec<(String, String)>> = cases.iter().map(|case| given(case, system)).collect();
    // The first one takes all steps of the case; what is refused in another may stand where the case has something else.
    let steps = of_cases.first().cloned().unwrap_or_default();
    let at = |given: &[(String, String)], place: usize| {
        let name = &steps[place].0;
        given.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value).to_owned()
    };
    let differs = |place: &usize| of_cases.iter().any(|given| at(given, *place) != at(&of_cases[0], *place));
    let shown: Vec<usize> = (0..steps.len()).filter(differs).collect();
    if shown.is_empty() && cases.len() == 1 {
        return String::new();
    }
    let mut header = vec!["data".to_owned()];
    header.extend(shown.iter().map(|place| steps[*place].0.clone()));
    let has_reasons = cases.iter().any(|case| case.origin.iter().any(|origin| !origin.reasons.is_empty()));
    if has_reasons {
        header.push("why".to_owned());
    }
    // Without a reason is the run that was found, or, where there are several, what was chosen by chance or in pairs.
    let without = |case: &&Case| case.origin.iter().any(|origin| origin.reasons.is_empty());
    let found_first = cases.iter().filter(without).count() == 1;
    let mut rows = vec![header];
    for (number, (case, given)) in cases.iter().zip(&of_cases).enumerate() {
        let mut row = vec![(number + 1).to_string()];
        row.extend(shown.iter().map(|place| at(given, *place)));
        let mut why: Vec<String> = case.origin.iter().flat_map(|origin| origin.reasons.clone()).collect();
        match case.origin.as_ref().map(|origin| (&origin.refused, origin.leaves_at)) {
            Some((Some(refused), _)) => {
                let joint = &system.joints[refused.joint];
                why.push(format!("refused: {}", event_label(system, joint.gate, &refused.data, &joint.params)));
            }
            Some((None, Some(step))) => why.push(format!("another way from step {step} on")),
            _ => {}
        }
        if has_reasons {
            let why = if why.is_empty() && found_first { "found first".to_owned() } else { why.join("; ") };
            row.push(why);
        }
        rows.push(row);
    }
    columns(&rows).lines().map(|line| format!("    {line}\n")).collect()
}

/// What whoever runs the test gives, and what must be refused in the end: name and step, and the value.
fn given(case: &Case, system: &StepSystem) -> Vec<(String, String)> {
    let show = |value: &Value| match value {
        Value::Absent => "-".to_owned(),
        value => Shown { value, definitions: &system.definitions }.to_string(),
    };
    let initial = |slot: usize| (system.slots[slot].name.clone(), show(&case.run.initial.values[slot]));
    let mut out: Vec<(String, String)> = system.open_slots().into_iter().map(initial).collect();
    let refused = case.origin.iter().flat_map(|origin| &origin.refused).map(|refused| (refused.joint, &refused.data));
    let tried = case.attempt.iter().filter(|attempt| attempt.is_refused && attempt.after == case.run.steps.len());
    let refused = refused.chain(tried.map(|attempt| (attempt.joint, &attempt.data)));
    let steps = case.run.steps.iter().map(|step| (step.joint, &step.data)).chain(refused);
    for (number, (joint, data)) in steps.enumerate() {
        let gate = system.joints[joint].gate.map(|gate| &system.gates[gate]);
        let is_given = match system.style {
            Style::Lockstep => true,
            Style::Gates => gate.is_some_and(|gate| gate.direction == Direction::In),
        };
        if is_given {
            let params = system.joints[joint].params.iter().zip(data).take(system.given_to(joint));
            out.extend(params.map(|((name, _), value)| (format!("{name}@{}", number + 1), show(value))));
        }
    }
    out
}
