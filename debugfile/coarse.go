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

// claims is what is known of what root entries claim.
type claims struct {
	mu     sync.Mutex
	read   int // units whose root entry has been asked, from the first on
	budget int // list entries that may still be read
	index  atomic.Pointer[coarseIndex]
	probes atomic.Int32
}

// claimUpTo asks the root entries of all units up to number n, in order, so that
// the budget goes to the same ones always. The caller holds the lock.
func (f *File) claimUpTo(n int) {
	k := &f.claimed
	if k.read == 0 {
		sec := f.data.Sections()
		k.budget = (len(sec.Ranges)+len(sec.Rnglists))/coarseEntry + len(f.units) + coarseSlack
	}
	for ; k.read <= n; k.read++ {
		if u := f.units[k.read]; u.bad == nil {
			k.budget -= f.claimUnit(u, k.budget)
		}
	}
}

// probe gives the units that claim code in e, in order. It reads no further than
// it is asked to.
func (f *File) probe(e Extent) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i, u := range f.units {
			f.claimed.mu.Lock()
			f.claimUpTo(max(i, u.lastSharer))
			hit := u.touches(e)
			for _, o := range u.sharers {
				hit = hit || o.touches(e)
			}
			f.claimed.mu.Unlock()
			if hit && !yield(int32(i)) {
				return
			}
		}
	}
}

// touches reports whether the root entry claims code in e.
func (u *unit) touches(e Extent) bool {
	for _, c := range u.code {
		if c.Start < e.End && e.Start < c.End {
			return true
		}
	}
	return false
}

// coarse returns the index of what all root entries claim, made once.
func (f *File) coarse() *coarseIndex {
	if x := f.claimed.index.Load(); x != nil {
		return x
	}
	f.claimed.mu.Lock()
	defer f.claimed.mu.Unlock()
	if x := f.claimed.index.Load(); x != nil {
		return x
	}
	f.claimUpTo(len(f.units) - 1)
	var all []coarseRange
	x := &coarseIndex{}
	for i, u := range f.units {
		u.code = merged(u.code)
		for _, o := range u.sharers {
			// Where a unit is asked, the one that has its rows is asked as well.
			u.code = append(u.code, o.code...)
			u.unranged = u.unranged || o.unranged
		}
		if len(u.sharers) > 0 {
			u.code = merged(u.code)
		}
		if u.bad == nil && u.unranged {
			x.unranged = append(x.unranged, int32(i))
		}
		all = slices.Grow(all, len(u.code))
		for _, e := range u.code {
			all = append(all, coarseRange{e, int32(i)})
		}
	}
	x.fill(all)
	f.claimed.index.Store(x)
	return x
}

// claimUnit sets what the root entry of one unit claims. A unit that names no
// range at all, or a list that cannot be read, may have code anywhere. It returns
// the number of list entries read.
func (f *File) claimUnit(u *unit, budget int) (read int) {
	it := u.skel.Ranges()
	var e dwarf.RangeEntry
	for it.Next(&e) {
		if read++; read > budget {
			u.code, u.unranged = nil, true
			u.note(Problem{Unit: u.number, Section: it.Section().String(), Off: e.Off, Msg: "range lists of units are longer in all than their section; the unit's ranges are not used"})
			return read
		}
		start, ok := wasm.CodeOffsetFromAddress(e.Start)
		end, ok2 := wasm.CodeOffsetFromAddress(e.End)
		if e.Class != dwarf.RangeLive || !ok || !ok2 || end <= start {
			continue
		}
		if k := len(u.code) - 1; k >= 0 && start >= u.code[k].End && f.touching(u.code[k].End, start) {
			u.code[k].End = end
			continue
		}
		u.code = append(u.code, Extent{start, end})
	}
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

// claimsIn is touches once everything is indexed.
func (u *unit) claimsIn(e Extent) bool {
	i := sort.Search(len(u.code), func(i int) bool { return u.code[i].End > e.Start })
	return i < len(u.code) && u.code[i].Start < e.End
}
