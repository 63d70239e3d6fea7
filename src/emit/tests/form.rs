//! The one form of all test code: what is tested, and test by test what is sent, expected and allowed.
//!
//! Emitters and templates see this and nothing else. It is documented field by field in `docs/reference/test_code.md`. Tested by the test
//! code that is made of it.

use serde::Serialize;

/// All tests of one model.
#[derive(Clone, Debug, Serialize)]
pub struct Form {
    /// The model.
    pub model: String,
    /// `lockstep` or `gates`.
    pub style: &'static str,
    /// `gen` or `cover`.
    pub command: &'static str,
    /// The seed.
    pub seed: u64,
    /// Inputs of a lock-step system.
    pub inputs: Vec<Port>,
    /// Outputs of a lock-step system.
    pub outputs: Vec<Port>,
    /// Gates.
    pub gates: Vec<Gate>,
    /// Variables that have a value of their own in each test before it begins.
    pub initial: Vec<Port>,
    /// The tests.
    pub tests: Vec<Test>,
    /// What was asked for and has no test, with the answer: `wrong_order: impossible`.
    pub missing: Vec<String>,
}

/// Something that carries values.
#[derive(Clone, Debug, Serialize)]
pub struct Port {
    /// Name.
    pub name: String,
    /// Type, as it is written.
    #[serde(rename = "type")]
    pub ty: String,
    /// What a value of the type is at first sight.
    pub kind: ValueKind,
}

/// What can be seen of a value without a condition of the model.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum ValueKind {
    /// A truth value.
    Bool,
    /// A whole number.
    Int,
    /// A number.
    Real,
    /// A text.
    Text,
    /// One of some names.
    Enum {
        /// The names.
        names: Vec<String>,
    },
    /// A record with these fields.
    Record {
        /// Names and kinds of the fields.
        fields: Vec<(String, ValueKind)>,
    },
    /// Nothing on a channel, or a value.
    Optional {
        /// Of what kind.
        value: Box<ValueKind>,
    },
    /// A list.
    List {
        /// Of what kind its elements are.
        element: Box<ValueKind>,
    },
    /// A set.
    Set {
        /// Of what kind its members are.
        element: Box<ValueKind>,
    },
    /// A map.
    Map {
        /// Of what kind its keys are.
        key: Box<ValueKind>,
        /// Of what kind its values are.
        value: Box<ValueKind>,
    },
    /// A value of one of some constructors.
    Made {
        /// Their names, and the kinds of their arguments.
        constructors: Vec<(String, Vec<ValueKind>)>,
    },
    /// What lies so deep that it is only compared.
    Other,
}

/// A gate.
#[derive(Clone, Debug, Serialize)]
pub struct Gate {
    /// Name.
    pub name: String,
    /// `in` or `out`, as the system sees it.
    pub direction: &'static str,
    /// What is sent, or observed.
    pub params: Vec<Port>,
    /// What an input gives back.
    pub results: Vec<Port>,
}

/// One test.
#[derive(Clone, Debug, Serialize)]
pub struct Test {
    /// A plain word, each different: `order_2`.
    pub name: String,
    /// What a person calls it: `order, case 2`.
    pub title: String,
    /// The purpose, or the criteria.
    pub purpose: String,
    /// Constraints of the purpose, as written.
    pub constraints: Vec<String>,
    /// The class, as written.
    pub class: Option<String>,
    /// Why its data was chosen.
    pub reasons: Vec<String>,
    /// Whether its data meets the purpose; data just outside does not.
    pub meets: bool,
    /// Items it covers.
    pub covers: Vec<String>,
    /// Values before the first step.
    pub initial: Vec<Datum>,
    /// What is done.
    pub steps: Vec<Step>,
    /// What must hold of all that was observed for the purpose to be met.
    pub end: Condition,
}

/// A value with a name.
#[derive(Clone, Debug, Serialize)]
pub struct Datum {
    /// The parameter, input or output.
    pub name: String,
    /// Its value.
    pub value: Expr,
    /// As the language of models writes it.
    pub text: String,
}

/// One step of a test.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// The step of the run, from one.
    pub number: usize,
    /// What is done.
    pub kind: Kind,
    /// The gate; nothing for a lock-step system.
    pub gate: Option<String>,
    /// What is planned, on one line: `!gq(0, 1, 1)`.
    pub text: String,
    /// A plain word for what is observed, if a later step speaks of it.
    pub variable: Option<String>,
    /// What is sent.
    pub given: Vec<Datum>,
    /// Whether what is sent fits what was observed before; if not, the test is inconclusive.
    pub fits: Condition,
    /// What is observed, as planned.
    pub observed: Vec<Datum>,
    /// Whether the test goes on.
    pub expected: Condition,
    /// Whether that is so for nothing but the planned data.
    pub is_exact: bool,
    /// What makes the test inconclusive, because the model allows it.
    pub allowed: Vec<Allowed>,
    /// Whether everything else is a failure; otherwise it is inconclusive.
    pub is_all: bool,
    /// Whether silence, or a refusal, is inconclusive; otherwise it is a failure. For an attempt: whether taking it is.
    pub nothing: Condition,
}

impl Step {
    /// Whether what is observed is compared with what is expected.
    pub fn is_judged(&self) -> bool {
        self.kind == Kind::Expect || !self.observed.is_empty()
    }
}

/// Kinds of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Something is sent; what comes back is observed.
    Send,
    /// Something is expected.
    Expect,
    /// A step of a lock-step system: inputs are applied, outputs are observed.
    Tick,
    /// Something is sent that must be refused.
    Refused,
}

/// Something that the model allows.
#[derive(Clone, Debug, Serialize)]
pub struct Allowed {
    /// The gate; nothing for a lock-step system.
    pub gate: Option<String>,
    /// With which data.
    pub when: Condition,
}

/// A condition that is evaluated when the test is executed.
#[derive(Clone, Debug, Serialize)]
pub struct Condition {
    /// The condition. Where it is only used to be lenient, what cannot be said of it is left out.
    pub expr: Expr,
    /// As a person would write it.
    pub text: String,
}

/// An expression over observed data.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum Expr {
    /// A value.
    Value {
        /// The value.
        value: Literal,
    },
    /// Something observed.
    Seen {
        /// The place of the step among the steps of its test, from zero.
        step: usize,
        /// The variable of that step; nothing for the step that the condition belongs to.
        variable: Option<String>,
        /// The parameter or output.
        name: String,
        /// Fields of records, from the outside in.
        path: Vec<String>,
    },
    /// A sum.
    Sum {
        /// Its parts.
        args: Vec<Expr>,
    },
    /// A product of two numbers.
    Product {
        /// Its parts.
        args: Vec<Expr>,
    },
    /// A comparison of two values.
    Compare {
        /// `==`, `!=`, `<`, `<=`, `>` or `>=`; values that are no numbers are only compared by the first two.
        by: &'static str,
        /// The values.
        args: Vec<Expr>,
    },
    /// Negation.
    Not {
        /// What does not hold.
        args: Vec<Expr>,
    },
    /// Conjunction.
    And {
        /// Its parts.
        args: Vec<Expr>,
    },
    /// Disjunction.
    Or {
        /// Its parts.
        args: Vec<Expr>,
    },
    /// A constructor with arguments; for a record, field by field.
    Made {
        /// The constructor, or the record type.
        name: String,
        /// Names of the fields of a record.
        fields: Option<Vec<String>>,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// A list.
    List {
        /// Its elements.
        args: Vec<Expr>,
    },
}

impl Expr {
    /// Whether it is this truth value.
    pub fn is(&self, truth: bool) -> bool {
        matches!(self, Expr::Value { value: Literal::Bool { value } } if *value == truth)
    }
}

/// A value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Literal {
    /// Nothing on a channel.
    Absent,
    Bool {
        value: bool,
    },
    /// A whole number, in digits.
    Int {
        digits: String,
    },
    /// A rational number, in digits.
    Real {
        numerator: String,
        denominator: String,
    },
    Text {
        value: String,
    },
    /// A constructor of a type in which none has arguments.
    Enum {
        name: String,
    },
    /// A constructor with its arguments; `None` and `Some` too.
    Made {
        name: String,
        args: Vec<Literal>,
    },
    Record {
        name: String,
        fields: Vec<(String, Literal)>,
    },
    List {
        elements: Vec<Literal>,
    },
    Set {
        elements: Vec<Literal>,
    },
    Map {
        pairs: Vec<(Literal, Literal)>,
    },
}
