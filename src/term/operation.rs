//! The table of operators and functions: in which order their operands are looked at, when they have a value, what it is,
//! as a value and as a term, and for functions their types and what the reference says of them.
//!
//! [`super::eval`] and [`super::symbolic`] read order and definedness from here, so that they cannot differ in them. Only
//! what a value is stands here twice, side by side.

use std::sync::Arc;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};

use super::eval::{Failure, bounded, within_bits};
use super::expr::{BinaryOp, Builtin, UnaryOp};
use super::symbolic::{Symbolic, Unsupported, unsupported};
use super::terms::{Sort, Term};
use super::ty::{Definitions, Type};
use super::value::Value;
use crate::syntax::tree::Quantifier;

/// How operands make a value.
#[derive(Clone, Copy)]
pub(super) enum Meaning {
    /// Truth values are looked at from left to right, up to the first that is this one; the last one looked at is the result.
    Until(bool),
    /// All operands are looked at, from left to right.
    Of(Operation),
}

/// What an operator makes of operands that all have a value.
#[derive(Clone, Copy)]
pub(super) struct Operation {
    /// When there is a value.
    pub needs: Needs,
    /// Whether the work grows with the size of the operands.
    pub copies: bool,
    /// The value, where the needs are met. Operands that are not there are absent.
    pub eval: fn([Value; 3]) -> Result<Value, Failure>,
    /// The same as a term, of operands that are no choices between structures.
    pub symbolic: fn(&mut Symbolic<'_>, &[Term]) -> Result<Term, Unsupported>,
}

/// What an operator asks of its operands. All but the first ask for messages that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    /// Nothing.
    Nothing,
    /// Operands that are there.
    Presence,
    /// A second operand that is not zero.
    Divisor,
    /// A first operand with elements.
    Elements,
    /// A second operand that is a place of the list, or a key of the map.
    Element,
    /// A second operand that is a place of the list. Any key of a map will do.
    Place,
}

impl Needs {
    /// What is missing for a value.
    pub fn missing(self, operands: &[Value]) -> Option<String> {
        use Value::{Int, List, Map, Real};
        if self != Needs::Nothing && operands.contains(&Value::Absent) {
            return Some("a message that is not there".to_owned());
        }
        match (self, operands) {
            (Needs::Divisor, [_, Int(n)]) if n.is_zero() => Some("division by zero".to_owned()),
            (Needs::Divisor, [_, Real(x)]) if x.is_zero() => Some("division by zero".to_owned()),
            (Needs::Elements, [List(list)]) if list.is_empty() => Some("an element of an empty list".to_owned()),
            (Needs::Element | Needs::Place, [List(list), Int(n), ..]) => {
                let is_place = n.to_usize().is_some_and(|place| place < list.len());
                (!is_place).then(|| format!("index {n} of a list of {}", list.len()))
            }
            (Needs::Element, [Map(map), key]) if !map.contains_key(key) => Some("a missing key".to_owned()),
            _ => None,
        }
    }

    /// The condition that nothing is missing, for operands that are there and no choices between structures.
    pub fn met(self, s: &mut Symbolic<'_>, operands: &[Term]) -> Result<Term, Unsupported> {
        let first = operands[0];
        Ok(match self {
            Needs::Nothing | Needs::Presence => s.terms.bool(true),
            Needs::Divisor => {
                let zero = match s.terms.sort(operands[1]) {
                    Sort::Real => Value::real(BigRational::zero()),
                    _ => Value::int(0),
                };
                let zero = s.terms.constant(zero);
                let is_zero = s.terms.equal(operands[1], zero);
                s.terms.not(is_zero)
            }
            Needs::Elements => {
                let size = s.list(first)?.len();
                s.terms.bool(size > 0)
            }
            Needs::Element | Needs::Place => match s.terms.as_map(first) {
                Some(_) if self == Needs::Place => s.terms.bool(true),
                Some(writes) => s.terms.map_contains(&writes, operands[1]),
                None => {
                    let places = 0..s.list(first)?.len();
                    let places: Vec<Term> = places.map(|place| s.terms.int(place)).collect();
                    s.terms.is_among(operands[1], &places)
                }
            },
        })
    }
}

/// A function of the language, for whoever writes models.
pub struct Function {
    /// Types of the operands after the first and of the result, for a first operand of a type without refinements; none if
    /// it takes no such operand.
    pub types: fn(&Type) -> Signature,
    /// How it is written, its types, its value: lines of the reference.
    pub reference: &'static [[&'static str; 3]],
    pub(super) operation: Operation,
}

/// Types of the operands after the first, and of the result.
pub type Signature = Option<(Vec<Type>, Type)>;

/// `min(x, y)` as a term, or `max(x, y)`.
fn least(s: &mut Symbolic<'_>, [a, b]: [Term; 2], (smaller, larger): (Term, Term)) -> Term {
    let is_smaller = s.terms.at_most(a, b);
    s.terms.choose(is_smaller, smaller, larger)
}

fn ill_typed<T>(op: &'static str) -> Result<T, Failure> {
    Err(Failure::IllTyped(op))
}

fn some(value: Value) -> Value {
    Value::Data(Definitions::OPTION, 1, [value].into())
}

fn none() -> Value {
    Value::Data(Definitions::OPTION, 0, [].into())
}

/// `n` as a position in a list of `size`.
fn clamped(n: &BigInt, size: usize) -> usize {
    if n.is_negative() { 0 } else { n.to_usize().unwrap_or(size).min(size) }
}

fn bits(x: &BigRational) -> u64 {
    x.numer().bits() + x.denom().bits()
}

/// The part of a list on one side of a place, which is cut to the list: one case for each length.
fn part(s: &mut Symbolic<'_>, args: &[Term], part: fn(&[Term], usize) -> &[Term]) -> Result<Term, Unsupported> {
    let list = s.list(args[0])?;
    let mut result = s.terms.list(part(&list, list.len()).to_vec());
    for n in (0..list.len()).rev() {
        let shorter = s.terms.list(part(&list, n).to_vec());
        let bound = s.terms.int(n);
        let is_up_to = s.terms.at_most(args[1], bound);
        result = s.terms.choose(is_up_to, shorter, result);
    }
    Ok(result)
}

/// The members of a set that are among those of another one, or are not.
fn among(s: &mut Symbolic<'_>, args: &[Term], wanted: bool) -> Result<Term, Unsupported> {
    let (xs, ys) = (s.set(args[0])?, s.set(args[1])?);
    s.filtered(&xs, |s, member| {
        let among = s.terms.is_among(member, &ys);
        if wanted { among } else { s.terms.not(among) }
    })
}

fn of_list(ty: &Type) -> Option<&Type> {
    if let Type::List(element) = ty { Some(element) } else { None }
}

fn of_set(ty: &Type) -> Option<&Type> {
    if let Type::Set(element) = ty { Some(element) } else { None }
}

fn of_map(ty: &Type) -> Option<(&Type, &Type)> {
    if let Type::Map(key, value) = ty { Some((key, value)) } else { None }
}

fn of_number(ty: &Type) -> Signature {
    matches!(ty, Type::Int { .. } | Type::Real).then(|| (vec![ty.shape()], ty.shape()))
}

/// The truth value of a member at which a quantifier ends.
pub(super) fn until(quantifier: Quantifier) -> bool {
    quantifier == Quantifier::Exists
}

impl UnaryOp {
    /// What it means; `Holds` is no operator on values.
    pub(super) fn operation(self) -> Operation {
        match self {
            UnaryOp::Not => Operation {
                needs: Needs::Presence,
                copies: false,
                eval: |[a, ..]| match a {
                    Value::Bool(a) => Ok(Value::Bool(!a)),
                    _ => ill_typed("!"),
                },
                symbolic: |s, args| Ok(s.terms.not(args[0])),
            },
            UnaryOp::Negate => Operation {
                needs: Needs::Presence,
                copies: false,
                eval: |[a, ..]| match a {
                    Value::Int(n) => Ok(Value::Int(-n)),
                    Value::Real(x) => Ok(Value::real(-x.into_big())),
                    _ => ill_typed("-"),
                },
                symbolic: |s, args| Ok(s.terms.negate(args[0])),
            },
            UnaryOp::Holds => unreachable!("it takes a condition that may have no value"),
        }
    }
}

impl BinaryOp {
    /// What it means. `x in a..b` is `a <= x && x <= b`, whose operands are looked at in the order x, a, b.
    pub(super) fn meaning(self) -> Meaning {
        use Value::{Int, List, Map, Real, Set, Text};
        Meaning::Of(match self {
            BinaryOp::And => return Meaning::Until(false),
            BinaryOp::Or => return Meaning::Until(true),
            BinaryOp::Equal => Operation {
                needs: Needs::Nothing,
                copies: false,
                eval: |[a, b, _]| Ok(Value::Bool(a == b)),
                symbolic: |s, args| Ok(s.terms.equal(args[0], args[1])),
            },
            BinaryOp::NotEqual => Operation {
                needs: Needs::Nothing,
                copies: false,
                eval: |[a, b, _]| Ok(Value::Bool(a != b)),
                symbolic: |s, args| {
                    let equal = s.terms.equal(args[0], args[1]);
                    Ok(s.terms.not(equal))
                },
            },
            BinaryOp::Less => Operation {
                needs: Needs::Presence,
                copies: false,
                eval: |[a, b, _]| match (&a, &b) {
                    (Int(_), Int(_)) | (Real(_), Real(_)) => Ok(Value::Bool(a < b)),
                    _ => ill_typed("<"),
                },
                symbolic: |s, args| Ok(s.terms.less(args[0], args[1])),
            },
            BinaryOp::AtMost => Operation {
                needs: Needs::Presence,
                copies: false,
                eval: |[a, b, _]| match (&a, &b) {
                    (Int(_), Int(_)) | (Real(_), Real(_)) => Ok(Value::Bool(a <= b)),
                    _ => ill_typed("<="),
                },
                symbolic: |s, args| Ok(s.terms.at_most(args[0], args[1])),
            },
            BinaryOp::Add => Operation {
                needs: Needs::Presence,
                copies: false,
                eval: |[a, b, _]| match (a, b) {
                    (Int(a), Int(b)) => within_bits(a.bits() + b.bits()).map(|()| Int(a + b)),
                    (Real(a), Real(b)) => within_bits(bits(&a) + bits(&b)).map(|()| Value::real(&*a + &*b)),
                    _ => ill_typed("+"),
                },
                symbolic: |s, args| Ok(s.terms.add(args[0], args[1])),
            },
            BinaryOp::Subtract => Operation {
                needs: Needs::Presence,
                copies: false,
                eval: |[a, b, _]| match (a, b) {
                    (Int(a), Int(b)) => within_bits(a.bits() + b.bits()).map(|()| Int(a - b)),
                    (Real(a), Real(b)) => within_bits(bits(&a) + bits(&b)).map(|()| Value::real(&*a - &*b)),
                    _ => ill_typed("-"),
                },
                symbolic: |s, args| Ok(s.terms.subtract(args[0], args[1])),
            },
            BinaryOp::Multiply => Operation {
                needs: Needs::Presence,
                copies: false,
                eval: |[a, b, _]| match (a, b) {
                    (Int(a), Int(b)) => within_bits(a.bits() + b.bits()).map(|()| Int(a * b)),
                    (Real(a), Real(b)) => within_bits(bits(&a) + bits(&b)).map(|()| Value::real(&*a * &*b)),
                    _ => ill_typed("*"),
                },
                symbolic: |s, args| Ok(s.terms.multiply(args[0], args[1])),
            },
            // Of whole numbers it is Euclid's: the remainder is not negative.
            BinaryOp::Divide => Operation {
                needs: Needs::Divisor,
                copies: false,
                eval: |[a, b, _]| match (a, b) {
                    (Int(a), Int(b)) => {
                        within_bits(a.bits() + b.bits())?;
                        let rest = a.mod_floor(&b.abs());
                        Ok(Int((a - rest) / b))
                    }
                    (Real(a), Real(b)) => within_bits(bits(&a) + bits(&b)).map(|()| Value::real(&*a / &*b)),
                    _ => ill_typed("/"),
                },
                symbolic: |s, args| Ok(s.terms.divide(args[0], args[1])),
            },
            BinaryOp::Modulo => Operation {
                needs: Needs::Divisor,
                copies: false,
                eval: |[a, b, _]| match (a, b) {
                    (Int(a), Int(b)) => within_bits(a.bits() + b.bits()).map(|()| Int(a.mod_floor(&b.abs()))),
                    _ => ill_typed("%"),
                },
                symbolic: |s, args| Ok(s.terms.modulo(args[0], args[1])),
            },
            BinaryOp::Concat => Operation {
                needs: Needs::Presence,
                copies: true,
                eval: |[a, b, _]| match (a, b) {
                    (Text(a), Text(b)) => bounded(a.len() + b.len()).map(|()| Value::text(&format!("{a}{b}"))),
                    (List(a), List(b)) => {
                        bounded(a.len() + b.len())?;
                        Ok(List(Arc::new(a.iter().chain(b.iter()).cloned().collect())))
                    }
                    _ => ill_typed("++"),
                },
                symbolic: |s, args| {
                    if s.terms.sort(args[0]) == Sort::Text {
                        return Ok(s.terms.join(args.to_vec()));
                    }
                    let (mut xs, ys) = (s.list(args[0])?, s.list(args[1])?);
                    xs.extend(ys);
                    Ok(s.terms.list(xs))
                },
            },
            BinaryOp::In => Operation {
                needs: Needs::Presence,
                copies: false,
                eval: |[x, over, _]| match over {
                    List(list) => Ok(Value::Bool(list.contains(&x))),
                    Set(set) => Ok(Value::Bool(set.contains(&x))),
                    Map(map) => Ok(Value::Bool(map.contains_key(&x))),
                    _ => ill_typed("in"),
                },
                symbolic: |s, args| {
                    if let Some(writes) = s.terms.as_map(args[1]) {
                        return Ok(s.terms.map_contains(&writes, args[0]));
                    }
                    let members = match s.terms.as_list(args[1]) {
                        Some(list) => list,
                        None => s.set(args[1])?,
                    };
                    Ok(s.terms.is_among(args[0], &members))
                },
            },
        })
    }
}

impl Builtin {
    /// Types, documentation and meaning.
    pub fn function(self) -> Function {
        use Value::{Int, List, Map, Real, Set, Text};
        match self {
            Builtin::Size => Function {
                types: |ty| {
                    let is_sized = matches!(ty, Type::List(_) | Type::Set(_) | Type::Map(..) | Type::Text);
                    is_sized.then(|| (vec![], Type::nat()))
                },
                reference: &[[
                    "`size(c)`",
                    "list, set, map or text to `Nat`",
                    "number of elements, keys or characters",
                ]],
                operation: Operation {
                    needs: Needs::Presence,
                    copies: false,
                    eval: |[c, ..]| {
                        Ok(Value::int(match c {
                            List(list) => list.len(),
                            Set(set) => set.len(),
                            Map(map) => map.len(),
                            Text(text) => text.chars().count(),
                            _ => return ill_typed("size"),
                        }))
                    },
                    symbolic: |s, args| {
                        if let Some(list) = s.terms.as_list(args[0]) {
                            return Ok(s.terms.int(list.len()));
                        }
                        if let Some(set) = s.terms.as_set(args[0]) {
                            return Ok(s.terms.count_distinct(&set));
                        }
                        if let Some(writes) = s.terms.as_map(args[0]) {
                            return Ok(s.count_keys(&writes));
                        }
                        if s.terms.sort(args[0]) == Sort::Text {
                            return Ok(s.terms.below_choices(args[0], &mut |terms, leaf| terms.text_size(leaf)));
                        }
                        unsupported("`size` of an open collection")
                    },
                },
            },
            Builtin::Head => Function {
                types: |ty| Some((vec![], of_list(ty)?.clone())),
                reference: &[["`head(l)`", "`List<T>` to `T`", "first element; undefined if empty"]],
                operation: Operation {
                    needs: Needs::Elements,
                    copies: false,
                    eval: |[l, ..]| match l {
                        List(l) => Ok(l.first().expect("its needs are met").clone()),
                        _ => ill_typed("head"),
                    },
                    symbolic: |s, args| Ok(*s.list(args[0])?.first().expect("its needs are met")),
                },
            },
            Builtin::Last => Function {
                types: |ty| Some((vec![], of_list(ty)?.clone())),
                reference: &[["`last(l)`", "`List<T>` to `T`", "last element; undefined if empty"]],
                operation: Operation {
                    needs: Needs::Elements,
                    copies: false,
                    eval: |[l, ..]| match l {
                        List(l) => Ok(l.last().expect("its needs are met").clone()),
                        _ => ill_typed("last"),
                    },
                    symbolic: |s, args| Ok(*s.list(args[0])?.last().expect("its needs are met")),
                },
            },
            Builtin::Tail => Function {
                types: |ty| of_list(ty).map(|_| (vec![], ty.clone())),
                reference: &[["`tail(l)`", "`List<T>` to `List<T>`", "all but the first; undefined if empty"]],
                operation: Operation {
                    needs: Needs::Elements,
                    copies: true,
                    eval: |[l, ..]| match l {
                        List(l) => Ok(List(Arc::new(l[1..].to_vec()))),
                        _ => ill_typed("tail"),
                    },
                    symbolic: |s, args| {
                        let list = s.list(args[0])?;
                        Ok(s.terms.list(list[1..].to_vec()))
                    },
                },
            },
            Builtin::Append => Function {
                types: |ty| Some((vec![of_list(ty)?.clone()], ty.clone())),
                reference: &[["`append(l, x)`", "`List<T>, T` to `List<T>`", "`x` at the end"]],
                operation: Operation {
                    needs: Needs::Presence,
                    copies: true,
                    eval: |[l, x, _]| match l {
                        List(mut l) => {
                            bounded(l.len() + 1)?;
                            Arc::make_mut(&mut l).push(x);
                            Ok(List(l))
                        }
                        _ => ill_typed("append"),
                    },
                    symbolic: |s, args| {
                        let mut list = s.list(args[0])?;
                        list.push(args[1]);
                        Ok(s.terms.list(list))
                    },
                },
            },
            Builtin::Reverse => Function {
                types: |ty| of_list(ty).map(|_| (vec![], ty.clone())),
                reference: &[["`reverse(l)`", "`List<T>` to `List<T>`", "backwards"]],
                operation: Operation {
                    needs: Needs::Presence,
                    copies: true,
                    eval: |[l, ..]| match l {
                        List(l) => Ok(List(Arc::new(l.iter().rev().cloned().collect()))),
                        _ => ill_typed("reverse"),
                    },
                    symbolic: |s, args| {
                        let list = s.list(args[0])?;
                        Ok(s.terms.list(list.into_iter().rev().collect()))
                    },
                },
            },
            Builtin::Take => Function {
                types: |ty| of_list(ty).map(|_| (vec![Type::INT], ty.clone())),
                reference: &[[
                    "`take(l, n)`",
                    "`List<T>, Int` to `List<T>`",
                    "the first `n`; `n` is cut to `0..size(l)`",
                ]],
                operation: Operation {
                    needs: Needs::Presence,
                    copies: true,
                    eval: |[l, n, _]| match (l, n) {
                        (List(l), Int(n)) => Ok(List(Arc::new(l[..clamped(&n, l.len())].to_vec()))),
                        _ => ill_typed("take"),
                    },
                    symbolic: |s, args| part(s, args, |list, n| &list[..n]),
                },
            },
            Builtin::Drop => Function {
                types: |ty| of_list(ty).map(|_| (vec![Type::INT], ty.clone())),
                reference: &[[
                    "`drop(l, n)`",
                    "`List<T>, Int` to `List<T>`",
                    "all but the first `n`; `n` is cut to `0..size(l)`",
                ]],
                operation: Operation {
                    needs: Needs::Presence,
                    copies: true,
                    eval: |[l, n, _]| match (l, n) {
                        (List(l), Int(n)) => Ok(List(Arc::new(l[clamped(&n, l.len())..].to_vec()))),
                        _ => ill_typed("drop"),
                    },
                    symbolic: |s, args| part(s, args, |list, n| &list[n..]),
                },
            },
            // Written with brackets; the checker types it itself.
            Builtin::Index => Function {
                types: |_| None,
                reference: &[],
                operation: Operation {
                    needs: Needs::Element,
                    copies: false,
                    eval: |[c, at, _]| match (c, at) {
                        (List(l), Int(n)) => {
                            let element = n.to_usize().and_then(|place| l.get(place));
                            Ok(element.expect("its needs are met").clone())
                        }
                        (Map(m), key) => Ok(m.get(&key).expect("its needs are met").clone()),
                        _ => ill_typed("[]"),
                    },
                    symbolic: |s, args| {
                        if let Some(writes) = s.terms.as_map(args[0]) {
                            return Ok(s.terms.map_value(&writes, args[1]).expect("its needs are met"));
                        }
                        let list = s.list(args[0])?;
                        let (last, before) = list.split_last().expect("its needs are met");
                        let mut result = *last;
                        for (place, element) in before.iter().enumerate().rev() {
                            let place = s.terms.int(place);
                            let is_here = s.terms.equal(args[1], place);
                            result = s.terms.choose(is_here, *element, result);
                        }
                        Ok(result)
                    },
                },
            },
            Builtin::Put => Function {
                types: |ty| match ty {
                    Type::List(element) => Some((vec![Type::INT, (**element).clone()], ty.clone())),
                    Type::Map(key, value) => Some((vec![(**key).clone(), (**value).clone()], ty.clone())),
                    _ => None,
                },
                reference: &[
                    [
                        "`put(l, i, x)`",
                        "`List<T>, Int, T` to `List<T>`",
                        "`x` at position `i`; undefined if there is none",
                    ],
                    ["`put(m, k, v)`", "`Map<K, V>, K, V` to `Map<K, V>`", "key `k` with value `v`"],
                ],
                operation: Operation {
                    needs: Needs::Place,
                    copies: true,
                    eval: |[c, at, x]| match (c, at) {
                        (Map(mut m), key) => {
                            Arc::make_mut(&mut m).insert(key, x);
                            bounded(m.len())?;
                            Ok(Map(m))
                        }
                        (List(mut l), Int(n)) => {
                            let place = n.to_usize().and_then(|place| Arc::make_mut(&mut l).get_mut(place));
                            *place.expect("its needs are met") = x;
                            Ok(List(l))
                        }
                        _ => ill_typed("put"),
                    },
                    symbolic: |s, args| {
                        if let Some(mut writes) = s.terms.as_map(args[0]) {
                            writes.push((args[1], Some(args[2])));
                            return Ok(s.terms.map(writes));
                        }
                        let mut list = s.list(args[0])?;
                        for (place, element) in list.iter_mut().enumerate() {
                            let place = s.terms.int(place);
                            let is_here = s.terms.equal(args[1], place);
                            *element = s.terms.choose(is_here, args[2], *element);
                        }
                        Ok(s.terms.list(list))
                    },
                },
            },
            Builtin::Get => Function {
                types: |ty| of_map(ty).map(|(k, v)| (vec![k.shape()], Type::Option(Box::new(v.clone())))),
                reference: &[["`get(m, k)`", "`Map<K, V>, K` to `Option<V>`", "`Some` of the value, or `None`"]],
                operation: Operation {
                    needs: Needs::Presence,
                    copies: false,
                    eval: |[m, k, _]| match m {
                        Map(m) => Ok(m.get(&k).cloned().map_or_else(none, some)),
                        _ => ill_typed("get"),
                    },
                    symbolic: |s, args| {
                        let writes = s.map(args[0])?;
                        let is_there = s.terms.map_contains(&writes, args[1]);
                        let none = s.terms.constant(none());
                        Ok(match s.terms.map_value(&writes, args[1]) {
                            Some(value) => {
                                let some = s.terms.data(Definitions::OPTION, 1, vec![value]);
                                s.terms.choose(is_there, some, none)
                            }
                            None => none,
                        })
                    },
                },
            },
            Builtin::Remove => Function {
                types: |ty| match ty {
                    Type::Set(key) | Type::Map(key, _) => Some((vec![key.shape()], ty.clone())),
                    _ => None,
                },
                reference: &[[
                    "`remove(m, k)`, `remove(s, x)`",
                    "map and key, set and element",
                    "without it; the same if it is not there",
                ]],
                operation: Operation {
                    needs: Needs::Presence,
                    copies: true,
                    eval: |[c, x, _]| match c {
                        Set(mut s) => {
                            Arc::make_mut(&mut s).remove(&x);
                            Ok(Set(s))
                        }
                        Map(mut m) => {
                            Arc::make_mut(&mut m).remove(&x);
                            Ok(Map(m))
                        }
                        _ => ill_typed("remove"),
                    },
                    symbolic: |s, args| {
                        if let Some(mut writes) = s.terms.as_map(args[0]) {
                            writes.push((args[1], None));
                            return Ok(s.terms.map(writes));
                        }
                        let set = s.set(args[0])?;
                        s.filtered(&set, |s, member| {
                            let equal = s.terms.equal(member, args[1]);
                            s.terms.not(equal)
                        })
                    },
                },
            },
            Builtin::Keys => Function {
                types: |ty| of_map(ty).map(|(key, _)| (vec![], Type::Set(Box::new(key.clone())))),
                reference: &[["`keys(m)`", "`Map<K, V>` to `Set<K>`", ""]],
                operation: Operation {
                    needs: Needs::Presence,
                    copies: true,
                    eval: |[m, ..]| match m {
                        Map(m) => Ok(Set(Arc::new(m.keys().cloned().collect()))),
                        _ => ill_typed("keys"),
                    },
                    symbolic: |s, args| {
                        let writes = s.map(args[0])?;
                        s.keys(&writes)
                    },
                },
            },
            Builtin::Values => Function {
                types: |ty| of_map(ty).map(|(_, value)| (vec![], Type::List(Box::new(value.clone())))),
                reference: &[["`values(m)`", "`Map<K, V>` to `List<V>`", "in ascending order of the keys"]],
                operation: Operation {
                    needs: Needs::Presence,
                    copies: true,
                    eval: |[m, ..]| match m {
                        Map(m) => Ok(List(Arc::new(m.values().cloned().collect()))),
                        _ => ill_typed("values"),
                    },
                    symbolic: |s, args| {
                        let writes = s.map(args[0])?;
                        let keys = s.keys(&writes)?;
                        s.below(keys, &mut |s, keys| {
                            let keys = s.set(keys)?;
                            let ascending = s.ascending(&keys)?;
                            s.below(ascending, &mut |s, keys| {
                                let keys = s.list(keys)?;
                                let value = |key| s.terms.map_value(&writes, key).expect("a value for each key");
                                let values = keys.into_iter().map(value).collect();
                                Ok(s.terms.list(values))
                            })
                        })
                    },
                },
            },
            Builtin::Insert => Function {
                types: |ty| Some((vec![of_set(ty)?.clone()], ty.clone())),
                reference: &[["`insert(s, x)`", "`Set<T>, T` to `Set<T>`", "with `x`"]],
                operation: Operation {
                    needs: Needs::Presence,
                    copies: true,
                    eval: |[s, x, _]| match s {
                        Set(mut s) => {
                            Arc::make_mut(&mut s).insert(x);
                            bounded(s.len())?;
                            Ok(Set(s))
                        }
                        _ => ill_typed("insert"),
                    },
                    symbolic: |s, args| {
                        let mut set = s.set(args[0])?;
                        set.push(args[1]);
                        Ok(s.terms.set(set))
                    },
                },
            },
            Builtin::Union => Function {
                types: |ty| of_set(ty).map(|_| (vec![ty.clone()], ty.clone())),
                reference: &[["`union(s, t)`", "two `Set<T>` to `Set<T>`", "what is in `s` or in `t`"]],
                operation: Operation {
                    needs: Needs::Presence,
                    copies: true,
                    eval: |[a, b, _]| match (a, b) {
                        (Set(a), Set(b)) => {
                            bounded(a.len() + b.len())?;
                            Ok(Set(Arc::new(a.union(&b).cloned().collect())))
                        }
                        _ => ill_typed("union"),
                    },
                    symbolic: |s, args| {
                        let (mut xs, ys) = (s.set(args[0])?, s.set(args[1])?);
                        xs.extend(ys);
                        Ok(s.terms.set(xs))
                    },
                },
            },
            Builtin::Intersect => Function {
                types: |ty| of_set(ty).map(|_| (vec![ty.shape()], ty.clone())),
                reference: &[["`intersect(s, t)`", "two `Set<T>` to `Set<T>`", "what is in `s` and in `t`"]],
                operation: Operation {
                    needs: Needs::Presence,
                    copies: true,
                    eval: |[a, b, _]| match (a, b) {
                        (Set(a), Set(b)) => Ok(Set(Arc::new(a.intersection(&b).cloned().collect()))),
                        _ => ill_typed("intersect"),
                    },
                    symbolic: |s, args| among(s, args, true),
                },
            },
            Builtin::Minus => Function {
                types: |ty| of_set(ty).map(|_| (vec![ty.shape()], ty.clone())),
                reference: &[["`minus(s, t)`", "two `Set<T>` to `Set<T>`", "what is in `s` and not in `t`"]],
                operation: Operation {
                    needs: Needs::Presence,
                    copies: true,
                    eval: |[a, b, _]| match (a, b) {
                        (Set(a), Set(b)) => Ok(Set(Arc::new(a.difference(&b).cloned().collect()))),
                        _ => ill_typed("minus"),
                    },
                    symbolic: |s, args| among(s, args, false),
                },
            },
            Builtin::Subset => Function {
                types: |ty| of_set(ty).map(|_| (vec![ty.shape()], Type::Bool)),
                reference: &[["`subset(s, t)`", "two `Set<T>` to `Bool`", "whether all of `s` is in `t`"]],
                operation: Operation {
                    needs: Needs::Presence,
                    copies: true,
                    eval: |[a, b, _]| match (a, b) {
                        (Set(a), Set(b)) => Ok(Value::Bool(a.is_subset(&b))),
                        _ => ill_typed("subset"),
                    },
                    symbolic: |s, args| {
                        let (xs, ys) = (s.set(args[0])?, s.set(args[1])?);
                        Ok(s.terms.subset(&xs, &ys))
                    },
                },
            },
            Builtin::ToSet => Function {
                types: |ty| of_list(ty).map(|element| (vec![], Type::Set(Box::new(element.clone())))),
                reference: &[["`toSet(l)`", "`List<T>` to `Set<T>`", ""]],
                operation: Operation {
                    needs: Needs::Presence,
                    copies: true,
                    eval: |[l, ..]| match l {
                        List(l) => Ok(Set(Arc::new(l.iter().cloned().collect()))),
                        _ => ill_typed("toSet"),
                    },
                    symbolic: |s, args| {
                        let list = s.list(args[0])?;
                        Ok(s.terms.set(list))
                    },
                },
            },
            Builtin::Floor => Function {
                types: |ty| (*ty == Type::Real).then_some((vec![], Type::INT)),
                reference: &[["`floor(x)`", "`Real` to `Int`", "greatest whole number that is at most `x`"]],
                operation: Operation {
                    needs: Needs::Presence,
                    copies: false,
                    eval: |[x, ..]| match x {
                        Real(x) => Ok(Int(x.floor().to_integer())),
                        _ => ill_typed("floor"),
                    },
                    symbolic: |s, args| Ok(s.terms.floor(args[0])),
                },
            },
            Builtin::Abs => Function {
                types: |ty| of_number(ty).map(|(_, result)| (vec![], result)),
                reference: &[["`abs(x)`", "`Int` or `Real`, the same", ""]],
                operation: Operation {
                    needs: Needs::Presence,
                    copies: false,
                    eval: |[x, ..]| match x {
                        Int(n) => Ok(Int(n.abs())),
                        Real(x) => Ok(Value::real(x.abs())),
                        _ => ill_typed("abs"),
                    },
                    symbolic: |s, args| {
                        let negative = s.terms.negate(args[0]);
                        Ok(least(s, [negative, args[0]], (args[0], negative)))
                    },
                },
            },
            Builtin::Min => Function {
                types: of_number,
                reference: &[["`min(x, y)`", "two `Int` or two `Real`, the same", "the smaller one"]],
                operation: Operation {
                    needs: Needs::Presence,
                    copies: false,
                    eval: |[a, b, _]| match (a, b) {
                        (Int(a), Int(b)) => Ok(Int(a.min(b))),
                        (Real(a), Real(b)) => Ok(Real(a.min(b))),
                        _ => ill_typed("min"),
                    },
                    symbolic: |s, args| Ok(least(s, [args[0], args[1]], (args[0], args[1]))),
                },
            },
            Builtin::Max => Function {
                types: of_number,
                reference: &[["`max(x, y)`", "two `Int` or two `Real`, the same", "the larger one"]],
                operation: Operation {
                    needs: Needs::Presence,
                    copies: false,
                    eval: |[a, b, _]| match (a, b) {
                        (Int(a), Int(b)) => Ok(Int(a.max(b))),
                        (Real(a), Real(b)) => Ok(Real(a.max(b))),
                        _ => ill_typed("max"),
                    },
                    symbolic: |s, args| Ok(least(s, [args[0], args[1]], (args[1], args[0]))),
                },
            },
        }
    }
}
