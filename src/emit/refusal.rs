//! Why a transition did not fire.

use serde_json::{Value as Json, json};

use crate::kernel::{Refusal, Refused, StepSystem};
use crate::syntax::{Sources, Span};
use crate::term::{Shown, to_json};

/// A refusal in one sentence.
fn sentence(refused: &Refused, system: &StepSystem, sources: &Sources) -> String {
    let machine = &system.machines[refused.machine];
    let transition = &machine.transitions[refused.transition];
    let name = format!("`{}` of `{}`", transition.name, machine.name);
    match &refused.refusal {
        Refusal::Source => format!("{name} leaves state `{}`", machine.states[transition.source as usize]),
        Refusal::Guard(_, reason) => {
            let part = sources.text(refused.span);
            let show = |(slot, value): &(usize, crate::term::Value)| {
                let shown = Shown { value, definitions: &system.definitions };
                format!("{} is {shown}", system.slots[*slot].name)
            };
            let reads: Vec<String> = refused.reads.iter().map(show).collect();
            let because = match (reason, reads.is_empty()) {
                (Some(reason), _) => format!(" ({reason})"),
                (None, true) => String::new(),
                (None, false) => format!(" ({})", reads.join(", ")),
            };
            format!("{name} needs `{part}`{because}")
        }
        Refusal::Effect(reason) => format!("an effect of {name} has no value: {reason}"),
        Refusal::Parameter(_) => format!("data of {name} is outside its type"),
    }
}

/// Where something is written: `file:line:column`.
pub(super) fn place(span: Span, sources: &Sources) -> String {
    let (line, column) = sources.position(span);
    format!("{}:{line}:{column}", sources.get(span.file).path)
}

/// A refusal, with its place.
pub fn refusal_text(refused: &Refused, system: &StepSystem, sources: &Sources) -> String {
    format!("{} ({})", sentence(refused, system, sources), place(refused.span, sources))
}

/// A refusal as an object.
pub fn refusal_json(refused: &Refused, system: &StepSystem, sources: &Sources) -> Json {
    let (line, column) = sources.position(refused.span);
    let reads = (refused.reads.iter())
        .map(|(slot, value)| (system.slots[*slot].name.clone(), to_json(value, &system.definitions)));
    json!({
        "machine": system.machines[refused.machine].name,
        "transition": system.machines[refused.machine].transitions[refused.transition].name,
        "part": matches!(refused.refusal, Refusal::Guard(..)).then(|| sources.text(refused.span)),
        "values": reads.collect::<serde_json::Map<_, _>>(),
        "message": sentence(refused, system, sources),
        "file": sources.get(refused.span.file).path,
        "line": line,
        "column": column,
    })
}
