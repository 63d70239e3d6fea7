//! L3. Renaming bound names and wrapping conditions changes no answer.
