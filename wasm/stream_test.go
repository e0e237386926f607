package wasm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
)

// withWindow returns a Stream whose window has n bytes.
func withWindow(r io.ReaderAt, start, end FileOffset, n int) *Stream {
	s := NewStream(r, start, end, "test section")
	s.window = make([]byte, n)
	return s
}

// TestStreamBorders puts a number and a name at every place relative to the
// borders of the window.
func TestStreamBorders(t *testing.T) {
	const window = 16
	for at := range 3 * window {
		data := bytes.Repeat([]byte{0xee}, at)
		data = append(data, 0xb9, 0xe4, 0x80, 0x80, 0x00) // 12857, padded
		data = append(data, 3, 'a', 'b', 'c')
		data = append(data, 0x80, 0x80, 0x80, 0x80, 0x70) // the least s33
		data = append(data, 0x2a)
		s := withWindow(bytes.NewReader(data), 0, FileOffset(len(data)), window)
		for range at {
			if b, err := s.Byte("filler"); b != 0xee || err != nil {
				t.Fatalf("filler: %x, %v", b, err)
			}
		}
		if v, err := s.Uint32("a number"); v != 12857 || err != nil {
			t.Fatalf("needle at %d: %d, %v", at, v, err)
		}
		if n, err := s.Name(100, "a name"); n != "abc" || err != nil {
			t.Fatalf("needle at %d: %q, %v", at, n, err)
		}
		if v, err := s.Int33("a type"); v != -1<<32 || err != nil {
			t.Fatalf("needle at %d: %d, %v", at, v, err)
		}
		if v, err := s.Uint64("a number"); v != 42 || err != nil {
			t.Fatalf("needle at %d: %d, %v", at, v, err)
		}
		if s.Remaining() != 0 || s.Offset() != s.End() {
			t.Fatalf("%d bytes are left", s.Remaining())
		}
		_, err := s.Byte("one more")
		want := fmt.Sprintf("offset %#x in test section: reading one more: truncated", len(data))
		if err == nil || err.Error() != want {
			t.Fatalf("error %v, want %s", err, want)
		}
	}
}

// script reads a stream in a fixed way and tells what it saw.
func script(s *Stream) string {
	var out bytes.Buffer
	for i := 0; ; i++ {
		var v any
		var err error
		switch i % 5 {
		case 0:
			v, err = s.Byte("b")
		case 1:
			v, err = s.Uint32("u")
		case 2:
			v, err = s.Name(40, "n")
		case 3:
			err = s.Skip(3, "s")
		case 4:
			v, err = s.Int33("i")
		}
		fmt.Fprintf(&out, "%v@%v ", v, s.Offset())
		if err != nil {
			fmt.Fprintf(&out, "error %v read=%v", err, errors.Is(err, ErrRead))
			return out.String()
		}
	}
}

// cut is a file that was cut to n bytes after it had been opened.
type cut struct {
	data []byte
	n    int
}

func (c cut) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(c.data[:c.n]).ReadAt(p, off)
}

func TestStreamWindowDoesNotMatter(t *testing.T) {
	data := make([]byte, 300)
	for i := range data {
		data[i] = byte(i*i>>3) & 0x1f
	}
	for _, bad := range []int{-1, 40, 100, 250} {
		d := bytes.Clone(data)
		if bad >= 0 {
			for i := range 6 {
				d[bad+i] = 0x80 + byte(i) // no number of any kind
			}
		}
		for size := range len(d) + 1 {
			want := script(NewStream(cut{d, size}, 7, FileOffset(len(d)), "test section"))
			for _, window := range []int{48, 64, 99, 1000} {
				if got := script(withWindow(cut{d, size}, 7, FileOffset(len(d)), window)); got != want {
					t.Fatalf("file of %d bytes, window %d:\n%s\nwant\n%s", size, window, got, want)
				}
			}
		}
	}
}

func TestStreamShrinkingFile(t *testing.T) {
	data := bytes.Repeat([]byte{1}, 100)
	s := NewStream(cut{data, 60}, 10, 100, "x")
	b, err := s.Peek(50)
	if len(b) != 50 || err != nil {
		t.Fatalf("what is there cannot be read: %d bytes, %v", len(b), err)
	}
	_, err = s.Bytes(80, 1000, "data")
	var f *FormatError
	if !errors.As(err, &f) || f.Off != 60 || !errors.Is(err, io.ErrUnexpectedEOF) || !errors.Is(err, ErrRead) {
		t.Errorf("error %v, want an unexpected end at 0x3c", err)
	}
	if errors.Is(err, ErrTruncated) {
		t.Error("a file that cannot be read is taken for a malformed one")
	}
}

func TestStreamReadError(t *testing.T) {
	disk := errors.New("disk")
	s := NewStream(readerFunc(func(p []byte, off int64) (int, error) { return 0, disk }), 0, 10, "x")
	if _, err := s.Uint32("a number"); !errors.Is(err, disk) || !errors.Is(err, ErrRead) {
		t.Errorf("error %v", err)
	}
}

type readerFunc func(p []byte, off int64) (int, error)

func (f readerFunc) ReadAt(p []byte, off int64) (int, error) { return f(p, off) }

func TestStreamLimits(t *testing.T) {
	data := bytes.Repeat([]byte{0xff, 0xff, 0xff, 0xff, 0x0f}, 4)
	open := func() *Stream { return NewStream(bytes.NewReader(data), 0, FileOffset(len(data)), "x") }
	if _, err := open().Name(1<<40, "a name"); !errors.Is(err, ErrTruncated) {
		t.Errorf("a name of 4 GiB in 20 bytes: %v", err)
	}
	if _, err := open().Bytes(20, 19, "data"); !errors.Is(err, ErrLimit) {
		t.Errorf("20 bytes with a limit of 19: %v", err)
	}
	if b, err := open().Bytes(20, 20, "data"); !bytes.Equal(b, data) || err != nil {
		t.Errorf("20 bytes: % x, %v", b, err)
	}
	for _, n := range []int64{-1, 21, 1 << 62} {
		if err := open().Skip(n, "data"); !errors.Is(err, ErrTruncated) {
			t.Errorf("Skip(%d): %v", n, err)
		}
		if _, err := open().Bytes(n, 1<<62, "data"); !errors.Is(err, ErrTruncated) {
			t.Errorf("Bytes(%d): %v", n, err)
		}
	}
	sub, err := open().Sub(5, "inner")
	if err != nil || sub.Remaining() != 5 {
		t.Fatalf("Sub: %v", err)
	}
	if v, err := sub.Uint32("a number"); v != 1<<32-1 || err != nil || sub.Remaining() != 0 {
		t.Errorf("inner number %d, %v", v, err)
	}
}

func TestStreamLargeBytes(t *testing.T) {
	data := make([]byte, 3*streamChunk+17)
	for i := range data {
		data[i] = byte(i >> 8)
	}
	s := NewStream(bytes.NewReader(data), 5, FileOffset(len(data)), "x")
	got, err := s.Bytes(int64(len(data)-5), 1<<30, "data")
	if err != nil || !bytes.Equal(got, data[5:]) {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}

func BenchmarkStreamUint32(b *testing.B) {
	data := bytes.Repeat([]byte{0x81, 0x01, 0x05}, 1<<18)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		s := NewStream(bytes.NewReader(data), 0, FileOffset(len(data)), "x")
		for s.Remaining() > 0 {
			if _, err := s.Uint32("v"); err != nil {
				b.Fatal(err)
			}
		}
	}
}
