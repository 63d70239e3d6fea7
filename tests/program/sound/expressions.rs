//! Expressions over open values.
