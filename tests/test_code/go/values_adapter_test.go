package values

import (
	"encoding/hex"
	"math/big"
	"os"
	"regexp"
)

// Turns values of all types. FAULT makes it a wrong one, TEXT is the text that is heard in front of one that is not empty.
type adapter struct {
	fault string
	base  any
}

var nextColour = map[any]string{"Red": "Green", "Green": "Blue", "Blue": "Red"}

func start(initial Data) system {
	return &adapter{os.Getenv("FAULT"), initial["base"]}
}

func (a *adapter) Step(inputs Data) (Data, error) {
	if inputs["int"] == nil {
		// A coin, which shows the other side if that is the ANSWER.
		coin, isThrown := inputs["bool"].(bool)
		if !isThrown {
			return nil, nil
		}
		return Data{"new_bool": coin == (os.Getenv("ANSWER") == "")}, nil
	}
	number, whole, text := inputs["int"].(*big.Rat), inputs["struct"].(Data), inputs["str"].(string)
	if a.fault == "rounded" {
		near, _ := number.Float64()
		number = new(big.Rat).SetFloat64(near)
	}
	if a.fault == "plain" {
		text = regexp.MustCompile("[^ -~]").ReplaceAllString(text, "?")
	}
	option := []any{Tag("None")}
	if inputs["nil"].([]any)[0] == Tag("None") {
		option = []any{Tag("Some"), number}
	}
	list := []any{}
	for _, one := range inputs["list"].([]any) {
		list = append([]any{one}, list...)
	}
	pairs := Set{[]any{text, number}}
	for _, pair := range inputs["map"].(Set) {
		if pair.([]any)[0] != text {
			pairs = append(pairs, pair)
		}
	}
	front := []byte{}
	if text != "" {
		front, _ = hex.DecodeString(os.Getenv("TEXT"))
	}
	return Data{
		"new_int":    new(big.Rat).Add(number, big.NewRat(1, 1)),
		"new_float":  new(big.Rat).Add(inputs["float"].(*big.Rat), big.NewRat(1, 2)),
		"new_bool":   !inputs["bool"].(bool),
		"new_enum":   nextColour[inputs["enum"]],
		"new_struct": Data{"left": whole["right"], "right": whole["left"], "weight": whole["weight"]},
		"new_union":  turned(inputs["union"].([]any)),
		"new_nil":    option,
		"new_list":   append(list, a.base),
		"new_set":    append(inputs["set"].(Set), number),
		"new_map":    pairs,
		"new_str":    string(front) + text,
		"new_parts":  append(inputs["parts"].(Set), whole["left"]),
	}, nil
}

func turned(shape []any) []any {
	switch shape[0].(Tag) {
	case "Dot":
		return []any{Tag("Circle"), 1}
	case "Circle":
		return []any{Tag("Box"), shape[1], 2}
	case "Box":
		return []any{Tag("Box"), shape[2], shape[1]}
	default:
		return []any{Tag("Both"), turned(shape[2].([]any)), turned(shape[1].([]any))}
	}
}

func (a *adapter) Close() {}
