package dwarf

import "math/bits"

// nextV4 reads .debug_ranges (DWARF 4, 2.17.3): pairs of addresses relative to
// a base. A start of all ones selects a base, so linkers mark removed code
// with all ones minus one there.
func (it *RangeIter) nextV4(e *RangeEntry) bool {
	size := int(it.u.AddrSize)
	for {
		at := it.r.off
		start, end := it.r.uint(size), it.r.uint(size)
		switch {
		case it.r.bad:
			return it.fail(at, "range list has no end")
		case start == 0 && end == 0:
			it.kind = listNone
			return false
		case start == it.max:
			it.base = it.u.newBase(end, false)
			continue
		case start == it.max-1:
			*e = RangeEntry{Range: Range{start, end}, Class: RangeTombstone}
		case it.base.unknown:
			return it.fail(at, "range is relative to the unit's low_pc, which cannot be read")
		default:
			*e = it.relative(start, end)
		}
		e.Off = uint64(at)
		return true
	}
}

// relative adds the base to a pair of offsets.
func (it *RangeIter) relative(start, end uint64) RangeEntry {
	s, c1 := bits.Add64(start, it.base.addr, 0)
	n, c2 := bits.Add64(end, it.base.addr, 0)
	if end < start && !it.base.dead && c1 == 0 {
		// Say "reversed" also where the base makes the sum wrap.
		return RangeEntry{Range: Range{s, n}, Class: RangeReversed}
	}
	return it.u.classify(s, n, c1|c2, it.base)
}

// nextV5 reads .debug_rnglists (DWARF 5, 7.25).
func (it *RangeIter) nextV5(e *RangeEntry) bool {
	size := int(it.u.AddrSize)
	for {
		at := it.r.off
		kind := it.r.u8()
		var start, end, carry uint64
		var errS, errE error
		switch kind {
		case rleEndOfList:
			if it.r.bad {
				return it.fail(at, "range list has no end")
			}
			it.kind = listNone
			return false
		case rleBaseAddressx:
			start, errS = it.addrx()
			if it.r.bad {
				return it.fail(at, "range list entry is cut off")
			}
			it.base = it.u.newBase(start, errS != nil)
			continue
		case rleBaseAddress:
			it.base = it.u.newBase(it.r.uint(size), false)
			continue
		case rleOffsetPair:
			start, end = it.r.uleb(), it.r.uleb()
			if it.r.bad {
				return it.fail(at, "range list entry is cut off")
			}
			if it.base.unknown {
				it.report(at, "range is relative to a base address that cannot be read")
				continue
			}
			*e = it.relative(start, end)
			e.Off = uint64(at)
			return true
		case rleStartxEndx:
			start, errS = it.addrx()
			end, errE = it.addrx()
		case rleStartxLength:
			start, errS = it.addrx()
			end, carry = bits.Add64(start, it.r.uleb(), 0)
		case rleStartEnd:
			start, end = it.r.uint(size), it.r.uint(size)
		case rleStartLength:
			start = it.r.uint(size)
			end, carry = bits.Add64(start, it.r.uleb(), 0)
		default:
			return it.fail(at, "range list entry of unknown kind 0x%x; the rest of the list is lost", kind)
		}
		if it.r.bad {
			return it.fail(at, "range list entry is cut off")
		}
		if errS != nil || errE != nil {
			it.report(at, "range list entry names an address that cannot be read")
			continue
		}
		*e = it.u.classify(start, end, carry, listBase{})
		e.Off = uint64(at)
		return true
	}
}

// report keeps the first defect of a list whose other entries stay good.
func (it *RangeIter) report(off int, msg string) {
	if it.err == nil {
		it.err = it.d.errf(it.sec, uint64(off), "%s", msg)
	}
}

func (it *RangeIter) addrx() (uint64, error) {
	return it.u.addrx(it.st, it.r.uleb())
}
