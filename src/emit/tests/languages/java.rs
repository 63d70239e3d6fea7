//! Tests in Java, for JUnit 5.
//!
//! Whole numbers are `BigInteger`, rational ones `Ratio`, records and data maps, constructors lists that begin with `Tag`. One class holds everything; the
//! adapter is a class beside it.

use crate::emit::tests::code::{Call, Code, Texts};
use crate::emit::tests::form::{Literal, Test};
use crate::emit::tests::of_results::word;
use crate::emit::tests::syntax::{Syntax, quoted, remark, utf16_escape};

pub struct Java;

const TEXTS: Texts = Texts {
    harness: include_str!("java/Harness.java"),
    lockstep: (include_str!("java/Lockstep.java"), include_str!("java/LockstepAdapter.java")),
    gates: (include_str!("java/Gates.java"), include_str!("java/GatesAdapter.java")),
};

impl Java {
    fn pairs(&self, pairs: Vec<(&str, String)>) -> String {
        let pairs: Vec<String> = pairs.iter().map(|(name, value)| format!("{}, {value}", self.text(name))).collect();
        format!("data({})", pairs.join(", "))
    }

    fn kinds(&self, kinds: Vec<(&str, String)>) -> String {
        let kinds: Vec<String> = kinds.iter().map(|(name, kind)| format!("{}, {kind}", self.text(name))).collect();
        format!("kinds({})", kinds.join(", "))
    }
}

/// A comment that every encoding has. Unicode escapes are read in comments, too, and a backslash that is one begins none.
fn ascii(text: &str) -> String {
    let plain = |c: char| match c {
        '\\' => utf16_escape(c),
        ' '..='~' => c.to_string(),
        c => utf16_escape(c),
    };
    text.chars().map(plain).collect()
}

/// Steps of one method: a method of more than 64 kB is none.
const MAX_STEPS: usize = 250;

impl Syntax for Java {
    fn text(&self, text: &str) -> String {
        // A Unicode escape is read before anything else, so that those of line ends would end the line.
        quoted(text, &|c| match c {
            '\u{0}'..='\u{1f}' => format!("\\{:03o}", u32::from(c)),
            c => utf16_escape(c),
        })
    }

    fn absent(&self) -> String {
        "null".to_owned()
    }

    fn whole(&self, digits: &str) -> String {
        let is_short = digits.parse::<i32>().is_ok();
        if is_short { format!("num({digits})") } else { format!("num({})", self.text(digits)) }
    }

    fn ratio(&self, numerator: &str, denominator: &str) -> String {
        format!("ratio({}, {})", self.whole(numerator), self.whole(denominator))
    }

    fn seen(&self, variable: Option<&str>, name: &str, path: &[String]) -> String {
        let path: String = path.iter().map(|field| format!(", {}", self.text(field))).collect();
        format!("get({}, {}{path})", variable.unwrap_or("e"), self.text(name))
    }

    fn made(&self, name: &str, args: Vec<String>) -> String {
        self.list(std::iter::once(format!("new Tag({})", self.text(name))).chain(args).collect())
    }

    fn record(&self, _: &str, fields: Vec<(&str, String)>) -> String {
        self.pairs(fields)
    }

    fn list(&self, elements: Vec<String>) -> String {
        format!("List.of({})", elements.join(", "))
    }

    fn set(&self, elements: &[Literal]) -> String {
        format!("Set.of({})", self.each(elements).join(", "))
    }

    fn map(&self, pairs: &[(Literal, Literal)]) -> String {
        let pairs =
            pairs.iter().map(|(key, value)| format!("Map.entry({}, {})", self.literal(key), self.literal(value)));
        format!("Map.ofEntries({})", pairs.collect::<Vec<_>>().join(", "))
    }

    fn is_true(&self, value: String) -> String {
        format!("same({value}, true)")
    }
}

impl Code for Java {
    fn texts(&self) -> &'static Texts {
        &TEXTS
    }

    /// The name of a class.
    fn name(&self, model: &str) -> String {
        let word = word(model);
        let mut chars = word.chars();
        chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect()
    }

    fn file_names(&self, model: &str) -> (String, String) {
        let name = self.name(model);
        (format!("{name}Test.java"), format!("{name}Adapter.java"))
    }

    fn remarks(&self, lines: &[String]) -> String {
        lines.iter().map(|line| format!("// {}\n", ascii(&remark(line)))).collect()
    }

    fn observed(&self, gate: &str, names: Vec<(&str, String)>) -> String {
        format!("        OBSERVED.put({}, {});\n", self.text(gate), self.kinds(names))
    }

    fn simple_kind(&self, name: &'static str) -> String {
        name.to_uppercase()
    }

    fn record_of(&self, fields: Vec<(&str, String)>) -> String {
        format!("record({})", self.kinds(fields))
    }

    fn made_of(&self, constructors: Vec<(&str, Vec<String>)>) -> String {
        let one = |(name, args): (&str, Vec<String>)| {
            let all: Vec<String> = std::iter::once(self.text(name)).chain(args).collect();
            format!("made({})", all.join(", "))
        };
        format!("madeOf({})", constructors.into_iter().map(one).collect::<Vec<_>>().join(", "))
    }

    fn data(&self, data: Vec<(&str, String)>) -> String {
        self.pairs(data)
    }

    fn lambda(&self, condition: String) -> String {
        format!("e -> {condition}")
    }

    fn alternative(&self, gate: String, when: String) -> String {
        format!("new Allowed({gate}, {when})")
    }

    fn alternatives(&self, all: Vec<String>) -> String {
        all.join(", ")
    }

    fn call(&self, call: &Call<'_>) -> String {
        let variable = call.variable.map(|name| format!("Map<String, Object> {name} = ")).unwrap_or_default();
        let (name, args) = (call.name, call.args.join(", "));
        if call.rules.is_none() {
            return format!("{name}({args});");
        }
        let rules = call.rules(|name, value| format!("\n        .{name}({value})")).concat();
        format!("{variable}{name}(sut, {args}, new Rules(){rules});")
    }

    fn indent(&self) -> &'static str {
        "            "
    }

    fn test(&self, test: &Test, about: &[String], initial: Option<String>, body: &[String]) -> String {
        let about: String = self.remarks(about).lines().map(|line| format!("    {line}\n")).collect();
        // What was observed is known in one method only.
        let is_divisible = test.steps.iter().all(|step| step.variable.is_none());
        let (body, parts) = match body.len() > MAX_STEPS && is_divisible {
            false => (body.concat(), String::new()),
            true => {
                let parts: Vec<&[String]> = body.chunks(MAX_STEPS).collect();
                let call = |part: usize| format!("            {}_{}(sut);\n", test.name, part + 1);
                let method = |(part, body): (usize, &&[String])| {
                    let head = format!("    void {}_{}(Sut sut) throws Exception {{", test.name, part + 1);
                    let body: String = body.concat().lines().map(|line| format!("{}\n", &line[4..])).collect();
                    format!("\n{head}\n{body}    }}\n")
                };
                ((0..parts.len()).map(call).collect(), parts.iter().enumerate().map(method).collect())
            }
        };
        format!(
            "\n{about}    @Test\n    @DisplayName({})\n    void {}_() throws Exception {{\n        try (Sut sut = start({})) {{\n{body}        }}\n    }}\n{parts}",
            self.text(&test.title),
            test.name,
            initial.unwrap_or_else(|| self.pairs(vec![])),
        )
    }
}
