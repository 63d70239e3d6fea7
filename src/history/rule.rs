//! Rules and monitors as the checker leaves them: names resolved, types known.

use crate::term::{Expr, Type};

/// A rule for lists of known types. In its expressions the first locals are the elements of its lists, the next ones its
/// parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Name.
    pub name: String,
    /// How many lists it looks at.
    pub lists: usize,
    /// How many parameters it has.
    pub params: usize,
    /// Clauses; the first that matches decides, and one of them always does.
    pub clauses: Vec<Clause>,
}

/// A clause of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// Where it is looked at.
    pub when: When,
    /// The condition.
    pub guard: Expr,
    /// What the rule becomes.
    pub becomes: Formula,
}

/// Where a clause is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At elements only.
    Element,
    /// At the end only.
    Stop,
    /// At both: the condition is about parameters.
    Anywhere,
}

/// A Boolean combination of rules.
#[derive(Clone, Debug, PartialEq)]
pub enum Formula {
    /// Holds, or fails.
    Decided(bool),
    /// All of them.
    All(Vec<Formula>),
    /// One of them.
    Any(Vec<Formula>),
    /// Its contrary.
    Not(Box<Formula>),
    /// A rule on the tails of lists.
    Use(RuleUse),
}

/// A rule with lists and arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleUse {
    /// The rule.
    pub rule: usize,
    /// The lists: in a rule, numbers of its own lists; at the top, numbers of the monitor's lists.
    pub lists: Vec<usize>,
    /// Arguments, over the elements and parameters of the rule it stands in; at the top, over the open values.
    pub args: Vec<Expr>,
}

/// Everything a purpose says, ready to run.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Monitor {
    /// Rules by number.
    pub rules: Vec<Rule>,
    /// Lists as expressions over what can be observed in a step (slots) and the open values (locals).
    pub lists: Vec<Expr>,
    /// Types of the values that exist once for the whole run: locals of `start` and of the lists.
    pub open: Vec<Type>,
    /// What is to be shown: all of these, each followed by itself.
    pub start: Vec<Formula>,
}

/// A rule at work.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Instance<A> {
    /// The rule.
    pub rule: usize,
    /// Lists of the monitor.
    pub lists: Vec<usize>,
    /// Arguments.
    pub args: Vec<A>,
}

impl Formula {
    /// The same formula over lists with other numbers.
    pub fn with_lists(self, number: &dyn Fn(usize) -> usize) -> Formula {
        let all = |parts: Vec<Formula>| parts.into_iter().map(|part| part.with_lists(number)).collect();
        match self {
            Formula::Decided(_) => self,
            Formula::All(parts) => Formula::All(all(parts)),
            Formula::Any(parts) => Formula::Any(all(parts)),
            Formula::Not(inner) => Formula::Not(Box::new(inner.with_lists(number))),
            Formula::Use(used) => {
                Formula::Use(RuleUse { lists: used.lists.iter().map(|list| number(*list)).collect(), ..used })
            }
        }
    }

    /// The same formula with other arguments.
    pub fn with_args(&self, changed: &dyn Fn(&Expr) -> Expr) -> Formula {
        let all = |parts: &[Formula]| parts.iter().map(|part| part.with_args(changed)).collect();
        match self {
            Formula::Decided(_) => self.clone(),
            Formula::All(parts) => Formula::All(all(parts)),
            Formula::Any(parts) => Formula::Any(all(parts)),
            Formula::Not(inner) => Formula::Not(Box::new(inner.with_args(changed))),
            Formula::Use(used) => {
                let args = used.args.iter().map(changed).collect();
                Formula::Use(RuleUse { rule: used.rule, lists: used.lists.clone(), args })
            }
        }
    }

    /// Calls `f` with every rule that stands in it.
    pub fn each_use<'f>(&'f self, f: &mut dyn FnMut(&'f RuleUse)) {
        match self {
            Formula::Decided(_) => {}
            Formula::All(parts) | Formula::Any(parts) => parts.iter().for_each(|part| part.each_use(f)),
            Formula::Not(inner) => inner.each_use(f),
            Formula::Use(rule) => f(rule),
        }
    }
}
