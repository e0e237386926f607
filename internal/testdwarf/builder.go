package testdwarf

import "fmt"

// Sections is what [Builder.Build] makes: bytes by section name.
type Sections map[string][]byte

// Builder collects units and tables.
type Builder struct {
	// Suffix is added to the names of all sections: ".dwo" for split DWARF.
	Suffix string

	units []*Unit
	raw   Sections
	strs  map[string]uint64

	lineStrs map[string]uint64
	strxs    map[string]uint64
	addrxs   map[uint64]uint64
}

// New returns an empty builder.
func New() *Builder {
	return &Builder{
		raw:  Sections{},
		strs: map[string]uint64{},

		lineStrs: map[string]uint64{},
		strxs:    map[string]uint64{},
		addrxs:   map[uint64]uint64{},
	}
}

// Append adds bytes to a section and returns the offset at which they stand.
func (b *Builder) Append(section string, data []byte) uint64 {
	off := len(b.raw[section])
	b.raw[section] = append(b.raw[section], data...)
	return uint64(off)
}

// Str returns the offset of a string in .debug_str.
func (b *Builder) Str(s string) uint64 {
	off, ok := b.strs[s]
	if !ok {
		off = b.Append(".debug_str", Bytes(nil).Str(s))
		b.strs[s] = off
	}
	return off
}

// LineStr returns the offset of a string in .debug_line_str.
func (b *Builder) LineStr(s string) uint64 {
	off, ok := b.lineStrs[s]
	if !ok {
		off = b.Append(".debug_line_str", Bytes(nil).Str(s))
		b.lineStrs[s] = off
	}
	return off
}

// Strx returns the index of a string in the one contribution to
// .debug_str_offsets, which has a DWARF 5 header of 8 bytes.
func (b *Builder) Strx(s string) uint64 {
	i, ok := b.strxs[s]
	if !ok {
		i = uint64(len(b.strxs))
		b.strxs[s] = i
		b.table(".debug_str_offsets", Bytes(nil).U16(5).U16(0))
		b.Append(".debug_str_offsets", Bytes(nil).U32(b.Str(s)))
	}
	return i
}

// Addrx returns the index of an address in the one contribution to
// .debug_addr, which has a DWARF 5 header of 8 bytes.
func (b *Builder) Addrx(addr uint64, size int) uint64 {
	i, ok := b.addrxs[addr]
	if !ok {
		i = uint64(len(b.addrxs))
		b.addrxs[addr] = i
		b.table(".debug_addr", Bytes(nil).U16(5).U8(uint64(size), 0))
		b.Append(".debug_addr", Bytes(nil).Uint(addr, size))
	}
	return i
}

// table starts a section with a header, whose length is set by Build.
func (b *Builder) table(section string, header Bytes) {
	if len(b.raw[section]) == 0 {
		b.Append(section, append(Bytes(nil).U32(0), header...))
	}
}

// AddUnit adds a unit to .debug_info, or to .debug_types for a type unit below
// DWARF 5.
func (b *Builder) AddUnit(u *Unit) { b.units = append(b.units, u) }

// Build lays everything out. It panics on values that do not suit their form,
// which is a mistake in the test.
func (b *Builder) Build() Sections {
	for _, u := range b.units {
		u.abbrevs(b)
	}
	next := map[string]uint64{}
	for _, u := range b.units {
		u.off = next[u.section()]
		next[u.section()] += uint64(len(u.encode(b)))
	}
	for _, u := range b.units {
		b.Append(u.section(), u.encode(b)) // now with every entry's offset known
	}
	for _, name := range []string{".debug_str_offsets", ".debug_addr"} {
		if t := b.raw[name]; len(t) > 0 {
			copy(t, Bytes(nil).U32(uint64(len(t)-4)))
		}
	}
	out := Sections{}
	for name, data := range b.raw {
		out[name+b.Suffix] = data
	}
	return out
}

// Unit is one unit.
type Unit struct {
	Version  int
	AddrSize int // 0: 4
	Is64     bool
	Type     int // 0: compile
	ID       uint64
	TypeDIE  *DIE // of a type unit
	Root     *DIE

	off    uint64
	abbrev uint64
}

func (u *Unit) addrSize() int {
	if u.AddrSize == 0 {
		return 4
	}
	return u.AddrSize
}

func (u *Unit) section() string {
	if u.Version < 5 && u.Type == UnitType {
		return ".debug_types"
	}
	return ".debug_info"
}

// Off returns the offset of the unit's header, after Build.
func (u *Unit) Off() uint64 { return u.off }

// abbrevs writes the unit's table: entries of one shape share an abbreviation,
// numbered in the order in which shapes first occur.
func (u *Unit) abbrevs(b *Builder) {
	var t Bytes
	codes := map[string]uint64{}
	u.Root.walk(func(d *DIE) {
		shape := Bytes(nil).ULEB(uint64(d.Tag))
		if len(d.Children) > 0 {
			shape = shape.U8(1)
		} else {
			shape = shape.U8(0)
		}
		for _, a := range d.Attrs {
			shape = shape.ULEB(uint64(a.Name)).ULEB(uint64(a.Form))
			if a.Form == FormImplicitConst {
				shape = shape.SLEB(int64(number(a.Value)))
			}
		}
		code, ok := codes[string(shape)]
		if !ok {
			code = uint64(len(codes) + 1)
			codes[string(shape)] = code
			t = append(t.ULEB(code), shape...).U8(0, 0)
		}
		d.code = code
	})
	u.abbrev = b.Append(".debug_abbrev", t.U8(0))
}

// encode returns the unit's bytes and notes the offset of each entry.
func (u *Unit) encode(b *Builder) []byte {
	h := Bytes(nil).U16(uint64(u.Version))
	typ := u.Type
	if typ == 0 {
		typ = UnitCompile
	}
	if u.Version >= 5 {
		h = h.U8(uint64(typ), uint64(u.addrSize())).offset(u.abbrev, u.Is64)
	} else {
		h = h.offset(u.abbrev, u.Is64).U8(uint64(u.addrSize()))
	}
	switch {
	case typ == UnitType || typ == UnitSplitType:
		h = h.U64(u.ID)
		typeOff := uint64(0)
		if u.TypeDIE != nil {
			typeOff = u.TypeDIE.off - u.off
		}
		h = h.offset(typeOff, u.Is64)
	case u.Version >= 5 && (typ == UnitSkeleton || typ == UnitSplitCompile):
		h = h.U64(u.ID)
	}
	lead := 4
	if u.Is64 {
		lead = 12
	}
	e := encoder{b: b, u: u, out: h, base: u.off + uint64(lead)}
	e.die(u.Root)
	return Bytes(nil).withLength(e.out, u.Is64)
}

// number converts any integer.
func number(v any) uint64 {
	switch n := v.(type) {
	case int:
		return uint64(n)
	case int64:
		return uint64(n)
	case uint64:
		return n
	case uint32:
		return uint64(n)
	case bool:
		if n {
			return 1
		}
		return 0
	case nil:
		return 0
	}
	panic(fmt.Sprintf("testdwarf: %T is not a number", v))
}
