//! How a language writes values and expressions. What most languages share stands here; each says what it does otherwise.

use super::form::{Expr, Literal};

/// A language.
pub(super) trait Syntax {
    /// A value.
    fn literal(&self, value: &Literal) -> String;

    /// Something observed: in a step with a variable, or in the step that is being judged.
    fn seen(&self, variable: Option<&str>, name: &str, path: &[String]) -> String;

    /// A constructor with arguments, or a record with its fields.
    fn made(&self, name: &str, fields: Option<&[String]>, args: Vec<String>) -> String;

    /// A list.
    fn list(&self, args: Vec<String>) -> String {
        format!("[{}]", args.join(", "))
    }

    fn sum(&self, args: Vec<String>) -> String {
        args.join(" + ")
    }

    fn product(&self, args: Vec<String>) -> String {
        args.join(" * ")
    }

    fn compare(&self, by: &str, a: String, b: String) -> String {
        format!("{a} {by} {b}")
    }

    fn not(&self, a: String) -> String {
        format!("!({a})")
    }

    fn and(&self, args: Vec<String>) -> String {
        args.join(" && ")
    }

    fn or(&self, args: Vec<String>) -> String {
        args.join(" || ")
    }

    /// An expression.
    fn expr(&self, expr: &Expr) -> String {
        let each = |args: &[Expr]| args.iter().map(|arg| self.expr(arg)).collect::<Vec<_>>();
        // Parts of which nobody has to know what binds closer.
        let parts = |args: &[Expr]| {
            let part = |arg: &Expr| match arg {
                Expr::Sum { .. } | Expr::And { .. } | Expr::Or { .. } => format!("({})", self.expr(arg)),
                _ => self.expr(arg),
            };
            args.iter().map(part).collect::<Vec<_>>()
        };
        match expr {
            Expr::Value { value } => self.literal(value),
            Expr::Seen { variable, name, path, .. } => self.seen(variable.as_deref(), name, path),
            Expr::Sum { args } => self.sum(each(args)),
            Expr::Product { args } => self.product(parts(args)),
            Expr::Compare { by, args } => {
                let compared = |arg: &Expr| match arg {
                    Expr::Compare { .. } | Expr::And { .. } | Expr::Or { .. } => format!("({})", self.expr(arg)),
                    _ => self.expr(arg),
                };
                self.compare(by, compared(&args[0]), compared(&args[1]))
            }
            Expr::Not { args } => self.not(each(args).concat()),
            Expr::And { args } => self.and(parts(args)),
            Expr::Or { args } => self.or(parts(args)),
            Expr::Made { name, fields, args } => self.made(name, fields.as_deref(), each(args)),
            Expr::List { args } => self.list(each(args)),
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

/// Text that is safe inside a comment: on one line, and ending none.
pub(super) fn remark(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|c| {
            if c.is_control()
                || "\u{2028}\u{2029}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}"
                    .contains(c)
            {
                ' '
            } else {
                c
            }
        })
        .collect();
    plain.replace("*/", "* /").replace("\\u", "\\ u")
}
