//! Random components in lock-step, each alone: as text, and as states and steps. A tick is two events, its inputs and its outputs.

use std::collections::BTreeMap;

use fastrand::Rng;

use crate::pairs::oracle::{Label, Lts, Set};

/// What a transition asks of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Read {
    Anything,
    Absent,
    /// There, whatever it is.
    There,
    Is(i64),
}

/// A number from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Known(i64),
    Var,
    Other,
    /// The first input, which is there.
    Read,
}

#[derive(Clone, Debug, PartialEq)]
struct Transition {
    source: usize,
    target: usize,
    reads: [Read; 2],
    /// What the variable is.
    var: Option<i64>,
    update: Option<Said>,
    sends: [Option<Said>; 2],
}

#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    states: usize,
    transitions: Vec<Transition>,
}

const ABSENT: i64 = -1;
const INPUTS: [&str; 2] = ["a", "b"];
const OUTPUTS: [&str; 2] = ["r", "s"];

impl Said {
    fn text(self) -> String {
        match self {
            Said::Known(n) => n.to_string(),
            Said::Var => "v".to_owned(),
            Said::Other => "1 - v".to_owned(),
            Said::Read => "x".to_owned(),
        }
    }

    fn value(self, var: i64, inputs: &[i64]) -> i64 {
        match self {
            Said::Known(n) => n,
            Said::Var => var,
            Said::Other => 1 - var,
            Said::Read => inputs[0],
        }
    }
}

impl Transition {
    fn random(states: usize, random: &mut Rng) -> Transition {
        let mut read = || match random.usize(..6) {
            0..=1 => Read::Anything,
            2 => Read::Absent,
            3..=4 => Read::There,
            _ => Read::Is(random.i64(0..=1)),
        };
        let reads = [read(), read()];
        let mut said = || match random.usize(..4) {
            0 => Said::Known(random.i64(0..=1)),
            1 => Said::Other,
            2 if reads[0] == Read::There => Said::Read,
            _ => Said::Var,
        };
        let all = [said(), said(), said()];
        let some = |one: Said, random: &mut Rng| random.bool().then_some(one);
        Transition {
            source: random.usize(..states),
            target: random.usize(..states),
            reads,
            var: (random.usize(..3) == 0).then(|| random.i64(0..=1)),
            update: some(all[0], random),
            sends: [some(all[1], random), some(all[2], random)],
        }
    }

    fn is_enabled(&self, state: usize, var: i64, inputs: &[i64]) -> bool {
        let fits = |(read, n): (&Read, &i64)| match read {
            Read::Anything => true,
            Read::Absent => *n == ABSENT,
            Read::There => *n != ABSENT,
            Read::Is(wanted) => n == wanted,
        };
        state == self.source && self.var.is_none_or(|n| n == var) && self.reads.iter().zip(inputs).all(fits)
    }
}

impl Component {
    pub fn random(random: &mut Rng) -> Component {
        let states = random.usize(1..=3);
        let transitions = (0..random.usize(1..6)).map(|_| Transition::random(states, random)).collect();
        Component { states, transitions }
    }

    pub fn add(&mut self, random: &mut Rng) {
        let transition = Transition::random(self.states, random);
        self.transitions.push(transition);
    }

    pub fn change(&mut self, random: &mut Rng) {
        let Some(at) = (!self.transitions.is_empty()).then(|| random.usize(..self.transitions.len())) else {
            return self.add(random);
        };
        match random.usize(..4) {
            0 => drop(self.transitions.remove(at)),
            1 => self.transitions[at].target = random.usize(..self.states),
            2 => self.transitions[at].sends[0] = None,
            _ => self.transitions[at] = Transition::random(self.states, random),
        }
    }

    pub fn smaller(&self) -> Vec<Component> {
        let mut out = vec![];
        for at in 0..self.transitions.len() {
            let mut fewer = self.clone();
            fewer.transitions.remove(at);
            out.push(fewer);
        }
        out
    }

    pub fn text(&self, name: &str) -> String {
        let mut out =
            format!("component {name} {{\n  in a: 0..1, b: 0..1\n  out r: 0..1, s: 0..1\n  var v: 0..1 = 0\n");
        out.push_str("  initial state S0\n");
        (1..self.states).for_each(|state| out.push_str(&format!("  state S{state}\n")));
        for (number, t) in self.transitions.iter().enumerate() {
            let mut guard = vec![];
            for (place, read) in t.reads.iter().enumerate() {
                let pattern = match read {
                    Read::Anything => continue,
                    Read::Absent => "absent".to_owned(),
                    Read::There => ["x", "y"][place].to_owned(),
                    Read::Is(n) => n.to_string(),
                };
                guard.push(format!("{}?{pattern}", INPUTS[place]));
            }
            guard.extend(t.var.map(|n| format!("v == {n}")));
            let sends = t.sends.iter().zip(OUTPUTS);
            let mut effects: Vec<String> =
                sends.filter_map(|(said, name)| Some(format!("{name}!{}", said.as_ref()?.text()))).collect();
            effects.extend(t.update.map(|said| format!("v := {}", said.text())));
            out.push_str(&format!("  S{} -> S{} : t{number}", t.source, t.target));
            if !guard.is_empty() {
                out.push_str(&format!(" when {}", guard.join(" && ")));
            }
            if !effects.is_empty() {
                out.push_str(&format!(" do {}", effects.join(", ")));
            }
            out.push('\n');
        }
        out + "}\n"
    }

    /// All inputs of a tick.
    pub fn inputs() -> Vec<Label> {
        let all = [ABSENT, 0, 1];
        all.iter().flat_map(|a| all.iter().map(|b| Label::In(0, vec![*a, *b]))).collect()
    }

    /// The states and steps; between the inputs and the outputs of a tick there is a state of its own.
    pub fn unfolded(&self) -> Option<Lts> {
        type State = (usize, i64, Option<Vec<i64>>);
        let start: State = (0, 0, None);
        let mut numbers = BTreeMap::from([(start.clone(), 0)]);
        let mut states = vec![start];
        let mut lts = Lts { initial: Set::from([0]), ..Lts::default() };
        let mut at = 0;
        while at < states.len() {
            let (state, var, owed) = states[at].clone();
            let mut next: Vec<(Label, State)> = vec![];
            match owed {
                Some(data) => {
                    lts.owing.insert(at);
                    next.push((Label::Out(0, data), (state, var, None)));
                }
                None => {
                    for input in Component::inputs() {
                        let Label::In(_, inputs) = &input else { unreachable!("inputs are inputs") };
                        let enabled: Vec<&Transition> =
                            self.transitions.iter().filter(|t| t.is_enabled(state, var, inputs)).collect();
                        if enabled.is_empty() {
                            next.push((input.clone(), (state, var, Some(vec![ABSENT, ABSENT]))));
                        }
                        for t in enabled {
                            let said = |said: &Option<Said>| said.map_or(ABSENT, |said| said.value(var, inputs));
                            let then = t.update.map_or(var, |said| said.value(var, inputs));
                            next.push((input.clone(), (t.target, then, Some(t.sends.iter().map(said).collect()))));
                        }
                    }
                }
            }
            let mut visible: BTreeMap<Label, Set> = BTreeMap::new();
            for (label, state) in next {
                let number = *numbers.entry(state.clone()).or_insert_with(|| {
                    states.push(state);
                    states.len() - 1
                });
                visible.entry(label).or_default().insert(number);
            }
            lts.internal.push(Set::new());
            lts.steps.push(visible);
            lts.values.push(vec![]);
            at += 1;
        }
        Some(lts)
    }
}
