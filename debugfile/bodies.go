package debugfile

import (
	"errors"
	"fmt"
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
	cut      bool   // the list ends before the payload does, because of an error
}

// readBodies lists the bodies of a module, from memory where src has it. A module
// without code has none. What stands before an error is returned with it.
func readBodies(m *wasm.File, src Source) (*bodyTable, error) {
	t := &bodyTable{}
	span, ok := m.CodeSpan()
	if !ok {
		return t, nil
	}
	t.size = span.Size
	var err error
	if t.imported, err = m.ImportedFunctions(); err != nil {
		t.cut = true
		return t, err
	}
	if err = t.read(m, src, span); err != nil {
		t.cut = true
	}
	return t, err
}

func (t *bodyTable) read(m *wasm.File, src Source, span wasm.CodeSpan) error {
	var next func() (wasm.Body, error)
	if views, ok := src.(interface{ Mapped() bool }); ok && views.Mapped() {
		payload, err := src.Bytes(int64(span.Start), int64(span.Size))
		if err != nil {
			return err
		}
		list, err := wasm.NewBodies(payload, span.Start, t.imported)
		if err != nil {
			return err
		}
		declared, err := m.FunctionCount()
		if err != nil {
			return err
		}
		if list.Count() != declared {
			return &wasm.FormatError{Off: span.Start, Section: "code section",
				Msg: fmt.Sprintf("%d function bodies, but the function section declares %d", list.Count(), declared)}
		}
		next = func() (wasm.Body, error) {
			b, _, err := list.Next()
			return b, err
		}
	} else {
		list, err := wasm.NewBodyReader(m)
		if err != nil {
			return err
		}
		next = list.Next
	}
	// A body has three bytes with its size, so that memory is for what is there.
	if n, err := m.FunctionCount(); err == nil {
		n = min(n, span.Size/3)
		t.starts, t.ends = make([]wasm.CodeOffset, 0, n), make([]wasm.CodeOffset, 0, n)
	}
	for {
		b, err := next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
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
	lo, hi := 0, len(t.starts)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if t.starts[mid] <= c {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	i := lo - 1
	switch {
	case i >= 0 && c < t.ends[i]:
		return i, ReasonNone
	case uint32(c) >= t.size:
		return -1, ReasonPastEnd
	case t.cut && i == len(t.starts)-1:
		return -1, ReasonCodeDamaged
	case i == len(t.starts)-1:
		return -1, ReasonPastEnd
	case c == 0:
		return -1, ReasonFunctionCount
	}
	return -1, ReasonSizeLEB
}

// firstIn returns the number of the first body that ends behind c.
func (t *bodyTable) firstIn(c wasm.CodeOffset) int {
	return sort.Search(len(t.ends), func(i int) bool { return t.ends[i] > c })
}

// adjacent reports whether no body lies between an extent that ends at end and
// one that starts at start.
func (t *bodyTable) adjacent(end, start wasm.CodeOffset) bool {
	i := t.firstIn(end)
	return i >= len(t.starts) || t.starts[i] >= start
}

// buckets finds bodies faster than a search among all: they know for each piece of
// the code the first body that ends behind its start.
type buckets struct {
	*bodyTable
	shift uint
	first []uint32
}

func newBuckets(t *bodyTable) buckets {
	x := buckets{bodyTable: t}
	if t.len() == 0 {
		return x
	}
	// A piece is about as long as a body, so that there are as many.
	top := uint64(t.ends[t.len()-1])
	for top>>x.shift > uint64(t.len()) {
		x.shift++
	}
	x.first = make([]uint32, top>>x.shift+2)
	body := 0
	for piece := range x.first {
		for body < t.len() && uint64(t.ends[body]) <= uint64(piece)<<x.shift {
			body++
		}
		x.first[piece] = uint32(body)
	}
	return x
}

// find returns the number of the body that holds c, or −1. It looks at guess first:
// most lists are in the order of the code.
func (x *buckets) find(c wasm.CodeOffset, guess int) int {
	if uint(guess) < uint(len(x.starts)) && x.starts[guess] <= c && c < x.ends[guess] {
		return guess
	}
	piece := uint64(c) >> x.shift
	if piece+1 >= uint64(len(x.first)) {
		return -1
	}
	lo, hi := x.first[piece], x.first[piece+1]
	for range 4 { // mostly that is far enough
		if lo < hi && x.ends[lo] <= c {
			lo++
		}
	}
	for lo < hi && x.ends[lo] <= c {
		if mid := (lo + hi) / 2; x.ends[mid] <= c {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if i := int(lo); i < len(x.starts) && x.starts[i] <= c && c < x.ends[i] {
		return i
	}
	return -1
}
