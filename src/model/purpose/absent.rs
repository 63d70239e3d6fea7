//! Conditions over lists: elements that they read may be absent, and what they compute may have no value.
//!
//! The smallest condition becomes false then: a comparison, a test, a call, whatever is not put together from conditions by
//! `!`, `&&`, `||`, `if`, `let`, `match` or a quantifier. So a condition means the same wherever it stands, alone or inside of
//! another expression.

use std::cell::Cell;
use std::collections::BTreeSet;

use crate::term::{Arm, BinaryOp, Builtin, Definitions, Expr, Pattern, UnaryOp, Value};

/// Which reads may be absent, and the first local that is free.
pub(super) struct Reads<'f> {
    may_be_absent: &'f dyn Fn(&Expr) -> bool,
    definitions: &'f Definitions,
    free: Cell<usize>,
}

impl<'f> Reads<'f> {
    pub(super) fn new(
        may_be_absent: &'f dyn Fn(&Expr) -> bool,
        definitions: &'f Definitions,
        free: usize,
    ) -> Reads<'f> {
        Reads { may_be_absent, definitions, free: Cell::new(free) }
    }

    /// The condition, in which every smallest one is false where it reads something that is absent, or has no value.
    pub(super) fn strict_condition(&self, e: Expr) -> Expr {
        let condition = |e: Box<Expr>| Box::new(self.strict_condition(*e));
        match e {
            Expr::Const(_) => e,
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => Expr::Binary(op, condition(a), condition(b)),
            Expr::Unary(UnaryOp::Not, a) => Expr::Unary(UnaryOp::Not, condition(a)),
            Expr::If(c, a, b) => Expr::If(condition(c), condition(a), condition(b)),
            // These are false as a whole where what they look at first has no value.
            Expr::Let(local, value, body) => {
                let value = Box::new(self.with_conditions(*value));
                self.decided(Expr::Let(local, value, condition(body)))
            }
            Expr::Match(e, arms) => {
                let e = Box::new(self.with_conditions(*e));
                let arms = self.arms(arms, &|body| self.strict_condition(body));
                self.decided(Expr::Match(e, arms))
            }
            Expr::Quantified(quantifier, local, over, body) => {
                let over = Box::new(self.with_conditions(*over));
                self.decided(Expr::Quantified(quantifier, local, over, condition(body)))
            }
            smallest => {
                let mut is_whole = true;
                let changed = smallest.map_leaves(&mut |part| {
                    if std::mem::take(&mut is_whole) { None } else { self.condition_inside(part) }
                });
                self.decided(changed)
            }
        }
    }

    /// The value, absent if something it reads is. A plain read is as absent as what it reads.
    pub(super) fn strict_value(&self, e: Expr) -> Expr {
        if matches!(e, Expr::Slot(_) | Expr::Local(_) | Expr::Const(_)) {
            return e;
        }
        let (present, value) = self.bound(self.with_conditions(e));
        present
            .into_iter()
            .rev()
            .fold(value, |rest, test| Expr::If(Box::new(test), Box::new(rest), Box::new(Expr::Const(Value::Absent))))
    }

    /// A value with the conditions inside of it made strict.
    fn with_conditions(&self, e: Expr) -> Expr {
        e.map_leaves(&mut |part| self.condition_inside(part))
    }

    /// A part of a value, if it is a condition or has some in plain sight.
    fn condition_inside(&self, part: &Expr) -> Option<Expr> {
        let value = |e: &Expr| Box::new(self.with_conditions(e.clone()));
        match part {
            Expr::Unary(UnaryOp::Not | UnaryOp::Holds, _)
            | Expr::Binary(
                BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Equal
                | BinaryOp::NotEqual
                | BinaryOp::Less
                | BinaryOp::AtMost
                | BinaryOp::In,
                ..,
            )
            | Expr::Quantified(..)
            | Expr::Matches(..)
            | Expr::Test(..)
            | Expr::Builtin(Builtin::Subset, _) => Some(self.strict_condition(part.clone())),
            Expr::If(c, a, b) => {
                let c = Box::new(self.strict_condition((**c).clone()));
                Some(Expr::If(c, value(a), value(b)))
            }
            Expr::Match(e, arms) => {
                Some(Expr::Match(value(e), self.arms(arms.clone(), &|body| self.with_conditions(body))))
            }
            Expr::Comprehension { makes, local, over, condition, key, element } => Some(Expr::Comprehension {
                makes: *makes,
                local: *local,
                over: value(over),
                condition: condition.as_ref().map(|condition| Box::new(self.strict_condition((**condition).clone()))),
                key: key.as_ref().map(|key| value(key)),
                element: value(element),
            }),
            _ => None,
        }
    }

    fn arms(&self, arms: Vec<Arm>, body: &dyn Fn(Expr) -> Expr) -> Vec<Arm> {
        let arm = |arm: Arm| Arm {
            pattern: arm.pattern,
            guard: arm.guard.map(|guard| self.strict_condition(guard)),
            body: body(arm.body),
        };
        arms.into_iter().map(arm).collect()
    }

    /// A condition whose parts are strict: false where it reads something that is absent, or has no value. It binds what it
    /// reads first.
    fn decided(&self, e: Expr) -> Expr {
        // A test says itself what it makes of absence.
        let (present, e) = if matches!(e, Expr::Test(..)) { (vec![], e) } else { self.bound(e) };
        let decided = match may_fail(&e, self.definitions, &mut BTreeSet::new()) {
            true => Expr::Unary(UnaryOp::Holds, Box::new(e)),
            false => e,
        };
        let both = |rest: Expr, test: Expr| Expr::Binary(BinaryOp::And, Box::new(test), Box::new(rest));
        present.into_iter().rev().fold(decided, both)
    }

    /// The expression with its reads replaced by locals, and the tests that bind these. Strict parts have bound what they read.
    fn bound(&self, e: Expr) -> (Vec<Expr>, Expr) {
        let first = self.free.get();
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
            Some(Expr::Local(first + number))
        });
        self.free.set(first + reads.len());
        let tests = reads.into_iter().enumerate();
        (tests.map(|(n, read)| Expr::Test(Box::new(read), Pattern::Bind(first + n))).collect(), changed)
    }
}

/// Whether an expression over values may have none. Functions that were looked at are in `seen`.
fn may_fail(e: &Expr, definitions: &Definitions, seen: &mut BTreeSet<usize>) -> bool {
    let mut found = false;
    e.map_leaves(&mut |part| {
        found = found
            || match part {
                Expr::Param(_) | Expr::Narrow(..) => true,
                Expr::Binary(BinaryOp::Divide | BinaryOp::Modulo, _, divisor) => match &**divisor {
                    Expr::Const(Value::Int(n)) => *n == 0.into(),
                    _ => true,
                },
                Expr::Match(_, arms) => {
                    let is_last =
                        |arm: &Arm| arm.guard.is_none() && matches!(arm.pattern, Pattern::Any | Pattern::Bind(_));
                    !arms.last().is_some_and(is_last)
                }
                Expr::Builtin(builtin, _) => !matches!(
                    builtin,
                    Builtin::Size
                        | Builtin::Append
                        | Builtin::Reverse
                        | Builtin::Get
                        | Builtin::Insert
                        | Builtin::Union
                        | Builtin::Intersect
                        | Builtin::Minus
                        | Builtin::Subset
                        | Builtin::Keys
                        | Builtin::Values
                        | Builtin::ToSet
                        | Builtin::Floor
                        | Builtin::Abs
                        | Builtin::Min
                        | Builtin::Max
                ),
                Expr::Call(function, _) => {
                    seen.insert(*function) && may_fail(&definitions.functions[*function].body, definitions, seen)
                }
                // What is asked here is whether it has a value, and then it has one.
                Expr::Unary(UnaryOp::Holds, _) => return Some(part.clone()),
                _ => false,
            };
        found.then(|| part.clone())
    });
    found
}
