//! L2. Every proof on a small random model is confirmed by walking all its runs.
