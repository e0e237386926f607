package debugfile

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// bodiesOf returns a table of bodies that lie behind each other, at distances of 1
// to 5.
func bodiesOf(r *rand.Rand, n, size int) *bodyTable {
	t := &bodyTable{}
	at := wasm.CodeOffset(1)
	for range n {
		at += wasm.CodeOffset(r.IntN(5) + 1)
		length := wasm.CodeOffset(r.IntN(size) + 2)
		if r.IntN(20) == 0 {
			length *= 50
		}
		t.starts, t.ends = append(t.starts, at), append(t.ends, at+length)
		at += length
	}
	t.size = uint32(at) + 3
	return t
}

// TestFindBody: the two fast ways to find a body agree with the search.
func TestFindBody(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 2, 3, 100, 3000} {
		for _, size := range []int{1, 10, 300} {
			bodies := bodiesOf(r, n, size)
			x := newBuckets(bodies)
			for c := wasm.CodeOffset(0); uint32(c) < bodies.size+9; c++ {
				want, _ := bodies.find(c)
				guess := r.IntN(n+3) - 1
				if got := x.find(c, guess); got != want {
					t.Fatalf("%d bodies: %v is in body %d, found is %d", n, c, want, got)
				}
				before, _ := slices.BinarySearchFunc(bodies.starts, c, func(s, c wasm.CodeOffset) int {
					if s <= c {
						return -1
					}
					return 1
				})
				slot := 2 * before
				if want >= 0 {
					slot = 2*want + 1
				}
				if got := bodies.slot(c, max(guess, 0)); got != slot {
					t.Fatalf("%d bodies: %v is in slot %d, found is %d", n, c, slot, got)
				}
			}
			if far := wasm.CodeOffset(1<<32 - 1); x.find(far, 0) != -1 {
				t.Errorf("%v is in body %d", far, x.find(far, 0))
			}
		}
	}
}

// TestPlace: the list of everything is in order, and says which claims are not of
// units that claim the code.
func TestPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		bodies := bodiesOf(r, r.IntN(12), 9)
		var units []*unit
		var want []ref
		for number := range r.IntN(5) {
			u := &unit{number: number}
			for range r.IntN(9) {
				start := wasm.CodeOffset(r.Uint32N(bodies.size))
				u.claims = append(u.claims, claim{Extent: Extent{start, start + 5}})
				if r.IntN(2) == 0 {
					u.code = append(u.code, Extent{start, start + wasm.CodeOffset(r.IntN(20))})
				}
			}
			sortByStart(&u.claims, func(c *claim) wasm.CodeOffset { return c.Start })
			u.code = merged(u.code)
			for k, c := range u.claims {
				want = append(want, ref{c.Extent, int32(number), uint32(k)})
			}
			units = append(units, u)
		}
		sortByStart(&want, func(c *ref) wasm.CodeOffset { return c.Start })
		p := place(bodies, units, func(u *unit) []claim { return u.claims }, func(c *claim) Extent { return c.Extent }, func(u *unit) []Extent { return u.code })
		if !slices.Equal(want, p.refs) {
			t.Fatalf("placed are\n%v\nsorted are\n%v", p.refs, want)
		}
		for k, c := range p.refs {
			body, _ := bodies.find(c.Start)
			fate := Live
			switch {
			case body < 0:
				fate = NoBody
			case !claimsIn(units[c.unit].code, bodies.extent(body)):
				fate = Unclaimed
			}
			if p.fates[k] != fate {
				t.Fatalf("%+v is %v, want %v", c, p.fates[k], fate)
			}
			if body >= 0 {
				if lo, hi := p.in(body); k < lo || k >= hi {
					t.Fatalf("%+v is number %d, its body has %d to %d", c, k, lo, hi)
				}
			}
		}
	}
}

// TestRowPieces: rows come back as they were kept, long sequences too.
func TestRowPieces(t *testing.T) {
	var p rowPieces
	r := rand.New(rand.NewPCG(7, 8))
	var places []rowPlace
	var kept [][]dwarf.ShortRow
	for i := range 3000 {
		n := r.IntN(40) + 1
		if r.IntN(100) == 0 {
			n = r.IntN(3*lastPiece) + 1
		}
		rows := make([]dwarf.ShortRow, n)
		for k := range rows {
			rows[k] = dwarf.ShortRow{Addr: uint32(i), Line: uint32(k)}
		}
		places, kept = append(places, p.add(rows)), append(kept, rows)
	}
	for i, place := range places {
		if got := p.at(place, uint32(len(kept[i]))); !slices.Equal(got, kept[i]) {
			t.Fatalf("rows %d differ", i)
		}
	}
	if p.memory() < 16*3000*20 {
		t.Errorf("memory is %d", p.memory())
	}
}
