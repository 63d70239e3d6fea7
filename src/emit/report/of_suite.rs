//! What a report says of a suite.

use serde_json::Value as Json;

use super::super::generated::counted;
use super::super::proof::proof_text;
use super::super::run::variables;
use super::super::suite::{CoveredSuite, sequence_chart, sequence_rows, suite_graph, suite_json, summary};
use super::page::page;
use super::{Coverage, Covered, Entry, Group, Made, Report, Standing};
use crate::synth::{Minimise, Sequence, Status};

/// A page about a suite.
pub fn suite_report(covered: &CoveredSuite<'_>, made: &Made) -> String {
    let json = suite_json(covered);
    page(&Report {
        title: covered.asked.system.name.clone(),
        summary: format!("{}: {}", covered.of.join(" and "), summary(covered)),
        facts: vec![
            ("command", made.command.clone()),
            ("seed", json["seed"].to_string()),
            ("states visited", json["stats"]["states"].to_string()),
            ("solver calls", json["stats"]["solver_calls"].to_string()),
        ],
        took: made.took,
        coverage: Some(coverage(covered, &json)),
        models: vec![suite_graph(covered)],
        groups: vec![group(covered, &json)],
    })
}

fn coverage(covered: &CoveredSuite<'_>, json: &Json) -> Coverage {
    let names = covered.names();
    let items = names.into_iter().zip(&covered.suite.items).enumerate().map(|(number, (name, status))| {
        let place = first_place(covered, number);
        let (status, why) = match status {
            Status::Covered => {
                ("covered", place.map(|(at, step)| format!("sequence {}, step {step}", at + 1)).unwrap_or_default())
            }
            Status::Impossible(proof) => ("impossible", proof_text(proof)),
            Status::NotFound(reason) => ("not-found", reason.clone()),
            Status::Unknown(reason) => ("unknown", reason.clone()),
        };
        Covered { name, status: status.to_owned(), why, at: place }
    });
    let count = |key: &str| json[key].as_array().map_or(0, Vec::len);
    let items = items.collect();
    Coverage { items, covered: count("covered"), impossible: count("impossible"), open: count("unknown") }
}

/// The first sequence that covers an item, and the step after which it does.
fn first_place(covered: &CoveredSuite<'_>, item: usize) -> Option<(usize, usize)> {
    let place = |(number, sequence): (usize, &Sequence)| {
        sequence.covers.iter().find(|(of, _)| *of == item).map(|(_, step)| (number, *step))
    };
    covered.suite.sequences.iter().enumerate().find_map(place)
}

fn group(covered: &CoveredSuite<'_>, json: &Json) -> Group {
    let mut said = vec![("steps", json["steps"].to_string())];
    said.push(match (json["optimal"].as_bool(), covered.options.minimise) {
        (Some(true), Minimise::Steps) => ("optimal", "no suite that covers the same has fewer steps".to_owned()),
        (Some(true), Minimise::Sequences) => {
            ("optimal", "no suite has fewer sequences, and none with as few has fewer steps".to_owned())
        }
        _ => ("lower bound", counted(json["lower_bound"].as_u64().unwrap_or(0) as usize, "step")),
    });
    if let Some(reason) = json["reason"].as_str() {
        said.push(("reason", reason.to_owned()));
    }
    Group {
        name: format!("suite for {}", covered.of.join(" and ")),
        answer: None,
        standing: Standing::Wished,
        made: None,
        said,
        written: String::new(),
        entries: entries(covered),
    }
}

fn entries(covered: &CoveredSuite<'_>) -> Vec<Entry> {
    let (names, system) = (covered.names(), &covered.asked.system);
    let collected = system.collected_slots();
    let mut before: Vec<usize> = vec![];
    let mut out = vec![];
    for (number, sequence) in covered.suite.sequences.iter().enumerate() {
        let mut rows: Vec<Vec<String>> =
            sequence_rows(sequence, system, &names, &before).into_iter().map(Vec::from).collect();
        let held = sequence.run.steps.iter().map(|step| {
            let states = system.machines.iter().zip(&step.next.control).map(|(m, c)| m.states[*c as usize].as_str());
            [states.collect::<Vec<_>>().join(" "), variables(&step.next, system, &collected)]
        });
        let held = [["state", "variables"].map(str::to_owned)].into_iter().chain(held);
        rows.iter_mut().zip(held).for_each(|(row, held)| row.extend(held));
        let is_new = sequence.covers.iter().filter(|(item, _)| !before.contains(item)).count();
        before.extend(sequence.covers.iter().map(|(item, _)| *item));
        out.push(Entry {
            title: format!("sequence {}, {}", number + 1, counted(sequence.run.steps.len(), "step")),
            outside: None,
            remarks: vec![format!("covers {}, {is_new} of them first", counted(sequence.covers.len(), "item"))],
            rows,
            chart: sequence_chart(covered, number),
        });
    }
    out
}
