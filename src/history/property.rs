//! Properties of every run, and how tests are made for them.
//!
//! A property opens and closes parts of a run by events, and says what holds there. It becomes strategies: ways to bring a run
//! into such a part, to do there whatever can be done, and then to try what is forbidden (part by part as in safety-driven
//! test generation from temporal patterns). Events and conditions are lists of truth values over what can be observed.

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

impl Property {
    /// The strategies for it, each of which makes tests.
    pub fn strategies(&self) -> Vec<Vec<Phase>> {
        let mut out = self.compiled();
        out.iter_mut().for_each(simplify);
        out
    }

    /// Whether it is enough that one of several properties holds.
    pub fn has_choice(&self) -> bool {
        match self {
            Property::Or(..) => true,
            Property::And(a, b) => a.has_choice() || b.has_choice(),
            Property::After(_, inner) | Property::Before(_, inner) | Property::Unless(inner, _) => inner.has_choice(),
            Property::Always(..) | Property::Calls(_) => false,
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
