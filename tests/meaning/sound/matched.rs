//! L4. Patterns with variables inside data against their definition.
