//! Lock-step systems and compositions of symbolic transition systems.

use std::ops::Range;

use super::Printer;
use super::doc::{Brackets, Doc, Gap, Hang, Line, STEP};
use super::expr::{UNREADABLE, level};
use super::machine::direction_word;
use crate::tree::*;

impl Printer<'_> {
    pub(super) fn system(&self, system: &System) -> Vec<Line> {
        let members = system.members.iter().flat_map(|member| self.system_member(member)).collect();
        self.block(self.head("system", &system.name, &system.params), members, system.span, 0)
    }

    fn system_member(&self, member: &SystemMember) -> Vec<Line> {
        match member {
            SystemMember::Instance(instance) => self.instance(instance).lines(STEP, Gap::Kept),
            SystemMember::Connection(connection) => self.connection(connection).lines(STEP, Gap::Kept),
            SystemMember::For { variable, over, connections, span } => {
                let head = Doc::from(format!("for {} in ", variable.name)).then(self.over(over));
                let inner = connections.iter().flat_map(|c| self.connection(c).lines(2 * STEP, Gap::Kept)).collect();
                self.block(head, inner, *span, STEP)
            }
        }
    }

    fn instance(&self, instance: &Instance) -> Doc {
        let name = Doc::from(instance.name.name.as_str());
        let place = match &instance.index {
            Some((variable, over)) => name.then(format!("[{} in ", variable.name)).then(self.over(over)).then("]"),
            None => name,
        };
        place.then(": ").then(self.model_use(&instance.model))
    }

    fn connection(&self, connection: &Connection) -> Doc {
        let to = self.commas("-> ", connection.to.iter().map(|end| (self.notes.places(end.span), self.endpoint(end))));
        self.endpoint(&connection.from).then(" ").then(to)
    }

    fn endpoint(&self, endpoint: &Endpoint) -> Doc {
        let border = endpoint.border.map_or_else(String::new, |border| format!("{} ", direction_word(border)));
        let mut doc = Doc::from(border);
        for (i, (name, index)) in endpoint.path.iter().enumerate() {
            doc = doc.then(if i == 0 { "" } else { "." }).then(self.indexed(name, index));
        }
        doc
    }

    fn indexed(&self, name: &Ident, index: &Option<Expr>) -> Doc {
        let name = Doc::from(name.name.as_str());
        match index {
            Some(index) => name.then("[").then(self.expr(index, level::EXPR)).then("]"),
            None => name,
        }
    }

    pub(super) fn composition(&self, composition: &Composition) -> Doc {
        let head = self.head("system", &composition.name, &composition.params).then(" =");
        let place = self.notes.place(composition.process.span.start);
        self.chain(head, vec![(place, self.process(&composition.process))], Hang::By(STEP))
    }

    /// Operators group to the left, so the left operand never needs parentheses.
    fn process(&self, process: &Process) -> Doc {
        match &process.kind {
            ProcessKind::Model { label, model } => {
                let label = label.as_ref().map_or_else(String::new, |label| format!("{}: ", label.name));
                Doc::from(label).then(self.model_use(model))
            }
            ProcessKind::Parallel(..) => self.parallel(process),
            ProcessKind::Replicated { operator, variable, over, body } => {
                let head = format!("({} {} in ", symbol(*operator), variable.name);
                Doc::from(head).then(self.over(over)).then(": ").then(self.process(body)).then(")")
            }
            ProcessKind::Hide(inner, gates) => {
                let gates = gates.iter().map(|gate| (self.gate_places(gate), self.gate_name(gate)));
                self.restricted(inner).then(" hide ").then(self.list(Brackets::BLOCK, gates))
            }
            ProcessKind::Rename(inner, pairs) => {
                let pair = |(old, new): &(GateName, GateName)| {
                    (
                        self.gate_places(old).start..self.gate_places(new).end,
                        self.gate_name(old).then(" -> ").then(self.gate_name(new)),
                    )
                };
                self.restricted(inner).then(" rename ").then(self.list(Brackets::BLOCK, pairs.iter().map(pair)))
            }
            ProcessKind::Error => Doc::from(UNREADABLE),
        }
    }

    fn parallel(&self, process: &Process) -> Doc {
        let mut rest = vec![];
        let mut first = process;
        while let ProcessKind::Parallel(operator, left, right) = &first.kind {
            let operand = Doc::from(format!("{} ", symbol(*operator))).then(self.restricted(right));
            rest.push((self.notes.place(left.span.end), operand));
            first = left;
        }
        rest.reverse();
        self.chain(self.process(first), rest, Hang::Flush)
    }

    fn restricted(&self, process: &Process) -> Doc {
        match process.kind {
            ProcessKind::Parallel(..) => Doc::from("(").then(self.process(process)).then(")"),
            _ => self.process(process),
        }
    }

    fn gate_places(&self, gate: &GateName) -> Range<usize> {
        let name = self.notes.places(gate.name.span);
        match &gate.index {
            // Behind the index a bracket closes.
            Some(index) => name.start..self.notes.place(index.span.end) + 1,
            None => name,
        }
    }

    fn gate_name(&self, gate: &GateName) -> Doc {
        self.indexed(&gate.name, &gate.index)
    }
}

fn symbol(operator: Parallel) -> &'static str {
    match operator {
        Parallel::Handshake => "||",
        Parallel::Interleave => "|||",
    }
}
