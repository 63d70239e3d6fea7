//! `tracewright keep`

use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde_json::{Value as Json, json};

use super::args::KeepArgs;
use super::kept::Questions;
use super::limits::{Bar, limits};
use super::load::{Loaded, TraceFile, load};
use super::outcome::{Failure, Outcome};
use super::write::add_all;
use super::{counted, print, shown};
use crate::emit::{broken_text, judged_json, kept_json, kept_stem, shrunk_text};
use crate::kernel::{Event, StepSystem};
use crate::solve::{Solver, Z3};
use crate::synth::{
    About, ForClass, Judged, Kept, Listed, NoQuestion, NotShrunk, Options, Shortest, judge, listed, shrink,
};

/// A sequence that was read.
struct Given {
    /// Where it was found, for people.
    from: String,
    file: usize,
    kept: Kept,
}

/// A sequence that is to be kept.
struct Ready {
    from: String,
    about: About,
    json: Json,
    length: usize,
    /// Its length before it was shrunk, and whether a shorter one exists.
    shrunk: Option<(usize, Shortest)>,
    /// Why it was not, though that was asked for.
    not_shrunk: Option<&'static str>,
}

pub fn run(args: &KeepArgs) -> Result<Outcome, Failure> {
    let (path, reference) = match args.model.model.split_once('#') {
        Some((path, reference)) => (path, Some(reference)),
        None => (args.model.model.as_str(), None),
    };
    let mut questions = Questions::new(load(&args.model.model)?);
    let (files, mut sequences) = read_all(args)?;
    let is_plain = |one: &Given| one.kept.about == About::Run;
    if args.purpose.is_some() && !sequences.iter().any(is_plain) {
        let message = "-p is for traces that do not say what they are for; all of these do".to_owned();
        return Err(Failure::Usage(message));
    }
    for Given { kept, .. } in &mut sequences {
        if let (About::Run, Some(purpose)) = (&kept.about, &args.purpose) {
            kept.about = About::Purpose { name: purpose.clone(), class: None };
        }
        if let Some(reference) = reference {
            kept.model = Some(Kept::written_model(reference, &kept.about, &questions.loaded.checked));
        }
    }
    // Bad input is said before anything is searched for.
    let mut asked = vec![];
    for Given { file, kept, .. } in &mut sequences {
        asked.push(checked(&mut questions, kept, &files[*file])?);
    }
    let limits = limits(&args.limits, None, None)?;
    let seed = args.seed;
    let solver = move || -> Box<dyn Solver> { Box::new(Z3::new(seed)) };
    let options = Options { seed, limits, threads: super::threads(None), ..Options::new(&solver) };
    let mut bar = Bar::new(&limits);
    let (mut ready, mut outcomes, mut text, mut judgements) = (vec![], vec![], String::new(), vec![]);
    let of = sequences.len();
    for (number, (Given { from, mut kept, .. }, asked)) in sequences.into_iter().zip(&asked).enumerate() {
        bar.about(&from, number + 1, of);
        let judged = judge(&kept, asked, &options, &mut bar).map_err(|error| Failure::disagreement(&error))?;
        match kept_or_why(&mut kept, &judged, asked, &from, &questions) {
            Ok(()) => ready.push(made_ready(args.shrink, from, kept, judged, asked, &options, &mut bar)?),
            Err((outcome, line)) => {
                let mut json = json!({ "trace": from, "purpose": kept.about.text(), "meets": judged.meets });
                if let (Json::Object(json), Some((_, first))) = (&mut json, asked.first()) {
                    json.extend(judged_json(&judged, &kept, &first.system, &questions.loaded.sources));
                }
                outcomes.push(outcome);
                text.push_str(&line);
                judgements.push(json);
            }
        }
    }
    bar.clear();
    if !outcomes.is_empty() {
        let json = || format!("{}\n", json!({ "kept": [], "traces": judgements }));
        print(&if args.common.json { json() } else { shown(&text) })?;
        return Ok(Outcome::of_all(outcomes));
    }
    let folder = args.out.as_ref().map_or_else(|| beside(path), PathBuf::from);
    let (new, names) = named(&folder, &ready)?;
    add_all(&folder, &new)?;
    report(args, &folder, &ready, &names)
}

/// The folder for a model: `lamp.kept` for `lamp.tw`.
fn beside(model: &str) -> PathBuf {
    PathBuf::from(format!("{}.kept", model.strip_suffix(".tw").unwrap_or(model)))
}

/// Reads all files, and those that they list.
fn read_all(args: &KeepArgs) -> Result<(Vec<TraceFile>, Vec<Given>), Failure> {
    let (mut files, mut sequences) = (vec![], vec![]);
    for path in &args.traces {
        let file = TraceFile::read(path)?;
        let mut found = vec![];
        for one in listed(&file.json).map_err(|reason| file.without_meaning(reason))? {
            match one {
                Listed::Sequence(kept) => found.push((None, kept)),
                Listed::File(name) => {
                    let path = Path::new(path).parent().unwrap_or(Path::new("")).join(name);
                    let file = TraceFile::read(&path.display().to_string())?;
                    match listed(&file.json).map_err(|reason| file.without_meaning(reason))?.pop() {
                        Some(Listed::Sequence(kept)) => found.push((Some(file), kept)),
                        _ => return Err(file.without_meaning("there is no sequence in this file".to_owned())),
                    }
                }
            }
        }
        if found.is_empty() {
            return Err(file.without_meaning("there is no sequence in this file".to_owned()));
        }
        let own = files.len();
        files.push(file);
        let is_only = found.len() == 1;
        for (number, (other, kept)) in found.into_iter().enumerate() {
            let from = match &other {
                Some(file) => file.path.clone(),
                None if is_only => path.clone(),
                None => format!("{path}, sequence {}", number + 1),
            };
            let file = if other.is_some() { files.len() } else { own };
            files.extend(other);
            sequences.push(Given { from, file, kept: *kept });
        }
    }
    Ok((files, sequences))
}

/// What a sequence asks for; it has a meaning for the model.
fn checked(questions: &mut Questions, kept: &mut Kept, file: &TraceFile) -> Result<Rc<Vec<ForClass>>, Failure> {
    let Loaded { checked, sources, .. } = &mut questions.loaded;
    let asked = match kept.leave_out_symbolic(checked, sources).and_then(|()| questions.of(kept)) {
        Ok(asked) => asked,
        Err(NoQuestion::Gone(reason)) => return Err(file.without_meaning(reason)),
        Err(NoQuestion::Limit(message)) => return Err(Failure::Limit(message)),
        Err(NoQuestion::Rejected(rejected)) => {
            return Err(Failure::rejected(rejected, std::mem::take(&mut questions.loaded.sources)));
        }
    };
    if let Some((_, first)) = asked.first() {
        let trace = file.trace_in(&kept.trace, &first.system)?;
        if let Some(number) = trace.steps.iter().position(|step| step.event == Some(Event::Delta)) {
            return Err(file.without_meaning(format!("steps[{number}]: `delta` is no step of a sequence")));
        }
    }
    Ok(asked)
}

/// Whether a sequence is what it says it is; otherwise why not.
fn kept_or_why(
    kept: &mut Kept,
    judged: &Judged,
    asked: &[ForClass],
    from: &str,
    questions: &Questions,
) -> Result<(), (Outcome, String)> {
    if let Some(reason) = &judged.unknown {
        return Err((Outcome::Unknown, format!("{from}: unknown: {reason}\n")));
    }
    if let (Some(broken), Some((_, first))) = (&judged.broken, asked.first()) {
        let (at, lines) = broken_text(broken, kept, &first.system, &questions.loaded.sources);
        return Err((Outcome::Negative, format!("{from}: not kept: it is wrong{at}\n{lines}")));
    }
    // What meets its purpose after all is no negative test.
    kept.meets |= judged.meets == Some(true);
    if let (About::Purpose { class, .. }, true) = (&mut kept.about, judged.class.is_some()) {
        class.clone_from(&judged.class);
    }
    Ok(())
}

fn made_ready(
    shrinks: bool,
    from: String,
    kept: Kept,
    judged: Judged,
    asked: &[ForClass],
    options: &Options<'_>,
    bar: &mut Bar,
) -> Result<Ready, Failure> {
    let own = asked.iter().find(|(class, _)| *class == judged.class).or(asked.first());
    let (Some(mut run), Some((_, question))) = (judged.run, own) else {
        return Err(Failure::internal("a sequence that was judged has no run"));
    };
    let system: &StepSystem = &question.system;
    let before = run.steps.len();
    let mut shrunk = None;
    let not_shrunk = match &kept.about {
        _ if !shrinks => None,
        _ if question.purpose.is_property => Some("a test of a property"),
        _ if kept.refused.is_some() || !kept.meets => Some("a negative test"),
        About::Run => Some("it has no purpose"),
        _ => {
            match shrink(question, &run, options, bar) {
                Ok(done) => {
                    run = done.run;
                    shrunk = Some((before, done.shortest));
                }
                Err(NotShrunk::Unknown(reason)) => shrunk = Some((before, Shortest::Unknown(reason))),
                Err(NotShrunk::Disagreement(error)) => return Err(Failure::disagreement(&error)),
                Err(NotShrunk::NotMet) => return Err(Failure::internal("a sequence that was judged is not met")),
            }
            None
        }
    };
    let model = kept.model.clone().unwrap_or_else(|| system.name.clone());
    let json = kept_json(&kept, &model, &run, system);
    if shrunk.is_some() {
        // What is written is judged as it will be read.
        let written = Kept { trace: json.clone(), ..kept.clone() };
        let again = judge(&written, asked, options, bar).map_err(|error| Failure::disagreement(&error))?;
        if let Some(broken) = again.broken {
            return Err(Failure::internal(format!("a sequence is wrong after it was shrunk: {broken:?}")));
        }
    }
    Ok(Ready { from, about: kept.about, json, length: run.steps.len(), shrunk, not_shrunk })
}

/// Names of new files, never one that is taken, with what they hold; and for each sequence the name of its file, and
/// whether it was there already.
type Named = (Vec<(String, String)>, Vec<(String, bool)>);

fn named(folder: &Path, ready: &[Ready]) -> Result<Named, Failure> {
    let mut known: Vec<(String, Option<Json>)> = vec![];
    if folder.exists() {
        let io = |e: std::io::Error| Failure::Io { path: folder.display().to_string(), reason: e.to_string() };
        for entry in fs::read_dir(folder).map_err(io)? {
            let entry = entry.map_err(io)?;
            let json = fs::read_to_string(entry.path()).ok().and_then(|text| serde_json::from_str(&text).ok());
            known.push((entry.file_name().to_string_lossy().into_owned(), json));
        }
    }
    known.sort_by(|a, b| a.0.cmp(&b.0));
    let (mut new, mut names) = (vec![], vec![]);
    for one in ready {
        if let Some((name, _)) = known.iter().find(|(_, json)| json.as_ref() == Some(&one.json)) {
            names.push((name.clone(), true));
            continue;
        }
        let stem = kept_stem(&one.about);
        let mut number = 1;
        // Where case does not count, neither does it here.
        let is_taken = |name: &str| known.iter().any(|(other, _)| other.to_lowercase() == name.to_lowercase());
        while is_taken(&format!("{stem}-{number}.json")) {
            number += 1;
        }
        let name = format!("{stem}-{number}.json");
        new.push((name.clone(), format!("{:#}\n", one.json)));
        known.push((name.clone(), Some(one.json.clone())));
        names.push((name, false));
    }
    Ok((new, names))
}

fn report(args: &KeepArgs, folder: &Path, ready: &[Ready], names: &[(String, bool)]) -> Result<Outcome, Failure> {
    let (mut text, mut kept) = (String::new(), vec![]);
    for (one, (name, is_known)) in ready.iter().zip(names) {
        let file = folder.join(name).display().to_string();
        let mut line = match &one.shrunk {
            Some((before, shortest)) => shrunk_text(*before, one.length, shortest),
            None => counted(one.length, "step"),
        };
        if let Some(why) = one.not_shrunk {
            line.push_str(&format!(", not shrunk: {why}"));
        }
        let already = if *is_known { "kept already, " } else { "" };
        text.push_str(&format!("{file}: {already}{line}\n"));
        kept.push(json!({
            "file": file,
            "trace": one.from,
            "purpose": one.about.text(),
            "length": one.length,
            "length_before": one.shrunk.as_ref().map_or(one.length, |(before, _)| *before),
            "shortest": one.shrunk.as_ref().map(|(_, shortest)| matches!(shortest, Shortest::Proved(_))),
            "new": !is_known,
        }));
    }
    let json = || format!("{}\n", json!({ "folder": folder.display().to_string(), "kept": kept }));
    print(&if args.common.json { json() } else { shown(&text) })?;
    Ok(Outcome::Wished)
}
