//! Types, values, expressions and their evaluation.
//!
//! Knows nothing of models: an expression refers to numbered places (slots of a state vector, locals of a frame), and what
//! they belong to is somebody else's business. The evaluator is the plain meaning of an expression, against which every
//! cleverer treatment is judged. Tested by laws of the operators and through the examples.

mod domain;
mod eval;
mod exists;
mod expr;
mod extent;
mod joined;
mod json;
mod names;
mod open;
mod operation;
mod rational;
mod show;
mod store;
mod symbolic;
mod terms;
mod text;
mod ty;
mod value;
mod walk;
mod written;

pub use domain::{DomainError, MAX_DOMAIN, finite_values};
pub use eval::{Env, Failure, Frame, Fuel, LimitKind, contains, eval, test};
pub use expr::{Arm, BinaryOp, Builtin, Collection, Expr, Function, Pattern, TextPattern, UnaryOp};
pub use extent::{Extent, extent};
pub use joined::{Renumbered, join};
pub use json::{from_json, to_json};
pub use names::{Stand, name_symbols};
pub use open::{Leaf, OpenPart, OpenValue, Opened, Role, Sizes, open, open_around};
pub use rational::{Fraction, Rational};
pub use show::Shown;
pub use store::{Assumed, Range, Store};
pub use symbolic::{OpenFrame, Partial, Symbolic, Unsupported};
pub use terms::{Node, Sort, Sum, Symbol, Term, Terms};
pub use text::matching;
pub use ty::{Bound, Constructor, DataType, Definitions, Refinement, Type, TypeId};
pub use value::Value;
pub use written::{Named, Written, from, one_of, up_to};
