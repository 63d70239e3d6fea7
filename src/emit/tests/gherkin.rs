//! Tests in Gherkin: one scenario for each test, for people who review. What the model allows instead is a remark: a scenario has one way.

use super::Files;
use super::form::{Allowed, Condition, Datum, Expr, Form, Kind, Literal, Step};
use super::syntax::remark;

/// The feature.
pub(super) fn files(form: &Form) -> Files {
    let mut out = format!("Feature: {}\n", remark(&form.model));
    super::about(form).iter().for_each(|line| out.push_str(&format!("  {}\n", remark(line))));
    for test in &form.tests {
        out.push_str(&format!("\n  Scenario: {}\n", remark(&test.title)));
        // A description ends where a keyword begins a line.
        super::purpose_lines(test).iter().for_each(|line| out.push_str(&format!("    # {}\n", remark(line))));
        let initially: Vec<String> = test.initial.iter().map(|one| format!("{} is {}", one.name, one.text)).collect();
        let given = if initially.is_empty() { "a fresh system".to_owned() } else { initially.join(" and ") };
        out.push_str(&format!("    Given {}\n", remark(&given)));
        let mut before = "Given";
        for step in &test.steps {
            for (word, line) in lines(step) {
                let shown = if word == before { "And" } else { word };
                out.push_str(&format!("    {shown} {}\n", remark(&line)));
                before = word;
            }
            otherwise(step).iter().for_each(|line| out.push_str(&format!("    # or {}: inconclusive\n", remark(line))));
        }
        if !test.end.expr.is(true) {
            out.push_str(&format!(
                "    {} {}\n",
                if before == "Then" { "And" } else { "Then" },
                remark(&test.end.text)
            ));
        }
    }
    Files { tests: (format!("{}.feature", super::stem(&form.model)), out), adapter: None }
}

fn is_absent(datum: &Datum) -> bool {
    datum.value == Expr::Value { value: Literal::Absent }
}

/// What makes the test inconclusive in a step.
fn otherwise(step: &Step) -> Vec<String> {
    let whenever = |what: &str, when: &Condition| match when.expr.is(true) {
        true => what.to_owned(),
        false => format!("{what}, where {}", when.text),
    };
    let allowed = |one: &Allowed| match (step.kind, &one.gate) {
        (Kind::Expect, Some(gate)) => whenever(&format!("{gate} is received"), &one.when),
        _ => format!(
            "{} otherwise, where {}",
            if step.kind == Kind::Tick { "the output is" } else { "it returns" },
            one.when.text
        ),
    };
    let mut out: Vec<String> = step.allowed.iter().map(allowed).collect();
    let nothing = match step.kind {
        Kind::Expect => Some("nothing is received"),
        Kind::Refused => Some("it is taken"),
        Kind::Send => Some("it is refused"),
        Kind::Tick => None,
    };
    out.extend(nothing.filter(|_| !step.nothing.expr.is(false)).map(|what| whenever(what, &step.nothing)));
    if !step.is_all && step.is_judged() {
        out.push("anything else".to_owned());
    }
    out
}

fn lines(step: &Step) -> Vec<(&'static str, String)> {
    let gate = step.gate.as_deref().unwrap_or_default();
    let data = |data: &[Datum]| {
        let present = data.iter().filter(|one| !is_absent(one));
        present.map(|one| format!("{} {}", one.name, one.text)).collect::<Vec<_>>().join(", ")
    };
    let with = |all: &[Datum]| if all.is_empty() { String::new() } else { format!(" with {}", data(all)) };
    let expected = match step.is_exact {
        true => String::new(),
        false => format!(", where {}", step.expected.text),
    };
    match step.kind {
        Kind::Send => {
            let mut out = vec![("When", format!("{gate} is sent{}", with(&step.given)))];
            if !step.observed.is_empty() {
                out.push(("Then", format!("it returns {}{expected}", data(&step.observed))));
            }
            out
        }
        Kind::Expect => vec![("Then", format!("{gate} is received{}{expected}", with(&step.observed)))],
        Kind::Refused if step.gate.is_some() => {
            vec![("When", format!("{gate} is tried{}", with(&step.given))), ("Then", "it is refused".to_owned())]
        }
        Kind::Refused => {
            vec![("When", format!("a step is tried{}", with(&step.given))), ("Then", "it is refused".to_owned())]
        }
        Kind::Tick => {
            let given = if step.given.iter().all(is_absent) {
                "without input".to_owned()
            } else {
                format!("with {}", data(&step.given))
            };
            let seen = match step.observed.iter().all(is_absent) {
                true => "there is no output".to_owned(),
                false => format!("the output is {}", data(&step.observed)),
            };
            vec![("When", format!("a step is made {given}")), ("Then", seen)]
        }
    }
}
