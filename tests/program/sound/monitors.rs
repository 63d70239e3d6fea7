//! Rules, formulas, charts and patterns, and what monitors make of them.
