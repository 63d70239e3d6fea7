//! `tracewright check --property`

use super::args::CheckArgs;
use super::generate::named;
use super::limits::{Bar, limits};
use super::load::{Loaded, load};
use super::outcome::{Failure, Outcome};
use super::{print, shown};
use crate::api::prepare;
use crate::confirm::Recheck;
use crate::diagnostic::{Rejected, each_once};
use crate::emit::{Decided, decided_json, decided_text};
use crate::model::Problem;
use crate::search::Limits;
use crate::solve::{Solver, Z3};
use crate::synth::{Engine, NotAsked, Options, Verdict, property};

pub fn run(args: &CheckArgs) -> Result<Outcome, Failure> {
    let loaded = load(&args.model.model)?;
    let limits = limits(&args.limits, None, None)?;
    let how = Deciding { limits, seed: args.seed, engine: args.engine.into(), recheck: (&args.recheck).into() };
    let (results, loaded) = decide(loaded, &args.properties, how)?;
    match args.common.json {
        true => print(&format!("{}\n", decided_json(&results, args.seed, &loaded.sources)))?,
        false => print(&shown(&decided_text(&results, &loaded.sources)))?,
    }
    Ok(outcome(&results))
}

/// The exit code of several verdicts.
pub(super) fn outcome(results: &[Decided]) -> Outcome {
    Outcome::of_all(results.iter().map(|result| match result.verdict {
        Verdict::Holds(_) => Outcome::Wished,
        Verdict::Broken => Outcome::Negative,
        Verdict::Unknown(_) => Outcome::Unknown,
    }))
}

/// How verdicts are looked for.
pub(super) struct Deciding {
    pub limits: Limits,
    pub seed: u64,
    pub engine: Engine,
    pub recheck: Recheck,
}

/// Decides the properties with these names.
pub(super) fn decide(
    mut loaded: Loaded,
    names: &[String],
    Deciding { limits, seed, engine, recheck }: Deciding,
) -> Result<(Vec<Decided>, Loaded), Failure> {
    let wanted = named(names, "--property", &mut loaded)?;
    let (mut prepared, mut errors) = (vec![], vec![]);
    for name in &wanted {
        match prepare(&loaded, name) {
            Ok(asked) if asked.purpose.is_property => prepared.push(asked),
            Ok(asked) => errors.push(Problem::NotAProperty { name: asked.purpose.name }.at(name.span)),
            Err(NotAsked::Rejected(Rejected(more))) => errors.extend(more),
            Err(NotAsked::Limit(message)) => return Err(Failure::Limit(message)),
        }
    }
    if !errors.is_empty() {
        each_once(&mut errors);
        return Err(Failure::rejected(Rejected(errors), loaded.sources));
    }
    let solver = move || -> Box<dyn Solver> { Box::new(Z3::new(seed)) };
    let options = Options { seed, engine, limits, threads: super::threads(None), recheck, ..Options::new(&solver) };
    let mut bar = Bar::new(&limits);
    let mut results = vec![];
    let of = prepared.len();
    for (number, asked) in prepared.into_iter().enumerate() {
        bar.about(&asked.purpose.name, number + 1, of);
        match property(&asked, &options, &mut bar) {
            Ok((verdict, case)) => results.push(Decided { asked, verdict, case }),
            Err(error) => {
                bar.clear();
                return Err(Failure::disagreement(&error));
            }
        }
    }
    bar.clear();
    Ok((results, loaded))
}
