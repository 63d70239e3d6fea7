//! Conformance of two models.
