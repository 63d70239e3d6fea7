//! What is still to happen, and what may happen next.

use std::collections::BTreeSet;

use super::Drawing;

/// A set of lifelines, one bit for each.
pub type Lifelines = u128;

/// All lifelines.
pub const ALL: Lifelines = Lifelines::MAX;

/// What is still to happen.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    /// Nothing.
    Done,
    /// An event.
    Event(usize),
    /// A condition, in a moment between two steps.
    Condition(usize),
    /// A condition on the moment before the step of the event after it.
    Guard(usize),
    /// A moment between two steps, another one for each.
    Tick,
    /// Nothing, but what stands before it does not come after it.
    Bar,
    /// A time in which the chart is open; it may be none.
    Any {
        /// Whether it has begun.
        is_open: bool,
    },
    /// One after the other, on each lifeline.
    Sequence(Vec<Term>),
    /// One, and when it is over the other.
    Then(Box<Term>, Box<Term>),
    /// One of them.
    Alt(Vec<Term>),
    /// All of them, side by side.
    Par(Vec<Term>),
    /// Rounds: at least so many, and at most.
    Loop(Box<Term>, u32, Option<u32>),
    /// A part with a reading of its own.
    Read {
        /// In which way it is closed from its first to its last event; if in none, then it is open.
        closed: Option<usize>,
        /// Whether an event of it has happened.
        is_started: bool,
        /// Whether one has in this step.
        is_touched: bool,
        /// Whether one will have to.
        is_promised: bool,
        /// The part.
        body: Box<Term>,
    },
    /// A part in which a variable begins without a value.
    Scope(usize, Box<Term>),
    /// What must not happen between what stands before and after it.
    Not(Box<Term>, Unmet),
}

impl Term {
    /// How many events, conditions and open times there are if every round is written out.
    pub fn weight(&self) -> usize {
        match self {
            Term::Done => 0,
            Term::Event(_) | Term::Condition(_) | Term::Guard(_) | Term::Tick | Term::Bar | Term::Any { .. } => 1,
            Term::Sequence(parts) | Term::Alt(parts) | Term::Par(parts) => {
                parts.iter().fold(0, |all, part| all.saturating_add(part.weight()))
            }
            Term::Then(one, other) => one.weight().saturating_add(other.weight()),
            Term::Loop(body, least, most) => body.weight().saturating_mul(most.unwrap_or((*least).max(1)) as usize),
            Term::Read { body, .. } | Term::Scope(_, body) | Term::Not(body, _) => body.weight(),
        }
    }
}

/// How far something has happened that must not.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unmet {
    /// Nobody looks yet.
    Idle,
    /// What is left of it, in every way in which it may have begun.
    Begun(BTreeSet<Term>),
    /// It has happened.
    Happened,
}

/// Something that can happen next.
#[derive(Clone, Debug)]
pub(super) struct Move {
    pub leaf: Leaf,
    /// Whom it concerns, with all that it passes.
    pub lifelines: Lifelines,
    /// Variables that lose their value before.
    pub forgets: Vec<usize>,
    pub rest: Term,
}

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    Event(usize),
    Condition(usize),
    Guard(usize),
    Tick,
    /// A decision that is taken between two steps.
    Silent,
}

impl Leaf {
    /// Whether it only looks at a moment.
    fn is_moment(self) -> bool {
        matches!(self, Leaf::Condition(_) | Leaf::Guard(_) | Leaf::Tick)
    }
}

/// In a step, or between two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    Step,
    Moment,
}

impl Term {
    /// One after the other.
    pub fn sequence(parts: impl IntoIterator<Item = Term>) -> Term {
        let mut flat = vec![];
        for part in parts {
            match part {
                Term::Done => {}
                Term::Sequence(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        match flat.len() {
            0 => Term::Done,
            1 => flat.remove(0),
            _ => Term::Sequence(flat),
        }
    }

    /// One of them.
    pub fn alt(parts: impl IntoIterator<Item = Term>) -> Term {
        let mut flat = BTreeSet::new();
        for part in parts {
            match part {
                Term::Alt(inner) => flat.extend(inner),
                other => {
                    flat.insert(other);
                }
            }
        }
        let mut flat: Vec<Term> = flat.into_iter().collect();
        if flat.len() == 1 { flat.remove(0) } else { Term::Alt(flat) }
    }

    /// All of them, side by side.
    pub fn par(parts: impl IntoIterator<Item = Term>) -> Term {
        let mut flat: Vec<Term> = vec![];
        for part in parts {
            match part {
                Term::Done => {}
                Term::Par(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        flat.sort();
        match flat.len() {
            0 => Term::Done,
            1 => flat.remove(0),
            _ => Term::Par(flat),
        }
    }

    /// One, and when it is over the other.
    pub fn then(self, next: Term) -> Term {
        match (self, next) {
            (Term::Done, next) => next,
            (first, Term::Done) => first,
            (first, next) => Term::Then(Box::new(first), Box::new(next)),
        }
    }

    /// A part with a reading of its own.
    pub fn read(closed: Option<usize>, body: Term) -> Term {
        let (is_started, is_touched, is_promised) = (false, false, false);
        Term::Read { closed, is_started, is_touched, is_promised, body: Box::new(body) }
    }

    /// Rounds.
    pub fn rounds(body: Term, least: u32, most: Option<u32>) -> Term {
        match (&body, most) {
            (Term::Done, _) | (_, Some(0)) => Term::Done,
            _ => Term::Loop(Box::new(body), least, most),
        }
    }

    /// What must not happen.
    pub fn unmet(body: Term) -> Term {
        Term::Not(Box::new(body), Unmet::Idle)
    }

    /// A round, and what comes after it.
    pub(super) fn unfolded(body: &Term, least: u32, most: Option<u32>, first: Term) -> Term {
        let later = Term::rounds(body.clone(), least.saturating_sub(1), most.map(|most| most - 1));
        match most {
            // Rounds without a bound follow each other as a whole.
            None => first.then(later),
            Some(_) => Term::sequence([first, later]),
        }
    }

    /// Whether it may be over. With `for_good`, nothing that comes later can change that.
    pub fn may_end(&self, for_good: bool) -> bool {
        match self {
            Term::Done | Term::Bar | Term::Any { is_open: false } => true,
            Term::Event(_) | Term::Condition(_) | Term::Guard(_) | Term::Tick | Term::Any { is_open: true } => false,
            Term::Sequence(parts) | Term::Par(parts) => parts.iter().all(|part| part.may_end(for_good)),
            Term::Then(a, b) => a.may_end(for_good) && b.may_end(for_good),
            Term::Alt(parts) => parts.iter().any(|part| part.may_end(for_good)),
            Term::Loop(body, least, _) => *least == 0 || body.may_end(for_good),
            Term::Read { is_promised, body, .. } => !is_promised && body.may_end(for_good),
            Term::Scope(_, body) => body.may_end(for_good),
            Term::Not(_, unmet) => !for_good && *unmet != Unmet::Happened,
        }
    }

    /// The term when something that stands before it has happened: what must not happen is looked for from here on.
    pub fn reset(&self) -> Term {
        match self {
            Term::Not(body, _) => Term::Not(body.clone(), Unmet::Idle),
            Term::Sequence(parts) => Term::Sequence(parts.iter().map(Term::reset).collect()),
            Term::Par(parts) => Term::Par(parts.iter().map(Term::reset).collect()),
            Term::Alt(parts) => Term::Alt(parts.iter().map(Term::reset).collect()),
            Term::Then(a, b) => Term::Then(Box::new(a.reset()), Box::new(b.reset())),
            Term::Scope(variable, body) => Term::Scope(*variable, Box::new(body.reset())),
            Term::Read { body, .. } => self.reading(body.reset()),
            other => other.clone(),
        }
    }

    /// What is left if no more events happen in it; none if some must.
    fn ending(&self) -> Option<Term> {
        match self {
            Term::Event(_) | Term::Read { is_promised: true, .. } => None,
            Term::Sequence(parts) => Some(Term::sequence(parts.iter().map(Term::ending).collect::<Option<Vec<_>>>()?)),
            Term::Par(parts) => Some(Term::par(parts.iter().map(Term::ending).collect::<Option<Vec<_>>>()?)),
            Term::Alt(parts) => {
                let ways: Vec<Term> = parts.iter().filter_map(Term::ending).collect();
                (!ways.is_empty()).then(|| Term::alt(ways))
            }
            Term::Then(a, b) => Some(a.ending()?.then(b.ending()?)),
            Term::Loop(body, least, most) => match body.ending() {
                Some(body) => Some(Term::rounds(body, *least, *most)),
                None => (*least == 0).then_some(Term::Done),
            },
            Term::Read { body, .. } => body.ending(),
            Term::Scope(variable, body) => Some(Term::Scope(*variable, Box::new(body.ending()?))),
            other => Some(other.clone()),
        }
    }

    /// Whether events may happen in it.
    fn has_events(&self) -> bool {
        match self {
            Term::Event(_) => true,
            Term::Sequence(parts) | Term::Par(parts) | Term::Alt(parts) => parts.iter().any(Term::has_events),
            Term::Then(a, b) => a.has_events() || b.has_events(),
            Term::Loop(body, ..) | Term::Read { body, .. } | Term::Scope(_, body) => body.has_events(),
            _ => false,
        }
    }

    /// The same reading of another body.
    fn reading(&self, body: Term) -> Term {
        match self {
            Term::Read { closed, is_started, is_touched, is_promised, .. } => Term::Read {
                closed: *closed,
                is_started: *is_started,
                is_touched: *is_touched,
                is_promised: *is_promised,
                body: Box::new(body),
            },
            _ => body,
        }
    }

    /// The term after a step, in its shortest form.
    pub(super) fn cleaned(&self) -> Term {
        match self {
            Term::Sequence(parts) => match Term::sequence(parts.iter().map(Term::cleaned)) {
                Term::Sequence(mut parts) => {
                    parts.dedup_by(|later, earlier| earlier.is_said_again(later));
                    Term::sequence(parts)
                }
                other => other,
            },
            Term::Par(parts) => Term::par(parts.iter().map(Term::cleaned)),
            Term::Alt(parts) => Term::alt(parts.iter().map(Term::cleaned)),
            Term::Then(a, b) => match (a.cleaned(), b.cleaned()) {
                (a, Term::Then(b, next)) if a.is_said_again(&b) => a.then(*next),
                (a, b) if a.is_said_again(&b) => a,
                (a, b) => a.then(b),
            },
            Term::Scope(variable, body) => match body.cleaned() {
                Term::Done => Term::Done,
                body => Term::Scope(*variable, Box::new(body)),
            },
            Term::Read { closed, is_started, is_promised, body, .. } => match body.cleaned() {
                Term::Done => Term::Done,
                body => Term::Read {
                    closed: *closed,
                    is_started: *is_started,
                    is_touched: false,
                    is_promised: *is_promised,
                    body: Box::new(body),
                },
            },
            other => other.clone(),
        }
    }

    /// Whether the other one forbids the same for a part of the time only: they follow each other, and end together.
    fn is_said_again(&self, other: &Term) -> bool {
        matches!((self, other), (Term::Not(body, _), Term::Not(again, _)) if body == again)
    }

    /// Variables whose values matter from here on.
    pub(super) fn needs(&self, drawing: &Drawing, out: &mut BTreeSet<usize>) {
        match self {
            Term::Done | Term::Tick | Term::Bar | Term::Any { .. } => {}
            Term::Event(number) => out.extend(drawing.read_by_event(*number)),
            Term::Condition(number) | Term::Guard(number) => out.extend(drawing.read_by_condition(*number)),
            Term::Sequence(parts) | Term::Alt(parts) | Term::Par(parts) => {
                parts.iter().for_each(|part| part.needs(drawing, out));
            }
            Term::Then(a, b) => [a, b].into_iter().for_each(|part| part.needs(drawing, out)),
            Term::Loop(body, ..) | Term::Read { body, .. } | Term::Not(body, _) => body.needs(drawing, out),
            Term::Scope(variable, body) => {
                let mut inner = BTreeSet::new();
                body.needs(drawing, &mut inner);
                inner.remove(variable);
                out.extend(inner);
            }
        }
    }

    /// In which ways the step is closed, and whether something in it is open.
    pub(super) fn closed(&self, out: &mut BTreeSet<usize>) -> bool {
        match self {
            Term::Any { is_open } => *is_open,
            Term::Sequence(parts) | Term::Alt(parts) | Term::Par(parts) => {
                parts.iter().fold(false, |is_open, part| part.closed(out) | is_open)
            }
            Term::Then(a, b) => a.closed(out) | b.closed(out),
            Term::Scope(_, body) => body.closed(out),
            Term::Read { closed, is_started, is_touched, is_promised, body } => {
                let is_open = body.closed(out);
                match closed {
                    Some(way) if *is_started && !is_open => {
                        out.insert(*way);
                        false
                    }
                    Some(_) => is_open,
                    None => is_open | is_touched | (*is_started && (*is_promised || body.ending().is_none())),
                }
            }
            _ => false,
        }
    }
}

/// Ways past some rounds: what is left of them, and whom that still lets pass.
type Passed = Vec<(Vec<Term>, Lifelines)>;

impl Drawing {
    /// Who is concerned by what happens.
    fn concerned(&self, term: &Term) -> Lifelines {
        match term {
            Term::Event(number) => self.events[*number].lifelines,
            Term::Condition(number) | Term::Guard(number) => self.conditions[*number].lifelines,
            _ => ALL,
        }
    }

    /// What can happen next.
    pub(super) fn moves(&self, term: &Term, at: At) -> Vec<Move> {
        self.charge(1);
        if self.is_too_much() {
            return vec![];
        }
        let one = |leaf: Leaf, rest: Term| {
            let lifelines = self.concerned(term);
            vec![Move { leaf, lifelines, forgets: vec![], rest }]
        };
        match (term, at) {
            (Term::Event(number), At::Step) => one(Leaf::Event(*number), Term::Done),
            (Term::Guard(number), At::Step) => one(Leaf::Guard(*number), Term::Done),
            (Term::Condition(number), At::Moment) => one(Leaf::Condition(*number), Term::Done),
            (Term::Tick, At::Moment) => one(Leaf::Tick, Term::Done),
            (Term::Any { is_open: false }, At::Moment) => one(Leaf::Silent, Term::Any { is_open: true }),
            (Term::Any { is_open: true }, At::Moment) => one(Leaf::Silent, Term::Done),
            (Term::Sequence(parts), _) => (0..parts.len()).flat_map(|i| self.moves_in(parts, i, at)).collect(),
            (Term::Then(a, b), _) => {
                let first = self.moves(a, at).into_iter();
                let mut out: Vec<Move> = first.map(|m| Move { rest: m.rest.then(b.reset()), ..m }).collect();
                if a.may_end(false) {
                    let later = self.moves(b, at).into_iter();
                    out.extend(later.flat_map(|m| {
                        let ways = self.passing(a, ALL, m.leaf).into_iter();
                        ways.map(move |(left, _)| Move {
                            rest: left.then(m.rest.clone()),
                            lifelines: ALL,
                            forgets: m.forgets.clone(),
                            leaf: m.leaf,
                        })
                    }));
                }
                out
            }
            (Term::Alt(parts), _) => parts.iter().flat_map(|part| self.moves(part, at)).collect(),
            (Term::Par(parts), _) => {
                let of = |i: usize| {
                    self.moves(&parts[i], at).into_iter().map(move |m| {
                        let mut parts = parts.clone();
                        parts[i] = m.rest;
                        Move { rest: Term::Par(parts), ..m }
                    })
                };
                (0..parts.len()).flat_map(of).collect()
            }
            (Term::Loop(body, least, most), _) => match (least, most) {
                // A round in which nothing happens is none.
                (0, None) => {
                    let first = self.moves(body, at).into_iter();
                    first.map(|m| Move { rest: Term::unfolded(body, 0, None, m.rest), ..m }).collect()
                }
                (_, None) => self.moves(&Term::unfolded(body, *least, *most, (**body).clone()), at),
                (_, Some(most)) => self.moves_in_rounds(body, *least, *most, at),
            },
            (Term::Read { closed, is_started, is_promised, body, .. }, _) => {
                let mut out: Vec<Move> = vec![];
                for m in self.moves(body, at) {
                    let happens = matches!(m.leaf, Leaf::Event(_));
                    let Term::Read { is_touched, .. } = term else { continue };
                    let rest = Term::Read {
                        closed: *closed,
                        is_started: *is_started || happens,
                        is_touched: *is_touched || happens,
                        is_promised: *is_promised && !happens,
                        body: Box::new(m.rest),
                    };
                    out.push(Move { rest, ..m });
                }
                if at == At::Moment && *is_started && !is_promised {
                    let silent = |rest| Move { leaf: Leaf::Silent, lifelines: 0, forgets: vec![], rest };
                    match closed {
                        // The last event of it may have been the last one ...
                        Some(_) => out.extend(body.ending().map(silent)),
                        // ... or there will be another.
                        None if body.has_events() && body.ending().is_some() => {
                            let body = body.clone();
                            let rest = Term::Read {
                                closed: None,
                                is_started: true,
                                is_touched: false,
                                is_promised: true,
                                body,
                            };
                            out.push(silent(rest));
                        }
                        None => {}
                    }
                }
                out
            }
            (Term::Scope(variable, body), _) => {
                let forget = |m: Move| {
                    let forgets = m.forgets.iter().copied().chain([*variable]).collect();
                    Move { forgets, ..m }
                };
                self.moves(body, at).into_iter().map(forget).collect()
            }
            _ => vec![],
        }
    }

    /// What can happen next in rounds, as if they were written one after the other: in the first one, and in later ones as far as
    /// those before let it pass.
    fn moves_in_rounds(&self, body: &Term, least: u32, most: u32, at: At) -> Vec<Move> {
        let mut out = vec![];
        // What can happen in a round, with what is left of the rounds before it.
        let first = self.moves(body, at).into_iter();
        let mut open: Vec<(Move, Passed)> = first.map(|m| (m.clone(), vec![(vec![], m.lifelines)])).collect();
        for round in 1..=most {
            let later = Term::rounds(body.clone(), least.saturating_sub(round), Some(most - round));
            for (m, ways) in &mut open {
                for (left, lifelines) in ways.iter() {
                    self.charge(1 + left.len());
                    let rest = Term::sequence(left.iter().cloned().chain([m.rest.clone(), later.clone()]));
                    out.push(Move { rest, lifelines: *lifelines, forgets: m.forgets.clone(), leaf: m.leaf });
                }
                *ways = self.passing_one(body, ways, m.leaf);
                ways.iter_mut().for_each(|(left, _)| left.retain(|part| *part != Term::Done));
            }
            open.retain(|(_, ways)| !ways.is_empty());
            if open.is_empty() {
                break;
            }
        }
        out
    }

    /// What can happen next in one part of a sequence.
    fn moves_in(&self, parts: &[Term], i: usize, at: At) -> Vec<Move> {
        let mut out = vec![];
        for m in self.moves(&parts[i], at) {
            for (left, lifelines) in self.passing_all(&parts[..i], m.lifelines, m.leaf) {
                self.charge(parts.len());
                let later = parts[i + 1..].iter().map(Term::reset);
                let rest = Term::Sequence(left.into_iter().chain([m.rest.clone()]).chain(later).collect());
                out.push(Move { rest, lifelines, forgets: m.forgets.clone(), leaf: m.leaf });
            }
        }
        out
    }

    /// What is left of a term if something behind it happens first, which concerns these lifelines; and whom it concerns then.
    fn passing(&self, term: &Term, lifelines: Lifelines, leaf: Leaf) -> Vec<(Term, Lifelines)> {
        self.charge(1);
        if self.is_too_much() {
            return vec![];
        }
        match term {
            Term::Done => vec![(Term::Done, lifelines)],
            Term::Event(_) | Term::Condition(_) | Term::Guard(_) | Term::Tick | Term::Any { is_open: true } => {
                if self.concerned(term) & lifelines == 0 { vec![(term.clone(), lifelines)] } else { vec![] }
            }
            Term::Bar | Term::Any { is_open: false } => vec![(Term::Done, ALL)],
            Term::Not(_, Unmet::Happened) => vec![],
            // It lasts up to the next event, or an open time.
            Term::Not(..) if leaf.is_moment() => vec![(term.clone(), ALL)],
            Term::Not(..) => vec![(Term::Done, ALL)],
            Term::Sequence(parts) => (self.passing_all(parts, lifelines, leaf).into_iter())
                .map(|(parts, lifelines)| (Term::Sequence(parts), lifelines))
                .collect(),
            Term::Then(a, b) => {
                let mut out = vec![];
                for (b, lifelines) in self.passing(b, lifelines, leaf) {
                    for (a, lifelines) in self.passing(a, lifelines, leaf) {
                        out.push((a.then(b.clone()), lifelines));
                    }
                }
                out
            }
            Term::Alt(parts) => {
                let ways = parts.iter().flat_map(|part| self.passing(part, lifelines, leaf)).collect();
                by_lifelines(ways)
            }
            Term::Par(parts) => {
                let mut ways = vec![(vec![], lifelines)];
                for part in parts {
                    let own = self.passing(part, lifelines, leaf);
                    ways = (ways.iter())
                        .flat_map(|(done, all): &(Vec<Term>, Lifelines)| {
                            own.iter().map(move |(left, more)| {
                                (done.iter().cloned().chain([left.clone()]).collect(), all | more)
                            })
                        })
                        .collect();
                    self.charge(ways.len());
                }
                ways.into_iter().map(|(parts, lifelines)| (Term::Par(parts), lifelines)).collect()
            }
            Term::Loop(body, least, most) => {
                let mut out = vec![];
                if *least == 0 {
                    out.push((Term::Done, lifelines));
                }
                let ways = self.passing(body, lifelines, leaf);
                let vanishes = ways.iter().any(|(left, _)| left.cleaned() == Term::Done);
                let mut unhindered = vec![];
                for (left, more) in ways {
                    if more == lifelines {
                        unhindered.push(left.cleaned());
                    } else if *least <= 1 || vanishes {
                        out.push((left, more));
                    }
                }
                if !unhindered.is_empty() {
                    out.push((Term::rounds(Term::alt(unhindered), *least, *most), lifelines));
                }
                by_lifelines(out)
            }
            Term::Read { is_promised, body, .. } => {
                let ways = self.passing(body, lifelines, leaf).into_iter();
                let kept = ways.filter(|(left, _)| !is_promised || left.has_events());
                kept.map(|(left, lifelines)| (term.reading(left), lifelines)).collect()
            }
            Term::Scope(variable, body) => {
                let ways = self.passing(body, lifelines, leaf).into_iter();
                ways.map(|(left, lifelines)| (Term::Scope(*variable, Box::new(left)), lifelines)).collect()
            }
        }
    }

    /// The same for parts that follow each other: what the later ones let pass must pass the earlier ones.
    fn passing_all(&self, parts: &[Term], lifelines: Lifelines, leaf: Leaf) -> Passed {
        let mut ways = vec![(vec![], lifelines)];
        for part in parts.iter().rev() {
            ways = self.passing_one(part, &ways, leaf);
            if ways.is_empty() {
                break;
            }
        }
        ways
    }

    /// The same for one part before others that were passed.
    fn passing_one(&self, part: &Term, ways: &[(Vec<Term>, Lifelines)], leaf: Leaf) -> Passed {
        let mut next = vec![];
        for (done, lifelines) in ways {
            for (left, lifelines) in self.passing(part, *lifelines, leaf) {
                self.charge(1 + done.len());
                next.push((std::iter::once(left).chain(done.iter().cloned()).collect(), lifelines));
            }
        }
        next
    }
}

/// Ways that concern the same lifelines are one way with a choice.
fn by_lifelines(ways: Vec<(Term, Lifelines)>) -> Vec<(Term, Lifelines)> {
    let mut out: Passed = vec![];
    for (left, lifelines) in ways {
        match out.iter_mut().find(|(_, known)| *known == lifelines) {
            Some((parts, _)) => parts.push(left),
            None => out.push((vec![left], lifelines)),
        }
    }
    out.into_iter().map(|(parts, lifelines)| (Term::alt(parts), lifelines)).collect()
}
