//! Temporal formulas.

use super::Printer;
use super::doc::{Brackets, Doc, Hang, STEP};
use super::expr::{UNREADABLE, level};
use crate::tree::*;

/// Levels of formulas, the weakest first.
const IMPLIES: u8 = 0;
const OR: u8 = 1;
const AND: u8 = 2;
const UNTIL: u8 = 3;
const UNARY: u8 = 4;

fn level_of(formula: &Ltl) -> u8 {
    match formula.kind {
        LtlKind::Implies(..) => IMPLIES,
        LtlKind::Or(..) => OR,
        LtlKind::And(..) => AND,
        LtlKind::Binary(..) => UNTIL,
        _ => UNARY,
    }
}

impl Printer<'_> {
    /// `formula { for all x: ... }`
    pub(super) fn logic(&self, logic: &Logic) -> Doc {
        let mut head = "formula { ".to_owned();
        if !logic.variables.is_empty() {
            let names: Vec<String> = (logic.variables.iter())
                .map(|(name, ty)| {
                    let ty = ty.as_ref().map_or_else(String::new, |ty| format!(" in {}", self.ty(ty)));
                    format!("{}{ty}", name.name)
                })
                .collect();
            head.push_str(if logic.for_all { "for all " } else { "some " });
            head.push_str(&format!("{}: ", names.join(", ")));
        }
        Doc::from(head).then(self.ltl(&logic.body, IMPLIES)).then(" }")
    }

    fn ltl(&self, formula: &Ltl, least: u8) -> Doc {
        let doc = match &formula.kind {
            LtlKind::Atom(expr) => self.expr(expr, level::COMPARED),
            LtlKind::Scoped { pattern, scope, bounds } => {
                let head = self.expr(pattern, level::POSTFIX).then(format!(" {}", scope.word()));
                match &bounds[..] {
                    [] => head,
                    bounds => {
                        let bounds =
                            bounds.iter().map(|bound| (self.notes.places(bound.span), self.expr(bound, level::EXPR)));
                        head.then(" ").then(self.list(Brackets::ROUND, bounds))
                    }
                }
            }
            LtlKind::Not(inner) => Doc::from("!").then(self.ltl(inner, UNARY)),
            LtlKind::Unary(operator, inner) => Doc::from(format!("{} ", operator.text)).then(self.ltl(inner, UNARY)),
            LtlKind::And(..) | LtlKind::Or(..) => self.ltl_chain(formula),
            LtlKind::Implies(left, right) => self.ltl_pair(left, "->", right, IMPLIES),
            LtlKind::Binary(operator, left, right) => self.ltl_pair(left, operator.text, right, UNTIL),
            LtlKind::Error => Doc::from(UNREADABLE),
        };
        if level_of(formula) < least { Doc::from("(").then(doc).then(")") } else { doc }
    }

    /// `f until g`, whose right side goes on in the same way.
    fn ltl_pair(&self, left: &Ltl, operator: &str, right: &Ltl, level: u8) -> Doc {
        let rest = Doc::from(format!("{operator} ")).then(self.ltl(right, level));
        self.chain(self.ltl(left, level + 1), vec![(self.notes.place(left.span.end), rest)], Hang::By(STEP))
    }

    /// `f && g && h` is one chain.
    fn ltl_chain(&self, formula: &Ltl) -> Doc {
        let level = level_of(formula);
        let mut rest = vec![];
        let mut first = formula;
        while let LtlKind::And(left, right) | LtlKind::Or(left, right) = &first.kind
            && level_of(first) == level
        {
            let word = if level == AND { "&& " } else { "|| " };
            let operand = Doc::from(word).then(self.ltl(right, level + 1));
            rest.push((self.notes.place(left.span.end), operand));
            first = left;
        }
        rest.reverse();
        self.chain(self.ltl(first, level), rest, Hang::By(STEP))
    }
}
