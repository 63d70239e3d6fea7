//! Breadth first through any space of states, level by level, with what is needed for shortest paths, for exact lengths,
//! and for all paths that differ in what was fired.
//!
//! Level `d` holds the states that some run of exactly `d` steps can be in. Within a level states stand in the order in
//! which they were found, which is the order of the paths to them: the first path to a goal is the shortest, and among the
//! shortest the least by the order of transitions.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::history::Length;

/// A space of numbered states.
pub trait Space {
    /// States to start from.
    fn initial(&mut self) -> Vec<u32>;
    /// Steps from a state, in the order of transitions.
    fn steps(&mut self, state: u32) -> Vec<SpaceStep>;
    /// Whether a run may end here.
    fn accepts(&mut self, state: u32) -> Acceptance;
    /// A lower bound on the steps to an end; none if there is no way.
    fn distance(&mut self, state: u32) -> Option<usize>;
    /// How many terms were made for all of this.
    fn made(&self) -> usize {
        0
    }
}

/// A step in a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpaceStep {
    /// What fired: paths with equal labels are one test case.
    pub label: u32,
    /// Where it leads.
    pub target: u32,
}

/// Whether a run may end in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// It may.
    Yes,
    /// It may not.
    No,
    /// Nobody could tell.
    Unknown,
}

/// A path: where it starts, and which step is taken from each state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The first state.
    pub start: u32,
    /// Numbers of steps among the steps of their states.
    pub steps: Vec<u32>,
}

/// How far a search has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// A shortest path.
    Found(Path),
    /// There is none.
    Exhausted,
    /// The work allowed is done; more may be found.
    Paused,
}

/// A state of a level: how it was reached first.
#[derive(Clone, Copy, Debug)]
struct Reached {
    state: u32,
    /// Place in the level before, and number of the step from there.
    from: Option<(u32, u32)>,
}

/// A search in progress.
#[derive(Debug, Default)]
pub struct Levels {
    length: Option<Length>,
    levels: Vec<Vec<Reached>>,
    /// States of the newest level, to find each once.
    newest: FxHashSet<u32>,
    /// States seen at a depth at which a run may end: to see them again later is of no use.
    seen: FxHashSet<u32>,
    /// Place in the level that is being expanded.
    at: usize,
    expanding: bool,
    /// Ends that nobody could tell, by depth.
    unknown_at: Option<usize>,
    started: bool,
}

impl Levels {
    /// A search for runs of these lengths.
    pub fn new(length: Length) -> Levels {
        Levels { length: Some(length), ..Levels::default() }
    }

    /// Steps of the runs looked at so far.
    pub fn depth(&self) -> usize {
        self.levels.len().saturating_sub(1)
    }

    /// States of the newest level.
    pub fn frontier(&self) -> usize {
        self.levels.last().map_or(0, Vec::len)
    }

    /// The least depth at which it could not be told whether a run may end.
    pub fn unknown_at(&self) -> Option<usize> {
        self.unknown_at
    }

    /// Goes on with the search for a shortest path, for about this many steps between states.
    pub fn shortest(&mut self, space: &mut dyn Space, mut work: usize) -> Status {
        let length = self.length.unwrap_or(Length::ANY);
        if length.is_empty() {
            return Status::Exhausted;
        }
        if !self.started {
            self.started = true;
            self.levels.push(vec![]);
            for state in space.initial() {
                self.reach(space, state, None, length);
            }
            if let Some(path) = self.end_here(space, length) {
                return Status::Found(path);
            }
        }
        loop {
            if !self.expanding {
                let depth = self.depth();
                if self.levels[depth].is_empty() || length.high.is_some_and(|high| depth >= high) {
                    return Status::Exhausted;
                }
                self.newest.clear();
                self.levels.push(vec![]);
                self.expanding = true;
            }
            // The level before the last is expanded into the last.
            let source = self.levels.len() - 2;
            while self.at < self.levels[source].len() {
                if work == 0 {
                    return Status::Paused;
                }
                let place = self.at;
                let state = self.levels[source][place].state;
                let steps = space.steps(state);
                work = work.saturating_sub(steps.len().max(1));
                for (number, step) in steps.into_iter().enumerate() {
                    self.reach(space, step.target, Some((place as u32, number as u32)), length);
                }
                self.at += 1;
            }
            (self.at, self.expanding) = (0, false);
            if let Some(path) = self.end_here(space, length) {
                return Status::Found(path);
            }
        }
    }

    /// Notes a state of the newest level, if it is new and a goal is still in reach.
    fn reach(&mut self, space: &mut dyn Space, state: u32, from: Option<(u32, u32)>, length: Length) {
        let depth = self.levels.len() - 1;
        let known = self.newest.contains(&state) || self.seen.contains(&state);
        if known || !in_reach(space, state, depth, length) {
            return;
        }
        if depth >= length.low {
            self.seen.insert(state);
        } else {
            self.newest.insert(state);
        }
        self.levels[depth].push(Reached { state, from });
    }

    /// The first state of the newest level in which a run may end.
    fn end_here(&mut self, space: &mut dyn Space, length: Length) -> Option<Path> {
        let depth = self.depth();
        if !length.contains(depth) {
            return None;
        }
        for place in 0..self.levels[depth].len() {
            match space.accepts(self.levels[depth][place].state) {
                Acceptance::Yes => return Some(self.path_to(depth, place)),
                Acceptance::Unknown => self.unknown_at = self.unknown_at.or(Some(depth)),
                Acceptance::No => {}
            }
        }
        None
    }

    fn path_to(&self, depth: usize, place: usize) -> Path {
        let mut steps = vec![];
        let mut reached = self.levels[depth][place];
        for level in (0..depth).rev() {
            let Some((place, step)) = reached.from else { break };
            steps.push(step);
            reached = self.levels[level][place as usize];
        }
        steps.reverse();
        Path { start: reached.state, steps }
    }
}

fn in_reach(space: &mut dyn Space, state: u32, depth: usize, length: Length) -> bool {
    match space.distance(state) {
        None => false,
        Some(distance) => length.high.is_none_or(|high| depth + distance <= high),
    }
}

/// All paths that differ in what was fired, the shortest first, then by the order of transitions.
///
/// Looks at the states of each length, then walks back from where runs may end, so that only paths that end well are
/// followed. Paths with equal labels are followed together.
#[derive(Debug)]
pub struct AllPaths {
    length: Length,
    levels: Vec<Vec<u32>>,
    /// Steps of the states that were expanded.
    steps: FxHashMap<u32, Vec<SpaceStep>>,
    unknown_at: Option<usize>,
    work: usize,
}

/// What an enumeration came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Enumerated {
    /// These are all.
    All,
    /// There may be more: the number asked for was reached.
    Enough,
    /// There may be more: a limit was hit.
    Cut,
}

impl AllPaths {
    /// Paths of these lengths.
    pub fn new(length: Length) -> AllPaths {
        AllPaths { length, levels: vec![], steps: FxHashMap::default(), unknown_at: None, work: 0 }
    }

    /// The least depth at which it could not be told whether a run may end.
    pub fn unknown_at(&self) -> Option<usize> {
        self.unknown_at
    }

    /// Enumerates at most `max` paths, adding each to those that were found; `go_on` is asked again and again, with the depth, the states of the newest level and the
    /// steps taken so far.
    pub fn run(
        &mut self,
        space: &mut dyn Space,
        max: Option<usize>,
        found: &mut Vec<Path>,
        go_on: &mut dyn FnMut(usize, usize, usize) -> bool,
    ) -> Enumerated {
        if self.length.is_empty() {
            return Enumerated::All;
        }
        let mut first = vec![];
        for state in space.initial() {
            if in_reach(space, state, 0, self.length) && !first.contains(&state) {
                first.push(state);
            }
        }
        self.levels.push(first);
        for depth in 0.. {
            let expanded = self.steps.len();
            if depth > 0 {
                match self.next_level(space, depth, go_on) {
                    None => return Enumerated::Cut,
                    Some(level) if level.is_empty() => return Enumerated::All,
                    Some(level) => self.levels.push(level),
                }
            }
            if self.length.contains(depth) {
                match self.ending_at(space, depth, max, found, go_on) {
                    Enumerated::All => {}
                    end => return end,
                }
            }
            if self.length.high.is_some_and(|high| depth >= high) {
                break;
            }
            if depth > 0 && self.steps.len() == expanded && !self.may_end_after(space, depth) {
                break;
            }
        }
        Enumerated::All
    }

    fn next_level(
        &mut self,
        space: &mut dyn Space,
        depth: usize,
        go_on: &mut dyn FnMut(usize, usize, usize) -> bool,
    ) -> Option<Vec<u32>> {
        let mut level = vec![];
        let mut known = FxHashSet::default();
        for state in self.levels[depth - 1].clone() {
            if !go_on(depth, level.len(), self.work) {
                return None;
            }
            if !self.steps.contains_key(&state) {
                let steps = space.steps(state);
                self.work += steps.len().max(1);
                self.steps.insert(state, steps);
            }
            for step in &self.steps[&state] {
                if !known.contains(&step.target) && in_reach(space, step.target, depth, self.length) {
                    known.insert(step.target);
                    level.push(step.target);
                }
            }
        }
        Some(level)
    }

    /// Whether a longer run may end well, where what can still be reached is known; true where it is not.
    fn may_end_after(&mut self, space: &mut dyn Space, depth: usize) -> bool {
        let mut open = self.levels[depth].clone();
        let mut seen: FxHashSet<u32> = open.iter().copied().collect();
        while let Some(state) = open.pop() {
            let Some(steps) = self.steps.get(&state) else { return true };
            match space.accepts(state) {
                Acceptance::Yes => return true,
                Acceptance::Unknown => self.unknown_at = self.unknown_at.or(Some(depth + 1)),
                Acceptance::No => {}
            }
            open.extend(steps.iter().map(|step| step.target).filter(|target| seen.insert(*target)));
        }
        false
    }

    /// Paths of exactly this length.
    fn ending_at(
        &mut self,
        space: &mut dyn Space,
        depth: usize,
        max: Option<usize>,
        found: &mut Vec<Path>,
        go_on: &mut dyn FnMut(usize, usize, usize) -> bool,
    ) -> Enumerated {
        let mut ends = FxHashSet::default();
        for state in &self.levels[depth] {
            match space.accepts(*state) {
                Acceptance::Yes => {
                    ends.insert(*state);
                }
                Acceptance::Unknown => self.unknown_at = self.unknown_at.or(Some(depth)),
                Acceptance::No => {}
            }
        }
        // States of each level from which a run of this length may end well.
        let mut alive = vec![ends];
        for level in (0..depth).rev() {
            let next = &alive[alive.len() - 1];
            let here = self.levels[level].iter().copied();
            let here = here.filter(|state| self.steps[state].iter().any(|step| next.contains(&step.target))).collect();
            alive.push(here);
        }
        alive.reverse();
        let starts: Vec<u32> = self.levels[0].iter().copied().filter(|state| alive[0].contains(state)).collect();
        if starts.is_empty() {
            return Enumerated::All;
        }
        let mut taken = Taken::default();
        let group = starts.into_iter().map(|start| (start, taken.start(start))).collect();
        self.walk(&alive, 0, group, &mut taken, max, found, go_on)
    }

    /// Follows all paths with the same labels so far; each is kept with the first path to it.
    #[allow(clippy::too_many_arguments)]
    fn walk(
        &self,
        alive: &[FxHashSet<u32>],
        level: usize,
        group: Vec<(u32, TakenStep)>,
        taken: &mut Taken,
        max: Option<usize>,
        found: &mut Vec<Path>,
        go_on: &mut dyn FnMut(usize, usize, usize) -> bool,
    ) -> Enumerated {
        let depth = alive.len() - 1;
        if max.is_some_and(|max| found.len() >= max) {
            return Enumerated::Enough;
        }
        if !go_on(depth, group.len(), self.work) {
            return Enumerated::Cut;
        }
        if level == depth {
            found.extend(group.first().map(|(_, last)| taken.path(*last)));
            return Enumerated::All;
        }
        let before = taken.len();
        let mut next: Vec<(u32, u32, TakenStep)> = vec![];
        for (state, last) in group {
            for (number, step) in self.steps[&state].iter().enumerate() {
                let is_known = || next.iter().any(|(label, target, _)| (*label, *target) == (step.label, step.target));
                if alive[level + 1].contains(&step.target) && !is_known() {
                    next.push((step.label, step.target, taken.step(last, number as u32)));
                }
            }
        }
        // Labels in the order in which they are met first.
        let mut end = Enumerated::All;
        for place in 0..next.len() {
            let label = next[place].0;
            if next[..place].iter().any(|(other, ..)| *other == label) {
                continue;
            }
            let same = next[place..].iter().filter(|(other, ..)| *other == label);
            let group = same.map(|(_, target, last)| (*target, *last)).collect();
            end = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
                self.walk(alive, level + 1, group, taken, max, found, go_on)
            });
            if end != Enumerated::All {
                break;
            }
        }
        taken.truncate(before);
        end
    }
}

/// Paths under way, each as its last step and the one before: they share their beginnings.
#[derive(Debug, Default)]
struct Taken(Vec<(Option<TakenStep>, u32)>);

/// The number of a step in [`Taken`].
type TakenStep = usize;

impl Taken {
    fn start(&mut self, state: u32) -> TakenStep {
        self.0.push((None, state));
        self.0.len() - 1
    }

    fn step(&mut self, before: TakenStep, number: u32) -> TakenStep {
        self.0.push((Some(before), number));
        self.0.len() - 1
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    /// Forgets what came after.
    fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    fn path(&self, last: TakenStep) -> Path {
        let mut steps = vec![];
        let mut at = last;
        while let (Some(before), number) = self.0[at] {
            steps.push(number);
            at = before;
        }
        steps.reverse();
        Path { start: self.0[at].1, steps }
    }
}
