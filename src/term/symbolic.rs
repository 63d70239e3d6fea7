//! The meaning of an expression over open values: a term, and the condition under which it has a value.
//!
//! Follows [`super::eval`] case by case. What cannot be expressed as a term (a recursion that does not end on open data, a
//! loop over an open range) is [`Unsupported`]; nothing is guessed.

use num_traits::ToPrimitive;
use thiserror::Error;

use rustc_hash::FxHashMap;

use super::expr::{BinaryOp, Builtin, Collection, Expr, Pattern, UnaryOp};
use super::terms::{Node, Sort, Term, Terms};
use super::ty::{Bound, Definitions, Type, TypeId};
use super::value::Value;
use crate::syntax::tree::Quantifier;

/// Deepest nesting of calls on open data.
const MAX_CALLS: u32 = 64;
/// Most calls in one expression.
const MAX_UNFOLDINGS: u32 = 20_000;
/// Most members of a set that are sorted out one by one.
const MAX_FILTERED: usize = 8;
/// Most ways to choose between structures in one expression.
const MAX_CHOICES: u32 = 50_000;
/// Most members of a range that a loop runs over.
const MAX_RANGE: i64 = 10_000;

/// Why an expression over open values has no term.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Unsupported(pub String);

fn unsupported<T>(what: impl Into<String>) -> Result<T, Unsupported> {
    Err(Unsupported(what.into()))
}

/// A value and the condition under which there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partial {
    /// The value; without meaning where it is not defined.
    pub value: Term,
    /// When it is defined.
    pub defined: Term,
}

/// Places of bound names.
pub type OpenFrame = Vec<Option<Term>>;

/// Evaluates expressions to terms.
#[derive(Debug)]
pub struct Symbolic<'a> {
    /// Where terms are made.
    pub terms: &'a mut Terms,
    /// Types, functions, constants.
    pub definitions: &'a Definitions,
    /// Values of the slots.
    pub slots: &'a [Term],
    depth: u32,
    unfoldings: u32,
    choices: u32,
    calls: FxHashMap<(usize, Vec<Term>), Partial>,
}

type Result1<T = Partial> = Result<T, Unsupported>;

impl<'a> Symbolic<'a> {
    /// An evaluator over the given slots.
    pub fn new(terms: &'a mut Terms, definitions: &'a Definitions, slots: &'a [Term]) -> Symbolic<'a> {
        Symbolic { terms, definitions, slots, depth: 0, unfoldings: 0, choices: 0, calls: FxHashMap::default() }
    }

    fn total(&mut self, value: Term) -> Partial {
        Partial { value, defined: self.terms.bool(true) }
    }

    fn truth(&mut self, truth: bool) -> Partial {
        let value = self.terms.bool(truth);
        self.total(value)
    }

    /// Whether a condition holds: where it is undefined, it does not.
    pub fn condition(&mut self, expr: &Expr, frame: &mut OpenFrame) -> Result1<Term> {
        let Partial { value, defined } = self.eval(expr, frame)?;
        Ok(self.terms.and(defined, value))
    }

    /// The value of an expression.
    pub fn eval(&mut self, expr: &Expr, frame: &mut OpenFrame) -> Result1 {
        match expr {
            Expr::Const(value) => {
                let value = self.terms.constant(value.clone());
                Ok(self.total(value))
            }
            Expr::Slot(slot) => {
                let value = self.slots[*slot];
                Ok(self.total(value))
            }
            Expr::Local(local) => match frame.get(*local).copied().flatten() {
                Some(value) => Ok(self.total(value)),
                None => unsupported("a name without a value"),
            },
            Expr::Param(_) => unsupported("a parameter without a value"),
            Expr::Global(id) => match &self.definitions.constants[*id] {
                Some(value) => {
                    let value = self.terms.constant(value.clone());
                    Ok(self.total(value))
                }
                None => unsupported("a constant without a value"),
            },
            Expr::Unary(op, a) => {
                let a = self.eval(a, frame)?;
                match op {
                    UnaryOp::Not => Ok(Partial { value: self.terms.not(a.value), ..a }),
                    UnaryOp::Negate => Ok(Partial { value: self.terms.negate(a.value), ..a }),
                    UnaryOp::Holds => {
                        let value = self.terms.and(a.defined, a.value);
                        Ok(self.total(value))
                    }
                }
            }
            Expr::Binary(op, a, b) => self.binary(*op, a, b, frame),
            Expr::If(c, a, b) => {
                let c = self.eval(c, frame)?;
                self.branch(c, |s| s.eval(a, &mut frame.clone()), |s| s.eval(b, &mut frame.clone()))
            }
            Expr::Match(scrutinee, arms) => {
                let scrutinee = self.eval(scrutinee, frame)?;
                let result = self.arms(scrutinee.value, arms, frame)?;
                Ok(self.also(result, scrutinee.defined))
            }
            Expr::Let(local, value, body) => {
                let value = self.eval(value, frame)?;
                bind(frame, *local, value.value);
                let body = self.eval(body, frame)?;
                Ok(self.also(body, value.defined))
            }
            Expr::Call(id, args) => {
                let (args, defined) = self.all(args, frame)?;
                let result = self.call(*id, args)?;
                Ok(self.also(result, defined))
            }
            Expr::Builtin(id, args) => {
                let (args, defined) = self.all(args, frame)?;
                let result = self.below_choices(args, &mut |s, args| s.builtin(*id, args))?;
                Ok(self.also(result, defined))
            }
            Expr::Construct(ty, constructor, args) => {
                let (args, defined) = self.all(args, frame)?;
                Ok(Partial { value: self.terms.data(*ty, *constructor, args), defined })
            }
            Expr::Field(record, field) => {
                let record = self.eval(record, frame)?;
                let value = self.field(record.value, 0, *field);
                match value {
                    Some(value) => Ok(Partial { value, ..record }),
                    None => unsupported("a field of something that has none"),
                }
            }
            Expr::With(record, changes) => {
                let record = self.eval(record, frame)?;
                let (fields, exprs): (Vec<usize>, Vec<Expr>) = changes.iter().cloned().unzip();
                let (values, defined) = self.all(&exprs, frame)?;
                let value = self.terms.below_choices(record.value, &mut |terms, leaf| match terms.as_data(leaf) {
                    Some((ty, constructor, mut args)) => {
                        for (field, value) in fields.iter().zip(&values) {
                            args[*field] = *value;
                        }
                        terms.data(ty, constructor, args)
                    }
                    None => leaf,
                });
                let defined = self.terms.and(record.defined, defined);
                Ok(Partial { value, defined })
            }
            Expr::List(elements) => {
                let (elements, defined) = self.all(elements, frame)?;
                Ok(Partial { value: self.terms.list(elements), defined })
            }
            Expr::Set(members) => {
                let (members, defined) = self.all(members, frame)?;
                Ok(Partial { value: self.terms.set(members), defined })
            }
            Expr::Map(entries) => {
                let (keys, values): (Vec<Expr>, Vec<Expr>) = entries.iter().cloned().unzip();
                let (keys, keys_defined) = self.all(&keys, frame)?;
                let (values, values_defined) = self.all(&values, frame)?;
                let writes = keys.into_iter().zip(values.into_iter().map(Some)).collect();
                let defined = self.terms.and(keys_defined, values_defined);
                Ok(Partial { value: self.terms.map(writes), defined })
            }
            Expr::Range(low, high) => {
                let (ends, defined) = self.all(&[(**low).clone(), (**high).clone()], frame)?;
                let members = self.range(ends[0], ends[1])?;
                Ok(Partial { value: self.terms.list(members), defined })
            }
            Expr::Quantified(quantifier, local, over, body) => {
                let over = self.eval(over, frame)?;
                let (local, quantifier) = (*local, *quantifier);
                let frame = frame.clone();
                let result = self.below_choices(vec![over.value], &mut |s, over| {
                    s.quantified(quantifier, local, over[0], body, &mut frame.clone())
                })?;
                Ok(self.also(result, over.defined))
            }
            Expr::Comprehension { makes, local, over, condition, key, element } => {
                let over = self.eval(over, frame)?;
                let frame = frame.clone();
                let result = self.below_choices(vec![over.value], &mut |s, over| {
                    let parts = (condition.as_deref(), key.as_deref(), &**element);
                    s.comprehension(*makes, *local, over[0], parts, &mut frame.clone())
                })?;
                Ok(self.also(result, over.defined))
            }
            Expr::Test(value, pattern) => {
                let value = self.eval(value, frame)?;
                let fits = self.fits(value.value, pattern, frame)?;
                Ok(self.also(fits, value.defined))
            }
            Expr::Matches(text, pattern) => {
                let text = self.eval(text, frame)?;
                let value = self.terms.below_choices(text.value, &mut |terms, leaf| terms.matches(leaf, pattern));
                Ok(Partial { value, ..text })
            }
            Expr::Narrow(e, ty) => {
                let e = self.eval(e, frame)?;
                let inside = self.inside(ty, e.value, true)?;
                Ok(self.also(e, inside))
            }
            Expr::ToReal(e) => {
                let e = self.eval(e, frame)?;
                Ok(Partial { value: self.terms.to_real(e.value), ..e })
            }
        }
    }

    /// The same value, defined only if a condition holds as well.
    fn also(&mut self, partial: Partial, condition: Term) -> Partial {
        Partial { defined: self.terms.and(partial.defined, condition), ..partial }
    }

    /// Values of several expressions, and when all of them are defined.
    fn all(&mut self, exprs: &[Expr], frame: &mut OpenFrame) -> Result1<(Vec<Term>, Term)> {
        let mut defined = vec![];
        let mut values = vec![];
        for expr in exprs {
            let partial = self.eval(expr, frame)?;
            values.push(partial.value);
            defined.push(partial.defined);
        }
        Ok((values, self.terms.all(defined)))
    }

    /// A lazy choice.
    fn branch(
        &mut self,
        c: Partial,
        a: impl FnOnce(&mut Self) -> Result1,
        b: impl FnOnce(&mut Self) -> Result1,
    ) -> Result1 {
        // Nothing depends on a condition that has no value, and whoever calls himself there would never come to an end.
        if self.terms.is(c.defined, false) {
            return Ok(Partial { value: c.defined, defined: c.defined });
        }
        let result = match self.terms.value(c.value) {
            Some(Value::Bool(true)) => a(self)?,
            Some(_) => b(self)?,
            None => {
                let (a, b) = (a(self)?, b(self)?);
                self.either(c.value, a, b)
            }
        };
        Ok(self.also(result, c.defined))
    }

    /// One of two; where one of them has no value, that of the other will do for both.
    fn either(&mut self, c: Term, a: Partial, b: Partial) -> Partial {
        let defined = self.terms.choose(c, a.defined, b.defined);
        let value = match (self.terms.is(a.defined, false), self.terms.is(b.defined, false)) {
            (true, _) => b.value,
            (_, true) => a.value,
            _ => self.terms.choose(c, a.value, b.value),
        };
        Partial { value, defined }
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, frame: &mut OpenFrame) -> Result1 {
        if let (BinaryOp::In, Expr::Range(low, high)) = (op, b) {
            let (values, defined) = self.all(&[a.clone(), (**low).clone(), (**high).clone()], frame)?;
            let above = self.terms.at_most(values[1], values[0]);
            let below = self.terms.at_most(values[0], values[2]);
            return Ok(Partial { value: self.terms.and(above, below), defined });
        }
        let left = self.eval(a, frame)?;
        match op {
            // A name bound on the left is seen on the right.
            BinaryOp::And => {
                if self.terms.is(left.value, false) {
                    return Ok(left);
                }
                let right = self.eval(b, frame)?;
                let not_left = self.terms.not(left.value);
                let right_defined = self.terms.or(not_left, right.defined);
                let value = self.terms.and(left.value, right.value);
                return Ok(Partial { value, defined: self.terms.and(left.defined, right_defined) });
            }
            BinaryOp::Or => {
                if self.terms.is(left.value, true) {
                    return Ok(left);
                }
                let right = self.eval(b, frame)?;
                let right_defined = self.terms.or(left.value, right.defined);
                let value = self.terms.or(left.value, right.value);
                return Ok(Partial { value, defined: self.terms.and(left.defined, right_defined) });
            }
            _ => {}
        }
        let right = self.eval(b, frame)?;
        let (x, y) = (left.value, right.value);
        let mut defined = self.terms.and(left.defined, right.defined);
        let value = match op {
            BinaryOp::Equal => self.terms.equal(x, y),
            BinaryOp::NotEqual => {
                let equal = self.terms.equal(x, y);
                self.terms.not(equal)
            }
            BinaryOp::Less => self.terms.less(x, y),
            BinaryOp::AtMost => self.terms.at_most(x, y),
            BinaryOp::Add => self.terms.add(x, y),
            BinaryOp::Subtract => self.terms.subtract(x, y),
            BinaryOp::Multiply => self.terms.multiply(x, y),
            BinaryOp::Divide | BinaryOp::Modulo => {
                let zero = match self.terms.sort(y) {
                    Sort::Real => Value::Real(num_rational::BigRational::from_integer(0.into())),
                    _ => Value::int(0),
                };
                let zero = self.terms.constant(zero);
                let is_zero = self.terms.equal(y, zero);
                let divisible = self.terms.not(is_zero);
                defined = self.terms.and(defined, divisible);
                match op {
                    BinaryOp::Divide => self.terms.divide(x, y),
                    _ => self.terms.modulo(x, y),
                }
            }
            BinaryOp::Concat | BinaryOp::In => {
                let result = self.below_choices(vec![x, y], &mut |s, args| s.joined(op, args))?;
                return Ok(self.also(result, defined));
            }
            BinaryOp::And | BinaryOp::Or => unreachable!("decided above"),
        };
        Ok(Partial { value, defined })
    }

    /// `++` and `in`, whose operands are collections.
    fn joined(&mut self, op: BinaryOp, args: &[Term]) -> Result1 {
        let (x, y) = (args[0], args[1]);
        let value = match op {
            BinaryOp::Concat => match (self.terms.as_list(x), self.terms.as_list(y)) {
                (Some(mut xs), Some(ys)) => {
                    xs.extend(ys);
                    self.terms.list(xs)
                }
                _ if self.terms.sort(x) == Sort::Text => self.terms.join(vec![x, y]),
                _ => return unsupported("`++` of an open list"),
            },
            _ => {
                if let Some(writes) = self.terms.as_map(y) {
                    self.terms.map_contains(&writes, x)
                } else {
                    let members = self.members(y)?;
                    self.terms.is_among(x, &members)
                }
            }
        };
        Ok(self.total(value))
    }

    /// Applies a function to structures below the choices they stand under; simple values are passed as they are.
    fn below_choices(&mut self, args: Vec<Term>, f: &mut dyn FnMut(&mut Self, &[Term]) -> Result1) -> Result1 {
        let choice = args
            .iter()
            .position(|arg| self.terms.sort(*arg) == Sort::Structure && matches!(self.terms.node(*arg), Node::If(..)));
        let Some(place) = choice else { return f(self, &args) };
        let Node::If(c, a, b) = *self.terms.node(args[place]) else { return f(self, &args) };
        self.choices += 1;
        if self.choices > MAX_CHOICES {
            return unsupported("there are too many ways to choose between open collections");
        }
        let with = |term: Term| {
            let mut args = args.clone();
            args[place] = term;
            args
        };
        let (a, b) = (self.below_choices(with(a), f)?, self.below_choices(with(b), f)?);
        Ok(self.either(c, a, b))
    }

    fn call(&mut self, id: usize, args: Vec<Term>) -> Result1 {
        let key = (id, args);
        if let Some(known) = self.calls.get(&key) {
            return Ok(*known);
        }
        let function = &self.definitions.functions[id];
        self.unfoldings += 1;
        let concrete = key.1.iter().all(|arg| self.terms.value(*arg).is_some());
        let deepest = if concrete { 10_000 } else { MAX_CALLS };
        if self.depth >= deepest || self.unfoldings > MAX_UNFOLDINGS {
            return unsupported(format!("the recursion of `{}` does not end on open data", function.name));
        }
        self.depth += 1;
        let mut frame: OpenFrame = key.1.iter().copied().map(Some).collect();
        let result = stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.eval(&function.body, &mut frame));
        self.depth -= 1;
        let result = result?;
        self.calls.insert(key, result);
        Ok(result)
    }

    fn arms(&mut self, value: Term, arms: &[super::expr::Arm], frame: &OpenFrame) -> Result1 {
        let [arm, rest @ ..] = arms else {
            // The checker has shown that some arm fits.
            let nothing = self.truth(false);
            return Ok(Partial { defined: nothing.value, ..nothing });
        };
        let mut frame_here = frame.clone();
        let mut fits = self.fits(value, &arm.pattern, &mut frame_here)?;
        if self.terms.is(fits.value, false) && self.terms.is(fits.defined, true) {
            return self.arms(value, rest, frame);
        }
        if let Some(guard) = &arm.guard {
            let guard = self.eval(guard, &mut frame_here)?;
            let not_fits = self.terms.not(fits.value);
            let guard_defined = self.terms.or(not_fits, guard.defined);
            fits = Partial {
                value: self.terms.and(fits.value, guard.value),
                defined: self.terms.and(fits.defined, guard_defined),
            };
        }
        // The last arm is taken by whatever is left.
        if rest.is_empty() {
            let body = self.eval(&arm.body, &mut frame_here)?;
            return Ok(self.also(body, fits.defined));
        }
        self.branch(fits, |s| s.eval(&arm.body, &mut frame_here), |s| s.arms(value, rest, frame))
    }

    /// Whether a value fits a pattern; the pattern's names are bound to what they stand for if it does.
    pub fn fits(&mut self, value: Term, pattern: &Pattern, frame: &mut OpenFrame) -> Result1 {
        match pattern {
            Pattern::Absent => {
                let present = self.is_present(value);
                let value = self.terms.not(present);
                Ok(self.total(value))
            }
            Pattern::Any => {
                let value = self.is_present(value);
                Ok(self.total(value))
            }
            Pattern::Bind(local) => {
                let present = self.is_present(value);
                let there = self.present(value).unwrap_or(value);
                bind(frame, *local, there);
                Ok(self.total(present))
            }
            Pattern::Equal(e) => {
                let e = self.eval(e, frame)?;
                let present = self.is_present(value);
                let equal = match self.present(value) {
                    Some(there) => self.terms.equal(there, e.value),
                    None => self.terms.bool(false),
                };
                Ok(Partial { value: self.terms.and(present, equal), ..e })
            }
            Pattern::Data(_, constructor, patterns) => {
                let is = self.terms.below_choices(value, &mut |terms, leaf| {
                    let is = terms.as_data(leaf).is_some_and(|(_, actual, _)| actual == *constructor);
                    match (terms.node(leaf).clone(), terms.sort(leaf)) {
                        // An open enumeration is compared.
                        (Node::Symbol(_), Sort::Enum(ty)) => {
                            let wanted = terms.constant(Value::Data(ty, *constructor, [].into()));
                            terms.equal(leaf, wanted)
                        }
                        _ => terms.bool(is),
                    }
                });
                let mut result = self.total(is);
                if self.terms.is(is, false) {
                    return Ok(result);
                }
                for (field, pattern) in patterns.iter().enumerate() {
                    let Some(part) = self.field(value, *constructor, field) else { continue };
                    let fits = self.fits(part, pattern, frame)?;
                    let not_before = self.terms.not(result.value);
                    let defined = self.terms.or(not_before, fits.defined);
                    result = Partial {
                        value: self.terms.and(result.value, fits.value),
                        defined: self.terms.and(result.defined, defined),
                    };
                }
                Ok(result)
            }
            Pattern::List { elements, rest } => {
                let least = elements.len();
                let has_rest = rest.is_some();
                let fits_length = self.terms.below_choices(value, &mut |terms, leaf| {
                    let length = terms.as_list(leaf).map(|list| list.len());
                    let fits = length.is_some_and(|n| n == least || (has_rest && n > least));
                    terms.bool(fits)
                });
                let mut result = self.total(fits_length);
                if self.terms.is(fits_length, false) {
                    return Ok(result);
                }
                for (place, pattern) in elements.iter().enumerate() {
                    let part = self.projected(value, &mut |terms, leaf| {
                        terms.as_list(leaf).filter(|list| list.len() >= least).map(|list| list[place])
                    });
                    let Some(part) = part else { continue };
                    let fits = self.fits(part, pattern, frame)?;
                    let not_before = self.terms.not(result.value);
                    let defined = self.terms.or(not_before, fits.defined);
                    result = Partial {
                        value: self.terms.and(result.value, fits.value),
                        defined: self.terms.and(result.defined, defined),
                    };
                }
                if let Some(Some(local)) = rest {
                    let tail = self.projected(value, &mut |terms, leaf| {
                        let list = terms.as_list(leaf).filter(|list| list.len() >= least)?;
                        Some(terms.list(list[least..].to_vec()))
                    });
                    if let Some(tail) = tail {
                        bind(frame, *local, tail);
                    }
                }
                Ok(result)
            }
        }
    }

    /// Whether a message is there.
    pub fn is_present(&mut self, value: Term) -> Term {
        self.terms.below_choices(value, &mut |terms, leaf| {
            let present = terms.value(leaf) != Some(&Value::Absent);
            terms.bool(present)
        })
    }

    /// A message without the case that it is absent; none if it always is.
    pub fn present(&mut self, value: Term) -> Option<Term> {
        self.projected(value, &mut |terms, leaf| (terms.value(leaf) != Some(&Value::Absent)).then_some(leaf))
    }

    /// A field of a constructor, where the value has this constructor.
    fn field(&mut self, value: Term, constructor: u32, field: usize) -> Option<Term> {
        self.projected(value, &mut |terms, leaf| match terms.as_data(leaf) {
            Some((_, actual, args)) if actual == constructor => args.get(field).copied(),
            _ => None,
        })
    }

    /// A part of a value below its choices; cases without that part take on the value of the others.
    fn projected(&mut self, value: Term, f: &mut dyn FnMut(&mut Terms, Term) -> Option<Term>) -> Option<Term> {
        match *self.terms.node(value) {
            Node::If(c, a, b) => match (self.projected(a, f), self.projected(b, f)) {
                (Some(a), Some(b)) => Some(self.terms.choose(c, a, b)),
                (a, b) => a.or(b),
            },
            _ => f(self.terms, value),
        }
    }

    /// Whether a value of the type's shape belongs to the type. Fields of data were checked when it was built.
    pub fn contains(&mut self, ty: &Type, value: Term) -> Result1<Term> {
        self.inside(ty, value, false)
    }

    /// As [`Self::contains`]; also whether the fields of data belong to their types, if `deep`: those of a value that was
    /// changed inside.
    fn inside(&mut self, ty: &Type, value: Term, deep: bool) -> Result1<Term> {
        let is_narrow = if deep { self.definitions.narrows(ty) } else { ty.is_narrow() };
        if !is_narrow {
            return Ok(self.terms.bool(true));
        }
        match ty {
            Type::Int { low, high } => {
                let mut parts = vec![];
                if let Some(low) = low {
                    let low = self.bound(low)?;
                    parts.push(low.defined);
                    parts.push(self.terms.at_most(low.value, value));
                }
                if let Some(high) = high {
                    let high = self.bound(high)?;
                    parts.push(high.defined);
                    parts.push(self.terms.at_most(value, high.value));
                }
                Ok(self.terms.all(parts))
            }
            Type::Refined(id, base) => {
                let inside = self.inside(base, value, deep)?;
                let refinement = &self.definitions.refinements[*id];
                let holds = self.condition(&refinement.condition, &mut vec![Some(value)])?;
                Ok(self.terms.and(inside, holds))
            }
            Type::List(element) | Type::Set(element) => {
                let result = self.below_choices(vec![value], &mut |s, args| {
                    let members = s.members(args[0])?;
                    let parts: Result1<Vec<Term>> = members.into_iter().map(|m| s.inside(element, m, deep)).collect();
                    let value = s.terms.all(parts?);
                    Ok(s.total(value))
                })?;
                Ok(result.value)
            }
            Type::Map(key, element) => {
                let result = self.below_choices(vec![value], &mut |s, args| {
                    let Some(writes) = s.terms.as_map(args[0]) else { return unsupported("an open map") };
                    let mut parts = vec![];
                    for (k, v) in writes {
                        if let Some(v) = v {
                            parts.push(s.inside(key, k, deep)?);
                            parts.push(s.inside(element, v, deep)?);
                        }
                    }
                    let value = s.terms.all(parts);
                    Ok(s.total(value))
                })?;
                Ok(result.value)
            }
            Type::Option(element) => {
                let some = (Definitions::OPTION, 1, std::slice::from_ref(&**element));
                self.fields_inside(some, value, deep)
            }
            Type::Data(id) if deep => {
                let definitions = self.definitions;
                let mut parts = vec![];
                for (number, constructor) in definitions.types[*id].constructors.iter().enumerate() {
                    let fields: Vec<Type> = constructor.fields.iter().map(|(_, field)| field.clone()).collect();
                    parts.push(self.fields_inside((*id, number as u32, &fields), value, deep)?);
                }
                Ok(self.terms.all(parts))
            }
            _ => Ok(self.terms.bool(true)),
        }
    }

    /// Whether the fields of a value belong to their types, if a certain constructor made it.
    fn fields_inside(&mut self, made: (TypeId, u32, &[Type]), value: Term, deep: bool) -> Result1<Term> {
        let (id, constructor, fields) = made;
        let mut parts = vec![];
        for (place, ty) in fields.iter().enumerate() {
            if let Some(field) = self.field(value, constructor, place) {
                parts.push(self.inside(ty, field, deep)?);
            }
        }
        let inside = self.terms.all(parts);
        if self.terms.is(inside, true) {
            return Ok(inside);
        }
        let is_made_so = self.fits(value, &Pattern::Data(id, constructor, vec![]), &mut vec![])?;
        let otherwise = self.terms.not(is_made_so.value);
        Ok(self.terms.or(otherwise, inside))
    }

    /// The value of a bound, where it has one.
    fn bound(&mut self, bound: &Bound) -> Result1 {
        match bound {
            Bound::Known(n) => {
                let n = self.terms.int(n.clone());
                Ok(self.total(n))
            }
            Bound::Open(e, _) => self.eval(e, &mut vec![]),
        }
    }

    /// Members of a list, a set, or the keys of a map.
    fn members(&mut self, term: Term) -> Result1<Vec<Term>> {
        if let Some(list) = self.terms.as_list(term) {
            return Ok(list);
        }
        if let Some(set) = self.terms.as_set(term) {
            return Ok(set);
        }
        match self.terms.as_map(term) {
            Some(writes) if writes.iter().all(|(_, value)| value.is_some()) => {
                Ok(writes.into_iter().map(|(key, _)| key).collect())
            }
            _ => unsupported("the members of an open collection"),
        }
    }

    fn range(&mut self, low: Term, high: Term) -> Result1<Vec<Term>> {
        match (self.terms.value(low), self.terms.value(high)) {
            (Some(Value::Int(low)), Some(Value::Int(high))) => {
                let (Some(low), Some(high)) = (low.to_i64(), high.to_i64()) else {
                    return unsupported("a loop over a huge range");
                };
                if high.saturating_sub(low) > MAX_RANGE {
                    return unsupported("a loop over a huge range");
                }
                Ok((low..=high).map(|n| self.terms.int(n)).collect())
            }
            _ => unsupported("a loop over a range with open ends"),
        }
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        local: usize,
        over: Term,
        body: &Expr,
        frame: &mut OpenFrame,
    ) -> Result1 {
        let members = self.members(over)?;
        let all = quantifier == Quantifier::Forall;
        let mut result = self.truth(all);
        for member in members.into_iter().rev() {
            bind(frame, local, member);
            let body = self.eval(body, frame)?;
            let value =
                if all { self.terms.and(body.value, result.value) } else { self.terms.or(body.value, result.value) };
            // Later members are looked at only if the earlier ones did not decide.
            let decided = if all { self.terms.not(body.value) } else { body.value };
            let rest = self.terms.or(decided, result.defined);
            result = Partial { value, defined: self.terms.and(body.defined, rest) };
        }
        Ok(result)
    }

    fn comprehension(
        &mut self,
        makes: Collection,
        local: usize,
        over: Term,
        (condition, key, element): (Option<&Expr>, Option<&Expr>, &Expr),
        frame: &mut OpenFrame,
    ) -> Result1 {
        if makes == Collection::List && self.terms.value(over).is_none() && self.terms.as_list(over).is_none() {
            return unsupported("a list made from an open set or map, whose order is not known");
        }
        let mut defined = vec![];
        // Elements with the conditions under which they are there.
        let mut made: Vec<(Term, Term, Term)> = vec![];
        for member in self.members(over)? {
            bind(frame, local, member);
            let counts = match condition {
                Some(condition) => {
                    let counts = self.eval(condition, frame)?;
                    defined.push(counts.defined);
                    counts.value
                }
                None => self.terms.bool(true),
            };
            if self.terms.is(counts, false) {
                continue;
            }
            let not_counted = self.terms.not(counts);
            let element = self.eval(element, frame)?;
            let element_defined = self.terms.or(not_counted, element.defined);
            defined.push(element_defined);
            let key = match key {
                Some(key) => {
                    let key = self.eval(key, frame)?;
                    let key_defined = self.terms.or(not_counted, key.defined);
                    defined.push(key_defined);
                    key.value
                }
                None => element.value,
            };
            made.push((counts, key, element.value));
        }
        let value = self.gathered(makes, &made, vec![])?;
        Ok(Partial { value, defined: self.terms.all(defined) })
    }

    /// A collection of elements that are there under conditions.
    fn gathered(&mut self, makes: Collection, rest: &[(Term, Term, Term)], taken: Vec<(Term, Term)>) -> Result1<Term> {
        let [(counts, key, element), rest @ ..] = rest else {
            return Ok(match makes {
                Collection::List => self.terms.list(taken.into_iter().map(|(_, e)| e).collect()),
                Collection::Set => self.terms.set(taken.into_iter().map(|(_, e)| e).collect()),
                Collection::Map => self.terms.map(taken.into_iter().map(|(k, e)| (k, Some(e))).collect()),
            });
        };
        let mut with = taken.clone();
        with.push((*key, *element));
        if self.terms.is(*counts, true) {
            return self.gathered(makes, rest, with);
        }
        if self.terms.is(*counts, false) {
            return self.gathered(makes, rest, taken);
        }
        let open = rest.iter().filter(|(counts, ..)| self.terms.value(*counts).is_none()).count();
        if open >= MAX_FILTERED {
            return unsupported("a collection with many members that may or may not be there");
        }
        let (with, without) = (self.gathered(makes, rest, with)?, self.gathered(makes, rest, taken)?);
        Ok(self.terms.choose(*counts, with, without))
    }

    fn filtered(&mut self, members: &[Term], mut keep: impl FnMut(&mut Self, Term) -> Term) -> Result1<Term> {
        let made: Vec<(Term, Term, Term)> = members.iter().map(|m| (keep(self, *m), *m, *m)).collect();
        self.gathered(Collection::Set, &made, vec![])
    }

    fn builtin(&mut self, id: Builtin, args: &[Term]) -> Result1 {
        let first = args[0];
        let what = || Unsupported(format!("`{}` of an open collection", name_of(id)));
        let undefined = |s: &mut Self| {
            let never = s.terms.bool(false);
            Ok(Partial { value: never, defined: never })
        };
        // The place of something that has no value is held by `false`, and no function here is about truth values.
        if self.terms.is(first, false) {
            return undefined(self);
        }
        let list = self.terms.as_list(first);
        let set = self.terms.as_set(first);
        let map = if list.is_none() && set.is_none() { self.terms.as_map(first) } else { None };
        let value = match id {
            Builtin::Size => match (list, set, map) {
                (Some(list), ..) => self.terms.int(list.len()),
                (_, Some(set), _) => self.terms.count_distinct(&set),
                (.., Some(writes)) => {
                    let keys: Vec<Term> = writes.iter().map(|(k, _)| *k).collect();
                    let (zero, one) = (self.terms.int(0), self.terms.int(1));
                    let mut size = zero;
                    for (i, key) in keys.iter().enumerate() {
                        let seen = self.terms.is_among(*key, &keys[..i]);
                        let there = self.terms.map_contains(&writes, *key);
                        let counts = self.terms.choose(there, one, zero);
                        let counts = self.terms.choose(seen, zero, counts);
                        size = self.terms.add(size, counts);
                    }
                    size
                }
                _ if self.terms.sort(first) == Sort::Text => {
                    self.terms.below_choices(first, &mut |terms, leaf| terms.text_size(leaf))
                }
                _ => return Err(what()),
            },
            Builtin::Head | Builtin::Last | Builtin::Tail => {
                let list = list.ok_or_else(what)?;
                match (id, list.as_slice()) {
                    (_, []) => return undefined(self),
                    (Builtin::Head, [head, ..]) => *head,
                    (Builtin::Last, [.., last]) => *last,
                    (_, [_, tail @ ..]) => self.terms.list(tail.to_vec()),
                }
            }
            Builtin::Append => {
                let mut list = list.ok_or_else(what)?;
                list.push(args[1]);
                self.terms.list(list)
            }
            Builtin::Reverse => {
                let list = list.ok_or_else(what)?;
                self.terms.list(list.into_iter().rev().collect())
            }
            Builtin::Take | Builtin::Drop => {
                let list = list.ok_or_else(what)?;
                let mut result = None;
                // One case for each length, the longest as the rest.
                for n in (0..=list.len()).rev() {
                    let part = if id == Builtin::Take { &list[..n] } else { &list[n..] };
                    let part = self.terms.list(part.to_vec());
                    let bound = self.terms.int(n);
                    let up_to = self.terms.at_most(args[1], bound);
                    result = Some(match result {
                        None => part,
                        Some(longer) => self.terms.choose(up_to, part, longer),
                    });
                }
                result.unwrap_or(first)
            }
            Builtin::Index if map.is_none() => {
                let list = list.ok_or_else(what)?;
                return self.element(&list, args[1], |_, element| element);
            }
            Builtin::Index => {
                let writes = map.unwrap_or_default();
                let defined = self.terms.map_contains(&writes, args[1]);
                return match self.terms.map_value(&writes, args[1]) {
                    Some(value) => Ok(Partial { value, defined }),
                    None => undefined(self),
                };
            }
            Builtin::Get => {
                let writes = map.ok_or_else(what)?;
                let there = self.terms.map_contains(&writes, args[1]);
                let none = self.terms.data(Definitions::OPTION, 0, vec![]);
                match self.terms.map_value(&writes, args[1]) {
                    Some(value) => {
                        let some = self.terms.data(Definitions::OPTION, 1, vec![value]);
                        self.terms.choose(there, some, none)
                    }
                    None => none,
                }
            }
            Builtin::Put if map.is_none() => {
                let list = list.ok_or_else(what)?;
                let places: Vec<Term> = (0..list.len()).map(|place| self.terms.int(place)).collect();
                let changed: Vec<Term> = (places.iter().zip(&list))
                    .map(|(place, element)| {
                        let here = self.terms.equal(args[1], *place);
                        self.terms.choose(here, args[2], *element)
                    })
                    .collect();
                let inside = self.terms.is_among(args[1], &places);
                return Ok(Partial { value: self.terms.list(changed), defined: inside });
            }
            Builtin::Put => {
                let mut writes = map.ok_or_else(what)?;
                writes.push((args[1], Some(args[2])));
                self.terms.map(writes)
            }
            Builtin::Insert => {
                let mut set = set.ok_or_else(what)?;
                set.push(args[1]);
                self.terms.set(set)
            }
            Builtin::Remove => match (set, map) {
                (Some(set), _) => self.filtered(&set, |s, member| {
                    let equal = s.terms.equal(member, args[1]);
                    s.terms.not(equal)
                })?,
                (_, Some(mut writes)) => {
                    writes.push((args[1], None));
                    self.terms.map(writes)
                }
                _ => return Err(what()),
            },
            Builtin::Union | Builtin::Intersect | Builtin::Minus | Builtin::Subset => {
                let (mut xs, ys) = (set.ok_or_else(what)?, self.terms.as_set(args[1]).ok_or_else(what)?);
                match id {
                    Builtin::Union => {
                        xs.extend(ys);
                        self.terms.set(xs)
                    }
                    Builtin::Subset => self.terms.subset(&xs, &ys),
                    _ => self.filtered(&xs, |s, member| {
                        let among = s.terms.is_among(member, &ys);
                        if id == Builtin::Intersect { among } else { s.terms.not(among) }
                    })?,
                }
            }
            Builtin::Keys => {
                let writes = map.ok_or_else(what)?;
                let keys: Vec<Term> = writes.iter().map(|(key, _)| *key).collect();
                self.filtered(&keys, |s, key| s.terms.map_contains(&writes, key))?
            }
            Builtin::Values => {
                let writes = map.ok_or_else(what)?;
                let mut known: Vec<(Value, Term)> = vec![];
                for (key, value) in &writes {
                    match (self.terms.value(*key), value) {
                        (Some(key), Some(value)) => known.push((key.clone(), *value)),
                        _ => return unsupported("the values of a map with open keys, whose order is not known"),
                    }
                }
                known.sort_by(|(a, _), (b, _)| a.cmp(b));
                self.terms.list(known.into_iter().map(|(_, value)| value).collect())
            }
            Builtin::ToSet => {
                let list = list.ok_or_else(what)?;
                self.terms.set(list)
            }
            Builtin::Floor => self.terms.floor(first),
            Builtin::Abs => {
                let negative = self.terms.negate(first);
                let not_below = self.terms.at_most(negative, first);
                self.terms.choose(not_below, first, negative)
            }
            Builtin::Min | Builtin::Max => {
                let not_above = self.terms.at_most(first, args[1]);
                let (a, b) = if id == Builtin::Min { (first, args[1]) } else { (args[1], first) };
                self.terms.choose(not_above, a, b)
            }
        };
        Ok(self.total(value))
    }

    /// The element of a list at a place that may be open.
    fn element(&mut self, list: &[Term], place: Term, f: impl Fn(&mut Self, Term) -> Term) -> Result1 {
        let mut result = None;
        let mut places = vec![];
        for (n, element) in list.iter().enumerate().rev() {
            let n = self.terms.int(n);
            places.push(n);
            let here = self.terms.equal(place, n);
            let element = f(self, *element);
            result = Some(match result {
                None => element,
                Some(later) => self.terms.choose(here, element, later),
            });
        }
        let defined = self.terms.is_among(place, &places);
        Ok(Partial { value: result.unwrap_or(place), defined })
    }
}

fn name_of(id: Builtin) -> &'static str {
    Builtin::NAMED.iter().find(|(_, known, _)| *known == id).map_or("index", |(name, ..)| name)
}

fn bind(frame: &mut OpenFrame, local: usize, value: Term) {
    if frame.len() <= local {
        frame.resize(local + 1, None);
    }
    frame[local] = Some(value);
}
