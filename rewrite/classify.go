package rewrite

import (
	"fmt"
	"maps"
	"slices"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Fate says what becomes of one section of the input.
type Fate struct {
	Section    *wasm.Section
	Production bool   // it stays in the production module
	Companion  bool   // it is in the companion
	Reason     string // why it is not in the production module; empty if it is
}

// classify decides for every section of the input but build_id whether the
// production module keeps it.
func (p *Plan) classify(o *Options) error {
	filter, err := newFilter(o)
	if err != nil {
		return err
	}
	linked := p.class.KeptRelocations
	var unknown []string
	for i := range p.Input.Sections {
		s := &p.Input.Sections[i]
		fate := Fate{Section: s, Production: true, Companion: o.Companion == CompanionFull}
		strip := func(reason string) { fate.Production, fate.Reason = false, reason }
		switch {
		case s.ID != wasm.SectionCustom:
			if !s.ID.Known() {
				unknown = append(unknown, fmt.Sprintf("%s at %v (%d bytes)", s.Label(), s.Offset, s.Len()))
			}
		case s.IsDebug():
			strip("DWARF")
			if filter.keeps(s.Name) {
				p.warn("%s is DWARF and does not stay in a production module; use inject to keep DWARF in place", s.Name)
			}
		case s.Name == wasm.CustomExternalDebugInfo:
			strip("an older pointer to a companion")
			fate.Companion = false
		case s.Name == wasm.CustomWasmDebugID:
			strip("the record of an earlier split")
			fate.Companion = false
		case linked && (s.Name == wasm.CustomLinking || s.IsReloc()):
			strip("relocations, which name sections by index")
		case o.StripNames && s.Name == wasm.CustomName && !filter.keeps(s.Name):
			strip("names (strip-names)")
		case s.Name == wasm.CustomBuildID:
			// Decided with the ID.
		case filter.removes(s.Name):
			strip("removed on request")
			if why, ok := needed[s.Name]; ok {
				p.warn("%s is removed on request: %s", s.Name, why)
			}
		case s.Name == wasm.CustomSignature:
			p.warn("the module is signed (section signature); any change breaks the signature, so sign the production module again")
		}
		p.Fates = append(p.Fates, fate)
	}
	if len(unknown) > 0 {
		p.note("not known to this release, and kept byte for byte: %s", someNames(unknown))
	}
	for _, pattern := range filter.unused() {
		p.warn("the pattern %q matches no section of the module", string(pattern))
	}
	for _, name := range slices.Sorted(maps.Keys(filter.spared)) {
		p.note("%s matches a pattern to remove but stays: %s", name, protected[name])
	}
	return nil
}

// kept returns the production module's custom sections as the content ID counts
// them: names in file order, without build_id.
func (p *Plan) keptNames() []string {
	var out []string
	for i := range p.Fates {
		if f := &p.Fates[i]; f.Production && f.Section.ID == wasm.SectionCustom && f.Section.Name != wasm.CustomBuildID {
			out = append(out, f.Section.Name)
		}
	}
	return out
}
