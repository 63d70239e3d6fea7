//! Tests in Rust, for cargo. They have a type of values of their own, so that an adapter needs no library.
//!
//! Cargo has no way to skip a running test: an inconclusive one says so on its output, and ends.

use super::form::{Condition, Datum, Form, Kind, Literal, Step, Test};
use super::syntax::{Syntax, quoted, remark};
use super::{Files, about, stem};

struct Rust;

fn text(text: &str) -> String {
    quoted(text, &|c| format!("\\u{{{:x}}}", u32::from(c)))
}

impl Rust {
    fn each(&self, values: &[Literal]) -> Vec<String> {
        values.iter().map(|value| self.literal(value)).collect()
    }

    fn data(&self, data: &[Datum]) -> String {
        let pairs: Vec<String> =
            data.iter().map(|one| format!("({}, {})", text(&one.name), self.expr(&one.value))).collect();
        format!("data(&[{}])", pairs.join(", "))
    }
}

/// Whether a number has room in 128 bits.
fn is_short(digits: &str) -> bool {
    digits.parse::<i128>().is_ok()
}

impl Syntax for Rust {
    fn literal(&self, value: &Literal) -> String {
        match value {
            Literal::Absent => "Value::Absent".to_owned(),
            Literal::Bool { value } => format!("Value::Bool({value})"),
            Literal::Int { digits } if is_short(digits) => format!("int({digits})"),
            Literal::Int { digits } => format!("Value::Digits({}.to_owned())", text(digits)),
            Literal::Real { numerator, denominator } if is_short(numerator) && is_short(denominator) => {
                format!("Value::Real({numerator}, {denominator})")
            }
            Literal::Real { numerator, denominator } => {
                format!("Value::Digits({}.to_owned())", text(&format!("{numerator}/{denominator}")))
            }
            Literal::Text { value } => format!("word({})", text(value)),
            Literal::Enum { name } => format!("word({})", text(name)),
            Literal::Made { name, args } => self.made(name, None, self.each(args)),
            Literal::Record { fields, .. } => {
                let fields: Vec<String> =
                    fields.iter().map(|(k, v)| format!("({}, {})", text(k), self.literal(v))).collect();
                format!("Value::Record(data(&[{}]))", fields.join(", "))
            }
            Literal::List { elements } => self.list(self.each(elements)),
            Literal::Set { elements } => format!("Value::Set(vec![{}])", self.each(elements).join(", ")),
            Literal::Map { pairs } => {
                let pairs = pairs.iter().map(|(k, v)| format!("({}, {})", self.literal(k), self.literal(v)));
                format!("Value::Map(vec![{}])", pairs.collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn seen(&self, variable: Option<&str>, name: &str, path: &[String]) -> String {
        let fields: String = path.iter().map(|field| format!(".field({})", text(field))).collect();
        format!("get(&{}, {}){fields}", variable.unwrap_or("e"), text(name)).replace("get(&e,", "get(e,")
    }

    fn made(&self, name: &str, fields: Option<&[String]>, args: Vec<String>) -> String {
        match fields {
            Some(fields) => {
                let fields: Vec<String> = fields.iter().zip(args).map(|(k, v)| format!("({}, {v})", text(k))).collect();
                format!("Value::Record(data(&[{}]))", fields.join(", "))
            }
            None => format!("Value::Made({}.to_owned(), vec![{}])", text(name), args.join(", ")),
        }
    }

    fn list(&self, args: Vec<String>) -> String {
        format!("Value::List(vec![{}])", args.join(", "))
    }

    fn sum(&self, args: Vec<String>) -> String {
        format!("plus(&[{}])", args.join(", "))
    }

    fn product(&self, args: Vec<String>) -> String {
        format!("times(&[{}])", args.join(", "))
    }
}

/// A condition: what is a value must be true.
fn truth(condition: &Condition) -> String {
    use super::form::Expr;
    fn of(expr: &Expr) -> String {
        let each = |args: &[Expr], between: &str| {
            let part = |arg: &Expr| match arg {
                Expr::And { .. } | Expr::Or { .. } => format!("({})", of(arg)),
                _ => of(arg),
            };
            args.iter().map(part).collect::<Vec<_>>().join(between)
        };
        match expr {
            Expr::Value { value: Literal::Bool { value } } => value.to_string(),
            Expr::And { args } => each(args, " && "),
            Expr::Or { args } => each(args, " || "),
            Expr::Not { args } => format!("!({})", of(&args[0])),
            Expr::Compare { by, args } => {
                let side = |arg: &Expr| match arg {
                    Expr::And { .. } | Expr::Or { .. } | Expr::Not { .. } | Expr::Compare { .. } => {
                        format!("Value::Bool({})", of(arg))
                    }
                    _ => Rust.expr(arg),
                };
                format!("{} {by} {}", side(&args[0]), side(&args[1]))
            }
            other => format!("{} == Value::Bool(true)", Rust.expr(other)),
        }
    }
    of(&condition.expr)
}

/// Words that are no names in Rust.
const RESERVED: [&str; 52] = [
    "as", "break", "const", "continue", "crate", "else", "enum", "extern", "false", "fn", "for", "if", "impl", "in",
    "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self", "static", "struct", "super", "trait",
    "true", "type", "unsafe", "use", "where", "while", "async", "await", "dyn", "abstract", "become", "box", "do",
    "final", "macro", "override", "priv", "typeof", "unsized", "virtual", "yield", "try", "gen", "main",
];

/// Names that the file itself has.
const OWN: [&str; 17] = [
    "get", "int", "word", "data", "plus", "times", "combined", "shown", "judge", "send", "expect", "tick", "refuse",
    "meets", "run", "wanted", "e",
];

fn function_name(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let is_taken = RESERVED.contains(&name.as_str()) || OWN.contains(&name.as_str());
    if is_taken { format!("{name}_") } else { name }
}

/// The tests, and the adapter.
pub(super) fn files(form: &Form) -> Files {
    let stem = stem(&form.model);
    let adapter = if form.style == "lockstep" { ADAPTER_LOCKSTEP } else { ADAPTER_GATES };
    let interface: String = super::interface(form).iter().map(|line| format!("//! {}\n", remark(line))).collect();
    let adapter = adapter.replace("MODEL", &form.model).replace("INTERFACE\n", &interface);
    let (tests_file, adapter_file) = (format!("{stem}.rs"), format!("{stem}_adapter/mod.rs"));
    Files { tests: (tests_file, tests(form, &stem)), adapter: Some((adapter_file, adapter)) }
}

fn tests(form: &Form, stem: &str) -> String {
    let mut out: String = about(form).iter().map(|line| format!("//! {}\n", remark(line))).collect();
    out.push_str("#![allow(dead_code, unused_variables, clippy::all)]\n\n");
    out.push_str(&format!("mod {stem}_adapter;\n\nuse {stem}_adapter::Adapter;\n"));
    if form.style == "lockstep" {
        let names: Vec<String> = form.outputs.iter().map(|port| text(&port.name)).collect();
        out.push_str(&format!("\nconst OUTPUTS: &[&str] = &[{}];\n", names.join(", ")));
        out.push_str(VALUES);
        out.push_str(HARNESS_LOCKSTEP);
    } else {
        out.push_str("\n/// What is observed at each gate.\nconst OBSERVED: &[(&str, &[&str])] = &[\n");
        for gate in &form.gates {
            let seen = if gate.direction == "out" { &gate.params } else { &gate.results };
            let names: Vec<String> = seen.iter().map(|port| text(&port.name)).collect();
            out.push_str(&format!("    ({}, &[{}]),\n", text(&gate.name), names.join(", ")));
        }
        out.push_str("];\n");
        out.push_str(VALUES);
        out.push_str(HARNESS_GATES);
    }
    for test in &form.tests {
        out.push_str(&function(test));
    }
    out
}

fn function(test: &Test) -> String {
    let mut out = format!("\n/// {}\n", remark(&test.title));
    let lines = super::purpose_lines(test);
    if !lines.is_empty() {
        out.push_str("///\n");
    }
    lines.iter().for_each(|line| out.push_str(&format!("/// {}\n", remark(line))));
    out.push_str(&format!("#[test]\nfn {}() {{\n", function_name(&test.name)));
    out.push_str(&format!("    run({}, |sut| {{\n", Rust.data(&test.initial)));
    for step in &test.steps {
        out.push_str(&format!("        // {}: {}\n", step.number, remark(&step.text)));
        out.push_str(&call(step));
    }
    if !test.end.expr.is(true) {
        out.push_str(&format!("        meets({}, {})?;\n", truth(&test.end), text(&test.end.text)));
    }
    out.push_str("        Ok(())\n    });\n}\n");
    out
}

fn lambda(condition: &Condition) -> String {
    format!("&|e| {}", truth(condition))
}

fn call(step: &Step) -> String {
    let name = match step.kind {
        Kind::Send => "send",
        Kind::Expect => "expect",
        Kind::Tick => "tick",
        Kind::Refused => "refuse",
    };
    let mut args = vec!["sut".to_owned(), step.number.to_string()];
    args.extend(step.gate.as_deref().map(text));
    if step.kind != Kind::Expect {
        args.push(Rust.data(&step.given));
    }
    if step.kind == Kind::Refused {
        args.push(truth(&step.nothing));
        return format!("        {name}({})?;\n", args.join(", "));
    }
    args.push(Rust.data(&step.observed));
    let mut rules: Vec<String> = vec![];
    if !step.is_exact {
        rules.push(format!("when: Some({})", lambda(&step.expected)));
        rules.push(format!("says: {}", text(&step.expected.text)));
    }
    if !step.fits.expr.is(true) {
        rules.push(format!("fits: {}", truth(&step.fits)));
    }
    let allowed = step.allowed.iter().map(|one| match &one.gate {
        Some(gate) => format!("({}, {})", text(gate), lambda(&one.when)),
        None => format!("(\"\", {})", lambda(&one.when)),
    });
    let allowed: Vec<String> = allowed.collect();
    if !allowed.is_empty() {
        rules.push(format!("otherwise: &[{}]", allowed.join(", ")));
    }
    if !step.is_all {
        rules.push("others: true".to_owned());
    }
    if !step.nothing.expr.is(false) {
        rules.push(format!("nothing: {}", truth(&step.nothing)));
    }
    let variable = step.variable.as_ref().map(|name| format!("let {name} = ")).unwrap_or_default();
    let line = format!("        {variable}{name}({}", args.join(", "));
    if rules.is_empty() {
        return format!("{line}, Rules::default())?;\n");
    }
    let mut out = format!("{line}, Rules {{\n");
    rules.iter().for_each(|rule| out.push_str(&format!("            {rule},\n")));
    out.push_str("            ..Rules::default()\n        })?;\n");
    out
}

const VALUES: &str = r#"
/// A value of the model. Enumerations are words.
#[derive(Clone, Debug)]
pub enum Value {
    Absent,
    Bool(bool),
    Int(i128),
    /// A numerator and a denominator above zero.
    Real(i128, i128),
    /// A number that is too long for the others.
    Digits(String),
    Text(String),
    Record(Data),
    Made(String, Vec<Value>),
    List(Vec<Value>),
    Set(Vec<Value>),
    Map(Vec<(Value, Value)>),
}

/// Values by name.
pub type Data = std::collections::BTreeMap<String, Value>;

/// The system refuses what it is given.
#[derive(Clone, Copy, Debug)]
pub struct Refused;

impl Value {
    fn fraction(&self) -> Option<(i128, i128)> {
        match self {
            Value::Int(n) => Some((*n, 1)),
            Value::Real(n, d) => Some((*n, *d)),
            _ => None,
        }
    }

    /// A field of a record.
    pub fn field(&self, name: &str) -> Value {
        match self {
            Value::Record(fields) => get(fields, name),
            _ => Value::Absent,
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        fn among<T: PartialEq>(some: &[T], all: &[T]) -> bool {
            some.iter().all(|one| all.contains(one))
        }
        match (self, other) {
            (Value::Absent, Value::Absent) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Text(a), Value::Text(b)) | (Value::Digits(a), Value::Digits(b)) => a == b,
            (Value::Record(a), Value::Record(b)) => a == b,
            (Value::Made(a, x), Value::Made(b, y)) => a == b && x == y,
            (Value::List(a), Value::List(b)) => a == b,
            (Value::Set(a), Value::Set(b)) => among(a, b) && among(b, a),
            (Value::Map(a), Value::Map(b)) => among(a, b) && among(b, a),
            _ => self.partial_cmp(other) == Some(std::cmp::Ordering::Equal),
        }
    }
}

impl PartialOrd for Value {
    /// Only numbers are below or above each other.
    fn partial_cmp(&self, other: &Value) -> Option<std::cmp::Ordering> {
        let ((a, b), (c, d)) = (self.fraction()?, other.fraction()?);
        Some(a.checked_mul(d)?.cmp(&c.checked_mul(b)?))
    }
}

/// A whole number.
pub fn int(n: i128) -> Value {
    Value::Int(n)
}

/// A text, or a name of an enumeration.
pub fn word(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// Values by name.
pub fn data(pairs: &[(&str, Value)]) -> Data {
    pairs.iter().map(|(name, value)| (name.to_string(), value.clone())).collect()
}

/// A value by its name; absent if there is none.
pub fn get(data: &Data, name: &str) -> Value {
    data.get(name).cloned().unwrap_or(Value::Absent)
}

fn combined(numbers: &[Value], f: fn((i128, i128), (i128, i128)) -> Option<(i128, i128)>) -> Value {
    let mut all = numbers.iter().map(Value::fraction);
    let first = all.next().flatten();
    match all.fold(first, |so_far, next| f(so_far?, next?)) {
        Some((n, 1)) => Value::Int(n),
        Some((n, d)) => Value::Real(n, d),
        None => Value::Absent,
    }
}

fn plus(numbers: &[Value]) -> Value {
    combined(numbers, |(a, b), (c, d)| Some((a.checked_mul(d)?.checked_add(c.checked_mul(b)?)?, b.checked_mul(d)?)))
}

fn times(numbers: &[Value]) -> Value {
    combined(numbers, |(a, b), (c, d)| Some((a.checked_mul(c)?, b.checked_mul(d)?)))
}

fn shown(name: &str, data: &Data) -> String {
    fn plain(value: &Value) -> String {
        match value {
            Value::Absent => "absent".to_owned(),
            Value::Bool(value) => value.to_string(),
            Value::Int(n) => n.to_string(),
            Value::Real(n, d) => format!("{n}/{d}"),
            Value::Digits(text) => text.clone(),
            Value::Text(text) => format!("{text:?}"),
            other => format!("{other:?}"),
        }
    }
    let parts: Vec<String> = data.iter().map(|(name, value)| format!("{name}={}", plain(value))).collect();
    format!("{name}({})", parts.join(", "))
}

type Rule<'a> = &'a dyn Fn(&Data) -> bool;

/// What is as planned, and what the model allows instead.
struct Rules<'a> {
    when: Option<Rule<'a>>,
    says: &'a str,
    fits: bool,
    otherwise: &'a [(&'a str, Rule<'a>)],
    others: bool,
    nothing: bool,
}

impl Default for Rules<'_> {
    fn default() -> Self {
        Rules { when: None, says: "", fits: true, otherwise: &[], others: false, nothing: false }
    }
}

/// The model allows what was seen, but it is not what was planned: no verdict.
struct Inconclusive(String);

/// Runs a test with a fresh system. Cargo cannot skip a running test: an inconclusive one says so, and ends.
fn run(initial: Data, test: impl FnOnce(&mut Adapter) -> Result<(), Inconclusive>) {
    if let Err(Inconclusive(why)) = test(&mut Adapter::start(initial)) {
        println!("inconclusive: {why}");
    }
}

fn meets(holds: bool, says: &str) -> Result<(), Inconclusive> {
    match holds {
        true => Ok(()),
        false => Err(Inconclusive(format!("the system did nothing wrong, but the purpose needs {says}"))),
    }
}

fn wanted(name: &str, planned: &Data, rules: &Rules<'_>) -> String {
    let with = if rules.says.is_empty() { String::new() } else { format!(" with {}", rules.says) };
    format!("{}{with}", shown(name, planned))
}
"#;

const HARNESS_LOCKSTEP: &str = r#"
/// Applies inputs, and judges the outputs.
fn tick(sut: &mut Adapter, step: usize, inputs: Data, planned: Data, rules: Rules<'_>) -> Result<Data, Inconclusive> {
    let Ok(actual) = sut.step(&inputs) else {
        panic!("step {step}: expected {} to be taken, and it was refused", shown("inputs", &inputs));
    };
    let seen: Data = OUTPUTS.iter().map(|name| (name.to_string(), get(&actual, name))).collect();
    if actual.keys().all(|name| OUTPUTS.contains(&name.as_str())) {
        if rules.when.map_or(seen == planned, |when| when(&seen)) {
            return Ok(seen);
        }
        if rules.others || rules.otherwise.iter().any(|(_, one)| one(&seen)) {
            return Err(Inconclusive(format!("step {step}: the model allows {} as well", shown("outputs", &seen))));
        }
    }
    let (inputs, expected) = (shown("inputs", &inputs), wanted("outputs", &planned, &rules));
    panic!("step {step}: on {inputs} expected {expected}, got {}", shown("outputs", &actual))
}

/// Applies inputs that must be refused.
fn refuse(sut: &mut Adapter, step: usize, inputs: Data, takeable: bool) -> Result<(), Inconclusive> {
    match sut.step(&inputs) {
        Err(Refused) => Ok(()),
        Ok(_) if takeable => {
            Err(Inconclusive(format!("step {step}: the model may take {} here", shown("inputs", &inputs))))
        }
        Ok(_) => panic!("step {step}: expected {} to be refused, and it was taken", shown("inputs", &inputs)),
    }
}
"#;

const HARNESS_GATES: &str = r#"
/// Gives the system an input, and judges its result if it has one.
fn send(
    sut: &mut Adapter,
    step: usize,
    gate: &str,
    data: Data,
    planned: Data,
    rules: Rules<'_>,
) -> Result<Data, Inconclusive> {
    if !rules.fits {
        return Err(Inconclusive(format!("step {step}: {} does not fit what the system chose before", shown(gate, &data))));
    }
    match sut.send(gate, &data) {
        Err(Refused) if rules.nothing => {
            Err(Inconclusive(format!("step {step}: the model may refuse {} here", shown(gate, &data))))
        }
        Err(Refused) => panic!("step {step}: expected {} to be taken, and it was refused", shown(gate, &data)),
        Ok(_) if planned.is_empty() => Ok(Data::new()),
        Ok(result) => judge(step, gate, planned, rules, gate, result),
    }
}

/// Waits for an output, and judges it.
fn expect(sut: &mut Adapter, step: usize, gate: &str, planned: Data, rules: Rules<'_>) -> Result<Data, Inconclusive> {
    match sut.receive() {
        None if rules.nothing => Err(Inconclusive(format!("step {step}: the model may say nothing here"))),
        None => panic!("step {step}: expected {}, got no output", wanted(gate, &planned, &rules)),
        Some((name, data)) => judge(step, gate, planned, rules, &name, data),
    }
}

fn judge(
    step: usize,
    gate: &str,
    planned: Data,
    rules: Rules<'_>,
    name: &str,
    data: Data,
) -> Result<Data, Inconclusive> {
    let names = OBSERVED.iter().find(|(known, _)| *known == name).map(|(_, names)| *names);
    if names.is_some_and(|names| names.len() == data.len() && names.iter().all(|one| data.contains_key(*one))) {
        if name == gate && rules.when.map_or(data == planned, |when| when(&data)) {
            return Ok(data);
        }
        if rules.others || rules.otherwise.iter().any(|(other, one)| *other == name && one(&data)) {
            return Err(Inconclusive(format!("step {step}: the model allows {} as well", shown(name, &data))));
        }
    }
    panic!("step {step}: expected {}, got {}", wanted(gate, &planned, &rules), shown(name, &data))
}

/// Gives the system an input that it must refuse.
fn refuse(sut: &mut Adapter, step: usize, gate: &str, data: Data, takeable: bool) -> Result<(), Inconclusive> {
    match sut.send(gate, &data) {
        Err(Refused) => Ok(()),
        Ok(_) if takeable => {
            Err(Inconclusive(format!("step {step}: the model may take {} here", shown(gate, &data))))
        }
        Ok(_) => panic!("step {step}: expected {} to be refused, and it was taken", shown(gate, &data)),
    }
}
"#;

const ADAPTER_LOCKSTEP: &str = r#"//! How tests reach the system: MODEL. Written once, never overwritten; it is yours to fill in.
//!
INTERFACE

use super::{Data, Refused, Value};

/// One system, fresh for each test. It ends when it is dropped.
pub struct Adapter {}

impl Adapter {
    /// Starts the system.
    pub fn start(initial: Data) -> Adapter {
        unimplemented!("start the system")
    }

    /// Applies inputs, and returns the outputs of the same step. What is not there is absent.
    pub fn step(&mut self, inputs: &Data) -> Result<Data, Refused> {
        unimplemented!()
    }
}
"#;

const ADAPTER_GATES: &str = r#"//! How tests reach the system: MODEL. Written once, never overwritten; it is yours to fill in.
//!
INTERFACE

use super::{Data, Refused, Value};

/// One system, fresh for each test. It ends when it is dropped.
pub struct Adapter {}

impl Adapter {
    /// Starts the system.
    pub fn start(initial: Data) -> Adapter {
        unimplemented!("start the system")
    }

    /// Gives the system an input, and returns its results by name.
    pub fn send(&mut self, gate: &str, data: &Data) -> Result<Data, Refused> {
        unimplemented!()
    }

    /// The next output: its gate and its data; none if there is none for so long that there will be none.
    pub fn receive(&mut self) -> Option<(String, Data)> {
        unimplemented!()
    }
}
"#;
