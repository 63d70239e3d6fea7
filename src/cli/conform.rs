//! `tracewright conform`

use super::args::{ConformArgs, Format};
use super::limits::{Bar, limits};
use super::load::{Loaded, load};
use super::outcome::{Failure, Outcome};
use super::print;
use crate::conform::{Alphabet, Mismatch, Options, Refusing, conform};
use crate::diagnostic::Rejected;
use crate::emit::{Compared, conformance_chart, conformance_json, conformance_text};
use crate::kernel::StepSystem;
use crate::model::Problem;
use crate::search::Limit;
use crate::solve::{Solver, Z3};
use crate::syntax::Span;
use crate::term::join;

pub fn run(args: &ConformArgs) -> Result<Outcome, Failure> {
    super::no_test_code(&args.format)?;
    let (implementation, loaded) = load(&args.implementation)?.system()?;
    let (specification, of_specification) = load(&args.specification)?.system()?;
    // What a service shows are its prompts and nodes, and these are no outputs at gates.
    for system in [&implementation, &specification] {
        if let Some(service) = system.machines.iter().find(|machine| machine.service.is_some()) {
            return Err(Failure::Limit(format!("what the service `{}` shows cannot be compared yet", service.name)));
        }
    }
    let (definitions, renumbered) = join(&implementation.definitions, &specification.definitions);
    let definitions = std::sync::Arc::new(definitions);
    let specification = specification.renumbered(&definitions, &renumbered);
    let implementation = StepSystem { definitions, ..implementation };
    let alphabet = match Alphabet::new(&implementation, &specification) {
        Ok(alphabet) => alphabet,
        Err(mismatches) => {
            let place = declared(&loaded, &implementation);
            let problems = mismatches.into_iter().map(|mismatch| problem(mismatch).at(place)).collect();
            return Err(Failure::rejected(Rejected(problems), loaded.sources));
        }
    };
    let limits = limits(&args.limits, args.depth, None)?;
    let seed = args.seed;
    let new_solver = move || -> Box<dyn Solver> { Box::new(Z3::new(seed)) };
    let options = Options {
        engine: args.engine.into(),
        depth: args.depth,
        completion: args.complete.map(Into::into),
        is_universal: args.uioco,
        limits,
        new_solver: &new_solver,
    };
    let mut bar = Bar::new(&limits);
    let answer = conform(&implementation, &specification, &alphabet, &options, &mut bar);
    bar.clear();
    let answer = match answer {
        Ok(answer) => answer,
        Err(Refusing { input, place, after }) => {
            let after = if after.is_empty() { String::new() } else { format!(", after {}", after.join(" ")) };
            let problem = Problem::RefusesInput { model: implementation.name.clone(), input, place, after };
            let place = declared(&loaded, &implementation);
            return Err(Failure::rejected(Rejected(vec![problem.at(place)]), loaded.sources));
        }
    };
    let compared = Compared {
        implementation: &implementation,
        specification: &specification,
        alphabet: &alphabet,
        answer: &answer,
        sources: &of_specification.sources,
    };
    let json = || format!("{}\n", conformance_json(&compared));
    if args.common.json {
        print(&json())?;
    } else {
        let formats = if args.format.is_empty() { vec![Format::Text] } else { args.format.clone() };
        for format in formats {
            print(&match (format, format.drawing()) {
                (_, Some(drawing)) => drawing.document(&[conformance_chart(&compared)]),
                (Format::Json, None) => json(),
                (_, None) => conformance_text(&compared),
            })?;
        }
    }
    Ok(match (answer.conforms, answer.is_complete) {
        (Some(true), true) => Outcome::Wished,
        // A bound that the user gave is part of the question.
        (Some(true), false) if answer.limit == Some(Limit::Depth) => Outcome::Wished,
        (Some(false), _) => Outcome::Negative,
        _ => Outcome::Unknown,
    })
}

/// The line on which a model is declared.
fn declared(loaded: &Loaded, system: &StepSystem) -> Span {
    let span = loaded.checked.models.iter().find(|m| m.name == system.name).map_or(Span::default(), |m| m.span);
    let text = loaded.sources.text(span);
    Span { end: span.start + text.find('\n').unwrap_or(text.len()) as u32, ..span }
}

fn problem(mismatch: Mismatch) -> Problem {
    match mismatch {
        Mismatch::Direction { gate } => Problem::DirectionsDiffer { gate },
        Mismatch::Params { gate, implementation, specification } => {
            Problem::ParametersDiffer { gate, here: implementation, there: specification }
        }
    }
}
