
// An output.
type Event struct {
	Gate string
	Data Data
}

// What tests need of a system.
type system interface {
	Send(gate string, data Data) (Data, error)
	Receive() *Event
	Close()
}

func send(t *testing.T, sut system, step int, gate string, data, planned Data, r rules) Data {
	t.Helper()
	if r.misfits {
		t.Skipf("inconclusive: step %d: %s does not fit what the system chose before", step, shown(gate, data))
	}
	result, err := sut.Send(gate, data)
	if errors.Is(err, errRefused) && r.lenient {
		t.Skipf("inconclusive: step %d: the model may refuse %s here", step, shown(gate, data))
	}
	if err != nil {
		t.Fatalf("step %d: expected %s to be taken, got %v", step, shown(gate, data), err)
	}
	if len(planned) == 0 {
		return planned
	}
	return judge(t, step, "", gate, planned, r, gate, result)
}

func expect(t *testing.T, sut system, step int, gate string, planned Data, r rules) Data {
	t.Helper()
	actual := sut.Receive()
	if actual == nil {
		if r.lenient {
			t.Skipf("inconclusive: step %d: the model may say nothing here", step)
		}
		t.Fatalf("step %d: expected %s, got no output", step, wanted(gate, planned, r))
	}
	return judge(t, step, "", gate, planned, r, actual.Gate, actual.Data)
}

func refuse(t *testing.T, sut system, step int, gate string, data Data, r rules) {
	t.Helper()
	_, err := sut.Send(gate, data)
	attempt(t, step, shown(gate, data), err, r)
}
