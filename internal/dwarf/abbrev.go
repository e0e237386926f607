package dwarf

import (
	"slices"
	"sync"
)

// attrSpec is one attribute of an abbreviation.
type attrSpec struct {
	attr     Attr
	form     Form
	size     int8 // see Form.size
	slot     slot // what a function walk wants of it
	class    refClass
	implicit int64
}

// skipOp steps over fixed bytes and then one value of varying size.
type skipOp struct {
	fixed uint32
	size  int8
}

// abbrev is one abbreviation (DWARF 5, 7.5.3), prepared for walking.
type abbrev struct {
	off       uint32 // in .debug_abbrev, of which more than 4 GiB fit into no module
	spec      uint32 // specs[spec:specEnd] of the table
	specEnd   uint32
	skip      uint32 // skips[skip:skipEnd] of the table
	skipEnd   uint32
	tail      uint32 // fixed bytes after the last skipOp
	layout    uint32 // index in layouts of the table + 1; 0: none
	tag       Tag
	there     bool // false: a gap in the table
	kind      dieKind
	children  bool
	plain     bool // only fixed bytes: tail is everything
	leads     bool // has values that lead into other sections
	badChild  bool // the has-children byte is neither 0 nor 1
	unskipped bool // has a form that cannot be stepped over
}

// abbrevTable is a table of abbreviations, prepared for one encoding.
type abbrevTable struct {
	enc      encoding
	dense    []abbrev // by code - 1
	sparse   map[uint64]*abbrev
	specs    []attrSpec
	skips    []skipOp
	layouts  []layout
	quick    [2][]quick // by code; see prepare
	reserved bool
	problems Problems
}

type abbrevKey struct {
	off uint64
	enc encoding
}

type abbrevEntry struct {
	once  sync.Once
	table *abbrevTable
	err   *Error
}

// abbrevTable returns the table at an offset, decoding it on first use.
func (d *Data) abbrevTable(off uint64, enc encoding) (*abbrevTable, *Error) {
	if enc.version > 2 {
		enc.version = 3 // only DW_FORM_ref_addr of DWARF 2 differs
	}
	key := abbrevKey{off, enc}
	d.abbrevMu.RLock()
	e := d.abbrevs[key]
	d.abbrevMu.RUnlock()
	if e == nil {
		d.abbrevMu.Lock()
		if e = d.abbrevs[key]; e == nil {
			e = &abbrevEntry{}
			d.abbrevs[key] = e
		}
		d.abbrevMu.Unlock()
	}
	e.once.Do(func() { e.table, e.err = d.readAbbrevs(off, enc) })
	return e.table, e.err
}

// get returns the abbreviation of a code, or nil.
func (t *abbrevTable) get(code uint64) *abbrev {
	if i := code - 1; i < uint64(len(t.dense)) {
		if ab := &t.dense[i]; ab.there {
			return ab
		}
	}
	return t.sparse[code]
}

func (t *abbrevTable) specsOf(ab *abbrev) []attrSpec { return t.specs[ab.spec:ab.specEnd] }

// readAbbrevs decodes the table at off. Damage in it is recorded and makes
// only the entries unreadable that need the damaged part.
func (d *Data) readAbbrevs(off uint64, enc encoding) (*abbrevTable, *Error) {
	t, err := d.decodeAbbrevs(off, enc)
	if err == nil {
		t.prepare(d)
	}
	return t, err
}

func (d *Data) decodeAbbrevs(off uint64, enc encoding) (*abbrevTable, *Error) {
	data := d.sec.Abbrev
	if off >= uint64(len(data)) {
		return nil, d.errf(SecAbbrev, off, "abbreviation table lies outside of the section (0x%x bytes)", len(data))
	}
	t := &abbrevTable{enc: enc}
	r := reader{data: data, off: int(off)}
	budget := abbrevOverlap*int64(len(data)) + abbrevSlack - d.abbrevWork.Load()
	defer func() { d.abbrevWork.Add(int64(r.off) - int64(off)) }()
	for n := uint64(0); ; n++ {
		start := uint64(r.off)
		if int64(start)-int64(off) > budget {
			return nil, d.errf(SecAbbrev, off, "abbreviation tables overlap too much to be real")
		}
		if !r.more() {
			t.problems.add(d.errf(SecAbbrev, start, "abbreviation table has no terminator"))
			return t, nil
		}
		code := r.uleb()
		if code == 0 && !r.bad {
			return t, nil
		}
		if n == manyAbbrevs {
			t.reserve(data, int(start))
		}
		ab := abbrev{there: true, off: uint32(start)}
		d.readAbbrev(t, &r, &ab)
		if r.bad {
			t.problems.add(d.errf(SecAbbrev, start, "abbreviation is cut off"))
			return t, nil
		}
		if t.get(code) != nil {
			t.problems.add(d.errf(SecAbbrev, start, "abbreviation code %d is defined twice; the first one counts", code))
			continue
		}
		t.put(code, ab, n)
	}
}

// manyAbbrevs is from how many abbreviations or attributes on a table is so large
// that lists which double while they grow would take too much memory.
const manyAbbrevs = 1 << 12

// reserve makes room for the rest of a large table, from off on.
func (t *abbrevTable) reserve(data []byte, off int) {
	if t.reserved {
		return
	}
	t.reserved = true
	abbrevs, specs := 0, 0
	for r := (reader{data: data, off: off}); r.more() && r.uleb() != 0; abbrevs++ {
		r.skipLEB()
		r.u8()
		for more := true; more && !r.bad; specs++ {
			name, form := r.uleb(), r.uleb()
			if more = name != 0 || form != 0; Form(form) == FormImplicitConst {
				r.skipLEB()
			}
		}
	}
	t.dense = slices.Grow(t.dense, abbrevs+maxDenseGap)
	t.specs = slices.Grow(t.specs, specs)
}

// put stores an abbreviation; n is the number of those before it.
func (t *abbrevTable) put(code uint64, ab abbrev, n uint64) {
	have := uint64(len(t.dense))
	switch {
	case code <= have:
		t.dense[code-1] = ab
	case code <= n+maxDenseGap:
		for uint64(len(t.dense)) < code-1 {
			t.dense = append(t.dense, abbrev{})
		}
		t.dense = append(t.dense, ab)
	default:
		if t.sparse == nil {
			t.sparse = map[uint64]*abbrev{}
		}
		far := ab // so that the others need no memory of their own
		t.sparse[code] = &far
	}
}

// readAbbrev decodes what follows an abbreviation's code.
func (d *Data) readAbbrev(t *abbrevTable, r *reader, ab *abbrev) {
	if tag := r.uleb(); tag <= 0xffff {
		ab.tag = Tag(tag)
	}
	childOff := uint64(r.off)
	switch has := r.u8(); {
	case r.bad:
		return
	case has > 1:
		t.problems.add(d.errf(SecAbbrev, childOff, "has-children byte is 0x%x, must be 0 or 1; entries with this abbreviation cannot be read", has))
		ab.badChild = true
	default:
		ab.children = has == 1
	}
	ab.spec, ab.skip = uint32(len(t.specs)), uint32(len(t.skips))
	ab.plain = true
	hasPC := false
	for {
		specOff := uint64(r.off)
		name, form := r.uleb(), r.uleb()
		if r.bad {
			break
		}
		if name == 0 && form == 0 {
			break
		}
		s := attrSpec{}
		if name <= 0xffff {
			s.attr = Attr(name)
		}
		if form <= 0xffff {
			s.form = Form(form)
		}
		s.size = s.form.size(t.enc)
		s.slot = slotOf(s.attr)
		s.class = refOf(&s)
		ab.leads = ab.leads || s.class != refNone
		switch s.form {
		case FormImplicitConst:
			s.implicit = r.sleb()
		case FormFlagPresent:
			s.implicit = 1
		}
		switch {
		case s.size == sizeUnknown:
			if !ab.unskipped {
				t.problems.add(d.errf(SecAbbrev, specOff, "attribute 0x%x has unknown form 0x%x; entries with this abbreviation cannot be read", name, form))
			}
			ab.unskipped = true
		case s.size >= 0:
			if ab.tail > maxFixed {
				ab.unskipped = true
			} else {
				ab.tail += uint32(s.size)
			}
		default:
			t.skips = append(t.skips, skipOp{fixed: ab.tail, size: s.size})
			ab.tail = 0
			ab.plain = false
		}
		if uint32(len(t.specs))-ab.spec == maxSpecs {
			if !ab.unskipped {
				t.problems.add(d.errf(SecAbbrev, specOff, "abbreviation has more than %d attributes; entries with it cannot be read", maxSpecs))
			}
			ab.unskipped = true
			continue
		}
		if len(t.specs) == manyAbbrevs {
			t.reserve(r.data, int(ab.off))
		}
		hasPC = hasPC || s.slot == slotLowPC || s.slot == slotRanges
		t.specs = append(t.specs, s)
	}
	ab.specEnd, ab.skipEnd = uint32(len(t.specs)), uint32(len(t.skips))
	ab.kind = kindOf(ab.tag, hasPC)
}

// usable says that entries with this abbreviation can be stepped over.
func (ab *abbrev) usable() bool { return !ab.badChild && !ab.unskipped }

// skipAttrs steps over all attribute values of an entry.
func (t *abbrevTable) skipAttrs(r *reader, ab *abbrev) {
	if !ab.plain {
		for _, op := range t.skips[ab.skip:ab.skipEnd] {
			r.skip(uint64(op.fixed))
			r.skipValue(op.size, t.enc)
		}
	}
	r.skip(uint64(ab.tail))
}
