package rewrite

import (
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// item is one section of a planned file: a section of the input, the Code
// section with its bodies blanked, or a section put together here.
type item struct {
	src   *wasm.Section
	blank bool   // src is the Code section; its bodies are blanked
	parts []part // a whole section, header included; src is nil
}

// part is a piece of a section: literal bytes, or n bytes of the input from
// offset off, or n zero bytes.
type part struct {
	literal []byte
	off     wasm.FileOffset
	n       int64
	zero    bool
}

func (pt *part) length() int64 { return int64(len(pt.literal)) + pt.n }

// customItem returns a custom section with the given contents.
func customItem(name string, data []byte) item {
	return item{parts: []part{{literal: wasm.AppendCustom(nil, name, data)}}}
}

// preamble is the magic number and version that open a module.
var preamble = []byte{0, 'a', 's', 'm', 1, 0, 0, 0}

// length returns the length in bytes of the section.
func (it *item) length() int64 {
	if it.src != nil {
		return it.src.Len()
	}
	var n int64
	for i := range it.parts {
		n += it.parts[i].length()
	}
	return n
}

// leading returns the length in bytes of a file of the given sections up to the
// Code section's payload, and false when there is no Code section.
func leading(items []item) (wasm.FileOffset, bool) {
	n := int64(len(preamble))
	for i := range items {
		if s := items[i].src; s != nil && s.ID == wasm.SectionCode {
			return wasm.FileOffset(n) + s.Payload - s.Offset, true
		}
		n += items[i].length()
	}
	return 0, false
}

// assemble lays the sections out behind the preamble.
func assemble(in *wasm.File, items []item) (*Layout, error) {
	b := newBuilder(in)
	b.source(0, int64(len(preamble)))
	for i := range items {
		it := &items[i]
		switch {
		case it.blank:
			c, err := newBlankCode(in, wasm.CodeSpan{Start: it.src.Payload, Size: it.src.Size})
			if err != nil {
				return nil, err
			}
			b.source(it.src.Offset, int64(it.src.Payload-it.src.Offset))
			b.blank(c)
		case it.src != nil:
			b.section(it.src)
		}
		for _, pt := range it.parts {
			switch {
			case pt.zero:
				b.zero(pt.n)
			case pt.literal != nil:
				b.literal(pt.literal)
			default:
				b.source(pt.off, pt.n)
			}
		}
	}
	return b.layout(), nil
}
