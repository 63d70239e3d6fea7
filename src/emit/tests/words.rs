//! Values and expressions as the language of models writes them: for people, in comments and messages.

use super::form::Literal;
use super::syntax::{Syntax, quoted};

pub(super) struct Words;

impl Words {
    fn each(&self, values: &[Literal]) -> String {
        values.iter().map(|value| self.literal(value)).collect::<Vec<_>>().join(", ")
    }
}

impl Syntax for Words {
    fn literal(&self, value: &Literal) -> String {
        match value {
            Literal::Absent => "absent".to_owned(),
            Literal::Bool { value } => value.to_string(),
            Literal::Int { digits } => digits.clone(),
            Literal::Real { numerator, denominator } if denominator == "1" => format!("{numerator}.0"),
            Literal::Real { numerator, denominator } => format!("{numerator}/{denominator}"),
            Literal::Text { value } => quoted(value, &|c| match c.is_control() {
                true => format!("\\u{{{:x}}}", u32::from(c)),
                false => c.to_string(),
            }),
            Literal::Enum { name } => name.clone(),
            Literal::Made { name, args } if args.is_empty() => name.clone(),
            Literal::Made { name, args } => format!("{name}({})", self.each(args)),
            Literal::Record { name, fields } => {
                let fields: Vec<String> = fields.iter().map(|(k, v)| format!("{k}: {}", self.literal(v))).collect();
                format!("{name} {{ {} }}", fields.join(", "))
            }
            Literal::List { elements } => format!("[{}]", self.each(elements)),
            Literal::Set { elements } => format!("{{{}}}", self.each(elements)),
            Literal::Map { pairs } => {
                let pairs: Vec<String> =
                    pairs.iter().map(|(k, v)| format!("{}: {}", self.literal(k), self.literal(v))).collect();
                format!("{{{}}}", pairs.join(", "))
            }
        }
    }

    fn seen(&self, variable: Option<&str>, name: &str, path: &[String]) -> String {
        variable.into_iter().chain([name]).chain(path.iter().map(String::as_str)).collect::<Vec<_>>().join(".")
    }

    fn made(&self, name: &str, fields: Option<&[String]>, args: Vec<String>) -> String {
        match fields {
            Some(fields) => {
                let fields: Vec<String> = fields.iter().zip(args).map(|(k, v)| format!("{k}: {v}")).collect();
                format!("{name} {{ {} }}", fields.join(", "))
            }
            None => format!("{name}({})", args.join(", ")),
        }
    }
}
