//! Tests for pytest.
//!
//! Records are dictionaries, constructors tuples that begin with their name, rational numbers fractions. Sets and maps are lists of their
//! members and pairs if those cannot be members of a set in Python.

use super::form::{Condition, Datum, Form, Kind, Literal, Step, Test};
use super::syntax::{Syntax, quoted, remark};
use super::{Files, about, stem};

struct Python;

impl Python {
    fn each(&self, values: &[Literal]) -> Vec<String> {
        values.iter().map(|value| self.literal(value)).collect()
    }

    fn dict(&self, data: &[Datum]) -> String {
        let pairs: Vec<String> =
            data.iter().map(|one| format!("{}: {}", text(&one.name), self.expr(&one.value))).collect();
        format!("{{{}}}", pairs.join(", "))
    }
}

fn text(text: &str) -> String {
    quoted(text, &|c| match u32::from(c) {
        code @ 0..=0xff => format!("\\x{code:02x}"),
        code @ 0..=0xffff => format!("\\u{code:04x}"),
        code => format!("\\U{code:08x}"),
    })
}

/// Whether a value can be a member of a set.
fn is_hashable(value: &Literal) -> bool {
    match value {
        Literal::Record { .. } | Literal::List { .. } | Literal::Set { .. } | Literal::Map { .. } => false,
        Literal::Made { args, .. } => args.iter().all(is_hashable),
        _ => true,
    }
}

impl Syntax for Python {
    fn literal(&self, value: &Literal) -> String {
        match value {
            Literal::Absent => "None".to_owned(),
            Literal::Bool { value } => if *value { "True" } else { "False" }.to_owned(),
            Literal::Int { digits } => digits.clone(),
            Literal::Real { numerator, denominator } => format!("Fraction({numerator}, {denominator})"),
            Literal::Text { value } => text(value),
            Literal::Enum { name } => text(name),
            Literal::Made { name, args } => self.made(name, None, self.each(args)),
            Literal::Record { fields, .. } => {
                let fields: Vec<String> =
                    fields.iter().map(|(k, v)| format!("{}: {}", text(k), self.literal(v))).collect();
                format!("{{{}}}", fields.join(", "))
            }
            Literal::List { elements } => self.list(self.each(elements)),
            Literal::Set { elements } if elements.is_empty() => "set()".to_owned(),
            Literal::Set { elements } if elements.iter().all(is_hashable) => {
                format!("{{{}}}", self.each(elements).join(", "))
            }
            Literal::Set { elements } => self.list(self.each(elements)),
            Literal::Map { pairs } => {
                let is_plain = pairs.iter().all(|(key, _)| is_hashable(key));
                let pair = |(k, v): &(Literal, Literal)| match is_plain {
                    true => format!("{}: {}", self.literal(k), self.literal(v)),
                    false => format!("[{}, {}]", self.literal(k), self.literal(v)),
                };
                let pairs = pairs.iter().map(pair).collect::<Vec<_>>().join(", ");
                if is_plain { format!("{{{pairs}}}") } else { format!("[{pairs}]") }
            }
        }
    }

    fn seen(&self, variable: Option<&str>, name: &str, path: &[String]) -> String {
        let fields = std::iter::once(name).chain(path.iter().map(String::as_str));
        let fields: String = fields.map(|field| format!("[{}]", text(field))).collect();
        format!("{}{fields}", variable.unwrap_or("e"))
    }

    fn made(&self, name: &str, fields: Option<&[String]>, args: Vec<String>) -> String {
        match fields {
            Some(fields) => {
                let fields: Vec<String> = fields.iter().zip(args).map(|(k, v)| format!("{}: {v}", text(k))).collect();
                format!("{{{}}}", fields.join(", "))
            }
            None => {
                let parts: Vec<String> = std::iter::once(text(name)).chain(args).collect();
                let end = if parts.len() == 1 { "," } else { "" };
                format!("({}{end})", parts.join(", "))
            }
        }
    }

    fn not(&self, a: String) -> String {
        format!("not ({a})")
    }

    fn and(&self, args: Vec<String>) -> String {
        args.join(" and ")
    }

    fn or(&self, args: Vec<String>) -> String {
        args.join(" or ")
    }
}

/// The tests, and the adapter.
pub(super) fn files(form: &Form) -> Files {
    let stem = stem(&form.model);
    let adapter = if form.style == "lockstep" { ADAPTER_LOCKSTEP } else { ADAPTER_GATES };
    Files {
        tests: (format!("test_{stem}.py"), tests(form, &stem)),
        adapter: Some((
            format!("{stem}_adapter.py"),
            adapter.replace("MODEL", &form.model).replace("INTERFACE", &interface(form)),
        )),
    }
}

/// What the adapter's author has to know of the model.
fn interface(form: &Form) -> String {
    super::interface(form).iter().map(|line| format!("    {}\n", remark(line))).collect()
}

fn tests(form: &Form, stem: &str) -> String {
    let mut out = format!("\"\"\"{}\"\"\"\n\n", docstring(&about(form).join("\n\n")));
    out.push_str("from fractions import Fraction  # noqa: F401\n\nimport pytest\n\n");
    out.push_str(&format!("from {stem}_adapter import Adapter, Refused\n\n"));
    if form.style == "lockstep" {
        let names = |ports: &[super::form::Port]| {
            let names: Vec<String> = ports.iter().map(|port| format!("{}, ", text(&port.name))).collect();
            format!("({})", names.concat().trim_end())
        };
        out.push_str(&format!("OUTPUTS = {}\n", names(&form.outputs)));
        out.push_str(HARNESS);
        out.push_str(HARNESS_LOCKSTEP);
    } else {
        out.push_str("# What is observed at each gate.\nOBSERVED = {\n");
        for gate in &form.gates {
            let seen = if gate.direction == "out" { &gate.params } else { &gate.results };
            let names: Vec<String> = seen.iter().map(|port| format!("{}, ", text(&port.name))).collect();
            out.push_str(&format!("    {}: ({}),\n", text(&gate.name), names.concat().trim_end()));
        }
        out.push_str("}\n");
        out.push_str(HARNESS);
        out.push_str(HARNESS_GATES);
    }
    for test in &form.tests {
        out.push_str(&function(form, test));
    }
    out
}

/// Text inside the quotes of a docstring.
fn docstring(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(remark).collect();
    lines.join("\n").replace('\\', "\\\\").replace('"', "\\\"")
}

fn function(form: &Form, test: &Test) -> String {
    let mut lines = vec![test.title.clone()];
    lines.extend(super::purpose_lines(test));
    let doc = match lines.len() {
        1 => docstring(&lines[0]),
        _ => format!(
            "{}\n\n    {}\n    ",
            docstring(&lines[0]),
            docstring(&lines[1..].join("\n")).replace('\n', "\n    ")
        ),
    };
    let mut out = format!("\n\ndef test_{}():\n    \"\"\"{doc}\"\"\"\n", test.name);
    let initial = if form.initial.is_empty() { String::new() } else { Python.dict(&test.initial) };
    out.push_str(&format!("    sut = Adapter({initial})\n    try:\n"));
    for step in &test.steps {
        out.push_str(&format!("        # {}: {}\n", step.number, remark(&step.text)));
        out.push_str(&call(step));
    }
    if !test.end.expr.is(true) {
        out.push_str(&format!("        meets({}, {})\n", Python.expr(&test.end.expr), text(&test.end.text)));
    }
    if test.steps.is_empty() && test.end.expr.is(true) {
        out.push_str("        pass\n");
    }
    out.push_str("    finally:\n        sut.close()\n");
    out
}

fn lambda(condition: &Condition) -> String {
    format!("lambda e: {}", Python.expr(&condition.expr))
}

fn call(step: &Step) -> String {
    let gate = step.gate.as_deref().map(text).unwrap_or_default();
    let mut args = vec!["sut".to_owned(), step.number.to_string()];
    let mut options: Vec<String> = vec![];
    let not_false = |condition: &Condition| !condition.expr.is(false);
    let name = match step.kind {
        Kind::Send => "send",
        Kind::Expect => "expect",
        Kind::Tick => "tick",
        Kind::Refused => "refuse",
    };
    if step.kind != Kind::Tick && step.gate.is_some() {
        args.push(gate);
    }
    if step.kind != Kind::Expect {
        args.push(Python.dict(&step.given));
    }
    if !step.observed.is_empty() || matches!(step.kind, Kind::Expect | Kind::Tick) {
        args.push(Python.dict(&step.observed));
    }
    if !step.is_exact {
        options.push(format!("when={}", lambda(&step.expected)));
        options.push(format!("says={}", text(&step.expected.text)));
    }
    if !step.fits.expr.is(true) {
        options.push(format!("fits={}", Python.expr(&step.fits.expr)));
    }
    let allowed: Vec<String> = match step.kind {
        Kind::Tick => step.allowed.iter().map(|one| lambda(&one.when)).collect(),
        _ => {
            let named = |one: &super::form::Allowed| {
                format!("({}, {})", text(one.gate.as_deref().unwrap_or_default()), lambda(&one.when))
            };
            step.allowed.iter().map(named).collect()
        }
    };
    if !allowed.is_empty() {
        options.push(format!("otherwise=[{}]", allowed.join(", ")));
    }
    if !step.is_all && (!step.observed.is_empty() || step.kind == Kind::Expect) {
        options.push("others=True".to_owned());
    }
    if not_false(&step.nothing) {
        let word = match step.kind {
            Kind::Send => "refusable",
            Kind::Expect => "silence",
            Kind::Tick => return finished(step, name, &args, &options),
            Kind::Refused => "takeable",
        };
        options.push(format!("{word}={}", Python.expr(&step.nothing.expr)));
    }
    finished(step, name, &args, &options)
}

/// A call on one line, or on several if it is long.
fn finished(step: &Step, name: &str, args: &[String], options: &[String]) -> String {
    let variable = step.variable.as_ref().map(|name| format!("{name} = ")).unwrap_or_default();
    let line = format!("        {variable}{name}({})\n", [args, options].concat().join(", "));
    if options.is_empty() || line.len() <= 110 {
        return line;
    }
    let mut out = format!("        {variable}{name}(\n            {},\n", args.join(", "));
    options.iter().for_each(|option| out.push_str(&format!("            {option},\n")));
    out.push_str("        )\n");
    out
}

const HARNESS: &str = r#"

def holds(condition, e):
    """Whether a condition holds; data of another kind than the model's meets none."""
    try:
        return condition(e)
    except (KeyError, TypeError, IndexError):
        return False


def shown(name, data):
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in data.items())})"


def meets(holds, says):
    if not holds:
        pytest.skip(f"inconclusive: the system did nothing wrong, but the purpose needs {says}")


def fitting(step, what, fits):
    if not fits:
        pytest.skip(f"inconclusive: step {step}: {what} does not fit what the system chose before")
"#;

const HARNESS_LOCKSTEP: &str = r#"

def tick(sut, step, inputs, planned, when=None, says=None, otherwise=(), others=False):
    """Applies inputs, and judges the outputs. Absent is None."""
    try:
        actual = dict(sut.step(inputs) or {})
    except Refused:
        pytest.fail(f"step {step}: {shown('inputs', inputs)} must be taken, and was refused")
    seen = {name: actual.get(name) for name in OUTPUTS}
    if set(actual) <= set(OUTPUTS):
        if holds(when, seen) if when else seen == planned:
            return seen
        if others or any(holds(one, seen) for one in otherwise):
            pytest.skip(f"inconclusive: step {step}: the model allows {shown('outputs', seen)} as well")
    wanted = shown("outputs", planned) + (f" with {says}" if says else "")
    pytest.fail(f"step {step}: on {shown('inputs', inputs)} expected {wanted}, got {shown('outputs', actual)}")


def refuse(sut, step, inputs, takeable=False):
    """Applies inputs that must be refused."""
    try:
        sut.step(inputs)
    except Refused:
        return
    if takeable:
        pytest.skip(f"inconclusive: step {step}: the model may take {shown('inputs', inputs)} here")
    pytest.fail(f"step {step}: expected {shown('inputs', inputs)} to be refused, and it was taken")
"#;

const HARNESS_GATES: &str = r#"

def send(sut, step, gate, data, planned=None, when=None, says=None, fits=True, otherwise=(), others=False, refusable=False):
    """Gives the system an input, and judges its result if it has one."""
    fitting(step, shown(gate, data), fits)
    try:
        result = sut.send(gate, data)
    except Refused:
        if refusable:
            pytest.skip(f"inconclusive: step {step}: the model may refuse {shown(gate, data)} here")
        pytest.fail(f"step {step}: expected {shown(gate, data)} to be taken, and it was refused")
    if planned is None:
        return {}
    seen = result if isinstance(result, dict) and len(planned) != 1 else {name: result for name in planned}
    judge(step, gate, planned, when, says, otherwise, others, (gate, seen))
    return seen


def expect(sut, step, gate, planned, when=None, says=None, fits=True, otherwise=(), others=False, silence=False):
    """Waits for an output, and judges it."""
    actual = sut.receive()
    if actual is None:
        if silence:
            pytest.skip(f"inconclusive: step {step}: the model may say nothing here")
        wanted = shown(gate, planned) + (f" with {says}" if says else "")
        pytest.fail(f"step {step}: expected {wanted}, got no output")
    name, data = actual[0], actual[1] or {}
    judge(step, gate, planned, when, says, otherwise, others, (name, data))
    return data


def judge(step, gate, planned, when, says, otherwise, others, actual):
    name, data = actual
    if name in OBSERVED and set(data) == set(OBSERVED[name]):
        if name == gate and (holds(when, data) if when else data == planned):
            return
        if others or any(name == other and holds(one, data) for other, one in otherwise):
            pytest.skip(f"inconclusive: step {step}: the model allows {shown(name, data)} as well")
    wanted = shown(gate, planned) + (f" with {says}" if says else "")
    pytest.fail(f"step {step}: expected {wanted}, got {shown(name, data)}")


def refuse(sut, step, gate, data, takeable=False):
    """Gives the system an input that it must refuse."""
    try:
        sut.send(gate, data)
    except Refused:
        return
    if takeable:
        pytest.skip(f"inconclusive: step {step}: the model may take {shown(gate, data)} here")
    pytest.fail(f"step {step}: expected {shown(gate, data)} to be refused, and it was taken")
"#;

const ADAPTER_LOCKSTEP: &str = r#""""How tests reach the system: MODEL. Written once, never overwritten; it is yours to fill in."""


class Refused(Exception):
    """The system refuses what it is given."""


class Adapter:
    """One system, fresh for each test.

INTERFACE    """

    def __init__(self, initial=None):
        raise NotImplementedError("start the system")

    def step(self, inputs):
        """Applies inputs (a dictionary; absent is None), and returns the outputs of the same step, in the same way."""
        raise NotImplementedError

    def close(self):
        """Ends the system."""
"#;

const ADAPTER_GATES: &str = r#""""How tests reach the system: MODEL. Written once, never overwritten; it is yours to fill in."""


class Refused(Exception):
    """The system refuses what it is given."""


class Adapter:
    """One system, fresh for each test.

INTERFACE    """

    def __init__(self, initial=None):
        raise NotImplementedError("start the system")

    def send(self, gate, data):
        """Gives the system an input, returns its result if it has one; raises Refused if it is not taken."""
        raise NotImplementedError

    def receive(self):
        """The next output as (gate, data), or None if there is none for so long that there will be none."""
        raise NotImplementedError

    def close(self):
        """Ends the system."""
"#;
