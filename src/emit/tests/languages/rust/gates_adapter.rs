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

    /// Gives the system an input, and returns its results by name.
    pub fn send(&mut self, gate: &str, data: &Data) -> Result<Data, Refused> {
        unimplemented!()
    }

    /// The next output: its gate and its data; none if there is none for so long that there will be none.
    pub fn receive(&mut self) -> Option<(String, Data)> {
        unimplemented!()
    }
}
