//! One trace, replayed by a model.

use std::fmt;

use serde_json::{Map, Value as Json, json};

use crate::emit::{explanation_json, explanation_text};
use crate::kernel::{ChoiceError, Completion, Explanation, Given, Replay, StepSystem, Trace, replay_completed};
use crate::syntax::Sources;

/// Values of a trace may be nested more deeply than the stack of a thread allows.
pub(crate) const DEEP_STACK_BYTES: usize = 64 * 1024 * 1024;

/// Whether a trace is a run of a model. It prints as `replay` prints it.
#[derive(Clone, Debug)]
pub struct Replayed {
    accepted: Option<bool>,
    step: Option<usize>,
    text: String,
    json: Json,
}

impl Replayed {
    /// Whether it is a run of the model, for certain.
    pub fn is_accepted(&self) -> bool {
        self.accepted == Some(true)
    }

    /// Whether it is a run of the model; none if that is unknown.
    pub fn accepted(&self) -> Option<bool> {
        self.accepted
    }

    /// The step at which it leaves the model, from 1; 0 if no initial state fits.
    pub fn step(&self) -> Option<usize> {
        self.step
    }

    /// Everything, in the form of an element of `replay --json`.
    pub fn to_json(&self) -> &Json {
        &self.json
    }
}

impl fmt::Display for Replayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Replays a trace that is called `name`.
pub(crate) fn replayed(
    name: &str,
    trace: &Trace,
    completion: Option<Completion>,
    (system, given, sources): (&StepSystem, &Given, &Sources),
) -> Replayed {
    match replay_completed(system, trace, given, completion) {
        Ok(Replay::Accepted) => {
            let steps = trace.steps.len();
            let text = format!("{name}: accepted, {steps} step{}\n", if steps == 1 { "" } else { "s" });
            let json = json!({ "trace": name, "accepted": true, "steps": steps });
            Replayed { accepted: Some(true), step: None, text, json }
        }
        Ok(Replay::Rejected(explanation)) => {
            let mut json = Map::from_iter([("trace".to_owned(), json!(name)), ("accepted".to_owned(), json!(false))]);
            let parts = explanation_json(&explanation, system, sources);
            json.extend(parts.into_iter().map(|(key, value)| (key.to_owned(), value)));
            let text = rejected_text(&explanation, name, system, sources);
            Replayed { accepted: Some(false), step: Some(explanation.step), text, json: Json::Object(json) }
        }
        Err(error) => {
            let reason = match error {
                ChoiceError::NoValues { .. } => format!("{error}; say it in the trace, or give some with --values"),
                other => other.to_string(),
            };
            let text = format!("{name}: unknown: {reason}\n");
            let json = json!({ "trace": name, "accepted": null, "reason": reason });
            Replayed { accepted: None, step: None, text, json }
        }
    }
}

fn rejected_text(explanation: &Explanation, name: &str, system: &StepSystem, sources: &Sources) -> String {
    if explanation.step == 0 {
        return format!("{name}: rejected: no initial state fits\n");
    }
    let lines = explanation_text(explanation, system, sources);
    format!("{name}: rejected at step {}\n{lines}", explanation.step)
}
