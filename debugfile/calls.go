package debugfile

import (
	"slices"

	"github.com/wasm-debugid/wasm-debugid/internal/dwarf"
	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// callTable answers which inlined call is the innermost at an offset of a
// function, by cutting the function's extent into pieces. It is made when a
// function with many inlined calls is looked up for the first time.
type callTable struct {
	starts []wasm.CodeOffset // of each piece
	calls  []int32           // the innermost call of each piece; −1: none
	large  bool              // the table would take too much work; calls are searched
}

const (
	// fewCalls is up to how many inlined calls are searched without a table.
	fewCalls = 12
	// callWork bounds the work for one function's table: pieces times depth.
	callWork = 1 << 24
)

// innermost returns the index of the innermost call inlined at c, or −1.
func (f *File) innermost(r *resolved, claim int, fns *dwarf.Functions, function *dwarf.Func, c wasm.CodeOffset) int32 {
	if function.Inlines.Len() <= fewCalls {
		return searchCalls(fns, function, c)
	}
	t := r.calls[claim].Load()
	if t == nil {
		t = newCallTable(fns, function)
		if r.calls[claim].CompareAndSwap(nil, t) {
			f.tables.Add(int64(len(t.starts))*8 + 56)
		}
	}
	if t.large {
		return searchCalls(fns, function, c)
	}
	i := lowerBound(t.starts, c+1, func(s *wasm.CodeOffset) wasm.CodeOffset { return *s }) - 1
	if i < 0 {
		return -1
	}
	return t.calls[i]
}

// searchCalls walks down the tree of calls. Of calls that overlap the first one
// counts.
func searchCalls(fns *dwarf.Functions, function *dwarf.Func, c wasm.CodeOffset) int32 {
	found := int32(-1)
	for i, end := function.Inlines.Lo, function.Inlines.Hi; i < end; {
		in := &fns.Inlines[i]
		if !covers(fns.Ranges[in.Ranges.Lo:in.Ranges.Hi], uint64(c)) {
			i = max(in.End, i+1)
			continue
		}
		found = int32(i)
		i, end = i+1, min(in.End, end) // the calls inside come next
	}
	return found
}

func covers(ranges []dwarf.Range, addr uint64) bool {
	for i := range ranges {
		if ranges[i].Contains(addr) {
			return true
		}
	}
	return false
}

// newCallTable cuts a function at every bound of an inlined call and gives each
// piece to the innermost one. Parents come before what is inlined into them, and
// a call takes only what is its parent's still.
func newCallTable(fns *dwarf.Functions, function *dwarf.Func) *callTable {
	inlines := fns.Inlines[function.Inlines.Lo:function.Inlines.Hi]
	var cuts []wasm.CodeOffset
	each := func(in *dwarf.Inline, do func(start, end wasm.CodeOffset)) {
		for _, r := range fns.Ranges[in.Ranges.Lo:in.Ranges.Hi] {
			start, ok := wasm.CodeOffsetFromAddress(r.Start)
			end, ok2 := wasm.CodeOffsetFromAddress(r.End)
			if ok && ok2 && start < end {
				do(start, end)
			}
		}
	}
	for i := range inlines {
		each(&inlines[i], func(start, end wasm.CodeOffset) { cuts = append(cuts, start, end) })
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	owner := make([]int32, len(cuts))
	for i := range owner {
		owner[i] = -1
	}
	work := 0
	for i := range inlines {
		self, parent := int32(function.Inlines.Lo)+int32(i), inlines[i].Parent
		each(&inlines[i], func(start, end wasm.CodeOffset) {
			k, _ := slices.BinarySearch(cuts, start)
			for ; k < len(cuts) && cuts[k] < end && work < callWork; k++ {
				if work++; owner[k] == parent {
					owner[k] = self
				}
			}
		})
	}
	if work >= callWork {
		return &callTable{large: true}
	}
	// Neighbours with one owner are one piece.
	t := &callTable{}
	for i := range cuts {
		if i == 0 || owner[i] != owner[i-1] {
			t.starts, t.calls = append(t.starts, cuts[i]), append(t.calls, owner[i])
		}
	}
	return t
}
