//! Which thing a name means.
