//! Expressions and types, with no more parentheses than the grammar needs.
//!
//! Every place in the grammar reads expressions from some level on; what binds more weakly stands in parentheses there.

use std::ops::Range;

use super::Printer;
use super::doc::{Brackets, Doc, Hang, STEP};
use crate::tree::*;

/// Levels of the grammar, the weakest first. Infix operators stand at their precedence.
pub(super) mod level {
    pub const EXPR: u8 = 0;
    pub const COMPARED: u8 = 3;
    pub const SUM: u8 = 4;
    pub const PREFIX: u8 = 6;
    pub const POSTFIX: u8 = 7;
    pub const PRIMARY: u8 = 8;
}

fn level_of(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::If(..) | ExprKind::Let(..) | ExprKind::Quantified(..) | ExprKind::Range(..) => level::EXPR,
        ExprKind::Binary(op, ..) => op.precedence(),
        ExprKind::Unary(..) | ExprKind::Receive(..) => level::PREFIX,
        ExprKind::Field(..) | ExprKind::Index(..) | ExprKind::With(..) => level::POSTFIX,
        _ => level::PRIMARY,
    }
}

impl Printer<'_> {
    /// An expression where the grammar reads those from level `least` on.
    pub(super) fn expr(&self, expr: &Expr, least: u8) -> Doc {
        let doc = self.bare(expr);
        if level_of(expr) < least { Doc::from("(").then(doc).then(")") } else { doc }
    }

    /// What a loop, a quantifier or `in` runs over.
    pub(super) fn over(&self, expr: &Expr) -> Doc {
        match &expr.kind {
            ExprKind::Range(..) => self.bare(expr),
            _ => self.expr(expr, level::SUM),
        }
    }

    fn any(&self, expr: &Expr) -> Doc {
        self.expr(expr, level::EXPR)
    }

    /// `lead` and an expression, which moves to the next line if there is no room, unless it can be broken in itself.
    pub(super) fn led(&self, lead: Doc, expr: &Expr) -> Doc {
        match expr.kind {
            ExprKind::List(_)
            | ExprKind::Set(_)
            | ExprKind::Map(_)
            | ExprKind::Call(..)
            | ExprKind::Match(..)
            | ExprKind::Comprehension(_) => lead.then(" ").then(self.any(expr)),
            _ => self.chain(lead, vec![(self.notes.place(expr.span.start), self.any(expr))], Hang::By(STEP)),
        }
    }

    /// Pieces that may stand on lines of their own; with each but the first the place where it begins.
    pub(super) fn chain(&self, first: Doc, rest: Vec<(usize, Doc)>, hang: Hang) -> Doc {
        if rest.is_empty() {
            return first;
        }
        let forced = rest.iter().any(|(place, _)| self.notes.break_at(*place));
        let pieces = std::iter::once(first).chain(rest.into_iter().map(|(_, piece)| piece)).collect();
        Doc::chain(pieces, hang, forced)
    }

    /// A list in brackets; with each element its places.
    pub(super) fn list(&self, brackets: Brackets, items: impl IntoIterator<Item = (Range<usize>, Doc)>) -> Doc {
        let (places, docs): (Vec<_>, Vec<_>) = items.into_iter().unzip();
        Doc::list(brackets, docs, self.notes.break_among(&places))
    }

    /// A list without brackets, after a word; with each element its places.
    pub(super) fn commas(&self, word: &str, items: impl IntoIterator<Item = (Range<usize>, Doc)>) -> Doc {
        let mut pieces: Vec<(usize, Doc)> = vec![];
        for (places, doc) in items {
            if let Some((_, last)) = pieces.last_mut() {
                *last = std::mem::take(last).then(",");
            }
            pieces.push((places.start, doc));
        }
        let mut pieces = pieces.into_iter();
        let first = pieces.next().map_or_else(Doc::default, |(_, doc)| doc);
        self.chain(Doc::from(word).then(first), pieces.collect(), Hang::By(STEP))
    }

    // Every form has a function of its own, so that the frames of this recursion stay small.
    fn bare(&self, expr: &Expr) -> Doc {
        match &expr.kind {
            ExprKind::List(elements) => self.elements(Brackets::SQUARE, elements),
            ExprKind::Set(elements) => self.elements(Brackets::SET, elements),
            ExprKind::Map(entries) => self.map(entries),
            ExprKind::Call(name, args) => self.call(name, args),
            ExprKind::With(base, fields) => self.with(base, fields),
            ExprKind::Index(base, index) => self.index(base, index),
            ExprKind::Field(base, name) => self.expr(base, level::POSTFIX).then(format!(".{}", name.name)),
            ExprKind::Unary(op, operand) => self.unary(*op, operand),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::Range(low, high) => self.range(low, high),
            ExprKind::If(..) => self.if_chain(expr),
            ExprKind::Match(scrutinee, arms) => self.match_on(scrutinee, arms),
            ExprKind::Let(..) => self.let_chain(expr),
            ExprKind::Quantified(quantifier, name, over, body) => self.quantified(*quantifier, name, over, body),
            ExprKind::Comprehension(comprehension) => self.comprehension(comprehension),
            ExprKind::Receive(channel, pattern) => self.receive(channel, pattern),
            leaf => Doc::from(leaf_text(leaf)),
        }
    }

    fn elements(&self, brackets: Brackets, elements: &[Expr]) -> Doc {
        self.list(brackets, elements.iter().map(|e| (self.notes.places(e.span), self.any(e))))
    }

    fn map(&self, entries: &[(Expr, Expr)]) -> Doc {
        let entry =
            |(k, v): &(Expr, Expr)| (self.notes.places(k.span.to(v.span)), self.any(k).then(": ").then(self.any(v)));
        self.list(Brackets::MAP, entries.iter().map(entry))
    }

    fn call(&self, name: &Ident, args: &[Arg]) -> Doc {
        Doc::from(name.name.as_str()).then(self.args(args))
    }

    /// Arguments in parentheses.
    pub(super) fn args(&self, args: &[Arg]) -> Doc {
        let arg = |arg: &Arg| {
            let value = self.any(&arg.value);
            match &arg.name {
                Some(name) => {
                    let places = self.notes.places(name.span.to(arg.value.span));
                    (places, Doc::from(format!("{}: ", name.name)).then(value))
                }
                None => (self.notes.places(arg.value.span), value),
            }
        };
        self.list(Brackets::ROUND, args.iter().map(arg))
    }

    fn with(&self, base: &Expr, fields: &[Arg]) -> Doc {
        self.expr(base, level::POSTFIX).then(" with ").then(self.args(fields))
    }

    fn index(&self, base: &Expr, index: &Expr) -> Doc {
        self.expr(base, level::POSTFIX).then("[").then(self.any(index)).then("]")
    }

    fn unary(&self, op: UnaryOp, operand: &Expr) -> Doc {
        let sign = match op {
            UnaryOp::Negate => "-",
            UnaryOp::Not => "!",
        };
        Doc::from(sign).then(self.expr(operand, level::PREFIX))
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Doc {
        let precedence = op.precedence();
        if precedence == level::COMPARED {
            let right = if op == BinaryOp::In { self.over(right) } else { self.expr(right, level::SUM) };
            return self.expr(left, level::SUM).then(format!(" {} ", op.symbol())).then(right);
        }
        // `a + b - c` is one chain.
        let piece = |op: BinaryOp, left: &Expr, right: &Expr| {
            let operand = self.expr(right, precedence + 1);
            (self.notes.place(left.span.end), Doc::from(format!("{} ", op.symbol())).then(operand))
        };
        let mut rest = vec![piece(op, left, right)];
        let mut first = left;
        while let ExprKind::Binary(op, left, right) = &first.kind
            && op.precedence() == precedence
        {
            rest.push(piece(*op, left, right));
            first = left;
        }
        rest.reverse();
        self.chain(self.expr(first, precedence), rest, Hang::By(STEP))
    }

    fn range(&self, low: &Expr, high: &Expr) -> Doc {
        self.expr(low, level::SUM).then("..").then(self.expr(high, level::SUM))
    }

    fn if_chain(&self, expr: &Expr) -> Doc {
        let mut pieces = vec![];
        let mut lead = Doc::from("if ");
        let mut place = 0;
        let mut rest = expr;
        while let ExprKind::If(condition, then, otherwise) = &rest.kind {
            pieces.push((place, lead.then(self.any(condition)).then(" then ").then(self.any(then))));
            lead = Doc::from("else if ");
            place = self.notes.place(then.span.end);
            rest = otherwise;
        }
        pieces.push((place, Doc::from("else ").then(self.any(rest))));
        let (_, first) = pieces.remove(0);
        self.chain(first, pieces, Hang::Flush)
    }

    fn let_chain(&self, expr: &Expr) -> Doc {
        let mut pieces = vec![];
        let mut rest = expr;
        while let ExprKind::Let(name, value, body) = &rest.kind {
            let value = self.led(Doc::from(format!("let {} =", name.name)), value);
            pieces.push((self.notes.place(rest.span.start), value.then(";")));
            rest = body;
        }
        pieces.push((self.notes.place(rest.span.start), self.any(rest)));
        let (_, first) = pieces.remove(0);
        self.chain(first, pieces, Hang::Flush)
    }

    fn match_on(&self, scrutinee: &Expr, arms: &[Arm]) -> Doc {
        let arm = |arm: &Arm| {
            let mut head = self.expr(&arm.pattern, level::SUM);
            if let Some(guard) = &arm.guard {
                head = head.then(" if ").then(self.any(guard));
            }
            (self.notes.places(arm.pattern.span.to(arm.body.span)), self.led(head.then(" =>"), &arm.body))
        };
        let arms = self.list(Brackets::BLOCK, arms.iter().map(arm));
        Doc::from("match ").then(self.any(scrutinee)).then(" ").then(arms)
    }

    fn quantified(&self, quantifier: Quantifier, name: &Ident, over: &Expr, body: &Expr) -> Doc {
        let word = match quantifier {
            Quantifier::Forall => "forall",
            Quantifier::Exists => "exists",
        };
        self.led(Doc::from(format!("{word} {} in ", name.name)).then(self.over(over)).then(":"), body)
    }

    fn comprehension(&self, comprehension: &Comprehension) -> Doc {
        let Comprehension { makes, variable, over, condition } = comprehension;
        let (open, made, end, close) = match makes {
            Made::List(e) => ("[", self.any(e), e.span.end, "]"),
            Made::Set(e) => ("{", self.any(e), e.span.end, "}"),
            Made::Map(k, v) => ("{", self.any(k).then(": ").then(self.any(v)), v.span.end, "}"),
        };
        let range = Doc::from(format!("for {} in ", variable.name)).then(self.over(over));
        let mut rest = vec![(self.notes.place(end), range)];
        if let Some(condition) = condition {
            rest.push((self.notes.place(over.span.end), Doc::from("if ").then(self.any(condition))));
        }
        Doc::from(open).then(self.chain(made, rest, Hang::By(STEP))).then(close)
    }

    fn receive(&self, channel: &Expr, pattern: &Expr) -> Doc {
        let channel = self.expr(channel, level::POSTFIX).then("?");
        match &pattern.kind {
            ExprKind::Unary(UnaryOp::Negate, operand) if level_of(operand) == level::PRIMARY => {
                channel.then("-").then(self.bare(operand))
            }
            _ => channel.then(self.expr(pattern, level::PRIMARY)),
        }
    }

    /// A type.
    pub(super) fn ty(&self, ty: &TypeExpr) -> String {
        match &ty.kind {
            TypeExprKind::Named { name, args } if args.is_empty() => name.name.clone(),
            TypeExprKind::Named { name, args } => {
                let args: Vec<String> = args.iter().map(|arg| self.ty(arg)).collect();
                format!("{}<{}>", name.name, args.join(", "))
            }
            TypeExprKind::Range(low, high) => self.range(low, high).flat(),
            TypeExprKind::Error => UNREADABLE.to_owned(),
        }
    }
}

/// Stands for what was nested too deeply to be kept. It is no token, so that a text with it cannot pass for a model.
pub(super) const UNREADABLE: &str = "…";

fn leaf_text(leaf: &ExprKind) -> String {
    match leaf {
        ExprKind::Name(name) => name.clone(),
        ExprKind::Int(n) => n.to_string(),
        ExprKind::Decimal(digits) => digits.clone(),
        ExprKind::Text(text) => quoted(text),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Absent => "absent".to_owned(),
        ExprKind::Wildcard => "_".to_owned(),
        ExprKind::Rest(name) => format!("..{}", name.as_ref().map_or("", |name| &name.name)),
        _ => UNREADABLE.to_owned(),
    }
}

/// A text literal. A backslash is doubled only where it would otherwise be read as part of an escape or not at all, so
/// that regular expressions stay readable.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '"' => out.push_str("\\\""),
            '\\' if characters.peek().is_some_and(|next| stays_escaped(*next)) => out.push('\\'),
            '\\' => out.push_str("\\\\"),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// Whether a backslash before this character is read as a backslash.
fn stays_escaped(c: char) -> bool {
    "dwsDWSbBpPx".contains(c) || !(c.is_alphanumeric() || c.is_control() || c == '"' || c == '\\')
}
