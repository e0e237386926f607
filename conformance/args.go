package conformance

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tetratelabs/wazero/api"
)

// Codes of value types that package api does not export.
const (
	typeV128    = 0x7b
	typeFuncRef = 0x70
)

// plausible reports whether a word can be an argument of some type.
func plausible(word string) bool {
	if word == "null" {
		return true
	}
	if _, err := parseInt(word, 64); err == nil {
		return true
	}
	_, err := strconv.ParseFloat(word, 64)
	return err == nil
}

// parseInt parses a signed or an unsigned number of the given width.
func parseInt(word string, bits int) (uint64, error) {
	if strings.HasPrefix(word, "-") {
		v, err := strconv.ParseInt(word, 0, bits)
		return uint64(v), err
	}
	return strconv.ParseUint(strings.TrimPrefix(word, "+"), 0, bits)
}

// encodeArg encodes an argument for a parameter.
func encodeArg(word string, t api.ValueType) (uint64, error) {
	switch t {
	case api.ValueTypeI32:
		v, err := parseInt(word, 32)
		if err != nil {
			return 0, fmt.Errorf("%q is no i32", word)
		}
		return uint64(uint32(v)), nil
	case api.ValueTypeI64:
		v, err := parseInt(word, 64)
		if err != nil {
			return 0, fmt.Errorf("%q is no i64", word)
		}
		return v, nil
	case api.ValueTypeF32:
		v, err := strconv.ParseFloat(word, 32)
		if err != nil {
			return 0, fmt.Errorf("%q is no f32", word)
		}
		return api.EncodeF32(float32(v)), nil
	case api.ValueTypeF64:
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return 0, fmt.Errorf("%q is no f64", word)
		}
		return api.EncodeF64(v), nil
	case api.ValueTypeExternref, typeFuncRef:
		if word != "null" {
			return 0, fmt.Errorf("%q is no reference; only null can be passed", word)
		}
		return 0, nil
	}
	return 0, fmt.Errorf("parameters of type 0x%02x cannot be passed", t)
}

// encodeArgs encodes the arguments of a call.
func encodeArgs(args []Arg, types []api.ValueType) ([]uint64, error) {
	if len(args) != len(types) {
		return nil, fmt.Errorf("it takes %d arguments, not %d", len(types), len(args))
	}
	out := make([]uint64, 0, len(args))
	for i, a := range args {
		v, err := encodeArg(string(a), types[i])
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
		out = append(out, v)
	}
	return out, nil
}

// zeros returns the zero arguments of a function. It reports false for parameters
// that have no zero, such as references that must not be null.
func zeros(types []api.ValueType) ([]uint64, bool) {
	var out []uint64
	for _, t := range types {
		switch t {
		case api.ValueTypeI32, api.ValueTypeI64, api.ValueTypeF32, api.ValueTypeF64, api.ValueTypeExternref, typeFuncRef:
			out = append(out, 0)
		case typeV128:
			out = append(out, 0, 0)
		default:
			return nil, false
		}
	}
	return out, true
}

// boundaries are the values that an exploration tries for a parameter: what
// divisions, bounds and sign tests turn on.
func boundaries(t api.ValueType) []Arg {
	switch t {
	case api.ValueTypeI32:
		return []Arg{"0", "1", "-1", "2147483647", "-2147483648", "65536", "20"}
	case api.ValueTypeI64:
		return []Arg{"0", "1", "-1", "9223372036854775807", "-9223372036854775808", "65536", "20"}
	case api.ValueTypeF32, api.ValueTypeF64:
		return []Arg{"0", "1", "-1", "1e30", "NaN", "-Inf", "0.5"}
	case api.ValueTypeExternref, typeFuncRef:
		return []Arg{"null"}
	}
	return nil
}

// explorations returns the calls that an exploration makes of one export. Up to
// two parameters every pair of small values is tried, because a first parameter
// often selects what is done with the second; beyond, all parameters take the same
// boundary at a time.
func explorations(export string, types []api.ValueType) []Call {
	var sets [][]Arg
	rounds := 1
	for _, t := range types {
		b := boundaries(t)
		if b == nil {
			return nil
		}
		sets = append(sets, b)
		rounds = max(rounds, len(b))
	}
	var out []Call
	for i := range rounds {
		c := Call{Export: export}
		for _, s := range sets {
			c.Args = append(c.Args, s[min(i, len(s)-1)])
		}
		out = append(out, c)
	}
	if len(types) > 0 && len(types) <= 2 && types[0] == api.ValueTypeI32 {
		for first := range 6 {
			for _, second := range []Arg{"20", "1", "0"} {
				c := Call{Export: export, Args: []Arg{Arg(strconv.Itoa(first))}}
				if len(types) == 2 {
					if len(sets[1]) == 1 {
						second = sets[1][0]
					}
					c.Args = append(c.Args, second)
				} else if second != "20" {
					continue
				}
				out = append(out, c)
			}
		}
	}
	return out
}
