//! How a language writes values, expressions and conditions. What most languages share stands here; each says what it does otherwise.
//!
//! An expression is a value of the language, a condition a truth value of its own: `expr` writes the one, `truth` the other.

use super::form::{Expr, Literal};

/// A language.
pub(super) trait Syntax {
    /// A text.
    fn text(&self, text: &str) -> String;

    /// Nothing on a channel.
    fn absent(&self) -> String;

    /// A whole number.
    fn whole(&self, digits: &str) -> String;

    /// A rational number.
    fn ratio(&self, numerator: &str, denominator: &str) -> String;

    /// Something observed: in a step with a variable, or in the step that is being judged.
    fn seen(&self, variable: Option<&str>, name: &str, path: &[String]) -> String;

    /// A constructor with arguments.
    fn made(&self, name: &str, args: Vec<String>) -> String;

    /// A record with its fields.
    fn record(&self, name: &str, fields: Vec<(&str, String)>) -> String;

    /// A set.
    fn set(&self, elements: &[Literal]) -> String;

    /// A map.
    fn map(&self, pairs: &[(Literal, Literal)]) -> String;

    /// A text as a value.
    fn text_value(&self, text: &str) -> String {
        self.text(text)
    }

    /// A name of an enumeration.
    fn word(&self, name: &str) -> String {
        self.text_value(name)
    }

    /// A condition that always holds, or never.
    fn constant(&self, truth: bool) -> String {
        truth.to_string()
    }

    /// A truth value as a value.
    fn boolean(&self, truth: bool) -> String {
        self.constant(truth)
    }

    /// A list.
    fn list(&self, elements: Vec<String>) -> String {
        format!("[{}]", elements.join(", "))
    }

    /// Whether numbers are computed and values compared by signs, not by functions of the harness.
    fn has_signs(&self) -> bool {
        false
    }

    fn sum(&self, args: Vec<String>) -> String {
        if self.has_signs() { args.join(" + ") } else { format!("plus({})", args.join(", ")) }
    }

    fn product(&self, args: Vec<String>) -> String {
        if self.has_signs() { args.join(" * ") } else { format!("times({})", args.join(", ")) }
    }

    fn compare(&self, by: &str, a: String, b: String) -> String {
        match by {
            _ if self.has_signs() => format!("{a} {by} {b}"),
            "==" => format!("same({a}, {b})"),
            "!=" => format!("!same({a}, {b})"),
            _ => format!("compare({a}, {b}) {by} 0"),
        }
    }

    fn not(&self, condition: String) -> String {
        format!("!({condition})")
    }

    fn and(&self, conditions: Vec<String>) -> String {
        conditions.join(" && ")
    }

    fn or(&self, conditions: Vec<String>) -> String {
        conditions.join(" || ")
    }

    /// A condition as a value.
    fn value_of(&self, condition: String) -> String {
        format!("({condition})")
    }

    /// That a value is true.
    fn is_true(&self, value: String) -> String {
        value
    }

    /// Several values.
    fn each(&self, values: &[Literal]) -> Vec<String> {
        values.iter().map(|value| self.literal(value)).collect()
    }

    /// A value.
    fn literal(&self, value: &Literal) -> String {
        match value {
            Literal::Absent => self.absent(),
            Literal::Bool { value } => self.boolean(*value),
            Literal::Int { digits } => self.whole(digits),
            Literal::Real { numerator, denominator } => self.ratio(numerator, denominator),
            Literal::Text { value } => self.text_value(value),
            Literal::Enum { name } => self.word(name),
            Literal::Made { name, args } => self.made(name, self.each(args)),
            Literal::Record { name, fields } => {
                self.record(name, fields.iter().map(|(field, value)| (&**field, self.literal(value))).collect())
            }
            Literal::List { elements } => self.list(self.each(elements)),
            Literal::Set { elements } => self.set(elements),
            Literal::Map { pairs } => self.map(pairs),
        }
    }

    /// An expression.
    fn expr(&self, expr: &Expr) -> String {
        let each = |args: &[Expr]| args.iter().map(|arg| self.expr(arg)).collect::<Vec<_>>();
        let factor = |arg: &Expr| match arg {
            Expr::Sum { .. } => format!("({})", self.expr(arg)),
            _ => self.expr(arg),
        };
        match expr {
            Expr::Value { value } => self.literal(value),
            Expr::Seen { variable, name, path, .. } => self.seen(variable.as_deref(), name, path),
            Expr::Sum { args } => self.sum(each(args)),
            Expr::Product { args } => self.product(args.iter().map(factor).collect()),
            Expr::Compare { .. } | Expr::Not { .. } | Expr::And { .. } | Expr::Or { .. } => {
                self.value_of(self.truth(expr))
            }
            Expr::Made { name, fields: Some(fields), args } => {
                self.record(name, fields.iter().map(String::as_str).zip(each(args)).collect())
            }
            Expr::Made { name, fields: None, args } => self.made(name, each(args)),
            Expr::List { args } => self.list(each(args)),
        }
    }

    /// A condition.
    fn truth(&self, expr: &Expr) -> String {
        let each = |args: &[Expr]| {
            let part = |arg: &Expr| match arg {
                Expr::And { .. } | Expr::Or { .. } => format!("({})", self.truth(arg)),
                _ => self.truth(arg),
            };
            args.iter().map(part).collect::<Vec<_>>()
        };
        match expr {
            Expr::Value { value: Literal::Bool { value } } => self.constant(*value),
            Expr::Compare { by, args } => self.compare(by, self.expr(&args[0]), self.expr(&args[1])),
            Expr::Not { args } => self.not(self.truth(&args[0])),
            Expr::And { args } => self.and(each(args)),
            Expr::Or { args } => self.or(each(args)),
            other => self.is_true(self.expr(other)),
        }
    }
}

/// A text in double quotes, as most languages escape it; `other` writes what is not plain ASCII.
pub(super) fn quoted(text: &str, other: &dyn Fn(char) -> String) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            ' '..='~' => out.push(c),
            c => out.push_str(&other(c)),
        }
    }
    out.push('"');
    out
}

/// `\u00e9`, with two of them for characters beyond.
pub(super) fn utf16_escape(c: char) -> String {
    let mut units = [0; 2];
    c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect()
}

/// `\u00e9`, with eight digits for characters beyond.
pub(super) fn utf32_escape(c: char) -> String {
    match u32::from(c) {
        code @ 0..=0xffff => format!("\\u{code:04x}"),
        code => format!("\\U{code:08x}"),
    }
}

/// Characters that end a line for some readers, turn the direction of what follows, or mark the beginning of a file.
const DECEIVING: &str =
    "\u{feff}\u{2028}\u{2029}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}";

/// Text that is safe in a comment that ends with its line.
pub(super) fn remark(text: &str) -> String {
    let is_deceiving = |c: char| c.is_control() || DECEIVING.contains(c);
    text.chars().map(|c| if is_deceiving(c) { ' ' } else { c }).collect()
}
