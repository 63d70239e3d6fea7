//! What can be observed at the border of two models, and how each of them calls it.
//!
//! A gate is one label. A tick of a lock-step system is two: its inputs are given, then its outputs are seen. Labels of both
//! models are one alphabet; a label that only one of them has is never taken by the other.

use std::fmt;

use crate::kernel::{Part, StepSystem};
use crate::syntax::tree::Direction;
use crate::term::Type;

/// Something that can be observed.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Name of the gate.
    pub name: String,
    /// Who begins it.
    pub direction: Direction,
    /// Names and shapes of what it carries.
    pub params: Vec<(String, Type)>,
    /// Whether what it carries may be absent: inputs and outputs of a tick.
    pub is_tick: bool,
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.direction == Direction::In { '?' } else { '!' };
        write!(f, "{mark}{}", self.name)
    }
}

/// Why two models have no common border.
#[derive(Clone, Debug, PartialEq)]
pub enum Mismatch {
    /// An input of one is an output of the other.
    Direction {
        /// The gate.
        gate: String,
    },
    /// What they carry differs.
    Params {
        /// The gate.
        gate: String,
        /// Parameters of the implementation, as written.
        implementation: String,
        /// Parameters of the specification.
        specification: String,
    },
}

/// How one model calls a label.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Port {
    /// Its gate.
    pub gate: usize,
    /// For every parameter of the label its place among the parameters of the gate.
    pub places: Vec<usize>,
}

/// All labels, and how both models call them.
#[derive(Clone, Debug)]
pub struct Alphabet {
    /// The labels, inputs first.
    pub labels: Vec<Label>,
    pub(super) implementation: Vec<Option<Port>>,
    pub(super) specification: Vec<Option<Port>>,
}

impl Alphabet {
    /// The alphabet of two models over the same definitions.
    pub fn new(implementation: &StepSystem, specification: &StepSystem) -> Result<Alphabet, Vec<Mismatch>> {
        let mut labels: Vec<Label> = labels(specification).into_iter().map(|(label, _)| label).collect();
        let mut mismatches = vec![];
        for (label, _) in self::labels(implementation) {
            let known = labels.iter().find(|known| known.name == label.name && known.direction == label.direction);
            match known {
                Some(known) if sorted(&known.params) != sorted(&label.params) => mismatches.push(Mismatch::Params {
                    gate: label.to_string(),
                    implementation: written(&label.params, implementation),
                    specification: written(&known.params, specification),
                }),
                Some(_) => {}
                None if !label.is_tick && labels.iter().any(|known| known.name == label.name && !known.is_tick) => {
                    mismatches.push(Mismatch::Direction { gate: label.name });
                }
                None => labels.push(label),
            }
        }
        if !mismatches.is_empty() {
            return Err(mismatches);
        }
        labels.sort_by_key(|label| label.direction == Direction::Out);
        let ports = |system: &StepSystem| -> Vec<Option<Port>> {
            let own = self::labels(system);
            let port = |label: &Label| {
                let (own, gate) =
                    own.iter().find(|(own, _)| own.name == label.name && own.direction == label.direction)?;
                let first = match own.is_tick && own.direction == Direction::Out {
                    true => system.gates[*gate].params.len() - own.params.len(),
                    false => 0,
                };
                let place = |(name, _): &(String, Type)| own.params.iter().position(|(n, _)| n == name);
                let places: Option<Vec<usize>> = label.params.iter().map(|p| Some(first + place(p)?)).collect();
                Some(Port { gate: *gate, places: places? })
            };
            labels.iter().map(port).collect()
        };
        let (implementation, specification) = (ports(implementation), ports(specification));
        Ok(Alphabet { labels, implementation, specification })
    }

    /// The alphabet of one model.
    pub fn of(system: &StepSystem) -> Alphabet {
        Alphabet::new(system, system).unwrap_or(Alphabet {
            labels: vec![],
            implementation: vec![],
            specification: vec![],
        })
    }

    /// The same with some labels only.
    pub(super) fn only(&self, labels: &[usize]) -> Alphabet {
        let ports = |ports: &[Option<Port>]| labels.iter().map(|label| ports[*label].clone()).collect();
        Alphabet {
            labels: labels.iter().map(|label| self.labels[*label].clone()).collect(),
            implementation: ports(&self.implementation),
            specification: ports(&self.specification),
        }
    }

    /// Numbers of the labels of a direction.
    pub fn of_direction(&self, direction: Direction) -> impl Iterator<Item = usize> + '_ {
        (0..self.labels.len()).filter(move |n| self.labels[*n].direction == direction)
    }
}

/// The labels of one model, with their gates.
fn labels(system: &StepSystem) -> Vec<(Label, usize)> {
    let mut out = vec![];
    for (number, gate) in system.gates.iter().enumerate() {
        let tick =
            system.joints.iter().filter(|joint| joint.gate == Some(number)).find_map(|joint| match joint.parts[..] {
                [Part::Tick(tick)] => Some(tick),
                _ => None,
            });
        let shapes: Vec<(String, Type)> = gate.params.iter().map(|(name, ty)| (name.clone(), ty.shape())).collect();
        let label = |direction, params: &[(String, Type)]| Label {
            name: gate.name.clone(),
            direction,
            params: params.to_vec(),
            is_tick: tick.is_some(),
        };
        match tick {
            None => out.push((label(gate.direction, &shapes), number)),
            Some(tick) => {
                let (inputs, outputs) = shapes.split_at(system.ticks[tick].inputs.len());
                out.push((label(Direction::In, inputs), number));
                out.push((label(Direction::Out, outputs), number));
            }
        }
    }
    out
}

fn sorted(params: &[(String, Type)]) -> Vec<(&String, String)> {
    let mut out: Vec<(&String, String)> = params.iter().map(|(name, ty)| (name, format!("{ty:?}"))).collect();
    out.sort();
    out
}

fn written(params: &[(String, Type)], system: &StepSystem) -> String {
    let params: Vec<String> =
        params.iter().map(|(name, ty)| format!("{name}: {}", ty.name(&system.definitions))).collect();
    format!("({})", params.join(", "))
}
