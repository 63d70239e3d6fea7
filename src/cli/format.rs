//! `tracewright fmt`

use std::fs;
use std::path::Path;

use serde_json::json;

use super::args::FmtArgs;
use super::outcome::{Failure, Outcome};
use super::print;
use crate::diagnostic::Rejected;
use crate::syntax::{Sources, load_one, print_file};

pub fn run(args: &FmtArgs) -> Result<Outcome, Failure> {
    // All files are read before the first one is written: bad input leaves nothing half done.
    let mut changed = vec![];
    for path in &args.files {
        let (sources, errors) = load_one(path);
        if !errors.is_empty() {
            return Err(Failure::rejected(Rejected(errors), sources));
        }
        let formatted = formatted(&sources);
        if formatted != sources.files()[0].text {
            changed.push((path.clone(), formatted));
        }
    }
    if !args.check {
        for (path, text) in &changed {
            replace(path, text)?;
        }
    }
    let names: Vec<&String> = changed.iter().map(|(path, _)| path).collect();
    if args.common.json {
        print(&format!("{}\n", json!({ "changed": names })))?;
    } else {
        for name in &names {
            print(&format!("{name}: {}\n", if args.check { "not formatted" } else { "formatted" }))?;
        }
    }
    Ok(if args.check && !changed.is_empty() { Outcome::Negative } else { Outcome::Wished })
}

fn formatted(sources: &Sources) -> String {
    let file = &sources.files()[0];
    print_file(&file.tree, &file.text)
}

/// Writes beside the file first, so that a full disk does not cost the user the model.
fn replace(path: &str, text: &str) -> Result<(), Failure> {
    let io = |e: std::io::Error| Failure::Io { path: path.to_owned(), reason: e.to_string() };
    let target = fs::canonicalize(path).map_err(io)?;
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    let partial = target.parent().unwrap_or(Path::new(".")).join(name);
    let written = fs::write(&partial, text)
        .and_then(|()| fs::set_permissions(&partial, fs::metadata(&target)?.permissions()))
        .and_then(|()| fs::rename(&partial, &target));
    if written.is_err() {
        let _ = fs::remove_file(&partial);
    }
    written.map_err(io)
}
