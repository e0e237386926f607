package symcheck

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// TestPlaces: which places are samples does not depend on who found them first.
func TestPlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var one, a, b places
		var all []wasm.CodeOffset
		for range r.IntN(40) {
			c := wasm.CodeOffset(r.IntN(60))
			all = append(all, c)
			one.add(c)
		}
		for _, k := range r.Perm(len(all)) {
			if r.IntN(2) == 0 {
				a.add(all[k])
			} else {
				b.add(all[k])
			}
		}
		a.merge(&b)
		slices.Sort(all)
		want := slices.Compact(slices.Clone(all))
		want = want[:min(len(want), maxSamples)]
		if a.n != len(all) || one.n != a.n || !slices.Equal(a.first, want) || !slices.Equal(one.first, want) {
			t.Fatalf("%d places %v and %v of %v", a.n, a.first, one.first, all)
		}
	}
}
