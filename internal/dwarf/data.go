package dwarf

import (
	"bytes"
	"sort"
	"sync"
	"sync/atomic"
)

// Options says how to read.
type Options struct {
	// ZeroIsDead says that no code can be at address 0, so that a function,
	// range or sequence that starts there was removed by the linker. True for
	// linked WebAssembly modules, where offset 0 is the function count; false
	// for object files, whose addresses are not final.
	ZeroIsDead bool
}

// Data is the debugging information of one file.
type Data struct {
	sec Sections
	opt Options

	units []Unit // of .debug_info, by offset
	types []Unit // of .debug_types, by offset

	problems Problems

	abbrevMu   sync.RWMutex
	abbrevs    map[abbrevKey]*abbrevEntry
	abbrevWork atomic.Int64 // bytes of tables decoded so far
	layouts    atomic.Int64 // layouts made so far

	sigOnce sync.Once
	sigs    map[uint64]*Unit

	summaries [numSections]summary
	refWork   atomic.Int64 // entries of .debug_str_offsets looked at so far

	walkerMu sync.Mutex
	walkers  []*walker // memory for walks over functions

	// typeUnit finds type units outside of this Data: those of a .dwp.
	typeUnit func(sig uint64) *Unit
}

// New makes a Data of the given sections. It reads the unit headers and
// nothing else; bad ones are in [Data.Problems].
func New(sec Sections, opt Options) *Data {
	d := &Data{sec: sec, opt: opt, abbrevs: map[abbrevKey]*abbrevEntry{}}
	d.units = d.scanUnits(SecInfo)
	d.types = d.scanUnits(SecTypes)
	return d
}

// Sections returns the sections that d reads.
func (d *Data) Sections() *Sections { return &d.sec }

// Options returns the options given to New.
func (d *Data) Options() Options { return d.opt }

// Problems returns the defects found in unit headers.
func (d *Data) Problems() Problems { return d.problems }

// NumUnits returns how many units with a usable header there are: those of
// .debug_info first, then those of .debug_types.
func (d *Data) NumUnits() int { return len(d.units) + len(d.types) }

// Unit returns unit i, 0 ≤ i < NumUnits.
func (d *Data) Unit(i int) *Unit {
	if i < len(d.units) {
		return &d.units[i]
	}
	return &d.types[i-len(d.units)]
}

// UnitAt returns the unit that holds an offset of .debug_info, or nil.
func (d *Data) UnitAt(off uint64) *Unit { return unitAt(d.units, off) }

func unitAt(units []Unit, off uint64) *Unit {
	i := sort.Search(len(units), func(i int) bool { return units[i].Off > off })
	if i == 0 || off >= units[i-1].End {
		return nil
	}
	return &units[i-1]
}

// TypeUnit returns the type unit with a signature, or nil.
func (d *Data) TypeUnit(sig uint64) *Unit {
	d.sigOnce.Do(func() {
		for i := range d.NumUnits() {
			u := d.Unit(i)
			if !u.isType() {
				continue
			}
			if d.sigs == nil {
				d.sigs = map[uint64]*Unit{}
			}
			if _, dup := d.sigs[u.ID]; !dup {
				d.sigs[u.ID] = u
			}
		}
	})
	if u := d.sigs[sig]; u != nil {
		return u
	}
	if d.typeUnit != nil {
		return d.typeUnit(sig)
	}
	return nil
}

// scanUnits reads all unit headers of a section. A bad header costs its own
// unit when the length makes sense, and the rest of the section otherwise.
func (d *Data) scanUnits(sec SectionID) []Unit {
	data := d.sec.Get(sec)
	credit := int64(len(data)) + unitSlack*unitBytes
	units := make([]Unit, 0, min(countUnits(data), credit/unitBytes)) // more if they are of types
	r := reader{data: data}
	for r.more() {
		start := uint64(r.off)
		length, is64 := r.initialLength()
		if r.bad {
			d.problems.add(d.errf(sec, start, "unit length is cut off or reserved; units from here on are lost"))
			break
		}
		if length == 0 { // padding that some linkers leave between units
			r.off += zeroWords(data[r.off:])
			continue
		}
		body := uint64(r.off)
		end := body + length
		if rest := uint64(len(data)) - body; length > rest {
			d.problems.add(d.errf(sec, start, "unit claims 0x%x bytes but the section has 0x%x left; read as far as it goes", length, rest))
			end = uint64(len(data))
		}
		h := Header{Section: sec, Off: start, End: end, DWARF64: is64}
		if err := d.readHeader(&h, body); err != nil {
			d.problems.add(err)
		} else {
			if credit -= unitBytes; h.isType() {
				credit += unitBytes - typeUnitBytes
			}
			if credit < 0 {
				d.problems.add(d.errf(sec, start, "more units than hold anything in a section of 0x%x bytes; units from here on are not read", len(data)))
				break
			}
			units = append(units, Unit{Header: h, d: d})
		}
		r.off = int(end)
	}
	return units
}

// countUnits returns how many units there are by their lengths.
func countUnits(data []byte) (n int64) {
	for r := (reader{data: data}); r.more(); {
		length, _ := r.initialLength()
		if r.bad || length > uint64(len(data)-r.off) {
			return n + 1
		}
		if r.off += int(length); length > 0 {
			n++
		} else {
			r.off += zeroWords(data[r.off:])
		}
	}
	return n
}

// zeroWords returns the length of the run of zeros that b begins with, cut down to
// whole 4-byte words. A section of nothing but zeros is passed over at the speed
// of memory.
func zeroWords(b []byte) int {
	var zero [4096]byte
	n := 0
	for len(b)-n >= len(zero) && bytes.Equal(b[n:n+len(zero)], zero[:]) {
		n += len(zero)
	}
	for len(b)-n >= 4 && bytes.Equal(b[n:n+4], zero[:4]) {
		n += 4
	}
	return n
}
