package wasm

import (
	"errors"
	"strings"
	"testing"
)

// testBody places code as the body of function 7, at C 0x10 behind a code start
// at F 0x100.
func testBody(code []byte) Body {
	return Body{Index: 7, SizeAt: 0x0f, Start: 0x10, End: 0x10 + CodeOffset(len(code)),
		span: CodeSpan{Start: 0x100, Size: 0x10 + uint32(len(code))}}
}

func TestInstructionsWalk(t *testing.T) {
	code := unhex(t, "01 02 7f"+ // two i32 locals
		" 02 40 20 00 04 7f 41 0b 05 00 0b 1a 0b"+ // block, local.get, if, i32.const 11, else, unreachable, end, drop, end
		" 06 40 10 00 07 01 0b"+ // try, call, catch, end
		" 06 40 01 18 00"+ // try, nop, delegate
		" 1f 40 01 02 00 0b"+ // try_table, end
		" 03 40 0c 00 0b"+ // loop, br, end
		" 0b")
	it := testBody(code).Instructions(code)
	var got []string
	var at []CodeOffset
	depth := []int{}
	for it.Next() {
		got = append(got, it.Instr().Name())
		at = append(at, it.At())
		depth = append(depth, it.Depth())
	}
	if it.Err() != nil {
		t.Fatal(it.Err())
	}
	want := "block local.get if i32.const else unreachable end drop end try call catch end try nop delegate try_table end loop br end end"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("walk gives\n%s, want\n%s", s, want)
	}
	wantAt := []CodeOffset{0x13, 0x15, 0x17, 0x19, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x22, 0x24, 0x26, 0x27, 0x29, 0x2a, 0x2c, 0x31, 0x32, 0x34, 0x36, 0x37}
	wantDepth := []int{2, 2, 3, 3, 3, 3, 2, 2, 1, 2, 2, 2, 1, 2, 2, 1, 2, 1, 2, 2, 1, 0}
	for i := range wantAt {
		if at[i] != wantAt[i] || depth[i] != wantDepth[i] {
			t.Errorf("%s: at %v with %d blocks open, want %v with %d", got[i], at[i], depth[i], wantAt[i], wantDepth[i])
		}
	}
	if it.Next() {
		t.Error("Next is true behind the end")
	}
}

func TestInstructionsErrors(t *testing.T) {
	for _, c := range []struct {
		name, code string
		off        FileOffset
		is         error
		text       string
	}{
		{"no end", "00 01", 0x112, ErrTruncated, "function 7, code offset 0x12: the body lacks 1 end"},
		{"block left open", "00 02 40 0b", 0x114, ErrTruncated, "lacks 1 end"},
		{"two blocks left open", "00 02 40 03 40", 0x115, ErrTruncated, "lacks 3 end"},
		{"bytes behind the end", "00 0b 01 0b", 0x112, nil, "code offset 0x12: 2 bytes behind the final end"},
		{"delegate of the body", "00 18 00 0b", 0x111, nil, "delegate outside of a block"},
		{"else in no block", "00 05 0b", 0x111, nil, "else outside of a block"},
		{"catch_all in no block", "00 01 19 0b", 0x112, nil, "catch_all outside of a block"},
		{"unknown opcode", "00 01 fb 7f 0b", 0x112, ErrUnknownOpcode, "code offset 0x12: opcode 0xfb 0x7f: unknown opcode"},
		{"cut immediate", "00 41 80", 0x112, ErrTruncated, "i32 value of i32.const"},
		{"locals claimed", "7f 0b", 0x110, ErrTruncated, "127 local declarations claimed in the body's 1 bytes"},
		{"type of locals", "01 01 40 0b", 0x112, ErrUnknownType, "value type 0x40"},
	} {
		code := unhex(t, c.code)
		it := testBody(code).Instructions(code)
		for it.Next() {
		}
		var fe *FormatError
		if err := it.Err(); !errors.As(err, &fe) || c.is != nil && !errors.Is(err, c.is) || fe.Off != c.off || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v; want offset %v and %q", c.name, err, c.off, c.text)
		}
		if it.Next() {
			t.Errorf("%s: Next is true after an error", c.name)
		}
	}
	b := testBody([]byte{0, 0x0b})
	it := b.Instructions([]byte{0, 0x0b, 0x0b})
	if it.Next() || it.Err() == nil {
		t.Error("bytes that are not the body's length are taken")
	}
}

func TestInstructionsDoNotAllocate(t *testing.T) {
	code := unhex(t, "01 02 7f 02 40 20 00 04 7f 41 0b 05 00 0b 1a 0b 0b")
	b := testBody(code)
	if n := testing.AllocsPerRun(100, func() {
		it := b.Instructions(code)
		for it.Next() {
		}
		if it.Err() != nil {
			t.Fatal(it.Err())
		}
	}); n != 0 {
		t.Errorf("%v allocations a walk", n)
	}
}
