package dwarf

import (
	"fmt"
	"sync"
)

// Package is a DWARF package file (.dwp): the split units of a whole program
// with an index (DWARF 5, 7.3.5; version 2 is the GNU form for DWARF 4,
// https://gcc.gnu.org/wiki/DebugFissionDWP).
type Package struct {
	sec Sections
	opt Options
	cu  packIndex
	tu  packIndex

	mu    sync.Mutex
	parts map[partKey]*Data
}

type partKey struct {
	types bool
	row   uint32
}

// packIndex is one of the two index sections.
type packIndex struct {
	sec     SectionID
	version uint16
	columns []SectionID
	units   uint32
	slots   uint32
	sigs    uint64 // offset of the signatures
	rows    uint64 // of the rows, one for each slot
	offsets uint64 // of the table of offsets
	sizes   uint64 // of the table of sizes
}

// OpenPackage reads the indexes of a .dwp. The sections are those whose names
// end in ".dwo", and the two indexes.
func OpenPackage(sec Sections, opt Options) (*Package, error) {
	sec.DWO = true
	p := &Package{sec: sec, opt: opt, parts: map[partKey]*Data{}}
	if sec.CUIndex == nil {
		return nil, fmt.Errorf("%s is missing: not a DWARF package", SecCUIndex)
	}
	if err := p.cu.open(&p.sec, SecCUIndex); err != nil {
		return nil, err
	}
	if sec.TUIndex != nil {
		if err := p.tu.open(&p.sec, SecTUIndex); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// NumUnits returns how many units and type units the indexes list.
func (p *Package) NumUnits() (units, types int) { return int(p.cu.units), int(p.tu.units) }

// Attach finds the split unit that belongs to a skeleton, like AttachDWO.
func (p *Package) Attach(skel *Unit) (*Unit, error) {
	id, err := skel.splitID()
	if err != nil {
		return nil, err
	}
	row := p.cu.find(&p.sec, id)
	if row == 0 {
		return nil, ErrNoSplitUnit
	}
	part, err := p.part(&p.cu, row)
	if err != nil {
		return nil, err
	}
	return AttachDWO(skel, part)
}

// typeUnit returns the type unit with a signature, or nil.
func (p *Package) typeUnit(sig uint64) *Unit {
	row := p.tu.find(&p.sec, sig)
	if row == 0 {
		return nil
	}
	part, err := p.part(&p.tu, row)
	if err != nil {
		return nil
	}
	for i := range part.NumUnits() {
		if u := part.Unit(i); u.isType() && u.ID == sig {
			return u
		}
	}
	return nil
}

// part returns what one row of an index cuts out of the sections.
func (p *Package) part(x *packIndex, row uint32) (*Data, error) {
	key := partKey{x.sec == SecTUIndex, row}
	p.mu.Lock()
	defer p.mu.Unlock()
	if d := p.parts[key]; d != nil {
		return d, nil
	}
	sec := p.sec
	sec.CUIndex, sec.TUIndex = nil, nil
	sec.Info, sec.Types = nil, nil
	data := p.sec.Get(x.sec)
	for i, id := range x.columns {
		if id == numSections {
			continue
		}
		at := (uint64(row-1)*uint64(len(x.columns)) + uint64(i)) * 4
		r := reader{data: data, off: int(x.offsets + at)}
		off := uint64(r.u32())
		r.off = int(x.sizes + at)
		size := uint64(r.u32())
		whole := p.sec.Get(id)
		if off > uint64(len(whole)) || size > uint64(len(whole))-off {
			return nil, p.errf(x.sec, x.offsets+at, "unit's part of %s lies outside of that section", p.sec.name(id))
		}
		*sec.field(id) = whole[off : off+size : off+size]
		sec.base[id] = off
	}
	d := New(sec, p.opt)
	d.typeUnit = p.typeUnit
	p.parts[key] = d
	return d, nil
}

func (p *Package) errf(sec SectionID, off uint64, format string, args ...any) error {
	return &Error{Section: p.sec.name(sec), Off: off, Msg: fmt.Sprintf(format, args...)}
}

// packColumns maps the section numbers of an index. Version 2 has others than
// version 5.
var (
	packColumns2 = map[uint32]SectionID{
		1: SecInfo, 2: SecTypes, 3: SecAbbrev, 4: SecLine, 5: SecLoc, 6: SecStrOffsets,
	}
	packColumns5 = map[uint32]SectionID{
		1: SecInfo, 3: SecAbbrev, 4: SecLine, 5: SecLoclists, 6: SecStrOffsets, 8: SecRnglists,
	}
)

func (x *packIndex) open(s *Sections, sec SectionID) error {
	x.sec = sec
	data := s.Get(sec)
	fail := func(msg string) error { return &Error{Section: sec.String(), Msg: msg} }
	r := reader{data: data}
	x.version = r.u16()
	pad := r.u16()
	if x.version == 2 && pad != 0 || x.version != 2 && x.version != 5 {
		return fail(fmt.Sprintf("index has version %d, known are 2 and 5", x.version))
	}
	columns := r.u32()
	x.units, x.slots = r.u32(), r.u32()
	if r.bad {
		return fail("index is too short for its header")
	}
	if columns > 16 || x.slots > maxIndexSlots || x.slots&(x.slots-1) != 0 || x.slots == 0 && x.units > 0 {
		return fail(fmt.Sprintf("index has impossible counts: %d columns, %d slots", columns, x.slots))
	}
	x.sigs = uint64(r.off)
	x.rows = x.sigs + 8*uint64(x.slots)
	ids := x.rows + 4*uint64(x.slots)
	x.offsets = ids + 4*uint64(columns)
	table := 4 * uint64(columns) * uint64(x.units)
	x.sizes = x.offsets + table
	if n := uint64(len(data)); x.offsets > n || table > (n-x.offsets)/2 {
		return fail("index does not fit into its section")
	}
	known := packColumns5
	if x.version == 2 {
		known = packColumns2
	}
	r.off = int(ids)
	for range columns {
		id, ok := known[r.u32()]
		if !ok {
			id = numSections // a section that is not read
		}
		x.columns = append(x.columns, id)
	}
	return nil
}

// find returns the row of a signature, counted from 1; 0 if there is none.
func (x *packIndex) find(s *Sections, sig uint64) uint32 {
	if x.slots == 0 {
		return 0
	}
	data := s.Get(x.sec)
	mask := uint64(x.slots - 1)
	h := sig & mask
	step := sig>>32&mask | 1
	for range x.slots {
		r := reader{data: data, off: int(x.rows + 4*h)}
		row := r.u32()
		if row == 0 {
			return 0
		}
		r.off = int(x.sigs + 8*h)
		if r.u64() == sig && row <= x.units {
			return row
		}
		h = (h + step) & mask
	}
	return 0
}
