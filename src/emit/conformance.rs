//! What came of a comparison: as JSON, as text, as a chart.

use serde_json::{Map, Value as Json, json};

use super::chart::{Chart, Drawn, Row, RowKind};
use super::proof::{confirmation_text, with_confirmation};
use super::refusal::{place, refusal_json, refusal_text};
use crate::conform::{Alphabet, Conformance, Counterexample, Happened, Label, Proof, shown};
use crate::kernel::{StepSystem, Style};
use crate::syntax::Sources;
use crate::syntax::tree::Direction;
use crate::term::{Value, to_json};

/// Two models with the answer.
pub struct Compared<'a> {
    /// The implementation.
    pub implementation: &'a StepSystem,
    /// The specification.
    pub specification: &'a StepSystem,
    /// What is observed of them.
    pub alphabet: &'a Alphabet,
    /// The answer.
    pub answer: &'a Conformance,
    /// Files of the specification.
    pub sources: &'a Sources,
}

impl Compared<'_> {
    fn label(&self, happened: &Happened) -> Option<(&Label, Vec<Value>)> {
        label(happened, self.alphabet)
    }

    fn shown(&self, happened: &Happened) -> String {
        shown(happened, self.alphabet, &self.specification.definitions)
    }

    fn step(&self, happened: &Happened) -> Json {
        step(happened, self.alphabet, self.specification)
    }

    fn steps(&self, trace: &[Happened]) -> Vec<Json> {
        observed_json(trace, self.alphabet, self.specification)
    }

    /// What forbids the wrong observation, as objects and as sentences.
    fn forbidden(&self, counterexample: &Counterexample) -> Vec<(Json, String)> {
        let system = self.specification;
        let explanation = &counterexample.forbidden;
        if counterexample.observed != Happened::Delta {
            let refused = explanation.refused.iter();
            return refused
                .map(|r| (refusal_json(r, system, self.sources), refusal_text(r, system, self.sources)))
                .collect();
        }
        // Silence is forbidden by what can still happen.
        let mut out: Vec<(Json, String)> = vec![];
        for (machine, transition) in counterexample.pending.iter().copied() {
            let machine = &system.machines[machine];
            let t = &machine.transitions[transition];
            let (line, column) = self.sources.position(t.span);
            let message = format!("`{}` of `{}` can still happen", t.name, machine.name);
            let json = json!({
                "machine": machine.name,
                "transition": t.name,
                "part": null,
                "values": {},
                "message": message,
                "file": self.sources.get(t.span.file).path,
                "line": line,
                "column": column,
            });
            out.push((json, format!("{message} ({})", place(t.span, self.sources))));
        }
        out
    }
}

fn label<'a>(happened: &Happened, alphabet: &'a Alphabet) -> Option<(&'a Label, Vec<Value>)> {
    match happened {
        Happened::Delta => None,
        Happened::Label(label, data) => Some((&alphabet.labels[*label], data.clone())),
    }
}

/// A step of a trace. The parts of a tick have the keys of a lock-step run.
fn step(happened: &Happened, alphabet: &Alphabet, specification: &StepSystem) -> Json {
    let Some((label, data)) = label(happened, alphabet) else { return json!({ "gate": "delta" }) };
    let definitions = &specification.definitions;
    let data: Map<String, Json> = (label.params.iter().zip(data))
        .map(|((name, _), value)| (name.clone(), to_json(&value, definitions)))
        .collect();
    let is_input = label.direction == Direction::In;
    if label.is_tick && specification.style == Style::Lockstep {
        return json!({ if is_input { "inputs" } else { "outputs" }: data });
    }
    json!({ "gate": label.name, "dir": if is_input { "in" } else { "out" }, "data": data })
}

/// The steps of a trace; both parts of a tick are one step.
pub fn observed_json(trace: &[Happened], alphabet: &Alphabet, specification: &StepSystem) -> Vec<Json> {
    let mut steps: Vec<Json> = vec![];
    for happened in trace {
        let step = step(happened, alphabet, specification);
        let is_end = label(happened, alphabet).is_some_and(|(l, _)| l.is_tick && l.direction == Direction::Out);
        match steps.last_mut().and_then(Json::as_object_mut).filter(|_| is_end) {
            None => steps.push(step),
            Some(last) => match (last.get_mut("data").and_then(Json::as_object_mut), step) {
                (Some(data), step) => data.extend(step["data"].as_object().cloned().unwrap_or_default()),
                (None, Json::Object(outputs)) => last.extend(outputs),
                (None, _) => {}
            },
        }
    }
    steps
}

fn proof_json(proof: &Proof) -> Json {
    match proof {
        Proof::Exhaustion { invariant } => json!({ "kind": "exhaustion", "invariant": invariant }),
        Proof::Simulation { invariant } => json!({ "kind": "simulation", "invariant": invariant }),
        Proof::Induction { invariant } => json!({ "kind": "induction", "invariant": invariant }),
        Proof::States { pairs } => json!({ "kind": "states", "invariant": [format!("{pairs} pairs of states")] }),
        Proof::Parts => json!({ "kind": "parts", "invariant": [] }),
    }
}

/// The object that the contract describes.
pub fn conformance_json(compared: &Compared) -> Json {
    let answer = compared.answer;
    let counterexample = answer.counterexample.as_ref().map(|found| {
        let mut out = json!({
            "trace": compared.steps(&found.trace),
            "observed": compared.step(&found.observed),
            "allowed": found.allowed,
            "forbidden_by": compared.forbidden(found).into_iter().map(|(json, _)| json).collect::<Vec<_>>(),
        });
        if !found.initial.is_empty() {
            let system = compared.implementation;
            let vars = (found.initial.iter())
                .map(|(slot, value)| (system.slots[*slot].name.clone(), to_json(value, &system.definitions)));
            out["initial"] = json!({ "vars": vars.collect::<Map<_, _>>() });
        }
        out
    });
    let mut out = json!({
        "implementation": compared.implementation.name,
        "specification": compared.specification.name,
        "conforms": answer.conforms,
        "depth": answer.depth,
        "complete": answer.is_complete,
        "proof": answer.proof.as_ref().map(|proof| with_confirmation(proof_json(proof), &answer.confirmation)),
        "counterexample": counterexample,
        "stats": { "pairs": answer.pairs, "solver_calls": answer.solver_calls },
    });
    if let Some(reason) = &answer.reason {
        out["reason"] = json!(reason);
    }
    out
}

/// That all pairs were looked at.
fn all(pairs: usize, what: &str) -> String {
    match pairs {
        1 => format!("there is only one pair of {what}"),
        _ => format!("all {pairs} pairs of {what} were looked at"),
    }
}

/// A few lines.
pub fn conformance_text(compared: &Compared) -> String {
    let answer = compared.answer;
    let names = (&compared.implementation.name, &compared.specification.name);
    let reason = answer.reason.as_deref().unwrap_or_default();
    let Some(found) = &answer.counterexample else {
        let (implementation, specification) = names;
        return match (answer.conforms, &answer.proof) {
            (Some(true), Some(proof)) => {
                let how = match proof {
                    Proof::Exhaustion { .. } => all(answer.pairs, "places"),
                    Proof::States { pairs } => all(*pairs, "states"),
                    Proof::Simulation { .. } => "every step keeps variables of both equal".to_owned(),
                    Proof::Induction { .. } => "by induction".to_owned(),
                    Proof::Parts => "part by part".to_owned(),
                };
                let confirmation = confirmation_text(&answer.confirmation).map_or(String::new(), |line| line + "\n");
                format!(
                    "{implementation} conforms to {specification}, for traces of every length: {how}\n{confirmation}"
                )
            }
            (Some(_), _) => format!(
                "{implementation} conforms to {specification} for traces of at most {} steps ({reason})\n",
                answer.depth
            ),
            (None, _) => format!("unknown whether {implementation} conforms to {specification}: {reason}\n"),
        };
    };
    let mut out = format!("{} does not conform to {}\n", names.0, names.1);
    for happened in &found.trace {
        out.push_str(&format!("  {}\n", compared.shown(happened)));
    }
    out.push_str(&format!("  {}  <- wrong\n", compared.shown(&found.observed)));
    let allowed = if found.allowed.is_empty() { "nothing".to_owned() } else { found.allowed.join(", or ") };
    out.push_str(&format!("allowed here: {allowed}\n"));
    for (_, sentence) in compared.forbidden(found) {
        out.push_str(&format!("forbidden by: {sentence}\n"));
    }
    out
}

/// The counterexample as a sequence chart; the answer if there is none.
pub fn conformance_chart(compared: &Compared) -> Drawn {
    let Some(found) = &compared.answer.counterexample else {
        return Drawn::Said(conformance_text(compared));
    };
    let (environment, system) = (0, 1);
    let kind = |happened: &Happened| match compared.label(happened) {
        None => RowKind::Remark(system, "delta".to_owned()),
        Some((label, _)) => {
            let (from, to) = match label.direction {
                Direction::In => (environment, system),
                Direction::Out => (system, environment),
            };
            let text = compared.shown(happened).trim_start_matches(['?', '!']).to_owned();
            RowKind::Message { from, to: vec![to], text, is_hidden: false }
        }
    };
    let mut rows: Vec<Row> = found.trace.iter().map(|happened| Row::plain(kind(happened))).collect();
    rows.push(Row { kind: kind(&found.observed), is_marked: true });
    let allowed = if found.allowed.is_empty() { "nothing".to_owned() } else { found.allowed.join(", or ") };
    rows.push(Row::plain(RowKind::Note(format!("allowed here: {allowed}"))));
    let name = compared.implementation.name.clone();
    let title = format!("{name} does not conform to {}", compared.specification.name);
    Drawn::Chart(Chart { title, lifelines: vec!["env".to_owned(), name], rows })
}
