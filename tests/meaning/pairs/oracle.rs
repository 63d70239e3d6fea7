//! Conformance by its definition, over concrete states and all data.
//!
//! A model becomes a labelled transition system. A trace leads to a set of states; the sets of both sides after all traces
//! of the specification are followed breadth first, and their outputs and silences compared.

use std::collections::{BTreeMap, BTreeSet};

use super::{Argument, Completed, Event, Pair, Sts, Switch};

/// Data that is in no type of a gate.
pub const OUTSIDE: i64 = 9;

/// What can be observed of a system or done to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Label {
    In(usize, Vec<i64>),
    Out(usize, Vec<i64>),
    /// Silence.
    Delta,
}

/// A labelled transition system. States are numbers.
#[derive(Clone, Debug, Default)]
pub struct Lts {
    pub initial: BTreeSet<usize>,
    /// Internal steps from each state.
    pub internal: Vec<BTreeSet<usize>>,
    /// Other steps from each state.
    pub steps: Vec<BTreeMap<Label, BTreeSet<usize>>>,
    /// The values of the variables in each state.
    pub values: Vec<Vec<i64>>,
    /// States in the middle of a step, in which nothing is refused.
    pub owing: Set,
}

/// States in which a trace may end, with what internal steps lead to.
pub type Set = BTreeSet<usize>;

#[derive(Clone, Debug)]
pub struct Oracle {
    implementation: Lts,
    specification: Lts,
    inputs: Vec<Label>,
    is_universal: bool,
}

/// The answer of the definition.
#[derive(Clone, Debug)]
pub struct Verdict {
    pub conforms: bool,
    /// Length of the shortest trace after which something wrong is observed.
    pub shortest: Option<usize>,
    /// One of them.
    pub counterexample: Option<(Vec<Label>, Label)>,
}

/// All tuples of values from 0 to the given ones, and `OUTSIDE` if asked for.
pub fn tuples(tops: &[i64], with_outside: bool) -> Vec<Vec<i64>> {
    let mut all = vec![vec![]];
    for top in tops {
        let values: Vec<i64> = (0..=*top).chain(with_outside.then_some(OUTSIDE)).collect();
        let longer = |data: &Vec<i64>| values.iter().map(|n| [&data[..], &[*n]].concat()).collect::<Vec<_>>();
        all = all.iter().flat_map(longer).collect();
    }
    all
}

impl Lts {
    /// The meaning of a model: its reachable states and all its steps.
    pub fn new(sts: &Sts) -> Lts {
        let mut starts: Vec<Vec<i64>> = vec![vec![]];
        for variable in &sts.variables {
            let values: Vec<i64> = variable.start.map_or((0..=variable.top).collect(), |n| vec![n]);
            starts = starts
                .iter()
                .flat_map(|s| values.iter().map(|n| [&s[..], &[*n]].concat()).collect::<Vec<_>>())
                .collect();
        }
        let mut states: Vec<(usize, Vec<i64>)> = vec![];
        let mut numbers: BTreeMap<(usize, Vec<i64>), usize> = BTreeMap::new();
        let mut number_of = |state: (usize, Vec<i64>), states: &mut Vec<(usize, Vec<i64>)>| {
            *numbers.entry(state.clone()).or_insert_with(|| {
                states.push(state);
                states.len() - 1
            })
        };
        let mut lts = Lts::default();
        for start in starts {
            lts.initial.insert(number_of((0, start), &mut states));
        }
        let mut at = 0;
        while at < states.len() {
            let (location, values) = states[at].clone();
            let mut internal = Set::new();
            let mut steps: BTreeMap<Label, Set> = BTreeMap::new();
            for switch in sts.switches.iter().filter(|switch| switch.source == location) {
                for data in tuples(sts.carries(switch.event), false) {
                    let Some(next) = after(sts, switch, &values, &data) else { continue };
                    let target = number_of((switch.target, next), &mut states);
                    let label = match switch.event {
                        Event::Tau => {
                            internal.insert(target);
                            continue;
                        }
                        Event::In(gate) => Label::In(gate, data),
                        Event::Out(gate) => Label::Out(gate, data),
                    };
                    steps.entry(label).or_default().insert(target);
                }
            }
            lts.internal.push(internal);
            lts.steps.push(steps);
            at += 1;
        }
        lts.values = states.into_iter().map(|(_, values)| values).collect();
        lts
    }

    /// Adds what happens with inputs that a state without internal steps does not take.
    fn complete(&mut self, completed: Completed, inputs: &[Label], outputs: &[Label]) {
        let known = self.steps.len();
        // Chaos may do everything, or fall silent; a silent state does nothing before the next input.
        let (chaos, silent) = (known, known + 1);
        if completed == Completed::Chaos {
            self.internal.push(Set::from([silent]));
            self.steps.push(inputs.iter().chain(outputs).map(|label| (label.clone(), Set::from([chaos]))).collect());
            self.internal.push(Set::new());
            self.steps.push(inputs.iter().map(|label| (label.clone(), Set::from([chaos]))).collect());
        }
        // Hidden steps come first, unless they never end: then an input that they never let in is not taken either.
        let refused: Vec<Vec<Label>> = (0..known).map(|state| self.refused(state, inputs)).collect();
        for (state, refused) in refused.into_iter().enumerate() {
            let target = match completed {
                Completed::No => continue,
                Completed::Ignores => state,
                Completed::Chaos => chaos,
            };
            for input in refused {
                self.steps[state].insert(input, Set::from([target]));
            }
        }
    }

    /// The inputs that a state which waits does not take, neither there nor wherever hidden steps lead to.
    fn refused(&self, state: usize, inputs: &[Label]) -> Vec<Label> {
        let waits = self.internal[state].is_empty() || self.is_endless(state);
        if !waits || self.owing.contains(&state) {
            return vec![];
        }
        let here = self.closed(Set::from([state]));
        let is_taken = |input: &&Label| here.iter().any(|state| self.steps[*state].contains_key(*input));
        inputs.iter().filter(|input| !is_taken(input)).cloned().collect()
    }

    /// Whether an endless path of hidden steps begins in a state: some state that they lead to leads back to itself.
    pub fn is_endless(&self, state: usize) -> bool {
        let leads_back = |at: &usize| self.closed(self.internal[*at].clone()).contains(at);
        !self.internal[state].is_empty() && self.closed(Set::from([state])).iter().any(leads_back)
    }

    /// Whether silence may be seen for as long as one likes: nothing but inputs is possible, or hidden steps go on for ever.
    pub fn is_quiescent(&self, state: usize) -> bool {
        let is_still =
            self.internal[state].is_empty() && !self.steps[state].keys().any(|label| matches!(label, Label::Out(..)));
        is_still || self.is_endless(state)
    }

    pub fn closed(&self, mut set: Set) -> Set {
        let mut open: Vec<usize> = set.iter().copied().collect();
        while let Some(state) = open.pop() {
            for next in &self.internal[state] {
                if set.insert(*next) {
                    open.push(*next);
                }
            }
        }
        set
    }

    pub fn after(&self, set: &Set, label: &Label) -> Set {
        if *label == Label::Delta {
            return self.closed(set.iter().copied().filter(|state| self.is_quiescent(*state)).collect());
        }
        self.closed(set.iter().filter_map(|state| self.steps[*state].get(label)).flatten().copied().collect())
    }

    /// With what outputs and internal steps lead to.
    pub fn ahead(&self, set: &Set) -> Set {
        let mut set = set.clone();
        let mut open: Vec<usize> = set.iter().copied().collect();
        while let Some(state) = open.pop() {
            let outputs = self.steps[state].iter().filter(|(label, _)| matches!(label, Label::Out(..)));
            for next in self.internal[state].iter().chain(outputs.flat_map(|(_, all)| all)) {
                if set.insert(*next) {
                    open.push(*next);
                }
            }
        }
        set
    }

    /// Outputs and silence.
    fn out(&self, set: &Set) -> BTreeSet<Label> {
        let mut all = BTreeSet::new();
        for state in set {
            all.extend(self.steps[*state].keys().filter(|label| matches!(label, Label::Out(..))).cloned());
            if self.is_quiescent(*state) {
                all.insert(Label::Delta);
            }
        }
        all
    }

    /// Inputs that some state of the set takes.
    fn taken(&self, set: &Set) -> BTreeSet<Label> {
        let labels = set.iter().flat_map(|state| self.steps[*state].keys());
        labels.filter(|label| matches!(label, Label::In(..))).cloned().collect()
    }

    fn is_refused(&self, set: &Set, input: &Label) -> bool {
        set.iter().any(|state| !self.refused(*state, std::slice::from_ref(input)).is_empty())
    }

    /// Whether every state that can be reached takes every input, perhaps after internal steps.
    fn is_enabled(&self, inputs: &[Label]) -> bool {
        let mut seen = self.closed(self.initial.clone());
        let mut open: Vec<usize> = seen.iter().copied().collect();
        while let Some(state) = open.pop() {
            let here = self.closed(Set::from([state]));
            let is_asked = !self.owing.contains(&state);
            if is_asked && inputs.iter().any(|input| self.after(&here, input).is_empty()) {
                return false;
            }
            for next in self.internal[state].iter().chain(self.steps[state].values().flatten()) {
                if seen.insert(*next) {
                    open.push(*next);
                }
            }
        }
        true
    }
}

/// The values after a switch, if it is enabled with this data. All new values are computed from the old ones.
fn after(sts: &Sts, switch: &Switch, values: &[i64], data: &[i64]) -> Option<Vec<i64>> {
    for (argument, value) in switch.arguments.iter().zip(data) {
        if let Argument::Is(operand) = argument
            && operand.value(values, data) != *value
        {
            return None;
        }
    }
    if !switch.guard.iter().all(|guard| guard.holds(values, data)) {
        return None;
    }
    let mut next = values.to_vec();
    for (v, operand) in &switch.updates {
        let value = operand.value(values, data);
        if !(0..=sts.variables[*v].top).contains(&value) {
            return None;
        }
        next[*v] = value;
    }
    Some(next)
}

impl Oracle {
    pub fn new(pair: &Pair) -> Oracle {
        let (left, right) = (&pair.implementation, &pair.specification);
        let mut inputs = vec![];
        for gate in 0..left.inputs.len() {
            inputs.extend(tuples(&pair.widest(Event::In(gate)), false).into_iter().map(|data| Label::In(gate, data)));
        }
        // Chaos is that of the implementation: it uses its own gates and their types.
        let mut outputs = vec![];
        for gate in (0..left.outputs.len()).filter(|gate| !left.undeclared.contains(&Event::Out(*gate))) {
            outputs.extend(tuples(&left.outputs[gate], false).into_iter().map(|data| Label::Out(gate, data)));
        }
        let sides = (Lts::new(left), Lts::new(right));
        Oracle::of(sides, inputs, &outputs, pair.completed, pair.is_universal)
    }

    /// About an implementation and a specification, all data of inputs, and of the outputs of chaos.
    pub fn of(
        (mut implementation, specification): (Lts, Lts),
        inputs: Vec<Label>,
        outputs: &[Label],
        completed: Completed,
        is_universal: bool,
    ) -> Oracle {
        implementation.complete(completed, &inputs, outputs);
        Oracle { implementation, specification, inputs, is_universal }
    }

    /// Whether the implementation takes every input.
    pub fn is_enabled(&self) -> bool {
        self.implementation.is_enabled(&self.inputs)
    }

    fn start(&self) -> (Set, Set) {
        let closed = |lts: &Lts| lts.closed(lts.initial.clone());
        (closed(&self.implementation), closed(&self.specification))
    }

    /// Whether a trace of the specification that leads to the set may go on with the label.
    fn may_follow(&self, set: &Set, label: &Label) -> bool {
        match label {
            Label::In(..) if self.is_universal && self.specification.is_refused(set, label) => false,
            _ => !self.specification.after(set, label).is_empty(),
        }
    }

    /// The verdict for all traces of the specification up to a length, or for all traces.
    pub fn verdict(&self, longest: Option<usize>) -> Verdict {
        let mut seen = BTreeSet::from([self.start()]);
        let mut level = vec![(self.start(), vec![])];
        let mut length = 0;
        loop {
            let mut next = vec![];
            for ((implementation, specification), trace) in &level {
                let allowed = self.specification.out(specification);
                if let Some(wrong) = self.implementation.out(implementation).difference(&allowed).next() {
                    return Verdict {
                        conforms: false,
                        shortest: Some(length),
                        counterexample: Some((trace.clone(), wrong.clone())),
                    };
                }
                let labels = allowed.into_iter().chain(self.specification.taken(specification));
                for label in labels.filter(|label| self.may_follow(specification, label)) {
                    let sets = (
                        self.implementation.after(implementation, &label),
                        self.specification.after(specification, &label),
                    );
                    // What the implementation cannot do is not observed.
                    if !sets.0.is_empty() && seen.insert(sets.clone()) {
                        next.push((sets, [&trace[..], &[label]].concat()));
                    }
                }
            }
            if next.is_empty() || longest == Some(length) {
                return Verdict { conforms: true, shortest: None, counterexample: None };
            }
            level = next;
            length += 1;
        }
    }

    /// Whether a trace and an observation show that the implementation is wrong; the error says why not.
    pub fn confirm(&self, trace: &[Label], observed: &Label) -> Result<(), String> {
        let (mut implementation, mut specification) = self.start();
        for (at, label) in trace.iter().enumerate() {
            if !self.may_follow(&specification, label) {
                return Err(format!("step {} is not one of the specification", at + 1));
            }
            implementation = self.implementation.after(&implementation, label);
            specification = self.specification.after(&specification, label);
            if implementation.is_empty() {
                return Err(format!("step {} is not one of the implementation", at + 1));
            }
        }
        if !self.implementation.out(&implementation).contains(observed) {
            return Err("the implementation does not show the observation".to_owned());
        }
        if self.specification.out(&specification).contains(observed) {
            return Err("the specification allows the observation".to_owned());
        }
        Ok(())
    }
}
