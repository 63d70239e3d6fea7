//! `tracewright check`

use serde_json::json;

use super::args::CheckArgs;
use super::load::load;
use super::outcome::{Failure, Outcome};
use super::property;
use super::{colour, counted, print, shown, warn};
use crate::api::findings;
use crate::emit::{diagnostics_json, render};

pub fn run(args: &CheckArgs) -> Result<Outcome, Failure> {
    if !args.properties.is_empty() {
        return property::run(args);
    }
    let loaded = load(&args.model.model)?;
    let warnings = match findings(&loaded) {
        Ok(findings) => findings,
        Err(rejected) => return Err(Failure::rejected(rejected, loaded.sources)),
    };
    let models: Vec<&str> = loaded.checked.models.iter().map(|m| m.name.as_str()).collect();
    if args.common.json {
        let findings = diagnostics_json(&warnings, &loaded.sources);
        print(&format!("{}\n", json!({ "models": models, "findings": findings })))?;
    } else {
        warn(&render(&warnings, &loaded.sources, colour()));
        let found = if warnings.is_empty() { "no findings".to_owned() } else { counted(warnings.len(), "finding") };
        let models = if models.is_empty() { "no models".to_owned() } else { models.join(", ") };
        print(&shown(&format!("{}: {models} ({found})\n", args.model.model)))?;
    }
    Ok(if args.strict && !warnings.is_empty() { Outcome::Negative } else { Outcome::Wished })
}
