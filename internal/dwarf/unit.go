package dwarf

import "sync"

// Unit is one unit. Its header is known; the rest is read on first use and
// kept. Safe for concurrent use.
type Unit struct {
	Header

	d    *Data
	skel *Unit // the skeleton that this split unit was attached to

	once  sync.Once
	state unitState
	err   *Error
}

// unitState is what the abbreviations and the root entry say.
type unitState struct {
	table    *abbrevTable
	root     *Root
	problems Problems
}

// Root is the root entry of a unit.
type Root struct {
	Tag      Tag
	Children bool // whether there are entries below
	Language uint16
	Name     []byte // of the primary source file, as written
	CompDir  []byte // compilation directory; nil if there is none
	Producer []byte
	DWOName  []byte // of the file with the split unit
	DWOID    uint64 // ties skeleton and split unit together
	HasDWOID bool

	LineOff    uint64 // of the line program in .debug_line
	HasLineOff bool

	LowPC    uint64 // base address of range lists; 0 is a normal base
	HasLowPC bool
	badLow   bool // there is a low_pc, but it cannot be read

	high      rawAttr
	low       rawAttr
	ranges    rawAttr
	addrBase  baseAttr
	strBase   baseAttr
	rngBase   baseAttr
	locBase   baseAttr
	gnuRanges uint64 // added to range offsets of the split unit (GNU, DWARF 4)
}

// baseAttr is a DW_AT_*_base attribute, which may be absent.
type baseAttr struct {
	off uint64
	set bool
}

// Data returns the file that the unit belongs to.
func (u *Unit) Data() *Data { return u.d }

// Skeleton returns the skeleton unit that a split unit is attached to, or nil.
func (u *Unit) Skeleton() *Unit { return u.skel }

// Root returns the root entry. The error says why nothing below can be read.
func (u *Unit) Root() (*Root, error) {
	st, err := u.load()
	if err != nil {
		return nil, err
	}
	return st.root, nil
}

// Problems returns the defects found in the unit's abbreviations and root
// entry that did not make the unit unusable.
func (u *Unit) Problems() Problems {
	_, _ = u.load()
	return u.state.problems
}

func (u *Unit) load() (*unitState, *Error) {
	u.once.Do(func() { u.err = u.readRoot() })
	if u.err != nil {
		return nil, u.err
	}
	return &u.state, nil
}

func (u *Unit) errf(off uint64, format string, args ...any) *Error {
	return u.d.errf(u.Section, off, format, args...)
}

// reader returns a reader of the unit's entries that starts at off.
func (u *Unit) reader(off uint64) reader {
	return readerAt(u.d.sec.Get(u.Section), off, u.End)
}

func (u *Unit) readRoot() *Error {
	table, err := u.d.abbrevTable(u.AbbrevOff, u.encoding())
	if err != nil {
		return err
	}
	st := &u.state
	st.table = table
	st.problems.List = append(st.problems.List, table.problems.List...)
	st.problems.Total = table.problems.Total
	r := u.reader(u.DIE)
	code := r.uleb()
	if r.bad || code == 0 {
		return u.errf(u.DIE, "unit has no root entry")
	}
	ab := table.get(code)
	if ab == nil {
		return u.errf(u.DIE, "root entry has unknown abbreviation %d", code)
	}
	if !ab.usable() {
		return u.errf(u.DIE, "root entry cannot be read: its abbreviation at .debug_abbrev+0x%x is bad", ab.off)
	}
	root := &Root{Tag: ab.tag, Children: ab.children}
	st.root = root
	attrs := uint64(r.off)
	u.readBases(root, table.specsOf(ab), u.reader(attrs))
	u.readRootAttrs(root, table.specsOf(ab), u.reader(attrs))
	return nil
}

// readBases makes the first pass: the values that others are relative to may
// come after them.
func (u *Unit) readBases(root *Root, specs []attrSpec, r reader) {
	for i := range specs {
		v := readValue(&r, &specs[i], u.encoding())
		if r.bad {
			return
		}
		switch specs[i].attr {
		case AttrStrOffsetsBase:
			root.strBase = baseAttr{v.U, true}
		case AttrAddrBase, AttrGNUAddrBase:
			root.addrBase = baseAttr{v.U, true}
		case AttrRnglistsBase:
			root.rngBase = baseAttr{v.U, true}
		case AttrLoclistsBase:
			root.locBase = baseAttr{v.U, true}
		case AttrGNURangesBase:
			root.gnuRanges = v.U
		case AttrGNUDwoID:
			root.DWOID, root.HasDWOID = v.U, true
		}
	}
	if u.Type == UnitSkeleton || u.Type == UnitSplitCompile {
		root.DWOID, root.HasDWOID = u.ID, true
	}
}

func (u *Unit) readRootAttrs(root *Root, specs []attrSpec, r reader) {
	st := &u.state
	str := func(off uint64, what string, v Value) []byte {
		s, err := u.stringOf(st, v)
		if err != nil {
			st.problems.add(u.errf(off, "%s of the unit cannot be read: %v", what, err))
		}
		return s
	}
	for i := range specs {
		off := uint64(r.off)
		v := readValue(&r, &specs[i], u.encoding())
		if r.bad {
			st.problems.add(u.errf(off, "root entry is cut off"))
			return
		}
		switch specs[i].attr {
		case AttrName:
			root.Name = str(off, "name", v)
		case AttrCompDir:
			root.CompDir = str(off, "compilation directory", v)
		case AttrProducer:
			root.Producer = str(off, "producer", v)
		case AttrDwoName, AttrGNUDwoName:
			root.DWOName = str(off, "name of the split file", v)
		case AttrLanguage:
			root.Language = uint16(v.U)
		case AttrStmtList:
			root.LineOff, root.HasLineOff = v.U, true
		case AttrHighPC:
			root.high = v.raw()
		case AttrRanges:
			root.ranges = v.raw()
		case AttrLowPC:
			root.low = v.raw()
			addr, err := u.addressOf(st, root.low)
			if err != nil {
				root.badLow = true
				st.problems.add(u.errf(off, "low_pc of the unit cannot be read: %v", err))
				continue
			}
			root.LowPC, root.HasLowPC = addr, true
		}
	}
}

// IsSkeleton says that the unit's functions are in a separate file (.dwo or
// .dwp), so that alone it is incomplete.
func (u *Unit) IsSkeleton() bool {
	if u.Type == UnitSkeleton {
		return true
	}
	st, err := u.load()
	if err != nil || u.d.sec.DWO {
		return false
	}
	return st.root.Tag == TagSkeletonUnit || len(st.root.DWOName) > 0
}

// addrUnit returns the unit that gives addresses their meaning: the skeleton of
// an attached split unit, else the unit itself.
func (u *Unit) addrUnit() *Unit {
	if u.skel != nil {
		return u.skel
	}
	return u
}
