package dwarf

import "math/bits"

// LocIter goes over a location list. Locations play no part in finding
// functions and lines; the iterator exists so that checks can report what is
// wrong with them. It allocates nothing unless it meets an error.
type LocIter struct {
	it RangeIter
}

// LocEntry is one entry of a location list: where the expression holds.
type LocEntry struct {
	RangeEntry
	Default bool   // holds wherever no other entry does; the range is empty
	Expr    []byte // DWARF expression
}

// Locations goes over the location list that a value of DW_AT_location or the
// like leads to. A value that is an expression itself gives no entries.
func (u *Unit) Locations(v Value) LocIter {
	st, err := u.load()
	if err != nil {
		return LocIter{RangeIter{err: err}}
	}
	if v.Form.IsBlock() {
		return LocIter{}
	}
	l := LocIter{RangeIter{u: u, st: st, max: u.MaxAddr(), base: u.unitBase(), d: u.d}}
	it := &l.it
	off := v.U
	switch {
	case u.Version >= 5:
		it.kind, it.sec = listV5, SecLoclists
		if v.Form == FormLoclistx {
			if off, it.err = u.listOffset(st.root.locBase, SecLoclists, v.U); it.err != nil {
				it.kind = listNone
				return l
			}
		}
	case u.d.sec.DWO:
		it.kind, it.sec = listGNU, SecLoc
	default:
		it.kind, it.sec = listV4, SecLoc
	}
	data := u.d.sec.Get(it.sec)
	if off >= uint64(len(data)) {
		it.err = u.d.errf(it.sec, off, "location list lies outside of the section (0x%x bytes)", len(data))
		it.kind = listNone
		return l
	}
	it.r = reader{data: data, off: int(off)}
	return l
}

// Err returns why the list ended early, or nil.
func (l *LocIter) Err() error { return l.it.Err() }

// Section returns the section that the list is in.
func (l *LocIter) Section() SectionID { return l.it.sec }

// Next reads the next entry and reports whether there is one.
func (l *LocIter) Next(e *LocEntry) bool {
	*e = LocEntry{}
	switch l.it.kind {
	case listV4:
		return l.nextV4(e)
	case listV5:
		return l.nextV5(e)
	case listGNU:
		return l.nextGNU(e)
	}
	return false
}

// nextV4 reads .debug_loc (DWARF 4, 2.6.2).
func (l *LocIter) nextV4(e *LocEntry) bool {
	it := &l.it
	if !it.nextV4(&e.RangeEntry) {
		return false
	}
	e.Expr = it.r.bytes(uint64(it.r.u16()))
	return l.done(e)
}

// nextV5 reads .debug_loclists (DWARF 5, 7.7.3).
func (l *LocIter) nextV5(e *LocEntry) bool {
	it := &l.it
	size := int(it.u.AddrSize)
	for {
		at := it.r.off
		var start, end, carry uint64
		var err error
		relative := false
		switch kind := it.r.u8(); kind {
		case lleEndOfList:
			if it.r.bad {
				return it.fail(at, "location list has no end")
			}
			it.kind = listNone
			return false
		case lleBaseAddressx:
			start, err = it.addrx()
			it.base = it.u.newBase(start, err != nil)
			continue
		case lleBaseAddress:
			it.base = it.u.newBase(it.r.uint(size), false)
			continue
		case lleDefaultLocation:
			e.Default = true
			e.Class = RangeEmpty
		case lleOffsetPair:
			start, end = it.r.uleb(), it.r.uleb()
			relative = true
		case lleStartxEndx:
			var err2 error
			start, err = it.addrx()
			end, err2 = it.addrx()
			if err == nil {
				err = err2
			}
		case lleStartxLength:
			start, err = it.addrx()
			end, carry = bits.Add64(start, it.r.uleb(), 0)
		case lleStartEnd:
			start, end = it.r.uint(size), it.r.uint(size)
		case lleStartLength:
			start = it.r.uint(size)
			end, carry = bits.Add64(start, it.r.uleb(), 0)
		default:
			return it.fail(at, "location list entry of unknown kind 0x%x; the rest of the list is lost", kind)
		}
		e.Expr = it.r.bytes(it.r.uleb())
		if it.r.bad {
			return it.fail(at, "location list entry is cut off")
		}
		if err != nil || relative && it.base.unknown {
			it.report(at, "location list entry names an address that cannot be read")
			continue
		}
		switch {
		case relative:
			e.RangeEntry = it.relative(start, end)
		case !e.Default:
			e.RangeEntry = it.u.classify(start, end, carry, listBase{})
		}
		e.Off = uint64(at)
		return true
	}
}

// nextGNU reads .debug_loc.dwo of GNU split DWARF 4.
func (l *LocIter) nextGNU(e *LocEntry) bool {
	it := &l.it
	for {
		at := it.r.off
		var start, end, carry uint64
		var err, err2 error
		switch kind := it.r.u8(); kind {
		case gnuLLEEndOfList:
			if it.r.bad {
				return it.fail(at, "location list has no end")
			}
			it.kind = listNone
			return false
		case gnuLLEBaseAddress:
			start, err = it.addrx()
			it.base = it.u.newBase(start, err != nil)
			continue
		case gnuLLEStartEnd:
			start, err = it.addrx()
			end, err2 = it.addrx()
		case gnuLLEStartLength:
			start, err = it.addrx()
			end, carry = bits.Add64(start, uint64(it.r.u32()), 0)
		default:
			return it.fail(at, "location list entry of unknown kind 0x%x; the rest of the list is lost", kind)
		}
		e.Expr = it.r.bytes(uint64(it.r.u16()))
		if it.r.bad {
			return it.fail(at, "location list entry is cut off")
		}
		if err != nil || err2 != nil {
			it.report(at, "location list entry names an address that cannot be read")
			continue
		}
		e.RangeEntry = it.u.classify(start, end, carry, listBase{})
		e.Off = uint64(at)
		return true
	}
}

func (l *LocIter) done(e *LocEntry) bool {
	if l.it.r.bad {
		return l.it.fail(int(e.Off), "location list entry is cut off")
	}
	return true
}
