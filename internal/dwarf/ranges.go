package dwarf

import "math/bits"

// Range is a half-open range of addresses: Start ≤ address < End.
type Range struct{ Start, End uint64 }

// Contains says that addr lies in the range.
func (r Range) Contains(addr uint64) bool { return r.Start <= addr && addr < r.End }

// RangeClass says what a range is good for.
type RangeClass uint8

// The classes. Only RangeLive describes code.
const (
	RangeLive      RangeClass = iota
	RangeEmpty                // start = end: legal, covers nothing
	RangeTombstone            // its start, or the base it is relative to, stands for removed code
	RangeReversed             // the end lies before the start
	RangeWraps                // an address does not fit into the unit's address size
)

// String returns a word for the class.
func (c RangeClass) String() string {
	switch c {
	case RangeLive:
		return "live"
	case RangeEmpty:
		return "empty"
	case RangeTombstone:
		return "tombstone"
	case RangeReversed:
		return "reversed"
	case RangeWraps:
		return "wraps"
	}
	return "unknown"
}

// RangeEntry is one range as the file has it. For tombstones and wrapping
// ranges Start and End say what was read, and End may be cut down to the
// highest address.
type RangeEntry struct {
	Range
	Class RangeClass
	Off   uint64 // of the list entry; 0 for a low_pc and high_pc pair
}

// RangeIter goes over the ranges of an entry. It allocates nothing unless it
// meets an error.
type RangeIter struct {
	u    *Unit
	st   *unitState
	kind listKind
	sec  SectionID
	d    *Data
	r    reader
	base listBase
	max  uint64
	one  RangeEntry // of a low_pc and high_pc pair
	err  *Error
}

type listKind uint8

const (
	listNone listKind = iota // nothing left
	listOne                  // a single range, in RangeIter.one
	listV4                   // .debug_ranges or .debug_loc
	listV5                   // .debug_rnglists or .debug_loclists
	listGNU                  // .debug_loc.dwo
)

// listBase is what the offsets in a list are relative to.
type listBase struct {
	addr    uint64
	dead    bool // a tombstone
	unknown bool // could not be read
}

// unitBase returns the base that lists of the unit start with: low_pc. A
// low_pc of 0 is a plain base here; it says nothing about removed code.
func (u *Unit) unitBase() listBase {
	st, err := u.addrUnit().load()
	if err != nil {
		return listBase{unknown: true}
	}
	return u.newBase(st.root.LowPC, st.root.badLow)
}

func (u *Unit) newBase(addr uint64, unknown bool) listBase {
	return listBase{addr: addr, dead: isTombstone(addr, u.MaxAddr()), unknown: unknown}
}

// Ranges goes over the ranges of the whole unit, from its root entry. A unit
// without any gives no ranges.
func (u *Unit) Ranges() RangeIter {
	st, err := u.load()
	if err != nil {
		return RangeIter{err: err}
	}
	root := st.root
	if u.skel != nil && root.ranges.form == 0 && root.low.form == 0 {
		return u.skel.Ranges()
	}
	return u.rangesOf(st, root.low, root.high, root.ranges)
}

// EntryRanges goes over the ranges of the entry that a cursor stands on.
func (c *Cursor) EntryRanges() RangeIter {
	var low, high, ranges rawAttr
	c.VisitAttrs(func(a Attr, v Value) bool {
		switch a {
		case AttrLowPC:
			low = v.raw()
		case AttrHighPC:
			high = v.raw()
		case AttrRanges:
			ranges = v.raw()
		}
		return true
	})
	return c.u.rangesOf(c.st, low, high, ranges)
}

// rangesOf goes over what DW_AT_ranges says, else DW_AT_low_pc and
// DW_AT_high_pc.
func (u *Unit) rangesOf(st *unitState, low, high, ranges rawAttr) (it RangeIter) {
	if ranges.form != 0 {
		it.openList(u, st, ranges)
		return it
	}
	it = RangeIter{u: u, st: st, max: u.MaxAddr()}
	if low.form == 0 || high.form == 0 {
		return it
	}
	start, err := u.addressOf(st, low)
	if err != nil {
		it.err = u.errf(u.DIE, "low_pc cannot be read: %v", err)
		return it
	}
	it.one, err = u.pcRange(st, start, high)
	if err != nil {
		it.err = u.errf(u.DIE, "high_pc cannot be read: %v", err)
		return it
	}
	it.kind = listOne
	return it
}

// pcRange combines a start with DW_AT_high_pc, which is an address or, in a
// constant form, a length.
func (u *Unit) pcRange(st *unitState, start uint64, high rawAttr) (RangeEntry, error) {
	if high.form.IsAddress() {
		end, err := u.addressOf(st, high)
		if err != nil {
			return RangeEntry{}, err
		}
		return u.classify(start, end, 0, listBase{}), nil
	}
	end, carry := bits.Add64(start, high.u, 0)
	return u.classify(start, end, carry, listBase{}), nil
}

// classify judges a range. carry is not zero when computing start or end ran
// over 64 bits.
func (u *Unit) classify(start, end, carry uint64, base listBase) RangeEntry {
	max := u.MaxAddr()
	e := RangeEntry{Range: Range{start, end}}
	switch {
	case base.dead || isTombstone(start, max) && start <= max || start == 0 && carry == 0 && u.zeroIsDead():
		e.Class = RangeTombstone
	case carry != 0 || start > max || end > max:
		e.Class = RangeWraps
	case end < start:
		e.Class = RangeReversed
	case end == start:
		e.Class = RangeEmpty
	}
	if carry != 0 || end > max {
		e.End = max
	}
	return e
}

// openList prepares reading the list that a DW_AT_ranges value leads to.
func (it *RangeIter) openList(u *Unit, st *unitState, v rawAttr) {
	*it = RangeIter{u: u, st: st, max: u.MaxAddr(), base: u.unitBase()}
	off := v.u
	if u.Version < 5 {
		// GNU split DWARF: the list is in the main file, relative to a base
		// that only the skeleton knows.
		it.kind, it.sec, it.d = listV4, SecRanges, u.d
		if u.skel != nil {
			it.d = u.skel.d
			if st, err := u.skel.load(); err == nil {
				off += st.root.gnuRanges
			}
		}
	} else {
		it.kind, it.sec, it.d = listV5, SecRnglists, u.d
		if v.form == FormRnglistx {
			var err *Error
			if off, err = u.listOffset(it.st.root.rngBase, SecRnglists, v.u); err != nil {
				it.err, it.kind = err, listNone
				return
			}
		}
	}
	data := it.d.sec.Get(it.sec)
	if off >= uint64(len(data)) {
		it.err = it.d.errf(it.sec, off, "range list lies outside of the section (0x%x bytes)", len(data))
		it.kind = listNone
		return
	}
	it.r = reader{data: data, off: int(off)}
}

// listOffset resolves DW_FORM_rnglistx and DW_FORM_loclistx through the offset
// table behind the header of the unit's part of the section (DWARF 5, 7.28).
func (u *Unit) listOffset(base baseAttr, sec SectionID, i uint64) (uint64, *Error) {
	data := u.d.sec.Get(sec)
	size := uint64(u.encoding().offsetSize())
	off := base.off
	if !base.set {
		off = 12 // right after the header of the only contribution
		if u.DWARF64 {
			off = 20
		}
	}
	n := uint64(len(data))
	if off < 4 || off > n {
		return 0, u.d.errf(sec, off, "offset table lies outside of the section (0x%x bytes)", n)
	}
	count := reader{data: data, off: int(off - 4)}
	if entries := uint64(count.u32()); i >= entries || i >= (n-off)/size {
		return 0, u.d.errf(sec, off, "index %d lies outside of the offset table (%d entries)", i, entries)
	}
	r := reader{data: data, off: int(off + i*size)}
	rel := r.uint(int(size))
	if rel > n-off {
		return 0, u.d.errf(sec, off+i*size, "offset table leads outside of the section")
	}
	return off + rel, nil
}

// Err returns why the list ended early, or nil. Ranges returned until then
// are good.
func (it *RangeIter) Err() error { return asError(it.err) }

// Section returns the section that the entries are read from: SecInfo for a
// low_pc and high_pc pair.
func (it *RangeIter) Section() SectionID { return it.sec }

// Next reads the next range, of whatever class, and reports whether there is
// one.
func (it *RangeIter) Next(e *RangeEntry) bool {
	switch it.kind {
	case listOne:
		*e = it.one
		it.kind = listNone
		return true
	case listV4:
		return it.nextV4(e)
	case listV5:
		return it.nextV5(e)
	}
	return false
}

func (it *RangeIter) fail(off int, format string, args ...any) bool {
	it.err = it.d.errf(it.sec, uint64(off), format, args...)
	it.kind = listNone
	return false
}
