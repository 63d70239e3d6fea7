//! The syntax tree: what was written, with the place of everything, before any name has a meaning.

use super::span::Span;

mod chart;
mod expr;
mod machine;
mod purpose;
mod service;
mod system;
mod temporal;

pub use chart::*;
pub use expr::*;
pub use machine::*;
pub use purpose::*;
pub use service::*;
pub use system::*;
pub use temporal::*;

/// Deepest nesting of expressions, types and compositions; deeper ones are reported, not built.
pub const MAX_NESTING: u32 = 500;

/// A comment, with its markers.
#[derive(Clone, Debug, PartialEq)]
pub struct Comment {
    /// The text, with `//` or `/* */`.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// One source file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct File {
    /// Declarations in order. Those that could not be read are left out.
    pub items: Vec<Item>,
    /// All comments in order.
    pub comments: Vec<Comment>,
}

/// A name and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: String,
    /// Its place.
    pub span: Span,
}

/// A declaration.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Item {
    Import(Import),
    Const(ConstDecl),
    Type(TypeDecl),
    Fun(FunDecl),
    Machine(Machine),
    System(System),
    Composition(Composition),
    Service(Service),
    Purpose(Purpose),
    Rule(Rule),
    Pool(Pool),
    Chart(Chart),
    Scenario(Scenario),
}

/// `import "file.tw"`
#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    /// The path as written.
    pub path: String,
    /// Place of the whole declaration.
    pub span: Span,
}

/// `const N: Int = 3`
#[derive(Clone, Debug, PartialEq)]
pub struct ConstDecl {
    /// Name.
    pub name: Ident,
    /// Type, if written.
    pub ty: Option<TypeExpr>,
    /// Value.
    pub value: Expr,
    /// Place of the whole declaration.
    pub span: Span,
}

/// `type Name = ...`
#[derive(Clone, Debug, PartialEq)]
pub struct TypeDecl {
    /// Name.
    pub name: Ident,
    /// What it stands for.
    pub body: TypeBody,
    /// Place of the whole declaration.
    pub span: Span,
}

/// The right side of a type declaration.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeBody {
    /// Another type, perhaps narrowed by a condition on `it`.
    Alias {
        /// The type.
        base: TypeExpr,
        /// The condition after `where`.
        refinement: Option<Expr>,
    },
    /// `A | B(Int, next: T)`
    Variants(Vec<Variant>),
    /// `{ name: String, amount: Int }`
    Record(Vec<Field>),
}

/// One constructor of an algebraic type.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Name.
    pub name: Ident,
    /// Arguments; empty for a plain constant.
    pub fields: Vec<VariantField>,
    /// Place.
    pub span: Span,
}

/// An argument of a constructor, named or not.
#[derive(Clone, Debug, PartialEq)]
pub struct VariantField {
    /// Name, if written.
    pub name: Option<Ident>,
    /// Type.
    pub ty: TypeExpr,
}

/// A name with a type: a field, a channel, a gate's parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Name.
    pub name: Ident,
    /// Type.
    pub ty: TypeExpr,
}

/// A type as written.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeExpr {
    /// What it is.
    pub kind: TypeExprKind,
    /// Place.
    pub span: Span,
    /// Nesting depth.
    pub depth: u32,
}

/// Forms of a type.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeExprKind {
    /// `Int`, `List<Int>`
    Named {
        /// Name.
        name: Ident,
        /// Arguments in angle brackets.
        args: Vec<TypeExpr>,
    },
    /// `0..9`
    Range(Box<Expr>, Box<Expr>),
    /// Nested too deeply; reported already.
    Error,
}

/// `fun f(x: Int): Int = ...`
#[derive(Clone, Debug, PartialEq)]
pub struct FunDecl {
    /// Name.
    pub name: Ident,
    /// Parameters.
    pub params: Vec<Param>,
    /// Type of the result.
    pub result: TypeExpr,
    /// Body.
    pub body: Expr,
    /// Place of the whole declaration.
    pub span: Span,
}

/// A parameter of a function, model, purpose or rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Name.
    pub name: Ident,
    /// Type; rules may leave it out.
    pub ty: Option<TypeExpr>,
    /// Value when none is given.
    pub default: Option<Expr>,
}

/// `data order.n { 2: 5, 3..9 }`
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// What it is for: a type, an input, `gate.parameter`, a variable with its instances.
    pub path: Vec<Ident>,
    /// The values.
    pub entries: Vec<PoolEntry>,
    /// Place of the whole declaration.
    pub span: Span,
}

/// A value of a pool, or a range of values.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolEntry {
    /// The value or the range.
    pub values: Expr,
    /// How often each value is chosen, compared with others; once if nothing is written.
    pub weight: Option<Expr>,
}

impl Item {
    /// Place of the whole declaration.
    pub fn span(&self) -> Span {
        match self {
            Item::Import(x) => x.span,
            Item::Const(x) => x.span,
            Item::Type(x) => x.span,
            Item::Fun(x) => x.span,
            Item::Machine(x) => x.span,
            Item::System(x) => x.span,
            Item::Composition(x) => x.span,
            Item::Service(x) => x.span,
            Item::Purpose(x) => x.span,
            Item::Rule(x) => x.span,
            Item::Pool(x) => x.span,
            Item::Chart(x) => x.span,
            Item::Scenario(x) => x.span,
        }
    }
}
