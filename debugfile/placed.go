package debugfile

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// placed lists the ranges of all functions, or the sequences of all line programs,
// by start, equals by unit, with what has become of each.
type placed struct {
	refs  []ref
	fates []Fate
	// from tells by slot where in the list its part begins. What starts in body i
	// is in slot 2i+1, what starts before it and in no body in slot 2i, and what
	// starts behind all bodies in the last one.
	from []uint32
}

// in returns the bounds of what starts in a body.
func (p *placed) in(body int) (lo, hi int) {
	return int(p.from[2*body+1]), int(p.from[2*body+2])
}

// slot returns the slot of c. Bodies from guess on are looked at first.
func (t *bodyTable) slot(c wasm.CodeOffset, guess int) int {
	starts := t.starts
	n := -1 // bodies that start at or before c
	for i := guess; i < guess+2 && i < len(starts) && starts[i] <= c; i++ {
		if i+1 == len(starts) || starts[i+1] > c {
			n = i + 1
			break
		}
	}
	if n < 0 {
		lo, hi := 0, len(starts)
		for lo < hi {
			if mid := int(uint(lo+hi) >> 1); starts[mid] <= c {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		n = lo
	}
	if n > 0 && c < t.ends[n-1] {
		return 2*n - 1
	}
	return 2 * n
}

// place puts what is in a list of each unit, by start, into one list. What code
// of a unit says is what it claims: in bodies that it does not touch the unit is
// not asked.
func place[T any](bodies *bodyTable, units []*unit, list func(*unit) []T, extent func(*T) Extent, code func(*unit) []Extent) *placed {
	p := &placed{from: make([]uint32, 2*bodies.len()+2)}
	total := 0
	for _, u := range units {
		of, guess := list(u), 0
		total += len(of)
		for k := range of {
			slot := bodies.slot(extent(&of[k]).Start, guess)
			guess = slot / 2
			p.from[slot]++
		}
	}
	sum := uint32(0)
	for i, n := range p.from {
		p.from[i] = sum
		sum += n
	}
	p.refs, p.fates = make([]ref, total), make([]Fate, total)
	for _, u := range units {
		of, guess := list(u), 0
		claimed := code(u)
		for k := range of {
			e := extent(&of[k])
			slot := bodies.slot(e.Start, guess)
			guess = slot / 2
			at := p.from[slot]
			p.from[slot]++
			p.refs[at] = ref{e, int32(u.number), uint32(k)}
			if slot%2 == 0 {
				p.fates[at] = NoBody
				continue
			}
			body := bodies.extent(slot / 2)
			for len(claimed) > 0 && claimed[0].End <= body.Start {
				claimed = claimed[1:]
			}
			if len(claimed) == 0 || claimed[0].Start >= body.End {
				p.fates[at] = Unclaimed
			}
		}
	}
	// Each place in from has moved on to where the next slot begins.
	copy(p.from[1:], p.from)
	p.from[0] = 0
	p.sort()
	return p
}

// sort sorts the slots in which not everything starts at the same place.
func (p *placed) sort() {
	type element struct {
		ref
		fate Fate
	}
	for slot := 0; slot+1 < len(p.from); slot++ {
		lo, hi := p.from[slot], p.from[slot+1]
		if slices.IsSortedFunc(p.refs[lo:hi], func(a, b ref) int { return cmp.Compare(a.Start, b.Start) }) {
			continue
		}
		part := make([]element, hi-lo)
		for i := range part {
			part[i] = element{p.refs[lo+uint32(i)], p.fates[lo+uint32(i)]}
		}
		sortByStart(&part, func(e *element) wasm.CodeOffset { return e.Start })
		for i := range part {
			p.refs[lo+uint32(i)], p.fates[lo+uint32(i)] = part[i].ref, part[i].fate
		}
	}
}

// memory returns the bytes that the list takes.
func (p *placed) memory() int64 {
	return int64(len(p.refs))*int64(unsafe.Sizeof(ref{})+1) + int64(len(p.from))*4
}
