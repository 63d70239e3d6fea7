//! Shows that a number stays in its range, from what guards and types say, so that `check` warns only where it may not.
//!
//! What is shown here also decides whether a collection keeps its narrow type, so it must be true: a fact counts only where
//! its names still mean the same, only whole numbers have a next one, and no proof asks for another.
//!
//! Expressions are read as sums of multiples of atoms (anything that is not a sum). A bound is shown if it is the sum of
//! at most two known inequalities and something that is not negative. What cannot be shown is a warning, never an error.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::expr::base;
use super::scope::{Binding, Scope};
use crate::syntax::print_expr;
use crate::syntax::tree::{self, BinaryOp, ExprKind, UnaryOp};
use crate::term::{self, Bound, Expr, Type, Value};

/// A sum of multiples of atoms and a number. Atoms go by their text.
#[derive(Clone, Debug, Default, PartialEq)]
struct Linear {
    constant: BigInt,
    terms: BTreeMap<String, BigInt>,
}

impl Linear {
    fn number(n: &BigInt) -> Linear {
        Linear { constant: n.clone(), terms: BTreeMap::new() }
    }

    fn atom(name: String) -> Linear {
        Linear { constant: BigInt::zero(), terms: BTreeMap::from([(name, BigInt::one())]) }
    }

    fn times(mut self, factor: &BigInt) -> Linear {
        self.constant *= factor;
        self.terms.values_mut().for_each(|coefficient| *coefficient *= factor);
        self.terms.retain(|_, coefficient| !coefficient.is_zero());
        self
    }

    fn plus(mut self, other: &Linear) -> Linear {
        self.constant += &other.constant;
        for (atom, coefficient) in &other.terms {
            *self.terms.entry(atom.clone()).or_default() += coefficient;
        }
        self.terms.retain(|_, coefficient| !coefficient.is_zero());
        self
    }

    fn minus(self, other: &Linear) -> Linear {
        self.plus(&other.clone().times(&BigInt::from(-1)))
    }

    fn less_one(mut self) -> Linear {
        self.constant -= 1;
        self
    }

    fn is_natural(&self) -> bool {
        self.terms.is_empty() && !self.constant.is_negative()
    }
}

/// Whether `goal >= 0` follows from at most two of the facts, each meaning `fact >= 0`.
fn follows(goal: &Linear, facts: &[Linear]) -> bool {
    let leaves = |rest: &Linear| rest.is_natural();
    leaves(goal)
        || facts.iter().any(|f| {
            let rest = goal.clone().minus(f);
            leaves(&rest) || facts.iter().any(|g| leaves(&rest.clone().minus(g)))
        })
}

impl Scope<'_> {
    /// Whether the value of an expression is shown to be in a type: a range, or a refinement of one.
    pub(super) fn stays_inside(&mut self, e: &tree::Expr, typed: &Expr, expected: &Type) -> bool {
        if self.proving > 0 {
            return false;
        }
        let (low, high) = match expected {
            Type::Int { low, high } => (low, high),
            Type::Refined(id, base) => {
                return self.stays_inside(e, typed, base) && self.is_refined(e, typed, *id);
            }
            _ => return false,
        };
        let mut atoms = vec![];
        let value = linear(e, &mut atoms);
        let bounds = [low, high].into_iter().flatten().filter_map(|b| self.bound_form(b));
        for name in bounds.flat_map(|form| form.terms.into_keys()) {
            atoms.push(tree::Expr { kind: ExprKind::Name(name), span: e.span, depth: 1 });
        }
        let facts = self.inequalities(atoms);
        let at_least =
            |s: &Self, bound: &Bound| s.bound_form(bound).is_some_and(|b| follows(&value.clone().minus(&b), &facts));
        let at_most = |s: &Self, bound: &Bound| s.bound_form(bound).is_some_and(|b| follows(&b.minus(&value), &facts));
        low.as_ref().is_none_or(|b| at_least(self, b)) && high.as_ref().is_none_or(|b| at_most(self, b))
    }

    /// Whether the condition of a refinement is shown of an expression: each part is a comparison that follows, or a fact.
    fn is_refined(&mut self, e: &tree::Expr, typed: &Expr, refinement: usize) -> bool {
        fn parts<'e>(condition: &'e Expr, out: &mut Vec<&'e Expr>) {
            match condition {
                Expr::Binary(term::BinaryOp::And, a, b) => [a, b].into_iter().for_each(|part| parts(part, out)),
                part => out.push(part),
            }
        }
        let definitions = self.definitions;
        let mut conditions = vec![];
        parts(&definitions.refinements[refinement].condition, &mut conditions);
        let mut atoms = vec![];
        let it = linear(e, &mut atoms);
        let inequalities = self.inequalities(atoms);
        let facts = self.typed_facts();
        conditions.into_iter().all(|condition| {
            let form = |side: &Expr| self.form_of(side, Some(&it));
            let follows = |low: Linear, high: Linear| follows(&high.minus(&low), &inequalities);
            let is_compared = match condition {
                Expr::Binary(term::BinaryOp::Less, a, b) => {
                    form(a).zip(form(b)).is_some_and(|(a, b)| follows(a, b.less_one()))
                }
                Expr::Binary(term::BinaryOp::AtMost, a, b) => form(a).zip(form(b)).is_some_and(|(a, b)| follows(a, b)),
                Expr::Binary(term::BinaryOp::In, x, range) => match &**range {
                    Expr::Range(low, high) => form(x)
                        .zip(form(low))
                        .zip(form(high))
                        .is_some_and(|((x, low), high)| follows(low, x.clone()) && follows(x, high)),
                    _ => false,
                },
                _ => false,
            };
            is_compared || said(condition, typed).is_some_and(|said| facts.contains(&said))
        })
    }

    /// The conditions that hold here, with their names resolved.
    fn typed_facts(&mut self) -> Vec<Expr> {
        let facts: Vec<tree::Expr> = self.supposed().cloned().collect();
        let comparisons = facts.into_iter().filter(|fact| !matches!(fact.kind, ExprKind::Receive(..)));
        comparisons.map(|fact| self.quietly(|s| s.infer(&fact, Some(&Type::Bool)).0)).collect()
    }

    /// Looks at something again that was looked at before, or will be.
    fn quietly<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let (problems, used, locals) = (self.problems.len(), self.used.len(), self.locals);
        self.proving += 1;
        let out = self.nested(f);
        self.proving -= 1;
        self.problems.truncate(problems);
        self.used.truncate(used);
        self.locals = locals;
        out
    }

    /// Whether a divisor is shown not to be zero.
    pub(super) fn nonzero(&mut self, divisor: &tree::Expr) -> bool {
        if self.proving > 0 {
            return true;
        }
        if let ExprKind::Decimal(text) = &divisor.kind {
            return text.chars().any(|c| ('1'..='9').contains(&c));
        }
        let is_zero = |e: &tree::Expr| matches!(&e.kind, ExprKind::Int(n) if n.is_zero());
        let says_so = |fact: &tree::Expr| match &fact.kind {
            ExprKind::Binary(BinaryOp::NotEqual, a, b) => {
                **a == *divisor && is_zero(b) || **b == *divisor && is_zero(a)
            }
            _ => false,
        };
        if self.supposed().any(says_so) {
            return true;
        }
        let mut atoms = vec![];
        let value = linear(divisor, &mut atoms);
        let negative = value.clone().times(&BigInt::from(-1));
        if value.terms.is_empty() {
            return !value.constant.is_zero();
        }
        let facts = self.inequalities(atoms);
        follows(&value.less_one(), &facts) || follows(&negative.less_one(), &facts)
    }

    /// What guards and the types of atoms say, as forms that are not negative.
    fn inequalities(&mut self, mut atoms: Vec<tree::Expr>) -> Vec<Linear> {
        let facts: Vec<tree::Expr> = self.supposed().cloned().collect();
        let mut out = vec![];
        let mut unequal = vec![];
        for fact in &facts {
            let ExprKind::Binary(op, a, b) = &fact.kind else { continue };
            if let (BinaryOp::In, ExprKind::Range(low, high)) = (op, &b.kind) {
                let (x, low, high) = (linear(a, &mut atoms), linear(low, &mut atoms), linear(high, &mut atoms));
                out.push(x.clone().minus(&low));
                out.push(high.minus(&x));
                continue;
            }
            if !matches!(
                op,
                BinaryOp::Less
                    | BinaryOp::AtMost
                    | BinaryOp::Greater
                    | BinaryOp::AtLeast
                    | BinaryOp::Equal
                    | BinaryOp::NotEqual
            ) {
                continue;
            }
            let (a, b) = (linear(a, &mut atoms), linear(b, &mut atoms));
            let (up, down) = (b.clone().minus(&a), a.minus(&b));
            match op {
                BinaryOp::Less => out.push(up.less_one()),
                BinaryOp::AtMost => out.push(up),
                BinaryOp::Greater => out.push(down.less_one()),
                BinaryOp::AtLeast => out.push(down),
                BinaryOp::Equal => out.extend([up, down]),
                _ => unequal.push((up, down)),
            }
        }
        for atom in &atoms {
            let name = print_expr(atom);
            match self.atom_type(atom) {
                Some(Type::Int { low, high }) => {
                    let form = Linear::atom(name);
                    out.extend(low.and_then(|b| self.bound_form(&b)).map(|low| form.clone().minus(&low)));
                    out.extend(high.and_then(|b| self.bound_form(&b)).map(|high| high.minus(&form)));
                }
                // Less than a rational number does not mean one less.
                _ => {
                    out.retain(|form| !form.terms.contains_key(&name));
                    unequal.retain(|(up, _): &(Linear, Linear)| !up.terms.contains_key(&name));
                }
            }
        }
        // `x != 0` says `x >= 1` of a number that is not negative.
        for (up, down) in unequal {
            for form in [up, down] {
                if follows(&form, &out) {
                    out.push(form.less_one());
                }
            }
        }
        out
    }

    fn atom_type(&mut self, atom: &tree::Expr) -> Option<Type> {
        let (_, ty) = self.quietly(|s| s.infer(atom, None));
        matches!(base(&ty), Type::Int { .. }).then(|| base(&ty).clone())
    }

    /// A bound as a form over constants and parameters, which are atoms by their names.
    fn bound_form(&self, bound: &Bound) -> Option<Linear> {
        match bound {
            Bound::Known(n) => Some(Linear::number(n)),
            Bound::Open(expr, _) => self.form_of(expr, None),
        }
    }

    /// The form of an expression over constants, parameters and, in a refinement, the value it is about. A name that means
    /// something else here cannot be an atom.
    fn form_of(&self, expr: &Expr, it: Option<&Linear>) -> Option<Linear> {
        match expr {
            Expr::Const(Value::Int(n)) => Some(Linear::number(n)),
            Expr::Local(0) => it.cloned(),
            Expr::Param(index) => {
                let is_it = |binding: &Binding| matches!(binding, Binding::Param(i, _) if i == index);
                let (name, _) = self.bindings.iter().find(|(_, b)| is_it(b))?;
                self.is_parameter(name, Some(*index)).then(|| Linear::atom(name.clone()))
            }
            Expr::Global(id) => {
                let (name, _) = self.names.constants.iter().find(|(_, (number, _))| number == id)?;
                self.is_parameter(name, None).then(|| Linear::atom(name.clone()))
            }
            Expr::Binary(term::BinaryOp::Add, a, b) => Some(self.form_of(a, it)?.plus(&self.form_of(b, it)?)),
            Expr::Binary(term::BinaryOp::Subtract, a, b) => Some(self.form_of(a, it)?.minus(&self.form_of(b, it)?)),
            Expr::Unary(term::UnaryOp::Negate, a) => Some(self.form_of(a, it)?.times(&BigInt::from(-1))),
            _ => None,
        }
    }
}

/// The condition of a refinement about an expression; none if it binds names.
fn said(condition: &Expr, of: &Expr) -> Option<Expr> {
    let mut binds = false;
    let said = condition.map_leaves(&mut |leaf| {
        binds |= matches!(leaf, Expr::Local(local) if *local > 0);
        binds |= matches!(leaf, Expr::Let(..) | Expr::Match(..) | Expr::Test(..));
        binds |= matches!(leaf, Expr::Quantified(..) | Expr::Comprehension { .. });
        (*leaf == Expr::Local(0)).then(|| of.clone())
    });
    (!binds).then_some(said)
}

/// An expression as a sum; what is no sum becomes an atom.
fn linear(e: &tree::Expr, atoms: &mut Vec<tree::Expr>) -> Linear {
    match &e.kind {
        ExprKind::Int(n) => Linear::number(n),
        ExprKind::Unary(UnaryOp::Negate, a) => linear(a, atoms).times(&BigInt::from(-1)),
        ExprKind::Binary(BinaryOp::Add, a, b) => linear(a, atoms).plus(&linear(b, atoms)),
        ExprKind::Binary(BinaryOp::Subtract, a, b) => linear(a, atoms).minus(&linear(b, atoms)),
        ExprKind::Binary(BinaryOp::Multiply, a, b) => match (&a.kind, &b.kind) {
            (ExprKind::Int(n), _) => linear(b, atoms).times(n),
            (_, ExprKind::Int(n)) => linear(a, atoms).times(n),
            _ => atom(e, atoms),
        },
        _ => atom(e, atoms),
    }
}

fn atom(e: &tree::Expr, atoms: &mut Vec<tree::Expr>) -> Linear {
    if !atoms.contains(e) {
        atoms.push(e.clone());
    }
    Linear::atom(print_expr(e))
}

/// The opposite of a comparison.
pub(super) fn negation(condition: &tree::Expr) -> Option<tree::Expr> {
    let ExprKind::Binary(op, a, b) = &condition.kind else { return None };
    let op = match op {
        BinaryOp::Less => BinaryOp::AtLeast,
        BinaryOp::AtMost => BinaryOp::Greater,
        BinaryOp::Greater => BinaryOp::AtMost,
        BinaryOp::AtLeast => BinaryOp::Less,
        BinaryOp::Equal => BinaryOp::NotEqual,
        BinaryOp::NotEqual => BinaryOp::Equal,
        _ => return None,
    };
    Some(tree::Expr { kind: ExprKind::Binary(op, a.clone(), b.clone()), ..condition.clone() })
}
