//! What `gen` and `cover` found, delivered: all files together first, then what is printed.
//!
//! What cannot be written is no reason to keep the answer back: it is printed, and the command fails.

use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use super::args::{Format, SearchArgs};
use super::outcome::Failure;
use super::test_code::Wanted;
use super::write::{self, NewFile};
use super::{document, drawings, print, shown};
use crate::emit::{Drawing, Drawn, Form, ModelGraph, file_stem, model_dot};
use crate::syntax::Sources;

/// What was found, in every form that may be asked for.
pub trait Found {
    /// For people.
    fn text(&self) -> String;
    /// For other programs.
    fn json(&self) -> Json;
    /// A chart of each sequence.
    fn charts(&self) -> Vec<Drawn>;
    /// The models, with what the sequences pass.
    fn graphs(&self) -> Vec<ModelGraph>;
    /// A file for each sequence, with its charts, and what lists them.
    fn files(&self, drawings: &[Drawing]) -> (Vec<(String, String)>, Json);
    /// Test code.
    fn forms(&self) -> Result<Vec<Form>, Failure>;
    /// The page of the report.
    fn report(&self) -> String;
}

/// Whether everything could be written, before anything is searched for: a long search must not end in nothing.
pub fn prepare(args: &SearchArgs, sources: &Sources) -> Result<(), Failure> {
    for (flag, value) in [("--out", &args.out), ("--report", &args.report)] {
        if value.as_ref().is_some_and(String::is_empty) {
            return Err(Failure::Usage(format!("{flag} needs a name")));
        }
    }
    if let Some(directory) = &args.out {
        write::can_fill(Path::new(directory))?;
    }
    let Some(report) = args.report.as_ref().map(Path::new) else { return Ok(()) };
    spare_what_is_read(report, args, sources)?;
    // A folder for all files is made when they are written.
    let is_in_new_folder =
        |directory: &String| !Path::new(directory).exists() && report.parent() == Some(Path::new(directory));
    match args.out.as_ref().is_some_and(is_in_new_folder) {
        true => Ok(()),
        false => write::can_replace(report),
    }
}

/// Nothing that was read is replaced by what is made of it.
fn spare_what_is_read(place: &Path, args: &SearchArgs, sources: &Sources) -> Result<(), Failure> {
    let Ok(there) = std::fs::canonicalize(place) else { return Ok(()) };
    let read = sources.files().iter().map(|source| &source.path).chain(&args.template);
    match read.into_iter().find(|path| std::fs::canonicalize(path).is_ok_and(|path| path == there)) {
        Some(path) => Err(Failure::Usage(format!("writing {} would replace {path}, which is read", place.display()))),
        None => Ok(()),
    }
}

/// Writes and prints what is asked for; `sources` are what it was made of.
pub fn deliver(
    found: &dyn Found,
    args: &SearchArgs,
    is_json: bool,
    tests: &Wanted,
    sources: &Sources,
) -> Result<(), Failure> {
    let forms = if tests.is_any() { found.forms()? } else { vec![] };
    let mut files: Vec<NewFile> = vec![];
    let mut said = vec![];
    if let Some(directory) = &args.out {
        let directory = Path::new(directory);
        let (sequences, mut manifest) = found.files(&drawings(&args.format));
        let replaced = |(name, text): (String, String)| NewFile { path: directory.join(name), text, is_kept: false };
        files.extend(sequences.into_iter().map(replaced));
        let mut graphs: Vec<(String, String)> = vec![];
        if args.format.contains(&Format::Dot) {
            let file = |graph: ModelGraph| (format!("{}.dot", file_stem(&graph.name)), model_dot(&[graph]));
            graphs = found.graphs().into_iter().map(file).collect();
            manifest["graphs"] = graphs.iter().map(|(name, _)| json!(name)).collect();
        }
        // Whatever may be wrong with a template is known before anything is written.
        let code = tests.files(&forms)?;
        if !code.is_empty() {
            manifest["tests"] = code.iter().map(|(name, ..)| json!(name)).collect();
        }
        let named = graphs.into_iter().map(|(name, text)| (name, text, true)).chain(code);
        for (name, text, is_ours) in named {
            let path = directory.join(name);
            said.push((path.clone(), !is_ours));
            files.push(NewFile { path, text, is_kept: !is_ours });
        }
        files.push(replaced(("manifest.json".to_owned(), format!("{manifest:#}\n"))));
    }
    files.extend(args.report.iter().map(|path| NewFile { path: path.into(), text: found.report(), is_kept: false }));
    let replaced = files.iter().filter(|file| !file.is_kept);
    let spared = replaced.map(|file| &file.path).try_for_each(|place| spare_what_is_read(place, args, sources));
    let written = spared.and_then(|()| write::write_all(&files));
    let note = |(path, is_adapter): (PathBuf, bool), kept: &[PathBuf]| match (is_adapter, kept.contains(&path)) {
        (false, _) => format!("{}\n", path.display()),
        (true, false) => format!("{} (to be filled in)\n", path.display()),
        (true, true) => format!("{} (left as it is)\n", path.display()),
    };
    if let (Ok(kept), false) = (&written, is_json) {
        print(&said.into_iter().map(|one| note(one, kept)).collect::<String>())?;
    }
    printed(found, args, is_json, (tests, &forms))?;
    written.map(|_| ())
}

fn printed(
    found: &dyn Found,
    args: &SearchArgs,
    is_json: bool,
    (tests, forms): (&Wanted, &[Form]),
) -> Result<(), Failure> {
    let json = || format!("{}\n", found.json());
    if is_json {
        return print(&json());
    }
    for format in super::formats(args) {
        print(&match (format, format.drawing(), Wanted::printed(format, forms)) {
            (_, _, Some(code)) => code,
            (_, Some(drawing), None) => document(drawing.document(&found.charts())),
            (Format::Json, None, None) => json(),
            (Format::Dot, None, None) => model_dot(&found.graphs()),
            (_, None, None) => shown(&found.text()),
        })?;
    }
    match args.out {
        None => print(&tests.by_template(forms)?.unwrap_or_default()),
        Some(_) => Ok(()),
    }
}
