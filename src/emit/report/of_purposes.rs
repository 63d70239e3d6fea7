//! What a report says of purposes.

use serde_json::Value as Json;

use super::super::generated::{case_chart, case_rows, counted, generated_graphs, generated_json, proof_text};
use super::super::run::variables;
use super::super::safety::{attempt_text, safety_text};
use super::page::page;
use super::{Entry, Group, Made, MadeFor, Report};
use crate::emit::Generated;
use crate::kernel::Lists;
use crate::syntax::Sources;
use crate::synth::{Answer, Case, Proof};

/// A page about some purposes.
pub fn generated_report(results: &[Generated], seed: u64, sources: &Sources, made: &Made) -> String {
    let json = generated_json(results, seed, sources);
    let purposes = json["purposes"].as_array().map_or(&[][..], Vec::as_slice);
    let mut names: Vec<&str> = results.iter().map(|result| result.system.name.as_str()).collect();
    names.dedup();
    let sequences: usize = results.iter().map(|result| result.answered.cases.len()).sum();
    let groups = results.iter().zip(purposes).enumerate();
    let groups =
        groups.map(|(number, (result, said))| group(result, said, made.each.get(number).copied(), sources)).collect();
    page(&Report {
        title: names.join(", "),
        summary: format!(
            "{}, {}: {}",
            counted(results.len(), "purpose"),
            counted(sequences, "sequence"),
            answers(purposes)
        ),
        facts: vec![
            ("command", made.command.clone()),
            ("seed", json["seed"].to_string()),
            ("states visited", json["stats"]["states"].to_string()),
            ("solver calls", json["stats"]["solver_calls"].to_string()),
            ("longest runs looked at", json["stats"]["depth"].to_string()),
        ],
        took: made.took,
        coverage: None,
        models: generated_graphs(results),
        groups,
    })
}

/// How often each answer was given: `3 found, 1 impossible`.
fn answers(purposes: &[Json]) -> String {
    let kinds = [Answer::Found, Answer::Impossible, Answer::NotFound, Answer::Unknown];
    let count = |kind: &Answer| (purposes.iter().filter(|one| one["answer"] == kind.text()).count(), kind.text());
    let given = kinds.iter().map(count).filter(|(count, _)| *count > 0);
    given.map(|(count, kind)| format!("{count} {kind}")).collect::<Vec<_>>().join(", ")
}

fn group(result: &Generated, json: &Json, made: Option<MadeFor>, sources: &Sources) -> Group {
    let Generated { system, purpose, answered } = result;
    let lists = system.lists();
    let cases = answered.cases.iter().enumerate();
    let entries = cases.map(|(number, case)| entry(case, number, result, &lists, sources)).collect();
    Group {
        name: purpose.name.clone(),
        answer: json["answer"].as_str().map(str::to_owned),
        made,
        said: said(result, json),
        written: sources.text(purpose.span).to_owned(),
        entries,
    }
}

/// The reasons of an answer, and how good it is.
fn said(result: &Generated, json: &Json) -> Vec<(&'static str, String)> {
    let answered = &result.answered;
    let mut out = vec![];
    if result.purpose.expects_impossible {
        out.push(("wish", "that there is none".to_owned()));
    }
    if let Some(reason) = json["reason"].as_str() {
        out.push(("reason", reason.to_owned()));
    }
    if let Some(proof) = &answered.proof {
        out.push(("proof", proof_text(proof)));
        if let Proof::Induction { invariant } = proof {
            out.extend(invariant.iter().map(|part| ("invariant", part.clone())));
        }
    }
    let texts = |key: &str| -> Vec<String> {
        let lines = json[key].as_array().into_iter().flatten();
        lines.filter_map(Json::as_str).map(str::to_owned).collect()
    };
    out.extend(texts("conflict").into_iter().map(|line| ("conflict", line)));
    match (json["optimal"].as_bool(), json["lower_bound"].as_u64()) {
        (Some(true), _) => out.push(("length", "no shorter run exists".to_owned())),
        (_, Some(bound)) if bound > 0 && answered.answer != Answer::Impossible => {
            out.push(("lower bound", format!("no run has fewer than {}", counted(bound as usize, "step"))))
        }
        _ => {}
    }
    if let Some(bound) = json["bound"].as_u64() {
        out.push(("bound", format!("runs of at most {} were asked for", counted(bound as usize, "step"))));
    }
    if let Some(safety) = &answered.safety {
        out.extend(safety_text(safety).lines().map(|line| ("property", line.trim().to_owned())));
    }
    out.extend(texts("notes").into_iter().map(|line| ("note", line)));
    out
}

fn entry(case: &Case, number: usize, result: &Generated, lists: &Lists, sources: &Sources) -> Entry {
    let Generated { system, purpose, .. } = result;
    let collected = system.collected_slots();
    let held = case.run.steps.iter().map(|step| variables(&step.next, system, &collected));
    let held = ["variables".to_owned()].into_iter().chain(held);
    let rows = case_rows(case, system).into_iter().zip(held);
    let rows = rows.map(|(row, held)| row.into_iter().chain([held]).collect()).collect();
    let mut remarks: Vec<String> = vec![];
    remarks.extend(case.class.map(|class| format!("class {}", purpose.classes[class].text)));
    if !case.is_controllable {
        remarks.push("the system may do otherwise on the same inputs".to_owned());
    }
    if let Some(origin) = &case.origin {
        remarks.push(format!("data of case {}", origin.case + 1));
        remarks.extend(origin.reasons.clone());
        remarks.extend(origin.leaves_at.map(|step| format!("another way from step {step} on")));
    }
    remarks.extend(case.attempt.as_ref().map(|attempt| attempt_text(attempt, system, sources).trim().to_owned()));
    let initial = case.description.inputs.iter().filter(|said| said.step == 0);
    remarks.extend(initial.map(|said| format!("initially {}: {}", said.name, said.text)));
    remarks.extend(case.description.relations.iter().map(|relation| format!("where {relation}")));
    // Several sequences with other data may belong to one case.
    let kind = if case.origin.is_some() { "sequence" } else { "case" };
    let title = format!("{kind} {}, {}", number + 1, counted(case.run.steps.len(), "step"));
    Entry { title, remarks, rows, chart: case_chart(case, number, result, lists) }
}
