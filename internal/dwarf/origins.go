package dwarf

import "math/bits"

// Decl is what a function is called and where it is declared, put together
// from its entry, its abstract origin and its specification. Strings are views
// into the sections and not demangled.
type Decl struct {
	Name        []byte // as in the source; nil if there is none
	LinkageName []byte // mangled; nil if there is none
	File        uint64 // index for the FileTable of FileUnit
	Line        uint32 // 0: unknown
	FileUnit    *Unit  // unit of the entry that File stands in; nil: no file
}

// origin is the place of an entry with a name, without pointers so that the
// garbage collector need not look at it.
type origin struct {
	off  uint64
	unit uint32 // 0: the unit itself; else index in Functions.foreign + 1
}

// originTable gives each entry with a name a small number: many calls share
// one origin. It is a hash table with open addressing.
type originTable struct {
	refs    []origin
	slots   []uint32 // index in refs + 1; 0: free
	foreign []*Unit
	units   map[*Unit]uint32
}

// reset returns an empty table with the memory of this one. It starts with room
// for what a unit of so many bytes usually has.
func (t *originTable) reset(unitSize uint64) originTable {
	n := originTable{refs: t.refs[:0], slots: t.slots[:0]}
	n.resize(1 << bits.Len64(min(unitSize, 1<<24)/256|32))
	return n
}

func (t *originTable) add(u *Unit, ref Ref) uint32 {
	o := origin{off: ref.Off}
	if ref.Unit != u {
		o.unit = t.unit(ref.Unit)
	}
	if 2*len(t.refs) >= len(t.slots) {
		t.resize(2 * len(t.slots))
	}
	mask := uint64(len(t.slots) - 1)
	for h := hashOff(o.off); ; h++ {
		slot := &t.slots[h&mask]
		if *slot == 0 {
			t.refs = append(t.refs, o)
			*slot = uint32(len(t.refs))
			return uint32(len(t.refs) - 1)
		}
		if t.refs[*slot-1] == o {
			return *slot - 1
		}
	}
}

func (t *originTable) unit(u *Unit) uint32 {
	if n, ok := t.units[u]; ok {
		return n
	}
	if t.units == nil {
		t.units = map[*Unit]uint32{}
	}
	t.foreign = append(t.foreign, u)
	n := uint32(len(t.foreign))
	t.units[u] = n
	return n
}

// resize makes room for n slots, a power of two.
func (t *originTable) resize(n int) {
	if n <= cap(t.slots) {
		t.slots = t.slots[:n]
		clear(t.slots)
	} else {
		t.slots = make([]uint32, n)
	}
	mask := uint64(len(t.slots) - 1)
	for i, o := range t.refs {
		h := hashOff(o.off)
		for t.slots[h&mask] != 0 {
			h++
		}
		t.slots[h&mask] = uint32(i) + 1
	}
}

func hashOff(off uint64) uint64 { return off * 0x9e3779b97f4a7c15 >> 32 }

// originOf returns the number of the entry that the current one gets its name
// from: itself, when it says anything about its declaration, else what it
// refers to. For what is shadowed it only looks whether there is one.
func (w *walker) originOf(off int, shadowed bool) uint32 {
	ref := Ref{w.u, uint64(off)}
	if !w.named && w.origin.form != 0 {
		to, err := w.u.refOf(w.origin)
		if err == nil {
			ref = to
		} else {
			w.problem(off, "origin of the function cannot be found: %v", err)
		}
	}
	if shadowed {
		return NoOrigin
	}
	w.origins.refs = room(w, off, w.origins.refs)
	return w.origins.add(w.u, ref)
}

// NumOrigins returns how many origins there are: Func.Origin and Inline.Origin
// are below.
func (f *Functions) NumOrigins() int { return len(f.origins) }

// Origin returns the entry that a name comes from, by index.
func (f *Functions) Origin(i uint32) Ref {
	o := f.origins[i]
	if o.unit == 0 {
		return Ref{f.Unit, o.off}
	}
	return Ref{f.foreign[o.unit-1], o.off}
}

// Decl returns name and declaration of an origin, by its index. What could be
// found is returned also when there is an error. It allocates nothing unless
// there is one.
func (f *Functions) Decl(origin uint32) (Decl, error) { return f.Origin(origin).Decl() }

// FuncDecl is Decl for function i, whether it has an origin or not.
func (f *Functions) FuncDecl(i uint32) (Decl, error) {
	fn := &f.Funcs[i]
	if fn.Origin == NoOrigin {
		return Ref{f.Unit, fn.Off}.Decl()
	}
	return f.Decl(fn.Origin)
}

// Decl returns name and declaration of a function's entry.
func (ref Ref) Decl() (Decl, error) {
	var decl Decl
	var firstErr error
	at := ref
	for hop := 0; ; hop++ {
		next, err := decl.read(at)
		if err != nil && firstErr == nil {
			firstErr = err
		}
		if next.Unit == nil || decl.complete() {
			return decl, firstErr
		}
		if hop == maxHops {
			if firstErr == nil {
				firstErr = ref.Unit.errf(ref.Off, "origins of the function form a circle or are more than %d", maxHops)
			}
			return decl, firstErr
		}
		at = next
	}
}

func (d *Decl) complete() bool {
	return d.Name != nil && d.LinkageName != nil && d.FileUnit != nil && d.Line != 0
}

// read adds what the entry at ref says and is not known yet, and returns the
// entry that it refers to.
func (d *Decl) read(ref Ref) (next Ref, err error) {
	u := ref.Unit
	st, e := u.load()
	if e != nil {
		return Ref{}, e
	}
	r := u.reader(ref.Off)
	ab := st.table.get(r.uleb())
	if r.bad || ab == nil || !ab.usable() {
		return Ref{}, u.errf(ref.Off, "there is no entry where an origin should be")
	}
	var origin rawAttr
	var file rawAttr
	specs := st.table.specsOf(ab)
	for i := range specs {
		s := &specs[i]
		if s.slot != slotName && s.slot != slotOrigin {
			if s.size >= 0 {
				r.skip(uint64(s.size))
			} else {
				r.skipValue(s.size, st.table.enc)
			}
			continue
		}
		v := readValue(&r, s, st.table.enc)
		if r.bad {
			return Ref{}, u.errf(ref.Off, "entry is cut off")
		}
		switch s.attr {
		case AttrName:
			err = d.string(u, st, &d.Name, v, err)
		case AttrLinkageName, AttrMIPSLinkageName:
			err = d.string(u, st, &d.LinkageName, v, err)
		case AttrDeclFile:
			file = v.raw()
		case AttrDeclLine:
			if d.Line == 0 {
				d.Line = clamp32(v.U)
			}
		case AttrAbstractOrigin:
			origin = v.raw()
		case AttrSpecification:
			if origin.form == 0 {
				origin = v.raw()
			}
		}
	}
	if file.form != 0 && d.FileUnit == nil {
		d.File, d.FileUnit = file.u, u
	}
	if origin.form == 0 {
		return Ref{}, err
	}
	next, refErr := u.refOf(origin)
	if refErr != nil && err == nil {
		err = u.wrap(ref.Off, "origin of the function", refErr)
	}
	return next, err
}

func (d *Decl) string(u *Unit, st *unitState, to *[]byte, v Value, err error) error {
	if *to != nil {
		return err
	}
	s, strErr := u.stringOf(st, v)
	if strErr != nil {
		if err == nil {
			err = u.wrap(u.Off, "name in the unit", strErr)
		}
		return err
	}
	*to = s
	return err
}

// wrap makes an error that keeps its cause.
func (u *Unit) wrap(off uint64, what string, cause error) error {
	e := u.errf(off, "%s cannot be read: %v", what, cause)
	e.Err = cause
	return e
}
