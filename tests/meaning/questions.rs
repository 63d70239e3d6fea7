//! Small random models of two machines, or of one with gates, and constraints on their lists with an independent reading.

use std::fmt::Write;

use proptest::prelude::*;
use tracewright::kernel::{Given, State, Step, StepSystem};
use tracewright::synth::Asked;
use tracewright::term::Value;
use tracewright::{model, syntax};

/// Longest runs that are enumerated.
pub const LONGEST: usize = 4;

#[derive(Clone, Debug)]
pub struct Transition {
    pub source: usize,
    pub target: usize,
    pub guard: String,
    pub update: String,
    pub send: String,
}

#[derive(Clone, Debug)]
pub struct Model {
    pub is_sts: bool,
    pub first: Vec<Transition>,
    pub second: Vec<Transition>,
    pub start: i64,
}

/// A constraint on the lists of the model, as text and as what it means.
#[derive(Clone, Debug)]
pub enum Constraint {
    LastState(usize),
    Member(usize),
    Never(usize),
    Before(usize, usize),
    Count(usize, usize),
    LastValue(i64),
    AlwaysAtMost(i64),
    /// A transition fires while the input has a value, and later the second machine fires something.
    Follows(usize, i64, usize),
    Contains(Vec<i64>),
    /// Some input value is the last value of the variable.
    SharedValue,
    Not(Box<Constraint>),
    Or(Box<Constraint>, Box<Constraint>),
}

#[derive(Clone, Copy, Debug)]
pub enum Bound {
    AtMost(usize),
    Exactly(usize),
}

impl Bound {
    pub fn text(self) -> String {
        match self {
            Bound::AtMost(n) => format!("length <= {n}"),
            Bound::Exactly(n) => format!("length {n}"),
        }
    }

    pub fn allows(self, steps: usize) -> bool {
        match self {
            Bound::AtMost(n) => steps <= n,
            Bound::Exactly(n) => steps == n,
        }
    }
}

pub fn transition(
    guards: &'static [&'static str],
    updates: &'static [&'static str],
    sends: &'static [&'static str],
) -> impl Strategy<Value = Transition> {
    let pick = |of: &'static [&'static str]| prop::sample::select(of).prop_map(str::to_owned);
    (0..2usize, 0..2usize, pick(guards), pick(updates), pick(sends))
        .prop_map(|(source, target, guard, update, send)| Transition { source, target, guard, update, send })
}

pub fn models() -> impl Strategy<Value = Model> {
    let first = transition(
        &["true", "x?0", "x?2", "x?absent", "v == 1", "v > 0", "v + v >= 3", "!(v == 2)", "x?1 || v == 0", "x?n"],
        &["", "v := v + 1", "v := 0", "v := (v + 1) % 3", "v := 3 - v"],
        &["", "y!v", "y!(v + 1)", "y!1 if v > 0"],
    );
    let second = transition(
        &["true", "y?0", "y?absent", "w < 2", "w == 1 && y?1", "w > 0 || y?2"],
        &["", "w := w + 1", "w := w - 1", "w := 2"],
        &["", "z!w", "z!1"],
    );
    (any::<bool>(), prop::collection::vec(first, 1..4), prop::collection::vec(second, 1..3), 0..3i64)
        .prop_map(|(is_sts, first, second, start)| Model { is_sts, first, second, start })
}

pub fn constraints() -> impl Strategy<Value = Constraint> {
    let leaf = prop_oneof![
        (0..2usize).prop_map(Constraint::LastState),
        (0..3usize).prop_map(Constraint::Member),
        (0..3usize).prop_map(Constraint::Never),
        (0..3usize, 0..3usize).prop_map(|(a, b)| Constraint::Before(a, b)),
        (0..3usize, 0..3usize).prop_map(|(n, t)| Constraint::Count(n, t)),
        (-1..4i64).prop_map(Constraint::LastValue),
        (0..3i64).prop_map(Constraint::AlwaysAtMost),
        (0..3usize, 0..3i64, 0..2usize).prop_map(|(t, x, u)| Constraint::Follows(t, x, u)),
        prop::collection::vec(-1..3i64, 1..3).prop_map(Constraint::Contains),
        Just(Constraint::SharedValue),
    ];
    leaf.prop_recursive(1, 3, 2, |inner| {
        prop_oneof![
            inner
                .clone()
                .prop_filter("some cannot be negated", |c| !matches!(c, Constraint::SharedValue))
                .prop_map(|c| Constraint::Not(Box::new(c))),
            (inner.clone(), inner).prop_map(|(a, b)| Constraint::Or(Box::new(a), Box::new(b))),
        ]
    })
}

pub fn bounds() -> impl Strategy<Value = Bound> {
    prop_oneof![(0..=LONGEST).prop_map(Bound::AtMost), (0..=LONGEST).prop_map(Bound::Exactly)]
}

impl Model {
    pub fn text(&self) -> String {
        let mut out = String::new();
        if self.is_sts {
            // The same machines with gates: inputs may be refused, internal steps happen.
            let _ = write!(
                out,
                "sts M {{\n  in x(n: 0..2)\n  out z(n: 0..3)\n  var v: 0..3 = {}, w: Int = 0\n",
                self.start
            );
            out.push_str("  initial location S0\n  location S1\n");
            for (number, t) in self.first.iter().enumerate() {
                let guard = gate_guard(&t.guard);
                let update = if t.update.is_empty() { String::new() } else { format!(" do {}", update_of(t)) };
                let _ = writeln!(out, "  S{} -> S{} : t{number} ?x(n) when {guard}{update}", t.source, t.target);
            }
            for (number, u) in self.second.iter().enumerate() {
                let update = if u.update.is_empty() { String::new() } else { format!(" do {}", u.update) };
                let event = if u.send.is_empty() { "tau".to_owned() } else { "!z(n)".to_owned() };
                let value = if u.send.is_empty() { "w < 3" } else { "n == w" };
                let _ = writeln!(out, "  S{} -> S{} : u{number} {event} when {value}{update}", u.source, u.target);
            }
            out.push_str("}\n");
            return out;
        }
        let machine = |out: &mut String, head: &str, prefix: &str, transitions: &[Transition]| {
            let _ = writeln!(out, "component {head}\n  initial state S0\n  state S1");
            for (number, t) in transitions.iter().enumerate() {
                let effects: Vec<String> =
                    [update_of(t), t.send.clone()].into_iter().filter(|e| !e.is_empty()).collect();
                let effects = if effects.is_empty() { String::new() } else { format!(" do {}", effects.join(", ")) };
                let _ = writeln!(out, "  S{} -> S{} : {prefix}{number} when {}{effects}", t.source, t.target, t.guard);
            }
            out.push_str("}\n");
        };
        let first = format!("A {{\n  in x: 0..2\n  out y: 0..4\n  var v: 0..3 = {}", self.start);
        machine(&mut out, &first, "t", &self.first);
        machine(&mut out, "B {\n  in y: 0..4\n  out z: Int\n  var w: Int = 0", "u", &self.second);
        out.push_str("system M {\n  a: A\n  b: B\n  in x -> a.x\n  a.y -> b.y\n  b.z -> out z\n}\n");
        out
    }
}

/// A guard on a channel, as one on the parameter of a gate; there is always a message.
pub fn gate_guard(guard: &str) -> String {
    match guard {
        "x?n" => "true".to_owned(),
        "x?0" => "n == 0".to_owned(),
        "x?2" => "n == 2".to_owned(),
        "x?absent" => "n <= v".to_owned(),
        "x?1 || v == 0" => "n == 1 || v == 0".to_owned(),
        other => other.to_owned(),
    }
}

/// What a transition that knows the input does with it: data of the environment flows into variables.
pub fn update_of(t: &Transition) -> String {
    match t.guard.contains("x?n") {
        true => t.update.replace("v + 1", "v + n").replace("v := 0", "v := n").replace("3 - v", "3 - n"),
        false => t.update.clone(),
    }
}

/// Names of the lists, which differ between the styles.
pub struct Names {
    pub state: &'static str,
    pub fired: &'static str,
    pub second_fired: &'static str,
    pub input: &'static str,
    pub output: &'static str,
    pub v: &'static str,
    pub w: &'static str,
}

pub fn names(is_sts: bool) -> Names {
    if is_sts {
        Names { state: "state", fired: "fired", second_fired: "fired", input: "x.n", output: "z.n", v: "v", w: "w" }
    } else {
        Names {
            state: "a.state",
            fired: "a.fired",
            second_fired: "b.fired",
            input: "x",
            output: "z",
            v: "a.v",
            w: "b.w",
        }
    }
}

impl Constraint {
    /// Whether it is about transitions and control states alone.
    pub fn is_about_control(&self) -> bool {
        match self {
            Constraint::LastState(_)
            | Constraint::Member(_)
            | Constraint::Never(_)
            | Constraint::Before(..)
            | Constraint::Count(..) => true,
            Constraint::Not(inner) => inner.is_about_control(),
            Constraint::Or(a, b) => a.is_about_control() && b.is_about_control(),
            _ => false,
        }
    }

    pub fn text(&self, m: &Model) -> String {
        let n = names(m.is_sts);
        let t = |t: &usize| format!("t{}", t % m.first.len());
        match self {
            Constraint::LastState(s) => format!("last({}) == S{s}", n.state),
            Constraint::Member(x) => format!("member({}) on {}", t(x), n.fired),
            Constraint::Never(x) => format!("never({}) on {}", t(x), n.fired),
            Constraint::Before(a, b) => format!("before({}, {}) on {}", t(a), t(b), n.fired),
            Constraint::Count(k, x) => format!("count({k}, {}) on {}", t(x), n.fired),
            Constraint::LastValue(k) => format!("last({}) == {k}", n.w),
            Constraint::AlwaysAtMost(k) => format!("always({} <= {k})", n.v),
            Constraint::Follows(x, k, u) => {
                let u = u % m.second.len();
                format!("follows({} == {} && {} == {k}, {} == u{u})", n.fired, t(x), n.input, n.second_fired)
            }
            Constraint::Contains(xs) => {
                let xs: Vec<String> = xs.iter().map(ToString::to_string).collect();
                format!("contains({}, [{}])", n.output, xs.join(", "))
            }
            Constraint::SharedValue => format!("some k in 0..3: (member(k) on {} and last({}) == k)", n.input, n.v),
            Constraint::Not(c) => format!("not ({})", c.text(m)),
            Constraint::Or(a, b) => format!("{} or ({})", a.word(m), b.text(m)),
        }
    }

    /// A formula that begins with a word.
    pub fn word(&self, m: &Model) -> String {
        match self {
            Constraint::Or(..) => format!("not (not ({}))", self.text(m)),
            _ => self.text(m),
        }
    }

    pub fn has_some(&self) -> bool {
        match self {
            Constraint::SharedValue => true,
            Constraint::Not(c) => c.has_some(),
            Constraint::Or(a, b) => a.has_some() || b.has_some(),
            _ => false,
        }
    }

    /// The plain meaning over recorded lists.
    pub fn holds(&self, m: &Model, run: &Recorded) -> bool {
        let t = |t: &usize| Some(format!("t{}", t % m.first.len()));
        let last = |list: &Vec<Option<i64>>| list.last().copied().flatten();
        match self {
            Constraint::LastState(s) => run.state.last() == Some(&format!("S{s}")),
            Constraint::Member(x) => run.fired.contains(&t(x)),
            Constraint::Never(x) => !run.fired.contains(&t(x)),
            Constraint::Before(a, b) => match run.fired.iter().position(|f| *f == t(a) || *f == t(b)) {
                Some(at) if run.fired[at] == t(a) => run.fired[at + 1..].contains(&t(b)),
                _ => false,
            },
            Constraint::Count(k, x) => run.fired.iter().filter(|f| **f == t(x)).count() == *k,
            Constraint::LastValue(k) => last(&run.w) == Some(*k),
            Constraint::AlwaysAtMost(k) => run.v.iter().all(|v| v.is_some_and(|v| v <= *k)),
            Constraint::Follows(x, k, u) => {
                let u = Some(format!("u{}", u % m.second.len()));
                let at = (0..run.fired.len()).find(|i| run.fired[*i] == t(x) && run.input[*i] == Some(*k));
                at.is_some_and(|at| run.second_fired[at + 1..].contains(&u))
            }
            Constraint::Contains(xs) => {
                run.output.windows(xs.len()).any(|w| w.iter().zip(xs).all(|(a, b)| *a == Some(*b)))
            }
            Constraint::SharedValue => (0..=3).any(|k| run.input.contains(&Some(k)) && last(&run.v) == Some(k)),
            Constraint::Not(c) => !c.holds(m, run),
            Constraint::Or(a, b) => a.holds(m, run) || b.holds(m, run),
        }
    }
}

/// The lists of a run, written down.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    pub state: Vec<String>,
    pub fired: Vec<Option<String>>,
    pub second_fired: Vec<Option<String>>,
    pub input: Vec<Option<i64>>,
    pub output: Vec<Option<i64>>,
    pub v: Vec<Option<i64>>,
    pub w: Vec<Option<i64>>,
    pub all_fired: Vec<Vec<(usize, Option<usize>)>>,
}

pub fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Int(n) => i64::try_from(n).ok(),
        _ => None,
    }
}

impl Recorded {
    pub fn with(&self, system: &StepSystem, step: &Step) -> Recorded {
        let mut next = self.clone();
        let slot = |name: &str| {
            let number_of = system.slots.iter().position(|slot| slot.name == name).expect("a variable");
            number(&step.next.values[number_of])
        };
        let fired = |machine: usize| {
            let (_, transition) = step.fired.iter().find(|(m, _)| *m == machine)?;
            let machine = &system.machines[machine];
            Some(transition.map_or("idle".to_owned(), |t| machine.transitions[t].name.clone()))
        };
        let is_sts = system.machines.len() == 1;
        next.state.push(system.machines[0].states[step.next.control[0] as usize].clone());
        next.fired.push(fired(0));
        next.second_fired.push(fired(if is_sts { 0 } else { 1 }));
        next.v.push(slot(if is_sts { "v" } else { "a.v" }));
        next.w.push(slot(if is_sts { "w" } else { "b.w" }));
        let gate = system.joints[step.joint].gate.map(|gate| system.gates[gate].name.as_str());
        next.input.push(if is_sts && gate != Some("x") { None } else { number(&step.data[0]) });
        next.output.push(match is_sts {
            true if gate == Some("z") => number(&step.data[0]),
            true => None,
            false => number(&step.data[1]),
        });
        next.all_fired.push(step.fired.clone());
        next
    }
}

/// All runs within a bound.
pub fn runs(system: &StepSystem, bound: Bound) -> Vec<Recorded> {
    let most = match bound {
        Bound::AtMost(n) | Bound::Exactly(n) => n,
    };
    let mut all = vec![];
    let mut level: Vec<(State, Recorded)> = vec![(system.initial(&[]), Recorded::default())];
    for length in 0..=most {
        if matches!(bound, Bound::AtMost(_)) || length == most {
            all.extend(level.iter().map(|(_, run)| run.clone()));
        }
        let mut next = vec![];
        if length < most {
            for (state, run) in &level {
                for step in system.all_steps(state, &Given::default(), None).expect("few values") {
                    next.push((step.next.clone(), run.with(system, &step)));
                }
            }
        }
        level = next;
    }
    all
}

pub fn asked(text: &str) -> Asked {
    let (sources, errors) = syntax::Sources::from_text("model.tw", text);
    assert!(errors.is_empty(), "{text}\n{errors:?}");
    let (checked, problems) = model::check(&sources);
    let errors: Vec<_> = problems.iter().filter(|p| p.code.starts_with('E')).collect();
    assert!(errors.is_empty(), "{text}\n{errors:?}");
    let declared = &checked.purposes[0];
    Asked::new(&checked, declared, &[], declared.tree.span, None).unwrap_or_else(|e| panic!("{text}\n{e:?}"))
}
