// How tests reach the system: @MODEL@. Written once, never overwritten; it is yours to fill in.
@INTERFACE@package @NAME@

// One system, fresh for each test.
type adapter struct{}

func start(initial Data) system {
	panic("start the system")
}

// Step applies inputs, and returns the outputs of the same step; nil is absent. The error is errRefused if they are refused.
func (a *adapter) Step(inputs Data) (Data, error) {
	panic("to be filled in")
}

// Close ends the system.
func (a *adapter) Close() {}
