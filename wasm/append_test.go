package wasm_test

import (
	"bytes"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

func TestAppendSections(t *testing.T) {
	b := wasm.AppendPreamble(nil)
	b = wasm.AppendSection(b, wasm.SectionType, []byte{0})
	b, ok := wasm.AppendSectionWidth(b, wasm.SectionFunction, []byte{0}, 5)
	if !ok {
		t.Fatal("width 5 is refused")
	}
	b = wasm.AppendCustom(b, "n", bytes.Repeat([]byte("d"), 126))
	b, ok = wasm.AppendCustomWidth(b, "m", nil, 3)
	if !ok {
		t.Fatal("width 3 is refused")
	}
	want := "\x00asm\x01\x00\x00\x00" + "\x01\x01\x00" + "\x03\x81\x80\x80\x80\x00\x00" +
		"\x00\x80\x01\x01n" + string(bytes.Repeat([]byte("d"), 126)) + "\x00\x82\x80\x00\x01m"
	if string(b) != want {
		t.Errorf("got  %q\nwant %q", b, want)
	}
	f := open(t, b)
	tile(t, f)
	// A header alone, the data of which comes from elsewhere.
	head := wasm.AppendCustomHeader(wasm.AppendPreamble(nil), "payload", 3)
	f = open(t, append(head, 1, 2, 3))
	if s := f.Custom("payload"); s == nil || s.DataSize() != 3 {
		t.Errorf("%+v", f.Sections)
	}
}

func TestAppendRefusals(t *testing.T) {
	start := []byte("start")
	for _, c := range []struct {
		name string
		got  []byte
		ok   bool
	}{
		{"negative data", wasm.AppendCustomHeader(start, "n", -1), false},
		{"4 GiB of data", wasm.AppendCustomHeader(start, "n", math.MaxUint32), false},
		{"one byte less than fits", wasm.AppendCustomHeader(start, "n", math.MaxUint32-2), true},
		{"one byte more than fits", wasm.AppendCustomHeader(start, "n", math.MaxUint32-1), false},
		{"huge", wasm.AppendCustomHeader(start, "n", math.MaxInt64), false},
	} {
		if (c.got != nil) != c.ok {
			t.Errorf("%s: % x", c.name, c.got)
		}
	}
	for _, c := range []struct {
		size  uint32
		width int
		ok    bool
	}{{0, 0, true}, {0, 1, true}, {127, 1, true}, {128, 1, false}, {128, 2, true}, {128, 6, false}, {128, -1, false}, {math.MaxUint32, 5, true}, {math.MaxUint32, 4, false}} {
		got, ok := wasm.AppendSectionHeader(start, wasm.SectionCode, c.size, c.width)
		if ok != c.ok || !ok && string(got) != "start" {
			t.Errorf("size %d, width %d: %q, %v", c.size, c.width, got, ok)
		}
	}
	if got, ok := wasm.AppendSectionWidth(start, 1, make([]byte, 200), 1); ok || string(got) != "start" {
		t.Errorf("200 bytes in a width of 1: %q", got)
	}
	if got, ok := wasm.AppendCustomWidth(start, "n", make([]byte, 126), 1); ok || string(got) != "start" {
		t.Errorf("128 bytes in a width of 1: %q", got)
	}
}

// TestAppendRoundTrip: what was appended is what a scan finds.
func TestAppendRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type section struct {
			id    byte
			name  string
			data  []byte
			width int
		}
		b := wasm.AppendPreamble(nil)
		var want []section
		for range rapid.IntRange(0, 20).Draw(t, "sections") {
			s := section{
				id:    rapid.SampledFrom([]byte{0, 0, 0, 1, 2, 3, 11, 13, 14, 200}).Draw(t, "id"),
				data:  rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "data"),
				width: rapid.IntRange(0, 5).Draw(t, "width"),
			}
			ok := false
			if s.id == 0 {
				s.name = string(rapid.SliceOfN(rapid.Byte(), 0, 150).Draw(t, "name"))
				if s.width == 0 {
					b, ok = wasm.AppendCustom(b, s.name, s.data), true
				} else {
					b, ok = wasm.AppendCustomWidth(b, s.name, s.data, s.width)
				}
			} else if s.width == 0 {
				b, ok = wasm.AppendSection(b, wasm.SectionID(s.id), s.data), true
			} else {
				b, ok = wasm.AppendSectionWidth(b, wasm.SectionID(s.id), s.data, s.width)
			}
			if ok {
				want = append(want, s)
			}
		}
		f, err := wasm.NewFile(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Sections) != len(want) {
			t.Fatalf("%d sections, want %d", len(f.Sections), len(want))
		}
		for i, w := range want {
			got := &f.Sections[i]
			data, err := got.Bytes(1 << 20)
			if err != nil || byte(got.ID) != w.id || got.Name != w.name || !bytes.Equal(data, w.data) ||
				w.width > 0 && got.SizeWidth != w.width || w.width == 0 && got.SizeWidth != wasm.Uint32Len(got.Size) {
				t.Fatalf("section %d: %+v, %v; want %+v", i, *got, err, w)
			}
		}
	})
}
