package debugfile

import (
	"iter"
	"slices"
	"sync/atomic"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// bodyAnswer holds what answers for one body, once it has been found out.
type bodyAnswer struct {
	done atomic.Pointer[resolved]
}

// resolved is what is live in one body.
type resolved struct {
	claims   []ref                       // functions, by start; they do not overlap
	seqs     []ref                       // sequences, by start; they do not overlap
	rows     [][]dwarf.ShortRow          // of each of the sequences
	calls    []atomic.Pointer[callTable] // of the claims
	shadowed bool                        // there was something, and nothing of it is live
	damaged  bool                        // a unit that claims code here cannot be read
	skeleton bool                        // a unit that claims code here has its entries elsewhere
}

// ref names a claim or sequence of a unit. It has no pointers: there may be
// millions, and the garbage collector need not look at them.
type ref struct {
	Extent
	unit  int32
	index uint32
}

// resolve finds out what answers for a body, once.
//
// Units whose root entry claims code in the body are asked first. Only where they
// have nothing those are asked that claim no code at all, as producers that are
// not careful write. What a unit has in places that it does not claim is never an
// answer, so that it does not matter which units happen to be indexed already.
func (f *File) resolve(body int) *resolved {
	if r := f.answers[body].done.Load(); r != nil {
		return r
	}
	e := f.bodies.extent(body)
	candidates := f.probe(e)
	if f.roots.index.Load() != nil || f.roots.probes.Add(1) > maxProbes {
		candidates = slices.Values(f.coarse().candidates(e))
	}
	r := f.gather(body, candidates)
	if r.empty() {
		if x := f.coarse(); len(x.unranged) > 0 {
			all := append(x.candidates(e), x.unranged...)
			slices.Sort(all)
			r = f.gather(body, slices.Values(slices.Compact(all)))
		}
	}
	f.answers[body].done.CompareAndSwap(nil, r)
	return f.answers[body].done.Load()
}

func (r *resolved) empty() bool { return len(r.claims) == 0 && len(r.seqs) == 0 }

// gather builds the candidates and settles what of them starts in the body.
func (f *File) gather(body int, candidates iter.Seq[int32]) *resolved {
	e := f.bodies.extent(body)
	s := settler{f: f}
	s.begin(body)
	r := &resolved{}
	asked := map[*unit]bool{} // for rows
	for i := range candidates {
		u := f.units[i]
		f.build(u)
		r.doubt(u)
		for k := lowerBound(u.claims, e.Start, func(c *claim) wasm.CodeOffset { return c.Start }); k < len(u.claims) && u.claims[k].Start < e.End; k++ {
			s.claims.list = append(s.claims.list, contender{ref: ref{u.claims[k].Extent, i, uint32(k)}})
		}
		if o := u.lineOwner; o != nil && !asked[o] {
			asked[o] = true
			for k := lowerBound(o.seqs, e.Start, func(s *sequence) wasm.CodeOffset { return s.Start }); k < len(o.seqs) && o.seqs[k].Start < e.End; k++ {
				s.seqs.list = append(s.seqs.list, contender{ref: ref{o.seqs[k].Extent, int32(o.number), uint32(k)}})
			}
		}
		if s.decides(u) {
			break
		}
	}
	s.settle(r)
	return r
}

// decides reports whether a unit, asked after all earlier ones, has both a
// function and rows for the whole body. Nothing in a later unit can win against
// that, so that it need not be indexed: programs that link the same inline
// functions many times have many such units.
func (s *settler) decides(u *unit) bool {
	if u.lineOwner == nil {
		return false
	}
	e, self, owner := s.f.bodies.extent(s.body), int32(u.number), int32(u.lineOwner.number)
	whole := slices.ContainsFunc(s.claims.list, func(c contender) bool { return c.unit == self && c.Extent == e })
	return whole && slices.ContainsFunc(s.seqs.list, func(c contender) bool {
		return c.unit == owner && c.End == e.End && c.Start <= s.inside.firstOp(s.f, s.body)
	})
}

// doubt notes what keeps a unit that claims code here from saying all it knows.
func (r *resolved) doubt(u *unit) {
	r.damaged = r.damaged || u.incomplete()
	r.skeleton = r.skeleton || u.skeleton
}

// incomplete reports whether entries of the unit could not be read.
func (u *unit) incomplete() bool { return u.fns == nil || u.fns.Incomplete }

// lowerBound returns the index of the first element that starts at or behind c.
func lowerBound[T any](list []T, c wasm.CodeOffset, start func(*T) wasm.CodeOffset) int {
	lo, hi := 0, len(list)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if start(&list[mid]) < c {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// find returns the index of the one of disjoint extents that holds c, or −1.
func find(list []ref, c wasm.CodeOffset) int {
	i := lowerBound(list, c+1, func(r *ref) wasm.CodeOffset { return r.Start }) - 1
	if i >= 0 && list[i].Contains(c) {
		return i
	}
	return -1
}
