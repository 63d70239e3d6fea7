//! Random small models, with a meaning of their own: each is a few plain data structures, a text in the language, and an
//! independent interpretation that shares no code with the program.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use proptest::prelude::*;

/// States and labelled transitions.
#[derive(Debug, PartialEq, Eq)]
pub struct Size {
    pub states: usize,
    pub transitions: usize,
}

/// A label: gate and data, or an internal step.
pub type Label = Option<(String, i64)>;

#[derive(Clone, Copy, Debug)]
pub enum Guard {
    True,
    /// The parameter or message is at most the variable.
    DataAtMostV,
    DataIs(i64),
    VIs(i64),
}

#[derive(Clone, Copy, Debug)]
pub enum Update {
    Keep,
    Set(i64),
    /// May leave the range of the variable; then the transition is not enabled.
    Increase,
    AddData,
}

/// Greatest value of the variable of every machine.
pub const TOP: i64 = 2;

impl Guard {
    fn text(self) -> String {
        match self {
            Guard::True => "true".into(),
            Guard::DataAtMostV => "x <= v".into(),
            Guard::DataIs(n) => format!("x == {n}"),
            Guard::VIs(n) => format!("v == {n}"),
        }
    }

    fn holds(self, v: i64, x: i64) -> bool {
        match self {
            Guard::True => true,
            Guard::DataAtMostV => x <= v,
            Guard::DataIs(n) => x == n,
            Guard::VIs(n) => v == n,
        }
    }
}

impl Update {
    fn text(self) -> String {
        match self {
            Update::Keep => "v".into(),
            Update::Set(n) => n.to_string(),
            Update::Increase => "v + 1".into(),
            Update::AddData => "(v + x) % 3".into(),
        }
    }

    /// The new value, if it is in the range.
    fn apply(self, v: i64, x: i64) -> Option<i64> {
        let new = match self {
            Update::Keep => v,
            Update::Set(n) => n,
            Update::Increase => v + 1,
            Update::AddData => (v + x) % 3,
        };
        (0..=TOP).contains(&new).then_some(new)
    }
}

fn guard() -> impl Strategy<Value = Guard> {
    prop_oneof![
        Just(Guard::True),
        Just(Guard::DataAtMostV),
        (0..2i64).prop_map(Guard::DataIs),
        (0..=TOP).prop_map(Guard::VIs),
    ]
}

fn update() -> impl Strategy<Value = Update> {
    prop_oneof![Just(Update::Keep), (0..=TOP).prop_map(Update::Set), Just(Update::Increase), Just(Update::AddData),]
}

/// A switch of a random sts. Every gate carries one number, 0 or 1.
#[derive(Clone, Debug)]
pub struct Switch {
    pub source: usize,
    pub target: usize,
    /// Index into the gates; none for an internal step, which has no data.
    pub gate: Option<usize>,
    pub guard: Guard,
    pub update: Update,
}

/// A random sts.
#[derive(Clone, Debug)]
pub struct Sts {
    pub name: String,
    pub gates: Vec<String>,
    pub switches: Vec<Switch>,
}

const LOCATIONS: usize = 3;

/// A random sts over the gates; `internal` says whether it may have internal steps.
pub fn sts(name: &'static str, gates: &'static [&'static str], internal: bool) -> impl Strategy<Value = Sts> {
    let gate = if internal {
        prop_oneof![3 => (0..gates.len()).prop_map(Some), 1 => Just(None)].boxed()
    } else {
        (0..gates.len()).prop_map(Some).boxed()
    };
    let switch = (0..LOCATIONS, 0..LOCATIONS, gate, guard(), update())
        .prop_map(|(source, target, gate, guard, update)| Switch { source, target, gate, guard, update });
    let gates: Vec<String> = gates.iter().map(|g| (*g).to_owned()).collect();
    proptest::collection::vec(switch, 1..6).prop_map(move |switches| Sts {
        name: name.to_owned(),
        gates: gates.clone(),
        switches,
    })
}

impl Sts {
    pub fn text(&self) -> String {
        let mut out = String::new();
        let gates: Vec<String> = self.gates.iter().map(|g| format!("{g}(x: 0..1)")).collect();
        let _ = writeln!(out, "sts {} {{ in {} var v: 0..{TOP} = 0", self.name, gates.join(", "));
        let _ = writeln!(out, "  initial location L0 location L1, L2");
        for s in &self.switches {
            let event = match s.gate {
                Some(gate) => format!("?{}(x)", self.gates[gate]),
                None => "tau".to_owned(),
            };
            // Without data, x is just a number.
            let plain = |text: String| if s.gate.is_none() { text.replace('x', "0") } else { text };
            let _ = writeln!(
                out,
                "  L{} -> L{} : {event} when {} do v := {}",
                s.source,
                s.target,
                plain(s.guard.text()),
                plain(s.update.text())
            );
        }
        out.push_str("}\n");
        out
    }

    pub fn automaton(&self) -> Automaton {
        let mut steps = BTreeMap::new();
        for l in 0..LOCATIONS {
            for v in 0..=TOP {
                let mut out = BTreeSet::new();
                for s in self.switches.iter().filter(|s| s.source == l) {
                    for x in if s.gate.is_some() { 0..2 } else { 0..1 } {
                        if let (true, Some(new)) = (s.guard.holds(v, x), s.update.apply(v, x)) {
                            let label = s.gate.map(|g| (self.gates[g].clone(), x));
                            out.insert((label, vec![s.target as i64, new]));
                        }
                    }
                }
                steps.insert(vec![l as i64, v], out);
            }
        }
        Automaton { initial: vec![0, 0], alphabet: self.gates.iter().cloned().collect(), steps }
    }
}

/// A finite automaton with everything spelled out.
#[derive(Clone, Debug)]
pub struct Automaton {
    pub initial: Vec<i64>,
    pub alphabet: BTreeSet<String>,
    pub steps: BTreeMap<Vec<i64>, BTreeSet<(Label, Vec<i64>)>>,
}

impl Automaton {
    pub fn size(&self) -> Size {
        let mut seen = BTreeSet::from([self.initial.clone()]);
        let mut open = vec![self.initial.clone()];
        let mut transitions = 0;
        while let Some(state) = open.pop() {
            for (_, next) in &self.steps[&state] {
                transitions += 1;
                if seen.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        Size { states: seen.len(), transitions }
    }

    /// Both together on the gates in `shared`, each alone on the others.
    pub fn product(&self, other: &Automaton, shared: &BTreeSet<String>) -> Automaton {
        let is_shared = |label: &Label| label.as_ref().is_some_and(|(gate, _)| shared.contains(gate));
        let join = |a: &[i64], b: &[i64]| [a, b].concat();
        let mut steps = BTreeMap::new();
        for (s, left) in &self.steps {
            for (t, right) in &other.steps {
                let mut out = BTreeSet::new();
                for (label, next) in left {
                    if !is_shared(label) {
                        out.insert((label.clone(), join(next, t)));
                        continue;
                    }
                    for (_, partner) in right.iter().filter(|(l, _)| l == label) {
                        out.insert((label.clone(), join(next, partner)));
                    }
                }
                for (label, next) in right.iter().filter(|(label, _)| !is_shared(label)) {
                    out.insert((label.clone(), join(s, next)));
                }
                steps.insert(join(s, t), out);
            }
        }
        let alphabet = self.alphabet.union(&other.alphabet).cloned().collect();
        Automaton { initial: join(&self.initial, &other.initial), alphabet, steps }
    }

    pub fn hide(&self, hidden: &str) -> Automaton {
        let mut out = self.clone();
        for steps in out.steps.values_mut() {
            let renamed =
                steps.iter().map(|(label, next)| (label.clone().filter(|(gate, _)| gate != hidden), next.clone()));
            *steps = renamed.collect();
        }
        out.alphabet.remove(hidden);
        out
    }
}

/// How a component looks at its input.
#[derive(Clone, Copy, Debug)]
pub enum Read {
    Ignores,
    Any,
    Is(i64),
    Absent,
}

/// A transition of a random component with one input and one output of 0..1.
#[derive(Clone, Debug)]
pub struct Move {
    pub source: usize,
    pub target: usize,
    pub read: Read,
    pub guard: Guard,
    pub update: Update,
    /// Sends the variable modulo 2, only if it is not 0 when the flag is set.
    pub send: Option<bool>,
}

/// A random component.
#[derive(Clone, Debug)]
pub struct Component {
    pub name: String,
    pub moves: Vec<Move>,
}

pub fn component(name: &'static str) -> impl Strategy<Value = Component> {
    let read = prop_oneof![Just(Read::Ignores), Just(Read::Any), (0..2i64).prop_map(Read::Is), Just(Read::Absent),];
    let mv = (0..2usize, 0..2usize, read, guard(), update(), proptest::option::of(any::<bool>()))
        .prop_map(|(source, target, read, guard, update, send)| Move { source, target, read, guard, update, send });
    proptest::collection::vec(mv, 1..5).prop_map(move |moves| Component { name: name.to_owned(), moves })
}

impl Component {
    pub fn text(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "component {} {{ in i: 0..1 out o: 0..1 var v: 0..{TOP} = 0", self.name);
        let _ = writeln!(out, "  initial state S0 state S1");
        for (number, m) in self.moves.iter().enumerate() {
            let read = match m.read {
                Read::Ignores => "true".to_owned(),
                Read::Any => "i?x".to_owned(),
                Read::Is(n) => format!("i?{n}"),
                Read::Absent => "i?absent".to_owned(),
            };
            let plain = |text: String| if matches!(m.read, Read::Any) { text } else { text.replace('x', "1") };
            let send = match m.send {
                None => "",
                Some(true) => ", o!v % 2 if v != 0",
                Some(false) => ", o!v % 2",
            };
            let _ = writeln!(
                out,
                "  S{} -> S{} : m{number} when {read} && {} do v := {}{send}",
                m.source,
                m.target,
                plain(m.guard.text()),
                plain(m.update.text())
            );
        }
        out.push_str("}\n");
        out
    }

    /// What it can do in a state `(s, v)` on an input: new state, variable, message.
    pub fn steps(&self, s: i64, v: i64, input: Option<i64>) -> BTreeSet<(i64, i64, Option<i64>)> {
        let mut out = BTreeSet::new();
        for m in self.moves.iter().filter(|m| m.source as i64 == s) {
            let (fits, x) = match (m.read, input) {
                (Read::Ignores, _) => (true, 1),
                (Read::Any, Some(x)) => (true, x),
                (Read::Is(n), Some(x)) => (n == x, 1),
                (Read::Absent, None) => (true, 1),
                _ => (false, 1),
            };
            if let (true, true, Some(new)) = (fits, m.guard.holds(v, x), m.update.apply(v, x)) {
                let message = match m.send {
                    None => None,
                    Some(true) if v == 0 => None,
                    Some(_) => Some(v % 2),
                };
                out.insert((m.target as i64, new, message));
            }
        }
        if out.is_empty() {
            out.insert((s, v, None));
        }
        out
    }
}
