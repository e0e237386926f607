package debugfile

import (
	"sync/atomic"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// winners knows, while everything is indexed, for each body the first of the units
// read so far that has a function for just this body. That one wins against
// whatever later units have there; see settler.choose. In a large program most
// functions are such losers: the linker keeps one of many definitions. The calls
// that were inlined into a loser are not kept, and neither are rows that are not
// likely to win.
//
// Which losers are found out this early depends on the order in which units are
// read. Nothing that is an answer or is counted depends on it.
//
// A nil pointer knows nothing.
type winners struct {
	bodies buckets
	first  []atomic.Int32 // by body: the number of the unit + 1; 0: none
}

func newWinners(bodies *bodyTable) *winners {
	return &winners{newBuckets(bodies), make([]atomic.Int32, bodies.len())}
}

// shadowed returns the function that tells the losers among the functions of a
// unit and notes its winners, or nil. The code of the losers is listed in m.
func (w *winners) shadowed(u *unit, m *scratch) func(dwarf.Range) bool {
	if w == nil {
		return nil
	}
	self, next := int32(u.number)+1, 0
	return func(r dwarf.Range) bool {
		start, ok := wasm.CodeOffsetFromAddress(r.Start)
		body := -1
		if ok {
			body = w.bodies.find(start, next)
		}
		if body < 0 || w.bodies.starts[body] != start || uint64(w.bodies.ends[body]) != r.End {
			return false
		}
		next = body + 1
		for {
			first := w.first[body].Load()
			if first != 0 && first < self {
				m.lean = append(m.lean, w.bodies.extent(body))
				return true
			}
			if first == self || !claimsIn(u.code, w.bodies.extent(body)) || w.first[body].CompareAndSwap(first, self) {
				return false
			}
		}
	}
}

// rows returns the function that tells which sequences of a unit's program are
// likely to be live, by their first address, or nil.
func (w *winners) rows(u *unit) func(addr uint64) bool {
	if w == nil {
		return func(uint64) bool { return false }
	}
	self, next := int32(u.number)+1, 0
	return func(addr uint64) bool {
		start, ok := wasm.CodeOffsetFromAddress(addr)
		if !ok {
			return false
		}
		body := w.bodies.find(start, next)
		if body < 0 {
			return false
		}
		next = body + 1
		return w.first[body].Load() == self
	}
}
