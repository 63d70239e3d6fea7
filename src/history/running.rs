//! Acceptors over known elements, for all values of their variables at once.
//!
//! A *binding* gives values to some of the variables. Stored are the binding without any, which stands for all values that
//! were never seen, and those that were, each with a state; the stored ones are closed under joins of compatible ones. So
//! every choice of values for all variables has one most specific stored binding, and is in its state. A step that fixes
//! values makes the joins with what they fix, each of which begins in the state of its most specific binding so far. A binding in
//! the state that it would have without being stored is dropped: what is stored are the values for which something is open.
//!
//! Bindings in the same state are one group, and a step moves groups: only those bindings are visited whose values are fixed
//! in the step.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::acceptor::{Acceptor, Atom, Automaton};
use super::looks::{Looks, Observed};
use crate::term::{BinaryOp, Env, Expr, Failure, Fuel, LimitKind, Value, contains};

/// Types with more values than this, or with more combinations, are taken for infinite if nothing rests on it.
const MAX_FINITE: usize = 256;
/// Most variables of an acceptor.
const MAX_VARIABLES: usize = 16;
/// Bindings that are never worth the time to look for those that can be dropped.
const FEW: usize = 1024;

/// Values of some variables, by the number of the variable.
pub type Binding = Vec<(usize, Value)>;

/// Why an acceptor does not go on.
#[derive(Clone, Debug, PartialEq)]
pub enum Stuck {
    /// An expression hits a limit.
    Limit(LimitKind),
    /// There are more open bindings than allowed.
    TooManyBindings(usize),
    /// It has more variables than can be handled.
    TooManyVariables(usize),
}

impl From<LimitKind> for Stuck {
    fn from(limit: LimitKind) -> Stuck {
        Stuck::Limit(limit)
    }
}

/// An acceptor that is run.
#[derive(Clone, Debug)]
pub struct Running {
    acceptor: Arc<Acceptor>,
    is_informative: bool,
    atoms: Vec<Watched>,
    /// Values of variables that have few.
    finite: Vec<Option<Vec<Value>>>,
    /// By state: whether its verdict is what a run that ends has, now and ever after.
    is_final: Vec<bool>,
    /// Sets of variables that steps can fix.
    fixed: Vec<u32>,
    max_open: usize,
}

/// How a condition is looked at.
#[derive(Clone, Debug)]
enum Watched {
    /// It has no variables.
    Closed(usize),
    /// It has: the values that they must have, and the condition with these values.
    Fixing(Vec<(usize, usize)>, With),
}

/// A condition, once the values of its variables are known.
#[derive(Clone, Debug)]
enum With {
    /// It is true.
    Nothing,
    /// It is looked at without variables.
    Look(usize),
    /// It is looked at with them.
    Variables,
}

/// The variables of a binding, and their values in order.
type Key = (u32, Arc<[Value]>);

/// The bindings of an acceptor with their states.
#[derive(Clone, Debug)]
pub struct Bindings {
    /// By the set of variables, smaller sets first.
    tables: Vec<Table>,
    groups: Groups,
    /// Stored bindings.
    count: usize,
    /// How many there were when those that can be dropped were last looked for.
    swept: usize,
    /// Conditions without variables that are true in this step, and the others that are, with the values that make them.
    common: Vec<bool>,
    fixed: Vec<(usize, Key)>,
    /// Bindings visited in this step, with their state before it.
    touched: Vec<(Key, u32)>,
}

/// Values of the variables of a table, by those of some of them.
type ByValues = FxHashMap<Arc<[Value]>, FxHashSet<Arc<[Value]>>>;

/// Stored bindings of one set of variables.
#[derive(Clone, Debug)]
struct Table {
    mask: u32,
    groups: FxHashMap<Arc<[Value]>, u32>,
    /// For sets of variables that a step may fix together with others: the bindings with these values.
    by: Vec<(u32, ByValues)>,
}

/// Bindings in the same state, which move together. Groups that meet become one.
#[derive(Clone, Debug)]
struct Groups {
    parent: Vec<u32>,
    state: Vec<u32>,
    count: Vec<usize>,
    /// Those that are not part of another.
    roots: Vec<u32>,
    of_state: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Running {
    /// An acceptor, over the looks that are added for it.
    pub fn new(
        acceptor: &Arc<Acceptor>,
        is_informative: bool,
        max_open: usize,
        looks: &mut Looks,
    ) -> Result<Running, Stuck> {
        if acceptor.variables.len() > MAX_VARIABLES {
            return Err(Stuck::TooManyVariables(acceptor.variables.len()));
        }
        let watched = |atom: &Atom, looks: &mut Looks| match atom.fixes.is_empty() {
            true => Watched::Closed(looks.number(&atom.condition)),
            false => {
                let fixes = atom.fixes.iter().map(|(v, value)| (*v, looks.number(value))).collect();
                let with = match closed(atom, acceptor.variables.len()) {
                    None => With::Variables,
                    Some(Expr::TRUE) => With::Nothing,
                    Some(condition) => With::Look(looks.number(&condition)),
                };
                Watched::Fixing(fixes, with)
            }
        };
        let atoms = acceptor.atoms.iter().map(|atom| watched(atom, looks)).collect();
        let mut fixed: Vec<u32> = vec![];
        for atom in acceptor.atoms.iter().filter(|atom| !atom.fixes.is_empty()) {
            let mask = atom.fixes.iter().fold(0, |mask, (variable, _)| mask | 1 << variable);
            let joined: Vec<u32> = fixed.iter().map(|other| other | mask).chain([mask]).collect();
            fixed.extend(joined);
            fixed.sort_unstable();
            fixed.dedup();
        }
        let mut finite: Vec<Option<Vec<Value>>> = vec![None; acceptor.variables.len()];
        for variable in acceptor.listed(MAX_FINITE) {
            finite[variable] = acceptor.variables[variable].values.clone();
        }
        let mut running =
            Running { acceptor: acceptor.clone(), is_informative, atoms, finite, is_final: vec![], fixed, max_open };
        running.is_final = finals(running.automaton());
        Ok(running)
    }

    fn automaton(&self) -> &Automaton {
        match &self.acceptor.informative {
            Some(informative) if self.is_informative => informative,
            _ => &self.acceptor.automaton,
        }
    }

    /// The acceptor.
    pub fn acceptor(&self) -> &Acceptor {
        &self.acceptor
    }

    /// The verdict that one binding decides alone.
    fn alone(&self) -> bool {
        !self.acceptor.for_all
    }

    /// Before the first step.
    pub fn start(&self) -> Bindings {
        let automaton = self.automaton();
        let mut groups = Groups {
            parent: vec![],
            state: vec![],
            count: vec![],
            roots: vec![],
            of_state: vec![NONE; automaton.states.len()],
        };
        let group = groups.of(automaton.start as u32);
        groups.count[group as usize] = 1;
        let never = Table { mask: 0, groups: FxHashMap::from_iter([(Arc::from([]), group)]), by: vec![] };
        Bindings {
            tables: vec![never],
            groups,
            count: 1,
            swept: 1,
            common: vec![false; self.atoms.len()],
            fixed: vec![],
            touched: vec![],
        }
    }

    /// One more step. Says whether the state of a binding may have changed.
    pub fn step(&self, bindings: &mut Bindings, looks: &mut Looks, observed: Observed<'_>) -> Result<bool, Stuck> {
        self.look(bindings, looks, observed)?;
        let automaton = self.automaton();
        bindings.touched.clear();
        if !bindings.fixed.is_empty() {
            self.touch(bindings);
        }
        let Bindings { common, groups, .. } = bindings;
        let mut changed = groups.advance(|state| automaton.next(state as usize, |atom| common[atom]) as u32);
        if bindings.touched.is_empty() {
            return Ok(changed);
        }
        let mut touched = std::mem::take(&mut bindings.touched);
        for (key, state) in &mut touched {
            let (common, fixed) = (&bindings.common, &bindings.fixed);
            let is_true = |atom: usize| common[atom] || fixed.iter().any(|(a, by)| *a == atom && is_within(by, key));
            let next = automaton.next(*state as usize, is_true) as u32;
            changed |= next != *state;
            *state = next;
            bindings.put(key, next, &self.fixed);
        }
        bindings.touched = touched;
        if bindings.count > 2 * bindings.swept + FEW || bindings.groups.parent.len() > bindings.count + FEW {
            bindings.sweep();
        }
        if bindings.count > self.max_open.saturating_add(1) {
            bindings.sweep();
            if bindings.count > self.max_open.saturating_add(1) {
                return Err(Stuck::TooManyBindings(self.max_open));
            }
        }
        Ok(changed)
    }

    /// Which conditions are true, and for which values.
    fn look(&self, bindings: &mut Bindings, looks: &mut Looks, observed: Observed<'_>) -> Result<(), LimitKind> {
        bindings.fixed.clear();
        for (number, atom) in self.atoms.iter().enumerate() {
            bindings.common[number] = match atom {
                Watched::Closed(look) => looks.value(*look, observed)?.is_true(),
                Watched::Fixing(fixes, with) => {
                    if let Some(key) = self.fixing(number, fixes, with, looks, observed)? {
                        bindings.fixed.push((number, key));
                    }
                    false
                }
            };
        }
        Ok(())
    }

    /// The values with which a condition is true, if there are some.
    fn fixing(
        &self,
        atom: usize,
        fixes: &[(usize, usize)],
        with: &With,
        looks: &mut Looks,
        observed: Observed<'_>,
    ) -> Result<Option<Key>, LimitKind> {
        // Most steps are about something else.
        for (_, look) in fixes {
            if *looks.value(*look, observed)? == Value::Absent {
                return Ok(None);
            }
        }
        let mut frame = vec![Value::Absent; self.acceptor.variables.len()];
        for (variable, look) in fixes {
            let value = looks.value(*look, observed)?;
            if frame[*variable] != Value::Absent && frame[*variable] != *value {
                return Ok(None);
            }
            let ty = &self.acceptor.variables[*variable].ty;
            let fuel = Fuel::new();
            let env = Env { definitions: observed.definitions, slots: &[], fuel: &fuel };
            match contains(ty, value, env) {
                Ok(true) => frame[*variable] = value.clone(),
                Err(Failure::Limit(limit)) => return Err(limit),
                _ => return Ok(None),
            }
        }
        let is_true = match with {
            With::Nothing => true,
            With::Look(look) => looks.value(*look, observed)?.is_true(),
            With::Variables => {
                let condition: &Expr = &self.acceptor.atoms[atom].condition;
                observed.value(condition, &mut frame.clone())?.is_true()
            }
        };
        let mask = fixes.iter().fold(0, |mask, (variable, _)| mask | 1 << variable);
        let values = frame.into_iter().enumerate().filter(|(variable, _)| mask & (1 << variable) != 0);
        Ok(is_true.then(|| (mask, values.map(|(_, value)| value).collect())))
    }

    /// Finds the bindings that what is fixed in this step concerns, with their states; also those that are not stored yet.
    fn touch(&self, bindings: &mut Bindings) {
        let (_, first) = &bindings.fixed[0];
        let is_one = bindings.fixed.iter().all(|(_, key)| key == first);
        if is_one && bindings.tables.iter().all(|table| table.mask & !first.0 == 0) {
            // Nothing is stored that could be joined with it.
            let (key, state) = (first.clone(), bindings.state(first));
            bindings.touched.push((key, state));
            return;
        }
        let mut fixed: Vec<Key> = vec![];
        for (_, key) in &bindings.fixed {
            if !fixed.contains(key) {
                let joined: Vec<Key> = fixed.iter().filter_map(|other| join(other, key)).collect();
                fixed.push(key.clone());
                joined.into_iter().for_each(|key| {
                    if !fixed.contains(&key) {
                        fixed.push(key);
                    }
                });
            }
        }
        let mut found: FxHashSet<Key> = FxHashSet::default();
        for key in &fixed {
            for table in &bindings.tables {
                let both = table.mask & key.0;
                if both == table.mask {
                    // Its own values, joined with what is fixed, are what is fixed.
                    if table.within(key).is_some() {
                        found.insert(key.clone());
                    }
                } else if both == 0 {
                    found.extend(table.groups.keys().filter_map(|values| join(&(table.mask, values.clone()), key)));
                } else if let Some((_, by)) = table.by.iter().find(|(mask, _)| *mask == both) {
                    let with = by.get(&project(key, both)[..]).into_iter().flatten();
                    found.extend(with.filter_map(|values| join(&(table.mask, values.clone()), key)));
                }
            }
        }
        let mut touched: Vec<(Key, u32)> = vec![];
        for key in found {
            let state = bindings.state(&key);
            touched.push((key, state));
        }
        // Smaller ones first: what a larger one would be without being stored depends on them.
        if touched.len() > 1 {
            touched.sort_by(|((a, x), _), ((b, y), _)| (a.count_ones(), a, x).cmp(&(b.count_ones(), b, y)));
        }
        bindings.touched = touched;
    }

    /// What is certain however the run goes on, if anything is.
    pub fn verdict(&self, bindings: &Bindings) -> Option<bool> {
        let verdict = |state: u32| self.automaton().states[state as usize].verdict;
        self.combined(bindings, &verdict)
    }

    /// Whether the verdict is also that of the run if it ends, now or later.
    pub fn is_final(&self, bindings: &Bindings) -> bool {
        let verdict = |state: u32| {
            let is_final = self.is_final[state as usize];
            self.automaton().states[state as usize].verdict.filter(|_| is_final)
        };
        self.combined(bindings, &verdict).is_some()
    }

    /// The verdict if the run ends here.
    pub fn at_stop(&self, bindings: &Bindings) -> bool {
        let accepts = |state: u32| Some(self.automaton().states[state as usize].accepts);
        self.combined(bindings, &accepts).expect("each state accepts or does not")
    }

    /// The binding that decides a verdict alone, if one does.
    pub fn decider(&self, bindings: &Bindings, at_stop: bool) -> Option<Binding> {
        let states = &self.automaton().states;
        let decides = |state: u32| {
            let state = states[state as usize];
            let verdict = if at_stop { Some(state.accepts) } else { state.verdict };
            verdict == Some(self.alone())
        };
        // Those that this step is about first, and of several always the same.
        let in_step = bindings.touched.iter().filter(|(key, state)| decides(*state) && self.counts(bindings, key));
        let key = match in_step.map(|(key, _)| key).next() {
            Some(key) => Some(key.clone()),
            None => {
                let all = bindings.each().filter(|(key, state)| decides(*state) && self.counts(bindings, key));
                all.map(|(key, _)| key).min_by(|a, b| (a.0.count_ones(), a).cmp(&(b.0.count_ones(), b)))
            }
        };
        key.map(|key| named(&key))
    }

    /// The verdict of all bindings together.
    fn combined(&self, bindings: &Bindings, verdict: &dyn Fn(u32) -> Option<bool>) -> Option<bool> {
        let alone = self.alone();
        let groups = &bindings.groups;
        let states =
            || groups.roots.iter().filter(|g| groups.count[**g as usize] > 0).map(|g| groups.state[*g as usize]);
        let (mut some, mut all) = (false, true);
        for state in states() {
            let verdict = verdict(state);
            some |= verdict == Some(alone);
            all &= verdict == Some(!alone);
        }
        if self.finite.iter().all(Option::is_none) {
            return if some { Some(alone) } else { all.then_some(!alone) };
        }
        // Where the values of a variable can be used up, a binding may stand for none.
        if some && bindings.each().any(|(key, state)| verdict(state) == Some(alone) && self.counts(bindings, &key)) {
            return Some(alone);
        }
        let mut open = bindings.each().filter(|(_, state)| verdict(*state) != Some(!alone));
        (all || !open.any(|(key, _)| self.counts(bindings, &key))).then_some(!alone)
    }

    /// Whether a binding is the most specific one of some values.
    fn counts(&self, bindings: &Bindings, key: &Key) -> bool {
        let free = (0..self.finite.len()).filter(|v| key.0 & (1 << v) == 0);
        let mut wider: Vec<Key> = vec![key.clone()];
        for variable in free {
            let Some(values) = &self.finite[variable] else { continue };
            let with = |key: &Key, value: &Value| join(key, &(1 << variable, Arc::from([value.clone()])));
            wider = wider.iter().flat_map(|key| values.iter().filter_map(move |value| with(key, value))).collect();
        }
        wider.iter().any(|wide| bindings.most_specific(wide).is_some_and(|(mask, _)| mask == key.0))
    }

    /// Calls `f` with every binding that is in an accepting state after a step.
    pub fn matches(&self, bindings: &Bindings, f: &mut dyn FnMut(Binding)) {
        let states = &self.automaton().states;
        let accepts = |state: u32| states[state as usize].accepts;
        let groups = &bindings.groups;
        let roots = groups.roots.iter().filter(|g| accepts(groups.state[**g as usize]));
        let all: usize = roots.map(|g| groups.count[*g as usize]).sum();
        if all == 0 {
            return;
        }
        // One that was dropped is in the same state as the one it fell back to, which is told instead.
        let is_stored = |key: &Key| bindings.group(key).is_some();
        let touched = || bindings.touched.iter().filter(|(key, state)| accepts(*state) && is_stored(key));
        if touched().count() == all {
            touched().filter(|(key, _)| self.counts(bindings, key)).for_each(|(key, _)| f(named(key)));
            return;
        }
        let mut found: Vec<Key> = bindings.each().filter(|(_, state)| accepts(*state)).map(|(key, _)| key).collect();
        found.retain(|key| self.counts(bindings, key));
        found.sort();
        found.iter().for_each(|key| f(named(key)));
    }
}

impl Bindings {
    /// Stored bindings, without the one for values that were never seen.
    pub fn open(&self) -> usize {
        self.count - 1
    }

    /// Whether both have the same bindings in the same states.
    pub fn is_same(&self, other: &Bindings) -> bool {
        let content = |bindings: &Bindings| -> FxHashMap<Key, u32> { bindings.each().collect() };
        self.count == other.count && content(self) == content(other)
    }

    fn each(&self) -> impl Iterator<Item = (Key, u32)> + '_ {
        self.tables.iter().flat_map(move |table| {
            let states = table.groups.iter();
            states.map(move |(values, group)| ((table.mask, values.clone()), self.groups.state_of(*group)))
        })
    }

    fn group(&self, (mask, values): &Key) -> Option<u32> {
        let table = self.tables.iter().find(|table| table.mask == *mask)?;
        table.groups.get(&values[..]).copied()
    }

    /// The most specific stored binding within one: its variables and its group.
    fn most_specific(&self, key: &Key) -> Option<(u32, u32)> {
        let within = self.tables.iter().rev().filter(|table| table.mask & !key.0 == 0);
        within.filter_map(|table| Some((table.mask, table.within(key)?))).next()
    }

    fn state(&self, key: &Key) -> u32 {
        self.most_specific(key).map_or(0, |(_, group)| self.groups.state_of(group))
    }

    /// Whether a binding in a state is as if it were not stored.
    fn is_needless(&self, key: &Key, state: u32) -> bool {
        let mut joined = 0;
        let mut last = None;
        for table in self.tables.iter().filter(|table| table.mask & !key.0 == 0 && table.mask != key.0) {
            if let Some(group) = table.within(key) {
                joined |= table.mask;
                last = Some(group);
            }
        }
        // Tables with more variables come last, so the last is the join of all.
        joined != key.0 && last.is_some_and(|group| self.groups.state_of(group) == state)
    }

    /// Stores the state of a binding, or drops it.
    fn put(&mut self, key: &Key, state: u32, fixed: &[u32]) {
        let old = self.group(key);
        if key.0 != 0 && self.is_needless(key, state) {
            if let Some(group) = old {
                self.remove(key, group);
            }
            return;
        }
        let group = self.groups.of(state);
        let root = old.map(|old| self.groups.find(old));
        if root == Some(group) {
            return;
        }
        match root {
            Some(root) => self.groups.count[root as usize] -= 1,
            None => self.count += 1,
        }
        self.groups.count[group as usize] += 1;
        let place = match self.tables.iter().position(|table| table.mask == key.0) {
            Some(place) => place,
            None => {
                let masks = fixed.iter().map(|mask| mask & key.0).filter(|both| *both != 0 && *both != key.0);
                let mut by: Vec<_> = masks.map(|mask| (mask, FxHashMap::default())).collect();
                by.sort_by_key(|(mask, _)| *mask);
                by.dedup_by_key(|(mask, _)| *mask);
                let order = |table: &Table| (table.mask.count_ones(), table.mask);
                let place = self.tables.partition_point(|table| order(table) < (key.0.count_ones(), key.0));
                self.tables.insert(place, Table { mask: key.0, groups: FxHashMap::default(), by });
                place
            }
        };
        let table = &mut self.tables[place];
        if table.groups.insert(key.1.clone(), group).is_none() {
            for (mask, by) in &mut table.by {
                by.entry(project(key, *mask)).or_default().insert(key.1.clone());
            }
        }
    }

    fn remove(&mut self, key: &Key, group: u32) {
        let root = self.groups.find(group);
        self.groups.count[root as usize] -= 1;
        self.count -= 1;
        let Some(table) = self.tables.iter_mut().find(|table| table.mask == key.0) else { return };
        table.groups.remove(&key.1[..]);
        for (mask, by) in &mut table.by {
            let part = project(key, *mask);
            if let Some(with) = by.get_mut(&part[..]) {
                with.remove(&key.1[..]);
                if with.is_empty() {
                    by.remove(&part[..]);
                }
            }
        }
    }

    /// Drops all bindings that can be, and numbers the groups anew.
    fn sweep(&mut self) {
        for place in 1..self.tables.len() {
            let table = &self.tables[place];
            let state = |group: &u32| self.groups.state_of(*group);
            let needless = |(values, group): &(&Arc<[Value]>, &u32)| {
                self.is_needless(&(table.mask, (*values).clone()), state(group))
            };
            let gone: Vec<(Key, u32)> = (table.groups.iter().filter(needless))
                .map(|(values, group)| ((table.mask, values.clone()), *group))
                .collect();
            gone.iter().for_each(|(key, group)| self.remove(key, *group));
            let table = &mut self.tables[place];
            if table.groups.capacity() > 4 * table.groups.len() + FEW {
                table.groups.shrink_to_fit();
            }
        }
        let old = std::mem::replace(
            &mut self.groups,
            Groups { parent: vec![], state: vec![], count: vec![], roots: vec![], of_state: vec![] },
        );
        self.groups.of_state = vec![NONE; old.of_state.len()];
        for table in &mut self.tables {
            for group in table.groups.values_mut() {
                *group = self.groups.of(old.state_of(*group));
                self.groups.count[*group as usize] += 1;
            }
        }
        self.swept = self.count;
    }
}

impl Table {
    /// The group of the part of a binding that has just these variables.
    fn within(&self, key: &Key) -> Option<u32> {
        let group = match self.mask {
            0 => self.groups.get(&[][..]),
            mask if mask == key.0 => self.groups.get(&key.1[..]),
            mask => self.groups.get(&project(key, mask)[..]),
        };
        group.copied()
    }
}

impl Groups {
    fn find(&self, mut group: u32) -> u32 {
        while self.parent[group as usize] != group {
            group = self.parent[group as usize];
        }
        group
    }

    fn state_of(&self, group: u32) -> u32 {
        self.state[self.find(group) as usize]
    }

    /// The group of a state.
    fn of(&mut self, state: u32) -> u32 {
        if self.of_state[state as usize] == NONE {
            let group = self.parent.len() as u32;
            self.parent.push(group);
            self.state.push(state);
            self.count.push(0);
            self.roots.push(group);
            self.of_state[state as usize] = group;
        }
        self.of_state[state as usize]
    }

    /// Moves all groups. Says whether one changed its state.
    fn advance(&mut self, next: impl Fn(u32) -> u32) -> bool {
        if self.roots.iter().all(|root| next(self.state[*root as usize]) == self.state[*root as usize]) {
            return false;
        }
        let roots = std::mem::take(&mut self.roots);
        roots.iter().for_each(|root| self.of_state[self.state[*root as usize] as usize] = NONE);
        for root in roots {
            let at = root as usize;
            if self.count[at] == 0 {
                continue;
            }
            let state = next(self.state[at]);
            let known = self.of_state[state as usize];
            if known == NONE {
                self.state[at] = state;
                self.of_state[state as usize] = root;
                self.roots.push(root);
                continue;
            }
            // The larger one stays, so that ways to the root are short.
            let (stays, goes) = if self.count[known as usize] < self.count[at] { (root, known) } else { (known, root) };
            self.parent[goes as usize] = stays;
            self.count[stays as usize] += self.count[goes as usize];
            self.state[stays as usize] = state;
            self.of_state[state as usize] = stays;
            if stays == root {
                self.roots.retain(|other| *other != goes);
                self.roots.push(root);
            }
        }
        true
    }
}

/// The condition of an atom with the values of its variables in their place, and without what these make true.
fn closed(atom: &Atom, variables: usize) -> Option<Expr> {
    // Only what binds no names itself can be put anywhere.
    if !atom.fixes.iter().all(|(_, value)| matches!(value, Expr::Slot(_))) {
        return None;
    }
    let mut is_closed = true;
    let condition = atom.condition.map_leaves(&mut |leaf| match leaf {
        // Other names are bound in the condition itself.
        Expr::Local(local) if *local < variables => match atom.fixes.iter().find(|(variable, _)| variable == local) {
            Some((_, value)) => Some(value.clone()),
            None => {
                is_closed = false;
                None
            }
        },
        _ => None,
    });
    fn reduced(expr: Expr, atom: &Atom) -> Expr {
        match expr {
            Expr::Binary(BinaryOp::And, a, b) => match (reduced(*a, atom), reduced(*b, atom)) {
                (Expr::TRUE, other) | (other, Expr::TRUE) => other,
                (a, b) => Expr::Binary(BinaryOp::And, Box::new(a), Box::new(b)),
            },
            Expr::Binary(BinaryOp::Equal, a, b) if a == b && atom.fixes.iter().any(|(_, value)| *value == *a) => {
                Expr::TRUE
            }
            other => other,
        }
    }
    is_closed.then(|| reduced(condition, atom))
}

/// The states whose verdict is what a run that ends has, now and ever after.
fn finals(automaton: &Automaton) -> Vec<bool> {
    let states = &automaton.states;
    let mut out: Vec<bool> = states.iter().map(|state| state.verdict == Some(state.accepts)).collect();
    loop {
        // Children come before their parents: what all leaves below a node agree on.
        let mut ends: Vec<Option<bool>> = vec![];
        for node in &automaton.nodes {
            ends.push(match node {
                super::acceptor::Node::Leaf(state) => out[*state].then(|| states[*state].accepts),
                super::acceptor::Node::Test(_, yes, no) => ends[*yes].filter(|_| ends[*yes] == ends[*no]),
            });
        }
        let mut changed = false;
        for (state, is_final) in states.iter().zip(&mut out) {
            if *is_final && ends[state.next] != Some(state.accepts) {
                *is_final = false;
                changed = true;
            }
        }
        if !changed {
            return out;
        }
    }
}

fn variables(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |variable| mask & (1 << variable) != 0)
}

fn named((mask, values): &Key) -> Binding {
    variables(*mask).zip(values.iter().cloned()).collect()
}

/// The part of a binding with these variables.
fn project((mask, values): &Key, part: u32) -> Arc<[Value]> {
    if *mask == part {
        return values.clone();
    }
    let kept = variables(*mask).zip(values.iter()).filter(|(variable, _)| part & (1 << variable) != 0);
    kept.map(|(_, value)| value.clone()).collect()
}

/// Whether a binding is part of another.
fn is_within(part: &Key, whole: &Key) -> bool {
    part.0 & !whole.0 == 0 && project(whole, part.0) == part.1
}

/// Both bindings together, if they agree.
fn join(a: &Key, b: &Key) -> Option<Key> {
    if a.0 & b.0 != 0 && project(a, a.0 & b.0) != project(b, a.0 & b.0) {
        return None;
    }
    let (mut of_a, mut of_b) = (a.1.iter(), b.1.iter());
    let mut values = vec![];
    for variable in variables(a.0 | b.0) {
        let from_a = if a.0 & (1 << variable) != 0 { of_a.next() } else { None };
        let from_b = if b.0 & (1 << variable) != 0 { of_b.next() } else { None };
        values.extend(from_a.or(from_b).cloned());
    }
    Some((a.0 | b.0, values.into()))
}
