package wasm

import (
	"errors"
	"fmt"
	"io"
)

// Stream reads one extent of a file from front to back through a window of
// bounded size. Every error is a *FormatError that carries the file offset, so
// a reader built on a Stream reports the same errors however the bytes arrive.
type Stream struct {
	r       io.ReaderAt
	section string
	off     FileOffset // F of buf[pos]
	end     FileOffset // F behind the extent
	buf     []byte
	pos     int
	window  []byte
}

// NewStream returns a Stream over r from offset start up to end. The section
// label appears in errors.
func NewStream(r io.ReaderAt, start, end FileOffset, section string) *Stream {
	return &Stream{r: r, section: section, off: start, end: end}
}

// Offset returns F of the next byte.
func (s *Stream) Offset() FileOffset { return s.off }

// End returns F of the first byte behind the extent.
func (s *Stream) End() FileOffset { return s.end }

// Remaining returns the number of bytes left in the extent.
func (s *Stream) Remaining() int64 { return int64(s.end - s.off) }

// Errorf returns a *FormatError for the next byte's offset.
func (s *Stream) Errorf(err error, format string, args ...any) error {
	return &FormatError{Off: s.off, Section: s.section, Msg: fmt.Sprintf(format, args...), Err: err}
}

// fill makes at least n bytes available at buf[pos:], or as many as the window
// and the rest of the extent hold. n is at most streamChunk. It fails only when
// one of those bytes cannot be read, and then with that byte's offset, so that
// an error does not depend on how far the window happened to read ahead.
func (s *Stream) fill(n int) error {
	have := len(s.buf) - s.pos
	if have >= n || int64(have) >= s.Remaining() {
		return nil
	}
	if s.window == nil {
		s.window = make([]byte, min(int64(streamChunk), s.Remaining()))
	}
	copy(s.window, s.buf[s.pos:])
	want := min(int64(len(s.window)), s.Remaining())
	got, err := s.r.ReadAt(s.window[have:want], int64(s.off)+int64(have))
	s.buf, s.pos = s.window[:have+got], 0
	if int64(have+got) >= min(int64(n), want) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		// The extent was inside the file when it was opened.
		err = io.ErrUnexpectedEOF
	}
	return &FormatError{Off: s.off + FileOffset(have+got), Section: s.section, Msg: "reading the file", Err: readError{err}}
}

// Peek returns up to n bytes without consuming them, fewer at the end of the
// extent. The slice is valid until the next call. n is at most 65,536.
func (s *Stream) Peek(n int) ([]byte, error) {
	if err := s.fill(min(n, streamChunk)); err != nil {
		return nil, err
	}
	return s.buf[s.pos:min(s.pos+n, len(s.buf))], nil
}

func (s *Stream) advance(n int) {
	s.pos += n
	s.off += FileOffset(n)
}

// Byte reads one byte.
func (s *Stream) Byte(what string) (byte, error) {
	b, err := s.Peek(1)
	if err != nil {
		return 0, err
	}
	if len(b) == 0 {
		return 0, s.Errorf(ErrTruncated, "reading %s", what)
	}
	v := b[0]
	s.advance(1)
	return v, nil
}

// Uint32 reads a u32 in LEB128. The text what names the number in errors.
func (s *Stream) Uint32(what string) (uint32, error) {
	b, err := s.Peek(maxLen32)
	if err != nil {
		return 0, err
	}
	v, n, err := Uint32(b)
	if err != nil {
		return 0, s.Errorf(err, "reading %s", what)
	}
	s.advance(n)
	return v, nil
}

// Uint64 reads a u64 in LEB128; see Uint32.
func (s *Stream) Uint64(what string) (uint64, error) {
	b, err := s.Peek(maxLen64)
	if err != nil {
		return 0, err
	}
	v, n, err := Uint64(b)
	if err != nil {
		return 0, s.Errorf(err, "reading %s", what)
	}
	s.advance(n)
	return v, nil
}

// Int33 reads an s33 in LEB128; see Uint32.
func (s *Stream) Int33(what string) (int64, error) {
	b, err := s.Peek(maxLen32)
	if err != nil {
		return 0, err
	}
	v, n, err := Int33(b)
	if err != nil {
		return 0, s.Errorf(err, "reading %s", what)
	}
	s.advance(n)
	return v, nil
}

// Skip passes over n bytes.
func (s *Stream) Skip(n int64, what string) error {
	if n < 0 || n > s.Remaining() {
		return s.Errorf(ErrTruncated, "%s takes %d bytes, %d are left", what, n, s.Remaining())
	}
	if have := int64(len(s.buf) - s.pos); n <= have {
		s.advance(int(n))
		return nil
	}
	s.off += FileOffset(n)
	s.buf, s.pos = nil, 0
	return nil
}

// Bytes reads n bytes into memory of their own. It refuses n above limit, and n
// above what the extent still holds, before it allocates.
func (s *Stream) Bytes(n, limit int64, what string) ([]byte, error) {
	if n < 0 || n > s.Remaining() {
		return nil, s.Errorf(ErrTruncated, "%s takes %d bytes, %d are left", what, n, s.Remaining())
	}
	if n > limit {
		return nil, s.Errorf(ErrLimit, "%s takes %d bytes, more than the %d that are read", what, n, limit)
	}
	out := make([]byte, n)
	for done := 0; done < len(out); {
		b, err := s.Peek(min(len(out)-done, streamChunk))
		if err != nil {
			return nil, err
		}
		done += copy(out[done:], b)
		s.advance(len(b))
	}
	return out, nil
}

// Name reads a length-prefixed byte string. Names are meant to be UTF-8; what
// is not is returned as it stands, because a section with a strange name must
// survive a copy.
func (s *Stream) Name(limit int64, what string) (string, error) {
	n, err := s.Uint32("the length of " + what)
	if err != nil {
		return "", err
	}
	b, err := s.Bytes(int64(n), limit, what)
	return string(b), err
}

// Sub returns a Stream over the next n bytes and passes over them.
func (s *Stream) Sub(n int64, what string) (*Stream, error) {
	start := s.off
	if err := s.Skip(n, what); err != nil {
		return nil, err
	}
	return NewStream(s.r, start, s.off, s.section), nil
}
