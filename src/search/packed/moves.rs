//! Steps of packed states.
//!
//! What a joint, or one machine of a lock-step system, can do depends on the values that its transitions read and on nothing
//! else; so the interpreter is asked once for each combination of these, and steps of the whole are put together from what it
//! said. Inputs that no enabled transition can read stay absent: they make no difference.

use std::cmp::Ordering;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::values::{ABSENT, Values};
use super::{Codes, Layout};
use crate::kernel::{ChoiceError, Given, Part, SlotKind, State, StepSystem, Target};
use crate::search::apart::{Apart, machines_in};
use crate::search::symbolic::{Fired, Question};
use crate::term::Value;

/// Most steps of one state; where machines of a lock-step system could combine their moves in more ways, only some of
/// the combinations are taken.
const MAX_COMBINED: usize = 4_096;

/// A step of a packed state.
#[derive(Clone, Debug)]
pub struct Move {
    /// The joint.
    pub joint: usize,
    /// Data of the gate, or inputs and outputs.
    pub data: Codes,
    /// What fires.
    pub fired: Fired,
    /// New values of slots; channels of a tick that are not among them become empty.
    writes: Vec<(usize, u32)>,
}

impl Move {
    /// The order of steps: by what fires, idling last; then by the joint.
    pub fn order(&self, other: &Move) -> Ordering {
        let fired = |of: &(usize, Option<usize>)| (of.0, of.1.unwrap_or(usize::MAX));
        self.fired.iter().map(fired).cmp(other.fired.iter().map(fired)).then(self.joint.cmp(&other.joint))
    }

    /// Makes the row of a state that of the state after the step, but for what watches.
    pub fn apply(&self, row: &mut [u32], system: &StepSystem, layout: &Layout) {
        if let [Part::Tick(tick)] = system.joints[self.joint].parts[..] {
            for place in system.ticks[tick].channels.iter().filter_map(|slot| layout.slots[*slot]) {
                row[place] = ABSENT;
            }
        }
        for (machine, transition) in &self.fired {
            if let Some(transition) = transition {
                row[*machine] = system.machines[*machine].transitions[*transition].target;
            }
        }
        for (slot, code) in &self.writes {
            if let Some(place) = layout.slots[*slot] {
                row[place] = *code;
            }
        }
    }
}

/// What one machine can do in a tick.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Choice {
    /// Inputs that it reads, by place, with the values they must have.
    inputs: Vec<(usize, u32)>,
    transition: Option<usize>,
    writes: Vec<(usize, u32)>,
    /// Messages to the environment: numbers of outputs.
    outputs: Vec<(usize, u32)>,
}

/// Slots that are read, and places of inputs.
type Reads = (Vec<usize>, Vec<usize>);

/// Steps, as far as they were asked for.
pub struct Moves<'a> {
    question: Question<'a>,
    part: Option<Apart>,
    /// Slots that the transitions of each joint read.
    reads: Vec<Vec<usize>>,
    /// For each machine of a lock-step system and control state: the slots its transitions read, inputs by place apart.
    machine_reads: FxHashMap<(usize, u32), Rc<Reads>>,
    /// For each joint of switches, its steps by the values that are read.
    joints: Vec<FxHashMap<Codes, Rc<Vec<Rc<Move>>>>>,
    machines: FxHashMap<(usize, u32, Codes), Rc<Vec<Choice>>>,
    /// Inputs, by place, whose values make a difference to more than the machine that reads them.
    seen_inputs: Vec<bool>,
    /// Room for the values that are read.
    key: Codes,
    /// Whether some combinations were left out.
    pub is_partial: bool,
}

impl<'a> Moves<'a> {
    pub fn new(question: Question<'a>, part: Option<Apart>) -> Moves<'a> {
        let system = question.system;
        let slots_read = |joint: usize| {
            let mut read: Vec<usize> = vec![];
            for part in &system.joints[joint].parts {
                if let Part::Switch { machine, transition } = part {
                    read.extend(system.machines[*machine].transitions[*transition].reads());
                }
            }
            read.retain(|slot| *slot < system.slots.len());
            read.sort_unstable();
            read.dedup();
            read
        };
        Moves {
            question,
            part,
            reads: (0..system.joints.len()).map(slots_read).collect(),
            machine_reads: FxHashMap::default(),
            joints: vec![FxHashMap::default(); system.joints.len()],
            key: vec![],
            machines: FxHashMap::default(),
            seen_inputs: seen_inputs(question),
            is_partial: false,
        }
    }

    /// All steps of a row.
    pub fn of(&mut self, row: &[u32], layout: &Layout, values: &mut Values) -> Result<Vec<Rc<Move>>, ChoiceError> {
        let system = self.question.system;
        let mut out = vec![];
        for joint in 0..system.joints.len() {
            if self.part.as_ref().is_some_and(|part| !part.joints.contains(&joint)) {
                continue;
            }
            match system.joints[joint].parts[..] {
                [Part::Tick(tick)] => self.tick(joint, tick, row, layout, values, &mut out)?,
                _ => {
                    let at_source = system.joints[joint].parts.iter().all(|part| match part {
                        Part::Tick(_) => false,
                        Part::Switch { machine, transition } => {
                            system.machines[*machine].transitions[*transition].source == row[*machine]
                        }
                    });
                    if at_source {
                        out.extend(self.switches(joint, row, layout, values)?.iter().cloned());
                    }
                }
            }
        }
        Ok(out)
    }

    /// Steps in which switches meet.
    fn switches(
        &mut self,
        joint: usize,
        row: &[u32],
        layout: &Layout,
        values: &mut Values,
    ) -> Result<Rc<Vec<Rc<Move>>>, ChoiceError> {
        self.key.clear();
        self.key.extend(self.reads[joint].iter().map(|slot| code_of(row, layout, *slot)));
        if let Some(known) = self.joints[joint].get(&self.key) {
            return Ok(known.clone());
        }
        let system = self.question.system;
        let state = self.state(row, layout, values, &self.reads[joint]);
        let mut moves = vec![];
        for step in system.steps_with(joint, &state, &[], &Given::default(), None)? {
            let mut writes = vec![];
            for (machine, transition) in &step.fired {
                let Some(transition) = transition else { continue };
                for (slot, _) in &system.machines[*machine].transitions[*transition].updates {
                    writes.push((*slot, values.code(&step.next.values[*slot])));
                }
            }
            let data = step.data.iter().map(|value| values.code(value)).collect();
            moves.push(Rc::new(Move { joint, data, fired: step.fired, writes }));
        }
        let moves = Rc::new(moves);
        self.joints[joint].insert(self.key.clone(), moves.clone());
        Ok(moves)
    }

    /// A state with the values of some slots; nobody looks at the others.
    fn state(&self, row: &[u32], layout: &Layout, values: &Values, slots: &[usize]) -> State {
        let system = self.question.system;
        let mut state =
            State { control: row[..layout.machines].to_vec(), values: vec![Value::Absent; system.slots.len()] };
        for slot in slots {
            state.values[*slot] = values.get(code_of(row, layout, *slot)).clone();
        }
        state
    }

    /// Steps of a lock-step system: one choice of every machine, together.
    fn tick(
        &mut self,
        joint: usize,
        tick: usize,
        row: &[u32],
        layout: &Layout,
        values: &mut Values,
        out: &mut Vec<Rc<Move>>,
    ) -> Result<(), ChoiceError> {
        let system = self.question.system;
        let group = &system.ticks[tick];
        let machines = machines_in(group, self.part.as_ref());
        let mut choices: Vec<(Option<usize>, Rc<Vec<Choice>>)> = vec![];
        for machine in machines {
            choices.push((Some(machine), self.choices(machine, (joint, tick), row, layout, values)?));
        }
        // Inputs that somebody looks at, though no machine reads them here.
        for place in 0..group.inputs.len() {
            let is_ours = self.part.as_ref().is_none_or(|part| part.inputs.contains(&place));
            let is_read = choices.iter().any(|(_, c)| c.iter().any(|c| c.inputs.iter().any(|(p, _)| *p == place)));
            if is_ours && self.seen_inputs[place] && !is_read && self.question.watches_input(joint, place) {
                let state = self.state(row, layout, values, &[]);
                let of_input = system.input_values((joint, tick), place, &state, &Given::default(), None)?;
                let choice = |value: &Value| Choice {
                    inputs: vec![(place, values.code(value))],
                    transition: None,
                    writes: vec![],
                    outputs: vec![],
                };
                choices.push((None, Rc::new(of_input.iter().map(choice).collect())));
            }
        }
        let ways = choices.iter().map(|(_, choices)| choices.len()).try_fold(1usize, |all, n| all.checked_mul(n));
        let combined = match ways {
            Some(ways) if ways <= MAX_COMBINED => every_combination(&choices),
            _ => {
                self.is_partial = true;
                some_combinations(&choices)
            }
        };
        'combined: for numbers in combined {
            let mut data = vec![ABSENT; group.inputs.len() + group.outputs.len()];
            let mut fixed: Vec<bool> = vec![false; group.inputs.len()];
            let (mut fired, mut writes) = (vec![], vec![]);
            for ((machine, choices), number) in choices.iter().zip(numbers) {
                let choice = &choices[number];
                for (place, code) in &choice.inputs {
                    // Machines that read the same input see the same value.
                    if fixed[*place] && data[*place] != *code {
                        continue 'combined;
                    }
                    (fixed[*place], data[*place]) = (true, *code);
                }
                fired.extend(machine.map(|machine| (machine, choice.transition)));
                writes.extend(&choice.writes);
                for (output, code) in &choice.outputs {
                    data[group.inputs.len() + output] = *code;
                }
            }
            out.push(Rc::new(Move { joint, data, fired, writes }));
        }
        Ok(())
    }

    /// What one machine can do in a tick.
    fn choices(
        &mut self,
        machine: usize,
        (joint, tick): (usize, usize),
        row: &[u32],
        layout: &Layout,
        values: &mut Values,
    ) -> Result<Rc<Vec<Choice>>, ChoiceError> {
        let system = self.question.system;
        let control = row[machine];
        let read = (self.machine_reads.entry((machine, control)))
            .or_insert_with(|| Rc::new(reads_in(system, tick, machine, control)))
            .clone();
        let (slots, inputs) = &*read;
        let key = (machine, control, slots.iter().map(|slot| code_of(row, layout, *slot)).collect());
        if let Some(known) = self.machines.get(&key) {
            return Ok(known.clone());
        }
        let state = self.state(row, layout, values, slots);
        let group = &system.ticks[tick];
        let mut rows: Vec<Vec<Value>> = vec![vec![]];
        for place in inputs {
            let of_input = system.input_values((joint, tick), *place, &state, &Given::default(), None)?;
            if rows.len().saturating_mul(of_input.len()) > MAX_COMBINED * MAX_COMBINED {
                return Err(ChoiceError::TooMany);
            }
            let longer = |row: &Vec<Value>, value: &Value| [&row[..], std::slice::from_ref(value)].concat();
            rows = rows.iter().flat_map(|row| of_input.iter().map(move |value| longer(row, value))).collect();
        }
        let only_here = !inputs.iter().any(|place| self.seen_inputs[*place]);
        let mut choices: Vec<Choice> = vec![];
        for row in rows {
            let mut seen = state.values.clone();
            for (place, value) in inputs.iter().zip(&row) {
                seen[group.inputs[*place].2] = value.clone();
            }
            let given: Vec<(usize, u32)> =
                inputs.iter().zip(&row).map(|(place, value)| (*place, values.code(value))).collect();
            let mut has_fired = false;
            for transition in 0..system.machines[machine].transitions.len() {
                let Ok(change) = system.fire(machine, transition, &state, &seen, &[])? else { continue };
                has_fired = true;
                let mut choice =
                    Choice { inputs: given.clone(), transition: Some(transition), writes: vec![], outputs: vec![] };
                choice.writes.extend(change.writes.iter().map(|(slot, value)| (*slot, values.code(value))));
                for (target, message) in &change.messages {
                    match target {
                        Target::Channel(slot) => choice.writes.push((*slot, values.code(message))),
                        Target::Output(number) => choice.outputs.push((*number, values.code(message))),
                        Target::Nowhere => {}
                    }
                }
                add(&mut choices, choice, only_here);
            }
            if !has_fired {
                let idle = Choice { inputs: given, transition: None, writes: vec![], outputs: vec![] };
                add(&mut choices, idle, only_here);
            }
        }
        let choices = Rc::new(choices);
        self.machines.insert(key, choices.clone());
        Ok(choices)
    }
}

/// Adds a choice, unless one that differs in inputs only is there and nobody else looks at these.
fn add(choices: &mut Vec<Choice>, choice: Choice, only_here: bool) {
    let same = |other: &Choice| {
        (other.transition, &other.writes, &other.outputs) == (choice.transition, &choice.writes, &choice.outputs)
    };
    if !(only_here && choices.iter().any(same)) {
        choices.push(choice);
    }
}

/// The number of a value in a row; inputs are absent.
fn code_of(row: &[u32], layout: &Layout, slot: usize) -> u32 {
    layout.slots.get(slot).copied().flatten().map_or(ABSENT, |place| row[place])
}

/// The slots that the transitions of a machine read in a control state, and places of the inputs among them.
fn reads_in(system: &StepSystem, tick: usize, machine: usize, control: u32) -> Reads {
    let transitions = system.machines[machine].transitions.iter().filter(|t| t.source == control);
    let mut read: Vec<usize> = transitions.flat_map(|t| t.reads()).filter(|slot| *slot < system.slots.len()).collect();
    read.sort_unstable();
    read.dedup();
    let inputs = &system.ticks[tick].inputs;
    let places = inputs.iter().enumerate().filter(|(_, (_, _, slot))| read.contains(slot)).map(|(place, _)| place);
    let places = places.collect();
    read.retain(|slot| system.slots[*slot].kind != SlotKind::Input);
    (read, places)
}

/// Which inputs of a lock-step system several machines read, or items look at.
fn seen_inputs(question: Question<'_>) -> Vec<bool> {
    let system = question.system;
    let most = system.ticks.iter().map(|tick| tick.inputs.len()).max().unwrap_or(0);
    let mut seen = vec![false; most];
    for (joint, described) in system.joints.iter().enumerate() {
        let [Part::Tick(tick)] = described.parts[..] else { continue };
        let group = &system.ticks[tick];
        for (place, (_, _, slot)) in group.inputs.iter().enumerate() {
            let reads =
                |machine: &&usize| system.machines[**machine].transitions.iter().any(|t| t.reads().contains(slot));
            let readers = group.machines.iter().filter(reads).count();
            seen[place] |= readers > 1 || question.watches_input(joint, place);
        }
    }
    seen
}

type Choices = [(Option<usize>, Rc<Vec<Choice>>)];

/// All ways to take one choice of each.
fn every_combination(choices: &Choices) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![vec![]];
    for (_, of_one) in choices {
        let longer = |row: &Vec<usize>, number: usize| row.iter().copied().chain([number]).collect();
        all = all.iter().flat_map(|row| (0..of_one.len()).map(move |number| longer(row, number))).collect();
    }
    all
}

/// Where there are too many ways: all do their first thing, or all their last, or all but one of them, and that one any
/// other.
fn some_combinations(choices: &Choices) -> Vec<Vec<usize>> {
    let first = vec![0; choices.len()];
    let last: Vec<usize> = choices.iter().map(|(_, of_one)| of_one.len().saturating_sub(1)).collect();
    let mut some = vec![];
    for all in [first, last] {
        for (place, (_, of_one)) in choices.iter().enumerate() {
            for number in (0..of_one.len()).filter(|number| *number != all[place]) {
                let mut other = all.clone();
                other[place] = number;
                some.push(other);
            }
        }
        some.push(all);
    }
    some
}
