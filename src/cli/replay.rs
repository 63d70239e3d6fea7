//! `tracewright replay`

use serde_json::{Value as Json, json};

use super::args::ReplayArgs;
use super::load::{load, trace};
use super::outcome::{Failure, Outcome};
use super::{counted, print};
use crate::emit::{fired, label, refusal_json, refusal_text, step_json};
use crate::kernel::{ChoiceError, Explanation, Replay, StepSystem, replay_completed};
use crate::syntax::Sources;

pub fn run(args: &ReplayArgs) -> Result<Outcome, Failure> {
    let (system, loaded) = load(&args.model.model)?.system()?;
    let (given, loaded) = loaded.given(&args.values, &system)?;
    let traces = args.traces.iter().map(|path| Ok((path, trace(path, &system)?)));
    let traces = traces.collect::<Result<Vec<_>, Failure>>()?;
    let mut outcomes = vec![];
    let mut results = vec![];
    let mut text = String::new();
    for (path, trace) in traces {
        let (outcome, json, line) = match replay_completed(&system, &trace, &given, args.complete.map(Into::into)) {
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

fn explanation_text(explanation: &Explanation, path: &str, system: &StepSystem, sources: &Sources) -> String {
    if explanation.step == 0 {
        return format!("{path}: rejected: no initial state fits\n");
    }
    let mut out = format!("{path}: rejected at step {}\n", explanation.step);
    for refused in &explanation.refused {
        out.push_str(&format!("  {}\n", refusal_text(refused, system, sources)));
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
    let refused = explanation.refused.iter().map(|refused| refusal_json(refused, system, sources));
    json!({
        "trace": path,
        "accepted": false,
        "step": explanation.step,
        "allowed": explanation.allowed.iter().map(|step| step_json(step, system)).collect::<Vec<_>>(),
        "refused": refused.collect::<Vec<_>>(),
    })
}
