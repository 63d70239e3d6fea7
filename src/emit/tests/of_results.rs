//! The form of what `gen` and `cover` found.

use std::collections::BTreeSet;

use super::form::{Allowed, Condition, Datum, Expr, Form, Gate, Kind, Literal, Port, Step, Test, ValueKind};
use super::syntax::Syntax;
use super::words::Words;
use crate::emit::generated::Generated;
use crate::emit::suite::CoveredSuite;
use crate::history::Purpose;
use crate::kernel::{RESULT, StepSystem, Style};
use crate::syntax::Sources;
use crate::syntax::tree::Direction;
use crate::synth::{Act, Answer, Attempt, Comparison, Expression, Lenience, Script, Status};
use crate::term::{Definitions, Type, Value};

/// One form for each model of some results; a script stands beside each case.
pub fn generated_forms(results: &[Generated], scripts: &[Vec<Script>], seed: u64, sources: &Sources) -> Vec<Form> {
    let mut forms: Vec<(Form, BTreeSet<String>)> = vec![];
    for (result, scripts) in results.iter().zip(scripts) {
        let Generated { system, purpose, answered } = result;
        let place = forms.iter().position(|(form, _)| form.model == system.name).unwrap_or_else(|| {
            forms.push((empty(system, "gen", seed), BTreeSet::new()));
            forms.len() - 1
        });
        let (form, names) = &mut forms[place];
        if scripts.is_empty() {
            form.missing.push(format!("{}: {}", purpose.name, answered.answer.text()));
        }
        let written = constraints(purpose, sources);
        let several = scripts.len() > 1 || answered.answer != Answer::Found;
        for (number, (case, script)) in answered.cases.iter().zip(scripts).enumerate() {
            let suffix = if several { format!("_{}", number + 1) } else { String::new() };
            let name = unique(&format!("{}{suffix}", purpose.name), names);
            let title = match several {
                true => format!("{}, {} {}", purpose.name, case.called(), number + 1),
                false => purpose.name.clone(),
            };
            let about = About { system, name, title, purpose: purpose.name.clone(), constraints: written.clone() };
            let mut test = about.test(script);
            test.class = case.class.map(|class| purpose.classes[class].text.clone());
            test.reasons = case.origin.iter().flat_map(|origin| origin.reasons.clone()).collect();
            test.meets = case.origin.as_ref().is_none_or(|origin| origin.meets);
            form.tests.push(test);
        }
    }
    forms.into_iter().map(|(form, _)| form).collect()
}

/// The form of a suite; a script stands beside each sequence.
pub fn suite_form(covered: &CoveredSuite<'_>, scripts: &[Script]) -> Form {
    let system = &covered.asked.system;
    let mut form = empty(system, "cover", covered.options.seed);
    let items = covered.names();
    let mut names = BTreeSet::new();
    for (number, (sequence, script)) in covered.suite.sequences.iter().zip(scripts).enumerate() {
        let of = covered.of.join(" and ");
        let name = unique(&format!("{of}_{}", number + 1), &mut names);
        let title = format!("{of}, sequence {}", number + 1);
        let about = About { system, name, title, purpose: of, constraints: vec![] };
        let mut test = about.test(script);
        test.covers = sequence.covers.iter().map(|(item, _)| items[*item].clone()).collect();
        form.tests.push(test);
    }
    for (item, status) in items.iter().zip(&covered.suite.items) {
        let answer = match status {
            Status::Covered => continue,
            Status::Impossible(_) => Answer::Impossible,
            Status::NotFound(_) => Answer::NotFound,
            Status::Unknown(_) => Answer::Unknown,
        };
        form.missing.push(format!("{item}: {}", answer.text()));
    }
    form
}

fn empty(system: &StepSystem, command: &'static str, seed: u64) -> Form {
    let definitions = &*system.definitions;
    let port = |(name, ty): &(String, Type)| Port {
        name: name.clone(),
        ty: ty.name(definitions),
        kind: kind_of(ty, definitions),
    };
    let channel = |one: &(String, Type)| {
        let Port { name, ty, kind } = port(one);
        Port { name, ty, kind: ValueKind::Optional { value: Box::new(kind) } }
    };
    let lockstep = system.ticks.first().filter(|_| system.style == Style::Lockstep);
    let inputs = lockstep.iter().flat_map(|tick| &tick.inputs);
    let gate = |gate: &crate::kernel::Gate| {
        let is_input = gate.direction == Direction::In;
        let has_result = is_input && gate.params.last().is_some_and(|(name, _)| name == RESULT);
        let (params, results) = gate.params.split_at(gate.params.len() - usize::from(has_result));
        Gate {
            name: gate.name.clone(),
            direction: if is_input { "in" } else { "out" },
            params: params.iter().map(port).collect(),
            results: results.iter().map(port).collect(),
        }
    };
    let open = system.open_slots().into_iter().map(|slot| &system.slots[slot]);
    Form {
        model: system.name.clone(),
        style: if lockstep.is_some() { "lockstep" } else { "gates" },
        command,
        seed,
        inputs: inputs.map(|(name, ty, _)| channel(&(name.clone(), ty.clone()))).collect(),
        outputs: lockstep.iter().flat_map(|tick| &tick.outputs).map(channel).collect(),
        gates: if lockstep.is_some() { vec![] } else { system.gates.iter().map(gate).collect() },
        initial: open.map(|slot| port(&(slot.name.clone(), slot.ty.clone()))).collect(),
        tests: vec![],
        missing: vec![],
    }
}

/// Values within values that are looked at, at most.
const MAX_NESTED: usize = 8;

/// Parts of a kind, at most: recursive types are looked at as deep as that allows.
const MAX_PARTS: usize = 60;

/// What can be seen of the values of a type.
fn kind_of(ty: &Type, definitions: &Definitions) -> ValueKind {
    let within = |nested: usize| {
        let mut left = MAX_PARTS;
        kind(ty, definitions, nested, &mut left)
    };
    (0..=MAX_NESTED).rev().find_map(within).unwrap_or(ValueKind::Other)
}

/// The same, with so many values within values; none if it has too many parts.
fn kind(ty: &Type, definitions: &Definitions, nested: usize, left: &mut usize) -> Option<ValueKind> {
    *left = left.checked_sub(1)?;
    let mut inside = |ty: &Type| kind(ty, definitions, nested.saturating_sub(1), left);
    Some(match ty {
        Type::Bool => ValueKind::Bool,
        Type::Int { .. } => ValueKind::Int,
        Type::Real => ValueKind::Real,
        Type::Text => ValueKind::Text,
        Type::Data(id) if definitions.types[*id].is_enum() && !definitions.types[*id].is_record => {
            let names = definitions.types[*id].constructors.iter().map(|one| one.name.clone());
            ValueKind::Enum { names: names.collect() }
        }
        Type::Refined(_, ty) => kind(ty, definitions, nested, left)?,
        Type::Unknown => ValueKind::Other,
        _ if nested == 0 => ValueKind::Other,
        Type::Data(id) => {
            let data = &definitions.types[*id];
            if data.is_record {
                let fields = data.constructors[0].fields.iter();
                let fields: Option<_> = fields.map(|(name, ty)| Some((name.clone(), inside(ty)?))).collect();
                return Some(ValueKind::Record { fields: fields? });
            }
            let mut constructors = vec![];
            for constructor in &data.constructors {
                let args: Option<_> = constructor.fields.iter().map(|(_, ty)| inside(ty)).collect();
                constructors.push((constructor.name.clone(), args?));
            }
            ValueKind::Made { constructors }
        }
        Type::Option(of) => {
            let name = |constructor| definitions.constructor_name(Definitions::OPTION, constructor).to_owned();
            ValueKind::Made { constructors: vec![(name(0), vec![]), (name(1), vec![inside(of)?])] }
        }
        Type::List(of) => ValueKind::List { element: Box::new(inside(of)?) },
        Type::Set(of) => ValueKind::Set { element: Box::new(inside(of)?) },
        Type::Map(key, value) => ValueKind::Map { key: Box::new(inside(key)?), value: Box::new(inside(value)?) },
    })
}

/// What a purpose asks for, each thing once, as written.
fn constraints(purpose: &Purpose, sources: &Sources) -> Vec<String> {
    let spans = purpose.length.iter().map(|(_, span)| *span).chain(purpose.constraints.iter().map(|one| one.span));
    let mut out: Vec<String> = vec![];
    for span in spans {
        let text = sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ");
        if !text.is_empty() && !out.contains(&text) {
            out.push(text);
        }
    }
    out
}

/// A plain word that was not used yet.
fn unique(name: &str, known: &mut BTreeSet<String>) -> String {
    let plain = word(name);
    let mut out = plain.clone();
    let mut number = 2;
    while !known.insert(out.to_lowercase()) {
        out = format!("{plain}_{number}");
        number += 1;
    }
    out
}

/// Letters, digits and single `_`, beginning with a letter.
pub(super) fn word(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' }).collect();
    let joined = plain.split_whitespace().collect::<Vec<_>>().join("_");
    match joined.chars().next() {
        None => "test".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("n{joined}"),
        _ => joined,
    }
}

struct About<'a> {
    system: &'a StepSystem,
    name: String,
    title: String,
    purpose: String,
    constraints: Vec<String>,
}

impl About<'_> {
    fn test(self, script: &Script) -> Test {
        let attempt_at = script.refused.as_ref().map(|(after, _)| *after);
        // What must be refused is a step as well, so that later acts stand one place further on.
        let place = |act: usize| act + usize::from(attempt_at.is_some_and(|after| after <= act));
        let naming = Naming::new(self.system, script, &place);
        let mut steps: Vec<Step> = script.acts.iter().enumerate().map(|(n, act)| naming.step(n, act)).collect();
        if let Some((after, attempt)) = &script.refused {
            let number = after.checked_sub(1).map_or(1, |last| script.acts[last].step + 1);
            steps.insert(*after, naming.attempt(number, attempt));
        }
        let value = |(name, value): &(String, Value)| naming.datum(name, &Expression::Value(value.clone()), usize::MAX);
        Test {
            name: self.name,
            title: self.title,
            purpose: self.purpose,
            constraints: self.constraints,
            class: None,
            reasons: vec![],
            meets: true,
            covers: vec![],
            initial: script.initial.iter().map(value).collect(),
            steps,
            end: naming.condition(&script.end, usize::MAX),
        }
    }
}

/// Puts a script into the words of the form.
struct Naming<'a> {
    system: &'a StepSystem,
    definitions: &'a Definitions,
    /// Words for acts that later ones speak of.
    variables: Vec<Option<String>>,
    place: &'a dyn Fn(usize) -> usize,
}

impl<'a> Naming<'a> {
    fn new(system: &'a StepSystem, script: &Script, place: &'a dyn Fn(usize) -> usize) -> Naming<'a> {
        let mut used: BTreeSet<usize> = BTreeSet::new();
        for (number, act) in script.acts.iter().enumerate() {
            let conditions = [&act.fits, &act.expected, &act.nothing.when].into_iter();
            let conditions = conditions.chain(act.allowed.iter().map(|one| &one.when.when));
            for one in conditions.chain(act.given.iter().map(|(_, given)| given)) {
                one.each_seen(&mut |seen| {
                    if seen.act != number {
                        used.insert(seen.act);
                    }
                });
            }
        }
        let attempted = script.refused.iter().map(|(_, attempt)| &attempt.taken.when);
        for last in [&script.end].into_iter().chain(attempted) {
            last.each_seen(&mut |seen| {
                used.insert(seen.act);
            });
        }
        let mut names = BTreeSet::new();
        let name = |(number, act): (usize, &Act)| {
            let gate = act.gate.map_or("outputs", |gate| &system.gates[gate].name);
            used.contains(&number).then(|| unique(&format!("{gate}_{}", act.step), &mut names).to_lowercase())
        };
        let variables = script.acts.iter().enumerate().map(name).collect();
        Naming { system, definitions: &system.definitions, variables, place }
    }

    fn gate(&self, gate: Option<usize>) -> Option<String> {
        gate.map(|gate| self.system.gates[gate].name.clone())
    }

    fn step(&self, number: usize, act: &Act) -> Step {
        let kind = match (act.gate, act.given.is_empty()) {
            (None, _) => Kind::Tick,
            (Some(gate), _) if self.system.gates[gate].direction == Direction::In => Kind::Send,
            (Some(_), false) => Kind::Send,
            (Some(_), true) => Kind::Expect,
        };
        let observed: Vec<Datum> = act
            .observed
            .iter()
            .map(|(name, value)| self.datum(name, &Expression::Value(value.clone()), number))
            .collect();
        let given: Vec<Datum> = act.given.iter().map(|(name, value)| self.datum(name, value, number)).collect();
        let gate = self.gate(act.gate);
        let plain = |(name, value): &(String, Value)| {
            let seen = crate::synth::Seen { act: number, name: name.clone(), path: vec![] };
            Expression::equal(Expression::Seen(seen), Expression::Value(value.clone()))
        };
        Step {
            number: act.step,
            kind,
            text: text(kind, gate.as_deref(), &given, &observed),
            variable: self.variables[number].clone(),
            given,
            fits: self.condition(&act.fits, number),
            is_exact: act.expected == Expression::all(act.observed.iter().map(plain)),
            observed,
            expected: self.condition(&act.expected, number),
            allowed: act
                .allowed
                .iter()
                .map(|one| Allowed { gate: self.gate(one.gate), when: self.lenience(&one.when, number) })
                .collect(),
            is_all: act.is_all,
            nothing: self.lenience(&act.nothing, number),
            gate,
        }
    }

    fn attempt(&self, number: usize, attempt: &Attempt) -> Step {
        let given = attempt.given.iter().filter(|(name, _)| attempt.gate.is_none() || name != RESULT);
        let given: Vec<Datum> =
            given.map(|(name, value)| self.datum(name, &Expression::Value(value.clone()), usize::MAX)).collect();
        let gate = self.gate(attempt.gate);
        let yes = self.condition(&Expression::TRUE, usize::MAX);
        Step {
            number,
            kind: Kind::Refused,
            text: text(Kind::Refused, gate.as_deref(), &given, &[]),
            gate,
            variable: None,
            given,
            fits: yes.clone(),
            observed: vec![],
            expected: yes,
            is_exact: true,
            allowed: vec![],
            is_all: true,
            nothing: self.lenience(&attempt.taken, usize::MAX),
        }
    }

    fn datum(&self, name: &str, value: &Expression, act: usize) -> Datum {
        let value = self.expr(value, act);
        Datum { name: name.to_owned(), text: Words.expr(&value), value }
    }

    /// A condition of an act.
    fn condition(&self, condition: &Expression, act: usize) -> Condition {
        let expr = self.expr(condition, act);
        Condition { text: Words.truth(&expr), expr }
    }

    /// When something is no failure; what cannot be said is lenient.
    fn lenience(&self, lenience: &Lenience, act: usize) -> Condition {
        let Condition { expr, text } = self.condition(&lenience.when, act);
        let text = match (lenience.is_exact, expr.is(true)) {
            (true, _) => text,
            (false, true) => "possibly".to_owned(),
            (false, false) => format!("possibly {text}"),
        };
        Condition { expr, text }
    }

    fn expr(&self, expression: &Expression, act: usize) -> Expr {
        let each = |parts: &[Expression]| parts.iter().map(|part| self.expr(part, act)).collect::<Vec<_>>();
        let two = |a: &Expression, b: &Expression| vec![self.expr(a, act), self.expr(b, act)];
        match expression {
            Expression::Value(value) => Expr::Value { value: literal(value, self.definitions) },
            Expression::Seen(seen) => Expr::Seen {
                step: (self.place)(seen.act),
                variable: self.variables[seen.act].clone().filter(|_| seen.act != act),
                name: seen.name.clone(),
                path: seen.path.clone(),
            },
            Expression::Sum(parts) => Expr::Sum { args: each(parts) },
            Expression::Product(a, b) => Expr::Product { args: two(a, b) },
            Expression::Compare(how, a, b) => {
                let by = match how {
                    Comparison::Equal => "==",
                    Comparison::Different => "!=",
                    Comparison::Less => "<",
                    Comparison::AtMost => "<=",
                    Comparison::Greater => ">",
                    Comparison::AtLeast => ">=",
                };
                Expr::Compare { by, args: two(a, b) }
            }
            Expression::Not(a) => Expr::Not { args: vec![self.expr(a, act)] },
            Expression::And(parts) => Expr::And { args: each(parts) },
            Expression::Or(parts) => Expr::Or { args: each(parts) },
            Expression::List(parts) => Expr::List { args: each(parts) },
            Expression::Made(ty, constructor, parts) => {
                let data = self.definitions.types.get(*ty).filter(|data| data.is_record);
                let fields =
                    data.map(|data| data.constructors[0].fields.iter().map(|(name, _)| name.clone()).collect());
                let name = self.definitions.constructor_name(*ty, *constructor).to_owned();
                Expr::Made { name, fields, args: each(parts) }
            }
        }
    }
}

fn text(kind: Kind, gate: Option<&str>, given: &[Datum], observed: &[Datum]) -> String {
    let absent = Expr::Value { value: Literal::Absent };
    let values = |data: &[Datum]| data.iter().map(|one| one.text.clone()).collect::<Vec<_>>().join(", ");
    match gate {
        Some(gate) => {
            let mark = if kind == Kind::Expect { '!' } else { '?' };
            let data = if kind == Kind::Expect { values(observed) } else { values(given) };
            let result = match kind == Kind::Send && !observed.is_empty() {
                true => format!(": {}", values(observed)),
                false => String::new(),
            };
            format!("{mark}{gate}({data}){result}")
        }
        None => {
            let part = |data: &[Datum]| {
                let present = data.iter().filter(|one| one.value != absent);
                let shown: Vec<String> = present.map(|one| format!("{}={}", one.name, one.text)).collect();
                if shown.is_empty() { "-".to_owned() } else { shown.join(" ") }
            };
            format!("{} / {}", part(given), part(observed))
        }
    }
}

/// A value of the form.
pub(super) fn literal(value: &Value, definitions: &Definitions) -> Literal {
    let each = |values: &mut dyn Iterator<Item = &Value>| values.map(|value| literal(value, definitions)).collect();
    match value {
        Value::Absent => Literal::Absent,
        Value::Bool(value) => Literal::Bool { value: *value },
        Value::Int(n) => Literal::Int { digits: n.to_string() },
        Value::Real(x) => Literal::Real { numerator: x.numer().to_string(), denominator: x.denom().to_string() },
        Value::Text(text) => Literal::Text { value: text.to_string() },
        Value::Data(ty, constructor, args) => {
            let name = definitions.constructor_name(*ty, *constructor).to_owned();
            match definitions.types.get(*ty) {
                Some(data) if data.is_record => {
                    let names = data.constructors[0].fields.iter().map(|(name, _)| name.clone());
                    Literal::Record { name, fields: names.zip(each(&mut args.iter()) as Vec<_>).collect() }
                }
                Some(data) if data.is_enum() => Literal::Enum { name },
                _ => Literal::Made { name, args: each(&mut args.iter()) },
            }
        }
        Value::List(list) => Literal::List { elements: each(&mut list.iter()) },
        Value::Set(set) => Literal::Set { elements: each(&mut set.iter()) },
        Value::Map(map) => {
            let pairs = map.iter().map(|(k, v)| (literal(k, definitions), literal(v, definitions)));
            Literal::Map { pairs: pairs.collect() }
        }
    }
}
