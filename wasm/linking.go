package wasm

import (
	"fmt"
	"strings"
)

// Subsections of a linking section.
//
// https://github.com/WebAssembly/tool-conventions/blob/main/Linking.md#linking-metadata-section
const (
	LinkingSegmentInfo = 5
	LinkingInitFuncs   = 6
	LinkingComdatInfo  = 7
	LinkingSymbolTable = 8
)

// Linking is the outline of a linking section, which object files have and
// modules linked with --emit-relocs.
type Linking struct {
	Section     *Section
	Version     uint32 // version of the metadata; 2 since 2018
	Symbols     uint32 // number of symbols, as the symbol table claims it
	Subsections []LinkingSubsection
}

// LinkingSubsection is one subsection, found by its header alone.
type LinkingSubsection struct {
	ID     byte
	Offset FileOffset // F of the id byte
	Data   FileOffset // F of the payload's first byte
	Size   uint32     // payload size in bytes
}

// maxLinkingSubsections bounds the list of subsections in memory; the
// convention knows four.
const maxLinkingSubsections = 1 << 12

// Linking reads the outline of the linking section. It returns nil for a module
// without one. When the section is malformed, what stands in front of the error
// is returned with it.
func (f *File) Linking() (*Linking, error) {
	sec := f.Custom(CustomLinking)
	if sec == nil {
		return nil, nil
	}
	l := &Linking{Section: sec}
	s := smallStream(sec)
	var err error
	if l.Version, err = s.Uint32("the version"); err != nil {
		return l, err
	}
	for s.Remaining() > 0 {
		sub := LinkingSubsection{Offset: s.Offset()}
		if sub.ID, err = s.Byte("a subsection id"); err != nil {
			return l, err
		}
		if sub.Size, err = s.Uint32("a subsection size"); err != nil {
			return l, err
		}
		sub.Data = s.Offset()
		inner, err := s.Sub(int64(sub.Size), fmt.Sprintf("subsection %d", sub.ID))
		if err != nil {
			return l, err
		}
		if len(l.Subsections) == maxLinkingSubsections {
			return l, &FormatError{Off: sub.Offset, Section: sec.Label(), Err: ErrLimit,
				Msg: fmt.Sprintf("more than %d subsections", maxLinkingSubsections)}
		}
		l.Subsections = append(l.Subsections, sub)
		if sub.ID == LinkingSymbolTable {
			if l.Symbols, err = inner.Uint32("the number of symbols"); err != nil {
				return l, err
			}
		}
	}
	return l, nil
}

// Relocations is the outline of one relocation section.
type Relocations struct {
	Section *Section
	Target  uint32 // index, among all sections of the file, of the section to relocate
	Count   uint32 // number of entries, as the section claims it
}

// Relocations reads the outline of every relocation section. When one is
// malformed, those in front of it are returned with the error. Its target may
// not exist: an index that tools made wrong is what this is read for.
//
// https://github.com/WebAssembly/tool-conventions/blob/main/Linking.md#relocation-sections
func (f *File) Relocations() ([]Relocations, error) {
	var out []Relocations
	for i := range f.Sections {
		sec := &f.Sections[i]
		if !sec.IsReloc() {
			continue
		}
		s := smallStream(sec)
		r := Relocations{Section: sec}
		var err error
		if r.Target, err = s.Uint32("the section to relocate"); err != nil {
			return out, err
		}
		if r.Count, err = s.Uint32("the number of relocations"); err != nil {
			return out, err
		}
		out = append(out, r)
	}
	return out, nil
}

// IsReloc reports whether the section holds relocations: a custom section whose
// name begins with "reloc.".
func (s *Section) IsReloc() bool {
	return s.ID == SectionCustom && strings.HasPrefix(s.Name, CustomRelocPrefix)
}
