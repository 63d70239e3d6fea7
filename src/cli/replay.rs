//! `tracewright replay`

use serde_json::{Value as Json, json};

use super::args::ReplayArgs;
use super::load::{load, trace};
use super::outcome::{Failure, Outcome};
use super::{counted, print};
use crate::emit::{fired, label, step_json};
use crate::kernel::{ChoiceError, Explanation, Refusal, Refused, Replay, StepSystem, replay};
use crate::syntax::Sources;
use crate::term::{Shown, to_json};

pub fn run(args: &ReplayArgs) -> Result<Outcome, Failure> {
    let (system, loaded) = load(&args.model.model)?.system()?;
    let (given, loaded) = loaded.given(&args.values, &system)?;
    let traces = args.traces.iter().map(|path| Ok((path, trace(path, &system)?)));
    let traces = traces.collect::<Result<Vec<_>, Failure>>()?;
    let mut outcomes = vec![];
    let mut results = vec![];
    let mut text = String::new();
    for (path, trace) in traces {
        let (outcome, json, line) = match replay(&system, &trace, &given) {
            Ok(Replay::Accepted) => {
                let line = format!("{path}: accepted, {}\n", counted(trace.steps.len(), "step"));
                (Outcome::Wished, json!({ "trace": path, "accepted": true, "steps": trace.steps.len() }), line)
            }
            Ok(Replay::Rejected(explanation)) => {
                let json = explanation_json(&explanation, path, &system, &loaded.sources);
                let line = explanation_text(&explanation, path, &system, &loaded.sources);
                (Outcome::Negative, json, line)
            }
            Err(error) => {
                let reason = match error {
                    ChoiceError::NoValues { .. } => format!("{error}; say it in the trace, or give some with --values"),
                    other => other.to_string(),
                };
                let line = format!("{path}: unknown: {reason}\n");
                (Outcome::Unknown, json!({ "trace": path, "accepted": null, "reason": reason }), line)
            }
        };
        outcomes.push(outcome);
        results.push(json);
        text.push_str(&line);
    }
    if args.common.json {
        print(&format!("{}\n", json!({ "model": system.name, "traces": results })))?;
    } else {
        print(&text)?;
    }
    Ok(Outcome::of_all(outcomes))
}

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

fn explanation_text(explanation: &Explanation, path: &str, system: &StepSystem, sources: &Sources) -> String {
    if explanation.step == 0 {
        return format!("{path}: rejected: no initial state fits\n");
    }
    let mut out = format!("{path}: rejected at step {}\n", explanation.step);
    for refused in &explanation.refused {
        let (line, column) = sources.position(refused.span);
        let file = &sources.get(refused.span.file).path;
        out.push_str(&format!("  {} ({file}:{line}:{column})\n", sentence(refused, system, sources)));
    }
    let allowed: Vec<String> = (explanation.allowed.iter())
        .map(|step| format!("  allowed: {}  [{}]\n", label(step, system), fired(step, system)))
        .collect();
    if allowed.is_empty() {
        out.push_str("  nothing was allowed here\n");
    }
    out.push_str(&allowed.concat());
    out
}

fn explanation_json(explanation: &Explanation, path: &str, system: &StepSystem, sources: &Sources) -> Json {
    let refused = explanation.refused.iter().map(|r| {
        let (line, column) = sources.position(r.span);
        let reads =
            r.reads.iter().map(|(slot, value)| (system.slots[*slot].name.clone(), to_json(value, &system.definitions)));
        json!({
            "machine": system.machines[r.machine].name,
            "transition": system.machines[r.machine].transitions[r.transition].name,
            "part": matches!(r.refusal, Refusal::Guard(..)).then(|| sources.text(r.span)),
            "values": reads.collect::<serde_json::Map<_, _>>(),
            "message": sentence(r, system, sources),
            "file": sources.get(r.span.file).path,
            "line": line,
            "column": column,
        })
    });
    json!({
        "trace": path,
        "accepted": false,
        "step": explanation.step,
        "allowed": explanation.allowed.iter().map(|step| step_json(step, system)).collect::<Vec<_>>(),
        "refused": refused.collect::<Vec<_>>(),
    })
}
