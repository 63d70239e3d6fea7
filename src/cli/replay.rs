//! `tracewright replay`

use std::path::Path;

use serde_json::{Map, Value as Json, json};

use super::args::ReplayArgs;
use super::kept::{Replayer, Said, read_folder};
use super::load::{load, trace};
use super::outcome::{Failure, Outcome};
use super::{counted, print};
use crate::emit::{explanation_json, explanation_text};
use crate::kernel::{ChoiceError, Explanation, Given, Replay, StepSystem, Trace, replay_completed};
use crate::syntax::Sources;
use crate::synth::Kept;

/// Something to be replayed.
enum Replayed {
    Trace(Trace),
    Kept(Kept),
}

pub fn run(args: &ReplayArgs) -> Result<Outcome, Failure> {
    let is_folder = |path: &String| Path::new(path).is_dir();
    if args.update && !args.traces.iter().any(is_folder) {
        return Err(Failure::Usage("--update is for folders of kept sequences".to_owned()));
    }
    if args.complete.is_some() && args.traces.iter().any(is_folder) {
        return Err(Failure::Usage("--complete is for traces, not for folders of kept sequences".to_owned()));
    }
    let plain = match args.traces.iter().all(is_folder) {
        // A kept sequence says itself which model it belongs to.
        true => None,
        false => {
            let (system, loaded) = load(&args.model.model)?.system()?;
            let (given, loaded) = loaded.given(&args.values, &system)?;
            Some((system, given, loaded.sources))
        }
    };
    let mut replayed: Vec<(String, Replayed)> = vec![];
    for path in &args.traces {
        match &plain {
            Some((system, ..)) if !is_folder(path) => {
                replayed.push((path.clone(), Replayed::Trace(trace(path, system)?)));
            }
            _ => replayed.extend(read_folder(path)?.into_iter().map(|(path, kept)| (path, Replayed::Kept(kept)))),
        }
    }
    let mut replayer = match args.traces.iter().any(is_folder) {
        true => Some(Replayer::new(args, load(&args.model.model)?)?),
        false => None,
    };
    let (mut outcomes, mut results, mut text) = (vec![], vec![], String::new());
    for (path, replayed) in replayed {
        let (outcome, json, lines) = match (replayed, &mut replayer, &plain) {
            (Replayed::Kept(kept), Some(replayer), _) => replayer.replay(&path, kept)?,
            (Replayed::Trace(trace), _, Some((system, given, sources))) => {
                replayed_trace(args, &path, &trace, (system, given, sources))
            }
            _ => continue,
        };
        outcomes.push(outcome);
        results.push(json);
        text.push_str(&lines);
    }
    if args.common.json {
        let model = plain.map(|(system, ..)| system.name);
        print(&format!("{}\n", json!({ "model": model, "traces": results })))?;
    } else {
        print(&text)?;
    }
    Ok(Outcome::of_all(outcomes))
}

fn replayed_trace(
    args: &ReplayArgs,
    path: &str,
    trace: &Trace,
    (system, given, sources): (&StepSystem, &Given, &Sources),
) -> Said {
    match replay_completed(system, trace, given, args.complete.map(Into::into)) {
        Ok(Replay::Accepted) => {
            let line = format!("{path}: accepted, {}\n", counted(trace.steps.len(), "step"));
            (Outcome::Wished, json!({ "trace": path, "accepted": true, "steps": trace.steps.len() }), line)
        }
        Ok(Replay::Rejected(explanation)) => {
            let mut json = Map::from_iter([("trace".to_owned(), json!(path)), ("accepted".to_owned(), json!(false))]);
            let parts = explanation_json(&explanation, system, sources);
            json.extend(parts.into_iter().map(|(key, value)| (key.to_owned(), value)));
            (Outcome::Negative, Json::Object(json), rejected_text(&explanation, path, system, sources))
        }
        Err(error) => {
            let reason = match error {
                ChoiceError::NoValues { .. } => format!("{error}; say it in the trace, or give some with --values"),
                other => other.to_string(),
            };
            let line = format!("{path}: unknown: {reason}\n");
            (Outcome::Unknown, json!({ "trace": path, "accepted": null, "reason": reason }), line)
        }
    }
}

fn rejected_text(explanation: &Explanation, path: &str, system: &StepSystem, sources: &Sources) -> String {
    if explanation.step == 0 {
        return format!("{path}: rejected: no initial state fits\n");
    }
    let lines = explanation_text(explanation, system, sources);
    format!("{path}: rejected at step {}\n{lines}", explanation.step)
}
