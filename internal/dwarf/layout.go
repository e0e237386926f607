package dwarf

import "encoding/binary"

// layout says where in an entry with code the attributes stand that a walk wants,
// so that they are read without going over all the others. There are layouts for
// abbreviations with up to maxPivots values of varying size, if those are numbers
// or blocks: for nearly all entries that have code.
type layout struct {
	low, high, ranges, origin      field
	callFile, callLine, callColumn field

	lean leanWay // of an inlined call

	named  bool
	pivots int
	pivot  [maxPivots]pivot
	size   uint32 // of everything but the pivots
}

const maxPivots = 2

// pivot is a value of varying size.
type pivot struct {
	off   uint32 // of fixed bytes before it
	block bool
}

// field is a place in an entry. The value is what stands there under the mask, with
// add, which is the value of what has no bytes, or the value of a pivot.
type field struct {
	mask  uint64
	add   uint64
	off   uint32 // of fixed bytes before it
	after uint8  // pivots before it
	pivot uint8  // 1 or more: it is that pivot
	form  Form   // 0: absent
}

// prepareLayout works out the layout of an abbreviation with code.
func (t *abbrevTable) prepareLayout(ab *abbrev) {
	var l layout
	for _, s := range t.specsOf(ab) {
		f := field{off: l.size, after: uint8(l.pivots), form: s.form}
		switch {
		case s.size == 0:
			f.add = uint64(s.implicit)
		case s.size > 0 && s.size <= 8:
			f.mask = ^uint64(0) >> (64 - 8*s.size)
		case s.size == sizeLEB && s.form != FormSdata || s.size == sizeBlock && s.slot <= slotName:
			if l.pivots == maxPivots {
				return
			}
			l.pivot[l.pivots] = pivot{l.size, s.size == sizeBlock}
			l.pivots++
			f.pivot = uint8(l.pivots)
		case s.size < 0 || s.slot > slotName:
			return
		}
		l.size += uint32(max(s.size, 0))
		switch s.slot {
		case slotName:
			l.named = true
		case slotLowPC:
			l.low = f
		case slotHighPC:
			l.high = f
		case slotRanges:
			l.ranges = f
		case slotOrigin:
			if l.origin.form == 0 || s.attr == AttrAbstractOrigin {
				l.origin = f
			}
		case slotCallFile:
			l.callFile = f
		case slotCallLine:
			l.callLine = f
		case slotCallColumn:
			l.callColumn = f
		}
	}
	if ab.kind == kindInlined {
		l.lean = newLeanWay(&l)
	}
	t.layouts = append(t.layouts, l)
	ab.layout = uint32(len(t.layouts))
}

// measure finds the pivots of an entry whose attributes begin at data. It reports
// false for numbers of more than two bytes and near the end of the unit, where a
// field could not be read with eight bytes.
func (l *layout) measure(data []byte, shift *[maxPivots + 1]int, values *[maxPivots + 1]uint64) (size int, ok bool) {
	for i := range l.pivots {
		at := int(l.pivot[i].off) + shift[i]
		if at+1 >= len(data) {
			return 0, false
		}
		n, size := uint64(data[at]), 1
		if n >= 0x80 {
			if data[at+1] >= 0x80 {
				return 0, false
			}
			n, size = n&0x7f|uint64(data[at+1])<<7, 2
		}
		values[i+1] = n
		if l.pivot[i].block {
			size += int(n)
		}
		shift[i+1] = shift[i] + size
	}
	size = int(l.size) + shift[l.pivots]
	return size, len(data)-size >= 8
}

// laidOut is attrs for an abbreviation with a layout. It reports false, and leaves
// everything to attrs, for numbers of several bytes or near the end of the unit.
func (w *walker) laidOut(l *layout) bool {
	data := w.r.data[w.r.off:]
	var shift [maxPivots + 1]int // how far fields are moved by the pivots before
	var values [maxPivots + 1]uint64
	size, ok := l.measure(data, &shift, &values)
	if !ok {
		return false
	}
	get := func(f *field) uint64 {
		if f.form == 0 {
			return 0
		}
		return binary.LittleEndian.Uint64(data[int(f.off)+shift[f.after]:])&f.mask | f.add | values[f.pivot]
	}
	w.low = rawAttr{get(&l.low), l.low.form}
	w.high = rawAttr{get(&l.high), l.high.form}
	w.ranges = rawAttr{get(&l.ranges), l.ranges.form}
	w.origin = rawAttr{get(&l.origin), l.origin.form}
	w.callFile, w.callLine, w.callColumn = get(&l.callFile), get(&l.callLine), get(&l.callColumn)
	w.named = l.named
	w.r.off += size
	return true
}
