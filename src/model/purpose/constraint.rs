//! Constraints of a purpose: lengths, what is to be covered, classes, formulas.

use std::collections::BTreeSet;
use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::temporal::Atoms;
use super::{Block, Checker, KnownValues, Origin, Surroundings};
use crate::diagnostic::Severity;
use crate::history::{Class, Constraint, Criterion, CriterionArg, Formula, Length, NoItems, Purpose, Wanted};
use crate::model::assemble::Assembler;
use crate::model::checked::DeclaredPurpose;
use crate::model::problem::{Problem, near};
use crate::model::scope::{self, Binding};
use crate::syntax::tree::{self, BinaryOp, Drawn, ExprKind, FormulaKind, ModelUse, PurposeKind};
use crate::syntax::{Span, print_expr};
use crate::term::{Expr, Pattern, Type, UnaryOp, Value};

impl Checker<'_> {
    /// Reads all constraints of a purpose or a block, as items or not.
    pub(super) fn block(&mut self, written: &tree::Purpose, kind: PurposeKind, purpose: &mut Purpose) {
        let labels = written.constraints.iter().filter_map(|constraint| match constraint {
            tree::Constraint::Formula { label, .. } => label.as_ref(),
            _ => None,
        });
        let mut known = BTreeSet::new();
        for label in labels {
            if !known.insert(&label.name) {
                self.report(Problem::Duplicate { name: label.name.clone() }, label.span);
            }
        }
        self.blocks.push(Block { name: written.name.name.clone(), kind });
        for constraint in &written.constraints {
            self.constraint(constraint, purpose);
        }
        self.blocks.pop();
    }

    fn constraint(&mut self, written: &tree::Constraint, purpose: &mut Purpose) {
        match written {
            tree::Constraint::Length { relation, bound, span } => {
                if let Some(length) = self.length(*relation, bound) {
                    purpose.length.push((length, *span));
                }
            }
            tree::Constraint::Cover { criterion, span } => self.cover(criterion, *span, purpose),
            tree::Constraint::Classes { list, classes, span } => {
                let is_item = self.reads_items();
                if !purpose.classes.is_empty() && !is_item {
                    self.report(Problem::SeveralClassifications, *span);
                    return;
                }
                let known = self.bindings.clone();
                let Some((element, _)) = self.list_expr(list, &known) else { return };
                let present = Expr::Test(Box::new(element), Pattern::Any);
                let classes = classes.iter().filter_map(|class| self.class(list, &present, class)).collect();
                if is_item {
                    let name = print_expr(list);
                    let item = |Class { text, span, formula }: Class| Constraint {
                        item: Some(format!("{name}: {text}")),
                        label: None,
                        span,
                        formula,
                        acceptor: None,
                    };
                    let classes: Vec<Class> = classes;
                    purpose.constraints.extend(classes.into_iter().map(item));
                } else {
                    purpose.classes = classes;
                }
            }
            tree::Constraint::Expect { .. } if self.reads_items() => {}
            tree::Constraint::Expect { answer, .. } => {
                if answer.name != "impossible" {
                    self.report(Problem::UnknownExpectation { name: answer.name.clone() }, answer.span);
                }
                purpose.expects_impossible = true;
            }
            tree::Constraint::Temporal(temporal) => {
                let Some(property) = self.property(temporal) else { return };
                let mut atoms = Atoms::default();
                let formula = property.formula(&mut |list| atoms.condition(list.clone()));
                let span = temporal.span;
                if let Some((formula, acceptor)) = self.acceptor(&formula, atoms, true, span) {
                    let acceptor = Some(acceptor);
                    purpose.constraints.push(Constraint { item: None, label: None, span, formula, acceptor });
                }
                purpose.property = Some(property);
            }
            tree::Constraint::Formula { label, formula } => {
                let top = Surroundings { origin: Origin::User, lists: None, blame: None };
                let known = self.bindings.clone();
                let span = formula.span;
                let temporal = match &formula.kind {
                    FormulaKind::Temporal(logic) => Some(self.logic(logic, true, span)),
                    FormulaKind::Not(inner) => match &inner.kind {
                        FormulaKind::Temporal(logic) => Some(self.contrary(logic, span)),
                        _ => None,
                    },
                    _ => None,
                };
                let (formula, acceptor) = match (temporal, &formula.kind) {
                    (Some(None), _) => return,
                    (Some(Some((formula, acceptor))), _) => (formula, Some(acceptor)),
                    (None, kind) => {
                        let is_match = match kind {
                            FormulaKind::Drawn(Drawn::Match, _) => true,
                            // The automaton is that of the contrary.
                            FormulaKind::Not(inner) => {
                                self.reads_property() && matches!(inner.kind, FormulaKind::Drawn(Drawn::Match, _))
                            }
                            _ => false,
                        };
                        self.matched = None;
                        let formula = self.formula(formula, &top, &known, true);
                        (formula, self.matched.take().filter(|_| is_match))
                    }
                };
                let label = label.as_ref().map(|label| label.name.clone());
                purpose.constraints.push(Constraint { item: None, label, span, formula, acceptor });
            }
        }
    }

    /// The value of a whole number that is known before anything runs.
    pub(super) fn number(&mut self, written: &tree::Expr, what: &str) -> Option<BigInt> {
        let known = self.bindings.clone();
        let expr = self.scoped(false, None, None, known, 0, |scope| scope.check(written, &Type::INT));
        match crate::model::declare::constant(&expr, &self.histories.definitions) {
            Ok(Value::Int(n)) => Some(n),
            Ok(_) => None,
            Err(failure) => {
                // A name that is not known has been reported.
                if !self.problems.iter().any(|p| p.severity == Severity::Error) {
                    let reason = failure.to_string();
                    self.report(Problem::ArgumentFails { what: what.to_owned(), reason }, written.span);
                }
                None
            }
        }
    }

    fn length(&mut self, relation: BinaryOp, bound: &tree::Expr) -> Option<Length> {
        let value = self.number(bound, "the length")?;
        let from = |n: BigInt| if n < 0.into() { 0 } else { n.to_usize().unwrap_or(usize::MAX) };
        // No run has fewer than no steps: an upper bound below zero leaves nothing.
        let nothing = Length { low: 1, high: Some(0) };
        let up_to = |n: BigInt| {
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

    /// Adds the items of a criterion, or of a block of items.
    fn cover(&mut self, written: &ModelUse, span: Span, purpose: &mut Purpose) {
        let name = &written.name.name;
        let args: Vec<CriterionArg> = match written.args.iter().map(|arg| self.criterion_arg(arg)).collect() {
            Some(args) => args,
            None => return,
        };
        let criterion = Criterion { name: name.clone(), args };
        let items = self.criteria.items(&criterion);
        let is_built_in = !matches!(items, Err(NoItems::Unknown(_)));
        // What is declared hides what is built in, as with rules; only inside itself it would be of no use.
        let checked = self.checked;
        let is_inside = self.blocks.iter().any(|block| block.name == *name);
        if let Some(block) = checked.purposes.iter().find(|p| p.tree.name.name == *name)
            && !(is_inside && is_built_in)
        {
            return self.cover_block(block, written, purpose);
        }
        match items {
            Ok(items) => {
                for item in items {
                    let formula = self.wanted(item.wanted, span);
                    purpose.constraints.push(Constraint {
                        item: Some(item.name),
                        label: None,
                        span,
                        formula,
                        acceptor: None,
                    });
                }
            }
            Err(NoItems::Unknown(known)) => {
                let declared = checked.purposes.iter().map(|p| p.tree.name.name.as_str());
                let known = known.into_iter().chain(declared);
                let near = near(&criterion.name, known);
                self.report(Problem::UnknownCriterion { name: criterion.name, near }, written.name.span);
            }
            Err(NoItems::Arguments(expected)) => {
                let expected = expected.to_owned();
                self.report(Problem::CriterionArguments { name: criterion.name, expected }, written.span);
            }
            Err(NoItems::Name(name, known)) => {
                let near = near(&name, known.iter().map(String::as_str));
                self.report(Problem::NothingToCover { name, near }, written.span);
            }
        }
    }

    /// The items of a block or a purpose: its constraints and classes, with its own parameters. Lengths hold for every
    /// sequence; what is expected of the answer is not asked here.
    fn cover_block(&mut self, block: &DeclaredPurpose, written: &ModelUse, purpose: &mut Purpose) {
        let name = &block.tree.name.name;
        if self.blocks.iter().any(|block| block.name == *name) {
            return self.report(Problem::ItemsOfThemselves { name: name.clone() }, written.name.span);
        }
        if block.tree.kind == PurposeKind::Property {
            return self.report(Problem::CoversProperty { name: name.clone() }, written.name.span);
        }
        if block.tree.model.name.name != purpose.model {
            let (purpose, model) = (name.clone(), block.tree.model.name.name.clone());
            return self.report(Problem::OtherModel { purpose, model }, written.name.span);
        }
        let mut assembler = Assembler::new(self.checked);
        // Parameters of the purpose are known in the arguments.
        assembler.known = self.known_values();
        let Some(values) = assembler.arguments(name, &block.params, &written.args, written.span) else {
            return assembler.problems.into_iter().for_each(|problem| self.add(problem));
        };
        let known = block.params.iter().zip(values);
        let bindings = known.map(|(p, value)| (p.name.clone(), Binding::Known(value, p.ty.clone()))).collect();
        let outside = std::mem::replace(&mut self.bindings, bindings);
        self.block(&block.tree, PurposeKind::Items, purpose);
        self.bindings = outside;
    }

    /// Whether what is read are items, each for itself, and not constraints that hold together.
    fn reads_items(&self) -> bool {
        self.blocks.last().is_some_and(|block| block.kind == PurposeKind::Items)
    }

    /// Parameters that have values.
    pub(super) fn known_values(&self) -> KnownValues {
        let known = self.bindings.iter().filter_map(|(name, binding)| match binding {
            Binding::Known(value, ty) => Some((name.clone(), value.clone(), ty.clone())),
            _ => None,
        });
        known.collect()
    }

    /// A number, or the name of something in the model.
    fn criterion_arg(&mut self, arg: &tree::Arg) -> Option<CriterionArg> {
        let known = self.bindings.clone();
        let is_value = |name: &str| known.iter().any(|(known, _)| known == name);
        match scope::path(&arg.value) {
            Some(name) if !is_value(&name) && !self.checked.names.constants.contains_key(&name) => {
                Some(CriterionArg::Name(name))
            }
            _ => {
                let number = self.number(&arg.value, "the argument")?;
                Some(CriterionArg::Number(number.to_usize().unwrap_or(usize::MAX)))
            }
        }
    }

    /// What it means to cover an item.
    fn wanted(&mut self, wanted: Wanted, span: Span) -> Formula {
        let typed = |checker: &mut Self, list: usize| {
            let ty = checker.histories.entries[list].ty.clone();
            (checker.add_list(Expr::Slot(list), ty.clone()), ty)
        };
        let values = |values: Vec<Value>| Expr::Const(Value::List(Arc::new(values)));
        match wanted {
            Wanted::Element(list, value) => {
                let list = typed(self, list);
                self.library_use("member", vec![list], vec![Expr::Const(value)], span)
            }
            Wanted::Visit(list, before, value) => {
                let is_initial = self.histories.initial.get(&before) == Some(&value);
                let elsewhere = Expr::Unary(UnaryOp::Not, Box::new(Expr::slot_is(before, value.clone())));
                let later = typed(self, list);
                let later = self.library_use("member", vec![later], vec![Expr::Const(value.clone())], span);
                let first = if is_initial {
                    // That it does not begin elsewhere is true of a run without steps, too.
                    let elsewhere = self.condition_list(elsewhere);
                    let first = self.library_use("first", vec![elsewhere], vec![Expr::TRUE], span);
                    Formula::Not(Box::new(first))
                } else {
                    let before = typed(self, before);
                    self.library_use("first", vec![before], vec![Expr::Const(value)], span)
                };
                Formula::Any(vec![later, first])
            }
            Wanted::InTurn(list, elements, pause) => {
                let list = typed(self, list);
                self.library_use("in_turn", vec![list], vec![values(elements), Expr::Const(pause)], span)
            }
            Wanted::Next(list, [first, second], related) => {
                let codes = codes(list, [&first, &second, &related]);
                let list = (self.add_list(codes, Type::INT), Type::INT);
                let with = |bit: i64| {
                    let codes = (0..8).filter(|code| code & bit != 0);
                    values(codes.map(Value::int).collect())
                };
                self.library_use("next_related", vec![list], vec![with(1), with(2), with(4)], span)
            }
            Wanted::Condition(condition) => {
                let list = self.condition_list(condition);
                self.library_use("member", vec![list], vec![Expr::TRUE], span)
            }
            Wanted::Without(here, condition) => {
                let lists = vec![self.condition_list(here), self.condition_list(condition)];
                self.library_use("without", lists, vec![], span)
            }
        }
    }

    /// A condition as a list. What it binds comes after the values that exist once for a run.
    fn condition_list(&mut self, condition: Expr) -> (usize, Type) {
        let first = self.open.len();
        let condition = condition.renumber_locals(&|local| local + first);
        (self.add_list(condition, Type::Bool), Type::Bool)
    }

    /// A class by the first present value of a list.
    fn class(&mut self, list: &tree::Expr, present: &Expr, class: &tree::Class) -> Option<Class> {
        let (op, with, text) = match class {
            tree::Class::Value(value) => {
                let op = if matches!(value.kind, ExprKind::Range(..)) { BinaryOp::In } else { BinaryOp::Equal };
                (op, value, print_expr(value))
            }
            tree::Class::Relation(op, bound) => (*op, bound, format!("{} {}", op.symbol(), print_expr(bound))),
        };
        let (known, span) = (self.bindings.clone(), with.span);
        let locals = self.open.len();
        let (inside, _) = self.listed(&known, locals, |scope| scope.binary(op, list, with, None, span))?;
        let lists = [present.clone(), inside].map(|list| (self.add_list(list, Type::Bool), Type::Bool)).to_vec();
        let formula = self.library_use("falls_in", lists, vec![], span);
        Some(Class { text, span, formula })
    }
}

/// The elements of a list as numbers: in which of three sets they are, by bits. Elements in the same sets are the same.
fn codes(list: usize, sets: [&Vec<Value>; 3]) -> Expr {
    let code = |value: &Value| (0..3).filter(|set| sets[*set].contains(value)).map(|set| 1i64 << set).sum::<i64>();
    let mut out = Expr::Const(Value::int(0));
    for wanted in 1..8 {
        let mut members: Vec<&Value> = sets.iter().flat_map(|set| set.iter()).filter(|v| code(v) == wanted).collect();
        members.sort();
        members.dedup();
        if let Some(is_one) = Expr::any(members.into_iter().map(|value| Expr::slot_is(list, value.clone()))) {
            out = Expr::If(Box::new(is_one), Box::new(Expr::Const(Value::int(wanted))), Box::new(out));
        }
    }
    out
}
