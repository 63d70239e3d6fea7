//! `tracewright conform`

use super::args::{ConformArgs, ConformFormat};
use super::limits::{Bar, limits};
use super::load::load;
use super::outcome::{Failure, Outcome};
use super::{document, print, shown};
use crate::api::{Comparing, compare};
use crate::emit::{Compared, Judgement, conformance_chart, conformance_json, conformance_text, junit};
use crate::search::Limit;

pub fn run(args: &ConformArgs) -> Result<Outcome, Failure> {
    let (implementation, specification) = (load(&args.implementation)?, load(&args.specification)?);
    let limits = limits(&args.limits, args.depth, None)?;
    let how = Comparing {
        engine: args.engine.into(),
        depth: args.depth,
        completion: args.complete.map(Into::into),
        is_universal: args.uioco,
        limits,
        recheck: (&args.recheck).into(),
        seed: args.seed,
    };
    let mut bar = Bar::new(&limits);
    bar.about(&format!("{} against {}", args.implementation, args.specification), 1, 1);
    let comparison = compare(&implementation, &specification, &how, &mut bar);
    bar.clear();
    let comparison = comparison?;
    let (compared, answer) = (comparison.compared(), &comparison.answer);
    let outcome = match (answer.conforms, answer.is_complete) {
        (Some(true), true) => Outcome::Wished,
        // A bound that the user gave is part of the question.
        (Some(true), false) if answer.limit == Some(Limit::Depth) => Outcome::Wished,
        (Some(false), _) => Outcome::Negative,
        _ => Outcome::Unknown,
    };
    let json = || format!("{}\n", conformance_json(&compared));
    if args.common.json {
        print(&json())?;
    } else {
        let formats = if args.format.is_empty() { vec![ConformFormat::Text] } else { args.format.clone() };
        for format in formats {
            print(&match (format, format.drawing()) {
                (_, Some(drawing)) => document(drawing.document(&[conformance_chart(&compared)])),
                (ConformFormat::Json, None) => json(),
                (ConformFormat::Junit, None) => report(&compared, outcome),
                (_, None) => shown(&conformance_text(&compared)),
            })?;
        }
    }
    Ok(outcome)
}

/// The comparison as a test case.
fn report(compared: &Compared, outcome: Outcome) -> String {
    let (implementation, specification) = (&compared.implementation.name, &compared.specification.name);
    let name = format!("{implementation} conforms to {specification}");
    let one = Judgement::printed(&name, outcome.status(), &conformance_text(compared));
    junit("conform", implementation, &[one])
}
