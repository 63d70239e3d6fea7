//! Constraints of a purpose: lengths, what is to be covered, classes, formulas.

use num_traits::ToPrimitive;

use super::{Checker, Origin, Surroundings};
use crate::diagnostic::Severity;
use crate::history::{Class, Constraint, Formula, Length, ListKind, Purpose};
use crate::model::problem::{Problem, near};
use crate::syntax::tree::{self, BinaryOp, ExprKind, Ident};
use crate::syntax::{Span, print_expr};
use crate::term::{Expr, Pattern, Type, Value};

impl Checker<'_> {
    pub(super) fn constraint(&mut self, written: &tree::Constraint, purpose: &mut Purpose) {
        match written {
            tree::Constraint::Length { relation, bound, span } => {
                if let Some(length) = self.length(*relation, bound) {
                    purpose.length.push((length, *span));
                }
            }
            tree::Constraint::Cover { criterion, span } => {
                for (item, formula) in self.cover(criterion) {
                    purpose.constraints.push(Constraint { item: Some(item), span: *span, formula });
                }
            }
            tree::Constraint::Classes { list, classes, span } => {
                if !purpose.classes.is_empty() {
                    self.report(Problem::SeveralClassifications, *span);
                    return;
                }
                let known = self.bindings.clone();
                let Some((element, _)) = self.list_expr(list, &known) else { return };
                let present = Expr::Test(Box::new(element), Pattern::Any);
                purpose.classes = classes.iter().filter_map(|class| self.class(list, &present, class)).collect();
            }
            tree::Constraint::Expect { answer, .. } => {
                if answer.name != "impossible" {
                    self.report(Problem::UnknownExpectation { name: answer.name.clone() }, answer.span);
                }
                purpose.expects_impossible = true;
            }
            tree::Constraint::Formula(formula) => {
                let top = Surroundings { origin: Origin::User, lists: None, blame: None };
                let known = self.bindings.clone();
                let span = formula.span;
                let formula = self.formula(formula, &top, &known, true);
                purpose.constraints.push(Constraint { item: None, span, formula });
            }
        }
    }

    pub(super) fn length(&mut self, relation: BinaryOp, bound: &tree::Expr) -> Option<Length> {
        let known = self.bindings.clone();
        let expr = self.scoped(false, None, None, known, 0, |scope| scope.check(bound, &Type::INT));
        let value = match crate::model::declare::constant(&expr, &self.histories.definitions) {
            Ok(Value::Int(n)) => n,
            Ok(_) => return None,
            Err(failure) => {
                // A name that is not known has been reported.
                if !self.problems.iter().any(|p| p.severity == Severity::Error) {
                    let what = "the length".to_owned();
                    self.report(Problem::ArgumentFails { what, reason: failure.to_string() }, bound.span);
                }
                return None;
            }
        };
        let from = |n: num_bigint::BigInt| if n < 0.into() { 0 } else { n.to_usize().unwrap_or(usize::MAX) };
        // No run has fewer than no steps: an upper bound below zero leaves nothing.
        let nothing = Length { low: 1, high: Some(0) };
        let up_to = |n: num_bigint::BigInt| {
            if n < 0.into() { nothing } else { Length { low: 0, high: n.to_usize() } }
        };
        Some(match relation {
            BinaryOp::Equal if value < 0.into() => nothing,
            BinaryOp::Equal => Length { low: from(value.clone()), high: value.to_usize() },
            BinaryOp::Less => up_to(value - 1),
            BinaryOp::AtMost => up_to(value),
            BinaryOp::Greater => Length { low: from(value + 1), high: None },
            BinaryOp::AtLeast => Length { low: from(value), high: None },
            _ => {
                self.report(Problem::LengthRelation, bound.span);
                return None;
            }
        })
    }

    /// Items of a criterion with what it means to cover them.
    fn cover(&mut self, criterion: &Ident) -> Vec<(String, Formula)> {
        let kind = match criterion.name.as_str() {
            "transitions" => ListKind::Fired,
            "states" => ListKind::State,
            other => {
                let near = near(other, ["transitions", "states"]);
                self.report(Problem::UnknownCriterion { name: other.to_owned(), near }, criterion.span);
                return vec![];
            }
        };
        let mut items = vec![];
        for (number, list) in self.histories.entries.iter().enumerate().filter(|(_, list)| list.kind == kind) {
            let members = self.histories.members(number);
            // Idling is nothing to cover.
            let count = if kind == ListKind::Fired { members.len() - 1 } else { members.len() };
            for (member, name) in members.iter().enumerate().take(count) {
                let item = match list.name.rsplit_once('.') {
                    Some((machine, _)) => format!("{machine}.{name}"),
                    None => (*name).to_owned(),
                };
                items.push((number, list.name.clone(), member, item));
            }
        }
        let mut out = vec![];
        for (number, name, member, item) in items {
            let value = Expr::Const(self.histories.member(number, member));
            let ty = self.histories.entries[number].ty.clone();
            let list = self.add_list(Expr::Slot(number), ty.clone());
            let mut formula = self.library_use("member", vec![(list, ty.clone())], vec![value.clone()], criterion.span);
            // The state before the first step is visited as well.
            if let (ListKind::State, Some(before)) = (kind, self.histories.numbers.get(&format!("pre({name})"))) {
                let before = self.add_list(Expr::Slot(*before), ty.clone());
                let first = self.library_use("first", vec![(before, ty)], vec![value], criterion.span);
                formula = Formula::Any(vec![formula, first]);
            }
            out.push((item, formula));
        }
        out
    }

    /// A class by the first present value of a list.
    fn class(&mut self, list: &tree::Expr, present: &Expr, class: &tree::Class) -> Option<Class> {
        let name = |kind: ExprKind, span: Span| tree::Expr { kind, span, depth: list.depth + 1 };
        let (condition, text, span) = match class {
            tree::Class::Value(value) => {
                let op = if matches!(value.kind, ExprKind::Range(..)) { BinaryOp::In } else { BinaryOp::Equal };
                let kind = ExprKind::Binary(op, Box::new(list.clone()), Box::new(value.clone()));
                (name(kind, value.span), print_expr(value), value.span)
            }
            tree::Class::Relation(op, bound) => {
                let kind = ExprKind::Binary(*op, Box::new(list.clone()), Box::new(bound.clone()));
                (name(kind, bound.span), format!("{} {}", op.symbol(), print_expr(bound)), bound.span)
            }
        };
        let known = self.bindings.clone();
        let (inside, _) = self.list_expr(&condition, &known)?;
        let lists = [present.clone(), inside].map(|list| (self.add_list(list, Type::Bool), Type::Bool)).to_vec();
        let formula = self.library_use("falls_in", lists, vec![], span);
        Some(Class { text, span, formula })
    }
}
