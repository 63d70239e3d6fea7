//! Tests in JavaScript, for vitest.
//!
//! Whole numbers beyond 2^53 are `BigInt`s, rational numbers the nearest number, constructors objects with `tag` and `args`.

use super::form::{Condition, Datum, Form, Kind, Literal, Step, Test};
use super::syntax::{Syntax, quoted, remark, utf16_escape};
use super::{Files, about, stem};

struct JavaScript;

fn text(text: &str) -> String {
    quoted(text, &utf16_escape)
}

/// A key of an object; one that has a meaning of its own is computed.
fn key(name: &str) -> String {
    if name == "__proto__" { format!("[{}]", text(name)) } else { text(name) }
}

/// Whole numbers that are written as they are.
const MAX_DIGITS: usize = 15;

impl JavaScript {
    fn each(&self, values: &[Literal]) -> Vec<String> {
        values.iter().map(|value| self.literal(value)).collect()
    }

    fn object(&self, data: &[Datum]) -> String {
        let pairs: Vec<String> =
            data.iter().map(|one| format!("{}: {}", key(&one.name), self.expr(&one.value))).collect();
        braced(&pairs)
    }
}

fn braced(pairs: &[String]) -> String {
    if pairs.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", pairs.join(", ")) }
}

impl Syntax for JavaScript {
    fn literal(&self, value: &Literal) -> String {
        match value {
            Literal::Absent => "null".to_owned(),
            Literal::Bool { value } => value.to_string(),
            Literal::Int { digits } if digits.trim_start_matches('-').len() <= MAX_DIGITS => digits.clone(),
            Literal::Int { digits } => format!("{digits}n"),
            Literal::Real { numerator, denominator } if denominator == "1" => numerator.clone(),
            Literal::Real { numerator, denominator } => format!("({numerator} / {denominator})"),
            Literal::Text { value } => text(value),
            Literal::Enum { name } => text(name),
            Literal::Made { name, args } => self.made(name, None, self.each(args)),
            Literal::Record { fields, .. } => {
                braced(&fields.iter().map(|(k, v)| format!("{}: {}", key(k), self.literal(v))).collect::<Vec<_>>())
            }
            Literal::List { elements } => self.list(self.each(elements)),
            Literal::Set { elements } => format!("new Set([{}])", self.each(elements).join(", ")),
            Literal::Map { pairs } => {
                let pairs = pairs.iter().map(|(k, v)| format!("[{}, {}]", self.literal(k), self.literal(v)));
                format!("new Map([{}])", pairs.collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn seen(&self, variable: Option<&str>, name: &str, path: &[String]) -> String {
        let fields = std::iter::once(name).chain(path.iter().map(String::as_str));
        let is_plain = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let field = |field: &str| match is_plain(field) && !field.starts_with(|c: char| c.is_ascii_digit()) {
            true => format!(".{field}"),
            false => format!("[{}]", text(field)),
        };
        format!("{}{}", variable.unwrap_or("e"), fields.map(field).collect::<String>())
    }

    fn made(&self, name: &str, fields: Option<&[String]>, args: Vec<String>) -> String {
        match fields {
            Some(fields) => {
                braced(&fields.iter().zip(args).map(|(k, v)| format!("{}: {v}", key(k))).collect::<Vec<_>>())
            }
            None => format!("{{ tag: {}, args: [{}] }}", text(name), args.join(", ")),
        }
    }

    fn sum(&self, args: Vec<String>) -> String {
        format!("plus({})", args.join(", "))
    }

    fn product(&self, args: Vec<String>) -> String {
        format!("times({})", args.join(", "))
    }

    fn compare(&self, by: &str, a: String, b: String) -> String {
        match by {
            "==" => format!("same({a}, {b})"),
            "!=" => format!("!same({a}, {b})"),
            _ => format!("{a} {by} {b}"),
        }
    }
}

/// The tests, and the adapter.
pub(super) fn files(form: &Form) -> Files {
    let stem = stem(&form.model);
    let adapter = if form.style == "lockstep" { ADAPTER_LOCKSTEP } else { ADAPTER_GATES };
    let interface: String = super::interface(form).iter().map(|line| format!("// {}\n", remark(line))).collect();
    let adapter = adapter.replace("MODEL", &form.model).replace("INTERFACE\n", &interface);
    Files {
        tests: (format!("{stem}.test.js"), tests(form, &stem)),
        adapter: Some((format!("{stem}.adapter.js"), adapter)),
    }
}

fn tests(form: &Form, stem: &str) -> String {
    let mut out: String = about(form).iter().map(|line| format!("// {}\n", remark(line))).collect();
    out.push_str("import { expect as assert, test } from \"vitest\";\n");
    out.push_str(&format!("import {{ Adapter, Refused }} from \"./{stem}.adapter.js\";\n\n"));
    if form.style == "lockstep" {
        let names: Vec<String> = form.outputs.iter().map(|port| text(&port.name)).collect();
        out.push_str(&format!("const OUTPUTS = [{}];\n", names.join(", ")));
        out.push_str(HARNESS);
        out.push_str(HARNESS_LOCKSTEP);
    } else {
        out.push_str("// What is observed at each gate.\nconst OBSERVED = {\n");
        for gate in &form.gates {
            let seen = if gate.direction == "out" { &gate.params } else { &gate.results };
            let names: Vec<String> = seen.iter().map(|port| text(&port.name)).collect();
            out.push_str(&format!("  {}: [{}],\n", key(&gate.name), names.join(", ")));
        }
        out.push_str("};\n");
        out.push_str(HARNESS);
        out.push_str(HARNESS_GATES);
    }
    for test in &form.tests {
        out.push_str(&function(form, test));
    }
    out
}

fn function(form: &Form, test: &Test) -> String {
    let mut out = String::from("\n");
    super::purpose_lines(test).iter().for_each(|line| out.push_str(&format!("// {}\n", remark(line))));
    out.push_str(&format!("test({}, async (ctx) => {{\n", text(&test.title)));
    let initial = if form.initial.is_empty() { String::new() } else { JavaScript.object(&test.initial) };
    out.push_str(&format!("  const sut = new Adapter({initial});\n  try {{\n"));
    for step in &test.steps {
        out.push_str(&format!("    // {}: {}\n", step.number, remark(&step.text)));
        out.push_str(&call(step));
    }
    if !test.end.expr.is(true) {
        out.push_str(&format!("    meets(ctx, {}, {});\n", JavaScript.expr(&test.end.expr), text(&test.end.text)));
    }
    out.push_str("  } finally {\n    await sut.close();\n  }\n});\n");
    out
}

fn lambda(condition: &Condition) -> String {
    let body = JavaScript.expr(&condition.expr);
    format!("(e) => {body}")
}

fn call(step: &Step) -> String {
    let (name, lenient) = match step.kind {
        Kind::Send => ("send", "refusable"),
        Kind::Expect => ("expect", "silence"),
        Kind::Tick => ("tick", "refusable"),
        Kind::Refused => ("refuse", "takeable"),
    };
    let mut args = vec!["ctx".to_owned(), "sut".to_owned(), step.number.to_string()];
    args.extend(step.gate.as_deref().map(text));
    if step.kind != Kind::Expect {
        args.push(JavaScript.object(&step.given));
    }
    if step.kind != Kind::Refused {
        args.push(JavaScript.object(&step.observed));
    }
    let mut options: Vec<String> = vec![];
    if !step.is_exact {
        options.push(format!("when: {}", lambda(&step.expected)));
        options.push(format!("says: {}", text(&step.expected.text)));
    }
    if !step.fits.expr.is(true) {
        options.push(format!("fits: {}", JavaScript.expr(&step.fits.expr)));
    }
    let allowed = step.allowed.iter().map(|one| match &one.gate {
        Some(gate) => format!("[{}, {}]", text(gate), lambda(&one.when)),
        None => lambda(&one.when),
    });
    let allowed: Vec<String> = allowed.collect();
    if !allowed.is_empty() {
        options.push(format!("otherwise: [{}]", allowed.join(", ")));
    }
    if !step.is_all && (!step.observed.is_empty() || step.kind == Kind::Expect) {
        options.push("others: true".to_owned());
    }
    if !step.nothing.expr.is(false) {
        options.push(format!("{lenient}: {}", JavaScript.expr(&step.nothing.expr)));
    }
    let variable = step.variable.as_ref().map(|name| format!("const {name} = ")).unwrap_or_default();
    let mut line = format!("    {variable}await {name}({}", args.join(", "));
    if options.is_empty() {
        return format!("{line});\n");
    }
    let short = format!("{line}, {{ {} }});\n", options.join(", "));
    if short.len() <= 110 {
        return short;
    }
    line.push_str(", {\n");
    options.iter().for_each(|option| line.push_str(&format!("      {option},\n")));
    line.push_str("    });\n");
    line
}

const HARNESS: &str = r#"
// Whether two values are equal, part by part.
function same(a, b) {
  if (typeof a === "bigint" || typeof b === "bigint") return typeof a !== "string" && typeof b !== "string" && a == b;
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return Object.is(a, b) || a === b;
  if (a instanceof Set && b instanceof Set) return among([...a], [...b]) && among([...b], [...a]);
  if (a instanceof Map && b instanceof Map) return among([...a], [...b]) && among([...b], [...a]);
  if (Array.isArray(a) !== Array.isArray(b) || a instanceof Set || b instanceof Set || a instanceof Map || b instanceof Map) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
}

function among(some, all) {
  return some.every((one) => all.some((other) => same(one, other)));
}

// Numbers of both kinds together: whole numbers stay exact.
function plus(...numbers) {
  return numbers.some((n) => typeof n === "bigint")
    ? numbers.reduce((a, b) => a + BigInt(b), 0n)
    : numbers.reduce((a, b) => a + b, 0);
}

function times(...numbers) {
  return numbers.some((n) => typeof n === "bigint")
    ? numbers.reduce((a, b) => a * BigInt(b), 1n)
    : numbers.reduce((a, b) => a * b, 1);
}

// Whether a condition holds; data of another kind than the model's meets none.
function holds(condition, e) {
  try {
    return condition(e);
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return false;
    throw error;
  }
}

function plain(value) {
  if (typeof value === "bigint") return `${value}n`;
  if (value instanceof Set) return `Set(${[...value].map(plain).join(", ")})`;
  if (value instanceof Map) return `Map(${[...value].map(plain).join(", ")})`;
  if (Array.isArray(value)) return `[${value.map(plain).join(", ")}]`;
  if (value !== null && typeof value === "object") return `{${fields(value)}}`;
  return JSON.stringify(value) ?? String(value);
}

function fields(data) {
  return Object.entries(data).map(([key, value]) => `${key}=${plain(value)}`).join(", ");
}

function shown(name, data) {
  return `${name}(${fields(data)})`;
}

function meets(ctx, holds, says) {
  if (!holds) ctx.skip(`inconclusive: the system did nothing wrong, but the purpose needs ${says}`);
}
"#;

const HARNESS_LOCKSTEP: &str = r#"
// Applies inputs, and judges the outputs. Absent is null.
async function tick(ctx, sut, step, inputs, planned, { when, says, otherwise = [], others = false } = {}) {
  let actual;
  try {
    actual = (await sut.step(inputs)) ?? {};
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    assert.fail(`step ${step}: expected ${shown("inputs", inputs)} to be taken, and it was refused`);
  }
  const seen = Object.fromEntries(OUTPUTS.map((name) => [name, actual[name] ?? null]));
  if (Object.keys(actual).every((name) => OUTPUTS.includes(name))) {
    if (when ? holds(when, seen) : same(seen, planned)) return seen;
    if (others || otherwise.some((one) => holds(one, seen))) {
      ctx.skip(`inconclusive: step ${step}: the model allows ${shown("outputs", seen)} as well`);
    }
  }
  const wanted = shown("outputs", planned) + (says ? ` with ${says}` : "");
  assert.fail(`step ${step}: on ${shown("inputs", inputs)} expected ${wanted}, got ${shown("outputs", actual)}`);
}

// Applies inputs that must be refused.
async function refuse(ctx, sut, step, inputs, { takeable = false } = {}) {
  try {
    await sut.step(inputs);
  } catch (error) {
    if (error instanceof Refused) return;
    throw error;
  }
  if (takeable) ctx.skip(`inconclusive: step ${step}: the model may take ${shown("inputs", inputs)} here`);
  assert.fail(`step ${step}: expected ${shown("inputs", inputs)} to be refused, and it was taken`);
}
"#;

const HARNESS_GATES: &str = r#"
// Gives the system an input, and judges its result if it has one.
async function send(ctx, sut, step, gate, data, planned, options = {}) {
  const { fits = true, refusable = false } = options;
  if (!fits) ctx.skip(`inconclusive: step ${step}: ${shown(gate, data)} does not fit what the system chose before`);
  let result;
  try {
    result = await sut.send(gate, data);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (refusable) ctx.skip(`inconclusive: step ${step}: the model may refuse ${shown(gate, data)} here`);
    assert.fail(`step ${step}: expected ${shown(gate, data)} to be taken, and it was refused`);
  }
  const names = Object.keys(planned);
  if (names.length === 0) return {};
  const seen = names.length === 1 ? { [names[0]]: result } : result;
  judge(ctx, step, gate, planned, options, gate, seen);
  return seen;
}

// Waits for an output, and judges it.
async function expect(ctx, sut, step, gate, planned, options = {}) {
  const actual = await sut.receive();
  if (actual === null || actual === undefined) {
    if (options.silence) ctx.skip(`inconclusive: step ${step}: the model may say nothing here`);
    assert.fail(`step ${step}: expected ${wanted(gate, planned, options)}, got no output`);
  }
  const data = actual.data ?? {};
  judge(ctx, step, gate, planned, options, actual.gate, data);
  return data;
}

function wanted(gate, planned, { says }) {
  return shown(gate, planned) + (says ? ` with ${says}` : "");
}

function judge(ctx, step, gate, planned, options, name, data) {
  const { when, otherwise = [], others = false } = options;
  const names = Object.hasOwn(OBSERVED, name) ? OBSERVED[name] : undefined;
  if (names && Object.keys(data).length === names.length && names.every((one) => Object.hasOwn(data, one))) {
    if (name === gate && (when ? holds(when, data) : same(data, planned))) return;
    if (others || otherwise.some(([other, one]) => other === name && holds(one, data))) {
      ctx.skip(`inconclusive: step ${step}: the model allows ${shown(name, data)} as well`);
    }
  }
  assert.fail(`step ${step}: expected ${wanted(gate, planned, options)}, got ${shown(name, data)}`);
}

// Gives the system an input that it must refuse.
async function refuse(ctx, sut, step, gate, data, { takeable = false } = {}) {
  try {
    await sut.send(gate, data);
  } catch (error) {
    if (error instanceof Refused) return;
    throw error;
  }
  if (takeable) ctx.skip(`inconclusive: step ${step}: the model may take ${shown(gate, data)} here`);
  assert.fail(`step ${step}: expected ${shown(gate, data)} to be refused, and it was taken`);
}
"#;

const ADAPTER_LOCKSTEP: &str = r#"// How tests reach the system: MODEL. Written once, never overwritten; it is yours to fill in.
INTERFACE

// The system refuses what it is given.
export class Refused extends Error {}

// One system, fresh for each test. Methods may be async.
export class Adapter {
  constructor(initial) {
    throw new Error("start the system");
  }

  // Applies inputs (an object; absent is null), and returns the outputs of the same step, in the same way.
  step(inputs) {}

  // Ends the system.
  close() {}
}
"#;

const ADAPTER_GATES: &str = r#"// How tests reach the system: MODEL. Written once, never overwritten; it is yours to fill in.
INTERFACE

// The system refuses what it is given.
export class Refused extends Error {}

// One system, fresh for each test. Methods may be async.
export class Adapter {
  constructor(initial) {
    throw new Error("start the system");
  }

  // Gives the system an input, returns its result if it has one; throws Refused if it is not taken.
  send(gate, data) {}

  // The next output as { gate, data }, or null if there is none for so long that there will be none.
  receive() {}

  // Ends the system.
  close() {}
}
"#;
