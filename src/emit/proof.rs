//! Proofs, and what a second way says of them: as JSON and as text.

use serde_json::{Value as Json, json};

use super::generated::counted;
use crate::confirm::Confirmation;
use crate::synth::{Proof, Proved};

/// A proof with the constraints that cannot be met together.
pub(super) fn proved_json(proved: &Proved, core: &[String]) -> Json {
    with_confirmation(proof_json(&proved.proof, core), &proved.confirmation)
}

/// The object of a proof, with what a second way says of it.
pub(super) fn with_confirmation(mut proof: Json, confirmation: &Confirmation) -> Json {
    let (confirmed, attacked, reason) = match confirmation {
        Confirmation::NotAsked => (Json::Null, Json::Null, Some(("off", "it was not asked for".to_owned()))),
        Confirmation::Confirmed { states } => (json!({ "kind": "exhaustion", "states": states }), Json::Null, None),
        Confirmation::Attacked { states, why } => {
            (Json::Null, json!({ "states": states }), Some((why.code(), why.to_string())))
        }
    };
    proof["confirmed_by"] = confirmed;
    proof["attacked"] = attacked;
    if let Some((code, text)) = reason {
        proof["not_confirmed"] = json!({ "code": code, "text": text });
    }
    proof
}

/// A proof in one line, and what a second way says of it in another.
pub(super) fn proved_text(proved: &Proved, indent: &str, what: &str) -> String {
    let mut out = format!("{indent}{what}: {}\n", proof_text(&proved.proof));
    if let Some(line) = confirmation_text(&proved.confirmation) {
        out.push_str(&format!("{indent}{line}\n"));
    }
    out
}

/// What a second way says of a proof; nothing if it was not asked.
pub(super) fn confirmation_text(confirmation: &Confirmation) -> Option<String> {
    match confirmation {
        Confirmation::NotAsked => None,
        Confirmation::Confirmed { states } => Some(format!("confirmed by exhaustion of {}", counted(*states, "state"))),
        Confirmation::Attacked { states, .. } => Some(format!("not contradicted by {}", counted(*states, "state"))),
    }
}

fn proof_json(proof: &Proof, core: &[String]) -> Json {
    match proof {
        Proof::Control { machines } => json!({ "kind": "control", "machines": machines, "core": core }),
        Proof::Exhaustion { states, depth, .. } => {
            json!({ "kind": "exhaustion", "states": states, "depth": depth, "core": core })
        }
        Proof::Induction { invariant } => json!({ "kind": "induction", "invariant": invariant, "core": core }),
        Proof::Length => json!({ "kind": "length", "core": core }),
    }
}

/// How it was proved, in one line.
pub(super) fn proof_text(proof: &Proof) -> String {
    match proof {
        Proof::Control { machines } if machines.is_empty() => "control: no elements of its lists meet it".to_owned(),
        Proof::Control { machines } => format!("control: no path through the states of {}", machines.join(", ")),
        Proof::Exhaustion { states, depth, is_symbolic } => {
            let counted_states = counted(*states, if *is_symbolic { "symbolic state" } else { "state" });
            match depth {
                None if *states == 1 => {
                    let symbolic = if *is_symbolic { "symbolic " } else { "" };
                    format!("exhaustion: the only {symbolic}state was visited")
                }
                None => format!("exhaustion: all {counted_states} were visited"),
                Some(depth) => format!("exhaustion: all runs up to {}, {counted_states}", counted(*depth, "step")),
            }
        }
        Proof::Induction { invariant } => {
            let parts = counted(invariant.len(), "part");
            format!("induction: every moment of every run has a property that no such end has ({parts})")
        }
        Proof::Length => "length: no number of steps fits the bounds".to_owned(),
    }
}
