//! L6. In random runs every value is in its type, and all engines agree on which steps exist.
