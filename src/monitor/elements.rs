//! The elements of lists that an event tells.

use crate::kernel::{Kind, Lists, LogEvent, Moment, SlotKind, Source, StepSystem, Style, Trace};
use crate::term::Value;

/// What is known of one step: an element of every list that somebody looks at.
pub struct Elements<'a> {
    system: &'a StepSystem,
    lists: &'a Lists,
    /// Lists that somebody looks at.
    wanted: Vec<usize>,
    /// Lists of values before each step, each with the list of the values after it.
    before: Vec<(usize, usize)>,
    /// Members of the enumerations of lists, by list.
    members: Vec<Vec<Value>>,
    /// The elements; only those that somebody looks at.
    pub values: Vec<Value>,
    /// Lists whose element is not known.
    pub missing: Vec<bool>,
    /// Whether one of them is not.
    pub has_missing: bool,
    /// Elements of lists of values before the next step, as far as they are known.
    next_before: Vec<Option<Value>>,
}

impl<'a> Elements<'a> {
    /// For some lists, before the first step.
    pub fn new(system: &'a StepSystem, lists: &'a Lists, wanted: Vec<usize>) -> Elements<'a> {
        let after = |list: usize| {
            let after = match lists.sources[list] {
                Source::State(machine, Moment::Before) => Source::State(machine, Moment::After),
                Source::Value(slot, Moment::Before) => Source::Value(slot, Moment::After),
                _ => return None,
            };
            lists.sources.iter().position(|source| *source == after)
        };
        let members = |list: usize| {
            let is_named = matches!(lists.sources[list], Source::State(..) | Source::Fired(_) | Source::Gate);
            let count = if is_named { lists.names.members(list).len() } else { 0 };
            (0..count).map(|member| lists.names.member(list, member)).collect()
        };
        let count = lists.sources.len();
        let mut elements = Elements {
            system,
            lists,
            before: wanted.iter().filter_map(|list| Some((*list, after(*list)?))).collect(),
            wanted,
            members: (0..count).map(members).collect(),
            values: vec![Value::Absent; count],
            missing: vec![false; count],
            has_missing: false,
            next_before: vec![None; count],
        };
        elements.begin(&Trace::default());
        elements
    }

    /// What is said of the time before the first step; for the rest, the model begins as it does.
    pub fn begin(&mut self, initial: &Trace) {
        for (list, _) in &self.before {
            self.next_before[*list] = match self.lists.sources[*list] {
                Source::State(machine, _) => {
                    let state = initial.initial_state.get(&machine).copied();
                    let state = state.unwrap_or(self.system.machines[machine].initial);
                    self.members[*list].get(state as usize).cloned()
                }
                Source::Value(slot, _) => initial.initial.get(&slot).or(self.system.slots[slot].init.as_ref()).cloned(),
                _ => None,
            };
        }
    }

    /// Looks at an event, which is the step of this number.
    pub fn see(&mut self, event: &LogEvent, clock: usize) {
        self.has_missing = false;
        for place in 0..self.wanted.len() {
            let list = self.wanted[place];
            let value = match self.lists.sources[list] {
                Source::Clock => Some(Value::int(clock)),
                Source::State(_, Moment::Before) | Source::Value(_, Moment::Before) => self.next_before[list].take(),
                _ => self.told(list, event),
            };
            self.missing[list] = value.is_none();
            self.has_missing |= value.is_none();
            self.values[list] = value.unwrap_or(Value::Absent);
        }
        for place in 0..self.before.len() {
            let (before, after) = self.before[place];
            // The two lists have one enumeration.
            self.next_before[before] = self.told(after, event);
        }
    }

    /// The element of a list, if the event tells it.
    fn told(&self, list: usize, event: &LogEvent) -> Option<Value> {
        let member = |number: usize| self.members[list].get(number).cloned();
        match self.lists.sources[list] {
            Source::State(machine, _) => {
                let (_, state) = event.state.iter().find(|(m, _)| *m == machine)?;
                member(*state as usize)
            }
            Source::Fired(machine) => match event.fired.iter().find(|(m, _)| *m == machine) {
                Some((_, transition)) => member(*transition),
                None => self.takes_no_part(machine, event).then_some(Value::Absent),
            },
            Source::Value(slot, _) => match event.values.iter().find(|(s, _)| *s == slot) {
                Some((_, value)) => Some(value.clone()),
                None => {
                    let is_channel = self.system.slots[slot].kind == SlotKind::Channel;
                    (event.has_channels && is_channel).then_some(Value::Absent)
                }
            },
            Source::Data(gate, place) => match event.kind {
                Kind::Gate(own) if own != gate => Some(Value::Absent),
                Kind::Gate(_) | Kind::Tick => event.data.get(place).cloned().flatten(),
                Kind::Tau | Kind::Delta => Some(Value::Absent),
            },
            Source::Gate => match event.kind {
                Kind::Gate(gate) => member(gate),
                _ => member(self.system.gates.len()),
            },
            Source::Clock => None,
        }
    }

    /// Whether an event that does not mention a machine says that it took no part.
    fn takes_no_part(&self, machine: usize, event: &LogEvent) -> bool {
        let gate = match event.kind {
            Kind::Gate(gate) => Some(gate),
            Kind::Tick | Kind::Tau | Kind::Delta => None,
        };
        self.system.style == Style::Gates && event.has_fired && !self.system.may_tick(machine, gate)
    }
}
