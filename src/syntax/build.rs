//! Builds tree nodes for the grammar and keeps them from nesting too deeply.
//!
//! Later passes recurse over the tree, so its depth is bounded here, once: a node that would be too deep becomes an
//! `Error` leaf and is reported.

use lalrpop_util::ErrorRecovery;

use super::problem::{ParserError, SyntaxProblem};
use super::span::{FileId, Span};
use super::token::Token;
use super::tree::*;

/// Collects what the grammar's actions report.
#[derive(Debug)]
pub struct Builder {
    file: FileId,
    /// What was reported.
    pub problems: Vec<(SyntaxProblem, Span)>,
}

impl Builder {
    /// A builder for one file, with the problems its tokens already had.
    pub fn new(file: FileId, problems: Vec<(SyntaxProblem, Span)>) -> Self {
        Builder { file, problems }
    }

    pub(crate) fn span(&self, l: usize, r: usize) -> Span {
        Span::new(self.file, l, r)
    }

    pub(crate) fn recovered(&mut self, error: ErrorRecovery<usize, Token, ParserError>) {
        self.parse_error(error.error);
    }

    /// Records an error of the generated parser.
    pub fn parse_error(&mut self, error: lalrpop_util::ParseError<usize, Token, ParserError>) {
        let problem = SyntaxProblem::from_parser(error, self.file);
        self.problems.push(problem);
    }

    /// Whether a node over `children` may be built; reports the first one that may not.
    fn fits(&mut self, depth: u32, span: Span) -> bool {
        if depth <= MAX_NESTING {
            return true;
        }
        if !self.problems.iter().any(|(p, _)| matches!(p, SyntaxProblem::TooDeep { .. })) {
            self.problems.push((SyntaxProblem::TooDeep { limit: MAX_NESTING }, span));
        }
        false
    }

    fn expr(&mut self, l: usize, kind: ExprKind, r: usize, below: u32) -> Expr {
        let span = self.span(l, r);
        if self.fits(below + 1, span) {
            Expr { kind, span, depth: below + 1 }
        } else {
            Expr { kind: ExprKind::Error, span, depth: 1 }
        }
    }

    pub(crate) fn leaf(&mut self, l: usize, kind: ExprKind, r: usize) -> Expr {
        self.expr(l, kind, r, 0)
    }

    pub(crate) fn name(&mut self, l: usize, name: String, r: usize) -> Expr {
        self.leaf(l, ExprKind::Name(name), r)
    }

    /// `name: value` arrives with the name as an expression, so that one look ahead suffices.
    /// A predicate with a label, which is written like an argument with a name.
    pub(crate) fn predicate(&mut self, label: Expr, condition: Expr, violation: Option<Way>) -> Predicate {
        let Arg { name: label, value: condition } = self.named_arg(label, condition);
        Predicate { label, condition, violation }
    }

    /// What changes something is no predicate.
    pub(crate) fn changing_predicate(&mut self, l: usize, target: Expr, r: usize) -> Predicate {
        self.problems.push((SyntaxProblem::ChangingPredicate, self.span(l, r)));
        Predicate { label: None, condition: target, violation: None }
    }

    pub(crate) fn named_arg(&mut self, name: Expr, value: Expr) -> Arg {
        let ident = match name.kind {
            ExprKind::Name(text) => Some(Ident { name: text, span: name.span }),
            _ => {
                self.problems.push((SyntaxProblem::BadArgumentName, name.span));
                None
            }
        };
        Arg { name: ident, value }
    }

    pub(crate) fn call(&mut self, l: usize, name: Ident, args: Vec<Arg>, r: usize) -> Expr {
        let below = depth_of(args.iter().map(|a| &a.value));
        self.expr(l, ExprKind::Call(name, args), r, below)
    }

    pub(crate) fn with(&mut self, l: usize, base: Expr, fields: Vec<Arg>, r: usize) -> Expr {
        let below = base.depth.max(depth_of(fields.iter().map(|a| &a.value)));
        self.expr(l, ExprKind::With(Box::new(base), fields), r, below)
    }

    pub(crate) fn list(&mut self, l: usize, elements: Vec<Expr>, r: usize) -> Expr {
        let below = depth_of(&elements);
        self.expr(l, ExprKind::List(elements), r, below)
    }

    pub(crate) fn set(&mut self, l: usize, elements: Vec<Expr>, r: usize) -> Expr {
        let below = depth_of(&elements);
        self.expr(l, ExprKind::Set(elements), r, below)
    }

    pub(crate) fn map(&mut self, l: usize, entries: Vec<(Expr, Expr)>, r: usize) -> Expr {
        let below = depth_of(entries.iter().flat_map(|(k, v)| [k, v]));
        self.expr(l, ExprKind::Map(entries), r, below)
    }

    pub(crate) fn field(&mut self, l: usize, base: Expr, name: Ident, r: usize) -> Expr {
        let below = base.depth;
        self.expr(l, ExprKind::Field(Box::new(base), name), r, below)
    }

    pub(crate) fn index(&mut self, l: usize, base: Expr, index: Expr, r: usize) -> Expr {
        let below = base.depth.max(index.depth);
        self.expr(l, ExprKind::Index(Box::new(base), Box::new(index)), r, below)
    }

    pub(crate) fn receive(&mut self, l: usize, channel: Expr, pattern: Expr, r: usize) -> Expr {
        let below = channel.depth.max(pattern.depth);
        self.expr(l, ExprKind::Receive(Box::new(channel), Box::new(pattern)), r, below)
    }

    pub(crate) fn unary(&mut self, l: usize, op: UnaryOp, e: Expr, r: usize) -> Expr {
        let below = e.depth;
        self.expr(l, ExprKind::Unary(op, Box::new(e)), r, below)
    }

    pub(crate) fn binary(&mut self, l: usize, left: Expr, op: BinaryOp, right: Expr, r: usize) -> Expr {
        let below = left.depth.max(right.depth);
        self.expr(l, ExprKind::Binary(op, Box::new(left), Box::new(right)), r, below)
    }

    pub(crate) fn range(&mut self, l: usize, low: Expr, high: Expr, r: usize) -> Expr {
        let below = low.depth.max(high.depth);
        self.expr(l, ExprKind::Range(Box::new(low), Box::new(high)), r, below)
    }

    pub(crate) fn if_then_else(&mut self, l: usize, c: Expr, t: Expr, e: Expr, r: usize) -> Expr {
        let below = depth_of([&c, &t, &e]);
        self.expr(l, ExprKind::If(Box::new(c), Box::new(t), Box::new(e)), r, below)
    }

    pub(crate) fn let_in(&mut self, l: usize, name: Ident, value: Expr, body: Expr, r: usize) -> Expr {
        let below = value.depth.max(body.depth);
        self.expr(l, ExprKind::Let(name, Box::new(value), Box::new(body)), r, below)
    }

    pub(crate) fn quantified(
        &mut self,
        l: usize,
        quantifier: Quantifier,
        name: Ident,
        over: Expr,
        body: Expr,
        r: usize,
    ) -> Expr {
        let below = over.depth.max(body.depth);
        self.expr(l, ExprKind::Quantified(quantifier, name, Box::new(over), Box::new(body)), r, below)
    }

    pub(crate) fn comprehension(&mut self, l: usize, makes: Made, of: (Ident, Expr, Option<Expr>), r: usize) -> Expr {
        let (variable, over, condition) = of;
        let made = match &makes {
            Made::List(e) | Made::Set(e) => e.depth,
            Made::Map(k, v) => k.depth.max(v.depth),
        };
        let below = made.max(over.depth).max(depth_of(&condition));
        let comprehension = Comprehension { makes, variable, over, condition };
        self.expr(l, ExprKind::Comprehension(Box::new(comprehension)), r, below)
    }

    pub(crate) fn match_on(&mut self, l: usize, scrutinee: Expr, arms: Vec<Arm>, r: usize) -> Expr {
        let in_arms = arms.iter().flat_map(|a| [Some(&a.pattern), a.guard.as_ref(), Some(&a.body)]).flatten();
        let below = scrutinee.depth.max(depth_of(in_arms));
        self.expr(l, ExprKind::Match(Box::new(scrutinee), arms), r, below)
    }

    pub(crate) fn named_type(&mut self, l: usize, name: Ident, args: Vec<TypeExpr>, r: usize) -> TypeExpr {
        let depth = args.iter().map(|a| a.depth).max().unwrap_or(0) + 1;
        self.ty(l, TypeExprKind::Named { name, args }, r, depth)
    }

    pub(crate) fn range_type(&mut self, l: usize, low: Expr, high: Expr, r: usize) -> TypeExpr {
        let depth = low.depth.max(high.depth) + 1;
        self.ty(l, TypeExprKind::Range(Box::new(low), Box::new(high)), r, depth)
    }

    fn ty(&mut self, l: usize, kind: TypeExprKind, r: usize, depth: u32) -> TypeExpr {
        let span = self.span(l, r);
        if self.fits(depth, span) {
            TypeExpr { kind, span, depth }
        } else {
            TypeExpr { kind: TypeExprKind::Error, span, depth: 1 }
        }
    }

    /// `n[i in 1..3]: M` arrives with the index as a membership test.
    pub(crate) fn instance(&mut self, l: usize, place: (Ident, Option<Expr>), model: ModelUse, r: usize) -> Instance {
        let (name, index) = place;
        let span = self.span(l, r);
        let index = match index.map(|e| (e.span, e.kind)) {
            None => None,
            Some((at, ExprKind::Binary(BinaryOp::In, variable, over))) => match variable.kind {
                ExprKind::Name(name) => Some((Ident { name, span: variable.span }, *over)),
                _ => {
                    self.problems.push((SyntaxProblem::BadInstanceIndex, at));
                    None
                }
            },
            Some((at, _)) => {
                self.problems.push((SyntaxProblem::BadInstanceIndex, at));
                None
            }
        };
        Instance { name, index, model, span }
    }

    fn process(&mut self, l: usize, kind: ProcessKind, r: usize, below: u32) -> Process {
        let span = self.span(l, r);
        if self.fits(below + 1, span) {
            Process { kind, span, depth: below + 1 }
        } else {
            Process { kind: ProcessKind::Error, span, depth: 1 }
        }
    }

    pub(crate) fn process_model(&mut self, l: usize, label: Option<Ident>, model: ModelUse, r: usize) -> Process {
        self.process(l, ProcessKind::Model { label, model }, r, 0)
    }

    pub(crate) fn parallel(&mut self, l: usize, left: Process, op: Parallel, right: Process, r: usize) -> Process {
        let below = left.depth.max(right.depth);
        self.process(l, ProcessKind::Parallel(op, Box::new(left), Box::new(right)), r, below)
    }

    pub(crate) fn replicated(
        &mut self,
        l: usize,
        operator: Parallel,
        variable: Ident,
        over: Expr,
        body: Process,
        r: usize,
    ) -> Process {
        let below = body.depth;
        self.process(l, ProcessKind::Replicated { operator, variable, over, body: Box::new(body) }, r, below)
    }

    pub(crate) fn hide(&mut self, l: usize, p: Process, gates: Vec<GateName>, r: usize) -> Process {
        let below = p.depth;
        self.process(l, ProcessKind::Hide(Box::new(p), gates), r, below)
    }

    pub(crate) fn rename(&mut self, l: usize, p: Process, pairs: Vec<(GateName, GateName)>, r: usize) -> Process {
        let below = p.depth;
        self.process(l, ProcessKind::Rename(Box::new(p), pairs), r, below)
    }

    fn formula(&mut self, l: usize, kind: FormulaKind, r: usize, below: u32) -> Formula {
        let span = self.span(l, r);
        if self.fits(below + 1, span) {
            Formula { kind, span, depth: below + 1 }
        } else {
            Formula { kind: FormulaKind::Error, span, depth: 1 }
        }
    }

    pub(crate) fn formula_atom(&mut self, l: usize, expr: Expr, on: Vec<Expr>, r: usize) -> Formula {
        let below = depth_of(on.iter().chain([&expr]));
        self.formula(l, FormulaKind::Atom { expr, on }, r, below)
    }

    pub(crate) fn formula_and(&mut self, l: usize, left: Formula, right: Formula, r: usize) -> Formula {
        let below = left.depth.max(right.depth);
        self.formula(l, FormulaKind::And(Box::new(left), Box::new(right)), r, below)
    }

    pub(crate) fn formula_or(&mut self, l: usize, left: Formula, right: Formula, r: usize) -> Formula {
        let below = left.depth.max(right.depth);
        self.formula(l, FormulaKind::Or(Box::new(left), Box::new(right)), r, below)
    }

    pub(crate) fn formula_not(&mut self, l: usize, inner: Formula, r: usize) -> Formula {
        let below = inner.depth;
        self.formula(l, FormulaKind::Not(Box::new(inner)), r, below)
    }

    pub(crate) fn formula_drawn(&mut self, l: usize, drawn: Drawn, used: ModelUse, r: usize) -> Formula {
        let below = depth_of(used.args.iter().map(|arg| &arg.value));
        self.formula(l, FormulaKind::Drawn(drawn, used), r, below)
    }

    pub(crate) fn chart_part(&mut self, l: usize, kind: ChartPartKind, r: usize) -> ChartPart {
        let deepest = |parts: &[ChartPart]| parts.iter().map(|part| part.depth).max().unwrap_or(0);
        let below = match &kind {
            ChartPartKind::Alt(blocks) | ChartPartKind::Par(blocks) => {
                blocks.iter().map(|block| deepest(block)).max().unwrap_or(0)
            }
            ChartPartKind::Opt(body)
            | ChartPartKind::Loop(_, body)
            | ChartPartKind::Not(body)
            | ChartPartKind::Read(_, body) => deepest(body),
            _ => 0,
        };
        let span = self.span(l, r);
        match self.fits(below + 1, span) {
            true => ChartPart { kind, span, depth: below + 1 },
            false => ChartPart { kind: ChartPartKind::Error, span, depth: 1 },
        }
    }

    /// An event by its name, which may begin with that of a machine.
    pub(crate) fn symbol(&mut self, path: Expr, args: Option<Vec<Expr>>, result: Option<Expr>, r: usize) -> Symbol {
        let span = self.span(path.span.start as usize, r);
        let (machine, name) = match path.kind {
            ExprKind::Field(base, name) => (Some(*base), name),
            ExprKind::Name(name) => (None, Ident { name, span: path.span }),
            _ => (None, Ident { name: String::new(), span: path.span }),
        };
        Symbol::Event { machine, event: EventPattern { name, args, result, span } }
    }

    pub(crate) fn events(&mut self, l: usize, kind: EventsPatternKind, r: usize) -> EventsPattern {
        let below = match &kind {
            EventsPatternKind::Sequence(parts) | EventsPatternKind::Choice(parts) => {
                parts.iter().map(|part| part.depth).max().unwrap_or(0)
            }
            EventsPatternKind::Repeat(inner, _) | EventsPatternKind::Some { body: inner, .. } => inner.depth,
            _ => 0,
        };
        let span = self.span(l, r);
        match self.fits(below + 1, span) {
            true => EventsPattern { kind, span, depth: below + 1 },
            false => EventsPattern { kind: EventsPatternKind::Error, span, depth: 1 },
        }
    }

    pub(crate) fn temporal(&mut self, l: usize, kind: TemporalKind, r: usize) -> Temporal {
        let below = match &kind {
            TemporalKind::After(_, inner) | TemporalKind::Before(_, inner) | TemporalKind::Unless(inner, _) => {
                inner.depth
            }
            TemporalKind::And(a, b) | TemporalKind::Or(a, b) => a.depth.max(b.depth),
            TemporalKind::Always(_) | TemporalKind::Never(_) | TemporalKind::Error => 0,
        };
        let span = self.span(l, r);
        match self.fits(below + 1, span) {
            true => Temporal { kind, span, depth: below + 1 },
            false => Temporal { kind: TemporalKind::Error, span, depth: 1 },
        }
    }

    pub(crate) fn formula_temporal(&mut self, l: usize, logic: Logic, r: usize) -> Formula {
        let below = logic.body.depth;
        self.formula(l, FormulaKind::Temporal(Box::new(logic)), r, below)
    }

    pub(crate) fn ltl(&mut self, l: usize, kind: LtlKind, r: usize) -> Ltl {
        let below = match &kind {
            LtlKind::Atom(expr) => expr.depth,
            LtlKind::Scoped { pattern, bounds, .. } => depth_of(bounds.iter().chain([pattern])),
            LtlKind::Not(f) | LtlKind::Unary(_, f) => f.depth,
            LtlKind::And(f, g) | LtlKind::Or(f, g) | LtlKind::Implies(f, g) | LtlKind::Binary(_, f, g) => {
                f.depth.max(g.depth)
            }
            LtlKind::Error => 0,
        };
        let span = self.span(l, r);
        match self.fits(below + 1, span) {
            true => Ltl { kind, span, depth: below + 1 },
            false => Ltl { kind: LtlKind::Error, span, depth: 1 },
        }
    }

    pub(crate) fn formula_some(
        &mut self,
        l: usize,
        variable: Ident,
        ty: Option<TypeExpr>,
        body: Formula,
        r: usize,
    ) -> Formula {
        let below = body.depth;
        self.formula(l, FormulaKind::Some { variable, ty, body: Box::new(body) }, r, below)
    }
}

fn depth_of<'a>(exprs: impl IntoIterator<Item = &'a Expr>) -> u32 {
    exprs.into_iter().map(|e| e.depth).max().unwrap_or(0)
}
