package dwarf

import (
	"bytes"
	"encoding/binary"
	"sync"
)

// Lost says that values of a unit lead to where a section holds nothing: the
// section is missing, too short, or its parts are not where the unit says.
type Lost struct {
	Section SectionID // that they lead into
	Entry   uint64    // offset in the unit's section of the first entry with such a value
	Value   uint64    // the value: an offset in Section, or an index
	Index   bool      // Value is an index into the unit's part of Section
	Count   int       // values of the kind
	Msg     string    // what is wrong, as a clause about Section
}

// references are the classes of values that lead into other sections.
type refClass uint8

const (
	refNone refClass = iota
	refStr
	refLineStr
	refStrx
	refAddrx
	refRanges
	refRnglistx
	refLoc
	refLoclistx
	numRefs
)

// HasVariables reports whether the unit may hold variables, parameters or types. One
// that does not holds nothing but lines, and entries of functions only where calls
// were inlined: what compilers write for -gline-tables-only.
func (u *Unit) HasVariables() bool {
	st, err := u.load()
	if err != nil {
		return false
	}
	for i := range st.table.dense {
		if st.table.dense[i].isVariable() {
			return true
		}
	}
	for _, ab := range st.table.sparse {
		if ab.isVariable() {
			return true
		}
	}
	return false
}

func (ab *abbrev) isVariable() bool {
	return ab.there && (ab.tag == TagVariable || ab.tag == TagFormalParameter || ab.tag == TagBaseType)
}

// section returns what the class leads into first, in a unit of some version.
func (c refClass) section(version uint16) SectionID {
	switch c {
	case refStr:
		return SecStr
	case refLineStr:
		return SecLineStr
	case refStrx:
		return SecStrOffsets
	case refAddrx:
		return SecAddr
	case refRnglistx:
		return SecRnglists
	case refLoclistx:
		return SecLoclists
	case refRanges:
		if version >= 5 {
			return SecRnglists
		}
		return SecRanges
	}
	if version >= 5 {
		return SecLoclists
	}
	return SecLoc
}

// refOf tells the class of an attribute's value.
func refOf(s *attrSpec) refClass {
	switch s.form {
	case FormStrp:
		return refStr
	case FormLineStrp:
		return refLineStr
	case FormStrx, FormStrx1, FormStrx2, FormStrx3, FormStrx4, FormGNUStrIndex:
		return refStrx
	case FormAddrx, FormAddrx1, FormAddrx2, FormAddrx3, FormAddrx4, FormGNUAddrIndex, FormLLVMAddrxOffset:
		return refAddrx
	case FormRnglistx:
		return refRnglistx
	case FormLoclistx:
		return refLoclistx
	case FormSecOffset:
		switch s.attr {
		case AttrRanges:
			return refRanges
		case AttrLocation, AttrFrameBase:
			return refLoc
		}
	case FormData4: // before DWARF 4 offsets had the form of a number
		if s.attr == AttrRanges {
			return refRanges
		}
	}
	return refNone
}

// farthest is, by class, the highest value of a unit and whether there is any.
type farthest [numRefs]struct {
	value uint64
	any   bool
}

// farthest goes over all entries of the unit. It stops at what cannot be read,
// which a walk over functions reports.
func (u *Unit) farthest(st *unitState, lists *unitLists) farthest {
	var far farthest
	r := u.reader(u.DIE)
	enc := st.table.enc
	for depth := 0; r.more(); {
		code := r.uleb()
		if code == 0 {
			if depth--; depth <= 0 {
				break
			}
			continue
		}
		ab := st.table.get(code)
		if ab == nil || !ab.usable() {
			break
		}
		if ab.leads {
			far.read(&r, st.table.specsOf(ab), enc, lists)
		} else {
			st.table.skipAttrs(&r, ab)
		}
		if r.bad {
			break
		}
		if ab.children {
			depth++
		} else if depth == 0 {
			break
		}
	}
	return far
}

// read goes over the values of one entry.
func (far *farthest) read(r *reader, specs []attrSpec, enc encoding, lists *unitLists) {
	for i := range specs {
		s := &specs[i]
		if s.class == refNone {
			if s.size >= 0 {
				r.skip(uint64(s.size))
			} else {
				r.skipValue(s.size, enc)
			}
			continue
		}
		var v uint64
		switch {
		case s.size == 4 && len(r.data)-r.off >= 4:
			v = uint64(binary.LittleEndian.Uint32(r.data[r.off:]))
			r.off += 4
		case s.size >= 0:
			v = r.uint(int(s.size))
		default:
			v = r.uleb()
			if s.size == sizeLEB4 {
				r.skip(4)
			}
		}
		if s.class == refRanges && !r.bad {
			lists.set(v)
		}
		if f := &far[s.class]; v >= f.value && !r.bad {
			f.value, f.any = v, true
		}
	}
}

// Lost returns what of the unit leads to where other sections hold nothing, by
// section. It goes over every entry of the unit, and notes which range lists the
// unit leads to in lists, which may be nil.
func (u *Unit) Lost(lists *ListStarts) []Lost {
	st, err := u.load()
	if err != nil {
		return nil
	}
	far := u.farthest(st, lists.of(u))
	var lost []Lost
	for class := refStr; class < numRefs; class++ {
		if !far[class].any {
			continue
		}
		if least, l := u.limit(st, class, far[class].value); l.Msg != "" {
			u.locate(&l, class, least)
			lost = append(lost, l)
		}
	}
	return lost
}

// limit checks the highest value of a class. If it cannot be resolved it returns
// what is wrong, and the lowest value from which on that is so.
func (u *Unit) limit(st *unitState, class refClass, value uint64) (least uint64, l Lost) {
	d, root := u.d, st.root
	if class == refAddrx && u.skel != nil {
		skel, err := u.skel.load()
		if err != nil {
			return 0, Lost{}
		}
		d, root = u.skel.d, skel.root
	}
	if (class == refRanges || class == refRnglistx) && u.skel != nil && u.Version < 5 {
		d = u.skel.d
	}
	l = Lost{Section: class.section(u.Version), Value: value}
	data := d.sec.Get(l.Section)
	n := uint64(len(data))
	switch {
	case n == 0:
		l.Msg = "is missing"
		return 0, l
	case d.summary(l.Section).zeros:
		l.Msg = "holds nothing but zeros"
		return 0, l
	}
	switch class {
	case refStr, refLineStr:
		sum := d.summary(l.Section)
		if value >= sum.strings {
			l.Msg = "is too short"
			return sum.strings, l
		}
		if sum.hole {
			l.Msg = holeMsg
			return 0, l
		}
	case refRanges, refLoc:
		if value >= n {
			l.Msg = "is too short"
			return n, l
		}
	default:
		l.Index = true
		have, msg := u.entries(root, class, data)
		if msg == "" && value >= have {
			msg = "is too short"
		}
		if l.Msg = msg; msg != "" {
			return have, l
		}
		if class == refStrx {
			return u.stringsBehind(root, value)
		}
	}
	return 0, Lost{}
}

// base returns where the entries of a class begin in their section, and how long
// the header in front of them is (DWARF 5, 7.26 to 7.29; none before).
func (u *Unit) base(root *Root, class refClass) (base uint64, header uint64) {
	set := root.strBase
	header = 8
	switch class {
	case refAddrx:
		set = root.addrBase
	case refRnglistx:
		set, header = root.rngBase, 12
	case refLoclistx:
		set, header = root.locBase, 12
	}
	if u.DWARF64 {
		header += 8
	}
	if u.Version < 5 {
		return set.off, 0
	}
	if !set.set {
		return header, header
	}
	return set.off, header
}

// entries returns how many entries the unit's part of a table has that indices
// lead into.
func (u *Unit) entries(root *Root, class refClass, data []byte) (n uint64, msg string) {
	size := uint64(u.encoding().offsetSize())
	if class == refAddrx {
		size = uint64(u.AddrSize)
	}
	base, header := u.base(root, class)
	have := uint64(len(data))
	if base > have || base < header {
		return 0, "does not hold the unit's part"
	}
	if header == 0 {
		return (have - base) / size, ""
	}
	r := readerAt(data, base-header, have)
	length, is64 := r.initialLength()
	rest := have - uint64(r.off)
	switch {
	case r.bad || is64 != u.DWARF64 || length < base-uint64(r.off):
		return 0, "does not hold the header of the unit's part"
	case length > rest:
		return (have - base) / size, "is shorter than the unit's part in it claims to be"
	}
	n = (length - (base - uint64(r.off))) / size
	if class == refRnglistx || class == refLoclistx {
		at := readerAt(data, base-4, have)
		n = min(n, uint64(at.u32()))
	}
	return n, ""
}

// stringsBehind checks where the entries of .debug_str_offsets up to an index lead.
func (u *Unit) stringsBehind(root *Root, index uint64) (least uint64, l Lost) {
	l = Lost{Section: SecStr, Index: true, Value: index}
	sum := u.d.summary(SecStr)
	switch {
	case len(u.d.sec.Str) == 0:
		l.Msg = "is missing"
		return 0, l
	case sum.zeros:
		l.Msg = "holds nothing but zeros"
		return 0, l
	}
	if sum.hole {
		l.Msg = holeMsg
		return 0, l
	}
	end := sum.strings
	base, _ := u.base(root, refStrx)
	size := int(u.encoding().offsetSize())
	table := u.d.sec.StrOffsets
	if u.d.refWork.Add(int64(index)) > refOverlap*int64(len(table))+refSlack {
		// Parts of units do not overlap, so that together they cannot need this.
		return 0, Lost{Section: SecStrOffsets, Index: true, Value: index, Msg: "is used by units whose parts in it overlap"}
	}
	r := reader{data: table, off: int(base)}
	zeros := 0
	for i := range index + 1 {
		off := r.uint(size)
		if off >= end {
			l.Msg = "is too short"
			return i, l
		}
		if off == 0 {
			// Each string has one entry, so that one of them at most leads to the first.
			if zeros++; zeros > 1 {
				return i, Lost{Section: SecStrOffsets, Index: true, Value: i, Msg: "holds zeros in place of offsets"}
			}
		}
	}
	return 0, Lost{}
}

// locate finds the first entry with a value of a class that is least or more, and
// counts them.
func (u *Unit) locate(l *Lost, class refClass, least uint64) {
	c, err := u.Cursor()
	if err != nil {
		return
	}
	for c.Next() {
		specs := c.st.table.specsOf(c.ab)
		i := 0
		c.VisitAttrs(func(_ Attr, v Value) bool {
			s := &specs[i]
			i++
			if s.class != class {
				return true
			}
			if s.size == sizeLEB4 {
				v.U >>= 32
			}
			if v.U >= least {
				if l.Count++; l.Count == 1 {
					l.Entry, l.Value = c.Off(), v.U
				}
			}
			return true
		})
	}
}

// summary is what has to be known of a section for every unit that leads into it.
type summary struct {
	once    sync.Once
	zeros   bool   // it has several bytes, and nothing but zeros
	hole    bool   // there are zeros inside of it in place of strings
	strings uint64 // below, each offset is one of a string with an end
}

// holeMsg says that a section of strings has a hole.
const holeMsg = "holds zeros in place of strings"

// holeSize is from how many zeros on they are a hole: linkers leave an empty string
// now and then, and padding behind the last one.
const holeSize = 4

// hasHole reports whether there are zeros in front of something else.
func hasHole(b []byte) bool {
	b = bytes.TrimLeft(bytes.TrimRight(b, "\x00"), "\x00")
	return bytes.Contains(b, make([]byte, holeSize))
}

// summary returns what is known of a section, found out once.
func (d *Data) summary(id SectionID) *summary {
	s := &d.summaries[id]
	s.once.Do(func() {
		data := d.sec.Get(id)
		s.zeros = len(data) > 1 && allZero(data)
		s.strings = uint64(bytes.LastIndexByte(data, 0) + 1)
		if id == SecStr || id == SecLineStr {
			s.hole = hasHole(data)
		}
	})
	return s
}

// allZero reports whether there is nothing but zeros, at the speed of memory.
func allZero(b []byte) bool {
	var zero [4096]byte
	for len(b) > len(zero) {
		if !bytes.Equal(b[:len(zero)], zero[:]) {
			return false
		}
		b = b[len(zero):]
	}
	return bytes.Equal(b, zero[:len(b)])
}
