//! One step: which events happen in it, and what is left then.

// Expressions hold compiled regular expressions, which are compared by their text.
#![allow(clippy::mutable_key_type)]

use std::collections::{BTreeSet, HashSet};

use super::term::{At, Leaf, Term, Unmet};
use super::{Condition, Drawing};
use crate::term::{Expr, Pattern, Value};

/// What is left to happen, and which variables have values. Registers hold these, in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place {
    /// Whether no step has been seen: the moment before the first one counts, too.
    pub is_first: bool,
    pub term: Term,
    pub bound: Vec<usize>,
}

/// Where a step leads, with the new values of the registers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Next {
    pub place: Place,
    pub values: Vec<Expr>,
}

/// What a step makes of a place.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// Everything has happened, whatever follows.
    Met,
    /// One of these; it has failed if there is none.
    Open(Vec<Next>),
}

/// A condition whose truth is asked for, or too much work.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Stuck {
    Unknown(Expr),
    TooMuch,
}

/// What is assumed of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts(pub Vec<(Expr, bool)>);

impl Facts {
    /// Whether a condition is true.
    pub(super) fn is_true(&self, condition: &Expr) -> Result<bool, Stuck> {
        if let Expr::Const(Value::Bool(known)) = condition {
            return Ok(*known);
        }
        for (fact, truth) in &self.0 {
            if let Some(known) = implied(fact, *truth, condition) {
                return Ok(known);
            }
        }
        Err(Stuck::Unknown(condition.clone()))
    }
}

/// What a fact says about a condition, as far as that is plain to see.
fn implied(fact: &Expr, truth: bool, condition: &Expr) -> Option<bool> {
    if fact == condition {
        return Some(truth);
    }
    let (Expr::Test(a, known), Expr::Test(b, asked)) = (fact, condition) else { return None };
    if a != b {
        return None;
    }
    match (known, truth, asked) {
        // What is absent fits nothing else.
        (Pattern::Any, false, asked) => Some(*asked == Pattern::Absent),
        (known, true, Pattern::Any) => Some(*known != Pattern::Absent),
        (Pattern::Equal(x), true, Pattern::Equal(y)) => match (&**x, &**y) {
            (Expr::Const(x), Expr::Const(y)) => Some(x == y),
            _ => None,
        },
        _ => None,
    }
}

/// Values of variables during a step, as expressions over its elements and the registers.
type Values = Vec<Option<Expr>>;

/// Most ways in which one step is looked at.
const MAX_WAYS: usize = 5_000;

/// A way through a step so far.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Way {
    term: Term,
    values: Values,
    taken: BTreeSet<usize>,
    /// Whether a condition on the next event waits for it.
    waits: bool,
}

/// The moment before a step, or after it, or the only one of a run without steps.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moment {
    Before,
    After,
    Only,
}

impl Condition {
    /// What is to be true in a moment; none if that is not known.
    fn at(&self, moment: Moment) -> Option<&Expr> {
        match moment {
            Moment::Before => Some(&self.before),
            Moment::After => Some(&self.after),
            Moment::Only => self.initially.as_ref(),
        }
    }
}

impl Drawing {
    /// The place before the first step.
    pub(super) fn beginning(&self) -> Place {
        self.place(&self.term.cleaned(), &self.known(&self.given), true).place
    }

    fn known(&self, bound: &[usize]) -> Values {
        let mut values: Values = vec![None; self.variables];
        for variable in bound {
            values[*variable] = Some(Expr::Local(*variable));
        }
        values
    }

    fn place(&self, term: &Term, values: &Values, is_first: bool) -> Next {
        let mut needed = BTreeSet::new();
        term.needs(self, &mut needed);
        let kept: Vec<(usize, Expr)> =
            needed.into_iter().filter_map(|variable| Some((variable, values[variable].clone()?))).collect();
        let (bound, values) = kept.into_iter().unzip();
        Next { place: Place { is_first, term: term.clone(), bound }, values }
    }

    /// Where a step leads under some assumptions.
    pub(super) fn step(&self, place: &Place, facts: &Facts) -> Result<Outcome, Stuck> {
        let values = self.known(&place.bound);
        let mut beginnings = vec![(place.term.clone(), values.clone())];
        if place.is_first {
            let before = self.moment(&place.term, &values, facts, Moment::Before)?;
            beginnings = vec![];
            for (term, values) in before {
                if self.is_met(&term) {
                    return Ok(Outcome::Met);
                }
                beginnings.push((term, values));
            }
        }
        let mut out: Vec<Next> = vec![];
        for (term, values) in beginnings {
            for way in self.events_of(&term, &values, facts)? {
                let term = self.unmet(&way.term, &values, facts)?;
                for (term, values) in self.moment(&term, &way.values, facts, Moment::After)? {
                    if self.is_met(&term) {
                        return Ok(Outcome::Met);
                    }
                    let next = self.place(&term.cleaned(), &values, false);
                    self.charge(out.len());
                    if !out.contains(&next) {
                        out.push(next);
                    }
                }
            }
        }
        Ok(Outcome::Open(out))
    }

    /// Whether a run without steps is enough.
    pub(super) fn step_less(&self, place: &Place, facts: &Facts) -> Result<bool, Stuck> {
        let ways = self.moment(&place.term, &self.known(&place.bound), facts, Moment::Only)?;
        Ok(ways.iter().any(|(term, _)| term.may_end(false)))
    }

    /// Whether everything has happened, whatever follows.
    fn is_met(&self, term: &Term) -> bool {
        self.whole.is_none() && term.may_end(true)
    }

    /// Ways in which events happen in the step, none or several, and nothing else that may not.
    fn events_of(&self, term: &Term, values: &Values, facts: &Facts) -> Result<Vec<Way>, Stuck> {
        let mut ways = vec![Way { term: term.clone(), values: values.clone(), taken: BTreeSet::new(), waits: false }];
        let mut known: HashSet<Way> = ways.iter().cloned().collect();
        let mut done = 0;
        while done < ways.len() {
            let way = ways[done].clone();
            done += 1;
            if self.one_event && !way.taken.is_empty() {
                continue;
            }
            for m in self.moves(&way.term, At::Step) {
                let mut values = way.values.clone();
                m.forgets.iter().for_each(|variable| values[*variable] = None);
                let next = match m.leaf {
                    Leaf::Event(number) => {
                        let takes = self.events[number].takes;
                        if way.taken.contains(&takes) || !self.happens(number, &mut values, facts)? {
                            continue;
                        }
                        let taken = way.taken.iter().copied().chain([takes]).collect();
                        Way { term: m.rest, values, taken, waits: false }
                    }
                    Leaf::Guard(number) => match self.filled(&self.conditions[number].before, &values) {
                        Some(guard) if facts.is_true(&guard)? => {
                            Way { term: m.rest, values, taken: way.taken.clone(), waits: true }
                        }
                        _ => continue,
                    },
                    _ => continue,
                };
                if known.insert(next.clone()) {
                    ways.push(next);
                }
                if ways.len() > MAX_WAYS || self.is_too_much() {
                    return Err(Stuck::TooMuch);
                }
            }
        }
        let mut allowed = vec![];
        for way in ways.into_iter().filter(|way| !way.waits) {
            let mut closed: BTreeSet<usize> = self.whole.into_iter().collect();
            way.term.closed(&mut closed);
            let others = closed.iter().flat_map(|way| &self.closed[*way]);
            let mut is_allowed = true;
            // In a pattern over gates an event is the whole step, by whatever it is called.
            let is_taken = self.whole.is_some() && self.one_event && !way.taken.is_empty();
            for other in others.filter(|_| !is_taken).filter(|other| !way.taken.contains(&other.takes)) {
                // A variable that has no value fits nothing here.
                let is_there = match self.filled(&other.present, &way.values) {
                    Some(present) => facts.is_true(&present)?,
                    None => false,
                };
                if is_there {
                    is_allowed = false;
                    break;
                }
            }
            if is_allowed {
                allowed.push(way);
            }
        }
        Ok(allowed)
    }

    /// Whether an event happens; variables that have no value get one from it.
    fn happens(&self, number: usize, values: &mut Values, facts: &Facts) -> Result<bool, Stuck> {
        let event = &self.events[number];
        for guard in &event.guard {
            match self.filled(guard, values) {
                Some(guard) if facts.is_true(&guard)? => {}
                _ => return Ok(false),
            }
        }
        for (element, variable) in &event.values {
            let pattern = match &values[*variable] {
                Some(value) => Pattern::Equal(Box::new(value.clone())),
                None => {
                    values[*variable] = Some(element.clone());
                    Pattern::Any
                }
            };
            if !facts.is_true(&Expr::Test(Box::new(element.clone()), pattern))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// An expression with the values of variables; none if one has none.
    fn filled(&self, expr: &Expr, values: &Values) -> Option<Expr> {
        let mut is_known = true;
        let filled = expr.map_leaves(&mut |leaf| match leaf {
            Expr::Local(variable) if *variable < self.variables => {
                is_known &= values[*variable].is_some();
                values[*variable].clone()
            }
            _ => None,
        });
        is_known.then_some(filled)
    }

    /// What may be left in a moment, when conditions have been looked at.
    fn moment(
        &self,
        term: &Term,
        values: &Values,
        facts: &Facts,
        moment: Moment,
    ) -> Result<Vec<(Term, Values)>, Stuck> {
        let term = self.looked(&term.cleaned(), values, facts, moment)?;
        let mut found: Vec<(Term, Values, bool)> = vec![(term, values.clone(), false)];
        let mut known: HashSet<(Term, Values, bool)> = found.iter().cloned().collect();
        let mut done = 0;
        while done < found.len() {
            let (term, values, has_ticked) = found[done].clone();
            done += 1;
            for m in self.moves(&term, At::Moment) {
                let mut values = values.clone();
                m.forgets.iter().for_each(|variable| values[*variable] = None);
                let has_ticked = match m.leaf {
                    Leaf::Event(_) | Leaf::Guard(_) => continue,
                    Leaf::Silent => has_ticked,
                    Leaf::Tick if has_ticked => continue,
                    Leaf::Tick => true,
                    Leaf::Condition(number) => {
                        let written = self.conditions[number].at(moment);
                        match written.and_then(|written| self.filled(written, &values)) {
                            Some(condition) if facts.is_true(&condition)? => has_ticked,
                            _ => continue,
                        }
                    }
                };
                let rest = self.looked(&m.rest.cleaned(), &values, facts, moment)?;
                let next = (rest, values, has_ticked);
                if known.insert(next.clone()) {
                    found.push(next);
                }
                if found.len() > MAX_WAYS || self.is_too_much() {
                    return Err(Stuck::TooMuch);
                }
            }
        }
        let mut known = HashSet::new();
        let each_once = found.into_iter().map(|(term, values, _)| (term, values));
        Ok(each_once.filter(|way| known.insert(way.clone())).collect())
    }

    /// The term when the step is over for what must not happen.
    fn unmet(&self, term: &Term, values: &Values, facts: &Facts) -> Result<Term, Stuck> {
        self.each_not(term, true, &mut |_, unmet, _| {
            let Unmet::Begun(ways) = unmet else { return Ok(unmet.clone()) };
            let mut next = BTreeSet::new();
            for way in ways {
                for way in self.events_of(way, values, facts)? {
                    let left = self.moment(&way.term, values, facts, Moment::After)?;
                    next.extend(left.into_iter().map(|(term, _)| term));
                }
            }
            Ok(happened(next))
        })
    }

    /// The term in a moment: what must not happen is looked for wherever everything before it has happened.
    fn looked(&self, term: &Term, values: &Values, facts: &Facts, moment: Moment) -> Result<Term, Stuck> {
        self.each_not(term, true, &mut |body, unmet, is_next| {
            Ok(match unmet {
                _ if !is_next => Unmet::Idle,
                Unmet::Idle => {
                    let ways = self.moment(body, values, facts, moment)?;
                    happened(ways.into_iter().map(|(way, _)| way).collect())
                }
                other => other.clone(),
            })
        })
    }

    /// Changes what is known of everything that must not happen; `f` gets it, and whether all before it may be over.
    fn each_not(
        &self,
        term: &Term,
        is_next: bool,
        f: &mut dyn FnMut(&Term, &Unmet, bool) -> Result<Unmet, Stuck>,
    ) -> Result<Term, Stuck> {
        Ok(match term {
            Term::Not(body, unmet) => Term::Not(body.clone(), f(body, unmet, is_next)?),
            Term::Sequence(parts) => {
                let mut is_next = is_next;
                let mut out: Vec<Term> = vec![];
                for (number, part) in parts.iter().enumerate() {
                    let is_round = number > 0 && is_another_round(&parts[number - 1], part);
                    let part = self.each_not(part, is_next && !is_round, f)?;
                    is_next &= part.may_end(false);
                    out.push(part);
                }
                Term::Sequence(out)
            }
            Term::Then(a, b) => {
                let is_round = is_another_round(a, b);
                let a = self.each_not(a, is_next, f)?;
                let is_next = is_next && a.may_end(false) && !is_round;
                Term::Then(Box::new(a), Box::new(self.each_not(b, is_next, f)?))
            }
            Term::Alt(parts) => {
                Term::Alt(parts.iter().map(|part| self.each_not(part, is_next, f)).collect::<Result<_, _>>()?)
            }
            Term::Par(parts) => {
                Term::Par(parts.iter().map(|part| self.each_not(part, is_next, f)).collect::<Result<_, _>>()?)
            }
            Term::Read { closed, is_started, is_touched, is_promised, body } => Term::Read {
                closed: *closed,
                is_started: *is_started,
                is_touched: *is_touched,
                is_promised: *is_promised,
                body: Box::new(self.each_not(body, is_next, f)?),
            },
            Term::Scope(variable, body) => Term::Scope(*variable, Box::new(self.each_not(body, is_next, f)?)),
            Term::Loop(body, least, most) if is_next => {
                let first = self.each_not(body, is_next, f)?;
                if first == **body {
                    return Ok(term.clone());
                }
                let none = (*least == 0).then_some(Term::Done);
                Term::alt([Term::unfolded(body, *least, *most, first)].into_iter().chain(none))
            }
            other => other.clone(),
        })
    }

    /// Variables that an event looks at.
    pub(super) fn read_by_event(&self, number: usize) -> BTreeSet<usize> {
        let event = &self.events[number];
        let mut out: BTreeSet<usize> = event.values.iter().map(|(_, variable)| *variable).collect();
        event.guard.iter().for_each(|guard| out.extend(self.read_in(guard)));
        out
    }

    /// Variables that a condition looks at.
    pub(super) fn read_by_condition(&self, number: usize) -> BTreeSet<usize> {
        self.read_in(&self.conditions[number].after)
    }

    fn read_in(&self, expr: &Expr) -> BTreeSet<usize> {
        let mut out = BTreeSet::new();
        expr.map_leaves(&mut |leaf| {
            if let Expr::Local(variable) = leaf
                && *variable < self.variables
            {
                out.insert(*variable);
            }
            None
        });
        out
    }
}

/// Ways in which something has begun, unless it has happened.
fn happened(ways: BTreeSet<Term>) -> Unmet {
    if ways.iter().any(|way| way.may_end(false)) { Unmet::Happened } else { Unmet::Begun(ways) }
}

/// Whether a loop follows a round of it in which nothing has happened yet. Its own rounds begin after that one.
fn is_another_round(round: &Term, next: &Term) -> bool {
    matches!(next, Term::Loop(body, ..) if round.reset() == **body)
}
