package debugfile

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"unsafe"
)

// mapping is one segment of a source map: from column on, the code comes from a
// place in a source. Columns of a module's map are file offsets (F).
type mapping struct {
	column uint32
	source int32  // index in mapTable.sources; −1: no source is responsible
	line   uint32 // 1-based
	col    uint32 // 1-based
	name   int32  // index in mapTable.names; −1: none
}

// mapTable is a source map as a table by column.
//
// It is our own reader because those that exist answer with a position and keep
// the segment's own column to themselves, without which the last segment of the
// function before cannot be told from one of this function; and because they make
// a string or a struct of pointers for each of what can be millions of segments.
type mapTable struct {
	mappings []mapping // by column
	sources  []string
	names    []string
}

// find returns the last mapping at or before column that is not before from.
func (t *mapTable) find(from, column int64) (*mapping, bool) {
	i := sort.Search(len(t.mappings), func(i int) bool { return int64(t.mappings[i].column) > column }) - 1
	if i < 0 || int64(t.mappings[i].column) < from {
		return nil, false
	}
	return &t.mappings[i], true
}

// first returns the first mapping with a source in [from, to).
func (t *mapTable) first(from, to int64) (*mapping, bool) {
	i := sort.Search(len(t.mappings), func(i int) bool { return int64(t.mappings[i].column) >= from })
	for ; i < len(t.mappings) && int64(t.mappings[i].column) < to; i++ {
		if t.mappings[i].source >= 0 {
			return &t.mappings[i], true
		}
	}
	return nil, false
}

func (t *mapTable) memory() int64 {
	n := int64(cap(t.mappings)) * int64(unsafe.Sizeof(mapping{}))
	for _, list := range [][]string{t.sources, t.names} {
		for _, s := range list {
			n += 16 + int64(len(s))
		}
	}
	return n
}

// sort puts the mappings in order. Of several at one column the last one counts.
func (t *mapTable) sort() {
	byColumn := func(a, b mapping) int { return int(int64(a.column) - int64(b.column)) }
	if !slices.IsSortedFunc(t.mappings, byColumn) {
		slices.SortStableFunc(t.mappings, byColumn)
	}
	out := t.mappings[:0]
	for _, m := range t.mappings {
		if k := len(out) - 1; k >= 0 && out[k].column == m.column {
			out[k] = m
			continue
		}
		out = append(out, m)
	}
	t.mappings = slices.Clip(out)
}

var (
	errVLQ     = errors.New("not a Base64 VLQ number")
	errSegment = errors.New("a segment has 1, 4 or 5 numbers")
)

// add decodes the mappings of a source map (https://tc39.es/ecma426/#sec-mappings)
// whose generated positions are moved by column, and whose sources and names are
// those from the given indices on. A module is one line: others are passed over.
// A number that leads outside of what there is costs its segment.
func (t *mapTable) add(text string, column int64, sources, names, firstSource, firstName int) error {
	var source, line, col, name int64
	for at := 0; at < len(text); {
		generated := int64(0)
		for at < len(text) && text[at] != ';' {
			if text[at] == ',' {
				at++
				continue
			}
			var v [5]int64
			n := 0
			start := at
			for ; at < len(text) && text[at] != ',' && text[at] != ';'; n++ {
				if n == len(v) {
					return fmt.Errorf("mappings+%d: %w", start, errSegment)
				}
				var err error
				if v[n], at, err = vlq(text, at); err != nil {
					return fmt.Errorf("mappings+%d: %w", at, err)
				}
			}
			if n != 1 && n != 4 && n != 5 {
				return fmt.Errorf("mappings+%d: %w", start, errSegment)
			}
			generated += v[0]
			m := mapping{source: -1, name: -1}
			if n >= 4 {
				source, line, col = source+v[1], line+v[2], col+v[3]
				if source < 0 || source >= int64(sources) || line < 0 || line >= 1<<32-1 || col < 0 || col >= 1<<32-1 {
					return fmt.Errorf("mappings+%d: source %d, line %d, column %d do not exist", start, source, line, col)
				}
				m.source, m.line, m.col = int32(firstSource)+int32(source), uint32(line)+1, uint32(col)+1
			}
			if n == 5 {
				if name += v[4]; name < 0 || name >= int64(names) {
					return fmt.Errorf("mappings+%d: name %d does not exist", start, name)
				}
				m.name = int32(firstName) + int32(name)
			}
			g := generated + column
			if g < 0 || g > 1<<32-1 {
				return fmt.Errorf("mappings+%d: generated column %d cannot be", start, g)
			}
			m.column = uint32(g)
			t.mappings = append(t.mappings, m)
		}
		if at < len(text) {
			break // lines behind the first are of no module
		}
	}
	return nil
}

// vlq decodes one number at text[at] and returns the position behind it.
func vlq(text string, at int) (value int64, next int, err error) {
	var v uint64
	for shift := uint(0); at < len(text); shift += 5 {
		digit := base64Digit(text[at])
		if digit < 0 || shift > 35 {
			return 0, at, errVLQ
		}
		at++
		v |= uint64(digit&31) << shift
		if digit < 32 {
			value = int64(v >> 1)
			if v&1 != 0 {
				value = -value
			}
			return value, at, nil
		}
	}
	return 0, at, errVLQ
}

func base64Digit(c byte) int {
	switch {
	case c >= 'A' && c <= 'Z':
		return int(c - 'A')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 26
	case c >= '0' && c <= '9':
		return int(c-'0') + 52
	case c == '+':
		return 62
	case c == '/':
		return 63
	}
	return -1
}
