//! Values as JSON and back. Absent is `null`, and only that is.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

use super::eval::{Env, Fuel, LimitKind, MAX_NESTING, contains};
use super::ty::{Definitions, Type};
use super::value::Value;

/// Whole numbers up to this are written as numbers: beyond it other programs lose digits.
const MAX_EXACT: u64 = 1 << 53;

/// A value as JSON.
pub fn to_json(value: &Value, definitions: &Definitions) -> Json {
    let all = |values: &mut dyn Iterator<Item = &Value>| -> Json {
        Json::Array(values.map(|v| to_json(v, definitions)).collect())
    };
    match value {
        Value::Absent => Json::Null,
        Value::Bool(b) => json!(b),
        Value::Int(n) => match n.to_i64() {
            Some(small) if n.abs() <= BigInt::from(MAX_EXACT) => json!(small),
            _ => json!(n.to_string()),
        },
        Value::Real(x) => json!(format!("{}/{}", x.numer(), x.denom())),
        Value::Text(text) => json!(&**text),
        Value::Data(ty, constructor, args) => {
            let name = definitions.constructor_name(*ty, *constructor);
            let data = (*ty != Definitions::OPTION).then(|| &definitions.types[*ty]);
            match data {
                Some(data) if data.is_record => {
                    let fields = data.constructors[0].fields.iter().zip(args.iter());
                    Json::Object(fields.map(|((name, _), v)| (name.clone(), to_json(v, definitions))).collect())
                }
                Some(data) if data.is_enum() => json!(name),
                _ => Json::Object(Map::from_iter([(name.to_owned(), all(&mut args.iter()))])),
            }
        }
        Value::List(list) => all(&mut list.iter()),
        Value::Set(set) => all(&mut set.iter()),
        Value::Map(map) => {
            let pairs = map.iter().map(|(k, v)| json!([to_json(k, definitions), to_json(v, definitions)]));
            Json::Array(pairs.collect())
        }
    }
}

/// A value of a type's shape from JSON, nested no more deeply than those of expressions; the error says what was expected.
pub fn from_json(json: &Json, ty: &Type, definitions: &Definitions) -> Result<Value, String> {
    let value = of_shape(json, ty, definitions)?;
    let is_too_deep = value.constructors().any(|depth| depth > MAX_NESTING);
    if is_too_deep { Err(LimitKind::Nesting.to_string()) } else { Ok(value) }
}

fn of_shape(json: &Json, ty: &Type, definitions: &Definitions) -> Result<Value, String> {
    let expected = || format!("expected a value of `{}`, found {}", ty.name(definitions), shortened(json));
    match (ty, json) {
        (Type::Refined(_, base), _) => of_shape(json, base, definitions),
        (Type::Bool, Json::Bool(b)) => Ok(Value::Bool(*b)),
        (Type::Int { .. }, Json::Number(n)) => match (n.as_i64(), n.as_u64()) {
            (Some(n), _) => Ok(Value::int(n)),
            (_, Some(n)) => Ok(Value::int(n)),
            _ if is_minus_zero(n) => Ok(Value::int(0)),
            _ => Err(expected()),
        },
        (Type::Int { .. }, Json::String(text)) => whole(text).map(Value::Int).ok_or_else(expected),
        (Type::Real, Json::Number(n)) => match n.as_i64() {
            Some(n) => Ok(Value::real(BigInt::from(n))),
            None if is_minus_zero(n) => Ok(Value::real(BigInt::ZERO)),
            None => Err(expected()),
        },
        (Type::Real, Json::String(text)) => {
            let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
            match (whole(numerator), whole(denominator)) {
                (Some(n), Some(d)) if !d.is_zero() => Ok(Value::real(BigRational::new(n, d))),
                _ => Err(expected()),
            }
        }
        (Type::Text, Json::String(text)) => Ok(Value::text(text)),
        (Type::List(element), Json::Array(items)) => Ok(Value::List(Arc::new(all(items, element, definitions)?))),
        (Type::Set(element), Json::Array(items)) => {
            Ok(Value::Set(Arc::new(all(items, element, definitions)?.into_iter().collect())))
        }
        (Type::Map(key, element), Json::Array(items)) => {
            let pair = |item: &Json| match item {
                Json::Array(pair) if pair.len() == 2 => {
                    Ok((of_shape(&pair[0], key, definitions)?, of_shape(&pair[1], element, definitions)?))
                }
                other => Err(format!("expected a pair [key, value], found {}", shortened(other))),
            };
            Ok(Value::Map(Arc::new(items.iter().map(pair).collect::<Result<_, String>>()?)))
        }
        (Type::Option(inner), _) => {
            let (name, args) = constructor(json).ok_or_else(expected)?;
            match (name, args) {
                ("None", []) => Ok(Value::Data(Definitions::OPTION, 0, [].into())),
                ("Some", [arg]) => Ok(Value::Data(Definitions::OPTION, 1, [of_shape(arg, inner, definitions)?].into())),
                _ => Err(expected()),
            }
        }
        (Type::Data(id), Json::Object(fields)) if definitions.types[*id].is_record => {
            let declared = &definitions.types[*id].constructors[0].fields;
            if let Some(unknown) = fields.keys().find(|k| declared.iter().all(|(name, _)| name != *k)) {
                return Err(format!("`{}` has no field `{unknown}`", ty.name(definitions)));
            }
            let value = |(name, ty): &(String, Type)| match fields.get(name) {
                Some(json) => field(json, ty, definitions),
                None => Err(format!("the field `{name}` is missing")),
            };
            Ok(Value::Data(*id, 0, declared.iter().map(value).collect::<Result<Vec<_>, _>>()?.into()))
        }
        (Type::Data(id), _) => {
            let (name, args) = constructor(json).ok_or_else(expected)?;
            let constructors = &definitions.types[*id].constructors;
            let number = constructors.iter().position(|c| c.name == name).ok_or_else(expected)?;
            let fields = &constructors[number].fields;
            if fields.len() != args.len() {
                return Err(expected());
            }
            let values = args.iter().zip(fields).map(|(arg, (_, ty))| field(arg, ty, definitions));
            Ok(Value::Data(*id, number as u32, values.collect::<Result<Vec<_>, _>>()?.into()))
        }
        _ => Err(expected()),
    }
}

/// A field of a record or constructor, which is checked here: what is wrong is said of the field itself.
fn field(json: &Json, ty: &Type, definitions: &Definitions) -> Result<Value, String> {
    let value = of_shape(json, ty, definitions)?;
    let fuel = Fuel::new();
    match contains(ty, &value, Env { definitions, slots: &[], fuel: &fuel }) {
        Ok(true) => Ok(value),
        _ => Err(format!("expected a value of `{}`, found {}", ty.name(definitions), shortened(json))),
    }
}

/// Longest number read from JSON.
const MAX_DIGITS: usize = 1000;

/// Whether this is `-0`, which the library reads as a floating-point number.
fn is_minus_zero(n: &serde_json::Number) -> bool {
    n.as_f64().is_some_and(|n| n == 0.0 && n.is_sign_negative())
}

/// A whole number: digits, with a sign before them.
fn whole(text: &str) -> Option<BigInt> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    // The parser takes `1_0` as well.
    let is_plain = text.len() <= MAX_DIGITS && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().expect("digits are a number"))
}

fn all(items: &[Json], ty: &Type, definitions: &Definitions) -> Result<Vec<Value>, String> {
    items.iter().map(|item| of_shape(item, ty, definitions)).collect()
}

/// `"C"` or `{"C": [...]}`.
fn constructor(json: &Json) -> Option<(&str, &[Json])> {
    match json {
        Json::String(name) => Some((name, &[])),
        Json::Object(fields) if fields.len() == 1 => match fields.iter().next() {
            Some((name, Json::Array(args))) => Some((name, args)),
            _ => None,
        },
        _ => None,
    }
}

fn shortened(json: &Json) -> String {
    let text = json.to_string();
    if text.chars().count() > 40 { format!("{}…", text.chars().take(40).collect::<String>()) } else { text }
}
