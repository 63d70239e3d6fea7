//! Models in the language of Graphviz: a cluster for each machine. What runs pass is green, what they miss is dashed, what is
//! impossible is dotted.

use std::fmt::Write;

use super::super::dot::escaped;
use super::{Known, ModelGraph};

/// One graph for each model.
pub fn model_dot(graphs: &[ModelGraph]) -> String {
    graphs.iter().map(one).collect()
}

fn one(graph: &ModelGraph) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "digraph \"{}\" {{", escaped(&graph.name));
    let _ = writeln!(out, "  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"sans-serif\"];");
    let _ = writeln!(out, "  edge [fontname=\"sans-serif\", fontsize=10];");
    for (number, machine) in graph.machines.iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster_{number} {{\n    label=\"{}\";", escaped(&machine.name));
        for (place, state) in machine.states.iter().enumerate() {
            let initial = if state.is_initial { ", penwidth=2" } else { "" };
            let look = match state.known() {
                Known::Nothing => "",
                Known::Impossible => ", style=\"rounded,dotted\", color=\"#8250df\", fontcolor=\"#8250df\"",
                Known::Missed => ", style=\"rounded,dashed\", color=\"#8c959f\", fontcolor=\"#57606a\"",
                Known::Passed => ", color=\"#1a7f37\", fillcolor=\"#dafbe1\"",
            };
            let _ = writeln!(out, "    m{number}s{place} [label=\"{}\"{initial}{look}];", escaped(&state.name));
        }
        for transition in &machine.transitions {
            let look = match transition.known() {
                Known::Nothing => "",
                Known::Impossible => ", style=dotted, color=\"#8250df\", fontcolor=\"#8250df\"",
                Known::Missed => ", style=dashed, color=\"#8c959f\", fontcolor=\"#57606a\"",
                Known::Passed => ", color=\"#1a7f37\", fontcolor=\"#1a7f37\"",
            };
            let (source, target) = (transition.source, transition.target);
            let label = escaped(&transition.label);
            let _ = writeln!(out, "    m{number}s{source} -> m{number}s{target} [label=\"{label}\"{look}];");
        }
        out.push_str("  }\n");
    }
    out.push_str(&legend(graph));
    out.push_str("}\n");
    out
}

/// What the looks mean, below the graph. It comes last: clusters after it would look like it.
fn legend(graph: &ModelGraph) -> String {
    let looks = [
        (graph.runs > 0, "green: passed by a sequence"),
        (graph.runs > 0, "dashed: passed by none"),
        (graph.has_impossible(), "dotted: impossible"),
    ];
    let said: Vec<&str> = looks.into_iter().filter(|(is_there, _)| *is_there).map(|(_, said)| said).collect();
    match said.is_empty() {
        true => String::new(),
        false => {
            format!("  label=\"{}\";\n  labelloc=b;\n  fontname=\"sans-serif\";\n  fontsize=10;\n", said.join("; "))
        }
    }
}
