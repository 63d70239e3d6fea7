//! Symbolic states: sequences of events, what they lead to, and how much of it runs have seen.

use serde_json::{Value as Json, json};

use super::run::table;
use crate::conform::definitions::{Definitions, Event, Explored, SymbolicState};
use crate::conform::{Alphabet, Coverage};
use crate::kernel::StepSystem;
use crate::search::Limit;
use crate::syntax::tree::Direction;

/// What was explored.
pub struct Symbolic<'a> {
    /// The model.
    pub system: &'a StepSystem,
    /// Its events.
    pub alphabet: &'a Alphabet,
    /// Sequences with their states.
    pub explored: &'a [Explored],
    /// By length, the symbolic states there are, and how many of them runs have seen.
    pub seen: &'a [Coverage],
    /// The locations that runs have seen, and whether it is known that there are no others; none without runs.
    pub locations: Option<(Coverage, bool)>,
    /// The limit that ended it.
    pub cut: Option<Limit>,
    /// Why something was not looked at.
    pub gaps: Vec<String>,
}

impl Symbolic<'_> {
    fn sequence(&self, sequence: &[Event]) -> Vec<String> {
        let event = |event: &Event| match event {
            Event::Delta => "delta".to_owned(),
            Event::Label(label) => self.alphabet.labels[*label].to_string(),
        };
        sequence.iter().map(event).collect()
    }

    fn location(&self, state: &SymbolicState) -> String {
        let names = self.system.machines.iter().zip(state.location()).map(|(m, s)| m.states[*s as usize].clone());
        names.collect::<Vec<_>>().join(" ")
    }

    /// How many sequences there are up to each length.
    fn counts(&self) -> Vec<usize> {
        (0..self.seen.len()).map(|n| self.explored.iter().filter(|e| e.sequence.len() <= n).count()).collect()
    }

    /// What has to hold after all sequences: as many conditions as there are observations.
    fn obligations(&self) -> usize {
        self.explored.len() * (self.alphabet.of_direction(Direction::Out).count() + 1)
    }

    fn values(&self, state: &SymbolicState, definitions: &Definitions) -> Vec<(String, String)> {
        let names = self.system.slots.iter().map(|slot| slot.name.clone());
        names.zip(state.values()).map(|(name, term)| (name, definitions.written(term))).collect()
    }

    /// Whether nothing is shown: always, never, or under a condition.
    fn silence(&self, state: &SymbolicState, definitions: &mut Definitions) -> String {
        let quiet = definitions.quiescence(state);
        let terms = definitions.terms();
        let not = terms.not(quiet);
        match (definitions.is_feasible(&[state.attainment, quiet]), definitions.is_feasible(&[state.attainment, not])) {
            (true, false) => "always".to_owned(),
            (true, true) => definitions.written(quiet),
            (false, _) => "never".to_owned(),
        }
    }
}

/// One object.
pub fn symbolic_json(shown: &Symbolic, definitions: &mut Definitions) -> Json {
    let mut quiet = 0;
    let mut traces = vec![];
    for Explored { sequence, states } in shown.explored {
        let states: Vec<Json> = (states.iter())
            .map(|state| {
                let silence = shown.silence(state, definitions);
                quiet += usize::from(silence != "never");
                let values: serde_json::Map<String, Json> =
                    shown.values(state, definitions).into_iter().map(|(name, text)| (name, json!(text))).collect();
                json!({
                    "location": shown.location(state),
                    "attainment": definitions.written(state.attainment),
                    "values": values,
                    "quiescent": silence,
                })
            })
            .collect();
        traces.push(json!({ "sequence": shown.sequence(sequence), "states": states }));
    }
    let mut out = json!({
        "model": shown.system.name,
        "depth": shown.seen.len().saturating_sub(1),
        "sequences": shown.counts(),
        "symbolic_states": shown.seen.iter().map(|c| c.of).collect::<Vec<_>>(),
        "states": shown.seen.last().map_or(0, |c| c.of),
        "quiescent": quiet,
        "obligations": shown.obligations(),
        "complete": false,
        "traces": traces,
    });
    if let Some((locations, is_complete)) = shown.locations {
        let part = |c: &Coverage| json!({ "covered": c.covered, "of": c.of });
        out["coverage"] = json!({
            "locations": { "covered": locations.covered, "of": locations.of, "complete": is_complete },
            "symbolic_states": shown.seen.iter().map(part).collect::<Vec<_>>(),
        });
    }
    if let Some(limit) = shown.cut {
        out["limit"] = json!(limit.to_string());
    }
    if !shown.gaps.is_empty() {
        out["gaps"] = json!(shown.gaps);
    }
    out
}

/// A table of the states, then the counts.
pub fn symbolic_text(shown: &Symbolic, definitions: &mut Definitions) -> String {
    let mut rows = vec![["sequence", "location", "attainment", "values", "quiescent"].map(str::to_owned)];
    for Explored { sequence, states } in shown.explored {
        let mut name = match sequence.is_empty() {
            true => "(empty)".to_owned(),
            false => shown.sequence(sequence).join("."),
        };
        for state in states {
            let values: Vec<String> =
                shown.values(state, definitions).into_iter().map(|(name, text)| format!("{name}={text}")).collect();
            rows.push([
                std::mem::take(&mut name),
                shown.location(state),
                definitions.written(state.attainment),
                values.join(" "),
                shown.silence(state, definitions),
            ]);
        }
    }
    let mut out = table(&rows);
    let numbers = |numbers: Vec<usize>| numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    out.push_str(&format!("sequences of at most 0, 1, ... events: {}\n", numbers(shown.counts())));
    out.push_str(&format!("different symbolic states: {}\n", numbers(shown.seen.iter().map(|c| c.of).collect())));
    out.push_str(&format!("obligations: {}\n", shown.obligations()));
    if let Some((locations, is_complete)) = shown.locations {
        let of = if is_complete { "" } else { " that were found" };
        out.push_str(&format!("locations covered: {} of {}{of}\n", locations.covered, locations.of));
        let parts: Vec<String> = shown.seen.iter().map(|c| format!("{}/{}", c.covered, c.of)).collect();
        out.push_str(&format!("symbolic states covered: {}\n", parts.join(", ")));
    }
    if let Some(limit) = shown.cut {
        out.push_str(&format!("not complete: {limit}\n"));
    }
    for gap in &shown.gaps {
        out.push_str(&format!("not complete: {gap}\n"));
    }
    out
}
