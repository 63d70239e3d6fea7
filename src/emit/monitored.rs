//! What became of a log: the model, and the purposes one by one.

use serde_json::{Map, Value as Json, json};

use super::kept::{explanation_json, explanation_text};
use super::run::columns;
use crate::kernel::StepSystem;
use crate::monitor::{Decided, Found, Judged, Monitored, Verdict};
use crate::syntax::Sources;
use crate::term::{Definitions, Shown, to_json};

/// Matches that are listed as text.
const MAX_SHOWN: usize = 10;

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Fails => "fails",
        Verdict::Open => "open",
        Verdict::Unknown => "unknown",
    }
}

/// A log that was judged, as text: the model, then one line for each purpose.
pub fn monitored_text(
    path: &str,
    monitored: &Monitored,
    system: &StepSystem,
    definitions: &Definitions,
    sources: &Sources,
) -> String {
    let mut out = model_lines(path, monitored, system, sources);
    let row =
        |judged: &Judged| [format!("  {}", judged.name), word(judged.verdict).to_owned(), why(judged, definitions)];
    out.push_str(&columns(&monitored.purposes.iter().map(row).collect::<Vec<_>>()));
    for judged in monitored.purposes.iter().filter(|judged| judged.has_matches) {
        out.push_str(&matches_text(judged, definitions));
    }
    out
}

/// What the model says of a log.
pub fn model_lines(path: &str, monitored: &Monitored, system: &StepSystem, sources: &Sources) -> String {
    let mut out = format!("{path}: {}", counted(monitored.events, "event"));
    out.push_str(if monitored.is_finished { "" } else { ", and the run goes on" });
    match (&monitored.rejected, &monitored.reason, monitored.accepted) {
        (Some((explanation, _)), ..) if explanation.step == 0 => {
            out.push_str(&format!("; `{}` does not begin like that\n", system.name));
        }
        (Some((explanation, line)), ..) => {
            let (event, lines) = (explanation.step, explanation_text(explanation, system, sources));
            out.push_str(&format!("; rejected by `{}` at event {event} (line {line})\n{lines}", system.name));
        }
        (_, Some(reason), _) => out.push_str(&format!("; whether `{}` has it is unknown: {reason}\n", system.name)),
        (_, _, Some(true)) => out.push_str(&format!("; accepted by `{}`\n", system.name)),
        _ => out.push('\n'),
    }
    out
}

/// What a purpose says of a log, on its own.
pub fn judged_lines(judged: &Judged, definitions: &Definitions) -> String {
    let why = why(judged, definitions);
    let separator = if judged.verdict == Verdict::Unknown { ":" } else { "" };
    let first = format!("{}: {}{separator} {why}", judged.name, word(judged.verdict));
    let matches = if judged.has_matches { matches_text(judged, definitions) } else { String::new() };
    format!("{}\n{matches}", first.trim_end_matches([':', ' ']))
}

/// Where a purpose was decided, or why it was not.
fn why(judged: &Judged, definitions: &Definitions) -> String {
    let mut why = judged.decided.as_ref().map(|decided| place(decided, definitions)).unwrap_or_default();
    if let (Verdict::Unknown, Some(reason)) = (judged.verdict, &judged.reason) {
        why = reason.clone();
    }
    if judged.expects_impossible {
        why.push_str(if why.is_empty() { "(expected to fail)" } else { " (expected to fail)" });
    }
    why
}

fn matches_text(judged: &Judged, definitions: &Definitions) -> String {
    let matches = if judged.matched == 1 { "match" } else { "matches" };
    let mut out = format!("  {}: {} {matches}\n", judged.name, judged.matched);
    for found in judged.matches.iter().take(MAX_SHOWN) {
        let with = found.binding.as_ref().map(|found| with(found, definitions)).unwrap_or_default();
        out.push_str(&format!("    at event {} (line {}){with}\n", found.event, found.line));
    }
    if judged.matched > MAX_SHOWN {
        out.push_str(&format!("    and {} more\n", judged.matched - MAX_SHOWN));
    }
    out
}

fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn place(decided: &Decided, definitions: &Definitions) -> String {
    let with = decided.binding.as_ref().map(|found| with(found, definitions)).unwrap_or_default();
    match (decided.at_stop, decided.event) {
        (true, _) => format!("at the end{with}"),
        (false, 0) => "before the first event".to_owned(),
        (false, event) => format!("at event {event} (line {}){with}", decided.line),
    }
}

fn with(found: &Found, definitions: &Definitions) -> String {
    let show = |(name, value): &(String, crate::term::Value)| format!("{name} = {}", Shown { value, definitions });
    match found.is_empty() {
        true => " for values that were never seen".to_owned(),
        false => format!(" with {}", found.iter().map(show).collect::<Vec<_>>().join(", ")),
    }
}

/// A log that was judged, as an object.
pub fn monitored_json(
    monitored: &Monitored,
    system: &StepSystem,
    definitions: &Definitions,
    sources: &Sources,
) -> Json {
    let rejected = monitored.rejected.as_ref().map(|(explanation, line)| {
        let mut out = Map::new();
        out.insert("event".to_owned(), json!(explanation.step));
        out.insert("line".to_owned(), json!(line));
        let parts = explanation_json(explanation, system, sources).into_iter().filter(|(key, _)| *key != "step");
        out.extend(parts.map(|(key, value)| (key.to_owned(), value)));
        Json::Object(out)
    });
    let binding = |found: &Option<Found>| match found {
        None => Json::Null,
        Some(found) => Json::Object(found.iter().map(|(n, v)| (n.clone(), to_json(v, definitions))).collect()),
    };
    let one = |judged: &Judged| {
        let decided = judged.decided.as_ref();
        let mut out = json!({
            "name": judged.name,
            "answer": word(judged.verdict),
            "decided": decided.map(|d| json!({ "event": d.event, "line": d.line, "stop": d.at_stop })),
            "binding": decided.map_or(Json::Null, |decided| binding(&decided.binding)),
        });
        if judged.expects_impossible {
            out["expects"] = json!("impossible");
        }
        if judged.has_matches {
            let matches = judged.matches.iter();
            let matches = matches.map(|m| json!({ "event": m.event, "line": m.line, "binding": binding(&m.binding) }));
            out["matches"] = Json::Array(matches.collect());
            out["matched"] = json!(judged.matched);
        }
        if let Some(reason) = &judged.reason {
            out["reason"] = json!(reason);
        }
        out
    };
    let mut out = json!({
        "model": system.name,
        "events": monitored.events,
        "finished": monitored.is_finished,
        "accepted": monitored.accepted,
    });
    if let Some(rejected) = rejected {
        out["rejected"] = rejected;
    }
    if let Some(reason) = &monitored.reason {
        out["reason"] = json!(reason);
    }
    out["purposes"] = Json::Array(monitored.purposes.iter().map(one).collect());
    out
}
