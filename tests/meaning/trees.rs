//! Random trees: every tree that can be written, and no other.
//!
//! A tree grows from a list of bytes. Each byte is a decision; when there are none left, the simplest way is taken. So
//! shorter lists and smaller bytes give smaller trees, which is what makes failures shrink well.

use num_bigint::BigInt;
use tracewright::syntax::Span;
use tracewright::syntax::tree::*;

/// The items of a file.
pub fn items(bytes: &[u8]) -> Vec<Item> {
    let mut grower = Grower { bytes, room: 5, in_rule: false };
    let mut items = vec![grower.item()];
    while !grower.bytes.is_empty() && items.len() < 6 {
        items.push(grower.item());
    }
    items
}

/// An expression.
pub fn expr(bytes: &[u8]) -> Expr {
    Grower { bytes, room: 6, in_rule: false }.expr()
}

const NAMES: [&str; 13] = [
    "a",
    "b",
    "x1",
    "count",
    "data",
    "loop",
    "tick",
    "exactly",
    "alt",
    "größe",
    "Red",
    "length_of",
    "somewhat_longer_name",
];
const AFTER_DOT: [&str; 4] = ["f", "state", "in", "length"];
const TEXTS: [&str; 10] = [
    "",
    "text",
    "\"",
    "\\",
    "\\\\d\\n",
    "\\d+\\.\\[",
    "line\nline\ttab\r",
    "// no comment",
    "/* none */",
    "\\q é \\\t",
];
const COMPARISONS: [BinaryOp; 6] =
    [BinaryOp::Equal, BinaryOp::NotEqual, BinaryOp::Less, BinaryOp::AtMost, BinaryOp::Greater, BinaryOp::AtLeast];
const OPERATORS: [BinaryOp; 15] = [
    BinaryOp::Add,
    BinaryOp::Subtract,
    BinaryOp::Multiply,
    BinaryOp::Divide,
    BinaryOp::Modulo,
    BinaryOp::Concat,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Equal,
    BinaryOp::NotEqual,
    BinaryOp::Less,
    BinaryOp::AtMost,
    BinaryOp::Greater,
    BinaryOp::AtLeast,
    BinaryOp::Matches,
];

struct Grower<'a> {
    bytes: &'a [u8],
    /// How many levels may still be added.
    room: u32,
    /// A rule looks at one list, so `on` is no keyword in it.
    in_rule: bool,
}

impl Grower<'_> {
    /// A number below `n`.
    fn choose(&mut self, n: usize) -> usize {
        match self.bytes.split_first() {
            Some((first, rest)) => {
                self.bytes = rest;
                usize::from(*first) % n
            }
            None => 0,
        }
    }

    fn flag(&mut self) -> bool {
        self.choose(2) == 1
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.choose(from.len())]
    }

    fn many<T>(&mut self, least: usize, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let n = least + self.choose(4);
        (0..n).map(|_| one(self)).collect()
    }

    fn maybe<T>(&mut self, one: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.flag().then(|| one(self))
    }

    /// One level deeper.
    fn below<T>(&mut self, one: impl FnOnce(&mut Self) -> T) -> T {
        self.room = self.room.saturating_sub(1);
        let out = one(self);
        self.room += 1;
        out
    }

    fn name(&mut self) -> String {
        self.pick(&NAMES).to_owned()
    }

    fn ident(&mut self) -> Ident {
        Ident { name: self.name(), span: Span::default() }
    }

    fn ident_after_dot(&mut self) -> Ident {
        Ident { name: self.pick(&AFTER_DOT).to_owned(), span: Span::default() }
    }

    // ---- items

    fn item(&mut self) -> Item {
        let span = Span::default();
        match self.choose(13) {
            0 => Item::Const(ConstDecl { name: self.ident(), ty: self.maybe(Self::ty), value: self.expr(), span }),
            1 => Item::Import(Import { path: self.pick(&TEXTS).to_owned(), span }),
            2 => Item::Type(TypeDecl { name: self.ident(), body: self.type_body(), span }),
            3 => Item::Fun(FunDecl {
                name: self.ident(),
                params: self.params(),
                result: self.ty(),
                body: self.expr(),
                span,
            }),
            4 => Item::Machine(Machine {
                kind: self.pick(&[MachineKind::Component, MachineKind::Sts]),
                name: self.ident(),
                params: self.params(),
                members: {
                    let mut members = self.many(0, Self::declaration);
                    members.extend(self.many(0, Self::behaviour));
                    members
                },
                span,
            }),
            5 => Item::System(System {
                name: self.ident(),
                params: self.params(),
                members: self.many(0, Self::system_member),
                span,
            }),
            6 => Item::Composition(Composition {
                name: self.ident(),
                params: self.params(),
                process: self.process(),
                span,
            }),
            7 => Item::Service(Service {
                name: self.ident(),
                params: self.params(),
                members: self.many(0, Self::service_member),
                span,
            }),
            8 => {
                let kind = self.pick(&[PurposeKind::Purpose, PurposeKind::Items, PurposeKind::Property]);
                Item::Purpose(Purpose {
                    kind,
                    name: self.ident(),
                    params: self.params(),
                    model: self.model_use(),
                    constraints: match kind {
                        PurposeKind::Property => vec![self.property()],
                        _ => self.many(0, Self::constraint),
                    },
                    span,
                })
            }
            11 => Item::Chart(self.chart()),
            12 => Item::Scenario(Scenario {
                name: self.ident(),
                params: self.params(),
                model: self.model_use(),
                free: self.many(0, |g| (g.ident(), g.maybe(Self::ty))),
                alphabet: self.maybe(|g| g.many(0, Self::symbol)),
                pattern: self.events(),
                span,
            }),
            9 => Item::Pool(Pool {
                path: {
                    let first = self.ident();
                    std::iter::once(first).chain(self.many(0, Self::ident_after_dot)).collect()
                },
                entries: self.many(0, |g| PoolEntry { values: g.over(), weight: g.maybe(Self::expr) }),
                span,
            }),
            _ => Item::Rule(Rule {
                name: self.ident(),
                params: self.many(0, |g| Param {
                    name: g.ident(),
                    ty: g.maybe(Self::ty),
                    default: g.maybe(Self::expr),
                }),
                lists: self.many(0, Self::ident),
                clauses: self.many(0, Self::clause),
                span,
            }),
        }
    }

    // ---- charts and patterns

    fn chart(&mut self) -> Chart {
        let span = Span::default();
        let source = self.maybe(|g| ChartSource { path: g.pick(&TEXTS).to_owned(), span });
        let (name, params, model) = (self.ident(), self.params(), self.model_use());
        let members = if source.is_some() { vec![] } else { self.many(0, Self::chart_member) };
        Chart { name, params, model, source, members, span }
    }

    fn chart_member(&mut self) -> ChartMember {
        let span = Span::default();
        match self.choose(7) {
            0 => ChartMember::Lifelines { lifelines: self.many(1, Self::lifeline), span },
            1 => ChartMember::Some { variable: self.ident(), ty: self.maybe(Self::ty), span },
            2 => ChartMember::Reading(self.pick(&[Reading::Exactly, Reading::AmongOthers]), span),
            3 => ChartMember::Order(self.pick(&[ChartOrder::Global, ChartOrder::Local]), span),
            _ => ChartMember::Part(self.chart_part()),
        }
    }

    fn lifeline(&mut self) -> Expr {
        node(match self.choose(if self.room == 0 { 1 } else { 3 }) {
            0 => ExprKind::Name(self.name()),
            1 => ExprKind::Field(Box::new(self.below(Self::lifeline)), self.ident_after_dot()),
            _ => ExprKind::Index(Box::new(self.below(Self::lifeline)), self.boxed()),
        })
    }

    fn chart_block(&mut self) -> Vec<ChartPart> {
        self.below(|g| g.many(0, Self::chart_part))
    }

    fn chart_part(&mut self) -> ChartPart {
        let kind = match self.choose(if self.room == 0 { 7 } else { 13 }) {
            0 => ChartPartKind::Message { from: self.lifeline(), to: self.lifeline(), event: self.event_pattern() },
            1 => ChartPartKind::Fires { lifeline: self.lifeline(), transition: self.ident() },
            2 => ChartPartKind::State { lifeline: self.lifeline(), state: self.ident() },
            3 => ChartPartKind::When(self.expr()),
            4 => ChartPartKind::Tick,
            5 => ChartPartKind::Any,
            6 => ChartPartKind::Ref(self.model_use()),
            7 => ChartPartKind::Alt(self.many(1, Self::chart_block)),
            8 => ChartPartKind::Opt(self.chart_block()),
            9 => ChartPartKind::Loop(self.times(), self.chart_block()),
            10 => ChartPartKind::Par(self.many(1, Self::chart_block)),
            11 => ChartPartKind::Not(self.chart_block()),
            _ => ChartPartKind::Read(self.pick(&[Reading::Exactly, Reading::AmongOthers]), self.chart_block()),
        };
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
        ChartPart { kind, span: Span::default(), depth: below + 1 }
    }

    fn event_pattern(&mut self) -> EventPattern {
        let (name, args, result) = (self.ident(), self.maybe(|g| g.many(0, Self::expr)), self.maybe(Self::expr));
        EventPattern { name, args, result, span: Span::default() }
    }

    fn times(&mut self) -> Times {
        match self.choose(3) {
            0 => Times::Any,
            1 => Times::Exactly(*self.bound()),
            _ => Times::Between(*self.bound(), self.maybe(|g| *g.bound())),
        }
    }

    fn symbol(&mut self) -> Symbol {
        match self.choose(3) {
            0 => Symbol::Event { machine: None, event: self.event_pattern() },
            1 => Symbol::Event { machine: Some(self.dotted()), event: self.event_pattern() },
            _ => Symbol::Fires { machine: self.dotted(), transition: self.ident() },
        }
    }

    fn dotted(&mut self) -> Expr {
        let name = node(ExprKind::Name(self.name()));
        self.many(0, Self::ident_after_dot)
            .into_iter()
            .fold(name, |base, field| node(ExprKind::Field(Box::new(base), field)))
    }

    fn events(&mut self) -> EventsPattern {
        let kind = match self.choose(if self.room == 0 { 3 } else { 7 }) {
            0 => EventsPatternKind::Symbol(self.symbol()),
            1 => EventsPatternKind::Any,
            2 => EventsPatternKind::When(self.expr()),
            3 => EventsPatternKind::Sequence(self.below(|g| g.many(2, Self::events))),
            4 => EventsPatternKind::Choice(self.below(|g| g.many(2, Self::events))),
            5 => EventsPatternKind::Repeat(Box::new(self.below(Self::events)), self.times()),
            _ => {
                let (variable, ty) = (self.ident(), self.maybe(Self::ty));
                EventsPatternKind::Some { variable, ty, body: Box::new(self.below(Self::events)) }
            }
        };
        let below = match &kind {
            EventsPatternKind::Sequence(parts) | EventsPatternKind::Choice(parts) => {
                parts.iter().map(|part| part.depth).max().unwrap_or(0)
            }
            EventsPatternKind::Repeat(inner, _) | EventsPatternKind::Some { body: inner, .. } => inner.depth,
            _ => 0,
        };
        EventsPattern { kind, span: Span::default(), depth: below + 1 }
    }

    fn params(&mut self) -> Vec<Param> {
        self.many(0, |g| Param { name: g.ident(), ty: Some(g.ty()), default: g.maybe(Self::expr) })
    }

    fn field(&mut self) -> Field {
        Field { name: self.ident(), ty: self.ty() }
    }

    fn type_body(&mut self) -> TypeBody {
        match self.choose(3) {
            0 => TypeBody::Alias { base: self.ty(), refinement: self.maybe(Self::expr) },
            1 => TypeBody::Record(self.many(0, Self::field)),
            _ => TypeBody::Variants(self.many(1, |g| Variant {
                name: g.ident(),
                fields: g.many(0, |g| VariantField { name: g.maybe(Self::ident), ty: g.ty() }),
                span: Span::default(),
            })),
        }
    }

    fn ty(&mut self) -> TypeExpr {
        let kind = match self.choose(if self.room == 0 { 1 } else { 3 }) {
            0 => TypeExprKind::Named { name: self.ident(), args: vec![] },
            1 => TypeExprKind::Named { name: self.ident(), args: self.below(|g| g.many(1, Self::ty)) },
            _ => TypeExprKind::Range(self.below(Self::bound), self.below(Self::bound)),
        };
        let below = match &kind {
            TypeExprKind::Named { args, .. } => args.iter().map(|arg| arg.depth).max().unwrap_or(0),
            TypeExprKind::Range(low, high) => low.depth.max(high.depth),
            TypeExprKind::Error => 0,
        };
        TypeExpr { kind, span: Span::default(), depth: below + 1 }
    }

    fn bound(&mut self) -> Box<Expr> {
        let kind = match self.choose(if self.room == 0 { 2 } else { 4 }) {
            0 => ExprKind::Int(BigInt::from(self.choose(256))),
            1 => ExprKind::Name(self.name()),
            2 => ExprKind::Unary(UnaryOp::Negate, self.below(Self::bound)),
            _ => ExprKind::Binary(self.pick(&OPERATORS[..5]), self.below(Self::bound), self.below(Self::bound)),
        };
        Box::new(node(kind))
    }

    // ---- machines

    fn direction(&mut self) -> Direction {
        self.pick(&[Direction::In, Direction::Out])
    }

    fn declaration(&mut self) -> Member {
        let span = Span::default();
        match self.choose(3) {
            0 => Member::Vars { vars: self.many(1, Self::var), span },
            1 => Member::States {
                initial: self.flag(),
                kind: self.pick(&[MachineKind::Component, MachineKind::Sts]),
                names: self.many(1, Self::ident),
                span,
            },
            _ => Member::Ports {
                direction: self.direction(),
                ports: self.many(1, |g| if g.flag() { Port::Gate(g.gate()) } else { Port::Channel(g.field()) }),
                span,
            },
        }
    }

    fn gate(&mut self) -> GateDecl {
        GateDecl { name: self.ident(), params: self.many(0, Self::field), result: self.maybe(Self::ty) }
    }

    fn var(&mut self) -> VarDecl {
        let init = if self.flag() { Init::Value(self.expr()) } else { Init::Any(Span::default()) };
        VarDecl { name: self.ident(), ty: self.maybe(Self::ty), init }
    }

    fn behaviour(&mut self) -> Member {
        let span = Span::default();
        match self.choose(4) {
            0 => Member::Action(Action {
                direction: self.direction(),
                gate: self.gate(),
                result: self.maybe(Self::expr),
                guard: self.maybe(Self::expr),
                effects: self.many(0, Self::effect),
                tags: self.tags(),
                span,
            }),
            _ => Member::Transition(Transition {
                sources: self.many(1, Self::ident),
                target: self.ident(),
                name: self.maybe(Self::ident),
                event: self.maybe(Self::event),
                guard: self.maybe(Self::expr),
                effects: self.many(0, Self::effect),
                tags: self.tags(),
                span,
            }),
        }
    }

    fn tags(&mut self) -> Vec<Ident> {
        self.many(0, |g| match g.flag() {
            true => g.ident(),
            false => Ident { name: g.pick(&["REQ-7", "the lamp, on", "in", "7"]).to_owned(), span: Span::default() },
        })
    }

    fn event(&mut self) -> EventUse {
        let span = Span::default();
        match self.choose(3) {
            0 => EventUse::Tau(span),
            _ => EventUse::Gate {
                direction: self.direction(),
                gate: self.ident(),
                args: self.many(0, Self::expr),
                result: self.maybe(Self::expr),
                span,
            },
        }
    }

    fn effect(&mut self) -> Effect {
        let span = Span::default();
        if self.flag() {
            Effect::Send { channel: self.ident(), value: self.expr(), condition: self.maybe(Self::expr), span }
        } else {
            Effect::Assign { target: self.expr(), value: self.expr(), span }
        }
    }

    // ---- systems, compositions, services

    fn model_use(&mut self) -> ModelUse {
        ModelUse { name: self.ident(), args: self.args(), span: Span::default() }
    }

    fn system_member(&mut self) -> SystemMember {
        let span = Span::default();
        match self.choose(3) {
            0 => SystemMember::Instance(Instance {
                name: self.ident(),
                index: self.maybe(|g| (g.ident(), g.over())),
                model: self.model_use(),
                span,
            }),
            1 => SystemMember::Connection(self.connection()),
            _ => SystemMember::For {
                variable: self.ident(),
                over: self.over(),
                connections: self.many(0, Self::connection),
                span,
            },
        }
    }

    fn connection(&mut self) -> Connection {
        Connection { from: self.endpoint(), to: self.many(1, Self::endpoint), span: Span::default() }
    }

    fn endpoint(&mut self) -> Endpoint {
        let border = self.maybe(Self::direction);
        let mut path = vec![(self.ident(), self.maybe(Self::expr))];
        if border.is_none() {
            path.extend(self.many(0, |g| (g.ident_after_dot(), g.maybe(Self::expr))));
        }
        Endpoint { border, path, span: Span::default() }
    }

    fn process(&mut self) -> Process {
        let operators = [Parallel::Handshake, Parallel::Interleave];
        let (kind, below) = match self.choose(if self.room == 0 { 1 } else { 6 }) {
            0 | 1 => (ProcessKind::Model { label: self.maybe(Self::ident), model: self.model_use() }, 0),
            2 => {
                let (left, right) = (self.below(Self::process), self.below(Self::process));
                let below = left.depth.max(right.depth);
                (ProcessKind::Parallel(self.pick(&operators), Box::new(left), Box::new(right)), below)
            }
            3 => {
                let body = self.below(Self::process);
                let below = body.depth;
                let operator = self.pick(&operators);
                let (variable, over) = (self.ident(), self.over());
                (ProcessKind::Replicated { operator, variable, over, body: Box::new(body) }, below)
            }
            4 => {
                let inner = self.below(Self::process);
                let below = inner.depth;
                (ProcessKind::Hide(Box::new(inner), self.many(0, Self::gate_name)), below)
            }
            _ => {
                let inner = self.below(Self::process);
                let below = inner.depth;
                let pairs = self.many(0, |g| (g.gate_name(), g.gate_name()));
                (ProcessKind::Rename(Box::new(inner), pairs), below)
            }
        };
        Process { kind, span: Span::default(), depth: below + 1 }
    }

    fn gate_name(&mut self) -> GateName {
        GateName { name: self.ident(), index: self.maybe(Self::expr) }
    }

    fn service_member(&mut self) -> ServiceMember {
        let span = Span::default();
        match self.choose(3) {
            0 => ServiceMember::Events { events: self.many(1, |g| (g.ident(), g.maybe(Self::ty))), span },
            1 => ServiceMember::Vars { vars: self.many(1, Self::var), span },
            _ => {
                let kind = match self.choose(3) {
                    0 => NodeKind::Collect {
                        events: self.many(0, Self::ident),
                        predicates: self.many(0, |g| Predicate {
                            label: g.maybe(Self::ident),
                            condition: g.expr(),
                            violation: g.maybe(Self::way),
                        }),
                        once: self.many(0, Self::ident),
                        next: self.way(),
                    },
                    1 => NodeKind::Choose(self.many(0, |g| Choice { event: g.ident(), way: g.way() })),
                    _ => NodeKind::Run { services: self.many(1, Self::model_use), next: self.way() },
                };
                let (name, entry) = (self.ident(), self.many(0, Self::effect));
                ServiceMember::Node(ServiceNode { name, entry, kind, span })
            }
        }
    }

    fn way(&mut self) -> Way {
        let (effects, cases) = (self.many(0, Self::effect), self.many(0, |g| (g.expr(), g.ident())));
        Way { effects, cases, otherwise: self.ident(), span: Span::default() }
    }

    // ---- purposes and rules

    fn constraint(&mut self) -> Constraint {
        let span = Span::default();
        match self.choose(6) {
            0 => Constraint::Length { relation: self.pick(&COMPARISONS), bound: self.expr(), span },
            1 => Constraint::Cover { criterion: self.model_use(), span },
            2 => Constraint::Expect { answer: self.ident(), span },
            3 => Constraint::Classes { list: self.named(), classes: self.many(0, Self::class), span },
            _ => Constraint::Formula { label: self.maybe(Self::ident), formula: self.formula() },
        }
    }

    fn property(&mut self) -> Constraint {
        let formula = |kind, below| Formula { kind, span: Span::default(), depth: below + 1 };
        match self.choose(4) {
            0 => {
                let body = self.ltl();
                let below = body.depth;
                let logic = Logic { for_all: true, variables: vec![], body };
                let formula = formula(FormulaKind::Temporal(Box::new(logic)), below);
                Constraint::Formula { label: None, formula }
            }
            1 => {
                let drawn = self.pick(&[Drawn::Chart, Drawn::Scenario, Drawn::Match]);
                let used = self.model_use();
                let below = used.args.iter().map(|arg| arg.value.depth).max().unwrap_or(0);
                let inner = formula(FormulaKind::Drawn(drawn, used), below);
                let depth = inner.depth;
                Constraint::Formula { label: None, formula: formula(FormulaKind::Not(Box::new(inner)), depth) }
            }
            _ => Constraint::Temporal(self.temporal()),
        }
    }

    fn temporal(&mut self) -> Temporal {
        match self.choose(4) {
            0 => self.trace(false),
            1 => temporal(TemporalKind::After(self.many(1, Self::call_event), Box::new(self.temporal()))),
            2 => temporal(TemporalKind::Before(self.many(1, Self::call_event), Box::new(self.trace(false)))),
            _ => temporal(TemporalKind::Unless(Box::new(self.trace(false)), self.many(1, Self::call_event))),
        }
    }

    /// What stands first begins with a word, so that no alternative stands there inside a conjunction.
    fn trace(&mut self, in_and: bool) -> Temporal {
        match self.choose(if in_and { 3 } else { 4 }) {
            0 => temporal(TemporalKind::Always(self.held())),
            1 => temporal(TemporalKind::Never(self.held())),
            2 => temporal(TemporalKind::And(Box::new(self.trace(true)), Box::new(self.trace(false)))),
            _ => temporal(TemporalKind::Or(Box::new(self.trace(false)), Box::new(self.trace(false)))),
        }
    }

    fn held(&mut self) -> Held {
        match self.flag() {
            true => Held::Enabled { call: self.ident(), is_enabled: self.flag(), with: self.maybe(Self::expr) },
            false => Held::Condition(self.expr()),
        }
    }

    fn call_event(&mut self) -> CallEvent {
        let kinds = [CallKind::Called, CallKind::Normal, CallKind::Exceptional, CallKind::Terminates];
        let (call, kind, with) = (self.ident(), self.pick(&kinds), self.maybe(Self::expr));
        CallEvent { call, kind, with, span: Span::default() }
    }

    fn class(&mut self) -> Class {
        if self.flag() { Class::Relation(self.pick(&COMPARISONS), self.expr()) } else { Class::Value(self.over()) }
    }

    fn clause(&mut self) -> Clause {
        self.in_rule = true;
        let clause = Clause { guard: self.maybe(Self::clause_guard), becomes: self.formula(), span: Span::default() };
        self.in_rule = false;
        clause
    }

    /// Only what stands first is bound to begin with a name.
    fn clause_guard(&mut self) -> Expr {
        let mut guard = self.condition();
        for _ in 0..self.choose(3) {
            guard = node(ExprKind::Binary(BinaryOp::And, Box::new(guard), Box::new(self.expr())));
        }
        for _ in 0..self.choose(3) {
            guard = node(ExprKind::Binary(BinaryOp::Or, Box::new(guard), Box::new(self.expr())));
        }
        guard
    }

    fn condition(&mut self) -> Expr {
        let left = Box::new(self.named());
        match self.choose(4) {
            0 => *left,
            1 => node(ExprKind::Binary(self.pick(&COMPARISONS), left, Box::new(self.expr()))),
            2 => node(ExprKind::Binary(BinaryOp::In, left, Box::new(self.over()))),
            _ => node(ExprKind::Binary(BinaryOp::Matches, left, Box::new(self.expr()))),
        }
    }

    fn named(&mut self) -> Expr {
        node(match self.choose(if self.room == 0 { 1 } else { 4 }) {
            0 => ExprKind::Name(self.name()),
            1 => ExprKind::Call(self.ident(), self.args()),
            2 => ExprKind::Field(Box::new(self.below(Self::named)), self.ident_after_dot()),
            _ => ExprKind::Index(Box::new(self.below(Self::named)), Box::new(self.expr())),
        })
    }

    fn formula(&mut self) -> Formula {
        match self.choose(if self.room == 0 { 1 } else { 3 }) {
            0 => self.word(),
            1 => self.conjunction(),
            _ => {
                let (left, right) = (self.below(Self::formula), self.below(Self::alternative));
                connect(FormulaKind::Or, left, right)
            }
        }
    }

    /// What stands left of the first `and` begins with a word ...
    fn conjunction(&mut self) -> Formula {
        let mut left = self.below(Self::word);
        for _ in 0..self.choose(3) {
            left = connect(FormulaKind::And, left, self.below(Self::operand));
        }
        left
    }

    /// ... but not after `or`.
    fn alternative(&mut self) -> Formula {
        let mut left = self.below(Self::operand);
        for _ in 0..self.choose(3) {
            left = connect(FormulaKind::And, left, self.below(Self::operand));
        }
        left
    }

    fn operand(&mut self) -> Formula {
        if self.room > 0 && self.flag() { self.below(Self::formula) } else { self.word() }
    }

    fn ltl(&mut self) -> Ltl {
        let kind = match self.choose(if self.room == 0 { 2 } else { 8 }) {
            0 => LtlKind::Atom(self.condition()),
            1 => LtlKind::Atom(node(ExprKind::Bool(self.flag()))),
            2 => LtlKind::Not(Box::new(self.below(Self::ltl))),
            3 => LtlKind::And(Box::new(self.below(Self::ltl)), Box::new(self.below(Self::ltl))),
            4 => LtlKind::Or(Box::new(self.below(Self::ltl)), Box::new(self.below(Self::ltl))),
            5 => LtlKind::Implies(Box::new(self.below(Self::ltl)), Box::new(self.below(Self::ltl))),
            6 => {
                let (text, operator) = self.pick(&LTL_UNARY);
                LtlKind::Unary(Spelled { operator, text }, Box::new(self.below(Self::ltl)))
            }
            _ if self.flag() => {
                let (text, operator) = self.pick(&LTL_BINARY);
                let operator = Spelled { operator, text };
                LtlKind::Binary(operator, Box::new(self.below(Self::ltl)), Box::new(self.below(Self::ltl)))
            }
            _ => {
                let (pattern, scope) = (self.named(), self.pick(&SCOPES));
                LtlKind::Scoped { pattern, scope, bounds: (0..scope.bounds()).map(|_| self.expr()).collect() }
            }
        };
        let below = match &kind {
            LtlKind::Atom(expr) => expr.depth,
            LtlKind::Scoped { pattern, bounds, .. } => {
                bounds.iter().chain([pattern]).map(|e| e.depth).max().unwrap_or(0)
            }
            LtlKind::Not(f) | LtlKind::Unary(_, f) => f.depth,
            LtlKind::And(f, g) | LtlKind::Or(f, g) | LtlKind::Implies(f, g) | LtlKind::Binary(_, f, g) => {
                f.depth.max(g.depth)
            }
            LtlKind::Error => 0,
        };
        Ltl { kind, span: Span::default(), depth: below + 1 }
    }

    fn word(&mut self) -> Formula {
        // There is no temporal formula in a rule, and no chart.
        let most = if self.in_rule { 3 } else { 5 };
        let (kind, below) = match self.choose(if self.room == 0 { 1 } else { most }) {
            3 => {
                let variables = self.many(0, |g| (g.ident(), g.maybe(Self::ty)));
                let for_all = variables.is_empty() || self.flag();
                let body = self.below(Self::ltl);
                let below = body.depth;
                (FormulaKind::Temporal(Box::new(Logic { for_all, variables, body })), below)
            }
            4 => {
                let drawn = self.pick(&[Drawn::Chart, Drawn::Scenario, Drawn::Match]);
                let used = self.model_use();
                let below = used.args.iter().map(|arg| arg.value.depth).max().unwrap_or(0);
                (FormulaKind::Drawn(drawn, used), below)
            }
            0 => {
                let expr = self.condition();
                let on = self.many(0, Self::expr);
                let below = on.iter().chain([&expr]).map(|e| e.depth).max().unwrap_or(0);
                (FormulaKind::Atom { expr, on }, below)
            }
            1 => {
                let inner = self.below(Self::operand);
                let below = inner.depth;
                (FormulaKind::Not(Box::new(inner)), below)
            }
            _ => {
                let body = self.below(Self::operand);
                let below = body.depth;
                let (variable, ty) = (self.ident(), self.maybe(Self::ty));
                (FormulaKind::Some { variable, ty, body: Box::new(body) }, below)
            }
        };
        Formula { kind, span: Span::default(), depth: below + 1 }
    }

    // ---- expressions

    fn expr(&mut self) -> Expr {
        let forms = if self.room == 0 { 8 } else { 28 };
        self.below(|g| {
            let form = g.choose(forms);
            node(g.form(form))
        })
    }

    fn boxed(&mut self) -> Box<Expr> {
        Box::new(self.expr())
    }

    fn form(&mut self, form: usize) -> ExprKind {
        match form {
            0 => ExprKind::Name(self.name()),
            1 => ExprKind::Int(BigInt::from(self.choose(256)).pow(1 + self.choose(20) as u32)),
            2 => ExprKind::Decimal(self.pick(&["0.5", "12.250"]).to_owned()),
            3 => ExprKind::Text(self.pick(&TEXTS).to_owned()),
            4 => ExprKind::Bool(self.flag()),
            5 => ExprKind::Absent,
            6 => ExprKind::Wildcard,
            7 => ExprKind::Call(self.ident(), vec![]),
            8 => ExprKind::List(
                self.many(0, |g| if g.choose(4) == 3 { node(ExprKind::Rest(g.maybe(Self::ident))) } else { g.expr() }),
            ),
            9 => ExprKind::Set(self.many(0, Self::expr)),
            10 => ExprKind::Map(self.many(1, |g| (g.expr(), g.expr()))),
            11 => ExprKind::Call(self.ident(), self.args()),
            12 => ExprKind::With(self.boxed(), self.args()),
            13 => ExprKind::Index(self.boxed(), self.boxed()),
            14 => ExprKind::Field(self.boxed(), self.ident_after_dot()),
            15 => ExprKind::Unary(UnaryOp::Negate, self.boxed()),
            16 => ExprKind::Unary(UnaryOp::Not, self.boxed()),
            17 => ExprKind::Binary(BinaryOp::In, self.boxed(), Box::new(self.over())),
            18 => ExprKind::If(self.boxed(), self.boxed(), self.boxed()),
            19 => ExprKind::Match(
                self.boxed(),
                self.many(0, |g| Arm { pattern: g.expr(), guard: g.maybe(Self::expr), body: g.expr() }),
            ),
            20 => ExprKind::Let(self.ident(), self.boxed(), self.boxed()),
            21 => {
                let quantifier = self.pick(&[Quantifier::Forall, Quantifier::Exists]);
                ExprKind::Quantified(quantifier, self.ident(), Box::new(self.over()), self.boxed())
            }
            22 => {
                let makes = match self.choose(3) {
                    0 => Made::List(self.expr()),
                    1 => Made::Set(self.expr()),
                    _ => Made::Map(self.expr(), self.expr()),
                };
                let (variable, over, condition) = (self.ident(), self.over(), self.maybe(Self::expr));
                ExprKind::Comprehension(Box::new(Comprehension { makes, variable, over, condition }))
            }
            23 => ExprKind::Receive(self.boxed(), self.boxed()),
            _ => ExprKind::Binary(self.pick(&OPERATORS), self.boxed(), self.boxed()),
        }
    }

    fn over(&mut self) -> Expr {
        if self.flag() { node(ExprKind::Range(self.boxed(), self.boxed())) } else { self.expr() }
    }

    fn args(&mut self) -> Vec<Arg> {
        self.many(0, |g| Arg { name: g.maybe(Self::ident), value: g.expr() })
    }
}

fn connect(kind: impl FnOnce(Box<Formula>, Box<Formula>) -> FormulaKind, left: Formula, right: Formula) -> Formula {
    let depth = left.depth.max(right.depth) + 1;
    Formula { kind: kind(Box::new(left), Box::new(right)), span: Span::default(), depth }
}

fn temporal(kind: TemporalKind) -> Temporal {
    let depth = match &kind {
        TemporalKind::After(_, inner) | TemporalKind::Before(_, inner) | TemporalKind::Unless(inner, _) => inner.depth,
        TemporalKind::And(a, b) | TemporalKind::Or(a, b) => a.depth.max(b.depth),
        TemporalKind::Always(_) | TemporalKind::Never(_) | TemporalKind::Error => 0,
    };
    Temporal { kind, span: Span::default(), depth: depth + 1 }
}

/// An expression of this form, as deep as its parts make it.
pub fn node(kind: ExprKind) -> Expr {
    let flat = Expr { kind, span: Span::default(), depth: 0 };
    let depth = flat.children().into_iter().map(|part| part.depth).max().unwrap_or(0) + 1;
    Expr { depth, ..flat }
}
