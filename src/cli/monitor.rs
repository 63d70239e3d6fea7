//! `tracewright monitor`

use std::fs::File;
use std::io::{BufRead, BufReader};

use super::args::{MonitorArgs, ResultFormat};
use super::generate::named;
use super::load::{Loaded, TraceFile, load};
use super::outcome::{Failure, Outcome};
use super::{print, shown, wanted};
use crate::api::meant;
use crate::diagnostic::{Rejected, each_once};
use crate::emit::{Judgement, Status, judged_lines, junit, model_lines, monitored_json, monitored_text};
use crate::kernel::{BadLog, BadMapping, Entry, Lists, LogEvent, LogNames, LogReader, Mapping, StepSystem};
use crate::model::{self, AskedBy, DeclaredPurpose, Problem};
use crate::monitor::{Judged, Monitored, Monitoring, Options, Verdict};
use crate::syntax::tree::{ModelUse, PurposeKind};
use crate::syntax::{Sources, Span};
use crate::synth::{Asked, NotAsked};

/// Bytes that are read at once.
const BUFFER: usize = 1 << 18;

pub fn run(args: &MonitorArgs) -> Result<Outcome, Failure> {
    let (system, lists, asked, loaded) = prepared(args)?;
    let (given, loaded) = loaded.given(&args.values, &system)?;
    if asked.is_empty() && args.no_model {
        return Err(Failure::Usage("there is no purpose here to judge the log by, and no model is asked".to_owned()));
    }
    let options =
        Options { is_informative: args.informative, max_open: args.max_open, model: (!args.no_model).then_some(given) };
    let monitored = monitored(args, &system, &lists, &asked, &options)?;
    let definitions = &lists.names.definitions;
    let of_model = match (monitored.accepted, &monitored.reason) {
        (Some(false), _) => Outcome::Negative,
        (None, Some(_)) => Outcome::Unknown,
        _ => Outcome::Wished,
    };
    let report = || {
        let mut judgements = vec![];
        if !args.no_model {
            let lines = model_lines(&args.log, &monitored, &system, &loaded.sources);
            judgements.push(Judgement::printed(&args.log, of_model.status(), &lines));
        }
        judgements.extend(monitored.purposes.iter().map(|judged| {
            let status = if judged.verdict == Verdict::Open { Status::Open } else { outcome(judged).status() };
            Judgement::printed(&judged.name, status, &judged_lines(judged, definitions))
        }));
        junit("monitor", &system.name, &judgements)
    };
    for format in wanted(&args.common, &args.format) {
        print(&match format {
            ResultFormat::Text => shown(&monitored_text(&args.log, &monitored, &system, definitions, &loaded.sources)),
            ResultFormat::Json => {
                format!("{}\n", monitored_json(&monitored, &system, definitions, &loaded.sources))
            }
            ResultFormat::Junit => report(),
        })?;
    }
    Ok(Outcome::of_all(monitored.purposes.iter().map(outcome).chain([of_model])))
}

fn outcome(judged: &Judged) -> Outcome {
    match (judged.verdict, judged.expects_impossible) {
        (Verdict::Unknown, _) => Outcome::Unknown,
        (Verdict::Holds, true) | (Verdict::Fails, false) => Outcome::Negative,
        _ => Outcome::Wished,
    }
}

/// Reads the log and judges it.
fn monitored(
    args: &MonitorArgs,
    system: &StepSystem,
    lists: &Lists,
    asked: &[Asked],
    options: &Options,
) -> Result<Monitored, Failure> {
    let path = &args.log;
    let io = |e: std::io::Error| Failure::Io { path: path.clone(), reason: e.to_string() };
    let names = LogNames::new(system);
    let mapping = match &args.map {
        None => None,
        Some(map) => {
            let file = TraceFile::read(map)?;
            let mapping = Mapping::from_json(&file.json, &names);
            Some(mapping.map_err(|BadMapping(reason)| bad_log(map, 1, "", 0, reason))?)
        }
    };
    let input: Box<dyn BufRead> = match path.as_str() {
        "-" => Box::new(std::io::stdin().lock()),
        _ => Box::new(BufReader::with_capacity(BUFFER, File::open(path).map_err(io)?)),
    };
    let mut reader = match mapping {
        Some(mapping) => LogReader::table(&names, input, mapping),
        None => LogReader::json(&names, input),
    };
    let mut monitoring = Monitoring::new(system, lists, asked, options);
    let mut event = LogEvent::default();
    let mut is_stopped = false;
    loop {
        match reader.next(&mut event) {
            Ok(None) => break,
            Ok(Some(Entry::Event)) => monitoring.event(&event, reader.line()),
            Ok(Some(Entry::Initial(initial))) => monitoring.begin(&initial),
            Ok(Some(Entry::Stop)) => {
                monitoring.stop(reader.line());
                is_stopped = true;
            }
            Err(BadLog::Io(reason)) => return Err(Failure::Io { path: path.clone(), reason }),
            Err(BadLog::Line { line, text, at, reason }) => return Err(bad_log(path, line, &text, at, reason)),
        }
    }
    if args.stop && !is_stopped {
        monitoring.stop(reader.line());
    }
    Ok(monitoring.finish())
}

/// A line that has no meaning.
fn bad_log(path: &str, line: usize, text: &str, at: usize, reason: String) -> Failure {
    let mut sources = Sources::default();
    let before = "\n".repeat(line.saturating_sub(1));
    let id = sources.add_fragment(path, &format!("{before}{text}"));
    let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let at = before.len() + at;
    Failure::rejected(Rejected(vec![Problem::BadLog { reason }.at(Span::new(id, at, at))]), sources)
}

/// The model, and the purposes for it that are asked for.
fn prepared(args: &MonitorArgs) -> Result<(StepSystem, Lists, Vec<Asked>, Loaded), Failure> {
    let mut loaded = load(&args.model.model)?;
    let mut wanted = named(&args.purposes, "--purpose", &mut loaded)?;
    if args.purposes.is_empty() {
        wanted = all(&loaded);
    }
    let (mut prepared, mut errors): (Vec<Asked>, _) = (vec![], vec![]);
    for purpose in &wanted {
        let asked = meant(&loaded, purpose).map_err(NotAsked::from).and_then(|declared| {
            let args = (&purpose.args[..], purpose.span);
            Asked::by(AskedBy::Log, &loaded.checked, declared, args, loaded.reference())
        });
        match asked {
            Ok(asked) => prepared.push(asked),
            Err(NotAsked::Rejected(Rejected(more))) => errors.extend(more),
            Err(NotAsked::Limit(message)) => return Err(Failure::Limit(message)),
        }
    }
    if !errors.is_empty() {
        each_once(&mut errors);
        return Err(Failure::rejected(Rejected(errors), loaded.sources));
    }
    if !loaded.names_model() {
        let mut models: Vec<&str> = wanted.iter().filter_map(|one| written_for(&loaded, one)).collect();
        models.sort_unstable();
        models.dedup();
        if models.len() > 1 {
            let message =
                format!("the purposes are for several models: {}; say which with FILE#Name", models.join(", "));
            return Err(Failure::Usage(message));
        }
    }
    match prepared.first() {
        Some(first) => Ok((first.system.clone(), first.lists.clone(), prepared, loaded)),
        None => {
            let (system, loaded) = loaded.system()?;
            let lists = system.lists();
            Ok((system, lists, vec![], loaded))
        }
    }
}

/// The model of a purpose, as written.
fn written_for<'l>(loaded: &'l Loaded, purpose: &ModelUse) -> Option<&'l str> {
    let declared = loaded.checked.purposes.iter().find(|p| p.tree.name.name == purpose.name.name)?;
    Some(loaded.sources.text(declared.tree.model.span))
}

/// Purposes and properties that need no argument, of the model that is meant.
fn all(loaded: &Loaded) -> Vec<ModelUse> {
    let model = match loaded.reference() {
        Some(reference) => Some(reference.name.name.clone()),
        // Where several models could be meant, the purposes may still all be for one.
        None => model::assemble(&loaded.checked, None, Span::default()).ok().map(|assembled| assembled.name),
    };
    let fits = |p: &&DeclaredPurpose| {
        p.tree.kind != PurposeKind::Items
            && model::needs_no_argument(&p.params)
            && model.as_ref().is_none_or(|name| p.tree.model.name.name == *name)
    };
    let one = |p: &DeclaredPurpose| ModelUse { name: p.tree.name.clone(), args: vec![], span: p.tree.name.span };
    loaded.checked.purposes.iter().filter(fits).map(one).collect()
}
