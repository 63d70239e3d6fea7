//! Tests in Go, for `go test`.
//!
//! Data is a map by name. Whole and rational numbers are `*big.Rat`, constructors slices that begin with a `Tag`, sets and maps slices of members and
//! pairs.

use crate::emit::run::padded;
use crate::emit::tests::code::{Call, Code, Texts, WIDTH};
use crate::emit::tests::form::{Literal, Test};
use crate::emit::tests::stem;
use crate::emit::tests::syntax::{Syntax, quoted, remark, utf32_escape};

pub struct Go;

const TEXTS: Texts = Texts {
    harness: include_str!("go/harness.go"),
    lockstep: (include_str!("go/lockstep.go"), include_str!("go/lockstep_adapter.go")),
    gates: (include_str!("go/gates.go"), include_str!("go/gates_adapter.go")),
};

impl Syntax for Go {
    fn text(&self, text: &str) -> String {
        quoted(text, &utf32_escape)
    }

    fn absent(&self) -> String {
        "nil".to_owned()
    }

    fn whole(&self, digits: &str) -> String {
        format!("num({})", self.text(digits))
    }

    fn ratio(&self, numerator: &str, denominator: &str) -> String {
        self.whole(&format!("{numerator}/{denominator}"))
    }

    fn seen(&self, variable: Option<&str>, name: &str, path: &[String]) -> String {
        let path: String = path.iter().map(|field| format!(", {}", self.text(field))).collect();
        format!("get({}, {}{path})", variable.unwrap_or("e"), self.text(name))
    }

    fn made(&self, name: &str, args: Vec<String>) -> String {
        self.list(std::iter::once(format!("Tag({})", self.text(name))).chain(args).collect())
    }

    fn record(&self, _: &str, fields: Vec<(&str, String)>) -> String {
        let fields: Vec<String> =
            fields.iter().map(|(field, value)| format!("{}: {value}", self.text(field))).collect();
        format!("Data{{{}}}", fields.join(", "))
    }

    fn list(&self, elements: Vec<String>) -> String {
        format!("[]any{{{}}}", elements.join(", "))
    }

    fn set(&self, elements: &[Literal]) -> String {
        format!("Set{{{}}}", self.each(elements).join(", "))
    }

    fn map(&self, pairs: &[(Literal, Literal)]) -> String {
        let pairs = pairs.iter().map(|(key, value)| self.list(vec![self.literal(key), self.literal(value)]));
        format!("Set{{{}}}", pairs.collect::<Vec<_>>().join(", "))
    }

    fn is_true(&self, value: String) -> String {
        format!("same({value}, true)")
    }
}

/// Words that are no names of packages in Go.
const RESERVED: [&str; 27] = [
    "break",
    "case",
    "chan",
    "const",
    "continue",
    "default",
    "defer",
    "else",
    "fallthrough",
    "for",
    "func",
    "go",
    "goto",
    "if",
    "import",
    "interface",
    "map",
    "package",
    "range",
    "return",
    "select",
    "struct",
    "switch",
    "type",
    "var",
    "main",
    "init",
];

/// Names and values, line by line, the values below each other.
fn aligned(pairs: Vec<(String, String)>, indent: &str) -> Vec<String> {
    let width = pairs.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0) + 1;
    pairs.iter().map(|(name, value)| format!("{indent}{} {value},\n", padded(&format!("{name}:"), width))).collect()
}

/// `order_2` as `Order_2`: two words that differ in `_` only stay different.
fn capital(name: &str) -> String {
    let part = |part: &str| {
        let mut chars = part.chars();
        chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect::<String>()
    };
    name.split('_').map(part).collect::<Vec<_>>().join("_")
}

impl Code for Go {
    fn texts(&self) -> &'static Texts {
        &TEXTS
    }

    /// The name of a package. Nothing in it means a system or a processor to Go.
    fn name(&self, model: &str) -> String {
        let plain = stem(model).replace('_', "");
        if RESERVED.contains(&plain.as_str()) { format!("{plain}model") } else { plain }
    }

    /// A package is a folder.
    fn file_names(&self, model: &str) -> (String, String) {
        let name = self.name(model);
        (format!("{name}/{name}_test.go"), format!("{name}/adapter_test.go"))
    }

    fn observed(&self, gate: &str, names: Vec<(&str, String)>) -> String {
        let names: String =
            aligned(names.into_iter().map(|(name, kind)| (self.text(name), kind)).collect(), "\t\t").concat();
        match names.is_empty() {
            true => format!("\t{}: {{}},\n", self.text(gate)),
            false => format!("\t{}: {{\n{names}\t}},\n", self.text(gate)),
        }
    }

    fn simple_kind(&self, name: &'static str) -> String {
        match name {
            "bool" => "isBool",
            "int" => "isInt",
            "real" => "isReal",
            "text" => "isText",
            _ => "isAny",
        }
        .to_owned()
    }

    fn record_of(&self, fields: Vec<(&str, String)>) -> String {
        let fields: Vec<String> = fields.iter().map(|(name, kind)| format!("{}: {kind}", self.text(name))).collect();
        format!("record(kinds{{{}}})", fields.join(", "))
    }

    fn made_of(&self, constructors: Vec<(&str, Vec<String>)>) -> String {
        let one = |(name, args): (&str, Vec<String>)| format!("{}: {{{}}}", self.text(name), args.join(", "));
        let all: Vec<String> = constructors.into_iter().map(one).collect();
        format!("madeOf(map[Tag][]kind{{{}}})", all.join(", "))
    }

    fn lambda(&self, condition: String) -> String {
        format!("func(e Data) bool {{ return {condition} }}")
    }

    fn alternative(&self, gate: String, when: String) -> String {
        format!("{{{gate}, {when}}}")
    }

    fn alternatives(&self, all: Vec<String>) -> String {
        format!("[]allowed{{{}}}", all.join(", "))
    }

    fn call(&self, call: &Call<'_>) -> String {
        // What is not written is false in Go.
        let rule = |(name, value): &(&'static str, String)| match *name {
            "fits" => ("misfits".to_owned(), format!("!({value})")),
            name => (name.to_owned(), value.clone()),
        };
        let rules: Vec<(String, String)> = call.rules.iter().flatten().map(rule).collect();
        let variable = call.variable.map(|name| format!("{name} := ")).unwrap_or_default();
        let (name, args) = (call.name, call.args.join(", "));
        if call.rules.is_none() {
            return format!("{name}(t, {args})");
        }
        let line = format!("{variable}{name}(t, sut, {args}, rules{{");
        let plain: Vec<String> = rules.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        let short = format!("{line}{}}})", plain.join(", "));
        if rules.is_empty() || short.len() <= WIDTH {
            return short;
        }
        format!("{line}\n{}}})", aligned(rules, "\t").concat())
    }

    fn indent(&self) -> &'static str {
        "\t"
    }

    fn test(&self, test: &Test, about: &[String], initial: Option<String>, body: &[String]) -> String {
        format!(
            "\n// {}\n{}func Test{}(t *testing.T) {{\n\tsut := start({})\n\tdefer sut.Close()\n{}}}\n",
            remark(&test.title),
            self.remarks(about),
            capital(&test.name),
            initial.unwrap_or_else(|| "Data{}".to_owned()),
            body.concat(),
        )
    }
}
