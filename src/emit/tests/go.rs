//! Tests in Go, for `go test`.
//!
//! Data is a map by name. Whole and rational numbers are `*big.Rat`, constructors slices that begin with a `Tag`, sets and maps slices of members and
//! pairs.

use super::form::{Condition, Datum, Expr, Form, Kind, Literal, Step, Test};
use super::syntax::{Syntax, quoted, remark};
use super::{Files, about, stem};

struct Go;

fn text(text: &str) -> String {
    quoted(text, &|c| match u32::from(c) {
        code @ 0..=0xffff => format!("\\u{code:04x}"),
        code => format!("\\U{code:08x}"),
    })
}

impl Go {
    fn each(&self, values: &[Literal]) -> Vec<String> {
        values.iter().map(|value| self.literal(value)).collect()
    }

    fn data(&self, data: &[Datum]) -> String {
        let pairs: Vec<String> =
            data.iter().map(|one| format!("{}: {}", text(&one.name), self.expr(&one.value))).collect();
        format!("Data{{{}}}", pairs.join(", "))
    }
}

impl Syntax for Go {
    fn literal(&self, value: &Literal) -> String {
        match value {
            Literal::Absent => "nil".to_owned(),
            Literal::Bool { value } => value.to_string(),
            Literal::Int { digits } => format!("num({})", text(digits)),
            Literal::Real { numerator, denominator } => format!("num({})", text(&format!("{numerator}/{denominator}"))),
            Literal::Text { value } => text(value),
            Literal::Enum { name } => text(name),
            Literal::Made { name, args } => self.made(name, None, self.each(args)),
            Literal::Record { fields, .. } => {
                let fields: Vec<String> =
                    fields.iter().map(|(k, v)| format!("{}: {}", text(k), self.literal(v))).collect();
                format!("Data{{{}}}", fields.join(", "))
            }
            Literal::List { elements } => self.list(self.each(elements)),
            Literal::Set { elements } => format!("Set{{{}}}", self.each(elements).join(", ")),
            Literal::Map { pairs } => {
                let pairs = pairs.iter().map(|(k, v)| format!("[]any{{{}, {}}}", self.literal(k), self.literal(v)));
                format!("Set{{{}}}", pairs.collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn seen(&self, variable: Option<&str>, name: &str, path: &[String]) -> String {
        let path: String = path.iter().map(|field| format!(", {}", text(field))).collect();
        format!("get({}, {}{path})", variable.unwrap_or("e"), text(name))
    }

    fn made(&self, name: &str, fields: Option<&[String]>, args: Vec<String>) -> String {
        match fields {
            Some(fields) => {
                let fields: Vec<String> = fields.iter().zip(args).map(|(k, v)| format!("{}: {v}", text(k))).collect();
                format!("Data{{{}}}", fields.join(", "))
            }
            None => {
                let parts: Vec<String> = std::iter::once(format!("Tag({})", text(name))).chain(args).collect();
                self.list(parts)
            }
        }
    }

    fn list(&self, args: Vec<String>) -> String {
        format!("[]any{{{}}}", args.join(", "))
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
            _ => format!("compare({a}, {b}) {by} 0"),
        }
    }
}

/// A condition: an observed truth value may be anything.
fn truth(expr: &Expr) -> String {
    let each = |args: &[Expr], between: &str| {
        let part = |arg: &Expr| match arg {
            Expr::And { .. } | Expr::Or { .. } => format!("({})", truth(arg)),
            _ => truth(arg),
        };
        args.iter().map(part).collect::<Vec<_>>().join(between)
    };
    match expr {
        Expr::Value { .. } | Expr::Compare { .. } => Go.expr(expr),
        Expr::And { args } => each(args, " && "),
        Expr::Or { args } => each(args, " || "),
        Expr::Not { args } => format!("!({})", truth(&args[0])),
        other => format!("same({}, true)", Go.expr(other)),
    }
}

/// `order_2` as `Order2`.
fn camel(name: &str) -> String {
    let part = |part: &str| {
        let mut chars = part.chars();
        chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect::<String>()
    };
    // Two words that differ in `_` only stay different.
    name.split('_').map(part).collect::<Vec<_>>().join("_")
}

/// The tests, and the adapter.
pub(super) fn files(form: &Form) -> Files {
    let stem = stem(&form.model);
    let package = stem.replace('_', "");
    let is_lockstep = form.style == "lockstep";
    let adapter = if is_lockstep { ADAPTER_LOCKSTEP } else { ADAPTER_GATES };
    let interface: String = super::interface(form).iter().map(|line| format!("// {}\n", remark(line))).collect();
    let adapter = adapter.replace("PACKAGE", &package).replace("MODEL", &form.model).replace("INTERFACE\n", &interface);
    let mut out: String = about(form).iter().map(|line| format!("// {}\n", remark(line))).collect();
    out.push_str(&format!("package {package}\n"));
    out.push_str(HARNESS);
    out.push_str(if is_lockstep { HARNESS_LOCKSTEP } else { HARNESS_GATES });
    out.push_str("\n// What is observed at each gate.\nvar observed = map[string][]string{\n");
    let line = |name: &str, ports: &[super::form::Port]| {
        let names: Vec<String> = ports.iter().map(|port| text(&port.name)).collect();
        format!("\t{}: {{{}}},\n", text(name), names.join(", "))
    };
    if is_lockstep {
        out.push_str(&line("outputs", &form.outputs));
    }
    for gate in &form.gates {
        out.push_str(&line(&gate.name, if gate.direction == "out" { &gate.params } else { &gate.results }));
    }
    out.push_str("}\n");
    form.tests.iter().for_each(|test| out.push_str(&function(test)));
    Files { tests: (format!("{stem}_test.go"), out), adapter: Some((format!("{stem}_adapter_test.go"), adapter)) }
}

fn function(test: &Test) -> String {
    let mut out = format!("\n// {}\n", remark(&test.title));
    super::purpose_lines(test).iter().for_each(|line| out.push_str(&format!("// {}\n", remark(line))));
    out.push_str(&format!("func Test{}(t *testing.T) {{\n", camel(&test.name)));
    out.push_str(&format!("\tsut := start({})\n\tdefer sut.Close()\n", Go.data(&test.initial)));
    for step in &test.steps {
        out.push_str(&format!("\t// {}: {}\n{}", step.number, remark(&step.text), call(step)));
    }
    if !test.end.expr.is(true) {
        out.push_str(&format!("\tmeets(t, {}, {})\n", truth(&test.end.expr), text(&test.end.text)));
    }
    out.push_str("}\n");
    out
}

fn call(step: &Step) -> String {
    let name = match step.kind {
        Kind::Send => "send",
        Kind::Expect => "expect",
        Kind::Tick => "tick",
        Kind::Refused => "refuse",
    };
    let mut args = vec!["t".to_owned(), "sut".to_owned(), step.number.to_string()];
    args.extend(step.gate.as_deref().map(text));
    if step.kind != Kind::Expect {
        args.push(Go.data(&step.given));
    }
    if step.kind == Kind::Refused {
        args.push(truth(&step.nothing.expr));
        return format!("\t{name}({})\n", args.join(", "));
    }
    args.push(Go.data(&step.observed));
    let lambda = |condition: &Condition| format!("func(e Data) bool {{ return {} }}", truth(&condition.expr));
    let mut rules: Vec<String> = vec![];
    if !step.is_exact {
        rules.push(format!("when: {}", lambda(&step.expected)));
        rules.push(format!("says: {}", text(&step.expected.text)));
    }
    if !step.fits.expr.is(true) {
        rules.push(format!("misfits: !({})", truth(&step.fits.expr)));
    }
    if !step.allowed.is_empty() {
        let allowed = step
            .allowed
            .iter()
            .map(|one| format!("{{{}, {}}}", text(one.gate.as_deref().unwrap_or("outputs")), lambda(&one.when)));
        rules.push(format!("otherwise: []allowed{{{}}}", allowed.collect::<Vec<_>>().join(", ")));
    }
    if !step.is_all {
        rules.push("others: true".to_owned());
    }
    if !step.nothing.expr.is(false) {
        rules.push(format!("nothing: {}", truth(&step.nothing.expr)));
    }
    let variable = step.variable.as_ref().map(|name| format!("{name} := ")).unwrap_or_default();
    let line = format!("\t{variable}{name}({}", args.join(", "));
    if rules.is_empty() {
        return format!("{line}, rules{{}})\n");
    }
    let rules: String = rules.iter().map(|rule| format!("\t\t{rule},\n")).collect();
    format!("{line}, rules{{\n{rules}\t}})\n")
}

const HARNESS: &str = r#"
import (
	"errors"
	"fmt"
	"math/big"
	"sort"
	"strings"
	"testing"
)

// Values by name: nil is absent, numbers are *big.Rat (or int, int64), records are Data.
type Data map[string]any

// The members of a set, or the pairs of a map.
type Set []any

// The name of a constructor, before its arguments.
type Tag string

// The system refuses what it is given.
var errRefused = errors.New("refused")

func num(digits string) *big.Rat {
	n, ok := new(big.Rat).SetString(digits)
	if !ok {
		panic("not a number: " + digits)
	}
	return n
}

func rat(value any) *big.Rat {
	switch n := value.(type) {
	case *big.Rat:
		return n
	case *big.Int:
		return new(big.Rat).SetInt(n)
	case int:
		return big.NewRat(int64(n), 1)
	case int64:
		return big.NewRat(n, 1)
	}
	return nil
}

func get(data any, path ...string) any {
	for _, name := range path {
		data = data.(Data)[name]
	}
	return data
}

func compare(a, b any) int { return rat(a).Cmp(rat(b)) }

func plus(numbers ...any) any {
	out := new(big.Rat)
	for _, n := range numbers {
		out.Add(out, rat(n))
	}
	return out
}

func times(numbers ...any) any {
	out := big.NewRat(1, 1)
	for _, n := range numbers {
		out.Mul(out, rat(n))
	}
	return out
}

func among(some, all []any) bool {
	for _, one := range some {
		found := false
		for _, other := range all {
			found = found || same(one, other)
		}
		if !found {
			return false
		}
	}
	return true
}

func same(a, b any) bool {
	if x, y := rat(a), rat(b); x != nil && y != nil {
		return x.Cmp(y) == 0
	}
	switch x := a.(type) {
	case Data:
		y, ok := b.(Data)
		if !ok || len(x) != len(y) {
			return false
		}
		for name, value := range x {
			other, there := y[name]
			if !there || !same(value, other) {
				return false
			}
		}
		return true
	case Set:
		y, ok := b.(Set)
		return ok && among(x, y) && among(y, x)
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !same(x[i], y[i]) {
				return false
			}
		}
		return true
	}
	switch b.(type) {
	case Data, Set, []any:
		return false
	}
	return a == b
}

type allowed struct {
	gate string
	when func(Data) bool
}

// What is as planned, and what the model allows instead.
type rules struct {
	when      func(Data) bool
	says      string
	misfits   bool
	otherwise []allowed
	others    bool
	nothing   bool
}

// Whether a condition holds; data of another kind than the model's meets none.
func holds(condition func(Data) bool, e Data) (result bool) {
	defer func() {
		if recover() != nil {
			result = false
		}
	}()
	return condition(e)
}

func plain(value any) string {
	if n := rat(value); n != nil {
		return n.RatString()
	}
	if text, ok := value.(string); ok {
		return fmt.Sprintf("%q", text)
	}
	if value == nil {
		return "absent"
	}
	return fmt.Sprint(value)
}

func shown(name string, data Data) string {
	parts := []string{}
	for key, value := range data {
		parts = append(parts, key+"="+plain(value))
	}
	sort.Strings(parts)
	return name + "(" + strings.Join(parts, ", ") + ")"
}

func wanted(name string, planned Data, r rules) string {
	if r.says == "" {
		return shown(name, planned)
	}
	return shown(name, planned) + " with " + r.says
}

func meets(t *testing.T, holds bool, says string) {
	t.Helper()
	if !holds {
		t.Skipf("inconclusive: the system did nothing wrong, but the purpose needs %s", says)
	}
}

func judge(t *testing.T, step int, on, gate string, planned Data, r rules, name string, data Data) Data {
	t.Helper()
	names, known := observed[name]
	complete := known && len(names) == len(data)
	for _, one := range names {
		_, there := data[one]
		complete = complete && there
	}
	if complete {
		if name == gate && (r.when == nil && same(data, planned) || r.when != nil && holds(r.when, data)) {
			return data
		}
		isAllowed := r.others
		for _, one := range r.otherwise {
			isAllowed = isAllowed || one.gate == name && holds(one.when, data)
		}
		if isAllowed {
			t.Skipf("inconclusive: step %d: the model allows %s as well", step, shown(name, data))
		}
	}
	t.Fatalf("step %d: %sexpected %s, got %s", step, on, wanted(gate, planned, r), shown(name, data))
	return nil
}
"#;

const HARNESS_LOCKSTEP: &str = r#"
// What tests need of a system.
type system interface {
	Step(inputs Data) (Data, error)
	Close()
}

func tick(t *testing.T, sut system, step int, inputs, planned Data, r rules) Data {
	t.Helper()
	actual, err := sut.Step(inputs)
	if err != nil {
		t.Fatalf("step %d: expected %s to be taken, got %v", step, shown("inputs", inputs), err)
	}
	seen := Data{}
	for _, name := range observed["outputs"] {
		seen[name] = nil
	}
	for name, value := range actual {
		seen[name] = value
	}
	return judge(t, step, "on "+shown("inputs", inputs)+" ", "outputs", planned, r, "outputs", seen)
}

func refuse(t *testing.T, sut system, step int, inputs Data, takeable bool) {
	t.Helper()
	_, err := sut.Step(inputs)
	switch {
	case errors.Is(err, errRefused):
	case err != nil:
		t.Fatal(err)
	case takeable:
		t.Skipf("inconclusive: step %d: the model may take %s here", step, shown("inputs", inputs))
	default:
		t.Fatalf("step %d: expected %s to be refused, and it was taken", step, shown("inputs", inputs))
	}
}
"#;

const HARNESS_GATES: &str = r#"
// An output.
type Event struct {
	Gate string
	Data Data
}

// What tests need of a system.
type system interface {
	Send(gate string, data Data) (Data, error)
	Receive() *Event
	Close()
}

func send(t *testing.T, sut system, step int, gate string, data, planned Data, r rules) Data {
	t.Helper()
	if r.misfits {
		t.Skipf("inconclusive: step %d: %s does not fit what the system chose before", step, shown(gate, data))
	}
	result, err := sut.Send(gate, data)
	if errors.Is(err, errRefused) && r.nothing {
		t.Skipf("inconclusive: step %d: the model may refuse %s here", step, shown(gate, data))
	}
	if err != nil {
		t.Fatalf("step %d: expected %s to be taken, got %v", step, shown(gate, data), err)
	}
	if len(planned) == 0 {
		return planned
	}
	return judge(t, step, "", gate, planned, r, gate, result)
}

func expect(t *testing.T, sut system, step int, gate string, planned Data, r rules) Data {
	t.Helper()
	actual := sut.Receive()
	if actual == nil {
		if r.nothing {
			t.Skipf("inconclusive: step %d: the model may say nothing here", step)
		}
		t.Fatalf("step %d: expected %s, got no output", step, wanted(gate, planned, r))
	}
	return judge(t, step, "", gate, planned, r, actual.Gate, actual.Data)
}

func refuse(t *testing.T, sut system, step int, gate string, data Data, takeable bool) {
	t.Helper()
	_, err := sut.Send(gate, data)
	switch {
	case errors.Is(err, errRefused):
	case err != nil:
		t.Fatal(err)
	case takeable:
		t.Skipf("inconclusive: step %d: the model may take %s here", step, shown(gate, data))
	default:
		t.Fatalf("step %d: expected %s to be refused, and it was taken", step, shown(gate, data))
	}
}
"#;

const ADAPTER_LOCKSTEP: &str = r#"// How tests reach the system: MODEL. Written once, never overwritten; it is yours to fill in.
INTERFACE
package PACKAGE

// One system, fresh for each test.
type adapter struct{}

func start(initial Data) system {
	panic("start the system")
}

// Step applies inputs, and returns the outputs of the same step; nil is absent. The error is errRefused if they are refused.
func (a *adapter) Step(inputs Data) (Data, error) {
	panic("to be filled in")
}

// Close ends the system.
func (a *adapter) Close() {}
"#;

const ADAPTER_GATES: &str = r#"// How tests reach the system: MODEL. Written once, never overwritten; it is yours to fill in.
INTERFACE
package PACKAGE

// One system, fresh for each test.
type adapter struct{}

func start(initial Data) system {
	panic("start the system")
}

// Send gives the system an input, and returns its results by name. The error is errRefused if it is not taken.
func (a *adapter) Send(gate string, data Data) (Data, error) {
	panic("to be filled in")
}

// Receive returns the next output, or nil if there is none for so long that there will be none.
func (a *adapter) Receive() *Event {
	panic("to be filled in")
}

// Close ends the system.
func (a *adapter) Close() {}
"#;
