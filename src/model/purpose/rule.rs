//! Rules: clauses over elements and parameters of known types.

use super::absent::Reads;
use super::{Checker, Origin, Surroundings};
use crate::history::{Clause, Rule, When};
use crate::model::problem::Problem;
use crate::model::scope::Binding;
use crate::syntax::Span;
use crate::syntax::tree::{self, BinaryOp, ExprKind};
use crate::term::{Expr, Type};

impl Checker<'_> {
    /// The number of a rule for lists and parameters of these types.
    pub(super) fn compiled(
        &mut self,
        origin: Origin,
        rule: &tree::Rule,
        lists: Vec<Type>,
        params: Option<Vec<Type>>,
        blame: Span,
    ) -> usize {
        let params = params.unwrap_or_else(|| self.parameter_types(rule, origin, &lists));
        let key = (origin, rule.name.name.clone(), lists.clone(), params.clone());
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let number = self.rules.len();
        self.numbers.insert(key, number);
        self.rules.push(None);
        let blame = (origin == Origin::Library).then_some(blame);
        let names = list_names(rule);
        let elements = names.iter().zip(&lists).map(|(name, ty)| (name.clone(), ty.clone()));
        let args = rule.params.iter().zip(&params).map(|(param, ty)| (param.name.name.clone(), ty.clone()));
        let known: Vec<(String, Binding)> =
            elements.chain(args).enumerate().map(|(i, (name, ty))| (name, Binding::Local(i, ty))).collect();
        let place = Surroundings { origin, lists: Some((&names, &lists)), blame };
        let mut clauses = vec![];
        let mut has_stop = false;
        for clause in &rule.clauses {
            let compiled = self.clause(clause, &place, &known, &names);
            has_stop |= compiled.iter().any(|c| c.when != When::Element && c.guard == Expr::TRUE);
            clauses.extend(compiled);
        }
        if !has_stop {
            self.report(Problem::NoStopClause { name: rule.name.name.clone() }, rule.name.span);
        }
        let name = rule.name.name.clone();
        self.rules[number] = Some(Rule { name, lists: lists.len(), params: params.len(), clauses });
        number
    }

    /// A clause; two where it speaks of `stop`, which is false at an element and true at the end.
    pub(super) fn clause(
        &mut self,
        clause: &tree::Clause,
        place: &Surroundings<'_>,
        known: &[(String, Binding)],
        names: &[String],
    ) -> Vec<Clause> {
        let becomes = self.formula(&clause.becomes, place, known, true);
        let Some(written) = &clause.guard else {
            return vec![Clause { when: When::Element, guard: Expr::TRUE, becomes }];
        };
        let mentions = |name: &str| names_in(written).contains(&name);
        let cases = if mentions(STOP) {
            vec![(When::Element, at_stop(written, false)), (When::Stop, at_stop(written, true))]
        } else if names.iter().any(|name| mentions(name)) {
            vec![(When::Element, written.clone())]
        } else {
            vec![(When::Anywhere, written.clone())]
        };
        let element = place.lists.and_then(|(_, types)| types.first().cloned());
        let locals = known.len();
        let mut out = vec![];
        for (when, written) in cases {
            if written.kind == ExprKind::Bool(false) {
                continue;
            }
            let known = known.to_vec();
            let (guard, free) = self.scoped(false, element.clone(), place.blame, known, locals, |scope| {
                let guard = scope.condition(&written);
                (guard, scope.locals)
            });
            let reads = Reads { may_be_absent: &|e| matches!(e, Expr::Local(local) if *local < locals), free };
            out.push(Clause { when, guard: reads.strict_condition(guard), becomes: becomes.clone() });
        }
        out
    }
}

/// The element, in a rule that does not name its lists.
pub(super) const ELEMENT: &str = "h";
/// In the guard of a clause: the end of the list.
pub(super) const STOP: &str = "stop";

/// A guard at an element, or at the end of the list.
fn at_stop(e: &tree::Expr, is_end: bool) -> tree::Expr {
    let mut out = e.map_children(&mut |child| at_stop(child, is_end));
    let decided = match &out.kind {
        ExprKind::Name(name) if name == STOP => Some(ExprKind::Bool(is_end)),
        ExprKind::Unary(tree::UnaryOp::Not, a) => match a.kind {
            ExprKind::Bool(truth) => Some(ExprKind::Bool(!truth)),
            _ => None,
        },
        ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
            let neutral = *op == BinaryOp::And;
            match (&a.kind, &b.kind) {
                (ExprKind::Bool(truth), other) | (other, ExprKind::Bool(truth)) => {
                    Some(if *truth == neutral { other.clone() } else { ExprKind::Bool(*truth) })
                }
                _ => None,
            }
        }
        _ => None,
    };
    if let Some(kind) = decided {
        out.kind = kind;
    }
    out
}

/// What the elements are called in a rule.
pub(super) fn list_names(rule: &tree::Rule) -> Vec<String> {
    if rule.lists.is_empty() {
        vec![ELEMENT.to_owned()]
    } else {
        rule.lists.iter().map(|list| list.name.clone()).collect()
    }
}

fn names_in(e: &tree::Expr) -> Vec<&str> {
    let own = match &e.kind {
        ExprKind::Name(name) => Some(name.as_str()),
        _ => None,
    };
    own.into_iter().chain(e.children().into_iter().flat_map(names_in)).collect()
}
