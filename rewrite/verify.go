package rewrite

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// verify opens the planned files as any reader would and holds them against the
// promises of this package. Every plan passes through it before it is returned.
func (p *Plan) verify() error {
	var err error
	if p.ProductionFile, err = wasm.NewFile(p.Production, p.Production.Size()); err != nil {
		return unlessRead(err, "the planned production module does not open")
	}
	if err := p.sameCode(p.Production, p.ProductionFile); err != nil {
		return err
	}
	if err := p.oneID("the production module", p.ProductionFile); err != nil {
		return err
	}
	if p.Companion == nil {
		return nil
	}
	if p.CompanionFile, err = wasm.NewFile(p.Companion, p.Companion.Size()); err != nil {
		return unlessRead(err, "the planned companion does not open")
	}
	if err := p.oneID("the companion", p.CompanionFile); err != nil {
		return err
	}
	if p.ProductionFile.HasDebug() {
		return internalError("DWARF is left in the production module")
	}
	if err := p.sameIDSection(); err != nil {
		return err
	}
	if s := p.CompanionFile.Custom(wasm.CustomExternalDebugInfo); s != nil {
		return internalError("the companion has a pointer to a companion")
	}
	a, hasA := p.ProductionFile.CodeSpan()
	b, hasB := p.CompanionFile.CodeSpan()
	if hasA != hasB || a != b {
		return internalError("the code lies at %v in the production module and at %v in the companion", a.Start, b.Start)
	}
	if p.Record.Kind == CompanionFull.String() {
		return p.sameCode(p.Companion, p.CompanionFile)
	}
	return nil
}

// unlessRead reports a broken promise, unless all that happened is that the input
// could not be read.
func unlessRead(err error, what string) error {
	if errors.Is(err, wasm.ErrRead) {
		return err
	}
	return internalError("%s: %v", what, err)
}

// sameCode checks that every section that is not custom is the input's, byte for
// byte, size LEB included, and that they stand in the same order.
func (p *Plan) sameCode(l *Layout, out *wasm.File) error {
	k := 0
	for i := range p.Input.Sections {
		s := &p.Input.Sections[i]
		if s.ID == wasm.SectionCustom {
			continue
		}
		for k < len(out.Sections) && out.Sections[k].ID == wasm.SectionCustom {
			k++
		}
		if k == len(out.Sections) {
			return internalError("the %s is missing", s.Label())
		}
		o := &out.Sections[k]
		if err := l.copies(o, s); err != nil {
			return internalError("the %s at %v: %v", s.Label(), s.Offset, err)
		}
		k++
	}
	for ; k < len(out.Sections); k++ {
		if out.Sections[k].ID != wasm.SectionCustom {
			return internalError("a %s that the input does not have", out.Sections[k].Label())
		}
	}
	return nil
}

// copies checks that an output section consists of nothing but the bytes of an
// input section.
func (l *Layout) copies(o, s *wasm.Section) error {
	if o.ID != s.ID || o.Len() != s.Len() {
		return fmt.Errorf("%d bytes of %s in its place", o.Len(), o.Label())
	}
	e := &l.extents[l.find(o.Offset)]
	if e.Kind != ExtentSource || e.End() < o.End() || e.Source+o.Offset-e.Offset != s.Offset {
		return fmt.Errorf("its bytes are not copied as they stand")
	}
	return nil
}

// oneID checks that a file holds exactly one build_id section, with the plan's
// ID, and in the convention's encoding unless the input's own was kept.
func (p *Plan) oneID(what string, f *wasm.File) error {
	found, err := buildid.Read(f)
	if err != nil {
		return unlessRead(err, "the build ID of "+what+" does not read")
	}
	if len(found.Sections) != 1 || !found.ID.Equal(p.ID()) {
		return internalError("%s has %d build IDs, %v, where one was planned, %v", what, len(found.Sections), found.ID, p.ID())
	}
	if found.Sections[0].Encoding != buildid.EncodingSpec && p.keptIDSection() < 0 {
		return internalError("the build ID of %s is not in the convention's encoding", what)
	}
	return nil
}

// sameIDSection checks that both files have the same bytes in their build_id
// sections: clients that take the whole section for the ID compare those.
func (p *Plan) sameIDSection() error {
	var contents [2][]byte
	for i, f := range []*wasm.File{p.ProductionFile, p.CompanionFile} {
		var err error
		if contents[i], err = f.Custom(wasm.CustomBuildID).Bytes(buildid.MaxPayload); err != nil {
			return unlessRead(err, "a build ID does not read")
		}
	}
	if !bytes.Equal(contents[0], contents[1]) {
		return internalError("the build IDs of the two files are encoded differently, % x and % x", contents[0], contents[1])
	}
	return nil
}
