//! `tracewright replay`

use std::path::Path;

use serde_json::json;

use super::args::{ReplayArgs, ResultFormat};
use super::kept::{Replayer, Said, read_folder};
use super::load::{load, trace};
use super::outcome::{Failure, Outcome};
use super::{print, shown, wanted};
use crate::api::replayed;
use crate::emit::{Judgement, junit};
use crate::kernel::{Given, StepSystem, Trace};
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
    let mut given: Vec<(String, Replayed)> = vec![];
    for path in &args.traces {
        match &plain {
            Some((system, ..)) if !is_folder(path) => {
                given.push((path.clone(), Replayed::Trace(trace(path, system)?)));
            }
            _ => given.extend(read_folder(path)?.into_iter().map(|(path, kept)| (path, Replayed::Kept(kept)))),
        }
    }
    let mut replayer = match args.traces.iter().any(is_folder) {
        true => Some(Replayer::new(args, load(&args.model.model)?)?),
        false => None,
    };
    let (mut outcomes, mut results, mut text, mut judgements) = (vec![], vec![], String::new(), vec![]);
    for (path, replayed) in given {
        let (outcome, json, lines) = match (replayed, &mut replayer, &plain) {
            (Replayed::Kept(kept), Some(replayer), _) => replayer.replay(&path, kept)?,
            (Replayed::Trace(trace), _, Some((system, given, sources))) => {
                replayed_trace(args, &path, &trace, (system, given, sources))
            }
            _ => continue,
        };
        outcomes.push(outcome);
        judgements.push(Judgement::printed(&path, outcome.status(), &lines));
        results.push(json);
        text.push_str(&lines);
    }
    let model = plain.map(|(system, ..)| system.name);
    let said = |format| match format {
        ResultFormat::Text => shown(&text),
        ResultFormat::Json => format!("{}\n", json!({ "model": model, "traces": results })),
        ResultFormat::Junit => junit("replay", model.as_deref().unwrap_or(&args.model.model), &judgements),
    };
    for format in wanted(&args.common, &args.format) {
        print(&said(format))?;
    }
    Ok(Outcome::of_all(outcomes))
}

fn replayed_trace(args: &ReplayArgs, path: &str, trace: &Trace, within: (&StepSystem, &Given, &Sources)) -> Said {
    let replayed = replayed(path, trace, args.complete.map(Into::into), within);
    let outcome = match replayed.accepted() {
        Some(true) => Outcome::Wished,
        Some(false) => Outcome::Negative,
        None => Outcome::Unknown,
    };
    (outcome, replayed.to_json().clone(), replayed.to_string())
}
