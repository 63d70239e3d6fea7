package trade

import (
	"math/big"
	"os"
)

// A trader who chooses what to offer. With FAULT he makes the mistake that he is asked for.
type adapter struct {
	isWrong bool
	mistake string
	number  *big.Rat
	good    Data
	outputs []*Event
}

var enormous, _ = new(big.Rat).SetString("1e42")
var one = big.NewRat(1, 1)

func start(initial Data) system {
	return &adapter{isWrong: os.Getenv("FAULT") != ""}
}

func (a *adapter) Send(gate string, data Data) (Data, error) {
	switch gate {
	case "class":
		number := data["new"].(*big.Rat)
		if a.isWrong {
			near, _ := number.Float64()
			number = new(big.Rat).SetFloat64(near)
		}
		return Data{"result": new(big.Rat).Add(number, one)}, nil
	case "func":
		part := data["def"].(Data)
		name, tags := part["name"].(string), part["tags"].([]any)
		if !a.isWrong {
			tags = append(tags, name)
		}
		return Data{"result": Data{"name": name + "!", "tags": tags}}, nil
	case "lambda":
		if a.isWrong {
			a.mistake = data["static"].(string)
		}
		a.outputs = append(a.outputs, a.offer(data["static"].(string), data["limit"].(*big.Rat)))
	case "self":
		good, price := data["null"].(Data), a.good["price"].(*big.Rat)
		if data["await"].(*big.Rat).Cmp(a.number) != 0 || good["name"] != a.good["name"] ||
			good["colour"] != a.good["colour"] || good["price"].(*big.Rat).Cmp(price) != 0 {
			return nil, errRefused
		}
		number := a.number
		if a.mistake != "forgetful" {
			number = new(big.Rat).Add(number, one)
		}
		a.outputs = append(a.outputs, &Event{"final", Data{"void": number, "package": new(big.Rat).Add(price, one)}})
	case "async":
		number := enormous
		if a.isWrong {
			number = new(big.Rat).Add(number, one)
		}
		a.outputs = append(a.outputs, list(number))
	default:
		return nil, errRefused
	}
	return nil, nil
}

func list(number *big.Rat) *Event {
	return &Event{"this", Data{"switch": []any{Tag("Some"), number}, "super": []any{big.NewRat(1, 2), big.NewRat(1, 3)}}}
}

func (a *adapter) offer(name string, limit *big.Rat) *Event {
	a.number = new(big.Rat).Sub(limit, enormous)
	a.good = Data{"name": name + "é", "colour": "Blue", "price": big.NewRat(2, 3)}
	offer := Data{"goto": a.number, "yield": a.good, "throws": true, "extends": new(big.Rat).SetFloat64(1 << 64)}
	switch a.mistake {
	case "greedy":
		offer["goto"] = new(big.Rat).Add(a.number, one)
	case "cheap":
		a.good["price"] = big.NewRat(1, 3)
	case "same":
		a.good["name"] = name
	case "red":
		a.good["colour"] = "Red"
	case "false":
		offer["throws"] = false
	// Data of another kind.
	case "purple":
		a.good["colour"] = "Purple"
	case "half":
		offer["extends"] = big.NewRat(1, 2)
	case "nothing":
		offer["extends"] = nil
	case "yes":
		offer["throws"] = "yes"
	case "early":
		return list(enormous)
	}
	return &Event{"default", offer}
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
