//! The meaning of an expression over open values: a term, and the condition under which it has a value.
//!
//! Operators come from their [table](super::operation); everything else follows [`super::eval`] case by case. What cannot
//! be expressed as a term (a recursion that does not end on open data, a loop over an open range) is [`Unsupported`];
//! nothing is guessed. An expression that has no value whatever the open values are stops as undefined, so that nothing is
//! ever made of a value that is not there.

use num_traits::{Signed, ToPrimitive};
use thiserror::Error;

use rustc_hash::FxHashMap;

use super::eval::{LEFT_FOR_VALUES, LimitKind, MAX_NESTING, STACK, within_limits};
use super::expr::{BinaryOp, Collection, Expr, Pattern, UnaryOp};
use super::operation::{Meaning, Needs, Operation, until};
use super::terms::{Node, Sort, Term, Terms};
use super::ty::{Bound, Definitions, Type, TypeId};
use super::value::Value;

/// Deepest nesting of calls on open data.
const MAX_CALLS: u32 = 64;
/// Most calls in one expression.
const MAX_UNFOLDINGS: u32 = 20_000;
/// Most members of a set that are sorted out one by one.
const MAX_FILTERED: usize = 8;
/// Most open members of a set or map that are put in order.
const MAX_ORDERED: usize = 4;
/// Most ways to choose between structures in one expression.
const MAX_CHOICES: u32 = 50_000;
/// Most members of a range that a loop runs over.
const MAX_RANGE: i64 = 10_000;

/// Why an expression over open values has no term.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Unsupported(pub String);

pub(super) fn unsupported<T>(what: impl Into<String>) -> Result<T, Unsupported> {
    Err(Unsupported(what.into()))
}

/// Why the work on an expression ends early.
#[derive(Debug)]
enum Stop {
    /// It has no value, whatever the open values are.
    Undefined,
    /// It has no term.
    Unsupported(Unsupported),
}

impl From<Unsupported> for Stop {
    fn from(why: Unsupported) -> Stop {
        Stop::Unsupported(why)
    }
}

/// A value and the condition under which there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partial {
    /// The value; some value where it is not defined, and absent if it is defined nowhere.
    pub value: Term,
    /// When it is defined.
    pub defined: Term,
}

/// Places of bound names.
pub type OpenFrame = Vec<Option<Term>>;

/// Writes that make a map.
type Writes = [(Term, Option<Term>)];

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
    /// Calls that were made; none for those without a value.
    calls: FxHashMap<(usize, Vec<Term>), Option<Partial>>,
}

type Made<T = Partial> = Result<T, Stop>;

impl<'a> Symbolic<'a> {
    /// An evaluator over the given slots.
    pub fn new(terms: &'a mut Terms, definitions: &'a Definitions, slots: &'a [Term]) -> Symbolic<'a> {
        Symbolic { terms, definitions, slots, depth: 0, unfoldings: 0, choices: 0, calls: FxHashMap::default() }
    }

    /// Whether a condition holds: where it is undefined, it does not.
    pub fn condition(&mut self, expr: &Expr, frame: &mut OpenFrame) -> Result<Term, Unsupported> {
        let condition = self.made(expr, frame).and_then(|condition| self.truth(condition));
        self.certain(condition)
    }

    /// The value of an expression.
    pub fn eval(&mut self, expr: &Expr, frame: &mut OpenFrame) -> Result<Partial, Unsupported> {
        match self.made(expr, frame) {
            Ok(made) => Ok(made),
            Err(Stop::Undefined) => {
                let (value, defined) = (self.terms.constant(Value::Absent), self.terms.bool(false));
                Ok(Partial { value, defined })
            }
            Err(Stop::Unsupported(why)) => Err(why),
        }
    }

    /// That a truth value is there, and true.
    fn certain(&mut self, truth: Made) -> Result<Term, Unsupported> {
        match truth {
            Ok(Partial { value, defined }) => Ok(self.terms.and(defined, value)),
            Err(Stop::Undefined) => Ok(self.terms.bool(false)),
            Err(Stop::Unsupported(why)) => Err(why),
        }
    }

    fn total(&mut self, value: Term) -> Partial {
        Partial { value, defined: self.terms.bool(true) }
    }

    fn known(&mut self, truth: bool) -> Partial {
        let value = self.terms.bool(truth);
        self.total(value)
    }

    fn made(&mut self, expr: &Expr, frame: &mut OpenFrame) -> Made {
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
                None => Ok(unsupported("a name without a value")?),
            },
            Expr::Param(_) => Ok(unsupported("a parameter without a value")?),
            Expr::Global(id) => match self.definitions.constants.get(*id).cloned().flatten() {
                Some(value) => {
                    let value = self.terms.constant(value);
                    Ok(self.total(value))
                }
                None => Ok(unsupported("a constant without a value")?),
            },
            Expr::Unary(UnaryOp::Holds, a) => {
                let a = self.condition(a, frame)?;
                Ok(self.total(a))
            }
            Expr::Unary(op, a) => self.operation(&op.operation(), [&**a], frame),
            Expr::Binary(BinaryOp::In, x, over) if let Expr::Range(low, high) = &**over => {
                let x = self.made(x, frame)?;
                let low = self.made(low, frame)?;
                let is_above = self.at_most(low, x)?;
                self.until(false, is_above, |s| {
                    let high = s.made(high, frame)?;
                    s.at_most(x, high)
                })
            }
            Expr::Binary(op, a, b) => match op.meaning() {
                // A name bound on the left is seen on the right.
                Meaning::Until(until) => {
                    let left = self.made(a, frame)?;
                    self.until(until, left, |s| s.made(b, frame))
                }
                Meaning::Of(meaning) => self.operation(&meaning, [&**a, &**b], frame),
            },
            Expr::If(c, a, b) => {
                let c = self.made(c, frame)?;
                self.branch(c, |s| s.made(a, &mut frame.clone()), |s| s.made(b, &mut frame.clone()))
            }
            Expr::Match(scrutinee, arms) => {
                let scrutinee = self.made(scrutinee, frame)?;
                let result = self.arms(scrutinee.value, arms, frame)?;
                self.also(result, scrutinee.defined)
            }
            Expr::Let(local, value, body) => {
                let value = self.made(value, frame)?;
                bind(frame, *local, value.value);
                let body = self.made(body, frame)?;
                self.also(body, value.defined)
            }
            Expr::Call(id, args) => {
                let (args, defined) = self.all(args, frame)?;
                let result = self.call(*id, args)?;
                self.also(result, defined)
            }
            Expr::Builtin(id, args) => self.operation(&id.function().operation, args, frame),
            Expr::Construct(ty, constructor, args) => {
                let (args, defined) = self.all(args, frame)?;
                self.within_nesting(&args)?;
                Ok(Partial { value: self.terms.data(*ty, *constructor, args), defined })
            }
            Expr::Field(record, field) => {
                let record = self.made(record, frame)?;
                let value = self.field(record.value, 0, *field).ok_or(Stop::Undefined)?;
                self.where_present(Partial { value, ..record }, record.value)
            }
            Expr::With(record, changes) => {
                let record = self.made(record, frame)?;
                let (values, defined) = self.all(changes.iter().map(|(_, value)| value), frame)?;
                self.within_nesting(&values)?;
                let value = self.terms.below_choices(record.value, &mut |terms, leaf| match terms.as_data(leaf) {
                    Some((ty, constructor, mut args)) => {
                        for ((field, _), value) in changes.iter().zip(&values) {
                            args[*field] = *value;
                        }
                        terms.data(ty, constructor, args)
                    }
                    None => leaf,
                });
                let made = self.also(Partial { value, ..record }, defined)?;
                self.where_present(made, record.value)
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
                let (parts, defined) = self.all(entries.iter().flat_map(|(key, value)| [key, value]), frame)?;
                let writes = parts.chunks(2).map(|entry| (entry[0], Some(entry[1]))).collect();
                Ok(Partial { value: self.terms.map(writes), defined })
            }
            Expr::Range(low, high) => {
                let (low, high) = (self.made(low, frame)?, self.made(high, frame)?);
                let (low, high) = (self.simple(low)?, self.simple(high)?);
                let members = Partial { value: self.range(low.value, high.value)?, ..low };
                self.also(members, high.defined)
            }
            Expr::Quantified(quantifier, local, over, body) => {
                let over = self.made(over, frame)?;
                let result = self.over(over.value, &mut |s, members| {
                    s.quantified(until(*quantifier), *local, members, body, &mut frame.clone())
                })?;
                self.also(result, over.defined)
            }
            Expr::Comprehension { makes, local, over, condition, key, element } => {
                let over = self.made(over, frame)?;
                let parts = (condition.as_deref(), key.as_deref(), &**element);
                let result = self.over(over.value, &mut |s, members| {
                    s.comprehension(*makes, *local, members, parts, &mut frame.clone())
                })?;
                self.also(result, over.defined)
            }
            Expr::Test(value, pattern) => {
                let value = self.made(value, frame)?;
                let fits = self.fits(value.value, pattern, frame)?;
                self.also(fits, value.defined)
            }
            Expr::Matches(text, pattern) => {
                let text = self.made(text, frame)?;
                let text = self.simple(text)?;
                let value = self.terms.below_choices(text.value, &mut |terms, leaf| terms.matches(leaf, pattern));
                Ok(Partial { value, ..text })
            }
            Expr::Narrow(e, ty) => {
                let e = self.made(e, frame)?;
                let inside = self.inside(ty, e.value, true);
                let inside = self.certain(inside)?;
                self.also(e, inside)
            }
            Expr::ToReal(e) => {
                let e = self.made(e, frame)?;
                let e = self.simple(e)?;
                Ok(Partial { value: self.terms.to_real(e.value), ..e })
            }
        }
    }

    /// The same value, defined only if a condition holds as well.
    fn also(&mut self, partial: Partial, condition: Term) -> Made {
        let defined = self.terms.and(partial.defined, condition);
        if self.terms.is(defined, false) { Err(Stop::Undefined) } else { Ok(Partial { defined, ..partial }) }
    }

    /// The same value, defined only where a structure that it was made of is there.
    fn where_present(&mut self, partial: Partial, structure: Term) -> Made {
        let present = self.is_present(structure);
        self.also(partial, present)
    }

    /// A value without parts, defined only where it is there.
    fn simple(&mut self, partial: Partial) -> Made {
        if self.terms.sort(partial.value) != Sort::Structure {
            return Ok(partial);
        }
        let value = self.present(partial.value).ok_or(Stop::Undefined)?;
        self.where_present(Partial { value, ..partial }, partial.value)
    }

    /// A truth value.
    fn truth(&mut self, partial: Partial) -> Made {
        let truth = self.simple(partial)?;
        match self.terms.sort(truth.value) {
            Sort::Bool => Ok(truth),
            _ => Ok(unsupported("a condition of another type")?),
        }
    }

    /// Values of several expressions, and when all of them are defined.
    fn all<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>, frame: &mut OpenFrame) -> Made<(Vec<Term>, Term)> {
        let mut defined = vec![];
        let mut values = vec![];
        for expr in exprs {
            let partial = self.made(expr, frame)?;
            values.push(partial.value);
            defined.push(partial.defined);
        }
        let defined = self.terms.all(defined);
        if self.terms.is(defined, false) { Err(Stop::Undefined) } else { Ok((values, defined)) }
    }

    /// What an operator makes of its operands.
    fn operation<'e>(
        &mut self,
        operation: &Operation,
        exprs: impl IntoIterator<Item = &'e Expr>,
        frame: &mut OpenFrame,
    ) -> Made {
        let (operands, defined) = self.all(exprs, frame)?;
        let result = self.applied(operation, operands)?;
        self.also(result, defined)
    }

    /// What an operator makes of the values of its operands.
    fn applied(&mut self, operation: &Operation, operands: Vec<Term>) -> Made {
        if operation.needs == Needs::Nothing {
            let value = (operation.symbolic)(self, &operands)?;
            return Ok(self.total(value));
        }
        self.below_choices(operands, &mut |s, operands| {
            if operands.iter().any(|operand| s.terms.value(*operand) == Some(&Value::Absent)) {
                return Err(Stop::Undefined);
            }
            let defined = operation.needs.met(s, operands)?;
            if s.terms.is(defined, false) {
                return Err(Stop::Undefined);
            }
            let value = (operation.symbolic)(s, operands)?;
            s.within_limits(value)?;
            Ok(Partial { value, defined })
        })
    }

    /// What is known of a value keeps to the limits of evaluation.
    fn within_limits(&self, value: Term) -> Result<(), Unsupported> {
        let size = match self.terms.node(value) {
            Node::List(parts) | Node::Set(parts) => parts.len(),
            Node::Map(writes) => writes.len(),
            _ => 0,
        };
        let within = match self.terms.node(value) {
            Node::Sum(sum) => {
                let mut numbers = sum.parts.iter().map(|(_, factor)| factor).chain([&sum.constant]);
                numbers.try_for_each(|number| within_limits(Some(&Value::real(number.to_big())), 0))
            }
            _ => within_limits(self.terms.value(value), size),
        };
        within.or_else(|limit| unsupported(limit.to_string()))
    }

    /// What a constructor takes is nested as deeply at most as evaluation allows.
    fn within_nesting(&self, args: &[Term]) -> Result<(), Unsupported> {
        match args.iter().any(|arg| self.terms.nesting(*arg) > MAX_NESTING) {
            true => unsupported(LimitKind::Nesting.to_string()),
            false => Ok(()),
        }
    }

    fn at_most(&mut self, a: Partial, b: Partial) -> Made {
        let Meaning::Of(at_most) = BinaryOp::AtMost.meaning() else { unreachable!("it looks at both operands") };
        let result = self.applied(&at_most, vec![a.value, b.value])?;
        let defined = self.terms.and(a.defined, b.defined);
        self.also(result, defined)
    }

    /// The right truth value where the left one is not the one at which it ends.
    fn until(&mut self, until: bool, left: Partial, right: impl FnOnce(&mut Self) -> Made) -> Made {
        let right = |s: &mut Self| {
            let right = right(s)?;
            s.truth(right)
        };
        match until {
            true => self.branch(left, |s| Ok(s.known(true)), right),
            false => self.branch(left, right, |s| Ok(s.known(false))),
        }
    }

    /// A lazy choice.
    fn branch(&mut self, c: Partial, a: impl FnOnce(&mut Self) -> Made, b: impl FnOnce(&mut Self) -> Made) -> Made {
        let c = self.truth(c)?;
        let result = match self.terms.value(c.value) {
            Some(Value::Bool(true)) => a(self)?,
            Some(_) => b(self)?,
            None => {
                let a = self.unless_unsupported(a)?;
                let b = self.unless_unsupported(b)?;
                self.either(c.value, a, b)?
            }
        };
        self.also(result, c.defined)
    }

    /// What is made; none if it has no value.
    fn unless_unsupported(&mut self, make: impl FnOnce(&mut Self) -> Made) -> Made<Option<Partial>> {
        match make(self) {
            Ok(made) => Ok(Some(made)),
            Err(Stop::Undefined) => Ok(None),
            Err(unsupported) => Err(unsupported),
        }
    }

    /// One of two, of which either may have no value.
    fn either(&mut self, c: Term, a: Option<Partial>, b: Option<Partial>) -> Made {
        match (a, b) {
            (None, None) => Err(Stop::Undefined),
            (Some(a), None) => self.also(a, c),
            (None, Some(b)) => {
                let not_c = self.terms.not(c);
                self.also(b, not_c)
            }
            (Some(a), Some(b)) => {
                let value = self.terms.choose(c, a.value, b.value);
                let defined = self.terms.choose(c, a.defined, b.defined);
                let made = self.total(value);
                self.also(made, defined)
            }
        }
    }

    /// Applies a function to structures below the choices they stand under; simple values are passed as they are.
    fn below_choices(&mut self, args: Vec<Term>, f: &mut dyn FnMut(&mut Self, &[Term]) -> Made) -> Made {
        let choice = args
            .iter()
            .position(|arg| self.terms.sort(*arg) == Sort::Structure && matches!(self.terms.node(*arg), Node::If(..)));
        let Some(place) = choice else { return f(self, &args) };
        let Node::If(c, a, b) = *self.terms.node(args[place]) else { return f(self, &args) };
        self.choices += 1;
        if self.choices > MAX_CHOICES {
            return Ok(unsupported("there are too many ways to choose between open collections")?);
        }
        let with = |term: Term| {
            let mut args = args.clone();
            args[place] = term;
            args
        };
        let a = self.unless_unsupported(|s| s.below_choices(with(a), f))?;
        let b = self.unless_unsupported(|s| s.below_choices(with(b), f))?;
        self.either(c, a, b)
    }

    /// Applies a function that always has a value to a structure below the choices it stands under.
    pub(super) fn below(
        &mut self,
        structure: Term,
        f: &mut dyn FnMut(&mut Self, Term) -> Result<Term, Unsupported>,
    ) -> Result<Term, Unsupported> {
        let Node::If(c, a, b) = *self.terms.node(structure) else { return f(self, structure) };
        let (a, b) = (self.below(a, f)?, self.below(b, f)?);
        Ok(self.terms.choose(c, a, b))
    }

    fn call(&mut self, id: usize, args: Vec<Term>) -> Made {
        let key = (id, args);
        if let Some(known) = self.calls.get(&key) {
            return known.ok_or(Stop::Undefined);
        }
        let function = &self.definitions.functions[id];
        self.unfoldings += 1;
        let concrete = key.1.iter().all(|arg| self.terms.value(*arg).is_some());
        let deepest = if concrete { 10_000 } else { MAX_CALLS };
        if self.depth >= deepest || self.unfoldings > MAX_UNFOLDINGS {
            return Ok(unsupported(format!("the recursion of `{}` does not end on open data", function.name))?);
        }
        self.depth += 1;
        let mut frame: OpenFrame = key.1.iter().copied().map(Some).collect();
        let result = stacker::maybe_grow(LEFT_FOR_VALUES, STACK, || {
            self.unless_unsupported(|s| s.made(&function.body, &mut frame))
        });
        self.depth -= 1;
        let result = result?;
        self.calls.insert(key, result);
        result.ok_or(Stop::Undefined)
    }

    fn arms(&mut self, value: Term, arms: &[super::expr::Arm], frame: &OpenFrame) -> Made {
        let [arm, rest @ ..] = arms else { return Err(Stop::Undefined) };
        let mut frame_here = frame.clone();
        let fits = self.fits(value, &arm.pattern, &mut frame_here)?;
        let Some(guard) = &arm.guard else {
            // The checker has shown that the last arm fits whatever is left.
            if rest.is_empty() && !self.terms.is(fits.value, false) {
                let body = self.made(&arm.body, &mut frame_here)?;
                return self.also(body, fits.defined);
            }
            return self.branch(fits, |s| s.made(&arm.body, &mut frame_here), |s| s.arms(value, rest, frame));
        };
        let taken = self.until(false, fits, |s| s.made(guard, &mut frame_here))?;
        self.branch(taken, |s| s.made(&arm.body, &mut frame_here), |s| s.arms(value, rest, frame))
    }

    /// Whether a value fits a pattern; the pattern's names are bound to what they stand for if it does.
    fn fits(&mut self, value: Term, pattern: &Pattern, frame: &mut OpenFrame) -> Made {
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
                if let Some(there) = self.present(value) {
                    bind(frame, *local, there);
                }
                Ok(self.total(present))
            }
            Pattern::Equal(e) => {
                // Nothing is compared with a message that is not there.
                let Some(there) = self.present(value) else { return Ok(self.known(false)) };
                let present = self.is_present(value);
                let present = self.total(present);
                self.until(false, present, |s| {
                    let e = s.made(e, frame)?;
                    Ok(Partial { value: s.terms.equal(there, e.value), ..e })
                })
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
                for (field, pattern) in patterns.iter().enumerate() {
                    result = self.until(false, result, |s| {
                        let part = s.field(value, *constructor, field).expect("a constructor that fits has its fields");
                        s.fits(part, pattern, frame)
                    })?;
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
                let long_enough = |terms: &mut Terms, leaf: Term| {
                    terms.as_list(leaf).filter(|list| list.len() == least || (has_rest && list.len() > least))
                };
                let mut result = self.total(fits_length);
                for (place, pattern) in elements.iter().enumerate() {
                    result = self.until(false, result, |s| {
                        let part = s.projected(value, &mut |terms, leaf| Some(long_enough(terms, leaf)?[place]));
                        s.fits(part.expect("a list that is long enough"), pattern, frame)
                    })?;
                }
                if let Some(Some(local)) = rest {
                    let tail = self.projected(value, &mut |terms, leaf| {
                        let list = long_enough(terms, leaf)?;
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
        self.terms.projected(value, f)
    }

    /// Whether a value of the type's shape belongs to the type. Fields of data were checked when it was built.
    pub fn contains(&mut self, ty: &Type, value: Term) -> Result<Term, Unsupported> {
        let inside = self.inside(ty, value, false);
        self.certain(inside)
    }

    /// Whether a value belongs to a type; also whether the fields of data belong to theirs, if `deep`: those of a value that
    /// was changed inside.
    fn inside(&mut self, ty: &Type, value: Term, deep: bool) -> Made {
        let is_narrow = if deep { self.definitions.narrows(ty) } else { ty.is_narrow() };
        if !is_narrow {
            return Ok(self.known(true));
        }
        match ty {
            Type::Int { low, high } => {
                let value = self.total(value);
                let mut result = self.known(true);
                if let Some(low) = low {
                    let low = self.bound(low)?;
                    result = self.at_most(low, value)?;
                }
                if let Some(high) = high {
                    result = self.until(false, result, |s| {
                        let high = s.bound(high)?;
                        s.at_most(value, high)
                    })?;
                }
                Ok(result)
            }
            Type::Refined(id, base) => {
                let inside = self.inside(base, value, deep)?;
                let refinement = &self.definitions.refinements[*id];
                self.until(false, inside, |s| {
                    let holds = s.condition(&refinement.condition, &mut vec![Some(value)])?;
                    Ok(s.total(holds))
                })
            }
            Type::List(element) | Type::Set(element) => self.below_choices(vec![value], &mut |s, args| {
                let members = match s.terms.as_list(args[0]) {
                    Some(list) => list,
                    None => s.set(args[0])?,
                };
                s.all_inside(members.into_iter().map(|member| (None, &**element, member)), deep)
            }),
            Type::Map(key, element) => self.below_choices(vec![value], &mut |s, args| {
                let writes = s.map(args[0])?;
                let mut parts = vec![];
                for (place, (k, v)) in writes.iter().enumerate() {
                    // What is written is in the map unless the same key is written again, or removed.
                    let Some(v) = v else { continue };
                    let later = writes[place + 1..].iter().map(|(later, _)| *later);
                    let is_known = s.terms.value(*k).is_some();
                    let later: Vec<Term> = later.filter(|k| !is_known || s.terms.value(*k).is_none()).collect();
                    let is_lost = s.terms.is_among(*k, &later);
                    parts.extend([(Some(is_lost), &**key, *k), (Some(is_lost), &**element, *v)]);
                }
                s.all_inside(parts, deep)
            }),
            Type::Option(element) => self.field_inside((Definitions::OPTION, 1, 0), element, value, deep),
            Type::Data(id) if deep => {
                let definitions = self.definitions;
                let mut result = self.known(true);
                for (number, constructor) in definitions.types[*id].constructors.iter().enumerate() {
                    for (place, (_, field)) in constructor.fields.iter().enumerate() {
                        result = self.until(false, result, |s| {
                            s.field_inside((*id, number as u32, place), field, value, deep)
                        })?;
                    }
                }
                Ok(result)
            }
            _ => Ok(self.known(true)),
        }
    }

    /// Whether a field of a value belongs to its type, if the constructor that has it made the value.
    fn field_inside(
        &mut self,
        (id, constructor, place): (TypeId, u32, usize),
        ty: &Type,
        value: Term,
        deep: bool,
    ) -> Made {
        let is_narrow = if deep { self.definitions.narrows(ty) } else { ty.is_narrow() };
        let Some(field) = self.field(value, constructor, place).filter(|_| is_narrow) else {
            return Ok(self.known(true));
        };
        let is_made_so = self.fits(value, &Pattern::Data(id, constructor, vec![]), &mut vec![])?;
        self.branch(is_made_so, |s| s.inside(ty, field, deep), |s| Ok(s.known(true)))
    }

    /// Whether values are in their types, except where they are lost.
    fn all_inside<'t>(&mut self, values: impl IntoIterator<Item = (Option<Term>, &'t Type, Term)>, deep: bool) -> Made {
        let mut parts = vec![];
        for (is_lost, ty, value) in values {
            let is_lost = is_lost.unwrap_or_else(|| self.terms.bool(false));
            if !self.terms.is(is_lost, true) {
                let inside = self.inside(ty, value, deep);
                let inside = self.certain(inside)?;
                parts.push(self.terms.or(is_lost, inside));
            }
        }
        let value = self.terms.all(parts);
        Ok(self.total(value))
    }

    fn bound(&mut self, bound: &Bound) -> Made {
        match bound {
            Bound::Known(n) => {
                let n = self.terms.int(n.clone());
                Ok(self.total(n))
            }
            Bound::Open(e, _) => self.made(e, &mut vec![]),
        }
    }

    // ---- collections

    /// The elements of a list.
    pub(super) fn list(&mut self, term: Term) -> Result<Vec<Term>, Unsupported> {
        self.terms.as_list(term).map_or_else(|| unsupported("the elements of an open list"), Ok)
    }

    /// Members of a set; some may be equal.
    pub(super) fn set(&mut self, term: Term) -> Result<Vec<Term>, Unsupported> {
        self.terms.as_set(term).map_or_else(|| unsupported("the members of an open set"), Ok)
    }

    /// The writes that make a map.
    pub(super) fn map(&mut self, term: Term) -> Result<Vec<(Term, Option<Term>)>, Unsupported> {
        self.terms.as_map(term).map_or_else(|| unsupported("the keys of an open map"), Ok)
    }

    /// The keys of a map, as a set.
    pub(super) fn keys(&mut self, writes: &Writes) -> Result<Term, Unsupported> {
        let keys: Vec<Term> = writes.iter().map(|(key, _)| *key).collect();
        self.filtered(&keys, |s, key| s.terms.map_contains(writes, key))
    }

    /// How many different keys there are.
    pub(super) fn count_keys(&mut self, writes: &Writes) -> Term {
        let keys: Vec<Term> = writes.iter().map(|(key, _)| *key).collect();
        let (zero, one) = (self.terms.int(0), self.terms.int(1));
        let mut size = zero;
        for (i, key) in keys.iter().enumerate() {
            let seen = self.terms.is_among(*key, &keys[..i]);
            let there = self.terms.map_contains(writes, *key);
            let counts = self.terms.choose(there, one, zero);
            let counts = self.terms.choose(seen, zero, counts);
            size = self.terms.add(size, counts);
        }
        size
    }

    /// What is made of the members of a collection: of a list, a set, or the keys of a map.
    fn over(&mut self, over: Term, f: &mut dyn FnMut(&mut Self, &Members) -> Made) -> Made {
        self.below_choices(vec![over], &mut |s, over| {
            if let Some(list) = s.terms.as_list(over[0]) {
                return f(s, &Members { terms: list, is_ordered: true });
            }
            let set = match s.terms.as_map(over[0]) {
                Some(writes) => s.keys(&writes)?,
                None if s.terms.value(over[0]) == Some(&Value::Absent) => return Err(Stop::Undefined),
                None => over[0],
            };
            s.below_choices(vec![set], &mut |s, set| {
                let is_ordered = s.terms.value(set[0]).is_some();
                let terms = s.set(set[0])?;
                f(s, &Members { is_ordered: is_ordered || terms.len() == 1, terms })
            })
        })
    }

    /// What is made of members in the order of their values, each once.
    fn in_order(&mut self, members: &Members, f: &mut dyn FnMut(&mut Self, &Members) -> Made) -> Made {
        let ascending = self.ascending(&members.terms)?;
        self.below_choices(vec![ascending], &mut |s, list| {
            let terms = s.list(list[0])?;
            f(s, &Members { terms, is_ordered: true })
        })
    }

    /// The members of a set in the order of their values: a choice between lists.
    pub(super) fn ascending(&mut self, members: &[Term]) -> Result<Term, Unsupported> {
        let (mut known, open): (Vec<Term>, Vec<Term>) =
            members.iter().partition(|member| self.terms.value(**member).is_some());
        if open.len() > MAX_ORDERED {
            return unsupported("the order of many open values");
        }
        known.sort_by(|a, b| self.terms.value(*a).cmp(&self.terms.value(*b)));
        self.inserted(&open, known)
    }

    /// An ascending list with more members.
    fn inserted(&mut self, more: &[Term], list: Vec<Term>) -> Result<Term, Unsupported> {
        match more {
            [] => Ok(self.terms.list(list)),
            [member, more @ ..] => self.placed(*member, more, list, 0),
        }
    }

    /// An ascending list with a member that is not before a place, and with more members.
    fn placed(&mut self, member: Term, more: &[Term], list: Vec<Term>, place: usize) -> Result<Term, Unsupported> {
        let with = |place: usize| {
            let mut list = list.clone();
            list.insert(place, member);
            list
        };
        let Some(here) = list.get(place).copied() else { return self.inserted(more, with(place)) };
        let before = self.before(member, here)?;
        if self.terms.is(before, true) {
            return self.inserted(more, with(place));
        }
        let same = self.terms.equal(member, here);
        if self.terms.is(same, true) {
            return self.inserted(more, list);
        }
        let after = self.placed(member, more, list.clone(), place + 1)?;
        let not_before = match self.terms.is(same, false) {
            true => after,
            false => {
                let equal = self.inserted(more, list.clone())?;
                self.terms.choose(same, equal, after)
            }
        };
        if self.terms.is(before, false) {
            return Ok(not_before);
        }
        let first = self.inserted(more, with(place))?;
        Ok(self.terms.choose(before, first, not_before))
    }

    /// Whether a value comes before another one of its type, in the order of members and keys.
    fn before(&mut self, a: Term, b: Term) -> Result<Term, Unsupported> {
        if let (Some(x), Some(y)) = (self.terms.value(a), self.terms.value(b)) {
            let is_before = x < y;
            return Ok(self.terms.bool(is_before));
        }
        match (self.terms.sort(a), self.terms.sort(b)) {
            (Sort::Int | Sort::Real, _) => return Ok(self.terms.less(a, b)),
            (Sort::Bool, _) => {
                let not_a = self.terms.not(a);
                return Ok(self.terms.and(not_a, b));
            }
            _ => {}
        }
        match (self.terms.node(a).clone(), self.terms.node(b).clone()) {
            (Node::If(c, x, y), _) => {
                let (x, y) = (self.before(x, b)?, self.before(y, b)?);
                return Ok(self.terms.choose(c, x, y));
            }
            (_, Node::If(c, x, y)) => {
                let (x, y) = (self.before(a, x)?, self.before(a, y)?);
                return Ok(self.terms.choose(c, x, y));
            }
            _ => {}
        }
        if let (Some((_, c, xs)), Some((_, d, ys))) = (self.terms.as_data(a), self.terms.as_data(b)) {
            return if c == d { self.lexically_before(&xs, &ys) } else { Ok(self.terms.bool(c < d)) };
        }
        if let (Some(xs), Some(ys)) = (self.terms.as_list(a), self.terms.as_list(b)) {
            return self.lexically_before(&xs, &ys);
        }
        if let (Sort::Enum(ty), Sort::Enum(_)) = (self.terms.sort(a), self.terms.sort(b)) {
            let mut parts = vec![];
            let mut a_is_less = self.terms.bool(false);
            for constructor in 0..self.definitions.types[ty].constructors.len() as u32 {
                let constructor = self.terms.constant(Value::Data(ty, constructor, [].into()));
                let b_is = self.terms.equal(b, constructor);
                parts.push(self.terms.and(a_is_less, b_is));
                let a_is = self.terms.equal(a, constructor);
                a_is_less = self.terms.or(a_is_less, a_is);
            }
            return Ok(self.terms.any(parts));
        }
        unsupported("the order of open texts, sets or maps")
    }

    fn lexically_before(&mut self, xs: &[Term], ys: &[Term]) -> Result<Term, Unsupported> {
        let mut result = self.terms.bool(xs.len() < ys.len());
        for (x, y) in xs.iter().zip(ys).rev() {
            let (before, same) = (self.before(*x, *y)?, self.terms.equal(*x, *y));
            let later = self.terms.and(same, result);
            result = self.terms.or(before, later);
        }
        Ok(result)
    }

    /// The numbers from one to another one, where it is known how far these are apart.
    fn range(&mut self, low: Term, high: Term) -> Result<Term, Unsupported> {
        let distance = self.terms.subtract(high, low);
        self.range_of(low, distance)
    }

    fn range_of(&mut self, low: Term, distance: Term) -> Result<Term, Unsupported> {
        if let Some((c, a, b)) = self.choice_in(distance) {
            self.choices += 1;
            if self.choices > MAX_CHOICES {
                return unsupported("a loop over a range with so many ends");
            }
            let (a, b) = (self.range_of(low, a)?, self.range_of(low, b)?);
            return Ok(self.terms.choose(c, a, b));
        }
        let Some(Value::Int(distance)) = self.terms.value(distance) else {
            return unsupported("a loop over a range with open ends");
        };
        let size =
            if distance.is_negative() { Some(0) } else { distance.to_i64().and_then(|last| last.checked_add(1)) };
        let Some(size) = size.filter(|size| *size <= MAX_RANGE) else {
            return unsupported("a loop over a huge range");
        };
        let mut members = vec![];
        for n in 0..size {
            let n = self.terms.int(n);
            members.push(self.terms.add(low, n));
        }
        Ok(self.terms.list(members))
    }

    /// A choice that a number depends on: its condition, and what the number is then, and otherwise.
    fn choice_in(&mut self, number: Term) -> Option<(Term, Term, Term)> {
        let sum = match self.terms.node(number) {
            Node::If(c, a, b) => return Some((*c, *a, *b)),
            Node::Sum(sum) => sum.clone(),
            _ => return None,
        };
        sum.parts.iter().find_map(|(part, factor)| {
            let Node::If(c, a, b) = *self.terms.node(*part) else { return None };
            let rest = self.terms.add_scaled(number, *part, &-factor.clone());
            Some((c, self.terms.add_scaled(rest, a, factor), self.terms.add_scaled(rest, b, factor)))
        })
    }

    /// Whether the condition has a truth value for a member; the members before the first such one are looked at.
    fn quantified(&mut self, until: bool, local: usize, members: &Members, body: &Expr, frame: &mut OpenFrame) -> Made {
        let mut bodies = vec![];
        let mut are_total = true;
        for member in &members.terms {
            bind(frame, local, *member);
            let body = self.unless_unsupported(|s| {
                let body = s.made(body, frame)?;
                s.truth(body)
            })?;
            let is_total = body.is_some_and(|body| self.terms.is(body.defined, true));
            let decides = body.is_some_and(|body| self.terms.is(body.value, until));
            are_total &= is_total;
            bodies.push(body);
            if members.is_ordered && (body.is_none() || is_total && decides) {
                break;
            }
        }
        if !are_total && !members.is_ordered {
            let frame = frame.clone();
            return self
                .in_order(members, &mut |s, members| s.quantified(until, local, members, body, &mut frame.clone()));
        }
        let mut result = Ok(self.known(!until));
        for body in bodies.into_iter().rev() {
            result = match body {
                None => Err(Stop::Undefined),
                Some(body) => self.until(until, body, |_| result),
            };
        }
        result
    }

    fn comprehension(
        &mut self,
        makes: Collection,
        local: usize,
        members: &Members,
        parts: (Option<&Expr>, Option<&Expr>, &Expr),
        frame: &mut OpenFrame,
    ) -> Made {
        let in_order = |s: &mut Self, frame: &OpenFrame| {
            s.in_order(members, &mut |s, members| s.comprehension(makes, local, members, parts, &mut frame.clone()))
        };
        if makes == Collection::List && !members.is_ordered {
            return in_order(self, frame);
        }
        let (condition, key, element) = parts;
        let mut defined = vec![];
        // Elements with the conditions under which they are there.
        let mut made: Vec<(Term, Term, Term)> = vec![];
        for member in &members.terms {
            bind(frame, local, *member);
            let counts = match condition {
                Some(condition) => {
                    let counts = self.made(condition, frame)?;
                    self.truth(counts)?
                }
                None => self.known(true),
            };
            defined.push(counts.defined);
            if self.terms.is(counts.value, false) {
                continue;
            }
            let entry = self.unless_unsupported(|s| {
                let key = match key {
                    Some(key) => Some(s.made(key, frame)?),
                    None => None,
                };
                let element = s.made(element, frame)?;
                let key = key.unwrap_or(element);
                made.push((counts.value, key.value, element.value));
                s.also(element, key.defined)
            })?;
            let not_counted = self.terms.not(counts.value);
            defined.push(match entry {
                Some(entry) => self.terms.or(not_counted, entry.defined),
                None => not_counted,
            });
        }
        if makes == Collection::Map && !members.is_ordered && self.may_coincide(&made) {
            return in_order(self, frame);
        }
        let defined = self.terms.all(defined);
        let value = self.gathered(makes, &made, vec![])?;
        let made = self.total(value);
        self.also(made, defined)
    }

    /// Whether two entries may have the same key.
    fn may_coincide(&mut self, entries: &[(Term, Term, Term)]) -> bool {
        entries.iter().enumerate().any(|(place, (_, key, _))| {
            let others: Vec<Term> = entries[..place].iter().map(|(_, key, _)| *key).collect();
            let among = self.terms.is_among(*key, &others);
            !self.terms.is(among, false)
        })
    }

    /// A collection of elements that are there under conditions.
    fn gathered(
        &mut self,
        makes: Collection,
        rest: &[(Term, Term, Term)],
        taken: Vec<(Term, Term)>,
    ) -> Result<Term, Unsupported> {
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

    /// The members of a set that are to be kept.
    pub(super) fn filtered(
        &mut self,
        members: &[Term],
        mut keep: impl FnMut(&mut Self, Term) -> Term,
    ) -> Result<Term, Unsupported> {
        let made: Vec<(Term, Term, Term)> = members.iter().map(|m| (keep(self, *m), *m, *m)).collect();
        self.gathered(Collection::Set, &made, vec![])
    }
}

/// Members of a collection that is looped over.
struct Members {
    terms: Vec<Term>,
    /// Whether they stand in the order in which they are looked at, and each but once; otherwise some may be equal.
    is_ordered: bool,
}

fn bind(frame: &mut OpenFrame, local: usize, value: Term) {
    if frame.len() <= local {
        frame.resize(local + 1, None);
    }
    frame[local] = Some(value);
}
