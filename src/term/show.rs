//! Values and types as text, in the syntax of the language.

use std::fmt;

use super::ty::{Bound, Definitions, Type};
use super::value::Value;
use crate::syntax::print_text;

/// Shows a value as it would be written in a model.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// The value.
    pub value: &'a Value,
    /// Where its types are declared.
    pub definitions: &'a Definitions,
}

impl Shown<'_> {
    fn sub<'b>(&'b self, value: &'b Value) -> Shown<'b> {
        Shown { value, definitions: self.definitions }
    }

    fn list<'b>(&'b self, f: &mut fmt::Formatter<'_>, values: impl Iterator<Item = &'b Value>) -> fmt::Result {
        for (i, value) in values.enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{}", self.sub(value))?;
        }
        Ok(())
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            Value::Absent => f.write_str("absent"),
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(n) => write!(f, "{n}"),
            Value::Real(x) if x.is_integer() => write!(f, "{}.0", x.numer()),
            Value::Real(x) => write!(f, "{}.0 / {}.0", x.numer(), x.denom()),
            Value::Text(text) => f.write_str(&print_text(text)),
            Value::Data(ty, constructor, args) => {
                f.write_str(self.definitions.constructor_name(*ty, *constructor))?;
                let record = *ty != Definitions::OPTION && self.definitions.types[*ty].is_record;
                if record {
                    let fields = &self.definitions.types[*ty].constructors[0].fields;
                    f.write_str("(")?;
                    for (i, (value, (name, _))) in args.iter().zip(fields).enumerate() {
                        write!(f, "{}{name}: {}", if i > 0 { ", " } else { "" }, self.sub(value))?;
                    }
                    f.write_str(")")
                } else if args.is_empty() {
                    Ok(())
                } else {
                    f.write_str("(")?;
                    self.list(f, args.iter())?;
                    f.write_str(")")
                }
            }
            Value::List(list) => {
                f.write_str("[")?;
                self.list(f, list.iter())?;
                f.write_str("]")
            }
            Value::Set(set) => {
                f.write_str("{")?;
                self.list(f, set.iter())?;
                f.write_str("}")
            }
            Value::Map(map) => {
                f.write_str("{")?;
                for (i, (k, v)) in map.iter().enumerate() {
                    write!(f, "{}{}: {}", if i > 0 { ", " } else { "" }, self.sub(k), self.sub(v))?;
                }
                f.write_str("}")
            }
        }
    }
}

impl Type {
    /// The type as written.
    pub fn name(&self, definitions: &Definitions) -> String {
        let sub = |t: &Type| t.name(definitions);
        let bound = |b: &Option<Bound>| match b {
            None => String::new(),
            Some(Bound::Known(n)) => n.to_string(),
            Some(Bound::Open(_, written)) => written.clone(),
        };
        match self {
            Type::Bool => "Bool".to_owned(),
            Type::Int { low: None, high: None } => "Int".to_owned(),
            ty if *ty == Type::nat() => "Nat".to_owned(),
            Type::Int { low, high } => format!("{}..{}", bound(low), bound(high)),
            Type::Real => "Real".to_owned(),
            Type::Text => "String".to_owned(),
            Type::Data(id) => definitions.types[*id].name.clone(),
            Type::List(t) => format!("List<{}>", sub(t)),
            Type::Set(t) => format!("Set<{}>", sub(t)),
            Type::Map(k, v) => format!("Map<{}, {}>", sub(k), sub(v)),
            Type::Option(t) => format!("Option<{}>", sub(t)),
            Type::Refined(id, _) => definitions.refinements[*id].name.clone(),
            Type::Unknown => "?".to_owned(),
        }
    }
}
