package wasm

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unassigned lists, by prefix, the opcodes up to the table's last that mean
// nothing: "from-to" or single numbers in hexadecimal.
var unassigned = map[int]string{
	0:            "16-17 1d-1e 27 c5-cf d7-df e7-ff",
	prefixGC:     "1f",
	prefixMisc:   "",
	prefixSIMD:   "9a a2 a5-a6 af-b0 b2-b4 bb c2 c5-c6 cf-d0 d2-d4 e2 ee",
	prefixAtomic: "4-f",
}

// lastOpcode is the highest opcode of each prefix.
var lastOpcode = map[int]int{0: 0xff, prefixGC: 0x26, prefixMisc: 0x16, prefixSIMD: 0x113, prefixAtomic: 0x4e}

func TestTableIsComplete(t *testing.T) {
	all := Opcodes()
	if !slices.IsSorted(all) {
		t.Error("Opcodes is not in ascending order")
	}
	listed := map[Opcode]bool{}
	for _, op := range all {
		listed[op] = true
	}
	for prefix, gaps := range unassigned {
		hole := map[int]bool{}
		for _, g := range strings.Fields(gaps) {
			var from, to int
			if n, _ := fmt.Sscanf(g, "%x-%x", &from, &to); n == 1 {
				to = from
			}
			for i := from; i <= to; i++ {
				hole[i] = true
			}
		}
		for i := 0; i <= lastOpcode[prefix]+0x200; i++ {
			op := Opcode(prefix<<16 | i)
			want := i <= lastOpcode[prefix] && !hole[i]
			if prefix == 0 && i > 0xff {
				break
			}
			if got := op.Info() != nil; got != want {
				t.Errorf("opcode %v is in the table: %v, want %v", op, got, want)
			}
			if listed[op] != want {
				t.Errorf("opcode %v is listed: %v, want %v", op, listed[op], want)
			}
		}
	}
	for _, op := range []Opcode{0xfa0000, 0xff0000, 0x1fb0000, 0xfb010000, 0xffffffff, 0x100, 0xfb, 0xfe} {
		if op.Info() != nil {
			t.Errorf("opcode %#x has an entry", uint32(op))
		}
	}
}

func TestTableNames(t *testing.T) {
	// These share a name: the text format tells them apart by their immediates.
	twice := map[string]int{"select": 2, "ref.test": 2, "ref.cast": 2, "ref.cast_desc_eq": 2}
	seen := map[string]int{}
	form := regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)*(\.[a-z0-9_]+)*$`)
	for _, op := range Opcodes() {
		name := op.Info().Name
		seen[name]++
		if !form.MatchString(name) {
			t.Errorf("%v: odd name %q", op, name)
		}
	}
	for name, n := range seen {
		if want := max(1, twice[name]); n != want {
			t.Errorf("%q stands in the table %d times, want %d", name, n, want)
		}
	}
}

func TestTableImmediates(t *testing.T) {
	for _, op := range Opcodes() {
		info := op.Info()
		ended := false
		for _, imm := range info.Imms {
			if imm == ImmNone {
				ended = true
				continue
			}
			if ended {
				t.Errorf("%s: an immediate behind ImmNone", info.Name)
			}
			if s := imm.String(); s == "" || strings.HasPrefix(s, "immediate ") {
				t.Errorf("%s: immediate %d has no name", info.Name, imm)
			}
		}
	}
	if got := Imm(200).String(); got != "immediate 200" {
		t.Errorf("unknown immediate prints as %q", got)
	}
}

// The classes of instructions, written down independently of the table: rules on
// names, and lists where names say nothing.
var (
	trapNames = regexp.MustCompile(`^(` +
		`v128\.(load|store).*|[if](32|64)\.(load|store).*|` + // every access to a memory
		`(i32|i64|memory)\.atomic\..*|` +
		`i(32|64)\.(div|rem)_[su]|i(32|64)\.trunc_f(32|64)_[su]|` +
		`memory\.(init|copy|fill|discard)|table\.(get|set|init|copy|fill)|` +
		`struct\.(get|get_s|get_u|set|new_desc|new_default_desc)|` +
		`array\.(new|new_default|new_data|new_elem|get|get_s|get_u|set|len|fill|copy|init_data|init_elem)|` +
		`ref\.(cast|as_non_null|get_desc|cast_desc_eq)|br_on_cast_desc_eq(_fail)?|i31\.get_[su]|` +
		`unreachable|throw_ref|call_indirect|return_call_indirect|call_ref|return_call_ref|` +
		`cont\.(new|bind)|suspend|resume|resume_throw|resume_throw_ref|switch` +
		`)$`)
	throwNames = regexp.MustCompile(`^(throw|rethrow|throw_ref|suspend|switch|resume_throw|resume_throw_ref)$`)
	callNames  = regexp.MustCompile(`^((return_)?call(_indirect|_ref)?|resume(_throw)?(_ref)?|switch)$`)
	jumpNames  = regexp.MustCompile(`^(if|br|br_.*|return)$`)
	blockNames = regexp.MustCompile(`^(block|loop|if|else|end|try|catch|catch_all|delegate|try_table)$`)
	openNames  = regexp.MustCompile(`^(block|loop|if|try|try_table)$`)
	closeNames = regexp.MustCompile(`^(end|delegate)$`)
)

func TestTableClasses(t *testing.T) {
	for _, op := range Opcodes() {
		info := op.Info()
		for _, c := range []struct {
			class string
			names *regexp.Regexp
			flag  OpFlags
		}{
			{"trap", trapNames, OpTrap}, {"throw", throwNames, OpThrow}, {"call", callNames, OpCall},
			{"branch", jumpNames, OpBranch}, {"control", blockNames, OpControl},
			{"open", openNames, opens}, {"close", closeNames, closes},
			{"loop", regexp.MustCompile(`^loop$`), OpLoop},
		} {
			want := c.names.MatchString(info.Name)
			if got := info.Flags&c.flag != 0; got != want {
				t.Errorf("%s (%v): class %s is %v, want %v", info.Name, op, c.class, got, want)
			}
		}
	}
	for name, want := range map[string]bool{
		"call": true, "return_call": true, "throw": true, "rethrow": true, "unreachable": true, "i32.div_s": true,
		"memory.atomic.wait32": true, "table.get": true, "array.len": true, "suspend": true,
		"memory.grow": false, "table.grow": false, "memory.size": false, "br_on_cast": false, "br_on_cast_fail": false,
		"br_on_null": false, "br_on_non_null": false, "loop": false, "atomic.fence": false, "i32.trunc_sat_f32_s": false,
		"data.drop": false, "elem.drop": false, "ref.test": false, "f64.div": false, "i32x4.trunc_sat_f32x4_s": false,
		"struct.new": false, "catch": false, "delegate": false, "end": false,
	} {
		found := false
		for _, op := range Opcodes() {
			if op.Info().Name == name {
				found = true
				if got := op.Info().Flags.Reportable(); got != want {
					t.Errorf("%s is a reportable point: %v, want %v", name, got, want)
				}
			}
		}
		if !found {
			t.Errorf("%s is not in the table", name)
		}
	}
}

func TestOpcodeString(t *testing.T) {
	for op, want := range map[Opcode]string{0x00: "0x00", 0xe6: "0xe6", 0xfb0018: "0xfb 0x18", 0xfd010c: "0xfd 0x10c", 0xfe0003: "0xfe 0x03"} {
		if got := op.String(); got != want {
			t.Errorf("opcode %#x prints as %q, want %q", uint32(op), got, want)
		}
	}
}
