//! What there is to say about a property: whether it holds, how its tests are made, what they cover, and which calls must fail.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::generated::counted;
use super::proof::{proved_json, proved_text};
use super::run::{event_json, event_label};
use crate::kernel::StepSystem;
use crate::syntax::Sources;
use crate::synth::{Answer, Attempted, Behaviour, Lifted, Safety, Verdict};

/// Fields of a purpose that is a property.
pub(super) fn safety_json(safety: &Safety, out: &mut Json) {
    let (verdict, proofs, reason) = match &safety.verdict {
        Verdict::Holds(proofs) => ("holds", proofs.iter().map(|proof| proved_json(proof, &[])).collect(), None),
        Verdict::Broken => ("broken", vec![], None),
        Verdict::Unknown(reason) => ("unknown", vec![], Some(reason)),
    };
    let behaviour = |behaviour: &Behaviour| {
        let Behaviour { strategy, name, depth, answer, proof, reason } = behaviour;
        let proof = proof.as_ref().map(|proof| proved_json(proof, &[]));
        json!({ "name": name, "strategy": strategy + 1, "depth": depth, "answer": answer.text(), "proof": proof, "reason": reason })
    };
    out["strategies"] = json!(safety.strategies);
    out["verdict"] = json!({ "answer": verdict, "proofs": proofs, "reason": reason });
    out["behaviours"] = safety.behaviours.iter().map(behaviour).collect();
}

/// The lines that come before the cases of a property.
pub(super) fn safety_text(safety: &Safety) -> String {
    let mut out = String::new();
    match &safety.verdict {
        Verdict::Holds(proofs) => {
            proofs.iter().for_each(|proof| out.push_str(&proved_text(proof, "  ", "holds")));
        }
        Verdict::Broken => out.push_str("  broken: the model does what the property forbids\n"),
        Verdict::Unknown(reason) => out.push_str(&format!("  whether it holds is unknown: {reason}\n")),
    }
    for (number, strategy) in safety.strategies.iter().enumerate() {
        out.push_str(&format!("  strategy: {strategy}\n"));
        let behaviours: Vec<&Behaviour> = safety.behaviours.iter().filter(|one| one.strategy == number).collect();
        out.push_str(&covered_text(&behaviours));
    }
    out
}

/// What the tests of one strategy cover, and what they do not.
fn covered_text(behaviours: &[&Behaviour]) -> String {
    let mut out = String::new();
    let mut by_depth: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for behaviour in behaviours {
        if let Some(depth) = behaviour.depth {
            by_depth.entry(depth).or_default().push(&behaviour.name);
        }
    }
    let mut covered = 0;
    for (depth, names) in by_depth {
        covered += names.len();
        let all = counted(behaviours.len(), "transition");
        out.push_str(&format!("  up to {}: {covered} of {all}: {}\n", counted(depth, "step"), names.join(", ")));
    }
    for behaviour in behaviours.iter().filter(|behaviour| behaviour.answer != Answer::Found) {
        out.push_str(&format!("  {}: {}\n", behaviour.answer.text(), behaviour.name));
        if let Some(proof) = &behaviour.proof {
            out.push_str(&proved_text(proof, "    ", "proof"));
        }
        if let Some(reason) = &behaviour.reason {
            out.push_str(&format!("    reason: {reason}\n"));
        }
    }
    out
}

/// Why a call must fail, as a person would say it.
fn because(attempt: &Attempted, sources: &Sources) -> Vec<String> {
    let said = |lifted: &Lifted| match lifted {
        Lifted::Condition(span) => sources.text(*span).split_whitespace().collect::<Vec<_>>().join(" "),
        Lifted::Source { machine, state } => format!("{machine} in {state}"),
    };
    attempt.lifted.iter().map(said).collect()
}

/// A call that must fail.
pub(super) fn attempt_json(attempt: &Attempted, system: &StepSystem, sources: &Sources) -> Json {
    let mut out = event_json(attempt.joint, &attempt.data, system);
    out.insert("after".to_owned(), json!(attempt.after));
    out.insert("needs".to_owned(), json!(because(attempt, sources)));
    out.insert("refused".to_owned(), json!(attempt.is_refused));
    Json::Object(out)
}

/// The line below a case that says which call must fail, and why.
pub(super) fn attempt_text(attempt: &Attempted, system: &StepSystem, sources: &Sources) -> String {
    let joint = &system.joints[attempt.joint];
    let call = event_label(system, joint.gate, &attempt.data, &joint.params);
    let needs: Vec<String> = because(attempt, sources).into_iter().map(|text| format!("`{text}`")).collect();
    let needs = needs.join(" and ");
    match (attempt.is_taken, attempt.is_refused) {
        (true, _) => format!("    forbidden, and taken by the model: {call}\n"),
        (false, true) => format!("    must be refused after step {}: {call}, which needs {needs}\n", attempt.after),
        (false, false) => format!("    must fail in step {}: {call}, which needs {needs}\n", attempt.after + 1),
    }
}
