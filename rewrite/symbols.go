package rewrite

import (
	"fmt"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// symbolsItems returns the sections of a companion that holds neither code nor
// data. A validator accepts it: blanked bodies refer to nothing but their types,
// so Type, Import and Function are all that they need.
func (p *Plan) symbolsItems(production []item) ([]item, error) {
	var head, tail []item
	var id *item
	code := p.Input.Code()
	for i := range p.Input.Sections {
		s := &p.Input.Sections[i]
		switch {
		case s.ID == wasm.SectionType, s.ID == wasm.SectionImport, s.ID == wasm.SectionFunction:
			head = append(head, item{src: s})
		case s == code:
			head = append(head, item{src: s, blank: true})
		case s.IsDebug():
			tail = append(tail, item{src: s})
		case s.Index == p.keptIDSection():
			// As the production module has it: clients that take the whole section for
			// the ID must see the same bytes in both.
			id = &item{src: s}
		default:
			continue
		}
		p.fate(s).Companion = true
	}
	names, err := p.reducedNames()
	if err != nil {
		return nil, err
	}
	if names != nil {
		tail = append(tail, *names)
	}
	if id != nil {
		tail = append(tail, *id)
	}
	head, err = p.pad(head, production)
	if err != nil {
		return nil, err
	}
	return append(head, tail...), nil
}

// reducedNames returns a name section with the names of the module and of its
// functions only: the globals, memories and data segments that other
// subsections name are gone. A malformed name section is left out.
func (p *Plan) reducedNames() (*item, error) {
	s := p.Input.Custom(wasm.CustomName)
	if s == nil {
		return nil, nil
	}
	names, err := wasm.ReadNames(s)
	if err != nil {
		p.warn("the name section is malformed and is left out of the companion: %v", err)
		return nil, nil
	}
	var parts []part
	var size int64
	for _, sub := range names.Subsections {
		if sub.ID == wasm.NameModule || sub.ID == wasm.NameFunctions {
			parts = append(parts, part{off: sub.Offset, n: sub.Len()})
			size += sub.Len()
		}
	}
	header := wasm.AppendCustomHeader(nil, wasm.CustomName, size)
	p.fate(s).Companion = true
	return &item{parts: append([]part{{literal: header}}, parts...)}, nil
}

// pad puts a custom section first that moves Code to where it stands in the
// production module.
//
// A section that says anything takes three bytes, and so does the smallest custom
// section; and a size LEB may be wider than it need be. So every gap can be filled
// exactly but one of two bytes, which a single section without any contents
// leaves: that is no valid module, or one of a later specification.
func (p *Plan) pad(head, production []item) ([]item, error) {
	want, ok := leading(production)
	if !ok {
		return head, nil
	}
	have, _ := leading(head)
	gap := int64(want - have)
	if gap == 0 {
		return head, nil
	}
	pad, ok := padding(gap)
	if !ok {
		return nil, &RefusedError{fmt.Sprintf("a section without contents stands before the code, and no section of %d bytes can take its place in a companion without code", gap),
			"make a full companion (--companion-kind full)"}
	}
	return append([]item{pad}, head...), nil
}

// padding returns a custom section of exactly n bytes.
func padding(n int64) (item, bool) {
	const name = "padding"
	for width := 1; width <= 5; width++ {
		payload := n - 1 - int64(width)
		if payload < 1 || payload > 0xffffffff {
			continue
		}
		b, ok := wasm.AppendUint32Width([]byte{byte(wasm.SectionCustom)}, uint32(payload), width)
		if !ok {
			continue
		}
		label := name[:min(int64(len(name)), payload-1)]
		b = append(wasm.AppendUint32(b, uint32(len(label))), label...)
		return item{parts: []part{{literal: b}, {n: n - int64(len(b)), zero: true}}}, true
	}
	return item{}, false
}
