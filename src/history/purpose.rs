//! A purpose: a question about the runs of one model.

use std::sync::Arc;

use super::acceptor::{Acceptor, AsRules, NoRules};
use super::property::Property;
use super::rule::{Formula, Monitor, Rule};
use crate::syntax::Span;
use crate::term::{Expr, Type};

/// A purpose whose parameters have values.
#[derive(Clone, Debug)]
pub struct Purpose {
    /// Name, with arguments as they were given.
    pub name: String,
    /// Name of the model it is written for.
    pub model: String,
    /// Where it is written.
    pub span: Span,
    /// How long a run may be, and where that is said.
    pub length: Vec<(Length, Span)>,
    /// What must hold.
    pub constraints: Vec<Constraint>,
    /// One case is wanted for each of these; none if nothing was said.
    pub classes: Vec<Class>,
    /// Whether the wish is that there is none.
    pub expects_impossible: bool,
    /// Rules that constraints and classes refer to.
    pub rules: Vec<Rule>,
    /// Lists that they refer to, over what can be observed. What lists and arguments bind is numbered after the open values.
    pub lists: Vec<Expr>,
    /// Types of the values that exist once for a run.
    pub open: Vec<Type>,
    /// Whether it says what holds in every run; otherwise runs that meet it are wanted.
    pub is_property: bool,
    /// How tests are made for a property, if it says it by calls.
    pub property: Option<Property>,
}

/// Bounds on the number of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// Fewest.
    pub low: usize,
    /// Most.
    pub high: Option<usize>,
}

impl Length {
    /// Any number of steps.
    pub const ANY: Length = Length { low: 0, high: None };

    /// Lengths inside both bounds.
    pub fn and(self, other: Length) -> Length {
        let high = match (self.high, other.high) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Length { low: self.low.max(other.low), high }
    }

    /// Whether a run may have this many steps.
    pub fn contains(self, steps: usize) -> bool {
        self.low <= steps && self.high.is_none_or(|high| steps <= high)
    }

    /// Whether no number fits.
    pub fn is_empty(self) -> bool {
        self.high.is_some_and(|high| high < self.low)
    }
}

/// A constraint of a purpose.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// The item of a coverage criterion, where that is what it asks for.
    pub item: Option<String>,
    /// The name it was given.
    pub label: Option<String>,
    /// Where it is written.
    pub span: Span,
    /// What must hold.
    pub formula: Formula,
    /// The same as one automaton, where it is one; it tells earlier how a run that still goes on will be judged.
    pub acceptor: Option<Arc<Acceptor>>,
}

/// A class of test cases.
#[derive(Clone, Debug)]
pub struct Class {
    /// As written.
    pub text: String,
    /// Where it is written.
    pub span: Span,
    /// What makes a run belong to it.
    pub formula: Formula,
}

impl Purpose {
    /// The lengths that all bounds allow.
    pub fn lengths(&self) -> Length {
        self.length.iter().fold(Length::ANY, |all, (length, _)| all.and(*length))
    }

    /// Asks for one more thing: what an acceptor accepts.
    pub fn ask(&mut self, acceptor: Acceptor) -> Result<(), NoRules> {
        let AsRules { rules, lists, formula } = acceptor.rules(self.rules.len(), self.open.len())?;
        self.rules.extend(rules);
        if !acceptor.for_all {
            self.open.extend(acceptor.variables.iter().map(|variable| variable.ty.clone()));
        }
        let first = self.lists.len();
        self.lists.extend(lists);
        let formula = formula.with_lists(&|list| first + list);
        let acceptor = Some(Arc::new(acceptor));
        self.constraints.push(Constraint { item: None, label: None, span: self.span, formula, acceptor });
        self.number_bound();
        Ok(())
    }

    /// Numbers what lists and arguments bind after the values that exist once for a run. An expression that was read when fewer
    /// of these were known would bind their places.
    pub fn number_bound(&mut self) {
        let first = self.open.len();
        let numbered = |e: &Expr| e.binding_from(first);
        self.lists.iter_mut().for_each(|list| *list = numbered(list));
        let of_constraints = self.constraints.iter_mut().map(|constraint| &mut constraint.formula);
        let of_classes = self.classes.iter_mut().map(|class| &mut class.formula);
        of_constraints.chain(of_classes).for_each(|formula| *formula = formula.with_args(&numbered));
    }

    /// A monitor for some of the constraints, and a class.
    pub fn monitor(&self, constraints: &[usize], class: Option<usize>) -> Monitor {
        let parts = constraints.iter().map(|number| self.constraints[*number].formula.clone());
        let class = class.map(|number| self.classes[number].formula.clone());
        Monitor {
            rules: self.rules.clone(),
            lists: self.lists.clone(),
            open: self.open.clone(),
            start: parts.chain(class).collect(),
        }
    }
}
