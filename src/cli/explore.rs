//! `tracewright explore`

use std::collections::BTreeSet;

use serde_json::json;

use super::args::{AlgorithmArg, ExploreArgs};
use super::limits::{Bar, limits};
use super::load::{Loaded, load, trace};
use super::outcome::{Failure, Outcome};
use super::{counted, print, property};
use crate::confirm::Recheck;
use crate::conform::definitions::{self, Definitions};
use crate::conform::{Alphabet, coverage, locations, observed_in};
use crate::diagnostic::Rejected;
use crate::emit::{
    Decided, Executions, Symbolic, decided_json, decided_text, dot, executions_json, executions_text, symbolic_json,
    symbolic_text,
};
use crate::kernel::{ChoiceError, StepSystem};
use crate::model::{Problem, near};
use crate::search::{Algorithm, Graph, Limit, Progress, drive, explore, observed_events, service_of};
use crate::solve::{Solver, Z3};
use crate::syntax::Span;
use crate::synth::Engine;

pub fn run(args: &ExploreArgs) -> Result<Outcome, Failure> {
    if args.symbolic {
        return symbolic(args);
    }
    if let Some(algorithm) = args.algorithm {
        return executions(args, algorithm);
    }
    let (system, loaded) = load(&args.model.model)?.system()?;
    let (given, loaded) = loaded.given(&args.values, &system)?;
    let limits = limits(&args.limits, args.depth, args.states)?;
    let mut bar = Bar::new(&limits);
    bar.about(&system.name, 1, 1);
    let result = explore(&system, &given, &limits, &mut bar);
    bar.clear();
    let graph = match result {
        Ok(graph) => graph,
        Err(error) => return Err(not_listed(error, &system, loaded)),
    };
    if args.dot {
        print(&super::document(dot(&graph, &system)))?;
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
        print(&super::shown(&text(&graph)))?;
    }
    Ok(match graph.cut {
        // A bound that the user gave is part of the question.
        None | Some(Limit::Depth) => Outcome::Wished,
        Some(Limit::States) if args.states.is_some() => Outcome::Wished,
        Some(_) => Outcome::Unknown,
    })
}

/// Why the steps of a model could not be listed.
fn not_listed(error: ChoiceError, system: &StepSystem, loaded: Loaded) -> Failure {
    let ChoiceError::NoValues { what, reason } = error else { return Failure::Limit(error.to_string()) };
    let problem = Problem::NeedsValues { what: format!("`{what}`"), reason: reason.to_string() };
    let span = loaded.checked.models.iter().find(|m| m.name == system.name).map_or(Span::default(), |m| m.span);
    let place = Span { end: span.start + first_line(loaded.sources.text(span)) as u32, ..span };
    Failure::rejected(Rejected(vec![problem.at(place)]), loaded.sources)
}

/// Executions of a service.
fn executions(args: &ExploreArgs, algorithm: AlgorithmArg) -> Result<Outcome, Failure> {
    let (system, loaded) = load(&args.model.model)?.system()?;
    let (given, loaded) = loaded.given(&args.values, &system)?;
    if service_of(&system).is_none() {
        let message = format!("--algorithm counts the executions of a service, and `{}` is none", system.name);
        return Err(Failure::Usage(message));
    }
    let Some(depth) = args.depth else {
        return Err(Failure::Usage(
            "--algorithm counts executions up to a number of events: give one with --depth".to_owned(),
        ));
    };
    let mut observed: BTreeSet<String> = BTreeSet::new();
    for event in &args.observe {
        if system.gates.iter().all(|gate| gate.name != *event) {
            let near = near(event, system.gates.iter().map(|gate| gate.name.as_str()));
            let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return Err(Failure::Usage(format!("--observe {event}: there is no such event{hint}")));
        }
        observed.insert(event.clone());
    }
    let limits = limits(&args.limits, args.depth, None)?;
    let how = property::Deciding { limits, seed: 0, engine: Engine::Auto, recheck: Recheck::default() };
    let (decided, loaded) = property::decide(loaded, &args.properties, how)?;
    let events =
        |decided: &Decided| observed_events(&decided.asked.system, &decided.asked.lists, &decided.asked.purpose);
    decided.iter().for_each(|one| observed.extend(events(one)));
    let given = system.preferring(&given);
    let (word, algorithm) = match algorithm {
        AlgorithmArg::Simple => ("simple", Algorithm::Simple),
        AlgorithmArg::Sets => ("sets", Algorithm::Sets),
    };
    let mut bar = Bar::new(&limits);
    let mut solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
    let driven = drive(&system, (&given, &mut solver), (algorithm, &observed), depth, (&limits, &mut bar));
    bar.clear();
    let driven = match driven {
        Ok(driven) => driven,
        Err(error) => return Err(not_listed(error, &system, loaded)),
    };
    let observed = observed.into_iter().collect();
    let shown = Executions { system: &system, algorithm: word, depth, observed, driven: &driven };
    if args.common.json {
        let mut out = executions_json(&shown);
        if !decided.is_empty() {
            let mut all = decided_json(&decided, 0, &loaded.sources);
            let mut properties = all["properties"].take();
            for (property, one) in properties.as_array_mut().into_iter().flatten().zip(&decided) {
                property["observable"] = json!(events(one));
            }
            out.insert("properties".to_owned(), properties);
        }
        print(&format!("{}\n", serde_json::Value::Object(out)))?;
    } else {
        print(&super::shown(&executions_text(&shown)))?;
        if !decided.is_empty() {
            print(&super::shown(&format!("\n{}", decided_text(&decided, &loaded.sources))))?;
        }
    }
    let of_driven = if driven.cut.is_none() && driven.gaps.is_empty() { Outcome::Wished } else { Outcome::Unknown };
    Ok(Outcome::of_all([of_driven, property::outcome(&decided)]))
}

/// Symbolic states over the data of the past.
fn symbolic(args: &ExploreArgs) -> Result<Outcome, Failure> {
    let (system, _) = load(&args.model.model)?.system()?;
    let Some(depth) = args.depth else {
        return Err(Failure::Usage("--symbolic looks at sequences up to a length: give one with --depth".to_owned()));
    };
    let alphabet = Alphabet::of(&system);
    let mut runs = vec![];
    for path in &args.run {
        let run = observed_in(&trace(path, &system)?, &system, &alphabet);
        runs.push(run.map_err(|reason| Failure::Usage(format!("--run {path}: {reason}")))?);
    }
    let limits = limits(&args.limits, args.depth, None)?;
    let mut bar = Bar::new(&limits);
    let solver = || -> Box<dyn Solver> { Box::new(Z3::new(0)) };
    let Some(mut definitions) = Definitions::new(&system, &alphabet, solver()) else {
        return Err(Failure::Limit("the variables of this model cannot be left open".to_owned()));
    };
    let mut cut = None;
    let explored = definitions::explore(&mut definitions, depth, &mut |found| {
        bar.at(depth, found, 0, 0);
        cut = limits.used_up();
        cut.is_none()
    });
    let seen = coverage(&mut definitions, &explored, &runs);
    let of_locations = match runs.is_empty() {
        true => None,
        false => {
            let locations = locations(&system, &alphabet, solver(), &limits, &mut bar);
            let seen = locations.coverage(&runs, &system, &alphabet);
            Some((seen.map_err(|error| Failure::Limit(error.to_string()))?, locations.is_complete))
        }
    };
    bar.clear();
    let shown = Symbolic {
        system: &system,
        alphabet: &alphabet,
        explored: &explored,
        seen: &seen,
        locations: of_locations,
        cut,
        gaps: definitions.gaps(),
    };
    if args.common.json {
        print(&format!("{}\n", symbolic_json(&shown, &mut definitions)))?;
    } else {
        print(&super::shown(&symbolic_text(&shown, &mut definitions)))?;
    }
    Ok(if cut.is_none() && shown.gaps.is_empty() { Outcome::Wished } else { Outcome::Unknown })
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
