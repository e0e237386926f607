package debugfile

import (
	"slices"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// sorter sorts by start with the memory of earlier sorts. The zero value is ready.
type sorter struct{ keys, other []uint64 }

// sortByStart sorts by start, and keeps the order of equals.
func sortByStart[T any](list *[]T, start func(*T) wasm.CodeOffset) {
	if from := *list; !sortedByStart(from, start) {
		var s sorter
		*list = make([]T, len(from))
		sortInto(&s, *list, from, start)
	}
}

// sortedCopy returns a copy of a list in order.
func sortedCopy[T any](s *sorter, from []T, start func(*T) wasm.CodeOffset) []T {
	to := make([]T, len(from))
	if sortedByStart(from, start) {
		copy(to, from)
	} else {
		sortInto(s, to, from, start)
	}
	return to
}

func sortedByStart[T any](list []T, start func(*T) wasm.CodeOffset) bool {
	for i := 1; i < len(list); i++ {
		if start(&list[i-1]) > start(&list[i]) {
			return false
		}
	}
	return true
}

// sortInto puts what is in from in order into to. Keys of start and position are
// sorted in place of the elements: that is several times faster than comparing
// those.
func sortInto[T any](s *sorter, to, from []T, start func(*T) wasm.CodeOffset) {
	s.keys = slices.Grow(s.keys[:0], len(from))[:len(from)]
	for i := range from {
		s.keys[i] = uint64(start(&from[i]))<<32 | uint64(uint32(i))
	}
	if len(from) < manyKeys {
		slices.Sort(s.keys)
	} else {
		s.digits()
	}
	for i, key := range s.keys {
		to[i] = from[uint32(key)]
	}
}

const (
	digitBits = 11
	digits    = 3 // of the upper half of a key
	// manyKeys is from how many keys on sorting by digits is the faster way.
	manyKeys = 1 << 11
)

// digits sorts the keys by their upper half, and keeps the order of equals.
func (s *sorter) digits() {
	var counts [digits][1 << digitBits]int
	for _, key := range s.keys {
		for d := range counts {
			counts[d][digit(key, d)]++
		}
	}
	s.other = slices.Grow(s.other[:0], len(s.keys))[:len(s.keys)]
	for d := range counts {
		places := &counts[d]
		if places[digit(s.keys[0], d)] == len(s.keys) {
			continue // it is the same everywhere
		}
		sum := 0
		for i, n := range places {
			places[i] = sum
			sum += n
		}
		for _, key := range s.keys {
			place := &places[digit(key, d)]
			s.other[*place] = key
			*place++
		}
		s.keys, s.other = s.other, s.keys
	}
}

func digit(key uint64, d int) uint64 { return key >> (32 + d*digitBits) & (1<<digitBits - 1) }
