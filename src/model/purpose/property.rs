//! Properties: events of calls, and what holds between them, over the lists of a model.
//!
//! A call is a step at a gate, or of one transition by its name. It ends with an exception if a transition that takes part
//! carries the tag `exceptional`, and normally otherwise.

use super::Checker;
use crate::history::{Call, Criterion, Event, Property, Wanted};
use crate::model::expr::base;
use crate::model::problem::{Problem, near};
use crate::model::scope::Binding;
use crate::syntax::print_expr;
use crate::syntax::tree::{self, CallEvent, CallKind, Held, Ident, TemporalKind};
use crate::term::{Expr, Type, UnaryOp, Value};

/// The tag of transitions that end a call with an exception.
pub const EXCEPTIONAL: &str = "exceptional";

/// A call that is meant: the list that tells, and its member.
type Called = (usize, usize);

impl Checker<'_> {
    /// The property that is written; none if it has no meaning, which is reported.
    pub(super) fn property(&mut self, written: &tree::Temporal) -> Option<Property> {
        Some(match &written.kind {
            TemporalKind::After(events, then) => {
                let (event, then) = (self.events(events), self.property(then));
                Property::After(event?, Box::new(then?))
            }
            TemporalKind::Before(events, holds) => {
                let (event, holds) = (self.events(events), self.property(holds));
                Property::Before(event?, Box::new(holds?))
            }
            TemporalKind::Unless(holds, events) => {
                let (holds, event) = (self.property(holds), self.events(events));
                Property::Unless(Box::new(holds?), event?)
            }
            TemporalKind::And(a, b) => {
                let (a, b) = (self.property(a), self.property(b));
                Property::And(Box::new(a?), Box::new(b?))
            }
            TemporalKind::Or(a, b) => {
                let (a, b) = (self.property(a), self.property(b));
                Property::Or(Box::new(a?), Box::new(b?))
            }
            TemporalKind::Always(held) => self.held(held, true)?,
            TemporalKind::Never(held) => self.held(held, false)?,
            TemporalKind::Error => return None,
        })
    }

    fn held(&mut self, held: &Held, is_always: bool) -> Option<Property> {
        match held {
            Held::Condition(condition) => {
                let list = self.truth(condition, vec![])?;
                let text = print_expr(condition);
                Some(Property::Always(Event { text, list }, is_always))
            }
            Held::Enabled { call, is_enabled, with } => {
                let called = self.called(call)?;
                // Which calls are meant is about the state before them.
                let with_list = match with {
                    Some(with) => {
                        let with = self.truth(with, self.parameters(call, called))?;
                        self.before(with)
                    }
                    None => Expr::TRUE,
                };
                let is_enabled = *is_enabled == is_always;
                let kind = if is_enabled { CallKind::Exceptional } else { CallKind::Normal };
                let (text, normal) = (text_of(call, kind, with.as_ref()), not(self.exceptional()));
                let made = self.made(called);
                Some(Property::Calls(Call { text, called, made, with: with_list, normal, is_enabled }))
            }
        }
    }

    /// That one of the events happens.
    fn events(&mut self, written: &[CallEvent]) -> Option<Event> {
        let events: Vec<Option<Event>> = written.iter().map(|event| self.event(event)).collect();
        let events = events.into_iter().collect::<Option<Vec<Event>>>()?;
        let text = events.iter().map(|event| event.text.as_str()).collect::<Vec<_>>().join(", ");
        let list = Expr::any(events.into_iter().map(|event| event.list))?;
        Some(Event { text, list })
    }

    fn event(&mut self, written: &CallEvent) -> Option<Event> {
        let CallEvent { call, kind, with, .. } = written;
        let called = self.called(call);
        let called = called?;
        let with_list = with.as_ref().map(|with| self.truth(with, self.parameters(call, called)));
        let mut happens = self.made(called);
        match kind {
            CallKind::Called | CallKind::Terminates => {}
            CallKind::Normal => happens = Expr::all([happens, not(self.exceptional())]),
            CallKind::Exceptional => happens = Expr::all([happens, self.exceptional()]),
        }
        if let Some(with) = with_list {
            // What a call needs is about the state before it.
            let with = if *kind == CallKind::Called { self.before(with?) } else { with? };
            happens = Expr::all([happens, with]);
        }
        Some(Event { text: text_of(call, *kind, with.as_ref()), list: happens })
    }

    /// That a call is made.
    fn made(&self, (list, member): Called) -> Expr {
        Expr::slot_is(list, self.histories.member(list, member))
    }

    /// The call with this name: at a gate, or of a transition.
    fn called(&mut self, call: &Ident) -> Option<Called> {
        let Some(gates) = self.histories.numbers.get("gate").copied() else {
            // Once is enough: it is about the model.
            let problem = Problem::NoCalls.at(call.span);
            if !self.problems.iter().any(|known| known.code == problem.code) {
                self.add(problem);
            }
            return None;
        };
        let fired = self.histories.numbers.iter().filter(|(name, _)| *name == "fired" || name.ends_with(".fired"));
        let lists: Vec<usize> = std::iter::once(gates).chain(fired.map(|(_, list)| *list)).collect();
        for list in &lists {
            if let Some(member) = self.histories.members(*list).iter().position(|name| *name == call.name) {
                return Some((*list, member));
            }
        }
        let known: Vec<&str> = lists.iter().flat_map(|list| self.histories.members(*list)).collect();
        let near = near(&call.name, known);
        self.report(Problem::UnknownCall { name: call.name.clone(), near }, call.span);
        None
    }

    /// The parameters of a gate by their own names, which hide lists of the model that are called so.
    fn parameters(&self, call: &Ident, (list, _): Called) -> Vec<(String, Binding)> {
        if self.histories.numbers.get("gate") != Some(&list) {
            return vec![];
        }
        let own = format!("{}.", call.name);
        let entries = self.histories.entries.iter().enumerate().filter(|(_, entry)| entry.is_message);
        let params = entries.filter_map(|(number, entry)| {
            let param = entry.name.strip_prefix(&own).filter(|param| !param.contains('.'))?;
            Some((param.to_owned(), Binding::Means(Expr::Slot(number), entry.ty.clone())))
        });
        params.collect()
    }

    /// A list of truth values, with more names than those of the property.
    fn truth(&mut self, written: &tree::Expr, more: Vec<(String, Binding)>) -> Option<Expr> {
        let known: Vec<(String, Binding)> = self.bindings.iter().cloned().chain(more).collect();
        let (list, ty) = self.list_expr(written, &known)?;
        if *base(&ty) != Type::Bool {
            let (expected, found) = ("Bool".to_owned(), ty.name(&self.histories.definitions));
            self.report(Problem::Mismatch { expected, found }, written.span);
            return None;
        }
        Some(list)
    }

    /// That a transition with the tag fires.
    fn exceptional(&self) -> Expr {
        let tags = self.criteria.items(&Criterion { name: "tags".to_owned(), args: vec![] });
        let tagged = tags.into_iter().flatten().find(|item| item.name == EXCEPTIONAL);
        match tagged.map(|item| item.wanted) {
            Some(Wanted::Condition(condition)) => condition,
            Some(Wanted::Element(list, value)) => Expr::slot_is(list, value),
            _ => Expr::Const(Value::Bool(false)),
        }
    }

    /// The same condition on the state before the step.
    fn before(&self, condition: Expr) -> Expr {
        let entries = &self.histories.entries;
        condition.map_leaves(&mut |leaf| match leaf {
            Expr::Slot(list) => {
                let before = self.histories.numbers.get(&format!("pre({})", entries[*list].name))?;
                Some(Expr::Slot(*before))
            }
            _ => None,
        })
    }
}

/// `store_data normal with x > 0`
fn text_of(call: &Ident, kind: CallKind, with: Option<&tree::Expr>) -> String {
    let with = with.map(|with| format!(" with {}", print_expr(with))).unwrap_or_default();
    format!("{} {}{with}", call.name, kind.word())
}

fn not(list: Expr) -> Expr {
    Expr::Unary(UnaryOp::Not, Box::new(list))
}
