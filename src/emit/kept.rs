//! Kept sequences: as files, and what became of them as text and as JSON.

use serde_json::{Map, Value as Json, json};

use super::generated::counted;
use super::proof::{proved_json, proved_text};
use super::refusal::{refusal_json, refusal_text};
use super::run::{fired, label, run_json, step_json};
use crate::kernel::{Differs, Explanation, Run, StepSystem};
use crate::syntax::Sources;
use crate::syntax::tree::Direction;
use crate::synth::{About, Answer, Broken, Judged, Kept, Shortest, Test};
use crate::term::{Shown, Value};

/// The file of a sequence: a trace, with what it was made for in front of it.
pub fn kept_json(kept: &Kept, model: &str, run: &Run, system: &StepSystem) -> Json {
    let mut out = Map::new();
    out.insert("model".into(), json!(model));
    match &kept.about {
        About::Run => {}
        About::Purpose { name, class } => {
            out.insert("purpose".into(), json!(name));
            out.extend(class.as_ref().map(|class| ("class".to_owned(), json!(class))));
        }
        About::Items { of, covers } => {
            out.insert("of".into(), json!(of));
            out.insert("covers".into(), json!(covers));
        }
    }
    if !kept.meets {
        out.insert("meets".into(), json!(false));
    }
    out.extend(kept.refused.as_ref().map(|refused| ("refused".to_owned(), refused.clone())));
    if let Json::Object(trace) = run_json(run, system) {
        out.extend(trace);
    }
    Json::Object(out)
}

/// The beginning of the name of its file: the purpose, in plain letters.
pub fn kept_stem(about: &About) -> String {
    let name = match about {
        About::Run => "run".to_owned(),
        About::Purpose { name, .. } => name.clone(),
        About::Items { of, .. } => of.join("_"),
    };
    let plain: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    // Names of files have an end.
    let short: String = plain.trim_matches('_').chars().take(60).collect();
    if short.is_empty() { "run".to_owned() } else { short }
}

/// `20 -> 4 steps, no shorter run exists`
pub fn shrunk_text(before: usize, after: usize, shortest: &Shortest) -> String {
    let steps = counted(after, "step");
    let steps = if before == after { steps } else { format!("{before} -> {steps}") };
    match shortest {
        Shortest::Proved(_) => format!("{steps}, no shorter run exists"),
        Shortest::Unknown(reason) => format!("{steps}; whether there is a shorter run is unknown: {reason}"),
    }
}

/// Where and why a run leaves the model, line by line.
pub fn explanation_text(explanation: &Explanation, system: &StepSystem, sources: &Sources) -> String {
    let mut out = String::new();
    for refused in &explanation.refused {
        out.push_str(&format!("  {}\n", refusal_text(refused, system, sources)));
    }
    for differs in &explanation.differs {
        let (what, recorded, found) = differing(differs, system);
        out.push_str(&format!("  `{what}` is recorded as {recorded}, and is {found} here\n"));
    }
    let allowed: Vec<String> = (explanation.allowed.iter())
        .map(|step| format!("  allowed: {}  [{}]\n", label(step, system), fired(step, system)))
        .collect();
    out.push_str(&allowed.concat());
    let unlisted: Vec<String> = explanation.unlisted.iter().map(|gate| unlisted(*gate, system)).collect();
    match (unlisted.is_empty(), allowed.is_empty()) {
        (true, true) => out.push_str("  nothing was allowed here\n"),
        (true, false) => {}
        (false, _) => {
            out.push_str(&format!("  perhaps allowed, with data that cannot be listed: {}\n", unlisted.join(", ")))
        }
    }
    out
}

/// An event of which the data cannot be listed.
fn unlisted(gate: Option<usize>, system: &StepSystem) -> String {
    match gate.map(|gate| &system.gates[gate]) {
        Some(gate) if gate.direction == Direction::In => format!("?{}(...)", gate.name),
        Some(gate) => format!("!{}(...)", gate.name),
        None => "tau".to_owned(),
    }
}

/// The same as parts of an object.
pub fn explanation_json(
    explanation: &Explanation,
    system: &StepSystem,
    sources: &Sources,
) -> Vec<(&'static str, Json)> {
    let differs = explanation.differs.iter().map(|differs| {
        let (what, recorded, found) = differing(differs, system);
        json!({ "what": what, "recorded": recorded, "found": found })
    });
    let refused = explanation.refused.iter().map(|refused| refusal_json(refused, system, sources));
    let allowed = explanation.allowed.iter().map(|step| step_json(step, system));
    let mut parts = vec![
        ("step", json!(explanation.step)),
        ("allowed", Json::Array(allowed.collect())),
        ("refused", Json::Array(refused.collect())),
    ];
    if !explanation.differs.is_empty() {
        parts.push(("differs", Json::Array(differs.collect())));
    }
    parts
}

/// What is otherwise than recorded: its name, as recorded, and as it is.
fn differing(differs: &Differs, system: &StepSystem) -> (String, String, String) {
    let show = |value: &Value| Shown { value, definitions: &system.definitions }.to_string();
    match differs {
        Differs::Value(slot, recorded, found) => (system.slots[*slot].name.clone(), show(recorded), show(found)),
        Differs::State(machine, recorded, found) => {
            let machine = &system.machines[*machine];
            let state = |number: &u32| machine.states[*number as usize].clone();
            (machine.name.clone(), state(recorded), state(found))
        }
    }
}

/// What is wrong with a sequence: the end of its first line, and more lines.
pub fn broken_text(broken: &Broken, kept: &Kept, system: &StepSystem, sources: &Sources) -> (String, String) {
    let at = |step: usize| if step == 0 { " before the first step".to_owned() } else { format!(" at step {step}") };
    match broken {
        Broken::Left(explanation) if explanation.step == 0 => (at(0), "  no initial state fits\n".to_owned()),
        Broken::Left(explanation) => {
            let differs = differences(explanation, kept, system).into_iter().map(|line| format!("  {line}\n"));
            let text = format!("{}{}", explanation_text(explanation, system, sources), differs.collect::<String>());
            (at(explanation.step), text)
        }
        Broken::Unreadable(unreadable) => (at(unreadable.step), format!("  {}\n", unreadable.reason)),
        Broken::Takes(step) => {
            let text = format!("  {} must be refused, and is taken  [{}]\n", label(step, system), fired(step, system));
            (" at its end".to_owned(), text)
        }
        Broken::NotMet => {
            let what = kept.about.text().unwrap_or_else(|| "its purpose".to_owned());
            (String::new(), format!("  it is a run of `{}`, but does not meet {what}\n", system.name))
        }
    }
}

/// In what the step that was kept differs from the one that the model takes on the same inputs, or at the same gate; nothing if
/// there are several.
fn differences(explanation: &Explanation, kept: &Kept, system: &StepSystem) -> Vec<String> {
    let steps = kept.trace.get("steps").and_then(Json::as_array);
    let old = steps.and_then(|steps| steps.get(explanation.step.wrapping_sub(1)));
    let Some(old) = old else { return vec![] };
    let allowed: Vec<Json> = explanation.allowed.iter().map(|step| step_json(step, system)).collect();
    let same: Vec<&Json> = allowed.iter().filter(|new| new.get("gate") == old.get("gate")).collect();
    let [new] = same[..] else { return vec![] };
    let mut out = vec![];
    for part in ["inputs", "outputs", "data", "fired", "state", "vars", "channels"] {
        let (Some(Json::Object(old)), Some(Json::Object(new))) = (old.get(part), new.get(part)) else { continue };
        for (name, value) in old {
            if let Some(now) = new.get(name).filter(|now| *now != value) {
                let what = if part == "fired" { format!("transition of {name}") } else { name.clone() };
                out.push(format!("differs: {what} was {value}, is {now}"));
            }
        }
    }
    out
}

/// What became of a sequence, as parts of an object.
pub fn judged_json(judged: &Judged, kept: &Kept, system: &StepSystem, sources: &Sources) -> Map<String, Json> {
    let mut out = Map::new();
    let mut say = |key: &str, value: Json| out.insert(key.to_owned(), value);
    match (&judged.broken, &judged.unknown) {
        (Some(Broken::Left(explanation)), _) => {
            say("accepted", json!(false));
            for (key, value) in explanation_json(explanation, system, sources) {
                say(key, value);
            }
            say("differs", json!(differences(explanation, kept, system)));
        }
        (Some(Broken::Unreadable(unreadable)), _) => {
            say("accepted", json!(false));
            say("step", json!(unreadable.step));
            say("reason", json!(unreadable.reason));
        }
        (_, Some(reason)) => {
            say("accepted", json!(judged.run.as_ref().map(|_| true)));
            say("reason", json!(reason));
        }
        (Some(Broken::Takes(step)), None) => {
            say("accepted", json!(true));
            say("takes", step_json(step, system));
        }
        (Some(Broken::NotMet) | None, None) => {
            say("accepted", json!(true));
        }
    }
    if let Some(run) = &judged.run {
        say("steps", json!(run.steps.len()));
    }
    out
}

/// Whether there is still a test, in one line or two.
pub fn test_text(test: &Test, what: &str) -> String {
    let reason = test.reason.as_deref().unwrap_or("the engines cannot tell");
    match (test.answer, test.length, &test.proof) {
        (Answer::Found, Some(length), _) => format!("  {what}: found in {}\n", counted(length, "step")),
        (Answer::Impossible, _, Some(proof)) => format!("  {what}: impossible\n{}", proved_text(proof, "  ", "proof")),
        (answer, ..) => format!("  {what}: {}\n  reason: {reason}\n", answer.text()),
    }
}

/// The same as an object.
pub fn test_json(test: &Test) -> Json {
    json!({
        "answer": test.answer.text(),
        "length": test.length,
        "proof": test.proof.as_ref().map(|proof| proved_json(proof, &[])),
        "reason": test.reason,
    })
}
