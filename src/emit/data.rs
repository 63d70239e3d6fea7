//! The data of sequences that belong to one test case, as a table: what differs, and why it was chosen.

use super::run::columns;
use crate::kernel::{Run, StepSystem, Style};
use crate::syntax::tree::Direction;
use crate::synth::Case;
use crate::term::{Shown, Value};

/// One line for each sequence, with the inputs that are not the same in all of them.
pub fn data_text(cases: &[Case], system: &StepSystem) -> String {
    let of_cases: Vec<Vec<(String, String)>> = cases.iter().map(|case| given(&case.run, system)).collect();
    let longest = of_cases.iter().max_by_key(|given| given.len()).cloned().unwrap_or_default();
    let at = |given: &[(String, String)], place: usize| given.get(place).map_or("", |(_, value)| value).to_owned();
    let differs = |place: &usize| of_cases.iter().any(|given| at(given, *place) != at(&of_cases[0], *place));
    let shown: Vec<usize> = (0..longest.len()).filter(differs).collect();
    let mut header = vec!["data".to_owned()];
    header.extend(shown.iter().map(|place| longest[*place].0.clone()));
    header.push("why".to_owned());
    let mut rows = vec![header];
    for (number, (case, given)) in cases.iter().zip(&of_cases).enumerate() {
        let mut row = vec![(number + 1).to_string()];
        row.extend(shown.iter().map(|place| at(given, *place)));
        let mut why: Vec<String> = case.origin.iter().flat_map(|origin| origin.reasons.clone()).collect();
        if let Some(step) = case.origin.as_ref().and_then(|origin| origin.leaves_at) {
            let is_refused = case.run.steps.len() < step;
            why.push(if is_refused {
                format!("refused in step {step}")
            } else {
                format!("another way from step {step} on")
            });
        }
        row.push(why.join("; "));
        rows.push(row);
    }
    columns(&rows).lines().map(|line| format!("    {line}\n")).collect()
}

/// What whoever runs the test gives: name and step, and the value.
fn given(run: &Run, system: &StepSystem) -> Vec<(String, String)> {
    let show = |value: &Value| match value {
        Value::Absent => "-".to_owned(),
        value => Shown { value, definitions: &system.definitions }.to_string(),
    };
    let initial = |slot: usize| (system.slots[slot].name.clone(), show(&run.initial.values[slot]));
    let mut out: Vec<(String, String)> = system.open_slots().into_iter().map(initial).collect();
    for (number, step) in run.steps.iter().enumerate() {
        let joint = &system.joints[step.joint];
        let gate = joint.gate.map(|gate| &system.gates[gate]);
        let is_given = match system.style {
            Style::Lockstep => true,
            Style::Gates => gate.is_some_and(|gate| gate.direction == Direction::In),
        };
        if is_given {
            let params = joint.params.iter().zip(&step.data).take(system.given_to(step.joint));
            out.extend(params.map(|((name, _), value)| (format!("{name}@{}", number + 1), show(value))));
        }
    }
    out
}
