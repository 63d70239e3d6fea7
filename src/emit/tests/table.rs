//! Tests as tables in the manner of TTCN: behaviour with `!` for what the tester sends and `?` for what it receives, constraints, and
//! verdicts. For people who review.

use super::Files;
use super::form::{Form, Kind, Step};
use super::syntax::remark;
use crate::emit::run::table;

/// One table for each test.
pub(super) fn files(form: &Form) -> Files {
    let mut out: String = super::about(form).iter().map(|line| format!("{}\n", remark(line))).collect();
    for test in &form.tests {
        out.push_str(&format!("\nTest case: {}\n", remark(&test.title)));
        super::purpose_lines(test).iter().for_each(|line| out.push_str(&format!("Purpose: {}\n", remark(line))));
        for one in &test.initial {
            out.push_str(&format!("Initially: {} = {}\n", one.name, remark(&one.text)));
        }
        let mut rows = vec![["step", "behaviour", "constraints", "verdict"].map(str::to_owned)];
        for (place, step) in test.steps.iter().enumerate() {
            let is_last = place + 1 == test.steps.len() && test.end.expr.is(true);
            rows.extend(of_step(step, is_last));
        }
        if !test.end.expr.is(true) {
            rows.push([String::new(), "end".to_owned(), remark(&test.end.text), "pass".to_owned()]);
            rows.push([String::new(), "end".to_owned(), "otherwise".to_owned(), "inconclusive".to_owned()]);
        }
        out.push('\n');
        table(&rows).lines().for_each(|line| out.push_str(&format!("  {line}\n")));
    }
    Files { tests: (format!("{}.table.txt", super::stem(&form.model)), out), adapter: None }
}

/// What the tester does: it sends what the system takes.
fn of_step(step: &Step, is_last: bool) -> Vec<[String; 4]> {
    let number = step.number.to_string();
    let gate = step.gate.as_deref().unwrap_or("outputs");
    let verdict = if is_last { "pass" } else { "" };
    let row = |number: &str, what: String, when: &str, verdict: &str| {
        [number.to_owned(), remark(&what), remark(when), verdict.to_owned()]
    };
    let data = |all: &[super::form::Datum]| {
        all.iter().map(|one| format!("{}={}", one.name, one.text)).collect::<Vec<_>>().join(", ")
    };
    let mut out = vec![];
    let observes = step.is_judged();
    let sends = matches!(step.kind, Kind::Send | Kind::Refused) || step.kind == Kind::Tick;
    if sends {
        let to = step.gate.as_deref().unwrap_or("inputs");
        let fits = if step.fits.expr.is(true) { "" } else { &step.fits.text };
        let verdict = if observes || step.kind == Kind::Refused { "" } else { verdict };
        out.push(row(&number, format!("! {to}({})", data(&step.given)), fits, verdict));
        if !step.fits.expr.is(true) {
            out.push(row("", format!("! {to}"), "otherwise", "inconclusive"));
        }
    }
    if step.kind == Kind::Refused {
        out.push(row("", "? refused".to_owned(), "", if is_last { "pass" } else { "" }));
        let taken = if step.nothing.expr.is(false) { "fail" } else { "inconclusive" };
        out.push(row("", "? taken".to_owned(), lenient(step), taken));
        return out;
    }
    if observes {
        let number = if sends { "" } else { &number };
        let when = if step.is_exact { "" } else { &step.expected.text };
        out.push(row(number, format!("? {gate}({})", data(&step.observed)), when, verdict));
        for one in &step.allowed {
            let when = if one.when.expr.is(true) && one.when.text == "true" { "" } else { &one.when.text };
            out.push(row("", format!("? {}", one.gate.as_deref().unwrap_or(gate)), when, "inconclusive"));
        }
    }
    let nothing = if step.kind == Kind::Expect { "? nothing" } else { "? refused" };
    if !step.nothing.expr.is(false) {
        out.push(row("", nothing.to_owned(), lenient(step), "inconclusive"));
    }
    if observes {
        let other = if step.is_all { "fail" } else { "inconclusive" };
        out.push(row("", "? otherwise".to_owned(), "", other));
    } else if !step.nothing.expr.is(true) {
        out.push(row("", nothing.to_owned(), "", "fail"));
    }
    out
}

/// When silence, a refusal or its contrary is no failure.
fn lenient(step: &Step) -> &str {
    if step.nothing.expr.is(true) || step.nothing.expr.is(false) { "" } else { &step.nothing.text }
}
