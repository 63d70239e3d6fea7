//! States of the search: a node with the items that are covered.
//!
//! Where everything is known beforehand and there are few items, a state is one number, and a bit says whether it was
//! visited. Otherwise sets of items are numbered as they are met.

use rustc_hash::FxHashSet;

use super::graph::{Graph, Steps};
use super::sets::{ItemSet, SetId, Sets};

/// How states are stored. A set of covered items is a number, whose meaning is the store's own.
pub trait Product {
    /// A state.
    type State: Copy + Eq + std::hash::Hash;
    /// How many states cost as much as one whose set has to be stored.
    const FOR_ONE: usize;
    /// The state of a node and a set.
    fn pack(&self, node: u32, covered: u32) -> Self::State;
    /// The node and the set of a state.
    fn unpack(&self, state: Self::State) -> (u32, u32);
    /// A set with what an edge or an end covers; `sets` are those of the graph.
    fn with(&mut self, covered: u32, marks: SetId, sets: &Sets) -> u32;
    /// Whether everything that is wanted is covered.
    fn is_all(&self, covered: u32) -> bool;
    /// The wanted items of a set, numbered from 0, as bits.
    fn words(&self, covered: u32) -> &[u64];
    /// Visits a state; false if it was visited before.
    fn visit(&mut self, state: Self::State) -> bool;
    /// How many states were visited.
    fn visited(&self) -> usize;
}

/// Most bits for the visited states of a dense store.
const MAX_DENSE_BITS: u64 = 1 << 31;

/// The items that are wanted, and their numbers among these.
#[derive(Clone, Debug)]
pub struct Numbering {
    /// The items.
    pub items: Vec<usize>,
}

impl Numbering {
    /// The wanted items among some, renumbered.
    pub fn of(&self, set: &ItemSet) -> ItemSet {
        (self.items.iter().enumerate()).filter(|(_, item)| set.contains(**item)).map(|(number, _)| number).collect()
    }
}

/// Every state has its bit.
pub struct Dense {
    bits: u32,
    all: u32,
    /// What each known set covers.
    marks: Vec<u32>,
    /// Every set as words, for those who ask.
    words: Vec<[u64; 1]>,
    visited: Vec<u64>,
    count: usize,
}

impl Dense {
    /// A store for a graph of which everything is known; none if there would be too many states.
    pub fn new<S: Steps>(graph: &mut Graph<S>, numbering: &Numbering) -> Option<Dense> {
        let bits = numbering.items.len() as u32;
        if !graph.is_complete() || bits > 20 || ((graph.len() as u64) << bits) > MAX_DENSE_BITS {
            return None;
        }
        // Ends may add sets.
        for node in 0..graph.len() as u32 {
            graph.ends(node);
        }
        let bits_of = |id: u32| numbering.of(graph.sets.get(SetId(id))).iter().fold(0, |bits, item| bits | 1 << item);
        Some(Dense {
            bits,
            all: ((1u64 << bits) - 1) as u32,
            marks: (0..graph.sets.len() as u32).map(bits_of).collect(),
            words: (0..1u64 << bits).map(|set| [set]).collect(),
            visited: vec![0; (graph.len() << bits).div_ceil(64)],
            count: 0,
        })
    }
}

impl Product for Dense {
    type State = u32;
    const FOR_ONE: usize = 20;

    fn pack(&self, node: u32, covered: u32) -> u32 {
        ((u64::from(node) << self.bits) | u64::from(covered)) as u32
    }

    fn unpack(&self, state: u32) -> (u32, u32) {
        ((u64::from(state) >> self.bits) as u32, state & self.all)
    }

    fn with(&mut self, covered: u32, marks: SetId, _: &Sets) -> u32 {
        covered | self.marks[marks.0 as usize]
    }

    fn is_all(&self, covered: u32) -> bool {
        covered == self.all
    }

    fn words(&self, covered: u32) -> &[u64] {
        &self.words[covered as usize]
    }

    fn visit(&mut self, state: u32) -> bool {
        let (word, bit) = (&mut self.visited[state as usize / 64], 1u64 << (state % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        self.count += usize::from(is_new);
        is_new
    }

    fn visited(&self) -> usize {
        self.count
    }
}

/// Sets and states are numbered as they are met.
pub struct Sparse {
    numbering: Numbering,
    sets: Sets,
    /// What sets of the graph cover, as sets of the wanted items.
    marks: Vec<Option<SetId>>,
    words: Vec<Box<[u64]>>,
    all: SetId,
    visited: FxHashSet<u64>,
}

impl Sparse {
    /// A store for any graph.
    pub fn new(numbering: Numbering) -> Sparse {
        let mut sets = Sets::default();
        let all = sets.number(ItemSet::first(numbering.items.len()));
        let (marks, words, visited) = (vec![], vec![], FxHashSet::default());
        let mut sparse = Sparse { numbering, sets, marks, words, all, visited };
        sparse.note();
        sparse
    }

    /// Keeps words for every set.
    fn note(&mut self) {
        let count = self.numbering.items.len().div_ceil(64).max(1);
        for id in self.words.len()..self.sets.len() {
            let mut words = vec![0; count];
            self.sets.get(SetId(id as u32)).iter().for_each(|item| words[item / 64] |= 1 << (item % 64));
            self.words.push(words.into());
        }
    }
}

impl Product for Sparse {
    type State = u64;
    const FOR_ONE: usize = 1;

    fn pack(&self, node: u32, covered: u32) -> u64 {
        (u64::from(node) << 32) | u64::from(covered)
    }

    fn unpack(&self, state: u64) -> (u32, u32) {
        ((state >> 32) as u32, state as u32)
    }

    fn with(&mut self, covered: u32, marks: SetId, sets: &Sets) -> u32 {
        if marks == SetId::EMPTY {
            return covered;
        }
        let place = marks.0 as usize;
        if self.marks.len() <= place {
            self.marks.resize(place + 1, None);
        }
        let marks = match self.marks[place] {
            Some(known) => known,
            None => {
                let wanted = self.sets.number(self.numbering.of(sets.get(marks)));
                self.marks[place] = Some(wanted);
                wanted
            }
        };
        let union = self.sets.union(SetId(covered), marks);
        self.note();
        union.0
    }

    fn is_all(&self, covered: u32) -> bool {
        covered == self.all.0
    }

    fn words(&self, covered: u32) -> &[u64] {
        &self.words[covered as usize]
    }

    fn visit(&mut self, state: u64) -> bool {
        self.visited.insert(state)
    }

    fn visited(&self) -> usize {
        self.visited.len()
    }
}
