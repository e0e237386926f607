package dwarf

import (
	"cmp"
	"slices"
	"sort"
)

// inlined handles an inlined call.
func (w *walker) inlined(off int) scope {
	span, _ := w.collect(off, "inlined call")
	if span.Len() == 0 {
		w.f.Stats.DeadInlines++
		if w.gone && w.cur.fn >= 0 {
			w.f.Stats.LostInlines++
			w.lost(off)
		}
		return scope{fn: w.cur.fn, inline: w.cur.inline, state: scopeDead}
	}
	if w.cur.fn < 0 {
		w.kept = w.kept[:span.Lo]
		w.f.Stats.Outside++
		w.problem(off, "inlined call with code is not inside a function with code")
		return scope{fn: -1, inline: -1, state: scopeDead}
	}
	in := Inline{
		Off:        uint64(off),
		Origin:     w.originOf(off, w.lean),
		Ranges:     span,
		Parent:     w.cur.inline,
		Func:       uint32(w.cur.fn),
		CallFile:   clamp32(w.callFile),
		CallLine:   clamp32(w.callLine),
		CallColumn: clamp32(w.callColumn),
	}
	if !w.inside(span) {
		in.Flags |= InlineOutside
		w.outside(off, span)
		w.f.Stats.Outside++
		w.problem(off, "inlined call has code outside of what it was inlined into")
	}
	w.f.Stats.Inlined++
	w.inlines = append(room(w, off, w.inlines), in)
	return scope{fn: w.cur.fn, inline: int32(len(w.inlines) - 1)}
}

// outside records a call that leaves what it was inlined into.
func (w *walker) outside(off int, span Span) {
	ranges := w.kept[span.Lo:span.Hi]
	code := ranges[0]
	for _, r := range ranges[1:] {
		code.End = max(code.End, r.End)
	}
	w.f.Outside = append(w.f.Outside, OutsideCall{uint64(off), uint32(w.cur.fn), code})
}

// block checks the ranges of a lexical, try or catch block.
func (w *walker) block(off int) {
	span, _ := w.collect(off, "block")
	if span.Len() > 0 && !w.inside(span) {
		w.problem(off, "block has code outside of what it is in")
	}
	w.kept = w.kept[:span.Lo]
}

// collect appends the live ranges of the entry whose attributes were just read
// to Functions.Ranges, sorted by start, and counts the dead ones.
func (w *walker) collect(off int, what string) (live Span, dead int) {
	lo := uint32(len(w.kept))
	live = Span{lo, lo}
	w.gone = false
	switch {
	case w.ranges.form != 0:
		dead = w.collectList(off, what)
		sortRanges(w.kept[lo:])
	case w.low.form != 0 && w.high.form != 0:
		start, err := w.u.addressOf(w.st, w.low)
		if err != nil {
			w.problem(off, "low_pc of the %s cannot be read: %v", what, err)
			w.gone = true
			return live, 0
		}
		if !w.high.form.IsAddress() && w.simple(start, w.high.u) {
			break
		}
		e, err := w.u.pcRange(w.st, start, w.high)
		if err != nil {
			w.problem(off, "high_pc of the %s cannot be read: %v", what, err)
			w.gone = true
			return live, 0
		}
		dead = w.keep(&e, off, what)
	case w.low.form != 0:
		if start, err := w.u.addressOf(w.st, w.low); err == nil && w.u.IsTombstone(start) {
			dead++
		}
	}
	w.f.Stats.DeadRanges += dead
	live.Hi = uint32(len(w.kept))
	return live, dead
}

// simple stores the range of a start and a length if nothing is unusual about
// it, and leaves everything else to the careful way.
func (w *walker) simple(start, length uint64) bool {
	end := start + length
	if start == 0 || start >= end || end > w.max || start >= w.max-1 {
		return false
	}
	w.kept = append(room(w, w.r.off, w.kept), Range{start, end})
	return true
}

// sortRanges sorts by start. Lists nearly always are in order.
func sortRanges(ranges []Range) {
	for i := 1; i < len(ranges); i++ {
		if ranges[i].Start < ranges[i-1].Start {
			slices.SortFunc(ranges, func(a, b Range) int {
				return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
			})
			return
		}
	}
}

func (w *walker) collectList(off int, what string) (dead int) {
	it := &w.it
	it.openList(w.u, w.st, w.ranges)
	var e RangeEntry
	entries := 0
	defer func() { w.gone = entries == 0 }()
	for it.Next(&e) {
		entries++
		if w.budget--; w.budget < 0 {
			w.problem(off, "ranges of the unit's functions are longer than the unit can need; ranges of this %s are lost", what)
			return dead
		}
		dead += w.keep(&e, off, what)
	}
	if it.err != nil {
		if p := &w.f.Problems; p.full() {
			p.Total++
		} else {
			p.add(it.err)
		}
	}
	return dead
}

// keep stores a range if it is live, and says whether it is dead.
func (w *walker) keep(e *RangeEntry, off int, what string) (dead int) {
	switch e.Class {
	case RangeLive:
		w.kept = append(w.kept, e.Range)
	case RangeTombstone:
		return 1
	case RangeReversed, RangeWraps:
		w.f.Stats.BadRanges++
		why := "ends before it begins"
		if e.Class == RangeWraps {
			why = "does not fit into the address space"
		}
		w.problem(off, "range 0x%x..0x%x of the %s %s; range skipped", e.Start, e.End, what, why)
	}
	return 0
}

// inside says that the ranges at span are covered by those of the scope that
// the walk is in.
func (w *walker) inside(span Span) bool {
	outer := w.funcs[w.cur.fn].Ranges
	if w.cur.inline >= 0 {
		outer = w.inlines[w.cur.inline].Ranges
	}
	around := w.kept[outer.Lo:outer.Hi]
	for _, r := range w.kept[span.Lo:span.Hi] {
		if len(around) == 1 {
			if r.Start < around[0].Start || r.End > around[0].End {
				return false
			}
			continue
		}
		if !w.covered(around, r) {
			return false
		}
	}
	return true
}

// covered says that sorted ranges cover r between them. When the work that the
// unit may cause is used up it says yes.
func (w *walker) covered(around []Range, r Range) bool {
	i := sort.Search(len(around), func(i int) bool { return around[i].Start > r.Start })
	if i > 0 && w.sweep(around[i-1:], r) {
		return true
	}
	// Where ranges overlap, an earlier one may reach further.
	return w.sweep(around, r)
}

func (w *walker) sweep(around []Range, r Range) bool {
	reach := r.Start
	for i := 0; i < len(around) && around[i].Start <= reach && reach < r.End; i++ {
		if w.budget--; w.budget < 0 {
			return true
		}
		reach = max(reach, around[i].End)
	}
	return reach >= r.End
}

// finish hands the results over in slices of the right size, with the calls of
// each function together. They are already, unless functions are nested.
func (w *walker) finish() {
	f := w.f
	if w.size() > spareWalker {
		// The lists are not kept for the next walk, so that they need not be copied.
		f.Funcs, f.Inlines, f.Ranges, f.origins = w.funcs, w.inlines, w.kept, w.origins.refs
		w.funcs, w.inlines, w.kept, w.origins = nil, nil, nil, originTable{foreign: w.origins.foreign}
	} else {
		f.Funcs, f.Inlines, f.Ranges, f.origins = exact(w.funcs), exact(w.inlines), exact(w.kept), exact(w.origins.refs)
	}
	f.foreign = w.origins.foreign
	if w.nested {
		f.regroup()
	}
	for i := range f.Inlines {
		fn := &f.Funcs[f.Inlines[i].Func]
		if fn.Inlines.Len() == 0 {
			fn.Inlines.Lo = uint32(i)
		}
		fn.Inlines.Hi = uint32(i) + 1
	}
	w.u, w.st, w.f, w.table, w.ways, w.addrs, w.it = nil, nil, nil, nil, nil, nil, RangeIter{}
	w.r = reader{}
}

// exact copies a slice into memory of just its size.
func exact[T any](s []T) []T { return append([]T(nil), s...) }

// regroup sorts the calls by function, keeping their order, repairs the indices
// between them, and forgets those of shadowed functions.
func (f *Functions) regroup() {
	order := make([]int32, 0, len(f.Inlines))
	for i := range f.Inlines {
		if f.Funcs[f.Inlines[i].Func].Origin != NoOrigin {
			order = append(order, int32(i))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Compare(f.Inlines[a].Func, f.Inlines[b].Func)
	})
	moved := make([]int32, len(f.Inlines)) // new index of an old one
	for to, from := range order {
		moved[from] = int32(to)
	}
	sorted := make([]Inline, len(order))
	for to, from := range order {
		in := f.Inlines[from]
		if in.Parent >= 0 {
			in.Parent = moved[in.Parent]
		}
		sorted[to] = in
	}
	f.Inlines = sorted
	f.closeEnds()
	for i := range f.Funcs {
		if f.Funcs[i].Origin == NoOrigin {
			f.Funcs[i].Ranges = Span{}
		}
	}
	slices.SortStableFunc(f.Outside, func(a, b OutsideCall) int { return cmp.Compare(a.Func, b.Func) })
}

// closeEnds computes Inline.End from Inline.Parent.
func (f *Functions) closeEnds() {
	for i := range f.Inlines {
		f.Inlines[i].End = uint32(i) + 1
	}
	for i := len(f.Inlines) - 1; i >= 0; i-- {
		if p := f.Inlines[i].Parent; p >= 0 {
			f.Inlines[p].End = max(f.Inlines[p].End, f.Inlines[i].End)
		}
	}
}
