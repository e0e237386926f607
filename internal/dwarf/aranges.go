package dwarf

import "math/bits"

// ArangesEntry is one line of .debug_aranges: what the table claims about a
// unit. Nothing in this package is steered by it, because tables that lie or
// have tombstones are common; it is there to be compared with the units.
type ArangesEntry struct {
	Range
	UnitOff uint64 // in .debug_info
	Off     uint64 // of the entry, in .debug_aranges
	Dead    bool   // its start stands for removed code
	Wraps   bool   // start and length do not fit into an address
}

// Aranges calls f for each entry of .debug_aranges (DWARF 5, 6.1.2) until f
// returns false. Sets that cannot be read are skipped and returned.
func (d *Data) Aranges(f func(ArangesEntry) bool) Problems {
	var problems Problems
	data := d.sec.Aranges
	r := reader{data: data}
	for r.more() {
		start := uint64(r.off)
		length, is64 := r.initialLength()
		body := uint64(r.off)
		if r.bad || length > uint64(len(data))-body {
			problems.add(d.errf(SecAranges, start, "set does not fit into the section"))
			return problems
		}
		r.off += int(length)
		set := readerAt(data, body, body+length)
		version := set.u16()
		unitOff := set.offset(is64)
		size, seg := set.u8(), set.u8()
		if set.bad || version != 2 || !validAddrSize(size) || seg != 0 {
			problems.add(d.errf(SecAranges, start, "set has a bad header; set skipped"))
			continue
		}
		// Entries are aligned to their own size, counted from the set's start.
		tuple := 2 * uint64(size)
		if rest := (uint64(set.off) - start) % tuple; rest != 0 {
			set.skip(tuple - rest)
		}
		for {
			off := uint64(set.off)
			addr, n := set.uint(int(size)), set.uint(int(size))
			if set.bad {
				problems.add(d.errf(SecAranges, off, "set has no terminator"))
				break
			}
			if addr == 0 && n == 0 {
				break
			}
			end, carry := bits.Add64(addr, n, 0)
			e := ArangesEntry{
				Range: Range{addr, end}, UnitOff: unitOff, Off: off,
				Dead:  isTombstone(addr, maxAddr(size)) || addr == 0 && d.opt.ZeroIsDead,
				Wraps: carry != 0 || end > maxAddr(size),
			}
			if e.Wraps {
				e.End = maxAddr(size)
			}
			if !f(e) {
				return problems
			}
		}
	}
	return problems
}
