package wasm

import (
	"fmt"
	"math"
)

// Body is the place of one function's code. Its layout in the Code section is
// the size LEB at SizeAt, then from Start to End the local declarations and the
// instructions, of which the last is the end at End−1.
//
// https://webassembly.github.io/spec/core/binary/modules.html#code-section
type Body struct {
	Index  uint32     // function index; imported functions come first
	SizeAt CodeOffset // C of the body's size LEB
	Start  CodeOffset // C of the first byte behind the size: the function's DW_AT_low_pc
	End    CodeOffset // C one past the body: the function's DW_AT_high_pc

	span CodeSpan
}

// NewBody returns the Body of a function whose place in the Code payload at span is
// known already. Its SizeAt is not known and set to start.
func NewBody(index uint32, start, end CodeOffset, span CodeSpan) Body {
	return Body{Index: index, SizeAt: start, Start: start, End: end, span: span}
}

// Size returns the body's length in bytes.
func (b Body) Size() uint32 { return uint32(b.End - b.Start) }

// Contains reports whether the byte at c belongs to the body.
func (b Body) Contains(c CodeOffset) bool { return c >= b.Start && c < b.End }

// Span returns the Code payload that the body is part of; it converts the
// body's offsets to offsets in the file.
func (b Body) Span() CodeSpan { return b.span }

// wrap gives an error at a position in the body its place in the file.
func (b Body) wrap(e *opError) error {
	err := e.at(b.span.Start + FileOffset(b.Start))
	err.Msg = fmt.Sprintf("function %d, code offset %v: %s", b.Index, b.Start+CodeOffset(e.pos), err.Msg)
	return err
}

// Locals sums up a body's local declarations.
type Locals struct {
	Count  uint32     // number of locals, parameters not counted
	Groups uint32     // number of declarations
	End    CodeOffset // C of the first instruction
}

// Locals decodes the local declarations of the body, whose bytes are code.
func (b Body) Locals(code []byte) (Locals, error) {
	l, e := b.locals(code)
	if e != nil {
		return Locals{}, b.wrap(e)
	}
	return l, nil
}

func (b Body) locals(code []byte) (Locals, *opError) {
	if uint64(len(code)) != uint64(b.Size()) {
		return Locals{}, &opError{0, fmt.Sprintf("%d bytes given for a body of %d", len(code), b.Size()), nil}
	}
	groups, pos, e := localGroups(code, int64(len(code)))
	if e != nil {
		return Locals{}, e
	}
	l := Locals{Groups: groups}
	for ; groups > 0; groups-- {
		n, end, e := localGroup(code, pos)
		if e != nil {
			return Locals{}, e
		}
		if l.Count, e = addLocals(l.Count, n, pos); e != nil {
			return Locals{}, e
		}
		pos = end
	}
	l.End = b.Start + CodeOffset(pos)
	return l, nil
}

// localGroups decodes the number of declarations at the start of a body that is
// size bytes long, and returns the position behind it.
func localGroups(b []byte, size int64) (groups uint32, end int, _ *opError) {
	groups, n, err := Uint32(b)
	if err != nil {
		return 0, 0, &opError{0, "reading the number of local declarations", err}
	}
	// Each takes two bytes at least.
	if left := size - int64(n); int64(groups) > left/2 {
		return 0, 0, &opError{0, fmt.Sprintf("%d local declarations claimed in the body's %d bytes", groups, left), ErrTruncated}
	}
	return groups, n, nil
}

// localGroupMax is the longest declaration: a count, and a reference to an exact
// type.
const localGroupMax = maxLen32 + 2 + maxLen32

// localGroup decodes the declaration at pos: how many locals, and their type.
func localGroup(b []byte, pos int) (count uint32, end int, _ *opError) {
	count, n, err := Uint32(b[pos:])
	if err != nil {
		return 0, pos, &opError{pos, "reading a local declaration", err}
	}
	end, e := valTypeEnd(b, pos+n)
	return count, end, e
}

// addLocals adds to a number of locals. The specification refuses totals that
// are not a u32.
func addLocals(sum, n uint32, pos int) (uint32, *opError) {
	if n > math.MaxUint32-sum {
		return 0, &opError{pos, "more than 2^32-1 locals declared", ErrOverflow}
	}
	return sum + n, nil
}
