//! Which data is simpler: nothing before something, zero, false, the first constructor, the empty text and the empty
//! list before all others, then what is near to these.
//!
//! The order is total and has no endless way down, so that whoever only ever takes simpler data comes to an end.

use std::cmp::Ordering;
use std::sync::Arc;

use num_bigint::{BigInt, Sign};
use num_rational::BigRational;
use num_traits::{Signed, Zero};

use crate::term::{Bound, Definitions, Env, Fuel, Type, Value, contains};

/// Most levels of constructors in a value that is made up.
const MAX_LEVELS: usize = 4;

/// Which of two values is simpler.
pub fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Absent, Value::Absent) => Ordering::Equal,
        (Value::Absent, _) => Ordering::Less,
        (_, Value::Absent) => Ordering::Greater,
        (Value::Int(a), Value::Int(b)) => near_zero(a).cmp(&near_zero(b)),
        (Value::Real(a), Value::Real(b)) => {
            a.denom().cmp(b.denom()).then_with(|| near_zero(a.numer()).cmp(&near_zero(b.numer())))
        }
        (Value::Text(a), Value::Text(b)) => a.chars().count().cmp(&b.chars().count()).then_with(|| a.cmp(b)),
        (Value::Data(_, first, a), Value::Data(_, second, b)) => first
            .cmp(second)
            .then_with(|| a.iter().map(nodes).sum::<usize>().cmp(&b.iter().map(nodes).sum()))
            .then_with(|| compare_all(a.iter(), b.iter())),
        (Value::List(a), Value::List(b)) => a.len().cmp(&b.len()).then_with(|| compare_all(a.as_ref(), b.as_ref())),
        (Value::Set(a), Value::Set(b)) => a.len().cmp(&b.len()).then_with(|| compare_all(a.iter(), b.iter())),
        (Value::Map(a), Value::Map(b)) => a
            .len()
            .cmp(&b.len())
            .then_with(|| compare_all(a.keys(), b.keys()))
            .then_with(|| compare_all(a.values(), b.values())),
        // Truth values; values of different types do not meet.
        _ => a.cmp(b),
    }
}

/// Which of two rows is simpler, by the first place in which they differ.
pub fn compare_all<'v>(a: impl IntoIterator<Item = &'v Value>, b: impl IntoIterator<Item = &'v Value>) -> Ordering {
    let (mut a, mut b) = (a.into_iter(), b.into_iter());
    loop {
        match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (None, _) => return Ordering::Less,
            (_, None) => return Ordering::Greater,
            (Some(a), Some(b)) => match compare(a, b) {
                Ordering::Equal => {}
                differs => return differs,
            },
        }
    }
}

fn near_zero(n: &BigInt) -> (BigInt, bool) {
    (n.abs(), n.sign() == Sign::Minus)
}

/// Parts of a value, itself included.
fn nodes(value: &Value) -> usize {
    1 + match value {
        Value::Data(_, _, fields) => fields.iter().map(nodes).sum(),
        Value::List(items) => items.iter().map(nodes).sum(),
        Value::Set(items) => items.iter().map(nodes).sum(),
        Value::Map(items) => items.iter().map(|(key, value)| nodes(key) + nodes(value)).sum(),
        _ => 0,
    }
}

/// Some values that are simpler than a value of a type, the simplest first. What they are built of is in its types; whether the
/// whole is, where its type is narrowed, is for others to say.
pub fn simpler(value: &Value, ty: &Type, definitions: &Definitions) -> Vec<Value> {
    let mut out = variants(value, ty, definitions);
    out.retain(|other| compare(other, value) == Ordering::Less && is_built_right(other, definitions));
    out.sort_by(compare);
    out.dedup();
    out
}

/// Whether all fields of data have their types: the interpreter takes that for granted.
fn is_built_right(value: &Value, definitions: &Definitions) -> bool {
    let is_right = |value: &Value| is_built_right(value, definitions);
    match value {
        Value::Data(id, constructor, fields) => {
            let declared = definitions.types.get(*id).and_then(|ty| ty.constructors.get(*constructor as usize));
            let has_type = |((_, ty), field): (&(String, Type), &Value)| {
                let fuel = Fuel::new();
                contains(ty, field, Env { definitions, slots: &[], fuel: &fuel }).unwrap_or(false)
            };
            declared.is_none_or(|declared| declared.fields.iter().zip(fields.iter()).all(has_type))
                && fields.iter().all(is_right)
        }
        Value::List(items) => items.iter().all(is_right),
        Value::Set(items) => items.iter().all(is_right),
        Value::Map(items) => items.iter().all(|(key, value)| is_right(key) && is_right(value)),
        _ => true,
    }
}

fn variants(value: &Value, ty: &Type, definitions: &Definitions) -> Vec<Value> {
    match (value, ty) {
        (_, Type::Refined(_, base)) => variants(value, base, definitions),
        (Value::Bool(_), _) => vec![Value::Bool(false)],
        (Value::Int(n), _) => {
            let mut out: Vec<BigInt> = vec![BigInt::zero(), n / 2, n - n.signum(), -n];
            if let Type::Int { low, high } = ty {
                let ends = [low, high].into_iter().flatten();
                out.extend(ends.filter_map(|end| match end {
                    Bound::Known(end) => Some(end.clone()),
                    Bound::Open(..) => None,
                }));
            }
            out.into_iter().map(Value::Int).collect()
        }
        (Value::Real(n), _) => {
            let whole = [BigRational::zero(), n.trunc(), n.trunc() / BigInt::from(2), -&**n];
            whole.into_iter().map(Value::real).collect()
        }
        (Value::Text(text), _) => {
            let chars: Vec<char> = text.chars().collect();
            let of = |chars: &[char]| Value::text(&chars.iter().collect::<String>());
            let mut out: Vec<Value> = shorter(&chars).into_iter().map(|chars| of(&chars)).collect();
            out.extend((0..chars.len()).flat_map(|place| {
                ['A', 'a'].map(|plain| {
                    let mut other = chars.clone();
                    other[place] = plain;
                    of(&other)
                })
            }));
            out
        }
        (Value::List(items), Type::List(element)) => {
            let of = |items: Vec<Value>| Value::List(Arc::new(items));
            let fewer = shorter(items).into_iter().map(of);
            fewer.chain(with_one_simpler(items, |_| element, definitions).into_iter().map(of)).collect()
        }
        (Value::Set(items), Type::Set(element)) => {
            let items: Vec<Value> = items.iter().cloned().collect();
            let of = |items: Vec<Value>| Value::Set(Arc::new(items.into_iter().collect()));
            let fewer = shorter(&items).into_iter().map(of);
            fewer.chain(with_one_simpler(&items, |_| element, definitions).into_iter().map(of)).collect()
        }
        (Value::Map(items), Type::Map(_, element)) => {
            let pairs: Vec<(Value, Value)> = items.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
            let values: Vec<Value> = items.values().cloned().collect();
            let with = |values: Vec<Value>| Value::Map(Arc::new(items.keys().cloned().zip(values).collect()));
            let fewer = shorter(&pairs).into_iter().map(|pairs| Value::Map(Arc::new(pairs.into_iter().collect())));
            fewer.chain(with_one_simpler(&values, |_| element, definitions).into_iter().map(with)).collect()
        }
        (Value::Data(id, constructor, fields), _) => {
            let types = field_types(ty, *constructor, definitions);
            let mut out: Vec<Value> = (0..*constructor).filter_map(|c| made(ty, c, MAX_LEVELS, definitions)).collect();
            // A part that is of the same type.
            out.extend(fields.iter().filter(|field| matches!(field, Value::Data(other, ..) if other == id)).cloned());
            let rest = with_one_simpler(fields, |place| types.get(place).unwrap_or(&Type::Unknown), definitions);
            out.extend(rest.into_iter().map(|fields| Value::Data(*id, *constructor, fields.into())));
            out
        }
        _ => vec![],
    }
}

/// Nothing, halves, and all but one.
fn shorter<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    let half = items.len() / 2;
    let mut out = vec![vec![], items[..half].to_vec(), items[half..].to_vec()];
    for left_out in 0..items.len() {
        let others = items.iter().enumerate().filter(|(place, _)| *place != left_out);
        out.push(others.map(|(_, item)| item.clone()).collect());
    }
    out
}

fn with_one_simpler<'t>(items: &[Value], ty: impl Fn(usize) -> &'t Type, definitions: &Definitions) -> Vec<Vec<Value>> {
    let mut out = vec![];
    for (place, item) in items.iter().enumerate() {
        for other in simpler(item, ty(place), definitions) {
            let mut items = items.to_vec();
            items[place] = other;
            out.push(items);
        }
    }
    out
}

fn field_types(ty: &Type, constructor: u32, definitions: &Definitions) -> Vec<Type> {
    match ty {
        Type::Refined(_, base) => field_types(base, constructor, definitions),
        Type::Option(inner) if constructor == 1 => vec![(**inner).clone()],
        Type::Data(id) => {
            let constructor = definitions.types.get(*id).and_then(|ty| ty.constructors.get(constructor as usize));
            constructor.map(|c| c.fields.iter().map(|(_, ty)| ty.clone()).collect()).unwrap_or_default()
        }
        _ => vec![],
    }
}

/// A plain value with this constructor; none if it takes too many levels.
fn made(ty: &Type, constructor: u32, levels: usize, definitions: &Definitions) -> Option<Value> {
    let id = match ty {
        Type::Refined(_, base) => return made(base, constructor, levels, definitions),
        Type::Option(_) => Definitions::OPTION,
        Type::Data(id) => *id,
        _ => return None,
    };
    let fields = field_types(ty, constructor, definitions);
    let fields = fields.iter().map(|ty| plain(ty, levels.checked_sub(1)?, definitions));
    Some(Value::Data(id, constructor, fields.collect::<Option<Vec<_>>>()?.into()))
}

/// A plain value of a type.
fn plain(ty: &Type, levels: usize, definitions: &Definitions) -> Option<Value> {
    Some(match ty {
        Type::Refined(_, base) => plain(base, levels, definitions)?,
        Type::Bool => Value::Bool(false),
        Type::Int { low: Some(Bound::Known(low)), .. } if low.is_positive() => Value::Int(low.clone()),
        Type::Int { high: Some(Bound::Known(high)), .. } if high.is_negative() => Value::Int(high.clone()),
        Type::Int { .. } => Value::int(0),
        Type::Real => Value::real(BigRational::zero()),
        Type::Text => Value::text(""),
        Type::List(_) => Value::List(Default::default()),
        Type::Set(_) => Value::Set(Default::default()),
        Type::Map(..) => Value::Map(Default::default()),
        Type::Option(_) => made(ty, 0, levels, definitions)?,
        Type::Data(id) => {
            let constructors = definitions.types.get(*id)?.constructors.len() as u32;
            (0..constructors).find_map(|c| made(ty, c, levels, definitions))?
        }
        Type::Unknown => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_called_simpler_is_and_there_is_no_endless_way_down() {
        let definitions = Definitions::default();
        let list = Type::List(Box::new(Type::INT));
        let start = Value::List(Arc::new([7, -3, 0].map(Value::int).to_vec()));
        let mut at = start.clone();
        let mut steps = 0;
        // Always the least simple of the simpler ones: the longest way.
        while let Some(next) = simpler(&at, &list, &definitions).pop() {
            assert_eq!(compare(&next, &at), Ordering::Less);
            at = next;
            steps += 1;
            assert!(steps < 1000);
        }
        assert_eq!(at, Value::List(Default::default()));
        assert_eq!(simpler(&Value::int(-1), &Type::INT, &definitions), [Value::int(0), Value::int(1)]);
        assert_eq!(compare(&Value::Absent, &Value::Bool(false)), Ordering::Less);
    }
}
