//! Values and expressions as the language of models writes them: for people, in comments and messages.

use super::form::Literal;
use super::syntax::{Syntax, quoted};

pub(super) struct Words;

impl Syntax for Words {
    fn text(&self, text: &str) -> String {
        quoted(text, &|c| match c.is_control() {
            true => format!("\\u{{{:x}}}", u32::from(c)),
            false => c.to_string(),
        })
    }

    fn absent(&self) -> String {
        "absent".to_owned()
    }

    fn whole(&self, digits: &str) -> String {
        digits.to_owned()
    }

    fn ratio(&self, numerator: &str, denominator: &str) -> String {
        if denominator == "1" { format!("{numerator}.0") } else { format!("{numerator}/{denominator}") }
    }

    fn word(&self, name: &str) -> String {
        name.to_owned()
    }

    fn seen(&self, variable: Option<&str>, name: &str, path: &[String]) -> String {
        variable.into_iter().chain([name]).chain(path.iter().map(String::as_str)).collect::<Vec<_>>().join(".")
    }

    fn has_signs(&self) -> bool {
        true
    }

    fn not(&self, condition: String) -> String {
        let is_name = condition.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
        if is_name { format!("!{condition}") } else { format!("!({condition})") }
    }

    fn made(&self, name: &str, args: Vec<String>) -> String {
        if args.is_empty() { name.to_owned() } else { format!("{name}({})", args.join(", ")) }
    }

    fn record(&self, name: &str, fields: Vec<(&str, String)>) -> String {
        let fields: Vec<String> = fields.iter().map(|(field, value)| format!("{field}: {value}")).collect();
        format!("{name} {{ {} }}", fields.join(", "))
    }

    fn set(&self, elements: &[Literal]) -> String {
        format!("{{{}}}", self.each(elements).join(", "))
    }

    fn map(&self, pairs: &[(Literal, Literal)]) -> String {
        let pairs: Vec<String> =
            pairs.iter().map(|(key, value)| format!("{}: {}", self.literal(key), self.literal(value))).collect();
        format!("{{{}}}", pairs.join(", "))
    }
}
