package wasm

import (
	"fmt"
	"io"
	"math"
)

// MaxBody is the size in bytes up to which a body is read into memory. Engines
// refuse functions far below it.
const MaxBody = 64 << 20

// bodySource is what the scan of bodies reads from: a Stream, or bytes.
type bodySource interface {
	Uint32(what string) (uint32, error)
	Skip(n int64, what string) error
	Offset() FileOffset
	Remaining() int64
	Errorf(err error, format string, args ...any) error
}

// bodyScan lists the bodies of a Code payload by their size LEBs.
type bodyScan struct {
	src   bodySource
	span  CodeSpan
	count uint32 // bodies in all
	index uint32 // function index of the first
	next  uint32 // bodies seen
	err   error
}

func newBodyScan(src bodySource, span CodeSpan, imported uint32) (bodyScan, error) {
	s := bodyScan{src: src, span: span, index: imported}
	at := src.Offset()
	count, err := src.Uint32("the number of function bodies")
	if err != nil {
		return s, err
	}
	s.count = count
	switch {
	case int64(count) > src.Remaining()/2: // a size and a byte each at least
		return s, &FormatError{Off: at, Section: codeLabel, Err: ErrTruncated,
			Msg: fmt.Sprintf("%d function bodies claimed in %d bytes", count, src.Remaining())}
	case count > math.MaxUint32-imported:
		return s, &FormatError{Off: at, Section: codeLabel, Err: ErrLimit,
			Msg: fmt.Sprintf("%d function bodies and %d imported functions", count, imported)}
	}
	return s, nil
}

// scan returns the next body, or io.EOF behind the last. Errors are final.
func (s *bodyScan) scan() (Body, error) {
	if s.err != nil {
		return Body{}, s.err
	}
	b, err := s.body()
	s.err = err
	return b, err
}

func (s *bodyScan) body() (Body, error) {
	if s.next == s.count {
		if n := s.src.Remaining(); n > 0 {
			return Body{}, s.src.Errorf(nil, "%d bytes behind the last of %d function bodies", n, s.count)
		}
		return Body{}, io.EOF
	}
	b := Body{Index: s.index + s.next, span: s.span}
	b.SizeAt = s.offset()
	size, err := s.src.Uint32("the size of a function body")
	if err != nil {
		return Body{}, err
	}
	b.Start = s.offset()
	if size == 0 || int64(size) > s.src.Remaining() {
		err := &FormatError{Section: codeLabel, Off: s.span.Start + FileOffset(b.SizeAt)}
		if size == 0 {
			err.Msg = fmt.Sprintf("the body of function %d is empty", b.Index)
		} else {
			err.Msg = fmt.Sprintf("the body of function %d claims %d bytes, the section has %d left", b.Index, size, s.src.Remaining())
			err.Err = ErrTruncated
		}
		return Body{}, err
	}
	b.End = b.Start + CodeOffset(size)
	if err := s.src.Skip(int64(size), "a function body"); err != nil {
		return Body{}, err
	}
	s.next++
	return b, nil
}

// offset returns C of the next byte.
func (s *bodyScan) offset() CodeOffset { return CodeOffset(s.src.Offset() - s.span.Start) }

// BodyReader lists the function bodies of a Code section in order, without
// reading them into memory.
type BodyReader struct {
	r io.ReaderAt
	bodyScan
}

// NewBodyReader returns a reader over the bodies of f. A module without a Code
// section has none.
//
// The number of bodies must be that of the Function section.
func NewBodyReader(f *File) (*BodyReader, error) {
	imported, err := f.ImportedFunctions()
	if err != nil {
		return nil, err
	}
	declared, err := f.FunctionCount()
	if err != nil {
		return nil, err
	}
	span, ok := f.CodeSpan()
	if !ok {
		if declared != 0 {
			return nil, &FormatError{Off: f.Section(SectionFunction).Offset, Section: "function section",
				Msg: fmt.Sprintf("%d functions declared, but there is no code section", declared)}
		}
		return &BodyReader{r: f.r, bodyScan: bodyScan{err: io.EOF}}, nil
	}
	b, err := NewBodyReaderAt(f.r, span, imported)
	if err != nil {
		return nil, err
	}
	if b.count != declared {
		return nil, &FormatError{Off: span.Start, Section: codeLabel,
			Msg: fmt.Sprintf("%d function bodies, but the function section declares %d", b.count, declared)}
	}
	return b, nil
}

// NewBodyReaderAt returns a reader over the bodies of the Code payload at span
// in r, which may be a file that is planned and not written yet. The first body
// belongs to the function with the index imported.
func NewBodyReaderAt(r io.ReaderAt, span CodeSpan, imported uint32) (*BodyReader, error) {
	scan, err := newBodyScan(NewStream(r, span.Start, span.End(), codeLabel), span, imported)
	if err != nil {
		return nil, err
	}
	return &BodyReader{r: r, bodyScan: scan}, nil
}

// Count returns the number of bodies. It is the file's word, but one that fits
// the section's size.
func (r *BodyReader) Count() uint32 { return r.count }

// Next returns the next body, or io.EOF behind the last. Any other error is a
// *FormatError, and final.
func (r *BodyReader) Next() (Body, error) { return r.scan() }

// Bytes reads a body that Next returned, into buf where that is long enough. It
// refuses bodies above MaxBody.
func (r *BodyReader) Bytes(b Body, buf []byte) ([]byte, error) {
	s := r.stream(b)
	if b.Size() > MaxBody || uint64(b.Size()) > uint64(cap(buf)) {
		return s.Bytes(int64(b.Size()), MaxBody, "a function body")
	}
	buf = buf[:b.Size()]
	if n, err := r.r.ReadAt(buf, int64(s.Offset())); n < len(buf) {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, s.Errorf(err, "reading the file")
	}
	return buf, nil
}

// Locals decodes the local declarations of a body that Next returned, without
// reading more of it.
func (r *BodyReader) Locals(b Body) (Locals, error) {
	s := r.stream(b)
	size := s.Remaining()
	head, err := s.Peek(maxLen32)
	if err != nil {
		return Locals{}, err
	}
	groups, n, e := localGroups(head, size)
	if e != nil {
		return Locals{}, b.wrap(e)
	}
	l := Locals{Groups: groups}
	s.advance(n)
	for ; groups > 0; groups-- {
		at := int(size - s.Remaining())
		if head, err = s.Peek(localGroupMax); err != nil {
			return Locals{}, err
		}
		n, end, e := localGroup(head, 0)
		if e == nil {
			l.Count, e = addLocals(l.Count, n, 0)
		}
		if e != nil {
			e.pos += at
			return Locals{}, b.wrap(e)
		}
		s.advance(end)
	}
	l.End = b.Start + CodeOffset(size-s.Remaining())
	return l, nil
}

func (r *BodyReader) stream(b Body) *Stream {
	start := r.span.Start + FileOffset(b.Start)
	return NewStream(r.r, start, start+FileOffset(b.Size()), codeLabel)
}

// Bodies lists the function bodies of a Code payload that is in memory.
type Bodies struct {
	payload []byte
	bodyScan
}

// NewBodies returns a list of the bodies of a Code payload. Its place in the
// file, start, serves errors and the conversion of offsets. The first body
// belongs to the function with the index imported.
func NewBodies(payload []byte, start FileOffset, imported uint32) (*Bodies, error) {
	if uint64(len(payload)) > math.MaxUint32 {
		return nil, &FormatError{Off: start, Section: codeLabel, Msg: fmt.Sprintf("a payload of %d bytes", len(payload)), Err: ErrLimit}
	}
	span := CodeSpan{Start: start, Size: uint32(len(payload))}
	scan, err := newBodyScan(&byteSource{b: payload, start: start}, span, imported)
	if err != nil {
		return nil, err
	}
	return &Bodies{payload: payload, bodyScan: scan}, nil
}

// Count returns the number of bodies; see BodyReader.Count.
func (l *Bodies) Count() uint32 { return l.count }

// Next returns the next body and its bytes, which are part of the payload, or
// io.EOF behind the last. Any other error is a *FormatError, and final.
func (l *Bodies) Next() (Body, []byte, error) {
	b, err := l.scan()
	if err != nil {
		return Body{}, nil, err
	}
	return b, l.payload[b.Start:b.End:b.End], nil
}

// byteSource is a bodySource over bytes that stand at start in a file.
type byteSource struct {
	b     []byte
	pos   int
	start FileOffset
}

func (s *byteSource) Offset() FileOffset { return s.start + FileOffset(s.pos) }
func (s *byteSource) Remaining() int64   { return int64(len(s.b) - s.pos) }

func (s *byteSource) Errorf(err error, format string, args ...any) error {
	return &FormatError{Off: s.Offset(), Section: codeLabel, Msg: fmt.Sprintf(format, args...), Err: err}
}

func (s *byteSource) Uint32(what string) (uint32, error) {
	v, n, err := Uint32(s.b[s.pos:])
	if err != nil {
		return 0, s.Errorf(err, "reading %s", what)
	}
	s.pos += n
	return v, nil
}

func (s *byteSource) Skip(n int64, what string) error {
	if n < 0 || n > s.Remaining() {
		return s.Errorf(ErrTruncated, "%s takes %d bytes, %d are left", what, n, s.Remaining())
	}
	s.pos += int(n)
	return nil
}
