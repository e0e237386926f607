package testwasm

import (
	"fmt"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Opcodes that tests write often.
const (
	OpUnreachable byte = 0x00
	OpNop         byte = 0x01
	OpBlock       byte = 0x02
	OpLoop        byte = 0x03
	OpEnd         byte = 0x0b
	OpReturn      byte = 0x0f
	OpCall        byte = 0x10
	OpDrop        byte = 0x1a
	OpLocalGet    byte = 0x20
	OpI32Load     byte = 0x28
	OpI32Const    byte = 0x41
	OpI32DivS     byte = 0x6d
)

// Locals declares count locals of one type.
type Locals struct {
	Count uint32
	Type  byte
}

// Body is a function body that is being built.
type Body struct {
	Locals  []Locals
	Code    []byte // instructions; the final end included
	Width   int    // bytes of the body's size LEB; 0 means as few as possible
	Claimed *uint32
	raw     []byte // the body behind its size, when set
}

// Fn returns a body without locals; the final end is added.
func Fn(code ...byte) Body { return Body{Code: append(append([]byte{}, code...), OpEnd)} }

// RawBody returns a body that holds exactly b behind its size: local
// declarations, instructions, final end, or anything else.
func RawBody(b ...byte) Body { return Body{raw: append([]byte{}, b...)} }

// With returns the body with a further group of locals.
func (f Body) With(count uint32, typ byte) Body {
	f.Locals = append(append([]Locals{}, f.Locals...), Locals{count, typ})
	return f
}

// Pad returns the body with its size encoded in width bytes (1 to 5).
func (f Body) Pad(width int) Body {
	f.Width = width
	return f
}

// Claim returns the body with a size LEB that says size, whatever its length.
func (f Body) Claim(size uint32) Body {
	f.Claimed = &size
	return f
}

// Append appends the body with its size to b.
func (f Body) Append(b []byte) []byte {
	body := f.raw
	if body == nil {
		body = vec(f.Locals, func(b []byte, l Locals) []byte {
			return append(wasm.AppendUint32(b, l.Count), l.Type)
		})
		body = append(body, f.Code...)
	}
	size, width := uint32(len(body)), f.Width
	if f.Claimed != nil {
		size = *f.Claimed
	}
	if width == 0 {
		width = wasm.Uint32Len(size)
	}
	b, ok := wasm.AppendUint32Width(b, size, width)
	if !ok {
		panic(fmt.Sprintf("testwasm: the body size %d does not fit %d bytes", size, width))
	}
	return append(b, body...)
}

// Code returns a Code section of the given bodies.
func Code(bodies ...Body) Section {
	return Section{ID: wasm.SectionCode, Payload: vec(bodies, func(b []byte, f Body) []byte { return f.Append(b) })}
}

// CodeClaiming returns a Code section whose function count says count, whatever
// the number of bodies.
func CodeClaiming(count uint32, bodies ...Body) Section {
	b := wasm.AppendUint32(nil, count)
	for _, f := range bodies {
		b = f.Append(b)
	}
	return Section{ID: wasm.SectionCode, Payload: b}
}
