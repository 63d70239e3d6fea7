//! Suites, and what they cover: as JSON, as text, as charts.

use serde_json::{Value as Json, json};

use super::chart::{Chart, Drawing, Drawn};
use super::generated::{chart_files, counted, object};
use super::graph::ModelGraph;
use super::proof::{proved_json, proved_text};
use super::run::{label, run_json, table};
use crate::kernel::{Step, StepSystem};
use crate::syntax::Sources;
use crate::synth::{Asked, CoverOptions, Minimise, Proved, Sequence, Status, Suite, item_names};

/// A suite with what was asked for.
pub struct CoveredSuite<'a> {
    /// The model and the items.
    pub asked: &'a Asked,
    /// The criteria, as they were given.
    pub of: &'a [String],
    /// How it was searched for.
    pub options: &'a CoverOptions<'a>,
    /// The suite.
    pub suite: &'a Suite,
    /// Names of items that are no constraints: symbolic states.
    pub others: &'a [String],
    /// Where items are written.
    pub sources: &'a Sources,
}

impl CoveredSuite<'_> {
    /// Names of the items, each different.
    pub(super) fn names(&self) -> Vec<String> {
        item_names(&self.asked.purpose, self.others, self.sources)
    }

    /// Items with their names, as far as they have a status of some kind.
    fn with<T>(&self, of: impl Fn(&Status) -> Option<T>) -> Vec<(String, T)> {
        let items = self.names().into_iter().zip(&self.suite.items);
        items.filter_map(|(name, status)| Some((name, of(status)?))).collect()
    }

    /// Items that no run covers.
    fn impossible(&self) -> impl Iterator<Item = (String, Proved)> {
        let named = self.names().into_iter().enumerate();
        named.filter_map(|(item, name)| match &self.suite.items[item] {
            Status::Impossible(proof) => {
                let confirmation = self.suite.confirmations.get(&item).cloned().unwrap_or_default();
                Some((name, Proved { proof: proof.clone(), confirmation }))
            }
            _ => None,
        })
    }

    /// The criterion, or all of them.
    fn of(&self) -> Json {
        match self.of {
            [only] => json!(only),
            several => json!(several),
        }
    }

    fn minimise(&self) -> &'static str {
        match self.options.minimise {
            Minimise::Steps => "steps",
            Minimise::Sequences => "sequences",
        }
    }
}

/// The object that the contract describes.
pub fn suite_json(covered: &CoveredSuite<'_>) -> Json {
    let CoveredSuite { asked, options, suite, .. } = covered;
    let names = covered.names();
    let impossible = covered.impossible().map(|(item, proved)| {
        let proof = proved_json(&proved, std::slice::from_ref(&item));
        json!({ "item": item, "proof": proof })
    });
    let unknown = covered.with(|status| match status {
        Status::NotFound(reason) => Some(("not-found", reason.clone())),
        Status::Unknown(reason) => Some(("unknown", reason.clone())),
        _ => None,
    });
    let unknown =
        unknown.into_iter().map(|(item, (answer, reason))| json!({ "item": item, "answer": answer, "reason": reason }));
    let is_covered = covered.with(|status| (*status == Status::Covered).then_some(()));
    let traces = suite.sequences.iter().map(|sequence| sequence_json(sequence, &asked.system, &names));
    let mut out = object([
        ("model", json!(asked.system.name)),
        ("seed", json!(options.seed)),
        ("of", covered.of()),
        ("minimise", json!(covered.minimise())),
        ("items", json!(names)),
        ("covered", json!(is_covered.into_iter().map(|(name, ())| name).collect::<Vec<_>>())),
        ("impossible", Json::Array(impossible.collect())),
        ("unknown", Json::Array(unknown.collect())),
        ("steps", json!(suite.steps())),
        ("optimal", json!(suite.is_optimal)),
        ("lower_bound", json!(suite.lower_bound)),
        ("suite", Json::Array(traces.collect())),
        ("stats", json!({ "states": suite.statistics.states, "solver_calls": suite.statistics.solver_calls })),
    ]);
    if let Some(reason) = &suite.reason {
        out["reason"] = json!(reason);
    }
    out
}

/// A trace, with what it covers.
fn sequence_json(sequence: &Sequence, system: &StepSystem, names: &[String]) -> Json {
    let mut trace = run_json(&sequence.run, system);
    trace["covers"] = Json::Array(sequence.covers.iter().map(|(item, _)| json!(names[*item])).collect());
    trace
}

/// One file for each sequence, by name, with its charts beside it, and the manifest that lists them.
pub fn suite_files(covered: &CoveredSuite<'_>, drawings: &[Drawing]) -> (Vec<(String, String)>, Json) {
    let names = covered.names();
    let system = &covered.asked.system;
    let mut files = vec![];
    let mut listed = vec![];
    for (number, sequence) in covered.suite.sequences.iter().enumerate() {
        let file = format!("suite-{}.json", number + 1);
        let mut entry = json!({ "file": file, "length": sequence.run.steps.len() });
        if !drawings.is_empty() {
            let charts = chart_files(&sequence_chart(covered, number), &format!("suite-{}", number + 1), drawings);
            entry["charts"] = charts.iter().map(|(file, _)| json!(file)).collect();
            files.extend(charts);
        }
        listed.push(entry);
        let mut trace = sequence_json(sequence, system, &names);
        trace["of"] = covered.of();
        files.push((file, format!("{trace:#}\n")));
    }
    let mut manifest = suite_json(covered);
    manifest["suite"] = Json::Array(listed);
    (files, manifest)
}

/// For people: what is covered and what is not, and a table of steps for each sequence.
pub fn suite_text(covered: &CoveredSuite<'_>) -> String {
    let suite = covered.suite;
    let mut out = format!("{}: {}\n", covered.of.join(" and "), summary(covered));
    if let Some(reason) = suite.reason.as_ref().filter(|_| !suite.is_optimal) {
        out.push_str(&format!("  reason: {reason}\n"));
    }
    for (item, proved) in covered.impossible() {
        out.push_str(&format!("  impossible: {item}\n{}", proved_text(&proved, "    ", "proof")));
    }
    let unknown = covered.with(|status| match status {
        Status::NotFound(reason) => Some(("not-found", reason.clone())),
        Status::Unknown(reason) => Some(("unknown", reason.clone())),
        _ => None,
    });
    for (item, (answer, reason)) in unknown {
        out.push_str(&format!("  {answer}: {item}\n    reason: {reason}\n"));
    }
    let names = covered.names();
    let mut before: Vec<usize> = vec![];
    for (number, sequence) in suite.sequences.iter().enumerate() {
        out.push('\n');
        out.push_str(&sequence_text(sequence, number + 1, &covered.asked.system, &names, &before));
        before.extend(sequence.covers.iter().map(|(item, _)| *item));
    }
    out
}

/// How much is covered, by how much, and how good that is.
pub(super) fn summary(covered: &CoveredSuite<'_>) -> String {
    let suite = covered.suite;
    if suite.items.is_empty() {
        return "there is nothing to cover".to_owned();
    }
    let possible = suite.items.iter().filter(|status| !matches!(status, Status::Impossible(_))).count();
    let done = suite.items.iter().filter(|status| **status == Status::Covered).count();
    let of_all = if possible < suite.items.len() { " that can be" } else { "" };
    let mut out = format!("{done} of {}{of_all} covered", counted(possible, "item"));
    if suite.sequences.is_empty() {
        return out;
    }
    out.push_str(&format!(
        ", by {} with {}",
        counted(suite.sequences.len(), "sequence"),
        counted(suite.steps(), "step")
    ));
    out.push_str(&match (suite.is_optimal, covered.options.minimise) {
        (true, Minimise::Steps) => "; none has fewer steps".to_owned(),
        (true, Minimise::Sequences) => "; none is better".to_owned(),
        (false, _) if suite.lower_bound == 0 => "; whether fewer would do is not known".to_owned(),
        (false, _) => format!("; at least {} are needed", counted(suite.lower_bound, "step")),
    });
    out
}

fn sequence_text(
    sequence: &Sequence,
    number: usize,
    system: &StepSystem,
    names: &[String],
    before: &[usize],
) -> String {
    let mut out = format!("  sequence {number}: {}\n", counted(sequence.run.steps.len(), "step"));
    let rows = sequence_rows(sequence, system, names, before);
    for line in table(&rows).lines() {
        out.push_str(&format!("    {line}\n"));
    }
    out
}

/// A table of the steps of a sequence, with its header. What others before it cover is not said again.
pub(super) fn sequence_rows(
    sequence: &Sequence,
    system: &StepSystem,
    names: &[String],
    before: &[usize],
) -> Vec<[String; 4]> {
    let mut rows = vec![["step", "event", "fired", "covers"].map(str::to_owned)];
    let covers = |step: usize| {
        let is_new = |(item, at): &&(usize, usize)| *at == step && !before.contains(item);
        let covers: Vec<&str> = sequence.covers.iter().filter(is_new).map(|(item, _)| names[*item].as_str()).collect();
        covers.join(", ")
    };
    if sequence.run.steps.is_empty() {
        rows.push(["0".to_owned(), "(initial)".to_owned(), String::new(), covers(0)]);
    }
    for (place, step) in sequence.run.steps.iter().enumerate() {
        rows.push([(place + 1).to_string(), label(step, system), moved(step, system), covers(place + 1)]);
    }
    rows
}

/// What fired: names of transitions, with their machines if there are several.
fn moved(step: &Step, system: &StepSystem) -> String {
    let fired = step.fired.iter().filter_map(|(machine, transition)| {
        let machine = &system.machines[*machine];
        let name = &machine.transitions[(*transition)?].name;
        Some(if system.machines.len() == 1 { name.clone() } else { format!("{}.{name}", machine.name) })
    });
    fired.collect::<Vec<_>>().join(" ")
}

/// What is covered, and one chart for each sequence.
pub fn suite_charts(covered: &CoveredSuite<'_>) -> Vec<Drawn> {
    let said = Drawn::Said(format!("{}: {}", covered.of.join(" and "), summary(covered)));
    let charts = (0..covered.suite.sequences.len()).map(|number| Drawn::Chart(sequence_chart(covered, number)));
    [said].into_iter().chain(charts).collect()
}

pub(super) fn sequence_chart(covered: &CoveredSuite<'_>, number: usize) -> Chart {
    let title = format!("sequence {}", number + 1);
    let run = &covered.suite.sequences[number].run;
    Chart::of_run(title, run, &covered.asked.system, &covered.asked.lists, &vec![])
}

/// The model, with what the suite passes and what no suite can pass.
pub fn suite_graph(covered: &CoveredSuite<'_>) -> ModelGraph {
    let runs = covered.suite.sequences.iter().map(|sequence| &sequence.run);
    let mut graph = ModelGraph::new(&covered.asked.system, runs);
    graph.mark_impossible(covered.asked, &covered.suite.items);
    graph
}
