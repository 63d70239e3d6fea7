//! What items make of the steps of packed states.
//!
//! Items that look at the same lists are watched together, as one automaton whose states are found as they are met. What it
//! does depends on its state and on the elements that it reads, and what it reads next on those it has read; so each state
//! has a tree of readings, and the rules are asked once for each way through it: a counter that is compared only in some
//! steps makes no difference in the others. An item that is covered begins anew: whether it is covered is remembered
//! elsewhere, and where it then is makes no difference.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::moves::Move;
use super::values::{ABSENT, Values};
use super::{Codes, Layout};
use crate::history::{Known, Live};
use crate::kernel::{ChoiceError, Given, Moment, Source};
use crate::search::cover::{ItemSet, SetId, Sets};
use crate::search::guide::{lists_in, slots_of};
use crate::search::symbolic::Question;
use crate::term::{Env, Expr, Fuel, LimitKind, Value, finite_values};

/// Most combinations of the values that exist once for a run, for one item.
const MAX_OPEN: usize = 1_000;

/// The code of a machine that takes no part in a step.
const NOT: u32 = u32::MAX;

/// Watches runs for all items of a question.
pub struct Watch<'a> {
    question: Question<'a>,
    groups: Vec<Group>,
    /// For each item its group and its place there.
    places: Vec<(usize, usize)>,
}

/// Items that look at the same lists.
struct Group {
    items: Vec<usize>,
    /// For each item, combinations of the values that exist once for a run; it is covered if it is for one of them.
    opens: Vec<Vec<Vec<Value>>>,
    /// The lists.
    lists: Vec<usize>,
    states: Vec<Watched>,
    numbers: FxHashMap<Rc<Left>, u32>,
    readings: Vec<Reading>,
    elements: usize,
}

/// What is left to show, item by item, for each of its combinations.
type Left = Vec<Vec<Live<Value>>>;

/// A state of the items of a group.
struct Watched {
    left: Rc<Left>,
    /// Where its readings begin, once there was one.
    first: Option<u32>,
    /// The items that are covered if a run ends here, once somebody asked.
    ends: Option<SetId>,
    /// The items that cannot be covered any more, once somebody asked.
    failed: Option<SetId>,
}

/// One reading, and what comes after it.
enum Reading {
    /// The element of a list is read; what comes next, by the number of the element.
    List(usize, FxHashMap<u32, u32>),
    /// Everything is read: the next state, and the items that are covered.
    All(u32, SetId),
}

impl<'a> Watch<'a> {
    pub fn new(question: Question<'a>) -> Result<Watch<'a>, ChoiceError> {
        let mut by_lists: Vec<(Vec<usize>, Vec<usize>)> = vec![];
        for item in 0..question.monitor.start.len() {
            let lists: Vec<usize> = slots_of(&question, &[item]).into_iter().collect();
            match by_lists.iter_mut().find(|(known, _)| *known == lists) {
                Some((_, items)) => items.push(item),
                None => by_lists.push((lists, vec![item])),
            }
        }
        let mut places = vec![(0, 0); question.monitor.start.len()];
        let mut groups = vec![];
        for (lists, items) in by_lists {
            for (place, item) in items.iter().enumerate() {
                places[*item] = (groups.len(), place);
            }
            let opens = items.iter().map(|item| combinations(question, *item)).collect::<Result<_, _>>()?;
            let (states, numbers, readings) = (vec![], FxHashMap::default(), vec![]);
            groups.push(Group { items, opens, lists, states, numbers, readings, elements: 0 });
        }
        Ok(Watch { question, groups, places })
    }

    pub fn groups(&self) -> usize {
        self.groups.len()
    }

    /// How many elements the values have that rules remember, in all states together.
    pub fn elements(&self) -> usize {
        self.groups.iter().map(|group| group.elements).sum()
    }

    /// Where everything is before the first step.
    pub fn start(&mut self, states: &mut [u32]) -> Result<(), LimitKind> {
        for (group, state) in self.groups.iter_mut().zip(states) {
            *state = group.start(self.question)?;
        }
        Ok(())
    }

    /// What is left to show of an item, for each combination of its open values.
    pub fn live(&self, states: &[u32], item: usize) -> Vec<Live<Value>> {
        let (group, place) = self.places[item];
        self.groups[group].states[states[group] as usize].left[place].clone()
    }

    /// Looks at a step: `after` is the row after it, in which what watches is still as it was.
    #[allow(clippy::too_many_arguments)]
    pub fn step(
        &mut self,
        before: &[u32],
        after: &mut [u32],
        taken: &Move,
        clock: Option<u32>,
        layout: &Layout,
        values: &Values,
        sets: &mut Sets,
    ) -> Result<SetId, LimitKind> {
        let mut marks = SetId::EMPTY;
        let seen = Seen { question: self.question, taken, clock, layout, values };
        for (number, group) in self.groups.iter_mut().enumerate() {
            let place = layout.watches + number;
            let state = before[place];
            let (next, covered) = match group.known_step(state, |list| seen.code(list, before, after)) {
                Some(known) => known,
                None => {
                    let codes: Codes = group.lists.iter().map(|list| seen.code(*list, before, after)).collect();
                    let observed = seen.observed(&group.lists, &codes);
                    let (found, reads) = group.advance(self.question, state, &observed, sets)?;
                    group.learn(state, &reads, |list| seen.code(list, before, after), found);
                    found
                }
            };
            after[place] = next;
            marks = sets.union(marks, covered);
        }
        Ok(marks)
    }

    /// The items that cannot be covered any more.
    pub fn failed(&mut self, states: &[u32], sets: &mut Sets) -> SetId {
        let groups = self.groups.iter_mut().zip(states);
        groups.fold(SetId::EMPTY, |all, (group, state)| {
            let failed = group.failed(*state, sets);
            sets.union(all, failed)
        })
    }

    /// The items that are covered if a run ends here.
    pub fn ends(&mut self, states: &[u32], sets: &mut Sets) -> Result<SetId, LimitKind> {
        let mut all = SetId::EMPTY;
        for (group, state) in self.groups.iter_mut().zip(states) {
            let ends = group.ends(self.question, *state, sets)?;
            all = sets.union(all, ends);
        }
        Ok(all)
    }
}

impl Group {
    fn number(&mut self, left: Left) -> u32 {
        let next = self.states.len() as u32;
        let left = Rc::new(left);
        let number = *self.numbers.entry(left.clone()).or_insert(next);
        if number == next {
            self.elements += left.iter().flatten().map(Live::elements).sum::<usize>();
            self.states.push(Watched { left, first: None, ends: None, failed: None });
        }
        number
    }

    /// The next state, and the items that are covered, if the rules were asked before.
    fn known_step(&self, state: u32, code: impl Fn(usize) -> u32) -> Option<(u32, SetId)> {
        let mut at = self.states[state as usize].first?;
        loop {
            match &self.readings[at as usize] {
                Reading::List(list, next) => at = *next.get(&code(*list))?,
                Reading::All(next, covered) => return Some((*next, *covered)),
            }
        }
    }

    /// Keeps what the rules said after they had read some lists.
    fn learn(&mut self, state: u32, reads: &[usize], code: impl Fn(usize) -> u32, (next, covered): (u32, SetId)) {
        let new = self.readings.len() as u32;
        let mut at = *self.states[state as usize].first.get_or_insert(new);
        for list in reads {
            let new = self.readings.len() as u32;
            if at == new {
                self.readings.push(Reading::List(*list, FxHashMap::default()));
            }
            let new = self.readings.len() as u32;
            match &mut self.readings[at as usize] {
                Reading::List(known, next) if known == list => at = *next.entry(code(*list)).or_insert(new),
                _ => unreachable!("what is read next depends on what was read"),
            }
        }
        self.readings.push(Reading::All(next, covered));
    }

    /// What is left to show of an item at the beginning.
    fn first(&self, question: Question<'_>, place: usize) -> Result<Vec<Live<Value>>, LimitKind> {
        let start = |open: &Vec<Value>| {
            let formula = &question.monitor.start[self.items[place]];
            known(question, open).start_of(formula)
        };
        self.opens[place].iter().map(start).collect()
    }

    fn start(&mut self, question: Question<'_>) -> Result<u32, LimitKind> {
        let state: Result<_, LimitKind> = (0..self.items.len()).map(|place| self.first(question, place)).collect();
        Ok(self.number(state?))
    }

    /// Asks the rules: the next state and the items that are covered, and the lists that were read for that, in order.
    fn advance(
        &mut self,
        question: Question<'_>,
        state: u32,
        observed: &[Value],
        sets: &mut Sets,
    ) -> Result<((u32, SetId), Vec<usize>), LimitKind> {
        let (mut covered, mut next, mut reads) = (ItemSet::default(), vec![], vec![]);
        for (place, left) in self.states[state as usize].left.iter().enumerate() {
            let mut after = vec![];
            for (open, one) in self.opens[place].iter().zip(left) {
                after.push(known(question, open).advance_reading(one, observed, &mut reads)?);
            }
            if after.contains(&Live::Decided(true)) {
                covered.insert(self.items[place]);
                after = self.first(question, place)?;
            }
            next.push(after);
        }
        Ok(((self.number(next), sets.number(covered)), reads))
    }

    fn ends(&mut self, question: Question<'_>, state: u32, sets: &mut Sets) -> Result<SetId, LimitKind> {
        let state = &mut self.states[state as usize];
        if let Some(ends) = state.ends {
            return Ok(ends);
        }
        let mut ends = ItemSet::default();
        for (place, item) in self.items.iter().enumerate() {
            for (open, one) in self.opens[place].iter().zip(&state.left[place]) {
                if known(question, open).hold_at_stop(std::slice::from_ref(one))? {
                    ends.insert(*item);
                }
            }
        }
        Ok(*state.ends.insert(sets.number(ends)))
    }

    fn failed(&mut self, state: u32, sets: &mut Sets) -> SetId {
        let state = &mut self.states[state as usize];
        *state.failed.get_or_insert_with(|| {
            let is_lost = |place: &usize| state.left[*place].iter().all(|one| *one == Live::Decided(false));
            let lost = (0..self.items.len()).filter(is_lost).map(|place| self.items[place]);
            sets.number(lost.collect())
        })
    }
}

fn known<'k>(question: Question<'k>, open: &'k [Value]) -> Known<'k> {
    Known { monitor: question.monitor, definitions: &question.lists.names.definitions, open }
}

/// Combinations of the values that exist once for a run, as far as an item looks at them.
pub fn combinations(question: Question<'_>, item: usize) -> Result<Vec<Vec<Value>>, ChoiceError> {
    let monitor = question.monitor;
    let mut used = vec![false; monitor.open.len()];
    let mut look = |expr: &Expr| {
        expr.map_leaves(&mut |leaf| {
            if let Expr::Local(local) = leaf
                && let Some(used) = used.get_mut(*local)
            {
                *used = true;
            }
            None
        });
    };
    monitor.start[item].each_use(&mut |rule| rule.args.iter().for_each(&mut look));
    for list in lists_in(&monitor.start[item]) {
        look(&monitor.lists[list]);
    }
    let fuel = Fuel::new();
    let env = Env { definitions: &question.lists.names.definitions, slots: &[], fuel: &fuel };
    let mut rows: Vec<Vec<Value>> = vec![vec![]];
    for (ty, used) in monitor.open.iter().zip(used) {
        let values = match used {
            false => vec![Value::Absent],
            true => finite_values(ty, &Given::default().types, env).map_err(|reason| ChoiceError::NoValues {
                what: "a value that the purpose leaves open".to_owned(),
                reason,
            })?,
        };
        if rows.len().saturating_mul(values.len()) > MAX_OPEN {
            return Err(ChoiceError::TooMany);
        }
        let longer = |row: &Vec<Value>, value: &Value| [&row[..], std::slice::from_ref(value)].concat();
        rows = rows.iter().flat_map(|row| values.iter().map(move |value| longer(row, value))).collect();
    }
    Ok(rows)
}

/// A step that is looked at.
struct Seen<'s> {
    question: Question<'s>,
    taken: &'s Move,
    clock: Option<u32>,
    layout: &'s Layout,
    values: &'s Values,
}

impl Seen<'_> {
    /// The element of a list, as a number.
    fn code(&self, list: usize, before: &[u32], after: &[u32]) -> u32 {
        let system = self.question.system;
        let at = |row: &[u32], slot: usize| self.layout.slots[slot].map_or(ABSENT, |place| row[place]);
        match self.question.lists.sources[list] {
            Source::State(machine, Moment::Before) => before[machine],
            Source::State(machine, Moment::After) => after[machine],
            Source::Fired(machine) => match self.taken.fired.iter().find(|(m, _)| *m == machine) {
                Some((_, Some(transition))) => *transition as u32,
                Some((_, None)) => system.machines[machine].transitions.len() as u32,
                None => NOT,
            },
            Source::Value(slot, Moment::Before) => at(before, slot),
            Source::Value(slot, Moment::After) => at(after, slot),
            Source::Data(gate, place) if system.joints[self.taken.joint].gate == Some(gate) => self.taken.data[place],
            Source::Data(..) => ABSENT,
            Source::Gate => system.joints[self.taken.joint].gate.unwrap_or(system.gates.len()) as u32,
            Source::Clock => self.clock.expect("steps are counted where the clock is looked at"),
        }
    }

    /// The elements of some lists, as values; nobody looks at the others.
    fn observed(&self, lists: &[usize], codes: &[u32]) -> Vec<Value> {
        let all = &self.question.lists;
        let mut observed = vec![Value::Absent; all.sources.len()];
        for (list, code) in lists.iter().zip(codes) {
            observed[*list] = match all.sources[*list] {
                Source::Fired(_) if *code == NOT => Value::Absent,
                Source::State(..) | Source::Fired(_) | Source::Gate => all.names.member(*list, *code as usize),
                Source::Value(..) | Source::Data(..) => self.values.get(*code).clone(),
                Source::Clock => Value::int(*code),
            };
        }
        observed
    }
}
