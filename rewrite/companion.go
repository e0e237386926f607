package rewrite

import (
	"context"
	"errors"

	"github.com/wasm-debugid/wasm-debugid/buildid"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// planCompanion lays out the companion of the production module that has been
// planned.
func (p *Plan) planCompanion(ctx context.Context, o *Options, production []item) error {
	r, err := p.record(ctx, o)
	if err != nil {
		return err
	}
	var items []item
	if o.Companion == CompanionSymbols {
		items, err = p.symbolsItems(production)
		if err != nil {
			return err
		}
	} else {
		items = p.fullItems(production)
	}
	r.Input = pieces(p.Input, production, items)
	contents, err := r.encode()
	if err != nil {
		return err
	}
	items = append(items, customItem(wasm.CustomWasmDebugID, contents))
	if !p.holdsID(items) {
		items = append(items, p.idItem())
	}
	p.Record = r
	p.Companion, err = assemble(p.Input, items)
	return err
}

// record fills in what ties the companion to the production module.
func (p *Plan) record(ctx context.Context, o *Options) (*Record, error) {
	r := &Record{Version: RecordVersion, Kind: o.Companion.String(), BuildID: p.ID().String(), Stripped: []RecordStripped{}}
	r.Production.Size = p.Production.Size()
	sum, err := buildid.Sum(ctx, p.Production, 0, p.Production.Size(), o.Hash)
	if err != nil {
		return nil, err
	}
	r.Production.BLAKE3 = sum.String()
	span, err := p.Production.codeSpan()
	if err != nil && !errors.Is(err, errNoCode) {
		return nil, err
	}
	if err == nil {
		code, err := p.codeDigest(ctx, o)
		if err != nil {
			return nil, err
		}
		r.Code = &RecordCode{Start: span.Start, Size: int64(span.Size), BLAKE3: code.String()}
	}
	if r.Debug, err = p.debugDigest(ctx, o); err != nil {
		return nil, err
	}
	for i := range p.Fates {
		f := &p.Fates[i]
		switch {
		case f.Production:
		case len(r.Stripped) == maxStripped:
			r.More++
		default:
			r.Stripped = append(r.Stripped, RecordStripped{f.Section.Name[:min(len(f.Section.Name), maxName)], f.Section.Len()})
		}
	}
	return r, nil
}

// codeDigest returns the digest of the Code section's payload, from the
// measurement where one was taken.
func (p *Plan) codeDigest(ctx context.Context, o *Options) (buildid.Digest, error) {
	if p.measurement != nil {
		if d, ok := p.measurement.Code(); ok {
			return d.Sum, nil
		}
	}
	code := p.Input.Code()
	return buildid.Sum(ctx, p.Input, int64(code.Payload), int64(code.Size), o.Hash)
}

// debugDigest returns the digest of what the companion answers with. Its ".debug_*"
// sections and the names of functions are the input's, in the input's order: a malformed
// name section, which a symbols companion lacks, counts as none. What was measured for a
// content ID is not read again.
func (p *Plan) debugDigest(ctx context.Context, o *Options) (*RecordDebug, error) {
	m := p.measurement
	if m == nil {
		var err error
		if m, err = buildid.MeasureDebug(ctx, p.Input, o.Hash); err != nil {
			return nil, err
		}
	}
	return &RecordDebug{Size: m.DebugSize(), BLAKE3: m.DebugDigest().String()}, nil
}

// fullItems returns the sections of a full companion: the production module's
// own up to Code, then what was stripped from before it, then the rest of the
// input in its order.
func (p *Plan) fullItems(production []item) []item {
	code := p.Input.Code()
	var items []item
	done := map[*wasm.Section]bool{}
	if code != nil {
		for i := range production {
			items = append(items, production[i])
			done[production[i].src] = true
			if production[i].src == code {
				break
			}
		}
	}
	inProduction := map[*wasm.Section]bool{}
	for i := range production {
		inProduction[production[i].src] = true
	}
	for i := range p.Fates {
		f := &p.Fates[i]
		if done[f.Section] || !f.Companion {
			continue
		}
		if f.Section.IsCustom(wasm.CustomBuildID) && !inProduction[f.Section] {
			continue
		}
		items = append(items, item{src: f.Section})
	}
	return p.dropStaleRelocations(items)
}

// dropStaleRelocations drops linking and reloc.* where sections before them were
// dropped or moved: they name sections by index.
func (p *Plan) dropStaleRelocations(items []item) []item {
	moved := false
	for i := range items {
		if items[i].src == nil || items[i].src.Index != i {
			moved = true
		}
	}
	if !moved {
		return items
	}
	var out []item
	for _, it := range items {
		if it.src != nil && (it.src.IsCustom(wasm.CustomLinking) || it.src.IsReloc()) {
			p.fate(it.src).Companion = false
			continue
		}
		out = append(out, it)
	}
	return out
}

func (p *Plan) fate(s *wasm.Section) *Fate { return &p.Fates[s.Index] }

// holdsID reports whether a kept build_id section is among the items.
func (p *Plan) holdsID(items []item) bool {
	for i := range items {
		if s := items[i].src; s != nil && s.IsCustom(wasm.CustomBuildID) {
			return true
		}
	}
	return false
}
