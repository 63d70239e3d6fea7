
// What tests need of a system.
type system interface {
	Step(inputs Data) (Data, error)
	Close()
}

func tick(t *testing.T, sut system, step int, inputs, planned Data, r rules) Data {
	t.Helper()
	actual, err := sut.Step(inputs)
	if err != nil {
		t.Fatalf("step %d: expected %s to be taken, got %v", step, shown("inputs", inputs), err)
	}
	seen := Data{}
	for name := range observed["outputs"] {
		seen[name] = nil
	}
	for name, value := range actual {
		seen[name] = value
	}
	return judge(t, step, "on "+shown("inputs", inputs)+" ", "outputs", planned, r, "outputs", seen)
}

func refuse(t *testing.T, sut system, step int, inputs Data, r rules) {
	t.Helper()
	_, err := sut.Step(inputs)
	attempt(t, step, shown("inputs", inputs), err, r)
}
