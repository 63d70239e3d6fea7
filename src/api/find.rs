//! One purpose of a model, answered.

use std::fmt;

use serde_json::Value as Json;

use super::error::Error;
use super::model::{Model, copied};
use crate::confirm::Recheck;
use crate::diagnostic::Rejected;
use crate::emit::{Generated, generated_json, generated_text, run_json};
use crate::model::{self, DeclaredPurpose, Problem};
use crate::solve::{Solver, Z3};
use crate::syntax::tree::ModelUse;
use crate::syntax::{self, Sources};
use crate::synth::{Answer, Asked, NotAsked, Options, answer};

/// The answer to a purpose. It prints as `gen` prints it.
pub struct Found {
    generated: Generated,
    sources: Sources,
}

impl Found {
    /// `found`, `impossible` or `unknown`.
    pub fn answer(&self) -> &'static str {
        self.generated.answered.answer.text()
    }

    /// Whether runs were found.
    pub fn is_found(&self) -> bool {
        self.generated.answered.answer == Answer::Found
    }

    /// The runs as traces: what `replay` reads, and what a test gives and expects step by step.
    pub fn sequences(&self) -> Vec<Json> {
        let Generated { system, answered, .. } = &self.generated;
        answered.cases.iter().map(|case| run_json(&case.run, system)).collect()
    }

    /// Everything, in the form of `gen --json`.
    pub fn to_json(&self) -> Json {
        generated_json(std::slice::from_ref(&self.generated), SEED, &self.sources)
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&generated_text(std::slice::from_ref(&self.generated), &self.sources))
    }
}

/// The seed when nobody gives one.
const SEED: u64 = 0;

/// Answers a purpose with arguments, as written.
pub(super) fn generate(model: &Model, written: &str) -> Result<Found, Error> {
    let mut sources = copied(&model.sources);
    let id = sources.add_fragment("purpose", written);
    let wanted = match syntax::parse_model_reference(id, written) {
        Ok(wanted) => wanted,
        Err(errors) => return Err(Error::rejected(Rejected(errors), sources)),
    };
    let asked = match prepare(model, &wanted) {
        Ok(asked) if asked.purpose.is_property => {
            let problem = Problem::NoTests { name: asked.purpose.name }.at(wanted.span);
            return Err(Error::rejected(Rejected(vec![problem]), sources));
        }
        Ok(asked) => asked,
        Err(NotAsked::Rejected(rejected)) => return Err(Error::rejected(rejected, sources)),
        Err(NotAsked::Limit(message)) => return Err(Error::Limit(message)),
    };
    let solver = || -> Box<dyn Solver> { Box::new(Z3::new(SEED)) };
    let options = Options { recheck: Recheck::default(), ..Options::new(&solver) };
    let answered = answer(&asked.system, &asked.lists, &asked.purpose, &options, &mut ());
    let answered = answered.map_err(|error| Error::disagreement(&error))?;
    Ok(Found { generated: Generated { system: asked.system, purpose: asked.purpose, answered }, sources })
}

/// A purpose that is wanted, with its model.
pub(crate) fn prepare(model: &Model, wanted: &ModelUse) -> Result<Asked, NotAsked> {
    let purpose = meant(model, wanted)?;
    Asked::new(&model.checked, purpose, &wanted.args, wanted.span, model.reference.as_ref())
}

/// The purpose that is wanted, unless it is for another model than the one that was named.
pub(crate) fn meant<'m>(model: &'m Model, wanted: &ModelUse) -> Result<&'m DeclaredPurpose, Rejected> {
    let checked = &model.checked;
    let purpose = model::purpose_named(checked, &wanted.name)?;
    if let Some(reference) = &model.reference
        && reference.name.name != purpose.tree.model.name.name
        && checked.names.models.contains_key(&reference.name.name)
    {
        let (purpose, model) = (wanted.name.name.clone(), purpose.tree.model.name.name.clone());
        return Err(Rejected(vec![Problem::OtherModel { purpose, model }.at(wanted.span)]));
    }
    Ok(purpose)
}
