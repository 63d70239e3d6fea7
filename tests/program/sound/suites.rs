//! Suites that cover a model.
