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
            ServiceMember::Collect { name, predicates, effects, target, .. } => {
                let head = Doc::from(format!("node {}: collect ", name.name));
                let collect = head.then(self.list(Brackets::BLOCK, predicates.iter().map(|p| self.predicate(p))));
                // The arrow is the token before the target.
                let arrow = self.notes.place(target.span.start).saturating_sub(1);
                let leave = (arrow, Doc::from(format!("-> {}", target.name)));
                let rest = self.effects(effects).into_iter().chain([leave]).collect();
                self.chain(collect, rest, Hang::By(2 * STEP))
            }
            ServiceMember::Choose { name, choices, .. } => {
                let choice = |(event, target): &(Ident, Ident)| {
                    (
                        self.notes.places(event.span.to(target.span)),
                        Doc::from(format!("{} -> {}", event.name, target.name)),
                    )
                };
                let head = Doc::from(format!("node {}: choose ", name.name));
                head.then(self.list(Brackets::BLOCK, choices.iter().map(choice)))
            }
        }
    }

    fn predicate(&self, (condition, violation): &(Expr, Option<Ident>)) -> (Range<usize>, Doc) {
        let doc = self.expr(condition, level::EXPR);
        match violation {
            Some(node) => (self.notes.places(condition.span.to(node.span)), doc.then(format!(" -> {}", node.name))),
            None => (self.notes.places(condition.span), doc),
        }
    }
}
