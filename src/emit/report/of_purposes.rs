//! What a report says of purposes.

use serde_json::Value as Json;

use super::super::generated::{case_chart, case_rows, counted, generated_graphs, generated_json};
use super::super::proof::{confirmation_text, proof_text};
use super::super::run::{event_label, variables};
use super::super::safety::{attempt_text, safety_text};
use super::page::page;
use super::{Entry, Group, Made, MadeFor, Report, Standing};
use crate::emit::Generated;
use crate::history::Purpose;
use crate::kernel::{Lists, StepSystem};
use crate::syntax::Sources;
use crate::synth::{Answer, Case, Origin, Proof, Safety, Verdict};

/// A page about some purposes.
pub fn generated_report(results: &[Generated], seed: u64, sources: &Sources, made: &Made) -> String {
    let json = generated_json(results, seed, sources);
    let purposes = json["purposes"].as_array().map_or(&[][..], Vec::as_slice);
    let mut names: Vec<&str> = results.iter().map(|result| result.system.name.as_str()).collect();
    names.dedup();
    let sequences: usize = results.iter().map(|result| result.answered.cases.len()).sum();
    let groups = results.iter().zip(purposes).enumerate();
    let groups: Vec<Group> =
        groups.map(|(number, (result, said))| group(result, said, made.each.get(number).copied(), sources)).collect();
    page(&Report {
        title: names.join(", "),
        summary: format!(
            "{}, {}: {}{}",
            counted(results.len(), "purpose"),
            counted(sequences, "sequence"),
            answers(purposes),
            standings(&groups)
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

/// How many answers are not what was wished for, or may still become it: `; 1 not as wished`. Nothing if all are as wished.
fn standings(groups: &[Group]) -> String {
    let unlike = groups.iter().filter(|group| group.standing == Standing::Unlike).count();
    let incomplete = groups.iter().filter(|group| group.is_incomplete()).count();
    let counts = [(unlike, "not as wished"), (incomplete, "incomplete")];
    let said = counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, said)| format!("{count} {said}"));
    let said = said.collect::<Vec<_>>().join(", ");
    if said.is_empty() { said } else { format!("; {said}") }
}

/// How an answer stands to the wish. What a limit ended is open.
fn standing(result: &Generated, made: Option<MadeFor>) -> Standing {
    let Generated { purpose, answered, .. } = result;
    let is_broken = matches!(&answered.safety, Some(Safety { verdict: Verdict::Broken, .. }));
    let is_open = match answered.answer {
        Answer::Unknown => true,
        Answer::Found => !answered.is_complete && !purpose.expects_impossible,
        Answer::Impossible | Answer::NotFound => false,
    };
    match made {
        Some(MadeFor { is_wished: false, .. }) if is_open && !is_broken => Standing::Open,
        Some(MadeFor { is_wished: false, .. }) => Standing::Unlike,
        _ => Standing::Wished,
    }
}

fn group(result: &Generated, json: &Json, made: Option<MadeFor>, sources: &Sources) -> Group {
    let Generated { system, purpose, answered } = result;
    let lists = system.lists();
    let cases = answered.cases.iter().enumerate();
    let entries = cases.map(|(number, case)| entry(case, number, result, &lists, sources)).collect();
    Group {
        name: purpose.name.clone(),
        answer: json["answer"].as_str().map(str::to_owned),
        standing: standing(result, made),
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
        out.extend(confirmation_text(&answered.confirmation).map(|line| ("second way", line)));
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
    if let Some(bound) = answered.bound {
        out.push(("bound", format!("runs of {} were asked for", lengths(&result.purpose, bound))));
    }
    if let Some(safety) = &answered.safety {
        out.extend(safety_text(safety).lines().map(|line| ("property", line.trim().to_owned())));
    }
    out.extend(texts("notes").into_iter().map(|line| ("note", line)));
    let unmet = answered.cases.iter().filter(|case| case.origin.as_ref().is_some_and(|origin| !origin.meets)).count();
    if unmet > 0 {
        let all = counted(answered.cases.len(), "sequence");
        out.push(("outside", format!("{unmet} of {all} do not meet it: their data lies just outside")));
    }
    out
}

/// How long runs were to be, up to a bound: `exactly 1 step`, `2 to 5 steps`, `at most 6 steps`
fn lengths(purpose: &Purpose, bound: usize) -> String {
    match purpose.lengths().low {
        low if low == bound => format!("exactly {}", counted(bound, "step")),
        low if (1..bound).contains(&low) => format!("{low} to {}", counted(bound, "step")),
        _ => format!("at most {}", counted(bound, "step")),
    }
}

/// How a sequence stands to the purpose, if its data lies just outside.
fn outside(case: &Case) -> Option<&'static str> {
    match case.origin.as_ref()? {
        Origin { meets: false, .. } => Some("just outside: does not meet the purpose"),
        Origin { leaves_at: Some(_), .. } => Some("just outside: meets the purpose in another way"),
        _ => None,
    }
}

/// Where the data of a sequence comes from, and what becomes of it.
fn origin_remarks(origin: &Origin, system: &StepSystem) -> Vec<String> {
    let mut out = vec![format!("data of case {}", origin.case + 1)];
    out.extend(origin.reasons.clone());
    match (&origin.refused, origin.leaves_at) {
        (Some(refused), _) => {
            let joint = &system.joints[refused.joint];
            let event = event_label(system, joint.gate, &refused.data, &joint.params);
            out.push(format!("then {event} must be refused"));
        }
        (None, Some(step)) => out.push(format!("another way from step {step} on")),
        (None, None) => {}
    }
    out
}

/// The steps of a case with its variables. What is open is said only of data that lies inside.
fn rows(case: &Case, system: &StepSystem) -> Vec<Vec<String>> {
    let collected = system.collected_slots();
    let held = case.run.steps.iter().map(|step| variables(&step.next, system, &collected));
    let held = ["variables".to_owned()].into_iter().chain(held);
    let row = |([step, event, open, fired, state], held): ([String; 5], String)| {
        let open = if outside(case).is_some() { String::new() } else { open };
        vec![step, event, open, fired, state, held]
    };
    case_rows(case, system).into_iter().zip(held).map(row).collect()
}

fn entry(case: &Case, number: usize, result: &Generated, lists: &Lists, sources: &Sources) -> Entry {
    let Generated { system, purpose, .. } = result;
    let outside = outside(case);
    let mut remarks: Vec<String> = vec![];
    remarks.extend(case.class.map(|class| format!("class {}", purpose.classes[class].text)));
    if !case.is_controllable {
        remarks.push("the system may do otherwise on the same inputs".to_owned());
    }
    remarks.extend(case.origin.iter().flat_map(|origin| origin_remarks(origin, system)));
    remarks.extend(case.attempt.as_ref().map(|attempt| attempt_text(attempt, system, sources).trim().to_owned()));
    if outside.is_none() {
        let initial = case.description.inputs.iter().filter(|said| said.step == 0);
        remarks.extend(initial.map(|said| format!("initially {}: {}", said.name, said.text)));
        remarks.extend(case.description.relations.iter().map(|relation| format!("where {relation}")));
        remarks.extend(case.description.gap_text());
    }
    let title = format!("{} {}, {}", case.called(), number + 1, counted(case.run.steps.len(), "step"));
    Entry { title, outside, remarks, rows: rows(case, system), chart: case_chart(case, number, result, lists) }
}
