//! What came of purposes: as JSON, as text, as charts.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use super::chart::{Chart, Drawing, Drawn, Row, RowKind, marks};
use super::graph::ModelGraph;
use super::proof::{proved_json, proved_text};
use super::run::{event_json, event_label, label, run_json};
use super::safety::{attempt_json, attempt_text, safety_json, safety_text};
use crate::history::Purpose;
use crate::kernel::{Lists, StepSystem, Style};
use crate::syntax::Sources;
use crate::synth::{Answer, Answered, Case, Origin};
use crate::term::Value;

/// A purpose with its answer.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The model.
    pub system: StepSystem,
    /// The purpose.
    pub purpose: Purpose,
    /// What came of it.
    pub answered: Answered,
}

/// The object that the contract describes.
pub fn generated_json(results: &[Generated], seed: u64, sources: &Sources) -> Json {
    let mut models: Vec<&str> = results.iter().map(|result| result.system.name.as_str()).collect();
    models.dedup();
    let model = match models[..] {
        [only] => json!(only),
        _ => json!(models),
    };
    let sum = |f: fn(&Answered) -> usize| results.iter().map(|result| f(&result.answered)).sum::<usize>();
    let stats = json!({
        "states": sum(|a| a.statistics.states),
        "solver_calls": sum(|a| a.statistics.solver_calls),
        "depth": results.iter().map(|result| result.answered.statistics.depth).max().unwrap_or(0),
    });
    let purposes = results.iter().map(|result| purpose_json(result, sources)).collect();
    object([("model", model), ("seed", json!(seed)), ("purposes", Json::Array(purposes)), ("stats", stats)])
}

/// `1 step`, `2 steps`
pub(super) fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// An object of parts that are moved, not copied: `json!` copies what is put into it.
pub(super) fn object<const N: usize>(parts: [(&str, Json); N]) -> Json {
    Json::Object(parts.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

fn purpose_json(result: &Generated, sources: &Sources) -> Json {
    let Generated { system, purpose, answered } = result;
    let lower_bound = (answered.lower_bound != usize::MAX).then_some(answered.lower_bound);
    let conflict = conflict(result, sources);
    let mut out = object([
        ("name", json!(purpose.name)),
        ("answer", json!(answered.answer.text())),
        ("proof", answered.proved().map_or(Json::Null, |proved| proved_json(&proved, &conflict))),
        ("conflict", json!(conflict)),
        ("bound", json!(answered.bound)),
        ("optimal", json!(answered.is_optimal.filter(|_| answered.answer == Answer::Found))),
        ("lower_bound", json!(lower_bound)),
        ("cases", Json::Array(answered.cases.iter().map(|case| case_json(case, system, purpose, sources)).collect())),
    ]);
    if let Some(reason) = &answered.reason {
        out["reason"] = json!(reason);
    }
    if !answered.notes.is_empty() {
        out["notes"] = json!(answered.notes);
    }
    if let Some(safety) = &answered.safety {
        safety_json(safety, &mut out);
    }
    out
}

pub(super) fn case_json(case: &Case, system: &StepSystem, purpose: &Purpose, sources: &Sources) -> Json {
    let mut out = object([
        ("length", json!(case.run.steps.len())),
        ("class", json!(case.class.map(|class| purpose.classes[class].text.clone()))),
        ("controllable", json!(case.is_controllable)),
        ("constraints", json!(case.description.lines())),
        ("sequence", run_json(&case.run, system)),
    ]);
    if let Some(Origin { case, reasons, leaves_at, meets, refused }) = &case.origin {
        out["case"] = json!(case + 1);
        out["reasons"] = json!(reasons);
        out["meets"] = json!(meets);
        out["leaves_at"] = json!(leaves_at);
        out["refused"] = json!(refused.as_ref().map(|refused| event_json(refused.joint, &refused.data, system)));
    }
    if let Some(attempt) = &case.attempt {
        out["must_fail"] = attempt_json(attempt, system, sources);
        if attempt.is_refused && attempt.after == case.run.steps.len() {
            out["refused"] = Json::Object(event_json(attempt.joint, &attempt.data, system));
        }
    }
    out
}

/// One file for each sequence, by name, with its charts beside it, and the manifest that lists them with the answers.
pub fn generated_files(
    results: &[Generated],
    seed: u64,
    sources: &Sources,
    drawings: &[Drawing],
) -> (Vec<(String, String)>, Json) {
    let mut files = vec![];
    let mut purposes = vec![];
    let mut plain_names: BTreeSet<String> = BTreeSet::new();
    for result in results {
        let name = &result.purpose.name;
        // Two names that differ in signs or capitals only are different files all the same.
        let plain = file_stem(name);
        let numbered = (2..).map(|number| format!("{plain}_{number}"));
        let mut plain = std::iter::once(plain.clone()).chain(numbered);
        let plain = plain.find(|name| plain_names.insert(name.to_lowercase())).unwrap_or_default();
        let lists = result.system.lists();
        let mut cases = vec![];
        for (number, case) in result.answered.cases.iter().enumerate() {
            let stem = format!("{plain}-{}", number + 1);
            let file = format!("{stem}.json");
            let mut text = case_json(case, &result.system, &result.purpose, sources);
            text["purpose"] = json!(name);
            let class = case.class.map(|class| result.purpose.classes[class].text.clone());
            let mut entry = json!({ "file": file, "length": case.run.steps.len(), "class": class });
            files.push((file, format!("{text:#}\n")));
            if !drawings.is_empty() {
                let chart = case_chart(case, number, result, &lists);
                let charts = chart_files(&chart, &stem, drawings);
                entry["charts"] = charts.iter().map(|(file, _)| json!(file)).collect();
                files.extend(charts);
            }
            cases.push(entry);
        }
        let (answer, model) = (result.answered.answer.text(), &result.system.name);
        let conflict = conflict(result, sources);
        purposes
            .push(json!({ "name": name, "model": model, "answer": answer, "conflict": conflict, "sequences": cases }));
    }
    (files, json!({ "seed": seed, "purposes": purposes }))
}

/// A name as a part of the name of a file.
pub fn file_stem(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    plain.trim_end_matches('_').to_owned()
}

/// A chart in each of some ways, with the names of the files.
pub(super) fn chart_files(chart: &Chart, stem: &str, drawings: &[Drawing]) -> Vec<(String, String)> {
    drawings.iter().map(|drawing| (format!("{stem}.{}", drawing.extension()), drawing.chart(chart))).collect()
}

/// The constraints that cannot be met together, as written.
pub fn conflict(result: &Generated, sources: &Sources) -> Vec<String> {
    let Generated { purpose, answered, .. } = result;
    if answered.answer != Answer::Impossible {
        return vec![];
    }
    let written = |span| sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out: Vec<String> = vec![];
    if answered.length_conflicts {
        out.extend(purpose.length.iter().map(|(_, span)| written(*span)));
    }
    for number in &answered.conflict {
        let constraint = &purpose.constraints[*number];
        out.push(match &constraint.item {
            Some(item) => format!("{}: {item}", written(constraint.span)),
            None => written(constraint.span),
        });
    }
    out.extend(answered.empty_classes.iter().map(|class| format!("class {}", purpose.classes[*class].text)));
    out
}

/// For people: the answer, and a table of steps for each case.
pub fn generated_text(results: &[Generated], sources: &Sources) -> String {
    results.iter().map(|result| purpose_text(result, sources)).collect::<Vec<_>>().join("\n")
}

fn purpose_text(result: &Generated, sources: &Sources) -> String {
    let Generated { system, purpose, answered } = result;
    let mut out = format!("{}: {}", purpose.name, answered.answer.text());
    let steps = |n: usize| counted(n, "step");
    match (answered.answer, answered.cases.as_slice()) {
        (Answer::Found, [only]) if answered.safety.is_none() => {
            out.push_str(&format!(" in {}", steps(only.run.steps.len())));
            out.push_str(match answered.is_optimal {
                Some(true) => ", no shorter run exists\n",
                _ => "\n",
            });
        }
        (_, cases) if !cases.is_empty() => {
            let last = cases.last().and_then(|case| case.origin.as_ref());
            out.push_str(&match last {
                Some(last) => {
                    let sequences = counted(cases.len(), "sequence");
                    format!(", {} with {sequences}\n", counted(last.case + 1, "case"))
                }
                None => format!(", {}\n", counted(cases.len(), "case")),
            });
        }
        _ => out.push('\n'),
    }
    // What a note ends with is said already.
    let is_noted = |reason: &&String| answered.notes.iter().any(|note| note.ends_with(*reason));
    if let Some(reason) = answered.reason.as_ref().filter(|reason| !is_noted(reason)) {
        out.push_str(&format!("  reason: {reason}\n"));
    }
    if let Some(proved) = answered.proved() {
        out.push_str(&proved_text(&proved, "  ", "proof"));
    }
    for line in conflict(result, sources) {
        out.push_str(&format!("  conflict: {line}\n"));
    }
    if let Some(safety) = &answered.safety {
        out.push_str(&safety_text(safety));
    }
    for note in &answered.notes {
        out.push_str(&format!("  note: {note}\n"));
    }
    let of_one = |a: &Case, b: &Case| matches!((&a.origin, &b.origin), (Some(a), Some(b)) if a.case == b.case);
    for (number, cases) in answered.cases.chunk_by(of_one).enumerate() {
        out.push('\n');
        out.push_str(&case_text(&cases[0], number + 1, system, purpose));
        if let Some(attempt) = &cases[0].attempt {
            out.push_str(&attempt_text(attempt, system, sources));
        }
        if cases[0].origin.is_some() {
            out.push_str(&super::data::data_text(cases, system));
        }
    }
    out
}

pub(super) fn case_text(case: &Case, number: usize, system: &StepSystem, purpose: &Purpose) -> String {
    let class = case.class.map(|class| format!(", class {}", purpose.classes[class].text)).unwrap_or_default();
    let control = if case.is_controllable { "" } else { ", the system may do otherwise on the same inputs" };
    let steps = counted(case.run.steps.len(), "step");
    let mut out = format!("  case {number}: {steps}{class}{control}\n");
    let rows = case_rows(case, system);
    for line in super::run::table(&rows).lines() {
        out.push_str(&format!("    {line}\n"));
    }
    for said in case.description.inputs.iter().filter(|said| said.step == 0) {
        out.push_str(&format!("    initially {}: {}\n", said.name, said.text));
    }
    for relation in &case.description.relations {
        out.push_str(&format!("    where {relation}\n"));
    }
    out.extend(case.description.gap_text().map(|gap| format!("    {gap}\n")));
    out
}

/// A table of the steps of a case, with its header.
pub(super) fn case_rows(case: &Case, system: &StepSystem) -> Vec<[String; 5]> {
    let mut rows = vec![["step", "event", "open", "fired", "state"].map(str::to_owned)];
    for (i, step) in case.run.steps.iter().enumerate() {
        let said = case.description.inputs.iter().filter(|said| said.step == i + 1);
        let open: Vec<String> = match system.style {
            Style::Lockstep => said.map(|said| format!("{}: {}", said.name, said.text)).collect(),
            Style::Gates => said.map(|said| said.text.clone()).collect(),
        };
        let fired = step.fired.iter().map(|(machine, transition)| {
            transition.map_or("-", |t| &system.machines[*machine].transitions[t].name).to_owned()
        });
        let states = system.machines.iter().zip(&step.next.control).map(|(m, c)| m.states[*c as usize].clone());
        rows.push([
            (i + 1).to_string(),
            label(step, system),
            open.join(", "),
            fired.collect::<Vec<_>>().join(" "),
            states.collect::<Vec<_>>().join(" "),
        ]);
    }
    rows
}

/// One chart for each case; what is said where there is none.
pub fn generated_charts(results: &[Generated], sources: &Sources) -> Vec<Drawn> {
    let mut out = vec![];
    for result in results {
        if result.answered.cases.is_empty() {
            out.push(Drawn::Said(purpose_text(result, sources)));
            continue;
        }
        let lists = result.system.lists();
        let chart = |(number, case)| Drawn::Chart(case_chart(case, number, result, &lists));
        out.extend(result.answered.cases.iter().enumerate().map(chart));
    }
    out
}

pub(super) fn case_chart(case: &Case, number: usize, result: &Generated, lists: &Lists) -> Chart {
    let Generated { system, purpose, .. } = result;
    let title = format!("{}, {} {}", purpose.name, case.called(), number + 1);
    let marks = marks(&case.run, system, lists, purpose, case.class, &case.open);
    let mut chart = Chart::of_run(title, &case.run, system, lists, &marks);
    let mut note = |text: String| chart.rows.push(Row { kind: RowKind::Note(text), is_marked: true });
    let event = |joint: usize, data: &[Value]| {
        event_label(system, system.joints[joint].gate, data, &system.joints[joint].params)
    };
    if let Some(refused) = case.origin.as_ref().and_then(|origin| origin.refused.as_ref()) {
        note(format!("{} must be refused here", event(refused.joint, &refused.data)));
    }
    if let Some(attempt) = &case.attempt {
        let event = event(attempt.joint, &attempt.data);
        note(match attempt.after == case.run.steps.len() {
            true => format!("{event} must fail here"),
            false => format!("{event} after step {} must fail", attempt.after),
        });
    }
    chart
}

/// The models of some purposes, each once, with what the sequences for them pass.
pub fn generated_graphs(results: &[Generated]) -> Vec<ModelGraph> {
    let mut out: Vec<(ModelGraph, ModelGraph)> = vec![];
    for Generated { system, answered, .. } in results {
        // Models of one name may differ in their parameters.
        let plain = ModelGraph::new(system, []);
        let at = out.iter().position(|(known, _)| *known == plain).unwrap_or_else(|| {
            out.push((plain.clone(), plain));
            out.len() - 1
        });
        answered.cases.iter().for_each(|case| out[at].1.pass(&case.run));
    }
    out.into_iter().map(|(_, graph)| graph).collect()
}
