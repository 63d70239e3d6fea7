@ABOUT@package @NAME@

import (
	"errors"
	"fmt"
	"math/big"
	"sort"
	"strings"
	"testing"
)

// What a value is at first sight.
type kind func(value any) bool

type kinds map[string]kind

func isBool(value any) bool { _, ok := value.(bool); return ok }
func isText(value any) bool { _, ok := value.(string); return ok }
func isReal(value any) bool { return rat(value) != nil }
func isInt(value any) bool  { return isReal(value) && rat(value).IsInt() }
func isAny(value any) bool  { return true }

func oneOf(names ...string) kind {
	return func(value any) bool {
		for _, name := range names {
			if value == name {
				return true
			}
		}
		return false
	}
}

func record(fields kinds) kind {
	return func(value any) bool {
		data, ok := value.(Data)
		return ok && fields.fit(data)
	}
}

func optional(of kind) kind {
	return func(value any) bool { return value == nil || of(value) }
}

func all(values []any, of kind) bool {
	for _, value := range values {
		if !of(value) {
			return false
		}
	}
	return true
}

func listOf(of kind) kind {
	return func(value any) bool {
		values, ok := value.([]any)
		return ok && all(values, of)
	}
}

func setOf(of kind) kind {
	return func(value any) bool {
		values, ok := value.(Set)
		return ok && all(values, of)
	}
}

func mapOf(key, of kind) kind {
	return setOf(func(value any) bool {
		pair, ok := value.([]any)
		return ok && len(pair) == 2 && key(pair[0]) && of(pair[1])
	})
}

func madeOf(constructors map[Tag][]kind) kind {
	return func(value any) bool {
		parts, ok := value.([]any)
		if !ok || len(parts) == 0 {
			return false
		}
		tag, ok := parts[0].(Tag)
		kinds, known := constructors[tag]
		if !ok || !known || len(kinds) != len(parts)-1 {
			return false
		}
		for i, one := range kinds {
			if !one(parts[i+1]) {
				return false
			}
		}
		return true
	}
}

// Whether data has the names and the kinds that the model says.
func (k kinds) fit(data Data) bool {
	for name, one := range k {
		value, there := data[name]
		if !there || !one(value) {
			return false
		}
	}
	return len(k) == len(data)
}

// What is observed at each gate.
var observed = map[string]kinds{
@OBSERVED@}

// Values by name: nil is absent, numbers are *big.Rat (or int, int64), records are Data.
type Data map[string]any

// The members of a set, or the pairs of a map.
type Set []any

// The name of a constructor, before its arguments.
type Tag string

// The system refuses what it is given.
var errRefused = errors.New("refused")

func num(digits string) *big.Rat {
	n, ok := new(big.Rat).SetString(digits)
	if !ok {
		panic("not a number: " + digits)
	}
	return n
}

func rat(value any) *big.Rat {
	switch n := value.(type) {
	case *big.Rat:
		return n
	case *big.Int:
		return new(big.Rat).SetInt(n)
	case int:
		return big.NewRat(int64(n), 1)
	case int64:
		return big.NewRat(n, 1)
	}
	return nil
}

func get(data any, path ...string) any {
	for _, name := range path {
		data = data.(Data)[name]
	}
	return data
}

func compare(a, b any) int { return rat(a).Cmp(rat(b)) }

func plus(numbers ...any) any {
	out := new(big.Rat)
	for _, n := range numbers {
		out.Add(out, rat(n))
	}
	return out
}

func times(numbers ...any) any {
	out := big.NewRat(1, 1)
	for _, n := range numbers {
		out.Mul(out, rat(n))
	}
	return out
}

func among(some, all []any) bool {
	for _, one := range some {
		found := false
		for _, other := range all {
			found = found || same(one, other)
		}
		if !found {
			return false
		}
	}
	return true
}

func same(a, b any) bool {
	if x, y := rat(a), rat(b); x != nil && y != nil {
		return x.Cmp(y) == 0
	}
	switch x := a.(type) {
	case Data:
		y, ok := b.(Data)
		if !ok || len(x) != len(y) {
			return false
		}
		for name, value := range x {
			other, there := y[name]
			if !there || !same(value, other) {
				return false
			}
		}
		return true
	case Set:
		y, ok := b.(Set)
		return ok && among(x, y) && among(y, x)
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !same(x[i], y[i]) {
				return false
			}
		}
		return true
	}
	switch b.(type) {
	case Data, Set, []any:
		return false
	}
	return a == b
}

type allowed struct {
	gate string
	when func(Data) bool
}

// What is as planned, and what the model allows instead.
type rules struct {
	when      func(Data) bool
	says      string
	misfits   bool
	otherwise []allowed
	others    bool
	lenient   bool
}

// Whether a condition holds; data of another kind than the model's meets none.
func holds(condition func(Data) bool, e Data) (result bool) {
	defer func() {
		if recover() != nil {
			result = false
		}
	}()
	return condition(e)
}

func plain(value any) string {
	if n := rat(value); n != nil {
		return n.RatString()
	}
	switch value := value.(type) {
	case nil:
		return "absent"
	case string:
		return fmt.Sprintf("%q", value)
	case Data:
		return shown("", value)
	case []any:
		return "[" + plainly(value) + "]"
	case Set:
		return "{" + plainly(value) + "}"
	}
	return fmt.Sprint(value)
}

func plainly(values []any) string {
	parts := []string{}
	for _, value := range values {
		parts = append(parts, plain(value))
	}
	return strings.Join(parts, ", ")
}

func shown(name string, data Data) string {
	parts := []string{}
	for key, value := range data {
		parts = append(parts, key+"="+plain(value))
	}
	sort.Strings(parts)
	return name + "(" + strings.Join(parts, ", ") + ")"
}

func wanted(name string, planned Data, r rules) string {
	if r.says == "" {
		return shown(name, planned)
	}
	return shown(name, planned) + " with " + r.says
}

func meets(t *testing.T, holds bool, says string) {
	t.Helper()
	if !holds {
		t.Skipf("inconclusive: the system did nothing wrong, but the purpose needs %s", says)
	}
}

func judge(t *testing.T, step int, on, gate string, planned Data, r rules, name string, data Data) Data {
	t.Helper()
	if kinds, known := observed[name]; known && kinds.fit(data) {
		if name == gate && (r.when == nil && same(data, planned) || r.when != nil && holds(r.when, data)) {
			return data
		}
		isAllowed := r.others
		for _, one := range r.otherwise {
			isAllowed = isAllowed || one.gate == name && holds(one.when, data)
		}
		if isAllowed {
			t.Skipf("inconclusive: step %d: the model may allow %s", step, shown(name, data))
		}
	}
	t.Fatalf("step %d: %sexpected %s, got %s", step, on, wanted(gate, planned, r), shown(name, data))
	return nil
}

// Something that must be refused was done.
func attempt(t *testing.T, step int, what string, err error, r rules) {
	t.Helper()
	switch {
	case errors.Is(err, errRefused):
	case err != nil:
		t.Fatal(err)
	case r.lenient:
		t.Skipf("inconclusive: step %d: the model may take %s here", step, what)
	default:
		t.Fatalf("step %d: expected %s to be refused, and it was taken", step, what)
	}
}
@STYLE@@TESTS@
