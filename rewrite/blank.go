package rewrite

import (
	"bytes"
	"fmt"
	"io"
	"sort"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// blankCode is a Code section's payload with every body blanked: the same
// length, the same function count, the same size LEBs and so the same body
// extents, but no code. A body of n bytes becomes
//
//	00          no local declarations
//	00          unreachable
//	01 × n−3    nop
//	0b          end
//
// which is valid for every signature, because what follows unreachable has any
// type. A body of 2 bytes is 00 0b in any valid module: it has no result.
//
// The blanked bytes are made while they are read. Kept in memory is only a mark
// every 32 KiB from which the walk over the size LEBs can start.
type blankCode struct {
	src   io.ReaderAt
	span  wasm.CodeSpan
	marks []wasm.CodeOffset // positions of size LEBs (the first one is behind the function count)
}

const markEvery = 32 << 10

const (
	opUnreachable = 0x00
	opNop         = 0x01
	opEnd         = 0x0b
)

// newBlankCode walks the bodies once, checking that they tile the section.
func newBlankCode(src io.ReaderAt, span wasm.CodeSpan) (*blankCode, error) {
	b := &blankCode{src: src, span: span}
	s := b.stream(0)
	count, err := s.Uint32("the function count")
	if err != nil {
		return nil, err
	}
	next := wasm.CodeOffset(0)
	for i := uint32(0); i < count; i++ {
		at, _ := span.Code(s.Offset())
		if i == 0 || at >= next {
			b.marks = append(b.marks, at)
			next = at + markEvery
		}
		n, err := s.Uint32("a body size")
		if err != nil {
			return nil, err
		}
		if n < 2 {
			return nil, s.Errorf(nil, "a body of %d bytes: the smallest one has 2", n)
		}
		what := "a body"
		if int64(n) > s.Remaining() { // a name for each of a million bodies would take longer than the walk
			what = fmt.Sprintf("body %d of %d", i, count)
		}
		if err := s.Skip(int64(n), what); err != nil {
			return nil, err
		}
	}
	if s.Remaining() > 0 {
		return nil, s.Errorf(nil, "%d bytes behind the last of %d bodies", s.Remaining(), count)
	}
	return b, nil
}

func (b *blankCode) stream(at wasm.CodeOffset) *wasm.Stream {
	start, _ := b.span.File(at)
	return wasm.NewStream(b.src, start, b.span.End(), "code section")
}

// readAt fills p with blanked bytes beginning at payload offset off.
func (b *blankCode) readAt(p []byte, off int64) (int, error) {
	end := off + int64(len(p))
	// Whatever stands before the first mark is the function count.
	k := sort.Search(len(b.marks), func(i int) bool { return int64(b.marks[i]) > off }) - 1
	pos := int64(0)
	if k >= 0 {
		pos = int64(b.marks[k])
	} else if err := b.copyHeader(p, off); err != nil {
		return 0, err
	} else if len(b.marks) > 0 {
		pos = int64(b.marks[0])
	} else {
		pos = end
	}
	s := b.stream(wasm.CodeOffset(pos))
	for pos < end {
		head, err := s.Peek(5)
		if err != nil {
			return 0, err
		}
		size, width, err := wasm.Uint32(head)
		if err != nil {
			return 0, s.Errorf(err, "reading a body size")
		}
		put(p, off, pos, head[:width])
		pos += int64(width)
		fillBody(p, off, pos, int64(size))
		pos += int64(size)
		if err := s.Skip(int64(width)+int64(size), "a body"); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// copyHeader copies the part of the function count that p covers.
func (b *blankCode) copyHeader(p []byte, off int64) error {
	n := int64(b.span.Size)
	if len(b.marks) > 0 {
		n = int64(b.marks[0])
	}
	if off >= n {
		return nil
	}
	want := p[:min(int64(len(p)), n-off)]
	got, err := b.src.ReadAt(want, int64(b.span.Start)+off)
	if got == len(want) {
		return nil
	}
	return &wasm.FormatError{Off: b.span.Start + wasm.FileOffset(off), Section: "code section", Msg: "reading the function count", Err: err}
}

// put copies src, whose payload offset is at, to where it falls in p, whose
// payload offset is off.
func put(p []byte, off, at int64, src []byte) {
	if d := off - at; d > 0 {
		src = src[min(d, int64(len(src))):]
		at += d
	}
	if at-off < int64(len(p)) {
		copy(p[max(0, at-off):], src)
	}
}

// fillBody writes the blanked body of size bytes at payload offset at.
func fillBody(p []byte, off, at, size int64) {
	lo, hi := max(at, off), min(at+size, off+int64(len(p)))
	if lo >= hi {
		return
	}
	for b := p[lo-off : hi-off]; len(b) > 0; {
		b = b[copy(b, nops):]
	}
	set := func(i int64, c byte) {
		if i >= lo && i < hi {
			p[i-off] = c
		}
	}
	set(at, opUnreachable) // the count of local declarations is a zero as well
	set(at+1, opUnreachable)
	set(at+size-1, opEnd) // of two bytes the second one
}

// nops is what blanked bodies are filled with.
var nops = bytes.Repeat([]byte{opNop}, 4096)

// IsBlank reports whether body, the bytes of a function body from its local
// declarations to its end, is what the code of a companion of kind symbols holds
// in place of a body of that length.
func IsBlank(body []byte) bool {
	n := len(body)
	if n < 2 || body[0] != opUnreachable || body[n-1] != opEnd || n > 2 && body[1] != opUnreachable {
		return false
	}
	rest := body[min(2, n-1) : n-1]
	return bytes.Count(rest, nops[:1]) == len(rest)
}
