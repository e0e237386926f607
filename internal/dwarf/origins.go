package dwarf

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

// originTable gives each entry with a name a small number: many calls share
// one origin. It is a hash table with open addressing over offsets in the
// unit's own section; references that leave the section go to others.
type originTable struct {
	refs   []Ref
	slots  []uint32 // index in refs + 1; 0: free
	others map[Ref]uint32
}

func (t *originTable) add(u *Unit, ref Ref) uint32 {
	if ref.Unit.d != u.d || ref.Unit.Section != u.Section {
		if i, ok := t.others[ref]; ok {
			return i
		}
		if t.others == nil {
			t.others = map[Ref]uint32{}
		}
		i := uint32(len(t.refs))
		t.others[ref] = i
		t.refs = append(t.refs, ref)
		return i
	}
	if 2*len(t.refs) >= len(t.slots) {
		t.grow(u)
	}
	mask := uint64(len(t.slots) - 1)
	for h := hashOff(ref.Off); ; h++ {
		slot := &t.slots[h&mask]
		if *slot == 0 {
			t.refs = append(t.refs, ref)
			*slot = uint32(len(t.refs))
			return uint32(len(t.refs) - 1)
		}
		if have := &t.refs[*slot-1]; have.Off == ref.Off && have.Unit == ref.Unit {
			return *slot - 1
		}
	}
}

func (t *originTable) grow(u *Unit) {
	t.slots = make([]uint32, max(64, 2*len(t.slots)))
	mask := uint64(len(t.slots) - 1)
	for i, ref := range t.refs {
		if ref.Unit.d != u.d || ref.Unit.Section != u.Section {
			continue
		}
		h := hashOff(ref.Off)
		for t.slots[h&mask] != 0 {
			h++
		}
		t.slots[h&mask] = uint32(i) + 1
	}
}

func hashOff(off uint64) uint64 { return off * 0x9e3779b97f4a7c15 >> 32 }

// originOf returns the number of the entry that the current one gets its name
// from: itself, when it says anything about its declaration, else what it
// refers to.
func (w *walker) originOf(off int) uint32 {
	ref := Ref{w.u, uint64(off)}
	if !w.named && w.origin.form != 0 {
		to, err := w.u.refOf(w.origin)
		if err == nil {
			ref = to
		} else {
			w.problem(off, "origin of the function cannot be found: %v", err)
		}
	}
	return w.origins.add(w.u, ref)
}

// Decl returns name and declaration of an origin, by its index. What could be
// found is returned also when there is an error. It allocates nothing unless
// there is one.
func (f *Functions) Decl(origin uint32) (Decl, error) {
	ref := f.Origins[origin]
	return ref.Decl()
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
