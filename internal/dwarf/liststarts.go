package dwarf

import "sync/atomic"

// ListStarts notes at which offsets of a file's range lists entries say that a list
// begins. Together the lists fill their section, so that what is left over belongs
// to a list that ends before it should. It may be used from several goroutines.
type ListStarts struct {
	d      *Data
	v4, v5 *offsetSet
}

// NewListStarts returns a set for the range lists of d.
func (d *Data) NewListStarts() *ListStarts {
	return &ListStarts{d: d, v4: newOffsetSet(len(d.sec.Ranges)), v5: newOffsetSet(len(d.sec.Rnglists))}
}

// offsetSet is a set of offsets of a section: one bit for each byte.
type offsetSet struct {
	words []atomic.Uint32
	size  uint64
}

func newOffsetSet(size int) *offsetSet {
	return &offsetSet{make([]atomic.Uint32, (size+31)/32), uint64(size)}
}

func (s *offsetSet) add(off uint64) {
	if off < s.size {
		s.words[off/32].Or(1 << (off % 32))
	}
}

func (s *offsetSet) has(off int) bool { return s.words[off/32].Load()&(1<<(off%32)) != 0 }

// unitLists are the starts that one unit notes.
type unitLists struct {
	to *offsetSet
}

// of returns what notes the lists of a unit: nil for one whose lists are elsewhere.
func (l *ListStarts) of(u *Unit) *unitLists {
	switch {
	case l == nil || u.d != l.d:
		return nil
	case u.Version >= 5:
		return &unitLists{l.v5}
	}
	return &unitLists{l.v4}
}

func (l *unitLists) set(off uint64) {
	if l != nil {
		l.to.add(off)
	}
}

// Stray returns how many entries of a section belong to no list, and the offset of
// the first one. All units must have been asked for what they lead to. Nothing can be
// said, and none is returned, where units differ in the size of addresses, or where a
// .dwo file leads into the section.
func (l *ListStarts) Stray(sec SectionID) (n int, first uint64) {
	size := uint8(0)
	for i := range l.d.NumUnits() {
		u := l.d.Unit(i)
		if size == 0 {
			size = u.AddrSize
		}
		if u.AddrSize != size || u.Version < 5 && u.IsSkeleton() {
			return 0, 0
		}
	}
	if sec == SecRanges {
		return l.strayV4(int(size))
	}
	return l.strayV5(int(size))
}

// strayV4 goes over .debug_ranges: pairs of addresses, a list ends with two zeros.
func (l *ListStarts) strayV4(size int) (n int, first uint64) {
	r := reader{data: l.d.sec.Ranges}
	open := false
	for len(r.data)-r.off >= 2*size && size > 0 {
		at := r.off
		open = open || l.v4.has(at)
		start, end := r.uint(size), r.uint(size)
		switch {
		case start == 0 && end == 0:
			open = false
		case !open:
			if n++; n == 1 {
				first = uint64(at)
			}
		}
	}
	return n, first
}

// strayV5 goes over .debug_rnglists: parts with a header, offsets of lists, and lists.
func (l *ListStarts) strayV5(size int) (n int, first uint64) {
	data := l.d.sec.Rnglists
	for off := 0; off < len(data); {
		r := reader{data: data, off: off}
		length, is64 := r.initialLength()
		body := r.off
		if r.bad || length > uint64(len(data)-body) {
			return n, first // whoever leads into this part says so
		}
		end := body + int(length)
		r = readerAt(data, uint64(body), uint64(end))
		r.skip(4) // version, sizes of addresses and segments
		count := uint64(r.u32())
		base := uint64(r.off)
		for range count {
			if rel := r.offset(is64); !r.bad {
				l.v5.add(base + rel)
			} else {
				break
			}
		}
		for open := false; r.more(); {
			at := r.off
			open = open || l.v5.has(at)
			known := skipRange5(&r, size)
			if data[at] == rleEndOfList {
				open = false
				continue
			}
			if !open {
				if n++; n == 1 {
					first = uint64(at)
				}
			}
			if !known {
				break // the list says so
			}
		}
		off = end
	}
	return n, first
}

// skipRange5 steps over one entry of a list and reports whether its kind is known.
func skipRange5(r *reader, size int) bool {
	switch r.u8() {
	case rleEndOfList:
	case rleBaseAddressx:
		r.skipLEB()
	case rleStartxEndx, rleStartxLength, rleOffsetPair:
		r.skipLEB()
		r.skipLEB()
	case rleBaseAddress:
		r.skip(uint64(size))
	case rleStartEnd:
		r.skip(2 * uint64(size))
	case rleStartLength:
		r.skip(uint64(size))
		r.skipLEB()
	default:
		return false
	}
	return !r.bad
}
