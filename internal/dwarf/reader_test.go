package dwarf

import (
	"math"
	"testing"
)

// TestLEB128 reads numbers of both signs: padded, too long, cut off.
func TestLEB128(t *testing.T) {
	const bad = -1
	tests := []struct {
		in   string
		u    uint64
		uLen int // bad: refused
		s    int64
		sLen int
	}{
		{"\x00", 0, 1, 0, 1},
		{"\x7f", 127, 1, -1, 1},
		{"\x3f", 63, 1, 63, 1},
		{"\x40", 64, 1, -64, 1},
		{"\x80\x01", 128, 2, 128, 2},
		{"\x80\x7f", 127 << 7, 2, -128, 2},
		{"\x81\x80\x80\x80\x00", 1, 5, 1, 5},
		{"\x81\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 1, 13, 1, 13},
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", math.MaxUint64, 10, -1, 10},
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 0, bad, math.MaxInt64, 10},
		{"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 0, bad, 0, 11},
		{"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", 0, bad, math.MinInt64, 10},
		{"\x80", 0, bad, 0, bad},
		{"", 0, bad, 0, bad},
	}
	for _, test := range tests {
		data := []byte(test.in + "\x55")
		if test.uLen == bad && test.sLen == bad {
			data = []byte(test.in)
		}
		r := reader{data: data}
		if got := r.uleb(); got != test.u || r.bad != (test.uLen == bad) || !r.bad && r.off != test.uLen {
			t.Errorf("%x unsigned: %d, %d bytes, bad %v", test.in, got, r.off, r.bad)
		}
		if got, next := ulebAt(data, 0); got != test.u || (next > len(data)) != (test.uLen == bad) {
			t.Errorf("%x unsigned: %d, %d bytes", test.in, got, next)
		}
		r = reader{data: data}
		if got := r.sleb(); got != test.s || r.bad != (test.sLen == bad) || !r.bad && r.off != test.sLen {
			t.Errorf("%x signed: %d, %d bytes, bad %v", test.in, got, r.off, r.bad)
		}
		r = reader{data: data}
		if r.skipLEB(); r.bad != (test.sLen == bad) || !r.bad && r.off != test.sLen {
			t.Errorf("%x skipped: %d bytes, bad %v", test.in, r.off, r.bad)
		}
	}
}

// TestReaderStaysInside: every read at the end of the data is refused and
// leaves the reader at the end.
func TestReaderStaysInside(t *testing.T) {
	data := []byte{1, 2, 3, 4, 5, 6, 7}
	reads := map[string]struct {
		size int
		read func(*reader) uint64
	}{
		"u8":      {1, func(r *reader) uint64 { return uint64(r.u8()) }},
		"u16":     {2, func(r *reader) uint64 { return uint64(r.u16()) }},
		"u24":     {3, func(r *reader) uint64 { return uint64(r.u24()) }},
		"u32":     {4, func(r *reader) uint64 { return uint64(r.u32()) }},
		"u64":     {8, func(r *reader) uint64 { return r.u64() }},
		"bytes":   {5, func(r *reader) uint64 { return uint64(len(r.bytes(5))) }},
		"skip":    {6, func(r *reader) uint64 { r.skip(6); return 0 }},
		"huge":    {100, func(r *reader) uint64 { return uint64(len(r.bytes(math.MaxUint64))) }},
		"far":     {100, func(r *reader) uint64 { r.skip(math.MaxUint64); return 0 }},
		"cstring": {100, func(r *reader) uint64 { return uint64(len(r.cstring())) }},
		"odd":     {100, func(r *reader) uint64 { return r.uint(5) }},
	}
	for name, test := range reads {
		for off := range len(data) + 1 {
			r := reader{data: data, off: off}
			v := test.read(&r)
			if fits := off+test.size <= len(data); r.bad == fits || r.off > len(data) || r.bad && (v != 0 || r.off != len(data)) {
				t.Errorf("%s at %d: value %d, offset %d, bad %v", name, off, v, r.off, r.bad)
			}
		}
	}
	if r := readerAt(data, 9, 20); !r.bad || r.more() {
		t.Error("a reader outside of the data is good")
	}
	if r := readerAt(data, 2, 20); r.bad || len(r.data) != 7 {
		t.Error("a reader inside of the data is bad")
	}
}

// TestReciprocal: the multiplication in place of a division is exact.
func TestReciprocal(t *testing.T) {
	for d := uint32(1); d < 256; d++ {
		m := 1<<16/d + 1
		for n := range uint32(256) {
			if n*m>>16 != n/d {
				t.Fatalf("%d/%d", n, d)
			}
		}
	}
}
