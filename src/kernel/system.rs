//! The step system.

use std::sync::Arc;

use crate::history::RESULT;
use crate::model::{Conjunct, Pools, Shape};
use crate::syntax::Span;
use crate::syntax::tree::Direction;
use crate::term::{Definitions, Expr, Renumbered, Type, Value};

/// A model as states and steps.
#[derive(Clone, Debug)]
pub struct StepSystem {
    /// Name of the model.
    pub name: String,
    /// Types, functions, constants.
    pub definitions: Arc<Definitions>,
    /// Whether steps are ticks or events at gates.
    pub style: Style,
    /// The places of the value part of a state.
    pub slots: Vec<Slot>,
    /// The machines; a state has one control state for each.
    pub machines: Vec<Machine>,
    /// Groups of components in lock-step.
    pub ticks: Vec<Tick>,
    /// Visible gates.
    pub gates: Vec<Gate>,
    /// The steps that can be taken together.
    pub joints: Vec<Joint>,
    /// What machines and the environment say to each other.
    pub messages: Vec<Message>,
    /// Data that is preferred where there is a choice; it decides nothing.
    pub pools: Arc<Pools>,
}

/// A message, with the machines that send and receive it; none is the environment.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Where it is seen.
    pub carrier: Carrier,
    /// What it is called by those who know it.
    pub names: Vec<String>,
    /// Who sends it.
    pub from: Vec<Option<usize>>,
    /// Who receives it.
    pub to: Vec<Option<usize>>,
}

/// Where a message is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// In the slot of a channel.
    Channel(usize),
    /// As an input or output of a tick: numbers of the tick and of the parameter of its gate.
    Border(usize, usize),
    /// At a gate.
    Gate(usize),
}

/// How a run is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// One lock-step system: inputs and outputs per step.
    Lockstep,
    /// Events at gates.
    Gates,
}

/// A place for a value.
#[derive(Clone, Debug)]
pub struct Slot {
    /// The name of its history list.
    pub name: String,
    /// Type.
    pub ty: Type,
    /// What it holds.
    pub kind: SlotKind,
    /// Initial value; none if open.
    pub init: Option<Value>,
}

/// What a slot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// A variable.
    Variable,
    /// A message that was written in the step before.
    Channel,
    /// An input of the environment: set during a step, absent between steps.
    Input,
}

/// A component or an sts.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Path of instance names.
    pub name: String,
    /// Names of its states.
    pub states: Vec<String>,
    /// Number of the initial one.
    pub initial: u32,
    /// Its transitions.
    pub transitions: Vec<Transition>,
    /// What a service is made of, over the slots of the whole system.
    pub service: Option<Shape>,
}

/// A transition over the slots of the whole system.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Name, unique in its machine.
    pub name: String,
    /// Name of what is written in the model, which may be a transition from several states.
    pub step: String,
    /// State it leaves.
    pub source: u32,
    /// State it enters.
    pub target: u32,
    /// Conditions, all of which must hold.
    pub guard: Vec<Conjunct>,
    /// New values; all read the old ones.
    pub updates: Vec<(usize, Expr)>,
    /// Messages.
    pub sends: Vec<Send>,
    /// The gate, by the name its own machine has for it, and the direction there; none for components and internal steps.
    pub gate: Option<(String, Direction)>,
    /// How many parameters that gate has; they are the first locals of its expressions.
    pub params: usize,
    /// Number of the gate where others see it, also if a partner never takes part; none if it is hidden, or there is none.
    pub seen_at: Option<usize>,
    /// What it is there for.
    pub tags: Vec<String>,
    /// Where it is written.
    pub span: Span,
}

/// A message to send.
#[derive(Clone, Debug)]
pub struct Send {
    /// Where it goes.
    pub to: Target,
    /// Only if this holds.
    pub condition: Option<Expr>,
    /// The message.
    pub value: Expr,
}

/// Where a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Into a channel, to be read in the next step.
    Channel(usize),
    /// To the environment, in this step: number of the output of its tick.
    Output(usize),
    /// Nobody reads it.
    Nowhere,
}

/// Components that step together.
#[derive(Clone, Debug)]
pub struct Tick {
    /// Its machines.
    pub machines: Vec<usize>,
    /// Inputs of the environment and the slots that hold them during a step.
    pub inputs: Vec<(String, Type, usize)>,
    /// Outputs to the environment.
    pub outputs: Vec<(String, Type)>,
    /// Slots of the channels between its machines.
    pub channels: Vec<usize>,
}

/// A visible gate.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// Name.
    pub name: String,
    /// Direction.
    pub direction: Direction,
    /// Names and types of its parameters.
    pub params: Vec<(String, Type)>,
}

/// Transitions that are taken in one step.
#[derive(Clone, Debug)]
pub struct Joint {
    /// The gate; none for an internal step.
    pub gate: Option<usize>,
    /// Parameters: name, and the types its value must have (one from each side of a handshake).
    pub params: Vec<(String, Vec<Type>)>,
    /// Who takes part.
    pub parts: Vec<Part>,
}

/// A participant of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// One switch of an sts.
    Switch {
        /// The machine.
        machine: usize,
        /// The switch.
        transition: usize,
    },
    /// One step of a lock-step system.
    Tick(usize),
}

/// A state: concrete, comparable, and all there is to know.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    /// Control state of every machine.
    pub control: Vec<u32>,
    /// Values of all slots.
    pub values: Vec<Value>,
}

impl Gate {
    /// How many of its parameters come from outside, if it is not that of a tick: those of an input without what it gives back.
    fn sent(&self) -> usize {
        match self.direction {
            Direction::In => {
                self.params.len() - usize::from(self.params.last().is_some_and(|(name, _)| name == RESULT))
            }
            Direction::Out => 0,
        }
    }
}

impl Transition {
    /// All its expressions: guard, updates, messages.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let guard = self.guard.iter().map(|conjunct| &conjunct.expr);
        let updates = self.updates.iter().map(|(_, expr)| expr);
        let sends = self.sends.iter().flat_map(|send| send.condition.iter().chain([&send.value]));
        guard.chain(updates).chain(sends)
    }

    /// The slots that its expressions read; those of channels that nobody writes are no slots of the system.
    pub fn reads(&self) -> Vec<usize> {
        let mut out = vec![];
        for expr in self.expressions() {
            expr.map_leaves(&mut |leaf| {
                if let Expr::Slot(slot) = leaf {
                    out.push(*slot);
                }
                None
            });
        }
        out
    }
}

impl StepSystem {
    /// The same system over definitions in which its own have other numbers.
    pub fn renumbered(&self, definitions: &Arc<Definitions>, by: &Renumbered) -> StepSystem {
        let typed = |(name, ty): &(String, Type)| (name.clone(), by.ty(ty));
        let mut system = self.clone();
        system.definitions = definitions.clone();
        // Values of pools have the old numbers, and nobody chooses data of two models at once.
        system.pools = Arc::default();
        for slot in &mut system.slots {
            slot.ty = by.ty(&slot.ty);
            slot.init = slot.init.as_ref().map(|value| by.value(value));
        }
        for transition in system.machines.iter_mut().flat_map(|machine| &mut machine.transitions) {
            transition.guard.iter_mut().for_each(|conjunct| conjunct.expr = by.expr(&conjunct.expr));
            transition.updates.iter_mut().for_each(|(_, expr)| *expr = by.expr(expr));
            for send in &mut transition.sends {
                send.condition = send.condition.as_ref().map(|expr| by.expr(expr));
                send.value = by.expr(&send.value);
            }
        }
        for machine in &mut system.machines {
            machine.service = machine.service.as_ref().map(|shape| shape.mapped(&|expr| by.expr(expr), &|slot| slot));
        }
        for tick in &mut system.ticks {
            tick.inputs.iter_mut().for_each(|(_, ty, _)| *ty = by.ty(ty));
            tick.outputs = tick.outputs.iter().map(typed).collect();
        }
        for gate in &mut system.gates {
            gate.params = gate.params.iter().map(typed).collect();
        }
        for (_, types) in system.joints.iter_mut().flat_map(|joint| &mut joint.params) {
            types.iter_mut().for_each(|ty| *ty = by.ty(ty));
        }
        system
    }

    /// Whether a machine is a component of a lock-step system.
    pub fn is_component(&self, machine: usize) -> bool {
        self.ticks.iter().any(|tick| tick.machines.contains(&machine))
    }

    /// Whether an event at a gate, or an internal one, may be a step of a lock-step system that a machine belongs to.
    pub fn may_tick(&self, machine: usize, gate: Option<usize>) -> bool {
        let is_own = |part: &Part| matches!(part, Part::Tick(tick) if self.ticks[*tick].machines.contains(&machine));
        self.is_component(machine)
            && self.joints.iter().any(|joint| joint.gate == gate && joint.parts.iter().any(is_own))
    }

    /// Variables whose initial value is open.
    pub fn open_slots(&self) -> Vec<usize> {
        (0..self.slots.len()).filter(|i| self.slots[*i].init.is_none()).collect()
    }

    /// How many of the parameters of a joint are given from outside: the inputs of a tick, which come first, and all
    /// parameters of a gate.
    pub fn given_to(&self, joint: usize) -> usize {
        match self.joints[joint].parts[..] {
            [Part::Tick(tick)] => self.ticks[tick].inputs.len(),
            _ => self.joints[joint].params.len(),
        }
    }

    /// How many of the parameters of a joint a tester chooses: the inputs of a tick, and what is sent at a gate without what it
    /// gives back.
    pub fn sent_to(&self, joint: usize) -> usize {
        let described = &self.joints[joint];
        let gate = described.gate.map(|gate| &self.gates[gate]);
        match gate {
            Some(gate) if !matches!(described.parts[..], [Part::Tick(_)]) => gate.sent(),
            _ => self.given_to(joint),
        }
    }

    /// The first of a gate's parameters that the model itself chooses; those before it come from outside.
    pub fn chosen_from(&self, gate: usize) -> usize {
        match self.joints.iter().position(|joint| joint.gate == Some(gate)) {
            Some(joint) => self.sent_to(joint),
            None => self.gates[gate].sent(),
        }
    }

    /// The types of what is carried at a gate, by parameter, one row for each combination of them that its joints have: models side
    /// by side may declare other types for one gate. Of a gate without joints it is what was declared.
    pub fn carried_at(&self, gate: usize) -> Vec<Vec<&[Type]>> {
        let of_joints = self.joints.iter().filter(|joint| joint.gate == Some(gate));
        let mut rows: Vec<Vec<&[Type]>> =
            of_joints.map(|joint| joint.params.iter().map(|(_, types)| &types[..]).collect()).collect();
        if rows.is_empty() {
            rows.push(self.gates[gate].params.iter().map(|(_, ty)| std::slice::from_ref(ty)).collect());
        }
        rows.dedup();
        rows
    }

    /// Whether something comes from outside in a step: that of a lock-step system, or one at a gate for inputs.
    pub fn takes_input(&self, joint: usize) -> bool {
        let gate = self.joints[joint].gate.map(|gate| &self.gates[gate]);
        self.style == Style::Lockstep || gate.is_some_and(|gate| gate.direction == Direction::In)
    }

    /// The state before the first step, with values for the open variables in the order of [`Self::open_slots`].
    pub fn initial(&self, open: &[Value]) -> State {
        let mut open = open.iter();
        let values = self.slots.iter().map(|slot| match &slot.init {
            Some(value) => value.clone(),
            None => open.next().cloned().unwrap_or(Value::Absent),
        });
        State { control: self.machines.iter().map(|m| m.initial).collect(), values: values.collect() }
    }
}
