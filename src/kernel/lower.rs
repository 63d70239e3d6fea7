//! Lowering: one short passage per style.

use std::collections::{BTreeMap, BTreeSet};

use thiserror::Error;

use super::system::*;
use crate::model::{self, Assembled, Conjunct, Event, Lockstep, MachineInstance, Process};
use crate::syntax::tree::{Direction, Parallel};
use crate::term::{Expr, Type, Value};

/// Most joint steps of one model. A handshake of many machines with many switches multiplies them.
const MAX_JOINTS: usize = 200_000;

/// Why a model cannot be lowered.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LowerError {
    /// Too many combinations.
    #[error("the handshakes of this model combine switches in more than {MAX_JOINTS} ways")]
    TooManyJoints,
}

/// Lowers a model to its step system.
pub fn lower(model: &Assembled) -> Result<StepSystem, LowerError> {
    let mut lowering = Lowering { slots: vec![], machines: vec![], ticks: vec![], messages: vec![], declared: vec![] };
    let joints = lowering.process(&model.process)?;
    let style = if matches!(model.process, Process::Lockstep(_)) { Style::Lockstep } else { Style::Gates };
    let signatures = model.process.gates();
    let names: Vec<&String> = signatures.keys().collect();
    let mut messages = lowering.messages;
    let mut machines = lowering.machines;
    for side in &lowering.declared {
        let of_gate = |t: &&mut Transition| t.gate.as_ref().is_some_and(|(own, _)| *own == side.own);
        let number = names.iter().position(|name| **name == side.gate);
        machines[side.machine].transitions.iter_mut().filter(of_gate).for_each(|t| t.seen_at = number);
    }
    for (number, name) in names.iter().enumerate() {
        let taken = joints.iter().filter(|j| j.gate.as_ref() == Some(*name)).flat_map(|j| j.sides.iter().copied());
        let mut sides: BTreeSet<(usize, Direction)> = taken.collect();
        if sides.is_empty() {
            // Nothing ever comes at this gate, but it has a name.
            let declared = lowering.declared.iter().filter(|side| side.gate == **name);
            sides = declared.map(|side| (side.machine, side.direction)).collect();
        }
        messages.extend(at_gate(number, name, &sides));
    }
    let joints = joints.into_iter().map(|j| Joint {
        gate: j.gate.and_then(|gate| names.iter().position(|name| **name == gate)),
        params: j.params,
        parts: j.parts,
    });
    Ok(StepSystem {
        name: model.name.clone(),
        definitions: model.definitions.clone(),
        style,
        joints: joints.collect(),
        gates: (signatures.iter())
            .map(|(name, s)| Gate { name: name.clone(), direction: s.direction, params: s.params.clone() })
            .collect(),
        slots: lowering.slots,
        machines,
        ticks: lowering.ticks,
        messages,
        pools: model.pools.clone(),
    })
}

/// What is said at a gate; nothing at that of a tick, whose inputs and outputs are messages of their own.
fn at_gate(gate: usize, name: &str, sides: &BTreeSet<(usize, Direction)>) -> Option<Message> {
    let side = |direction: Direction| -> Vec<Option<usize>> {
        let machines: Vec<Option<usize>> =
            sides.iter().filter(|(_, side)| *side == direction).map(|(machine, _)| Some(*machine)).collect();
        if machines.is_empty() { vec![None] } else { machines }
    };
    let (from, to) = (side(Direction::Out), side(Direction::In));
    (!sides.is_empty()).then(|| Message { carrier: Carrier::Gate(gate), names: vec![name.to_owned()], from, to })
}

struct Lowering {
    slots: Vec<Slot>,
    machines: Vec<Machine>,
    ticks: Vec<Tick>,
    messages: Vec<Message>,
    declared: Vec<DeclaredGate>,
}

/// A gate that a machine declares, by the name it has for others; none that is hidden.
struct DeclaredGate {
    gate: String,
    /// What the machine itself calls it.
    own: String,
    machine: usize,
    direction: Direction,
}

/// A joint step whose gate still goes by its name.
#[derive(Clone)]
struct NamedJoint {
    gate: Option<String>,
    params: Vec<(String, Vec<Type>)>,
    parts: Vec<Part>,
    /// Machines that take part with a switch, and on which side.
    sides: Vec<(usize, Direction)>,
}

impl Lowering {
    /// The steps of a process: those of its parts, joined where a handshake asks for it.
    fn process(&mut self, process: &Process) -> Result<Vec<NamedJoint>, LowerError> {
        let first = self.declared.len();
        let joints = match process {
            Process::Machine(instance) => self.sts(instance),
            Process::Lockstep(system) => vec![self.lockstep(system)],
            Process::Parallel(Parallel::Interleave, left, right) => {
                let mut joints = self.process(left)?;
                joints.extend(self.process(right)?);
                joints
            }
            Process::Parallel(Parallel::Handshake, left, right) => {
                let right_gates = right.gates();
                let shared: BTreeSet<String> =
                    left.gates().into_keys().filter(|name| right_gates.contains_key(name)).collect();
                handshake(self.process(left)?, self.process(right)?, &shared)?
            }
            Process::Hide(inner, hidden) => {
                let mut joints = self.process(inner)?;
                for joint in &mut joints {
                    joint.gate = joint.gate.take().filter(|gate| !hidden.contains(gate));
                }
                let inside = self.declared.split_off(first);
                self.declared.extend(inside.into_iter().filter(|side| !hidden.contains(&side.gate)));
                joints
            }
            Process::Rename(inner, names) => {
                let mut joints = self.process(inner)?;
                for joint in &mut joints {
                    joint.gate = joint.gate.take().map(|gate| names.get(&gate).cloned().unwrap_or(gate));
                }
                for side in &mut self.declared[first..] {
                    side.gate = names.get(&side.gate).cloned().unwrap_or_else(|| side.gate.clone());
                }
                joints
            }
        };
        if joints.len() > MAX_JOINTS { Err(LowerError::TooManyJoints) } else { Ok(joints) }
    }

    /// An sts: every switch is a step of its own; the gate's parameters are the first locals.
    fn sts(&mut self, instance: &MachineInstance) -> Vec<NamedJoint> {
        let vars = self.variables(instance);
        let place = |slot: usize| vars[slot];
        let machine = self.machine(instance, &place, |_| Target::Nowhere);
        let gates = instance.machine.gates.iter();
        let declared = |g: &model::Gate| {
            let (gate, own) = (g.name.clone(), g.name.clone());
            DeclaredGate { gate, own, machine, direction: g.direction }
        };
        self.declared.extend(gates.map(declared));
        let joint = |(transition, t): (usize, &model::Transition)| {
            let gate = match t.event {
                Event::Gate(number) => Some(&instance.machine.gates[number]),
                _ => None,
            };
            let params = gate.map(|g| g.params.iter().map(|(name, ty)| (name.clone(), vec![ty.clone()])).collect());
            NamedJoint {
                gate: gate.map(|g| g.name.clone()),
                params: params.unwrap_or_default(),
                parts: vec![Part::Switch { machine, transition }],
                sides: gate.map(|g| (machine, g.direction)).into_iter().collect(),
            }
        };
        instance.machine.transitions.iter().enumerate().map(joint).collect()
    }

    /// A lock-step system: one slot for each channel that is read and one for each input; one step for all machines.
    fn lockstep(&mut self, system: &Lockstep) -> NamedJoint {
        let vars: Vec<Vec<usize>> = system.components.iter().map(|c| self.variables(c)).collect();
        let mut reads: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let mut writes: BTreeMap<(usize, usize), Target> = BTreeMap::new();
        let mut inputs = vec![];
        for input in &system.inputs {
            let slot = self.slot(input.name.clone(), input.ty.clone(), SlotKind::Input, Some(Value::Absent));
            inputs.push((input.name.clone(), input.ty.clone(), slot));
            reads.extend(input.readers.iter().map(|reader| (*reader, slot)));
        }
        let mut channels = vec![];
        for link in &system.links {
            let slot = match writes.get(&link.writer) {
                Some(Target::Channel(slot)) => *slot,
                _ => {
                    let component = &system.components[link.writer.0];
                    let channel = &component.machine.channels[link.writer.1];
                    let name = format!("{}{}", component.prefix, channel.name);
                    let slot = self.slot(name, channel.ty.clone(), SlotKind::Channel, Some(Value::Absent));
                    channels.push(slot);
                    slot
                }
            };
            writes.insert(link.writer, Target::Channel(slot));
            reads.insert(link.reader, slot);
        }
        for (number, output) in system.outputs.iter().enumerate() {
            writes.insert(output.writer, Target::Output(number));
        }
        let mut machines = vec![];
        for (c, component) in system.components.iter().enumerate() {
            let place = |slot: usize| match slot.checked_sub(vars[c].len()) {
                None => vars[c][slot],
                Some(channel) => reads.get(&(c, channel)).copied().unwrap_or(usize::MAX),
            };
            let target = |channel: usize| writes.get(&(c, channel)).copied().unwrap_or(Target::Nowhere);
            machines.push(self.machine(component, &place, target));
        }
        self.said(system, &machines, &writes);
        let outputs = system.outputs.iter().map(|o| (o.name.clone(), o.ty.clone())).collect();
        self.ticks.push(Tick { machines, inputs, outputs, channels });
        let params = system.inputs.iter().map(|i| (i.name.clone(), vec![i.ty.clone()]));
        let outputs = system.outputs.iter().map(|o| (o.name.clone(), vec![o.ty.clone()]));
        NamedJoint {
            gate: Some(model::TICK.to_owned()),
            params: params.chain(outputs).collect(),
            parts: vec![Part::Tick(self.ticks.len() - 1)],
            sides: vec![],
        }
    }

    /// The messages of a lock-step system: inputs, outputs, and one for each channel, however many read it.
    fn said(&mut self, system: &Lockstep, machines: &[usize], writes: &BTreeMap<(usize, usize), Target>) {
        let tick = self.ticks.len();
        let port =
            |(component, channel): (usize, usize)| system.components[component].machine.channels[channel].name.clone();
        let machine = |(component, _): (usize, usize)| Some(machines[component]);
        for (place, input) in system.inputs.iter().enumerate() {
            self.messages.push(Message {
                carrier: Carrier::Border(tick, place),
                names: std::iter::once(input.name.clone()).chain(input.readers.iter().map(|r| port(*r))).collect(),
                from: vec![None],
                to: input.readers.iter().map(|reader| machine(*reader)).collect(),
            });
        }
        for (place, output) in system.outputs.iter().enumerate() {
            self.messages.push(Message {
                carrier: Carrier::Border(tick, system.inputs.len() + place),
                names: vec![output.name.clone(), port(output.writer)],
                from: vec![machine(output.writer)],
                to: vec![None],
            });
        }
        for link in &system.links {
            let Some(Target::Channel(slot)) = writes.get(&link.writer) else { continue };
            let carrier = Carrier::Channel(*slot);
            match self.messages.iter_mut().find(|message| message.carrier == carrier) {
                Some(message) => {
                    message.names.push(port(link.reader));
                    message.to.push(machine(link.reader));
                }
                None => self.messages.push(Message {
                    carrier,
                    names: vec![port(link.writer), port(link.reader)],
                    from: vec![machine(link.writer)],
                    to: vec![machine(link.reader)],
                }),
            }
        }
    }

    fn slot(&mut self, name: String, ty: Type, kind: SlotKind, init: Option<Value>) -> usize {
        self.slots.push(Slot { name, ty, kind, init });
        self.slots.len() - 1
    }

    fn variables(&mut self, instance: &MachineInstance) -> Vec<usize> {
        let slot = |var: &model::Var| {
            let init = match &var.init {
                Some(Expr::Const(value)) => Some(value.clone()),
                _ => None,
            };
            self.slot(format!("{}{}", instance.prefix, var.name), var.ty.clone(), SlotKind::Variable, init)
        };
        instance.machine.vars.iter().map(slot).collect()
    }

    /// A machine over global slots: `place` says where its own slots are, `target` where its channels lead.
    fn machine(
        &mut self,
        instance: &MachineInstance,
        place: &impl Fn(usize) -> usize,
        target: impl Fn(usize) -> Target,
    ) -> usize {
        let moved = |e: &Expr| {
            e.map_leaves(&mut |leaf| match leaf {
                Expr::Slot(slot) => Some(Expr::Slot(place(*slot))),
                _ => None,
            })
        };
        let transition = |t: &model::Transition| Transition {
            name: t.name.clone(),
            step: t.step.clone(),
            source: t.source as u32,
            target: t.target as u32,
            guard: t.guard.iter().map(|c| Conjunct { expr: moved(&c.expr), ..c.clone() }).collect(),
            updates: t.updates.iter().map(|(var, e)| (place(*var), moved(e))).collect(),
            sends: (t.sends.iter())
                .map(|s| Send {
                    to: target(s.channel),
                    condition: s.condition.as_ref().map(moved),
                    value: moved(&s.value),
                })
                .collect(),
            gate: match t.event {
                Event::Gate(number) => {
                    let gate = &instance.machine.gates[number];
                    Some((gate.name.clone(), gate.direction))
                }
                _ => None,
            },
            params: match t.event {
                Event::Gate(number) => instance.machine.gates[number].params.len(),
                _ => 0,
            },
            seen_at: None,
            tags: t.tags.clone(),
            span: t.span,
        };
        self.machines.push(Machine {
            name: instance.name.clone(),
            states: instance.machine.states.clone(),
            initial: instance.machine.initial as u32,
            transitions: instance.machine.transitions.iter().map(transition).collect(),
            service: instance.machine.service.as_ref().map(|shape| shape.mapped(&moved, place)),
        });
        self.machines.len() - 1
    }
}

/// Steps on shared gates are taken by both sides together, with one tuple of data; the others by one side alone.
fn handshake(
    left: Vec<NamedJoint>,
    right: Vec<NamedJoint>,
    shared: &BTreeSet<String>,
) -> Result<Vec<NamedJoint>, LowerError> {
    let is_shared = |joint: &NamedJoint| joint.gate.as_ref().is_some_and(|gate| shared.contains(gate));
    let mut out: Vec<NamedJoint> = vec![];
    for l in left.iter().filter(|j| is_shared(j)) {
        for r in right.iter().filter(|r| r.gate == l.gate) {
            let params = l.params.iter().zip(&r.params).map(|((name, a), (_, b))| {
                let mut types = a.clone();
                types.extend(b.iter().filter(|ty| !a.contains(ty)).cloned());
                (name.clone(), types)
            });
            let parts = l.parts.iter().chain(&r.parts).copied().collect();
            let sides = l.sides.iter().chain(&r.sides).copied().collect();
            out.push(NamedJoint { gate: l.gate.clone(), params: params.collect(), parts, sides });
            if out.len() > MAX_JOINTS {
                return Err(LowerError::TooManyJoints);
            }
        }
    }
    out.extend(left.into_iter().chain(right).filter(|j| !is_shared(j)));
    Ok(out)
}
