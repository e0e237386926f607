package wasm

import "fmt"

// FileOffset is F: a byte offset from the start of a file. It is what V8,
// Firefox, wasmtime and wasmer print in stack traces.
type FileOffset int64

// String formats the offset as 0x-prefixed hexadecimal.
func (f FileOffset) String() string { return fmt.Sprintf("0x%x", int64(f)) }

// CodeOffset is C: a byte offset from the code start, which is the first byte
// of the Code section's payload (the function-count LEB). It is what DWARF
// calls the program counter in a linked module.
//
// The Code section's payload is at most 2³²−1 bytes long, so every C fits.
type CodeOffset uint32

// String formats the offset as 0x-prefixed hexadecimal.
func (c CodeOffset) String() string { return fmt.Sprintf("0x%x", uint32(c)) }

// CodeOffsetFromAddress converts a DWARF address, which may be 64 bits wide,
// to a CodeOffset. It reports false for an address that does not fit: such an
// address is refused, never wrapped.
func CodeOffsetFromAddress(addr uint64) (CodeOffset, bool) {
	if addr > 0xffffffff {
		return 0, false
	}
	return CodeOffset(addr), true
}

// CodeSpan places a Code section's payload in a file. Its methods are the only
// conversions between FileOffset and CodeOffset.
type CodeSpan struct {
	Start FileOffset // F of the payload's first byte, the code start
	Size  uint32     // length of the payload in bytes
}

// End returns F of the first byte behind the payload.
func (s CodeSpan) End() FileOffset { return s.Start + FileOffset(s.Size) }

// Contains reports whether the byte at f belongs to the payload.
func (s CodeSpan) Contains(f FileOffset) bool { return f >= s.Start && f < s.End() }

// Code converts F to C. It reports false when f lies outside the payload; the
// end of the payload, one past its last byte, converts as well, because DWARF
// range ends and end_sequence rows point there.
func (s CodeSpan) Code(f FileOffset) (CodeOffset, bool) {
	if f < s.Start || f > s.End() {
		return 0, false
	}
	return CodeOffset(f - s.Start), true
}

// File converts C to F. It reports false when c lies beyond the end of the
// payload.
func (s CodeSpan) File(c CodeOffset) (FileOffset, bool) {
	if uint32(c) > s.Size {
		return 0, false
	}
	return s.Start + FileOffset(c), true
}
