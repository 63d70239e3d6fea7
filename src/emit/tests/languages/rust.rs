//! Tests in Rust, for cargo. They have a type of values of their own, so that an adapter needs no library.
//!
//! Cargo has no way to skip a running test: an inconclusive one says so on its output, and ends.

use crate::emit::tests::code::{Call, Code, Texts, WIDTH};
use crate::emit::tests::form::{Literal, Test};
use crate::emit::tests::syntax::{Syntax, quoted, remark};

pub struct Rust;

const TEXTS: Texts = Texts {
    harness: include_str!("rust/harness.rs"),
    lockstep: (include_str!("rust/lockstep.rs"), include_str!("rust/lockstep_adapter.rs")),
    gates: (include_str!("rust/gates.rs"), include_str!("rust/gates_adapter.rs")),
};

/// Whether a number has room in 128 bits.
fn is_short(digits: &str) -> bool {
    digits.parse::<i128>().is_ok()
}

impl Rust {
    fn pairs(&self, pairs: Vec<(&str, String)>) -> String {
        let pairs: Vec<String> = pairs.iter().map(|(name, value)| format!("({}, {value})", self.text(name))).collect();
        format!("data(&[{}])", pairs.join(", "))
    }

    fn kinds(&self, kinds: Vec<(&str, String)>) -> String {
        let kinds: Vec<String> = kinds.iter().map(|(name, kind)| format!("({}, {kind})", self.text(name))).collect();
        format!("[{}]", kinds.join(", "))
    }

    fn digits(&self, digits: &str) -> String {
        format!("Value::Digits({}.to_owned())", self.text(digits))
    }
}

impl Syntax for Rust {
    fn text(&self, text: &str) -> String {
        quoted(text, &|c| format!("\\u{{{:x}}}", u32::from(c)))
    }

    fn absent(&self) -> String {
        "Value::Absent".to_owned()
    }

    fn boolean(&self, truth: bool) -> String {
        format!("Value::Bool({truth})")
    }

    fn whole(&self, digits: &str) -> String {
        if is_short(digits) { format!("int({digits})") } else { self.digits(digits) }
    }

    fn ratio(&self, numerator: &str, denominator: &str) -> String {
        match is_short(numerator) && is_short(denominator) {
            true => format!("Value::Real({numerator}, {denominator})"),
            false => self.digits(&format!("{numerator}/{denominator}")),
        }
    }

    fn text_value(&self, text: &str) -> String {
        format!("word({})", self.text(text))
    }

    fn seen(&self, variable: Option<&str>, name: &str, path: &[String]) -> String {
        let fields: String = path.iter().map(|field| format!(".field({})", self.text(field))).collect();
        let data = variable.map_or("e".to_owned(), |variable| format!("&{variable}"));
        format!("get({data}, {}){fields}", self.text(name))
    }

    fn made(&self, name: &str, args: Vec<String>) -> String {
        format!("Value::Made({}.to_owned(), vec![{}])", self.text(name), args.join(", "))
    }

    fn record(&self, _: &str, fields: Vec<(&str, String)>) -> String {
        format!("Value::Record({})", self.pairs(fields))
    }

    fn list(&self, elements: Vec<String>) -> String {
        format!("Value::List(vec![{}])", elements.join(", "))
    }

    fn set(&self, elements: &[Literal]) -> String {
        format!("Value::Set(vec![{}])", self.each(elements).join(", "))
    }

    fn map(&self, pairs: &[(Literal, Literal)]) -> String {
        let pairs = pairs.iter().map(|(key, value)| format!("({}, {})", self.literal(key), self.literal(value)));
        format!("Value::Map(vec![{}])", pairs.collect::<Vec<_>>().join(", "))
    }

    fn value_of(&self, condition: String) -> String {
        format!("Value::Bool({condition})")
    }

    fn is_true(&self, value: String) -> String {
        format!("{value} == Value::Bool(true)")
    }

    fn has_signs(&self) -> bool {
        true
    }

    fn sum(&self, args: Vec<String>) -> String {
        format!("plus(&[{}])", args.join(", "))
    }

    fn product(&self, args: Vec<String>) -> String {
        format!("times(&[{}])", args.join(", "))
    }
}

/// Words that are no names in Rust.
const RESERVED: [&str; 52] = [
    "as", "break", "const", "continue", "crate", "else", "enum", "extern", "false", "fn", "for", "if", "impl", "in",
    "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self", "static", "struct", "super", "trait",
    "true", "type", "unsafe", "use", "where", "while", "async", "await", "dyn", "abstract", "become", "box", "do",
    "final", "macro", "override", "priv", "typeof", "unsized", "virtual", "yield", "try", "gen", "main",
];

/// A name of a function that neither the language nor the harness uses.
fn function_name(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let is_ours =
        [TEXTS.harness, TEXTS.lockstep.0, TEXTS.gates.0].iter().any(|text| text.contains(&format!("fn {name}(")));
    if is_ours || RESERVED.contains(&name.as_str()) { format!("{name}_") } else { name }
}

impl Code for Rust {
    fn texts(&self) -> &'static Texts {
        &TEXTS
    }

    fn file_names(&self, model: &str) -> (String, String) {
        let name = self.name(model);
        (format!("{name}.rs"), format!("{name}_adapter/mod.rs"))
    }

    fn about(&self, lines: &[String]) -> String {
        lines.iter().map(|line| format!("//! {}\n", remark(line))).collect()
    }

    fn observed(&self, gate: &str, names: Vec<(&str, String)>) -> String {
        format!("    ({}, &{}),\n", self.text(gate), self.kinds(names))
    }

    fn simple_kind(&self, name: &'static str) -> String {
        match name {
            "bool" => "Kind::Bool",
            "int" => "Kind::Int",
            "real" => "Kind::Real",
            "text" => "Kind::Text",
            _ => "Kind::Any",
        }
        .to_owned()
    }

    fn one_of(&self, texts: Vec<String>) -> String {
        format!("Kind::OneOf(&[{}])", texts.join(", "))
    }

    fn record_of(&self, fields: Vec<(&str, String)>) -> String {
        format!("Kind::Record(&{})", self.kinds(fields))
    }

    fn optional(&self, kind: String) -> String {
        format!("Kind::Optional(&{kind})")
    }

    fn list_of(&self, element: String) -> String {
        format!("Kind::List(&{element})")
    }

    fn set_of(&self, element: String) -> String {
        format!("Kind::Set(&{element})")
    }

    fn map_of(&self, key: String, value: String) -> String {
        format!("Kind::Map(&{key}, &{value})")
    }

    fn made_of(&self, constructors: Vec<(&str, Vec<String>)>) -> String {
        let one = |(name, args): (&str, Vec<String>)| format!("({}, &[{}])", self.text(name), args.join(", "));
        format!("Kind::Made(&[{}])", constructors.into_iter().map(one).collect::<Vec<_>>().join(", "))
    }

    fn data(&self, data: Vec<(&str, String)>) -> String {
        self.pairs(data)
    }

    fn lambda(&self, condition: String) -> String {
        format!("&|e| {condition}")
    }

    fn alternative(&self, gate: String, when: String) -> String {
        format!("({gate}, {when})")
    }

    fn alternatives(&self, all: Vec<String>) -> String {
        format!("&[{}]", all.join(", "))
    }

    fn call(&self, call: &Call<'_>) -> String {
        let rules = call.rules(|name, value| match name {
            "when" => format!("when: Some({value})"),
            name => format!("{name}: {value}"),
        });
        let variable = call.variable.map(|name| format!("let {name} = ")).unwrap_or_default();
        let (name, args) = (call.name, call.args.join(", "));
        if call.rules.is_none() {
            return format!("{name}({args})?;");
        }
        let line = format!("{variable}{name}(sut, {args}, ");
        let short = match rules.is_empty() {
            true => format!("{line}Rules::default())?;"),
            false => format!("{line}Rules {{ {}, ..Rules::default() }})?;", rules.join(", ")),
        };
        if short.len() <= WIDTH || rules.is_empty() {
            return short;
        }
        let rules: String = rules.iter().map(|rule| format!("    {rule},\n")).collect();
        format!("{line}Rules {{\n{rules}    ..Rules::default()\n}})?;")
    }

    fn indent(&self) -> &'static str {
        "        "
    }

    fn test(&self, test: &Test, about: &[String], initial: Option<String>, body: &[String]) -> String {
        let about: String = about.iter().map(|line| format!("/// {}\n", remark(line))).collect();
        let between = if about.is_empty() { "" } else { "///\n" };
        format!(
            "\n/// {}\n{between}{about}#[test]\nfn {}() {{\n    run({}, |sut| {{\n{}        Ok(())\n    }});\n}}\n",
            remark(&test.title),
            function_name(&test.name),
            initial.unwrap_or_else(|| self.pairs(vec![])),
            body.concat(),
        )
    }
}
