//! Tracewright: from a model and a purpose to test runs with real data.
//!
//! The way through the program is the order of the modules: [`syntax`] reads text, [`model`] gives names a meaning,
//! [`kernel`] lowers every style of model to one step system and interprets it, [`history`] says what purposes ask of its
//! runs, [`search`] looks through its states, [`synth`] makes test cases of what is found, [`emit`] shows them. [`reach`]
//! says what control alone allows. [`term`] holds values, types and expressions; [`solve`] is the only module that knows Z3.
//!
//! ```
//! use tracewright::{kernel, model, search, syntax};
//!
//! let text = "sts Door {
//!     in open(), close()
//!     initial location Closed
//!     location Open
//!     Closed -> Open : ?open
//!     Open -> Closed : ?close
//! }";
//! let (sources, errors) = syntax::Sources::from_text("door.tw", text);
//! assert!(errors.is_empty());
//! let (checked, problems) = model::check(&sources);
//! assert!(problems.is_empty());
//! let door = model::assemble(&checked, None, Default::default()).expect("the only model");
//! let system = kernel::lower(&door).expect("a small model");
//! let graph = search::explore(&system, &Default::default(), &Default::default(), &mut ()).expect("finite");
//! assert_eq!((graph.states.len(), graph.edges.len()), (2, 2));
//! ```

pub mod api;
pub mod budget;
pub mod cli;
pub mod confirm;
pub mod conform;
pub mod criteria;
pub mod emit;
pub mod history;
pub mod kernel;
pub mod model;
pub mod monitor;
pub mod reach;
pub mod search;
pub mod solve;
pub mod synth;
pub mod term;

pub use api::{Comparison, Error, Found, Message, Model, Replayed, must_replay};
pub use serde_json::json;
pub use syntax::diagnostic;
pub use tracewright_syntax as syntax;

/// The page of the manual about the library, whose examples compile.
#[cfg(doctest)]
#[doc = include_str!("../docs/reference/library.md")]
pub struct Manual;
