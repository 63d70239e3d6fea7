//! `tracewright cover`

use std::path::Path;
use std::time::Instant;

use super::args::{CoverArgs, Format};
use super::limits::{Bar, limits};
use super::load::load;
use super::outcome::{Failure, Outcome};
use super::test_code::Wanted;
use super::write::write_all;
use super::{document, drawings, print, report, shown};
use crate::diagnostic::Rejected;
use crate::emit::{
    CoveredSuite, Made, model_dot, suite_charts, suite_files, suite_form, suite_graph, suite_json, suite_report,
    suite_text,
};
use crate::solve::{Solver, Z3};
use crate::syntax::{self, FileId, Span};
use crate::synth::{
    Asked, CoverOptions, NotAsked, NotAttained, Sequence, Status, cover, script_of_run, take_symbolic_states,
    with_symbolic_states,
};

pub fn run(args: &CoverArgs) -> Result<Outcome, Failure> {
    let mut loaded = load(&args.model.model)?;
    let tests = Wanted::of(&args.search)?;
    let mut wanted = vec![];
    let mut errors = vec![];
    for text in &args.of {
        let id = loaded.sources.add_fragment("--of", text);
        match syntax::parse_model_reference(id, text) {
            Ok(one) => wanted.push(one),
            Err(more) => errors.extend(more),
        }
    }
    if !errors.is_empty() {
        return Err(Failure::rejected(Rejected(errors), loaded.sources));
    }
    let symbolic = match take_symbolic_states(&loaded.checked, &mut wanted) {
        Ok(symbolic) => symbolic,
        Err(rejected) => return Err(Failure::rejected(rejected, loaded.sources)),
    };
    let limits = limits(&args.search.limits, args.depth, None)?;
    let start = Span::new(FileId(0), 0, 0);
    let asked = match Asked::covering(&loaded.checked, &wanted, loaded.reference(), start) {
        Ok(asked) => asked,
        Err(NotAsked::Rejected(rejected)) => return Err(Failure::rejected(rejected, loaded.sources)),
        Err(NotAsked::Limit(message)) => return Err(Failure::Limit(message)),
    };
    let seed = args.search.seed;
    let solver = move || -> Box<dyn Solver> { Box::new(Z3::new(seed)) };
    let options = CoverOptions {
        minimise: args.minimise.into(),
        seed,
        engine: args.engine.into(),
        limits,
        solver: &solver,
        threads: super::threads(args.search.threads),
    };
    report::prepare(args.search.report.as_deref())?;
    let started = Instant::now();
    let mut bar = Bar::new(&limits);
    bar.about(&args.of.join(" and "), 1, 1);
    let suite = cover(&asked.system, &asked.lists, &asked.purpose, &options, &mut bar);
    let mut suite = suite.map_err(|error| Failure::Internal(error.to_string()))?;
    let mut others = vec![];
    if let Some(depth) = symbolic {
        (suite, others) =
            with_symbolic_states(&asked, suite, depth, &options, &mut bar).map_err(|error| match error {
                NotAttained::Unlisted(reason) => Failure::Limit(format!("symbolic states cannot be listed: {reason}")),
                NotAttained::Disagreement(error) => Failure::Internal(error.to_string()),
            })?;
    }
    bar.clear();
    let (sources, of) = (&loaded.sources, &args.of);
    let covered = CoveredSuite { asked: &asked, of, options: &options, suite: &suite, others: &others, sources };
    let made = Made { command: report::command(), took: started.elapsed(), ..Made::default() };
    report::write(args.search.report.as_deref(), || suite_report(&covered, &made))?;
    let mut forms = vec![];
    if tests.is_any() {
        let Asked { system, lists, purpose } = &asked;
        let of_run = |sequence: &Sequence| script_of_run(system, lists, purpose, &sequence.run);
        let scripts: Result<Vec<_>, _> = suite.sequences.iter().map(of_run).collect();
        forms.push(suite_form(&covered, &scripts.map_err(|limit| Failure::Limit(limit.to_string()))?));
    }
    // Whatever may be wrong with a template is known before anything is written.
    let tests_to_write = if args.search.out.is_some() { tests.files(&forms)? } else { vec![] };
    let mut said = String::new();
    if let Some(directory) = &args.search.out {
        let (files, manifest) = suite_files(&covered, &drawings(&args.search.format));
        write_all(Path::new(directory), files, &manifest)?;
        said = Wanted::write(Path::new(directory), tests_to_write)?;
    }
    let formats = super::formats(&args.search);
    let json = || format!("{}\n", suite_json(&covered));
    if args.common.json {
        print(&json())?;
    } else {
        print(&said)?;
        for format in formats {
            if let Some(code) = Wanted::printed(format, &forms) {
                print(&code)?;
                continue;
            }
            print(&match (format, format.drawing()) {
                (_, Some(drawing)) => document(drawing.document(&suite_charts(&covered))),
                (Format::Json, None) => json(),
                (Format::Dot, None) => model_dot(&[suite_graph(&covered)]),
                (_, None) => shown(&suite_text(&covered)),
            })?;
        }
        if args.search.out.is_none() {
            print(&tests.by_template(&forms)?.unwrap_or_default())?;
        }
    }
    Ok(Outcome::of_all(suite.items.iter().map(|status| match status {
        // What cannot be covered is no part of what was asked for.
        Status::Covered | Status::Impossible(_) => Outcome::Wished,
        Status::NotFound(_) => Outcome::Negative,
        Status::Unknown(_) => Outcome::Unknown,
    })))
}
