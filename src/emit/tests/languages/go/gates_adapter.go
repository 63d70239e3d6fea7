// How tests reach the system: @MODEL@. Written once, never overwritten; it is yours to fill in.
@INTERFACE@package @NAME@

// One system, fresh for each test.
type adapter struct{}

func start(initial Data) system {
	panic("start the system")
}

// Send gives the system an input, and returns its results by name. The error is errRefused if it is not taken.
func (a *adapter) Send(gate string, data Data) (Data, error) {
	panic("to be filled in")
}

// Receive returns the next output, or nil if there is none for so long that there will be none.
func (a *adapter) Receive() *Event {
	panic("to be filled in")
}

// Close ends the system.
func (a *adapter) Close() {}
