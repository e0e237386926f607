package debugfile

import (
	"iter"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// coarseIndex finds the units whose root entries claim code. Root entries only
// say which units are worth reading for an offset; which unit answers is decided
// by functions and rows.
type coarseIndex struct {
	ranges   []coarseRange     // by start
	reach    []wasm.CodeOffset // for each block of ranges, the highest end in it
	unranged []int32           // units that may have code anywhere
}

// coarseRange says that a unit claims a piece of code.
type coarseRange struct {
	Extent
	unit int32
}

const (
	coarseBlock = 64

	// sizeLEB is how far apart two bodies are at most: by a padded size.
	// Below smallBody no further body fits in between.
	sizeLEB   = 5
	smallBody = 4

	// Root entries may not share range lists to make the index longer than the
	// lists are: an entry takes coarseEntry bytes at least.
	coarseEntry = 2
	coarseSlack = 1 << 16

	// maxProbes is for how many bodies the units are asked one after the other for
	// what they claim, before that is indexed: whoever wants one answer does not
	// have to wait for an index of everything.
	maxProbes = 8
)

// roots is what is known of the root entries of the units.
type roots struct {
	mu     sync.Mutex
	read   int              // units whose root entry has been read, from the first on
	ranges []Extent         // memory for those of one unit
	merged bool             // all have been read, and what they claim is sorted
	budget int              // entries of range lists that may still be read
	owners map[uint64]*unit // by offset in .debug_line
	twins  map[uint64]int   // by id of a split unit
	index  atomic.Pointer[coarseIndex]
	probes atomic.Int32
}

// rootsUpTo reads the root entries of all units up to number n. They are read in
// order, so that what depends on the units before is the same always.
func (f *File) rootsUpTo(n int) {
	f.roots.mu.Lock()
	defer f.roots.mu.Unlock()
	f.readRoots(n)
}

// readRoots is rootsUpTo for those who hold the lock.
func (f *File) readRoots(n int) {
	k := &f.roots
	if k.owners == nil {
		sec := f.data.Sections()
		k.budget = (len(sec.Ranges)+len(sec.Rnglists))/coarseEntry + len(f.units) + coarseSlack
		k.owners, k.twins = map[uint64]*unit{}, map[uint64]int{}
	}
	for ; k.read <= n; k.read++ {
		u := f.units[k.read]
		root, err := u.skel.Root()
		switch {
		case err != nil:
			u.bad = err
			u.note(problemOf(u.number, err))
			continue
		case root.Tag == dwarf.TagPartialUnit || root.Tag == dwarf.TagTypeUnit:
			u.partial = true
			continue
		}
		if root.HasLineOff {
			if k.owners[root.LineOff] == nil {
				k.owners[root.LineOff] = u
			}
			u.lineOwner = k.owners[root.LineOff]
		}
		if u.skel.IsSkeleton() {
			u.twin = k.twins[root.DWOID]
			k.twins[root.DWOID]++
		}
		k.budget -= f.claimUnit(u, k.budget)
	}
}

// probe gives the units that claim code in e, in order. It reads no further than
// it is asked to.
func (f *File) probe(e Extent) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i, u := range f.units {
			f.roots.mu.Lock()
			f.readRoots(i)
			hit := touch(u.code, e)
			f.roots.mu.Unlock()
			if hit && !yield(int32(i)) {
				return
			}
		}
	}
}

func touch(list []Extent, e Extent) bool {
	for _, c := range list {
		if c.Start < e.End && e.Start < c.End {
			return true
		}
	}
	return false
}

// coarse returns the index of what all root entries claim, made once.
func (f *File) coarse() *coarseIndex {
	if x := f.roots.index.Load(); x != nil {
		return x
	}
	f.roots.mu.Lock()
	defer f.roots.mu.Unlock()
	if x := f.roots.index.Load(); x != nil {
		return x
	}
	f.mergeRoots()
	n := 0
	for _, u := range f.units {
		n += len(u.code)
	}
	all := make([]coarseRange, 0, n)
	x := &coarseIndex{}
	for i, u := range f.units {
		if u.unranged {
			x.unranged = append(x.unranged, int32(i))
		}
		for _, e := range u.code {
			all = append(all, coarseRange{e, int32(i)})
		}
	}
	x.fill(all)
	f.roots.index.Store(x)
	return x
}

// claims reads all root entries, so that what each unit claims is known, and
// returns the units that may have code anywhere.
func (f *File) claims() (unranged []int32) {
	f.roots.mu.Lock()
	defer f.roots.mu.Unlock()
	f.mergeRoots()
	for i, u := range f.units {
		if u.unranged {
			unranged = append(unranged, int32(i))
		}
	}
	return unranged
}

// mergeRoots reads what is left of the root entries and sorts what the units
// claim, for those who hold the lock.
func (f *File) mergeRoots() {
	if f.roots.merged {
		return
	}
	f.readRoots(len(f.units) - 1)
	for _, u := range f.units {
		u.code = merged(u.code)
	}
	f.shareLines()
	f.roots.merged, f.roots.ranges = true, nil
}

// shareLines sets, for the units that own a line program, for which code they are
// asked for rows: for that of all units which have the program.
func (f *File) shareLines() {
	shared := map[*unit]bool{}
	for _, u := range f.units {
		u.lineCode, u.lineUnranged = u.code, u.unranged
	}
	for _, u := range f.units {
		o := u.lineOwner
		if o == nil || o == u {
			continue
		}
		if !shared[o] {
			shared[o] = true
			o.lineCode = slices.Clone(o.lineCode)
		}
		o.lineCode = append(o.lineCode, u.code...)
		o.lineUnranged = o.lineUnranged || u.unranged
	}
	for o := range shared {
		o.lineCode = merged(o.lineCode)
	}
}

// claimUnit sets what the root entry of one unit claims. A unit that names no
// range at all, or a list that cannot be read, may have code anywhere. It returns
// the number of list entries read.
func (f *File) claimUnit(u *unit, budget int) (read int) {
	it := u.skel.Ranges()
	var e dwarf.RangeEntry
	code := f.roots.ranges[:0]
	for it.Next(&e) {
		if read++; read > budget {
			u.unranged = true
			u.note(Problem{Unit: u.number, Section: it.Section().String(), Off: e.Off, Msg: "range lists of units are longer in all than their section; the unit's ranges are not used"})
			return read
		}
		start, ok := wasm.CodeOffsetFromAddress(e.Start)
		end, ok2 := wasm.CodeOffsetFromAddress(e.End)
		if e.Class != dwarf.RangeLive || !ok || !ok2 || end <= start {
			continue
		}
		if k := len(code) - 1; k >= 0 && start >= code[k].End && f.touching(code[k].End, start) {
			code[k].End = end
			continue
		}
		code = append(code, Extent{start, end})
	}
	u.code, f.roots.ranges = append([]Extent(nil), code...), code
	if err := it.Err(); err != nil {
		u.note(problemOf(u.number, err))
		u.unranged = true
	} else if read == 0 && it.Section() == dwarf.SecInfo {
		u.unranged = true
	}
	return read
}

// touching reports whether between end and start there is nothing but the size of
// the next body.
func (f *File) touching(end, start wasm.CodeOffset) bool {
	gap := start - end
	return gap < smallBody || gap <= sizeLEB && f.bodies.adjacent(end, start)
}

// merged sorts extents and puts those together that overlap.
func merged(list []Extent) []Extent {
	sortByStart(&list, func(e *Extent) wasm.CodeOffset { return e.Start })
	out := list[:0]
	for _, e := range list {
		if k := len(out) - 1; k >= 0 && e.Start <= out[k].End {
			out[k].End = max(out[k].End, e.End)
			continue
		}
		out = append(out, e)
	}
	return out
}

// fill takes the ranges.
func (x *coarseIndex) fill(all []coarseRange) {
	sortByStart(&all, func(r *coarseRange) wasm.CodeOffset { return r.Start })
	x.ranges = all
	for i := 0; i < len(all); i += coarseBlock {
		var reach wasm.CodeOffset
		for _, r := range all[i:min(i+coarseBlock, len(all))] {
			reach = max(reach, r.End)
		}
		x.reach = append(x.reach, reach)
	}
}

// candidates returns the numbers of the units that claim code in e, each once and
// in order.
func (x *coarseIndex) candidates(e Extent) []int32 {
	var dst []int32
	x.each(e, func(u int32) bool {
		dst = append(dst, u)
		return true
	})
	slices.Sort(dst)
	return slices.Compact(dst)
}

// each calls f for the ranges that overlap e, until f returns false.
func (x *coarseIndex) each(e Extent, f func(unit int32) bool) {
	n := sort.Search(len(x.ranges), func(i int) bool { return x.ranges[i].Start >= e.End })
	for block := 0; block*coarseBlock < n; block++ {
		if x.reach[block] <= e.Start {
			continue
		}
		for _, r := range x.ranges[block*coarseBlock : min((block+1)*coarseBlock, n)] {
			if r.End > e.Start && !f(r.unit) {
				return
			}
		}
	}
}

// claimsIn reports whether sorted and disjoint extents overlap e.
func claimsIn(list []Extent, e Extent) bool {
	i := sort.Search(len(list), func(i int) bool { return list[i].End > e.Start })
	return i < len(list) && list[i].Start < e.End
}
