//! Purposes, rules and their formulas.

use std::ops::Range;

use super::Printer;
use super::doc::{Brackets, Doc, Gap, Hang, Line, STEP};
use super::expr::{UNREADABLE, level};
use super::item::Row;
use crate::tree::*;

/// Levels of formulas, the weakest first.
const OR: u8 = 0;
const AND: u8 = 1;
const OPERAND: u8 = 2;

fn level_of(formula: &Formula) -> u8 {
    match formula.kind {
        FormulaKind::Or(..) => OR,
        FormulaKind::And(..) => AND,
        _ => OPERAND,
    }
}

impl Printer<'_> {
    /// A purpose on one line if it was written so and fits; constraints are then set apart by three spaces.
    pub(super) fn purpose(&self, purpose: &Purpose) -> Vec<Line> {
        let head = || {
            let word = match purpose.kind {
                PurposeKind::Purpose => "purpose",
                PurposeKind::Items => "items",
                PurposeKind::Property => "property",
            };
            let head = self.head(word, &purpose.name, &purpose.params);
            head.then(" for ").then(self.model_use(&purpose.model))
        };
        let constraints: Vec<Doc> = purpose.constraints.iter().map(|c| self.constraint(c, purpose.kind)).collect();
        if !constraints.is_empty() && self.notes.on_one_line(purpose.span) {
            let flat: Vec<String> = constraints.iter().map(Doc::flat).collect();
            let line = head().then(format!(" {{ {} }}", flat.join("   ")));
            if line.fits(0) {
                return line.lines(0, Gap::Kept);
            }
        }
        let members = constraints.iter().flat_map(|constraint| constraint.lines(STEP, Gap::Kept)).collect();
        self.block(head(), members, purpose.span, 0)
    }

    fn constraint(&self, constraint: &Constraint, kind: PurposeKind) -> Doc {
        match constraint {
            // What never happens in any run is said with the words of properties.
            Constraint::Formula { formula: Formula { kind: FormulaKind::Not(inner), .. }, .. }
                if kind == PurposeKind::Property =>
            {
                Doc::from("never ").then(self.formula(inner, OPERAND))
            }
            Constraint::Length { relation, bound, .. } => {
                let bound = self.expr(bound, level::SUM);
                // `length (` would be a call.
                let bare = *relation == BinaryOp::Equal && !bound.starts_with('(');
                let lead = if bare { "length ".to_owned() } else { format!("length {} ", relation.symbol()) };
                Doc::from(lead).then(bound)
            }
            Constraint::Cover { criterion, .. } => Doc::from("cover ").then(self.model_use(criterion)),
            Constraint::Classes { list, classes, .. } => {
                let head = Doc::from("classes ").then(self.expr(list, level::POSTFIX)).then(" ");
                head.then(self.list(Brackets::BLOCK, classes.iter().map(|class| self.class(class))))
            }
            Constraint::Expect { answer, .. } => Doc::from(format!("expect {}", answer.name)),
            Constraint::Formula { label, formula } => {
                let label = label.as_ref().map_or_else(String::new, |label| format!("{}: ", label.name));
                Doc::from(label).then(self.formula(formula, OR))
            }
            Constraint::Temporal(temporal) => self.temporal(temporal),
        }
    }

    /// A temporal property, its parts one below the other if they do not fit.
    fn temporal(&self, temporal: &Temporal) -> Doc {
        let mut parts = vec![];
        self.temporal_parts(temporal, OR, &mut parts);
        let mut parts = parts.into_iter();
        let first = parts.next().map(|(_, doc)| doc).unwrap_or_else(|| Doc::from(UNREADABLE));
        self.chain(first, parts.collect(), Hang::By(0))
    }

    /// The parts of a temporal property, each with the place of its first token.
    fn temporal_parts(&self, temporal: &Temporal, least: u8, out: &mut Vec<(usize, Doc)>) {
        let place = self.notes.place(temporal.span.start);
        let level = match temporal.kind {
            TemporalKind::Or(..) => OR,
            TemporalKind::And(..) => AND,
            _ => OPERAND,
        };
        if level < least {
            let mut inner = vec![];
            self.temporal_parts(temporal, OR, &mut inner);
            let flat: Vec<String> = inner.iter().map(|(_, doc)| doc.flat()).collect();
            return out.push((place.saturating_sub(1), Doc::from(format!("({})", flat.join(" ")))));
        }
        match &temporal.kind {
            TemporalKind::After(events, then) => {
                out.push((place, Doc::from("after ").then(self.call_events(events))));
                self.temporal_parts(then, OR, out);
            }
            TemporalKind::Before(events, holds) => {
                out.push((place, Doc::from("before ").then(self.call_events(events))));
                self.temporal_parts(holds, OR, out);
            }
            TemporalKind::Unless(holds, events) => {
                self.temporal_parts(holds, OR, out);
                // The word is the token before the first event.
                let word = events.first().map_or(place, |event| self.notes.place(event.span.start).saturating_sub(1));
                out.push((word, Doc::from("unless ").then(self.call_events(events))));
            }
            TemporalKind::And(left, right) | TemporalKind::Or(left, right) => {
                self.temporal_parts(left, level, out);
                let mut operand = vec![];
                self.temporal_parts(right, level + 1, &mut operand);
                let flat: Vec<String> = operand.iter().map(|(_, doc)| doc.flat()).collect();
                let word = if level == AND { "and" } else { "or" };
                out.push((self.notes.place(left.span.end), Doc::from(format!("{word} {}", flat.join(" ")))));
            }
            TemporalKind::Always(held) => out.push((place, Doc::from("always ").then(self.held(held)))),
            TemporalKind::Never(held) => out.push((place, Doc::from("never ").then(self.held(held)))),
            TemporalKind::Error => out.push((place, Doc::from(UNREADABLE))),
        }
    }

    fn held(&self, held: &Held) -> Doc {
        match held {
            Held::Condition(condition) => self.expr(condition, level::EXPR),
            Held::Enabled { call, is_enabled, with } => {
                let not = if *is_enabled { "" } else { "not " };
                Doc::from(format!("{} {not}enabled", call.name)).then(self.such_that(with.as_ref()))
            }
        }
    }

    fn call_events(&self, events: &[CallEvent]) -> Doc {
        let mut out = Doc::from("");
        for (number, event) in events.iter().enumerate() {
            let lead = if number == 0 { "" } else { ", " };
            let event_doc = Doc::from(format!("{lead}{} {}", event.call.name, event.kind.word()));
            out = out.then(event_doc).then(self.such_that(event.with.as_ref()));
        }
        out
    }

    fn such_that(&self, condition: Option<&Expr>) -> Doc {
        condition.map_or_else(|| Doc::from(""), |condition| Doc::from(" with ").then(self.expr(condition, level::EXPR)))
    }

    fn class(&self, class: &Class) -> (Range<usize>, Doc) {
        match class {
            Class::Value(value) => (self.notes.places(value.span), self.over(value)),
            Class::Relation(relation, bound) => {
                // The relation is the token before the bound.
                let places = self.notes.places(bound.span);
                let doc = Doc::from(format!("{} ", relation.symbol())).then(self.expr(bound, level::SUM));
                (places.start.saturating_sub(1)..places.end, doc)
            }
        }
    }

    fn formula(&self, formula: &Formula, least: u8) -> Doc {
        let doc = match &formula.kind {
            FormulaKind::Atom { expr, on } => self.atom(expr, on),
            FormulaKind::And(..) | FormulaKind::Or(..) => self.connective(formula),
            FormulaKind::Drawn(drawn, used) => Doc::from(format!("{} ", drawn.word())).then(self.model_use(used)),
            FormulaKind::Not(inner) => Doc::from("not ").then(self.formula(inner, OPERAND)),
            FormulaKind::Some { variable, ty, body } => {
                let ty = ty.as_ref().map_or_else(String::new, |ty| format!(" in {}", self.ty(ty)));
                Doc::from(format!("some {}{ty}: ", variable.name)).then(self.formula(body, OPERAND))
            }
            FormulaKind::Temporal(logic) => self.logic(logic),
            FormulaKind::Error => Doc::from(UNREADABLE),
        };
        if level_of(formula) < least { Doc::from("(").then(doc).then(")") } else { doc }
    }

    fn atom(&self, expr: &Expr, on: &[Expr]) -> Doc {
        let atom = self.expr(expr, level::COMPARED);
        match on {
            [] => atom,
            [list] => atom.then(" on ").then(self.expr(list, level::POSTFIX)),
            lists => {
                let lists = lists.iter().map(|list| (self.notes.places(list.span), self.expr(list, level::EXPR)));
                atom.then(" on ").then(self.list(Brackets::ROUND, lists))
            }
        }
    }

    /// `a and b and c` is one chain.
    fn connective(&self, formula: &Formula) -> Doc {
        let level = level_of(formula);
        let mut rest = vec![];
        let mut first = formula;
        while let FormulaKind::And(left, right) | FormulaKind::Or(left, right) = &first.kind
            && level_of(first) == level
        {
            let word = if level == AND { "and " } else { "or " };
            let operand = Doc::from(word).then(self.formula(right, level + 1));
            rest.push((self.notes.place(left.span.end), operand));
            first = left;
        }
        rest.reverse();
        self.chain(self.formula(first, level), rest, Hang::By(STEP))
    }

    /// Clauses one below the other, their arrows aligned.
    pub(super) fn rule(&self, rule: &Rule) -> Vec<Line> {
        let rows = rule.clauses.iter().map(|clause| self.clause(clause)).collect();
        let lists: Vec<&str> = rule.lists.iter().map(|list| list.name.as_str()).collect();
        let on = match lists[..] {
            [] => String::new(),
            [only] => format!(" on {only}"),
            _ => format!(" on ({})", lists.join(", ")),
        };
        self.block(self.head("rule", &rule.name, &rule.params).then(on), self.table(rows, STEP), rule.span, 0)
    }

    fn clause(&self, clause: &Clause) -> Row {
        let guard = clause.guard.as_ref().map_or_else(|| Doc::from("else"), |guard| self.expr(guard, level::EXPR));
        let becomes = Doc::from("=> ").then(self.formula(&clause.becomes, OR));
        let cells = vec![guard.flat(), becomes.flat()];
        // The arrow is the token before the formula.
        let arrow = self.notes.place(clause.becomes.span.start).saturating_sub(1);
        let alone = self.chain(guard, vec![(arrow, becomes)], Hang::By(2 * STEP));
        Row { span: clause.span, cells, alone }
    }
}
