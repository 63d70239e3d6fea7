package supplier

import (
	"math/big"
	"os"
)

// A supplier that works: it chooses reference numbers and quantities of its own. FAULT makes it a wrong one.
type adapter struct {
	phase   string
	ref     *big.Rat
	outputs []*Event
}

var numbers = int64(4711)

func start(initial Data) system {
	return &adapter{phase: "idle"}
}

func (a *adapter) Send(gate string, data Data) (Data, error) {
	fault := os.Getenv("FAULT")
	switch {
	case gate == "rq" && a.phase == "idle":
		numbers += 17
		a.ref = big.NewRat(numbers, 1)
		asked := data["quant"].(*big.Rat)
		if asked.Sign() == 0 {
			a.phase = "stuck"
			return nil, nil
		}
		// Never more than half of what was asked for; a wrong one offers all of it.
		quant := new(big.Int).Div(asked.Num(), big.NewInt(2))
		if fault == "greedy" {
			quant = asked.Num()
		}
		quote := Data{"ref": a.ref, "prod": data["prod"], "quant": new(big.Rat).SetInt(quant)}
		a.outputs = append(a.outputs, &Event{"gq", quote})
		a.phase = "quoted"
	case gate == "ord" && a.phase == "quoted" && data["ref"].(*big.Rat).Cmp(a.ref) == 0:
		ref := a.ref
		if fault == "forgetful" {
			ref = new(big.Rat).Add(ref, big.NewRat(1, 1))
		}
		answer := os.Getenv("ANSWER")
		if answer == "" {
			answer = "confirm"
		}
		a.outputs = append(a.outputs, &Event{answer, Data{"ref": ref}})
		a.phase = "idle"
	default:
		return nil, errRefused
	}
	return nil, nil
}

func (a *adapter) Receive() *Event {
	if len(a.outputs) == 0 {
		return nil
	}
	first := a.outputs[0]
	a.outputs = a.outputs[1:]
	return first
}

func (a *adapter) Close() {}
