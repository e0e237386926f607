package debugfile

import (
	"errors"
	"slices"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// boundaries lists the instruction starts of one body. The zero value is ready
// to use and decodes nothing until it is asked.
type boundaries struct {
	read   bool
	starts []wasm.CodeOffset
	all    bool // the body cannot be decoded: every place counts as a boundary
}

// of decodes the body, once.
func (b *boundaries) of(f *File, body int) *boundaries {
	if b.read {
		return b
	}
	b.read = true
	code, at, err := f.bodyBytes(body)
	if err != nil {
		b.all = true
		return b
	}
	it := at.Instructions(code)
	for it.Next() {
		b.starts = append(b.starts, it.At())
	}
	// An instruction that is newer than this program leaves the rest of the body
	// in the dark; its DWARF is not to be doubted for that.
	b.all = it.Err() != nil && errors.Is(it.Err(), wasm.ErrUnknownOpcode)
	return b
}

// at reports whether c is the start of an instruction.
func (b *boundaries) at(c wasm.CodeOffset) bool {
	if b.all {
		return true
	}
	_, ok := slices.BinarySearch(b.starts, c)
	return ok
}

// bodyBytes returns a body's bytes and what package wasm needs to decode them.
func (f *File) bodyBytes(body int) ([]byte, wasm.Body, error) {
	span, _ := f.code.CodeSpan()
	e := f.bodies.extent(body)
	b, err := f.codeSrc.Bytes(int64(span.Start)+int64(e.Start), int64(e.End-e.Start))
	if err != nil {
		return nil, wasm.Body{}, err
	}
	return b, wasm.NewBody(f.bodies.imported+uint32(body), e.Start, e.End, span), nil
}
