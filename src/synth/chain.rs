//! Runs in parts that follow each other, as one constraint.
//!
//! A link says what one step shows, or that steps go on until one shows something. Each link is a rule that becomes the next
//! one, so the constraint is a plain automaton, and every engine treats it like any other.

use crate::history::{Clause, Constraint, Formula, Purpose, Rule, RuleUse, When};
use crate::term::{Expr, Pattern, UnaryOp, Value};

/// Links in the order in which a run shows them.
#[derive(Clone, Debug, Default)]
pub(super) struct Chain {
    /// Lists that links look at.
    lists: Vec<Expr>,
    links: Vec<Link>,
}

#[derive(Clone, Debug)]
enum Link {
    /// One step, which meets a condition on the elements of the lists.
    Step(Expr),
    /// Steps up to one that meets the first condition; none before it meets the second. With `again`, a later step that meets
    /// the first one serves as well.
    Until { goal: Expr, never: Option<Expr>, again: bool },
}

impl Chain {
    /// That an element of a list is a value, or absent.
    pub fn is(&mut self, list: &Expr, value: &Value) -> Expr {
        let pattern = match value {
            Value::Absent => Pattern::Absent,
            value => Pattern::Equal(Box::new(Expr::Const(value.clone()))),
        };
        Expr::Test(Box::new(Expr::Local(self.place(list))), pattern)
    }

    /// That an element of a list of truth values is true.
    pub fn holds(&mut self, list: &Expr) -> Expr {
        self.is(list, &Value::Bool(true))
    }

    fn place(&mut self, list: &Expr) -> usize {
        number_of(&mut self.lists, list)
    }

    /// One more step, which meets all of these.
    pub fn step(&mut self, conditions: impl IntoIterator<Item = Expr>) {
        self.links.push(Link::Step(Expr::all(conditions)));
    }

    /// Steps until one meets `goal`, none of which before it meets `never`.
    pub fn until(&mut self, goal: Expr, never: Option<Expr>, again: bool) {
        self.links.push(Link::Until { goal, never, again });
    }

    /// Asks a purpose for runs that show all links.
    pub fn ask_of(self, purpose: &mut Purpose) {
        let formula = self.formula(purpose);
        let constraint = |formula| Constraint { item: None, label: None, span: purpose.span, formula, acceptor: None };
        let constraint = formula.map(constraint);
        purpose.constraints.extend(constraint);
    }

    /// That a run shows all links, with the rules and lists of a purpose; nothing if there are none.
    pub fn formula(self, purpose: &mut Purpose) -> Option<Formula> {
        if self.links.is_empty() {
            return None;
        }
        let first = purpose.rules.len();
        let own: Vec<usize> = (0..self.lists.len()).collect();
        let count = self.links.len();
        for (number, link) in self.links.into_iter().enumerate() {
            let rule = |rule: usize| Formula::Use(RuleUse { rule, lists: own.clone(), args: vec![] });
            let this = rule(first + number);
            let next = if number + 1 == count { Formula::Decided(true) } else { rule(first + number + 1) };
            let fails = || Formula::Decided(false);
            let at_element = |guard, becomes| Clause { when: When::Element, guard, becomes };
            let mut clauses = vec![Clause { when: When::Stop, guard: Expr::TRUE, becomes: fails() }];
            match link {
                Link::Step(condition) => {
                    clauses.push(at_element(condition, next));
                    clauses.push(at_element(Expr::TRUE, fails()));
                }
                Link::Until { goal, never, again } => {
                    if let (true, Some(never)) = (again, &never) {
                        let both = Expr::all([goal.clone(), never.clone()]);
                        clauses.push(at_element(both, next.clone()));
                    }
                    let reached = if again { Formula::Any(vec![next, this.clone()]) } else { next };
                    clauses.push(at_element(goal, reached));
                    clauses.extend(never.map(|never| at_element(never, fails())));
                    clauses.push(at_element(Expr::TRUE, this));
                }
            }
            purpose.rules.push(Rule { name: format!("link {}", number + 1), lists: own.len(), params: 0, clauses });
        }
        let lists = self.lists.iter().map(|list| number_of(&mut purpose.lists, list)).collect();
        Some(Formula::Use(RuleUse { rule: first, lists, args: vec![] }))
    }
}

/// That a condition does not hold.
pub(super) fn not(condition: Expr) -> Expr {
    Expr::Unary(UnaryOp::Not, Box::new(condition))
}

/// The number of a list among others, which get it if they do not have it yet.
fn number_of(lists: &mut Vec<Expr>, list: &Expr) -> usize {
    lists.iter().position(|known| known == list).unwrap_or_else(|| {
        lists.push(list.clone());
        lists.len() - 1
    })
}
