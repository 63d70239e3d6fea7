//! Kept sequences: runs that were right once, with what they were made for.
//!
//! What is kept names its model, its purpose and its steps by the names they had; what these mean is asked of the model as it is
//! now, which may have changed. Reading (`read`) knows JSON and no model, judging (`judge`) and mending (`nearest`) ask the
//! interpreter, the rules and the engines. Nothing here reads or writes files.

mod judge;
mod nearest;
mod read;

use serde_json::Value as Json;

use super::asked::{Asked, NotAsked};
use super::cover::{item_names, take_symbolic_states};
use crate::diagnostic::Rejected;
use crate::model::{self, Checked, Problem};
use crate::syntax::tree::ModelUse;
use crate::syntax::{self, FileId, Sources, Span};
pub use judge::{Broken, Judged, Test, judge, test_for};
pub use nearest::{Nearest, nearest};
pub use read::{Listed, is_kept, listed};

/// A sequence with what it was made for.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// The model, with its arguments if they were given: `Stopwatch(cents: 3)`. A name alone is the model as the purpose has it.
    pub model: Option<String>,
    /// What it was made for.
    pub about: About,
    /// Whether it meets that; a negative test may not.
    pub meets: bool,
    /// The event that must be refused after it.
    pub refused: Option<Json>,
    /// The sequence, as a trace.
    pub trace: Json,
}

/// What a sequence was made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// To be a run of the model.
    Run,
    /// A purpose.
    Purpose {
        /// Its name, with arguments.
        name: String,
        /// The class, as written.
        class: Option<String>,
    },
    /// Items of a suite.
    Items {
        /// The criteria.
        of: Vec<String>,
        /// Names of the items.
        covers: Vec<String>,
    },
}

impl About {
    /// `off_at(7)`, `classes, class 2..10`, `transitions: 3 items`; nothing if it is only to be a run.
    pub fn text(&self) -> Option<String> {
        match self {
            About::Run => None,
            About::Purpose { name, class: None } => Some(name.clone()),
            About::Purpose { name, class: Some(class) } => Some(format!("{name}, class {class}")),
            About::Items { of, covers } => {
                let plural = if covers.len() == 1 { "" } else { "s" };
                Some(format!("{}: {} item{plural}", of.join(" and "), covers.len()))
            }
        }
    }
}

/// Why a kept sequence asks for nothing any more.
#[derive(Debug)]
pub enum NoQuestion {
    /// Its purpose, or its model, has no meaning now.
    Rejected(Rejected),
    /// Something it names is gone.
    Gone(String),
    /// The model is too large to be put together.
    Limit(String),
}

impl From<NotAsked> for NoQuestion {
    fn from(not: NotAsked) -> NoQuestion {
        match not {
            NotAsked::Rejected(rejected) => NoQuestion::Rejected(rejected),
            NotAsked::Limit(limit) => NoQuestion::Limit(limit),
        }
    }
}

impl From<Rejected> for NoQuestion {
    fn from(rejected: Rejected) -> NoQuestion {
        NoQuestion::Rejected(rejected)
    }
}

/// A question that a kept sequence answers, with the class it is about.
pub type ForClass = (Option<String>, Asked);

impl Kept {
    /// What the sequence was made for, as questions about the model as it is now: one, or one for each class of a purpose if
    /// nothing is said about the class. None of them has classes.
    pub fn asked(&self, checked: &Checked, sources: &mut Sources) -> Result<Vec<ForClass>, NoQuestion> {
        let model = self.model.as_ref().map(|model| reference(sources, "model", model)).transpose()?;
        // A name alone says no more than the purpose does.
        let is_plain = self.model.as_ref().is_some_and(|model| !model.contains('('));
        match &self.about {
            About::Run => {
                let asked = Asked::covering(checked, &[], model.as_ref(), Span::new(FileId(0), 0, 0))?;
                Ok(vec![(None, asked)])
            }
            About::Purpose { name, class } => {
                let wanted = reference(sources, "purpose", name)?;
                let declared = model::purpose_named(checked, &wanted.name)?;
                let own = declared.tree.model.name.name.clone();
                if model.as_ref().is_some_and(|model| model.name.name != own) {
                    let problem = Problem::OtherModel { purpose: wanted.name.name.clone(), model: own };
                    return Err(Rejected(vec![problem.at(wanted.span)]).into());
                }
                let instead = model.as_ref().filter(|_| !is_plain);
                let asked = Asked::new(checked, declared, &wanted.args, wanted.span, instead)?;
                of_class(asked, class.as_deref())
            }
            About::Items { of, covers } => {
                let asked = self.all_items(of, checked, sources)?;
                Ok(vec![(None, of_items(asked, covers, sources)?)])
            }
        }
    }

    /// All items of criteria.
    fn all_items(&self, of: &[String], checked: &Checked, sources: &mut Sources) -> Result<Asked, NoQuestion> {
        let wanted = of.iter().map(|one| reference(sources, "of", one));
        let wanted = wanted.collect::<Result<Vec<_>, _>>()?;
        let model = self.model.as_ref().map(|model| reference(sources, "model", model)).transpose()?;
        let is_plain = self.model.as_ref().is_some_and(|model| !model.contains('('));
        let is_its_own = |one: &ModelUse| {
            let declared = checked.purposes.iter().find(|p| p.tree.name.name == one.name.name);
            declared.is_some_and(|p| model.as_ref().is_some_and(|m| m.name.name == p.tree.model.name.name))
        };
        let instead = model.as_ref().filter(|_| !is_plain || !wanted.iter().any(is_its_own));
        Ok(Asked::covering(checked, &wanted, instead, Span::new(FileId(0), 0, 0))?)
    }

    /// Leaves out symbolic states, which are no constraints on lists: the sequence is kept for the other items that it covers, or
    /// else as a run.
    pub fn leave_out_symbolic(&mut self, checked: &Checked, sources: &mut Sources) -> Result<(), NoQuestion> {
        let About::Items { of, .. } = &self.about else { return Ok(()) };
        let mut others = vec![];
        for one in of.iter() {
            let mut wanted = vec![reference(sources, "of", one)?];
            if take_symbolic_states(checked, &mut wanted)?.is_none() {
                others.push(one.clone());
            }
        }
        if others.len() == of.len() {
            return Ok(());
        }
        // Symbolic states are listed after all other items.
        let names = item_names(&self.all_items(&others, checked, sources)?.purpose, &[], sources);
        let About::Items { of, covers } = &mut self.about else { return Ok(()) };
        covers.retain(|item| names.contains(item));
        *of = others;
        if covers.is_empty() {
            self.about = About::Run;
        }
        Ok(())
    }

    /// The model, written so that it is found again: with `()` where the purpose would give it other arguments.
    pub fn written_model(model: &str, about: &About, checked: &Checked) -> String {
        let named = match about {
            About::Purpose { name, .. } => vec![name],
            About::Items { of, .. } => of.iter().collect(),
            About::Run => vec![],
        };
        let of_purpose = |name: &&String| {
            let name = name.split('(').next().unwrap_or_default();
            checked.purposes.iter().any(|p| p.tree.name.name == name && !p.tree.model.args.is_empty())
        };
        match !model.contains('(') && named.iter().any(of_purpose) {
            true => format!("{model}()"),
            false => model.to_owned(),
        }
    }
}

fn reference(sources: &mut Sources, what: &str, text: &str) -> Result<ModelUse, Rejected> {
    let id = sources.add_fragment(what, text);
    syntax::parse_model_reference(id, text).map_err(Rejected)
}

fn of_class(asked: Asked, class: Option<&str>) -> Result<Vec<ForClass>, NoQuestion> {
    // The classes of a property are known when its tests are made; whatever they are, no run breaks it.
    if asked.purpose.is_property {
        return Ok(vec![(class.map(str::to_owned), asked)]);
    }
    let classes = &asked.purpose.classes;
    let one = |number: usize| (Some(classes[number].text.clone()), asked.of_class(number));
    match class {
        Some(class) => match classes.iter().position(|known| known.text == class) {
            Some(number) => Ok(vec![one(number)]),
            None => Err(NoQuestion::Gone(format!("`{}` has no class `{class}`", asked.purpose.name))),
        },
        None if classes.is_empty() => Ok(vec![(None, asked)]),
        None => Ok((0..classes.len()).map(one).collect()),
    }
}

/// All items of a list in one run.
fn of_items(mut asked: Asked, covers: &[String], sources: &Sources) -> Result<Asked, NoQuestion> {
    let names = item_names(&asked.purpose, &[], sources);
    let mut constraints = vec![];
    for item in covers {
        match names.iter().position(|name| name == item) {
            Some(number) => constraints.push(asked.purpose.constraints[number].clone()),
            None => return Err(NoQuestion::Gone(format!("there is no item `{item}`"))),
        }
    }
    asked.purpose.constraints = constraints;
    Ok(asked)
}
