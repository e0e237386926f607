package debugfile

import "github.com/wasm-debugid/wasm-debugid/internal/mapped"

// UnitInfo describes a compile unit. What its root entry says is empty if that
// cannot be read.
type UnitInfo struct {
	Name     string // of the primary source, as written
	CompDir  string // compilation directory; empty if there is none, as from TinyGo
	Producer string
	Language Language

	Offset      uint64 // of the header in .debug_info
	Size        uint64 // in .debug_info
	Version     int    // of DWARF, 2 to 5
	AddressSize int    // bytes
	DWARF64     bool   // offsets have 8 bytes
	Partial     bool   // what other units import: it has no code of its own

	Skeleton bool   // its entries are in a .dwo or .dwp
	DWOName  string // of that file, as written
	Complete bool   // a skeleton whose entries are at hand; known once it is indexed

	// Err says why nothing of the unit can be read, or nil.
	Err error
}

// NumUnits returns the number of compile units, those that cannot be read
// included. Units whose header is damaged are in [File.Problems] only.
func (f *File) NumUnits() int { return len(f.units) }

// Unit describes unit i, counted in the order of .debug_info.
func (f *File) Unit(i int) UnitInfo {
	u := f.units[i]
	h := &u.skel.Header
	if err := mapped.Guard(func() { f.rootsUpTo(i) }); err != nil {
		f.shrunk.Store(true)
		return UnitInfo{Err: err}
	}
	info := UnitInfo{Offset: h.Off, Size: h.End - h.Off, Version: int(h.Version), AddressSize: int(h.AddrSize), DWARF64: h.DWARF64, Partial: u.partial, Err: u.bad}
	if u.bad != nil {
		return info
	}
	err := mapped.Guard(func() {
		root, err := u.skel.Root()
		if err != nil {
			return
		}
		info.Skeleton, info.DWOName = u.skel.IsSkeleton(), string(root.DWOName)
		info.CompDir = string(root.CompDir)
		if u.built.Load() && u.u != nil && u.u != u.skel {
			info.Complete = true
			if full, err := u.u.Root(); err == nil {
				root = full // name, producer and language are there
			}
		}
		info.Name, info.Producer, info.Language = string(root.Name), string(root.Producer), Language(root.Language)
	})
	if err != nil {
		info.Err = err
	}
	return info
}

// BodyUnit returns the number of the unit that answers for body i: that of its
// function, or else of its rows. It reports false for a body without DWARF. The
// unit is indexed for it.
func (f *File) BodyUnit(i int) (unit int, ok bool) {
	err := mapped.Guard(func() {
		r := f.resolve(i)
		switch {
		case len(r.claims) > 0:
			unit, ok = int(r.claims[0].unit), true
		case len(r.seqs) > 0:
			unit, ok = int(r.seqs[0].unit), true
		}
	})
	if err != nil {
		f.shrunk.Store(true)
		return 0, false
	}
	return unit, ok
}

// UnitHasLines reports whether unit i leads to a line program.
func (f *File) UnitHasLines(i int) bool {
	f.rootsUpTo(i)
	return f.units[i].lineOwner != nil
}

// UnitNamesAll reports whether unit i is one that has an entry for each of its
// functions. Units that were compiled for lines alone have not, and for a skeleton
// without its split unit nobody knows.
func (f *File) UnitNamesAll(i int) bool {
	u := f.units[i]
	return u.built.Load() && u.u != nil && !u.skeleton && !u.incomplete() && u.u.HasVariables()
}

// UnitLanguage returns the language of unit i without copying anything.
func (f *File) UnitLanguage(i int) Language {
	u := f.units[i]
	from := u.skel
	if u.built.Load() && u.u != nil {
		from = u.u
	}
	root, err := from.Root()
	if err != nil {
		return 0
	}
	return Language(root.Language)
}
