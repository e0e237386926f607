package dwarf

// Cursor walks over the entries of a unit in the order in which they are
// stored, parents before children. It allocates nothing.
type Cursor struct {
	u     *Unit
	st    *unitState
	r     reader
	ab    *abbrev
	off   int // of the entry
	attrs int // offset of its first attribute value
	depth int // of the entry; the root has 0
	next  int // depth of the entry that follows
	begun bool
	err   *Error
}

// Cursor returns a cursor that stands before the root entry.
func (u *Unit) Cursor() (Cursor, error) {
	st, err := u.load()
	if err != nil {
		return Cursor{}, err
	}
	return Cursor{u: u, st: st, r: u.reader(u.DIE)}, nil
}

// CursorAt returns a cursor that stands on the entry at an offset of the
// unit's section. Its depth is counted from there.
func (u *Unit) CursorAt(off uint64) (Cursor, error) {
	st, err := u.load()
	if err != nil {
		return Cursor{}, err
	}
	if off < u.DIE || off >= u.End {
		return Cursor{}, u.errf(off, "offset is not in the unit at 0x%x", u.Off)
	}
	c := Cursor{u: u, st: st, r: u.reader(off)}
	if !c.Next() {
		if c.err != nil {
			return Cursor{}, c.err
		}
		return Cursor{}, u.errf(off, "there is no entry at this offset")
	}
	return c, nil
}

// Next moves to the next entry and reports whether there is one. When it
// returns false, Err tells whether the walk reached the end.
func (c *Cursor) Next() bool {
	if c.ab != nil {
		c.r.off = c.attrs
		c.st.table.skipAttrs(&c.r, c.ab)
		if c.r.bad {
			return c.stop(c.off, "entry is cut off")
		}
		c.ab = nil
	}
	if c.begun && c.next <= 0 {
		return false // bytes after the tree are padding
	}
	c.begun = true
	for c.r.off < len(c.r.data) {
		c.off = c.r.off
		code := c.r.uleb()
		if code == 0 {
			if c.r.bad {
				return c.stop(c.off, "abbreviation code is cut off")
			}
			c.next--
			if c.next <= 0 {
				return false
			}
			continue
		}
		ab := c.st.table.get(code)
		if ab == nil {
			return c.stop(c.off, "entry has unknown abbreviation %d; the rest of the unit is lost", code)
		}
		if !ab.usable() {
			return c.stop(c.off, "entry cannot be read because its abbreviation %d is bad; the rest of the unit is lost", code)
		}
		c.ab = ab
		c.attrs = c.r.off
		c.depth = c.next
		if ab.children {
			c.next++
		}
		return true
	}
	if c.next > 0 {
		return c.stop(len(c.r.data), "unit ends before its entries do")
	}
	return false
}

func (c *Cursor) stop(off int, format string, args ...any) bool {
	c.ab = nil
	c.r.off = len(c.r.data)
	c.next = 0
	if c.err == nil {
		c.err = c.u.errf(uint64(off), format, args...)
	}
	return false
}

// Err returns why the walk ended early, or nil.
func (c *Cursor) Err() error { return asError(c.err) }

// Unit returns the unit that the cursor walks over.
func (c *Cursor) Unit() *Unit { return c.u }

// Off returns the entry's offset in the unit's section.
func (c *Cursor) Off() uint64 { return uint64(c.off) }

// Depth returns how far below the starting entry the cursor stands.
func (c *Cursor) Depth() int { return c.depth }

// Tag returns the entry's tag.
func (c *Cursor) Tag() Tag {
	if c.ab == nil {
		return 0
	}
	return c.ab.tag
}

// HasChildren says that the entries below this one come next.
func (c *Cursor) HasChildren() bool { return c.ab != nil && c.ab.children }

// Attr returns the value of an attribute of the entry.
func (c *Cursor) Attr(name Attr) (v Value, ok bool) {
	c.VisitAttrs(func(a Attr, x Value) bool {
		if a == name {
			v, ok = x, true
		}
		return !ok
	})
	return v, ok
}

// VisitAttrs calls f for each attribute in the order of storage until f
// returns false or the entry is cut off.
func (c *Cursor) VisitAttrs(f func(Attr, Value) bool) {
	if c.ab == nil {
		return
	}
	r := c.r
	r.off = c.attrs
	specs := c.st.table.specsOf(c.ab)
	for i := range specs {
		v := readValue(&r, &specs[i], c.st.table.enc)
		if r.bad || !f(specs[i].attr, v) {
			return
		}
	}
}

// SkipChildren makes Next go to the entry after everything below this one.
func (c *Cursor) SkipChildren() {
	if c.ab == nil || !c.ab.children {
		return
	}
	if next, ok := c.sibling(); ok {
		c.ab = nil
		c.r.off = next
		c.next = c.depth
		return
	}
	for want := c.depth; c.Next(); {
		if c.depth <= want { // one too far: Next shall find it again
			c.r.off = c.off
			c.next = c.depth
			c.ab = nil
			return
		}
	}
}

// sibling returns where DW_AT_sibling points, if that is ahead and in the
// unit.
func (c *Cursor) sibling() (int, bool) {
	v, ok := c.Attr(AttrSibling)
	if !ok {
		return 0, false
	}
	ref, err := c.u.Ref(v)
	if err != nil || ref.Unit != c.u || ref.Off <= uint64(c.attrs) {
		return 0, false
	}
	return int(ref.Off), true
}
