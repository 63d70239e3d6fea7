//! The search for a wrong observation: the implementation in one place, the specification in all places it can be in.
//!
//! A pair stands for all situations after one sequence of labels in which the same places of the specification are possible:
//! where data decides which ones are, the pair is split. So every obligation of the relation is one question about one
//! pair: whatever the implementation shows next, some place of the specification shows it as well. Pairs are in normal
//! form, and one that is an instance of an earlier one is not looked at again; when no pair is left, the obligations hold
//! for traces of every length. Pairs are taken in order of their depth, so the first wrong observation is a shortest one.

use rustc_hash::FxHashMap;

use super::alphabet::Alphabet;
use super::observed::Happened;
use super::side::{Move, Place, Side};
use super::words::in_words;
use super::world::World;
use crate::kernel::StepSystem;
use crate::search::{Branch, Limit, Limits, Normal, Passage, Progress, Way, fitting, normal};
use crate::syntax::tree::Direction;
use crate::term::{Range, Store, Term, Value};

/// Most combinations of control states that are looked at one by one.
const MAX_CONTROL: usize = 2_000;
/// Most pairs of the same shape that a new one is compared with.
const MAX_COMPARED: usize = 64;
/// Most places of the specification at once.
const MAX_PLACES: usize = 16;

/// What is asked of the pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// Whether everything shown is allowed.
    Conforms,
    /// The same, where inputs count only if no place of the specification refuses them.
    ConformsUniversally,
    /// Whether the implementation takes every input; the specification allows everything.
    TakesInputs,
    /// Where the implementation can be; the specification allows everything.
    Reaches,
}

/// What happens between two pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Happens {
    /// The implementation does something unseen.
    Unseen,
    /// Nothing, for a while.
    Delta,
    /// A label.
    Label(usize),
}

/// A pair.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Pair {
    pub implementation: Place,
    pub specification: Vec<Place>,
    pub ranges: Vec<Range>,
    pub residual: Vec<Term>,
}

/// A pair that was met, and how.
pub(super) struct Met {
    pub pair: Pair,
    witness: Vec<Value>,
    is_doubtful: bool,
    parent: Option<usize>,
    happens: Happens,
    passage: Passage,
    pub depth: usize,
}

/// A trace and a wrong observation after it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Finding {
    /// Values of the implementation's open variables before the first step.
    pub initial: Vec<Value>,
    pub trace: Vec<Happened>,
    pub observed: Happened,
}

/// What the search came to.
pub(super) enum Found {
    /// A wrong observation.
    Wrong(Finding),
    /// Every pair was looked at; the longest trace to one of them.
    Closed(usize),
    /// It was cut at a depth; everything before was looked at, and the depth itself if it was the bound.
    Cut(usize, Limit),
}

/// The search.
pub(super) struct Pairs<'a> {
    pub world: World<'a>,
    alphabet: &'a Alphabet,
    implementation: Side<'a>,
    specification: Side<'a>,
    question: Question,
    pub met: Vec<Met>,
    numbers: FxHashMap<Pair, usize>,
    by_shape: FxHashMap<Shape, Vec<usize>>,
    /// Wrong observations of the pair that is looked at.
    wrong: Vec<Wrong>,
    /// Pairs as they come, instead of their normal forms, if somebody wants them.
    recorded: Option<Vec<(Branch, Pair)>>,
    /// Wrong observations that could not be confirmed.
    pub doubts: usize,
}

impl Pair {
    /// All its terms.
    pub fn terms(&self) -> impl Iterator<Item = Term> + '_ {
        self.implementation.terms().chain(self.specification.iter().flat_map(Place::terms))
    }

    /// The same places with other terms, which come in the same order.
    pub fn with_terms(self, terms: Vec<Term>) -> Pair {
        let mut terms = terms.into_iter();
        let implementation = self.implementation.with_terms(&mut terms);
        let specification = self.specification.iter().map(|place| place.with_terms(&mut terms)).collect();
        Pair { implementation, specification, ..self }
    }
}

/// What comes first, or follows a pair of which nothing is known: pairs as they are, and what is known where something is
/// wrong.
pub(super) struct Beginning {
    pub next: Vec<(Branch, Pair)>,
    pub wrong: Vec<Branch>,
}

/// A pair without its data.
pub(super) type Shape = Vec<(Vec<u32>, Option<usize>)>;

pub(super) fn shape(pair: &Pair) -> Shape {
    let of = |place: &Place| match place {
        Place::Chaos => (vec![], None),
        Place::Hushed => (vec![], Some(usize::MAX)),
        Place::At { control, pending, .. } => (control.clone(), pending.as_ref().map(|(label, _)| *label)),
    };
    [&pair.implementation].into_iter().chain(&pair.specification).map(of).collect()
}

/// The pair that something follows, and its depth.
type From = (usize, usize);

/// A wrong observation: what is known there, and the label with its data; none for silence.
type Wrong = (Branch, Option<(usize, Vec<Term>)>);

impl<'a> Pairs<'a> {
    pub fn new(
        world: World<'a>,
        alphabet: &'a Alphabet,
        implementation: Side<'a>,
        specification: Side<'a>,
        question: Question,
    ) -> Pairs<'a> {
        Pairs {
            world,
            alphabet,
            implementation,
            specification,
            question,
            met: vec![],
            numbers: FxHashMap::default(),
            by_shape: FxHashMap::default(),
            wrong: vec![],
            recorded: None,
            doubts: 0,
        }
    }

    /// Searches up to a depth, or until so many pairs were met. A wrong observation counts when it was confirmed.
    pub fn search(
        &mut self,
        depth: Option<usize>,
        most: usize,
        limits: &Limits,
        progress: &mut dyn Progress,
        confirm: &mut dyn FnMut(&Finding) -> bool,
    ) -> Found {
        let mut level: Vec<usize> = self.begin();
        let mut at = 0;
        while !level.is_empty() {
            // What happens unseen comes first: a pair that it leads to belongs to this depth, not to a later one.
            let mut done = 0;
            while let Some(number) = level.get(done).copied() {
                if let Some(limit) = self.used_up(most, limits) {
                    return Found::Cut(at, limit);
                }
                done += 1;
                match limits.attempt(|| self.unseen(number)) {
                    Ok(unseen) => level.extend(unseen),
                    Err(limit) => return Found::Cut(at, limit),
                }
            }
            let mut next = vec![];
            for (done, number) in level.iter().enumerate() {
                if let Some(limit) = self.used_up(most, limits) {
                    return Found::Cut(at, limit);
                }
                progress.at(at, self.met.len(), level.len() - done, self.world.oracle.calls());
                let may_go_on = depth.is_none_or(|depth| at < depth);
                let looked = limits.attempt(|| {
                    next.extend(self.seen(*number, may_go_on));
                    for wrong in std::mem::take(&mut self.wrong) {
                        match self.concrete(*number, wrong) {
                            Some(finding) if confirm(&finding) => return Some(finding),
                            _ => self.doubts += 1,
                        }
                    }
                    None
                });
                match looked {
                    Ok(Some(finding)) => return Found::Wrong(finding),
                    Ok(None) => {}
                    Err(limit) => return Found::Cut(at, limit),
                }
            }
            if depth == Some(at) {
                // Whether there is more to see beyond the bound was not looked at.
                return Found::Cut(at, Limit::Depth);
            }
            at += 1;
            level = next;
        }
        Found::Closed(at.saturating_sub(1))
    }

    fn used_up(&self, most: usize, limits: &Limits) -> Option<Limit> {
        if self.met.len() > most { Some(Limit::Work) } else { limits.used_up() }
    }

    /// All pairs that were met, in words.
    pub fn in_words(&mut self) -> Vec<String> {
        let World { terms, definitions, .. } = &mut self.world;
        let pairs = self.met.iter().map(|met| &met.pair);
        in_words(pairs, self.implementation.system, self.specification.system, terms, definitions)
    }

    fn begin(&mut self) -> Vec<usize> {
        let mut branch = Branch::default();
        let Some((implementation, opened)) = self.implementation.start(&mut self.world, &mut branch) else {
            return vec![];
        };
        let known = branch.store.ranges.len();
        let specification = match self.question {
            Question::TakesInputs | Question::Reaches => Some(Place::Chaos),
            _ => self.specification.start(&mut self.world, &mut branch).map(|(place, _)| place),
        };
        let Some(specification) = specification else { return vec![] };
        if branch.store.ranges.len() > known {
            self.world.gaps.insert("the specification begins with values that nobody sees".to_owned());
            return vec![];
        }
        let mut out = vec![];
        for (branch, places) in self.closed(branch, vec![specification]) {
            out.extend(self.settle(&branch, &implementation, places, (None, Happens::Unseen, 0), &opened, 0));
        }
        out
    }

    /// The places with all that internal moves of the specification lead to, split by which of them are possible.
    fn closed(&mut self, branch: Branch, places: Vec<Place>) -> Vec<(Branch, Vec<Place>)> {
        let mut open = vec![(branch, places, 0)];
        let mut out = vec![];
        while let Some((branch, places, at)) = open.pop() {
            let Some(place) = places.get(at) else {
                out.push((branch, places));
                continue;
            };
            if places.len() > MAX_PLACES {
                self.world.gaps.insert("the specification may do too much unseen".to_owned());
                out.push((branch, places));
                continue;
            }
            let moves = self.specification.internal_closed(&mut self.world, &branch, place);
            let mut alternatives = vec![];
            for Move { condition, next } in moves {
                let next = next.applied(&branch, &mut self.world);
                if !places.contains(&next) {
                    alternatives.push((condition, next));
                }
            }
            if alternatives.is_empty() {
                open.push((branch, places, at + 1));
                continue;
            }
            for (branch, more) in self.world.split(&branch, alternatives) {
                let places = places.iter().cloned().chain(more).collect();
                open.push((branch, places, at + 1));
            }
        }
        out
    }

    /// The pair in its normal form; none if it is known.
    fn settle(
        &mut self,
        branch: &Branch,
        implementation: &Place,
        places: Vec<Place>,
        (parent, happens, depth): (Option<usize>, Happens, usize),
        data: &[Term],
        carried: usize,
    ) -> Option<usize> {
        let implementation = implementation.applied(branch, &mut self.world);
        let mut places: Vec<Place> = places.iter().map(|place| place.applied(branch, &mut self.world)).collect();
        places.sort();
        places.dedup();
        if let Some(recorded) = &mut self.recorded {
            let pair = Pair { implementation, specification: places, ranges: vec![], residual: vec![] };
            recorded.push((branch.clone(), pair));
            return None;
        }
        let roots: Vec<Term> = implementation.terms().chain(places.iter().flat_map(Place::terms)).collect();
        let Normal { roots, ranges, residual, witness, passage } =
            normal(&mut self.world.terms, branch, &roots, data, carried);
        let mut roots = roots.into_iter();
        let implementation = implementation.with_terms(&mut roots);
        let specification: Vec<Place> = places.iter().map(|place| place.with_terms(&mut roots)).collect();
        let pair = Pair { implementation, specification, ranges, residual };
        if self.numbers.contains_key(&pair) {
            return None;
        }
        let shape = shape(&pair);
        let known = self.by_shape.get(&shape).map_or(&[][..], Vec::as_slice);
        // Where there are many, one that was met long ago or just before is the likeliest.
        let likely: Vec<usize> = match known.len().checked_sub(MAX_COMPARED) {
            None => known.to_vec(),
            Some(_) => {
                let (first, rest) = known.split_at(MAX_COMPARED / 2);
                first.iter().chain(&rest[rest.len() - MAX_COMPARED / 2..]).copied().collect()
            }
        };
        if likely.into_iter().any(|other| self.is_instance(&pair, &witness, other)) {
            return None;
        }
        let number = self.met.len();
        self.numbers.insert(pair.clone(), number);
        self.by_shape.entry(shape).or_default().push(number);
        let is_doubtful = branch.is_doubtful;
        self.met.push(Met { pair, witness, is_doubtful, parent, happens, passage, depth });
        Some(number)
    }

    /// Whether all situations of a pair are among those of an earlier one of the same shape.
    fn is_instance(&mut self, pair: &Pair, witness: &[Value], earlier: usize) -> bool {
        let other = self.met[earlier].pair.clone();
        if self.met[earlier].is_doubtful {
            return false;
        }
        // Symbols of the earlier pair that stand alone somewhere are what stands there now.
        let (own, others): (Vec<Term>, Vec<Term>) = (pair.terms().collect(), other.terms().collect());
        let mut meaning: Vec<Option<Term>> = vec![None; other.ranges.len()];
        for (own, other) in own.iter().zip(&others) {
            if let crate::term::Node::Symbol(symbol) = self.world.terms.node(*other) {
                meaning[symbol.number as usize].get_or_insert(*own);
            }
        }
        let Some(meaning) = meaning.into_iter().collect::<Option<Vec<Term>>>() else { return false };
        let world = &mut self.world;
        let mut conditions = vec![];
        for (own, other) in own.iter().zip(others) {
            let other = world.terms.substitute(other, &|s| meaning.get(s.number as usize).copied());
            conditions.push(world.terms.equal(*own, other));
        }
        for (range, value) in other.ranges.iter().zip(&meaning) {
            if world.terms.sort(*value) != range.sort() {
                return false;
            }
            conditions.extend(range.conditions(&mut world.terms, *value));
        }
        for condition in other.residual {
            conditions.push(world.terms.substitute(condition, &|s| meaning.get(s.number as usize).copied()));
        }
        let all = world.terms.all(conditions);
        if world.terms.is(all, true) {
            return true;
        }
        // The values that are known to work may already be the exception.
        if world.terms.value_under(all, witness) == Some(Value::Bool(false)) {
            return false;
        }
        let not = world.terms.not(all);
        let branch = Branch::new(&pair.ranges, &pair.residual, witness.to_vec(), false);
        world.when(&branch, not).is_none()
    }

    /// Both models.
    pub fn systems(&self) -> [&'a StepSystem; 2] {
        [self.implementation.system, self.specification.system]
    }

    /// The pair in which everything that still matters is open.
    pub fn generic(&mut self, pair: &Pair) -> Option<Pair> {
        let mut branch = Branch::default();
        let implementation = self.implementation.opened(&mut self.world, &mut branch, &pair.implementation)?;
        let places = pair.specification.iter();
        let specification: Option<Vec<Place>> =
            places.map(|place| self.specification.opened(&mut self.world, &mut branch, place)).collect();
        let residual = branch.store.residual.iter().copied().collect();
        Some(Pair { implementation, specification: specification?, ranges: branch.store.ranges, residual })
    }

    /// What comes first, or follows a pair, without normal forms.
    pub fn successors(&mut self, pair: Option<&Pair>) -> Beginning {
        self.recorded = Some(vec![]);
        match pair {
            None => {
                self.begin();
            }
            Some(pair) => {
                let witness = pair.ranges.iter().map(Range::simple).collect();
                let branch = Branch::new(&pair.ranges, &pair.residual, witness, false);
                self.follow_unseen(pair, &branch, (0, 0));
                self.follow_seen(pair, &branch, (0, 0), true);
            }
        }
        let next = self.recorded.take().expect("pairs are recorded since the beginning");
        let wrong = std::mem::take(&mut self.wrong).into_iter().map(|(branch, _)| branch).collect();
        Beginning { next, wrong }
    }

    fn branch(&self, number: usize) -> Branch {
        let Met { pair, witness, is_doubtful, .. } = &self.met[number];
        Branch::new(&pair.ranges, &pair.residual, witness.clone(), *is_doubtful)
    }

    /// What internal moves of the implementation lead to: pairs of the same depth.
    fn unseen(&mut self, number: usize) -> Vec<usize> {
        let (pair, branch) = (self.met[number].pair.clone(), self.branch(number));
        self.follow_unseen(&pair, &branch, (number, self.met[number].depth))
    }

    fn follow_unseen(&mut self, pair: &Pair, branch: &Branch, (number, depth): From) -> Vec<usize> {
        let mut out = vec![];
        for (within, step) in self.implementation.internal(&mut self.world, branch, &pair.implementation) {
            let places = pair.specification.clone();
            let about = (Some(number), Happens::Unseen, depth);
            out.extend(self.settle(&within, &step.next, places, about, &[], pair.ranges.len()));
        }
        out
    }

    /// What can be seen next: pairs of the next depth. Wrong observations are noted.
    fn seen(&mut self, number: usize, may_go_on: bool) -> Vec<usize> {
        let (pair, branch) = (self.met[number].pair.clone(), self.branch(number));
        self.follow_seen(&pair, &branch, (number, self.met[number].depth), may_go_on)
    }

    fn follow_seen(&mut self, pair: &Pair, branch: &Branch, from: From, may_go_on: bool) -> Vec<usize> {
        let mut out = self.silence(from, pair, branch, may_go_on);
        for label in self.alphabet.of_direction(Direction::Out) {
            out.extend(self.output(from, pair, branch, label, may_go_on));
        }
        if may_go_on {
            for label in self.alphabet.of_direction(Direction::In) {
                out.extend(self.input(from, pair, branch, label));
            }
        }
        out
    }

    fn silence(&mut self, from: From, pair: &Pair, branch: &Branch, may_go_on: bool) -> Vec<usize> {
        // Silence leads nowhere else, and takes nothing.
        if self.question == Question::TakesInputs {
            return vec![];
        }
        let quiet = self.implementation.is_quiet(&mut self.world, branch, &pair.implementation);
        let Some(within) = self.world.when(branch, quiet) else { return vec![] };
        let mut alternatives = vec![];
        for place in &pair.specification {
            let quiet = self.specification.is_quiet(&mut self.world, &within, place);
            alternatives.push((quiet, place.clone()));
        }
        self.judge(&within, &alternatives, None);
        if !may_go_on {
            return vec![];
        }
        let mut out = vec![];
        for (within, places) in self.world.split(&within, alternatives) {
            if places.is_empty() {
                continue;
            }
            // Who was busy with hidden steps may be anywhere that they lead to.
            let closed = match self.specification.recurring.is_empty() {
                true => vec![(within, places)],
                false => self.closed(within, places),
            };
            for (within, places) in closed {
                let about = (Some(from.0), Happens::Delta, from.1 + 1);
                let still = pair.implementation.after_silence();
                out.extend(self.settle(&within, &still, places, about, &[], pair.ranges.len()));
            }
        }
        out
    }

    /// Notes a wrong observation if none of the alternatives may be there.
    fn judge(&mut self, branch: &Branch, alternatives: &[(Term, Place)], label: Option<(usize, &[Term])>) {
        let none = alternatives.iter().map(|(condition, _)| self.world.terms.not(*condition)).collect();
        let none = self.world.terms.all(none);
        if let Some(wrong) = self.world.when(branch, none) {
            self.wrong.push((wrong, label.map(|(label, data)| (label, data.to_vec()))));
        }
    }

    /// What the places of the specification do with a label.
    fn answers(&mut self, branch: &Branch, pair: &Pair, label: usize, data: &[Term]) -> Vec<(Term, Place)> {
        let mut out = vec![];
        for place in &pair.specification {
            for Move { condition, next } in self.specification.moves(&mut self.world, branch, place, label, data) {
                out.push((condition, next.applied(branch, &mut self.world)));
            }
        }
        out
    }

    fn output(&mut self, from: From, pair: &Pair, branch: &Branch, label: usize, may_go_on: bool) -> Vec<usize> {
        let mut within = branch.clone();
        let data = match &pair.implementation {
            Place::At { pending: Some((owed, data)), .. } if *owed == label => data.clone(),
            Place::At { pending: Some(_), .. } => return vec![],
            _ => match self.world.open_label(&self.alphabet.labels[label], &mut within) {
                Some(data) => data,
                None => return vec![],
            },
        };
        let mut out = vec![];
        for step in self.implementation.moves(&mut self.world, &within, &pair.implementation, label, &data) {
            let Some(within) = self.world.when(&within, step.condition) else { continue };
            let alternatives = self.answers(&within, pair, label, &data);
            self.judge(&within, &alternatives, Some((label, &data)));
            if may_go_on {
                out.extend(self.onwards(from, pair, within, &step.next, alternatives, (label, &data)));
            }
        }
        out
    }

    fn input(&mut self, from: From, pair: &Pair, branch: &Branch, label: usize) -> Vec<usize> {
        let mut within = branch.clone();
        let Some(data) = self.world.open_label(&self.alphabet.labels[label], &mut within) else { return vec![] };
        // Without an answer of the specification there is nothing to compare.
        let alternatives = self.answers(&within, pair, label, &data);
        let some = alternatives.iter().map(|(condition, _)| *condition).collect();
        let some = self.world.terms.any(some);
        if !self.world.assume(&mut within, some) {
            return vec![];
        }
        if self.question == Question::ConformsUniversally {
            let all = self.taken_by_all(&within, pair, label, &data);
            if !self.world.assume(&mut within, all) {
                return vec![];
            }
        }
        let mut out = vec![];
        let moves = self.implementation.moves(&mut self.world, &within, &pair.implementation, label, &data);
        if self.question == Question::TakesInputs {
            let refused = self.refused(&within, &pair.implementation, label, &data);
            self.wrong.extend(refused.map(|refused| (refused, Some((label, data.clone())))));
        }
        for step in moves {
            let Some(within) = self.world.when(&within, step.condition) else { continue };
            out.extend(self.onwards(from, pair, within, &step.next, alternatives.clone(), (label, &data)));
        }
        out
    }

    /// Where an input of the types that the models declare is not taken.
    fn refused(&mut self, branch: &Branch, place: &Place, label: usize, data: &[Term]) -> Option<Branch> {
        if !matches!(place, Place::At { pending: None, .. }) {
            return None;
        }
        let sides = [&self.implementation, &self.specification];
        let declared: Vec<Term> = sides.iter().filter_map(|side| side.declared(&mut self.world, label, data)).collect();
        let declared = self.world.terms.any(declared);
        let within = self.world.when(branch, declared)?;
        match self.implementation.never_taken(&mut self.world, &within, place, label, data) {
            Some(refused) => self.world.when(&within, refused),
            None => {
                self.world.gaps.insert("the implementation may do too much unseen".to_owned());
                None
            }
        }
    }

    /// Whether the implementation takes every input wherever control may lead it, whatever its variables are. If so, it
    /// is settled; if not, it may still be that no run gets there.
    pub fn takes_inputs_anyhow(&mut self) -> bool {
        // A gap that is known already is one here as well.
        let before = std::mem::take(&mut self.world.gaps);
        let takes = self.takes_inputs_anywhere() && self.world.gaps.is_empty();
        self.world.gaps.extend(before);
        takes
    }

    fn takes_inputs_anywhere(&mut self) -> bool {
        let mut known: Vec<Vec<u32>> = vec![];
        let mut open = vec![self.implementation.system.machines.iter().map(|m| m.initial).collect::<Vec<u32>>()];
        while let Some(control) = open.pop() {
            if known.contains(&control) {
                continue;
            }
            known.push(control.clone());
            if known.len() > MAX_CONTROL || !self.world.gaps.is_empty() {
                return false;
            }
            let mut branch = Branch::default();
            let Some(place) = self.implementation.anywhere(&mut self.world, &mut branch, &control) else {
                return false;
            };
            let mut moves: Vec<Move> = self
                .implementation
                .internal(&mut self.world, &branch, &place)
                .into_iter()
                .map(|(_, step)| step)
                .collect();
            for label in 0..self.alphabet.labels.len() {
                let mut within = branch.clone();
                let described = &self.alphabet.labels[label];
                let Some(data) = self.world.open_label(described, &mut within) else { return false };
                let taken = self.implementation.moves(&mut self.world, &within, &place, label, &data);
                if described.direction == Direction::In && self.refused(&within, &place, label, &data).is_some() {
                    return false;
                }
                moves.extend(taken);
            }
            for step in moves {
                if let Place::At { control, .. } = step.next {
                    open.push(control);
                }
            }
        }
        true
    }

    /// That no place of the specification refuses an input.
    fn taken_by_all(&mut self, branch: &Branch, pair: &Pair, label: usize, data: &[Term]) -> Term {
        let mut parts = vec![];
        for place in &pair.specification {
            let moves = self.specification.moves(&mut self.world, branch, place, label, data);
            let refused = self.specification.not_taken(&mut self.world, branch, place, &moves, (label, data));
            parts.push(self.world.terms.not(refused));
        }
        self.world.terms.all(parts)
    }

    fn onwards(
        &mut self,
        from: From,
        pair: &Pair,
        branch: Branch,
        implementation: &Place,
        alternatives: Vec<(Term, Place)>,
        (label, data): (usize, &[Term]),
    ) -> Vec<usize> {
        let mut out = vec![];
        for (branch, places) in self.world.split(&branch, alternatives) {
            if places.is_empty() {
                continue;
            }
            for (branch, places) in self.closed(branch, places) {
                let about = (Some(from.0), Happens::Label(label), from.1 + 1);
                out.extend(self.settle(&branch, implementation, places, about, data, pair.ranges.len()));
            }
        }
        out
    }

    /// The trace to a wrong observation, with values; none if there are no values that anybody could find.
    fn concrete(&mut self, number: usize, (branch, label): Wrong) -> Option<Finding> {
        let data = label.as_ref().map_or(&[][..], |(_, data)| data);
        let carried = self.met[number].pair.ranges.len();
        let last = normal(&mut self.world.terms, &branch, &[], data, carried).passage;
        let terms = &mut self.world.terms;
        let (mut way, mut store) = (Way::default(), Store::default());
        let observed = way.back_over(terms, &last, &mut store);
        let mut steps = vec![];
        let mut at = Some(number);
        while let Some(number) = at {
            let met = &self.met[number];
            steps.push((met.happens, way.back_over(terms, &met.passage, &mut store)));
            at = met.parent;
        }
        let values = fitting(&mut self.world.oracle, terms, &store, &mut Range::simple)?;
        let applied: Vec<Term> = way.data.iter().map(|term| store.apply(terms, *term)).collect();
        let known: Option<Vec<Value>> = applied.iter().map(|term| terms.value_under(*term, &values)).collect();
        let known = known?;
        let mut steps = steps.into_iter().rev();
        // What the first pair came with is the beginning.
        let initial = steps.next().map_or(vec![], |(_, data)| known[data].to_vec());
        let trace = steps.filter_map(|(happens, data)| match happens {
            Happens::Unseen => None,
            Happens::Delta => Some(Happened::Delta),
            Happens::Label(label) => Some(Happened::Label(label, known[data].to_vec())),
        });
        let trace = trace.collect();
        let observed = match label {
            None => Happened::Delta,
            Some((label, _)) => Happened::Label(label, known[observed].to_vec()),
        };
        Some(Finding { initial, trace, observed })
    }
}
