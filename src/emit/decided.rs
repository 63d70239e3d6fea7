//! Whether properties hold: with a proof, or with a run that breaks them.

use serde_json::{Value as Json, json};

use super::generated::{case_json, case_text, counted};
use super::proof::{proved_json, proved_text};
use crate::syntax::Sources;
use crate::synth::{Asked, Case, Verdict};

/// A property with the verdict on it.
pub struct Decided {
    /// The property, with its model.
    pub asked: Asked,
    /// The verdict.
    pub verdict: Verdict,
    /// A shortest run that breaks it, if it is broken.
    pub case: Option<Case>,
}

/// One object for all properties.
pub fn decided_json(results: &[Decided], seed: u64, sources: &Sources) -> Json {
    let one = |result: &Decided| {
        let (answer, proofs, reason) = match &result.verdict {
            Verdict::Holds(proofs) => ("holds", proofs.iter().map(|proof| proved_json(proof, &[])).collect(), None),
            Verdict::Broken => ("broken", vec![], None),
            Verdict::Unknown(reason) => ("unknown", vec![], Some(reason)),
        };
        let Asked { system, purpose, .. } = &result.asked;
        let counterexample = result.case.as_ref().map(|case| case_json(case, system, purpose, sources));
        json!({
            "name": purpose.name, "model": system.name, "answer": answer, "proofs": proofs, "reason": reason,
            "counterexample": counterexample,
        })
    };
    json!({ "seed": seed, "properties": results.iter().map(one).collect::<Vec<Json>>() })
}

/// As a person reads it.
pub fn decided_text(results: &[Decided], _: &Sources) -> String {
    let mut out = String::new();
    for (number, result) in results.iter().enumerate() {
        let Asked { system, purpose, .. } = &result.asked;
        if number > 0 {
            out.push('\n');
        }
        let name = &purpose.name;
        match &result.verdict {
            Verdict::Holds(proofs) => {
                out.push_str(&format!("{name}: holds\n"));
                proofs.iter().for_each(|proof| out.push_str(&proved_text(proof, "  ", "proof")));
            }
            Verdict::Unknown(reason) => out.push_str(&format!("{name}: unknown\n  reason: {reason}\n")),
            Verdict::Broken => {
                let steps = result.case.as_ref().map_or(0, |case| case.run.steps.len());
                out.push_str(&format!("{name}: broken in {}\n", counted(steps, "step")));
            }
        }
        if let Some(case) = &result.case {
            out.push('\n');
            out.push_str(&case_text(case, 1, system, purpose));
        }
    }
    out
}
