package dwarf

import "encoding/binary"

// leanWay says how to read the range of an inlined call, and nothing else of it:
// all that is wanted of the calls in a function that is never an answer. There is
// one for what compilers write: a low_pc of four bytes or by index, a length, an
// origin in the same unit, and no other value of varying size.
type leanWay struct {
	usable           bool
	byIndex          bool   // low_pc is an index in .debug_addr
	pivot            bool   // there is a value of varying size, the index or another number
	pivotOff         uint16 // where it is, from the first attribute on
	low, high, ref   uint16 // where the others are, less the size of the pivot
	lowUp, highUp    bool   // the pivot stands before
	refUp            bool
	size             uint16 // of everything but the pivot
	lowMask, refMask uint64 // 0 where there is none
	highMask         uint64
}

// newLeanWay works out the way for a layout.
func newLeanWay(l *layout) (w leanWay) {
	const most = 1 << 12
	plain := func(f *field) bool { return f.pivot == 0 && f.add == 0 && f.mask != 0 }
	switch {
	case l.pivots > 1 || l.pivots == 1 && l.pivot[0].block || l.size > most,
		l.ranges.form != 0, !plain(&l.high) || l.high.form.IsAddress(),
		!l.named && l.origin.form != 0 && (l.origin.form != FormRef4 || !plain(&l.origin)):
		return w
	}
	w.pivot, w.pivotOff = l.pivots == 1, uint16(l.pivot[0].off)
	switch l.low.form {
	case FormAddr:
		w.lowMask = l.low.mask
	case FormAddrx, FormGNUAddrIndex:
		w.byIndex = true
	case FormAddrx1, FormAddrx2, FormAddrx4:
		w.byIndex, w.lowMask = true, l.low.mask
	default:
		return w
	}
	w.low, w.lowUp = uint16(l.low.off), l.low.after > 0
	w.high, w.highUp, w.highMask = uint16(l.high.off), l.high.after > 0, l.high.mask
	if !l.named && l.origin.form != 0 {
		w.ref, w.refUp, w.refMask = uint16(l.origin.off), l.origin.after > 0, l.origin.mask
	}
	w.size, w.usable = uint16(l.size), true
	return w
}

// leanWay returns the way for an entry where there is one, or nil.
func (w *walker) leanWay(ab *abbrev) *leanWay {
	if !w.lean || ab.kind != kindInlined || ab.layout == 0 || w.cur.state == scopeDead || w.cur.fn < 0 || w.opt.careful {
		return nil
	}
	if way := &w.table.layouts[ab.layout-1].lean; way.usable {
		return way
	}
	return nil
}

// leanCall is inlined for a call in a function that is never an answer. It reports
// false, and leaves everything to inlined, where anything is unusual.
func (w *walker) leanCall(l *leanWay) (sc scope, ok bool) {
	data := w.r.data[w.r.off:]
	if len(data) < int(l.size)+2+8 {
		return sc, false
	}
	shift, number := 0, uint64(0)
	if l.pivot {
		number, shift = uint64(data[l.pivotOff]), 1
		if number >= 0x80 {
			next := data[l.pivotOff+1]
			if next >= 0x80 {
				return sc, false
			}
			number, shift = number&0x7f|uint64(next)<<7, 2
		}
	}
	at := func(off uint16, up bool) uint64 {
		i := int(off)
		if up {
			i += shift
		}
		return binary.LittleEndian.Uint64(data[i:])
	}
	start := number
	if l.lowMask != 0 {
		start = at(l.low, l.lowUp) & l.lowMask
	}
	if l.byIndex {
		if start >= uint64(len(w.addrs)/4) {
			return sc, false
		}
		start = uint64(binary.LittleEndian.Uint32(w.addrs[4*start:]))
	}
	end := start + at(l.high, l.highUp)&l.highMask
	outer := w.funcs[w.cur.fn].Ranges
	if w.cur.inline >= 0 {
		outer = w.inlines[w.cur.inline].Ranges
	}
	if outer.Len() != 1 || start == 0 || start >= end || end > w.max || start >= w.max-1 {
		return sc, false
	}
	if around := &w.kept[outer.Lo]; start < around.Start || end > around.End {
		return sc, false
	}
	if l.refMask != 0 {
		if ref := at(l.ref, l.refUp) & l.refMask; ref >= w.u.End-w.u.Off || w.u.Off+ref < w.u.DIE {
			return sc, false
		}
	}
	n := uint32(len(w.kept))
	w.kept = append(w.kept, Range{start, end})
	w.f.Stats.Inlined++
	w.inlines = append(w.inlines, Inline{Origin: NoOrigin, Ranges: Span{n, n + 1}, Parent: w.cur.inline, Func: uint32(w.cur.fn)})
	w.r.off += int(l.size) + shift
	return scope{fn: w.cur.fn, inline: int32(len(w.inlines) - 1)}, true
}

// addrTable returns the unit's part of .debug_addr, for addresses of four bytes;
// nil for others and where there is none.
func (u *Unit) addrTable() []byte {
	of := u.addrUnit()
	st, err := of.load()
	if err != nil || u.AddrSize != 4 {
		return nil
	}
	table, base := of.d.sec.Addr, u.addrBase(st.root)
	if base > uint64(len(table)) {
		return nil
	}
	return table[base:]
}
