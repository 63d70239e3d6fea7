//! From what is declared to a question: a model put together, and constraints as rules over its lists.

use crate::criteria::OfModel;
use crate::diagnostic::Rejected;
use crate::history::{Constraint, Purpose};
use crate::kernel::{Lists, StepSystem, lower};
use crate::model::{self, AskedBy, Assembled, Checked, DeclaredPurpose, KnownValues};
use crate::syntax::Span;
use crate::syntax::tree::{self, Arg, Ident, ModelUse, PurposeKind};

/// A purpose with its model.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The model.
    pub system: StepSystem,
    /// Its lists.
    pub lists: Lists,
    /// What is asked of its runs.
    pub purpose: Purpose,
}

/// Why something cannot be asked.
#[derive(Debug)]
pub enum NotAsked {
    /// It has no meaning.
    Rejected(Rejected),
    /// The model is too large to be put together.
    Limit(String),
}

impl From<Rejected> for NotAsked {
    fn from(rejected: Rejected) -> NotAsked {
        NotAsked::Rejected(rejected)
    }
}

impl Asked {
    /// A purpose with its arguments, for its own model or the one that is given instead.
    pub fn new(
        checked: &Checked,
        purpose: &DeclaredPurpose,
        args: &[Arg],
        span: Span,
        instead: Option<&ModelUse>,
    ) -> Result<Asked, NotAsked> {
        Asked::by(AskedBy::Search, checked, purpose, (args, span), instead)
    }

    /// The same for whoever asks.
    pub fn by(
        asked_by: AskedBy,
        checked: &Checked,
        purpose: &DeclaredPurpose,
        (args, span): (&[Arg], Span),
        instead: Option<&ModelUse>,
    ) -> Result<Asked, NotAsked> {
        let (assembled, known) = model::assemble_for(checked, purpose, args, span, instead)?;
        Asked::of(checked, &assembled, &purpose.tree, &known, asked_by)
    }

    /// Criteria, blocks of items and purposes, to be covered together. Without a model it is the one of the first purpose or
    /// block among them, or the only one there is.
    pub fn covering(
        checked: &Checked,
        wanted: &[ModelUse],
        instead: Option<&ModelUse>,
        span: Span,
    ) -> Result<Asked, NotAsked> {
        let declared = |name: &Ident| checked.purposes.iter().find(|p| p.tree.name.name == name.name);
        let lead = wanted.iter().find_map(|one| Some((declared(&one.name)?, one)));
        let (assembled, model) = match lead {
            Some((purpose, one)) if instead.is_none_or(|model| model.name.name == purpose.tree.model.name.name) => {
                let (assembled, _) = model::assemble_for(checked, purpose, &one.args, one.span, instead)?;
                (assembled, purpose.tree.model.clone())
            }
            _ => {
                let assembled = model::assemble(checked, instead, span)?;
                let name = Ident { name: assembled.name.clone(), span };
                (assembled, ModelUse { name, args: vec![], span })
            }
        };
        let cover = |one: &ModelUse| tree::Constraint::Cover { criterion: one.clone(), span: one.span };
        let tree = tree::Purpose {
            kind: PurposeKind::Items,
            name: Ident { name: "--of".to_owned(), span },
            params: vec![],
            model,
            constraints: wanted.iter().map(cover).collect(),
            span,
        };
        let mut asked = Asked::of(checked, &assembled, &tree, &vec![], AskedBy::Search)?;
        // What two criteria ask for by the same name is one item.
        let mut kept: Vec<Constraint> = vec![];
        for constraint in std::mem::take(&mut asked.purpose.constraints) {
            let name = |constraint: &Constraint| constraint.item.clone().or(constraint.label.clone());
            let same = |known: &Constraint| known.formula == constraint.formula && name(known) == name(&constraint);
            if !kept.iter().any(same) {
                kept.push(constraint);
            }
        }
        asked.purpose.constraints = kept;
        Ok(asked)
    }

    fn of(
        checked: &Checked,
        assembled: &Assembled,
        written: &tree::Purpose,
        known: &KnownValues,
        asked_by: AskedBy,
    ) -> Result<Asked, NotAsked> {
        let system = lower(assembled).map_err(|error| NotAsked::Limit(error.to_string()))?;
        let lists = system.lists();
        let criteria = OfModel { system: &system, lists: &lists };
        let (purpose, _) = model::check_purpose(checked, written, known, &lists.names, &criteria, asked_by)?;
        Ok(Asked { system, lists, purpose })
    }
}
