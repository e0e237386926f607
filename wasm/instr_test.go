package wasm

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// encodeOp writes an instruction. Wide numbers are padded as far as the
// specification allows, and vectors hold more than one element.
func encodeOp(op Opcode, wide bool) []byte {
	u32 := func(b []byte, v uint32) []byte {
		if wide {
			b, _ = AppendUint32Width(b, v, 5)
			return b
		}
		return AppendUint32(b, v)
	}
	var b []byte
	if op > 0xff {
		b = u32(append(b, byte(op>>16)), uint32(op)&0xffff)
	} else {
		b = append(b, byte(op))
	}
	fill := func(n int) { b = append(b, bytes.Repeat([]byte{0x0b}, n)...) }
	for _, imm := range op.Info().Imms {
		switch imm {
		case ImmNone:
		case ImmI32:
			if wide {
				b = append(b, 0xff, 0xff, 0xff, 0xff, 0x7f) // -1
			} else {
				b = append(b, 0x40)
			}
		case ImmI64:
			if wide {
				b = append(b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f) // -1
			} else {
				b = append(b, 0x0b)
			}
		case ImmF32:
			fill(4)
		case ImmF64:
			fill(8)
		case ImmV128, ImmLanes:
			fill(16)
		case ImmLane:
			b = append(b, 1)
		case ImmZero:
			b = append(b, 0)
		case ImmCastFlags:
			b = append(b, 3)
		case ImmMemArg:
			if wide {
				b = u32(u32(b, 1<<6|2), 1)
				b = append(b, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01) // 1<<63
			} else {
				b = append(b, 0, 0x0b)
			}
		case ImmBlockType:
			if wide {
				b = append(b, 0x8b, 0x80, 0x80, 0x80, 0x00) // type 11
			} else {
				b = append(b, typeEmpty)
			}
		case ImmHeapType:
			if wide {
				b = append(b, 0x8b, 0x80, 0x80, 0x80, 0x00)
			} else {
				b = append(b, 0x70)
			}
		case ImmValTypes:
			if wide {
				b = append(u32(b, 1), typeRefNull, 0x8b, 0x80, 0x80, 0x00)
			} else {
				b = append(b, 1, 0x7f)
			}
		case ImmLabels:
			b = u32(u32(u32(u32(b, 2), 0), 0x0b), 0)
		case ImmCatches:
			b = u32(b, 4)
			b = u32(u32(append(b, 0), 0x0b), 0)
			b = u32(u32(append(b, 1), 0), 0x0b)
			b = u32(append(b, 2), 0)
			b = u32(append(b, 3), 0x0b)
		case ImmHandlers:
			b = u32(b, 2)
			b = u32(u32(append(b, 0), 0x0b), 0)
			b = u32(append(b, 1), 0x0b)
		default:
			b = u32(b, 0x0b)
		}
	}
	return b
}

func TestDecodeEveryOpcode(t *testing.T) {
	for _, op := range Opcodes() {
		for _, wide := range []bool{false, true} {
			code := encodeOp(op, wide)
			for _, pre := range []int{0, 3} {
				buf := append(bytes.Repeat([]byte{0xff}, pre), code...)
				in, err := DecodeInstr(append(buf, 0xff, 0xff), pre, 0)
				if err != nil {
					t.Errorf("%s %x: %v", op.Info().Name, code, err)
					continue
				}
				if in.Op != op || int(in.Len) != len(code) || in.Flags != op.Info().Flags || in.Name() != op.Info().Name {
					t.Errorf("%s %x: decoded as %s, %d bytes, flags %b; want %d bytes, flags %b",
						op.Info().Name, code, in.Name(), in.Len, in.Flags, len(code), op.Info().Flags)
				}
				wantArg := uint32(0)
				if op.Info().Imms[0].isIndex() {
					wantArg = 0x0b
				}
				if in.Arg != wantArg {
					t.Errorf("%s %x: argument %d, want %d", op.Info().Name, code, in.Arg, wantArg)
				}
			}
			for n := 0; n < len(code); n++ {
				_, err := DecodeInstr(code[:n], 0, 0x1000)
				if !errors.Is(err, ErrTruncated) {
					t.Errorf("%s %x cut to %d bytes: %v, want ErrTruncated", op.Info().Name, code, n, err)
				}
				var fe *FormatError
				if !errors.As(err, &fe) || fe.Off < 0x1000 || fe.Off > 0x1000+FileOffset(n) {
					t.Errorf("%s %x cut to %d bytes: offset of %v", op.Info().Name, code, n, err)
				}
			}
		}
	}
}

// TestLengthsOfWasmparser compares with testdata/instr/lengths.tsv: encodings,
// and what the parser of wasm-tools makes of them.
func TestLengthsOfWasmparser(t *testing.T) {
	data, err := os.ReadFile("../testdata/instr/lengths.tsv")
	if err != nil {
		t.Fatal(err)
	}
	plain := strings.NewReplacer("_", "", ".", "")
	covered := map[Opcode]bool{}
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		var code []byte
		if _, err := fmt.Sscanf(f[0], "%x", &code); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		want, _ := strconv.Atoi(f[1])
		in, err := DecodeInstr(append(code, 0x0b, 0x0b, 0x0b), 0, 0)
		if err != nil {
			t.Errorf("%s %s: %v", f[2], f[0], err)
			continue
		}
		covered[in.Op] = true
		name := strings.ToLower(f[2])
		for _, ending := range []string{"nonnull", "nullable", "multi"} {
			if name != "refasnonnull" && name != "bronnonnull" {
				name = strings.TrimSuffix(name, ending)
			}
		}
		name = strings.TrimPrefix(name, "typed")
		if int(in.Len) != want || plain.Replace(in.Name()) != name {
			t.Errorf("%s: decoded as %s, %d bytes; wasmparser says %s, %d bytes", f[0], in.Name(), in.Len, f[2], want)
		}
	}
	for _, op := range Opcodes() {
		switch op.Info().Name {
		case "else", "catch", "catch_all", "delegate": // wasmparser wants their block open
		default:
			if !covered[op] {
				t.Errorf("%s (%v) is not in the list", op.Info().Name, op)
			}
		}
	}
}

func TestDecodeForms(t *testing.T) {
	for _, c := range []struct {
		name string
		code string
		want int
	}{
		{"block of a type index in one byte", "02 0b", 2},
		{"block of a type index that is not minimal", "02 ff 80 80 80 00", 6},
		{"the largest type index", "02 ff ff ff ff 0f", 6},
		{"block of a value type", "03 7f", 2},
		{"block of an abstract reference", "04 69", 2},
		{"block of a reference to a type", "02 64 85 00", 4},
		{"block of a reference to an abstract type", "02 63 6e", 3},
		{"block of a reference to an exact type", "02 63 62 85 80 00", 6},
		{"null of an exact type", "d0 62 05", 3},
		{"select of no types", "1c 00", 2},
		{"select of several types", "1c 03 7f 64 70 63 05", 7},
		{"empty br_table", "0e 00 05", 3},
		{"br_table with a count that is not minimal", "0e 82 80 00 00 01 02", 7},
		{"try_table without clauses", "1f 40 00", 3},
		{"resume without clauses", "e3 05 00", 3},
		{"memory index", "28 42 01 80 01", 5},
		{"memory index, padded", "28 c2 80 80 80 00 81 00 05", 9},
		{"the largest 64-bit offset", "28 02 ff ff ff ff ff ff ff ff ff 01", 12},
		{"lane load from another memory", "fd 54 40 01 00 0f", 6},
		{"sub-opcode that is not minimal", "fc 8b 80 80 80 00 00", 7},
		{"SIMD sub-opcode of two bytes", "fd 80 02", 3},
		{"padded fence", "fe 83 00 00", 4},
		{"smallest i32", "41 80 80 80 80 78", 6},
		{"smallest i64", "42 80 80 80 80 80 80 80 80 80 7f", 11},
	} {
		code := unhex(t, c.code)
		in, err := DecodeInstr(append(code, 0x0b), 0, 0)
		if err != nil || int(in.Len) != c.want || c.want != len(code) {
			t.Errorf("%s: %x is %d bytes (%v), want %d", c.name, code, in.Len, err, c.want)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		code string
		off  FileOffset
		is   error
		text string
	}{
		{"unassigned opcode", "27 00", 0x20, ErrUnknownOpcode, "opcode 0x27"},
		{"unassigned behind a prefix", "fb 7f", 0x20, ErrUnknownOpcode, "opcode 0xfb 0x7f"},
		{"gap in SIMD", "fd 9a 01", 0x20, ErrUnknownOpcode, "opcode 0xfd 0x9a"},
		{"far above the table", "fc ff ff ff ff 0f", 0x20, ErrUnknownOpcode, "opcode 0xfc 0xffffffff"},
		{"prefix that does not exist", "ff 00", 0x20, ErrUnknownOpcode, "opcode 0xff"},
		{"sub-opcode too large", "fc ff ff ff ff 1f", 0x21, ErrOverflow, "prefix 0xfc"},
		{"index too long", "20 80 80 80 80 80 00", 0x21, ErrOverflow, "local index of local.get"},
		{"second index too large", "11 00 ff ff ff ff 7f", 0x22, ErrOverflow, "table index of call_indirect"},
		{"i32 too large", "41 80 80 80 80 08", 0x21, ErrOverflow, "i32 value"},
		{"i64 too long", "42 80 80 80 80 80 80 80 80 80 80 00", 0x21, ErrOverflow, "i64 value"},
		{"offset above 64 bits", "28 02 ff ff ff ff ff ff ff ff ff 02", 0x22, ErrOverflow, "offset of i32.load"},
		{"alignment bit of a proposal", "28 22 00 00", 0x21, ErrUnknownOpcode, "alignment and flags of i32.load are 0x22"},
		{"ordering bit of a proposal", "fe 10 12 00 00", 0x22, ErrUnknownOpcode, "alignment and flags of i32.atomic.load are 0x12"},
		{"alignment far too large", "36 80 01 00", 0x21, ErrUnknownOpcode, "alignment and flags of i32.store are 0x80"},
		{"fence that is not zero", "fe 03 01", 0x22, ErrUnknownOpcode, "zero byte of atomic.fence is 0x01"},
		{"cast flags", "fb 18 04 00 6e 6e", 0x22, ErrUnknownOpcode, "cast flags of br_on_cast"},
		{"catch clause", "1f 40 01 04 00", 0x23, ErrUnknownOpcode, "catch clause of kind 0x04"},
		{"handler clause", "e3 00 01 02 00", 0x23, ErrUnknownOpcode, "handler clause of kind 0x02"},
		{"block type", "02 41", 0x21, ErrUnknownType, "value type 0x41"},
		{"negative block type of two bytes", "02 c0 7f", 0x21, ErrUnknownType, "block type is -64"},
		{"heap type", "d0 65", 0x21, ErrUnknownType, "heap type 0x65"},
		{"heap type that is a number type", "d0 7f", 0x21, ErrUnknownType, "heap type 0x7f"},
		{"negative heap type of two bytes", "d0 f0 7f", 0x21, ErrUnknownType, "heap type is -16"},
		{"packed type in a select", "1c 01 78", 0x22, ErrUnknownType, "value type 0x78"},
		{"labels above the rest of the code", "0e ff ff ff ff 0f 00 00", 0x21, ErrTruncated, "labels of br_table are 4294967296, the code has 2 bytes left"},
		{"types above the rest of the code", "1c 03 7f 7f", 0x21, ErrTruncated, "types of select are 3"},
		{"last label missing", "0e 01 00", 0x21, ErrTruncated, "labels"},
	} {
		code := unhex(t, c.code)
		_, err := DecodeInstr(code, 0, 0x20)
		var fe *FormatError
		if !errors.As(err, &fe) || !errors.Is(err, c.is) || fe.Off != c.off || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %x gives %v; want %v at %v with %q", c.name, code, err, c.is, c.off, c.text)
		}
	}
	for _, pos := range []int{-1, 1, 1 << 30} {
		if _, err := DecodeInstr([]byte{1}, pos, 0); !errors.Is(err, ErrTruncated) {
			t.Errorf("position %d: %v", pos, err)
		}
	}
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	var b []byte
	for _, f := range strings.Fields(s) {
		v, err := strconv.ParseUint(f, 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, byte(v))
	}
	return b
}

func FuzzDecode(f *testing.F) {
	for _, op := range Opcodes() {
		f.Add(encodeOp(op, false), 0)
		f.Add(encodeOp(op, true), 0)
	}
	f.Add([]byte{0x0e, 0xff, 0xff, 0xff, 0xff, 0x0f}, 0)
	f.Add([]byte{0xfd}, 0)
	f.Fuzz(func(t *testing.T, code []byte, pos int) {
		in, err := DecodeInstr(code, pos, 0x100)
		if err != nil {
			var fe *FormatError
			if !errors.As(err, &fe) {
				t.Fatalf("%T is not a *FormatError", err)
			}
			return
		}
		n := int(in.Len)
		if n < 1 || n > len(code)-pos {
			t.Fatalf("%x at %d: length %d", code, pos, n)
		}
		if in.Op.Info() == nil || in.Flags != in.Op.Info().Flags {
			t.Fatalf("%x at %d: %v with flags %b", code, pos, in.Op, in.Flags)
		}
		// What stands around an instruction does not matter.
		one := code[pos : pos+n : pos+n]
		if again, err := DecodeInstr(one, 0, 0); err != nil || again != in {
			t.Fatalf("%x alone: %+v (%v), in its place %+v", one, again, err, in)
		}
		// Nothing shorter is an instruction.
		for cut := range one {
			if _, err := DecodeInstr(one[:cut], 0, 0); !errors.Is(err, ErrTruncated) {
				t.Fatalf("%x cut to %d bytes: %v", one, cut, err)
			}
		}
	})
}

func TestDecodeDoesNotAllocate(t *testing.T) {
	var code []byte
	for _, op := range Opcodes() {
		code = append(code, encodeOp(op, true)...)
	}
	if n := testing.AllocsPerRun(10, func() {
		for pos := 0; pos < len(code); {
			in, err := DecodeInstr(code, pos, 0)
			if err != nil {
				t.Fatal(err)
			}
			pos += int(in.Len)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
