//! Formulas: rules on lists with arguments, and conditions on single moments.

use super::absent::Reads;
use super::rule::{list_names, stop};
use super::{Checker, Origin, Surroundings, library};
use crate::diagnostic::Severity;
use crate::history::{Formula, RuleUse};
use crate::model::expr::{base, reads_lists};
use crate::model::problem::{Problem, near};
use crate::model::scope::{Binding, Histories, Instant, Scope};
use crate::syntax::tree::{self, Arg, ExprKind, FormulaKind, Ident};
use crate::syntax::{Span, print_expr};
use crate::term::{Expr, Type};

/// Locals of an expression that is only looked at begin here.
const LOOKED_AT: usize = 1 << 20;

impl<'a> Checker<'a> {
    pub(super) fn formula(
        &mut self,
        written: &tree::Formula,
        place: &Surroundings<'_>,
        known: &[(String, Binding)],
        positive: bool,
    ) -> Formula {
        match &written.kind {
            FormulaKind::Error => Formula::Decided(true),
            FormulaKind::Temporal(logic) => {
                self.logic(logic, positive, written.span).map_or(Formula::Decided(true), |(formula, _)| formula)
            }
            FormulaKind::And(a, b) => {
                Formula::All(vec![self.formula(a, place, known, positive), self.formula(b, place, known, positive)])
            }
            FormulaKind::Or(a, b) => {
                Formula::Any(vec![self.formula(a, place, known, positive), self.formula(b, place, known, positive)])
            }
            FormulaKind::Not(inner) => Formula::Not(Box::new(self.formula(inner, place, known, !positive))),
            FormulaKind::Some { variable, ty, body } => {
                if !positive || place.lists.is_some() {
                    self.report(Problem::SomeUnderNot, variable.span);
                    return Formula::Decided(true);
                }
                let ty = match ty {
                    Some(ty) => {
                        let bindings = self.bindings.clone();
                        Some(self.scoped(false, None, None, bindings, 0, |scope| scope.resolve(ty)))
                    }
                    None => self.type_of(variable, body, known),
                };
                let Some(ty) = ty else {
                    self.report(Problem::CannotInfer, variable.span);
                    return Formula::Decided(true);
                };
                let number = self.open.len();
                // No value of an empty type has anything; what is left open then is read by nothing.
                let is_empty = self.is_empty(&ty);
                self.open.push(if is_empty { Type::Bool } else { ty.clone() });
                let mut known = known.to_vec();
                known.push((variable.name.clone(), Binding::Local(number, ty)));
                let formula = self.formula(body, place, &known, positive);
                if is_empty { Formula::Decided(false) } else { formula }
            }
            FormulaKind::Drawn(drawn, used) => self.drawn(*drawn, used, place, known, positive),
            FormulaKind::Atom { expr, on } => self.atom(expr, on, place, known),
        }
    }

    /// The type of a variable that is not written: that of the first list it is compared with.
    fn type_of(&self, variable: &Ident, body: &tree::Formula, known: &[(String, Binding)]) -> Option<Type> {
        match &body.kind {
            FormulaKind::And(a, b) | FormulaKind::Or(a, b) => {
                self.type_of(variable, a, known).or_else(|| self.type_of(variable, b, known))
            }
            FormulaKind::Not(inner) => self.type_of(variable, inner, known),
            FormulaKind::Some { variable: inner, .. } if inner.name == variable.name => None,
            FormulaKind::Some { body, .. } => self.type_of(variable, body, known),
            FormulaKind::Error | FormulaKind::Temporal(_) | FormulaKind::Drawn(..) => None,
            FormulaKind::Atom { expr, on } => {
                let is_variable = |e: &tree::Expr| matches!(&e.kind, ExprKind::Name(name) if *name == variable.name);
                let list = match &expr.kind {
                    ExprKind::Call(name, args) if self.is_rule(&name.name) => {
                        let mentions = args.iter().any(|arg| is_variable(&arg.value));
                        on.first().or(args.first().map(|arg| &arg.value)).filter(|_| mentions)?
                    }
                    ExprKind::Binary(_, a, b) if is_variable(a) => b,
                    ExprKind::Binary(_, a, b) if is_variable(b) => a,
                    _ => return None,
                };
                match self.silently(known, |scope| scope.listed(list)) {
                    (_, ty, true) => Some(ty.shape()),
                    _ => None,
                }
            }
        }
    }

    /// What an expression over lists is, and whether it is right; problems are for somebody else to report.
    fn silently(
        &self,
        known: &[(String, Binding)],
        make: impl FnOnce(&mut Scope<'_>) -> (Expr, Type),
    ) -> (Expr, Type, bool) {
        let mut problems = vec![];
        let mut scope = Scope::new(&self.checked.names, &self.histories.definitions, &mut problems);
        scope.histories =
            Some(Histories { lists: Some(self.histories), first_type: self.histories.first_type, element: None });
        scope.moments = Some(vec![]);
        scope.bindings = known.to_vec();
        // Whoever is bound here has a place below the number of all that there are.
        scope.locals = LOOKED_AT;
        let (expr, ty) = make(&mut scope);
        let is_right = problems.iter().all(|problem| problem.severity != Severity::Error);
        (expr, ty, is_right)
    }

    fn is_rule(&self, name: &str) -> bool {
        self.checked.rules.iter().any(|rule| rule.name.name == name) || library().contains_key(name)
    }

    pub(super) fn find(&self, name: &str, origin: Origin) -> Option<(Origin, &'a tree::Rule)> {
        let own = self.checked.rules.iter().find(|rule| rule.name.name == name).map(|rule| (Origin::User, rule));
        let library = library().get(name).map(|rule| (Origin::Library, rule));
        if origin == Origin::Library { library } else { own.or(library) }
    }

    pub(super) fn atom(
        &mut self,
        expr: &tree::Expr,
        on: &[tree::Expr],
        place: &Surroundings<'_>,
        known: &[(String, Binding)],
    ) -> Formula {
        let none = vec![];
        let (name, args) = match &expr.kind {
            // What is bound hides the rules.
            ExprKind::Name(name)
                if place.lists.is_none() && on.is_empty() && known.iter().any(|(known, _)| known == name) =>
            {
                return self.condition(expr, known);
            }
            ExprKind::Name(name) if name == "holds" || name == "fails" => return Formula::Decided(name == "holds"),
            ExprKind::Name(name) if place.lists.is_some() || !on.is_empty() || self.is_rule(name) => {
                (Ident { name: name.clone(), span: expr.span }, &none)
            }
            ExprKind::Call(name, args) if place.lists.is_some() || !on.is_empty() || self.is_rule(&name.name) => {
                (name.clone(), args)
            }
            _ if place.lists.is_some() => {
                self.report(
                    Problem::UnknownRule { name: print_expr(expr), near: None },
                    place.blame.unwrap_or(expr.span),
                );
                return Formula::Decided(true);
            }
            ExprKind::Call(name, _) if !["first", "last", "initial"].contains(&name.name.as_str()) => {
                self.unknown_rule(name, Origin::User);
                return Formula::Decided(true);
            }
            _ => return self.condition(expr, known),
        };
        let Some((origin, rule)) = self.find(&name.name, place.origin) else {
            self.unknown_rule(&name, place.origin);
            return Formula::Decided(true);
        };
        let wanted = rule.lists.len().max(1);
        // Lists given with `on`, or before the other arguments.
        let (lists, args): (Vec<tree::Expr>, &[Arg]) = match (on, place.lists) {
            ([], None) => {
                let given = args.iter().take_while(|arg| arg.name.is_none()).take(wanted).enumerate();
                let count = given.take_while(|(n, arg)| *n == 0 || self.mentions_list(&arg.value, known)).count();
                // One list may stand for all.
                let count = if self.fits_lists(rule, args, wanted) { count } else { count.min(1) };
                (args[..count].iter().map(|arg| arg.value.clone()).collect(), &args[count..])
            }
            (on, _) => (on.to_vec(), args),
        };
        let Some(lists) = self.lists_of(rule, &lists, wanted, place, known, expr.span) else {
            return Formula::Decided(true);
        };
        let blame = if origin == Origin::Library { Some(place.blame.unwrap_or(expr.span)) } else { None };
        let types: Vec<Type> = lists.iter().map(|(_, ty)| ty.clone()).collect();
        let Some((args, types_of_args)) = self.arguments(rule, origin, args, &types, place, known, expr.span) else {
            return Formula::Decided(true);
        };
        let before = self.problems.len();
        let rule = self.compiled(origin, rule, types, Some(types_of_args), blame.unwrap_or(expr.span));
        if place.lists.is_none() && origin == Origin::User {
            // The rule is sound for itself, but not for these lists.
            for problem in &mut self.problems[before..] {
                problem.related.push((expr.span, "in the use of the rule here".to_owned()));
            }
        }
        Formula::Use(RuleUse { rule, lists: lists.into_iter().map(|(list, _)| list).collect(), args })
    }

    /// Whether a list of the model is named in an expression.
    fn mentions_list(&self, e: &tree::Expr, known: &[(String, Binding)]) -> bool {
        let (expr, ..) = self.silently(known, |scope| scope.listed(e));
        reads_lists(&expr)
    }

    /// Whether the arguments are enough for a list under each of the rule's names and its required parameters.
    fn fits_lists(&self, rule: &tree::Rule, args: &[Arg], wanted: usize) -> bool {
        let positional = args.iter().filter(|arg| arg.name.is_none()).count();
        let required = rule.params.iter().filter(|p| p.default.is_none()).count();
        let named = args.len() - positional;
        positional >= wanted + required.saturating_sub(named)
    }

    fn unknown_rule(&mut self, name: &Ident, origin: Origin) {
        let own = self.checked.rules.iter().map(|rule| rule.name.name.as_str());
        let known: Vec<&str> = match origin {
            Origin::User => own.chain(library().keys().map(String::as_str)).collect(),
            Origin::Library => library().keys().map(String::as_str).collect(),
        };
        let near = near(&name.name, known);
        self.report(Problem::UnknownRule { name: name.name.clone(), near }, name.span);
    }

    /// Numbers and types of the lists a rule is used on. A rule that wants several and gets one looks at it under each name.
    fn lists_of(
        &mut self,
        rule: &tree::Rule,
        written: &[tree::Expr],
        wanted: usize,
        place: &Surroundings<'_>,
        known: &[(String, Binding)],
        span: Span,
    ) -> Option<Vec<(usize, Type)>> {
        let mut lists = vec![];
        match place.lists {
            None => {
                for list in written {
                    let (expr, ty) = self.list_expr(list, known)?;
                    if !reads_lists(&expr) {
                        self.no_list(print_expr(list), list.span);
                        return None;
                    }
                    lists.push((self.add_list(expr, ty.clone()), ty));
                }
            }
            Some((names, types)) if written.is_empty() => {
                lists = (0..names.len()).map(|i| (i, types[i].clone())).collect();
            }
            Some((names, types)) => {
                for list in written {
                    let found = match &list.kind {
                        ExprKind::Name(name) => names.iter().position(|known| known == name),
                        _ => None,
                    };
                    let Some(number) = found else {
                        self.report(Problem::NotAboutTail { name: print_expr(list) }, place.blame.unwrap_or(list.span));
                        return None;
                    };
                    lists.push((number, types[number].clone()));
                }
            }
        }
        if lists.len() == 1 && wanted > 1 {
            lists = vec![lists[0].clone(); wanted];
        }
        if lists.len() != wanted {
            let problem = Problem::ListCount { rule: rule.name.name.clone(), expected: wanted, found: lists.len() };
            self.report(problem, place.blame.unwrap_or(span));
            return None;
        }
        Some(lists)
    }

    /// Arguments of a rule in order, checked against the types of its parameters.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn arguments(
        &mut self,
        rule: &tree::Rule,
        origin: Origin,
        args: &[Arg],
        lists: &[Type],
        place: &Surroundings<'_>,
        known: &[(String, Binding)],
        span: Span,
    ) -> Option<(Vec<Expr>, Vec<Type>)> {
        let types = self.parameter_types(rule, origin, lists);
        let mut given: Vec<Option<&tree::Expr>> = vec![None; types.len()];
        let what = rule.name.name.clone();
        for (position, arg) in args.iter().enumerate() {
            let index = match &arg.name {
                Some(name) => rule.params.iter().position(|p| p.name.name == name.name),
                None => Some(position).filter(|position| *position < types.len()),
            };
            let Some(index) = index else {
                let problem = match &arg.name {
                    Some(name) => {
                        let near = near(&name.name, rule.params.iter().map(|p| p.name.name.as_str()));
                        Problem::UnknownArgument { what, name: name.name.clone(), near }
                    }
                    None => Problem::ArgumentCount { what, expected: types.len(), found: args.len() },
                };
                self.report(problem, place.blame.unwrap_or(span));
                return None;
            };
            if given[index].replace(&arg.value).is_some() {
                let name = rule.params[index].name.name.clone();
                self.report(Problem::GivenTwice { name }, place.blame.unwrap_or(arg.value.span));
                return None;
            }
        }
        let mut out = vec![];
        for (index, (param, ty)) in rule.params.iter().zip(&types).enumerate() {
            let (written, blame) = match (given[index], &param.default) {
                (Some(written), _) => (written, place.blame),
                (None, Some(default)) => (default, Some(place.blame.unwrap_or(span))),
                (None, None) => {
                    let problem = Problem::MissingArgument { what, name: param.name.name.clone() };
                    self.report(problem, place.blame.unwrap_or(span));
                    return None;
                }
            };
            let locals = if place.lists.is_some() { known.len() } else { self.open.len() };
            // What a rule hands on are elements and parameters, which are what they are: no narrow type is checked.
            let expected = ty.shape();
            let before = self.problems.len();
            // A default is written with the rule, and does not see the names of the place where the rule is used.
            let names = if given[index].is_some() { known.to_vec() } else { vec![] };
            let (expr, free) = self.scoped(false, None, blame, names, locals, |scope| {
                let expr = scope.check(written, &expected);
                (expr, scope.locals)
            });
            if given[index].is_none() && self.problems.len() > before {
                // The default is for lists of another type.
                self.problems.truncate(before);
                let problem = Problem::MissingArgument { what, name: param.name.name.clone() };
                self.report(problem, place.blame.unwrap_or(span));
                return None;
            }
            // At the top there are only values that exist once for a run, and those are there.
            let is_inside = place.lists.is_some();
            let may_be_absent = |e: &Expr| is_inside && matches!(e, Expr::Local(local) if *local < locals);
            out.push(Reads::new(&may_be_absent, &self.histories.definitions, free).strict_value(expr));
        }
        Some((out, types))
    }

    /// Types of the parameters of a rule: as written, or that of the elements they are compared with.
    pub(super) fn parameter_types(&mut self, rule: &tree::Rule, origin: Origin, lists: &[Type]) -> Vec<Type> {
        let element = lists.first().cloned();
        let blame = (origin == Origin::Library).then_some(rule.span);
        let mut types = vec![];
        for (number, param) in rule.params.iter().enumerate() {
            types.push(match &param.ty {
                Some(written) => self.scoped(false, element.clone(), blame, vec![], 0, |scope| scope.resolve(written)),
                None => {
                    let list = self.compared_list(rule, origin, number, &mut vec![]).unwrap_or(0);
                    lists.get(list).cloned().unwrap_or(Type::Unknown)
                }
            });
        }
        types
    }

    /// The list whose elements a parameter is compared with, here or in a rule it is handed to.
    fn compared_list(
        &self,
        rule: &tree::Rule,
        origin: Origin,
        param: usize,
        seen: &mut Vec<(String, usize)>,
    ) -> Option<usize> {
        let key = (rule.name.name.clone(), param);
        if seen.contains(&key) {
            return None;
        }
        seen.push(key);
        let names = list_names(rule);
        let param_name = &rule.params[param].name.name;
        let guards = rule.clauses.iter().filter_map(|clause| clause.guard.as_ref());
        let compared = guards.flat_map(|guard| self.compared_in(guard, rule)).find_map(|(a, b)| {
            let list = |a: usize, b: usize| (a < names.len() && b == names.len() + param).then_some(a);
            list(a, b).or(list(b, a))
        });
        compared.or_else(|| {
            rule.clauses.iter().find_map(|clause| self.handed_to(&clause.becomes, origin, param_name, &names, seen))
        })
    }

    /// Which elements and parameters of a rule are compared with each other in a guard, by their places.
    fn compared_in(&self, guard: &tree::Expr, rule: &tree::Rule) -> Vec<(usize, usize)> {
        let mut problems = vec![];
        let mut scope = Scope::new(&self.checked.names, &self.histories.definitions, &mut problems);
        let (first_type, element) = (self.histories.first_type, Some(Type::Unknown));
        scope.histories = Some(Histories { lists: None, first_type, element });
        let names = list_names(rule).into_iter().chain(rule.params.iter().map(|param| param.name.name.clone()));
        scope.bindings = names.enumerate().map(|(n, name)| (name, Binding::Local(n, Type::Unknown))).collect();
        scope.locals = scope.bindings.len();
        scope.bindings.push(stop());
        scope.condition(guard);
        scope.compared
    }

    fn handed_to(
        &self,
        formula: &tree::Formula,
        origin: Origin,
        param: &str,
        names: &[String],
        seen: &mut Vec<(String, usize)>,
    ) -> Option<usize> {
        match &formula.kind {
            FormulaKind::And(a, b) | FormulaKind::Or(a, b) => (self.handed_to(a, origin, param, names, seen))
                .or_else(|| self.handed_to(b, origin, param, names, seen)),
            FormulaKind::Not(inner) => self.handed_to(inner, origin, param, names, seen),
            FormulaKind::Atom { expr, on } => {
                let ExprKind::Call(name, args) = &expr.kind else { return None };
                let (origin, rule) = self.find(&name.name, origin)?;
                let place = args.iter().position(|arg| matches!(&arg.value.kind, ExprKind::Name(n) if n == param))?;
                let list = self.compared_list(rule, origin, place.min(rule.params.len().checked_sub(1)?), seen)?;
                match on.get(list).or(on.first()).map(|e| &e.kind) {
                    Some(ExprKind::Name(name)) => names.iter().position(|known| known == name),
                    _ => Some(list).filter(|list| *list < names.len()),
                }
            }
            _ => None,
        }
    }

    /// A condition on the first or last element, on what was before the first, or on open values alone.
    pub(super) fn condition(&mut self, expr: &tree::Expr, known: &[(String, Binding)]) -> Formula {
        let mut moments = vec![];
        let listed = self.listed(known, self.open.len(), |scope| {
            scope.moments = Some(vec![]);
            let typed = scope.listed(expr);
            moments = scope.moments.take().expect("moments are put back by whoever takes them");
            typed
        });
        let Some((list, ty)) = listed else { return Formula::Decided(true) };
        if moments.iter().any(|moment| moments[0] != *moment) {
            self.report(Problem::SeveralTimes, expr.span);
            return Formula::Decided(true);
        }
        if *base(&ty) != Type::Bool {
            let (expected, found) = ("Bool".to_owned(), ty.name(&self.histories.definitions));
            self.report(Problem::Mismatch { expected, found }, expr.span);
            return Formula::Decided(true);
        }
        let moment = moments.first();
        let (rule, list, arg) = match moment {
            Some(moment) => (moment.rule(), list, Expr::TRUE),
            None if !reads_lists(&list) => ("given", Expr::TRUE, list),
            None => {
                self.report(Problem::NoTime, expr.span);
                return Formula::Decided(true);
            }
        };
        let list = self.add_list(list, Type::Bool);
        self.library_use(rule, vec![(list, Type::Bool)], vec![arg], expr.span)
    }

    pub(super) fn library_use(
        &mut self,
        name: &str,
        lists: Vec<(usize, Type)>,
        args: Vec<Expr>,
        span: Span,
    ) -> Formula {
        let rule = &library()[name];
        let types: Vec<Type> = lists.iter().map(|(_, ty)| ty.clone()).collect();
        let params = self.parameter_types(rule, Origin::Library, &types);
        let rule = self.compiled(Origin::Library, rule, types, Some(params), span);
        Formula::Use(RuleUse { rule, lists: lists.into_iter().map(|(list, _)| list).collect(), args })
    }
}

impl Instant {
    /// The rule that looks at this moment.
    fn rule(self) -> &'static str {
        if self == Instant::Last { "last" } else { "first" }
    }
}
