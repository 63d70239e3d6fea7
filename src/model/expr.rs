//! Typing of expressions: bottom up, with the type that the surroundings expect handed down.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Signed;

use super::linear::negation;
use super::problem::{Problem, near};
use super::scope::{Binding, Instant, Scope, names_in, path, root};
use crate::syntax::tree::{self, Arg, BinaryOp, ExprKind, Ident, Made, UnaryOp};
use crate::syntax::{Span, print_expr};
use crate::term::{self, Builtin, Collection, Definitions, Env, Expr, Fuel, TextPattern, Type, Value};

impl Scope<'_> {
    /// The expression as a value of a type that is known.
    pub fn check(&mut self, e: &tree::Expr, expected: &Type) -> Expr {
        let (expr, found) = self.infer(e, Some(expected));
        let expr = self.coerce(expr, &found, expected, e.span);
        if let Expr::Narrow(inner, _) = &expr
            && !self.is_inside(&expr)
            && !self.stays_inside(e, inner, expected)
        {
            self.can_fail(&format!("this may be outside `{}`", self.show(expected)), e.span);
        }
        expr
    }

    /// A condition.
    pub fn condition(&mut self, e: &tree::Expr) -> Expr {
        self.check(e, &Type::Bool)
    }

    /// Makes a value of one type a value of another, or reports that it is none.
    pub fn coerce(&mut self, expr: Expr, found: &Type, expected: &Type, span: Span) -> Expr {
        let (from, to) = (found.shape(), expected.shape());
        if fits(&from, &to) {
            if !expected.is_narrow() || found == expected {
                return expr;
            }
            if let Expr::Const(value) = &expr
                && self.is_decided(value, expected, span)
            {
                return expr;
            }
            return Expr::Narrow(Box::new(expr), expected.clone());
        }
        if from == Type::INT && to == Type::Real {
            let real = Expr::ToReal(Box::new(expr));
            return if expected.is_narrow() { Expr::Narrow(Box::new(real), expected.clone()) } else { real };
        }
        self.report(Problem::Mismatch { expected: self.show(expected), found: self.show(found) }, span);
        expr
    }

    /// Whether a constant is seen to be in its type.
    fn is_inside(&self, narrowed: &Expr) -> bool {
        let Expr::Narrow(inner, ty) = narrowed else { return false };
        let Expr::Const(value) = &**inner else { return false };
        let fuel = Fuel::new();
        let env = Env { definitions: self.definitions, slots: &[], fuel: &fuel };
        !has_open_bound(ty) && term::contains(ty, value, env) == Ok(true)
    }

    /// Whether a constant is decided now: it belongs to its type, or was reported not to. Otherwise a bound or a
    /// constant that the type depends on is not known yet, and evaluation decides.
    pub(super) fn is_decided(&mut self, value: &Value, ty: &Type, span: Span) -> bool {
        let fuel = Fuel::new();
        let env = Env { definitions: self.definitions, slots: &[], fuel: &fuel };
        if has_open_bound(ty) {
            return false;
        }
        match term::contains(ty, value, env) {
            Ok(true) => !matches!(ty, Type::Refined(..)),
            Ok(false) => {
                let value = term::Shown { value, definitions: self.definitions }.to_string();
                self.report(Problem::OutsideType { value, ty: self.show(ty) }, span);
                true
            }
            Err(_) => false,
        }
    }

    /// The expression and its type.
    pub fn infer(&mut self, e: &tree::Expr, expected: Option<&Type>) -> (Expr, Type) {
        if let Some(known) = self.at_moment(e, expected).or_else(|| self.of_histories(e, expected)) {
            return known;
        }
        match &e.kind {
            ExprKind::Error => (Expr::TRUE, Type::Unknown),
            ExprKind::Name(name) => self.name(name, expected, e.span),
            ExprKind::Int(n) if expected.is_some_and(|t| t.shape() == Type::Real) => {
                (Expr::Const(Value::real(n.clone())), Type::Real)
            }
            ExprKind::Int(n) => (Expr::Const(Value::Int(n.clone())), Type::INT),
            ExprKind::Decimal(text) => (Expr::Const(Value::real(decimal(text))), Type::Real),
            ExprKind::Text(text) => (Expr::Const(Value::text(text)), Type::Text),
            ExprKind::Bool(b) => (Expr::Const(Value::Bool(*b)), Type::Bool),
            ExprKind::Absent => self.only_in_pattern("absent", e.span),
            ExprKind::Wildcard => self.only_in_pattern("_", e.span),
            ExprKind::Rest(_) => self.only_in_pattern("..", e.span),
            ExprKind::List(elements) => {
                let expected = expected.and_then(element_type);
                let (elements, ty) = self.elements(elements, expected.as_ref(), e.span);
                (Expr::List(elements), Type::List(Box::new(ty)))
            }
            ExprKind::Set(elements) if elements.is_empty() => match expected.map(base) {
                Some(ty @ Type::Map(..)) => (Expr::Map(vec![]), ty.clone()),
                Some(ty @ Type::Set(_)) => (Expr::Set(vec![]), ty.clone()),
                Some(Type::Unknown) => (Expr::Set(vec![]), Type::Unknown),
                _ => {
                    self.report(Problem::CannotInfer, e.span);
                    (Expr::Set(vec![]), Type::Unknown)
                }
            },
            ExprKind::Set(elements) => {
                let expected = expected.and_then(element_type);
                let (elements, ty) = self.elements(elements, expected.as_ref(), e.span);
                (Expr::Set(elements), Type::Set(Box::new(ty)))
            }
            ExprKind::Map(entries) => self.map(entries, expected, e.span),
            ExprKind::Call(name, args) => self.call(name, args, expected, e.span),
            ExprKind::With(base, fields) => self.with(base, fields, expected),
            ExprKind::Index(collection, index) => self.index(collection, index, e),
            // A variable of a service that a node runs.
            ExprKind::Field(..) if self.is_bound(e) => self.name(&path(e).unwrap_or_default(), expected, e.span),
            ExprKind::Field(record, field) => {
                let (record, ty) = self.infer(record, None);
                match self.field_of(&ty, field) {
                    Some((index, field_ty)) => (Expr::Field(Box::new(record), index), field_ty),
                    None => (record, Type::Unknown),
                }
            }
            ExprKind::Unary(UnaryOp::Not, inner) => {
                (Expr::Unary(term::UnaryOp::Not, Box::new(self.condition(inner))), Type::Bool)
            }
            ExprKind::Unary(UnaryOp::Negate, inner) => self.negate(inner, expected),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expected, e.span),
            ExprKind::Range(low, high) => {
                let (low, high) = (self.check(low, &Type::INT), self.check(high, &Type::INT));
                (Expr::Range(Box::new(low), Box::new(high)), Type::List(Box::new(Type::INT)))
            }
            ExprKind::If(c, t, f) => self.if_then_else(c, t, f, expected),
            ExprKind::Match(scrutinee, arms) => self.match_on(scrutinee, arms, expected, e.span),
            ExprKind::Let(name, value, body) => {
                let (value, ty) = self.infer(value, None);
                self.nested(|s| {
                    let local = s.bind_local(&name.name, ty);
                    let (body, ty) = s.branch(body, expected);
                    (Expr::Let(local, Box::new(value), Box::new(body)), ty)
                })
            }
            ExprKind::Quantified(quantifier, name, over, body) => {
                let (over_expr, element) = self.over(over);
                self.nested(|s| {
                    let local = s.bind_local(&name.name, element);
                    s.assume_member(name, over);
                    let body = s.condition(body);
                    (Expr::Quantified(*quantifier, local, Box::new(over_expr), Box::new(body)), Type::Bool)
                })
            }
            ExprKind::Comprehension(c) => self.comprehension(c, expected),
            ExprKind::Receive(channel, pattern) => (self.receive(channel, pattern, false, e.span), Type::Bool),
        }
    }

    /// In a condition of a purpose: an expression at a moment of the run.
    fn at_moment(&mut self, e: &tree::Expr, expected: Option<&Type>) -> Option<(Expr, Type)> {
        let ExprKind::Call(name, args) = &e.kind else { return None };
        let [Arg { name: None, value }] = &args[..] else { return None };
        let moment = match name.name.as_str() {
            "first" => Instant::First,
            "last" => Instant::Last,
            "initial" => Instant::Initial,
            _ => return None,
        };
        // What stands inside is about this moment.
        let mut named = self.moments.take()?;
        let (expr, ty) = match moment {
            Instant::Initial => self.before_step(value, &print_expr(value), e.span),
            _ => self.infer(value, expected),
        };
        // A value that is a list has a last element, too.
        let is_value = moment == Instant::Last && matches!(base(&ty), Type::List(_)) && !reads_lists(&expr);
        if !is_value {
            named.push(moment);
        }
        self.moments = Some(named);
        Some(match base(&ty) {
            Type::List(element) if is_value => (Expr::Builtin(Builtin::Last, vec![expr]), (**element).clone()),
            _ => (expr, ty),
        })
    }

    /// The list of the values that another one has before each step.
    fn before_step(&mut self, e: &tree::Expr, written: &str, span: Span) -> (Expr, Type) {
        let lists = self.histories.as_ref().and_then(|histories| histories.lists);
        let found = match root(e) {
            Some(name) if !self.binds(name) => path(e)
                .and_then(|path| lists?.numbers.get(&format!("pre({path})")).copied())
                .zip(lists)
                .map(|(number, lists)| (Expr::Slot(number), lists.entries[number].ty.clone())),
            _ => None,
        };
        found.unwrap_or_else(|| {
            self.unknown_list(format!("pre({written})"), span);
            (Expr::TRUE, Type::Unknown)
        })
    }

    /// Says that something looks like a list and is none.
    pub(super) fn unknown_list(&mut self, name: String, span: Span) {
        let lists = self.histories.as_ref().and_then(|histories| histories.lists);
        let known = lists.iter().flat_map(|lists| lists.numbers.keys().chain(lists.conditions.keys()));
        let near = near(&name, known.map(String::as_str));
        self.report(Problem::UnknownList { name, near }, span);
    }

    /// In a purpose: a state, transition or gate by its name, where one is expected; otherwise a list. Names that are bound
    /// hide both.
    fn of_histories(&mut self, e: &tree::Expr, expected: Option<&Type>) -> Option<(Expr, Type)> {
        let first_type = self.histories.as_ref()?.first_type;
        let is_bound = !matches!(e.kind, ExprKind::Text(_)) && root(e).is_some_and(|name| self.binds(name));
        if is_bound {
            return None;
        }
        if let Some(Type::Data(ty)) = expected
            && *ty >= first_type
        {
            let name = match &e.kind {
                ExprKind::Name(name) | ExprKind::Text(name) => Some(name.clone()),
                ExprKind::Field(..) if self.list(e).is_none() => path(e),
                _ => None,
            };
            let members = &self.definitions.types[*ty].constructors;
            if let Some(member) = name.as_ref().and_then(|name| members.iter().position(|c| c.name == *name)) {
                return Some((Expr::Const(Value::Data(*ty, member as u32, [].into())), Type::Data(*ty)));
            }
            if let (Some(name), ExprKind::Name(_) | ExprKind::Text(_), None) = (name, &e.kind, self.list(e)) {
                let near = near(&name, members.iter().map(|c| c.name.as_str()));
                let list = self.definitions.types[*ty].name.clone();
                self.report(Problem::NoSuchMember { list, name, near }, e.span);
                return Some((Expr::TRUE, Type::Unknown));
            }
        }
        if let Some((number, ty)) = self.list(e) {
            return Some((Expr::Slot(number), ty));
        }
        let lists = self.histories.as_ref()?.lists?;
        if let Some(condition) = path(e).and_then(|path| lists.conditions.get(&path)) {
            return Some((condition.clone(), Type::Bool));
        }
        let name = self.looks_like_list(e)?;
        self.unknown_list(name, e.span);
        Some((Expr::TRUE, Type::Unknown))
    }

    /// The name of something that looks like a list by more than a name, and is none.
    fn looks_like_list(&self, e: &tree::Expr) -> Option<String> {
        let lists = self.histories.as_ref()?.lists?;
        let name = match &e.kind {
            // Only lists have values before a step.
            ExprKind::Call(name, _) if name.name == "pre" && !self.names.functions.contains_key("pre") => {
                path(e).unwrap_or_else(|| print_expr(e))
            }
            ExprKind::Field(..) | ExprKind::Index(..) => path(e)?,
            _ => return None,
        };
        let is_known = root(e).is_some_and(|root| self.names.constants.contains_key(root))
            // A field of an element, as in `get.record.name`, is a list too.
            || lists.numbers.keys().any(|list| name.starts_with(&format!("{list}.")) || name.starts_with(&format!("{list}[")));
        (!is_known).then_some(name)
    }

    fn if_then_else(
        &mut self,
        c: &tree::Expr,
        t: &tree::Expr,
        f: &tree::Expr,
        expected: Option<&Type>,
    ) -> (Expr, Type) {
        let condition = self.condition(c);
        let mut branches = vec![];
        for (branch, holds) in [(t, Some(c.clone())), (f, negation(c))] {
            let hint = expected.cloned().or_else(|| branches.first().map(|(_, ty): &(Expr, Type)| ty.shape()));
            branches.push(self.nested(|s| {
                holds.iter().for_each(|condition| s.assume(condition));
                s.branch(branch, hint.as_ref())
            }));
        }
        let (f_expr, f_ty) = branches.pop().unwrap_or((Expr::TRUE, Type::Unknown));
        let (t_expr, t_ty) = branches.pop().unwrap_or((Expr::TRUE, Type::Unknown));
        let ty = self.join(&t_ty, &f_ty, f.span);
        let (t_expr, f_expr) = (self.widen(t_expr, &t_ty, &ty), self.widen(f_expr, &f_ty, &ty));
        (Expr::If(Box::new(condition), Box::new(t_expr), Box::new(f_expr)), ty)
    }

    /// A part that gives the value of the whole: a narrow type is checked here, where the most is known.
    pub(super) fn branch(&mut self, e: &tree::Expr, expected: Option<&Type>) -> (Expr, Type) {
        match expected {
            Some(ty) if ty.is_narrow() => (self.check(e, ty), ty.clone()),
            _ => self.infer(e, expected),
        }
    }

    fn only_in_pattern(&mut self, what: &str, span: Span) -> (Expr, Type) {
        self.report(Problem::OnlyInPattern { what: what.to_owned() }, span);
        (Expr::TRUE, Type::Unknown)
    }

    fn name(&mut self, name: &str, expected: Option<&Type>, span: Span) -> (Expr, Type) {
        match self.lookup(name) {
            Some(Binding::Local(index, ty)) => {
                self.reads.push((index, span));
                return (Expr::Local(index), ty);
            }
            Some(Binding::Slot(index, ty)) => return (Expr::Slot(index), ty),
            Some(Binding::Param(index, ty)) => return (Expr::Param(index), ty),
            Some(Binding::Known(value, ty)) => return (Expr::Const(value), ty),
            Some(Binding::Means(expr, ty)) => return (expr, ty),
            Some(Binding::Channel(..)) => {
                self.report(Problem::ChannelAsValue { name: name.to_owned() }, span);
                return (Expr::TRUE, Type::Unknown);
            }
            None => {}
        }
        if let Some((id, ty)) = self.names.constants.get(name) {
            return (Expr::Global(*id), ty.clone());
        }
        if name == "None" {
            return match expected.map(base) {
                Some(ty @ (Type::Option(_) | Type::Unknown)) => {
                    (Expr::Construct(Definitions::OPTION, 0, vec![]), ty.clone())
                }
                _ => {
                    self.report(Problem::CannotInfer, span);
                    (Expr::TRUE, Type::Unknown)
                }
            };
        }
        if let Some((ty, constructor)) = self.names.constructors.get(name) {
            let fields = self.definitions.types[*ty].constructors[*constructor as usize].fields.len();
            if fields > 0 {
                let problem = Problem::ArgumentCount { what: name.to_owned(), expected: fields, found: 0 };
                self.report(problem, span);
                return (Expr::TRUE, Type::Unknown);
            }
            return (Expr::Const(Value::Data(*ty, *constructor, [].into())), Type::Data(*ty));
        }
        let near = self.near(name);
        self.report(Problem::UnknownName { name: name.to_owned(), near }, span);
        (Expr::TRUE, Type::Unknown)
    }

    /// Elements of a list or set, brought to one type.
    fn elements(&mut self, elements: &[tree::Expr], expected: Option<&Type>, span: Span) -> (Vec<Expr>, Type) {
        match expected {
            Some(ty) => return (elements.iter().map(|e| self.check(e, ty)).collect(), ty.clone()),
            None if elements.iter().all(needs_context) => self.report(Problem::CannotInfer, span),
            None => {}
        }
        // Elements with a type of their own give it to the others. Each is looked at once only: twice would double at
        // every level of nesting.
        let typed: Vec<Option<(Expr, Type)>> =
            elements.iter().map(|e| (!needs_context(e)).then(|| self.infer(e, None))).collect();
        let mut ty = Type::Unknown;
        for (e, (_, found)) in elements.iter().zip(&typed).filter_map(|(e, typed)| Some((e, typed.as_ref()?))) {
            ty = self.join(&ty.shape(), &found.shape(), e.span);
        }
        let out = elements.iter().zip(typed).map(|(e, typed)| match typed {
            Some((expr, found)) => self.widen(expr, &found, &ty),
            None => self.check(e, &ty),
        });
        (out.collect(), ty.clone())
    }

    fn map(&mut self, entries: &[(tree::Expr, tree::Expr)], expected: Option<&Type>, span: Span) -> (Expr, Type) {
        let (keys, values): (Vec<_>, Vec<_>) = entries.iter().cloned().unzip();
        let (expected_key, expected_value) = match expected.map(base) {
            Some(Type::Map(k, v)) => (Some((**k).clone()), Some((**v).clone())),
            _ => (None, None),
        };
        let (keys, key_ty) = self.elements(&keys, expected_key.as_ref(), span);
        let (values, value_ty) = self.elements(&values, expected_value.as_ref(), span);
        (Expr::Map(keys.into_iter().zip(values).collect()), Type::Map(Box::new(key_ty), Box::new(value_ty)))
    }

    fn with(&mut self, record: &tree::Expr, changes: &[Arg], expected: Option<&Type>) -> (Expr, Type) {
        // The record may be outside a refinement that the changed one is inside of, and the other way round.
        let (record, ty) = self.infer(record, expected.map(Type::shape).as_ref());
        let ty = base(&ty).clone();
        let mut out = vec![];
        for Arg { name, value } in changes {
            let Some(name) = name else {
                self.report(Problem::PositionalRecord { name: self.show(&ty) }, value.span);
                continue;
            };
            if let Some((index, field_ty)) = self.field_of(&ty, name) {
                out.push((index, self.check(value, &field_ty)));
            }
        }
        (Expr::With(Box::new(record), out), ty)
    }

    /// A field of a type with one constructor.
    pub fn field_of(&mut self, ty: &Type, field: &Ident) -> Option<(usize, Type)> {
        let fields = match base(ty) {
            Type::Unknown => return None,
            Type::Data(id) if self.definitions.types[*id].constructors.len() == 1 => {
                self.definitions.types[*id].constructors[0].fields.clone()
            }
            _ => vec![],
        };
        let found = fields.iter().position(|(name, _)| *name == field.name);
        if found.is_none() {
            let near = near(&field.name, fields.iter().map(|(name, _)| name.as_str()));
            self.report(Problem::UnknownField { ty: self.show(ty), name: field.name.clone(), near }, field.span);
        }
        found.map(|index| (index, fields[index].1.clone()))
    }

    fn index(&mut self, collection: &tree::Expr, index: &tree::Expr, whole: &tree::Expr) -> (Expr, Type) {
        let (expr, ty) = self.infer(collection, None);
        match base(&ty) {
            Type::List(element) => {
                let index = self.check(index, &Type::INT);
                self.can_fail("this index may be outside the list", whole.span);
                (Expr::Builtin(Builtin::Index, vec![expr, index]), (**element).clone())
            }
            Type::Map(key, value) => {
                let key_expr = self.check(index, &key.shape());
                let safe = self.supposed().any(|fact| {
                    matches!(&fact.kind, ExprKind::Binary(BinaryOp::In, k, m) if **k == *index && **m == *collection)
                });
                if !safe {
                    self.can_fail("the key may be missing from the map", whole.span);
                }
                (Expr::Builtin(Builtin::Index, vec![expr, key_expr]), (**value).clone())
            }
            Type::Unknown => (expr, Type::Unknown),
            _ => {
                self.report(Problem::NotCollection { ty: self.show(&ty) }, collection.span);
                (expr, Type::Unknown)
            }
        }
    }

    /// Warns of an expression that may have no value.
    pub fn can_fail(&mut self, what: &str, span: Span) {
        self.report(Problem::CanFail { what: what.to_owned() }, span);
    }

    /// Notes the conjuncts of a condition that holds from here on.
    pub fn assume(&mut self, condition: &tree::Expr) {
        match &condition.kind {
            ExprKind::Binary(BinaryOp::And, a, b) => {
                self.assume(a);
                self.assume(b);
            }
            _ => self.suppose(condition.clone()),
        }
    }

    fn assume_member(&mut self, variable: &Ident, over: &tree::Expr) {
        // What it runs over is outside of the name: another thing of that name says nothing of the members.
        let mut names = vec![];
        names_in(over, &mut names);
        if names.contains(&variable.name) {
            return;
        }
        let name = tree::Expr { kind: ExprKind::Name(variable.name.clone()), span: variable.span, depth: 1 };
        // `k in keys(m)` says the same as `k in m`.
        let over = match &over.kind {
            ExprKind::Call(f, args) if f.name == "keys" && args.len() == 1 => &args[0].value,
            _ => over,
        };
        let depth = over.depth + 1;
        let kind = ExprKind::Binary(BinaryOp::In, Box::new(name), Box::new(over.clone()));
        self.suppose(tree::Expr { kind, span: over.span, depth });
    }

    fn negate(&mut self, inner: &tree::Expr, expected: Option<&Type>) -> (Expr, Type) {
        let (expr, ty) = self.infer(inner, expected.map(Type::shape).as_ref());
        match (&expr, ty.shape()) {
            (Expr::Const(Value::Int(n)), _) => (Expr::Const(Value::Int(-n)), Type::INT),
            (Expr::Const(Value::Real(x)), _) => (Expr::Const(Value::real(-&**x)), Type::Real),
            (_, shape @ (Type::INT | Type::Real | Type::Unknown)) => {
                (Expr::Unary(term::UnaryOp::Negate, Box::new(expr)), shape)
            }
            _ => {
                self.report(Problem::NotArithmetic { op: "-".into(), ty: self.show(&ty) }, inner.span);
                (expr, Type::Unknown)
            }
        }
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        left: &tree::Expr,
        right: &tree::Expr,
        expected: Option<&Type>,
        span: Span,
    ) -> (Expr, Type) {
        let make = |op, a, b| Expr::Binary(op, Box::new(a), Box::new(b));
        let compared = self.local(left).zip(self.local(right));
        self.compared.extend(compared);
        match op {
            BinaryOp::And => {
                let a = self.condition(left);
                let b = self.nested(|s| {
                    s.assume(left);
                    s.condition(right)
                });
                (make(term::BinaryOp::And, a, b), Type::Bool)
            }
            BinaryOp::Or => {
                let a = self.condition(left);
                (make(term::BinaryOp::Or, a, self.condition(right)), Type::Bool)
            }
            BinaryOp::Equal | BinaryOp::NotEqual => {
                let (a, b, _) = self.same_type(left, right);
                let op = if op == BinaryOp::Equal { term::BinaryOp::Equal } else { term::BinaryOp::NotEqual };
                (make(op, a, b), Type::Bool)
            }
            BinaryOp::Less | BinaryOp::AtMost | BinaryOp::Greater | BinaryOp::AtLeast => {
                let (a, b, ty) = self.same_type(left, right);
                if !matches!(ty, Type::INT | Type::Real | Type::Unknown) {
                    self.report(Problem::NotOrdered { ty: self.show(&ty) }, span);
                }
                let expr = match op {
                    BinaryOp::Less => make(term::BinaryOp::Less, a, b),
                    BinaryOp::AtMost => make(term::BinaryOp::AtMost, a, b),
                    BinaryOp::Greater => make(term::BinaryOp::Less, b, a),
                    _ => make(term::BinaryOp::AtMost, b, a),
                };
                (expr, Type::Bool)
            }
            BinaryOp::In => {
                let (over, element) = self.over(right);
                let a = self.check(left, &element.shape());
                (make(term::BinaryOp::In, a, over), Type::Bool)
            }
            BinaryOp::Matches => {
                let text = self.check(left, &Type::Text);
                let ExprKind::Text(source) = &right.kind else {
                    self.report(Problem::RegexNotLiteral, right.span);
                    return (text, Type::Bool);
                };
                match TextPattern::new(source) {
                    Ok(pattern) => (Expr::Matches(Box::new(text), pattern), Type::Bool),
                    Err(reason) => {
                        self.report(Problem::BadRegularExpression { reason }, right.span);
                        (text, Type::Bool)
                    }
                }
            }
            BinaryOp::Concat => {
                let (a, ty) = self.infer(left, expected.map(Type::shape).as_ref());
                if !matches!(base(&ty), Type::Text | Type::List(_) | Type::Unknown) {
                    self.report(Problem::NotArithmetic { op: "++".into(), ty: self.show(&ty) }, left.span);
                    return (a, Type::Unknown);
                }
                let b = self.check(right, &ty.shape());
                (make(term::BinaryOp::Concat, a, b), ty.shape())
            }
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo => {
                self.arithmetic(op, left, right, span)
            }
        }
    }

    /// The local that a name stands for.
    pub(super) fn local(&self, e: &tree::Expr) -> Option<usize> {
        let ExprKind::Name(name) = &e.kind else { return None };
        match self.bindings.iter().rev().find(|(bound, _)| bound == name) {
            Some((_, Binding::Local(local, _))) => Some(*local),
            _ => None,
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, left: &tree::Expr, right: &tree::Expr, span: Span) -> (Expr, Type) {
        // The operands alone decide: `n / 2` is the same number whether an `Int` or a `Real` is expected.
        let (a, a_ty) = self.infer(left, None);
        let (b, b_ty) = self.infer(right, None);
        let ty = match (a_ty.shape(), b_ty.shape()) {
            (Type::Unknown, _) | (_, Type::Unknown) => Type::Unknown,
            (Type::INT, Type::INT) => Type::INT,
            (Type::INT | Type::Real, Type::INT | Type::Real) if op != BinaryOp::Modulo => Type::Real,
            (a, b) => {
                let ty = if matches!(a, Type::INT | Type::Real) && op != BinaryOp::Modulo { b } else { a };
                self.report(Problem::NotArithmetic { op: op.symbol().to_owned(), ty: self.show(&ty) }, span);
                Type::Unknown
            }
        };
        if matches!(op, BinaryOp::Divide | BinaryOp::Modulo) && !self.nonzero(right) {
            self.can_fail("the divisor may be zero", span);
        }
        let (a, b) = (self.widen(a, &a_ty, &ty), self.widen(b, &b_ty, &ty));
        let ty = match (op, ty) {
            (BinaryOp::Modulo, Type::INT) => remainder_type(&b, &b_ty, right),
            (_, ty) => ty,
        };
        let op = match op {
            BinaryOp::Add => term::BinaryOp::Add,
            BinaryOp::Subtract => term::BinaryOp::Subtract,
            BinaryOp::Multiply => term::BinaryOp::Multiply,
            BinaryOp::Divide => term::BinaryOp::Divide,
            _ => term::BinaryOp::Modulo,
        };
        (Expr::Binary(op, Box::new(a), Box::new(b)), ty)
    }

    /// Two operands of one type.
    pub(super) fn same_type(&mut self, left: &tree::Expr, right: &tree::Expr) -> (Expr, Expr, Type) {
        // An empty literal takes its type from the other side, as does the name of a state or transition.
        let is_member = self.histories.is_some() && self.is_unbound_name(left) && !self.is_unbound_name(right);
        if needs_context(left) && !needs_context(right) || is_member {
            let (b, ty) = self.infer(right, None);
            let shape = ty.shape();
            if self.is_member_of_nothing(left, &shape) {
                return (Expr::TRUE, b, shape);
            }
            return (self.check(left, &shape), b, shape);
        }
        let (a, a_ty) = self.infer(left, None);
        if self.is_member_of_nothing(right, &a_ty) {
            return (a, Expr::TRUE, a_ty);
        }
        let (b, b_ty) = self.infer(right, Some(&a_ty.shape()));
        let ty = self.join(&a_ty.shape(), &b_ty.shape(), right.span);
        (self.widen(a, &a_ty, &ty), self.widen(b, &b_ty, &ty), ty)
    }

    /// Whether this may be the member of a list that is not there, which was reported.
    fn is_member_of_nothing(&self, e: &tree::Expr, list: &Type) -> bool {
        *list == Type::Unknown
            && self.histories.as_ref().is_some_and(|histories| histories.lists.is_some())
            && self.is_unbound_name(e)
    }

    /// Whether this is a name that means nothing by itself.
    fn is_unbound_name(&self, e: &tree::Expr) -> bool {
        match &e.kind {
            ExprKind::Name(name) => {
                self.list(e).is_none()
                    && !self.bindings.iter().any(|(bound, _)| bound == name)
                    && !self.names.constants.contains_key(name)
                    && !self.names.constructors.contains_key(name)
            }
            _ => false,
        }
    }

    /// The least type that holds both.
    fn join(&mut self, a: &Type, b: &Type, span: Span) -> Type {
        if a == b || matches!(b, Type::Unknown) {
            return a.clone();
        }
        if matches!(a, Type::Unknown) {
            return b.clone();
        }
        match (a.shape(), b.shape()) {
            (a, b) if fits(&a, &b) => {
                if a.has_unknown() {
                    b
                } else {
                    a
                }
            }
            (Type::INT, Type::Real) | (Type::Real, Type::INT) => Type::Real,
            _ => {
                self.report(Problem::Mismatch { expected: self.show(a), found: self.show(b) }, span);
                Type::Unknown
            }
        }
    }

    fn widen(&mut self, expr: Expr, from: &Type, to: &Type) -> Expr {
        if *to == Type::Real && from.shape() == Type::INT { Expr::ToReal(Box::new(expr)) } else { expr }
    }

    /// In a purpose a truth value that is put together is a condition, also where it is collected: negated twice it is seen to
    /// be one.
    fn as_condition(&self, e: Expr) -> Expr {
        match e {
            Expr::If(..) | Expr::Match(..) | Expr::Let(..) if self.histories.is_some() => {
                let not = |e| Expr::Unary(term::UnaryOp::Not, Box::new(e));
                not(not(e))
            }
            other => other,
        }
    }

    /// Something to run over, and the type of its members.
    pub fn over(&mut self, e: &tree::Expr) -> (Expr, Type) {
        let (expr, ty) = self.infer(e, None);
        let element = match base(&ty) {
            Type::List(t) | Type::Set(t) | Type::Map(t, _) => (**t).clone(),
            Type::Unknown => Type::Unknown,
            _ => {
                self.report(Problem::NotCollection { ty: self.show(&ty) }, e.span);
                Type::Unknown
            }
        };
        (expr, element)
    }

    fn comprehension(&mut self, c: &tree::Comprehension, expected: Option<&Type>) -> (Expr, Type) {
        let (over, element) = self.over(&c.over);
        self.nested(|s| {
            let local = s.bind_local(&c.variable.name, element);
            s.assume_member(&c.variable, &c.over);
            let condition = c.condition.as_ref().map(|e| {
                let expr = s.condition(e);
                s.assume(e);
                Box::new(expr)
            });
            let hint = expected.and_then(element_type);
            let (makes, key, (element, ty)) = match &c.makes {
                Made::List(e) => (Collection::List, None, s.branch(e, hint.as_ref())),
                Made::Set(e) => (Collection::Set, None, s.branch(e, hint.as_ref())),
                Made::Map(k, v) => {
                    let (key_hint, value_hint) = match expected.map(base) {
                        Some(Type::Map(k, v)) => (Some((**k).clone()), Some((**v).clone())),
                        _ => (None, None),
                    };
                    let key = s.branch(k, key_hint.as_ref());
                    (Collection::Map, Some(key), s.branch(v, value_hint.as_ref()))
                }
            };
            let result = match (&makes, &key) {
                (Collection::List, _) => Type::List(Box::new(ty)),
                (Collection::Map, Some((_, key_ty))) => Type::Map(Box::new(key_ty.clone()), Box::new(ty)),
                _ => Type::Set(Box::new(ty)),
            };
            let element = if *base(element_of(&result)) == Type::Bool { s.as_condition(element) } else { element };
            let key = key.map(|(key, _)| Box::new(key));
            let (over, element) = (Box::new(over), Box::new(element));
            (Expr::Comprehension { makes, local, over, condition, key, element }, result)
        })
    }
}

/// The remainder of a division by something that is not negative: less than it.
fn remainder_type(divisor: &Expr, ty: &Type, written: &tree::Expr) -> Type {
    let not_negative = match base(ty) {
        Type::Int { low: Some(term::Bound::Known(low)), .. } => !low.is_negative(),
        _ => matches!(divisor, Expr::Const(Value::Int(n)) if !n.is_negative()),
    };
    let high = match divisor {
        Expr::Const(Value::Int(n)) => term::Bound::Known(n - 1),
        Expr::Param(_) | Expr::Global(_) => {
            let one = Box::new(Expr::Const(Value::int(1)));
            let less = Expr::Binary(term::BinaryOp::Subtract, Box::new(divisor.clone()), one);
            term::Bound::Open(Box::new(less), format!("{} - 1", print_expr(written)))
        }
        _ => return Type::nat(),
    };
    Type::Int { low: Some(term::Bound::Known(BigInt::ZERO)), high: Some(high).filter(|_| not_negative) }
}

/// Whether the type of a literal must come from its surroundings.
fn needs_context(e: &tree::Expr) -> bool {
    match &e.kind {
        ExprKind::List(elements) | ExprKind::Set(elements) => elements.iter().all(needs_context),
        ExprKind::Name(name) => name == "None",
        _ => false,
    }
}

/// Whether two shapes are equal, unknown parts fitting everything.
pub(super) fn fits(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Unknown, _) | (_, Type::Unknown) => true,
        (Type::List(a), Type::List(b)) | (Type::Set(a), Type::Set(b)) | (Type::Option(a), Type::Option(b)) => {
            fits(a, b)
        }
        (Type::Map(k, v), Type::Map(l, w)) => fits(k, l) && fits(v, w),
        _ => a == b,
    }
}

/// Whether an element of some list is looked at.
pub(super) fn reads_lists(e: &Expr) -> bool {
    let mut found = false;
    e.map_leaves(&mut |leaf| {
        found |= matches!(leaf, Expr::Slot(_));
        None
    });
    found
}

/// The type under its refinements.
pub(super) fn base(ty: &Type) -> &Type {
    match ty {
        Type::Refined(_, inner) => base(inner),
        other => other,
    }
}

pub(super) fn element_type(ty: &Type) -> Option<Type> {
    match base(ty) {
        Type::List(t) | Type::Set(t) | Type::Option(t) => Some((**t).clone()),
        _ => None,
    }
}

/// The type of what a comprehension collects.
fn element_of(collection: &Type) -> &Type {
    match collection {
        Type::List(element) | Type::Set(element) | Type::Map(_, element) => element,
        other => other,
    }
}

fn has_open_bound(ty: &Type) -> bool {
    let mut open = false;
    ty.map_bounds(&mut |bound| {
        open |= matches!(bound, term::Bound::Open(..));
        bound.clone()
    });
    open
}

fn decimal(text: &str) -> BigRational {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits: BigInt = format!("{whole}{fraction}").parse().expect("digits are a number");
    BigRational::new(digits, BigInt::from(10).pow(fraction.len() as u32))
}
