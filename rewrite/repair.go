package rewrite

import (
	"fmt"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Repair says what Repaired changes about a file. The zero value changes nothing.
type Repair struct {
	// CodeStart, if not zero, is where the Code payload shall begin: F.
	CodeStart wasm.FileOffset
	// BuildID, if set, becomes the one build_id section, in the convention's
	// encoding and last in the file.
	BuildID buildid.ID
	// Pointer becomes the one external_debug_info section; DropPointer leaves none.
	Pointer     string
	DropPointer bool
	// Record, if set, replaces the wasm-debugid section. The input of the split can
	// no longer be put together by it, because sections may have moved.
	Record *Record
}

// Repaired plans a copy of the file with the repair's changes. Code and data are
// copied byte for byte; only section sizes in front of the code are encoded with
// more or fewer bytes, custom sections in front of it moved behind it, or a padding
// section put first, and only where CodeStart asks for that.
func Repaired(f *wasm.File, r Repair) (*Layout, error) {
	var items []item
	for i := range f.Sections {
		s := &f.Sections[i]
		switch {
		case s.IsCustom(wasm.CustomBuildID) && len(r.BuildID) > 0:
		case s.IsCustom(wasm.CustomExternalDebugInfo) && (r.DropPointer || r.Pointer != ""):
		case s.IsCustom(wasm.CustomWasmDebugID) && r.Record != nil:
		default:
			items = append(items, item{src: s})
		}
	}
	if r.CodeStart != 0 {
		var err error
		if items, err = align(items, r.CodeStart); err != nil {
			return nil, err
		}
	}
	items = dropMovedRelocations(items)
	if r.Pointer != "" {
		items = append(items, customItem(wasm.CustomExternalDebugInfo, wasm.AppendURL(nil, r.Pointer)))
	}
	if r.Record != nil {
		record := *r.Record
		record.Input = nil
		b, err := record.encode()
		if err != nil {
			return nil, err
		}
		items = append(items, customItem(wasm.CustomWasmDebugID, b))
	}
	if len(r.BuildID) > 0 {
		items = append(items, customItem(wasm.CustomBuildID, buildid.Encode(r.BuildID)))
	}
	return assemble(f, items)
}

// align lays the sections out so that the Code payload begins at want.
func align(items []item, want wasm.FileOffset) ([]item, error) {
	have, ok := leading(items)
	if !ok {
		return nil, &RefusedError{Msg: "the file has no Code section that could be moved"}
	}
	code := 0
	for items[code].src == nil || items[code].src.ID != wasm.SectionCode {
		code++
	}
	head, tail := items[:code+1], items[code+1:]
	if have > want {
		// Too far behind already: custom sections need not stand before the code, and
		// sizes take as few bytes as they can.
		var kept, moved []item
		for _, it := range head {
			if s := it.src; s.ID == wasm.SectionCustom && !s.IsCustom(wasm.CustomDylink0) && !s.IsCustom(wasm.CustomDylink) {
				moved = append(moved, it)
			} else {
				kept = append(kept, it)
			}
		}
		head, tail = kept, append(moved, tail...)
		for i := range head {
			head[i] = resized(head[i].src, wasm.Uint32Len(head[i].src.Size))
		}
		have = leadingLength(head)
	}
	gap := int64(want - have)
	if gap < 0 {
		return nil, &RefusedError{Msg: fmt.Sprintf("the code cannot begin at %v: the sections before it need %d bytes more", want, -gap),
			Hint: "split the linker's output again"}
	}
	head, gap = widen(head, gap)
	if gap > 0 {
		pad, ok := padding(gap)
		if !ok {
			return nil, &RefusedError{Msg: fmt.Sprintf("no section takes the %d bytes that are missing before the code", gap), Hint: "split the linker's output again"}
		}
		head = append([]item{pad}, head...)
	}
	return append(head, tail...), nil
}

// leadingLength returns the offset of the payload of the last section.
func leadingLength(head []item) wasm.FileOffset {
	n := int64(len(preamble))
	for i := range head {
		n += head[i].length()
	}
	return wasm.FileOffset(n - head[len(head)-1].payloadLength())
}

// payloadLength returns the length of the payload of a section that may have been
// resized.
func (it *item) payloadLength() int64 {
	if it.src != nil {
		return int64(it.src.Size)
	}
	return it.parts[len(it.parts)-1].n
}

// resized returns the section with its size encoded in width bytes.
func resized(s *wasm.Section, width int) item {
	if width == s.SizeWidth {
		return item{src: s}
	}
	header, _ := wasm.AppendSectionHeader(nil, s.ID, s.Size, width)
	return item{parts: []part{{literal: header}, {off: s.Payload, n: int64(s.Size)}}}
}

// widen takes up the gap with wider section sizes, if all of it can be taken up
// that way. It returns what is left.
func widen(head []item, gap int64) ([]item, int64) {
	const widest = 5
	room := int64(0)
	for i := range head {
		room += int64(widest - head[i].sizeWidth())
	}
	if gap == 0 || gap > room {
		return head, gap
	}
	out := make([]item, len(head))
	for i, it := range head {
		width := it.sizeWidth()
		more := min(int64(widest-width), gap)
		gap -= more
		out[i] = it.withWidth(width + int(more))
	}
	return out, gap
}

// sizeWidth returns the number of bytes of the section's size.
func (it *item) sizeWidth() int {
	if it.src != nil {
		return it.src.SizeWidth
	}
	return len(it.parts[0].literal) - 1
}

// withWidth returns the section with its size encoded in width bytes.
func (it *item) withWidth(width int) item {
	if it.src != nil {
		return resized(it.src, width)
	}
	header, ok := wasm.AppendSectionHeader(nil, wasm.SectionID(it.parts[0].literal[0]), uint32(it.parts[1].n), width)
	if !ok {
		return *it
	}
	return item{parts: []part{{literal: header}, it.parts[1]}}
}

// dropMovedRelocations drops linking and reloc.* if sections have got other
// indices: they name sections by index.
func dropMovedRelocations(items []item) []item {
	var plain []item
	for i := range items {
		s := items[i].src
		if s == nil || s.Index == i {
			continue
		}
		for _, it := range items {
			if it.src == nil || !it.src.IsCustom(wasm.CustomLinking) && !it.src.IsReloc() {
				plain = append(plain, it)
			}
		}
		return plain
	}
	return items
}
