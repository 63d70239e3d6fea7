//! Tests in Java, for JUnit 5.
//!
//! Whole numbers are `BigInteger`, rational ones `Ratio`, records and data maps, constructors lists that begin with `Tag`. One class holds everything; the
//! adapter is a class beside it.

use super::form::{Condition, Datum, Expr, Form, Kind, Literal, Step, Test};
use super::syntax::{Syntax, quoted, remark, utf16_escape};
use super::{Files, about};

struct Java;

fn text(text: &str) -> String {
    // A Unicode escape is read before anything else, so that those of line ends would end the line.
    quoted(text, &|c| match c {
        '\u{0}'..='\u{1f}' => format!("\\{:03o}", u32::from(c)),
        c => utf16_escape(c),
    })
}

impl Java {
    fn each(&self, values: &[Literal]) -> String {
        values.iter().map(|value| self.literal(value)).collect::<Vec<_>>().join(", ")
    }

    fn data(&self, data: &[Datum]) -> String {
        let pairs: Vec<String> =
            data.iter().map(|one| format!("{}, {}", text(&one.name), self.expr(&one.value))).collect();
        format!("data({})", pairs.join(", "))
    }
}

impl Syntax for Java {
    fn literal(&self, value: &Literal) -> String {
        match value {
            Literal::Absent => "null".to_owned(),
            Literal::Bool { value } => value.to_string(),
            Literal::Int { digits } if digits.parse::<i32>().is_ok() => format!("num({digits})"),
            Literal::Int { digits } => format!("num({})", text(digits)),
            Literal::Real { numerator, denominator } => {
                format!("new Ratio(new BigInteger({}), new BigInteger({}))", text(numerator), text(denominator))
            }
            Literal::Text { value } => text(value),
            Literal::Enum { name } => text(name),
            Literal::Made { name, args } => {
                let args = args.iter().map(|arg| self.literal(arg)).collect();
                self.made(name, None, args)
            }
            Literal::Record { fields, .. } => {
                let fields: Vec<String> =
                    fields.iter().map(|(k, v)| format!("{}, {}", text(k), self.literal(v))).collect();
                format!("data({})", fields.join(", "))
            }
            Literal::List { elements } => format!("List.of({})", self.each(elements)),
            Literal::Set { elements } => format!("Set.of({})", self.each(elements)),
            Literal::Map { pairs } => {
                let pairs = pairs.iter().map(|(k, v)| format!("Map.entry({}, {})", self.literal(k), self.literal(v)));
                format!("Map.ofEntries({})", pairs.collect::<Vec<_>>().join(", "))
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
                let fields: Vec<String> = fields.iter().zip(args).map(|(k, v)| format!("{}, {v}", text(k))).collect();
                format!("data({})", fields.join(", "))
            }
            None => {
                let parts: Vec<String> = std::iter::once(format!("new Tag({})", text(name))).chain(args).collect();
                format!("List.of({})", parts.join(", "))
            }
        }
    }

    fn list(&self, args: Vec<String>) -> String {
        format!("List.of({})", args.join(", "))
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

/// A condition: an observed truth value is an object.
fn truth(expr: &Expr) -> String {
    let each = |args: &[Expr], between: &str| {
        let part = |arg: &Expr| match arg {
            Expr::And { .. } | Expr::Or { .. } => format!("({})", truth(arg)),
            _ => truth(arg),
        };
        args.iter().map(part).collect::<Vec<_>>().join(between)
    };
    match expr {
        Expr::Value { .. } | Expr::Compare { .. } => Java.expr(expr),
        Expr::And { args } => each(args, " && "),
        Expr::Or { args } => each(args, " || "),
        Expr::Not { args } => format!("!({})", truth(&args[0])),
        other => format!("same({}, true)", Java.expr(other)),
    }
}

/// A name of a class.
fn class_name(model: &str) -> String {
    let word = super::of_results::word(model);
    let mut chars = word.chars();
    chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect()
}

/// The tests, and the adapter.
pub(super) fn files(form: &Form) -> Files {
    let class = class_name(&form.model);
    let is_lockstep = form.style == "lockstep";
    let adapter = if is_lockstep { ADAPTER_LOCKSTEP } else { ADAPTER_GATES };
    let interface: String = super::interface(form).iter().map(|line| format!("// {}\n", remark(line))).collect();
    let adapter = adapter.replace("CLASS", &class).replace("MODEL", &form.model).replace("INTERFACE\n", &interface);
    let mut out: String = about(form).iter().map(|line| format!("// {}\n", remark(line))).collect();
    out.push_str(&HEAD.replace("CLASS", &class));
    let seen = if is_lockstep {
        vec![("outputs".to_owned(), &form.outputs)]
    } else {
        let seen = |gate: &'_ super::form::Gate| gate.direction == "out";
        form.gates
            .iter()
            .map(|gate| (gate.name.clone(), if seen(gate) { &gate.params } else { &gate.results }))
            .collect()
    };
    let seen: Vec<String> = seen
        .iter()
        .map(|(name, ports)| {
            let names: Vec<String> = ports.iter().map(|port| text(&port.name)).collect();
            format!("Map.entry({}, Set.of({}))", text(name), names.join(", "))
        })
        .collect();
    out.push_str(&format!(
        "    // What is observed at each gate.\n    static final Map<String, Set<String>> OBSERVED = Map.ofEntries(\n            {});\n",
        seen.join(",\n            ")
    ));
    form.tests.iter().for_each(|test| out.push_str(&function(test)));
    out.push_str(&HARNESS.replace("CLASS", &class));
    out.push_str(if is_lockstep { HARNESS_LOCKSTEP } else { HARNESS_GATES });
    out.push_str("}\n");
    Files { tests: (format!("{class}Test.java"), out), adapter: Some((format!("{class}Adapter.java"), adapter)) }
}

fn function(test: &Test) -> String {
    let mut out = String::from("\n");
    super::purpose_lines(test).iter().for_each(|line| out.push_str(&format!("    // {}\n", remark(line))));
    out.push_str(&format!(
        "    @Test\n    @DisplayName({})\n    void {}_() throws Exception {{\n",
        text(&test.title),
        test.name
    ));
    out.push_str(&format!("        try (Sut sut = start({})) {{\n", Java.data(&test.initial)));
    for step in &test.steps {
        out.push_str(&format!("            // {}: {}\n{}", step.number, remark(&step.text), call(step)));
    }
    if !test.end.expr.is(true) {
        out.push_str(&format!("            meets({}, {});\n", truth(&test.end.expr), text(&test.end.text)));
    }
    out.push_str("        }\n    }\n");
    out
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
        args.push(Java.data(&step.given));
    }
    if step.kind == Kind::Refused {
        args.push(truth(&step.nothing.expr));
        return format!("            {name}({});\n", args.join(", "));
    }
    args.push(Java.data(&step.observed));
    let lambda = |condition: &Condition| format!("e -> {}", truth(&condition.expr));
    let mut rules = String::from("new Rules()");
    if !step.is_exact {
        rules.push_str(&format!("\n                .when({}, {})", text(&step.expected.text), lambda(&step.expected)));
    }
    if !step.fits.expr.is(true) {
        rules.push_str(&format!("\n                .fits({})", truth(&step.fits.expr)));
    }
    for one in &step.allowed {
        let gate = text(one.gate.as_deref().unwrap_or("outputs"));
        rules.push_str(&format!("\n                .or({gate}, {})", lambda(&one.when)));
    }
    if !step.is_all {
        rules.push_str("\n                .others()");
    }
    if !step.nothing.expr.is(false) {
        rules.push_str(&format!("\n                .nothing({})", truth(&step.nothing.expr)));
    }
    args.push(rules);
    let variable = step.variable.as_ref().map(|name| format!("Map<String, Object> {name} = ")).unwrap_or_default();
    format!("            {variable}{name}({});\n", args.join(", "))
}

const HEAD: &str = r#"
import static org.junit.jupiter.api.Assertions.fail;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CLASSTest {
"#;

const HARNESS: &str = r#"
    // The system refuses what it is given.
    static class Refused extends Exception {}

    // The name of a constructor.
    record Tag(String name) {}

    // An output.
    record Event(String gate, Map<String, Object> data) {}

    // A rational number.
    record Ratio(BigInteger numerator, BigInteger denominator) {}

    static Sut start(Map<String, Object> initial) throws Exception {
        return new CLASSAdapter(initial);
    }

    static BigInteger num(long n) {
        return BigInteger.valueOf(n);
    }

    static BigInteger num(String digits) {
        return new BigInteger(digits);
    }

    // Values by name.
    static Map<String, Object> data(Object... pairs) {
        Map<String, Object> out = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) out.put((String) pairs[i], pairs[i + 1]);
        return out;
    }

    static Object get(Object data, String... path) {
        for (String name : path) data = ((Map<?, ?>) data).get(name);
        return data;
    }

    static Ratio ratio(Object n) {
        if (n instanceof Ratio r) return r;
        if (n instanceof BigInteger i) return new Ratio(i, BigInteger.ONE);
        if (n instanceof Integer || n instanceof Long) return new Ratio(num(((Number) n).longValue()), BigInteger.ONE);
        throw new ClassCastException("not a number: " + n);
    }

    static int compare(Object a, Object b) {
        Ratio x = ratio(a), y = ratio(b);
        return x.numerator().multiply(y.denominator()).compareTo(y.numerator().multiply(x.denominator()));
    }

    static boolean isNumber(Object n) {
        return n instanceof Ratio || n instanceof BigInteger || n instanceof Integer || n instanceof Long;
    }

    static boolean same(Object a, Object b) {
        if (isNumber(a) && isNumber(b)) return compare(a, b) == 0;
        if (a instanceof List<?> x && b instanceof List<?> y) {
            if (x.size() != y.size()) return false;
            for (int i = 0; i < x.size(); i++) if (!same(x.get(i), y.get(i))) return false;
            return true;
        }
        if (a instanceof Set<?> x && b instanceof Set<?> y) {
            return x.size() == y.size() && x.stream().allMatch(one -> y.stream().anyMatch(other -> same(one, other)));
        }
        if (a instanceof Map<?, ?> x && b instanceof Map<?, ?> y) {
            return x.size() == y.size() && x.entrySet().stream().allMatch(one -> y.entrySet().stream()
                    .anyMatch(other -> same(one.getKey(), other.getKey()) && same(one.getValue(), other.getValue())));
        }
        return Objects.equals(a, b);
    }

    static Object plus(Object... numbers) {
        BigInteger n = BigInteger.ZERO, d = BigInteger.ONE;
        for (Object one : numbers) {
            Ratio r = ratio(one);
            n = n.multiply(r.denominator()).add(r.numerator().multiply(d));
            d = d.multiply(r.denominator());
        }
        return d.equals(BigInteger.ONE) ? n : new Ratio(n, d);
    }

    static Object times(Object... numbers) {
        BigInteger n = BigInteger.ONE, d = BigInteger.ONE;
        for (Object one : numbers) {
            n = n.multiply(ratio(one).numerator());
            d = d.multiply(ratio(one).denominator());
        }
        return d.equals(BigInteger.ONE) ? n : new Ratio(n, d);
    }

    // What is as planned, and what the model allows instead.
    static class Rules {
        Predicate<Map<String, Object>> when;
        String says = "";
        boolean fits = true, others, nothing;
        final List<Map.Entry<String, Predicate<Map<String, Object>>>> otherwise = new ArrayList<>();

        Rules when(String says, Predicate<Map<String, Object>> when) {
            this.says = " with " + says;
            this.when = when;
            return this;
        }

        Rules fits(boolean fits) {
            this.fits = fits;
            return this;
        }

        Rules or(String gate, Predicate<Map<String, Object>> when) {
            otherwise.add(Map.entry(gate, when));
            return this;
        }

        Rules others() {
            others = true;
            return this;
        }

        Rules nothing(boolean nothing) {
            this.nothing = nothing;
            return this;
        }
    }

    // Whether a condition holds; data of another kind than the model's meets none.
    static boolean holds(Predicate<Map<String, Object>> condition, Map<String, Object> e) {
        try {
            return condition.test(e);
        } catch (ClassCastException | NullPointerException error) {
            return false;
        }
    }

    static String shown(String name, Map<String, Object> data) {
        List<String> parts = new ArrayList<>();
        data.forEach((key, value) -> parts.add(key + "=" + value));
        return name + "(" + String.join(", ", parts) + ")";
    }

    static void inconclusive(String why) {
        Assumptions.abort("inconclusive: " + why);
    }

    static void meets(boolean holds, String says) {
        if (!holds) inconclusive("the system did nothing wrong, but the purpose needs " + says);
    }

    static Map<String, Object> judge(int step, String on, String gate, Map<String, Object> planned, Rules rules, String name, Map<String, Object> data) {
        if (data.keySet().equals(OBSERVED.get(name))) {
            if (name.equals(gate) && (rules.when == null ? same(data, planned) : holds(rules.when, data))) return data;
            boolean isAllowed = rules.otherwise.stream().anyMatch(one -> one.getKey().equals(name) && holds(one.getValue(), data));
            if (rules.others || isAllowed) inconclusive("step " + step + ": the model allows " + shown(name, data) + " as well");
        }
        return fail("step " + step + ": " + on + "expected " + shown(gate, planned) + rules.says + ", got " + shown(name, data));
    }
"#;

const HARNESS_LOCKSTEP: &str = r#"
    // What tests need of a system.
    interface Sut extends AutoCloseable {
        Map<String, Object> step(Map<String, Object> inputs) throws Exception;
    }

    static Map<String, Object> tick(Sut sut, int step, Map<String, Object> inputs, Map<String, Object> planned, Rules rules) throws Exception {
        Map<String, Object> seen = new LinkedHashMap<>();
        try {
            OBSERVED.get("outputs").forEach(name -> seen.put(name, null));
            seen.putAll(sut.step(inputs));
        } catch (Refused refused) {
            fail("step " + step + ": expected " + shown("inputs", inputs) + " to be taken, and it was refused");
        }
        return judge(step, "on " + shown("inputs", inputs) + " ", "outputs", planned, rules, "outputs", seen);
    }

    static void refuse(Sut sut, int step, Map<String, Object> inputs, boolean takeable) throws Exception {
        try {
            sut.step(inputs);
        } catch (Refused refused) {
            return;
        }
        if (takeable) inconclusive("step " + step + ": the model may take " + shown("inputs", inputs) + " here");
        fail("step " + step + ": expected " + shown("inputs", inputs) + " to be refused, and it was taken");
    }
"#;

const HARNESS_GATES: &str = r#"
    // What tests need of a system.
    interface Sut extends AutoCloseable {
        Map<String, Object> send(String gate, Map<String, Object> data) throws Exception;

        Event receive() throws Exception;
    }

    static Map<String, Object> send(Sut sut, int step, String gate, Map<String, Object> data, Map<String, Object> planned, Rules rules) throws Exception {
        if (!rules.fits) inconclusive("step " + step + ": " + shown(gate, data) + " does not fit what the system chose before");
        Map<String, Object> result = Map.of();
        try {
            result = sut.send(gate, data);
        } catch (Refused refused) {
            if (rules.nothing) inconclusive("step " + step + ": the model may refuse " + shown(gate, data) + " here");
            fail("step " + step + ": expected " + shown(gate, data) + " to be taken, and it was refused");
        }
        return planned.isEmpty() ? planned : judge(step, "", gate, planned, rules, gate, result);
    }

    static Map<String, Object> expect(Sut sut, int step, String gate, Map<String, Object> planned, Rules rules) throws Exception {
        Event actual = sut.receive();
        if (actual == null) {
            if (rules.nothing) inconclusive("step " + step + ": the model may say nothing here");
            fail("step " + step + ": expected " + shown(gate, planned) + rules.says + ", got no output");
        }
        return judge(step, "", gate, planned, rules, actual.gate(), actual.data());
    }

    static void refuse(Sut sut, int step, String gate, Map<String, Object> data, boolean takeable) throws Exception {
        try {
            sut.send(gate, data);
        } catch (Refused refused) {
            return;
        }
        if (takeable) inconclusive("step " + step + ": the model may take " + shown(gate, data) + " here");
        fail("step " + step + ": expected " + shown(gate, data) + " to be refused, and it was taken");
    }
"#;

const ADAPTER_LOCKSTEP: &str = r#"// How tests reach the system: MODEL. Written once, never overwritten; it is yours to fill in.
INTERFACE
import java.util.Map;

// One system, fresh for each test.
class CLASSAdapter implements CLASSTest.Sut {
    CLASSAdapter(Map<String, Object> initial) {
        throw new UnsupportedOperationException("start the system");
    }

    // Applies inputs, and returns the outputs of the same step; absent is null. Throws CLASSTest.Refused if they are refused.
    public Map<String, Object> step(Map<String, Object> inputs) throws Exception {
        throw new UnsupportedOperationException();
    }

    public void close() {}
}
"#;

const ADAPTER_GATES: &str = r#"// How tests reach the system: MODEL. Written once, never overwritten; it is yours to fill in.
INTERFACE
import java.util.Map;

// One system, fresh for each test.
class CLASSAdapter implements CLASSTest.Sut {
    CLASSAdapter(Map<String, Object> initial) {
        throw new UnsupportedOperationException("start the system");
    }

    // Gives the system an input, and returns its results by name. Throws CLASSTest.Refused if it is not taken.
    public Map<String, Object> send(String gate, Map<String, Object> data) throws Exception {
        throw new UnsupportedOperationException();
    }

    // The next output, or null if there is none for so long that there will be none.
    public CLASSTest.Event receive() throws Exception {
        throw new UnsupportedOperationException();
    }

    public void close() {}
}
"#;
