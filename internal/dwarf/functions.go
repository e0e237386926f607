package dwarf

// FuncOptions says what [Unit.Functions] collects.
type FuncOptions struct {
	// CheckScopes also reads the ranges of lexical, try and catch blocks and
	// reports those that are broken or leave their function. Lookups do not
	// need it.
	CheckScopes bool
}

// Span is a run of elements [Lo, Hi) of one of the slices of [Functions].
type Span struct{ Lo, Hi uint32 }

// Len returns the number of elements.
func (s Span) Len() int { return int(s.Hi - s.Lo) }

// Func is a function with code: a concrete DW_TAG_subprogram.
type Func struct {
	Off     uint64 // of its entry
	Origin  uint32 // index for [Functions.Decl]
	Ranges  Span   // its live ranges in Functions.Ranges, by start
	Inlines Span   // everything inlined into it, in Functions.Inlines
}

// Inline is a call that was inlined: a DW_TAG_inlined_subroutine.
type Inline struct {
	Off        uint64 // of its entry
	Origin     uint32 // index for [Functions.Decl]
	Ranges     Span   // its live ranges in Functions.Ranges, by start
	Parent     int32  // index of the inlined call around it; -1: the function itself
	End        uint32 // index after the last call inlined into this one
	Func       uint32 // index of the function
	CallFile   uint32 // index for the unit's [FileTable]
	CallLine   uint32 // 0: unknown
	CallColumn uint32 // 0: unknown
	Flags      InlineFlags
}

// InlineFlags say what is unusual about an inlined call.
type InlineFlags uint8

// InlineOutside: a range leaves the function or call that it was inlined into.
// Code outside of the parent is not to be answered with this call.
const InlineOutside InlineFlags = 1

// FuncStats counts what a walk has seen.
type FuncStats struct {
	Entries      int // debugging entries
	DeadFuncs    int // functions with tombstones only
	DeadRanges   int // tombstone ranges, of functions and inlined calls
	DeadInlines  int // inlined calls without live ranges, or inside removed code
	BadRanges    int // reversed and wrapping ranges, each a problem
	Outside      int // inlined calls that leave their parent, each a problem
	EmptyFuncs   int // functions whose ranges cover nothing
	NestedFuncs  int // functions declared inside others
	DeepestScope int // depth of the entry tree
}

// Functions is what a unit says about its functions, in flat arrays. Calls
// inlined into one function are next to each other, parents before children.
// It is never changed once built.
type Functions struct {
	Unit    *Unit
	Funcs   []Func   // in the order of the entries
	Inlines []Inline // in the order of their functions
	Ranges  []Range
	Origins []Ref // where the names are: see Decl

	Stats    FuncStats
	Problems Problems

	// Incomplete says that the walk ended early; Problems says why.
	Incomplete bool
}

// Functions walks over all entries of the unit and collects the functions that
// have code. An error means that there is nothing to walk over; defects below
// the root entry are in Functions.Problems and cost only what they damage.
func (u *Unit) Functions(opt FuncOptions) (*Functions, error) {
	st, err := u.load()
	if err != nil {
		return nil, err
	}
	f := &Functions{Unit: u}
	w := walker{
		u: u, st: st, f: f, opt: opt, table: st.table,
		max:    u.MaxAddr(),
		budget: int64(u.End-u.Off) + rangeSlack,
		r:      u.reader(u.DIE),
	}
	w.walk()
	w.finish()
	return f, nil
}

// scope is an open entry that matters for what is inside it.
type scope struct {
	depth  int // of the entries inside
	fn     int32
	inline int32
	dead   bool // removed code: nothing inside counts
}

// walker is the state of one walk.
type walker struct {
	u      *Unit
	st     *unitState
	f      *Functions
	opt    FuncOptions
	table  *abbrevTable
	r      reader
	max    uint64
	budget int64 // range list entries and comparisons left

	depth  int
	stack  []scope
	cur    scope // the innermost one
	nested bool

	low, high, ranges  rawAttr // of the entry being read
	origin             rawAttr
	callFile, callLine uint64
	callColumn         uint64
	named              bool

	origins originTable
}

// attrs reads the attributes of an entry of interest.
func (w *walker) attrs(ab *abbrev) {
	w.low, w.high, w.ranges, w.origin = rawAttr{}, rawAttr{}, rawAttr{}, rawAttr{}
	w.callFile, w.callLine, w.callColumn, w.named = 0, 0, 0, false
	r := &w.r
	specs := w.table.specs[ab.spec:ab.specEnd]
	for i := range specs {
		s := &specs[i]
		switch s.slot {
		case slotLowPC:
			w.low = readRaw(r, s, w.table.enc)
		case slotHighPC:
			w.high = readRaw(r, s, w.table.enc)
		case slotRanges:
			w.ranges = readRaw(r, s, w.table.enc)
		case slotOrigin:
			v := readRaw(r, s, w.table.enc)
			if w.origin.form == 0 || s.attr == AttrAbstractOrigin {
				w.origin = v
			}
		case slotCallFile:
			w.callFile = readRaw(r, s, w.table.enc).u
		case slotCallLine:
			w.callLine = readRaw(r, s, w.table.enc).u
		case slotCallColumn:
			w.callColumn = readRaw(r, s, w.table.enc).u
		default:
			if s.slot == slotName {
				w.named = true
			}
			if s.size >= 0 {
				r.skip(uint64(s.size))
			} else {
				r.skipValue(s.size, w.table.enc)
			}
		}
	}
}

// walk goes over all entries. It keeps a stack of the open functions and calls
// only, on the heap, so that no tree is too deep for it.
func (w *walker) walk() {
	w.cur = scope{fn: -1, inline: -1}
	first := true
	for {
		if w.r.off >= len(w.r.data) {
			if w.depth > 0 {
				w.stop(w.r.off, "unit ends before its entries do")
			}
			return
		}
		off := w.r.off
		code := w.r.uleb()
		if code == 0 {
			if w.r.bad {
				w.stop(off, "abbreviation code is cut off")
				return
			}
			w.depth--
			for w.cur.depth > w.depth && len(w.stack) > 0 {
				w.pop()
			}
			if w.depth <= 0 {
				return
			}
			continue
		}
		ab := w.table.get(code)
		if ab == nil || !ab.usable() {
			w.stop(off, "entry has unknown or bad abbreviation %d; functions from here on are lost", code)
			return
		}
		w.f.Stats.Entries++
		sc := scope{}
		opens := false
		switch ab.kind {
		case kindFunction:
			w.attrs(ab)
			sc, opens = w.function(off), true
		case kindInlined:
			if w.cur.dead {
				w.f.Stats.DeadInlines++
				w.table.skipAttrs(&w.r, ab)
				break
			}
			w.attrs(ab)
			sc, opens = w.inlined(off), true
		case kindBlock:
			if w.opt.CheckScopes && !w.cur.dead && w.cur.fn >= 0 {
				w.attrs(ab)
				w.block(off)
			} else {
				w.table.skipAttrs(&w.r, ab)
			}
		default:
			if ab.plain {
				w.r.skip(uint64(ab.tail))
			} else {
				w.table.skipAttrs(&w.r, ab)
			}
			if ab.kind == kindNoCode && ab.children {
				// What is declared inside belongs to no function around it, and
				// a call inside a call without code has no caller to show.
				dead := w.cur.dead || ab.tag == TagInlinedSubroutine
				sc, opens = scope{fn: -1, inline: -1, dead: dead}, true
			}
		}
		if w.r.bad {
			w.stop(off, "entry is cut off")
			return
		}
		if ab.children {
			w.depth++
			if w.depth > w.f.Stats.DeepestScope {
				w.f.Stats.DeepestScope = w.depth
			}
			if opens {
				sc.depth = w.depth
				w.push(sc)
			}
		} else if opens && sc.inline >= 0 && !sc.dead {
			w.f.Inlines[sc.inline].End = uint32(len(w.f.Inlines))
		}
		if first && !ab.children {
			return
		}
		first = false
	}
}

func (w *walker) push(sc scope) {
	w.stack = append(w.stack, w.cur)
	w.cur = sc
}

func (w *walker) pop() {
	if i := w.cur.inline; i >= 0 && !w.cur.dead {
		w.f.Inlines[i].End = uint32(len(w.f.Inlines))
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
		return scope{fn: -1, inline: -1, dead: true}
	}
	if w.cur.fn >= 0 {
		w.f.Stats.NestedFuncs++
		w.nested = true
	}
	n := uint32(len(w.f.Inlines))
	w.f.Funcs = append(w.f.Funcs, Func{
		Off:     uint64(off),
		Origin:  w.originOf(off),
		Ranges:  span,
		Inlines: Span{n, n},
	})
	return scope{fn: int32(len(w.f.Funcs) - 1), inline: -1}
}
