//! Values that are open up to a bound, and types without values.
