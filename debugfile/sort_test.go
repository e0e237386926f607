package debugfile

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// TestSortByStart: few and many elements, starts of few and of many digits; the
// order of equals stays.
func TestSortByStart(t *testing.T) {
	type element struct {
		start  wasm.CodeOffset
		number int
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 2, 100, manyKeys - 1, manyKeys, 3 * manyKeys} {
		for _, limit := range []uint64{1, 100, 1 << 14, 1 << 27, 1 << 32} {
			list := make([]element, n)
			for i := range list {
				list[i] = element{wasm.CodeOffset(r.Uint64N(limit)), i}
			}
			want := slices.Clone(list)
			slices.SortStableFunc(want, func(a, b element) int { return int(int64(a.start) - int64(b.start)) })
			sortByStart(&list, func(e *element) wasm.CodeOffset { return e.start })
			if !slices.Equal(list, want) {
				t.Errorf("%d elements below %d are not sorted", n, limit)
			}
		}
	}
}
