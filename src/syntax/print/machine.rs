//! Components and symbolic transition systems.

use super::Printer;
use super::doc::{Brackets, Doc, Gap, Hang, Line, STEP};
use super::expr::{level, quoted};
use super::item::Row;
use crate::span::FileId;
use crate::token::{Token, tokenize};
use crate::tree::*;

/// Guards and effects that do not fit behind their transition are indented more than the members of a block.
const CLAUSE: Hang = Hang::By(2 * STEP);

impl Printer<'_> {
    pub(super) fn machine(&self, machine: &Machine) -> Vec<Line> {
        let word = match machine.kind {
            MachineKind::Component => "component",
            MachineKind::Sts => "sts",
        };
        let mut lines = vec![];
        let mut rows = vec![];
        for member in &machine.members {
            let doc = match member {
                Member::Transition(transition) => {
                    rows.push(self.transition(transition));
                    continue;
                }
                Member::Ports { direction, ports, .. } => self.ports(*direction, ports),
                Member::Vars { vars, .. } => self.vars(vars),
                Member::States { initial, kind, names, .. } => self.states(*initial, *kind, names),
                Member::Action(action) => self.action(action),
            };
            lines.extend(self.table(std::mem::take(&mut rows), STEP));
            lines.extend(doc.lines(STEP, Gap::Kept));
        }
        lines.extend(self.table(rows, STEP));
        self.block(self.head(word, &machine.name, &machine.params), lines, machine.span, 0)
    }

    fn ports(&self, direction: Direction, ports: &[Port]) -> Doc {
        let port = |port: &Port| match port {
            Port::Channel(field) => self.field(field),
            Port::Gate(gate) => (self.notes.places(gate.name.span), self.gate(gate)),
        };
        self.commas(&format!("{} ", direction_word(direction)), ports.iter().map(port))
    }

    fn gate(&self, gate: &GateDecl) -> Doc {
        let params = self.list(Brackets::ROUND, gate.params.iter().map(|param| self.field(param)));
        Doc::from(gate.name.name.as_str()).then(params).then(self.ascribed(&gate.result))
    }

    pub(super) fn vars(&self, vars: &[VarDecl]) -> Doc {
        let var = |var: &VarDecl| {
            let lead = format!("{}{} = ", var.name.name, self.ascribed(&var.ty));
            let init = match &var.init {
                Init::Value(value) => self.expr(value, level::SUM),
                Init::Any(_) => Doc::from("any"),
            };
            (self.notes.places(var.name.span), Doc::from(lead).then(init))
        };
        self.commas("var ", vars.iter().map(var))
    }

    fn states(&self, initial: bool, kind: MachineKind, names: &[Ident]) -> Doc {
        let word = match kind {
            MachineKind::Component => "state ",
            MachineKind::Sts => "location ",
        };
        let word = if initial { format!("initial {word}") } else { word.to_owned() };
        self.commas(&word, names.iter().map(|name| (self.notes.places(name.span), Doc::from(name.name.as_str()))))
    }

    fn transition(&self, transition: &Transition) -> Row {
        let Transition { sources, target, name, event, guard, effects, tags, span } = transition;
        let sources = sources.iter().map(|source| source.name.as_str()).collect::<Vec<_>>().join(", ");
        let mut label = name.as_ref().map_or_else(Doc::default, |name| Doc::from(format!(": {}", name.name)));
        if let Some(event) = event {
            label = label.then(if name.is_some() { " " } else { ": " }).then(self.event(event));
        }
        let flat = |clause: Option<(usize, Doc)>| clause.map_or_else(String::new, |(_, doc)| doc.flat());
        let cells = vec![
            sources.clone(),
            format!("-> {}", target.name),
            label.flat(),
            flat(self.guard(guard)),
            flat(self.effects(effects)),
            flat(self.tags(tags)),
        ];
        let arrow = Doc::from(format!("{sources} -> {}", target.name));
        let head = if name.is_some() || event.is_some() { arrow.then(" ").then(label) } else { arrow };
        Row { span: *span, cells, alone: self.guarded(head, guard, effects, tags) }
    }

    /// `head when guard do effects @tags`
    fn guarded(&self, head: Doc, guard: &Option<Expr>, effects: &[Effect], tags: &[Ident]) -> Doc {
        let clauses = self.guard(guard).into_iter().chain(self.effects(effects)).chain(self.tags(tags));
        self.chain(head, clauses.collect(), CLAUSE)
    }

    /// Tags, with the place of the first.
    fn tags(&self, tags: &[Ident]) -> Option<(usize, Doc)> {
        let place = self.notes.place(tags.first()?.span.start);
        let tag = |tag: &Ident| match is_name(&tag.name) {
            true => format!("@{}", tag.name),
            false => format!("@{}", quoted(&tag.name)),
        };
        Some((place, Doc::from(tags.iter().map(tag).collect::<Vec<_>>().join(" "))))
    }

    /// `when` and what follows it, with its place: one token before the guard.
    fn guard(&self, guard: &Option<Expr>) -> Option<(usize, Doc)> {
        let guard = guard.as_ref()?;
        let place = self.notes.place(guard.span.start).saturating_sub(1);
        Some((place, Doc::from("when ").then(self.expr(guard, level::EXPR))))
    }

    fn event(&self, event: &EventUse) -> Doc {
        let (direction, gate, args, result) = match event {
            EventUse::Tau(_) => return Doc::from("tau"),
            EventUse::Gate { direction, gate, args, result, .. } => (direction, gate, args, result),
        };
        let mark = match direction {
            Direction::In => "?",
            Direction::Out => "!",
        };
        let mut doc = Doc::from(format!("{mark}{}", gate.name));
        if !args.is_empty() {
            let args = args.iter().map(|arg| (self.notes.places(arg.span), self.expr(arg, level::EXPR)));
            doc = doc.then(self.list(Brackets::ROUND, args));
        }
        if let Some(result) = result {
            doc = doc.then(": ").then(self.expr(result, level::SUM));
        }
        doc
    }

    fn action(&self, action: &Action) -> Doc {
        let Action { direction, gate, result, guard, effects, tags, .. } = action;
        let mark = match direction {
            Direction::In => "",
            Direction::Out => "!",
        };
        let head = Doc::from(format!("action {mark}")).then(self.gate(gate));
        let head = match result {
            Some(value) => self.led(head.then(" ="), value),
            None => head,
        };
        self.guarded(head, guard, effects, tags)
    }

    /// `do` and what follows it, with its place.
    pub(super) fn effects(&self, effects: &[Effect]) -> Option<(usize, Doc)> {
        let (Effect::Assign { span, .. } | Effect::Send { span, .. }) = effects.first()?;
        let place = self.notes.place(span.start).saturating_sub(1);
        let effect = |effect: &Effect| match effect {
            Effect::Assign { target, value, span } => {
                (self.notes.places(*span), self.led(self.expr(target, level::POSTFIX).then(" :="), value))
            }
            Effect::Send { channel, value, condition, span } => {
                let send = Doc::from(format!("{}!", channel.name)).then(self.expr(value, level::SUM));
                let doc = match condition {
                    Some(condition) => send.then(" if ").then(self.expr(condition, level::EXPR)),
                    None => send,
                };
                (self.notes.places(*span), doc)
            }
        };
        Some((place, self.commas("do ", effects.iter().map(effect))))
    }
}

/// Whether a text can stand as a name.
fn is_name(text: &str) -> bool {
    matches!(&tokenize(FileId::default(), text).tokens[..], [(0, Token::Name(name), _)] if name == text)
}

/// `in` or `out`.
pub(super) fn direction_word(direction: Direction) -> &'static str {
    match direction {
        Direction::In => "in",
        Direction::Out => "out",
    }
}
