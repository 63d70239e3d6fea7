//! Rules: clauses over elements and parameters of known types.

use super::absent::Reads;
use super::{Checker, Origin, Surroundings};
use crate::history::{Clause, Rule, When};
use crate::model::problem::Problem;
use crate::model::scope::Binding;
use crate::syntax::Span;
use crate::syntax::tree;
use crate::term::{Arm, BinaryOp, Expr, Type, UnaryOp, Value};

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
        let element = place.lists.and_then(|(_, types)| types.first().cloned());
        let locals = known.len();
        let names_known = known.iter().cloned().chain([stop()]).collect();
        let (guard, free) = self.scoped(false, element, place.blame, names_known, locals, |scope| {
            let guard = scope.condition(written);
            (guard, scope.locals)
        });
        let mut reads = (false, false);
        guard.map_leaves(&mut |leaf| {
            reads.0 |= *leaf == Expr::Param(END);
            reads.1 |= matches!(leaf, Expr::Local(local) if *local < names.len());
            None
        });
        let cases = match reads {
            (true, _) => vec![(When::Element, at_end(&guard, false)), (When::Stop, at_end(&guard, true))],
            (_, true) => vec![(When::Element, decided(&guard))],
            _ => vec![(When::Anywhere, decided(&guard))],
        };
        let may_be_absent = |e: &Expr| matches!(e, Expr::Local(local) if *local < locals);
        let reads = Reads::new(&may_be_absent, &self.histories.definitions, free);
        let cases = cases.into_iter().filter(|(_, guard)| *guard != Expr::Const(Value::Bool(false)));
        cases
            .map(|(when, guard)| Clause { when, guard: reads.strict_condition(guard), becomes: becomes.clone() })
            .collect()
    }
}

/// The element, in a rule that does not name its lists.
pub(super) const ELEMENT: &str = "h";
/// In the guard of a clause: the end of the list.
pub(super) const STOP: &str = "stop";

/// Stands for `stop` until it is clear which end of a rule is meant.
const END: usize = usize::MAX;

/// The name for the end of the list.
pub(super) fn stop() -> (String, Binding) {
    (STOP.to_owned(), Binding::Param(END, Type::Bool))
}

/// A guard at an element, or at the end of the list.
fn at_end(guard: &Expr, is_end: bool) -> Expr {
    decided(&guard.map_leaves(&mut |leaf| (*leaf == Expr::Param(END)).then(|| Expr::Const(Value::Bool(is_end)))))
}

/// The same condition without the parts that are decided by constants.
fn decided(e: &Expr) -> Expr {
    let part = |e: &Expr| Box::new(decided(e));
    let truth = |e: &Expr| match e {
        Expr::Const(Value::Bool(truth)) => Some(*truth),
        _ => None,
    };
    match e {
        Expr::Unary(UnaryOp::Not, a) => {
            let a = part(a);
            truth(&a).map_or_else(|| Expr::Unary(UnaryOp::Not, a), |truth| Expr::Const(Value::Bool(!truth)))
        }
        Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
            let (a, b) = (part(a), part(b));
            let neutral = *op == BinaryOp::And;
            match (truth(&a), truth(&b)) {
                (Some(truth), _) => {
                    if truth == neutral {
                        *b
                    } else {
                        *a
                    }
                }
                (_, Some(truth)) => {
                    if truth == neutral {
                        *a
                    } else {
                        *b
                    }
                }
                _ => Expr::Binary(*op, a, b),
            }
        }
        Expr::If(c, t, f) => {
            let (c, t, f) = (part(c), part(t), part(f));
            match truth(&c) {
                Some(true) => *t,
                Some(false) => *f,
                None if t == f && truth(&t).is_some() => *t,
                None => Expr::If(c, t, f),
            }
        }
        Expr::Let(local, value, body) => {
            let body = part(body);
            match (&**value, truth(&body)) {
                (Expr::Const(_), Some(_)) => *body,
                _ => Expr::Let(*local, value.clone(), body),
            }
        }
        Expr::Match(on, arms) => {
            let arms: Vec<Arm> = arms
                .iter()
                .map(|arm| Arm { body: *part(&arm.body), guard: arm.guard.as_ref().map(|g| *part(g)), ..arm.clone() })
                .collect();
            // One value of all cases, whichever it is.
            let same = arms.first().and_then(|first| truth(&first.body)).filter(|truth| {
                matches!(**on, Expr::Const(_)) && arms.iter().all(|arm| arm.body == Expr::Const(Value::Bool(*truth)))
            });
            same.map_or_else(|| Expr::Match(on.clone(), arms), |truth| Expr::Const(Value::Bool(truth)))
        }
        Expr::Binary(BinaryOp::In, a, b) => match (&**a, &**b) {
            // Something is among things that are all the same.
            (
                Expr::Const(member @ Value::Bool(_)),
                Expr::Comprehension { over, condition: None, key: None, element, .. },
            ) if is_never_empty(over) && truth(&decided(element)).is_some() => {
                Expr::Const(Value::Bool(decided(element) == Expr::Const(member.clone())))
            }
            _ => e.clone(),
        },
        _ => e.clone(),
    }
}

fn is_never_empty(e: &Expr) -> bool {
    matches!(e, Expr::List(elements) | Expr::Set(elements) if elements.iter().all(|e| matches!(e, Expr::Const(_))) && !elements.is_empty())
}

/// What the elements are called in a rule.
pub(super) fn list_names(rule: &tree::Rule) -> Vec<String> {
    if rule.lists.is_empty() {
        vec![ELEMENT.to_owned()]
    } else {
        rule.lists.iter().map(|list| list.name.clone()).collect()
    }
}
