//! One walk over the form for all programming languages: a language says how it writes a call, a test and its names.
//!
//! What does not depend on the tests stands in files beside the language: the harness that judges (`harness`, with a part
//! for each style of models), and the skeleton of an adapter for each style. `@WORD@` in them is filled in here.

use super::form::{Datum, Form, Kind, Port, Step, Test, ValueKind};
use super::syntax::{Syntax, remark};
use super::{Files, about, interface, purpose_lines};

/// Longest line with a call that has rules.
pub(super) const WIDTH: usize = 110;

/// A programming language.
pub(super) trait Code: Syntax {
    /// What does not depend on the tests.
    fn texts(&self) -> &'static Texts;

    /// The names of the file of tests and of the adapter.
    fn file_names(&self, model: &str) -> (String, String);

    /// The name by which the harness and the adapter know each other: a module, a class or a package.
    fn name(&self, model: &str) -> String {
        super::stem(model)
    }

    /// Lines that are no code.
    fn remarks(&self, lines: &[String]) -> String {
        lines.iter().map(|line| format!("// {}\n", remark(line))).collect()
    }

    /// What the head of the file says.
    fn about(&self, lines: &[String]) -> String {
        self.remarks(lines)
    }

    /// What is observed at a gate, names with their kinds, as lines of the harness.
    fn observed(&self, gate: &str, names: Vec<(&str, String)>) -> String;

    /// What the harness calls a kind of values: `bool`, `int`, `real`, `text`, `any`.
    fn simple_kind(&self, name: &'static str) -> String;

    /// One of some texts.
    fn one_of(&self, texts: Vec<String>) -> String {
        format!("oneOf({})", texts.join(", "))
    }

    /// A record with fields of some kinds.
    fn record_of(&self, fields: Vec<(&str, String)>) -> String;

    /// Absent, or of a kind.
    fn optional(&self, kind: String) -> String {
        format!("optional({kind})")
    }

    /// A list with elements of a kind.
    fn list_of(&self, element: String) -> String {
        format!("listOf({element})")
    }

    /// A set with members of a kind.
    fn set_of(&self, element: String) -> String {
        format!("setOf({element})")
    }

    /// A map with keys and values of some kinds.
    fn map_of(&self, key: String, value: String) -> String {
        format!("mapOf({key}, {value})")
    }

    /// A value of one of some constructors, each with the kinds of its arguments.
    fn made_of(&self, constructors: Vec<(&str, Vec<String>)>) -> String;

    /// A kind of values.
    fn kind(&self, kind: &ValueKind) -> String {
        match kind {
            ValueKind::Bool => self.simple_kind("bool"),
            ValueKind::Int => self.simple_kind("int"),
            ValueKind::Real => self.simple_kind("real"),
            ValueKind::Text => self.simple_kind("text"),
            ValueKind::Other => self.simple_kind("any"),
            ValueKind::Enum { names } => self.one_of(names.iter().map(|name| self.text(name)).collect()),
            ValueKind::Record { fields } => {
                self.record_of(fields.iter().map(|(name, kind)| (&**name, self.kind(kind))).collect())
            }
            ValueKind::Optional { value } => self.optional(self.kind(value)),
            ValueKind::List { element } => self.list_of(self.kind(element)),
            ValueKind::Set { element } => self.set_of(self.kind(element)),
            ValueKind::Map { key, value } => self.map_of(self.kind(key), self.kind(value)),
            ValueKind::Made { constructors } => {
                let each = |kinds: &[ValueKind]| kinds.iter().map(|kind| self.kind(kind)).collect();
                self.made_of(constructors.iter().map(|(name, args)| (&**name, each(args))).collect())
            }
        }
    }

    /// Values by name.
    fn data(&self, data: Vec<(&str, String)>) -> String {
        self.record("", data)
    }

    /// A condition on what is observed, `e`.
    fn lambda(&self, condition: String) -> String;

    /// What may be observed instead.
    fn alternative(&self, gate: String, when: String) -> String;

    /// A list of these.
    fn alternatives(&self, all: Vec<String>) -> String {
        format!("[{}]", all.join(", "))
    }

    /// A call of the harness.
    fn call(&self, call: &Call<'_>) -> String;

    /// A test of which the body is given step by step, with `indent` before each line; `initial` are values that it begins with, if there are any.
    fn test(&self, test: &Test, about: &[String], initial: Option<String>, body: &[String]) -> String;

    /// What stands before each line of a body.
    fn indent(&self) -> &'static str;
}

/// Texts that do not depend on the tests.
pub(super) struct Texts {
    /// What stands in every file of tests.
    pub harness: &'static str,
    /// What lock-step models add to it, and their adapter.
    pub lockstep: (&'static str, &'static str),
    /// What models with gates add to it, and their adapter.
    pub gates: (&'static str, &'static str),
}

/// A call of the harness.
pub(super) struct Call<'a> {
    /// `send`, `expect`, `tick`, `refuse` or `meets`.
    pub name: &'static str,
    /// The variable for what is observed.
    pub variable: Option<&'a str>,
    /// Its arguments.
    pub args: Vec<String>,
    /// What is as planned, and what is allowed instead: `when`, `says`, `fits`, `otherwise`, `others`, `lenient`. Nothing for a call that knows none.
    pub rules: Option<Vec<(&'static str, String)>>,
}

impl Call<'_> {
    /// Rules, each made by `rule`.
    pub fn rules(&self, rule: impl Fn(&str, &str) -> String) -> Vec<String> {
        self.rules.iter().flatten().map(|(name, value)| rule(name, value)).collect()
    }
}

/// The files of a language.
pub(super) fn files(code: &dyn Code, form: &Form) -> Files {
    let texts = code.texts();
    let (harness, adapter) = if form.style == "lockstep" { texts.lockstep } else { texts.gates };
    let name = code.name(&form.model);
    let observed = |(gate, ports): (&str, &[Port])| {
        code.observed(gate, ports.iter().map(|port| (port.name.as_str(), code.kind(&port.kind))).collect())
    };
    let of_gates = form.gates.iter().map(|gate| {
        let ports = if gate.direction == "out" { &gate.params } else { &gate.results };
        (gate.name.as_str(), &ports[..])
    });
    let of_steps = (form.style == "lockstep").then_some(("outputs", &form.outputs[..]));
    let adapter = filled(
        adapter,
        &[("NAME", &name), ("MODEL", &remark(&form.model)), ("INTERFACE", &code.remarks(&interface(form)))],
    );
    let tests = filled(
        texts.harness.trim_end(),
        &[
            ("NAME", &name),
            ("ABOUT", &code.about(&about(form))),
            ("OBSERVED", &of_steps.into_iter().chain(of_gates).map(observed).collect::<String>()),
            ("STYLE", &filled(harness, &[("NAME", &name)])),
            ("TESTS", &form.tests.iter().map(|one| test(code, one)).collect::<String>()),
        ],
    );
    let (tests_file, adapter_file) = code.file_names(&form.model);
    Files { tests: (tests_file, tests), adapter: Some((adapter_file, adapter)) }
}

fn test(code: &dyn Code, test: &Test) -> String {
    let indented = |text: String| text.lines().map(|line| format!("{}{line}\n", code.indent())).collect::<String>();
    let of_step = |step: &Step| {
        let about = code.remarks(&[format!("{}: {}", step.number, step.text)]);
        indented(about + &code.call(&call(code, step)))
    };
    let mut body: Vec<String> = test.steps.iter().map(of_step).collect();
    if !test.end.expr.is(true) {
        let args = vec![code.truth(&test.end.expr), code.text(&test.end.text)];
        body.push(indented(code.call(&Call { name: "meets", variable: None, args, rules: None })));
    }
    let initial = (!test.initial.is_empty()).then(|| data(code, &test.initial));
    code.test(test, &purpose_lines(test), initial, &body)
}

fn data(code: &dyn Code, data: &[Datum]) -> String {
    code.data(data.iter().map(|one| (one.name.as_str(), code.expr(&one.value))).collect())
}

fn call<'s>(code: &dyn Code, step: &'s Step) -> Call<'s> {
    let name = match step.kind {
        Kind::Send => "send",
        Kind::Expect => "expect",
        Kind::Tick => "tick",
        Kind::Refused => "refuse",
    };
    let mut args = vec![step.number.to_string()];
    args.extend(step.gate.iter().map(|gate| code.text(gate)));
    if step.kind != Kind::Expect {
        args.push(data(code, &step.given));
    }
    if step.kind != Kind::Refused {
        args.push(data(code, &step.observed));
    }
    let mut rules = vec![];
    if !step.is_exact {
        rules.push(("when", code.lambda(code.truth(&step.expected.expr))));
        rules.push(("says", code.text(&step.expected.text)));
    }
    if !step.fits.expr.is(true) {
        rules.push(("fits", code.truth(&step.fits.expr)));
    }
    if !step.allowed.is_empty() {
        let allowed = step.allowed.iter().map(|one| {
            let gate = code.text(one.gate.as_deref().unwrap_or("outputs"));
            code.alternative(gate, code.lambda(code.truth(&one.when.expr)))
        });
        rules.push(("otherwise", code.alternatives(allowed.collect())));
    }
    if !step.is_all && step.is_judged() {
        rules.push(("others", code.constant(true)));
    }
    if !step.nothing.expr.is(false) && step.kind != Kind::Tick {
        rules.push(("lenient", code.truth(&step.nothing.expr)));
    }
    Call { name, variable: step.variable.as_deref(), args, rules: Some(rules) }
}

/// A text in which `@WORD@` is filled in. What is filled in is not looked at again.
fn filled(text: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('@') {
        out.push_str(before);
        let value = after.split_once('@').and_then(|(word, rest)| {
            let (_, value) = values.iter().find(|(known, _)| *known == word)?;
            Some((value, rest))
        });
        rest = match value {
            Some((value, rest)) => {
                out.push_str(value);
                rest
            }
            None => {
                out.push('@');
                after
            }
        };
    }
    out + rest
}
