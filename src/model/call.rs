//! Typing of calls: constructors, users' functions, functions of the language.

use super::expr::{base, element_type};
use super::problem::{Problem, near};
use super::scope::Scope;
use crate::syntax::Span;
use crate::syntax::tree::{self, Arg, BinaryOp, ExprKind, Ident};
use crate::term::{Builtin, Definitions, Expr, Type, TypeId};

impl Scope<'_> {
    pub(super) fn call(&mut self, name: &Ident, args: &[Arg], expected: Option<&Type>, span: Span) -> (Expr, Type) {
        if name.name == "Some" {
            let hint = expected.and_then(element_type);
            let [Arg { name: None, value }] = args else {
                let problem = Problem::ArgumentCount { what: "Some".into(), expected: 1, found: args.len() };
                self.report(problem, span);
                return (Expr::TRUE, Type::Unknown);
            };
            let (value, ty) = self.infer(value, hint.as_ref());
            return (Expr::Construct(Definitions::OPTION, 1, vec![value]), Type::Option(Box::new(ty)));
        }
        if let Some((ty, constructor)) = self.names.constructors.get(&name.name) {
            return self.construct(*ty, *constructor, name, args, span);
        }
        if let Some(id) = self.names.functions.get(&name.name) {
            let function = &self.definitions.functions[*id];
            let (params, result) = (function.params.clone(), function.result.clone());
            if params.len() != args.len() {
                let problem =
                    Problem::ArgumentCount { what: name.name.clone(), expected: params.len(), found: args.len() };
                self.report(problem, span);
                return (Expr::TRUE, result);
            }
            let args = args.iter().zip(&params).map(|(arg, ty)| {
                self.by_position(name, arg);
                self.check(&arg.value, ty)
            });
            return (Expr::Call(*id, args.collect()), result);
        }
        if let Some((_, builtin, arity)) = Builtin::NAMED.iter().find(|(n, ..)| *n == name.name) {
            if args.len() != *arity {
                let problem = Problem::ArgumentCount { what: name.name.clone(), expected: *arity, found: args.len() };
                self.report(problem, span);
                return (Expr::TRUE, Type::Unknown);
            }
            args.iter().for_each(|arg| self.by_position(name, arg));
            let args: Vec<&tree::Expr> = args.iter().map(|a| &a.value).collect();
            return self.builtin(*builtin, &args, expected, span);
        }
        let known = Builtin::NAMED.iter().map(|(n, ..)| *n);
        let known = known.chain(self.names.functions.keys().map(String::as_str));
        let near = near(&name.name, known.chain(self.names.constructors.keys().map(String::as_str)));
        self.report(Problem::UnknownFunction { name: name.name.clone(), near }, name.span);
        (Expr::TRUE, Type::Unknown)
    }

    /// Functions take their arguments in order.
    fn by_position(&mut self, function: &Ident, arg: &Arg) {
        if let Some(name) = &arg.name {
            self.report(Problem::NamedArgument { what: function.name.clone() }, name.span);
        }
    }

    fn construct(&mut self, ty: TypeId, constructor: u32, name: &Ident, args: &[Arg], span: Span) -> (Expr, Type) {
        let data = &self.definitions.types[ty];
        let (fields, is_record) = (data.constructors[constructor as usize].fields.clone(), data.is_record);
        let values = self.arguments(&name.name, &fields, is_record, args, span);
        let values = values.into_iter().zip(&fields).map(|(value, (_, ty))| match value {
            Some(value) => self.check(value, ty),
            None => Expr::TRUE,
        });
        (Expr::Construct(ty, constructor, values.collect()), Type::Data(ty))
    }

    /// Brings arguments into the order of the fields and reports missing and unknown ones.
    pub fn arguments<'t>(
        &mut self,
        what: &str,
        fields: &[(String, Type)],
        by_name: bool,
        args: &'t [Arg],
        span: Span,
    ) -> Vec<Option<&'t tree::Expr>> {
        let before = self.problems.len();
        let values = self.ordered(what, fields, by_name, args, span);
        if self.problems.len() == before
            && let Some(missing) = values.iter().position(Option::is_none)
        {
            let problem = if args.iter().all(|a| a.name.is_none()) && !by_name {
                Problem::ArgumentCount { what: what.to_owned(), expected: fields.len(), found: args.len() }
            } else {
                Problem::MissingArgument { what: what.to_owned(), name: fields[missing].0.clone() }
            };
            self.report(problem, span);
        }
        values
    }

    /// Brings arguments into the order of the fields; some may be missing.
    pub fn ordered<'t>(
        &mut self,
        what: &str,
        fields: &[(String, Type)],
        by_name: bool,
        args: &'t [Arg],
        span: Span,
    ) -> Vec<Option<&'t tree::Expr>> {
        let mut values: Vec<Option<&tree::Expr>> = vec![None; fields.len()];
        for (position, arg) in args.iter().enumerate() {
            let index = match &arg.name {
                Some(name) => match fields.iter().position(|(f, _)| *f == name.name) {
                    Some(index) => index,
                    None => {
                        let near = near(&name.name, fields.iter().map(|(f, _)| f.as_str()));
                        let problem = Problem::UnknownArgument { what: what.to_owned(), name: name.name.clone(), near };
                        self.report(problem, name.span);
                        continue;
                    }
                },
                None if by_name && fields.len() > 1 => {
                    self.report(Problem::PositionalRecord { name: what.to_owned() }, arg.value.span);
                    return values;
                }
                None => position,
            };
            if index >= values.len() {
                let problem =
                    Problem::ArgumentCount { what: what.to_owned(), expected: fields.len(), found: args.len() };
                self.report(problem, span);
                return values;
            }
            if values[index].replace(&arg.value).is_some() {
                self.report(Problem::GivenTwice { name: fields[index].0.clone() }, arg.value.span);
            }
        }
        values
    }

    fn builtin(&mut self, id: Builtin, args: &[&tree::Expr], expected: Option<&Type>, span: Span) -> (Expr, Type) {
        if matches!(id, Builtin::Min | Builtin::Max) {
            let (a, b, ty) = self.same_type(args[0], args[1]);
            if !matches!(ty, Type::INT | Type::Real | Type::Unknown) {
                self.report(Problem::NotOrdered { ty: self.show(&ty) }, span);
            }
            return (Expr::Builtin(id, vec![a, b]), ty);
        }
        // A collection made of the first argument says of which type that must be.
        let types = id.function().types;
        let is_made_of_it = |shape: &Type| {
            !matches!(*shape, Type::INT | Type::Real) && types(shape).is_some_and(|(_, result)| result == *shape)
        };
        let hint = expected.map(Type::shape).filter(is_made_of_it);
        let (first, ty) = self.infer(args[0], hint.as_ref());
        if ty == Type::Unknown {
            return (first, Type::Unknown);
        }
        let shape = ty.shape();
        let not_for_this = |s: &mut Self| {
            let name = Builtin::NAMED.iter().find(|(_, b, _)| *b == id).map_or("[]", |(n, ..)| n);
            s.report(Problem::NotArithmetic { op: name.to_owned(), ty: s.show(&ty) }, args[0].span);
            (Expr::TRUE, Type::Unknown)
        };
        // Types of the other arguments, and of the result.
        let Some((others, result)) = types(base(&ty)) else { return not_for_this(self) };
        if matches!(id, Builtin::Head | Builtin::Tail | Builtin::Last) && !self.nonempty(args[0]) {
            self.can_fail("the list may be empty", span);
        }
        if id == Builtin::Put && matches!(shape, Type::List(_)) {
            self.can_fail("this index may be outside the list", span);
        }
        // What is put into a collection of a narrow type may be outside of it; then the result is only of its shape.
        let mut keeps = true;
        let mut exprs = vec![first];
        for (arg, ty) in args[1..].iter().zip(&others) {
            let (expr, found) = self.infer(arg, Some(&ty.shape()));
            keeps &= !ty.is_narrow() || found == *ty || self.stays_inside(arg, &expr, ty);
            exprs.push(self.coerce(expr, &found, &ty.shape(), arg.span));
        }
        (Expr::Builtin(id, exprs), if keeps { result } else { result.shape() })
    }

    fn nonempty(&self, list: &tree::Expr) -> bool {
        self.supposed().any(|fact| match &fact.kind {
            ExprKind::Binary(BinaryOp::NotEqual, a, b) => {
                **a == *list && matches!(&b.kind, ExprKind::List(elements) if elements.is_empty())
            }
            ExprKind::Binary(BinaryOp::Greater, a, b) => {
                let size = matches!(&a.kind, ExprKind::Call(f, args) if f.name == "size" && args[0].value == *list);
                size && matches!(&b.kind, ExprKind::Int(_))
            }
            _ => false,
        })
    }
}
