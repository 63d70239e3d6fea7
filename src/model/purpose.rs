//! Purposes and rules: from trees to history rules for the lists of one model.
//!
//! A rule is written once for lists of any type. It is checked for itself, with types unknown, and again for the types of
//! every use, which gives one compiled rule per combination of types.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use num_traits::ToPrimitive;

use super::assemble::{Assembled, Assembler, assembled};
use super::checked::{Checked, DeclaredPurpose, Parameter};
use super::expr::base;
use super::problem::{Problem, near};
use super::scope::{Binding, Histories, Scope};
use crate::diagnostic::{Diagnostic, Rejected, Severity};
use crate::history::{Class, Clause, Constraint, Formula, Length, ListKind, ListNames, Purpose, Rule, RuleUse, When};
use crate::syntax::tree::{self, Arg, BinaryOp, ExprKind, FormulaKind, Ident, ModelUse};
use crate::syntax::{Sources, Span, print_expr};
use crate::term::{self, Definitions, Expr, Pattern, Type, Value};

/// The standard library, as written in `rules/`.
const LIBRARY: [(&str, &str); 4] = [
    ("rules/presence.tw", include_str!("../../rules/presence.tw")),
    ("rules/order.tw", include_str!("../../rules/order.tw")),
    ("rules/sequence.tw", include_str!("../../rules/sequence.tw")),
    ("rules/counting.tw", include_str!("../../rules/counting.tw")),
];

fn library() -> &'static BTreeMap<String, tree::Rule> {
    static RULES: OnceLock<BTreeMap<String, tree::Rule>> = OnceLock::new();
    RULES.get_or_init(|| {
        let mut rules = BTreeMap::new();
        for (path, text) in LIBRARY {
            let (sources, errors) = Sources::from_text(path, text);
            assert!(errors.is_empty(), "{path} does not parse: {errors:?}");
            for item in &sources.files()[0].tree.items {
                if let tree::Item::Rule(rule) = item {
                    rules.insert(rule.name.name.clone(), rule.clone());
                }
            }
        }
        rules
    })
}

/// Names that stand for values here: parameters of the purpose with what they were given.
pub type KnownValues = Vec<(String, Value, Type)>;

/// The purpose with this name.
pub fn purpose_named<'c>(checked: &'c Checked, name: &Ident) -> Result<&'c DeclaredPurpose, Rejected> {
    checked.purposes.iter().find(|p| p.tree.name.name == name.name).ok_or_else(|| {
        let near = near(&name.name, checked.purposes.iter().map(|p| p.tree.name.name.as_str()));
        Rejected(vec![Problem::UnknownPurpose { name: name.name.clone(), near }.at(name.span)])
    })
}

/// Puts together the model of a purpose for the purpose's arguments, or the model that is given instead.
pub fn assemble_for(
    checked: &Checked,
    purpose: &DeclaredPurpose,
    args: &[Arg],
    span: Span,
    instead: Option<&ModelUse>,
) -> Result<(Assembled, KnownValues), Rejected> {
    let mut assembler = Assembler::new(checked);
    let name = &purpose.tree.name.name;
    let Some(values) = assembler.arguments(name, &purpose.params, args, span) else {
        return Err(Rejected(assembler.problems));
    };
    let known: KnownValues =
        purpose.params.iter().zip(values).map(|(p, value)| (p.name.clone(), value, p.ty.clone())).collect();
    let model = match instead {
        Some(model) => model,
        None => {
            assembler.known = known.clone();
            &purpose.tree.model
        }
    };
    let process = assembler.model(&model.name, &model.args, model.span, "", true);
    Ok((assembled(assembler, &model.name.name, process)?, known))
}

/// Gives a purpose its meaning over the lists of its model.
pub fn check_purpose(
    checked: &Checked,
    written: &tree::Purpose,
    known: &KnownValues,
    lists: &ListNames,
) -> Result<(Purpose, Vec<Diagnostic>), Rejected> {
    let bindings = known.iter().map(|(name, value, ty)| (name.clone(), Binding::Known(value.clone(), ty.clone())));
    let mut checker = Checker::new(checked, lists, bindings.collect());
    let mut purpose = Purpose {
        name: shown_name(&written.name.name, known, &lists.definitions),
        span: written.span,
        length: vec![],
        constraints: vec![],
        classes: vec![],
        expects_impossible: false,
        rules: vec![],
        lists: vec![],
        open: vec![],
    };
    for constraint in &written.constraints {
        checker.constraint(constraint, &mut purpose);
    }
    purpose.rules = checker.rules.into_iter().flatten().collect();
    purpose.lists = checker.lists;
    purpose.open = checker.open;
    let (errors, warnings): (Vec<_>, Vec<_>) =
        checker.problems.into_iter().partition(|p| p.severity == Severity::Error);
    if errors.is_empty() { Ok((purpose, warnings)) } else { Err(Rejected(errors)) }
}

/// Checks a rule for itself: whatever the types of its lists turn out to be, this must be right.
pub(super) fn check_rule(checked: &Checked, rule: &tree::Rule) -> Vec<Diagnostic> {
    let lists = ListNames {
        definitions: std::sync::Arc::new(checked.definitions.clone()),
        first_type: checked.definitions.types.len(),
        entries: vec![],
        numbers: BTreeMap::new(),
    };
    let mut checker = Checker::new(checked, &lists, vec![]);
    let names: Vec<&Ident> = rule.lists.iter().chain(rule.params.iter().map(|param| &param.name)).collect();
    for (number, name) in names.iter().enumerate() {
        let has_meaning = name.name == STOP || rule.lists.is_empty() && name.name == ELEMENT;
        if has_meaning {
            checker.report(Problem::BuiltinName { name: name.name.clone() }, name.span);
        } else if names[..number].iter().any(|earlier| earlier.name == name.name) {
            checker.report(Problem::Duplicate { name: name.name.clone() }, name.span);
        }
    }
    let types = vec![Type::Unknown; rule.lists.len().max(1)];
    let origin = Origin::User;
    checker.compiled(origin, rule, types, None, rule.name.span);
    checker.problems
}

fn shown_name(name: &str, known: &KnownValues, definitions: &Definitions) -> String {
    if known.is_empty() {
        return name.to_owned();
    }
    let values: Vec<String> =
        known.iter().map(|(_, value, _)| term::Shown { value, definitions }.to_string()).collect();
    format!("{name}({})", values.join(", "))
}

/// Where a rule is written. The library's rules see only each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Origin {
    User,
    Library,
}

/// A rule for certain types: origin, name, types of its lists and parameters.
type RuleKey = (Origin, String, Vec<Type>, Vec<Type>);

struct Checker<'a> {
    checked: &'a Checked,
    histories: &'a ListNames,
    problems: Vec<Diagnostic>,
    bindings: Vec<(String, Binding)>,
    /// None while a rule is being compiled.
    rules: Vec<Option<Rule>>,
    numbers: HashMap<RuleKey, usize>,
    lists: Vec<Expr>,
    types: Vec<Type>,
    open: Vec<Type>,
}

/// A rule with the place it is used at.
struct Surroundings<'r> {
    origin: Origin,
    /// Names and types of the lists; none at the top of a purpose.
    lists: Option<(&'r [String], &'r [Type])>,
    /// Problems are reported here if the rule is not the user's.
    blame: Option<Span>,
}

impl<'a> Checker<'a> {
    fn new(checked: &'a Checked, histories: &'a ListNames, bindings: Vec<(String, Binding)>) -> Checker<'a> {
        Checker {
            checked,
            histories,
            problems: vec![],
            bindings,
            rules: vec![],
            numbers: HashMap::new(),
            lists: vec![],
            types: vec![],
            open: vec![],
        }
    }

    fn report(&mut self, problem: Problem, span: Span) {
        self.add(problem.at(span));
    }

    /// Keeps a problem, once: what is used for several types is checked for each of them.
    fn add(&mut self, problem: Diagnostic) {
        let place = |p: &Diagnostic| (p.span.file, p.span.range(), p.code);
        if !self.problems.iter().any(|known| place(known) == place(&problem) && known.message == problem.message) {
            self.problems.push(problem);
        }
    }

    /// Runs `f` in a scope with the names known here.
    fn scoped<T>(
        &mut self,
        lists: bool,
        element: Option<Type>,
        blame: Option<Span>,
        bindings: Vec<(String, Binding)>,
        locals: usize,
        f: impl FnOnce(&mut Scope<'_>) -> T,
    ) -> T {
        let mut found = vec![];
        let mut scope = Scope::new(&self.checked.names, &self.histories.definitions, &mut found);
        scope.histories =
            Some(Histories { lists: lists.then_some(self.histories), first_type: self.histories.first_type, element });
        scope.bindings = bindings;
        scope.locals = locals;
        let result = f(&mut scope);
        for mut problem in found {
            // A warning about a rule of the library, or about a value that exists only if something is present, helps
            // nobody here: what has no value does not match.
            if problem.severity == Severity::Warning {
                continue;
            }
            if let Some(span) = blame {
                problem.span = span;
            }
            self.add(problem);
        }
        result
    }

    // ---- constraints

    fn constraint(&mut self, written: &tree::Constraint, purpose: &mut Purpose) {
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

    fn length(&mut self, relation: BinaryOp, bound: &tree::Expr) -> Option<Length> {
        let known = self.bindings.clone();
        let expr = self.scoped(false, None, None, known, 0, |scope| scope.check(bound, &Type::INT));
        let value = match super::declare::constant(&expr, &self.histories.definitions) {
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

    // ---- lists

    fn add_list(&mut self, list: Expr, ty: Type) -> usize {
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
    fn list_expr(&mut self, written: &tree::Expr, known: &[(String, Binding)]) -> Option<(Expr, Type)> {
        if let Some(name) = self.unknown_list(written, known) {
            self.no_list(name, written.span);
            return None;
        }
        let before = self.problems.len();
        let locals = self.open.len();
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

    fn no_list(&mut self, name: String, span: Span) {
        let near = near(&name, self.histories.numbers.keys().map(String::as_str));
        self.report(Problem::UnknownList { name, near }, span);
    }

    /// The name, if something looks like a list and is none.
    fn unknown_list(&self, written: &tree::Expr, known: &[(String, Binding)]) -> Option<String> {
        let name = match super::scope::path(written) {
            Some(name) => name,
            // Only lists have values before a step.
            None => {
                matches!(&written.kind, ExprKind::Call(name, _) if name.name == "pre").then(|| print_expr(written))?
            }
        };
        let root = name.split(['.', '[']).next().unwrap_or_default();
        let is_known = self.histories.numbers.contains_key(&name)
            || known.iter().any(|(known, _)| known == root)
            || self.checked.names.constants.contains_key(root)
            // A field of an element, as in `get.record.name`, is a list too.
            || self.histories.numbers.keys().any(|list| name.starts_with(&format!("{list}.")) || name.starts_with(&format!("{list}[")));
        (!is_known).then_some(name)
    }

    // ---- formulas

    fn formula(
        &mut self,
        written: &tree::Formula,
        place: &Surroundings<'_>,
        known: &[(String, Binding)],
        positive: bool,
    ) -> Formula {
        match &written.kind {
            FormulaKind::Error => Formula::Decided(true),
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
                    None => self.type_of(variable, body),
                };
                let Some(ty) = ty else {
                    self.report(Problem::CannotInfer, variable.span);
                    return Formula::Decided(true);
                };
                let number = self.open.len();
                self.open.push(ty.clone());
                let mut known = known.to_vec();
                known.push((variable.name.clone(), Binding::Local(number, ty)));
                self.formula(body, place, &known, positive)
            }
            FormulaKind::Atom { expr, on } => self.atom(expr, on, place, known),
        }
    }

    /// The type of a variable that is not written: that of the first list it is compared with.
    fn type_of(&mut self, variable: &Ident, body: &tree::Formula) -> Option<Type> {
        match &body.kind {
            FormulaKind::And(a, b) | FormulaKind::Or(a, b) => {
                self.type_of(variable, a).or_else(|| self.type_of(variable, b))
            }
            FormulaKind::Not(inner) => self.type_of(variable, inner),
            FormulaKind::Some { body, .. } => self.type_of(variable, body),
            FormulaKind::Error => None,
            FormulaKind::Atom { expr, on } => {
                let is_variable = |e: &tree::Expr| matches!(&e.kind, ExprKind::Name(name) if *name == variable.name);
                let known = self.bindings.clone();
                let mut silent = Checker::new(self.checked, self.histories, known.clone());
                match &expr.kind {
                    ExprKind::Call(name, args) if self.is_rule(&name.name) => {
                        let mentions = args.iter().any(|arg| is_variable(&arg.value));
                        let list = on.first().or(args.first().map(|arg| &arg.value)).filter(|_| mentions)?;
                        silent.list_expr(list, &known).map(|(_, ty)| ty)
                    }
                    ExprKind::Binary(_, a, b) => {
                        let other = if is_variable(a) { b } else { Some(a).filter(|_| is_variable(b))? };
                        let (_, other) = moment(other).ok()?;
                        silent.list_expr(&other, &known).map(|(_, ty)| ty)
                    }
                    _ => None,
                }
            }
        }
    }

    fn is_rule(&self, name: &str) -> bool {
        self.checked.rules.iter().any(|rule| rule.name.name == name) || library().contains_key(name)
    }

    fn find(&self, name: &str, origin: Origin) -> Option<(Origin, &'a tree::Rule)> {
        let own = self.checked.rules.iter().find(|rule| rule.name.name == name).map(|rule| (Origin::User, rule));
        let library = library().get(name).map(|rule| (Origin::Library, rule));
        if origin == Origin::Library { library } else { own.or(library) }
    }

    fn atom(
        &mut self,
        expr: &tree::Expr,
        on: &[tree::Expr],
        place: &Surroundings<'_>,
        known: &[(String, Binding)],
    ) -> Formula {
        let none = vec![];
        let (name, args) = match &expr.kind {
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
                let count = given.take_while(|(n, arg)| *n == 0 || self.mentions_list(&arg.value)).count();
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
    fn mentions_list(&self, e: &tree::Expr) -> bool {
        super::scope::path(e).is_some_and(|name| self.histories.numbers.contains_key(&name))
            || e.children().into_iter().any(|child| self.mentions_list(child))
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
                    if !looks_at_lists(&expr) {
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
    fn arguments(
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
            let reads = Reads { may_be_absent: &|e| matches!(e, Expr::Local(local) if *local < locals), free };
            out.push(if place.lists.is_some() { reads.strict_value(expr) } else { expr });
        }
        Some((out, types))
    }

    /// Types of the parameters of a rule: as written, or that of the elements they are compared with.
    fn parameter_types(&mut self, rule: &tree::Rule, origin: Origin, lists: &[Type]) -> Vec<Type> {
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
        let compared = rule.clauses.iter().filter_map(|clause| clause.guard.as_ref()).find_map(|guard| {
            fn search(e: &tree::Expr, param: &str, names: &[String]) -> Option<usize> {
                if let ExprKind::Binary(_, a, b) = &e.kind
                    && let (ExprKind::Name(x), ExprKind::Name(y)) = (&a.kind, &b.kind)
                {
                    let list = |name: &String| names.iter().position(|known| known == name);
                    if y == param && list(x).is_some() {
                        return list(x);
                    }
                    if x == param && list(y).is_some() {
                        return list(y);
                    }
                }
                e.children().into_iter().find_map(|child| search(child, param, names))
            }
            search(guard, param_name, &names)
        });
        compared.or_else(|| {
            rule.clauses.iter().find_map(|clause| self.handed_to(&clause.becomes, origin, param_name, &names, seen))
        })
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
    fn condition(&mut self, expr: &tree::Expr, known: &[(String, Binding)]) -> Formula {
        let Ok((moment, condition)) = moment(expr) else {
            self.report(Problem::SeveralTimes, expr.span);
            return Formula::Decided(true);
        };
        let Some((list, ty)) = self.list_expr(&condition, known) else { return Formula::Decided(true) };
        if *base(&ty) != Type::Bool {
            let (expected, found) = ("Bool".to_owned(), ty.name(&self.histories.definitions));
            self.report(Problem::Mismatch { expected, found }, expr.span);
            return Formula::Decided(true);
        }
        let (rule, list, arg) = match moment {
            Some(moment) => (moment.rule(), list, Expr::TRUE),
            None if !looks_at_lists(&list) => ("given", Expr::TRUE, list),
            None => {
                self.report(Problem::NoTime, expr.span);
                return Formula::Decided(true);
            }
        };
        let list = self.add_list(list, Type::Bool);
        self.library_use(rule, vec![(list, Type::Bool)], vec![arg], expr.span)
    }

    fn library_use(&mut self, name: &str, lists: Vec<(usize, Type)>, args: Vec<Expr>, span: Span) -> Formula {
        let rule = &library()[name];
        let types: Vec<Type> = lists.iter().map(|(_, ty)| ty.clone()).collect();
        let params = self.parameter_types(rule, Origin::Library, &types);
        let rule = self.compiled(Origin::Library, rule, types, Some(params), span);
        Formula::Use(RuleUse { rule, lists: lists.into_iter().map(|(list, _)| list).collect(), args })
    }

    // ---- rules

    /// The number of a rule for lists and parameters of these types.
    fn compiled(
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
    fn clause(
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
const ELEMENT: &str = "h";
/// In the guard of a clause: the end of the list.
const STOP: &str = "stop";

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
fn list_names(rule: &tree::Rule) -> Vec<String> {
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

/// The parts of an expression that look like lists by more than a name.
fn paths_in(e: &tree::Expr) -> Vec<&tree::Expr> {
    match &e.kind {
        ExprKind::Field(..) | ExprKind::Index(..) => vec![e],
        ExprKind::Call(name, _) if name.name == "pre" => vec![e],
        _ => e.children().into_iter().flat_map(paths_in).collect(),
    }
}

/// Whether an element of some list is looked at.
fn looks_at_lists(e: &Expr) -> bool {
    let mut found = false;
    e.map_leaves(&mut |leaf| {
        found |= matches!(leaf, Expr::Slot(_));
        None
    });
    found
}

/// The moment at which a condition is to hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Instant {
    First,
    Last,
    Initial,
}

impl Instant {
    /// The rule that looks at this moment.
    fn rule(self) -> &'static str {
        if self == Instant::Last { "last" } else { "first" }
    }
}

/// The moment a condition speaks of, and the condition on the elements there. An error if it speaks of several.
fn moment(e: &tree::Expr) -> Result<(Option<Instant>, tree::Expr), ()> {
    if let ExprKind::Call(name, args) = &e.kind
        && let [Arg { name: None, value }] = &args[..]
    {
        let moment = match name.name.as_str() {
            "first" => Some(Instant::First),
            "last" => Some(Instant::Last),
            "initial" => Some(Instant::Initial),
            _ => None,
        };
        if let Some(moment) = moment {
            let element = match moment {
                Instant::Initial => {
                    let name = Ident { name: "pre".to_owned(), span: name.span };
                    let kind = ExprKind::Call(name, args.clone());
                    tree::Expr { kind, span: e.span, depth: e.depth }
                }
                _ => value.clone(),
            };
            return Ok((Some(moment), element));
        }
    }
    let mut found = None;
    let mut failed = false;
    let changed = e.map_children(&mut |child| match moment(child) {
        Ok((moment, changed)) => {
            failed |= matches!((found, moment), (Some(a), Some(b)) if a != b);
            found = found.or(moment);
            changed
        }
        Err(()) => {
            failed = true;
            child.clone()
        }
    });
    if failed { Err(()) } else { Ok((found, changed)) }
}

/// Which reads may be absent, and the first local that is free.
struct Reads<'f> {
    may_be_absent: &'f dyn Fn(&Expr) -> bool,
    free: usize,
}

impl Reads<'_> {
    /// The condition, made false wherever it reads something that is absent: each comparison binds what it reads first.
    fn strict_condition(&self, e: Expr) -> Expr {
        match e {
            Expr::Binary(op @ (term::BinaryOp::And | term::BinaryOp::Or), a, b) => {
                Expr::Binary(op, Box::new(self.strict_condition(*a)), Box::new(self.strict_condition(*b)))
            }
            Expr::Unary(term::UnaryOp::Not, a) => Expr::Unary(term::UnaryOp::Not, Box::new(self.strict_condition(*a))),
            // A test says itself what it makes of absence.
            Expr::Test(..) => e,
            atom => {
                let (present, atom) = self.bound(atom);
                present
                    .into_iter()
                    .rev()
                    .fold(atom, |rest, test| Expr::Binary(term::BinaryOp::And, Box::new(test), Box::new(rest)))
            }
        }
    }

    /// The value, absent if something it reads is. A plain read is as absent as what it reads.
    fn strict_value(&self, e: Expr) -> Expr {
        if matches!(e, Expr::Slot(_) | Expr::Local(_) | Expr::Const(_)) {
            return e;
        }
        let (present, value) = self.bound(e);
        present
            .into_iter()
            .rev()
            .fold(value, |rest, test| Expr::If(Box::new(test), Box::new(rest), Box::new(Expr::Const(Value::Absent))))
    }

    /// The expression with its reads replaced by locals, and the tests that bind these.
    fn bound(&self, e: Expr) -> (Vec<Expr>, Expr) {
        let mut reads: Vec<Expr> = vec![];
        let changed = e.map_leaves(&mut |leaf| {
            // A test says itself what it makes of absence.
            if matches!(leaf, Expr::Test(..)) {
                return Some(leaf.clone());
            }
            if !(self.may_be_absent)(leaf) {
                return None;
            }
            let number = reads.iter().position(|read| read == leaf).unwrap_or_else(|| {
                reads.push(leaf.clone());
                reads.len() - 1
            });
            Some(Expr::Local(self.free + number))
        });
        let tests = reads.into_iter().enumerate();
        (tests.map(|(n, read)| Expr::Test(Box::new(read), Pattern::Bind(self.free + n))).collect(), changed)
    }
}

/// Whether a purpose can be used without arguments.
pub fn needs_no_argument(params: &[Parameter]) -> bool {
    params.iter().all(|p| p.default.is_some())
}
