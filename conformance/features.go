package conformance

import (
	"fmt"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// engineName is what messages call the engine.
const engineName = "wazero"

// UnrunnableError says why a module cannot be run here. That is neither a pass nor
// a failure.
type UnrunnableError struct {
	Why []string // clauses: "it uses 64-bit memory (memory64), which wazero does not have"
}

// Error lists the reasons.
func (e *UnrunnableError) Error() string {
	return "the module cannot be run: " + strings.Join(e.Why, "; ")
}

// features is a set of what a module uses that matters to whether it runs.
type features uint32

const (
	usesLegacyEH features = 1 << iota
	usesGC
	usesMemory64
	usesTable64
	usesPageSizes
	usesRelaxedSIMD
	usesWideArithmetic
	usesStackSwitching
	usesMemoryControl
	usesTailCalls // the engine has these; their callers leave the stack
	usesTableGrow
)

// lacking names the features that the engine lacks, with their remedies.
var lacking = [...]struct {
	f    features
	name string
}{
	{usesLegacyEH, "the old form of exception handling (try, catch, rethrow; wasm-opt --translate-to-exnref makes the new one)"},
	{usesGC, "garbage collection"},
	{usesMemory64, "64-bit memory (memory64)"},
	{usesTable64, "64-bit tables (table64)"},
	{usesPageSizes, "custom page sizes"},
	{usesRelaxedSIMD, "relaxed SIMD"},
	{usesWideArithmetic, "wide arithmetic"},
	{usesStackSwitching, "stack switching"},
	{usesMemoryControl, "memory control (memory.discard)"},
}

func (f *features) add(g features) { *f |= g }

func (f features) has(g features) bool { return f&g != 0 }

// missing lists what the engine lacks, one clause each.
func (f features) missing() []string {
	var out []string
	for _, l := range lacking {
		if f.has(l.f) {
			out = append(out, fmt.Sprintf("it uses %s, which %s does not have", l.name, engineName))
		}
	}
	return out
}

// ofOpcode returns what an instruction uses.
func ofOpcode(op wasm.Opcode) features {
	switch {
	case op == 0x06, op == 0x07, op == 0x09, op == 0x18, op == 0x19:
		return usesLegacyEH
	case op == 0x12, op == 0x13, op == 0x15:
		return usesTailCalls
	case op == 0xd3, op>>16 == 0xfb:
		return usesGC
	case op >= 0xe0 && op <= 0xe6:
		return usesStackSwitching
	case op == 0xfc_000f:
		return usesTableGrow
	case op == 0xfc_0012:
		return usesMemoryControl
	case op >= 0xfc_0013 && op <= 0xfc_0016:
		return usesWideArithmetic
	case op>>16 == 0xfd && op&0xffff >= 0x100:
		return usesRelaxedSIMD
	}
	return 0
}

// ofHeapType returns what an abstract heap type uses, by its code.
func ofHeapType(b byte) features {
	switch b {
	case 0x70, 0x6f, 0x69: // func, extern, exn
		return 0
	case 0x68, 0x75: // cont, nocont
		return usesStackSwitching
	}
	return usesGC
}

// readHeapType reads a heap type behind what was read already.
func (f *features) readHeapType(r *wasm.Stream, out []byte) ([]byte, error) {
	head, err := r.Peek(1)
	if err != nil {
		return nil, err
	}
	if len(head) == 1 && head[0]&0xc0 == 0x40 { // a negative number of one byte: an abstract type
		f.add(ofHeapType(head[0]))
		b, err := r.Byte("a heap type")
		return append(out, b), err
	}
	v, err := r.Int33("a heap type")
	return wasm.AppendInt64(out, v), err
}

// readValType reads a value type and returns its bytes.
//
// https://webassembly.github.io/spec/core/binary/types.html#value-types
func (f *features) readValType(r *wasm.Stream) ([]byte, error) {
	b, err := r.Byte("a value type")
	if err != nil {
		return nil, err
	}
	switch {
	case b >= 0x7b && b <= 0x7f:
		return []byte{b}, nil
	case b == 0x63 || b == 0x64:
		return f.readHeapType(r, []byte{b})
	case b >= 0x68 && b <= 0x75:
		f.add(ofHeapType(b))
		return []byte{b}, nil
	}
	return nil, &UnrunnableError{Why: []string{fmt.Sprintf("it uses the unknown type 0x%02x (in the %s)", b, "module's types")}}
}

// readRefType reads a reference type.
func (f *features) readRefType(r *wasm.Stream) ([]byte, error) { return f.readValType(r) }

// readLimits reads the limits of a table or a memory.
func (f *features) readLimits(r *wasm.Stream, table bool) (limitsType, error) {
	var l limitsType
	flags, err := r.Byte("the flags of limits")
	if err != nil {
		return l, err
	}
	if flags >= 1<<4 {
		return l, &UnrunnableError{Why: []string{fmt.Sprintf("its limits have the unknown flags 0x%02x", flags)}}
	}
	l.flags, l.hasMax = flags, flags&limitsHasMax != 0
	if flags&limitsIs64 != 0 {
		if table {
			f.add(usesTable64)
		} else {
			f.add(usesMemory64)
		}
	}
	if l.min, err = r.Uint64("the minimum of limits"); err != nil {
		return l, err
	}
	if l.hasMax {
		if l.max, err = r.Uint64("the maximum of limits"); err != nil {
			return l, err
		}
	}
	if flags&limitsPageSize != 0 {
		f.add(usesPageSizes)
		_, err = r.Uint32("the size of a page")
	}
	return l, err
}

// readTypes looks through the Type section for kinds of types that the engine
// lacks. The first of them ends the walk: it decides.
//
// https://webassembly.github.io/spec/core/binary/types.html#recursive-types
func (f *features) readTypes(s *wasm.Section) error {
	r := s.Stream()
	n, err := r.Uint32("the number of types")
	if err != nil {
		return err
	}
	for ; n > 0; n-- {
		form, err := r.Byte("a type's form")
		if err != nil {
			return err
		}
		if form == 0x4e { // a group of types that refer to each other
			if count, err := r.Uint32("the size of a group of types"); err != nil {
				return err
			} else if count != 1 {
				f.add(usesGC)
				return nil
			}
			if form, err = r.Byte("a type's form"); err != nil {
				return err
			}
		}
		switch form {
		case 0x60:
			for _, what := range []string{"parameters", "results"} {
				count, err := r.Uint32("the number of " + what)
				if err != nil {
					return err
				}
				for ; count > 0; count-- {
					if _, err := f.readValType(r); err != nil {
						return err
					}
				}
			}
		case 0x5d:
			f.add(usesStackSwitching)
			return nil
		case 0x5e, 0x5f, 0x50, 0x4f:
			f.add(usesGC)
			return nil
		default:
			return &UnrunnableError{Why: []string{fmt.Sprintf("it has a type of the unknown form 0x%02x", form)}}
		}
	}
	return nil
}
