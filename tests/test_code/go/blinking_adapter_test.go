package blinking

import (
	"math/big"
	"os"
)

// A lamp that blinks, as one object. FAULT makes it a wrong one.
type adapter struct {
	fault    string
	interval *big.Rat
	isOn     bool
	// What is on its way: it arrives one step after it was sent.
	pulse   any
	set     *big.Rat
	timeout bool
	left    *big.Rat
	last    any
}

var one = big.NewRat(1, 1)

func start(initial Data) system {
	return &adapter{fault: os.Getenv("FAULT")}
}

func (a *adapter) Step(inputs Data) (Data, error) {
	pulse, set, timeout := a.pulse, a.set, a.timeout
	a.pulse, a.set, a.timeout = nil, nil, false
	if a.interval == nil {
		if interval, ok := inputs["interval"].(*big.Rat); ok {
			a.interval = interval
			a.switchTo(true)
		}
	} else if timeout {
		a.switchTo(!a.isOn)
	}
	// The timer.
	switch {
	case a.left == nil:
		a.left = set
		if set != nil && a.fault == "slow" {
			a.left = new(big.Rat).Add(set, one)
		}
	case a.left.Sign() == 0:
		a.left, a.timeout = nil, true
	case a.left.Sign() > 0:
		a.left = new(big.Rat).Sub(a.left, one)
	}
	// The lamp shows what was stored before this step.
	lamp := a.last
	if pulse != nil {
		a.last = pulse
	}
	if a.fault == "dark" && lamp == true {
		lamp = false
	}
	return Data{"lamp": lamp}, nil
}

func (a *adapter) switchTo(isOn bool) {
	a.isOn, a.pulse, a.set = isOn, isOn, a.interval
}

func (a *adapter) Close() {}
