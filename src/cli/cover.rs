//! `tracewright cover`

use std::cell::Cell;
use std::time::Instant;

use serde_json::Value as Json;

use super::args::CoverArgs;
use super::deliver::{self, Found, deliver};
use super::limits::{Bar, limits};
use super::load::load;
use super::outcome::{Failure, Outcome};
use super::report;
use super::test_code::{self, Wanted};
use crate::diagnostic::Rejected;
use crate::emit::{
    CoveredSuite, Drawing, Drawn, Form, Made, ModelGraph, suite_charts, suite_files, suite_form, suite_graph,
    suite_json, suite_report, suite_text,
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
        recheck: (&args.search.recheck).into(),
    };
    deliver::prepare(&args.search, &loaded.sources)?;
    let started = Instant::now();
    let mut bar = Bar::new(&limits);
    bar.about(&args.of.join(" and "), 1, 1);
    let suite = cover(&asked.system, &asked.lists, &asked.purpose, &options, &mut bar);
    let mut suite = suite.map_err(|error| Failure::disagreement(&error))?;
    let mut others = vec![];
    if let Some(depth) = symbolic {
        (suite, others) =
            with_symbolic_states(&asked, suite, depth, &options, &mut bar).map_err(|error| match error {
                NotAttained::Unlisted(reason) => Failure::Limit(format!("symbolic states cannot be listed: {reason}")),
                NotAttained::Disagreement(error) => Failure::disagreement(&error),
            })?;
    }
    bar.clear();
    let (sources, of) = (&loaded.sources, &args.of);
    let covered = CoveredSuite { asked: &asked, of, options: &options, suite: &suite, others: &others, sources };
    let made = Made { command: report::command(), took: started.elapsed(), ..Made::default() };
    let found = Covered { suite: covered, made, is_cut: Cell::new(false) };
    deliver(&found, &args.search, args.common.json, &tests, sources)?;
    let of_tests = if found.is_cut.get() { Outcome::Unknown } else { Outcome::Wished };
    let of_items = suite.items.iter().map(|status| match status {
        // What cannot be covered is no part of what was asked for.
        Status::Covered | Status::Impossible(_) => Outcome::Wished,
        Status::NotFound(_) => Outcome::Negative,
        Status::Unknown(_) => Outcome::Unknown,
    });
    Ok(Outcome::of_all(of_items.chain([of_tests])))
}

/// A suite, for whoever wants it in some form.
struct Covered<'a> {
    suite: CoveredSuite<'a>,
    made: Made,
    /// Whether limits left tests less strict than they could be.
    is_cut: Cell<bool>,
}

impl Found for Covered<'_> {
    fn text(&self) -> String {
        suite_text(&self.suite)
    }

    fn json(&self) -> Json {
        suite_json(&self.suite)
    }

    fn charts(&self) -> Vec<Drawn> {
        suite_charts(&self.suite)
    }

    fn graphs(&self) -> Vec<ModelGraph> {
        vec![suite_graph(&self.suite)]
    }

    fn files(&self, drawings: &[Drawing]) -> (Vec<(String, String)>, Json) {
        suite_files(&self.suite, drawings)
    }

    fn forms(&self) -> Result<Vec<Form>, Failure> {
        let Asked { system, lists, purpose } = self.suite.asked;
        let limits = &self.suite.options.limits;
        let of_run = |sequence: &Sequence| script_of_run(system, lists, purpose, &sequence.run, limits);
        let scripts: Result<Vec<_>, _> = self.suite.suite.sequences.iter().map(of_run).collect();
        let scripts = scripts.map_err(|limit| Failure::Limit(limit.to_string()))?;
        self.is_cut.set(test_code::say_what_is_cut(&scripts));
        Ok(vec![suite_form(&self.suite, &scripts)])
    }

    fn report(&self) -> String {
        suite_report(&self.suite, &self.made)
    }
}
