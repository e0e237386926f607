package buildid

import (
	"context"
	"encoding/binary"
	"fmt"

	"lukechampine.com/blake3"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// SectionDigest is the size and the hash of one section.
type SectionDigest struct {
	ID   wasm.SectionID
	Name string // custom sections: the name
	Size int64  // bytes hashed: the payload, of custom sections the contents behind the name
	Sum  Digest
}

// Measurement holds what a content ID needs of a module, however it will be
// split: the hashes do not depend on what is kept or on where the code starts.
type Measurement struct {
	Sections      []SectionDigest // non-custom sections, in file order
	Debug         []SectionDigest // ".debug_*" sections, in file order
	FunctionNames SectionDigest   // payload of the function name subsection of "name"
}

// Code returns the digest of the Code section. It reports false for a module
// without one.
func (m *Measurement) Code() (SectionDigest, bool) {
	for _, s := range m.Sections {
		if s.ID == wasm.SectionCode {
			return s, true
		}
	}
	return SectionDigest{}, false
}

// parts selects what measure hashes.
type parts int

const (
	partSections parts = 1 << iota
	partDebug
	partNames
)

// Measure hashes the non-custom sections, the ".debug_*" sections and the
// function names of f.
func Measure(ctx context.Context, f *wasm.File, o Options) (*Measurement, error) {
	return measure(ctx, f, o, partSections|partDebug|partNames)
}

func measure(ctx context.Context, f *wasm.File, o Options, which parts) (*Measurement, error) {
	b := newBlockReader(o)
	m := &Measurement{}
	for i := range f.Sections {
		sec := &f.Sections[i]
		d := SectionDigest{ID: sec.ID, Name: sec.Name, Size: sec.DataSize()}
		var list *[]SectionDigest
		switch {
		case sec.ID != wasm.SectionCustom && which&partSections != 0:
			list = &m.Sections
		case sec.IsDebug() && which&partDebug != 0:
			list = &m.Debug
		default:
			continue
		}
		var err error
		if d.Sum, err = b.sum(ctx, f.Reader(), int64(sec.Data), d.Size); err != nil {
			return nil, fmt.Errorf("hashing the %s: %w", sec.Label(), err)
		}
		*list = append(*list, d)
	}
	if which&partNames == 0 {
		return m, nil
	}
	off, size, ok, err := wasm.FunctionNamesExtent(f)
	if err != nil {
		return nil, fmt.Errorf("hashing the function names: %w", err)
	}
	if !ok {
		off, size = 0, 0
	}
	m.FunctionNames = SectionDigest{ID: wasm.SectionCustom, Name: "name", Size: size}
	if m.FunctionNames.Sum, err = b.sum(ctx, f.Reader(), int64(off), size); err != nil {
		return nil, fmt.Errorf("hashing the function names: %w", err)
	}
	return m, nil
}

// ContentID computes the content ID (see the package comment) of a production
// module whose code starts at codeStart and that keeps the custom sections named
// in kept. hasCode is false for a module without a Code section.
func (m *Measurement) ContentID(codeStart wasm.FileOffset, hasCode bool, kept []string) ID {
	le := binary.LittleEndian
	b := []byte("wasm-debugid content id 1\n")
	for _, s := range m.Sections {
		b = append(b, 'S', byte(s.ID))
		b = le.AppendUint64(b, uint64(s.Size))
		b = append(b, s.Sum[:]...)
	}
	b = m.appendDebug(b)
	start := ^uint64(0)
	if hasCode {
		start = uint64(codeStart)
	}
	b = append(b, 'C')
	b = le.AppendUint64(b, start)
	for _, name := range kept {
		b = append(b, 'K')
		b = le.AppendUint32(b, uint32(len(name)))
		b = append(b, name...)
	}
	sum := blake3.Sum256(b)
	id := ID(sum[:16])
	setUUIDBits(id, 8)
	return id
}

// ContentOf computes the content ID with the code start and the kept sections of
// f: of an unsplit module that m was measured on, or of a pair's production
// module.
func (m *Measurement) ContentOf(f *wasm.File) ID {
	span, ok := f.CodeSpan()
	return m.ContentID(span.Start, ok, KeptNames(f))
}

// KeptNames returns the names of the custom sections of f that count as kept in
// a content ID, in file order.
func KeptNames(f *wasm.File) []string {
	var names []string
	for i := range f.Sections {
		s := &f.Sections[i]
		if s.ID != wasm.SectionCustom || s.IsDebug() {
			continue
		}
		switch s.Name {
		case wasm.CustomBuildID, wasm.CustomExternalDebugInfo, wasm.CustomWasmDebugID:
			continue
		}
		names = append(names, s.Name)
	}
	return names
}

// MeasureDebug hashes the ".debug_*" sections and the function names of f: of a
// companion all that its pair's content ID needs, and all that DebugDigest needs.
func MeasureDebug(ctx context.Context, f *wasm.File, o Options) (*Measurement, error) {
	return measure(ctx, f, o, partDebug|partNames)
}

// ContentOfPair recomputes the content ID of a split pair: the production
// module's non-custom sections, kept names and code start, and the companion's
// DWARF. The function names are the companion's or, where it has none, the
// production module's.
func ContentOfPair(ctx context.Context, production, companion *wasm.File, o Options) (ID, error) {
	c, err := MeasureDebug(ctx, companion, o)
	if err != nil {
		return nil, fmt.Errorf("companion: %w", err)
	}
	return ContentOfHalves(ctx, production, c, o)
}

// ContentOfHalves is ContentOfPair for a companion that MeasureDebug has measured.
func ContentOfHalves(ctx context.Context, production *wasm.File, companion *Measurement, o Options) (ID, error) {
	m, err := measure(ctx, production, o, partSections)
	if err != nil {
		return nil, fmt.Errorf("production module: %w", err)
	}
	m.Debug, m.FunctionNames = companion.Debug, companion.FunctionNames
	if m.FunctionNames.Size == 0 {
		n, err := measure(ctx, production, o, partNames)
		if err != nil {
			return nil, fmt.Errorf("production module: %w", err)
		}
		m.FunctionNames = n.FunctionNames
	}
	return m.ContentOf(production), nil
}
