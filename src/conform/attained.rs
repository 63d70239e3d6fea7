//! Runs that attain symbolic states.
//!
//! A run attains a symbolic state if what is observed of it begins with a sequence that leads there, and its data satisfies the
//! attainment constraint. Silence needs no step: who waits where a model is silent sees it. So a run stands for itself and
//! for the same with silence wherever the model allows it.

use std::collections::{BTreeMap, BTreeSet};

use super::alphabet::Alphabet;
use super::definitions::{Definitions, Event, Explored, SymbolicState};
use super::observed::{Happened, observed_at, trace_for};
use crate::kernel::{Given, Missing, Run, State, StepSystem, TraceStep};
use crate::syntax::tree::Direction;
use crate::term::Term;

/// Most internal steps in a row.
const MAX_INTERNAL: usize = 100;

/// The symbolic states of a model up to a length, as things to attain.
pub struct ToAttain<'a, 'd> {
    system: &'a StepSystem,
    alphabet: &'a Alphabet,
    definitions: &'d mut Definitions<'a>,
    /// Each state once, with the sequences that lead there.
    states: Vec<(SymbolicState, Vec<Vec<Event>>)>,
}

/// Which states a run attains, by number, and after how many steps.
pub type Attains = Vec<(usize, usize)>;

impl<'a, 'd> ToAttain<'a, 'd> {
    /// All states of what was explored.
    pub fn new(
        system: &'a StepSystem,
        alphabet: &'a Alphabet,
        definitions: &'d mut Definitions<'a>,
        explored: Vec<Explored>,
    ) -> ToAttain<'a, 'd> {
        let mut numbers: BTreeMap<SymbolicState, usize> = BTreeMap::new();
        let mut states: Vec<(SymbolicState, Vec<Vec<Event>>)> = vec![];
        for Explored { sequence, states: of_sequence } in explored {
            for state in of_sequence {
                let number = *numbers.entry(state.clone()).or_insert(states.len());
                if number == states.len() {
                    states.push((state, vec![]));
                }
                states[number].1.push(sequence.clone());
            }
        }
        ToAttain { system, alphabet, definitions, states }
    }

    /// Where each state is, and the first sequence that leads there: `l2 after ?rq !gq`.
    pub fn names(&self) -> Vec<String> {
        let name = |(state, sequences): &(SymbolicState, Vec<Vec<Event>>)| {
            let machines = self.system.machines.iter().zip(state.location());
            let places: Vec<&str> = machines.map(|(machine, state)| machine.states[*state as usize].as_str()).collect();
            let events = sequences[0].iter().map(|event| match event {
                Event::Delta => "delta".to_owned(),
                Event::Label(label) => self.alphabet.labels[*label].to_string(),
            });
            let events: Vec<String> = events.collect();
            let after =
                if events.is_empty() { "at the start".to_owned() } else { format!("after {}", events.join(" ")) };
            format!("{} {after}", places.join(", "))
        };
        self.states.iter().map(name).collect()
    }

    /// What a run attains.
    pub fn attained_by(&mut self, run: &Run) -> Attains {
        let (mut observed, mut lengths) = (vec![], vec![]);
        for step in &run.steps {
            observed.extend(observed_at(step, self.system, self.alphabet));
            lengths.push(observed.len());
        }
        let mut out = vec![];
        for number in 0..self.states.len() {
            let (state, sequences) = self.states[number].clone();
            let fits = |sequence: &Vec<Event>| along(sequence, &observed);
            let mut ways: Vec<Vec<Happened>> = sequences.iter().filter_map(fits).collect();
            ways.sort_by_key(Vec::len);
            if let Some(way) = ways.into_iter().find(|way| self.definitions.holds_for(state.attainment, way)) {
                let seen = way.iter().filter(|happened| **happened != Happened::Delta).count();
                let step = lengths.iter().position(|length| *length >= seen).map_or(0, |step| step + 1);
                out.push((number, if seen == 0 { run.steps.len().min(1) } else { step }));
            }
        }
        out
    }

    /// Runs that attain what is left, the longest sequences first, each as much as its data can; with what no run was found for.
    pub fn runs(
        &mut self,
        mut left: BTreeSet<usize>,
        go_on: &mut dyn FnMut() -> bool,
    ) -> (Vec<(Run, Attains)>, BTreeSet<usize>) {
        let mut found = vec![];
        let mut lost = BTreeSet::new();
        while let Some(number) =
            left.iter().copied().max_by_key(|number| (self.length_of(*number), std::cmp::Reverse(*number)))
        {
            let run = if go_on() { self.run_for(number, &left) } else { None };
            let attains = run.as_ref().map(|run| self.attained_by(run)).unwrap_or_default();
            match run {
                Some(run) if attains.iter().any(|(attained, _)| *attained == number) => {
                    attains.iter().for_each(|(attained, _)| {
                        left.remove(attained);
                    });
                    found.push((run, attains));
                }
                _ => {
                    left.remove(&number);
                    lost.insert(number);
                }
            }
        }
        let seen: BTreeSet<usize> =
            found.iter().flat_map(|(_, attains)| attains.iter().map(|(number, _)| *number)).collect();
        (found, lost.difference(&seen).copied().collect())
    }

    /// Observations that all sequences to a state have at least.
    fn length_of(&self, number: usize) -> usize {
        self.states[number].1.iter().map(|sequence| visible(sequence).len()).min().unwrap_or(0)
    }

    /// A run to a state, and to others that are left and that the same sequence leads to, as far as they agree.
    fn run_for(&mut self, number: usize, left: &BTreeSet<usize>) -> Option<Run> {
        let (state, sequences) = self.states[number].clone();
        let sequence = sequences.into_iter().min_by_key(|sequence| visible(sequence).len())?;
        let mut conditions = vec![state.attainment];
        for other in left.iter().filter(|other| **other != number) {
            let (state, ways) = &self.states[*other];
            if ways.contains(&sequence) {
                conditions.push(state.attainment);
                if !self.definitions.is_feasible(&conditions) {
                    conditions.pop();
                }
            }
        }
        let condition = self.definitions.terms().all(conditions);
        let happened = self.definitions.example(&sequence, condition)?;
        let seen: Vec<Happened> = happened.into_iter().filter(|happened| *happened != Happened::Delta).collect();
        self.run_along(&seen)
    }

    /// A run of which just this is observed; where it ends within a tick, the whole tick.
    fn run_along(&self, seen: &[Happened]) -> Option<Run> {
        let trace = trace_for(self.system, &self.alphabet.specification, self.alphabet, seen)?;
        let initial = self.system.initial_states(&Given::default(), None).ok()?;
        for initial in initial {
            let mut steps = vec![];
            if self.go_along(&initial, &trace.steps, seen, 0, &mut steps) {
                return Some(Run { initial, steps });
            }
        }
        None
    }

    fn go_along(
        &self,
        state: &State,
        trace: &[TraceStep],
        seen: &[Happened],
        internal: usize,
        steps: &mut Vec<crate::kernel::Step>,
    ) -> bool {
        let Some((next, rest)) = trace.split_first() else { return true };
        let given = Given::default();
        let fitting = self.system.steps_like(state, next, Missing::Absent, &given, None).unwrap_or_default();
        for step in fitting {
            let observed = observed_at(&step, self.system, self.alphabet);
            let count = observed.len().min(seen.len());
            if observed.is_empty() || observed[..count] != seen[..count] {
                continue;
            }
            let target = step.next.clone();
            steps.push(step);
            if self.go_along(&target, rest, &seen[count..], 0, steps) {
                return true;
            }
            steps.pop();
        }
        if internal >= MAX_INTERNAL {
            return false;
        }
        for step in self.system.internal_steps(state, &given, None).unwrap_or_default() {
            let target = step.next.clone();
            steps.push(step);
            if target != *state && self.go_along(&target, trace, seen, internal + 1, steps) {
                return true;
            }
            steps.pop();
        }
        false
    }

    /// No runs that attain all these states have fewer steps together, and none are fewer: sequences of which none begins with
    /// another need a run each, and so do states of one sequence whose conditions exclude each other.
    pub fn at_least(&mut self, states: &BTreeSet<usize>) -> (usize, usize) {
        let mut words: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
        let mut apart: BTreeMap<Vec<Event>, Vec<Term>> = BTreeMap::new();
        for number in states {
            let (state, sequences) = self.states[*number].clone();
            let word = visible(&sequences[0]);
            if sequences.iter().any(|other| visible(other) != word) {
                continue;
            }
            let mut runs = 1;
            if let [only] = &sequences[..] {
                let others = apart.entry(only.clone()).or_default();
                let excludes = |other: &Term| !self.definitions.is_feasible(&[*other, state.attainment]);
                if others.iter().all(excludes) {
                    others.push(state.attainment);
                }
                runs = others.len();
            }
            let known = words.entry(word).or_insert(runs);
            *known = (*known).max(runs);
        }
        // In order, a word is followed by one that begins with it, if there is one.
        let all: Vec<(Vec<usize>, usize)> = words.into_iter().collect();
        let is_step = |label: &&usize| {
            let described = &self.alphabet.labels[**label];
            !(described.is_tick && described.direction == Direction::Out)
        };
        let (mut steps, mut runs) = (0, 0);
        for (place, (word, of_word)) in all.iter().enumerate() {
            if all.get(place + 1).is_none_or(|(next, _)| !next.starts_with(word)) {
                steps += of_word * word.iter().filter(is_step).count();
                runs += of_word;
            }
        }
        (steps, runs)
    }
}

/// The labels of a sequence, without silence.
fn visible(sequence: &[Event]) -> Vec<usize> {
    let label = |event: &Event| match event {
        Event::Delta => None,
        Event::Label(label) => Some(*label),
    };
    sequence.iter().filter_map(label).collect()
}

/// What happens along a sequence in a run that begins with its labels, with silence where the sequence has it.
fn along(sequence: &[Event], observed: &[Happened]) -> Option<Vec<Happened>> {
    let mut rest = observed.iter();
    let mut out = vec![];
    for event in sequence {
        out.push(match event {
            Event::Delta => Happened::Delta,
            Event::Label(label) => match rest.next()? {
                happened @ Happened::Label(own, _) if own == label => happened.clone(),
                _ => return None,
            },
        });
    }
    Some(out)
}
