//! L5. Monitoring what was generated says that it holds, in any order of constraints.
