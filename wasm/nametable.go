package wasm

import (
	"fmt"
	"iter"
	"sort"
)

// FunctionNames holds the names of a module's functions in memory: one block of
// text and eight bytes for each name.
type FunctionNames struct {
	index []uint32 // ascending
	start []uint32 // start of each name in text; one more entry at the end
	text  []byte
}

// Functions loads the names of all functions. It refuses a subsection larger
// than limit bytes with ErrLimit. Of several names for one function the first
// counts. When the subsection is malformed, the names in front of the error are
// returned with it.
func (n *Names) Functions(limit int64) (*FunctionNames, error) {
	t := &FunctionNames{start: []uint32{0}}
	sub := n.Find(NameFunctions)
	if sub == nil {
		return t, nil
	}
	if int64(sub.Size) > limit {
		return t, &FormatError{Off: sub.Offset, Section: n.Section.Label(), Err: ErrLimit,
			Msg: fmt.Sprintf("the function names take %d bytes, more than the %d that are read", sub.Size, limit)}
	}
	m := n.Map(NameFunctions)
	ascending := true
	for m.Next() {
		if last := len(t.index) - 1; last >= 0 && t.index[last] >= m.Index() {
			ascending = false
		}
		t.index = append(t.index, m.Index())
		t.text = append(t.text, m.Name()...)
		t.start = append(t.start, uint32(len(t.text)))
	}
	if !ascending {
		t.sort()
	}
	return t, m.Err()
}

// sort orders the names by index and drops all but the first of an index.
func (t *FunctionNames) sort() {
	order := make([]int, len(t.index))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return t.index[order[i]] < t.index[order[j]] })
	out := &FunctionNames{start: []uint32{0}}
	for _, i := range order {
		if last := len(out.index) - 1; last >= 0 && out.index[last] == t.index[i] {
			continue
		}
		out.index = append(out.index, t.index[i])
		out.text = append(out.text, t.text[t.start[i]:t.start[i+1]]...)
		out.start = append(out.start, uint32(len(out.text)))
	}
	*t = *out
}

// Len returns the number of functions that have a name.
func (t *FunctionNames) Len() int { return len(t.index) }

// Name returns the name of the function with the given index, imports counted.
// It reports false for a function without a name.
func (t *FunctionNames) Name(index uint32) (string, bool) {
	i := sort.Search(len(t.index), func(i int) bool { return t.index[i] >= index })
	if i == len(t.index) || t.index[i] != index {
		return "", false
	}
	return string(t.text[t.start[i]:t.start[i+1]]), true
}

// All iterates over indices and names, in the order of the indices.
func (t *FunctionNames) All() iter.Seq2[uint32, string] {
	return func(yield func(uint32, string) bool) {
		for i, index := range t.index {
			if !yield(index, string(t.text[t.start[i]:t.start[i+1]])) {
				return
			}
		}
	}
}
