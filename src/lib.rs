//! Tracewright: from a model and a purpose to test runs with real data.
pub mod diagnostic;
pub mod model;
pub mod syntax;
pub mod term;
