package debugfile

import (
	"cmp"
	"slices"
	"sort"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// coarseRange says that a unit's root entry claims a range of code. The ranges
// are sorted by start; reach is the highest end of this range and all before it.
type coarseRange struct {
	Extent
	unit  int32
	reach wasm.CodeOffset
}

// sizeGap is how far apart two bodies are at most: by a size LEB.
const sizeGap = 5

// coarseRanges collects what the root entries claim. They only say which units
// are worth reading for an offset; which unit answers is decided by functions and
// rows. Units that claim nothing are remembered as well.
func (f *File) coarseRanges() []coarseRange {
	var all []coarseRange
	for i, u := range f.units {
		first := len(all)
		it := u.skel.Ranges()
		var e dwarf.RangeEntry
		for it.Next(&e) {
			start, ok := wasm.CodeOffsetFromAddress(e.Start)
			end, ok2 := wasm.CodeOffsetFromAddress(e.End)
			if e.Class != dwarf.RangeLive || !ok || !ok2 || end <= start {
				continue
			}
			if k := len(all) - 1; k >= first && start >= all[k].End && start-all[k].End <= sizeGap {
				all[k].End = end
				continue
			}
			all = append(all, coarseRange{Extent: Extent{start, end}, unit: int32(i)})
		}
		if err := it.Err(); err != nil {
			f.skipped = append(f.skipped, problemOf(i, err))
			f.unranged = append(f.unranged, i)
		} else if len(all) == first {
			f.unranged = append(f.unranged, i)
		}
	}
	slices.SortStableFunc(all, func(a, b coarseRange) int { return cmp.Compare(a.Start, b.Start) })
	var reach wasm.CodeOffset
	for i := range all {
		reach = max(reach, all[i].End)
		all[i].reach = reach
	}
	return all
}

// candidates appends the numbers of the units that claim code in e, each once and
// in order.
func (f *File) candidates(dst []int32, e Extent) []int32 {
	i := sort.Search(len(f.coarse), func(i int) bool { return f.coarse[i].Start >= e.End })
	for i--; i >= 0 && f.coarse[i].reach > e.Start; i-- {
		if f.coarse[i].End > e.Start {
			dst = append(dst, f.coarse[i].unit)
		}
	}
	slices.Sort(dst)
	return slices.Compact(dst)
}
