//! How much of a specification a set of runs has seen: of its locations, and of its symbolic states up to a length.

use std::collections::BTreeSet;

use super::alphabet::Alphabet;
use super::definitions::{Definitions, Event, Explored, SymbolicState};
use super::observed::{Happened, trace_for};
use super::pairs::{Found, Pairs, Question};
use super::side::{Place, Side};
use super::world::World;
use crate::kernel::{ChoiceError, StepSystem, states_after};
use crate::search::{Limits, Progress};
use crate::solve::Solver;

/// Most symbolic states that are looked at for the locations that can be reached.
const MAX_STATES: usize = 20_000;

/// A part of a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// What was covered.
    pub covered: usize,
    /// What there is.
    pub of: usize,
}

/// The locations that can be reached.
#[derive(Clone, Debug)]
pub struct Locations {
    /// Control states of all machines.
    pub reached: BTreeSet<Vec<u32>>,
    /// Whether there are no others.
    pub is_complete: bool,
}

/// The locations of a model that runs can reach.
pub fn locations(
    system: &StepSystem,
    alphabet: &Alphabet,
    solver: Box<dyn Solver>,
    limits: &Limits,
    progress: &mut dyn Progress,
) -> Locations {
    let mut pairs = Pairs::new(
        World::new(&system.definitions, solver),
        alphabet,
        Side::implementation(system, alphabet, None),
        Side::specification(system, alphabet),
        Question::Reaches,
    );
    let found = pairs.search(None, MAX_STATES, limits, progress, &mut |_| false);
    let reached = pairs.met.iter().filter_map(|met| match &met.pair.implementation {
        Place::At { control, .. } => Some(control.clone()),
        Place::Chaos | Place::Hushed => None,
    });
    let is_complete = matches!(found, Found::Closed(_)) && pairs.world.gaps.is_empty();
    Locations { reached: reached.collect(), is_complete }
}

impl Locations {
    /// How many of them runs have seen.
    pub fn coverage(
        &self,
        runs: &[Vec<Happened>],
        system: &StepSystem,
        alphabet: &Alphabet,
    ) -> Result<Coverage, ChoiceError> {
        let mut seen = BTreeSet::new();
        for run in runs {
            for length in 0..=run.len() {
                let Some(trace) = trace_for(system, &alphabet.specification, alphabet, &run[..length]) else {
                    continue;
                };
                let states = states_after(system, &trace, &Default::default())?.unwrap_or_default();
                seen.extend(states.into_iter().map(|state| state.control));
            }
        }
        let covered = self.reached.iter().filter(|location| seen.contains(*location)).count();
        Ok(Coverage { covered, of: self.reached.len() })
    }
}

/// The symbolic states up to every length from 0 to the depth that was explored, and how many of them runs have seen: those
/// whose sequence a run begins with, and whose attainment constraint its data satisfies.
pub fn coverage(definitions: &mut Definitions, explored: &[Explored], runs: &[Vec<Happened>]) -> Vec<Coverage> {
    let depth = explored.iter().map(|e| e.sequence.len()).max().unwrap_or(0);
    let event = |happened: &Happened| match happened {
        Happened::Delta => Event::Delta,
        Happened::Label(label, _) => Event::Label(*label),
    };
    let (mut all, mut seen): (BTreeSet<SymbolicState>, BTreeSet<SymbolicState>) = Default::default();
    let mut out = vec![];
    for length in 0..=depth {
        for Explored { sequence, states } in explored.iter().filter(|e| e.sequence.len() == length) {
            all.extend(states.iter().cloned());
            let begun = |run: &&Vec<Happened>| {
                run.len() >= length && run[..length].iter().map(event).eq(sequence.iter().copied())
            };
            for run in runs.iter().filter(begun) {
                for state in states {
                    if !seen.contains(state) && definitions.holds_for(state.attainment, &run[..length]) {
                        seen.insert(state.clone());
                    }
                }
            }
        }
        out.push(Coverage { covered: seen.len(), of: all.len() });
    }
    out
}
