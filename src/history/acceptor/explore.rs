//! From states as Boolean functions to an automaton with as few states as possible.

use rustc_hash::FxHashMap;

use super::diagram::{FALSE, Function};
use super::temporal::Steps;
use super::{Automaton, Node, State};

/// Most states of an automaton.
const MAX_STATES: usize = 4_000;

/// There are too many states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// Visits all states.
pub(super) struct Explorer<'s, S, J> {
    steps: &'s mut S,
    judge: J,
    numbers: FxHashMap<Function, usize>,
    found: Vec<Function>,
    nodes: Nodes,
}

/// Tests that share their parts.
#[derive(Default)]
pub struct Nodes {
    /// All of them; children come before their parents.
    pub nodes: Vec<Node>,
    numbers: FxHashMap<Node, usize>,
}

impl Nodes {
    /// The number of a node. A test that leads to the same whether it is true or not is none.
    pub fn add(&mut self, node: Node) -> usize {
        if let Node::Test(_, yes, no) = node
            && yes == no
        {
            return yes;
        }
        *self.numbers.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        })
    }
}

impl<'s, S: Steps, J: FnMut(&mut S, Function) -> State> Explorer<'s, S, J> {
    pub fn new(steps: &'s mut S, start: Function, judge: J) -> Explorer<'s, S, J> {
        Explorer {
            steps,
            judge,
            numbers: FxHashMap::from_iter([(start, 0)]),
            found: vec![start],
            nodes: Nodes::default(),
        }
    }

    /// The automaton of all states.
    pub fn automaton(mut self) -> Result<Automaton, TooLarge> {
        let mut states: Vec<State> = vec![];
        while states.len() < self.found.len() {
            if states.len() >= MAX_STATES {
                return Err(TooLarge);
            }
            let state = self.found[states.len()];
            let judged = (self.judge)(self.steps, state);
            let (step, possible) = (self.steps.step(state), self.steps.possible());
            let next = self.tests(step, possible, &mut FxHashMap::default()).unwrap_or_default();
            self.steps.diagrams().fits()?;
            states.push(State { next, ..judged });
        }
        Ok(Automaton { nodes: self.nodes.nodes, states, start: 0 }.minimal())
    }

    /// The tests of a function over atoms, and then what is left; nothing for letters that there are not.
    fn tests(
        &mut self,
        f: Function,
        possible: Function,
        done: &mut FxHashMap<(Function, Function), Option<usize>>,
    ) -> Option<usize> {
        if possible == FALSE {
            return None;
        }
        if let Some(known) = done.get(&(f, possible)) {
            return *known;
        }
        let atoms = self.steps.atoms() as u32;
        let diagrams = self.steps.diagrams();
        let atom = diagrams.first(f).min(diagrams.first(possible));
        let node = if diagrams.first(f) >= atoms {
            let count = self.found.len();
            let number = *self.numbers.entry(f).or_insert(count);
            if number == count {
                self.found.push(f);
            }
            Some(self.nodes.add(Node::Leaf(number)))
        } else {
            let (yes, no) = diagrams.parts(f, atom);
            let (may, may_not) = diagrams.parts(possible, atom);
            match (self.tests(yes, may, done), self.tests(no, may_not, done)) {
                (Some(yes), Some(no)) => Some(self.nodes.add(Node::Test(atom as usize, yes, no))),
                (yes, no) => yes.or(no),
            }
        };
        done.insert((f, possible), node);
        node
    }
}

impl Automaton {
    /// An self that says the same with the fewest states. What cannot be told apart by any continuation is one state.
    pub fn minimal(&self) -> Automaton {
        let mut classes: Vec<usize> = vec![0; self.states.len()];
        let mut count = 0;
        loop {
            let mut nodes = Nodes::default();
            let translated = translate(self, &classes, &mut nodes);
            let mut known: FxHashMap<(bool, Option<bool>, usize), usize> = FxHashMap::default();
            let next: Vec<usize> = (self.states.iter())
                .map(|state| {
                    let fresh = known.len();
                    *known.entry((state.accepts, state.verdict, translated[state.next])).or_insert(fresh)
                })
                .collect();
            let is_done = known.len() == count;
            (classes, count) = (next, known.len());
            if is_done {
                break;
            }
        }
        let mut nodes = Nodes::default();
        let translated = translate(self, &classes, &mut nodes);
        let mut states: Vec<Option<State>> = vec![None; count];
        for (number, state) in self.states.iter().enumerate() {
            states[classes[number]].get_or_insert(State { next: translated[state.next], ..*state });
        }
        Automaton { nodes: nodes.nodes, states: states.into_iter().flatten().collect(), start: classes[self.start] }
    }
}

/// The nodes with other numbers of states.
fn translate(automaton: &Automaton, classes: &[usize], nodes: &mut Nodes) -> Vec<usize> {
    let mut out: Vec<usize> = vec![];
    for node in &automaton.nodes {
        let node = match *node {
            Node::Leaf(state) => Node::Leaf(classes[state]),
            Node::Test(atom, yes, no) => Node::Test(atom, out[yes], out[no]),
        };
        out.push(nodes.add(node));
    }
    out
}
