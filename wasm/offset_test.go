package wasm

import (
	"math"
	"testing"
)

func TestCodeSpan(t *testing.T) {
	s := CodeSpan{Start: 0x41, Size: 0x20}
	for _, c := range []struct {
		f       FileOffset
		c       CodeOffset
		inside  bool
		convert bool
	}{
		{0, 0, false, false},
		{0x40, 0, false, false},
		{0x41, 0, true, true},
		{0x42, 1, true, true},
		{0x60, 0x1f, true, true},
		{0x61, 0x20, false, true}, // the end converts, but is no byte of the payload
		{0x62, 0, false, false},
		{-1, 0, false, false},
		{math.MaxInt64, 0, false, false},
		{0x41 + 1<<32, 0, false, false}, // would wrap to 0
	} {
		if got := s.Contains(c.f); got != c.inside {
			t.Errorf("Contains(%v) = %v", c.f, got)
		}
		got, ok := s.Code(c.f)
		if ok != c.convert || got != c.c {
			t.Errorf("Code(%v) = %v, %v; want %v, %v", c.f, got, ok, c.c, c.convert)
		}
		if ok {
			if back, ok := s.File(got); back != c.f || !ok {
				t.Errorf("File(%v) = %v, %v; want %v", got, back, ok, c.f)
			}
		}
	}
	if f, ok := s.File(0x21); ok {
		t.Errorf("File(0x21) = %v, want a refusal", f)
	}
	// Nothing wraps for the largest payload at the end of a large file.
	big := CodeSpan{Start: 5 << 32, Size: math.MaxUint32}
	if f, ok := big.File(math.MaxUint32); !ok || f != 5<<32+math.MaxUint32 {
		t.Errorf("File(0xffffffff) = %v, %v", f, ok)
	}
	if c, ok := big.Code(5<<32 + math.MaxUint32); !ok || c != math.MaxUint32 {
		t.Errorf("Code(end) = %v, %v", c, ok)
	}
}

func TestCodeOffsetFromAddress(t *testing.T) {
	for _, c := range []struct {
		addr uint64
		want CodeOffset
		ok   bool
	}{{0, 0, true}, {0xffffffff, 0xffffffff, true}, {1 << 32, 0, false}, {math.MaxUint64, 0, false}, {1<<32 + 5, 0, false}} {
		if got, ok := CodeOffsetFromAddress(c.addr); got != c.want || ok != c.ok {
			t.Errorf("CodeOffsetFromAddress(%#x) = %v, %v", c.addr, got, ok)
		}
	}
}

func TestOffsetStrings(t *testing.T) {
	if got := FileOffset(0x1f).String() + " " + CodeOffset(0xffffffff).String(); got != "0x1f 0xffffffff" {
		t.Error(got)
	}
}
