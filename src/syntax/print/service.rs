//! Interactive services.

use std::ops::Range;

use super::Printer;
use super::doc::{Brackets, Doc, Gap, Hang, Line, STEP};
use super::expr::level;
use crate::tree::*;

impl Printer<'_> {
    pub(super) fn service(&self, service: &Service) -> Vec<Line> {
        let members = service.members.iter().flat_map(|m| self.service_member(m).lines(STEP, Gap::Kept)).collect();
        self.block(self.head("service", &service.name, &service.params), members, service.span, 0)
    }

    fn service_member(&self, member: &ServiceMember) -> Doc {
        match member {
            ServiceMember::Events { events, .. } => {
                let event = |(name, ty): &(Ident, Option<TypeExpr>)| {
                    (self.notes.places(name.span), Doc::from(format!("{}{}", name.name, self.ascribed(ty))))
                };
                self.commas("event ", events.iter().map(event))
            }
            ServiceMember::Vars { vars, .. } => self.vars(vars),
            ServiceMember::Node(node) => self.node(node),
        }
    }

    fn node(&self, node: &ServiceNode) -> Doc {
        let head = Doc::from(format!("node {}", node.name.name));
        let head = match self.effects(&node.entry) {
            Some((_, entry)) => head.then(" ").then(entry).then(" : "),
            None => head.then(": "),
        };
        let (waits, next) = match &node.kind {
            NodeKind::Collect { events, predicates, once, next } => {
                let events: String = events.iter().map(|event| format!("{}, ", event.name)).collect();
                let events = events.strip_suffix(", ").map_or_else(String::new, |events| format!("{events} "));
                let predicates = predicates.iter().map(|predicate| self.predicate(predicate));
                let collect = Doc::from(format!("collect {events}")).then(self.list(Brackets::BLOCK, predicates));
                let mut rest = vec![];
                if let Some(first) = once.first() {
                    let event = |event: &Ident| (self.notes.places(event.span), Doc::from(event.name.as_str()));
                    let place = self.notes.place(first.span.start).saturating_sub(1);
                    rest.push((place, self.commas("once ", once.iter().map(event))));
                }
                (self.chain(head.then(collect), rest, Hang::By(2 * STEP)), next)
            }
            NodeKind::Choose(choices) => {
                let choice = |choice: &Choice| {
                    let event = Doc::from(choice.event.name.as_str());
                    (self.notes.places(choice.event.span.to(choice.way.span)), self.way(event, &choice.way))
                };
                return head.then("choose ").then(self.list(Brackets::BLOCK, choices.iter().map(choice)));
            }
            NodeKind::Run { services, next } => {
                let service = |service: &ModelUse| (self.notes.places(service.span), self.model_use(service));
                (head.then(self.commas("run ", services.iter().map(service))), next)
            }
        };
        self.way(waits, next)
    }

    fn predicate(&self, predicate: &Predicate) -> (Range<usize>, Doc) {
        let Predicate { label, condition, violation } = predicate;
        let first = label.as_ref().map_or(condition.span, |label| label.span.to(condition.span));
        let label = label.as_ref().map_or_else(String::new, |label| format!("{}: ", label.name));
        let doc = Doc::from(label).then(self.expr(condition, level::EXPR));
        match violation {
            Some(way) => (self.notes.places(first.to(way.span)), self.way(doc, way)),
            None => (self.notes.places(first), doc),
        }
    }

    /// What is left, by a way: effects, and where it leads.
    fn way(&self, from: Doc, way: &Way) -> Doc {
        // The arrow is the token before the target.
        let arrow = self.notes.place(way.span.start).saturating_sub(1);
        let mut target = Doc::from("-> ");
        for (condition, node) in &way.cases {
            target =
                target.then("if ").then(self.expr(condition, level::EXPR)).then(format!(" then {} else ", node.name));
        }
        let leave = (arrow, target.then(way.otherwise.name.as_str()));
        let rest = self.effects(&way.effects).into_iter().chain([leave]).collect();
        self.chain(from, rest, Hang::By(2 * STEP))
    }
}
