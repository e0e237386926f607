package debugfile

import (
	"errors"
	"io"
	"sort"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// bodyTable lists the extents of all function bodies.
type bodyTable struct {
	imported uint32
	starts   []wasm.CodeOffset
	ends     []wasm.CodeOffset
	size     uint32 // of the Code payload
}

// readBodies lists the bodies of a module. A module without code has none.
func readBodies(m *wasm.File) (*bodyTable, error) {
	t := &bodyTable{}
	span, ok := m.CodeSpan()
	if !ok {
		return t, nil
	}
	t.size = span.Size
	r, err := wasm.NewBodyReader(m)
	if err != nil {
		return t, err
	}
	if t.imported, err = m.ImportedFunctions(); err != nil {
		return t, err
	}
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return t, err
		}
		t.starts = append(t.starts, b.Start)
		t.ends = append(t.ends, b.End)
	}
}

func (t *bodyTable) len() int { return len(t.starts) }

func (t *bodyTable) extent(i int) Extent { return Extent{t.starts[i], t.ends[i]} }

// find returns the number of the body that holds c, or −1 with the reason why
// none does.
func (t *bodyTable) find(c wasm.CodeOffset) (int, Reason) {
	i := sort.Search(len(t.starts), func(i int) bool { return t.starts[i] > c }) - 1
	switch {
	case i >= 0 && c < t.ends[i]:
		return i, ReasonNone
	case uint32(c) >= t.size, i == len(t.starts)-1:
		return -1, ReasonPastEnd
	case i < 0 && c == 0:
		return -1, ReasonFunctionCount
	}
	return -1, ReasonSizeLEB
}

// firstIn returns the number of the first body that ends behind c.
func (t *bodyTable) firstIn(c wasm.CodeOffset) int {
	return sort.Search(len(t.ends), func(i int) bool { return t.ends[i] > c })
}
