package debugfile

import (
	"slices"

	"github.com/wasm-debugid/wasm-debugid/wasm"
)

// sortByStart sorts by start, and keeps the order of equals. Keys of start and
// position are sorted in place of the elements: that is several times faster than
// comparing those.
func sortByStart[T any](list *[]T, start func(*T) wasm.CodeOffset) {
	from := *list
	sorted := true
	for i := 1; i < len(from) && sorted; i++ {
		sorted = start(&from[i-1]) <= start(&from[i])
	}
	if sorted {
		return
	}
	keys := make([]uint64, len(from))
	for i := range from {
		keys[i] = uint64(start(&from[i]))<<32 | uint64(uint32(i))
	}
	if len(keys) < manyKeys {
		slices.Sort(keys)
	} else {
		keys = sortDigits(keys)
	}
	to := make([]T, len(from))
	for i, key := range keys {
		to[i] = from[uint32(key)]
	}
	*list = to
}

const (
	digitBits = 11
	digits    = 3 // of the upper half of a key
	// manyKeys is from how many keys on sorting by digits is the faster way.
	manyKeys = 1 << 11
)

// sortDigits sorts keys by their upper half, and keeps the order of equals. It may
// return the keys in other memory.
func sortDigits(keys []uint64) []uint64 {
	var counts [digits][1 << digitBits]int
	for _, key := range keys {
		for d := range counts {
			counts[d][digit(key, d)]++
		}
	}
	other := make([]uint64, len(keys))
	for d := range counts {
		places := &counts[d]
		if places[digit(keys[0], d)] == len(keys) {
			continue // it is the same everywhere
		}
		sum := 0
		for i, n := range places {
			places[i] = sum
			sum += n
		}
		for _, key := range keys {
			place := &places[digit(key, d)]
			other[*place] = key
			*place++
		}
		keys, other = other, keys
	}
	return keys
}

func digit(key uint64, d int) uint64 { return key >> (32 + d*digitBits) & (1<<digitBits - 1) }
