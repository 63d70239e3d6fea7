//! The history lists of a model: what can be observed of a step, by name.
//!
//! State and variable lists hold the value after the step, `pre(x)` the one before. Names of states, transitions and gates
//! are values of enumerations made here, so that purposes talk about them as about any other value.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::interpret::Step;
use super::service;
use super::system::*;
pub use crate::history::RESULT;
use crate::history::{self, ListKind, ListName, ListNames, MachineName, Seen};
use crate::term::{Constructor, DataType, Type, Value};

/// The lists of a model.
#[derive(Clone, Debug)]
pub struct Lists {
    /// Names and types.
    pub names: ListNames,
    /// Where the elements of each come from.
    pub sources: Vec<Source>,
}

/// Where the elements of a list come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Control state of a machine after the step, or before it.
    State(usize, Moment),
    /// Transition a machine fired.
    Fired(usize),
    /// A variable or a channel after the step, or before it.
    Value(usize, Moment),
    /// A parameter of a gate, or an input or output of a tick: numbers of the gate and of the parameter.
    Data(usize, usize),
    /// The gate.
    Gate,
    /// The number of the step, from one.
    Clock,
}

/// Before or after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Moment {
    Before,
    After,
}

/// The transition list of a machine that fired nothing.
pub const IDLE: &str = "idle";

/// The gate list in an internal step.
const TAU: &str = "tau";

impl StepSystem {
    /// The lists of the model.
    pub fn lists(&self) -> Lists {
        let mut definitions = (*self.definitions).clone();
        let first_type = definitions.types.len();
        let mut entries = vec![];
        let mut sources = vec![];
        let mut add = |name: String, ty: Type, is_message: bool, source: Source| {
            let kind = match source {
                Source::State(_, Moment::After) => ListKind::State,
                Source::Fired(_) => ListKind::Fired,
                _ => ListKind::Data,
            };
            entries.push(ListName { name, ty, is_message, kind });
            sources.push(source);
        };
        let mut enumeration = |name: String, members: Vec<String>| {
            let constructors = members.into_iter().map(|name| Constructor { name, fields: vec![] }).collect();
            definitions.types.push(DataType { name, constructors, is_record: false, is_narrow: false });
            Type::Data(definitions.types.len() - 1)
        };
        let alone = self.machines.len() == 1 && self.machines[0].name == self.name;
        for (number, machine) in self.machines.iter().enumerate() {
            let named = |list: &str| if alone { list.to_owned() } else { format!("{}.{list}", machine.name) };
            let states = enumeration(named("state"), machine.states.clone());
            let fired = machine.transitions.iter().map(|t| t.name.clone()).chain([IDLE.to_owned()]).collect();
            let fired = enumeration(named("fired"), fired);
            add(named("state"), states.clone(), false, Source::State(number, Moment::After));
            add(format!("pre({})", named("state")), states, false, Source::State(number, Moment::Before));
            add(named("fired"), fired, self.style == Style::Gates, Source::Fired(number));
        }
        for (number, slot) in self.slots.iter().enumerate() {
            let (name, ty) = (slot.name.clone(), slot.ty.shape());
            match slot.kind {
                SlotKind::Variable => {
                    add(format!("pre({name})"), ty.clone(), false, Source::Value(number, Moment::Before));
                    add(name, ty, false, Source::Value(number, Moment::After));
                }
                SlotKind::Channel => {
                    add(format!("pre({name})"), ty.clone(), true, Source::Value(number, Moment::Before));
                    add(name, ty, true, Source::Value(number, Moment::After));
                }
                SlotKind::Input => {}
            }
        }
        for (number, gate) in self.gates.iter().enumerate() {
            for (place, (param, ty)) in gate.params.iter().enumerate() {
                let name = match self.style {
                    Style::Lockstep => param.clone(),
                    Style::Gates => format!("{}.{param}", gate.name),
                };
                add(name, ty.shape(), true, Source::Data(number, place));
            }
        }
        if self.style == Style::Gates {
            let gates = self.gates.iter().map(|gate| gate.name.clone()).chain([TAU.to_owned()]).collect();
            let ty = enumeration("gate".to_owned(), gates);
            add("gate".to_owned(), ty, false, Source::Gate);
        }
        add("clock".to_owned(), Type::nat(), false, Source::Clock);
        let mut numbers = BTreeMap::new();
        for (number, list) in entries.iter().enumerate() {
            numbers.entry(list.name.clone()).or_insert(number);
        }
        let twice = self.twice(&entries, &sources, &numbers);
        // A parameter that is called as its gate goes by that name alone.
        for (number, gate) in self.gates.iter().enumerate() {
            if let Some(place) = gate.params.iter().position(|(param, _)| *param == gate.name) {
                let list = position(&sources, Source::Data(number, place));
                numbers.entry(gate.name.clone()).or_insert(list);
            }
        }
        let machine = |(number, machine): (usize, &Machine)| MachineName {
            name: machine.name.clone(),
            state: position(&sources, Source::State(number, Moment::After)),
            fired: position(&sources, Source::Fired(number)),
        };
        let mut names = ListNames {
            definitions: Arc::new(definitions),
            first_type,
            numbers,
            initial: BTreeMap::new(),
            conditions: BTreeMap::new(),
            machines: self.machines.iter().enumerate().map(machine).collect(),
            messages: self.messages.iter().filter_map(|message| self.seen(message, &sources)).collect(),
            // A tick is one step with all that is said in it.
            one_event: self.style == Style::Gates && self.ticks.is_empty(),
            entries,
            twice,
        };
        names.initial = self.initial_elements(&names, &sources);
        names.conditions = service::conditions(self, &names, &sources);
        Lists { names, sources }
    }

    /// What lists of values before each step begin with, but for open variables.
    fn initial_elements(&self, names: &ListNames, sources: &[Source]) -> BTreeMap<usize, Value> {
        let of = |(list, source): (usize, &Source)| match *source {
            Source::State(machine, Moment::Before) => {
                Some((list, names.member(list, self.machines[machine].initial as usize)))
            }
            Source::Value(slot, Moment::Before) => Some((list, self.slots[slot].init.clone()?)),
            _ => None,
        };
        sources.iter().enumerate().filter_map(of).collect()
    }

    /// Names that two lists have, with what each of the two holds.
    fn twice(
        &self,
        entries: &[ListName],
        sources: &[Source],
        numbers: &BTreeMap<String, usize>,
    ) -> Vec<(String, [String; 2])> {
        let held = |list: usize| match sources[list] {
            Source::State(machine, _) => format!("the states of `{}`", self.machines[machine].name),
            Source::Fired(machine) => format!("the transitions of `{}`", self.machines[machine].name),
            Source::Value(slot, _) if self.slots[slot].kind == SlotKind::Variable => "a variable".to_owned(),
            Source::Value(..) => "a channel".to_owned(),
            Source::Data(gate, place) if self.style == Style::Gates => {
                let gate = &self.gates[gate];
                format!("the parameter `{}` of the gate `{}`", gate.params[place].0, gate.name)
            }
            Source::Data(..) => "an input or output".to_owned(),
            Source::Gate => "the gate of each step".to_owned(),
            Source::Clock => "the number of each step".to_owned(),
        };
        let is_before =
            |list: usize| matches!(sources[list], Source::State(_, Moment::Before) | Source::Value(_, Moment::Before));
        let later = entries.iter().enumerate().filter(|(list, _)| !is_before(*list));
        later
            .filter(|(list, entry)| numbers[&entry.name] != *list)
            .map(|(list, entry)| (entry.name.clone(), [numbers[&entry.name], list].map(held)))
            .collect()
    }

    /// A message with the lists it is seen in; none if it is hidden.
    fn seen(&self, message: &Message, sources: &[Source]) -> Option<history::Message> {
        let seen = match message.carrier {
            Carrier::Channel(slot) => Seen::List(position(sources, Source::Value(slot, Moment::After))),
            Carrier::Border(tick, place) => {
                let joint = self.joints.iter().find(|joint| joint.parts.contains(&Part::Tick(tick)))?;
                Seen::List(position(sources, Source::Data(joint.gate?, place)))
            }
            Carrier::Gate(gate) => {
                let params = &self.gates[gate].params;
                Seen::Gate {
                    list: position(sources, Source::Gate),
                    member: gate,
                    params: (0..params.len()).map(|place| position(sources, Source::Data(gate, place))).collect(),
                    has_result: params.last().is_some_and(|(name, _)| name == RESULT),
                }
            }
        };
        let (names, from, to) = (message.names.clone(), message.from.clone(), message.to.clone());
        Some(history::Message { names, from, to, seen })
    }
}

/// The list that comes from somewhere.
pub(super) fn position(sources: &[Source], wanted: Source) -> usize {
    let found = sources.iter().position(|source| *source == wanted);
    found.unwrap_or_else(|| unreachable!("there is no list of {wanted:?}"))
}

impl Lists {
    /// What could be observed in a step: one element of every list.
    pub fn observe(&self, system: &StepSystem, before: &State, step: &Step, clock: usize) -> Vec<Value> {
        (0..self.sources.len()).map(|list| self.element(list, system, before, step, clock)).collect()
    }

    fn element(&self, list: usize, system: &StepSystem, before: &State, step: &Step, clock: usize) -> Value {
        match self.sources[list] {
            Source::State(machine, Moment::Before) => self.names.member(list, before.control[machine] as usize),
            Source::State(machine, Moment::After) => self.names.member(list, step.next.control[machine] as usize),
            Source::Fired(machine) => match step.fired.iter().find(|(m, _)| *m == machine) {
                Some((_, Some(transition))) => self.names.member(list, *transition),
                Some((_, None)) => self.names.member(list, system.machines[machine].transitions.len()),
                None => Value::Absent,
            },
            Source::Value(slot, Moment::Before) => before.values[slot].clone(),
            Source::Value(slot, Moment::After) => step.next.values[slot].clone(),
            Source::Data(gate, place) if system.joints[step.joint].gate == Some(gate) => step.data[place].clone(),
            Source::Data(..) => Value::Absent,
            Source::Gate => self.names.member(list, system.joints[step.joint].gate.unwrap_or(system.gates.len())),
            Source::Clock => Value::int(clock),
        }
    }
}
