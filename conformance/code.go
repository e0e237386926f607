package conformance

import (
	"fmt"
	"io"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// code is a Code payload in memory with its bodies.
type code struct {
	payload  []byte
	imported uint32
	bodies   []wasm.Body
	uses     features
	points   int // reportable instructions
	largest  uint32
	circles  bool               // tail calls may go in circles
	walked   map[uint32][]place // instructions by function index, as they are asked for
}

// place is one instruction.
type place struct {
	at         wasm.CodeOffset
	length     uint32
	op         wasm.Opcode
	reportable bool
}

// readCode reads and decodes all code once. What this project cannot decode is not
// run: an engine that reads it as something else would prove nothing.
func readCode(f *wasm.File, span wasm.CodeSpan, imported uint32, l *Limits) (*code, error) {
	payload, err := f.Code().Bytes(l.CodeBytes)
	if err != nil {
		return nil, err
	}
	c := &code{payload: payload, imported: imported, walked: map[uint32][]place{}}
	list, err := wasm.NewBodies(payload, span.Start, imported)
	if err != nil {
		return nil, err
	}
	locals := uint64(0)
	tails := tailCalls{}
	for {
		b, bytes, err := list.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		have, err := b.Locals(bytes)
		if err != nil {
			return nil, err
		}
		if have.Count > uint32(l.Locals) {
			return nil, &UnrunnableError{Why: []string{fmt.Sprintf("function %d has %d locals; the limit is %d", b.Index, have.Count, l.Locals)}}
		}
		if locals += uint64(have.Count); locals > uint64(l.AllLocals) {
			return nil, &UnrunnableError{Why: []string{fmt.Sprintf("its functions have more than %d locals", l.AllLocals)}}
		}
		it := b.Instructions(bytes)
		for it.Next() {
			in := it.Instr()
			c.uses.add(ofOpcode(in.Op))
			tails.add(b.Index, in)
			if in.Reportable() {
				c.points++
			}
		}
		if it.Err() != nil {
			return nil, &UnrunnableError{Why: []string{fmt.Sprintf("the code of function %d cannot be decoded: %v", b.Index, it.Err())}}
		}
		c.largest = max(c.largest, b.Size())
		c.bodies = append(c.bodies, b)
	}
	c.circles = tails.circle()
	return c, nil
}

// body returns the body of a function.
func (c *code) body(index uint32) (wasm.Body, bool) {
	if index < c.imported || int64(index-c.imported) >= int64(len(c.bodies)) {
		return wasm.Body{}, false
	}
	return c.bodies[index-c.imported], true
}

// bytes returns the bytes of a body.
func (c *code) bytes(b wasm.Body) []byte { return c.payload[b.Start:b.End] }

// places returns the instructions of a function, in order. They are kept.
func (c *code) places(index uint32) []place {
	if p, ok := c.walked[index]; ok {
		return p
	}
	b, ok := c.body(index)
	if !ok {
		return nil
	}
	var out []place
	it := b.Instructions(c.bytes(b))
	for it.Next() {
		in := it.Instr()
		out = append(out, place{it.At(), in.Len, in.Op, in.Reportable()})
	}
	c.walked[index] = out
	return out
}

// find returns the instruction that begins at an offset of a function.
func (c *code) find(index uint32, at wasm.CodeOffset) (place, bool) {
	list := c.places(index)
	lo, hi := 0, len(list)
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); list[mid].at < at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(list) && list[lo].at == at {
		return list[lo], true
	}
	return place{}, false
}
