package rewrite

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// blanked returns what a payload looks like with its bodies blanked, computed the
// plain way.
func blanked(t testing.TB, payload []byte) []byte {
	t.Helper()
	out := bytes.Clone(payload)
	count, pos, err := wasm.Uint32(out)
	if err != nil {
		t.Fatal(err)
	}
	for range count {
		n, w, err := wasm.Uint32(out[pos:])
		if err != nil {
			t.Fatal(err)
		}
		body := out[pos+w : pos+w+int(n)]
		for i := range body {
			body[i] = 0x01
		}
		body[0], body[1] = 0, 0
		body[n-1] = 0x0b
		pos += w + int(n)
	}
	return out
}

// payload builds a Code payload of bodies of the given lengths; a negative
// length asks for a size LEB of five bytes.
func payload(lengths ...int) []byte {
	b := wasm.AppendUint32(nil, uint32(len(lengths)))
	for i, n := range lengths {
		width := 0
		if n < 0 {
			n, width = -n, 5
		}
		if width == 0 {
			b = wasm.AppendUint32(b, uint32(n))
		} else {
			b, _ = wasm.AppendUint32Width(b, uint32(n), width)
		}
		for k := range n {
			b = append(b, byte(i*31+k*7+5))
		}
	}
	return b
}

func TestBlankLiteral(t *testing.T) {
	in := payload(2, 3, 6, -4)
	want := []byte{4,
		2, 0x00, 0x0b,
		3, 0x00, 0x00, 0x0b,
		6, 0x00, 0x00, 0x01, 0x01, 0x01, 0x0b,
		0x84, 0x80, 0x80, 0x80, 0x00, 0x00, 0x00, 0x01, 0x0b}
	c, err := newBlankCode(bytes.NewReader(in), wasm.CodeSpan{Size: uint32(len(in))})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(in))
	if _, err := c.readAt(got, 0); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got  %x\nwant %x", got, want)
	}
}

// Any read of blanked code gives the bytes that the plain way gives, wherever it
// starts and ends, across marks and within LEBs.
func TestBlankReadsAnywhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var lengths []int
	for range 3000 {
		n := 2 + rng.IntN(60)
		switch rng.IntN(40) {
		case 0:
			n = 2 + rng.IntN(3*markEvery) // bodies that span marks
		case 1:
			n = -n
		}
		lengths = append(lengths, n)
	}
	code := payload(lengths...)
	want := blanked(t, code)
	const before = 77 // the payload does not start the file
	file := append(make([]byte, before), code...)
	c, err := newBlankCode(bytes.NewReader(file), wasm.CodeSpan{Start: before, Size: uint32(len(code))})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.marks) < 2 || len(c.marks) > len(code)/markEvery+1 {
		t.Fatalf("%d marks for %d bytes of code", len(c.marks), len(code))
	}
	check := func(off, n int) {
		got := make([]byte, n)
		if _, err := c.readAt(got, int64(off)); err != nil {
			t.Fatalf("readAt(%d bytes, %d): %v", n, off, err)
		}
		if !bytes.Equal(got, want[off:off+n]) {
			t.Fatalf("readAt(%d bytes, %d) differs", n, off)
		}
	}
	check(0, len(code))
	for off := range 40 {
		for n := range 20 {
			check(off, n)
		}
	}
	for range 2000 {
		off := rng.IntN(len(code))
		check(off, rng.IntN(min(200, len(code)-off)+1))
	}
	for i := 1; i < len(c.marks); i += 7 { // around every seventh mark
		for d := -6; d < 6; d++ {
			check(int(c.marks[i])+d, 9)
		}
	}
}

func TestBlankRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		code []byte
		off  wasm.FileOffset
		text string
	}{
		{"empty payload", nil, 0, "the function count"},
		{"count without bodies", []byte{1}, 1, "a body size"},
		{"body of one byte", []byte{1, 1, 0x0b}, 2, "a body of 1 bytes"},
		{"body beyond the end", []byte{2, 2, 0, 0x0b, 9, 0, 0x0b}, 5, "body 1 of 2"},
		{"bytes behind the last body", []byte{1, 2, 0, 0x0b, 7}, 4, "1 bytes behind"},
		{"endless count", []byte{0xff, 0xff, 0xff, 0xff, 0x0f, 2, 0, 0x0b}, 8, "a body size"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := newBlankCode(bytes.NewReader(c.code), wasm.CodeSpan{Size: uint32(len(c.code))})
			var format *wasm.FormatError
			if !errors.As(err, &format) || format.Off != c.off || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %v, want a format error at %v with %q", err, c.off, c.text)
			}
		})
	}
}

func BenchmarkBlank(b *testing.B) {
	lengths := make([]int, 20_000)
	for i := range lengths {
		lengths[i] = 100 + i%900
	}
	code := payload(lengths...)
	c, err := newBlankCode(bytes.NewReader(code), wasm.CodeSpan{Size: uint32(len(code))})
	if err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, copyChunk)
	b.SetBytes(int64(len(code)))
	b.ReportAllocs()
	for b.Loop() {
		for off := 0; off < len(code); off += len(buf) {
			if _, err := c.readAt(buf[:min(len(buf), len(code)-off)], int64(off)); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func TestIsBlank(t *testing.T) {
	for n := 2; n < 40; n++ {
		body := make([]byte, n)
		fillBody(body, 0, 0, int64(n))
		if !IsBlank(body) {
			t.Errorf("% x is not blank", body)
		}
		for i := range body {
			body[i] ^= 2
			if IsBlank(body) {
				t.Errorf("% x is blank", body)
			}
			body[i] ^= 2
		}
	}
	for _, body := range [][]byte{nil, {0x0b}, {0}, {1, 0x0b}, {0, 1, 0x0b}} {
		if IsBlank(body) {
			t.Errorf("% x is blank", body)
		}
	}
}
