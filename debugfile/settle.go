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
	at   uint32 // where the outcome is noted
	rank int8
}

// contenders is what starts in a body: parts of the lists of everything, or what
// was put together from single units. Where outcomes are noted, those of the first
// kind are Unclaimed beforehand if their unit is not asked.
type contenders struct {
	list   []contender
	all    *placed
	lo, hi int // of all
}

// placed takes what starts in a body. Units that are not asked about it take part
// nevertheless if unranged says so.
func (c *contenders) placed(p *placed, body int, unranged func(unit int32) bool) {
	c.all = p
	c.lo, c.hi = p.in(body)
	if unranged == nil {
		return
	}
	for k := c.lo; k < c.hi; k++ {
		if p.fates[k] == Unclaimed && unranged(p.refs[k].unit) {
			p.fates[k] = Live // what it is has yet to be found out
		}
	}
}

// collect returns the contenders one by one.
func (c *contenders) collect() []contender {
	if c.all != nil {
		c.list = slices.Grow(c.list, c.hi-c.lo)
		for k := c.lo; k < c.hi; k++ {
			if c.all.fates[k] != Unclaimed {
				c.list = append(c.list, contender{ref: c.all.refs[k], at: uint32(k)})
			}
		}
	}
	return c.list
}

func (c *contenders) note(at uint32, fate Fate) {
	if c.all != nil {
		c.all.fates[at] = fate
	}
}

// maxLive bounds how many ranges or sequences answer for one body. TinyGo has a
// few; damaged files can have any number.
const maxLive = 1 << 12

// settler settles one body after the other, with the memory of the ones before.
type settler struct {
	f            *File
	body         int
	claims, seqs contenders
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
	s.claims, s.seqs = contenders{list: s.claims.list[:0]}, contenders{list: s.seqs.list[:0]}
	s.inside = boundaries{starts: s.inside.starts[:0]}
}

// settle settles functions, then sequences, which rather go with the unit of the
// function.
func (s *settler) settle(r *resolved) {
	had := false
	r.claims = s.choose(&s.claims, -1, &had)
	prefer := int32(-1)
	if len(r.claims) > 0 {
		if o := s.f.units[r.claims[0].unit].lineOwner; o != nil {
			prefer = int32(o.number)
		}
	}
	r.seqs = s.choose(&s.seqs, prefer, &had)
	r.rows = s.readRows(r.seqs)
	r.calls = s.calls.take(len(r.claims))
	r.shadowed = had && r.empty()
}

// first reports whether c begins with the body.
func (s *settler) first(c *ref) bool {
	return c.Start == s.f.bodies.starts[s.body] || c.Start <= s.inside.firstOp(s.f, s.body)
}

// misplaced returns why an extent that starts in the body cannot be live, or Live.
func (s *settler) misplaced(c *ref, first bool) Fate {
	end := s.f.bodies.ends[s.body]
	switch {
	case c.End > end:
		return LeavesBody
	case c.End != end && !s.inside.at(s.f, s.body, c.End), !first && !s.inside.at(s.f, s.body, c.Start):
		return OffBoundary
	}
	return Live
}

// outright is choose for what nearly every body has: something that covers it from
// start to end, so that everything else has lost. It reports false, having noted
// nothing that choose does not note again, for anything else.
func (s *settler) outright(all *contenders, prefer int32) (winner ref, ok bool) {
	p := all.all
	if p == nil {
		return ref{}, false
	}
	end, best := s.f.bodies.ends[s.body], -1
	for k := all.lo; k < all.hi; k++ {
		c := &p.refs[k]
		if c.End == end && (prefer < 0 || c.unit == prefer) && (best < 0 || c.unit < p.refs[best].unit) && p.fates[k] != Unclaimed && s.first(c) {
			best = k
		}
	}
	if best < 0 {
		return ref{}, false
	}
	winner = p.refs[best]
	for k := all.lo; k < all.hi; k++ {
		c, first := &p.refs[k], false
		switch {
		case k == best:
			p.fates[k] = Live
			continue
		case p.fates[k] == Unclaimed:
			continue
		case c.End <= winner.Start:
			return ref{}, false
		}
		first = s.first(c)
		fate := s.misplaced(c, first)
		switch {
		case fate != Live:
		case first:
			fate = Lost
		default:
			fate = Overlapped
		}
		p.fates[k] = fate
	}
	return winner, true
}

// choose applies the rule of shadowed definitions to what starts in the body, and
// returns what is live, by start. Of contenders that claim the same code, the one
// that covers the body from start to end comes first, then what ends with the
// body, then what belongs to the preferred unit, then what comes from the earlier
// unit. The others are shadowed, as is everything that leaves the body or begins
// or ends inside an instruction. Outcomes are noted, where there is a place for
// them. Whether there was anything is added to had.
func (s *settler) choose(all *contenders, prefer int32, had *bool) []ref {
	if winner, ok := s.outright(all, prefer); ok {
		*had = true
		kept := s.refs.take(1)
		kept[0] = winner
		return kept
	}
	list := all.collect()
	*had = *had || len(list) > 0
	end := s.f.bodies.ends[s.body]
	fits := list[:0]
	for i := range list {
		c := &list[i]
		first := s.first(&c.ref)
		if fate := s.misplaced(&c.ref, first); fate != Live {
			all.note(c.at, fate)
			continue
		}
		switch {
		case c.End != end:
			c.rank = 4
		case !first:
			c.rank = 2
		}
		if prefer >= 0 && c.unit != prefer {
			c.rank++
		}
		fits = append(fits, *c)
	}
	if len(fits) > 1 {
		slices.SortStableFunc(fits, func(a, b contender) int {
			return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.unit, b.unit), cmp.Compare(a.Start, b.Start))
		})
	}
	live := s.live[:0]
	for i := range fits {
		c := &fits[i]
		first := s.first(&c.ref)
		k := lowerBound(live, c.Start, func(r *ref) wasm.CodeOffset { return r.Start })
		after := k < len(live) && live[k].Start < c.End
		before := k > 0 && live[k-1].End > c.Start
		switch {
		case after && (live[k].Start == c.Start || first && live[k].Start <= s.inside.firstOp(s.f, s.body)),
			before && first:
			all.note(c.at, Lost)
		case after, before, len(live) == maxLive:
			all.note(c.at, Overlapped)
		default:
			all.note(c.at, Live)
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
		if q.kept > 0 {
			lists[i] = u.rows.at(q.kept, q.rows)
			continue
		}
		if q.rows > dwarf.ManyRows {
			// No more of them count than the sequence has bytes.
			n := min(int64(q.rows), int64(q.End-q.Start)+1)
			lists[i] = slices.Clip(u.program.ShortRows(uint64(q.off), make([]dwarf.ShortRow, 0, max(n, dwarf.ManyRows))))
			continue
		}
		lists[i] = u.program.ShortRows(uint64(q.off), s.rows.take(int(q.rows)))
	}
	return lists
}
