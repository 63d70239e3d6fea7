//! How many executions a service has, and what they cover.

use num_bigint::BigUint;
use serde_json::{Map, Value as Json, json};

use super::generated::counted;
use crate::kernel::{StepSystem, collecting};
use crate::search::{Driven, service_of};

/// Largest number that every reader of JSON reads exactly.
const MAX_EXACT: u64 = 1 << 53;

/// What a driver of a service saw, with how it was driven.
pub struct Executions<'a> {
    /// The model.
    pub system: &'a StepSystem,
    /// Which way to drive.
    pub algorithm: &'static str,
    /// Most events.
    pub depth: usize,
    /// Events whose order is seen.
    pub observed: Vec<String>,
    /// What was seen.
    pub driven: &'a Driven,
}

/// Nodes with their predicates: name of the node, whether it was completed, and for each predicate its name, as written, and
/// whether it was violated first.
type Predicates<'a> = Vec<(&'a str, bool, Vec<(&'a str, &'a str, bool)>)>;

impl Executions<'_> {
    fn predicates(&self) -> Predicates<'_> {
        let Some(shape) = service_of(self.system) else { return vec![] };
        let states = &self.system.machines[0].states;
        let of_node = collecting(shape).map(|(node, collect)| {
            let predicates = collect.predicates.iter().enumerate().map(|(number, predicate)| {
                let is_violated = self.driven.violated.contains(&(node, number));
                (predicate.name.as_str(), predicate.text.as_str(), is_violated)
            });
            (states[node].as_str(), self.driven.completed.contains(&node), predicates.collect())
        });
        of_node.collect()
    }

    fn nodes(&self) -> (Vec<&str>, Vec<&str>) {
        let (mut visited, mut missed) = (vec![], vec![]);
        for (node, name) in self.system.machines[0].states.iter().enumerate() {
            let names = if self.driven.nodes.contains(&node) { &mut visited } else { &mut missed };
            names.push(name.as_str());
        }
        (visited, missed)
    }
}

/// As an object.
pub fn executions_json(shown: &Executions<'_>) -> Map<String, Json> {
    let (visited, missed) = shown.nodes();
    let predicates = shown.predicates().into_iter().flat_map(|(node, is_completed, predicates)| {
        let predicate = move |(name, text, is_violated): (&str, &str, bool)| {
            json!({ "node": node, "predicate": name, "text": text, "violated": is_violated, "satisfied": is_completed })
        };
        predicates.into_iter().map(predicate).collect::<Vec<_>>()
    });
    let driven = shown.driven;
    let mut out = Map::new();
    out.insert("model".to_owned(), json!(shown.system.name));
    out.insert("algorithm".to_owned(), json!(shown.algorithm));
    out.insert("depth".to_owned(), json!(shown.depth));
    out.insert("observable".to_owned(), json!(shown.observed));
    out.insert("executions".to_owned(), number(&driven.executions));
    out.insert("states".to_owned(), json!(driven.states));
    out.insert("complete".to_owned(), json!(driven.cut.is_none() && driven.gaps.is_empty()));
    out.insert("nodes".to_owned(), json!({ "visited": visited, "missed": missed }));
    out.insert("predicates".to_owned(), predicates.collect());
    if !driven.chosen.is_empty() {
        out.insert("chosen".to_owned(), json!(driven.chosen));
    }
    if let Some(limit) = driven.cut {
        out.insert("limit".to_owned(), json!(limit.to_string()));
    }
    if !driven.gaps.is_empty() {
        out.insert("gaps".to_owned(), json!(driven.gaps));
    }
    out
}

fn number(n: &BigUint) -> Json {
    match u64::try_from(n) {
        Ok(n) if n <= MAX_EXACT => json!(n),
        _ => json!(n.to_string()),
    }
}

/// As a person reads it.
pub fn executions_text(shown: &Executions<'_>) -> String {
    let driven = shown.driven;
    let executions = match u64::try_from(&driven.executions) {
        Ok(1) => "1 execution".to_owned(),
        _ => format!("{} executions", driven.executions),
    };
    let mut out = format!("{executions} with up to {}\n", counted(shown.depth, "event"));
    if !shown.observed.is_empty() {
        out.push_str(&format!("  observed: {}\n", shown.observed.join(", ")));
    }
    if !driven.chosen.is_empty() {
        let names: Vec<&str> = driven.chosen.iter().map(String::as_str).collect();
        out.push_str(&format!("  values chosen from the predicates: {}\n", names.join(", ")));
    }
    let (visited, missed) = shown.nodes();
    out.push_str(&format!("  nodes: {} of {} entered\n", visited.len(), visited.len() + missed.len()));
    if !missed.is_empty() {
        out.push_str(&format!("    never: {}\n", missed.join(", ")));
    }
    let predicates = shown.predicates();
    let all = predicates.iter().map(|(_, _, predicates)| predicates.len()).sum::<usize>();
    let violated = predicates.iter().flat_map(|(.., predicates)| predicates).filter(|(.., violated)| *violated).count();
    out.push_str(&format!("  predicates: {violated} of {all} violated first\n"));
    for (node, _, predicates) in &predicates {
        for (name, text, _) in predicates.iter().filter(|(.., violated)| !violated) {
            out.push_str(&format!("    never: {node}.{name} ({text})\n"));
        }
    }
    let completed = predicates.iter().filter(|(_, completed, _)| *completed).count();
    out.push_str(&format!("  completed: {completed} of {} nodes that collect\n", predicates.len()));
    for (node, ..) in predicates.iter().filter(|(_, completed, _)| !completed) {
        out.push_str(&format!("    never: {node}\n"));
    }
    driven.gaps.iter().for_each(|gap| out.push_str(&format!("  not decided: {gap}\n")));
    if let Some(limit) = driven.cut {
        out.push_str(&format!("  not complete: {limit}\n"));
    }
    out
}
