//! Properties of every run, and how tests are made for them.
//!
//! A property opens and closes parts of a run by events, and says what holds there. It becomes strategies: ways to bring a run
//! into such a part, to do there whatever can be done, and then to try what is forbidden (part by part as in safety-driven
//! test generation from temporal patterns). Events and conditions are lists of truth values over what can be observed.

use super::acceptor::{Strength, Temporal};
use crate::term::Expr;

/// What holds in every run.
#[derive(Clone, Debug)]
pub enum Property {
    /// From every one of these events on.
    After(Event, Box<Property>),
    /// Up to every one of these events.
    Before(Event, Box<Property>),
    /// Until the event, if it comes.
    Unless(Box<Property>, Event),
    /// Both.
    And(Box<Property>, Box<Property>),
    /// One of them.
    Or(Box<Property>, Box<Property>),
    /// A condition holds in every moment, or in none.
    Always(Event, bool),
    /// A call that is always taken, or never.
    Calls(Call),
}

/// Something that happens in a step, or holds after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// As written.
    pub text: String,
    /// Whether it does: a list of truth values.
    pub list: Expr,
}

/// Calls at a gate, or of one transition.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// As written.
    pub text: String,
    /// The list that tells, of gates or of transitions, and the member of it that is meant.
    pub called: (usize, usize),
    /// Whether such a call is made: a list of truth values.
    pub made: Expr,
    /// Which calls are meant: a list of truth values.
    pub with: Expr,
    /// Whether the call ends as it should.
    pub normal: Expr,
    /// Whether they are always taken; otherwise never.
    pub is_enabled: bool,
}

/// A step of a strategy: from some runs to longer ones.
#[derive(Clone, Debug, PartialEq)]
pub enum Phase {
    /// On to an event.
    Research(Event),
    /// On to each transition that can fire, one run for each.
    Cover,
    /// The same, as long as no such event happens.
    CoverStop(Event),
    /// On to where the call is tried.
    Active(Call),
    /// Nothing to try: a condition is to be looked at in every moment; whether it is to hold.
    Observe(Event, bool),
}

impl Phase {
    /// As a person would write it.
    pub fn text(&self) -> String {
        match self {
            Phase::Research(event) => format!("Research({})", event.text),
            Phase::Cover => "Cover".to_owned(),
            Phase::CoverStop(event) => format!("CoverStop({})", event.text),
            Phase::Active(call) => format!("Active({})", call.text),
            Phase::Observe(event, true) => format!("Observe({})", event.text),
            Phase::Observe(event, false) => format!("Observe(not {})", event.text),
        }
    }
}

impl Call {
    /// That a step does with it what is forbidden.
    fn broken(&self, atom: &mut dyn FnMut(&Expr) -> Temporal) -> Temporal {
        let normal = atom(&self.normal);
        let ends = if self.is_enabled { normal.negated() } else { normal };
        atom(&self.made).and(atom(&self.with)).and(ends)
    }
}

/// That moments come in some order, some perhaps together, and the last one with something else.
fn in_any_order(moments: &[Moment], is_opened: bool, last: &Temporal) -> Temporal {
    if moments.is_empty() {
        return last.clone();
    }
    let mut out = match is_opened {
        true => Temporal::Next(Box::new(in_any_order(moments, false, last)), Strength::Strong),
        false => Temporal::Truth(false),
    };
    for (number, (moment, is_call)) in moments.iter().enumerate() {
        let others = [&moments[..number], &moments[number + 1..]].concat();
        let here = moment.clone().and(in_any_order(&others, is_opened, last));
        match (is_opened, is_call) {
            // A state counts in the step that opens the part of the run, a call does not.
            (true, true) => {}
            (true, false) => out = out.or(here),
            (false, _) => out = out.or(here.eventually()),
        }
    }
    out
}

/// Something in one step, and whether it is a call.
type Moment = (Temporal, bool);

impl Property {
    /// The strategies for it, each of which makes tests.
    pub fn strategies(&self) -> Vec<Vec<Phase>> {
        let mut out = self.compiled();
        out.iter_mut().for_each(simplify);
        out
    }

    /// What it says of every run, as a temporal formula; `atom` gives lists of truth values their numbers.
    pub fn formula(&self, atom: &mut dyn FnMut(&Expr) -> Temporal) -> Temporal {
        self.said(false, None, atom)
    }

    /// What holds from a position on. If the part of the run was opened by an event there, states count at once, calls and events
    /// from the next position on. It ends where one of the events `until` happens.
    fn said(&self, is_opened: bool, until: Option<&Temporal>, atom: &mut dyn FnMut(&Expr) -> Temporal) -> Temporal {
        let later = |f: Temporal| if is_opened { Temporal::Next(Box::new(f), Strength::Weak) } else { f };
        match self {
            Property::Always(condition, holds) => {
                let condition = atom(&condition.list);
                let condition = if *holds { condition } else { condition.negated() };
                // The state after the event that ends the part no longer belongs to it.
                let lasts = condition.clone().weak_until(until.cloned().unwrap_or(Temporal::Truth(false)));
                if is_opened { condition.and(later(lasts)) } else { lasts }
            }
            Property::Calls(call) => {
                // A call in the step of that event does.
                let allowed = call.broken(atom).negated();
                later(until.cloned().unwrap_or(Temporal::Truth(false)).release(allowed))
            }
            Property::After(event, then) => {
                let event = atom(&event.list);
                later(event.implies(then.said(true, until, atom)).always())
            }
            Property::Before(event, holds) => {
                let event = atom(&event.list);
                holds.before(event, is_opened, atom).negated()
            }
            Property::Unless(holds, event) => {
                let event = atom(&event.list);
                holds.said(is_opened, Some(&event), atom)
            }
            Property::And(a, b) => a.said(is_opened, until, atom).and(b.said(is_opened, until, atom)),
            Property::Or(a, b) => a.said(is_opened, until, atom).or(b.said(is_opened, until, atom)),
        }
    }

    /// That it is broken, and the event comes in a later step.
    fn before(&self, event: Temporal, is_opened: bool, atom: &mut dyn FnMut(&Expr) -> Temporal) -> Temporal {
        let comes = Temporal::Next(Box::new(event.eventually()), Strength::Strong);
        let mut out = Temporal::Truth(false);
        for ways in self.broken(atom) {
            out = out.or(in_any_order(&ways, is_opened, &comes));
        }
        out
    }

    /// What breaks it: one of several sets of moments, all of which a run has.
    fn broken(&self, atom: &mut dyn FnMut(&Expr) -> Temporal) -> Vec<Vec<Moment>> {
        match self {
            Property::Always(condition, holds) => {
                let condition = atom(&condition.list);
                vec![vec![(if *holds { condition.negated() } else { condition }, false)]]
            }
            Property::Calls(call) => vec![vec![(call.broken(atom), true)]],
            Property::And(a, b) => a.broken(atom).into_iter().chain(b.broken(atom)).collect(),
            Property::Or(a, b) => {
                let (one, other) = (a.broken(atom), b.broken(atom));
                one.iter().flat_map(|a| other.iter().map(|b| [&a[..], b].concat())).collect()
            }
            // Nothing else stands there.
            Property::After(_, inner) | Property::Before(_, inner) | Property::Unless(inner, _) => inner.broken(atom),
        }
    }

    fn compiled(&self) -> Vec<Vec<Phase>> {
        let around = |first: Vec<Phase>, inner: &Property, last: Vec<Phase>| -> Vec<Vec<Phase>> {
            let joined = |inner: Vec<Phase>| first.iter().cloned().chain(inner).chain(last.iter().cloned()).collect();
            inner.compiled().into_iter().map(joined).collect()
        };
        match self {
            Property::After(event, then) => around(vec![Phase::Research(event.clone())], then, vec![]),
            Property::Before(event, holds) => around(vec![Phase::Cover], holds, vec![Phase::Research(event.clone())]),
            Property::Unless(holds, event) => around(vec![Phase::CoverStop(event.clone())], holds, vec![]),
            Property::And(a, b) | Property::Or(a, b) => a.compiled().into_iter().chain(b.compiled()).collect(),
            Property::Always(condition, holds) => vec![vec![Phase::Cover, Phase::Observe(condition.clone(), *holds)]],
            Property::Calls(call) => vec![vec![Phase::Cover, Phase::Active(call.clone())]],
        }
    }
}

/// To cover, and to cover up to an event, one after the other, is the second alone; to cover twice is to cover once.
fn simplify(phases: &mut Vec<Phase>) {
    let mut out: Vec<Phase> = vec![];
    for phase in phases.drain(..) {
        match (out.last(), &phase) {
            (Some(Phase::Cover | Phase::CoverStop(_)), Phase::Cover) => {}
            (Some(Phase::Cover), Phase::CoverStop(_)) => {
                out.pop();
                out.push(phase);
            }
            _ => out.push(phase),
        }
    }
    *phases = out;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(text: &str) -> Event {
        Event { text: text.to_owned(), list: Expr::TRUE }
    }

    fn call(text: &str) -> Box<Property> {
        let text = text.to_owned();
        let call =
            Call { text, called: (0, 0), made: Expr::TRUE, with: Expr::TRUE, normal: Expr::TRUE, is_enabled: false };
        Box::new(Property::Calls(call))
    }

    fn shown(property: &Property) -> Vec<String> {
        let text = |phases: &Vec<Phase>| phases.iter().map(Phase::text).collect::<Vec<_>>().join("; ");
        property.strategies().iter().map(text).collect()
    }

    #[test]
    fn strategies_of_the_purse() {
        let unless = Property::Unless(call("init normal"), event("complete called"));
        let property = Property::After(event("init normal"), Box::new(unless));
        assert_eq!(shown(&property), ["Research(init normal); CoverStop(complete called); Active(init normal)"]);
        let property = Property::After(event("sd normal"), call("sd normal"));
        assert_eq!(shown(&property), ["Research(sd normal); Cover; Active(sd normal)"]);
    }

    #[test]
    fn each_part_of_a_combination_has_a_strategy() {
        let both = Property::And(Box::new(Property::Always(event("x > 0"), true)), call("m normal"));
        let property = Property::Before(event("e called"), Box::new(both));
        assert_eq!(
            shown(&property),
            ["Cover; Observe(x > 0); Research(e called)", "Cover; Active(m normal); Research(e called)"]
        );
    }
}
