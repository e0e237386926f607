package wasm

import (
	"errors"
	"fmt"
)

// ErrUnknownType: a value or heap type that this package does not know, and
// whose length it therefore cannot know either.
var ErrUnknownType = errors.New("unknown type")

// Bytes that open a type. Abstract heap types and the shorthands for references
// to them share one set of codes.
//
// https://webassembly.github.io/spec/core/binary/types.html
const (
	typeEmpty   = 0x40 // block types only: no parameters, no results
	typeExact   = 0x62 // heap types only: a type index follows (custom descriptors)
	typeRef     = 0x64 // a heap type follows
	typeRefNull = 0x63 // a heap type follows
)

// isNumType reports whether b is i32, i64, f32, f64 or v128.
func isNumType(b byte) bool { return b >= 0x7b && b <= 0x7f }

// isAbstractHeap reports whether b is the code of an abstract heap type: from
// cont (0x68) over exn, array, struct, i31, eq, any, extern, func, none,
// noextern, nofunc and noexn to nocont (0x75).
func isAbstractHeap(b byte) bool { return b >= 0x68 && b <= 0x75 }

// opError is an error at a position of a byte slice; it becomes a *FormatError
// where the slice's place in the file is known.
type opError struct {
	pos int
	msg string
	err error
}

func (e *opError) at(base FileOffset) *FormatError {
	return &FormatError{Off: base + FileOffset(e.pos), Section: codeLabel, Msg: e.msg, Err: e.err}
}

// codeLabel is the Code section's Label.
const codeLabel = "code section"

// valTypeEnd returns the position behind the value type at pos.
func valTypeEnd(b []byte, pos int) (int, *opError) {
	if pos >= len(b) {
		return pos, &opError{pos, "reading a value type", ErrTruncated}
	}
	switch c := b[pos]; {
	case isNumType(c), isAbstractHeap(c):
		return pos + 1, nil
	case c == typeRef, c == typeRefNull:
		return heapTypeEnd(b, pos+1)
	default:
		return pos, &opError{pos, fmt.Sprintf("value type 0x%02x", c), ErrUnknownType}
	}
}

// heapTypeEnd returns the position behind the heap type at pos.
func heapTypeEnd(b []byte, pos int) (int, *opError) {
	if pos >= len(b) {
		return pos, &opError{pos, "reading a heap type", ErrTruncated}
	}
	switch c := b[pos]; {
	case isAbstractHeap(c):
		return pos + 1, nil
	case c == typeExact:
		_, n, err := Uint32(b[pos+1:])
		if err != nil {
			return pos, &opError{pos + 1, "reading the index of an exact heap type", err}
		}
		return pos + 1 + n, nil
	case c&0xc0 == 0x40: // negative in one byte: an abstract type, but none of the known ones
		return pos, &opError{pos, fmt.Sprintf("heap type 0x%02x", c), ErrUnknownType}
	}
	return typeIndexEnd(b, pos, "a heap type")
}

// blockTypeEnd returns the position behind the block type at pos.
func blockTypeEnd(b []byte, pos int) (int, *opError) {
	if pos >= len(b) {
		return pos, &opError{pos, "reading a block type", ErrTruncated}
	}
	switch c := b[pos]; {
	case c == typeEmpty:
		return pos + 1, nil
	case c&0xc0 == 0x40:
		return valTypeEnd(b, pos)
	}
	return typeIndexEnd(b, pos, "a block type")
}

// typeIndexEnd returns the position behind a type index in the form of an s33,
// which shares its place with codes of types. Those are negative numbers of one
// byte; a negative number of several bytes is neither.
func typeIndexEnd(b []byte, pos int, what string) (int, *opError) {
	v, n, err := Int33(b[pos:])
	if err != nil {
		return pos, &opError{pos, "reading " + what, err}
	}
	if v < 0 {
		return pos, &opError{pos, fmt.Sprintf("%s is %d, which is neither a type's code nor a type index", what, v), ErrUnknownType}
	}
	return pos + n, nil
}
