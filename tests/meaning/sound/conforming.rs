//! L4. Random pairs of models against the definition of uioco and sioco.
