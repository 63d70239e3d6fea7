//! Runs generated tests against systems that walk along graphs, and prints what is sent and heard.

use std::cell::RefCell;
use std::panic::{catch_unwind, set_hook};
use std::rc::Rc;

const LONG_ENOUGH: usize = 300;

/// A graph: initial states, and for each state its visible steps (whether it is an input, a label, a target) and its hidden ones.
#[derive(Default)]
pub struct Graph {
    initial: Vec<usize>,
    steps: Vec<Vec<(bool, usize, usize)>>,
    hidden: Vec<Vec<usize>>,
}

impl Graph {
    /// One line for the initial states; for each state one with its hidden steps, and one with the others.
    fn read(text: &str) -> Graph {
        let mut lines = text.lines().map(|line| line.split(' ').filter(|word| !word.is_empty()));
        let number = |word: &str| word.parse::<usize>().expect("a number");
        let mut graph = Graph { initial: lines.next().expect("a line").map(number).collect(), ..Graph::default() };
        while let (Some(hidden), Some(steps)) = (lines.next(), lines.next()) {
            graph.hidden.push(hidden.map(number).collect());
            let steps: Vec<usize> = steps.map(number).collect();
            graph.steps.push(steps.chunks(3).map(|step| (step[0] == 1, step[1], step[2])).collect());
        }
        graph
    }
}

/// Does what a graph does, and chooses by chance.
pub struct System {
    graph: Rc<Graph>,
    random: u64,
    state: usize,
    is_eager: bool,
    said: Vec<usize>,
}

thread_local! {
    static NEXT: RefCell<Option<(Rc<Graph>, u64)>> = const { RefCell::new(None) };
}

impl System {
    /// The one that the next test is about.
    pub fn start() -> System {
        let (graph, seed) = NEXT.take().expect("one system for each run");
        let mut system = System { graph, random: seed, state: 0, is_eager: false, said: vec![] };
        let initial = system.graph.initial.clone();
        system.state = system.one(&initial);
        system.is_eager = system.coin();
        system
    }

    /// SplitMix64.
    fn next_random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[(self.next_random() % of.len() as u64) as usize].clone()
    }

    fn coin(&mut self) -> bool {
        self.next_random() % 2 == 0
    }

    fn next_output(&mut self) -> Option<usize> {
        for _ in 0..LONG_ENOUGH {
            let outputs = self.graph.steps[self.state].iter().filter(|(is_input, ..)| !is_input);
            let hidden = self.graph.hidden[self.state].iter().map(|target| (None, *target));
            let steps: Vec<(Option<usize>, usize)> =
                hidden.chain(outputs.map(|(_, label, target)| (Some(*label), *target))).collect();
            if steps.is_empty() {
                return None;
            }
            let (label, target) = self.one(&steps);
            self.state = target;
            if label.is_some() {
                return label;
            }
        }
        println!("busy");
        None
    }

    /// Whether an input is taken.
    pub fn send(&mut self, label: Option<usize>) -> bool {
        while self.is_eager && self.coin() && self.said.len() < 4 {
            match self.next_output() {
                Some(output) => self.said.push(output),
                None => break,
            }
        }
        while !self.graph.hidden[self.state].is_empty() && self.coin() {
            let hidden = self.graph.hidden[self.state].clone();
            self.state = self.one(&hidden);
        }
        let steps = self.graph.steps[self.state].iter().filter(|(_, known, _)| Some(*known) == label);
        let targets: Vec<usize> = steps.map(|(.., target)| *target).collect();
        let shown = label.map_or("-".to_owned(), |label| label.to_string());
        println!("sent {shown} {}", if targets.is_empty() { "refused" } else { "taken" });
        if !targets.is_empty() {
            self.state = self.one(&targets);
        }
        !targets.is_empty()
    }

    /// The next output.
    pub fn receive(&mut self) -> Option<usize> {
        let output = if self.said.is_empty() { self.next_output() } else { Some(self.said.remove(0)) };
        println!("heard {}", output.map_or("-".to_owned(), |label| label.to_string()));
        output
    }
}

/// Runs the tests of a question, each against all systems.
pub fn run(question: u64, tests: &[(&str, fn())], systems: &[&str], seeds: u64) {
    // What a test says when it fails is printed here.
    set_hook(Box::new(|_| {}));
    println!("question {question}");
    let systems: Vec<Rc<Graph>> = systems.iter().map(|text| Rc::new(Graph::read(text))).collect();
    for (name, test) in tests {
        for (number, graph) in systems.iter().enumerate() {
            for seed in 0..seeds {
                println!("run {name} {number}");
                NEXT.set(Some((graph.clone(), seed)));
                if let Err(panic) = catch_unwind(test) {
                    let text = panic.downcast_ref::<String>().cloned();
                    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
                    println!("failed {}", text.unwrap_or_default().replace('\n', " "));
                }
            }
        }
    }
}
