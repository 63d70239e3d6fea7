//! Lists, and expressions over them.

use super::Checker;
use super::absent::Reads;
use crate::model::problem::{Problem, near};
use crate::model::scope::{Binding, Scope};
use crate::syntax::Span;
use crate::syntax::tree::{self, ExprKind};
use crate::term::{Expr, Pattern, Type};

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
        self.listed(known, locals, |scope| scope.listed(written))
    }

    /// A list that is made of names of the model and names that are known.
    pub(super) fn listed(
        &mut self,
        known: &[(String, Binding)],
        locals: usize,
        make: impl FnOnce(&mut Scope<'_>) -> (Expr, Type),
    ) -> Option<(Expr, Type)> {
        let before = self.problems.len();
        let ((expr, ty), free) = self.scoped(true, None, None, known.to_vec(), locals, |scope| {
            let typed = make(scope);
            (typed, scope.locals)
        });
        if self.problems.len() > before {
            return None;
        }
        Some((self.strict(expr, &ty, free), ty.shape()))
    }

    /// A list that is made, with what is absent accounted for.
    pub(super) fn strict(&self, expr: Expr, ty: &Type, free: usize) -> Expr {
        let entries = &self.histories.entries;
        let may_be_absent = |e: &Expr| matches!(e, Expr::Slot(slot) if entries[*slot].is_message);
        let reads = Reads::new(&may_be_absent, &self.histories.definitions, free);
        // A list by its name is what it is; a condition on lists is true or false.
        let is_plain = matches!(expr, Expr::Slot(_));
        if *ty == Type::Bool && !is_plain { reads.strict_condition(expr) } else { reads.strict_value(expr) }
    }

    /// A pattern whose values are absent, and so fit nothing, where what they read is.
    pub(super) fn strict_pattern(&self, pattern: &Pattern, free: usize) -> Pattern {
        pattern.map_leaves(&mut |value| Some(self.strict(value.clone(), &Type::Unknown, free)))
    }

    pub(super) fn no_list(&mut self, name: String, span: Span) {
        let known = self.histories.numbers.keys().chain(self.histories.conditions.keys());
        let near = near(&name, known.map(String::as_str));
        self.report(Problem::UnknownList { name, near }, span);
    }
}

impl Scope<'_> {
    /// A list, or an expression over lists; a name that means nothing was meant as a list.
    pub(super) fn listed(&mut self, written: &tree::Expr) -> (Expr, Type) {
        if let ExprKind::Name(name) = &written.kind
            && self.list(written).is_none()
            && !self.binds(name)
            && !self.names.constants.contains_key(name)
            && self.histories.as_ref().and_then(|h| h.lists).is_some_and(|lists| !lists.conditions.contains_key(name))
        {
            self.unknown_list(name.clone(), written.span);
            return (Expr::TRUE, Type::Unknown);
        }
        self.infer(written, None)
    }
}
