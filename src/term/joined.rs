//! The definitions of two models as one, so that values can pass between them.
//!
//! Data types that are declared alike (the same name, constructors and fields) are one type afterwards; everything else of
//! the second model is numbered after what the first one has.

use super::expr::{Arm, Expr, Function, Pattern};
use super::ty::{Bound, Constructor, DataType, Definitions, Refinement, Type, TypeId};
use super::value::Value;

/// Where the definitions of the second model have gone.
#[derive(Clone, Debug)]
pub struct Renumbered {
    types: Vec<TypeId>,
    refinements: usize,
    functions: usize,
    constants: usize,
}

/// Definitions of both, with those of the first as they were.
pub fn join(first: &Definitions, second: &Definitions) -> (Definitions, Renumbered) {
    let alike = alike(first, second);
    let mut next = first.types.len();
    let mut types = vec![];
    for found in &alike {
        types.push(found.unwrap_or(next));
        next += usize::from(found.is_none());
    }
    let renumbered = Renumbered {
        types,
        refinements: first.refinements.len(),
        functions: first.functions.len(),
        constants: first.constants.len(),
    };
    let mut joined = first.clone();
    for (ty, found) in second.types.iter().zip(alike) {
        if found.is_none() {
            joined.types.push(renumbered.data_type(ty));
        }
    }
    joined.refinements.extend(second.refinements.iter().map(|refinement| Refinement {
        name: refinement.name.clone(),
        condition: renumbered.expr(&refinement.condition),
    }));
    joined.functions.extend(second.functions.iter().map(|function| Function {
        name: function.name.clone(),
        params: function.params.iter().map(|ty| renumbered.ty(ty)).collect(),
        result: renumbered.ty(&function.result),
        body: renumbered.expr(&function.body),
    }));
    joined.constants.extend(second.constants.iter().map(|c| c.as_ref().map(|value| renumbered.value(value))));
    (joined, renumbered)
}

/// For each type of the second model the type of the first that is declared alike: the most that can be claimed without
/// contradiction, since types may speak of each other.
fn alike(first: &Definitions, second: &Definitions) -> Vec<Option<TypeId>> {
    let named = |ty: &DataType| first.types.iter().position(|other| other.name == ty.name);
    let mut found: Vec<Option<TypeId>> = second.types.iter().map(named).collect();
    loop {
        let keeps = |(ty, claimed): (&DataType, &Option<TypeId>)| {
            claimed.filter(|id| {
                let other = &first.types[*id];
                let same = |(a, b): (&Constructor, &Constructor)| {
                    a.name == b.name
                        && a.fields.len() == b.fields.len()
                        && (a.fields.iter().zip(&b.fields))
                            .all(|((a, t), (b, u))| a == b && same_type(t, u, &found, first, second))
                };
                other.is_record == ty.is_record
                    && other.constructors.len() == ty.constructors.len()
                    && other.constructors.iter().zip(&ty.constructors).all(same)
            })
        };
        let next: Vec<Option<TypeId>> = second.types.iter().zip(&found).map(keeps).collect();
        if next == found {
            return found;
        }
        found = next;
    }
}

/// Whether a type of the first model is one of the second, as far as claims go.
fn same_type(a: &Type, b: &Type, claims: &[Option<TypeId>], first: &Definitions, second: &Definitions) -> bool {
    let same = |a: &Type, b: &Type| same_type(a, b, claims, first, second);
    match (a, b) {
        (Type::Data(a), Type::Data(b)) => claims[*b] == Some(*a),
        (Type::List(a), Type::List(b)) | (Type::Set(a), Type::Set(b)) | (Type::Option(a), Type::Option(b)) => {
            same(a, b)
        }
        (Type::Map(k, v), Type::Map(l, w)) => same(k, l) && same(v, w),
        (Type::Refined(i, a), Type::Refined(j, b)) => first.refinements[*i] == second.refinements[*j] && same(a, b),
        (a, b) => a == b,
    }
}

impl Renumbered {
    /// A type.
    pub fn ty(&self, ty: &Type) -> Type {
        let boxed = |t: &Type| Box::new(self.ty(t));
        match ty {
            Type::Data(id) => Type::Data(self.data(*id)),
            Type::Refined(id, t) => Type::Refined(id + self.refinements, boxed(t)),
            Type::List(t) => Type::List(boxed(t)),
            Type::Set(t) => Type::Set(boxed(t)),
            Type::Option(t) => Type::Option(boxed(t)),
            Type::Map(k, v) => Type::Map(boxed(k), boxed(v)),
            Type::Int { .. } => ty.map_bounds(&mut |bound| match bound {
                Bound::Known(_) => bound.clone(),
                Bound::Open(expr, written) => Bound::Open(Box::new(self.expr(expr)), written.clone()),
            }),
            Type::Bool | Type::Real | Type::Text | Type::Unknown => ty.clone(),
        }
    }

    fn data(&self, id: TypeId) -> TypeId {
        if id == Definitions::OPTION { id } else { self.types[id] }
    }

    fn data_type(&self, ty: &DataType) -> DataType {
        let fields = |c: &Constructor| c.fields.iter().map(|(name, ty)| (name.clone(), self.ty(ty))).collect();
        let constructors = ty.constructors.iter();
        let constructors = constructors.map(|c| Constructor { name: c.name.clone(), fields: fields(c) }).collect();
        DataType { name: ty.name.clone(), constructors, is_record: ty.is_record, is_narrow: ty.is_narrow }
    }

    /// A value.
    pub fn value(&self, value: &Value) -> Value {
        match value {
            Value::Data(id, constructor, args) => {
                Value::Data(self.data(*id), *constructor, args.iter().map(|arg| self.value(arg)).collect())
            }
            Value::List(items) => Value::List(std::sync::Arc::new(items.iter().map(|v| self.value(v)).collect())),
            Value::Set(items) => Value::Set(std::sync::Arc::new(items.iter().map(|v| self.value(v)).collect())),
            Value::Map(pairs) => {
                let pairs = pairs.iter().map(|(k, v)| (self.value(k), self.value(v)));
                Value::Map(std::sync::Arc::new(pairs.collect()))
            }
            Value::Absent | Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Text(_) => value.clone(),
        }
    }

    /// An expression.
    pub fn expr(&self, expr: &Expr) -> Expr {
        let boxed = |e: &Expr| Box::new(self.expr(e));
        let all = |es: &[Expr]| es.iter().map(|e| self.expr(e)).collect();
        expr.map_leaves(&mut |part| {
            Some(match part {
                Expr::Const(value) => Expr::Const(self.value(value)),
                Expr::Global(id) => Expr::Global(id + self.constants),
                Expr::Call(id, args) => Expr::Call(id + self.functions, all(args)),
                Expr::Construct(id, constructor, args) => Expr::Construct(self.data(*id), *constructor, all(args)),
                Expr::Match(e, arms) => {
                    let arm = |arm: &Arm| Arm {
                        pattern: self.pattern(&arm.pattern),
                        guard: arm.guard.as_ref().map(|guard| self.expr(guard)),
                        body: self.expr(&arm.body),
                    };
                    Expr::Match(boxed(e), arms.iter().map(arm).collect())
                }
                Expr::Test(e, pattern) => Expr::Test(boxed(e), self.pattern(pattern)),
                Expr::Narrow(e, ty) => Expr::Narrow(boxed(e), self.ty(ty)),
                _ => return None,
            })
        })
    }

    fn pattern(&self, pattern: &Pattern) -> Pattern {
        match pattern {
            Pattern::Any | Pattern::Absent | Pattern::Bind(_) => pattern.clone(),
            Pattern::Equal(e) => Pattern::Equal(Box::new(self.expr(e))),
            Pattern::Data(id, constructor, parts) => {
                Pattern::Data(self.data(*id), *constructor, parts.iter().map(|part| self.pattern(part)).collect())
            }
            Pattern::List { elements, rest } => {
                Pattern::List { elements: elements.iter().map(|part| self.pattern(part)).collect(), rest: *rest }
            }
        }
    }
}
