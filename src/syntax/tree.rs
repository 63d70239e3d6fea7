//! The syntax tree: what was written, with the place of everything, before any name has a meaning.

use num_bigint::BigInt;

use super::span::Span;

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

/// Which kind of machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineKind {
    /// Channels, lock-step.
    Component,
    /// Gates with data.
    Sts,
}

/// A component or a symbolic transition system.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Which of the two.
    pub kind: MachineKind,
    /// Name.
    pub name: Ident,
    /// Parameters.
    pub params: Vec<Param>,
    /// Declarations, states and transitions in order.
    pub members: Vec<Member>,
    /// Place of the whole declaration.
    pub span: Span,
}

/// Direction of a channel or gate, seen from the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// From the environment.
    In,
    /// To the environment.
    Out,
}

/// A member of a machine.
#[derive(Clone, Debug, PartialEq)]
pub enum Member {
    /// `in set: Int` or `out rq(prod: Nat)`.
    Ports {
        /// Direction.
        direction: Direction,
        /// What is declared.
        ports: Vec<Port>,
        /// Place.
        span: Span,
    },
    /// `var t: Int = 0`
    Vars {
        /// The variables.
        vars: Vec<VarDecl>,
        /// Place.
        span: Span,
    },
    /// `initial state A`, `location B, C`
    States {
        /// Whether the word `initial` stands there.
        initial: bool,
        /// `state` or `location`.
        kind: MachineKind,
        /// Names.
        names: Vec<Ident>,
        /// Place.
        span: Span,
    },
    /// `A -> B : label when guard do updates`
    Transition(Transition),
    /// `action ?gate(x: T): R = e when guard do updates`
    Action(Action),
}

/// A channel (no parameters in brackets, a type) or a gate.
#[derive(Clone, Debug, PartialEq)]
pub enum Port {
    /// `set: Int`
    Channel(Field),
    /// `rq(prod: Nat, quant: Nat): Bool`
    Gate(GateDecl),
}

/// A gate with its parameters and perhaps a result.
#[derive(Clone, Debug, PartialEq)]
pub struct GateDecl {
    /// Name.
    pub name: Ident,
    /// Parameters.
    pub params: Vec<Field>,
    /// Type of the result, which is one more parameter called `result`.
    pub result: Option<TypeExpr>,
}

/// A variable with its initial value.
#[derive(Clone, Debug, PartialEq)]
pub struct VarDecl {
    /// Name.
    pub name: Ident,
    /// Type, if written.
    pub ty: Option<TypeExpr>,
    /// Initial value.
    pub init: Init,
}

/// Initial value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// A value.
    Value(Expr),
    /// `any`: open.
    Any(Span),
}

/// A transition of a component or a switch of an sts.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// State it leaves.
    pub source: Ident,
    /// State it enters.
    pub target: Ident,
    /// Its name, if given.
    pub name: Option<Ident>,
    /// For an sts: the gate or `tau`.
    pub event: Option<EventUse>,
    /// The guard.
    pub guard: Option<Expr>,
    /// Updates and messages.
    pub effects: Vec<Effect>,
    /// Place.
    pub span: Span,
}

/// What a switch does at its gate.
#[derive(Clone, Debug, PartialEq)]
pub enum EventUse {
    /// `?gate(args): result`
    Gate {
        /// `?` or `!`.
        direction: Direction,
        /// The gate.
        gate: Ident,
        /// Arguments: fresh names bind, everything else is compared.
        args: Vec<Expr>,
        /// The argument for the result.
        result: Option<Expr>,
        /// Place.
        span: Span,
    },
    /// An internal step.
    Tau(Span),
}

/// A guarded action of a machine without locations: gate and switch in one.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// `?` (default) or `!`.
    pub direction: Direction,
    /// Gate with parameters and type of the result.
    pub gate: GateDecl,
    /// The result's value.
    pub result: Option<Expr>,
    /// The guard.
    pub guard: Option<Expr>,
    /// Updates.
    pub effects: Vec<Effect>,
    /// Place.
    pub span: Span,
}

/// One effect after `do`.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// `x := e`, `m[k] := e`, `r.f := e`
    Assign {
        /// The place that changes: a name with indices and fields.
        target: Expr,
        /// New value.
        value: Expr,
        /// Place.
        span: Span,
    },
    /// `c!e if g`
    Send {
        /// The channel.
        channel: Ident,
        /// The message.
        value: Expr,
        /// Send only if this holds.
        condition: Option<Expr>,
        /// Place.
        span: Span,
    },
}

/// A lock-step system.
#[derive(Clone, Debug, PartialEq)]
pub struct System {
    /// Name.
    pub name: Ident,
    /// Parameters.
    pub params: Vec<Param>,
    /// Instances and connections in order.
    pub members: Vec<SystemMember>,
    /// Place.
    pub span: Span,
}

/// A member of a system.
#[derive(Clone, Debug, PartialEq)]
pub enum SystemMember {
    /// `b: Blinker(3)` or `n[i in 1..3]: Node(i)`
    Instance(Instance),
    /// `a.x -> b.y`
    Connection(Connection),
    /// `for i in 1..3 { ... }`
    For {
        /// The index.
        variable: Ident,
        /// Its values.
        over: Expr,
        /// Connections for each of them.
        connections: Vec<Connection>,
        /// Place.
        span: Span,
    },
}

/// An instance, or an indexed family of instances, of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Name.
    pub name: Ident,
    /// Index variable and its values.
    pub index: Option<(Ident, Expr)>,
    /// The model and its arguments.
    pub model: ModelUse,
    /// Place.
    pub span: Span,
}

/// A model's name with arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelUse {
    /// Name.
    pub name: Ident,
    /// Arguments.
    pub args: Vec<Arg>,
    /// Place.
    pub span: Span,
}

/// An argument, by position or by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Arg {
    /// Name, if written.
    pub name: Option<Ident>,
    /// Value.
    pub value: Expr,
}

/// A connection from one port to others.
#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    /// The writer.
    pub from: Endpoint,
    /// The readers.
    pub to: Vec<Endpoint>,
    /// Place.
    pub span: Span,
}

/// An end of a connection.
#[derive(Clone, Debug, PartialEq)]
pub struct Endpoint {
    /// `in` or `out` for a port of the system itself.
    pub border: Option<Direction>,
    /// Names with indices: `n[i].port`.
    pub path: Vec<(Ident, Option<Expr>)>,
    /// Place.
    pub span: Span,
}

/// `system S = A || B`
#[derive(Clone, Debug, PartialEq)]
pub struct Composition {
    /// Name.
    pub name: Ident,
    /// Parameters.
    pub params: Vec<Param>,
    /// What it is made of.
    pub process: Process,
    /// Place.
    pub span: Span,
}

/// A composition of models.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// What it is.
    pub kind: ProcessKind,
    /// Place.
    pub span: Span,
    /// Nesting depth.
    pub depth: u32,
}

/// How two models run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parallel {
    /// `||`: together on the gates both know, alone on the others.
    Handshake,
    /// `|||`: each on its own.
    Interleave,
}

/// Forms of a composition.
#[derive(Clone, Debug, PartialEq)]
pub enum ProcessKind {
    /// `name: Model(args)`
    Model {
        /// Name of the instance.
        label: Option<Ident>,
        /// The model.
        model: ModelUse,
    },
    /// `A || B`
    Parallel(Parallel, Box<Process>, Box<Process>),
    /// `|| i in 1..3: P`
    Replicated {
        /// How the copies run together.
        operator: Parallel,
        /// Index.
        variable: Ident,
        /// Its values.
        over: Expr,
        /// What is copied.
        body: Box<Process>,
    },
    /// `P hide { a, b }`
    Hide(Box<Process>, Vec<GateName>),
    /// `P rename { a -> b }`
    Rename(Box<Process>, Vec<(GateName, GateName)>),
    /// Nested too deeply; reported already.
    Error,
}

/// A gate's name, perhaps with an index: `rq[i]`.
#[derive(Clone, Debug, PartialEq)]
pub struct GateName {
    /// Name.
    pub name: Ident,
    /// Index.
    pub index: Option<Expr>,
}

/// An interactive service.
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    /// Name.
    pub name: Ident,
    /// Parameters.
    pub params: Vec<Param>,
    /// Members in order.
    pub members: Vec<ServiceMember>,
    /// Place.
    pub span: Span,
}

/// A member of a service.
#[derive(Clone, Debug, PartialEq)]
pub enum ServiceMember {
    /// `event name: T, quit`
    Events {
        /// Names, with the type of the value if they carry one.
        events: Vec<(Ident, Option<TypeExpr>)>,
        /// Place.
        span: Span,
    },
    /// `var x: T = e`
    Vars {
        /// The variables.
        vars: Vec<VarDecl>,
        /// Place.
        span: Span,
    },
    /// `node n : collect { ... } do ... -> next`
    Collect {
        /// Name.
        name: Ident,
        /// Predicates in order, each with an optional violation target.
        predicates: Vec<(Expr, Option<Ident>)>,
        /// Effects when it is left.
        effects: Vec<Effect>,
        /// Next node.
        target: Ident,
        /// Place.
        span: Span,
    },
    /// `node n : choose { e -> m, ... }`
    Choose {
        /// Name.
        name: Ident,
        /// Events and next nodes.
        choices: Vec<(Ident, Ident)>,
        /// Place.
        span: Span,
    },
}

/// A purpose: constraints on the history lists of one model.
#[derive(Clone, Debug, PartialEq)]
pub struct Purpose {
    /// Name.
    pub name: Ident,
    /// Parameters.
    pub params: Vec<Param>,
    /// The model.
    pub model: ModelUse,
    /// Constraints in order.
    pub constraints: Vec<Constraint>,
    /// Place.
    pub span: Span,
}

/// A constraint of a purpose.
#[derive(Clone, Debug, PartialEq)]
pub enum Constraint {
    /// `length <= 12`, `length 7`
    Length {
        /// The relation; equality if none is written.
        relation: BinaryOp,
        /// The bound.
        bound: Expr,
        /// Place.
        span: Span,
    },
    /// `cover transitions`
    Cover {
        /// The criterion.
        criterion: Ident,
        /// Place.
        span: Span,
    },
    /// `classes interval { -1, 2..10, > 10 }`
    Classes {
        /// The list.
        list: Expr,
        /// The classes.
        classes: Vec<Class>,
        /// Place.
        span: Span,
    },
    /// `expect impossible`
    Expect {
        /// The answer that is wished.
        answer: Ident,
        /// Place.
        span: Span,
    },
    /// A formula over rules.
    Formula(Formula),
}

/// A class of values.
#[derive(Clone, Debug, PartialEq)]
pub enum Class {
    /// One value, or a range.
    Value(Expr),
    /// `> 10`
    Relation(BinaryOp, Expr),
}

/// A Boolean combination of rules and conditions.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// What it is.
    pub kind: FormulaKind,
    /// Place.
    pub span: Span,
    /// Nesting depth.
    pub depth: u32,
}

/// Forms of a formula.
#[derive(Clone, Debug, PartialEq)]
pub enum FormulaKind {
    /// `before(a, b) on t.fired`, or a condition
    Atom {
        /// Rule use or condition.
        expr: Expr,
        /// The list it looks at.
        on: Option<Expr>,
    },
    /// `a and b`
    And(Box<Formula>, Box<Formula>),
    /// `a or b`
    Or(Box<Formula>, Box<Formula>),
    /// `not a`
    Not(Box<Formula>),
    /// `some n: Int: f`
    Some {
        /// The variable.
        variable: Ident,
        /// Its type.
        ty: Option<TypeExpr>,
        /// The formula.
        body: Box<Formula>,
    },
    /// Nested too deeply; reported already.
    Error,
}

/// A history rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Name.
    pub name: Ident,
    /// Parameters.
    pub params: Vec<Param>,
    /// Clauses in order.
    pub clauses: Vec<Clause>,
    /// Place.
    pub span: Span,
}

/// A clause of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// The condition on the element; none for `else`.
    pub guard: Option<Expr>,
    /// What the rule becomes.
    pub becomes: Formula,
    /// Place.
    pub span: Span,
}

/// An expression or pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Place.
    pub span: Span,
    /// Nesting depth.
    pub depth: u32,
}

/// Forms of an expression. Patterns are written as expressions; which names bind is decided where they stand.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A name.
    Name(String),
    /// A whole number.
    Int(BigInt),
    /// A decimal number, as written.
    Decimal(String),
    /// A text.
    Text(String),
    /// `true`, `false`
    Bool(bool),
    /// `absent`
    Absent,
    /// `_`
    Wildcard,
    /// `..rest` at the end of a list pattern; no name for `..`.
    Rest(Option<Ident>),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `{a, b}`; `{}` is the empty set or the empty map
    Set(Vec<Expr>),
    /// `{k: v}`
    Map(Vec<(Expr, Expr)>),
    /// `f(a, name: b)`: a function, constructor, record or rule.
    Call(Ident, Vec<Arg>),
    /// `r with (f: e)`
    With(Box<Expr>, Vec<Arg>),
    /// `m[k]`
    Index(Box<Expr>, Box<Expr>),
    /// `r.f`
    Field(Box<Expr>, Ident),
    /// `-a`, `!a`
    Unary(UnaryOp, Box<Expr>),
    /// `a + b`
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a..b`
    Range(Box<Expr>, Box<Expr>),
    /// `if a then b else c`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `match e { p => a, q if g => b }`
    Match(Box<Expr>, Vec<Arm>),
    /// `let x = a; b`
    Let(Ident, Box<Expr>, Box<Expr>),
    /// `forall x in s: p`
    Quantified(Quantifier, Ident, Box<Expr>, Box<Expr>),
    /// `[e for x in s if g]`, and with braces a set or a map
    Comprehension(Box<Comprehension>),
    /// `c?p`
    Receive(Box<Expr>, Box<Expr>),
    /// Nested too deeply; reported already.
    Error,
}

/// An arm of a `match`.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// The pattern.
    pub pattern: Expr,
    /// The condition after `if`.
    pub guard: Option<Expr>,
    /// The value.
    pub body: Expr,
}

/// `forall` or `exists`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// All members.
    Forall,
    /// Some member.
    Exists,
}

/// A list, set or map described by a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Comprehension {
    /// What is made.
    pub makes: Made,
    /// The loop's variable.
    pub variable: Ident,
    /// What it runs over.
    pub over: Expr,
    /// Which members count.
    pub condition: Option<Expr>,
}

/// What a comprehension makes.
#[derive(Clone, Debug, PartialEq)]
pub enum Made {
    /// `[e for ...]`
    List(Expr),
    /// `{e for ...}`
    Set(Expr),
    /// `{k: v for ...}`
    Map(Expr, Expr),
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Negate,
    Not,
}

/// Infix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
    In,
    Matches,
    Add,
    Subtract,
    Concat,
    Multiply,
    Divide,
    Modulo,
}

impl BinaryOp {
    /// The operator as written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Or => "||",
            BinaryOp::And => "&&",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::Less => "<",
            BinaryOp::AtMost => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::AtLeast => ">=",
            BinaryOp::In => "in",
            BinaryOp::Matches => "matches",
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Concat => "++",
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Modulo => "%",
        }
    }

    /// How tightly it binds; comparisons (3) do not chain, the others group to the left.
    pub fn precedence(self) -> u8 {
        match self {
            BinaryOp::Or => 1,
            BinaryOp::And => 2,
            BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::AtMost
            | BinaryOp::Greater
            | BinaryOp::AtLeast
            | BinaryOp::In
            | BinaryOp::Matches => 3,
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Concat => 4,
            BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo => 5,
        }
    }
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
        }
    }
}

impl Expr {
    /// The expressions directly inside this one.
    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Name(_)
            | ExprKind::Int(_)
            | ExprKind::Decimal(_)
            | ExprKind::Text(_)
            | ExprKind::Bool(_)
            | ExprKind::Absent
            | ExprKind::Wildcard
            | ExprKind::Rest(_)
            | ExprKind::Error => vec![],
            ExprKind::List(es) | ExprKind::Set(es) => es.iter().collect(),
            ExprKind::Map(entries) => entries.iter().flat_map(|(k, v)| [k, v]).collect(),
            ExprKind::Call(_, args) => args.iter().map(|a| &a.value).collect(),
            ExprKind::With(e, args) => std::iter::once(&**e).chain(args.iter().map(|a| &a.value)).collect(),
            ExprKind::Index(a, b)
            | ExprKind::Binary(_, a, b)
            | ExprKind::Range(a, b)
            | ExprKind::Let(_, a, b)
            | ExprKind::Quantified(_, _, a, b)
            | ExprKind::Receive(a, b) => vec![a, b],
            ExprKind::Field(e, _) | ExprKind::Unary(_, e) => vec![e],
            ExprKind::If(a, b, c) => vec![a, b, c],
            ExprKind::Match(e, arms) => {
                let in_arms = arms.iter().flat_map(|a| [Some(&a.pattern), a.guard.as_ref(), Some(&a.body)]).flatten();
                std::iter::once(&**e).chain(in_arms).collect()
            }
            ExprKind::Comprehension(c) => {
                let mut out = vec![&c.over];
                out.extend(&c.condition);
                match &c.makes {
                    Made::List(e) | Made::Set(e) => out.push(e),
                    Made::Map(k, v) => out.extend([k, v]),
                }
                out
            }
        }
    }
}
