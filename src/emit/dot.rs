//! The reachable graph in the language of Graphviz.

use std::fmt::Write;

use super::run::event_label;
use crate::kernel::{SlotKind, State, StepSystem};
use crate::search::Graph;
use crate::term::{Shown, Value};

/// The graph as DOT.
pub fn dot(graph: &Graph, system: &StepSystem) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "digraph \"{}\" {{", escaped(&system.name));
    let _ = writeln!(out, "  node [shape=box, style=rounded, fontname=\"sans-serif\"];");
    let _ = writeln!(out, "  edge [fontname=\"sans-serif\", fontsize=10];");
    for (number, state) in graph.states.iter().enumerate() {
        let mut attributes = format!("label=\"{}\"", state_label(state, system));
        if number < graph.initial {
            attributes.push_str(", penwidth=2");
        }
        if graph.deadlocks.contains(&number) {
            attributes.push_str(", color=red");
        }
        let _ = writeln!(out, "  s{number} [{attributes}];");
    }
    for edge in &graph.edges {
        let joint = system.joints.iter().find(|j| j.gate == edge.gate);
        let params = joint.map_or(&[][..], |j| &j.params);
        let label = event_label(system, edge.gate, &edge.data, params);
        let _ = writeln!(out, "  s{} -> s{} [label=\"{}\"];", edge.source, edge.target, escaped(&label));
    }
    out.push_str("}\n");
    out
}

fn state_label(state: &State, system: &StepSystem) -> String {
    let control = system.machines.iter().zip(&state.control).map(|(m, c)| m.states[*c as usize].clone());
    let values = system.slots.iter().zip(&state.values).filter(|(slot, value)| {
        slot.kind == SlotKind::Variable || (slot.kind == SlotKind::Channel && **value != Value::Absent)
    });
    let values =
        values.map(|(slot, value)| format!("{}={}", slot.name, Shown { value, definitions: &system.definitions }));
    let lines: Vec<String> = std::iter::once(control.collect::<Vec<_>>().join(" ")).chain(values).collect();
    lines.iter().map(|line| escaped(line)).collect::<Vec<_>>().join("\\n")
}

/// A text between quotation marks.
pub(super) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
