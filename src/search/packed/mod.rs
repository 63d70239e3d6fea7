//! Explicit search: concrete states, packed.
//!
//! Every value is stored once and known by its number, so a node is a row of numbers: control states, values of variables and
//! channels that still matter, and where the items are that watch the run. What a transition does is evaluated by the
//! interpreter once for each combination of the values it reads (`moves`), and so is what an item makes of a step
//! (`watch`); everything else is looking up. For models whose inputs and open values can be listed.

mod moves;
mod space;
mod values;
mod watch;

use std::hash::BuildHasher;
use std::rc::Rc;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::apart::Apart;
use super::cover::{ControlView, Edge, Graph, SetId, Sets, Steps};
use super::levels::Path;
use super::symbolic::{Fired, Question};
use crate::history::{Length, Live};
use crate::kernel::{ChoiceError, Given, MAX_ELEMENTS, SlotKind, State, StepSystem};
use crate::reach::Matters;
use crate::term::Value;
use moves::{Move, Moves};
use values::{ABSENT, Values};
use watch::Watch;

pub use space::PackedSpace;
pub use watch::combinations;

pub(super) type Codes = Vec<u32>;

/// Where the parts of a row begin: control states stand first, then values, then what watches.
#[derive(Clone, Debug)]
struct Layout {
    machines: usize,
    /// Place of each slot; none for inputs, which are absent between steps.
    slots: Vec<Option<usize>>,
    watches: usize,
    width: usize,
}

impl Layout {
    fn new(system: &StepSystem, watches: usize, has_clock: bool) -> Layout {
        let machines = system.machines.len();
        let mut next = machines;
        let slots = system.slots.iter().map(|slot| {
            (slot.kind != SlotKind::Input).then(|| {
                next += 1;
                next - 1
            })
        });
        let slots = slots.collect();
        Layout { machines, slots, watches: next, width: next + watches + usize::from(has_clock) }
    }
}

/// The graph of packed states, as far as it is known.
pub struct Packed<'a> {
    question: Question<'a>,
    layout: Layout,
    values: Values,
    moves: Moves<'a>,
    watch: Watch<'a>,
    /// For each machine and control state, places of variables that nobody reads any more.
    forgotten: Vec<Vec<Vec<usize>>>,
    has_clock: bool,
    watches_clock: bool,
    /// Lengths of runs, where steps are counted for them.
    length: Option<Length>,
    /// All rows, one after the other.
    rows: Codes,
    numbers: HashTable<u32>,
    hasher: FxBuildHasher,
    /// Room for the row after a step.
    spare: Codes,
    starts: Vec<u32>,
    trouble: Option<ChoiceError>,
    work: usize,
}

/// What a node and a step cost, about, in microseconds, and how many numbers of a row are dealt with in one.
const UNITS_OF_NODE: usize = 4;
const UNITS_OF_EDGE: usize = 2;
const WIDTH_OF_UNIT: usize = 8;

impl<'a> Packed<'a> {
    /// The graph of a question, or of a part of it, with all its constraints as items; with a length, every run keeps it. An
    /// error if values cannot be listed.
    pub fn new(
        question: Question<'a>,
        part: Option<&Apart>,
        length: Option<Length>,
    ) -> Result<Packed<'a>, ChoiceError> {
        let system = question.system;
        let watch = Watch::new(question)?;
        let has_clock = question.looks_at_clock() || length.is_some();
        let layout = Layout::new(system, watch.groups(), has_clock);
        let moves = Moves::new(question, part.cloned());
        let forgotten = forgotten(question, &layout);
        let mut packed = Packed {
            question,
            layout,
            values: Values::default(),
            moves,
            watch,
            forgotten,
            has_clock,
            watches_clock: question.looks_at_clock(),
            length,
            rows: vec![],
            numbers: HashTable::new(),
            hasher: FxBuildHasher,
            spare: vec![],
            starts: vec![],
            trouble: None,
            work: 0,
        };
        for state in system.initial_states(&Given::default(), None)? {
            let row = packed.first_row(&state)?;
            let start = packed.number(&row);
            packed.starts.push(start);
        }
        // Whether inputs can be listed shows at the first state.
        if let Some(first) = packed.starts.first().copied() {
            packed.moves_of(first)?;
        }
        Ok(packed)
    }

    fn first_row(&mut self, state: &State) -> Result<Codes, ChoiceError> {
        let mut row = vec![ABSENT; self.layout.width];
        row[..self.layout.machines].copy_from_slice(&state.control);
        for (slot, place) in self.layout.slots.iter().enumerate() {
            if let Some(place) = place {
                row[*place] = self.values.code(&state.values[slot]);
            }
        }
        let watches = self.layout.watches..self.layout.watches + self.watch.groups();
        self.watch.start(&mut row[watches])?;
        self.forget(&mut row);
        Ok(row)
    }

    /// How many nodes were met.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether none was met.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Why some nodes have steps that could not be listed.
    pub fn trouble(&self) -> Option<&ChoiceError> {
        self.trouble.as_ref()
    }

    fn row(&self, node: u32) -> &[u32] {
        let at = node as usize * self.layout.width;
        &self.rows[at..at + self.layout.width]
    }

    /// Control states of the machines in a node.
    pub fn control(&self, node: u32) -> &[u32] {
        &self.row(node)[..self.layout.machines]
    }

    /// What is left to show of an item in a node, if it was not covered before.
    pub fn live(&self, node: u32, item: usize) -> Vec<Live<Value>> {
        self.watch.live(&self.row(node)[self.layout.watches..], item)
    }

    /// Variables that no one reads any more are all alike.
    fn forget(&self, row: &mut [u32]) {
        for machine in 0..self.layout.machines {
            for place in &self.forgotten[machine][row[machine] as usize] {
                row[*place] = ABSENT;
            }
        }
    }

    fn number(&mut self, row: &[u32]) -> u32 {
        let (width, rows, hasher) = (self.layout.width, &self.rows, &self.hasher);
        let row_of = |node: u32| &rows[node as usize * width..(node as usize + 1) * width];
        let entry = self.numbers.entry(
            hasher.hash_one(row),
            |node| row_of(*node) == row,
            |node| hasher.hash_one(row_of(*node)),
        );
        let next = (self.rows.len() / width.max(1)) as u32;
        let node = *entry.or_insert(next).get();
        if node == next {
            self.rows.extend_from_slice(row);
        }
        node
    }

    /// The moves of a node in the order of transitions.
    fn moves_of(&mut self, node: u32) -> Result<Vec<Rc<Move>>, ChoiceError> {
        let row = &self.rows[node as usize * self.layout.width..][..self.layout.width];
        let mut moves = self.moves.of(row, &self.layout, &mut self.values)?;
        // By what fires first, inputs second.
        moves.sort_by(|a, b| a.order(b));
        Ok(moves)
    }

    /// The node that a move leads to, and the items that it covers.
    fn take(&mut self, node: u32, taken: &Move, sets: &mut Sets) -> Result<(u32, SetId), ChoiceError> {
        let before = &self.rows[node as usize * self.layout.width..][..self.layout.width];
        let mut row = std::mem::take(&mut self.spare);
        row.clear();
        row.extend_from_slice(before);
        taken.apply(&mut row, self.question.system, &self.layout);
        let clock = self.has_clock.then(|| {
            let last = self.layout.width - 1;
            // Steps that nobody counts any more are not counted.
            let is_enough = match self.length {
                Some(Length { low, high: None }) => row[last] as usize >= low && !self.watches_clock,
                _ => false,
            };
            row[last] += u32::from(!is_enough);
            row[last]
        });
        let marks = self.watch.step(before, &mut row, taken, clock, &self.layout, &self.values, sets)?;
        self.forget(&mut row);
        let target = self.number(&row);
        self.spare = row;
        Ok((target, marks))
    }

    /// What fires in each step from a node, in the order of its edges.
    pub fn fired(&mut self, node: u32) -> Vec<Fired> {
        match self.moves_of(node) {
            Ok(moves) => moves.iter().map(|one| one.fired.clone()).collect(),
            // It has no edges then, and the trouble is known.
            Err(_) => vec![],
        }
    }

    /// The steps of a path: joint, what fires, and its data.
    fn run(&mut self, path: &Path, sets: &mut Sets) -> Vec<(usize, Fired, Vec<Value>)> {
        let mut at = path.start;
        let mut out = vec![];
        for number in &path.steps {
            let moves = self.moves_of(at).expect("the steps of a node with edges were listed");
            let taken = moves.into_iter().nth(*number as usize).expect("an edge is a step of its node");
            let (target, _) = self.take(at, &taken, sets).expect("an edge was taken before");
            let data = taken.data.iter().map(|code| self.values.get(*code).clone()).collect();
            out.push((taken.joint, taken.fired.clone(), data));
            at = target;
        }
        out
    }

    /// Initial values of the open variables, where a path starts.
    pub fn opened(&self, start: u32) -> Vec<Value> {
        let slots = self.question.system.open_slots();
        let place = |slot: &usize| self.layout.slots[*slot];
        // Those that nobody reads can be anything; the first value of their type will do.
        let all = self.question.system.initial_states(&Given::default(), None);
        let all = all.expect("the initial states were listed before the first step");
        let row = self.row(start);
        let fits = |state: &&State| {
            slots.iter().all(|slot| {
                let code = place(slot).map_or(ABSENT, |place| row[place]);
                code == ABSENT || *self.values.get(code) == state.values[*slot]
            })
        };
        let state = all.iter().find(fits).expect("a path starts in an initial state");
        slots.iter().map(|slot| state.values[*slot].clone()).collect()
    }

    /// Steps taken so far, where they are counted.
    fn taken(&self, node: u32) -> Option<(usize, Length)> {
        self.length.map(|length| (self.row(node)[self.layout.width - 1] as usize, length))
    }

    fn expanded(&mut self, node: u32, sets: &mut Sets) -> Result<Vec<Edge>, ChoiceError> {
        let mut edges = vec![];
        if self.values.elements() + self.watch.elements() > MAX_ELEMENTS {
            return Err(ChoiceError::TooManyElements);
        }
        if self.taken(node).is_some_and(|(taken, length)| length.high.is_some_and(|high| taken >= high)) {
            return Ok(edges);
        }
        for taken in self.moves_of(node)? {
            let (target, marks) = self.take(node, &taken, sets)?;
            edges.push(Edge { target, marks });
        }
        let of_edge = UNITS_OF_EDGE + (self.layout.width + self.layout.machines) / WIDTH_OF_UNIT;
        self.work += UNITS_OF_NODE + edges.len() * of_edge;
        Ok(edges)
    }
}

impl Graph<Packed<'_>> {
    /// The steps of a path: joint, what fires, and its data.
    pub fn run(&mut self, path: &Path) -> Vec<(usize, Fired, Vec<Value>)> {
        self.steps.run(path, &mut self.sets)
    }
}

impl Steps for Packed<'_> {
    fn starts(&mut self) -> Vec<u32> {
        self.starts.clone()
    }

    fn expand(&mut self, node: u32, sets: &mut Sets) -> Vec<Edge> {
        match self.expanded(node, sets) {
            Ok(edges) => edges,
            Err(trouble) => {
                self.trouble.get_or_insert(trouble);
                vec![]
            }
        }
    }

    fn ends(&mut self, node: u32, sets: &mut Sets) -> Option<SetId> {
        if self.taken(node).is_some_and(|(taken, length)| taken < length.low) {
            return None;
        }
        let at = node as usize * self.layout.width;
        let states = &self.rows[at + self.layout.watches..at + self.layout.watches + self.watch.groups()];
        match self.watch.ends(states, sets) {
            Ok(ends) => Some(ends),
            Err(limit) => {
                self.trouble.get_or_insert(ChoiceError::Limit(limit));
                None
            }
        }
    }

    fn failed(&mut self, node: u32, sets: &mut Sets) -> SetId {
        let row = &self.rows[node as usize * self.layout.width..][..self.layout.width];
        self.watch.failed(&row[self.layout.watches..], sets)
    }

    fn work(&self) -> usize {
        self.work
    }

    fn gap(&self) -> Option<String> {
        let is_partial = || self.moves.is_partial.then(|| "not all combinations of moves were tried".to_owned());
        self.trouble.as_ref().map(ToString::to_string).or_else(is_partial)
    }

    fn keeps_control(&self, from: u32, to: u32) -> bool {
        self.control(from) == self.control(to)
    }
}

impl ControlView for Packed<'_> {
    fn control_of(&self, node: u32, machine: usize) -> u32 {
        self.row(node)[machine]
    }

    fn live_of(&self, node: u32, item: usize) -> Option<Live<Value>> {
        match &self.live(node, item)[..] {
            [only] => Some(only.clone()),
            _ => None,
        }
    }
}

/// For each machine and control state, places of its variables that it does not read any more before it writes them, and
/// that no item looks at.
fn forgotten(question: Question<'_>, layout: &Layout) -> Vec<Vec<Vec<usize>>> {
    let system = question.system;
    let matters = Matters::new(system);
    let watched = question.watched_slots();
    let of_machine = |machine: usize| {
        let transitions = &system.machines[machine].transitions;
        let mut own: Vec<usize> = transitions
            .iter()
            .flat_map(|t| t.reads().into_iter().chain(t.updates.iter().map(|(slot, _)| *slot)))
            .collect();
        own.sort_unstable();
        own.dedup();
        own.retain(|slot| {
            system.slots.get(*slot).is_some_and(|s| s.kind == SlotKind::Variable) && !watched.contains(slot)
        });
        let of_state = |state: usize| {
            let places = own.iter().filter(|slot| !matters.reads(machine, state as u32, **slot));
            places.filter_map(|slot| layout.slots[*slot]).collect()
        };
        (0..system.machines[machine].states.len()).map(of_state).collect()
    };
    (0..system.machines.len()).map(of_machine).collect()
}
