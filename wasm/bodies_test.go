package wasm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// rawSection and rawModule write modules byte by byte, so that they can be wrong.
func rawSection(id SectionID, payload []byte) []byte {
	return append(AppendUint32([]byte{byte(id)}, uint32(len(payload))), payload...)
}

func rawModule(sections ...[]byte) []byte {
	return slices.Concat(append([][]byte{preamble[:]}, sections...)...)
}

func openRaw(t testing.TB, data []byte) *File {
	t.Helper()
	f, err := NewFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// twoImports holds two functions, a memory and a table between them.
var twoImports = []byte{4,
	1, 'm', 1, 'f', 0, 0,
	1, 'm', 1, 't', 1, 0x70, 0, 1,
	1, 'm', 1, 'n', 2, 1, 1, 2,
	1, 'm', 1, 'g', 0, 5}

func TestBodyReader(t *testing.T) {
	payload := []byte{0x83, 0x00, // three bodies, in a number that is not minimal
		0x02, 0x00, 0x0b,
		0x85, 0x80, 0x80, 0x80, 0x00, 0x01, 0x02, 0x7f, 0x00, 0x0b,
		0x06, 0x02, 0x01, 0x7e, 0x02, 0x6f, 0x0b,
	}
	f := openRaw(t, rawModule(rawSection(SectionImport, twoImports), rawSection(SectionFunction, []byte{3, 0, 0, 0}), rawSection(SectionCode, payload)))
	span, _ := f.CodeSpan()
	r, err := NewBodyReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if r.Count() != 3 {
		t.Errorf("%d bodies, want 3", r.Count())
	}
	wants := []struct {
		Body
		locals Locals
		code   string
	}{
		{Body{Index: 2, SizeAt: 2, Start: 3, End: 5, span: span}, Locals{End: 4}, "00 0b"},
		{Body{Index: 3, SizeAt: 5, Start: 10, End: 15, span: span}, Locals{Count: 2, Groups: 1, End: 13}, "01 02 7f 00 0b"},
		{Body{Index: 4, SizeAt: 15, Start: 16, End: 22, span: span}, Locals{Count: 3, Groups: 2, End: 21}, "02 01 7e 02 6f 0b"},
	}
	var buf []byte
	for _, want := range wants {
		b, err := r.Next()
		if err != nil || b != want.Body {
			t.Fatalf("body %+v (%v), want %+v", b, err, want.Body)
		}
		if buf, err = r.Bytes(b, buf); err != nil || !bytes.Equal(buf, unhex(t, want.code)) {
			t.Errorf("function %d: bytes %x (%v), want %s", b.Index, buf, err, want.code)
		}
		if l, err := r.Locals(b); err != nil || l != want.locals {
			t.Errorf("function %d: locals %+v (%v), want %+v", b.Index, l, err, want.locals)
		}
		if l, err := b.Locals(buf); err != nil || l != want.locals {
			t.Errorf("function %d: locals from memory %+v (%v), want %+v", b.Index, l, err, want.locals)
		}
		if !b.Contains(b.Start) || b.Contains(b.End) || b.Contains(b.SizeAt) || b.Span() != span {
			t.Errorf("function %d: extent", b.Index)
		}
	}
	for range 2 {
		if _, err := r.Next(); err != io.EOF {
			t.Errorf("behind the last body: %v", err)
		}
	}
}

func TestBodyReaderReusesTheBuffer(t *testing.T) {
	payload := []byte{1, 2, 0, 0x0b}
	r, err := NewBodyReaderAt(bytes.NewReader(payload), CodeSpan{Size: 4}, 0)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := r.Next()
	buf := make([]byte, 0, 16)
	if got, err := r.Bytes(b, buf); err != nil || &got[0] != &buf[:1][0] {
		t.Errorf("a buffer that is long enough is not used (%v)", err)
	}
}

func TestBodyReaderErrors(t *testing.T) {
	for _, c := range []struct {
		name    string
		payload string
		off     FileOffset
		is      error
		text    string
	}{
		{"empty payload", "", 0x40, ErrTruncated, "number of function bodies"},
		{"count too large", "ff ff ff ff 1f", 0x40, ErrOverflow, "number of function bodies"},
		{"count beyond the payload", "03 02 00 0b", 0x40, ErrTruncated, "3 function bodies claimed in 3 bytes"},
		{"size beyond the payload", "01 04 00 0b 0b", 0x41, ErrTruncated, "body of function 5 claims 4 bytes, the section has 3 left"},
		{"size that eats the next body", "02 05 00 0b 02 00 0b", 0x47, ErrTruncated, "size of a function body"},
		{"size too small", "01 02 00 01 0b", 0x44, nil, "1 bytes behind the last of 1 function bodies"},
		{"empty body", "01 00 00", 0x41, nil, "body of function 5 is empty"},
		{"size that is not a number", "01 80 80 80 80 80 00", 0x41, ErrOverflow, "size of a function body"},
	} {
		payload := unhex(t, c.payload)
		file := append(make([]byte, 0x40), payload...)
		walk := func(next func() error, err error) error {
			for err == nil {
				err = next()
			}
			return err
		}
		r, err := NewBodyReaderAt(bytes.NewReader(file), CodeSpan{Start: 0x40, Size: uint32(len(payload))}, 5)
		err = walk(func() error { _, err := r.Next(); return err }, err)
		var fe *FormatError
		if !errors.As(err, &fe) || c.is != nil && !errors.Is(err, c.is) || fe.Off != c.off || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v; want offset %v and %q", c.name, err, c.off, c.text)
		}
		if r != nil {
			if _, again := r.Next(); again != err {
				t.Errorf("%s: not final", c.name)
			}
		}
		l, err2 := NewBodies(payload, 0x40, 5)
		err2 = walk(func() error { _, _, err := l.Next(); return err }, err2)
		if fmt.Sprint(err2) != fmt.Sprint(err) {
			t.Errorf("%s: in memory %v, from the file %v", c.name, err2, err)
		}
	}
	if _, err := NewBodies([]byte{1, 2, 0, 0x0b}, 0, 0xffffffff); !errors.Is(err, ErrLimit) {
		t.Errorf("function indices above 2^32-1: %v", err)
	}
}

func TestLocalsErrors(t *testing.T) {
	for _, c := range []struct {
		name, code string
		off        FileOffset
		is         error
	}{
		{"count missing", "80", 0, ErrTruncated},
		{"more groups than bytes", "03 01 7f 01 7f", 0, ErrTruncated},
		{"type missing", "01 81 01", 3, ErrTruncated},
		{"reference cut", "01 01 64", 3, ErrTruncated},
		{"unknown reference", "01 01 64 41 0b", 3, ErrUnknownType},
		{"packed type", "02 01 7f 01 77 0b", 4, ErrUnknownType},
		{"too many", "02 ff ff ff ff 0f 7f 01 7f 0b", 7, ErrOverflow},
	} {
		code := unhex(t, c.code)
		payload := append([]byte{1, byte(len(code))}, code...)
		r, err := NewBodyReaderAt(bytes.NewReader(payload), CodeSpan{Size: uint32(len(payload))}, 0)
		if err != nil {
			t.Fatal(err)
		}
		b, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Locals(b)
		var fe *FormatError
		if !errors.As(err, &fe) || !errors.Is(err, c.is) || fe.Off != 2+c.off {
			t.Errorf("%s: %v; want %v at %v", c.name, err, c.is, 2+c.off)
		}
		if _, err2 := b.Locals(code); fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Errorf("%s: in memory %v, from the file %v", c.name, err2, err)
		}
	}
	// The largest total that is a u32.
	code := unhex(t, "02 fe ff ff ff 0f 7f 01 7f 0b")
	if l, err := testBody(code).Locals(code); err != nil || l.Count != 0xffffffff {
		t.Errorf("2^32-1 locals: %+v, %v", l, err)
	}
}

func TestBodyCountsMustAgree(t *testing.T) {
	fn := func(n byte) []byte { return rawSection(SectionFunction, append([]byte{n}, make([]byte, n)...)) }
	code := rawSection(SectionCode, []byte{1, 2, 0, 0x0b})
	for _, c := range []struct {
		name string
		data []byte
		text string
	}{
		{"fewer bodies", rawModule(fn(2), code), "1 function bodies, but the function section declares 2"},
		{"more bodies", rawModule(fn(0), code), "1 function bodies, but the function section declares 0"},
		{"no function section", rawModule(code), "declares 0"},
		{"no code section", rawModule(fn(3)), "3 functions declared, but there is no code section"},
		{"two function sections", rawModule(fn(1), fn(1), code), "a second function section; the first is at 0x8"},
		{"two import sections", rawModule(rawSection(SectionImport, []byte{0}), rawSection(SectionImport, []byte{0}), fn(1), code), "a second import section"},
		{"function section that lies", rawModule(rawSection(SectionFunction, []byte{9, 0}), code), "9 functions claimed in 1 bytes"},
	} {
		if _, err := NewBodyReader(openRaw(t, c.data)); err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v; want %q", c.name, err, c.text)
		}
	}
	r, err := NewBodyReader(openRaw(t, rawModule()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err != io.EOF || r.Count() != 0 {
		t.Errorf("a module without code: %v, %d bodies", err, r.Count())
	}
}

// bigReader is a file of one huge body; only its first bytes are not zero.
type bigReader struct{ head []byte }

func (r bigReader) ReadAt(p []byte, off int64) (int, error) {
	clear(p)
	if off < int64(len(r.head)) {
		copy(p, r.head[off:])
	}
	return len(p), nil
}

func TestHugeBody(t *testing.T) {
	const size = 3 << 30
	head := AppendUint32([]byte{1}, size)
	at := len(head)
	head = append(head, 1, 5, 0x7f)
	r, err := NewBodyReaderAt(bigReader{head}, CodeSpan{Size: uint32(at) + size}, 0)
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.Next()
	if err != nil || b.Size() != size {
		t.Fatalf("%+v, %v", b, err)
	}
	if l, err := r.Locals(b); err != nil || l.Count != 5 || l.End != b.Start+3 {
		t.Errorf("locals %+v, %v", l, err)
	}
	if _, err := r.Bytes(b, nil); !errors.Is(err, ErrLimit) {
		t.Errorf("3 GiB in memory: %v", err)
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("behind the body: %v", err)
	}
}

func FuzzBodies(f *testing.F) {
	f.Add([]byte{1, 2, 0, 0x0b}, uint32(0))
	f.Add([]byte{0x82, 0x00, 5, 1, 2, 0x7f, 0, 0x0b, 0x82, 0x80, 0x00, 0, 0x0b}, uint32(3))
	f.Add([]byte{1, 5, 2, 1, 0x64, 0x70, 0x0b, 0}, uint32(0xffffffff))
	f.Add([]byte{0}, uint32(0))
	f.Add([]byte{1, 9, 1, 1, 0x63, 0x62, 5, 0x0e, 0, 0, 0x0b}, uint32(0))
	f.Fuzz(func(t *testing.T, payload []byte, imported uint32) {
		const start = 0x21
		file := append(make([]byte, start), payload...)
		r, err := NewBodyReaderAt(bytes.NewReader(file), CodeSpan{Start: start, Size: uint32(len(payload))}, imported)
		l, err2 := NewBodies(payload, start, imported)
		if fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Fatalf("from the file %v, in memory %v", err, err2)
		}
		if err != nil {
			return
		}
		end := CodeOffset(0)
		for n := uint32(0); ; n++ {
			b, err := r.Next()
			b2, code, err2 := l.Next()
			if b != b2 || fmt.Sprint(err) != fmt.Sprint(err2) {
				t.Fatalf("from the file %+v (%v), in memory %+v (%v)", b, err, b2, err2)
			}
			if err == io.EOF && (n != r.Count() || int(end) != len(payload) && n > 0) {
				t.Fatalf("%d of %d bodies, up to %v of %d bytes", n, r.Count(), end, len(payload))
			}
			if err != nil {
				return
			}
			if b.Index != imported+n || n > 0 && b.SizeAt != end || b.Start <= b.SizeAt || b.End <= b.Start {
				t.Fatalf("body %+v behind %v", b, end)
			}
			end = b.End
			data, err := r.Bytes(b, nil)
			if err != nil || !bytes.Equal(data, code) {
				t.Fatalf("bytes %x (%v), in memory %x", data, err, code)
			}
			loc, err := r.Locals(b)
			loc2, err2 := b.Locals(code)
			if loc != loc2 || fmt.Sprint(err) != fmt.Sprint(err2) {
				t.Fatalf("locals %+v (%v), in memory %+v (%v)", loc, err, loc2, err2)
			}
			checkWalk(t, b, code, loc, err)
		}
	})
}

// checkWalk walks a body and checks that its instructions lie end to end.
func checkWalk(t *testing.T, b Body, code []byte, loc Locals, locErr error) {
	t.Helper()
	it := b.Instructions(code)
	at := loc.End
	for it.Next() {
		if locErr != nil || it.At() != at || it.Instr().Len == 0 {
			t.Fatalf("instruction at %v, the one before ends at %v (%v)", it.At(), at, locErr)
		}
		at += CodeOffset(it.Instr().Len)
		if in, err := DecodeInstr(code, int(it.At()-b.Start), 0); err != nil || in != it.Instr() {
			t.Fatalf("at %v: the walk has %+v, DecodeInstr %+v (%v)", it.At(), it.Instr(), in, err)
		}
	}
	if it.Err() == nil && at != b.End {
		t.Fatalf("the walk ends at %v without error, the body at %v", at, b.End)
	}
	if locErr != nil && fmt.Sprint(it.Err()) != fmt.Sprint(locErr) {
		t.Fatalf("locals fail with %v, the walk with %v", locErr, it.Err())
	}
}
