//! Tests in JavaScript, for vitest.
//!
//! Whole numbers beyond 2^53 are `BigInt`s, rational numbers the nearest number, constructors objects with `tag` and `args`.

use crate::emit::tests::code::{Call, Code, Texts, WIDTH};
use crate::emit::tests::form::{Literal, Test};
use crate::emit::tests::syntax::{Syntax, quoted, utf16_escape};

pub struct JavaScript;

const TEXTS: Texts = Texts {
    harness: include_str!("javascript/harness.js"),
    lockstep: (include_str!("javascript/lockstep.js"), include_str!("javascript/lockstep_adapter.js")),
    gates: (include_str!("javascript/gates.js"), include_str!("javascript/gates_adapter.js")),
};

/// Whole numbers that are written as they are.
const MAX_DIGITS: usize = 15;

impl JavaScript {
    /// A key of an object; one that has a meaning of its own is computed.
    fn key(&self, name: &str) -> String {
        if name == "__proto__" { format!("[{}]", self.text(name)) } else { self.text(name) }
    }
}

impl Syntax for JavaScript {
    fn text(&self, text: &str) -> String {
        quoted(text, &utf16_escape)
    }

    fn absent(&self) -> String {
        "null".to_owned()
    }

    fn whole(&self, digits: &str) -> String {
        let is_short = digits.trim_start_matches('-').len() <= MAX_DIGITS;
        if is_short { digits.to_owned() } else { format!("{digits}n") }
    }

    fn ratio(&self, numerator: &str, denominator: &str) -> String {
        if denominator == "1" { numerator.to_owned() } else { format!("({numerator} / {denominator})") }
    }

    fn seen(&self, variable: Option<&str>, name: &str, path: &[String]) -> String {
        let fields = std::iter::once(name).chain(path.iter().map(String::as_str));
        let is_plain = |name: &str| {
            name.starts_with(|c: char| c.is_ascii_alphabetic())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        let field = |field: &str| match is_plain(field) {
            true => format!(".{field}"),
            false => format!("[{}]", self.text(field)),
        };
        format!("{}{}", variable.unwrap_or("e"), fields.map(field).collect::<String>())
    }

    fn made(&self, name: &str, args: Vec<String>) -> String {
        format!("{{ tag: {}, args: [{}] }}", self.text(name), args.join(", "))
    }

    fn record(&self, _: &str, fields: Vec<(&str, String)>) -> String {
        let fields: Vec<String> = fields.iter().map(|(field, value)| format!("{}: {value}", self.key(field))).collect();
        if fields.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", fields.join(", ")) }
    }

    fn set(&self, elements: &[Literal]) -> String {
        format!("new Set([{}])", self.each(elements).join(", "))
    }

    fn map(&self, pairs: &[(Literal, Literal)]) -> String {
        let pairs = pairs.iter().map(|(key, value)| format!("[{}, {}]", self.literal(key), self.literal(value)));
        format!("new Map([{}])", pairs.collect::<Vec<_>>().join(", "))
    }

    fn is_true(&self, value: String) -> String {
        format!("{value} === true")
    }
}

impl Code for JavaScript {
    fn texts(&self) -> &'static Texts {
        &TEXTS
    }

    fn file_names(&self, model: &str) -> (String, String) {
        let name = self.name(model);
        (format!("{name}.test.js"), format!("{name}.adapter.js"))
    }

    fn observed(&self, gate: &str, names: Vec<(&str, String)>) -> String {
        format!("  {}: {},\n", self.key(gate), self.record("", names))
    }

    fn simple_kind(&self, name: &'static str) -> String {
        match name {
            "bool" => "isBool",
            "int" => "isWhole",
            "real" => "isNumber",
            "text" => "isText",
            _ => "isAny",
        }
        .to_owned()
    }

    fn record_of(&self, fields: Vec<(&str, String)>) -> String {
        format!("record({})", self.record("", fields))
    }

    fn made_of(&self, constructors: Vec<(&str, Vec<String>)>) -> String {
        let args = |(name, args): (&'_ str, Vec<String>)| (name.to_owned(), format!("[{}]", args.join(", ")));
        let all: Vec<(String, String)> = constructors.into_iter().map(args).collect();
        format!("madeOf({})", self.record("", all.iter().map(|(name, args)| (&**name, args.clone())).collect()))
    }

    fn lambda(&self, condition: String) -> String {
        format!("(e) => {condition}")
    }

    fn alternative(&self, gate: String, when: String) -> String {
        format!("[{gate}, {when}]")
    }

    fn call(&self, call: &Call<'_>) -> String {
        let rules = call.rules(|name, value| format!("{name}: {value}"));
        let variable = call.variable.map(|name| format!("const {name} = ")).unwrap_or_default();
        let line = match call.name {
            "meets" => format!("meets(ctx, {}", call.args.join(", ")),
            name => format!("{variable}await {name}(ctx, sut, {}", call.args.join(", ")),
        };
        if rules.is_empty() {
            return format!("{line});");
        }
        let short = format!("{line}, {{ {} }});", rules.join(", "));
        if short.len() <= WIDTH {
            return short;
        }
        let rules: String = rules.iter().map(|rule| format!("  {rule},\n")).collect();
        format!("{line}, {{\n{rules}}});")
    }

    fn indent(&self) -> &'static str {
        "    "
    }

    fn test(&self, test: &Test, about: &[String], initial: Option<String>, body: &[String]) -> String {
        format!(
            "\n{}test({}, async (ctx) => {{\n  const sut = new Adapter({});\n  try {{\n{}  }} finally {{\n    await sut.close();\n  }}\n}});\n",
            self.remarks(about),
            self.text(&test.title),
            initial.unwrap_or_default(),
            body.concat(),
        )
    }
}
