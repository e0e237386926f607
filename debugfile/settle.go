package debugfile

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// contender is a claim or sequence that starts in a body.
type contender struct {
	ref
	at   int32 // where the outcome is noted
	rank int8
}

// maxLive bounds how many ranges or sequences answer for one body. TinyGo has a
// few; damaged files can have any number.
const maxLive = 1 << 12

// settler settles one body after the other, with the memory of the ones before.
type settler struct {
	f            *File
	body         int
	claims, seqs []contender
	live         []ref
	inside       boundaries

	// What is kept of the bodies comes from few pieces of memory.
	results arena[resolved]
	refs    arena[ref]
	calls   arena[atomic.Pointer[callTable]]
	lists   arena[[]dwarf.ShortRow]
	rows    arena[dwarf.ShortRow]
}

// arena gives out parts of larger pieces of memory. The zero value gives each part
// its own.
type arena[T any] struct {
	piece int // length of a piece
	free  []T
}

func (a *arena[T]) take(n int) []T {
	if n == 0 {
		return nil
	}
	if n > len(a.free) {
		a.free = make([]T, max(n, a.piece))
	}
	part := a.free[:n:n]
	a.free = a.free[n:]
	return part
}

// begin turns to a body.
func (s *settler) begin(body int) {
	s.body = body
	s.claims, s.seqs = s.claims[:0], s.seqs[:0]
	s.inside = boundaries{starts: s.inside.starts[:0]}
}

// settle settles functions, then sequences, which rather go with the unit of the
// function.
func (s *settler) settle(r *resolved, claimFates, seqFates []Fate) {
	had := len(s.claims)+len(s.seqs) > 0
	r.claims = s.choose(s.claims, claimFates, -1)
	prefer := int32(-1)
	if len(r.claims) > 0 {
		if o := s.f.units[r.claims[0].unit].lineOwner; o != nil {
			prefer = int32(o.number)
		}
	}
	r.seqs = s.choose(s.seqs, seqFates, prefer)
	r.rows = s.readRows(r.seqs)
	r.calls = s.calls.take(len(r.claims))
	r.shadowed = had && r.empty()
}

// choose applies the rule of shadowed definitions to what starts in the body, and
// returns what is live, by start. Of contenders that claim the same code, the one
// that covers the body from start to end comes first, then what ends with the
// body, then what belongs to the preferred unit, then what comes from the earlier
// unit. The others are shadowed, as is everything that leaves the body or begins
// or ends inside an instruction. Outcomes are noted in fates, if there are any.
func (s *settler) choose(all []contender, fates []Fate, prefer int32) []ref {
	f, body, inside := s.f, s.body, &s.inside
	e := f.bodies.extent(body)
	note := func(c *contender, fate Fate) {
		if fates != nil {
			fates[c.at] = fate
		}
	}
	first := func(c *contender) bool { return c.Start == e.Start || c.Start <= inside.firstOp(f, body) }
	fits := all[:0]
	for i := range all {
		c := &all[i]
		switch {
		case c.End > e.End:
			note(c, LeavesBody)
			continue
		case c.End != e.End && !inside.at(f, body, c.End), !first(c) && !inside.at(f, body, c.Start):
			note(c, OffBoundary)
			continue
		}
		switch {
		case c.End != e.End:
			c.rank = 4
		case !first(c):
			c.rank = 2
		}
		if prefer >= 0 && c.unit != prefer {
			c.rank++
		}
		fits = append(fits, *c)
	}
	if len(fits) > 1 {
		slices.SortStableFunc(fits, func(a, b contender) int {
			if a.rank != b.rank {
				return cmp.Compare(a.rank, b.rank)
			}
			if a.unit != b.unit {
				return cmp.Compare(a.unit, b.unit)
			}
			return cmp.Compare(a.Start, b.Start)
		})
	}
	live := s.live[:0]
	for i := range fits {
		c := &fits[i]
		k := lowerBound(live, c.Start, func(r *ref) wasm.CodeOffset { return r.Start })
		after := k < len(live) && live[k].Start < c.End
		before := k > 0 && live[k-1].End > c.Start
		switch {
		case after && (live[k].Start == c.Start || first(c) && live[k].Start <= inside.firstOp(f, body)),
			before && first(c):
			note(c, Lost)
		case after, before, len(live) == maxLive:
			note(c, Overlapped)
		default:
			note(c, Live)
			live = slices.Insert(live, k, c.ref)
		}
	}
	s.live = live
	kept := s.refs.take(len(live))
	copy(kept, live)
	return kept
}

// readRows reads the rows of sequences.
func (s *settler) readRows(seqs []ref) [][]dwarf.ShortRow {
	lists := s.lists.take(len(seqs))
	for i := range seqs {
		u := s.f.units[seqs[i].unit]
		q := &u.seqs[seqs[i].index]
		lists[i] = u.program.ShortRows(q.off, s.rows.take(int(q.rows)))
	}
	return lists
}
