//! `tracewright cover`

use std::path::Path;

use super::args::{CoverArgs, Format};
use super::limits::{Bar, limits};
use super::load::load;
use super::outcome::{Failure, Outcome};
use super::print;
use super::write::write_all;
use crate::diagnostic::Rejected;
use crate::emit::{CoveredSuite, suite_files, suite_json, suite_mermaid, suite_text};
use crate::model::Checked;
use crate::solve::{Solver, Z3};
use crate::syntax::tree::{Arg, ExprKind, ModelUse};
use crate::syntax::{self, FileId, Span};
use crate::synth::{Asked, CoverOptions, NotAsked, NotAttained, Status, cover, with_symbolic_states};

/// The criterion of symbolic states up to a length.
const SYMBOLIC_STATES: &str = "symbolic_states";

pub fn run(args: &CoverArgs) -> Result<Outcome, Failure> {
    let mut loaded = load(&args.model.model)?;
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
    let symbolic = symbolic_states(&mut wanted, &loaded.checked)?;
    let limits = limits(&args.limits, args.depth, None)?;
    let start = Span::new(FileId(0), 0, 0);
    let asked = match Asked::covering(&loaded.checked, &wanted, loaded.reference(), start) {
        Ok(asked) => asked,
        Err(NotAsked::Rejected(rejected)) => return Err(Failure::rejected(rejected, loaded.sources)),
        Err(NotAsked::Limit(message)) => return Err(Failure::Limit(message)),
    };
    let seed = args.seed;
    let solver = move || -> Box<dyn Solver> { Box::new(Z3::new(seed)) };
    let options = CoverOptions {
        minimise: args.minimise.into(),
        seed,
        engine: args.engine.into(),
        limits,
        solver: &solver,
        threads: super::threads(args.threads),
    };
    let mut bar = Bar::new(&limits);
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
    if let Some(directory) = &args.out {
        let (files, manifest) = suite_files(&covered);
        write_all(Path::new(directory), files, &manifest)?;
    }
    let formats = if args.format.is_empty() { vec![Format::Text] } else { args.format.clone() };
    let json = || format!("{}\n", suite_json(&covered));
    if args.common.json {
        print(&json())?;
    } else {
        for format in formats {
            print(&match format {
                Format::Text => suite_text(&covered),
                Format::Json => json(),
                Format::Mermaid => suite_mermaid(&covered),
            })?;
        }
    }
    Ok(Outcome::of_all(suite.items.iter().map(|status| match status {
        // What cannot be covered is no part of what was asked for.
        Status::Covered | Status::Impossible(_) => Outcome::Wished,
        Status::NotFound(_) => Outcome::Negative,
        Status::Unknown(_) => Outcome::Unknown,
    })))
}

/// Takes `symbolic_states(n)` out of what is wanted: these are no constraints on lists. The greatest length, if there are any.
fn symbolic_states(wanted: &mut Vec<ModelUse>, checked: &Checked) -> Result<Option<usize>, Failure> {
    let is_declared = checked.purposes.iter().any(|purpose| purpose.tree.name.name == SYMBOLIC_STATES);
    let mut most = None;
    let mut is_wrong = false;
    wanted.retain(|one| {
        if one.name.name != SYMBOLIC_STATES || is_declared {
            return true;
        }
        match length_in(&one.args) {
            Some(length) => most = most.max(Some(length)),
            None => is_wrong = true,
        }
        false
    });
    match is_wrong {
        true => Err(Failure::Usage(format!(
            "--of {SYMBOLIC_STATES} takes one number, the length of the sequences that lead there: `{SYMBOLIC_STATES}(3)`"
        ))),
        false => Ok(most),
    }
}

/// The only argument, if it is a number.
fn length_in(args: &[Arg]) -> Option<usize> {
    match args {
        [Arg { name: None, value }] => match &value.kind {
            ExprKind::Int(number) => num_traits::ToPrimitive::to_usize(number),
            _ => None,
        },
        _ => None,
    }
}
