//! `tracewright explore`

use serde_json::json;

use super::args::ExploreArgs;
use super::limits::{Bar, limits};
use super::load::load;
use super::outcome::{Failure, Outcome};
use super::{counted, print};
use crate::diagnostic::Rejected;
use crate::emit::dot;
use crate::kernel::ChoiceError;
use crate::model::Problem;
use crate::search::{Graph, Limit, explore};
use crate::syntax::Span;

pub fn run(args: &ExploreArgs) -> Result<Outcome, Failure> {
    let (system, loaded) = load(&args.model.model)?.system()?;
    let (given, loaded) = loaded.given(&args.values, &system)?;
    let limits = limits(&args.limits, args.depth, args.states)?;
    let mut bar = Bar::new(&limits);
    let result = explore(&system, &given, &limits, &mut bar);
    bar.clear();
    let graph = match result {
        Ok(graph) => graph,
        Err(ChoiceError::NoValues { what, reason }) => {
            let problem = Problem::NeedsValues { what: format!("`{what}`"), reason: reason.to_string() };
            let span = loaded.checked.models.iter().find(|m| m.name == system.name).map_or(Span::default(), |m| m.span);
            let place = Span { end: span.start + first_line(loaded.sources.text(span)) as u32, ..span };
            return Err(Failure::rejected(Rejected(vec![problem.at(place)]), loaded.sources));
        }
        Err(error) => return Err(Failure::Limit(error.to_string())),
    };
    if args.dot {
        print(&dot(&graph, &system))?;
    } else if args.common.json {
        let mut out = json!({
            "model": system.name,
            "states": graph.states.len(),
            "transitions": graph.edges.len(),
            "complete": graph.cut.is_none(),
            "deadlocks": graph.deadlocks.len(),
        });
        if let Some(limit) = graph.cut {
            out["limit"] = json!(limit.to_string());
        }
        print(&format!("{out}\n"))?;
    } else {
        print(&text(&graph))?;
    }
    Ok(match graph.cut {
        // A bound that the user gave is part of the question.
        None | Some(Limit::Depth) => Outcome::Wished,
        Some(Limit::States) if args.states.is_some() => Outcome::Wished,
        Some(_) => Outcome::Unknown,
    })
}

fn first_line(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

fn text(graph: &Graph) -> String {
    let mut out = format!(
        "{}, {}, {}\n",
        counted(graph.states.len(), "state"),
        counted(graph.edges.len(), "transition"),
        counted(graph.deadlocks.len(), "deadlock")
    );
    if let Some(limit) = graph.cut {
        out.push_str(&format!("not complete: {limit}\n"));
    }
    out
}
