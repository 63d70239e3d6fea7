//! Lists, and expressions over them.

use super::Checker;
use super::absent::Reads;
use crate::model::problem::{Problem, near};
use crate::model::scope::{self, Binding};
use crate::syntax::tree::{self, ExprKind};
use crate::syntax::{Span, print_expr};
use crate::term::{Expr, Type};

impl Checker<'_> {
    pub(super) fn add_list(&mut self, list: Expr, ty: Type) -> usize {
        match self.lists.iter().position(|known| *known == list) {
            Some(number) => number,
            None => {
                self.lists.push(list);
                self.types.push(ty);
                self.lists.len() - 1
            }
        }
    }

    /// A list, or an expression over lists and open values, element by element.
    pub(super) fn list_expr(&mut self, written: &tree::Expr, known: &[(String, Binding)]) -> Option<(Expr, Type)> {
        self.list_expr_with(written, known, self.open.len())
    }

    /// The same, where what the expression binds is numbered from `locals`.
    pub(super) fn list_expr_with(
        &mut self,
        written: &tree::Expr,
        known: &[(String, Binding)],
        locals: usize,
    ) -> Option<(Expr, Type)> {
        if let Some(name) = self.unknown_list(written, known) {
            self.no_list(name, written.span);
            return None;
        }
        let before = self.problems.len();
        let ((expr, ty), free) = self.scoped(true, None, None, known.to_vec(), locals, |scope| {
            let typed = scope.infer(written, None);
            (typed, scope.locals)
        });
        if self.problems.len() > before {
            // What was meant as a list has been taken for something else; the rest is an echo.
            let found = &self.problems[before..];
            let is_wrong = |path: &&tree::Expr| {
                found.iter().any(|p| p.span.start == path.span.start && p.span.end <= path.span.end)
            };
            let wrong: Vec<(String, Span)> = (paths_in(written).into_iter().filter(is_wrong))
                .filter_map(|path| Some((self.unknown_list(path, known)?, path.span)))
                .collect();
            if !wrong.is_empty() {
                self.problems.truncate(before);
                wrong.into_iter().for_each(|(name, span)| self.no_list(name, span));
            }
            return None;
        }
        let entries = &self.histories.entries;
        let may_be_absent = |e: &Expr| matches!(e, Expr::Slot(slot) if entries[*slot].is_message);
        let reads = Reads { may_be_absent: &may_be_absent, free };
        // A list by its name is what it is; a condition on lists is true or false.
        let is_plain = matches!(expr, Expr::Slot(_));
        let expr = if ty == Type::Bool && !is_plain { reads.strict_condition(expr) } else { reads.strict_value(expr) };
        Some((expr, ty.shape()))
    }

    pub(super) fn no_list(&mut self, name: String, span: Span) {
        let known = self.histories.numbers.keys().chain(self.histories.conditions.keys());
        let near = near(&name, known.map(String::as_str));
        self.report(Problem::UnknownList { name, near }, span);
    }

    /// The name, if something looks like a list and is none.
    fn unknown_list(&self, written: &tree::Expr, known: &[(String, Binding)]) -> Option<String> {
        let name = match scope::path(written) {
            Some(name) => name,
            // Only lists have values before a step.
            None => {
                matches!(&written.kind, ExprKind::Call(name, _) if name.name == "pre").then(|| print_expr(written))?
            }
        };
        let root = name.split(['.', '[']).next().unwrap_or_default();
        let is_known = self.histories.numbers.contains_key(&name)
            || self.histories.conditions.contains_key(&name)
            || known.iter().any(|(known, _)| known == root)
            || self.checked.names.constants.contains_key(root)
            // A field of an element, as in `get.record.name`, is a list too.
            || self.histories.numbers.keys().any(|list| name.starts_with(&format!("{list}.")) || name.starts_with(&format!("{list}[")));
        (!is_known).then_some(name)
    }
}

/// The parts of an expression that look like lists by more than a name.
fn paths_in(e: &tree::Expr) -> Vec<&tree::Expr> {
    match &e.kind {
        ExprKind::Field(..) | ExprKind::Index(..) => vec![e],
        ExprKind::Call(name, _) if name.name == "pre" => vec![e],
        _ => e.children().into_iter().flat_map(paths_in).collect(),
    }
}

/// Whether an element of some list is looked at.
pub(super) fn looks_at_lists(e: &Expr) -> bool {
    let mut found = false;
    e.map_leaves(&mut |leaf| {
        found |= matches!(leaf, Expr::Slot(_));
        None
    });
    found
}
