//! Patterns: of messages, of gate parameters and of `match`, and whether the cases of a match cover everything.

use super::expr::base;
use super::problem::Problem;
use super::scope::{Binding, Capture, Scope};
use crate::syntax::Span;
use crate::syntax::tree::{self, Arg, Direction, ExprKind, UnaryOp};
use crate::term::{self, Definitions, Expr, Pattern, Type, Value};

/// What a name in a pattern does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameMeans {
    /// In `match`: it always binds.
    Binding,
    /// In messages and gates: a fresh name binds, a known one is compared.
    FreshBinds,
    /// Inside an expression: nothing can be bound.
    Nothing,
    /// In an event of a chart, a pattern or a formula: a variable stands for what is there, another name is compared.
    Event,
    /// In the alphabet of a pattern: a name that is no constant may be anything.
    Alphabet,
}

impl Scope<'_> {
    /// `c?p` as a condition; `binds` where names of the pattern reach what follows.
    pub fn receive(&mut self, channel: &tree::Expr, pattern: &tree::Expr, binds: bool, span: Span) -> Expr {
        // In purposes and rules, elements of lists are tested.
        if self.histories.is_some() {
            let (element, ty) = self.infer(channel, None);
            let pattern = match pattern.kind {
                ExprKind::Absent => Pattern::Absent,
                _ => self.pattern(pattern, &ty, NameMeans::Nothing),
            };
            return Expr::Test(Box::new(element), pattern);
        }
        let name = match &channel.kind {
            ExprKind::Name(name) => name.clone(),
            _ => {
                self.report(Problem::NotAChannel, channel.span);
                self.bind_names(pattern);
                return Expr::TRUE;
            }
        };
        let (slot, ty) = match self.lookup(&name) {
            Some(Binding::Channel(slot, Direction::In, ty)) => (slot, ty),
            Some(Binding::Channel(..)) => {
                self.report(Problem::ChannelDirection { name, uses: "read".into() }, span);
                self.bind_names(pattern);
                return Expr::TRUE;
            }
            _ => {
                let known = self.bindings.iter().filter(|(_, b)| matches!(b, Binding::Channel(..)));
                let near = super::problem::near(&name, known.map(|(n, _)| n.as_str()));
                self.report(Problem::UnknownChannel { name, near }, channel.span);
                self.bind_names(pattern);
                return Expr::TRUE;
            }
        };
        let pattern = if pattern.kind == ExprKind::Absent {
            Pattern::Absent
        } else {
            let means = if binds { NameMeans::FreshBinds } else { NameMeans::Nothing };
            self.pattern(pattern, &ty, means)
        };
        Expr::Test(Box::new(Expr::Slot(slot)), pattern)
    }

    /// A pattern for values of a type; its names come into scope.
    pub fn pattern(&mut self, e: &tree::Expr, ty: &Type, means: NameMeans) -> Pattern {
        match &e.kind {
            ExprKind::Error => Pattern::Any,
            ExprKind::Wildcard => Pattern::Any,
            ExprKind::Name(name) => self.name_pattern(name, e, ty, means),
            ExprKind::Call(name, args) if name.name == "Some" => {
                let inner = match base(ty) {
                    Type::Option(inner) => (**inner).clone(),
                    Type::Unknown => Type::Unknown,
                    _ => return self.pattern_mismatch(ty, "Option", e),
                };
                let [Arg { name: None, value }] = &args[..] else {
                    let problem = Problem::ArgumentCount { what: "Some".into(), expected: 1, found: args.len() };
                    self.report(problem, e.span);
                    self.bind_names(e);
                    return Pattern::Any;
                };
                Pattern::Data(Definitions::OPTION, 1, vec![self.pattern(value, &inner, means)])
            }
            ExprKind::Call(name, args) if self.names.constructors.contains_key(&name.name) => {
                self.constructor_pattern(name, args, e, ty, means)
            }
            ExprKind::List(elements) if self.is_list_pattern(e, means) => {
                let element = match base(ty) {
                    Type::List(element) => (**element).clone(),
                    Type::Unknown => Type::Unknown,
                    _ => return self.pattern_mismatch(ty, "List", e),
                };
                self.list_pattern(elements, &element, means)
            }
            _ if means == NameMeans::Binding && !is_literal(e) => {
                self.report(Problem::NotAPattern, e.span);
                self.bind_names(e);
                Pattern::Any
            }
            _ => Pattern::Equal(Box::new(self.check(e, &ty.shape()))),
        }
    }

    /// Whether a list is looked at element by element.
    fn is_list_pattern(&self, e: &tree::Expr, means: NameMeans) -> bool {
        match means {
            NameMeans::Nothing => false,
            NameMeans::Binding | NameMeans::FreshBinds => true,
            NameMeans::Event | NameMeans::Alphabet => self.has_holes(e, means),
        }
    }

    /// Whether a pattern fits several values, or takes them.
    fn has_holes(&self, e: &tree::Expr, means: NameMeans) -> bool {
        match &e.kind {
            ExprKind::Wildcard | ExprKind::Rest(_) => true,
            ExprKind::Name(name) if means == NameMeans::Alphabet => {
                !self.is_in_scope(name) && !self.is_constructor(name)
            }
            ExprKind::Name(_) => self.local(e).is_some(),
            ExprKind::Call(name, args) if self.is_constructor(&name.name) => {
                args.iter().any(|arg| self.has_holes(&arg.value, means))
            }
            ExprKind::List(elements) => elements.iter().any(|element| self.has_holes(element, means)),
            _ => false,
        }
    }

    fn is_constructor(&self, name: &str) -> bool {
        name == "None" || name == "Some" || self.names.constructors.contains_key(name)
    }

    fn is_in_scope(&self, name: &str) -> bool {
        self.binds(name) || self.names.constants.contains_key(name)
    }

    fn constructor_pattern(
        &mut self,
        name: &tree::Ident,
        args: &[Arg],
        e: &tree::Expr,
        ty: &Type,
        means: NameMeans,
    ) -> Pattern {
        let (id, constructor) = self.names.constructors[&name.name];
        if !matches!(base(ty), Type::Data(expected) if *expected == id) && *ty != Type::Unknown {
            let found = self.definitions.types[id].name.clone();
            return self.pattern_mismatch(ty, &found, e);
        }
        let data = &self.definitions.types[id];
        let (fields, is_record) = (data.constructors[constructor as usize].fields.clone(), data.is_record);
        // A pattern with names says which fields it looks at; the others may be anything.
        let values = if args.iter().any(|a| a.name.is_some()) {
            self.ordered(&name.name, &fields, is_record, args, e.span)
        } else {
            self.arguments(&name.name, &fields, is_record, args, e.span)
        };
        let patterns = values.into_iter().zip(&fields).map(|(value, (_, ty))| match value {
            Some(value) => self.pattern(value, ty, means),
            None => Pattern::Any,
        });
        Pattern::Data(id, constructor, patterns.collect())
    }

    fn pattern_mismatch(&mut self, ty: &Type, found: &str, e: &tree::Expr) -> Pattern {
        self.report(Problem::Mismatch { expected: self.show(ty), found: found.to_owned() }, e.span);
        self.bind_names(e);
        Pattern::Any
    }

    /// Declares the names of a pattern that could not be read, so that their uses are no errors as well.
    pub fn bind_names(&mut self, e: &tree::Expr) {
        match &e.kind {
            ExprKind::Name(name) | ExprKind::Rest(Some(tree::Ident { name, .. })) => {
                if !self.bindings.iter().any(|(n, _)| n == name) {
                    self.bind_local(name, Type::Unknown);
                }
            }
            _ => e.children().into_iter().for_each(|child| self.bind_names(child)),
        }
    }

    fn name_pattern(&mut self, name: &str, e: &tree::Expr, ty: &Type, means: NameMeans) -> Pattern {
        let is_constructor = name == "None" || self.names.constructors.contains_key(name);
        let in_scope = self.is_in_scope(name);
        match means {
            NameMeans::Event if let Some(variable) = self.local(e) => {
                // What stands there is of the variable's kind, or it is reported.
                self.check(e, &ty.shape());
                let bound = self.fresh_local();
                self.captures.push(Capture { variable, bound, ty: ty.clone() });
                Pattern::Bind(bound)
            }
            _ if is_constructor => match self.check(e, &ty.shape()) {
                Expr::Const(Value::Data(ty, constructor, _)) => Pattern::Data(ty, constructor, vec![]),
                Expr::Construct(ty, constructor, _) => Pattern::Data(ty, constructor, vec![]),
                _ => Pattern::Any,
            },
            NameMeans::Binding if in_scope => {
                self.report(Problem::Shadows { name: name.to_owned() }, e.span);
                Pattern::Any
            }
            NameMeans::FreshBinds | NameMeans::Nothing | NameMeans::Event | NameMeans::Alphabet if in_scope => {
                Pattern::Equal(Box::new(self.check(e, &ty.shape())))
            }
            NameMeans::Event => {
                let near = self.near(name);
                self.report(Problem::UnknownName { name: name.to_owned(), near }, e.span);
                Pattern::Any
            }
            NameMeans::Alphabet => Pattern::Any,
            NameMeans::Nothing => {
                self.report(Problem::BindsNothing { name: name.to_owned() }, e.span);
                Pattern::Any
            }
            NameMeans::Binding | NameMeans::FreshBinds => Pattern::Bind(self.bind_local(name, ty.clone())),
        }
    }

    fn list_pattern(&mut self, elements: &[tree::Expr], element: &Type, means: NameMeans) -> Pattern {
        let mut patterns = vec![];
        for (i, e) in elements.iter().enumerate() {
            let ExprKind::Rest(name) = &e.kind else {
                patterns.push(self.pattern(e, element, means));
                continue;
            };
            if let [_, behind @ ..] = &elements[i..]
                && !behind.is_empty()
            {
                self.report(Problem::NotAPattern, e.span);
                behind.iter().for_each(|e| self.bind_names(e));
            }
            let Some(name) = name else { return Pattern::List { elements: patterns, rest: Some(None) } };
            let whole = tree::Expr { kind: ExprKind::Name(name.name.clone()), span: name.span, depth: 1 };
            return match self.name_pattern(&name.name, &whole, &Type::List(Box::new(element.clone())), means) {
                Pattern::Bind(local) => Pattern::List { elements: patterns, rest: Some(Some(local)) },
                Pattern::Equal(known) => self.followed_by(patterns, *known),
                _ => Pattern::List { elements: patterns, rest: Some(None) },
            };
        }
        Pattern::List { elements: patterns, rest: None }
    }

    /// A list with these elements, and behind them those of another one.
    fn followed_by(&mut self, elements: Vec<Pattern>, rest: Expr) -> Pattern {
        match elements.iter().map(only_fit).collect::<Option<Vec<Expr>>>() {
            Some(elements) => {
                let elements = Box::new(Expr::List(elements));
                Pattern::Equal(Box::new(Expr::Binary(term::BinaryOp::Concat, elements, Box::new(rest))))
            }
            None => {
                let bound = self.fresh_local();
                self.equal.push((bound, rest));
                Pattern::List { elements, rest: Some(Some(bound)) }
            }
        }
    }

    /// What the patterns read so far say beside what they look like, as conditions behind them.
    pub(super) fn equalities(&mut self) -> Vec<Expr> {
        let equal = std::mem::take(&mut self.equal).into_iter();
        let condition = |(bound, value): (usize, Expr)| {
            Expr::Binary(term::BinaryOp::Equal, Box::new(Expr::Local(bound)), Box::new(value))
        };
        equal.map(condition).collect()
    }

    pub(super) fn match_on(
        &mut self,
        scrutinee: &tree::Expr,
        arms: &[tree::Arm],
        expected: Option<&Type>,
        span: Span,
    ) -> (Expr, Type) {
        let (value, ty) = self.infer(scrutinee, None);
        let mut result: Option<Type> = expected.cloned();
        let mut out = vec![];
        let mut rows: Vec<Vec<Pattern>> = vec![];
        for arm in arms {
            self.nested(|s| {
                let pattern = s.pattern(&arm.pattern, &ty, NameMeans::Binding);
                if !rows.is_empty() && missing(&rows, &[ty.shape()], s.definitions).is_none() {
                    s.report(Problem::UnreachableCase, arm.pattern.span);
                }
                let guard = arm.guard.as_ref().map(|g| {
                    let guard = s.condition(g);
                    s.assume(g);
                    guard
                });
                let body = match &result {
                    Some(ty) => s.check(&arm.body, ty),
                    None => {
                        let (body, ty) = s.infer(&arm.body, None);
                        result = Some(ty.shape());
                        body
                    }
                };
                if guard.is_none() {
                    rows.push(vec![pattern.clone()]);
                }
                out.push(term::Arm { pattern, guard, body });
            });
        }
        if ty != Type::Unknown
            && let Some(example) = missing(&rows, &[ty.shape()], self.definitions)
        {
            self.report(Problem::MissingCase { example: example.join(", ") }, span);
        }
        (Expr::Match(Box::new(value), out), result.unwrap_or(Type::Unknown))
    }
}

fn is_literal(e: &tree::Expr) -> bool {
    match &e.kind {
        ExprKind::Int(_) | ExprKind::Decimal(_) | ExprKind::Text(_) | ExprKind::Bool(_) => true,
        ExprKind::Unary(UnaryOp::Negate, inner) => matches!(inner.kind, ExprKind::Int(_) | ExprKind::Decimal(_)),
        _ => false,
    }
}

/// A row of values that no row of patterns covers, as text; none if everything is covered (after Maranget 2007).
///
/// Lists are treated as the algebraic type of the empty list and a first element with its rest.
fn missing(rows: &[Vec<Pattern>], types: &[Type], definitions: &Definitions) -> Option<Vec<String>> {
    let Some(first) = types.first() else {
        return if rows.is_empty() { Some(vec![]) } else { None };
    };
    let rows: Vec<Vec<Pattern>> = rows.iter().map(|row| normalised(row)).collect();
    let signature = signature(first, definitions);
    let heads: Vec<&Pattern> = rows.iter().map(|row| &row[0]).collect();
    let complete = signature.as_ref().filter(|s| s.iter().all(|c| heads.iter().any(|h| c.is_head_of(h))));
    if let Some(constructors) = complete {
        return constructors.iter().find_map(|c| {
            let specialised: Vec<Vec<Pattern>> = rows.iter().filter_map(|row| c.specialise(row)).collect();
            let inner: Vec<Type> = c.fields.iter().cloned().chain(types[1..].iter().cloned()).collect();
            missing(&specialised, &inner, definitions).map(|example| c.rebuild(example))
        });
    }
    let default: Vec<Vec<Pattern>> = rows.iter().filter(|row| is_any(&row[0])).map(|row| row[1..].to_vec()).collect();
    let rest = missing(&default, &types[1..], definitions)?;
    let example = match &signature {
        Some(s) => s.iter().find(|c| !heads.iter().any(|h| c.is_head_of(h))).map_or("_".into(), Head::example),
        None => "_".to_owned(),
    };
    Some(std::iter::once(example).chain(rest).collect())
}

/// The only value that fits a pattern, if there is but one.
fn only_fit(pattern: &Pattern) -> Option<Expr> {
    match pattern {
        Pattern::Equal(value) => Some((**value).clone()),
        Pattern::Data(ty, constructor, fields) => {
            let fields: Option<Vec<Expr>> = fields.iter().map(only_fit).collect();
            Some(Expr::Construct(*ty, *constructor, fields?))
        }
        Pattern::List { elements, rest: None } => {
            elements.iter().map(only_fit).collect::<Option<Vec<Expr>>>().map(Expr::List)
        }
        Pattern::Any | Pattern::Absent | Pattern::Bind(_) | Pattern::List { .. } => None,
    }
}

/// Names where a pattern takes what stands there, through constructors and lists.
pub(super) fn names_taken(e: &tree::Expr) -> Vec<(&str, Span)> {
    match &e.kind {
        ExprKind::Name(name) => vec![(name, e.span)],
        ExprKind::Rest(Some(name)) => vec![(&name.name, name.span)],
        ExprKind::Call(_, args) => args.iter().flat_map(|arg| names_taken(&arg.value)).collect(),
        ExprKind::List(elements) => elements.iter().flat_map(names_taken).collect(),
        _ => vec![],
    }
}

fn is_any(pattern: &Pattern) -> bool {
    matches!(pattern, Pattern::Any | Pattern::Bind(_))
}

/// A constructor as the algorithm sees it.
#[derive(Clone, Debug)]
struct Head {
    key: HeadKey,
    name: String,
    fields: Vec<Type>,
}

#[derive(Clone, Debug, PartialEq)]
enum HeadKey {
    Data(u32),
    Bool(bool),
    Nil,
    Cons,
}

/// All constructors of a type, if they are finitely many.
fn signature(ty: &Type, definitions: &Definitions) -> Option<Vec<Head>> {
    let head = |key, name: &str, fields| Head { key, name: name.to_owned(), fields };
    match ty {
        Type::Bool => {
            Some(vec![head(HeadKey::Bool(false), "false", vec![]), head(HeadKey::Bool(true), "true", vec![])])
        }
        Type::Option(inner) => {
            Some(vec![head(HeadKey::Data(0), "None", vec![]), head(HeadKey::Data(1), "Some", vec![(**inner).clone()])])
        }
        Type::List(inner) => {
            Some(vec![head(HeadKey::Nil, "[]", vec![]), head(HeadKey::Cons, "[", vec![(**inner).clone(), ty.clone()])])
        }
        Type::Data(id) => {
            let constructors = definitions.types[*id].constructors.iter().enumerate();
            Some(
                constructors
                    .map(|(i, c)| {
                        let fields = c.fields.iter().map(|(_, t)| t.shape()).collect();
                        head(HeadKey::Data(i as u32), &c.name, fields)
                    })
                    .collect(),
            )
        }
        _ => None,
    }
}

impl Head {
    fn is_head_of(&self, pattern: &Pattern) -> bool {
        match (pattern, &self.key) {
            (Pattern::Data(_, c, _), HeadKey::Data(d)) => c == d,
            (Pattern::Equal(e), HeadKey::Bool(b)) => **e == Expr::Const(Value::Bool(*b)),
            (Pattern::List { elements, rest: None }, HeadKey::Nil) => elements.is_empty(),
            (Pattern::List { elements, .. }, HeadKey::Cons) => !elements.is_empty(),
            _ => false,
        }
    }

    /// The row as seen by values with this constructor; none if it does not fit them.
    fn specialise(&self, row: &[Pattern]) -> Option<Vec<Pattern>> {
        let rest = row[1..].iter().cloned();
        if is_any(&row[0]) {
            return Some(std::iter::repeat_n(Pattern::Any, self.fields.len()).chain(rest).collect());
        }
        if !self.is_head_of(&row[0]) {
            return None;
        }
        let inner = match &row[0] {
            Pattern::Data(_, _, patterns) => patterns.clone(),
            Pattern::List { elements, rest } if self.key == HeadKey::Cons => {
                vec![elements[0].clone(), Pattern::List { elements: elements[1..].to_vec(), rest: *rest }]
            }
            _ => vec![],
        };
        Some(inner.into_iter().chain(rest).collect())
    }

    fn example(&self) -> String {
        match self.key {
            HeadKey::Cons => "[_, ..]".to_owned(),
            _ if self.fields.is_empty() => self.name.clone(),
            _ => format!("{}({})", self.name, vec!["_"; self.fields.len()].join(", ")),
        }
    }

    fn rebuild(&self, mut example: Vec<String>) -> Vec<String> {
        let rest = example.split_off(self.fields.len().min(example.len()));
        let head = match self.key {
            HeadKey::Cons => {
                let tail = example[1].trim_matches(['[', ']']).to_owned();
                match tail.as_str() {
                    "" => format!("[{}]", example[0]),
                    "_" => format!("[{}, ..]", example[0]),
                    tail => format!("[{}, {tail}]", example[0]),
                }
            }
            _ if self.fields.is_empty() => self.name.clone(),
            _ => format!("{}({})", self.name, example.join(", ")),
        };
        std::iter::once(head).chain(rest).collect()
    }
}

/// `[..]` fits every list.
fn normalised(row: &[Pattern]) -> Vec<Pattern> {
    let first = match &row[0] {
        Pattern::List { elements, rest: Some(_) } if elements.is_empty() => Pattern::Any,
        other => other.clone(),
    };
    std::iter::once(first).chain(row[1..].iter().cloned()).collect()
}
