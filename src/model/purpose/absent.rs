//! Conditions over lists, where elements may be absent and expressions may have no value.
//!
//! A condition is true or false. Parts of `&&`, `||`, `!`, `if` and what `let`, `match`, `forall` and `exists` say of the names
//! they bind are conditions themselves, wherever they stand. What is left, a comparison as a rule, is false if it reads
//! something that is absent, or has no value; so is a `let`, `match`, `forall` or `exists` whose own value is missing.

use crate::term::{Arm, BinaryOp, Builtin, Expr, Pattern, UnaryOp, Value};

/// Which reads may be absent, and the first local that is free.
pub(super) struct Reads<'f> {
    pub(super) may_be_absent: &'f dyn Fn(&Expr) -> bool,
    pub(super) free: usize,
}

impl Reads<'_> {
    /// The condition, false wherever it reads something that is absent: what reads it binds it first.
    pub(super) fn strict_condition(&self, e: Expr) -> Expr {
        self.condition(&e, self.free)
    }

    /// The value, absent if something it reads is. A plain read is as absent as what it reads.
    pub(super) fn strict_value(&self, e: Expr) -> Expr {
        self.element(&e, self.free)
    }

    /// A condition; locals from `first` on are free.
    fn condition(&self, e: &Expr, first: usize) -> Expr {
        match e {
            Expr::Const(_) => e.clone(),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                Expr::Binary(*op, Box::new(self.condition(a, first)), Box::new(self.condition(b, first)))
            }
            Expr::Unary(UnaryOp::Not, a) => Expr::Unary(UnaryOp::Not, Box::new(self.condition(a, first))),
            Expr::If(c, t, f) => {
                let [c, t, f] = [c, t, f].map(|part| Box::new(self.condition(part, first)));
                Expr::If(c, t, f)
            }
            // A test says itself what it makes of absence, and of what has no value.
            Expr::Test(tested, pattern) => self.bound(first, |walk| {
                let pattern = self.pattern(pattern, walk);
                let tested = walk.free.map_or_else(|| (**tested).clone(), |free| self.element(tested, free));
                Expr::Test(Box::new(or_absent(tested)), pattern)
            }),
            Expr::Let(local, is, body) => self.bound(first, |walk| {
                let is = Box::new(self.value(is, walk));
                Expr::Let(*local, is, Box::new(self.inner(body, walk)))
            }),
            Expr::Quantified(quantifier, local, over, body) => self.bound(first, |walk| {
                let over = Box::new(self.value(over, walk));
                Expr::Quantified(*quantifier, *local, over, Box::new(self.inner(body, walk)))
            }),
            Expr::Match(on, arms) => self.bound(first, |walk| {
                let on = Box::new(self.value(on, walk));
                let arm = |arm: &Arm, walk: &mut Walk| Arm {
                    pattern: self.pattern(&arm.pattern, walk),
                    guard: arm.guard.as_ref().map(|guard| self.inner(guard, walk)),
                    body: self.inner(&arm.body, walk),
                };
                let arms = arms.iter().map(|written| arm(written, walk)).collect();
                Expr::Match(on, arms)
            }),
            _ if (self.may_be_absent)(e) => self.bound(first, |walk| walk.read(e)),
            _ => self.bound(first, |walk| self.parts(e, walk)),
        }
    }

    /// An element of a list: a value that may be absent.
    fn element(&self, e: &Expr, first: usize) -> Expr {
        match e {
            Expr::Slot(_) | Expr::Local(_) | Expr::Const(_) => e.clone(),
            _ if is_condition(e) => self.condition(e, first),
            _ => {
                let (tests, value) = walked(first, |walk| self.value(e, walk));
                let absent = || Box::new(Expr::Const(Value::Absent));
                tests.into_iter().rev().fold(value, |rest, test| Expr::If(Box::new(test), Box::new(rest), absent()))
            }
        }
    }

    /// That everything is there that an atom reads, and it is true.
    fn bound(&self, first: usize, atom: impl Fn(&mut Walk) -> Expr) -> Expr {
        let (tests, atom) = walked(first, atom);
        let atom = if may_be_undefined(&atom) { Expr::Unary(UnaryOp::Holds, Box::new(atom)) } else { atom };
        tests.into_iter().rev().fold(atom, |rest, test| Expr::Binary(BinaryOp::And, Box::new(test), Box::new(rest)))
    }

    /// A condition inside something else.
    fn inner(&self, e: &Expr, walk: &Walk) -> Expr {
        walk.free.map_or_else(|| e.clone(), |free| self.condition(e, free))
    }

    /// A value, with what it reads replaced.
    fn value(&self, e: &Expr, walk: &mut Walk) -> Expr {
        if (self.may_be_absent)(e) {
            walk.read(e)
        } else if is_condition(e) {
            self.inner(e, walk)
        } else {
            self.parts(e, walk)
        }
    }

    /// The same expression with what its parts read replaced.
    fn parts(&self, e: &Expr, walk: &mut Walk) -> Expr {
        match e {
            Expr::If(c, t, f) => {
                let c = Box::new(self.inner(c, walk));
                let t = Box::new(self.value(t, walk));
                Expr::If(c, t, Box::new(self.value(f, walk)))
            }
            Expr::Match(on, arms) => {
                let on = Box::new(self.value(on, walk));
                let arm = |arm: &Arm, walk: &mut Walk| Arm {
                    pattern: self.pattern(&arm.pattern, walk),
                    guard: arm.guard.as_ref().map(|guard| self.inner(guard, walk)),
                    body: self.value(&arm.body, walk),
                };
                let arms = arms.iter().map(|written| arm(written, walk)).collect();
                Expr::Match(on, arms)
            }
            Expr::Comprehension { makes, local, over, condition, key, element } => {
                let over = Box::new(self.value(over, walk));
                let condition = condition.as_ref().map(|condition| Box::new(self.inner(condition, walk)));
                let key = key.as_ref().map(|key| Box::new(self.value(key, walk)));
                let element = Box::new(self.value(element, walk));
                Expr::Comprehension { makes: *makes, local: *local, over, condition, key, element }
            }
            _ => {
                let mut is_whole = true;
                e.map_leaves(&mut |part| (!std::mem::take(&mut is_whole)).then(|| self.value(part, walk)))
            }
        }
    }

    fn pattern(&self, pattern: &Pattern, walk: &mut Walk) -> Pattern {
        pattern.map_leaves(&mut |part| Some(self.value(part, walk)))
    }
}

/// What an atom reads that may be absent: bound to locals from `first` on. The locals after these are not known while the
/// reads are counted.
struct Walk {
    reads: Vec<Expr>,
    first: usize,
    free: Option<usize>,
}

impl Walk {
    fn read(&mut self, e: &Expr) -> Expr {
        let number = self.reads.iter().position(|read| read == e).unwrap_or_else(|| {
            self.reads.push(e.clone());
            self.reads.len() - 1
        });
        Expr::Local(self.first + number)
    }
}

/// The tests that bind what is read, and what stands behind them.
fn walked(first: usize, f: impl Fn(&mut Walk) -> Expr) -> (Vec<Expr>, Expr) {
    let mut walk = Walk { reads: vec![], first, free: None };
    f(&mut walk);
    walk.free = Some(first + walk.reads.len());
    let behind = f(&mut walk);
    let reads = walk.reads.into_iter().enumerate();
    (reads.map(|(n, read)| Expr::Test(Box::new(read), Pattern::Bind(first + n))).collect(), behind)
}

/// Whether an expression is a condition by what it looks like.
fn is_condition(e: &Expr) -> bool {
    match e {
        Expr::Unary(op, _) => *op != UnaryOp::Negate,
        Expr::Binary(op, ..) => matches!(
            op,
            BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Equal
                | BinaryOp::NotEqual
                | BinaryOp::Less
                | BinaryOp::AtMost
                | BinaryOp::In
        ),
        Expr::Quantified(..) | Expr::Test(..) | Expr::Matches(..) | Expr::Builtin(Builtin::Subset, _) => true,
        _ => false,
    }
}

/// Whether an expression may have no value.
fn may_be_undefined(e: &Expr) -> bool {
    let mut found = false;
    e.map_leaves(&mut |part| {
        found |= match part {
            Expr::Binary(BinaryOp::Divide | BinaryOp::Modulo, _, divisor) => {
                !matches!(&**divisor, Expr::Const(value) if *value != Value::int(0) && matches!(value, Value::Int(_)))
            }
            Expr::Builtin(builtin, _) => {
                matches!(builtin, Builtin::Head | Builtin::Tail | Builtin::Last | Builtin::Index | Builtin::Put)
            }
            Expr::Call(..) | Expr::Narrow(..) | Expr::With(..) => true,
            _ => false,
        };
        // What is asked whether it holds has an answer.
        (found || matches!(part, Expr::Unary(UnaryOp::Holds, _))).then(|| part.clone())
    });
    found
}

/// The value, absent where it has none.
fn or_absent(e: Expr) -> Expr {
    if !may_be_undefined(&e) {
        return e;
    }
    let has_value = Expr::Unary(UnaryOp::Holds, Box::new(Expr::Test(Box::new(e.clone()), Pattern::Any)));
    Expr::If(Box::new(has_value), Box::new(e), Box::new(Expr::Const(Value::Absent)))
}
