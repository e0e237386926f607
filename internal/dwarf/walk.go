package dwarf

import (
	"bytes"
	"encoding/binary"
)

// start prepares a walk with the memory of an earlier one.
func (w *walker) start(u *Unit, st *unitState, f *Functions, opt FuncOptions) {
	*w = walker{
		u: u, st: st, f: f, opt: opt, table: st.table,
		max:     u.MaxAddr(),
		addrs:   u.addrTable(),
		budget:  int64(u.End-u.Off) + rangeSlack,
		r:       u.reader(u.DIE),
		stack:   w.stack[:0],
		origins: w.origins.reset(u.End - u.Off),
		funcs:   roomFor(w.funcs, u, bytesPerFunc),
		inlines: roomFor(w.inlines, u, bytesPerInline),
		kept:    roomFor(w.kept, u, bytesPerInline),
		ways:    st.table.quick[0],
	}
	switch {
	case opt.careful:
		w.ways = nil
	case opt.CheckScopes:
		w.ways = st.table.quick[1]
	}
}

// scope is an open entry that matters for what is inside it.
type scope struct {
	depth  int32 // of the entries inside
	fn     int32
	inline int32
	state  scopeState
}

// scopeState is one field, because the compiler keeps no struct of five fields in
// registers.
type scopeState uint8

const (
	scopePlain scopeState = iota
	scopeDead             // removed code: nothing inside counts
	scopeOwn              // it is the scope of fn itself
	scopeLean             // and fn is shadowed: what is inlined into it is not kept
)

// walker is the state of one walk.
type walker struct {
	u      *Unit
	st     *unitState
	f      *Functions
	opt    FuncOptions
	table  *abbrevTable
	ways   []quick
	r      reader
	max    uint64
	addrs  []byte // see addrTable
	budget int64  // range list entries and comparisons left

	entries int   // seen so far
	deepest int32 // of them

	stack  []scope
	cur    scope // the innermost one
	open   int   // functions on the stack
	nested bool

	// While a shadowed function is open, what is inlined into it is recorded as
	// always, and forgotten when it is closed.
	lean                   bool
	leanInlines, leanRange int

	low, high, ranges  rawAttr // of the entry being read
	origin             rawAttr
	callFile, callLine uint64
	callColumn         uint64
	named              bool
	gone               bool // its ranges are: see lost

	it      RangeIter
	origins originTable
	funcs   []Func
	inlines []Inline
	kept    []Range
}

// attrs reads the attributes of an entry of interest and reports whether they
// are all there.
func (w *walker) attrs(ab *abbrev) bool {
	if ab.layout != 0 && !w.opt.careful && w.laidOut(&w.table.layouts[ab.layout-1]) {
		return true
	}
	w.low, w.high, w.ranges, w.origin = rawAttr{}, rawAttr{}, rawAttr{}, rawAttr{}
	w.callFile, w.callLine, w.callColumn, w.named = 0, 0, 0, false
	specs := w.table.specs[ab.spec:ab.specEnd]
	data, off := w.r.data, w.r.off
	for i := range specs {
		s := &specs[i]
		size := int(s.size)
		if s.slot <= slotName {
			if s.slot == slotName {
				w.named = true
			}
			if size >= 0 {
				off += size
			} else {
				off = w.skipAt(off, s.size)
			}
			continue
		}
		v := rawAttr{form: s.form}
		switch {
		case size >= 0 && len(data)-off < size:
			off = len(data) + 1
		case size == 4:
			v.u = uint64(binary.LittleEndian.Uint32(data[off:]))
			off += 4
		case size == 1:
			v.u = uint64(data[off])
			off++
		case size == 2:
			v.u = uint64(binary.LittleEndian.Uint16(data[off:]))
			off += 2
		case size == 0:
			v.u = uint64(s.implicit)
		case s.size == sizeLEB && s.form != FormSdata:
			v.u, off = ulebAt(data, off)
		default:
			if w.r.off = off; off <= len(data) {
				v = readValue(&w.r, s, w.table.enc).raw()
			}
			if off = w.r.off; w.r.bad {
				off = len(data) + 1
			}
		}
		switch s.slot {
		case slotLowPC:
			w.low = v
		case slotHighPC:
			w.high = v
		case slotRanges:
			w.ranges = v
		case slotOrigin:
			if w.origin.form == 0 || s.attr == AttrAbstractOrigin {
				w.origin = v
			}
		case slotCallFile:
			w.callFile = v.u
		case slotCallLine:
			w.callLine = v.u
		case slotCallColumn:
			w.callColumn = v.u
		}
	}
	w.r.off = off
	if off > len(data) {
		w.r.fail()
	}
	return !w.r.bad
}

// skipAt steps over a value of varying size; offsets may already be past the
// end.
func (w *walker) skipAt(off int, size int8) int {
	r := &w.r
	if r.off = off; off <= len(r.data) {
		r.skipValue(size, w.table.enc)
	}
	if r.bad {
		return len(r.data) + 1
	}
	return r.off
}

// skipEntry steps over the attributes of an entry of no interest. It returns an
// offset past the end of the data if they are cut off.
func (w *walker) skipEntry(off int, ab *abbrev) int {
	data := w.r.data
	for _, op := range w.table.skips[ab.skip:ab.skipEnd] {
		off += int(op.fixed)
		switch op.size {
		case sizeBlock:
			var n uint64
			if n, off = ulebAt(data, off); n > uint64(len(data)) {
				return len(data) + 1
			}
			off += int(n)
		case sizeLEB:
			if off < len(data) && data[off] < 0x80 {
				off++
				break
			}
			off = w.skipAt(off, op.size)
		default:
			off = w.skipAt(off, op.size)
		}
		if off > len(data) {
			return off
		}
	}
	return off + int(ab.tail)
}

// walk goes over all entries. It keeps a stack of the open functions and calls
// only, on the heap, so that no tree is too deep for it.
func (w *walker) walk() {
	w.cur = scope{fn: -1, inline: -1}
	data := w.r.data
	off := w.r.off
	depth := int32(0)
	defer func() { w.f.Stats.Entries, w.f.Stats.DeepestScope = w.entries, int(w.deepest) }()
	for {
		if depth > 0 {
			off, depth = w.run(off, depth)
		}
		if off >= len(data) {
			if depth > 0 {
				w.stop(off, "unit ends before its entries do")
			}
			return
		}
		at := off
		code := uint64(data[off])
		if w.lean && code-1 < 0x7f && code <= uint64(len(w.table.dense)) {
			// Nearly all that has code in a function that is not kept are calls.
			ab := &w.table.dense[code-1]
			if way := w.leanWay(ab); way != nil {
				w.r.off = off + 1
				if sc, ok := w.leanCall(way); ok {
					off = w.r.off
					w.entries++
					if ab.children {
						depth++
						w.deepest = max(w.deepest, depth)
						sc.depth = depth
						w.push(sc)
					}
					continue
				}
			}
		}
		if code < 0x80 {
			off++
		} else if code, off = ulebLongAt(data, off); off > len(data) {
			w.stop(at, "abbreviation code is cut off")
			return
		}
		if code == 0 {
			depth--
			for w.cur.depth > depth && len(w.stack) > 0 {
				w.pop()
			}
			if depth <= 0 {
				w.rest(off)
				return
			}
			continue
		}
		ab := w.table.get(code)
		if ab == nil || !ab.usable() {
			w.stop(at, "entry has unknown or bad abbreviation %d; functions from here on are lost", code)
			return
		}
		w.entries++
		sc, opens := scope{}, false
		switch {
		case ab.kind == kindOther && ab.plain:
			off += int(ab.tail)
		case ab.kind <= kindNoCode:
			off = w.skipEntry(off, ab)
			if ab.kind == kindNoCode && ab.children {
				// What is declared inside belongs to no function around it, and
				// a call inside a call without code has no caller to show.
				sc, opens = scope{fn: -1, inline: -1}, true
				if w.cur.state == scopeDead || ab.tag == TagInlinedSubroutine {
					sc.state = scopeDead
				}
			}
		default:
			w.r.off = off
			sc, opens = w.entry(at, ab)
			if off = w.r.off; w.r.bad {
				off = len(data) + 1
			}
		}
		if off > len(data) {
			w.stop(at, "entry is cut off")
			return
		}
		if ab.children {
			depth++
			w.deepest = max(w.deepest, depth)
			if opens {
				sc.depth = depth
				w.push(sc)
			}
		} else {
			switch {
			case opens && sc.inline >= 0 && sc.state != scopeDead:
				w.inlines[sc.inline].End = uint32(len(w.inlines))
			case opens && sc.state == scopeLean:
				w.kept, w.funcs[sc.fn].Ranges = w.kept[:len(w.kept)-1], Span{}
			}
			if depth == 0 {
				w.rest(off) // a root without anything below it
				return
			}
		}
	}
}

// entry handles an entry that has code: a function, an inlined call, a block.
// It returns the scope that the entry opens, if it does.
func (w *walker) entry(off int, ab *abbrev) (sc scope, opens bool) {
	if w.cur.state == scopeDead && ab.kind != kindFunction || ab.kind == kindBlock && (!w.opt.CheckScopes || w.cur.fn < 0) {
		if ab.kind == kindInlined {
			w.f.Stats.DeadInlines++
		}
		w.table.skipAttrs(&w.r, ab)
		return scope{}, false
	}
	if way := w.leanWay(ab); way != nil {
		if sc, ok := w.leanCall(way); ok {
			return sc, true
		}
	}
	if !w.attrs(ab) {
		return scope{}, false
	}
	switch ab.kind {
	case kindFunction:
		return w.function(off), true
	case kindInlined:
		return w.inlined(off), true
	}
	w.block(off)
	return scope{}, false
}

func (w *walker) push(sc scope) {
	switch sc.state {
	case scopeOwn:
		w.open++
	case scopeLean:
		w.open++
		w.lean, w.leanInlines, w.leanRange = true, len(w.inlines), len(w.kept)-1
	}
	w.stack = append(w.stack, w.cur)
	w.cur = sc
}

func (w *walker) pop() {
	if i := w.cur.inline; i >= 0 && w.cur.state != scopeDead {
		w.inlines[i].End = uint32(len(w.inlines))
	}
	switch w.cur.state {
	case scopeOwn:
		w.open--
	case scopeLean:
		if w.open--; w.lean {
			w.lean = false
			w.inlines, w.kept = w.inlines[:w.leanInlines], w.kept[:w.leanRange]
			w.funcs[w.cur.fn].Ranges = Span{}
		}
	}
	w.cur = w.stack[len(w.stack)-1]
	w.stack = w.stack[:len(w.stack)-1]
}

func (w *walker) stop(off int, format string, args ...any) {
	w.problem(off, format, args...)
	w.f.Incomplete = true
	for len(w.stack) > 0 {
		w.pop()
	}
}

// lost notes an entry that has code and no longer says where: its range list has no
// entry at all, which no compiler writes, or cannot be read.
func (w *walker) lost(off int) {
	if len(w.f.Lost) < MaxProblems {
		w.f.Lost = append(w.f.Lost, uint64(off))
	}
}

// rest looks at what follows the entries. Padding is of zeros; anything else are
// entries that belong to nothing, because a list of children ends too early.
func (w *walker) rest(off int) {
	if data := w.r.data[min(off, len(w.r.data)):]; len(bytes.TrimLeft(data, "\x00")) > 0 {
		w.stop(off, "entries end 0x%x bytes before the unit does; functions from here on are lost", len(data))
	}
}

func (w *walker) problem(off int, format string, args ...any) {
	p := &w.f.Problems
	if p.full() {
		p.Total++
		return
	}
	p.add(w.u.errf(uint64(off), format, args...))
}

// function handles a subprogram that has code.
func (w *walker) function(off int) scope {
	span, dead := w.collect(off, "function")
	if span.Len() == 0 {
		if dead > 0 {
			w.f.Stats.DeadFuncs++
		} else {
			w.f.Stats.EmptyFuncs++
		}
		if w.gone {
			w.f.Stats.LostFuncs++
			w.lost(off)
		}
		return scope{fn: -1, inline: -1, state: scopeDead}
	}
	state := scopeOwn
	if w.open > 0 {
		w.f.Stats.NestedFuncs++
		w.nested = true
		w.lean = false // what is recorded of this one comes behind what is to be forgotten: regroup does it
	} else if w.opt.Shadowed != nil && span.Len() == 1 && w.opt.Shadowed(w.kept[span.Lo]) {
		state = scopeLean
	}
	n := uint32(len(w.inlines))
	w.funcs = append(room(w, off, w.funcs), Func{
		Off:     uint64(off),
		Origin:  w.originOf(off, state == scopeLean),
		Ranges:  span,
		Inlines: Span{n, n},
	})
	return scope{fn: int32(len(w.funcs) - 1), inline: -1, state: state}
}
