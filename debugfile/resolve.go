package debugfile

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// Fate says what has become of a function's range or a sequence of rows.
type Fate uint8

// The fates.
const (
	Live        Fate = iota
	Lost             // another one that starts at the same body ends where the body does, or comes earlier
	LeavesBody       // it ends behind its body
	OffBoundary      // it ends inside an instruction
	Overlapped       // it lies inside its body, where another one is live already
	NoBody           // it starts where no body is
)

var fateNames = [...]string{"live", "lost", "leaves body", "off boundary", "overlapped", "no body"}

// String returns the fate in a word or two.
func (t Fate) String() string { return fateNames[t] }

// Shadowed reports whether the fate is one of DWARF that describes other code.
func (t Fate) Shadowed() bool { return t != Live }

// bodyAnswer holds what answers for one body, once it has been found out.
type bodyAnswer struct {
	done atomic.Pointer[resolved]
}

// resolved is what is live in one body.
type resolved struct {
	claims   []ref // functions, the one that starts with the body first
	seqs     []ref // sequences, by start
	shadowed bool  // there was something, and nothing of it is live
	damaged  bool
	skeleton bool
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
}

// settle applies the rule of shadowed definitions to what starts in one body: it
// orders the contenders, and returns those that are live. Of contenders that
// start at one place, the one that ends with the body comes first, then the one
// of the preferred unit, then the one of the earlier unit. Later ones live only
// where they do not overlap.
func (f *File) settle(body int, all []contender, prefer *unit) []ref {
	e := f.bodies.extent(body)
	note := func(c *contender, fate Fate) {
		if c.fate != nil {
			*c.fate = fate
		}
	}
	rank := func(c *contender) int {
		n := 0
		if c.End != e.End {
			n += 2
		}
		if prefer != nil && c.unit != prefer {
			n++
		}
		return n
	}
	slices.SortStableFunc(all, func(a, b contender) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(a.unit.number, b.unit.number), cmp.Compare(a.Start, b.Start))
	})
	var live []ref
	var inside boundaries
	for i := range all {
		c := &all[i]
		switch {
		case c.End > e.End:
			note(c, LeavesBody)
		case c.End != e.End && !inside.of(f, body).at(c.End):
			note(c, OffBoundary)
		default:
			fate := Live
			for _, l := range live {
				if c.Start == l.Start {
					fate = Lost
					break
				}
				if c.Start < l.End && l.Start < c.End {
					fate = Overlapped
				}
			}
			note(c, fate)
			if fate == Live {
				live = append(live, c.ref)
			}
		}
	}
	return live
}

// resolve finds out what answers for a body, once.
func (f *File) resolve(body int) *resolved {
	if r := f.answers[body].done.Load(); r != nil {
		return r
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if r := f.answers[body].done.Load(); r != nil {
		return r
	}
	e := f.bodies.extent(body)
	candidates := f.candidates(nil, e)
	r := f.gather(body, candidates)
	if len(r.claims) == 0 && len(r.seqs) == 0 && len(f.unranged) > 0 {
		for _, i := range f.unranged {
			candidates = append(candidates, int32(i))
		}
		slices.Sort(candidates)
		r = f.gather(body, slices.Compact(candidates))
	}
	f.answers[body].done.Store(r)
	return r
}

// gather builds the candidates and settles what of them starts in the body.
func (f *File) gather(body int, candidates []int32) *resolved {
	e := f.bodies.extent(body)
	r := &resolved{}
	var claims, seqs []contender
	for _, i := range candidates {
		u := f.units[i]
		f.build(u)
		r.damaged = r.damaged || u.fns == nil
		r.skeleton = r.skeleton || u.skeleton
		for k := lowerBound(u.claims, e.Start, func(c *claim) wasm.CodeOffset { return c.Start }); k < len(u.claims) && u.claims[k].Start < e.End; k++ {
			claims = append(claims, contender{ref: ref{u.claims[k].Extent, u, uint32(k)}})
		}
		for k := lowerBound(u.seqs, e.Start, func(s *sequence) wasm.CodeOffset { return s.Start }); k < len(u.seqs) && u.seqs[k].Start < e.End; k++ {
			seqs = append(seqs, contender{ref: ref{u.seqs[k].Extent, u, uint32(k)}})
		}
	}
	f.settleBody(body, r, claims, seqs)
	return r
}

// settleBody settles functions, then sequences, which rather go with the unit of
// the function.
func (f *File) settleBody(body int, r *resolved, claims, seqs []contender) {
	had := len(claims)+len(seqs) > 0
	r.claims = f.settle(body, claims, nil)
	var prefer *unit
	if len(r.claims) > 0 {
		prefer = r.claims[0].unit
	}
	r.seqs = f.settle(body, seqs, prefer)
	slices.SortFunc(r.seqs, func(a, b ref) int { return cmp.Compare(a.Start, b.Start) })
	r.shadowed = had && len(r.claims) == 0 && len(r.seqs) == 0
}

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
