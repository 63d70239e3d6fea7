//! The meaning of expressions.

use super::Asked;
