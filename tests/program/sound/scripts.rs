//! Tests as code.
