//! The chart of a run.
//!
//! In lock-step a message is drawn in the step in which it is written, although others read it in the next one.

use super::{Chart, ENVIRONMENT, Marks, Row, RowKind};
use crate::kernel::{
    Carrier, Joint, Lists, Message, Moment, Part, RESULT, Run, Source, State, Step, StepSystem, Style,
};
use crate::syntax::tree::Direction;
use crate::term::{Shown, Value};

impl Chart {
    /// The chart of a run, with marks.
    pub fn of_run(title: String, run: &Run, system: &StepSystem, lists: &Lists, marks: &Marks) -> Chart {
        let mut charting = Charting { system, lists, marks, step: 0, rows: vec![] };
        for machine in 0..system.machines.len() {
            charting.state(machine, &run.initial);
        }
        let mut before = &run.initial;
        for (number, step) in run.steps.iter().enumerate() {
            charting.step = number;
            if number > 0 && system.style == Style::Lockstep {
                charting.rows.push(Row::plain(RowKind::Tick(number)));
            }
            charting.step(before, step);
            before = &step.next;
        }
        Chart { title, lifelines: lifelines(system), rows: charting.rows }
    }
}

/// The environment and all machines.
pub fn lifelines(system: &StepSystem) -> Vec<String> {
    let machines: Vec<String> = system.machines.iter().map(|machine| machine.name.clone()).collect();
    let mut environment = "env".to_owned();
    while machines.contains(&environment) {
        environment.push('_');
    }
    [environment].into_iter().chain(machines).collect()
}

struct Charting<'a> {
    system: &'a StepSystem,
    lists: &'a Lists,
    marks: &'a Marks,
    step: usize,
    rows: Vec<Row>,
}

/// The lifeline of a machine.
fn lifeline(machine: usize) -> usize {
    machine + 1
}

impl Charting<'_> {
    fn step(&mut self, before: &State, step: &Step) {
        self.event(step);
        for (machine, transition) in &step.fired {
            // At gates the event says enough, and is a step of its own.
            if let (Some(transition), Style::Lockstep) = (transition, self.system.style) {
                let name = self.system.machines[*machine].transitions[*transition].name.clone();
                let is_marked = self.is_marked(self.step, &|source| source == Source::Fired(*machine));
                self.rows.push(Row { kind: RowKind::Fired(lifeline(*machine), name), is_marked });
            }
        }
        for machine in 0..self.system.machines.len() {
            if before.control[machine] != step.next.control[machine] {
                self.state(machine, &step.next);
            }
        }
    }

    /// A step of a lock-step system: inputs, what machines say to each other, outputs.
    fn tick(&mut self, tick: usize, step: &Step) {
        let group = &self.system.ticks[tick];
        let gate = self.system.joints[step.joint].gate;
        let mut said: Vec<(usize, &Message)> = vec![];
        for message in &self.system.messages {
            match message.carrier {
                Carrier::Border(of, place) if of == tick => {
                    said.push((2 * usize::from(place >= group.inputs.len()), message))
                }
                Carrier::Channel(slot) if group.channels.contains(&slot) => said.push((1, message)),
                _ => {}
            }
        }
        said.sort_by_key(|(order, _)| *order);
        for (_, message) in said {
            let (value, is_marked) = match message.carrier {
                Carrier::Border(_, place) => {
                    let source = |source| gate.is_some_and(|gate| source == Source::Data(gate, place));
                    (&step.data[place], self.is_marked(self.step, &source))
                }
                Carrier::Channel(slot) => {
                    // Whoever looks at what was there before the next step looks at this message.
                    let now = self.is_marked(self.step, &|source| source == Source::Value(slot, Moment::After));
                    let next = self.is_marked(self.step + 1, &|source| source == Source::Value(slot, Moment::Before));
                    (&step.next.values[slot], now || next)
                }
                Carrier::Gate(_) => continue,
            };
            if *value != Value::Absent {
                let kind = self.said(message, value);
                self.rows.push(Row { kind, is_marked });
            }
        }
    }

    /// A message with its value. Of its names the first that is one word is taken: a chart can be read again.
    fn said(&self, message: &Message, value: &Value) -> RowKind {
        let is_word = |name: &&String| name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let name = message.names.iter().find(is_word).or(message.names.first()).cloned().unwrap_or_default();
        let text = format!("{name}({})", self.shown(value));
        let ends = |ends: &[Option<usize>]| -> Vec<usize> {
            ends.iter().map(|end| end.map_or(ENVIRONMENT, lifeline)).collect()
        };
        let from = ends(&message.from).first().copied().unwrap_or(ENVIRONMENT);
        let mut to = ends(&message.to);
        to.dedup();
        match to.is_empty() {
            true => RowKind::Remark(from, format!("{text}, which nobody reads")),
            false => RowKind::Message { from, to, text, is_hidden: false },
        }
    }

    /// An event at a gate: from the environment, to it, or between machines that take part.
    fn event(&mut self, step: &Step) {
        let joint = &self.system.joints[step.joint];
        if let [Part::Tick(tick)] = joint.parts[..] {
            return self.tick(tick, step);
        }
        let is_marked = self.is_marked(self.step, &|source| match source {
            Source::Gate => true,
            Source::Data(of, _) => Some(of) == joint.gate,
            Source::Fired(machine) => step.fired.iter().any(|(fired, _)| *fired == machine),
            _ => false,
        });
        let kind = self.event_row(joint, &step.data);
        self.rows.push(Row { kind, is_marked });
    }

    fn event_row(&self, joint: &Joint, data: &[Value]) -> RowKind {
        let mut giving = vec![];
        let mut taking = vec![];
        let mut own = None;
        for part in &joint.parts {
            let Part::Switch { machine, transition } = part else { continue };
            match &self.system.machines[*machine].transitions[*transition].gate {
                None => return RowKind::Internal(lifeline(*machine)),
                Some((name, direction)) => {
                    own = own.or(Some(name));
                    match direction {
                        Direction::Out => giving.push(lifeline(*machine)),
                        Direction::In => taking.push(lifeline(*machine)),
                    }
                }
            }
        }
        let name = joint.gate.map(|gate| &self.system.gates[gate].name).or(own).map_or("", String::as_str);
        let mut shown: Vec<String> = data.iter().map(|value| self.shown(value)).collect();
        let result = match joint.params.last() {
            Some((name, _)) if name == RESULT => shown.pop().map(|result| format!(": {result}")),
            _ => None,
        };
        let text = format!("{name}({}){}", shown.join(", "), result.unwrap_or_default());
        if taking.is_empty() || giving.is_empty() {
            let outside = if giving.is_empty() { &mut giving } else { &mut taking };
            outside.push(ENVIRONMENT);
        }
        // Several that give the same: the first one stands for them, and the others get it.
        let from = giving.remove(0);
        taking.extend(giving);
        RowKind::Message { from, to: taking, text, is_hidden: joint.gate.is_none() }
    }

    fn state(&mut self, machine: usize, state: &State) {
        let name = self.system.machines[machine].states[state.control[machine] as usize].clone();
        let is_marked = self.is_marked(self.step, &|source| source == Source::State(machine, Moment::After));
        self.rows.push(Row { kind: RowKind::State(lifeline(machine), name), is_marked });
    }

    fn shown(&self, value: &Value) -> String {
        Shown { value, definitions: &self.system.definitions }.to_string()
    }

    fn is_marked(&self, step: usize, is_about: &dyn Fn(Source) -> bool) -> bool {
        let marked = self.marks.get(step);
        marked.is_some_and(|lists| lists.iter().any(|list| is_about(self.lists.sources[*list])))
    }
}
