//! Reads of elements that may be absent.

use crate::term::{self, Expr, Pattern, Value};

/// Which reads may be absent, and the first local that is free.
pub(super) struct Reads<'f> {
    pub(super) may_be_absent: &'f dyn Fn(&Expr) -> bool,
    pub(super) free: usize,
}

impl Reads<'_> {
    /// The condition, made false wherever it reads something that is absent: each comparison binds what it reads first.
    pub(super) fn strict_condition(&self, e: Expr) -> Expr {
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
    pub(super) fn strict_value(&self, e: Expr) -> Expr {
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
    pub(super) fn bound(&self, e: Expr) -> (Vec<Expr>, Expr) {
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
