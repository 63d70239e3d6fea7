//! `tracewright check`

use serde_json::json;

use super::args::CheckArgs;
use super::load::load;
use super::outcome::{Failure, Outcome};
use super::{colour, counted, print};
use crate::diagnostic::Rejected;
use crate::emit::{diagnostics_json, render};
use crate::model::{self, ModelBody};
use crate::syntax::tree::Ident;

/// The code of a model with more instances than are put together.
const TOO_MANY_INSTANCES: &str = "E0412";

pub fn run(args: &CheckArgs) -> Result<Outcome, Failure> {
    let loaded = load(&args.model.model)?;
    let mut warnings = loaded.warnings.clone();
    let loaded = if loaded.names_model() {
        let (assembled, loaded) = loaded.assemble()?;
        warnings.extend(assembled.warnings);
        loaded
    } else {
        // Every model that needs no argument is put together, so that its connections are checked too.
        let mut errors = vec![];
        for model in &loaded.checked.models {
            let runnable = !matches!(model.body, ModelBody::Service);
            if runnable && model.params.iter().all(|p| p.default.is_some()) {
                let name = Ident { name: model.name.clone(), span: model.span };
                match model::assemble_named(&loaded.checked, &name, &[], model.span) {
                    Ok(assembled) => warnings.extend(assembled.warnings),
                    Err(Rejected(more)) => {
                        let too_large = more.iter().any(|e| e.code == TOO_MANY_INSTANCES);
                        errors.extend(more);
                        // Whatever contains a model that is too large is too large as well.
                        if too_large {
                            break;
                        }
                    }
                }
            }
        }
        if !errors.is_empty() {
            errors.sort_by_key(|e| (e.span.file, e.span.start, e.code));
            errors.dedup_by(|a, b| (a.code, &a.message, a.span.range()) == (b.code, &b.message, b.span.range()));
            return Err(Failure::rejected(Rejected(errors), loaded.sources));
        }
        loaded
    };
    warnings.sort_by_key(|w| (w.span.file, w.span.start, w.code));
    warnings.dedup_by(|a, b| (a.code, &a.message, a.span.range()) == (b.code, &b.message, b.span.range()));
    let models: Vec<&str> = loaded.checked.models.iter().map(|m| m.name.as_str()).collect();
    if args.common.json {
        let findings = diagnostics_json(&warnings, &loaded.sources);
        print(&format!("{}\n", json!({ "models": models, "findings": findings })))?;
    } else {
        eprint!("{}", render(&warnings, &loaded.sources, colour()));
        let found = if warnings.is_empty() { "no findings".to_owned() } else { counted(warnings.len(), "finding") };
        print(&format!(
            "{}: {} ({found})\n",
            args.model.model,
            if models.is_empty() { "no models".into() } else { models.join(", ") }
        ))?;
    }
    Ok(if args.strict && !warnings.is_empty() { Outcome::Negative } else { Outcome::Wished })
}
