package debugfile

import (
	"cmp"
	"iter"
	"slices"
	"sync/atomic"

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
	calls    []atomic.Pointer[callTable] // of the claims
	shadowed bool                        // there was something, and nothing of it is live
	damaged  bool                        // a unit that claims code here cannot be read
	skeleton bool                        // a unit that claims code here has its entries elsewhere
}

// ref names a claim or sequence of a unit.
type ref struct {
	Extent
	unit  *unit
	index uint32
}

// contender is a claim or sequence that starts in a body.
type contender struct {
	ref
	fate *Fate // where the outcome is noted; nil: nowhere
	rank int8
}

// maxLive bounds how many ranges or sequences answer for one body. TinyGo has a
// few; damaged files can have any number.
const maxLive = 1 << 12

// settle applies the rule of shadowed definitions to what starts in one body, and
// returns what is live, by start. Of contenders that claim the same code, the one
// that covers the body from start to end comes first, then what ends with the
// body, then what belongs to the preferred unit, then what comes from the earlier
// unit. The others are shadowed, as is everything that leaves the body or begins
// or ends inside an instruction.
func (f *File) settle(body int, all []contender, prefer *unit, inside *boundaries) []ref {
	e := f.bodies.extent(body)
	first := func(c *contender) bool { return c.Start == e.Start || c.Start <= inside.firstOp(f, body) }
	fits := all[:0]
	for i := range all {
		c := &all[i]
		switch {
		case c.End > e.End:
			c.note(LeavesBody)
			continue
		case c.End != e.End && !inside.at(f, body, c.End), !first(c) && !inside.at(f, body, c.Start):
			c.note(OffBoundary)
			continue
		}
		switch {
		case c.End != e.End:
			c.rank = 4
		case !first(c):
			c.rank = 2
		}
		if prefer != nil && c.unit != prefer {
			c.rank++
		}
		fits = append(fits, *c)
	}
	if len(fits) > 1 {
		slices.SortStableFunc(fits, func(a, b contender) int {
			return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.unit.number, b.unit.number), cmp.Compare(a.Start, b.Start))
		})
	}
	var live []ref
	for i := range fits {
		c := &fits[i]
		k := lowerBound(live, c.Start, func(r *ref) wasm.CodeOffset { return r.Start })
		after := k < len(live) && live[k].Start < c.End
		before := k > 0 && live[k-1].End > c.Start
		switch {
		case after && (live[k].Start == c.Start || first(c) && live[k].Start <= inside.firstOp(f, body)),
			before && first(c):
			c.note(Lost)
		case after, before, len(live) == maxLive:
			c.note(Overlapped)
		default:
			c.note(Live)
			live = slices.Insert(live, k, c.ref)
		}
	}
	return live
}

func (c *contender) note(fate Fate) {
	if c.fate != nil {
		*c.fate = fate
	}
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
	r := &resolved{}
	var claims, seqs []contender
	var inside boundaries
	asked := map[*unit]bool{} // for rows
	for i := range candidates {
		u := f.units[i]
		f.build(u)
		r.doubt(u)
		for k := lowerBound(u.claims, e.Start, func(c *claim) wasm.CodeOffset { return c.Start }); k < len(u.claims) && u.claims[k].Start < e.End; k++ {
			claims = append(claims, contender{ref: ref{u.claims[k].Extent, u, uint32(k)}})
		}
		if o := u.lineOwner; o != nil && !asked[o] {
			asked[o] = true
			for k := lowerBound(o.seqs, e.Start, func(s *sequence) wasm.CodeOffset { return s.Start }); k < len(o.seqs) && o.seqs[k].Start < e.End; k++ {
				seqs = append(seqs, contender{ref: ref{o.seqs[k].Extent, o, uint32(k)}})
			}
		}
		if f.decides(u, body, claims, seqs, &inside) {
			break
		}
	}
	f.settleBody(body, r, claims, seqs, &inside)
	return r
}

// decides reports whether a unit, asked after all earlier ones, has both a
// function and rows for the whole body. Nothing in a later unit can win against
// that, so that it need not be indexed: programs that link the same inline
// functions many times have many such units.
func (f *File) decides(u *unit, body int, claims, seqs []contender, inside *boundaries) bool {
	e := f.bodies.extent(body)
	whole := slices.ContainsFunc(claims, func(c contender) bool { return c.unit == u && c.Extent == e })
	return whole && slices.ContainsFunc(seqs, func(c contender) bool {
		return c.unit == u.lineOwner && c.End == e.End && c.Start <= inside.firstOp(f, body)
	})
}

// doubt notes what keeps a unit that claims code here from saying all it knows.
func (r *resolved) doubt(u *unit) {
	r.damaged = r.damaged || u.incomplete()
	r.skeleton = r.skeleton || u.skeleton
}

// incomplete reports whether entries of the unit could not be read.
func (u *unit) incomplete() bool { return u.fns == nil || u.fns.Incomplete }

// settleBody settles functions, then sequences, which rather go with the unit of
// the function.
func (f *File) settleBody(body int, r *resolved, claims, seqs []contender, inside *boundaries) {
	had := len(claims)+len(seqs) > 0
	r.claims = f.settle(body, claims, nil, inside)
	var prefer *unit
	if len(r.claims) > 0 {
		prefer = r.claims[0].unit.lineOwner
	}
	r.seqs = f.settle(body, seqs, prefer, inside)
	r.calls = newCalls(len(r.claims))
	r.shadowed = had && r.empty()
}

func newCalls(n int) []atomic.Pointer[callTable] { return make([]atomic.Pointer[callTable], n) }

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
