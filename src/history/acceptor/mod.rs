//! Deterministic automata over conditions, with variables that keep one value for the whole run.
//!
//! Temporal formulas and matched patterns become acceptors. In each step the conditions are true or false, and a tree of
//! tests leads from one state to the next. A condition that looks at a variable is true for one value of it at most, which
//! is read off the step: so the runs of all values together are the run of values that were never seen, and one for each
//! value that was.

mod decide;
mod diagram;
mod explore;
mod rules;
mod temporal;

use std::collections::BTreeSet;

use crate::term::{Expr, Type, Value};
pub use explore::{Nodes, TooLarge};
pub use rules::{AsRules, NoRules};
pub use temporal::{Exclusion, Strength, Temporal, automaton, informative, is_safety};

/// An automaton for every value of some variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Acceptor {
    /// Variables.
    pub variables: Vec<Variable>,
    /// Whether the automaton must accept for all values of them; otherwise for some.
    pub for_all: bool,
    /// What is looked at in a step.
    pub atoms: Vec<Atom>,
    /// The automaton over the truth values of the atoms.
    pub automaton: Automaton,
    /// The automaton that decides only by prefixes that explain themselves, if that is another one.
    pub informative: Option<Automaton>,
    /// Whether every run that it rejects for ever has a beginning that no continuation can mend.
    pub is_safety: bool,
    /// Whether it tells where a pattern ends: every moment in which it is in an accepting state is a match.
    pub is_match: bool,
}

/// Most values of a variable, and of several together, that are told apart where values that no step mentions matter.
pub const MAX_LISTED: usize = 1024;

/// A variable of an acceptor.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Name.
    pub name: String,
    /// Type.
    pub ty: Type,
    /// All values of the type, if they are at most [`MAX_LISTED`].
    pub values: Option<Vec<Value>>,
}

/// A condition on a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Atom {
    /// A truth value over the lists of the model (slots) and the variables (locals, by number). What has no value is not true.
    pub condition: Expr,
    /// The only values of variables with which it can be true: the variable, and its value over the lists. It has all
    /// variables that the condition looks at; where one of the values is absent or not defined, the condition is not true.
    pub fixes: Vec<(usize, Expr)>,
}

/// A deterministic automaton over atoms.
#[derive(Clone, Debug, PartialEq)]
pub struct Automaton {
    /// Tests and their ends. Children come before their parents.
    pub nodes: Vec<Node>,
    /// States.
    pub states: Vec<State>,
    /// The state before the first step.
    pub start: usize,
}

/// A node of a tree of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// The next state.
    Leaf(usize),
    /// The atom that is tested, with the nodes to go to if it is true and if it is not.
    Test(usize, usize, usize),
}

/// A state of an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// The node that leads to the next state.
    pub next: usize,
    /// Whether a run may end here.
    pub accepts: bool,
    /// What is certain however the run goes on, if anything is.
    pub verdict: Option<bool>,
}

impl Acceptor {
    /// That something is matched somewhere: one match is enough.
    pub fn matched(&self) -> Acceptor {
        let mut out = Acceptor { is_match: false, ..self.clone() };
        let automaton = &mut out.automaton;
        for (number, state) in automaton.states.iter_mut().enumerate() {
            state.verdict = None;
            if state.accepts {
                state.next = automaton.nodes.len();
                state.verdict = Some(true);
                automaton.nodes.push(Node::Leaf(number));
            }
        }
        out
    }

    /// That nothing is ever matched, for any values: what accepts is lost.
    pub fn unmatched(&self) -> Acceptor {
        let mut out = Acceptor { for_all: !self.for_all, is_match: false, is_safety: true, ..self.clone() };
        let automaton = &mut out.automaton;
        for (number, state) in automaton.states.iter_mut().enumerate() {
            if state.accepts {
                state.next = automaton.nodes.len();
                automaton.nodes.push(Node::Leaf(number));
            }
            state.verdict = state.accepts.then_some(false);
            state.accepts = !state.accepts;
        }
        out
    }

    /// The same with the atoms that are looked at, and no others.
    pub fn without_idle_atoms(&self) -> Acceptor {
        let tested = |node: &Node| match node {
            Node::Leaf(_) => None,
            Node::Test(atom, ..) => Some(*atom),
        };
        let used: BTreeSet<usize> = self.automaton.nodes.iter().filter_map(tested).collect();
        let used: Vec<usize> = used.into_iter().collect();
        let mut out = Acceptor { informative: None, ..self.clone() };
        out.atoms = used.iter().map(|atom| self.atoms[*atom].clone()).collect();
        for node in &mut out.automaton.nodes {
            if let Node::Test(atom, ..) = node {
                *atom = used.binary_search(atom).expect("the atoms of all tests are used");
            }
        }
        out
    }

    /// Whether it may rest on a value of a variable that no step mentions what is said of a run: that all values are accepted is
    /// wrong then, or that some value is. It matters whether there is such a value.
    pub fn rests_on_unmentioned(&self, variable: usize) -> bool {
        let rests = |automaton: &Automaton| self.rests_in(automaton, variable);
        rests(&self.automaton) || self.informative.as_ref().is_some_and(rests)
    }

    fn rests_in(&self, automaton: &Automaton, variable: usize) -> bool {
        let (mut seen, mut open) = (vec![false; automaton.states.len()], vec![automaton.start]);
        while let Some(state) = open.pop() {
            if std::mem::replace(&mut seen[state], true) {
                continue;
            }
            if automaton.states[state].accepts != self.for_all {
                return true;
            }
            let mut nodes = vec![automaton.states[state].next];
            while let Some(node) = nodes.pop() {
                match automaton.nodes[node] {
                    Node::Leaf(next) => open.push(next),
                    Node::Test(atom, yes, no) => {
                        nodes.push(no);
                        if !self.mentions(atom, variable) {
                            nodes.push(yes);
                        }
                    }
                }
            }
        }
        false
    }

    /// Whether an atom can only be true for one value of a variable.
    pub fn mentions(&self, atom: usize, variable: usize) -> bool {
        self.atoms[atom].fixes.iter().any(|(fixed, _)| *fixed == variable)
    }

    /// Variables whose values are told apart from the first step on: all of them if there are at most so many combinations,
    /// otherwise those on whose unmentioned values something rests.
    pub fn listed(&self, most: usize) -> Vec<usize> {
        let counts = self.variables.iter().map(|variable| variable.values.as_ref().map(Vec::len));
        let together = counts.reduce(|all, count| all?.checked_mul(count?)).flatten();
        let all = 0..self.variables.len();
        if together.is_some_and(|together| together <= most) {
            return all.collect();
        }
        all.filter(|variable| self.variables[*variable].values.is_some() && self.rests_on_unmentioned(*variable))
            .collect()
    }

    /// What accepts all that this one rejects, and nothing else.
    pub fn contrary(&self) -> Acceptor {
        let turned = |automaton: &Automaton| {
            let mut out = automaton.clone();
            for state in &mut out.states {
                state.accepts = !state.accepts;
                state.verdict = state.verdict.map(|verdict| !verdict);
            }
            out
        };
        let (automaton, informative) = (turned(&self.automaton), self.informative.as_ref().map(turned));
        Acceptor { for_all: !self.for_all, automaton, informative, is_safety: false, ..self.clone() }
    }

    /// What accepts the beginnings of runs that no continuation can mend.
    pub fn violation(&self) -> Acceptor {
        let mut out = self.clone();
        out.for_all = !self.for_all;
        out.informative = None;
        for state in &mut out.automaton.states {
            state.accepts = state.verdict == Some(false);
            // Once broken it stays so; before, it may go well for ever.
            state.verdict = state.accepts.then_some(true);
        }
        Acceptor { is_safety: false, ..out }
    }
}

impl Automaton {
    /// The state after a step, in which `is_true` says which atoms are true.
    pub fn next(&self, state: usize, mut is_true: impl FnMut(usize) -> bool) -> usize {
        let mut node = self.states[state].next;
        loop {
            match self.nodes[node] {
                Node::Leaf(state) => return state,
                Node::Test(atom, yes, no) => node = if is_true(atom) { yes } else { no },
            }
        }
    }
}
