//! Message sequence charts and scenario patterns.

use std::ops::Range;

use super::Printer;
use super::doc::{Brackets, Doc, Gap, Line, STEP};
use super::expr::{UNREADABLE, level, quoted};
use crate::tree::*;

/// Levels of patterns, the weakest first.
const CHOICE: u8 = 0;
const SEQUENCE: u8 = 1;
const ITEM: u8 = 2;
const REPEATED: u8 = 3;

fn level_of(pattern: &EventsPattern) -> u8 {
    match pattern.kind {
        EventsPatternKind::Choice(_) => CHOICE,
        EventsPatternKind::Sequence(_) => SEQUENCE,
        EventsPatternKind::Some { .. } | EventsPatternKind::When(_) => ITEM,
        // `a++` would be another operator.
        EventsPatternKind::Repeat(..) => REPEATED,
        _ => REPEATED + 1,
    }
}

impl Printer<'_> {
    pub(super) fn chart(&self, chart: &Chart) -> Vec<Line> {
        let head = self.head("msc", &chart.name, &chart.params).then(" for ").then(self.model_use(&chart.model));
        if let Some(source) = &chart.source {
            return head.then(format!(" from {}", quoted(&source.path))).lines(0, Gap::Kept);
        }
        let members = chart.members.iter().flat_map(|member| self.chart_member(member)).collect();
        self.block(head, members, chart.span, 0)
    }

    fn chart_member(&self, member: &ChartMember) -> Vec<Line> {
        let doc = match member {
            ChartMember::Lifelines { lifelines, .. } => {
                let lifeline = |e: &Expr| (self.notes.places(e.span), self.expr(e, level::POSTFIX));
                self.commas("lifeline ", lifelines.iter().map(lifeline))
            }
            ChartMember::Some { variable, ty, .. } => Doc::from(format!("some {}{}", variable.name, self.ascribed(ty))),
            ChartMember::Reading(reading, _) => Doc::from(word_of(*reading)),
            ChartMember::Order(ChartOrder::Global, _) => Doc::from("global order"),
            ChartMember::Order(ChartOrder::Local, _) => Doc::from("local order"),
            ChartMember::Part(part) => return self.chart_part(part, STEP),
        };
        doc.lines(STEP, Gap::Kept)
    }

    fn chart_part(&self, part: &ChartPart, indent: usize) -> Vec<Line> {
        let lifeline = |e: &Expr| self.expr(e, level::POSTFIX);
        let doc = match &part.kind {
            ChartPartKind::Message { from, to, event } => {
                let ends = lifeline(from).then(" -> ").then(lifeline(to));
                ends.then(" : ").then(self.event_pattern(event))
            }
            ChartPartKind::Fires { lifeline: of, transition } => {
                lifeline(of).then(format!(" fires {}", transition.name))
            }
            ChartPartKind::State { lifeline: of, state } => lifeline(of).then(format!(" in {}", state.name)),
            ChartPartKind::When(condition) => Doc::from("when ").then(self.expr(condition, level::EXPR)),
            ChartPartKind::Tick => Doc::from("tick"),
            ChartPartKind::Any => Doc::from("any"),
            ChartPartKind::Ref(chart) => Doc::from("ref ").then(self.model_use(chart)),
            ChartPartKind::Error => Doc::from(UNREADABLE),
            ChartPartKind::Alt(blocks) => return self.chart_blocks("alt", "or", blocks, indent),
            ChartPartKind::Par(blocks) => return self.chart_blocks("par", "and", blocks, indent),
            ChartPartKind::Opt(body) => return self.chart_block("opt".to_owned(), body, indent),
            ChartPartKind::Not(body) => return self.chart_block("not".to_owned(), body, indent),
            ChartPartKind::Read(reading, body) => return self.chart_block(word_of(*reading).to_owned(), body, indent),
            ChartPartKind::Loop(times, body) => {
                let times = match times {
                    Times::Any => String::new(),
                    times => format!(" {}", self.times(times)),
                };
                return self.chart_block(format!("loop{times}"), body, indent);
            }
        };
        doc.lines(indent, Gap::Kept)
    }

    fn chart_block(&self, head: String, body: &[ChartPart], indent: usize) -> Vec<Line> {
        let mut lines = vec![Line { indent, text: format!("{head} {{"), gap: Gap::Kept }];
        lines.extend(body.iter().flat_map(|part| self.chart_part(part, indent + STEP)));
        lines.push(Line { indent, text: "}".to_owned(), gap: Gap::Never });
        lines
    }

    fn chart_blocks(&self, first: &str, next: &str, blocks: &[Vec<ChartPart>], indent: usize) -> Vec<Line> {
        let mut lines = vec![];
        for (number, block) in blocks.iter().enumerate() {
            let head = if number == 0 { first.to_owned() } else { format!("}} {next}") };
            let gap = if number == 0 { Gap::Kept } else { Gap::Never };
            lines.push(Line { indent, text: format!("{head} {{"), gap });
            lines.extend(block.iter().flat_map(|part| self.chart_part(part, indent + STEP)));
        }
        lines.push(Line { indent, text: "}".to_owned(), gap: Gap::Never });
        lines
    }

    fn event_pattern(&self, event: &EventPattern) -> Doc {
        let mut doc = Doc::from(event.name.name.as_str());
        if let Some(args) = &event.args {
            let arg = |arg: &Expr| (self.notes.places(arg.span), self.expr(arg, level::EXPR));
            doc = doc.then(self.list(Brackets::ROUND, args.iter().map(arg)));
        }
        match &event.result {
            Some(result) => doc.then(": ").then(self.pattern_of_result(result)),
            None => doc,
        }
    }

    /// What may follow `c?`.
    fn pattern_of_result(&self, result: &Expr) -> Doc {
        match &result.kind {
            ExprKind::Unary(UnaryOp::Negate, inner) => Doc::from("-").then(self.expr(inner, level::PRIMARY)),
            _ => self.expr(result, level::PRIMARY),
        }
    }

    fn times(&self, times: &Times) -> String {
        let bound = |e: &Expr| self.bound(e).flat();
        match times {
            Times::Any => String::new(),
            Times::Exactly(n) => bound(n),
            Times::Between(low, Some(high)) => format!("{}..{}", bound(low), bound(high)),
            Times::Between(low, None) => format!("{}..", bound(low)),
        }
    }

    fn bound(&self, e: &Expr) -> Doc {
        self.expr(e, level::SUM)
    }

    pub(super) fn scenario(&self, scenario: &Scenario) -> Vec<Line> {
        let head = self.head("pattern", &scenario.name, &scenario.params);
        let head = head.then(" for ").then(self.model_use(&scenario.model));
        let mut members = vec![];
        if !scenario.free.is_empty() {
            let free = |(name, ty): &(Ident, Option<TypeExpr>)| {
                let span = ty.as_ref().map_or(name.span, |ty| name.span.to(ty.span));
                (self.notes.places(span), Doc::from(format!("{}{}", name.name, self.ascribed(ty))))
            };
            members.extend(self.commas("free ", scenario.free.iter().map(free)).lines(STEP, Gap::Kept));
        }
        if let Some(alphabet) = &scenario.alphabet {
            let symbols = self.list(Brackets::BLOCK, alphabet.iter().map(|symbol| self.placed_symbol(symbol)));
            members.extend(Doc::from("alphabet ").then(symbols).lines(STEP, Gap::Kept));
        }
        members.extend(self.events(&scenario.pattern, CHOICE).lines(STEP, Gap::Kept));
        self.block(head, members, scenario.span, 0)
    }

    fn placed_symbol(&self, symbol: &Symbol) -> (Range<usize>, Doc) {
        let span = match symbol {
            Symbol::Event { event, .. } => event.span,
            Symbol::Fires { machine, transition } => machine.span.to(transition.span),
        };
        (self.notes.places(span), self.symbol(symbol))
    }

    fn symbol(&self, symbol: &Symbol) -> Doc {
        match symbol {
            Symbol::Event { machine: None, event } => self.event_pattern(event),
            Symbol::Event { machine: Some(machine), event } => {
                self.expr(machine, level::POSTFIX).then(".").then(self.event_pattern(event))
            }
            Symbol::Fires { machine, transition } => {
                self.expr(machine, level::POSTFIX).then(format!(" fires {}", transition.name))
            }
        }
    }

    fn events(&self, pattern: &EventsPattern, least: u8) -> Doc {
        let joined = |parts: &[EventsPattern], by: &str, least: u8| {
            let mut doc = Doc::from("");
            for (number, part) in parts.iter().enumerate() {
                doc = doc.then(if number == 0 { "" } else { by }).then(self.events(part, least));
            }
            doc
        };
        let doc = match &pattern.kind {
            EventsPatternKind::Symbol(symbol) => self.symbol(symbol),
            EventsPatternKind::Any => Doc::from("any"),
            EventsPatternKind::When(condition) => Doc::from("when ").then(self.expr(condition, level::EXPR)),
            EventsPatternKind::Sequence(parts) => joined(parts, "; ", ITEM),
            EventsPatternKind::Choice(parts) => joined(parts, " | ", SEQUENCE),
            EventsPatternKind::Repeat(inner, times) => {
                let is = |e: &Expr, n: u32| e.kind == ExprKind::Int(n.into());
                let times = match times {
                    Times::Any => "*".to_owned(),
                    Times::Between(low, None) if is(low, 1) => "+".to_owned(),
                    Times::Between(low, Some(high)) if is(low, 0) && is(high, 1) => "?".to_owned(),
                    times => format!("[{}]", self.times(times)),
                };
                self.events(inner, REPEATED + 1).then(times)
            }
            EventsPatternKind::Some { variable, ty, body } => {
                let ty = ty.as_ref().map_or_else(String::new, |ty| format!(" in {}", self.ty(ty)));
                Doc::from(format!("some {}{ty}: ", variable.name)).then(self.events(body, ITEM))
            }
            EventsPatternKind::Error => Doc::from(UNREADABLE),
        };
        if level_of(pattern) < least { Doc::from("(").then(doc).then(")") } else { doc }
    }
}

fn word_of(reading: Reading) -> &'static str {
    match reading {
        Reading::Exactly => "exactly",
        Reading::AmongOthers => "among others",
    }
}
