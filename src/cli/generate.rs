//! `tracewright gen`

use std::cell::Cell;
use std::time::Instant;

use serde_json::Value as Json;

use super::args::{EngineName, GenArgs};
use super::deliver::{self, Found, deliver};
use super::limits::{Bar, limits};
use super::load::{Loaded, load};
use super::outcome::{Failure, Outcome};
use super::report;
use super::test_code::{self, Wanted};
use crate::api::prepare;
use crate::diagnostic::{Rejected, each_once};
use crate::emit::{
    Drawing, Drawn, Form, Generated, Made, MadeFor, ModelGraph, generated_charts, generated_files, generated_forms,
    generated_graphs, generated_json, generated_report, generated_text,
};
use crate::history::Purpose;
use crate::model::{self, DeclaredPurpose, Problem};
use crate::search::Limits;
use crate::solve::{Solver, Z3};
use crate::syntax::tree::{ModelUse, PurposeKind};
use crate::syntax::{self, FileId, Sources, Span};
use crate::synth::{
    Answer, Answered, Asked, Disagreement, Engine, NotAsked, Options, Safety, Verdict, Wish, answer, safety,
    script_of_case, with_data,
};

pub fn run(args: &GenArgs) -> Result<Outcome, Failure> {
    let mut loaded = load(&args.model.model)?;
    let tests = Wanted::of(&args.search)?;
    let wanted = wanted(args, &mut loaded)?;
    let limits = limits(&args.search.limits, args.depth, None)?;
    let mut results = vec![];
    // Everything is checked before anything is searched for: bad input gives no half answers.
    let mut prepared = vec![];
    let mut errors = vec![];
    for purpose in &wanted {
        match prepare(&loaded, purpose) {
            Ok(ready) => prepared.push(ready),
            Err(NotAsked::Rejected(Rejected(more))) => errors.extend(more),
            Err(NotAsked::Limit(message)) => return Err(Failure::Limit(message)),
        }
    }
    for Asked { purpose, .. } in &prepared {
        if purpose.is_property && purpose.property.is_none() {
            errors.push(Problem::NoTests { name: purpose.name.clone() }.at(purpose.span));
        }
        if !purpose.is_property
            && args.all
            && args.max.is_none()
            && args.depth.is_none()
            && purpose.lengths().high.is_none()
        {
            errors.push(Problem::UnboundedAll { purpose: purpose.name.clone() }.at(purpose.span));
        }
    }
    if !errors.is_empty() {
        each_once(&mut errors);
        return Err(Failure::rejected(Rejected(errors), loaded.sources));
    }
    deliver::prepare(&args.search, &loaded.sources)?;
    tests.check_models(prepared.iter().map(|asked| asked.system.name.as_str()).collect(), args.search.out.as_ref())?;
    let mut made = Made { command: report::command(), ..Made::default() };
    let started = Instant::now();
    let mut bar = Bar::new(&limits);
    let of = prepared.len();
    for (number, asked) in prepared.into_iter().enumerate() {
        bar.about(&asked.purpose.name, number + 1, of);
        let began = Instant::now();
        match answered(args, &asked, limits, &mut bar) {
            Ok((purpose, answered)) => {
                let result = Generated { system: asked.system, purpose, answered };
                let is_wished = outcome(&result) == Outcome::Wished;
                made.each.push(MadeFor { took: began.elapsed(), is_wished });
                results.push(result);
            }
            Err(error) => {
                bar.clear();
                return Err(Failure::disagreement(&error));
            }
        }
    }
    bar.clear();
    made.took = started.elapsed();
    let seed = args.search.seed;
    let found =
        Results { results: &results, seed, limits, sources: &loaded.sources, made: &made, is_cut: Cell::new(false) };
    deliver(&found, &args.search, args.common.json, &tests, &loaded.sources)?;
    let of_tests = if found.is_cut.get() { Outcome::Unknown } else { Outcome::Wished };
    Ok(Outcome::of_all(results.iter().map(outcome).chain([of_tests])))
}

/// All answers, for whoever wants them in some form.
struct Results<'a> {
    results: &'a [Generated],
    seed: u64,
    /// Also for the scripts of tests.
    limits: Limits,
    sources: &'a Sources,
    made: &'a Made,
    /// Whether limits left tests less strict than they could be.
    is_cut: Cell<bool>,
}

impl Found for Results<'_> {
    fn text(&self) -> String {
        generated_text(self.results, self.sources)
    }

    fn json(&self) -> Json {
        generated_json(self.results, self.seed, self.sources)
    }

    fn charts(&self) -> Vec<Drawn> {
        generated_charts(self.results, self.sources)
    }

    fn graphs(&self) -> Vec<ModelGraph> {
        generated_graphs(self.results)
    }

    fn files(&self, drawings: &[Drawing]) -> (Vec<(String, String)>, Json) {
        generated_files(self.results, self.seed, self.sources, drawings)
    }

    fn forms(&self) -> Result<Vec<Form>, Failure> {
        let mut scripts = vec![];
        for Generated { system, purpose, answered } in self.results {
            let lists = system.lists();
            let of_case = |case| script_of_case(system, &lists, purpose, case, &self.limits);
            let all: Result<Vec<_>, _> = answered.cases.iter().map(of_case).collect();
            scripts.push(all.map_err(|limit| Failure::Limit(limit.to_string()))?);
        }
        self.is_cut.set(test_code::say_what_is_cut(scripts.iter().flatten()));
        Ok(generated_forms(self.results, &scripts, self.seed, self.sources))
    }

    fn report(&self) -> String {
        generated_report(self.results, self.seed, self.sources, self.made)
    }
}

impl From<EngineName> for Engine {
    fn from(name: EngineName) -> Engine {
        match name {
            EngineName::Auto => Engine::Auto,
            EngineName::Symbolic => Engine::Symbolic,
            EngineName::Explicit => Engine::Explicit,
            EngineName::Unrolled => Engine::Unrolled,
            EngineName::Induction => Engine::Induction,
        }
    }
}

/// The answer to a purpose; for a property, with the classes of its tests.
fn answered(args: &GenArgs, asked: &Asked, limits: Limits, bar: &mut Bar) -> Result<(Purpose, Answered), Disagreement> {
    let seed = args.search.seed;
    let engine = args.engine.into();
    let solver = move || -> Box<dyn Solver> { Box::new(Z3::new(seed)) };
    let threads = super::threads(args.search.threads);
    let recheck = (&args.search.recheck).into();
    let GenArgs { all, max, .. } = *args;
    let options = Options { all, max, seed, engine, limits, threads, recheck, ..Options::new(&solver) };
    let wish = Wish { data: args.data, negative: args.negative };
    if let Some(property) = &asked.purpose.property {
        return safety(asked, property, wish, &options, bar);
    }
    let answered = answer(&asked.system, &asked.lists, &asked.purpose, &options, bar)?;
    Ok((asked.purpose.clone(), with_data(answered, asked, wish, &options)?))
}

fn outcome(result: &Generated) -> Outcome {
    if matches!(&result.answered.safety, Some(Safety { verdict: Verdict::Broken, .. })) {
        return Outcome::Negative;
    }
    match (result.answered.answer, result.purpose.expects_impossible) {
        (Answer::Unknown, _) => Outcome::Unknown,
        (Answer::Impossible, expected) => {
            if expected {
                Outcome::Wished
            } else {
                Outcome::Negative
            }
        }
        (Answer::NotFound, _) => Outcome::Negative,
        (Answer::Found, true) => Outcome::Negative,
        // What was found is not all that was asked for.
        (Answer::Found, false) if !result.answered.is_complete => Outcome::Unknown,
        (Answer::Found, false) => Outcome::Wished,
    }
}

/// The purposes that are asked for, each with its arguments.
fn wanted(args: &GenArgs, loaded: &mut Loaded) -> Result<Vec<ModelUse>, Failure> {
    let mut wanted = named(&args.purposes, "--purpose", loaded)?;
    if args.purposes.is_empty() {
        let model = loaded.reference().map(|reference| reference.name.name.clone());
        let fits = |p: &&DeclaredPurpose| {
            p.tree.kind == PurposeKind::Purpose
                && model::needs_no_argument(&p.params)
                && model.as_ref().is_none_or(|name| p.tree.model.name.name == *name)
        };
        for purpose in loaded.checked.purposes.iter().filter(fits) {
            wanted.push(ModelUse { name: purpose.tree.name.clone(), args: vec![], span: purpose.tree.name.span });
        }
        if wanted.is_empty() {
            let is_purpose = |p: &DeclaredPurpose| p.tree.kind == PurposeKind::Purpose;
            let what = match (loaded.checked.purposes.is_empty(), loaded.checked.purposes.iter().any(is_purpose)) {
                (true, _) => "there is no purpose in this file".to_owned(),
                (false, false) => "there are only properties and items here; ask for one with -p NAME".to_owned(),
                (false, true) => "every purpose here needs arguments, or is for another model".to_owned(),
            };
            let problem = Problem::NoPurpose { what }.at(Span::new(FileId(0), 0, 0));
            return Err(Failure::rejected(Rejected(vec![problem]), std::mem::take(&mut loaded.sources)));
        }
    }
    Ok(wanted)
}

/// Purposes as they were given, each with its arguments.
pub(super) fn named(given: &[String], flag: &str, loaded: &mut Loaded) -> Result<Vec<ModelUse>, Failure> {
    let mut named = vec![];
    for text in given {
        let id = loaded.sources.add_fragment(flag, text);
        match syntax::parse_model_reference(id, text) {
            Ok(purpose) => named.push(purpose),
            Err(errors) => return Err(Failure::rejected(Rejected(errors), std::mem::take(&mut loaded.sources))),
        }
    }
    Ok(named)
}
