package debugfile

import (
	"errors"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// boundaries knows the instruction starts of one body. The zero value is ready to
// use and decodes nothing until it is asked.
type boundaries struct {
	code    []byte
	body    wasm.Body
	have    bool            // code and body are set
	locals  bool            // first is set
	first   wasm.CodeOffset // the first instruction
	decoded bool
	starts  []uint64 // a bit for each byte of the body
	all     bool     // the body cannot be decoded: every place counts as a boundary
}

// read gets the body's bytes, once.
func (b *boundaries) read(f *File, body int) {
	if b.have {
		return
	}
	b.have = true
	var err error
	if b.code, b.body, err = f.bodyBytes(body); err != nil {
		b.all = true
	}
}

// firstOp returns where the first instruction of the body stands. Where that
// cannot be told it is the body's start.
func (b *boundaries) firstOp(f *File, body int) wasm.CodeOffset {
	if !b.locals {
		b.locals = true
		b.first = f.bodies.starts[body]
		if b.read(f, body); !b.all {
			if l, err := b.body.Locals(b.code); err == nil {
				b.first = l.End
			}
		}
	}
	return b.first
}

// at reports whether c is the start of an instruction.
func (b *boundaries) at(f *File, body int, c wasm.CodeOffset) bool {
	if b.read(f, body); b.all {
		return true
	}
	if !b.decoded {
		b.decoded = true
		n := (len(b.code) + 63) / 64
		if cap(b.starts) < n {
			b.starts = make([]uint64, n)
		}
		b.starts = b.starts[:n]
		clear(b.starts)
		it := b.body.Instructions(b.code)
		for it.Next() {
			i := it.At() - b.body.Start
			b.starts[i/64] |= 1 << (i % 64)
		}
		// An instruction that is newer than this program leaves the rest of the
		// body in the dark; its DWARF is not to be doubted for that.
		b.all = errors.Is(it.Err(), wasm.ErrUnknownOpcode) || errors.Is(it.Err(), wasm.ErrUnknownType)
	}
	if b.all {
		return true
	}
	i := c - b.body.Start
	return c >= b.body.Start && int64(i) < int64(len(b.code)) && b.starts[i/64]&(1<<(i%64)) != 0
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
