//! `tracewright fmt`

use serde_json::json;

use super::args::FmtArgs;
use super::outcome::{Failure, Outcome};
use super::write::{NewFile, write_all};
use super::{print, shown};
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
        let file = |(path, text): &(String, String)| NewFile { path: path.into(), text: text.clone(), is_kept: false };
        write_all(&changed.iter().map(file).collect::<Vec<_>>())?;
    }
    let names: Vec<&String> = changed.iter().map(|(path, _)| path).collect();
    if args.common.json {
        print(&format!("{}\n", json!({ "changed": names })))?;
    } else {
        for name in &names {
            let line = format!("{name}: {}\n", if args.check { "not formatted" } else { "formatted" });
            print(&shown(&line))?;
        }
    }
    Ok(if args.check && !changed.is_empty() { Outcome::Negative } else { Outcome::Wished })
}

fn formatted(sources: &Sources) -> String {
    let file = &sources.files()[0];
    print_file(&file.tree, &file.text)
}
