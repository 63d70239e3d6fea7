//! `tracewright check --property`

use super::args::CheckArgs;
use super::generate::{named, prepare};
use super::limits::{Bar, limits};
use super::load::load;
use super::outcome::{Failure, Outcome};
use super::print;
use crate::diagnostic::{Rejected, each_once};
use crate::emit::{Decided, decided_json, decided_text};
use crate::model::Problem;
use crate::solve::{Solver, Z3};
use crate::synth::{NotAsked, Options, Verdict, property};

pub fn run(args: &CheckArgs) -> Result<Outcome, Failure> {
    let mut loaded = load(&args.model.model)?;
    let wanted = named(&args.properties, "--property", &mut loaded)?;
    let limits = limits(&args.limits, None, None)?;
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
    let seed = args.seed;
    let solver = move || -> Box<dyn Solver> { Box::new(Z3::new(seed)) };
    let engine = args.engine.into();
    let options = Options { seed, engine, limits, threads: super::threads(None), ..Options::new(&solver) };
    let mut bar = Bar::new(&limits);
    let mut results = vec![];
    for asked in prepared {
        match property(&asked, &options, &mut bar) {
            Ok((verdict, case)) => results.push(Decided { asked, verdict, case }),
            Err(error) => {
                bar.clear();
                return Err(Failure::Internal(error.to_string()));
            }
        }
    }
    bar.clear();
    match args.common.json {
        true => print(&format!("{}\n", decided_json(&results, seed, &loaded.sources)))?,
        false => print(&decided_text(&results, &loaded.sources))?,
    }
    Ok(Outcome::of_all(results.iter().map(|result| match result.verdict {
        Verdict::Holds(_) => Outcome::Wished,
        Verdict::Broken => Outcome::Negative,
        Verdict::Unknown(_) => Outcome::Unknown,
    })))
}
