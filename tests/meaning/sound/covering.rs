//! L4. Suites of random models against brute force.
