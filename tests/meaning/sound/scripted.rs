//! L4. Generated tests of random models, run against the model itself and against mutants.
