//! How tests reach the system: @MODEL@. Written once, never overwritten; it is yours to fill in.

@INTERFACE@
use super::*;

/// One system, fresh for each test. It ends when it is dropped.
pub struct Adapter {}

impl Adapter {
    /// Starts the system.
    pub fn start(initial: Data) -> Adapter {
        unimplemented!("start the system")
    }

    /// Applies inputs, and returns the outputs of the same step. What is not there is absent.
    pub fn step(&mut self, inputs: &Data) -> Result<Data, Refused> {
        unimplemented!()
    }
}
