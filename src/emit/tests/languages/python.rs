//! Tests for pytest.
//!
//! Records are dictionaries, constructors tuples that begin with their name, rational numbers fractions. Sets and maps are
//! `Unordered` lists of their members and pairs if those cannot be members of a set in Python.

use crate::emit::tests::code::{Call, Code, Texts, WIDTH};
use crate::emit::tests::form::{Literal, Test};
use crate::emit::tests::syntax::{Syntax, quoted, remark, utf32_escape};

pub struct Python;

const TEXTS: Texts = Texts {
    harness: include_str!("python/harness.py"),
    lockstep: (include_str!("python/lockstep.py"), include_str!("python/lockstep_adapter.py")),
    gates: (include_str!("python/gates.py"), include_str!("python/gates_adapter.py")),
};

/// Whether a value can be a member of a set.
fn is_hashable(value: &Literal) -> bool {
    match value {
        Literal::Record { .. } | Literal::List { .. } | Literal::Set { .. } | Literal::Map { .. } => false,
        Literal::Made { args, .. } => args.iter().all(is_hashable),
        _ => true,
    }
}

impl Syntax for Python {
    fn text(&self, text: &str) -> String {
        quoted(text, &utf32_escape)
    }

    fn absent(&self) -> String {
        "None".to_owned()
    }

    fn constant(&self, truth: bool) -> String {
        if truth { "True" } else { "False" }.to_owned()
    }

    fn whole(&self, digits: &str) -> String {
        digits.to_owned()
    }

    fn ratio(&self, numerator: &str, denominator: &str) -> String {
        format!("Fraction({numerator}, {denominator})")
    }

    fn seen(&self, variable: Option<&str>, name: &str, path: &[String]) -> String {
        let fields = std::iter::once(name).chain(path.iter().map(String::as_str));
        let fields: String = fields.map(|field| format!("[{}]", self.text(field))).collect();
        format!("{}{fields}", variable.unwrap_or("e"))
    }

    fn made(&self, name: &str, args: Vec<String>) -> String {
        let parts: Vec<String> = std::iter::once(self.text(name)).chain(args).collect();
        let end = if parts.len() == 1 { "," } else { "" };
        format!("({}{end})", parts.join(", "))
    }

    fn record(&self, _: &str, fields: Vec<(&str, String)>) -> String {
        let fields: Vec<String> =
            fields.iter().map(|(field, value)| format!("{}: {value}", self.text(field))).collect();
        format!("{{{}}}", fields.join(", "))
    }

    fn set(&self, elements: &[Literal]) -> String {
        match elements {
            [] => "set()".to_owned(),
            _ if elements.iter().all(is_hashable) => format!("{{{}}}", self.each(elements).join(", ")),
            _ => format!("Unordered({})", self.list(self.each(elements))),
        }
    }

    fn map(&self, pairs: &[(Literal, Literal)]) -> String {
        let pair = |before: &str, between: &str, after: &str| {
            let one = |(key, value): &(Literal, Literal)| {
                format!("{before}{}{between}{}{after}", self.literal(key), self.literal(value))
            };
            pairs.iter().map(one).collect::<Vec<_>>().join(", ")
        };
        match pairs.iter().all(|(key, _)| is_hashable(key)) {
            true => format!("{{{}}}", pair("", ": ", "")),
            false => format!("Unordered([{}])", pair("[", ", ", "]")),
        }
    }

    fn has_signs(&self) -> bool {
        true
    }

    fn is_true(&self, value: String) -> String {
        format!("{value} is True")
    }

    fn not(&self, condition: String) -> String {
        format!("not ({condition})")
    }

    fn and(&self, conditions: Vec<String>) -> String {
        conditions.join(" and ")
    }

    fn or(&self, conditions: Vec<String>) -> String {
        conditions.join(" or ")
    }
}

/// Text inside the quotes of a docstring.
fn docstring(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(remark).collect();
    lines.join("\n").replace('\\', "\\\\").replace('"', "\\\"")
}

impl Code for Python {
    fn texts(&self) -> &'static Texts {
        &TEXTS
    }

    fn file_names(&self, model: &str) -> (String, String) {
        let name = self.name(model);
        (format!("test_{name}.py"), format!("{name}_adapter.py"))
    }

    fn remarks(&self, lines: &[String]) -> String {
        lines.iter().map(|line| format!("# {}\n", remark(line))).collect()
    }

    fn about(&self, lines: &[String]) -> String {
        format!("\"\"\"{}\"\"\"\n", docstring(&lines.join("\n\n")))
    }

    fn observed(&self, gate: &str, names: Vec<(&str, String)>) -> String {
        format!("    {}: {},\n", self.text(gate), self.record("", names))
    }

    fn simple_kind(&self, name: &'static str) -> String {
        format!("is_{name}")
    }

    fn one_of(&self, texts: Vec<String>) -> String {
        format!("one_of({})", texts.join(", "))
    }

    fn record_of(&self, fields: Vec<(&str, String)>) -> String {
        format!("record({})", self.record("", fields))
    }

    fn list_of(&self, element: String) -> String {
        format!("list_of({element})")
    }

    fn set_of(&self, element: String) -> String {
        format!("set_of({element})")
    }

    fn map_of(&self, key: String, value: String) -> String {
        format!("map_of({key}, {value})")
    }

    fn made_of(&self, constructors: Vec<(&str, Vec<String>)>) -> String {
        let one = |(name, args): (&str, Vec<String>)| format!("{}: [{}]", self.text(name), args.join(", "));
        format!("made_of({{{}}})", constructors.into_iter().map(one).collect::<Vec<_>>().join(", "))
    }

    fn lambda(&self, condition: String) -> String {
        format!("lambda e: {condition}")
    }

    fn alternative(&self, gate: String, when: String) -> String {
        format!("({gate}, {when})")
    }

    fn call(&self, call: &Call<'_>) -> String {
        let rules = call.rules(|name, value| format!("{name}={value}"));
        let variable = call.variable.map(|name| format!("{name} = ")).unwrap_or_default();
        let sut = if call.name == "meets" { "" } else { "sut, " };
        let (name, args) = (call.name, call.args.join(", "));
        let rest: String = rules.iter().map(|rule| format!(", {rule}")).collect();
        let short = format!("{variable}{name}({sut}{args}{rest})");
        if rules.is_empty() || short.len() <= WIDTH {
            return short;
        }
        let rules: String = rules.iter().map(|rule| format!("    {rule},\n")).collect();
        format!("{variable}{name}(\n    {sut}{args},\n{rules})")
    }

    fn indent(&self) -> &'static str {
        "        "
    }

    fn test(&self, test: &Test, about: &[String], initial: Option<String>, body: &[String]) -> String {
        let title = docstring(&test.title);
        let about: String = about.iter().map(|line| format!("\n    {}", docstring(line))).collect();
        let doc = if about.is_empty() { title } else { format!("{title}\n{about}\n    ") };
        let body = if body.is_empty() { "        pass\n".to_owned() } else { body.concat() };
        format!(
            "\n\ndef test_{}():\n    \"\"\"{doc}\"\"\"\n    sut = Adapter({})\n    try:\n{body}    finally:\n        sut.close()\n",
            test.name,
            initial.unwrap_or_default(),
        )
    }
}
